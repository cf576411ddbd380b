"""Kernels of GECA as a walk: from a fragment to an environment, and on to another fragment.

A *place* is a fragment of one example, with its context and environment. A walk starts at a place
(the host), goes to any place of the same context, from there to any of the same fragment, and from
there to any of the same environment, whose fragment fills the host. So all that GECA licenses can
be drawn, and nothing has to be enumerated: the tables are as large as the corpus.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from grammar.arrays import Bytes, FloatArray, IntArray, LongArray, kernel
from grammar.counter_rng import below, next_uniform, open_stream
from sampling.span_draws import slot_of
from sampling.template_kernels import SEPARATOR, mix

__all__ = [
    "Side",
    "Walks",
    "draw_walks",
    "hosts_of",
    "row_hashes",
    "walk_probabilities",
    "words_of",
    "write_walks",
]

_LOW = np.uint64(2**61 - 1)
_SEED = np.uint64(0x9E3779B97F4A7C15)
_SPACES = frozenset(b" \t\n\r\x0b\x0c\x1c\x1d\x1e\x1f")
_IS_SPACE = np.array([byte in _SPACES for byte in range(256)])


class Side(NamedTuple):
    """One side of all examples: bytes, where each begins, and where its words stand.

    Example i has the words ``offsets[i]`` to ``offsets[i + 1] - 1``; ``token[i]`` is the place of
    the first among the tokens of both sides.
    """

    text: Bytes
    text_offsets: LongArray
    offsets: LongArray
    start: LongArray
    end: LongArray
    token: LongArray


class Walks(NamedTuple):
    """Places in rows by context, fragment and environment; the tokens and n-grams behind them."""

    hosts: LongArray
    sequence: IntArray
    template: IntArray
    fragment: IntArray
    environment: IntArray
    of_template: LongArray
    template_offsets: LongArray
    of_fragment: LongArray
    fragment_offsets: LongArray
    in_environment: LongArray
    environment_offsets: LongArray
    keys: LongArray
    tokens: IntArray
    offsets: LongArray
    table: Any
    starts: LongArray
    sizes: IntArray
    max_length: int


@kernel()
def words_of(text: Bytes, text_offsets: LongArray) -> tuple[LongArray, LongArray, LongArray]:
    """Return where the words of texts stand, and the offsets of their rows."""
    offsets = np.zeros(len(text_offsets), np.int64)
    for fill in range(2):
        words = 0
        start, end = np.empty(offsets[-1], np.int64), np.empty(offsets[-1], np.int64)
        for i in range(len(text_offsets) - 1):
            inside = False
            for at in range(text_offsets[i], text_offsets[i + 1]):
                if _IS_SPACE[text[at]]:
                    inside = False
                    continue
                if not inside:
                    inside = True
                    words += 1
                    if fill == 1:
                        start[words - 1] = at
                if fill == 1:
                    end[words - 1] = at + 1
            offsets[i + 1] = words
    return start, end, offsets


@kernel()
def row_hashes(tokens: IntArray, starts: LongArray, ends: LongArray) -> Any:
    """Return a number below 2**61 for every row ``tokens[starts[i]:ends[i]]``."""
    hashes = np.empty(len(starts), np.uint64)
    for i in range(len(starts)):
        hashes[i] = _hash(tokens, starts[i], ends[i])
    return hashes


@kernel()
def _hash(tokens: Any, start: int, end: int) -> np.uint64:
    # from a small number, a token could lead back to zero, and rows of other lengths would meet
    state = mix(_SEED, end - start)
    for i in range(start, end):
        state = mix(state, tokens[i])
    return state & _LOW


@kernel()
def _hole(t: Walks, key: int, position: int) -> int:
    """Return which n-gram of a fragment (0, 1, ...) begins at a token; -1 for none."""
    base = len(t.sizes) + 1
    k = 0
    while key > 0:
        gram = key % base - 1
        if t.table[t.sizes[gram] - 1, position] == gram:
            return k
        key //= base
        k += 1
    return -1


@kernel()
def _gram(t: Walks, key: int, k: int) -> int:
    """Return n-gram k of a fragment."""
    base = len(t.sizes) + 1
    for _ in range(k):
        key //= base
    return key % base - 1


@kernel()
def hosts_of(t: Walks, pairs: bool) -> LongArray:
    """Return the places that can be hosts: in pairs, those with a hole on either side."""
    kept = np.ones(len(t.sequence), np.bool_)
    for place in range(len(t.sequence) if pairs else 0):
        i, key = t.sequence[place], t.keys[t.fragment[place]]
        before, behind, middle = False, False, False
        for position in range(t.offsets[i], t.offsets[i + 1]):
            middle = middle or t.tokens[position] == SEPARATOR
            if _hole(t, key, position) >= 0:
                before, behind = before or not middle, behind or middle
        kept[place] = before and behind
    return np.flatnonzero(kept)


@kernel()
def _derive(t: Walks, i: int, key: int, filler: int, out: IntArray) -> int:
    """Write an example with a fragment replaced, as far as there is room; return the length."""
    length = 0
    position = t.offsets[i]
    while position < t.offsets[i + 1]:
        k = _hole(t, key, position)
        begin, size, step = position, 1, 1
        if k >= 0:
            step = t.sizes[_gram(t, key, k)]
            gram = _gram(t, filler, k)
            begin, size = t.starts[gram], t.sizes[gram]
        for j in range(begin, begin + size):
            if length < len(out):
                out[length] = t.tokens[j]
            length += 1
        position += step
    return length


@kernel()
def _add(known: Any, value: np.uint64) -> bool:
    """Put a number into a set; return whether it is new there."""
    slot = slot_of(known, value)
    if known[slot] != 0:
        return False
    known[slot] = value + np.uint64(1)
    return True


@kernel()
def draw_walks(
    key: np.uint64,
    attempt: int,
    stop: int,
    t: Walks,
    known: Any,
    known_targets: Any,
    given: Any,
    host_out: LongArray,
    filler_out: IntArray,
) -> tuple[int, int]:
    """Fill the output with the next new examples; return how many, and the attempt to go on from.

    Attempt a is a function of the key and a. New is an example whose sides are in neither set of
    known ones, and that was not given before (a set that grows here).
    """
    made = 0
    out = np.empty(1024, np.int32)
    while made < len(host_out) and attempt < stop:
        state, u = next_uniform(open_stream(key, attempt))
        state, x = next_uniform(state)
        state, v = next_uniform(state)
        _, w = next_uniform(state)
        attempt += 1
        place = t.hosts[below(u, len(t.hosts))]
        held, context = t.fragment[place], t.template[place]
        begin, end = t.template_offsets[context], t.template_offsets[context + 1]
        alike = t.fragment[t.of_template[begin + below(x, end - begin)]]
        begin, end = t.fragment_offsets[alike], t.fragment_offsets[alike + 1]
        e = t.environment[t.of_fragment[begin + below(v, end - begin)]]
        begin, end = t.environment_offsets[e], t.environment_offsets[e + 1]
        filler = t.fragment[t.in_environment[begin + below(w, end - begin)]]
        if filler == held:
            continue
        i = t.sequence[place]
        length = _derive(t, i, t.keys[held], t.keys[filler], out)
        if length > t.max_length:
            continue
        if length > len(out):
            out = np.empty(2 * length, np.int32)
            _derive(t, i, t.keys[held], t.keys[filler], out)
        middle = 0
        while middle < length and out[middle] != SEPARATOR:
            middle += 1
        value = _hash(out, 0, middle)
        if known[slot_of(known, value)] != 0:
            continue
        if middle < length:
            side = _hash(out, middle + 1, length)
            if known_targets[slot_of(known_targets, side)] != 0:
                continue
            value = _hash(out, 0, length)
        if _add(given, value):
            host_out[made], filler_out[made] = place, filler
            made += 1
    return made, attempt


@kernel()
def walk_probabilities(t: Walks, hosts: LongArray, fillers: IntArray) -> FloatArray:
    """Return the probability of each filler given the context of its host.

    Of the places of each environment those of one fragment must stand together.
    """
    result = np.zeros(len(hosts))
    for d in range(len(hosts)):
        context = t.template[hosts[d]]
        first, last = t.template_offsets[context], t.template_offsets[context + 1]
        for j in range(first, last):
            alike = t.fragment[t.of_template[j]]
            result[d] += _exchange_probability(t, alike, fillers[d]) / (last - first)
    return result


@kernel()
def _exchange_probability(t: Walks, held: int, filler: int) -> float:
    """Return the probability of going from a fragment to another by way of an environment."""
    first, last = t.fragment_offsets[held], t.fragment_offsets[held + 1]
    total = 0.0
    for j in range(first, last):
        e = t.environment[t.of_fragment[j]]
        begin, end = t.environment_offsets[e], t.environment_offsets[e + 1]
        shared = _lower(t, begin, end, filler + 1) - _lower(t, begin, end, filler)
        total += shared / (end - begin) / (last - first)
    return total


@kernel()
def _lower(t: Walks, low: int, high: int, fragment: int) -> int:
    """Return the first place in a row of an environment with this fragment or a later one."""
    while low < high:
        middle = (low + high) // 2
        if t.fragment[t.in_environment[middle]] < fragment:
            low = middle + 1
        else:
            high = middle
    return low


@kernel()
def write_walks(
    t: Walks,
    side: Side,
    hosts: LongArray,
    fillers: IntArray,
    names: Bytes,
    bounds: LongArray,
) -> tuple[Any, LongArray, LongArray, LongArray, LongArray]:
    """Write one side of examples: bytes and offsets; and rows of the words that were put in.

    All that is not cut out stays as it is, spacing included. ``names[bounds[k]:bounds[k + 1]]`` is
    the word that token k stands for.
    """
    ends, span_ends = np.zeros(len(hosts) + 1, np.int64), np.zeros(len(hosts) + 1, np.int64)
    for fill in range(2):
        out = np.empty(ends[-1], np.uint8)
        first, last = np.empty(span_ends[-1], np.int64), np.empty(span_ends[-1], np.int64)
        at = spans = 0
        for d in range(len(hosts)):
            i, held = t.sequence[hosts[d]], t.keys[t.fragment[hosts[d]]]
            copied, made = side.text_offsets[i], 0
            word = side.offsets[i]
            while word < side.offsets[i + 1]:
                position = side.token[i] + word - side.offsets[i]
                k = _hole(t, held, position)
                if k < 0:
                    word, made = word + 1, made + 1
                    continue
                at = _copy(out, at, side.text, copied, side.start[word], fill)
                gram = _gram(t, t.keys[fillers[d]], k)
                if fill == 1:
                    first[spans], last[spans] = made, made + t.sizes[gram]
                for j in range(t.sizes[gram]):
                    token = t.tokens[t.starts[gram] + j]
                    if j > 0:
                        if fill == 1:
                            out[at] = 32
                        at += 1
                    at = _copy(out, at, names, bounds[token], bounds[token + 1], fill)
                spans, made = spans + 1, made + t.sizes[gram]
                word += t.sizes[_gram(t, held, k)]
                copied = side.end[word - 1]
            at = _copy(out, at, side.text, copied, side.text_offsets[i + 1], fill)
            ends[d + 1], span_ends[d + 1] = at, spans
    return out, ends, first, last, span_ends


@kernel()
def _copy(out: Bytes, at: int, source: Bytes, begin: int, end: int, fill: int) -> int:
    if fill == 1:
        for b in range(begin, end):
            out[at + b - begin] = source[b]
    return at + end - begin
