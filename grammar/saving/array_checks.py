"""What arrays of a file must be before a kernel reads them: each check is one pass over the whole.

All raise ValueError, which :class:`grammar.codecs.ArrayCodec` tells with the name of the file.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

__all__ = [
    "check_counts",
    "check_length",
    "check_numbers",
    "check_offsets",
    "check_running_sums",
    "check_shares",
    "typed_columns",
]

_ROUNDING = 1e-6


def typed_columns(columns: Mapping[str, Any], known: Mapping[str, str]) -> dict[str, Any]:
    """Return columns of the types that they must have; empty ones are saved as of any.

    Parameters
    ----------
    columns : mapping
        Of a file, as :func:`grammar.saving.array_file.load_arrays` returns them.
    known : mapping of str to str
        The type of each: that of an array, ``text``, or ``rows``. A name such as ``0.states`` may
        stand there by what is behind its point.

    Raises
    ------
    ValueError
        If a column is not known, or has values of another type, or none.

    Examples
    --------
    >>> typed_columns({"words": np.array([0, 3])}, {"words": "int32"})
    Traceback (most recent call last):
    ...
    ValueError: words: of the type int64, not int32
    """
    typed: dict[str, Any] = {}
    for name, values in columns.items():
        wanted = known.get(name) or known.get(name.rpartition(".")[2])
        if wanted is None:
            raise ValueError(f"the column {name[:80]!r} is not known")
        found = _type_of(values)
        typed[name] = values
        if found != wanted:
            if len(values) or wanted == "rows":
                raise ValueError(f"{name}: of the type {found}, not {wanted}")
            typed[name] = [] if wanted == "text" else np.zeros(0, wanted)
    return typed


def _type_of(values: Any) -> str:
    if isinstance(values, np.ndarray):
        return str(values.dtype)
    if isinstance(values, list):
        return "text or null" if None in values else "text"
    return "rows or null" if values.null_count else "rows"


def check_numbers(name: str, numbers: Any, least: int, below: int) -> None:
    """Refuse numbers that are not from ``least`` to ``below - 1``.

    >>> check_numbers("words", np.array([0, 3]), 0, 3)
    Traceback (most recent call last):
    ...
    ValueError: words: a number is not from 0 to 2
    """
    if _array(name, numbers).dtype.kind not in "iu":
        raise ValueError(f"{name}: not whole numbers")
    if len(numbers) and not least <= _smallest(numbers) <= _largest(numbers) < below:
        raise ValueError(f"{name}: a number is not from {least} to {below - 1}")


def check_length(name: str, values: Any, length: int) -> None:
    """Refuse arrays that do not have as many values as what they tell of."""
    if len(_array(name, values)) != length:
        raise ValueError(f"{name}: {len(values)} values, not {length}")


def check_offsets(name: str, offsets: Any, groups: int, total: int, *, least: int = 0) -> None:
    """Refuse offsets that do not cut ``total`` values into groups of ``least`` or more.

    >>> check_offsets("pools", np.array([0, 2, 1, 3]), 3, 3)
    Traceback (most recent call last):
    ...
    ValueError: pools: the offsets fall
    """
    check_length(name, offsets, groups + 1)
    if offsets.dtype.kind != "i":
        raise ValueError(f"{name}: not whole numbers")
    if offsets.item(0) != 0 or offsets.item(-1) != total:
        raise ValueError(f"{name}: the offsets do not go from 0 to {total}")
    before, behind = offsets[:-1], offsets[1:]
    falls = behind <= before if least else behind < before
    # compared first, for differences may overflow
    if np.count_nonzero(falls) or (least > 1 and np.count_nonzero(behind - before < least)):
        raise ValueError(f"{name}: the offsets fall" + (" or do not rise" if least else ""))


def check_counts(name: str, counts: Any) -> None:
    """Refuse counts or weights that are negative or not finite."""
    values = _array(name, counts)
    if values.dtype.kind not in "iuf":
        raise ValueError(f"{name}: not counts")
    if len(values) and not 0 <= _smallest(values) <= _largest(values) < np.inf:  # NaN is neither
        raise ValueError(f"{name}: not counts")


def check_shares(name: str, shares: Any, offsets: Any) -> None:
    """Refuse probabilities that are negative, or do not sum to one in each group that has any."""
    values = _array(name, shares)
    check_counts(name, values)
    first, _ = _filled(offsets)
    if len(first) and _largest(np.abs(np.add.reduceat(values, first) - 1.0)) > _ROUNDING:
        raise ValueError(f"{name}: not probabilities")


def check_running_sums(name: str, ends: Any, offsets: Any) -> None:
    """Refuse running sums of probabilities that fall, or do not end at one in each group."""
    values = _array(name, ends)
    if values.dtype.kind not in "iuf":
        raise ValueError(f"{name}: not counts")
    first, last = _filled(offsets)
    if not len(first):
        return
    begins, whole = values[first], values[last]
    rises = values[1:] >= values[:-1]  # of NaN it is not true
    falls = len(rises) - np.count_nonzero(rises)
    between = len(last) - 1 - np.count_nonzero(rises[last[:-1]])
    near = 1 - _ROUNDING <= _smallest(whole) <= _largest(whole) <= 1 + _ROUNDING
    if falls != between or not (near and _smallest(begins) >= 0):
        raise ValueError(f"{name}: not running sums of probabilities")


def _smallest(values: Any) -> Any:
    """Return the least of some values; of few, in a third of the time that ``min`` takes."""
    return values[values.argmin()].item()


def _largest(values: Any) -> Any:
    return values[values.argmax()].item()


def _filled(offsets: Any) -> tuple[Any, Any]:
    """Return the first and the last value of each group that has any."""
    bounds = np.asarray(offsets)
    first, behind = bounds[:-1], bounds[1:]
    filled = behind > first
    if np.count_nonzero(filled) < len(filled):
        first, behind = first[filled], behind[filled]
    return first, behind - 1


def _array(name: str, values: Any) -> Any:
    if not isinstance(values, np.ndarray) or values.ndim != 1:
        raise ValueError(f"{name}: not an array of numbers")
    return values
