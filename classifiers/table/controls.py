"""What every method has to beat: weights, shares and samples of the labelled examples alone."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from classifiers.examples import Examples
from classifiers.training.train import Classifier
from grammar.rng import stream_key

__all__ = ["AdjustedClassifier", "MeanClassifier", "adjusted", "balanced", "undersampled"]

Train = Callable[[Examples], Classifier]
MODELS = 10
"""So many undersampled models are averaged."""


@dataclass(frozen=True, eq=False)
class AdjustedClassifier:
    """A classifier whose probabilities are divided by the shares of the classes in training."""

    model: Classifier
    shares: NDArray[np.float64]

    @property
    def classes(self) -> tuple[str, ...]:
        """The names of the classes."""
        return self.model.classes

    def probabilities(self, texts: Sequence[Any]) -> NDArray[np.float64]:
        """Return the probability of every class, float64 of shape (texts, classes)."""
        odds = self.model.probabilities(texts) / self.shares
        return np.asarray(odds / odds.sum(1, keepdims=True).clip(min=1e-300), np.float64)


@dataclass(frozen=True, eq=False)
class MeanClassifier:
    """The mean of the probabilities of classifiers."""

    models: tuple[Classifier, ...]

    @property
    def classes(self) -> tuple[str, ...]:
        """The names of the classes."""
        return self.models[0].classes

    def probabilities(self, texts: Sequence[Any]) -> NDArray[np.float64]:
        """Return the probability of every class, float64 of shape (texts, classes)."""
        return np.asarray(np.mean([m.probabilities(texts) for m in self.models], axis=0))


def balanced(examples: Examples) -> Examples:
    """Return examples with weights by which all classes count alike: reweighting.

    Examples
    --------
    >>> from classifiers.examples import read_examples
    >>> from induction import Corpus
    >>> corpus = Corpus.from_columns(text=["a", "b", "c"], label=["x", "x", "y"])
    >>> balanced(read_examples(corpus)).weights.tolist()
    [0.75, 0.75, 1.5]
    """
    shares = _shares(examples)
    each = np.divide(1.0, len(shares) * shares, out=np.zeros_like(shares), where=shares > 0)
    weights = examples.weights * (examples.labels * each).sum(1)
    return replace(examples, weights=weights.astype(np.float32))


def adjusted(train: Train, examples: Examples) -> AdjustedClassifier:
    """Train, and divide by the shares of the classes.

    References
    ----------
    Menon et al. 2021, Long-tail learning via logit adjustment, equation 9 (post hoc, tau 1).
    """
    return AdjustedClassifier(train(examples), _shares(examples).clip(min=1e-12))


def undersampled(train: Train, examples: Examples, seed: int) -> MeanClassifier:
    """Train models, each on as many examples of every class as the rarest has, and average them.

    References
    ----------
    Liu, Wu & Zhou 2009, Exploratory undersampling (EasyEnsemble without boosting).
    """
    hard = examples.hard
    fewest = int(np.bincount(hard)[np.unique(hard)].min())
    draw = np.random.Generator(np.random.Philox(key=int(stream_key(seed, "undersampled"))))
    models = []
    for _ in range(MODELS):
        rows = [draw.choice(np.flatnonzero(hard == c), fewest, False) for c in np.unique(hard)]
        models.append(train(examples.take(np.concatenate(rows))))
    return MeanClassifier(tuple(models))


def _shares(examples: Examples) -> NDArray[np.float64]:
    mass = (examples.labels * examples.weights[:, None]).sum(0)
    return np.asarray(mass / mass.sum(), np.float64)
