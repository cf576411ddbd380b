"""Derivations without words: how probable they are, the best of them, and samples.

A symbol is *nullable* if some derivation of it has no words. Charts leave such symbols out of
rules and keep what was left out beside the rule (see :mod:`grammar.chart.grammar`); this module
says what may be put back.
"""

from __future__ import annotations

import heapq
from collections import defaultdict
from dataclasses import dataclass
from functools import cached_property
from typing import TypeVar

import networkx as nx
import numpy as np

from grammar.arrays import BoolArray, FloatArray
from grammar.errors import ChartGrammarError
from grammar.pcfg.analysis import WeightedRules, termination
from grammar.rng import uniforms_of

__all__ = ["EmptyDerivations", "best_products", "empty_chances"]

_ALMOST_ONE = 1.0 - 1e-7

Item = TypeVar("Item")
Weighted = tuple[float, tuple[int, ...]]
"""The logarithm of a probability, and rules in preorder."""


def empty_chances(grammar: WeightedRules) -> FloatArray:
    """Return the probability that each symbol yields no words, shape (nonterminals,).

    >>> from grammar.pcfg.grammar import Grammar
    >>> empty_chances(Grammar.parse("S -> A A 'b' [1] \\n A -> 'a' [0.25] | [0.75]")).tolist()
    [0.75, 0.0]
    """
    rules = grammar.rules
    rule = np.repeat(np.arange(len(rules)), np.diff(rules.offsets))
    wordless = grammar.weight.copy()
    wordless[rule[rules.rhs < 0]] = 0.0
    if not (wordless[np.diff(rules.offsets) == 0] > 0).any():
        return np.zeros(len(rules.nonterminals))
    empty = termination(grammar, wordless)
    # a critical fixed point is reached only nearly, so that it is one is seen from the rules
    empty[~_writes_words(grammar) & (empty > _ALMOST_ONE)] = 1.0
    return empty


def _writes_words(grammar: WeightedRules) -> BoolArray:
    """Return which symbols derive a sentence that is not empty, if they derive any."""
    rules = grammar.rules
    slot_lhs = np.repeat(rules.lhs, np.diff(rules.offsets))
    writes = np.zeros(len(rules.nonterminals), np.bool_)
    while True:
        now = writes.copy()
        now[slot_lhs[(rules.rhs < 0) | writes[np.maximum(rules.rhs, 0)]]] = True
        if (now == writes).all():
            return writes
        writes = now


@dataclass(frozen=True, eq=False)
class EmptyDerivations:
    """The derivations without words of each symbol of a grammar.

    Attributes
    ----------
    grammar : WeightedRules
        The grammar.
    chance : float64 array, shape (nonterminals,)
        The probability of all of them together, see :func:`empty_chances`.

    Examples
    --------
    >>> from grammar.pcfg.grammar import Grammar
    >>> grammar = Grammar.parse("S -> 'a' A [1] \\n A -> [0.5] | B [0.5] \\n B -> [1]")
    >>> empty = EmptyDerivations(grammar, empty_chances(grammar))
    >>> empty.chance.tolist(), empty.times.tolist(), empty.unique
    ([1.0, 1.0, 0.0], [2.0, 1.0, 0.0], False)
    >>> [rules for _, rules in empty.best(2)[0]]
    [(0,), (1, 2)]
    """

    grammar: WeightedRules
    chance: FloatArray

    @cached_property
    def rules_of(self) -> dict[int, list[tuple[int, list[int]]]]:
        """The rules of each nullable symbol that can end without words, and their children."""
        rules = self.grammar.rules
        bounds, children = rules.offsets.tolist(), rules.rhs.tolist()
        found = defaultdict(list)
        for rule in np.flatnonzero((self.grammar.weight > 0) & (self.chance[rules.lhs] > 0)):
            right = children[bounds[rule] : bounds[rule + 1]]
            if all(child >= 0 and self.chance[child] > 0 for child in right):
                found[int(rules.lhs[rule])].append((int(rule), right))
        return dict(found)

    @cached_property
    def times(self) -> FloatArray:
        """float64 array, shape (nonterminals,): how many derivations; infinite for cycles."""
        graph = nx.DiGraph()
        graph.add_nodes_from(self.rules_of)
        for symbol, rules in self.rules_of.items():
            graph.add_edges_from((symbol, child) for _, right in rules for child in right)
        found = np.zeros(len(self.chance))
        layers = nx.condensation(graph)
        for layer in reversed(list(nx.topological_sort(layers))):
            members = layers.nodes[layer]["members"]
            for symbol in members:
                cyclic = len(members) > 1 or graph.has_edge(symbol, symbol)
                ways = (
                    np.prod(found[right]) if right else 1.0 for _, right in self.rules_of[symbol]
                )
                found[symbol] = np.inf if cyclic else sum(ways)
        return found

    @property
    def unique(self) -> bool:
        """Whether no symbol has two derivations without words."""
        return bool((self.times <= 1).all())

    def best(self, k: int) -> dict[int, list[Weighted]]:
        """Return the k best derivations of each nullable symbol, the best first."""
        weight = np.log(np.maximum(self.grammar.weight, np.finfo(float).tiny))
        found: dict[int, list[Weighted]] = {symbol: [] for symbol in self.rules_of}
        # a round adds the derivations that are one level higher; to be among the k best, one
        # cannot be much higher than the number of symbols
        for _ in range(k * len(found) + 1):
            now = {
                symbol: heapq.nsmallest(
                    k,
                    (
                        (float(weight[rule]) + score, (rule, *below))
                        for rule, right in rules
                        for score, below in best_products([found[child] for child in right], k)
                    ),
                    key=lambda one: (-one[0], one[1]),
                )
                for symbol, rules in self.rules_of.items()
            }
            if now == found:
                break
            found = now
        return found

    @cached_property
    def uses(self) -> dict[int, FloatArray]:
        """How often each rule is used, on average, in a derivation of a symbol without words."""
        place = {symbol: i for i, symbol in enumerate(self.rules_of)}
        chance = np.zeros((len(place), len(self.grammar.weight)))
        below = np.zeros((len(place), len(place)))
        for symbol, row in place.items():
            for rule, right in self.rules_of[symbol]:
                chance[row, rule] = self._share(symbol, rule, right)
                for child in right:
                    below[row, place[child]] += chance[row, rule]
        try:
            visits = np.linalg.inv(np.eye(len(place)) - below)
        except np.linalg.LinAlgError:
            raise ChartGrammarError(
                "derivations without words have infinitely many rules on average",
                where=f"start symbol {self.grammar.rules.nonterminals[self.grammar.start_id]}",
                hint="give rules that end more weight",
            ) from None
        return dict(zip(place, visits @ chance, strict=True))

    def draw(self, symbol: int, key: np.uint64, index: int) -> tuple[int, ...]:
        """Draw a derivation of a symbol that has no words; it depends on (key, index) alone."""
        drawn, waiting, at = [], [symbol], 0
        numbers = uniforms_of(key, index, 16)
        while waiting:
            here = waiting.pop()
            if at == len(numbers):
                numbers = uniforms_of(key, index, 2 * len(numbers))
            left = numbers[at]
            at += 1
            for rule, right in self.rules_of[here]:
                chosen, below = rule, right
                left -= self._share(here, rule, right)
                if left < 0:
                    break
            drawn.append(chosen)
            waiting.extend(reversed(below))
        return tuple(drawn)

    def _share(self, symbol: int, rule: int, right: list[int]) -> float:
        product = float(np.prod(self.chance[right])) if right else 1.0
        return float(self.grammar.weight[rule]) * product / float(self.chance[symbol])


def best_products(
    lists: list[list[tuple[float, tuple[Item, ...]]]], k: int
) -> list[tuple[float, tuple[Item, ...]]]:
    """Return the k best ways to take one derivation from each list; lists are sorted.

    >>> best_products([[(-1.0, (1,)), (-2.0, (2,))], [(-1.0, (3,)), (-5.0, (4,))]], 2)
    [(-2.0, (1, 3)), (-3.0, (2, 3))]
    """
    found: list[tuple[float, tuple[Item, ...]]] = [(0.0, ())]
    for ways in lists:
        pairs = (
            (first[0] + second[0], first[1] + second[1])
            for i, first in enumerate(found)
            for second in ways[: k // (i + 1)]
        )
        found = heapq.nsmallest(k, pairs, key=lambda one: (-one[0], one[1]))
    return found
