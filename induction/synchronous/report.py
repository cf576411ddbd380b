"""What training pairs explain, and what they leave undecided.

Every pair can be a rule of its own, so that a grammar derives all of them says little. A pair is
explained *by rote* if it has no derivation without a rule that no other pair uses.

Orders of application that explain the training pairs equally are only more or less probable. They
differ in the targets of sources in which two functions meet, such as *a dax b kiki*. A source is
*undecided* if grammars by these orders give it different targets.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from grammar.chart.parses import NoParse
from grammar.synchronous.forest import PairForest
from grammar.synchronous.grammar import SynchronousGrammar
from grammar.synchronous.parsing import SynchronousParser
from grammar.synchronous.rule import Slot, SynchronousRule
from induction.synchronous.search import derived_without

__all__ = [
    "Explained",
    "RoteWarning",
    "Undecided",
    "explain_pairs",
    "target_votes",
    "undecided_rules",
]

_MOSTLY = 0.5
_ASKED = 100
"""Sources that are asked for undecided rules, at most, evenly chosen."""


class RoteWarning(UserWarning):
    """Most training pairs are learnt by rote: what the grammar says of others is a guess."""


@dataclass(frozen=True, slots=True)
class Explained:
    """How many pairs there are, and by what they are derived.

    Attributes
    ----------
    pairs : int
        Distinct ones.
    general, rote : int
        Those derived by rules that other pairs use, too, and those that need a rule that no other
        pair uses.
    faulty : int
        Those that were left out, because they contradict rules that many others support.

    Examples
    --------
    >>> Explained(pairs=20, general=15, rote=3, faulty=1).underivable
    1
    """

    pairs: int
    general: int
    rote: int
    faulty: int = 0

    @property
    def underivable(self) -> int:
        """The others: those that are not derived."""
        return self.pairs - self.general - self.rote - self.faulty

    @property
    def warning(self) -> str | None:
        """A word of warning where most pairs are not explained by what they share."""
        alone = self.pairs - self.general
        if alone <= _MOSTLY * self.pairs:
            return None
        return (
            f"{alone:,} of {self.pairs:,} pairs are learnt one by one: the rules hardly "
            "generalise, and samples repeat what was there; more pairs, or pairs that differ "
            "from each other in one place only, would help"
        )

    def __str__(self) -> str:
        """Return the shares as a text.

        >>> print(Explained(pairs=20, general=15, rote=3, faulty=1))
        20 distinct: 75.0% by general rules, 15.0% by rote, 1 faulty, 1 underivable
        """
        general, rote = (n / self.pairs for n in (self.general, self.rote))
        return (
            f"{self.pairs:,} distinct: {general:.1%} by general rules, {rote:.1%} by rote, "
            f"{self.faulty:,} faulty, {self.underivable:,} underivable"
        )


def explain_pairs(pairs: int, forests: Sequence[PairForest], faulty: int = 0) -> Explained:
    """Sort pairs by how they are explained.

    Parameters
    ----------
    pairs : int
        How many there are.
    forests : sequence of PairForest
        Of those that are derived.
    faulty : int
        How many were left out.
    """
    used = Counter(rule for forest in forests for rule in {edge.rule for edge in forest.edges})
    alone = frozenset(rule for rule, pairs_of_it in used.items() if pairs_of_it == 1)
    general = sum(derived_without(forest, alone) for forest in forests)
    return Explained(pairs, general, len(forests) - general, faulty)


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
    alternatives: Sequence[SynchronousGrammar],
    rules: Sequence[SynchronousRule],
) -> list[Undecided]:
    """Return pairs of rules that the grammars apply in different orders, with a source for each.

    Parameters
    ----------
    grammar : SynchronousGrammar
        The most probable one.
    alternatives : sequence of SynchronousGrammar
        By other orders of application.
    rules : sequence of SynchronousRule
        Those of the grammars, without types.
    """
    if not alternatives:
        return []
    parsers = [SynchronousParser(each) for each in (grammar, *alternatives)]
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
