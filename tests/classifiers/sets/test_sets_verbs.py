"""Sets of classes at the command line, and in the report of quality."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from induction import Corpus, read_corpus, write_corpus
from tests.classifiers.sets.films import corpus
from tests.treewright import test_command_line

run = test_command_line.run


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Go into a folder with a training file and a test file."""
    write_corpus(corpus(), tmp_path / "train.jsonl")
    write_corpus(corpus(1), tmp_path / "test.csv")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_the_verbs_train_evaluate_and_predict_sets(files: Path, run: Any) -> None:
    train = ["classify", "train", "train.jsonl", "-o", "model", "--encoder", "tfidf"]
    trained = run(*train, "--test", "test.csv", "--json")
    facts = json.loads(trained.out)
    assert facts["test subset accuracy"] == facts["test micro F1"] == 1.0
    evaluated = json.loads(run("classify", "evaluate", "model", "test.csv", "--json").out)
    assert evaluated["classes"]["money"]["f1"] == 1.0
    refused = run("classify", "evaluate", "model", "test.csv", "--plot", "x.svg")
    assert refused.code == 1
    assert "no confusion matrix" in refused.err
    predict = ["classify", "predict", "model", "test.csv"]
    run(*predict, "-o", "named.csv")
    named = read_corpus("named.csv")
    found = [json.loads(cell) for cell in named.column("predicted")]
    assert found == [sorted(own) for own in corpus(1).column("label")]
    run(*predict, "-o", "one.jsonl", "--at-least-one")
    named = read_corpus("one.jsonl")
    assert min(map(len, named.column("predicted"))) == 1
    run(*predict, "-o", "few.jsonl", "--threshold", "1")
    assert not any(read_corpus("few.jsonl").column("predicted"))


def test_quality_measures_sets(files: Path) -> None:
    from sampling import assess, augment

    made = augment(corpus(8), "aeda", times=1, seed=1).corpus
    report = assess(corpus(8), made)
    assert report["fidelity"].score.value > 0.9
    assert report["label_shift"].score.value == 0
    labels = made.column("label")
    turned = made.with_column("label", pa.array(labels[1:] + labels[:1], pa.list_(pa.string())))
    wrong = assess(corpus(8), turned)
    assert wrong["fidelity"].score.value < 0.2
    assert wrong["fidelity_error"].score.value > report["fidelity_error"].score.value
    few = Corpus(made.table.slice(0, 2))
    assert assess(corpus(8), few)["label_shift"].score.value == pytest.approx(2 / 3)
