"""The probe that tells whether a text reads well: what it computes, learns, and where it fits."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import torch
from hypothesis import assume, given
from hypothesis import strategies as st

from benchmarks import pairs, probe_network, probing, reading, verdicts
from grammar.errors import SchemaError
from induction.corpus.corpus import Corpus
from sampling.method import induce
from sampling.neural.causal import fit, probe
from sampling.neural.causal.adapter import Adapter
from sampling.neural.causal.features import Change, Hidden, changed, shape_of
from sampling.neural.causal.lower_layers import Trunk
from sampling.neural.causal.model import CausalModel
from sampling.neural.causal.probe import (
    BEFORE,
    BEHIND,
    CHANGED,
    FILES,
    UNCHANGED,
    Probe,
    Probes,
    places_of,
)  # fmt: skip
from sampling.neural.opening import open_model
from sampling.neural.precision import rounded
from sampling.opening import open_sampler

WORDS = st.lists(st.sampled_from(["a", "bb", "c'c", "d."]), max_size=6).map(" ".join)
WIDTH = 5
NOTHING = Adapter.of([])


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


def side_by_side(
    changes: list[Change], texts: list[Hidden]
) -> tuple[torch.Tensor, probe_network.Batch]:
    """States and places as the network takes them, with zeros behind the ends of texts."""
    size = max(len(text.begin) for text in texts)
    states = np.zeros((len(texts), size, WIDTH), np.float32)
    places = np.full((len(texts), size), probe_network.NOWHERE)
    shape = np.ones((len(texts), 3), np.float32)
    for k, (change, text) in enumerate(zip(changes, texts, strict=True)):
        states[k, : len(text.begin)] = text.states
        places[k, : len(text.begin)] = mine = places_of(change, text)
        shape[k, :2] = shape_of(len(mine), int((mine == CHANGED).sum()))
    arrays = (np.zeros_like(places), places, shape)
    return torch.from_numpy(states), probe_network.Batch(*map(torch.from_numpy, arrays))


def network_of(seed: int, units: int, hidden: int) -> probe_network.Network:
    torch.manual_seed(seed)
    network = probe_network.Network(WIDTH, units, hidden).eval()
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
    told = network(*side_by_side([change], [text])).item()
    made = network.probe("m", 1, NOTHING)
    assert made.odds(change, text) == pytest.approx(told, rel=1e-3, abs=1e-3)
    again = probe_network.Network.of(made).probe("m", 1, NOTHING)
    assert again.digest == made.digest


def test_texts_are_told_alone_as_with_others() -> None:
    network = network_of(3, 4, 3)
    texts_of = [("a bb a", "a a"), ("d. bb c'c a", "d. a"), ("bb", "a")]
    changes = [changed(*pair) for pair in texts_of]
    texts = [hidden_of(change.text, k) for k, change in enumerate(changes)]
    with torch.no_grad():
        each = zip(changes, texts, strict=True)
        alone = [network(*side_by_side([change], [text])).item() for change, text in each]
        whole = network(*side_by_side(changes, texts)).tolist()
    assert whole == pytest.approx(alone, abs=1e-4)


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
    made = network_of(1, 4, 3).probe("m", 1, NOTHING)
    assert np.isfinite(made.odds(changed("", "a"), hidden_of("", 0)))


def test_a_file_gives_it_again(tmp_path: Path) -> None:
    adapter = Adapter.of([(np.ones((2, 3)), np.ones((2, 4)))])
    made = network_of(2, 4, 3).probe("m", 1, adapter)
    made.save(tmp_path / "p.arrow")
    again = Probe.load(tmp_path / "p.arrow")
    change = changed("a bb", "a d.")
    text = hidden_of(change.text, 0)
    assert again.digest == made.digest
    assert again.odds(change, text) == made.odds(change, text)
    assert replace(made, layer=2).digest != made.digest
    assert replace(made, adapter=NOTHING).digest != made.digest
    assert [change.tolist() for change in again.adapter.changes()] == [[[2.0] * 4] * 3]
    broken = {"adapter": replace(adapter, steps=adapter.steps[1:])}
    names = ("state", "place", "hidden", "bias", "out", "shape")
    broken |= {name: getattr(made, name)[1:] for name in names}
    for name, column in broken.items():
        replace(made, **{name: column}).save(tmp_path / f"{name}.arrow")
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
            str(k // 4),
            "0",
            "3",
            str(k % 2),
            text,
        ]
        for source, method in (("a", "sub2"), ("b", "alp"))
        for k, text in enumerate(texts * 12)
    ]
    (tmp_path / "t.tsv").write_text("".join("\t".join(row) + "\n" for row in [head, *lines]))
    monkeypatch.setattr(probing, "TABLE", tmp_path / "t.tsv")
    monkeypatch.setattr(verdicts, "TABLE", tmp_path / "t.tsv")
    rows = pa.table({"text": texts, "begin": [0] * 4, "end": [3] * 4, "own": [0, 1, 0, 1]})
    monkeypatch.setattr(probing, "READERS", {"first": (0, 0), "second": (1, 1)})
    made = []
    for name in ("one", "other"):
        folder = tmp_path / name
        folder.mkdir()
        for source in pairs.SOURCES:
            pq.write_table(rows, folder / f"{source}.parquet")
        kinds = ("pairs-", "held-", "")
        steps = [f"{kind}{each}" for kind in kinds for each in ("first", "second")]
        for step in (*steps, "card"):
            options = ["--output", str(folder), "--model", str(causal_folder)]
            monkeypatch.setattr("sys.argv", ["probing", step, str(folder), *options])
            probing.main()
        made.append([(folder / file).read_bytes() for file in (*FILES, "smollm2.md")])
    assert made[0] == made[1]
    made_of = Probes(*(Probe.load(tmp_path / "one" / file) for file in FILES))
    assert made_of.fit(CausalModel.opened(str(causal_folder), "cpu").vectors)
    assert (made_of.first.layer, made_of.second.layer) == (0, 1)
    card = made[0][-1].decode()
    assert f"version `{made_of.digest[:16]}`" in card
    assert "96 texts that" in card
    # a quarter of the hosts
    for name in ("first", "second", "both"):
        for line in ("| sub2 | 12 | 50% |", "| alp | 12 | 50% |", "| all | 24 | 50% |"):
            assert f"| {name} {line}" in card


@pytest.fixture
def fitting(causal_folder: Path, monkeypatch: pytest.MonkeyPatch) -> Probes:
    """Probes that fit the tiny model, as if they shipped."""
    causal = CausalModel.opened(str(causal_folder), "cpu")
    width = causal.model.config.hidden_size
    torch.manual_seed(0)
    first, second = (
        probe_network.Network(width, 4, 3).probe(causal.vectors, layer, NOTHING) for layer in (0, 1)
    )
    made = Probes(first, second)
    monkeypatch.setattr(fit, "shipped", lambda: made)
    return made


def test_a_model_that_they_fit_is_asked_by_them(
    fitting: Probes, causal_folder: Path, corpus: Corpus, tmp_path: Path, monkeypatch: Any
) -> None:
    how = {"of": "sub2(phrase=false)", "model": str(causal_folder), "device": "cpu", "chosen": 1}
    sampler = induce("fluent", corpus, candidates=8, **how)
    score = sampler.grammar.score
    assert score.probe == fitting.digest
    made = sampler.sample(6, seed=1)
    # what is said of a text is what the probe says of its states
    change = changed("red dogs fall", "red dogs fly")
    rows = [list(corpus.column("text")).index(change.before)]
    for asked in (fitting.first, fitting.second):
        hidden = score._reader.hidden([change.text], asked.layer)
        told = asked.odds(change, *hidden)
        assert score._odds({"text": [change.text]}, rows, [0], asked).tolist() == [told]
        # of what was made from none, all is new
        told = asked.odds(changed("red dogs fall", ""), *hidden)
        assert score._odds({"text": [change.text]}, [-1], [0], asked).tolist() == [told]
    sampler.grammar.save(tmp_path / "g.arrow")
    opened = open_sampler(tmp_path / "g.arrow")
    assert opened.sample(6, seed=1).table.equals(made.table)
    # others would choose otherwise
    others = Probes(fitting.second, fitting.first)
    assert others.digest != fitting.digest
    monkeypatch.setattr(fit, "shipped", lambda: others)
    with pytest.raises(SchemaError, match="the probes that ship are not those"):
        open_sampler(tmp_path / "g.arrow").sample(1)
    strange = replace(fitting.second, model="of another")
    monkeypatch.setattr(fit, "shipped", lambda: Probes(fitting.first, strange))
    assert induce("fluent", corpus, candidates=8, **how).grammar.score.probe == ""


def test_the_second_reads_what_the_first_likes_best(
    fitting: Probes, causal_folder: Path, corpus: Corpus, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fit, "_TWICE", 2)
    how = {"of": "sub2(phrase=false)", "model": str(causal_folder), "device": "cpu"}
    score = induce("fluent", corpus, candidates=8, **how).grammar.score
    made = induce("sub2", corpus, phrase=False).sample(9, seed=2)
    rows = [score._row[names[0]] for names in fit._parents(made)]
    texts = {"text": made.column("text")}
    less = np.linspace(0, 2, len(made))
    found = score.of(made, less)
    first = score._odds(texts, rows, list(range(len(made))), fitting.first) - less
    best = np.sort(np.argsort(-first, kind="stable")[:2])
    # the last bits of what is read depend on what is read with it
    second = score._odds(texts, rows, best.tolist(), fitting.second) - less[best]
    assert np.flatnonzero(np.isfinite(found)).tolist() == best.tolist()
    assert found[best] == pytest.approx((first[best] + second) / 2, abs=1e-5)
    assert score.of(made[:0]).tolist() == []
    none = np.full(len(made), -np.inf)  # all too short
    monkeypatch.setattr(fit.LanguageFit, "_of_shape", lambda *_: none)
    assert not np.isfinite(score.of(made)).any()


def test_a_model_is_known_by_its_vectors(causal_folder: Path) -> None:
    causal = CausalModel.opened(str(causal_folder), "cpu")
    quantised = CausalModel(rounded(causal.model), causal.tokenizer)
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
    trunk = Trunk(causal.model.base_model, 1)
    assert {id(weight) for weight in trunk._body.parameters()} <= held


def test_the_probes_that_ship_are_those_of_the_card_and_the_table() -> None:
    both = probe.shipped()
    assert both.fit(both.first.model)
    for made, (layer, _) in zip((both.first, both.second), probing.READERS.values(), strict=True):
        assert made.layer == layer
        assert len(made.place) == probe_network.UNITS * probe.PLACES
        assert len(made.adapter.shapes) == 2 * 7 * layer
    card = (probing.FOLDER / "smollm2.md").read_text("utf-8")
    assert card == probing.card(probing.FOLDER)
    table = probing.rows()
    for row in table:
        # where words were only left out, the end is before the space, and the beginning behind it
        assert 0 <= row.change.begin <= row.change.end + 1 <= len(row.change.text) + 1
    assert {row.verdict for row in table} == {0, 1}


def test_no_sentence_whose_texts_are_read_blind_is_in_the_table(data_folder: Path) -> None:
    """Neither as it stands, nor as what was put in, if that has twenty letters or more."""
    held = {
        _letters(text)
        for name in reading.CORPORA
        for part in (0, *(parts[name] for parts in reading.PARTS.values()))
        for text in reading.sentences(name, part).column("text")
    }
    assert len(held) > 6 * reading.SENTENCES
    together = "\n".join(held)
    for row in probing.rows():
        text = row.change.text
        filler = _letters(text[row.change.begin : row.change.end])
        assert _letters(text) not in held
        assert len(filler) < 20 or filler not in together


def _letters(text: str) -> str:
    return re.sub(r"[^a-z0-9]+", " ", text.lower()).strip()
