"""Sums and best values in log space: the steps that all kernels over charts are made of.

A sum is kept as its largest term and the total of all terms relative to it, so nothing under- or
overflows; a best value is the largest term alone.
"""

from __future__ import annotations

import numpy as np

from grammar.arrays import FloatArray, IntArray, kernel
from grammar.chart.rules import Corner

__all__ = ["NEGLIGIBLE", "combine", "settle", "surround"]

NEGLIGIBLE = -60.0
"""Terms e^60 times smaller than the largest change no digit of a sum of 10^9 of them."""


@kernel()
def combine(
    corner: Corner,
    near: IntArray,
    near_value: FloatArray,
    far_value: FloatArray,
    top: FloatArray,
    total: FloatArray,
    found: IntArray,
    count: int,
    maximise: bool,
) -> int:
    """Add what near and far units make; return how many units were found, new ones included."""
    starts, far, parent, weight, _ = corner
    for i in range(len(near)):
        unit = near[i]
        base = near_value[unit]
        for e in range(starts[unit], starts[unit + 1]):
            other = far_value[far[e]]
            if other > -np.inf:
                term = base + other + weight[e]
                made = parent[e]
                largest = top[made]
                if term > largest:
                    if largest == -np.inf:
                        found[count] = made
                        count += 1
                    elif not maximise:
                        total[made] = total[made] * np.exp(largest - term) + 1.0
                    top[made] = term
                elif not maximise and term - largest > NEGLIGIBLE:
                    total[made] += np.exp(term - largest)
    return count


@kernel()
def surround(
    chains: Corner, near: IntArray, parent_value: FloatArray, top: FloatArray, total: FloatArray
) -> None:
    """Add what surrounds units at the lower end of chains from their upper ends."""
    starts, _, parent, weight, _ = chains
    for i in range(len(near)):
        unit = near[i]
        largest, sum_of = -np.inf, 1.0
        for e in range(starts[unit], starts[unit + 1]):
            term = parent_value[parent[e]] + weight[e]
            if term > largest:
                sum_of = sum_of * np.exp(largest - term) + 1.0 if largest > -np.inf else 1.0
                largest = term
            elif term - largest > NEGLIGIBLE:
                sum_of += np.exp(term - largest)
        top[unit], total[unit] = largest, sum_of


@kernel()
def settle(top: FloatArray, total: FloatArray, found: IntArray) -> None:
    """Turn largest terms and totals relative to them into sums."""
    for i in range(len(found)):
        unit = found[i]
        if total[unit] != 1.0:
            top[unit] += np.log(total[unit])
            total[unit] = 1.0
