"""A tiny encoder, made here, so that no test needs a network or a large package."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

MARKS = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")
SENTENCES = (
    "good great moving bad dull poor film movie plot acting was is a the very really not it",
    "walk run cat dog we they saw liked hated",
)


@pytest.fixture(scope="session")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A saved encoder of four layers with random weights, which knows a few words."""
    pytest.importorskip("torch")
    pytest.importorskip("transformers")
    return save_tiny(tmp_path_factory.mktemp("tiny"))


def save_tiny(folder: Path) -> Path:
    import torch
    import transformers

    words = [*MARKS, *" ".join(SENTENCES).split()]
    torch.manual_seed(0)
    config = transformers.BertConfig(
        vocab_size=len(words), hidden_size=32, num_hidden_layers=4,
        num_attention_heads=2, intermediate_size=64, max_position_embeddings=40,
        initializer_range=0.3,
    )  # fmt: skip
    transformers.BertModel(config).save_pretrained(folder)
    vocabulary = {word: number for number, word in enumerate(words)}
    transformers.BertTokenizerFast(vocab=vocabulary).save_pretrained(folder)
    return folder


@pytest.fixture(scope="session")
def encoder(tiny: Path) -> Any:
    """The same, opened."""
    from classifiers.encoders.opening import open_encoder

    return open_encoder(str(tiny), device="cpu")


@pytest.fixture(autouse=True)
def _own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TREEWRIGHT_CACHE", str(tmp_path / "vectors"))
