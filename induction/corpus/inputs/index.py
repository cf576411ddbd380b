"""A first column that only counts the rows: pandas writes its index so, without a name."""

from __future__ import annotations

import re

import pyarrow as pa

from grammar.messages import tell

__all__ = ["counts", "without_index", "without_levels"]

_LEVEL = re.compile(r"__index_level_\d+__")
"""How pandas calls its index in Parquet and Arrow."""
_UNNAMED = re.compile(r"(?:Unnamed: \d+|\ufeff)?")


def without_index(table: pa.Table, path: str) -> pa.Table:
    """Return a table without a first column that has no name and counts from 0 or 1; it is told.

    >>> from grammar.messages import heard_by
    >>> with heard_by(print):
    ...     without_index(pa.table({"": ["0", "1"], "text": ["a", "b"]}), "a.csv").column_names
    the first column of a.csv has no name and counts its rows: it is left out
    ['text']
    """
    names = table.column_names
    if len(names) < 2 or not _UNNAMED.fullmatch(names[0]) or not counts(table.column(0)):
        return table
    tell(f"the first column of {path} has no name and counts its rows: it is left out")
    return table.select(names[1:])


def without_levels(table: pa.Table, path: str) -> pa.Table:
    """Return a table without the index that pandas leaves in Parquet and Arrow; it is told.

    >>> from grammar.messages import heard_by
    >>> with heard_by(print):
    ...     table = pa.table({"text": ["a"], "__index_level_0__": [5]})
    ...     without_levels(table, "a.parquet").column_names
    a.parquet: the index of pandas (__index_level_0__) is left out
    ['text']
    """
    found = [name for name in table.column_names if _LEVEL.fullmatch(name)]
    if not found:
        return table
    tell(f"{path}: the index of pandas ({', '.join(found)}) is left out")
    return table.drop_columns(found)


def counts(column: pa.ChunkedArray) -> bool:
    """Say whether texts are the whole numbers from 0 or 1 on."""
    if not len(column) or column[0].as_py() not in ("0", "1"):
        return False
    first = int(column[0].as_py())
    return all(cell == str(number) for number, cell in enumerate(column.to_pylist(), first))
