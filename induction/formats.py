"""Corpora on disk: JSON lines, CSV, TSV, Parquet, Arrow, plain text and SST trees, by file name.

Writing is streamed and atomic: batches go to a temporary file that takes its name only when the
last one is there, and the bytes do not depend on how the rows were cut into batches.
"""

from __future__ import annotations

import functools
import io
import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.csv
import pyarrow.json
import pyarrow.parquet

from grammar.errors import CorpusError, OptionError
from grammar.files import PathLike, atomic_output, decode, read_bytes
from grammar.treebank import Treebank
from induction.corpus import COLUMNS, Corpus

__all__ = ["read_corpus", "read_sst", "write_batches", "write_corpus"]

_ROWS_A_GROUP = 65_536
_NEEDS_QUOTES = re.compile(r'[,"\r\n]')


def read_corpus(
    path: PathLike,
    *,
    rename: Mapping[str, str] | None = None,
    names: Sequence[str] | None = None,
) -> Corpus:
    """Read a corpus; the format is told by the file name (``.gz`` may follow it).

    ``.jsonl``, ``.csv`` (quoted), ``.tsv`` (never quoted), ``.parquet``, ``.arrow``, or ``.txt``
    (one sentence a line); ``-`` is JSON lines from standard input.

    Parameters
    ----------
    path : path
        The file.
    rename : mapping, optional
        Column names of the file to names of the corpus, as in ``{"sentence": "text"}``.
    names : sequence of str, optional
        Column names of a CSV or TSV file that has no header line.

    Raises
    ------
    UnreadableInputError
        If it cannot be read or is not UTF-8.
    CorpusError
        If it does not follow its format, or has no column ``text`` after renaming.
    OptionError
        If the file name tells no format, or ``rename`` names no column.
    """
    suffix = ".jsonl" if str(path) == "-" else _suffix(path)
    reader = _READERS.get(suffix)
    if reader is None:
        raise _unknown_format(path, _READERS)
    data = read_bytes(path)
    if suffix not in _BINARY:
        decode(data, str(path))
    try:
        table = reader(data, names, rename or {})
    except (pa.ArrowException, OSError) as error:
        reason = str(error).splitlines()[0]
        raise CorpusError(
            f"the file does not follow the format of {suffix}: {reason}",
            where=str(path),
            hint="mend the file, or name it after the format it has",
        ) from None
    return _as_corpus(table, rename or {}, str(path))


def read_sst(path: PathLike) -> Corpus:
    """Read Stanford Sentiment trees: text, tree, and the root's label (0 to 4) as ``label``.

    Raises
    ------
    CorpusError
        If a root label is not a whole number.
    """
    treebank = Treebank.read(path)
    roots = [treebank.symbols[i] for i in treebank.label[treebank.offsets[:-1]].tolist()]
    for number, root in enumerate(roots):
        if not root.isdecimal():
            raise CorpusError(
                f"the root label {root!r} of tree {number + 1} is not a class",
                where=str(path),
                hint="sentiment trees look like (3 (2 A) (4 gem))",
            )
    return Corpus.from_columns(
        text=treebank.texts().cast(pa.string()),
        label=pa.array([int(root) for root in roots], pa.int64()),
        tree=treebank.brackets().cast(pa.string()),
    )


def write_corpus(corpus: Corpus, path: PathLike) -> None:
    """Write a corpus in the format that the file name tells (see :func:`write_batches`)."""
    write_batches([corpus.table], path)


def write_batches(tables: Iterable[pa.Table], path: PathLike) -> int:
    """Write tables of one schema one after the other; return the number of rows.

    ``.parquet``, ``.arrow``, ``.jsonl``, ``.csv``, ``.tsv`` or ``.txt`` (only the column text).
    Nested columns become JSON in CSV and TSV.

    Raises
    ------
    OptionError
        If the file name tells no format.
    OutputError
        If the path cannot be written.
    """
    suffix = Path(path).suffix
    if suffix not in _WRITERS:
        raise _unknown_format(path, _WRITERS)
    rows = 0
    groups = iter(_regrouped(tables))
    first = next(groups)
    with atomic_output(path) as temporary, _WRITERS[suffix](temporary, first.schema) as write:
        write(first)
        rows += first.num_rows
        for group in groups:
            write(group)
            rows += group.num_rows
    return rows


def check_output(path: PathLike) -> None:
    """Raise :class:`~grammar.errors.OptionError` if the file name tells no output format."""
    if Path(path).suffix not in _WRITERS:
        raise _unknown_format(path, _WRITERS)


def _regrouped(tables: Iterable[pa.Table]) -> Iterator[pa.Table]:
    """Cut the rows anew into groups of one size, so that files do not show the batches."""
    waiting: list[pa.Table] = []
    rows = made = 0
    for table in tables:
        waiting.append(table)
        rows += table.num_rows
        while rows > _ROWS_A_GROUP:
            together = pa.concat_tables(waiting)
            yield _copied(together.slice(0, _ROWS_A_GROUP))
            waiting = [together.slice(_ROWS_A_GROUP)]
            rows -= _ROWS_A_GROUP
            made += 1
    if rows or not made:
        if not waiting:
            raise CorpusError("there are no batches to write", hint="write at least an empty one")
        yield _copied(pa.concat_tables(waiting))


def _copied(table: pa.Table) -> pa.Table:
    # Arrow writes some bytes around a slice too, so they would show where it was cut
    return table.combine_chunks().take(pa.array(range(table.num_rows), pa.int64()))


Write = Callable[[pa.Table], None]


@contextmanager
def _parquet_writer(path: Path, schema: pa.Schema) -> Iterator[Write]:
    with pa.parquet.ParquetWriter(path, schema) as writer:
        yield lambda table: writer.write_table(table, row_group_size=_ROWS_A_GROUP)


@contextmanager
def _arrow_writer(path: Path, schema: pa.Schema) -> Iterator[Write]:
    with pa.OSFile(str(path), "wb") as sink, pa.ipc.new_file(sink, schema) as writer:
        yield writer.write_table


@contextmanager
def _jsonl_writer(path: Path, schema: pa.Schema) -> Iterator[Write]:
    with open(path, "w", encoding="utf-8") as out:
        yield lambda table: out.writelines(
            json.dumps(row, ensure_ascii=False) + "\n" for row in table.to_pylist()
        )


@contextmanager
def _text_writer(path: Path, schema: pa.Schema) -> Iterator[Write]:
    with open(path, "w", encoding="utf-8", newline="") as out:
        yield lambda table: out.writelines(map(_text_line, table["text"].to_pylist()))


@contextmanager
def _csv_writer(path: Path, schema: pa.Schema) -> Iterator[Write]:
    with open(path, "w", encoding="utf-8", newline="") as out:
        out.write(_csv_line(schema.names))
        yield lambda table: out.writelines(map(_csv_line, _rows(table)))


@contextmanager
def _tsv_writer(path: Path, schema: pa.Schema) -> Iterator[Write]:
    with open(path, "w", encoding="utf-8", newline="") as out:
        out.write(_tsv_line(schema.names))
        yield lambda table: out.writelines(map(_tsv_line, _rows(table)))


def _text_line(text: str | None) -> str:
    if text is None or "\n" in text or "\r" in text:
        raise CorpusError(
            "a text is absent or holds a line break, so it is not one line",
            where=repr(text),
            hint="write .jsonl, .csv or .parquet instead",
        )
    return text + "\n"


def _csv_line(row: Sequence[Any]) -> str:
    # the standard library's writer leaves a carriage return without quotes
    return (
        ",".join(
            '"' + cell.replace('"', '""') + '"' if _NEEDS_QUOTES.search(cell) else cell
            for cell in map(_cell, row)
        )
        + "\n"
    )


def _tsv_line(row: Sequence[Any]) -> str:
    cells = [_cell(cell) for cell in row]
    if any(sign in cell for cell in cells for sign in "\t\n\r"):
        raise CorpusError(
            "a value holds a tab or a line break, which TSV cannot express",
            where=f"id {row[0]}",
            hint="write .jsonl, .csv or .parquet instead",
        )
    return "\t".join(cells) + "\n"


def _rows(table: pa.Table) -> Iterator[tuple[Any, ...]]:
    return zip(*(column.to_pylist() for column in table.columns), strict=True)


def _cell(value: Any) -> str:
    if isinstance(value, dict | list):
        return json.dumps(value, ensure_ascii=False)
    return "" if value is None else str(value)


def _read_jsonl(data: bytes, names: Sequence[str] | None, rename: Mapping[str, str]) -> pa.Table:
    if not data.strip():
        return pa.table({"text": pa.array([], pa.string())})
    table = _parse_json(data, {})
    # the parser takes strings that look like dates for dates
    dated = {
        field.name: COLUMNS[rename.get(field.name, field.name)]
        for field in table.schema
        if "timestamp" in str(field.type) and rename.get(field.name, field.name) in COLUMNS
    }
    return _parse_json(data, dated).select(table.column_names) if dated else table


def _parse_json(data: bytes, types: Mapping[str, pa.DataType]) -> pa.Table:
    return pa.json.read_json(
        io.BytesIO(data),
        read_options=pa.json.ReadOptions(block_size=_one_block(data)),
        parse_options=pa.json.ParseOptions(explicit_schema=pa.schema(types) if types else None),
    )


def _read_separated(
    data: bytes, names: Sequence[str] | None, rename: Mapping[str, str], separator: str
) -> pa.Table:
    quoted = separator == ","
    # what a cell means is told by its column: a text "007" is no number
    verbatim = set(COLUMNS) | {old for old, new in rename.items() if new in COLUMNS}
    return pa.csv.read_csv(
        io.BytesIO(data),
        read_options=pa.csv.ReadOptions(column_names=names, block_size=_one_block(data)),
        parse_options=pa.csv.ParseOptions(
            delimiter=separator, quote_char='"' if quoted else False, newlines_in_values=quoted
        ),
        convert_options=pa.csv.ConvertOptions(
            column_types=dict.fromkeys(verbatim, pa.string()), strings_can_be_null=False
        ),
    )


def _one_block(data: bytes) -> int:
    # blocks of 1 MiB, the default, refuse longer lines and guess types from the first block
    return min(len(data) + 1, 2**31 - 1)


def _read_text(data: bytes, names: Sequence[str] | None, rename: Mapping[str, str]) -> pa.Table:
    # not splitlines: it would break lines at characters such as U+2028 too
    lines = data.decode("utf-8-sig").split("\n")
    lines = lines[:-1] if lines[-1] == "" else lines
    return pa.table({"text": pa.array([line.removesuffix("\r") for line in lines], pa.string())})


_Reader = Callable[[bytes, Sequence[str] | None, Mapping[str, str]], pa.Table]
_READERS: Mapping[str, _Reader] = {
    ".jsonl": _read_jsonl,
    ".csv": functools.partial(_read_separated, separator=","),
    ".tsv": functools.partial(_read_separated, separator="\t"),
    ".parquet": lambda data, names, rename: pa.parquet.read_table(io.BytesIO(data)),
    ".arrow": lambda data, names, rename: pa.ipc.open_file(io.BytesIO(data)).read_all(),
    ".txt": _read_text,
}
_BINARY = frozenset({".parquet", ".arrow"})
_WRITERS: Mapping[str, Callable[[Path, pa.Schema], Any]] = {
    ".parquet": _parquet_writer,
    ".arrow": _arrow_writer,
    ".jsonl": _jsonl_writer,
    ".csv": _csv_writer,
    ".tsv": _tsv_writer,
    ".txt": _text_writer,
}


def _suffix(path: PathLike) -> str:
    suffixes = Path(path).suffixes
    if suffixes and suffixes[-1] == ".gz":
        suffixes = suffixes[:-1]
    return suffixes[-1] if suffixes else ""


def _unknown_format(path: PathLike, known: Mapping[str, object]) -> OptionError:
    return OptionError(
        "the file name does not tell a format",
        where=str(path),
        hint=f"end it in {', '.join(known)}",
    )


def _as_corpus(table: pa.Table, rename: Mapping[str, str], source: str) -> Corpus:
    for old in rename:
        if old not in table.column_names:
            raise OptionError(
                f"there is no column {old!r} to rename",
                where=source,
                hint=f"the columns are {', '.join(table.column_names)}",
            )
    table = table.rename_columns([rename.get(name, name) for name in table.column_names])
    twice = [name for name, times in Counter(table.column_names).items() if times > 1]
    if twice:
        raise CorpusError(
            f"two columns have the name {twice[0]!r}",
            where=source,
            hint="rename one of them in the file",
        )
    columns = {name: _decoded(name, table.column(name), source) for name in table.column_names}
    try:
        return Corpus.from_columns(**columns)
    except CorpusError as error:
        where = f"{source}, {error.where}" if error.where else source
        raise CorpusError(error.what, where=where, hint=error.hint) from None


def _decoded(name: str, column: pa.ChunkedArray, source: str) -> Any:
    """Undo the JSON that stands for lists and structs in CSV and TSV."""
    kind = COLUMNS.get(name, pa.null())
    if not pa.types.is_string(column.type) or not (name == "label" or pa.types.is_nested(kind)):
        return column
    cells = column.to_pylist()
    if name == "label":
        if not all(cell is None or cell.startswith("[") for cell in cells) or not any(cells):
            return column
        kind = pa.list_(pa.float32())
    try:
        return pa.array([json.loads(cell) if cell else None for cell in cells], kind)
    except (ValueError, TypeError, pa.ArrowException) as error:
        raise CorpusError(
            f"column {name!r} does not hold {kind} as JSON: {error}",
            where=source,
            hint="rename the column if it means something else",
        ) from None
