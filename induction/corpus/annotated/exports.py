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

from induction.corpus.annotated.spans import has_pairs_of_offsets, span_of, with_plain_spans

__all__ = ["EXPORTS", "Export", "export_of"]

Row = dict[str, Any]

_PRODIGY = ("_input_hash", "_task_hash")
_OF_PRODIGY = (
    *_PRODIGY, "_session_id", "_view_id", "_annotator_id", "_timestamp", "_is_binary", "answer",
    "accept", "options", "config", "priority", "score",
)  # fmt: skip
_ANNOTATIONS = ("annotations", "completions")


@dataclass(frozen=True)
class Export:
    """What a tool exports: its name, which rows are its own, and what they are here.

    ``read`` returns None of a row that the annotator did not accept.
    """

    name: str
    is_own: Callable[[Any], bool]
    read: Callable[[Any], Row | None]


def export_of(row: Any) -> Export | None:
    """Return the tool that exports such rows; None if they are of no tool.

    >>> export_of({"text": "Ann sings", "label": [[0, 3, "PER"]]}).name
    'doccano, or another tool with [start, end, label]'
    >>> export_of({"text": "Ann sings", "label": "PER"}) is None
    True
    """
    return next((one for one in EXPORTS if one.is_own(row)), None)


def _is_prodigy(row: Any) -> bool:
    return isinstance(row, Mapping) and any(name in row for name in _PRODIGY)


def _of_prodigy(row: Row) -> Row | None:
    """Return a row without what is Prodigy's own; spans have a start, an end, and a label."""
    if row.get("answer", "accept") != "accept":
        return None
    made = {name: value for name, value in row.items() if name not in _OF_PRODIGY}
    if "spans" in row:
        made["spans"] = [span_of(span) for span in row["spans"] or ()]
    if isinstance(row.get("tokens"), list):
        made["tokens"] = [t["text"] if isinstance(t, Mapping) else t for t in row["tokens"]]
    return _with_classes(made, row["accept"]) if "accept" in row else made


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
    made = {name: value for name, value in row["data"].items() if name not in ("id", "spans")}
    if "id" in row:
        made = {"id": row["id"], **made}
    done: list[Row] = next((row[name] for name in _ANNOTATIONS if row.get(name)), [])
    kept = [one for one in done if not one.get("was_cancelled")]
    found = kept[0].get("result") or [] if kept else []
    values = [one.get("value") or {} for one in found]
    spans = [span_of(value) for value in values if "start" in value and "labels" in value]
    choices = [name for value in values for name in value.get("choices") or ()]
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


def _is_spacy(row: Any) -> bool:
    return (
        isinstance(row, list)
        and len(row) == 2
        and isinstance(row[0], str)
        and isinstance(row[1], Mapping)
    )


def _of_spacy(row: list[Any]) -> Row:
    """Return a text and its annotations of spaCy 2: entities, or the classes that are true."""
    text, found = row
    made: Row = {"text": text}
    if "entities" in found:
        made["spans"] = [span_of(span) for span in found["entities"]]
    if "cats" in found:
        return _with_classes(made, [name for name, share in found["cats"].items() if share >= 0.5])
    return made


EXPORTS: tuple[Export, ...] = (
    Export("Prodigy", _is_prodigy, _of_prodigy),
    Export("Label Studio", _is_label_studio, _of_label_studio),
    Export("Label Studio (the small form)", _is_small_label_studio, _of_small_label_studio),
    Export("spaCy 2", _is_spacy, _of_spacy),
    Export(
        "doccano, or another tool with [start, end, label]", has_pairs_of_offsets, with_plain_spans
    ),
)
"""The first whose rows they are counts."""
