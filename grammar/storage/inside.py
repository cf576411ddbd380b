"""Files that a file of others names: each lies in a folder, whatever the file says."""

from __future__ import annotations

import os
import stat
from pathlib import Path, PurePosixPath, PureWindowsPath

from grammar.errors import OptionError, SchemaError
from grammar.storage.location import PathLike, check_name, is_url

__all__ = ["check_links", "file_inside", "regular_file"]


def file_inside(folder: PathLike, name: object, entry: str) -> str:
    """Return the path of a file in a folder that an entry of a file names.

    Parameters
    ----------
    folder : str or path
        Where it is to lie, on this machine or in a store.
    name : object
        What the entry holds.
    entry : str
        Which entry of which file names it, for messages.

    Raises
    ------
    SchemaError
        If it is no relative name below the folder, leads out of it by a symbolic link, or is a
        device or a pipe.

    Examples
    --------
    >>> file_inside("set", "data-0.arrow", "set/state.json, _data_files")
    'set/data-0.arrow'
    >>> file_inside("set", "../other.arrow", "set/state.json, _data_files")
    Traceback (most recent call last):
    ...
    grammar.errors.SchemaError: set/state.json, _data_files: '../other.arrow' is outside the folder
      hint: put the file into the folder, and name it there
    """
    if not isinstance(name, str) or not name:
        raise _refused(f"{name!a} is no name of a file", entry)
    try:
        check_name(name)
    except OptionError as error:
        raise _refused(error.what, entry) from None
    if _leads_out(name):
        raise _refused(f"{name!a} is outside the folder", entry)
    path = f"{os.fsdecode(folder)}/{name}"
    if not is_url(path):
        check_links(folder, path, entry)
    return path


def check_links(folder: PathLike, path: PathLike, entry: str) -> None:
    """Refuse a path below a folder of this machine that a symbolic link leads out of it.

    One where nothing lies is let through, for whoever opens it says so.

    Raises
    ------
    SchemaError
        If so, or if a device or a pipe lies there.
    """
    above, here = (Path(os.path.realpath(one)) for one in (folder, path))
    if not here.is_relative_to(above):
        raise _refused(f"a symbolic link leads from {os.fsdecode(path)!a} out of the folder", entry)
    if os.path.exists(here) and not stat.S_ISREG(os.stat(here).st_mode):
        raise _refused(f"{os.fsdecode(path)!a} is no file", entry)


def regular_file(folder: PathLike, name: str, *, home: PathLike | None = None) -> Path:
    """Return the path of a regular file of a folder, all links followed.

    Parameters
    ----------
    folder : str or path
        Where; it may be a link itself.
    name : str
        The file, as a path in the folder.
    home : str or path, optional
        A folder above, in which links may lead elsewhere.

    Raises
    ------
    SchemaError
        If it leads out of the folder, is no regular file, or is not there.
    """
    path = Path(folder) / name
    try:
        real = path.resolve()
        if not real.is_relative_to(Path(home or folder).resolve()):
            raise SchemaError(
                "the file leads out of its folder",
                where=str(path),
                hint="replace the link with a copy of the file",
            )
        if not stat.S_ISREG(real.stat().st_mode):
            raise SchemaError(
                "it is not a regular file", where=str(path), hint="put the file itself there"
            )
    except (OSError, RuntimeError, ValueError) as error:  # loops of links, a NUL in the name
        if isinstance(error, SchemaError):
            raise
        reason = getattr(error, "strerror", None) or error
        raise SchemaError(
            f"the file cannot be read: {reason}", where=str(path), hint="fetch the folder again"
        ) from None
    return real


def _leads_out(name: str) -> bool:
    """Say whether a name is absolute, has a drive, or goes up, on any system."""
    windows, posix = PureWindowsPath(name), PurePosixPath(name)
    return bool(windows.anchor or posix.is_absolute() or is_url(name) or ".." in windows.parts)


def _refused(what: str, entry: str) -> SchemaError:
    return SchemaError(what, where=entry, hint="put the file into the folder, and name it there")
