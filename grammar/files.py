"""Reading and writing files so that a fault is one clear error and nothing is left half-written."""

from __future__ import annotations

import gzip
import os
import secrets
import shutil
import stat
import sys
import tempfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from grammar.errors import OutputError, UnreadableInputError

__all__ = ["atomic_output", "made_folder", "read_bytes", "read_text", "write_text"]

PathLike = str | os.PathLike[str]


def read_bytes(path: PathLike) -> bytes:
    """Return the content of a file, unzipped if its name ends in ``.gz``; ``-`` is standard input.

    Raises
    ------
    UnreadableInputError
        If the file is missing, is a folder, may not be read, or is not a valid gzip file.
    """
    if str(path) == "-":
        return sys.stdin.buffer.read()
    try:
        data = Path(path).read_bytes()
    except OSError as error:
        raise UnreadableInputError(
            f"cannot read the file: {error.strerror}", where=str(path), hint="check the path"
        ) from None
    if str(path).endswith(".gz"):
        try:
            if not data:
                raise EOFError
            return gzip.decompress(data)
        except (OSError, EOFError, zlib.error):
            raise UnreadableInputError(
                "not a complete gzip file",
                where=str(path),
                hint="fetch it again, or rename it if it is not compressed",
            ) from None
    return data


def decode(data: bytes, name: str, encoding: str = "utf-8") -> str:
    """Decode bytes, locating the first byte that is not text.

    >>> decode(b"caf\\xe9", "menu.txt")
    Traceback (most recent call last):
    ...
    grammar.errors.UnreadableInputError: menu.txt:1:4: byte 0xe9 is not utf-8 text
      hint: convert the file to UTF-8, or name its encoding
    """
    try:
        # editors on Windows mark UTF-8 text so; the mark is no part of the text
        return data.decode(encoding).removeprefix("\ufeff")
    except UnicodeDecodeError as error:
        before = data[: error.start].decode(encoding, errors="replace")
        line, column = before.count("\n") + 1, len(before) - before.rfind("\n")
        raise UnreadableInputError(
            f"byte 0x{data[error.start]:02x} is not {encoding} text",
            where=f"{name}:{line}:{column}",
            hint="convert the file to UTF-8, or name its encoding",
        ) from None


def read_text(path: PathLike, *, encoding: str = "utf-8") -> str:
    """Return the text of a file (see :func:`read_bytes` for ``.gz`` and ``-``).

    Raises
    ------
    UnreadableInputError
        If it cannot be read, or is not text in that encoding (line and column are given).
    """
    return decode(read_bytes(path), str(path), encoding)


@contextmanager
def atomic_output(path: PathLike) -> Iterator[Path]:
    """Give a temporary name to write to, and move it to ``path`` only when all went well.

    The temporary file lies in the folder of ``path`` and keeps its suffixes, is flushed to disk
    before the move, and is deleted if the body raises (an interrupt included), so a reader sees
    either the old content or the complete new one. A file that is replaced keeps its permissions;
    behind a symbolic link, it is the file it leads to that is replaced. Devices and pipes (such as
    ``/dev/stdout``) cannot be replaced, so they get the complete content at the end.

    Raises
    ------
    OutputError
        If the folder does not exist or may not be written, or the disk is full.
    """
    target, temporary = Path(path), None
    try:
        mode = target.stat().st_mode if target.exists() else stat.S_IFREG | (0o666 & ~_umask())
        is_stream = not stat.S_ISREG(mode) and not stat.S_ISDIR(mode)
        if target.is_symlink() and not is_stream:
            target = target.resolve()
        folder = Path(tempfile.gettempdir()) if is_stream else target.parent
        suffix = "".join(target.suffixes[-2:])
        # named before it is made, so that an interrupt finds nothing that nobody would delete
        temporary = folder / f".part-{secrets.token_hex(8)}{suffix}"
        temporary.touch(mode=0o600, exist_ok=False)
        yield temporary
        if is_stream:
            with open(temporary, "rb") as source, open(target, "wb") as stream:
                shutil.copyfileobj(source, stream)
            return
        with open(temporary, "rb+") as written:
            os.fsync(written.fileno())
        os.chmod(temporary, stat.S_IMODE(mode))
        os.replace(temporary, target)
    except OutputError:
        raise
    except OSError as error:
        raise _unwritable(target, error) from None
    finally:
        if temporary is not None:
            with suppress(OSError):  # it may never have been made
                temporary.unlink()


def write_text(path: PathLike, text: str) -> None:
    """Write UTF-8 text atomically, gzipped (reproducibly) if the name ends in ``.gz``."""
    try:
        data = text.encode("utf-8")
    except UnicodeEncodeError as error:
        raise OutputError(
            f"the character {text[error.start]!r} cannot be written as UTF-8",
            where=str(path),
            hint="it is half of a surrogate pair: mend the text it came from",
        ) from None
    if str(path).endswith(".gz"):
        data = gzip.compress(data, mtime=0)
    with atomic_output(path) as temporary:
        temporary.write_bytes(data)


def made_folder(path: PathLike) -> Path:
    """Return a folder that is there, made with the folders above it if need be.

    Raises
    ------
    OutputError
        If it cannot be made.
    """
    try:
        Path(path).mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise OutputError(
            f"cannot make the folder: {error.strerror}",
            where=str(path),
            hint="choose a path where you may make one",
        ) from None
    return Path(path)


def _unwritable(path: Path, error: OSError) -> OutputError:
    reason = error.strerror or str(error)
    return OutputError(
        f"cannot write the file: {reason}",
        where=str(path),
        hint="choose a path in an existing folder that you may write to, on a disk with room",
    )


def _umask() -> int:
    # the only portable way to read the mask is to set it
    mask = os.umask(0)
    os.umask(mask)
    return mask
