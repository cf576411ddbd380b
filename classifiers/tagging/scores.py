"""How well spans were found: strictly, by their ends and labels."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Any

from grammar.errors import CorpusError
from induction.corpus.corpus import Corpus

__all__ = ["SpanScores", "points", "span_scores"]


@dataclass(frozen=True)
class SpanScores:
    """Counts of spans, and what follows from them.

    Attributes
    ----------
    found, gold, both : int
        Spans that were found, that are there, and that are the same in start, end and label.
    """

    found: int
    gold: int
    both: int

    @property
    def precision(self) -> float:
        """The share of those found that are there; 0 if none was found."""
        return self.both / self.found if self.found else 0.0

    @property
    def recall(self) -> float:
        """The share of those there that were found; 0 if there are none."""
        return self.both / self.gold if self.gold else 0.0

    @property
    def f1(self) -> float:
        """The harmonic mean of precision and recall."""
        return 2 * self.both / (self.found + self.gold) if self.found + self.gold else 0.0


def span_scores(gold: Corpus, found: Corpus) -> dict[str, SpanScores]:
    """Score the spans of the same texts by label, and all together under ``""`` (micro average).

    Raises
    ------
    CorpusError
        If the texts are not the same, or one has no column ``spans``.

    Examples
    --------
    >>> spans = [[{"start": 0, "end": 3, "label": "P"}, {"start": 7, "end": 11, "label": "L"}]]
    >>> gold = Corpus.from_columns(text=["Ann in Rome"], spans=spans)
    >>> found = Corpus.from_columns(text=["Ann in Rome"], spans=[spans[0][:1]])
    >>> scores = span_scores(gold, found)
    >>> scores[""].precision, scores[""].recall, scores["L"].found
    (1.0, 0.5, 0)
    """
    if gold.column("text") != found.column("text"):
        raise CorpusError("the texts are not the same", hint="score the spans of the same texts")
    counts: dict[str, Counter[str]] = {name: Counter() for name in ("found", "gold", "both")}
    for right, mine in zip(gold.column("spans"), found.column("spans"), strict=True):
        sets = {"gold": _as_set(right), "found": _as_set(mine)}
        sets["both"] = sets["gold"] & sets["found"]
        for name, spans in sets.items():
            counts[name].update(label for _, _, label in spans)
    labels = sorted(counts["gold"] | counts["found"])
    scores = {label: SpanScores(*(counts[n][label] for n in counts)) for label in labels}
    return {"": SpanScores(*(count.total() for count in counts.values())), **scores}


def points(task: str, gold: Corpus, found: Corpus) -> dict[str, float]:
    """Return how good tags or spans are, from 0 to 100, the score that counts first.

    Examples
    --------
    >>> gold = Corpus.from_columns(text=["we left"], tags=[["PRON", "VERB"]])
    >>> points("tags", gold, Corpus.from_columns(text=["we left"], tags=[["PRON", "NOUN"]]))
    {'accuracy': 50.0}
    """
    if task == "tags":
        pairs = [
            right == mine
            for both in zip(gold.column("tags"), found.column("tags"), strict=True)
            for right, mine in zip(*both, strict=True)
        ]
        return {"accuracy": 100 * sum(pairs) / len(pairs)}
    result = span_scores(gold, found)[""]
    return {
        "F1": 100 * result.f1, "precision": 100 * result.precision, "recall": 100 * result.recall
    }  # fmt: skip


def _as_set(spans: list[dict[str, Any]]) -> set[tuple[int, int, str]]:
    return {(span["start"], span["end"], span["label"]) for span in spans}
