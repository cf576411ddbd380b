"""Pairs as lines ``IN: <command> OUT: <actions>``, the form in which SCAN is published.

References
----------
Lake & Baroni (2018), *Generalization without systematicity*, ICML.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pyarrow as pa

from grammar.errors import CorpusError
from grammar.files import PathLike, as_utf8, read_bytes, write_text
from induction.corpus.corpus import Corpus
from induction.corpus.rows import Asked, Rows, Write

__all__ = ["read_pairs", "read_scan", "scan_writer", "write_pairs"]

_LINE = re.compile(r"IN: (?P<text>\S.*?) OUT: (?P<target>\S.*)")


def read_pairs(path: PathLike) -> Corpus:
    r"""Read a file of lines ``IN: <command> OUT: <actions>`` (unzipped if it ends in ``.gz``).

    Parameters
    ----------
    path : path or "-"
        ``-`` is standard input. Blank lines are passed over.

    Returns
    -------
    Corpus
        With the columns ``id`` (the line number, from 1), ``text`` and ``target``.

    Raises
    ------
    UnreadableInputError
        If the file cannot be read.
    CorpusError
        If a line has another form; the file and line are given.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> place = tempfile.TemporaryDirectory()
    >>> file = pathlib.Path(place.name, "pairs.txt")
    >>> _ = file.write_text("IN: jump twice OUT: I_JUMP I_JUMP\n")
    >>> read_pairs(file).column("target")
    ['I_JUMP I_JUMP']
    >>> place.cleanup()
    """
    data = as_utf8(read_bytes(path), str(path))
    return Corpus(read_scan(data, Asked(str(path))).table)


def read_scan(data: bytes, asked: Asked) -> Rows:
    """Read SCAN lines; ids are line numbers (raises like :func:`read_pairs`)."""
    ids: list[str] = []
    pairs: list[tuple[str, str]] = []
    for number, line in enumerate(data.decode("utf-8-sig").split("\n"), start=1):
        if not (line := line.strip()):
            continue
        match = _LINE.fullmatch(line)
        if match is None:
            raise CorpusError(
                f"not a SCAN pair: {line[:60]!r}",
                where=f"{asked.path}:{number}",
                hint="write each pair on one line as 'IN: <command> OUT: <actions>'",
            )
        ids.append(str(number))
        pairs.append((match["text"], match["target"]))
    columns = {
        "id": ids,
        "text": [text for text, _ in pairs],
        "target": [target for _, target in pairs],
    }
    table = pa.table({name: pa.array(values, pa.string()) for name, values in columns.items()})
    return Rows(table, lambda row: f"{asked.path}:{ids[row]}")


def write_pairs(pairs: Corpus, path: PathLike) -> None:
    r"""Write ``text`` and ``target`` as lines ``IN: ... OUT: ...``, gzipped if ``path`` says so.

    Raises
    ------
    CorpusError
        If there is no column ``target``, or a pair would not be read back as it is: it is empty,
        holds a line break or ``OUT:``, or has white space at an end. Nothing is written then.
    OutputError
        If the file cannot be written.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from induction import Corpus
    >>> place = tempfile.TemporaryDirectory()
    >>> file = pathlib.Path(place.name, "pairs.txt")
    >>> write_pairs(Corpus.from_columns(text=["jump"], target=["I_JUMP"]), file)
    >>> file.read_text()
    'IN: jump OUT: I_JUMP\n'
    >>> place.cleanup()
    """
    pairs.arrow("target")
    write_text(path, "".join(_lines(pairs.table)))


@contextmanager
def scan_writer(path: Path, schema: pa.Schema) -> Iterator[Write]:
    """Write SCAN lines (raises like :func:`write_pairs`)."""
    Corpus(schema.empty_table()).arrow("target")
    with open(path, "w", encoding="utf-8", newline="") as out:
        yield lambda table: out.writelines(_lines(table))


def _lines(table: pa.Table) -> Iterator[str]:
    rows = zip(*(table.column(name).to_pylist() for name in ("id", "text", "target")), strict=True)
    for id, text, target in rows:
        line = f"IN: {text} OUT: {target}"
        match = _LINE.fullmatch(line)
        if (
            match is None
            or (match["text"], match["target"]) != (text, target)
            or line != line.strip()
        ):
            raise CorpusError(
                f"cannot be written as one line: text {text!r}, target {target!r}",
                where=f"example {id}",
                hint="give it a text and a target without line breaks, 'OUT:' or outer spaces",
            )
        yield line + "\n"
