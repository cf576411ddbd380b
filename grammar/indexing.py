"""Rows that are chosen by places: a slice, a list or an array of places, or truth values."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from grammar.errors import OptionError

__all__ = ["places_chosen"]


def places_chosen(index: Any, count: int, example: str) -> NDArray[np.int64]:
    """Return the places that an index chooses of so many.

    Parameters
    ----------
    index
        A slice, places, or a truth value for each.
    count : int
        How many there are.
    example : str
        A line that chooses some, for errors.

    Raises
    ------
    OptionError
        If it chooses none: it is a single truth value, as where a list is compared with a value,
        or of another kind.
    IndexError
        If a place is out of range.

    Examples
    --------
    >>> places_chosen(slice(1, None), 3, ''), places_chosen([True, False, True], 3, '')
    (array([1, 2]), array([0, 2]))
    >>> places_chosen([-1], 3, '')
    array([2])
    """
    places = np.arange(count)
    if isinstance(index, slice):
        return places[index]
    chosen = np.asarray(index)
    if chosen.ndim == 1 and (chosen.dtype.kind in "bui" or not len(chosen)):
        if chosen.dtype.kind == "b" and len(chosen) != count:
            raise OptionError(f"{len(chosen)} truth values for {count}", hint="give one for each")
        return places[chosen if len(chosen) else chosen.astype(np.int64)]
    raise OptionError(
        f"{index!r:.60} does not say which are chosen",
        hint=f"give places, or a truth value for each: {example}",
    )
