"""Columns of kinds that Arrow knows and few of its functions take: read, or refused by name."""

from __future__ import annotations

import datetime
from pathlib import Path

import pyarrow as pa
import pytest

from grammar.errors import CorpusError, TreewrightError
from induction.corpus.corpus import Corpus
from induction.corpus.formats import read_corpus
from induction.corpus.tables.kinds import plain_table
from sampling.pipeline.augment import augment


def _dictionary(values: pa.Array, *indices: int | None) -> pa.Array:
    return pa.DictionaryArray.from_arrays(pa.array(indices, pa.int8()), values)


ODD: dict[str, pa.Array] = {
    "a dictionary of lists": _dictionary(pa.array([["a", "b"]]), 0, 0),
    "a dictionary of objects": _dictionary(pa.array([{"a": 1}]), 0, None),
    "a dictionary with a null": _dictionary(pa.array(["so", None]), 1, 0),
    "lists of a dictionary with a null": pa.ListArray.from_arrays(
        pa.array([0, 1, 2], pa.int32()), _dictionary(pa.array(["so", None]), 1, 0)
    ),
    "a dictionary of views": _dictionary(pa.array(["so", "it"], pa.string_view()), 1, 0),
    "runs": pa.RunEndEncodedArray.from_arrays(pa.array([1, 2], pa.int32()), pa.array(["a", "b"])),
    "views": pa.array(["so", "it"], pa.string_view()),
    "views of lists": pa.array([["so"], ["it"]], pa.list_view(pa.string())),
    "numbers of 64 bits": pa.array([2**64 - 1, 0], pa.uint64()),
    "numbers of 16 bits": pa.array([None, None], pa.float16()),
    "nothing that floats": pa.array([None, None], pa.float64()),
    "times": pa.array([datetime.datetime(2020, 1, 1), None]),
    "times of no zone": pa.array([0, 1], pa.timestamp("us", "No/Such")),
    "objects": pa.array([{"a": [1]}, None]),
    "maps": pa.array([[("k", 1)], []], pa.map_(pa.string(), pa.int64())),
    "bytes": pa.array([b"a", b"\xff"]),
    "nothing of a decimal kind": pa.nulls(2, pa.decimal128(9, 2)),
}
COLUMNS = ("x", "label", "id", "tokens", "tags", "spans", "tree", "target", "provenance")


@pytest.mark.parametrize("on_error", ["stop", "skip"])
@pytest.mark.parametrize("column", COLUMNS)
@pytest.mark.parametrize("kind", ODD)
def test_a_column_of_an_odd_kind(kind: str, column: str, on_error: str, tmp_path: Path) -> None:
    table = pa.table({"text": ["we ran", "so it was"], column: ODD[kind]})
    with pa.ipc.new_file(tmp_path / "a.arrow", table.schema) as writer:
        writer.write_table(table)
    try:
        corpus = read_corpus(tmp_path / "a.arrow", on_error=on_error)
        [repr(row) for row in corpus]
        augment(corpus, "aeda", n=2)
    except TreewrightError as error:
        assert error.hint  # noqa: PT017
    else:
        assert column in corpus.names


@pytest.mark.parametrize("kind", ["a dictionary of lists", "a dictionary with a null"])
def test_dictionaries_that_cannot_be_put_together_are_written_out(kind: str) -> None:
    table = plain_table(pa.table({"x": ODD[kind]}), "a.arrow")
    assert table.column("x").to_pylist() == ODD[kind].to_pylist()
    assert not pa.types.is_dictionary(table.schema.field("x").type)
    assert pa.concat_tables([table, table]).combine_chunks().num_rows == 4


def test_a_zone_that_is_not_known_is_named() -> None:
    with pytest.raises(CorpusError, match="No/Such"):
        plain_table(pa.table({"x": ODD["times of no zone"]}), "a.arrow")


def test_labels_that_are_all_missing_are_read() -> None:
    for kind in ("nothing that floats", "nothing of a decimal kind", "numbers of 16 bits"):
        table = pa.table({"text": ["we ran", "so"], "label": ODD[kind]})
        assert read_corpus(table).column("label") == [None, None]


def test_a_class_that_64_bits_do_not_hold_is_no_class() -> None:
    table = pa.table({"text": ["we ran", "so"], "label": ODD["numbers of 64 bits"]})
    with pytest.raises(CorpusError, match="18446744073709551615"):
        read_corpus(table)
    assert isinstance(read_corpus(table.slice(1)), Corpus)
