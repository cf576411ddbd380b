"""How many labels a gain is worth: where the learning curve of the baseline reaches it.

The accuracy of the baseline is measured in cross-validation with a quarter, a half and all of the
training part. Over so short a range it grows about linearly with the logarithm of the number of
labels. The slope b and the gain g give the number of labels with which the baseline alone would be
as good: n · 2^(g / b), for a slope per doubling. Curves flatten, so this is rather too few.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from classifiers.examples import Examples
from grammar.arrays import LongArray
from grammar.rng import stream_key

__all__ = ["SHARES", "Worth", "labels_worth", "share_of"]

Floats = NDArray[np.float64]
SHARES = (0.25, 0.5)
"""Of the training part, beside all of it."""
MOST = 4
"""The curve is followed to so many times the labels that there are."""
DRAWS = 4000
_FLAT, _NO_LABELS = 1e-12, 60.0
"""Bounds that keep the numbers finite: of a slope, and of halvings."""
CERTAIN = 0.95
"""How certain it has to be that the curve rises, and that there is a gain."""


@dataclass(frozen=True)
class Worth:
    """With how many labels the baseline alone would be as good.

    Attributes
    ----------
    given : int
        How many labels there are.
    labels : int or None
        The estimate; None if it is more than four times as many.
    low : int
        The lower end of the 95 % interval.
    high : int or None
        Its upper end; None if it is more than four times as many.

    Examples
    --------
    >>> print(Worth(20, 34, 22, None))
    as good as 34 labels instead of 20 (95 % interval 22 to more than 80)
    """

    given: int
    labels: int | None
    low: int
    high: int | None

    def __str__(self) -> str:
        labels, high = (
            f"more than {MOST * self.given}" if count is None else str(count)
            for count in (self.labels, self.high)
        )
        return (
            f"as good as {labels} labels instead of {self.given} "
            f"(95 % interval {self.low} to {high})"
        )


def share_of(examples: Examples, rows: LongArray, share: float, seed: int) -> LongArray:
    """Return a share of some rows, one of each class at least; smaller shares lie within larger.

    Parameters
    ----------
    examples : Examples
        What the rows are of.
    rows : int64 array
        Rows of the training part.
    share : float
        From 0 to 1; a class keeps its share, rounded.
    seed : int
        Of the draw.
    """
    draw = np.random.Generator(np.random.Philox(key=int(stream_key(seed, "learning curve"))))
    order = draw.permutation(len(examples))[rows].argsort(kind="stable")
    mixed = rows[order]
    classes = examples.strata[mixed]
    kept = [
        mixed[classes == one][: max(1, round(share * int((classes == one).sum())))]
        for one in np.unique(classes).tolist()
    ]
    return np.sort(np.concatenate(kept))


def labels_worth(sizes: Sequence[float], right: Floats, gains: Floats, seed: int) -> Worth | None:
    """Return how many labels a gain is worth, or None where the learning curve does not tell.

    Parameters
    ----------
    sizes : sequence of float
        How many labels were learnt from, the largest last.
    right : float64 array, shape (sizes, examples)
        How often each label was right in cross-validation, by the baseline.
    gains : float64 array, shape (examples,)
        By how much more often it was right with new examples.
    seed : int
        Of the bootstrap.

    Returns
    -------
    Worth or None
        None if it is not certain, at 95 %, that the curve rises and that there is a gain.

    Notes
    -----
    The interval is of the bootstrap over the labelled examples as test examples. The models stay
    the same ones, so another sample of labels may lie further off than the interval says.

    References
    ----------
    Efron and Tibshirani 1993, An introduction to the bootstrap, chapter 13 (percentile interval).
    """
    count = len(gains)
    steps = np.log2(np.asarray(sizes, np.float64))
    steps -= steps.mean()
    if not steps.any():
        return None
    slopes_of = steps @ right / (steps @ steps)  # of least squares, by example
    key = int(stream_key(seed, "bootstrap of the learning curve"))
    drawn = np.random.Generator(np.random.Philox(key=key)).integers(count, size=(DRAWS, count))
    slopes, means = slopes_of[drawn].mean(1), gains[drawn].mean(1)
    if min((slopes > 0).mean(), (means > 0).mean()) < CERTAIN:
        return None
    times = _times(slopes, means)
    estimate = float(_times(slopes_of.mean(keepdims=True), gains.mean(keepdims=True))[0])
    low, high = np.quantile(times, [0.025, 0.975], method="nearest")

    def labels(factor: float) -> int | None:
        return None if factor > MOST else round(factor * count)

    return Worth(count, labels(estimate), labels(float(low)) or MOST * count, labels(float(high)))


def _times(slopes: Floats, gains: Floats) -> Floats:
    """Return how many times the labels are needed; where a curve does not rise, more than MOST."""
    doublings = np.where(
        slopes > 0, gains / np.maximum(slopes, _FLAT), np.where(gains > 0, np.inf, -np.inf)
    )
    made: Floats = np.exp2(np.clip(doublings, -_NO_LABELS, np.log2(MOST + 1)))
    return made
