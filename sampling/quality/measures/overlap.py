"""Overlap: duplicates, copies of the originals, and leakage into a test set; exactly.

Two texts are *equal* if they have the same words but for upper case. Two texts are *near* if the
sets of their word bigrams, start and end of the text included, have a Jaccard similarity of 0.8 or
more: one word changed in a text of about 17 words. Near pairs are found exactly, without comparing
all pairs: texts that are near share one of their rarest bigrams (prefix filtering, Bayardo et al.
2007), so only those are compared.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from grammar.arrays import BoolArray, FloatArray, LongArray, kernel
from grammar.errors import OptionError
from sampling.quality.measures.words import Text, Words, ngram_ids, numbered, shared_words

__all__ = [
    "Nearest",
    "common_grams",
    "duplicates",
    "leaked",
    "near",
    "near_duplicates",
    "nearest",
    "nearest_work",
    "novel",
    "shares_ngram",
]

NEAR = 0.8
LONG = 13


@dataclass(frozen=True, eq=False)
class Nearest:
    """The most similar original of each text: its row (the first of equals) and the similarity."""

    row: LongArray
    similarity: FloatArray


def duplicates(corpus: Text) -> BoolArray:
    """Say of each example whether an earlier one is equal to it.

    >>> from induction.corpus.corpus import Corpus
    >>> duplicates(Corpus.from_columns(text=["a b", "A  b", "c"])).tolist()
    [False, True, False]
    """
    (words,) = shared_words(corpus)
    repeated = np.ones(len(words), np.bool_)
    repeated[np.unique(words.same, return_index=True)[1]] = False
    return repeated


def near_duplicates(corpus: Text, *, threshold: float = NEAR) -> BoolArray:
    """Say of each example whether *another* one is near to it, or equal."""
    (words,) = shared_words(corpus)
    return _near(words, words, threshold, itself=True)


def novel(augmented: Text, originals: Text) -> BoolArray:
    """Say of each augmented example whether no original is equal to it."""
    words, known = shared_words(augmented, originals)
    return ~np.isin(words.same, known.same)


def leaked(test: Text, corpus: Text) -> BoolArray:
    """Say of each test example whether the corpus has an equal one."""
    return ~novel(test, corpus)


def near(texts: Text, base: Text, *, threshold: float = NEAR) -> BoolArray:
    """Say of each text whether one of the base is near to it, or equal.

    Raises
    ------
    OptionError
        If the threshold is not above 0 and at most 1.

    References
    ----------
    Bayardo, Ma & Srikant 2007, Scaling up all pairs similarity search. Broder 1997, On the
    resemblance and containment of documents.

    Examples
    --------
    >>> from induction.corpus.corpus import Corpus
    >>> text = Corpus.from_columns(text=["a b c d e f g h"])
    >>> base = Corpus.from_columns(text=["a b c d e f g x"])
    >>> near(text, base).tolist(), near(text, base, threshold=0.6).tolist()
    ([False], [True])
    """
    words, other = shared_words(texts, base)
    return _near(words, other, threshold, itself=False)


def nearest(texts: Text, base: Text) -> Nearest:
    """Return the most similar text of the base for each text, by the Jaccard index of bigrams.

    Notes
    -----
    Takes time proportional to the number of pairs that share a bigram, once for each they share.

    References
    ----------
    Broder 1997, On the resemblance and containment of documents.

    Examples
    --------
    >>> from induction.corpus.corpus import Corpus
    >>> base = Corpus.from_columns(text=["x", "a b c d"])
    >>> found = nearest(Corpus.from_columns(text=["a b c"]), base)
    >>> found.row.tolist(), found.similarity.tolist()  # 3 bigrams of 6
    ([1], [0.5])
    """
    (offsets, gram), (base_offsets, base_gram) = _bigram_sets(*shared_words(texts, base))
    width = 1 + max(int(gram.max(initial=-1)), int(base_gram.max(initial=-1)))
    start, holder = _postings(base_offsets, base_gram, width)
    row, similarity = _nearest(offsets, gram, np.diff(base_offsets), start, holder)
    return Nearest(row, similarity)


def nearest_work(texts: Text, base: Text) -> LongArray:
    """Return for each text how many steps :func:`nearest` takes."""
    (offsets, gram), (_, base_gram) = _bigram_sets(*shared_words(texts, base))
    width = 1 + max(int(gram.max(initial=-1)), int(base_gram.max(initial=-1)))
    steps = np.bincount(base_gram, minlength=width)[gram]
    return np.diff(np.concatenate(([0], np.cumsum(steps)))[offsets])


def shares_ngram(texts: Text, base: Text, *, n: int = LONG) -> BoolArray:
    """Say of each text that has an n-gram whether the base has one of its n-grams.

    The result has one value for each text of at least n words.

    References
    ----------
    Brown et al. 2020, Language models are few-shot learners, appendix C (n = 13).
    """
    words, known = shared_words(texts, base)
    ids, known_ids = ngram_ids((words, known), n)[-1]
    hit = np.isin(ids, known_ids[known_ids >= 0]) & (ids >= 0)
    hits = np.diff(np.concatenate(([0], np.cumsum(hit)))[words.offsets])
    return np.asarray(hits[words.lengths >= n] > 0)


def _near(words: Words, base: Words, threshold: float, *, itself: bool) -> BoolArray:
    if not 0 < threshold <= 1:
        raise OptionError(f"threshold={threshold} is not in (0, 1]", hint="0.8 is common")
    (offsets, gram), (base_offsets, base_gram) = _bigram_sets(words, base)
    # number bigrams by how rare they are, so that the first of a set are its rarest
    width = 1 + max(int(gram.max(initial=-1)), int(base_gram.max(initial=-1)))
    rank = np.empty(width, np.int64)
    rank[np.argsort(np.bincount(base_gram, minlength=width), kind="stable")] = np.arange(width)
    gram, base_gram = _sorted_sets(offsets, rank[gram]), _sorted_sets(base_offsets, rank[base_gram])
    sizes = np.diff(base_offsets)
    prefix = sizes - np.ceil(threshold * sizes - 1e-9).astype(np.int64) + 1
    place = np.arange(len(base_gram)) - np.repeat(base_offsets[:-1], sizes)
    first = place < np.repeat(prefix, sizes)
    cut = np.concatenate(([0], np.cumsum(first)))[base_offsets]
    start, holder = _postings(cut, base_gram[first], width)
    return _has_near(offsets, gram, base_offsets, base_gram, start, holder, threshold, itself)


def _bigram_sets(*texts: Words) -> list[tuple[LongArray, LongArray]]:
    """Return the distinct bigrams of each text with the marks of its start and end, rising."""
    width = texts[0].vocabulary + 1
    keys = []
    for words in texts:
        edge = np.full(len(words.tokens) + len(words), width - 1, np.int64)
        left, right = edge.copy(), edge
        example = np.repeat(np.arange(len(words)), words.lengths)
        at = np.arange(len(words.tokens)) + example
        left[at + 1] = words.tokens
        right[at] = words.tokens
        keys.append(left * width + right)
    number = numbered(pa.array(np.concatenate(keys)))
    bounds = np.cumsum([0, *map(len, keys)])
    total = int(number.max(initial=0)) + 1
    sets = []
    for words, a, b in zip(texts, bounds[:-1], bounds[1:], strict=True):
        owner = np.repeat(np.arange(len(words)), words.lengths + 1)
        pairs = np.unique(owner * total + number[a:b])
        owner, gram = np.divmod(pairs, total)
        sets.append((np.searchsorted(owner, np.arange(len(words) + 1)), gram))
    return sets


def _sorted_sets(offsets: LongArray, gram: LongArray) -> LongArray:
    owner = np.repeat(np.arange(len(offsets) - 1), np.diff(offsets))
    return np.asarray(gram[np.lexsort((gram, owner))])


def _postings(offsets: LongArray, gram: LongArray, width: int) -> tuple[LongArray, LongArray]:
    """Return for each n-gram where the list of examples that have it starts, and the lists."""
    owner = np.repeat(np.arange(len(offsets) - 1), np.diff(offsets))
    order = np.argsort(gram, kind="stable")
    start = np.searchsorted(gram[order], np.arange(width + 1))
    return start.astype(np.int64), owner[order]


@kernel()
def _has_near(
    offsets: LongArray,
    gram: LongArray,
    base_offsets: LongArray,
    base_gram: LongArray,
    start: LongArray,
    holder: LongArray,
    threshold: float,
    itself: bool,
) -> BoolArray:
    found = np.zeros(len(offsets) - 1, np.bool_)
    compared = np.full(len(base_offsets) - 1, -1, np.int64)
    for i in range(len(found)):
        size = offsets[i + 1] - offsets[i]
        prefix = size - int(np.ceil(threshold * size - 1e-9)) + 1
        if itself:
            compared[i] = i
        for e in range(offsets[i], offsets[i] + prefix):
            for p in range(start[gram[e]], start[gram[e] + 1]):
                other = holder[p]
                if compared[other] == i:
                    continue
                compared[other] = i
                common = common_grams(
                    gram, offsets[i], offsets[i + 1],
                    base_gram, base_offsets[other], base_offsets[other + 1],
                )  # fmt: skip
                union = size + base_offsets[other + 1] - base_offsets[other] - common
                if common >= threshold * union - 1e-9:
                    found[i] = True
                    break
            if found[i]:
                break
    return found


@kernel()
def common_grams(a: LongArray, i: int, i_end: int, b: LongArray, j: int, j_end: int) -> int:
    """Return how many numbers two rising stretches share."""
    common = 0
    while i < i_end and j < j_end:
        if a[i] == b[j]:
            common += 1
            i += 1
            j += 1
        elif a[i] < b[j]:
            i += 1
        else:
            j += 1
    return common


@kernel()
def _nearest(
    offsets: LongArray, gram: LongArray, sizes: LongArray, start: LongArray, holder: LongArray
) -> tuple[LongArray, FloatArray]:
    row = np.zeros(len(offsets) - 1, np.int64)
    similarity = np.zeros(len(offsets) - 1)
    common = np.zeros(len(sizes), np.int64)
    touched = np.zeros(len(sizes), np.int64)
    for i in range(len(row)):
        count = 0
        for e in range(offsets[i], offsets[i + 1]):
            for p in range(start[gram[e]], start[gram[e] + 1]):
                other = holder[p]
                if common[other] == 0:
                    touched[count] = other
                    count += 1
                common[other] += 1
        size = offsets[i + 1] - offsets[i]
        for k in range(count):
            other = touched[k]
            jaccard = common[other] / (size + sizes[other] - common[other])
            if jaccard > similarity[i] or (jaccard == similarity[i] and other < row[i]):
                row[i], similarity[i] = other, jaccard
            common[other] = 0
    return row, similarity
