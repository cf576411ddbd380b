"""The verbs of linda: a model from texts, texts between texts, and what they refuse."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from induction.corpus.formats import read_corpus
from tests.treewright import test_command_line

run = test_command_line.run
LINES = "red apples fall\nmy aunt sings\n\nwe drink tea\n"
SMALL = (
    "--model", "small", "--width", "16", "--layers", "1", "--pieces", "300", "--batch", "4",
    "--steps", "3",
)  # fmt: skip


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    (tmp_path / "texts.txt").write_text(LINES, encoding="utf-8")
    return tmp_path


def test_a_model_is_trained_and_interpolates(folder: Path, run) -> None:
    done = run("linda", "train", "texts.txt", *SMALL, "-o", "model", "--json")
    assert done.code == 0, done.err
    facts = json.loads(done.out)
    assert (facts["model"], facts["texts"]) == ("model", 3)
    assert "1 texts are left out" in done.err
    done = run("linda", "interpolate", "model", "red tea", "my aunt", "--alpha", "0,0.5,1")
    assert done.code == 0, done.err
    assert [line.split("\t")[0] for line in done.out.splitlines()] == ["0", "0.5", "1"]
    (folder / "pairs.tsv").write_text("red tea\tmy aunt\nwe sing\tshe reads\n", encoding="utf-8")
    done = run(
        "linda", "interpolate", "model", "--pairs", "pairs.tsv", "--alpha", "0.5", "-o", "m.jsonl"
    )
    assert done.code == 0, done.err
    made = read_corpus(folder / "m.jsonl")
    assert made.column("first") == ["red tea", "we sing"]
    assert made.column("alpha") == [0.5, 0.5]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (
            ["train", "texts.txt", "--model", "small", "--learning-rate", "fast", "-o", "m"],
            "learning_rate",
        ),
        (["train", "texts.txt", "--model", "no/such-model", "-o", "m"], "save_pretrained"),
        (["train", "nothing.txt", "--model", "small", "-o", "m"], "nothing.txt"),
        (["train", "texts.txt", "--model", "small", "--device", "cuda", "-o", "m"], "CUDA"),
        (["interpolate", "./nowhere", "a", "b"], "no such folder"),
        (["interpolate", "./nowhere", "a"], "two texts"),
        (["interpolate", "m", "a", "b", "--alpha", "2"], "shares of the first text"),
        (["interpolate", "m", "--pairs", "texts.txt"], "texts.txt, line 1"),
        (["interpolate", "m", "a", "b", "--pairs", "texts.txt"], "--pairs"),
    ],
)
def test_bad_input_is_told(folder: Path, run, arguments: list[str], said: str) -> None:
    done = run("linda", *arguments)
    assert done.code == 1
    assert said in done.err
    assert "Traceback" not in done.err
    assert not (folder / "m").exists()
