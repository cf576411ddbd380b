"""Grammars to AND/OR graphs and back (design: symbol, word and rule nodes)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import networkx as nx
import numpy as np

from grammar.arrays import IntArray, LongArray
from grammar.errors import SchemaError, located
from grammar.graph_rules import GraphRules
from grammar.graph_table import ABSENT, GraphTable

if TYPE_CHECKING:
    from grammar.grammar import Grammar

__all__ = ["check_family", "grammar_from_graph", "grammar_to_graph", "grammar_to_table"]


def grammar_to_graph(grammar: Grammar) -> nx.MultiDiGraph:
    """Build the graph of a grammar; see :attr:`grammar.grammar.Grammar.graph`."""
    return grammar_to_table(grammar).to_graph()


def grammar_to_table(grammar: Grammar) -> GraphTable:
    """Return the columns of the graph: symbols, words and rules; for each rule, its edges."""
    rules = grammar.rules
    symbols, words = len(rules.nonterminals), len(rules.words)
    names = [*rules.nonterminals, *rules.words]
    kinds = ["symbol"] * symbols + ["word"] * words
    texts = [str(production).rpartition(" [")[0] for production in grammar]
    none, first_rule = [ABSENT] * len(rules), len(names)
    rule = np.repeat(np.arange(len(rules)), np.diff(rules.offsets))
    slots = _by_child(rule, rules.rhs)
    positions = (slots - rules.offsets[rule]).tolist()
    children = rules.rhs[slots]
    return GraphTable(
        {"family": grammar.family, "start": grammar.start},
        ids=[*map("{}:{}".format, kinds, names), *map("rule:{}".format, range(len(rules)))],
        nodes={
            "kind": kinds + ["rule"] * len(rules),
            "name": names + none,
            "text": [ABSENT] * len(names) + texts,
        },
        # networkx lists edges by the node that they leave, and rules are sorted by symbol
        source=[*rules.lhs.tolist(), *(rule + first_rule).tolist()],
        target=[
            *range(first_rule, first_rule + len(rules)),
            *np.where(children >= 0, children, symbols - 1 - children).tolist(),
        ],
        keys=[0] * len(rules) + positions,
        edges={
            "weight": grammar.weight.tolist() + [ABSENT] * len(positions),
            "count": grammar.count.tolist() + [ABSENT] * len(positions),
            "position": none + positions,
        },
    )


def _by_child(rule: LongArray, rhs: IntArray) -> LongArray:
    """Order slots as networkx does: by rule, and there equal children together."""
    _, first, group = np.unique((rule << 32) + rhs, return_index=True, return_inverse=True)
    return np.argsort(first[group], kind="stable")


def grammar_from_graph(
    graph: nx.MultiDiGraph | GraphTable,
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
    rules = GraphRules(GraphTable.of(graph), source)
    with located(source):
        return Grammar.from_columns(
            rules.columns(),
            rules.weight,
            rules.count,
            start=graph.graph.get("start") if start is None else start,
            normalise=normalise,
        )


def check_family(graph: nx.MultiDiGraph | GraphTable, family: str, source: str) -> None:
    """Raise SchemaError if a graph is not of a family."""
    found = graph.graph.get("family")
    if found != family:
        raise SchemaError(
            f"this is a grammar of the family {found!r}, not {family!r}",
            where=source,
            hint="use the verb or class that made it",
        )
