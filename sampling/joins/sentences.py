"""The words and the tags of texts as numbers, and models of n-grams of them."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from grammar.arrays import IntArray, LongArray
from grammar.errors import SchemaError
from induction.corpus.corpus import Corpus
from induction.language.language_model import MARKS
from induction.language.ngram_counts import BEGIN, END, UNKNOWN, count_ngrams
from induction.language.ngrams import NGramModel
from sampling.examples.text_columns import Side
from sampling.joins.kernels import Automaton

__all__ = ["TAG_ORDER", "WORD_ORDER", "Rows", "Sentences", "automaton", "tags_of", "words_of"]

WORD_ORDER, TAG_ORDER = 2, 3
"""Words of an n-gram. Trigrams of words of a small corpus prefer what it has by heart."""

NO_TAG = "?"


class Rows(NamedTuple):
    """One value a word of many texts: word w has ``names[codes[w]]``."""

    codes: IntArray
    names: list[str]
    offsets: LongArray


def words_of(side: Side) -> Rows:
    """Return the words of texts, in small letters."""
    return Rows(side.codes, [form.lower() for form in side.forms.to_pylist()], side.offsets)


def tags_of(side: Side, corpus: Corpus) -> Rows | None:
    """Return the tags of texts: the labels right above words, or the column of tags.

    None if there are none. Numbers, which sentiment trees have for labels, are no tags.
    """
    bank = side.treebank
    if bank is not None:
        words = np.flatnonzero(bank.is_word)
        above = bank.parent[words]
        names = [*bank.symbols, NO_TAG]
        codes = np.where(bank.size[above] == 2, bank.label[above], len(names) - 1)
        used = {names[c] for c in np.unique(codes).tolist()} - {NO_TAG}
        plain = all(name.isdecimal() for name in used)
        return None if plain else Rows(codes.astype(np.int32), names, side.offsets)
    if side.name != "text" or "tags" not in corpus.names:
        return None
    coded = corpus.arrow("tags").combine_chunks().flatten().dictionary_encode()
    codes = coded.indices.to_numpy(zero_copy_only=False).astype(np.int32)
    return Rows(codes, coded.dictionary.to_pylist(), side.offsets)


@dataclass(frozen=True, eq=False)
class Sentences:
    """Sentences as numbers of a vocabulary, each with its end.

    Attributes
    ----------
    names : tuple of str
        The vocabulary, the marks of a language model first.
    tokens, offsets : int32[], int64[n + 1]
        Sentence i is ``tokens[offsets[i]:offsets[i + 1]]``, the last of them the end.
    order : int
        Of the n-grams that are counted.
    """

    names: tuple[str, ...]
    tokens: IntArray
    offsets: LongArray
    order: int = WORD_ORDER

    @classmethod
    def of(
        cls, rows: Sequence[Rows], names: Sequence[str] | None = None, order: int = WORD_ORDER
    ) -> Sentences:
        """Number the rows of all sides, one after the other; by their own names if none are given.

        Examples
        --------
        >>> rows = Rows(np.array([0, 1, 0]), ["a", "b"], np.array([0, 2, 3]))
        >>> Sentences.of([rows]).tokens.tolist()
        [3, 4, 2, 3, 2]
        """
        if names is None:
            used = (row.names[c] for row in rows for c in _in_order(row.codes))
            names = tuple(dict.fromkeys((*MARKS, *used)))
        vocabulary = pa.array(names, pa.string())
        tokens, lengths = [], []
        for row in rows:
            found = pc.index_in(pa.array(row.names, pa.string()), value_set=vocabulary)
            numbers = found.fill_null(UNKNOWN).to_numpy(zero_copy_only=False)
            tokens.append(np.insert(numbers[row.codes], row.offsets[1:], END))
            lengths.append(np.diff(row.offsets) + 1)
        offsets = np.concatenate(([0], np.cumsum(np.concatenate(lengths))))
        return cls(tuple(names), np.concatenate(tokens).astype(np.int32), offsets, order)

    def take(self, mask: object) -> Sentences:
        """Return the sentences of a mask, with the same vocabulary."""
        kept = np.asarray(mask, np.bool_)
        lengths = np.diff(self.offsets)
        offsets = np.concatenate(([0], np.cumsum(lengths[kept])))
        return replace(self, tokens=self.tokens[np.repeat(kept, lengths)], offsets=offsets)

    @functools.cached_property
    def automaton(self) -> Automaton:
        """The model of the n-grams of these sentences."""
        return automaton(self)

    def checked(self) -> Sentences:
        """Return the sentences, having seen that they are some (else SchemaError)."""
        sound = (
            self.names[: len(MARKS)] == MARKS
            and len(self.offsets) > 1
            and self.offsets[0] == 0
            and self.offsets[-1] == len(self.tokens)
            and (np.diff(self.offsets) > 0).all()
            and (self.tokens[self.offsets[1:] - 1] == END).all()
            and self.tokens.min() >= 0
            and self.tokens.max() < len(self.names)
        )
        if not sound:
            raise SchemaError("the sentences of the score are damaged")
        return self


def _in_order(codes: IntArray) -> list[int]:
    """Return the codes that occur, in the order of their first occurrence."""
    kept, first = np.unique(codes, return_index=True)
    return kept[np.argsort(first)].tolist()


def automaton(sentences: Sentences) -> Automaton:
    """Estimate a model of n-grams (interpolated modified Kneser-Ney)."""
    starts = np.insert(sentences.tokens, sentences.offsets[:-1], BEGIN).astype(np.int32)
    offsets = sentences.offsets + np.arange(len(sentences.offsets))
    trie = count_ngrams(starts, offsets, sentences.order, len(sentences.names))
    model = NGramModel(sentences.names, trie)
    return Automaton(
        trie.first_child,
        trie.word,
        trie.suffix,
        model.node_log_probability,
        model.node_log_backoff,
        1 + BEGIN,
        int(trie.levels[-2]),
        sentences.order,
    )
