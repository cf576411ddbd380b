"""What every reader of a corpus file is told, and what it gives back."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pyarrow as pa

__all__ = ["Asked", "Rows", "Skipped", "Write", "Writer", "numbered_rows"]

Write = Callable[[Any], Any]
Writer = Callable[[Path, pa.Schema], AbstractContextManager[Write]]


@dataclass(frozen=True)
class Asked:
    """How a file is to be read: its name for messages, and the options of ``read_corpus``."""

    path: str
    rename: Mapping[str, str] = field(default_factory=dict)
    names: Sequence[str] | None = None
    tags: str = "upos"
    text: str | None = None
    label: str | None = None
    skips: bool = False
    """Whether rows that cannot be used are left out."""
    named: bool = False
    """Whether a person named the format, so that a file is of no other."""
    encoding: str | None = None
    """Of a file that is not UTF-8."""


@dataclass(frozen=True)
class Skipped:
    """A row that was left out: where it stands, why, and what it holds."""

    where: str
    why: str
    row: Any


@dataclass(frozen=True)
class Rows:
    """The rows of a file, and where each begins (file and line, if the file has lines)."""

    table: pa.Table
    where: Callable[[int], str]
    untyped: bool = False
    """Whether all values are text, so that the form of a label tells what it is."""
    skipped: tuple[Skipped, ...] = ()


def numbered_rows(path: str) -> Callable[[int], str]:
    """Return how rows are named where a file has no lines.

    >>> numbered_rows("a.parquet")(0)
    'a.parquet, row 1'
    """
    return lambda row: f"{path}, row {row + 1}"
