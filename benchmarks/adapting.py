"""How layers of a language model are trained along with a probe: by changes of low rank.

The matrices stay as they are; beside each a product of two narrow ones learns (LoRA, Hu et al.
2021, section 4.1).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
import torch
from torch import nn

from benchmarks.probe_network import NOWHERE, Batch, Network
from grammar.arrays import FloatArray, LongArray
from sampling.neural.causal.adapter import Adapter
from sampling.neural.causal.features import Change, Hidden, shape_of
from sampling.neural.causal.lower_layers import Trunk
from sampling.neural.causal.model import CausalModel
from sampling.neural.causal.probe import CHANGED, Probe, places_of

__all__ = ["Adapted", "Course", "Text", "batch_of", "learn", "read", "texts_of"]

RANK, SCALE = 16, 2.0
DECAY = 0.05
WARMING = 0.1
"""This part of all steps, rates rise."""
WINDOW = 16
"""Texts of so many batches are sorted by their lengths, so that little is padded."""
AT_ONCE = 32


class Course(NamedTuple):
    """How often all texts are read, how many together, and the rate of learning."""

    epochs: int
    batch: int
    rate: float


class Text(NamedTuple):
    """The pieces of a text, behind the first of all texts; where they stand; its shape."""

    ids: LongArray
    places: LongArray
    shape: FloatArray


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
        return torch.add(made, (given[0] @ down.T) @ up, alpha=SCALE)

    def begin(self, up: FloatArray, down: FloatArray) -> None:
        """Take over two matrices of an adapter."""
        with torch.no_grad():
            self.up.copy_(torch.from_numpy(up / SCALE))
            self.down.copy_(torch.from_numpy(down))

    def pair(self) -> tuple[FloatArray, FloatArray]:
        """Return the two matrices as :meth:`Adapter.of` takes them."""
        up, down = (each.detach().cpu().numpy() for each in (self.up, self.down))
        return up * SCALE, down


class Adapted(nn.Module):
    """A probe on layers that learn with it, on the device of the model."""

    def __init__(self, model: CausalModel, layer: int, network: Network) -> None:
        super().__init__()
        self._trunk = Trunk(model.model.base_model, layer)
        self._of = model.vectors, layer
        self.changes = nn.ModuleList(LowRank(matrix) for matrix in self._trunk.matrices)
        self.network: Network = network
        self.to(model.model.device)

    @classmethod
    def begun(cls, model: CausalModel, layer: int, seed: int) -> Adapted:
        """Return one that has learnt nothing."""
        torch.manual_seed(seed)
        return cls(model, layer, Network(model.model.config.hidden_size))

    @classmethod
    def going_on(cls, model: CausalModel, probe: Probe) -> Adapted:
        """Return one that goes on from a probe."""
        made = cls(model, probe.layer, Network.of(probe))
        for change, pair in zip(made.changes, probe.adapter.pairs(), strict=True):
            change.begin(*pair)
        return made

    def forward(self, batch: Batch) -> torch.Tensor:
        told: torch.Tensor = self.network(self._trunk.states(batch.ids)[:, 1:].float(), batch)
        return told

    def probe(self) -> Probe:
        return self.network.probe(*self._of, Adapter.of([change.pair() for change in self.changes]))


def texts_of(model: CausalModel, changes: Sequence[Change]) -> list[Text]:
    """Return texts as they are learnt from."""
    if not changes:
        return []
    pieces, characters = model.cut([change.text for change in changes])
    found = []
    for change, ids, where in zip(changes, pieces, characters, strict=True):
        places = places_of(change, Hidden(np.zeros((len(ids), 0)), where[:, 0], where[:, 1]))
        shape = [*shape_of(len(places), int((places == CHANGED).sum())), 1.0]
        found.append(Text(np.array([model.first, *ids]), places, np.array(shape, np.float32)))
    return found


def batch_of(texts: Sequence[Text], device: Any) -> Batch:
    """Return texts side by side."""
    ids, places = (
        nn.utils.rnn.pad_sequence(
            [torch.from_numpy(text[k]) for text in texts], batch_first=True, padding_value=fill
        )
        for k, fill in enumerate((0, NOWHERE))
    )
    shape = torch.from_numpy(np.stack([text.shape for text in texts]))
    return Batch(*(each.to(device) for each in (ids, places, shape)))


def learn(
    adapted: Adapted, texts: Sequence[Text], verdicts: FloatArray, course: Course, seed: int
) -> None:
    """Learn from verdicts: a step a batch, by their likelihood."""
    torch.manual_seed(seed)
    rng = np.random.default_rng(seed)
    groups: list[Any] = [
        {"params": [*adapted.changes.parameters()], "weight_decay": 0.0},
        {"params": [*adapted.network.parameters()], "weight_decay": DECAY},
    ]
    optimiser = torch.optim.AdamW(groups, course.rate)
    batches = [batch for _ in range(course.epochs) for batch in _batches(texts, course.batch, rng)]
    schedule = torch.optim.lr_scheduler.OneCycleLR(
        optimiser, course.rate, total_steps=len(batches) + 1, pct_start=WARMING
    )
    device = adapted.network.out.weight.device
    target = torch.from_numpy(np.asarray(verdicts, np.float32)).to(device)
    adapted.train()
    for batch in batches:
        told = adapted(batch_of([texts[k] for k in batch], device))
        loss = nn.functional.binary_cross_entropy_with_logits(told, target[batch])
        optimiser.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(adapted.parameters(), 1.0)
        optimiser.step()
        schedule.step()
    adapted.eval()


def _batches(texts: Sequence[Text], size: int, rng: np.random.Generator) -> Iterator[LongArray]:
    """Yield each text once, beside such as are about as long."""
    order, found = rng.permutation(len(texts)), []
    for first in range(0, len(order), size * WINDOW):
        window = sorted(order[first : first + size * WINDOW], key=lambda k: len(texts[k].ids))
        found += [window[k : k + size] for k in range(0, len(window), size)]
    for k in rng.permutation(len(found)):
        yield np.array(found[k])


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
