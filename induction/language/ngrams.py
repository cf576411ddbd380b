"""N-gram language models with interpolated modified Kneser-Ney smoothing.

The probability of a word w after a context h is (Chen & Goodman 1999, equations 23 to 26)::

    p(w | h) = (c(h w) - D(c(h w))) / c(h) + g(h) p(w | h without its first word)
    g(h) = (D_1 N_1(h) + D_2 N_2(h) + D_3 N_3(h)) / c(h)

where c is the Kneser-Ney count of ``induction.language.ngram_counts``, c(h) the sum of c(h v) over
all words v, N_k(h) the number of words v with c(h v) = k (N_3: 3 or more), and D the discount of
the order. Below the unigrams stands the uniform distribution over the vocabulary with </s> and
<unk>, so an unknown word has a probability, and all sum to one.

A language model is induced from a corpus, so it lives here with the other inductions, where
samplers and their quality measures can use it as well as experiments can.

References
----------
- Kneser & Ney 1995, *Improved backing-off for m-gram language modeling*, ICASSP.
- Chen & Goodman 1999, *An empirical study of smoothing techniques for language modeling*, Computer
  Speech & Language 13.
- Heafield et al. 2013, *Scalable modified Kneser-Ney language model estimation*, ACL: the same
  definitions at the boundaries of sentences.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

import numpy as np

from grammar.arrays import FloatArray, IntArray, LongArray
from grammar.options import Checked, option, read_options, takes
from induction.language.language_model import (
    MARKS,
    LanguageModel,
    NGramMixture,
    Scores,
    encode,
    split_sentences,
)
from induction.language.ngram_counts import BEGIN, UNKNOWN, NGramTrie, count_ngrams, discounts_of
from induction.language.ngram_kernels import fill_probabilities, fill_scores

__all__ = ["NGramModel", "NGramOptions"]


@dataclass(frozen=True, kw_only=True)
class NGramOptions(Checked):
    """The options of :meth:`NGramModel.train`."""

    order: int = option(
        5, "The largest number of words of an n-gram.", source="Chen & Goodman 1999", least=1
    )


class NGramModel(LanguageModel):
    """An interpolated modified Kneser-Ney model; build one with :meth:`train`.

    Attributes
    ----------
    order : int
        Most words of an n-gram.
    discounts : float64[order, 4]
        Row n - 1 is what is taken off counts of 0, 1, 2, and 3 or more, of n-grams of n words.
    trie : NGramTrie
        The n-grams and their counts.
    node_log_probability, node_log_backoff : float64[nodes]
        For every n-gram that of its last word after the others, and the weight of the next lower
        order after it.

    Examples
    --------
    >>> model = NGramModel.train(["the cat sat", "the dog sat", "a dog ran"], order=3)
    >>> model
    NGramModel(order 3: 6 words, 25 n-grams)
    >>> round(float(model.distribution("the dog").sum()), 12)
    1.0
    >>> model.log_probability("the dog ran") > model.log_probability("ran dog the")
    True
    """

    def __init__(self, words: tuple[str, ...], trie: NGramTrie) -> None:
        self.words = words
        self.trie = trie
        self.order = len(trie.levels) - 2
        self.discounts: FloatArray = np.zeros((self.order, 4))
        probability = np.zeros(len(trie.parent))
        backoff = np.ones(len(trie.parent))
        # nothing but the beginning is <s>
        probability[0] = 1 / (len(words) - 1)
        for n in range(1, self.order + 1):
            first, last = trie.levels[n : n + 2].tolist()
            self.discounts[n - 1] = discounts_of(trie.count[first:last])
            columns = trie.parent, trie.suffix, trie.count, self.discounts[n - 1]
            fill_probabilities(first, last, *columns, probability, backoff)
            if n == 1:
                probability[1 + BEGIN] = 0.0
        with np.errstate(divide="ignore"):
            self.node_log_probability: FloatArray = np.log(probability)
            self.node_log_backoff: FloatArray = np.log(backoff)

    def __repr__(self) -> str:
        grams = len(self.trie.parent) - 1 - len(MARKS)
        words = len(self.words) - len(MARKS)
        return f"NGramModel(order {self.order}: {words} words, {grams} n-grams)"

    @classmethod
    @takes(NGramOptions)
    def train(
        cls, sentences: Iterable[str], *, vocabulary: Sequence[str] | None = None, **options: Any
    ) -> NGramModel:
        """Estimate a model.

        Parameters
        ----------
        sentences : iterable of str
            Words between white space, one sentence each.
        vocabulary : sequence of str, optional
            The words the model knows (such as ``words`` of another model that it is to be mixed
            with); all others count as <unk>. None is all words of the sentences.
        **options
            See :class:`NGramOptions`.

        Raises
        ------
        CorpusError
            If there are no sentences, one has no words, or a word is the mark <s> or </s>.
        OptionError
            If an option is unknown or cannot be used.

        Notes
        -----
        Time and memory grow with the number of tokens times the order.
        """
        how = read_options(NGramOptions, options, "NGramModel.train")
        split = split_sentences(sentences)
        words = _vocabulary(chain.from_iterable(split) if vocabulary is None else vocabulary)
        tokens, offsets = encode(split, words)
        starts = np.insert(tokens, offsets[:-1], BEGIN).astype(np.int32)
        trie = count_ngrams(starts, offsets + np.arange(len(offsets)), how.order, len(words))
        return cls(words, trie)

    def score(self, sentences: Iterable[str]) -> Scores:
        """Return the log-probability of every token (see :meth:`LanguageModel.score`)."""
        tokens, offsets = encode(split_sentences(sentences), self.words)
        scores, unknown = np.empty((2, len(tokens)))
        self._read(tokens, offsets, scores, unknown)
        return Scores(offsets, scores, tokens != UNKNOWN, unknown)

    def distribution(self, beginning: str = "") -> FloatArray:
        """Return the probability of every word (see :meth:`LanguageModel.distribution`)."""
        tokens, _ = encode([beginning.split()], self.words)
        # the end of the sentence is not read
        offsets = np.array([0, len(tokens) - 1])
        node = self._read(tokens[:-1], offsets, *np.empty((2, len(tokens))))
        return self.distribution_after(node)

    def distribution_after(self, node: int) -> FloatArray:
        """Return the probability of every word after an n-gram of the trie."""
        contexts = [node]
        while contexts[-1]:
            contexts.append(int(self.trie.suffix[contexts[-1]]))
        probability = np.ones(len(self.words))
        for context in reversed(contexts):
            probability *= np.exp(self.node_log_backoff[context])
            children = slice(*self.trie.first_child[context : context + 2])
            probability[self.trie.word[children]] = np.exp(self.node_log_probability[children])
        return probability

    def _read(
        self, tokens: IntArray, offsets: LongArray, scores: FloatArray, unknown: FloatArray
    ) -> int:
        trie = self.trie
        # a unigram model has no node for the state after <s>
        start = 1 + BEGIN if self.order > 1 else 0
        deepest = int(trie.levels[-2])
        columns = trie.first_child, trie.word, trie.suffix
        weights = self.node_log_probability, self.node_log_backoff
        filled = scores, unknown
        return int(fill_scores(tokens, offsets, start, deepest, *columns, *weights, *filled))

    @staticmethod
    def mixture(models: Sequence[LanguageModel], weights: Sequence[float]) -> NGramMixture:
        """Return the linear interpolation of models (see :class:`NGramMixture`)."""
        return NGramMixture(models, weights)


def _vocabulary(words: Iterable[str]) -> tuple[str, ...]:
    """Return the marks and the words, in the order of their first appearance."""
    return tuple(dict.fromkeys(chain(MARKS, words)))
