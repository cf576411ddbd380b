"""What there is to see in a span grammar: its classes, its contexts and its substitutes."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any, Protocol

import numpy as np

from grammar.arrays import FloatArray
from grammar.description import Description
from grammar.pictures.bar_chart import draw_bars
from grammar.pictures.base_labels import known_symbol
from induction.corpus.corpus import Corpus
from sampling.examples.drawn_passages import draw_passages
from sampling.examples.passages import IN, OUT, Passage, Sentence, Span, read_sentence
from sampling.examples.patterns import FAMILY, START
from sampling.examples.text_columns import Side
from sampling.spans.pools import Pools
from sampling.spans.sites import Sites

__all__ = ["describe_spans", "marked_site"]


class _Spans(Protocol):
    """A span grammar, of which this is a part."""

    @property
    def method(self) -> str: ...
    @property
    def version(self) -> str: ...
    @property
    def options(self) -> Mapping[str, Any]: ...
    @property
    def examples(self) -> Corpus: ...
    @property
    def sides(self) -> tuple[Side, ...]: ...
    @property
    def sites(self) -> Sites: ...
    @property
    def pools(self) -> Pools: ...
    def rule_text(self, number: int) -> str: ...


def describe_spans(grammar: _Spans, symbol: str | None, top: int) -> Description:
    """Look at a span grammar, and at one of its classes (else the start) more closely.

    Raises
    ------
    OptionError
        If the grammar has no such class.
    """
    pools = grammar.pools
    symbol = known_symbol(symbol or START, [START, *pools.names])
    hosts = np.flatnonzero(pools.of_site >= 0)
    sizes = np.diff(pools.offsets)
    of_slot = pools.of_site[hosts]
    entropy = _pool_entropies(grammar)
    chance = np.bincount(of_slot, pools.host_weight[hosts], len(sizes)).astype(np.float64)
    facts = {
        "method": f"{grammar.method} {grammar.version}",
        "options": {k: str(v) for k, v in grammar.options.items()},
        "examples": len(grammar.examples),
        "contexts": len(hosts),
        "substitutes": len(np.unique(pools.fillers)),
        "classes": len(sizes),
        "pairs of a context and a substitute": int(sizes[of_slot].sum()),
        "entropy of a derivation in bits": float(
            _entropy(pools.host_weight[hosts]) + (chance * entropy).sum()
        ),
    }
    slots = np.bincount(of_slot, minlength=len(sizes))
    largest = np.lexsort((np.arange(len(sizes)), -slots * sizes))[:top].tolist()
    details: dict[str, Any] = {
        "largest classes": [
            {
                "class": pools.names[p],
                "slots": int(slots[p]),
                "substitutes": int(sizes[p]),
                "probability": float(chance[p]),
                "entropy": float(entropy[p]),
            }
            for p in largest
        ]
    }
    if symbol == START:
        details["most probable contexts"] = _contexts(grammar, hosts, top)
    else:
        pool = pools.names.index(symbol)
        details[f"contexts of {symbol}"] = _contexts(grammar, hosts[of_slot == pool], top)
        details[f"substitutes of {symbol}"] = [
            f"{text} [{weight:.4g}]" for text, weight in _substitutes(grammar, pool, top)
        ]
    draw = (
        partial(_draw_classes, grammar, chance)
        if symbol == START
        else partial(_draw_class, grammar, symbol, top)
    )
    return Description(FAMILY, draw, facts=facts, details=details)


def _pool_entropies(grammar: _Spans) -> FloatArray:
    """Return the entropy of the draw of a substitute from every class, in bits."""
    pools = grammar.pools
    owner = np.repeat(np.arange(len(pools.names)), np.diff(pools.offsets))
    weight = pools.weight
    terms = np.where(weight > 0, -weight * np.log2(np.where(weight > 0, weight, 1.0)), 0.0)
    return np.asarray(np.bincount(owner, terms, len(pools.names)))


def _entropy(weights: Any) -> float:
    some = weights[weights > 0]
    return float(-(some * np.log2(some)).sum())


def _ranked(weights: Any, top: int) -> list[int]:
    """Return the places of the largest weights, the first of equal ones first."""
    order = np.argsort(-weights, kind="stable")[:top]
    return [int(place) for place in order]


def _contexts(grammar: _Spans, sites: Any, top: int) -> list[str]:
    weight = grammar.pools.host_weight[sites]
    return [
        f"{_one_line(grammar.rule_text(int(sites[k])))} [{weight[k]:.4g}]"
        for k in _ranked(weight, top)
    ]


def _substitutes(grammar: _Spans, pool: int, top: int) -> list[tuple[str, float]]:
    """Return substitutes of a class with their summed weights, the most probable first."""
    pools, total = grammar.pools, len(grammar.sites)
    first, last = int(pools.offsets[pool]), int(pools.offsets[pool + 1])
    sums: dict[str, float] = {}
    for entry in range(first, last):
        text = _one_line(grammar.rule_text(total + int(pools.fillers[entry])))
        sums[text] = sums.get(text, 0.0) + float(pools.weight[entry])
    return sorted(sums.items(), key=lambda item: -item[1])[:top]


def _one_line(text: str) -> str:
    return text.replace("\n", " ").replace("\t", "  /  ")


def _draw_classes(grammar: _Spans, chance: FloatArray, path: str) -> None:
    named: dict[str, float] = {}
    for name, share in zip(grammar.pools.names, chance.tolist(), strict=True):
        named[name] = named.get(name, 0.0) + float(f"{share:.3g}")
    draw_bars(named, path, f"{grammar.method}: how often a slot is of each class")


def _draw_class(grammar: _Spans, symbol: str, top: int, path: str) -> None:
    """Draw contexts of a class with their slot marked, and its substitutes."""
    pools = grammar.pools
    pool = pools.names.index(symbol)
    hosts = np.flatnonzero(pools.of_site == pool)
    shown = [
        passage
        for k in _ranked(pools.host_weight[hosts], top)
        for passage in _contexts_drawn(grammar, int(hosts[k]))
    ]
    text, marks = "", []
    for substitute, _ in _substitutes(grammar, pool, top):
        words = substitute.removeprefix("⟨0⟩ ")
        marks.append(Span(len(text), len(text) + len(words), IN))
        text += f"{words}   "
    shown.append(Passage(f"substitutes, the {len(marks)} most probable", text, tuple(marks)))
    draw_passages(shown, path, f"{grammar.method}: class {symbol}")


def _contexts_drawn(grammar: _Spans, site: int) -> list[Passage]:
    """Return the texts of the example of a site with its spans marked as slots."""
    example = int(grammar.sites.example[site])
    who = f"context of {grammar.examples.arrow('id')[example].as_py()}"
    return [
        sentence.passage(who + (" (pair)" if k else ""), [Span(a, b, OUT) for a, b in spans])
        for k in range(grammar.sites.start.shape[1])
        for sentence, spans in [marked_site(grammar, site, k)]
    ]


def marked_site(grammar: _Spans, site: int, k: int) -> tuple[Sentence, list[tuple[int, int]]]:
    """Return the text of a side of the example of a site, and the words of the site in it."""
    side, example = grammar.sides[k], int(grammar.sites.example[site])
    row = grammar.examples[example]
    sentence = read_sentence(row, side.name)
    if len(sentence.words) != int(side.lengths[example]):
        sentence = read_sentence(row, side.name, plain=True)
    return sentence, [(int(grammar.sites.start[site, k]), int(grammar.sites.end[site, k]))]
