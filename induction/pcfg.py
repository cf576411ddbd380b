"""PCFGs by relative frequency, with additive smoothing."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from grammar.errors import EmptyTreebankError, OptionError
from grammar.grammar import Grammar
from grammar.rules import Nonterminal, Production
from grammar.treebank import Treebank
from induction.binarise import Direction, binarise
from induction.counts import RuleCounts, count_rules
from induction.normalise import DEFAULT_STEPS, ROOT, _split, normalise
from induction.unknown import with_rare_classes

__all__ = ["induce_pcfg", "pcfg_from_counts", "prepare"]

_MEANING = {
    "|<": "a part of a binarised rule",
    "^<": "a label with its ancestors",
    "+": "a chain of single constituents",
}


def induce_pcfg(
    treebank: Treebank,
    *,
    steps: Iterable[str] = DEFAULT_STEPS,
    direction: Direction | None = None,
    horizontal_markov: int | None = None,
    vertical_markov: int = 1,
    smoothing: float = 0.0,
    rare_words: int = 0,
) -> Grammar:
    """Induce a PCFG from a treebank.

    Parameters
    ----------
    treebank : Treebank
        Trees as they were read.
    steps : iterable of str
        Normalisation, see :data:`induction.normalise.STEPS`.
    direction : {"right", "left", "head"}, optional
        Binarise the rules first; None leaves them whole, unless ``horizontal_markov`` or
        ``vertical_markov`` ask for binarised rules, which are then binarised to the right.
    horizontal_markov, vertical_markov : int
        Memory of binarised rules, see :func:`induction.binarise.binarise`.
    smoothing : float
        Added to the count of every rule that was seen (Lidstone); 0 is relative frequency.
    rare_words : int
        Words seen at most so often become classes, see :mod:`induction.unknown`.

    Raises
    ------
    EmptyTreebankError
        If there are no trees.
    OptionError
        If an option is out of range, or a label holds a mark of the project's own, see
        :func:`prepare`.

    Examples
    --------
    >>> treebank = Treebank.parse("(S (NP we) (VP swim)) (S (NP they) (VP swim))")
    >>> [str(p) for p in induce_pcfg(treebank).productions("NP")]
    ["NP -> 'they' [0.5]", "NP -> 'we' [0.5]"]

    Notes
    -----
    Relative frequencies are the maximum-likelihood estimate, and the grammar is tight (Chi &
    Geman 1998). The time is linear in the number of nodes.
    """
    prepared = prepare(
        treebank,
        steps=steps,
        direction=direction,
        horizontal_markov=horizontal_markov,
        vertical_markov=vertical_markov,
        rare_words=rare_words,
    )
    return pcfg_from_counts(count_rules(prepared), smoothing=smoothing)


def prepare(
    treebank: Treebank,
    *,
    steps: Iterable[str] = DEFAULT_STEPS,
    direction: Direction | None = None,
    horizontal_markov: int | None = None,
    vertical_markov: int = 1,
    rare_words: int = 0,
) -> Treebank:
    """Return the trees whose rules :func:`induce_pcfg` counts (parameters and errors as there).

    Parsers and samplers undo binarisation, annotation and joined chains by the marks in labels.
    Labels of the treebank itself must be free of these, or trees would come back without them:
    ``|<``, ``^<``, and ``+`` between other signs (``PRP+VBP``, but not a tag ``+``). If chains
    are to be joined, constituents must not hold ``+`` at all. Words may be anything.
    """
    if not len(treebank):
        raise EmptyTreebankError("the treebank has no trees", hint="read another one")
    steps = tuple(steps)
    joining = steps.index("unaries") if "unaries" in steps else len(steps)
    trees = normalise(treebank, steps[:joining])
    _refuse_marks(trees, joined=joining < len(steps))
    trees = normalise(trees, steps[joining:])
    if not len(trees):
        raise EmptyTreebankError(
            "normalisation leaves nothing of the trees",
            where=f"steps {', '.join(steps)}",
            hint="the trees hold nothing but traces; read others, or leave out the step traces",
        )
    if rare_words:
        trees = with_rare_classes(trees, rare_words)
    if direction is not None or horizontal_markov is not None or vertical_markov != 1:
        trees = binarise(
            trees,
            direction=direction or "right",
            horizontal_markov=horizontal_markov,
            vertical_markov=vertical_markov,
        )
    return trees


def _refuse_marks(treebank: Treebank, *, joined: bool) -> None:
    """Raise an error if a label would be taken for one that binarisation or joining made."""
    names = list(treebank.symbols)
    # a chain comes apart wherever it is shown, whether or not chains were joined
    always = ["|<" in name or "^<" in name or len(_split(name)) > 1 for name in names]
    in_chains = [joined and "+" in name for name in names]
    bad = np.array(always, np.bool_)[treebank.label] & ~treebank.is_word
    bad |= np.array(in_chains, np.bool_)[treebank.label] & (treebank.size > 2)
    if bad.any():
        node = int(np.argmax(bad))
        label = names[treebank.label[node]]
        mark = next(sign for sign in _MEANING if sign in label)
        raise OptionError(
            f"the label {label} holds {mark}, which stands for {_MEANING[mark]}",
            where=f"tree {int(np.searchsorted(treebank.offsets, node, side='right'))}",
            hint="write another sign there, as in PRP_VBP for PRP+VBP; give trees as they were "
            "before binarisation or joining, and ask for these by options",
        )


def pcfg_from_counts(counts: RuleCounts, *, smoothing: float = 0.0) -> Grammar:
    """Turn rule counts into a PCFG.

    If trees have different root labels, the start symbol is a new symbol ``TOP`` above them.

    Raises
    ------
    EmptyTreebankError
        If nothing was counted.
    OptionError
        If the smoothing is negative.
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
