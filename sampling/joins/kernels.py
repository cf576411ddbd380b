"""Kernels of seams: what a text gains when its pieces stand together, by a model of n-grams.

The cohesion of pieces x_1 ... x_m is ``log P(x_1 ... x_m) - log P(x_1) - ... - log P(x_m)``. Under
trigrams all terms cancel but those of the two words behind each seam, under bigrams but those of
one, so that of a context and a filler costs four looks at the model, or two, however long they
are; and most of a context and many fillers have been looked at before.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from grammar.arrays import BoolArray, FloatArray, Index, IntArray, LongArray, kernel
from induction.language.ngram_kernels import score_word

__all__ = [
    "Automaton",
    "Memory",
    "Seams",
    "cohesion_of_pieces",
    "cohesions",
    "cohesions_of_place",
    "memory_of",
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


class Transitions(NamedTuple):
    """The transitions of a model by their words, and those that are of use in one place.

    The words behind one state and the states before one word are looked up for a place at a time,
    so that the step of each filler is found where its word, or its state, says.

    Attributes
    ----------
    bounds, by_word : int64[words + 1], int64[transitions]
        The nodes of each word below states other than the empty one.
    before : int64[nodes]
        The state that each node is below.
    of_word, of_state : int64[words], int64[states]
        The place for which a word, or a state, was looked up last; -1 if for none.
    weight, behind : float64[words], int64[words]
        What backing off to the longest known n-gram of a word costs, and its node.
    child : int64[states]
        The node of the word below a state.
    """

    bounds: LongArray
    by_word: LongArray
    before: LongArray
    of_word: LongArray
    of_state: LongArray
    weight: FloatArray
    behind: LongArray
    child: LongArray


class Memory(NamedTuple):
    """What the seams of a host's place are known to be, by what fillers have in common.

    Few things differ at a seam: how a span begins, and how it ends. So what one filler had
    there is kept for all that begin, or end, alike.

    Attributes
    ----------
    head, tail : int32[S, K]
        How the words of each span begin, and in which state they end.
    head_of, tail_of : int64[K, classes]
        The place that is known; -1 if none is.
    at_head, at_tail : float64[K, classes, 2]
        The log-probabilities of the first two words, and of the two behind.
    transitions : Transitions
        What steps are found in.
    """

    head: IntArray
    tail: IntArray
    head_of: LongArray
    tail_of: LongArray
    at_head: FloatArray
    at_tail: FloatArray
    transitions: Transitions


def memory_of(model: Automaton, seams: Seams) -> Memory:
    """Return an empty memory of seams."""
    head = _classes(seams.first, seams.second if model.order > 2 else seams.first)
    tail = _classes(seams.end, np.where(seams.end < 0, seams.first, -1))
    sizes = [(seams.left.shape[1], int(row.max(initial=-1)) + 1) for row in (head, tail)]
    head_of, tail_of = (np.full(size, -1, np.int64) for size in sizes)
    at_head, at_tail = (np.zeros((*size, 2)) for size in sizes)
    return Memory(head, tail, head_of, tail_of, at_head, at_tail, _transitions(model))


def _transitions(model: Automaton) -> Transitions:
    states = len(model.first_child) - 1
    words, nodes = int(model.first_child[1]) - 1, len(model.word)
    before = np.zeros(nodes, np.int64)
    before[1:] = np.repeat(np.arange(states), np.diff(model.first_child))
    below = np.arange(words + 1, nodes)
    by_word = below[np.argsort(model.word[below], kind="stable")]
    bounds = np.searchsorted(model.word[by_word], np.arange(words + 1)).astype(np.int64)
    return Transitions(
        bounds, by_word, before,
        of_word=np.full(words, -1, np.int64), of_state=np.full(states, -1, np.int64),
        weight=np.zeros(words), behind=np.zeros(words, np.int64), child=np.zeros(states, np.int64),
    )  # fmt: skip


def _classes(*columns: Any) -> IntArray:
    """Number the different rows of columns of one shape."""
    rows = np.stack([np.ravel(column).astype(np.int64) for column in columns], axis=1)
    _, found = np.unique(rows, axis=0, return_inverse=True)
    return found.astype(np.int32).reshape(np.shape(columns[0]))


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


@kernel(inline="always")
def _into(
    model: Automaton, seams: Seams, host: Index, filler: Index, k: int
) -> tuple[Index, float, float]:
    """Return the state behind a span in a place, and the log-probabilities of its first words."""
    state, first = step(model, seams.left[host, k], seams.first[filler, k])
    second = 0.0
    if seams.second[filler, k] >= 0:
        if model.order > 2:
            second = step(model, state, seams.second[filler, k])[1]
        state = seams.end[filler, k]
    return state, first, second


@kernel(inline="always")
def _out_of(
    model: Automaton, seams: Seams, host: Index, state: Index, k: int
) -> tuple[float, float]:
    """Return the log-probabilities of the words behind a place, in a state."""
    state, first = step(model, state, seams.right[host, k])
    second = 0.0
    if seams.next[host, k] >= 0 and model.order > 2:
        second = step(model, state, seams.next[host, k])[1]
    return first, second


@kernel()
def cohesions(model: Automaton, seams: Seams, host: LongArray, filler: LongArray) -> FloatArray:
    """Return the cohesion of the context of each site in ``host`` and the words of its filler."""
    found = -seams.inside[filler] - seams.behind[host]
    for r in range(len(host)):
        for k in range(seams.left.shape[1]):
            state, first, second = _into(model, seams, host[r], filler[r], k)
            found[r] = found[r] + first + second
            first, second = _out_of(model, seams, host[r], state, k)
            found[r] = found[r] + first + second
    return found


@kernel()
def _look_behind(model: Automaton, found: Transitions, place: Index, state: Index) -> float:
    """Look up the words behind a state, and return what backing off to the empty one costs."""
    weight = 0.0
    while state > 0:
        for node in range(model.first_child[state], model.first_child[state + 1]):
            word = model.word[node]
            if found.of_word[word] != place:
                found.of_word[word], found.weight[word], found.behind[word] = place, weight, node
        weight += model.log_backoff[state]
        state = model.suffix[state]
    return weight


@kernel()
def _look_before(found: Transitions, place: Index, word: Index) -> None:
    """Look up the states before a word."""
    for i in range(found.bounds[word], found.bounds[word + 1]):
        state = found.before[found.by_word[i]]
        found.of_state[state], found.child[state] = place, found.by_word[i]


@kernel(inline="always")
def _step_behind(
    model: Automaton, found: Transitions, place: Index, word: Index, empty: float
) -> tuple[Index, float]:
    """Return :func:`step` from the state that was looked up; ``empty`` is what that returned."""
    if found.of_word[word] == place:
        child, weight = found.behind[word], found.weight[word]
    else:
        child, weight = np.int64(1 + word), empty
    likely = weight + model.log_probability[child]
    return (model.suffix[child] if child >= model.deepest else child), likely


@kernel(inline="always")
def _step_before(
    model: Automaton, found: Transitions, place: Index, state: Index, word: Index
) -> tuple[Index, float]:
    """Return :func:`step` of the word that was looked up."""
    weight = 0.0
    while state > 0 and found.of_state[state] != place:
        weight += model.log_backoff[state]
        state = model.suffix[state]
    child = found.child[state] if state > 0 else np.int64(1 + word)
    likely = weight + model.log_probability[child]
    return (model.suffix[child] if child >= model.deepest else child), likely


@kernel()
def cohesions_of_place(
    model: Automaton, seams: Seams, memory: Memory, host: int, filler: LongArray
) -> FloatArray:
    """Return :func:`cohesions` of one context with many fillers."""
    sides = seams.left.shape[1]
    known = memory.transitions
    scores = -seams.inside[filler] - seams.behind[host]
    for k in range(sides):
        place, right, beyond = host * sides + k, seams.right[host, k], seams.next[host, k]
        empty = _look_behind(model, known, place, seams.left[host, k])
        _look_before(known, place, right)
        for r in range(len(filler)):
            f = filler[r]
            head, tail = memory.head[f, k], memory.tail[f, k]
            if memory.head_of[k, head] != host:
                state, first = _step_behind(model, known, place, seams.first[f, k], empty)
                second = 0.0
                if seams.second[f, k] >= 0 and model.order > 2:
                    second = step(model, state, seams.second[f, k])[1]
                memory.at_head[k, head, 0], memory.at_head[k, head, 1] = first, second
                memory.head_of[k, head] = host
            if memory.tail_of[k, tail] != host:
                state = seams.end[f, k]
                if state < 0:
                    state = _step_behind(model, known, place, seams.first[f, k], empty)[0]
                state, first = _step_before(model, known, place, state, right)
                second = 0.0
                if beyond >= 0 and model.order > 2:
                    second = step(model, state, beyond)[1]
                memory.at_tail[k, tail, 0], memory.at_tail[k, tail, 1] = first, second
                memory.tail_of[k, tail] = host
            total = scores[r] + memory.at_head[k, head, 0] + memory.at_head[k, head, 1]
            scores[r] = total + memory.at_tail[k, tail, 0] + memory.at_tail[k, tail, 1]
    return scores


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
