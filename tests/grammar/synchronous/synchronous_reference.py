"""Synchronous grammars the slow and obvious way: all derivations by plain recursion."""

from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Iterator
from typing import NamedTuple

from hypothesis import strategies as st

from grammar.synchronous.grammar import SynchronousGrammar
from grammar.synchronous.rule import Slot, SynchronousRule

__all__ = ["Derived", "derivations", "synchronous_grammars"]


class Derived(NamedTuple):
    rules: tuple[int, ...]
    source: tuple[str, ...]
    target: tuple[str, ...]
    depth: int
    probability: float


def derivations(
    grammar: SynchronousGrammar, symbol: str, *, words: int = 99, depth: int = 99
) -> list[Derived]:
    """Return every derivation with at most so many source words and levels of rules."""

    @functools.cache
    def of(symbol: str, words: int, depth: int) -> list[Derived]:
        if depth == 0:
            return []
        return [
            derived
            for number, (rule, weight, _) in enumerate(grammar)
            if rule.lhs == symbol
            for derived in by_rule(number, rule, weight, words, depth)
        ]

    def by_rule(
        number: int, rule: SynchronousRule, weight: float, words: int, depth: int
    ) -> Iterator[Derived]:
        ground = len(rule.source) - rule.arity
        room = words - ground - max(0, rule.arity - 1)
        if room < (rule.arity > 0):
            return
        below = [of(slot.symbol, room, depth - 1) for slot in rule.slots]
        for parts in itertools.product(*below):
            if ground + sum(len(part.source) for part in parts) <= words:
                yield Derived(
                    (number, *itertools.chain(*(part.rules for part in parts))),
                    spelt(rule.source, [part.source for part in parts]),
                    spelt(rule.target, [part.target for part in parts]),
                    1 + max((part.depth for part in parts), default=0),
                    weight * math.prod(part.probability for part in parts),
                )

    return of(symbol, words, depth)


def spelt(side: tuple[Slot | str, ...], parts: list[tuple[str, ...]]) -> tuple[str, ...]:
    words: list[str] = []
    for symbol in side:
        words += parts[symbol.number - 1] if isinstance(symbol, Slot) else [symbol]
    return tuple(words)


@st.composite
def synchronous_grammars(draw: st.DrawFn) -> SynchronousGrammar:
    """Small proper grammars of two types, often ambiguous, each type with a rule of words."""
    rules = []
    for symbol in "ST":
        rules.append(SynchronousRule(("a",), (draw(st.sampled_from("xy")),), symbol))
        for _ in range(draw(st.integers(0, 3))):
            slots = [
                Slot(i + 1, draw(st.sampled_from("ST"))) for i in range(draw(st.integers(0, 2)))
            ]
            words = draw(st.lists(st.sampled_from("ab"), min_size=len(slots) < 2, max_size=2))
            if len(slots) == 1 and symbol == "S" and draw(st.booleans()):
                slots, words = [Slot(1, "T")], []
            source = draw(st.permutations([*slots, *words]))
            copies = [slot for slot in slots for _ in range(draw(st.integers(1, 2)))]
            made = draw(st.lists(st.sampled_from("xy"), min_size=not slots, max_size=2))
            rules.append(
                SynchronousRule(
                    tuple(source), tuple(draw(st.permutations([*copies, *made]))), symbol
                )
            )
    weighted = [(rule, float(draw(st.integers(1, 5))), 0) for rule in rules]
    return SynchronousGrammar.from_rules(weighted, start="S", normalise=True)
