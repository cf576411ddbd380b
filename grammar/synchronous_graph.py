"""Synchronous grammars to AND/OR graphs and back."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import networkx as nx
import numpy as np

from grammar.errors import SchemaError, TreewrightError, located
from grammar.graph import check_family
from grammar.graph_rules import is_whole
from grammar.synchronous_rule import Slot, SynchronousRule

if TYPE_CHECKING:
    from grammar.synchronous import SynchronousGrammar

__all__ = ["synchronous_from_graph", "synchronous_to_graph"]

Placed = dict[int, Slot | str]


def synchronous_to_graph(grammar: SynchronousGrammar) -> nx.MultiDiGraph:
    """Build the graph; see :attr:`grammar.synchronous.SynchronousGrammar.graph`."""
    graph = nx.MultiDiGraph(family=grammar.family, start=grammar.start)
    for name in sorted(grammar.types):
        graph.add_node(f"symbol:{name}", kind="symbol", name=name)
    words = {
        (side, word)
        for rule in grammar.rules
        for side in ("source", "target")
        for word in getattr(rule, side)
        if isinstance(word, str)
    }
    for side, word in sorted(words):
        graph.add_node(f"word:{side}:{word}", kind="word", name=word, side=side)
    for i, (rule, weight, count) in enumerate(grammar):
        graph.add_node(f"rule:{i}", kind="rule", text=str(rule))
        graph.add_edge(f"symbol:{rule.lhs}", f"rule:{i}", 0, weight=weight, count=count)
    for i, rule in enumerate(grammar.rules):
        _add_children(graph, f"rule:{i}", rule)
    return graph


def _add_children(graph: nx.MultiDiGraph, node: str, rule: SynchronousRule) -> None:
    """Add an edge for each slot, each source word, and each target word."""
    key = 0
    for position, symbol in enumerate(rule.source):
        if isinstance(symbol, Slot):
            places = [i for i, other in enumerate(rule.target) if other == symbol]
            child = f"symbol:{symbol.symbol}"
        else:
            places, child = [], f"word:source:{symbol}"
        graph.add_edge(node, child, key, position=position, targets=places)
        key += 1
    for place, symbol in enumerate(rule.target):
        if isinstance(symbol, str):
            graph.add_edge(node, f"word:target:{symbol}", key, position=-1, targets=[place])
            key += 1


def synchronous_from_graph(
    graph: nx.MultiDiGraph, *, source: str = "the graph"
) -> SynchronousGrammar:
    """Read a synchronous grammar off a graph.

    Raises
    ------
    SchemaError
        If the graph is of another family, or a node or edge does not follow the layout.
    """
    from grammar.synchronous import SynchronousGrammar

    check_family(graph, SynchronousGrammar.family, source)
    rules = [
        _weighted_rule(graph, symbol, rule, data, source)
        for symbol, rule, data in graph.edges(data=True)
        if graph.nodes[symbol].get("kind") == "symbol"
    ]
    with located(source):
        return SynchronousGrammar.from_rules(rules, start=str(graph.graph.get("start", "")))


def _weighted_rule(
    graph: nx.MultiDiGraph, symbol: str, rule: str, data: dict[str, Any], source: str
) -> tuple[SynchronousRule, float, int]:
    weight, count = data.get("weight"), data.get("count", 0)
    name = graph.nodes[symbol].get("name")
    sound = (
        graph.nodes[rule].get("kind") == "rule"
        and graph.in_degree(rule) == 1
        and (isinstance(weight, float | np.floating) or is_whole(weight))
        and is_whole(count)
        and isinstance(name, str)
    )
    sides = _sides(graph, rule) if sound else None
    if sides is None:
        raise SchemaError(
            f"the rule {rule} of {symbol} does not follow the layout",
            where=source,
            hint="a rule has one parent, a numeric weight, and children at positions 0, 1, 2 ...",
        )
    try:
        made = SynchronousRule(*sides, str(name))
    except TreewrightError as error:
        raise SchemaError(error.what, where=f"{source}, {rule}", hint=error.hint) from None
    return made, float(weight), int(count)  # type: ignore[arg-type]


def _sides(
    graph: nx.MultiDiGraph, rule: str
) -> tuple[tuple[Slot | str, ...], tuple[Slot | str, ...]] | None:
    """Return source and target, or None where the edges do not make them."""
    source: Placed = {}
    target: Placed = {}
    for number, (_, node, edge) in enumerate(graph.out_edges(rule, data=True), start=1):
        child, position, places = graph.nodes[node], edge.get("position"), edge.get("targets")
        name = child.get("name")
        slot = child.get("kind") == "symbol"
        if not (isinstance(name, str) and is_whole(position) and isinstance(places, list)):
            return None
        symbol: Slot | str = Slot(number, name) if slot else name
        if slot or child.get("side") == "source":
            if position in source:
                return None
            source[position] = symbol
        for place in places:
            if not is_whole(place) or place in target:
                return None
            target[place] = symbol
    sides = (_row(source), _row(target))
    return None if None in sides else sides  # type: ignore[return-value]


def _row(placed: Placed) -> tuple[Slot | str, ...] | None:
    if sorted(placed) != list(range(len(placed))):
        return None
    return tuple(placed[i] for i in range(len(placed)))
