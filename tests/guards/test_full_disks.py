"""A full disk is one OutputError, whatever is written, and leaves nothing half-written."""

from __future__ import annotations

import sqlite3
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from grammar import Grammar
from grammar.errors import OutputError
from grammar.trees.treebank import Treebank
from induction.corpus.corpus import Corpus
from induction.corpus.formats import FORMATS, write_corpus
from induction.counts.pcfg import induce_pcfg
from induction.parsers.cache import CachedParser
from induction.parsers.chart import ChartTextParser
from sampling.pipeline.augment import augment
from sampling.pipeline.manifest import plan_of, write_manifest
from sampling.pipeline.pipeline import Pipeline
from sampling.pipeline.resuming import PartialWork
from sampling.pipeline.settings import read_settings

resource = pytest.importorskip("resource")

TEXTS = [f"a good film number {k}" for k in range(400)]
TREES = [f"(1 (D a) (N (A good) (N (N film) (N (N number) (N {k})))))" for k in range(400)]
CORPUS = Corpus.from_columns(
    text=TEXTS, label=[1] * 400, target=TEXTS, tree=TREES, tokens=[text.split() for text in TEXTS],
    spans=[[{"start": 2, "end": 6, "label": "L"}]] * 400,
)  # fmt: skip
ROOM = 600


@contextmanager
def full_disk() -> Iterator[None]:
    """Let no file become longer than :data:`ROOM` bytes, as if the disk were full behind them."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (ROOM, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def _classifier(**how: Any) -> Callable[[Path], None]:
    from classifiers.config import read_config
    from classifiers.examples import read_examples
    from classifiers.saving import save_classifier
    from classifiers.training.train import trainer

    few = Corpus.from_columns(text=TEXTS[:8], label=["x", "y"] * 4)
    trained = trainer(read_config(steps=1, batch=4, device="cpu", **how))(read_examples(few))
    return lambda path: save_classifier(trained, path)


def _tuned() -> Callable[[Path], None]:
    import tempfile

    from tests.classifiers.conftest import save_tiny

    with tempfile.TemporaryDirectory() as place:
        return _classifier(encoder=str(save_tiny(Path(place))))


def _scan() -> Callable[[Path], None]:
    from scan.models.config import TrainingConfig
    from scan.models.training import train

    model = train([("walk", "W")], config=TrainingConfig(hidden=8, embedding=8, steps=1))
    return model.save


def _state() -> Callable[[Path], None]:
    import torch

    from classifiers.networks.checkpoints import Checkpoint, save_checkpoint

    held = {"weight": torch.zeros(30, 20)}
    state = Checkpoint.now(update=3, key="k", model=held, moments=held, best=held, losses=[0.5],
                           score=(1.0,), chosen=2)  # fmt: skip
    return lambda path: save_checkpoint(path, state)


def _linda() -> Callable[[Path], None]:
    from sampling.neural.linda.runs import train_linda

    return lambda path: train_linda(
        TEXTS[:4], path, model="small", width=16, layers=1, pieces=300, steps=1, batch=2
    )


def _grammar() -> Callable[[Path], None]:
    grammar = induce_pcfg(Treebank.parse("\n".join(TREES)))
    return lambda path: grammar.save(f"{path}.json")


def _manifest() -> Callable[[Path], None]:
    manifest = augment(Corpus.from_columns(text=TEXTS[:9]), "aeda", n=3).manifest
    return lambda path: write_manifest(manifest, path)


def _work() -> Callable[[Path], None]:
    pipeline = Pipeline(Corpus.from_columns(text=TEXTS), read_settings({"method": "aeda"}))

    def write(path: Path) -> None:
        with PartialWork(f"{path}.jsonl", plan_of(pipeline), shard=50) as work:
            work.begin(pipeline, resume=False, force=False)
            list(work.tables(pipeline.pieces(), pipeline.state))

    return write


MODELS = {
    "classifier of words": lambda: _classifier(encoder="tfidf"),
    "classifier from scratch": lambda: _classifier(encoder="cnn"),
    "classifier on an encoder": _tuned,
    "sequences": _scan,
    "state of training": _state,
    "interpolation": _linda,
    "grammar": _grammar,
    "treebank": lambda: Treebank.parse("\n".join(TREES)).save,
    "manifest": _manifest,
    "unfinished work": _work,
}


@pytest.mark.skipif(sys.platform == "win32", reason="files have no limits there")
@pytest.mark.parametrize("name", MODELS)
def test_what_is_saved_on_a_full_disk_is_one_error(tmp_path, name):
    if name not in ("grammar", "treebank", "manifest", "unfinished work", "classifier of words"):
        pytest.importorskip("torch")
    save = MODELS[name]()
    with full_disk(), pytest.raises(OutputError) as caught:
        save(tmp_path / "new")
    assert str(tmp_path) in str(caught.value)
    assert caught.value.hint
    assert list(tmp_path.iterdir()) == []


@pytest.mark.skipif(sys.platform == "win32", reason="files have no limits there")
@pytest.mark.parametrize(
    "format", [*(name for name, one in FORMATS.items() if one.is_written), "hf"]
)
def test_a_corpus_on_a_full_disk_is_one_error(tmp_path, format):
    if format in ("hf", "spacy"):
        pytest.importorskip("datasets" if format == "hf" else "spacy")
    with full_disk(), pytest.raises(OutputError, match="cannot write") as caught:
        write_corpus(CORPUS, tmp_path / "new", format=format)
    assert "a disk with free space" in caught.value.hint
    assert list(tmp_path.iterdir()) == []


def test_a_cache_on_a_full_disk_is_one_error(tmp_path, monkeypatch):
    parser = CachedParser(ChartTextParser(Grammar.parse("S -> 'yes' [1]")), tmp_path / "a.db")
    whole = sqlite3.connect

    def small(*given: Any, **how: Any) -> Any:
        database = whole(*given, **how)
        pages = database.execute("PRAGMA page_count").fetchone()[0]
        database.execute(f"PRAGMA max_page_count = {pages}")
        return database

    monkeypatch.setattr(sqlite3, "connect", small)
    with pytest.raises(OutputError, match="cannot use the parse cache: .*full"):
        list(parser.parse(["yes", *(" ".join(["yes"] * k) for k in range(2, 300))]))
