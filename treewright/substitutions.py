"""What there is to see in a saved span grammar: its classes, its contexts and its fillers."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import networkx as nx

    from grammar.arrays import FloatArray
    from sampling.span_grammar import SpanGrammar
    from treewright.families import Look

__all__ = ["look_at_spans"]


def look_at_spans(grammar: SpanGrammar, symbol: str | None, top: int) -> Look:
    """Look at a span grammar, and at one of its classes (else the start) more closely.

    Raises
    ------
    OptionError
        If the grammar has no such class.
    """
    import numpy as np

    from sampling.substitution import START
    from treewright.families import Look, known_symbol

    pools = grammar.pools
    symbol = known_symbol(symbol or START, [START, *pools.names])
    hosts = np.flatnonzero(pools.of_site >= 0)
    sizes = np.diff(pools.offsets)
    of_hole = pools.of_site[hosts]
    entropy = pool_entropies(grammar)
    chance = np.bincount(of_hole, pools.host_weight[hosts], len(sizes)).astype(np.float64)
    facts = {
        "method": f"{grammar.method} {grammar.version}",
        "options": {k: str(v) for k, v in grammar.options.items()},
        "examples": len(grammar.examples),
        "contexts": len(hosts),
        "fillers": len(np.unique(pools.fillers)),
        "classes": len(sizes),
        "pairs of a context and a filler": int(sizes[of_hole].sum()),
        "entropy of a derivation in bits": float(
            _entropy(pools.host_weight[hosts]) + (chance * entropy).sum()
        ),
    }
    holes = np.bincount(of_hole, minlength=len(sizes))
    largest = np.lexsort((np.arange(len(sizes)), -holes * sizes))[:top].tolist()
    details: dict[str, Any] = {
        "largest classes": [
            {
                "class": pools.names[p],
                "holes": int(holes[p]),
                "fillers": int(sizes[p]),
                "probability": float(chance[p]),
                "entropy": float(entropy[p]),
            }
            for p in largest
        ]
    }
    if symbol == START:
        details["likeliest contexts"] = _contexts(grammar, hosts, top)
    else:
        pool = pools.names.index(symbol)
        details[f"contexts of {symbol}"] = _contexts(grammar, hosts[of_hole == pool], top)
        details[f"fillers of {symbol}"] = [
            f"{text} [{weight:.4g}]" for text, weight in _fillers(grammar, pool, top)
        ]
    draw = (
        partial(_draw_classes, grammar, chance)
        if symbol == START
        else partial(_draw_class, grammar, symbol, top)
    )
    return Look(
        "substitution over spans",
        draw,
        facts=facts,
        details=details,
        graph=partial(_graph, grammar),
    )


def pool_entropies(grammar: SpanGrammar) -> FloatArray:
    """Return the entropy of the draw of a filler from every class, in bits."""
    import numpy as np

    pools = grammar.pools
    owner = np.repeat(np.arange(len(pools.names)), np.diff(pools.offsets))
    weight = pools.weight
    terms = np.where(weight > 0, -weight * np.log2(np.where(weight > 0, weight, 1.0)), 0.0)
    return np.asarray(np.bincount(owner, terms, len(pools.names)))


def _entropy(weights: Any) -> float:
    import numpy as np

    some = weights[weights > 0]
    return float(-(some * np.log2(some)).sum())


def _ranked(weights: Any, top: int) -> list[int]:
    """Return the places of the largest weights, the first of equal ones first."""
    import numpy as np

    order = np.argsort(-weights, kind="stable")[:top]
    return [int(place) for place in order]


def _contexts(grammar: SpanGrammar, sites: Any, top: int) -> list[str]:
    weight = grammar.pools.host_weight[sites]
    return [
        f"{_one_line(grammar.rule_text(int(sites[k])))} [{weight[k]:.4g}]"
        for k in _ranked(weight, top)
    ]


def _fillers(grammar: SpanGrammar, pool: int, top: int) -> list[tuple[str, float]]:
    """Return different fillers of a class with the sum of their weights, the likeliest first."""
    pools, total = grammar.pools, len(grammar.sites)
    first, last = int(pools.offsets[pool]), int(pools.offsets[pool + 1])
    sums: dict[str, float] = {}
    for entry in range(first, last):
        text = _one_line(grammar.rule_text(total + int(pools.fillers[entry])))
        sums[text] = sums.get(text, 0.0) + float(pools.weight[entry])
    return sorted(sums.items(), key=lambda item: -item[1])[:top]


def _one_line(text: str) -> str:
    return text.replace("\n", " ").replace("\t", "  /  ")


def _draw_classes(grammar: SpanGrammar, chance: FloatArray, path: str) -> None:
    from grammar.bar_chart import draw_bars

    named: dict[str, float] = {}
    for name, share in zip(grammar.pools.names, chance.tolist(), strict=True):
        named[name] = named.get(name, 0.0) + float(f"{share:.3g}")
    draw_bars(named, path, f"{grammar.method}: how often a hole is of each class")


def _draw_class(grammar: SpanGrammar, symbol: str, top: int, path: str) -> None:
    """Draw contexts of a class with their hole marked, and its fillers."""
    import numpy as np

    from treewright.exchanges import passages_of_site
    from treewright.passages import IN, Passage, Span
    from treewright.passages_drawn import draw_passages

    pools = grammar.pools
    pool = pools.names.index(symbol)
    hosts = np.flatnonzero(pools.of_site == pool)
    shown = [
        passage
        for k in _ranked(pools.host_weight[hosts], top)
        for passage in passages_of_site(grammar, int(hosts[k]), "context of ")
    ]
    text, marks = "", []
    for filler, _ in _fillers(grammar, pool, top):
        words = filler.removeprefix("⟨0⟩ ")
        marks.append(Span(len(text), len(text) + len(words), IN))
        text += f"{words}   "
    shown.append(Passage(f"fillers, the {len(marks)} likeliest", text, tuple(marks)))
    draw_passages(shown, path, f"{grammar.method}: class {symbol}")


def _graph(grammar: SpanGrammar) -> nx.MultiDiGraph:
    """Return the graph of the grammar with attributes that GraphML can hold."""
    import json

    import networkx as nx

    graph = nx.MultiDiGraph(grammar.graph)
    graph.graph["options"] = json.dumps(graph.graph["options"])
    return graph
