"""Names of classes that are numbers, as Hugging Face notes them in Parquet and Arrow files.

In memory a column has them in the metadata of its field, so that a column in its place has none.

References
----------
https://huggingface.co/docs/datasets/about_dataset_features
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from induction.corpus.column_names import LABEL_NAMES
from induction.corpus.validity import is_list

__all__ = ["class_names_of", "field_with_names", "names_of_classes", "noted", "with_class_names"]

_NAMES = b"class_names"
_HUGGING_FACE = b"huggingface"
_OF_CLASSES = {name for group in LABEL_NAMES for name in group}


def names_of_classes(metadata: Mapping[bytes, bytes] | None) -> dict[str, list[str]]:
    """Return what Hugging Face notes of columns of classes: the names that numbers stand for.

    >>> info = b'{"info": {"features": {"label": {"names": ["no", "yes"], "_type": "ClassLabel"}}}}'
    >>> names_of_classes({b"huggingface": info})
    {'label': ['no', 'yes']}
    """
    try:
        features = json.loads((metadata or {})[_HUGGING_FACE])["info"]["features"]
        found = {name: _names_within(one) for name, one in features.items()}
    except (KeyError, TypeError, ValueError, AttributeError, RecursionError):
        return {}
    return {name: own for name, own in found.items() if _are_names(own)}


def _names_within(feature: Any) -> Any:
    """Return the names of a feature, or of those that its lists hold."""
    inner = feature.get("feature", feature)
    return inner.get("names") if isinstance(inner, dict) else None


def _are_names(names: Any) -> bool:
    return (
        isinstance(names, list)
        and bool(names)
        and all(isinstance(one, str) for one in names)
        and len({*names}) == len(names)
    )


def field_with_names(field: pa.Field, names: Sequence[str]) -> pa.Field:
    """Return a field of numbers of classes with their names; any other as it is."""
    if not names or not pa.types.is_integer(field.type):
        return field
    return field.with_metadata({_NAMES: json.dumps(list(names))})


def with_class_names(table: pa.Table, names: Mapping[str, Sequence[str]]) -> pa.Table:
    """Return a table whose columns of numbers have names for these.

    Lists of numbers in a column of classes, which are sets of classes, become lists of names.

    >>> given = with_class_names(pa.table({"label": [1, 0]}), {"label": ["no", "yes"]})
    >>> class_names_of(given)
    ('no', 'yes')
    >>> given = pa.table({"text": ["a"], "labels": [[1, 0]]})
    >>> with_class_names(given, {"labels": ["no", "yes"]}).to_pylist()
    [{'text': 'a', 'labels': ['yes', 'no']}]
    """
    if not names:
        return table
    if not {"tokens", "words"} & {*table.column_names}:  # beside these, they are tags of words
        for name in names.keys() & {*table.column_names} & _OF_CLASSES:
            table = _with_named_sets(table, name, names[name])
    fields = [field_with_names(field, names.get(field.name, ())) for field in table.schema]
    return pa.Table.from_arrays(table.columns, schema=pa.schema(fields, table.schema.metadata))


def _with_named_sets(table: pa.Table, name: str, names: Sequence[str]) -> pa.Table:
    column = table.column(name)
    if not (is_list(column.type) and pa.types.is_integer(column.type.value_type)):
        return table
    rows = column.to_pylist()
    if not all(0 <= (one or 0) < len(names) for row in rows for one in row or ()):
        return table
    sets = [row and [None if one is None else names[one] for one in row] for row in rows]
    place = table.column_names.index(name)
    return table.set_column(place, name, pa.array(sets, pa.list_(pa.string())))


def class_names_of(table: pa.Table, name: str = "label") -> tuple[str, ...]:
    """Return the names of the classes of a column; none if it has none, or other numbers."""
    names = _names_of(table.schema.field(name)) if name in table.column_names else ()
    most = pc.max(table.column(name)).as_py() if names else None
    return names if most is None or most < len(names) else ()


def _names_of(field: pa.Field) -> tuple[str, ...]:
    try:
        names = json.loads((field.metadata or {})[_NAMES])
    except (KeyError, ValueError, RecursionError):
        return ()
    return tuple(names) if _are_names(names) and pa.types.is_integer(field.type) else ()


def noted(schema: pa.Schema) -> pa.Schema:
    """Return a schema that notes names of classes as Hugging Face reads them.

    >>> schema = with_class_names(pa.table({"label": [1]}), {"label": ["no", "yes"]}).schema
    >>> names_of_classes(noted(schema).metadata)
    {'label': ['no', 'yes']}
    """
    features = {
        field.name: {"names": list(names), "_type": "ClassLabel"}
        for field in schema
        if (names := _names_of(field))
    }
    if not features:
        return schema
    plain = [field.with_metadata(None) if _names_of(field) else field for field in schema]
    info = json.dumps({"info": {"features": features}})
    # the library takes numbers of 64 bits alone for classes
    return pa.schema(plain, {_HUGGING_FACE: info})
