"""Formats of what is kept beside grammars and corpora: states, results, settings, models.

What a folder says of itself fits again, so that more is tried than its digests.
"""

from __future__ import annotations

import json
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

from grammar.pcfg.grammar import Grammar
from grammar.trees.evalb_parameters import EvalbParameters
from grammar.trees.treebank import Treebank
from induction.bayes.chain import BayesTSG
from induction.corpus.corpus import Corpus
from induction.corpus.readers import read_treebank
from induction.counts.pcfg import induce_pcfg
from induction.parsers.cache import CachedParser
from induction.parsers.chart import ChartTextParser
from induction.trees.heads import read_head_rules
from sampling.names.files import read_names
from sampling.pipeline.augment import augment
from sampling.pipeline.manifest import read_manifest, write_manifest
from sampling.pipeline.settings import read_settings, read_toml
from scan.experiment import Outcome
from scan.table import load_results, rows, to_csv
from tests.checksums import sealed_again
from tests.fuzz.folders import member
from tests.fuzz.kinds import Format, Make

__all__ = ["kept_formats"]

TREES = "(S (NP (DT the) (NN dog)) (VP (VBD ran)))\n(S (NP (PRP we)) (VP (VBD slept)))\n" * 3
TEXTS = ["a good film", "the great plot", "a bad dog", "the poor cat"]
HEADS = "s right-to-left vp np\nnp left-to-right nn nnp\n"
YES = Grammar.parse("S -> 'yes' [1/2] | 'no' S [1/2]")


def kept_formats() -> Iterator[Format]:
    """Yield all formats of this module."""
    yield from _texts()
    yield from _states()
    yield from _results()
    yield from _classifiers()
    yield from _interpolators()


def _texts() -> Iterator[Format]:
    yield Format("names.txt", _text("good: fine, great\nbad: poor\nthis is NAME\n"), read_names)
    yield Format("heads.txt", _text(HEADS), _read_heads)
    yield Format(
        "evalb.prm",
        _text("DELETE_LABEL TOP\nEQ_LABEL ADVP PRT\nLABELED 0\nCUTOFF_LEN 40\n"),
        EvalbParameters.load,
    )
    yield Format(
        "settings.toml",
        _text('[augment]\nmethod = "0.5*eda + aeda"\ntimes = 3\nlength = "5:9=2,10:12=3"\n'),
        lambda path: read_settings(read_toml(path)),
    )


def _states() -> Iterator[Format]:
    yield Format("treebank.arrow", Treebank.parse(TREES).save, _use_treebank)
    yield Format("chain.arrow", _begin_chain, _go_on_with_chain, slow=True)
    yield Format("parses.db", _parse_some, _parse_some, slow=True)


def _results() -> Iterator[Format]:
    yield Format("manifest.json", _save_manifest, _use_manifest)
    yield Format("round.arrow", _save_round, _use_round)
    yield Format("cell.json", _save_cell, _use_cell)
    yield Format("scan-cell.json", _save_scan_cell, _use_scan_cell)


def _text(text: str) -> Make:
    return lambda path: path.write_text(text, "utf-8")


def _read_heads(path: Path) -> None:
    read_head_rules(path)


def _use_treebank(path: Path) -> None:
    treebank = read_treebank(path)
    treebank.sentences()
    [str(tree) for tree in treebank]
    induce_pcfg(treebank)


def _begin_chain(path: Path) -> None:
    chain = BayesTSG(Treebank.parse(TREES))
    chain.step()
    chain.save(path)


def _go_on_with_chain(path: Path) -> None:
    chain = BayesTSG.load(path, Treebank.parse(TREES))
    chain.step()


def _parse_some(path: Path) -> None:
    parser = CachedParser(ChartTextParser(YES), path)
    list(parser.parse(["yes", "no yes", "no no yes"]))


def _save_manifest(path: Path) -> None:
    corpus = Corpus.from_columns(text=TEXTS, label=[1, 1, 0, 0])
    made = augment(corpus, "aeda", n=3)
    entry = {"path": "a.jsonl", "sha256": None, "examples": 4}
    output = {"path": "b.jsonl", "sha256": "0" * 64, "examples": 3}
    whole = {**made.manifest, "input": entry, "columns": {}, "output": output}
    write_manifest(whole, path.with_name("b.jsonl"))
    path.with_name("b.jsonl.manifest.json").rename(path)


def _use_manifest(path: Path) -> None:
    named = path.with_name(f"{path.stem}.manifest.json")
    shutil.copyfile(path, named)
    manifest = read_manifest(named)
    read_settings(manifest["settings"])
    named.unlink()


def _save_round(path: Path) -> None:
    from classifiers.semi_supervised.rounds import Pseudo, save_round

    labels = np.array([[0.25, 0.75], [1.0, 0.0]], np.float32)
    save_round(path.parent, 1, "key", Pseudo(np.array([0, 3]), labels, np.ones(2)))
    (path.parent / "round-1.arrow").rename(path)


def _use_round(path: Path) -> None:
    from classifiers.semi_supervised.rounds import load_round

    with tempfile.TemporaryDirectory() as folder:
        shutil.copyfile(path, Path(folder) / "round-1.arrow")
        held = load_round(Path(folder), 1, "key", texts=4)
    assert held is None or (held.labels * held.weights[:, None]).shape == (len(held.rows), 2)


def _save_cell(path: Path) -> None:
    from classifiers.table.files import Cell, Result, Wanted, run_missing

    cell = Cell("reviews", 5, 1, "none", 0)
    found = Result(cell, "settings", {"test": {"accuracy": 50.0}}, 0, 0.5, {"C": 1.0})
    with tempfile.TemporaryDirectory() as folder:
        run_missing([Wanted(cell, "settings", lambda: found)], folder)
        shutil.copyfile(Path(folder) / cell.path, path)


def _use_cell(path: Path) -> None:
    from classifiers.table.files import Cell, read_result
    from classifiers.table.summary import markdown, rows_of

    cell = Cell("reviews", 5, 1, "none", 0)
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / cell.path).parent.mkdir()
        shutil.copyfile(path, Path(folder) / cell.path)
        held = read_result(cell, folder)
    assert held is not None
    markdown(rows_of([held]))


def _save_scan_cell(path: Path) -> None:
    outcome = Outcome("jump", "none", 0, 9, 0, 9, 1.0, 0, 1, 0.5, 0.5, None, 0.5)
    path.write_text(json.dumps({"outcome": asdict(outcome)}))


def _use_scan_cell(path: Path) -> None:
    with tempfile.TemporaryDirectory() as folder:
        shutil.copyfile(path, Path(folder) / "jump-none-lstm-seed0.json")
        found = load_results(folder)
    assert found
    to_csv(rows({"lstm": found}, ["jump"], ["none"]))


def _classifiers() -> Iterator[Format]:
    yield member("tfidf.arrow", _save_tfidf, "tfidf.arrow", _use_classifier)
    yield member("classifier.json", _save_tfidf, "treewright.json", _use_classifier)
    yield member("perceptron.safetensors", _save_perceptron, "head.safetensors", _use_classifier)
    yield member("cnn.safetensors", _save_cnn, "head.safetensors", _use_classifier)
    yield member("words.arrow", _save_cnn, "words.arrow", _use_classifier)
    for file in ("config.json", "tokenizer.json", "tokenizer_config.json"):
        yield member(f"encoder-{file}", _save_perceptron, file, _use_classifier)
    yield member("span-parser.json", _save_span_parser, "treewright.json", _use_span_parser)
    yield member("tagger.arrow", _save_tagger, "perceptron.arrow", _use_tagger)
    yield member("tagger.json", _save_tagger, "treewright.json", _use_tagger)
    yield Format("training.safetensors", _save_checkpoint, _use_checkpoint)


def _few() -> Any:
    from classifiers.examples import read_examples

    return read_examples(Corpus.from_columns(text=TEXTS, label=["good", "good", "bad", "bad"]))


def _save_tfidf(folder: Path) -> None:
    from classifiers.saving import save_classifier
    from classifiers.training.frozen import train_tfidf

    save_classifier(train_tfidf(_few()), folder)


def _save_perceptron(folder: Path) -> None:
    from tests.classifiers.conftest import save_tiny

    with tempfile.TemporaryDirectory() as place:
        tiny = str(save_tiny(Path(place)))
        _save_trained(folder, encoder=tiny, train="frozen", head="perceptron")


def _save_cnn(folder: Path) -> None:
    _save_trained(folder, encoder="cnn")


def _save_trained(folder: Path, **how: Any) -> None:
    from classifiers.config import read_config
    from classifiers.saving import save_classifier
    from classifiers.training.train import trainer

    config = read_config(steps=2, batch=4, device="cpu", **how)
    save_classifier(trainer(config)(_few()), folder)


def _save_span_parser(folder: Path) -> None:
    from classifiers.structured.config import read_structured_config
    from classifiers.structured.learning import train_structured
    from classifiers.structured.saving import save_structured
    from induction.corpus.tree_files import corpus_of_trees
    from tests.classifiers.conftest import save_tiny

    with tempfile.TemporaryDirectory() as place:
        tiny = str(save_tiny(Path(place)))
        config = read_structured_config(encoder=tiny, steps=2, hidden=4, device="cpu")
        corpus = corpus_of_trees(Treebank.parse(TREES))
        save_structured(train_structured("constituency", corpus, config), folder)


def _use_span_parser(folder: Path) -> None:
    from classifiers.structured.saving import open_structured

    _seal_again(folder)
    opened = open_structured(folder, device="cpu")
    made = opened.apply(Corpus.from_columns(text=TEXTS))
    assert len(made) == len(TEXTS)


def _save_tagger(folder: Path) -> None:
    from classifiers.tagging.saving import save_tagger
    from classifiers.tagging.tagger import EntityTagger

    spans = [[{"start": 0, "end": text.index(" "), "label": "L"}] for text in TEXTS]
    save_tagger(EntityTagger.train(Corpus.from_columns(text=TEXTS, spans=spans)), folder)


def _use_tagger(folder: Path) -> None:
    from classifiers.tagging.saving import open_tagger

    _seal_again(folder)
    made = open_tagger(folder).tag(Corpus.from_columns(text=TEXTS))
    assert len(made) == len(TEXTS)


def _use_classifier(folder: Path) -> None:
    from classifiers.saving import open_classifier

    _seal_again(folder)
    opened = open_classifier(folder, device="cpu")
    made = opened.probabilities(TEXTS)
    assert np.asarray(made).shape[0] == len(TEXTS)


def _seal_again(folder: Path) -> None:
    """Let a folder say of itself what it holds."""
    with suppress(ValueError, LookupError, TypeError, AttributeError, RecursionError, OSError):
        sealed_again(folder)  # what is left of it may say nothing of others


def _save_checkpoint(path: Path) -> None:
    import torch

    from classifiers.networks.checkpoints import Checkpoint, save_checkpoint

    held = {"weight": torch.zeros(3, 2)}
    state = Checkpoint.now(
        update=3, key="key", model=held, moments=held, best=held, losses=[0.5], score=(1.0,),
        chosen=2,
    )  # fmt: skip
    save_checkpoint(path, state)


def _use_checkpoint(path: Path) -> None:
    from classifiers.networks.checkpoints import load_checkpoint

    load_checkpoint(path, "key")


def _interpolators() -> Iterator[Format]:
    yield member("linda.json", _save_linda, "treewright.json", _use_linda)
    for file in ("config.json", "generation_config.json", "tokenizer.json"):
        yield member(f"linda-{file}", _save_linda, file, _use_linda)
    yield member("linda.safetensors", _save_linda, "model.safetensors", _use_linda)


def _save_linda(folder: Path) -> None:
    from sampling.neural.linda.runs import train_linda

    train_linda(
        TEXTS, folder, model="small", width=16, layers=1, pieces=300, steps=1, batch=2
    )  # fmt: skip


def _use_linda(folder: Path) -> None:
    from sampling.neural.linda.folder import open_interpolator

    _seal_again(folder)
    open_interpolator(str(folder), device="cpu")
