"""What every method has to beat: weights, shares and samples of the labelled examples alone."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from classifiers.examples import Examples
from classifiers.training.train import Classifier
from grammar.rng import stream_key

__all__ = ["AdjustedClassifier", "MeanClassifier", "adjusted", "undersampled"]

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


def adjusted(train: Train, examples: Examples) -> AdjustedClassifier:
    """Train, and divide by the shares of the classes.

    References
    ----------
    Menon et al. 2021, Long-tail learning via logit adjustment, equation 9 (post hoc, tau 1).
    """
    return AdjustedClassifier(train(examples), examples.shares.clip(min=1e-12))


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
