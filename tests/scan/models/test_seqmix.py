"""SeqMix: pairs of a batch mixed with one another, in the embeddings and in the loss."""

from dataclasses import replace
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from grammar.errors import OptionError

torch = pytest.importorskip("torch")

from scan.models import training  # noqa: E402
from scan.models.batches import BatchOrder, Mixing, draw_mixing  # noqa: E402
from scan.models.config import MODELS, TrainingConfig  # noqa: E402
from scan.models.encoder_decoder import EncoderDecoder  # noqa: E402
from scan.models.files import TrainedModel, build_model  # noqa: E402
from scan.models.training import Progress, train  # noqa: E402
from scan.models.vocabulary import END, START, vocabularies  # noqa: E402

VERBS = {"walk": "WALK", "run": "RUN", "look": "LOOK"}
TIMES = {"once": 1, "twice": 2, "thrice": 3}
TOY = [
    (f"{first} {times} then {last}", " ".join([VERBS[first]] * TIMES[times] + [VERBS[last]]))
    for first, times, last in product(VERBS, TIMES, VERBS)
]
MADE = [("hop", "HOP"), ("hop twice", "HOP HOP"), ("", ""), ("walk twice then hop then run", "RUN")]
SHORT = TrainingConfig(
    embedding=6, hidden=8, heads=2, feedforward=8, batch=8, steps=6, check_every=3, dropout=0.0
)
EVERYTHING = [*TOY, *MADE]


def weights(model: TrainedModel) -> dict[str, bytes]:
    return {k: v.numpy().tobytes() for k, v in model.model.state_dict().items()}


def losses(pairs: list[tuple[str, str]], config: TrainingConfig, **more: object) -> list[float]:
    seen: list[Progress] = []
    train(pairs, config=config, on_progress=seen.append, **more)  # type: ignore[arg-type]
    return [progress.loss for progress in seen]


# --- against a slow twin -----------------------------------------------------------------------


def feed(table: torch.nn.Embedding, first: list[int], second: list[int], share: float) -> list[int]:
    """Give a table the mixed vectors of two sequences; return the numbers that they now have."""
    old = table.weight.detach().clone()
    longest = max(len(first), len(second), 1)
    vectors = torch.zeros(longest, old.shape[1])
    for place in range(longest):
        if place < len(first):
            vectors[place] += share * old[first[place]]
        if place < len(second):
            vectors[place] += (1 - share) * old[second[place]]
    table.weight = torch.nn.Parameter(vectors)
    return list(range(longest))


@torch.no_grad()
def twin_loss(
    model: EncoderDecoder, one: tuple[str, str], other: tuple[str, str], share: float
) -> float:
    """Loss of two mixed pairs, summed over tokens: no batch, no padding, no Mixture."""
    sources = [model.source.encode(source) for source, _ in (one, other)]
    targets = [[*model.target.encode(target), END] for _, target in (one, other)]
    kept = model.source_embedding.weight, model.target_embedding.weight
    read = feed(model.source_embedding, *sources, share)
    written = feed(model.target_embedding, *([START, *target[:-1]] for target in targets), share)
    memory, state = model.encode(torch.tensor([read]), torch.tensor([len(read)]))
    scores, _ = model.write(torch.tensor([written]), state, memory)
    model.source_embedding.weight, model.target_embedding.weight = kept
    steps = scores[0].log_softmax(dim=1)
    loss = 0.0
    for weight, target in ((share, targets[0]), (1 - share, targets[1])):
        for place, token in enumerate(target):
            loss -= weight * float(steps[place, token - END])
    return loss


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("mix", [0.1, 1.5])
def test_the_loss_is_that_of_the_definition(model: str, mix: float) -> None:
    config = replace(SHORT, model=model, mix=mix, batch=12, augmented_share=0.5, steps=1)
    found = losses(TOY, config, augmented=MADE)
    rows = BatchOrder(config, (len(TOY), len(MADE))).batch(0)
    batch = [EVERYTHING[row] for row in rows]
    mixing = draw_mixing(config, 0)
    fresh = build_model(config, *vocabularies(EVERYTHING))
    expected = sum(
        twin_loss(fresh, pair, batch[partner], float(share))
        for pair, partner, share in zip(batch, *mixing, strict=True)
    )
    tokens = sum(len(target.split()) + 1 for _, target in batch)
    assert found == [pytest.approx(expected / tokens, rel=1e-5)]


# --- borders -----------------------------------------------------------------------------------


def mixed_by(monkeypatch: pytest.MonkeyPatch, partners: object, share: float | None) -> None:
    """Have all batches mixed with the partners of a function, and with one share."""

    def draw(config: TrainingConfig, update: int) -> Mixing:
        drawn = draw_mixing(config, update)
        shares = drawn.shares if share is None else np.full(config.batch, share, dtype=np.float32)
        return Mixing(partners(drawn.partners), shares)  # type: ignore[operator]

    monkeypatch.setattr(training, "draw_mixing", draw)


@pytest.mark.parametrize("model", MODELS)
def test_a_whole_share_is_no_mixing(model: str, monkeypatch: pytest.MonkeyPatch) -> None:
    # sources of one length: the mixture of two is as long as the longer, whatever the share
    plain = losses(TOY, replace(SHORT, model=model))
    mixed_by(monkeypatch, lambda partners: partners, 1.0)
    assert losses(TOY, replace(SHORT, model=model, mix=1.0)) == pytest.approx(plain, rel=1e-4)
    # and with no share at all the same pairs are learnt, through their partners
    mixed_by(monkeypatch, lambda partners: partners, 0.0)
    assert losses(TOY, replace(SHORT, model=model, mix=1.0)) == pytest.approx(plain, rel=1e-4)
    mixed_by(monkeypatch, lambda partners: partners, 0.5)
    assert losses(TOY, replace(SHORT, model=model, mix=1.0)) != pytest.approx(plain, rel=1e-4)


@pytest.mark.parametrize("model", MODELS)
def test_a_pair_mixed_with_itself_is_itself(model: str, monkeypatch: pytest.MonkeyPatch) -> None:
    plain = losses(TOY, replace(SHORT, model=model), augmented=MADE)
    mixed_by(monkeypatch, np.sort, None)
    mixed = losses(TOY, replace(SHORT, model=model, mix=0.7), augmented=MADE)
    assert mixed == pytest.approx(plain, rel=1e-4)


def test_without_mixing_nothing_is_drawn(monkeypatch: pytest.MonkeyPatch) -> None:
    assert draw_mixing(SHORT, 0) is None
    expected = train(TOY, config=SHORT)
    monkeypatch.setattr(training, "draw_mixing", lambda config, update: None)
    monkeypatch.delattr(training._Encoded, "mixed_scores")
    assert weights(train(TOY, config=replace(SHORT, mix=0.0))) == weights(expected)
    assert weights(train(TOY, config=replace(SHORT, mix=0))) == weights(expected)


# --- what is drawn -----------------------------------------------------------------------------


@given(
    seed=st.integers(0, 2**63 - 1),
    update=st.integers(0, 10**6),
    batch=st.integers(1, 70),
    mix=st.floats(1e-320, 1e3),
)
def test_partners_and_shares_are_functions_of_seed_and_update(
    seed: int, update: int, batch: int, mix: float
) -> None:
    config = TrainingConfig(seed=seed, batch=batch, mix=mix)
    partners, shares = draw_mixing(config, update)
    assert sorted(partners.tolist()) == list(range(batch))
    assert shares.shape == (batch,)
    assert ((shares >= 0) & (shares <= 1)).all()
    again = draw_mixing(replace(config, steps=7, peak_rate=1.0), update)
    assert (again.partners == partners).all()
    assert (again.shares == shares).all()


def test_shares_follow_the_beta_distribution() -> None:
    for mix in (0.1, 1.0, 1.5):
        config = TrainingConfig(mix=mix, batch=100)
        shares = np.concatenate([draw_mixing(config, update).shares for update in range(100)])
        assert shares.mean() == pytest.approx(0.5, abs=0.02)
        assert shares.var() == pytest.approx(0.25 / (2 * mix + 1), rel=0.05)
    draws = [
        draw_mixing(TrainingConfig(mix=1.0, seed=seed), update)
        for seed, update in product((0, 1), (0, 1))
    ]
    assert len({tuple(draw.partners) for draw in draws}) == 4
    assert len({tuple(draw.shares) for draw in draws}) == 4


# --- training ----------------------------------------------------------------------------------


class Killed(Exception):  # noqa: N818
    pass


@pytest.mark.parametrize("model", MODELS)
def test_a_resumed_run_equals_an_unbroken_one(model: str, tmp_path: Path) -> None:
    def kill(progress: Progress) -> None:
        if progress.update == 5:
            raise Killed

    config = replace(SHORT, model=model, mix=1.0, dropout=0.1)
    unbroken = train(TOY, augmented=MADE, config=config)
    file = tmp_path / "run.safetensors"
    with pytest.raises(Killed):
        train(TOY, augmented=MADE, config=config, checkpoint=file, on_progress=kill)
    resumed = train(TOY, augmented=MADE, config=config, checkpoint=file)
    assert weights(resumed) == weights(unbroken)
    assert resumed.history == unbroken.history
    assert weights(train(TOY, augmented=MADE, config=replace(config, mix=0.0))) != weights(unbroken)
    with pytest.raises(OptionError, match="another config"):
        train(TOY, augmented=MADE, config=replace(config, mix=0.5), checkpoint=file)


@pytest.mark.parametrize("model", MODELS)
def test_the_toy_language_is_learnt_from_mixed_pairs(model: str) -> None:
    config = TrainingConfig.of(
        model,
        embedding=16,
        hidden=32,
        heads=4,
        feedforward=48,
        batch=16,
        peak_rate=1e-2,
        steps=300,
        check_every=50,
        mix=0.2,
    )
    trained = train(TOY, config=config)
    assert trained.history[-1].exact_match == 1.0
    assert trained.history[-1].loss > 0.1, "mixed targets cannot be told apart, so the loss stays"


@pytest.mark.parametrize("wrong", [-0.1, float("nan"), float("inf"), 1e4, True, "1.0", None])
def test_wrong_parameters_are_named(wrong: object) -> None:
    with pytest.raises(OptionError, match="mix="):
        TrainingConfig(mix=wrong)  # type: ignore[arg-type]


def test_a_model_that_copies_cannot_be_trained_on_mixed_pairs() -> None:
    with pytest.raises(OptionError, match=r"copy=True and mix=0\.5"):
        TrainingConfig(copy=True, mix=0.5)
    assert TrainingConfig(copy=True, mix=0.0).copy
