"""How far apart two distributions are, and how far random parts of the same would be."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from grammar.arrays import FloatArray, LongArray
from grammar.rng import stream_key, uniforms
from sampling.comparison.features import Counts

__all__ = ["Divergence", "divergence", "jensen_shannon"]

SPLITS = 99


@dataclass(frozen=True)
class Divergence:
    """The Jensen–Shannon divergence of two distributions, and whether that is much.

    Attributes
    ----------
    plug_in : float
        In bits, from 0 to 1, of the relative frequencies; few data make it too large.
    expected : float
        Its mean over random divisions of all units into parts of the same sizes.
    p : float
        The share of those divisions that give as much, themselves included (a permutation test).
    """

    plug_in: float
    expected: float
    p: float

    @property
    def excess(self) -> float:
        """The plug-in estimate less what is expected of parts that do not differ; 0 or more."""
        return max(0.0, self.plug_in - self.expected)


def divergence(counts: Counts, units_a: LongArray, units_b: LongArray, seed: int) -> Divergence:
    """Return how far apart the features of two sets of units are."""
    units = np.concatenate([units_a, units_b])
    matrix = counts.matrix[units].astype(np.float64)
    sides = np.zeros((len(units), SPLITS + 1))
    sides[: len(units_a), 0] = 1
    drawn = uniforms(stream_key(seed, "comparison"), 0, SPLITS * len(units))
    for split, order in enumerate(np.argsort(drawn.reshape(SPLITS, len(units)), axis=1)):
        sides[order[: len(units_a)], split + 1] = 1
    of_a = matrix.T @ sides
    everything = np.asarray(matrix.sum(axis=0)).reshape(-1, 1)
    found = jensen_shannon(of_a, everything - of_a)
    as_much = np.count_nonzero(found[1:] >= found[0] - 1e-12)
    return Divergence(float(found[0]), float(found[1:].mean()), float((1 + as_much) / (1 + SPLITS)))


def jensen_shannon(a: FloatArray, b: FloatArray) -> FloatArray:
    """Return the divergence in bits of the columns of two arrays of counts.

    >>> jensen_shannon(np.array([[1.0, 2], [0, 2]]), np.array([[0.0, 1], [1, 1]])).tolist()
    [1.0, 0.0]
    """
    p, q = (each / np.maximum(each.sum(axis=0), 1) for each in (a, b))
    found: FloatArray = _entropy((p + q) / 2) - (_entropy(p) + _entropy(q)) / 2
    return np.maximum(found, 0.0)


def _entropy(p: FloatArray) -> FloatArray:
    logs = np.log2(p, out=np.zeros_like(p), where=p > 0)
    return -np.asarray((p * logs).sum(axis=0))
