"""Classifiers of sets of classes (multi-label): trained, scored, saved."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import accuracy_score, f1_score
from sklearn.multiclass import OneVsRestClassifier

from classifiers import (
    auto,
    open_classifier,
    read_config,
    read_examples,
    save_classifier,
    score,
    trainer,
)
from classifiers.confusion import draw_confusion
from classifiers.scores import members
from classifiers.training.folds import deal_sets, folds_of
from grammar.errors import CorpusError, OptionError, SchemaError
from induction import Corpus
from tests.classifiers.sets.films import PLAIN, SETS, corpus


def test_labels_become_a_matrix_in_the_order_of_the_classes() -> None:
    examples = read_examples(corpus(1))
    assert examples.multilabel
    assert examples.classes == ("art", "money", "sport")
    assert examples.labels.tolist()[3:] == [[0, 1, 1], [1, 1, 0], [0, 0, 0]]
    assert examples.sizes.tolist() == [2, 3, 2]
    assert len(set(examples.strata.tolist())) == 6
    with pytest.raises(CorpusError, match="'sport' is none of art, money"):
        read_examples(corpus(1), classes=("art", "money"))


def test_one_regression_a_class_is_that_of_scikit_learn() -> None:
    examples = read_examples(corpus())
    model = trainer(PLAIN)(examples)
    vectors = TfidfVectorizer(ngram_range=(1, 1), sublinear_tf=True, token_pattern=r"\S+")
    rows = vectors.fit_transform(examples.texts)
    peer = OneVsRestClassifier(LogisticRegression(C=10.0, max_iter=1000))
    peer.fit(rows, examples.labels.astype(int))
    told = model.probabilities(list(examples.texts))
    np.testing.assert_allclose(told, peer.predict_proba(rows), atol=1e-12)


@pytest.mark.parametrize("weight", ["fitted", "balanced", "none"])
def test_what_is_open_is_fitted_by_cross_validation(weight: str) -> None:
    training = trainer(read_config(encoder="tfidf", class_weight=weight))
    fitted = training.fitted(read_examples(corpus())).config
    assert fitted.multilabel
    assert fitted.C is not None
    found = score(training(read_examples(corpus())), corpus())
    assert found.accuracy > 0.9


def test_scores_are_those_of_scikit_learn() -> None:
    model = trainer(PLAIN)(read_examples(corpus(2)))
    tested = read_examples(
        Corpus.from_columns(
            text=["the match", "a painting the bank", "nothing", "was hung"],
            label=[["sport"], ["art"], ["money"], []],
        ),
        classes=model.classes,
    )
    found = score(model, tested)
    given, named = tested.labels > 0, members(model.probabilities(list(tested.texts)))
    assert found.accuracy == accuracy_score(given, named)
    assert found.micro_f1 == f1_score(given, named, average="micro", zero_division=0)
    assert found.macro_f1 == f1_score(given, named, average="macro", zero_division=0)
    each = f1_score(given, named, average=None, zero_division=0)
    assert [one.f1 for one in found.classes] == each.tolist()
    assert found.majority == 0.25
    assert {"subset accuracy", "micro F1", "macro F1"} <= set(found.to_dict())
    assert "micro F1" in str(found)
    with pytest.raises(CorpusError, match="no confusion matrix"):
        draw_confusion(found, "never.svg")


def test_sets_are_empty_unless_one_class_at_least_is_asked_for() -> None:
    told = np.array([[0.4, 0.3], [0.6, 0.7]])
    assert members(told).tolist() == [[False, False], [True, True]]
    assert members(told, at_least_one=True).tolist() == [[True, False], [True, True]]
    assert members(told, threshold=0.65).tolist() == [[False, False], [False, True]]
    with pytest.raises(OptionError, match="threshold=0 is no probability"):
        members(told, threshold=0)


def test_a_class_without_examples_or_with_all_has_one_probability() -> None:
    given = Corpus.from_columns(text=["a b", "c d", "e f"], label=[["x", "y"], ["x"], ["x"]])
    model = trainer(PLAIN)(read_examples(given, classes=("x", "y", "z")))
    told = model.probabilities(["a", "c"])
    assert told[:, 0].tolist() == [0.8, 0.8]
    assert told[:, 2].tolist() == pytest.approx([0.2, 0.2])
    same = Corpus(given.table.slice(1))
    with pytest.raises(CorpusError, match="the same set"):
        trainer(PLAIN)(read_examples(same))


def test_folds_spread_sets_and_classes() -> None:
    examples = read_examples(corpus(10))
    folds = folds_of(examples, 5, seed=3)
    for number in range(5):
        mine = examples.take(np.flatnonzero(folds == number))
        assert mine.sizes.tolist() == [4, 6, 4]
        assert np.bincount(mine.strata).tolist() == [2] * 6
    assert (folds == folds_of(examples, 5, seed=3)).all()
    assert (folds != folds_of(examples, 5, seed=4)).any()


def test_classes_are_spread_where_every_set_is_another() -> None:
    draw = np.random.default_rng(1)
    members = np.unique(draw.random((200, 12)) < 0.3, axis=0)
    parts = deal_sets(members, [0.25] * 4, 7)
    sizes = np.array([members[parts == part].sum(0) for part in range(4)])
    assert np.ptp(np.bincount(parts)) <= 5
    # dealt at random, some class is spread worse
    random = draw.permutation(parts)
    worse = np.array([members[random == part].sum(0) for part in range(4)])
    assert 2 * np.ptp(sizes, axis=0).sum() < np.ptp(worse, axis=0).sum()


@pytest.mark.parametrize("classes", [2, 3])
def test_a_saved_classifier_names_the_same(tmp_path: Path, classes: int) -> None:
    few = [one for one in range(24) if classes == 3 or "art" not in SETS[one % 6]]
    given = Corpus(corpus().table.take(few))
    model = trainer(PLAIN)(read_examples(given))
    save_classifier(model, tmp_path / "model")
    opened = open_classifier(tmp_path / "model")
    texts = ["the match", "the bank", ""]
    assert opened.multilabel  # type: ignore[attr-defined]
    assert (opened.probabilities(texts) == model.probabilities(texts)).all()
    assert "any number of classes" in (tmp_path / "model" / "README.md").read_text()
    facts = json.loads((tmp_path / "model" / "treewright.json").read_text())
    facts["classes"] = facts["classes"][:-1]
    (tmp_path / "model" / "treewright.json").write_text(json.dumps(facts))
    with pytest.raises(SchemaError):
        open_classifier(tmp_path / "model")


def test_networks_learn_sets() -> None:
    config = read_config(encoder="cnn", steps=120, learning_rate=0.002, device="cpu")
    model = trainer(config)(read_examples(corpus()), held=read_examples(corpus(1)))
    found = score(model, corpus(1))
    assert found.micro_f1 is not None
    assert found.micro_f1 > 0.9
    told = model.probabilities(["the match was won and the bank lent"])
    assert told.sum() > 1.2  # no distribution


@pytest.mark.parametrize(
    ("options", "what"),
    [({"contrast": 1.0, "encoder": "cnn"}, "contrast"), ({"mix": True}, "mix")],
)
def test_what_needs_one_class_a_text_refuses(options: dict[str, Any], what: str) -> None:
    from classifiers.mixing.options import Mixing
    from classifiers.training.train import Training

    mix = options.pop("mix", False)
    mixing = Mixing(mix="tmix") if mix else Mixing()
    training = Training(read_config(**{"encoder": "cnn", **options}), mixing, None)
    with pytest.raises(CorpusError, match=f"{what} needs one class a text"):
        training(read_examples(corpus()))


@pytest.mark.parametrize("asked", [{"relabel": "soft"}, {"sharpen": 0.5}, {"per_class": 3}])
def test_what_counts_by_classes_refuses_before_anything_is_made(asked: dict[str, Any]) -> None:
    from classifiers import AugmentationConfig, prepare_examples

    augmentation = AugmentationConfig(**asked)
    with pytest.raises(CorpusError, match=f"{next(iter(asked))} needs one class a text"):
        prepare_examples(corpus(), augmentation, trainer(PLAIN), make="shuffle")


def test_new_examples_keep_their_sets() -> None:
    from classifiers import AugmentationConfig, prepare_examples

    augmentation = AugmentationConfig(times=1, strategy="augtrain-val")
    parts = prepare_examples(corpus(), augmentation, trainer(PLAIN), make="shuffle", seed=1)
    assert parts.learn.multilabel
    assert parts.learn.new.sum() == 12
    assert parts.held is not None
    assert parts.held.sizes.tolist() == [4, 6, 4]


def test_self_training_refuses_sets() -> None:
    from classifiers import SemiSupervised, train_semi

    options = SemiSupervised(semi="self-training")
    with pytest.raises(CorpusError, match="self-training needs one class a text"):
        train_semi(trainer(PLAIN), read_examples(corpus()), ["a"], options)


def test_auto_compares_methods_by_whole_sets() -> None:
    found = auto(corpus(), PLAIN, methods=["aeda"])
    assert len(found.evidence) == 2
    assert found.controls.majority == pytest.approx(1 / 6)
    with pytest.raises(CorpusError, match="names needs one class a text"):
        auto(corpus(), PLAIN, names={"art": "art", "money": "bank", "sport": "match"}, methods=[])


def test_one_class_a_text_is_learnt_as_a_set_where_that_is_asked_for() -> None:
    given = Corpus.from_columns(text=["fine one", "poor two"] * 4, label=["good", "bad"] * 4)
    config = read_config(encoder="tfidf", C=10.0, ngrams=1, class_weight="none", multilabel=True)
    model = trainer(config)(read_examples(given))
    found = score(model, given)
    assert found.micro_f1 == 1.0
    with pytest.raises(CorpusError, match="this classifier needs one class a text"):
        score(trainer(PLAIN)(read_examples(given)),
              Corpus.from_columns(text=["a"], label=[["good"]]))  # fmt: skip
