"""Kernels that cut fragments out of token sequences, and compare what is left.

A fragment is one number: n-gram g in hole k counts ``(g + 1) * base ** k`` with base one more than
the number of n-grams.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from grammar.arrays import BoolArray, IntArray, LongArray, kernel
from sampling.geca.rows import Rows, hash_row

__all__ = [
    "SEPARATOR",
    "WHOLE",
    "Grams",
    "Listing",
    "Share",
    "cut",
    "cut_columns",
    "fill_fragments",
    "gram_of",
    "group_equal",
    "hash_cut",
    "hole_at",
]

SEPARATOR = 0
"""The token between the two sides of a pair; words are numbered from 1."""
WHOLE = -1
"""The window that stands for the whole template."""
_BOUNDARY = np.int32(-(2**31) + 1)
_NEXT_WINDOW = np.int32(-(2**31) + 2)


class Grams(NamedTuple):
    """Token sequences, and the n-grams that fragments of them are made of.

    Sequence i is ``tokens[offsets[i]:offsets[i + 1]]``. ``table[n - 1, p]`` is the n-gram of n
    tokens at position p, or -1; n-gram g stands at ``starts[g]`` and has ``sizes[g]`` tokens.
    """

    tokens: IntArray
    offsets: LongArray
    table: IntArray
    starts: LongArray
    sizes: IntArray


class Share(NamedTuple):
    """Which fragments are listed: those ``wanted`` (all, if it is [-1]) in a part, by hash."""

    wanted: LongArray
    parts: np.uint64
    part: np.uint64


class Listing(NamedTuple):
    """Fragments of sequences, with the hash of the environment of each."""

    sequence: IntArray
    key: LongArray
    hashes: NDArray[np.uint64]

    def part(self, rows: Any) -> Listing:
        """Return some rows, copied."""
        return Listing(self.sequence[rows].copy(), self.key[rows].copy(), self.hashes[rows].copy())


@kernel()
def hole_at(table: IntArray, sizes: IntArray, key: int, position: int) -> tuple[int, int]:
    """Return which hole of a fragment (0, 1, ...) begins at a token, and its n-gram; -1 if none."""
    base = len(sizes) + 1
    k = 0
    while key > 0:
        gram = key % base - 1
        # n-grams of a fragment share no token, so at most one of them starts here
        if table[sizes[gram] - 1, position] == gram:
            return k, gram
        key //= base
        k += 1
    return -1, -1


@kernel()
def gram_of(base: int, key: int, k: int) -> int:
    """Return n-gram k of a fragment; -1 if it has fewer. The base is that of the fragments."""
    for _ in range(k):
        key //= base
    return key % base - 1


# what is called for every token takes the arrays that it needs: to take a tuple apart so often
# costs half as much again
@kernel()
def cut(g: Grams, i: int, key: int, out: IntArray) -> int:
    """Write the template of a fragment of sequence i to ``out``; return its length."""
    tokens, offsets, table, _, sizes = g
    length, position, end = 0, offsets[i], offsets[i + 1]
    while position < end:
        k, gram = hole_at(table, sizes, key, position)
        out[length] = tokens[position] if k < 0 else np.int32(-1 - k)
        position += 1 if k < 0 else sizes[gram]
        length += 1
    return length


@kernel()
def cut_columns(g: Grams, sequence: IntArray, key: LongArray) -> Rows:
    """Return the templates of fragments of sequences, one row each."""
    out = np.empty(_longest(g, 0), np.int32)
    ends = np.zeros(len(key) + 1, np.int64)
    for j in range(len(key)):
        ends[j + 1] = ends[j] + cut(g, sequence[j], key[j], out)
    columns = np.empty(ends[-1], np.int32)
    for j in range(len(key)):
        length = cut(g, sequence[j], key[j], out)
        columns[ends[j] : ends[j + 1]] = out[:length]
    return Rows(ends, columns)


@kernel()
def _environment(template: IntArray, length: int, window: int, out: IntArray) -> int:
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


@kernel()
def _write(g: Grams, i: int, key: int, window: int, template: IntArray, out: IntArray) -> int:
    if window < 0:
        return cut(g, i, key, out)
    return _environment(template, cut(g, i, key, template), window, out)


@kernel()
def _longest(g: Grams, window: int) -> int:
    longest = 1
    for i in range(len(g.offsets) - 1):
        longest = max(longest, g.offsets[i + 1] - g.offsets[i])
    return longest * (2 * max(window, 0) + 2)


@kernel()
def hash_cut(g: Grams, sequence: IntArray, key: LongArray, window: int) -> NDArray[np.uint64]:
    """Return the hash of the environment of every listed fragment."""
    room = _longest(g, window)
    template, out = np.empty(room, np.int32), np.empty(room, np.int32)
    hashes = np.empty(len(key), np.uint64)
    for j in range(len(key)):
        length = _write(g, sequence[j], key[j], window, template, out)
        hashes[j] = hash_row(out, 0, length)
    return hashes


@kernel()
def group_equal(g: Grams, listed: Listing, order: LongArray, window: int) -> LongArray:
    """Return, for every listed fragment, the first one whose environment is the same.

    ``order`` sorts the hashes stably. Equal hashes only propose; tokens decide.
    """
    room = _longest(g, window)
    template = np.empty(room, np.int32)
    mine, other = np.empty(room, np.int32), np.empty(room, np.int32)
    group = np.arange(len(order))
    sequence, key, hashes = listed
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
                length = _write(g, sequence[x], key[x], window, template, mine)
            if held != y:
                held = y
                held_length = _write(g, sequence[y], key[y], window, template, other)
            if held_length == length and np.array_equal(mine[:length], other[:length]):
                group[x] = y
                break
    return group


@kernel()
def _share_token(tokens: IntArray, starts: LongArray, sizes: IntArray, g: int, h: int) -> bool:
    for i in range(starts[g], starts[g] + sizes[g]):
        for j in range(starts[h], starts[h] + sizes[h]):
            if tokens[i] == tokens[j]:
                return True
    return False


@kernel()
def _clashes(
    tokens: IntArray, starts: LongArray, sizes: IntArray, g: int, gram: LongArray, chosen: LongArray
) -> bool:
    """Return whether n-gram g shares a token with a chosen one."""
    for c in chosen:  # noqa: SIM110 (kernels cannot use generators)
        if _share_token(tokens, starts, sizes, g, gram[c]):
            return True
    return False


@kernel()
def _next(row: IntArray, gram: int, position: int) -> int:
    """Return the next position at which an n-gram stands."""
    position += 1
    while row[position] != gram:
        position += 1
    return position


@kernel()
def _distinct_grams(
    g: Grams, i: int, slot: LongArray, gram: LongArray, first: LongArray, last: LongArray
) -> int:
    """Write the distinct n-grams of a sequence with their first and last positions."""
    distinct = 0
    for n in range(g.table.shape[0]):
        for position in range(g.offsets[i], g.offsets[i + 1]):
            here = g.table[n, position]
            if here < 0:
                continue
            if slot[here] < 0:
                slot[here] = distinct
                gram[distinct], first[distinct] = here, position
                distinct += 1
            last[slot[here]] = position
    for c in range(distinct):
        slot[gram[c]] = -1
    return distinct


@kernel()
def fill_fragments(
    g: Grams, used: BoolArray, gaps: int, window: int, share: Share, out: Listing
) -> int:
    """List the fragments of the used sequences; return how many there are, written or not.

    N-gram k + 1 of a fragment starts after the begin of n-gram k and shares no token with the ones
    before it.
    """
    room = _longest(g, window)
    template, written = np.empty(room, np.int32), np.empty(room, np.int32)
    gram = np.empty(room * len(g.table), np.int64)
    first, last = np.empty_like(gram), np.empty_like(gram)
    slot = np.full(len(g.starts), -1, np.int64)
    choice, reach = np.empty(gaps, np.int64), np.empty(gaps, np.int64)
    key, power = np.zeros(gaps + 1, np.int64), np.ones(gaps, np.int64)
    for k in range(1, gaps):
        power[k] = power[k - 1] * (len(g.starts) + 1)
    wanted, parts, part = share
    everything = len(wanted) == 1 and wanted[0] < 0
    found = 0
    for i in range(len(g.offsets) - 1):
        if not used[i]:
            continue
        distinct = _distinct_grams(g, i, slot, gram, first, last)
        depth, choice[0] = 0, -1
        while depth >= 0:
            choice[depth] += 1
            c = choice[depth]
            if c == distinct:
                depth -= 1
                continue
            here = gram[c]
            if depth > 0 and last[c] <= reach[depth - 1]:
                continue
            if _clashes(g.tokens, g.starts, g.sizes, here, gram, choice[:depth]):
                continue
            key[depth + 1] = key[depth] + (here + 1) * power[depth]
            listed = everything
            if not everything:
                at = np.searchsorted(wanted, key[depth + 1])
                listed = at < len(wanted) and wanted[at] == key[depth + 1]
            if listed and (parts > np.uint64(1) or found < len(out.key)):
                length = _write(g, i, key[depth + 1], window, template, written)
                state = hash_row(written, 0, length)
                listed = state % parts == part
                if listed and found < len(out.key):
                    out.sequence[found], out.key[found] = i, key[depth + 1]
                    out.hashes[found] = state
            found += listed
            if depth + 1 < gaps:
                position = first[c]
                while depth > 0 and position <= reach[depth - 1]:
                    position = _next(g.table[g.sizes[here] - 1], here, position)
                reach[depth] = position
                depth += 1
                choice[depth] = -1
    return found
