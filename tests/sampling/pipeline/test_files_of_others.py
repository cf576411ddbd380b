"""Manifests, settings and resume states that others changed: refused by name, or used."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from grammar.errors import OptionError, SchemaError, TreewrightError
from grammar.saving.checksum import UNSEALED, sealed
from induction.corpus.corpus import Corpus
from induction.corpus.formats import read_corpus, write_batches, write_corpus
from induction.corpus.pieces import mapped
from sampling.pipeline.manifest import (
    file_hash,
    manifest_of,
    plan_of,
    read_manifest,
    write_manifest,
)
from sampling.pipeline.pipeline import Pipeline
from sampling.pipeline.resuming import PartialWork
from sampling.pipeline.settings import Settings, read_settings, read_toml
from treewright.verbs.augment import _FILES
from treewright.verbs.replay import replay

TEXTS = [
    "a good film",
    "the great plot",
    "a bad dog",
    "the poor cat",
    "one more tale",
    "a last word",
]
LABELS = ["x", "x", "y", "y", "x", "y"]
ASKED: dict[str, Any] = {"method": "0.5*aeda + 0.5*shuffle", "n": 12, "seed": 3}
VALUES = st.recursive(
    st.none() | st.booleans() | st.floats() | st.text(max_size=6)
    | st.integers() | st.sampled_from([2**31, 2**63, 2**64, -(2**63), 10**40])
    | st.sampled_from(["a\0b", "\ud800", "x" * 300, "..", "-", "*", "5:9=" + "9" * 99, "[red]"]),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=4), inner),
    max_leaves=4,
)  # fmt: skip


def _places(value: Any, at: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    yield at
    if isinstance(value, dict | list):
        for key in value if isinstance(value, dict) else range(len(value)):
            yield from _places(value[key], (*at, key))


def _changed(whole: Any, at: tuple[Any, ...], value: Any) -> Any:
    held = {"": json.loads(json.dumps(whole))}
    holder: Any = held
    for key in ("", *at)[:-1]:
        holder = holder[key]
    holder[("", *at)[-1]] = value
    return held[""]


# --- manifests ---------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def made(tmp_path_factory) -> tuple[Path, dict[str, Any]]:
    """An output, and its manifest as it was written."""
    folder = tmp_path_factory.mktemp("made")
    source, output = folder / "a.jsonl", folder / "b.jsonl"
    write_corpus(Corpus.from_columns(text=TEXTS, label=LABELS), source)
    pipeline = Pipeline(read_corpus(source), read_settings(ASKED))
    rows = write_batches(pipeline.run(), output)
    entry = {"path": str(source), "sha256": file_hash(source), "examples": len(TEXTS)}
    facts = {"path": str(output), "sha256": file_hash(output), "examples": rows}
    manifest = manifest_of(pipeline, {"columns": {}, "input": entry, "test": entry}, facts)
    manifest.pop("test")
    write_manifest(manifest, output)
    return output, json.loads(json.dumps(manifest))


def _replayed(output: Path) -> None:
    replay(str(output), workers=1, quiet=True)


@settings(max_examples=200, suppress_health_check=list(HealthCheck), deadline=None)
@given(data=st.data(), value=VALUES)
def test_whatever_a_field_of_a_manifest_holds_replay_ends_with_our_errors(made, data, value):
    output, whole = made
    places = [at for at in _places(whole) if at[:1] != ("report",)]
    changed = _changed(whole, data.draw(st.sampled_from(places)), value)
    Path(f"{output}.manifest.json").write_text(json.dumps(changed))
    try:
        _replayed(output)
    except TreewrightError as error:
        assert len(str(error)) < 2000  # noqa: PT017
    finally:
        write_manifest(whole, output)


@pytest.mark.parametrize(("at", "value", "what"), [
    (("input", "path"), "a\0b", "it holds a NUL"),
    (("input", "path"), "a\ud800", "no file can have this name"),
    (("input", "path"), "x" * 300, "no file can have this name"),
    (("input", "path"), 3, "input.path is 3, not a text"),
    (("settings", "options"), 3, "options=3 is not of the kind"),
    (("settings", "options"), {"aeda.protect": 3}, "protect=3 is not of the kind"),
    (("settings", "n"), 10**30, "out of range"),
    (("settings", "length"), "9" * 5000, "is too large"),
    (("versions", "methods", "aeda"), None, "versions.methods.aeda is null, not a text"),
    (("output",), [], "output is a list, not an object"),
    (("classes",), {"a": 1}, "classes is an object, not a list"),
    (("columns",), "text", "columns is 'text', not an object"),
    ((), [], "it is a list, not an object"),
])  # fmt: skip
def test_a_field_of_a_manifest_is_named(made, at, value, what):
    output, whole = made
    Path(f"{output}.manifest.json").write_text(json.dumps(_changed(whole, at, value)))
    try:
        with pytest.raises(TreewrightError) as caught:
            _replayed(output)
    finally:
        write_manifest(whole, output)
    assert what in str(caught.value)


def test_a_manifest_as_it_was_written_is_read_and_replayed(made, capsys):
    output, whole = made
    assert read_manifest(output) == whole
    replay(str(output), workers=1, as_json=True)
    assert json.loads(capsys.readouterr().out)["equal"]


# --- settings ----------------------------------------------------------------------------------


@settings(max_examples=150, suppress_health_check=list(HealthCheck), deadline=None)
@given(
    name=st.sampled_from([*_FILES, *Settings.__dataclass_fields__]),
    value=st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=4)
    | st.lists(st.integers(), max_size=2) | st.dictionaries(st.text(max_size=3), st.integers()),
)  # fmt: skip
@example(name="input", value=3)
@example(name="workers", value="two")
@example(name="options", value=[1])
def test_whatever_a_key_of_a_settings_file_holds_ends_well(tmp_path_factory, name, value):
    path = tmp_path_factory.mktemp("toml") / "a.toml"
    if value is None:
        written = "1979-05-27"
    elif isinstance(value, dict):
        written = "{" + ", ".join(f"{json.dumps(k)} = {v}" for k, v in value.items()) + "}"
    else:
        written = json.dumps(value).replace("NaN", "nan").replace("Infinity", "inf")
    path.write_text(f"[augment]\n{name} = {written}\n", "utf-8", "replace")
    try:
        read = read_toml(path, _FILES)
        read_settings({key: one for key, one in read.items() if key not in _FILES})
    except TreewrightError as error:
        assert error.hint  # noqa: PT017
    else:
        assert name not in _FILES or type(value) is _FILES[name]


def test_a_key_of_a_settings_file_is_named(tmp_path):
    path = tmp_path / "a.toml"
    path.write_text("[augment]\ninput = 3\n")
    with pytest.raises(OptionError, match=r"a\.toml: input is 3, not a text"):
        read_toml(path, _FILES)


# --- resume states -----------------------------------------------------------------------------


def _pipeline() -> Pipeline:
    corpus = Corpus.from_columns(text=TEXTS, label=LABELS)
    return Pipeline(corpus, read_settings({**ASKED, "keep_originals": True}))


def _begun(folder: Path, stop: int) -> Path:
    """Begin some work, and stop it behind so many batches."""
    pipeline = _pipeline()
    with PartialWork(folder / "new.jsonl", plan_of(pipeline), shard=4) as work:
        work.begin(pipeline, resume=False, force=False)
        for number, _ in enumerate(work.tables(pipeline.pieces(), pipeline.state)):
            if number == stop:
                break
        assert work.is_kept
        return work.folder


def _gone_on(folder: Path) -> list[str]:
    pipeline = _pipeline()
    with PartialWork(folder / "new.jsonl", plan_of(pipeline), shard=4) as work:
        work.begin(pipeline, resume=True, force=False)
        return [
            text
            for batch in work.tables(pipeline.pieces(), pipeline.state)
            for text in mapped(batch).column("text").to_pylist()
        ]


def _seal_anew(path: Path, held: Any) -> None:
    held = {**held, "seal": UNSEALED} if isinstance(held, dict) else held
    path.write_bytes(sealed(json.dumps(held).encode()))


@pytest.fixture(scope="module")
def whole_texts() -> list[str]:
    pipeline = _pipeline()
    return [text for table in pipeline.run() for text in table.column("text").to_pylist()]


@pytest.mark.parametrize("stop", [1, 2])
def test_work_goes_on_as_it_was_begun(tmp_path, stop, whole_texts):
    _begun(tmp_path, stop)
    assert _gone_on(tmp_path) == whole_texts


def test_a_state_that_was_changed_is_refused(tmp_path):
    partial = _begun(tmp_path, 2)
    for path in sorted(partial.glob("*.json")):
        kept = path.read_bytes()
        unsealed = json.dumps({**json.loads(kept), "seal": "none"}).encode()
        other = kept.replace(b"0", b"1", 3)
        for data in (other, unsealed, b"{}", b"[]", b"", kept[:-1], b"\xff", b"9" * 5000):
            path.write_bytes(data)
            with pytest.raises(SchemaError, match="the unfinished work is damaged"):
                _gone_on(tmp_path)
            path.write_bytes(kept)


@settings(max_examples=120, suppress_health_check=list(HealthCheck), deadline=None)
@given(data=st.data(), value=VALUES)
def test_a_state_that_was_sealed_anew_gives_the_same_or_is_refused(
    tmp_path_factory, whole_texts, data, value
):
    folder = tmp_path_factory.mktemp("sealed")
    partial = _begun(folder, 2)
    path = data.draw(st.sampled_from(sorted(partial.glob("*.json"))))
    held = json.loads(path.read_bytes())
    at = data.draw(st.sampled_from([at for at in _places(held) if at != ("seal",)]))
    _seal_anew(path, _changed(held, at, value))
    try:
        assert _gone_on(folder) == whole_texts
    except TreewrightError as error:
        assert error.hint  # noqa: PT017


@pytest.mark.parametrize(("name", "value"), [
    ("position", 0), ("wanted", [10**18]), ("wanted", [0, 0]), ("tally", [0] * 6), ("leaked", 99),
    ("barren", 10**9), ("position", 10**30), ("tally", [-1, 0, 0, 0, 0, 0]), ("shortfall", "so"),
])  # fmt: skip
def test_counts_that_do_not_agree_are_refused(tmp_path, name, value):
    partial = _begun(tmp_path, 2)
    path = sorted(partial.glob("*.state.json"))[-1]
    held = json.loads(path.read_bytes())
    held["state"]["parts"][0][name] = value
    _seal_anew(path, held)
    with pytest.raises(SchemaError, match="the unfinished work is damaged"):
        _gone_on(tmp_path)
