"""The classifier as scikit-learn's tools take it."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.base import clone, is_classifier
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer
from sklearn.utils.estimator_checks import check_estimator

from classifiers import TextClassifier, auto, open_classifier, train
from grammar.errors import CorpusError, OptionError
from induction import Corpus, read_corpus

TEXTS = [f"{'good' if i % 2 else 'bad'} film {i}" for i in range(12)]
LABELS = ["pos" if i % 2 else "neg" for i in range(12)]


def quick(**given: object) -> TextClassifier:
    return TextClassifier(**{"C": 10.0, "class_weight": "none", **given})  # type: ignore[arg-type]


@pytest.mark.filterwarnings("ignore:Can't test estimator")
def test_it_holds_what_scikit_learn_expects_of_an_estimator() -> None:
    check_estimator(quick())
    assert is_classifier(quick())
    assert repr(clone(quick(augment="aeda"))) == repr(quick(augment="aeda"))


@pytest.mark.parametrize(
    "labels",
    [LABELS, np.array(LABELS), [i % 2 for i in range(12)], [9 + i % 2 for i in range(12)],
     [bool(i % 2) for i in range(12)]],
)  # fmt: skip
def test_classes_come_back_as_they_were_given(labels: list[object]) -> None:
    model = quick().fit(TEXTS, labels)
    assert model.classes_.tolist() == sorted(set(labels), key=lambda one: (str(type(one)), one))
    assert model.predict(TEXTS).tolist() == list(labels)
    told = model.predict_proba(TEXTS)
    assert told.sum(1) == pytest.approx(1)
    assert model.classes_[told.argmax(1)].tolist() == list(labels)
    assert model.score(TEXTS, labels) == 1.0
    assert model.score(TEXTS[:2], labels[1::-1], sample_weight=[1, 0]) == 0.0


def test_tools_of_scikit_learn_take_it() -> None:
    pipeline = make_pipeline(FunctionTransformer(lambda texts: [t.upper() for t in texts]), quick())
    assert cross_val_score(pipeline, TEXTS, LABELS, cv=3).tolist() == [1, 1, 1]
    assert cross_val_score(quick(), TEXTS, LABELS, cv=3, scoring="roc_auc").tolist() == [1, 1, 1]
    search = GridSearchCV(quick(), {"C": [0.1, 10.0], "augment": [None, "aeda"]}, cv=2)
    assert search.fit(np.array(TEXTS), LABELS).predict(["good"]).tolist() == ["pos"]


def test_what_is_left_open_is_fitted_within_the_training_part() -> None:
    model = TextClassifier().fit(TEXTS, LABELS)
    assert model.model_.config.C is not None
    assert model.C is None


def test_auto_keeps_its_choice(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("classifiers.estimator.auto", partial(auto, methods=["aeda"]))
    names = {"pos": "good", "neg": "bad"}
    model = quick(augment="auto", names=names, config={"ngrams": 1}).fit(TEXTS, LABELS)
    assert model.choice_ is not None
    assert len(model.choice_.evidence) == 4
    assert model.predict("good").tolist() == ["pos"]


def test_pairs_and_one_text() -> None:
    pairs = [(text, "a film") for text in TEXTS]
    model = quick().fit(pairs, LABELS)
    assert model.predict(pairs).tolist() == LABELS
    assert train({"text": TEXTS, "label": LABELS}).predict("good").tolist() == ["pos"]


def test_it_is_saved_as_any_classifier(tmp_path: Path) -> None:
    model = quick().fit(TEXTS, LABELS)
    model.save(tmp_path / "model")
    opened = open_classifier(tmp_path / "model")
    assert (opened.probabilities(TEXTS) == model.predict_proba(TEXTS)).all()
    assert model.score({"text": TEXTS, "label": LABELS}).accuracy == 1.0


@pytest.mark.parametrize(
    "values",
    [(5, 1), (True, False), (np.int8(5), np.int8(1)), (1, 0), (2.0, 4.0), (10, 9), ("5", "a")],
)
def test_classes_keep_their_type(tmp_path: Path, values: Any) -> None:
    labels = [values[label == "pos"] for label in LABELS]
    for given in (np.array(labels), labels):
        model = train({"text": TEXTS, "label": given})
        kind = np.array(labels).dtype.kind
        assert model.predict(TEXTS).dtype.kind == kind == model.classes_.dtype.kind
        assert (model.predict(TEXTS) == np.array(labels)).all()
        assert model.score(TEXTS, labels) == model.score(TEXTS, list(map(str, labels))) == 1.0
        assert model.score({"text": TEXTS, "label": given}).accuracy == 1.0
        for saved in (model, quick().fit(TEXTS, labels)):
            saved.save(tmp_path / "model")
            opened = open_classifier(tmp_path / "model")
            assert (opened.predict(TEXTS) == model.predict(TEXTS)).all()
            assert opened.predict(TEXTS).dtype.kind == kind
    if kind != "U":
        with pytest.raises(CorpusError, match="the class 'x' is none of"):
            model.score(TEXTS, ["x"] * 12)


def test_classes_of_a_file_are_those_of_its_corpus(tmp_path: Path) -> None:
    rows = [
        f"{text},{5 if label == 'pos' else 1}" for text, label in zip(TEXTS, LABELS, strict=True)
    ]
    (tmp_path / "a.csv").write_text("\n".join(["text,label", *rows]))
    corpus = read_corpus(tmp_path / "a.csv")
    assert train(tmp_path / "a.csv").predict(TEXTS).tolist() == corpus.column("label")
    named = Corpus(corpus.with_column("label", [0, 1] * 6).table, classes=("neg", "pos"))
    assert set(train(named).predict(TEXTS).tolist()) <= {"neg", "pos"}


def test_faults_are_said() -> None:
    with pytest.raises(NotFittedError):
        quick().predict(TEXTS)
    with pytest.raises(CorpusError, match="11 classes for 12 texts"):
        quick().fit(TEXTS, LABELS[1:])
    with pytest.raises(CorpusError, match="all examples are of the class 'x'"):
        quick().fit(TEXTS, ["x"] * 12)
    with pytest.raises(CorpusError, match="text 1 is 3, and no text"):
        quick().fit(["a", 3], ["x", "y"])
    with pytest.raises(OptionError, match="class_weight"):
        quick(class_weight="heavy").fit(TEXTS, LABELS)
