"""Who may write a file whose content is executed."""

from __future__ import annotations

import os
import stat
from pathlib import Path

__all__ = ["writable_by_others"]

ROOT_USER = 0


def writable_by_others(path: Path) -> str | None:
    """Say who else may change a file or put another in its place.

    Parameters
    ----------
    path : Path
        An existing file.

    Returns
    -------
    str or None
        The reason, or None where only root and this user may. What is not known (on Windows)
        counts as nobody.
    """
    if not hasattr(os, "getuid"):
        return None
    absolute, real = path.absolute(), path.resolve()  # where a link leads counts, too
    for place in dict.fromkeys((absolute, *absolute.parents, real, *real.parents)):
        found = place.stat()
        sticky = stat.S_ISDIR(found.st_mode) and bool(found.st_mode & stat.S_ISVTX)
        if found.st_uid not in (ROOT_USER, os.getuid()):
            return f"{place} belongs to another user"
        if found.st_mode & stat.S_IWOTH and not sticky:
            return f"anybody may write {place}"
        if found.st_mode & stat.S_IWGRP and not sticky and not _is_private(found.st_gid):
            return f"a group may write {place}"
    return None


def _is_private(group: int) -> bool:
    """Say whether a group is root's, or that of this user with nobody else in it."""
    import grp
    import pwd

    if group == 0:
        return True  # root's
    try:
        user = pwd.getpwuid(os.getuid())
        members = set(grp.getgrgid(group).gr_mem)
    except KeyError:
        return False
    return group == user.pw_gid and members <= {user.pw_name}
