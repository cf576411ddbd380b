"""Labelled bracketing scores as values: of one label, one sentence, a set of sentences, all."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any

from grammar.foreign_names.attributes import Hints, attribute_hint, no_attribute

__all__ = ["ERROR", "SKIPPED", "VALID", "Evaluation", "LabelScore", "Score", "SentenceScore"]

VALID, SKIPPED, ERROR = "valid", "skipped", "error"


@dataclass(frozen=True)
class LabelScore:
    """How the brackets of one label (or all) fared.

    Attributes
    ----------
    label : str
        ``ADVP`` includes ``PRT``.
    gold, predicted, matched : int
        Numbers of brackets in the gold trees, in the predicted ones, and of those that are right.
    """

    label: str
    gold: int
    predicted: int
    matched: int

    @property
    def recall(self) -> float:
        """Per cent of the gold brackets that were found; 0 if there are none."""
        return _percent(self.matched, self.gold)

    @property
    def precision(self) -> float:
        """Per cent of the predicted brackets that are right; 0 if there are none."""
        return _percent(self.matched, self.predicted)

    @property
    def f1(self) -> float:
        """Harmonic mean of recall and precision; 0 if nothing matched."""
        return _percent(2 * self.matched, self.gold + self.predicted)


@dataclass(frozen=True)
class SentenceScore:
    """The counts of one sentence; all but the length are 0 if it is not valid.

    Attributes
    ----------
    status : str
        ``"valid"``, ``"skipped"`` (no parse, or no words left) or ``"error"``.
    length : int
        Words of the gold tree, traces left out.
    gold, predicted, matched, crossing : int
        Brackets; ``crossing`` counts predicted ones.
    words, tags : int
        Words that are compared, and those whose tags are equal.
    """

    status: str
    length: int
    gold: int = 0
    predicted: int = 0
    matched: int = 0
    crossing: int = 0
    words: int = 0
    tags: int = 0


@dataclass(frozen=True)
class Score:
    """The scores of a group of sentences; percentages, except ``average_crossing``.

    Attributes
    ----------
    sentences, errors, skipped, valid : int
        Numbers of sentences; only valid ones are in the scores.
    gold, predicted, matched : int
        Numbers of brackets.
    recall, precision, f1 : float
        Of labelled brackets.
    complete_match : float
        Sentences all of whose brackets match, both ways.
    average_crossing : float
        Crossing brackets a sentence.
    no_crossing, few_crossing : float
        Sentences without, and with two or fewer.
    tagging : float
        Words with the right tag.
    """

    sentences: int
    errors: int
    skipped: int
    valid: int
    gold: int
    predicted: int
    matched: int
    recall: float
    precision: float
    f1: float
    complete_match: float
    average_crossing: float
    no_crossing: float
    few_crossing: float
    tagging: float

    @classmethod
    def of(cls, sentences: Iterable[SentenceScore]) -> Score:
        """Sum up sentences."""
        given = list(sentences)
        valid = [s for s in given if s.status == VALID]
        gold, predicted = sum(s.gold for s in valid), sum(s.predicted for s in valid)
        matched, words = sum(s.matched for s in valid), sum(s.words for s in valid)
        brackets = LabelScore("", gold, predicted, matched)
        whole = sum(s.gold == s.predicted == s.matched for s in valid)
        return cls(
            sentences=len(given),
            errors=sum(s.status == ERROR for s in given),
            skipped=sum(s.status == SKIPPED for s in given),
            valid=len(valid),
            gold=gold,
            predicted=predicted,
            matched=matched,
            recall=brackets.recall,
            precision=brackets.precision,
            f1=brackets.f1,
            complete_match=_percent(whole, len(valid)),
            average_crossing=sum(s.crossing for s in valid) / max(len(valid), 1),
            no_crossing=_percent(sum(s.crossing == 0 for s in valid), len(valid)),
            few_crossing=_percent(sum(s.crossing <= 2 for s in valid), len(valid)),
            tagging=_percent(sum(s.tags for s in valid), words),
        )


_OF_OTHERS: Hints = {
    "evaluation.all.{name} has it": tuple(Score.__dataclass_fields__),
    "evaluation.all.f1 is the F1 of brackets": ("f_measure", "fmeasure", "fscore", "f_score", "F1"),
    "evaluation.to_dict() has all": ("to_pandas", "to_df", "to_json", "items", "summary"),
}
"""What other evaluations have, and what gives it here."""


@dataclass(frozen=True)
class Evaluation:
    """The result of :func:`evalb`.

    Attributes
    ----------
    all, short : Score
        Over all sentences, and over those of at most ``max_length`` words.
    max_length : int
    labels : tuple of LabelScore
        One each, over all sentences, the most frequent in the gold trees first.
    sentences : tuple of SentenceScore
        In order.
    """

    all: Score
    short: Score
    max_length: int
    labels: tuple[LabelScore, ...]
    sentences: tuple[SentenceScore, ...] = field(repr=False)

    if not TYPE_CHECKING:  # of a type checker, what is not there is an error

        def __getattr__(self, name: str) -> Any:
            raise no_attribute(self, name, attribute_hint(name, _OF_OTHERS))

    def numbers(self, status: str) -> list[int]:
        """Return the numbers, from 1, of the sentences that are ``"error"`` or ``"skipped"``."""
        return [n for n, s in enumerate(self.sentences, start=1) if s.status == status]

    def to_dict(self) -> dict[str, Any]:
        """Return all findings as values that JSON can hold, the single sentences left out."""
        return {
            "max_length": self.max_length,
            "all": asdict(self.all),
            "short": asdict(self.short),
            "labels": {
                score.label: {
                    **{k: v for k, v in asdict(score).items() if k != "label"},
                    "recall": score.recall,
                    "precision": score.precision,
                    "f1": score.f1,
                }
                for score in self.labels
            },
            "error_sentences": self.numbers(ERROR),
            "skipped_sentences": self.numbers(SKIPPED),
        }

    def __str__(self) -> str:
        return "\n".join(self._lines())

    def _lines(self) -> Iterator[str]:
        yield f"{'':<20} {'<= ' + str(self.max_length) + ' words':>12} {'all':>12}"
        for name, attribute, form in _ROWS:
            short, every = getattr(self.short, attribute), getattr(self.all, attribute)
            yield f"{name:<20} {short:>12{form}} {every:>12{form}}"
        yield ""
        titles = ("gold", "predicted", "recall", "precision", "F1")
        yield "{:<10} {:>8} {:>10} {:>8} {:>10} {:>8}".format("label", *titles)
        for s in self.labels:
            yield (
                f"{s.label:<10} {s.gold:>8,} {s.predicted:>10,} "
                f"{s.recall:>8.2f} {s.precision:>10.2f} {s.f1:>8.2f}"
            )
        for status, meaning in (
            (SKIPPED, "skipped, for want of a parse"),
            (ERROR, "errors, for words that do not pair up"),
        ):
            if numbers := self.numbers(status):
                shown = ", ".join(map(str, numbers[:10])) + (", ..." if len(numbers) > 10 else "")
                yield f"{meaning}: sentences {shown}"


_ROWS = (
    ("sentences", "sentences", ",d"),
    ("error sentences", "errors", ",d"),
    ("skipped sentences", "skipped", ",d"),
    ("valid sentences", "valid", ",d"),
    ("recall", "recall", ".2f"),
    ("precision", "precision", ".2f"),
    ("F1", "f1", ".2f"),
    ("complete match", "complete_match", ".2f"),
    ("average crossing", "average_crossing", ".2f"),
    ("no crossing", "no_crossing", ".2f"),
    ("2 or less crossing", "few_crossing", ".2f"),
    ("tagging accuracy", "tagging", ".2f"),
)


def _percent(part: int, whole: int) -> float:
    return 100.0 * part / whole if whole else 0.0
