"""A perceptron on a learnt average of the layers of a frozen encoder, as Sub2's authors use it.

The pooled states of every layer are kept on the disk by encoder and text, so that a training is a
matter of seconds.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

from classifiers.config import TrainingConfig
from classifiers.encoders.cache import cached_vectors
from classifiers.encoders.encoding import Text
from classifiers.encoders.opening import Encoder
from classifiers.examples import Examples
from classifiers.networks.batches import Batches
from classifiers.networks.finetuning import key_of
from classifiers.networks.loop import Course
from classifiers.networks.losses import loss_of
from classifiers.networks.model import UNMIXED
from classifiers.networks.network import Network, fitted
from sampling.neural.threads import seeded

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
    config : TrainingConfig
        Of the loss; a contrast is one between the states of the hidden layer.
    """

    def __init__(self, layers: int, width: int, classes: int, config: TrainingConfig) -> None:
        super().__init__()
        self.body = LayerAverage(layers)
        self.dropout = nn.Dropout(DROPOUT)
        self.head = nn.Sequential(nn.Linear(width, HIDDEN), nn.ReLU(), nn.Linear(HIDDEN, classes))
        # not ``config``: the Trainer of transformers writes into an attribute of that name
        self.training_config = config

    def forward(
        self,
        states: Tensor,
        labels: Tensor | None = None,
        weights: Tensor | None = None,
        new: Tensor | None = None,
        **_: Any,
    ) -> dict[str, Tensor]:
        """Return the scores of the classes and, with labels, the loss."""
        hidden = self.head[:2](self.dropout(self.body(states)))
        logits: Tensor = self.head[2](hidden)
        if labels is None or weights is None or new is None:
            return {"logits": logits}
        loss = loss_of(self.training_config, logits, hidden, (labels, weights, new))
        return {"loss": loss, "logits": logits}


@dataclass(frozen=True, eq=False)
class _States:
    """The pooled states of texts, float32 of shape (texts, layers, width)."""

    rows: Tensor

    @property
    def sizes(self) -> list[int]:
        return [1] * len(self.rows)

    def batch(self, numbers: Sequence[int]) -> dict[str, Tensor]:
        return {"states": self.rows[list(numbers)]}


@dataclass(frozen=True, eq=False, kw_only=True)
class PerceptronClassifier(Network):
    """A perceptron on a frozen encoder.

    Attributes
    ----------
    encoder : Encoder
        What makes the states. They are on the main processor, whatever made them.
    """

    encoder: Encoder

    def read(self, texts: Sequence[Text]) -> _States:
        """Return the pooled states of all layers."""
        return _States(_states(self.encoder, texts, self.config))


def train_perceptron(
    encoder: Encoder,
    examples: Examples,
    config: TrainingConfig,
    *,
    held: Examples | None = None,
    checkpoint: Path | None = None,
    on_update: Callable[[int, float], None] | None = None,
) -> PerceptronClassifier:
    """Train a perceptron of two layers on a learnt average of all layers of a frozen encoder.

    Parameters
    ----------
    encoder, examples, config, held, checkpoint, on_update
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
    with seeded(config.seed, encoder.device):
        read = _States(_states(encoder, examples.texts, config))
        _, layers, width = read.rows.shape
        model = Perceptron(layers, width, len(examples.classes), config)
        blank = PerceptronClassifier(
            encoder=encoder, config=config, classes=examples.classes, model=model
        )
        key = key_of(encoder, config, UNMIXED, [examples, held]) if checkpoint else ""
        course = Course(checkpoint=checkpoint, key=key, on_update=on_update)
        batches = Batches(read, examples, config, mixing=UNMIXED, depth=encoder.depth)
        return fitted(blank, batches, course, held)


def _states(encoder: Encoder, texts: Sequence[Any], config: TrainingConfig) -> Tensor:
    """Return the pooled states of texts, float32 of shape (texts, layers, width)."""
    layers = encoder.depth + 1
    rows = cached_vectors(
        encoder, list(texts), pooling=config.pooled, max_length=config.max_length, every_layer=True
    )
    return torch.from_numpy(rows.reshape(len(texts), layers, -1))
