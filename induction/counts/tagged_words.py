"""Words with the tags that they were seen with in a larger corpus than the treebank.

A word that was seen n(w) times, c(w, t) of them with the tag t, has

    P(t | w) = (c(w, t) + P(t | shape of w)) / (n(w) + 1),

and a word never seen has what its shape says: whether it has capitals, digits or a hyphen, and its
last letters. Each further letter moves the distribution of the shorter ending towards what words of
the longer ending were seen with (after Samuelsson 1993 and Brants 2000, *TnT*, section 2.3),

    P(t | e) = (c(e, t) + k P(t | shorter e)) / (n(e) + k),

counted over the words that were seen at most :data:`RARE` times, since those are like unseen ones.
"""

from __future__ import annotations

import sys
from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import scipy.sparse as sp

from grammar.arrays import FloatArray

__all__ = ["RARE", "TaggedWords"]

RARE = 10
"""Words seen more often say nothing of unseen ones."""
_LONGEST = 5
"""Letters of the longest ending."""
_WEIGHT = 2.0
"""How many words the shorter ending is worth."""
_LAST = chr(sys.maxunicode)
"""Stands behind all letters."""


@dataclass(frozen=True, eq=False)
class TaggedWords:
    """How often words were seen with each tag.

    Attributes
    ----------
    words : tuple of str
        In order.
    tags : tuple of str
        The tags that are spoken of.
    counts : sparse array, shape (words, tags)
        How often each was seen with each.

    Examples
    --------
    >>> seen = [("the", "DT"), ("running", "VBG"), ("eating", "VBG")]
    >>> known = TaggedWords.of(seen, ["DT", "VBG"])
    >>> share, seen = known.share("the")
    >>> share.round(2).tolist(), seen
    ([0.87, 0.13], 1.0)
    >>> int(known.share("sleeping")[0].argmax())
    1
    """

    words: tuple[str, ...]
    tags: tuple[str, ...]
    counts: sp.csr_array

    @classmethod
    def of(
        cls,
        tagged: Iterable[tuple[str, str]],
        tags: Sequence[str],
        alike: Mapping[str, str] | None = None,
    ) -> TaggedWords:
        """Count words with their tags.

        Parameters
        ----------
        tagged : iterable of (word, tag)
            The tokens of a corpus; those with other tags are passed over.
        tags : sequence of str
            The tags that are spoken of.
        alike : mapping of str to str, optional
            Tags of the corpus that stand for others.
        """
        alike = alike or {}
        column = {tag: i for i, tag in enumerate(tags)}
        seen = [(word, column.get(alike.get(tag, tag), -1)) for word, tag in tagged]
        seen = [(word, tag) for word, tag in seen if tag >= 0]
        words = sorted({word for word, _ in seen})
        row = {word: i for i, word in enumerate(words)}
        places = ([row[word] for word, _ in seen], [tag for _, tag in seen])
        pairs = sp.coo_array((np.ones(len(seen)), places), shape=(len(words), len(tags)))
        return cls(tuple(words), tuple(tags), sp.csr_array(pairs))

    @cached_property
    def _row(self) -> dict[str, int]:
        return {word: i for i, word in enumerate(self.words)}

    @cached_property
    def _by_ending(self) -> tuple[list[str], sp.csr_array]:
        """The longest endings of rare words in order, and how often each was seen with each tag.

        Words that share an ending are neighbours, as their letters are read from the last.
        """
        totals = np.asarray(self.counts.sum(axis=1)).ravel()
        rare = np.flatnonzero(totals <= RARE).tolist()
        longest = sorted((_endings(self.words[number])[-1], number) for number in rare)
        return [ending for ending, _ in longest], self.counts[[number for _, number in longest]]

    @cached_property
    def _of_endings(self) -> dict[str, FloatArray]:
        return {}

    @cached_property
    def _shares(self) -> dict[str, tuple[FloatArray, float]]:
        return {}

    def share(self, word: str) -> tuple[FloatArray, float]:
        """Return P(t | word), shape (tags,), and how often the word was seen."""
        if word not in self._shares:
            shape, row = self._of_shape(word), self._counts(word)
            seen = float(row.sum())
            self._shares[word] = (row + shape) / (seen + 1.0), seen
        return self._shares[word]

    def _counts(self, word: str) -> FloatArray:
        return _dense(self.counts, self._row.get(word, -1))

    def _of_shape(self, word: str) -> FloatArray:
        share: FloatArray = np.full(len(self.tags), 1.0 / len(self.tags))
        for ending in _endings(word):
            seen = self._with_ending(ending)
            total = seen.sum()
            if total == 0.0:
                break
            share = (seen + _WEIGHT * share) / (total + _WEIGHT)
        return share

    def _with_ending(self, ending: str) -> FloatArray:
        """Return how often rare words with an ending were seen with each tag."""
        if ending not in self._of_endings:
            endings, counts = self._by_ending
            rows = bisect_left(endings, ending), bisect_left(endings, ending + _LAST)
            begin, end = counts.indptr[list(rows)]
            seen = np.bincount(counts.indices[begin:end], counts.data[begin:end], len(self.tags))
            self._of_endings[ending] = seen.astype(np.float64)
        return self._of_endings[ending]


def _dense(matrix: sp.csr_array, number: int) -> FloatArray:
    """Return a row of a matrix; zeros for the number -1."""
    row = np.zeros(matrix.shape[1])
    if number >= 0:
        begin, end = matrix.indptr[number : number + 2]
        row[matrix.indices[begin:end]] = matrix.data[begin:end]
    return row


def _endings(word: str) -> list[str]:
    """Return what is looked at of a word: its shape, then its shape with ever longer endings.

    Each begins with the one before; letters are read from the last.

    >>> _endings("Re-used")[:4]
    ['capital.', 'capital.-', 'capital.-~d', 'capital.-~de']
    """
    if not word.isalpha() and any(c.isdigit() for c in word):
        shape = "digit."
    elif word[:1].isupper():
        shape = "capitals." if len(word) > 1 and word.isupper() else "capital."
    else:
        shape = "small."
    found = [shape]
    if "-" in word[1:-1]:
        shape += "-"
        found.append(shape)
    letters = [letter.lower() for letter in word[: -_LONGEST - 1 : -1][: len(word) - 1]]
    found += [f"{shape}~{''.join(letters[:count])}" for count in range(1, len(letters) + 1)]
    return found
