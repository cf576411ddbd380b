"""What a classifier learns from: texts, labels as distributions, weights, and which are new."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from grammar.arrays import BoolArray, LongArray
from grammar.errors import CorpusError, OptionError
from induction.corpus.corpus import Corpus
from induction.corpus.formats import read_corpus
from sampling.examples.class_names import class_names, label_kind, number_classes
from sampling.examples.labels import has_sets, read_labels

__all__ = [
    "LEAST",
    "THRESHOLD",
    "Examples",
    "balanced",
    "read_examples",
    "refuse_multilabel",
    "texts_of",
]

THRESHOLD = 0.5
"""From this probability on, a text is of a class."""
LEAST = 1e-9
"""A label is never held less probable than this, so that one text cannot decide all."""


@dataclass(frozen=True, eq=False)
class Examples:
    """Examples of a classification task.

    Attributes
    ----------
    texts : tuple of str, or of (str, str)
        Texts, or pairs of texts.
    labels : float32 array, shape (examples, classes)
        A distribution each; or, of sets of classes, 1 for each class of the set.
    weights : float32 array, shape (examples,)
        How much each counts in the loss.
    new : bool array, shape (examples,)
        Which were made by augmentation.
    classes : tuple of str
        What the classes are called.
    weighed : bool
        Whether it was said what new examples weigh together. Then they do so in every training;
        else their share of a batch decides it where learning is in batches, whatever their number.
    multilabel : bool
        Whether an example is of any number of classes.

    Examples
    --------
    >>> from classifiers import read_examples
    >>> from induction import Corpus
    >>> examples = read_examples(Corpus.from_columns(text=["good", "bad"], label=["pos", "neg"]))
    >>> examples.classes, examples.labels.shape
    (('neg', 'pos'), (2, 2))
    """

    texts: tuple[str | tuple[str, str], ...]
    labels: NDArray[np.float32]
    weights: NDArray[np.float32]
    new: BoolArray
    classes: tuple[str, ...]
    weighed: bool = False
    multilabel: bool = False

    def __len__(self) -> int:
        return len(self.texts)

    def __repr__(self) -> str:
        made = int(self.new.sum())
        return f"Examples({len(self)} of {len(self.classes)} classes, {made} of them new)"

    @property
    def hard(self) -> LongArray:
        """The most probable class of each."""
        return np.asarray(self.labels.argmax(1), np.int64)

    @property
    def sizes(self) -> LongArray:
        """How many examples each class has."""
        if self.multilabel:
            return np.asarray((self.labels > 0).sum(0), np.int64)
        return np.asarray(np.bincount(self.hard, minlength=len(self.classes)), np.int64)

    @property
    def strata(self) -> LongArray:
        """The most probable class of each; of sets of classes, the number of the set."""
        if not self.multilabel:
            return self.hard
        return np.asarray(np.unique(self.labels, axis=0, return_inverse=True)[1].ravel(), np.int64)

    def right(self, told: NDArray[np.float64]) -> BoolArray:
        """Say which examples are named right: by their most probable class, or by their whole set.

        Parameters
        ----------
        told : float64 array, shape (..., examples, classes)
            Probabilities of classes. A class of a set is named from one half on.
        """
        if self.multilabel:
            return np.asarray(((told >= THRESHOLD) == (self.labels > 0)).all(-1))
        return np.asarray(told.argmax(-1) == self.hard)

    def nats(self, told: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the log-probability of each label (of every decision, of sets of classes)."""
        if self.multilabel:
            apart = np.where(self.labels > 0, told, 1 - told)
            return np.asarray(np.log(np.maximum(apart, LEAST)).sum(-1))
        return np.log(np.maximum(told[..., np.arange(len(self)), self.hard], LEAST))

    @property
    def shares(self) -> NDArray[np.float64]:
        """The share of each class, by weight."""
        mass = (self.labels * self.weights[:, None]).sum(0)
        return np.asarray(mass / mass.sum(), np.float64)

    def take(self, rows: Sequence[int] | LongArray) -> Examples:
        """Return some of the examples."""
        chosen = np.asarray(rows, np.int64)
        return replace(
            self,
            texts=tuple(self.texts[i] for i in chosen.tolist()),
            labels=self.labels[chosen],
            weights=self.weights[chosen],
            new=self.new[chosen],
        )

    def with_new(self, made: Examples, weight: float | None = None) -> Examples:
        """Return these with new examples behind them.

        Parameters
        ----------
        made : Examples
            Of the same classes.
        weight : float, optional
            What all new examples weigh together, relative to all of these; else each keeps its own.

        Raises
        ------
        OptionError
            If the classes differ, or the weight is negative.

        Examples
        --------
        >>> few = read_examples(Corpus.from_columns(text=["good", "bad"], label=["pos", "neg"]))
        >>> more = few.with_new(few, weight=0.5)
        >>> more.weights.tolist(), more.new.tolist()
        ([1.0, 1.0, 0.5, 0.5], [False, False, True, True])
        """
        if made.multilabel != self.multilabel:
            kinds = ("are of one class each", "have sets of classes")
            raise OptionError(
                f"the new examples {kinds[made.multilabel]}, and the given ones "
                f"{kinds[self.multilabel]}",
                hint="make new ones from these",
            )
        if made.classes != self.classes:
            raise OptionError(
                f"the new examples have the classes {', '.join(made.classes)}, not "
                f"{', '.join(self.classes)}",
                hint="read both with the same classes",
            )
        weights = made.weights
        if weight is not None:
            if not weight >= 0:
                raise OptionError(f"weight={weight!r} is negative", hint="use 0 to leave them out")
            share = weight * self.weights.sum() / max(float(weights.sum()), 1e-12)
            weights = (weights * share).astype(np.float32)
        return Examples(
            self.texts + made.texts,
            np.concatenate((self.labels, made.labels)),
            np.concatenate((self.weights, weights)),
            np.concatenate((self.new, np.ones(len(made), np.bool_))),
            self.classes,
            weight is not None,
            self.multilabel,
        )


def balanced(examples: Examples) -> Examples:
    """Return examples with weights by which all classes count alike: reweighting.

    Examples
    --------
    >>> corpus = Corpus.from_columns(text=["a", "b", "c"], label=["x", "x", "y"])
    >>> balanced(read_examples(corpus)).weights.tolist()
    [0.75, 0.75, 1.5]
    """
    shares = examples.shares
    each = np.divide(1.0, len(shares) * shares, out=np.zeros_like(shares), where=shares > 0)
    weights = examples.weights * (examples.labels * each).sum(1)
    return replace(examples, weights=weights.astype(np.float32))


def read_examples(corpus: Any, *, classes: Sequence[str] | None = None) -> Examples:
    """Return the examples of a corpus.

    Parameters
    ----------
    corpus : Corpus, or data of any kind
        A file, a frame, a data set, a list (:func:`~induction.corpus.formats.read_corpus`), with
        ``label``: class names, whole numbers from zero on, distributions (what they are over,
        ``corpus.classes`` may say), or sets of class names (multi-label); ``text_pair``, if there
        is one, makes pairs. Those with provenance count as new.
    classes : sequence of str, optional
        The names of the classes, in order, where others are needed than the corpus has. Labels
        that are numbers, and no names, are taken as places among them, with a warning.

    Raises
    ------
    CorpusError
        If there is no label, one is missing, or is none of the classes.

    Examples
    --------
    >>> examples = read_examples(Corpus.from_columns(text=["a", "b"], label=[1, 0]))
    >>> examples.classes, examples.hard.tolist()
    (('0', '1'), [1, 0])
    """
    corpus = read_corpus(corpus)
    if has_sets(corpus):
        return _with_sets(corpus, classes)
    names = class_names(corpus)
    if not names and _numbers_are_names(corpus, classes or ()):  # 0 and 1 beside classes 1 to 5
        names = tuple(map(str, sorted({*corpus.column("label")} - {None})))
    if names and classes is not None:
        strange = sorted(set(names) - set(classes))
        if strange:
            raise _strange(strange[0], classes)
    known = tuple((names or corpus.classes) if classes is None else classes)
    if not names and classes and _numbers_are_places(corpus, classes):
        told = ", ".join(f"{number} for {name}" for number, name in enumerate(classes))
        warnings.warn(f"the labels are numbers, taken as places of classes: {told}", stacklevel=2)
    numbered = number_classes(corpus, known) if names else corpus
    labels = read_labels(numbered, classes=len(known) or None)
    if known and labels.classes != len(known):
        raise CorpusError(
            f"the labels are distributions over {labels.classes} classes, not {len(known)}",
            hint="give every class its share",
        )
    rows = labels.distributions(slice(None)).astype(np.float32)
    return Examples(
        texts_of(corpus), rows, np.ones(len(rows), np.float32), _are_new(corpus),
        known or tuple(str(c) for c in range(labels.classes)),
    )  # fmt: skip


def _with_sets(corpus: Corpus, classes: Sequence[str] | None) -> Examples:
    """Return examples whose labels are sets of classes."""
    labels = read_labels(corpus)
    found = sorted({name for names in labels.sets or () for name in names})
    known = tuple(found if classes is None else classes)
    for name in found:
        if name not in known:
            raise _strange(name, known)
    rows = labels.members(known).astype(np.float32)
    weights = np.ones(len(rows), np.float32)
    return Examples(
        texts_of(corpus), rows, weights, _are_new(corpus), known, multilabel=True
    )  # fmt: skip


def _strange(name: str, classes: Sequence[str]) -> CorpusError:
    """Return the error of a class that is none of others; one may be the same, written otherwise.

    >>> print(_strange("1.0", ["0", "1"]))
    the class '1.0' is none of 0, 1
      hint: write '1' for it, as in training
    """
    alike = [one for one in classes if _plain(one) == _plain(name)]
    return CorpusError(
        f"the class {name!r} is none of {', '.join(classes)}",
        hint=f"write {alike[0]!r} for it, as in training"
        if len(alike) == 1
        else "train on examples of every class",
    )


def _plain(name: str) -> str:
    return name.strip().casefold().removesuffix(".0")


def _are_new(corpus: Corpus) -> BoolArray:
    if "provenance" not in corpus.names:
        return np.zeros(len(corpus), np.bool_)
    return np.asarray(corpus.arrow("provenance").is_valid().to_numpy(), np.bool_)


def refuse_multilabel(examples: Examples, what: str, hint: str) -> None:
    """Refuse examples with sets of classes, for what needs one class a text (CorpusError)."""
    if examples.multilabel:
        raise CorpusError(
            f"the labels are sets of classes (multi-label), and {what} needs one class a text",
            hint=hint,
        )


def _numbers_are_names(corpus: Corpus, classes: Sequence[str]) -> bool:
    """Say whether labels are whole numbers, and so are the classes, but not those from 0 on.

    Numbers of a corpus that was numbered already are the places of its classes.
    """
    numbered = corpus.classes or label_kind(corpus) != "int64"
    counted = tuple(classes) == tuple(map(str, range(len(classes))))
    return not numbered and not counted and all(map(str.isdecimal, classes))


def _numbers_are_places(corpus: Corpus, classes: Sequence[str]) -> bool:
    """Say whether labels are whole numbers of which nobody said that they are those of classes."""
    counted = tuple(classes) == tuple(map(str, range(len(classes))))
    return not corpus.classes and not counted and label_kind(corpus) == "int64"


def texts_of(corpus: Corpus) -> tuple[str | tuple[str, str], ...]:
    """Return the texts of a corpus, or its pairs if it has ``text_pair`` (raises CorpusError)."""
    texts = corpus.complete("text")
    if "text_pair" not in corpus.names:
        return tuple(texts)
    return tuple(zip(texts, corpus.complete("text_pair"), strict=True))
