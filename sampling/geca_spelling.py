"""Derivations of a substitution grammar written out as columns, bytes by bytes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from grammar.arrays import Bytes, IntArray, LongArray, kernel, pack_strings
from sampling.splicing import as_lists, as_strings
from sampling.substitution import HOLE, SubstitutionGrammar, filler_words

__all__ = ["Spelling"]


@dataclass(frozen=True, eq=False)
class _Side:
    """One side of all contexts in pieces: literal bytes, or a hole.

    Context c has the pieces ``offsets[c]`` to ``offsets[c + 1] - 1``. Piece p is hole ``hole[p]``
    or, where that is -1, the bytes ``text[bounds[p]:bounds[p + 1]]``, ``words[p]`` words.
    """

    offsets: LongArray
    hole: IntArray
    text: Bytes
    bounds: LongArray
    words: LongArray


class Spelling:
    """Writes out derivations of a grammar: contexts with their holes filled."""

    def __init__(self, grammar: SubstitutionGrammar) -> None:
        patterns: list[tuple[str, ...]] = [(pattern,) for pattern in grammar.contexts]
        if grammar.separator is not None:
            mark = f" {grammar.separator} "
            patterns = [pattern.partition(mark)[::2] for pattern in grammar.contexts]
        self._sides = [_side(column) for column in zip(*patterns, strict=True)]
        cells = [filler_words(pattern) for pattern in grammar.fillers]
        self._gaps = max(map(len, cells), default=0)
        padded = [row[k] if k < len(row) else [] for row in cells for k in range(self._gaps)]
        self._cells = pack_strings(" ".join(words) for words in padded)
        self._cell_words = np.array([len(words) for words in padded], np.int64)
        self._hosts = pa.array(grammar.hosts, pa.string())
        self._donors = pa.array(grammar.donors, pa.string())
        self._labels = None if grammar.labels is None else pa.array(grammar.labels)

    def columns(self, context: Any, filler: Any) -> dict[str, pa.Array]:
        """Return text, target and label of derivations, as far as the examples have them."""
        made = {}
        for name, side in zip(("text", "target"), self._sides, strict=False):
            pieces = (side.offsets, side.hole, side.text, side.bounds)
            made[name] = as_strings(*_write(context, filler, self._gaps, *pieces, *self._cells))
        if self._labels is not None:
            made["label"] = self._labels.take(pa.array(context))
        return made

    def spans(self, context: Any, filler: Any) -> pa.ListArray:
        """Return where the words that fill the holes stand in the texts, counted in words."""
        side = self._sides[0]
        pieces = (side.offsets, side.hole, side.words)
        offsets, start, end = _spans(context, filler, self._gaps, *pieces, self._cell_words)
        pairs = [pa.array(start.astype(np.int32)), pa.array(end.astype(np.int32))]
        return as_lists(pa.StructArray.from_arrays(pairs, names=["start", "end"]), offsets)

    def parents(self, context: Any, filler: Any) -> pa.ListArray:
        """Return the ids of host and donor."""
        hosts, donors = self._hosts.take(pa.array(context)), self._donors.take(pa.array(filler))
        both = pa.concat_arrays([hosts, donors])
        order = np.arange(2 * len(hosts)).reshape(2, -1).T.ravel()
        return as_lists(both.take(pa.array(order)), np.arange(0, 2 * len(hosts) + 1, 2))


def _side(patterns: Sequence[str]) -> _Side:
    offsets, hole, literal = [0], [], []
    for pattern in patterns:
        # the pattern of a hole has one group, so its numbers stand between the literals
        for k, part in enumerate(HOLE.split(pattern)):
            if k % 2 or part:
                hole.append(int(part) if k % 2 else -1)
                literal.append("" if k % 2 else part)
        offsets.append(len(hole))
    text, bounds = pack_strings(literal)
    words = np.array([len(part.split()) for part in literal], np.int64)
    return _Side(np.array(offsets), np.array(hole, np.int32), text, bounds, words)


@kernel()
def _write(
    context: Any,
    filler: Any,
    gaps: int,
    offsets: LongArray,
    hole: IntArray,
    text: Bytes,
    bounds: LongArray,
    cells: Bytes,
    cell_bounds: LongArray,
) -> tuple[Any, LongArray]:
    ends = np.zeros(len(context) + 1, np.int64)
    for d in range(len(context)):
        size = 0
        for p in range(offsets[context[d]], offsets[context[d] + 1]):
            cell = filler[d] * gaps + hole[p]
            size += (
                bounds[p + 1] - bounds[p]
                if hole[p] < 0
                else cell_bounds[cell + 1] - cell_bounds[cell]
            )
        ends[d + 1] = ends[d] + size
    out = np.empty(ends[-1], np.uint8)
    at = 0
    for d in range(len(context)):
        for p in range(offsets[context[d]], offsets[context[d] + 1]):
            if hole[p] < 0:
                for i in range(bounds[p], bounds[p + 1]):
                    out[at] = text[i]
                    at += 1
            else:
                cell = filler[d] * gaps + hole[p]
                for i in range(cell_bounds[cell], cell_bounds[cell + 1]):
                    out[at] = cells[i]
                    at += 1
    return out, ends


@kernel()
def _spans(
    context: Any,
    filler: Any,
    gaps: int,
    offsets: LongArray,
    hole: IntArray,
    words: LongArray,
    cell_words: LongArray,
) -> tuple[LongArray, LongArray, LongArray]:
    ends = np.zeros(len(context) + 1, np.int64)
    for d in range(len(context)):
        holes = 0
        for p in range(offsets[context[d]], offsets[context[d] + 1]):
            holes += hole[p] >= 0
        ends[d + 1] = ends[d] + holes
    start, stop = np.empty(ends[-1], np.int64), np.empty(ends[-1], np.int64)
    at = 0
    for d in range(len(context)):
        word = 0
        for p in range(offsets[context[d]], offsets[context[d] + 1]):
            if hole[p] < 0:
                word += words[p]
            else:
                start[at] = word
                word += cell_words[filler[d] * gaps + hole[p]]
                stop[at] = word
                at += 1
    return ends, start, stop
