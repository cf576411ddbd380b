"""Grammars as they parse texts: with words between spaces, or with characters.

Grammars of programs have words of several characters (``true``) and of one, with nothing between
them, so that a text alone does not say where words end. Where each word of a rule becomes a row of
characters, a chart finds out. Rules keep their weights; two that are spelled alike become one.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np

from grammar.arrays import FloatArray, LongArray
from grammar.errors import OptionError
from grammar.pcfg.grammar import Grammar
from grammar.rules.rules import Nonterminal, RuleColumns, RuleTable

__all__ = ["Spacing", "Spelling"]

Spacing = Literal["words", "characters"]
"""What stands between the words of a text: one space, or nothing."""


@dataclass(frozen=True, eq=False)
class Spelling:
    """A grammar and the one that parses its texts; make it with :meth:`of`.

    Attributes
    ----------
    grammar, parsed : Grammar
        The grammar, and the one whose words are what texts consist of.
    position : int64 array, shape (rules,)
        The rule of ``parsed`` that each rule is spelled as.

    Examples
    --------
    >>> grammar = Grammar.parse("S -> 'if' S [0.5] | 'x' [0.25] | 'x' S [0.25]")
    >>> spelling = Spelling.of(grammar, "characters")
    >>> print(spelling.parsed.to_text(), end="")
    S -> 'i' 'f' S [0.5]
    S -> 'x' [0.25]
    S -> 'x' S [0.25]
    >>> spelling.words("ifx")
    ('i', 'f', 'x')
    """

    grammar: Grammar
    parsed: Grammar
    position: LongArray

    @classmethod
    def of(cls, grammar: Grammar, spacing: Spacing = "words") -> Spelling:
        """Return the spelling of a grammar (OptionError if there is no such spacing)."""
        if spacing not in get_args(Spacing):
            raise OptionError(
                f"unknown spacing {spacing!r}", hint=f"choose from {', '.join(get_args(Spacing))}"
            )
        if spacing == "words":
            return cls(grammar, grammar, np.arange(len(grammar)))
        columns = RuleColumns.of((p.lhs, _characters(p.rhs)) for p in grammar)
        rules, position = RuleTable.canonical(*columns)
        weight = np.bincount(position, grammar.weight, len(rules)).astype(np.float64)
        return cls(grammar, Grammar(rules, weight, grammar.start), position)

    def words(self, text: str | Sequence[str]) -> tuple[str, ...]:
        """Return what a text, or the words of one, is for the parser."""
        if self.parsed is not self.grammar:
            return tuple("".join(text))
        return tuple(text.split()) if isinstance(text, str) else tuple(text)

    def uses(self, uses: FloatArray) -> FloatArray:
        """Return the uses of the grammar's rules, given those of the rules that they become."""
        weight = self.parsed.weight[self.position]
        share = np.divide(self.grammar.weight, weight, out=np.zeros(len(weight)), where=weight > 0)
        return uses[self.position] * share

    def derivation(self, rules: Iterable[int]) -> tuple[int, ...]:
        """Return the most probable derivation of the grammar that is spelled as one of ``parsed``.

        >>> spelling = Spelling.of(Grammar.parse("S -> 'ab' [0.75] | 'a' 'b' [0.25]"), "characters")
        >>> [spelling.grammar.rule_text(rule) for rule in spelling.derivation([0])]
        ["S -> 'ab'"]
        """
        best = np.zeros(len(self.parsed), np.int64)
        order = np.argsort(self.grammar.weight, kind="stable")
        best[self.position[order]] = order
        return tuple(best[list(rules)].tolist())


def _characters(rhs: tuple[Nonterminal | str, ...]) -> tuple[Nonterminal | str, ...]:
    return tuple(part for child in rhs for part in (child if isinstance(child, str) else (child,)))
