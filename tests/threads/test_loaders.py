"""Loaders of torch whose workers are forked or spawned: the same examples as alone."""

from __future__ import annotations

from itertools import islice
from typing import Any

import pytest

pytest.importorskip("torch")

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
    return DataLoader(data, batch_size=None, num_workers=2, multiprocessing_context=way)


@pytest.mark.parametrize("way", WAYS)
def test_examples(way: str) -> None:
    alone = [by_id(epochs().rows(epoch)) for epoch in range(2)]
    used = epochs()
    # kernels and threads have been at work in this process before it is forked
    together([lambda: list(used.rows(0))], 8)
    loader = loaded(OnTheFly(used), way)
    assert [by_id(loader) for _ in range(2)] == alone


@pytest.mark.parametrize("way", WAYS)
def test_tokens(way: str) -> None:
    def first(blocks: Any) -> list[list[int]]:
        return [block.tolist() for block in islice(blocks, 12)]

    def blocks() -> TokenBlocks:
        return TokenBlocks(TokenStream(Grammar.parse(TEXT), shards=2), 8)

    assert first(loaded(blocks(), way)) == first(blocks())


class Parsed:
    """A data set whose items are parsed as they are asked for."""

    texts = ("good", "very good", "very very good", "good good")

    def __init__(self) -> None:
        self.parser = ChartTextParser(Grammar.parse(TEXT))

    def __len__(self) -> int:
        return len(self.texts)

    def __getitem__(self, number: int) -> str:
        return str(self.parser.parse([self.texts[number]])[0])


@pytest.mark.parametrize("way", WAYS)
def test_parses(way: str) -> None:
    data = Parsed()
    alone = [data[k] for k in range(len(data))]
    together([lambda: [data[k] for k in range(len(data))]], 8)
    assert list(loaded(data, way)) == alone


class Classified:
    """A data set whose items a classifier names."""

    def __init__(self) -> None:
        from classifiers.examples import read_examples
        from classifiers.recipe import read_recipe
        from classifiers.training.train import trainer

        how = {"encoder": "cnn", "updates": 4, "batch": 4, "device": "cpu"}
        self.model = trainer(read_recipe(**how))(read_examples(SMALL))
        self.texts = SMALL.column("text")[:4]

    def __len__(self) -> int:
        return len(self.texts)

    def __getitem__(self, number: int) -> list[float]:
        shares: list[float] = self.model.probabilities([self.texts[number]])[0].round(5).tolist()
        return shares


@pytest.mark.parametrize("way", WAYS)
def test_names_of_classes(way: str) -> None:
    data = Classified()
    alone = [data[k] for k in range(len(data))]
    together([lambda: [data[k] for k in range(len(data))]], 8)
    assert list(loaded(data, way)) == alone
