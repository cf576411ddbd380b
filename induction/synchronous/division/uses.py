"""The uses of rules in the best derivations of pairs: what a division of rules goes by.

A use has a label, which says what its rule stands for there: to divide a rule is to give its uses
different labels. A label that was divided is a pair of what it was and of the group.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from grammar.arrays import FloatArray
from grammar.synchronous.forest import PairForest
from induction.synchronous.types import Families

__all__ = [
    "MEMBER",
    "ROOT",
    "TOP",
    "Place",
    "Use",
    "by_member",
    "label_of_word",
    "levels",
    "read_uses",
    "relabel",
]

ROOT = 0
"""The slot of sentences."""
TOP = "top"
MEMBER = 1_000
"""What is compared beside slots: which rule of its family a use is of."""

Place = tuple[Hashable, int]
"""A label of a rule, and a slot."""


@dataclass(slots=True)
class Use:
    """One use of a rule in the best derivation of a pair; a word is its own label.

    Uses with the same derivation below them have the same ``tree``, those in the same slot of the
    same derivation the same ``within``.
    """

    label: Hashable
    place: Hashable
    rule: int
    tree: int
    within: tuple[int, int]
    children: list[Use]


def levels(label: Hashable) -> Iterator[tuple[Hashable, Hashable]]:
    """Yield what a label divides, and its group, from the last division to the first."""
    while isinstance(label, tuple) and label[0] != "word":
        yield label
        label = label[0]


def by_member(label: Hashable) -> bool:
    """Say whether a group of a label is one of rules of a family."""
    return any(isinstance(group, tuple) for _, group in levels(label))


def label_of_word(rule: int) -> Hashable:
    """Return the label of a rule that is a word: it is its own."""
    return "word", rule


def relabel(uses: Sequence[Use], groups: Iterable[tuple[Use, Hashable]]) -> None:
    """Divide the labels of some uses, and so the places of what stands in their slots."""
    for use, group in groups:
        use.label = (use.label, group)
    for use in uses:
        for slot, child in enumerate(use.children):
            child.place = (use.label, slot)


def read_uses(
    forest: PairForest,
    families: Families,
    share: FloatArray,
    trees: dict[tuple[int, ...], int],
) -> list[Use]:
    """Return the uses of rules in the best derivation of a pair, the last one that applies first.

    ``trees`` numbers derivations and is added to.
    """
    kind = [families.of_rule[edge.rule] for edge in forest.edges]
    of_node: dict[int, list[int]] = defaultdict(list)
    score: list[float] = []
    fillers: list[list[int]] = []
    tree: list[int] = []

    def best(slot: int, node: int) -> int:
        return max(of_node[node], key=lambda e: float(share[slot, kind[e]]) * score[e])

    for number, edge in enumerate(forest.edges):
        first = int(families.first_slot[kind[number]])
        filling = [best(first + slot, child) for slot, child in enumerate(edge.children)]
        value = 1.0 / float(families.size[kind[number]])
        for slot, filler in enumerate(filling):
            value *= float(share[first + slot, kind[filler]]) * score[filler]
        score.append(value)
        fillers.append(filling)
        tree.append(trees.setdefault((edge.rule, *(tree[f] for f in filling)), len(trees)))
        of_node[edge.node].append(number)

    def use(edge: int, place: Hashable, within: tuple[int, int]) -> Use:
        rule = forest.edges[edge].rule
        label = kind[edge] if fillers[edge] else label_of_word(rule)
        return Use(label, place, rule, tree[edge], within, [])

    top = best(ROOT, forest.root)
    if score[top] == 0.0:  # too improbable to be told from others
        return []
    uses, edges = [use(top, TOP, (tree[top], -1))], [top]
    for made, at in zip(uses, edges, strict=False):  # both grow
        for slot, filler in enumerate(fillers[at]):
            made.children.append(use(filler, (kind[at], slot), (tree[at], slot)))
        uses += made.children
        edges += fillers[at]
    return uses
