"""A classifier on an encoder: which of its layers learn, and the head on top."""

from __future__ import annotations

import copy
from typing import Any

import torch
from torch import Tensor, nn

from classifiers.encoders.encoding import mean_of_pieces
from classifiers.encoders.opening import Encoder
from classifiers.training.losses import merged, soft_cross_entropy, supervised_contrast
from classifiers.training.recipe import Recipe

__all__ = ["TextModel", "lowest_trained"]


def lowest_trained(encoder: Encoder, recipe: Recipe) -> int:
    """Return how many layers from below stay as they are."""
    return encoder.depth // 2 if recipe.train == "upper" else 0


class TextModel(nn.Module):
    """An encoder, or the upper half of one, and a linear head that starts at zero.

    Parameters
    ----------
    encoder : Encoder
        Its weights are copied.
    recipe : Recipe
        What learns and how; ``upper`` reads the states of the lower half in place of pieces.
    classes : int
        How many.
    """

    def __init__(self, encoder: Encoder, recipe: Recipe, classes: int) -> None:
        super().__init__()
        self.recipe = recipe
        self.frozen_layers = lowest_trained(encoder, recipe)
        if self.frozen_layers:
            self.body: Any = copy.deepcopy(encoder.model.encoder)
            self.body.layer = self.body.layer[self.frozen_layers :]
        else:
            self.body = copy.deepcopy(encoder.model)
        self.body.requires_grad_(True)
        width = encoder.width * (2 if recipe.pooling == "ends" else 1)
        self.dropout = nn.Dropout(0.1)
        self.head = nn.Linear(width, classes)
        nn.init.zeros_(self.head.weight)
        nn.init.zeros_(self.head.bias)

    def vectors(self, **inputs: Tensor) -> Tensor:
        """Return the pooled state of each text."""
        mask = inputs["attention_mask"]
        if self.frozen_layers:
            states = inputs["states"]
            far = torch.finfo(states.dtype).min
            allowed = (1 - mask[:, None, None, :].to(states.dtype)) * far
            output = self.body(states, attention_mask=allowed)
        else:
            output = self.body(**inputs)
        states = output.last_hidden_state
        return mean_of_pieces(states, mask) if self.recipe.pooling == "mean" else states[:, 0]

    def forward(
        self,
        labels: Tensor | None = None,
        weights: Tensor | None = None,
        new: Tensor | None = None,
        **inputs: Tensor,
    ) -> dict[str, Tensor]:
        """Return the scores of the classes and, with labels, the loss of the recipe."""
        vectors = self.vectors(**inputs)
        logits = self.head(self.dropout(vectors).float())
        if labels is None:
            return {"logits": logits}
        assert new is not None
        recipe = self.recipe
        if recipe.gamma is None:
            loss = soft_cross_entropy(logits, labels, weights)
        else:
            loss = merged(logits, labels, new, recipe.gamma)
        if recipe.contrast:
            loss = loss + recipe.contrast * supervised_contrast(vectors, labels.argmax(1))
        return {"loss": loss, "logits": logits}
