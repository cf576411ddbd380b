"""Finding what patterns say.

A part without names is a mask over all nodes. A part with names is a table of rows, each a node
with the nodes that have names, and a relation is a join of two tables.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Sequence

import numpy as np

from grammar.arrays import BoolArray, IntArray
from grammar.search.joins import ABSENT, Rows, join, stacked
from grammar.search.masks import related
from grammar.search.patterns import (
    AllOf,
    AnyOf,
    Node,
    NotOf,
    OptionalOf,
    Part,
    Pattern,
    Relation,
)
from grammar.search.relations import SAME_TREE, Link
from grammar.search.steps import Steps
from grammar.search.tree_index import TreeIndex

__all__ = ["match"]


def match(patterns: Sequence[Pattern], index: TreeIndex, steps: Steps | None = None) -> Rows:
    """Return each node that one of the patterns finds, with the nodes that have names.

    Raises
    ------
    PatternError
        If what is to be compared, or what is found, is too much.

    Examples
    --------
    >>> from grammar.search.patterns import parse_pattern
    >>> from grammar.trees.treebank import Treebank
    >>> index = TreeIndex(Treebank.parse("(S (NP we) (VP (V saw) (NP you)))"))
    >>> rows = match(parse_pattern("S << NP=n"), index)
    >>> rows.head.tolist(), rows.named["n"].tolist()
    ([0, 0], [1, 6])
    """
    left = Steps(None) if steps is None else steps
    found = [_Matching(pattern, index, left).rows() for pattern in patterns]
    return found[0] if len(found) == 1 else stacked(found)


class _Matching:
    """The search for one pattern."""

    def __init__(self, pattern: Pattern, index: TreeIndex, steps: Steps) -> None:
        self._pattern, self._index, self._steps = pattern, index, steps
        # columns that say of which row a row was made; no name can be spelt like this
        self._marks = (f"#{number}" for number in itertools.count())
        self._domains: dict[str, BoolArray] = {}
        for node in _nodes_in(pattern.nodes):
            for name in node.names:
                known = self._domains.get(name, False)
                self._domains[name] = known | index.nodes_with(node.labels)

    def rows(self) -> Rows:
        found = self._rows_of(self._pattern.head)
        for segment in self._pattern.segments:
            found = self._joined(found, self._rows_of(segment), SAME_TREE)
        return found

    @property
    def _everything(self) -> BoolArray:
        return np.ones(len(self._index.treebank.label), np.bool_)

    def _mask_of_node(self, node: Node) -> BoolArray:
        """Return the nodes that pass the test and the conditions that have no names."""
        self._steps.take(len(self._index.treebank.label))
        if node.reference is not None:
            mask = self._domains[node.reference]
        else:
            mask = self._index.nodes_with(node.labels)
        for part in node.parts:
            if not part.has_names:
                mask = mask & self._mask(part)
        return mask

    def _mask(self, part: Part) -> BoolArray:
        """Return the nodes of which a part without names holds."""
        self._steps.take(len(self._index.treebank.label))
        if isinstance(part, Relation):
            node = part.parts[0]
            assert isinstance(node, Node)
            return related(self._index, part.link, self._mask_of_node(node))
        if isinstance(part, OptionalOf):
            return self._everything
        masks = [self._mask(each) for each in part.parts]
        if isinstance(part, NotOf):
            return ~masks[0]
        combine = np.logical_or if isinstance(part, AnyOf) else np.logical_and
        return np.asarray(combine.reduce(masks))

    def _rows_of(self, node: Node) -> Rows:
        head = np.flatnonzero(self._mask_of_node(node)).astype(np.int32)
        names = [*node.names, *([node.reference] if node.reference is not None else [])]
        rows = Rows(head, dict.fromkeys(names, head))
        return self._constrained(rows, [part for part in node.parts if part.has_names])

    def _constrained(self, rows: Rows, parts: Sequence[Part]) -> Rows:
        """Return the rows of which parts hold, with the names in them; negations come last."""
        for part in sorted(parts, key=lambda each: isinstance(each, NotOf)):
            rows = self._constrained_by(rows, part)
        return rows

    def _constrained_by(self, rows: Rows, part: Part) -> Rows:
        if not part.has_names:
            return rows.take(np.flatnonzero(self._mask(part)[rows.head]))
        if isinstance(part, Relation):
            node = part.parts[0]
            assert isinstance(node, Node)
            return self._joined(rows, self._rows_of(node), part.link)
        if isinstance(part, AllOf):
            return self._constrained(rows, part.parts)
        rows = self._with_outer_names(rows, part)
        if isinstance(part, NotOf):
            return self._divided(rows, part.parts[0])[1]
        known = [name for name in part.defined if name in rows.named]
        if known:
            # whether a name is absent is decided without what a reference made of it
            found = self._chosen(rows.without(known), part)
            mark = next(self._marks)
            ours, theirs = (each.with_column(mark, each.head) for each in (rows, found))
            return self._joined(ours, theirs, SAME_TREE).without([mark])
        return self._chosen(rows, part)

    def _joined(self, left: Rows, right: Rows, link: Link) -> Rows:
        return join(self._index, left, right, link, self._steps)

    def _chosen(self, rows: Rows, part: Part) -> Rows:
        """Return the rows of which an alternative holds, or what is optional or its absence."""
        if isinstance(part, AnyOf):
            return stacked(self._constrained_by(rows, each) for each in part.parts)
        return stacked(self._divided(rows, part.parts[0]))

    def _divided(self, rows: Rows, part: Part) -> tuple[Rows, Rows]:
        """Return the rows of which a part holds, with the names in it, and the others."""
        mark = next(self._marks)
        numbers = np.arange(len(rows), dtype=np.int32)
        found = self._constrained_by(rows.with_column(mark, numbers), part)
        others = np.ones(len(rows), np.bool_)
        others[found.named[mark]] = False
        return found.without([mark]), rows.take(np.flatnonzero(others))

    def _with_outer_names(self, rows: Rows, part: Part) -> Rows:
        """Return rows with a column for each name that a part refers to and does not give.

        What the name stands for is chosen later; so there is a row for each node that it may be,
        and one for none.
        """
        for name in sorted(part.used - set(part.defined) - rows.named.keys()):
            nodes: IntArray = np.flatnonzero(self._domains[name]).astype(np.int32)
            present = self._joined(rows, Rows(nodes, {name: nodes}), SAME_TREE)
            absent = rows.with_column(name, np.full(len(rows), ABSENT, np.int32))
            rows = stacked([present, absent])
        return rows


def _nodes_in(parts: Iterable[Part]) -> Iterator[Node]:
    for part in parts:
        if isinstance(part, Node):
            yield part
        yield from _nodes_in(part.parts)
