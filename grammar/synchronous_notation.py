"""The text notation of synchronous grammars.

One rule a line: source and target apart by ``###``, with an optional left-hand side before and an
optional weight behind::

    %start S
    # a comment
    S -> S_1 and V_2 ### S_1 V_2 [0.5]
    V -> NT_1 twice ### NT_1 NT_1 [1/4]
    walk ### WALK

``NT_1`` is a nonterminal of the type ``NT`` and the number 1. The left-hand side is ``NT`` where
none is written, and the first one is the start symbol unless a line says otherwise. A word that
would be read as something else is quoted, as in ``'NT_1'`` or ``'->'``; escapes are those of
:mod:`grammar.notation`. If no rule of a left-hand side has a weight, they all get the same.
"""

from __future__ import annotations

import re
from collections import defaultdict
from typing import TYPE_CHECKING, NamedTuple

from grammar.errors import NotationError, located
from grammar.notation import protect, unprotect
from grammar.synchronous_rule import NT, Slot, SynchronousRule

if TYPE_CHECKING:
    from grammar.synchronous import SynchronousGrammar

__all__ = ["format_grammar", "format_rule", "looks_synchronous", "parse_rule", "parse_rules"]

_PIECE = re.compile(
    r"\s*(?:(?P<quoted>'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\")(?!\S)"
    r"|(?P<weight>\[[^\]\s]*\])(?=\s*$)|(?P<plain>[^\s'\"]\S*))"
)
_SLOT = re.compile(r"([^\W\d]\w*)_([1-9]\d*)")
_WEIGHT = re.compile(r"\[(\d*\.?\d+(?:[eE][+-]?\d+)?|\d+\.)(?:/(\d+))?\]")
_START = re.compile(r"%start\s+([^\W\d]\w*)\s*")
_FORM = "write rules as  V -> NT_1 twice ### NT_1 NT_1 [0.5] ; quote words that look like signs"


_QUOTED = re.compile(r"'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\"")
_BETWEEN_SIDES = re.compile(r"\s###(?!\S)")


class _Line(NamedTuple):
    rule: SynchronousRule
    weight: float | None


def looks_synchronous(text: str) -> bool:
    """Say whether every rule has two sides, unlike the notation of PCFGs, where # is a comment.

    >>> looks_synchronous("walk ### WALK [1]"), looks_synchronous("S -> 'a ### b' [1]")
    (True, False)
    """
    lines = [line.strip() for line in text.split("\n")]
    rules = [line for line in lines if line and not line.startswith(("#", "%start"))]
    return bool(rules) and all(_BETWEEN_SIDES.search(_QUOTED.sub("''", rule)) for rule in rules)


def parse_rules(
    text: str, *, source: str = "<string>"
) -> tuple[list[tuple[SynchronousRule, float]], str | None]:
    """Read weighted rules and the start symbol (None if there are no rules) from text.

    Raises
    ------
    NotationError
        At the first line that does not follow the notation; or if only some rules of a left-hand
        side have weights.
    SynchronousRuleError
        If a line follows it, but is not a rule.
    """
    start: str | None = None
    lines: list[_Line] = []
    for number, line in enumerate(text.split("\n"), start=1):
        where = f"{source}:{number}"
        stripped = line.strip()
        if not stripped or (stripped[0] == "#" and not stripped.startswith("###")):
            continue
        if directive := _START.fullmatch(stripped):
            start = directive.group(1)
            continue
        lines.append(_line(line, where))
    if start is None and lines:
        start = lines[0].rule.lhs
    return _weighted(lines, source), start


def parse_rule(text: str) -> SynchronousRule:
    """Read one rule, without a weight.

    >>> parse_rule("turn NT_1 ### NT_1").slots
    (Slot(number=1, symbol='NT'),)
    """
    rule, weight = _line(text, "<string>:1")
    if weight is not None:
        raise NotationError(
            "a single rule has no weight", where="<string>:1", hint="leave out the brackets"
        )
    return rule


def format_rule(rule: SynchronousRule, weight: float | None = None) -> str:
    """Write a rule so that it is read back exactly; the left-hand side only if it is not NT."""
    sides = (" ".join(map(_format_symbol, side)) for side in (rule.source, rule.target))
    text = " ### ".join(sides)
    if rule.lhs != NT:
        text = f"{rule.lhs} -> {text}"
    return text if weight is None else f"{text} [{float(weight)!r}]"


def format_grammar(grammar: SynchronousGrammar) -> str:
    """Write a grammar so that :func:`parse_rules` reads it back exactly."""
    lines = [format_rule(rule, weight) for rule, weight, _ in grammar]
    return "\n".join([f"%start {grammar.start}", *lines]) + "\n"


def _format_symbol(symbol: Slot | str) -> str:
    if isinstance(symbol, Slot):
        return str(symbol)
    plain = (
        symbol
        and symbol.isprintable()
        and not re.search(r"\s", symbol)
        and not _SLOT.fullmatch(symbol)
        and symbol not in ("->", "###")
        and symbol[0] not in "'\"[#%"
    )
    return symbol if plain else "'" + protect(symbol, "'") + "'"


def _line(text: str, where: str) -> _Line:
    symbols: list[Slot | str] = []
    sides: list[tuple[Slot | str, ...]] = []
    lhs, weight = NT, None
    position = 0
    end = len(text.rstrip())
    while position < end:
        match = _PIECE.match(text, position)
        if match is None:
            raise _malformed(text, position, where)
        piece, kind = match.group(match.lastgroup or 0), match.lastgroup
        at = match.start(match.lastgroup or 0)
        if kind == "quoted":
            symbols.append(unprotect(piece[1:-1]))
        elif kind == "weight":
            weight = _number(piece, text, at, where)
        elif piece == "->":
            lhs = _left(symbols, sides, text, at, where)
            symbols = []
        elif piece == "###":
            sides.append(tuple(symbols))
            symbols = []
        else:
            slot = _SLOT.fullmatch(piece)
            symbols.append(Slot(int(slot.group(2)), slot.group(1)) if slot else piece)
        position = match.end()
    if len(sides) != 1:
        raise _malformed(text, end, where, "a rule has one ### between source and target")
    with located(where):
        return _Line(SynchronousRule(sides[0], tuple(symbols), lhs), weight)


def _left(
    symbols: list[Slot | str], sides: list[tuple[Slot | str, ...]], text: str, at: int, where: str
) -> str:
    if sides or len(symbols) != 1 or not isinstance(symbols[0], str):
        raise _malformed(text, at, where, "one type stands before the arrow")
    return symbols[0]


def _number(piece: str, text: str, at: int, where: str) -> float:
    match = _WEIGHT.fullmatch(piece)
    if match is None or (match.group(2) is not None and int(match.group(2)) == 0):
        raise _malformed(text, at, where, "a weight is a decimal or a fraction in brackets")
    return float(match.group(1)) / float(match.group(2) or 1)


def _malformed(text: str, at: int, where: str, what: str = "this is not a rule") -> NotationError:
    return NotationError(
        f"{what}\n    {text}\n    {' ' * at}^", where=f"{where}:{at + 1}", hint=_FORM
    )


def _weighted(lines: list[_Line], source: str) -> list[tuple[SynchronousRule, float]]:
    missing: dict[str, list[bool]] = defaultdict(list)
    for rule, weight in lines:
        missing[rule.lhs].append(weight is None)
    for lhs, bare in missing.items():
        if any(bare) and not all(bare):
            raise NotationError(
                f"{sum(bare)} of the {len(bare)} rules of {lhs} have no weight",
                where=source,
                hint="give every rule of a left-hand side a weight, or none",
            )
    return [
        (rule, 1.0 / len(missing[rule.lhs]) if weight is None else weight) for rule, weight in lines
    ]
