"""The texts that an interpolation model is trained on, and which of them each update takes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from grammar.arrays import IntArray, LongArray
from grammar.errors import CorpusError
from sampling.neural.threads import tokenized

__all__ = ["POOL", "PieceTexts", "masked", "pairs_of", "read_pieces"]

POOL = 32
"""Pairs of so many batches are sorted by length together, so that batches hold little padding."""


@dataclass(frozen=True)
class PieceTexts:
    """Texts as numbers of pieces, one behind the other.

    Attributes
    ----------
    ids : int32[pieces]
        Numbers of pieces.
    words : int32[pieces]
        The word of its text that a piece is of; -1 for the marks at the ends.
    offsets : int64[texts + 1]
        Where each text begins.
    left_out : int
        How many texts were empty, or longer than the model.
    """

    ids: IntArray
    words: IntArray
    offsets: LongArray
    left_out: int = 0

    def __len__(self) -> int:
        return len(self.offsets) - 1

    @property
    def lengths(self) -> LongArray:
        """How many pieces each text has."""
        return np.diff(self.offsets)

    def row(self, number: int) -> tuple[IntArray, IntArray]:
        """Return the pieces of a text, and their words."""
        begin, stop = self.offsets[number : number + 2]
        return self.ids[begin:stop], self.words[begin:stop]


def read_pieces(texts: Sequence[str], tokenizer: Any, longest: int) -> PieceTexts:
    """Cut texts into pieces, without those that are empty or longer than the model.

    Raises
    ------
    CorpusError
        If fewer than two are left.
    """
    ids: list[Any] = []
    words: list[Any] = []
    for begin in range(0, len(texts), 4096):
        part = [text for text in texts[begin : begin + 4096] if text.strip()]
        if not part:
            continue
        cut = tokenized(tokenizer, part, verbose=False)
        for row, found in enumerate(cut["input_ids"]):
            if len(found) <= longest:
                ids.append(found)
                words.append(_words(cut, row, found, tokenizer))
    if len(ids) < 2:
        raise CorpusError(
            f"{len(ids)} of {len(texts)} texts can be used, and mixing needs two",
            hint=f"give texts of at most {longest} pieces, one a line",
        )
    offsets = np.cumsum([0, *map(len, ids)])
    return PieceTexts(_joined(ids), _joined(words), offsets.astype(np.int64), len(texts) - len(ids))


def _joined(rows: Sequence[Any]) -> IntArray:
    return np.concatenate([np.asarray(row, np.int32) for row in rows])


def _words(cut: Any, row: int, ids: Sequence[int], tokenizer: Any) -> list[int]:
    if getattr(cut, "is_fast", False):
        return [-1 if word is None else word for word in cut.word_ids(row)]
    # without a map of words, each piece is one
    special = set(tokenizer.all_special_ids)
    return [-1 if piece in special else place for place, piece in enumerate(ids)]


def pairs_of(texts: PieceTexts, seed: int, update: int, batch: int) -> tuple[LongArray, LongArray]:
    """Return the pairs of one update: a function of the seed and its number alone.

    Examples
    --------
    >>> texts = PieceTexts(np.zeros(9, np.int32), np.zeros(9, np.int32), np.array([0, 2, 5, 9]))
    >>> first, second = pairs_of(texts, seed=0, update=5, batch=4)
    >>> len(first), bool((first == second).any())
    (4, False)
    """
    pool, place = divmod(update, POOL)
    draw = np.random.Generator(np.random.Philox(key=[seed, 2 * pool]))
    first = draw.integers(0, len(texts), POOL * batch)
    second = (first + draw.integers(1, len(texts), POOL * batch)) % len(texts)
    longer = np.maximum(texts.lengths[first], texts.lengths[second])
    order = np.argsort(longer, kind="stable").reshape(POOL, batch)
    rows = order[draw.permutation(POOL)[place]]
    return first[rows], second[rows]


def masked(
    texts: PieceTexts, numbers: LongArray, share: float, mark: int, draw: np.random.Generator
) -> list[IntArray]:
    """Return texts in which each word is masked, all its pieces, with a probability.

    Parameters
    ----------
    mark : int
        What stands for a masked piece.
    """
    made = []
    for number in numbers.tolist():
        ids, words = texts.row(number)
        hidden = draw.random(int(words.max(initial=0)) + 1) < share
        made.append(np.where((words >= 0) & hidden[words], mark, ids).astype(np.int32))
    return made
