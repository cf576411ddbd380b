"""What columns of tables may be: their names differ, and their kinds are those that all else knows.

Files of others hold kinds that few functions of Arrow take: views, runs, numbers of 16 bits,
extensions. They are read as the plain kinds that hold the same values.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from grammar.errors import CorpusError

__all__ = ["DEEPEST", "check_names", "leaves", "plain_kind", "plain_table"]

DEEPEST = 40
"""How deep the values of a column may be nested; what is written is read again by all formats."""

_A_SECOND = {"s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9}
_A_DAY = 86_400
_FIRST_DAY, _LAST_DAY = -719_162, 2_932_896
"""The years 1 to 9999, in days from 1970: other days are none to Python."""
_MOST_DAYS = 999_999_999
"""Durations of Python have no more."""


def plain_table(table: pa.Table, source: str) -> pa.Table:
    """Return the same values in columns of plain kinds.

    Raises
    ------
    CorpusError
        If two columns, or two fields of one, have one name, or a column holds values of several
        kinds, too deep ones, ones without a plain kind, or days that no calendar has.

    Examples
    --------
    >>> plain_table(pa.table({"text": pa.array(["a"], pa.string_view())}), "a.parquet").schema
    text: string
    >>> plain_table(pa.table([[1], [2]], names=["a", "a"]), "a.parquet")
    Traceback (most recent call last):
    ...
    grammar.errors.CorpusError: a.parquet: the columns 1 and 2 have one name, 'a'
      hint: rename one of them in the file
    """
    check_names(table.column_names, source)
    for number, field in enumerate(table.schema):
        _check_fields(field.name, field.type, source, DEEPEST)
        kind = plain_kind(field.type)
        if "dictionary" in str(kind) and _has_nulls_among_values(table.column(number)):
            kind = plain_kind(kind, dictionaries=False)
        if kind != field.type:
            column = _as_kind(table.column(number), kind, source)
            table = table.set_column(number, field.name, column)
    for field, column in zip(table.schema, table.columns, strict=True):
        if not all(map(_is_in_time, leaves(column))):
            raise CorpusError(
                f"a value of the column {field.name!r} ({field.type!s:.80}) is no time of the "
                "years 1 to 9999",
                where=source,
                hint="correct the value, or leave the column out",
            )
    return table


def leaves(column: Any) -> Iterator[pa.Array]:
    """Yield the values of a column as arrays of kinds that hold no others.

    >>> [leaf.to_pylist() for leaf in leaves(pa.array([{"a": [1, 2], "b": "c"}]))]
    [[1, 2], ['c']]
    """
    for chunk in column.chunks if isinstance(column, pa.ChunkedArray) else [column]:
        kind = chunk.type
        if pa.types.is_struct(kind):
            for part in chunk.flatten():
                yield from leaves(part)
        elif pa.types.is_map(kind):
            yield from leaves(chunk.keys)
            yield from leaves(chunk.items)
        elif pa.types.is_nested(kind):
            yield from leaves(chunk.flatten())
        else:
            yield chunk


def _is_in_time(leaf: pa.Array) -> bool:
    bounds = _bounds(leaf.type)
    if bounds is None or leaf.null_count == len(leaf):
        return True
    found = pc.min_max(leaf.view(pa.int32() if leaf.type.bit_width == 32 else pa.int64())).as_py()
    return bool(bounds[0] <= found["min"] and found["max"] <= bounds[1])


def _bounds(kind: pa.DataType) -> tuple[int, int] | None:
    """Return the least and the most that Python knows of a kind of times; None of other kinds."""
    types = pa.types
    if types.is_date(kind):
        days = 1 if types.is_date32(kind) else _A_DAY * 1000
        return _FIRST_DAY * days, (_LAST_DAY + 1) * days - 1
    if not types.is_temporal(kind) or types.is_interval(kind):
        return None
    day = _A_DAY * _A_SECOND[kind.unit]
    if types.is_timestamp(kind):
        return _FIRST_DAY * day, (_LAST_DAY + 1) * day - 1
    return (-_MOST_DAYS * day, _MOST_DAYS * day) if types.is_duration(kind) else (0, day - 1)


def check_names(names: Sequence[str], source: str) -> None:
    """Refuse names of columns of which two are alike, or one holds a NUL (CorpusError)."""
    cut = next((name for name in names if "\0" in name), None)
    if cut is not None:
        raise CorpusError(
            f"the name of the column {names.index(cut) + 1} holds a NUL: {cut!a:.80}",
            where=source,
            hint="rename it in the file",
        )
    twice = next((name for name, times in Counter(names).items() if times > 1), None)
    if twice is not None:
        places = [str(k) for k, name in enumerate(names, start=1) if name == twice]
        raise CorpusError(
            f"the columns {', '.join(places[:-1])} and {places[-1]} have one name, {twice!r}",
            where=source,
            hint="rename one of them in the file",
        )


def plain_kind(kind: pa.DataType, *, dictionaries: bool = True) -> pa.DataType:
    """Return the plain kind that holds values of a kind.

    Dictionaries stay if they are of plain values, and if they may: two that hold a null, or lists,
    cannot be put together.

    >>> plain_kind(pa.list_(pa.float16())), plain_kind(pa.struct([("a", pa.string_view())]))
    (ListType(list<item: float>), StructType(struct<a: string>))
    """
    types = pa.types
    if isinstance(kind, pa.BaseExtensionType):
        return plain_kind(kind.storage_type, dictionaries=dictionaries)
    if types.is_run_end_encoded(kind):
        return plain_kind(kind.value_type, dictionaries=dictionaries)
    if types.is_dictionary(kind):
        values = plain_kind(kind.value_type, dictionaries=dictionaries)
        is_kept = dictionaries and values == kind.value_type and not types.is_nested(values)
        return kind if is_kept else values
    if types.is_string_view(kind):
        return pa.string()
    if types.is_binary_view(kind):
        return pa.binary()
    if types.is_float16(kind):
        return pa.float32()
    if types.is_struct(kind):
        parts = (plain_kind(field.type, dictionaries=dictionaries) for field in kind)
        return pa.struct([field.with_type(part) for field, part in zip(kind, parts, strict=True)])
    if not any(is_list(kind) for is_list in _LISTS):
        return kind
    items = kind.value_field.with_type(plain_kind(kind.value_type, dictionaries=dictionaries))
    if types.is_fixed_size_list(kind):
        return pa.list_(items, kind.list_size)
    is_large = types.is_large_list(kind) or types.is_large_list_view(kind)
    return pa.large_list(items) if is_large else pa.list_(items)


_LISTS = (
    pa.types.is_list, pa.types.is_large_list, pa.types.is_fixed_size_list,
    pa.types.is_list_view, pa.types.is_large_list_view,
)  # fmt: skip


def _is_zone(kind: pa.DataType) -> bool:
    """Say whether Python knows the zone of a kind of times, if there is one."""
    try:
        pa.scalar(0, kind).as_py()
    except (pa.ArrowException, ValueError, OSError):
        return False
    return True


def _has_nulls_among_values(column: pa.ChunkedArray) -> bool:
    """Say whether a dictionary in a column has a null among its values, and not in its numbers."""
    found = (leaf for leaf in leaves(column) if pa.types.is_dictionary(leaf.type))
    return any(leaf.dictionary.null_count for leaf in found)


def _as_kind(column: pa.ChunkedArray, kind: pa.DataType, source: str) -> pa.ChunkedArray:
    chunks = column.chunks
    try:
        if isinstance(column.type, pa.BaseExtensionType):
            chunks = [chunk.storage for chunk in chunks]
        if pa.types.is_run_end_encoded(column.type):
            chunks = [pc.run_end_decode(chunk) for chunk in chunks]
        if "list_view" in str(column.type) or _loses_a_dictionary(column.type, kind):
            # Arrow casts views to wrong offsets, and few dictionaries
            chunks = [pa.array(chunk.to_pylist(), kind) for chunk in chunks]
        return pa.chunked_array([chunk.cast(kind) for chunk in chunks], kind)
    except pa.ArrowException as error:
        raise CorpusError(
            f"a column holds {column.type}, which cannot be read: {str(error).splitlines()[0]}",
            where=source,
            hint=f"convert it to {kind}, or leave it out",
        ) from None


def _loses_a_dictionary(kind: pa.DataType, plain: pa.DataType) -> bool:
    return str(kind).count("dictionary<") > str(plain).count("dictionary<")


def _check_fields(name: str, kind: pa.DataType, source: str, room: int) -> None:
    """Refuse a column that is nested too deeply, or two of whose fields have one name."""
    if not room:
        raise CorpusError(
            f"the column {name!r} is nested more than {DEEPEST} deep",
            where=source,
            hint="leave it out, or write it as text",
        )
    if pa.types.is_timestamp(kind) and not _is_zone(kind):
        raise CorpusError(
            f"the times of the column {name!r} are of the zone {kind.tz!r:.80}, which is not known",
            where=source,
            hint="write them in UTC, or leave the column out",
        )
    if pa.types.is_union(kind):
        raise CorpusError(
            f"the column {name!r} holds values of several kinds ({kind!s:.80})",
            where=source,
            hint="give them one kind, or leave the column out",
        )
    if pa.types.is_struct(kind):
        twice = [field for field, times in Counter(f.name for f in kind).items() if times > 1]
        if twice:
            raise CorpusError(
                f"two fields in the column {name!r} have one name, {twice[0]!r}",
                where=source,
                hint="rename one of them in the file",
            )
    if pa.types.is_nested(kind):
        for number in range(kind.num_fields):
            _check_fields(name, kind.field(number).type, source, room - 1)
