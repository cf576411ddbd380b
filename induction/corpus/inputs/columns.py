"""The columns of a file as those of a corpus: renamed, decoded, and checked row by row."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from grammar.arrays import text_bytes
from grammar.errors import CorpusError, OptionError, located
from grammar.hashing import hash_rows
from grammar.messages import tell
from induction.corpus.annotated.spans import with_spans_of_cells
from induction.corpus.annotated.tokens import (
    with_spans_of_tags,
    with_tags_of_words,
    with_text_of_tokens,
)
from induction.corpus.annotated.word_rows import (
    WORD_NAMES,
    sentences_of_words,
    with_lists_of_cells,
)
from induction.corpus.corpus import COLUMNS, OF_WORDS, Corpus, without_text
from induction.corpus.inputs.class_columns import (
    columns_of_shares,
    indicators_of,
    sets_of_rows,
    shares_of,
    tell_of_parts,
)
from induction.corpus.inputs.index import without_index, without_levels
from induction.corpus.inputs.languages import with_pair_of_languages
from induction.corpus.inputs.names import has_text, long_columns, refuse_nested, renamed_by_use
from induction.corpus.rows import Asked, Rows
from induction.corpus.tables.class_names import class_names_of, with_class_names
from induction.corpus.tables.kinds import check_names, plain_table
from induction.corpus.tables.undecodable_objects import MOST_WHOLE
from induction.corpus.text.around import tell_of_surroundings
from induction.corpus.text.damage import tell_of_damage
from induction.corpus.tree_files import with_text_of_trees
from induction.corpus.validity import Fault, is_list, nan_fault, sets_fault, soft_fault, spans_fault

__all__ = ["corpus_of_rows", "renamed"]

Where = Callable[[int], str]
_SOFT, _SETS = pa.list_(pa.float32()), pa.list_(pa.string())
_MOST_CLASSES = 10_000
_LOOKED_AT = 1_000


def corpus_of_rows(rows: Rows, asked: Asked) -> Corpus:
    """Return the rows of a file as a corpus (raises like :func:`read_corpus`)."""
    table = renamed(rows.table, asked, untyped=rows.untyped)
    if rows.untyped and "label" in table.column_names:
        at = table.column_names.index("label")
        table = table.set_column(at, "label", _of_their_form(table.column("label")))
    classes: tuple[str, ...] = ()
    columns = {name: _decoded(name, table.column(name), rows.where) for name in table.column_names}
    if "label" in columns:
        columns["label"], classes = _without_names(columns["label"])
        columns["label"] = _labels(columns["label"], rows.where, classes)
        classes = () if _is_sets(columns["label"].type) else classes
        _tell_of_alike_classes(columns["label"], asked.path)
        _tell_of_odd_classes(columns["label"], asked.path)
    if "id" in columns:
        _check_ids(columns["id"], rows.where)
    try:
        corpus = replace(Corpus.from_columns(**columns), classes=classes)
    except CorpusError as error:
        bad = _first_bad_cell(columns)
        where = asked.path if bad is None else rows.where(bad)
        where = f"{where}, {error.where}" if error.where else where
        raise CorpusError(error.what, where=where, hint=error.hint) from None
    if "label" in corpus.names and (names := class_names_of(table)):
        corpus = replace(corpus, table=with_class_names(corpus.table, {"label": names}))
    _check_aligned(corpus, rows.where)
    first = corpus.arrow("text").slice(0, _LOOKED_AT).to_pylist()
    tell_of_damage(first, asked.path)
    tell_of_surroundings(first, asked.path)
    tell_of_parts(corpus.table.slice(0, _MOST_CLASSES), asked.path)
    if "spans" in corpus.names and (fault := _of_spans(corpus)):
        raise _located(fault, rows.where)
    return corpus


def _of_spans(corpus: Corpus) -> Fault | None:
    texts, spans = (corpus.arrow(name).combine_chunks() for name in ("text", "spans"))
    return spans_fault(texts, spans)


def _check_aligned(corpus: Corpus, where: Where) -> None:
    """Refuse a row whose columns of words have not one value a word each."""
    present = [name for name in OF_WORDS if name in corpus.names]
    lengths = [pc.list_value_length(corpus.arrow(name)).to_pylist() for name in present]
    for row, sizes in enumerate(zip(*lengths, strict=True)):
        if len({size for size in sizes if size is not None}) > 1:
            told = ", ".join(f"{size} {name}" for name, size in zip(present, sizes, strict=True))
            raise CorpusError(
                f"the columns of words differ in length: {told}",
                where=where(row),
                hint="give one value a word in each of them",
            )


def renamed(table: pa.Table, asked: Asked, *, untyped: bool = False) -> pa.Table:
    """Return the rows of a file under the names that a corpus has for its columns.

    What stands in no column of a corpus is made of what there is: the text of tokens. Of a file
    without types the first line may be no line of names.

    Raises
    ------
    CorpusError, OptionError
        If a column that is named is not there, several may be meant, or two have one name.
    """
    table = without_levels(plain_table(table, asked.path), asked.path)
    if untyped:
        table = without_index(table, asked.path)
        if asked.label is None:
            table = with_spans_of_cells(table, asked.path)
        if asked.text is None and not asked.rename:
            table = sentences_of_words(with_lists_of_cells(table, asked.path), asked.path)
    of_file = table.column_names
    if asked.text in of_file and _is_sets(table.schema.field(asked.text).type):
        table, asked = _as_tokens(table, asked)
    if asked.label is None and not asked.rename:
        table = with_tags_of_words(table)
    if asked.text is None and not has_text(table, asked.rename):
        with located(asked.path):
            table = with_text_of_tokens(table, asked.rename)
        if "text" not in table.column_names and not long_columns(
            table.select([name for name in table.column_names if name not in COLUMNS])
        ):
            table = with_text_of_trees(table)
    if asked.text is None and not asked.rename:
        table = with_pair_of_languages(table)
    labels = _indicators(table, asked)
    for old in (*asked.rename, *filter(None, (asked.text, None if labels else asked.label))):
        if old not in table.column_names:
            raise OptionError(
                f"there is no column {old!r} to {'rename' if old in asked.rename else 'read'}",
                where=asked.path,
                hint=f"the columns are {', '.join(table.column_names)}",
            )
    table, label = _of_several_columns(table, asked)
    with located(asked.path):
        rename = renamed_by_use(table, asked.rename, asked.text, label)
    if asked.label is None and not {"label", "target"} & {
        rename.get(name, name) for name in table.column_names
    }:
        _tell_of_several_columns(table, asked.path)
    named = [rename.get(name, name) for name in table.column_names]
    if "text" not in named and asked.text is None and "tree" in rename.values():
        table, rename = with_text_of_trees(table.rename_columns(named)), {}
    if "text" not in (rename.get(name, name) for name in table.column_names):
        _refuse_words(table, asked.path)
        refuse_nested(table, asked.path)
        long = long_columns(table)
        raise without_text(of_file, asked.path, long, alone=len(long) == table.num_columns > 1)
    table = table.rename_columns([rename.get(name, name) for name in table.column_names])
    check_names(table.column_names, asked.path)
    return with_spans_of_tags(table)


def _as_tokens(table: pa.Table, asked: Asked) -> tuple[pa.Table, Asked]:
    """Return a table whose words, which were named for the texts, are its tokens."""
    if asked.text != "tokens" and "tokens" in table.column_names:
        return table, asked
    names = ["tokens" if name == asked.text else name for name in table.column_names]
    return table.rename_columns(names), replace(asked, text=None)


def _refuse_words(table: pa.Table, path: str) -> None:
    """Refuse a table with a word a row: no column holds texts there."""
    names = [name for name in table.column_names if name.strip().casefold() in WORD_NAMES]
    names = [name for name in names if not pa.types.is_nested(table.schema.field(name).type)]
    if names and not long_columns(table):
        raise CorpusError(
            f"each row holds a word ({names[0]!r}), and no text",
            where=path,
            hint="number the sentences in a column 'sentence'; or write a token and its tag a "
            "line, with a tab between, a blank line behind each sentence, and name it .conll",
        )


def _indicators(table: pa.Table, asked: Asked) -> list[str]:
    """Return the columns of 0 and 1 that ``label`` names with commas between, if it does so."""
    names = [name.strip() for name in (asked.label or "").split(",")]
    several = len(names) > 1 and asked.label not in table.column_names
    return names if several and set(names) <= set(table.column_names) else []


def _of_several_columns(table: pa.Table, asked: Asked) -> tuple[pa.Table, str | None]:
    """Return a table with one column of labels in the place of a column a class.

    Columns of 0 and 1 become sets of classes, those of shares distributions.

    Raises
    ------
    CorpusError
        If such a column holds anything else.
    """
    names = _indicators(table, asked)
    if not names:
        return table, asked.label
    if (shares := shares_of(table, names)) is not None:
        return table.drop_columns(names).append_column("label", shares), "label"
    chosen = []
    for name in names:
        column = table.column(name).to_pylist()
        for row, value in enumerate(column):
            if str(value) not in _INDICATORS:
                raise CorpusError(
                    f"the column {name!r} holds {value!r}, and 0 or 1 says whether a text is of "
                    "the class",
                    where=f"{asked.path}, row {row + 1}" if asked.path else f"row {row + 1}",
                    hint="write 0 or 1, or name the columns of classes only",
                )
        chosen.append([_INDICATORS[str(value)] for value in column])
    sets = [
        [name for name, is_of in zip(names, row, strict=True) if is_of]
        for row in zip(*chosen, strict=True)
    ]
    table = table.drop_columns(names)
    return table.append_column("label", pa.array(sets, _SETS)), "label"


def _tell_of_several_columns(table: pa.Table, path: str) -> None:
    """Tell which columns of 0 and 1, or of shares, may say of which classes a text is."""
    found = indicators_of(table)
    if len(found) > 1:
        unknown = [name for name in found if not _INDICATORS.keys() >= _values(table, name)]
        yes_or_no = any({"0", "1"} & _values(table, name) for name in found)
        what = "0 and 1" if yes_or_no else "true and false"
        and_more = f" (and -1, as in {unknown[0]}: leave such rows out)" if unknown else ""
        tell(
            f"{path}: the columns {', '.join(found)} hold {what}{and_more}; if they are classes, "
            f"read them as such: --label {','.join(found)}"
        )
        return
    shares = columns_of_shares(table)
    if shares:
        tell(
            f"{path}: in each row the columns {', '.join(shares)} sum to 1; if they are shares of "
            f"classes, read them as such: --label {','.join(shares)}"
        )


def _values(table: pa.Table, name: str) -> set[str]:
    return {*map(str, pc.unique(table.column(name).slice(0, _MOST_CLASSES)).to_pylist())}


_INDICATORS = {
    **dict.fromkeys(("0", "0.0", "False", "false", "FALSE"), False),
    **dict.fromkeys(("1", "1.0", "True", "true", "TRUE"), True),
}
"""What columns of classes say of a text, as JSON, CSV, Python and spreadsheets write it."""

_MISSING = pa.array(["", "NA", "N/A", "#N/A", "NaN", "nan", "null", "NULL", "None"], pa.string())
_ABSENT = {
    *("NA", "N/A", "#N/A", "NaN", "nan", "null", "NULL", "<NA>", "?", "-", "--"),
    *("#REF!", "#VALUE!", "#NAME?", "#DIV/0!", "#NULL!"),
}
"""Some name a class None. SNLI has a dash where annotators did not agree, Excel its errors."""
_QUOTED = re.compile(r"""(['"]).+\1""")
_TAGS = re.compile(r"(?:<[^<>\s]+>)+")
_COMMA = re.compile(r"[+-]?\d+,\d+")
_LIST_OF_PYTHON = re.compile(
    r"(?:frozenset\()?[\[({](?:'[^'\\]*'(?:, '[^'\\]*')*,?)?[\])}]\)?|(?:frozen)?set\(\)"
)
"""A list, tuple or set of names as Python and pandas write it."""
_NAME_OF_PYTHON = re.compile(r"'([^']*)'")
_INDICATED = r"^\[? ?[01]([,; ] *[01])+ ?\]?$"
"""0 and 1, a place for each class, as a cell has them."""
_NUMBERS, _SEVERAL = r"^\d+(,\d+)*$", r",.*,"
"""Numbers of classes with commas between; one with a single comma may be a decimal number."""
_WHOLE, _WHOLE_FLOAT = r"^-?(0|[1-9]\d*)$", r"^-?(0|[1-9]\d*)\.0$"
_NUMBER, _FRACTION = r"^-?\d*\.?\d+$", r"\.\d*[1-9]"


def _of_their_form(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Return labels of a file without types as numbers, if all of them are written as numbers.

    What a number would not give back in the same characters, such as 01, stays text.
    """
    if not pa.types.is_string(column.type):
        return column
    missing = pc.is_in(column, value_set=_MISSING)
    there = column.filter(pc.invert(missing))
    if not len(there):
        return column
    matches = pc.match_substring_regex
    if pc.all(matches(there, _INDICATED)).as_py():
        rows = pc.split_pattern_regex(pc.utf8_trim(column, "[] "), "[,; ]+")
        return pc.if_else(missing, None, rows).cast(pa.list_(pa.int64()))
    if pc.all(matches(there, _NUMBERS)).as_py() and pc.any(matches(there, _SEVERAL)).as_py():
        return pc.split_pattern(pc.if_else(missing, pa.scalar(None, pa.string()), column), ",")
    if pc.all(matches(there, _WHOLE)).as_py():
        kind = pa.int64()
    elif pc.all(matches(there, _WHOLE_FLOAT)).as_py() or (
        pc.all(matches(there, _NUMBER)).as_py() and pc.any(matches(there, _FRACTION)).as_py()
    ):
        kind = pa.float64()
    else:
        return column
    try:
        return pc.if_else(missing, pa.scalar(None, pa.string()), column).cast(kind)
    except pa.ArrowInvalid:  # a number of more digits than such numbers have
        return column


def _tell_of_odd_classes(column: Any, path: str) -> None:
    """Tell of names of classes that are numbers with commas, or say that there is no class."""
    if not pa.types.is_string(column.type):
        return
    names = [name for name in pc.unique(column.slice(0, _MOST_CLASSES)).to_pylist() if name]
    commas = [name for name in names if _COMMA.fullmatch(name)]
    if commas and len(names) > 1 and all(name in commas or name.isdecimal() for name in names):
        tell(
            f"{path}: labels such as {commas[0]!r} have a comma, and are names of classes; write "
            'numbers without one; or in every cell a list of names, such as ["a"] and ["a", "b"]'
        )
    if names and all(map(_QUOTED.fullmatch, names)):
        tell(f"{path}: all names of classes stand in quotes, such as {names[0]}, which stay")
    absent = [name for name in names if name in _ABSENT]
    if absent:
        tell(f"{path}: {absent[0]!r} is a class here; leave the cell empty where there is none")


def _decoded(name: str, column: pa.ChunkedArray, where: Where) -> Any:
    """Undo the JSON that stands for lists and structs in CSV and TSV."""
    kind = COLUMNS.get(name, pa.null())
    if not pa.types.is_string(column.type) or not (name == "label" or pa.types.is_nested(kind)):
        return column
    cells = column.to_pylist()
    if name == "label":
        if not any(cells):
            return column
        if all(not cell or _LIST_OF_PYTHON.fullmatch(cell) for cell in cells):
            cells = [cell and json.dumps(_NAME_OF_PYTHON.findall(cell)) for cell in cells]
        if all(not cell or cell.startswith("{") for cell in cells):
            return _decoded_shares(column, cells)
        cells = _with_lists_of_one(cells)
        if not all(not cell or cell.startswith("[") for cell in cells):
            return column
        kind = _SETS if any('"' in (cell or "") for cell in cells) else _SOFT
    try:
        return pa.array([json.loads(cell) if cell else None for cell in cells], kind)
    except (ValueError, TypeError, pa.ArrowException) as error:
        bad = next(row for row, cell in enumerate(cells) if not _decodes(cell, kind))
        if name == "tags" and not (cells[bad] or "").lstrip().startswith(("[", "{")):
            raise CorpusError(
                f"the column {name!r} holds texts, such as {cells[bad]!r:.40}, and a column of "
                "this name has a value for each word",
                where=where(bad),
                hint=f"if they are classes, read them as such: --label {name}, in Python "
                f"label={name!r}; or rename the column",
            ) from None
        raise CorpusError(
            f"column {name!r} does not hold {kind} as JSON: {error}",
            where=where(bad),
            hint="rename the column if it means something else",
        ) from None


def _with_lists_of_one(cells: list[str | None]) -> list[str | None]:
    """Return cells that all hold lists of names, where some do and others a name.

    >>> _with_lists_of_one(['["8", "20"]', "27", None]), _with_lists_of_one(["[so]", "27"])
    (['["8", "20"]', '["27"]', None], ['[so]', '27'])
    """
    lists = {cell for cell in cells if cell and cell.startswith("[")}
    if not lists or not all('"' in cell and _decodes(cell, _SETS) for cell in lists):
        return cells
    return [json.dumps([cell]) if cell and cell not in lists else cell for cell in cells]


def _decoded_shares(column: pa.ChunkedArray, cells: list[str | None]) -> Any:
    """Return cells that hold JSON objects of numbers as such; other texts stay as they are."""
    try:
        rows = [json.loads(cell) if cell else None for cell in cells]
        names = dict.fromkeys(name for row in rows if row is not None for name in row)
        kind = pa.struct([(name, pa.float32()) for name in names])
        return pa.array(rows, kind) if names else column
    except (ValueError, TypeError, pa.ArrowException):  # a class may be called {x}
        return column


def _without_names(column: Any) -> tuple[Any, tuple[str, ...]]:
    """Return distributions whose shares have the names of classes as lists, and these names.

    A class that is not named has no share.
    """
    column = column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column
    kind = column.type
    if not pa.types.is_struct(kind) or not kind.num_fields:
        return column, ()
    fields = [kind.field(number) for number in range(kind.num_fields)]
    kinds = (pa.types.is_floating, pa.types.is_integer, pa.types.is_boolean)
    if not all(any(is_kind(f.type) for is_kind in kinds) for f in fields):
        return column, ()
    values = [pc.struct_field(column, [k]).cast(pa.float64()) for k in range(len(fields))]
    shares = [pc.fill_null(one, 0).to_pylist() for one in values]
    rows = [
        list(map(float, row)) if there else None
        for row, there in zip(zip(*shares, strict=True), column.is_valid().to_pylist(), strict=True)
    ]
    return pa.array(rows, _SOFT), tuple(field.name for field in fields)


def _decodes(cell: str | None, kind: pa.DataType) -> bool:
    try:
        pa.array([json.loads(cell) if cell else None], kind)
    except (ValueError, TypeError, pa.ArrowException):
        return False
    return True


def _first_bad_cell(columns: dict[str, Any]) -> int | None:
    """Return the row of the first cell that cannot stand in its column, if a cell is at fault."""
    for name, column in columns.items():
        if name not in COLUMNS:
            continue
        for row in range(len(column)):
            try:
                Corpus.from_columns(**{"text": [""], name: column.slice(row, 1)})
            except CorpusError:
                return row
    return None


def _labels(column: Any, where: Where, names: Sequence[str] = ()) -> pa.Array:
    """Return labels as numbers, bools, names, list<float32> or list<string>.

    The last are sets of classes (multi-label). Missing ones stay missing. Of lists of numbers, the
    places may have ``names``.
    """
    column = column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column
    kind = column.type
    if pa.types.is_dictionary(kind):
        column, kind = column.cast(kind.value_type), kind.value_type
    if pa.types.is_integer(kind):
        return _numbered(column, where)
    if pa.types.is_string(kind) or pa.types.is_large_string(kind):  # blanks are no name
        blank = pc.equal(pc.utf8_trim_whitespace(column), "")
        return pc.if_else(blank, pa.scalar("", kind), column)
    if pa.types.is_null(kind):
        return column
    if pa.types.is_boolean(kind):
        return column
    if pa.types.is_floating(kind):
        if fault := nan_fault(column):
            raise _located(fault, where)
        whole = pc.equal(pc.floor(column), column)
        if pc.all(whole, min_count=0).as_py():
            return column.cast(pa.float64())
        raise _no_label(column, whole.index(False).as_py(), where)
    if is_list(kind) and pa.types.is_boolean(kind.value_type):
        column, kind = (one := column.cast(pa.list_(pa.int8()))), one.type
    if is_list(kind) and (
        pa.types.is_floating(kind.value_type) or pa.types.is_integer(kind.value_type)
    ):
        if pa.types.is_integer(kind.value_type) and _are_numbers_of_classes(column):
            tell("lists of numbers in the column of classes are read as sets of classes")
            column = column.cast(_SETS)
        elif (sets := sets_of_rows(column, names)) is not None:
            called = "" if names else ", which have the numbers of their places, from 0"
            tell(
                f"0 and 1 for each class in the column of classes are read as sets of them{called}"
            )
            column = sets
        else:
            if fault := soft_fault(column):
                raise _located(fault, where)
            return column.cast(_SOFT)
    if is_list(kind) and pa.types.is_null(kind.value_type):  # no text is of any class
        return column.cast(_SETS)
    if _is_sets(column.type):
        if fault := sets_fault(column):
            raise _located(fault, where)
        return column.cast(_SETS)
    if column.null_count == len(column):  # there is none; of whatever kind it would be
        return pa.nulls(len(column))
    raise _no_label(column, column.is_valid().index(True).as_py(), where)


def _numbered(column: pa.Array, where: Where) -> pa.Array:
    """Return numbers of classes as they are kept; one of 64 bits may be too large for that."""
    most = pc.max(column).as_py()
    if most is not None and most >= MOST_WHOLE:
        raise _no_label(column, pc.index(column, pc.max(column)).as_py(), where)
    return column.cast(pa.int64())


def _are_numbers_of_classes(column: pa.Array) -> bool:
    """Say whether lists of whole numbers name the classes of a text: they are no shares of one.

    >>> _are_numbers_of_classes(pa.array([[3], [3, 27]]))
    True
    >>> _are_numbers_of_classes(pa.array([[0, 1], [1, 0]]))
    False
    """
    lengths = pc.unique(pc.list_value_length(column.drop_null())).to_pylist()
    most = pc.max(column.flatten()).as_py()
    return len(lengths) > 1 or lengths == [1] or (most is not None and most > 1)


def _tell_of_alike_classes(column: pa.Array, path: str) -> None:
    """Tell which classes differ only in white space or in case: they are one, most often.

    And which are made of others: they are sets of classes then, most often.
    """
    if not pa.types.is_string(column.type):
        return
    known = pc.unique(column.drop_null()).to_pylist()[:_MOST_CLASSES]
    if all(map(_TAGS.fullmatch, known)) and any("><" in name for name in known):
        tell(
            f"{path}: classes such as {max(known, key=len)!r:.60} are names in angle brackets; if "
            'a text may have several, write a list of names in its place: ["a", "b"]'
        )
    for sign in "|;#,+&/ ":
        several = [name for name in known if sign in name.strip("#")]  # C#
        parts = {part.strip() for name in several for part in name.split(sign)}
        # commas and the like stand in names of classes, too
        least = len(parts) - 1 if sign == " " else sign not in "|;#"
        if several and len(parts & set(known)) > least:
            tell(
                f"{path}: the class {several[0]!r} is made of others; if a text may have several, "
                'write a list of names in its place: ["a", "b"]'
            )
            break
    alike: dict[str, list[str]] = {}
    for name in pc.unique(column.drop_null()).to_pylist()[:_MOST_CLASSES]:
        alike.setdefault(" ".join(name.split()).casefold(), []).append(name)
    for names in alike.values():
        if len(names) > 1:
            listed = ", ".join(map(repr, sorted(names)))
            tell(f"{path}: the classes {listed} differ only in white space or case")


def _is_sets(kind: pa.DataType) -> bool:
    return is_list(kind) and (
        pa.types.is_string(kind.value_type) or pa.types.is_large_string(kind.value_type)
    )


def _no_label(column: pa.Array, row: int, where: Where) -> CorpusError:
    return CorpusError(
        f"the label {column[row].as_py()!r} is neither a class nor a distribution over classes",
        where=where(row),
        hint="name the classes or number them, give a list of floats each, or a list of names for "
        "texts of several classes; or rename the column",
    )


def _located(fault: Fault, where: Where) -> CorpusError:
    return CorpusError(fault.what, where=where(fault.row), hint=fault.hint)


def _all_differ(column: Any) -> bool:
    """Say whether texts differ for sure: millions are told apart by their hashes alone."""
    if not (pa.types.is_string(column.type) or pa.types.is_large_string(column.type)):
        return False
    column = column if isinstance(column, pa.ChunkedArray) else pa.chunked_array([column])
    keys = [hash_rows(*text_bytes(chunk)) for chunk in column.chunks if len(chunk)]
    every = np.sort(np.concatenate(keys)) if keys else np.zeros(0, np.uint64)
    return not (every[1:] == every[:-1]).any()


def _check_ids(column: Any, where: Where) -> None:
    """Refuse an example that provenance could not name."""
    if not column.null_count and _all_differ(column):
        return
    if pa.types.is_nested(column.type):
        raise CorpusError(
            f"the ids are of the kind {column.type!s:.40}",
            where=where(0),
            hint="write them as texts or numbers, or rename the column",
        )
    first: dict[Any, int] = {}
    for row, id in enumerate(column.to_pylist()):
        if id is None:
            raise CorpusError(
                "the id is missing", where=where(row), hint="fill it in, or rename the column"
            )
        if first.setdefault(id, row) != row:
            raise CorpusError(
                f"the id {id!r} is there twice, first at {where(first[id])}",
                where=where(row),
                hint="give every example a unique id, or rename the column",
            )
