"""Files that a file of others names: each lies in a folder, whatever the file says."""

from __future__ import annotations

import os
import stat
from pathlib import Path, PurePosixPath, PureWindowsPath

from grammar.errors import OptionError, SchemaError
from grammar.places.place import PathLike, check_name, is_url

__all__ = ["check_links", "file_inside"]


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


def _leads_out(name: str) -> bool:
    """Say whether a name is absolute, has a drive, or goes up, on any system."""
    windows, posix = PureWindowsPath(name), PurePosixPath(name)
    return bool(windows.anchor or posix.is_absolute() or is_url(name) or ".." in windows.parts)


def _refused(what: str, entry: str) -> SchemaError:
    return SchemaError(what, where=entry, hint="put the file into the folder, and name it there")
