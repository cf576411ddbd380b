"""Charts in which some units may not stand over some spans, and the beam.

One mechanism serves given brackets, coarse-to-fine pruning and the beam: a row knows which units
may stand in it. They may not stand there within unary chains either, so closures of unary rules
cannot be used in such rows; there, values pass over one unary edge at a time.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from grammar.arrays import BoolArray, FloatArray, IntArray, kernel
from grammar.chart.rules import Corner
from grammar.chart.sums import NEGLIGIBLE, combine, settle, surround

__all__ = ["EVERYTHING", "NOTHING", "SOMETHING", "Limits", "descend", "limit"]

NOTHING, SOMETHING, EVERYTHING = range(3)
"""What may stand in a row."""


class Limits(NamedTuple):
    """Which units may stand over which spans.

    Attributes
    ----------
    group : int32 array, shape (units,)
        The group of each unit.
    allowed : bool array, shape (rows, groups)
        Which groups may stand over the span of a row.
    level : int8 array, shape (rows,)
        Whether nothing (0), something (1) or everything (2) may; empty if everything always may.
    beam : float
        Logarithm of the share of a row's best value that a unit must reach; -inf for any.
    prior : float64 array, shape (units,)
        Added to values before they are compared so: an estimate of the value outside.
    """

    group: IntArray
    allowed: BoolArray
    level: NDArray[np.int8]
    beam: float
    prior: FloatArray


@kernel()
def limit(
    limits: Limits,
    row: int,
    unary: Corner,
    found: IntArray,
    inner: FloatArray,
    closed: FloatArray,
    outer: IntArray,
    outers: int,
    cut: BoolArray,
    maximise: bool,
) -> int:
    """Close a row under unary edges between the units that may stand in it.

    The row may have been closed without limits already (``outers`` units). Returns how many units
    stand in it now.
    """
    group, allowed, level, beam, prior = limits
    may = np.ones(len(inner), np.bool_)
    if len(level) and level[row] != EVERYTHING:
        may = allowed[row][group]
        cut[row] = True
        outers = climb(unary, may, found, inner, closed, outer, maximise)
    if beam == -np.inf:
        return outers
    best = -np.inf
    for i in range(outers):
        best = max(best, closed[outer[i]] + prior[outer[i]])
    dropped = False
    for i in range(outers):
        if closed[outer[i]] + prior[outer[i]] < best + beam:
            may[outer[i]] = False
            dropped = True
    if not dropped:
        return outers
    cut[row] = True
    closed[outer[:outers]] = -np.inf
    return climb(unary, may, found, inner, closed, outer, maximise)


@kernel()
def climb(
    unary: Corner,
    may: BoolArray,
    found: IntArray,
    inner: FloatArray,
    closed: FloatArray,
    outer: IntArray,
    maximise: bool,
) -> int:
    """Pass values up unary edges between units that may stand there, one edge a round.

    What a round adds to a unit without changing its sum changes no sum above it either.
    """
    units = len(inner)
    now, then, total = np.full(units, -np.inf), np.full(units, -np.inf), np.ones(units)
    none, near, reached = np.zeros(units), np.empty(units, np.int32), np.empty(units, np.int32)
    outers = 0
    for i in range(len(found)):
        unit = found[i]
        if may[unit]:
            closed[unit] = now[unit] = inner[unit]
            near[outers] = outer[outers] = unit
            outers += 1
    nears = outers
    while nears > 0:
        count = combine(unary, near[:nears], now, none, then, total, reached, 0, maximise)
        settle(then, total, reached[:count])
        now[near[:nears]] = -np.inf
        nears = 0
        for i in range(count):
            unit = reached[i]
            more, old = then[unit], closed[unit]
            then[unit] = -np.inf
            if not may[unit] or (more <= old if maximise else more - old < NEGLIGIBLE):
                continue
            closed[unit] = more if maximise else np.logaddexp(old, more)
            now[unit] = more
            near[nears] = unit
            nears += 1
            if old == -np.inf:
                outer[outers] = unit
                outers += 1
    return outers


@kernel()
def descend(unary: Corner, near: IntArray, above: FloatArray) -> None:
    """Pass what surrounds units down unary edges between them, one edge a round."""
    units = len(above)
    now, then, total = np.full(units, -np.inf), np.full(units, -np.inf), np.ones(units)
    now[near] = above[near]
    changed = True
    while changed:
        surround(unary, near, now, then, total)
        settle(then, total, near)
        changed = False
        for i in range(len(near)):
            unit = near[i]
            now[unit] = -np.inf
            if then[unit] > -np.inf and then[unit] - above[unit] > NEGLIGIBLE:
                now[unit] = then[unit]
                above[unit] = np.logaddexp(above[unit], then[unit])
                changed = True
