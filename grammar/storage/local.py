"""Places of this machine: a file appears by a hard link or a move, from a part file beside it."""

from __future__ import annotations

import errno
import hashlib
import os
import secrets
import shutil
import stat
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from grammar.storage.location import PathLike, Place, TakenError, check_name, is_many

if sys.platform != "win32":
    import fcntl

__all__ = ["Local", "cache_folder"]


class PipeError(OSError):
    """A pipe or a device is to be read as a file."""

    hint = "send it to standard input, and name that: cat PIPE | treewright VERB - ..."

    def __init__(self) -> None:
        super().__init__(errno.ESPIPE, "it is a pipe or a device, which can be read only once")


class Local(Place):
    """A file or folder of this machine, a device, or a pipe.

    Raises
    ------
    OptionError
        If no file can have such a name.
    """

    def __init__(self, path: PathLike) -> None:
        check_name(path)
        self.path = Path(path)
        self.name = str(path)

    @property
    def identity(self) -> str:
        """The path without links."""
        return str(self.path.resolve())

    @property
    def can_be_kept(self) -> bool:
        """Whether it is no device or pipe, such as ``/dev/stdout``."""
        try:
            return _is_file_or_folder(os.stat(self.path).st_mode)
        except OSError:
            return True

    def exists(self) -> bool:
        """Say whether there is a file or folder, or any file of a name with a star."""
        return os.path.exists(self.path) or (is_many(self.name) and bool(self.files()))

    def is_folder(self) -> bool:
        """Say whether there is a folder."""
        return os.path.isdir(self.path)

    def is_filled(self) -> bool:
        """Say whether there is a folder with anything in it."""
        return self.is_folder() and bool(os.listdir(self.path))

    def has_room(self) -> bool:
        """Say whether there is the folder that it would lie in."""
        return Path(os.path.abspath(self.path)).parent.is_dir()

    def is_same(self, other: Place) -> bool:
        """Say whether both lead to one file that is there."""
        try:
            return isinstance(other, Local) and os.path.samefile(self.path, other.path)
        except OSError:
            return False

    @contextmanager
    def at_hand(self) -> Iterator[Path]:
        """Give the file itself; of a pipe or device nothing could be read a second time."""
        if not self.can_be_kept and os.fspath(self.path) != os.devnull:
            raise PipeError
        yield self.path

    def files(self) -> dict[str, Place]:
        """Return all files below a folder, or those of a name with a star, in order, by name."""
        many = is_many(self.name)
        folder = self.path.parent if many else self.path
        found = folder.glob(self.path.name) if many else folder.rglob("*")
        whole = [path for path in sorted(found) if path.is_file()]
        return {str(path.relative_to(folder)): Local(path) for path in whole}

    @contextmanager
    def drafted(self, *, over: bool) -> Iterator[Path]:
        """Give a part file in the folder of the file, or, of a device or pipe, a temporary one.

        It keeps the suffixes of the file, is locked as long as it is written, flushed to disk
        before it takes the name, and deleted if the block raises (an interrupt included). A file
        that is replaced keeps its permissions; behind a symbolic link, it is the file it leads to
        that is replaced. What a killed process left of a draft of the same file is deleted.
        """
        target, temporary, handle = self.path, None, None
        try:
            mode = target.stat().st_mode if target.exists() else stat.S_IFREG | (0o666 & ~_umask())
            to_stream = not _is_file_or_folder(mode)
            if target.is_symlink() and not to_stream:
                target = target.resolve()
            folder = Path(tempfile.gettempdir()) if to_stream else target.parent
            _remove_left_over(folder, target)
            # named before it is made, so that an interrupt finds nothing that nobody would delete
            temporary = _part_of(folder, target)
            while (handle := _new_part(temporary)) is None:
                temporary = _part_of(folder, target)
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
            _appear(temporary, target, over=over)
        finally:
            if handle is not None:
                os.close(handle)
            if temporary is not None:
                with suppress(OSError):  # it may never have been made
                    temporary.unlink()

    def receive(self, made: Path, *, over: bool) -> None:
        """Let a complete file or folder take the name; a folder takes an older one's as a whole."""
        target = self.path.resolve() if self.path.is_symlink() else self.path
        if made.is_dir():
            old = target.with_name(f".old-{secrets.token_hex(4)}")
            if target.exists():
                target.rename(old)
            made.rename(target)
            shutil.rmtree(old, ignore_errors=True)
            return
        try:
            if target.exists():
                os.chmod(made, stat.S_IMODE(target.stat().st_mode))
            _appear(made, target, over=over)
        except OSError as error:
            if error.errno != errno.EXDEV:
                raise
            with self.drafted(over=over) as temporary:  # on another disk
                shutil.copyfile(made, temporary)
        made.unlink(missing_ok=True)

    def remove(self) -> None:
        """Remove the file."""
        self.path.unlink(missing_ok=True)


def cache_folder() -> Path:
    """Return the folder for what a person may lose: ``TREEWRIGHT_CACHE``, else the system's own."""
    given = os.environ.get("TREEWRIGHT_CACHE")
    if given:
        return Path(given)
    if sys.platform == "win32":
        above = Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local")
    elif sys.platform == "darwin":
        above = Path.home() / "Library" / "Caches"
    else:
        above = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return above / "treewright"


def _is_file_or_folder(mode: int) -> bool:
    return stat.S_ISREG(mode) or stat.S_ISDIR(mode)


def _appear(temporary: Path, target: Path, *, over: bool) -> None:
    """Give a complete file its name; if it may not replace another, only if none has it by now."""
    if over:
        os.replace(temporary, target)
        return
    try:
        os.link(temporary, target)  # unlike a move, it never takes a name from another file
    except FileExistsError:
        if not target.is_dir():
            raise TakenError from None
        os.replace(temporary, target)  # the system says that it is a folder
    except OSError as error:  # there are no links on this disk
        if error.errno in (errno.EXDEV, errno.ENOENT):
            raise
        if target.exists():
            raise TakenError from None
        os.replace(temporary, target)


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


def _umask() -> int:
    # the only portable way to read the mask is to set it
    mask = os.umask(0)
    os.umask(mask)
    return mask
