"""What a place is: the name of a file or folder, wherever it lies.

All that is read and written goes through a :class:`Place`, so the rest of the toolkit does not know
whether ``reviews.jsonl`` lies on a disk or ``s3://bucket/reviews.jsonl`` in an object store.
"""

from __future__ import annotations

import errno
import os
import re
from abc import ABC, abstractmethod
from contextlib import AbstractContextManager
from pathlib import Path
from typing import TypeAlias

from grammar.errors import OptionError

__all__ = [
    "STAR",
    "PathLike",
    "Place",
    "TakenError",
    "beside",
    "check_name",
    "is_many",
    "is_url",
    "numbered",
]

PathLike: TypeAlias = str | os.PathLike[str]

STAR = "*"
"""Stands in the last part of a name that many files have, for what tells them apart."""

LONGEST_NAME = 255
"""So many bytes the name of a file or folder has at most, on all usual disks."""

_URL = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+://")


class TakenError(OSError):
    """Another file has the name, and may not be replaced."""

    def __init__(self) -> None:
        super().__init__(errno.EEXIST, os.strerror(errno.EEXIST))


class Place(ABC):
    """A name under which a file or folder lies, or may come to lie.

    Every method raises OSError if the place cannot be reached; its ``strerror`` says why.

    Attributes
    ----------
    name : str
        As it was given.
    """

    name: str

    @property
    @abstractmethod
    def identity(self) -> str:
        """The same text for all names of one place, as far as that can be known."""

    @property
    @abstractmethod
    def can_be_kept(self) -> bool:
        """Whether what is written can be read again: not of devices and pipes."""

    @abstractmethod
    def exists(self) -> bool:
        """Say whether there is a file or folder, or any file of a name with a star."""

    @abstractmethod
    def is_folder(self) -> bool:
        """Say whether there is a folder."""

    @abstractmethod
    def is_filled(self) -> bool:
        """Say whether there is a folder with anything in it."""

    @abstractmethod
    def has_room(self) -> bool:
        """Say whether there is a folder, or a bucket, that a file of this name could lie in."""

    @abstractmethod
    def is_same(self, other: Place) -> bool:
        """Say whether both lead to one file that is there."""

    @abstractmethod
    def at_hand(self) -> AbstractContextManager[Path]:
        """Give a file of this machine with the same content, as long as the block runs."""

    @abstractmethod
    def files(self) -> dict[str, Place]:
        """Return all files below a folder, or those of a name with a star, in order, by name."""

    @abstractmethod
    def drafted(self, *, over: bool) -> AbstractContextManager[Path]:
        """Give a file to write, which takes this name when the block has ended well.

        Parameters
        ----------
        over : bool
            Whether it may take the place of another file; TakenError if it may not.
        """

    @abstractmethod
    def receive(self, made: Path, *, over: bool) -> None:
        """Let a complete file or folder of this machine take this name, as :meth:`drafted`."""

    @abstractmethod
    def remove(self) -> None:
        """Remove a file; none need be there."""


def check_name(path: PathLike) -> None:
    r"""Refuse a text that no file can have for a name, wherever it comes from.

    Raises
    ------
    OptionError
        If it holds a NUL or half of a character, or a part of it is too long.

    >>> check_name("a\0b")
    Traceback (most recent call last):
    ...
    grammar.errors.OptionError: 'a\x00b': no file can have this name: it holds a NUL
      hint: give another path
    """
    try:
        name = os.fsencode(path)
    except UnicodeEncodeError as error:
        raise _no_name(path, f"it holds {error.object[error.start]!a}, which is no text") from None
    if b"\0" in name:
        raise _no_name(path, "it holds a NUL")
    longest = max(map(len, re.split(rb"[/\\]", name)))
    if longest > LONGEST_NAME:
        raise _no_name(path, f"a part has {longest:,} bytes, and {LONGEST_NAME} are the most")


def _no_name(path: PathLike, why: str) -> OptionError:
    shown = ascii(os.fsdecode(path))
    return OptionError(
        f"no file can have this name: {why}",
        where=shown if len(shown) <= LONGEST_NAME else f"{shown[:40]}...{shown[-40:]}",
        hint="give another path",
    )


def is_many(path: PathLike) -> bool:
    """Say whether a name stands for many files.

    >>> is_many("new-*.parquet"), is_many("s3://bucket/new.parquet")
    (True, False)
    """
    return STAR in re.split(r"[/\\]", os.fsdecode(path))[-1]


def numbered(path: PathLike, number: int) -> str:
    """Return the name of one of many files.

    >>> numbered("s3://bucket/new-*.parquet", 7)
    's3://bucket/new-00007.parquet'
    """
    before, _, behind = os.fsdecode(path).rpartition(STAR)
    return f"{before}{number:05}{behind}"


def beside(path: PathLike, ending: str) -> str:
    """Return the name of a file that lies beside another, or beside many.

    >>> beside("new.jsonl", ".manifest.json"), beside("new-*.jsonl", ".manifest.json")
    ('new.jsonl.manifest.json', 'new-all.jsonl.manifest.json')
    """
    before, star, behind = os.fsdecode(path).rpartition(STAR if is_many(path) else "\0")
    return f"{before}{'all' if star else ''}{behind}{ending}"


def is_url(path: PathLike) -> bool:
    """Say whether a name is a URL.

    >>> is_url("s3://bucket/a.jsonl"), is_url("C://a.jsonl"), is_url("a.jsonl")
    (True, False, False)
    """
    return isinstance(path, str) and _URL.match(path) is not None
