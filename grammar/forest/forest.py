"""Parse forests: all that a coarse grammar leaves to be decided, as columns.

A forest is a set of *nodes* (a label over a span) and of *edges* (a production from a node to its
one or two children). It comes from the chart of a coarse grammar, of which it keeps what is
probable enough (:func:`forest_of_chart`), or from trees, each of which is a forest with one edge
a node (:func:`forest_of_trees`). Finer models, whatever they add to the labels, are computed on
forests: training runs on the forests of given trees and parsing on those of charts, with the same
kernels.

The labels must have no cycles of unary productions, so that nodes can be ordered bottom-up.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from grammar.arrays import BoolArray, FloatArray, Index, IntArray, LongArray, kernel
from grammar.chart.derivations import derivation_below
from grammar.chart.kernels import Chart, cell_of
from grammar.chart.rules import ChartRules, Corner
from grammar.errors import WeightError
from grammar.trees.tree import Tree

__all__ = [
    "LEAF",
    "Forest",
    "best_below",
    "best_edges",
    "forest_of_chart",
    "has_tree",
    "leaves_of",
    "prune",
    "tree_of_edges",
]

LEAF = -1
"""The rule of a leaf's edge, the preterminal over a word."""


class Forest(NamedTuple):
    """Nodes bottom-up (children before parents), with their edges in compressed rows.

    Attributes
    ----------
    label, begin, end : int32 arrays, shape (nodes,)
        What a node is, and the words below it: ``begin`` to ``end - 1``.
    starts : int64 array, shape (nodes + 1,)
        Node v has the edges ``starts[v] : starts[v + 1]``.
    rule : int32 array, shape (edges,)
        The production; ``LEAF`` for a preterminal over its word.
    left, right : int32 arrays, shape (edges,)
        Child nodes; -1 where there is none.
    roots : int64 array
        The nodes above whole sentences.
    """

    label: IntArray
    begin: IntArray
    end: IntArray
    starts: LongArray
    rule: IntArray
    left: IntArray
    right: IntArray
    roots: LongArray


def forest_of_chart(
    chart: Chart,
    outside: FloatArray,
    rules: ChartRules,
    level: IntArray,
    start: int,
    threshold: float,
) -> Forest:
    """Keep the nodes of a chart whose posterior is at least the threshold, and edges among them.

    Where many derivations share the posterior, none of them may be left. Then the nodes of one
    stay as well, the one that takes the best edge at each step, so that there always is a tree.

    Parameters
    ----------
    chart : Chart
        Filled with sums; every unit is a nonterminal, words stand only below preterminals.
    outside : float64 array
        Its outside values.
    rules : ChartRules
        The edges it was filled with.
    level : int32 array, shape (units,)
        Units that unary rules lead to have a lower level than those they come from.
    start : int
        The unit over the whole sentence.
    threshold : float
        Least posterior probability of a node.
    """
    least = float(np.log(threshold))
    forest = _probable_part(chart, outside, rules, level, start, least)
    if has_tree(forest):
        return forest
    top = cell_of(0, len(chart.words))
    for begin, end, unit, _ in derivation_below(chart, rules, 0, len(chart.words), start):
        row = cell_of(begin, end)
        outside[row, unit] = chart.value[top, start] - chart.value[row, unit]  # a posterior of 1
    return _probable_part(chart, outside, rules, level, start, least)


def _probable_part(
    chart: Chart,
    outside: FloatArray,
    rules: ChartRules,
    level: IntArray,
    start: int,
    least: float,
) -> Forest:
    node_id, label, begin, end = _kept_nodes(chart, outside, level, start, least)
    units, begins = _kept_units(chart, node_id)
    edges = np.empty((4, 16 * len(label)), np.int32)
    count = _kept_edges(chart, rules, node_id, units, begins, edges)
    if count > edges.shape[1]:
        edges = np.empty((4, count), np.int32)
        _kept_edges(chart, rules, node_id, units, begins, edges)
    parent, rule, left, right = edges[:, :count]
    order = np.argsort(parent, kind="stable")
    starts = np.searchsorted(parent[order], np.arange(len(label) + 1)).astype(np.int64)
    root = np.array([node_id[cell_of(0, len(chart.words)), start]], np.int64)
    return Forest(label, begin, end, starts, rule[order], left[order], right[order], root)


def has_tree(forest: Forest) -> bool:
    """Say whether there is a derivation below the first root."""
    return bool(best_below(forest, np.zeros(len(forest.rule)))[0][forest.roots[0]] > -np.inf)


def leaves_of(forest: Forest) -> BoolArray:
    """Return which nodes are preterminals over their words."""
    leaf: BoolArray = np.diff(forest.starts) > 0
    leaf[leaf] = forest.rule[forest.starts[:-1][leaf]] == LEAF
    return leaf


def prune(forest: Forest, posterior: FloatArray, threshold: float) -> Forest:
    """Keep the edges whose posterior is at least the threshold, and the nodes that they need.

    The most probable edge of each node that is needed stays in any case, so a forest with a tree
    still has one. Where no edge has a posterior above zero, nothing is known, and all stays.
    """
    if not (posterior > 0.0).any():
        return forest
    kept, node_id, count = _needed(forest, posterior, threshold)
    nodes, edges = node_id >= 0, np.flatnonzero(kept)
    owner = np.repeat(np.arange(len(forest.label)), np.diff(forest.starts))
    starts = np.searchsorted(node_id[owner[edges]], np.arange(count + 1)).astype(np.int64)
    left, right = forest.left[edges], forest.right[edges]
    return Forest(
        forest.label[nodes],
        forest.begin[nodes],
        forest.end[nodes],
        starts,
        forest.rule[edges],
        np.where(left >= 0, node_id[left], -1).astype(np.int32),
        np.where(right >= 0, node_id[right], -1).astype(np.int32),
        node_id[forest.roots],
    )


def tree_of_edges(
    forest: Forest, edges: LongArray, names: Sequence[str], words: Sequence[str]
) -> Tree:
    """Return the tree of a derivation, given as edges in preorder."""
    owner = np.searchsorted(forest.starts, edges, side="right") - 1
    made: list[Tree] = []
    for edge, node in zip(edges.tolist()[::-1], owner.tolist()[::-1], strict=True):
        name = names[forest.label[node]]
        if forest.rule[edge] == LEAF:
            made.append(Tree(name, (words[forest.begin[node]],)))
        elif forest.right[edge] < 0:
            made.append(Tree(name, (made.pop(),)))
        else:
            made.append(Tree(name, (made.pop(), made.pop())))
    return made[0]


def best_edges(forest: Forest, score: FloatArray) -> tuple[LongArray, float]:
    """Return the edges of the tree with the largest sum of scores, in preorder, and that sum.

    Raises
    ------
    WeightError
        If no tree has a score above minus infinity.
    """
    best, choice = best_below(forest, score)
    root = int(forest.roots[0])
    if best[root] == -np.inf:
        raise WeightError(
            "no tree of the forest has a score",
            hint="a forest that was thinned keeps a tree, if it had one; give finite scores",
        )
    chosen = []
    stack = [root]
    while stack:
        edge = int(choice[stack.pop()])
        chosen.append(edge)
        if forest.right[edge] >= 0:
            stack.append(int(forest.right[edge]))
        if forest.left[edge] >= 0:
            stack.append(int(forest.left[edge]))
    return np.array(chosen, np.int64), float(best[root])


@kernel()
def _needed(
    forest: Forest, posterior: FloatArray, threshold: float
) -> tuple[BoolArray, LongArray, int]:
    """Return which edges stay, the new number of each node that stays (else -1), and how many."""
    nodes = len(forest.label)
    needed, kept = np.zeros(nodes, np.bool_), np.zeros(len(forest.rule), np.bool_)
    needed[forest.roots] = True
    for node in range(nodes - 1, -1, -1):
        first, last = forest.starts[node], forest.starts[node + 1]
        if not needed[node] or first == last:
            continue
        kept[first:last] = posterior[first:last] >= threshold
        kept[first + np.argmax(posterior[first:last])] = True
        for edge in range(first, last):
            if kept[edge]:
                if forest.left[edge] >= 0:
                    needed[forest.left[edge]] = True
                if forest.right[edge] >= 0:
                    needed[forest.right[edge]] = True
    node_id, count = np.full(nodes, -1), 0
    for node in range(nodes):
        if needed[node]:
            node_id[node] = count
            count += 1
    return kept, node_id, count


@kernel()
def best_below(forest: Forest, score: FloatArray) -> tuple[FloatArray, LongArray]:
    """Return the largest sum of scores below each node, and the edge that begins it."""
    nodes = len(forest.label)
    best, choice = np.full(nodes, -np.inf), np.full(nodes, -1)
    for node in range(nodes):
        for edge in range(forest.starts[node], forest.starts[node + 1]):
            value = score[edge]
            if forest.left[edge] >= 0:
                value += best[forest.left[edge]]
            if forest.right[edge] >= 0:
                value += best[forest.right[edge]]
            if value > best[node]:
                best[node], choice[node] = value, edge
    return best, choice


@kernel()
def _kept_nodes(
    chart: Chart, outside: FloatArray, level: IntArray, start: int, least: float
) -> tuple[IntArray, IntArray, IntArray, IntArray]:
    """Number the nodes that are probable enough, cell by cell and by level; table by row, unit."""
    n, value = len(chart.words), chart.value
    total = value[cell_of(0, n), start]
    node_id = np.full(value.shape, -1, np.int32)
    most = len(chart.present[: chart.bounds[-1]])
    label = np.empty(most, np.int32)
    begin, end = np.empty(most, np.int32), np.empty(most, np.int32)
    count = 0
    for stop in range(1, n + 1):
        for first in range(stop - 1, -1, -1):
            row = cell_of(first, stop)
            opened = count
            for unit in chart.present[chart.bounds[row] : chart.bounds[row + 1]]:
                if value[row, unit] + outside[row, unit] - total >= least:
                    # insertion by level; few units of a cell are kept
                    at = count
                    while at > opened and level[label[at - 1]] > level[unit]:
                        label[at] = label[at - 1]
                        at -= 1
                    label[at] = unit
                    begin[count], end[count] = first, stop
                    count += 1
            for node in range(opened, count):
                node_id[row, label[node]] = node
    return node_id, label[:count].copy(), begin[:count].copy(), end[:count].copy()


@kernel()
def _kept_units(chart: Chart, node_id: IntArray) -> tuple[IntArray, LongArray]:
    """Return the units of the nodes of each row, and where those of each row begin."""
    units, starts = np.empty(len(chart.present), np.int32), np.zeros(len(node_id) + 1, np.int64)
    count = 0
    for row in range(len(node_id)):
        for unit in chart.present[chart.bounds[row] : chart.bounds[row + 1]]:
            if node_id[row, unit] >= 0:
                units[count] = unit
                count += 1
        starts[row + 1] = count
    return units[:count].copy(), starts


@kernel()
def _kept_edges(
    chart: Chart, rules: ChartRules, node_id: IntArray, units: IntArray, starts: LongArray,
    edges: IntArray,
) -> Index:  # fmt: skip
    """Write parent, rule, left and right child of each edge between nodes; return their number.

    If there are more than ``edges`` has columns, only as many as fit are written.
    """
    n, none = len(chart.words), np.int32(-1)
    count: Index = np.int64(0)
    for stop in range(1, n + 1):
        for first in range(stop - 1, -1, -1):
            row = cell_of(first, stop)
            made = node_id[row]
            if first + 1 == stop:
                word = np.int32(chart.words[first])
                count = _join(
                    rules.lexical, rules.rule, word, none, made, made, edges, count, False
                )
            for i in range(starts[row], starts[row + 1]):
                near = made[units[i]]
                count = _join(
                    rules.unary, rules.rule, units[i], near, made, made, edges, count, False
                )
            for split in range(first + 1, stop):
                a, b = cell_of(first, split), cell_of(split, stop)
                if starts[b] == starts[b + 1]:
                    continue
                for i in range(starts[a], starts[a + 1]):
                    near, far = node_id[a, units[i]], node_id[b]
                    count = _join(
                        rules.left, rules.rule, units[i], near, far, made, edges, count, True
                    )
    return count


@kernel()
def _join(
    corner: Corner,
    rule: IntArray,
    unit: Index,
    near: Index,
    far_node: IntArray,
    made: IntArray,
    edges: IntArray,
    count: Index,
    paired: bool,
) -> Index:
    """Write the edges from a near child (and the nodes beside it) to the nodes above them."""
    for e in range(corner.starts[unit], corner.starts[unit + 1]):
        parent = made[corner.parent[e]]
        other = far_node[corner.far[e]] if paired else np.int32(-1)
        if parent >= 0 and (other >= 0 or not paired):
            if count < edges.shape[1]:
                edges[0, count] = parent
                edges[1, count] = LEAF if near < 0 else rule[corner.edge[e]]
                edges[2, count] = near
                edges[3, count] = other
            count += 1
    return count
