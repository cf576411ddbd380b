"""How notations with ``::=`` or ``:`` are spelt: GBNF, ANTLR 4, W3C EBNF and BNF.

Each is one expression that finds the next token. Its parts never look back, so that the work is
linear in the text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import NamedTuple

from grammar.errors import NotationError
from grammar.rules.foreign import foreign_notation

__all__ = ["DIALECTS", "Dialect", "Token", "excerpt", "tokens_of"]


class Token(NamedTuple):
    """A piece of a text: its kind, what it says, and where it begins."""

    kind: str
    text: str
    place: int


@dataclass(frozen=True)
class Dialect:
    """A notation.

    Attributes
    ----------
    name : str
        What it is called in messages.
    pattern : re.Pattern
        Finds the next token; what its groups are called are the kinds of tokens.
    start : str or None
        The rule to begin with, if it is not the first.
    left_out : mapping of str to str
        Kinds of tokens that say nothing of strings, and what they are called.
    refused : mapping of str to str
        Kinds of tokens that no context-free grammar can express, and what they are called.
    """

    name: str
    pattern: re.Pattern[str]
    start: str | None = None
    left_out: Mapping[str, str] = field(default_factory=dict)
    refused: Mapping[str, str] = field(default_factory=dict)


def _pattern(*parts: str) -> re.Pattern[str]:
    return re.compile("|".join(parts), re.DOTALL)


_QUOTED = r'(?P<text>"(?:[^"\\\n]|\\.)*+")'
_SIGNS = r"(?P<sign>[()|?*+])"
_CLASS = r"(?P<set>\[(?:[^\]\\\n]|\\.)*+\])"
_BOUNDS = r"\{\s*+(?P<bounds>\d*+\s*+(?:,\s*+\d*+)?)\s*+\}"
_BLOCK = r"/\*(?:[^*]|\*(?!/))*+\*/"
_NUMBER = r"\[\d++[a-z]?\][^\S\n]++(?=[A-Za-z_][\w.]*+\s*+::=)"
"""Of a rule, as standards count them: where a line begins."""


def _braces(depth: int) -> str:
    """Return the pattern of code in braces, whose strings and comments may hold others."""
    within = "" if depth == 0 else f"|{_braces(depth - 1)}"
    return (
        rf"""\{{(?:[^{{}}"'/]|"(?:[^"\\\n]|\\.)*+"|'(?:[^'\\\n]|\\.)*+'|//[^\n]*+|{_BLOCK}"""
        rf"""|["'/]{within})*+\}}"""
    )


_CODE = _braces(4)

_GBNF = Dialect(
    "GBNF",
    _pattern(
        r"(?P<white>\s++|#[^\n]*+|//[^\n]*+)", _QUOTED, _CLASS, r"(?P<arrow>::=)",
        r"(?P<name>[A-Za-z_][\w.-]*+)", _BOUNDS, r"(?P<any>\.)", _SIGNS,
        r"(?P<token><\[?[^>\n]*+>)", r"(?P<lookahead>\(\?[=!])",
    ),
    start="root",
    refused={"token": "a token of a model", "lookahead": "looking ahead"},
)  # fmt: skip
_W3C = Dialect(
    "W3C EBNF",
    _pattern(
        rf"(?P<white>\A\s*+{_NUMBER}|\n[^\S\n]*+(?:{_NUMBER})?|[^\S\n]++|{_BLOCK})",
        r"""(?P<plain>"[^"\n]*+"|'[^'\n]*+')""",
        r"(?P<code>#x[0-9A-Fa-f]++)", r"(?P<constraint>\[\s*+(?:wfc|vc|WFC|VC):[^\]]*+\])",
        r"(?P<codeset>\[[^\]\n]*+\])", r"(?P<arrow>::=)", r"(?P<name>[A-Za-z_][\w.]*+)",
        _SIGNS, r"(?P<minus>-)",
    ),
    left_out={"constraint": "constraints"},
)  # fmt: skip
_BNF = Dialect(
    "BNF",
    _pattern(
        r"""(?P<white>\s++)""",
        # a comment; but ; is a sign of many languages, and then no word comes behind it
        r"""(?P<remark>;[^\S\n]*+[^\s|<"'][^\n]*+)""", r"""(?P<plain>"[^"\n]*+"|'[^'\n]*+')""",
        r"<(?P<name>[^<>\n]++)>", r"(?P<arrow>::=)", r"(?P<sign>[|])",
        r"""(?P<bare>;|[^\s<>|"';]++)""",
    ),
    left_out={"remark": "comments behind ;"},
)  # fmt: skip
_ANTLR = Dialect(
    "ANTLR",
    _pattern(
        rf"(?P<white>\s++|//[^\n]*+|{_BLOCK})",
        r"(?P<header>(?:(?:lexer|parser)\s++)?grammar\s++\w++\s*+;)",
        r"(?P<options>(?:options|tokens|channels)\s*+\{[^}]*+\})",
        rf"(?P<action>@\s*+[\w:\s]++{_CODE}|{_CODE}\s*+\??)",
        r"(?P<clause>(?:returns|locals|catch|finally)\b|throws\s++[\w.]++(?:\s*+,\s*+[\w.]++)*+)",
        r"(?P<import>import\s++[^;]*+;)", r"(?P<mode>mode\s++\w++\s*+;)",
        r"(?P<range>'(?:[^'\\\n]|\\.)*+'\s*+\.\.\s*+'(?:[^'\\\n]|\\.)*+')",
        r"(?P<text>'(?:[^'\\\n]|\\.)*+')", _CLASS, r"(?P<command>->[^;|]*+)",
        r"(?P<label>#\s*+\w++|\w++\s*+\+?=(?!=)|<\s*+assoc\s*+=\s*+\w++\s*+>)",
        r"(?P<fragment>fragment\b)", r"(?P<name>[A-Za-z]\w*+)", r"(?P<arrow>:)", r"(?P<end>;)",
        r"(?P<not>~)", r"(?P<any>\.)", _SIGNS,
    ),
    left_out={
        "action": "actions and predicates", "options": "options", "label": "", "header": "",
        "fragment": "", "clause": "", "arguments": "arguments of rules",
    },
    refused={"import": "an import", "mode": "a mode of the lexer"},
)  # fmt: skip

DIALECTS: Mapping[str, Dialect] = MappingProxyType(
    {"gbnf": _GBNF, "antlr": _ANTLR, "ebnf": _W3C, "bnf": _BNF}
)
"""By the name of the form."""


def tokens_of(text: str, dialect: Dialect, source: str) -> Iterator[Token]:
    """Yield the tokens of a text but white space and comments.

    Raises
    ------
    NotationError
        If something else is found, or what no grammar of strings can express.
    """
    place, before = 0, Token("white", "", 0)
    while place < len(text):
        found = dialect.pattern.match(text, place)
        if found is None:
            raise excerpt(
                f"this is not {dialect.name}",
                text,
                place,
                source,
                hint=_other(text, dialect, source),
            )
        kind = str(found.lastgroup)
        if kind in dialect.refused:
            raise excerpt(
                f"{dialect.refused[kind]} is in no context-free grammar", text, place, source,
                hint="write the rule without it",
            )  # fmt: skip
        # a class stands in rules of tokens, which name no rule with a small letter
        is_small = before.kind in ("name", "clause") and before.text[:1].islower()
        if kind == "set" and is_small and "arguments" in dialect.left_out:
            kind, before = "arguments", Token("arguments", found[0], place)
            yield before
        elif kind != "white":
            before = Token(kind, found[kind], place)
            yield before
        place = found.end()


def _other(text: str, dialect: Dialect, source: str) -> str | None:
    """Return what else a text seems to be, and what to do; None if that is not known."""
    found = foreign_notation(text)
    if found is None or (dialect.name in found[0] and "ISO" not in found[0]):
        return None
    hint = found[1] if source.startswith("<") else found[1].replace("FILE", source)
    return f"it looks like {found[0]}: {hint}"


def excerpt(
    what: str, text: str, place: int, source: str, *, hint: str | None = None
) -> NotationError:
    """Return the error of a place in a text, with its line."""
    begin = text.rfind("\n", 0, place) + 1
    line = text[begin : begin + 200].partition("\n")[0].rstrip("\r")
    column = place - begin + 1
    return NotationError(
        f"{what}\n    {line}\n    {' ' * (column - 1)}^",
        where=f"{source}:{text.count(chr(10), 0, place) + 1}:{column}",
        hint=hint,
    )
