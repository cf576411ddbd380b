"""What can be sampled as sentences and trees: grammars with the derivations of a PCFG."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from grammar.pcfg.grammar import Grammar
from grammar.trees.tree import Tree
from grammar.weights import Weigher

__all__ = ["Derivable", "ReweightedGrammar"]


class Derivable(Protocol):
    """A grammar whose derivations are, one to one, those of a PCFG.

    A PCFG is one, with itself as its view; so are tree-substitution grammars and lexicalised PCFGs.
    """

    @property
    def family(self) -> str:
        """What kind of grammar it is; names its samples and their random numbers."""

    @property
    def pcfg(self) -> Grammar:
        """The PCFG."""

    def tree_of(self, rules: Iterable[int]) -> Tree:
        """Return the tree of a derivation of the PCFG, given as rule numbers in preorder."""

    def elementary(self, rule: int) -> Sequence[Any]:
        """Return what a rule of the PCFG puts in the place of its left side, in its trees.

        These are words, nonterminals of the PCFG, and nodes: what has a ``label`` and ``children``.
        """

    def reweighted(self, weigh: Weigher) -> Any:
        """Return the same derivations with other weights."""


@dataclass(frozen=True, eq=False)
class ReweightedGrammar:
    """The derivations of a grammar with other probabilities.

    For families whose weights follow from counts, such as lexicalised PCFGs.

    Attributes
    ----------
    base : lexicalised PCFG, or any other grammar that has a PCFG as its view
        Where the derivations, and their trees, come from.
    pcfg : Grammar
        Its PCFG with other weights; the rules have the same numbers.
    """

    base: Derivable
    pcfg: Grammar

    @property
    def family(self) -> str:
        """The family of the grammar below."""
        return self.base.family

    def tree_of(self, rules: Iterable[int]) -> Tree:
        """Return the tree of a derivation of :attr:`pcfg`, given as rule numbers in preorder."""
        return self.base.tree_of(rules)

    def elementary(self, rule: int) -> Sequence[Any]:
        """Return what a rule adds to trees, which the weights do not change."""
        return self.base.elementary(rule)

    def reweighted(self, weigh: Weigher) -> ReweightedGrammar:
        """Return the same derivations with other weights (see :meth:`Grammar.reweighted`)."""
        return ReweightedGrammar(self.base, self.pcfg.reweighted(weigh))
