"""PCFGs by relative frequency, with additive smoothing."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from grammar.errors import EmptyTreebankError, OptionError
from grammar.options import option, read_options, takes
from grammar.pcfg.grammar import Grammar
from grammar.rules.rules import Nonterminal, Production
from induction.counts.counts import RuleCounts, count_rules
from induction.trees.normalise import ROOT
from induction.trees.preparation import Preparation

__all__ = ["PCFGOptions", "induce_pcfg", "pcfg_from_counts"]


@dataclass(frozen=True, kw_only=True)
class PCFGOptions(Preparation):
    """The options of :func:`induce_pcfg`."""

    smoothing: float = option(
        0.0,
        "Added to the count of every rule of the treebank (Lidstone); 0 gives relative "
        "frequencies.",
        least=0.0,
    )


@takes(PCFGOptions)
def induce_pcfg(treebank: Any, *productions: Any, **options: Any) -> Grammar:
    """Induce a PCFG from a treebank.

    Parameters
    ----------
    treebank : Treebank, or trees
        Trees as they were read: of this toolkit or of NLTK, or text in brackets.
    **options
        See :class:`PCFGOptions`.

    Raises
    ------
    EmptyTreebankError
        If there are no trees.
    OptionError
        If an option is unknown or cannot be used, or a label holds a mark of the project's own,
        see :func:`induction.trees.preparation.prepare`.

    Examples
    --------
    >>> from grammar.trees.treebank import Treebank
    >>> treebank = Treebank.parse("(S (NP we) (VP swim)) (S (NP they) (VP swim))")
    >>> [str(p) for p in induce_pcfg(treebank).productions("NP")]
    ["NP -> 'they' [0.5]", "NP -> 'we' [0.5]"]
    >>> induce_pcfg(treebank, smoothin=1)
    Traceback (most recent call last):
    grammar.errors.OptionError: induce_pcfg has no option 'smoothin'
      hint: did you mean 'smoothing'?

    Notes
    -----
    Relative frequencies are the maximum-likelihood estimate, and the grammar is tight (Chi &
    Geman 1998). The time is linear in the number of nodes.
    """
    rules = isinstance(treebank, list | tuple) and any(hasattr(one, "lhs") for one in treebank)
    if productions or rules:
        raise OptionError(
            "induce_pcfg takes trees, not a start symbol and productions",
            hint="give the trees: induce_pcfg(trees); or count productions: "
            "Grammar.from_productions(productions, start='S', normalise=True)",
        )
    how = read_options(PCFGOptions, options, "induce_pcfg")
    return pcfg_from_counts(count_rules(how.apply(treebank)), smoothing=how.smoothing)


def pcfg_from_counts(counts: RuleCounts, *, smoothing: float = 0.0) -> Grammar:
    r"""Turn rule counts into a PCFG.

    If trees have different root labels, the start symbol is a new symbol ``TOP`` above them.

    Raises
    ------
    EmptyTreebankError
        If nothing was counted.
    OptionError
        If the smoothing is negative.

    Examples
    --------
    >>> from induction import count_rules
    >>> grammar = pcfg_from_counts(count_rules(["(S (NP we) (VP ran))", "(S (NP we) (VP sat))"]))
    >>> print(*grammar.productions("VP"), sep="\n")
    VP -> 'ran' [0.5]
    VP -> 'sat' [0.5]
    """
    if not counts.roots:
        raise EmptyTreebankError("no tree was counted", hint="count a treebank with trees")
    if not 0.0 <= smoothing < float("inf"):
        raise OptionError(
            f"smoothing {smoothing} is not a number >= 0", hint="0 is relative frequency"
        )
    if len(counts.roots) > 1:
        counts = counts + _root_rules(counts)
    mass = counts.count + smoothing
    weight = mass / np.bincount(counts.rules.lhs, mass)[counts.rules.lhs]
    start = next(iter(counts.roots)) if len(counts.roots) == 1 else ROOT
    return Grammar(counts.rules, weight, start, counts.count)


def _root_rules(counts: RuleCounts) -> RuleCounts:
    rules = [
        Production(Nonterminal(ROOT), (Nonterminal(label),), count=count)
        for label, count in counts.roots.items()
        if label != ROOT  # such a tree has its root already
    ]
    grammar = Grammar.from_productions(rules, normalise=True)
    return RuleCounts(grammar.rules, grammar.count, {})
