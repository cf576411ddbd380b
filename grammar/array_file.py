"""Named arrays and facts in one Arrow file: how trained models and states of chains are kept.

A file has one row and a column for each array; its metadata hold the schema with its version and
the facts as JSON. Reading never executes anything.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from grammar.errors import SchemaError, UnreadableInputError
from grammar.files import PathLike, atomic_output

__all__ = ["array_schema", "load_arrays", "save_arrays"]

Column = np.ndarray[Any, Any] | Sequence[str]


def save_arrays(
    path: PathLike, schema: str, facts: Mapping[str, Any], columns: Mapping[str, Column]
) -> None:
    """Save one-dimensional arrays and sequences of strings, atomically and compressed.

    Raises
    ------
    OutputError
        If the path cannot be written.
    """
    arrays = {name: pa.array(column) for name, column in columns.items()}
    rows = {
        name: pa.LargeListArray.from_arrays(pa.array([0, len(array)], pa.int64()), array)
        for name, array in arrays.items()
    }
    metadata = {b"schema": schema.encode(), b"facts": json.dumps(facts).encode()}
    table = pa.table(rows).replace_schema_metadata(metadata)
    options = pa.ipc.IpcWriteOptions(compression="zstd")
    with (
        atomic_output(path) as temporary,
        pa.OSFile(str(temporary), "wb") as sink,
        pa.ipc.new_file(sink, table.schema, options=options) as writer,
    ):
        writer.write_table(table)


def load_arrays(
    path: PathLike, schema: str, *, what: str, hint: str
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the facts and the columns of a file: arrays, and lists of strings.

    Parameters
    ----------
    path : str or path
        The file.
    schema : str
        What :func:`save_arrays` was told.
    what, hint : str
        What the file should be, and how to get one, for the error.

    Raises
    ------
    UnreadableInputError
        If the file cannot be opened.
    SchemaError
        If it is truncated, or no file of this schema.
    """
    try:
        with pa.OSFile(os.fspath(path)) as source:
            table = pa.ipc.open_file(source).read_all()
        metadata = table.schema.metadata or {}
        if metadata.get(b"schema") == schema.encode():
            return json.loads(metadata[b"facts"]), {
                n: _values(table, n) for n in table.column_names
            }
    except (pa.ArrowInvalid, pa.ArrowSerializationError, ValueError, LookupError, TypeError):
        pass  # said below: it is damaged, or something else
    except OSError as error:
        if error.errno is not None:
            reason = error.strerror or error
            raise UnreadableInputError(f"cannot read the file: {reason}", where=str(path)) from None
    raise SchemaError(f"not {what} saved by this version of treewright", where=str(path), hint=hint)


def array_schema(path: PathLike) -> str | None:
    """Return the schema of an Arrow file, or None if it is not one or has none."""
    try:
        with pa.OSFile(os.fspath(path)) as source:
            metadata = pa.ipc.open_file(source).schema.metadata or {}
    except (pa.ArrowInvalid, OSError):
        return None
    schema = metadata.get(b"schema")
    return None if schema is None else schema.decode("utf-8", "replace")


def _values(table: pa.Table, name: str) -> Any:
    values = table.column(name)[0].values
    if pa.types.is_string(values.type) or pa.types.is_large_string(values.type):
        return values.to_pylist()
    return np.array(values.to_numpy(zero_copy_only=False))
