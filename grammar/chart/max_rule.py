"""Max-rule decoding: the derivation whose rules are most probable where they stand.

The best derivation answers which tree is most probable as a whole; where a grammar splits a
category into many symbols (states, fragments, ancestors), the probability of one tree is spread
over many derivations, and it is better to multiply how probable each anchored rule is: the
posterior of the rule over its span and split point, summed over all derivations and over all
symbols that look alike (Petrov & Klein 2007, *Improved inference for unlexicalized parsing*, the
max-rule-product objective). A rule with more than two children counts once with its first split
point, and its suffixes with theirs.

An anchored unary rule that a cycle may use several times in one derivation counts as its expected
number of uses, at most one; so no cycle can ever raise the product.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from grammar.arrays import FloatArray, IntArray, LongArray, kernel
from grammar.chart.grammar import ChartGrammar
from grammar.chart.kernels import Chart, cell_of
from grammar.chart.rules import ChartRules, Corner

__all__ = ["alike_edges", "alike_with_tags", "max_rule_sequence"]


def alike_edges(grammar: ChartGrammar, look: Callable[[str], str]) -> LongArray:
    """Number the edges so that two that look alike have the same number, shape (edges,).

    ``look`` gives the name that a nonterminal is seen by, such as ``NP`` for ``NP^<S>``.
    """
    rules, names = grammar.rules, grammar.grammar.rules.nonterminals
    looks: list[tuple[str, ...]] = [(look(name),) for name in names]
    for first, rest in grammar.parts:
        # a word and a symbol of the same name do not look alike
        looks.append(("", str(first)) if rest < 0 else looks[first] + looks[rest])
    parent = np.empty(len(rules.rule), np.int64)
    for corner in (rules.left, rules.unary, rules.lexical):
        parent[corner.edge] = corner.parent
    lexicals = len(rules.rule) - len(rules.lexical.edge)
    numbers: dict[tuple[object, ...], int] = {}
    columns = zip(parent.tolist(), rules.first.tolist(), rules.second.tolist(), strict=True)
    alike = [
        numbers.setdefault(
            (
                looks[head],
                first if edge >= lexicals else looks[first],
                looks[second] if second >= 0 else second,
            ),
            len(numbers),
        )
        for edge, (head, first, second) in enumerate(columns)
    ]
    return np.array(alike, np.int64)


def alike_with_tags(
    alike: LongArray, grammar: ChartGrammar, rules: ChartRules, look: Callable[[str], str]
) -> LongArray:
    """Number the edges of given tags too, which come after those of the grammar."""
    names, first = grammar.grammar.rules.nonterminals, len(grammar.grammar)
    looks = [look(names[rule - first]) for rule in rules.rule[len(alike) :].tolist()]
    numbers = {name: len(alike) + i for i, name in enumerate(dict.fromkeys(looks))}
    return np.concatenate((alike, np.array([numbers[name] for name in looks], np.int64)))


def max_rule_sequence(
    chart: Chart, outside: FloatArray, rules: ChartRules, start: int, alike: LongArray
) -> tuple[list[int], float]:
    """Return the rules of the best derivation in preorder, and the logarithm of its product.

    Parameters
    ----------
    chart : Chart
        Filled with sums.
    outside : float64 array
        Its outside values.
    start : int
        The unit over the whole sentence.
    alike : int64 array, shape (edges,)
        Which edges share their posteriors, see :func:`alike_edges`.
    """
    best, edge, split = _decode(chart, outside, rules, start, alike)
    sequence = []
    root = cell_of(0, len(chart.words))
    stack = [(0, len(chart.words), start)]
    while stack:
        begin, end, unit = stack.pop()
        row = cell_of(begin, end)
        taken, middle = int(edge[row, unit]), int(split[row, unit])
        if rules.rule[taken] >= 0:
            sequence.append(int(rules.rule[taken]))
        if middle:
            if rules.second[taken] >= 0:
                stack.append((middle, end, int(rules.second[taken])))
            stack.append((begin, middle, int(rules.first[taken])))
    return sequence, float(best[root, start])


@kernel()
def _decode(
    chart: Chart, outside: FloatArray, rules: ChartRules, start: int, alike: LongArray
) -> tuple[FloatArray, IntArray, IntArray]:
    """Return the best product of each unit over each span, and the edge and split that reach it."""
    words, value, present, bounds, left_edges, right_edges, _, _ = chart
    left, right, unary, lexical = rules.left, rules.right, rules.unary, rules.lexical
    best = np.full(value.shape, -np.inf)
    edge, split = np.zeros(value.shape, np.int32), np.zeros(value.shape, np.int32)
    mass = np.zeros(len(alike))
    one = np.zeros(max(value.shape[1], len(lexical.starts)))
    # the edges met between two spans: number, parent, product of the children, posterior
    met = np.empty(len(alike), np.int64), np.empty(len(alike), np.int32)
    worth = np.empty(len(alike)), np.empty(len(alike))
    for end in range(1, len(words) + 1):
        for begin in range(end - 1, -1, -1):
            row = cell_of(begin, end)
            above = outside[row] - value[cell_of(0, len(words)), start]
            if begin + 1 == end:
                word = words[begin:end].astype(np.int32)
                count = _meet(lexical, word, one, one, one, one, above, met, worth)
                _share(mass, alike, met[0][:count], worth[1])
                # a word beside other symbols belongs to their rule
                worth[1][:count][rules.rule[met[0][:count]] < 0] = 0.0
                _take(best[row], edge[row], split[row], met, worth, count, 0)
            for middle in range(begin + 1, end):
                a, b = cell_of(begin, middle), cell_of(middle, end)
                if left_edges[a] <= right_edges[b]:
                    near = present[bounds[a] : bounds[a + 1]]
                    count = _meet(
                        left, near, value[a], value[b], best[a], best[b], above, met, worth
                    )
                else:
                    near = present[bounds[b] : bounds[b + 1]]
                    count = _meet(
                        right, near, value[b], value[a], best[b], best[a], above, met, worth
                    )
                _share(mass, alike, met[0][:count], worth[1])
                _take(best[row], edge[row], split[row], met, worth, count, middle)
            near = present[bounds[row] : bounds[row + 1]]
            improved = True
            while improved:
                count = _meet(unary, near, value[row], one, best[row], one, above, met, worth)
                _share(mass, alike, met[0][:count], worth[1])
                improved = _take(best[row], edge[row], split[row], met, worth, count, end)
    return best, edge, split


@kernel()
def _meet(
    corner: Corner,
    near: IntArray,
    near_value: FloatArray,
    far_value: FloatArray,
    near_best: FloatArray,
    far_best: FloatArray,
    above: FloatArray,
    met: tuple[LongArray, IntArray],
    worth: tuple[FloatArray, FloatArray],
) -> int:
    """List the edges between near, far and parent units; return how many there are."""
    starts, far, parent, weight, edge = corner
    number, made = met
    below, posterior = worth
    count = 0
    for i in range(len(near)):
        unit = near[i]
        for e in range(starts[unit], starts[unit + 1]):
            around, product = above[parent[e]], near_best[unit] + far_best[far[e]]
            if around > -np.inf and product > -np.inf:
                number[count], made[count], below[count] = edge[e], parent[e], product
                posterior[count] = np.exp(around + near_value[unit] + far_value[far[e]] + weight[e])
                count += 1
    return count


@kernel()
def _share(mass: FloatArray, alike: LongArray, edge: LongArray, posterior: FloatArray) -> None:
    """Replace posteriors by the logarithm of the sum over edges that look alike, at most zero."""
    for i in range(len(edge)):
        mass[alike[edge[i]]] += posterior[i]
    for i in range(len(edge)):
        posterior[i] = np.log(min(mass[alike[edge[i]]], 1.0))
    for i in range(len(edge)):
        mass[alike[edge[i]]] = 0.0


@kernel()
def _take(
    best: FloatArray,
    edge: IntArray,
    split: IntArray,
    met: tuple[LongArray, IntArray],
    worth: tuple[FloatArray, FloatArray],
    count: int,
    middle: int,
) -> bool:
    """Keep the edges that improve on the best products so far; return whether any did."""
    number, made = met
    below, posterior = worth
    improved = False
    for i in range(count):
        product = below[i] + posterior[i]
        if product > best[made[i]]:
            best[made[i]] = product
            edge[made[i]], split[made[i]] = number[i], middle
            improved = True
    return improved
