"""The choice of a model: one of many attempts each, of which the others may come again.

What a model likes it likes in many places, so what was given wears out
(:mod:`sampling.operators.repetition_penalty`).
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from grammar.arrays import LongArray
from grammar.rng import uniforms
from sampling.operators.repetition_penalty import SIDES, Wear, traits_of
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
    """One of so many attempts of a sampler each, chosen by its weight.

    Choice i is among the attempts ``i * draws`` to ``(i + 1) * draws - 1`` of the seed that are
    accepted, of which each text counts once. Those not chosen may come again. The column behind
    the sampler's own is the logarithm of the weight chosen over the mean weight of these texts, of
    which those not read weigh nothing: it compares, and is no density.

    Parameters
    ----------
    sampler : Sampler
        What makes attempts.
    seed : int
        Of its stream.
    tilt : Tilt
        Its ``log_weights`` take a table, and what the score of each row is to be lessened by; its
        score has the ``sides`` of the source.
    """

    def __init__(self, sampler: Sampler, seed: int, tilt: Any) -> None:
        super().__init__(sampler.repeating(tilt.draws), seed, tilt)
        self._search = Search(max(1, sampler.patience // tilt.draws))
        self._given: set[Hashable] = set()
        self._wear = Wear(tilt.score.sides)

    def _chosen(self) -> tuple[Columns, bool]:
        """Choose one of the next attempts; say too whether there are no more."""
        number = self._search.made
        columns, ended = self._attempts()
        table = self._sampler.table(columns, self._seed, np.arange(len(columns[0])))
        texts = _texts_of(table)
        new = self._new(texts)
        table = table.take(new)
        traits = traits_of(table)
        weights = self._tilt.log_weights(table, self._wear.of(traits))[None]
        good = np.flatnonzero(weights.max(axis=1, initial=-np.inf) > -np.inf)
        mine, _ = self._search.goes_on(good, 1)
        k, added = chosen_by_weight(weights[mine], uniforms(self._key, number, 1)[mine])
        rows = new[k]
        for place, row in zip(k.tolist(), rows.tolist(), strict=True):
            if self._sampler.distinct:
                self._given.add(texts[row])
            self._wear.give(traits, place)
        kept = tuple(column[rows] for column in columns)
        if isinstance(self._stream, Attempts):
            self._stream.given(kept)
        return (*kept, added), ended or self._search.vain

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
