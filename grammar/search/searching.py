"""Searching a treebank for a pattern."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from grammar.arrays import LongArray
from grammar.progress import stages
from grammar.search.hits import Hits
from grammar.search.joins import ABSENT
from grammar.search.matching import match
from grammar.search.patterns import parse_pattern
from grammar.search.steps import Steps
from grammar.search.tree_index import TreeIndex
from grammar.trees.treebank import Treebank

__all__ = ["blocks_of_trees", "search"]

MOST_NODES = 4_000_000
"""A larger treebank is searched block by block, so that memory does not grow with it."""


def search(treebank: Treebank, pattern: str, *, steps: int | None = None) -> Hits:
    """Find where a pattern of TGrep2 holds; see :meth:`Treebank.search`."""
    patterns, left = parse_pattern(pattern), Steps(steps)
    names = dict.fromkeys(name for each in patterns for name in each.names)
    heads = [np.zeros(0, np.int64)]
    named = {name: [np.zeros(0, np.int64)] for name in names}
    for start, index in _indices(treebank):
        rows = match(patterns, index, left)
        heads.append(rows.head + np.int64(start))
        for name, parts in named.items():
            nodes = rows.named.get(name, np.full(len(rows), ABSENT, np.int32))
            parts.append(np.where(nodes < 0, ABSENT, nodes + np.int64(start)))
    columns = {name: np.concatenate(parts) for name, parts in named.items()}
    return Hits(treebank, pattern, np.concatenate(heads), columns)


def _indices(treebank: Treebank) -> Iterator[tuple[int, TreeIndex]]:
    """Yield the first node of each block of trees, and its index; that of a single one is kept."""
    if len(treebank.label) <= MOST_NODES:
        if len(treebank):
            yield 0, treebank.search_index
        return
    blocks = list(blocks_of_trees(treebank.offsets, MOST_NODES))
    for first, last in stages(blocks, "searching parts of the treebank"):
        start, end = treebank.offsets[first], treebank.offsets[last]
        block = Treebank(
            treebank.label[start:end],
            treebank.size[start:end],
            treebank.offsets[first : last + 1] - start,
            treebank.symbols,
        )
        yield int(start), TreeIndex(block)


def blocks_of_trees(offsets: LongArray, most: int) -> Iterator[tuple[int, int]]:
    """Yield the first tree of each block and the one behind it; a block has one tree or more.

    >>> list(blocks_of_trees(np.array([0, 3, 5, 20, 21]), 6))
    [(0, 2), (2, 3), (3, 4)]
    """
    first, trees = 0, len(offsets) - 1
    while first < trees:
        last = int(np.searchsorted(offsets, offsets[first] + most, side="right")) - 1
        last = max(first + 1, last)
        yield first, last
        first = last
