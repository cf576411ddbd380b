"""Columns of prefixes that share what they have in common."""

from __future__ import annotations

import threading
from typing import NamedTuple

import numpy as np

from grammar.arrays import FloatArray
from grammar.prefix.kernels import (
    Columns,
    Workspace,
    begin_columns,
    chance_of_word,
    next_column,
    word_chances,
)
from grammar.prefix.rules import PrefixGrammar

__all__ = ["Chart", "Grown"]

_ROOM = 16
"""Places that there is room for at first."""


class Grown(NamedTuple):
    """What one more word makes of a prefix.

    Attributes
    ----------
    chart : Chart
        The one that has its columns.
    spans : int
        How many spans they have.
    chance : float
        The probability of the word.
    end : float
        That the sentence ends after it.
    rest_r : float
        The sum of p log p over the derivations of all sentences that begin so, with p given the
        prefix but under the logarithm.
    """

    chart: Chart
    spans: int
    chance: float
    end: float
    rest_r: float


class Chart:
    """The columns of a prefix, and of those that it was grown from.

    The first prefix to grow from the last column writes the next one here; any other gets a copy.
    What is written is never changed, so prefixes and threads share it.
    """

    def __init__(self, grammar: PrefixGrammar, columns: Columns, used: int) -> None:
        self.grammar = grammar
        self.columns = columns
        self._used = used
        self._lock = threading.Lock()
        self._work = _workspace(grammar.units, columns.begin.shape[0])

    @classmethod
    def begin(cls, grammar: PrefixGrammar) -> Chart:
        """Return the chart of the prefix without words."""
        made = cls(grammar, _columns(grammar.units, _ROOM, 64), 1)
        v, r = grammar.begin
        begin_columns(grammar.rules, made.columns, made._work, grammar.grammar.start_id, v, r)
        return made

    def grow(self, place: int, spans: int, word: int) -> Grown | None:
        """Return the chart after one more word, which follows ``place`` words; None if it cannot.

        Parameters
        ----------
        place, spans : int
            Words and spans so far.
        word : int
            The number of the word in the grammar.
        """
        rules, start = self.grammar.rules, self.grammar.grammar.start_id
        v, r = self.grammar.begin
        chance = float(chance_of_word(rules.by_word, self.columns.forecast_v, place, word))
        if chance <= 0.0:
            return None
        chart = self._with_next(place, spans)
        with chart._lock:
            columns, total, end_v, end_r, open_r = next_column(
                rules, chart.columns, chart._work, place, word, chance, spans, start
            )
            chart.columns = Columns(*columns)
        rest_r = open_r + v * end_r + r * end_v
        return Grown(chart, int(total), min(chance, 1.0), float(v * end_v), float(rest_r))

    def chances(self, place: int) -> FloatArray:
        """Return the probability of each word after ``place`` words."""
        rules, words = self.grammar.rules, len(self.grammar.grammar.rules.words)
        found: FloatArray = word_chances(
            rules.words_of, rules.preterminals, self.columns.forecast_v, place, words
        )
        return found

    def _with_next(self, place: int, spans: int) -> Chart:
        """Return the chart in which the column after ``place`` may be written."""
        with self._lock:
            if self._used == place + 1:
                self._used += 1
                if place + 1 == self.columns.begin.shape[0]:
                    self.columns = _copied(self.columns, place, spans, 2 * (place + 1))
                    self._work = _workspace(self.grammar.units, 2 * (place + 1))
                return self
            room = max(_ROOM, 2 * (place + 1))
            columns = _copied(self.columns, place, spans, room)
        return Chart(self.grammar, columns, place + 2)


def _columns(units: int, room: int, spans: int) -> Columns:
    return Columns(
        np.zeros((units, room)),
        np.zeros((units, room)),
        np.zeros((room, units), np.int32),
        np.zeros((room, units), np.int32),
        np.zeros(spans, np.int32),
        np.zeros(spans),
        np.zeros(spans),
    )


def _copied(columns: Columns, place: int, spans: int, room: int) -> Columns:
    """Return the columns up to a place, with room for more."""
    units, many = columns.forecast_v.shape[0], place + 1
    made = _columns(units, room, max(2 * spans, 64))
    made.forecast_v[:, :many] = columns.forecast_v[:, :many]
    made.forecast_r[:, :many] = columns.forecast_r[:, :many]
    made.begin[:many], made.count[:many] = columns.begin[:many], columns.count[:many]
    made.start[:spans] = columns.start[:spans]
    made.span_v[:spans], made.span_r[:spans] = columns.span_v[:spans], columns.span_r[:spans]
    return made


def _workspace(units: int, room: int) -> Workspace:
    return Workspace(
        np.zeros((room + 1, units)),
        np.zeros((room + 1, units)),
        np.zeros((room + 1, units), np.int32),
        np.zeros(room + 1, np.int64),
        np.zeros(units),
        np.zeros(units),
        np.zeros(units),
    )
