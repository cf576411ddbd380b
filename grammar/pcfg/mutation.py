"""Mutations of derivations: one subtree replaced by another derivation of its symbol."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from grammar.arrays import LongArray
from grammar.errors import NothingNewError
from grammar.options import whole_number
from grammar.pcfg.grammar import Grammar
from grammar.pcfg.shortest import Shortest, shortest_derivations
from grammar.rng import stream_key, uniforms_of

__all__ = ["mutations"]

_AT_ONCE = 64


def mutations(
    grammar: Grammar,
    derivation: Sequence[int],
    n: int,
    *,
    seed: int = 0,
    start: int = 0,
    max_rules: int = 50,
) -> Iterator[tuple[int, ...]]:
    """Yield derivations in which one subtree is another derivation of the same symbol.

    The subtree is one of those whose symbol has another rule, each with equal probability. The new
    subtree begins with another rule than before, so the derivation differs. Its rules are drawn by
    their weights.

    Parameters
    ----------
    grammar : Grammar
        The grammar. It need not be tight.
    derivation : sequence of int
        Rules in preorder, such as those in the provenance of a sample.
    n : int
        How many.
    seed, start : int
        Mutations ``start`` to ``start + n - 1``: mutation i depends on the derivation, the seed and
        i alone.
    max_rules : int
        A new subtree that reaches this number of rules ends by the shortest derivations of its open
        symbols.

    Raises
    ------
    OptionError
        If the rules are not a whole derivation, or a number is out of range.
    NothingNewError
        If no symbol of the derivation has another rule that ends.

    Examples
    --------
    >>> grammar = Grammar.parse("S -> 'very' S [0.5] | 'good' [0.25] | 'bad' [0.25]")
    >>> [list(rules) for rules in mutations(grammar, [2, 0], 4, seed=1)]
    [[2, 1], [2, 1], [2, 1], [0]]
    """
    for name, number, least in (("n", n, 0), ("start", start, 0), ("max_rules", max_rules, 1)):
        whole_number(name, number, least)
    rules = tuple(int(rule) for rule in derivation)
    grammar.check_numbers(rules, "the derivation")
    grammar.tree_of(rules)  # which refuses what is no derivation
    subtrees = _Subtrees(grammar, max_rules)
    places = [i for i, rule in enumerate(rules) if len(subtrees.others(rule))]
    if not places:
        raise NothingNewError(
            "no symbol of the derivation has another rule", hint="choose another derivation"
        )
    key = stream_key(seed, "mutations of derivations")
    return (_mutated(rules, places, subtrees, key, start + i) for i in range(n))


def _mutated(
    rules: tuple[int, ...], places: list[int], subtrees: _Subtrees, key: np.uint64, index: int
) -> tuple[int, ...]:
    numbers = _numbers(key, index)
    place = places[int(next(numbers) * len(places))]
    first = subtrees.drawn(subtrees.others(rules[place]), next(numbers))
    after = subtrees.end(rules, place)
    return (*rules[:place], *subtrees.expanded(first, numbers), *rules[after:])


class _Subtrees:
    """Draws derivations of symbols that end."""

    def __init__(self, grammar: Grammar, max_rules: int) -> None:
        self._grammar, self._max_rules = grammar, max_rules
        self._shortest: Shortest = shortest_derivations(grammar)
        self._weight = np.where(np.isfinite(self._shortest.of_rule), grammar.weight, 0.0)
        self._bounds, self._children = grammar.rules.offsets.tolist(), grammar.rules.rhs.tolist()

    def others(self, rule: int) -> LongArray:
        """Return the other rules of the symbol that end."""
        rules = self._rules_of(int(self._grammar.rules.lhs[rule]))
        return rules[rules != rule]

    def drawn(self, rules: LongArray, u: float) -> int:
        """Return one of the rules, by their weights."""
        sums = np.cumsum(self._weight[rules])
        return int(rules[np.searchsorted(sums, u * sums[-1], "right")])

    def end(self, rules: tuple[int, ...], place: int) -> int:
        """Return where in a derivation the subtree ends that begins at a place."""
        waiting = 1
        while waiting:
            waiting += len(self._inner(rules[place])) - 1
            place += 1
        return place

    def expanded(self, rule: int, numbers: Iterator[float]) -> list[int]:
        """Return a derivation that begins with a rule."""
        found, waiting = [rule], self._inner(rule)
        while waiting:
            symbol = waiting.pop()
            if len(found) + len(waiting) >= self._max_rules:
                rule = int(self._shortest.rule[symbol])
            else:
                rule = self.drawn(self._rules_of(symbol), next(numbers))
            found.append(rule)
            waiting += self._inner(rule)
        return found

    def _rules_of(self, symbol: int) -> LongArray:
        begin, end = self._grammar.rules.starts[symbol : symbol + 2].tolist()
        return begin + np.flatnonzero(self._weight[begin:end])

    def _inner(self, rule: int) -> list[int]:
        """Return the symbols of a right-hand side, the last one first."""
        children = self._children[self._bounds[rule] : self._bounds[rule + 1]]
        return [child for child in reversed(children) if child >= 0]


def _numbers(key: np.uint64, index: int) -> Iterator[float]:
    """Yield the numbers of one stream."""
    done, count = 0, _AT_ONCE
    while True:
        yield from uniforms_of(key, index, count)[done:].tolist()
        done, count = count, 2 * count
