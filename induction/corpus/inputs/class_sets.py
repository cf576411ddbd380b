"""Sets of classes in the forms that people have them: sets, lists, matrices of 0 and 1."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from grammar.errors import CorpusError

__all__ = ["Sets", "is_frame", "is_matrix", "is_sets", "of_kind", "sets_of"]

_LEARN = "learn a corpus: TextClassifier().learn(Corpus.from_columns(text=texts, label=shares))"
_MANY = (set, frozenset, list, tuple, np.ndarray)


@dataclass(frozen=True)
class Sets:
    """Any number of classes for each text.

    Attributes
    ----------
    sets : tuple of tuple
        Those of each text.
    classes : tuple
        All of them, in order.
    indicators : bool
        Whether they were given as a matrix of 0 and 1, whose columns are the classes.
    given : array, frame, list or series
        What they were given as.
    """

    sets: tuple[tuple[Any, ...], ...]
    classes: tuple[Any, ...]
    indicators: bool
    given: Any = field(default=None, repr=False, compare=False)

    @property
    def names(self) -> list[list[str]]:
        """The classes of each text as texts, which a corpus holds."""
        return [[str(one) for one in own] for own in self.sets]

    @property
    def matrix(self) -> NDArray[np.int64]:
        """A row of 0 and 1 for each text, of shape (texts, classes)."""
        return self._rows(self.names)

    def _rows(self, named: Sequence[Collection[str]]) -> NDArray[np.int64]:
        rows = [[str(one) in own for one in self.classes] for own in named]
        return np.array(rows, np.int64).reshape(len(named), len(self.classes))

    def like(self, made: Sequence[Collection[str]]) -> Any:
        """Return sets of :attr:`names` in the form that these were given in.

        >>> sets_of(np.array([[0, 1], [1, 1]])).like([["0"], []])
        array([[1, 0],
               [0, 0]])
        >>> sets_of([{"a"}, set()]).like([["a"]])
        [{'a'}]
        """
        if self.indicators:
            return _matrix_like(self.given, self._rows(made))
        known = {str(one): one for one in self.classes}
        form = next((type(one) for one in self.given), list)
        kind = list if form is np.ndarray else form
        return of_kind(self.given, [kind(known[name] for name in own) for own in made])


def is_frame(labels: Any) -> bool:
    """Say whether labels are a frame of pandas or polars."""
    return hasattr(labels, "columns") and hasattr(labels, "to_numpy")


def is_matrix(labels: Any) -> bool:
    """Say whether labels are a matrix or a frame, of numbers that may all be of one class."""
    return hasattr(labels, "toarray") or is_frame(labels) or getattr(labels, "ndim", 1) == 2


def is_sets(labels: Any) -> bool:
    """Say whether labels are sets of classes: a matrix with columns, or sets, lists or tuples.

    >>> is_sets([{"a"}, set()]), is_sets(np.eye(2)), is_sets(["a", "b"])
    (True, True, False)
    """
    if hasattr(labels, "toarray"):
        return True
    if is_matrix(labels):
        return bool(labels.shape[1] > 1)
    listed = list(labels)
    return bool(listed) and all(isinstance(one, _MANY) for one in listed)


def sets_of(labels: Any) -> Sets:
    """Return sets of classes, whatever their form; those of a frame have the names of its columns.

    Raises
    ------
    CorpusError
        If a matrix holds something else than 0 and 1, two classes have one name, or lists hold
        shares.

    Examples
    --------
    >>> sets_of([{"b", "a"}, {"b"}])
    Sets(sets=(('a', 'b'), ('b',)), classes=('a', 'b'), indicators=False)
    >>> sets_of(np.array([[0, 1], [1, 1]])).sets
    ((1,), (0, 1))
    """
    matrix = _as_matrix(labels)
    if matrix is not None:
        named = tuple(labels.columns) if is_frame(labels) else tuple(range(matrix.shape[1]))
        return _of_matrix(matrix, named, labels)
    rows = list(labels)
    found = {one for row in rows for one in row}
    if any(isinstance(one, float | np.floating) and one % 1 for one in found):
        raise CorpusError(
            f"lists such as {list(rows[0])!r:.60} hold shares of classes, and no sets of them",
            hint=_LEARN,
        )
    classes = tuple(sorted(found, key=str))
    if len({*map(str, classes)}) < len(classes):
        raise CorpusError("two classes have one name", hint="name classes by texts, or by numbers")
    sets = tuple(tuple(sorted(set(row), key=str)) for row in rows)
    return Sets(sets, classes, indicators=False, given=labels)


def _as_matrix(labels: Any) -> Any:
    """Return labels as a matrix, if they are one in whatever form; else None."""
    if is_matrix(labels):
        labels = labels.toarray() if hasattr(labels, "toarray") else labels
        return np.asarray(labels.to_numpy() if is_frame(labels) else labels)
    rows = list(labels)
    if all(isinstance(row, np.ndarray) for row in rows):
        return np.stack(rows)
    numbers = [isinstance(row, list) and set(row) <= {0, 1} and len(row) > 1 for row in rows]
    return np.array(rows) if all(numbers) and len({*map(len, rows)}) == 1 else None


def _of_matrix(matrix: Any, classes: tuple[Any, ...], given: Any) -> Sets:
    if not np.isin(matrix, (0, 1)).all():
        wrong = matrix[~np.isin(matrix, (0, 1))].ravel()[0]
        raise CorpusError(
            f"the matrix of classes holds {wrong}, and not 0 and 1 alone",
            hint=f"give one column a class, 1 where a text is of it; if these are shares, {_LEARN}",
        )
    sets = tuple(tuple(classes[at] for at in np.flatnonzero(row)) for row in matrix)
    return Sets(sets, classes, indicators=True, given=given)


def _matrix_like(given: Any, matrix: Any) -> Any:
    """Return a matrix as what was given: a frame, a sparse matrix, an array, or lists."""
    if hasattr(given, "toarray"):
        return type(given)(matrix.astype(given.dtype))
    if is_frame(given):
        if not hasattr(given, "astype"):  # of polars
            columns = dict(zip(given.columns, matrix.T, strict=True))
            return type(given)(columns).cast(dict(given.schema))
        frame = type(given)(matrix, columns=given.columns)
        return frame.astype(given.dtypes.to_dict())
    if isinstance(given, np.ndarray):
        rows = matrix.astype(given.dtype) if given.ndim == 2 else [*matrix]
        return rows if given.ndim == 2 else of_kind(given, rows)
    kinds = type(given[0][0]) if isinstance(given, list) and isinstance(given[0], list) else int
    return of_kind(given, [[kinds(one) for one in row] for row in matrix.tolist()])


def of_kind(given: Any, values: list[Any]) -> Any:
    """Return values as what was given: an array, a series, or a list.

    >>> of_kind(np.array(["good"]), ["bad", "good"])
    array(['bad', 'good'], dtype='<U4')
    """
    if isinstance(given, np.ndarray):
        if values and isinstance(values[0], _MANY):
            made = np.empty(len(values), object)
            made[:] = values
            return made
        return np.array(values, given.dtype if given.dtype.kind != "U" else None)
    if hasattr(given, "to_list") and hasattr(given, "name"):  # a series
        return type(given)(name=given.name, **{_data_of(given): values})
    return values


def _data_of(series: Any) -> str:
    """Return the name of the parameter with the values of a series of pandas or of polars."""
    return "data" if hasattr(series, "iloc") else "values"
