"""What each round of self-training learns from, kept in files, so that a stopped one goes on."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from grammar.arrays import FloatArray, LongArray
from grammar.errors import OptionError
from grammar.saving.array_checks import check_counts, check_length, check_numbers, typed_columns
from grammar.saving.array_file import load_arrays, save_arrays
from grammar.saving.facts import TEXT, Fields, damage_told, whole

__all__ = ["Pseudo", "load_round", "save_round"]

SCHEMA = "treewright.pseudo-labels/1"
FACTS = Fields({"key": TEXT, "classes": whole(1, 2**20)})
COLUMNS = {"rows": "int64", "labels": "float32", "weights": "float64"}
_HINT = "delete the folder to start over, or name another"


@dataclass(frozen=True, eq=False)
class Pseudo:
    """Texts that a teacher named.

    Attributes
    ----------
    rows : int64 array, shape (taken,)
        Which of the unlabelled texts.
    labels : float32 array, shape (taken, classes)
        What they were taken for.
    weights : float64 array, shape (taken,)
        How much each counts; their mean is 1.
    """

    rows: LongArray
    labels: NDArray[np.float32]
    weights: FloatArray


def save_round(folder: Path, number: int, key: str, pseudo: Pseudo) -> None:
    """Save what a round learns from.

    Raises
    ------
    OutputError
        If the file cannot be written.
    """
    facts = {"key": key, "classes": int(pseudo.labels.shape[1])}
    columns = {
        "rows": pseudo.rows, "labels": pseudo.labels.ravel(), "weights": pseudo.weights,
    }  # fmt: skip
    save_arrays(_path(folder, number), SCHEMA, facts, columns, renewed=True)


def load_round(folder: Path, number: int, key: str, texts: int) -> Pseudo | None:
    """Return what a round learns from, or None if it was not reached.

    Raises
    ------
    SchemaError
        If the file is damaged.
    OptionError
        If it is of other options or data.
    """
    path = _path(folder, number)
    if not path.exists():
        return None
    facts, held = load_arrays(path, SCHEMA, what="labels that a teacher gave", hint=_HINT)
    with damage_told(str(path), _HINT):
        FACTS("facts", facts)
    if facts["key"] != key:  # then its rows are those of other texts
        raise OptionError(
            "the round is of other options, data or encoder", where=str(path), hint=_HINT
        )
    with damage_told(str(path), _HINT):
        held = typed_columns(held, COLUMNS)
        rows, labels, weights = (held[name] for name in COLUMNS)
        check_numbers("rows", rows, 0, texts)
        check_length("labels", labels, len(rows) * facts["classes"])
        check_length("weights", weights, len(rows))
        check_counts("labels", labels)
        check_counts("weights", weights)
    return Pseudo(rows, labels.reshape(len(rows), facts["classes"]), weights)


def _path(folder: Path, number: int) -> Path:
    return folder / f"round-{number}.arrow"
