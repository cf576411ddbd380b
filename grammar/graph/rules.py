"""The rules of a grammar's graph: the layout that all families share, checked and read off.

A rule node has one symbol above it, by an edge with ``weight`` and ``count``, and its children
below it, by edges with ``position`` 0, 1, 2 and so on.
"""

from __future__ import annotations

from contextlib import suppress
from functools import cached_property

import numpy as np

from grammar.arrays import BoolArray, LongArray
from grammar.errors import SchemaError
from grammar.graph.table import GraphTable
from grammar.rules.rules import Nonterminal, Production, RuleColumns

__all__ = ["GraphRules", "is_whole"]

_OTHER, _SYMBOL, _WORD, _RULE = range(4)
_KINDS = {"symbol": _SYMBOL, "word": _WORD, "rule": _RULE}


class GraphRules:
    """The rules of a graph, by symbol in the order of nodes and edges.

    Parameters
    ----------
    table : GraphTable
        The graph.
    source : str
        Name of the graph, for errors.

    Attributes
    ----------
    rule, lhs : int64 arrays, shape (rules,)
        Nodes of each rule and of its left-hand side, as positions in ``table.ids``.
    weight : float64 array, shape (rules,)
        As in the graph.
    count : int64 array, shape (rules,)
        As in the graph, 0 where there is none.
    offsets : int64 array, shape (rules + 1,)
        Rule ``r`` has the children ``children[offsets[r] : offsets[r + 1]]``.
    children : int64 array
        Nodes of the children, left to right.
    is_word : bool array, shape (nodes,)
        Which nodes are words.

    Raises
    ------
    SchemaError
        If the nodes and edges do not follow the layout.
    """

    def __init__(self, table: GraphTable, source: str) -> None:
        self.table, self._source = table, source
        kinds = table.node_column("kind")
        kinds = [_KINDS.get(kind, _OTHER) if isinstance(kind, str) else _OTHER for kind in kinds]
        self._kind = np.array(kinds, np.int8)
        self.is_word = self._kind == _WORD
        above, below = np.array(table.source, np.int64), np.array(table.target, np.int64)
        edges = np.flatnonzero(self._kind[above] == _SYMBOL)
        edges = edges[np.argsort(above[edges], kind="stable")]
        self.lhs, self.rule = above[edges], below[edges]
        weights = table.edge_values("weight", edges)
        counts = table.edge_values("count", edges, 0)
        self.count, sound = _whole_numbers(counts)
        sound &= np.array(list(map(_is_number, weights)), np.bool_)
        sound &= self._kind[self.rule] == _RULE
        sound &= np.bincount(below, minlength=len(table.ids))[self.rule] == 1
        if not sound.all():
            raise self._off_layout(~sound)
        self.weight = np.array(weights, np.float64)
        self._read_children(above, below)
        self._check_names()

    def __len__(self) -> int:
        return len(self.rule)

    def production(self, rule: int) -> Production:
        """Return one rule as a value."""
        nodes = self.children[self.offsets[rule] : self.offsets[rule + 1]].tolist()
        lhs = self._symbols[self.lhs[rule]]
        assert isinstance(lhs, Nonterminal)
        right = tuple(map(self._symbols.__getitem__, nodes))
        return Production(lhs, right, float(self.weight[rule]), int(self.count[rule]))

    def columns(self) -> RuleColumns:
        """Return all rules as columns over the names of symbols and words."""
        symbols: dict[str, int] = {}
        words: dict[str, int] = {}
        number = np.zeros(len(self.table.ids), np.int32)
        for node in np.union1d(self.lhs, self.children).tolist():
            name = self.name(node)
            if self.is_word[node]:
                number[node] = -1 - words.setdefault(name, len(words))
            else:
                number[node] = symbols.setdefault(name, len(symbols))
        return RuleColumns(
            tuple(symbols), tuple(words), number[self.lhs], self.offsets, number[self.children]
        )

    def name(self, node: int) -> str:
        """Return the name of a symbol or word."""
        return str(self.table.nodes["name"][node])

    @cached_property
    def _symbols(self) -> dict[int, Nonterminal | str]:
        used = np.union1d(self.lhs, self.children).tolist()
        return {n: self.name(n) if self.is_word[n] else Nonterminal(self.name(n)) for n in used}

    def _read_children(self, above: LongArray, below: LongArray) -> None:
        """Read the children of each rule in the order of their positions."""
        row = np.full(len(self.table.ids), -1, np.int64)
        row[self.rule] = np.arange(len(self))
        edges = np.flatnonzero(row[above] >= 0)
        rules = row[above[edges]]
        given = self.table.edge_values("position", edges)
        positions, whole = _whole_numbers(given)
        positions[~whole] = -1
        order = np.lexsort((positions, rules))
        sizes = np.bincount(rules, minlength=len(self))
        self.offsets = np.concatenate(([0], np.cumsum(sizes))).astype(np.int64)
        self.children = below[edges[order]]
        wanted = np.arange(len(edges)) - np.repeat(self.offsets[:-1], sizes)
        off = positions[order] != wanted
        if off.any():
            raise self._off_layout(np.bincount(rules[order][off], minlength=len(self)) > 0)

    def _check_names(self) -> None:
        names = self.table.node_column("name")
        named = np.zeros(len(names), np.bool_)
        for kind in (_SYMBOL, _WORD):
            nodes = np.flatnonzero(self._kind == kind)
            named[nodes] = [isinstance(names[node], str) for node in nodes.tolist()]
        used = np.concatenate((self.lhs, self.children))
        nameless = used[~named[used]]
        if len(nameless):
            raise SchemaError(
                f"the node {self.table.ids[nameless[0]]!r} is neither a symbol nor a word "
                "with a name",
                where=self._source,
            )

    def _off_layout(self, off: BoolArray) -> SchemaError:
        ids, first = self.table.ids, int(np.argmax(off))
        rule, symbol = ids[self.rule[first]], ids[self.lhs[first]]
        return SchemaError(
            f"the rule {rule} of {symbol} does not follow the layout",
            where=self._source,
            hint="a rule has one parent, a numeric weight, and children at positions 0, 1, 2 ...",
        )


def is_whole(value: object) -> bool:
    """Say whether it is a whole number that fits into 64 bits."""
    if isinstance(value, bool) or not isinstance(value, int | np.integer):
        return False
    return bool(-(2**63) <= value < 2**63)


def _whole_numbers(values: list[object]) -> tuple[LongArray, BoolArray]:
    """Return values as whole numbers, and which of them are such."""
    if set(map(type, values)) <= {int}:
        with suppress(OverflowError):
            return np.array(values, np.int64), np.ones(len(values), np.bool_)
    whole = np.array(list(map(is_whole, values)), np.bool_)
    numbers = [v if ok else 0 for v, ok in zip(values, whole.tolist(), strict=True)]
    return np.array(numbers, np.int64), whole


def _is_number(value: object) -> bool:
    return isinstance(value, float | np.floating) or is_whole(value)
