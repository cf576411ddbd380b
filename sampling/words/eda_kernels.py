"""The four operations of EDA on slots: replace, insert, swap, delete."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from grammar.arrays import IntArray, LongArray, kernel
from grammar.rng import below, next_uniform, open_stream
from sampling.words.pools import Pools, pick_entry
from sampling.words.texts import Slots, Words, keep_words

__all__ = ["EdaTables", "delete_words", "eda_edits", "free_slots"]

REPLACE, INSERT, SWAP, DELETE = range(4)
_OTHER_STREAM = np.uint64(0xD1B54A32D192ED03)
_TRIES = 8


class EdaTables(NamedTuple):
    """What EDA draws from.

    ``replace`` and ``insert`` are the pool of synonyms of every word, or -1. ``operations`` are
    those in use; ``redraws`` is 0 if swapped words are always two; ``block`` is 0 unless every
    text gets an equal number of each operation in so many rounds.
    """

    replace: IntArray
    insert: IntArray
    operations: LongArray
    alpha_sr: float
    alpha_ri: float
    alpha_rs: float
    alpha_rd: float
    all_occurrences: bool
    first_synonym: bool
    at_end: bool
    redraws: int
    block: int


@kernel()
def eda_edits(
    key: np.uint64,
    index: LongArray,
    rounds: LongArray,
    hosts: LongArray,
    words: Words,
    pools: Pools,
    tables: EdaTables,
    slots: Slots,
) -> None:
    """Apply one operation to each text; row r draws from stream ``index[r]`` of the key."""
    longest = 1
    for host in hosts:
        longest = max(longest, words.offsets[host + 1] - words.offsets[host])
    places = np.empty(longest, np.int64)
    for r in range(len(hosts)):
        host = hosts[r]
        state = open_stream(key, index[r])
        length = keep_words(words, host, slots, r)
        if tables.block > 0:
            operation = _operation_of_block(key, host, rounds[r], tables)
        else:
            state, u = next_uniform(state)
            operation = tables.operations[below(u, len(tables.operations))]
            slots.log_probability[r] -= np.log(len(tables.operations))
        if operation == REPLACE:
            _replace(state, times(tables.alpha_sr, length), words, pools, tables, slots, r, places)
        elif operation == INSERT:
            _insert(state, times(tables.alpha_ri, length), words, pools, tables, slots, r, places)
        elif operation == SWAP:
            _swap(state, times(tables.alpha_rs, length), words, tables.redraws, slots, r, places)
        else:
            delete_words(state, tables.alpha_rd, words, slots, r)


@kernel(inline="always")
def times(alpha: float, length: int) -> int:
    """Return how many words of a text are edited: n = alpha * length, at least one."""
    return max(1, int(alpha * length))


@kernel()
def _operation_of_block(key: np.uint64, host: int, number: int, tables: EdaTables) -> int:
    """Return the operation of a round, where each block has as many of all, but for a few."""
    each = tables.block // 4 + 1
    size = each * len(tables.operations)
    cards = np.arange(size)
    place = (number % tables.block) % size
    state = open_stream(key ^ _OTHER_STREAM ^ np.uint64(host), number // tables.block)
    for k in range(place + 1):
        state, u = next_uniform(state)
        other = k + below(u, size - k)
        cards[k], cards[other] = cards[other], cards[k]
    return tables.operations[cards[place] // each]


@kernel(inline="always")
def free_slots(words: Words, slots: Slots, row: int, places: LongArray) -> int:
    """List the slots of a row whose words may be edited; return how many there are."""
    found = 0
    for s in range(slots.at[row], slots.at[row] + slots.size[row]):
        if words.free[slots.word[s]]:
            places[found] = s
            found += 1
    return found


@kernel()
def _candidates(
    words: Words, pool: IntArray, once: bool, slots: Slots, row: int, places: LongArray
) -> int:
    """List the slots whose words have synonyms; with ``once``, the first of equal words only."""
    found = 0
    for s in range(slots.at[row], slots.at[row] + slots.size[row]):
        w = slots.word[s]
        if pool[w] < 0 or not words.free[w]:
            continue
        seen = False
        if once:
            for k in range(found):
                seen = seen or words.kind[slots.word[places[k]]] == words.kind[w]
        if not seen:
            places[found] = s
            found += 1
    return found


@kernel()
def _replace(
    state: np.uint64,
    n: int,
    words: Words,
    pools: Pools,
    tables: EdaTables,
    slots: Slots,
    row: int,
    places: LongArray,
) -> None:
    found = _candidates(words, tables.replace, tables.all_occurrences, slots, row, places)
    at, count = slots.at[row], slots.size[row]
    for k in range(min(n, found)):
        state, u = next_uniform(state)
        state, v = next_uniform(state)
        other = k + below(u, found - k)
        places[k], places[other] = places[other], places[k]
        w = slots.word[places[k]]
        entry, likely = pick_entry(pools, tables.replace[w], v)
        slots.log_probability[row] += likely - np.log(found - k)
        if not tables.all_occurrences:
            slots.entry[places[k]] = entry
            continue
        for s in range(at, at + count):
            same = words.kind[slots.word[s]] == words.kind[w]
            if same and words.free[slots.word[s]]:
                slots.entry[s] = entry


@kernel()
def _insert(
    state: np.uint64,
    n: int,
    words: Words,
    pools: Pools,
    tables: EdaTables,
    slots: Slots,
    row: int,
    places: LongArray,
) -> None:
    found = _candidates(words, tables.insert, False, slots, row, places)
    if found == 0:
        return
    at = slots.at[row]
    for k in range(found):
        places[k] = slots.word[places[k]]
    for _ in range(n):
        state, u = next_uniform(state)
        state, v = next_uniform(state)
        pool = tables.insert[places[below(u, found)]]
        entry, likely = pick_entry(pools, pool, v)
        if tables.first_synonym:
            entry, likely = pools.offsets[pool], 0.0
        room = slots.size[row] + (1 if tables.at_end else 0)
        for _ in range(_TRIES):
            state, u = next_uniform(state)
            s = at + below(u, room)
            if _may_part(words, slots, row, s):
                put_in(slots, row, s, entry)
                slots.log_probability[row] += likely - np.log(found) - np.log(room)
                break


@kernel(inline="always")
def _may_part(words: Words, slots: Slots, row: int, s: int) -> bool:
    """Return whether a word may be put before a slot: not between two protected words."""
    if s == slots.at[row] or s == slots.at[row] + slots.size[row]:
        return True
    before, behind = slots.word[s - 1], slots.word[s]
    return before < 0 or behind < 0 or words.free[before] or words.free[behind]


@kernel(inline="always")
def put_in(slots: Slots, row: int, s: int, entry: int) -> None:
    """Insert an entry before slot s of a row that has room."""
    stop = slots.at[row] + slots.size[row]
    for t in range(stop, s, -1):
        slots.gap[t] = slots.gap[t - 1]
        slots.word[t] = slots.word[t - 1]
        slots.entry[t] = slots.entry[t - 1]
    # the new word takes the gap of its place, if there is one, and the next one gets a space
    if s == stop or s == slots.at[row]:
        slots.gap[s] = -1
    if s < stop:
        slots.gap[s + 1] = -1
    slots.word[s] = -1
    slots.entry[s] = entry
    slots.size[row] += 1


@kernel()
def _swap(
    state: np.uint64, n: int, words: Words, redraws: int, slots: Slots, row: int, places: LongArray
) -> None:
    found = free_slots(words, slots, row, places)
    if found < 2:
        return
    for _ in range(n):
        state, u = next_uniform(state)
        first = below(u, found)
        if redraws == 0:
            state, v = next_uniform(state)
            second = below(v, found - 1)
            second += 1 if second >= first else 0
            slots.log_probability[row] -= np.log(found) + np.log(found - 1)
        else:
            second = first
            for _ in range(redraws):
                if second == first:
                    state, v = next_uniform(state)
                    second = below(v, found)
                    slots.log_probability[row] -= np.log(found)
            slots.log_probability[row] -= np.log(found)
        a, b = places[first], places[second]
        slots.word[a], slots.word[b] = slots.word[b], slots.word[a]


@kernel()
def delete_words(state: np.uint64, p: float, words: Words, slots: Slots, row: int) -> None:
    """Delete each word with probability p; if none is left, one of them stays."""
    at, count = slots.at[row], slots.size[row]
    if count < 2 or p <= 0.0:
        return
    kept = 0
    for s in range(at, at + count):
        w, gap = slots.word[s], slots.gap[s]
        if words.free[w]:
            state, u = next_uniform(state)
            if u < p:
                slots.log_probability[row] += np.log(p)
                continue
            slots.log_probability[row] += np.log1p(-p)
        slots.word[at + kept], slots.gap[at + kept] = w, gap
        kept += 1
    if kept == 0:
        state, u = next_uniform(state)
        # nothing was written over, since nothing was kept
        s = at + below(u, count)
        slots.word[at], slots.gap[at] = slots.word[s], slots.gap[s]
        slots.log_probability[row] -= np.log(count)
        kept = 1
    slots.size[row] = kept
