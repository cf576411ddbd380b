"""A linear head for sets of classes: one logistic regression a class, whatever the others say."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from classifiers.examples import Examples
from grammar.arrays import LongArray
from grammar.errors import SchemaError

__all__ = ["SigmoidHead", "fit_sigmoids", "sigmoid_head"]


@dataclass(frozen=True, eq=False)
class SigmoidHead:
    """Weights of one logistic regression a class, under the names that scikit-learn has.

    Attributes
    ----------
    coef_ : float64 array, shape (classes, features)
        Weights.
    intercept_ : float64 array, shape (classes,)
        Biases.
    """

    coef_: NDArray[np.float64]
    intercept_: NDArray[np.float64]

    @property
    def classes_(self) -> LongArray:
        """The numbers of the classes: all of them."""
        return np.arange(len(self.intercept_))

    def predict_proba(self, vectors: Any) -> NDArray[np.float64]:
        """Return the probability of every class, of shape (examples, classes)."""
        from scipy.special import expit

        scores = vectors @ self.coef_.T + self.intercept_
        return np.asarray(expit(scores), np.float64)


def fit_sigmoids(vectors: Any, examples: Examples, c: float, *, balance: bool) -> SigmoidHead:
    """Fit one logistic regression a class.

    A class that all examples have, or none, has a probability whatever the text: their share, with
    one example more of either kind.

    Parameters
    ----------
    vectors : array or sparse array, shape (examples, features)
        What is read.
    examples : Examples
        With sets of classes.
    c : float
        ``C`` of each regression.
    balance : bool
        Whether the texts of a class weigh as much as the others.
    """
    from sklearn.linear_model import LogisticRegression
    from threadpoolctl import threadpool_limits

    members = examples.labels > 0
    weight = np.zeros((len(examples.classes), vectors.shape[1]))
    share = (members.sum(0) + 1) / (len(examples) + 2)
    bias = np.log(share / (1 - share))
    for number, mine in enumerate(members.T):
        if mine.all() or not mine.any():
            continue
        model = LogisticRegression(C=c, max_iter=1000, class_weight="balanced" if balance else None)
        with threadpool_limits(1):  # small fits wait for threads
            model.fit(vectors, mine, sample_weight=examples.weights)
        weight[number], bias[number] = model.coef_[0], model.intercept_[0]
    return SigmoidHead(weight, bias)


def sigmoid_head(classes: int, *, weight: Any, bias: Any, present: Any) -> SigmoidHead:
    """Return a head with known weights (SchemaError if they do not fit each other)."""
    fits = weight.ndim == 2 and len(weight) == classes and bias.shape == (classes,)
    finite = np.isfinite(weight).all() and np.isfinite(bias).all()
    if not fits or not finite or present.tolist() != list(range(classes)):
        raise SchemaError("the weights of the head do not fit each other", hint="train it again")
    return SigmoidHead(np.asarray(weight, np.float64), np.asarray(bias, np.float64))
