"""How well a classifier names labelled examples: accuracy, F1 of each class and their mean.

Of sets of classes (multi-label), accuracy is subset accuracy: the share whose whole set is right.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from classifiers.examples import THRESHOLD, Examples, read_examples, refuse_multilabel
from classifiers.training.train import Classifier
from grammar.arrays import BoolArray, LongArray
from grammar.errors import CorpusError, OptionError

__all__ = ["ClassScores", "Scores", "members", "names_sets", "score"]

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
        The mean of the F1 of the classes that have examples; of sets of classes, of all classes.
    majority : float
        The share of the largest class, or of the most frequent set: what a model that knows no text
        reaches.
    confusion : tuple of tuples of int
        How many examples of each class (rows) are named as each class (columns); of sets of
        classes, empty.
    classes : tuple of ClassScores
        One a class of the classifier.
    micro_f1 : float or None
        Of sets of classes: the F1 of all decisions together. Else it is the accuracy, and None.

    Examples
    --------
    >>> from classifiers import read_config, read_examples, score, trainer
    >>> from induction import Corpus
    >>> corpus = Corpus.from_columns(text=["so good", "so bad"] * 4, label=["pos", "neg"] * 4)
    >>> model = trainer(read_config(encoder="tfidf"))(read_examples(corpus))
    >>> score(model, corpus).accuracy
    1.0
    """

    examples: int
    accuracy: float
    macro_f1: float
    majority: float
    confusion: tuple[tuple[int, ...], ...]
    classes: tuple[ClassScores, ...]
    micro_f1: float | None = None

    @property
    def figures(self) -> dict[str, float]:
        """The figures over all classes, by their names."""
        if self.micro_f1 is None:
            return {
                "accuracy": self.accuracy, "macro F1": self.macro_f1,
                "majority class": self.majority,
            }  # fmt: skip
        return {
            "subset accuracy": self.accuracy, "micro F1": self.micro_f1,
            "macro F1": self.macro_f1, "most frequent set": self.majority,
        }  # fmt: skip

    @property
    def warning(self) -> str | None:
        """What is to be said if it is hardly better than always naming the largest class."""
        from scipy.stats import binomtest

        right = round(self.accuracy * self.examples)
        chance = binomtest(right, self.examples, self.majority, alternative="greater").pvalue
        if self.accuracy - self.majority >= NEAR and chance < LEVEL:
            return None
        whole = self.micro_f1 is not None
        near, largest = ("most frequent set", "that set") if whole else (
            "majority class", "the largest class"
        )  # fmt: skip
        return (
            f"near the {near}: {'subset ' * whole}accuracy {self.accuracy:.4f}, and "
            f"{self.majority:.4f} by always naming {largest}"
        )

    def to_dict(self) -> dict[str, Any]:
        """Return all of it as values of JSON."""
        each = {one.name: {"precision": one.precision, "recall": one.recall, "f1": one.f1,
                           "examples": one.examples} for one in self.classes}  # fmt: skip
        return {
            "examples": self.examples, **self.figures, "warning": self.warning, "classes": each,
        }  # fmt: skip

    def __str__(self) -> str:
        width = max(5, *(len(one.name) for one in self.classes))
        *first, (last, share) = self.figures.items()
        told = "".join(f"{name} {value:.4f}, " for name, value in first)
        lines = [
            f"{told}{self.examples:,} examples, {last} {share:.4f}",
            *([f"warning: {self.warning}"] if self.warning else []),
            f"{'class':<{width}}  precision  recall      F1  examples",
        ]
        lines += [
            f"{one.name:<{width}}  {one.precision:>9.4f}  {one.recall:>6.4f}  {one.f1:>6.4f}  "
            f"{one.examples:>8,}"
            for one in self.classes
        ]
        return "\n".join(lines)


def members(
    told: NDArray[np.float64], *, threshold: float = THRESHOLD, at_least_one: bool = False
) -> BoolArray:
    """Return of which classes each text is, by their probabilities.

    Parameters
    ----------
    told : float64 array, shape (texts, classes)
        Probabilities.
    threshold : float
        From this one on, a text is of a class.
    at_least_one : bool
        Whether a text is of its most probable class where no other is probable enough.

    Examples
    --------
    >>> told = np.array([[0.9, 0.6], [0.2, 0.3]])
    >>> members(told).tolist(), members(told, at_least_one=True).tolist()
    ([[True, True], [False, False]], [[True, True], [False, True]])
    """
    if not 0 < threshold <= 1:
        raise OptionError(f"threshold={threshold!r} is no probability", hint="for example 0.5")
    made = np.asarray(told >= threshold)
    if at_least_one and made.size:
        empty = np.flatnonzero(~made.any(1))
        made[empty, told[empty].argmax(1)] = True
    return made


def names_sets(model: Any) -> bool:
    """Say whether a classifier names sets of classes, and not one class a text."""
    return bool(getattr(model, "multilabel", False))


def score(
    model: Classifier,
    examples: Any,
    *,
    threshold: float = THRESHOLD,
    at_least_one: bool = False,
) -> Scores:
    """Return how well a classifier names examples: those read, or labelled data of any kind.

    Parameters
    ----------
    model : Classifier
        What names them.
    examples : Examples, or data of any kind
        With labels.
    threshold, at_least_one
        Of a classifier that names sets of classes, as :func:`members` has them.

    Raises
    ------
    CorpusError
        If there are no examples, or they have sets of classes and the classifier names one class.

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
    if not isinstance(examples, Examples):
        examples = read_examples(examples, classes=model.classes)
    if not len(examples):
        raise CorpusError("there are no examples to score", hint="give at least one")
    told = model.probabilities(list(examples.texts))
    if names_sets(model):
        named = members(told, threshold=threshold, at_least_one=at_least_one)
        return _scores_of_sets(replace(examples, multilabel=True), named)
    refuse_multilabel(examples, "this classifier", "train it on labels that are sets of classes")
    return _scores_of_classes(examples, told.argmax(1))


def _scores_of_sets(examples: Examples, named: BoolArray) -> Scores:
    from sklearn.metrics import f1_score

    given = examples.labels > 0
    each = _each_class(examples.classes, given, named)
    macro = float(np.mean([one.f1 for one in each])) if each else 0.0
    micro = float(f1_score(given, named, average="micro", zero_division=0.0))
    accuracy = float((given == named).all(1).mean())
    majority = float(np.bincount(examples.strata).max() / len(examples))
    return Scores(len(examples), accuracy, macro, majority, (), each, micro)


def _each_class(classes: tuple[str, ...], given: Any, named: Any) -> tuple[ClassScores, ...]:
    from sklearn.metrics import precision_recall_fscore_support

    found = precision_recall_fscore_support(
        given, named, labels=np.arange(len(classes)), average=None, zero_division=0.0
    )
    return tuple(
        ClassScores(name, float(p), float(r), float(f), int(n))
        for name, p, r, f, n in zip(classes, *found, strict=True)
    )


def _scores_of_classes(examples: Examples, named: LongArray) -> Scores:
    from sklearn.metrics import confusion_matrix

    numbers = np.arange(len(examples.classes))
    each = _each_class(examples.classes, examples.hard, named)
    present = [one.f1 for one in each if one.examples]
    accuracy = float((named == examples.hard).mean())
    majority = float(np.bincount(examples.hard).max() / len(examples))
    confusion = tuple(
        tuple(row) for row in confusion_matrix(examples.hard, named, labels=numbers).tolist()
    )
    return Scores(len(examples), accuracy, float(np.mean(present)), majority, confusion, each)
