"""Names that a language model finds: the words that it expects for a class and not for the others.

The model is asked for the next word behind a few prompts that hold what a class is called. The
probability of a word given a class is the mean over the prompts. A word has the score

    log p(w | class) + log-ratio of p(w | class) to the others,

where the others are the mean of the other classes, or the same prompts with no class in them
(*something*) if these make the word more probable. The words with the highest scores are the names,
less those that stand among the first of several classes. Their weights are the square roots of
exp(score): the geometric mean of the probability and the odds.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

import numpy as np

from grammar.arrays import BoolArray, FloatArray, LongArray
from grammar.errors import OptionError
from sampling.english.parts_of_speech import parts_of_speech
from sampling.english.stop_words import STOP_WORDS
from sampling.english.unfit_words import unfit_words

__all__ = ["PROMPTS", "Reader", "fits_templates", "found_names", "scores"]

PROMPTS = (
    "A list of words about {}:",
    "Synonyms of {}:",
    "{} in one word:",
    "Label: {}\nText: This is",
    "Words that often occur in {} texts:",
    "Examples of {}:",
)
"""What the model is asked; chosen on data that no table of results uses."""
NO_CLASS = "something"
_PARTS = frozenset({"NOUN", "ADJ"})
_LEAST_LETTERS = 3
_STEPS = 1000
"""Weights are whole thousandths, so that the last bits of a reading change none of them."""


class Reader(Protocol):
    """What tells how probable words are behind a text."""

    @property
    def words(self) -> Sequence[str]:
        """The words."""

    def after(self, texts: Sequence[str]) -> FloatArray:
        """Return the log-probability of each word: float64[texts, words]."""


def fits_templates(word: str) -> bool:
    """Say whether a word can be a name: an English noun or adjective in lower case.

    >>> [fits_templates(word) for word in ("boring", "films", "the", "Paris", "quickly")]
    [True, True, False, False, False]
    """
    if len(word) < _LEAST_LETTERS or not (word.isascii() and word.isalpha() and word.islower()):
        return False
    if word in STOP_WORDS or word in unfit_words():
        return False
    return bool(parts_of_speech(word) & _PARTS)


def found_names(
    names: Mapping[str, Sequence[str]], reader: Reader, most: int
) -> dict[str, dict[str, float]]:
    """Return the words that a model finds for each class, with weights that sum to one.

    Parameters
    ----------
    names : mapping of str to sequence of str
        What each class is called.
    reader : Reader
        The model.
    most : int
        Words per class.

    Raises
    ------
    OptionError
        If the model finds no word of its own for a class.
    """
    asked = [prompt.format(", ".join(each)) for each in names.values() for prompt in PROMPTS]
    asked += [prompt.format(NO_CLASS) for prompt in PROMPTS]
    read = reader.after(asked).reshape(len(names) + 1, len(PROMPTS), -1)
    likely = np.logaddexp.reduce(read, axis=1)
    likely -= np.logaddexp.reduce(likely, axis=1, keepdims=True)
    score, ratio = scores(likely)
    # the last bits of a reading must not decide the order
    order = np.argsort(-score.round(3), axis=1, kind="stable")
    shared = _shared(order[:, :most], len(reader.words))
    found = {}
    for row, label in enumerate(names):
        own = [k for k in order[row].tolist() if ratio[row, k] > 0 and not shared[k]][:most]
        if not own:
            raise OptionError(
                f"the model finds no words of the class {label!r} alone",
                hint="say what it is called: "
                f'"{label}"="name, name", or --classes "{label}: name, name; ..."',
            )
        weights = _weights(score[row, own])
        found[label] = {reader.words[k]: w for k, w in zip(own, weights, strict=True)}
    return found


def scores(likely: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the score of each word for each class, and its log-ratio.

    Parameters
    ----------
    likely : float64[classes + 1, words]
        Log-probabilities of the words given each class, and given none.

    Returns
    -------
    score, ratio : float64[classes, words]

    Examples
    --------
    >>> score, ratio = scores(np.log([[0.8, 0.2], [0.4, 0.6], [0.5, 0.5]]))
    >>> ratio.round(2).tolist()  # log 0.8/0.5, log 0.2/0.6; log 0.4/0.8, log 0.6/0.5
    [[0.47, -1.1], [-0.69, 0.18]]
    """
    own = likely[:-1]
    others = [np.delete(own, row, axis=0) for row in range(len(own))]
    mean = np.stack([np.logaddexp.reduce(each, axis=0) - np.log(len(each)) for each in others])
    ratio: FloatArray = own - np.maximum(mean, likely[-1])
    return own + ratio, ratio


def _shared(first: LongArray, size: int) -> BoolArray:
    """Return which words stand among the first of several classes."""
    shared: BoolArray = np.bincount(first.ravel(), minlength=size) > 1
    return shared


def _weights(score: FloatArray) -> list[float]:
    """Return weights in whole thousandths, of which the first gets what rounding leaves."""
    share = np.exp((score - score.max()) / 2)
    steps = np.maximum(1, np.rint(_STEPS * share / share.sum())).astype(np.int64)
    steps[0] += _STEPS - steps.sum()
    return [int(step) / _STEPS for step in steps]
