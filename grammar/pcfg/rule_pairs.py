"""Rules, and pairs of a rule and of one below it: what a set of derivations can cover.

A *slot* is an entry of ``rules.rhs``: a child of a rule. Behind the last of them comes the slot
of the start symbol, which is no rule's child, so that every rule of a derivation fills a slot. A
*target* is what may be covered: a rule in any slot, or a rule in one slot. The two differ only in
the *group* that a slot belongs to: all slots of a symbol are one group, or each slot is its own.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np

from grammar.arrays import BoolArray, IntArray, LongArray
from grammar.errors import OptionError
from grammar.pcfg.analysis import reachable
from grammar.pcfg.grammar import Grammar
from grammar.pcfg.shortest import shortest_derivations

__all__ = ["Targets", "What", "slots_of", "usable_rules", "words_of"]

What = Literal["rules", "pairs"]
"""What is covered: rules, or pairs of a rule's slot and the rule that fills it."""


def usable_rules(grammar: Grammar) -> BoolArray:
    """Return which rules some derivation uses: with weight, reachable, and with an end.

    >>> grammar = Grammar.parse("S -> 'a' [0.5] | A [0.5] \\n A -> A [1] \\n B -> 'b' [1]")
    >>> [grammar.rule_text(rule) for rule in np.flatnonzero(usable_rules(grammar))]
    ["S -> 'a'"]
    """
    ends = np.isfinite(shortest_derivations(grammar).of_rule)
    return ends & reachable(grammar, ends.astype(np.float64))[grammar.rules.lhs]


def slots_of(grammar: Grammar, derivation: Iterable[int]) -> list[int]:
    """Return the slot that each rule of a derivation in preorder fills.

    >>> grammar = Grammar.parse("S -> 'a' S [0.5] | 'b' [0.5]")
    >>> slots_of(grammar, [0, 1])
    [3, 1]
    """
    bounds, children = grammar.rules.offsets.tolist(), grammar.rules.rhs.tolist()
    waiting, found = [len(children)], []
    for rule in derivation:
        found.append(waiting.pop())
        begin, end = bounds[rule], bounds[rule + 1]
        waiting += [slot for slot in range(end - 1, begin - 1, -1) if children[slot] >= 0]
    return found


def words_of(grammar: Grammar, derivation: Iterable[int]) -> list[int]:
    """Return the numbers of the words that a derivation, given as rules in preorder, yields.

    >>> grammar = Grammar.parse("S -> S 'a' [0.5] | 'b' [0.5]")
    >>> [grammar.rules.words[word] for word in words_of(grammar, [0, 0, 1])]
    ['b', 'a', 'a']
    """
    bounds, children = grammar.rules.offsets.tolist(), grammar.rules.rhs.tolist()
    rules, waiting, found = iter(derivation), [grammar.start_id], []
    while waiting:
        symbol = waiting.pop()
        if symbol < 0:
            found.append(-1 - symbol)
        else:
            rule = next(rules)
            waiting += children[bounds[rule] : bounds[rule + 1]][::-1]
    return found


@dataclass(frozen=True, eq=False)
class Targets:
    """What derivations of a grammar can cover; make it with :meth:`of`.

    Attributes
    ----------
    grammar : Grammar
        The grammar.
    symbol : int32 array, shape (slots,)
        The symbol of each slot; below zero for words.
    group : int64 array, shape (slots,)
        The group of each slot; -1 for words.
    base : int64 array, shape (groups,)
        Target ``base[group] + rule`` is the rule in the slots of the group.
    rule, slot : int64 array, shape (targets,)
        The rule of each target, and the slot that it fills: -1 if that is any.
    wanted : bool array, shape (targets,)
        Which of them some derivation covers.

    Examples
    --------
    >>> grammar = Grammar.parse("S -> 'a' S [0.5] | 'b' [0.5]")
    >>> pairs = Targets.of(grammar, "pairs")
    >>> covered = pairs.covered([[0, 1]])
    >>> [pairs.text(target) for target in np.flatnonzero(pairs.wanted & ~covered)]
    ["S -> 'a' S, child 2: S -> 'a' S", "start: S -> 'b'"]
    """

    grammar: Grammar
    symbol: IntArray
    group: LongArray
    base: LongArray
    rule: LongArray
    slot: LongArray
    wanted: BoolArray

    @classmethod
    def of(cls, grammar: Grammar, what: What) -> Targets:
        """Find the targets (OptionError if there is no such kind)."""
        if what not in get_args(What):
            raise OptionError(
                f"{what!r} cannot be covered", hint=f"choose from {', '.join(get_args(What))}"
            )
        rules = grammar.rules
        symbol = np.append(rules.rhs, grammar.start_id).astype(np.int32)
        inner = np.flatnonzero(symbol >= 0)
        group = np.full(len(symbol), -1, np.int64)
        if what == "rules":
            group[inner] = symbol[inner]
            of_group = np.arange(len(rules.nonterminals))
        else:
            group[inner] = np.arange(len(inner))
            of_group = symbol[inner].astype(np.int64)
        first = rules.starts[of_group]
        sizes = rules.starts[of_group + 1] - first
        base = np.concatenate(([0], np.cumsum(sizes)))[:-1] - first
        rule = np.arange(sizes.sum()) - np.repeat(base, sizes)
        usable = usable_rules(grammar)
        # a slot is filled if its rule is used; that of the start symbol always is
        above = np.repeat(np.arange(len(rules)), np.diff(rules.offsets))
        filled = np.flatnonzero(np.append(usable[above], usable.any()) & (symbol >= 0))
        reached = np.zeros(len(of_group), np.bool_)
        reached[group[filled]] = True
        slot = np.full(len(of_group), -1) if what == "rules" else inner
        wanted = usable[rule] & np.repeat(reached, sizes)
        return cls(grammar, symbol, group, base, rule, np.repeat(slot, sizes), wanted)

    def covered(self, derivations: Iterable[Iterable[int]]) -> BoolArray:
        """Return which targets derivations, given as rules in preorder, cover."""
        found = np.zeros(len(self.wanted), np.bool_)
        for derivation in derivations:
            rules = list(derivation)
            found[self.base[self.group[slots_of(self.grammar, rules)]] + rules] = True
        return found

    def text(self, target: int) -> str:
        """Return what a target is, for people."""
        text, slot = self.grammar.rule_text(int(self.rule[target])), int(self.slot[target])
        if slot < 0:
            return text
        if slot == len(self.grammar.rules.rhs):
            return f"start: {text}"
        offsets = self.grammar.rules.offsets
        above = int(np.searchsorted(offsets, slot, "right")) - 1
        return f"{self.grammar.rule_text(above)}, child {slot - int(offsets[above]) + 1}: {text}"
