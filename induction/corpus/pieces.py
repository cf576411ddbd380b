"""Pieces of a corpus on disk: what workers write, and how it becomes one file.

A format of lines is written by the workers, and its pieces are put one behind the other; of other
formats they write Arrow files, and one process writes the rest. Either way the file is the one that
:func:`induction.corpus.formats.write_batches` writes.
"""

from __future__ import annotations

import os
import shutil
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pyarrow as pa

from grammar.arrays import BoolArray
from grammar.engines.engine import Engine
from grammar.engines.units import Kept, Unit
from grammar.files import PathLike, atomic_output
from grammar.storage.location import is_many
from induction.corpus.formats import FORMATS, NAMING, Format, output_format, write_batches
from induction.corpus.tables.refusals import refusals_told
from induction.corpus.tables.writing import with_named_shares

__all__ = [
    "Piece",
    "chosen",
    "in_pieces",
    "lines_of",
    "mapped",
    "read_piece",
    "write_piece",
    "write_pieces",
]

_LINES = "induction.corpus.pieces:lines_piece"


@dataclass(frozen=True)
class Piece:
    """A file that a worker wrote.

    Attributes
    ----------
    file : Kept
        Its name and digest.
    num_rows : int
        How many rows it has, but for those left out.
    header : int
        How many bytes stand before the first of them, in a format of lines.
    left_out : tuple of int
        Rows of an Arrow file that do not count.
    """

    file: Kept
    num_rows: int
    header: int = 0
    left_out: tuple[int, ...] = ()


def lines_of(path: PathLike) -> str | None:
    """Return the format of an output, if it is one file of lines; else None.

    >>> lines_of("a.jsonl"), lines_of("a.parquet"), lines_of("a-*.jsonl")
    ('jsonl', None, None)
    """
    chosen = output_format(path)
    if chosen is None or chosen.binary or is_many(path):
        return None
    return next(name for name, one in FORMATS.items() if one is chosen)


def write_piece(table: pa.Table, path: PathLike, lines: str | None = None) -> Piece:
    """Write a table as a piece: in a format of lines, or as an Arrow file.

    Raises
    ------
    CorpusError
        If a value cannot be expressed in the format.
    OutputError
        If the path cannot be written.
    """
    format = FORMATS[lines or "arrow"]
    header = 0
    with atomic_output(path, renewed=True) as temporary:
        if lines is not None:
            _write(format, temporary, table.slice(0, 0))
            header = temporary.stat().st_size
        _write(format, temporary, table)
    return Piece(Kept.of(path), table.num_rows, header)


def read_piece(piece: pa.Table | Piece) -> pa.Table:
    """Map a piece that is an Arrow file, and delete its name; a table is returned as it is."""
    table = mapped(piece)
    if isinstance(piece, Piece):
        _delete(piece)
    return table


def mapped(piece: pa.Table | Piece) -> pa.Table:
    """Map a piece that is an Arrow file, having seen that it is unchanged.

    Raises
    ------
    SchemaError, UnreadableInputError
        If it is not as it was written.
    """
    if not isinstance(piece, Piece):
        return piece
    with pa.memory_map(os.fsencode(piece.file.checked())) as source:
        table = pa.ipc.open_file(source).read_all()
    through = np.ones(table.num_rows, np.bool_)
    through[list(piece.left_out)] = False
    return table if through.all() else table.filter(pa.array(through))


def chosen(piece: pa.Table | Piece, rows: BoolArray) -> pa.Table | Piece | None:
    """Return of a table, or of a piece that has all its rows, those that are true.

    None is returned if there are none; a piece is deleted then.

    >>> chosen(pa.table({"a": [1, 2, 3]}), np.array([True, False, True])).to_pydict()
    {'a': [1, 3]}
    """
    if isinstance(piece, Piece):
        if not rows.any():
            _delete(piece)
            return None
        left_out = tuple(np.flatnonzero(~rows).tolist())
        return replace(piece, num_rows=int(rows.sum()), left_out=left_out)
    if not rows.any():
        return None
    return piece if rows.all() else piece.filter(pa.array(rows))


def _delete(piece: Piece) -> None:
    with suppress(OSError):  # where files that are mapped cannot be deleted, the folder is
        os.unlink(piece.file.path)


def write_pieces(pieces: Iterable[Piece], output: PathLike) -> int:
    """Make one file of pieces, which are deleted; return the number of rows.

    Raises
    ------
    OutputError
        If it cannot be written.
    SchemaError, UnreadableInputError
        If a piece is not as it was written.
    """
    if lines_of(output) is None:
        return write_batches(map(read_piece, pieces), output)
    rows = 0
    with atomic_output(output) as temporary, open(temporary, "wb") as out:
        for number, piece in enumerate(pieces):
            path = piece.file.checked()
            with open(path, "rb") as lines:
                lines.seek(piece.header if number else 0)
                shutil.copyfileobj(lines, out, 1 << 20)
            path.unlink()
            rows += piece.num_rows
    return rows


def in_pieces(
    batches: Iterable[pa.Table | Piece],
    output: PathLike,
    names: list[str],
    engine: Engine,
    classes: Sequence[str] = (),
) -> Iterator[Piece]:
    """Let workers turn tables into lines of the format of an output, piece by piece.

    Parameters
    ----------
    batches : iterable of pyarrow.Table or Piece
        Tables, or Arrow files, which workers read themselves and which stay.
    output : path
        What will be made of the lines.
    names : list of str
        What columns are called there.
    engine : Engine
        Its workers.
    classes : sequence of str
        What the shares of distributions are called, where the format has names of them.
    """
    lines = lines_of(output)
    part = {"lines": lines, "names": names, "classes": list(classes) if lines in NAMING else []}
    given: deque[Piece | None] = deque()

    def units() -> Iterator[Unit]:
        for batch in batches:
            known = isinstance(batch, Piece)
            piece = batch if isinstance(batch, Piece) else write_piece(batch, engine.new_file())
            given.append(None if known else piece)
            without = np.array(piece.left_out, np.int64)
            out = engine.new_file(".lines")
            yield Unit(_LINES, (piece.file,), part, 0, piece.num_rows, (without,), out)

    for piece in engine.map(units()):
        if own := given.popleft():  # only now: a killed worker's unit is done once more
            _delete(own)
        yield piece


def lines_piece(unit: Unit) -> Piece:
    """Do a unit of :func:`in_pieces`."""
    without = tuple(unit.rows[0].tolist())
    table = mapped(Piece(unit.given[0], unit.count, left_out=without))
    named = with_named_shares(table.rename_columns(unit.part["names"]), unit.part["classes"])
    return write_piece(named, unit.out, unit.part["lines"])


def _write(format: Format, path: Path, table: pa.Table) -> None:
    name = next(name for name, one in FORMATS.items() if one is format)
    with (
        refusals_told(table, format.writer, format.encode, name),
        format.writer(path, table.schema) as write,
    ):
        write(format.encode(table))
