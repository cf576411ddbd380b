"""Rare-word classes for the grammar of a treebank after the event, so that any word is parsed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from grammar.pcfg.grammar import Grammar
from grammar.rules.rules import Nonterminal, Production
from induction.trees.unknown import signature

__all__ = ["with_classes"]


def with_classes(grammar: Grammar) -> Grammar:
    """Return a grammar whose rarest words stand for all others of their shape.

    Words that stand alone under tags, and were seen as seldom as any, count once more as members
    of their class (:func:`induction.trees.unknown.signature`): with c for counts and c_r for those
    of the rarest words,

        P(t -> class) = c_r(t, class) / (c(t) + c_r(t)),

    and all other rules of t lose in proportion. A grammar without counts is returned as it is.

    >>> from induction.counts.pcfg import induce_pcfg
    >>> from grammar.trees.treebank import Treebank
    >>> trees = Treebank.parse("(S (N we) (V saw)) (S (N we) (V saw)) (S (N they) (V waved))")
    >>> [str(p) for p in with_classes(induce_pcfg(trees)).productions("V")]
    ["V -> 'saw' [0.5]", "V -> '<rare:ed>' [0.25]", "V -> 'waved' [0.25]"]
    """
    rules = list(grammar)
    lexical = [rule for rule in rules if rule.count and _word(rule)]
    seen = Counter[str]()
    for rule in lexical:
        seen[_word(rule)] += rule.count
    least = min(seen.values(), default=0)
    members = Counter[tuple[Nonterminal, str]]()
    for rule in lexical:
        if seen[_word(rule)] == least:
            members[rule.lhs, signature(_word(rule))] += rule.count
    if not members:
        return grammar
    given, added = Counter[Nonterminal](), Counter[Nonterminal]()
    for rule in rules:
        given[rule.lhs] += rule.count
    for (lhs, _), count in members.items():
        added[lhs] += count

    def opened() -> Iterator[Production]:
        for rule in rules:
            lost = added[rule.lhs] / max(given[rule.lhs] + added[rule.lhs], 1)
            yield Production(rule.lhs, rule.rhs, rule.weight * (1.0 - lost), rule.count)
        for (lhs, shape), count in members.items():
            yield Production(lhs, (shape,), count / (given[lhs] + added[lhs]), count)

    return Grammar.from_productions(opened(), start=grammar.start)


def _word(rule: Production) -> str:
    """Return the word that stands alone in a rule, or nothing."""
    return rule.rhs[0] if len(rule.rhs) == 1 and isinstance(rule.rhs[0], str) else ""
