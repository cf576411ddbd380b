"""The words that a method puts in: pools of them, each word with its probability."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from grammar.arrays import Bytes, FloatArray, IntArray, LongArray, kernel, pack_strings
from grammar.rng import next_uniform
from grammar.saving.array_checks import (
    check_length,
    check_numbers,
    check_offsets,
    check_running_sums,
)

__all__ = [
    "Pools",
    "as_pools",
    "check_pools",
    "pick_entry",
    "pick_other",
    "probabilities",
    "vocabulary_of",
]

_TRIES = 64


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


@kernel()
def pick_other(
    state: np.uint64, pools: Pools, pool: int, form: int
) -> tuple[np.uint64, int, float]:
    """Draw an entry of a pool that is not this form (-1 if so many draws give no other).

    Returns the state of the stream, the entry, and its log-probability among the others.
    """
    for _ in range(_TRIES):
        state, u = next_uniform(state)
        entry, likely = pick_entry(pools, pool, u)
        if pools.form[entry] != form:
            return state, entry, likely - _log_of_others(pools, pool, form)
    return state, -1, 0.0


@kernel()
def _log_of_others(pools: Pools, number: int, form: int) -> float:
    """Return ln of the probability that a pool gives another word than this one."""
    first, last = pools.offsets[number], pools.offsets[number + 1]
    at = first + np.searchsorted(pools.form[first:last], form)
    if at == last or pools.form[at] != form:
        return 0.0
    before = pools.ends[at - 1] if at > first else 0.0
    return np.log1p(before - pools.ends[at])


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
