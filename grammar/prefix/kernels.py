"""The chart of a prefix, one word at a time.

A column belongs to the place after each word. It holds, for each unit, the *forecast*: the mass of
the derivations in which the unit begins there, given what follows is free; and for each place
before it the *spans*: units from there to here. Only units that are forecast where they begin have
spans. All masses are given the prefix (each word divides by its probability), so nothing
underflows however long a sentence is.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from grammar.arrays import FloatArray, IntArray, LongArray, kernel
from grammar.prefix.rules import Closure, Entries, PrefixRules

__all__ = ["Columns", "Workspace", "begin_columns", "chance_of_word", "next_column", "word_chances"]


class Columns(NamedTuple):
    """What is kept of places 0, 1, ... after words.

    Attributes
    ----------
    forecast_v, forecast_r : float64 arrays, shape (units, room)
        By unit and place.
    begin, count : int32 arrays, shape (room, units)
        The spans of a unit that end at a place: so many, from there on.
    start : int32 array, span_v, span_r : float64 arrays
        Where each span begins, and its values.
    """

    forecast_v: FloatArray
    forecast_r: FloatArray
    begin: IntArray
    count: IntArray  # type: ignore[assignment]  # hides tuple.count, which nothing uses
    start: IntArray
    span_v: FloatArray
    span_r: FloatArray


class Workspace(NamedTuple):
    """Arrays for the work on one column; all but ``ordered`` are zero before and after.

    Attributes
    ----------
    sum_v, sum_r : float64 arrays, shape (room + 1, units)
        What is summed up for the spans from each place; the last row is for one place.
    found : int32 array, shape (room + 1, units); many : int64 array, shape (room + 1,)
        The units that have a sum.
    vector_v, vector_r : float64 arrays, shape (units,)
        Forecasts.
    ordered : float64 array, shape (units,)
        A system that is solved.
    """

    sum_v: FloatArray
    sum_r: FloatArray
    found: IntArray
    many: LongArray
    vector_v: FloatArray
    vector_r: FloatArray
    ordered: FloatArray


@kernel()
def begin_columns(
    rules: PrefixRules, columns: Columns, work: Workspace, start: int, v: float, r: float
) -> None:
    """Fill the forecast at place 0, where the start symbol begins."""
    work.vector_v[start] = v
    work.vector_r[start] = r
    _forecast(rules, columns, work, 0)


@kernel()
def chance_of_word(by_word: Entries, forecast: FloatArray, place: int, word: int) -> float:
    """Return the probability that a word comes next."""
    total = 0.0
    for e in range(by_word.starts[word], by_word.starts[word + 1]):
        total += forecast[by_word.one[e], place] * by_word.v[e]
    return total


@kernel()
def word_chances(
    words_of: Entries, preterminals: IntArray, forecast: FloatArray, place: int, words: int
) -> FloatArray:
    """Return the probability that each word comes next, shape (words,)."""
    found = np.zeros(words)
    for i in range(len(preterminals)):
        here = forecast[preterminals[i], place]
        if here > 0.0:
            for e in range(words_of.starts[i], words_of.starts[i + 1]):
                found[words_of.one[e]] += here * words_of.v[e]
    return found


@kernel()
def next_column(
    rules: PrefixRules,
    columns: Columns,
    work: Workspace,
    place: int,
    word: int,
    chance: float,
    spans: int,
    start: int,
) -> tuple[Columns, int, float, float, float]:
    """Fill the column after one more word, whose probability is ``chance``.

    There are so many spans before. Returned are the columns (with more room for spans, if that was
    needed), the number of spans, the v and r of the start symbol over all words, and the r of the
    derivations that go on.
    """
    here = place + 1
    lexical = rules.by_word
    for e in range(lexical.starts[word], lexical.starts[word + 1]):
        unit = lexical.one[e]
        if columns.forecast_v[unit, place] > 0.0:
            # the logarithm in r is that of the grammar's weight, which the scale leaves alone
            _add(work, place, unit, lexical.v[e] / chance, lexical.r[e] / chance)
    for begin in range(place, -1, -1):
        _close(rules.chains, columns, work, begin)
        if begin > 0:
            _complete(rules.by_second, columns, work, begin)
    columns, spans = _keep_spans(columns, work, here, spans)
    end_v = end_r = 0.0
    first = columns.begin[here, start]
    for i in range(first, first + columns.count[here, start]):
        if columns.start[i] == 0:
            end_v, end_r = columns.span_v[i], columns.span_r[i]
    _scan_corners(rules, columns, work, here)
    open_r = 0.0
    for unit in range(len(rules.rest)):
        if work.vector_v[unit] > 0.0:
            open_r += work.vector_r[unit] + work.vector_v[unit] * rules.rest[unit]
    _forecast(rules, columns, work, here)
    return columns, spans, end_v, end_r, open_r


@kernel(inline="always")
def _add(work: Workspace, row: int, unit: int, v: float, r: float) -> None:
    if v > 0.0:
        if work.sum_v[row, unit] == 0.0:
            work.found[row, work.many[row]] = unit
            work.many[row] += 1
        work.sum_v[row, unit] += v
        work.sum_r[row, unit] += r


@kernel()
def _close(chains: Entries, columns: Columns, work: Workspace, begin: int) -> None:
    """Add what chains of unary edges make of the spans that begin at a place."""
    last = len(work.many) - 1
    for i in range(work.many[begin]):
        unit = work.found[begin, i]
        v, r = work.sum_v[begin, unit], work.sum_r[begin, unit]
        work.sum_v[begin, unit] = work.sum_r[begin, unit] = 0.0
        for e in range(chains.starts[unit], chains.starts[unit + 1]):
            parent = chains.one[e]
            if columns.forecast_v[parent, begin] > 0.0:
                _add(work, last, parent, v * chains.v[e], v * chains.r[e] + r * chains.v[e])
    work.many[begin] = work.many[last]
    work.many[last] = 0
    for i in range(work.many[begin]):
        unit = work.found[last, i]
        work.found[begin, i] = unit
        work.sum_v[begin, unit], work.sum_r[begin, unit] = (
            work.sum_v[last, unit],
            work.sum_r[last, unit],
        )
        work.sum_v[last, unit] = work.sum_r[last, unit] = 0.0


@kernel()
def _complete(by_second: Entries, columns: Columns, work: Workspace, begin: int) -> None:
    """Add what spans make as second children, of first children that end where they begin."""
    for i in range(work.many[begin]):
        unit = work.found[begin, i]
        v, r = work.sum_v[begin, unit], work.sum_r[begin, unit]
        for e in range(by_second.starts[unit], by_second.starts[unit + 1]):
            first = by_second.one[e]
            parent = by_second.other[e]
            scale_v = v * by_second.v[e]
            scale_r = v * by_second.r[e] + r * by_second.v[e]
            at = columns.begin[begin, first]
            for s in range(at, at + columns.count[begin, first]):
                k = columns.start[s]
                if columns.forecast_v[parent, k] > 0.0:
                    more = columns.span_v[s] * scale_r + columns.span_r[s] * scale_v
                    _add(work, k, parent, columns.span_v[s] * scale_v, more)


@kernel()
def _keep_spans(columns: Columns, work: Workspace, here: int, spans: int) -> tuple[Columns, int]:
    """Move the sums into the column, by unit; there they stay."""
    total = spans
    for k in range(here):
        total += work.many[k]
    columns = _with_room(columns, total)
    count, begin = columns.count[here], columns.begin[here]
    for k in range(here):
        for i in range(work.many[k]):
            count[work.found[k, i]] += 1
    at = spans
    for k in range(here):
        for i in range(work.many[k]):
            unit = work.found[k, i]
            if count[unit] > 0:  # the first of its spans: all of them get their places
                begin[unit] = at
                at += count[unit]
                count[unit] = 0 - count[unit]
    for k in range(here):
        for i in range(work.many[k]):
            unit = work.found[k, i]
            if count[unit] < 0:
                count[unit] = 0
            slot = begin[unit] + count[unit]
            count[unit] += 1
            columns.start[slot] = k
            columns.span_v[slot], columns.span_r[slot] = work.sum_v[k, unit], work.sum_r[k, unit]
            work.sum_v[k, unit] = work.sum_r[k, unit] = 0.0
        work.many[k] = 0
    return columns, total


@kernel()
def _with_room(columns: Columns, total: int) -> Columns:
    if total <= len(columns.start):
        return columns
    room = 2 * total
    start = np.zeros(room, np.int32)
    v, r = np.zeros(room), np.zeros(room)
    old = len(columns.start)
    start[:old], v[:old], r[:old] = columns.start, columns.span_v, columns.span_r
    return Columns(
        columns.forecast_v, columns.forecast_r, columns.begin, columns.count, start, v, r
    )


@kernel()
def _scan_corners(rules: PrefixRules, columns: Columns, work: Workspace, here: int) -> None:
    """Add up, for each unit, the mass of what it is the next child of."""
    pairs, seconds = rules.pairs, rules.seconds
    for first in range(len(rules.rest)):
        many, at = columns.count[here, first], columns.begin[here, first]
        if many == 0:
            continue
        for p in range(pairs.starts[first], pairs.starts[first + 1]):
            parent = pairs.one[p]
            v = r = 0.0
            for s in range(at, at + many):
                k = columns.start[s]
                forecast = columns.forecast_v[parent, k]
                v += forecast * columns.span_v[s]
                r += (
                    forecast * columns.span_r[s] + columns.forecast_r[parent, k] * columns.span_v[s]
                )
            if v > 0.0:
                for e in range(seconds.starts[p], seconds.starts[p + 1]):
                    work.vector_v[seconds.one[e]] += v * seconds.v[e]
                    work.vector_r[seconds.one[e]] += v * seconds.r[e] + r * seconds.v[e]


@kernel()
def _forecast(rules: PrefixRules, columns: Columns, work: Workspace, here: int) -> None:
    """Fill the forecasts at a place with all left corners of what begins there."""
    v, r, corners = work.vector_v, work.vector_r, rules.corners
    _solve(rules.closure, v, work.ordered)
    for unit in range(len(v)):
        if v[unit] > 0.0:
            for e in range(corners.starts[unit], corners.starts[unit + 1]):
                r[corners.one[e]] += v[unit] * corners.r[e]
    _solve(rules.closure, r, work.ordered)
    for unit in range(len(v)):
        if v[unit] > 0.0:
            columns.forecast_v[unit, here] = v[unit]
            columns.forecast_r[unit, here] = r[unit]
        v[unit] = r[unit] = 0.0


@kernel()
def _solve(closure: Closure, vector: FloatArray, ordered: FloatArray) -> None:
    """Multiply a vector by the inverse, in place."""
    for unit in range(len(vector)):
        ordered[closure.rows[unit]] = vector[unit]
    lower, upper = closure.lower, closure.upper
    for column in range(len(vector)):
        value = ordered[column]
        if value != 0.0:
            for e in range(lower.starts[column], lower.starts[column + 1]):
                ordered[lower.one[e]] -= lower.v[e] * value
    for column in range(len(vector) - 1, -1, -1):
        if ordered[column] != 0.0:
            value = ordered[column] / closure.diagonal[column]
            ordered[column] = value
            for e in range(upper.starts[column], upper.starts[column + 1]):
                ordered[upper.one[e]] -= upper.v[e] * value
    for unit in range(len(vector)):
        vector[unit] = ordered[closure.columns[unit]]
