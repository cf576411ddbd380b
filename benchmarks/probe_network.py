"""The network of the probe as it is trained, on what a layer of a language model makes of texts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import torch
from torch import nn

from grammar.arrays import FloatArray, LongArray
from sampling.neural.causal import probe as probes
from sampling.neural.causal.adapter import Adapter
from sampling.neural.causal.features import Change, Hidden, shape_of
from sampling.neural.causal.probe import CHANGED, PLACES, POOLS, Probe, places_of

__all__ = ["Network", "Piecewise", "descend", "piecewise", "told", "trained"]

UNITS = HIDDEN = 64
EPOCHS, BATCH, RATE, DECAY, DROPPED = 4, 32, 1e-3, 0.05, 0.2
AT_ONCE = 32


class Piecewise(NamedTuple):
    """A text as the probe sees it: states and places of pieces, evenness and length."""

    states: torch.Tensor
    places: torch.Tensor
    shape: torch.Tensor


def piecewise(change: Change, text: Hidden) -> Piecewise:
    places = places_of(change, text)
    return Piecewise(
        torch.from_numpy(text.states),
        torch.from_numpy(places),
        torch.from_numpy(shape_of(len(places), int((places == CHANGED).sum()))).float(),
    )


class Network(nn.Module):
    """The probe as it is trained: what :meth:`Probe.odds` computes, in batches."""

    def __init__(self, width: int, units: int = UNITS, hidden: int = HIDDEN) -> None:
        super().__init__()
        self.state = nn.Linear(width, units, bias=False)
        self.place = nn.Embedding(PLACES, units)
        self.hidden = nn.Linear(POOLS * units, hidden)
        self.out = nn.Linear(hidden, 1, bias=False)
        self.shape = nn.Linear(2, 1)
        self.drop = nn.Dropout(DROPPED)

    def forward(self, texts: Sequence[Piecewise]) -> torch.Tensor:
        lengths = [len(text.places) for text in texts]
        states, places = (torch.cat([text[k] for text in texts]) for k in range(2))
        pieces = self.state(nn.functional.layer_norm(states, states.shape[1:]))
        pieces = self.drop(pieces + self.place(places))
        each = zip(pieces.split(lengths), places.split(lengths), strict=True)
        pools = torch.stack([_pools(one, where) for one, where in each])
        hidden = nn.functional.gelu(self.hidden(nn.functional.layer_norm(pools, pools.shape[1:])))
        shape = torch.stack([text.shape for text in texts])
        return (self.out(self.drop(hidden)) + self.shape(shape))[:, 0]

    def probe(self, model: str, layer: int, adapter: Adapter) -> Probe:
        def flat(weight: torch.Tensor) -> FloatArray:
            found: FloatArray = weight.detach().float().flatten().numpy()
            return found

        shape = torch.cat((self.shape.weight[0], self.shape.bias))
        weights = (
            self.state.weight, self.place.weight, self.hidden.weight, self.hidden.bias,
            self.out.weight, shape,
        )  # fmt: skip
        return Probe(model, layer, *map(flat, weights), adapter=adapter)


def _pools(pieces: torch.Tensor, places: torch.Tensor) -> torch.Tensor:
    inside, behind = (pieces[places == place] for place in (CHANGED, probes.BEHIND))
    first = probes.FIRST
    parts = (pieces, inside, pieces[-1:], behind[:first], inside[:first])
    return torch.cat([part.sum(0) / max(1, len(part)) for part in parts])


def trained(texts: Sequence[Piecewise], verdicts: FloatArray, *, seed: int = 0) -> Network:
    torch.manual_seed(seed)
    rng = np.random.default_rng(seed)
    network = Network(texts[0].states.shape[1])
    orders = [rng.permutation(len(texts)) for _ in range(EPOCHS)]
    batches = [order[k : k + BATCH] for order in orders for k in range(0, len(order), BATCH)]
    optimiser = torch.optim.AdamW(network.parameters(), RATE, weight_decay=DECAY)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimiser, RATE, total_steps=len(batches))
    descend(network, schedule, batches, texts, verdicts)
    return network


def descend(
    network: nn.Module,
    schedule: torch.optim.lr_scheduler.LRScheduler,
    batches: Sequence[LongArray],
    texts: Sequence[Any],
    verdicts: FloatArray,
) -> None:
    """Take a step a batch, by the likelihood of the verdicts."""
    target = torch.from_numpy(np.asarray(verdicts, np.float32))
    network.train()
    for batch in batches:
        told = network([texts[k] for k in batch])
        loss = nn.functional.binary_cross_entropy_with_logits(told, target[batch])
        schedule.optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(network.parameters(), 1.0)
        schedule.optimizer.step()
        schedule.step()
    network.eval()


def told(network: Network, texts: Sequence[Piecewise]) -> FloatArray:
    with torch.no_grad():
        parts = [network(texts[k : k + AT_ONCE]) for k in range(0, len(texts), AT_ONCE)]
    found: FloatArray = torch.cat(parts).numpy()
    return found
