"""Counts of lexicalised productions: every node of a binarised tree gets its head word and tag."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np

from grammar.arrays import LongArray
from grammar.errors import ChartGrammarError
from grammar.lexicalised import LexicalisedGrammar, LexicalisedRules, Option
from grammar.treebank import Treebank
from induction.binarise import binarise, unbinarise
from induction.heads import COLLINS, HeadRules, head_children, head_words
from induction.normalise import ROOT
from induction.pcfg import prepare
from induction.skeleton_trees import SKELETON_STEPS

__all__ = ["count_lexicalised"]


def count_lexicalised(
    treebank: Treebank,
    *,
    steps: Iterable[str] = SKELETON_STEPS,
    horizontal_markov: int | None = 1,
    vertical_markov: int = 1,
    heads: HeadRules = COLLINS,
    strict: bool = False,
    options: Mapping[str, Option] | None = None,
) -> LexicalisedGrammar:
    """Count the lexicalised productions of a treebank.

    Parameters and errors are those of :func:`induction.lpcfg.induce_lpcfg`; ``options`` are kept
    with the grammar.
    """
    trees = prepare(treebank, steps=steps)
    if strict:
        head_children(trees, heads, strict=True)
    prepared = binarise(
        trees,
        direction="head",
        horizontal_markov=horizontal_markov,
        vertical_markov=vertical_markov,
        heads=heads,
    )
    _check(prepared)
    symbols, rules = _lexicalised(prepared, head_words(unbinarise(prepared), heads))
    distinct, count = np.unique(rules, axis=0, return_counts=True)
    return LexicalisedGrammar.from_columns(
        list(prepared.symbols),
        symbols,
        LexicalisedRules(*distinct.T),
        count,
        start=ROOT,
        options=options,
    )


def _lexicalised(prepared: Treebank, heads: LongArray) -> tuple[LongArray, LongArray]:
    """Return the distinct symbols, and a row of numbers of them for each use of a rule."""
    leaf = _head_leaves(prepared, heads)
    node = np.flatnonzero(~prepared.is_word)
    end = node + prepared.size[node]
    first = node + 1
    second = first + prepared.size[first]
    second = np.where(second < end, second, -1)
    # the node before a word is its tag
    head = (prepared.label, prepared.label[leaf], prepared.label[leaf - 1])
    start = np.array([[prepared.symbols.id(ROOT), -1, -1]])
    given = np.concatenate((np.stack(head, axis=1)[node], start)).astype(np.int64)
    symbols, number = np.unique(given, axis=0, return_inverse=True)
    at = np.full(len(prepared.label) + 1, -1)
    at[node] = number[:-1]
    side = (second >= 0) & (leaf[node] >= second)
    rows = np.stack((at[node], at[first], at[second], side), axis=1)
    roots = at[prepared.offsets[:-1]]
    none = np.full_like(roots, -1)
    starts = np.stack((np.full_like(roots, number[-1]), roots, none, none + 1), axis=1)
    return symbols, np.concatenate((rows, starts))


def _head_leaves(prepared: Treebank, heads: LongArray) -> LongArray:
    """Return the head leaf of every node of binarised trees, given those of the trees.

    An intermediate node has the head of the constituent that it is a part of.
    """
    intermediate = np.array(["|<" in name for name in prepared.symbols], np.bool_)
    inserted = intermediate[prepared.label] & ~prepared.is_word
    owner = np.where(inserted, prepared.parent, np.arange(len(inserted)))
    while inserted[owner].any():
        owner = owner[owner]
    kept = np.flatnonzero(~inserted)
    place = np.cumsum(~inserted) - 1
    leaf: LongArray = kept[heads[place[owner]]]
    return leaf


def _check(prepared: Treebank) -> None:
    word = prepared.is_word
    beside = word & (prepared.size[prepared.parent] != 2)
    if beside.any():
        node = int(np.flatnonzero(beside)[0])
        raise ChartGrammarError(
            f"the word {prepared.symbols[prepared.label[node]]!r} stands beside other symbols",
            hint="put every word under a tag of its own",
        )
    roots = {prepared.symbols[i] for i in prepared.label[prepared.offsets[:-1]].tolist()}
    if roots != {ROOT}:
        raise ChartGrammarError(
            f"trees have the roots {', '.join(sorted(roots)[:8])}", hint="add the step 'root'"
        )
