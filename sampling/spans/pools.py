"""Pools: which spans may fill which, and how probable they are."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from grammar.arrays import IntArray, LongArray

__all__ = ["Pools", "normalised", "pools_of_classes"]

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Pools:
    """Which sites may fill which.

    Attributes
    ----------
    of_site : int32[S]
        The pool that fills the hole of every site, or -1 if the site is a filler only.
    host_weight : float64[S]
        Probability of every site to be the hole (0 if it is a filler only).
    offsets, fillers, weight : int64[P + 1], int32[], float64[]
        Pool p holds the sites ``fillers[offsets[p]:offsets[p + 1]]``, with their probabilities.
    names : tuple of str
        What the pools are called.
    """

    of_site: IntArray
    host_weight: Floats
    offsets: LongArray
    fillers: IntArray
    weight: Floats
    names: tuple[str, ...]


def pools_of_classes(
    classes: LongArray,
    names: Sequence[str],
    *,
    host_weight: Floats | None = None,
    filler_weight: Floats | None = None,
) -> Pools:
    """Make a pool of every class: its sites fill each other's holes.

    Weights need not be normalised; without them all sites are alike.
    """
    size = len(classes)
    ones = np.ones(size)
    order = np.argsort(classes, kind="stable").astype(np.int32)
    offsets = np.concatenate(([0], np.cumsum(np.bincount(classes, minlength=len(names)))))
    return normalised(
        Pools(
            classes.astype(np.int32),
            ones if host_weight is None else host_weight,
            offsets.astype(np.int64),
            order,
            (ones if filler_weight is None else filler_weight)[order],
            tuple(names),
        )
    )


def normalised(pools: Pools) -> Pools:
    """Return the pools with probabilities that sum to 1, over hosts and in every pool."""
    host = np.where(pools.of_site >= 0, pools.host_weight, 0.0)
    sizes = np.diff(pools.offsets)
    owner = np.repeat(np.arange(len(sizes)), sizes)
    totals = np.bincount(owner, pools.weight, minlength=len(sizes))
    return Pools(
        pools.of_site,
        host / host.sum(),
        pools.offsets,
        pools.fillers,
        pools.weight / totals[owner],
        pools.names,
    )
