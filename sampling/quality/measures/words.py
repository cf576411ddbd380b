"""Corpora as numbered words and n-grams, in a vocabulary that several corpora share.

A word is what white space separates, written as it is. A pair of sentences is read as one text with
a mark between them. All measures of words read texts in this one way.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from grammar.arrays import LongArray
from grammar.errors import CorpusError
from induction.corpus.corpus import Corpus

__all__ = [
    "Bags",
    "Text",
    "Words",
    "bags",
    "ngram_ids",
    "normalised",
    "numbered",
    "shared_words",
    "split_words",
]

_BETWEEN = " ␞ "


@dataclass(frozen=True, eq=False)
class Words:
    """The words of a corpus.

    Attributes
    ----------
    tokens : int64[words]
        The number of each word in a vocabulary shared with the corpora read together with it.
    offsets : int64[examples + 1]
        Example i has the words ``offsets[i]`` to ``offsets[i + 1] - 1``.
    same : int64[examples]
        Equal numbers mean equal texts, but for upper case and white space.
    vocabulary : int
        Words have numbers below this.
    """

    tokens: LongArray
    offsets: LongArray
    same: LongArray
    vocabulary: int

    def __len__(self) -> int:
        return len(self.same)

    @property
    def lengths(self) -> LongArray:
        """Number of words of each example."""
        return np.diff(self.offsets)

    def take(self, chosen: LongArray) -> Words:
        """Return the chosen examples."""
        lengths = self.lengths[chosen]
        offsets = np.concatenate(([0], np.cumsum(lengths)))
        index = np.arange(offsets[-1]) + np.repeat(self.offsets[chosen] - offsets[:-1], lengths)
        return Words(self.tokens[index], offsets, self.same[chosen], self.vocabulary)


Text = Corpus | Words
"""What measures of words read: a corpus, or words already read together with the other corpora."""


def shared_words(*texts: Text) -> tuple[Words, ...]:
    """Read the words of corpora in one vocabulary; words that are read already stay as they are.

    Raises
    ------
    CorpusError
        If a corpus is empty, or a text is missing.

    Examples
    --------
    >>> low, high = (Corpus.from_columns(text=[text]) for text in ("a  b", "A B"))
    >>> one, two = shared_words(low, high)
    >>> one.tokens.tolist(), two.tokens.tolist(), one.same.tolist() == two.same.tolist()
    ([0, 1], [2, 3], True)
    """
    read = tuple(text for text in texts if isinstance(text, Words))
    if len(read) == len(texts):
        return read
    corpora = [text for text in texts if isinstance(text, Corpus)]
    if read:
        raise CorpusError("words and corpora are mixed", hint="read all of them together")
    # the types of Arrow for more than 2 GiB of characters
    together = pa.chunked_array([chunk for c in corpora for chunk in _texts(c).chunks])
    lists = split_words(together)
    starts = lists.offsets.to_numpy() - lists.offsets[0].as_py()
    flat = lists.flatten()
    # an empty text is split into one empty word
    filled = pc.not_equal(flat, "").to_numpy(zero_copy_only=False)
    offsets = np.concatenate(([0], np.cumsum(filled))).astype(np.int64)[starts]
    encoded = flat.filter(pa.array(filled)).dictionary_encode()
    tokens = encoded.indices.to_numpy().astype(np.int64)
    same = numbered(_normalised(lists))
    bounds = np.concatenate(([0], np.cumsum([len(c) for c in corpora])))
    return tuple(
        Words(
            tokens[offsets[a] : offsets[b]],
            offsets[a : b + 1] - offsets[a],
            same[a:b],
            len(encoded.dictionary),
        )
        for a, b in itertools.pairwise(bounds)
    )


def split_words(texts: pa.ChunkedArray) -> pa.Array:
    """Return the words of each text, as a list of large strings; an empty text has one empty word.

    >>> split_words(pa.chunked_array([pa.array([" a  B "], pa.large_string())])).to_pylist()
    [['a', 'B']]
    """
    return pc.utf8_split_whitespace(pc.utf8_trim_whitespace(texts)).combine_chunks()


def normalised(texts: pa.ChunkedArray) -> pa.Array:
    """Return texts (large strings) such that equal ones differ in upper case and white space only.

    >>> normalised(pa.chunked_array([pa.array([" a  B "], pa.large_string())])).to_pylist()
    ['a b']
    """
    return _normalised(split_words(texts))


def _normalised(words: pa.Array) -> pa.Array:
    return pc.utf8_lower(pc.binary_join(words, pa.scalar(" ", pa.large_string())))


def _texts(corpus: Corpus) -> pa.ChunkedArray:
    if not len(corpus):
        raise CorpusError("the corpus is empty", hint="give at least one example")
    sides = [corpus.arrow(name) for name in ("text", "text_pair") if name in corpus.names]
    for side in sides:
        if side.null_count:
            row = int(pc.index(side.is_null(), True).as_py())
            raise CorpusError(
                "a text is missing",
                where=f"example {row} (id {corpus.arrow('id')[row].as_py()!r})",
                hint="fill it in, or drop the example",
            )
    large = [side.cast(pa.large_string()) for side in sides]
    if len(large) == 1:
        return large[0]
    return pc.binary_join_element_wise(*large, pa.scalar(_BETWEEN, pa.large_string()))


def numbered(values: pa.Array) -> LongArray:
    """Number values by where they first stand, in time linear in how many there are.

    >>> numbered(pa.array(["b", "a", "b"])).tolist()
    [0, 1, 0]
    """
    return np.asarray(values.dictionary_encode().indices.to_numpy(), np.int64)


def ngram_ids(words: tuple[Words, ...], order: int) -> list[list[LongArray]]:
    """Number the n-grams of orders 1 to ``order`` of corpora that share a vocabulary.

    The result has one list an order, of one array a corpus: the number of the n-gram that starts
    at each word, or -1 where the text ends before it does.

    Examples
    --------
    >>> words = shared_words(Corpus.from_columns(text=["a b a b", "b"]))
    >>> [ids[0].tolist() for ids in ngram_ids(words, 2)]
    [[0, 1, 0, 1, 1], [0, 1, 0, -1, -1]]
    """
    bounds = np.cumsum([0, *(len(w.tokens) for w in words)])
    tokens = np.concatenate([w.tokens for w in words])
    room = np.concatenate([_words_left(w) for w in words])
    width = max(w.vocabulary for w in words)
    found, ids = [], tokens
    for n in range(1, order + 1):
        if n > 1:
            starts = np.flatnonzero(room >= n)
            keys = ids[starts] * width + tokens[starts + n - 1]
            longer = np.full(len(tokens), -1, np.int64)
            longer[starts] = numbered(pa.array(keys))
            ids = longer
        found.append([ids[a:b] for a, b in itertools.pairwise(bounds)])
    return found


def _words_left(words: Words) -> LongArray:
    """Return for each word how many there are from it to the end of its text."""
    return np.repeat(words.offsets[1:], words.lengths) - np.arange(len(words.tokens))


@dataclass(frozen=True, eq=False)
class Bags:
    """The n-grams of each example with their counts: ``gram`` rises within an example."""

    offsets: LongArray
    gram: LongArray
    count: LongArray

    @property
    def owner(self) -> LongArray:
        """The example of each entry."""
        return np.repeat(np.arange(len(self.offsets) - 1), np.diff(self.offsets))


def bags(words: Words, ids: LongArray) -> Bags:
    """Count the n-grams of each example (ids as :func:`ngram_ids` gives them; -1 is none)."""
    there = ids >= 0
    example = np.repeat(np.arange(len(words)), words.lengths)[there]
    width = int(ids.max(initial=0)) + 1
    keys, count = np.unique(example * width + ids[there], return_counts=True)
    owner, gram = np.divmod(keys, width)
    offsets = np.searchsorted(owner, np.arange(len(words) + 1))
    return Bags(offsets.astype(np.int64), gram, count.astype(np.int64))
