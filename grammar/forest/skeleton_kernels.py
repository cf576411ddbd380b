"""Charts of skeletons, filled quickly: with a beam, and in numbers rather than logarithms.

The values of a span are kept relative to ``exp(scale[row])``, chosen so that the largest is one.
What the beam drops is improbable, so a chart without a derivation is no proof that there is none:
then the exact one (:func:`grammar.chart.kernels.fill_chart`) is filled.
"""

from __future__ import annotations

import numpy as np

from grammar.arrays import FloatArray, IntArray, kernel
from grammar.chart.kernels import Chart, cell_of
from grammar.chart.rules import ChartRules, Corner

__all__ = ["fill_with_beam", "outside_with_beam"]

_ACTIVE = 1e-5
"""Posterior probability of a node below which nothing is passed on to its children."""


@kernel()
def fill_with_beam(
    chart: Chart, rules: ChartRules, chains: Corner, prior: FloatArray, beam: float,
    step_limit: int, linear: FloatArray, scale: FloatArray,
) -> bool:  # fmt: skip
    """Fill an empty chart bottom-up with sums; the weights of rules and chains are no logarithms.

    Parameters
    ----------
    chart, rules, chains, step_limit
        As :func:`grammar.chart.kernels.fill_chart` takes them.
    prior : float64 array, shape (units,)
        How frequent each unit is.
    beam : float
        Share of the largest product of value and prior over a span below which units are dropped.
    linear : float64 array, shape (rows, units); scale : float64 array, shape (rows,)
        The values, which are filled in.
    """
    words, value, present, bounds, left_edges, right_edges, _, _ = chart
    units = value.shape[1]
    made, closed = np.zeros(units), np.zeros(units)
    found, outer = np.empty(units, np.int32), np.empty(units, np.int32)
    row = steps = 0
    for end in range(1, len(words) + 1):
        for start in range(end - 1, -1, -1):
            if steps > step_limit:
                return False
            count, top = 0, -np.inf
            for split in range(start + 1, end):
                top = max(top, scale[cell_of(start, split)] + scale[cell_of(split, end)])
            if start + 1 == end:
                count, top = _leaves(rules.lexical, words[start], made, found)
            for split in range(start + 1, end):
                a, b = cell_of(start, split), cell_of(split, end)
                factor = np.exp(scale[a] + scale[b] - top)
                steps += min(left_edges[a], right_edges[b])
                if not factor > 0.0:
                    continue
                x, y = linear[a], linear[b]
                if left_edges[a] <= right_edges[b]:
                    near = present[bounds[a] : bounds[a + 1]]
                    count = _join(rules.left, near, x, y, factor, made, found, count)
                else:
                    near = present[bounds[b] : bounds[b + 1]]
                    count = _join(rules.right, near, y, x, factor, made, found, count)
            outers = 0
            for i in range(count):
                unit = found[i]
                mass, made[unit] = made[unit], 0.0
                for e in range(chains.starts[unit], chains.starts[unit + 1]):
                    parent = chains.parent[e]
                    if closed[parent] == 0.0:
                        outer[outers] = parent
                        outers += 1
                    closed[parent] += mass * chains.weight[e]
            best = most = 0.0
            for i in range(outers):
                best = max(best, closed[outer[i]] * prior[outer[i]])
                most = max(most, closed[outer[i]])
            kept = bounds[row]
            scale[row] = top + np.log(most) if most > 0.0 else -np.inf
            for i in range(outers):
                unit = outer[i]
                if closed[unit] * prior[unit] >= beam * best and closed[unit] > 0.0:
                    linear[row, unit] = closed[unit] / most
                    value[row, unit] = top + np.log(closed[unit])
                    present[kept] = unit
                    left_edges[row] += rules.left.starts[unit + 1] - rules.left.starts[unit]
                    right_edges[row] += rules.right.starts[unit + 1] - rules.right.starts[unit]
                    kept += 1
                closed[unit] = 0.0
            row += 1
            bounds[row] = kept
    return steps <= step_limit


@kernel()
def _leaves(lexical: Corner, word: int, made: FloatArray, found: IntArray) -> tuple[int, float]:
    """Write the units over a word; return their number, and the logarithm of the largest."""
    first, last = lexical.starts[word], lexical.starts[word + 1]
    top = -np.inf
    for e in range(first, last):
        top = max(top, lexical.weight[e])
    for e in range(first, last):
        made[lexical.parent[e]] = np.exp(lexical.weight[e] - top)
        found[e - first] = lexical.parent[e]
    return last - first, top


@kernel()
def _join(
    corner: Corner, near: IntArray, near_value: FloatArray, far_value: FloatArray, factor: float,
    made: FloatArray, found: IntArray, count: int,
) -> int:  # fmt: skip
    """Add what near and far units make; return how many units were found, new ones included."""
    starts, far, parent, weight, _ = corner
    for unit in near:
        x = factor * near_value[unit]
        for e in range(starts[unit], starts[unit + 1]):
            y = far_value[far[e]]
            if y > 0.0:
                above = parent[e]
                if made[above] == 0.0:
                    found[count] = above
                    count += 1
                made[above] += x * y * weight[e]
    return count


@kernel()
def outside_with_beam(
    chart: Chart, rules: ChartRules, chains: Corner, start: int, threshold: float,
    linear: FloatArray, scale: FloatArray, outside: FloatArray,
) -> None:  # fmt: skip
    """Fill a table of the chart's shape, given as -inf, with the logarithms of outside values.

    Only those of nodes with a posterior of at least the threshold are filled in; the weights of
    rules and chains are no logarithms.
    """
    words, value, present, bounds, left_edges, right_edges, _, _ = chart
    units = value.shape[1]
    around, above, inner = np.zeros(value.shape), np.zeros(units), np.zeros(units)
    root = cell_of(0, len(words))
    total = value[root, start]
    around[root, start] = 1.0 / linear[root, start]
    for width in range(len(words), 0, -1):
        for begin in range(len(words) - width + 1):
            end = begin + width
            row = cell_of(begin, end)
            near = present[bounds[row] : bounds[row + 1]]
            edges, likely = 0, 0.0
            for unit in near:
                likely = max(likely, around[row, unit] * linear[row, unit])
            if likely < _ACTIVE:
                continue
            for unit in near:
                inner[unit] = around[row, unit]
            for unit in near:
                x = 0.0
                for e in range(chains.starts[unit], chains.starts[unit + 1]):
                    x += inner[chains.parent[e]] * chains.weight[e]
                around[row, unit] = x
                posterior = x * linear[row, unit]
                if posterior >= threshold:
                    outside[row, unit] = np.log(x) - scale[row] + total
                if posterior >= _ACTIVE:
                    above[unit] = x
                    edges += rules.binary_starts[unit + 1] - rules.binary_starts[unit]
            for unit in near:
                inner[unit] = 0.0
            if edges > 0:
                for split in range(begin + 1, end):
                    a, b = cell_of(begin, split), cell_of(split, end)
                    factor = np.exp(scale[a] + scale[b] - scale[row])
                    if not factor > 0.0:
                        continue
                    fewest = min(left_edges[a], right_edges[b])
                    if edges <= fewest:
                        _descend(
                            rules, near, above, factor, linear[a], linear[b], around[a], around[b]
                        )
                    elif left_edges[a] == fewest:
                        _scatter(
                            rules.left, present[bounds[a] : bounds[a + 1]], above, factor,
                            linear[a], linear[b], around[a], around[b],
                        )  # fmt: skip
                    else:
                        _scatter(
                            rules.right, present[bounds[b] : bounds[b + 1]], above, factor,
                            linear[b], linear[a], around[b], around[a],
                        )  # fmt: skip
            for unit in near:
                above[unit] = 0.0


@kernel()
def _descend(
    rules: ChartRules, parents: IntArray, above: FloatArray, factor: float,
    left: FloatArray, right: FloatArray, left_around: FloatArray, right_around: FloatArray,
) -> None:  # fmt: skip
    """Add to the children of parents what surrounds them, by the rules of the parents."""
    for parent in parents:
        if above[parent] > 0.0:
            for i in range(rules.binary_starts[parent], rules.binary_starts[parent + 1]):
                e = rules.binary_edges[i]
                x = left[rules.first[e]]
                if x > 0.0:
                    y = right[rules.second[e]]
                    if y > 0.0:
                        share = above[parent] * rules.weight[e] * factor
                        left_around[rules.first[e]] += share * y
                        right_around[rules.second[e]] += share * x


@kernel()
def _scatter(
    corner: Corner, near: IntArray, above: FloatArray, factor: float, near_value: FloatArray,
    far_value: FloatArray, near_around: FloatArray, far_around: FloatArray,
) -> None:  # fmt: skip
    """Add to near and far units what surrounds them within the parents that they make together."""
    starts, far, parent, weight, _ = corner
    for unit in near:
        x, sum_of = near_value[unit], 0.0
        for e in range(starts[unit], starts[unit + 1]):
            over = above[parent[e]]
            if over > 0.0:
                y = far_value[far[e]]
                if y > 0.0:
                    share = over * weight[e] * factor
                    sum_of += share * y
                    far_around[far[e]] += share * x
        near_around[unit] += sum_of
