"""Tables are written: Parquet, Arrow, and lines of JSON, CSV, TSV and plain text.

The lines of a table are made in Arrow's kernels, which let other threads work, and are bytes before
they are written; so several tables can become lines at the same time. They are byte for byte what
Python's ``json`` and ``str`` make of each value.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet

from grammar.errors import CorpusError
from induction.corpus.column_names import MIXED
from induction.corpus.rows import Write, Writer
from induction.corpus.tables.class_names import noted
from induction.corpus.tables.json_texts import (
    TEXT,
    has_text,
    is_nested,
    is_text,
    joined,
    json_texts,
    number_texts,
)

__all__ = [
    "ROWS_A_GROUP",
    "arrow_writer",
    "copied",
    "csv_header",
    "csv_lines",
    "json_lines",
    "lines_writer",
    "parquet_writer",
    "text_lines",
    "tsv_header",
    "tsv_lines",
    "with_named_shares",
]

ROWS_A_GROUP = 65_536
"""Rows are written in groups of so many, however they come."""

_ROWS_AT_ONCE = 8192
_NEEDS_QUOTES = r'[,"\r\n]'
_NOT_IN_TSV = r"[\t\n\r]"
_NOT_IN_A_LINE = r"[\n\r]"
_OTHERWISE = "write .jsonl, .csv or .parquet instead"


@contextmanager
def parquet_writer(path: Path, schema: pa.Schema) -> Iterator[Write]:
    """Write Parquet."""
    # a name need not be text, which Arrow takes a path for
    with (
        pa.OSFile(os.fsencode(path), "wb") as sink,
        pa.parquet.ParquetWriter(sink, noted(schema)) as writer,
    ):
        yield lambda table: writer.write_table(table, row_group_size=ROWS_A_GROUP)


@contextmanager
def arrow_writer(path: Path, schema: pa.Schema) -> Iterator[Write]:
    """Write an Arrow file."""
    with pa.OSFile(os.fsencode(path), "wb") as sink, pa.ipc.new_file(sink, noted(schema)) as writer:
        yield writer.write_table


def with_named_shares(table: pa.Table, classes: Sequence[str]) -> pa.Table:
    r"""Return rows whose distributions over classes have the names of these.

    Labels of other kinds stay as they are, and so do those over another number of classes.

    >>> table = pa.table({"text": ["a"], "label": [[0.25, 0.75]]})
    >>> csv_lines(with_named_shares(table, ["bad", "good"]))
    b'a,"{""bad"": 0.25, ""good"": 0.75}"\n'
    """
    name = next((name for name in ("label", MIXED) if name in table.column_names), None)
    if name is None or len({*classes}) < max(len(classes), 1):
        return table
    column = table.column(name).combine_chunks()
    if not (pa.types.is_list(column.type) and pa.types.is_floating(column.type.value_type)):
        return table
    lengths = pc.list_value_length(column.drop_null())
    if not pc.all(pc.equal(lengths, len(classes)), min_count=0).as_py():
        return table
    there = np.asarray(column.is_valid())
    known = column.drop_null().flatten().to_numpy().reshape(-1, len(classes))
    shares = np.zeros((len(column), len(classes)), known.dtype)
    shares[there] = known
    named = pa.StructArray.from_arrays(
        [pa.array(share) for share in shares.T], list(classes), mask=pa.array(~there)
    )
    return table.set_column(table.column_names.index(name), name, named)


def copied(table: pa.Table) -> pa.Table:
    """Return the same rows in memory of their own.

    Arrow writes some bytes around a slice, too, so they would show where it was cut.
    """
    return table.combine_chunks().take(pa.array(np.arange(table.num_rows)))


def lines_writer(header: Callable[[Sequence[str]], bytes] | None = None) -> Writer:
    """Return what writes lines that are made already, behind a header of the columns' names."""

    @contextmanager
    def writer(path: Path, schema: pa.Schema) -> Iterator[Write]:
        with open(path, "wb") as out:
            if header is not None:
                out.write(header(schema.names))
            yield out.write

    return writer


def json_lines(table: pa.Table) -> bytes:
    r"""Return rows as lines of JSON.

    >>> json_lines(pa.table({"text": ["a", None], "label": [1, 2]}))
    b'{"text": "a", "label": 1}\n{"text": null, "label": 2}\n'
    """
    return _lines(json_texts(batch.to_struct_array()) for batch in _batches(table))


def csv_header(names: Sequence[str]) -> bytes:
    """Return the first line of a CSV file."""
    return _lines([_comma_separated([pa.array([name], TEXT) for name in names])])


def csv_lines(table: pa.Table) -> bytes:
    r"""Return rows as lines of CSV; nested values become JSON.

    >>> csv_lines(pa.table({"text": ["a, b", None], "heads": [[1, 0], [0]]}))
    b'"a, b","[1, 0]"\n,[0]\n'
    """
    return _lines(_comma_separated(_cells(batch)) for batch in _batches(table))


def tsv_header(names: Sequence[str]) -> bytes:
    """Return the first line of a TSV file (raises as :func:`tsv_lines`)."""
    return _lines([_tab_separated([pa.array([name], TEXT) for name in names])])


def tsv_lines(table: pa.Table) -> bytes:
    """Return rows as lines of TSV; nested values become JSON.

    Raises
    ------
    CorpusError
        If a value holds a tab or a line break.
    """
    return _lines(_tab_separated(_cells(batch)) for batch in _batches(table))


def text_lines(table: pa.Table) -> bytes:
    """Return the column ``text``, one a line.

    Raises
    ------
    CorpusError
        If a text is absent or holds a line break.
    """
    return _lines(_single_lines(batch.column("text")) for batch in _batches(table))


def _batches(table: pa.Table) -> list[pa.RecordBatch]:
    # of small ones the memory is used again; large ones are mapped again each time, in one thread
    found: list[pa.RecordBatch] = table.to_batches(max_chunksize=_ROWS_AT_ONCE)
    return found


def _lines(parts: Any) -> bytes:
    """Return the bytes of all texts, each with a line feed behind it."""
    return b"".join(map(_with_ends, parts))


def _with_ends(texts: pa.Array) -> bytes:
    if not len(texts):
        return b""
    lines = joined(texts, "\n")
    _, bounds, data = lines.buffers()
    starts = np.frombuffer(bounds, np.int64)[lines.offset : lines.offset + len(lines) + 1]
    return bytes(memoryview(data)[int(starts[0]) : int(starts[-1])])


def _comma_separated(cells: list[pa.Array]) -> pa.Array:
    quoted = []
    for texts in cells:
        # the standard library's writer leaves a carriage return without quotes
        special = pc.match_substring_regex(texts, _NEEDS_QUOTES)
        if pc.any(special).as_py():
            doubled = pc.replace_substring(texts, '"', '""')
            texts = pc.if_else(special, joined('"', doubled, '"'), texts)
        quoted.append(texts)
    return joined(*quoted, between=",")


def _tab_separated(cells: list[pa.Array]) -> pa.Array:
    faults = [_first(pc.match_substring_regex(texts, _NOT_IN_TSV)) for texts in cells]
    faulty = [row for row in faults if row is not None]
    if faulty:
        raise CorpusError(
            "a value holds a tab or a line break, which TSV cannot express",
            where=f"id {cells[0][min(faulty)]}",
            hint=_OTHERWISE,
        )
    return joined(*cells, between="\t")


def _single_lines(texts: pa.Array) -> pa.Array:
    faults = pc.fill_null(pc.match_substring_regex(texts, _NOT_IN_A_LINE), True)
    row = _first(faults)
    if row is not None:
        raise CorpusError(
            "a text is absent or holds a line break, so it is not one line",
            where=repr(texts[row].as_py()),
            hint=_OTHERWISE,
        )
    return texts.cast(TEXT)


def _first(true: pa.Array) -> int | None:
    row = pc.index(true, True).as_py()
    return row if row >= 0 else None


def _cells(batch: pa.RecordBatch) -> list[pa.Array]:
    return [_cell_texts(column) for column in batch.columns]


def _cell_texts(values: pa.Array) -> pa.Array:
    """Return what a cell holds of each value: nothing of a null."""
    kind = values.type
    if is_text(kind) or pa.types.is_integer(kind):
        texts = values.cast(TEXT)
    elif pa.types.is_floating(kind):
        texts = number_texts(values)
    elif is_nested(kind):
        texts = pc.if_else(values.is_valid(), json_texts(values), pa.scalar(None, TEXT))
    elif not has_text(kind):
        raise TypeError(f"there is no text of {kind}")
    else:
        texts = pa.array([None if v is None else str(v) for v in values.to_pylist()], TEXT)
    return pc.fill_null(texts, "")
