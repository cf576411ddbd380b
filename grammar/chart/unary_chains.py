"""Closures of unary rules: what chains of them lead to, with the best and with all weight."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp
import scipy.sparse.csgraph

from grammar.arrays import BoolArray, FloatArray, IntArray, LongArray
from grammar.chart.rules import FIRST, PARENT, Corner, row_starts

__all__ = ["best_unary_graph", "cyclic_units", "returns_among", "unary_chains", "unary_graph"]

_CONVERGED = 1e-17
_FREE = 1e-300
"""Chains that cost less have the weight one."""
_BLOCK = 256
"""So many rows of shortest paths are held at a time."""


def unary_graph(table: LongArray, log_weight: FloatArray, units: int) -> sp.csr_array:
    """Return the weights of unary edges as a matrix [parent, child]."""
    entries = (np.exp(log_weight), (table[:, PARENT], table[:, FIRST]))
    return sp.csr_array(sp.coo_array(entries, shape=(units, units)))


def best_unary_graph(graph: sp.csr_array, table: LongArray, log_weight: FloatArray) -> sp.csr_array:
    """Return the matrix of unary edges with the best weight, not the sum, of parallel edges."""
    heads = table[:, [PARENT, FIRST]]
    order = np.lexsort((-log_weight, heads[:, 1], heads[:, 0]))
    _, first = np.unique(heads[order], axis=0, return_index=True)
    best = order[first]
    entries = (np.exp(log_weight[best]), (heads[best, 0], heads[best, 1]))
    return sp.csr_array(sp.coo_array(entries, shape=graph.shape))


def cyclic_units(graph: sp.csr_array) -> BoolArray:
    """Return which units can derive themselves by one or more unary edges.

    >>> cyclic_units(unary_graph(np.array([[0, 1], [1, 0], [2, 0]]), np.log([0.5] * 3), 3)).tolist()
    [True, True, False]
    """
    _, component = scipy.sparse.csgraph.connected_components(graph, connection="strong")
    cyclic: BoolArray = (np.bincount(component)[component] > 1) | (graph.diagonal() > 0)
    return cyclic


def unary_chains(graph: sp.csr_array) -> tuple[Corner, Corner]:
    """Return the best chains of unary edges and the sums of all, by their last unit.

    The chain of no edges belongs to both. The spectral radius of the graph must be below one.

    >>> best, every = unary_chains(unary_graph(np.array([[0, 1], [1, 0]]), np.log([0.5, 0.5]), 2))
    >>> np.exp(best.weight).round(6).tolist(), np.exp(every.weight).round(6).tolist()
    ([1.0, 0.5, 0.5, 1.0], [1.333333, 0.666667, 0.666667, 1.333333])
    """
    units = graph.shape[0]
    joined = np.zeros(units, np.bool_)
    joined[graph.nonzero()[0]] = joined[graph.nonzero()[1]] = True
    inner, alone = np.flatnonzero(joined), np.flatnonzero(~joined)
    within = sp.csr_array(graph[inner][:, inner])
    row, column, best, total = _chains(within)
    nothing = np.zeros(len(alone))
    parent = np.concatenate((inner[row], alone))
    child = np.concatenate((inner[column], alone))
    return (
        _corner(parent, child, np.concatenate((best, nothing)), units),
        _corner(parent, child, np.concatenate((total, nothing)), units),
    )


def returns_among(unary: Corner, units: IntArray) -> FloatArray:
    """Return the logarithm of the weight of all chains from each unit back to itself.

    Only chains that stay among these units count; the chain of no edges does.
    """
    place = {unit: i for i, unit in enumerate(units.tolist())}
    graph = np.zeros((len(units), len(units)))
    for unit, i in place.items():
        for e in range(unary.starts[unit], unary.starts[unit + 1]):
            if int(unary.parent[e]) in place:
                graph[place[int(unary.parent[e])], i] += np.exp(unary.weight[e])
    return np.log(np.diag(np.linalg.inv(np.eye(len(units)) - graph)))


def _sum_of_chains(graph: sp.csr_array) -> sp.csr_array:
    """Return I + U + U^2 + ... by doubling; sums of positive terms only, so no digits are lost."""
    power = graph
    total = sp.csr_array(sp.eye_array(graph.shape[0], format="csr")) + graph
    while power.nnz:
        power = sp.csr_array(power @ power)
        more = sp.csr_array(power @ total)
        larger = sp.csr_array(total + more)
        settled = len(larger.data) == len(total.data) and more.nnz <= total.nnz
        if settled and (more - _CONVERGED * total).max() <= 0.0:
            break
        total = larger
    return total


def _chains(graph: sp.csr_array) -> tuple[LongArray, LongArray, FloatArray, FloatArray]:
    """Return the pairs [parent, child] that chains connect, their best chains and their sums."""
    cost = graph.copy()
    # a weight of one costs nothing, but must not look like the absence of an edge
    cost.data = np.maximum(-np.log(cost.data), np.finfo(float).tiny)
    sums = _sum_of_chains(graph)
    found = [(np.zeros(0, np.int64), np.zeros(0, np.int64), np.zeros(0), np.zeros(0))]
    for first in range(0, graph.shape[0], _BLOCK):
        parents = np.arange(first, min(first + _BLOCK, graph.shape[0]))
        shortest = scipy.sparse.csgraph.dijkstra(cost, indices=parents)
        row, column = np.nonzero(np.isfinite(shortest))
        distance = shortest[row, column]
        best = np.where(distance < _FREE, 0.0, -distance)
        with np.errstate(divide="ignore"):
            total = np.log(sums[parents].toarray()[row, column])
        # a sum too small for a number is still known by the logarithm of its largest term
        found.append((parents[row], column, best, np.maximum(total, best)))
    rows, columns, bests, totals = map(np.concatenate, zip(*found, strict=True))
    return rows, columns, bests, totals


def _corner(parent: LongArray, child: LongArray, log_weight: FloatArray, units: int) -> Corner:
    order = np.lexsort((parent, child))
    return Corner(
        starts=row_starts(child[order], units),
        far=np.zeros(len(order), np.int32),
        parent=parent[order].astype(np.int32),
        weight=log_weight[order],
        edge=np.full(len(order), -1, np.int64),
    )
