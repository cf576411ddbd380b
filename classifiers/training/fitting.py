"""The baseline that new examples have to beat: a linear head, fitted by cross-validation."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from classifiers.examples import Examples
from classifiers.recipe import TFIDF, Recipe
from classifiers.training.folds import deal_folds
from classifiers.training.frozen import NGRAMS, STRENGTH
from grammar.arrays import LongArray
from grammar.rng import stream_key

__all__ = ["fit_recipe", "is_fitted"]

STRENGTHS = (0.1, 1.0, 10.0, 100.0)
FOLDS = 5
ROUNDS, FEW = 3, 200
"""So often are folds dealt anew, where there are fewer examples."""
MOST = 1000
"""At most so many examples are fitted to, drawn with the shares of their classes."""
UNEVEN = 1.5
"""Classes are weighed only if one has so many times the examples of another."""
LEAST = 1e-9


def is_fitted(recipe: Recipe) -> bool:
    """Say whether a recipe leaves nothing of its linear head to be fitted."""
    open_ones = (recipe.strength, recipe.ngrams if recipe.encoder == TFIDF else recipe.pooling)
    return not recipe.linear or (None not in open_ones and recipe.class_weight != "fitted")


def fit_recipe(
    recipe: Recipe, examples: Examples, train: Callable[[Examples, Recipe], Any]
) -> Recipe:
    """Fit what a recipe leaves open of a linear head, by stratified cross-validation.

    These are the strength of logistic regression, the longest n-gram (TF-IDF) or the pooling (of a
    frozen encoder), and the weights of classes, one after the other. What is right most often is
    taken, of several alike that which makes labels most probable.

    Parameters
    ----------
    recipe : Recipe
        How a classifier is trained.
    examples : Examples
        The labelled ones. New ones among them are left out: these are to be judged.
    train : callable
        Trains a linear head on examples by a recipe.

    Returns
    -------
    Recipe
        A function of the examples and of its own seed. Where a class has one example, all is as in
        :data:`~classifiers.training.frozen.PLAIN`.
    """
    if is_fitted(recipe):
        return recipe
    given = _drawn(examples.take(np.flatnonzero(~examples.new & (examples.weights > 0))), recipe)
    sizes = np.bincount(given.hard, minlength=len(given.classes))
    fewest = int(sizes[sizes > 0].min(initial=FOLDS))
    started = replace(
        recipe,
        strength=recipe.strength or STRENGTH,
        ngrams=recipe.ngrams or NGRAMS,
        pooling=recipe.pooled,
        class_weight="none" if recipe.class_weight == "fitted" else recipe.class_weight,
    )
    if fewest < 2 or (sizes > 0).sum() < 2:
        return started
    rounds = ROUNDS if len(given) < FEW else 1
    dealt = [deal_folds(given.hard, min(FOLDS, fewest), recipe.seed, n) for n in range(rounds)]
    held: dict[Recipe, tuple[float, float]] = {}

    def value(one: Recipe) -> tuple[float, float]:
        if one not in held:
            held[one] = _value(one, given, dealt, train)
        return held[one]

    found = started
    for option, values in _steps(recipe, uneven=sizes.max() > UNEVEN * fewest):
        ways = [found, *(replace(found, **{option: one}) for one in values)]
        found = max(ways, key=value)  # the first of several alike
    return found


def _steps(recipe: Recipe, *, uneven: bool) -> Iterator[tuple[str, tuple[Any, ...]]]:
    """Return what is to be fitted, and to which values."""
    if recipe.strength is None:
        yield "strength", STRENGTHS
    if recipe.encoder == TFIDF and recipe.ngrams is None:
        yield "ngrams", (1,)
    if recipe.encoder != TFIDF and recipe.pooling is None:
        yield "pooling", ("first",)
    if recipe.class_weight == "fitted" and uneven:
        yield "class_weight", ("balanced",)


def _value(
    recipe: Recipe,
    given: Examples,
    dealt: list[LongArray],
    train: Callable[[Examples, Recipe], Any],
) -> tuple[float, float]:
    """Return accuracy and the mean log-probability of labels, in cross-validation."""
    right, nats = 0.0, 0.0
    for folds in dealt:
        for number in range(int(folds.max()) + 1):
            inside = given.take(np.flatnonzero(folds == number))
            told = train(given.take(np.flatnonzero(folds != number)), recipe).probabilities(
                list(inside.texts)
            )
            right += float((told.argmax(1) == inside.hard).sum())
            nats += float(np.log(told[np.arange(len(inside)), inside.hard].clip(min=LEAST)).sum())
    return right, round(nats, 6)  # so that the last bits of a processor decide nothing


def _drawn(given: Examples, recipe: Recipe) -> Examples:
    """Return examples, or so many of them as are fitted to."""
    if len(given) <= MOST:
        return given
    draw = np.random.Generator(np.random.Philox(key=int(stream_key(recipe.seed, "fitting"))))
    order = draw.permutation(len(given))
    hard = given.hard[order]
    # each class in turn by its share: the place of an example within its class, from 0 to 1
    place = np.empty(len(order))
    for label in np.unique(hard).tolist():
        mine = np.flatnonzero(hard == label)
        place[mine] = (np.arange(len(mine)) + 0.5) / len(mine)
    return given.take(np.sort(order[np.argsort(place, kind="stable")[:MOST]]))
