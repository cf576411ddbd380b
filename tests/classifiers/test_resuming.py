"""Trainings that were stopped, whose loss is no number, and that held examples judge."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("transformers")

from classifiers.config import TrainingConfig, read_config  # noqa: E402
from classifiers.examples import Examples, read_examples  # noqa: E402
from classifiers.mixing.options import Mixing  # noqa: E402
from classifiers.networks import finetuning  # noqa: E402
from classifiers.networks.finetuning import fine_tune  # noqa: E402
from classifiers.networks.loop import StoppedTrainingError  # noqa: E402
from classifiers.training.train import trainer  # noqa: E402
from grammar.errors import OptionError, SchemaError, TrainingError  # noqa: E402
from induction import Corpus  # noqa: E402
from tests.classifiers.test_training import BAD, GOOD  # noqa: E402
from tests.classifiers.test_training import QUICK as USUAL  # noqa: E402

QUICK = USUAL | {"steps": 20}

TEXTS = ["great acting", "dull plot", "it was very good"]


@pytest.fixture(scope="module")
def few() -> Examples:
    labels = ["pos"] * len(GOOD) + ["neg"] * len(BAD)
    return read_examples(Corpus.from_columns(text=GOOD + BAD, label=labels))


class Killed(BaseException):
    """As of a person, or of a machine."""


def stop_at(update: int) -> Any:
    def told(number: int, _: float) -> None:
        if number == update:
            raise Killed

    return told


@pytest.mark.parametrize("mixing", [Mixing(), Mixing(mix="tmix")], ids=["plain", "mixed"])
def test_a_stopped_training_goes_on_to_the_same_result(
    mixing: Mixing, few: Examples, encoder: Any, tmp_path: Path
) -> None:
    config = read_config(**QUICK)
    whole = fine_tune(encoder, few, config, mixing=mixing, held=few)
    path = tmp_path / "training.safetensors"
    for update in (6, 15):
        with pytest.raises(Killed):
            fine_tune(encoder, few, config, mixing=mixing, held=few, checkpoint=path,
                      on_update=stop_at(update))  # fmt: skip
    told: list[int] = []
    then = fine_tune(encoder, few, config, mixing=mixing, held=few, checkpoint=path,
                     on_update=lambda number, _: told.append(number))  # fmt: skip
    assert told == list(range(15, 21))  # it was kept after 14
    assert then.losses == whole.losses
    assert then.chosen == whole.chosen
    assert np.array_equal(then.probabilities(TEXTS), whole.probabilities(TEXTS))
    done = fine_tune(encoder, few, config, mixing=mixing, held=few, checkpoint=path,
                     on_update=stop_at(1))  # fmt: skip
    assert np.array_equal(done.probabilities(TEXTS), whole.probabilities(TEXTS))


def test_a_state_of_another_training_or_a_damaged_one_is_refused(
    few: Examples, encoder: Any, tmp_path: Path
) -> None:
    path = tmp_path / "training.safetensors"
    config = read_config(**QUICK | {"steps": 4})
    fine_tune(encoder, few, config, checkpoint=path)
    for other, examples, held in (
        (read_config(**QUICK | {"steps": 5}), few, None),
        (config, few.take(range(9)), None),
        (config, few, few),
    ):
        with pytest.raises(OptionError, match="other options, data or encoder"):
            fine_tune(encoder, examples, other, held=held, checkpoint=path)
    data = bytearray(path.read_bytes())
    for place in (9, 300, len(data) // 2, len(data) - 3):
        path.write_bytes(bytes([*data[:place], data[place] ^ 1, *data[place + 1 :]]))
        with pytest.raises(SchemaError, match="damaged"):
            fine_tune(encoder, few, config, checkpoint=path)


def test_a_loss_that_is_no_number_keeps_the_last_good_weights(
    few: Examples, encoder: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    config = read_config(**QUICK)
    plain, calls = finetuning.Batches.__call__, []

    def spoilt(self: Any, places: Any) -> Any:
        made = plain(self, places)
        calls.append(places)
        if len(calls) > 12:
            made["labels"] = made["labels"] * float("nan")
        return made

    monkeypatch.setattr(finetuning.Batches, "__call__", spoilt)
    with pytest.raises(StoppedTrainingError, match="nan at update 13; kept is the model after 10"):
        fine_tune(encoder, few, config)
    calls.clear()
    try:
        fine_tune(encoder, few, config)
    except StoppedTrainingError as error:
        model = error.model
    assert model.chosen == 10
    made = model.probabilities([*GOOD, *BAD])
    assert np.isfinite(made).all()
    assert (made.argmax(1) == few.hard).mean() > 0.5
    monkeypatch.undo()
    broken = few.take(range(len(few)))
    broken.labels[:] = np.nan
    with pytest.raises(TrainingError, match="nan at update 1") as caught:
        fine_tune(encoder, broken, config)
    assert not isinstance(caught.value, StoppedTrainingError)


def test_held_examples_choose_the_update(few: Examples, encoder: Any) -> None:
    """Labels turned round: the less is learnt, the better."""
    turned = few.take(range(len(few)))
    turned.labels[:] = turned.labels[:, ::-1].copy()
    config = read_config(**QUICK)
    assert fine_tune(encoder, few, config, held=few).chosen > 10
    early = fine_tune(encoder, few, config, held=turned)
    assert early.chosen == 2
    last = fine_tune(encoder, few, config)
    assert last.chosen == 20
    assert last.losses == early.losses  # judging changes nothing of the training


def test_held_examples_choose_the_strength_of_a_linear_head(few: Examples) -> None:
    train = trainer(TrainingConfig(encoder="tfidf"))
    chosen: Any = train(few, held=few)
    assert chosen.model.C in (0.01, 0.1, 1.0, 10.0, 100.0)
    wrong = few.take(range(len(few)))
    wrong.labels[:] = wrong.labels[:, ::-1].copy()
    weak: Any = train(few, held=wrong)
    assert weak.model.C <= chosen.model.C


def test_a_linear_head_has_the_merged_loss_as_weights(few: Examples) -> None:
    both = few.with_new(few.take([0, 1]))
    merged: Any = trainer(TrainingConfig(encoder="tfidf", gamma=0.5))(both)
    weighed: Any = trainer(TrainingConfig(encoder="tfidf"))(few.with_new(few.take([0, 1]), 0.5))
    assert np.array_equal(merged.model.coef_, weighed.model.coef_)
    with pytest.raises(OptionError, match="negative"):
        trainer(TrainingConfig(encoder="tfidf", gamma=-0.2))(both)
