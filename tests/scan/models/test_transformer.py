"""The Transformer: its attention, its state, decoding, training and files."""

import json
import math
import sys
from dataclasses import replace
from itertools import pairwise, product
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from grammar.errors import OptionError

torch = pytest.importorskip("torch")

from safetensors import safe_open  # noqa: E402
from safetensors.torch import save_file  # noqa: E402

from scan.models import transformer  # noqa: E402
from scan.models.config import MODELS, TrainingConfig  # noqa: E402
from scan.models.files import TrainedModel, build_model  # noqa: E402
from scan.models.seq2seq import Seq2Seq, decode, pad  # noqa: E402
from scan.models.training import exact_match, train  # noqa: E402
from scan.models.transformer import FARTHEST, Transformer  # noqa: E402
from scan.models.vocabulary import END, START, Vocabulary, vocabularies  # noqa: E402
from treewright.cli import main  # noqa: E402

VERBS = {"walk": "WALK", "run": "RUN", "look": "LOOK"}
TIMES = {"once": 1, "twice": 2, "thrice": 3}
TOY = [
    (f"{first} {times} then {last}", " ".join([VERBS[first]] * TIMES[times] + [VERBS[last]]))
    for first, times, last in product(VERBS, TIMES, VERBS)
] + [
    (f"{verb} {times}", " ".join([VERBS[verb]] * TIMES[times]))
    for verb, times in product(VERBS, TIMES)
]
MADE = [("hop twice then walk", "HOP HOP WALK"), ("hop once", "HOP")]
SMALL = TrainingConfig.of(
    "transformer",
    embedding=16,
    hidden=32,
    heads=4,
    feedforward=48,
    batch=16,
    peak_rate=6e-3,
    steps=300,
    check_every=50,
)
SHORT = replace(SMALL, steps=16, check_every=8, checked_pairs=20)


def small_model(seed: int, *, layers: int = 2, copy: bool = False) -> Transformer:
    torch.manual_seed(seed)
    source, target = Vocabulary("abc"), Vocabulary("abc" if copy else "xyz")
    return Transformer(
        source, target, embedding=6, hidden=8, layers=layers, heads=2, feedforward=7, copy=copy
    )


@pytest.fixture(scope="module")
def trained() -> TrainedModel:
    return train(TOY, config=SMALL)


@pytest.fixture(scope="module")
def half_trained() -> TrainedModel:
    """A model that is unsure, so that beams matter."""
    return train(TOY, config=replace(SMALL, steps=20, dropout=0.0))


def weights(model: TrainedModel) -> dict[str, bytes]:
    return {k: v.numpy().tobytes() for k, v in model.model.state_dict().items()}


def log_probability(model: Transformer, source: str, target: list[int]) -> float:
    """Score a whole target in one pass, without batches, padding or a state that is kept."""
    with torch.inference_mode():
        numbers = model.encode_source(source) or [0]
        memory, state = model.encode(torch.tensor([numbers]), torch.tensor([len(numbers)]))
        scores, _ = model.write(torch.tensor([[START, *target[:-1]]]), state, memory)
        steps = scores[0].log_softmax(dim=1)
        return sum(float(step[token - END]) for step, token in zip(steps, target, strict=True))


# --- the model ---------------------------------------------------------------------------------


def self_attention(module: torch.nn.Module, states: np.ndarray, *, causal: bool) -> np.ndarray:
    """Shaw, Uszkoreit & Vaswani 2018, equations 3 and 4, as they stand, a pair of tokens a time."""
    length, hidden = states.shape
    weight, bias = (part.detach().numpy() for part in module.project.parameters())
    query, key, value = np.split(states @ weight.T + bias, 3, axis=1)
    distances = module.distances.weight.detach().numpy()
    width = hidden // module.heads
    read = np.zeros_like(states)
    for head in range(module.heads):
        part = slice(head * width, (head + 1) * width)
        for i in range(length):
            seen = range(i + 1) if causal else range(length)
            fits = [
                query[i, part]
                @ (key[j, part] + distances[max(-FARTHEST, min(FARTHEST, j - i)) + FARTHEST])
                for j in seen
            ]
            shares = np.exp(np.array(fits) / math.sqrt(width))
            shares /= shares.sum()
            read[i, part] = sum(s * value[j, part] for s, j in zip(shares, seen, strict=True))
    weight, bias = (part.detach().numpy() for part in module.join.parameters())
    return read @ weight.T + bias


@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize("length", [1, 5, FARTHEST + 9])
def test_self_attention_is_that_of_the_equations(length: int, causal: bool) -> None:
    torch.manual_seed(length)
    module = transformer._SelfAttention(8, 2, ahead=0 if causal else FARTHEST)
    states = torch.randn(1, length, 8)
    blocked = (
        torch.ones(length, length, dtype=torch.bool).triu(1) if causal else torch.tensor(False)
    )
    with torch.inference_mode():
        found, _ = module(states, blocked)
        normal = module.norm(states)[0].numpy()
    np.testing.assert_allclose(
        found[0].numpy(), self_attention(module, normal, causal=causal), atol=1e-5
    )


SENTENCES = st.lists(
    st.lists(st.sampled_from(["a", "b", "c", "unheard"]), max_size=24).map(" ".join),
    min_size=1,
    max_size=4,
)
TARGETS = st.lists(st.integers(END + 1, END + 3), max_size=24)


@given(
    sources=SENTENCES,
    target=TARGETS,
    wider=st.integers(0, 4),
    copy=st.booleans(),
    seed=st.integers(0, 9),
)
def test_padding_and_neighbours_change_nothing(
    sources: list[str], target: list[int], wider: int, copy: bool, seed: int
) -> None:
    model = small_model(seed, copy=copy)
    rows, lengths = map(torch.from_numpy, pad([model.encode_source(s) for s in sources]))
    rows = torch.nn.functional.pad(rows, (0, wider))
    tokens = torch.tensor([[START, *target]])
    with torch.inference_mode():
        memory, state = model.encode(rows, lengths)
        padded = torch.nn.functional.pad(tokens.expand(len(sources), -1), (0, wider))
        together, _ = model.write(padded, state, memory)
        for row, source in enumerate(sources):
            alone = torch.tensor([model.encode_source(source) or [0]])
            memory, state = model.encode(alone, lengths[row : row + 1])
            expected, _ = model.write(tokens, state, memory)
            found = together[row, : tokens.shape[1], : expected.shape[2]]
            torch.testing.assert_close(found, expected[0])


@given(
    source=st.lists(st.sampled_from("abc"), max_size=5).map(" ".join),
    target=TARGETS,
    cuts=st.sets(st.integers(1, 24)),
    layers=st.integers(1, 3),
)
def test_piece_by_piece_is_the_same_as_at_once(
    source: str, target: list[int], cuts: set[int], layers: int
) -> None:
    model = small_model(layers, layers=layers)
    numbers = model.encode_source(source) or [0]
    tokens = torch.tensor([[START, *target]])
    bounds = [0, *sorted(cut for cut in cuts if cut < tokens.shape[1]), tokens.shape[1]]
    with torch.inference_mode():
        memory, state = model.encode(torch.tensor([numbers]), torch.tensor([len(numbers)]))
        whole, last = model.write(tokens, state, memory)
        pieces = []
        for start, stop in pairwise(bounds):
            scores, state = model.write(tokens[:, start:stop], state, memory)
            pieces.append(scores)
    torch.testing.assert_close(torch.cat(pieces, dim=1), whole)
    for kept, expected in zip(state, last, strict=True):
        torch.testing.assert_close(kept, expected)


def test_a_model_tells_the_order_of_words() -> None:
    model = small_model(1)
    with torch.inference_mode():
        memory, state = model.encode(torch.tensor([[4, 5, 6], [6, 5, 4]]), torch.tensor([3, 3]))
        scores, _ = model.write(torch.full((2, 1), START), state, memory)
    assert (scores[0] - scores[1]).abs().max() > 1e-3


# --- decoding ----------------------------------------------------------------------------------

ODD = ["walk", "sing twice then walk", "", "walk " * 30]


def test_decoding_in_batches_equals_decoding_one_by_one(half_trained: TrainedModel) -> None:
    sources = [source for source, _ in TOY[::3]] + ODD
    for beam in (1, 3):
        together = decode(half_trained.model, sources, beam=beam, length_limit=24)
        for source, found in zip(sources, together, strict=True):
            alone = decode(half_trained.model, [source], beam=beam, length_limit=24, batch=1)[0]
            assert alone.target == found.target
            assert alone.log_probability == pytest.approx(found.log_probability, abs=1e-4)


def test_greedy_decoding_equals_the_plain_loop(half_trained: TrainedModel) -> None:
    model = half_trained.model
    sources = [source for source, _ in TOY[::5]]
    for source, found in zip(sources, decode(model, sources), strict=True):
        target: list[int] = []
        while not target or target[-1] != END:
            nexts = range(END, len(model.target))
            target.append(max(nexts, key=lambda t: log_probability(model, source, [*target, t])))
        assert model.target.decode(target[:-1]) == found.target
        assert found.log_probability == pytest.approx(
            log_probability(model, source, target), abs=1e-4
        )


def test_a_beam_never_loses_to_greedy_and_sometimes_wins(half_trained: TrainedModel) -> None:
    sources = [source for source, _ in TOY] + ODD
    greedy = half_trained.decode(sources, length_limit=24)
    wide = half_trained.decode(sources, beam=4, length_limit=24)
    gains = [w.log_probability - g.log_probability for w, g in zip(wide, greedy, strict=True)]
    assert min(gains) >= 0
    assert max(gains) > 1e-3
    for source, found in zip(sources, wide, strict=True):
        if found.finished:
            target = [*half_trained.model.target.encode(found.target), END]
            assert found.log_probability == pytest.approx(
                log_probability(half_trained.model, source, target), abs=1e-4
            )


# --- training ----------------------------------------------------------------------------------


def test_the_toy_language_is_learnt(trained: TrainedModel) -> None:
    assert trained.history[-1].exact_match == 1.0
    assert exact_match(trained, TOY) == 1.0
    assert trained.history[-1].update < SMALL.steps, "it stops early on training exact match"
    found = trained.decode([source for source, _ in TOY])
    assert [h.target for h in found] == [target for _, target in TOY]


def test_exact_match_is_that_of_greedy_decoding(half_trained: TrainedModel) -> None:
    pairs = [*TOY, ("walk twice then sing", "WALK WALK SING"), ("", "")]
    found = half_trained.decode([source for source, _ in pairs], length_limit=24)
    right = np.mean([h.target == t for h, (_, t) in zip(found, pairs, strict=True)])
    assert 0 < right < 1
    assert exact_match(half_trained, pairs) == exact_match(half_trained, pairs, batch=7) == right


def test_words_that_were_never_seen_are_copied() -> None:
    names = [f"{a}{b}" for a in "bdfgkl" for b in ("a", "e", "i", "o")]
    pairs = [(f"size of {name}", f"size ( {name} )") for name in names]
    unseen = [("size of zu", "size ( zu )"), ("size of wy", "size ( wy )")]
    copier = train(pairs, config=replace(SMALL, copy=True))
    assert exact_match(copier, unseen) == 1.0
    found = copier.decode([source for source, _ in unseen], beam=2)
    assert [h.target for h in found] == [target for _, target in unseen]


class Killed(Exception):  # noqa: N818
    pass


def test_a_resumed_run_equals_an_unbroken_one(tmp_path: Path) -> None:
    def kill(progress: object) -> None:
        if progress.update == 13:  # type: ignore[attr-defined]
            raise Killed

    unbroken = train(TOY, augmented=MADE, config=SHORT)
    file = tmp_path / "run.safetensors"
    with pytest.raises(Killed):
        train(TOY, augmented=MADE, config=SHORT, checkpoint=file, on_progress=kill)
    resumed = train(TOY, augmented=MADE, config=SHORT, checkpoint=file)
    assert weights(resumed) == weights(unbroken)
    assert resumed.history == unbroken.history
    other = train(TOY, augmented=MADE, config=replace(SHORT, seed=1))
    assert weights(other) != weights(unbroken)


def test_dropout_is_drawn_from_the_given_generator_alone() -> None:
    model = small_model(0)
    sources, lengths = torch.tensor([[4, 5, 6]]), torch.tensor([3])

    def scores(seed: int | None) -> torch.Tensor:
        noise = None if seed is None else torch.Generator().manual_seed(seed)
        memory, state = model.encode(sources, lengths, noise)
        return model.write(torch.tensor([[START, END + 1]]), state, memory, noise)[0]

    torch.manual_seed(1)
    expected = torch.rand(3)
    torch.manual_seed(1)
    assert torch.equal(scores(5), scores(5))
    assert not torch.equal(scores(5), scores(6))
    assert torch.equal(scores(None), scores(None))
    assert torch.equal(torch.rand(3), expected)


# --- the config, and files ---------------------------------------------------------------------


def test_the_config_chooses_the_model() -> None:
    both = vocabularies(TOY)
    assert isinstance(build_model(TrainingConfig(), *both), Seq2Seq)
    model = build_model(TrainingConfig.of("transformer"), *both)
    assert isinstance(model, Transformer)
    assert (len(model.reader), len(model.writer)) == (2, 2)
    assert model.reader[0].network[1].weight.shape == (256, 128)
    assert model.reader[0].itself.distances.weight.shape == (2 * FARTHEST + 1, 16)


@pytest.mark.parametrize(
    "wrong",
    [
        {"model": "gru"},
        {"model": 3},
        {"model": ["lstm"]},
        {"heads": 0},
        {"heads": 2.0},
        {"heads": True},
        {"feedforward": 0},
        {"feedforward": "256"},
    ],
)
def test_wrong_options_are_named(wrong: dict[str, object]) -> None:
    with pytest.raises(OptionError, match=next(iter(wrong))):
        TrainingConfig(**wrong)  # type: ignore[arg-type]
    with pytest.raises(OptionError, match=next(iter(wrong))):
        TrainingConfig.of(**{"model": "transformer", **wrong})  # type: ignore[arg-type]


def test_heads_must_share_the_width() -> None:
    with pytest.raises(OptionError, match=r"hidden=32 is no multiple of heads=5[\s\S]*hidden=30"):
        train(TOY, config=replace(SMALL, heads=5))


def test_saved_and_loaded_models_agree(trained: TrainedModel, tmp_path: Path) -> None:
    file = tmp_path / "model.safetensors"
    trained.save(file)
    loaded = TrainedModel.load(file)
    assert isinstance(loaded.model, Transformer)
    assert loaded.config == trained.config
    assert loaded.decode([source for source, _ in TOY]) == trained.decode(
        [source for source, _ in TOY]
    )


def test_files_from_before_there_was_a_choice_are_lstms(tmp_path: Path) -> None:
    config = TrainingConfig(embedding=4, hidden=5, steps=8, check_every=8)
    file = tmp_path / "old.safetensors"
    written = train(TOY, config=config, checkpoint=file)
    with safe_open(file, framework="pt") as read:
        header = json.loads(read.metadata()["treewright"])
        tensors = {name: read.get_tensor(name) for name in read.keys()}  # noqa: SIM118
    del header["seal"]
    for field in ("model", "heads", "feedforward", "mix"):
        del header["config"][field]
    save_file(tensors, file, {"treewright": json.dumps(header)})
    assert TrainedModel.load(file).config == config
    assert weights(train(TOY, config=config, checkpoint=file)) == weights(written)


# --- the command line --------------------------------------------------------------------------


def scan_train(monkeypatch: pytest.MonkeyPatch, folder: Path, *options: str) -> int:
    (folder / "pairs.txt").write_text(
        "".join(f"IN: {verb} OUT: I_{verb.upper()}\n" for verb in VERBS)
    )
    monkeypatch.chdir(folder)
    command = [
        "treewright",
        "scan",
        "train",
        "pairs.txt",
        "-o",
        "m.safetensors",
        "--force",
        *options,
    ]
    monkeypatch.setattr(sys, "argv", command)
    with pytest.raises(SystemExit) as left:
        main()
    return int(left.value.code or 0)


@pytest.mark.parametrize("model", [None, *MODELS])
def test_the_command_line_chooses_the_model(
    model: str | None, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    chosen = [] if model is None else ["--model", model]
    assert scan_train(monkeypatch, tmp_path, *chosen, "--steps", "1", "--seed", "4", "-q") == 0
    trained = TrainedModel.load(tmp_path / "m.safetensors")
    assert trained.config == TrainingConfig.of(model or "lstm", steps=1, seed=4)


def test_the_command_line_changes_the_config(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    changed = ("-O", "copy=true", "--set", "hidden=8", "-O", "seed=3", "-O", "dropout=0")
    assert scan_train(monkeypatch, tmp_path, *changed, "--steps", "1", "-q") == 0
    trained = TrainedModel.load(tmp_path / "m.safetensors")
    assert trained.config == TrainingConfig(copy=True, hidden=8, seed=3, dropout=0, steps=1)
    for wrong, message in (
        ("hiden=8", "a config has no option 'hiden'\n  hint: did you mean 'hidden'?"),
        ("model=lstm", "use --model"),
        ("hidden", "the option 'hidden' is not NAME=VALUE"),
        ("hidden=0", "hidden=0 is out of range"),
    ):
        capsys.readouterr()
        assert scan_train(monkeypatch, tmp_path, "--set", wrong) == 1
        assert message in capsys.readouterr().err


def test_an_unknown_model_is_one_message(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert scan_train(monkeypatch, tmp_path, "--model", "gru") == 1
    said = capsys.readouterr().err
    assert said.startswith("treewright: ")
    assert "'gru'" in said
    assert "lstm, transformer" in said
    assert not (tmp_path / "m.safetensors").exists()
