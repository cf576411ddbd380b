"""Forests with weights on their edges: sums over trees, posteriors, and the k best trees."""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from grammar.arrays import FloatArray, Index, LongArray, kernel
from grammar.forest.forest import Forest, best_below

__all__ = ["best_derivations", "forest_posteriors", "inside_values", "single_trees"]


@kernel()
def inside_values(forest: Forest, weight: FloatArray) -> FloatArray:
    """Return the logarithm of the sum over the trees below each node; -inf if there are none.

    ``weight`` holds the logarithms of the weights of edges.
    """
    inside = np.full(len(forest.label), -np.inf)
    for node in range(len(forest.label)):
        first, last = forest.starts[node], forest.starts[node + 1]
        most = -np.inf
        for edge in range(first, last):
            most = max(most, _value(forest, weight, inside, edge))
        if most == -np.inf:
            continue
        total = 0.0
        for edge in range(first, last):
            total += np.exp(_value(forest, weight, inside, edge) - most)
        inside[node] = most + np.log(total)
    return inside


@kernel()
def forest_posteriors(forest: Forest, weight: FloatArray, inside: FloatArray) -> FloatArray:
    """Return the probability of every edge given the root; all are zero if there is no tree."""
    posterior = np.zeros(len(weight))
    of_node = np.zeros(len(forest.label))
    for root in forest.roots:
        of_node[root] = 1.0 if inside[root] > -np.inf else 0.0
    for node in range(len(forest.label) - 1, -1, -1):
        if not of_node[node] > 0.0:
            continue
        for edge in range(forest.starts[node], forest.starts[node + 1]):
            share = of_node[node] * np.exp(_value(forest, weight, inside, edge) - inside[node])
            posterior[edge] = share
            if forest.left[edge] >= 0:
                of_node[forest.left[edge]] += share
            if forest.right[edge] >= 0:
                of_node[forest.right[edge]] += share
    return posterior


@kernel(inline="always")
def _value(forest: Forest, weight: FloatArray, inside: FloatArray, edge: Index) -> float:
    value = weight[edge]
    if forest.left[edge] >= 0:
        value += inside[forest.left[edge]]
    if forest.right[edge] >= 0:
        value += inside[forest.right[edge]]
    return value


def best_derivations(forest: Forest, weight: FloatArray) -> Iterator[tuple[LongArray, float]]:
    """Yield the trees of the first root, the best first: edges in preorder, and summed weights.

    All trees come, each once, by falling weight; trees of equal weight in an order that depends on
    the forest alone (Huang & Chiang 2005, algorithm 3). A tree is searched for only when it is
    asked for.
    """
    search = _Search(forest, weight)
    root, rank = int(forest.roots[0]), 0
    while search.has(root, rank):
        yield search.edges(root, rank), -search.known[root].best[rank].cost
        rank += 1


def single_trees(forest: Forest, derivations: Iterable[LongArray]) -> Forest:
    """Return a forest with one root for each derivation, below which there is only its tree.

    Derivations are edges in preorder, as :func:`best_derivations` gives them.
    """
    edges: list[int] = []
    left: list[int] = []
    right: list[int] = []
    roots = []
    for derivation in derivations:
        made: list[int] = []  # nodes that have no parent yet, the leftmost last
        for edge in derivation.tolist()[::-1]:
            left.append(made.pop() if forest.left[edge] >= 0 else -1)
            right.append(made.pop() if forest.right[edge] >= 0 else -1)
            made.append(len(edges))
            edges.append(edge)
        roots.append(made.pop())
    owner = np.searchsorted(forest.starts, edges, side="right") - 1
    return Forest(
        forest.label[owner],
        forest.begin[owner],
        forest.end[owner],
        np.arange(len(edges) + 1, dtype=np.int64),
        forest.rule[edges],
        np.array(left, np.int32),
        np.array(right, np.int32),
        np.array(roots, np.int64),
    )


class _Candidate(NamedTuple):
    """An edge and the ranks of its children's derivations; sorts best first."""

    cost: float
    edge: int
    left: int
    right: int


@dataclass(slots=True)
class _Derivations:
    """The derivations of a node: the best ones in order, and candidates for the next one."""

    waiting: list[_Candidate]
    best: list[_Candidate] = field(default_factory=list)
    seen: set[tuple[int, int, int]] = field(default_factory=set)
    expanded: int = 0
    """How many of the best have had their successors put among the candidates."""


class _Search:
    def __init__(self, forest: Forest, weight: FloatArray) -> None:
        self._forest, self._weight = forest, weight
        self._viterbi = best_below(forest, weight)[0]
        self.known: dict[int, _Derivations] = {}

    def has(self, node: int, rank: int) -> bool:
        """Find the derivations of a node up to a rank; return whether there are so many."""
        # questions that wait for the answer to the one above them
        asked = [(node, rank)]
        while asked:
            here, wanted = asked[-1]
            found = self._derivations(here)
            if len(found.best) > wanted:
                asked.pop()
            elif found.expanded < len(found.best):
                missing = self._expand(found)
                if missing:
                    asked.append(missing)
            elif found.waiting:
                found.best.append(heapq.heappop(found.waiting))
            else:
                asked.pop()
        return len(self._derivations(node).best) > rank

    def edges(self, node: int, rank: int) -> LongArray:
        """Return the edges of a derivation in preorder."""
        chosen, stack = [], [(node, rank)]
        while stack:
            here, place = stack.pop()
            self.has(here, place)
            candidate = self.known[here].best[place]
            chosen.append(candidate.edge)
            left, right = self._children(candidate.edge)
            if right >= 0:
                stack.append((right, candidate.right))
            if left >= 0:
                stack.append((left, candidate.left))
        return np.array(chosen, np.int64)

    def _children(self, edge: int) -> tuple[int, int]:
        return int(self._forest.left[edge]), int(self._forest.right[edge])

    def _derivations(self, node: int) -> _Derivations:
        if node not in self.known:
            first, last = self._forest.starts[node : node + 2].tolist()
            below = np.append(self._viterbi, 0.0)  # child -1 is none
            edges = slice(first, last)
            left, right = self._forest.left[edges], self._forest.right[edges]
            cost = -(self._weight[edges] + below[left] + below[right])
            waiting = [
                _Candidate(c, edge, 0, 0)
                for edge, c in enumerate(cost.tolist(), start=first)
                if c < np.inf
            ]
            heapq.heapify(waiting)
            self.known[node] = _Derivations(waiting)
        return self.known[node]

    def _expand(self, found: _Derivations) -> tuple[int, int] | None:
        """Add the successors of the last derivation, or return what must be known before."""
        last = found.best[-1]
        left, right = self._children(last.edge)
        steps = [
            (left, last.left + 1, (last.left + 1, last.right)),
            (right, last.right + 1, (last.left, last.right + 1)),
        ]
        for child, wanted, ranks in steps:
            if child < 0 or (last.edge, *ranks) in found.seen:
                continue
            below = self._derivations(child)
            if len(below.best) > wanted:
                found.seen.add((last.edge, *ranks))
                heapq.heappush(found.waiting, self._candidate(last.edge, *ranks))
            elif below.waiting or below.expanded < len(below.best):
                return child, wanted
        found.expanded += 1
        return None

    def _candidate(self, edge: int, left_rank: int, right_rank: int) -> _Candidate:
        value = float(self._weight[edge])
        for child, rank in zip(self._children(edge), (left_rank, right_rank), strict=True):
            if child >= 0:
                self.has(child, rank)
                value -= self.known[child].best[rank].cost
        return _Candidate(-value, edge, left_rank, right_rank)
