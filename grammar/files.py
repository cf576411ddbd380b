"""Reading and writing files so that a fault is one clear error and nothing is left half-written."""

from __future__ import annotations

import errno
import gzip
import hashlib
import os
import secrets
import shutil
import stat
import sys
import tempfile
import zlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from dataclasses import dataclass, field
from pathlib import Path

from grammar.errors import OutputError, UnreadableInputError

if sys.platform != "win32":
    import fcntl

__all__ = [
    "atomic_output",
    "check_free",
    "encode",
    "is_stream",
    "made_folder",
    "moved_output",
    "nothing_overwritten",
    "read_bytes",
    "read_text",
    "same_file",
    "write_text",
]

PathLike = str | os.PathLike[str]


def read_bytes(path: PathLike) -> bytes:
    """Return the content of a file, unzipped if its name ends in ``.gz``; ``-`` is standard input.

    Raises
    ------
    UnreadableInputError
        If the file is missing, is a folder, may not be read, or is not a valid gzip file.
    """
    if str(path) == "-":
        return _standard_input()
    try:
        data = Path(path).read_bytes()
        if (run := _RUN.get()) is not None:
            run.given.append(os.fspath(path))
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


def encode(text: str, name: str) -> bytes:
    """Encode a text as UTF-8, locating the first character that is none.

    >>> encode("(S " + chr(0xD800), "<string>")
    Traceback (most recent call last):
    ...
    grammar.errors.UnreadableInputError: <string>:1:4: '\\ud800' is half of a surrogate pair
      hint: mend the text it came from
    """
    try:
        return text.encode("utf-8")
    except UnicodeEncodeError as error:
        before = text[: error.start]
        line, column = before.count("\n") + 1, len(before) - before.rfind("\n")
        raise UnreadableInputError(
            f"{text[error.start]!r} is half of a surrogate pair",
            where=f"{name}:{line}:{column}",
            hint="mend the text it came from",
        ) from None


def read_text(path: PathLike, *, encoding: str = "utf-8") -> str:
    """Return the text of a file (see :func:`read_bytes` for ``.gz`` and ``-``).

    Raises
    ------
    UnreadableInputError
        If it cannot be read, or is not text in that encoding (line and column are given).
    """
    return decode(read_bytes(path), str(path), encoding)


@dataclass
class _Run:
    """What a run was given and what it made, so that it writes over nothing else."""

    force: bool
    given: list[str] = field(default_factory=list)
    made: set[Path] = field(default_factory=set)


_RUN: ContextVar[_Run | None] = ContextVar("run", default=None)


@contextmanager
def nothing_overwritten(*, force: bool = False, given: Iterable[str] = ()) -> Iterator[None]:
    """Let no file that is written in this block take the place of one that was there.

    This holds for all that goes through :func:`atomic_output`. What is ``given``, and whatever
    :func:`read_bytes` reads in the block, is never written over; other files are with ``force``.
    """
    token = _RUN.set(_Run(force, list(given)))
    try:
        yield
    finally:
        _RUN.reset(token)


def check_free(path: PathLike) -> None:
    """Refuse a path that :func:`nothing_overwritten` keeps from being written; else do nothing.

    Raises
    ------
    OutputError
        If it is a file that was given, or one that is there and may not be replaced.
    """
    run = _RUN.get()
    if run is None or not os.path.exists(path) or is_stream(path):
        return
    if Path(path).resolve() in run.made:
        return
    if any(same_file(path, one) for one in run.given):
        raise OutputError(
            "the output is also an input", where=str(path), hint="write to another file"
        )
    if not run.force:
        raise _there(path)


def same_file(one: PathLike, other: PathLike) -> bool:
    """Say whether two paths lead to one file; False if one of them leads to none."""
    try:
        return os.path.samefile(one, other)
    except (OSError, ValueError):  # such as a text that is no path
        return False


def is_stream(path: PathLike) -> bool:
    """Say whether a path is a device or a pipe, such as ``/dev/stdout``."""
    try:
        mode = os.stat(path).st_mode
    except OSError:
        return False
    return not (stat.S_ISREG(mode) or stat.S_ISDIR(mode))


@contextmanager
def atomic_output(path: PathLike, *, renewed: bool = False) -> Iterator[Path]:
    """Give a temporary name to write to, and move it to ``path`` only when all went well.

    The temporary file lies in the folder of ``path`` and keeps its suffixes, is flushed to disk
    before the move, and is deleted if the body raises (an interrupt included), so a reader sees
    either the old content or the complete new one. A file that is replaced keeps its permissions;
    behind a symbolic link, it is the file it leads to that is replaced. Devices and pipes (such as
    ``/dev/stdout``) cannot be replaced, so they get the complete content at the end. What a killed
    process left of an output to the same path is deleted.

    Parameters
    ----------
    path : path
        The file; one that is there is replaced, except in :func:`nothing_overwritten`.
    renewed : bool
        Whether it is a state that is read and written anew, and may be replaced there, too.

    Raises
    ------
    OutputError
        If the folder does not exist or may not be written, the disk is full, or the file is there
        and may not be replaced.
    """
    target, temporary, handle = Path(path), None, None
    try:
        if not renewed and not target.is_dir():
            check_free(target)
        mode = target.stat().st_mode if target.exists() else stat.S_IFREG | (0o666 & ~_umask())
        to_stream = not stat.S_ISREG(mode) and not stat.S_ISDIR(mode)
        if target.is_symlink() and not to_stream:
            target = target.resolve()
        folder = Path(tempfile.gettempdir()) if to_stream else target.parent
        _remove_left_over(folder, target)
        # named before it is made, so that an interrupt finds nothing that nobody would delete
        temporary = _part_of(folder, target)
        while (handle := _new_part(temporary)) is None:
            temporary = _part_of(folder, target)
        if (run := _RUN.get()) is not None:
            run.made.add(temporary.resolve())  # what writes it may itself come this way
        yield temporary
        if to_stream:
            with open(temporary, "rb") as source, open(target, "wb") as stream:
                shutil.copyfileobj(source, stream)
            return
        os.fsync(handle)
        if sys.platform == "win32":  # where open files cannot be moved
            os.close(handle)
            handle = None
        os.chmod(temporary, stat.S_IMODE(mode))
        _appear(temporary, target, renewed=renewed)
    except OutputError:
        raise
    except OSError as error:
        raise _unwritable(target, error) from None
    finally:
        if handle is not None:
            os.close(handle)
        if temporary is not None:
            with suppress(OSError):  # it may never have been made
                temporary.unlink()


def moved_output(made: Path, path: PathLike) -> None:
    """Give a complete file or folder the name that it was made for, as :func:`atomic_output` does.

    A folder takes the place of an older one as a whole.

    Raises
    ------
    OutputError
        If it cannot be moved, or something is there that may not be replaced.
    """
    target = Path(path)
    target = target.resolve() if target.is_symlink() else target
    try:
        if made.is_dir():
            check_free(target)
            old = target.with_name(f".old-{secrets.token_hex(4)}")
            if target.exists():
                target.rename(old)
            made.rename(target)
            shutil.rmtree(old, ignore_errors=True)
            return
        if target.exists():
            os.chmod(made, stat.S_IMODE(target.stat().st_mode))
        _appear(made, target, renewed=False)
        made.unlink(missing_ok=True)
    except OutputError:
        raise
    except OSError as error:
        if error.errno != errno.EXDEV:
            raise _unwritable(target, error) from None
        with atomic_output(target) as temporary:  # on another disk
            shutil.copyfile(made, temporary)
        made.unlink()


def _appear(temporary: Path, target: Path, *, renewed: bool) -> None:
    """Give a complete file its name; in a run without force, only if no other has it by now."""
    run = _RUN.get()
    made = target.resolve()
    if run is None or run.force or renewed or made in run.made:
        os.replace(temporary, target)
    else:
        try:
            os.link(temporary, target)  # unlike a move, it never takes a name from another file
        except FileExistsError:
            if not target.is_dir():
                raise _there(target) from None
            os.replace(temporary, target)  # the system says that it is a folder
        except OSError as error:  # there are no links on this disk
            if error.errno in (errno.EXDEV, errno.ENOENT):
                raise
            check_free(target)
            os.replace(temporary, target)
    if run is not None:
        run.made.add(made)


def _part_of(folder: Path, target: Path) -> Path:
    suffix = "".join(target.suffixes[-2:])
    return folder / f"{_part_name(target)}{secrets.token_hex(4)}{suffix}"


def _part_name(target: Path) -> str:
    # of the target's name, so that a later run knows what a killed one has left
    return f".part-{hashlib.sha256(target.name.encode(errors='surrogatepass')).hexdigest()[:12]}-"


def _new_part(path: Path) -> int | None:
    """Make a part file that is this process's; None if another just took it for left over."""
    handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600)
    if sys.platform == "win32" or (_is_locked(handle) and os.fstat(handle).st_nlink):
        return handle
    os.close(handle)
    with suppress(OSError):
        path.unlink()
    return None


def _remove_left_over(folder: Path, target: Path) -> None:
    """Delete part files of a target that no living process holds."""
    for part in folder.glob(f"{_part_name(target)}*"):
        with suppress(OSError):
            handle = os.open(part, os.O_RDWR)
            try:
                if _is_locked(handle) and os.fstat(handle).st_nlink == 1:
                    part.unlink()
            finally:
                os.close(handle)


def _is_locked(handle: int) -> bool:
    """Lock an open file until it is closed, or its process ends; say whether nobody else has."""
    if sys.platform == "win32":
        return False  # a lock would keep others from writing, so what is left over stays there
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


def write_text(path: PathLike, text: str, *, renewed: bool = False) -> None:
    """Write UTF-8 text by :func:`atomic_output`, gzipped (reproducibly) if it ends in ``.gz``."""
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
    with atomic_output(path, renewed=renewed) as temporary:
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


def _there(path: PathLike) -> OutputError:
    return OutputError(
        "the output exists", where=str(path), hint="use --force to replace it, or another name"
    )


def _standard_input() -> bytes:
    if sys.stdin is None or sys.stdin.closed:
        raise UnreadableInputError(
            "standard input is closed", where="-", hint="name a file, or pipe something in"
        )
    try:
        return sys.stdin.buffer.read()
    except OSError as error:
        raise UnreadableInputError(
            f"cannot read standard input: {error.strerror}",
            where="-",
            hint="name a file, or pipe something in",
        ) from None


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
