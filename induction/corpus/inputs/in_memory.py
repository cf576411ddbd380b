"""Data in memory as rows: frames, data sets, lists of texts or of dictionaries, columns."""

from __future__ import annotations

import math
import os
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import fields, is_dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from grammar.errors import CorpusError
from grammar.messages import tell
from grammar.trees.given import are_trees, is_name_of_file
from induction.corpus import huggingface
from induction.corpus.annotated.exports import annotated_rows, export_of
from induction.corpus.annotated.keyed import classes_of_texts, texts_of_classes
from induction.corpus.column_names import LABEL_NAMES, TEXT_NAMES
from induction.corpus.entities.spacy_docs import columns_of_docs, is_of_spacy
from induction.corpus.inputs.class_sets import is_frame, sets_of
from induction.corpus.rows import Rows, numbered_rows
from induction.corpus.tables.kinds import check_names
from induction.corpus.tree_files import corpus_of_trees

__all__ = ["is_path", "is_text", "rows_in_memory", "texts_of"]

_SPACES = 3
"""Spaces that a name of a file may have."""
_BUNCH = {"data", "target", "target_names"}
"""What ``sklearn.datasets.load_files`` and ``fetch_20newsgroups`` give."""
_NO_ARRAY = (pa.ArrowException, TypeError, OverflowError, UnicodeEncodeError, RecursionError)
"""What Arrow raises of values that are none of one column."""


def is_path(data: Any) -> bool:
    """Say whether data are given by the name of a file."""
    return isinstance(data, str | os.PathLike)


def is_text(data: Any) -> bool:
    """Say whether data are a text, and no name of a file: it has spaces, and no file is called so.

    >>> is_text("We slept well."), is_text("nltk:treebank"), is_text("my reviews.csv")
    (True, False, False)
    """
    if not isinstance(data, str) or not (" " in data.strip() or "\n" in data):
        return False
    suffix = os.path.splitext(data)[1][1:]
    named = 0 < len(suffix) <= 7 and suffix.isalnum() and data.count(" ") <= _SPACES
    return not named and not os.path.exists(data[:4000])


def texts_of(data: Any) -> list[str | None] | None:
    """Return data that are texts and nothing beside; None if they have columns, or are read first.

    Such are a text, and a list, series or array of texts, of which some may be missing.

    >>> texts_of("We slept well."), texts_of(("good", "bad")), texts_of(np.array(["good"]))
    (['We slept well.'], ['good', 'bad'], ['good'])
    >>> texts_of({"text": ["good"]}) is None
    True
    """
    if is_text(data):
        return [data]
    named = any(hasattr(data, name) for name in ("columns", "column_names", "table"))
    is_array = isinstance(data, Collection | np.ndarray | pa.Array | pa.ChunkedArray)
    if named or not is_array or is_path(data) or isinstance(data, Mapping | bytes):
        return None
    items = _items_of(data)
    if not all(isinstance(item, str) or _is_missing(item) for item in items):
        return None
    texts = [None if _is_missing(item) else str(item) for item in items]
    return texts if any(text is not None for text in texts) else None


def _is_missing(item: Any) -> bool:
    """Say whether a value is what libraries have where there is none."""
    is_nan = isinstance(item, float) and math.isnan(item)
    return item is None or is_nan or type(item).__name__ == "NAType"


def _items_of(data: Iterable[Any]) -> list[Any]:
    """Return what a series, an array or anything else that has items holds; a set has no order."""
    if isinstance(data, set | frozenset):
        return sorted(data, key=str)
    for name in ("to_list", "to_pylist", "tolist"):
        if hasattr(data, name):
            found = getattr(data, name)()
            return found if isinstance(found, list) else [found]
    return list(data)


def rows_in_memory(data: Any) -> Rows:
    """Return the rows of a data set, frame, table, list of texts or of dictionaries, or columns.

    Parameters
    ----------
    data
        A ``datasets.Dataset``; texts and classes of ``sklearn.datasets``; a frame of pandas or
        polars, or whatever else gives an Arrow stream; a series or array of texts; texts;
        dictionaries, of which one may lack keys that others have; pairs of a text and its class,
        or its annotations; documents of spaCy; or a mapping of names to columns.

    Raises
    ------
    CorpusError
        If it is nothing of these, or a column holds values of several types.

    Examples
    --------
    >>> rows_in_memory([{"text": "good", "stars": 5}, {"text": "bad"}]).table.to_pydict()
    {'text': ['good', 'bad'], 'stars': [5, None]}
    >>> rows_in_memory(["good", "bad"]).table.column_names
    ['text']
    """
    return Rows(_table(data), numbered_rows("the data"))


def _table(data: Any) -> pa.Table:
    library = type(data).__module__.partition(".")[0]
    _refuse_unread(data)
    if are_trees(data):
        return corpus_of_trees(data).table
    if library == "datasets" and type(data).__name__ == "Column":
        return _of_items(list(data))
    if library == "datasets":
        return huggingface.table_of_dataset(data)
    if isinstance(data, pa.Table):
        return data
    if library == "pandas" and hasattr(data, "columns"):
        return _frame(data)
    if library == "polars" and hasattr(data, "to_arrow") and hasattr(data, "columns"):
        table: pa.Table = data.to_arrow()
        return table
    if is_of_spacy(data):
        return pa.table(columns_of_docs([data]))
    if isinstance(data, Mapping):
        return _of_mapping(data)
    is_series = hasattr(data, "to_list") or isinstance(data, pa.Array | pa.ChunkedArray)
    if hasattr(data, "__arrow_c_stream__") and not is_series:
        return pa.table(data)
    if hasattr(data, "to_list"):  # a series
        _refuse_row(data)
    return _of_items(data)


def _refuse_unread(data: Any) -> None:
    """Refuse what has to be opened or computed first: lines of a table are no texts."""
    if hasattr(data, "read") and hasattr(data, "readline"):
        name = getattr(data, "name", None)
        raise CorpusError(
            "this is an open file",
            hint=f"give its name: {name!r}"
            if is_path(name)
            else "pandas.read_csv(file) makes a "
            "frame of a table, and file.read().splitlines() texts of lines",
        )
    if hasattr(data, "get_docs"):
        raise CorpusError(
            "documents of a DocBin need a vocabulary",
            hint="give list(docbin.get_docs(nlp.vocab)), or the name of its file",
        )
    if type(data).__name__ in ("IterableDataset", "IterableDatasetDict"):
        raise CorpusError(
            "the rows of this data set are not read yet",
            hint="give its rows: list(dataset), or list(dataset.take(1000))",
        )
    if hasattr(data, "collect") and hasattr(data, "collect_schema"):
        raise CorpusError("this frame is not computed yet", hint="give data.collect()")


def _refuse_row(series: Any) -> None:
    """Refuse a row of a frame, whose values are those of several columns."""
    names = getattr(series, "index", ())
    known = {name for group in (*TEXT_NAMES, *LABEL_NAMES) for name in group}
    if not callable(names) and any(isinstance(one, str) and one in known for one in names):
        raise CorpusError(
            f"this is a row of a frame, with {', '.join(map(str, names))}",
            hint="give the frame, or a frame of the row: row.to_frame().T",
        )


def _of_mapping(data: Mapping[str, Any]) -> pa.Table:
    """Return columns; or texts and their classes, if these are the names and the values."""
    if data.keys() >= _BUNCH:
        return _columns(_of_scikit_learn(data))
    named = all(isinstance(name, str) for name in data)
    if named and (classes := classes_of_texts(data)) is not None:
        return _columns({"text": [*data], "label": classes})
    if named and (rows := texts_of_classes(data)) is not None:
        return _of_items(rows)
    if named and (rows := annotated_rows(data)) is not None:
        return _of_items(rows)
    return _columns(data)


def _frame(frame: Any) -> pa.Table:
    """Return a frame of pandas, column by column, so that a fault names its column."""
    check_names([str(name) for name in frame.columns], "the data")
    columns = {}
    for name in frame.columns:
        try:
            columns[str(name)] = pa.array(frame[name], from_pandas=True)
        except _NO_ARRAY as error:
            raise _of_several_types(str(name), error) from None
    return pa.table(columns)


def _of_scikit_learn(data: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return texts and the names of their classes, as scikit-learn's loaders give them."""
    target = [int(number) for number in data["target"]]
    names = [str(name) for name in data["target_names"]]
    if not all(0 <= number < len(names) for number in target):
        raise CorpusError("a number of 'target' has no name", hint="give one of each class")
    return {"text": data["data"], "label": [names[number] for number in target]}


def _columns(columns: Mapping[str, Any]) -> pa.Table:
    check_names([str(name) for name in columns], "the data")
    arrays = {}
    for name, values in columns.items():
        if isinstance(values, str | bytes):
            raise CorpusError(
                f"the column {name!r} is a single string, not a list of them",
                hint=f"give {name}=[{values!r}]",
            )
        try:
            arrow = isinstance(values, pa.Array | pa.ChunkedArray)
            arrays[str(name)] = values if arrow else pa.array(_values_of(values))
        except _NO_ARRAY as error:
            raise _of_several_types(str(name), error) from None
    lengths = {name: len(array) for name, array in arrays.items()}
    if len(set(lengths.values())) > 1:
        raise CorpusError(f"columns differ in length: {lengths}", hint="give equal columns")
    return pa.table(arrays)


def _values_of(column: Any) -> list[Any]:
    """Return the values of a column: of a frame of classes with 0 and 1, sets of its names."""
    if is_frame(column):
        return sets_of(column).names
    return [*(column.toarray() if hasattr(column, "toarray") else column)]


def _of_items(data: Any) -> pa.Table:
    if not isinstance(data, Iterable) and hasattr(data, "__getitem__") and hasattr(data, "__len__"):
        data = [data[at] for at in range(len(data))]  # as data sets of torch are
    if not isinstance(data, Iterable) or isinstance(data, bytes):
        raise CorpusError(
            f"a corpus cannot be read from {type(data).__name__}",
            hint="give a file, a frame, a data set, a list of texts or of dictionaries",
        )
    items: Sequence[Any] = _items_of(data)
    if items and all(is_dataclass(item) and not isinstance(item, type) for item in items):
        items = [{one.name: getattr(item, one.name) for one in fields(item)} for item in items]
    _refuse_files(items)
    if items and all(isinstance(item, Mapping) for item in items):
        names = dict.fromkeys(name for item in items for name in item)
        return _columns({name: [item.get(name) for item in items] for name in names})
    if items and all(map(is_of_spacy, items)):
        return pa.table(columns_of_docs(items))
    if (named := _of_named_rows(items)) is not None:
        return named
    if (pairs := _of_pairs(items)) is not None:
        return pairs
    for number, item in enumerate(items):
        if not (isinstance(item, str) or _is_missing(item)):
            raise CorpusError(
                f"this is {type(item).__name__}, not a text",
                where=numbered_rows("the data")(number),
                hint=_hint(items),
            )
    texts = [None if _is_missing(item) else item for item in items]
    return pa.table({"text": pa.array(texts, pa.string())})


def _refuse_files(items: Sequence[Any]) -> None:
    """Refuse the names of files that are there, which are no texts."""
    if items and all(is_name_of_file(item) and os.path.isfile(item) for item in items):
        names = [os.fspath(item) for item in items]
        raise CorpusError(
            f"these are the names of {len(names)} files, and no texts",
            hint="read each, and add them: " + " + ".join(f"read_corpus({n!r})" for n in names[:3]),
        )


def _of_named_rows(items: Sequence[Any]) -> pa.Table | None:
    """Return a table whose first row has the names of columns, as ``csv.reader`` gives it."""
    if len(items) < 2 or not all(isinstance(item, list | tuple) for item in items):
        return None
    names = items[0]
    if len({*map(len, items)}) > 1 or not all(isinstance(name, str) for name in names):
        return None
    usual = [{*group} for groups in (TEXT_NAMES, LABEL_NAMES) for group in groups]
    if not all(any(name.strip().casefold() in group for group in usual) for name in names):
        return None
    tell(f"columns are named by the first row: {', '.join(names)}")
    return _columns(dict(zip(names, zip(*items[1:], strict=True), strict=True)))


def _of_pairs(items: Sequence[Any]) -> pa.Table | None:
    """Return texts with their classes, or with annotations as spaCy 2 has them; else None.

    A second text is a class for sure only if it comes again.
    """
    given = [item for item in items if item is not None]
    if not given or not all(isinstance(item, list | tuple) and len(item) == 2 for item in given):
        return None
    if len(given) < len(items):
        if not all(isinstance(other, Mapping) for _, other in given):
            return None
        tell(f"{len(items) - len(given):,} rows that were not accepted are left out")
        items = given
    texts, others = ([item[at] for item in items] for at in (0, 1))
    if all(map(is_of_spacy, texts)) and all(isinstance(one, str | int) for one in others):
        tell("the second of each pair is read as the label")
        columns = columns_of_docs(texts, others)
        return pa.table(columns)
    if not all(isinstance(text, str) for text in texts):
        return None
    if all(isinstance(other, Mapping) for other in others):
        rows = [_of_json(item) for item in items]
        found = next(filter(None, map(export_of, rows)), None)
        return None if found is None else _of_items([found.read(row) for row in rows])
    are_numbers = all(isinstance(other, int | np.integer) for other in others)
    are_names = all(isinstance(other, str) for other in others)
    if are_numbers or (are_names and len(set(others)) <= len(others) // 2):
        tell("the second of each pair is read as the label")
        return _columns({"text": texts, "label": others})
    return None


def _of_json(value: Any) -> Any:
    """Return a value with lists for tuples, as JSON has them."""
    if isinstance(value, Mapping):
        return {name: _of_json(one) for name, one in value.items()}
    return [*map(_of_json, value)] if isinstance(value, list | tuple) else value


def _hint(items: Sequence[Any]) -> str:
    """Return what to do about items that are no texts."""
    if not all(isinstance(item, list | tuple) and len(item) for item in items):
        return "give texts, or dictionaries such as {'text': ..., 'label': ...}"
    if all(isinstance(word, list | tuple) for item in items for word in item):
        return (
            "give texts: [' '.join(word for word, tag in sentence) for sentence in sentences]; or "
            "columns of lists, if the tags are those of entities, such as B-PER: {'tokens': "
            "sentences, 'ner_tags': their tags}"
        )
    if all(len(item) == 2 and isinstance(item[0], list | tuple) for item in items):
        return "give [{'text': ' '.join(words), 'label': label} for words, label in pairs]"
    have_spaces = [any(" " in str(word) for word in item) for item in items]
    if have_spaces == [True, False] and len(items[0]) == len(items[1]):
        return "give columns: {'text': texts, 'label': labels}"
    if not any(have_spaces):
        return "give columns: {'tokens': sentences}, lists of words"
    if any(len(item) != 2 for item in items):
        return "give dictionaries: [{'text': row[1], 'label': row[2]} for row in rows]"
    return "give dictionaries: [{'text': text, 'label': label} for text, label in pairs]"


def _of_several_types(name: str, error: Exception) -> CorpusError:
    return CorpusError(
        f"the column {name!r} does not hold values of one type: {_said(error)}",
        hint="convert its values first",
    )


def _said(error: Exception) -> str:
    return (str(error).splitlines() or [type(error).__name__])[0]
