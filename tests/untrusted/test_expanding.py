"""What is compressed is refused while it is read if it expands to more than it may."""

from __future__ import annotations

import gzip
import json
import os
import tracemalloc
import zlib
from contextlib import suppress
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from grammar.errors import OptionError, UnreadableInputError
from grammar.opening import open_grammar
from grammar.saving.array_file import load_arrays, save_arrays
from grammar.saving.arrow_sizes import refuse_expanding_arrow
from grammar.storage import expanded_size
from grammar.storage.expanded_size import expanded_limit, read_size, refuse_expanding_zlib
from induction.corpus.corpus import Corpus
from induction.corpus.formats import read_corpus, write_corpus
from induction.corpus.readers import read_treebank

SMALL = 100_000


@pytest.fixture(autouse=True)
def _small_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    """As if 256 MiB were 100 kB, so that the files of the tests are small."""
    monkeypatch.setattr(expanded_size, "LEAST", SMALL)
    monkeypatch.setattr(expanded_size, "RATIO", 10)


def bomb(path: Path, texts: int = 200, size: int = 10_000) -> None:
    row = json.dumps({"text": "a" * size}) + "\n"
    path.write_bytes(gzip.compress((row * texts).encode()))


def test_gzip_is_refused_while_it_expands(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl.gz"
    bomb(path, texts=20_000)
    tracemalloc.start()
    with pytest.raises(UnreadableInputError, match="bytes expand to more than") as caught:
        read_corpus(path)
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert most < 20 << 20  # of 200 MB
    assert caught.value.where == str(path)
    assert "--max-expanded" in str(caught.value.hint)


def test_the_limit_can_be_lifted_and_grows_with_the_file(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl.gz"
    bomb(path)
    with expanded_limit(read_size("10M")):
        assert len(read_corpus(path)) == 200
    texts = [
        "".join(map(chr, row)) for row in np.random.default_rng(0).integers(97, 123, (50, 9000))
    ]
    path.write_bytes(gzip.compress("".join(json.dumps({"text": t}) + "\n" for t in texts).encode()))
    assert path.stat().st_size * 10 > 450_000 > SMALL
    assert len(read_corpus(path)) == 50


@pytest.mark.parametrize("text", ["8X", "", "G", "1.5G", "-1"])
def test_what_is_no_size(text: str) -> None:
    with pytest.raises(OptionError, match="is no size"):
        read_size(text)


def test_every_member_of_gzip_counts(tmp_path: Path) -> None:
    path = tmp_path / "a.txt.gz"
    path.write_bytes(gzip.compress(b"a" * 60_000) * 3)
    with pytest.raises(UnreadableInputError, match="expand"):
        read_corpus(path)


@pytest.mark.parametrize("column", ["text", "tokens"])
def test_dictionaries_of_parquet_are_not_written_out(tmp_path: Path, column: str) -> None:
    path = tmp_path / "a.parquet"
    texts = ["a" * 5_000] * 400
    table = pa.table({"text": texts if column == "text" else ["a"] * 400})
    if column == "tokens":
        table = table.append_column("tokens", pa.array([[text] for text in texts]))
    pyarrow.parquet.write_table(table, path)
    assert path.stat().st_size < 3_000
    with pytest.raises(UnreadableInputError, match="expand"):
        read_corpus(path)
    with expanded_limit(10 << 20):
        assert read_corpus(path).column(column)[399] in (texts[0], [texts[0]])


def test_texts_of_parquet_that_repeat_less_are_counted(tmp_path: Path) -> None:
    path = tmp_path / "a.parquet"
    texts = ["a" * 2_000, *(str(k) for k in range(2_000))]  # the longest is there once
    pyarrow.parquet.write_table(pa.table({"text": texts}), path)
    assert read_corpus(path).column("text") == texts


def test_groups_of_parquet_are_counted_together(tmp_path: Path) -> None:
    path = tmp_path / "a.parquet"
    pyarrow.parquet.write_table(pa.table({"text": ["b" * 30_000] * 6}), path, row_group_size=2)
    with pytest.raises(UnreadableInputError, match="expand"):
        read_corpus(path)


def compressed(table: pa.Table, *, stream: bool) -> bytes:
    sink = pa.BufferOutputStream()
    new = pa.ipc.new_stream if stream else pa.ipc.new_file
    with new(sink, table.schema, options=pa.ipc.IpcWriteOptions(compression="zstd")) as writer:
        for batch in table.to_batches(max_chunksize=100):
            writer.write_batch(batch)
    return sink.getvalue().to_pybytes()


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize("dictionary", [False, True])
def test_buffers_of_arrow_are_counted(tmp_path: Path, stream: bool, dictionary: bool) -> None:
    texts = pa.array(["a" * 1_000 + str(k % 7) for k in range(400)])
    if dictionary:
        texts = pa.array(["a" * 60_000 + str(k) for k in range(4)]).dictionary_encode()
    data = compressed(pa.table({"text": texts}), stream=stream)
    path = tmp_path / "a.arrow"
    path.write_bytes(data)
    assert len(data) < 5_000
    with pytest.raises(UnreadableInputError, match="expand"):
        read_corpus(path)
    with expanded_limit(10 << 20):
        refuse_expanding_arrow(data, path)


@settings(max_examples=100, deadline=None)
@given(st.data())
def test_damaged_arrow_is_left_to_the_reader(data: st.DataObject) -> None:
    whole = bytearray(
        compressed(pa.table({"text": ["a", "b"] * 60}), stream=data.draw(st.booleans()))
    )
    for _ in range(data.draw(st.integers(1, 4))):
        whole[data.draw(st.integers(0, len(whole) - 1))] = data.draw(st.integers(0, 255))
    with suppress(UnreadableInputError):  # a size in it may be another now
        refuse_expanding_arrow(bytes(whole), "a.arrow")


def test_saved_grammars_are_counted(tmp_path: Path) -> None:
    path = tmp_path / "g.arrow"
    save_arrays(path, "toy-1", {}, {"x": np.zeros(50_000)})
    with pytest.raises(UnreadableInputError, match="expand"):
        load_arrays(path, "toy-1", what="a toy", hint="make one")
    with expanded_limit(1 << 20):
        assert len(load_arrays(path, "toy-1", what="a toy", hint="make one")[1]["x"]) == 50_000


def test_what_zlib_holds_is_counted(tmp_path: Path) -> None:
    refuse_expanding_zlib(zlib.compress(b"a" * 50_000), "a.spacy")
    refuse_expanding_zlib(b"no zlib", "a.spacy")
    with pytest.raises(UnreadableInputError, match="expand"):
        refuse_expanding_zlib(zlib.compress(b"a" * 500_000), "a.spacy")


def test_what_this_toolkit_writes_is_read(tmp_path: Path) -> None:
    corpus = Corpus.from_columns(text=["so it is"] * 100, tokens=[["so", "it", "is"]] * 100)
    for name in ("a.parquet", "a.arrow", "a.jsonl"):
        write_corpus(corpus, tmp_path / name)
        assert read_corpus(tmp_path / name).column("text") == corpus.column("text")


@pytest.mark.skipif(not hasattr(os, "SEEK_DATA"), reason="no file says where its holes are")
@pytest.mark.parametrize("name", ["a.jsonl", "a.txt", "a.mrg", "a.json", "a.csv"])
def test_a_file_of_holes_is_refused(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    with path.open("wb") as file:
        file.write(b"a film\n")
        file.truncate(3 << 30)
    tracemalloc.start()
    read = {"a.json": open_grammar, "a.mrg": read_treebank}.get(name, read_corpus)
    with pytest.raises(UnreadableInputError, match="expand to more"):
        read(path)
    assert tracemalloc.get_traced_memory()[1] < 20 << 20
    tracemalloc.stop()


def test_a_file_without_holes_is_read_whatever_its_length(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes(b"a good film\n" * (SMALL // 4))
    assert len(read_corpus(path)) == SMALL // 4
