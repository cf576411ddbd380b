"""What is counted of each tree: its rules, its words, how long and how deep it is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy import sparse

from grammar.arrays import (
    IntArray,
    LongArray,
    empty_paths,
    extend_path,
    kernel,
    path_symbols,
    reserve_paths,
)
from grammar.trees.treebank import Treebank

__all__ = ["KINDS", "Counts", "counts_of_units"]

KINDS = ("rules", "words", "lengths", "depths")
"""Rules are those above tags: tags and their words are counted as words."""


@dataclass(frozen=True, eq=False)
class Counts:
    """How often each unit has each feature.

    Attributes
    ----------
    names : list of str
        Of the features.
    matrix : scipy.sparse.csr_array, shape (units, features)
        Whole numbers.
    """

    names: list[str]
    matrix: sparse.csr_array

    def of(self, units: LongArray) -> LongArray:
        """Return how often some units together have each feature."""
        return np.asarray(self.matrix[units].sum(axis=0)).ravel()


def counts_of_units(treebank: Treebank, units: Sequence[int] | LongArray) -> dict[str, Counts]:
    """Count the features of each kind.

    Parameters
    ----------
    treebank : Treebank
        The trees.
    units : sequence of int
        Of each tree the unit that it belongs to, from 0: its document, or the tree itself.

    Examples
    --------
    >>> treebank = Treebank.parse("(S (NP (D a) (N b)) (VP c)) (S (VP c))")
    >>> counts = counts_of_units(treebank, [0, 1])
    >>> counts["rules"].names, counts["rules"].matrix.toarray().tolist()
    (['S -> NP VP', 'NP -> D N', 'S -> VP'], [[1, 1, 0], [0, 0, 1]])
    >>> counts["lengths"].names, counts["depths"].names
    (['3', '1'], ['4', '3'])
    """
    of_trees = np.asarray(units, np.int64)
    of_nodes = np.repeat(of_trees, np.diff(treebank.offsets))
    nodes, paths, made = _rules(treebank.size, treebank.label, treebank.offsets)
    count = int(of_trees.max()) + 1 if len(of_trees) else 0
    symbols = list(treebank.symbols)
    words = treebank.is_word

    def rule(path: int) -> str:
        label, *children = (symbols[symbol] for symbol in path_symbols(made, path))
        return f"{label} -> {' '.join(children)}"

    depths = np.maximum.reduceat(_depths(treebank.parent), treebank.offsets[:-1])
    return {
        "rules": _counts(of_nodes[nodes], paths, count, rule),
        "words": _counts(of_nodes[words], treebank.label[words], count, symbols.__getitem__),
        "lengths": _counts(of_trees, treebank.lengths, count, str),
        "depths": _counts(of_trees, depths, count, str),
    }


def _counts(units: LongArray, values: LongArray | IntArray, count: int, name) -> Counts:  # type: ignore[no-untyped-def]
    distinct, first, places = np.unique(values, return_index=True, return_inverse=True)
    order = np.argsort(first, kind="stable")  # as they come, and not as they are numbered
    rank = np.empty(len(order), np.int64)
    rank[order] = np.arange(len(order))
    ones = np.ones(len(units), np.int64)
    shape = (count, len(distinct))
    matrix = sparse.coo_array((ones, (units, rank[places])), shape=shape).tocsr()
    return Counts([name(value) for value in distinct[order].tolist()], matrix)


@kernel()
def _rules(  # type: ignore[no-untyped-def]
    size: IntArray, label: IntArray, offsets: LongArray
):
    """Return the nodes above nodes that are no words, the paths of their rules, and the paths."""
    table = empty_paths()
    nodes = np.empty(len(size), np.int64)
    paths = np.empty(len(size), np.int64)
    count = 0
    for t in range(len(offsets) - 1):
        table = reserve_paths(table, offsets[t + 1] - offsets[t])
        keys, values, made = table
        for i in range(offsets[t], offsets[t + 1]):
            above = False
            child = i + 1
            while child < i + size[i]:
                above = above or size[child] > 1
                child += size[child]
            if not above:
                continue
            path = extend_path(keys, values, made, 0, label[i])
            child = i + 1
            while child < i + size[i]:
                path = extend_path(keys, values, made, path, label[child])
                child += size[child]
            nodes[count] = i
            paths[count] = path
            count += 1
    return nodes[:count], paths[:count], table[2]


@kernel()
def _depths(parent: IntArray) -> IntArray:
    depth = np.ones(len(parent), np.int32)
    for i in range(len(parent)):
        if parent[i] >= 0:
            depth[i] = depth[parent[i]] + 1
    return depth
