"""The words that a method puts in: pools of them, each word with its probability."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from grammar.arrays import Bytes, FloatArray, IntArray, LongArray, kernel, pack_strings
from grammar.saving.array_checks import (
    check_length,
    check_numbers,
    check_offsets,
    check_running_sums,
)

__all__ = ["Pools", "as_pools", "check_pools", "pick_entry", "probabilities", "vocabulary_of"]


class Pools(NamedTuple):
    """Words to put in: pool p holds entries ``offsets[p]`` to ``offsets[p + 1] - 1``.

    Entry e is the word ``form[e]`` of the vocabulary, which is ``data[bounds[f]:bounds[f + 1]]``;
    ``ends`` are running sums of the probabilities within each pool.
    """

    offsets: LongArray
    form: IntArray
    ends: FloatArray
    data: Bytes
    bounds: LongArray


def as_pools(
    rows: Iterable[Sequence[int]], vocabulary: Sequence[str], weights: Any = None
) -> Pools:
    """Make pools of rows of word numbers, uniform unless there is a weight for every entry."""
    rows = list(rows)
    sizes = np.array([len(row) for row in rows], np.int64)
    offsets = np.concatenate(([0], np.cumsum(sizes)))
    form = np.array([number for row in rows for number in row], np.int32)
    weight = np.ones(len(form)) if weights is None else np.asarray(weights, np.float64)
    ends = np.empty(len(form))
    for first, last in zip(offsets[:-1].tolist(), offsets[1:].tolist(), strict=True):
        if last > first:
            running = np.cumsum(weight[first:last])
            ends[first:last] = running / running[-1]
    return Pools(offsets, form, ends, *pack_strings(vocabulary))


def check_pools(pools: Pools) -> None:
    """Refuse pools that kernels could not read (ValueError)."""
    offsets, form, ends, _, bounds = pools
    check_offsets("offsets", offsets, len(offsets) - 1, len(form))
    check_numbers("form", form, 0, len(bounds) - 1)
    check_length("ends", ends, len(form))
    check_running_sums("ends", ends, offsets)


@kernel(inline="always")
def pick_entry(pools: Pools, pool: int, uniform: float) -> tuple[int, float]:
    """Return an entry of a pool by a uniform number, and its log-probability."""
    first, last = pools.offsets[pool], pools.offsets[pool + 1]
    entry = first + np.searchsorted(pools.ends[first : last - 1], uniform, side="right")
    before = pools.ends[entry - 1] if entry > first else 0.0
    return entry, np.log(pools.ends[entry] - before)


def probabilities(pools: Pools) -> FloatArray:
    """Return the probability of every entry in its pool."""
    weights = np.diff(pools.ends, prepend=0.0)
    first = pools.offsets[:-1][np.diff(pools.offsets) > 0]
    weights[first] = pools.ends[first]
    return weights


def vocabulary_of(pools: Pools) -> pa.Array:
    """Return the words of the pools as Arrow strings."""
    raw = pools.data.tobytes()
    ends = pools.bounds.tolist()
    return pa.array([raw[a:b].decode() for a, b in itertools.pairwise(ends)], pa.string())
