"""Counts of events in contexts, and probabilities that back off to more general contexts.

A context is a sequence of symbols, from the most general to the most special one. Counts lie in a
trie of contexts, so those that a distribution backs off to are prefixes of its own, and all are met
on one walk down.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from grammar.arrays import (
    FloatArray,
    Index,
    IntArray,
    LongArray,
    PathTable,
    empty_paths,
    extend_path,
    kernel,
    reserve_paths,
    slot_of_key,
)

__all__ = ["BackOff", "count_events", "path_below", "smoothed"]

_EVENT = 1 << 30
"""Added to events, so that they are no symbols of contexts."""
_AT_ONCE = 1 << 14
"""Room is made for so many rows at a time."""


class BackOff(NamedTuple):
    """A trie of contexts and of the events in them.

    Attributes
    ----------
    keys : int64 array
        Slots of a hash table: ``parent << 32 | symbol``, or -1.
    paths : int32 array
        The path at each slot; path 0 is the empty context.
    total : float64 array, shape (paths,)
        How often the context, or the event in its context, was seen.
    distinct : float64 array, shape (paths,)
        How many different events a context was seen with.
    """

    keys: LongArray
    paths: IntArray
    total: FloatArray
    distinct: FloatArray


@kernel()
def count_events(contexts: LongArray, event: LongArray, count: LongArray) -> BackOff:
    """Count events in contexts and in all their prefixes but the empty one.

    Parameters
    ----------
    contexts : int64 array, shape (rows, depth)
        Symbols, from the most general to the most special.
    event, count : int64 arrays, shape (rows,)
        What happened there, and how often.
    """
    rows, depth = contexts.shape
    table = empty_paths()
    total, distinct = np.zeros(0), np.zeros(0)
    for begin in range(0, rows, _AT_ONCE):
        end = min(begin + _AT_ONCE, rows)
        # contexts repeat, so room for all that could be would be several times what there is
        table = reserve_paths(table, (end - begin) * 2 * depth)
        total, distinct = _with_room(total, len(table[2])), _with_room(distinct, len(table[2]))
        _count_rows(contexts[begin:end], event[begin:end], count[begin:end], table, total, distinct)
    keys, paths, made = table
    return BackOff(keys, paths, total[: made[0]].copy(), distinct[: made[0]].copy())


@kernel()
def _with_room(values: FloatArray, room: int) -> FloatArray:
    longer = np.zeros(room)
    longer[: len(values)] = values
    return longer


@kernel()
def _count_rows(
    contexts: LongArray,
    event: LongArray,
    count: LongArray,
    table: PathTable,
    total: FloatArray,
    distinct: FloatArray,
) -> None:
    keys, paths, made = table
    rows, depth = contexts.shape
    for row in range(rows):
        path: Index = np.int32(0)
        for place in range(depth):
            path = extend_path(keys, paths, made, path, contexts[row, place])
            known = made[0]
            outcome = extend_path(keys, paths, made, path, _EVENT + event[row])
            if outcome == known:
                distinct[path] += 1.0
            total[path] += count[row]
            total[outcome] += count[row]


@kernel()
def smoothed(
    trie: BackOff, context: tuple[Index, ...], event: Index, weight: float, base: float
) -> float:
    """Return the probability of an event in a context.

    In a context seen n times with u different events, the relative frequency has the share
    n / (n + weight u), and the probability in the next more general context has the rest; ``base``
    is that in the empty context (Collins 1999, section 7.7.1, after Witten & Bell 1991). If the
    probabilities in the empty context sum to one over events, so they do here.
    """
    path: Index = 0
    for symbol in context:
        path = path_below(trie, path, symbol)
        if path == 0:
            break
        outcome = path_below(trie, path, _EVENT + event)
        seen = trie.total[outcome] if outcome > 0 else 0.0
        back = weight * trie.distinct[path]
        base = (seen + back * base) / (trie.total[path] + back)
    return base


@kernel(inline="always")
def path_below(trie: BackOff, path: Index, symbol: Index) -> Index:
    """Return a path extended by a symbol; 0 if there is none."""
    key = (np.int64(path) << 32) | np.int64(symbol)
    slot = slot_of_key(trie.keys, key)
    found: Index = trie.paths[slot] if trie.keys[slot] == key else np.int32(0)
    return found
