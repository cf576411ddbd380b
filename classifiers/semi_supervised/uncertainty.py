"""How unsure a model is of what it names, from passes with dropout: BALD, variance, sampling.

References
----------
Mukherjee & Awadallah 2020, Uncertainty-aware Self-training for Few-shot Text Classification,
sections 3 and 4. Houlsby et al. 2011 (BALD).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from grammar.arrays import FloatArray, LongArray
from grammar.rng import stream_key

__all__ = ["bald", "drawn_by_ease", "most_certain", "variance_weights"]

LEAST_VARIANCE = 1e-6
Shares = NDArray[np.float64]


def bald(passes: Shares) -> FloatArray:
    """Return how much passes disagree: the entropy of their mean less the mean of their entropies.

    Parameters
    ----------
    passes : float64 array, shape (passes, texts, classes)
        Probabilities.

    Returns
    -------
    float64 array, shape (texts,)
        In nats; 0 where all passes say the same.

    Examples
    --------
    >>> sure, torn = [[1.0, 0.0], [1.0, 0.0]], [[1.0, 0.0], [0.0, 1.0]]
    >>> bald(np.array([sure, torn]).transpose(1, 0, 2)).round(4).tolist()
    [0.0, 0.6931]
    """
    found = _entropy(passes.mean(0)) - _entropy(passes).mean(0)
    return np.asarray(found.clip(min=0.0))


def variance_weights(passes: Shares, classes: LongArray) -> FloatArray:
    """Return how much each text counts: minus the logarithm of the variance, their mean being 1.

    Parameters
    ----------
    passes : float64 array, shape (passes, texts, classes)
        Probabilities.
    classes : int64 array, shape (texts,)
        The variance is that of the probability of this class, where the program of UST has that of
        the first class for all texts.

    Notes
    -----
    A variance below 1e-6 counts as that, so that no text has all the weight.

    Examples
    --------
    >>> passes = np.array([[[0.9, 0.1], [0.8, 0.2]], [[0.7, 0.3], [0.8, 0.2]]])
    >>> variance_weights(passes, np.array([0, 0])).round(3).tolist()  # variances .01 and 0
    [0.5, 1.5]
    """
    variance = passes[:, np.arange(len(classes)), classes].var(0)
    weights = -np.log(variance.clip(min=LEAST_VARIANCE))
    return np.asarray(weights / weights.mean()) if len(weights) else weights


def drawn_by_ease(scores: FloatArray, classes: LongArray, count: int, seed: int) -> LongArray:
    """Draw texts without replacement, the more probably the less passes disagree on them.

    Parameters
    ----------
    scores : float64 array, shape (texts,)
        See :func:`bald`; the probability of a text is in proportion to 1 less its score.
    classes : int64 array, shape (texts,)
        What each is taken for; as many are drawn of each, where there are as many.
    count : int
        How many in all.
    seed : int
        Of the draws.

    Returns
    -------
    int64 array
        Rows, in their order.
    """
    ease = (1 - scores).clip(min=1e-9)
    rows: list[int] = []
    for label, size in _quotas(classes, count):
        key = int(stream_key(seed, f"ust {label}"))
        draw = np.random.Generator(np.random.Philox(key=key))
        mine = np.flatnonzero(classes == label)
        shares = ease[mine] / ease[mine].sum()
        rows += draw.choice(mine, size, replace=False, p=shares).tolist()
    return np.sort(np.array(rows, np.int64))


def most_certain(shares: Shares, count: int) -> LongArray:
    """Return the texts with the highest probability, as many of each class where there are as many.

    >>> shares = np.array([[0.9, 0.1], [0.6, 0.4], [0.7, 0.3], [0.2, 0.8]])
    >>> most_certain(shares, 2).tolist(), most_certain(shares, 3).tolist()
    ([0, 3], [0, 2, 3])
    """
    classes, best = shares.argmax(1), shares.max(1)
    rows: list[int] = []
    for label, size in _quotas(classes, count):
        mine = np.flatnonzero(classes == label)
        rows += mine[np.argsort(-best[mine], kind="stable")][:size].tolist()
    return np.sort(np.array(rows, np.int64))


def _quotas(classes: LongArray, count: int) -> list[tuple[int, int]]:
    """Return how many of each class, as even as their sizes allow, rarest first."""
    labels, sizes = np.unique(classes, return_counts=True)
    order = np.argsort(sizes, kind="stable")
    left, quotas = min(count, len(classes)), []
    for place, number in enumerate(order.tolist()):
        size = min(int(sizes[number]), left // (len(order) - place))
        quotas.append((int(labels[number]), size))
        left -= size
    return sorted(quotas)


def _entropy(shares: Shares) -> Shares:
    return np.asarray(-(shares * np.log(shares.clip(min=1e-300))).sum(-1))
