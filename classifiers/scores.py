"""How well a classifier names labelled examples: accuracy, F1 of each class and their mean."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from classifiers.examples import Examples, read_examples
from classifiers.training.train import Classifier
from grammar.errors import CorpusError

__all__ = ["ClassScores", "Scores", "score"]


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
    classes : tuple of ClassScores
        One a class of the classifier.
    """

    examples: int
    accuracy: float
    macro_f1: float
    classes: tuple[ClassScores, ...]

    def to_dict(self) -> dict[str, Any]:
        """Return all of it as values of JSON."""
        each = {one.name: {"precision": one.precision, "recall": one.recall, "f1": one.f1,
                           "examples": one.examples} for one in self.classes}  # fmt: skip
        return {
            "examples": self.examples, "accuracy": self.accuracy, "macro F1": self.macro_f1,
            "classes": each,
        }  # fmt: skip

    def __str__(self) -> str:
        width = max(5, *(len(one.name) for one in self.classes))
        lines = [
            f"accuracy {self.accuracy:.4f}, macro F1 {self.macro_f1:.4f}, "
            f"{self.examples:,} examples",
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
    >>> few = read_examples(Corpus.from_columns(text=["fine", "poor"], label=["good", "bad"]))
    >>> print(score(train_tfidf(few), few))
    accuracy 1.0000, macro F1 1.0000, 2 examples
    class  precision  recall      F1  examples
    bad       1.0000  1.0000  1.0000         1
    good      1.0000  1.0000  1.0000         1
    """
    from sklearn.metrics import precision_recall_fscore_support

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
    return Scores(len(examples), accuracy, float(np.mean(present)), each)
