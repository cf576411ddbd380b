"""What may stand in which slot, by layers: a grammar to sample from.

Types that are fitted to how often children fill slots follow the training pairs in what they
leave out, too. Where training and test are put together differently on purpose, as in the MCD
splits of Keysers et al. (2020), the combinations that are left out are the test. So the grammar
for sampling looks at *whether* a child was seen in a slot, and generalises by these steps:

1. The height of a rule is the longest chain of rules seen below it. Slots of rules of one height
   that have a child in common are alike, and take each other's children; but slots in which rules
   recur, such as the second of ``A_1 M_2 ### M_2 A_1``, only those of other such slots.
2. Where a slot takes a rule, and the two have a child in common, that rule only adds to what it
   holds: the slot also takes whatever the rule holds. (In ``walk twice and run``, ``and`` holds
   ``NT_1 twice`` and ``walk``, which ``twice`` holds as well, so it takes all that ``twice`` does.)
3. What a slot lacks, and not by chance, it does not get where that is the rule of the slot itself,
   or one that this stands in, or if it is all phrases.
4. What applies later by every order of application that explains the pairs
   (:mod:`induction.synchronous.precedence`), a slot only gets if it was seen there.
5. Nothing else. No rule comes to stand below itself unless it was seen there.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import NamedTuple

import networkx as nx
import numpy as np

from grammar.arrays import BoolArray, FloatArray, LongArray, kernel
from grammar.synchronous.grammar import SynchronousGrammar
from grammar.synchronous.rule import SynchronousRule
from induction.synchronous.types import CHANCE, SMOOTHING, Families, Forests, TypeModel

__all__ = [
    "Apart",
    "best_cells",
    "best_edge",
    "layer_types",
    "layered_grammar",
    "rule_heights",
    "seen_children",
    "settled_children",
    "slot_layers",
]

_ROOT = 0
_ROUNDS = 50
_UNSEEN = 1e-3
"""Counted for what was not seen in a slot, so that it stays possible."""


class Apart(NamedTuple):
    """What must not be put together: families that slots do not take, and slots that tie none.

    ``kept_out`` has the shape (slots, families); a slot that is ``mixed`` holds what others hold
    that have nothing in common.
    """

    kept_out: BoolArray
    mixed: frozenset[int]


def seen_children(forests: Forests, model: TypeModel) -> FloatArray:
    """Count which families fill which slots in the best derivations of the training pairs.

    Returns
    -------
    float64 array, shape (slots, families)
        Row 0 is the root of derivations.
    """
    return best_cells(model.theta @ model.phi, *forests[:9])


def settled_children(
    forests: Forests, model: TypeModel, prior: FloatArray | float = 1.0
) -> FloatArray:
    """Count as :func:`seen_children` does, and again by the shares of what was counted.

    So on until the best derivations stay as they are. Where pairs have several derivations, these
    come to agree: what is rare in a slot is not counted where there is a way without.

    Parameters
    ----------
    forests, model : Forests, TypeModel
        The derivations, and the shares to begin with.
    prior : float64 array, shape (slots, families), optional
        By what all shares are multiplied.

    Returns
    -------
    float64 array, shape (slots, families)
        Row 0 is the root of derivations.
    """
    seen = best_cells(model.theta @ model.phi * prior, *forests[:9])
    for _ in range(_ROUNDS):
        counts = seen + _UNSEEN
        before, share = seen, counts / counts.sum(axis=1, keepdims=True)
        seen = best_cells(share * prior, *forests[:9])
        if (before == seen).all():
            break
    return seen


def slot_layers(
    seen: FloatArray, families: Families, apart: Apart | None = None
) -> tuple[LongArray, BoolArray]:
    """Group the slots, and close what each group may hold.

    Parameters
    ----------
    seen : float64 array, shape (slots, families)
        How often each family was seen in each slot.
    families : Families
        Which slots belong to which family.
    apart : Apart, optional
        What is not put together.

    Returns
    -------
    (int64 (slots,), bool (layers, families))
        The layer of every slot, that of the root being 0, and what the layers may hold.

    Examples
    --------
    >>> families = Families.of(["walk", "twice", "thrice", "and"], [0, 1, 1, 2])
    >>> seen = np.zeros((5, 4))
    >>> seen[0, 3] = 1.0  # and
    >>> seen[1, 0] = seen[2, 0] = 1.0  # walk twice, walk thrice
    >>> seen[3, [0, 1]] = seen[4, [0, 2]] = 1.0  # walk twice and walk, walk and walk thrice
    >>> layer, holds = slot_layers(seen, families)
    >>> layer.tolist()
    [0, 1, 1, 2, 2]
    >>> holds.tolist()
    [[False, False, False, True], [True, False, False, False], [True, True, True, False]]
    """
    owner = np.repeat(np.arange(len(families.size)), families.arity)
    found = _heights(seen, owner)
    words = families.arity == 0
    mixed = apart.mixed if apart is not None else frozenset()
    tied = functools.partial(_alike, seen, owner, *found, mixed)
    of_phrases = _slots_of_phrases(seen, tied(frozenset()), words, families)
    layer = tied(of_phrases)
    holds = np.zeros((layer.max() + 1, seen.shape[1]), dtype=bool)
    for slot in range(len(seen)):
        holds[layer[slot]] |= seen[slot] > 0
    lacking = _lacking(seen, layer, owner, found[1], words)
    if apart is not None:
        lacking = lacking | apart.kept_out
    layer, holds = _parted(layer, holds, lacking)
    kept_out = np.zeros_like(holds)
    np.logical_or.at(kept_out, layer, lacking)
    _close(holds, families, layer, kept_out & ~holds)
    for slot in of_phrases:
        holds[layer[slot]] &= ~words
    return layer, holds


def layered_grammar(
    rules: Sequence[SynchronousRule],
    families: Families,
    seen: FloatArray,
    apart: Apart,
) -> SynchronousGrammar:
    """Return the grammar whose types are the layers of slots.

    A layer gives each family that it may hold the number of times it was seen there plus one,
    shared equally among the rules of the family.
    """
    layer, holds = slot_layers(seen, families, apart)
    names = ["ROOT", *(f"L{k}" for k in range(1, len(holds)))]
    made = []
    for k, held in enumerate(holds):
        pooled = seen[layer == k].sum(axis=0)
        for rule, family in zip(rules, families.of_rule, strict=True):
            if held[family]:
                first = int(families.first_slot[family])
                below = [names[layer[first + i]] for i in range(rule.arity)]
                weight = (pooled[family] + 1.0) / float(families.size[family])
                made.append((rule.retyped(names[k], below), float(weight), 0))
    return SynchronousGrammar.from_rules(made, start=names[_ROOT], normalise=True)


def layer_types(
    families: Families, seen: FloatArray, prior: FloatArray, apart: Apart | None = None
) -> TypeModel:
    """Return types that are layers: what a layer does not hold is improbable in its slots.

    Parameters
    ----------
    families : Families
        Which slots belong to which family.
    seen : float64 array, shape (slots, families)
        How often each family was seen in each slot.
    prior : float64 array, shape (slots, families)
        How much what is not held counts; slots of a layer for which it differs get types of their
        own.
    apart : Apart, optional
        What is not put together.
    """
    layer, holds = slot_layers(seen, families, apart)
    rows, first, of_slot = np.unique(
        np.column_stack([layer, prior]), axis=0, return_index=True, return_inverse=True
    )
    pooled = np.eye(len(holds))[layer].T @ seen + holds
    counts = pooled[layer[first]] + SMOOTHING * rows[:, 1:]
    theta = np.eye(len(rows))[of_slot.ravel()]
    return TypeModel(theta, counts / counts.sum(axis=1, keepdims=True), -np.inf)


def rule_heights(seen: FloatArray, families: Families) -> list[int]:
    """Return the longest chain of families seen below each family."""
    height, _ = _heights(seen, np.repeat(np.arange(len(families.size)), families.arity))
    return [height[family] for family in range(len(families.size))]


def _heights(seen: FloatArray, owner: LongArray) -> tuple[dict[int, int], dict[int, int]]:
    """Return the longest chain below each family, and which families recur together.

    What recurs counts as one step.
    """
    below = nx.DiGraph()
    below.add_nodes_from(range(seen.shape[1]))
    below.add_edges_from((int(owner[s - 1]), int(f)) for s, f in np.argwhere(seen) if s != _ROOT)
    parts = nx.condensation(below)
    height: dict[int, int] = {}
    for part in reversed(list(nx.topological_sort(parts))):
        height[part] = max((1 + height[child] for child in parts.successors(part)), default=0)
    circle = parts.graph["mapping"]
    return {f: height[part] for f, part in circle.items()}, circle


def _slots_of_phrases(
    seen: FloatArray, layer: LongArray, words: BoolArray, families: Families
) -> frozenset[int]:
    """Return the slots without words that would get some which chance does not explain.

    They get words from slots of their layer, and from those of a rule that stands in them and in
    a slot of its own.
    """
    total, of_words = seen.sum(axis=1), seen[:, words].sum(axis=1)
    pooled = np.bincount(layer, of_words) / np.maximum(np.bincount(layer, total), 1.0)
    share = pooled[layer]
    for slot in np.flatnonzero(of_words == 0):
        below = [
            pooled[layer[other]]
            for family in np.flatnonzero(seen[slot])
            for other in range(families.first_slot[family], families.first_slot[family + 1])
            if seen[other, family]
        ]
        share[slot] = max(share[slot], min(below, default=0.0))
    chance = (1.0 - share) ** total
    return frozenset(np.flatnonzero((of_words == 0) & (chance <= CHANCE)).tolist())


def _lacking(
    seen: FloatArray,
    layer: LongArray,
    owner: LongArray,
    circle: dict[int, int],
    words: BoolArray,
) -> BoolArray:
    """Return the phrases that a slot has not and others of its layer have, if not by chance.

    They are all, of a slot of words. Of rules that recur they are the rule of the slot itself, and
    rules that it stands in: in ``x - y * z`` a product holds no difference, and the second slot of
    a difference none.
    """
    pooled = np.zeros((layer.max() + 1, seen.shape[1]))
    np.add.at(pooled, layer, seen)
    share = (pooled / np.maximum(pooled.sum(axis=1, keepdims=True), 1.0))[layer]
    total = seen.sum(axis=1)
    of_phrases = share[:, ~words].sum(axis=1)
    of_words = ~seen[:, ~words].any(axis=1) & ((1.0 - of_phrases) ** total <= CHANCE)
    missing = (seen == 0) & ((1.0 - share) ** total[:, None] <= CHANCE)
    within = {(int(owner[s - 1]), int(f)) for s, f in np.argwhere(seen) if s != _ROOT}
    for slot, family in np.argwhere(missing):
        above = int(owner[slot - 1])
        recurs = circle[above] == circle[family]
        missing[slot, family] = recurs and (above == family or (family, above) in within)
    return np.where(words, False, missing | of_words[:, None])


def _parted(layer: LongArray, holds: BoolArray, lacking: BoolArray) -> tuple[LongArray, BoolArray]:
    """Part slots of a layer by what they lack."""
    lacking = lacking & holds[layer]
    _, first, parted = np.unique(
        np.column_stack([layer, lacking]), axis=0, return_index=True, return_inverse=True
    )
    return parted.ravel(), holds[layer[first]] & ~lacking[first]


def _alike(
    seen: FloatArray,
    owner: LongArray,
    height: dict[int, int],
    circle: dict[int, int],
    mixed: frozenset[int],
    of_phrases: frozenset[int],
) -> LongArray:
    """Number the groups of slots of one height that are tied by common children; the root is 0.

    A slot in which rules recur is not tied to one in which they do not, nor one of phrases to one
    of words, and one that is mixed to none.
    """
    ties = nx.Graph()
    ties.add_nodes_from(range(len(seen)))
    held = [(int(s), int(owner[s - 1]), int(f)) for s, f in np.argwhere(seen) if s != _ROOT]
    recurring = {s for s, above, f in held if circle[above] == circle[f]}
    for s, above, f in held:
        if s not in mixed:
            ties.add_edge(s, ("child", height[above], s in recurring, s in of_phrases, f))
    layer = np.full(len(seen), -1)
    number = 0
    for slot in range(len(seen)):
        if layer[slot] < 0:
            tied = nx.node_connected_component(ties, slot)
            layer[[other for other in tied if not isinstance(other, tuple)]] = number
            number += 1
    return layer


def _close(holds: BoolArray, families: Families, layer: LongArray, kept_out: BoolArray) -> None:
    """Let each layer take what rules in it hold, where the two have a child in common."""
    before = -1
    while before != holds.sum():
        before = holds.sum()
        for held, out in zip(holds, kept_out, strict=True):
            for family in np.flatnonzero(held):
                slots = slice(families.first_slot[family], families.first_slot[family + 1])
                for other in layer[slots]:
                    if (held & holds[other]).any():
                        held |= holds[other] & ~out


@kernel()
def best_cells(
    share: FloatArray,
    node: LongArray,
    family: LongArray,
    weight: FloatArray,
    children: LongArray,
    child: LongArray,
    slot: LongArray,
    edges: LongArray,
    root: LongArray,
    pairs: FloatArray,
) -> FloatArray:
    """Count (slot, family) over the best derivation of each forest, by its number of pairs."""
    counts = np.zeros_like(share)
    # the edges of a node are a chain: the last one, and from each the one before
    last, before = np.full(node.max() + 1, -1), np.empty(len(node), np.int64)
    score, uses = np.zeros(len(node)), np.zeros(len(node))
    filler = np.zeros(len(child), np.int64)
    for i in range(len(root)):
        for e in range(edges[i], edges[i + 1]):
            score[e] = weight[e]
            for k in range(children[e], children[e + 1]):
                best, filler[k] = best_edge(share, slot[k], last[child[k]], before, family, score)
                score[e] *= best
            before[e], last[node[e]] = last[node[e]], e
        _, top = best_edge(share, 0, last[root[i]], before, family, score)
        uses[top] = pairs[i]
        counts[0, family[top]] += pairs[i]
        # children come first, so going back every edge is done before its children
        for e in range(edges[i + 1] - 1, edges[i] - 1, -1):
            if uses[e] > 0.0:
                for k in range(children[e], children[e + 1]):
                    counts[slot[k], family[filler[k]]] += uses[e]
                    uses[filler[k]] += uses[e]
    return counts


@kernel()
def best_edge(
    share: FloatArray,
    slot: int,
    edge: int,
    before: LongArray,
    family: LongArray,
    score: FloatArray,
) -> tuple[float, int]:
    """Return the value and the number of the best edge of a chain, in a slot."""
    best, found = -1.0, edge
    while edge >= 0:
        value = share[slot, family[edge]] * score[edge]
        if value > best:
            best, found = value, edge
        edge = before[edge]
    return best, found
