"""Tables are read: JSON lines, CSV, TSV, Parquet, Arrow and plain text."""

from __future__ import annotations

import codecs
import csv
import functools
import io
import json
import re
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.json
import pyarrow.parquet

from grammar.errors import CorpusError
from grammar.messages import tell
from induction.corpus.rows import Asked, Rows, Skipped, numbered_rows

__all__ = [
    "read_arrow",
    "read_csv",
    "read_jsonl",
    "read_parquet",
    "read_text",
    "read_tsv",
]

DEEPEST = 200
"""How deep the values of JSON lines may be nested."""
_JSON_STRING = re.compile(rb'"(?:[^"\\]|\\.)*"')
_ARROW_STREAM = b"\xff\xff\xff\xff"
_NEEDS_QUOTES = re.compile(r'[,"\r\n]')
_ROW_OF_ERROR = re.compile(r"in row (\d+)|Row #(\d+)")


def read_parquet(source: pa.NativeFile, asked: Asked) -> Rows:
    """Read Parquet, one group of rows after the other."""
    file = pa.parquet.ParquetFile(source)
    groups = [file.read_row_group(number) for number in range(file.num_row_groups)]
    table = pa.concat_tables(groups) if groups else file.schema_arrow.empty_table()
    return Rows(table, numbered_rows(asked.path))


def read_arrow(source: pa.NativeFile, asked: Asked) -> Rows:
    """Read an Arrow file, or a stream, which is what Hugging Face's shards and caches hold."""
    is_stream = source.read(len(_ARROW_STREAM)) == _ARROW_STREAM
    source.seek(0)
    opened = pa.ipc.open_stream if is_stream else pa.ipc.open_file
    table = opened(source).read_all().replace_schema_metadata(None)
    return Rows(table, numbered_rows(asked.path))


def read_text(data: bytes, asked: Asked) -> Rows:
    """Read plain text, one sentence a line."""
    # not splitlines: it would break lines at characters such as U+2028 too
    lines = data.decode("utf-8-sig").split("\n")
    lines = lines[:-1] if lines[-1] == "" else lines
    texts = pa.array([line.removesuffix("\r") for line in lines], pa.string())
    return Rows(pa.table({"text": texts}), lambda row: f"{asked.path}:{row + 1}")


def read_jsonl(data: bytes, asked: Asked) -> Rows:
    """Read JSON lines."""
    if not data.strip():
        return Rows(pa.table({"text": pa.array([], pa.string())}), numbered_rows(asked.path))
    skipped: tuple[Skipped, ...] = ()
    if asked.skips:
        data, skipped = _sound_lines(data, asked.path)
    where = functools.partial(_line_of_object, data, asked.path)
    _refuse_null(data, where)
    _refuse_deep(data, asked.path)
    table = _parse_json(data, {}, where)
    # the parser takes strings that look like dates for dates
    dated = {f.name: _undated(f.type) for f in table.schema if "timestamp" in str(f.type)}
    if dated:
        table = _parse_json(data, dated, where).select(table.column_names)
    return Rows(table, where, skipped=skipped)


def _sound_lines(data: bytes, path: str) -> tuple[bytes, tuple[Skipped, ...]]:
    """Return the lines that hold an object each; others become empty, so that numbers stay."""
    lines = data.removeprefix(codecs.BOM_UTF8).split(b"\n")
    skipped = []
    for number, line in enumerate(lines):
        if not line.strip():
            continue
        try:
            why = "" if isinstance(json.loads(line), dict) else "this is not an object"
        except ValueError as error:
            why = f"this is not JSON: {error}"
        if why:
            skipped.append(Skipped(f"{path}:{number + 1}", why, line.decode(errors="replace")))
            lines[number] = b""
    return b"\n".join(lines), tuple(skipped)


def _undated(kind: pa.DataType) -> pa.DataType:
    """Return a type with strings in the place of dates.

    >>> _undated(pa.list_(pa.struct([("on", pa.timestamp("s"))])))
    ListType(list<item: struct<on: string>>)
    """
    if pa.types.is_timestamp(kind):
        return pa.string()
    if pa.types.is_list(kind):
        return pa.list_(_undated(kind.value_type))
    if pa.types.is_struct(kind):
        fields = [kind.field(k) for k in range(kind.num_fields)]
        return pa.struct([(field.name, _undated(field.type)) for field in fields])
    return kind


def _refuse_null(data: bytes, where: Callable[[int], str]) -> None:
    """Refuse a first row that is null: the parser, which takes its columns from it, would die."""
    if data.removeprefix(codecs.BOM_UTF8).lstrip().startswith(b"null"):
        raise CorpusError(
            "this is null, not an object", where=where(0), hint="write an object on every line"
        )


def _refuse_deep(data: bytes, path: str) -> None:
    """Refuse objects that the parser, which calls itself, could not come back from."""
    for number, line in enumerate(data.split(b"\n"), start=1):
        if line.count(b"[") + line.count(b"{") <= DEEPEST:
            continue
        signs = np.frombuffer(_JSON_STRING.sub(b"", line), np.uint8)
        steps = np.isin(signs, (91, 123)).astype(np.int64) - np.isin(signs, (93, 125))
        if int(np.cumsum(steps).max(initial=0)) > DEEPEST:
            raise CorpusError(
                f"an object is nested more than {DEEPEST} deep",
                where=f"{path}:{number}",
                hint="leave the column out, or write it as text",
            )


def _parse_json(
    data: bytes, types: Mapping[str, pa.DataType], where: Callable[[int], str]
) -> pa.Table:
    try:
        return pa.json.read_json(
            io.BytesIO(data),
            read_options=pa.json.ReadOptions(block_size=_one_block(data)),
            parse_options=pa.json.ParseOptions(explicit_schema=pa.schema(types) if types else None),
        )
    except pa.ArrowException as error:
        raise _malformed(error, ".jsonl", where) from None


def _line_of_object(data: bytes, path: str, row: int) -> str:
    lines = (n for n, line in enumerate(data.split(b"\n"), start=1) if line.strip())
    return f"{path}:{next((n for r, n in enumerate(lines) if r == row), 0)}"


def _malformed(
    error: pa.ArrowException, suffix: str, where: Callable[[int], str], header: int = 0
) -> Exception:
    """Say in which line the fault is, if the parser says in which row."""
    reason = str(error).splitlines()[0]
    found = _ROW_OF_ERROR.search(reason)
    if found is None:
        return error
    row = int(found[1]) if found[1] else int(found[2]) - 1 - header
    return CorpusError(
        f"the file does not follow the format of {suffix}: {reason}",
        where=where(row),
        hint="mend the file, or name it after the format it has",
    )


def read_csv(data: bytes, asked: Asked) -> Rows:
    """Read CSV, quoted as Python's ``csv`` does.

    Where a comma is the decimal sign, spreadsheets put semicolons between columns. A first line
    with semicolons and no comma tells it.
    """
    first = data.lstrip().partition(b"\n")[0]
    if asked.names or b"," in first or b";" not in first:
        return _read_separated(data, asked, ",")
    tell(f"columns of {asked.path} are separated by semicolons")
    return _read_separated(data, asked, ";")


def read_tsv(data: bytes, asked: Asked) -> Rows:
    """Read TSV, where a quote is a character like others.

    A first line without a tab, but with commas or semicolons, is of another format, or no line of
    names.
    """
    first = data.lstrip().partition(b"\n")[0]
    sign = next((sign for sign in (b",", b";") if sign in first), b"")
    if sign and b"\t" not in first and not asked.names:
        raise CorpusError(
            f"its first line has no tab between the names of columns, but {sign.decode()!r}",
            where=asked.path,
            hint="read it as CSV (format csv), or put the names of its columns above",
        )
    return _read_separated(data, asked, "\t")


def _read_separated(data: bytes, asked: Asked, separator: str) -> Rows:
    quoted = separator != "\t"
    header = 0 if asked.names else 1
    where = functools.partial(_line_of_record, data, asked.path, separator, header)
    # cells are what they are written as: "007" is no number, and a day no time of day
    verbatim = asked.names or _header(data, asked.path, separator, quoted=quoted)
    skipped: dict[int, Skipped] = {}

    def leave_out(row: Any) -> str:
        if not asked.skips:
            return "error"
        number = row.number - 1 - header
        why = f"there are {row.actual_columns} columns, not {row.expected_columns}"
        skipped[number] = Skipped(where(number), why, row.text)
        return "skip"

    try:
        table = pa.csv.read_csv(
            io.BytesIO(data),
            read_options=pa.csv.ReadOptions(
                column_names=asked.names,
                block_size=_one_block(data),
                use_threads=False,  # a single thread names the row of a fault
            ),
            parse_options=pa.csv.ParseOptions(
                delimiter=separator,
                quote_char='"' if quoted else False,
                newlines_in_values=quoted,
                invalid_row_handler=leave_out,
            ),
            convert_options=pa.csv.ConvertOptions(
                column_types=dict.fromkeys(verbatim, pa.string()), strings_can_be_null=False
            ),
        )
    except pa.ArrowException as error:
        raise _malformed(error, ".csv" if quoted else ".tsv", where, header) from None
    if skipped:
        whole, kept = where, [k for k in range(table.num_rows + len(skipped)) if k not in skipped]
        return Rows(table, lambda row: whole(kept[row]), True, tuple(skipped.values()))
    return Rows(table, where, untyped=True)


def _header(data: bytes, path: str, separator: str, *, quoted: bool) -> list[str]:
    text = io.StringIO(data.decode("utf-8-sig", errors="replace"), newline="")
    records = csv.reader(
        text, delimiter=separator, quoting=csv.QUOTE_MINIMAL if quoted else csv.QUOTE_NONE
    )
    try:
        return next(filter(None, records), [])
    except csv.Error as error:
        raise CorpusError(
            f"the names of the columns cannot be read: {error}",
            where=f"{path}:1",
            hint="is a quote not closed? close it, or double it within quotes",
        ) from None


def _line_of_record(data: bytes, path: str, separator: str, header: int, row: int) -> str:
    """Return where a row begins; the parser passes over empty lines."""
    text = io.StringIO(data.decode("utf-8", errors="replace"), newline="")
    records = csv.reader(
        text,
        delimiter=separator,
        quoting=csv.QUOTE_NONE if separator == "\t" else csv.QUOTE_MINIMAL,
    )
    found = -header
    while True:
        line = records.line_num + 1
        try:
            record = next(records)
        except (StopIteration, csv.Error):
            return f"{path}, row {row + 1}"
        if record and found == row:
            return f"{path}:{line}"
        found += bool(record)


def _one_block(data: bytes) -> int:
    # blocks of 1 MiB, the default, refuse longer lines and guess types from the first block
    return min(len(data) + 1, 2**31 - 1)
