"""Rules of JSON itself, expressions put together, and what a pattern of strings stands for."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Mapping
from fractions import Fraction
from types import MappingProxyType

from grammar.formats.parsing import Expression

__all__ = [
    "CHARACTER", "RULES", "STRINGS", "choice_of", "numbers_within", "optional", "repeated",
    "row_of", "rule", "rules_in", "text_of", "whole_pattern",
]  # fmt: skip

_MOST_NUMBERS = 1_000

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

_DAY = r"(19|20)\d\d-(0[1-9]|1[0-2])-(0[1-9]|1\d|2[0-8])"
_TIME = r"([01]\d|2[0-3]):[0-5]\d:[0-5]\dZ"
_BYTE = r"(\d|[1-9]\d|1\d\d|2[0-4]\d)"
STRINGS: Mapping[str, str] = MappingProxyType(
    {
        "date": f"^{_DAY}$",
        "time": f"^{_TIME}$",
        "date-time": f"^{_DAY}T{_TIME}$",
        "uuid": r"^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$",
        "email": r"^[a-z][a-z0-9]*@[a-z][a-z0-9]*\.(com|net|org)$",
        "ipv4": rf"^{_BYTE}(\.{_BYTE}){{3}}$",
    }
)
"""Patterns of some of the strings that formats allow."""


def numbers_within(limits: Mapping[str, float], *, integers: bool) -> Expression | None:
    """Return the numbers within limits; None if a grammar would have to compare many digits.

    Numbers that need no comparison are those from 0 on, and those between limits that are at most
    1,000 apart. Numbers that are no integers have no exponent then.

    Parameters
    ----------
    limits : mapping of str to float
        By the keywords of JSON Schema.
    integers : bool
        Whether all are integers.

    Examples
    --------
    >>> numbers_within({"minimum": 1, "exclusiveMaximum": 3}, integers=True).parts
    (Expression(kind='text', name='1', ...), Expression(kind='text', name='2', ...))
    >>> numbers_within({"maximum": 3}, integers=True) is None
    True
    """
    if limits == {"minimum": 0}:
        return rule("natural" if integers else "magnitude")
    if integers and limits in ({"minimum": 1}, {"exclusiveMinimum": 0}):
        return rule("positive")
    if limits == {"exclusiveMinimum": 0}:
        return choice_of([row_of(rule("positive"), _FRACTION), row_of("0", _ABOVE_ZERO)])
    low, is_above = _limit(limits, "minimum", "exclusiveMinimum", 1)
    high, is_below = _limit(limits, "maximum", "exclusiveMaximum", -1)
    if low is None or high is None or high - low > _MOST_NUMBERS:
        return None
    if integers:
        first = math.floor(low) + 1 if is_above else math.ceil(low)
        last = math.ceil(high) - 1 if is_below else math.floor(high)
        return choice_of(text_of(str(n)) for n in range(first, last + 1)) if first <= last else None
    if low != int(low) or high != int(high) or low >= high:
        return None
    ways = []
    if high > 0:
        begin = max(0, int(low))
        ways.append(_decimals(begin, int(high), is_above and low >= 0, is_below))
    if low < 0:
        begin = max(0, int(-high))
        ways.append(row_of("-", _decimals(begin, int(-low), is_below and high <= 0, is_above)))
    return choice_of(ways)


def _limit(
    limits: Mapping[str, float], name: str, exclusive: str, sign: int
) -> tuple[Fraction | None, bool]:
    """Return the stricter of two limits, exactly, and whether it is excluded."""
    found = [(sign * Fraction(limits[k]), k == exclusive) for k in (name, exclusive) if k in limits]
    if not found:
        return None, False
    value, excluded = max(found)
    return sign * value, excluded


def _decimals(low: int, high: int, is_above: bool, is_below: bool) -> Expression:
    """Return the decimal numbers between two that are not negative."""
    whole = [text_of(str(n)) for n in range(low + is_above, high)]
    ways = [row_of(str(low), _ABOVE_ZERO)] if is_above else []
    if whole:
        ways.append(row_of(choice_of(whole), _FRACTION))
    if not is_below:
        ways.append(row_of(str(high), optional(".", repeated(text_of("0"), 1, None))))
    return choice_of(ways)


_FRACTION = optional(".", _DIGITS)
_ABOVE_ZERO = row_of(
    ".", repeated(text_of("0"), 0, None), Expression("set", "123456789"), repeated(_DIGIT, 0, None)
)
