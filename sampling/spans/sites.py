"""Sites: the spans of a corpus that a method may exchange, found by kernels.

A *site* is one span of words in every side of an example: one span of a text, or one of each text
of a pair. Finders list all spans of a kind; methods narrow them down, and what is left at every
step is remembered, so that an empty pool can say which requirement emptied it.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any

import numpy as np

from grammar.arrays import BoolArray, IntArray, LongArray, kernel
from grammar.errors import OptionError
from grammar.trees.treebank import Treebank
from sampling.examples.examples import no_material
from sampling.examples.text_columns import Side

__all__ = [
    "UNCUT",
    "Sites",
    "Spans",
    "all_spans",
    "balanced_spans",
    "dependency_spans",
    "ratio_bounds",
    "sites_of",
    "tree_spans",
    "uncut",
    "unprotected",
]

_MOST_SPANS = 2**25
_MOST_PAIRS = 2**24
UNCUT = "that cut no labelled span (the column 'spans'), and nothing such as 5 kg or $ 3"


@dataclass(frozen=True, eq=False)
class Spans:
    """Spans of words in one side, as columns.

    Attributes
    ----------
    example : int32[S]
        The example of every span; spans of an example follow each other.
    start, end : int32[S]
        First word, and the word behind the last, counted in the sentence.
    node : int64[S]
        The node of the treebank that spans them, or -1.
    children : int32[S]
        Children of the node, or 0.
    story : tuple of (str, int)
        How many spans each requirement left.
    """

    example: IntArray
    start: IntArray
    end: IntArray
    node: LongArray
    children: IntArray
    story: tuple[tuple[str, int], ...] = field(default=())

    def __len__(self) -> int:
        return len(self.example)

    @property
    def words(self) -> IntArray:
        """int32[S]: words of every span."""
        return self.end - self.start

    def keep(self, mask: BoolArray, what: str) -> Spans:
        """Return the spans of the mask; ``what`` says what they fulfil."""
        story = (*self.story, (what, int(np.count_nonzero(mask))))
        return Spans(
            self.example[mask],
            self.start[mask],
            self.end[mask],
            self.node[mask],
            self.children[mask],
            story,
        )

    def named(self, what: str) -> Spans:
        """Return the same spans, their story begun with what they are."""
        return replace(self, story=((what, len(self)),))


@dataclass(frozen=True, eq=False)
class Sites:
    """Sites as columns: one span in each side.

    Attributes
    ----------
    example : int32[S]
        The example of every site.
    start, end : int32[S, sides]
        The words of its spans.
    node : int64[S, sides]
        The nodes of its spans in the treebank of the side, or -1.
    span : int64[S, sides]
        Which of the spans that were combined.
    story : tuple of (str, int)
        How many were left at every step.
    """

    example: IntArray
    start: IntArray
    end: IntArray
    node: LongArray
    span: LongArray
    story: tuple[tuple[str, int], ...] = field(default=())

    def __len__(self) -> int:
        return len(self.example)

    def take(self, mask: BoolArray) -> Sites:
        """Return the sites of the mask, in order."""
        return Sites(
            self.example[mask],
            self.start[mask],
            self.end[mask],
            self.node[mask],
            self.span[mask],
            self.story,
        )


def tree_spans(treebank: Treebank) -> Spans:
    """Return the spans of all nodes but words, in preorder."""
    node, example, start, end, children = _tree_spans(treebank.size, treebank.offsets)
    return Spans(example, start, end, node, children).named("constituents")


@kernel()
def _tree_spans(size: IntArray, offsets: LongArray) -> Any:
    total = 0
    for node in range(len(size)):
        total += size[node] > 1
    nodes, children = np.empty(total, np.int64), np.zeros(total, np.int32)
    example = np.empty(total, np.int32)
    start, end = np.empty(total, np.int32), np.empty(total, np.int32)
    at = 0
    for i in range(len(offsets) - 1):
        first, word = at, 0
        for node in range(offsets[i], offsets[i + 1]):
            if size[node] == 1:
                word += 1
                continue
            nodes[at], example[at], start[at] = node, i, word
            child = node + 1
            while child < node + size[node]:
                children[at] += 1
                child += size[child]
            at += 1
        # words before the end of a subtree are those before the next node behind it
        word, open_from = 0, first
        behind = np.zeros(offsets[i + 1] - offsets[i] + 1, np.int32)
        for node in range(offsets[i], offsets[i + 1]):
            behind[node - offsets[i]] = word
            word += size[node] == 1
        behind[-1] = word
        for k in range(open_from, at):
            end[k] = behind[nodes[k] + size[nodes[k]] - offsets[i]]
    return nodes, example, start, end, children


def all_spans(lengths: LongArray, least: int, longest: LongArray) -> Spans:
    """Return all spans of ``least`` words up to ``longest[i]`` words of every example.

    Raises
    ------
    OptionError
        If there are too many.
    """
    longest = np.minimum(longest, lengths)
    # lengths m = least, ..., longest have l - m + 1 spans each
    kinds = np.maximum(longest - least + 1, 0)
    total = int((kinds * (lengths + 1) - kinds * (longest + least) // 2).sum())
    if total > _MOST_SPANS:
        raise OptionError(
            f"the texts have {total:,} spans, more than {_MOST_SPANS:,}",
            hint="set max_words, or use phrase=True",
        )
    example, start, end = _all_spans(lengths, least, longest, total)
    return _plain(example, start, end).named("spans")


@kernel()
def _all_spans(lengths: LongArray, least: int, longest: LongArray, total: int) -> Any:
    example, start, end = (
        np.empty(total, np.int32), np.empty(total, np.int32), np.empty(total, np.int32)
    )  # fmt: skip
    at = 0
    for i in range(len(lengths)):
        for first in range(lengths[i]):
            for last in range(first + least, min(first + longest[i], lengths[i]) + 1):
                example[at], start[at], end[at] = i, first, last
                at += 1
    return example[:at], start[:at], end[:at]


def balanced_spans(lengths: LongArray) -> Spans:
    """Return the spans of the nonterminals of balanced binary trees over the words.

    A span of n > 1 words is split into its first n // 2 words and the rest.

    References
    ----------
    Shi et al. 2021 (Sub2), section 4.2; after Shi et al. 2018.
    """
    rows = {int(n): _balanced(0, int(n)) for n in np.unique(lengths)}
    counts = np.array([len(rows[n]) for n in lengths.tolist()], np.int64)
    example = np.repeat(np.arange(len(lengths), dtype=np.int32), counts)
    places = [np.array(rows[n], np.int32).reshape(-1, 2) for n in lengths.tolist()]
    both = np.concatenate(places) if places else np.zeros((0, 2), np.int32)
    return _plain(example, both[:, 0].copy(), both[:, 1].copy()).named(
        "nodes of balanced binary trees"
    )


def _balanced(start: int, end: int) -> list[tuple[int, int]]:
    if end - start < 2:
        return []
    middle = start + (end - start) // 2
    return [(start, end), *_balanced(start, middle), *_balanced(middle, end)]


def dependency_spans(offsets: LongArray, heads: IntArray, *, projective: bool = False) -> Spans:
    """Return the dependency subtrees whose words lie side by side.

    Only such a subtree can be cut out without tearing another word's arc, and then the rest of
    the sentence need not be projective.

    Parameters
    ----------
    offsets, heads : int64[N + 1], int32[words]
        Heads of all sentences, numbered from 1; 0 is the root.
    projective : bool
        Take no subtree of a sentence in which any subtree is torn.
    """
    example, start, end = _dependency_spans(offsets, heads, projective)
    return _plain(example, start, end).named("dependency subtrees of adjacent words")


@kernel()
def _dependency_spans(offsets: LongArray, heads: IntArray, projective: bool) -> Any:
    example, start, end = (
        np.empty(len(heads), np.int32), np.empty(len(heads), np.int32),
        np.empty(len(heads), np.int32),
    )  # fmt: skip
    at = 0
    for i in range(len(offsets) - 1):
        begin, length = offsets[i], offsets[i + 1] - offsets[i]
        low, high, count = np.arange(length), np.arange(length), np.zeros(length, np.int64)
        for t in range(length):
            word = t
            while word >= 0:
                low[word], high[word] = min(low[word], t), max(high[word], t)
                count[word] += 1
                word = heads[begin + word] - 1
        if projective and (high - low + 1 != count).any():
            continue
        for t in range(length):
            if high[t] - low[t] + 1 == count[t]:
                example[at], start[at], end[at] = i, low[t], high[t] + 1
                at += 1
    return example[:at], start[:at], end[:at]


def unprotected(spans: Spans, offsets: LongArray, protected: BoolArray) -> BoolArray:
    """Return which spans hold no protected word; ``protected`` has all words of the side."""
    before = np.concatenate(([0], np.cumsum(protected)))
    begin = offsets[spans.example]
    return np.asarray(before[begin + spans.end] == before[begin + spans.start])


def uncut(spans: Spans, side: Side) -> Spans:
    """Return the spans that cut no labelled span of their text, and nothing that belongs together.

    The latter is what :func:`induction.corpus.text.units.units` says.
    """
    begin = side.offsets[spans.example]
    good = side.uncut(begin + spans.start, begin + spans.end)
    return spans if good.all() else spans.keep(good, UNCUT)


def sites_of(sides: Sequence[Spans]) -> Sites:
    """Combine the spans of the sides: every span of one with every span of the other.

    Raises
    ------
    NothingNewError
        If none are left; the message tells the story of the side that has none.
    OptionError
        If there are too many combinations.
    """
    for spans in sides:
        if not len(spans):
            raise no_material(spans.story)
    if len(sides) == 1:
        spans = sides[0]
        start, end, node = spans.start[:, None], spans.end[:, None], spans.node[:, None]
        return Sites(spans.example, start, end, node, np.arange(len(spans))[:, None], spans.story)
    return _pairs(*sides)


def _pairs(first: Spans, second: Spans) -> Sites:
    """Combine every span of one text with every span of the other text of its example."""
    size = int(max(first.example.max(), second.example.max())) + 1
    counts = np.bincount(second.example, minlength=size)
    begins = np.concatenate(([0], np.cumsum(counts)))
    width = counts[first.example]
    if int(width.sum()) > _MOST_PAIRS:
        raise OptionError(
            f"the pairs have {int(width.sum()):,} sites, more than {_MOST_PAIRS:,}",
            hint="narrow the band of length ratios",
        )
    one = np.repeat(np.arange(len(first)), width)
    within = np.arange(len(one)) - np.repeat(np.cumsum(width) - width, width)
    two = begins[first.example[one]] + within
    if not len(one):
        raise no_material((("pairs with a span in either text", 0),))
    return Sites(
        first.example[one],
        np.stack([first.start[one], second.start[two]], axis=1),
        np.stack([first.end[one], second.end[two]], axis=1),
        np.stack([first.node[one], second.node[two]], axis=1),
        np.stack([one, two], axis=1),
        (("pairs of spans", len(one)),),
    )


def ratio_bounds(
    lengths: LongArray, low: float, high: float, *, strict: bool = False
) -> tuple[LongArray, LongArray]:
    """Return the fewest and most words of a span whose ratio to the sentence is in [low, high].

    The bounds are taken as the decimals that they are written as, so 3 words of 10 are in
    [0.1, 0.3].

    >>> ratio_bounds(np.array([10]), 0.1, 0.3)
    (array([1]), array([3]))
    >>> ratio_bounds(np.array([10]), 0.1, 0.3, strict=True)
    (array([2]), array([2]))
    """
    least, most = Fraction(str(low)), Fraction(str(high))
    lengths = np.asarray(lengths, np.int64)
    known = np.unique(lengths)
    if strict:
        bounds = [(math.floor(least * n) + 1, math.ceil(most * n) - 1) for n in known.tolist()]
    else:
        bounds = [(math.ceil(least * n), math.floor(most * n)) for n in known.tolist()]
    table = np.array(bounds, np.int64).reshape(-1, 2)[np.searchsorted(known, lengths)]
    return table[:, 0], table[:, 1]


def _plain(example: IntArray, start: IntArray, end: IntArray) -> Spans:
    size = len(example)
    return Spans(example, start, end, np.full(size, -1, np.int64), np.zeros(size, np.int32))
