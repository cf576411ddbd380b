"""LINDA's model: the length converter, the loss, training, and what stands between two texts."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from grammar.errors import CorpusError, OptionError, SchemaError
from sampling.neural.linda.config import LindaConfig
from sampling.neural.linda.converter import convert, mixed_length
from sampling.neural.linda.data import POOL, masked, pairs_of, read_pieces
from sampling.neural.linda.folder import checkpoint_of, open_interpolator
from sampling.neural.linda.interpolator import Interpolator
from sampling.neural.linda.runs import train_linda
from sampling.neural.linda.small import small_model, small_tokenizer
from sampling.neural.linda.tables import interpolated
from sampling.neural.linda.training import loss_of
from tests.sampling.neural.conftest import TEXTS

SHORT = {"model": "small", "batch": 4, "width": 16, "layers": 1, "pieces": 300, "steps": 6}


@given(st.data())
@settings(max_examples=40, deadline=None)
def test_the_length_converter_is_the_formula(data: st.DataObject) -> None:
    sizes = [data.draw(st.tuples(st.integers(1, 9), st.integers(1, 12))) for _ in range(3)]
    sigma = data.draw(st.floats(0.1, 4))
    most = max(length for length, _ in sizes)
    states = np.random.default_rng(0).normal(size=(3, most, 5))
    lengths, targets = np.array(sizes).T
    made = convert(*map(torch.tensor, (states, lengths, targets)), sigma).numpy()
    for row, (length, target) in enumerate(sizes):
        for j in range(1, target + 1):
            a = [-((k - length / target * j) ** 2) / (2 * sigma**2) for k in range(1, length + 1)]
            weight = np.exp(np.array(a) - max(a))
            expected = (weight / weight.sum()) @ states[row, :length]
            np.testing.assert_allclose(made[row, j - 1], expected, rtol=1e-4, atol=1e-5)


def test_the_length_of_a_mix_is_rounded_up_and_not_by_an_error_of_floats() -> None:
    first, second = torch.tensor([10, 10, 3, 7]), torch.tensor([10, 5, 4, 9])
    shares = torch.tensor([0.3, 0.5, 0.0, 1.0])
    assert mixed_length(first, second, shares).tolist() == [10, 8, 4, 7]
    for alpha in np.arange(101) / 100:
        made = mixed_length(torch.tensor([10]), torch.tensor([10]), torch.tensor([alpha]))
        assert made.tolist() == [10]


def test_the_ends_give_back_the_texts_and_alpha_is_the_share_of_the_first(
    linda_folder: Path,
) -> None:
    model = open_interpolator(str(linda_folder))
    others = TEXTS[3:] + TEXTS[:3]
    for beams in (1, 4):
        assert model.interpolate(TEXTS, others, [1.0] * 10, beams=beams) == TEXTS
        assert model.interpolate(TEXTS, others, [0.0] * 10, beams=beams) == others
    # C1 and C2 with alpha as the share of the first: above a half the first is the likelier
    for alpha in (0.2, 0.8):
        shares = [alpha] * 10
        of_first = np.array(model.log_probabilities(TEXTS, TEXTS, others, shares))
        of_second = np.array(model.log_probabilities(others, TEXTS, others, shares))
        assert ((of_first > of_second) == (alpha > 0.5)).all()
        assert (np.exp(of_first) + np.exp(of_second) <= 1).all()


def test_mixes_do_not_depend_on_what_they_are_decoded_with(linda_folder: Path) -> None:
    model = open_interpolator(str(linda_folder))
    pairs = [(first, second) for first in TEXTS for second in TEXTS if first != second][:20]
    first, second = map(list, zip(*pairs, strict=True))
    whole = model.interpolate(first, second, [0.4] * 20, beams=2)
    for batch in (3, 64):
        assert model.interpolate(first, second, [0.4] * 20, beams=2, batch=batch) == whole


def test_the_loss_is_equation_five() -> None:
    tokenizer = small_tokenizer(TEXTS, 300)
    model = Interpolator(small_model(tokenizer, width=16, layers=1, seed=3), tokenizer).eval()
    texts = read_pieces(TEXTS, tokenizer, 128)
    config = LindaConfig(model="small", mask=0.0, noise=0.0, norm=0.01)
    pairs = np.array([0, 4]), np.array([2, 7])
    with torch.no_grad():
        found = loss_of(model, texts, pairs, config, np.random.Generator(np.random.Philox(5)))
    draw = np.random.Generator(np.random.Philox(5))
    for _ in range(2):  # words hidden, of both halves
        draw.random(0)
    for number in (0, 4, 2, 7):
        draw.random(int(texts.row(number)[1].max()) + 1)
    lengths = [len(texts.row(number)[0]) for number in (0, 4, 2, 7)]
    draw.standard_normal((4, max(lengths), 16), np.float32)
    alpha = draw.random(2, np.float32).tolist()
    expected = 0.0
    for share, one, other in zip(alpha, *map(list, pairs), strict=True):
        both = TEXTS[one], TEXTS[other]
        for weight, text in ((share, both[0]), (1 - share, both[1])):
            [likely] = model.log_probabilities([text], [both[0]], [both[1]], [share])
            expected -= weight * likely / 2
            [pieces] = model.pieces([text])
            with torch.no_grad():
                states = model.model.get_encoder()(torch.tensor([pieces])).last_hidden_state
            expected += 0.01 * float(states.square().sum()) / 2
    assert float(found) == pytest.approx(expected, rel=1e-4)


def test_whole_words_are_masked_and_never_the_ends() -> None:
    tokenizer = small_tokenizer(TEXTS, 300)
    texts = read_pieces(TEXTS, tokenizer, 128)
    draw = np.random.default_rng(0)
    every = np.arange(len(texts))
    assert [row.tolist() for row in masked(texts, every, 0.0, 4, draw)] == [
        texts.row(n)[0].tolist() for n in every
    ]
    hidden = 0
    for number, row in zip(every, masked(texts, every, 0.5, 4, draw), strict=True):
        ids, words = texts.row(int(number))
        assert (row[words < 0] == ids[words < 0]).all()
        for word in range(words.max() + 1):
            assert len(set((row[words == word] == 4).tolist())) == 1
        hidden += int((row == 4).sum())
    assert 0 < hidden < len(texts.ids)


def test_the_pairs_of_an_update_are_of_two_texts_and_all_texts_come() -> None:
    texts = read_pieces(TEXTS, small_tokenizer(TEXTS, 300), 128)
    seen: set[int] = set()
    for update in range(2 * POOL):
        first, second = pairs_of(texts, 1, update, 2)
        assert (first != second).all()
        seen |= {*first.tolist(), *second.tolist()}
        again = pairs_of(texts, 1, update, 2)
        assert (first == again[0]).all() and (second == again[1]).all()  # noqa: PT018
    assert seen == set(range(len(texts)))


def weights(folder: Path) -> dict[str, Any]:
    from safetensors.torch import load_file

    return load_file(folder / "model.safetensors")


def test_training_goes_on_from_a_checkpoint_as_if_it_had_never_stopped(tmp_path: Path) -> None:
    whole = train_linda(TEXTS, tmp_path / "whole", seed=2, **SHORT)

    def stop(update: int, loss: float) -> None:
        if update == 5:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        train_linda(TEXTS, tmp_path / "parts", seed=2, every=2, told=stop, **SHORT)
    assert not (tmp_path / "parts").exists()
    assert checkpoint_of(tmp_path / "parts").is_dir()
    with pytest.raises(OptionError, match="unfinished training"):
        train_linda(TEXTS, tmp_path / "parts", seed=2, **SHORT)
    with pytest.raises(OptionError, match="other texts or another config"):
        train_linda(TEXTS[:-1], tmp_path / "parts", seed=2, resume=True, **SHORT)
    numbers: list[int] = []
    parts = train_linda(
        TEXTS, tmp_path / "parts", seed=2, resume=True, told=lambda n, _: numbers.append(n), **SHORT
    )
    assert numbers == [5, 6]
    assert parts["sigma"] == whole["sigma"]
    one, other = weights(tmp_path / "whole"), weights(tmp_path / "parts")
    assert all(torch.equal(one[name], other[name]) for name in one)
    assert not checkpoint_of(tmp_path / "parts").exists()
    assert not list(tmp_path.rglob("*.bin")) + list(tmp_path.rglob("*.pt"))


def test_a_damaged_checkpoint_is_told(tmp_path: Path) -> None:
    def stop(update: int, loss: float) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        train_linda(TEXTS, tmp_path / "m", every=1, told=stop, **SHORT | {"steps": 2})
    place = tmp_path / "m.partial"
    assert not place.exists()  # stopped before the first was there

    def later(update: int, loss: float) -> None:
        if update == 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        train_linda(TEXTS, tmp_path / "m", every=1, told=later, **SHORT)
    (place / "optimizer.safetensors").write_bytes(b"nothing")
    with pytest.raises(SchemaError, match="not as it was saved"):
        train_linda(TEXTS, tmp_path / "m", resume=True, **SHORT)
    train_linda(TEXTS, tmp_path / "m", force=True, **SHORT)


def test_texts_that_cannot_be_used_are_told(linda_folder: Path, tmp_path: Path) -> None:
    with pytest.raises(CorpusError, match="1 of 3 texts can be used"):
        train_linda(["", "one text", "long " * 200], tmp_path / "m", **SHORT)
    model = open_interpolator(str(linda_folder))
    with pytest.raises(CorpusError, match="pair 2 is empty"):
        interpolated(model, [("a", "b"), ("c", " ")], [0.5])
    with pytest.raises(CorpusError, match="pieces long, and the model takes 128"):
        interpolated(model, [("a", "word " * 200)], [0.5])


def test_another_script_has_pieces_too(linda_folder: Path) -> None:
    model = open_interpolator(str(linda_folder))
    for text in ("Ωμέγα 東京", "‏שלום‎", "🦜 naïve"):
        [ids] = model.pieces([text])
        assert model.tokenizer.unk_token_id not in ids
        assert model.tokenizer.decode(ids, skip_special_tokens=True).strip() == text
    [made] = model.interpolate(["東京"], ["she reads"], [0.0])
    assert made == "she reads"


def test_a_folder_says_what_is_wrong_with_it(linda_folder: Path, tmp_path: Path) -> None:
    copied = tmp_path / "copied"
    shutil.copytree(linda_folder, copied)
    facts = json.loads((copied / "treewright.json").read_text())
    assert facts["texts"] == len(TEXTS)
    (copied / "treewright.json").write_text("{}")
    with pytest.raises(SchemaError, match="not an interpolation model"):
        open_interpolator(str(copied))
    (copied / "treewright.json").unlink()
    assert open_interpolator(str(copied)).sigma == pytest.approx(0.5)  # not trained yet
    (copied / "model.safetensors").write_bytes(b"nothing")
    with pytest.raises(SchemaError, match="damaged"):
        open_interpolator(str(copied))
