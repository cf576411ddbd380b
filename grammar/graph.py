"""Grammars to AND/OR graphs and back (design: symbol, word and rule nodes)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import networkx as nx
import numpy as np

from grammar.errors import SchemaError, located
from grammar.rules import Nonterminal, Production

if TYPE_CHECKING:
    from grammar.grammar import Grammar

__all__ = ["check_family", "grammar_from_graph", "grammar_to_graph", "is_whole", "production_of"]


def grammar_to_graph(grammar: Grammar) -> nx.MultiDiGraph:
    """Build the graph of a grammar; see :attr:`grammar.grammar.Grammar.graph`."""
    rules = grammar.rules
    symbols = [f"symbol:{name}" for name in rules.nonterminals]
    words = [f"word:{name}" for name in rules.words]
    graph = nx.MultiDiGraph(family=grammar.family, start=grammar.start)
    for kind, nodes, names in (
        ("symbol", symbols, rules.nonterminals),
        ("word", words, rules.words),
    ):
        graph.add_nodes_from(
            (node, {"kind": kind, "name": name}) for node, name in zip(nodes, names, strict=True)
        )
    graph.add_nodes_from(
        (f"rule:{i}", {"kind": "rule", "text": str(production).rpartition(" [")[0]})
        for i, production in enumerate(grammar)
    )
    columns = zip(rules.lhs.tolist(), grammar.weight.tolist(), grammar.count.tolist(), strict=True)
    graph.add_edges_from(
        (symbols[lhs], f"rule:{i}", 0, {"weight": weight, "count": count})
        for i, (lhs, weight, count) in enumerate(columns)
    )
    bounds, rhs = rules.offsets.tolist(), rules.rhs.tolist()
    graph.add_edges_from(
        (f"rule:{i}", symbols[c] if c >= 0 else words[-1 - c], position, {"position": position})
        for i in range(len(rules))
        for position, c in enumerate(rhs[bounds[i] : bounds[i + 1]])
    )
    return graph


def grammar_from_graph(
    graph: nx.MultiDiGraph,
    *,
    source: str = "the graph",
    start: str | None = None,
    normalise: bool = False,
) -> Grammar:
    """Read a PCFG off a graph.

    Raises
    ------
    SchemaError
        If the graph is of another family, or a node or edge does not follow the layout.
    """
    from grammar.grammar import Grammar

    check_family(graph, Grammar.family, source)
    productions = [
        production_of(graph, symbol, rule, data, source)
        for symbol, rule, data in graph.edges(data=True)
        if graph.nodes[symbol].get("kind") == "symbol"
    ]
    with located(source):
        return Grammar.from_productions(
            productions,
            start=graph.graph.get("start") if start is None else start,
            normalise=normalise,
        )


def check_family(graph: nx.MultiDiGraph, family: str, source: str) -> None:
    """Raise SchemaError if a graph is not of a family."""
    found = graph.graph.get("family")
    if found != family:
        raise SchemaError(
            f"this is a grammar of the family {found!r}, not {family!r}",
            where=source,
            hint="use the verb or class that made it",
        )


def production_of(
    graph: nx.MultiDiGraph, symbol: str, rule: str, data: dict[str, Any], source: str
) -> Production:
    """Return the production of a rule node: its symbol and its children in order.

    ``data`` is that of the edge from the symbol to the rule. Raises SchemaError if the nodes and
    edges do not follow the layout.
    """
    edges = [(edge.get("position"), child) for _, child, edge in graph.out_edges(rule, data=True)]
    children = sorted(edges, key=lambda edge: edge[0] if is_whole(edge[0]) else -1)
    weight, count = data.get("weight"), data.get("count", 0)
    well_formed = (
        graph.nodes[rule].get("kind") == "rule"
        and (isinstance(weight, float | np.floating) or is_whole(weight))
        and is_whole(count)
        and [position for position, _ in children] == list(range(len(children)))
        and graph.in_degree(rule) == 1
    )
    if not well_formed:
        raise SchemaError(
            f"the rule {rule} of {symbol} does not follow the layout",
            where=source,
            hint="a rule has one parent, a numeric weight, and children at positions 0, 1, 2 ...",
        )
    rhs = tuple(_child(graph, child, source) for _, child in children)
    return Production(_child(graph, symbol, source), rhs, float(weight), int(count))  # type: ignore[arg-type]


def is_whole(value: object) -> bool:
    """Say whether it is a whole number that fits into 64 bits."""
    if isinstance(value, bool) or not isinstance(value, int | np.integer):
        return False
    return bool(-(2**63) <= value < 2**63)


def _child(graph: nx.MultiDiGraph, node: str, source: str) -> Nonterminal | str:
    data = graph.nodes[node]
    name = data.get("name")
    if data.get("kind") not in ("symbol", "word") or not isinstance(name, str):
        raise SchemaError(
            f"the node {node!r} is neither a symbol nor a word with a name", where=source
        )
    return name if data["kind"] == "word" else Nonterminal(name)
