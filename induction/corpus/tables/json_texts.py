"""JSON of whole columns, in Arrow's kernels; byte for byte what Python's ``json`` writes.

Rows that become Python objects one by one cost more than the examples in them. Here a column of
structs is its fields' texts with names between, and a list its items' texts joined; only strings
with signs to escape and very small and large floats, which are few, are seen by Python.
"""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

__all__ = ["TEXT", "has_text", "is_nested", "is_text", "joined", "json_texts", "number_texts"]

TEXT = pa.large_string()
_ESCAPED = r'["\\\x00-\x1f]'
_LEAST, _MOST = 1e-4, 1e9
"""Between these Arrow writes numbers as Python does, but for those that are whole."""
_NO_NUMBERS = {"nan": "NaN", "inf": "Infinity", "-inf": "-Infinity"}


def json_texts(values: pa.Array) -> pa.Array:
    r"""Return the JSON of each value, as ``json.dumps(value, ensure_ascii=False)`` writes it.

    Parameters
    ----------
    values : pyarrow.Array
        Of n values of any type.

    Returns
    -------
    pyarrow.Array
        Of n large strings, none of them null.

    Raises
    ------
    TypeError
        If JSON has no such values, as bytes. Dates, times and decimal numbers are their texts.

    Examples
    --------
    >>> json_texts(pa.array([{"a": [1, None], "b": 'say "x"'}, None])).to_pylist()
    ['{"a": [1, null], "b": "say \\"x\\""}', 'null']
    """
    kind = values.type
    if is_text(kind):
        texts = _quoted(values.cast(TEXT))
    elif pa.types.is_integer(kind) or pa.types.is_boolean(kind):
        texts = values.cast(TEXT)
    elif kind in (pa.float32(), pa.float64()):
        texts = number_texts(values, _NO_NUMBERS)
    elif pa.types.is_list(kind) or pa.types.is_large_list(kind):
        texts = _of_lists(values)
    elif pa.types.is_struct(kind) and len({f.name for f in kind}) == kind.num_fields:
        texts = _of_structs(values)
    else:
        texts = _one_by_one(values)
    return pc.fill_null(texts, "null")


def number_texts(values: pa.Array, names: dict[str, str] | None = None) -> pa.Array:
    """Return floats as Python writes them, null where they are; names are of what is no number.

    A number of 32 bits has as many digits as tell it from all others of 32 bits.

    >>> number_texts(pa.array([0.1, None, 1e22, float("nan")]), {"nan": "NaN"}).to_pylist()
    ['0.1', None, '1e+22', 'NaN']
    >>> number_texts(pa.array([2 / 11], pa.float32())).to_pylist()
    ['0.18181819']
    """
    numbers = values if values.type == pa.float32() else values.cast(pa.float64())
    texts = numbers.cast(TEXT)
    whole = pc.invert(pc.match_substring(texts, "."))
    texts = pc.if_else(whole, joined(texts, ".0"), texts)
    size = pc.abs(numbers)
    alike = pc.or_(
        pc.equal(size, 0.0),
        pc.and_(pc.greater_equal(size, _LEAST), pc.less(size, _MOST)),
    )
    others = pc.invert(pc.fill_null(alike, True))
    if not pc.any(others).as_py():
        return texts
    found = numbers.filter(others).to_numpy(zero_copy_only=False)
    written = [repr(float(str(number))) for number in found]
    renamed = pa.array([(names or {}).get(text, text) for text in written], TEXT)
    return pc.replace_with_mask(texts, others, renamed)


def is_text(kind: pa.DataType) -> bool:
    """Whether values are strings."""
    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind))


def is_nested(kind: pa.DataType) -> bool:
    """Whether values are lists or dictionaries to Python."""
    return bool(pa.types.is_nested(kind))


def joined(*parts: Any, between: str = "") -> pa.Array:
    """Join columns of texts, or single texts, value by value; null where one is.

    >>> joined("<", pa.array(["a", "b"], TEXT), ">").to_pylist()
    ['<a>', '<b>']
    """
    texts = [pa.scalar(part, TEXT) if isinstance(part, str) else part for part in parts]
    return pc.binary_join_element_wise(*texts, pa.scalar(between, TEXT))


def has_text(kind: pa.DataType) -> bool:
    """Whether values of a kind are texts to a person: bytes and intervals are not.

    >>> has_text(pa.date32()), has_text(pa.binary()), has_text(pa.list_(pa.binary(4)))
    (True, False, False)
    """
    types = pa.types
    if types.is_binary(kind) or types.is_large_binary(kind) or types.is_fixed_size_binary(kind):
        return False
    if types.is_binary_view(kind) or types.is_interval(kind):
        return False
    if types.is_dictionary(kind):
        return has_text(kind.value_type)
    within = range(kind.num_fields) if types.is_nested(kind) else ()
    return all(has_text(kind.field(number).type) for number in within)


def _one_by_one(values: pa.Array) -> pa.Array:
    if not has_text(values.type):
        raise TypeError(f"there is no text of {values.type}")
    return pa.array([_dumped(value) for value in values.to_pylist()], TEXT)


def _dumped(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, default=str)


def _quoted(values: pa.Array) -> pa.Array:
    texts = joined('"', values, '"')
    special = pc.fill_null(pc.match_substring_regex(values, _ESCAPED), False)
    if pc.any(special).as_py():
        texts = pc.replace_with_mask(texts, special, _one_by_one(values.filter(special)))
    return texts


def _of_lists(values: pa.Array) -> pa.Array:
    lengths = pc.fill_null(pc.list_value_length(values), 0).to_numpy(zero_copy_only=False)
    bounds = np.concatenate(([0], np.cumsum(lengths))).astype(np.int64)
    items = pa.LargeListArray.from_arrays(pa.array(bounds), json_texts(values.flatten()))
    texts = joined("[", pc.binary_join(items, pa.scalar(", ", TEXT)), "]")
    return _with_nulls(texts, values)


def _of_structs(values: pa.Array) -> pa.Array:
    parts: list[Any] = []
    for field, column in zip(values.type, values.flatten(), strict=True):
        parts += [f"{', ' if parts else '{'}{_dumped(field.name)}: ", json_texts(column)]
    if not parts:
        return _one_by_one(values)
    return _with_nulls(joined(*parts, "}"), values)


def _with_nulls(texts: pa.Array, values: pa.Array) -> pa.Array:
    if not values.null_count:
        return texts
    return pc.if_else(values.is_valid(), texts, pa.scalar(None, TEXT))
