"""The baseline that new examples have to beat: a linear head, fitted by cross-validation."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from classifiers.config import TFIDF, TrainingConfig
from classifiers.examples import Examples
from classifiers.training.folds import folds_of
from classifiers.training.frozen import NGRAMS, STRENGTH
from grammar.arrays import LongArray
from grammar.rng import stream_key

__all__ = ["fit_config", "is_fitted"]

STRENGTHS = (0.1, 1.0, 10.0, 100.0)
FOLDS = 5
ROUNDS, FEW = 3, 200
"""So often are folds dealt anew, where there are fewer examples."""
MOST = 1000
"""At most so many examples are fitted to, drawn with the shares of their classes."""
UNEVEN = 1.5
"""Classes are weighed only if one has so many times the examples of another."""


def is_fitted(config: TrainingConfig) -> bool:
    """Say whether a config leaves nothing of its linear head to be fitted."""
    open_ones = (config.C, config.ngrams if config.encoder == TFIDF else config.pooling)
    return not config.linear or (None not in open_ones and config.class_weight != "fitted")


def fit_config(
    config: TrainingConfig, examples: Examples, train: Callable[[Examples, TrainingConfig], Any]
) -> TrainingConfig:
    """Fit what a config leaves open of a linear head, by stratified cross-validation.

    These are C of logistic regression, the longest n-gram (TF-IDF) or the pooling (of a
    frozen encoder), and the weights of classes, one after the other. What is right most often is
    taken, of several alike that which makes labels most probable.

    Parameters
    ----------
    config : TrainingConfig
        How a classifier is trained.
    examples : Examples
        The labelled ones. New ones among them are left out: these are to be judged.
    train : callable
        Trains a linear head on examples by a config.

    Returns
    -------
    TrainingConfig
        A function of the examples and of its own seed. Where a class has one example, all is as in
        :data:`~classifiers.training.frozen.PLAIN`.
    """
    if is_fitted(config):
        return config
    given = _drawn(examples.take(np.flatnonzero(~examples.new & (examples.weights > 0))), config)
    sizes = given.sizes
    fewest = int(sizes[sizes > 0].min(initial=FOLDS))
    started = replace(
        config,
        C=config.C or STRENGTH,
        ngrams=config.ngrams or NGRAMS,
        pooling=config.pooled,
        class_weight="none" if config.class_weight == "fitted" else config.class_weight,
    )
    if fewest < 2 or ((sizes > 0).sum() < 2 and not given.multilabel):
        return started
    rounds = ROUNDS if len(given) < FEW else 1
    dealt = [folds_of(given, min(FOLDS, fewest), config.seed, n) for n in range(rounds)]
    held: dict[TrainingConfig, tuple[float, float]] = {}

    def value(one: TrainingConfig) -> tuple[float, float]:
        if one not in held:
            held[one] = _value(one, given, dealt, train)
        return held[one]

    found = started
    for option, values in _steps(config, uneven=sizes.max() > UNEVEN * fewest):
        ways = [found, *(replace(found, **{option: one}) for one in values)]
        found = max(ways, key=value)  # the first of several alike
    return found


def _steps(config: TrainingConfig, *, uneven: bool) -> Iterator[tuple[str, tuple[Any, ...]]]:
    """Return what is to be fitted, and to which values."""
    if config.C is None:
        yield "C", STRENGTHS
    if config.encoder == TFIDF and config.ngrams is None:
        yield "ngrams", (1,)
    if config.encoder != TFIDF and config.pooling is None:
        yield "pooling", ("first",)
    if config.class_weight == "fitted" and uneven:
        yield "class_weight", ("balanced",)


def _value(
    config: TrainingConfig,
    given: Examples,
    dealt: list[LongArray],
    train: Callable[[Examples, TrainingConfig], Any],
) -> tuple[float, float]:
    """Return accuracy and the mean log-probability of labels, in cross-validation."""
    right, nats = 0.0, 0.0
    for folds in dealt:
        for number in range(int(folds.max()) + 1):
            inside = given.take(np.flatnonzero(folds == number))
            told = train(given.take(np.flatnonzero(folds != number)), config).probabilities(
                list(inside.texts)
            )
            right += float(inside.right(told).sum())
            nats += float(inside.nats(told).sum())
    return right, round(nats, 6)  # so that the last bits of a processor decide nothing


def _drawn(given: Examples, config: TrainingConfig) -> Examples:
    """Return examples, or so many of them as are fitted to."""
    if len(given) <= MOST:
        return given
    draw = np.random.Generator(np.random.Philox(key=int(stream_key(config.seed, "fitting"))))
    order = draw.permutation(len(given))
    hard = given.strata[order]
    # each class in turn by its share: the place of an example within its class, from 0 to 1
    place = np.empty(len(order))
    for label in np.unique(hard).tolist():
        mine = np.flatnonzero(hard == label)
        place[mine] = (np.arange(len(mine)) + 0.5) / len(mine)
    return given.take(np.sort(order[np.argsort(place, kind="stable")[:MOST]]))
