"""A perceptron on a learnt average of the layers of a frozen encoder, as Sub2's authors use it.

The pooled states of every layer are kept on the disk by encoder and text, so that a training is a
matter of seconds.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from classifiers.encoders.cache import cached_vectors
from classifiers.encoders.opening import Encoder
from classifiers.examples import Examples
from classifiers.networks.finetuning import Batches, judged
from classifiers.networks.loop import Course, StoppedTrainingError, learn
from classifiers.networks.losses import merged, soft_cross_entropy
from classifiers.networks.model import UNMIXED
from classifiers.recipe import Recipe
from grammar.rng import stream_key

__all__ = ["Perceptron", "PerceptronClassifier", "train_perceptron"]

HIDDEN = 256
DROPOUT = 0.2


class LayerAverage(nn.Module):
    """The average of the states of all layers, with shares that are learnt and sum to 1."""

    def __init__(self, layers: int) -> None:
        super().__init__()
        self.scores = nn.Parameter(torch.zeros(layers))

    def forward(self, states: Tensor) -> Tensor:
        """Return the average over the second axis, of shape (texts, width)."""
        average: Tensor = torch.einsum("l,tlw->tw", self.scores.softmax(0), states)
        return average


class Perceptron(nn.Module):
    """An average of layers, and two layers of weights on it.

    Parameters
    ----------
    layers, width, classes : int
        Of the states: how many layers, embeddings among them, and how many numbers each; and how
        many classes.
    gamma : float or None
        Of the merged loss (see :class:`~classifiers.recipe.Recipe`).
    """

    def __init__(self, layers: int, width: int, classes: int, gamma: float | None = None) -> None:
        super().__init__()
        self.body = LayerAverage(layers)
        self.dropout = nn.Dropout(DROPOUT)
        self.head = nn.Sequential(nn.Linear(width, HIDDEN), nn.ReLU(), nn.Linear(HIDDEN, classes))
        self.gamma = gamma

    def forward(
        self,
        states: Tensor,
        labels: Tensor | None = None,
        weights: Tensor | None = None,
        new: Tensor | None = None,
        **_: Any,
    ) -> dict[str, Tensor]:
        """Return the scores of the classes and, with labels, the loss."""
        logits: Tensor = self.head(self.dropout(self.body(states)))
        if labels is None:
            return {"logits": logits}
        if self.gamma is None:
            return {"loss": soft_cross_entropy(logits, labels, weights), "logits": logits}
        assert new is not None
        return {"loss": merged(logits, labels, new, self.gamma), "logits": logits}


@dataclass(frozen=True, eq=False)
class _States:
    """The states of texts, as :class:`~classifiers.networks.finetuning.Batches` reads them."""

    rows: Tensor

    def batch(self, numbers: Sequence[int]) -> dict[str, Tensor]:
        return {"states": self.rows[list(numbers)]}


@dataclass(frozen=True, eq=False)
class PerceptronClassifier:
    """A perceptron on a frozen encoder.

    Attributes
    ----------
    encoder : Encoder
        What makes the states.
    recipe : Recipe
        How it was trained.
    classes : tuple of str
        What the classes are called.
    model : Perceptron
        The weights.
    losses : tuple of float
        Of every update.
    chosen : int
        After how many updates the weights were taken.
    """

    encoder: Encoder
    recipe: Recipe
    classes: tuple[str, ...]
    model: Perceptron
    losses: tuple[float, ...] = ()
    chosen: int = 0

    def probabilities(self, texts: Any) -> NDArray[np.float64]:
        """Return the probability of every class, float64 of shape (texts, classes)."""
        self.model.eval()
        return self._named(_states(self.encoder, texts, self.recipe))

    def passes(self, texts: Any, count: int, seed: int) -> NDArray[np.float64]:
        """Return what it says with dropout, float64 of shape (passes, texts, classes)."""
        states = _states(self.encoder, texts, self.recipe)
        made = np.zeros((count, len(states), len(self.classes)))
        self.model.train()
        with torch.random.fork_rng([]):
            for number in range(count):
                torch.manual_seed(int(stream_key(seed, f"dropout {number}")) >> 1)
                made[number] = self._named(states)
        self.model.eval()
        return made

    def _named(self, states: Tensor) -> NDArray[np.float64]:
        with torch.inference_mode():
            shares = self.model(states)["logits"].softmax(1).double()
        return np.asarray(shares.numpy())


def train_perceptron(
    encoder: Encoder,
    examples: Examples,
    recipe: Recipe,
    *,
    held: Examples | None = None,
    on_update: Callable[[int, float], None] | None = None,
) -> PerceptronClassifier:
    """Train a perceptron of two layers on a learnt average of all layers of a frozen encoder.

    Parameters
    ----------
    encoder, examples, recipe, held, on_update
        As :func:`~classifiers.networks.finetuning.fine_tune` has them.

    Returns
    -------
    PerceptronClassifier
        The same on one machine whenever it is called with the same arguments.

    Raises
    ------
    StoppedTrainingError, TrainingError
        If the loss is no number any more, or never was one.

    References
    ----------
    Shi et al. 2021 (Sub2), section 4.1: a perceptron of two layers, on contextual embeddings
    averaged over the layers with learnt weights, with a dropout of .2; for whole texts on the ends
    (``pooling="ends"``). The size of its hidden layer, which they vary, is 256 here.
    """
    torch.manual_seed(recipe.seed)
    states = _states(encoder, examples.texts, recipe)
    _, layers, width = states.shape
    model = Perceptron(layers, width, len(examples.classes), recipe.gamma)
    blank = PerceptronClassifier(encoder, recipe, examples.classes, model)
    course = Course(on_update=on_update)
    if held is not None:
        course = replace(course, judge=lambda: judged(blank.probabilities(held.texts), held))
    batches = Batches(_States(states), examples, recipe, mixing=UNMIXED, depth=encoder.depth)
    try:
        # states are on the main processor, whatever made them
        losses, chosen = learn(model, batches, recipe, torch.device("cpu"), course)
    except StoppedTrainingError as error:
        error.model = replace(blank, chosen=error.update)
        raise
    return replace(blank, losses=tuple(losses), chosen=chosen)


def _states(encoder: Encoder, texts: Sequence[Any], recipe: Recipe) -> Tensor:
    """Return the pooled states of texts, float32 of shape (texts, layers, width)."""
    layers = encoder.depth + 1
    rows = cached_vectors(
        encoder, list(texts), pooling=recipe.pooling, longest=recipe.longest, every_layer=True
    )
    return torch.from_numpy(rows.reshape(len(texts), layers, -1))
