"""An encoder that learns together with the head of a tagger or a parser."""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import torch
from torch import Tensor, nn

from classifiers.encoders.opening import Encoder
from classifiers.structured.network import StructuredNetwork
from classifiers.structured.states import Part, joined, states_of

__all__ = ["LearningEncoder"]


class LearningEncoder(nn.Module):
    """A copy of an encoder below a head; what is learnt from are pieces in place of states.

    Attributes
    ----------
    body : transformers.PreTrainedModel
        The copy.
    head : StructuredNetwork
        What is on it.
    """

    def __init__(self, encoder: Encoder, network: StructuredNetwork) -> None:
        super().__init__()
        self.encoder = encoder
        self.body: Any = copy.deepcopy(encoder.model).requires_grad_(True)
        self.head = network

    def forward(
        self,
        parts: Sequence[Sequence[Part]],
        sizes: Sequence[int],
        gold: Sequence[Mapping[str, Tensor]],
        **_: Any,
    ) -> dict[str, Tensor]:
        """Return the mean loss of sentences, each of which is in one part or more."""
        read = iter(states_of(self.body, self.encoder.tokenizer, [p for own in parts for p in own]))
        states = torch.cat([joined([next(read) for _ in own]) for own in parts])
        # a chart adds up scores, so those of the head are not made shorter
        with torch.autocast(states.device.type, enabled=False):
            made: dict[str, Tensor] = self.head(states, sizes, gold)
        return made

    def learnt(self) -> Encoder:
        """Return the encoder as it is now."""
        return replace(self.encoder, model=self.body.eval().requires_grad_(False))
