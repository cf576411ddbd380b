"""Models of each kind, made here with random weights, and a module that tells if it was run."""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.treewright import test_command_line

run = test_command_line.run

WORDS = [
    "good",
    "great",
    "bad",
    "dull",
    "film",
    "movie",
    "plot",
    "was",
    "it",
    "a",
    "the",
    "very",
    "we",
    "saw",
    "liked",
]
EXAMPLES = {"text": ["good film", "bad plot", "great movie", "dull film"], "label": list("abab")}
PAYLOAD = """\
from pathlib import Path

Path({mark!r}).touch()

from transformers import BertConfig, BertForMaskedLM, BertModel, BertTokenizer


class Config(BertConfig):
    model_type = "payload"


class Model(BertForMaskedLM):
    config_class = Config


class Pieces(BertTokenizer):
    pass
"""
ASKED: list[str] = []
"""What was asked of the system since a test began: questions, connections."""
_WATCHED = {"builtins.input", "socket.connect", "socket.getaddrinfo"}
_WATCHING: list[bool] = []


def _watch(event: str, _: Any) -> None:
    if _WATCHING and event in _WATCHED:
        ASKED.append(event)


sys.addaudithook(_watch)


@pytest.fixture
def watched() -> Iterator[list[str]]:
    """What is asked of the system in a test."""
    ASKED.clear()
    _WATCHING.append(True)
    yield ASKED
    _WATCHING.clear()


@pytest.fixture(scope="session")
def plain(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """A folder with a model of each kind."""
    pytest.importorskip("torch")
    transformers = pytest.importorskip("transformers")
    marks = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    vocabulary = {word: number for number, word in enumerate([*marks, *WORDS, "##s"])}
    tokenizer = transformers.BertTokenizerFast(vocab=vocabulary, model_max_length=32)
    bert = transformers.BertConfig(
        vocab_size=len(vocabulary), hidden_size=8, num_hidden_layers=2, num_attention_heads=2,
        intermediate_size=8, max_position_embeddings=32,
    )  # fmt: skip
    gpt = transformers.GPT2Config(
        vocab_size=len(vocabulary), n_embd=8, n_layer=1, n_head=2, n_positions=32,
        bos_token_id=2, eos_token_id=3, pad_token_id=0,
    )  # fmt: skip
    bart = transformers.BartConfig(
        vocab_size=len(vocabulary), d_model=8, encoder_layers=1, decoder_layers=1,
        encoder_attention_heads=2, decoder_attention_heads=2, encoder_ffn_dim=8,
        decoder_ffn_dim=8, max_position_embeddings=32, bos_token_id=2, eos_token_id=3,
        pad_token_id=0, decoder_start_token_id=2, forced_eos_token_id=3,
    )  # fmt: skip
    made = {
        "encoder": transformers.BertModel(bert),
        "masked": transformers.BertForMaskedLM(bert),
        "classifier": transformers.BertForSequenceClassification(bert),
        "causal": transformers.GPT2LMHeadModel(gpt),
        "seq2seq": transformers.BartForConditionalGeneration(bart),
    }
    folders = {}
    for kind, model in made.items():
        folders[kind] = tmp_path_factory.mktemp("models") / kind
        model.save_pretrained(folders[kind])
        tokenizer.save_pretrained(folders[kind])
    return folders


@pytest.fixture
def model(plain: dict[str, Path], tmp_path: Path) -> Callable[..., Path]:
    """Return a copy of a model of a kind, whose settings may be changed."""

    def copied(kind: str = "masked", file: str = "config.json", **changed: Any) -> Path:
        folder = tmp_path / f"a-{kind}"
        if not folder.exists():
            shutil.copytree(plain[kind], folder)
        path = folder / file
        held = json.loads(path.read_text()) if path.exists() else {}
        path.write_text(json.dumps(held | changed))
        return folder

    return copied


@pytest.fixture
def mark(tmp_path: Path) -> Path:
    """A file that is there when a payload was run."""
    return tmp_path / "the payload was run"


@pytest.fixture
def armed(model: Callable[..., Path], mark: Path) -> Callable[[str], Path]:
    """Return a model of a kind that brings code along and asks for it, of a type of its own."""

    def made(kind: str) -> Path:
        names = {"AutoConfig": "payload.Config", "AutoModel": "payload.Model"}
        folder = model(kind, model_type="payload", auto_map=names)
        (folder / "payload.py").write_text(PAYLOAD.format(mark=str(mark)))
        return folder

    return made


@pytest.fixture(scope="session")
def saved(plain: dict[str, Path], tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """A classifier, a tagger and an interpolation model, as they are saved."""
    from classifiers import read_structured_config, save_structured, train_structured
    from classifiers.config import read_config
    from classifiers.examples import read_examples
    from classifiers.saving import save_classifier
    from classifiers.training.train import trainer
    from induction import Corpus
    from sampling.neural.linda.folder import save_interpolator
    from sampling.neural.linda.interpolator import Interpolator
    from sampling.neural.opening import open_model

    folder = tmp_path_factory.mktemp("saved")
    config = read_config(encoder=str(plain["encoder"]), train="frozen", device="cpu")
    examples = read_examples(Corpus.from_columns(**EXAMPLES))
    save_classifier(trainer(config)(examples), folder / "classifier")
    tagged = Corpus.from_columns(
        text=["good film", "bad plot"], tags=[["A", "N"], ["A", "N"]],
    )  # fmt: skip
    options = read_structured_config(encoder=str(plain["encoder"]), steps=1, device="cpu")
    save_structured(train_structured("tags", tagged, options), folder / "tagger")
    save_interpolator(Interpolator(*open_model(str(plain["seq2seq"]), "seq2seq")), folder / "linda")
    return {name: folder / name for name in ("classifier", "tagger", "linda")}
