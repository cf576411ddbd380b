"""The choice of a model: some of many attempts, of which the others may come again.

What a model likes it likes in many places, so what was given wears out
(:mod:`sampling.operators.repetition_penalty`).
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from grammar.arrays import FloatArray, LongArray
from grammar.rng import uniforms
from induction.corpus.corpus import Corpus
from sampling.neural.causal.readings import Readings
from sampling.operators.repetition_penalty import SIDES, Traits, Wear, traits_of
from sampling.stream import (
    Attempts,
    Columns,
    Resampled,
    Sampler,
    Search,
    Shortfall,
    chosen_by_weight,
)

__all__ = ["Choice"]


class Choice(Resampled):
    """Some of so many attempts of a sampler, chosen by their weights one after the other.

    Round i is of the attempts ``i * draws`` to ``(i + 1) * draws - 1`` of the seed that are
    accepted, of which each text counts once. They are read together, and of those that were read
    so many are chosen as the tilt has ``chosen``. Those not chosen may come again. The column
    behind the sampler's own is the logarithm of the weight chosen over the mean weight of what was
    read and is left: it compares, and is no density.

    Parameters
    ----------
    sampler : Sampler
        What makes attempts.
    seed : int
        Of its stream.
    tilt : Tilt
        Its score takes new examples, what the score of each is to be lessened by, and how many of
        the best are looked for; it has the ``sides`` of the source.
    file : path, optional
        Where what the score says is kept, for a run that goes on.
    """

    def __init__(self, sampler: Sampler, seed: int, tilt: Any, file: Path | None = None) -> None:
        super().__init__(sampler.repeating(tilt.draws), seed, tilt)
        self._search = Search(max(1, sampler.patience // tilt.draws))
        self._given: set[Hashable] = set()
        self._wear = Wear(tilt.score.sides)
        # of this stream alone: what others have asked must change no choice
        self._readings = Readings(file)

    def take(self, count: int) -> Columns:
        """Return the next choices; fewer only if there are no more. For none, nothing is read."""
        stream = self._stream
        written = isinstance(stream, Attempts) and stream.sampler.is_written  # it reads at once
        if count or self._waiting or written:
            return super().take(count)
        return *self._stream.take(0), np.zeros(0)

    def _chosen(self) -> tuple[Columns, bool]:
        """Choose some of the next attempts; say too whether there are no more."""
        tilt, number = self._tilt, self._search.made
        columns, ended = self._attempts()
        table = self._sampler.table(columns, self._seed, np.arange(len(columns[0])))
        texts = _texts_of(table)
        new = self._new(texts)
        table = table.take(new)
        worn = self._wear.of(traits_of(table))
        odds = tilt.score.of(Corpus(table), worn, tilt.chosen, self._readings) + worn
        read = np.flatnonzero(np.isfinite(odds))
        mine, _ = self._search.goes_on(np.arange(min(tilt.chosen, len(read))), tilt.chosen)
        u = uniforms(self._key, number, tilt.chosen)[: len(mine)]
        k, added = self._one_by_one(odds[read], traits_of(table.take(read)), u)
        rows = new[read[k]]
        if self._sampler.distinct:
            self._given.update(texts[row] for row in rows.tolist())
        kept = tuple(column[rows] for column in columns)
        if isinstance(self._stream, Attempts):
            self._stream.given(kept)
        return (*kept, added), ended or self._search.vain

    def _one_by_one(
        self, odds: FloatArray, traits: Traits, u: FloatArray
    ) -> tuple[LongArray, FloatArray]:
        """Choose texts by their odds, each beside what was given before it.

        Returns
        -------
        k : int64[chosen]
            Which.
        added : float64[chosen]
            The logarithm of the weight of each over the mean weight of those that are left.
        """
        chosen, added = [], []
        left = np.arange(len(odds))
        for one in u:
            weights = self._tilt.power * (odds - self._wear.of(traits))[left]
            k, gained = chosen_by_weight(weights[None], np.array([one]))
            chosen.append(int(left[k[0]]))
            added.append(float(gained[0]))
            left = np.delete(left, k)
            self._wear.give(traits, chosen[-1])
        return np.array(chosen, np.int64), np.array(added)

    def shortfall(self) -> Shortfall:
        """Say why there are no more."""
        if not self._search.vain:
            return super().shortfall()
        why = (
            f"only {self.made:,} were found, each of {self._tilt.draws}: what the last attempts "
            "made was refused, or given before"
        )
        return Shortfall(self.made, why, self._stream.made)

    def _attempts(self) -> tuple[Columns, bool]:
        """Return the next attempts that are accepted, and whether there are no more."""
        if isinstance(self._stream, Attempts):
            return self._stream.of_next_chunk()
        columns = self._stream.take(self._tilt.draws)
        return columns, len(columns[0]) < self._tilt.draws

    def _new(self, texts: Sequence[Hashable]) -> LongArray:
        """Return where each text comes first that was not given, if each is to be given once."""
        first = {text: row for row, text in reversed(list(enumerate(texts)))}
        rows = [row for text, row in first.items() if text not in self._given]
        return np.sort(np.array(rows, np.int64))


def _texts_of(table: pa.Table) -> list[Hashable]:
    sides = [name for name in SIDES if name in table.column_names]
    return list(zip(*(table.column(name).to_pylist() for name in sides), strict=True))
