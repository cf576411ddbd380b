"""Rows of numbers as two arrays, and one hash for all rows of this package."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from grammar.arrays import LongArray, kernel

__all__ = ["Rows", "equal_rows", "hash_row", "hash_rows", "mix", "rows_of", "sized", "take_rows"]

_SEED = np.uint64(0x9E3779B97F4A7C15)
_MULTIPLY = np.uint64(0xD6E8FEB86659FD93)
_SHIFT = np.uint64(32)


class Rows(NamedTuple):
    """Row i is ``values[offsets[i]:offsets[i + 1]]``."""

    offsets: LongArray
    values: NDArray[Any]


def sized(sizes: Any) -> LongArray:
    """Return the offsets of rows of these sizes.

    >>> sized([2, 0, 1]).tolist()
    [0, 2, 2, 3]
    """
    offsets = np.zeros(len(sizes) + 1, np.int64)
    np.cumsum(sizes, out=offsets[1:])
    return offsets


def rows_of(row: Any, value: Any, size: int) -> Rows:
    """Collect the values of every row, sorted, each once.

    >>> [array.tolist() for array in rows_of([1, 0, 1, 1], [5, 7, 5, 3], 2)]
    [[0, 1, 3], [7, 3, 5]]
    """
    rows, values = np.asarray(row, np.int64), np.asarray(value, np.int64)
    order = np.lexsort((values, rows))
    rows, values = rows[order], values[order]
    again = np.zeros(len(rows), np.bool_)
    again[1:] = (rows[1:] == rows[:-1]) & (values[1:] == values[:-1])
    return Rows(sized(np.bincount(rows[~again], minlength=size)), values[~again])


def take_rows(rows: Rows, chosen: Any) -> Rows:
    """Return the chosen rows.

    >>> [array.tolist() for array in take_rows(Rows(np.array([0, 1, 3]), np.array([7, 3, 5])), [1])]
    [[0, 2], [3, 5]]
    """
    offsets, values = rows
    lengths = np.diff(offsets)[chosen]
    ends = sized(lengths)
    within = np.arange(ends[-1]) - np.repeat(ends[:-1], lengths)
    return Rows(ends, values[np.repeat(offsets[:-1][chosen], lengths) + within])


def equal_rows(rows: Rows) -> tuple[LongArray, LongArray]:
    """Return the first of each set of equal rows, and for every row the number of its set.

    >>> first, number = equal_rows(Rows(np.array([0, 1, 2, 3]), np.array([4, 9, 4])))
    >>> first.tolist(), number.tolist()
    ([0, 1], [0, 1, 0])
    """
    hashes = hash_rows(rows.values, rows.offsets[:-1], rows.offsets[1:])
    group = _first_equal(rows, hashes, np.argsort(hashes, kind="stable"))
    first = np.unique(group)
    return first, np.searchsorted(first, group)


@kernel()
def mix(state: np.uint64, value: int) -> np.uint64:
    """Fold one number into a 64-bit hash."""
    state = (state ^ np.uint64(value)) * _MULTIPLY
    return (state ^ (state >> _SHIFT)) * _MULTIPLY


@kernel()
def hash_row(values: Any, start: int, end: int) -> np.uint64:
    """Return the hash of ``values[start:end]``."""
    # from a small number, a value could lead back to zero, and rows of other lengths would meet
    state = mix(_SEED, end - start)
    for i in range(start, end):
        state = mix(state, values[i])
    return state


@kernel()
def hash_rows(values: Any, starts: LongArray, ends: LongArray) -> NDArray[np.uint64]:
    """Return the hash of every row ``values[starts[i]:ends[i]]``."""
    hashes = np.empty(len(starts), np.uint64)
    for i in range(len(starts)):
        hashes[i] = hash_row(values, starts[i], ends[i])
    return hashes


@kernel()
def _first_equal(rows: Rows, hashes: Any, order: LongArray) -> LongArray:
    group = np.arange(len(order))
    begin = 0
    for j in range(len(order)):
        x = order[j]
        if hashes[x] != hashes[order[begin]]:
            begin = j
        mine = rows.values[rows.offsets[x] : rows.offsets[x + 1]]
        for b in range(begin, j):
            y = order[b]
            # equal hashes only propose; the values decide
            if group[y] == y and np.array_equal(
                mine, rows.values[rows.offsets[y] : rows.offsets[y + 1]]
            ):
                group[x] = y
                break
    return group
