"""Charts in plain Python: all derivations one by one, one recursion for any semiring, closures.

Three obvious twins of the kernels: :class:`Enumeration` lists derivations (chains of unary rules
up to a length), :func:`evaluate` is the recursion with the semiring as an argument, and
:func:`inside_by_iteration` is the least fixed point where unary rules lead in circles.
"""

from __future__ import annotations

import itertools
import math
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any

import numpy as np
from hypothesis import HealthCheck, assume, reject, settings
from hypothesis import strategies as st

from grammar.chart.parser import Parse
from grammar.pcfg.analysis import productive
from grammar.pcfg.grammar import Grammar
from grammar.rules.rules import Nonterminal, Production

__all__ = [
    "BEST",
    "COUNT",
    "SUM",
    "Enumeration",
    "Node",
    "Semiring",
    "enumerations",
    "evaluate",
    "inside_by_iteration",
    "kbest_lists",
    "parsed",
    "thorough",
]

SYMBOLS = tuple(Nonterminal(name) for name in "SAB")
WORDS = ("a", "b")
CHAIN = 6
MOST = 3_000


class TooManyError(Exception):
    """There are more derivations than a test should enumerate."""


@dataclass(frozen=True)
class Node:
    """A node of an enumerated derivation: a rule, where its children begin and end, and they."""

    rule: int
    bounds: tuple[int, ...]
    children: tuple[Node, ...]

    def nodes(self) -> Iterator[Node]:
        yield self
        for child in self.children:
            yield from child.nodes()

    def rules(self) -> tuple[int, ...]:
        return tuple(node.rule for node in self.nodes())


@dataclass(frozen=True)
class Enumeration:
    """Every derivation of a sentence whose chains of unary rules have at most CHAIN of them."""

    grammar: Grammar
    sentence: tuple[str, ...]

    @cached_property
    def derivations(self) -> list[Node]:
        rules = list(self.grammar)

        @cache
        def derive(symbol: str, begin: int, end: int, chain: int) -> list[Node]:
            found = []
            for number, rule in enumerate(rules):
                if rule.lhs.name != symbol or rule.weight == 0:
                    continue
                unary = len(rule.rhs) == 1 and isinstance(rule.rhs[0], Nonterminal)
                if unary and chain == 0:
                    continue
                for inner in itertools.combinations(range(begin + 1, end), len(rule.rhs) - 1):
                    bounds = (begin, *inner, end)
                    choices = []
                    for child, i, j in zip(rule.rhs, bounds, bounds[1:], strict=False):
                        if isinstance(child, Nonterminal):
                            left = chain - 1 if unary else CHAIN
                            choices.append(derive(child.name, i, j, left))
                        elif self.sentence[i:j] != (child,):
                            choices.append([])
                    for children in itertools.product(*choices):
                        found.append(Node(number, bounds, children))
                if len(found) > MOST:
                    raise TooManyError
            return found

        return derive(self.grammar.start, 0, len(self.sentence), CHAIN)

    @cached_property
    def probability(self) -> dict[tuple[int, ...], float]:
        """By the rules in preorder, the most probable first."""
        weight = self.grammar.weight
        of = {d.rules(): math.prod(weight[r] for r in d.rules()) for d in self.derivations}
        assert len(of) == len(self.derivations)
        return dict(sorted(of.items(), key=lambda item: -item[1]))

    @property
    def total(self) -> float:
        return math.fsum(self.probability.values())

    def label(self, node: Node) -> str:
        return self.grammar.rules.sides(node.rule)[0].name

    def span_posteriors(self) -> dict[tuple[str, int, int], float]:
        mass: dict[tuple[str, int, int], float] = defaultdict(float)
        for d in self.derivations:
            for key in {(self.label(n), n.bounds[0], n.bounds[-1]) for n in d.nodes()}:
                mass[key] += self.probability[d.rules()] / self.total
        return mass

    def rule_counts(self) -> np.ndarray:
        count = np.zeros(len(self.grammar))
        for rules, p in self.probability.items():
            np.add.at(count, list(rules), p / self.total)
        return count

    def anchors(self, derivation: Node) -> list[tuple[object, ...]]:
        """The binary edges of a derivation, with their spans and split points."""
        found: list[tuple[object, ...]] = []
        for node in derivation.nodes():
            lhs, rhs = self.grammar.rules.sides(node.rule)
            bounds = node.bounds
            found.append((lhs, rhs, bounds[:2], bounds[-1]))
            for i in range(1, len(rhs) - 1):
                found.append((rhs[i:], bounds[i : i + 2], bounds[-1]))
        return found

    def loops(self) -> bool:
        """Whether some derivation has the same label twice over a span."""
        return any(
            max(Counter((self.label(n), n.bounds[0], n.bounds[-1]) for n in d.nodes()).values()) > 1
            for d in self.derivations
        )


@st.composite
def grammars(draw: st.DrawFn, cycles: bool) -> Grammar:
    symbol, word = st.sampled_from(SYMBOLS), st.sampled_from(WORDS)
    unaries = [(i, j) for i in range(3) for j in range(3) if cycles or i < j]
    chosen = draw(st.lists(st.sampled_from(unaries), max_size=4, unique=True))
    # light unary rules: long chains hardly matter
    rules = [Production(SYMBOLS[i], (SYMBOLS[j],), draw(st.integers(1, 2))) for i, j in chosen]
    longer = st.lists(st.one_of(symbol, symbol, word), min_size=2, max_size=4).map(tuple)
    for lhs, rhs in draw(st.lists(st.tuples(symbol, longer), min_size=1, max_size=5)):
        rules.append(Production(lhs, rhs, draw(st.integers(4, 9))))
    for lhs, terminal in draw(st.lists(st.tuples(symbol, word), min_size=2, max_size=5)):
        rules.append(Production(lhs, (terminal,), draw(st.integers(4, 9))))
    assume(any(rule.lhs == SYMBOLS[0] for rule in rules))
    grammar = Grammar.from_productions(rules, start="S", normalise=True)
    assume(productive(grammar)[grammar.start_id])
    return grammar


@st.composite
def enumerations(draw: st.DrawFn, cycles: bool = False, failing: bool = False) -> Enumeration:
    """Short sentences; with at least one derivation unless some may fail."""
    grammar = draw(grammars(cycles))
    length = draw(st.integers(1, 4))
    words = draw(st.permutations(list(itertools.product(WORDS, repeat=length))))
    try:
        tried = (Enumeration(grammar, sentence) for sentence in words[:5])
        found = next((e for e in tried if failing or e.derivations), None)
        assume(found is not None and len(found.derivations) <= MOST)
    except TooManyError:
        reject()
    assert found is not None
    return found


@dataclass(frozen=True)
class Semiring:
    """What derivations are added up to: alternatives, sequences, and the value of a rule."""

    plus: Callable[[Any, Any], Any]
    times: Callable[[Any, Any], Any]
    zero: Any
    one: Any
    rule: Callable[[int, float], Any]


SUM = Semiring(lambda a, b: a + b, lambda a, b: a * b, 0.0, 1.0, lambda _, weight: weight)
BEST = Semiring(max, lambda a, b: a * b, 0.0, 1.0, lambda _, weight: weight)
COUNT = Semiring(lambda a, b: a + b, lambda a, b: a * b, 0, 1, lambda _, weight: int(weight > 0))


def kbest_lists(k: int) -> Semiring:
    """Values are the k most probable (probability, rules in preorder), the best first."""

    def best(pairs: list[tuple[float, tuple[int, ...]]]) -> list[tuple[float, tuple[int, ...]]]:
        return sorted((pair for pair in pairs if pair[0] > 0), key=lambda pair: -pair[0])[:k]

    return Semiring(
        lambda a, b: best(a + b),
        lambda a, b: best([(p * q, x + y) for p, x in a for q, y in b]),
        [],
        [(1.0, ())],
        lambda number, weight: [(weight, (number,))],
    )


def evaluate(grammar: Grammar, sentence: Sequence[str], semiring: Semiring) -> Any:
    """Return the semiring's value of a sentence; unary rules must not lead in circles."""
    rules = list(grammar)

    @cache
    def symbol(name: str, begin: int, end: int) -> Any:
        total = semiring.zero
        for number, rule in enumerate(rules):
            if rule.lhs.name == name and len(rule.rhs) <= end - begin:
                below = sequence(rule.rhs, begin, end)
                value = semiring.times(semiring.rule(number, rule.weight), below)
                total = semiring.plus(total, value)
        return total

    def sequence(rhs: tuple[Nonterminal | str, ...], begin: int, end: int) -> Any:
        if not rhs:
            return semiring.one if begin == end else semiring.zero
        total = semiring.zero
        for middle in range(begin + 1, end - len(rhs) + 2):
            if isinstance(rhs[0], Nonterminal):
                first = symbol(rhs[0].name, begin, middle)
            else:
                first = semiring.one if sentence[begin:middle] == (rhs[0],) else semiring.zero
            if first != semiring.zero:
                total = semiring.plus(total, semiring.times(first, sequence(rhs[1:], middle, end)))
        return total

    return symbol(grammar.start, 0, len(sentence))


def inside_by_iteration(
    grammar: Grammar, sentence: tuple[str, ...], weights: Sequence[complex] | None = None
) -> Any:
    """The probability of a sentence as the least fixed point of its defining equations.

    Other weights may stand for those of the grammar. With one weight moved off the real axis by a
    tiny step, the imaginary part is the derivative by this weight (no digits are cancelled).
    """
    n, rules = len(sentence), list(grammar)
    weights = [rule.weight for rule in rules] if weights is None else weights
    value: dict[tuple[str, int, int], Any] = defaultdict(float)

    def worth(child: Nonterminal | str, i: int, j: int) -> Any:
        if isinstance(child, Nonterminal):
            return value[child.name, i, j]
        return float(sentence[i:j] == (child,))

    for width in range(1, n + 1):
        for begin in range(n - width + 1):
            end = begin + width
            for _ in range(400):
                fresh: dict[str, Any] = defaultdict(float)
                for rule, weight in zip(rules, weights, strict=True):
                    for inner in itertools.combinations(range(begin + 1, end), len(rule.rhs) - 1):
                        bounds = (begin, *inner, end)
                        parts = zip(rule.rhs, bounds, bounds[1:], strict=False)
                        fresh[rule.lhs.name] += weight * math.prod(worth(*p) for p in parts)
                if all(value[name, begin, end] == mass for name, mass in fresh.items()):
                    break
                for name, mass in fresh.items():
                    value[name, begin, end] = mass
    return value[grammar.start, 0, n]


def parsed(outcome: object) -> Parse:
    assert isinstance(outcome, Parse), outcome
    return outcome


thorough = settings(
    max_examples=80,
    deadline=None,
    suppress_health_check=[HealthCheck.filter_too_much, HealthCheck.too_slow],
)
