"""How layers of a language model are trained along with a probe: by changes of low rank.

First the probe learns from the states as they are, then both go on together, so that the first
steps do not spoil what the states tell (Kumar et al. 2022). The matrices stay as they are; beside
each a product of two narrow ones learns (LoRA, Hu et al. 2021, section 4.1).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
import torch
from torch import nn

from benchmarks.probe_network import Network, Piecewise, descend, piecewise, trained
from grammar.arrays import FloatArray, LongArray
from sampling.neural.causal.adapter import Adapter
from sampling.neural.causal.features import Change, Hidden
from sampling.neural.causal.model import CausalModel
from sampling.neural.causal.probe import Probe
from sampling.neural.causal.trunk import Trunk

__all__ = ["learnt", "read"]

RANK, SCALE = 8, 2.0
EPOCHS, BATCH, RATE, DECAY = 2, 32, 3e-4, 0.05
WARMING = 0.1
"""This part of all steps, rates rise."""
WINDOW = 16
"""Texts of so many batches are sorted by their lengths, so that little is padded."""
AT_ONCE = 32


class Text(NamedTuple):
    """The pieces of a text, behind the first of all texts; where they stand; its shape."""

    ids: torch.Tensor
    places: torch.Tensor
    shape: torch.Tensor


class LowRank(nn.Module):
    """What is added to what a matrix makes of its input; at first nothing."""

    def __init__(self, matrix: nn.Linear) -> None:
        super().__init__()
        columns = matrix.in_features
        self.down = nn.Parameter(torch.randn(RANK, columns) / columns**0.5)
        self.up = nn.Parameter(torch.zeros(RANK, matrix.out_features))
        matrix.register_forward_hook(self._beside)

    def _beside(self, _: nn.Module, given: tuple[torch.Tensor], made: torch.Tensor) -> torch.Tensor:
        down, up = (each.to(made.dtype) for each in (self.down, self.up))
        return made + (given[0] @ down.T) @ up * SCALE

    def pair(self) -> tuple[FloatArray, FloatArray]:
        """Return the two matrices as :meth:`Adapter.of` takes them."""
        up, down = (each.detach().numpy() for each in (self.up, self.down))
        return up * SCALE, down


class Adapted(nn.Module):
    """A probe on layers that learn with it."""

    def __init__(self, model: CausalModel, layer: int, network: Network) -> None:
        super().__init__()
        self._trunk = Trunk(model.model.base_model, layer)
        self.changes = nn.ModuleList(LowRank(matrix) for matrix in self._trunk.matrices)
        self.network: Network = network

    def forward(self, texts: Sequence[Text]) -> torch.Tensor:
        ids = nn.utils.rnn.pad_sequence([text.ids for text in texts], batch_first=True)
        states = self._trunk.states(ids)[:, 1:].float()
        each = zip(states, texts, strict=True)
        told: torch.Tensor = self.network(
            [Piecewise(row[: len(t.places)], t.places, t.shape) for row, t in each]
        )
        return told

    def adapter(self) -> Adapter:
        return Adapter.of([change.pair() for change in self.changes])


def read(
    model: CausalModel, changes: Sequence[Change], layer: int, adapter: Adapter | None = None
) -> list[Hidden]:
    """Read texts, those together that are about equally long."""
    order = sorted(range(len(changes)), key=lambda k: len(changes[k].text))
    found: dict[int, Hidden] = {}
    for first in range(0, len(order), AT_ONCE):
        mine = order[first : first + AT_ONCE]
        texts = [changes[k].text for k in mine]
        found.update(zip(mine, model.hidden(texts, layer, adapter), strict=True))
    return [found[k] for k in range(len(changes))]


def learnt(
    model: CausalModel, changes: Sequence[Change], verdicts: FloatArray, layer: int, seed: int
) -> Probe:
    """Return the probe that these verdicts teach."""
    hidden = read(model, changes, layer)
    texts = [piecewise(*each) for each in zip(changes, hidden, strict=True)]
    adapted = Adapted(model, layer, trained(texts, verdicts, seed=seed))
    pieces = model.pieces([change.text for change in changes])
    inputs = [
        Text(torch.tensor([model.first, *ids]), text.places, text.shape)
        for ids, text in zip(pieces, texts, strict=True)
    ]
    del hidden, texts
    _train(adapted, inputs, verdicts, seed)
    return adapted.network.probe(model.vectors, layer, adapted.adapter())


def _train(adapted: Adapted, texts: Sequence[Text], verdicts: FloatArray, seed: int) -> None:
    rng = np.random.default_rng(seed)
    groups: list[Any] = [
        {"params": [*adapted.changes.parameters()], "weight_decay": 0.0},
        {"params": [*adapted.network.parameters()], "weight_decay": DECAY},
    ]
    optimiser = torch.optim.AdamW(groups, RATE)
    batches = [batch for _ in range(EPOCHS) for batch in _batches(texts, rng)]
    schedule = torch.optim.lr_scheduler.OneCycleLR(
        optimiser, RATE, total_steps=len(batches) + 1, pct_start=WARMING
    )
    descend(adapted, schedule, batches, texts, verdicts)


def _batches(texts: Sequence[Text], rng: np.random.Generator) -> Iterator[LongArray]:
    """Yield each text once, beside such as are about as long."""
    order, found = rng.permutation(len(texts)), []
    for first in range(0, len(order), BATCH * WINDOW):
        window = sorted(order[first : first + BATCH * WINDOW], key=lambda k: len(texts[k].ids))
        found += [window[k : k + BATCH] for k in range(0, len(window), BATCH)]
    for k in rng.permutation(len(found)):
        yield np.array(found[k])
