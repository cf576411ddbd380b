"""The estimator with sets of classes, and with matrices of 0 and 1."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from sklearn.base import clone
from sklearn.metrics import accuracy_score
from sklearn.model_selection import GridSearchCV, cross_val_score

from classifiers import (
    TextClassifier,
    read_examples,
)
from grammar.errors import CorpusError
from induction import Corpus
from tests.classifiers.sets.films import corpus

TEXTS = corpus().column("text")
NAMED = [set(own) for own in corpus().column("label")]
MATRIX = (read_examples(corpus()).labels > 0).astype(int)


@pytest.mark.parametrize("given", [NAMED, [list(own) for own in NAMED]])
def test_the_estimator_takes_sets(given: Any) -> None:
    model = clone(TextClassifier(C=10.0)).fit(TEXTS, given)
    assert model.classes_.tolist() == ["art", "money", "sport"]
    assert model.predict(["the match was won", "so long"]).tolist() == [{"sport"}, set()]
    assert model.predict_proba(TEXTS).shape == (24, 3)
    assert model.score(TEXTS, given) == 1.0
    few = TextClassifier(C=10.0, at_least_one=True).fit(TEXTS, given)
    assert len(few.predict(["so long"])[0]) == 1


def test_the_estimator_takes_a_matrix_of_0_and_1() -> None:
    model = TextClassifier(C=10.0).fit(TEXTS, MATRIX)
    assert model.classes_.tolist() == [0, 1, 2]
    named = model.predict(TEXTS)
    assert named.dtype == np.int64
    assert (named == MATRIX).all()
    assert model.score(TEXTS, MATRIX) == accuracy_score(MATRIX, named)
    assert (named == TextClassifier(C=10.0).fit(TEXTS, MATRIX.tolist()).predict(TEXTS)).all()
    empty = np.hstack((MATRIX, np.zeros((24, 1), int)))
    assert TextClassifier(C=10.0).fit(TEXTS, empty).predict_proba(TEXTS)[:, 3].tolist() == [0] * 24
    with pytest.raises(CorpusError, match="holds 2, and not 0 and 1"):
        TextClassifier().fit(TEXTS, MATRIX + 1)
    with pytest.raises(CorpusError, match="24 sets of classes for 1 texts"):
        TextClassifier().fit(["a"], MATRIX)


def test_the_columns_of_a_frame_name_the_classes() -> None:
    frame = pytest.importorskip("pandas").DataFrame(MATRIX, columns=["art", "money", "sport"])
    model = TextClassifier(C=10.0).fit(TEXTS, frame)
    assert model.classes_.tolist() == ["art", "money", "sport"]
    assert (model.predict(TEXTS) == MATRIX).all()
    assert model.score(TEXTS, frame) == 1.0


@pytest.mark.parametrize("kind", [list, np.array])
def test_shares_are_no_sets(kind: Any) -> None:
    shares = [[0.25, 0.75], [1, 0]] * 2
    texts = ["a fine film", "a poor film"] * 2
    with pytest.raises(CorpusError, match="shares") as caught:
        TextClassifier().fit(texts, kind(shares))
    assert "TextClassifier().learn(Corpus.from_columns(text=texts, label=shares))" in str(
        caught.value
    )
    model = TextClassifier().learn(Corpus.from_columns(text=texts, label=shares))
    assert model.predict_proba(["a film"]).shape == (1, 2)


def test_the_estimator_stands_in_cross_validation() -> None:
    # with all given that is fitted else, as every fit then learns many times
    plain = TextClassifier(C=10.0, class_weight="none", config={"ngrams": 2})
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for given in (NAMED, MATRIX):
            found = cross_val_score(plain, TEXTS, given, cv=4)
            assert found.min() > 0.8
        micro = cross_val_score(plain, TEXTS, MATRIX, cv=4, scoring="f1_micro")
        assert micro.min() > 0.8
        search = GridSearchCV(plain, {"threshold": [0.3, 0.99]}, cv=4)
        assert search.fit(TEXTS, MATRIX).best_params_ == {"threshold": 0.3}


def test_the_estimator_makes_new_examples_of_sets() -> None:
    model = TextClassifier(C=10.0, augment="aeda").fit(TEXTS, NAMED)
    assert model.score(TEXTS, NAMED) == 1.0
    model = TextClassifier(C=10.0).learn(Corpus.from_columns(
        text=TEXTS, label=pa.array([sorted(one) for one in NAMED], pa.list_(pa.string()))
    ))  # fmt: skip
    assert model.score(corpus()).micro_f1 == 1.0
