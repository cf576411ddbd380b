"""Taggers without an encoder on the disk: the same answers, damage told, the verbs."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from classifiers.saving import open_classifier
from classifiers.tagging.parts_of_speech import WordTagger
from classifiers.tagging.saving import Tagger, open_tagger, save_tagger
from classifiers.tagging.tagger import EntityTagger
from grammar.errors import OptionError, SchemaError, UnreadableInputError
from grammar.saving.array_file import load_arrays, save_arrays
from induction.corpus.corpus import Corpus
from induction.corpus.formats import read_corpus
from tests.checksums import sealed_again
from tests.treewright import test_command_line

run = test_command_line.run

WORDS = "1\twe\t_\tPRON\t_\t_\t2\tnsubj\t_\t_\n2\tleft\t_\tVERB\t_\t_\t0\troot\t_\t_\n\n"
NAMES = "Ann\tB-PER\nleft\tO\nRome\tB-LOC\n\n"


def corpus() -> Corpus:
    spans: list[Any] = [[{"start": 0, "end": 7, "label": "P"}], []]
    tags = [["PROPN", "PROPN", "VERB"], ["PRON", "ADP"]]
    return Corpus.from_columns(text=["Ann Lee left", "we in"], spans=spans, tags=tags)


@pytest.fixture(params=[WordTagger, EntityTagger])
def tagger(request: pytest.FixtureRequest) -> Tagger:
    made: Tagger = request.param.train(corpus())
    return made


def test_an_opened_tagger_is_the_one_that_was_saved(tagger: Tagger, tmp_path: Path) -> None:
    save_tagger(tagger, tmp_path / "tagger", {"data": "few.conll"})
    opened = open_tagger(tmp_path / "tagger")
    assert type(opened) is type(tagger)
    assert (opened.names, opened.features) == (tagger.names, tagger.features)
    for mine, other in zip(opened.weights, tagger.weights, strict=True):
        assert np.array_equal(mine, other)
    assert opened.tag(corpus()).table == tagger.tag(corpus()).table
    assert "- data: few.conll" in (tmp_path / "tagger" / "README.md").read_text()


@pytest.mark.parametrize("labels", [["good", "bad"], ["good", None], [1.5, None]])
def test_classes_of_texts_are_kept_and_not_looked_at(tagger: Tagger, labels: list[Any]) -> None:
    texts = corpus().with_column("label", labels)
    found = tagger.tag(texts)
    assert found.table["label"].equals(texts.table["label"])
    assert found.column(tagger.task) == tagger.tag(corpus()).column(tagger.task)
    assert type(tagger).train(texts).tag(texts).table == found.table


def test_what_is_no_tagger_is_refused(tagger: Tagger, tmp_path: Path) -> None:
    with pytest.raises(UnreadableInputError, match="there is no tagger"):
        open_tagger(tmp_path / "nothing")
    (tmp_path / "treewright.json").write_text("{}")
    with pytest.raises(SchemaError, match="not a tagger saved"):
        open_tagger(tmp_path)
    folder = tmp_path / "tagger"
    save_tagger(tagger, folder)
    with pytest.raises(SchemaError, match="a tagger without an encoder, not a classifier"):
        open_classifier(folder)
    (folder / "perceptron.arrow").write_bytes(b"ARROW1")
    with pytest.raises(SchemaError, match="not as it was saved"):
        open_tagger(folder)


@pytest.mark.parametrize(
    ("name", "value", "what"),
    [
        ("emitted", np.zeros(3), "emitted"),
        ("follows", np.zeros(2), "follows"),
        ("features", ["word a", "word a"], "features"),
        ("emitted", None, "not finite"),
    ],
)
def test_weights_that_do_not_fit_are_refused(
    tagger: Tagger, tmp_path: Path, name: str, value: Any, what: str
) -> None:
    folder = tmp_path / "tagger"
    save_tagger(tagger, folder)
    path = folder / "perceptron.arrow"
    _, held = load_arrays(path, "treewright.perceptron/1", what="weights", hint="none")
    held[name] = np.full(len(held[name]), np.nan) if value is None else value
    path.unlink()
    save_arrays(path, "treewright.perceptron/1", {}, held)
    sealed_again(folder)
    with pytest.raises(SchemaError, match=what):
        open_tagger(folder)


@pytest.mark.parametrize("names", [[], ["P", "P"], [1], "PQ", ["x"] * 99])
def test_names_that_do_not_fit_are_refused(tagger: Tagger, tmp_path: Path, names: Any) -> None:
    folder = tmp_path / "tagger"
    save_tagger(tagger, folder)
    held = json.loads((folder / "treewright.json").read_text())
    (folder / "treewright.json").write_text(json.dumps({**held, "names": names}))
    sealed_again(folder)
    with pytest.raises(SchemaError, match="damaged"):
        open_tagger(folder)


@pytest.mark.parametrize(
    ("task", "text", "ending", "score"),
    [("tags", WORDS, "conllu", "accuracy"), ("spans", NAMES, "conll", "F1")],
)
def test_verbs_train_and_predict(
    run: Any, tmp_path: Path, task: str, text: str, ending: str, score: str
) -> None:
    given, found = tmp_path / f"few.{ending}", tmp_path / f"found.{ending}"
    given.write_text(text)
    done = run("structured", "train", task, given, "--learner", "perceptron", "--steps", "9",
               "--test", given, "-o", tmp_path / "tagger", "--json")  # fmt: skip
    assert done.code == 0, done.err
    assert (done.facts["sentences"], done.facts[score]) == (1, 100.0)
    done = run("structured", "predict", tmp_path / "tagger", given, "-o", found, "--json")
    assert done.code == 0, done.err
    assert done.facts[score] == 100.0
    assert read_corpus(found).column(task) == read_corpus(given).column(task)
    (tmp_path / "raw.jsonl").write_text('{"text": "we left"}\n')
    out = tmp_path / "out.jsonl"
    done = run("structured", "predict", tmp_path / "tagger", tmp_path / "raw.jsonl", "-o", out,
               "--json")  # fmt: skip
    assert score not in done.facts
    assert task in read_corpus(out).names


def test_verbs_refuse_what_no_perceptron_learns(run: Any, tmp_path: Path) -> None:
    (tmp_path / "few.conllu").write_text(WORDS)
    how = ["structured", "train", "dependencies", tmp_path / "few.conllu", "-o", tmp_path / "o"]
    assert "no perceptron is there for dependencies" in run(*how, "--learner", "perceptron").err
    assert "there is no learner 'forest'" in run(*how, "--learner", "forest").err
    refused = run(*how, "--learner", "perceptron", "--encoder", "tiny")
    assert "a perceptron does not take --encoder" in refused.err
    with pytest.raises(OptionError):
        WordTagger.train(corpus(), steps=0)
