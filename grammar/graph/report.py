"""What the graph of a grammar of any family is like: sizes, sums of weights, reachability."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Any

import networkx as nx

__all__ = ["GraphReport", "analyse_graph"]

_TOLERANCE = 1e-6
_SHOWN = 8


@dataclass(frozen=True)
class GraphReport:
    """The findings of :func:`analyse_graph`.

    Attributes
    ----------
    rules, symbols, words : int
        Sizes.
    improper : dict
        Symbols whose weights do not sum to one (to 1e-6), with their sums.
    unreachable, ruleless : tuple of str
        Symbols that no derivation from the start reaches, and symbols that have no rules.
    """

    rules: int
    symbols: int
    words: int
    improper: dict[str, float]
    unreachable: tuple[str, ...]
    ruleless: tuple[str, ...]

    @property
    def proper(self) -> bool:
        """Whether the weights of every symbol with rules sum to one."""
        return not self.improper

    def to_dict(self) -> dict[str, Any]:
        """Return all findings as values that JSON can hold."""
        return {"proper": self.proper, **asdict(self)}

    def lines(self) -> Iterator[tuple[str, str]]:
        """Yield (name, finding) pairs for people."""
        yield "rules", f"{self.rules:,} over {self.symbols:,} symbols, {self.words:,} words"
        sums = [f"{name} sums to {total:.6g}" for name, total in self.improper.items()]
        yield "proper", f"no: {_listed(sums)}" if sums else "yes"
        yield "unreachable", _listed(self.unreachable)
        yield "without rules", _listed(self.ruleless)

    def __str__(self) -> str:
        return "\n".join(f"{name:<16} {value}" for name, value in self.lines())


def analyse_graph(graph: nx.MultiDiGraph) -> GraphReport:
    """Examine the AND/OR graph of a grammar."""
    kinds = graph.nodes(data="kind")
    symbols = [node for node, kind in kinds if kind == "symbol"]
    sums = {
        graph.nodes[node]["name"]: sum(weight for _, _, weight in graph.out_edges(node, "weight"))
        for node in symbols
        if graph.out_degree(node)
    }
    start = f"symbol:{graph.graph['start']}"
    reached = {start, *nx.descendants(graph, start)} if start in graph else set()
    return GraphReport(
        rules=sum(kind == "rule" for _, kind in kinds),
        symbols=len(symbols),
        words=sum(kind == "word" for _, kind in kinds),
        improper={name: total for name, total in sums.items() if abs(total - 1.0) > _TOLERANCE},
        unreachable=tuple(graph.nodes[node]["name"] for node in symbols if node not in reached),
        ruleless=tuple(graph.nodes[n]["name"] for n in symbols if not graph.out_degree(n)),
    )


def _listed(names: tuple[str, ...] | list[str]) -> str:
    more = f", ... ({len(names)} in all)" if len(names) > _SHOWN else ""
    return ", ".join(names[:_SHOWN]) + more if names else "none"
