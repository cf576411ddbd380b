"""Kernels over charts: inside and outside values, and expected uses of edges.

A chart has a row for every span and a column for every unit. The row of the span from ``i`` to
``j`` (words ``i`` to ``j - 1``) is :func:`cell_of`; rows lie in the order in which they are
filled, by end and then from right to left. Values are natural logarithms, -inf where there is no
derivation. Beside the dense values stands the list of the units present in each row.

A chart may be limited: then some units may not stand over some spans, neither as ends of unary
chains nor within them (:class:`Limits`).

One recursion serves two semirings: sums of probabilities, and best probabilities.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from grammar.arrays import BoolArray, FloatArray, Index, IntArray, LongArray, kernel
from grammar.chart.limits import EVERYTHING, NOTHING, Limits, descend, limit
from grammar.chart.rules import ChartRules, Corner
from grammar.chart.sums import NEGLIGIBLE, combine, settle, surround

__all__ = [
    "Chart",
    "cell_of",
    "empty_chart",
    "fill_chart",
    "outside_values",
    "uses_of_edges",
]


class Chart(NamedTuple):
    """Values of all spans of one sentence.

    Attributes
    ----------
    words : int64 array, shape (n,)
        Word numbers.
    value : float64 array, shape (n (n + 1) / 2, units)
        Logarithm of the inside (or best) probability.
    present : int32 array; bounds : int64 array, shape (rows + 1,)
        The units with a finite value in row r: ``present[bounds[r] : bounds[r + 1]]``.
    left_edges, right_edges : int64 arrays, shape (rows,)
        How many binary edges have one of them as left child, and as right child.
    limits : Limits
        What may stand in it.
    cut : bool array, shape (rows,)
        Rows where something else may not stand, so that unary chains are cut short.
    """

    words: LongArray
    value: FloatArray
    present: IntArray
    bounds: LongArray
    left_edges: LongArray
    right_edges: LongArray
    limits: Limits
    cut: BoolArray


def empty_chart(words: LongArray, units: int, limits: Limits | None = None) -> Chart:
    """Return a chart with room for a sentence and nothing in it."""
    rows = len(words) * (len(words) + 1) // 2
    # memory for the list is only taken up as far as it is written
    present = np.empty(rows * units, np.int32)
    value = np.full((rows, units), -np.inf)
    bounds, work = np.zeros(rows + 1, np.int64), np.zeros((2, rows), np.int64)
    if limits is None:
        groups, levels = np.zeros((0, 0), np.bool_), np.zeros(0, np.int8)
        limits = Limits(np.zeros(0, np.int32), groups, levels, -np.inf, np.zeros(0))
    cut = np.zeros(rows, np.bool_)
    return Chart(words, value, present, bounds, work[0], work[1], limits, cut)


@kernel(inline="always")
def cell_of(start: Index, end: Index) -> Index:
    """Return the row of a span."""
    row: Index = end * (end - 1) // 2 + end - 1 - start
    return row


@kernel()
def fill_chart(
    chart: Chart, rules: ChartRules, chains: Corner, maximise: bool, step_limit: int
) -> bool:
    """Fill an empty chart bottom-up, with sums or with the best values.

    A step is a binary edge that is met at a split of a span. If there are more than ``step_limit``
    of them, the chart is left as it is by then, and false returned.
    """
    words, value, present, bounds, left_edges, right_edges, limits, cut = chart
    units = value.shape[1]
    left, right, lexical = rules.left, rules.right, rules.lexical
    left_starts, right_starts = left.starts, right.starts
    top, total = np.full(units, -np.inf), np.ones(units)
    found = np.empty(units, np.int32)
    one = np.zeros(max(units, len(lexical.starts)))  # what an absent child is worth
    row = steps = 0
    for end in range(1, len(words) + 1):
        for start in range(end - 1, -1, -1):
            count = 0
            if steps > step_limit:
                return False
            level = limits.level[row] if len(limits.level) else EVERYTHING
            if level == NOTHING:
                row += 1
                bounds[row] = bounds[row - 1]
                continue
            if start + 1 == end:
                word = words[start:end].astype(np.int32)
                count = combine(lexical, word, one, one, top, total, found, count, maximise)
            for split in range(start + 1, end):
                a, b = cell_of(start, split), cell_of(split, end)
                steps += min(left_edges[a], right_edges[b])
                # an edge is met from its left or its right child, whichever side has fewer
                if left_edges[a] <= right_edges[b]:
                    near = present[bounds[a] : bounds[a + 1]]
                    count = combine(
                        left, near, value[a], value[b], top, total, found, count, maximise
                    )
                else:
                    near = present[bounds[b] : bounds[b + 1]]
                    count = combine(
                        right, near, value[b], value[a], top, total, found, count, maximise
                    )
            settle(top, total, found[:count])
            closed, outer = value[row], present[bounds[row] :]
            outers = 0
            if level == EVERYTHING:
                outers = combine(chains, found[:count], top, one, closed, total, outer, 0, maximise)
                settle(closed, total, outer[:outers])
            if level != EVERYTHING or limits.beam > -np.inf:
                outers = limit(
                    limits,
                    row,
                    rules.unary,
                    found[:count],
                    top,
                    closed,
                    outer,
                    outers,
                    cut,
                    maximise,
                )
            top[found[:count]] = -np.inf
            for i in range(outers):
                unit = outer[i]
                left_edges[row] += left_starts[unit + 1] - left_starts[unit]
                right_edges[row] += right_starts[unit + 1] - right_starts[unit]
            row += 1
            bounds[row] = bounds[row - 1] + outers
    return steps <= step_limit


@kernel()
def outside_values(
    chart: Chart, rules: ChartRules, chains: Corner, start: int, outside: FloatArray
) -> None:
    """Fill a table of the chart's shape, given as -inf, with the weight around each value."""
    words, value, present, bounds, left_edges, right_edges, _, cut = chart
    total = np.ones(value.shape)
    inner = np.empty(value.shape[1])
    outside[cell_of(0, len(words)), start] = 0.0
    for width in range(len(words), 0, -1):
        for begin in range(len(words) - width + 1):
            end = begin + width
            row = cell_of(begin, end)
            near = present[bounds[row] : bounds[row + 1]]
            above = outside[row]
            # what surrounds the span goes to the top of its unary chains: pass it down them
            settle(above, total[row], near)
            if cut[row]:
                descend(rules.unary, near, above)
            else:
                inner[near] = above[near]
                above[near] = -np.inf
                surround(chains, near, inner, above, total[row])
                settle(above, total[row], near)
            for split in range(begin + 1, end):
                a, b = cell_of(begin, split), cell_of(split, end)
                if left_edges[a] <= right_edges[b]:
                    near = present[bounds[a] : bounds[a + 1]]
                    _scatter(
                        rules.left, near, value[a], value[b], above,
                        outside[a], total[a], outside[b], total[b],
                    )  # fmt: skip
                else:
                    near = present[bounds[b] : bounds[b + 1]]
                    _scatter(
                        rules.right, near, value[b], value[a], above,
                        outside[b], total[b], outside[a], total[a],
                    )  # fmt: skip


@kernel()
def uses_of_edges(
    chart: Chart, rules: ChartRules, outside: FloatArray, log_total: float, uses: FloatArray
) -> None:
    """Add the expected number of uses of each edge in a derivation of the sentence to ``uses``."""
    words, value, present, bounds, left_edges, right_edges, _, _ = chart
    one = np.zeros(max(value.shape[1], len(rules.lexical.starts)))
    for end in range(1, len(words) + 1):
        word = words[end - 1 : end].astype(np.int32)
        above = outside[cell_of(end - 1, end)] - log_total
        _use(rules.lexical, word, one, one, above, uses)
        for start in range(end):
            row = cell_of(start, end)
            above = outside[row] - log_total
            near = present[bounds[row] : bounds[row + 1]]
            _use(rules.unary, near, value[row], one, above, uses)
            for split in range(start + 1, end):
                a, b = cell_of(start, split), cell_of(split, end)
                if left_edges[a] <= right_edges[b]:
                    near = present[bounds[a] : bounds[a + 1]]
                    _use(rules.left, near, value[a], value[b], above, uses)
                else:
                    near = present[bounds[b] : bounds[b + 1]]
                    _use(rules.right, near, value[b], value[a], above, uses)


@kernel()
def _scatter(
    corner: Corner,
    near: IntArray,
    near_value: FloatArray,
    far_value: FloatArray,
    above: FloatArray,
    near_top: FloatArray,
    near_total: FloatArray,
    far_top: FloatArray,
    far_total: FloatArray,
) -> None:
    """Add to near and far units what surrounds them within the parents that they make together."""
    starts, far, parent, weight, _ = corner
    for i in range(len(near)):
        unit = near[i]
        base = near_value[unit]
        largest, sum_of = near_top[unit], near_total[unit]
        for e in range(starts[unit], starts[unit + 1]):
            around = above[parent[e]]
            if around > -np.inf:
                other = far[e]
                if far_value[other] > -np.inf:
                    term = around + weight[e] + far_value[other]
                    if term > largest:
                        sum_of = sum_of * np.exp(largest - term) + 1.0 if largest > -np.inf else 1.0
                        largest = term
                    elif term - largest > NEGLIGIBLE:
                        sum_of += np.exp(term - largest)
                    term = around + weight[e] + base
                    most = far_top[other]
                    if term > most:
                        if most > -np.inf:
                            far_total[other] = far_total[other] * np.exp(most - term) + 1.0
                        far_top[other] = term
                    elif term - most > NEGLIGIBLE:
                        far_total[other] += np.exp(term - most)
        near_top[unit], near_total[unit] = largest, sum_of


@kernel()
def _use(
    corner: Corner,
    near: IntArray,
    near_value: FloatArray,
    far_value: FloatArray,
    parent_value: FloatArray,
    uses: FloatArray,
) -> None:
    """Add the probability of every edge between near, far and parent units to its uses."""
    starts, far, parent, weight, edge = corner
    for i in range(len(near)):
        base = near_value[near[i]]
        for e in range(starts[near[i]], starts[near[i] + 1]):
            above = parent_value[parent[e]]
            if above > -np.inf:
                other = far_value[far[e]]
                if other > -np.inf:
                    uses[edge[e]] += np.exp(above + base + other + weight[e])
