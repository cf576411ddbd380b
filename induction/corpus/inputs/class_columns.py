"""Columns that are a class each: 0 and 1 for sets of classes, or the shares of a distribution."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from grammar.messages import tell

__all__ = ["columns_of_shares", "indicators_of", "sets_of_rows", "shares_of", "tell_of_parts"]

_LOOKED_AT = 1_000
_NEAR = 0.011
"""Shares are often rounded to two digits."""
_FEWEST = 2
_TESTS = {"test", "dev", "val", "valid", "validation", "eval"}
_PARTS = {"train", "training", *_TESTS}
_YES_OR_NO = {"0", "1"}
_TRUTHS = ({"True", "False"}, {"true", "false"}, {"TRUE", "FALSE"})
_UNKNOWN = {"-1"}
"""What stands in the tests of Kaggle where a class is not told."""


def indicators_of(table: pa.Table) -> list[str]:
    """Return the columns that hold 0 and 1, and -1 where it is not known, or true and false.

    >>> indicators_of(pa.table({"toxic": ["0", "1"], "insult": [0, -1], "stars": [1, 5]}))
    ['toxic', 'insult']
    """
    found = []
    for name, column in zip(table.column_names, table.columns, strict=True):
        kinds = (pa.types.is_string, pa.types.is_integer, pa.types.is_boolean)
        if any(is_kind(column.type) for is_kind in kinds):
            values = {*map(str, pc.unique(column.slice(0, _LOOKED_AT)).to_pylist())}
            if (values & _YES_OR_NO and values <= _YES_OR_NO | _UNKNOWN) or (
                values and any(values <= truths for truths in _TRUTHS)
            ):
                found.append(name)
    return found


def columns_of_shares(table: pa.Table) -> list[str]:
    """Return all columns of numbers from 0 to 1, if they sum to 1 in each row; else none.

    >>> columns_of_shares(pa.table({"bad": ["0.25", "1"], "good": ["0.75", "0"]}))
    ['bad', 'good']
    """
    head = table.slice(0, _LOOKED_AT)
    names = [name for name in table.column_names if _numbers(head.column(name)) is not None]
    if len(names) < _FEWEST or set(names) <= {*indicators_of(head)}:
        return []
    return names if shares_of(head, names) is not None else []


def tell_of_parts(table: pa.Table, path: str) -> None:
    """Tell of a column that says of some rows that they are to be tested on; and of contradictions.

    >>> from grammar.messages import heard_by
    >>> with heard_by(print):
    ...     tell_of_parts(pa.table({"text": ["a", "b"], "fold": ["train", "test"]}), "a.csv")
    a.csv: the column 'fold' says 'test' of some rows, and all rows are read
    """
    for name, column in zip(table.column_names, table.columns, strict=True):
        if name not in ("text", "label") and pa.types.is_string(column.type):
            values = {one for one in pc.unique(column).to_pylist() if one}
            tests = sorted(one for one in values if one.casefold() in _TESTS)
            if tests and len(values) > 1 and {one.casefold() for one in values} <= _PARTS:
                tell(
                    f"{path}: the column {name!r} says {tests[0]!r} of some rows, and all rows are "
                    "read"
                )
    if {"text_pair", "target"} & {*table.column_names} or "label" not in table.column_names:
        return
    if pa.types.is_nested(table.schema.field("label").type):
        return
    found = table.select(["text", "label"]).group_by("text").aggregate(
        [("label", "count_distinct")]
    )  # fmt: skip
    several = found.filter(pc.greater(found.column("label_count_distinct"), 1))
    if several.num_rows:
        tell(
            f"{path}: {several.num_rows:,} texts are there with several classes, such as "
            f"{several.column('text')[0].as_py()!r:.40}"
        )


def shares_of(table: pa.Table, names: Sequence[str]) -> pa.Array | None:
    """Return distributions over classes that have a column each; None if they are none.

    >>> table = pa.table({"bad": ["0.25", "1"], "good": ["0.75", "0"]})
    >>> shares_of(table, ["bad", "good"]).to_pylist()
    [{'bad': 0.25, 'good': 0.75}, {'bad': 1.0, 'good': 0.0}]
    """
    numbers = [_numbers(table.column(name)) for name in names]
    if not table.num_rows or any(column is None for column in numbers):
        return None
    shares: Any = np.array(numbers)
    total = shares.sum(0)
    if np.abs(total - 1).max() > _NEAR or (shares == shares.round()).all():
        return None
    arrays = [pa.array(share / total, pa.float32()) for share in shares]
    return pa.StructArray.from_arrays(arrays, list(names))


def sets_of_rows(column: pa.Array, names: Sequence[str] = ()) -> pa.Array | None:
    """Return sets of classes for lists of 0 and 1, a place for each class; else None.

    Classes have the numbers of their places, unless they have ``names``. Lists that all sum to 1
    are distributions, each of a single class.

    >>> sets_of_rows(pa.array([[1, 0, 1], [0, 0, 0], None])).to_pylist()
    [['0', '2'], [], None]
    >>> sets_of_rows(pa.array([[1, 0], [0, 1]])) is None
    True
    """
    there = column.drop_null()
    widths = pc.unique(pc.list_value_length(there)).to_pylist()
    flat = there.flatten()
    if len(widths) != 1 or widths[0] < _FEWEST or flat.null_count:
        return None
    rows = flat.to_numpy(zero_copy_only=False).reshape(len(there), widths[0])
    if not np.isin(rows, (0, 1)).all() or (rows.sum(1) == 1).all():
        return None
    called = names or [str(at) for at in range(widths[0])]
    sets = iter([[called[at] for at in np.flatnonzero(row).tolist()] for row in rows])
    made = [next(sets) if valid else None for valid in column.is_valid().to_pylist()]
    return pa.array(made, pa.list_(pa.string()))


def _numbers(column: pa.ChunkedArray) -> Any:
    """Return the values of a column as numbers from 0 to 1; None if some are none."""
    kind = column.type
    if column.null_count or not (
        pa.types.is_string(kind) or pa.types.is_floating(kind) or pa.types.is_integer(kind)
    ):
        return None
    try:
        values = column.cast(pa.float64()).to_numpy()
    except pa.ArrowInvalid:
        return None
    return values if len(values) and values.min() >= 0 and values.max() <= 1 else None
