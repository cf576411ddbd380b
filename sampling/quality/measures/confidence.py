"""Confidence intervals: the percentile bootstrap, and the jackknife where a bootstrap is biased.

Examples made from one original are not independent, so the bootstrap draws whole groups of them
when their originals are known. Replicate b of a seed draws from its own stream, so intervals depend
on the seed alone.
"""

from __future__ import annotations

import numpy as np

from grammar.arrays import FloatArray, LongArray, kernel
from grammar.rng import below, next_uniform, open_stream, stream_key

__all__ = ["grouped_sums", "interval", "resampled_lengths", "resampled_means", "type_interval"]

REPLICATES = 1000
_TAIL = 2.5
_NORMAL = 1.959963984540054  # the 97.5 % point of the standard normal distribution


def interval(replicates: FloatArray) -> tuple[float, float]:
    """Return the 95 % percentile interval of bootstrap replicates (Efron 1979).

    >>> interval(np.arange(1001.0))
    (25.0, 975.0)
    """
    low, high = np.percentile(replicates, [_TAIL, 100 - _TAIL])
    return float(low), float(high)


def resampled_means(
    sums: FloatArray, sizes: FloatArray, *, seed: int, name: str, replicates: int = REPLICATES
) -> FloatArray:
    """Return means of samples with replacement: sum of drawn ``sums`` over sum of drawn ``sizes``.

    Parameters
    ----------
    sums, sizes : float64[groups]
        Of each group that is drawn whole; of lone examples, their values and ones.
    seed : int
        Of the draws.
    name : str
        What is resampled: equal names draw equal groups.
    replicates : int
        How many means.
    """
    return _means(sums, sizes, stream_key(seed, f"bootstrap {name}"), replicates)


def grouped_sums(
    values: FloatArray, sizes: FloatArray, groups: LongArray | None
) -> tuple[FloatArray, FloatArray]:
    """Sum values and sizes over examples of one group; a negative group is a group of its own.

    >>> grouped_sums(np.array([1.0, 2, 4]), np.ones(3), np.array([7, -1, 7]))
    (array([5., 2.]), array([2., 1.]))
    """
    if groups is None:
        return values, sizes
    number = _group_numbers(groups)
    return _totals(number, values), _totals(number, sizes)


def _totals(number: LongArray, values: FloatArray) -> FloatArray:
    return np.bincount(number, weights=values).astype(np.float64)


def _group_numbers(groups: LongArray) -> LongArray:
    lone = groups < 0
    apart = np.where(lone, int(groups.max(initial=0)) + 1 + np.cumsum(lone), groups)
    _, first, number = np.unique(apart, return_index=True, return_inverse=True)
    # numbered by first appearance
    rank = np.empty(len(first), np.int64)
    rank[np.argsort(first)] = np.arange(len(first))
    return rank[number]


def resampled_lengths(
    lengths: LongArray,
    groups: LongArray | None,
    *,
    seed: int,
    name: str,
    replicates: int = REPLICATES,
) -> FloatArray:
    """Return the distributions of lengths of samples with replacement: [replicates, lengths]."""
    number = np.arange(len(lengths)) if groups is None else _group_numbers(groups)
    order = np.argsort(number, kind="stable")
    offsets = np.searchsorted(number[order], np.arange(int(number.max()) + 2)).astype(np.int64)
    key = stream_key(seed, f"bootstrap {name}")
    counts = _histograms(lengths[order], offsets, int(lengths.max()) + 1, key, replicates)
    return np.asarray(counts / counts.sum(axis=1, keepdims=True))


def type_interval(ids: LongArray, owner: LongArray) -> tuple[float, float]:
    """Return a 95 % interval of distinct ids over all ids, by the jackknife over their owners.

    A sample with replacement repeats examples, which makes types rarer than they are, so the
    bootstrap is biased here. Leaving one example out is not: it takes away the types that only it
    has (Efron & Stein 1981).
    """
    examples, tokens = int(owner.max()) + 1, len(ids)
    first = np.full(int(ids.max()) + 1, examples)
    last = np.full(len(first), -1)
    np.minimum.at(first, ids, owner)
    np.maximum.at(last, ids, owner)
    types = np.count_nonzero(last >= 0)
    alone = np.bincount(first[first == last], minlength=examples)
    held = np.bincount(owner, minlength=examples)
    there = (held > 0) & (held < tokens)
    left = (types - alone[there]) / (tokens - held[there])
    n = len(left)
    error = float(np.sqrt((n - 1) / n * np.square(left - left.mean()).sum())) if n > 1 else 0.0
    value = types / tokens
    return max(value - _NORMAL * error, 0.0), min(value + _NORMAL * error, 1.0)


@kernel()
def _means(sums: FloatArray, sizes: FloatArray, key: np.uint64, replicates: int) -> FloatArray:
    means = np.zeros(replicates)
    for b in range(replicates):
        state = open_stream(key, b)
        total, size = 0.0, 0.0
        for _ in range(len(sums)):
            state, uniform = next_uniform(state)
            drawn = below(uniform, len(sums))
            total += sums[drawn]
            size += sizes[drawn]
        means[b] = total / size if size else 0.0
    return means


@kernel()
def _histograms(
    lengths: LongArray, offsets: LongArray, bins: int, key: np.uint64, replicates: int
) -> LongArray:
    counts = np.zeros((replicates, bins), np.int64)
    groups = len(offsets) - 1
    for b in range(replicates):
        state = open_stream(key, b)
        for _ in range(groups):
            state, uniform = next_uniform(state)
            drawn = below(uniform, groups)
            for i in range(offsets[drawn], offsets[drawn + 1]):
                counts[b, lengths[i]] += 1
    return counts
