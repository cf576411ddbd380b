"""Weighted forests and probabilities that back off, against plain enumeration."""

from __future__ import annotations

import itertools
import math
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from grammar.forest.forest import Forest
from grammar.forest.weighted import best_derivations, forest_posteriors, inside_values
from grammar.rules.backoff import count_events, smoothed


@st.composite
def forests(draw):
    """Forests of a few nodes, each with edges to nodes before it, and weights of edges."""
    starts, left, right, weight = [0], [], [], []
    for node in range(draw(st.integers(1, 6))):
        for _ in range(draw(st.integers(0 if node else 1, 3))):
            below = st.integers(-1, node - 1)
            first = draw(below)
            left.append(first)
            right.append(draw(below) if first >= 0 else -1)
            # few weights, so that some trees are equally good
            weight.append(draw(st.sampled_from([-0.5, -1.0, -2.5, -math.inf])))
        starts.append(len(left))
    nodes = len(starts) - 1
    column = np.zeros(nodes, np.int32)
    forest = Forest(
        column,
        column,
        column,
        np.array(starts, np.int64),
        np.zeros(len(left), np.int32),
        np.array(left, np.int32),
        np.array(right, np.int32),
        np.array([nodes - 1], np.int64),
    )
    return forest, np.array(weight, np.float64)


def all_trees(forest, weight, node):
    """Every tree below a node: edges in preorder, and summed weights."""
    found = []
    for edge in range(forest.starts[node], forest.starts[node + 1]):
        children = [c for c in (forest.left[edge], forest.right[edge]) if c >= 0]
        for below in itertools.product(*(all_trees(forest, weight, c) for c in children)):
            edges = (edge, *itertools.chain.from_iterable(edges for edges, _ in below))
            found.append((edges, weight[edge] + sum(value for _, value in below)))
    return [(edges, value) for edges, value in found if value > -math.inf]


@given(forests())
def test_the_best_derivations_are_all_trees_in_order(drawn):
    forest, weight = drawn
    expected = dict(all_trees(forest, weight, len(forest.label) - 1))
    found = list(itertools.islice(best_derivations(forest, weight), 300))
    values = [value for _, value in found]
    assert values == sorted(values, reverse=True)
    assert len({tuple(edges) for edges, _ in found}) == len(found)
    for edges, value in found:
        assert expected[tuple(edges.tolist())] == pytest.approx(value)
    best = sorted(expected.values(), reverse=True)[: len(found)]
    assert values == pytest.approx(best)
    assert len(found) == min(300, len(expected))


@given(forests())
def test_sums_and_posteriors_are_those_of_all_trees(drawn):
    forest, weight = drawn
    root = len(forest.label) - 1
    trees = all_trees(forest, weight, root)
    total = sum(math.exp(value) for _, value in trees)
    uses = np.zeros(len(weight))
    for edges, value in trees:
        for edge in edges:
            uses[edge] += math.exp(value) / total
    inside = inside_values(forest, weight)
    assert math.exp(inside[root]) == pytest.approx(total)
    assert forest_posteriors(forest, weight, inside) == pytest.approx(uses)


def slow_smoothed(rows, context, event, weight, base):
    """The definition: shares of relative frequencies, the most special context first."""
    if not context:
        return base
    seen = Counter()
    for other, happened, count in rows:
        if other[: len(context)] == context:
            seen[happened] += count
    back = slow_smoothed(rows, context[:-1], event, weight, base)
    n, u = seen.total(), len(seen)
    if not n:
        return back
    share = n / (n + weight * u)
    return share * seen[event] / n + (1 - share) * back


symbols = st.integers(0, 2)


@given(
    rows=st.lists(
        st.tuples(st.tuples(symbols, symbols, symbols), st.integers(0, 3), st.integers(1, 4)),
        min_size=1,
        max_size=12,
    ),
    context=st.tuples(symbols, symbols, symbols),
    weight=st.sampled_from([0.5, 5.0]),
)
def test_probabilities_back_off_as_defined_and_sum_to_one(rows, context, weight):
    contexts = np.array([row[0] for row in rows], np.int64)
    event = np.array([row[1] for row in rows], np.int64)
    trie = count_events(contexts, event, np.array([row[2] for row in rows], np.int64))
    base = [0.4, 0.3, 0.2, 0.1]
    values = [smoothed(trie, context, e, weight, base[e]) for e in range(4)]
    expected = [slow_smoothed(rows, context, e, weight, base[e]) for e in range(4)]
    assert values == pytest.approx(expected)
    assert sum(values) == pytest.approx(1.0)
