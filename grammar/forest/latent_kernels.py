"""Kernels over forests whose labels have latent states: inside, outside, posteriors and counts.

Every label has a number of states, and every production a block of weights: the probability of the
rule and the states of its children given the state of the parent. The block of ``A -> B C`` lies
at ``blocks[rule]`` in the weights, with the states of B, C and A as its axes (A last, so that the
innermost loops are over neighbouring numbers); that of ``A -> B`` likewise without C.

The values of a node are kept relative to ``exp(scale[node])``, chosen so that its largest inside
value is one; outside values are kept relative to the reciprocal. So nothing under- or overflows,
and a product of the two is a posterior probability.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from grammar.arrays import FloatArray, IntArray, LongArray, kernel
from grammar.forest.forest import Forest

__all__ = [
    "LatentRules",
    "edge_posteriors",
    "inside_states",
    "outside_states",
    "rule_uses",
    "set_leaves",
    "state_starts",
]


class LatentRules(NamedTuple):
    """Weights of productions over states.

    Attributes
    ----------
    states : int32 array, shape (labels,)
        How many states each label has.
    blocks : int64 array, shape (rules + 1,)
        Where the block of each rule begins.
    weight : float64 array
        The blocks, see the module's description.
    """

    states: IntArray
    blocks: LongArray
    weight: FloatArray


@kernel()
def state_starts(forest: Forest, states: IntArray) -> LongArray:
    """Return where the values of each node begin, shape (nodes + 1,)."""
    starts = np.zeros(len(forest.label) + 1, np.int64)
    for node in range(len(forest.label)):
        starts[node + 1] = starts[node] + states[forest.label[node]]
    return starts


@kernel()
def set_leaves(
    forest: Forest,
    leaf: LongArray,
    emission: FloatArray,
    at: LongArray,
    inside: FloatArray,
    scale: FloatArray,
) -> None:
    """Set the inside values of leaves to ``emission[leaf[node]]`` and the numbers after it."""
    for node in range(len(forest.label)):
        first = forest.starts[node]
        if first == forest.starts[node + 1] or forest.rule[first] >= 0:
            continue
        own = inside[at[node] : at[node + 1]]
        own[:] = emission[leaf[node] : leaf[node] + len(own)]
        most = own.max()
        scale[node] = -np.inf
        if most > 0.0:
            own /= most
            scale[node] = np.log(most)


@kernel()
def inside_states(
    forest: Forest, rules: LatentRules, at: LongArray, inside: FloatArray, scale: FloatArray
) -> None:
    """Fill the inside values; those of leaves are given (:func:`set_leaves`)."""
    weight = rules.weight
    for node in range(len(forest.label)):
        first, last = forest.starts[node], forest.starts[node + 1]
        if first < last and forest.rule[first] < 0:
            continue
        own = inside[at[node] : at[node + 1]]
        largest = -np.inf
        for edge in range(first, last):
            largest = max(largest, _below(forest, scale, edge))
        for edge in range(first, last):
            left, right = forest.left[edge], forest.right[edge]
            factor = np.exp(_below(forest, scale, edge) - largest)
            if not factor > 0.0:
                continue
            block = rules.blocks[forest.rule[edge]]
            for b in range(at[left], at[left + 1]):
                x = factor * inside[b]
                if right < 0:
                    block = _add(own, weight, block, x)
                    continue
                for c in range(at[right], at[right + 1]):
                    block = _add(own, weight, block, x * inside[c])
        most = own.max()
        scale[node] = -np.inf
        if most > 0.0:
            own /= most
            scale[node] = largest + np.log(most)


@kernel()
def outside_states(
    forest: Forest,
    rules: LatentRules,
    at: LongArray,
    inside: FloatArray,
    scale: FloatArray,
    outside: FloatArray,
) -> None:
    """Fill the outside values, given as zeros; those of roots are made here."""
    weight = rules.weight
    for root in forest.roots:
        total = inside[at[root] : at[root + 1]].sum()
        if total > 0.0:
            outside[at[root] : at[root + 1]] = 1.0 / total
    for node in range(len(forest.label) - 1, -1, -1):
        if scale[node] == -np.inf:
            continue  # no state of it derives anything, though its children may
        own = outside[at[node] : at[node + 1]]
        for edge in range(forest.starts[node], forest.starts[node + 1]):
            if forest.rule[edge] < 0:
                continue
            factor = np.exp(_below(forest, scale, edge) - scale[node])
            if not factor > 0.0:
                continue
            left, right = forest.left[edge], forest.right[edge]
            block = rules.blocks[forest.rule[edge]]
            for b in range(at[left], at[left + 1]):
                if right < 0:
                    outside[b] += factor * _dot(own, weight, block)
                    block += len(own)
                    continue
                sum_of, x = 0.0, factor * inside[b]
                for c in range(at[right], at[right + 1]):
                    around = _dot(own, weight, block)
                    sum_of += around * inside[c]
                    outside[c] += around * x
                    block += len(own)
                outside[b] += factor * sum_of


@kernel()
def edge_posteriors(
    forest: Forest,
    rules: LatentRules,
    at: LongArray,
    inside: FloatArray,
    scale: FloatArray,
    outside: FloatArray,
) -> FloatArray:
    """Return the posterior probability of every edge, summed over states."""
    posterior = np.zeros(len(forest.rule))
    for node in range(len(forest.label)):
        if scale[node] == -np.inf:
            continue
        own = outside[at[node] : at[node + 1]]
        for edge in range(forest.starts[node], forest.starts[node + 1]):
            if forest.rule[edge] < 0:
                posterior[edge] = (own * inside[at[node] : at[node + 1]]).sum()
                continue
            factor = np.exp(_below(forest, scale, edge) - scale[node])
            if not factor > 0.0:
                continue
            left, right = forest.left[edge], forest.right[edge]
            block, total = rules.blocks[forest.rule[edge]], 0.0
            for b in range(at[left], at[left + 1]):
                if right < 0:
                    total += inside[b] * _dot(own, rules.weight, block)
                    block += len(own)
                    continue
                for c in range(at[right], at[right + 1]):
                    total += inside[b] * inside[c] * _dot(own, rules.weight, block)
                    block += len(own)
            posterior[edge] = factor * total
    return posterior


@kernel()
def rule_uses(
    forest: Forest,
    rules: LatentRules,
    at: LongArray,
    inside: FloatArray,
    scale: FloatArray,
    outside: FloatArray,
    uses: FloatArray,
) -> None:
    """Add the expected uses of each rule with each states to ``uses`` (but for its weight).

    The weight is a factor of every term, so the caller multiplies the sums by it once.
    """
    for node in range(len(forest.label)):
        if scale[node] == -np.inf:
            continue  # no state of it derives anything, though its children may
        own = outside[at[node] : at[node + 1]]
        for edge in range(forest.starts[node], forest.starts[node + 1]):
            if forest.rule[edge] < 0:
                continue
            factor = np.exp(_below(forest, scale, edge) - scale[node])
            if not factor > 0.0:
                continue
            left, right = forest.left[edge], forest.right[edge]
            block = rules.blocks[forest.rule[edge]]
            for b in range(at[left], at[left + 1]):
                x = factor * inside[b]
                if right < 0:
                    for a in range(len(own)):
                        uses[block + a] += x * own[a]
                    block += len(own)
                    continue
                for c in range(at[right], at[right + 1]):
                    y = x * inside[c]
                    if y > 0.0:
                        for a in range(len(own)):
                            uses[block + a] += y * own[a]
                    block += len(own)


@kernel(inline="always")
def _below(forest: Forest, scale: FloatArray, edge: int) -> float:
    """Return the scale of an edge's children together."""
    below = scale[forest.left[edge]]
    if forest.right[edge] >= 0:
        below += scale[forest.right[edge]]
    return below


@kernel(inline="always")
def _add(own: FloatArray, weight: FloatArray, block: int, x: float) -> int:
    """Add one row of a block, times x, to the values of the parent; return where the next is."""
    if x > 0.0:
        for a in range(len(own)):
            own[a] += weight[block + a] * x
    return block + len(own)


@kernel(inline="always", fastmath=True)
def _dot(own: FloatArray, weight: FloatArray, block: int) -> float:
    """Return the product of one row of a block and the values of the parent."""
    total = 0.0
    for a in range(len(own)):
        total += own[a] * weight[block + a]
    return total
