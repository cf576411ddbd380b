"""Named arrays and facts in one Arrow file: how trained models and states of chains are kept.

A file has one row and a column for each array; its metadata hold the schema with its version and
the facts as JSON. Reading never executes anything.
"""

from __future__ import annotations

import json
import mmap
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import pyarrow as pa

from grammar.errors import SchemaError, UnreadableInputError
from grammar.files import PathLike, at_hand, atomic_output, read_bytes
from grammar.saving.arrow_sizes import refuse_expanding_arrow
from grammar.saving.checksum import UNSEALED, check_seal, sealed
from grammar.storage.location import is_url

__all__ = ["array_fault", "array_schema", "is_arrow_file", "load_arrays", "save_arrays"]

# Arrow's own pool keeps what columns were decompressed in
_POOL = pa.system_memory_pool()
_MAGIC = b"ARROW1"
"""With it, Arrow files begin and end."""
_LARGE = 1 << 20
"""Columns of fewer bytes are kept as they are unpacked."""

Column: TypeAlias = "np.ndarray[Any, Any] | Sequence[str] | pa.Array"


def save_arrays(
    path: PathLike,
    schema: str,
    facts: Mapping[str, Any],
    columns: Mapping[str, Column],
    *,
    renewed: bool = False,
) -> None:
    """Save one-dimensional arrays, sequences of strings and Arrow arrays, atomically, compressed.

    A state that is ``renewed`` may take the place of an older one (:func:`atomic_output`).

    Raises
    ------
    OutputError
        If the path cannot be written.
    """
    arrays = {
        name: column if isinstance(column, pa.Array) else pa.array(column)
        for name, column in columns.items()
    }
    rows = {
        name: pa.LargeListArray.from_arrays(pa.array([0, len(array)], pa.int64()), array)
        for name, array in arrays.items()
    }
    metadata = {"schema": schema, "facts": json.dumps(facts), "seal": UNSEALED}
    table = pa.table(rows).replace_schema_metadata(metadata)
    options = pa.ipc.IpcWriteOptions(compression="zstd")
    sink = pa.BufferOutputStream()
    with pa.ipc.new_file(sink, table.schema, options=options) as writer:
        writer.write_table(table)
    with atomic_output(path, renewed=renewed) as temporary:
        temporary.write_bytes(sealed(sink.getvalue().to_pybytes()))


def load_arrays(
    path: PathLike, schema: str, *, what: str, hint: str
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the facts and the columns of a file: arrays, lists of strings, Arrow structs.

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
        If it is no Arrow file, damaged, or of another schema; the message says which.
    """
    try:
        with at_hand(path) as file, pa.OSFile(os.fsencode(file)) as source:
            data = source.read()  # once, so what is checked is what is read
        reader = pa.ipc.open_file(pa.py_buffer(data))
        metadata = reader.schema.metadata or {}
        if metadata.get(b"schema", b"").decode("utf-8", "replace") == schema:
            check_seal(data, str(path))
            refuse_expanding_arrow(data, path)
            columns = {name: _column(data, i) for i, name in enumerate(reader.schema.names)}
            return json.loads(metadata[b"facts"]), columns
    except (SchemaError, UnreadableInputError):
        raise
    except (
        pa.ArrowException, ValueError, LookupError, TypeError, AttributeError, SystemError,
        RecursionError,
    ):  # fmt: skip
        pass  # said below: it is damaged, or something else
    except OSError as error:
        if error.errno is not None:
            reason = error.strerror or error
            raise UnreadableInputError(f"cannot read the file: {reason}", where=str(path)) from None
    raise SchemaError(
        f"not {what} saved by this version of treewright: {array_fault(path, schema)}",
        where=str(path),
        hint=hint,
    )


def is_arrow_file(path: PathLike) -> bool:
    """Say whether a file begins as Arrow files do; False if it cannot be read, or is a pipe."""
    try:
        if not is_url(path) and not Path(path).is_file():
            return False  # what is read of a pipe is gone
        with at_hand(path) as file, open(file, "rb") as source:
            return source.read(len(_MAGIC)) == _MAGIC
    except OSError:
        return False


def array_schema(path: PathLike) -> str | None:
    """Return the schema of an Arrow file, empty if it has none; None if it is no such file."""
    try:
        with at_hand(path) as file, pa.OSFile(os.fsencode(file)) as source:
            metadata = pa.ipc.open_file(source).schema.metadata or {}
    except (pa.ArrowException, OSError):
        return None
    return str(metadata.get(b"schema", b"").decode("utf-8", "replace"))


def array_fault(path: PathLike, wanted: str | None = None) -> str:
    """Say what is wrong with a file that could not be read; ``wanted`` is the schema that can be.

    Raises
    ------
    UnreadableInputError
        If there is no such file.
    """
    found = array_schema(path)
    if found is not None and found != wanted:
        return f"its schema is {found!r}" + (f", and {wanted!r} is read" if wanted else "")
    data = read_bytes(path)
    if not data:
        return "it is empty"
    if not data.startswith(_MAGIC):
        return "it is not an Arrow file"
    return "it is damaged" if data.endswith(_MAGIC) else "it is truncated, its end is missing"


def _column(data: bytes, number: int) -> Any:
    """Read one column of a file: all at once would hold each of them twice."""
    options = pa.ipc.IpcReadOptions(included_fields=[number])
    table = pa.ipc.open_file(pa.py_buffer(data), options=options, memory_pool=_POOL).read_all()
    table.validate(full=True)
    name, values = table.column_names[0], table.column(0)[0].values
    if pa.types.is_float16(values.type):
        raise ValueError(f"{name}: numbers of a size that is not written")
    if pa.types.is_string(values.type) or pa.types.is_large_string(values.type):
        return values.to_pylist()
    if pa.types.is_struct(values.type):
        return values
    return _numbers(values)


def _numbers(values: pa.Array) -> Any:
    """Return numbers as an array that may be written to, without a copy where they are its own."""
    kind = values.type
    if (pa.types.is_integer(kind) or pa.types.is_floating(kind)) and not values.null_count:
        held = values.buffers()[1]
        if held is not None and held.is_mutable:  # it was unpacked, and nobody else has it
            dtype = np.dtype(kind.to_pandas_dtype())
            begin = values.offset * dtype.itemsize
            return _less_zeros(np.frombuffer(held, dtype, len(values), begin))
    return np.array(values.to_numpy(zero_copy_only=False))


def _less_zeros(numbers: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Return the same numbers; where few differ from zero, pages of zeros take no memory."""
    if numbers.nbytes < _LARGE:
        return numbers
    other = np.flatnonzero(numbers.view(f"i{numbers.itemsize}"))  # by its bits, -0.0 is no zero
    if 8 * len(other) > len(numbers):
        return numbers
    # not np.zeros: numpy asks for pages of 2 MB, and few of these are all zeros
    pages = mmap.mmap(-1, numbers.nbytes, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    kept = np.frombuffer(pages, numbers.dtype)
    kept[other] = numbers[other]
    return kept
