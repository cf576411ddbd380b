"""What relations are read from: columns that say what is around each node."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import pyarrow as pa
from pyarrow import compute

from grammar.arrays import BoolArray, IntArray, LongArray, kernel
from grammar.search.patterns import Label
from grammar.trees.symbols import SymbolTable
from grammar.trees.treebank import Treebank

__all__ = ["TreeIndex", "accepted_names"]

Columns = tuple[IntArray, IntArray, IntArray, IntArray, IntArray, IntArray]


@dataclass(frozen=True, eq=False)
class TreeIndex:
    """Columns of the nodes of a treebank, in preorder.

    Attributes
    ----------
    treebank : Treebank
        The trees.
    parent, stop : int32 arrays, shape (nodes,)
        The node above, -1 of roots; the first node behind the subtree.
    first_word, last_word : int32 arrays, shape (nodes,)
        Numbers of the first word of the subtree and of the first one behind it.
    rank, rank_from_right : int32 arrays, shape (nodes,)
        Which child of its parent a node is, from 1; 0 of roots.
    """

    treebank: Treebank
    _masks: dict[tuple[Label, ...], BoolArray] = field(default_factory=dict, repr=False)

    @cached_property
    def columns(self) -> Columns:
        """Parent, stop, first word, last word, rank and rank from the right, for kernels."""
        return _columns(self.treebank.size)

    @cached_property
    def offsets(self) -> LongArray:
        """Offsets of trees, copied: a mapped column cannot be written, and is of another type."""
        return np.array(self.treebank.offsets)

    @cached_property
    def _names(self) -> pa.Array:
        return pa.array(list(self.treebank.symbols), pa.large_string())

    def nodes_with(self, labels: tuple[Label, ...]) -> BoolArray:
        """Return a mask of the nodes whose label, or word, passes one of the tests."""
        if labels not in self._masks:
            if len(self._masks) >= _MOST_MASKS:
                self._masks.clear()
            self._masks[labels] = accepted_names(labels, self.treebank.symbols, self._names)
        accepted = self._masks[labels]
        only = np.flatnonzero(accepted)
        if len(only) == 1:  # most often; comparing is faster than looking up
            return np.asarray(self.treebank.label == only[0])
        return accepted[self.treebank.label]


_MOST_MASKS = 256


def accepted_names(
    labels: tuple[Label, ...], symbols: SymbolTable, names: pa.Array | None = None
) -> BoolArray:
    """Return a mask of the symbols, labels and words, that pass one of the tests.

    Parameters
    ----------
    labels : tuple of Label
        The tests.
    symbols : SymbolTable
        The names.
    names : Arrow array of large_string, optional
        The same, where it is at hand.
    """
    texts = pa.array(list(symbols), pa.large_string()) if names is None else names
    accepted = np.zeros(len(symbols), np.bool_)
    for label in labels:
        _accept(accepted, label, symbols, texts)
    return accepted


def _accept(accepted: BoolArray, label: Label, symbols: SymbolTable, names: pa.Array) -> None:
    if label.text is None:
        accepted[:] = True
    elif label.is_regex:
        # RE2 takes time linear in the text, whatever the expression
        found = compute.match_substring_regex(names, label.text, ignore_case=label.fold)
        accepted |= found.to_numpy(zero_copy_only=False)
    elif label.fold:
        wanted = label.text.lower()
        accepted |= [name.lower() == wanted for name in symbols]
    elif label.text in symbols:
        accepted[symbols.id(label.text)] = True


@kernel()
def _columns(size: IntArray) -> Columns:
    nodes = len(size)
    parent = np.full(nodes, -1, np.int32)
    stop = np.empty(nodes, np.int32)
    first_word = np.empty(nodes, np.int32)
    last_word = np.empty(nodes, np.int32)
    rank = np.zeros(nodes, np.int32)
    rank_from_right = np.zeros(nodes, np.int32)
    words = 0
    for i in range(nodes):
        stop[i] = i + size[i]
        first_word[i] = words
        words += size[i] == 1
        child, count = i + 1, 0
        while child < stop[i]:
            count += 1
            parent[child] = i
            rank[child] = count
            child += size[child]
        child = i + 1
        while child < stop[i]:
            rank_from_right[child] = count + 1 - rank[child]
            child += size[child]
    for i in range(nodes):
        last_word[i] = first_word[stop[i]] if stop[i] < nodes else words
    return parent, stop, first_word, last_word, rank, rank_from_right
