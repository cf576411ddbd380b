"""Folders of Hugging Face that others made: read without the library, and only what is in them."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from grammar.errors import CorpusError, SchemaError, TreewrightError
from induction.corpus.formats import read_corpus

SHARD = "data-00000-of-00001.arrow"
STATE = {
    "_data_files": [{"filename": SHARD}], "_fingerprint": "x", "_format_columns": None,
    "_format_kwargs": {}, "_format_type": None, "_output_all_columns": False, "_split": None,
}  # fmt: skip
INFO = {
    "features": {
        "text": {"dtype": "string", "_type": "Value"},
        "label": {"names": ["no", "yes"], "_type": "ClassLabel"},
    }
}


def _folder(path: Path, state: Any = STATE, info: Any = INFO) -> Path:
    path.mkdir(parents=True)
    table = pa.table({"text": ["a good film", "a bad one"], "label": [1, 0]})
    with pa.OSFile(str(path / SHARD), "wb") as sink, pa.ipc.new_stream(sink, table.schema) as out:
        out.write_table(table)
    (path / "state.json").write_text(json.dumps(state))
    (path / "dataset_info.json").write_text(json.dumps(info))
    return path


def test_a_folder_is_read_without_the_library(tmp_path, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "datasets", None)
    corpus = read_corpus(_folder(tmp_path / "set"))
    assert corpus.column("text") == ["a good film", "a bad one"]
    assert corpus.column("label") == [1, 0]


@pytest.mark.parametrize("name", ["../other.arrow", "../../other.arrow", "a\0b", "", None, 3, []])
def test_a_shard_lies_in_the_folder(tmp_path, name):
    shutil.copy(_folder(tmp_path / "x" / "one") / SHARD, tmp_path / "x" / "other.arrow")
    shutil.copy(tmp_path / "x" / "other.arrow", tmp_path / "other.arrow")
    folder = _folder(tmp_path / "x" / "set", {**STATE, "_data_files": [{"filename": name}]})
    with pytest.raises(SchemaError, match=r"state\.json, _data_files\[0\]"):
        read_corpus(folder)


def test_an_absolute_shard_is_refused(tmp_path):
    other = _folder(tmp_path / "other") / SHARD
    folder = _folder(tmp_path / "set", {**STATE, "_data_files": [{"filename": str(other)}]})
    with pytest.raises(SchemaError, match="outside the folder"):
        read_corpus(folder)


def test_links_out_of_the_folder_are_refused(tmp_path):
    other, folder = _folder(tmp_path / "other"), _folder(tmp_path / "set")
    for name in (SHARD, "state.json", "dataset_info.json"):
        (folder / name).rename(folder / "kept")
        (folder / name).symlink_to(other / name)
        with pytest.raises(SchemaError, match="a symbolic link leads"):
            read_corpus(folder)
        (folder / name).unlink()
        (folder / "kept").rename(folder / name)
    assert len(read_corpus(folder)) == 2


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no pipes with names here")
def test_a_pipe_is_no_shard(tmp_path):
    folder = _folder(tmp_path / "set")
    (folder / SHARD).unlink()
    os.mkfifo(folder / SHARD)
    with pytest.raises(SchemaError, match="is no file"):
        read_corpus(folder)


@pytest.mark.parametrize("features", [
    "x", 3, ["text"], {"text": "string", "label": 1}, True, {"text": {}},
    {"text": {}, "label": {}, "more": {}},
])  # fmt: skip
def test_features_that_are_none_are_refused(tmp_path, features):
    folder = _folder(tmp_path / "set", info={"features": features})
    with pytest.raises(CorpusError, match=r"dataset_info\.json.*does not hold a whole dataset"):
        read_corpus(folder)


@pytest.mark.parametrize("label", [
    {"names": "no", "_type": "ClassLabel"}, {"names": [1, None], "_type": "ClassLabel"},
    {"num_classes": 10**30, "_type": "ClassLabel"}, {"_type": "os.system"}, {"_type": 3},
    [[[[{"dtype": "int64"}]]]], {"shape": [10**18, 10**18], "_type": "Array2D"},
])  # fmt: skip
def test_of_features_only_the_names_count(tmp_path, label):
    folder = _folder(tmp_path / "set", info={"features": {"text": {}, "label": label}})
    assert read_corpus(folder).column("label") == [1, 0]


def test_rows_that_files_of_indices_choose_are_not_read_as_others(tmp_path):
    state = {**STATE, "_indices_data_files": [{"filename": "indices.arrow"}]}
    with pytest.raises(CorpusError, match="files of indices"):
        read_corpus(_folder(tmp_path / "set", state))


@pytest.mark.parametrize("splits", [["../.."], ["a/b"], [3], "train", {}, None, ["a\n[red]"]])
def test_names_of_splits_are_names(tmp_path, splits):
    (tmp_path / "set").mkdir()
    (tmp_path / "set" / "dataset_dict.json").write_text(json.dumps({"splits": splits}))
    with pytest.raises(CorpusError, match="splits"):
        read_corpus(tmp_path / "set")


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=3), inner),
    max_leaves=4,
)
FIELDS = [
    *((name, (key,)) for name, whole in (("state", STATE), ("info", INFO)) for key in whole),
    ("state", ()), ("info", ()), ("state", ("_data_files", 0)),
    ("state", ("_data_files", 0, "filename")), ("info", ("features", "label")),
    ("info", ("features", "label", "names")), ("info", ("features", "label", "_type")),
]  # fmt: skip


@settings(max_examples=150, suppress_health_check=list(HealthCheck), deadline=None)
@given(field=st.sampled_from(FIELDS), value=VALUES)
def test_whatever_a_field_holds_the_folder_is_read_or_refused(tmp_path_factory, field, value):
    (name, path), whole = field, {"state": STATE, "info": INFO}
    changed = {"": json.loads(json.dumps(whole[name]))}
    holder: Any = changed
    for key in ("", *path)[:-1]:
        holder = holder[key]
    holder[("", *path)[-1]] = value
    folder = _folder(tmp_path_factory.mktemp("x") / "set", **{name: changed[""]})
    try:
        assert len(read_corpus(folder)) == 2
    except TreewrightError as error:
        assert error.hint  # noqa: PT017


@pytest.mark.parametrize("data", [b"", b"\xff\xff\xff\xff", b"ARROW1\0\0", b"x" * 100])
def test_a_shard_that_is_no_arrow_is_refused(tmp_path, data):
    folder = _folder(tmp_path / "set")
    (folder / SHARD).write_bytes(data)
    with pytest.raises(CorpusError, match="does not hold a whole dataset"):
        read_corpus(folder)
    (folder / SHARD).unlink()
    with pytest.raises(CorpusError, match="does not hold a whole dataset"):
        read_corpus(folder)
