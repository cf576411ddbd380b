"""How many steps the search for a regular expression may take, going back and forth.

Where a loop can take the same characters in two ways, the ways double with each round. Where loops
stand one behind the other and take the same characters, each divides a run of them again.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cached_property
from itertools import product

import networkx as nx

from grammar.expressions.positions import Automaton

__all__ = ["Search"]

MOST_STEPS = 1_000_000_000
"""A text is not searched where that may take more."""
_MOST_IN_LOOP = 200
_WAYS = 4
"""What doubles may also become three or four times as many."""


class Search:
    """What is known of the search for an expression, and of what is tried by itself in it.

    Raises
    ------
    UnreadableError
        If an expression refers to its groups, or is too large.
    """

    def __init__(self, automaton: Automaton) -> None:
        self.automaton = automaton
        self.inner = [Search(Automaton(part)) for part in automaton.inner]

    @cached_property
    def doubles(self) -> bool:
        """Whether the ways may double with each character.

        >>> [Search(Automaton(e)).doubles for e in (r"(a+)+b", "(aa|a)*!", r"\\w+(-\\w+)*", "a*a*")]
        [True, True, False, False]
        """
        if self._loops and self.automaton.has_equal_ways:
            return True
        return any(map(self._is_ambiguous, self._loops)) or any(one.doubles for one in self.inner)

    def can_take(self, text: str, most: int = MOST_STEPS) -> bool:
        """Say whether a text may be searched in so many steps."""
        return (_WAYS ** len(text) if self.doubles else self.steps(text)) <= most

    def steps(self, text: str) -> int:
        """Return how many steps the search of a text may take at most, but for a small factor."""
        return (len(text) + 1) * self._steps_at_one_place(text)

    def _steps_at_one_place(self, text: str) -> int:
        found = 1
        if self._loops:
            found *= _longest(self._runs, text) ** self._chain
        if self._settled:
            found *= _longest(self._settled, text)
        for one in self.inner:
            found *= one._steps_at_one_place(text)
        return found

    @cached_property
    def _graph(self) -> nx.DiGraph:
        graph = nx.DiGraph()
        graph.add_nodes_from(range(len(self.automaton.nodes)))
        rows = enumerate(self.automaton.follow)
        graph.add_edges_from((a, b) for a, row in rows for b, ways in row.items() if ways)
        return graph

    @cached_property
    def _loops(self) -> list[list[int]]:
        graph = self._graph
        parts = nx.strongly_connected_components(graph)
        return [sorted(c) for c in parts if len(c) > 1 or graph.has_edge(*(min(c), min(c)))]

    @cached_property
    def _runs(self) -> re.Pattern[str]:
        return self.automaton.runs(state for loop in self._loops for state in loop)

    @cached_property
    def _settled(self) -> re.Pattern[str] | None:
        settled = self.automaton.settled
        return self.automaton.runs(settled) if settled else None

    def _is_ambiguous(self, loop: list[int]) -> bool:
        """Say whether one text leads from a state to itself in two ways."""
        if len(loop) > _MOST_IN_LOOP:
            return True
        inside = set(loop)
        follow = self.automaton.follow
        if any(ways > 1 for state in loop for q, ways in follow[state].items() if q in inside):
            return True
        takes = {state: frozenset(self.automaton.samples[state]) for state in loop}
        graph = nx.DiGraph()
        for a, b in self._pairs(loop, takes):
            both = product(*([q for q, ways in follow[s].items() if ways] for s in (a, b)))
            graph.add_edges_from(
                ((a, b), (p, q))
                for p, q in both
                if p in inside and q in inside and not takes[p].isdisjoint(takes[q])
            )
        return any(
            any(a == b for a, b in part) and any(a != b for a, b in part)
            for part in nx.strongly_connected_components(graph)
        )

    def _pairs(
        self, loop: list[int], takes: dict[int, frozenset[str]]
    ) -> Iterator[tuple[int, int]]:
        return ((a, b) for a, b in product(loop, loop) if not takes[a].isdisjoint(takes[b]))

    @cached_property
    def _chain(self) -> int:
        """How many loops can stand one behind the other and take the same characters."""
        samples = self.automaton.samples
        takes = [frozenset("".join(samples[s] for s in loop)) for loop in self._loops]
        reached = [nx.descendants(self._graph, loop[0]) for loop in self._loops]
        after = nx.DiGraph()
        after.add_nodes_from(range(len(takes)))
        after.add_edges_from(
            (i, j)
            for i, j in product(range(len(takes)), repeat=2)
            if i != j and self._loops[j][0] in reached[i] and takes[i] & takes[j]
        )
        return len(nx.dag_longest_path(after))


def _longest(runs: re.Pattern[str], text: str) -> int:
    sizes = (match.end() - match.start() for match in runs.finditer(text))
    return max(sizes, default=1)
