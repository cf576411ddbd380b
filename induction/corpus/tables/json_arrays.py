"""JSON that is not lines of objects: an array of them, columns, or what annotation tools export.

It is rewritten as lines, which are then read as all others. Each object keeps its line, where it
has one, so that messages name it.
"""

from __future__ import annotations

import codecs
import json
import re
from collections import Counter
from collections.abc import Collection
from typing import Any

from grammar.errors import CorpusError, located
from grammar.messages import tell
from induction.corpus.annotated.assistants import rows_of_assistants
from induction.corpus.annotated.exports import (
    Export,
    annotated_rows,
    export_of,
    with_classes_alike,
)
from induction.corpus.annotated.keyed import classes_of_texts, texts_of_classes
from induction.corpus.annotated.nested import rows_of_intents, rows_of_parts, without_wrappers
from induction.corpus.column_names import TEXT_NAMES
from induction.corpus.rows import Skipped

__all__ = ["lines_of_json"]

_ROWS = ("data", "rows", "examples", "items", "records", "train", "common_examples", "utterances")
"""Fields of an object that hold the rows of a corpus."""
_TEXTS = {name for group in TEXT_NAMES for name in group}
_LOOKED_AT = 50
_BEGINNING = 1 << 20
_MAY_BE_EXPORTED = re.compile(
    rb'\[\s*\d+\s*,\s*\d+\s*,\s*"|"_input_hash"|"_task_hash"|"annotations?"|"completions"|"textContent"'
    rb'|"data"\s*:\s*\[|"startPos"|"startCharIndex"|"offset"|"body"'
    rb'|"cats"\s*:\s*\{|"answer"\s*:\s*"(?:accept|reject|ignore)"'
    rb'|"start"\s*:\s*\d+|"start_offset"|"startOffset"|"start_char"|"begin"|"labels"'
)


def lines_of_json(
    data: bytes, path: str, *, skips: bool = False
) -> tuple[bytes, bool, tuple[Skipped, ...]]:
    r"""Return JSON as lines of objects, whether these are the lines of the file, and what is not.

    A row that is left out becomes an empty line, so that the numbers of the others stay.

    Parameters
    ----------
    data : bytes
        UTF-8.
    path : str
        For messages.
    skips : bool
        Leave rows out that are no rows of the tool that exported the others.

    Raises
    ------
    CorpusError
        If it is one value of JSON that holds no rows, or (unless skipped) a row is none of its
        tool.

    Examples
    --------
    >>> lines_of_json(b'[{"text": "a"},\n {"text": "b"}]', "a.json")
    (b'{"text": "a"}\n{"text": "b"}', False, ())
    >>> lines_of_json(b'{"text": "a"}\n', "a.jsonl")
    (b'{"text": "a"}\n', True, ())
    """
    bare = data.removeprefix(codecs.BOM_UTF8).lstrip()
    first = bare[: bare.find(b"\n") + 1] or bare
    _refuse_almost_lines(first, path)
    if bare[:1] == b"[" or not _is_line(first) or _is_columns(bare, path):
        rows = _rows(bare, path)
        if rows is not None:
            found, skipped = _exported(rows, path, skips)
            lines = (b"" if row is None else json.dumps(row).encode() for row in found)
            return b"\n".join(lines), False, skipped
    if _MAY_BE_EXPORTED.search(data, 0, _BEGINNING):
        data, skipped = _exported_lines(data, path, skips)
        return data, True, skipped
    return data, True, ()


def _refuse_almost_lines(first: bytes, path: str) -> None:
    """Refuse lines that are almost objects: with commas between, or as Python writes them."""
    line = first.strip()
    if line.startswith(b"{") and line.endswith(b"},") and _object(line[:-1]) is not None:
        raise CorpusError(
            "a comma stands behind the object of the line",
            where=f"{path}:1",
            hint="leave the commas between lines out, or put [ before the first and ] behind the "
            "last, and name it .json",
        )
    if line.startswith(b"{'"):
        raise CorpusError(
            "this is a dictionary as Python prints it, and no JSON",
            where=f"{path}:1",
            hint='JSON has double quotes: write lines with json.dumps(row), as {"text": "..."}',
        )


def _is_line(line: bytes) -> bool:
    return line.strip().startswith(b"{") and line.strip().endswith(b"}")


def _is_columns(bare: bytes, path: str) -> bool:
    """Say whether a file named as JSON is a single object: its columns, or rows under a name."""
    return path.endswith((".json", ".json.gz")) and bare.find(b"\n") in (-1, len(bare) - 1)


def _ends_on_its_line(bare: bytes, error: ValueError) -> bool:
    """Say whether what is at fault is that other lines follow a whole value."""
    extra = isinstance(error, json.JSONDecodeError) and error.msg == "Extra data"
    return extra and b"\n" in bare[: getattr(error, "pos", 0)]


def _rows(bare: bytes, path: str) -> list[Any] | None:
    """Return the rows of a file that is one value of JSON; None if it is not one."""
    try:
        value = json.loads(bare, object_pairs_hook=_once)
    except ValueError as error:
        if bare[:1] != b"[" or _ends_on_its_line(bare, error):
            return None  # it is said of its lines what is wrong with them
        raise CorpusError(
            f"the array of JSON does not end well: {error}",
            where=path,
            hint="close it with ]; or write an object a line, without brackets and commas around",
        ) from None
    if isinstance(value, dict):
        with located(path):
            parts = rows_of_parts(value)
        if parts is not None:
            tell(f"{path} is read as pairs of text and class: {parts[1]}")
        pairs = annotated_rows(value) if parts is None else parts[0]
        value = _rows_of_object(value) if pairs is None else pairs
    rows = value if isinstance(value, list) else None
    if rows is not None:
        rows, form = without_wrappers(rows)
        if form is not None:
            tell(f"{path} is read as {form}")
    if rows is None or not (
        all(isinstance(row, dict) or export_of(row) for row in rows) or _are_annotated(rows)
    ):
        raise CorpusError(
            "this is JSON, but not an array of objects",
            where=path,
            hint='write [{"text": "...", "label": "..."}, ...], or an object a line',
        )
    return rows


def _are_annotated(rows: list[Any]) -> bool:
    """Say whether rows are those of a tool, or null where the annotator passed a text over."""
    given = [row for row in rows if row is not None]
    return bool(given) and all(map(export_of, given))


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(pairs)
    if len(made) < len(pairs):
        twice = Counter(name for name, _ in pairs).most_common(1)[0][0]
        raise CorpusError(
            f"an object has two values of {twice!r}", hint="give one of them another name"
        )
    return made


def _rows_of_object(value: dict[str, Any]) -> Any:
    """Return the rows that an object holds: under a name, as columns, or as pandas writes them."""
    if isinstance(value.get("rasa_nlu_data"), dict):
        value = value["rasa_nlu_data"]
    if isinstance(value.get("columns"), list) and isinstance(value.get("data"), list):
        return [_named_row(value["columns"], row, at) for at, row in enumerate(value["data"])]
    if (utterances := rows_of_assistants(value) or rows_of_intents(value)) is not None:
        return utterances
    if isinstance(value.get("assets"), dict) and "utterances" in value["assets"]:
        value = value["assets"]
    under = [value[name] for name in _ROWS if isinstance(value.get(name), list)]
    if len(under) == 1 and all(isinstance(row, dict) for row in under[0]):
        return under[0]
    columns = list(value.values())
    if columns and all(isinstance(column, dict) for column in columns):
        numbers = list(columns[0])
        named = _TEXTS.intersection(map(str.casefold, numbers)) or _under_ids(value, numbers)
        if named and not _TEXTS.intersection(value):
            return [{"id": name, **row} for name, row in value.items()]
        if all(list(column) == numbers for column in columns):
            return [{name: value[name][number] for name in value} for number in numbers]
    are_lists = all(isinstance(column, list) for column in columns)
    if (texts := texts_of_classes(value)) is not None:
        return texts
    if (classes := classes_of_texts(value)) is not None:
        return [{"text": text, "label": one} for text, one in zip(value, classes, strict=True)]
    # a single example of tokens and tags has lists of one length, too
    if (
        are_lists
        and _TEXTS.intersection(map(str.casefold, value))
        and len({len(column) for column in columns}) == 1
    ):
        return [dict(zip(value, row, strict=True)) for row in zip(*columns, strict=True)]
    return [value]


def _under_ids(names: Collection[str], within: Collection[str]) -> bool:
    """Say whether names are of rows, and those within them of columns, and not the reverse.

    >>> _under_ids(["114_twitter", "115_twitter"], ["post_id", "post_tokens"])
    True
    >>> _under_ids(["x1", "x2"], ["0", "1"])
    False
    """
    have_digits, within_have = (
        [any(map(str.isdigit, name)) for name in each] for each in (names, within)
    )
    return all(have_digits) and not any(within_have)


def _named_row(names: list[Any], row: Any, at: int) -> dict[str, Any]:
    """Return a row of ``{"columns": [...], "data": [[...]]}``."""
    if not all(isinstance(name, str) for name in names):
        raise CorpusError("a name in 'columns' is no text", hint="name columns by texts")
    if not isinstance(row, list) or len(row) != len(names):
        raise CorpusError(
            f"row {at + 1} of 'data' is no list of {len(names)} values",
            hint="give a value for each of 'columns'",
        )
    return dict(zip(names, row, strict=True))


def _exported(rows: list[Any], path: str, skips: bool) -> tuple[list[Any], tuple[Skipped, ...]]:
    found = next(filter(None, map(export_of, rows[:_LOOKED_AT])), None)
    if found is None:
        return rows, ()
    read, skipped = _read_as(found, dict(enumerate(rows)), f"{path}, row ", skips)
    _tell(found, path, sum(row is None for row in read.values()))
    made = dict(zip(read, with_classes_alike(list(read.values())), strict=True))
    return [made.get(number) for number in range(len(rows))], skipped


def _exported_lines(data: bytes, path: str, skips: bool) -> tuple[bytes, tuple[Skipped, ...]]:
    """Return lines of objects, as they are read here if a tool exports such ones."""
    lines = data.removeprefix(codecs.BOM_UTF8).split(b"\n")
    first = [row for row in map(_object, lines[: 4 * _LOOKED_AT]) if row is not None]
    found = next(filter(None, map(export_of, first[:_LOOKED_AT])), None)
    if found is None:
        return data, ()
    # what is wrong with a line that is no object is said when it is read
    objects = {number: row for number, row in enumerate(map(_object, lines)) if row is not None}
    read, skipped = _read_as(found, objects, f"{path}:", skips)
    for number, made in zip(read, with_classes_alike(list(read.values())), strict=True):
        lines[number] = b"" if made is None else json.dumps(made).encode()
    for number in objects.keys() - read.keys():
        lines[number] = b""
    _tell(found, path, sum(made is None for made in read.values()))
    return b"\n".join(lines), skipped


def _read_as(
    export: Export, rows: dict[int, Any], where: str, skips: bool
) -> tuple[dict[int, Any], tuple[Skipped, ...]]:
    """Return rows as a tool means them, by their numbers, and those that are left out."""
    read, skipped = {}, []
    for number, row in rows.items():
        try:
            read[number] = None if row is None else export.read(row)
        except CorpusError as error:
            place = f"{where}{number + 1}"
            if not skips:
                raise CorpusError(error.what, where=place, hint=error.hint) from None
            skipped.append(Skipped(place, error.what, row))
    return read, tuple(skipped)


def _object(line: bytes) -> Any:
    try:
        value = json.loads(line) if line.strip() else None
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict | list) else None


def _tell(export: Export, path: str, left: int) -> None:
    rest = f"; {left:,} rows that were not accepted are left out" if left else ""
    tell(f"{path} is read as an export of {export.name}{rest}")
