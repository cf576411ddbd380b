"""What all heads on encoders have in common: views of a word's states, loss and answers."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any

import torch
from torch import Tensor, nn

from classifiers.networks.perceptron import LayerAverage
from classifiers.structured.config import StructuredConfig

__all__ = ["Names", "StructuredNetwork", "View", "inner", "numbers_of", "perceptron"]

Names = Mapping[str, Sequence[Any]]
"""What a network can say: lists of names, by what they are names of."""


class View(nn.Module):
    """A learnt average of the layers of words, with dropout."""

    def __init__(self, layers: int, config: StructuredConfig) -> None:
        super().__init__()
        self.average = LayerAverage(layers)
        self.dropout = nn.Dropout(config.dropout)

    def forward(self, states: Tensor) -> Tensor:
        """Return one vector a word, of shape (words, width)."""
        vectors: Tensor = self.dropout(self.average(states))
        return vectors


def perceptron(width: int, config: StructuredConfig, outputs: int) -> nn.Sequential:
    """Return a perceptron of two layers."""
    return nn.Sequential(
        nn.Linear(width, config.hidden), nn.ReLU(), nn.Linear(config.hidden, outputs)
    )


def numbers_of(names: Sequence[Any]) -> dict[Any, int]:
    """Return the number of each name."""
    return {name: number for number, name in enumerate(names)}


class StructuredNetwork(nn.Module, ABC):
    """A head on the states of words.

    Attributes
    ----------
    names : mapping of str to sequence
        What it can say.
    head : ModuleDict
        All of it that learns; ``body`` is empty, for the encoder is not in it.
    """

    def __init__(self, names: Names, layers: int, width: int, config: StructuredConfig) -> None:
        super().__init__()
        # not ``config``: the Trainer of transformers writes into an attribute of that name
        self.names, self.layers, self.width, self.training_config = names, layers, width, config
        self.body = nn.ModuleDict()
        self.head = nn.ModuleDict()

    @staticmethod
    @abstractmethod
    def names_of(gold: Sequence[Any]) -> Names:
        """Return the names that right answers have."""

    @abstractmethod
    def targets(self, gold: Any) -> dict[str, Tensor]:
        """Return a right answer as numbers."""

    @abstractmethod
    def scores(self, states: Tensor, sizes: Sequence[int]) -> list[Any]:
        """Return what is said of each sentence.

        Parameters
        ----------
        states : float32 Tensor, shape (sum of sizes + 2 a sentence, layers, width)
            Of all words, and what stands before and behind each sentence.
        sizes : sequence of int
            How many words each sentence has.
        """

    @abstractmethod
    def loss_of(self, scores: Any, targets: Mapping[str, Tensor]) -> Tensor:
        """Return the loss of one sentence."""

    @abstractmethod
    def answer(self, scores: Any) -> Any:
        """Return the best answer for one sentence."""

    def forward(
        self, states: Tensor, sizes: Sequence[int], gold: Sequence[Mapping[str, Tensor]], **_: Any
    ) -> dict[str, Tensor]:
        """Return the mean loss of sentences."""
        made = self.scores(states.float(), sizes)
        losses = [self.loss_of(*each) for each in zip(made, gold, strict=True)]
        return {"loss": torch.stack(losses).mean()}

    def answers(self, rows: Sequence[Tensor]) -> list[Any]:
        """Return the best answers for the states of some sentences."""
        with torch.inference_mode():
            sizes = [len(row) - 2 for row in rows]
            return [self.answer(each) for each in self.scores(torch.cat(list(rows)).float(), sizes)]


def inner(vectors: Tensor, sizes: Sequence[int]) -> list[Tensor]:
    """Return the vectors of the words of each sentence, without those around them."""
    return [part[1:-1] for part in torch.split(vectors, [size + 2 for size in sizes])]
