"""Lexicalised PCFGs from treebanks: every node of a binarised tree gets its head word and tag.

Charniak (1997), *Statistical parsing with a context-free grammar and word statistics*; Collins
(1999), *Head-driven statistical models for natural language parsing*. The probabilities are in
:mod:`induction.lexicalised.model`, the parser in :mod:`induction.parsers.lexicalised`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from grammar.arrays import LongArray
from grammar.errors import ChartGrammarError
from grammar.families.lexicalised import LexicalisedGrammar, LexicalisedRules
from grammar.options import again, option, options_of, read_options, takes
from grammar.trees.treebank import Treebank
from induction.lexicalised.model import Smoothing
from induction.trees.binarise import binarise, unbinarise
from induction.trees.heads import COLLINS, HeadRules, head_children, head_words
from induction.trees.normalise import ROOT, SKELETON_STEPS
from induction.trees.preparation import TreeOptions

__all__ = ["LPCFGOptions", "count_heads", "induce_lpcfg"]


@dataclass(frozen=True, kw_only=True)
class LPCFGOptions(Smoothing, TreeOptions):
    """The options of :func:`induce_lpcfg`; rules are binarised outward from their heads."""

    steps: tuple[str, ...] = again(TreeOptions, "steps", SKELETON_STEPS)
    horizontal_markov: int | None = again(TreeOptions, "horizontal_markov", 1)
    strict: bool = option(False, "Refuse labels without a head rule.")


_KEPT = ("horizontal_markov", "vertical_markov", *(o.name for o in options_of(Smoothing)))
"""The options that a grammar is saved with: a parser smooths by them."""


@takes(LPCFGOptions)
def induce_lpcfg(
    treebank: Treebank, *, heads: HeadRules = COLLINS, **options: Any
) -> LexicalisedGrammar:
    """Induce a lexicalised PCFG from a treebank.

    Parameters
    ----------
    treebank : Treebank
        Trees as they were read.
    heads : mapping or HeadTable
        Head rules, see :func:`induction.trees.heads.head_children`.
    **options
        See :class:`LPCFGOptions`; among the steps must be "unaries" and "root".

    Raises
    ------
    EmptyTreebankError
        If there are no trees.
    ChartGrammarError
        If a word is next to other symbols rather than alone under its tag, or a step is missing.
    OptionError
        If an option is out of range, or if ``strict`` and a label has no head rule.

    Examples
    --------
    >>> treebank = Treebank.parse("(S (NP (PRP I)) (VP (VBD saw) (NP (PRP it))))")
    >>> grammar = induce_lpcfg(treebank)
    >>> grammar.head_statistics("S").heads
    (('saw', 'VBD', 1),)
    >>> from induction.parsers.lexicalised import LexicalisedParser
    >>> print(next(iter(LexicalisedParser(grammar).parse([["it", "saw", "I"]]))))
    (TOP (S (NP (PRP it)) (VP (VBD saw) (NP (PRP I)))))
    """
    how = read_options(LPCFGOptions, options, "induce_lpcfg")
    trees = how.normalised(treebank)
    if how.strict:
        head_children(trees, heads, strict=True)
    prepared = binarise(
        trees,
        direction="head",
        horizontal_markov=how.horizontal_markov,
        vertical_markov=how.vertical_markov,
        heads=heads,
    )
    return count_heads(prepared, {name: getattr(how, name) for name in _KEPT}, heads=heads)


def count_heads(
    prepared: Treebank, options: Mapping[str, Any], *, heads: HeadRules = COLLINS
) -> LexicalisedGrammar:
    """Count the lexicalised productions of trees that are binarised outward from their heads.

    ``options`` are those that the grammar is kept with.

    Raises
    ------
    ChartGrammarError
        If a word is next to other symbols rather than alone under its tag, or trees have no root
        of their own.
    """
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
            f"the word {prepared.symbols[prepared.label[node]]!r} stands next to other symbols",
            hint="put every word under its own tag",
        )
    roots = {prepared.symbols[i] for i in prepared.label[prepared.offsets[:-1]].tolist()}
    if roots != {ROOT}:
        raise ChartGrammarError(
            f"trees have the roots {', '.join(sorted(roots)[:8])}", hint="add the step 'root'"
        )
