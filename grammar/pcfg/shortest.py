"""The shortest derivation of each symbol: what a grammar can always end with."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from grammar.arrays import FloatArray, LongArray
from grammar.pcfg.analysis import WeightedRules

__all__ = ["Shortest", "shortest_derivations"]


class Shortest(NamedTuple):
    """The shortest derivations.

    Attributes
    ----------
    size : float64 array, shape (nonterminals,)
        How many rules and words that of each symbol has; infinite for symbols that never end.
    of_rule : float64 array, shape (rules,)
        The same of the shortest that begins with each rule.
    rule : int64 array, shape (nonterminals,)
        The rule that it begins with; -1 if there is none.
    """

    size: FloatArray
    of_rule: FloatArray
    rule: LongArray


def shortest_derivations(grammar: WeightedRules) -> Shortest:
    """Return the shortest derivation of each symbol, by rules with a weight.

    Of several that are equally short, that of the more probable rule.

    Examples
    --------
    >>> from grammar.pcfg.grammar import Grammar
    >>> grammar = Grammar.parse("S -> 'very' S [3/4] | A [1/4] \\n A -> 'good' [1/3] | 'bad' [2/3]")
    >>> found = shortest_derivations(grammar)
    >>> found.size.tolist(), [grammar.rule_text(rule) for rule in found.rule]
    ([2.0, 3.0], ["A -> 'bad'", 'S -> A'])
    """
    rules = grammar.rules
    rule = np.repeat(np.arange(len(rules)), np.diff(rules.offsets))
    inner = rules.rhs >= 0
    own = 1.0 + np.bincount(rule[~inner], minlength=len(rules)).astype(np.float64)
    own[grammar.weight <= 0] = np.inf
    size = np.full(len(rules.nonterminals), np.inf)
    while True:
        below = np.bincount(rule[inner], size[rules.rhs[inner]], len(rules))
        of_rule = own + below.astype(np.float64)
        now = np.full(len(size), np.inf)
        np.minimum.at(now, rules.lhs, of_rule)
        if (now == size).all():
            break
        size = now
    order = np.lexsort((-grammar.weight, of_rule, rules.lhs))
    first = np.full(len(size), -1, np.int64)
    ends = order[np.isfinite(of_rule[order])]
    first[rules.lhs[ends[::-1]]] = ends[::-1]
    return Shortest(size, of_rule, first)
