"""Classes by name: methods number the classes, and people name them.

A class is a name, true or false, a whole number. Where classes are not numbered from 0 without us,
they are numbered in the order of their names, and hard labels get their own values back, of the
type that they had. Distributions are over the classes in that order.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from grammar.errors import CorpusError, SchemaError
from grammar.saving.facts import ANY, TEXTS, Fields, one_of
from induction.corpus.corpus import Corpus

__all__ = [
    "check_names",
    "class_names",
    "holds_names",
    "label_kind",
    "named",
    "number_classes",
    "type_of",
]

_KINDS = {"string": pa.string(), "bool": pa.bool_(), "int64": pa.int64(), "double": pa.float64()}
_NOTES = Fields({"classes": TEXTS, "class_kind": one_of(*_KINDS)}, others=ANY)


def class_names(*corpora: Corpus, classes: int | None = None) -> tuple[str, ...]:
    """Return the names of the classes of all corpora, in their order.

    There are none where labels are whole numbers from 0, or distributions. Numbers from 1 or more
    are names: their distributions have no place for a class 0.

    Parameters
    ----------
    *corpora : Corpus
        The examples.
    classes : int, optional
        How many classes there are, if that is known; more than the numbers that are there mean that
        these count from 0.

    Examples
    --------
    >>> class_names(Corpus.from_columns(text=["a", "b", "c"], label=["pos", "neg", "pos"]))
    ('neg', 'pos')
    >>> class_names(Corpus.from_columns(text=["a", "b", "c"], label=[1, 4, 10]))
    ('1', '4', '10')
    """
    found: set[Any] = set()
    kinds = {kind for kind in map(label_kind, corpora) if kind is not None}
    if len(kinds) > 1:
        kinds -= {"int64"}  # beside names, numbers are those of the names
    for corpus in corpora:
        if label_kind(corpus) in kinds:
            held = pc.unique(_plain(corpus.arrow("label"))).to_pylist()
            found.update(name for name in held if name is not None and name != "")
    if kinds <= {"int64"} and (min(found, default=0) < 1 or (classes or 0) > len(found)):
        return ()
    order: Any = str if "string" in kinds else None
    return tuple(map(str, sorted(found, key=order)))


def number_classes(corpus: Corpus, names: tuple[str, ...] | None = None) -> Corpus:
    """Return a corpus whose classes are numbers from 0; others are returned as they are.

    Parameters
    ----------
    corpus : Corpus
        The examples. A label that is missing, or an empty name, stays missing.
    names : tuple of str, optional
        The name of each class; by default those of the corpus, in their order.

    Examples
    --------
    >>> corpus = Corpus.from_columns(text=["a", "b", "c"], label=["pos", "neg", "pos"])
    >>> number_classes(corpus).column("label")
    [1, 0, 1]
    """
    names = class_names(corpus) if names is None else names
    numbered = not holds_names(corpus) and not all(map(str.isdecimal, names))
    if label_kind(corpus) is None or numbered or not (names or holds_names(corpus)):
        return corpus
    labels = _as_names(_plain(corpus.arrow("label")))
    known = pa.array(names, pa.string())
    numbers = pc.index_in(labels, value_set=known).cast(pa.int64())
    return replace(corpus.with_column("label", numbers), classes=tuple(names))


def named(classes: Any, names: Sequence[str], kind: str = "string") -> Any:
    """Return the classes that are given by number, as values of the type that they had.

    Raises
    ------
    CorpusError
        If a class has no name.

    Examples
    --------
    >>> named(pa.array([1, 0]), ("neg", "pos")).to_pylist()
    ['pos', 'neg']
    >>> named(pa.array([1, 0]), ("1", "4"), "int64").to_pylist()
    [4, 1]
    """
    if kind == "bool":
        values = pa.array([name == "True" for name in names])
    else:
        values = pa.array(names, pa.string()).cast(_KINDS[kind])
    ends = pc.min_max(classes)
    for number in (ends["min"].as_py(), ends["max"].as_py()):
        if number is None or 0 <= number < len(values):
            continue
        raise CorpusError(
            f"an example is of class {number}, and {len(values)} classes have names",
            hint="induce the grammar again",
        )
    return values.take(classes)


def check_names(notes: Mapping[str, Any]) -> None:
    """Refuse what a grammar notes of its classes, unless each has a name of their type.

    Raises
    ------
    SchemaError
        If a name is missing, or none of such a class.
    """
    if "classes" not in notes and "class_kind" not in notes:
        return
    _NOTES("notes", dict(notes))
    names, kind = notes["classes"], notes["class_kind"]
    try:
        named(pa.array([], pa.int64()), names, kind)
    except pa.ArrowInvalid as error:
        raise SchemaError(f"names of no classes: {error}", where="notes.classes") from None
    if kind == "bool" and not {*names} <= {"True", "False"}:
        raise SchemaError("names of classes that are neither True nor False", where="notes.classes")


def label_kind(corpus: Corpus) -> str | None:
    """Return the type of classes, as :func:`named` takes it; None if there are none.

    >>> label_kind(Corpus.from_columns(text=["a"], label=[True]))
    'bool'
    """
    if "label" not in corpus.names:
        return None
    label = corpus.arrow("label")
    kind = str(_plain(label.slice(0, 0)).type)
    if kind == "double" and not pc.all(pc.equal(pc.floor(label), label)).as_py():
        return None  # no classes, and whoever reads them says so
    return kind if kind in _KINDS else None


def holds_names(corpus: Corpus) -> bool:
    """Say whether the labels of a corpus are no whole numbers, nor distributions."""
    return label_kind(corpus) not in (None, "int64")


def type_of(kind: str) -> pa.DataType:
    """Return the Arrow type of classes."""
    return _KINDS[kind]


def _plain(column: pa.ChunkedArray) -> pa.Array:
    column = column.combine_chunks()
    kind = column.type
    if pa.types.is_dictionary(kind):
        column, kind = column.cast(kind.value_type), kind.value_type
    if pa.types.is_large_string(kind) or pa.types.is_string_view(kind):
        return column.cast(pa.string())
    if pa.types.is_floating(kind):
        return column.cast(pa.float64())
    return column.cast(pa.int64()) if pa.types.is_integer(kind) else column


def _as_names(column: pa.Array) -> pa.Array:
    if pa.types.is_string(column.type):
        return column
    # as Python writes them: Arrow writes 1 for 1.0, and true for True
    return pa.array([None if v is None else str(v) for v in column.to_pylist()], pa.string())
