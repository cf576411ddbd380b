"""What is said of the words of a text, when some of them are replaced one for one.

Words that are put in are words as :func:`~sampling.neural.masked.edits.words_of` has them, so a new
text has as many as its parent, and word k of one is word k of the other. That tells where any place
of the parent is in the new text, and with it what its tokens, leaves and labelled spans are. Tags,
heads and relations stay as they are.
"""

from __future__ import annotations

import itertools
from bisect import bisect_left, bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pyarrow as pa

from grammar.arrays import LongArray
from grammar.trees.symbols import SymbolTable
from induction.corpus.corpus import COLUMNS, Corpus
from induction.corpus.text.tokens import penn_word
from sampling.examples.examples import read_examples
from sampling.examples.text_columns import Side
from sampling.neural.masked.edits import Span, whole_words, words_of

__all__ = ["OF_WORDS", "Annotations", "Shift"]

_AS_THEY_ARE = ("tags", "heads", "deprels")
_OF_TOKENS = ("tokens", "tree", *_AS_THEY_ARE)
OF_WORDS = (*_OF_TOKENS, "spans")
"""Columns that say something of the words of ``text``."""


class Shift:
    """Where places of a text are in one whose words are others.

    Parameters
    ----------
    old, new : str
        Texts of equally many words, with the same characters between them.

    Examples
    --------
    >>> shift = Shift("old dogs bark", "two dogs sang")
    >>> shift.span((4, 8)), shift.span((9, 13)), shift.span((0, 13))
    ((4, 8), (9, 13), (0, 13))
    >>> Shift("a (dog)", "the (cats)").span((2, 7))
    (4, 10)
    """

    def __init__(self, old: str, new: str) -> None:
        self._old, self._new = words_of(old), words_of(new)
        self._begins = [begin for begin, _ in self._old]

    def span(self, span: Span) -> Span:
        """Return the place of a span, which is of whole words or within one that is the same."""
        begin, end = span
        return (
            self._place(begin, bisect_right(self._begins, begin) - 1),
            self._place(end, bisect_left(self._begins, end) - 1),
        )

    def _place(self, place: int, word: int) -> int:
        """Return the new place of one that is in a word or behind it."""
        if word < 0:
            return place
        begin, end = self._old[word]
        if place >= end:
            return self._new[word][1] + place - end
        return self._new[word][0] + place - begin


@dataclass(frozen=True, eq=False)
class Annotations:
    """The words of a corpus that may be replaced, and its columns of words for new texts.

    Parameters
    ----------
    examples : Corpus
        Checked, with ``text``.

    Examples
    --------
    >>> known = Annotations(Corpus.from_columns(
    ...     text=["Ann left ."], tokens=[["Ann", "left", "."]], tags=[["PROPN", "VERB", "PUNCT"]],
    ...     spans=[[{"start": 0, "end": 3, "label": "PER"}]]))
    >>> known.free(0)  # the second word; the first is a mention
    [1]
    >>> made = known.columns(np.array([0]), ["Ann went ."])
    >>> made["tokens"].to_pylist(), made["tags"].to_pylist()
    ([['Ann', 'went', '.']], [['PROPN', 'VERB', 'PUNCT']])
    """

    examples: Corpus

    def free(self, row: int) -> list[int]:
        """Return the numbers of the words of a text that may be replaced.

        All words, but for those of labelled spans and those that are part of something larger
        (:func:`~sampling.neural.masked.edits.whole_words`), and where words are annotated those
        that are not one of these (*don't*, of *do* and *n't*; the number in a trace ``*-1``).
        """
        text = self._texts[row]
        words = words_of(text)
        found = [(k, words[k]) for k in whole_words(text)]
        if self._spans is not None:
            taken = [(span["start"], span["end"]) for span in self._spans[row]]
            found = [(k, word) for k, word in found if not any(_meet(word, one) for one in taken)]
        if self._side is not None:
            tokens = zip(self._tokens[row], self._forms[row], strict=True)
            whole = {place for place, form in tokens if text[slice(*place)] == form}
            found = [(k, word) for k, word in found if word in whole]
        return [k for k, _ in found]

    def columns(self, rows: LongArray, texts: Sequence[str]) -> Mapping[str, pa.Array]:
        """Return the columns of new texts.

        Parameters
        ----------
        rows : int64[n]
            The number of the text that each was made of.
        texts : sequence of str
            The new texts.
        """
        names = [name for name in OF_WORDS if name in self.examples.names]
        numbers = pa.array(rows)
        made: dict[str, pa.Array] = {
            name: self.examples.arrow(name).combine_chunks().take(numbers)
            for name in names
            if name in _AS_THEY_ARE
        }
        shifts = [
            Shift(self._texts[row], new) for row, new in zip(rows.tolist(), texts, strict=True)
        ]
        if self._side is not None and {"tokens", "tree"} & set(names):
            words = [
                self._words(row, new, shift)
                for row, new, shift in zip(rows.tolist(), texts, shifts, strict=True)
            ]
            if "tokens" in names:
                made["tokens"] = pa.array(words, COLUMNS["tokens"])
            if "tree" in names:
                made["tree"] = self._trees(rows, words)
        if self._spans is not None:
            moved = [
                [_moved(span, shift) for span in self._spans[row]]
                for row, shift in zip(rows.tolist(), shifts, strict=True)
            ]
            made["spans"] = pa.array(moved, COLUMNS["spans"])
        return made

    def _words(self, row: int, new: str, shift: Shift) -> list[str]:
        """Return the words of a new text; those that are the old ones as they are annotated."""
        old = self._texts[row]
        made = []
        for span, form in zip(self._tokens[row], self._forms[row], strict=True):
            written = new[slice(*shift.span(span))]
            made.append(form if written == old[slice(*span)] else written)
        return made

    def _trees(self, rows: LongArray, words: Sequence[Sequence[str]]) -> pa.Array:
        assert self._side is not None
        assert self._side.treebank is not None
        bank = self._side.treebank.take(rows)
        symbols = SymbolTable(bank.symbols)
        label = bank.label.astype(np.int32)
        label[bank.is_word] = [symbols.add(penn_word(word)) for row in words for word in row]
        return bank.relabel(label, symbols).brackets().cast(pa.string())

    @cached_property
    def _side(self) -> Side | None:
        """The words of the texts, where a column says something of each."""
        if not set(_OF_TOKENS) & set(self.examples.names):
            return None
        return read_examples(self.examples).sides[0]

    @cached_property
    def _texts(self) -> list[str]:
        return self.examples.column("text")

    @cached_property
    def _spans(self) -> list[list[dict[str, Any]]] | None:
        return self.examples.column("spans") if "spans" in self.examples.names else None

    @cached_property
    def _forms(self) -> list[list[str]]:
        """How the words of each text are annotated."""
        assert self._side is not None
        written = self._side.forms.take(pa.array(self._side.codes)).to_pylist()
        return [written[a:b] for a, b in _pairs(self._side.offsets)]

    @cached_property
    def _tokens(self) -> list[list[Span]]:
        """Where the words of each text are, in its characters."""
        assert self._side is not None
        side = self._side
        characters = np.concatenate(([0], np.cumsum((side.text & 0xC0) != 0x80)))
        first = characters[side.text_offsets[:-1]]
        owner = np.repeat(np.arange(len(side)), side.lengths)
        begins = (characters[side.start] - first[owner]).tolist()
        ends = (characters[side.end] - first[owner]).tolist()
        places = list(zip(begins, ends, strict=True))
        return [places[a:b] for a, b in _pairs(side.offsets)]


def _pairs(offsets: LongArray) -> list[tuple[int, int]]:
    return list(itertools.pairwise(offsets.tolist()))


def _moved(span: Mapping[str, Any], shift: Shift) -> dict[str, Any]:
    start, end = shift.span((span["start"], span["end"]))
    return {"start": start, "end": end, "label": span["label"]}


def _meet(word: Span, span: Span) -> bool:
    return word[0] < span[1] and span[0] < word[1]
