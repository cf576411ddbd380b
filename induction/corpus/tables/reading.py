"""Tables are read: JSON lines, CSV, TSV, Parquet, Arrow and plain text."""

from __future__ import annotations

import codecs
import csv
import functools
import io
import itertools
import json
import re
from array import array
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv
import pyarrow.json
import pyarrow.parquet

from grammar.errors import CorpusError
from grammar.messages import tell
from grammar.saving.arrow_sizes import refuse_expanding_arrow
from induction.corpus.annotated.tokens import names_of_tags, with_named_tags
from induction.corpus.entities.conll import is_conll, read_conll
from induction.corpus.rows import Asked, Rows, Skipped, numbered_rows
from induction.corpus.tables.class_names import names_of_classes, with_class_names
from induction.corpus.tables.headless import LOOKED_AT, is_row, names_of_rows
from induction.corpus.tables.json_arrays import lines_of_json
from induction.corpus.tables.kinds import DEEPEST, check_names, leaves
from induction.corpus.tables.layout import (
    bars_for_tabs,
    refuse_aligned,
    rows_of_markdown,
    with_column_names,
    without_comments,
    without_headers,
    without_spaces_around,
    without_spaces_before,
    without_title,
)
from induction.corpus.tables.lines import (
    classes_before,
    labelled_lines,
    refuse_namespaces,
    sign_of_table,
)
from induction.corpus.tables.parquet_footer import chunks_of
from induction.corpus.tables.parquet_sizes import expanded_rows
from induction.corpus.tables.separators import (
    SIGNS,
    beginning,
    declared_separator,
    escapes_quotes,
    quotes_cells,
    records_of,
    separator_of,
)
from induction.corpus.tables.undecodable_objects import (
    MOST_WHOLE,
    is_long,
    is_too_deep,
    sound_lines,
)

__all__ = [
    "read_arrow",
    "read_csv",
    "read_jsonl",
    "read_parquet",
    "read_text",
    "read_tsv",
]

_LONG_NUMBER = re.compile(rb"\d{19}")
_ARROW_STREAM = b"\xff\xff\xff\xff"
_NEEDS_QUOTES = re.compile(r'[,"\r\n]')
_OPEN = re.compile(r'Expected \d+ columns, got \d+: (?:[^"]*,)?"[^"]*$')
_CELLS = re.compile(r"Expected (\d+) columns, got (\d+)")
_WITHIN_A_CELL = {
    ".csv": 'put a text that holds a comma in double quotes ("so, it is"); or ',
    ".tsv": "a tab parts two columns, so write a space for a tab within a text; or ",
}
_STRING = re.compile(rb'"(?:[^"\\\\]|\\\\.)*"')
_NO_NUMBER = re.compile(rb"[:,\[]\s*(-?(?:NaN|Infinity))\b")
_OF_TWO_KINDS = re.compile(r"Column\(/([^/)]+)[^)]*\) changed from (\w+) to (\w+)")
_ROW_OF_ERROR = re.compile(r"in row (\d+)|Row #(\d+)")


def read_parquet(source: pa.NativeFile, asked: Asked) -> Rows:
    """Read Parquet, one group of rows after the other; none expands to more than it may."""
    file = pa.parquet.ParquetFile(source)
    check_names(file.schema_arrow.names, asked.path)
    groups, size = [], 0
    for number, chunks in enumerate(chunks_of(source) if file.num_row_groups else []):
        size += expanded_rows(file, source, chunks, number, asked.path, size)
        groups.append(file.read_row_group(number))
    table = pa.concat_tables(groups) if groups else file.schema_arrow.empty_table()
    return Rows(_with_names(table, file.schema_arrow.metadata), numbered_rows(asked.path))


def _with_names(table: pa.Table, metadata: Any) -> pa.Table:
    """Return a table with the names that a file notes of tags and classes."""
    table = with_named_tags(table.replace_schema_metadata(None), names_of_tags(metadata))
    return with_class_names(table, names_of_classes(metadata))


def read_arrow(source: pa.NativeFile, asked: Asked) -> Rows:
    """Read an Arrow file, or a stream, which is what Hugging Face's shards and caches hold."""
    is_stream = source.read(len(_ARROW_STREAM)) == _ARROW_STREAM
    source.seek(0)
    whole = source.read_buffer()
    refuse_expanding_arrow(whole, asked.path)
    opened = pa.ipc.open_stream if is_stream else pa.ipc.open_file
    table = opened(whole).read_all()
    return Rows(_with_names(table, table.schema.metadata), numbered_rows(asked.path))


def read_text(data: bytes, asked: Asked) -> Rows:
    """Read plain text, one sentence a line; lines of another format are read as that.

    Raises
    ------
    CorpusError
        If the lines are the rows of a table without names of columns.
    """
    # not splitlines: it would break lines at characters such as U+2028 too
    lines = data.decode("utf-8-sig").split("\n")
    lines = lines[:-1] if lines[-1] == "" else lines
    if not asked.named:
        if is_conll(data):
            return _as_conll(data, asked)
        if (table := rows_of_markdown(data, asked.path)) is not None:
            return _read_separated(table, asked, ",")
        lines = _without_tab_before(lines)
        refuse_namespaces(lines, asked.path)
        bars = bars_for_tabs(lines)
        sign = sign_of_table(bars or lines, asked.path, "'|||'" if bars else None)
        if sign is not None:
            part = "'|||'" if bars else SIGNS.get(sign, "commas")
            tell(f"{asked.path} is read as a table, whose columns {part} part")
            data = "\n".join(bars).encode() if bars else data
            quoted = sign != "\t" or (not bars and quotes_cells(data, asked.path))
            return _read_separated(data, asked, sign, quoted=quoted)
        found = labelled_lines(lines, asked.path)
        found = classes_before(lines, asked.path) if found is None else found
        if found is not None:
            return Rows(found, lambda row: f"{asked.path}:{row + 1}", untyped=True)
    texts = pa.array([line.removesuffix("\r") for line in lines], pa.string())
    return Rows(pa.table({"text": texts}), lambda row: f"{asked.path}:{row + 1}")


def _without_tab_before(lines: list[str]) -> list[str]:
    r"""Return lines without the tab that all of them begin with, as those of the Brown corpus do.

    >>> _without_tab_before(["\tThe/at jury/nn", "", "\tSo/rb"])
    ['The/at jury/nn', '', 'So/rb']
    """
    if all(line.startswith("\t") or not line.strip() for line in lines):
        return [line.removeprefix("\t") for line in lines]
    return lines


def read_jsonl(data: bytes, asked: Asked) -> Rows:
    """Read JSON lines, an array of objects, and what annotation tools export."""
    by_line = True
    skipped: tuple[Skipped, ...] = ()
    if data.strip():
        data, by_line, skipped = lines_of_json(data, asked.path, skips=asked.skips)
    # a line is a row of an array, and not one of the file
    before = f"{asked.path}:" if by_line else f"{asked.path}, row "
    if asked.skips:
        data, others = sound_lines(data, before)
        skipped = (*skipped, *others)
    if not data.strip():
        table = pa.table({"text": pa.array([], pa.string())})
        return Rows(table, numbered_rows(asked.path), skipped=skipped)
    where = _places(before, lambda: _lines_of_objects(data))
    _refuse_null(data, where)
    _refuse_deep(data, asked.path)
    table = _parse_json(data, {}, where)
    # the parser takes strings that look like dates for dates
    dated = {f.name: _undated(f.type) for f in table.schema if "timestamp" in str(f.type)}
    if dated:
        table = _parse_json(data, dated, where).select(table.column_names)
    if any(_is_rounded(column) for column in table.columns):
        _refuse_long_numbers(data, asked.path)
    return Rows(table, where, skipped=skipped)


def _is_rounded(column: Any) -> bool:
    """Say whether numbers of a column may be whole ones that the parser took for others.

    >>> _is_rounded(pa.array([[1e30]])), _is_rounded(pa.array([1e3]))
    (True, False)
    """
    floats = (leaf for leaf in leaves(column) if pa.types.is_floating(leaf.type))
    bounds = (bound for leaf in floats for bound in pc.min_max(leaf).as_py().values())
    return any(bound is not None and abs(bound) >= MOST_WHOLE for bound in bounds)


def _refuse_long_numbers(data: bytes, path: str) -> None:
    """Refuse whole numbers that 64 bits do not hold: others would be read in their place."""
    for number, line in enumerate(data.split(b"\n"), start=1):
        if _LONG_NUMBER.search(line) and (fault := long_number(line)):
            raise CorpusError(fault, where=f"{path}:{number}", hint="write it as text, in quotes")


def long_number(line: bytes) -> str | None:
    """Return what is wrong with a whole number in a line of JSON, if 64 bits do not hold it.

    >>> long_number(b'{"a": "123456789012345678901", "b": 123456789012345678901}')
    'the whole number 123456789012345678901 has more than 64 bits'
    """
    found: list[str] = []

    def look(digits: str) -> int:
        if is_long(digits):
            found.append(digits)
        return 0

    json.loads(line, parse_int=look)
    return f"the whole number {found[0]:.40} has more than 64 bits" if found else None


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
        if is_too_deep(line):
            raise CorpusError(
                f"an object is nested more than {DEEPEST} deep",
                where=f"{path}:{number}",
                hint="leave the column out, or write it as text",
            )


def _parse_json(
    data: bytes, types: Mapping[str, pa.DataType], where: Callable[[int], str]
) -> pa.Table:
    try:
        table = _read_json(data, pa.schema(types) if types else None)
        if not _is_sound(table):
            # where the first values of a list are null, the type of the others is found too late
            # (Arrow 26); now it is known
            table = _read_json(data, table.schema)
            table.validate(full=True)
    except pa.ArrowException as error:
        _refuse_no_numbers(data, where)
        raise _malformed(error, ".jsonl", where) from None
    return table


def _refuse_no_numbers(data: bytes, where: Callable[[int], str]) -> None:
    """Say of what Python writes for a number that is none that it is no JSON."""
    for row, line in enumerate(filter(bytes.strip, data.split(b"\n"))):
        if (match := _NO_NUMBER.search(_STRING.sub(b'""', line))) is not None:
            raise CorpusError(
                f"{match[1].decode()} is no JSON",
                where=where(row),
                hint="write null where there is no value; pandas does so with "
                "frame.to_json(path, orient='records', lines=True)",
            )


def _read_json(data: bytes, schema: pa.Schema | None) -> pa.Table:
    return pa.json.read_json(
        io.BytesIO(data),
        read_options=pa.json.ReadOptions(block_size=_one_block(data)),
        parse_options=pa.json.ParseOptions(explicit_schema=schema),
    )


def _is_sound(table: pa.Table) -> bool:
    """Say whether lists and objects hold as many values as they say."""
    try:
        for field in table.schema:
            if pa.types.is_nested(field.type):
                table.column(field.name).validate(full=True)
    except pa.ArrowInvalid:
        return False
    return True


def _places(before: str, lines: Callable[[], Iterable[int]]) -> Callable[[int], str]:
    """Return what says where a row begins; the lines are counted once, and only if it is asked.

    Its number stands behind the name of the file and, of an array, *row*.
    """

    @functools.cache
    def counted() -> array[int]:
        return array("q", lines())

    def where(row: int) -> str:
        if row < len(counted()):
            return f"{before}{counted()[row]}"
        return f"{before.rstrip(':')}, row {row + 1}"

    return where


def _lines_of_objects(data: bytes) -> Iterator[int]:
    return (n for n, line in enumerate(data.split(b"\n"), start=1) if line.strip())


def _malformed(
    error: pa.ArrowException, suffix: str, where: Callable[[int], str], header: int = 0
) -> Exception:
    """Say in which line the fault is, if the parser says in which row."""
    reason = str(error).splitlines()[0]
    found = _ROW_OF_ERROR.search(reason)
    if found is None:
        return error
    row = int(found[1]) if found[1] else int(found[2]) - 1 - header
    if _OPEN.search(reason):
        return CorpusError(
            "a quote opens a cell, and is not closed",
            where=where(row),
            hint='close it; or double it ("") where it is part of a text',
        )
    if (changed := _OF_TWO_KINDS.search(reason)) is not None:
        return CorpusError(
            f"the column {changed[1]!r} holds {changed[2]}s and {changed[3]}s in one place",
            where=where(row),
            hint="write all of them as texts, or as numbers; or leave the column out",
        )
    hint = "correct the file, or name it after the format it has"
    if (cells := _CELLS.search(reason)) is not None and int(cells[2]) > int(cells[1]):
        hint = f"{_WITHIN_A_CELL.get(suffix, '')}{hint}"
    return CorpusError(
        f"the file does not follow the format of {suffix}: {reason}", where=where(row), hint=hint
    )


def read_csv(data: bytes, asked: Asked) -> Rows:
    """Read CSV, quoted as Python's ``csv`` does.

    Where a comma is the decimal sign, spreadsheets put semicolons between columns; others put
    tabs or ``|``. A first line without a comma tells it, if all rows have as many.
    """
    if not asked.named and is_conll(data):
        return _as_conll(data, asked)
    if (table := rows_of_markdown(data, asked.path)) is not None:
        return _read_separated(table, asked, ",")
    data = without_comments(data, asked.path)
    data, declared = declared_separator(data if asked.named else without_title(data, asked.path))
    separator = declared or separator_of(data, ",", asked.path, asked.names)
    return _read_separated(data, asked, separator)


def read_tsv(data: bytes, asked: Asked) -> Rows:
    """Read TSV, where a quote is a character like others.

    A first line without a tab, but with commas or semicolons, is of another format, or no line of
    names.
    """
    if not asked.named and is_conll(data):
        return _as_conll(data, asked)
    data = without_comments(data, asked.path)
    first = data.lstrip().partition(b"\n")[0]
    sign = next((sign for sign in (b",", b";") if sign in first), b"")
    if sign and b"\t" not in first and not asked.names:
        raise CorpusError(
            f"its first line has no tab between the names of columns, but {sign.decode()!r}",
            where=asked.path,
            hint="read it as CSV (format csv), or put the names of its columns above",
        )
    separator = separator_of(data, "\t", asked.path, asked.names)
    quoted = separator != "\t" or (not asked.named and quotes_cells(data, asked.path))
    return _read_separated(data, asked, separator, quoted=quoted)


def _as_conll(data: bytes, asked: Asked) -> Rows:
    tell(f"{asked.path} holds a token a line: it is read as CoNLL (.conll)")
    return read_conll(data, asked)


def _read_separated(data: bytes, asked: Asked, separator: str, *, quoted: bool = True) -> Rows:
    _refuse_zeros(data, asked.path)
    data = without_spaces_around(data, separator)
    asked = _named_columns(data, asked, separator, quoted=quoted)
    escaped = quoted and escapes_quotes(data, separator, asked.path)
    header = 0 if asked.names else 1
    where = _places(
        f"{asked.path}:",
        lambda: itertools.islice(_lines_of_records(data, separator, quoted=quoted), header, None),
    )
    # cells are what they are written as: "007" is no number, and a day no time of day
    verbatim = asked.names or _header(data, asked.path, separator, quoted=quoted)
    shown = with_column_names(verbatim) if list(verbatim).count("") > 1 else list(verbatim)
    check_names(shown, asked.path)
    if asked.text is None and not asked.names:
        refuse_aligned(shown, asked.path)
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
                escape_char="\\" if escaped else False,
                invalid_row_handler=leave_out,
            ),
            convert_options=pa.csv.ConvertOptions(
                column_types=dict.fromkeys(verbatim, pa.string()), strings_can_be_null=False
            ),
        )
    except pa.ArrowException as error:
        raise _malformed(error, ".csv" if quoted else ".tsv", where, header) from None
    there = [k for k in range(table.num_rows + len(skipped)) if k not in skipped]
    table, kept = without_headers(table.rename_columns(shown), verbatim, asked.path)
    table = without_spaces_before(table, asked.path) if separator != "\t" else table
    if skipped or kept is not None:
        whole = where
        there = there if kept is None else [there[k] for k in kept]
        return Rows(table, lambda row: whole(there[row]), True, tuple(skipped.values()))
    return Rows(table, where, untyped=True)


def _refuse_zeros(data: bytes, path: str) -> None:
    """Refuse a table with bytes that are 0, which no text has."""
    if (at := data.find(b"\0")) >= 0:
        line = data.count(b"\n", 0, at) + 1
        raise CorpusError(
            "a byte is 0 there: the file was copied in part, most likely",
            where=f"{path}:{line}",
            hint="fetch it again; or remove such bytes: tr -d '\\000' < old.csv > new.csv",
        )


def _named_columns(data: bytes, asked: Asked, separator: str, *, quoted: bool) -> Asked:
    """Return how to read a table: with names of its columns, if its first line is a row."""
    if asked.names:
        return asked
    known = {name for name in (*asked.rename, asked.text, asked.label) if name}
    with suppress(csv.Error):
        records = records_of(beginning(data), separator, quoted=quoted)
        first = list(itertools.islice(records, LOOKED_AT))
        if is_row(first, known):
            return replace(asked, names=names_of_rows([*first, *records], asked.path, separator))
    return asked


def _header(data: bytes, path: str, separator: str, *, quoted: bool) -> list[str]:
    try:
        records = records_of(beginning(data), separator, quoted=quoted)
        header = next(records, [])
        with suppress(csv.Error):
            # it is whole where another record follows it: the rest need not be decoded
            if next(records, None) is not None:
                return header
        text = data.decode("utf-8-sig", errors="replace")
        return next(records_of(text, separator, quoted=quoted), [])
    except csv.Error as error:
        raise CorpusError(
            f"the names of the columns cannot be read: {error}",
            where=f"{path}:1",
            hint="is a quote not closed? close it, or double it within quotes",
        ) from None


def _lines_of_records(data: bytes, separator: str, *, quoted: bool) -> Iterator[int]:
    """Yield where rows begin, as far as they can be read; the parser passes over empty lines."""
    text = io.StringIO(data.decode("utf-8", errors="replace"), newline="")
    records = csv.reader(
        text,
        delimiter=separator,
        quoting=csv.QUOTE_MINIMAL if quoted else csv.QUOTE_NONE,
    )
    line = 1
    with suppress(csv.Error):
        for record in records:
            if record:
                yield line
            line = records.line_num + 1


def _one_block(data: bytes) -> int:
    # blocks of 1 MiB, the default, refuse longer lines and guess types from the first block
    return min(len(data) + 1, 2**31 - 1)
