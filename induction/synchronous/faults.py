"""Which training pairs are likelier to be faulty than the rules that they contradict?

A pair that only a rule of its own, or of a few, derives, while other rules derive its source with
another target, is either an exception of the language or a fault. It is taken for a fault if each
of those rules is *trusted*: of the training pairs whose sources it helps to derive, all but a small
share have the target that it gives; or if the search left it out, since few pairs contradicted the
rules.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from typing import NamedTuple

from grammar.synchronous.forest import CodedRule, CodedRules, PairForest, pair_forest
from induction.synchronous.pairs import TrainingPairs
from induction.synchronous.search import coded_rules, derived_without
from induction.synchronous.unification import Coded

__all__ = ["Fault", "find_faults"]

_FEW = 2
"""Pairs that a doubtful rule helps to derive, at most."""


class Fault(NamedTuple):
    """A training pair that was left out, and the target that the grammar gives its source."""

    source: str
    target: str
    expected: str

    def __str__(self) -> str:
        return f"{self.source} ### {self.target} (expected: {self.expected})"


def find_faults(
    rules: Sequence[Coded], training: TrainingPairs, tolerance: float
) -> frozenset[Coded]:
    """Return the training pairs that trusted rules contradict.

    Parameters
    ----------
    rules : sequence of (str, str)
        Coded rules, among them the pairs that are rules of their own.
    training : TrainingPairs
        What they were found from.
    tolerance : float
        The largest share of contradicting pairs among those that a trusted rule helps to derive.
    """
    coded = coded_rules(list(rules))
    forests = {pair: pair_forest(coded, *pair) for pair in training.pairs}
    gone = _doubtful(rules, forests)
    readings = _readings(rules, gone)
    fors: Counter[int] = Counter()
    against: Counter[int] = Counter()
    contradicted: dict[Coded, PairForest] = {}
    for pair, forest in forests.items():
        if derived_without(forest, gone):
            fors.update({edge.rule for edge in forest.edges})
        else:
            contradicted[pair] = reading = pair_forest(readings, pair[0], pair[0])
            against.update({edge.rule for edge in reading.edges})
    doubted = frozenset(r for r, n in against.items() if n > tolerance * (n + fors[r]))
    return frozenset(
        pair
        for pair, reading in contradicted.items()
        if reading.root >= 0 and (forests[pair].root < 0 or derived_without(reading, doubted))
    )


def _doubtful(rules: Sequence[Coded], forests: dict[Coded, PairForest]) -> frozenset[int]:
    """Return rules that help to derive few pairs, where others derive the sources of these.

    The longest go first: what stands for one word is asked last.
    """
    using: dict[int, list[Coded]] = defaultdict(list)
    for pair, forest in forests.items():
        for rule in {edge.rule for edge in forest.edges}:
            using[rule].append(pair)
    readings = _readings(rules, frozenset())
    gone: frozenset[int] = frozenset()
    few = [number for number, pairs in using.items() if len(pairs) <= _FEW]
    for number in sorted(few, key=lambda n: (-len(rules[n][0]), rules[n])):
        sources = (pair_forest(readings, source, source) for source, _ in using[number])
        if all(derived_without(forest, gone | {number}) for forest in sources):
            gone |= {number}
    return gone


def _readings(rules: Sequence[Coded], gone: frozenset[int]) -> CodedRules:
    """Return the sources of rules, paired with themselves, without some of them."""
    return CodedRules(
        CodedRule.of(number, source, source)
        for number, (source, _) in enumerate(rules)
        if number not in gone
    )
