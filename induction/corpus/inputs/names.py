"""The usual names of the columns of texts and classes, so that files are read as they come."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import pyarrow as pa
import pyarrow.compute as pc

from grammar.errors import OptionError
from grammar.messages import tell
from induction.corpus.column_names import LABEL_NAMES, MIXED, PAIR_NAMES, TEXT_NAMES
from induction.corpus.corpus import COLUMNS
from induction.corpus.validity import is_list

__all__ = ["has_text", "renamed_by_use"]

_FEWEST = 2
_LOOKED_AT = 200
_LONG = 3
"""Words that long texts have at least, on average."""
_LONGEST_NAME = 6


def has_text(table: pa.Table, rename: Mapping[str, str]) -> bool:
    """Say whether a column is called as texts are, or becomes one.

    >>> has_text(pa.table({"Review": ["good"]}), {}), has_text(pa.table({"tokens": [["a"]]}), {})
    (True, False)
    """
    usual = {name for group in TEXT_NAMES for name in group}
    return any(
        rename.get(field.name, "") == "text" or (_plain(field.name) in usual and _is_text(field))
        for field in table.schema
    )


def _is_text(field: pa.Field) -> bool:
    return bool(pa.types.is_string(field.type) or pa.types.is_large_string(field.type))


def renamed_by_use(
    table: pa.Table,
    rename: Mapping[str, str],
    text: str | None,
    label: str | None,
    *,
    untyped: bool = False,
) -> dict[str, str]:
    """Return which columns get the names ``text`` and ``label``, with those that are asked for.

    What is recognised by a usual name is told, and so is the only column of long texts, whatever
    its name, where no name tells.

    Parameters
    ----------
    table : pyarrow.Table
        As it was read; ``untyped`` if all its values are text.
    rename : mapping
        Names of its columns to new names, as asked for.
    text, label : str, optional
        The columns that hold texts and classes; an empty name: there are no classes.

    Raises
    ------
    OptionError
        If several columns have usual names; the message names the option that says which. If no
        name tells, and the names are like values: then the file has no line of names.

    Examples
    --------
    >>> from grammar.messages import heard_by
    >>> with heard_by(print):
    ...     renamed_by_use(pa.table({"Review": ["good"], "stars": [5]}), {}, None, None)
    text is read from the column 'Review', label from 'stars'
    {'Review': 'text', 'stars': 'label'}
    """
    names = dict(rename)
    for new, old in (("text", text), ("label", label)):
        if old and old != new:
            names[old] = new
    if label is None and MIXED in table.column_names:
        names.setdefault(MIXED, "label")
    found = {} if text is not None else _pairs(table, names)
    names |= {old: new for new, old in found.items()}
    for new, usual, asked in (("text", TEXT_NAMES, text), ("label", LABEL_NAMES, label)):
        there = [names.get(name, name) for name in table.column_names]
        of_pairs = new == "label" and "target" in there  # which have no classes
        if asked is None and new not in there and not of_pairs:
            open_ones = [n for n in table.column_names if n not in names and n not in COLUMNS]
            usable = [n for n in open_ones if _can_be(new, table.column(n))]
            old = _recognised(new, usable, usual)
            if old is None and new == "text" and usable:
                if untyped:
                    _refuse_values(table)
                alone = usable == table.column_names[:1] == there
                old = usable[0] if alone else _only_long(table, usable)
            if old is not None:
                names[old] = new
                found[new] = old
    if found:
        told = (f"{new} {'is read ' * (k == 0)}from " for k, new in enumerate(found))
        columns = (
            f"{'the column ' * (k == 0)}{old[:80]!r}" for k, old in enumerate(found.values())
        )
        tell(", ".join(map("".join, zip(told, columns, strict=True))))
    return names


def _pairs(table: pa.Table, names: Mapping[str, str]) -> dict[str, str]:
    """Return the columns of pairs of texts by what they become; none if there are none."""
    if {"text", "text_pair"} & {names.get(name, name) for name in table.column_names}:
        return {}
    called = {_plain(n): n for n in table.column_names if n not in names}
    for pair in PAIR_NAMES:
        both = [called[name] for name in pair if name in called]
        if len(both) == len(pair) and all(_can_be("text", table.column(name)) for name in both):
            return dict(zip(("text", "text_pair"), both, strict=True))
    return {}


def _recognised(new: str, names: Sequence[str], usual: Iterable[Sequence[str]]) -> str | None:
    for group in usual:
        found = [name for name in names if _plain(name) in group]
        exact = [name for name in found if _plain(name) == new]
        found = exact if len(exact) == 1 else found
        if len(found) >= _FEWEST:
            what = "texts" if new == "text" else "classes"
            raise OptionError(
                f"the columns {', '.join(map(repr, found))} may all hold the {what}",
                hint=f"say which one does: --{new} {found[0]}, or {new}={found[0]!r} in Python",
            )
        if found:
            return found[0]
    return None


def _only_long(table: pa.Table, names: Sequence[str]) -> str | None:
    """Return the only column whose values have several words, on average."""
    found = []
    for name in names:
        values = table.column(name).slice(0, _LOOKED_AT).drop_null().to_pylist()
        words = sum(len(value.split()) for value in values)
        if values and words >= _LONG * len(values):
            found.append(name)
    return found[0] if len(found) == 1 else None


def _refuse_values(table: pa.Table) -> None:
    """Refuse names of columns that are no names, but the values of a first row."""
    names = table.column_names
    for number, name in enumerate(names):
        is_number = name.strip().replace(".", "", 1).isdigit()
        long = len(name.split()) > _LONGEST_NAME
        if is_number and len(names) > 1:
            numeric = table.column(number).slice(0, _LOOKED_AT).to_pylist()
            is_number = bool(numeric) and all(
                str(cell or "").strip().replace(".", "", 1).isdigit() for cell in numeric
            )
        if (is_number and len(names) > 1) or long:
            raise OptionError(
                f"the first line seems to be no line of names, but a row: {name!r:.60}",
                hint="put the names of the columns above, such as label,text; in Python "
                "names=['label', 'text']; or say which column holds the texts: --text NAME",
            )


def _plain(name: str) -> str:
    return name.strip().casefold().replace(" ", "_").replace("-", "_")


def _can_be(new: str, column: pa.ChunkedArray) -> bool:
    """Say whether values of a column can be texts, or classes."""
    kind = column.type
    if pa.types.is_dictionary(kind):
        kind = kind.value_type
    stringy = pa.types.is_string(kind) or pa.types.is_large_string(kind)
    if new == "text" or stringy:
        return bool(stringy)
    if pa.types.is_floating(kind):
        valid = column.drop_null()
        return bool(pc.all(pc.equal(pc.floor(valid), valid)).as_py())
    return bool(pa.types.is_integer(kind) or pa.types.is_boolean(kind) or is_list(kind))
