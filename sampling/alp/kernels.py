"""Drawing derivations of ALP: exchange from the top, govern; refill; judge, and spell.

One attempt is one stream of random numbers, drawn from in this order: for each sentence of the
host a tree; for each constituent in preorder whether it is exchanged, and by what; then for each
open word, governors first, what becomes of it.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from grammar.arrays import BoolArray, FloatArray, Index, IntArray, LongArray, kernel
from grammar.rng import next_uniform, open_stream
from grammar.rules.backoff import path_below, smoothed
from induction.language.ngram_counts import END
from sampling.alp.frames import Frames
from sampling.alp.slots import NOTHING, SPACE, Choices, Settings, Slots, Texts, pick, share
from sampling.alp.words import WordModel
from sampling.joins.kernels import Automaton, step

__all__ = ["Fit", "derive", "finish", "gains_behind", "refill"]

_HIGHEST = 600.0
"""Logarithms of weights end here, so that their sums do not overflow."""


class Fit(NamedTuple):
    """How words are chosen by what stands beside them.

    Each open word is one of so many ``draws``, by its weight: ``power`` times what it gains beside
    its neighbours, by a model of bigrams in which form f has the number ``word[f]``. With one draw
    nothing is chosen.
    """

    model: Automaton
    word: IntArray
    power: float
    draws: int


class _Parts(NamedTuple):
    """Scratch: the root of each part, the part above it, and the node whose place it takes."""

    root: LongArray
    above: LongArray
    hole: LongArray


@kernel()
def derive(
    key: np.uint64,
    attempts: LongArray,
    hosts: LongArray,
    texts: Texts,
    frames: Frames,
    choices: Choices,
    o: Settings,
    slots: Slots,
    governed: bool,
) -> Any:
    """Draw trees and exchanges: row r with the stream ``attempts[r]`` of the key, for a text.

    With ``governed`` it is found too what each word hangs on.

    Returns
    -------
    uint64[rows]
        Where the streams go on.
    """
    widest = 1
    for r in range(len(hosts)):
        widest = max(widest, slots.at[r + 1] - slots.at[r])
    parts = _Parts(
        np.empty(2 * widest, np.int64),
        np.empty(2 * widest, np.int64),
        np.empty(2 * widest, np.int64),
    )
    stack = np.empty((o.depth + 2, 4), np.int64)
    states = np.empty(len(hosts), np.uint64)
    for r in range(len(hosts)):
        host = hosts[r]
        state = open_stream(key, attempts[r])
        slots.size[r] = 0
        slots.exchanges[r] = 0
        slots.log_probability[r] = 0.0
        for s in range(texts.sentences[host], texts.sentences[host + 1]):
            state, u = next_uniform(state)
            first, last = texts.trees[s], texts.trees[s + 1]
            t = pick(texts.tree_ends, first, last, u)
            slots.log_probability[r] += np.log(share(texts.tree_ends, first, t))
            start = slots.size[r]
            slots.tree[r] = t
            state, fits = _expand(state, s, texts.root[t], texts, frames, choices, o, slots, r,
                                  parts, stack)  # fmt: skip
            if not fits:
                slots.size[r] = -1
                break
            if governed:
                _govern(frames, slots, r, start, parts)
        if slots.size[r] < max(1.0, o.min_length * texts.words[host]):
            slots.size[r] = -1
        states[r] = state
    return states


@kernel()
def refill(
    states: Any,
    hosts: LongArray,
    texts: Texts,
    frames: Frames,
    choices: Choices,
    model: WordModel,
    o: Settings,
    fit: Fit,
    slots: Slots,
) -> None:
    """Redraw the open words of rows, each with its stream from ``states`` on."""
    done = np.empty(max(1, len(slots.form)), np.bool_)
    for r in range(len(hosts)):
        if slots.size[r] > 0:
            text_class = texts.classes[hosts[r]]
            _refill(states[r], text_class, frames, choices, model, o, fit, slots, r, done)


@kernel()
def finish(
    hosts: LongArray,
    texts: Texts,
    frames: Frames,
    choices: Choices,
    model: WordModel,
    o: Settings,
    slots: Slots,
) -> None:
    """Judge rows, and settle how they are spelt."""
    for r in range(len(hosts)):
        if slots.size[r] > 0:
            _judge(texts.classes[hosts[r]], frames, model, o, slots, r)
            _settle(texts, choices, o, slots, r)


@kernel()
def _expand(
    state: np.uint64,
    sentence: int,
    root: int,
    texts: Texts,
    frames: Frames,
    choices: Choices,
    o: Settings,
    slots: Slots,
    r: int,
    parts: _Parts,
    stack: LongArray,
) -> tuple[np.uint64, bool]:
    """Write the words of a tree into slots, constituents exchanged; say whether there was room.

    A row of the stack is a node to go on from, where to stop, its part, and its exchange.
    """
    at, room = slots.at[r], slots.at[r + 1] - slots.at[r]
    size, pool = frames.size, frames.pool
    made, likely = 1, 0.0
    parts.root[0], parts.above[0], parts.hole[0] = root, -1, -1
    stack[0, 0], stack[0, 1], stack[0, 2], stack[0, 3] = root, root + size[root], 0, -1
    top, pending = 0, -1
    while top >= 0:
        i, part = stack[top, 0], stack[top, 2]
        if i >= stack[top, 1]:
            if stack[top, 3] >= 0:
                slots.end[at + stack[top, 3]] = slots.size[r]
            top -= 1
            continue
        if size[i] == 1:
            if slots.size[r] >= room:
                return state, False
            _write(i, part, sentence, pending, texts, frames, slots, r)
            pending = -1
            stack[top, 0] += 1
            continue
        p = pool[i]
        # a filler is not exchanged again as a whole
        if p >= 0 and top < o.depth and (part == 0 or i != parts.root[part]):
            state, u = next_uniform(state)
            if u < o.exchange:
                state, v = next_uniform(state)
                first, last = choices.pool_offsets[p], choices.pool_offsets[p + 1]
                entry = pick(choices.pool_ends, first, last, v)
                if slots.exchanges[r] >= room or made >= len(parts.root):
                    return state, False
                likely += np.log(o.exchange * share(choices.pool_ends, first, entry))
                donor = choices.pool_node[entry]
                if pending < 0:
                    pending = _gap_before(i, texts, frames)
                k = slots.exchanges[r]
                slots.entry[at + k], slots.begin[at + k] = entry, slots.size[r]
                slots.hole[at + k], slots.above[at + k] = i, part
                slots.exchanges[r] += 1
                parts.root[made], parts.above[made], parts.hole[made] = donor, part, i
                stack[top, 0] += size[i]
                top += 1
                stack[top, 0], stack[top, 1] = donor, donor + size[donor]
                stack[top, 2], stack[top, 3] = made, k
                made += 1
                continue
            likely += np.log1p(-o.exchange)
        stack[top, 0] += 1
    slots.log_probability[r] += likely
    return state, True


@kernel(inline="always")
def _write(
    leaf: int,
    part: int,
    sentence: int,
    pending: int,
    texts: Texts,
    frames: Frames,
    slots: Slots,
    r: int,
) -> None:
    """Write a leaf into the next slot of a row, with its own gap or the one of a hole."""
    s = slots.at[r] + slots.size[r]
    word = frames.word[leaf]
    slots.leaf[s], slots.word[s], slots.part[s], slots.sentence[s] = leaf, word, part, sentence
    slots.form[s], slots.label[s], slots.rule[s] = texts.form[word], frames.label[leaf], -1
    slots.gap[s] = texts.gap[word] if pending < 0 else pending
    slots.size[r] += 1


@kernel(inline="always")
def _gap_before(node: int, texts: Texts, frames: Frames) -> int:
    """Return the gap before the first word of a node."""
    while frames.size[node] > 1:
        node += 1
    return texts.gap[frames.word[node]]


@kernel()
def _govern(frames: Frames, slots: Slots, r: int, start: int, parts: _Parts) -> None:
    """Find the slot that each slot of a sentence hangs on, and the label of its projection.

    Within a part both are as in its tree. The head of a filler hangs where the head of what it
    replaced hung; and what hung on a head that was replaced hangs on the head of its filler.
    """
    first, last = slots.at[r] + start, slots.at[r] + slots.size[r]
    for s in range(first, last):
        part, leaf = slots.part[s], slots.leaf[s]
        above = frames.governor[leaf]
        while part > 0:
            root = parts.root[part]
            if root <= above < root + frames.size[root]:
                break
            leaf = frames.head[parts.hole[part]]
            part = parts.above[part]
            slots.label[s] = frames.label[leaf]
            above = frames.governor[leaf]
        slots.governor[s] = (
            -1 if above < 0 else _slot_of(frames, slots, first, last, part, above, parts)
        )


@kernel()
def _slot_of(
    frames: Frames, slots: Slots, first: int, last: int, part: int, leaf: int, parts: _Parts
) -> int:
    """Return the slot of a leaf of a part, or of the head of what has taken its place."""
    while True:
        inside = -1
        for s in range(first, last):
            if slots.part[s] == part and slots.leaf[s] == leaf:
                return s
            f = slots.part[s]
            # up from a part below this one, to the exchange that stands in it
            while f > 0 and parts.above[f] != part:
                f = parts.above[f]
            if f > 0 and f != part:
                hole = parts.hole[f]
                if hole <= leaf < hole + frames.size[hole]:
                    inside = f
                    break
        if inside < 0:
            return -1
        part, leaf = inside, frames.head[parts.root[inside]]


@kernel()
def _refill(
    state: np.uint64,
    text_class: int,
    frames: Frames,
    choices: Choices,
    model: WordModel,
    o: Settings,
    fit: Fit,
    slots: Slots,
    r: int,
    done: BoolArray,
) -> None:
    """Redraw the open words of a row, governors before what hangs on them."""
    at, count = slots.at[r], slots.size[r]
    done[:count] = False
    left = count
    while left > 0:
        for k in range(count):
            s = at + k
            above = slots.governor[s]
            if done[k] or (above >= 0 and not done[above - at]):
                continue
            done[k] = True
            left -= 1
            leaf = slots.leaf[s]
            if not frames.open[leaf]:
                continue
            state, u = next_uniform(state)
            row = frames.synonyms[leaf]
            if u < o.pool:
                parent = 0 if above < 0 else slots.form[above] + 1
                symbols = (text_class * 4096 + frames.tag[leaf], slots.label[s], parent)
                if fit.draws > 1:
                    beside = _beside(fit, slots, r, s)
                    state, entry, likely = _fitting(state, model, symbols, o.back_off, fit, beside)
                else:
                    state, entry, likely = _word(state, model, symbols, o.back_off)
                if entry >= 0:
                    slots.log_probability[r] += np.log(o.pool) + likely
                    slots.form[s], slots.rule[s] = model.form[entry], entry
            elif u < o.pool + o.synonym and row >= 0:
                state, v = next_uniform(state)
                first, last = choices.synonym_offsets[row], choices.synonym_offsets[row + 1]
                if fit.draws > 1:
                    beside = _beside(fit, slots, r, s)
                    entry, likely = _fitting_synonym(choices, first, last, v, fit, beside)
                else:
                    entry = min(first + int(v * (last - first)), last - 1)
                    likely = -np.log(last - first)
                slots.log_probability[r] += np.log(o.synonym) + likely
                slots.form[s], slots.rule[s] = choices.synonym[entry], len(model.form) + entry
            else:
                kept = 1.0 - o.pool - (o.synonym if row >= 0 else 0.0)
                slots.log_probability[r] += np.log(kept)


@kernel(inline="always")
def _beside(fit: Fit, slots: Slots, r: int, s: int) -> tuple[Index, Index]:
    """Return the state behind the word before a slot, and the number of the word behind it.

    Ends of sentences count as words; words not yet redrawn stand as they were.
    """
    state: Index = fit.model.start
    behind: Index = END
    if s > slots.at[r] and slots.sentence[s - 1] == slots.sentence[s]:
        state = 1 + fit.word[slots.form[s - 1]]
    if s + 1 < slots.at[r] + slots.size[r] and slots.sentence[s + 1] == slots.sentence[s]:
        behind = fit.word[slots.form[s + 1]]
    return state, behind


@kernel(inline="always")
def _weight(fit: Fit, beside: tuple[Index, Index], form: int) -> float:
    """Return the weight of a form between its neighbours."""
    word, alone = fit.word[form], fit.model.log_probability  # unigrams stand in the order of words
    gain = step(fit.model, beside[0], word)[1] - alone[1 + word]
    gain += step(fit.model, 1 + word, beside[1])[1] - alone[1 + beside[1]]
    return np.exp(min(fit.power * gain, _HIGHEST))


@kernel()
def gains_behind(fit: Fit, forms: LongArray, form: int) -> FloatArray:
    """Return the power of what each form gains before another one; -1 for the sentence's end."""
    behind: Index = END
    if form >= 0:
        behind = fit.word[form]
    alone = step(fit.model, 0, behind)[1]
    gains = np.empty(len(forms))
    for k in range(len(forms)):
        gains[k] = fit.power * (step(fit.model, 1 + fit.word[forms[k]], behind)[1] - alone)
    return gains


@kernel()
def _fitting(
    state: np.uint64,
    model: WordModel,
    symbols: Any,
    back_off: float,
    fit: Fit,
    beside: tuple[Index, Index],
) -> Any:
    """Draw some words as :func:`_word` does, and choose one of them by its weight."""
    paths, most = _contexts(model, symbols)
    total, kept, chosen, level = 0.0, 0.0, -1, 0
    if most == 0:
        return state, -1, 0.0
    for _ in range(fit.draws):
        state, entry, depth = _drawn(state, model, paths, most, back_off)
        weight = _weight(fit, beside, model.form[entry])
        total += weight
        state, u = next_uniform(state)
        if u * total < weight:
            kept, chosen, level = weight, entry, depth
    if chosen < 0:
        return state, -1, 0.0
    likely = _likelihood(model, paths, most, level, chosen, back_off)
    return state, chosen, likely + np.log(kept) - np.log(total / fit.draws)


@kernel()
def _fitting_synonym(
    choices: Choices, first: int, last: int, v: float, fit: Fit, beside: tuple[Index, Index]
) -> tuple[int, float]:
    """Choose one of a row of synonyms by their weights; return its log-probability too."""
    total = 0.0
    for entry in range(first, last):
        total += _weight(fit, beside, choices.synonym[entry])
    below, chosen, kept = 0.0, first, 0.0
    for entry in range(first, last):
        weight = _weight(fit, beside, choices.synonym[entry])
        if weight > 0.0:
            chosen, kept = entry, weight
        below += weight
        if v * total < below:
            break
    return chosen, np.log(kept / total)


@kernel()
def _word(state: np.uint64, model: WordModel, symbols: Any, back_off: float) -> Any:
    """Draw a word: from the most special context with the share that it has, or one above it."""
    paths, most = _contexts(model, symbols)
    if most == 0:
        return state, -1, 0.0
    state, entry, depth = _drawn(state, model, paths, most, back_off)
    return state, entry, _likelihood(model, paths, most, depth, entry, back_off)


@kernel(inline="always")
def _contexts(model: WordModel, symbols: Any) -> Any:
    """Return the contexts of a word, each in the one before it, and how many there are."""
    trie = model.trie
    first: Index = path_below(trie, np.int32(0), symbols[0])
    second: Index = np.int32(-1)
    third: Index = np.int32(-1)
    if first > 0:
        second = path_below(trie, first, symbols[1])
    if second > 0:
        third = path_below(trie, second, symbols[2])
    return (first, second, third), (first > 0) + (second > 0) + (third > 0)


@kernel(inline="always")
def _share_of_context(model: WordModel, path: Index, back_off: float) -> float:
    """Return the probability that a word is drawn in a context, and not in the one above."""
    total = model.trie.total[path]
    return total / (total + back_off * model.trie.distinct[path])


@kernel(inline="always")
def _drawn(
    state: np.uint64, model: WordModel, paths: Any, most: int, back_off: float
) -> tuple[np.uint64, int, int]:
    """Draw a word in one of so many contexts; return its entry and how deep that context is."""
    depth = most
    while depth > 1:
        state, u = next_uniform(state)
        if u < _share_of_context(model, paths[depth - 1], back_off):
            break
        depth -= 1
    path = paths[depth - 1]
    first = model.first[path]
    state, v = next_uniform(state)
    return state, pick(model.ends, first, first + int(model.trie.distinct[path]), v), depth


@kernel(inline="always")
def _likelihood(
    model: WordModel, paths: Any, most: int, depth: int, entry: int, back_off: float
) -> float:
    """Return the log-probability that :func:`_drawn` gives an entry at a depth."""
    likely = 0.0
    for above in range(most, depth, -1):
        likely += np.log1p(-_share_of_context(model, paths[above - 1], back_off))
    if depth > 1:
        likely += np.log(_share_of_context(model, paths[depth - 1], back_off))
    return likely + np.log(share(model.ends, model.first[paths[depth - 1]], entry))


@kernel()
def _judge(
    text_class: int, frames: Frames, model: WordModel, o: Settings, slots: Slots, r: int
) -> None:
    """Score a row: the mean of ln P of its open words given tag, label and governor."""
    total, words = 0.0, 0
    for s in range(slots.at[r], slots.at[r] + slots.size[r]):
        leaf = slots.leaf[s]
        if frames.open[leaf]:
            above = slots.governor[s]
            parent = 0 if above < 0 else slots.form[above] + 1
            symbols = (text_class * 4096 + frames.tag[leaf], slots.label[s], parent)
            total += np.log(smoothed(model.trie, symbols, slots.form[s], o.back_off, o.base))
            words += 1
    slots.score[r] = total / words if words else 0.0


@kernel()
def _settle(texts: Texts, choices: Choices, o: Settings, slots: Slots, r: int) -> None:
    """Settle articles, capitals at the beginning of sentences, and the gaps at seams."""
    first, last = slots.at[r], slots.at[r] + slots.size[r]
    for s in range(first, last):
        a = slots.form[s]
        if o.article and choices.article[a] > 0 and s + 1 < last:
            beside = slots.word[s + 1] == slots.word[s] + 1 and slots.rule[s + 1] < 0
            wanted = 2 if choices.an[slots.form[s + 1]] else 1
            if not beside and wanted != choices.article[a]:
                slots.form[s] = choices.other[a]
    for s in range(first, last):
        initial = s == first or slots.sentence[s] != slots.sentence[s - 1]
        if initial and texts.capital[slots.sentence[s]]:
            slots.form[s] = choices.capitals[slots.form[s]]
        if s > first and slots.word[s] != slots.word[s - 1] + 1:
            if choices.right[slots.word[s - 1]] or choices.left[slots.word[s]]:
                slots.gap[s] = NOTHING
            elif slots.gap[s] == NOTHING:
                slots.gap[s] = SPACE
