"""Self-training, UST and MixText: their parts by hand, and going on after a stop."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

torch = pytest.importorskip("torch")
pytest.importorskip("transformers")

from classifiers.config import TrainingConfig, read_config  # noqa: E402
from classifiers.examples import Examples, read_examples  # noqa: E402
from classifiers.mixing.options import Mixing  # noqa: E402
from classifiers.networks.finetuning import fine_tune  # noqa: E402
from classifiers.networks.losses import sharpened  # noqa: E402
from classifiers.semi_supervised import self_training as rounds_module  # noqa: E402
from classifiers.semi_supervised.mixtext import GuessingModel, guessed, paraphrased  # noqa: E402
from classifiers.semi_supervised.options import SemiSupervised  # noqa: E402
from classifiers.semi_supervised.self_training import named_texts  # noqa: E402
from classifiers.semi_supervised.training import train_semi  # noqa: E402
from classifiers.semi_supervised.uncertainty import (  # noqa: E402
    bald,
    drawn_by_ease,
    most_certain,
    variance_weights,
)
from classifiers.training.train import trainer  # noqa: E402
from grammar.errors import CorpusError, OptionError, SchemaError, TreewrightError  # noqa: E402
from induction import Corpus  # noqa: E402
from tests.classifiers.test_training import BAD, GOOD, QUICK  # noqa: E402

UNLABELLED = [f"{what} {noun}" for what in ("great", "dull", "moving", "poor", "very good")
              for noun in ("film", "movie", "plot", "acting")]  # fmt: skip
TFIDF = TrainingConfig(encoder="tfidf")


@pytest.fixture(scope="module")
def few() -> Examples:
    labels = ["pos"] * len(GOOD) + ["neg"] * len(BAD)
    return read_examples(Corpus.from_columns(text=GOOD + BAD, label=labels))


def training(tiny: Path, train: str = "top_layers", **options: Any) -> Any:
    quick = QUICK | {"steps": 8} | options
    return trainer(read_config(**quick, encoder=str(tiny), train=train))


# --- what UST computes -------------------------------------------------------------------------


def test_bald_by_hand() -> None:
    """Two passes over two classes: entropy of the mean less the mean of the entropies."""
    passes = np.array([[[0.9, 0.1], [1.0, 0.0]], [[0.5, 0.5], [0.0, 1.0]]])

    def h(p: float) -> float:
        return -p * np.log(p) - (1 - p) * np.log(1 - p)

    assert bald(passes) == pytest.approx([h(0.7) - (h(0.9) + np.log(2)) / 2, np.log(2)])


@given(st.integers(1, 6), st.integers(1, 5), st.integers(2, 4), st.integers(0, 99))
@settings(max_examples=25)
def test_bald_is_between_nothing_and_all(passes: int, texts: int, classes: int, seed: int) -> None:
    shares = np.random.default_rng(seed).dirichlet(np.ones(classes), (passes, texts))
    found = bald(shares)
    assert ((found >= 0) & (found <= np.log(classes) + 1e-12)).all()
    assert bald(np.repeat(shares[:1], 3, 0)) == pytest.approx(np.zeros(texts), abs=1e-12)


def test_weights_are_minus_the_logarithm_of_the_variance_by_hand() -> None:
    passes = np.array([[[0.9, 0.1], [0.4, 0.6]], [[0.7, 0.3], [0.0, 1.0]]])
    # the class of each: .9 and .7, variance .01; .6 and 1, variance .04
    logs = -np.log([0.01, 0.04])
    found = variance_weights(passes, np.array([0, 1]))
    assert found == pytest.approx(logs / logs.mean())
    assert found[0] > found[1]


def test_draws_are_even_over_classes_and_go_by_ease() -> None:
    classes = np.array([0] * 50 + [1] * 50 + [2] * 3)
    scores = np.where(np.arange(103) % 2 == 0, 0.0, 0.999)
    rows = drawn_by_ease(scores, classes, 23, seed=5)
    assert np.array_equal(rows, drawn_by_ease(scores, classes, 23, seed=5))
    assert not np.array_equal(rows, drawn_by_ease(scores, classes, 23, seed=6))
    assert np.bincount(classes[rows]).tolist() == [10, 10, 3]
    assert len(set(rows.tolist())) == 23
    assert (scores[rows[classes[rows] < 2]] == 0).mean() > 0.9


def test_the_most_certain_are_taken_of_each_class() -> None:
    shares = np.array([[0.9, 0.1], [0.8, 0.2], [0.7, 0.3], [0.4, 0.6], [0.95, 0.05]])
    assert most_certain(shares, 4).tolist() == [0, 1, 3, 4]
    assert most_certain(shares, 99).tolist() == [0, 1, 2, 3, 4]


# --- what MixText computes ---------------------------------------------------------------------


def test_sharpening_by_hand() -> None:
    labels = torch.tensor([[0.6, 0.3, 0.1], [1.0, 0.0, 0.0]])
    squares = [0.36, 0.09, 0.01]
    assert sharpened(labels, 0.5)[0].tolist() == pytest.approx([s / 0.46 for s in squares])
    assert sharpened(labels, 0.5)[1].tolist() == [1.0, 0.0, 0.0]
    assert torch.allclose(sharpened(labels, 1.0), labels)
    assert sharpened(labels, 1e-3)[0].tolist() == [1.0, 0.0, 0.0]


def test_guesses_are_means_over_a_text_and_its_paraphrases() -> None:
    shares = torch.tensor([[0.9, 0.1], [0.2, 0.8], [0.5, 0.5], [0.6, 0.4]])
    made = guessed(shares, torch.tensor([3, 0, 3, 3]), 1.0)
    assert torch.allclose(made[[0, 2, 3]], torch.tensor([[2 / 3, 1 / 3]] * 3))
    assert torch.allclose(made[1], shares[1])


def test_a_batch_has_texts_with_their_paraphrases_and_labels_are_guessed(
    few: Examples, tiny: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[dict[str, Any]] = []
    plain = GuessingModel.forward

    def spy(self: Any, *given: Any, **named: Any) -> Any:
        made = plain(self, *given, **named)
        if named.get("groups") is not None:
            seen.append({**named, "gamma": self.training_config.gamma})
        return made

    monkeypatch.setattr(GuessingModel, "forward", spy)
    options = SemiSupervised(semi="mixtext", paraphrase="aeda", paraphrases=1, ramp_up=0.5)
    train = training(tiny, batch=10, share=0.4)
    train_semi(train, few, UNLABELLED, options)
    assert len(seen) == 8
    for batch in seen:
        groups = batch["groups"].tolist()
        assert groups.count(-1) == 6
        assert all(groups.count(g) == 2 for g in set(groups) - {-1})  # with one paraphrase each
        assert len(groups) == 6 + 2 * 4
        assert batch["new"].tolist() == [g >= 0 for g in groups]
        partner = batch["mixture"]["partner"]
        assert sorted(partner.tolist()) == list(range(len(groups)))
    assert [batch["gamma"] for batch in seen[:7]] == pytest.approx(
        [n / 4 for n in range(1, 5)] + [1] * 3
    )


def test_paraphrases_know_their_texts() -> None:
    options = SemiSupervised(paraphrase="aeda", paraphrases=2)
    made, of = paraphrased(UNLABELLED, options, 3)
    assert of == sorted(of)
    assert max(of.count(n) for n in of) == 2
    for text, number in zip(made, of, strict=True):
        kept = [word for word in text.split() if word.isalpha()]
        assert kept == UNLABELLED[number].split()
    assert paraphrased(UNLABELLED, SemiSupervised(paraphrases=0), 3) == ([], [])
    with pytest.raises(OptionError, match="pairs"):
        paraphrased([("a", "b")], options, 0)
    with pytest.raises(TreewrightError):
        paraphrased(UNLABELLED, SemiSupervised(paraphrase="names(a=b)"), 0)


def test_mixtext_learns_from_unlabelled_texts_and_is_the_same_again(
    few: Examples, tiny: Path
) -> None:
    options = SemiSupervised(semi="mixtext", paraphrases=1, paraphrase="aeda")
    train = training(tiny)
    first: Any = train_semi(train, few, UNLABELLED, options)
    again: Any = train_semi(train, few, UNLABELLED, options)
    assert first.losses == again.losses
    other: Any = train_semi(train, few, UNLABELLED[:9], options)
    assert first.losses != other.losses
    placed = trainer(train.config, Mixing(mix="sentence"))
    assert train_semi(placed, few, UNLABELLED, options).losses != first.losses


def test_nothing_of_the_guesses_is_learnt_at_weight_zero(
    few: Examples, encoder: Any, tiny: Path
) -> None:
    """What is left is TMix on the labelled part of each batch, with the same draws."""
    train = training(tiny)
    options = SemiSupervised(semi="mixtext", unlabelled_weight=0.0, paraphrases=0)
    hard = train_semi(train, few, UNLABELLED, options).losses
    soft = train_semi(train, few, UNLABELLED, SemiSupervised(
        semi="mixtext", unlabelled_weight=0.0, paraphrases=0, temperature=1.0)).losses  # fmt: skip
    # only the share of guessed labels in mixed labelled ones tells the two apart
    assert hard[0] == soft[0]  # the head starts at zero, so the first guess is the same
    assert np.isfinite(hard).all()
    assert np.isfinite(soft).all()


# --- rounds ------------------------------------------------------------------------------------


def test_self_training_teaches_words_that_no_label_had(few: Examples) -> None:
    start = read_examples(Corpus.from_columns(text=["good", "bad"] * 2, label=["p", "n"] * 2))
    texts = ["good fine", "bad poor"] * 4
    plain = trainer(TFIDF)(start).probabilities(["fine"])
    options = SemiSupervised(semi="self-training", take=1.0, rounds=1)
    taught = train_semi(trainer(TFIDF), start, texts, options).probabilities(["fine"])
    assert plain[0, 1] == pytest.approx(0.5)
    assert taught[0, 1] > 0.55


@pytest.mark.parametrize(
    ("semi", "train"), [("self-training", "frozen"), ("ust", "frozen"), ("ust", "top_layers")]
)
def test_rounds_that_were_stopped_go_on_to_the_same_result(
    semi: str, train: str, few: Examples, tiny: Path, tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    way = training(tiny, train)
    options = SemiSupervised(semi=semi, rounds=2, take=0.6, passes=4)
    whole = train_semi(way, few, UNLABELLED, options)
    plain, named = rounds_module.named_texts, []

    def killed(*given: Any) -> Any:
        if len(named) == 1:
            raise KeyboardInterrupt
        named.append(given)
        return plain(*given)

    monkeypatch.setattr(rounds_module, "named_texts", killed)
    with pytest.raises(KeyboardInterrupt):
        train_semi(way, few, UNLABELLED, options, folder=tmp_path / "kept")
    assert (tmp_path / "kept" / "round-1.arrow").exists()
    monkeypatch.setattr(rounds_module, "named_texts", plain)
    told: list[Any] = []
    then = train_semi(way, few, UNLABELLED, options, folder=tmp_path / "kept", on_round=told.append)
    assert [one.number for one in told] == [1, 2]
    assert told[0].taken == sum(told[0].of_each) == 12
    texts = [*UNLABELLED, "a cat"]
    assert np.array_equal(then.probabilities(texts), whole.probabilities(texts))
    done: list[Any] = []
    last = train_semi(way, few, UNLABELLED, options, folder=tmp_path / "kept", on_round=done.append)
    assert [one.number for one in done] == [2]  # what is done is not done again
    assert np.array_equal(last.probabilities(texts), whole.probabilities(texts))
    with pytest.raises(OptionError, match="other options, data or encoder"):
        train_semi(way, few, UNLABELLED[1:], options, folder=tmp_path / "kept")
    (tmp_path / "kept" / "round-2.arrow").write_bytes(b"ARROW1 nothing")
    with pytest.raises(SchemaError):
        train_semi(way, few, UNLABELLED, options, folder=tmp_path / "kept")


def test_mixtext_that_was_stopped_goes_on_to_the_same_result(
    few: Examples, tiny: Path, tmp_path: Path
) -> None:
    options = SemiSupervised(semi="mixtext", paraphrases=1)
    whole: Any = train_semi(training(tiny), few, UNLABELLED, options)

    def stop(number: int, _: float) -> None:
        if number == 5:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        train_semi(training(tiny), few, UNLABELLED, options, folder=tmp_path, on_update=stop)
    then: Any = train_semi(training(tiny), few, UNLABELLED, options, folder=tmp_path)
    assert then.losses == whole.losses
    assert np.array_equal(then.probabilities(UNLABELLED), whole.probabilities(UNLABELLED))


def test_passes_differ_and_are_functions_of_the_seed(few: Examples, tiny: Path) -> None:
    for train in ("frozen", "top_layers"):
        model: Any = training(tiny, train)(few)
        before = torch.get_rng_state()
        made = model.passes(UNLABELLED, 3, 5)
        assert torch.equal(before, torch.get_rng_state())
        assert made.shape == (3, len(UNLABELLED), 2)
        assert not np.allclose(made[0], made[1])
        assert np.array_equal(made, model.passes(UNLABELLED, 3, 5))
        assert not np.array_equal(made, model.passes(UNLABELLED, 3, 6))
        assert made.mean(0) == pytest.approx(model.probabilities(UNLABELLED), abs=0.3)


def test_ust_takes_hard_or_soft_names_with_weights(few: Examples, tiny: Path) -> None:
    model = training(tiny)(few)
    for kind in ("hard", "soft"):
        options = SemiSupervised(semi="ust", pseudo_labels=kind, take=0.5, passes=5)
        pseudo = named_texts(model, UNLABELLED, options, 3)
        assert len(pseudo.rows) == 10
        assert pseudo.labels.sum(1) == pytest.approx(np.ones(10))
        assert pseudo.weights.mean() == pytest.approx(1)
        assert (np.sort(pseudo.labels, 1)[:, -1] == 1).all() == (kind == "hard")


def test_what_is_learnt_starts_from_what_was_labelled(
    few: Examples, encoder: Any, tiny: Path
) -> None:
    """With a weight of zero the student is taught by the labelled examples alone."""
    way = training(tiny, share=0.0)
    options = SemiSupervised(semi="self-training", unlabelled_weight=0.0, rounds=1)
    student: Any = train_semi(way, few, UNLABELLED, options)
    assert student.losses == fine_tune(encoder, few, way.config).losses


def test_bad_requests_are_refused(few: Examples, tiny: Path) -> None:
    with pytest.raises(CorpusError, match="no unlabelled texts"):
        train_semi(trainer(TFIDF), few, [], SemiSupervised(semi="ust"))
    with pytest.raises(OptionError, match="ust needs what has dropout"):
        train_semi(trainer(TFIDF), few, UNLABELLED, SemiSupervised(semi="ust"))
    with pytest.raises(OptionError, match="needs an encoder that learns"):
        train_semi(training(tiny, "frozen"), few, UNLABELLED, SemiSupervised(semi="mixtext"))
    with pytest.raises(OptionError, match="learns from no unlabelled texts"):
        train_semi(trainer(TFIDF), few, UNLABELLED, SemiSupervised())
    with pytest.raises(OptionError, match="out of range"):
        SemiSupervised(take=0.0)
