"""From charts to derivations: the best one, samples, and the edges that make a span.

Charts hold no back-pointers. What can make a unit over a span is enumerated again on the way
down, for the few spans that are met there; the best derivation, samples and k-best lists differ
only in what they choose from these edges.
"""

from __future__ import annotations

import numpy as np

from grammar.arrays import FloatArray, IntArray, LongArray, kernel
from grammar.chart_grammar import ChartGrammar
from grammar.chart_kernels import Chart, cell_of
from grammar.chart_rules import ChartRules
from grammar.counter_rng import next_uniform, open_stream
from grammar.derivations import Derivations, collect

__all__ = ["best_derivation", "incoming", "sampled_derivations"]

_NO_KEY = np.uint64(0)


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
        lambda at, buffers: _derive(key, at, start, maximise, chart, rules, *buffers),
        0,
        count,
        count * 4 * len(chart.words) + 64,
    )


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
    stack: LongArray,
    words: IntArray,
    word_offsets: LongArray,
    derived: IntArray,
    derived_offsets: LongArray,
    log_probability: FloatArray,
) -> int:
    """Expand from the start symbol, by the best edge or by one drawn by its share."""
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
