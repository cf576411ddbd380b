"""A dependency parser on an encoder: each pair of words is scored, a spanning tree found.

References
----------
Timothy Dozat & Christopher Manning. 2017. Deep Biaffine Attention for Neural Dependency Parsing.
ICLR.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn.functional import cross_entropy

from classifiers.structured.arborescence import best_heads
from classifiers.structured.config import StructuredConfig
from classifiers.structured.network import Names, StructuredNetwork, View, numbers_of

__all__ = ["Arcs", "DependencyNetwork"]

_RELATION = 64
"""The size of the vectors by which relations are told."""


@dataclass(frozen=True)
class Arcs:
    """A dependency tree.

    Attributes
    ----------
    heads : tuple of int
        As in CoNLL-U: words are numbered from 1, and the root has the head 0.
    relations : tuple of str
        Of each word to its head.
    """

    heads: tuple[int, ...]
    relations: tuple[str, ...]

    def __len__(self) -> int:
        return len(self.heads)


@dataclass(frozen=True, eq=False)
class _Scores:
    """Of a sentence: arcs (words, words + 1), and by what relations are scored."""

    arcs: Tensor
    words: Tensor
    heads: Tensor


class DependencyNetwork(StructuredNetwork):
    """Scores of arcs and of their relations; the state before the first word is the root's."""

    def __init__(self, names: Names, layers: int, width: int, config: StructuredConfig) -> None:
        super().__init__(names, layers, width, config)
        self.relations = numbers_of(names["relations"])
        self.head["words"] = View(layers, config)
        for side in ("word", "head"):
            self.head[side] = nn.Sequential(
                nn.Linear(width, config.hidden + _RELATION), nn.ReLU(), nn.Dropout(config.dropout)
            )
        arcs = nn.Linear(config.hidden + 1, config.hidden, bias=False)
        relations = nn.Bilinear(_RELATION + 1, _RELATION + 1, len(names["relations"]), bias=False)
        for name, layer in (("arcs", arcs), ("relations", relations)):
            nn.init.zeros_(layer.weight)
            self.head[name] = layer

    @staticmethod
    def names_of(gold: Sequence[Arcs]) -> Names:
        """Return the relations of trees."""
        return {"relations": sorted({name for tree in gold for name in tree.relations})}

    def targets(self, gold: Arcs) -> dict[str, Tensor]:
        """Return the head of every word, and the number of its relation."""
        names = [self.relations[name] for name in gold.relations]
        return {"heads": torch.tensor(gold.heads), "relations": torch.tensor(names)}

    def scores(self, states: Tensor, sizes: Sequence[int]) -> list[_Scores]:
        """Return the scores of arcs, and the vectors that relations are scored by."""
        vectors = self.head["words"](states)
        parts = [size + 2 for size in sizes]
        made = []
        for word, head in zip(
            torch.split(self.head["word"](vectors), parts),
            torch.split(self.head["head"](vectors), parts),
            strict=True,
        ):
            hidden = self.training_config.hidden
            one = word.new_ones(len(word), 1)
            mine = self.head["arcs"](torch.cat([word[:, :hidden], one], 1))[1:-1]
            arcs = mine @ head[:-1, :hidden].T
            ends = [torch.cat([side[:, hidden:], one], 1) for side in (word, head)]
            made.append(_Scores(arcs, ends[0][1:-1], ends[1][:-1]))
        return made

    def _named(self, scores: _Scores, heads: Tensor) -> Tensor:
        """Return the scores of the relations of words to some heads."""
        named: Tensor = self.head["relations"](scores.words, scores.heads[heads])
        return named

    def loss_of(self, scores: _Scores, targets: Mapping[str, Tensor]) -> Tensor:
        """Return the cross-entropy of heads, and of relations to the right heads."""
        heads = targets["heads"]
        named = self._named(scores, heads)
        return cross_entropy(scores.arcs, heads) + cross_entropy(named, targets["relations"])

    def answer(self, scores: _Scores) -> Arcs:
        """Return the best tree, and the best relation of each of its arcs."""
        probable = scores.arcs.log_softmax(1).double().cpu().numpy()
        words = len(probable)
        value = np.zeros((words + 1, words + 1))
        value[:, 1:] = probable.T
        heads = torch.from_numpy(best_heads(value).astype(np.int64))
        names = self._named(scores, heads).argmax(1).tolist()
        return Arcs(
            tuple(heads.tolist()), tuple(self.names["relations"][number] for number in names)
        )
