"""Which rules and words differ: log-odds with a prior, G², and a correction for how many there are.

Occurrences in one text are not independent, so the variance that is seen between units (trees, or
documents) is set against the variance of independent occurrences, and what is more than that
weakens the evidence: the first-order correction of Rao & Scott (1987).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
from scipy import stats

from grammar.arrays import FloatArray, LongArray
from sampling.comparison.features import Counts

__all__ = ["LEAST", "LEVEL", "Differences", "differences"]

LEVEL = 0.05
LEAST = 5
"""What is there less often, in both together, can never pass, and is not among those compared."""
PRIOR = 1000.0
"""Occurrences that the prior is worth, divided among features as they are in both together."""
_WIDTH = 1.959964


@dataclass(frozen=True, eq=False, repr=False)
class Differences:
    """How much each feature differs, the best supported first.

    Attributes
    ----------
    table : pyarrow.Table
        ``name``; ``count_a``, ``count_b``; ``per_1000_a``, ``per_1000_b`` (in a thousand features
        of this kind); ``log_odds`` (natural; positive: more in A) with ``low`` and ``high``, its
        interval of 95 %; ``z``, the log-odds over their standard error; ``g2``, divided by
        ``spread``, the design effect; ``p``; and ``p_holm``, corrected by Holm's method for all
        features that are compared at once, those of other kinds too.
    """

    table: pa.Table

    def __len__(self) -> int:
        return int(self.table.num_rows)

    @property
    def passing(self) -> int:
        """How many pass the level of 0.05 after the correction."""
        return int(np.count_nonzero(self.table.column("p_holm").to_numpy() < LEVEL))

    def to_pandas(self) -> object:
        """Return the table as a data frame of pandas."""
        return self.table.to_pandas()


def differences(
    counts: Mapping[str, Counts], units_a: LongArray, units_b: LongArray
) -> dict[str, Differences]:
    """Compare how often two sets of units have each feature, of each kind.

    Parameters
    ----------
    counts : mapping of str to Counts
        Of all units: the features of each kind.
    units_a, units_b : int64 arrays
        Numbers of units.

    Notes
    -----
    The log-odds are those of Monroe, Colaresi & Quinn (2008), *Fightin' Words*, eq. 15 to 22, with
    a Dirichlet prior of 1,000 occurrences in the proportions of both together. ``p`` is the larger
    of two: of G² (Dunning 1993) over the design effect, and of the exact binomial test, as G² is
    too small where counts are few. The design effect is estimated from units, so its quotient has
    an F distribution with as many degrees of freedom as there are units, less two (Rao & Scott
    1987), and not that of chi-square, which finds too much where documents are few.
    """
    found = {kind: _columns(each, units_a, units_b) for kind, each in counts.items()}
    corrected = holm(np.concatenate([columns["p"] for columns in found.values()]))
    ends = np.cumsum([len(columns["p"]) for columns in found.values()])
    return {
        kind: Differences(pa.table({**columns, "p_holm": p}))
        for (kind, columns), p in zip(found.items(), np.split(corrected, ends[:-1]), strict=True)
    }


def _columns(counts: Counts, units_a: LongArray, units_b: LongArray) -> dict[str, Any]:
    a, b = counts.of(units_a), counts.of(units_b)
    kept = np.flatnonzero(a + b >= LEAST)
    total_a, total_b = int(a.sum()), int(b.sum())
    spread = _design_effect(counts, units_a, units_b)[kept]
    log_odds, variance = _log_odds(a, b)
    a, b, log_odds = a[kept], b[kept], log_odds[kept]
    error = np.sqrt(variance[kept] * spread)
    g2 = _g2(a, b, total_a, total_b) / spread
    freedom = max(1, len(units_a) + len(units_b) - 2)
    p = np.maximum(stats.f.sf(g2, 1, freedom), _exact(a, b, total_a, total_b))
    z = log_odds / error
    order = np.lexsort((-(a + b), -np.abs(z)))
    return {
        "name": [counts.names[kept[i]] for i in order],
        "count_a": a[order],
        "count_b": b[order],
        "per_1000_a": 1000 * a[order] / max(1, total_a),
        "per_1000_b": 1000 * b[order] / max(1, total_b),
        "log_odds": log_odds[order],
        "low": (log_odds - _WIDTH * error)[order],
        "high": (log_odds + _WIDTH * error)[order],
        "z": z[order],
        "g2": g2[order],
        "spread": spread[order],
        "p": p[order],
    }


def holm(p: FloatArray) -> FloatArray:
    """Return p-values corrected by Holm's method, which holds whatever depends on what.

    >>> holm(np.array([0.01, 0.04, 0.03])).round(3).tolist()
    [0.03, 0.06, 0.06]
    """
    order = np.argsort(p, kind="stable")
    steps = p[order] * (len(p) - np.arange(len(p)))
    corrected = np.empty(len(p))
    corrected[order] = np.minimum(1.0, np.maximum.accumulate(steps))
    return corrected


def _log_odds(a: LongArray, b: LongArray) -> tuple[FloatArray, FloatArray]:
    prior = PRIOR * (a + b) / max(1, int((a + b).sum()))
    with np.errstate(divide="ignore", invalid="ignore"):
        odds = [
            np.log(count + prior) - np.log(count.sum() + PRIOR - count - prior) for count in (a, b)
        ]
        found = np.nan_to_num(odds[0] - odds[1])
        return found, 1 / (a + prior) + 1 / (b + prior)


def _design_effect(counts: Counts, units_a: LongArray, units_b: LongArray) -> FloatArray:
    """Return the variance between units over that of independent occurrences, 1 or more."""
    seen = np.zeros(len(counts.names))
    independent = np.zeros(len(counts.names))
    for units in (units_a, units_b):
        matrix = counts.matrix[units].astype(np.float64)
        size = np.asarray(matrix.sum(axis=1)).ravel()
        total = max(1.0, size.sum())
        share = np.asarray(matrix.sum(axis=0)).ravel() / total
        squares = np.asarray(matrix.power(2).sum(axis=0)).ravel()
        apart = squares - 2 * share * (matrix.T @ size) + share**2 * (size @ size)
        seen += apart * len(units) / max(1, len(units) - 1)
        independent += total * share * (1 - share)
    effect = np.divide(seen, independent, out=np.ones_like(seen), where=independent > 0)
    return np.maximum(1.0, effect)


def _g2(a: LongArray, b: LongArray, total_a: int, total_b: int) -> FloatArray:
    both = (a + b) / (total_a + total_b)
    found = np.zeros(len(a))
    for count, total in ((a, total_a), (b, total_b)):
        for observed, expected in ((count, total * both), (total - count, total * (1 - both))):
            positive = observed > 0
            ratio = np.divide(observed, expected, out=np.ones(len(a)), where=positive)
            found += 2 * observed * np.log(ratio)
    return np.maximum(found, 0.0)


def _exact(a: LongArray, b: LongArray, total_a: int, total_b: int) -> FloatArray:
    """Return the p-values of the binomial test, given how often a feature is there in both."""
    share = total_a / (total_a + total_b)
    lower = stats.binom.cdf(a, a + b, share)
    upper = stats.binom.sf(a - 1, a + b, share)
    return np.minimum(1.0, 2 * np.minimum(lower, upper))
