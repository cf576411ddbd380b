"""Which function applies last: the order of application, learnt from what it makes of the pairs.

Rules of one type read ``a dax b kiki`` in two ways, of which an order of application chooses one: a
rule that applies later does not stand below one that applies earlier. Of all orders the one is
taken by which most training pairs have the target that they should. Among equals, that which
allows what is seen with the fewest exceptions, and then that by which what is seen in the slots is
the most probable, with all shares of what a slot may hold equally likely beforehand (so an order
by which a slot may hold much, of which little is seen, is less probable).
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
from scipy.special import gammaln

from grammar.arrays import BoolArray, FloatArray, LongArray, kernel
from grammar.synchronous.forest import CodedRules, source_forest
from induction.synchronous.layers import best_cells, best_edge, rule_heights, settled_children
from induction.synchronous.types import Families, Forests, fit_types
from induction.synchronous.unification import Coded

__all__ = [
    "Orders",
    "Readings",
    "always_later",
    "children_in_order",
    "found_orders",
    "order_shares",
    "ordered_children",
    "read_sources",
    "tried_orders",
]

_AGAIN, _LATER = 1e-2, 1e-4
"""What it costs that a rule stands below one that applies at the same time, or earlier; and that a
rule makes a sentence if it is the last one of no pair."""
_ASKED = 100
"""Pairs that orders are tried on, at most."""
_MOST_NODES = 2_000
"""Of the readings of a source: one with more is left out."""
_TRIED = 500
"""Orders that are tried, at most."""
_MOST_FUNCTIONS = 200
"""Of more functions, so many orders are next to none: the first guess is taken."""
_TIE = 1e-9

Order = tuple[int, ...]
"""By family when it applies: 0 for words, then 1, 2, ..."""
Score = tuple[float, float, float]


class Readings(NamedTuple):
    """All derivations of the sources of some pairs, with all their targets, as columns.

    Edge e makes ``node[e]`` by ``family[e]`` over ``child[k]`` in ``slot[k]`` for k from
    ``children[e]`` to ``children[e + 1] - 1``. Reading i is the node ``root[i]`` and has to do with
    pair ``pair[i]``; it is right where its target is that of the pair. ``forest`` says which
    forest each pair has.
    """

    node: LongArray
    family: LongArray
    children: LongArray
    child: LongArray
    slot: LongArray
    root: LongArray
    pair: LongArray
    right: LongArray
    forest: LongArray


def read_sources(
    rules: CodedRules, families: Families, forests: Forests, pairs: Sequence[Coded]
) -> Readings:
    """Read the sources of training pairs, evenly chosen among those with distinct forests.

    Parameters
    ----------
    rules : CodedRules
        Of one type.
    families, forests : Families, Forests
        What orders are about, and the forests of the pairs.
    pairs : sequence of (str, str)
        Coded; that of forest i is number ``forests.first[i]``.
    """
    node, family, child, slot, children = _empty(), _empty(), _empty(), _empty(), [0]
    root, of_pair, right, asked = _empty(), _empty(), _empty(), _empty()
    nodes = 0
    for i in range(0, len(forests.root), 1 + len(forests.root) // _ASKED):
        source, target = pairs[int(forests.first[i])]
        read = source_forest(rules, source, most_nodes=_MOST_NODES)
        if read is None:
            continue
        forest, roots = read
        for edge in forest.edges:
            kind = families.of_rule[edge.rule]
            node.append(nodes + edge.node)
            family.append(kind)
            child += [nodes + c for c in edge.children]
            slot += range(families.first_slot[kind], families.first_slot[kind + 1])
            children.append(len(child))
        root += [nodes + r for r in roots]
        right += [forest.nodes[r][3] == target for r in roots]
        of_pair += [len(asked)] * len(roots)
        asked.append(i)
        nodes += len(forest.nodes)
    columns = (node, family, children, child, slot, root, of_pair, right, asked)
    return Readings(*(np.array(column, np.int64) for column in columns))


def _empty() -> list[int]:
    return []


def order_shares(order: Sequence[int], families: Families) -> FloatArray:
    """Return by slot and family 1.0 where the family applies earlier, less where it does not.

    Examples
    --------
    >>> families = Families.of(["dax", "kiki", "a"], [1, 1, 0])
    >>> order_shares((1, 2, 0), families)
    array([[1.e+00, 1.e+00, 1.e+00],
           [1.e-02, 1.e-04, 1.e+00],
           [1.e+00, 1.e-02, 1.e+00]])
    """
    when = np.asarray(order)
    above = np.concatenate([[when.max(initial=0) + 1], np.repeat(when, families.arity)])[:, None]
    return np.where(when < above, 1.0, np.where(when == above, _AGAIN, _LATER))


def ordered_children(
    readings: Readings, forests: Forests, families: Families
) -> tuple[FloatArray, FloatArray]:
    """Count which families fill which slots, in derivations that agree with the best order.

    Returns
    -------
    (float64 (slots, families), float64 (slots, families))
        The counts, and the shares of the order.
    """
    return children_in_order(found_orders(readings, forests, families).best[0], forests, families)


def children_in_order(
    order: Order, forests: Forests, families: Families
) -> tuple[FloatArray, FloatArray]:
    """Return what :func:`ordered_children` returns, for a given order."""
    shares = order_shares(order, families)
    return settled_children(forests, fit_types(forests, families, 1, seed=0), shares), shares


def found_orders(readings: Readings, forests: Forests, families: Families) -> Orders:
    """Return :func:`tried_orders`, with how high rules stand as the first guess."""
    seen = settled_children(forests, fit_types(forests, families, 1, seed=0))
    return tried_orders(readings, forests, families, rule_heights(seen, families))


def always_later(orders: Sequence[Order], families: Families) -> BoolArray:
    """Return by slot and family whether the family applies later, whichever the order is.

    Orders are those that give as many pairs their targets. Of so many functions that not each was
    tried in every place of the best order, nothing is said.

    >>> families = Families.of(["dax", "kiki", "a"], [1, 1, 0])
    >>> always_later([(1, 2, 0), (2, 1, 0)], families)
    array([[False, False, False],
           [False, False, False],
           [False, False, False]])
    >>> always_later([(1, 2, 0)], families)[1].tolist()
    [False, True, False]
    """
    functions = np.count_nonzero(families.arity)
    later = np.logical_and.reduce([order_shares(order, families) == _LATER for order in orders])
    return later & (functions * (functions - 1) < _TRIED)


class Orders(NamedTuple):
    """The best order with those that explain the pairs equally, and all that read as many right."""

    best: list[Order]
    right: list[Order]


def tried_orders(
    readings: Readings, forests: Forests, families: Families, start: Sequence[int]
) -> Orders:
    """Return the best order that was found, and those that are as good.

    The best one is such that moving one function makes it no better; of few functions, all orders
    are tried, and of more than 200 only the first guess. Those that explain the pairs equally give
    as many pairs their targets with as few exceptions, and are only less probable; the most
    probable comes first. Those that are right give as many pairs their targets.

    Parameters
    ----------
    readings, forests, families : Readings, Forests, Families
        What orders are tried on.
    start : sequence of int
        When each family applies, as a first guess.
    """
    trial = _Trial(readings, forests, families)
    functions = np.flatnonzero(families.arity)
    ranked = sorted(functions.tolist(), key=lambda f: (start[f], f))
    best = trial.score(ranked)
    while len(trial.known) < _TRIED and len(ranked) <= _MOST_FUNCTIONS:
        scores = ((trial.score(moved), moved) for moved in _moved(ranked))
        found = max(itertools.islice(scores, _TRIED), default=(best, ranked))
        if found[0] <= best:
            break
        best, ranked = found
    if math.factorial(len(ranked)) <= _TRIED:
        for other in itertools.permutations(sorted(ranked)):
            if trial.score(other) > best:
                best, ranked = trial.score(other), list(other)
    equal = [other for other, score in trial.known.items() if score[:2] == best[:2]]
    equal.sort(key=lambda other: (-trial.known[other][2], other))
    right = [other for other, score in trial.known.items() if score[0] == best[0]]
    return Orders(
        [trial.order(each) for each in dict.fromkeys([tuple(ranked), *equal])],
        [trial.order(each) for each in right],
    )


def _moved(ranked: list[int]) -> Iterator[list[int]]:
    for i, function in enumerate(ranked):
        others = ranked[:i] + ranked[i + 1 :]
        for j in range(len(ranked)):
            if j != i:
                yield [*others[:j], function, *others[j:]]


class _Trial:
    """Scores orders."""

    def __init__(self, readings: Readings, forests: Forests, families: Families) -> None:
        self._readings, self._families = readings, families
        self._forests = forests
        whole = forests.family[np.isin(forests.node, forests.root)]
        self._as_whole = np.where(np.isin(range(len(families.size)), whole), 1.0, _LATER)
        self.known: dict[tuple[int, ...], Score] = {}

    def order(self, ranked: Sequence[int]) -> Order:
        """Return when each family applies, given functions in the order of application."""
        when = [0] * len(self._families.size)
        for place, function in enumerate(ranked, start=1):
            when[function] = place
        return tuple(when)

    def score(self, ranked: Sequence[int]) -> Score:
        """Return how good an order is: pairs read right, exceptions, evidence."""
        key = tuple(ranked)
        if key not in self.known:
            order = self.order(ranked)
            share = order_shares(order, self._families)
            evidence = self._evidence(share, order)
            share[0] *= self._as_whole
            self.known[key] = (*self._agreement(share), evidence)
        return self.known[key]

    def _agreement(self, share: FloatArray) -> tuple[float, float]:
        readings = self._readings
        value = _values(share, *readings[:6])
        pairs = len(readings.forest)
        best, of_right = np.zeros(pairs), np.zeros(pairs)
        np.maximum.at(best, readings.pair, value)
        np.maximum.at(of_right, readings.pair, value * readings.right)
        ties = np.bincount(
            readings.pair, value >= best[readings.pair] * (1 - _TIE), minlength=pairs
        )
        exact = np.where(of_right >= best * (1 - _TIE), 1.0 / np.maximum(ties, 1), 0.0)
        asked = (self._forests.pairs[readings.forest] > 0) & (of_right > 0)
        return round(float(exact[asked].sum()), 6), round(float(np.log(of_right[asked]).sum()), 6)

    def _evidence(self, share: FloatArray, order: Order) -> float:
        """Return the log-probability of what is seen below each function, shares summed out."""
        when = np.array(order)
        seen = best_cells(share, *self._forests[:9])
        owner = np.repeat(when, self._families.arity)
        last = int(when.max(initial=0))
        counts = np.zeros((last + 1, last + 1))
        for place, row in zip(owner, seen[1:], strict=True):
            counts[place] += np.bincount(when, row, minlength=last + 1)
        total = 0.0
        for place in range(1, last + 1):
            held = counts[place][(np.arange(last + 1) < place) | (counts[place] > 0)]
            total += float(gammaln(1.0 + held).sum())
            total += math.lgamma(len(held)) - math.lgamma(len(held) + held.sum())
        return round(total, 6)


@kernel()
def _values(
    share: FloatArray,
    node: LongArray,
    family: LongArray,
    children: LongArray,
    child: LongArray,
    slot: LongArray,
    root: LongArray,
) -> FloatArray:
    """Return the value of the best derivation of each reading."""
    last, before = np.full(node.max() + 1, -1), np.empty(len(node), np.int64)
    score = np.ones(len(node))
    for e in range(len(node)):
        for k in range(children[e], children[e + 1]):
            score[e] *= best_edge(share, slot[k], last[child[k]], before, family, score)[0]
        before[e], last[node[e]] = last[node[e]], e
    found = np.empty(len(root))
    for i in range(len(root)):
        found[i] = best_edge(share, 0, last[root[i]], before, family, score)[0]
    return found
