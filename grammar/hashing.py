"""Hashes of texts, and sets of hashes that grow with a stream, for kernels."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from grammar.arrays import BoolArray, Bytes, Index, LongArray, kernel

__all__ = ["Keys", "added", "hash_rows", "members", "new_set", "slot_of"]

Keys = NDArray[np.uint64]

_FNV_START, _FNV_PRIME = np.uint64(0xCBF29CE484222325), np.uint64(0x100000001B3)
_SPREAD = np.uint64(0x9E3779B97F4A7C15)
_S1 = np.uint64(1)


@kernel()
def hash_rows(data: Bytes, offsets: LongArray) -> Keys:
    """Return one 64-bit number for every row of bytes (FNV-1a)."""
    hashes = np.empty(len(offsets) - 1, np.uint64)
    for r in range(len(hashes)):
        value = _FNV_START
        for k in range(offsets[r], offsets[r + 1]):
            value = (value ^ np.uint64(data[k])) * _FNV_PRIME
        hashes[r] = value
    return hashes


@kernel(inline="always")
def slot_of(known: Keys, value: np.uint64) -> Index:
    """Return where a value is, or would be put, in a set (open addressing; 0 is a free slot)."""
    mask = np.int64(len(known) - 1)
    slot = np.int64((value * _SPREAD) >> np.uint64(20)) & mask
    while known[slot] != 0 and known[slot] != value + _S1:
        slot = (slot + 1) & mask
    return slot


@kernel()
def new_set(values: Keys, room: int) -> Keys:
    """Return a set of numbers below 2**61, with room for as many as ``room`` in all."""
    size = 16
    while size < 2 * room:
        size *= 2
    known = np.zeros(size, np.uint64)
    for value in values:
        known[slot_of(known, value)] = value + _S1
    return known


@kernel()
def added(known: Keys, values: Keys) -> BoolArray:
    """Add numbers to a set that has room for them; return which were not there before.

    >>> added(new_set(np.array([7], np.uint64), 8), np.array([7, 8, 8], np.uint64)).tolist()
    [False, True, False]
    """
    new = np.zeros(len(values), np.bool_)
    for r in range(len(values)):
        slot = slot_of(known, values[r])
        new[r] = known[slot] == 0
        known[slot] = values[r] + _S1
    return new


@kernel()
def absent(known: Keys, values: Keys) -> BoolArray:
    """Return which numbers are not in a set.

    >>> absent(new_set(np.array([7], np.uint64), 8), np.array([7, 8, 8], np.uint64)).tolist()
    [False, True, True]
    """
    new = np.zeros(len(values), np.bool_)
    for r in range(len(values)):
        new[r] = known[slot_of(known, values[r])] == 0
    return new


@kernel()
def members(known: Keys) -> Keys:
    """Return the numbers of a set."""
    return known[known != 0] - _S1
