"""Sets of classes in the forms that people have them: sets, lists, matrices of 0 and 1."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from grammar.errors import CorpusError

__all__ = ["Sets", "is_sets", "sets_of"]


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
    """

    sets: tuple[tuple[Any, ...], ...]
    classes: tuple[Any, ...]
    indicators: bool


def is_sets(labels: Any) -> bool:
    """Say whether labels are sets of classes: a matrix with columns, or sets, lists or tuples.

    >>> is_sets([{"a"}, set()]), is_sets(np.eye(2)), is_sets(["a", "b"])
    (True, True, False)
    """
    if hasattr(labels, "toarray"):
        return True
    if getattr(labels, "ndim", 1) == 2:
        return bool(labels.shape[1] > 1)
    listed = list(labels)
    return bool(listed) and all(
        isinstance(one, set | frozenset | list | tuple | np.ndarray) for one in listed
    )


def sets_of(labels: Any) -> Sets:
    """Return sets of classes, whatever their form.

    Raises
    ------
    CorpusError
        If a matrix holds something else than 0 and 1, or two classes have one name.

    Examples
    --------
    >>> sets_of([{"b", "a"}, {"b"}])
    Sets(sets=(('a', 'b'), ('b',)), classes=('a', 'b'), indicators=False)
    >>> sets_of(np.array([[0, 1], [1, 1]])).sets
    ((1,), (0, 1))
    """
    labels = labels.toarray() if hasattr(labels, "toarray") else labels
    rows = list(np.asarray(labels)) if getattr(labels, "ndim", 1) == 2 else list(labels)
    if getattr(labels, "ndim", 1) == 2 or all(isinstance(row, np.ndarray) for row in rows):
        return _of_matrix(np.stack(rows))
    numbers = [set(row) <= {0, 1} and isinstance(row, list) and len(row) > 1 for row in rows]
    width = {len(row) for row in rows}
    if all(numbers) and len(width) == 1:  # a matrix as lists
        return _of_matrix(np.array(rows))
    found = {one for row in rows for one in row}
    classes = tuple(sorted(found, key=str))
    if len({*map(str, classes)}) < len(classes):
        raise CorpusError("two classes have one name", hint="name classes by texts, or by numbers")
    sets = tuple(tuple(sorted(set(row), key=str)) for row in rows)
    return Sets(sets, classes, indicators=False)


def _of_matrix(matrix: Any) -> Sets:
    if not np.isin(matrix, (0, 1)).all():
        wrong = matrix[~np.isin(matrix, (0, 1))].ravel()[0]
        raise CorpusError(
            f"the matrix of classes holds {wrong}, and not 0 and 1 alone",
            hint="give one column a class, 1 where a text is of it",
        )
    sets = tuple(tuple(np.flatnonzero(row).tolist()) for row in matrix)
    return Sets(sets, tuple(range(matrix.shape[1])), indicators=True)
