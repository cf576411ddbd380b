"""A linear head as one matrix with a column for every class."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["dense_head"]

ABSENT = -1e30
"""The score of a class without examples: its probability is 0."""


def dense_head(model: Any, classes: int) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Return the weights and biases of a head, whose softmax (or sigmoid) is its probabilities.

    Parameters
    ----------
    model : LogisticRegression or SigmoidHead
        Of two classes, scikit-learn keeps the scores of the second one alone.
    classes : int
        How many there are; some may have had no example.

    Returns
    -------
    float32 arrays, shapes (features, classes) and (classes,)

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> head = SimpleNamespace(coef_=np.ones((1, 1)), intercept_=np.ones(1), classes_=[0, 2])
    >>> weight, bias = dense_head(head, 3)
    >>> weight.tolist(), (bias < -1).tolist()
    ([[0.0, 0.0, 1.0]], [False, True, False])
    """
    weight = np.zeros((model.coef_.shape[1], classes), np.float32)
    bias = np.full(classes, ABSENT, np.float32)
    present = np.asarray(model.classes_)
    bias[present] = 0
    scored = present[-len(model.coef_) :]
    weight[:, scored], bias[scored] = model.coef_.T, model.intercept_
    return weight, bias
