"""A constituency parser on an encoder: spans are scored by their ends, a chart does the rest.

References
----------
Mitchell Stern, Jacob Andreas & Dan Klein. 2017. A Minimal Span-Based Neural Constituency Parser.
ACL (differences of ends, the margin, the empty label).
Nikita Kitaev & Dan Klein. 2018. Constituency Parsing with a Self-Attentive Encoder. ACL.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn.functional import cross_entropy

from classifiers.structured.bracketing import best_bracketing
from classifiers.structured.config import StructuredConfig
from classifiers.structured.network import (
    Names,
    StructuredNetwork,
    View,
    inner,
    numbers_of,
    perceptron,
)
from classifiers.structured.trees import Spans
from grammar.arrays import IntArray

__all__ = ["ConstituencyNetwork"]

Scores = tuple[Tensor, Tensor]
"""Of a sentence: of the spans (spans, labels), and of the tags of words (words, tags)."""


class ConstituencyNetwork(StructuredNetwork):
    """Scores of labelled spans and of tags.

    The hidden layer of a span is the difference of its two ends, each made of the words on either
    side of it. Spans are in the order of ``numpy.triu_indices(words + 1, 1)``; label 0 is the empty
    one, of score 0.
    """

    def __init__(self, names: Names, layers: int, width: int, config: StructuredConfig) -> None:
        super().__init__(names, layers, width, config)
        self.labels, self.tags = numbers_of(names["labels"]), numbers_of(names["tags"])
        self.head["spans"] = View(layers, config)
        self.head["ends"] = nn.Linear(width, 2 * config.hidden)
        self.head["labels"] = nn.Sequential(
            nn.ReLU(), nn.Linear(config.hidden, len(names["labels"]))
        )
        self.head["words"] = View(layers, config)
        self.head["tags"] = perceptron(width, config, len(names["tags"]))

    @staticmethod
    def names_of(gold: Sequence[Spans]) -> Names:
        """Return the labels, chains of them among these, and the tags of trees."""
        labels = {chain for tree in gold for *_, chain in tree.constituents}
        return {"labels": sorted(labels), "tags": sorted({t for tree in gold for t in tree.tags})}

    def targets(self, gold: Spans) -> dict[str, Tensor]:
        """Return the label of every span, and the tag of every word."""
        words = len(gold.tags)
        labels = np.zeros((words + 1, words + 1), np.int64)
        for begin, end, chain in gold.constituents:
            labels[begin, end] = self.labels[chain] + 1
        tags = [self.tags[tag] for tag in gold.tags]
        spans = labels[np.triu_indices(words + 1, 1)]
        return {"spans": torch.from_numpy(spans), "tags": torch.tensor(tags)}

    def scores(self, states: Tensor, sizes: Sequence[int]) -> list[Scores]:
        """Return the scores of spans and tags."""
        before, behind = self.head["ends"](self.head["spans"](states)).chunk(2, 1)
        # an end is made of the word before it and of that behind it
        ends = before[:-1] + behind[1:]
        tags = inner(self.head["tags"](self.head["words"](states)), sizes)
        made, first = [], 0
        for size, of_words in zip(sizes, tags, strict=True):
            begin, end = torch.triu_indices(size + 1, size + 1, 1) + first
            named = self.head["labels"](ends[end] - ends[begin])
            made.append((torch.cat([named.new_zeros(len(named), 1), named], 1), of_words))
            first += size + 2
        return made

    def loss_of(self, scores: Scores, targets: Mapping[str, Tensor]) -> Tensor:
        """Return the margin that the best wrong tree breaks, a word, and the cross-entropy of tags.

        A wrong tree is to be worse by the number of its spans whose label is not the right one.
        """
        spans, tags = scores
        gold = targets["spans"]
        wrong = torch.ones_like(spans).scatter_(1, gold[:, None], 0.0)
        chosen, labels = _best(spans.detach() + wrong, len(tags))
        worst = (spans + wrong)[chosen, labels].sum()
        margin = torch.relu(worst - spans.gather(1, gold[:, None]).sum()) / len(tags)
        return margin + cross_entropy(tags, targets["tags"])

    def answer(self, scores: Scores) -> Spans:
        """Return the best tree, and the best tag of each word."""
        spans, tags = scores
        words = len(tags)
        chosen, labels = _best(spans, words)
        begin, end = np.triu_indices(words + 1, 1)
        names = self.names["labels"]
        made = tuple(
            (int(begin[span]), int(end[span]), names[label - 1])
            for span, label in zip(chosen.tolist(), labels.tolist(), strict=True)
            if label
        )
        return Spans(made, tuple(self.names["tags"][tag] for tag in tags.argmax(1).tolist()))


def _best(scores: Tensor, words: int) -> tuple[Tensor, Tensor]:
    """Return the spans of the best tree, numbered, and their labels; that of the whole has one."""
    best, labels = scores.max(1)
    whole = words - 1
    root = scores[whole, 1:].max(0)
    best[whole], labels[whole] = root.values, root.indices + 1
    value = np.zeros((words + 1, words + 1), np.float32)
    value[np.triu_indices(words + 1, 1)] = best.cpu().numpy()
    chosen = torch.from_numpy(_numbers(best_bracketing(value), words))
    return chosen, labels[chosen]


def _numbers(spans: IntArray, words: int) -> Any:
    """Return the numbers of spans in the order of ``numpy.triu_indices(words + 1, 1)``."""
    begin, end = spans[:, 0].astype(np.int64), spans[:, 1].astype(np.int64)
    return begin * (2 * words - begin + 1) // 2 + end - begin - 1
