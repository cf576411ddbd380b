"""Templates: what is left of a token sequence when fragments are cut out, interned exactly.

A *fragment* is an ordered tuple of n-grams of one sequence. Cutting it replaces **all** occurrences
of n-gram k by hole k and leaves a *template*; the *environment* of the fragment is the whole
template, or only the tokens within a window of every hole (Andreas 2020, section 3). Everything is
integers here: n-grams are interned exactly by sorting, a fragment is a mixed-radix number of its
n-grams, and templates are grouped by a 64-bit hash whose every match is verified token by token.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from grammar.arrays import BoolArray, IntArray, LongArray
from grammar.errors import NothingNewError, OptionError
from sampling.examples.labels import read_labels
from sampling.geca.options import FragmentOptions
from sampling.geca.sequences import Sequences, TokenExamples
from sampling.geca.template_kernels import (
    SEPARATOR,
    WHOLE,
    Grams,
    Listing,
    Share,
    fill_fragments,
    group_equal,
    hash_cut,
)

__all__ = ["LARGER", "Fragments", "find_fragments", "intern_ngrams", "list_fragments", "room_at"]

LARGER = (
    "allow larger fragments (gaps, size) or a narrower environment (window): sentences that are "
    "not of a small language want geca(gaps=1, size=2, window=2)"
)
"""What helps where nothing can be exchanged: at last the paper's setting for language models."""

_ALL = Share(np.array([-1]), np.uint64(1), np.uint64(0))
# 20 bytes each, and about as much again while they are sorted
_LISTED_AT_ONCE = 8_000_000


@dataclass(frozen=True)
class Fragments:
    """Every (sequence, fragment) pair that can matter, in order of the sequences.

    ``fragment`` indexes ``keys`` (each a mixed-radix number of n-grams); ``template`` and
    ``environment`` number equal templates and equal environments by first appearance.
    """

    sequence: IntArray
    fragment: IntArray
    keys: LongArray
    template: IntArray
    environment: IntArray
    listed: int


def find_fragments(
    examples: TokenExamples,
    options: FragmentOptions,
    *,
    longest_host: int | None = None,
    everything: bool = False,
) -> tuple[Grams, Fragments]:
    """Return the n-grams of examples, and the fragments that can be exchanged; at least one.

    Parameters
    ----------
    longest_host : int, optional
        Examples with more tokens are not cut.
    everything : bool
        With a window, list the fragments that cannot be exchanged too.

    Raises
    ------
    NothingNewError
        If no two fragments can be exchanged; the message says what left none.
    """
    sequences = examples.sequences
    is_word = sequences.tokens != SEPARATOR
    if not is_word.any():
        raise NothingNewError.because("no example has a word", "check the column 'text'")
    grams = intern_ngrams(sequences, options.size, options.max_count)
    if sequences.fixed is not None and sequences.fixed[is_word].all():
        raise NothingNewError.because("every word is protected", "protect fewer words")
    if not len(grams.starts):
        raise NothingNewError.because(
            f"every n-gram occurs more than max_count={options.max_count} times", "raise it"
        )
    lengths = np.diff(sequences.offsets)
    longest = int(lengths.max())
    host = longest if longest_host is None else longest_host
    if lengths.min() > host:
        raise NothingNewError.because(
            f"every example has more than max_source_length={host} tokens", "raise it"
        )
    window = WHOLE if options.window is None else min(options.window, longest)
    some = not everything or window == WHOLE
    found = list_fragments(grams, lengths <= host, options.gaps, window, exchangeable_only=some)
    if not len(found.keys):
        raise NothingNewError.because(
            f"no two of the {found.listed:,} fragments occur in the same environment",
            LARGER,
        )
    if "label" in examples.corpus.names:
        labels = read_labels(examples.corpus).keys()
        found = _by_label(found, labels, apart=options.labels == "same")
    return grams, found


def intern_ngrams(sequences: Sequences, size: int, max_count: int | None) -> Grams:
    """Number the n-grams of 1 to ``size`` tokens that lie within one side of one sequence.

    Those that occur more than ``max_count`` times are left out. Where a token is fixed, no n-gram
    occurs.
    """
    tokens = sequences.tokens.astype(np.int64)
    width = int(tokens.max(initial=0)) + 1
    room = room_at(sequences)
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
    return Grams(
        sequences.tokens, sequences.offsets, table, np.concatenate(starts), np.concatenate(sizes)
    )


def room_at(sequences: Sequences) -> LongArray:
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
    grams: Grams, used: BoolArray, gaps: int, window: int, *, exchangeable_only: bool
) -> Fragments:
    """List the fragments of the used sequences, with their templates and environments.

    Parameters
    ----------
    used : bool[n]
        The sequences to cut.
    window : int
        Tokens on either side of a hole that make its environment, or
        :data:`~sampling.geca.template_kernels.WHOLE`.
    exchangeable_only : bool
        Keep only fragments that share an environment with another fragment. The listing is then
        cut into parts by hash, so that memory does not grow with the number of all fragments.

    Raises
    ------
    OptionError
        If fragments cannot be numbered in 63 bits.
    """
    base = len(grams.starts) + 1
    if base**gaps >= 2**63:
        raise OptionError(
            f"{base - 1} n-grams in {gaps} gaps are more fragments than can be numbered",
            hint="lower gaps or size, or leave out frequent n-grams with max_count",
        )

    fill = partial(fill_fragments, grams, used, gaps, window)
    total = int(fill(_ALL, _room_for(0)))
    parts = -(-total // _LISTED_AT_ONCE) if exchangeable_only else 1
    share = _ALL
    if parts > 1:
        wanted = np.zeros(0, np.int64)
        for part in range(parts):
            one = Share(_ALL.wanted, np.uint64(parts), np.uint64(part))
            some = _listed(fill, 2 * total // parts, one)
            wanted = np.union1d(wanted, _exchangeable(_grouped(grams, some, window), some.key))
        share = _ALL._replace(wanted=wanted)
    found = _listed(fill, min(total, _LISTED_AT_ONCE), share)
    environment = _grouped(grams, found, window)
    if exchangeable_only and parts <= 1:
        kept = np.isin(found.key, _exchangeable(environment, found.key))
        found, environment = found.part(kept), environment[kept]
    template = environment
    if window != WHOLE:
        hashes = hash_cut(grams, found.sequence, found.key, WHOLE)
        template = _grouped(grams, found._replace(hashes=hashes), WHOLE)
    keys, fragment = np.unique(found.key, return_inverse=True)
    return Fragments(
        found.sequence,
        fragment.astype(np.int32),
        keys,
        _renumber(template),
        _renumber(environment),
        total,
    )


def _listed(fill: Callable[[Share, Listing], int], capacity: int, share: Share) -> Listing:
    while True:
        made = _room_for(capacity)
        capacity = int(fill(share, made))
        if capacity <= len(made.key):
            return made.part(slice(capacity))


def _room_for(capacity: int) -> Listing:
    return Listing(
        np.empty(capacity, np.int32), np.empty(capacity, np.int64), np.empty(capacity, np.uint64)
    )


def _grouped(grams: Grams, listed: Listing, window: int) -> LongArray:
    order = np.argsort(listed.hashes, kind="stable")
    return np.asarray(group_equal(grams, listed, order, window))


def _exchangeable(group: LongArray, key: LongArray) -> LongArray:
    """Return the keys that share a group with another key."""
    order = np.lexsort((key, group))
    group, key = group[order], key[order]
    same = group[1:] == group[:-1]
    differs = same & (key[1:] != key[:-1])
    mixed = np.unique(group[1:][differs])
    return np.unique(key[np.isin(group, mixed)])


def _by_label(found: Fragments, labels: LongArray, *, apart: bool) -> Fragments:
    """Tell templates of different labels apart; ``labels`` has a whole number a sequence.

    With ``apart``, fragments and environments too, so that nothing leads from one label to another.
    """
    label = labels[found.sequence]
    width = int(labels.max(initial=0)) + 1

    def told(number: IntArray) -> tuple[LongArray, IntArray]:
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


def _firsts(number: IntArray) -> LongArray:
    """Return, for every entry, the first one with the same number."""
    _, first, inverse = np.unique(number, return_index=True, return_inverse=True)
    return np.asarray(first[inverse], np.int64)


def _renumber(group: LongArray) -> IntArray:
    """Number groups by first appearance (a group is named after its first member)."""
    first = np.unique(group)
    return np.searchsorted(first, group).astype(np.int32)
