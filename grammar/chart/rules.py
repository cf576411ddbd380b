"""The edges of a chart as columns, sorted in every way in which kernels meet them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from grammar.arrays import FloatArray, IntArray, LongArray

__all__ = ["FIRST", "PARENT", "RULE", "SECOND", "ChartRules", "Corner", "corner_of", "row_starts"]

PARENT, FIRST, SECOND, RULE = range(4)
"""Columns of a table of edges; -1 where there is no second child or no rule."""


class Corner(NamedTuple):
    """Edges in compressed rows by one of their children, the near one.

    Unit (or word) x is the near child of the entries ``starts[x] : starts[x + 1]``; ``far`` is
    the other child (0 if there is none), ``parent`` the unit that they make, ``weight`` a natural
    logarithm, ``edge`` the number of the edge.
    """

    starts: LongArray
    far: IntArray
    parent: IntArray
    weight: FloatArray
    edge: LongArray


class ChartRules(NamedTuple):
    """The edges: binary ones are numbered first, then unary ones, then lexical ones.

    Attributes
    ----------
    left, right : Corner
        Binary edges by left and by right child.
    unary, lexical : Corner
        Unary edges by child, lexical edges by word.
    binary_starts, binary_edges : int64 arrays
        Unit x heads the binary edges ``binary_edges[binary_starts[x] : binary_starts[x + 1]]``.
    unary_starts, unary_edges : int64 arrays
        Likewise.
    first, second : int32 arrays, shape (edges,)
        Children: units, or the word of a lexical edge; -1 where there is no second child.
    rule : int32 array, shape (edges,)
        Number of the rule in the grammar; -1 for edges that cost nothing.
    weight : float64 array, shape (edges,)
        Natural logarithm of the weight.
    """

    left: Corner
    right: Corner
    unary: Corner
    lexical: Corner
    binary_starts: LongArray
    binary_edges: LongArray
    unary_starts: LongArray
    unary_edges: LongArray
    first: IntArray
    second: IntArray
    rule: IntArray
    weight: FloatArray


def corner_of(
    rows: LongArray, first: int, weight: FloatArray, near: int, far: int, count: int
) -> Corner:
    """Sort edges, numbered from ``first`` on, by one of their columns."""
    # the far children of a near one in order, so that their values are met in order
    order = np.lexsort((rows[:, far], rows[:, near]))
    edge = order.astype(np.int64) + first
    return Corner(
        starts=row_starts(rows[order, near], count),
        far=np.maximum(rows[order, far], 0).astype(np.int32),
        parent=rows[order, PARENT].astype(np.int32),
        weight=weight[edge],
        edge=edge,
    )


def row_starts(sorted_ids: LongArray, count: int) -> LongArray:
    """Return where each id begins in a sorted column, shape (count + 1,)."""
    return np.searchsorted(sorted_ids, np.arange(count + 1)).astype(np.int64)
