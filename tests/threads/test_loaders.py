"""Loaders of torch whose workers are forked or spawned: the same examples as alone."""

from __future__ import annotations

from itertools import islice
from typing import Any, cast

import pytest

pytest.importorskip("torch")

import numpy as np
from torch.utils.data import DataLoader

from classifiers.on_the_fly import OnTheFly, TokenBlocks
from grammar import Grammar
from induction.corpus.corpus import Corpus
from induction.parsers.chart import ChartTextParser
from sampling.method import induce
from sampling.pipeline.on_the_fly import Epochs
from sampling.sentences.token_streams import TokenStream
from tests.threads.together import together

WAYS = ("fork", "spawn")
SMALL = Corpus.from_columns(
    text=["a b c d", "e f g h", "i j k l", "m n o p"] * 3, label=[0, 1, 0, 1] * 3
)
TEXT = "S -> 'very' S [0.5] | 'good' [0.5]"


def by_id(rows: Any) -> dict[str, Any]:
    return {row["id"]: row for row in rows}


def epochs() -> Epochs:
    return Epochs(SMALL, induce("randmix", SMALL, threshold=0.5), seed=3)


def loaded(data: Any, way: str) -> Any:
    return DataLoader(
        data, batch_size=None, num_workers=2, multiprocessing_context=way, persistent_workers=True
    )


@pytest.mark.parametrize("way", WAYS)
def test_examples(way: str) -> None:
    alone = [by_id(epochs().rows(epoch)) for epoch in range(2)]
    used = epochs()
    # kernels and threads have been at work in this process before it is forked
    together([lambda: list(used.rows(0))], 8)
    loader = loaded(OnTheFly(used), way)
    assert [by_id(loader) for _ in range(2)] == alone


def test_tokens() -> None:
    def first(blocks: Any) -> list[list[int]]:
        return [block.tolist() for block in islice(blocks, 12)]

    def blocks() -> TokenBlocks:
        return TokenBlocks(TokenStream(Grammar.parse(TEXT), shards=2), 8)

    assert first(loaded(blocks(), "fork")) == first(blocks())


class Answers:
    """A data set whose items are parsed, and named by a classifier, as they are asked for."""

    def __init__(self) -> None:
        from classifiers.config import read_config
        from classifiers.examples import read_examples
        from classifiers.training.train import trainer

        how = {"encoder": "cnn", "steps": 4, "batch": 4, "device": "cpu"}
        self.model = trainer(read_config(**how))(read_examples(SMALL))
        self.parser = ChartTextParser(Grammar.parse(TEXT))
        self.texts = ["good", "very good", "very very good", "good good"]

    def __len__(self) -> int:
        return len(self.texts)

    def __getitem__(self, number: int) -> tuple[str, list[float]]:
        text = self.texts[number]
        return str(self.parser.parse([text])[0]), self.model.probabilities([text])[0].tolist()


def test_parses_and_classes_in_a_process_that_is_spawned() -> None:
    """A process that is forked beside threads may wait for ever in a library of linear algebra."""
    data = Answers()
    alone = [data[k] for k in range(len(data))]
    together([lambda: [data[k] for k in range(len(data))]], 8)
    loader = DataLoader(
        cast(Any, data), batch_size=None, num_workers=1, multiprocessing_context="spawn"
    )
    for (tree, shares), (as_tree, as_shares) in zip(loader, alone, strict=True):
        assert tree == as_tree
        assert np.allclose(shares, as_shares, atol=1e-6)


class Trees:
    """A data set whose items are parsed as they are asked for."""

    def __init__(self) -> None:
        self.parser = ChartTextParser(Grammar.parse(TEXT))

    def __len__(self) -> int:
        return 4

    def __getitem__(self, number: int) -> str:
        return str(self.parser.parse([" ".join(["very"] * number + ["good"])])[0])


@pytest.mark.parametrize("way", WAYS)
def test_parses(way: str) -> None:
    data = Trees()
    alone = [data[k] for k in range(len(data))]
    together([lambda: [data[k] for k in range(len(data))]], 8)
    loader = DataLoader(
        cast(Any, data), batch_size=None, num_workers=1, multiprocessing_context=way
    )
    assert list(loader) == alone
