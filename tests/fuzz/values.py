"""Values of each kind, put into any field of what a file holds.

What a file holds is lists and mappings down to values and columns. One place of it is changed: its
value becomes one of another kind, or that of another field, or it is there twice or not at all.
"""

from __future__ import annotations

import copy
import random
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pyarrow as pa

__all__ = ["DEEP", "changed_value"]

DEEP = "\ufdd0deep"
"""Stands for lists that are nested deeper than what writes them could go."""

_VALUES: tuple[Any, ...] = (
    None, True, False, 0, 1, 2, -1, -7, 255, 4096, 2**31 - 1, 2**31, -(2**31) - 1, 2**53 + 1,
    2**62, 2**63, -(2**63) - 1, 2**64, 10**30, 10**400, 0.5, -0.5, 1.5, 1e-320, 1e308,
    float("nan"),
    float("inf"), float("-inf"), "", " ", "a", "a b", "0", "-1", "nan", "none", "true",
    "x" * 50_000,
    "a\0b", "\ud800", "\ufeffa", "a\nb", "é", "(", "(S (A a", "../../x", "/no/such", "C:\\x",
    "http://127.0.0.1:9/x", "s3://no/x", [], [[]], [None], [0], [-1, 1], ["a"], ["a", 1],
    [0.5, 0.5], ["a", None], [None, "b"], [[0, 1, None]], [{"start": 0, "end": None, "label": "a"}],
    [1] * 3000, {}, {"a": 1}, {"": None}, {"a": {"b": [1]}}, [{}], DEEP,
)  # fmt: skip
_INTEGERS = (
    0, 1, 2, -1, -2, 7, 255, 2**15, 2**31 - 1, 2**31, -(2**31), 2**62, 2**63 - 1, -(2**63)
)  # fmt: skip
_NUMBERS = (float("nan"), float("inf"), -float("inf"), -1.0, 0.0, 0.5, 2.0, 1e308, 1e-320)
_TEXTS = ("", " ", "a", "a b", "x" * 5000, "a\0b", "(", "\n", "(S (A a))", "é", "-LRB-", "⟨0⟩")
_KINDS = (
    pa.int8(), pa.uint8(), pa.int32(), pa.int64(), pa.uint64(), pa.float32(), pa.float64(),
    pa.bool_(), pa.string(), pa.large_string(), pa.binary(), pa.list_(pa.int64()),
    pa.list_(pa.string()), pa.struct({"a": pa.int64()}), pa.null(), pa.timestamp("us"),
    pa.dictionary(pa.int32(), pa.string()), pa.large_binary(), pa.string_view(), pa.float16(),
    pa.decimal128(20, 2), pa.timestamp("us", "No/Such"), pa.timestamp("ns", "UTC"), pa.date64(),
    pa.large_list(pa.string()), pa.list_view(pa.string()), pa.map_(pa.string(), pa.int64()),
    pa.dictionary(pa.int8(), pa.string_view()), pa.run_end_encoded(pa.int32(), pa.string()),
)  # fmt: skip


def changed_value(whole: Any, draw: random.Random) -> Any:
    """Return a copy of what a file holds in which one place is changed, or now and then three."""
    changed = [copy.copy(whole)]
    for _ in range(draw.choice((1, 1, 1, 1, 3))):
        holder, key = _place(changed, draw)
        draw.choice(_WAYS)(changed, holder, key, draw)
    return changed[0] if changed else None


def _place(top: list[Any], draw: random.Random) -> tuple[Any, Any]:
    """Walk down to a place; what holds it on the way is copied, so that it may be changed."""
    holder: Any = top
    key: Any = 0 if top else None
    while key is not None and isinstance(holder[key], dict | list) and holder[key]:
        if draw.random() < 0.15:
            break
        holder[key] = copy.copy(holder[key])
        holder = holder[key]
        key = draw.choice(list(holder) if isinstance(holder, dict) else range(len(holder)))
    return holder, key


def _replace(top: list[Any], holder: Any, key: Any, draw: random.Random) -> None:
    if key is None:
        return
    held = holder[key]
    if isinstance(held, np.ndarray | pa.Array) and draw.random() < 0.9:
        holder[key] = _other_column(held, draw)
    else:
        holder[key] = draw.choice(_VALUES)


def _remove(top: list[Any], holder: Any, key: Any, draw: random.Random) -> None:
    if holder is not top:
        del holder[key]


def _double(top: list[Any], holder: Any, key: Any, draw: random.Random) -> None:
    if isinstance(holder, list) and holder is not top:
        holder[key:key] = [holder[key]] * draw.choice((1, 1, 40))
    elif isinstance(holder, dict):
        holder[f"{key}2"] = holder[key]
    elif key is not None:
        holder[key] = [holder[key], holder[key]]


def _others(top: list[Any], holder: Any, key: Any, draw: random.Random) -> None:
    """Put the value of another field into this one, or let both change places."""
    other, there = _place(top, draw)
    if key is None or there is None or holder is top or other is top:
        return
    try:
        mine, theirs = holder[key], other[there]
    except LookupError:  # the walk copied what holds it
        return
    holder[key] = theirs
    if draw.random() < 0.5:
        other[there] = mine


def _rename(top: list[Any], holder: Any, key: Any, draw: random.Random) -> None:
    if isinstance(holder, dict):
        name = draw.choice(("", "a", "\0", "../x", f" {key}", str(key).upper(), "__class__"))
        value = holder.pop(key)
        holder[name] = value
    elif key is not None:
        draw.shuffle(holder)


def _resize(top: list[Any], holder: Any, key: Any, draw: random.Random) -> None:
    """Let a list or a mapping have nothing, less, or one more."""
    if key is None:
        return
    held = holder[key]
    if isinstance(held, list):
        cut = draw.choice((0, 1, len(held) // 2))
        holder[key] = [*held, draw.choice(_VALUES)] if draw.random() < 0.5 else held[:cut]
    elif isinstance(held, dict):
        holder[key] = {} if draw.random() < 0.3 else {**held, "surplus": draw.choice(_VALUES)}
    elif isinstance(held, str):
        holder[key] = draw.choice((held * 2, held[:1], held[::-1], f" {held}", f"{held}\0"))
    else:
        _replace(top, holder, key, draw)


_Way = Callable[[list[Any], Any, Any, random.Random], None]
_WAYS: tuple[_Way, ...] = (
    _replace, _replace, _replace, _replace, _replace, _replace, _remove, _double, _others, _rename,
    _resize,
)  # fmt: skip


def _other_column(column: Any, draw: random.Random) -> Any:
    """Return a column of another kind, length or order, or with values that it had not."""
    if isinstance(column, pa.StructArray) and column.type.num_fields and draw.random() < 0.9:
        return _other_fields(column, draw)
    array = pa.array(column) if isinstance(column, np.ndarray) else column
    way = draw.randrange(9)
    if way == 0:
        return _of_kind(array, draw.choice(_KINDS))
    if way == 8:
        return _in_other_form(array, draw)
    if way == 1:
        length = draw.choice((0, 1, len(array) // 2, max(0, len(array) - 1)))
        return array.slice(draw.choice((0, len(array) - length)), length)
    if way == 2:
        return pa.concat_arrays([array] * draw.choice((2, 2, 9)))
    if way == 3 and len(array) > 1:
        order = list(range(len(array)))
        draw.choice((order.reverse, lambda: draw.shuffle(order)))()
        return array.take(pa.array(order, pa.int64()))
    return _with_values(array, draw)


def _other_fields(column: pa.StructArray, draw: random.Random) -> pa.StructArray:
    """Change one of the fields of rows, or give it another name, or leave it out."""
    names = [field.name for field in column.type]
    arrays = [column.field(k) for k in range(len(names))]
    k = draw.randrange(len(names))
    way = draw.randrange(6)
    if way == 0:
        names[k] = draw.choice(("", "a", "id", "text", "label", "tokens", "tree", names[0], "\0"))
    elif way == 1 and len(names) > 1:
        del names[k], arrays[k]
    else:
        arrays[k] = _other_column(arrays[k], draw)
    length = len(column)
    fitting = [_of_length(array, length) for array in arrays]
    return pa.StructArray.from_arrays(fitting, names=names)


def _of_length(array: pa.Array, length: int) -> pa.Array:
    if len(array) >= length:
        return array.slice(0, length)
    return pa.concat_arrays([array, pa.nulls(length - len(array), array.type)])


def _of_kind(array: pa.Array, kind: pa.DataType) -> pa.Array:
    try:
        return array.cast(kind)
    except (pa.ArrowException, ValueError):
        return pa.nulls(len(array), kind)


def _in_other_form(array: pa.Array, draw: random.Random) -> pa.Array:
    """Return the same values as runs, as numbers of a dictionary, or with a null in each list."""
    form = draw.randrange(3)
    if form == 0:
        ends = pa.array(range(1, len(array) + 1), pa.int32())
        return pa.RunEndEncodedArray.from_arrays(ends, array)
    if form == 1:
        numbers = [draw.choice((None, row, len(array))) for row in range(len(array))]
        values = pa.concat_arrays([array, pa.nulls(1, array.type)])
        return pa.DictionaryArray.from_arrays(pa.array(numbers, pa.int32()), values)
    if not pa.types.is_list(array.type):
        return pa.nulls(len(array), array.type)
    return pa.array([row and [*row[:-1], None] for row in array.to_pylist()], array.type)


def _with_values(array: pa.Array, draw: random.Random) -> pa.Array:
    """Return a column in which one value, some or all are others."""
    rows = set(draw.choice(list(_rows(len(array), draw))))
    kind = array.type
    if pa.types.is_integer(kind):
        number = draw.choice((*_INTEGERS, len(array), len(array) + 1))
        bits, signed = kind.bit_width, pa.types.is_signed_integer(kind)
        lowest = -(2 ** (bits - 1)) if signed else 0
        highest = 2 ** (bits - signed) - 1
        value: Any = min(max(number, lowest), highest)
    elif pa.types.is_floating(kind):
        value = draw.choice(_NUMBERS)
    elif pa.types.is_boolean(kind):
        value = draw.random() < 0.5
    elif pa.types.is_string(kind) or pa.types.is_large_string(kind):
        value = draw.choice(_TEXTS)
    elif pa.types.is_list(kind) or pa.types.is_large_list(kind):
        inner = array.flatten()
        value = draw.choice(([], None, inner[:1].to_pylist(), inner[:3].to_pylist()))
    else:
        value = None
    if draw.random() < 0.15:
        value = None
    held = array.to_pylist()
    return pa.array([value if k in rows else each for k, each in enumerate(held)], kind)


def _rows(length: int, draw: random.Random) -> Iterator[range]:
    first = draw.randrange(length) if length else 0
    yield range(first, first + 1)
    yield range(min(1, length))
    yield range(first, length)
    yield range(length)
