"""The k best derivations of a sentence, lazily and exactly.

Huang & Chiang 2005, *Better k-best parsing*, algorithm 3. A unit over a span is a node; the edges
that make it are its hyperedges; a derivation of it is an edge with a rank for each child. Every
node keeps a heap of candidates, and the next best one is taken only when somebody asks for it.

Unary rules are edges like all others, even in cycles: a derivation is worth strictly less than
the derivations inside it that have the same node, so its rank is higher, and no question about a
rank of a node leads back to a question about the same or a higher rank.
"""

from __future__ import annotations

import heapq
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from grammar.chart.derivations import incoming
from grammar.chart.kernels import Chart
from grammar.chart.rules import ChartRules

__all__ = ["best_rule_sequences"]

Span = tuple[int, int, int]
"""Begin, end, unit."""


class _Candidate(NamedTuple):
    """An edge and the ranks of the derivations of its children; sorts best first."""

    cost: float
    edge: int
    split: int
    ranks: tuple[int, ...]


@dataclass(slots=True)
class _Node:
    candidates: list[_Candidate]
    seen: set[tuple[int, int, tuple[int, ...]]] = field(default_factory=set)
    best: list[_Candidate] = field(default_factory=list)
    expanded: int = 0
    """How many of the best have had their successors put among the candidates."""


def best_rule_sequences(
    chart: Chart, rules: ChartRules, start: int, k: int
) -> list[tuple[int, ...]]:
    """Return the k best derivations as rules in preorder, the best first; fewer if there are fewer.

    Parameters
    ----------
    chart : Chart
        Filled with best values.
    rules : ChartRules
        The edges it was filled with.
    start : int
        The unit over the whole sentence.
    k : int
        At least one.

    Notes
    -----
    Takes time for the nodes of the k derivations and their neighbours only: for each the
    enumeration of its edges, then O(log k) for each derivation of it that is asked for.
    """
    forest = _Forest(chart, rules, k)
    root = (0, len(chart.words), start)
    found: list[tuple[int, ...]] = []
    while len(found) < k and forest.has(root, len(found)):
        found.append(forest.rule_sequence(root, len(found)))
    return found


class _Forest:
    def __init__(self, chart: Chart, rules: ChartRules, k: int) -> None:
        self._chart, self._rules, self._k = chart, rules, k
        self._nodes: dict[Span, _Node] = {}

    def has(self, span: Span, rank: int) -> bool:
        """Find the derivations of a node up to a rank; return whether there are so many."""
        # questions that wait for the answer to the one above them
        waiting = [(span, rank)]
        while waiting:
            asked, wanted = waiting[-1]
            node = self._node(asked)
            if len(node.best) > wanted:
                waiting.pop()
                continue
            if node.expanded < len(node.best):
                missing = self._expand(asked, node)
                if missing:
                    waiting.append(missing)
                    continue
            if not node.candidates:
                waiting.pop()
                continue
            node.best.append(heapq.heappop(node.candidates))
        return len(self._node(span).best) > rank

    def rule_sequence(self, span: Span, rank: int) -> tuple[int, ...]:
        """Return the rules of a derivation in preorder."""
        sequence = []
        stack = [(span, rank)]
        while stack:
            here, place = stack.pop()
            self.has(here, place)
            candidate = self._nodes[here].best[place]
            if self._rules.rule[candidate.edge] >= 0:
                sequence.append(int(self._rules.rule[candidate.edge]))
            children = self._children(here, candidate.edge, candidate.split)
            stack.extend(reversed(list(zip(children, candidate.ranks, strict=True))))
        return tuple(sequence)

    def _expand(self, span: Span, node: _Node) -> tuple[Span, int] | None:
        """Add the successors of the last derivation found, or return what must be known before."""
        last = node.best[-1]
        children = self._children(span, last.edge, last.split)
        for i, child in enumerate(children):
            below = self._nodes.get(child)
            enough = below is not None and len(below.best) > last.ranks[i] + 1
            if not enough and not self._exhausted(below):
                return child, last.ranks[i] + 1
        for i, child in enumerate(children):
            best = self._nodes[child].best
            ranks = (*last.ranks[:i], last.ranks[i] + 1, *last.ranks[i + 1 :])
            if ranks[i] < len(best) and (last.edge, last.split, ranks) not in node.seen:
                node.seen.add((last.edge, last.split, ranks))
                cost = last.cost + best[ranks[i]].cost - best[ranks[i] - 1].cost
                heapq.heappush(node.candidates, _Candidate(cost, last.edge, last.split, ranks))
        node.expanded = len(node.best)
        return None

    @staticmethod
    def _exhausted(node: _Node | None) -> bool:
        return node is not None and not node.candidates and node.expanded == len(node.best)

    def _node(self, span: Span) -> _Node:
        node = self._nodes.get(span)
        if node is None:
            candidates = [
                _Candidate(-score, edge, split, (0,) * len(self._children(span, edge, split)))
                for score, edge, split in self._edges(span)
            ]
            heapq.heapify(candidates)
            node = self._nodes[span] = _Node(candidates)
        return node

    def _edges(self, span: Span) -> list[tuple[float, int, int]]:
        """Return the edges of a node that can be among its k best derivations."""
        room = 1024
        while True:
            score = np.empty(room)
            edge, split = np.empty(room, np.int64), np.empty(room, np.int64)
            count = incoming(self._chart, self._rules, *span, score, edge, split)
            if count <= room:
                break
            room = count
        chosen = np.arange(count)
        if count > self._k:
            chosen = np.argpartition(-score[:count], self._k - 1)[: self._k]
        return list(
            zip(score[chosen].tolist(), edge[chosen].tolist(), split[chosen].tolist(), strict=True)
        )

    def _children(self, span: Span, edge: int, split: int) -> tuple[Span, ...]:
        begin, end, _ = span
        if split == 0:
            return ()
        first, second = int(self._rules.first[edge]), int(self._rules.second[edge])
        left = (begin, split, first)
        return (left,) if second < 0 else (left, (split, end, second))
