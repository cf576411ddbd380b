"""From charts to derivations: the best one, samples, and the edges that make a span.

Charts hold no back-pointers. What can make a unit over a span is enumerated again on the way
down, for the few spans that are met there; the best derivation, samples and k-best lists differ
only in what they choose from these edges.

A chart without the start symbol over the whole sentence still holds symbols over parts of it. The
cover with the fewest of them is the coarse parse of last resort (:func:`fewest_pieces`).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from grammar.arrays import BoolArray, FloatArray, LongArray, kernel
from grammar.chart.grammar import ChartGrammar
from grammar.chart.kernels import Chart, cell_of
from grammar.chart.rules import ChartRules
from grammar.errors import ChartGrammarError
from grammar.rng import next_uniform, open_stream
from grammar.sampling_kernels.ancestral import Buffers, Derivations, collect

__all__ = [
    "Step",
    "best_derivation",
    "derivation_below",
    "fewest_pieces",
    "incoming",
    "sampled_derivations",
]

_NO_KEY = np.uint64(0)
_ROOM = 1 << 12
"""Edges of one node that there is room for at first."""


def best_derivation(grammar: ChartGrammar, chart: Chart, rules: ChartRules) -> Derivations:
    """Return the best derivation of a chart filled with best values, as the only one."""
    return _derivations(grammar, chart, rules, _NO_KEY, 1, maximise=True)


def sampled_derivations(
    grammar: ChartGrammar, chart: Chart, rules: ChartRules, key: np.uint64, count: int
) -> Derivations:
    """Draw derivations from a chart filled with sums; number i has stream i of the key."""
    return _derivations(grammar, chart, rules, key, count, maximise=False)


def _derivations(
    grammar: ChartGrammar,
    chart: Chart,
    rules: ChartRules,
    key: np.uint64,
    count: int,
    *,
    maximise: bool,
) -> Derivations:
    start = grammar.grammar.start_id
    return collect(
        lambda at, buffers: _derive(key, at, start, maximise, chart, rules, buffers),
        0,
        count,
        count * 4 * len(chart.words) + 64,
    )


class Step(NamedTuple):
    """A unit over a span, and the edge that a derivation makes it by."""

    begin: int
    end: int
    unit: int
    edge: int


def fewest_pieces(chart: Chart, may: BoolArray) -> list[tuple[int, int, int]]:
    """Return the fewest units that cover a sentence, each as begin, end and unit.

    Parameters
    ----------
    chart : Chart
        Filled with best values or sums.
    may : bool array, shape (units,)
        Which units may be pieces.

    Returns
    -------
    list of (int, int, int)
        From left to right; empty if some word has no unit that may.
    """
    length = len(chart.words)
    # for each end: how many pieces, minus the sum of their values, and the last piece
    best: list[tuple[int, float, int, int]] = [(0, 0.0, -1, -1)]
    for end in range(1, length + 1):
        found = (length + 1, 0.0, -1, -1)
        for begin in range(end):
            row = int(cell_of(begin, end))
            units = chart.present[chart.bounds[row] : chart.bounds[row + 1]]
            units = units[may[units]]
            if not len(units) or best[begin][0] > length:
                continue
            unit = int(units[np.argmax(chart.value[row, units])])
            value = best[begin][1] - float(chart.value[row, unit])
            found = min(found, (best[begin][0] + 1, value, begin, unit))
        best.append(found)
    pieces: list[tuple[int, int, int]] = []
    end = length if best[length][0] <= length else 0
    while end:
        _, _, begin, unit = best[end]
        pieces.append((begin, end, unit))
        end = begin
    return pieces[::-1]


def derivation_below(
    chart: Chart, rules: ChartRules, begin: int, end: int, unit: int
) -> list[Step]:
    """Return the derivation of a unit over a span that takes the best edge at each step.

    In a chart of best values that is the best derivation; in one of sums, at each step the edge
    with the largest sum of derivations below it.
    """
    room = _ROOM
    score, edge, split = np.empty(room), np.empty(room, np.int64), np.empty(room, np.int64)
    steps: list[Step] = []
    waiting = [(begin, end, unit)]
    while waiting:
        place = waiting.pop()
        count = incoming(chart, rules, *place, score, edge, split)
        if count > room:
            room = 2 * count
            score, edge, split = np.empty(room), np.empty(room, np.int64), np.empty(room, np.int64)
            count = incoming(chart, rules, *place, score, edge, split)
        if not count:
            raise ChartGrammarError(
                "the weights are too far apart: a chart holds a value without a derivation",
                hint="the grammar, or its file, is damaged; induce it again",
            )
        chosen = int(np.argmax(score[:count]))
        e, middle = int(edge[chosen]), int(split[chosen])
        steps.append(Step(*place, e))
        if middle == 0:  # a word
            continue
        if rules.second[e] >= 0:
            waiting.append((middle, place[1], int(rules.second[e])))
        waiting.append((place[0], middle, int(rules.first[e])))
    return steps


@kernel()
def incoming(
    chart: Chart,
    rules: ChartRules,
    begin: int,
    end: int,
    unit: int,
    score: FloatArray,
    edge: LongArray,
    split: LongArray,
) -> int:
    """Enumerate the edges that make a unit over a span, with their values and split points.

    Returns their number; if it is larger than the buffers, only as many as fit are written.
    """
    value = chart.value
    first, second, weight, lexical = rules.first, rules.second, rules.weight, rules.lexical
    count, room = 0, len(score)
    if begin + 1 == end:
        word = chart.words[begin]
        for e in range(lexical.starts[word], lexical.starts[word + 1]):
            if lexical.parent[e] == unit:
                if count < room:
                    score[count], edge[count], split[count] = lexical.weight[e], lexical.edge[e], 0
                count += 1
    same = value[cell_of(begin, end)]
    for i in range(rules.unary_starts[unit], rules.unary_starts[unit + 1]):
        e = rules.unary_edges[i]
        below = same[first[e]]
        if below > -np.inf:
            if count < room:
                score[count], edge[count], split[count] = below + weight[e], e, end
            count += 1
    edges = rules.binary_edges[rules.binary_starts[unit] : rules.binary_starts[unit + 1]]
    for middle in range(begin + 1, end):
        lefts, rights = value[cell_of(begin, middle)], value[cell_of(middle, end)]
        for i in range(len(edges)):
            e = edges[i]
            left = lefts[first[e]]
            if left > -np.inf:
                right = rights[second[e]]
                if right > -np.inf:
                    if count < room:
                        score[count], edge[count] = left + right + weight[e], e
                        split[count] = middle
                    count += 1
    return count


@kernel()
def _derive(
    key: np.uint64,
    first: int,
    start: int,
    maximise: bool,
    chart: Chart,
    rules: ChartRules,
    out: Buffers,
) -> int:
    """Expand from the start symbol, by the best edge or by one drawn by its share."""
    stack, words, word_offsets, derived, derived_offsets, log_probability = out
    n = len(chart.words)
    score, edge, split = np.empty(4096), np.empty(4096, np.int64), np.empty(4096, np.int64)
    w = r = 0
    for done in range(len(log_probability)):
        state = open_stream(key, first + done)
        total = 0.0
        if w + n > len(words):
            return done
        words[w : w + n] = chart.words
        w += n
        # the stack holds triples: begin and end of a span, and a unit
        stack[0], stack[1], stack[2] = 0, n, start
        depth = 3
        while depth > 0:
            depth -= 3
            begin, end, unit = stack[depth], stack[depth + 1], stack[depth + 2]
            count = incoming(chart, rules, begin, end, unit, score, edge, split)
            if count > len(score):
                score = np.empty(2 * count)
                edge, split = np.empty(2 * count, np.int64), np.empty(2 * count, np.int64)
                count = incoming(chart, rules, begin, end, unit, score, edge, split)
            u = 0.0
            if not maximise:
                state, u = next_uniform(state)
            chosen = _choose(score[:count], u, maximise)
            e, middle = edge[chosen], split[chosen]
            rule = rules.rule[e]
            if r == len(derived) or depth + 6 > len(stack):
                return done
            if rule >= 0:
                derived[r] = rule
                r += 1
                total += rules.weight[e]
            if middle == 0:
                continue
            if rules.second[e] >= 0:
                stack[depth], stack[depth + 1], stack[depth + 2] = middle, end, rules.second[e]
                depth += 3
            stack[depth], stack[depth + 1], stack[depth + 2] = begin, middle, rules.first[e]
            depth += 3
        word_offsets[done + 1] = w
        derived_offsets[done + 1] = r
        log_probability[done] = total
    return len(log_probability)


@kernel()
def _choose(score: FloatArray, u: float, maximise: bool) -> int:
    """Return the place of the largest score, or one drawn in proportion to exp(score)."""
    best = int(np.argmax(score))
    if maximise:
        return best
    share = np.exp(score - score[best])
    target = u * share.sum()
    total = 0.0
    for i in range(len(share)):
        total += share[i]
        if total > target:
            return i
    return best
