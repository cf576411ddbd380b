"""The third part of the demo: what it says is what it measured."""

from __future__ import annotations

from pathlib import Path

import pytest

from classifiers.config import TrainingConfig
from induction import read_reviews
from sampling.names.files import parse_names
from treewright import demo_choice


def test_forty_reviews_are_labelled_and_the_rest_is_the_test() -> None:
    few, rest = demo_choice.labelled_reviews(3)
    labels = few.column("label")
    assert (labels.count("negative"), labels.count("positive")) == (20, 20)
    ids = {*few.column("id"), *rest.column("id")}
    assert len(few) + len(rest) == len(ids) == len(read_reviews())
    assert set(parse_names(demo_choice.NAMES).names) == set(labels)


def test_the_part_names_the_choice_and_both_accuracies(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(demo_choice, "config_here", lambda: TrainingConfig(encoder="tfidf"))
    monkeypatch.setattr(demo_choice, "METHODS", ("aeda",))
    text, lines = demo_choice.choice_part(tmp_path, seed=0)
    assert (tmp_path / "names.txt").read_text() == demo_choice.NAMES
    chosen = lines[0].removeprefix("choice: ")
    assert f"Chosen: **{chosen}**" in text
    assert text.count("| names(file=") == text.count("| aeda, weight") == 2
    before, after = (float(word) for word in lines[1].split() if word.startswith("0."))
    assert f"| without | {before:.2%} |" in text
    assert chosen != "none" or before == after


def test_without_the_package_of_the_encoder_it_is_tfidf(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(demo_choice, "find_spec", lambda name: None)
    assert demo_choice.config_here().encoder == "tfidf"
    monkeypatch.setattr(demo_choice, "find_spec", lambda name: object())
    assert demo_choice.config_here().train == "frozen"
