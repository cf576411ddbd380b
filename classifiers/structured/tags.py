"""A tagger on an encoder: a perceptron on each word."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import torch
from torch import Tensor
from torch.nn.functional import cross_entropy

from classifiers.structured.config import StructuredConfig
from classifiers.structured.network import (
    Names,
    StructuredNetwork,
    View,
    inner,
    numbers_of,
    perceptron,
)

__all__ = ["TagNetwork"]

Tags = tuple[str, ...]


class TagNetwork(StructuredNetwork):
    """Scores of the tags of words (Shi et al. 2021, section 4.1)."""

    def __init__(self, names: Names, layers: int, width: int, config: StructuredConfig) -> None:
        super().__init__(names, layers, width, config)
        self.tags = numbers_of(names["tags"])
        self.head["words"] = View(layers, config)
        self.head["tags"] = perceptron(width, config, len(names["tags"]))

    @staticmethod
    def names_of(gold: Sequence[Tags]) -> Names:
        """Return the tags of sentences."""
        return {"tags": sorted({tag for tags in gold for tag in tags})}

    def targets(self, gold: Tags) -> dict[str, Tensor]:
        """Return the number of the tag of every word."""
        return {"tags": torch.tensor([self.tags[tag] for tag in gold])}

    def scores(self, states: Tensor, sizes: Sequence[int]) -> list[Tensor]:
        """Return the scores of tags, of shape (words, tags) a sentence."""
        return inner(self.head["tags"](self.head["words"](states)), sizes)

    def loss_of(self, scores: Tensor, targets: Mapping[str, Tensor]) -> Tensor:
        """Return the mean cross-entropy of the words of a sentence."""
        return cross_entropy(scores, targets["tags"])

    def answer(self, scores: Tensor) -> Tags:
        """Return the best tag of each word."""
        return tuple(self.names["tags"][tag] for tag in scores.argmax(1).tolist())
