"""A grammar of a treebank as one of texts: with brackets and quotes as people write them."""

from __future__ import annotations

from collections.abc import Iterator

from grammar.pcfg.grammar import Grammar
from grammar.rules.rules import Nonterminal, Production
from grammar.trees.surfaces import surfaces_of

__all__ = ["grammar_of_texts"]


def grammar_of_texts(grammar: Grammar) -> Grammar:
    r"""Return the grammar of the texts whose words are between spaces.

    Words are written as sampled texts have them (:func:`grammar.trees.surfaces.surface_of`). A
    quote of a treebank may also be a plain one; each has half of the weight.

    >>> grammar = Grammar.parse("S -> '-LRB-' S '-RRB-' [0.5] | \"''\" [0.5]")
    >>> print(grammar_of_texts(grammar).to_text(), end="")
    S -> '(' S ')' [0.5]
    S -> '"' [0.25]
    S -> "''" [0.25]
    """
    if all(surfaces_of(word) == (word,) for word in grammar.rules.words):
        return grammar
    made = list(_Rewriting(grammar).productions())
    return Grammar.from_productions(made, start=grammar.start)


class _Rewriting:
    def __init__(self, grammar: Grammar) -> None:
        self._grammar = grammar
        self._taken = set(grammar.rules.nonterminals)
        self._choices: dict[str, Nonterminal] = {}

    def productions(self) -> Iterator[Production]:
        for rule in self._grammar:
            if len(rule.rhs) == 1 and isinstance(rule.rhs[0], str):
                yield from self._ways(rule.lhs, rule.rhs[0], rule.weight)
            else:
                yield Production(rule.lhs, tuple(map(self._symbol, rule.rhs)), rule.weight)
        for word, choice in self._choices.items():
            yield from self._ways(choice, word, 1.0)

    def _ways(self, lhs: Nonterminal, word: str, weight: float) -> Iterator[Production]:
        forms = surfaces_of(word)
        return (Production(lhs, (form,), weight / len(forms)) for form in forms)

    def _symbol(self, child: Nonterminal | str) -> Nonterminal | str:
        """Return a symbol that stands for a word with several forms; other children written."""
        if isinstance(child, Nonterminal):
            return child
        forms = surfaces_of(child)
        if len(forms) == 1:
            return forms[0]
        if child not in self._choices:
            name = child
            while name in self._taken:
                name += "'"
            self._taken.add(name)
            self._choices[child] = Nonterminal(name)
        return self._choices[child]
