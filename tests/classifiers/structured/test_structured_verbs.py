"""The verbs of structured: what they write, say and refuse, and parse with what they made."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from grammar.trees.tree import Tree
from tests.treewright import test_command_line

pytest.importorskip("transformers")

run = test_command_line.run

TREES = """
(TOP (S (NP (DT the) (NN cat)) (VP (VBD saw) (NP (DT a) (NN dog)))))
(TOP (S (NP (PRP we)) (VP (VBD liked) (NP (DT the) (NN film)))))
(TOP (S (NP (PRP they)) (VP (VBD hated) (NP (DT the) (JJ bad) (NN movie)))))
(TOP (FRAG (JJ good) (NN plot)))
(TOP (UH good))
"""


def test_verbs_train_predict_and_parse(tiny: Path, tmp_path: Path, run: Any) -> None:
    trees = tmp_path / "few.mrg"
    trees.write_text(TREES)
    how = ["--encoder", str(tiny), "--steps", "3", "--hidden", "8", "--device", "cpu"]
    folder = str(tmp_path / "parser")
    made = run("augment", trees, "-o", tmp_path / "new.jsonl", "-n", "4", "-m",
               "sub2(task=constituency)")  # fmt: skip
    assert made.code == 0, made.err
    done = run(
        "structured", "train", "constituency", str(trees), "--new", str(tmp_path / "new.jsonl"),
        "--test", str(trees), "-o", folder, "--json", *how,
    )  # fmt: skip
    assert done.code == 0, done.err
    facts = json.loads(done.out)
    assert (facts["sentences"], facts["new sentences"]) == (5, 4)
    assert 0 <= facts["F1"] <= 100
    (tmp_path / "words.txt").write_text("we saw the dog\n")
    assert Tree.parse(run("parse", folder, str(tmp_path / "words.txt")).out).leaves()[0] == "we"
    done = run("parse", folder, str(tmp_path / "words.txt"), "--kbest", "2")
    assert done.code == 1
    assert "knows no probabilities" in done.err
    done = run("structured", "train", "constituency", str(trees), "--new", str(trees), "-o",
               str(tmp_path / "other"), *how)  # fmt: skip
    assert "no provenance" in done.err
