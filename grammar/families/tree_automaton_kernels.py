"""Kernels over forests for tree automata: sparse inside and outside values, and edge posteriors.

A node has values for the few states in which the trees below it can leave an automaton. State 0
is *complete*: a derivation of the node's label is finished there. Values are kept relative to
``exp(scale[node])``, chosen so that the largest inside value of a node is one; outside values are
kept relative to the reciprocal, so that products of the two are posteriors.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from grammar.arrays import FloatArray, Index, IntArray, LongArray, kernel
from grammar.forest.forest import LEAF, Forest

__all__ = ["COMPLETE", "NOBODY", "Transitions", "inside_sparse", "posteriors_sparse"]

COMPLETE, NOBODY = 0, 1
"""State of what is finished, and the state that stands for the second child of unary rules."""


class Transitions(NamedTuple):
    """What a tree automaton does: rows of transitions by rule and state of the first child.

    Attributes
    ----------
    key : int64 array, shape (rows,)
        Sorted; ``rule * states + state``.
    starts : int64 array, shape (rows + 1,)
        The transitions of row i are ``starts[i] : starts[i + 1]``.
    second, result : int32 arrays, shape (transitions,)
        State of the second child (NOBODY if there is none), and of the parent.
    finish : float64 array, shape (states,)
        Weight with which a state is complete; 0 if it is not.
    """

    key: LongArray
    starts: LongArray
    second: IntArray
    result: IntArray
    finish: FloatArray


@kernel()
def inside_sparse(
    forest: Forest,
    auto: Transitions,
    leaf_starts: LongArray,
    leaf_state: IntArray,
    leaf_value: FloatArray,
) -> tuple[LongArray, IntArray, FloatArray, FloatArray]:
    """Return where the states of each node begin, the states, their values, and the scales.

    Leaf v has the states ``leaf_starts[v] : leaf_starts[v + 1]`` with their values.
    """
    nodes, states = len(forest.label), len(auto.finish)
    at, scale = np.zeros(nodes + 1, np.int64), np.full(nodes, -np.inf)
    state, value = np.empty(4096, np.int32), np.empty(4096)
    made, seconds = np.zeros(states), np.zeros(states)
    seconds[NOBODY] = 1.0
    found = np.empty(states, np.int32)
    for node in range(nodes):
        first, last = forest.starts[node], forest.starts[node + 1]
        count, largest = 0, 0.0
        if first < last and forest.rule[first] == LEAF:
            for i in range(leaf_starts[node], leaf_starts[node + 1]):
                count = _gain(made, found, count, leaf_state[i], leaf_value[i])
        else:
            largest = -np.inf
            for edge in range(first, last):
                largest = max(largest, _below(forest, scale, edge))
            for edge in range(first, last):
                factor = np.exp(_below(forest, scale, edge) - largest)
                if not factor > 0.0:
                    continue
                left, right = forest.left[edge], forest.right[edge]
                if right >= 0:
                    for i in range(at[right], at[right + 1]):
                        seconds[state[i]] = value[i]
                for i in range(at[left], at[left + 1]):
                    row = _row(auto.key, forest.rule[edge] * states + state[i])
                    if row < 0:
                        continue
                    x = factor * value[i]
                    for t in range(auto.starts[row], auto.starts[row + 1]):
                        y = x * seconds[auto.second[t]]
                        if y > 0.0:
                            count = _gain(made, found, count, auto.result[t], y)
                if right >= 0:
                    for i in range(at[right], at[right + 1]):
                        seconds[state[i]] = 0.0
            for i in range(count):
                if auto.finish[found[i]] > 0.0:
                    finished = made[found[i]] * auto.finish[found[i]]
                    count = _gain(made, found, count, COMPLETE, finished)
        while len(state) < at[node] + count:
            state = np.concatenate((state, np.empty_like(state)))
            value = np.concatenate((value, np.empty_like(value)))
        most = 0.0
        for i in range(count):
            most = max(most, made[found[i]])
        for i in range(count):
            state[at[node] + i] = found[i]
            value[at[node] + i] = made[found[i]] / most
            made[found[i]] = 0.0
        at[node + 1] = at[node] + count
        if most > 0.0:
            scale[node] = largest + np.log(most)
    return at, state[: at[nodes]].copy(), value[: at[nodes]].copy(), scale


@kernel()
def posteriors_sparse(
    forest: Forest,
    auto: Transitions,
    at: LongArray,
    state: IntArray,
    value: FloatArray,
    scale: FloatArray,
) -> FloatArray:
    """Return the posterior of every edge, given that the roots are complete."""
    states = len(auto.finish)
    outside, posterior = np.zeros(len(state)), np.zeros(len(forest.rule))
    seconds, around = np.zeros(states), np.zeros(states)
    above = np.zeros(states)
    seconds[NOBODY] = 1.0
    for root in forest.roots:
        for i in range(at[root], at[root + 1]):
            if state[i] == COMPLETE:
                outside[i] = 1.0 / value[i]
    for node in range(len(forest.label) - 1, -1, -1):
        complete = 0.0
        for i in range(at[node], at[node + 1]):
            if state[i] == COMPLETE:
                complete = outside[i]
        first, last = forest.starts[node], forest.starts[node + 1]
        if first < last and forest.rule[first] == LEAF:
            # a leaf's completion is given, not made by a transition
            for i in range(at[node], at[node + 1]):
                posterior[first] += outside[i] * value[i]
            continue
        for i in range(at[node], at[node + 1]):
            above[state[i]] = outside[i] + auto.finish[state[i]] * complete
        above[COMPLETE] = complete
        for edge in range(first, last):
            factor = np.exp(_below(forest, scale, edge) - scale[node])
            if not factor > 0.0:
                continue
            left, right = forest.left[edge], forest.right[edge]
            if right >= 0:
                for i in range(at[right], at[right + 1]):
                    seconds[state[i]] = value[i]
            for i in range(at[left], at[left + 1]):
                row = _row(auto.key, forest.rule[edge] * states + state[i])
                if row < 0:
                    continue
                sum_of = 0.0
                for t in range(auto.starts[row], auto.starts[row + 1]):
                    second = auto.second[t]
                    if seconds[second] > 0.0 and above[auto.result[t]] > 0.0:
                        x = factor * above[auto.result[t]]
                        around[second] += x * value[i]
                        sum_of += x * seconds[second]
                outside[i] += sum_of
                posterior[edge] += sum_of * value[i]
            around[NOBODY] = 0.0
            if right >= 0:
                for i in range(at[right], at[right + 1]):
                    outside[i] += around[state[i]]
                    around[state[i]] = seconds[state[i]] = 0.0
        for i in range(at[node], at[node + 1]):
            above[state[i]] = 0.0
        above[COMPLETE] = 0.0
    return posterior


@kernel(inline="always")
def _gain(made: FloatArray, found: IntArray, count: int, state: Index, x: float) -> int:
    """Add to the value of a state; return how many states have one."""
    if made[state] == 0.0 and x > 0.0:
        found[count] = state
        count += 1
    made[state] += x
    return count


@kernel()
def _row(key: LongArray, wanted: Index) -> int:
    """Return the row with a key, or -1."""
    row = int(np.searchsorted(key, wanted))
    return row if row < len(key) and key[row] == wanted else -1


@kernel(inline="always")
def _below(forest: Forest, scale: FloatArray, edge: Index) -> float:
    below = scale[forest.left[edge]]
    if forest.right[edge] >= 0:
        below += scale[forest.right[edge]]
    return below
