"""Which training pairs are likelier to be faulty than the rules that they contradict?

A pair that only a rule of its own derives, while other rules derive its source with another target,
is either an exception of the language or a fault. It is taken for a fault if each of those rules is
*trusted*: of the training pairs whose sources it helps to derive, all but a small share have the
target that it gives; or if the search left it out, since few pairs contradicted the rules.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from grammar.synchronous.forest import PairForest, pair_forest
from induction.synchronous.pairs import TrainingPairs
from induction.synchronous.search import coded_rules, derived_without, has_slot, source_rules
from induction.synchronous.unification import Coded

__all__ = ["Fault", "find_faults"]


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
    kept = _without_doubtful(rules, set(training.pairs))
    known = set(rules)
    coded = coded_rules(kept)
    readings = source_rules(kept)
    fors: Counter[int] = Counter()
    against: Counter[int] = Counter()
    contradicted: dict[Coded, PairForest] = {}
    for pair in training.pairs:
        forest = pair_forest(coded, *pair).pruned()
        counted = fors
        if forest.root < 0:
            counted = against
            forest = pair_forest(readings, pair[0], pair[0]).pruned()
            contradicted[pair] = forest
        counted.update({edge.rule for edge in forest.edges})
    doubted = frozenset(r for r, n in against.items() if n > tolerance * (n + fors[r]))
    return frozenset(
        pair
        for pair, forest in contradicted.items()
        if forest.root >= 0 and (pair not in known or derived_without(forest, doubted))
    )


def _without_doubtful(rules: Sequence[Coded], pairs: set[Coded]) -> list[Coded]:
    """Leave out pairs that are rules of their own where the other rules derive their sources.

    The longest go first: what stands for one word is asked last.
    """
    readings = source_rules(rules)
    gone: frozenset[int] = frozenset()
    own = [n for n, rule in enumerate(rules) if rule in pairs and not has_slot(rule[0])]
    for number in sorted(own, key=lambda n: (-len(rules[n][0]), rules[n])):
        source = rules[number][0]
        forest = pair_forest(readings, source, source)
        if derived_without(forest, gone | {number}):
            gone |= {number}
    return [rule for number, rule in enumerate(rules) if number not in gone]
