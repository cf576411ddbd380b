"""Labelled spans, seen by the words of their texts: the one place where they are carried.

The column ``spans`` says characters. Methods move words: so each word has a *mark*, 0 outside
spans, 2l + 1 where a span of label l begins, 2l + 2 inside it. New texts are made of words; the
marks of these words, and where they stand in the new text, are its spans (:func:`carried_spans`).
What may be put where is for methods to see to: a hole or filler begins and ends where no span is
cut (:meth:`Marks.uncut`), and the words of spans are never edited (:attr:`Marks.inside`).
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from grammar.arrays import BoolArray, Bytes, IntArray, LongArray, kernel
from grammar.errors import CorpusError
from induction.corpus.corpus import SPANS, Corpus
from induction.corpus.entities.schemes import is_scheme
from sampling.examples.splicing import as_lists

__all__ = [
    "Marks",
    "NewWords",
    "Places",
    "Stretches",
    "carried_spans",
    "places_in_pieces",
    "places_of_spans",
    "read_marks",
    "refuse_schemes",
    "refuse_spans",
    "widened",
]


Stretches = tuple[LongArray, LongArray]
"""Where stretches of bytes begin, and where they end."""


def refuse_spans(corpus: Corpus, method: str, why: str) -> None:
    """Refuse the column ``spans``, which a method cannot keep (CorpusError)."""
    if "spans" in corpus.names:
        raise CorpusError(
            f"{method} cannot keep the column 'spans': {why}",
            hint="use a method that keeps it (sub2, mention-replacement, eda and others: see "
            "docs/how-to/spans.md), or leave the column out",
        )


def refuse_schemes(corpus: Corpus, method: str) -> None:
    """Refuse tags that stand for spans, where words with them are moved, put in or left out.

    Raises
    ------
    CorpusError
        If all tags are of BIO or BILOU: ``O I-PER`` would be made of them.
    """
    if "tags" not in corpus.names:
        return
    tags = corpus.arrow("tags").combine_chunks().flatten()
    if is_scheme(pc.unique(tags).to_pylist()):
        raise CorpusError(
            f"{method} would tear the spans that 'tags' (such as B-PER I-PER) stand for",
            hint="make them the column 'spans', which it keeps whole: read the file as .conll, or "
            "use induction.with_spans(corpus)",
        )


@dataclass(frozen=True, eq=False)
class Places:
    """The labelled spans of texts as places in their bytes, in order.

    Attributes
    ----------
    offsets : int64[N + 1]
        Where the spans of each text begin.
    start, end : int64[spans]
        Places in the bytes of all texts.
    label : int32[spans]
        Numbers of ``names``.
    names : tuple of str
        The labels, in their order.
    """

    offsets: LongArray
    start: LongArray
    end: LongArray
    label: IntArray
    names: tuple[str, ...]


def places_of_spans(corpus: Corpus, text: Bytes, text_offsets: LongArray) -> Places:
    """Return the spans of a checked corpus (``check_spans``) as places in its bytes."""
    spans = corpus.arrow("spans").combine_chunks()
    sizes = pc.list_value_length(spans).to_numpy(zero_copy_only=False)
    rows = np.repeat(np.arange(len(sizes)), sizes)
    flat = spans.flatten()
    start, end = (
        pc.struct_field(flat, name).to_numpy(zero_copy_only=False).astype(np.int64)
        for name in ("start", "end")
    )
    order = np.lexsort((start, rows))
    coded = pc.struct_field(flat, "label").dictionary_encode()
    given: list[str] = coded.dictionary.to_pylist()
    names = sorted(given)
    number = np.array([names.index(name) for name in given], np.int32)
    label = number[coded.indices.to_numpy(zero_copy_only=False)] if given else number
    offsets = np.concatenate(([0], np.cumsum(sizes))).astype(np.int64)
    first, last = _bytes_of_characters(text, text_offsets, offsets, start[order], end[order])
    return Places(offsets, first, last, label[order], tuple(names))


@kernel()
def _bytes_of_characters(
    text: Bytes, text_offsets: LongArray, offsets: LongArray, start: LongArray, end: LongArray
) -> tuple[LongArray, LongArray]:
    """Return where characters of texts begin; those of a text are in order."""
    first, last = np.empty(len(start), np.int64), np.empty(len(start), np.int64)
    for i in range(len(offsets) - 1):
        at, stop, seen = text_offsets[i], text_offsets[i + 1], 0
        for k in range(offsets[i], offsets[i + 1]):
            for side in range(2):
                wanted = start[k] if side == 0 else end[k]
                while at < stop and seen < wanted:
                    at += 1
                    while at < stop and (text[at] & 0xC0) == 0x80:
                        at += 1
                    seen += 1
                if side == 0:
                    first[k] = at
                else:
                    last[k] = at
    return first, last


def widened(start: LongArray, end: LongArray, raw: Stretches, places: Stretches) -> Stretches:
    """Return words with the signs that touch them, where a stretch says that these are its own.

    Parameters
    ----------
    start, end : int64[words]
        Words without the punctuation that touches them.
    raw : (int64[words], int64[words])
        The same words with it.
    places : (int64[n], int64[n])
        Where labelled spans or units begin and end; the full stop of U.S. is part of it, if one
        ends there.
    """
    start, end = start.copy(), end.copy()
    first = np.searchsorted(raw[1], places[0], side="right")
    last = np.searchsorted(raw[0], places[1], side="left") - 1
    np.minimum.at(start, first, np.maximum(raw[0][first], places[0]))
    np.maximum.at(end, last, np.minimum(raw[1][last], places[1]))
    return start, end


@dataclass(frozen=True, eq=False)
class Marks:
    """The labelled spans of texts by words.

    Attributes
    ----------
    mark : int32[words]
        0 outside spans, 2l + 1 where one of label l begins, 2l + 2 inside it.
    lead, trail : int32[words]
        Bytes of the first word of a span before it, and of its last word behind it.
    names : tuple of str
        The labels.
    """

    mark: IntArray
    lead: IntArray
    trail: IntArray
    names: tuple[str, ...]

    @property
    def goes_on(self) -> BoolArray:
        """bool[words]: which words are of the span of the word before them."""
        return np.asarray((self.mark > 0) & (self.mark % 2 == 0))

    @property
    def inside(self) -> BoolArray:
        """bool[words]: which words are of a span."""
        return np.asarray(self.mark > 0)

    def uncut(self, first: LongArray, stop: LongArray) -> BoolArray:
        """Return which stretches of words cut no span.

        Parameters
        ----------
        first, stop : int64[n]
            The first word of each, and the word behind its last, among all words.
        """
        goes_on = np.append(self.goes_on, False)
        return np.asarray(~goes_on[first] & ~goes_on[stop])


def read_marks(
    corpus: Corpus, text: Bytes, words: tuple[LongArray, LongArray, LongArray], places: Places
) -> Marks:
    """Return the marks of words.

    Parameters
    ----------
    corpus : Corpus
        For messages.
    text : uint8[]
        The bytes of its texts.
    words : (int64[N + 1], int64[words], int64[words])
        Where the words of each text begin; where each word begins, and ends.
    places : Places
        The spans.

    Raises
    ------
    CorpusError
        If a span begins or ends between words, or between two letters of a word, or two spans share
        a word.
    """
    mark, lead, trail = (np.zeros(len(words[1]), np.int32) for _ in range(3))
    bounds, first, last = places.offsets, places.start, places.end
    bad = int(_mark_words(*words, bounds, first, last, places.label, mark, lead, trail))
    if bad < 0:
        bad = _cut_letters(text, words[1:], places, (lead, trail))
    if bad >= 0:
        row = int(np.searchsorted(places.offsets, bad, side="right")) - 1
        held = text[places.start[bad] : places.end[bad]].tobytes().decode()
        raise CorpusError(
            f"the span {held!r} does not begin and end with words of its own",
            where=corpus.where(row),
            hint="move its ends to those of words, or add a column 'tokens' in which it is whole",
        )
    return Marks(mark, lead, trail, places.names)


@kernel()
def _mark_words(
    offsets: LongArray, start: LongArray, end: LongArray, bounds: LongArray, first: LongArray,
    last: LongArray, label: IntArray, mark: IntArray, lead: IntArray, trail: IntArray,
) -> int:  # fmt: skip
    """Mark the words of spans; return the first span that has not its own words, or -1."""
    for i in range(len(offsets) - 1):
        w = offsets[i]
        for k in range(bounds[i], bounds[i + 1]):
            while w < offsets[i + 1] and end[w] <= first[k]:
                w += 1
            if w == offsets[i + 1] or start[w] > first[k] or mark[w] != 0:
                return k
            lead[w] = first[k] - start[w]
            begun = w
            while w < offsets[i + 1] and start[w] < last[k]:
                mark[w] = 2 * label[k] + 1 + (w > begun)
                w += 1
            w -= 1
            if end[w] < last[k]:
                return k
            trail[w] = end[w] - last[k]
    return -1


def _cut_letters(
    text: Bytes, words: tuple[LongArray, LongArray], places: Places, cuts: tuple[Any, Any]
) -> int:
    """Return the first span that begins or ends between two letters of a word, or -1."""
    (start, end), (lead, trail) = words, cuts
    for w in np.flatnonzero((lead > 0) | (trail > 0)).tolist():
        a, b = int(start[w] + lead[w]), int(end[w] - trail[w])
        pieces = [text[x:y].tobytes().decode() for x, y in ((start[w], a), (a, b), (b, end[w]))]
        pairs = itertools.pairwise(pieces)
        if any((one[-1:] + other[:1]).isalnum() for one, other in pairs if one and other):
            return int(np.searchsorted(places.end, b))
    return -1


class NewWords(NamedTuple):
    """The words of new texts: those of text r are ``offsets[r]`` to ``offsets[r + 1] - 1``.

    ``word`` is the word of the corpus that stands there, or -1; ``start`` and ``end`` are places in
    the bytes of the new text.
    """

    offsets: LongArray
    word: LongArray
    start: LongArray
    end: LongArray


def carried_spans(
    marks: Marks, new: NewWords, texts: tuple[Bytes, LongArray], labelled: LongArray | None = None
) -> pa.ListArray:
    """Return the column ``spans`` of new texts.

    Parameters
    ----------
    marks : Marks
        Of the words of the corpus.
    new : NewWords
        Of what the new texts are made.
    texts : (uint8[], int64[n + 1])
        Their bytes, and where each begins.
    labelled : int64[], optional
        The words of the corpus whose marks the new words have, where that is not their own.

    Raises
    ------
    CorpusError
        If a span would not be whole, which is a fault of the method.

    Examples
    --------
    >>> corpus = Corpus.from_columns(
    ...     text=["Ann in Rome"], spans=[[{"start": 7, "end": 11, "label": "LOC"}]])
    >>> from sampling.examples.text_columns import read_side
    >>> side = read_side(corpus)
    >>> new = NewWords(*map(np.array, ([0, 2], [2, 0], [0, 5], [4, 8])))
    >>> text = np.frombuffer(b"Rome Ann", np.uint8)
    >>> carried_spans(side.marks, new, (text, np.array([0, 8]))).to_pylist()
    [[{'start': 0, 'end': 4, 'label': 'LOC'}]]
    """
    word = new.word if labelled is None else labelled
    there = np.maximum(word, 0)
    mark = np.where(word >= 0, marks.mark[there], 0)
    lead, trail = (
        np.where(new.word >= 0, cut[np.maximum(new.word, 0)], 0)
        for cut in (marks.lead, marks.trail)
    )
    places = new.start + lead, new.end - trail
    bounds, first, last, label = _spans_of_marks(*texts, new.offsets, mark, *places)
    if len(first) and first[-1] < 0:
        raise CorpusError(
            "a span of a new example is not whole",
            hint="this is a fault of the program; please report it with the seed",
        )
    names = pa.array(marks.names, pa.string()).take(pa.array(label))
    kind = SPANS.value_type
    return as_lists(pa.StructArray.from_arrays([first, last, names], fields=list(kind)), bounds)


@kernel()
def _spans_of_marks(
    text: Bytes, text_offsets: LongArray, offsets: LongArray, mark: IntArray, start: LongArray,
    end: LongArray,
) -> Any:  # fmt: skip
    """Return the spans that marks stand for, in characters; the last begins at -1 if one is torn.

    An inner mark without one of its label before it is what is left of a torn span.
    """
    total = np.sum(mark % 2 == 1)
    bounds = np.zeros(len(offsets), np.int64)
    first, last = np.empty(total, np.int32), np.empty(total, np.int32)
    label = np.empty(total, np.int32)
    made = 0
    for r in range(len(offsets) - 1):
        at, seen, before = text_offsets[r], 0, 0
        for w in range(offsets[r], offsets[r + 1]):
            if mark[w] > 0 and mark[w] % 2 == 0 and before != mark[w] and before != mark[w] - 1:
                return bounds, np.full(1, -1, np.int32), last[:1], label[:1]
            if mark[w] > 0:
                stop = text_offsets[r] + start[w]
                if mark[w] % 2 == 1:
                    seen += _characters(text, at, stop)
                    at = stop
                    first[made], label[made] = seen, (mark[w] - 1) // 2
                    made += 1
                stop = text_offsets[r] + end[w]
                seen += _characters(text, at, stop)
                at = stop
                last[made - 1] = seen
            before = mark[w]
        bounds[r + 1] = made
    return bounds, first, last, label


@kernel(inline="always")
def _characters(text: Bytes, first: int, stop: int) -> int:
    found = 0
    for at in range(first, stop):
        found += (text[at] & 0xC0) != 0x80
    return found


@kernel()
def places_in_pieces(
    pieces: Any, offsets: LongArray, first: LongArray, last: LongArray
) -> tuple[LongArray, LongArray]:
    """Return where words stand in texts that are made of pieces.

    Parameters
    ----------
    pieces : (int64[n + 1], int64[], int64[])
        Where the pieces of each text begin; where each piece begins in what texts are made of, and
        ends.
    offsets : int64[n + 1]
        Where the words of each text begin.
    first, last : int64[words]
        Where each word begins in what texts are made of, and ends; equal for words without a place.
    """
    bounds, starts, stops = pieces
    start, end = np.empty(len(first), np.int64), np.empty(len(first), np.int64)
    for r in range(len(offsets) - 1):
        k, before, cursor = bounds[r], 0, 0
        for w in range(offsets[r], offsets[r + 1]):
            at, piece, base = -1, k, before
            while first[w] < last[w] and piece < bounds[r + 1]:
                place = base + first[w] - starts[piece]
                if starts[piece] <= first[w] and last[w] <= stops[piece] and place >= cursor:
                    at = place
                    break
                base += stops[piece] - starts[piece]
                piece += 1
            if at >= 0:
                k, before = piece, base
                cursor = at + last[w] - first[w]
            start[w], end[w] = (at if at >= 0 else cursor), cursor
    return start, end
