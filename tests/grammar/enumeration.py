"""Slow, obvious twins of the kernels in plain Python, read off the productions of a grammar."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from functools import cache

from grammar.pcfg.grammar import Grammar
from grammar.rules.rules import Nonterminal, Production
from grammar.trees.tree import Tree

__all__ = [
    "NotConvergedError",
    "all_derivations",
    "empirical_mean_length",
    "lengths_by_iteration",
    "sentence_probabilities",
    "termination_by_iteration",
]


class NotConvergedError(Exception):
    """The naive iteration crawls: the grammar is (nearly) critical."""


def all_derivations(grammar: Grammar, longest: int) -> dict[Tree, float]:
    """Return every derivation of at most ``longest`` words with its probability.

    The grammar must have neither empty rules nor unary cycles.
    """
    by_symbol = _rules_by_symbol(grammar)

    @cache
    def trees(symbol: str, n: int) -> tuple[tuple[Tree, float], ...]:
        found = []
        for production in by_symbol[symbol]:
            for children, probability in forests(production.rhs, n):
                found.append((Tree(symbol, children), production.weight * probability))
        return tuple(found)

    def forests(
        rhs: tuple[Nonterminal | str, ...], n: int
    ) -> Iterator[tuple[tuple[Tree | str, ...], float]]:
        if not rhs:
            if n == 0:
                yield (), 1.0
            return
        first, rest = rhs[0], rhs[1:]
        # every child has a word at least, so the others leave no more than this
        for k in range(1, n - len(rest) + 1):
            if isinstance(first, str):
                firsts: tuple[tuple[Tree | str, float], ...] = ((first, 1.0),) if k == 1 else ()
            else:
                firsts = trees(first.name, k)
            for child, probability in firsts:
                for others, factor in forests(rest, n - k):
                    yield (child, *others), probability * factor

    found: dict[Tree, float] = defaultdict(float)
    for n in range(1, longest + 1):
        for tree, probability in trees(grammar.start, n):
            found[tree] += probability
    return dict(found)


def sentence_probabilities(grammar: Grammar, longest: int) -> dict[tuple[str, ...], float]:
    """Return every sentence of at most ``longest`` words with its probability."""
    sums: dict[tuple[str, ...], float] = defaultdict(float)
    for tree, probability in all_derivations(grammar, longest).items():
        sums[tree.leaves()] += probability
    return dict(sums)


def lengths_by_iteration(grammar: Grammar, longest: int, *, steps: int = 3000) -> list[float]:
    """Return the probability of each length, iterating polynomials cut off at ``longest``."""
    by_symbol = _rules_by_symbol(grammar)
    nothing, one = [0.0] * (longest + 1), [1.0, *[0.0] * longest]
    word = [0.0, 1.0, *[0.0] * longest][: longest + 1]
    now = dict.fromkeys(grammar.rules.nonterminals, nothing)
    for _ in range(steps):
        new = {}
        for symbol in now:
            total = list(nothing)
            for production in by_symbol[symbol]:
                product = one
                for child in production.rhs:
                    product = _times(product, word if isinstance(child, str) else now[child.name])
                total = [t + production.weight * p for t, p in zip(total, product, strict=True)]
            new[symbol] = total
        change = max(abs(a - b) for s in now for a, b in zip(new[s], now[s], strict=True))
        now = new
        if change < 1e-14:
            return now[grammar.start]
    raise NotConvergedError


def termination_by_iteration(grammar: Grammar, *, steps: int = 20_000) -> dict[str, float]:
    """Return the probability that each symbol ends, by Kleene's iteration from zero."""
    by_symbol = _rules_by_symbol(grammar)
    now = dict.fromkeys(grammar.rules.nonterminals, 0.0)
    for _ in range(steps):
        new = {}
        for symbol in now:
            new[symbol] = 0.0
            for production in by_symbol[symbol]:
                product = production.weight
                for child in production.rhs:
                    product *= 1.0 if isinstance(child, str) else now[child.name]
                new[symbol] += product
        change = max(abs(new[s] - now[s]) for s in now)
        now = new
        if change < 1e-14:
            return now
    raise NotConvergedError


def empirical_mean_length(trees: list[Tree]) -> float:
    """Return the mean number of words."""
    return sum(len(tree.leaves()) for tree in trees) / len(trees)


def _rules_by_symbol(grammar: Grammar) -> dict[str, list[Production]]:
    by_symbol: dict[str, list[Production]] = {name: [] for name in grammar.rules.nonterminals}
    for production in grammar:
        by_symbol[production.lhs.name].append(production)
    return by_symbol


def _times(a: list[float], b: list[float]) -> list[float]:
    """Multiply two polynomials, cut off at their common length."""
    product = [0.0] * len(a)
    for i, x in enumerate(a):
        if x:
            for j, y in enumerate(b[: len(a) - i]):
                product[i + j] += x * y
    return product
