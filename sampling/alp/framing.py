"""Which exchanges of ALP fit: derivations are chosen by how their frames cohere.

The frame of a text is what no refill changes: of a closed word the word, of an open one its tag.
An exchange that does not fit breaks it, and then no words make the sentence whole. The score of a
derivation is the cohesion of what was put in with what it stands in
(:mod:`sampling.joins.kernels`), by trigrams of the frames of the source, less what constituents
have in their own places; so what fits as well as what stood there costs nothing, and a text without
an exchange has the score 0.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from grammar.arrays import FloatArray, Index, IntArray, LongArray, kernel
from grammar.rng import uniforms_of
from induction.language.ngram_counts import END
from sampling.alp.grammar import ALPGrammar
from sampling.alp.kernels import derive
from sampling.alp.slots import Settings, Slots, room
from sampling.joins.kernels import (
    Automaton,
    cohesions,
    read_sentences,
    seams_of_spans,
    step,
)
from sampling.joins.score import Tilt
from sampling.joins.sentences import TAG_ORDER, Rows, Sentences
from sampling.stream import chosen_by_weight

__all__ = ["FrameFit", "chosen_streams", "frame_fit_of", "frame_scores"]

_POWER = 0.4
"""Times the power of seams, which is 2.5: the score is the logarithm of a ratio already."""
_SLOTS = 2**18
"""Derivations are drawn in parts of about so many words."""


class FrameFit(NamedTuple):
    """How derivations are chosen by their frames.

    Attributes
    ----------
    code : int32[nodes]
        The number of each leaf in a frame.
    model : Automaton
        Of trigrams of the source's frames.
    behind : int64[nodes]
        The state of the model behind each leaf, in its own tree.
    usual : float
        The mean cohesion of a constituent with its own place.
    power : float
        A derivation weighs the exponential of its score times it.
    draws : int
        Of so many one is chosen.
    """

    code: IntArray
    model: Automaton
    behind: LongArray
    usual: float
    power: float
    draws: int


def frame_fit_of(grammar: ALPGrammar, tilt: Tilt) -> FrameFit:
    """Return how derivations are chosen under a tilt, by the best tree of each sentence."""
    size, texts = grammar.frames.size, grammar.texts
    codes, names = _codes(grammar)
    roots = texts.root[texts.trees[:-1]].astype(np.int64)
    starts = np.concatenate(([0], np.cumsum(size[roots])))
    nodes = np.repeat(roots - starts[:-1], size[roots]) + np.arange(starts[-1])
    leaves_before = np.concatenate(([0], np.cumsum(size == 1)))
    words = np.diff(leaves_before[np.stack((roots, roots + size[roots]))], axis=0)[0]
    offsets = np.concatenate(([0], np.cumsum(words)))
    leaves = nodes[size[nodes] == 1]
    sentences = Sentences.of([Rows(codes[leaves], names, offsets)], order=TAG_ORDER)

    sentence = np.repeat(np.arange(len(roots)), size[roots])
    inner = (size[nodes] > 1) & (grammar.frames.pool[nodes] >= 0) & (nodes != roots[sentence])
    own, within = nodes[inner], sentence[inner]
    first = sentences.offsets[within] - leaves_before[roots[within]]
    begin, end = first + leaves_before[own], first + leaves_before[own + size[own]]
    last = sentences.offsets[within + 1] - 1
    read = read_sentences(sentences.automaton, sentences.tokens, sentences.offsets)
    seams = seams_of_spans(sentences.tokens, last[:, None], begin[:, None], end[:, None], read)
    every = np.arange(len(begin))
    own = cohesions(sentences.automaton, seams, every, every)
    usual = float(own.mean()) if len(own) else 0.0

    numbers = {name: number for number, name in enumerate(sentences.names)}
    known = np.array([numbers.get(name, 0) for name in names], np.int32)[codes]
    behind = _states_behind(sentences.automaton, known, size, texts.root)
    power = float(tilt.power * _POWER)
    return FrameFit(known, sentences.automaton, behind, usual, power, tilt.draws)


def _codes(grammar: ALPGrammar) -> tuple[IntArray, list[str]]:
    """Return what each node is in a frame, if it is a leaf, and the names of these numbers."""
    frames = grammar.frames
    lower, form = np.unique([form.lower() for form in grammar.forms], return_inverse=True)
    # no word has spaces
    names = [*lower.tolist(), *(f"open {tag}" for tag in range(int(frames.tag.max()) + 1))]
    word = form[grammar.texts.form[np.maximum(frames.word, 0)]]
    codes = np.where(frames.open, len(lower) + frames.tag, word)
    return codes.astype(np.int32), names


def chosen_streams(
    grammar: ALPGrammar,
    settings: Settings,
    fit: FrameFit,
    keys: tuple[np.uint64, np.uint64],
    numbers: LongArray,
    hosts: LongArray,
) -> tuple[LongArray, FloatArray]:
    """Choose a derivation for each attempt.

    Parameters
    ----------
    grammar, settings, fit
        What derivations are of, and how they are chosen.
    keys : two of uint64
        Draw d of attempt i is stream ``i * draws + d`` of the first; stream i of the second
        chooses.
    numbers, hosts : int64[rows]
        Attempts, and the text that each starts from.

    Returns
    -------
    streams : int64[rows]
        Of the first key.
    added : float64[rows]
        The logarithm of the weight of each over the mean weight of its draws.
    """
    streams, added = np.empty(len(numbers), np.int64), np.empty(len(numbers))
    widest = 1 + int(settings.max_length * grammar.texts.words[hosts].max(initial=0))
    at_once = max(1, _SLOTS // (widest * fit.draws))
    for first in range(0, len(numbers), at_once):
        part = slice(first, first + at_once)
        drawn = (numbers[part, None] * fit.draws + np.arange(fit.draws)).ravel()
        of = np.repeat(hosts[part], fit.draws)
        slots = room(grammar.texts, of, settings.max_length)
        fixed = (grammar.texts, grammar.frames, grammar.choices, settings)
        derive(keys[0], drawn, of, *fixed, slots, governed=False)
        scores = frame_scores(fit, slots)
        failed = np.isneginf(scores)  # whatever the power, also of zero
        weights = np.where(failed, scores, fit.power * np.where(failed, 0.0, scores))
        weights = weights.reshape(-1, fit.draws)
        weights[np.isneginf(weights).all(axis=1)] = 0.0  # none has a length that is allowed
        u = np.array([uniforms_of(keys[1], int(number), 1)[0] for number in numbers[part]])
        k, added[part] = chosen_by_weight(weights, u)
        streams[part] = numbers[part] * fit.draws + k
    return streams, added


@kernel()
def frame_scores(fit: FrameFit, slots: Slots) -> FloatArray:
    """Return the score of each row; minus infinity of those that failed.

    Two words are read behind each seam. Of the third, the two before it are the same in its place
    and by itself, and so is its probability.
    """
    model = fit.model
    scores = np.full(len(slots.size), -np.inf)
    widest = 0
    for r in range(len(slots.size)):
        widest = max(widest, slots.size[r])
    begins, ends = np.empty(widest + 1, np.bool_), np.empty(widest + 1, np.bool_)
    for r in range(len(slots.size)):
        at, size = slots.at[r], slots.size[r]
        if size <= 0:
            continue
        begins[: size + 1] = False
        ends[: size + 1] = False
        for k in range(at, at + slots.exchanges[r]):
            begins[slots.begin[k]] = True
            ends[slots.end[k]] = True
        total = -fit.usual * slots.exchanges[r]
        state: Index = model.start
        own: Index = model.start
        since = 0
        for j in range(size + 1):
            over = j == size or (j > 0 and slots.sentence[at + j] != slots.sentence[at + j - 1])
            if ends[j] or (begins[j] and not over):
                if since == 2:
                    state = fit.behind[slots.leaf[at + j - 1]]
                own, since = 0, 0
            if over:
                if since < 2:
                    total += step(model, state, END)[1] - step(model, own, END)[1]
                if j == size:
                    break
                state, own, since = model.start, 0 if begins[j] else model.start, 0
            if since < 2:
                code = fit.code[slots.leaf[at + j]]
                same = own == state
                state, likely = step(model, state, code)
                if same:
                    own = state
                else:
                    own, by_itself = step(model, own, code)
                    total += likely - by_itself
                since += 1
        scores[r] = total
    return scores


@kernel()
def _states_behind(model: Automaton, code: IntArray, size: IntArray, root: LongArray) -> LongArray:
    """Return the state behind each leaf of the trees with these roots."""
    found = np.zeros(len(size), np.int64)
    for t in range(len(root)):
        state: Index = model.start
        for node in range(root[t], root[t] + size[root[t]]):
            if size[node] == 1:
                state = step(model, state, code[node])[0]
                found[node] = state
    return found
