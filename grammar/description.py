"""What a grammar shows of itself: facts, a report, details of one symbol, and a picture."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from html import escape
from typing import Any, Protocol

import networkx as nx

from grammar.pictures.base_labels import known_symbols
from grammar.pictures.neighbourhood import draw_neighbourhood

__all__ = ["Description", "Findings", "describe_graph"]

_WIDEST = 100


class Findings(Protocol):
    """What ``check()`` returns: findings for machines and for people."""

    def to_dict(self) -> dict[str, Any]:
        """Return all findings as values that JSON can hold."""

    def lines(self) -> Iterator[tuple[str, str]]:
        """Yield (name, finding) pairs for people."""


@dataclass(frozen=True, repr=False)
class Description:
    """What a grammar shows of itself; it prints as a page for people.

    Attributes
    ----------
    family : str
        Of the grammar.
    draw : callable
        Takes a path (``.svg`` or ``.png``) and saves a picture there.
    facts, details : dict
        Of the whole, and of one symbol. Values are numbers, strings, lists of strings, lists of
        records (tables), or mappings of names to numbers.
    report : Findings, optional
        Of its check.

    Examples
    --------
    >>> from grammar import Grammar
    >>> Grammar.parse("S -> 'a' [1/2] | 'b' [1/2]").describe()
    family   pcfg
    rules    2 over 1 symbols, 2 words
    ...
    rules of S
      S -> 'a' [0.5]
      S -> 'b' [0.5]
    """

    family: str
    draw: Callable[[str], None]
    facts: dict[str, Any] = field(default_factory=dict)
    report: Findings | None = None
    details: dict[str, Any] = field(default_factory=dict)

    def to_dict(self, *, details: bool = True) -> dict[str, Any]:
        """Return everything as values that JSON can hold."""
        report = self.report.to_dict() if self.report else {}
        return {"family": self.family, **self.facts, **report, **(self.details if details else {})}

    def lines(self, *, details: bool = True) -> dict[str, str]:
        """Return everything as text for people."""
        report = dict(self.report.lines()) if self.report else {}
        shown = {"family": self.family, **_read(self.facts), **report}
        return shown | _read(self.details) if details else shown

    def __repr__(self) -> str:
        lines = self.lines()
        width = max(map(len, lines))
        return "\n".join(f"{name:<{width}}  {value}" for name, value in lines.items())

    def _repr_html_(self) -> str:
        return f"<pre>{escape(repr(self))}</pre>"


def describe_graph(
    graph: nx.MultiDiGraph,
    symbol: str,
    top: int,
    *,
    facts: Mapping[str, Any],
    details: Mapping[str, Any] | None = None,
) -> Description:
    """Look at a grammar by its graph: the likeliest rules of a symbol, and their picture.

    Parameters
    ----------
    graph : networkx.MultiDiGraph
        The graph of a grammar; what a rule says is its ``pattern`` or ``text``, else its words.
    symbol : str
        Whose rules to show; a label stands for all symbols that annotate it.
    top : int
        How many.
    facts, details : mapping
        What the family says of the whole, and what it shows before the rules.

    Raises
    ------
    OptionError
        If the grammar has no such symbol.
    """
    names = [data["name"] for _, data in graph.nodes(data=True) if data["kind"] == "symbol"]
    nodes = [f"symbol:{name}" for name in known_symbols(symbol, names)]
    edges = graph.out_edges(nodes, data="weight")
    ranked = sorted(edges, key=lambda edge: -edge[2])[:top]
    rules = [f"{_said(graph, rule)} [{weight:.6g}]" for _, rule, weight in ranked]
    return Description(
        graph.graph["family"],
        lambda path: draw_neighbourhood(graph, symbol, path, top=top),
        facts=dict(facts),
        details={**(details or {}), f"rules of {symbol}": rules},
    )


def _said(graph: nx.MultiDiGraph, rule: str) -> str:
    data = graph.nodes[rule]
    said = data.get("pattern", data.get("text"))
    if said is not None:
        return str(said)
    return " ".join(graph.nodes[child]["name"] for _, child in graph.out_edges(rule))


def _read(facts: Mapping[str, Any]) -> dict[str, str]:
    return {name: _readable(value) for name, value in facts.items()}


def _readable(value: Any) -> str:
    """Return a fact as text for people."""
    if isinstance(value, dict):
        return "; ".join(f"{name}: {_cell(count)}" for name, count in value.items())
    if isinstance(value, float):
        return f"{value:.6g}"
    if not isinstance(value, list):
        return _cell(value)
    if value and isinstance(value[0], dict):
        value = _table(value)
    elif value and isinstance(value[0], int):
        return ", ".join(map(_cell, value))
    return "\n  " + "\n  ".join(map(str, value)) if value else "none"


def _table(rows: list[dict[str, Any]]) -> list[str]:
    """Return rows in columns: numbers to the right, texts to the left."""
    names = list(rows[0])
    cells = [[_cell(row[name]) for name in names] for row in rows]
    numbers = [all(isinstance(row[name], int | float | None) for row in rows) for name in names]
    widths = [max(len(c[i]) for c in [names, *cells]) for i in range(len(names))]
    return [
        "  ".join(
            text.rjust(width) if number else text.ljust(width)
            for text, width, number in zip(line, widths, numbers, strict=True)
        ).rstrip()
        for line in [names, *cells]
    ]


def _cell(value: Any) -> str:
    if value is None:
        return "-"
    if isinstance(value, float):
        return f"{value:.4g}"
    if isinstance(value, dict):
        return _shortened(", ".join(f"{name} {_cell(part)}" for name, part in value.items()))
    if isinstance(value, list):
        return " ".join(map(_cell, value))
    is_number = isinstance(value, int) and not isinstance(value, bool)
    return f"{value:,}" if is_number else str(value)


def _shortened(text: str) -> str:
    return text if len(text) <= _WIDEST else f"{text[: _WIDEST - 4].rpartition(',')[0]}, ..."
