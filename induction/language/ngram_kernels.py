"""Kernels of n-gram models: estimating, scoring and mixing.

A model is a trie whose nodes are n-grams, numbered level by level and within a level by (parent,
word), so that the children of a node are neighbours in the order of their words. Node 0 is the
empty n-gram and node ``1 + w`` the unigram of word w. ``suffix`` of a node is the same n-gram
without its first word.
"""

from __future__ import annotations

import numpy as np

from grammar.arrays import FloatArray, Index, IntArray, LongArray, kernel

__all__ = ["fill_probabilities", "fill_scores", "maximise_weights", "score_word"]

_MOST_ROUNDS = 10_000
_NO_WEIGHT = 1e-5


@kernel()
def fill_probabilities(
    first: int,
    last: int,
    parent: LongArray,
    suffix: LongArray,
    count: LongArray,
    discount: FloatArray,
    probability: FloatArray,
    backoff: FloatArray,
) -> None:
    """Fill the probabilities of the nodes from ``first`` to ``last``, one level, and the back-off
    weights of their parents; the level below must be filled.

    ``discount[min(c, 3)]`` is taken off a count c (Chen & Goodman 1999, equation 26), and
    ``probability`` holds 1 / |V| for the empty n-gram.
    """
    total, reserve = np.zeros(first), np.zeros(first)
    for node in range(first, last):
        total[parent[node]] += count[node]
        reserve[parent[node]] += discount[min(count[node], 3)]
    for node in range(first, last):
        context = parent[node]
        backoff[context] = reserve[context] / total[context]
        kept = (count[node] - discount[min(count[node], 3)]) / total[context]
        probability[node] = kept + backoff[context] * probability[suffix[node]]


@kernel()
def fill_scores(
    tokens: IntArray,
    offsets: LongArray,
    start: int,
    deepest: int,
    first_child: LongArray,
    word: IntArray,
    suffix: LongArray,
    log_probability: FloatArray,
    log_backoff: FloatArray,
    scores: FloatArray,
    unknown: FloatArray,
) -> Index:
    """Fill the log-probability of every token, and that of word 0 in its place.

    Return the state after the last sentence.

    Sentences begin in the state ``start``; nodes from ``deepest`` on have no children.
    """
    state: Index = start
    for sentence in range(len(offsets) - 1):
        state = start
        for i in range(offsets[sentence], offsets[sentence + 1]):
            columns = first_child, word, suffix, log_probability, log_backoff
            _, unknown[i] = score_word(state, 0, *columns)
            child, scores[i] = score_word(state, tokens[i], *columns)
            state = suffix[child] if child >= deepest else child
    return state


@kernel()
def score_word(
    state: Index,
    wanted: Index,
    first_child: LongArray,
    word: IntArray,
    suffix: LongArray,
    log_probability: FloatArray,
    log_backoff: FloatArray,
) -> tuple[Index, float]:
    """Return the node of the longest n-gram that ends in a word, and the word's log-probability."""
    weight = 0.0
    child = _child(first_child, word, state, wanted)
    while child < 0:
        weight += log_backoff[state]
        state = suffix[state]
        child = _child(first_child, word, state, wanted)
    return child, weight + log_probability[child]


@kernel(inline="always")
def _child(first_child: LongArray, word: IntArray, node: Index, wanted: Index) -> Index:
    if node == 0:
        return 1 + wanted  # every word is a unigram
    low, end = first_child[node], first_child[node + 1]
    high = end
    while low < high:
        middle = (low + high) // 2
        if word[middle] < wanted:
            low = middle + 1
        else:
            high = middle
    if low < end and word[low] == wanted:
        return low
    return -1


@kernel()
def maximise_weights(probability: FloatArray, tolerance: float) -> FloatArray:
    """Return the mixture weights that maximise the likelihood of the tokens (rows are models).

    The likelihood is concave in the weights, so EM from equal ones climbs to its maximum. It stops
    once no model could gain: the mean posterior of a model over its weight is the derivative of
    the mean log-likelihood, and where it is at most 1 + tolerance for all models, the mean
    log-likelihood is within ``tolerance`` of its maximum.
    """
    models, tokens = probability.shape
    weights = np.full(models, 1.0 / models)
    for _ in range(_MOST_ROUNDS):
        gradient = np.zeros(models)
        for i in range(tokens):
            mixed = 0.0
            for m in range(models):
                mixed += weights[m] * probability[m, i]
            for m in range(models):
                gradient[m] += probability[m, i] / mixed
        gradient /= tokens
        if gradient.max() <= 1.0 + tolerance:
            # EM only halves its way to zero; what it goes down to zero is zero
            weights[(weights < _NO_WEIGHT) & (gradient < 1.0)] = 0.0
            break
        weights *= gradient
    return weights / weights.sum()
