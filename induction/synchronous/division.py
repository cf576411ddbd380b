"""Rules that stand for several are divided before layers for sampling are made.

A rule may stand for several: of *di chloride* and *di sodium*, one is an anion and the other a
cation, and nothing but the places of ``di NT_1`` says so. So rules are divided (as nonterminals
are split by Petrov et al. 2006, but by a test): where what stands in two places of a rule, or
where the rule stands and what is in it, falls into groups that never meet, and chance does not
explain it.
"""

from __future__ import annotations

import itertools
from collections import defaultdict
from collections.abc import Hashable, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from grammar.arrays import FloatArray, LongArray
from grammar.rng import stream_key
from grammar.synchronous.forest import PairForest
from grammar.synchronous.grammar import SynchronousGrammar
from grammar.synchronous.rule import SynchronousRule
from induction.synchronous.closure import divided
from induction.synchronous.layers import layered_grammar
from induction.synchronous.types import Families

__all__ = ["divided_grammar"]

_UNSEEN = 1e-3
"""Counted for what was not seen in a slot."""
_SHUFFLED = 1_000
"""Shuffles of what stands in two places, none of which may give as many groups."""
_MOST_ROWS = 2_000
"""That are shuffled: of more, an even choice."""
_MOST_EDGES = 400_000
"""Of forests: of more, no rules are divided."""
_ROOT = 0
_TOP = "top"


@dataclass(slots=True)
class _Use:
    """One use of a rule in the best derivation of a pair; a word is its own label.

    Uses with the same derivation below them have the same ``tree``, those in the same slot of the
    same derivation the same ``within``.
    """

    label: Hashable
    place: Hashable
    rule: int
    tree: int
    within: tuple[int, int]
    children: list[_Use]


def divided_grammar(
    rules: Sequence[SynchronousRule],
    families: Families,
    forests: Sequence[PairForest],
    seen: FloatArray,
    prior: FloatArray,
) -> SynchronousGrammar:
    """Return the grammar whose types are the layers of slots of divided rules.

    ``seen`` and ``prior`` are those of :func:`induction.synchronous.layers.settled_children`.
    """
    if sum(len(forest.edges) for forest in forests) > _MOST_EDGES:
        return layered_grammar(rules, families, seen)
    counts = seen + _UNSEEN
    share = counts / counts.sum(axis=1, keepdims=True) * prior
    trees: dict[tuple[int, ...], int] = {}
    uses = [use for forest in forests for use in _read_uses(forest, families, share, trees)]
    if not _divide(uses):
        return layered_grammar(rules, families, seen)
    labels: dict[int, set[Hashable]] = defaultdict(set)
    for use in uses:
        labels[families.of_rule[use.rule]].add(use.label)
    copies: list[tuple[int, Hashable]] = []
    for number, family in enumerate(families.of_rule):
        own = sorted(labels[family], key=repr) if families.arity[family] else [_word(number)]
        copies += [(number, label) for label in own or [family]]
    return _layered_copies(rules, families, uses, copies)


def _layered_copies(
    rules: Sequence[SynchronousRule],
    families: Families,
    uses: Sequence[_Use],
    copies: Sequence[tuple[int, Hashable]],
) -> SynchronousGrammar:
    """Return the layered grammar of copies of rules, each with the label of its uses."""
    made = _families_of_copies(families, uses, copies)
    family_of = dict(zip(copies, made.of_rule, strict=True))
    seen = np.zeros((made.slots, len(made.size)))
    for use in uses:
        family = family_of[use.rule, use.label]
        if use.place == _TOP:
            seen[_ROOT, family] += 1.0
        first = int(made.first_slot[family])
        for slot, child in enumerate(use.children):
            seen[first + slot, family_of[child.rule, child.label]] += 1.0
    return layered_grammar([rules[rule] for rule, _ in copies], made, seen)


def _families_of_copies(
    families: Families, uses: Sequence[_Use], copies: Sequence[tuple[int, Hashable]]
) -> Families:
    """Divide families of words by the places of divided rules.

    A word that was seen in no place stands for itself alone in the pairs, so which places it has
    is unknown: it has all those of its family, and keeps the family together.
    """
    numbers: dict[Hashable, int] = {}
    places: dict[int, set[int]] = defaultdict(set)
    of_family: dict[int, set[int]] = defaultdict(set)
    for use in uses:
        for slot, child in enumerate(use.children):
            if not child.children:
                place = numbers.setdefault((use.label, slot), len(numbers))
                places[child.rule].add(place)
                of_family[families.of_rule[child.rule]].add(place)
    keys, slots = [], []
    for rule, label in copies:
        family = families.of_rule[rule]
        word = not families.arity[family]
        keys.append(("word", str(family)) if word else ("rule", repr(label)))
        slots.append(sorted(places[rule] or of_family[family]) if word else [0])
    arities = [int(families.arity[families.of_rule[rule]]) for rule, _ in copies]
    return Families.of(divided(keys, slots), arities)


def _word(rule: int) -> Hashable:
    return "word", rule


def _read_uses(
    forest: PairForest,
    families: Families,
    share: FloatArray,
    trees: dict[tuple[int, ...], int],
) -> list[_Use]:
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

    def use(edge: int, place: Hashable, within: tuple[int, int]) -> _Use:
        rule = forest.edges[edge].rule
        label = kind[edge] if fillers[edge] else _word(rule)
        return _Use(label, place, rule, tree[edge], within, [])

    top = best(_ROOT, forest.root)
    if score[top] == 0.0:  # too improbable to be told from others
        return []
    uses, edges = [use(top, _TOP, (tree[top], -1))], [top]
    for made, at in zip(uses, edges, strict=False):  # both grow
        for slot, filler in enumerate(fillers[at]):
            made.children.append(use(filler, (kind[at], slot), (tree[at], slot)))
        uses += made.children
        edges += fillers[at]
    return uses


def _divide(uses: Sequence[_Use]) -> bool:
    """Give uses of one rule different labels where they never meet, until none is left."""
    changed = False
    while True:
        of_label: dict[Hashable, list[_Use]] = defaultdict(list)
        for use in uses:
            if use.children:
                of_label[use.label].append(use)
        found = [groups for alike in of_label.values() if (groups := _groups(alike))]
        if not found:
            return changed
        for use, group in itertools.chain.from_iterable(found):
            use.label = (use.label, group)
        for use in uses:
            for slot, child in enumerate(use.children):
                child.place = (use.label, slot)
        changed = True


def _groups(uses: Sequence[_Use]) -> list[tuple[_Use, int]]:
    """Return the groups of uses that two places tell apart; none if there are not two.

    What is said twice is evidence once: a phrase in the same slot of the same phrase, or what is
    within a phrase.
    """
    rows = [[use.place, *(child.label for child in use.children)] for use in uses]
    columns = [
        np.unique(list(map(repr, column)), return_inverse=True)[1]
        for column in zip(*rows, strict=True)
    ]
    for (i, one), (_, other) in itertools.combinations(enumerate(columns), 2):
        group = _components(one, other)
        if group.any():
            said = ((use.tree if i else use.within) for use in uses)
            once = set(zip(said, one.tolist(), other.tolist(), strict=True))
            if _unlikely(sorted((a, b) for _, a, b in once)):
                return list(zip(uses, group.tolist(), strict=True))
    return []


def _components(one: LongArray, other: LongArray) -> LongArray:
    """Number the groups of rows that are tied by equal values in either column."""
    first = int(one.max()) + 1
    size = first + int(other.max()) + 1
    ties = coo_array((np.ones(len(one)), (one, first + other)), shape=(size, size))
    _, group = connected_components(ties, directed=False)
    return np.unique(group[one], return_inverse=True)[1]


def _unlikely(rows: Sequence[tuple[int, int]]) -> bool:
    """Say whether no shuffle of what stands in the second place gives as many groups."""
    one, other = np.array(rows[:: 1 + len(rows) // _MOST_ROWS]).T
    groups = int(_components(one, other).max())
    draw = np.random.Generator(np.random.Philox(key=int(stream_key(0, "divided-rules"))))
    return groups > 0 and not any(
        _components(one, draw.permutation(other)).max() >= groups for _ in range(_SHUFFLED)
    )
