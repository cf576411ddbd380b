"""The n-grams of a corpus as a trie with the counts of Kneser-Ney smoothing.

What a lower order counts is not how often an n-gram occurs but how many different words stand
before it (Kneser & Ney 1995); at the beginning of a sentence nothing can stand before it, so there
the number of occurrences is kept.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from grammar.arrays import FloatArray, IntArray, LongArray

__all__ = ["BEGIN", "END", "FALLBACK", "UNKNOWN", "NGramTrie", "count_ngrams", "discounts_of"]

UNKNOWN, BEGIN, END = 0, 1, 2
"""Numbers of the marks <unk>, <s> and </s>; words are numbered from 3."""

FALLBACK = (0.5, 1.0, 1.5)
"""Discounts of an order whose counts of counts give none, as KenLM's fallback has them."""


@dataclass(frozen=True)
class NGramTrie:
    """N-grams as nodes (see ``induction.language.ngram_kernels``).

    Attributes
    ----------
    levels : int64[order + 2]
        The n-grams of n words are nodes ``levels[n]`` to ``levels[n + 1] - 1``.
    parent, suffix : int64[nodes]
        The n-gram without its last word, and without its first.
    word : int32[nodes]
        The last word.
    first_child : int64[nodes + 1]
        The children of node i are ``first_child[i]`` to ``first_child[i + 1] - 1``.
    count : int64[nodes]
        The Kneser-Ney count.
    """

    levels: LongArray
    parent: LongArray
    suffix: LongArray
    word: IntArray
    first_child: LongArray
    count: LongArray


def count_ngrams(tokens: IntArray, offsets: LongArray, order: int, words: int) -> NGramTrie:
    """Count the n-grams of sentences of at most ``order`` words.

    Parameters
    ----------
    tokens, offsets : int32[], int64[n + 1]
        The sentences, each from BEGIN to END.
    words : int
        How many words there are; every one is a unigram, also if it does not occur.
    """
    room = np.repeat(offsets[1:], np.diff(offsets)) - np.arange(len(tokens))
    # parent, suffix, word and count of the empty n-gram and of the unigrams
    empty, unigrams = np.zeros(1, np.int64), np.zeros(words, np.int64)
    columns = [
        (empty, empty, np.full(1, -1, np.int32), empty),
        (
            unigrams,
            unigrams,
            np.arange(words, dtype=np.int32),
            np.bincount(tokens, minlength=words),
        ),
    ]
    levels = [0, 1, 1 + words]
    # the number of the n-gram that starts at each position
    at = tokens.astype(np.int64) + 1
    for n in range(2, order + 1):
        start = np.flatnonzero(room >= n)
        key = at[start] * words + tokens[start + n - 1]
        kept, first, number, count = np.unique(
            key, return_index=True, return_inverse=True, return_counts=True
        )
        suffix = at[start[first] + 1]
        columns.append((kept // words, suffix, (kept % words).astype(np.int32), count))
        at = np.full(len(tokens), -1, np.int64)
        at[start] = levels[-1] + number
        levels.append(levels[-1] + len(kept))
    parent, suffix, word, count = (np.concatenate(column) for column in zip(*columns, strict=True))
    first_child = np.searchsorted(parent[1:], np.arange(levels[-1] + 1)) + 1
    bounds = np.array(levels)
    _count_predecessors(bounds, parent, suffix, count)
    return NGramTrie(bounds, parent, suffix, word, first_child, count)


def _count_predecessors(
    levels: LongArray, parent: LongArray, suffix: LongArray, count: LongArray
) -> None:
    """Replace the counts of all orders but the highest, except at the beginning of sentences."""
    begins = np.zeros(len(parent), np.bool_)
    begins[1 + BEGIN] = True
    for n in range(1, len(levels) - 1):
        nodes = np.arange(levels[n], levels[n + 1])
        if n > 1:
            begins[nodes] = begins[parent[nodes]]
        if n < len(levels) - 2:
            longer = suffix[levels[n + 1] : levels[n + 2]]
            before = np.bincount(longer, minlength=levels[n + 1])[nodes]
            count[nodes] = np.where(begins[nodes], count[nodes], before)
    # no word of a sentence is its beginning
    count[1 + BEGIN] = 0


def discounts_of(counts: LongArray) -> FloatArray:
    """Return what is taken off counts of 0, 1, 2, and 3 or more (Chen & Goodman 1999, eq. 26).

    With t_k the number of n-grams counted k times and Y = t_1 / (t_1 + 2 t_2), it is
    ``D_k = k - (k + 1) Y t_{k+1} / t_k``. If a t_1, t_2 or t_3 is 0, or a D_k is not in (0, k],
    the counts are too few or not natural ones (an artificial or repeated corpus), and
    :data:`FALLBACK` is returned. Unlike KenLM, D_k = 0 is not accepted: a context that only has
    words counted k times would leave nothing for all others.

    >>> discounts_of(np.array([1] * 8 + [2] * 3 + [3] * 2 + [4])).round(3).tolist()
    [0.0, 0.571, 0.857, 1.857]
    >>> discounts_of(np.array([1, 1, 2])).tolist()
    [0.0, 0.5, 1.0, 1.5]
    """
    t = np.bincount(counts, minlength=5)[:5].tolist()
    if 0 in t[1:4]:
        return np.array([0.0, *FALLBACK])
    y = t[1] / (t[1] + 2 * t[2])
    found = [k - (k + 1) * y * t[k + 1] / t[k] for k in (1, 2, 3)]
    # D_k <= k always holds
    return np.array([0.0, *(found if min(found) > 0 else FALLBACK)])
