"""Drawing derivations of ALP: exchange from the top, govern, refill, judge, and spell.

One attempt is one stream of random numbers, drawn from in this order: for each sentence of the
host a tree; for each constituent in preorder whether it is exchanged, and by what; then for each
open word, governors first, what becomes of it.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from grammar.arrays import LongArray, kernel
from grammar.counter_rng import next_uniform, open_stream
from sampling.alp_frames import Frames
from sampling.alp_refill import judge, refill
from sampling.alp_slots import Choices, Settings, Slots, Texts, pick, share
from sampling.alp_spelling import settle
from sampling.alp_words import WordModel

__all__ = ["draw"]


class _Parts(NamedTuple):
    """Scratch: the root of each part, the part above it, and the node whose place it takes."""

    root: LongArray
    above: LongArray
    hole: LongArray


@kernel()
def draw(
    key: np.uint64,
    attempts: LongArray,
    hosts: LongArray,
    texts: Texts,
    frames: Frames,
    choices: Choices,
    model: WordModel,
    o: Settings,
    slots: Slots,
) -> None:
    """Draw derivations: row r with the stream ``attempts[r]`` of the key, for text ``hosts[r]``."""
    widest = 1
    for r in range(len(hosts)):
        widest = max(widest, slots.at[r + 1] - slots.at[r])
    parts = _Parts(
        np.empty(2 * widest, np.int64),
        np.empty(2 * widest, np.int64),
        np.empty(2 * widest, np.int64),
    )
    stack = np.empty((o.depth + 2, 4), np.int64)
    done = np.empty(widest, np.bool_)
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
            _govern(frames, slots, r, start, parts)
        if slots.size[r] < max(1.0, o.shortest * texts.words[host]):
            slots.size[r] = -1
            continue
        refill(state, texts.classes[host], frames, choices, model, o, slots, r, done)
        judge(texts.classes[host], frames, model, o, slots, r)
        settle(texts, choices, o, slots, r)


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
