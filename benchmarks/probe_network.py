"""The network of the probe as it is trained, on what a layer of a language model makes of texts."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import torch
from torch import nn

from grammar.arrays import FloatArray
from sampling.neural.causal.adapter import Adapter
from sampling.neural.causal.probe import BEHIND, CHANGED, FIRST, PLACES, POOLS, Probe

__all__ = ["NOWHERE", "Batch", "Network"]

UNITS = HIDDEN = 64
DROPPED = 0.2
NOWHERE = -1
"""The place of what stands behind the end of a text."""


class Batch(NamedTuple):
    """Texts side by side, filled up at their ends.

    Attributes
    ----------
    ids : int64[texts, pieces]
        The numbers of pieces.
    places : int64[texts, pieces]
        Where each stands; :data:`NOWHERE` behind the end.
    shape : float32[texts, 3]
        Evenness, length and one.
    """

    ids: torch.Tensor
    places: torch.Tensor
    shape: torch.Tensor


class Network(nn.Module):
    """The probe as it is trained: what :meth:`Probe.odds` computes, in batches."""

    def __init__(self, width: int, units: int = UNITS, hidden: int = HIDDEN) -> None:
        super().__init__()
        self.state = nn.Linear(width, units, bias=False)
        self.place = nn.Embedding(PLACES, units)
        self.hidden = nn.Linear(POOLS * units, hidden)
        self.out = nn.Linear(hidden, 1, bias=False)
        self.shape = nn.Linear(3, 1, bias=False)
        self.drop = nn.Dropout(DROPPED)

    @classmethod
    def of(cls, probe: Probe) -> Network:
        """Return the network that a probe was."""
        units, hidden = len(probe.place) // PLACES, len(probe.bias)
        made = cls(len(probe.state) // units, units, hidden)
        with torch.no_grad():
            for name, weight in made._flat().items():
                column = torch.from_numpy(np.array(getattr(probe, name)))
                weight.copy_(column.view(weight.shape))
        return made

    def forward(self, states: torch.Tensor, batch: Batch) -> torch.Tensor:
        pieces = self.state(nn.functional.layer_norm(states, states.shape[2:]))
        pieces = self.drop(pieces + self.place(batch.places.clamp(min=0)))
        pools = (_means(batch.places) @ pieces).flatten(1)
        hidden = nn.functional.gelu(self.hidden(nn.functional.layer_norm(pools, pools.shape[1:])))
        return (self.out(self.drop(hidden)) + self.shape(batch.shape))[:, 0]

    def probe(self, model: str, layer: int, adapter: Adapter) -> Probe:
        def flat(weight: torch.Tensor) -> FloatArray:
            found: FloatArray = weight.detach().float().flatten().cpu().numpy()
            return found

        columns = {name: flat(weight) for name, weight in self._flat().items()}
        return Probe(model, layer, **columns, adapter=adapter)

    def _flat(self) -> dict[str, torch.Tensor]:
        """Return the weights by the columns of a probe."""
        return {
            "state": self.state.weight, "place": self.place.weight, "hidden": self.hidden.weight,
            "bias": self.hidden.bias, "out": self.out.weight, "shape": self.shape.weight,
        }  # fmt: skip


def _means(places: torch.Tensor) -> torch.Tensor:
    """Return what the mean of each pool takes of every piece: float32[texts, pools, pieces]."""
    inside, behind, within = places == CHANGED, places == BEHIND, places != NOWHERE
    last = within & ~nn.functional.pad(within[:, 1:], (0, 1))
    pools = (within, inside, last, _first(behind), _first(inside))
    parts = torch.stack(pools, 1).float()
    return parts / parts.sum(2, keepdim=True).clamp(min=1)


def _first(mine: torch.Tensor) -> torch.Tensor:
    return mine & (mine.cumsum(1) <= FIRST)
