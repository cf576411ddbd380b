"""The verb generate: what it prints and writes, and one message for each fault."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.sampling.neural.decoding.conftest import byte_tokenizer, save_gpt2
from tests.treewright import test_command_line

run = test_command_line.run
HOW = ("--model", "tiny", "--device", "cpu", "--max-tokens", "40", "--particles", "4")


@pytest.fixture(autouse=True)
def source(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    (tmp_path / "g.txt").write_text("S -> 'very' S [0.3] | 'good' [0.7]\n", "utf-8")
    save_gpt2(tmp_path / "tiny", byte_tokenizer([], "verygod"))
    return tmp_path


def test_texts_are_printed_or_written(run, tmp_path):
    printed = run("generate", "g.txt", *HOW, "-n", "3", "--prompt", "so:")
    assert printed.code == 0, printed.err
    assert {line.split()[-1] for line in printed.out.splitlines()} == {"good"}
    done = run("generate", "g.txt", *HOW, "-n", "3", "--prompt", "so:", "-o", "out.jsonl")
    assert done.code == 0, done.err
    assert "log normaliser" in done.err + done.out
    rows = [json.loads(line) for line in (tmp_path / "out.jsonl").read_text().splitlines()]
    assert [row["text"] for row in rows] == printed.out.splitlines()
    assert all(row["log_weight"] < 0 and row["model_log_probability"] < 0 for row in rows)
    assert rows[2]["provenance"]["index"] == 2


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--stop", "go"], "stop='go' begins with a character of texts"),
        (["--prompt", "very " * 9], "the model reads 63 together"),
        (["-o", "out.pdf"], "out.pdf"),
    ],
)
def test_faults(run, arguments, message):
    done = run("generate", "g.txt", *HOW, *arguments)
    assert done.code == 1
    assert message in done.err


def test_a_grammar_of_which_the_next_word_is_not_known_is_refused(run, tmp_path):
    (tmp_path / "g.txt").write_text("S -> < a | b > [1]\n")
    done = run("generate", "g.txt", *HOW)
    assert done.code != 0
    assert "Traceback" not in done.err
