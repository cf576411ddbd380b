"""Closures of unary rules: what chains of them lead to, with the best and with all weight."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp
import scipy.sparse.csgraph

from grammar.arrays import BoolArray, FloatArray, LongArray
from grammar.chart_rules import FIRST, PARENT, Corner, row_starts

__all__ = ["cyclic_units", "unary_chains", "unary_graph"]

_CONVERGED = 1e-17


def unary_graph(table: LongArray, log_weight: FloatArray, units: int) -> sp.csr_array:
    """Return the weights of unary edges as a matrix [parent, child]."""
    entries = (np.exp(log_weight), (table[:, PARENT], table[:, FIRST]))
    return sp.csr_array(sp.coo_array(entries, shape=(units, units)))


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
    total = _sum_of_chains(within).tocoo()
    parent = np.concatenate((inner[total.row], alone))
    child = np.concatenate((inner[total.col], alone))
    # of the best chains, those of the pairs that some chain connects
    best = np.concatenate((_best_chains(within)[total.row, total.col], np.zeros(len(alone))))
    every = np.concatenate((np.log(total.data), np.zeros(len(alone))))
    return _corner(parent, child, best, units), _corner(parent, child, every, units)


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


def _best_chains(graph: sp.csr_array) -> FloatArray:
    """Return the logarithm of the weight of the best chain [parent, child]; -inf if none."""
    if not graph.shape[0]:
        return np.zeros((0, 0))
    cost = graph.copy()
    # a weight of one costs nothing, but must not look like the absence of an edge
    cost.data = np.maximum(-np.log(cost.data), np.finfo(float).tiny)
    shortest: FloatArray = -scipy.sparse.csgraph.dijkstra(cost)
    return np.where(np.abs(shortest) < 1e-300, 0.0, shortest)


def _corner(parent: LongArray, child: LongArray, log_weight: FloatArray, units: int) -> Corner:
    order = np.lexsort((parent, child))
    return Corner(
        starts=row_starts(child[order], units),
        far=np.zeros(len(order), np.int32),
        parent=parent[order].astype(np.int32),
        weight=log_weight[order],
        edge=np.full(len(order), -1, np.int64),
    )
