"""Texts under the codes of their languages, as data sets of translations have them."""

from __future__ import annotations

import pyarrow as pa

from grammar.messages import tell

__all__ = ["with_pair_of_languages"]

_COLUMN = "translation"
_PAIR = 2


def with_pair_of_languages(table: pa.Table) -> pa.Table:
    """Return a table with ``text`` and ``target`` for a column of texts in two languages.

    It is told. Where there is no such column, or a text already, the table stays as it is.

    >>> from grammar.messages import heard_by
    >>> given = pa.table({"translation": [{"en": "so it is", "de": "so ist es"}]})
    >>> with heard_by(print):
    ...     with_pair_of_languages(given).to_pylist()
    text is read from 'en' of the column 'translation', target from 'de'
    [{'text': 'so it is', 'target': 'so ist es'}]
    """
    if _COLUMN not in table.column_names or {"text", "target"} & {*table.column_names}:
        return table
    kind = table.schema.field(_COLUMN).type
    if not pa.types.is_struct(kind) or kind.num_fields != _PAIR:
        return table
    names = [kind.field(at).name for at in range(_PAIR)]
    if not all(pa.types.is_string(kind.field(at).type) for at in range(_PAIR)):
        return table
    at = table.column_names.index(_COLUMN)
    held = table.select([_COLUMN]).flatten()
    tell(f"text is read from {names[0]!r} of the column {_COLUMN!r}, target from {names[1]!r}")
    table = table.set_column(at, "target", held.column(1))
    return table.add_column(at, "text", held.column(0))
