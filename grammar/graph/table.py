"""The AND/OR graph of a grammar as columns: what files are read into and written from.

A node or an edge of a networkx graph takes some 500 bytes, and a grammar of a million rules has
several millions of them. Columns hold the same nodes and edges in the same order.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain, compress
from typing import Any, Final

import networkx as nx

from grammar.arrays import LongArray
from grammar.errors import SchemaError

__all__ = ["ABSENT", "GraphTable", "TableReader"]


class _Absent:
    """The type of :data:`ABSENT`."""

    def __repr__(self) -> str:
        return "ABSENT"


ABSENT: Final = _Absent()
"""Stands in a column where a node or edge has no such attribute."""

Columns = dict[str, list[Any]]


@dataclass
class GraphTable:
    """Nodes and edges as columns.

    Attributes
    ----------
    graph : dict
        What is said of the whole: family, start and so on, as in ``networkx``.
    ids : list
        The nodes.
    nodes : dict of str to list
        Attributes of nodes, :data:`ABSENT` where a node has none.
    source, target : list of int
        The ends of each edge, as positions in ``ids``.
    keys : list
        The key of each edge, which tells edges with equal ends apart.
    edges : dict of str to list
        Attributes of edges, likewise.

    Examples
    --------
    >>> graph = nx.MultiDiGraph(family="pcfg", start="S")
    >>> graph.add_edges_from([("symbol:S", "rule:0", 0, {"weight": 1.0})])
    [0]
    >>> table = GraphTable.of(graph)
    >>> table.ids, table.source, table.target, table.edges
    (['symbol:S', 'rule:0'], [0], [1], {'weight': [1.0]})
    >>> list(table.to_graph().edges(keys=True, data=True))
    [('symbol:S', 'rule:0', 0, {'weight': 1.0})]
    """

    graph: dict[str, Any]
    ids: list[Any] = field(default_factory=list)
    nodes: Columns = field(default_factory=dict)
    source: list[int] = field(default_factory=list)
    target: list[int] = field(default_factory=list)
    keys: list[Hashable] = field(default_factory=list)
    edges: Columns = field(default_factory=dict)

    @classmethod
    def of(cls, graph: nx.MultiDiGraph | GraphTable) -> GraphTable:
        """Return the columns of a graph; a table is returned as it is."""
        if isinstance(graph, GraphTable):
            return graph
        table = cls(dict(graph.graph), list(graph))
        number = {node: i for i, node in enumerate(table.ids)}
        _append(table.nodes, [data for _, data in graph.nodes(data=True)], 0)
        edges = list(graph.edges(keys=True, data=True))
        table.source = [number[source] for source, _, _, _ in edges]
        table.target = [number[target] for _, target, _, _ in edges]
        table.keys = [key for _, _, key, _ in edges]
        _append(table.edges, [data for _, _, _, data in edges], 0)
        return table

    def to_graph(self) -> nx.MultiDiGraph:
        """Build the networkx graph."""
        graph = nx.MultiDiGraph(**self.graph)
        graph.add_nodes_from(zip(self.ids, _records(self.nodes, len(self.ids)), strict=True))
        graph.add_edges_from(
            (self.ids[source], self.ids[target], key, data)
            for source, target, key, data in zip(
                self.source, self.target, self.keys, _records(self.edges, len(self.keys)),
                strict=True,
            )
        )  # fmt: skip
        return graph

    def node_column(self, name: str) -> list[Any]:
        """Return an attribute of all nodes, :data:`ABSENT` where there is none."""
        return self.nodes.get(name) or [ABSENT] * len(self.ids)

    def edge_values(self, name: str, edges: LongArray, default: Any = None) -> list[Any]:
        """Return an attribute of some edges, the default where there is none."""
        column = self.edges.get(name)
        if column is None:
            return [default] * len(edges)
        return [default if (v := column[e]) is ABSENT else v for e in edges.tolist()]

    def node_items(self) -> Iterator[dict[str, Any]]:
        """Yield each node as a node-link record."""
        for node, data in zip(self.ids, _records(self.nodes, len(self.ids)), strict=True):
            yield {"id": node, **data}

    def edge_items(self) -> Iterator[dict[str, Any]]:
        """Yield each edge as a node-link record."""
        records = _records(self.edges, len(self.keys))
        for source, target, key, data in zip(
            self.source, self.target, self.keys, records, strict=True
        ):
            yield {"source": self.ids[source], "target": self.ids[target], "key": key, **data}


class TableReader:
    """Fills a table from node-link records, all nodes before the edges.

    Parameters
    ----------
    head : dict
        What is said of the whole.
    where : str
        Name of the file, for errors.
    """

    def __init__(self, head: dict[str, Any], where: str) -> None:
        self.table = GraphTable(head)
        self._number: dict[Hashable, int] = {}
        self._where = where

    def add_nodes(self, items: Sequence[Any]) -> None:
        """Append nodes.

        Raises
        ------
        SchemaError
            If an item is no record, lacks its id, or is there already.
        """
        ids, number = self.table.ids, self._number
        before = len(ids)
        try:
            ids.extend([item["id"] for item in items])
            number.update(zip(ids[before:], range(before, len(ids)), strict=True))
            if None in number:
                raise ValueError("None cannot be a node")
            _append(self.table.nodes, items, before, apart=("id",))
        except (KeyError, TypeError, AttributeError, ValueError) as error:
            raise self._malformed(error) from None
        if len(number) < len(ids):
            twice = next(node for i, node in enumerate(ids) if number[node] != i)
            raise SchemaError(f"the node {twice!r} is there twice", where=self._where)

    def add_edges(self, items: Sequence[Any]) -> None:
        """Append edges.

        Raises
        ------
        SchemaError
            If an item is no record, lacks its ends or key, or names a node that is not there.
        """
        table = self.table
        before = len(table.keys)
        try:
            keys = [item["key"] for item in items]
            set(map(hash, keys))
            ends = [[item[end] for item in items] for end in ("source", "target")]
            _append(table.edges, items, before, apart=("source", "target", "key"))
        except (KeyError, TypeError, AttributeError, ValueError) as error:
            raise self._malformed(error) from None
        table.keys.extend(keys)
        table.source.extend(self._numbers(ends[0], items))
        table.target.extend(self._numbers(ends[1], items))

    def _numbers(self, nodes: list[Any], items: Sequence[Any]) -> Iterable[int]:
        try:
            return [self._number[node] for node in nodes]
        except (KeyError, TypeError):  # a list cannot be a node, so it is not there either
            edge = next(e for node, e in zip(nodes, items, strict=True) if not self._has(node))
            raise SchemaError(
                f"the edge {edge} names a node that is not there", where=self._where
            ) from None

    def _has(self, node: Any) -> bool:
        return isinstance(node, Hashable) and node in self._number

    def _malformed(self, error: Exception) -> SchemaError:
        return SchemaError(
            f"a node or edge is malformed ({error!r})",
            where=self._where,
            hint="nodes need an id; edges need source, target and key",
        )


def _append(
    columns: Columns, items: Sequence[dict[str, Any]], before: int, apart: Sequence[str] = ()
) -> None:
    """Append the attributes of items to columns that are ``before`` long."""
    # names in the order in which they are met, so that equal files give equal graphs
    for name in dict.fromkeys(chain.from_iterable(items)):
        if name not in apart and name not in columns:
            columns[name] = [ABSENT] * before
    for name, column in columns.items():
        column.extend([item.get(name, ABSENT) for item in items])


def _records(columns: Columns, length: int) -> Iterator[dict[str, Any]]:
    """Yield the attributes of each row that it has."""
    names = tuple(columns)
    if not names:
        yield from ({} for _ in range(length))
    for values in zip(*columns.values(), strict=True):
        if ABSENT in values:
            has = [value is not ABSENT for value in values]
            yield dict(compress(zip(names, values, strict=True), has))
        else:
            yield dict(zip(names, values, strict=True))
