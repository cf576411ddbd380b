"""The model of GECA's program: its steps one by one, padding, copying, training and files."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from grammar.errors import OptionError

torch = pytest.importorskip("torch")

from scan.models.config import GECA_CODE, TrainingConfig  # noqa: E402
from scan.models.files import TrainedModel  # noqa: E402
from scan.models.input_feeding import InputFeeding  # noqa: E402
from scan.models.seq2seq import decode, pad  # noqa: E402
from scan.models.training import exact_match, train  # noqa: E402
from scan.models.vocabulary import END, FIRST_OUTPUT, START, UNKNOWN, Vocabulary  # noqa: E402

VERBS = {"walk": "WALK", "run": "RUN", "look": "LOOK"}
TOY = [
    (f"{first} {times} then {last}", " ".join([VERBS[first]] * number + [VERBS[last]]))
    for first in VERBS
    for times, number in (("once", 1), ("twice", 2), ("thrice", 3))
    for last in VERBS
]
SMALL = TrainingConfig(
    feed=True, embedding=16, hidden=32, dropout=0.1, batch=16, peak_rate=2e-2, steps=150,
    check_every=10,
)  # fmt: skip

SENTENCES = st.lists(
    st.lists(st.sampled_from(["a", "b", "c", "unheard"]), max_size=6).map(" ".join),
    min_size=1, max_size=4,
)  # fmt: skip


def small_model(seed: int, *, copy: bool) -> InputFeeding:
    torch.manual_seed(seed)
    source, target = Vocabulary("abc"), Vocabulary("abc" if copy else "xyz")
    return InputFeeding(source, target, embedding=4, hidden=5, dropout=0.5, copy=copy)


def batch(model: InputFeeding, sources: list[str]) -> tuple[torch.Tensor, torch.Tensor]:
    rows, lengths = pad([model.encode_source(source) for source in sources])
    return torch.from_numpy(rows), torch.from_numpy(lengths)


# --- a plain twin, in numpy ---------------------------------------------------------------------


def sigmoid(x: np.ndarray) -> np.ndarray:
    return 1 / (1 + np.exp(-x))


def softmax(x: np.ndarray) -> np.ndarray:
    e = np.exp(x - x.max())
    return e / e.sum()


class Plain:
    """One sentence, one word after the other, with the weights of a model."""

    def __init__(self, model: InputFeeding) -> None:
        self.model = model
        self.w = {k: v.detach().numpy().astype(float) for k, v in model.state_dict().items()}

    def linear(self, name: str, x: np.ndarray) -> np.ndarray:
        return self.w[f"{name}.weight"] @ x + self.w[f"{name}.bias"]

    def lstm(self, name: str, x: np.ndarray, h: np.ndarray, c: np.ndarray) -> tuple:
        ih, hh, bi, bh = (
            self.w[name.format(part)] for part in ("weight_ih", "weight_hh", "bias_ih", "bias_hh")
        )
        i, f, g, o = np.split(ih @ x + bi + hh @ h + bh, 4)
        c = sigmoid(f) * c + sigmoid(i) * np.tanh(g)
        return sigmoid(o) * np.tanh(c), c

    def probabilities(self, source: str, target: list[int]) -> np.ndarray:
        model, zero = self.model, np.zeros(5)
        numbers = model.encode_source(source) or [0]
        known = [n if n < len(model.source) else UNKNOWN for n in numbers]
        words = [self.w["source_embedding.weight"][n] for n in known]
        states, last = {}, []
        for way, name in ((1, "encoder.{}_l0"), (-1, "encoder.{}_l0_reverse")):
            h, c = zero, zero
            for place in range(len(words))[::way]:
                h, c = self.lstm(name, words[place], h, c)
                states[place, way] = h
            last.append((h, c))
        h, c = last[0][0] + last[1][0], last[0][1] + last[1][1]
        values = [
            self.linear("value", np.concatenate([states[place, 1], states[place, -1]]))
            for place in range(len(words))
        ]
        keys = [self.linear("key", value) for value in values]
        rows, fed = [], zero
        for token in [START, *target]:
            token = token if token < len(model.target) else UNKNOWN
            word = self.w["target_embedding.weight"][token]
            h, c = self.lstm("decoder.{}", np.concatenate([word, fed]), h, c)
            attention = softmax(np.array([key @ h for key in keys]))
            summary = sum(a * value for a, value in zip(attention, values, strict=True))
            fed = self.linear("mix", np.concatenate([h, summary]))
            scores = softmax(self.linear("output", fed))
            if model.copy:
                share = scores[-1]
                scores = np.concatenate([(1 - share) * scores[:-1], np.zeros(len(numbers))])
                for number, a in zip(numbers, attention, strict=True):
                    scores[max(0, number - FIRST_OUTPUT)] += share * a
                scores /= scores.sum()
            rows.append(scores)
        return np.array(rows)


@given(
    sources=SENTENCES, copy=st.booleans(), seed=st.integers(0, 99),
    targets=st.lists(st.lists(st.integers(END + 1, END + 3), max_size=6), min_size=4, max_size=4),
)  # fmt: skip
def test_the_model_is_its_plain_twin(
    sources: list[str], targets: list[list[int]], copy: bool, seed: int
) -> None:
    model = small_model(seed, copy=copy)
    targets = targets[: len(sources)]
    fed, _ = pad([[START, *target] for target in targets])
    with torch.inference_mode():
        memory, state = model.encode(*batch(model, sources))
        scores = model.write(torch.from_numpy(fed), state, memory)[0].log_softmax(dim=2).numpy()
    for row, (source, target) in enumerate(zip(sources, targets, strict=True)):
        expected = Plain(model).probabilities(source, target)
        found = scores[row, : len(target) + 1, : expected.shape[1]]
        np.testing.assert_allclose(np.exp(found), expected, atol=1e-5)


@pytest.mark.parametrize("copy", [False, True])
def test_a_target_in_two_parts_is_the_whole(copy: bool) -> None:
    model = small_model(1, copy=copy)
    rows, lengths = batch(model, ["a b", "", "c a b"])
    tokens = torch.tensor([[START, 5, 6, 5], [START, 6, 5, 5], [START, 5, 5, 6]])
    with torch.inference_mode():
        memory, state = model.encode(rows, lengths)
        whole, end = model.write(tokens, state, memory)
        first, middle = model.write(tokens[:, :1], state, memory)
        second, other_end = model.write(tokens[:, 1:], middle, memory)
    torch.testing.assert_close(torch.cat([first, second], dim=1), whole)
    torch.testing.assert_close(other_end, end)


def test_columns_of_padding_alone_have_scores_too() -> None:
    model = small_model(4, copy=True)
    tokens = torch.tensor([[START, 5], [START, 6]])
    with torch.inference_mode():
        memory, state = model.encode(*batch(model, ["a b", "c"]))
        scores, end = model.write(tokens, state, memory)
        wide, same_end = model.write(torch.nn.functional.pad(tokens, (0, 2)), state, memory)
    assert wide.shape[1] == 4
    torch.testing.assert_close(wide[:, :2], scores)
    torch.testing.assert_close(same_end, end)


def test_dropout_is_drawn_from_the_noise_alone() -> None:
    model = small_model(2, copy=True)
    rows, lengths = batch(model, ["a b c", "c"])
    tokens = torch.tensor([[START, 5, 6], [START, 6, 0]])

    def scores(seed: int | None) -> torch.Tensor:
        noise = None if seed is None else torch.Generator().manual_seed(seed)
        memory, state = model.encode(rows, lengths, noise)
        return model.write(tokens, state, memory, noise)[0]

    before = torch.random.get_rng_state()
    assert torch.equal(scores(1), scores(1))
    assert not torch.equal(scores(1), scores(2))
    assert torch.equal(scores(None), scores(None))
    assert torch.equal(torch.random.get_rng_state(), before)


@pytest.fixture(scope="module")
def trained() -> TrainedModel:
    return train(TOY, config=replace(SMALL, copy=True))


def test_the_toy_language_is_learnt(trained: TrainedModel, tmp_path: Path) -> None:
    assert trained.history[-1].loss < trained.history[0].loss / 10
    assert exact_match(trained, TOY) == 1.0
    found = decode(trained.model, [source for source, _ in TOY])
    assert [hypothesis.target for hypothesis in found] == [target for _, target in TOY]
    trained.save(tmp_path / "model.safetensors")
    loaded = TrainedModel.load(tmp_path / "model.safetensors")
    assert isinstance(loaded.model, InputFeeding)
    assert loaded.decode(["walk twice then run"]) == trained.decode(["walk twice then run"])


@pytest.mark.parametrize("changes", [{}, {"mix": 1.0}])
def test_a_resumed_run_equals_an_unbroken_one(tmp_path: Path, changes: dict[str, float]) -> None:
    config = replace(SMALL, steps=12, check_every=6, checked_pairs=9, **changes)
    whole = train(TOY, config=config)

    class KilledError(Exception):
        pass

    def kill(progress: object) -> None:
        if progress.update == 9:  # type: ignore[attr-defined]
            raise KilledError

    path = tmp_path / "checkpoint"
    with pytest.raises(KilledError):
        train(TOY, config=config, checkpoint=path, on_progress=kill)
    again = train(TOY, config=config, checkpoint=path)
    assert again.history == whole.history
    for name, value in whole.model.state_dict().items():
        assert torch.equal(value, again.model.state_dict()[name])


def test_only_an_lstm_of_one_layer_is_fed() -> None:
    assert TrainingConfig(**GECA_CODE).feed
    with pytest.raises(OptionError, match="feed=True is for an LSTM of one layer, not a transf"):
        TrainingConfig.of("transformer", feed=True)
    with pytest.raises(OptionError, match="of 2"):
        TrainingConfig(feed=True, layers=2)
    with pytest.raises(OptionError, match="feed=1"):
        TrainingConfig(feed=1)  # type: ignore[arg-type]
