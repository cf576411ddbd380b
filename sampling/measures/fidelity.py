"""Label fidelity, affinity and diversity, by a linear classifier of the originals.

The classifier is logistic regression over TF-IDF weights of word unigrams and bigrams. It is
trained on the originals in cross-validation, so that every original and, where parents are known,
every augmented example is judged by a model that has not seen it, or its first parent. (Which words
exist and how many texts have them is counted over all originals; labels are not.)
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from grammar.arrays import BoolArray, FloatArray, LongArray, kernel
from grammar.counter_rng import next_uniform, open_stream, stream_key
from grammar.errors import CorpusError, MissingDataError
from induction.corpus import Corpus
from sampling.labels import Labels, read_labels

if TYPE_CHECKING:
    from sklearn.linear_model import LogisticRegression

__all__ = [
    "Judgement",
    "agreement",
    "judge",
    "shared_labels",
    "squared_error",
    "training_loss_ratio",
]

FOLDS = 5
STRENGTH = 10.0
"""Inverse of the strength of regularisation, for as many examples as there are originals."""


@dataclass(frozen=True, eq=False)
class Judgement:
    """What held-out classifiers say of the augmented examples, and of the originals.

    Attributes
    ----------
    augmented, originals : float64[examples, classes]
        The probabilities of the classes.
    held_out : bool
        Whether each augmented example was judged by a model that had not seen its first parent.
    """

    augmented: FloatArray
    originals: FloatArray
    held_out: bool


def shared_labels(augmented: Corpus, originals: Corpus) -> tuple[FloatArray, FloatArray]:
    """Return the labels of both corpora as distributions over the same classes.

    Raises
    ------
    CorpusError
        If a label is missing or is no class and no distribution.
    """
    made, given = read_labels(augmented), read_labels(originals)
    classes = max(made.classes, given.classes)
    return _padded(made, classes), _padded(given, classes)


def agreement(probabilities: FloatArray, labels: FloatArray) -> BoolArray:
    """Say of each example whether the most probable class is the label's, or one of the largest.

    >>> agreement(np.array([[0.9, 0.1], [0.4, 0.6]]), np.array([[1.0, 0], [1, 0]])).tolist()
    [True, False]
    """
    chosen = labels[np.arange(len(labels)), probabilities.argmax(axis=1)]
    return np.asarray(chosen >= labels.max(axis=1) - 1e-6)


def squared_error(probabilities: FloatArray, labels: FloatArray) -> FloatArray:
    """Return of each example the squared distance of the two distributions (Brier 1950).

    >>> squared_error(np.array([[0.5, 0.5]]), np.array([[1.0, 0.0]])).tolist()
    [0.5]
    """
    return np.asarray(np.square(probabilities - labels).sum(axis=1))


def judge(
    augmented: Corpus, originals: Corpus, host: LongArray | None = None, *, seed: int = 0
) -> Judgement:
    """Judge both corpora by classifiers of the originals in 5-fold cross-validation.

    Parameters
    ----------
    augmented, originals : Corpus
        With labels, hard or soft.
    host : int64[augmented examples], optional
        The original that each was made from, to be held out. An example without one (-1) is judged
        by the mean of all models.
    seed : int
        Of the folds, which are stratified. There are fewer, if a class has fewer examples.

    Raises
    ------
    CorpusError
        If labels are not valid, there is one class only, or a class has one example.
    MissingDataError
        If scikit-learn is not installed.

    References
    ----------
    Kumar, Choudhary & Cho 2020, Data augmentation using pre-trained transformer models, section
    5.2. Kim et al. 2022 (ALP), table 6.
    """
    made, given = shared_labels(augmented, originals)
    fold = _folds(given.argmax(axis=1), seed)
    features, made_features = _features(originals, augmented)
    folds = int(fold.max()) + 1
    told, told_made = np.zeros_like(given), np.zeros_like(made)
    weight = np.zeros(len(made))
    for k in range(folds):
        model = _trained(features[fold != k], given[fold != k], STRENGTH)
        told[fold == k] = _told(model, features[fold == k], given.shape[1])
        # originals that are not known are in no fold, and every model judges their offspring
        rows = np.ones(len(made), np.bool_) if host is None else (fold[host] == k) | (host < 0)
        if rows.any():
            told_made[rows] += _told(model, made_features[rows], made.shape[1])
        weight += rows
    held_out = host is not None and bool((host >= 0).all())
    return Judgement(told_made / weight[:, None], told, held_out)


def training_loss_ratio(augmented: Corpus, originals: Corpus) -> float:
    """Return diversity: the final training loss on the augmented examples over that without them.

    Both models have the same regularisation for an example, or else more data would mean less of
    it.

    References
    ----------
    Gontijo-Lopes et al. 2020, Affinity and diversity: quantifying mechanisms of data augmentation.
    """
    made, given = shared_labels(augmented, originals)
    if (given.max(axis=0) > 0).sum() < 2 or (made.max(axis=0) > 0).sum() < 2:
        raise CorpusError("there is one class only", hint="give examples of two or more classes")
    features, made_features = _features(originals, augmented)
    clean = _loss(features, given, STRENGTH)
    return _loss(made_features, made, STRENGTH * len(given) / len(made)) / clean


def _padded(labels: Labels, classes: int) -> FloatArray:
    known = labels.distributions(np.arange(len(labels)))
    return np.pad(known, ((0, 0), (0, classes - known.shape[1])))


def _folds(classes: LongArray, seed: int) -> LongArray:
    """Deal the examples of each class out to the folds, in an order drawn from the seed."""
    names, counts = np.unique(classes, return_counts=True)
    if len(names) < 2:
        raise CorpusError("there is one class only", hint="give examples of two or more classes")
    if counts.min() < 2:
        raise CorpusError(
            f"class {names[counts.argmin()]} has one example, which cannot be held out",
            hint="give at least two examples of each class",
        )
    drawn = _uniforms(stream_key(seed, "folds"), len(classes))
    fold = np.empty(len(classes), np.int64)
    order = np.lexsort((drawn, classes))
    starts = np.concatenate(([0], np.cumsum(counts)))[np.searchsorted(names, classes[order])]
    fold[order] = (np.arange(len(classes)) - starts) % min(FOLDS, int(counts.min()))
    return fold


@kernel()
def _uniforms(key: np.uint64, count: int) -> FloatArray:
    drawn = np.empty(count)
    for i in range(count):
        _, drawn[i] = next_uniform(open_stream(key, i))
    return drawn


def _features(originals: Corpus, augmented: Corpus) -> tuple[Any, Any]:
    try:
        from sklearn.feature_extraction.text import TfidfVectorizer
    except ImportError:
        raise MissingDataError(
            "scikit-learn is not installed", hint="pip install 'treewright[quality]'"
        ) from None
    weights = TfidfVectorizer(token_pattern=r"\S+", ngram_range=(1, 2), sublinear_tf=True)
    try:
        known = weights.fit_transform(_texts(originals))
    except ValueError:  # no text has a word
        raise CorpusError("the originals have no words", hint="give texts") from None
    return known.tocsr(), weights.transform(_texts(augmented)).tocsr()


def _texts(corpus: Corpus) -> list[str]:
    texts: list[str] = corpus.column("text")
    if "text_pair" not in corpus.names:
        return texts
    pairs = corpus.column("text_pair")
    return [f"{text} ␞ {pair}" for text, pair in zip(texts, pairs, strict=True)]


def _trained(features: Any, labels: FloatArray, strength: float) -> LogisticRegression:
    """Train on every class of an example with the weight that its label gives it."""
    from sklearn.linear_model import LogisticRegression
    from threadpoolctl import threadpool_limits

    row, chosen = np.nonzero(labels)
    model = LogisticRegression(C=strength, max_iter=2000)
    # sums over more threads differ in their last digits, and wait for each other on a busy machine
    with threadpool_limits(1):
        model.fit(features[row], chosen, sample_weight=labels[row, chosen])
    return model


def _told(model: LogisticRegression, features: Any, classes: int) -> FloatArray:
    told = np.zeros((features.shape[0], classes))
    told[:, model.classes_] = model.predict_proba(features)
    return told


def _loss(features: Any, labels: FloatArray, strength: float) -> float:
    told = _told(_trained(features, labels, strength), features, labels.shape[1])
    return float(-(labels * np.log(np.maximum(told, 1e-300))).sum(axis=1).mean())
