"""Hits drawn at random."""

from __future__ import annotations

import numpy as np

from grammar.arrays import LongArray
from grammar.errors import OptionError
from grammar.rng import stream_key, uniforms

__all__ = ["sampled"]


def sampled(hits: int, n: int, seed: int) -> LongArray:
    """Return the places of n of some hits, drawn without replacement; of all, if n is more.

    Raises
    ------
    OptionError
        If n is negative, or the seed is no whole number.

    Examples
    --------
    >>> len(sampled(10, 3, seed=0)), len(sampled(2, 3, seed=0))
    (3, 2)
    """
    if n < 0:
        raise OptionError(f"{n} hits cannot be drawn", hint="ask for 0 or more")
    drawn = uniforms(stream_key(seed, "hits"), 0, hits)
    return np.argsort(drawn, kind="stable")[:n]
