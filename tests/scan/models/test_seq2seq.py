"""The sequence-to-sequence model: decoding, training, and files."""

import json
import struct
import subprocess
import sys
from dataclasses import replace
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from grammar.errors import (
    CorpusError,
    OptionError,
    OutputError,
    SchemaError,
    UnreadableInputError,
)

torch = pytest.importorskip("torch")

from scan.models import files  # noqa: E402
from scan.models.batches import BatchOrder  # noqa: E402
from scan.models.config import TrainingConfig  # noqa: E402
from scan.models.files import TrainedModel  # noqa: E402
from scan.models.seq2seq import Seq2Seq, Vocabulary, decode, pad  # noqa: E402
from scan.models.training import _Run, exact_match, train  # noqa: E402
from scan.models.vocabulary import END, MARKS, START, vocabularies  # noqa: E402

TIMES = {"once": 1, "twice": 2, "thrice": 3}
VERBS = ("walk", "run", "look", "jump", "hop")


def meaning(command: str) -> str:
    verb, times, order, other = command.split()
    parts = [verb.upper()] * TIMES[times], [other.upper()]
    return " ".join(token for part in (parts if order == "then" else parts[::-1]) for token in part)


TOY = [
    (command, meaning(command))
    for command in map(" ".join, product(VERBS[:4], TIMES, ("then", "after"), VERBS[:3]))
]
SMALL = TrainingConfig(embedding=16, hidden=32, batch=16, peak_rate=2e-2, steps=300, check_every=50)
SHORT = replace(SMALL, steps=24, check_every=8, checked_pairs=20)
MADE = [("hop twice then walk", "HOP HOP WALK"), ("hop once after run", "RUN HOP")]


@pytest.fixture(scope="module")
def trained() -> TrainedModel:
    return train(TOY, config=SMALL)


@pytest.fixture(scope="module")
def half_trained() -> TrainedModel:
    """A model that is unsure, so that beams matter."""
    return train(TOY, config=replace(SMALL, steps=30, dropout=0.0))


@pytest.fixture
def untrained() -> Seq2Seq:
    torch.manual_seed(3)
    return Seq2Seq(Vocabulary(("a", "b")), Vocabulary(("x", "y")), embedding=4, hidden=5, layers=2)


def weights(model: TrainedModel) -> dict[str, bytes]:
    return {k: v.numpy().tobytes() for k, v in model.model.state_dict().items()}


def log_probability(model: Seq2Seq, source: str, target: list[int]) -> float:
    """Score a target token by token, without batches or padding."""
    with torch.inference_mode():
        numbers = model.source.encode(source)
        memory, state = model.encode(torch.tensor([numbers]), torch.tensor([len(numbers)]))
        total, before = 0.0, START
        for token in target:
            scores, state = model.write(torch.tensor([[before]]), state, memory)
            total += float(scores[0, 0].log_softmax(dim=0)[token - END])
            before = token
    return total


# --- the model ---------------------------------------------------------------------------------


def test_vocabulary_round_trip_and_unknown_words() -> None:
    vocabulary = Vocabulary.of(["walk twice", "look"])
    assert vocabulary.decode(vocabulary.encode("look twice")) == "look twice"
    assert vocabulary.decode(vocabulary.encode("look often")) == "look <unknown>"
    assert vocabulary.encode("") == []
    with pytest.raises(CorpusError, match="twice"):
        Vocabulary(["walk", "walk"])


@pytest.mark.parametrize("layers", [1, 2])
def test_padding_and_neighbours_change_nothing(layers: int) -> None:
    torch.manual_seed(0)
    model = Seq2Seq(Vocabulary("abc"), Vocabulary("xyz"), embedding=6, hidden=7, layers=layers)
    sources = ["a", "c b a b c", "b a", "", "a c unheard"]
    rows, lengths = map(torch.from_numpy, pad([model.source.encode(s) for s in sources]))
    wider = torch.nn.functional.pad(rows, (0, 3))
    with torch.inference_mode():
        for padded in (rows, wider):
            memory, state = model.encode(padded, lengths)
            tokens = torch.full((len(sources), 2), START)
            scores, _ = model.write(tokens, state, memory)
            for row, source in enumerate(sources):
                alone = torch.tensor([model.source.encode(source) or [0]])
                memory, state = model.encode(alone, lengths[row : row + 1])
                expected, _ = model.write(tokens[:1], state, memory)
                torch.testing.assert_close(scores[row], expected[0])


def test_decoding_in_batches_equals_decoding_one_by_one(half_trained: TrainedModel) -> None:
    sources = [source for source, _ in TOY] + ["walk", "sing twice then walk", ""]
    for beam in (1, 3):
        together = decode(half_trained.model, sources, beam=beam)
        for source, found in zip(sources, together, strict=True):
            alone = decode(half_trained.model, [source], beam=beam, batch=1)[0]
            assert alone.target == found.target
            assert alone.log_probability == pytest.approx(found.log_probability, abs=1e-4)


def test_greedy_decoding_equals_the_plain_loop(half_trained: TrainedModel) -> None:
    model = half_trained.model
    for source, found in zip(
        [source for source, _ in TOY], decode(model, [source for source, _ in TOY]), strict=True
    ):
        target: list[int] = []
        while not target or target[-1] != END:
            nexts = range(END, len(model.target))
            target.append(max(nexts, key=lambda t: log_probability(model, source, [*target, t])))
        assert model.target.decode(target[:-1]) == found.target
        assert found.finished
        assert found.log_probability == pytest.approx(
            log_probability(model, source, target), abs=1e-4
        )


def test_a_beam_never_loses_to_greedy_and_sometimes_wins(half_trained: TrainedModel) -> None:
    sources = [source for source, _ in TOY]
    greedy = np.array([h.log_probability for h in half_trained.decode(sources)])
    for beam in (2, 5):
        wide = half_trained.decode(sources, beam=beam)
        assert (np.array([h.log_probability for h in wide]) >= greedy).all()
    assert (np.array([h.log_probability for h in wide]) > greedy + 1e-3).any()


def test_a_beam_as_wide_as_the_language_finds_the_best_target(untrained: Seq2Seq) -> None:
    limit = 4
    bodies = [body for n in range(limit) for body in product((END + 1, END + 2), repeat=n)]
    full = list(product((END + 1, END + 2), repeat=limit))
    targets = [[*body, END] for body in bodies] + [list(body) for body in full]
    for source in ("a", "b a b"):
        scores = [log_probability(untrained, source, target) for target in targets]
        best = targets[int(np.argmax(scores))]
        found = decode(untrained, [source], beam=3**limit, length_limit=limit)[0]
        assert found.target == untrained.target.decode(t for t in best if t != END)
        assert found.finished == (best[-1] == END)
        assert found.log_probability == pytest.approx(max(scores), abs=1e-5)


def test_the_length_limit_is_kept_and_told(untrained: Seq2Seq) -> None:
    with torch.no_grad():
        untrained.output.bias.copy_(torch.tensor([-20.0, 5.0, 0.0]))
    found = decode(untrained, ["a b"], length_limit=7)[0]
    assert len(found.target.split()) == 7
    assert not found.finished
    assert decode(untrained, []) == []


@pytest.mark.parametrize("option", ["beam", "length_limit", "batch"])
def test_decoding_options_are_checked(untrained: Seq2Seq, option: str) -> None:
    with pytest.raises(OptionError, match=option):
        decode(untrained, ["a"], **{option: 0})


# --- training ----------------------------------------------------------------------------------


def test_loss_falls_and_the_toy_language_is_learnt(trained: TrainedModel) -> None:
    losses = [check.loss for check in trained.history]
    assert losses[-1] < 0.5 * losses[0]
    assert trained.history[-1].exact_match == 1.0
    assert trained.history[-1].pairs == len(TOY)
    assert exact_match(trained, TOY) == 1.0
    assert trained.history[-1].update < SMALL.steps, "it stops early on training exact match"
    found = trained.decode([source for source, _ in TOY])
    assert [h.target for h in found] == [target for _, target in TOY]


def test_a_toy_split_is_learnt_whole() -> None:
    language = list(map(" ".join, product(VERBS, TIMES, ("then", "after"), VERBS)))
    pairs = [(command, meaning(command)) for command in language]
    test = pairs[::7]
    config = replace(SMALL, peak_rate=1e-2, steps=400, check_every=400)
    losses: list[float] = []
    learnt = train(
        [pair for pair in pairs if pair not in test],
        config=config,
        on_progress=lambda progress: losses.append(progress.loss),
    )
    assert np.mean(losses[-20:]) < 0.1 * np.mean(losses[:20])
    assert exact_match(learnt, test) == 1.0


def test_exact_match_is_that_of_greedy_decoding(half_trained: TrainedModel) -> None:
    pairs = [*TOY, ("walk twice then sing", "WALK WALK SING"), ("", ""), ("hop", "")]
    found = half_trained.decode([source for source, _ in pairs])
    right = np.mean([h.target == t for h, (_, t) in zip(found, pairs, strict=True)])
    assert 0 < right < 1
    assert exact_match(half_trained, pairs) == right
    assert exact_match(half_trained.model, pairs, batch=7) == right


def test_made_pairs_are_learnt_too() -> None:
    model = train(TOY, augmented=MADE, config=replace(SMALL, augmented_share=0.2))
    assert exact_match(model, MADE) == 1.0
    assert model.history[-1].pairs == len(TOY) + len(MADE)


def test_seed_decides_and_global_random_state_is_left_alone() -> None:
    torch.manual_seed(1)
    expected = torch.rand(3)
    torch.manual_seed(1)
    threads = torch.get_num_threads()
    first = train(TOY, config=SHORT)
    assert torch.equal(torch.rand(3), expected)
    assert torch.get_num_threads() == threads
    assert weights(train(TOY, config=SHORT)) == weights(first)
    assert weights(train(TOY, config=replace(SHORT, seed=1))) != weights(first)


def test_all_pairs_are_seen_equally_often_in_their_share() -> None:
    config = TrainingConfig(batch=7, augmented_share=0.3)
    order = BatchOrder(config, (21, 10))
    batches = [order.batch(update) for update in range(100)]
    assert {len(batch) for batch in batches} == {7}
    assert {int((batch >= 21).sum()) for batch in batches} == {2, 3}
    seen = np.bincount(np.concatenate(batches), minlength=31)
    assert seen[21:].sum() == 210
    assert set(seen[21:]) == {21}
    assert set(seen[:21]) <= {23, 24}


class Killed(Exception):  # noqa: N818
    pass


@pytest.mark.parametrize("killed_at", [3, 8, 13, 24])
def test_a_resumed_run_equals_an_unbroken_one(tmp_path: Path, killed_at: int) -> None:
    def kill(progress: object) -> None:
        if progress.update == killed_at:  # type: ignore[attr-defined]
            raise Killed

    unbroken = train(TOY, augmented=MADE, config=SHORT)
    file = tmp_path / "run.safetensors"
    with pytest.raises(Killed):
        train(TOY, augmented=MADE, config=SHORT, checkpoint=file, on_progress=kill)
    assert file.exists() == (killed_at >= SHORT.check_every)
    steps: list[int] = []
    resumed = train(
        TOY,
        augmented=MADE,
        config=SHORT,
        checkpoint=file,
        on_progress=lambda progress: steps.append(progress.update),
    )
    assert steps == list(range(killed_at // 8 * 8 + 1, SHORT.steps + 1))
    assert weights(resumed) == weights(unbroken)
    assert resumed.history == unbroken.history


@pytest.mark.parametrize("killed_at", [24, 29])
def test_a_run_that_has_not_learnt_enough_goes_on_once(tmp_path: Path, killed_at: int) -> None:
    def kill(progress: object) -> None:
        if progress.update == killed_at:  # type: ignore[attr-defined]
            raise Killed

    config, once = replace(SHORT, again_below=1.0), train(TOY, augmented=MADE, config=SHORT)
    seen = []
    longer = train(TOY, augmented=MADE, config=config, on_progress=seen.append)
    assert longer.history[: len(once.history)] == once.history
    assert longer.history[-1].update == 2 * SHORT.steps
    assert longer.history[-1].pairs == len(TOY) + len(MADE)
    assert [p.steps for p in seen] == [24] * 23 + [48] * 25
    enough = replace(SHORT, again_below=once.history[-1].exact_match)
    assert train(TOY, augmented=MADE, config=enough).history == once.history
    file = tmp_path / "run.safetensors"
    with pytest.raises(Killed):
        train(TOY, augmented=MADE, config=config, checkpoint=file, on_progress=kill)
    resumed = train(TOY, augmented=MADE, config=config, checkpoint=file)
    assert weights(resumed) == weights(longer)
    assert resumed.history == longer.history


def test_validation_pairs_are_looked_at_and_not_learnt() -> None:
    config = replace(SMALL, steps=225)
    never = [("walk once then walk", "RUN"), *TOY[:3]]
    alone, watched = train(TOY, config=config), train(TOY, validation=never, config=config)
    assert alone.history[-1].update < 225
    *looks, last = watched.history
    assert [look.update for look in watched.history] == [50, 100, 150, 200, 225]
    assert {look.pairs for look in looks} == {len(never)}
    assert looks[-1].exact_match == 0.75
    assert (last.exact_match, last.pairs) == (1.0, len(TOY))
    shared = len(alone.history) - 1
    assert [look.loss for look in looks[:shared]] == [c.loss for c in alone.history[:shared]]
    with pytest.raises(CorpusError, match="validation pair 0"):
        train(TOY, validation=["walk"], config=config)  # type: ignore[list-item]


def test_validation_lowers_the_rate_of_a_plateau(tmp_path: Path) -> None:
    """Also where the run was killed in between."""
    config = replace(SHORT, check_every=1, schedule="plateau")
    never = [("walk once then walk", "RUN")]
    run = _Run(TOY, (), never, config)
    rates = []
    for _ in range(23):
        run.learn()
        run.look()
        rates.append(run.optimiser.param_groups[0]["lr"])
    peak = config.peak_rate
    assert rates == [peak] * 12 + [peak / 2] * 11

    def kill(progress: object) -> None:
        if progress.update == 18:  # type: ignore[attr-defined]
            raise Killed

    file = tmp_path / "run.safetensors"
    with pytest.raises(Killed):
        train(TOY, validation=never, config=config, checkpoint=file, on_progress=kill)
    resumed = train(TOY, validation=never, config=config, checkpoint=file)
    unbroken = train(TOY, validation=never, config=config)
    assert weights(resumed) == weights(unbroken)
    assert resumed.history == unbroken.history
    with pytest.raises(OptionError, match="other pairs"):
        train(TOY, augmented=never, config=config, checkpoint=file)


@given(st.lists(st.sampled_from([0.0, 0.5, 0.50001, 0.6, 1.0]), max_size=60))
def test_plateaus_are_those_of_pytorch(looks: list[float]) -> None:
    weight = torch.nn.Parameter(torch.zeros(1))
    optimiser = torch.optim.Adam([weight], lr=1.0)
    scheduler = torch.optim.lr_scheduler.ReduceLROnPlateau(optimiser, mode="max", factor=0.5)
    for exact in looks:
        scheduler.step(exact)
    rate = TrainingConfig(schedule="plateau", peak_rate=1.0).learning_rate(len(looks), looks)
    assert rate == optimiser.param_groups[0]["lr"]


def test_a_finished_run_is_not_trained_further(tmp_path: Path) -> None:
    file = tmp_path / "run.safetensors"
    first = train(TOY, config=SMALL, checkpoint=file)
    before = file.read_bytes()
    again = train(TOY, config=SMALL, checkpoint=file)
    assert weights(again) == weights(first)
    assert file.read_bytes() == before


def test_progress_is_told_after_each_update() -> None:
    seen = []
    train(TOY, config=SHORT, on_progress=seen.append)
    assert [p.update for p in seen] == list(range(1, SHORT.steps + 1))
    assert {p.steps for p in seen} == {SHORT.steps}
    assert [p.check is None for p in seen[:8]] == [True] * 7 + [False]
    assert seen[-1].check.pairs == len(TOY)


def test_wrong_pairs_and_options_are_named() -> None:
    with pytest.raises(CorpusError, match="no training pairs"):
        train([])
    with pytest.raises(CorpusError, match="training pair 0"):
        train([("walk", None)])  # type: ignore[list-item]
    with pytest.raises(CorpusError, match="training pair 0"):
        train(["ab"])  # type: ignore[list-item]
    with pytest.raises(CorpusError, match="no test pairs"):
        exact_match(train(TOY, config=replace(SHORT, steps=1)), [])
    for wrong in (
        {"hidden": 0},
        {"dropout": 1.0},
        {"augmented_share": -0.1},
        {"batch": 2.5},
        {"steps": True},
        {"peak_rate": float("nan")},
        {"stop_at": 1.5},
        {"schedule": "linear"},
        {"seed": -1},
    ):
        with pytest.raises(OptionError, match=next(iter(wrong))):
            TrainingConfig(**wrong)  # type: ignore[arg-type]


def test_learning_rate_rises_then_falls_to_nearly_nothing() -> None:
    config = TrainingConfig(steps=200)
    rates = [config.learning_rate(update) for update in range(200)]
    assert max(rates) == config.peak_rate
    peak = rates.index(max(rates))
    assert rates[: peak + 1] == sorted(rates[: peak + 1])
    assert rates[peak:] == sorted(rates[peak:], reverse=True)
    assert 0 < rates[-1] < 1e-3 * config.peak_rate


# --- copying -----------------------------------------------------------------------------------

NAMES = [f"{a}{b}" for a in "bdfgkl" for b in ("a", "e", "i", "o")]
NAMED = [(f"size of {name}", f"size ( {name} )") for name in NAMES] + [
    (f"who is near {name} then", f"near ( {name} )") for name in NAMES
]
UNSEEN = [("size of zu", "size ( zu )"), ("who is near wy then", "near ( wy )")]
COPYING = replace(SMALL, copy=True, steps=400)


@pytest.fixture(scope="module")
def copier() -> TrainedModel:
    return train(NAMED[:16] + NAMED[-16:], config=COPYING)


@pytest.fixture
def untrained_copier() -> Seq2Seq:
    torch.manual_seed(5)
    both = Vocabulary(("a", "b"))
    return Seq2Seq(both, both, embedding=4, hidden=5, copy=True)


def test_words_that_were_never_seen_are_copied(copier: TrainedModel) -> None:
    assert exact_match(copier, UNSEEN) == 1.0
    found = copier.decode([source for source, _ in UNSEEN], beam=2)
    assert [h.target for h in found] == [target for _, target in UNSEEN]
    # without copying no unseen word can be written
    plain = train(NAMED, config=replace(COPYING, copy=False))
    assert exact_match(plain, NAMED) == 1.0
    assert exact_match(plain, UNSEEN) == 0.0


def test_vocabularies_for_copying_leave_out_what_one_pair_copies() -> None:
    pairs = [("a b c", "a x"), ("a b", "y"), ("d", "z z")]
    source, target = vocabularies(pairs, copy=True)
    assert source is target
    assert source.tokens == ("a", "b", "c", "d", "x", "y", "z")
    assert vocabularies(pairs[:1], copy=True)[0].tokens == ("b", "c", "x")


def test_two_vocabularies_cannot_be_copied_between() -> None:
    with pytest.raises(OptionError, match="one vocabulary"):
        Seq2Seq(Vocabulary("ab"), Vocabulary("xy"), copy=True)
    with pytest.raises(OptionError, match="copy=1"):
        TrainingConfig(copy=1)  # type: ignore[arg-type]


WORDS = st.lists(st.sampled_from(["a", "b", "u", "v", "w"]), max_size=6).map(" ".join)


@given(sources=st.lists(WORDS, min_size=1, max_size=4), target=WORDS, seed=st.integers(0, 99))
def test_probabilities_with_copies_sum_to_one(sources: list[str], target: str, seed: int) -> None:
    torch.manual_seed(seed)
    both = Vocabulary(("a", "b"))
    model = Seq2Seq(both, both, embedding=4, hidden=5, copy=True)
    rows, lengths = map(torch.from_numpy, pad([model.encode_source(s) for s in sources]))
    written, _ = pad([[START, *model.encode_target(source, target)] for source in sources])
    with torch.inference_mode():
        memory, state = model.encode(rows, lengths)
        scores, _ = model.write(torch.from_numpy(written), state, memory)
    assert scores.shape[2] == len(both) - END + rows.shape[1]
    torch.testing.assert_close(scores.exp().sum(dim=2), torch.ones(scores.shape[:2]))
    for row, source in enumerate(sources):
        places = {len(both) - END + source.split().index(w) for w in source.split() if w in "uvw"}
        copied = set((scores[row, 0, len(both) - END :].exp() > 1e-30).nonzero()[:, 0].tolist())
        assert {len(both) - END + place for place in copied} == places


def test_numbers_of_unseen_words_are_their_first_places(untrained_copier: Seq2Seq) -> None:
    model = untrained_copier
    last = len(model.source)
    a, b = model.source.encode("a b")
    assert model.encode_source("u a v u b") == [last, a, last + 2, last, b]
    numbers = model.encode_target("u a v u b", "v v w a")
    assert numbers == [last + 2, last + 2, MARKS.index("<unknown>"), a]
    assert model.decode_target("u a v u b", numbers) == "v v <unknown> a"


def test_copying_in_batches_equals_copying_one_by_one(copier: TrainedModel) -> None:
    short = train(NAMED, config=replace(COPYING, steps=60))
    pairs = [*NAMED, *UNSEEN, ("", ""), ("zu", "zu"), ("who is near zu zu then", "near ( zu )")]
    sources = [source for source, _ in pairs]
    for model in (copier.model, short.model):
        for beam in (1, 3):
            together = decode(model, sources, beam=beam, length_limit=20)
            for source, found in zip(sources, together, strict=True):
                alone = decode(model, [source], beam=beam, length_limit=20, batch=1)[0]
                assert alone.target == found.target
                assert alone.log_probability == pytest.approx(found.log_probability, abs=1e-4)
        greedy = [h.target for h in decode(model, sources)]
        right = np.mean([t == found for (_, t), found in zip(pairs, greedy, strict=True)])
        assert exact_match(model, pairs) == exact_match(model, pairs, batch=5) == right


def test_a_resumed_run_of_a_copier_equals_an_unbroken_one(tmp_path: Path) -> None:
    def kill(progress: object) -> None:
        if progress.update == 13:  # type: ignore[attr-defined]
            raise Killed

    config = replace(SHORT, copy=True)
    unbroken = train(NAMED, augmented=UNSEEN, config=config)
    file = tmp_path / "run.safetensors"
    with pytest.raises(Killed):
        train(NAMED, augmented=UNSEEN, config=config, checkpoint=file, on_progress=kill)
    resumed = train(NAMED, augmented=UNSEEN, config=config, checkpoint=file)
    assert weights(resumed) == weights(unbroken)
    loaded = TrainedModel.load(file)
    assert weights(loaded) == weights(unbroken)
    assert loaded.config.copy


def test_without_copying_nothing_changes(trained: TrainedModel, tmp_path: Path) -> None:
    assert "gate.weight" not in trained.model.state_dict()
    # a file written before there was such an option
    file = tmp_path / "old.safetensors"
    trained.save(file)
    old = {name: value for name, value in vars(SMALL).items() if name != "copy"}
    edit_header(file, {"config": old})
    assert TrainedModel.load(file).config == SMALL
    # the gate is made last, so the other first weights are the same
    both = Vocabulary("abc")
    torch.manual_seed(2)
    plain = Seq2Seq(both, both).state_dict()
    torch.manual_seed(2)
    copying = Seq2Seq(both, both, copy=True).state_dict()
    assert all(torch.equal(copying[name], value) for name, value in plain.items())


# --- files -------------------------------------------------------------------------------------


def test_saved_and_loaded_models_agree(trained: TrainedModel, tmp_path: Path) -> None:
    file = tmp_path / "model.safetensors"
    trained.save(file)
    loaded = TrainedModel.load(file)
    sources = [source for source, _ in TOY] + ["sing twice then walk"]
    assert loaded.decode(sources, beam=2) == trained.decode(sources, beam=2)
    assert loaded.config == trained.config
    assert loaded.history == trained.history
    loaded.save(tmp_path / "again.safetensors")
    assert (tmp_path / "again.safetensors").read_bytes() == file.read_bytes()


def test_a_checkpoint_can_be_loaded_as_a_model(tmp_path: Path) -> None:
    file = tmp_path / "run.safetensors"
    model = train(TOY, config=SHORT, checkpoint=file)
    assert weights(TrainedModel.load(file)) == weights(model)


def test_a_checkpoint_of_something_else_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "run.safetensors"
    model = train(TOY, config=SHORT, checkpoint=file)
    with pytest.raises(OptionError, match="another config"):
        train(TOY, config=replace(SHORT, seed=1), checkpoint=file)
    with pytest.raises(OptionError, match="other pairs"):
        train(TOY[:-1], config=SHORT, checkpoint=file)
    model.save(file)
    with pytest.raises(SchemaError, match="cannot be resumed"):
        train(TOY, config=SHORT, checkpoint=file)


def edit_header(file: Path, changes: dict[str, object]) -> None:
    data = file.read_bytes()
    size = struct.unpack("<Q", data[:8])[0]
    header = json.loads(data[8 : 8 + size])
    inner = json.loads(header["__metadata__"]["treewright"]) | {"seal": None} | changes
    header["__metadata__"]["treewright"] = json.dumps(
        {k: v for k, v in inner.items() if v is not None}
    )
    new = json.dumps(header).encode()
    file.write_bytes(struct.pack("<Q", len(new)) + new + data[8 + size :])


def test_a_truncated_file_is_refused(trained: TrainedModel, tmp_path: Path) -> None:
    file = tmp_path / "model.safetensors"
    trained.save(file)
    data = file.read_bytes()
    for size in (0, 5, 100, len(data) // 2, len(data) - 1):
        file.write_bytes(data[:size])
        with pytest.raises(SchemaError, match=r"model\.safetensors"):
            TrainedModel.load(file)


@pytest.mark.parametrize(
    "changes",
    [
        {"schema": "treewright.seq2seq/999"},
        {"schema": None},
        {"config": {"hidden": 32, "width": 5}},
        {"config": {"hidden": -1}},
        {"config": {"hidden": 33}},
        {"source": ["walk"]},
        {"target": None},
        {"history": [[1, 2]]},
    ],
)
def test_a_file_of_another_version_is_refused(
    trained: TrainedModel, tmp_path: Path, changes: dict[str, object]
) -> None:
    file = tmp_path / "model.safetensors"
    trained.save(file)
    edit_header(file, changes)
    with pytest.raises(SchemaError):
        TrainedModel.load(file)


def test_files_that_are_not_there(trained: TrainedModel, tmp_path: Path) -> None:
    with pytest.raises(UnreadableInputError):
        TrainedModel.load(tmp_path / "absent.safetensors")
    with pytest.raises(UnreadableInputError):
        TrainedModel.load(tmp_path)
    with pytest.raises(OutputError):
        trained.save(tmp_path / "absent" / "model.safetensors")


def test_the_package_is_imported_without_torch() -> None:
    code = "import scan, sys; assert 'torch' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True)


def test_a_header_that_claims_more_than_the_file_holds_is_refused_at_once(
    trained: TrainedModel, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "m.safetensors"
    trained.save(file)
    edit_header(file, {"config": vars(SMALL) | {"hidden": 14_000}})
    made = []
    build = files.build_model
    monkeypatch.setattr(files, "build_model", lambda *given: made.append(m := build(*given)) or m)
    with pytest.raises(SchemaError, match="the weights do not have the shapes"):
        TrainedModel.load(file)
    assert [p.device.type for p in made[0].parameters()].count("meta") == len(
        [*made[0].parameters()]
    )
    assert len(made) == 1
