"""Pieces of a corpus on disk: what workers write, and how it becomes one file.

A format of lines is written by the workers, and its pieces are put one behind the other; of other
formats they write Arrow files, and one process writes the rest. Either way the file is the one that
:func:`induction.corpus.formats.write_batches` writes.
"""

from __future__ import annotations

import os
import shutil
from collections import deque
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa

from grammar.engines.engine import Engine
from grammar.engines.units import Kept, Unit
from grammar.errors import OutputError
from grammar.files import PathLike, atomic_output
from grammar.places.place import is_many
from induction.corpus.formats import FORMATS, output_format, write_batches
from induction.corpus.rows import Writer

__all__ = ["Piece", "in_pieces", "lines_of", "read_piece", "write_piece", "write_pieces"]


_LINES = "induction.corpus.pieces:lines_piece"


@dataclass(frozen=True)
class Piece:
    """A file that a worker wrote.

    Attributes
    ----------
    file : Kept
        Its name and digest.
    num_rows : int
        How many rows it has.
    header : int
        How many bytes stand before the first of them, in a format of lines.
    """

    file: Kept
    num_rows: int
    header: int = 0


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
    writer = FORMATS[lines or "arrow"].writer
    header = 0
    with atomic_output(path, renewed=True) as temporary:
        if lines is not None:
            _write(writer, temporary, table.slice(0, 0))
            header = temporary.stat().st_size
        _write(writer, temporary, table)
    return Piece(Kept.of(path), table.num_rows, header)


def read_piece(piece: Piece) -> pa.Table:
    """Map a piece that is an Arrow file, and delete its name; see before that it is unchanged."""
    table = _mapped(piece.file)
    with suppress(OSError):  # where files that are mapped cannot be deleted, the folder is
        os.unlink(piece.file.path)
    return table


def _mapped(file: Kept) -> pa.Table:
    with pa.memory_map(os.fsencode(file.checked())) as source:
        return pa.ipc.open_file(source).read_all()


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


def in_pieces(tables: Iterable[pa.Table], output: PathLike, engine: Engine) -> Iterator[Piece]:
    """Let workers turn tables into lines of the format of an output, piece by piece."""
    lines = lines_of(output)
    given: deque[Kept] = deque()

    def units() -> Iterator[Unit]:
        for table in tables:
            given.append(write_piece(table, engine.new_file()).file)
            out = engine.new_file(".lines")
            yield Unit(_LINES, (given[-1],), {"lines": lines}, count=table.num_rows, out=out)

    for piece in engine.map(units()):
        os.unlink(given.popleft().path)  # only now: a killed worker's unit is done once more
        yield piece


def lines_piece(unit: Unit) -> Piece:
    """Do a unit of :func:`in_pieces`."""
    return write_piece(_mapped(unit.given[0]), unit.out, unit.part["lines"])


def _write(writer: Writer, path: Path, table: pa.Table) -> None:
    try:
        with writer(path, table.schema) as write:
            write(table)
    except pa.ArrowException as error:
        raise OutputError(
            f"cannot write the file: {error}", where=str(path), hint="is the disk full?"
        ) from None
