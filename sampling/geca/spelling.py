"""Contexts and fillers as bytes, and the examples that they make."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from grammar.arrays import Bytes, IntArray, LongArray, kernel, pack_strings
from sampling.examples.patterns import HOLE, filler_words, hole
from sampling.examples.provenance import as_spans
from sampling.examples.splicing import as_strings
from sampling.geca.sequences import SideWords
from sampling.geca.template_kernels import Grams, gram_of, hole_at

__all__ = [
    "Cells",
    "Pieces",
    "Spelling",
    "context_patterns",
    "cut_pieces",
    "filler_patterns",
    "gram_cells",
    "read_spelling",
]

_SPACE = np.uint8(32)


class Pieces(NamedTuple):
    """One side of contexts in pieces: literal bytes, or a hole.

    Context c has the pieces ``offsets[c]`` to ``offsets[c + 1] - 1``. Piece p is hole ``hole[p]``
    or, where that is -1, the bytes ``text[start[p]:end[p]]``, ``words[p]`` words.
    """

    offsets: LongArray
    hole: IntArray
    text: Bytes
    start: LongArray
    end: LongArray
    words: LongArray


class Cells(NamedTuple):
    """What fillers put into holes: filler f into hole k the bytes of row ``f * gaps + k``.

    Row i is ``text[bounds[i]:bounds[i + 1]]``, ``words[i]`` words.
    """

    gaps: int
    text: Bytes
    bounds: LongArray
    words: LongArray


@dataclass(frozen=True, eq=False)
class Spelling:
    """Writes out contexts with their holes filled: one side, or text and target of pairs."""

    sides: Sequence[Pieces]
    cells: Cells

    def write(self, context: Any, filler: Any) -> tuple[dict[str, pa.Array], pa.ListArray]:
        """Return text and target of derivations, and the spans of words put into the texts."""
        columns, spans = {}, []
        for name, side in zip(("text", "target"), self.sides, strict=False):
            data, ends, *rows = _fill(side, self.cells, context, filler)
            columns[name] = as_strings(data, ends)
            spans.append(rows)
        return columns, as_spans(*spans[0])


def read_spelling(
    contexts: Sequence[str], fillers: Sequence[str], separator: str | None
) -> Spelling:
    """Take patterns of contexts and fillers apart."""
    patterns: list[tuple[str, ...]] = [(pattern,) for pattern in contexts]
    if separator is not None:
        patterns = [pattern.partition(f" {separator} ")[::2] for pattern in contexts]
    rows = [filler_words(pattern) for pattern in fillers]
    gaps = max(map(len, rows), default=0)
    cells = [row[k] if k < len(row) else [] for row in rows for k in range(gaps)]
    packed = pack_strings(" ".join(words) for words in cells)
    return Spelling(
        [_read_pieces(side) for side in zip(*patterns, strict=True)],
        Cells(gaps, *packed, np.array([len(words) for words in cells], np.int64)),
    )


def _read_pieces(patterns: Iterable[str]) -> Pieces:
    offsets, holes, literal = [0], [], []
    for pattern in patterns:
        # the pattern of a hole has one group, so its numbers stand between the literals
        for k, part in enumerate(HOLE.split(pattern)):
            if k % 2 or part:
                holes.append(int(part) if k % 2 else -1)
                literal.append("" if k % 2 else part)
        offsets.append(len(holes))
    text, bounds = pack_strings(literal)
    words = np.array([len(part.split()) for part in literal], np.int64)
    return Pieces(
        np.array(offsets), np.array(holes, np.int32), text, bounds[:-1], bounds[1:], words
    )


def context_patterns(
    grams: Grams, sides: Sequence[SideWords], sequence: IntArray, key: LongArray
) -> list[tuple[str, ...]]:
    """Return the sides of examples with a fragment cut out of each, spacing untouched."""
    gaps = 1
    while (key >= (len(grams.sizes) + 1) ** gaps).any():
        gaps += 1
    marks = Cells(gaps, *pack_strings(map(hole, range(gaps))), np.ones(gaps, np.int64))
    pieces = [cut_pieces(grams, side, sequence, key) for side in sides]
    rows = np.arange(len(key))
    columns, _ = Spelling(pieces, marks).write(rows, np.zeros_like(rows))
    return list(zip(*(column.to_pylist() for column in columns.values()), strict=True))


def filler_patterns(grams: Grams, names: Sequence[str], key: LongArray, gaps: int) -> list[str]:
    """Return the words of fragments, each n-gram after its hole."""
    cells = gram_cells(grams, key, gaps, *pack_strings(names))
    words = as_strings(cells.text, cells.bounds).to_pylist()
    rows = (words[first : first + gaps] for first in range(0, len(words), gaps))
    return [" ".join(f"{hole(k)} {cell}" for k, cell in enumerate(row) if cell) for row in rows]


@kernel()
def cut_pieces(g: Grams, side: SideWords, sequence: IntArray, key: LongArray) -> Pieces:
    """Cut fragments out of sequences; the pieces are those of one side."""
    text, text_offsets, word_offsets, word_start, word_end, token = side
    table, sizes = g.table, g.sizes
    offsets = np.zeros(len(key) + 1, np.int64)
    for fill in range(2):
        holes = np.full(offsets[-1], -1, np.int32)
        start, end = np.zeros(len(holes), np.int64), np.zeros(len(holes), np.int64)
        words = np.zeros(len(holes), np.int64)
        at = 0
        for j in range(len(key)):
            i = sequence[j]
            copied, word = text_offsets[i], word_offsets[i]
            first, shift = word, token[i] - word
            while word < word_offsets[i + 1]:
                k, gram = hole_at(table, sizes, key[j], word + shift)
                if k < 0:
                    word += 1
                    continue
                if fill == 1:
                    start[at], end[at], words[at] = copied, word_start[word], word - first
                    holes[at + 1] = k
                at += 2
                word += sizes[gram]
                copied, first = word_end[word - 1], word
            if fill == 1:
                start[at], end[at], words[at] = copied, text_offsets[i + 1], word - first
            at += 1
            offsets[j + 1] = at
    return Pieces(offsets, holes, text, start, end, words)


@kernel()
def gram_cells(g: Grams, key: LongArray, gaps: int, names: Bytes, bounds: LongArray) -> Cells:
    """Return what fragments put into holes: the words of their n-grams, one space between."""
    tokens, _, _, starts, sizes = g
    words = np.zeros(len(key) * gaps, np.int64)
    first = np.zeros(len(words), np.int64)
    ends = np.zeros(len(words) + 1, np.int64)
    for cell in range(len(words)):
        gram = gram_of(len(sizes) + 1, key[cell // gaps], cell % gaps)
        size = 0
        if gram >= 0:
            first[cell], words[cell] = starts[gram], sizes[gram]
            size = words[cell] - 1
        for j in range(first[cell], first[cell] + words[cell]):
            size += bounds[tokens[j] + 1] - bounds[tokens[j]]
        ends[cell + 1] = ends[cell] + size
    out = np.full(ends[-1], _SPACE)
    for cell in range(len(words)):
        at = ends[cell]
        for j in range(first[cell], first[cell] + words[cell]):
            at = 1 + _copied(out, at, names, bounds[tokens[j]], bounds[tokens[j] + 1])
    return Cells(gaps, out, ends, words)


@kernel(inline="always")
def _copied(out: Bytes, at: int, source: Bytes, start: int, end: int) -> int:
    """Copy bytes; return where the next ones go."""
    # unsigned places cannot count from the end, so the copy is one of whole blocks
    there, here, size = np.uint64(at), np.uint64(start), np.uint64(end - start)
    for b in range(size):
        out[there + b] = source[here + b]
    return at + end - start


@kernel()
def _fill(
    p: Pieces, cells: Cells, context: Any, filler: Any
) -> tuple[Bytes, LongArray, LongArray, LongArray, LongArray]:
    """Return bytes and offsets of filled contexts, and the rows of the words put in."""
    offsets, hole, text, start, end, words = p
    gaps, cell_text, bounds, cell_words = cells
    ends, span_ends = np.zeros(len(context) + 1, np.int64), np.zeros(len(context) + 1, np.int64)
    for d in range(len(context)):
        size = spans = 0
        for piece in range(offsets[context[d]], offsets[context[d] + 1]):
            size += end[piece] - start[piece]
            if hole[piece] >= 0:
                cell = filler[d] * gaps + hole[piece]
                size += bounds[cell + 1] - bounds[cell]
                spans += 1
        ends[d + 1], span_ends[d + 1] = ends[d] + size, span_ends[d] + spans
    out = np.empty(ends[-1], np.uint8)
    first, last = np.empty(span_ends[-1], np.int64), np.empty(span_ends[-1], np.int64)
    at = span = 0
    for d in range(len(context)):
        word = 0
        for piece in range(offsets[context[d]], offsets[context[d] + 1]):
            if hole[piece] < 0:
                at = _copied(out, at, text, start[piece], end[piece])
                word += words[piece]
                continue
            cell = filler[d] * gaps + hole[piece]
            at = _copied(out, at, cell_text, bounds[cell], bounds[cell + 1])
            first[span], last[span] = word, word + cell_words[cell]
            word += cell_words[cell]
            span += 1
    return out, ends, first, last, span_ends
