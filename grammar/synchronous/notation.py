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
:mod:`grammar.rules.notation`. If no rule of a left-hand side has a weight, they all get the same.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable

from grammar.errors import NotationError
from grammar.synchronous.rule import SynchronousRule, WeightedLine, format_rule, parse_line

__all__ = ["format_rules", "looks_synchronous", "parse_rules"]

_START = re.compile(r"%start\s+([^\W\d]\w*)\s*")
_QUOTED = re.compile(r"'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\"")
_BETWEEN_SIDES = re.compile(r"\s###(?!\S)")


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
    lines: list[WeightedLine] = []
    for number, line in enumerate(text.split("\n"), start=1):
        where = f"{source}:{number}"
        stripped = line.strip()
        if not stripped or (stripped[0] == "#" and not stripped.startswith("###")):
            continue
        if directive := _START.fullmatch(stripped):
            start = directive.group(1)
            continue
        lines.append(parse_line(line, where))
    if start is None and lines:
        start = lines[0].rule.lhs
    return _weighted(lines, source), start


def format_rules(rules: Iterable[tuple[SynchronousRule, float]], start: str) -> str:
    """Write weighted rules so that :func:`parse_rules` reads them back exactly."""
    lines = [format_rule(rule, weight) for rule, weight in rules]
    return "\n".join([f"%start {start}", *lines]) + "\n"


def _weighted(lines: list[WeightedLine], source: str) -> list[tuple[SynchronousRule, float]]:
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
