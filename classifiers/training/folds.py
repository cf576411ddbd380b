"""Folds of examples, each class spread over all of them, or each set of classes."""

from __future__ import annotations

import numpy as np

from classifiers.examples import Examples
from grammar.arrays import LongArray
from grammar.rng import stream_key
from sampling.examples.labels import deal_sets

__all__ = ["deal_folds", "folds_of"]


def folds_of(examples: Examples, count: int, seed: int, number: int = 0) -> LongArray:
    """Return a fold for each example: by its class (:func:`deal_folds`), or by its set of classes.

    Parameters
    ----------
    examples : Examples
        What is dealt.
    count : int
        How many folds.
    seed, number : int
        As :func:`deal_folds` has them.
    """
    if examples.multilabel:
        name = f"folds {number}" if number else "folds"
        return deal_sets(examples.labels > 0, [1 / count] * count, int(stream_key(seed, name)))
    return deal_folds(examples.hard, count, seed, number)


def deal_folds(classes: LongArray, count: int, seed: int, number: int = 0) -> LongArray:
    """Return a fold for each example, so that each class is spread over all of them.

    Parameters
    ----------
    classes : int64 array, shape (examples,)
        The class of each.
    count : int
        How many folds.
    seed, number : int
        Folds are a function of the seed, and of how often they were dealt before.

    Examples
    --------
    >>> np.bincount(deal_folds(np.array([0, 0, 0, 1, 1, 1]), 3, seed=1)).tolist()
    [2, 2, 2]
    """
    name = f"folds {number}" if number else "folds"
    draw = np.random.Generator(np.random.Philox(key=int(stream_key(seed, name))))
    made = np.zeros(len(classes), np.int64)
    for label in np.unique(classes).tolist():
        rows = draw.permutation(np.flatnonzero(classes == label))
        made[rows] = (np.arange(len(rows)) + label) % count
    return made
