"""Hits and frequencies as files, and how many of them a page may count."""

from __future__ import annotations

import tempfile
from collections.abc import Sized
from pathlib import Path
from typing import Any

from grammar.errors import MissingDataError, OptionError
from grammar.search.frequencies import Frequencies
from induction.corpus.formats import write_batches
from treewright.workbench.answers import Download

__all__ = ["MOST_ROWS", "SHOWN_ROWS", "checked_file", "refuse_many", "table_download"]

SHOWN_ROWS, MOST_ROWS = 12, 500
"""Rows of a table of frequencies that a page shows, and the most that it may be asked for."""
_MOST_COUNTED = 300_000
_MEDIA = {"tsv": "text/tab-separated-values", "parquet": "application/vnd.apache.parquet"}
_FILES = ("hits.tsv", "hits.parquet", "hits.svg", "counts.tsv", "counts.parquet")


def checked_file(name: str, *more: str) -> str:
    """Return the name of a file that there is, ``more`` among them (raises MissingDataError)."""
    files = (*_FILES, *more)
    if name not in files:
        raise MissingDataError(f"there is no file {name!r}", hint=f"there are {', '.join(files)}")
    return name


def refuse_many(hits: Sized, pattern: str) -> None:
    """Refuse to count or save more hits than a page can wait for (raises OptionError)."""
    if len(hits) > _MOST_COUNTED:
        raise OptionError(
            f"{len(hits):,} hits are more than {_MOST_COUNTED:,}",
            where=pattern[:80],
            hint="count or save fewer: say more in the pattern",
        )


def table_download(
    identifier: str, name: str, hits: Any, counts: Frequencies | None, pattern: str
) -> Download:
    """Return hits or counts as ``.tsv`` or ``.parquet``.

    Raises
    ------
    OptionError
        If there are too many, or counts are asked for and there are none.
    """
    refuse_many(hits, pattern)
    what, _, suffix = name.partition(".")
    if what == "counts" and counts is None:
        raise OptionError("there is nothing to count by", hint="choose something in the form")
    table = counts.table if what == "counts" and counts is not None else hits.to_arrow()
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / name
        write_batches([table], file)
        return Download(f"{identifier}-{name}", file.read_bytes(), _MEDIA[suffix])
