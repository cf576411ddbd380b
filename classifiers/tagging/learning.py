"""Training of the perceptron: rounds over sentences, whatever their words are tagged with."""

from __future__ import annotations

import numpy as np

from classifiers.tagging.features import Features
from classifiers.tagging.perceptron import Weights, trained
from grammar.arrays import BoolArray, IntArray
from grammar.options import whole_number
from grammar.rng import stream_key
from sampling.examples.text_columns import Side
from sampling.stream import in_rounds

__all__ = ["learnt"]

_ROUNDS = 10


def learnt(
    side: Side, gold: IntArray, may: BoolArray, steps: int | None, seed: int
) -> tuple[Features, Weights]:
    """Return the features of words, and the weights of tags that they teach.

    Parameters
    ----------
    side : Side
        The words of sentences.
    gold : int32[words]
        Their tags.
    may : bool[tags + 1, tags]
        Which tag may follow which, and in the last row, which may be the first.
    steps : int, optional
        How many sentences are looked at, all of them in each round; by default ten rounds.
    seed : int
        Of the order of each round.

    Raises
    ------
    OptionError
        If ``steps`` or ``seed`` is no number of that kind.
    """
    steps = _ROUNDS * len(side) if steps is None else steps
    whole_number("steps", steps, 1)
    whole_number("seed", seed, 0)
    features = Features()
    columns = features.of(side, learn=True)
    key = stream_key(seed, "tagger order")
    order = in_rounds(key, np.arange(steps, dtype=np.int64), len(side))
    return features, trained(columns, side.offsets, gold, order, len(features), may)
