"""The grammar that a segmentation of a treebank predicts new trees with."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from grammar.arrays import BoolArray, FloatArray, IntArray
from grammar.families.tsg import TreeSubstitutionGrammar
from grammar.rules.rules import Nonterminal
from grammar.trees.folding import fold
from grammar.trees.fragment import Fragment
from grammar.trees.treebank import Treebank
from induction.bayes.columns import Parameters, Segmentation, TreeColumns, number_fragments
from induction.bayes.hyper import UsedFragments
from induction.trees.normalise import ROOT

__all__ = ["fragment_at", "predictive_grammar"]


def predictive_grammar(
    treebank: Treebank,
    trees: TreeColumns,
    state: Segmentation,
    parameters: Parameters,
    tables: IntArray,
) -> TreeSubstitutionGrammar:
    """Return the posterior predictive of a state, over its fragments and all single rules.

    The weight of a fragment e with root c, before those of each root are divided by their sum, is
    ``(n_e - d K_e + (alpha + d K) P0(e)) / (n + alpha)``: n_e uses at K_e tables, n and K those of
    all fragments with root c. Single rules that are no fragment in use have n_e = K_e = 0; they
    keep every tree that the PCFG derives derivable. The count of a fragment is n_e.

    If trees have different root labels, the start symbol is a new symbol ``TOP`` above them.
    """
    used = UsedFragments.of(trees, state)
    alpha, d = parameters.concentration, parameters.discount
    share = alpha + d * used.tables_by_label(tables)  # of the base distribution
    total = state.rooted + alpha

    def weighted(listed: UsedFragments, discounted: FloatArray) -> FloatArray:
        label = trees.label[listed.node]
        return (discounted + share[label] * np.exp(listed.log_base)) / total[label]

    weight = weighted(used, used.uses - d[trees.label[used.node]] * tables[used.node])
    found = {
        fragment_at(treebank, node, state.site): (w, n)
        for node, w, n in zip(used.node.tolist(), weight.tolist(), used.uses.tolist(), strict=True)
    }
    # single rules are the fragments of the segmentation that cuts everywhere
    everywhere = number_fragments(trees, trees.rule >= 0, parameters)
    rules = UsedFragments.of(trees, everywhere)
    weight = weighted(rules, np.zeros(len(rules.node)))
    for node, w in zip(rules.node.tolist(), weight.tolist(), strict=True):
        found.setdefault(fragment_at(treebank, node, everywhere.site), (w, 0))
    roots = _root_counts(treebank)
    if len(roots) > 1 and ROOT in roots:
        # trees that have the common root already, as often as they stand among all
        own = sum(w for e, (w, _) in found.items() if e.label == ROOT)
        share_of_root = roots[ROOT] / len(treebank) / own
        found.update({e: (w * share_of_root, n) for e, (w, n) in found.items() if e.label == ROOT})
    return TreeSubstitutionGrammar.from_fragments(
        (*((e, w, n) for e, (w, n) in found.items()), *_root_rules(roots)),
        start=next(iter(roots)) if len(roots) == 1 else ROOT,
        normalise=True,
    )


def fragment_at(treebank: Treebank, node: int, site: BoolArray) -> Fragment:
    """Return the fragment at a constituent, down to the next sites."""

    def children(at: int) -> Iterator[int]:
        end = at + int(treebank.size[at])
        child = end if site[at] and at != node else at + 1
        while child < end:
            yield child
            child += int(treebank.size[child])

    def made(at: int, below: list[Any]) -> Any:
        name = treebank.symbols[treebank.label[at]]
        if treebank.size[at] == 1:
            return name
        return Fragment(name, tuple(below)) if below else Nonterminal(name)

    found: Fragment = fold(node, children, made)
    return found


def _root_counts(treebank: Treebank) -> dict[str, int]:
    label, count = np.unique(treebank.label[treebank.offsets[:-1]], return_counts=True)
    names = (treebank.symbols[i] for i in label.tolist())
    return dict(zip(names, count.tolist(), strict=True))


def _root_rules(roots: dict[str, int]) -> list[tuple[Fragment, float, int]]:
    """Return fragments from a common start symbol to the roots of trees, where they differ."""
    if len(roots) == 1:
        return []
    total = sum(roots.values())
    return [
        (Fragment(ROOT, (Nonterminal(name),)), count / total, count)
        for name, count in roots.items()
        if name != ROOT  # such a tree has its root already
    ]
