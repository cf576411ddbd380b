"""What a linear head is fitted to, and what it is not."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import pytest
from numpy.typing import NDArray

from classifiers.config import TrainingConfig
from classifiers.examples import Examples, read_examples
from classifiers.training import fitting as fitting_module
from classifiers.training.fitting import fit_config, is_fitted
from classifiers.training.train import trainer
from induction import Corpus

OPEN = TrainingConfig(encoder="tfidf")


@dataclass
class Known:
    """Right if the config is the one that is best."""

    config: TrainingConfig
    right: bool

    def probabilities(self, texts: Sequence[object]) -> NDArray[np.float64]:
        says = np.array([[1.0, 0.0] if str(text).startswith("a") else [0.0, 1.0] for text in texts])
        return says if self.right else says[:, ::-1]


def few(first: int = 6, second: int = 6) -> Examples:
    texts = [f"a{i}" for i in range(first)] + [f"b{i}" for i in range(second)]
    labels = ["a"] * first + ["b"] * second
    return read_examples(Corpus.from_columns(text=texts, label=labels))


@pytest.mark.parametrize("best", [{"C": 0.1}, {"C": 100.0}, {"ngrams": 1}])
def test_what_is_right_most_often_is_taken(best: dict[str, float]) -> None:
    def train(_: Examples, config: TrainingConfig) -> Known:
        return Known(config, all(getattr(config, name) == value for name, value in best.items()))

    found = fit_config(OPEN, few(), train)
    assert all(getattr(found, name) == value for name, value in best.items())
    assert is_fitted(found)
    assert not is_fitted(OPEN)


def test_of_several_alike_the_usual_is_taken_and_what_is_said_stays() -> None:
    def train(_: Examples, config: TrainingConfig) -> Known:
        return Known(config, right=True)

    usual = {"C": 10.0, "ngrams": 2, "pooling": "mean", "class_weight": "none"}
    assert fit_config(OPEN, few(), train) == replace(OPEN, **usual)  # type: ignore[arg-type]
    said = TrainingConfig(encoder="tfidf", C=3.0, ngrams=1, class_weight="balanced")
    assert fit_config(said, few(), train) is said


def test_new_examples_are_not_fitted_to_and_never_judge() -> None:
    seen: set[str] = set()

    def train(examples: Examples, config: TrainingConfig) -> Known:
        assert not examples.new.any()
        seen.update(map(str, examples.texts))
        return Known(config, right=True)

    given = few()
    fit_config(OPEN, given.with_new(few(9, 9)), train)
    assert seen == set(given.texts)


def test_classes_are_weighed_only_where_they_are_uneven() -> None:
    def train(_: Examples, config: TrainingConfig) -> Known:
        return Known(config, config.class_weight == "balanced")

    assert fit_config(OPEN, few(), train).class_weight == "none"
    assert fit_config(OPEN, few(12, 4), train).class_weight == "balanced"


def test_a_class_with_one_example_leaves_all_as_usual() -> None:
    def never(_: Examples, config: TrainingConfig) -> Known:
        raise AssertionError

    assert fit_config(OPEN, few(5, 1), never).C == 10.0


def test_of_many_examples_some_are_fitted_to(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fitting_module, "MOST", 12)
    sizes = []

    def train(examples: Examples, config: TrainingConfig) -> Known:
        sizes.append(np.bincount(examples.hard).tolist())
        return Known(config, right=True)

    fit_config(OPEN, few(60, 30), train)
    assert {sum(size) for size in sizes} <= {9, 10}
    assert all(first > second for first, second in sizes)


def test_a_fitted_training_is_the_same_again() -> None:
    corpus = Corpus.from_columns(text=["a good film", "a bad film"] * 4, label=["g", "b"] * 4)
    training, examples = trainer(OPEN), read_examples(corpus)
    first, again = training.fitted(examples), training.fitted(examples)
    assert first.config == again.config
    assert first.fitted(examples).config is first.config
