"""Derivations of ALP as text: articles, capitals and spaces settled, and bytes written."""

from __future__ import annotations

from typing import Any

import numpy as np

from grammar.arrays import Bytes, LongArray, kernel
from sampling.alp_slots import NOTHING, SPACE, Choices, Settings, Slots, Texts

__all__ = ["settle", "spell"]


@kernel()
def settle(texts: Texts, choices: Choices, o: Settings, slots: Slots, r: int) -> None:
    """Settle articles, capitals at the beginning of sentences, and gaps where words would touch."""
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
        if s > first and slots.gap[s] == NOTHING and slots.word[s] != slots.word[s - 1] + 1:
            before, behind = choices.last[slots.form[s - 1]], choices.first[slots.form[s]]
            if _letter(before) and _letter(behind):
                slots.gap[s] = SPACE


@kernel(inline="always")
def _letter(byte: int) -> bool:
    return byte >= 128 or 48 <= byte <= 57 or 65 <= byte <= 90 or 97 <= byte <= 122


@kernel()
def spell(
    slots: Slots,
    rows: LongArray,
    tails: LongArray,
    forms: Bytes,
    form_bounds: LongArray,
    gaps: Bytes,
    gap_bounds: LongArray,
) -> Any:
    """Return the bytes of rows of slots, and where each begins.

    ``tails`` is the number of the gap behind the last word of each row.
    """
    offsets = np.zeros(len(rows) + 1, np.int64)
    for k in range(len(rows)):
        r = rows[k]
        size = gap_bounds[tails[k] + 1] - gap_bounds[tails[k]]
        for s in range(slots.at[r], slots.at[r] + slots.size[r]):
            f, g = slots.form[s], slots.gap[s]
            size += form_bounds[f + 1] - form_bounds[f] + gap_bounds[g + 1] - gap_bounds[g]
        offsets[k + 1] = offsets[k] + size
    data = np.empty(offsets[-1], np.uint8)
    for k in range(len(rows)):
        r, at = rows[k], offsets[k]
        for s in range(slots.at[r], slots.at[r] + slots.size[r]):
            g, f = slots.gap[s], slots.form[s]
            for b in range(gap_bounds[g], gap_bounds[g + 1]):
                data[at] = gaps[b]
                at += 1
            for b in range(form_bounds[f], form_bounds[f + 1]):
                data[at] = forms[b]
                at += 1
        for b in range(gap_bounds[tails[k]], gap_bounds[tails[k] + 1]):
            data[at] = gaps[b]
            at += 1
    return data, offsets
