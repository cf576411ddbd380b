"""Classifiers and models of torch that a hundred threads use at once."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

pytest.importorskip("torch")
pytest.importorskip("transformers")

import numpy as np
import torch

from classifiers.config import read_config
from classifiers.encoders.encoding import pooled
from classifiers.encoders.opening import open_encoder
from classifiers.examples import Examples, read_examples
from classifiers.training.train import Classifier, trainer
from induction.corpus.corpus import Corpus
from sampling.neural.prompted.local import LocalModel
from sampling.neural.threads import seeded
from tests.classifiers.conftest import save_tiny
from tests.threads.together import check_alike, together

TEXTS = ["good great movie", "bad dull film", "not good", "the plot was moving", "a very poor dog"]
HOW: dict[str, Any] = {"steps": 6, "batch": 4, "learning_rate": 4e-3, "device": "cpu"}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return save_tiny(tmp_path_factory.mktemp("tiny"))


@pytest.fixture(scope="module", autouse=True)
def one_thread_each() -> Any:
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TREEWRIGHT_CACHE", str(tmp_path / "vectors"))


def few() -> Examples:
    return read_examples(Corpus.from_columns(text=TEXTS, label=["y", "n", "n", "y", "n"]))


def trained(kind: str, folder: Path, seed: int = 0) -> Classifier:
    configs: dict[str, dict[str, Any]] = {
        "tfidf": {"encoder": "tfidf"},
        "cnn": {"encoder": "cnn", **HOW},
        "frozen": {"encoder": str(folder), "train": "frozen", "device": "cpu"},
        "perceptron": {"encoder": str(folder), "train": "frozen", "head": "perceptron", **HOW},
        "fine-tuned": {"encoder": str(folder), "train": "whole", **HOW},
    }
    given = configs[kind]
    return trainer(read_config(**given, **({"seed": seed} if "steps" in given else {})))(few())


KINDS = ("tfidf", "cnn", "frozen", "perceptron", "fine-tuned")


@pytest.mark.parametrize("kind", KINDS)
def test_classifiers(kind: str, folder: Path) -> None:
    """Texts of different lengths, so that batches are cut and filled up in different ways."""
    parts = [TEXTS[:2], TEXTS[2:], [*TEXTS, " ".join(TEXTS * 9)], TEXTS[4:]]
    shared = trained(kind, folder)
    alone = [shared.probabilities(part) for part in parts]
    found = together([partial(shared.probabilities, part) for part in parts])
    for number, each in enumerate(found):
        assert np.allclose(each, alone[number % len(parts)], atol=1e-6), f"thread {number}"


def test_dropout_of_one_thread_is_not_that_of_another(folder: Path) -> None:
    shared: Any = trained("fine-tuned", folder)
    asks: list[Callable[[], Any]] = [
        lambda: shared.probabilities(TEXTS).tolist(),
        lambda: shared.passes(TEXTS, 3, seed=1).tolist(),
        lambda: shared.passes(TEXTS, 3, seed=2).tolist(),
    ]
    alone = [ask() for ask in asks]
    assert alone[1] != alone[2]
    check_alike(asks, alone, 30)


@pytest.mark.parametrize("kind", ["cnn", "fine-tuned"])
def test_trainings_beside_one_another(kind: str, folder: Path) -> None:
    def probabilities(seed: int) -> Any:
        return trained(kind, folder, seed).probabilities(TEXTS).tolist()

    alone = [probabilities(seed) for seed in (0, 1)]
    torch.manual_seed(5)
    before = torch.random.get_rng_state()
    check_alike([partial(probabilities, seed) for seed in (0, 1)], alone, 6)
    assert torch.equal(torch.random.get_rng_state(), before)


def test_states_of_an_encoder_not_used_before(folder: Path) -> None:
    parts = [TEXTS[:1], TEXTS, [" ".join(TEXTS)] * 2]
    lone = open_encoder(str(folder), device="cpu")
    alone = [pooled(lone, part, max_length=8).tolist() for part in parts]
    shared = open_encoder(str(folder), device="cpu")
    check_alike(
        [lambda part=part: pooled(shared, part, max_length=8).tolist() for part in parts], alone
    )


def test_draws_of_torch() -> None:
    def drawn(seed: int) -> list[float]:
        with seeded(seed):
            made = [float(torch.rand(1)) for _ in range(20)]
        return made

    alone = [drawn(seed) for seed in range(5)]
    check_alike([partial(drawn, seed) for seed in range(5)], alone)


def test_lines_that_a_model_writes(folder: Path) -> None:
    from transformers import AutoTokenizer, GPT2Config, GPT2LMHeadModel

    tokenizer: Any = AutoTokenizer.from_pretrained(folder)
    tokenizer.padding_side = "left"
    size = {"n_embd": 16, "n_layer": 1, "n_head": 2, "n_positions": 40}
    model = GPT2LMHeadModel(GPT2Config(vocab_size=len(tokenizer), **size)).eval()
    writer = LocalModel(model, tokenizer, temperature=1.0, pieces=6)
    asked: Any = [SimpleNamespace(before=text, begin=" a") for text in TEXTS[:3]]
    seeds = [[seed] * len(asked) for seed in range(4)]
    alone = [writer.answers(asked, each) for each in seeds]
    assert alone[0] != alone[1]
    check_alike([partial(writer.answers, asked, each) for each in seeds], alone)
