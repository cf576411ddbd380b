"""Blocks of a request as arrays: which words each node may be, and what pairs of nodes must have.

A word has one head. So the label of an edge is a property of the word that it leads to, and what
is left of an edge for two nodes is that one is the head of the other.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pyarrow as pa
from pyarrow import compute

from grammar.arrays import BoolArray, IntArray, LongArray
from grammar.dependencies.requests import (
    ANY_NODE,
    Block,
    Edge,
    FeatureTest,
    LabelTest,
    RelationKind,
    Value,
)
from grammar.dependencies.treebank import ABSENT, DependencyTreebank

__all__ = ["Clause", "compiled", "part_of"]

_HEAD = int(RelationKind.HEAD)


@dataclass(frozen=True)
class Clause:
    """A block, ready for the kernel. Nodes are numbered: those that are known first, then new ones.

    Attributes
    ----------
    new : tuple of str
        The nodes that are searched for, in the order in which they are.
    masks : bool array, shape (nodes, words)
        Which words each node may be.
    relations : int64 array, shape (relations, 5)
        Kind, left and right node, and rows of ``values``; in the order in which they are checked.
    checked : int64 array, shape (new nodes + 2,)
        The first relation that can be checked without any new node, with the first new node, ...
    above : int64 array, shape (new nodes,)
        The node of which each new node is the head, if one is known before it; else -1.
    values : int32 array, shape (rows, words)
        Features of words that relations compare.
    """

    new: tuple[str, ...]
    masks: npt.NDArray[np.bool_]
    relations: npt.NDArray[np.int64]
    checked: LongArray
    above: LongArray
    values: npt.NDArray[np.int32]


def compiled(
    block: Block, known: Sequence[str], treebank: DependencyTreebank, words: slice
) -> Clause:
    """Return a block as arrays over some words of a treebank; some nodes are known before."""
    masks = _Masks(treebank, words).of_nodes(block, (*known, *block.nodes))
    pairs = [(_HEAD, e.source, e.target, ("", "")) for e in block.edges if _is_pair(e)]
    pairs += [(int(r.kind), r.left, r.right, r.features) for r in block.relations]
    new = _ordered([n for n in block.nodes if n not in known], known, pairs, masks)
    place = {name: number for number, name in enumerate((*known, *new))}
    features = list(dict.fromkeys(f for *_, of_pair in pairs for f in of_pair if f))
    row = {name: number for number, name in enumerate(features)} | {"": -1}
    rows = [(kind, place[a], place[b], row[of_a], row[of_b]) for kind, a, b, (of_a, of_b) in pairs]
    level = [max(a, b, len(known) - 1) - len(known) + 1 for _, a, b, *_ in rows]
    rows = [rows[i] for i in np.argsort(np.array(level, np.int64), kind="stable").tolist()]
    above = [
        next((b for kind, a, b, *_ in rows if kind == _HEAD and a == place[n] and b < a), -1)
        for n in new
    ]
    length = words.stop - words.start
    return Clause(
        tuple(new),
        np.array([masks[name] for name in place]).reshape(len(place), length),
        np.array(rows, np.int64).reshape(len(rows), 5),
        np.searchsorted(np.sort(level), np.arange(len(new) + 2)).astype(np.int64),
        np.array(above, np.int64),
        np.array([treebank.feature(f)[words] for f in features], np.int32).reshape(-1, length),
    )


def _is_pair(edge: Edge) -> bool:
    return ANY_NODE not in (edge.source, edge.target)


def _ordered(
    new: list[str],
    known: Sequence[str],
    pairs: Sequence[tuple[int, str, str, tuple[str, str]]],
    masks: dict[str, BoolArray],
) -> list[str]:
    """Return nodes in an order in which few words are tried.

    First come heads of what is known, of which there is one; then what has an edge to it; then
    nodes that few words can be.
    """
    order, left = list(known), {name: int(masks[name].sum()) for name in new}
    while left:

        def cost(name: str) -> tuple[int, int]:
            heads = any(k == _HEAD and a == name and b in order for k, a, b, _ in pairs)
            related = any(name in (a, b) and {a, b} & set(order) for _, a, b, _ in pairs)
            return (0 if heads else 1 if related else 2), left[name]

        order.append(min(left, key=cost))
        del left[order[-1]]
    return order[len(known) :]


class _Masks:
    """Which words pass tests, of some words of a treebank."""

    def __init__(self, treebank: DependencyTreebank, words: slice) -> None:
        self._treebank, self._words = treebank, words
        self._labels = treebank.columns["deprel"][words]
        heads = treebank.heads[words]
        self._heads = np.where(heads < 0, ABSENT, heads - words.start)

    def of_nodes(self, block: Block, names: Sequence[str]) -> dict[str, BoolArray]:
        length = len(self._heads)
        masks = {name: np.ones(length, np.bool_) for name in names}
        for name, alternatives in block.tests:
            accepted = np.zeros(length, np.bool_)
            for tests in alternatives:
                mask = np.ones(length, np.bool_)
                for test in tests:
                    mask &= self._passing(test)
                accepted |= mask
            masks[name] &= accepted
        for edge in block.edges:
            labelled = np.ones(length, np.bool_)
            for label_test in edge.tests:
                labelled &= self._with_label(label_test)
            if edge.source == ANY_NODE:  # which may be the root
                masks[edge.target] &= labelled & (self._labels >= 0)
                continue
            labelled &= self._heads >= 0
            if edge.target == ANY_NODE:
                heads = np.zeros(length, np.bool_)
                heads[self._heads[labelled]] = True
                masks[edge.source] &= heads
            else:
                masks[edge.target] &= labelled
        return masks

    def _passing(self, test: FeatureTest) -> BoolArray:
        column = self._treebank.feature(test.name)[self._words]
        present = column >= 0
        if not test.values:
            return ~present if test.negated else present
        accepted = self._accepted(column, test.values, 0)
        return present & ~accepted if test.negated else accepted

    def _with_label(self, test: LabelTest) -> BoolArray:
        accepted = self._accepted(self._labels, test.values, test.part)
        return (self._labels >= 0) & ~accepted if test.negated else accepted

    def _accepted(self, column: IntArray, values: Sequence[Value], part: int) -> BoolArray:
        """Return the words whose value, or a part of it, is one of some values."""
        symbols = self._treebank.symbols
        if not part and not any(value.is_regex for value in values):
            wanted = [symbols.id(value.text) for value in values if value.text in symbols]
            return np.asarray(np.isin(column, np.array(wanted, np.int32)))
        numbers = np.unique(column)
        numbers = numbers[numbers >= 0]
        names = [part_of(symbols[number], part) for number in numbers.tolist()]
        texts = pa.array(names, pa.large_string())
        found = np.zeros(len(numbers), np.bool_)
        for value in values:
            if value.is_regex:
                # RE2 takes time linear in the text, whatever the expression
                matched = compute.match_substring_regex(texts, rf"\A(?:{value.text})\z")
            else:
                matched = compute.equal(texts, value.text)
            found |= matched.fill_null(False).to_numpy(zero_copy_only=False)
        table = np.zeros(len(symbols) + 1, np.bool_)  # the last place is that of no value
        table[numbers[found]] = True
        return table[column]


def part_of(label: str, part: int) -> str | None:
    """Return what stands before the first colon of a label, or behind it; of 0, the label.

    >>> [part_of("obl:arg", part) for part in range(3)], part_of("obl", 2)
    (['obl:arg', 'obl', 'arg'], None)
    """
    if not part:
        return label
    first, colon, rest = label.partition(":")
    return first if part == 1 else rest if colon else None
