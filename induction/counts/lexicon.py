"""Lexicons: how probable each word is under each tag, seen or unseen.

A word that was seen often is left to its counts. A rare word shares the counts of its *class*, the
words of like shape (:func:`induction.trees.unknown.signature`), and a word never seen has them
alone. With c for counts, n(w) for those of a word and k for how much a class weighs,

    P(t | class) = (c_rare(class, t) + k P_rare(t)) / (c_rare(class) + k)
    P(t | w)     = (c(w, t) + k_w P(t | class of w)) / (n(w) + k_w),

where ``c_rare`` counts words seen at most ``rare`` times, and k_w is k for words seen at most
``open_below`` times and 0 for others. By Bayes' rule P(w | t) = P(t | w) P(w) / P(t), where P(w) is
the frequency of the word, ``unseen`` of all going to the classes of unseen words, and P(t) is the
sum of P(t | w) P(w), so that P(. | t) sums to one over the words seen and the classes of others.
(After Petrov et al. 2006, who divide by the unsmoothed P(t).)

Tags may have latent states: t is then a tag with a state, and counts are expected counts.

Where words with their tags are known from a larger corpus (:mod:`induction.counts.tagged_words`),
P(t | class) gives way to what they say of the word itself: P(tag | word) from there, P(state | tag,
class) from here, and k_w grows by how often the word was seen there, at most :data:`HEARD` times.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache

import numpy as np
import scipy.sparse as sp

from grammar.arrays import FloatArray, IntArray, LongArray
from induction.counts.tagged_words import TaggedWords
from induction.trees.unknown import class_of, signature

__all__ = ["HEARD", "Lexicon"]

HEARD = 5.0
"""How many occurrences elsewhere weigh as much as those in the treebank, at most."""


@dataclass(frozen=True, eq=False)
class Lexicon:
    """Counts of words under tags, and what they say about words.

    Attributes
    ----------
    words : tuple of str
        The words seen.
    counts : sparse array, shape (words, tag states)
        How often each stood under each tag (and state); tag states are numbered tag by tag.
    rare, open_below : int
        Up to how many times a word counts for its class, and is influenced by it.
    weight : float
        How many occurrences a class is worth.
    unseen : float
        Share of all words that will be unseen ones.
    tagged : TaggedWords, optional
        Words with their tags, from a larger corpus.
    tag_starts : int array, shape (tags + 1,), optional
        Where the states of each tag begin; needed with ``tagged``.
    """

    words: tuple[str, ...]
    counts: sp.csr_array
    rare: int = 2
    open_below: int = 10
    weight: float = 1.0
    unseen: float = 0.05
    tagged: TaggedWords | None = None
    tag_starts: LongArray | None = None

    @property
    def options(self) -> dict[str, int | float]:
        """How much classes weigh, by name."""
        names = ("rare", "open_below", "weight", "unseen")
        return {name: getattr(self, name) for name in names}

    @cached_property
    def word_ids(self) -> dict[str, int]:
        """The number of each word."""
        return _numbered(self.words)

    @cached_property
    def _frequency(self) -> FloatArray:
        return np.asarray(self.counts.sum(axis=1)).ravel()

    @cached_property
    def _share(self) -> FloatArray:
        """What share of all words each seen word is."""
        return self._frequency / self._frequency.sum() * (1.0 - self.unseen)

    @cached_property
    def _classes(self) -> dict[str, int]:
        return _classified(self.words)[0]

    @cached_property
    def _class_of(self) -> IntArray:
        return _classified(self.words)[1]

    @cached_property
    def _in_class(self) -> tuple[FloatArray, FloatArray]:
        """P(t | class), shape (classes + 1, tag states), the last for new shapes; and P(class)."""
        rare = np.flatnonzero(self._frequency <= max(self.rare, self._frequency.min()))
        shape = (len(self._classes), len(self.words))
        ones = np.ones(len(rare))
        members = sp.csr_array((ones, (self._class_of[rare], rare)), shape=shape)
        seen = (members @ self.counts).toarray()
        total = seen.sum(axis=0)
        prior = total / total.sum()
        share = (seen + self.weight * prior) / (seen.sum(axis=1, keepdims=True) + self.weight)
        size = np.append(seen.sum(axis=1), 0.0) + 1.0
        return np.vstack((share, prior)), size / size.sum()

    @cached_property
    def _pull(self) -> FloatArray:
        """How many occurrences its class is worth for each word."""
        return np.where(self._frequency <= self.open_below, self.weight, 0.0)

    @cached_property
    def _tag(self) -> FloatArray:
        """P(t), shape (tag states,); infinite where it is zero, so that no word is of such a t."""
        in_class, class_share = self._in_class
        frequency, pull = self._frequency, self._pull
        mass = frequency / frequency.sum() * (1.0 - self.unseen) / (frequency + pull)
        known = self.counts.T @ mass
        by_class = np.bincount(self._class_of, mass * pull, minlength=len(in_class))
        found: FloatArray = known + by_class @ in_class + self.unseen * class_share @ in_class
        return np.where(found > 0.0, found, np.inf)

    def counts_of(self, word: str) -> FloatArray:
        """Return how often a word stood under each tag and state, shape (tag states,)."""
        row = np.zeros(self.counts.shape[1])
        known = self.word_ids.get(word, -1)
        if known >= 0:
            begin, end = self.counts.indptr[known : known + 2]
            row[self.counts.indices[begin:end]] = self.counts.data[begin:end]
        return row

    def seen(self) -> FloatArray:
        """Return P(w | t) for every stored count, in the order of the data of ``counts``."""
        word = np.repeat(np.arange(len(self.words)), np.diff(self.counts.indptr))
        state = self.counts.indices
        pull, frequency = self._pull[word], self._frequency[word]
        in_class = self._in_class[0][self._class_of[word], state]
        given_word = (self.counts.data + pull * in_class) / (frequency + pull)
        return given_word * self._share[word] / self._tag[state]

    @cached_property
    def _state_of_tag(self) -> tuple[LongArray, FloatArray]:
        """The tag of each state, and P(state | tag, class), shape (classes + 1, tag states)."""
        starts = self.tag_starts if self.tag_starts is not None else np.arange(self._width + 1)
        tag = np.repeat(np.arange(len(starts) - 1), np.diff(starts))
        # a tag that no word of the class has, has its states as it has them anywhere
        anywhere = np.asarray(self.counts.sum(axis=0)).ravel() + 1e-9
        in_class = self._in_class[0] + 1e-9 * anywhere / anywhere.sum()
        in_tag = np.add.reduceat(in_class, starts[:-1], axis=1)
        share: FloatArray = in_class / in_tag[:, tag]
        return tag, share

    @property
    def _width(self) -> int:
        return int(self.counts.shape[1])

    def emission(self, sentence: Sequence[str]) -> FloatArray:
        """Return P(w | t) for every word of a sentence, shape (words, tag states)."""
        class_share = self._in_class[1]
        rows = np.empty((len(sentence), self._width))
        for i, word in enumerate(sentence):
            known = self.word_ids.get(word, -1)
            if known < 0 and i == 0:
                known = self.word_ids.get(word[:1].lower() + word[1:], -1)
            if known < 0:
                of = self._classes.get(class_of(word), len(self._classes))
                alike, _ = self._elsewhere(word, of, first=i == 0)
                rows[i] = alike * class_share[of] * self.unseen
                continue
            alike, heard = self._elsewhere(self.words[known], self._class_of[known], first=False)
            pull, frequency = self._pull[known], self._frequency[known]
            pull += min(heard, HEARD) if pull else 0.0
            rows[i] = pull * alike
            begin, end = self.counts.indptr[known : known + 2]
            rows[i, self.counts.indices[begin:end]] += self.counts.data[begin:end]
            rows[i] *= self._share[known] / (frequency + pull)
        return rows / self._tag

    def _elsewhere(self, word: str, of: int, *, first: bool) -> tuple[FloatArray, float]:
        """Return P(t | w) but for the treebank's own counts, and how often w was seen elsewhere."""
        if self.tagged is None or class_of(word) == word:
            row: FloatArray = self._in_class[0][of]
            return row, 0.0
        share, heard = self.tagged.share(word)
        if first and word[:1].isupper():
            small, more = self.tagged.share(word[:1].lower() + word[1:])
            share, heard = (small, more) if more > heard else (share, heard)
        tag, state = self._state_of_tag
        return share[tag] * state[of], heard

    def with_counts(self, counts: sp.csr_array) -> Lexicon:
        """Return the lexicon of other counts of the same words."""
        return replace(self, counts=counts)

    def with_tagged_words(self, tagged: TaggedWords | None, tag_starts: LongArray) -> Lexicon:
        """Return the same lexicon beside words with tags from elsewhere."""
        return replace(self, tagged=tagged, tag_starts=tag_starts)


@lru_cache(maxsize=8)
def _numbered(words: tuple[str, ...]) -> dict[str, int]:
    """Return the number of each word; the models of a product have the same words."""
    return {word: number for number, word in enumerate(words)}


@lru_cache(maxsize=8)
def _classified(words: tuple[str, ...]) -> tuple[dict[str, int], IntArray]:
    """Return the number of each class, and the class of each word.

    The models of a product have the same words, and each of them several lexicons.
    """
    names = [signature(word) for word in words]
    numbers = {name: i for i, name in enumerate(sorted(set(names)))}
    return numbers, np.array([numbers[name] for name in names], np.int32)
