"""The PCFG of a tree-substitution grammar: one production for each fragment."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from grammar.arrays import FloatArray, LongArray
from grammar.pcfg.grammar import Grammar
from grammar.rules.rules import Nonterminal, RuleTable
from grammar.trees.fragment import Fragment

__all__ = ["Flattened", "flattened"]

Sides = tuple[Nonterminal, tuple[Nonterminal | str, ...]]


@dataclass(frozen=True, eq=False)
class Flattened:
    """A PCFG whose derivations are those of a tree-substitution grammar.

    Attributes
    ----------
    pcfg : Grammar
        One rule for each fragment, or two if the fragment has a symbol of its own.
    fragment_of_rule : int64 array, shape (rules,)
        The number of the fragment; -1 for rules that only lead to the symbol of a fragment.
    """

    pcfg: Grammar
    fragment_of_rule: LongArray


def flattened(
    fragments: Sequence[Fragment], weight: FloatArray, count: LongArray, start: str
) -> Flattened:
    """Rewrite each root to the frontier, by way of a symbol where that rule is taken."""
    frontiers = [fragment.frontier for fragment in fragments]
    taken = {fragment.label for fragment in fragments}
    taken.update(c.name for frontier in frontiers for c in frontier if isinstance(c, Nonterminal))
    rules: dict[Sides, int] = {}
    # by rule in the order made: its fragment, and the fragment that it has the weight of
    owner: list[int] = []
    weigher: list[int] = []

    def add(lhs: Nonterminal, rhs: tuple[Nonterminal | str, ...], own: int, weighs: int) -> None:
        rules[lhs, rhs] = len(rules)
        owner.append(own)
        weigher.append(weighs)

    for number, (fragment, frontier) in enumerate(zip(fragments, frontiers, strict=True)):
        if (fragment.root, frontier) not in rules:
            add(fragment.root, frontier, number, number)
        else:
            own = Nonterminal(_fresh(f"{fragment.label}|<{number}>", taken))
            add(fragment.root, (own,), -1, number)
            add(own, frontier, number, -1)
    table, position = RuleTable.from_productions(rules)
    of_rule, weighs = np.empty(len(table), np.int64), np.empty(len(table), np.int64)
    of_rule[position], weighs[position] = owner, weigher
    whole = weighs < 0
    total = np.where(whole, count[of_rule], count[weighs])
    pcfg = Grammar(table, np.where(whole, 1.0, weight[weighs]), start, total)
    return Flattened(pcfg, of_rule)


def _fresh(name: str, taken: set[str]) -> str:
    while name in taken:
        name += "'"
    taken.add(name)
    return name
