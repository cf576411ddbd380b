"""The choice of a model: one of many attempts each, of which the others may come again.

What a model likes it likes in many places, so what was given wears out: the odds of an attempt are
divided by one more than the times that its host was given, and by one more than the times that
what it puts there was. (Of pairs only hosts wear out.)
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from grammar.arrays import LongArray
from grammar.rng import uniforms
from induction.corpus.corpus import Corpus
from sampling.examples.sides import read_side
from sampling.stream import (
    Attempts,
    Columns,
    Resampled,
    Sampler,
    Search,
    Shortfall,
    chosen_by_weight,
)

__all__ = ["Choice", "fillers_of"]

_SIDES = ("text", "text_pair")


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
        Its ``log_weights`` take a table, and what the score of each row is to be lessened by.
    """

    def __init__(self, sampler: Sampler, seed: int, tilt: Any) -> None:
        super().__init__(sampler.repeating(tilt.draws), seed, tilt)
        self._search = Search(max(1, sampler.patience // tilt.draws))
        self._given: set[Hashable] = set()
        self._times: tuple[Counter[str], Counter[str]] = Counter(), Counter()

    def _chosen(self) -> tuple[Columns, bool]:
        """Choose one of the next attempts; say too whether there are no more."""
        number = self._search.made
        columns, ended = self._attempts()
        table = self._sampler.table(columns, self._seed, np.arange(len(columns[0])))
        texts, parts = _texts_of(table), (_hosts_of(table), fillers_of(table))
        new = self._new(texts)
        worn = np.zeros(len(new))
        for times, names in zip(self._times, parts, strict=True):
            worn += np.log1p([times[names[row]] for row in new.tolist()])
        weights = self._tilt.log_weights(table.take(new), worn)[None]
        good = np.flatnonzero(weights.max(axis=1, initial=-np.inf) > -np.inf)
        mine, _ = self._search.goes_on(good, 1)
        k, added = chosen_by_weight(weights[mine], uniforms(self._key, number, 1)[mine])
        rows = new[k]
        for row in rows.tolist():
            if self._sampler.distinct:
                self._given.add(texts[row])
            for times, names in zip(self._times, parts, strict=True):
                if names[row]:
                    times[names[row]] += 1
        kept = tuple(column[rows] for column in columns)
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
    sides = [name for name in _SIDES if name in table.column_names]
    return list(zip(*(table.column(name).to_pylist() for name in sides), strict=True))


def _hosts_of(table: pa.Table) -> list[str]:
    """Return the first parent of each example; nothing where there is none."""
    made: Any = table.column("provenance").combine_chunks()
    return [parents[0] if parents else "" for parents in made.field("parents").to_pylist()]


def fillers_of(table: pa.Table) -> list[str]:
    """Return the words that were put into each example, in small letters; of many spans, all.

    Nothing of pairs, as provenance does not say which text a span is of. A text that is split into
    words anew may have fewer than were put together (*can* and *not* side by side); then what is
    behind them counts a little otherwise, which a count of what was given can bear.
    """
    if _SIDES[1] in table.column_names:
        return [""] * len(table)
    made: Any = table.column("provenance").combine_chunks()
    side = read_side(Corpus(table))
    forms = [form.lower() for form in side.forms.to_pylist()]
    codes = side.codes.tolist()
    found = []
    bounds = itertools.pairwise(side.offsets.tolist())
    for (first, last), spans in zip(bounds, made.field("spans").to_pylist(), strict=True):
        words = codes[first:last]
        inside = sorted({at for span in spans for at in range(span["start"], span["end"])})
        found.append(" ".join(forms[words[at]] for at in inside if at < len(words)))
    return found
