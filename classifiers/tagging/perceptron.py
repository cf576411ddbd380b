"""The averaged structured perceptron: a Viterbi search a sentence, and an update where it errs.

Which tag may follow which is given: of the marks of spans, inside follows only the same span, so
that what is found is always spans; parts of speech follow each other freely.

References
----------
Michael Collins. 2002. Discriminative Training Methods for Hidden Markov Models: Theory and
Experiments with Perceptron Algorithms. EMNLP (section 2, and 2.5 for the averages).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from grammar.arrays import BoolArray, FloatArray, IntArray, LongArray, kernel

__all__ = ["Weights", "best_tags", "trained"]


class Weights(NamedTuple):
    """What a tag weighs: ``emitted[feature, tag]``, and ``follows[before, tag]``.

    The last row of ``follows`` is of the beginning of a sentence, and so is that of ``may``, which
    says what may follow at all.
    """

    emitted: FloatArray
    follows: FloatArray
    may: BoolArray


def trained(
    features: IntArray, offsets: LongArray, gold: IntArray, order: LongArray, known: int,
    may: BoolArray,
) -> Weights:  # fmt: skip
    """Return the weights that sentences teach, averaged over all steps.

    Parameters
    ----------
    features : int32[words, templates]
        Of every word.
    offsets, gold : int64[N + 1], int32[words]
        Where sentences begin, and the tags of their words.
    order : int64[steps]
        The sentences that are looked at, one after the other.
    known : int
        How many features there are.
    may : bool[tags + 1, tags]
        Which tag may follow which, and in the last row, which may be the first.
    """
    now, late = (Weights(np.zeros((known, may.shape[1])), np.zeros(may.shape), may) for _ in "ab")
    _train(features, offsets, gold, order, now, late)
    steps = len(order) + 1
    emitted, follows = (a - b / steps for a, b in zip(now[:2], late[:2], strict=True))
    return Weights(emitted, follows, may)


@kernel()
def _train(
    features: IntArray, offsets: LongArray, gold: IntArray, order: LongArray, now: Weights,
    late: Weights,
) -> None:  # fmt: skip
    """Learn; ``late`` sums each change times the step at which it was made."""
    tags = now.follows.shape[1]
    for step in range(len(order)):
        first, stop = offsets[order[step]], offsets[order[step] + 1]
        found = _viterbi(features[first:stop], now)
        weight = step + 1.0
        for w in range(first, stop):
            good, bad = gold[w], found[w - first]
            before = gold[w - 1] if w > first else tags
            taken = found[w - first - 1] if w > first else tags
            if good == bad and before == taken:
                continue
            now.follows[before, good] += 1.0
            now.follows[taken, bad] -= 1.0
            late.follows[before, good] += weight
            late.follows[taken, bad] -= weight
            if good == bad:
                continue
            for feature in features[w]:
                if feature >= 0:
                    now.emitted[feature, good] += 1.0
                    now.emitted[feature, bad] -= 1.0
                    late.emitted[feature, good] += weight
                    late.emitted[feature, bad] -= weight


@kernel()
def _viterbi(features: IntArray, weights: Weights) -> IntArray:
    """Return the best tags of a sentence; of equal ones, those of lower numbers."""
    words, tags = len(features), weights.follows.shape[1]
    score, back = np.full((words, tags), -np.inf), np.zeros((words, tags), np.int32)
    for w in range(words):
        for tag in range(tags):
            own = 0.0
            for feature in features[w]:
                if feature >= 0:
                    own += weights.emitted[feature, tag]
            if w == 0:
                if weights.may[tags, tag]:
                    score[w, tag] = own + weights.follows[tags, tag]
                continue
            for before in range(tags):
                if not weights.may[before, tag]:
                    continue
                value = score[w - 1, before] + weights.follows[before, tag] + own
                if value > score[w, tag]:
                    score[w, tag], back[w, tag] = value, before
    best = np.zeros(words, np.int32)
    if words > 0:
        best[-1] = np.argmax(score[-1])
    for w in range(words - 1, 0, -1):
        best[w - 1] = back[w, best[w]]
    return best


@kernel()
def best_tags(features: IntArray, offsets: LongArray, weights: Weights) -> IntArray:
    """Return the best tags of the words of all sentences."""
    found = np.zeros(len(features), np.int32)
    for i in range(len(offsets) - 1):
        found[offsets[i] : offsets[i + 1]] = _viterbi(
            features[offsets[i] : offsets[i + 1]], weights
        )
    return found
