"""Where machine code of kernels is kept: beside the code, else where numba keeps it, else apart.

An installation may be read-only and its user without a home, as in a container. Then kernels are
kept in a folder for temporary files that is this user's alone: what numba reads from its cache it
executes, so nobody else may have put it there. Where there is no such folder either, kernels are
compiled in each run.
"""

from __future__ import annotations

import os
import stat
import sys
import tempfile
from pathlib import Path

from grammar.messages import tell

__all__ = ["keep_kernels", "may_write"]

_VARIABLE = "NUMBA_CACHE_DIR"


def keep_kernels() -> bool:
    """See to it that numba finds a place for its cache; return whether there is one.

    Nothing is changed where it finds one by itself; else one line says where it is.
    """
    import numba

    given = os.environ.get(_VARIABLE)
    if any(map(may_write, [Path(given)] if given else _usual())):
        return True
    folder = _own_folder()
    if folder is None:
        tell("nowhere may files be written, so kernels are compiled again in each run")
        return False
    known = any(folder.rglob("*.nbi"))
    # the variable is for child processes
    numba.config.CACHE_DIR = os.environ[_VARIABLE] = str(folder)  # type: ignore[attr-defined]
    if not known:
        tell(f"neither the installation nor the home may be written: kernels are kept in {folder}")
    return True


def may_write(folder: Path) -> bool:
    """Say whether files may be made in a folder, or it may be made itself."""
    while not folder.exists() and folder.parent != folder:
        folder = folder.parent
    return folder.is_dir() and os.access(folder, os.W_OK | os.X_OK)


def _usual() -> list[Path]:
    """Return where numba keeps kernels: beside the code, or in the home, if there is one."""
    home = {
        "win32": os.environ.get("LOCALAPPDATA") or "~",
        "darwin": "~/Library/Caches",
    }.get(sys.platform, os.environ.get("XDG_CACHE_HOME") or "~/.cache")
    found = os.path.expanduser(home)
    beside = Path(__file__).parent / "__pycache__"
    return [beside] if found.startswith("~") else [beside, Path(found)]


def _own_folder() -> Path | None:
    """Return a folder for temporary files that only this user may write to; None if there is none.

    It has the same name in each run, so that kernels are compiled once.
    """
    user = os.getuid() if hasattr(os, "getuid") else "own"
    try:
        folder = Path(tempfile.gettempdir()) / f"treewright-kernels-{user}"
        folder.mkdir(mode=0o700, exist_ok=True)
        found = folder.lstat()
    except OSError:
        return None
    owned = not hasattr(os, "getuid") or (found.st_uid == user and not found.st_mode & 0o077)
    return folder if stat.S_ISDIR(found.st_mode) and owned and may_write(folder) else None
