"""A grammar: what a check finds, its symbols and rules, and where rules occur."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import networkx as nx
from markupsafe import Markup

from grammar.pictures.base_labels import known_symbols
from grammar.pictures.neighbourhood import neighbourhood_svg
from grammar.weighted import Weighted
from treewright.workbench.answers import Page, address, answered
from treewright.workbench.opened import Opened, OpenGrammar, Trees
from treewright.workbench.pages.rules import pattern_of_rule
from treewright.workbench.parameters import Parameters

__all__ = ["grammar_page"]

_SYMBOLS, _DRAWN = 150, 12


def grammar_page(opened: Opened, asked: Parameters, identifier: str) -> Page:
    """Show a grammar, and the rules of one of its symbols."""
    item: OpenGrammar = opened.get(identifier, "grammar", "synchronous")
    symbol = asked.text("symbol", most=1000)
    top = asked.number("top", 20, least=1, most=200)
    treebanks = dict(opened.of_kind("treebank"))
    default = item.treebank or next(iter(treebanks), "")
    treebank = asked.choice("treebank", treebanks, default)
    values = {
        "identifier": identifier,
        "item": item,
        "path": f"/grammar/{identifier}",
        "symbol": symbol,
        "top": top,
        "treebank": treebank,
        "treebanks": treebanks,
    }

    def answer() -> Mapping[str, Any]:
        grammar = item.grammar
        chosen = symbol or grammar.start
        names = _symbols(grammar)
        found = known_symbols(chosen, list(names))
        look = grammar.describe(chosen, top)
        trees = treebanks[treebank].plain if treebank else None
        return {
            "symbol": chosen,
            "facts": look.lines(details=False),
            "ambiguous": look.details.get("most ambiguous", []),
            "symbols": sorted(names.items(), key=lambda pair: -pair[1])[:_SYMBOLS],
            "symbol_count": len(names),
            "rules": list(_rules(grammar, found, top, trees)),
            "rule_count": sum(names[name] for name in found),
            "examples_address": lambda pattern: address(
                f"/treebank/{treebank}", pattern=pattern, plain="1"
            ),
            "picture": _picture(grammar.graph, chosen),
        }

    return answered("grammar.html", values, answer)


def _symbols(grammar: Weighted) -> dict[str, int]:
    """Return how many rules each symbol has."""
    graph = grammar.graph
    return {
        data["name"]: graph.out_degree(node)
        for node, data in graph.nodes(data=True)
        if data["kind"] == "symbol"
    }


def _rules(
    grammar: Weighted, symbols: list[str], top: int, trees: Trees | None
) -> Iterator[Mapping[str, Any]]:
    graph = grammar.graph
    edges = graph.out_edges([f"symbol:{name}" for name in symbols], data=True)
    ranked = sorted(edges, key=lambda edge: (-edge[2]["weight"], _number(edge[1])))[:top]
    for symbol, rule, data in ranked:
        pattern = _pattern(graph, symbol, rule, trees) if grammar.family == "pcfg" else None
        yield {
            "text": grammar.rule_text(_number(rule)),
            "probability": data["weight"],
            "count": data.get("count"),
            "pattern": pattern,
            "examples": len(trees.hits(pattern)) if trees and pattern else None,
        }


def _number(rule: str) -> int:
    return int(rule.partition(":")[2])


def _pattern(graph: nx.MultiDiGraph, symbol: str, rule: str, trees: Trees | None) -> str | None:
    """Return the pattern of nodes that a rule describes; None if no node has such labels."""
    if trees is None:
        return None
    ordered = sorted(graph.out_edges(rule, data="position"), key=lambda edge: edge[2])
    names = [graph.nodes[node]["name"] for node in (symbol, *(edge[1] for edge in ordered))]
    return pattern_of_rule(names, trees)


def _picture(graph: nx.MultiDiGraph, symbol: str) -> Markup:
    drawn = neighbourhood_svg(graph, symbol, top=_DRAWN)
    return Markup(drawn.replace("<svg ", '<svg class="fits" ', 1))
