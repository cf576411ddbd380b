"""The probe that tells whether a text reads well: what it computes, learns, and where it fits."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import assume, given
from hypothesis import strategies as st
from sklearn.metrics import roc_auc_score

from benchmarks import probing, reading
from grammar.errors import SchemaError
from induction.corpus.corpus import Corpus
from sampling.method import induce
from sampling.neural.causal import fit, probe
from sampling.neural.causal.features import Hidden, changed
from sampling.neural.causal.model import CausalModel
from sampling.neural.causal.probe import BEFORE, BEHIND, CHANGED, UNCHANGED, Probe, places_of
from sampling.neural.opening import open_model
from sampling.opening import open_sampler

WORDS = st.lists(st.sampled_from(["a", "bb", "c'c", "d."]), max_size=6).map(" ".join)
WIDTH = 5


def hidden_of(text: str, seed: int) -> Hidden:
    """Each word is two pieces, if it has two letters, and has random states."""
    rng = np.random.default_rng(seed)
    ends, at = [], 0
    for word in text.split():
        ends += [at + 1] * (len(word) > 1) + [at + len(word)]
        at += len(word) + 1
    begins = [0, *ends[:-1]] if ends else []
    states = rng.normal(size=(len(ends), WIDTH)).astype(np.float32)
    return Hidden(states, np.array(begins, np.int64), np.array(ends, np.int64))


def network_of(seed: int, units: int, hidden: int) -> probing.Network:
    torch.manual_seed(seed)
    network = probing.Network(WIDTH, units, hidden).eval()
    for weight in network.parameters():
        torch.nn.init.normal_(weight)
    return network


@given(WORDS, WORDS, st.integers(0, 99), st.integers(1, 4), st.integers(1, 3))
def test_it_computes_what_was_trained(
    new: str, old: str, seed: int, units: int, hidden: int
) -> None:
    change = changed(new, old)
    text = hidden_of(change.text, seed)
    assume(len(text.begin))
    network = network_of(seed, units, hidden)
    told = network([probing.piecewise(change, text)]).item()
    assert network.probe("m", 1).odds(change, text) == pytest.approx(told, rel=1e-3, abs=1e-3)


def test_texts_are_told_alone_as_with_others() -> None:
    network = network_of(3, 4, 3)
    pairs = [("a bb a", "a a"), ("d. bb c'c a", "d. a"), ("bb", "a")]
    texts = [
        probing.piecewise(change, hidden_of(change.text, k))
        for k, change in enumerate(changed(*pair) for pair in pairs)
    ]
    with torch.no_grad():
        alone = [network([text]).item() for text in texts]
        assert network(texts).tolist() == pytest.approx(alone, abs=1e-4)


@given(WORDS, WORDS)
def test_pieces_of_what_is_new_are_changed(new: str, old: str) -> None:
    change = changed(new, old)
    text = hidden_of(change.text, 0)
    places = places_of(change, text)
    inside = change.text[change.begin : change.end].strip()
    for place, begin, end in zip(places.tolist(), text.begin, text.end, strict=True):
        if not inside:
            assert place == UNCHANGED
        elif end <= change.begin:
            assert place == BEFORE
        elif begin >= change.end:
            assert place == BEHIND
        else:
            assert place == CHANGED


def test_an_empty_text_has_odds() -> None:
    made = network_of(1, 4, 3).probe("m", 1)
    assert np.isfinite(made.odds(changed("", "a"), hidden_of("", 0)))


def test_it_learns_what_is_seen_in_the_change() -> None:
    """The first unit of the states of what is new tells, which elsewhere is noise."""
    rng = np.random.default_rng(0)
    texts, verdicts = [], []
    for k in range(300):
        change = changed("a bb a d. a", "a bb a a")
        text = hidden_of(change.text, k)
        good = bool(rng.integers(2))
        inside = places_of(change, text) == CHANGED
        text.states[inside, 0] = (1 if good else -1) * (1 + rng.random())
        texts.append(probing.piecewise(change, text))
        verdicts.append(float(good))
    held = probing.held_out(texts, np.array(verdicts), [str(k) for k in range(300)])
    assert roc_auc_score(verdicts, held) > 0.9


def test_a_file_gives_it_again(tmp_path: Path) -> None:
    made = network_of(2, 4, 3).probe("m", 1)
    made.save(tmp_path / "p.arrow")
    again = Probe.load(tmp_path / "p.arrow")
    change = changed("a bb", "a d.")
    text = hidden_of(change.text, 0)
    assert again.digest == made.digest
    assert again.odds(change, text) == made.odds(change, text)
    assert replace(made, layer=2).digest != made.digest
    for name in ("state", "place", "hidden", "bias", "out", "shape"):
        replace(made, **{name: getattr(made, name)[1:]}).save(tmp_path / f"{name}.arrow")
        with pytest.raises(SchemaError, match="the probe is damaged: "):
            Probe.load(tmp_path / f"{name}.arrow")


def test_it_is_trained_from_a_table_to_the_same_bytes(
    causal_folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    head = ["source", "method", "round", "chosen", "host", "begin", "end", "reads-well", "text"]
    texts = ["my aunt sings", "red dogs sings", "two old dogs sleep", "she reads tea"]
    lines = [
        [
            source,
            method,
            "0",
            ("chosen", "read")[k // 2 % 2],
            str(k % 6),
            "0",
            "3",
            str(k % 2),
            text,
        ]
        for source, method in (("a", "sub2"), ("b", "alp"))
        for k, text in enumerate(texts * 3)
    ]
    (tmp_path / "t.tsv").write_text("".join("\t".join(row) + "\n" for row in [head, *lines]))
    monkeypatch.setattr(probing, "TABLE", tmp_path / "t.tsv")
    monkeypatch.setattr(probing, "LAYER", 1)
    made = []
    for name in ("one", "other"):
        folder = tmp_path / name
        folder.mkdir()
        given_ = ["probing", "--output", str(folder), "--model", str(causal_folder)]
        monkeypatch.setattr("sys.argv", given_)
        probing.main()
        made.append([(folder / file).read_bytes() for file in ("smollm2.arrow", "smollm2.md")])
    assert made[0] == made[1]
    probe = Probe.load(tmp_path / "one" / "smollm2.arrow")
    assert probe.model == CausalModel.opened(str(causal_folder), "cpu").vectors
    card = made[0][1].decode()
    assert f"version `{probe.digest[:16]}`" in card
    assert "24 texts that" in card
    for line in ("| sub2 | 12 | 50% |", "| alp | 12 | 50% |", "| all | 24 | 50% |"):
        assert line in card


@pytest.fixture
def fitting(causal_folder: Path, monkeypatch: pytest.MonkeyPatch) -> Probe:
    """A probe that fits the tiny model, as if it shipped."""
    causal = CausalModel.opened(str(causal_folder), "cpu")
    width = causal.model.config.hidden_size
    torch.manual_seed(0)
    made = probing.Network(width, 4, 3).probe(causal.vectors, 1)
    monkeypatch.setattr(fit, "shipped", lambda: made)
    return made


def test_a_model_that_it_fits_is_asked_by_it(
    fitting: Probe, causal_folder: Path, corpus: Corpus, tmp_path: Path, monkeypatch: Any
) -> None:
    how = {"of": "sub2(phrase=false)", "model": str(causal_folder), "device": "cpu"}
    sampler = induce("fluent", corpus, draws=8, **how)
    score = sampler.grammar.score
    assert score.probe == fitting.digest
    made = sampler.sample(6, seed=1)
    # what is said of a text is what the probe says of its states
    change = changed("red dogs fall", "red dogs fly")
    told = fitting.odds(change, *score._reader.hidden([change.text], 1))
    rows = [list(corpus.column("text")).index(change.before)]
    found = score._odds({"text": [change.text]}, rows, [0])
    assert found.tolist() == [told]
    # of what was made from none, all is new
    told = fitting.odds(changed("red dogs fall", ""), *score._reader.hidden([change.text], 1))
    assert score._odds({"text": [change.text]}, [-1], [0]).tolist() == [told]
    sampler.grammar.save(tmp_path / "g.arrow")
    opened = open_sampler(tmp_path / "g.arrow")
    assert opened.sample(6, seed=1).table.equals(made.table)
    # another probe would choose otherwise
    monkeypatch.setattr(fit, "shipped", lambda: replace(fitting, layer=0))
    with pytest.raises(SchemaError, match="the probe that ships is not the one"):
        open_sampler(tmp_path / "g.arrow").sample(1)
    monkeypatch.setattr(fit, "shipped", lambda: replace(fitting, model="of another"))
    assert induce("fluent", corpus, draws=8, **how).grammar.score.probe == ""


def test_a_model_is_known_by_its_vectors(causal_folder: Path) -> None:
    causal = CausalModel.opened(str(causal_folder), "cpu")
    quantised = CausalModel.opened(str(causal_folder), "cpu")
    vector = next(each for each in quantised.model.parameters() if each.dim() == 1)
    with torch.no_grad():
        for weight in quantised.model.parameters():
            if weight.dim() > 1:
                weight += 0.01
    assert quantised.vectors == causal.vectors
    whole = CausalModel(*open_model(str(causal_folder), "causal", device="cpu"))
    assert whole.vectors == causal.vectors
    with torch.no_grad():
        vector += 1
    del quantised.__dict__["vectors"]
    assert quantised.vectors != causal.vectors


def test_the_states_are_those_of_the_layer(causal_folder: Path) -> None:
    causal = CausalModel(*open_model(str(causal_folder), "causal", device="cpu"))
    texts = ["red apples fall down", "my aunt sings", "red apples fall", "", "red dogs fall down"]
    for layer in (0, 1):
        read = zip(texts, causal.read(texts), causal.hidden(texts, layer), strict=True)
        for text, told, hidden in read:
            ids = torch.tensor([[causal.first, *causal.pieces([text])[0]]])
            with torch.no_grad():
                states = causal.model(ids, output_hidden_states=True).hidden_states[layer][0, 1:]
            assert hidden.states == pytest.approx(states.numpy(), abs=1e-4)
            assert hidden.begin.tolist() == told.begin.tolist()
            assert hidden.end.tolist() == told.end.tolist()
    assert causal.hidden([], 1) == []
    # no weight is held twice
    held = {id(weight) for weight in causal.model.parameters()}
    assert {id(weight) for weight in causal._trunk(1).parameters()} <= held


def test_the_probe_that_ships_is_that_of_the_card_and_the_table() -> None:
    made = probe.shipped()
    assert made.layer == probing.LAYER
    assert len(made.place) == probing.UNITS * probe.PLACES
    card = (probing.FOLDER / "smollm2.md").read_text("utf-8")
    assert f"version `{made.digest[:16]}`" in card
    table = probing.rows()
    assert f"{len(table):,} texts that" in card
    for row in table:
        # where words were only left out, the end is before the space, and the beginning behind it
        assert 0 <= row.change.begin <= row.change.end + 1 <= len(row.change.text) + 1
    assert {row.verdict for row in table} == {0, 1}


def test_no_sentence_whose_texts_are_read_blind_is_in_the_table(data_folder: Path) -> None:
    """Neither as it stands, nor as what was put in, if that has twenty letters or more."""
    held = {
        _letters(text)
        for name in reading.CORPORA
        for part in {*reading.PARTS.values()}
        for text in reading.sentences(name, part).column("text")
    }
    assert len(held) > 4 * reading.SENTENCES
    together = "\n".join(held)
    for row in probing.rows():
        text = row.change.text
        filler = _letters(text[row.change.begin : row.change.end])
        assert _letters(text) not in held
        assert len(filler) < 20 or filler not in together


def _letters(text: str) -> str:
    return re.sub(r"[^a-z0-9]+", " ", text.lower()).strip()
