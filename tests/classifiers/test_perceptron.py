"""The perceptron on a frozen encoder: what it computes, that it learns, is kept, and goes wrong."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from classifiers import open_classifier, read_config, read_examples, save_classifier, trainer  # noqa: E402
from classifiers.encoders.encoding import pooled  # noqa: E402
from classifiers.examples import Examples  # noqa: E402
from classifiers.networks.perceptron import Perceptron, train_perceptron  # noqa: E402
from grammar.errors import OptionError, TrainingError  # noqa: E402
from induction import Corpus  # noqa: E402

GOOD = ["a good film", "a great film", "a fine dog", "the good cat"]
BAD = ["a bad film", "a poor film", "a dull dog", "the bad cat"]
HOW: dict[str, Any] = {
    "train": "frozen", "head": "perceptron", "steps": 60, "batch": 8, "learning_rate": 2e-3,
    "device": "cpu",
}  # fmt: skip


@pytest.fixture(scope="module")
def few() -> Examples:
    return read_examples(
        Corpus.from_columns(text=GOOD + BAD, label=["pos"] * len(GOOD) + ["neg"] * len(BAD))
    )


def test_scores_are_those_of_the_formula(encoder: Any) -> None:
    torch.manual_seed(1)
    model = Perceptron(encoder.depth + 1, encoder.width, 3, read_config()).eval()
    torch.nn.init.normal_(model.body.scores)
    layers = range(encoder.depth + 1)
    states = pooled(encoder, GOOD, layers=tuple(layers)).astype(np.float64)
    first, _, second = model.head
    raised = np.exp(model.body.scores.detach().numpy().astype(np.float64))
    average = sum(raised[k] / raised.sum() * states[:, k] for k in layers)
    hidden = np.maximum(average @ first.weight.detach().numpy().T + first.bias.detach().numpy(), 0)
    expected = hidden @ second.weight.detach().numpy().T + second.bias.detach().numpy()
    found = model(torch.from_numpy(states.astype(np.float32)))["logits"].detach().numpy()
    assert np.allclose(found, expected, atol=1e-4)


@pytest.mark.parametrize("pooling", ["mean", "ends"])
def test_it_learns_the_same_each_time_and_is_kept(
    few: Examples, tiny: Path, tmp_path: Path, pooling: str
) -> None:
    train = trainer(read_config(encoder=str(tiny), pooling=pooling, **HOW))
    model = train(few)
    given = model.probabilities(list(few.texts))
    assert (given.argmax(1) == few.hard).all()
    assert np.array_equal(train(few).probabilities(list(few.texts)), given)
    save_classifier(model, tmp_path / "model")
    opened = open_classifier(tmp_path / "model", device="cpu")
    assert opened.classes == model.classes
    for name, weight in model.model.state_dict().items():
        assert torch.equal(opened.model.state_dict()[name], weight)
    # the states are made again, in bfloat16
    assert np.allclose(opened.probabilities(list(few.texts)), given, atol=0.02)


def test_its_options_matter(few: Examples, encoder: Any) -> None:
    both = few.with_new(few.take([0, 5]))
    plain = train_perceptron(encoder, both, read_config(**HOW))
    assert len(plain.losses) == HOW["steps"]
    for changed in ({"gamma": -0.2}, {"seed": 1}, {"share": 0.1}):
        other = train_perceptron(encoder, both, read_config(**{**HOW, **changed}))
        assert other.losses != plain.losses
    linear = trainer(read_config(encoder="tfidf"))
    assert linear.linear


def test_held_examples_choose_the_update(few: Examples, encoder: Any) -> None:
    wrong = few.take(range(len(few)))
    wrong.labels[:] = wrong.labels[:, ::-1]
    model = train_perceptron(encoder, few, read_config(**HOW), held=wrong)
    assert model.chosen < HOW["steps"]  # the longer it learns, the worse for them


def test_passes_with_dropout_differ_and_repeat(few: Examples, encoder: Any) -> None:
    model = train_perceptron(encoder, few, read_config(**HOW))
    made = model.passes(GOOD, 3, seed=0)
    assert made.shape == (3, len(GOOD), 2)
    assert np.allclose(made.sum(2), 1)
    assert not np.array_equal(made[0], made[1])
    assert np.array_equal(made, model.passes(GOOD, 3, seed=0))


def test_a_loss_that_is_no_number_stops_the_training(few: Examples, encoder: Any) -> None:
    broken = few.take(range(len(few)))
    broken.labels[-1] = np.nan
    with pytest.raises(TrainingError, match="loss is nan at update"):
        train_perceptron(encoder, broken, read_config(**HOW))


def test_what_needs_an_encoder_that_learns_is_refused(few: Examples, tiny: Path) -> None:
    from classifiers import Mixing, SemiSupervised, train_semi

    config = read_config(encoder=str(tiny), **HOW)
    with pytest.raises(OptionError, match="needs an encoder that learns"):
        trainer(config, Mixing(mix="sentence"))
    with pytest.raises(OptionError, match="mixtext needs an encoder that learns"):
        train_semi(trainer(config), few, GOOD, SemiSupervised(semi="mixtext"))
