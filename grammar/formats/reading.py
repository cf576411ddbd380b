"""Readers: what other tools write as a :class:`Grammar`.

These notations have no probabilities. The alternatives of a rule get equal weights, and a
repetition stops after each round with probability one half. Strings and characters become words, so
that sentences are what a tool reads with nothing between their words.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeVar

from grammar.errors import NotationError, OptionError, StartSymbolError
from grammar.formats.dialects import DIALECTS, excerpt
from grammar.formats.json_schema import parse_schema
from grammar.formats.lark_reading import from_lark
from grammar.formats.parsing import Expression, Parsed, parse_rules
from grammar.messages import tell
from grammar.pcfg.grammar import Grammar
from grammar.rules.rules import Nonterminal, Production
from grammar.trees.given import is_name_of_file

__all__ = ["READ_FORMS", "read_notation"]

_OWN = "treewright"
READ_FORMS = (*DIALECTS, "lark", "jsonschema")
"""The forms that are read."""

Symbol = Nonterminal | str
Kind = TypeVar("Kind")


def read_notation(
    text: str, form: str = _OWN, *, start: str | None = None, source: str = "<string>"
) -> Grammar:
    r"""Read a grammar that another tool reads.

    What the grammar cannot keep is told: what stands between tokens, actions, and characters beyond
    ASCII where a class leaves characters out or has more than 256.

    Parameters
    ----------
    text : str
        The text.
    form : str
        ``gbnf`` (llama.cpp, xgrammar), ``antlr`` (version 4), ``ebnf`` (W3C), ``bnf``, ``lark``, or
        ``jsonschema``: the documents that a schema allows, as ``json.dumps`` writes them; by
        default ``treewright``, the rules of this toolkit and of NLTK.
    start : str, optional
        The rule to begin with: by default ``root`` of GBNF, ``start`` of Lark, the first parser
        rule of ANTLR, and else the first.
    source : str
        What to call the text in errors.

    Raises
    ------
    NotationError
        If the text does not follow the notation, or says what no grammar of strings can express.
    StartSymbolError
        If there is no such rule.
    OptionError
        If there is no such form.

    Examples
    --------
    >>> print(read_notation('root ::= "a" root? | [bc]+', "gbnf").to_text(), end="")
    root -> {root|<bc>+} [0.5]
    root -> 'a' {root|<root>?} [0.5]
    {root|<bc>} -> 'b' [0.5]
    {root|<bc>} -> 'c' [0.5]
    {root|<bc>+} -> {root|<bc>} [0.5]
    {root|<bc>+} -> {root|<bc>} {root|<bc>+} [0.5]
    {root|<root>?} -> [0.5]
    {root|<root>?} -> root [0.5]
    """
    if form == _OWN:
        if "\n" not in text and is_name_of_file(text):
            raise NotationError(
                f"{text!r} is the name of a file, and no rules",
                hint=f"open_grammar({text!r}) reads it",
            )
        return Grammar.parse(text, start=start, source=source)
    if form not in READ_FORMS:
        raise OptionError(
            f"no notation {form!r} is read", hint=f"choose from {', '.join(READ_FORMS)}"
        )
    if form == "lark":
        return from_lark(text, start=start or "start", representatives=3, name=source)
    parsed = parse_schema(text, source) if form == "jsonschema" else parse_rules(text, form, source)
    if start is not None and start not in parsed.rules:
        raise StartSymbolError(
            f"there is no rule {start!r}", where=source,
            hint=f"choose one of {', '.join(list(parsed.rules)[:8])}",
        )  # fmt: skip
    made = _Builder(parsed, text, source).productions()
    if parsed.ignored:
        parsed.left_out.add(f"what may stand between tokens ({', '.join(parsed.ignored)})")
    for what in sorted(parsed.left_out):
        tell(f"{source}: left out: {what}")
    return Grammar.from_productions(made, start=start or parsed.start)


class _Builder:
    """Makes productions of expressions; a symbol of its own for each that is no row of symbols."""

    def __init__(self, parsed: Parsed, text: str, source: str) -> None:
        self._parsed, self._text, self._source = parsed, text, source
        self._made: list[Production] = []
        self._named: dict[Expression, Nonterminal] = {}
        self._taken = set(parsed.rules)
        self._rule = ""

    def productions(self) -> list[Production]:
        for name, expression in self._parsed.rules.items():
            if name not in self._parsed.ignored:
                self._rule = name
                self._define(Nonterminal(name), self._alternatives(expression))
        return self._made

    def _define(self, lhs: Nonterminal, rows: Iterable[tuple[Symbol, ...]]) -> None:
        given = list(rows)
        self._made += [Production(lhs, row, 1 / len(given)) for row in given]

    def _alternatives(self, expression: Expression) -> list[tuple[Symbol, ...]]:
        if expression.kind == "set":
            return [(sign,) for sign in expression.name]
        parts = expression.parts if expression.kind == "choice" else (expression,)
        return [self._symbols(part) for part in parts]

    def _symbols(self, expression: Expression) -> tuple[Symbol, ...]:
        if expression.kind == "text":
            return (expression.name,) if expression.name else ()
        if expression.kind == "rule":
            return self._reference(expression)
        if expression.kind == "set" and len(expression.name) == 1:
            return (expression.name,)
        if expression.kind == "row":
            return tuple(symbol for part in expression.parts for symbol in self._symbols(part))
        return (self._symbol(expression),)

    def _reference(self, expression: Expression) -> tuple[Symbol, ...]:
        name = expression.name
        if name in self._parsed.ignored:
            return ()
        if name not in self._parsed.rules:
            raise excerpt(
                f"the rule {name} is used, and there is none", self._text, expression.place,
                self._source, hint=f"write a rule {name}, or put it in quotes",
            )  # fmt: skip
        return (Nonterminal(name),)

    def _symbol(self, expression: Expression) -> Nonterminal:
        """Return the symbol that stands for a choice, a class or a repetition."""
        key = _without_places(expression)
        if key not in self._named:
            made = self._named[key] = self._free(_description(key))
            if expression.kind == "repeat":
                self._repeat(made, expression)
            else:
                self._define(made, self._alternatives(expression))
        return self._named[key]

    def _repeat(self, made: Nonterminal, expression: Expression) -> None:
        [inner] = expression.parts
        least, most = expression.bounds
        once = self._symbols(inner)
        if most is None:
            self._define(made, [once * least, (*once, made)] if least < 2 else [
                (*once * (least - 1), self._symbol(expression._replace(bounds=(1, None))))
            ])  # fmt: skip
        elif least == most:
            self._define(made, [once * least])
        elif least:
            rest = self._symbol(expression._replace(bounds=(0, most - least)))
            self._define(made, [(*once * least, rest)])
        elif most == 1:
            self._define(made, [(), once])
        else:
            rest = self._symbol(expression._replace(bounds=(0, most - 1)))
            self._define(made, [(), (*once, rest)])

    def _free(self, description: str) -> Nonterminal:
        name = f"{self._rule}|<{description}"
        while name in self._taken:
            name += "'"
        self._taken.add(name)
        return Nonterminal(name)


def _description(expression: Expression) -> str:
    """Return a short name of an expression, as far as it goes."""
    if expression.kind == "repeat":
        least, most = expression.bounds
        sign = {(0, 1): "?", (0, None): "*", (1, None): "+"}.get(
            (least, most), f"{{{least},{'' if most is None else most}}}"
        )
        return f"{_description(expression.parts[0])}{sign}"
    if expression.parts:
        return f"{'|'.join(_description(part).strip('<>') for part in expression.parts)[:12]}>"
    return f"{expression.name[:12]}>"


def _without_places(expression: Expression) -> Expression:
    parts = tuple(map(_without_places, expression.parts))
    return expression._replace(place=0, parts=parts)
