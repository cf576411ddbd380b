"""Stage 4 of ALP in kernels: the open words of a derivation redrawn, and how plausible they are."""

from __future__ import annotations

from typing import Any

import numpy as np

from grammar.arrays import BoolArray, Index, kernel
from grammar.backoff import _below, smoothed
from grammar.counter_rng import next_uniform
from sampling.alp_frames import Frames
from sampling.alp_slots import Choices, Settings, Slots, pick, share
from sampling.alp_words import WordModel

__all__ = ["judge", "refill"]


@kernel()
def refill(
    state: np.uint64,
    text_class: int,
    frames: Frames,
    choices: Choices,
    model: WordModel,
    o: Settings,
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
                state, entry, likely = _word(state, model, symbols, o.back_off)
                if entry >= 0:
                    slots.log_probability[r] += np.log(o.pool) + likely
                    slots.form[s], slots.rule[s] = model.form[entry], entry
            elif u < o.pool + o.synonym and row >= 0:
                state, v = next_uniform(state)
                first, last = choices.synonym_offsets[row], choices.synonym_offsets[row + 1]
                entry = min(first + int(v * (last - first)), last - 1)
                slots.log_probability[r] += np.log(o.synonym / (last - first))
                slots.form[s], slots.rule[s] = choices.synonym[entry], len(model.form) + entry
            else:
                kept = 1.0 - o.pool - (o.synonym if row >= 0 else 0.0)
                slots.log_probability[r] += np.log(kept)


@kernel()
def _word(state: np.uint64, model: WordModel, symbols: Any, back_off: float) -> Any:
    """Draw a word: from the most special context with the share that it has, or one above it."""
    trie = model.trie
    path: Index = np.int32(0)
    depth = 0
    paths: tuple[Index, Index, Index] = (_below(trie, path, symbols[0]), path, path)
    if paths[0] > 0:
        depth = 1
        second = _below(trie, paths[0], symbols[1])
        if second > 0:
            depth = 2
            third = _below(trie, second, symbols[2])
            depth = 3 if third > 0 else 2
            paths = (paths[0], second, third)
    if depth == 0:
        return state, -1, 0.0
    likely = 0.0
    while depth > 1:
        path = paths[depth - 1]
        back = back_off * trie.distinct[path]
        kept = trie.total[path] / (trie.total[path] + back)
        state, u = next_uniform(state)
        if u < kept:
            likely += np.log(kept)
            break
        likely += np.log1p(-kept)
        depth -= 1
    path = paths[depth - 1]
    first = model.first[path]
    last = first + int(trie.distinct[path])
    state, v = next_uniform(state)
    entry = pick(model.ends, first, last, v)
    return state, entry, likely + np.log(share(model.ends, first, entry))


@kernel()
def judge(
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
