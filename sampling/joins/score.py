"""The score of fluency: how well the pieces of an example cohere, in words, tags and trees.

A score is data: the sentences that its models of n-grams are made of, two weights, and weights of
what meets where a span is put in: of its place in the tree and its category, and, if the score is
learnt, of what stands at its borders. It is learnt from the source corpus alone.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, ClassVar, Protocol

import numpy as np
import pyarrow as pa

from grammar.arrays import BoolArray, FloatArray, IntArray, LongArray
from grammar.errors import SchemaError
from grammar.saving import facts as kinds
from induction.corpus.corpus import Corpus
from sampling.examples.text_columns import Side, read_side
from sampling.joins.kernels import cohesion_of_pieces
from sampling.joins.sentences import TAG_ORDER, WORD_ORDER, Sentences, tags_of, words_of

__all__ = ["Borders", "Score", "SeamScore", "Tilt", "cuts_of", "read_sides", "sentences_of"]

TEXTS = ("text", "text_pair")
_TINY = 1e-9
OF_TREES = 2.0
"""The weight of trees beside that of tags, both brought to a deviation of 1."""


class Score(Protocol):
    """What says how good examples are: a number each, higher for better; -inf refuses one."""

    def of(self, made: Corpus) -> FloatArray:
        """Return a number for each example."""
        ...


@dataclass(frozen=True)
class Tilt:
    """A score, and how much it weighs: a draw weighs ``exp(power * score)``.

    Attributes
    ----------
    score : Score
        What says how good examples are.
    power : float
        The power.
    draws : int
        Draws that one is chosen of.
    most_pairs : int
        Up to so many pairs of a context and a substitute, the distribution is computed exactly.
    at_once : int
        So many draws are scored at a time, or as many as one is chosen of; it changes nothing.
    of_host : int
        Of methods that take hosts in turn: so many draws in a row are of one host.
    chosen : int
        So many are chosen of these draws, where they are read together.
    """

    score: Any
    power: float = 1.0
    draws: int = 1
    most_pairs: int = 0
    at_once: int = 4096
    of_host: int = 1
    chosen: int = 1

    def log_weights(self, table: pa.Table) -> FloatArray:
        """Return the logarithm of the weight of every example."""
        scores = np.asarray(self.score.of(Corpus(table)), np.float64)
        refused = np.isneginf(scores)  # whatever the power, also of zero
        return np.where(refused, scores, self.power * np.where(refused, 0.0, scores))


@dataclass(frozen=True, eq=False)
class Borders:
    """Weights of pairs of values, one of a context and one of a substitute.

    Attributes
    ----------
    features : tuple of (str, str)
        What the values are (see ``sampling.spans.borders``).
    labels, places : tuple of str
        The labels of constituents, and the categories and places, that it knows.
    widths : int64[features, 2]
        How many values the context and the substitute have, feature by feature.
    weights : float64[]
        Of every pair of values, one feature after the other.
    """

    features: tuple[tuple[str, str], ...]
    labels: tuple[str, ...]
    places: tuple[str, ...]
    widths: LongArray
    weights: FloatArray

    def scaled(self, factor: float) -> Borders:
        """Return the same with all weights times a factor."""
        return replace(self, weights=self.weights * factor)

    def checked(self) -> Borders:
        """Return the weights, having seen that there are enough (else SchemaError)."""
        widths = self.widths
        sizes = widths.ndim == 2 and (widths > 0).all() and len(widths) == len(self.features)
        if not sizes or widths.prod(axis=1).sum() != len(self.weights):
            raise SchemaError("the weights of the score are damaged")
        return self


@dataclass(frozen=True, eq=False)
class SeamScore:
    """Cohesion over words and over tags, each with a weight; with weights of what meets.

    Attributes
    ----------
    words, tags : Sentences, Sentences or None
        What the models of n-grams are made of.
    weights : tuple of float
        Of the cohesion over words, and over tags.
    borders : Borders or None
        Of methods that exchange spans.
    """

    words: Sentences
    tags: Sentences | None
    weights: tuple[float, float] = (1.0, 1.0)
    borders: Borders | None = None

    facts: ClassVar = kinds.Fields(
        {"weights": kinds.row(kinds.real(), kinds.real()), "words": kinds.TEXTS},
        {
            "tags": kinds.TEXTS, "labels": kinds.TEXTS, "places": kinds.TEXTS,
            "features": kinds.each(kinds.row(kinds.TEXT, kinds.TEXT)),
        },
    )  # fmt: skip
    columns: ClassVar = {
        "words tokens": "int32", "words offsets": "int64", "tags tokens": "int32",
        "tags offsets": "int64", "border widths": "int64", "border weights": "float64",
    }  # fmt: skip

    def weighted(self, cohesions: FloatArray) -> SeamScore:
        """Return the score with weights that bring each row of cohesions to a deviation of 1.

        Words have half that weight if there are tags: of a small corpus, they prefer what it has
        by heart. The third row, if there is one, is that of trees, which have twice that weight:
        they tell own places from others best.
        """
        spread = [float(np.std(row)) if len(row) else 0.0 for row in cohesions]
        words, tags, *trees = (1 / s if s > _TINY else 0.0 for s in spread)
        borders = self.borders
        if borders is not None and trees:
            borders = borders.scaled(OF_TREES * trees[0])
        return replace(self, weights=(words / 2 if tags else words, tags), borders=borders)

    def check_beside(self, sides: tuple[Side, ...]) -> None:
        """Refuse sentences that are not as long as those of the sides (SchemaError)."""
        lengths = np.concatenate([side.lengths for side in sides])
        for held in (self.words, self.tags):
            if held is not None and not np.array_equal(np.diff(held.offsets) - 1, lengths):
                raise SchemaError("the sentences of the score are not those of the examples")

    def of(self, made: Corpus) -> FloatArray:
        """Return the weighted cohesion of examples.

        Pieces are cut where provenance has the spans that were put in. Where it has none, every
        word is a piece, and the score is the mean over the words.
        """
        total = np.zeros(len(made))
        for row, weight in zip(self.cohesions(made), self.weights, strict=True):
            total += weight * row
        return total

    def cohesions(self, made: Corpus) -> FloatArray:
        """Return the cohesions of examples by themselves: over words, and over tags."""
        table = made.table
        side = read_side(made, "text")
        sentences = [Sentences.of([words_of(side)], self.words.names)]
        models = [self.words.automaton]
        tags = None if self.tags is None else tags_of(side, made)
        if tags is not None and self.tags is not None:
            sentences.append(Sentences.of([tags], self.tags.names, TAG_ORDER))
            models.append(self.tags.automaton)
        spans = table.column("provenance").combine_chunks().field("spans")
        cut, share = cuts_of(spans, sentences[0].offsets)
        found = np.zeros((2, len(made)))
        for k, (model, read) in enumerate(zip(models, sentences, strict=True)):
            found[k] = cohesion_of_pieces(model, read.tokens, read.offsets, cut) * share
        return found

    def to_arrays(self) -> tuple[dict[str, Any], dict[str, Any]]:
        """Return facts and columns of a file."""
        facts: dict[str, Any] = {"weights": list(self.weights)}
        columns: dict[str, Any] = {}
        for name, held in (("words", self.words), ("tags", self.tags)):
            if held is not None:
                facts[name] = list(held.names)
                columns |= {f"{name} tokens": held.tokens, f"{name} offsets": held.offsets}
        if self.borders is not None:
            facts["features"] = [list(pair) for pair in self.borders.features]
            facts["labels"] = list(self.borders.labels)
            facts["places"] = list(self.borders.places)
            columns["border widths"] = self.borders.widths.ravel()
            columns["border weights"] = self.borders.weights
        return facts, columns

    @classmethod
    def from_arrays(cls, facts: dict[str, Any], columns: dict[str, Any]) -> SeamScore:
        """Read a score off what :meth:`to_arrays` returned (SchemaError if it is damaged)."""
        held = {
            name: Sentences(
                tuple(facts[name]), columns[f"{name} tokens"], columns[f"{name} offsets"], order
            ).checked()
            for name, order in (("words", WORD_ORDER), ("tags", TAG_ORDER))
            if name in facts
        }
        borders = None
        if "features" in facts:
            features = tuple((one, other) for one, other in facts["features"])
            names = tuple(facts["labels"]), tuple(facts["places"])
            widths = columns["border widths"].reshape(-1, 2)
            borders = Borders(features, *names, widths, columns["border weights"]).checked()
        one, other = (float(weight) for weight in facts["weights"])
        return cls(held["words"], held.get("tags"), (one, other), borders)


def read_sides(corpus: Corpus) -> tuple[Side, ...]:
    """Return the sentence columns of a corpus."""
    return tuple(read_side(corpus, name) for name in TEXTS if name in corpus.names)


def sentences_of(sides: tuple[Side, ...], corpus: Corpus) -> tuple[Sentences, Sentences | None]:
    """Return the words and, if all sides have some, the tags of the sides of a corpus."""
    tags = [tags_of(side, corpus) for side in sides]
    known = [row for row in tags if row is not None]
    return (
        Sentences.of([words_of(side) for side in sides]),
        Sentences.of(known, order=TAG_ORDER) if len(known) == len(tags) else None,
    )


def cuts_of(spans: pa.ListArray, offsets: LongArray) -> tuple[BoolArray, FloatArray]:
    """Return where pieces begin, and what the cohesion of each sentence is to be divided by.

    Parameters
    ----------
    spans : list of struct of start and end
        The words put in, by example.
    offsets : int64[n + 1]
        Of the tokens, each sentence with its end.
    """
    bounds: IntArray = spans.offsets.to_numpy(zero_copy_only=False)
    flat = spans.flatten()
    counts = np.diff(bounds)
    owner = np.repeat(np.arange(len(counts)), counts)
    room = np.diff(offsets)
    cut = np.zeros(int(offsets[-1]), np.bool_)
    for name in ("start", "end"):
        at = flat.field(name).to_numpy(zero_copy_only=False).astype(np.int64)
        cut[offsets[owner] + np.minimum(at, room[owner] - 1)] = True
    none = np.repeat(counts == 0, room)
    return cut | none, np.where(counts == 0, 1.0 / room, 1.0)
