"""Batches: texts as a model reads them, the order of examples, and their weights in the loss."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn.utils.rnn import pad_sequence

from classifiers.config import Pace, TrainingConfig
from classifiers.examples import Examples
from classifiers.mixing.draws import draw_mixture
from classifiers.mixing.options import Mixing
from grammar.rng import stream_key

__all__ = ["Batches", "Learnt", "Read", "Rows", "order_of_examples", "weights_in_batches"]


class Learnt(Protocol):
    """What is learnt from, some of it new."""

    @property
    def new(self) -> NDArray[np.bool_]:
        """Which are new."""
        ...

    def __len__(self) -> int: ...


class Read(Protocol):
    """Texts that were prepared."""

    @property
    def sizes(self) -> Sequence[int]:
        """How long each is."""
        ...

    def batch(self, numbers: Sequence[int]) -> dict[str, Tensor]:
        """Return some of them as the inputs of a model."""
        ...


@dataclass(frozen=True, eq=False)
class Rows:
    """Texts of different lengths, each by arrays with one row a piece.

    Attributes
    ----------
    rows : sequence of dict of str to Tensor
        One a text; a batch of them is padded, and has an ``attention_mask``.
    """

    rows: Sequence[dict[str, Tensor]]

    @property
    def sizes(self) -> list[int]:
        """How many pieces each has."""
        return [len(next(iter(row.values()))) for row in self.rows]

    def batch(self, numbers: Sequence[int]) -> dict[str, Tensor]:
        """Return some of the texts as one padded batch."""
        rows = [self.rows[i] for i in numbers]
        sizes = torch.tensor([len(next(iter(row.values()))) for row in rows])
        mask = (torch.arange(int(sizes.max()))[None, :] < sizes[:, None]).long()
        made = {
            name: pad_sequence([row[name] for row in rows], batch_first=True)
            for name in rows[0]
            if name != "attention_mask"
        }
        return {name: _floats(value) for name, value in made.items()} | {"attention_mask": mask}


def order_of_examples(examples: Learnt, config: Pace) -> list[int]:
    """Return which examples are learnt from, batch after batch.

    Each batch has its share of new ones. Both kinds go round in an order drawn again for
    each round, as a function of the seed. Without a share all go round together.

    Examples
    --------
    >>> from classifiers.examples import read_examples
    >>> from induction import Corpus
    >>> few = read_examples(Corpus.from_columns(text=["a", "b"], label=[0, 1]))
    >>> order = order_of_examples(few.with_new(few), TrainingConfig(steps=2, batch=4))
    >>> sorted(order[:4]), sorted(order[4:])
    ([0, 1, 2, 3], [0, 1, 2, 3])
    """
    together = config.share is None
    new = np.zeros(len(examples), np.bool_) if together else examples.new
    given, made = np.flatnonzero(~new), np.flatnonzero(new)
    of_new = _new_in_a_batch(examples, config)
    first = _rounds(given, (config.batch - of_new) * config.steps, config.seed, "given")
    second = _rounds(made, of_new * config.steps, config.seed, "new")
    both = np.concatenate(
        (first.reshape(config.steps, -1), second.reshape(config.steps, -1)), axis=1
    )
    order: list[int] = both.ravel().tolist()
    return order


def weights_in_batches(examples: Examples, config: TrainingConfig) -> NDArray[np.float32]:
    """Return the weight of each example in the loss of a batch, float32 of shape (examples,).

    A share of each batch is new, whatever the number of new examples. Where it was said what these
    weigh together, their weights make up for how often each comes.

    Examples
    --------
    >>> from classifiers.examples import read_examples
    >>> from induction import Corpus
    >>> few = read_examples(Corpus.from_columns(text=["a", "b"], label=[0, 1]))
    >>> both = few.with_new(few.take([0, 1, 0, 1]), weight=0.5)
    >>> weights_in_batches(both, TrainingConfig(batch=4, share=0.5)).tolist()
    [1.0, 1.0, 0.5, 0.5, 0.5, 0.5]
    """
    of_new = _new_in_a_batch(examples, config)
    if config.share is None or not examples.weighed or not 0 < of_new < config.batch:
        return examples.weights
    made = int(examples.new.sum())
    oftener = of_new / made * (len(examples) - made) / (config.batch - of_new)
    return np.where(examples.new, examples.weights / oftener, examples.weights).astype(np.float32)


def _new_in_a_batch(examples: Learnt, config: Pace) -> int:
    if examples.new.all() and config.share is not None:
        return config.batch
    return round((config.share or 0.0) * config.batch) if examples.new.any() else 0


def _rounds(rows: Any, count: int, seed: int, name: str) -> NDArray[np.int64]:
    if not count:
        return np.zeros(0, np.int64)
    draw = np.random.Generator(np.random.Philox(key=int(stream_key(seed, f"classifier {name}"))))
    rounds = [draw.permutation(rows) for _ in range(-(-count // len(rows)))]
    return np.concatenate(rounds)[:count]


class Batches:
    """The batches of a training, each a function of its number.

    Parameters
    ----------
    read : Read
        The texts of the examples.
    examples : Examples
        What is learnt; ``order`` says when.
    config : TrainingConfig
        How many in a batch, and the seed.
    mixing : Mixing
        Whether and how they are mixed.
    depth : int
        How many layers the encoder has.
    """

    def __init__(
        self, read: Read, examples: Examples, config: TrainingConfig, *, mixing: Mixing, depth: int
    ) -> None:
        self.read = read
        self.config, self.mixing, self.depth = config, mixing, depth
        self.order = order_of_examples(examples, config)
        self.size, self.steps = config.batch, config.steps
        self.labels = torch.from_numpy(examples.labels)
        self.weights = torch.from_numpy(weights_in_batches(examples, config))
        self.new = torch.from_numpy(examples.new)

    def __call__(self, places: Sequence[int]) -> dict[str, Any]:
        """Return the batch of some places in the order."""
        return self.batch([self.order[place] for place in places], places[0] // self.size)

    def batch(self, numbers: Sequence[int], update: int) -> dict[str, Any]:
        """Return examples as the batch of an update."""
        rows = torch.tensor(list(numbers))
        made: dict[str, Any] = self.read.batch(list(numbers)) | {
            "labels": self.labels[rows],
            "weights": self.weights[rows],
            "new": self.new[rows],
        }
        if self.mixing.used:
            # the merged loss tells the two kinds apart
            apart = self.config.gamma is not None
            kinds = made["new"].numpy().astype(np.int64) * apart
            drawn = draw_mixture(self.mixing, self.config.seed, update, kinds, self.depth)
            place = torch.full((len(rows),), drawn.place)
            made["mixture"] = {"partner": drawn.partner, "share": drawn.share, "place": place}
        return made


def _floats(values: Tensor) -> Tensor:
    return values.float() if values.is_floating_point() else values
