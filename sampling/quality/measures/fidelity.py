"""Label fidelity, affinity and diversity, by a linear classifier of the originals.

The classifier is logistic regression over TF-IDF weights of word unigrams and bigrams. It is
trained on the originals in cross-validation, so that every original and, where parents are known,
every augmented example is judged by a model that has not seen it, or any of its parents. (Which
words exist and how many texts have them is counted over all originals; labels are not.) Sets of
classes (multi-label) have one regression a class, and a set is right as a whole.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from grammar.arrays import BoolArray, FloatArray, LongArray
from grammar.errors import CorpusError
from grammar.rng import stream_key, uniforms
from induction.corpus.corpus import Corpus
from sampling.examples.labels import Labels, deal_sets, has_sets, read_labels
from sampling.quality.measures.parents import Parents

__all__ = [
    "Judgement",
    "agreement",
    "judge",
    "label_shift",
    "shared_classes",
    "shared_labels",
    "squared_error",
    "training_loss_ratio",
]

FOLDS = 5
MOST_HELD_OUT = 2
"""A model is trained without at most so many of the folds: on three fifths of the originals."""

STRENGTH = 10.0
"""Inverse of the strength of regularisation, for as many examples as there are originals."""


@dataclass(frozen=True, eq=False)
class Judgement:
    """What held-out classifiers say of the augmented examples, and of the originals.

    Attributes
    ----------
    augmented, originals : float64[examples, classes]
        The probabilities of the classes; NaN for an augmented example whose parents lie in more
        folds than are held out.
    held_out : bool
        Whether each augmented example was judged by a model that had not seen its parents.
    """

    augmented: FloatArray
    originals: FloatArray
    held_out: bool


def shared_labels(augmented: Corpus, originals: Corpus) -> tuple[FloatArray, FloatArray]:
    """Return the labels of both corpora as distributions over the same classes, or as sets of them.

    Raises
    ------
    CorpusError
        If a label is missing or is no class, no distribution and no set of classes, or one corpus
        alone has sets.
    """
    made, given = read_labels(augmented), read_labels(originals)
    if given.sets is not None and made.sets is not None:
        names = shared_classes(augmented, originals)
        return made.members(names).astype(float), given.members(names).astype(float)
    classes = max(made.classes, given.classes)
    return _padded(made, classes), _padded(given, classes)


def shared_classes(*corpora: Corpus) -> tuple[str, ...]:
    """Return the classes of sets of classes, in their order."""
    return tuple(sorted({name for one in corpora for own in one.column("label") for name in own}))


def label_shift(augmented: Corpus, originals: Corpus) -> float:
    """Return half of the distance between the shares of classes, or of sets of them, from 0 to 1.

    >>> one = Corpus.from_columns(text=["a", "b"], label=[["x", "y"], ["x"]])
    >>> label_shift(Corpus.from_columns(text=["a"], label=[["y", "x"]]), one)
    0.5
    """
    made, given = shared_labels(augmented, originals)
    if has_sets(originals):
        both = np.concatenate((made, given))
        whole = np.eye(len(both))[np.unique(both, axis=0, return_inverse=True)[1].ravel()]
        made, given = whole[: len(made)], whole[len(made) :]
    return float(np.abs(made.mean(axis=0) - given.mean(axis=0)).sum() / 2)


def agreement(probabilities: FloatArray, labels: FloatArray, *, sets: bool = False) -> BoolArray:
    """Say of each example whether the most probable class is the label's, or one of the largest.

    Of ``sets`` of classes: whether those that are more probable than not are the set.

    >>> agreement(np.array([[0.9, 0.1], [0.4, 0.6]]), np.array([[1.0, 0], [1, 0]])).tolist()
    [True, False]
    """
    if sets:
        return np.asarray(((probabilities >= 0.5) == (labels > 0)).all(axis=1))
    chosen = labels[np.arange(len(labels)), probabilities.argmax(axis=1)]
    return np.asarray(chosen >= labels.max(axis=1) - 1e-6)


def squared_error(probabilities: FloatArray, labels: FloatArray) -> FloatArray:
    """Return of each example the squared distance of the two distributions (Brier 1950).

    >>> squared_error(np.array([[0.5, 0.5]]), np.array([[1.0, 0.0]])).tolist()
    [0.5]
    """
    return np.asarray(np.square(probabilities - labels).sum(axis=1))


def judge(
    augmented: Corpus, originals: Corpus, parents: Parents | None = None, *, seed: int = 0
) -> Judgement:
    """Judge both corpora by classifiers of the originals in 5-fold cross-validation.

    An augmented example is judged by the model that was trained without the one or two folds that
    its parents lie in. An original is judged by a model without its own fold, and without a second
    one as often as the augmented examples are, so that both are judged by equally good models.

    Parameters
    ----------
    augmented, originals : Corpus
        With labels, hard or soft, or sets of classes.
    parents : Parents, optional
        The originals that each was made from, to be held out. An example without any is judged by
        the mean of all models that one fold was held out of.
    seed : int
        Of the folds, which are stratified. There are fewer, if a class has fewer examples.

    Raises
    ------
    CorpusError
        If labels are not valid, there is one class only, a class has one example, or the parents of
        every augmented example lie in too many folds.

    References
    ----------
    Kumar, Choudhary & Cho 2020, Data augmentation using pre-trained transformer models, section
    5.2. Kim et al. 2022 (ALP), table 6.
    """
    made, given = shared_labels(augmented, originals)
    sets = has_sets(originals)
    fold = _folds_of_sets(given > 0, seed) if sets else _folds(given.argmax(axis=1), seed)
    folds = int(fold.max()) + 1
    held = _folds_of_parents(fold, parents, len(made))
    judged = _how_many(held) <= min(MOST_HELD_OUT, folds - 1)
    if not judged.any():
        raise CorpusError(
            "every augmented example has parents in more folds than can be held out",
            hint="give more examples of each class",
        )
    held_before = _drawn_like(held[judged & (held > 0)], fold, seed)
    features, made_features = _features(originals, augmented)
    told, told_made = np.zeros_like(given), np.zeros_like(made)
    without = {1 << k for k in range(folds)} if (held == 0).any() else set()
    for out in sorted({*held[judged & (held > 0)].tolist(), *held_before.tolist(), *without}):
        model = _trained(*_rows(features, given, (out >> fold) & 1 == 0), STRENGTH, sets=sets)
        rows = held_before == out
        if rows.any():
            told[rows] = _told(model, features[rows], given.shape[1])
        for rows, weight in ((held == out, 1.0), (held == 0, (out in without) / folds)):
            if rows.any() and weight:
                told_made[rows] += weight * _told(model, made_features[rows], made.shape[1])
    told_made[~judged] = np.nan
    return Judgement(told_made, told, bool((held > 0).all()))


def _rows(features: Any, labels: FloatArray, rows: BoolArray) -> tuple[Any, FloatArray]:
    return features[rows], labels[rows]


def _folds_of_parents(fold: LongArray, parents: Parents | None, size: int) -> LongArray:
    """Return the folds that hold the parents of each example, as bits; 0 where none is known."""
    held = np.zeros(size, np.int64)
    if parents is not None:
        owner = np.repeat(np.arange(size), np.diff(parents.offsets))
        np.bitwise_or.at(held, owner, 1 << fold[parents.row])
    return held


def _how_many(bits: LongArray) -> LongArray:
    return np.asarray(sum((bits >> k) & 1 for k in range(FOLDS)), np.int64)


def _drawn_like(held: LongArray, fold: LongArray, seed: int) -> LongArray:
    """Draw the folds to hold out for each original: its own among them, else as in ``held``."""
    drawn = uniforms(stream_key(seed, "judges"), 0, len(fold))
    sets, counts = np.unique(held, return_counts=True)
    chosen = 1 << fold
    for k in range(int(fold.max()) + 1):
        own = (sets >> k) & 1 == 1
        if own.any():
            share = np.cumsum(counts[own]) / counts[own].sum()
            chosen[fold == k] = sets[own][np.searchsorted(share, drawn[fold == k], side="right")]
    return np.asarray(chosen, np.int64)


def training_loss_ratio(augmented: Corpus, originals: Corpus) -> float:
    """Return diversity: the final training loss on the augmented examples over that without them.

    Both models have the same regularisation for an example, or else more data would mean less of
    it.

    References
    ----------
    Gontijo-Lopes et al. 2020, Affinity and diversity: quantifying mechanisms of data augmentation.
    """
    made, given = shared_labels(augmented, originals)
    sets = has_sets(originals)
    if not sets and ((given.max(axis=0) > 0).sum() < 2 or (made.max(axis=0) > 0).sum() < 2):
        raise CorpusError("there is one class only", hint="give examples of two or more classes")
    features, made_features = _features(originals, augmented)
    clean = _loss(features, given, STRENGTH, sets=sets)
    return _loss(made_features, made, STRENGTH * len(given) / len(made), sets=sets) / clean


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
    drawn = uniforms(stream_key(seed, "folds"), 0, len(classes))
    fold = np.empty(len(classes), np.int64)
    order = np.lexsort((drawn, classes))
    starts = np.concatenate(([0], np.cumsum(counts)))[np.searchsorted(names, classes[order])]
    fold[order] = (np.arange(len(classes)) - starts) % min(FOLDS, int(counts.min()))
    return fold


def _folds_of_sets(members: BoolArray, seed: int) -> LongArray:
    """Deal the examples out, so that sets of classes, and classes, are spread over the folds."""
    if (members == members[0]).all():
        raise CorpusError("there is one set of classes only", hint="give examples of others")
    count = min(FOLDS, len(members))
    return deal_sets(members, [1 / count] * count, int(stream_key(seed, "folds")))


def _features(originals: Corpus, augmented: Corpus) -> tuple[Any, Any]:
    from sklearn.feature_extraction.text import TfidfVectorizer

    weights = TfidfVectorizer(token_pattern=r"\S+", ngram_range=(1, 2), sublinear_tf=True)
    texts = _texts(originals)
    try:
        known = weights.fit_transform(texts)
    except ValueError:  # no text has a word
        raise CorpusError("the originals have no words", hint="give texts") from None
    return known.tocsr(), weights.transform(_texts(augmented)).tocsr()


def _texts(corpus: Corpus) -> list[str]:
    texts: list[str] = corpus.complete("text")
    if "text_pair" not in corpus.names:
        return texts
    pairs = corpus.complete("text_pair")
    return [f"{text} ␞ {pair}" for text, pair in zip(texts, pairs, strict=True)]


def _trained(features: Any, labels: FloatArray, c: float, *, sets: bool = False) -> Any:
    """Train on every class of an example with the weight that its label gives it.

    Of ``sets`` of classes, return a list of models, one a class: it is a number where all examples
    have the class, or none.
    """
    from sklearn.linear_model import LogisticRegression
    from threadpoolctl import threadpool_limits

    if sets:
        each = []
        for mine in labels.T:
            both = 0 < mine.sum() < len(mine)
            pair = np.stack((1 - mine, mine), axis=1)
            each.append(_trained(features, pair, c) if both else float(mine.mean()))
        return each
    row, chosen = np.nonzero(labels)
    model = LogisticRegression(C=c, max_iter=2000)
    # sums over more threads differ in their last digits, and wait for each other on a busy machine
    with threadpool_limits(1):
        model.fit(features[row], chosen, sample_weight=labels[row, chosen])
    return model


def _told(model: Any, features: Any, classes: int) -> FloatArray:
    if isinstance(model, list):
        each = [
            np.full(features.shape[0], one)
            if isinstance(one, float)
            else _told(one, features, 2)[:, 1]
            for one in model
        ]
        return np.stack(each, axis=1)
    told = np.zeros((features.shape[0], classes))
    told[:, model.classes_] = model.predict_proba(features)
    return told


def _loss(features: Any, labels: FloatArray, c: float, *, sets: bool = False) -> float:
    told = _told(_trained(features, labels, c, sets=sets), features, labels.shape[1])
    if sets:
        apart = np.where(labels > 0, told, 1 - told)
        return float(-np.log(np.maximum(apart, 1e-300)).sum(axis=1).mean())
    return float(-(labels * np.log(np.maximum(told, 1e-300))).sum(axis=1).mean())
