"""What there is to see in a grammar of each family, as facts and as a picture."""

from __future__ import annotations

import difflib
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from grammar.analysis import Report
    from grammar.grammar import Grammar
    from grammar.lexicalised import LexicalisedGrammar
    from grammar.synchronous_analysis import SynchronousReport
    from grammar.tsg import TreeSubstitutionGrammar
    from induction.latent_parser import LatentParser
    from sampling.substitution import SubstitutionGrammar
    from treewright.opening import AnyGrammar

__all__ = ["Look", "known_symbol", "look_at"]

_AMBIGUOUS = 10
_SINGLE = 8


@dataclass(frozen=True)
class Look:
    """What a grammar shows of itself.

    Values of facts are numbers, strings, lists of strings, lists of records (tables), or mappings
    of names to numbers. ``graph`` gives the grammar as a graph that GraphML can hold.
    """

    family: str
    draw: Callable[[str], None]
    facts: dict[str, Any] = field(default_factory=dict)
    report: Report | SynchronousReport | None = None
    details: dict[str, Any] = field(default_factory=dict)
    graph: Callable[[], Any] | None = None


def look_at(grammar: AnyGrammar, symbol: str | None, top: int) -> Look:
    """Look at a grammar, and at one of its symbols (else the start) more closely.

    Raises
    ------
    OptionError
        If the grammar has no such symbol.
    """
    from grammar.grammar import Grammar
    from grammar.lexicalised import LexicalisedGrammar
    from grammar.synchronous import SynchronousGrammar
    from grammar.tsg import TreeSubstitutionGrammar
    from induction.latent_parser import LatentParser
    from sampling.alp_grammar import ALPGrammar
    from sampling.span_grammar import SpanGrammar
    from sampling.substitution import SubstitutionGrammar
    from treewright.methods import look_at_alp
    from treewright.substitutions import look_at_spans
    from treewright.synchronous import look_at_synchronous

    if isinstance(grammar, Grammar):
        return _pcfg(grammar, symbol, top)
    if isinstance(grammar, TreeSubstitutionGrammar):
        return _tsg(grammar, symbol, top)
    if isinstance(grammar, LexicalisedGrammar):
        return _lpcfg(grammar, symbol, top)
    if isinstance(grammar, LatentParser):
        return _latent(grammar, symbol, top)
    if isinstance(grammar, SpanGrammar):
        return look_at_spans(grammar, symbol, top)
    if isinstance(grammar, ALPGrammar):
        return look_at_alp(grammar, symbol, top)
    if isinstance(grammar, SynchronousGrammar):
        return look_at_synchronous(grammar, symbol, top)
    assert isinstance(grammar, SubstitutionGrammar)
    return _substitution(grammar, symbol, top)


def _pcfg(grammar: Grammar, symbol: str | None, top: int) -> Look:
    from grammar.neighbourhood import draw_neighbourhood

    symbol = known_symbol(symbol or grammar.start, grammar.rules.nonterminals)
    report = grammar.check()
    return Look(
        "pcfg",
        lambda path: draw_neighbourhood(grammar.graph, symbol, path, top=top),
        report=report,
        details={
            **_ambiguity(grammar, report, symbol),
            f"rules of {symbol}": [
                f"{_text(production)} [{production.weight:.6g}]"
                for production in grammar.productions(symbol)[:top]
            ],
        },
    )


def _tsg(grammar: TreeSubstitutionGrammar, symbol: str | None, top: int) -> Look:
    from grammar.gallery import draw_fragments

    roots = sorted({fragment.label for fragment in grammar.fragments})
    symbol = known_symbol(symbol or grammar.start, roots)
    chosen = grammar.fragments_of(symbol)[:top]
    titles = [f"{weight:.4f}   seen {count:,}" for _, weight, count in chosen]
    report = grammar.pcfg.check()
    return Look(
        "tsg",
        lambda path: draw_fragments([f for f, _, _ in chosen], path, titles),
        facts={
            "fragments": len(grammar),
            "roots": len(roots),
            "fragments by depth": _histogram([f.depth for f in grammar.fragments]),
            "fragments by nodes": _histogram([f.nodes for f in grammar.fragments]),
            "below": "its PCFG, which rewrites the root of each fragment to its frontier",
        },
        report=report,
        details={
            **_ambiguity(grammar.pcfg, report, symbol),
            f"fragments of {symbol}": [
                {"weight": weight, "count": count, "fragment": str(fragment)}
                for fragment, weight, count in chosen
            ],
        },
    )


def _lpcfg(grammar: LexicalisedGrammar, symbol: str | None, top: int) -> Look:
    import numpy as np

    from grammar.neighbourhood import draw_neighbourhood

    start = grammar.start
    symbol = known_symbol(symbol or start, [*grammar.categories, *grammar.symbol_names])
    report = grammar.pcfg.check()
    chosen = _rules_below(grammar, symbol)
    # a category has no rules of its own in the graph: its most frequent symbol stands for it
    seen = np.bincount(grammar.rules.lhs[chosen], grammar.count[chosen])
    drawn = grammar.symbol_names[int(seen.argmax())] if chosen else symbol
    details: dict[str, Any] = {
        f"rules of {symbol}": [
            {
                "count": int(grammar.count[rule]),
                "weight": float(grammar.weight[rule]),
                "rule": grammar.text(rule),
            }
            for rule in chosen[:top]
        ]
    }
    if symbol != start and symbol in grammar.categories:
        heads = grammar.head_statistics(symbol)
        details = {
            f"seen as {symbol}": heads.total,
            f"different heads of {symbol}": len(heads.heads),
            f"entropy of the heads of {symbol} in bits": heads.entropy,
            f"heads of {symbol}": [
                {"word": word, "tag": tag, "count": count, "share": count / heads.total}
                for word, tag, count in heads.heads[:top]
            ],
            **details,
        }
    return Look(
        "lpcfg",
        lambda path: draw_neighbourhood(grammar.graph, drawn, path, top=top),
        facts={"categories": len(grammar.categories), "symbols": len(grammar.symbols)},
        report=report,
        details=details,
    )


def _rules_below(grammar: LexicalisedGrammar, symbol: str) -> list[int]:
    """Return the rules of a symbol, or of all symbols of a category, the most frequent first."""
    import numpy as np

    # the start symbol has the name of a category
    if symbol in grammar.symbol_names and symbol not in grammar.categories:
        below = grammar.rules.lhs == grammar.symbol_names.index(symbol)
    else:
        below = grammar.symbols[grammar.rules.lhs, 0] == grammar.categories.index(symbol)
    rules = np.flatnonzero(below)
    ranked: list[int] = rules[np.argsort(-grammar.count[rules], kind="stable")].tolist()
    return ranked


def _latent(parser: LatentParser, symbol: str | None, top: int) -> Look:
    from grammar.bar_chart import draw_bars
    from induction.latent_states import latent_states, states_of_labels

    coarse = parser.skeleton.grammar
    names = coarse.rules.nonterminals
    symbol = known_symbol(symbol or coarse.start, names)
    models = parser.models
    states = [states_of_labels(model.grammar) for model in models]
    which = f"model 1 of {len(models)}" if len(models) > 1 else "the model"
    found = latent_states(models[0], symbol, top)
    kind = "words" if found[0].words else "rules"
    return Look(
        "latent",
        lambda path: draw_bars(states[0], path, f"States of each label in {which}"),
        facts={
            "version": parser.version,
            "start": coarse.start,
            "skeleton rules": len(coarse),
            "labels": len(names),
            "tags among them": len(coarse.rules.words),
            "words": len(parser.lexicon.words),
            "states": [sum(each.values()) for each in states],
            "states to thin out forests": int(parser.small.grammar.states.sum()),
        },
        details={
            "labels with most states": [
                {"label": name, "states": [each[name] for each in states]}
                for name in list(states[0])[:_AMBIGUOUS]
            ],
            f"{kind} of each state of {symbol} ({which})": [
                {
                    "state": state.number,
                    kind: dict(state.words)
                    or {_text(rule).partition(" -> ")[2]: rule.weight for rule in state.rules},
                }
                for state in found
            ],
        },
    )


def _substitution(grammar: SubstitutionGrammar, symbol: str | None, top: int) -> Look:
    from grammar.neighbourhood import draw_neighbourhood

    graph = grammar.graph
    names = [data["name"] for _, data in graph.nodes(data=True) if data["kind"] == "symbol"]
    symbol = known_symbol(symbol or graph.graph["start"], names)
    edges = sorted(
        graph.out_edges(f"symbol:{symbol}", data=True), key=lambda edge: -edge[2]["weight"]
    )
    return Look(
        "substitution",
        lambda path: draw_neighbourhood(graph, symbol, path, top=top),
        facts={
            "method": grammar.method,
            "contexts": len(grammar.contexts),
            "fillers": len(grammar.fillers),
            "classes": len(grammar.class_offsets) - 1,
        },
        details={
            f"rules of {symbol}": [
                f"{graph.nodes[rule]['pattern']} [{data['weight']:.6g}]"
                for _, rule, data in edges[:top]
            ]
        },
    )


def _ambiguity(grammar: Grammar, report: Report, symbol: str) -> dict[str, Any]:
    from math import isfinite

    from grammar.ambiguity import ambiguous_symbols, symbol_entropies

    tight = isfinite(report.expected_length)
    number = grammar.rules.nonterminals.index(symbol)
    return {
        "most ambiguous": [
            one._asdict() for one in ambiguous_symbols(grammar, tight=tight, top=_AMBIGUOUS)
        ],
        f"entropy of {symbol} in bits": float(symbol_entropies(grammar)[number]),
    }


def _text(production: Any) -> str:
    return str(production).rpartition(" [")[0]


def _histogram(values: Sequence[int]) -> dict[str, int]:
    """Count values: each by itself up to 8, and above that from one power of two to the next."""
    counts = Counter(
        value if value <= _SINGLE else 1 << (value - 1).bit_length() for value in values
    )
    return {
        str(last) if last <= _SINGLE else f"{last // 2 + 1}-{last}": count
        for last, count in sorted(counts.items())
    }


def known_symbol(symbol: str, names: Sequence[str]) -> str:
    """Return a symbol that the grammar has, or raise OptionError with the nearest."""
    if symbol in names:
        return symbol
    from grammar.errors import OptionError

    folded = {name.casefold(): name for name in reversed(names)}
    near = [folded[n] for n in difflib.get_close_matches(symbol.casefold(), folded, 3)]
    some = ", ".join(near or names[:8])
    raise OptionError(f"the grammar has no symbol {symbol!r}", hint=f"try {some}")
