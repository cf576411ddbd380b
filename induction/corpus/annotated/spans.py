"""Spans of characters as files of others write them."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

import pyarrow as pa

from grammar.errors import CorpusError
from grammar.messages import tell
from induction.corpus.corpus import COLUMNS

__all__ = ["has_pairs_of_offsets", "span_of", "with_plain_spans", "with_spans_of_cells"]

_NAMES = ("label", "labels", "entities", "spans", "annotations", "ents")
"""Columns that hold spans of characters."""
_TEXTS = {"text", "sentence", "content"}
"""Where none of these is, offsets are those of words."""
_STARTS = ("start", "start_offset", "begin", "start_char", "startOffset")
_ENDS = ("end", "end_offset", "stop", "end_char", "endOffset")
_LABELS = ("label", "labels", "type", "entity", "tag", "entity_type", "category", "displayName")


def _is_triple(value: Any) -> bool:
    return (
        isinstance(value, list)
        and len(value) == 3
        and all(isinstance(one, int) and not isinstance(one, bool) for one in value[:2])
        and isinstance(value[2], str)
    )


def _is_offset_object(value: Any) -> bool:
    """Say whether an object is a span under other names than ours."""
    if not isinstance(value, Mapping):
        return False
    if {"start", "end"} <= value.keys():
        return "label" not in value and any(name in value for name in _LABELS[1:])
    if {"offset", "length", "category"} <= value.keys():
        return True
    return any(name in value for name in _STARTS[1:]) and any(name in value for name in _ENDS[1:])


def _are_spans(value: Any) -> bool:
    return (
        isinstance(value, list)
        and bool(value)
        and all(_is_triple(one) or _is_offset_object(one) for one in value)
    )


def _is_nested(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(one, list | Mapping) for one in value)


def with_spans_of_cells(table: pa.Table, path: str) -> pa.Table:
    """Return a table with ``spans`` for a column whose cells are JSON of spans, as tools export it.

    It is told. A cell that is empty has none.

    Raises
    ------
    CorpusError
        If a span is none.

    Examples
    --------
    >>> from grammar.messages import heard_by
    >>> given = pa.table({"text": ["Ann sings"], "label": ['[[0, 3, "PER"]]']})
    >>> with heard_by(print):
    ...     with_spans_of_cells(given, "a.csv").to_pylist()
    a.csv: spans are read from the column 'label'
    [{'text': 'Ann sings', 'spans': [{'start': 0, 'end': 3, 'label': 'PER'}]}]
    """
    for name in _NAMES:
        if name not in table.column_names or "spans" in table.column_names:
            continue
        if not pa.types.is_string(table.schema.field(name).type):
            continue
        cells = table.column(name).to_pylist()
        if not next(filter(None, cells), "").startswith(("[{", "[[", "[]")):
            continue
        try:
            rows = [json.loads(cell) if cell else [] for cell in cells]
        except (ValueError, RecursionError):
            continue
        if not any(rows) or not all(row == [] or _are_spans(row) for row in rows):
            continue
        try:
            spans = pa.array([[*map(span_of, row)] for row in rows], COLUMNS["spans"])
        except (pa.ArrowException, OverflowError) as error:
            raise CorpusError(
                f"the column {name!r} holds no spans: {error}",
                where=path,
                hint="give starts and ends of each within its text",
            ) from None
        tell(f"{path}: spans are read from the column {name!r}")
        return table.drop_columns([name]).append_column("spans", spans)
    return table


def has_pairs_of_offsets(row: Any) -> bool:
    """Say whether a row has a column of ``[start, end, label]``, or of offsets with other names.

    >>> has_pairs_of_offsets({"text": "Ann", "entities": [{"start_offset": 0, "end_offset": 3}]})
    True
    """
    return isinstance(row, Mapping) and any(_are_spans(row.get(name)) for name in _NAMES)


def with_plain_spans(row: dict[str, Any]) -> dict[str, Any]:
    """Return a row with the column ``spans`` for the first that holds spans, or could.

    >>> with_plain_spans({"text": "Ann", "label": [[0, 3, "PER"]]})
    {'text': 'Ann', 'spans': [{'start': 0, 'end': 3, 'label': 'PER'}]}
    """
    there = [name for name in _NAMES if row.get(name, ()) is None or _is_nested(row.get(name))]
    chosen = max(there, key=lambda name: (_are_spans(row[name]), bool(row[name])), default=None)
    if chosen is None:
        return row
    made = {name: value for name, value in row.items() if name != chosen}
    made["spans"] = [span_of(span) for span in row[chosen] or ()]
    words = row.get("tokens")
    if (
        not _TEXTS & row.keys()
        and isinstance(words, list)
        and all(isinstance(w, str) for w in words)
    ):
        made["spans"] = [_of_words(span, words) for span in made["spans"]]
    return made


def _of_words(span: dict[str, Any], words: Sequence[str]) -> dict[str, Any]:
    """Return a span of words as one of the characters of these with spaces between.

    >>> _of_words({"start": 1, "end": 3, "label": "LOC"}, ["in", "New", "York"])
    {'start': 3, 'end': 11, 'label': 'LOC'}
    """
    start, end = span["start"], span["end"]
    if not 0 <= start < end <= len(words):
        raise CorpusError(
            f"{span!r:.80} is no span of {len(words)} words",
            hint="count words from 0; the end is the number of the word behind the last",
        )
    before = sum(len(word) + 1 for word in words[:start])
    return {**span, "start": before, "end": before + len(" ".join(words[start:end]))}


def span_of(span: Any) -> dict[str, Any]:
    """Return a span as an object of ``start``, ``end``, ``label``.

    Raises
    ------
    CorpusError
        If it has no start, no end, or no label.

    Examples
    --------
    >>> span_of([0, 3, "PER"]), span_of({"start_offset": 0, "end_offset": 3, "labels": ["PER"]})
    ({'start': 0, 'end': 3, 'label': 'PER'}, {'start': 0, 'end': 3, 'label': 'PER'})
    """
    if isinstance(span, Sequence) and not isinstance(span, str) and len(span) >= 3:
        start, end, label = span[:3]
    elif isinstance(span, Mapping) and {"offset", "length"} <= span.keys():
        start, end, label = span["offset"], span["length"], span.get("category")
        end = start + end if isinstance(start, int) and isinstance(end, int) else None
    elif isinstance(span, Mapping):
        start, end, label = (
            next((span[name] for name in names if name in span), None)
            for names in (_STARTS, _ENDS, _LABELS)
        )
    else:
        start = end = label = None
    if isinstance(label, list):
        label = label[0] if len(label) == 1 else None
    if not (isinstance(start, int) and isinstance(end, int) and isinstance(label, str)):
        raise CorpusError(
            f"{span!r:.80} is no span", hint="give the start, the end and one label of each"
        )
    return {"start": start, "end": end, "label": label}
