"""Edited texts that read like their source: capitals where sentences begin, a and an by sound.

A mended word is an entry of the pools, as a word that is put in is; so the writer knows no other.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pyarrow as pa

from grammar.arrays import Bytes, IntArray, LongArray, kernel, pack_strings
from sampling.examples.text_columns import Side
from sampling.joins.spacing import (
    CAPITAL,
    INITIAL,
    SPACED,
    Joints,
    read_joints,
    sound_of,
    wants_other,
    with_capital,
    without_capital,
)
from sampling.words.pools import Pools, vocabulary_of
from sampling.words.texts import Slots, Words

__all__ = ["Mends", "mended", "read_mends"]


class Mends(NamedTuple):
    """What words can be written as instead, for kernels.

    Entries of ``pools`` from ``first`` on are variants, those of ``joints`` first. Form f of the
    pools has the variants ``upper[f]`` and ``lower[f]`` with and without a capital, or -1, and
    ``sound[f]`` says which article it wants; ``articles`` are the variants a, an, A and An.
    """

    joints: Joints
    pools: Pools
    first: int
    upper: IntArray
    lower: IntArray
    sound: Bytes
    articles: LongArray


def read_mends(side: Side, words: Words, pools: Pools, names: tuple[str, ...]) -> Mends:
    """Gather what the texts of a side, and words put in, can be written as."""
    joints, variants = _without_marks(read_joints((side,), names), words)
    forms: list[str] = vocabulary_of(pools).to_pylist()
    sound = np.zeros(len(forms), np.uint8)
    upper, lower = np.full(len(forms), -1, np.int32), np.full(len(forms), -1, np.int32)
    for f, form in enumerate(forms):
        if "article" in names:
            sound[f] = sound_of(form)
        if "capital" in names:
            for column, made in ((upper, with_capital(form)), (lower, without_capital(form))):
                if made is not None:
                    column[f] = len(variants)
                    variants.append(made)
    articles = len(variants) + np.arange(4)
    variants += ["a", "an", "A", "An"]
    numbers = len(forms) + np.arange(len(variants), dtype=np.int32)
    data, bounds = pack_strings(pa.array([*forms, *variants], pa.string()).to_pylist())
    entries = np.concatenate((pools.form, numbers))
    written = pools._replace(form=entries, data=data, bounds=bounds)
    return Mends(joints, written, len(pools.form), upper, lower, sound, articles)


def _without_marks(joints: Joints, words: Words) -> tuple[Joints, list[str]]:
    """Return joints whose variants lack the marks behind their words, and those variants.

    A variant is written in the place of a word alone: the marks that touch the word (*more)*) are
    written beside it.
    """
    variants = joints.variants
    numbers = {form: v for v, form in enumerate(variants)}
    upper, lower = joints.upper.copy(), joints.lower.copy()
    for column in (upper, lower):
        marked = np.flatnonzero((column >= 0) & (words.trail > 0))
        pairs = np.stack((column[marked], words.trail[marked]), axis=1)
        used, row = np.unique(pairs, axis=0, return_inverse=True)
        cores = [variants[v].encode()[:-trail].decode() for v, trail in used.tolist()]
        made = [numbers.setdefault(core, len(numbers)) for core in cores]
        column[marked] = np.array(made, np.int32)[row.ravel()]
    return joints._replace(upper=upper, lower=lower), list(numbers)


def mended(words: Words, mends: Mends, slots: Slots) -> Slots:
    """Return edited texts with the words mended that stand elsewhere now, or beside others."""
    slots = slots._replace(entry=slots.entry.copy(), gap=slots.gap.copy())
    _keep_marks(words, mends.joints, slots)
    _mend(words, mends, slots._replace(entry=slots.entry.copy()), slots.entry)
    return slots


@kernel()
def _keep_marks(words: Words, j: Joints, slots: Slots) -> None:
    """Where words were deleted, keep the marks that stood behind the word before them."""
    for r in range(len(slots.at)):
        first, stop = slots.at[r], slots.at[r] + slots.size[r]
        begin = _first_of_text(words, slots, first, stop)
        if begin < 0:
            continue
        text = np.searchsorted(words.offsets, begin, side="right") - 1
        if stop - first >= words.offsets[text + 1] - words.offsets[text]:
            continue
        for s in range(first + 1, stop):
            before, g = slots.word[s - 1], slots.gap[s]
            gone = before >= 0 and g > before + 1
            # marks that open, such as a bracket, belong to the word that is gone
            closes = gone and words.text[words.start[before + 1] - 1] == 32
            if closes and j.flags[g] & SPACED and not j.flags[before + 1] & SPACED:
                slots.gap[s] = before + 1


@kernel()
def _mend(words: Words, m: Mends, slots: Slots, entry: LongArray) -> None:
    j = m.joints
    for r in range(len(slots.at)):
        first, stop = slots.at[r], slots.at[r] + slots.size[r]
        for s in range(first, stop):
            w, e, g = slots.word[s], slots.entry[s], slots.gap[s]
            # the word that stood here in the text: the first, or the one whose gap this is
            place = g
            if s == first:
                place = _first_of_text(words, slots, first, stop)
            begins = place >= 0 and j.flags[place] & INITIAL
            if w >= 0 and w == place and e < 0:
                continue
            variant = -1
            if begins and j.flags[place] & CAPITAL:
                variant = m.upper[m.pools.form[e]] if e >= 0 else j.upper[w]
            elif not begins and e < 0:
                variant = j.lower[w]
            elif not begins and w < 0:
                variant = m.lower[m.pools.form[e]]
            if variant >= 0:
                entry[s] = m.first + variant
        for s in range(first, stop - 1):
            w, v, e = slots.word[s], slots.word[s + 1], slots.entry[s + 1]
            if w < 0 or slots.entry[s] >= 0 or j.other[w] < 0 or (v == w + 1 and e < 0):
                continue
            spaced = slots.gap[s + 1] < 0 or j.flags[slots.gap[s + 1]] & SPACED
            sound = m.sound[m.pools.form[e]] if e >= 0 else j.flags[v]
            if spaced and wants_other(j.other[w], j.flags[w], sound):
                # its own capital, unless that was mended: the first byte of its form says
                at = m.pools.bounds[m.pools.form[entry[s]]] if entry[s] >= 0 else words.start[w]
                byte = m.pools.data[at] if entry[s] >= 0 else words.text[at]
                an = words.end[w] - words.start[w] == 1
                entry[s] = m.first + m.articles[an + 2 * (byte == 65)]


@kernel(inline="always")
def _first_of_text(words: Words, slots: Slots, first: int, stop: int) -> int:
    """Return the number of the first word of the text that a row is of; -1 if none is left."""
    for s in range(first, stop):
        if slots.word[s] >= 0:
            text = np.searchsorted(words.offsets, slots.word[s], side="right") - 1
            return int(words.offsets[text])
    return -1
