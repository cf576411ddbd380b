"""Where a grammar leaves most open: the entropy of the choice between the rules of a symbol.

The entropy of derivations is the sum, over symbols, of the entropy of one choice times how often
the symbol is expected in a derivation (Grenander 1976), so that each symbol has a share of it.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from grammar.arrays import FloatArray
from grammar.pcfg.analysis import WeightedRules, expected_counts

__all__ = ["SymbolAmbiguity", "ambiguous_symbols", "symbol_entropies"]


class SymbolAmbiguity(NamedTuple):
    """How much is open at a symbol.

    Attributes
    ----------
    symbol : str
        The symbol.
    rules : int
        How many rules it has.
    entropy : float
        Of the choice between them, in bits.
    uses : float or None
        Expected uses of the symbol in a derivation; None where these are infinite.
    share : float or None
        Entropy times uses: its part of the entropy of derivations, in bits.
    """

    symbol: str
    rules: int
    entropy: float
    uses: float | None
    share: float | None


def symbol_entropies(grammar: WeightedRules) -> FloatArray:
    """Return the entropy in bits of each symbol's choice of rule, shape (nonterminals,).

    >>> from grammar import Grammar
    >>> symbol_entropies(Grammar.parse("A -> 'a' [1/2] | 'b' [1/4] | B [1/4] \\n B -> 'c' [1]"))
    array([1.5, 0. ])
    """
    weight = grammar.weight
    bits = -weight * np.log2(np.where(weight > 0, weight, 1.0))
    symbols = len(grammar.rules.nonterminals)
    entropies = np.bincount(grammar.rules.lhs, bits, minlength=symbols)
    return np.abs(entropies)  # no minus zero


def ambiguous_symbols(
    grammar: WeightedRules, *, tight: bool, top: int = 10
) -> list[SymbolAmbiguity]:
    """Return the symbols where most is open.

    Parameters
    ----------
    grammar : Grammar
        A PCFG.
    tight : bool
        Whether derivations have a finite expected length (``grammar.check()`` says it). Symbols
        are then ranked by their share of the entropy of derivations, and by their own otherwise.
    top : int
        How many at most; symbols with one rule are no question.

    Examples
    --------
    >>> from grammar import Grammar
    >>> grammar = Grammar.parse("S -> A A [1] \\n A -> 'a' [1/2] | 'b' [1/2]")
    >>> ambiguous_symbols(grammar, tight=True)
    [SymbolAmbiguity(symbol='A', rules=2, entropy=1.0, uses=2.0, share=2.0)]
    """
    entropy = symbol_entropies(grammar)
    uses = expected_counts(grammar) if tight else None
    value = entropy if uses is None else entropy * uses
    order = np.argsort(-value, kind="stable")
    sizes = np.diff(grammar.rules.starts)
    return [
        SymbolAmbiguity(
            grammar.rules.nonterminals[i],
            int(sizes[i]),
            float(entropy[i]),
            None if uses is None else float(uses[i]),
            None if uses is None else float(value[i]),
        )
        for i in order[:top].tolist()
        if value[i] > 0
    ]
