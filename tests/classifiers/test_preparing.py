"""From a corpus and a augmentation to what is learnt: counts, weights, labels, divisions."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest

pytest.importorskip("torch")

from classifiers.choice import Candidate
from classifiers.config import TrainingConfig
from classifiers.examples import Examples, read_examples
from classifiers.networks.batches import order_of_examples, weights_in_batches
from classifiers.training.augmentation import AugmentationConfig
from classifiers.training.preparing import Prepared, from_file, maker, prepare_examples
from classifiers.training.relabelling import relabelled
from classifiers.training.train import Training, trainer
from grammar.errors import CorpusError, OptionError
from induction import Corpus
from sampling import augment

TEXTS = [f"{w} {n} was {w} and so was the {n}" for w in ("good", "bad") for n in "abcde"]
FEW = Corpus.from_columns(id=[f"o{n}" for n in range(10)], text=TEXTS,
                          label=["pos"] * 5 + ["neg"] * 5)  # fmt: skip
TFIDF = trainer(TrainingConfig(encoder="tfidf"))


def prepared(augmentation: AugmentationConfig, training: Training = TFIDF, **more: Any) -> Prepared:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        make = maker("aeda", augmentation, 0)
        return prepare_examples(FEW, augmentation, training, **({"make": make, "seed": 2} | more))


@pytest.mark.parametrize(
    ("options", "count"),
    [({}, 10), ({"times": 20}, 200), ({"per_class": 7}, 14), ({"fill": 12}, 14)],
)
def test_so_many_are_made(options: dict[str, int], count: int) -> None:
    parts = prepared(AugmentationConfig(**options))
    assert int(parts.learn.new.sum()) == count
    assert len(parts.learn) == 10 + count
    assert parts.held is None


def test_a_augmentation_says_how_often_each_kind_is_seen() -> None:
    """In batches by their share; for a linear head by their weights."""
    tuned = Training(TrainingConfig(steps=6, batch=10), TFIDF.mixing, None)
    tuned = _as_if_tuned(tuned)
    seen = {}
    for name in ("replicate", "no-replicate", "aug-only"):
        parts = prepared(AugmentationConfig(replication=name, times=3), tuned)
        order = order_of_examples(parts.learn, parts.training.config)
        seen[name] = [parts.learn.texts[row] in TEXTS for row in order]
    assert np.mean(seen["replicate"]) == 0.5
    assert np.mean(seen["no-replicate"]) == pytest.approx(10 / 40, abs=0.1)
    assert not any(seen["aug-only"])
    linear = {
        name: prepared(AugmentationConfig(replication=name, times=3)).learn
        for name in ("replicate", "no-replicate", "aug-only")
    }
    assert _ratio(linear["replicate"]) == pytest.approx(1)
    assert _ratio(linear["no-replicate"]) == pytest.approx(3)
    assert len(linear["aug-only"]) == 30
    assert not linear["aug-only"].new.any()


def _ratio(examples: Examples) -> float:
    return float(examples.weights[examples.new].sum() / examples.weights[~examples.new].sum())


def _as_if_tuned(training: Training) -> Training:
    class Tuned(Training):
        linear = False  # type: ignore[assignment]

    return Tuned(training.config, training.mixing, training.encoder)


@pytest.mark.parametrize("share", [0.5, 0.25, None])
def test_a_weight_is_what_new_examples_weigh_together_in_what_is_learnt(share: Any) -> None:
    config = TrainingConfig(steps=400, batch=16, share=share)
    given = read_examples(FEW)
    both = given.with_new(given.take([0, 1, 2, 3]), 0.3)
    assert _ratio(both) == pytest.approx(0.3)
    order = np.array(order_of_examples(both, config))
    new = both.new[order]
    total = weights_in_batches(both, config)[order]
    assert total[new].sum() / total[~new].sum() == pytest.approx(0.3, rel=0.05)


def test_without_a_weight_new_examples_are_their_share_of_what_is_learnt() -> None:
    config = TrainingConfig(steps=4, batch=8, share=0.25)
    given = read_examples(FEW)
    both = given.with_new(given.take([0, 1]))
    assert (weights_in_batches(both, config) == 1).all()
    alone = both.take(np.flatnonzero(both.new))
    assert (weights_in_batches(alone, config) == 1).all()
    assert len(order_of_examples(alone, config)) == 32


def test_a_choice_weighs_new_examples_alike_in_every_training() -> None:
    given = read_examples(FEW)
    way = Candidate("same", lambda part, seed: part, weight=0.3)
    both = way.added(given, FEW, 0)
    config = TrainingConfig(steps=400, batch=16, share=0.5)
    order = np.array(order_of_examples(both, config))
    new, total = both.new[order], weights_in_batches(both, config)[order]
    assert total[new].sum() / total[~new].sum() == pytest.approx(0.3, rel=0.05)


def test_labels_are_sharpened() -> None:
    made = Corpus.from_columns(text=["x y"], label=[[0.8, 0.2]])
    parts = prepared(AugmentationConfig(sharpen=0.5), make=None, new=made)
    assert parts.learn.labels[-1] == pytest.approx([0.64 / 0.68, 0.04 / 0.68])


class Spy:
    """A teacher that tells what it was trained on."""

    def __init__(self, examples: Examples) -> None:
        self.classes = examples.classes
        self.texts = set(examples.texts)

    def probabilities(self, texts: Any) -> Any:
        SEEN.extend((text, self.texts) for text in texts)
        return np.tile([0.3, 0.7], (len(texts), 1))


SEEN: list[tuple[str, set[Any]]] = []


def test_no_teacher_has_seen_the_parents_of_what_it_names() -> None:
    SEEN.clear()
    given = read_examples(FEW)
    parents = [[0], [0, 7], [3, 4, 9], [], list(range(10))]
    texts = tuple(f"new {n}" for n in range(5))
    made = Examples(texts, given.labels[:5], given.weights[:5], given.new[:5], given.classes)
    found = relabelled(given, made, parents, Spy, seed=4)
    assert {text for text, _ in SEEN} == {f"new {n}" for n in range(4)}
    for text, learnt in SEEN:
        assert not {TEXTS[p] for p in parents[int(text[-1])]} & learnt
        if text == "new 3":
            assert learnt == set(TEXTS)  # it was made of nothing of them
    assert found.left == 1  # nobody is left to name what all were parents of
    assert found.examples.labels[:4] == pytest.approx(np.tile([0.3, 0.7], (4, 1)))
    assert np.array_equal(found.examples.labels[4], made.labels[4])
    hard = relabelled(given, made, parents, Spy, hard=True, seed=4).examples
    assert hard.labels[:4].tolist() == [[0.0, 1.0]] * 4


@pytest.mark.parametrize("how", ["soft", "hard"])
def test_relabelling_from_a_corpus(how: str) -> None:
    parts = prepared(AugmentationConfig(relabel=how, times=2))
    assert parts.facts["pseudo-labelled"] == 20
    rows = parts.learn.labels[parts.learn.new]
    assert (rows.max(1) == 1).all() == (how == "hard")


@pytest.mark.parametrize(
    ("strategy", "learn", "new", "held"),
    [("augtrain-val", 5, 10, 5), ("augment-and-split", 0, 0, 0), ("augtrain-train", 10, 20, 10),
     ("augtrain-augtrain", 10, 20, 30)],
)  # fmt: skip
def test_strategies_divide(strategy: str, learn: int, new: int, held: int) -> None:
    parts = prepared(AugmentationConfig(strategy=strategy, times=2, kept=0.5))
    if strategy == "augment-and-split":
        parts = prepared(AugmentationConfig(strategy=strategy, times=2, kept=0.8))
        assert (len(parts.learn), len(parts.held or ())) == (24, 6)
        return
    made = int(parts.learn.new.sum())
    # four of the five that each class has: two are learnt from, or three
    assert (len(parts.learn) - made, made) in ((learn, new), (learn - 1, new - 2))
    assert parts.held is not None
    assert len(parts.held) in (held, held + 1)


def test_soft_labels_are_divided_by_their_most_probable_class() -> None:
    trees = [f"(S (NP (D the) (N {w})) (VP (V was) (A {w})))" for w in "abcdefgh"]
    corpus = Corpus.from_columns(
        text=[f"the {w} was {w}" for w in "abcdefgh"], tree=trees, label=["x", "y"] * 4
    )
    for strategy in ("augment-and-split", "augtrain-train"):
        augmentation = AugmentationConfig(strategy=strategy, kept=0.8, times=2)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            parts = prepare_examples(
                corpus,
                augmentation,
                TFIDF,
                make=maker("treemix(low=0,high=1)", augmentation, 0),
                seed=1,
            )
        soft = parts.learn.labels[parts.learn.new]
        assert len(soft)
        assert ((soft > 0) & (soft < 1)).any()
        assert parts.learn.classes == ("x", "y")
        assert parts.held is not None


def test_new_examples_of_a_file_go_with_their_parents() -> None:
    made = augment(FEW, "aeda", times=3, seed=1).corpus
    parts = prepared(AugmentationConfig(strategy="augtrain-val"), make=None, new=made)
    learnt = set(parts.learn.texts)
    assert parts.learn.new.any()
    for row in made:
        parent = TEXTS[int(row["provenance"]["parents"][0][1:])]
        assert (row["text"] in learnt) == (parent in learnt)
    plain = Corpus.from_columns(text=["x"], label=["pos"])
    with pytest.raises(CorpusError, match="do not say what they were made from"):
        prepared(AugmentationConfig(strategy="augtrain-val"), make=None, new=plain)
    with pytest.raises(CorpusError, match="cannot be divided"):
        from_file(plain)(FEW)


def test_a_strategy_that_chooses_by_what_it_learns_from_says_so() -> None:
    augmentation = AugmentationConfig(strategy="augtrain-train")
    with pytest.warns(UserWarning, match="chooses by what it learns from"):
        prepare_examples(FEW, augmentation, TFIDF, make=maker("aeda", augmentation, 0))


@pytest.mark.parametrize(
    ("options", "message"),
    [({"weight": 1.0}, "weight is about new examples"), ({"relabel": "soft"}, "relabel is about"),
     ({"strategy": "augtrain-val"}, "needs new examples"), ({"times": 2}, "times is about")],
)  # fmt: skip
def test_what_needs_new_examples_says_so(options: dict[str, Any], message: str) -> None:
    with pytest.raises(OptionError, match=message):
        prepare_examples(FEW, AugmentationConfig(**options), TFIDF)


def test_bad_regimes_are_refused() -> None:
    with pytest.raises(OptionError, match="times and fill both say"):
        AugmentationConfig(times=2, fill=200)
    with pytest.raises(OptionError, match="does not learn from new examples"):
        prepared(AugmentationConfig(strategy="train-val"))
    uneven = AugmentationConfig(fill=200)
    with pytest.raises(OptionError, match="as many labelled examples of each class"):
        maker("aeda", uneven, 0)(FEW[:8])
    with pytest.raises(OptionError, match="out of range"):
        AugmentationConfig(kept=1.0)


def test_numbers_among_named_classes_are_said_to_be_places() -> None:
    corpus = Corpus.from_columns(text=["a", "b"], label=[1, 0])
    with pytest.warns(UserWarning, match="0 for neg, 1 for pos"):
        found = read_examples(corpus, classes=("neg", "pos"))
    assert found.hard.tolist() == [1, 0]


@pytest.mark.parametrize("classes", [("0", "1"), ("1", "5")])
@pytest.mark.filterwarnings("error")
def test_numbers_that_can_be_names_are_not_talked_about(classes: tuple[str, str]) -> None:
    labels = [int(name) for name in classes]
    found = read_examples(Corpus.from_columns(text=["a", "b"], label=labels), classes=classes)
    assert found.hard.tolist() == [0, 1]
