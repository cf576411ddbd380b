"""Examples for a quality report: which ones to show, and how each differs from its original."""

from __future__ import annotations

import difflib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

import numpy as np

from grammar.arrays import LongArray
from sampling.quality.measures.overlap import nearest
from sampling.quality.results import Material, Results

__all__ = ["Pair", "Piece", "differences", "example_pairs"]

_SHOWN = 6

Side = Literal["both", "old", "new"]


@dataclass(frozen=True)
class Piece:
    """A stretch of words that stands in both texts, or only in the old or the new one."""

    side: Side
    words: str


@dataclass(frozen=True)
class Pair:
    """An augmented example beside an original.

    Attributes
    ----------
    name : str
        Id of the augmented example.
    origin : str
        Id of the original.
    pieces : tuple of Piece
        How one text becomes the other.
    old_label, new_label : str
        Labels in words; empty if there are none.
    """

    name: str
    origin: str
    pieces: tuple[Piece, ...]
    old_label: str
    new_label: str


def differences(old: str, new: str) -> tuple[Piece, ...]:
    """Return how one text becomes the other, in whole words.

    >>> [(p.side, p.words) for p in differences("a good old film", "a bad film")]
    [('both', 'a'), ('old', 'good old'), ('new', 'bad'), ('both', 'film')]
    """
    a, b = old.split(), new.split()
    pieces: list[Piece] = []
    for kind, i, i_end, j, j_end in difflib.SequenceMatcher(None, a, b, False).get_opcodes():
        if kind == "equal":
            pieces.append(Piece("both", " ".join(a[i:i_end])))
            continue
        if i < i_end:
            pieces.append(Piece("old", " ".join(a[i:i_end])))
        if j < j_end:
            pieces.append(Piece("new", " ".join(b[j:j_end])))
    return tuple(pieces)


def example_pairs(report: Results) -> Iterator[tuple[str, list[Pair]]]:
    """Yield headings with examples: a fair sample, then the most suspicious of each kind.

    The original of an example is its first parent, or the nearest original if that is unknown.
    """
    material = report.material
    size = len(material.augmented)
    fair = np.unique((np.arange(_SHOWN) * size) // _SHOWN)
    yield "A fair sample, evenly spread over the file", _pairs(material, fair)
    for name, heading, most in (
        ("fidelity_error", "Labels that the classifier finds least likely", True),
        ("nearest_similarity", "Closest to an original", True),
        ("nearest_similarity", "Furthest from all originals", False),
    ):
        rows = _extreme(report, name, most=most)
        if len(rows):
            yield heading, _pairs(material, rows)


def _extreme(report: Results, name: str, *, most: bool) -> LongArray:
    """Return the rows of the largest (or smallest) values; equal texts are shown once."""
    result = report.results.get(name)
    if result is None or result.each is None:
        return np.zeros(0, np.int64)
    known = np.flatnonzero(~np.isnan(result.each))
    order = known[np.argsort(-result.each[known] if most else result.each[known], kind="stable")]
    _, first = np.unique(report.material.new.same[order], return_index=True)
    return np.asarray(order[np.sort(first)][:_SHOWN], np.int64)


def _pairs(m: Material, rows: LongArray) -> list[Pair]:
    host = m.host[rows] if m.host is not None else np.full(len(rows), -1)
    host = np.where(host >= 0, host, nearest(m.new.take(rows), m.old).row)
    made = m.augmented.table.take(rows).to_pylist()
    given = m.originals.table.take(host).to_pylist()
    return [
        Pair(
            str(new["id"]), str(old["id"]), differences(_text(old), _text(new)),
            _label(old.get("label"), m.class_names), _label(new.get("label"), m.class_names),
        )
        for new, old in zip(made, given, strict=True)
    ]  # fmt: skip


def _text(row: dict[str, object]) -> str:
    sides = [str(row[name]) for name in ("text", "text_pair") if row.get(name) is not None]
    return " ␞ ".join(sides)


def _label(label: object, names: tuple[str, ...] = ()) -> str:
    """Write a label for people.

    >>> _label(1), _label([0.25, 0.75, 0.0], ("bad", "good", "mixed")), _label(None)
    ('1', 'bad: 25 %, good: 75 %', '')
    """
    if isinstance(label, list) and all(isinstance(one, str) for one in label):
        return ", ".join(label) or "none"  # a set of classes
    if isinstance(label, list):
        called = names or range(len(label))
        parts = zip(called, label, strict=False)
        return ", ".join(f"{k}: {share:.0%}".replace("%", " %") for k, share in parts if share)
    if label is None:
        return ""
    return names[label] if names and isinstance(label, int) else str(label)
