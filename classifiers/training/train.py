"""One door to all classifiers: the recipe says which is trained."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from classifiers.encoders.opening import Encoder, open_encoder
from classifiers.training.examples import Examples
from classifiers.training.finetuning import fine_tune
from classifiers.training.frozen import train_frozen, train_tfidf
from classifiers.training.recipe import TFIDF, Recipe
from grammar.errors import CorpusError

__all__ = ["Classifier", "trainer"]


class Classifier(Protocol):
    """What training returns."""

    @property
    def classes(self) -> tuple[str, ...]:
        """The names of the classes."""
        ...

    def probabilities(self, texts: Sequence[str | tuple[str, str]]) -> NDArray[np.float64]:
        """Return the probability of every class, of shape (texts, classes)."""
        ...


def trainer(recipe: Recipe) -> Callable[[Examples], Classifier]:
    """Return what trains a classifier by a recipe; its encoder is opened once.

    Raises
    ------
    MissingDataError
        If the encoder, or a library, is not there.

    Examples
    --------
    >>> from classifiers.training.examples import read_examples
    >>> from induction import Corpus
    >>> few = read_examples(Corpus.from_columns(text=["good", "bad"], label=["pos", "neg"]))
    >>> trainer(Recipe(encoder="tfidf"))(few).probabilities(["bad"]).argmax(1)
    array([0])
    """
    if recipe.encoder == TFIDF:
        return lambda examples: train_tfidf(_checked(examples), recipe.strength)
    encoder = open_encoder(recipe.encoder, device=recipe.device)
    return lambda examples: _train(encoder, _checked(examples), recipe)


def _train(encoder: Encoder, examples: Examples, recipe: Recipe) -> Classifier:
    if recipe.train == "frozen":
        return train_frozen(encoder, examples, recipe)
    return fine_tune(encoder, examples, recipe)


def _checked(examples: Examples) -> Examples:
    """Refuse what cannot be learnt: nothing, or one class."""
    present = examples.labels[examples.weights > 0].sum(0) > 0
    if not present.any():
        raise CorpusError("there are no examples to learn from", hint="give some of every class")
    if present.sum() < 2:
        name = examples.classes[int(np.flatnonzero(present)[0])]
        raise CorpusError(
            f"all examples are of the class {name!r}", hint="give some of every class"
        )
    return examples
