"""What makes labels, heads and spans valid: the first row that is not, and why.

One place for these rules: readers name the line of a file, samplers the id of an example.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from grammar.arrays import BoolArray, IntArray, LongArray, kernel, text_bytes
from grammar.errors import BracketError, CorpusError

__all__ = [
    "HEADS_FAULTS",
    "Fault",
    "blank_texts",
    "faults_of",
    "first_broken_heads",
    "heads_fault",
    "is_list",
    "nan_fault",
    "sets_fault",
    "soft_fault",
    "spans_fault",
]

_TOLERANCE = 1e-4
HEADS_FAULTS = {
    1: "a head lies outside the sentence",
    2: "not exactly one word has the head 0",
    3: "the heads go round in a circle",
}
"""What :func:`first_broken_heads` finds, by its number."""


@dataclass(frozen=True)
class Fault:
    """The first row of a column that cannot be used: which, why, and how to correct it."""

    row: int
    what: str
    hint: str


def faults_of(check: Callable[[int, int], None], first: int, stop: int) -> dict[int, str]:
    """Return which rows a check refuses, and why.

    Halves are tried until the faults stand alone, so few faults in many rows are found soon.

    Parameters
    ----------
    check : callable
        Raises CorpusError or BracketError if one of the rows ``first`` to ``stop - 1`` is at fault.

    Examples
    --------
    >>> def check(first, stop):
    ...     if first <= 2 < stop:
    ...         raise CorpusError("it is two")
    >>> faults_of(check, 0, 5)
    {2: 'it is two'}
    """
    if first == stop:
        return {}
    try:
        check(first, stop)
    except (CorpusError, BracketError) as error:
        if stop - first == 1:
            return {first: error.what}
        middle = (first + stop) // 2
        return faults_of(check, first, middle) | faults_of(check, middle, stop)
    return {}


def is_list(kind: pa.DataType) -> bool:
    """Say whether values of an Arrow type are lists."""
    return bool(
        pa.types.is_list(kind) or pa.types.is_large_list(kind) or pa.types.is_fixed_size_list(kind)
    )


def nan_fault(column: pa.Array) -> Fault | None:
    """Return the first label that is NaN.

    >>> nan_fault(pa.array([1.0, float("nan")])).row
    1
    """
    values = column.fill_null(0).to_numpy(zero_copy_only=False)
    return _first(np.isnan(values), "the label is not a number (NaN)", "fill it in, or drop it")


def soft_fault(column: pa.Array) -> Fault | None:
    """Return the first label that is no distribution; missing ones are passed over.

    Examples
    --------
    >>> soft_fault(pa.array([[0.5, 0.5], [0.5, 0.6]])).what
    'the soft label does not sum to 1'
    """
    there = np.flatnonzero(column.is_valid().to_numpy(zero_copy_only=False))
    column = column.drop_null()
    lengths = pc.list_value_length(column).to_numpy(zero_copy_only=False)
    width = int(lengths[0]) if len(lengths) else 0
    what = f"the distribution is not over {width} classes"
    if fault := _first(lengths != width, what, "pad it with 0", there):
        return fault
    flat = column.flatten().to_numpy(zero_copy_only=False).astype(np.float64)
    soft = flat.reshape(len(column), width)
    checks = (
        (np.isnan(soft).any(axis=1), "the label holds NaN", "fill it in, or drop it"),
        ((soft < 0).any(axis=1), "the label has a negative part", "use probabilities"),
        (np.abs(soft.sum(axis=1) - 1) > _TOLERANCE, "the soft label does not sum to 1",
         "divide it by its sum"),
    )  # fmt: skip
    faults = (_first(wrong, what, hint, there) for wrong, what, hint in checks)
    return next(filter(None, faults), None)


def sets_fault(column: pa.Array) -> Fault | None:
    """Return the first label that is no set of names of classes; missing ones are passed over.

    A set may be empty: no class is the text's.

    Examples
    --------
    >>> sets_fault(pa.array([["a", "b"], [], ["b", "b"]])).what
    "the class 'b' is there twice"
    """
    for row, names in enumerate(column.to_pylist()):
        for name in names or ():
            if not name:
                return Fault(row, "a class has no name", "name it, or drop it")
            if names.count(name) > 1:
                return Fault(row, f"the class {name!r} is there twice", "name each class once")
    return None


def blank_texts(texts: pa.Array) -> LongArray:
    """Return which texts are empty, or nothing but white space.

    >>> blank_texts(pa.array(["a film", "", " film", "\u00a0 "])).tolist()
    [1, 3]
    """
    data, offsets = text_bytes(texts)
    first = offsets[:-1]
    empty = offsets[1:] == first
    if np.count_nonzero(empty):  # in a third of the time that ``any`` takes
        return np.flatnonzero(empty | np.asarray(pc.utf8_is_space(texts)))
    # most are known by their first byte: a sign of ASCII that is no white space
    open_ones = np.flatnonzero(_may_be_space(data[first]))
    if len(open_ones):
        blank = pc.utf8_is_space(texts.take(pa.array(open_ones)))
        open_ones = open_ones[np.asarray(blank)]
    return open_ones


def spans_fault(texts: Any, spans: Any) -> Fault | None:
    """Return the first row whose labelled spans are not spans of its text, each by itself.

    Parameters
    ----------
    texts, spans : Arrow arrays
        Strings, and lists of structs of ``start``, ``end`` (characters) and ``label``.

    Examples
    --------
    >>> spans = [[{"start": 0, "end": 3, "label": "PER"}, {"start": 2, "end": 8, "label": "LOC"}]]
    >>> spans_fault(pa.array(["Ann left Rome"]), pa.array(spans)).what
    "the spans 'Ann' and 'n left' overlap"
    """
    if not len(spans):
        return None
    if not (_is_string(texts.type) and _are_spans(spans.type)):
        what = f"the spans of {texts.type} are {spans.type}"
        return Fault(0, what, "make them lists of whole numbers start and end, and a string label")
    if spans.null_count and (
        fault := _first(spans.is_null(), "the value of 'spans' is missing", "give [] for none")
    ):
        return fault
    bounds = spans.offsets.to_numpy()
    flat = spans.values[bounds[0] : bounds[-1]]
    rows = np.repeat(np.arange(len(spans)), np.diff(bounds))
    fields = flat.flatten()  # what is missing as a whole has no field
    start, end, label = (fields[flat.type.get_field_index(name)] for name in _OF_SPAN)
    if start.null_count or end.null_count or label.null_count:
        holes = pc.or_(pc.or_(start.is_null(), end.is_null()), label.is_null())
        what = "a span has no start, end or label"
        if fault := _first(holes, what, "fill it in, or drop it", rows):
            return fault
    nameless = blank_texts(label)
    if len(nameless):
        return Fault(int(rows[nameless[0]]), "the label of a span is empty", "name it, or drop it")
    first, stop = (column.to_numpy(zero_copy_only=False) for column in (start, end))
    signs, offsets = _characters(texts)
    size = np.diff(offsets)[rows]
    bad = np.flatnonzero((first < 0) | (stop <= first) | (stop > size))
    if len(bad):
        k = int(bad[0])
        what = f"the span {first[k]} to {stop[k]} is none of a text of {size[k]} characters"
        return Fault(int(rows[k]), what, "count characters from 0; the end is behind the last one")
    return _edges_fault(texts, (rows, first, stop), (signs, offsets))


def _is_string(kind: pa.DataType) -> bool:
    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind))


def _are_spans(kind: pa.DataType) -> bool:
    """Say whether values of a type are lists of spans, which have each of their fields once."""
    if not (pa.types.is_list(kind) or pa.types.is_large_list(kind)):
        return False
    span = kind.value_type
    if not pa.types.is_struct(span) or any(span.get_field_index(name) < 0 for name in _OF_SPAN):
        return False
    start, end, label = (span.field(name).type for name in _OF_SPAN)
    return all(map(pa.types.is_signed_integer, (start, end))) and _is_string(label)


def _edges_fault(
    texts: Any,
    spans: tuple[LongArray, IntArray, IntArray],
    characters: tuple[NDArray[np.uint8 | np.uint32], LongArray],
) -> Fault | None:
    """Return the first span that overlaps another, or begins or ends with white space."""
    (rows, start, end), (signs, offsets) = spans, characters
    met = _met(rows, start, end)
    if np.count_nonzero(met):  # or they are only in another order
        order = np.lexsort((start, rows))
        rows, start, end = rows[order], start[order], end[order]
        met = _met(rows, start, end)
    at = offsets[rows]
    first, last = signs[at + start], signs[at + end - 1]
    for k in np.flatnonzero(met | _may_be_space(first) | _may_be_space(last)).tolist():
        if met[k] or chr(first[k]).isspace() or chr(last[k]).isspace():
            break
    else:
        return None
    row = int(rows[k])
    text = texts[row].as_py()
    here = text[start[k] : end[k]]
    if met[k]:
        what = f"the spans {text[start[k - 1] : end[k - 1]]!r} and {here!r} overlap"
        return Fault(row, what, "keep one of them")
    what = f"the span {here!r} begins or ends with white space"
    return Fault(row, what, "leave the white space out of it")


def _met(rows: LongArray, start: IntArray, end: IntArray) -> BoolArray:
    """Return which spans begin before the one before them in their row ends."""
    met = np.zeros(len(rows), np.bool_)
    met[1:] = (rows[1:] == rows[:-1]) & (start[1:] < end[:-1])
    return met


_OF_SPAN = ("start", "end", "label")


def _may_be_space(signs: NDArray[np.uint8 | np.uint32]) -> BoolArray:
    """Return which signs are not among the 94 of ASCII that can be seen."""
    beyond: BoolArray = signs - signs.dtype.type(ord("!")) >= 94  # what is less wraps around
    return beyond


def _characters(texts: Any) -> tuple[NDArray[np.uint8 | np.uint32], LongArray]:
    """Return the characters of all texts, one behind the other, and the offsets of texts."""
    texts = texts.fill_null("") if texts.null_count else texts
    data, offsets = text_bytes(texts)
    if data.max(initial=0) < 128:  # each byte is a character
        return data, offsets
    sizes = pc.utf8_length(texts).to_numpy(zero_copy_only=False).astype(np.int64)
    signs = np.frombuffer(data.tobytes().decode().encode("utf-32-le"), "<u4")
    return signs, np.concatenate(([0], np.cumsum(sizes)))


def _first(wrong: Any, what: str, hint: str, rows: Any = None) -> Fault | None:
    found = np.flatnonzero(np.asarray(wrong))
    if not len(found):
        return None
    return Fault(int(found[0] if rows is None else rows[found[0]]), what, hint)


@kernel()
def first_broken_heads(offsets: LongArray, heads: IntArray) -> tuple[int, int]:
    """Return the first example whose heads form no tree, and its fault (0 if there is none)."""
    longest = 0
    for i in range(len(offsets) - 1):
        longest = max(longest, offsets[i + 1] - offsets[i])
    seen = np.zeros(longest + 1, np.int64)
    for i in range(len(offsets) - 1):
        begin, length = offsets[i], offsets[i + 1] - offsets[i]
        roots = 0
        for t in range(length):
            if heads[begin + t] < 0 or heads[begin + t] > length:
                return i, 1
            roots += heads[begin + t] == 0
        if roots != 1:
            return i, 2
        # each word walks up; a mark of its own walk means a circle, of an earlier one a way out
        seen[: length + 1] = 0
        for t in range(1, length + 1):
            word = t
            while word != 0 and seen[word] == 0:
                seen[word] = t
                word = heads[begin + word - 1]
            if word != 0 and seen[word] == t:
                return i, 3
    return 0, 0


def heads_fault(heads: list[int]) -> int:
    """Return the fault of the heads of one sentence, or 0.

    >>> heads_fault([2, 0]), heads_fault([2, 1])
    (0, 2)
    """
    offsets = np.array([0, len(heads)], np.int64)
    return int(first_broken_heads(offsets, np.array(heads, np.int32))[1])
