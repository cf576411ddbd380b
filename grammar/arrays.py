"""Array types, and the hash table that all kernels intern with."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from grammar.errors import UnreadableInputError
from grammar.kernels import kernel

__all__ = [
    "BoolArray",
    "Bytes",
    "FloatArray",
    "Index",
    "IntArray",
    "LongArray",
    "PathTable",
    "empty_paths",
    "extend_path",
    "kernel",
    "pack_strings",
    "path_symbols",
    "reserve_paths",
    "slot_of_key",
    "text_bytes",
]

Bytes = npt.NDArray[np.uint8]
BoolArray = npt.NDArray[np.bool_]
IntArray = npt.NDArray[np.int32]
LongArray = npt.NDArray[np.int64]
FloatArray = npt.NDArray[np.float64]
Index = int | np.integer[Any]
PathTable = tuple[LongArray, IntArray, LongArray]

_SHOWN = 60
_SPREAD = np.uint64(0x9E3779B97F4A7C15)


def pack_strings(strings: Iterable[str]) -> tuple[Bytes, LongArray]:
    """Return the UTF-8 bytes of all strings together, and offsets (one more than strings).

    Raises
    ------
    UnreadableInputError
        If a character is half of a surrogate pair.

    >>> data, offsets = pack_strings(["ab", "é"])
    >>> data.tolist(), offsets.tolist()
    ([97, 98, 195, 169], [0, 2, 4])
    """
    try:
        encoded = [s.encode("utf-8") for s in strings]
    except UnicodeEncodeError as error:
        raise UnreadableInputError(
            f"{error.object[error.start]!r} is half of a surrogate pair",
            where=repr(error.object[:_SHOWN]),
            hint="correct the text it came from",
        ) from None
    offsets = np.zeros(len(encoded) + 1, np.int64)
    np.cumsum([len(e) for e in encoded], out=offsets[1:])
    return np.frombuffer(b"".join(encoded), np.uint8), offsets


def text_bytes(texts: pa.Array) -> tuple[Bytes, LongArray]:
    """Return the UTF-8 bytes of Arrow strings together, and offsets, as :func:`pack_strings`."""
    if not pa.types.is_string(texts.type):
        texts = texts.cast(pa.large_string())
    _, bounds, data = texts.buffers()
    if not len(texts) or data is None:
        return np.zeros(0, np.uint8), np.zeros(len(texts) + 1, np.int64)
    kind = np.int32 if pa.types.is_string(texts.type) else np.int64
    known = np.frombuffer(bounds, kind, texts.offset + len(texts) + 1)  # there may be more
    offsets = known[texts.offset :].astype(np.int64)
    # copied, so that it can be written to: of what cannot, kernels are compiled once more
    text = np.frombuffer(data, np.uint8)[offsets[0] : offsets[-1]].copy()
    return text, offsets - offsets[0]


# A path table names sequences of symbols by whole numbers: a path is its parent path and one more
# symbol, and two equal sequences get the same number. Rules, binarised labels and joined labels
# are all such sequences. It is three arrays: the keys and values of the hash slots (open
# addressing, linear probing), and by path number its key (parent << 32 | symbol). Path 0 is the
# empty sequence, so entry 0 is free to count the paths made.
#
# Room is reserved between trees, never inside a loop over nodes: numba keeps arrays that a loop
# rebinds behind reference counts, which made such a loop four times slower.


@kernel()
def empty_paths() -> PathTable:
    """Return a path table that holds only path 0, the empty sequence."""
    made = np.zeros(512, np.int64)
    made[0] = 1
    return np.full(1024, -1, np.int64), np.zeros(1024, np.int32), made


@kernel()
def reserve_paths(table: PathTable, extra: int) -> PathTable:
    """Return the table with room for ``extra`` more paths."""
    keys, values, made = table
    room = len(made)
    while room < made[0] + extra:
        room *= 2
    if room == len(made):
        return table
    longer = np.zeros(room, np.int64)
    longer[: made[0]] = made[: made[0]]
    bigger, moved = np.full(2 * room, -1, np.int64), np.zeros(2 * room, np.int32)
    for i in range(len(keys)):
        if keys[i] != -1:
            slot = slot_of_key(bigger, keys[i])
            bigger[slot] = keys[i]
            moved[slot] = values[i]
    return bigger, moved, longer


@kernel()
def extend_path(
    keys: LongArray, values: IntArray, made: LongArray, path: Index, symbol: Index
) -> Index:
    """Return the number of ``path`` extended by ``symbol`` (>= 0); room must be reserved."""
    key = (np.int64(path) << 32) | np.int64(symbol)
    slot = slot_of_key(keys, key)
    if keys[slot] != key:
        keys[slot] = key
        values[slot] = made[0]
        made[made[0]] = key
        made[0] += 1
    number: Index = values[slot]
    return number


@kernel(inline="always")
def slot_of_key(keys: LongArray, key: Index) -> Index:
    """Return where a path is, or would be put, in a table (open addressing; -1 is free)."""
    mask = len(keys) - 1
    slot: Index = np.int64((np.uint64(key) * _SPREAD) >> np.uint64(20)) & mask
    while keys[slot] != -1 and keys[slot] != key:
        slot = (slot + 1) & mask
    return slot


def path_symbols(made: LongArray, path: int) -> list[int]:
    """Return the symbols of a path, first to last."""
    symbols = []
    while path:
        path, symbol = divmod(int(made[path]), 1 << 32)
        symbols.append(symbol)
    return symbols[::-1]
