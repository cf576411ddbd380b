"""Rules that no training pair needs: every pair that has a derivation with one has another."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from grammar.synchronous_forest import PairForest

__all__ = ["needless_rules"]


def needless_rules(forests: Sequence[PairForest], candidates: Iterable[int]) -> frozenset[int]:
    """Return rules that can go together, the least used tried first.

    Parameters
    ----------
    forests : sequence of PairForest
        Of all training pairs that are derived.
    candidates : iterable of int
        Rules that may go.

    Returns
    -------
    frozenset of int
        Without them every pair keeps a derivation.
    """
    using: dict[int, list[PairForest]] = {rule: [] for rule in candidates}
    for forest in forests:
        for rule in {edge.rule for edge in forest.edges} & using.keys():
            using[rule].append(forest)
    gone: frozenset[int] = frozenset()
    for rule in sorted(using, key=lambda rule: (len(using[rule]), rule)):
        if all(_derived_without(forest, gone | {rule}) for forest in using[rule]):
            gone |= {rule}
    return gone


def _derived_without(forest: PairForest, gone: frozenset[int]) -> bool:
    made: set[int] = set()
    for edge in forest.edges:
        if edge.rule not in gone and made.issuperset(edge.children):
            made.add(edge.node)
    return forest.root in made
