"""Relations as masks: which nodes have a relation to some node of a mask.

One pass over the columns for each relation, so the time is linear in the number of nodes.
"""

from __future__ import annotations

import numpy as np

from grammar.arrays import BoolArray, IntArray, LongArray, kernel
from grammar.search.relations import Kind, Link
from grammar.search.tree_index import TreeIndex

__all__ = ["related"]

_CHAINS = {
    Kind.ANCESTOR,
    Kind.ANCESTOR_LEFT,
    Kind.ANCESTOR_RIGHT,
    Kind.ANCESTOR_SINGLE,
}


def related(index: TreeIndex, link: Link, mask: BoolArray) -> BoolArray:
    """Return which nodes A have ``A link B`` for some node B of a mask.

    >>> from grammar.search.relations import read_link
    >>> from grammar.trees.treebank import Treebank
    >>> index = TreeIndex(Treebank.parse("(S (NP we) (VP ran))"))
    >>> related(index, read_link("$."), np.array([0, 0, 0, 1, 0], np.bool_)).tolist()
    [False, True, False, False, False]
    """
    parent, stop, first_word, last_word, rank, rank_from_right = index.columns
    kind = link.kind
    if Kind.PARENT <= kind <= Kind.ANCESTOR_SINGLE:
        may_be_child = _children_of_kind(link, rank, rank_from_right)
        vertical = _with_above if link.is_inverse else _with_below
        return vertical(mask, parent, may_be_child, kind in _CHAINS)
    if kind == Kind.SISTER:
        return _with_sister(mask, parent)
    if kind == Kind.SISTER_BEFORE:
        return _with_sister_behind(mask, parent, link.is_inverse)
    if kind == Kind.SISTER_JUST_BEFORE:
        return _with_next_sister(mask, stop, rank_from_right, link.is_inverse)
    behind = _with_just_behind if kind == Kind.JUST_BEFORE else _with_behind
    return behind(mask, first_word, last_word, index.offsets, link.is_inverse)


def _children_of_kind(link: Link, rank: IntArray, rank_from_right: IntArray) -> BoolArray:
    """Return which nodes are such children as a relation is about."""
    if link.kind == Kind.PARENT_OF_NTH:
        return np.asarray(rank == link.nth if link.nth > 0 else rank_from_right == -link.nth)
    if link.kind == Kind.ANCESTOR_LEFT:
        return np.asarray(rank == 1)
    if link.kind == Kind.ANCESTOR_RIGHT:
        return np.asarray(rank_from_right == 1)
    if link.kind in (Kind.PARENT_OF_ONLY, Kind.ANCESTOR_SINGLE):
        return (rank == 1) & (rank_from_right == 1)
    return np.ones(len(rank), np.bool_)


@kernel()
def _with_below(
    mask: BoolArray, parent: IntArray, may_be_child: BoolArray, chain: bool
) -> BoolArray:
    found = np.zeros(len(mask), np.bool_)
    for i in range(len(mask) - 1, -1, -1):
        if (mask[i] or (chain and found[i])) and may_be_child[i] and parent[i] >= 0:
            found[parent[i]] = True
    return found


@kernel()
def _with_above(
    mask: BoolArray, parent: IntArray, may_be_child: BoolArray, chain: bool
) -> BoolArray:
    found = np.zeros(len(mask), np.bool_)
    for i in range(len(mask)):
        above = parent[i]
        if above >= 0 and may_be_child[i]:
            found[i] = mask[above] or (chain and found[above])
    return found


@kernel()
def _with_sister(mask: BoolArray, parent: IntArray) -> BoolArray:
    count = np.zeros(len(mask), np.int32)
    for i in range(len(mask)):
        if mask[i] and parent[i] >= 0:
            count[parent[i]] += 1
    found = np.zeros(len(mask), np.bool_)
    for i in range(len(mask)):
        if parent[i] >= 0:
            found[i] = count[parent[i]] > mask[i]
    return found


@kernel()
def _with_sister_behind(mask: BoolArray, parent: IntArray, inverse: bool) -> BoolArray:
    seen = np.zeros(len(mask), np.bool_)
    found = np.zeros(len(mask), np.bool_)
    for step in range(len(mask)):
        i = step if inverse else len(mask) - 1 - step
        above = parent[i]
        if above >= 0:
            found[i] = seen[above]
            if mask[i]:
                seen[above] = True
    return found


@kernel()
def _with_next_sister(
    mask: BoolArray, stop: IntArray, rank_from_right: IntArray, inverse: bool
) -> BoolArray:
    found = np.zeros(len(mask), np.bool_)
    for i in range(len(mask)):
        if rank_from_right[i] > 1:  # so the next sister is where its subtree stops
            if inverse:
                found[stop[i]] = mask[i]
            else:
                found[i] = mask[stop[i]]
    return found


@kernel()
def _with_just_behind(
    mask: BoolArray, first_word: IntArray, last_word: IntArray, offsets: LongArray, inverse: bool
) -> BoolArray:
    found = np.zeros(len(mask), np.bool_)
    words = last_word[-1] + 1 if len(mask) else 1
    beside = np.zeros(words, np.bool_)
    for t in range(len(offsets) - 1):
        start, end = offsets[t], offsets[t + 1]
        for i in range(start, end):
            if mask[i]:
                beside[last_word[i] if inverse else first_word[i]] = True
        for i in range(start, end):
            found[i] = beside[first_word[i] if inverse else last_word[i]]
        # where one tree ends another begins
        beside[first_word[start]] = False
        beside[last_word[start]] = False
    return found


@kernel()
def _with_behind(
    mask: BoolArray, first_word: IntArray, last_word: IntArray, offsets: LongArray, inverse: bool
) -> BoolArray:
    found = np.zeros(len(mask), np.bool_)
    for t in range(len(offsets) - 1):
        start, end = offsets[t], offsets[t + 1]
        farthest = last_word[start] + 1 if inverse else -1
        for i in range(start, end):
            if mask[i]:
                farthest = min(farthest, last_word[i]) if inverse else max(farthest, first_word[i])
        for i in range(start, end):
            found[i] = farthest <= first_word[i] if inverse else farthest >= last_word[i]
    return found
