"""What is compressed is expanded within a limit, and refused as soon as it passes it.

A file may expand to a hundred times its size, and to 256 MiB if it is small. Texts shrink to a
third or a tenth of their size, tables of the same few words to a fiftieth; what shrinks to less
than a hundredth says next to nothing, and a megabyte of it can fill the memory of a machine.
"""

from __future__ import annotations

import errno
import gzip
import io
import os
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path

from grammar.errors import OptionError, UnreadableInputError
from grammar.storage.location import PathLike

__all__ = [
    "expanded_limit",
    "gunzipped",
    "most_expanded",
    "read_size",
    "read_whole",
    "refuse_expanded",
    "refuse_expanding_zlib",
]

RATIO, LEAST = 100, 256 << 20
_CHUNK = 1 << 20
_MOST_STRETCHES = 10_000
"""A file of so many stretches of data is no hole."""
_UNITS = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40}
_LIMIT: ContextVar[int | None] = ContextVar("expanded_limit", default=None)


@contextmanager
def expanded_limit(most: int) -> Iterator[None]:
    """Let compressed files expand to so many bytes in this block, whatever their size.

    >>> with expanded_limit(8 << 30):
    ...     most_expanded(1000)
    8589934592
    """
    token = _LIMIT.set(most)
    try:
        yield
    finally:
        _LIMIT.reset(token)


def most_expanded(size: int) -> int:
    """Return to how many bytes a compressed file of some size may expand."""
    given = _LIMIT.get()
    return max(LEAST, RATIO * size) if given is None else given


def read_size(text: str) -> int:
    """Return a number of bytes.

    Raises
    ------
    OptionError
        If it is none.

    Examples
    --------
    >>> read_size("8G"), read_size("500m"), read_size("1000")
    (8589934592, 524288000, 1000)
    """
    number, unit = text[:-1], text[-1:].upper()
    if unit.isdigit():
        number, unit = text, ""
    if not number.isdecimal() or unit not in _UNITS:
        raise OptionError(f"{text!r} is no size", hint="write it as 8G, or 500M")
    return int(number) * _UNITS[unit]


def refuse_expanded(size: int, compressed: int, path: PathLike) -> None:
    """Refuse what expands, or has expanded by now, to more than it may.

    Raises
    ------
    UnreadableInputError
        If so.
    """
    most = most_expanded(compressed)
    if size > most:
        raise UnreadableInputError(
            f"its {compressed:,} bytes expand to more than {most:,}",
            where=str(path),
            hint="if it is no accident and there is memory for it, allow more: treewright "
            "--max-expanded 64G VERB ...; in Python, with grammar.expanded_limit(64 << 30)",
        )


def read_whole(file: Path, path: PathLike) -> bytes:
    """Return the content of a file of this machine, unless it is holes for the most part.

    A file with holes takes little room on a disk and in an archive, and all of its length in
    memory.

    Parameters
    ----------
    file : Path
        What is read.
    path : path
        Its name for messages.

    Raises
    ------
    UnreadableInputError
        If it is longer than what it holds may expand to.
    """
    with open(file, "rb") as source:
        size = os.fstat(source.fileno()).st_size
        if size > LEAST:
            refuse_expanded(size, _held(source.fileno(), size), path)
        return source.read()


def _held(descriptor: int, size: int) -> int:
    """Return how many bytes of a file are no hole; all of them where the system does not tell."""
    held = at = 0
    try:
        for _ in range(_MOST_STRETCHES):
            first = os.lseek(descriptor, at, os.SEEK_DATA)
            at = os.lseek(descriptor, first, os.SEEK_HOLE)
            held += at - first
        held = size
    except (OSError, AttributeError) as error:
        if getattr(error, "errno", None) != errno.ENXIO:  # that says: no data behind this place
            held = size
    os.lseek(descriptor, 0, os.SEEK_SET)
    return held


def gunzipped(data: bytes, path: PathLike) -> bytes:
    """Return what a gzip file holds.

    Raises
    ------
    UnreadableInputError
        If it is not complete, or expands to more than it may.
    """
    pieces, size = [], 0
    try:
        if not data:
            raise EOFError
        with gzip.GzipFile(fileobj=io.BytesIO(data)) as file:
            while piece := file.read(_CHUNK):
                size += len(piece)
                refuse_expanded(size, len(data), path)
                pieces.append(piece)
    except UnreadableInputError:
        raise
    except (OSError, EOFError, zlib.error):
        raise UnreadableInputError(
            "not a complete gzip file",
            where=str(path),
            hint="fetch it again, or rename it if it is not compressed",
        ) from None
    return b"".join(pieces)


def refuse_expanding_zlib(data: bytes, path: PathLike) -> None:
    """Refuse what zlib expands to more than it may; nothing of it is kept.

    What is no zlib is left to whoever reads it.

    Raises
    ------
    UnreadableInputError
        If it does.
    """
    expanding, size, rest = zlib.decompressobj(), 0, data
    try:
        while rest and not expanding.eof:
            size += len(expanding.decompress(rest, _CHUNK))
            refuse_expanded(size, len(data), path)
            rest = expanding.unconsumed_tail
    except zlib.error:
        return
