"""What meets where a span is put in, as numbers: the features of the scores of fluency.

The category of the filler in its place of the tree (:mod:`sampling.joins.constituents`). For the
learnt
score also: the tags and the frequent words on either side of each seam; the label of the filler
beside the tags that surround it and below the label above it; its length beside that of its
context. Nothing of what stood in the hole before is among them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from grammar.arrays import IntArray, LongArray
from grammar.errors import SchemaError
from sampling.joins.constituents import Places
from sampling.joins.score import SeamScore
from sampling.joins.sentences import Sentences
from sampling.spans.grammar import SpanGrammar

__all__ = [
    "BORDER_FEATURES",
    "FREQUENT",
    "TREE_FEATURES",
    "Names",
    "border_codes",
    "border_widths",
    "names_of",
]

FREQUENT = 150
"""So many of the most frequent words are told apart."""

_LENGTHS = np.array([1, 2, 3, 4, 5, 7, 10, 15, 25, 40])

TREE_FEATURES = (("governor", "category"), ("sister", "category"))
BORDER_FEATURES = (
    ("tag before", "first tag"),
    ("tag behind", "last tag"),
    ("tag before", "label"),
    ("tag behind", "label"),
    ("word before", "first tag"),
    ("word behind", "last tag"),
    ("tag before", "first word"),
    ("tag behind", "last word"),
    ("word before", "first word"),
    ("word behind", "last word"),
    ("label above", "label"),
    ("words of the context", "words"),
)
"""Pairs of a value of the context and one of the filler; each pair of values has a weight."""


class Names(NamedTuple):
    """The features of a score, and what it calls their values.

    Attributes
    ----------
    features : tuple of (str, str)
        Of :data:`TREE_FEATURES` and :data:`BORDER_FEATURES`.
    labels, places : tuple of str
        As :class:`sampling.joins.score.Borders` has them.
    """

    features: tuple[tuple[str, str], ...]
    labels: tuple[str, ...]
    places: tuple[str, ...]

    @property
    def place_sizes(self) -> dict[str, int]:
        """How many categories, governors and sisters there are, with 0 for others."""
        counts = Counter(map(_kind_of_place, self.places))
        return {kind: 1 + counts[kind] for kind in ("category", "governor", "sister")}


def names_of(grammar: SpanGrammar, features: tuple[tuple[str, str], ...]) -> Names:
    """Return the labels of the constituents of a grammar's sites, and their places.

    Labels are also those above them. A place or category that one site only has is left out:
    nothing is known of it.
    """
    bank, node, places = grammar.sides[0].treebank, grammar.sites.node[:, 0], grammar.places
    if bank is None or places is None:
        return Names(features, (), ())
    above = bank.parent[node]
    used = np.unique(np.concatenate((bank.label[node], bank.label[above[above >= 0]])))
    names = list(bank.symbols)
    rows = (f"{kind}: {places.names[c]}" for kind, c in _often(places, node))
    return Names(features, tuple(names[c] for c in used.tolist()), tuple(rows))


def _often(places: Places, node: LongArray) -> Iterator[tuple[str, int]]:
    for kind in ("category", "governor", "sister"):
        counts = np.bincount(getattr(places, kind)[node])
        yield from ((kind, c) for c in np.flatnonzero(counts > 1).tolist())


def _kind_of_place(name: str) -> str:
    return name.partition(":")[0]


def border_widths(score: SeamScore, names: Names) -> LongArray:
    """Return how many values each side of each feature has."""
    tags = len(score.tags.names) if score.tags is not None else 1
    sizes = {"tag": tags, "word": FREQUENT + 3, "label": len(names.labels) + 1}
    sizes |= {"words": len(_LENGTHS) + 1, **names.place_sizes}
    unknown = set(names.features) - {*TREE_FEATURES, *BORDER_FEATURES}
    if unknown:
        raise SchemaError(f"the score has an unknown feature {sorted(unknown)[0]}")
    kinds = [[sizes[_kind(name)] for name in pair] for pair in names.features]
    return np.array(kinds, np.int64).reshape(-1, 2)


def border_codes(
    grammar: SpanGrammar, score: SeamScore, names: Names
) -> tuple[LongArray, LongArray]:
    """Return the places of contexts and of fillers in the table of weights, feature by feature.

    The weight of feature m is at the sum of the two.
    """
    values = _values(grammar, score, names)
    widths = border_widths(score, names)
    base = np.concatenate(([0], np.cumsum(widths.prod(axis=1))))[:-1]
    rows = enumerate(names.features)
    context = [base[m] + values[one].astype(np.int64) * widths[m, 1] for m, (one, _) in rows]
    filler = [values[other].astype(np.int64) for _, other in names.features]
    return (
        np.ascontiguousarray(np.stack(context, axis=1)),
        np.ascontiguousarray(np.stack(filler, axis=1)),
    )


def _kind(name: str) -> str:
    if name.startswith("words"):
        return "words"
    return next((kind for kind in ("tag", "word", "label") if kind in name), name)


def _values(grammar: SpanGrammar, score: SeamScore, names: Names) -> dict[str, Any]:
    """Return the values of every site, each below the width of its kind."""
    sites, side = grammar.sites, grammar.sides[0]
    start, end = sites.start[:, 0], sites.end[:, 0]
    values: dict[str, Any] = {}
    for kind, held in (("word", score.words), ("tag", score.tags)):
        codes = _codes(kind, held)
        places = ("before", "behind"), ("first", "last")
        if held is None:
            values |= {f"{kind} {p}": np.zeros(len(sites), np.int64) for p in places[0]}
            values |= {f"{p} {kind}": np.zeros(len(sites), np.int64) for p in places[1]}
            continue
        at = held.offsets[sites.example] + start
        stop = held.offsets[sites.example] + end
        # before the first word stands the mark of the beginning, 1
        values[f"{kind} before"] = np.where(start > 0, codes[np.maximum(at - 1, 0)], 1)
        values[f"{kind} behind"] = codes[stop]
        values[f"first {kind}"], values[f"last {kind}"] = codes[at], codes[stop - 1]
    values["label"], values["label above"] = _labels(grammar, names.labels)
    values |= _places(grammar, names.places)
    values["words"] = np.searchsorted(_LENGTHS, end - start, side="right")
    rest = side.lengths[sites.example] - (end - start)
    values["words of the context"] = np.searchsorted(_LENGTHS, rest, side="right")
    return values


def _codes(kind: str, held: Sentences | None) -> IntArray:
    """Return the value of every token: tags as they are, words by their rank, or 0."""
    if held is None:
        return np.zeros(0, np.int32)
    if kind == "tag":
        return held.tokens
    counts = np.bincount(held.tokens, minlength=len(held.names))
    counts[:3] = 0
    frequent = np.argsort(-counts, kind="stable")[:FREQUENT]
    rank = np.zeros(len(held.names), np.int32)
    rank[frequent] = 3 + np.arange(len(frequent))
    rank[1:3] = 1, 2
    return rank[held.tokens]


def _labels(grammar: SpanGrammar, labels: tuple[str, ...]) -> tuple[LongArray, LongArray]:
    """Return the label of each site and of what is above it, from 1; 0 is another, or none."""
    bank, node = grammar.sides[0].treebank, grammar.sites.node[:, 0]
    if bank is None or (node < 0).any():
        return np.zeros(len(node), np.int64), np.zeros(len(node), np.int64)
    numbers = {name: k + 1 for k, name in enumerate(labels)}
    known = np.array([numbers.get(name, 0) for name in bank.symbols], np.int64)
    above = bank.parent[node]
    return known[bank.label[node]], np.where(above >= 0, known[bank.label[above]], 0)


def _places(grammar: SpanGrammar, known: tuple[str, ...]) -> dict[str, Any]:
    """Return the category and the place of each site, from 1; 0 is another, or none."""
    node, values = grammar.sites.node[:, 0], dict[str, Any]()
    places = grammar.places if known else None
    for kind in ("category", "governor", "sister"):
        if places is None:
            values[kind] = np.zeros(len(node), np.int64)
            continue
        mine = [name for name in known if _kind_of_place(name) == kind]
        numbers = {name: k + 1 for k, name in enumerate(mine)}
        number = np.array([numbers.get(f"{kind}: {name}", 0) for name in places.names], np.int64)
        values[kind] = number[getattr(places, kind)[node]]
    return values
