"""What Arrow and Python refuse to write: which column it is, why, and what helps."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pyarrow as pa

from grammar.errors import CorpusError, TreewrightError
from induction.corpus.rows import Writer

__all__ = ["REFUSED", "check_schema", "refusals_told", "unwritable"]

REFUSED = (pa.ArrowException, TypeError, ValueError, OverflowError, NotImplementedError)
"""What is raised of values that a format cannot hold; of a full disk, it is OSError."""


@contextmanager
def refusals_told(
    table: pa.Table, writer: Writer, encode: Callable[[pa.Table], Any], format: str
) -> Iterator[None]:
    """Write rows in this context: what is refused becomes one error that names the column.

    Parameters
    ----------
    table : pyarrow.Table
        The rows.
    writer, encode : callable
        Of the format.
    format : str
        Its name.

    Raises
    ------
    CorpusError
        If a column cannot be written.
    """
    try:
        yield
    except (TreewrightError, OSError):
        raise
    except REFUSED as error:
        for alone in (True, False):
            for number, field in enumerate(table.schema):
                if _is_of(error, table, number, alone, lambda one: _write(one, writer, encode)):
                    raise unwritable(field, format, error) from None
        raise CorpusError(
            f"the rows cannot be written as {format}: {_said(error)}", hint=_HINT
        ) from None


def _is_of(
    error: Exception, table: pa.Table, number: int, alone: bool, write: Callable[[pa.Table], None]
) -> bool:
    """Say whether an error is of one column: alone it comes again, or without it there is none."""
    try:
        write(table.select([number]) if alone else table.remove_column(number))
    except Exception as own:  # a format may ask for columns that are left out
        return alone and type(own) is type(error)
    return not alone


def check_schema(
    schema: pa.Schema, writer: Writer, encode: Callable[[pa.Table], Any], format: str
) -> None:
    """Refuse columns that a format with named columns cannot hold, before there are any rows.

    Raises
    ------
    CorpusError
        If there is such a column; the message names it.
    """
    table = pa.table([pa.nulls(1, field.type) for field in schema], schema=schema)
    with refusals_told(table, writer, encode, format):
        _write(table, writer, encode)


def unwritable(field: pa.Field, format: str, error: Exception) -> CorpusError:
    """Return the error of a column that a format cannot hold."""
    return CorpusError(
        f"the column {field.name!r} ({field.type!s:.80}) cannot be written as {format}: "
        f"{_said(error)}",
        hint=_HINT,
    )


_HINT = "leave the column out (augment: --columns), convert it, or write .arrow"


def _write(table: pa.Table, writer: Writer, encode: Callable[[pa.Table], Any]) -> None:
    with (
        tempfile.TemporaryDirectory() as folder,
        writer(Path(folder) / "tried", table.schema) as write,
    ):
        write(encode(table))


def _said(error: Exception) -> str:
    return (str(error).splitlines() or [type(error).__name__])[0][:200]
