"""How new texts are made to read like their source where a span was put in.

The seams themselves are mended by pieces: the word before the hole, both gaps, and the first and
last word put in may be other bytes than those of their texts (:mod:`sampling.joins.spacing`).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from grammar.arrays import BoolArray, IntArray, LongArray, kernel
from sampling.examples.text_columns import Side
from sampling.joins.spacing import KEPT, MENDED, SPACE, WHOLE, Joints, joint, named_repairs, torn
from sampling.spans.draws import Mending
from sampling.spans.sites import Spans

__all__ = [
    "REPAIRS",
    "Joined",
    "join_sites",
    "mended_names",
    "repair_names",
    "stops",
    "text_pieces",
    "variant_places",
    "whole_spans",
    "wholes",
    "with_final_mark",
    "word_pieces",
]

REPAIRS = (*MENDED, "whole", "final")
_FINAL = re.compile(r"(?:(?<!\s)\s++|(?<![\s.!?]))[.!?]++$")

_STOPS = np.frombuffer(b".!?", np.uint8)

Pieces = tuple[str, str, str]


def repair_names(value: str) -> tuple[str, ...]:
    """Return the repairs that a list such as ``"article, capital"`` names; none for ``"none"``.

    Raises
    ------
    OptionError
        If one is not known.
    """
    return named_repairs(value, REPAIRS)


def mended_names(options: Mapping[str, Any]) -> tuple[str, ...]:
    """Return which of the repairs that options name are made at the seams.

    >>> mended_names({"repair": "final, article"}), mended_names({})
    (('article',), ())
    """
    named = repair_names(options.get("repair") or "")
    return tuple(name for name in MENDED if name in named)


def wholes(spans: Spans, side: Side, repair: str) -> BoolArray:
    """Return which spans tear nothing apart; all, if that is not among the repairs asked for."""
    if "whole" not in repair_names(repair) or not len(spans):
        return np.ones(len(spans), np.bool_)
    return ~torn(side, spans.example, spans.start, spans.end)


def whole_spans(spans: Spans, side: Side, repair: str) -> Spans:
    """Return the spans of :func:`wholes`; the story tells of it where any was left out."""
    whole = wholes(spans, side, repair)
    return spans if whole.all() else spans.keep(whole, WHOLE)


def stops(side: Side, example: IntArray, end: IntArray, repair: str) -> BoolArray:
    """Return which spans end in the mark that ends a sentence; none, unless spans are kept whole.

    Two of which one does are not exchanged: a mark would stand in the middle of a sentence, or
    none at its end.

    >>> from induction.corpus.corpus import Corpus
    >>> from sampling.examples.text_columns import read_side
    >>> side = read_side(Corpus.from_columns(text=["Mr. A . So ?!"]))
    >>> stops(side, np.zeros(5, np.int32), np.arange(1, 6), "whole").tolist()
    [False, False, True, False, True]
    """
    if "whole" not in repair_names(repair) or not len(example):
        return np.zeros(len(example), np.bool_)
    last = side.offsets[example] + end - 1
    first_sign, last_sign = side.text[side.start[last]], side.text[side.end[last] - 1]
    return np.asarray(np.isin(first_sign, _STOPS) & np.isin(last_sign, _STOPS))


class Joined(NamedTuple):
    """Rows of spans put into holes: their words, and what is mended at each seam.

    Words are counted over all texts of a side. The hole has the words ``hole[r, 0]`` to
    ``hole[r, 1]`` of the text that has ``begin[r]`` to ``stop[r] - 1``, the filler ``fill[r]``.
    ``article``, ``first`` and ``last`` are variants of words, or -1; ``left`` and ``right`` what
    stands on either side.
    """

    begin: LongArray
    stop: LongArray
    hole: LongArray
    fill: LongArray
    article: LongArray
    first: LongArray
    last: LongArray
    left: LongArray
    right: LongArray


def join_sites(m: Mending, k: int, shift: int, host: IntArray, filler: IntArray) -> Joined:
    """Put filler sites into host sites, in side k, whose words begin at ``shift`` of all."""
    hole = np.stack([m.first[host, k], m.last[host, k]], axis=1)
    fill = np.stack([m.first[filler, k], m.last[filler, k]], axis=1)
    begin, stop = m.begin[host, k], m.stop[host, k]
    found = np.zeros((5, len(host)), np.int64)
    found[:3] = -1
    if m.on:
        _decide(m.joints, begin, stop, hole, fill, found)
    return Joined(begin - shift, stop - shift, hole - shift, fill - shift, *found)


@kernel()
def _decide(
    joints: Joints,
    begin: LongArray,
    stop: LongArray,
    hole: LongArray,
    fill: LongArray,
    found: LongArray,
) -> None:
    for r in range(len(begin)):
        article, first, last, left, right = joint(
            joints, begin[r], stop[r], (hole[r, 0], hole[r, 1]), (fill[r, 0], fill[r, 1])
        )
        found[0, r], found[1, r], found[2, r] = article, first, last
        found[3, r], found[4, r] = left, right


def variant_places(joints: Joints, number: LongArray, size: int) -> tuple[LongArray, LongArray]:
    """Return where variants lie behind so many bytes; nowhere for -1."""
    bounds = np.append(joints.bounds, joints.bounds[-1])
    first, last = bounds[number], bounds[number + 1]
    return np.where(number >= 0, size + first, 0), np.where(number >= 0, size + last, 0)


def text_pieces(
    row: Joined, side: Side, joints: Joints, ends: tuple[LongArray, LongArray]
) -> tuple[LongArray, LongArray]:
    """Return the pieces of mended texts: starts and ends, of which the first three are the host's
    text before the filler, the next three the filler, and the last two what is behind it.

    They lie in the texts of the side, behind these the variants of words, and then a space.

    Parameters
    ----------
    row : Joined
        What is put where.
    side : Side
        The texts.
    joints : Joints
        The variants.
    ends : (int64[n], int64[n])
        Where the text of each host begins and ends.
    """
    size = len(side.text)
    space = size + len(joints.text)
    start, end = side.start, side.end
    a, b, c, d = row.hole[:, 0], row.hole[:, 1], row.fill[:, 0], row.fill[:, 1]
    inner, more = a > row.begin, b + 1 < row.stop
    before, behind = np.where(inner, a - 1, a), np.where(more, b + 1, b)
    starts = np.zeros((len(a), 8), np.int64)
    stops = np.zeros((len(a), 8), np.int64)

    def put(k: int, first: Any, last: Any, where: Any = True) -> None:
        starts[:, k] = np.where(where, first, 0)
        stops[:, k] = np.where(where, last, 0)

    def put_variant(k: int, number: LongArray) -> None:
        starts[:, k], stops[:, k] = variant_places(joints, number, size)

    till = np.where(row.article >= 0, start[before], end[before])
    put(0, ends[0], np.where(inner, till, start[a]))
    put_variant(1, row.article)
    gap = inner & (row.left == KEPT)
    put(2, np.where(gap, end[before], space), np.where(gap, start[a], space + 1),
        gap | (inner & (row.left == SPACE)))  # fmt: skip
    put_variant(3, row.first)
    at = np.where(row.first >= 0, end[c], start[c])
    put(4, at, np.where(row.last >= 0, start[d], end[d]))
    put_variant(5, row.last)
    gap = more & (row.right == KEPT)
    put(6, np.where(gap, end[b], space), np.where(gap, start[behind], space + 1),
        gap | (more & (row.right == SPACE)))  # fmt: skip
    put(7, np.where(more, start[behind], end[b]), ends[1])
    return starts, stops


def word_pieces(row: Joined, first_variant: int) -> tuple[LongArray, LongArray]:
    """Return the pieces of mended rows of words; variant v is at ``first_variant + v``."""
    a, b, c, d = row.hole[:, 0], row.hole[:, 1], row.fill[:, 0], row.fill[:, 1]
    article, first, last = (x >= 0 for x in (row.article, row.first, row.last))
    starts = [row.begin, row.article, a, row.first, c + first, row.last, b + 1]
    stops = [a - article, row.article + 1, a, row.first + 1, d + 1 - last, row.last + 1, row.stop]
    for k, number, said in ((1, row.article, article), (3, row.first, first), (5, row.last, last)):
        starts[k] = np.where(said, first_variant + number, 0)
        stops[k] = np.where(said, first_variant + number + 1, 0)
    return np.stack(starts, axis=1), np.stack(stops, axis=1)


def with_final_mark(pieces: Pieces, cut: str) -> str:
    """Return the text of a hole's surroundings and its filler, with one final mark.

    The sentence keeps its full stop, question or exclamation mark, and the filler brings none into
    the middle.

    Parameters
    ----------
    pieces : (str, str, str)
        Text before the hole, the filler, and the text behind the hole.
    cut : str
        What was in the hole.

    Examples
    --------
    >>> with_final_mark(("I saw ", "a dog.", " there."), "it")
    'I saw a dog there.'
    >>> with_final_mark(("I saw ", "a dog", ""), "it .")
    'I saw a dog .'
    """
    before, fill, behind = pieces
    mark = _FINAL.search(cut)
    if behind.strip():
        fill = _FINAL.sub("", fill) or fill
    elif mark and not _FINAL.search(fill):
        fill += mark[0]
    return before + fill + behind
