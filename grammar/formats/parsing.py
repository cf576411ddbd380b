"""The rules of a text in one of the dialects, as trees of expressions."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

from grammar.errors import NotationError
from grammar.formats.characters import characters_of_class, characters_of_codes, unescaped
from grammar.formats.dialects import DIALECTS, Token, excerpt, tokens_of

__all__ = ["MOST_REPEATS", "Expression", "Parsed", "parse_rules"]

_DEEPEST = 50
"""Brackets within brackets."""
MOST_REPEATS = 100
"""Of one part: each number of them is a symbol."""
_BEYOND = "characters beyond ASCII, of classes that leave some out or have more than 256"
_PROPERTY = re.compile(r"(?:[^\\]|\\[^pP])*+\\[pP]\{[^}]*+\}")

_REPEATS = {"?": (0, 1), "*": (0, None), "+": (1, None)}


class Expression(NamedTuple):
    """A part of a right-hand side.

    ``text`` and ``rule`` have a ``name``; ``set`` has characters in ``name``; ``choice`` and
    ``row`` have ``parts``; ``repeat`` has one part and its bounds.
    """

    kind: Literal["text", "rule", "set", "choice", "row", "repeat"]
    name: str = ""
    parts: tuple[Expression, ...] = ()
    bounds: tuple[int, int | None] = (1, 1)
    place: int = 0


@dataclass
class Parsed:
    """What a text says.

    Attributes
    ----------
    rules : dict of str to Expression
        By name, in order.
    start : str
        The rule to begin with.
    ignored : list of str
        Rules of what may stand between tokens.
    left_out : set of str
        What is in the text and says nothing of strings.
    """

    rules: dict[str, Expression] = field(default_factory=dict)
    start: str = ""
    ignored: list[str] = field(default_factory=list)
    left_out: set[str] = field(default_factory=set)


def parse_rules(text: str, form: str, source: str) -> Parsed:
    """Read the rules of a text.

    Raises
    ------
    NotationError
        If the text does not follow the notation, or says what no grammar of strings can express.
    """
    return _Reader(text, form, source).rules()


class _Reader:
    def __init__(self, text: str, form: str, source: str) -> None:
        self._text, self._source = text, source
        self._dialect = DIALECTS[form]
        self._found = Parsed()
        self._tokens: list[Token] = []
        for token in tokens_of(text, self._dialect, source):
            if token.kind in self._dialect.left_out:
                self._found.left_out.add(self._dialect.left_out[token.kind])
            else:
                self._tokens.append(token)
        self._tokens.append(Token("finish", "", len(text)))
        self._at, self._depth, self._rule = 0, 0, ""

    def rules(self) -> Parsed:
        while self._next.kind != "finish":
            name = self._take("name", "a rule begins with its name")
            self._take("arrow", "an arrow follows the name of a rule")
            self._rule = name.text
            if name.text in self._found.rules:
                raise self._error(f"the rule {name.text} is there twice", name, "join its rules")
            self._found.rules[name.text] = self._choice()
            if self._dialect is DIALECTS["antlr"]:
                self._take("end", "a rule ends with ;")
        found = self._found
        found.left_out.discard("")
        found.start = self._start()
        return found

    def _start(self) -> str:
        names = [name for name in self._found.rules if name not in self._found.ignored]
        if not names:
            raise self._error("there is no rule", self._next, None)
        wanted = self._dialect.start
        if wanted is None or wanted in names:
            # tokens of ANTLR have capitals, and a sentence is no token
            small = [name for name in names if name[:1].islower()]
            antlr = self._dialect is DIALECTS["antlr"]
            return wanted or (small[0] if antlr and small else names[0])
        raise self._error(f"there is no rule {wanted}", self._next, f"name the first {wanted}")

    @property
    def _next(self) -> Token:
        return self._tokens[self._at]

    def _take(self, kind: str, what: str) -> Token:
        token = self._next
        if token.kind != kind:
            raise self._error(what, token, None)
        self._at += 1
        return token

    def _error(self, what: str, token: Token, hint: str | None) -> NotationError:
        return excerpt(what, self._text, token.place, self._source, hint=hint)

    def _choice(self) -> Expression:
        place = self._next.place
        rows = [self._row()]
        while self._next.kind == "sign" and self._next.text == "|":
            self._at += 1
            rows.append(self._row())
        return rows[0] if len(rows) == 1 else Expression("choice", parts=tuple(rows), place=place)

    def _row(self) -> Expression:
        place, parts = self._next.place, list[Expression]()
        while not self._ends_row():
            if self._next.kind == "command":
                self._command()
            elif self._next.text == "EOF" and self._dialect is DIALECTS["antlr"]:
                self._at += 1
            else:
                parts.append(self._without(self._repeated(self._single())))
        return parts[0] if len(parts) == 1 else Expression("row", parts=tuple(parts), place=place)

    def _ends_row(self) -> bool:
        token = self._next
        begins = token.kind == "name" and self._tokens[self._at + 1].kind == "arrow"
        return token.kind in ("finish", "end") or begins or (
            token.kind == "sign" and token.text in "|)"
        )  # fmt: skip

    def _command(self) -> None:
        command = self._next.text[2:].strip()
        self._at += 1
        if command == "skip" or command.startswith("channel"):
            self._found.ignored.append(self._rule)
        elif not command.startswith("type"):
            raise self._error(
                f"the command {command} is in no context-free grammar", self._tokens[self._at - 1],
                "leave it out",
            )  # fmt: skip

    def _repeated(self, inner: Expression) -> Expression:
        while True:
            token = self._next
            if token.kind == "sign" and token.text in _REPEATS:
                bounds: tuple[int, int | None] = _REPEATS[token.text]
            elif token.kind == "bounds":
                bounds = self._bounds(token)
            else:
                return inner
            self._at += 1
            inner = Expression("repeat", parts=(inner,), bounds=bounds, place=token.place)

    def _bounds(self, token: Token) -> tuple[int, int | None]:
        least, comma, most = (part.strip() for part in token.text.partition(","))
        low = int(least[:9] or 0)
        high = None if comma and not most else int((most if comma else least)[:9] or 0)
        if max(low, high or 0) > MOST_REPEATS or (high is not None and high < low):
            raise self._error(
                f"{token.text} is no number of repetitions", token,
                f"up to {MOST_REPEATS} are read, the smaller first",
            )  # fmt: skip
        return low, high

    def _single(self) -> Expression:
        token = self._next
        self._at += 1
        readers: dict[str, Callable[[Token], Expression]] = {
            "text": lambda t: Expression("text", unescaped(t.text[1:-1]), place=t.place),
            "plain": lambda t: Expression("text", t.text[1:-1], place=t.place),
            "bare": lambda t: Expression("text", t.text, place=t.place),
            "name": lambda t: Expression("rule", t.text, place=t.place),
            "code": lambda t: self._set(characters_of_codes(t.text), t),
            "set": self._class,
            "codeset": lambda t: self._set(characters_of_codes(t.text[1:-1]), t),
            "any": lambda t: self._set(characters_of_class("^\n"), t),
            "range": self._range,
            "not": self._negated,
        }
        if token.kind in readers:
            return readers[token.kind](token)
        if token.kind == "sign" and token.text == "(":
            self._depth += 1
            if self._depth > _DEEPEST:
                raise self._error(
                    f"more than {_DEEPEST} brackets are open", token, "give some a rule"
                )
            inner = self._choice()
            if not (self._next.kind == "sign" and self._next.text == ")"):
                raise self._error("the bracket does not close", token, "close it")
            self._at += 1
            self._depth -= 1
            return inner
        raise self._error(f"{token.text!r} has no place here", token, None)

    def _without(self, inner: Expression) -> Expression:
        """Return a class without the characters that an exception, A - B, names."""
        if self._next.kind != "minus":
            return inner
        token = self._next
        self._at += 1
        others = self._single()
        signs, less = _characters(inner), _characters(others)
        if signs is None or less is None:
            raise self._error(
                "an exception, A - B, is in no context-free grammar", token,
                "write the rule without it; only classes of characters have exceptions",
            )  # fmt: skip
        return self._set(([sign for sign in signs if sign not in less], False), token)

    def _set(self, found: tuple[list[str], bool], token: Token) -> Expression:
        characters, is_open = found
        if is_open:
            self._found.left_out.add(_BEYOND)
        if not characters:
            raise self._error("the class has no characters", token, "name some")
        return Expression("set", "".join(characters), place=token.place)

    def _class(self, token: Token) -> Expression:
        if self._dialect is DIALECTS["antlr"] and (found := _PROPERTY.match(token.text)):
            raise self._error(
                f"the property of Unicode in {token.text[:found.end()][-20:]} is not read", token,
                "write its characters, as in [a-zA-Z]",
            )  # fmt: skip
        return self._set(characters_of_class(token.text[1:-1]), token)

    def _range(self, token: Token) -> Expression:
        ends = [unescaped(part.strip()[1:-1]) for part in token.text.split("..", 1)]
        if any(len(end) != 1 for end in ends):
            raise self._error("a range has a character at each end", token, "as in 'a'..'z'")
        inner = "-".join(f"\\U{ord(end):08x}" for end in ends)
        return self._set(characters_of_class(inner), token)

    def _negated(self, token: Token) -> Expression:
        inner = self._single()
        signs = _characters(inner)
        if signs is None:
            raise self._error(
                "only characters and classes have others", token, "as in ~'a' and ~[ab]"
            )
        codes = "".join(f"\\U{ord(sign):08x}" for sign in signs)
        return self._set(characters_of_class(f"^{codes}"), token)


def _characters(expression: Expression) -> str | None:
    """Return the characters that a class, or a choice of such, stands for; None of others."""
    parts = expression.parts if expression.kind == "choice" else (expression,)
    alike = all(p.kind == "set" or (p.kind == "text" and len(p.name) == 1) for p in parts)
    return "".join(part.name for part in parts) if alike else None
