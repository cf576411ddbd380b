"""Columns of a treebank cut into fragments, and the number of the fragment at every node.

Every constituent but the roots has one bit: is it a substitution site? The fragment at a node goes
down to the next sites. Fragments are named by path numbers (see :mod:`grammar.arrays`): the path
of a fragment is its topmost rule, followed by one number a constituent among the children, 0 at a
site and else the number of what hangs there. So equal fragments have equal numbers, without any
comparison of trees, and turning one bit renumbers only the ancestors up to the fragment's root.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from grammar.arrays import (
    BoolArray,
    FloatArray,
    IntArray,
    LongArray,
    PathTable,
    empty_paths,
    extend_path,
    kernel,
    reserve_paths,
)
from grammar.trees.treebank import Treebank

__all__ = [
    "Parameters",
    "Segmentation",
    "SharedRules",
    "TreeColumns",
    "extend_by_children",
    "number_fragments",
    "tree_columns",
]


class TreeColumns(NamedTuple):
    """What never changes of the trees; words have -1 where a column does not concern them.

    Attributes
    ----------
    size, parent : int32 array, shape (nodes,)
        As in :class:`~grammar.trees.treebank.Treebank`.
    label, rule : int32 array, shape (nodes,)
        The numbers of the label and of the production of each constituent.
    log_rule : float64 array, shape (nodes,)
        Log-probability of that production, by relative frequency.
    depth : int32 array, shape (nodes,)
        How far below the root.
    """

    size: IntArray
    parent: IntArray
    label: IntArray
    rule: IntArray
    log_rule: FloatArray
    depth: IntArray


class Parameters(NamedTuple):
    """Hyper-parameters by label, as the kernels want them.

    Attributes
    ----------
    log_tau : float64 array, shape (labels,)
        See :mod:`induction.bayes.pitman_yor`; the logarithm of the concentration if ``discount`` is
        0.
    concentration, discount : float64 array, shape (labels,)
        alpha and d of the restaurant of each label.
    log_stop, log_go : float64 array, shape (labels,)
        Logarithms of s and 1 - s: does the base distribution stop at a constituent so labelled?
    """

    log_tau: FloatArray
    concentration: FloatArray
    discount: FloatArray
    log_stop: FloatArray
    log_go: FloatArray


class Segmentation(NamedTuple):
    """The state of the chain, and what is counted in it.

    Attributes
    ----------
    site : bool array, shape (nodes,)
        Which constituents are roots of fragments; those of trees always are.
    fragment : int64 array, shape (nodes,)
        Path number of the fragment at each constituent, down to the next sites.
    rooted : int64 array, shape (labels,)
        Number of fragments with each root.
    keys, values, made : arrays
        The path table.
    uses : int64 array, shape (room for paths,)
        How often each fragment is used.
    log_base : float64 array, shape (room for paths,)
        log P0 of each fragment.
    """

    site: BoolArray
    fragment: LongArray
    rooted: LongArray
    keys: LongArray
    values: IntArray
    made: LongArray
    uses: LongArray
    log_base: FloatArray

    def with_room(self, extra: int) -> Segmentation:
        """Return the same state with room for ``extra`` more paths."""
        keys, values, made = reserve_paths((self.keys, self.values, self.made), extra)
        more = len(made) - len(self.uses)
        if not more:
            return self
        return self._replace(
            keys=keys,
            values=values,
            made=made,
            uses=np.concatenate((self.uses, np.zeros(more, np.int64))),
            log_base=np.concatenate((self.log_base, np.zeros(more))),
        )


@dataclass(frozen=True)
class SharedRules:
    """The constituents in groups that may be sites of one type: equal rules above and below.

    Attributes
    ----------
    nodes : int64 array, shape (bits,)
        The constituents that have a bit, group by group, in preorder inside each.
    starts : int64 array, shape (groups + 1,)
        Group ``g`` is ``nodes[starts[g] : starts[g + 1]]``.
    group : int64 array, shape (bits,)
        The group of each of ``nodes``.
    """

    nodes: LongArray
    starts: LongArray
    group: LongArray

    @classmethod
    def of(cls, trees: TreeColumns) -> SharedRules:
        """Group by the rule above, the place in it, and the rule below."""
        nodes = np.flatnonzero((trees.rule >= 0) & (trees.parent >= 0))
        keys = np.stack((trees.rule[trees.parent[nodes]], _places(trees)[nodes], trees.rule[nodes]))
        order = np.lexsort(keys)
        keys = keys[:, order]
        new = np.ones(len(order), np.bool_)
        new[1:] = (keys[:, 1:] != keys[:, :-1]).any(axis=0)
        starts = np.append(np.flatnonzero(new), len(order)).astype(np.int64)
        return cls(nodes[order], starts, np.cumsum(new) - 1)


def tree_columns(treebank: Treebank) -> tuple[TreeColumns, tuple[str, ...]]:
    """Return the columns of a treebank, and the names of the labels."""
    constituent = ~treebank.is_word
    used, compact = np.unique(treebank.label[constituent], return_inverse=True)
    label = np.full(len(treebank.label), -1, np.int32)
    label[constituent] = compact
    path = _rules(treebank.label, treebank.size, treebank.offsets)
    _, compact, count = np.unique(path[constituent], return_inverse=True, return_counts=True)
    rule = np.full(len(path), -1, np.int32)
    rule[constituent] = compact
    log_rule = np.zeros(len(path))
    of_label = np.bincount(label[constituent])
    log_rule[constituent] = np.log(count[compact] / of_label[label[constituent]])
    columns = TreeColumns(
        np.array(
            treebank.size
        ),  # a mapped file's is read-only, which kernels would count as a type
        treebank.parent,
        label,
        rule,
        log_rule,
        _depths(treebank.parent),
    )
    return columns, tuple(treebank.symbols[i] for i in used.tolist())


def number_fragments(trees: TreeColumns, site: BoolArray, parameters: Parameters) -> Segmentation:
    """Number and count the fragments of a segmentation; path numbers depend on it alone."""
    made = Segmentation(
        site,
        np.zeros(len(site), np.int64),
        np.bincount(trees.label[site], minlength=len(parameters.log_tau)),
        *empty_paths(),
        np.zeros(512, np.int64),
        np.zeros(512),
    ).with_room(2 * len(site))
    _number_all(trees, made, parameters)
    return made


@kernel()
def extend_by_children(
    trees: TreeColumns,
    state: Segmentation,
    parameters: Parameters,
    node: int,
    child: int,
    code: int,
) -> int:
    """Return the fragment at a node as if ``code`` stood at one child (-1: all as they stand)."""
    path = extend_path(state.keys, state.values, state.made, 0, trees.rule[node])
    score = trees.log_rule[node]
    k = node + 1
    while k < node + trees.size[node]:
        if trees.size[k] > 1:
            below = code if k == child else (0 if state.site[k] else state.fragment[k])
            path = extend_path(state.keys, state.values, state.made, path, below)
            if below == 0:
                score += parameters.log_stop[trees.label[k]]
            else:
                score += parameters.log_go[trees.label[k]] + state.log_base[below]
        k += trees.size[k]
    state.log_base[path] = score
    return int(path)


@kernel()
def _number_all(trees: TreeColumns, state: Segmentation, parameters: Parameters) -> None:
    for node in range(len(trees.size) - 1, -1, -1):
        if trees.size[node] > 1:
            path = extend_by_children(trees, state, parameters, node, -1, 0)
            state.fragment[node] = path
            state.uses[path] += state.site[node]


@kernel()
def _rules(label: IntArray, size: IntArray, offsets: LongArray) -> LongArray:
    """Return the path of each constituent's production, as rules are counted."""
    rule = np.zeros(len(label), np.int64)
    table = empty_paths()
    for tree in range(len(offsets) - 1):
        table = reserve_paths(table, 2 * (offsets[tree + 1] - offsets[tree]))
        _rules_of_tree(label, size, offsets[tree], offsets[tree + 1], table, rule)
    return rule


@kernel()
def _rules_of_tree(
    label: IntArray, size: IntArray, start: int, end: int, table: PathTable, rule: LongArray
) -> None:
    keys, values, made = table
    for node in range(start, end):
        if size[node] == 1:
            continue
        path = extend_path(keys, values, made, 0, label[node])
        child = node + 1
        while child < node + size[node]:
            # a word and a constituent of the same name are different children
            path = extend_path(keys, values, made, path, 2 * label[child] + (size[child] == 1))
            child += size[child]
        rule[node] = path


@kernel()
def _places(trees: TreeColumns) -> IntArray:
    """Return which child of its parent each node is."""
    place = np.zeros(len(trees.size), np.int32)
    for node in range(len(trees.size)):
        child, k = node + 1, 0
        while child < node + trees.size[node]:
            place[child] = k
            child += trees.size[child]
            k += 1
    return place


@kernel()
def _depths(parent: IntArray) -> IntArray:
    depth = np.zeros(len(parent), np.int32)
    for node in range(len(parent)):
        if parent[node] >= 0:
            depth[node] = depth[parent[node]] + 1
    return depth
