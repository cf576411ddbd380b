"""New examples as a table, built from whole arrays: ids, columns, and what made each."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from grammar.arrays import FloatArray, LongArray
from induction.corpus.corpus import PROVENANCE
from sampling.examples.splicing import as_lists

__all__ = ["as_spans", "example_table"]


def example_table(
    method: str,
    version: str,
    seed: int,
    index: LongArray,
    columns: Mapping[str, Any],
    *,
    rules: pa.ListArray,
    log_probability: FloatArray,
    parents: pa.ListArray | None = None,
    spans: pa.ListArray | None = None,
) -> pa.Table:
    """Return the examples of a seed with these numbers.

    Parameters
    ----------
    method, version : str
        What makes them.
    seed : int
        Of the stream.
    index : int64[n]
        The numbers of the examples in the stream.
    columns : mapping of str to Arrow array
        Beside ``id`` (the method, the seed and the number, unless it is given) and ``provenance``.
    rules, parents, spans : Arrow lists
        As :data:`~induction.corpus.corpus.PROVENANCE` has them, one list an example
        (:func:`~sampling.examples.splicing.as_lists`, :func:`as_spans`); empty by default.
    log_probability : float64[n]
        Of each derivation.

    Examples
    --------
    >>> table = example_table(
    ...     "sub2", "1", 7, np.array([3, 4]), {"text": pa.array(["a b", "c d"])},
    ...     rules=as_lists([0, 5, 1, 4], 2), log_probability=np.log([0.5, 0.25]))
    >>> table.column("id").to_pylist()
    ['sub2-7-3', 'sub2-7-4']
    >>> table.column("provenance")[1]["rules"].as_py()
    [1, 4]
    """
    count = len(index)
    numbers = pc.cast(pa.array(index, pa.int64()), pa.string())
    made_by = {
        "method": pa.repeat(method, count),
        "version": pa.repeat(version, count),
        "seed": pa.repeat(pa.scalar(int(seed), pa.int64()), count),
        "index": pa.array(index, pa.int64()),
        "parents": parents,
        "spans": spans,
        "rules": rules,
        "log_probability": pa.array(log_probability, pa.float64()),
    }
    none = np.zeros(count + 1, np.int64)
    arrays = [
        as_lists(pa.array([], kind.value_type), none) if made_by[name] is None
        else made_by[name].cast(kind)
        for name, kind in ((field.name, field.type) for field in PROVENANCE)
    ]  # fmt: skip
    return pa.table(
        {
            "id": pc.binary_join_element_wise(f"{method}-{int(seed)}", numbers, "-"),
            **columns,
            "provenance": pa.StructArray.from_arrays(arrays, fields=list(PROVENANCE)),
        }
    )


def as_spans(start: Any, end: Any, offsets: LongArray | int) -> pa.ListArray:
    """Return spans of words, given by first word and the word behind the last, as Arrow lists.

    ``offsets`` is where the spans of each example begin, or how many every example has.

    >>> as_spans(np.array([0, 2]), np.array([1, 4]), 2).to_pylist()
    [[{'start': 0, 'end': 1}, {'start': 2, 'end': 4}]]
    """
    kind = PROVENANCE.field("spans").type.value_type
    ends = [pa.array(np.ravel(values).astype(np.int32)) for values in (start, end)]
    return as_lists(pa.StructArray.from_arrays(ends, fields=list(kind)), offsets)
