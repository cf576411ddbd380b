"""Rows that annotation tools export: recognised by their fields, and read as rows of a corpus.

References
----------
https://doccano.github.io/doccano, https://labelstud.io/guide/export, https://prodi.gy/docs/api-interfaces,
https://spacy.io/api/data-formats
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from grammar.errors import CorpusError
from induction.corpus.annotated.assistants import is_luis, of_luis
from induction.corpus.annotated.nested import is_dialogflow, is_snips, of_snips
from induction.corpus.annotated.pipelines import is_doc, is_stanza, of_doc, of_stanza
from induction.corpus.annotated.spans import has_pairs_of_offsets, span_of, with_plain_spans

__all__ = ["EXPORTS", "Export", "annotated_rows", "export_of", "with_classes_alike"]

Row = dict[str, Any]

_PRODIGY = ("_input_hash", "_task_hash")
_OF_PRODIGY = (
    *_PRODIGY, "_session_id", "_view_id", "_annotator_id", "_timestamp", "_is_binary", "answer",
    "accept", "options", "config", "priority", "score",
)  # fmt: skip
_OF_VERTEX = (
    "textSegmentAnnotations", "classificationAnnotation", "classificationAnnotations",
)  # fmt: skip
_ANNOTATIONS = ("annotations", "completions")
_LOOKED_AT = 50


@dataclass(frozen=True)
class Export:
    """What a tool exports: its name, which rows are its own, and what they are here.

    ``read`` returns None of a row that the annotator did not accept.
    """

    name: str
    is_own: Callable[[Any], bool]
    _read: Callable[[Any], Row | None]
    form: type = dict

    def read(self, row: Any) -> Row | None:
        """Return a row as a row of a corpus (raises CorpusError if it is of another form)."""
        if not isinstance(row, self.form):
            raise _of_another_form(row)
        return self._read(row)


def export_of(row: Any) -> Export | None:
    """Return the tool that exports such rows; None if they are of no tool.

    >>> export_of({"text": "Ann sings", "label": [[0, 3, "PER"]]}).name
    'doccano, or another tool with [start, end, label]'
    >>> export_of({"text": "Ann sings", "label": "PER"}) is None
    True
    """
    return next((one for one in EXPORTS if one.is_own(row)), None)


def annotated_rows(value: Mapping[str, Any]) -> list[Any] | None:
    """Return the rows of spaCy 2 that an object has under a name, as NER Annotator writes them.

    >>> annotated_rows({"classes": ["PER"], "annotations": [["Bob", {"entities": []}], None]})
    [['Bob', {'entities': []}], None]
    >>> annotated_rows({"text": ["Bob"]}) is None
    True
    """
    lists = [rows for rows in value.values() if isinstance(rows, list | tuple)]
    held = [[*rows] for rows in lists if any(_is_spacy(_listed(row)) for row in rows[:_LOOKED_AT])]
    return held[0] if len(held) == 1 else None


def _listed(row: Any) -> Any:
    return [*row] if isinstance(row, tuple) else row


def with_classes_alike(rows: list[Row | None]) -> list[Row | None]:
    """Return rows that all have sets of classes, where one has several classes, or none.

    Where one has spans, all have, if none.

    >>> with_classes_alike([{"label": "a"}, None, {"labels": ["a", "b"]}])
    [{'labels': ['a']}, None, {'labels': ['a', 'b']}]
    >>> with_classes_alike([{"spans": [(0, 2, "A")]}, {"text": "so"}])[1]
    {'text': 'so', 'spans': []}
    """
    if any(isinstance(row, dict) and "spans" in row for row in rows):
        rows = [row and {**row, "spans": row.get("spans", [])} for row in rows]
    if not any(isinstance(row, dict) and isinstance(row.get("labels"), list) for row in rows):
        return rows
    made: list[Row | None] = []
    for row in rows:
        if isinstance(row, dict) and "label" in row and "labels" not in row:
            rest = {name: value for name, value in row.items() if name != "label"}
            row = {**rest, "labels": [row["label"]]}
        made.append(row)
    return made


def _is_prodigy(row: Any) -> bool:
    if not isinstance(row, Mapping):
        return False
    # an answer alone may be that to a question
    judged = row.get("answer") in ("accept", "reject", "ignore") and "text" in row
    return judged or any(name in row for name in _PRODIGY)


def _of_prodigy(row: Row) -> Row | None:
    """Return a row without what is Prodigy's own; spans have a start, an end, and a label."""
    if row.get("answer", "accept") != "accept":
        return None
    made = {name: value for name, value in row.items() if name not in _OF_PRODIGY}
    if "spans" in row:
        made["spans"] = [span_of(span) for span in _items(row, "spans")]
    if isinstance(row.get("tokens"), list):
        made["tokens"] = [t.get("text") if isinstance(t, Mapping) else t for t in row["tokens"]]
    return _with_classes(made, _items(row, "accept")) if "accept" in row else made


def _items(holder: Mapping[str, Any], name: str, form: type = object) -> list[Any]:
    """Return the items of a list that a row holds, all of one form; none where it is null."""
    value = holder.get(name)
    value = [] if value is None else value
    if not isinstance(value, list) or not all(isinstance(one, form) for one in value):
        raise _of_another_form({name: value})
    return value


def _of_another_form(value: Any) -> CorpusError:
    return CorpusError(
        f"{value!r:.80} is of another form than the rows of this tool",
        hint="export the file again, or write a row {'text': ..., 'label': ...} for each",
    )


def _with_classes(row: Row, names: list[Any]) -> Row:
    """Return a row with a class, or with several."""
    return {**row, "label": names[0]} if len(names) == 1 else {**row, "labels": names}


def _is_label_studio(row: Any) -> bool:
    return (
        isinstance(row, Mapping)
        and isinstance(row.get("data"), Mapping)
        and any(name in row for name in (*_ANNOTATIONS, "predictions"))
    )


def _of_label_studio(row: Row) -> Row:
    """Return the data of a task, with the spans and the classes of its first annotation."""
    if not isinstance(row.get("data"), Mapping):
        raise _of_another_form(row)
    made = {name: value for name, value in row["data"].items() if name not in ("id", "spans")}
    if "id" in row:
        made = {"id": row["id"], **made}
    done = next((_items(row, name, dict) for name in _ANNOTATIONS if row.get(name)), [])
    kept = [one for one in done if not one.get("was_cancelled")]
    found = _items(kept[0], "result", dict) if kept else []
    values = _items({"value": [one.get("value") or {} for one in found]}, "value", dict)
    spans = [span_of(value) for value in values if "start" in value and "labels" in value]
    choices = [name for value in values for name in _items(value, "choices")]
    if spans or any(one.get("type") == "labels" for one in found):
        made["spans"] = spans
    return _with_classes(made, choices) if choices else made


def _is_small_label_studio(row: Any) -> bool:
    """Say whether a row is of the small form: annotations are columns of dictionaries."""
    return isinstance(row, Mapping) and any(
        isinstance(value, list) and value and isinstance(value[0], Mapping) and "labels" in value[0]
        for value in row.values()
    )


def _of_small_label_studio(row: Row) -> Row:
    made: Row = {}
    for name, value in row.items():
        if isinstance(value, list) and value and isinstance(value[0], Mapping):
            if "labels" in value[0]:
                made["spans"] = [span_of(span) for span in value]
        elif name not in ("annotator", "annotation_id", "lead_time", "created_at", "updated_at"):
            made[name] = value
    made.setdefault("spans", [])
    return made


def _is_dataturks(row: Any) -> bool:
    """Say whether a row has spans as Dataturks has them: points, and the labels of each."""
    found = row.get("annotation") if isinstance(row, Mapping) else None
    return (
        isinstance(found, list)
        and bool(found)
        and all(isinstance(one, Mapping) and {"label", "points"} <= one.keys() for one in found)
    )


def _of_dataturks(row: Row) -> Row:
    """Return a row with spans: its ends are the last characters, and may be white space."""
    left = ("annotation", "extras", "metadata")
    made = {name: value for name, value in row.items() if name not in left}
    text, spans = str(row.get("content", "")), []
    for one in _items(row, "annotation", dict):
        for point in _items(one, "points", dict):
            span = span_of({**point, "label": one.get("label")})
            start, end = span["start"], span["end"] + 1
            held = text[start:end]
            start += len(held) - len(held.lstrip())
            spans.append({**span, "start": start, "end": start + len(held.strip())})
    return {**made, "spans": sorted(spans, key=lambda span: (span["start"], span["end"]))}


def _is_spacy(row: Any) -> bool:
    return (
        isinstance(row, list)
        and len(row) == 2
        and isinstance(row[0], str)
        and isinstance(row[1], Mapping)
    )


def _of_spacy(row: list[Any]) -> Row:
    """Return a text and its annotations of spaCy 2: entities, or the classes that are true."""
    if not _is_spacy(row):
        raise _of_another_form(row)
    text, found = row
    made: Row = {"text": text}
    if "entities" in found:
        made["spans"] = [span_of(span) for span in _items(found, "entities")]
    return _with_cats(made, found["cats"]) if "cats" in found else made


def _has_cats(row: Any) -> bool:
    return (
        isinstance(row, Mapping)
        and isinstance(row.get("text"), str)
        and isinstance(row.get("cats"), Mapping)
        and bool(row["cats"])
        and all(isinstance(share, bool | int | float) for share in row["cats"].values())
    )


def _of_cats(row: Row) -> Row:
    """Return a row whose classes are those that are true in ``cats``."""
    made = {name: value for name, value in row.items() if name != "cats"}
    return _with_cats(made, row.get("cats"))


def _with_cats(row: Row, shares: Any) -> Row:
    if not isinstance(shares, dict) or not all(
        isinstance(share, bool | int | float) for share in shares.values()
    ):
        raise _of_another_form({"cats": shares})
    return _with_classes(row, [name for name, share in shares.items() if share >= 0.5])


def _of_doc(row: Row) -> Row:
    made = of_doc(row)
    return _of_cats(made) if "cats" in made else made


def _is_vertex(row: Any) -> bool:
    return isinstance(row, Mapping) and "textContent" in row and any(n in row for n in _OF_VERTEX)


def _of_vertex(row: Row) -> Row:
    """Return a row with the spans or the classes that have a ``displayName`` there."""
    left = (*_OF_VERTEX, "textContent", "dataItemResourceLabels")
    made = {name: value for name, value in row.items() if name not in left}
    made = {"text": row.get("textContent"), **made}
    if "textSegmentAnnotations" in row:
        made["spans"] = [span_of(span) for span in _items(row, "textSegmentAnnotations")]
    one = row.get("classificationAnnotation")
    found = _items(row, "classificationAnnotations", dict) if one is None else [one]
    if not all(isinstance(each, dict) for each in found):
        raise _of_another_form(found)
    names = [each.get("displayName") for each in found]
    if names or "classificationAnnotations" in row:
        made = _with_classes(made, names)
    of_item = row.get("dataItemResourceLabels")
    for name, value in of_item.items() if isinstance(of_item, dict) else ():
        made.setdefault(name.rpartition("/")[2], value)  # such as the part of the data: ml_use
    return made


EXPORTS: tuple[Export, ...] = (
    Export("Prodigy", _is_prodigy, _of_prodigy),
    Export("Vertex AI", _is_vertex, _of_vertex),
    Export("spaCy (Doc.to_json)", is_doc, _of_doc),
    Export("Stanza", is_stanza, of_stanza, list),
    Export("Label Studio", _is_label_studio, _of_label_studio),
    Export("Label Studio (the small form)", _is_small_label_studio, _of_small_label_studio),
    Export("Dialogflow", is_dialogflow, of_snips),
    Export("SNIPS", is_snips, of_snips),
    Export("LUIS, CLU or Wit", is_luis, of_luis),
    Export("Dataturks", _is_dataturks, _of_dataturks),
    Export("spaCy 2", _is_spacy, _of_spacy, list),
    Export("spaCy, with classes in 'cats'", _has_cats, _of_cats),
    Export(
        "doccano, or another tool with [start, end, label]", has_pairs_of_offsets, with_plain_spans
    ),
)
"""The first whose rows they are counts."""
