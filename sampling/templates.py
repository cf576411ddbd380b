"""Templates: what is left of a token sequence when fragments are cut out, interned exactly.

A *fragment* is an ordered tuple of n-grams of one sequence. Cutting it replaces **all** occurrences
of n-gram k by hole k and leaves a *template*; the *environment* of the fragment is the whole
template, or only the tokens within a window of every hole (Andreas 2020, section 3). Everything is
integers here: n-grams are interned exactly by sorting, a fragment is a mixed-radix number of its
n-grams, and templates are grouped by a 64-bit hash whose every match is verified token by token.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from grammar.errors import OptionError
from sampling.template_kernels import SEPARATOR, WHOLE, fill_fragments, group_equal, hash_cut

__all__ = ["Fragments", "NGrams", "Sequences", "by_label", "intern_ngrams", "list_fragments"]

Ints = NDArray[np.int32]
Longs = NDArray[np.int64]

_ALL = np.array([-1])
"""Stands for "every fragment" where a list of wanted ones could be given."""
# 20 bytes each, and about as much again while they are sorted
_LISTED_AT_ONCE = 8_000_000


@dataclass(frozen=True)
class Sequences:
    """Token sequences: sequence i is ``tokens[offsets[i]:offsets[i + 1]]``.

    ``source_end[i]`` is where its source side ends: the separator of a pair, or its end.
    ``fixed`` says which tokens no n-gram may contain, if there are any.
    """

    tokens: Ints
    offsets: Longs
    source_end: Longs
    fixed: NDArray[np.bool_] | None = None


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

    Those that occur more than ``max_count`` times are left out. Where a token is fixed, no n-gram
    occurs.
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
    """Return, for every position, how many tokens lie from there to the end of its side, or to the
    next fixed one."""
    lengths = np.diff(sequences.offsets)
    end = np.repeat(sequences.offsets[1:], lengths)
    middle = np.repeat(sequences.source_end, lengths)
    position = np.arange(len(sequences.tokens))
    side_end = np.where(position < middle, middle, end)
    if sequences.fixed is not None:
        fixed = np.where(sequences.fixed, position, len(position))
        side_end = np.minimum(side_end, np.minimum.accumulate(fixed[::-1])[::-1])
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


def _count(corpus: tuple[Any, ...], cutting: tuple[Any, ...]) -> int:
    none = np.empty(0, np.int32), np.empty(0, np.int64), np.empty(0, np.uint64)
    arguments = (*corpus, *cutting, _ALL, np.uint64(1), np.uint64(0), *none)
    return int(fill_fragments(*arguments))


def _listed(
    corpus: tuple[Any, ...],
    cutting: tuple[Any, ...],
    capacity: int,
    wanted: Longs,
    parts: int,
    part: int,
) -> tuple[Ints, Longs, NDArray[np.uint64]]:
    while True:
        sequence = np.empty(capacity, np.int32)
        key, hashes = np.empty(capacity, np.int64), np.empty(capacity, np.uint64)
        which = wanted, np.uint64(parts), np.uint64(part)
        arguments = (*corpus, *cutting, *which, sequence, key, hashes)
        found = int(fill_fragments(*arguments))
        if found <= capacity:
            return sequence[:found].copy(), key[:found].copy(), hashes[:found].copy()
        capacity = found


def _grouped(corpus: tuple[Any, ...], window: int, sequence: Any, key: Any, hashes: Any) -> Longs:
    order = np.argsort(hashes, kind="stable")
    arguments = (*corpus, sequence, key, hashes, order, window)
    return np.asarray(group_equal(*arguments))


def _exchangeable(group: Longs, key: Longs) -> Longs:
    """Return the keys that share a group with another key."""
    order = np.lexsort((key, group))
    group, key = group[order], key[order]
    same = group[1:] == group[:-1]
    differs = same & (key[1:] != key[:-1])
    mixed = np.unique(group[1:][differs])
    return np.unique(key[np.isin(group, mixed)])


def by_label(found: Fragments, labels: Longs, *, apart: bool) -> Fragments:
    """Tell templates of different labels apart; ``labels`` has a whole number a sequence.

    With ``apart``, fragments and environments too, so that nothing leads from one label to another.
    """
    label = labels[found.sequence]
    width = int(labels.max(initial=0)) + 1

    def told(number: Ints) -> tuple[Longs, Ints]:
        pairs, new = np.unique(number.astype(np.int64) * width + label, return_inverse=True)
        return pairs // width, new.astype(np.int32)

    template = _renumber(_firsts(told(found.template)[1]))
    if not apart:
        return replace(found, template=template)
    kinds, fragment = told(found.fragment)
    environment = _renumber(_firsts(told(found.environment)[1]))
    return replace(
        found,
        fragment=fragment,
        keys=found.keys[kinds],
        template=template,
        environment=environment,
    )


def _firsts(number: Ints) -> Longs:
    """Return, for every entry, the first one with the same number."""
    _, first, inverse = np.unique(number, return_index=True, return_inverse=True)
    return np.asarray(first[inverse], np.int64)


def _renumber(group: Longs) -> Ints:
    """Number groups by first appearance (a group is named after its first member)."""
    first = np.unique(group)
    return np.searchsorted(first, group).astype(np.int32)
