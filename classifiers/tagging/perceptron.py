"""The averaged structured perceptron: a Viterbi search a sentence, and an update where it errs.

Tags are the marks of words (:class:`sampling.examples.entities.Marks`): 0 outside spans, an odd
number where one begins, the even number behind it inside. Inside follows only the same span, so
what is found is always spans.

References
----------
Michael Collins. 2002. Discriminative Training Methods for Hidden Markov Models: Theory and
Experiments with Perceptron Algorithms. EMNLP (section 2, and 2.5 for the averages).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from grammar.arrays import FloatArray, IntArray, LongArray, kernel

__all__ = ["Weights", "best_tags", "trained"]


class Weights(NamedTuple):
    """What a tag weighs: ``emitted[feature, tag]``, and ``follows[before, tag]``.

    The last row of ``follows`` is of the beginning of a sentence.
    """

    emitted: FloatArray
    follows: FloatArray


def trained(
    features: IntArray, offsets: LongArray, gold: IntArray, order: LongArray, sizes: tuple[int, int]
) -> Weights:
    """Return the weights that sentences teach, averaged over all updates.

    Parameters
    ----------
    features : int32[words, templates]
        Of every word.
    offsets, gold : int64[N + 1], int32[words]
        Where sentences begin, and the tags of their words.
    order : int64[updates]
        The sentences that are looked at, one after the other.
    sizes : (int, int)
        How many features and tags there are.
    """
    count, tags = sizes
    now = Weights(np.zeros((count, tags)), np.zeros((tags + 1, tags)))
    late = Weights(np.zeros((count, tags)), np.zeros((tags + 1, tags)))
    _train(features, offsets, gold, order, now, late)
    steps = len(order) + 1
    return Weights(*(a - b / steps for a, b in zip(now, late, strict=True)))


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
            goes_on = tag > 0 and tag % 2 == 0
            if w == 0:
                score[w, tag] = -np.inf if goes_on else own + weights.follows[tags, tag]
                continue
            for before in range(tags):
                if goes_on and before != tag and before != tag - 1:
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
