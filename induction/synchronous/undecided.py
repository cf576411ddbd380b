"""Which function applies last where no training pair says it: sources with several targets.

Orders of application that explain the training pairs equally are only more or less probable. They
differ in the targets of sources in which two functions meet, such as *a dax b kiki*. A source is
*undecided* if grammars by these orders give it different targets.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from grammar.chart.parses import NoParse
from grammar.synchronous.grammar import SynchronousGrammar
from grammar.synchronous.parsing import SynchronousParser
from grammar.synchronous.rule import Slot, SynchronousRule

__all__ = ["Undecided", "target_votes", "undecided_rules"]

_ASKED = 100
"""Sources that are asked, at most, evenly chosen."""


class Undecided(NamedTuple):
    """Two rules of which no training pair says which applies last, and what it makes of a source.

    ``target`` is the more probable one.
    """

    rules: tuple[str, str]
    source: str
    target: str
    other: str

    def __str__(self) -> str:
        return f"{self.source} ### {self.target} (or: {self.other})"


def target_votes(
    parsers: Sequence[SynchronousParser], source: Sequence[str]
) -> Counter[tuple[str, ...]]:
    """Count by target how many parsers give it to a source; those without a target do not vote."""
    best = (parser.translations(source) for parser in parsers)
    return Counter(found[0].target for found in best if not isinstance(found, NoParse))


def undecided_rules(
    grammar: SynchronousGrammar,
    rivals: Sequence[SynchronousGrammar],
    rules: Sequence[SynchronousRule],
) -> list[Undecided]:
    """Return pairs of rules that the grammars apply in different orders, with a source for each.

    Parameters
    ----------
    grammar : SynchronousGrammar
        The most probable one.
    rivals : sequence of SynchronousGrammar
        By other orders of application.
    rules : sequence of SynchronousRule
        Those of the grammars, without types.
    """
    if not rivals:
        return []
    parsers = [SynchronousParser(each) for each in (grammar, *rivals)]
    found: dict[frozenset[str], Undecided] = {}
    meeting = list(_meeting(rules))
    for rules_of_it, source in meeting[:: 1 + len(meeting) // _ASKED]:
        key = frozenset(rules_of_it)
        if key in found:
            continue
        votes = target_votes(parsers, source)
        if len(votes) > 1:
            best, *others = votes  # in the order of the parsers
            texts = (" ".join(words) for words in (source, best, others[0]))
            found[key] = Undecided(rules_of_it, *texts)
    return list(found.values())


def _meeting(
    rules: Sequence[SynchronousRule],
) -> Iterator[tuple[tuple[str, str], tuple[str, ...]]]:
    """Yield pairs of rules with a source in which the one stands in the first or last slot."""
    words = [str(rule.source[0]) for rule in rules if not rule.arity and len(rule.source) == 1]
    functions = [rule for rule in rules if rule.arity]
    for outer, inner in itertools.product(functions, functions) if words else ():
        if outer == inner:
            continue
        for slot in sorted({1, outer.arity}):
            symbols = [
                each for symbol in outer.source
                for each in (inner.source if symbol == outer.slots[slot - 1] else (symbol,))
            ]  # fmt: skip
            fillers = itertools.cycle(words)
            source = (next(fillers) if isinstance(s, Slot) else s for s in symbols)
            yield (str(outer), str(inner)), tuple(source)
