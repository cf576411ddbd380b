"""Inducing a binarised PCFG (h=2, v=1) from a treebank, against NLTK on the same trees.

Both start from trees in memory without traces and function tags and end with a grammar: ours a
``Grammar`` (with and without building its graph), NLTK's an ``nltk.PCFG``.
"""

from __future__ import annotations

import nltk
import numpy as np

from benchmarks.timing import compare
from grammar import Grammar
from induction import induce_pcfg, normalise, read_treebank

STEPS = ("unaries", "root")


def main() -> None:
    cleaned = normalise(read_treebank("nltk:treebank"), ("traces", "functions", "root"))
    trees = [nltk.Tree.fromstring(line) for line in cleaned.brackets().to_pylist()]
    ours, theirs = induce(cleaned), induce_nltk(trees)
    converted = Grammar.from_nltk(theirs)
    equal = converted.rules == ours.rules and np.allclose(converted.weight, ours.weight, rtol=1e-12)
    print(f"{len(cleaned):,} trees, {len(ours):,} rules; equal to NLTK's grammar: {equal}")
    compare(
        "normalise, binarise, count, estimate",
        lambda: induce(cleaned),
        lambda: induce_nltk(trees),
        bar=30,
    )
    compare(
        "... and build the networkx graph",
        lambda: induce(cleaned).graph,
        lambda: induce_nltk(trees),
        bar=1,
        runs=3,
    )


def induce(treebank) -> Grammar:
    return induce_pcfg(treebank, steps=STEPS, horizontal_markov=2)


def induce_nltk(trees) -> nltk.PCFG:
    productions = []
    for tree in trees:
        copy = tree.copy(deep=True)
        copy.collapse_unary(collapsePOS=False, collapseRoot=False)
        copy.chomsky_normal_form(factor="right", horzMarkov=2, vertMarkov=0)
        productions += copy.productions()
    return nltk.induce_pcfg(nltk.Nonterminal("TOP"), productions)


if __name__ == "__main__":
    main()
