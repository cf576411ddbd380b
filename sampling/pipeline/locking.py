"""A folder that one process at a time may work in, and that is gone when nothing is left in it."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from filelock import FileLock, Timeout

from grammar.errors import OutputError
from grammar.files import PathLike, made_folder
from grammar.storage.local import cache_folder
from grammar.storage.location import beside, is_url
from grammar.storage.opening import place_of

__all__ = ["LOCK", "owned_folder", "unfinished_folder"]


def unfinished_folder(output: PathLike) -> Path:
    """Return where an output is made: in ``OUT.partial`` beside it, which all machines may see.

    A store knows no locks, so what comes to lie in one is made in the cache of this person, under
    the digest of its address.
    """
    if not is_url(output):
        return Path(beside(output, ".partial"))
    digest = hashlib.sha256(place_of(output).identity.encode()).hexdigest()
    return cache_folder() / "unfinished" / f"{digest[:16]}.partial"


LOCK = "lock"
"""The file in the folder that is locked; the system lets go of it when its process ends."""


@contextmanager
def owned_folder(folder: Path, output: PathLike) -> Iterator[None]:
    """Own the folder of an output, which is made if need be; leave no empty one behind.

    Raises
    ------
    OutputError
        If another process owns it, or it cannot be made.
    """
    lock = FileLock(folder / LOCK)
    try:
        made_folder(folder)
        try:
            lock.acquire(timeout=0)
        except Timeout:
            raise OutputError(
                "another run is writing to it",
                where=str(output),
                hint="wait until it ends, or write to another file",
            ) from None
        yield
    finally:
        with suppress(OSError):  # where files in use cannot be deleted, it stays
            if lock.is_locked and [entry.name for entry in folder.iterdir()] == [LOCK]:
                (folder / LOCK).unlink()
            folder.rmdir()  # if it is empty, also where this was interrupted before it was locked
        lock.release()
