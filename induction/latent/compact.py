"""Latent models in a quarter of the space: weights and counts that are whole multiples.

Weights after expectation-maximisation have fifteen digits, of which three matter, and most are
tiny. As multiples of one small number, they are short where they are small, and those of each state
still sum to one exactly: what rounding takes is given to those that lost most (largest remainders).
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import numpy.typing as npt

from grammar.arrays import FloatArray
from induction.latent.em import LatentModel

__all__ = ["apportioned", "compact"]

_PARTS_OF_WEIGHTS, _PARTS_OF_COUNTS = 2**20, 2**10


def apportioned(values: FloatArray, group: npt.NDArray[np.integer], parts: int) -> FloatArray:
    """Return values as multiples of ``1 / parts``, none of them further off, by groups.

    Parameters
    ----------
    values : float64 array
        Not negative.
    group : int array, shape of values
        The sum of each group stays, to the nearest multiple.
    parts : int
        Of one.

    Examples
    --------
    >>> import numpy as np
    >>> apportioned(np.array([0.3, 0.33, 0.37, 2.0]), np.array([0, 0, 0, 1]), 10).tolist()
    [0.3, 0.3, 0.4, 2.0]
    """
    scaled = values * parts
    whole = np.floor(scaled)
    lost = scaled - whole
    owed = np.rint(np.bincount(group, lost)).astype(np.int64)
    order = np.lexsort((-lost, group))
    first = np.searchsorted(group[order], np.arange(len(owed)))
    rank = np.arange(len(order)) - first[group[order]]
    whole[order] += rank < owed[group[order]]
    made: FloatArray = whole / parts
    return made


def compact(model: LatentModel) -> LatentModel:
    """Return the model with weights of 2^-20 and counts of 2^-10, each a multiple.

    What a word has in all is as it was, and so is the sum of the weights of each state.
    """
    counts = model.lexicon.counts.tocsr(copy=True)
    rows = np.repeat(np.arange(counts.shape[0]), np.diff(counts.indptr))
    counts.data = apportioned(counts.data, rows, _PARTS_OF_COUNTS)
    counts.eliminate_zeros()
    grammar = model.grammar
    weight = apportioned(grammar.weight, grammar.shape.parent_states, _PARTS_OF_WEIGHTS)
    return LatentModel(replace(grammar, weight=weight), replace(model.lexicon, counts=counts))
