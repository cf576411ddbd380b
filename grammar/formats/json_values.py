"""Rules of JSON itself, expressions put together, and what a pattern of strings stands for."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from types import MappingProxyType

from grammar.formats.parsing import Expression

__all__ = [
    "CHARACTER", "RULES", "choice_of", "optional", "repeated", "row_of", "rule", "rules_in",
    "text_of", "whole_pattern",
]  # fmt: skip

_PIECE = re.compile(r"\\.|\[\^?\]?(?:\\.|[^\]\\])*+\]|.", re.DOTALL)


def text_of(text: str) -> Expression:
    """Return the expression of a text."""
    return Expression("text", text)


def rule(name: str) -> Expression:
    """Return the expression that stands for a rule."""
    return Expression("rule", name)


def row_of(*parts: Expression | str) -> Expression:
    """Return expressions behind one another; strings stand for themselves."""
    whole = tuple(text_of(part) if isinstance(part, str) else part for part in parts)
    return whole[0] if len(whole) == 1 else Expression("row", parts=whole)


def choice_of(parts: Iterable[Expression]) -> Expression:
    """Return one of several expressions, each once."""
    different = tuple(dict.fromkeys(parts))
    return different[0] if len(different) == 1 else Expression("choice", parts=different)


def repeated(part: Expression, least: int, most: int | None) -> Expression:
    """Return an expression as often as the bounds say; without an end, if there is no upper one."""
    return row_of() if most == 0 else Expression("repeat", parts=(part,), bounds=(least, most))


def optional(*parts: Expression | str) -> Expression:
    """Return a row that may be absent."""
    return repeated(row_of(*parts), 0, 1)


def rules_in(expressions: Iterable[Expression]) -> set[str]:
    """Return the names of the rules that expressions use."""
    found, waiting = set[str](), list(expressions)
    while waiting:
        one = waiting.pop()
        if one.kind == "rule":
            found.add(one.name)
        waiting += one.parts
    return found


def whole_pattern(pattern: str) -> str:
    r"""Return an expression of whole strings, given one that is looked for in them.

    Only anchors at the ends of its alternatives are replaced.

    >>> whole_pattern("^a+$"), whole_pattern("^a|b$"), whole_pattern(r"^\$")
    ('a+', 'a.*|.*b', '\\$.*')
    """
    return "|".join(map(_whole, _alternatives(pattern)))


def _whole(way: str) -> str:
    inner = way.removeprefix("^")
    before = inner[:-1]
    ends = inner.endswith("$") and (len(before) - len(before.rstrip("\\"))) % 2 == 0
    return ("" if inner != way else ".*") + (before if ends else inner + ".*")


def _alternatives(pattern: str) -> Iterator[str]:
    depth, begin = 0, 0
    for piece in _PIECE.finditer(pattern):
        depth += {"(": 1, ")": -1}.get(piece[0], 0)
        if piece[0] == "|" and depth == 0:
            yield pattern[begin : piece.start()]
            begin = piece.end()
    yield pattern[begin:]


_DIGIT = Expression("set", "0123456789")
_DIGITS = repeated(_DIGIT, 1, None)
_PLAIN = "".join(chr(code) for code in range(0x20, 0x7F) if chr(code) not in '"\\')
_HEX = Expression("set", "0123456789abcdefABCDEF")

CHARACTER = choice_of(
    [
        Expression("set", _PLAIN),
        row_of("\\", Expression("set", '"\\/bfnrt')),
        row_of("\\u", _HEX, _HEX, _HEX, _HEX),
    ]
)
"""A character within a string, as it is written."""


def _list_of(name: str) -> Expression:
    return optional(rule(name), repeated(row_of(", ", rule(name)), 0, None))


RULES: Mapping[str, Expression] = MappingProxyType(
    {
        "positive": row_of(Expression("set", "123456789"), repeated(_DIGIT, 0, None)),
        "natural": choice_of([text_of("0"), rule("positive")]),
        "integer": row_of(optional("-"), rule("natural")),
        "magnitude": row_of(
            rule("natural"),
            optional(".", _DIGITS),
            optional(Expression("set", "eE"), optional(Expression("set", "+-")), _DIGITS),
        ),
        "number": row_of(optional("-"), rule("magnitude")),
        "string": row_of('"', repeated(CHARACTER, 0, None), '"'),
        "boolean": choice_of([text_of("true"), text_of("false")]),
        "null": text_of("null"),
        "member": row_of(rule("string"), ": ", rule("value")),
        "object": row_of("{", _list_of("member"), "}"),
        "array": row_of("[", _list_of("value"), "]"),
        "value": choice_of(
            rule(name) for name in ("object", "array", "string", "number", "boolean", "null")
        ),
    }
)
"""The rules of JSON."""
