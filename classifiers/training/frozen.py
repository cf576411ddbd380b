"""Heads on a frozen encoder, and a model without any encoder: quick, and exact again each time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from classifiers.config import TFIDF, TrainingConfig
from classifiers.encoders.cache import cached_vectors
from classifiers.encoders.opening import Encoder
from classifiers.examples import Examples, balanced
from classifiers.predicting import Predicting
from classifiers.training.sigmoids import fit_sigmoids
from grammar.errors import CorpusError, SchemaError
from grammar.rng import stream_key

__all__ = [
    "NGRAMS",
    "PLAIN",
    "STRENGTH",
    "FrozenClassifier",
    "TfidfClassifier",
    "fit_linear",
    "linear_model",
    "train_frozen",
    "train_tfidf",
    "vectoriser",
]

Probabilities = NDArray[np.float64]
DROPOUT = 0.1
STRENGTH, NGRAMS = 10.0, 2
"""Of a linear head whose config leaves them to be fitted, and that is fitted by nothing."""
PLAIN = TrainingConfig(encoder=TFIDF, C=STRENGTH, ngrams=NGRAMS, class_weight="none")


@dataclass(frozen=True, eq=False)
class FrozenClassifier(Predicting):
    """Logistic regression on the pooled states of a frozen encoder."""

    encoder: Encoder
    config: TrainingConfig
    classes: tuple[str, ...]
    model: Any

    def probabilities(self, texts: Any) -> Probabilities:
        """Return the probability of every class, float64 of shape (texts, classes)."""
        vectors = _vectors(self.encoder, texts, self.config)
        return _padded(self.model, vectors, len(self.classes))

    def passes(self, texts: Any, count: int, seed: int) -> Probabilities:
        """Return what it says if a tenth of each vector is left out, at random.

        Returns
        -------
        float64 array, shape (passes, texts, classes)
        """
        vectors = _vectors(self.encoder, texts, self.config)
        made = np.zeros((count, len(vectors), len(self.classes)))
        for number in range(count):
            key = int(stream_key(seed, f"dropout {number}"))
            kept = np.random.Generator(np.random.Philox(key=key)).random(vectors.shape) >= DROPOUT
            made[number] = _padded(self.model, vectors * kept / (1 - DROPOUT), len(self.classes))
        return made


@dataclass(frozen=True, eq=False)
class TfidfClassifier(Predicting):
    """Logistic regression on TF-IDF weights of words and pairs of words."""

    config: TrainingConfig
    classes: tuple[str, ...]
    vectoriser: Any
    model: Any

    def probabilities(self, texts: Any) -> Probabilities:
        """Return the probability of every class, float64 of shape (texts, classes)."""
        vectors = self.vectoriser.transform([_joined(text) for text in texts])
        return _padded(self.model, vectors, len(self.classes))


def train_frozen(encoder: Encoder, examples: Examples, config: TrainingConfig) -> FrozenClassifier:
    """Train a linear head on a frozen encoder.

    Soft labels count as one example a class, weighted by its share. Vectors are kept on the disk by
    encoder and text (:func:`~classifiers.encoders.cache.cached_vectors`).
    """
    vectors = _vectors(encoder, examples.texts, config)
    model = fit_linear(vectors, examples, config)
    return FrozenClassifier(encoder, config, examples.classes, model)


def train_tfidf(examples: Examples, config: TrainingConfig = PLAIN) -> TfidfClassifier:
    """Train a linear model on words and pairs of words.

    Parameters
    ----------
    examples : Examples
        What to learn.
    config : TrainingConfig
        What it says of logistic regression and of n-grams. What is left to be fitted is as in
        :data:`PLAIN` (:func:`~classifiers.training.fitting.fitted` fits it).

    Examples
    --------
    >>> from classifiers.examples import read_examples
    >>> from induction import Corpus
    >>> few = read_examples(Corpus.from_columns(text=["a good film", "a bad film"], label=[1, 0]))
    >>> train_tfidf(few).probabilities(["good"]).argmax(1)
    array([1])
    """
    words = vectoriser(config.ngrams or NGRAMS)
    try:
        vectors = words.fit_transform([_joined(text) for text in examples.texts])
    except ValueError:
        raise CorpusError("no text has a word", hint="give texts of words") from None
    return TfidfClassifier(config, examples.classes, words, fit_linear(vectors, examples, config))


def vectoriser(ngrams: int, vocabulary: Sequence[str] | None = None) -> Any:
    """Return what weighs up to so many words in a row, to be fitted, or for a known vocabulary."""
    from sklearn.feature_extraction.text import TfidfVectorizer

    return TfidfVectorizer(
        ngram_range=(1, ngrams), sublinear_tf=True, token_pattern=r"\S+", vocabulary=vocabulary
    )


def linear_model(c: float, classes: int, *, weight: Any, bias: Any, present: Any) -> Any:
    """Return logistic regression with known weights.

    Parameters
    ----------
    c : float
        It was fitted with.
    classes : int
        How many there are.
    weight, bias : float64 arrays, shapes (rows, features) and (rows,)
        One row a class, or a single one for two.
    present : int64 array
        The numbers of the classes that it knows, rising.

    Raises
    ------
    SchemaError
        If they do not fit each other.
    """
    from sklearn.linear_model import LogisticRegression

    rows = 1 if len(present) == 2 else len(present) if len(present) > 2 else -1
    if (
        weight.ndim != 2
        or len(weight) != rows
        or bias.shape != (rows,)
        or not (np.isfinite(weight).all() and np.isfinite(bias).all())
        or present.dtype.kind != "i"
        or not 0 <= present.min(initial=0) <= present.max(initial=0) < classes
        or (np.diff(present) <= 0).any()
    ):
        raise SchemaError("the weights of the head do not fit each other", hint="train it again")
    model = LogisticRegression(C=c, max_iter=1000)
    model.coef_, model.intercept_, model.classes_ = weight, bias, present
    return model


def fit_linear(vectors: Any, examples: Examples, config: TrainingConfig) -> Any:
    """Fit logistic regression to the vectors of examples.

    An example with a distribution counts once for every class, weighted by its share. Sets of
    classes have one regression a class (:func:`~classifiers.training.sigmoids.fit_sigmoids`).
    """
    if examples.multilabel:
        balance = config.class_weight == "balanced"
        return fit_sigmoids(vectors, examples, config.C or STRENGTH, balance=balance)
    from sklearn.linear_model import LogisticRegression
    from threadpoolctl import threadpool_limits

    if config.class_weight == "balanced":
        examples = balanced(examples)
    rows, classes = np.nonzero(examples.labels)
    weights = examples.labels[rows, classes] * examples.weights[rows]
    model = LogisticRegression(C=config.C or STRENGTH, max_iter=1000)
    with threadpool_limits(1):  # small fits wait for threads, and sums differ in their last digits
        return model.fit(vectors[rows], classes, sample_weight=weights)


def _vectors(encoder: Encoder, texts: Any, config: TrainingConfig) -> NDArray[np.float32]:
    vectors = cached_vectors(
        encoder, list(texts), pooling=config.pooled, max_length=config.max_length
    )
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    return np.asarray(vectors / lengths.clip(min=1e-12), np.float32)


def _padded(model: Any, vectors: Any, classes: int) -> Probabilities:
    """Return probabilities with a column for classes that had no example."""
    made = np.zeros((vectors.shape[0], classes))
    if vectors.shape[0]:
        made[:, model.classes_] = model.predict_proba(vectors)
    return made


def _joined(text: str | tuple[str, str]) -> str:
    return text if isinstance(text, str) else " ||| ".join(text)
