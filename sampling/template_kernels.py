"""Kernels that cut fragments out of token sequences, and compare what is left.

A fragment is one number: n-gram g in hole k counts ``(g + 1) * base ** k`` with base one more than
the number of n-grams. ``table``, ``starts`` and ``sizes`` are the columns of
:class:`sampling.templates.NGrams`.
"""

from __future__ import annotations

from typing import Any

import numba
import numpy as np
from numpy.typing import NDArray

__all__ = ["SEPARATOR", "WHOLE", "cut_columns", "fill_fragments", "group_equal", "hash_cut", "mix"]

Ints = NDArray[np.int32]
Longs = NDArray[np.int64]

SEPARATOR = 0
"""The token between the two sides of a pair; words are numbered from 1."""
WHOLE = -1
"""The window that stands for the whole template."""
_BOUNDARY = np.int32(-(2**31) + 1)
_NEXT_WINDOW = np.int32(-(2**31) + 2)
_SEED = np.uint64(0x9E3779B97F4A7C15)
_MULTIPLY = np.uint64(0xD6E8FEB86659FD93)
_SHIFT = np.uint64(32)


@numba.njit(cache=True, nogil=True)
def mix(state: np.uint64, value: int) -> np.uint64:
    """Fold one token into a 64-bit hash."""
    state = (state ^ np.uint64(value)) * _MULTIPLY
    return (state ^ (state >> _SHIFT)) * _MULTIPLY


@numba.njit(cache=True, nogil=True)
def cut(tokens: Any, start: int, end: int, table: Any, sizes: Any, key: int, out: Any) -> int:
    """Write the template of a fragment (a key) of one sequence to ``out``; return its length."""
    base = len(sizes) + 1
    length = 0
    position = start
    while position < end:
        rest, k = key, 0
        token, step = tokens[position], 1
        while rest > 0:
            gram = rest % base - 1
            # n-grams of a fragment share no token, so at most one of them starts here
            if table[sizes[gram] - 1, position] == gram:
                token, step = np.int32(-1 - k), sizes[gram]
                break
            rest //= base
            k += 1
        out[length] = token
        length += 1
        position += step
    return length


@numba.njit(cache=True, nogil=True)
def cut_columns(
    tokens: Any, offsets: Any, table: Any, sizes: Any, sequence: Any, key: Any
) -> tuple[Longs, Ints]:
    """Return the templates of fragments (keys) of sequences, one row each."""
    room = 1
    for i in range(len(offsets) - 1):
        room = max(room, offsets[i + 1] - offsets[i])
    out = np.empty(room, np.int32)
    ends = np.zeros(len(key) + 1, np.int64)
    for j in range(len(key)):
        i = sequence[j]
        ends[j + 1] = ends[j] + cut(tokens, offsets[i], offsets[i + 1], table, sizes, key[j], out)
    columns = np.empty(ends[-1], np.int32)
    for j in range(len(key)):
        i = sequence[j]
        length = cut(tokens, offsets[i], offsets[i + 1], table, sizes, key[j], out)
        columns[ends[j] : ends[j + 1]] = out[:length]
    return ends, columns


@numba.njit(cache=True, nogil=True)
def _environment(template: Any, length: int, window: int, out: Any) -> int:
    """Write the tokens around every hole to ``out``; return how many."""
    written = 0
    for i in range(length):
        if template[i] >= 0:
            continue
        for j in range(i - window, i + window + 1):
            out[written] = template[j] if 0 <= j < length else _BOUNDARY
            written += 1
        out[written] = _NEXT_WINDOW
        written += 1
    return written


@numba.njit(cache=True, nogil=True)
def _write(
    tokens: Any,
    offsets: Any,
    table: Any,
    sizes: Any,
    i: int,
    key: int,
    window: int,
    template: Any,
    out: Any,
) -> int:
    if window < 0:
        return cut(tokens, offsets[i], offsets[i + 1], table, sizes, key, out)
    length = cut(tokens, offsets[i], offsets[i + 1], table, sizes, key, template)
    return _environment(template, length, window, out)


@numba.njit(cache=True, nogil=True)
def _hash(values: Any, length: int) -> np.uint64:
    state = _SEED
    for i in range(length):
        state = mix(state, values[i])
    return state


@numba.njit(cache=True, nogil=True)
def _longest(offsets: Any, window: int) -> int:
    longest = 1
    for i in range(len(offsets) - 1):
        longest = max(longest, offsets[i + 1] - offsets[i])
    return longest * (2 * max(window, 0) + 2)


@numba.njit(cache=True, nogil=True)
def hash_cut(
    tokens: Any,
    offsets: Any,
    table: Any,
    starts: Any,
    sizes: Any,
    sequence: Any,
    key: Any,
    window: int,
) -> NDArray[np.uint64]:
    """Return the hash of the environment of every listed fragment."""
    room = _longest(offsets, window)
    template, out = np.empty(room, np.int32), np.empty(room, np.int32)
    hashes = np.empty(len(key), np.uint64)
    for j in range(len(key)):
        length = _write(tokens, offsets, table, sizes, sequence[j], key[j], window, template, out)
        hashes[j] = _hash(out, length)
    return hashes


@numba.njit(cache=True, nogil=True)
def group_equal(
    tokens: Any,
    offsets: Any,
    table: Any,
    starts: Any,
    sizes: Any,
    sequence: Any,
    key: Any,
    hashes: Any,
    order: Any,
    window: int,
) -> Longs:
    """Return, for every listed fragment, the first one whose environment is the same.

    ``order`` sorts the hashes stably. Equal hashes only propose; tokens decide.
    """
    room = _longest(offsets, window)
    template = np.empty(room, np.int32)
    mine, other = np.empty(room, np.int32), np.empty(room, np.int32)
    group = np.arange(len(order))
    begin, held, held_length = 0, -1, 0
    for j in range(len(order)):
        x = order[j]
        if hashes[x] != hashes[order[begin]]:
            begin = j
        length = -1
        for b in range(begin, j):
            y = order[b]
            if group[y] != y:
                continue
            if length < 0:
                length = _write(
                    tokens, offsets, table, sizes, sequence[x], key[x], window, template, mine
                )
            if held != y:
                held = y
                held_length = _write(
                    tokens, offsets, table, sizes, sequence[y], key[y], window, template, other
                )
            if held_length == length and np.array_equal(mine[:length], other[:length]):
                group[x] = y
                break
    return group


@numba.njit(cache=True, nogil=True)
def _share_token(tokens: Any, starts: Any, sizes: Any, g: int, h: int) -> bool:
    for i in range(starts[g], starts[g] + sizes[g]):
        for j in range(starts[h], starts[h] + sizes[h]):
            if tokens[i] == tokens[j]:
                return True
    return False


@numba.njit(cache=True, nogil=True)
def _clashes(tokens: Any, starts: Any, sizes: Any, g: int, gram: Any, chosen: Any) -> bool:
    """Return whether n-gram g shares a token with a chosen one."""
    for c in chosen:  # noqa: SIM110 (kernels cannot use generators)
        if _share_token(tokens, starts, sizes, g, gram[c]):
            return True
    return False


@numba.njit(cache=True, nogil=True)
def _next(row: Any, g: int, position: int) -> int:
    """Return the next position at which n-gram g stands."""
    position += 1
    while row[position] != g:
        position += 1
    return position


@numba.njit(cache=True, nogil=True)
def _distinct_grams(
    table: Any, start: int, end: int, slot: Any, gram: Any, first: Any, last: Any
) -> int:
    """Write the distinct n-grams of a sequence with their first and last positions."""
    distinct = 0
    for n in range(table.shape[0]):
        for position in range(start, end):
            g = table[n, position]
            if g < 0:
                continue
            if slot[g] < 0:
                slot[g] = distinct
                gram[distinct], first[distinct] = g, position
                distinct += 1
            last[slot[g]] = position
    for c in range(distinct):
        slot[gram[c]] = -1
    return distinct


@numba.njit(cache=True, nogil=True)
def fill_fragments(
    tokens: Any,
    offsets: Any,
    table: Any,
    starts: Any,
    sizes: Any,
    used: Any,
    gaps: int,
    window: int,
    wanted: Any,
    parts: np.uint64,
    part: np.uint64,
    out_sequence: Any,
    out_key: Any,
    out_hash: Any,
) -> int:
    """List (sequence, key, environment hash); return how many there are, written or not.

    N-gram k + 1 of a fragment starts after the begin of n-gram k and shares no token with the ones
    before it. Only fragments among ``wanted`` and in this part (by hash) are listed.
    """
    room = _longest(offsets, window)
    template, written = np.empty(room, np.int32), np.empty(room, np.int32)
    gram = np.empty(room * len(table), np.int64)
    first, last = np.empty_like(gram), np.empty_like(gram)
    slot = np.full(len(starts), -1, np.int64)
    choice, reach = np.empty(gaps, np.int64), np.empty(gaps, np.int64)
    key, power = np.zeros(gaps + 1, np.int64), np.ones(gaps, np.int64)
    for k in range(1, gaps):
        power[k] = power[k - 1] * (len(starts) + 1)
    everything = len(wanted) == 1 and wanted[0] < 0
    found = 0
    for i in range(len(offsets) - 1):
        if not used[i]:
            continue
        distinct = _distinct_grams(table, offsets[i], offsets[i + 1], slot, gram, first, last)
        depth, choice[0] = 0, -1
        while depth >= 0:
            choice[depth] += 1
            c = choice[depth]
            if c == distinct:
                depth -= 1
                continue
            g = gram[c]
            if depth > 0 and last[c] <= reach[depth - 1]:
                continue
            if _clashes(tokens, starts, sizes, g, gram, choice[:depth]):
                continue
            key[depth + 1] = key[depth] + (g + 1) * power[depth]
            listed = everything
            if not everything:
                at = np.searchsorted(wanted, key[depth + 1])
                listed = at < len(wanted) and wanted[at] == key[depth + 1]
            if listed and (parts > np.uint64(1) or found < len(out_key)):
                length = _write(
                    tokens, offsets, table, sizes, i, key[depth + 1], window, template, written
                )
                state = _hash(written, length)
                listed = state % parts == part
                if listed and found < len(out_key):
                    out_sequence[found], out_key[found] = i, key[depth + 1]
                    out_hash[found] = state
            found += listed
            if depth + 1 < gaps:
                position = first[c]
                while depth > 0 and position <= reach[depth - 1]:
                    position = _next(table[sizes[g] - 1], g, position)
                reach[depth] = position
                depth += 1
                choice[depth] = -1
    return found
