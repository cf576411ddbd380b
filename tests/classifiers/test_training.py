"""Losses, configs, heads and fine-tuning."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

torch = pytest.importorskip("torch")
pytest.importorskip("transformers")

from torch.nn import functional  # noqa: E402

from classifiers.config import TrainingConfig, read_config  # noqa: E402
from classifiers.examples import Examples, read_examples  # noqa: E402
from classifiers.networks.batches import order_of_examples  # noqa: E402
from classifiers.networks.finetuning import fine_tune, read_texts  # noqa: E402
from classifiers.networks.losses import (  # noqa: E402
    merged,
    soft_cross_entropy,
    supervised_contrast,
)
from classifiers.training.frozen import train_frozen, train_tfidf  # noqa: E402
from classifiers.training.train import trainer  # noqa: E402
from grammar.errors import CorpusError, OptionError, TrainingError  # noqa: E402
from induction import Corpus  # noqa: E402
from sampling import number_classes  # noqa: E402

GOOD = ["a good film", "a great movie", "moving plot", "good acting", "it was great"]
BAD = ["a bad film", "a dull movie", "poor plot", "bad acting", "it was dull"]
NEW_GOOD, NEW_BAD = "great acting", "dull plot"
QUICK = {"steps": 40, "batch": 10, "learning_rate": 4e-3, "max_length": 16, "device": "cpu"}


@pytest.fixture(scope="module")
def few() -> Examples:
    labels = ["pos"] * len(GOOD) + ["neg"] * len(BAD)
    return read_examples(Corpus.from_columns(text=GOOD + BAD, label=labels))


@given(st.integers(1, 5), st.integers(2, 4), st.integers(0, 99))
@settings(max_examples=20)
def test_soft_labels_that_are_hard_give_the_loss_of_hard_ones(
    rows: int, classes: int, seed: int
) -> None:
    torch.manual_seed(seed)
    logits, hard = torch.randn(rows, classes), torch.randint(classes, (rows,))
    soft = functional.one_hot(hard, classes).float()
    assert torch.allclose(soft_cross_entropy(logits, soft), functional.cross_entropy(logits, hard))


def test_gradients_are_those_of_finite_differences() -> None:
    torch.manual_seed(1)
    logits = torch.randn(4, 3, dtype=torch.float64, requires_grad=True)
    labels = torch.rand(4, 3, dtype=torch.float64).softmax(1)
    weights = torch.tensor([1.0, 0.5, 0.0, 2.0], dtype=torch.float64)
    new = torch.tensor([False, True, False, True])
    vectors = torch.randn(4, 3, dtype=torch.float64, requires_grad=True)
    classes = torch.tensor([0, 0, 1, 1])
    for loss in (
        lambda x: soft_cross_entropy(x, labels, weights),
        lambda x: merged(x, labels, new, -0.2),
    ):
        _compare(loss, logits)
    _compare(lambda x: supervised_contrast(x, classes), vectors)


def _compare(loss: Any, at: Any) -> None:
    at.grad = None
    loss(at).backward()
    step = 1e-2
    for place in [(0, 0), (1, 2), (3, 1)]:
        up, down = at.detach().clone(), at.detach().clone()
        up[place] += step
        down[place] -= step
        slope = float(loss(up) - loss(down)) / (2 * step)
        assert abs(slope - float(at.grad[place])) < 2e-3


def test_a_weight_of_zero_leaves_an_example_out() -> None:
    logits, labels = torch.randn(3, 2), torch.eye(2)[[0, 1, 1]]
    kept = soft_cross_entropy(logits[:2], labels[:2])
    assert torch.allclose(soft_cross_entropy(logits, labels, torch.tensor([1.0, 1, 0])), kept)


def test_contrast_without_partners_is_zero() -> None:
    assert float(supervised_contrast(torch.randn(3, 4), torch.tensor([0, 1, 2]))) == 0


def test_new_examples_weigh_what_is_said(few: Examples) -> None:
    both = few.with_new(few.take([0, 1]), weight=0.3)
    assert both.weights[both.new].sum() == pytest.approx(0.3 * len(few))
    with pytest.raises(OptionError, match="negative"):
        few.with_new(few, weight=-1)


def test_classes_must_be_the_same(few: Examples) -> None:
    other = read_examples(Corpus.from_columns(text=["x", "y"], label=["a", "b"]))
    with pytest.raises(OptionError, match="classes a, b, not neg, pos"):
        few.with_new(other)
    with pytest.raises(CorpusError, match="'odd' is none of"):
        read_examples(Corpus.from_columns(text=["x"], label=["odd"]), classes=("neg", "pos"))
    with pytest.raises(CorpusError, match="'2' is none of neg, pos"):
        read_examples(Corpus.from_columns(text=["x"], label=[2]), classes=("neg", "pos"))


def test_numbers_that_are_names_of_classes_are_not_counted_from_zero() -> None:
    stars = read_examples(Corpus.from_columns(text=["a", "b", "c"], label=[1, 2, 4])).classes
    assert stars == ("1", "2", "4")

    def places(*labels: int) -> list[int]:
        corpus = Corpus.from_columns(text=["x"] * len(labels), label=labels)
        return list(read_examples(corpus, classes=stars).hard)

    assert places(4, 1) == [2, 0]
    with pytest.raises(CorpusError, match="the class '0' is none of 1, 2, 4"):
        places(0, 1)  # counted from zero, 1 would be the class 2
    numbered = number_classes(Corpus.from_columns(text=["a", "b"], label=[1, 4]), stars)
    assert list(read_examples(numbered, classes=stars).hard) == [0, 2]


def test_batches_hold_their_share_of_new_ones(few: Examples) -> None:
    both = few.with_new(few)
    order = np.array(order_of_examples(both, TrainingConfig(steps=6, batch=10, share=0.3)))
    assert (both.new[order.reshape(6, 10)].sum(1) == 3).all()
    # every given example is seen as often as another, but for one round
    seen = np.bincount(order, minlength=len(both))[: len(few)]
    assert seen.max() - seen.min() <= 1


def test_none_and_replicate_are_the_same_run(few: Examples, encoder: Any) -> None:
    """At equal steps replication only changes in which round an example comes."""
    config = read_config(**QUICK, share=0.0)
    plain = fine_tune(encoder, few, config)
    replicated = fine_tune(encoder, few.with_new(few), config)
    texts = [NEW_GOOD, NEW_BAD]
    assert np.array_equal(plain.probabilities(texts), replicated.probabilities(texts))


@pytest.mark.parametrize(("train", "learning_rate"), [("top_layers", 4e-3), ("whole", 1e-3)])
def test_fine_tuning_learns_and_is_the_same_again(
    train: str, learning_rate: float, few: Examples, encoder: Any
) -> None:
    config = read_config(**QUICK | {"learning_rate": learning_rate}, train=train)
    before = {k: v.clone() for k, v in encoder.model.state_dict().items()}
    told: list[int] = []
    first = fine_tune(encoder, few, config, on_update=lambda number, _: told.append(number))
    again = fine_tune(encoder, few, config)
    assert min(first.losses) < 0.85 * first.losses[0]
    assert told == list(range(1, 41))
    assert first.losses == again.losses
    made = first.probabilities(GOOD + BAD)
    assert np.array_equal(made, again.probabilities(GOOD + BAD))
    assert np.allclose(made.sum(1), 1)
    assert all(torch.equal(v, before[k]) for k, v in encoder.model.state_dict().items())


def test_prepared_texts_give_the_same(few: Examples, encoder: Any) -> None:
    config = read_config(**QUICK)
    read = read_texts(encoder, few.texts, config)
    one, other = fine_tune(encoder, few, config), fine_tune(encoder, few, config, read=read)
    assert np.array_equal(one.probabilities_of(read), other.probabilities(few.texts))


def test_contrast_and_merged_loss_are_learnt_by_too(few: Examples, encoder: Any) -> None:
    both = few.with_new(few.take([0, 5]))
    plain = fine_tune(encoder, both, read_config(**QUICK))
    for options in ({"contrast": 0.5}, {"gamma": 0.5}):
        assert fine_tune(encoder, both, read_config(**QUICK, **options)).losses != plain.losses


def test_a_loss_that_is_no_number_stops_the_training(few: Examples, encoder: Any) -> None:
    broken = few.take(range(len(few)))
    broken.labels[0, 0] = np.nan
    with pytest.raises(TrainingError, match="loss is nan at update"):
        fine_tune(encoder, broken, read_config(**QUICK))


def test_frozen_heads_and_word_weights_learn(few: Examples, encoder: Any) -> None:
    frozen = train_frozen(encoder, few, read_config(train="frozen", C=1000.0))
    assert (frozen.probabilities(few.texts).argmax(1) == few.hard).all()
    words = train_tfidf(few)
    assert words.probabilities([NEW_GOOD, NEW_BAD]).argmax(1).tolist() == [1, 0]


def test_soft_labels_move_a_linear_head(few: Examples) -> None:
    soft = few.take(range(len(few)))
    soft.labels[:5] = [0.5, 0.5]
    hard = train_tfidf(few).probabilities(["great"])[0, 1]
    assert train_tfidf(soft).probabilities(["great"])[0, 1] < hard


def test_what_cannot_be_learnt_is_refused(few: Examples) -> None:
    train = trainer(TrainingConfig(encoder="tfidf"))
    with pytest.raises(CorpusError, match="all examples are of the class 'pos'"):
        train(few.take(range(5)))
    with pytest.raises(CorpusError, match="no examples"):
        train(few.take([]))
    with pytest.raises(OptionError, match="did you mean 'steps'"):
        read_config(step=3)


def test_a_class_without_examples_has_no_probability() -> None:
    corpus = Corpus.from_columns(text=["good", "bad"], label=["a", "c"])
    model = train_tfidf(read_examples(corpus, classes=("a", "b", "c")))
    assert model.probabilities(["good"])[0, 1] == 0
