"""A classifier on an encoder: which of its layers learn, where examples are mixed, the head."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from contextlib import nullcontext
from typing import Any

import torch
from torch import Tensor, nn

from classifiers.config import TrainingConfig
from classifiers.encoders.encoding import pool
from classifiers.encoders.opening import Encoder
from classifiers.mixing.draws import Mixture, mixed_rows
from classifiers.mixing.hidden import mixed_states, mixed_weights, mixing_at
from classifiers.mixing.options import SPANS, Mixing
from classifiers.mixing.spans import exchanged, saliency
from classifiers.networks.losses import loss_of

__all__ = ["TextModel", "lowest_trained"]

UNMIXED = Mixing()


def lowest_trained(encoder: Encoder, config: TrainingConfig) -> int:
    """Return how many layers from below stay as they are."""
    return encoder.depth // 2 if config.train == "top_layers" else 0


class TextModel(nn.Module):
    """An encoder, or the upper half of one, and a linear head that starts at zero.

    Parameters
    ----------
    encoder : Encoder
        Its weights are copied.
    config : TrainingConfig
        What learns and how; ``upper`` reads the states of the lower half in place of pieces.
    classes : int
        How many.
    mixing : Mixing
        Where examples are mixed when it learns.

    Raises
    ------
    OptionError
        If the layers cannot be run in parts, and that is needed; or if examples are to be mixed
        where nothing learns.
    """

    def __init__(
        self, encoder: Encoder, config: TrainingConfig, classes: int, mixing: Mixing = UNMIXED
    ) -> None:
        super().__init__()
        # not ``config``: the Trainer of transformers writes into an attribute of that name
        self.training_config = config
        self.mixing = mixing
        self.depth = encoder.depth
        self.frozen_layers = lowest_trained(encoder, config)
        mixing.check(self.depth, self.frozen_layers)
        if mixing.used:
            encoder.stack  # noqa: B018 - refuses encoders that cannot be run in parts
        if self.frozen_layers:
            self.body: Any = copy.deepcopy(encoder.model.encoder)
            self.body.layer = self.body.layer[self.frozen_layers :]
        else:
            self.body = copy.deepcopy(encoder.model)
        self.body.requires_grad_(True)
        width = encoder.width * (2 if config.pooled == "ends" else 1)
        self.dropout = nn.Dropout(0.1)
        self.head = nn.Linear(width, classes)
        nn.init.zeros_(self.head.weight)
        nn.init.zeros_(self.head.bias)
        self.marks = _marks(encoder.tokenizer)

    def vectors(self, inputs: Mapping[str, Tensor], mixture: Mixture | None = None) -> Tensor:
        """Return the pooled state of each text, or of each mixture of two."""
        mask = inputs["attention_mask"]
        if mixture is None:
            return pool(self._states(inputs), mask, self.training_config.pooled)
        place, partner, share = mixture.place, mixture.partner, mixture.share
        if place > self.depth:
            vectors = pool(self._states(inputs), mask, self.training_config.pooled)
            return mixed_rows(vectors, partner, share)
        below = place < self.depth
        layers = self.body.layer if self.frozen_layers else self.body.encoder.layer
        at = mixing_at(layers, place - self.frozen_layers, mixture, mask)
        with at if below else nullcontext():
            states = self._states(inputs)
        if not below:
            states = mixed_states(states, mask, partner, share)
        weights = mixed_weights(mask, partner, share)
        return pool(states, mask, self.training_config.pooled, weights)

    def _states(self, inputs: Mapping[str, Tensor]) -> Tensor:
        if not self.frozen_layers:
            states: Tensor = self.body(**inputs).last_hidden_state
            return states
        states, mask = inputs["states"], inputs["attention_mask"]
        far = torch.finfo(states.dtype).min
        allowed = (1 - mask[:, None, None, :].to(states.dtype)) * far
        upper: Tensor = self.body(states, attention_mask=allowed).last_hidden_state
        return upper

    def forward(
        self,
        labels: Tensor | None = None,
        weights: Tensor | None = None,
        new: Tensor | None = None,
        mixture: dict[str, Tensor] | None = None,
        **inputs: Tensor,
    ) -> dict[str, Tensor]:
        """Return the scores of the classes and, with labels, the loss of the config.

        With a mixture (``partner``, ``share`` and ``place``, a row each an example) the loss is
        that of mixed examples and labels, or half of it, the rest being that of the batch as it is.
        """
        inputs.pop("num_items_in_batch", None)  # what a trainer adds
        if labels is None:
            return {"logits": self._logits(self.vectors(inputs))}
        assert weights is not None
        assert new is not None
        known = (labels, weights, new)
        if mixture is None:
            return self._learnt(self.vectors(inputs), known)
        drawn = Mixture(mixture["partner"], mixture["share"], int(mixture["place"][0]))
        if self.mixing.mix == SPANS:
            return self._spans_learnt(drawn, known, inputs)
        made = self._learnt(self.vectors(inputs, drawn), _mixed(known, drawn))
        if not self.mixing.unmixed:
            return made
        plain = self._learnt(self.vectors(inputs), known)
        return {**made, "loss": (made["loss"] + plain["loss"]) / 2}

    def _spans_learnt(
        self, drawn: Mixture, known: tuple[Tensor, ...], inputs: dict[str, Tensor]
    ) -> dict[str, Tensor]:
        """Return the loss of a batch whose texts exchange pieces by what the loss depends on."""
        held: list[Tensor] = []
        listening = self.body.embeddings.register_forward_hook(
            lambda _, __, output: held.append(output)
        )
        try:
            plain = self._learnt(self.vectors(inputs), known)
        finally:
            listening.remove()
        (slopes,) = torch.autograd.grad(plain["loss"], held, retain_graph=self.mixing.unmixed)
        pieces = inputs["input_ids"]
        free = (inputs["attention_mask"] > 0) & ~torch.isin(pieces, self.marks.to(pieces.device))
        made, share = exchanged(pieces, free, saliency(slopes), drawn.partner, self.mixing.span)
        mixed = self._learnt(
            self.vectors({**inputs, "input_ids": made}),
            _mixed(known, Mixture(drawn.partner, share, drawn.place)),
        )
        if not self.mixing.unmixed:
            return mixed
        return {**mixed, "loss": (mixed["loss"] + plain["loss"]) / 2}

    def _logits(self, vectors: Tensor) -> Tensor:
        scores: Tensor = self.head(self.dropout(vectors).float())
        return scores

    def _learnt(self, vectors: Tensor, known: tuple[Tensor, ...]) -> dict[str, Tensor]:
        """Return scores and the loss of the config, for labels, weights, and which are new."""
        logits = self._logits(vectors)
        return {"loss": loss_of(self.training_config, logits, vectors, known), "logits": logits}


def _mixed(known: tuple[Tensor, ...], mixture: Mixture) -> tuple[Tensor, ...]:
    """Return the labels and weights of mixed examples; which are new is told by the host."""
    labels, weights, new = known
    partner, share = mixture.partner, mixture.share
    return mixed_rows(labels, partner, share), mixed_rows(weights, partner, share), new


def _marks(tokenizer: Any) -> Tensor:
    """Return the numbers of the pieces that stand around texts."""
    names = ("cls_token_id", "sep_token_id", "pad_token_id", "bos_token_id", "eos_token_id")
    known = {getattr(tokenizer, name, None) for name in names} - {None}
    return torch.tensor(sorted(known), dtype=torch.int64)
