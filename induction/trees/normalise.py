"""Normalisation of treebanks: named steps that each map a treebank to a treebank.

The steps are plain functions, so they compose with function calls; :func:`normalise` applies a
list of them by name, in the order given.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from grammar.arrays import (
    BoolArray,
    IntArray,
    LongArray,
    empty_paths,
    extend_path,
    kernel,
    path_symbols,
    reserve_paths,
)
from grammar.errors import OptionError
from grammar.trees.evalb_parameters import ROOT_LABELS
from grammar.trees.given import as_treebank
from grammar.trees.symbols import SymbolTable
from grammar.trees.treebank import Treebank

__all__ = [
    "DEFAULT_STEPS",
    "ROOT",
    "SKELETON_STEPS",
    "STEPS",
    "add_root",
    "beginnings",
    "chain_parts",
    "collapse_unaries",
    "drop_function_tags",
    "drop_traces",
    "expand_unaries",
    "lower_initials",
    "normalise",
    "overt_nodes",
    "plain_trees",
    "raise_initials",
    "with_capital",
]

ROOT = "TOP"
"""The label of the root that :func:`add_root` puts above trees."""
_TRACE_TAG = "-NONE-"
_JOIN = "+"
_FINAL = frozenset({".", "!", "?"})
_CLOSING = frozenset({"''", '"', "”", "’", "'", "-RRB-", "-RSB-", ")"})
_BARE_LABEL = re.compile(r"[^-=]+")


def drop_traces(treebank: Treebank) -> Treebank:
    """Remove ``-NONE-`` preterminals, and every constituent that covers nothing else.

    >>> print(drop_traces(Treebank.parse("(S (NP (-NONE- *)) (VP (VB Go)))"))[0])
    (S (VP (VB Go)))
    """
    if treebank.symbols.id(_TRACE_TAG) < 0:
        return treebank
    return treebank.keep_nodes(overt_nodes(treebank))


def drop_function_tags(treebank: Treebank) -> Treebank:
    """Cut labels at the first hyphen or equals sign: ``NP-SBJ-1`` becomes ``NP``.

    Labels that begin with a hyphen (``-LRB-``, ``-NONE-``) and all words stay.

    >>> print(drop_function_tags(Treebank.parse("(NP-SBJ=2 (-LRB- -LRB-) (NN co-op))"))[0])
    (NP (-LRB- -LRB-) (NN co-op))
    """
    bare = (_BARE_LABEL.match(name) for name in treebank.symbols)
    names = [
        match.group() if match else name for match, name in zip(bare, treebank.symbols, strict=True)
    ]
    return _rename_labels(treebank, names)


def add_root(treebank: Treebank, label: str = ROOT) -> Treebank:
    """Put a node above every tree whose root is not already labelled so.

    A root called ``TOP``, ``ROOT``, ``S1``, or nothing, is there already, and gets the label.

    >>> for tree in add_root(Treebank.parse("(S (UH Yes)) (ROOT (S (UH No)))")):
    ...     print(tree)
    (TOP (S (UH Yes)))
    (TOP (S (UH No)))
    """
    symbols = SymbolTable(treebank.symbols)
    root = symbols.add(label)
    starts = treebank.offsets[:-1]
    treebank = _with_root_label(treebank, symbols, root)
    bare = treebank.label[starts] != root
    at = starts[bare]
    sizes = np.diff(treebank.offsets)[bare] + 1
    added = np.concatenate(([0], np.cumsum(bare)))
    return Treebank(
        np.insert(treebank.label, at, root).astype(np.int32),
        np.insert(treebank.size, at, sizes).astype(np.int32),
        treebank.offsets + added,
        symbols,
    )


def collapse_unaries(treebank: Treebank) -> Treebank:
    """Join chains of single constituents into one node: ``(S (VP ...))`` becomes ``(S+VP ...)``.

    Roots and preterminals stay nodes of their own. :func:`expand_unaries` is the inverse.

    >>> print(collapse_unaries(Treebank.parse("(TOP (S (VP (VB Go) (RB now))))"))[0])
    (TOP (S+VP (VB Go) (RB now)))
    """
    keep, path, made = _chains(treebank.label, treebank.size, treebank.offsets)
    symbols = SymbolTable(treebank.symbols)
    tops = np.flatnonzero(path)
    chains, which = np.unique(path[tops], return_inverse=True)
    joined = [
        _JOIN.join(treebank.symbols[i] for i in path_symbols(made, chain))
        for chain in chains.tolist()
    ]
    label = treebank.label.copy()
    label[tops] = np.array([symbols.add(name) for name in joined], np.int32)[which]
    return treebank.relabel(label, symbols).keep_nodes(keep)


def expand_unaries(treebank: Treebank) -> Treebank:
    """Split joined labels again: ``(S+VP ...)`` becomes ``(S (VP ...))``."""
    symbols = SymbolTable(treebank.symbols)
    chains = [[symbols.add(part) for part in chain_parts(name)] for name in treebank.symbols]
    extra = np.array([len(chain) - 1 for chain in chains], np.int64)[treebank.label]
    extra[treebank.is_word] = 0
    moved = np.concatenate(([0], np.cumsum(extra)))
    ends = np.arange(len(extra)) + treebank.size
    last = np.arange(len(extra)) + moved[1:]
    size = np.ones(len(extra) + moved[-1], np.int32)
    label = np.empty_like(size)
    size[last] = treebank.size + moved[ends] - moved[1:]
    label[last] = np.where(
        treebank.is_word,
        treebank.label,
        np.array([c[-1] for c in chains], np.int32)[treebank.label],
    )
    for node in np.flatnonzero(extra).tolist():
        chain = chains[treebank.label[node]]
        for above, part in enumerate(reversed(chain[:-1]), start=1):
            label[last[node] - above] = part
            size[last[node] - above] = size[last[node]] + above
    return Treebank(label, size, treebank.offsets + moved[treebank.offsets], symbols)


def lower_initials(treebank: Treebank) -> Treebank:
    """Write the first word of every sentence as it is written elsewhere: without its capital.

    Proper nouns (``NNP``, ``NNPS``), ``I`` and words with further capitals stay. A tree may be of
    several sentences (:func:`beginnings`).

    >>> print(lower_initials(Treebank.parse("(S (NP (DT The) (NNP Rex)) (VP (VBD won)))"))[0])
    (S (NP (DT the) (NNP Rex)) (VP (VBD won)))
    """
    symbols = SymbolTable(treebank.symbols)
    label = treebank.label.copy()
    for node in _beginnings(treebank).tolist():
        word, tag = symbols[label[node]], symbols[label[treebank.parent[node]]]
        if word[:1].isupper() and word != "I" and word == word.capitalize():
            label[node] = symbols.add(word.lower()) if not tag.startswith("NNP") else label[node]
    return treebank.relabel(label, symbols)


def raise_initials(treebank: Treebank) -> Treebank:
    """Write the first word of every sentence with a capital.

    >>> print(raise_initials(Treebank.parse("(S (NP (DT the) (NN dog)) (VP (VBD won)))"))[0])
    (S (NP (DT The) (NN dog)) (VP (VBD won)))
    """
    symbols = SymbolTable(treebank.symbols)
    firsts = _beginnings(treebank)
    words, number = np.unique(treebank.label[firsts], return_inverse=True)
    raised = [symbols.add(with_capital(symbols[word])) for word in words.tolist()]
    label = treebank.label.copy()
    label[firsts] = np.array(raised, label.dtype)[number]
    return treebank.relabel(label, symbols)


def with_capital(word: str) -> str:
    """Return a word with its first letter large.

    >>> with_capital("the"), with_capital("-LRB-")
    ('The', '-LRB-')
    """
    return word[:1].upper() + word[1:]


def beginnings(words: IntArray, offsets: LongArray, names: Sequence[str]) -> LongArray:
    """Return the places of words that begin sentences.

    These are the first of a text, and those behind a final mark and what closes behind it.

    Parameters
    ----------
    words : int32[words]
        The words of all texts, as numbers of names.
    offsets : int64[texts + 1]
        Where the words of each text begin.
    names : sequence of str
        What they are called.

    Examples
    --------
    >>> names = ["so", ".", "''", "?"]
    >>> beginnings(np.array([0, 1, 2, 0, 3, 0, 0]), np.array([0, 6, 7]), names).tolist()
    [0, 3, 5, 6]
    """
    size = len(words)
    first = np.zeros(size, np.bool_)
    first[offsets[:-1][np.diff(offsets) > 0]] = True
    known = list(names)
    final, closing = (
        np.isin(words, [code for code, name in enumerate(known) if name in signs])
        for signs in (_FINAL, _CLOSING)
    )
    # the word before each that closes nothing, or itself where a text begins
    place = np.where(first | ~closing, np.arange(size), 0)
    before = np.concatenate(([0], np.maximum.accumulate(place)[:-1])) if size else place
    behind = final[before] & ~closing & ~final
    return np.flatnonzero(first | behind)


def _beginnings(treebank: Treebank) -> LongArray:
    nodes = np.flatnonzero(treebank.is_word)
    offsets = np.concatenate(([0], np.cumsum(treebank.lengths)))
    return nodes[beginnings(treebank.label[nodes], offsets, list(treebank.symbols))]


def _with_root_label(treebank: Treebank, symbols: SymbolTable, root: int) -> Treebank:
    """Give roots of another name for a root this one."""
    others = [symbols.id(name) for name in ROOT_LABELS if symbols.id(name) not in (-1, root)]
    starts = treebank.offsets[:-1]
    named = starts[np.isin(treebank.label[starts], others) & (treebank.size[starts] > 2)]
    if not len(named):
        return treebank
    label = treebank.label.copy()
    label[named] = root
    return treebank.relabel(label, symbols)


STEPS: Mapping[str, Callable[[Treebank], Treebank]] = {
    "traces": drop_traces,
    "functions": drop_function_tags,
    "unaries": collapse_unaries,
    "initials": lower_initials,
    "root": add_root,
}
"""The steps by name, for :func:`normalise` and the command line."""

DEFAULT_STEPS = ("traces", "functions", "root")
SKELETON_STEPS = ("traces", "functions", "root", "unaries")
"""The steps of models that refine a skeleton. The root comes before chains are joined: a tree's
own root is then part of its chain."""


def normalise(treebank: Treebank, steps: Iterable[str] = DEFAULT_STEPS) -> Treebank:
    """Apply normalisation steps by name, in order.

    >>> treebank = Treebank.parse("( (S (NP-SBJ (-NONE- *)) (VP (VB Go))) )")
    >>> print(normalise(treebank)[0])
    (TOP (S (VP (VB Go))))

    Raises
    ------
    OptionError
        If a step has no such name.
    """
    treebank = as_treebank(treebank)
    for step in steps:
        if step not in STEPS:
            raise OptionError(f"unknown step {step!r}", hint=f"choose from {', '.join(STEPS)}")
        treebank = STEPS[step](treebank)
    return treebank


def overt_nodes(treebank: Treebank) -> BoolArray:
    """Return which nodes cover a word that is no trace: bool array, shape (nodes,)."""
    word = treebank.is_word
    trace = treebank.symbols.id(_TRACE_TAG)
    traced = np.zeros(len(word), np.bool_)
    traced[1:] = (treebank.label[:-1] == trace) & (treebank.size[:-1] == 2) & word[1:]
    covered = np.concatenate(([0], np.cumsum(word & ~traced)))
    overt: BoolArray = covered[np.arange(len(word)) + treebank.size] > covered[:-1]
    return overt


def plain_trees(
    treebank: Treebank, variables: Mapping[str, Sequence[Any]]
) -> tuple[Treebank, dict[str, list[Any]]]:
    """Return trees without traces and functions below a root, as grammars are induced from them.

    Parameters
    ----------
    treebank : Treebank
        The trees as they were read.
    variables : mapping of str to sequence
        A value for each tree. Those of trees that have only traces are left out with these.

    Examples
    --------
    >>> treebank = Treebank.parse("(S (NP-SBJ (-NONE- *)) (VP go)) (S (-NONE- *))")
    >>> plain, variables = plain_trees(treebank, {"file": ["a", "b"]})
    >>> print(plain[0], variables)
    (TOP (S (VP go))) {'file': ['a']}
    """
    kept = overt_nodes(treebank)[treebank.offsets[:-1]]  # of no trees nothing is opened
    return normalise(treebank), {
        name: [value for value, there in zip(values, kept, strict=True) if there]
        for name, values in variables.items()
    }


def chain_parts(name: str) -> list[str]:
    """Return the labels that a joined label stands for; any other label alone.

    >>> chain_parts("S+VP"), chain_parts("+")
    (['S', 'VP'], ['+'])
    """
    parts = name.split(_JOIN)
    return parts if all(parts) else [name]


def _rename_labels(treebank: Treebank, names: list[str]) -> Treebank:
    """Give every node that is not a word the name at its symbol id."""
    symbols = SymbolTable(treebank.symbols)
    identifiers = np.array([symbols.add(name) for name in names], np.int32)
    label = np.where(treebank.is_word, treebank.label, identifiers[treebank.label])
    return treebank.relabel(label.astype(np.int32), symbols)


@kernel()
def _chains(
    label: IntArray, size: IntArray, offsets: LongArray
) -> tuple[BoolArray, IntArray, LongArray]:
    """Return which nodes stay, and of every node the path of its chain, 0 where it has none."""
    keep = np.ones(len(label), np.bool_)
    path = np.zeros(len(label), np.int32)
    table = empty_paths()
    for tree in range(len(offsets) - 1):
        start, end = offsets[tree], offsets[tree + 1]
        table = reserve_paths(table, end - start)
        # the root stays alone, so chains begin below it
        _chains_of_tree(label, size, start + 1, end, table[0], table[1], table[2], keep, path)
    return keep, path, table[2]


@kernel()
def _chains_of_tree(
    label: IntArray,
    size: IntArray,
    start: int,
    end: int,
    keys: LongArray,
    values: IntArray,
    made: LongArray,
    keep: BoolArray,
    path: IntArray,
) -> None:
    top = start
    while top < end:
        below = top + 1
        while below < end and size[below] > 2 and size[below] == size[below - 1] - 1:
            if path[top] == 0:
                path[top] = extend_path(keys, values, made, 0, label[top])
            path[top] = extend_path(keys, values, made, path[top], label[below])
            keep[below] = False
            below += 1
        top = below
