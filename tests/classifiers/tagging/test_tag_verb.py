"""The verb classify tag: what it writes, what it says, and what it refuses."""

from __future__ import annotations

from pathlib import Path

import pytest

from induction.corpus.formats import read_corpus
from tests.treewright import test_command_line

run = test_command_line.run

NAMES = "Ann\tB-PER\nleft\tO\nRome\tB-LOC\n\nBo\tB-PER\nwent\tO\nhome\tO\n\n"


@pytest.fixture
def files(tmp_path: Path) -> Path:
    (tmp_path / "names.conll").write_text(NAMES)
    (tmp_path / "texts.jsonl").write_text('{"text": "Bo left Rome", "day": "Monday"}\n')
    return tmp_path


def test_texts_get_the_spans_that_are_found(run, files: Path) -> None:
    done = run("classify", "tag", files / "names.conll", files / "texts.jsonl", "-o",
               files / "found.jsonl", "--json")  # fmt: skip
    assert done.code == 0, done.err
    found = read_corpus(files / "found.jsonl")
    assert [span["label"] for span in found[0]["spans"]] == ["PER", "LOC"]
    assert found[0]["day"] == "Monday"
    assert done.facts["spans"] == 2
    assert "F1" not in done.facts


def test_spans_that_are_there_score_those_that_are_found(run, files: Path) -> None:
    train = files / "names.conll"
    done = run("classify", "tag", train, train, "-o", files / "found.conll", "--json")
    assert done.facts["F1"] == 100.0
    assert done.facts["F1 of LOC"] == 100.0
    assert (files / "found.conll").read_text() == NAMES
    assert "score" in done.err


@pytest.mark.parametrize(
    ("arguments", "what"),
    [
        (("texts.jsonl", "names.conll", "-o", "o.jsonl"), "no column 'spans'"),
        (("none.conll", "names.conll", "-o", "o.jsonl"), "No such file"),
        (("names.conll", "names.conll", "-o", "o.xyz"), "cannot be inferred from the file name"),
        (("-", "-", "-o", "o.jsonl"), "both files are standard input"),
    ],
)  # fmt: skip
def test_what_it_refuses(run, files: Path, arguments, what, monkeypatch) -> None:
    monkeypatch.chdir(files)
    done = run("classify", "tag", *arguments)
    assert done.code == 1
    assert what in done.err
    assert "Traceback" not in done.err
    assert not (files / "o.jsonl").exists()
