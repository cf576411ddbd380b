"""Draws of a span grammar: pairs of sites by number, and whether what they make is new.

Texts are compared by polynomial hashes modulo 2**61 - 1. Hashes of the beginnings of a text are
kept for both ends of every word, so the hash of a spliced text costs a few products, whatever its
length. Two different texts collide with a probability of about length / 2**61.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from grammar.arrays import Index, IntArray, LongArray, kernel
from grammar.hashing import Keys, slot_of
from grammar.rng import next_uniform, open_stream
from sampling.examples.text_columns import Side
from sampling.joins.spacing import KEPT, SPACE, Joints, joint, read_joints
from sampling.spans.pools import Pools
from sampling.spans.sites import Sites

__all__ = [
    "WEIGHTED_ROUNDS",
    "DrawTables",
    "Hashes",
    "Mending",
    "draw_examples",
    "draw_tables",
    "drawn_entry",
    "example_hashes",
    "guides",
    "hash_sides",
    "read_mending",
    "site_pieces",
    "site_words",
    "span_hashes",
    "spliced_hashes",
]

_M61 = np.uint64(2**61 - 1)
_BASE = np.uint64(1_000_003_489_214_577_133)
_JOIN = np.uint64(1_844_674_407_370_955_161)
_LOW30, _LOW31 = np.uint64(2**30 - 1), np.uint64(2**31 - 1)
_SPACE_HASH = np.uint64(33)
_S1, _S30, _S31, _S61 = np.uint64(1), np.uint64(30), np.uint64(31), np.uint64(61)
_SPREAD = np.uint64(0x9E3779B97F4A7C15)
WEIGHTED_ROUNDS = 4
"""So many times the number of pairs is drawn at random before the rest is gone through in turn."""


class Hashes(NamedTuple):
    """Hashes of the beginnings of texts, for all words of all sides one after the other.

    ``at_start[w]`` is that of the text before word w and ``at_end[w]`` that of the text up to its
    end; ``start`` and ``end`` count bytes from the beginning of the text. ``whole`` and ``size``
    are of whole texts, one row an example, one column a side. ``power[k]`` is the base to the k.
    """

    at_start: Keys
    at_end: Keys
    start: LongArray
    end: LongArray
    whole: Keys
    size: LongArray
    power: Keys


class Mending(NamedTuple):
    """What the hash of a text is made of whose seams are mended (:mod:`sampling.joins.spacing`).

    ``on`` says whether they are. Site s has the words ``first[s, k]`` to ``last[s, k]`` of side k,
    and its text the words ``begin[s, k]`` to ``stop[s, k] - 1``. ``variant`` and ``bytes`` are the
    hash and size of each form that a word may take.
    """

    on: bool
    joints: Joints
    hashes: Hashes
    example: IntArray
    first: LongArray
    last: LongArray
    begin: LongArray
    stop: LongArray
    variant: Keys
    bytes: LongArray


class DrawTables(NamedTuple):
    """What a draw is made of.

    ``mending`` says what is mended; ``pieces`` and ``span`` are from :func:`site_pieces` and
    :func:`span_hashes`. Host site ``hosts[h]`` is drawn by ``host_ends``, the running sum of
    its probability; then an entry of its pool by ``pool_ends``, running sums within each pool
    (:func:`guides` say where to look). ``pair_ends`` are running sums of the number of pairs of
    each host.
    """

    mending: Mending
    pieces: Keys
    span: Keys
    hosts: IntArray
    host_ends: NDArray[np.float64]
    host_guide: IntArray
    pool: IntArray
    pool_offsets: LongArray
    pool_fillers: IntArray
    pool_ends: NDArray[np.float64]
    pool_guide: IntArray
    pair_ends: LongArray


@kernel(inline="always")
def _reduce(x: np.uint64) -> np.uint64:
    x = (x & _M61) + (x >> _S61)
    return x - _M61 if x >= _M61 else x


@kernel(inline="always")
def _times(a: np.uint64, b: np.uint64) -> np.uint64:
    """Multiply modulo 2**61 - 1, in halves of 31 and 30 bits."""
    a_high, a_low = a >> _S31, a & _LOW31
    b_high, b_low = b >> _S31, b & _LOW31
    middle = a_low * b_high + a_high * b_low
    return _reduce(
        a_high * b_high * np.uint64(2)
        + (middle >> _S30)
        + ((middle & _LOW30) << _S31)
        + a_low * b_low
    )


def hash_sides(sides: tuple[Side, ...]) -> Hashes:
    """Hash the texts of all sides."""
    longest = max(int(np.diff(side.text_offsets).max(initial=0)) for side in sides)
    power = _powers(2 * longest + 1)
    parts = [
        _hash_side(side.text, side.text_offsets, side.offsets, side.start, side.end)
        for side in sides
    ]
    at_start, at_end, start, end = (np.concatenate([part[k] for part in parts]) for k in range(4))
    whole = np.stack([part[4] for part in parts], axis=1)
    size = np.stack([np.diff(side.text_offsets) for side in sides], axis=1)
    return Hashes(at_start, at_end, start, end, whole, size, power)


@kernel()
def _powers(size: int) -> Keys:
    power = np.ones(size + 1, np.uint64)
    for k in range(size):
        power[k + 1] = _times(power[k], _BASE)
    return power


@kernel()
def _hash_side(
    text: Any, text_offsets: LongArray, offsets: LongArray, start: LongArray, end: LongArray
) -> Any:
    words = len(start)
    at_start, at_end = np.zeros(words, np.uint64), np.zeros(words, np.uint64)
    place_start, place_end = np.empty(words, np.int64), np.empty(words, np.int64)
    whole = np.zeros(len(offsets) - 1, np.uint64)
    for i in range(len(offsets) - 1):
        begin, at, value = text_offsets[i], text_offsets[i], np.uint64(0)
        for w in range(offsets[i], offsets[i + 1]):
            while at < start[w]:
                value = _reduce(_times(value, _BASE) + np.uint64(text[at]) + _S1)
                at += 1
            at_start[w], place_start[w] = value, at - begin
            while at < end[w]:
                value = _reduce(_times(value, _BASE) + np.uint64(text[at]) + _S1)
                at += 1
            at_end[w], place_end[w] = value, at - begin
        while at < text_offsets[i + 1]:
            value = _reduce(_times(value, _BASE) + np.uint64(text[at]) + _S1)
            at += 1
        whole[i] = value
    return at_start, at_end, place_start, place_end, whole


@kernel(inline="always")
def _between(before: np.uint64, until: np.uint64, size: int, power: Keys) -> np.uint64:
    """Return the hash of the last ``size`` bytes of a beginning with the hash ``until``."""
    return _reduce(until + _M61 - _times(before, power[size]))


def site_words(sites: Sites, sides: tuple[Side, ...]) -> tuple[LongArray, LongArray]:
    """Return the first and last word of every span of every site, counted over all sides."""
    counts = np.array([0, *(len(side.codes) for side in sides)], np.int64)
    shift = np.cumsum(counts)[:-1]
    begins = [side.offsets[sites.example] + k for side, k in zip(sides, shift, strict=True)]
    first = np.asarray(np.stack(begins, axis=1) + sites.start, np.int64)
    return first, np.asarray(first + (sites.end - sites.start - 1), np.int64)


@kernel()
def site_pieces(hashes: Hashes, example: IntArray, first: LongArray, last: LongArray) -> Keys:
    """Return what the hash of a spliced text is made of, side by side for every site.

    Row (s, k) holds the hash of the text before the span in side k; the hash of the span and its
    bytes; the hash of the text behind it and its bytes.
    """
    pieces = np.empty((len(first), first.shape[1], 5), np.uint64)
    for s in range(len(first)):
        for k in range(first.shape[1]):
            a, b, i = first[s, k], last[s, k], example[s]
            size, rest = hashes.end[b] - hashes.start[a], hashes.size[i, k] - hashes.end[b]
            pieces[s, k, 0] = hashes.at_start[a]
            pieces[s, k, 1] = _between(hashes.at_start[a], hashes.at_end[b], size, hashes.power)
            pieces[s, k, 2] = size
            pieces[s, k, 3] = _between(hashes.at_end[b], hashes.whole[i, k], rest, hashes.power)
            pieces[s, k, 4] = rest
    return pieces


@kernel()
def span_hashes(pieces: Keys) -> Keys:
    """Return one number for the texts of a site's spans: equal for equal texts."""
    result = np.zeros(len(pieces), np.uint64)
    for s in range(len(pieces)):
        for k in range(pieces.shape[1]):
            result[s] = _reduce(_times(result[s], _JOIN) + pieces[s, k, 1])
    return result


@kernel()
def example_hashes(hashes: Hashes) -> Keys:
    """Return one number for the texts of every example of the corpus."""
    result = np.zeros(len(hashes.whole), np.uint64)
    for i in range(len(result)):
        for k in range(hashes.whole.shape[1]):
            result[i] = _reduce(_times(result[i], _JOIN) + hashes.whole[i, k])
    return result


def read_mending(
    hashes: Hashes, sites: Sites, sides: tuple[Side, ...], names: Sequence[str]
) -> Mending:
    """Return what mended texts are hashed by; ``names`` say what is mended, if anything."""
    first, last = site_words(sites, sides)
    begin = first - sites.start
    counts = np.stack([side.lengths[sites.example] for side in sides], axis=1)
    joints = read_joints(sides, names)
    variant, size = _hash_variants(joints.text, joints.bounds)
    return Mending(
        bool(names), joints, hashes, sites.example, first, last, begin, begin + counts, variant,
        size,
    )  # fmt: skip


@kernel()
def _hash_variants(text: Any, bounds: LongArray) -> tuple[Keys, LongArray]:
    value, size = np.zeros(len(bounds) - 1, np.uint64), np.zeros(len(bounds) - 1, np.int64)
    for v in range(len(value)):
        size[v] = bounds[v + 1] - bounds[v]
        for at in range(bounds[v], bounds[v + 1]):
            value[v] = _reduce(_times(value[v], _BASE) + np.uint64(text[at]) + _S1)
    return value, size


@kernel(inline="always")
def _behind(value: np.uint64, piece: np.uint64, size: int, power: Keys) -> np.uint64:
    """Return the hash of a text with a piece behind it."""
    return _reduce(_times(value, power[size]) + piece)


@kernel()
def _mended_hash(pieces: Keys, m: Mending, host: int, filler: int, k: int) -> np.uint64:
    """Return the hash of one text that a host site filled by another site makes, once mended."""
    h, power = m.hashes, m.hashes.power
    a, b, c, d = m.first[host, k], m.last[host, k], m.first[filler, k], m.last[filler, k]
    article, first, last, left, right = joint(
        m.joints, m.begin[host, k], m.stop[host, k], (a, b), (c, d)
    )
    value = pieces[host, k, 0]
    if article >= 0 or left != KEPT:
        before = a - 1
        value = h.at_end[before]
        if article >= 0:
            value = _behind(h.at_start[before], m.variant[article], m.bytes[article], power)
        if left == SPACE:
            value = _behind(value, _SPACE_HASH, 1, power)
        elif left == KEPT:
            size = h.start[a] - h.end[before]
            gap = _between(h.at_end[before], h.at_start[a], size, power)
            value = _behind(value, gap, size, power)
    if first < 0 and last < 0:
        value = _behind(value, pieces[filler, k, 1], pieces[filler, k, 2], power)
    else:
        value = _mended_filler(value, m, c, d, first, last)
    if right == KEPT:
        return _behind(value, pieces[host, k, 3], pieces[host, k, 4], power)
    if right == SPACE:
        value = _behind(value, _SPACE_HASH, 1, power)
    i = m.example[host]
    size = h.size[i, k] - h.start[b + 1]
    rest = _between(h.at_start[b + 1], h.whole[i, k], size, power)
    return _behind(value, rest, size, power)


@kernel()
def _mended_filler(
    value: np.uint64, m: Mending, c: Any, d: Any, first: Any, last: Any
) -> np.uint64:
    """Return the hash of a text with the words c to d behind it, of which ends are other forms."""
    h, power = m.hashes, m.hashes.power
    since, at = h.at_start[c], h.start[c]
    if first >= 0:
        value = _behind(value, m.variant[first], m.bytes[first], power)
        since, at = h.at_end[c], h.end[c]
    until, to = h.at_end[d], h.end[d]
    if last >= 0:
        until, to = h.at_start[d], h.start[d]
    value = _behind(value, _between(since, until, to - at, power), to - at, power)
    if last >= 0:
        value = _behind(value, m.variant[last], m.bytes[last], power)
    return value


@kernel()
def _spliced_hash(power: Keys, tables: DrawTables, host: int, filler: int) -> np.uint64:
    """Return the number of the texts that a host site filled by another site makes."""
    result, pieces = np.uint64(0), tables.pieces
    for k in range(pieces.shape[1]):
        if tables.mending.on:
            value = _mended_hash(pieces, tables.mending, host, filler, k)
        else:
            value = _times(pieces[host, k, 0], power[pieces[filler, k, 2]])
            value = _times(_reduce(value + pieces[filler, k, 1]), power[pieces[host, k, 4]])
            value = _reduce(value + pieces[host, k, 3])
        result = _reduce(_times(result, _JOIN) + value)
    return result


@kernel()
def spliced_hashes(power: Keys, tables: DrawTables, host: IntArray, filler: IntArray) -> Keys:
    """Return the number of the texts that each host site filled by another site makes."""
    result = np.empty(len(host), np.uint64)
    for r in range(len(host)):
        result[r] = _spliced_hash(power, tables, host[r], filler[r])
    return result


@kernel()
def guides(ends: NDArray[np.float64], offsets: LongArray) -> IntArray:
    """Return, for every k of n rows with running sums, where the search for k / n begins.

    With such a guide a draw looks at two entries on average, however many there are (Chen & Asau
    1974, On generating random variates from an empirical distribution).
    """
    guide = np.zeros(len(ends), np.int32)
    for r in range(len(offsets) - 1):
        first, size = offsets[r], offsets[r + 1] - offsets[r]
        at = 0
        for k in range(size):
            while at < size - 1 and ends[first + at] <= k / size:
                at += 1
            guide[first + k] = at
    return guide


@kernel(inline="always")
def _drawn(ends: Any, guide: IntArray, first: Index, last: Index, u: float) -> Index:
    """Return the first place in [first, last) whose end is above u; at most the last."""
    at: Any = first + guide[first + min(int(u * (last - first)), last - first - 1)]
    # rounding may put the guide one too far
    while at > first and ends[at - 1] > u:
        at -= 1
    while at < last - 1 and ends[at] <= u:
        at += 1
    return at


@kernel(inline="always")
def drawn_entry(tables: DrawTables, host: int, u: float) -> Index:
    """Return the entry of a host site's pool that a number in [0, 1) draws."""
    row = tables.pool[host]
    first, last = tables.pool_offsets[row], tables.pool_offsets[row + 1]
    return _drawn(tables.pool_ends, tables.pool_guide, first, last, u)


@kernel(inline="always")
def _shuffled(key: np.uint64, number: int, size: int) -> Index:
    """Return the image of a number under a permutation of [0, size) that the key chooses.

    Four Feistel rounds permute the numbers of 2k bits; those beyond ``size`` are walked over.
    """
    half = np.uint64(1)
    while (np.uint64(1) << (half + half)) < np.uint64(size):
        half += _S1
    mask = (_S1 << half) - _S1
    value = np.uint64(number)
    while True:
        left, right = value >> half, value & mask
        for r in range(4):
            mixed = (right + key + np.uint64(r) * _SPREAD) * np.uint64(0xBF58476D1CE4E5B9)
            mixed = (mixed ^ (mixed >> np.uint64(29))) * np.uint64(0x94D049BB133111EB)
            left, right = right, left ^ ((mixed >> np.uint64(32)) & mask)
        value = (left << half) | right
        if value < np.uint64(size):
            return np.int64(value)


def draw_tables(
    sites: Sites,
    pools: Pools,
    sides: tuple[Side, ...],
    hashes: Hashes,
    names: Sequence[str] = (),
) -> DrawTables:
    """Return what the draws of a grammar are made of; ``names`` say what is mended at seams."""
    pieces = site_pieces(hashes, sites.example, *site_words(sites, sides))
    hosts = np.flatnonzero(pools.of_site >= 0).astype(np.int32)
    sizes = np.diff(pools.offsets)
    running = np.cumsum(pools.weight)
    before = np.concatenate(([0.0], running))[pools.offsets[:-1]]
    host_ends = np.cumsum(pools.host_weight[hosts])
    pool_ends = running - np.repeat(before, sizes)
    return DrawTables(
        read_mending(hashes, sites, sides, names),
        pieces,
        span_hashes(pieces),
        hosts,
        host_ends,
        guides(host_ends, np.array([0, len(hosts)])),
        pools.of_site,
        pools.offsets,
        pools.fillers,
        pool_ends,
        guides(pool_ends, pools.offsets),
        np.cumsum(sizes[pools.of_site[hosts]]),
    )


@kernel()
def draw_examples(
    key: np.uint64,
    attempt: int,
    stop: int,
    rounds: int,
    distinct: bool,
    power: Keys,
    tables: DrawTables,
    known: Keys,
    host_out: IntArray,
    entry_out: LongArray,
) -> tuple[int, int]:
    """Fill the output with the next new examples; return how many, and the attempt to go on from.

    Attempt a is a function of the key and a: up to ``rounds`` it draws a host and a filler by
    their probabilities, behind it takes pair ``a - rounds`` of a permutation of all pairs. What
    leaves its host unchanged, or is known, is passed over.
    """
    made = 0
    pairs = tables.pair_ends[-1]
    hosts = len(tables.hosts)
    while made < len(host_out) and attempt < stop:
        if attempt < rounds:
            state, u = next_uniform(open_stream(key, attempt))
            _, v = next_uniform(state)
            h = _drawn(tables.host_ends, tables.host_guide, 0, hosts, u)
            host = tables.hosts[h]
            entry = drawn_entry(tables, host, v)
        else:
            pair = _shuffled(key, attempt - rounds, pairs)
            h = np.searchsorted(tables.pair_ends, pair, side="right")
            host = tables.hosts[h]
            before = tables.pair_ends[h - 1] if h > 0 else 0
            entry = tables.pool_offsets[tables.pool[host]] + pair - before
        attempt += 1
        filler = tables.pool_fillers[entry]
        if tables.span[host] == tables.span[filler]:
            continue
        if distinct:
            value = _spliced_hash(power, tables, host, filler)
            slot = slot_of(known, value)
            if known[slot] != 0:
                continue
            known[slot] = value + _S1
        host_out[made], entry_out[made] = host, entry
        made += 1
    return made, attempt
