"""Templates: what is left of a token sequence when fragments are cut out, interned exactly.

A *fragment* is an ordered tuple of n-grams of one sequence. Cutting it replaces **all** occurrences
of n-gram k by hole k and leaves a *template*; the *environment* of the fragment is the whole
template, or only the tokens within a window of every hole (Andreas 2020, section 3). Everything is
integers here: n-grams are interned exactly by sorting, a fragment is a mixed-radix number of its
n-grams, and templates are grouped by a 64-bit hash whose every match is verified token by token.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numba
import numpy as np
from numpy.typing import NDArray

from grammar.errors import OptionError

__all__ = [
    "Fragments",
    "NGrams",
    "Sequences",
    "cut_columns",
    "intern_ngrams",
    "list_fragments",
    "mix",
]

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
_ALL = np.array([-1])
"""Stands for "every fragment" where a list of wanted ones could be given."""
# 20 bytes each, and about as much again while they are sorted
_LISTED_AT_ONCE = 8_000_000


@dataclass(frozen=True)
class Sequences:
    """Token sequences: sequence i is ``tokens[offsets[i]:offsets[i + 1]]``.

    ``source_end[i]`` is where its source side ends: the separator of a pair, or its end.
    """

    tokens: Ints
    offsets: Longs
    source_end: Longs


@dataclass(frozen=True)
class NGrams:
    """The n-grams of a corpus: ``table[n - 1, p]`` is the one of n tokens at position p, or -1.

    ``start[g]`` is a position at which n-gram g occurs and ``size[g]`` its number of tokens.
    """

    table: Ints
    start: Longs
    size: Ints


@dataclass(frozen=True)
class Fragments:
    """Every (sequence, fragment) pair that can matter, in order of the sequences.

    ``fragment`` indexes ``keys`` (each a mixed-radix number of n-grams); ``template`` and
    ``environment`` number equal templates and equal environments by first appearance.
    """

    sequence: Ints
    fragment: Ints
    keys: Longs
    template: Ints
    environment: Ints
    listed: int


def intern_ngrams(sequences: Sequences, size: int, max_count: int | None) -> NGrams:
    """Number the n-grams of 1 to ``size`` tokens that lie within one side of one sequence.

    Those that occur more than ``max_count`` times are left out.
    """
    tokens = sequences.tokens.astype(np.int64)
    width = int(tokens.max(initial=0)) + 1
    room = _room(sequences)
    table = np.full((size, len(tokens)), -1, np.int32)
    starts, sizes = [], []
    previous, total = tokens, 0
    for n in range(1, size + 1):
        positions = np.flatnonzero(room >= n)
        # an n-gram is its first n - 1 tokens and its last: exact, no hashing
        packed = previous[positions] * width + tokens[positions + n - 1]
        _, first, inverse, counts = np.unique(
            packed, return_index=True, return_inverse=True, return_counts=True
        )
        previous = np.full(len(tokens), -1, np.int64)
        previous[positions] = inverse
        number = np.full(len(first), -1, np.int32)
        kept = counts <= (len(tokens) if max_count is None else max_count)
        number[kept] = np.arange(total, total + kept.sum())
        total += int(kept.sum())
        table[n - 1, positions] = number[inverse]
        starts.append(positions[first[kept]])
        sizes.append(np.full(kept.sum(), n, np.int32))
    return NGrams(table, np.concatenate(starts), np.concatenate(sizes))


def _room(sequences: Sequences) -> Longs:
    """Return, for every position, how many tokens of its own side lie from there on."""
    lengths = np.diff(sequences.offsets)
    end = np.repeat(sequences.offsets[1:], lengths)
    middle = np.repeat(sequences.source_end, lengths)
    position = np.arange(len(sequences.tokens))
    side_end = np.where(position < middle, middle, end)
    return np.where(sequences.tokens == SEPARATOR, 0, side_end - position)


def list_fragments(
    sequences: Sequences,
    grams: NGrams,
    used: NDArray[np.bool_],
    gaps: int,
    window: int,
    *,
    exchangeable_only: bool,
) -> Fragments:
    """List the fragments of the used sequences, with their templates and environments.

    Parameters
    ----------
    used : bool[n]
        The sequences to cut.
    window : int
        Tokens on either side of a hole that make its environment, or :data:`WHOLE`.
    exchangeable_only : bool
        Keep only fragments that share an environment with another fragment. The listing is then
        cut into parts by hash, so that memory does not grow with the number of all fragments.

    Raises
    ------
    OptionError
        If fragments cannot be numbered in 63 bits.
    """
    base = len(grams.start) + 1
    if base**gaps >= 2**63:
        raise OptionError(
            f"{base - 1} n-grams in {gaps} gaps are more fragments than can be numbered",
            hint="lower gaps or size, or leave out frequent n-grams with max_count",
        )
    corpus = (sequences.tokens, sequences.offsets, grams.table, grams.start, grams.size)
    cutting = (used, gaps, window)
    total = _count(corpus, cutting)
    parts = -(-total // _LISTED_AT_ONCE) if exchangeable_only else 1
    wanted = _ALL
    if parts > 1:
        wanted = np.zeros(0, np.int64)
        for part in range(parts):
            found = _listed(corpus, cutting, 2 * total // parts, _ALL, parts, part)
            environment = _grouped(corpus, window, *found)
            wanted = np.union1d(wanted, _exchangeable(environment, found[1]))
    sequence, key, hashes = _listed(corpus, cutting, min(total, _LISTED_AT_ONCE), wanted, 1, 0)
    environment = _grouped(corpus, window, sequence, key, hashes)
    if exchangeable_only and parts <= 1:
        kept = np.isin(key, _exchangeable(environment, key))
        sequence, key, hashes = sequence[kept], key[kept], hashes[kept]
        environment = environment[kept]
    template = environment
    if window != WHOLE:
        hashes = hash_cut(*corpus, sequence, key, WHOLE)
        template = _grouped(corpus, WHOLE, sequence, key, hashes)
    keys, fragment = np.unique(key, return_inverse=True)
    return Fragments(
        sequence,
        fragment.astype(np.int32),
        keys,
        _renumber(template),
        _renumber(environment),
        total,
    )


def _count(corpus: Any, cutting: Any) -> int:
    none = np.empty(0, np.int32), np.empty(0, np.int64), np.empty(0, np.uint64)
    return int(fill_fragments(*corpus, *cutting, _ALL, np.uint64(1), np.uint64(0), *none))


def _listed(
    corpus: Any, cutting: Any, capacity: int, wanted: Longs, parts: int, part: int
) -> tuple[Ints, Longs, NDArray[np.uint64]]:
    while True:
        sequence = np.empty(capacity, np.int32)
        key, hashes = np.empty(capacity, np.int64), np.empty(capacity, np.uint64)
        found = fill_fragments(
            *corpus, *cutting, wanted, np.uint64(parts), np.uint64(part), sequence, key, hashes
        )
        if found <= capacity:
            return sequence[:found].copy(), key[:found].copy(), hashes[:found].copy()
        capacity = found


def _grouped(corpus: Any, window: int, sequence: Any, key: Any, hashes: Any) -> Longs:
    order = np.argsort(hashes, kind="stable")
    return np.asarray(group_equal(*corpus, sequence, key, hashes, order, window))


def _exchangeable(group: Longs, key: Longs) -> Longs:
    """Return the keys that share a group with another key."""
    order = np.lexsort((key, group))
    group, key = group[order], key[order]
    same = group[1:] == group[:-1]
    differs = same & (key[1:] != key[:-1])
    mixed = np.unique(group[1:][differs])
    return np.unique(key[np.isin(group, mixed)])


def _renumber(group: Longs) -> Ints:
    """Number groups by first appearance (a group is named after its first member)."""
    first = np.unique(group)
    return np.searchsorted(first, group).astype(np.int32)


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
            clash = False
            for k in range(depth):
                if _share_token(tokens, starts, sizes, g, gram[choice[k]]):
                    clash = True
                    break
            if clash:
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
                if depth > 0:
                    position = reach[depth - 1] + 1
                    while table[sizes[g] - 1, position] != g:
                        position += 1
                reach[depth] = position
                depth += 1
                choice[depth] = -1
    return found
