"""Columns of every kind that Arrow has, in every format: written and read again, or named."""

from __future__ import annotations

import datetime
import decimal
import json
from typing import Any

import pyarrow as pa
import pytest

from grammar.errors import CorpusError, TreewrightError
from induction.corpus.corpus import Corpus
from induction.corpus.formats import check_output, read_corpus, write_corpus
from induction.corpus.tables.kinds import DEEPEST, plain_kind
from sampling.pipeline.augment import augment

DAY = datetime.date(2020, 1, 2)
NOW = datetime.datetime(2020, 1, 2, 3, 4, 5)


def _deep(depth: int) -> pa.Array:
    kind, value = pa.int64(), 1
    for _ in range(depth):
        kind, value = pa.list_(kind), [value]
    return pa.array([value, None], kind)


def _union(make: Any, *offsets: pa.Array) -> pa.Array:
    ids = pa.array([0, 1], pa.int8())
    values = [pa.array([1, 2]), pa.array(["a", "b"])]
    return make(ids, *offsets, values)


KINDS: dict[str, pa.Array] = {
    "empty objects": pa.array([{}, {}], pa.struct([])),
    "lists of empty objects": pa.array([[{}], []], pa.list_(pa.struct([]))),
    "nothing": pa.nulls(2),
    "lists of nothing": pa.array([[None], []]),
    "sparse union": _union(pa.UnionArray.from_sparse),
    "dense union": _union(pa.UnionArray.from_dense, pa.array([0, 1], pa.int32())),
    "dictionary": pa.array(["a", "b"]).dictionary_encode(),
    "dictionary of numbers": pa.array([1, 2]).dictionary_encode(),
    "lists of a dictionary": pa.array([["a"], ["b"]], pa.list_(pa.dictionary("int32", "string"))),
    "map": pa.array([[("a", 1)], []], pa.map_(pa.string(), pa.int64())),
    "timestamps": pa.array([NOW, None]),
    "timestamps with a zone": pa.array([1, 2**62], pa.timestamp("ns", "UTC")),
    "timestamps beyond years": pa.array([1, 2**62], pa.timestamp("s")),
    "days": pa.array([DAY, None]),
    "days beyond years": pa.array([1, 2**31 - 1], pa.int32()).cast(pa.date32()),
    "times beyond a day": pa.array([1, 2**31 - 1], pa.int32()).cast(pa.time32("s")),
    "lists of times": pa.array([[1, 2], None], pa.list_(pa.time64("ns"))),
    "some durations": pa.array([1, -5], pa.duration("us")),
    "days of 64 bits": pa.array([DAY, None], pa.date64()),
    "times": pa.array([1, 2], pa.time32("s")),
    "durations": pa.array([1, 2**62], pa.duration("s")),
    "intervals": pa.array([None, (1, 2, 3)], pa.month_day_nano_interval()),
    "decimals": pa.array([decimal.Decimal("1.5"), None]),
    "long decimals": pa.array([decimal.Decimal("1.5"), None], pa.decimal256(70, 2)),
    "bytes": pa.array([b"a", b"\xff"]),
    "large bytes": pa.array([b"a", b"\xff"], pa.large_binary()),
    "so many bytes": pa.array([b"ab", b"\xff\x00"], pa.binary(2)),
    "views of bytes": pa.array([b"ab", b"\xff"], pa.binary_view()),
    "views of texts": pa.array(["ab", "c"], pa.string_view()),
    "large texts": pa.array(["ab", "c"], pa.large_string()),
    "unsigned numbers": pa.array([2**64 - 1, 0], pa.uint64()),
    "small numbers": pa.array([1, 2], pa.int8()),
    "half numbers": pa.array([1.5, 2], pa.float16()),
    "no numbers": pa.array([float("nan"), float("inf")]),
    "pairs": pa.array([[1, 2], [3, 4]], pa.list_(pa.int64(), 2)),
    "views of lists": pa.array([[1, 2], [3]], pa.list_view(pa.int64())),
    "large lists": pa.array([[1, 2], [3]], pa.large_list(pa.int64())),
    "runs": pa.RunEndEncodedArray.from_arrays(pa.array([1, 2], pa.int32()), pa.array(["a", "b"])),
    "extension": pa.ExtensionArray.from_storage(pa.json_(), pa.array(["{}", "[]"])),
    "deep lists": _deep(DEEPEST - 1),
    "deeper lists": _deep(DEEPEST + 1),
    "deepest lists": _deep(300),
    "fields of one name": pa.StructArray.from_arrays([pa.array([1, 2])] * 2, ["a", "a"]),
    "objects with days": pa.array([{"d": DAY}, None]),
    "objects with bytes": pa.array([{"d": b"\xff"}, None]),
    "lists of timestamps": pa.array([[NOW], []]),
}
FORMATS = ("jsonl", "csv", "tsv", "parquet", "arrow", "txt", "hf", "conllu", "mrg", "sst", "scan",
           "conll")  # fmt: skip
REFUSED_AS_TEXT = {
    "intervals",
    "bytes",
    "large bytes",
    "so many bytes",
    "views of bytes",
    "objects with bytes",
}
REFUSED_BY_PARQUET = {"empty objects", "lists of empty objects", "intervals"}
REFUSED_BY_ALL = {
    "deeper lists", "deepest lists", "fields of one name", "sparse union", "dense union",
    "timestamps beyond years", "days beyond years", "times beyond a day", "durations",
}  # fmt: skip
NOT_READ_AGAIN = {"map", "unsigned numbers"}
"""As JSON lines, which have one kind a column, of 64 bits."""


def _corpus(column: pa.Array) -> Corpus:
    others = Corpus.from_columns(
        text=["a b", "c d"], label=[0, 1], target=["A", "B"], tokens=[["a", "b"], ["c", "d"]],
        tree=["(0 (A a) (B b))", "(1 (A c) (B d))"],
        spans=[[{"start": 0, "end": 1, "label": "L"}], []],
    )  # fmt: skip
    return Corpus(others.table.append_column("x", column))


@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize("kind", KINDS)
def test_a_column_of_any_kind_is_written_or_named(tmp_path, kind, format):
    if format == "hf":
        pytest.importorskip("datasets")
    path, column = tmp_path / f"a.{format}", KINDS[kind]
    named = None if format != "scan" else "scan"
    may_fail = kind in REFUSED_BY_ALL or {
        "parquet": kind in REFUSED_BY_PARQUET, "hf": True,
    }.get(format, kind in REFUSED_AS_TEXT)  # fmt: skip
    try:
        write_corpus(_corpus(column), path, format=named)
    except CorpusError as error:
        assert may_fail, error  # noqa: PT017
        assert "'x'" in error.what  # noqa: PT017
        assert error.hint  # noqa: PT017
        assert list(tmp_path.iterdir()) == []
        return
    try:
        again = read_corpus(path, format=named)
    except CorpusError:
        assert (format, kind) in {("jsonl", name) for name in NOT_READ_AGAIN}
        return
    assert len(again) == 2
    if format == "arrow":
        kept = plain_kind(column.type)
        assert again.table.schema.field("x").type == kept
        assert json.dumps(again.column("x"), default=str) == json.dumps(
            column.to_pylist(), default=str
        )


@pytest.mark.parametrize("kind", KINDS)
def test_a_column_of_any_kind_travels_to_new_examples(kind):
    try:
        made = augment(_corpus(KINDS[kind]), "aeda", n=2)
    except TreewrightError as error:
        assert kind in REFUSED_BY_ALL
        assert "'x'" in error.what  # noqa: PT017
    else:
        assert made.corpus.table.num_rows == 2


@pytest.mark.parametrize(("kind", "format"), [
    ("empty objects", "parquet"), ("intervals", "parquet"), ("bytes", "jsonl"), ("bytes", "csv"),
])  # fmt: skip
def test_what_a_format_cannot_hold_is_said_before_any_work(tmp_path, kind, format):
    schema = _corpus(KINDS[kind]).table.schema
    with pytest.raises(CorpusError, match=f"the column 'x' .* cannot be written as {format}"):
        check_output(tmp_path / f"a.{format}", schema=schema)
    check_output(tmp_path / "a.arrow", schema=schema)


# --- names of columns ---------------------------------------------------------------------------


def _twice(path: Any, format: str) -> None:
    table = pa.table([["a", "b"], ["x", "y"], ["c", "d"]], names=["text", "label", "text"])
    if format == "parquet":
        pa.parquet.write_table(table, path)
    elif format == "arrow":
        with pa.OSFile(str(path), "wb") as sink, pa.ipc.new_file(sink, table.schema) as out:
            out.write_table(table)
    elif format == "jsonl":
        path.write_text('{"text": "a", "label": "x", "text": "c"}\n')
    else:
        sign = "," if format == "csv" else "\t"
        path.write_text(f"text{sign}label{sign}text\na{sign}x{sign}c\n")


@pytest.mark.parametrize("on_error", ["stop", "skip"])
@pytest.mark.parametrize("format", ["csv", "tsv", "parquet", "arrow", "jsonl"])
def test_two_columns_of_one_name_are_named(tmp_path, format, on_error):
    path = tmp_path / f"a.{format}"
    _twice(path, format)
    with pytest.raises(
        CorpusError, match="columns 1 and 3 have one name, 'text'|text.*twice|two values of 'text'"
    ):
        read_corpus(path, on_error=on_error)


def test_two_columns_of_one_name_in_memory():
    table = pa.table([["a"], ["b"]], names=["text", "text"])
    with pytest.raises(CorpusError, match="the columns 1 and 2 have one name, 'text'"):
        read_corpus(table)
    with pytest.raises(CorpusError, match="have one name, '1'"):
        read_corpus({"text": ["a"], 1: [2], "1": [3]})
    with pytest.raises(CorpusError, match="have one name, '1'"):
        read_corpus([{"text": "a", 1: 2, "1": 3}])


@pytest.mark.parametrize("rows", [
    [{"text": "a\ud800"}], [{"text": "a", "x": 2**70}], [{"text": "a", "x": object()}],
    [{"text": "a", "x": 1}, {"text": "a", "x": "b"}], {"text": ["a"], "x": [b"a"], "y": [1j]},
])  # fmt: skip
def test_values_in_memory_that_are_no_column_are_named(rows):
    with pytest.raises(CorpusError):
        read_corpus(rows)


def test_a_whole_number_of_more_than_64_bits_is_no_rounded_one(tmp_path):
    path = tmp_path / "a.jsonl"
    lines = [json.dumps({"text": "a", "n": [n]}) + "\n" for n in (1, 2**63)]
    path.write_text("".join(lines))
    with pytest.raises(CorpusError, match=r"a\.jsonl:2: the whole number 92233720368") as told:
        read_corpus(path)
    assert "in quotes" in told.value.hint
    path.write_text(lines[0] + '{"text": "9223372036854775808", "n": [-9223372036854775808]}\n')
    assert read_corpus(path).column("n") == [[1], [-(2**63)]]
    path.write_text('{"text": "a", "n": 1e300}\n')
    assert read_corpus(path).column("n") == [1e300]
