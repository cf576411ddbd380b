"""How well a classifier names labelled examples: accuracy, F1 of each class and their mean."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from classifiers.examples import Examples, read_examples
from classifiers.training.train import Classifier
from grammar.errors import CorpusError

__all__ = ["ClassScores", "Scores", "score"]

NEAR, LEVEL = 0.02, 0.05
"""A gain over the majority class that is less, or more probable by chance, is none."""


@dataclass(frozen=True)
class ClassScores:
    """Of one class: shares between 0 and 1, and how many examples it has.

    Attributes
    ----------
    name : str
        Of the class.
    precision, recall, f1 : float
        0 where nothing is named so, or there is no example.
    examples : int
        How many there are.
    """

    name: str
    precision: float
    recall: float
    f1: float
    examples: int


@dataclass(frozen=True)
class Scores:
    """Of a classifier on labelled examples.

    Attributes
    ----------
    examples : int
        How many.
    accuracy : float
        The share that is named right.
    macro_f1 : float
        The mean of the F1 of the classes that have examples.
    majority : float
        The share of the largest class: what a model that knows no text reaches.
    confusion : tuple of tuples of int
        How many examples of each class (rows) are named as each class (columns).
    classes : tuple of ClassScores
        One a class of the classifier.
    """

    examples: int
    accuracy: float
    macro_f1: float
    majority: float
    confusion: tuple[tuple[int, ...], ...]
    classes: tuple[ClassScores, ...]

    @property
    def warning(self) -> str | None:
        """What is to be said if it is hardly better than always naming the largest class."""
        from scipy.stats import binomtest

        right = round(self.accuracy * self.examples)
        chance = binomtest(right, self.examples, self.majority, alternative="greater").pvalue
        if self.accuracy - self.majority >= NEAR and chance < LEVEL:
            return None
        return (
            f"near the majority class: accuracy {self.accuracy:.4f}, and {self.majority:.4f} by "
            "always naming the largest class"
        )

    def to_dict(self) -> dict[str, Any]:
        """Return all of it as values of JSON."""
        each = {one.name: {"precision": one.precision, "recall": one.recall, "f1": one.f1,
                           "examples": one.examples} for one in self.classes}  # fmt: skip
        return {
            "examples": self.examples, "accuracy": self.accuracy, "macro F1": self.macro_f1,
            "majority class": self.majority, "warning": self.warning, "classes": each,
        }  # fmt: skip

    def __str__(self) -> str:
        width = max(5, *(len(one.name) for one in self.classes))
        lines = [
            f"accuracy {self.accuracy:.4f}, macro F1 {self.macro_f1:.4f}, "
            f"{self.examples:,} examples, majority class {self.majority:.4f}",
            *([f"warning: {self.warning}"] if self.warning else []),
            f"{'class':<{width}}  precision  recall      F1  examples",
        ]
        lines += [
            f"{one.name:<{width}}  {one.precision:>9.4f}  {one.recall:>6.4f}  {one.f1:>6.4f}  "
            f"{one.examples:>8,}"
            for one in self.classes
        ]
        return "\n".join(lines)


def score(model: Classifier, examples: Any) -> Scores:
    """Return how well a classifier names examples: those read, or labelled data of any kind.

    Raises
    ------
    CorpusError
        If there are no examples.

    Examples
    --------
    >>> from classifiers.examples import read_examples
    >>> from classifiers.training.frozen import train_tfidf
    >>> from induction import Corpus
    >>> corpus = Corpus.from_columns(text=["fine", "poor"] * 3, label=["good", "bad"] * 3)
    >>> few = read_examples(corpus)
    >>> print(score(train_tfidf(few), few))
    accuracy 1.0000, macro F1 1.0000, 6 examples, majority class 0.5000
    class  precision  recall      F1  examples
    bad       1.0000  1.0000  1.0000         3
    good      1.0000  1.0000  1.0000         3
    """
    from sklearn.metrics import confusion_matrix, precision_recall_fscore_support

    if not isinstance(examples, Examples):
        examples = read_examples(examples, classes=model.classes)
    if not len(examples):
        raise CorpusError("there are no examples to score", hint="give at least one")
    named = np.asarray(model.probabilities(list(examples.texts)).argmax(1))
    numbers = np.arange(len(model.classes))
    found = precision_recall_fscore_support(
        examples.hard, named, labels=numbers, average=None, zero_division=0.0
    )
    each = tuple(
        ClassScores(name, float(p), float(r), float(f), int(n))
        for name, p, r, f, n in zip(model.classes, *found, strict=True)
    )
    present = [one.f1 for one in each if one.examples]
    accuracy = float((named == examples.hard).mean())
    majority = float(np.bincount(examples.hard).max() / len(examples))
    confusion = tuple(
        tuple(row) for row in confusion_matrix(examples.hard, named, labels=numbers).tolist()
    )
    return Scores(len(examples), accuracy, float(np.mean(present)), majority, confusion, each)
