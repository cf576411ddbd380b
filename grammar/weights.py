"""Weights of rules: what they must be, and dividing them by the sums of their left-hand sides."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from grammar.arrays import FloatArray, IntArray, LongArray
from grammar.errors import WeightError

__all__ = ["TOLERANCE", "Weigher", "check_sums", "check_weights", "normalised"]

TOLERANCE = 1e-6
"""How near to one the weights of a left-hand side must sum."""


Weigher = Callable[[FloatArray, LongArray, "IntArray | LongArray"], FloatArray]
"""From weights, counts and left-hand sides of rules to other weights, which sum to one."""


def check_weights(weight: FloatArray, text: Callable[[int], object]) -> None:
    """Refuse weights that are negative, not numbers or infinite; ``text`` says what a rule is.

    Raises
    ------
    WeightError
        At the first of them.
    """
    if not len(weight) or 0.0 <= weight[weight.argmin()] <= weight[weight.argmax()] < np.inf:
        return  # of NaN no comparison is true
    bad = np.flatnonzero(~(np.isfinite(weight) & (weight >= 0)))
    if len(bad):
        rule = int(bad[0])
        raise WeightError(
            f"the weight {weight[rule]} is not a probability",
            where=str(text(rule)),
            hint="weights are numbers from 0 to 1",
        )


def check_sums(
    weight: FloatArray,
    lhs: IntArray | LongArray,
    names: Sequence[str],
    *,
    what: str = "symbols",
    hint: str = "divide them by their sum: normalise=True",
) -> None:
    """Refuse weights that do not sum to one over each left-hand side that has rules.

    Parameters
    ----------
    weight, lhs : arrays, shape (rules,)
        The weight of each rule, and the number of its left-hand side among the names.
    names : sequence of str
        The left-hand sides.
    what, hint : str
        What they are called, and how to correct the weights.

    Raises
    ------
    WeightError
        Naming the first one, and how many others there are.
    """
    sums = np.bincount(lhs, weight, minlength=len(names))
    off = np.flatnonzero(np.abs(sums - 1.0) > TOLERANCE)
    if len(off):  # which may be those that have no rules
        off = off[np.bincount(lhs, minlength=len(names))[off] > 0]
    if len(off):
        more = f" (and those of {len(off) - 1} other {what})" if len(off) > 1 else ""
        raise WeightError(
            f"the weights of {names[off[0]]} sum to {sums[off[0]]:.9g}, not 1{more}", hint=hint
        )


def normalised(weight: FloatArray, lhs: IntArray | LongArray) -> FloatArray:
    """Divide weights by the sum over their left-hand side; equal shares where that is zero.

    >>> normalised(np.array([1.0, 3.0, 0.0, 0.0]), np.array([0, 0, 1, 1])).tolist()
    [0.25, 0.75, 0.5, 0.5]
    """
    sums, sizes = np.bincount(lhs, weight), np.bincount(lhs)
    empty = sums == 0
    share = np.where(empty[lhs], 1.0, weight)
    result: FloatArray = share / np.where(empty, sizes, sums)[lhs]
    return result
