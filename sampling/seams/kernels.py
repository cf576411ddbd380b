"""Kernels of seams: what a text gains when its pieces stand together, by a model of n-grams.

The cohesion of pieces x_1 ... x_m is ``log P(x_1 ... x_m) - log P(x_1) - ... - log P(x_m)``. Under
trigrams all terms cancel but those of the two words behind each seam, under bigrams but those of
one, so that of a context and a filler costs four looks at the model, or two, however long they
are.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from grammar.arrays import BoolArray, FloatArray, Index, IntArray, LongArray, kernel
from induction.language.ngram_kernels import score_word

__all__ = [
    "Automaton",
    "Seams",
    "cohesion_of_pieces",
    "pair_cohesion",
    "read_sentences",
    "seams_of_spans",
    "step",
]


class Automaton(NamedTuple):
    """A model of n-grams as its trie has it; a sentence begins in the state ``start``.

    ``order`` is 2 or 3: the kernels look at two words behind a seam at most.
    """

    first_child: LongArray
    word: IntArray
    suffix: LongArray
    log_probability: FloatArray
    log_backoff: FloatArray
    start: int
    deepest: int
    order: int


class Seams(NamedTuple):
    """What the seams of spans need, one row a site, one column a side.

    Attributes
    ----------
    left : int64[S, K]
        The state before the span.
    first, second : int32[S, K]
        Its first two words; -1 if there is no second.
    end : int64[S, K]
        The state behind it, or -1 if it is one word, when that depends on what stands before.
    right, next : int32[S, K]
        The two words behind it; -1 if there is no second.
    inside, behind : float64[S]
        The log-probabilities of the first two and of the two behind, by themselves.
    """

    left: LongArray
    first: IntArray
    second: IntArray
    end: LongArray
    right: IntArray
    next: IntArray
    inside: FloatArray
    behind: FloatArray


@kernel(inline="always")
def step(model: Automaton, state: Index, word: Index) -> tuple[Index, float]:
    """Return the state behind a word, and the log-probability of the word in a state."""
    child, likely = score_word(
        state,
        word,
        model.first_child,
        model.word,
        model.suffix,
        model.log_probability,
        model.log_backoff,
    )
    return (model.suffix[child] if child >= model.deepest else child), likely


@kernel()
def read_sentences(model: Automaton, tokens: IntArray, offsets: LongArray) -> Any:
    """Return what does not depend on what is exchanged, for every token (ends included).

    Returns
    -------
    before : int64[tokens]
        The state before it.
    alone, behind_one : float64[tokens]
        Its log-probability with nothing before it, and behind the one token before it (trigrams).
    """
    before = np.zeros(len(tokens), np.int64)
    alone, behind_one = np.zeros(len(tokens)), np.zeros(len(tokens))
    for i in range(len(offsets) - 1):
        state: Index = model.start
        own: Index = 0
        for t in range(offsets[i], offsets[i + 1]):
            before[t] = state
            if t > offsets[i] and model.order > 2:
                behind_one[t] = step(model, own, tokens[t])[1]
            own, alone[t] = step(model, 0, tokens[t])
            state = step(model, state, tokens[t])[0]
    return before, alone, behind_one


@kernel()
def seams_of_spans(
    tokens: IntArray,
    last: LongArray,
    begin: LongArray,
    end: LongArray,
    read: Any,
) -> Seams:
    """Return the seams of spans ``begin[s, k]`` to ``end[s, k] - 1``.

    ``last[s, k]`` is the token that ends the sentence; ``read`` is from :func:`read_sentences`.
    """
    before, alone, behind_one = read
    size, sides = begin.shape
    left, ends = np.empty((size, sides), np.int64), np.full((size, sides), -1, np.int64)
    first, second = np.empty((size, sides), np.int32), np.full((size, sides), -1, np.int32)
    right, beyond = np.empty((size, sides), np.int32), np.full((size, sides), -1, np.int32)
    inside, behind = np.zeros(size), np.zeros(size)
    for s in range(size):
        for k in range(sides):
            a, b = begin[s, k], end[s, k]
            left[s, k], first[s, k], right[s, k] = before[a], tokens[a], tokens[b]
            inside[s] += alone[a]
            behind[s] += alone[b]
            if b > a + 1:
                second[s, k], ends[s, k] = tokens[a + 1], before[b]
                inside[s] += behind_one[a + 1]
            if b < last[s, k]:
                beyond[s, k] = tokens[b + 1]
                behind[s] += behind_one[b + 1]
    return Seams(left, first, second, ends, right, beyond, inside, behind)


@kernel()
def pair_cohesion(model: Automaton, seams: Seams, host: int, filler: int) -> float:
    """Return the cohesion of the context of one site and the words of another."""
    total = -seams.inside[filler] - seams.behind[host]
    for k in range(seams.left.shape[1]):
        state, likely = step(model, seams.left[host, k], seams.first[filler, k])
        total += likely
        if seams.second[filler, k] >= 0:
            if model.order > 2:
                total += step(model, state, seams.second[filler, k])[1]
            state = seams.end[filler, k]
        state, likely = step(model, state, seams.right[host, k])
        total += likely
        if seams.next[host, k] >= 0 and model.order > 2:
            total += step(model, state, seams.next[host, k])[1]
    return total


@kernel()
def cohesion_of_pieces(
    model: Automaton, tokens: IntArray, offsets: LongArray, cut: BoolArray
) -> FloatArray:
    """Return the cohesion of every sentence; a piece begins where ``cut`` says so."""
    total = np.zeros(len(offsets) - 1)
    for i in range(len(total)):
        state: Index = model.start
        own: Index = model.start
        for t in range(offsets[i], offsets[i + 1]):
            if cut[t]:
                own = 0
            state, likely = step(model, state, tokens[t])
            own, by_itself = step(model, own, tokens[t])
            total[i] += likely - by_itself
    return total
