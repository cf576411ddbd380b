"""The column that says what made each example, built from whole arrays."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from induction.corpus import PROVENANCE

__all__ = ["example_ids", "provenance", "rows_as_lists"]


def provenance(
    method: str,
    version: str,
    seed: int,
    first: int,
    *,
    parents: pa.ListArray,
    spans: pa.ListArray,
    rules: pa.ListArray,
    log_probability: NDArray[np.float64],
) -> pa.StructArray:
    """Build the provenance of the examples ``first``, ``first + 1``, ... of one seed.

    The lists are those of :data:`~induction.corpus.PROVENANCE`, one a new example;
    :func:`rows_as_lists` makes them from arrays.
    """
    count = len(log_probability)
    values: dict[str, Any] = {
        "method": pa.repeat(method, count),
        "version": pa.repeat(version, count),
        "seed": pa.repeat(pa.scalar(int(seed), pa.int64()), count),
        "index": pa.array(np.arange(first, first + count, dtype=np.int64)),
        "parents": parents,
        "spans": spans,
        "rules": rules,
        "log_probability": pa.array(log_probability, pa.float64()),
    }
    fields = [PROVENANCE.field(i) for i in range(PROVENANCE.num_fields)]
    arrays = [values[field.name].cast(field.type) for field in fields]
    return pa.StructArray.from_arrays(arrays, fields=fields)


def rows_as_lists(values: pa.Array, width: int) -> pa.ListArray:
    """Cut an array into lists of one width.

    >>> rows_as_lists(pa.array([1, 2, 3, 4]), 2).to_pylist()
    [[1, 2], [3, 4]]
    """
    offsets = np.arange(0, len(values) + 1, width, dtype=np.int32)
    return pa.ListArray.from_arrays(pa.array(offsets), values)


def example_ids(method: str, seed: int, first: int, count: int) -> pa.StringArray:
    """Return the ids of examples ``first`` to ``first + count - 1``.

    >>> example_ids("sub2", 7, 3, 2).to_pylist()
    ['sub2-7-3', 'sub2-7-4']
    """
    numbers = pc.cast(pa.array(np.arange(first, first + count, dtype=np.int64)), pa.string())
    return pc.binary_join_element_wise(f"{method}-{int(seed)}", numbers, "-")
