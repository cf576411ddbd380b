"""Tree-substitution grammars to AND/OR graphs and back (design: symbol, word and rule nodes)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import networkx as nx

from grammar.errors import BracketError, SchemaError, located
from grammar.fragment import Fragment
from grammar.graph import check_family
from grammar.graph_rules import GraphRules
from grammar.graph_table import GraphTable
from grammar.rules import Nonterminal, Production
from grammar.tree import escape

if TYPE_CHECKING:
    from grammar.tsg import TreeSubstitutionGrammar

__all__ = ["tsg_from_graph", "tsg_to_graph"]


def tsg_to_graph(grammar: TreeSubstitutionGrammar) -> nx.MultiDiGraph:
    """Build the graph; see :attr:`grammar.tsg.TreeSubstitutionGrammar.graph`."""
    frontiers = [fragment.frontier for fragment in grammar.fragments]
    children = {child for frontier in frontiers for child in frontier}
    symbols = {c.name for c in children if isinstance(c, Nonterminal)}
    symbols.update(fragment.label for fragment in grammar.fragments)
    words = {c for c in children if isinstance(c, str)}
    graph = nx.MultiDiGraph(family=grammar.family, start=grammar.start)
    for kind, names in (("symbol", symbols), ("word", words)):
        graph.add_nodes_from(
            (f"{kind}:{name}", {"kind": kind, "name": name}) for name in sorted(names)
        )
    for i, (fragment, frontier) in enumerate(zip(grammar.fragments, frontiers, strict=True)):
        text = str(Production(fragment.root, frontier)).rpartition(" [")[0]
        graph.add_node(f"rule:{i}", kind="rule", text=text, fragment=str(fragment))
    graph.add_edges_from(
        (f"symbol:{fragment.label}", f"rule:{i}", 0, {"weight": weight, "count": count})
        for i, (fragment, weight, count) in enumerate(grammar)
    )
    graph.add_edges_from(
        (
            f"rule:{i}",
            f"{'word' if isinstance(child, str) else 'symbol'}:{child}",
            position,
            {"position": position},
        )
        for i, frontier in enumerate(frontiers)
        for position, child in enumerate(frontier)
    )
    return graph


def tsg_from_graph(
    graph: nx.MultiDiGraph | GraphTable, *, source: str = "the graph"
) -> TreeSubstitutionGrammar:
    """Read a tree-substitution grammar off a graph.

    Raises
    ------
    SchemaError
        If the graph is of another family, a node or edge does not follow the layout, or the
        brackets of a fragment are missing, malformed, or have another root or frontier.
    """
    from grammar.tsg import TreeSubstitutionGrammar

    check_family(graph, TreeSubstitutionGrammar.family, source)
    table = GraphTable.of(graph)
    rules = GraphRules(table, source)
    brackets = table.node_column("fragment")
    fragments = []
    for number, node in enumerate(rules.rule.tolist()):
        flat = rules.production(number)
        fragment = _fragment(brackets[node], flat, f"{source}, {table.ids[node]}")
        fragments.append((fragment, flat.weight, flat.count))
    with located(source):
        return TreeSubstitutionGrammar.from_fragments(fragments, start=graph.graph.get("start", ""))


def _fragment(brackets: object, flat: Production, where: str) -> Fragment:
    """Read the brackets of a fragment, whose root and frontier the graph says too."""
    if not isinstance(brackets, str):
        raise SchemaError(
            "the rule has no attribute 'fragment'",
            where=where,
            hint="a rule of a tree-substitution grammar holds its fragment as brackets",
        )
    try:
        fragment = Fragment.parse(brackets)
    except BracketError as error:
        raise SchemaError(error.what, where=f"{where}, {error.where}", hint=error.hint) from None
    frontier = fragment.frontier
    if frontier == flat.rhs and fragment.label == flat.lhs.name:
        return fragment
    # the graph has words as they are, brackets with "(" and ")" written as names
    if _written(fragment.root, *frontier) != _written(flat.lhs, *flat.rhs):
        raise SchemaError(
            f"the fragment {brackets} does not have the root and children of its rule",
            where=where,
            hint=f"its root is {flat.lhs} and its frontier {' '.join(map(str, flat.rhs))}",
        )
    return fragment if frontier == flat.rhs else fragment.with_frontier(flat.rhs)


def _written(*symbols: Nonterminal | str) -> list[tuple[bool, str]]:
    return [(isinstance(symbol, str), escape(str(symbol))) for symbol in symbols]
