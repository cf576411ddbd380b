"""Texts whose words are edited: replaced, inserted, deleted or moved, and nothing else touched.

An edited text is a row of *slots*. A slot says which word of its text stands there (or none, if a
word was inserted), what is written in its place, and which gap stands before it: the white space
between two words of the text, by the number of the second. Kernels of methods fill in slots;
:func:`write_slots` turns them into bytes.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from grammar.arrays import BoolArray, Bytes, FloatArray, IntArray, LongArray, kernel
from induction.corpus.corpus import Corpus
from sampling.examples.entities import places_in_pieces
from sampling.examples.examples import read_examples
from sampling.examples.protection import protected_words
from sampling.examples.text_columns import Side, cores_of
from sampling.words.pools import Pools

__all__ = [
    "Slots",
    "TokenTexts",
    "Words",
    "flat_slots",
    "keep_words",
    "read_texts",
    "read_words",
    "room_for",
    "slot_places",
    "write_slots",
]


class Words(NamedTuple):
    """The words of all texts, for kernels.

    The words of text i are ``offsets[i]`` to ``offsets[i + 1] - 1``. Word w is
    ``text[start[w]:end[w]]``; what can be replaced of it lies ``lead[w]`` bytes behind its start
    and ``trail[w]`` before its end (a raw word may carry punctuation). ``free`` are words that may
    be edited; ``kind`` is equal for words that are written alike, without that punctuation.
    ``unspaced`` texts are written without spaces between words, so none is put between those that
    come to stand side by side.
    """

    text: Bytes
    text_offsets: LongArray
    offsets: LongArray
    start: LongArray
    end: LongArray
    lead: IntArray
    trail: IntArray
    kind: IntArray
    free: BoolArray
    unspaced: BoolArray


class Slots(NamedTuple):
    """Edited texts: row r is slots ``at[r]`` to ``at[r] + size[r] - 1``.

    ``gap`` is the number of the word whose gap stands before the slot, -1 for one space, or -2 for
    nothing; ``word`` the number of the word that stands there, or -1 if it was inserted; ``entry``
    the entry of a pool that is written there, or -1 if the word is written as in its text.
    ``log_probability`` is that of the choices made for the row, given its text. ``nodes`` are those
    of trees in a new order. Where words of other texts are put in, ``rule`` is the entry of a pool
    that they stand for at the first of them, -2 at the others, and -1 elsewhere; both are empty
    for methods that have no use for them.
    """

    at: LongArray
    size: LongArray
    gap: LongArray
    word: LongArray
    entry: LongArray
    log_probability: FloatArray
    nodes: LongArray
    rule: LongArray


@dataclass(frozen=True, eq=False)
class TokenTexts:
    """The checked texts of a corpus as a method of this core reads them.

    Attributes
    ----------
    corpus : Corpus
        The columns that examples keep.
    side : Side
        The column ``text``.
    words : Words
        Its words for kernels.
    kinds : list of str
        How each kind of word is written.
    protected : bool[words]
        Words that nothing may edit. Those of labelled spans, and of units of several words, are not
        free either, but methods for spans edit them.
    """

    corpus: Corpus
    side: Side
    words: Words
    kinds: list[str]
    protected: BoolArray

    @property
    def single_words(self) -> bool:
        """Whether only single words can be put in: columns of words must stay aligned."""
        return bool({"tokens", "tags", "heads", "tree"} & set(self.corpus.names))

    def free_words(self, good: BoolArray | None = None) -> LongArray:
        """Return how many words of each text may be edited (and are good)."""
        free = self.words.free if good is None else self.words.free & good
        owner = np.repeat(np.arange(len(self.side)), self.side.lengths)
        return np.bincount(owner[free], minlength=len(self.side))


def read_words(side: Side, protected: BoolArray, *, raw: bool) -> tuple[Words, list[str]]:
    """Return the words of a side for kernels, and how each kind of word is written.

    With ``raw``, words are what stands between white space, and the punctuation around them is
    not theirs to replace; tokens and words of trees are taken whole.
    """
    (start, end), kinds, forms = (side.start, side.end), side.codes, side.forms.to_pylist()
    if raw:
        (start, end), kinds, forms = cores_of(side)
    return Words(
        side.text,
        side.text_offsets,
        side.offsets,
        side.start,
        side.end,
        (start - side.start).astype(np.int32),
        (side.end - end).astype(np.int32),
        kinds,
        ~protected,
        side.unspaced,
    ), forms


def read_texts(corpus: Corpus, protect: str | None, *, cores: bool = False) -> TokenTexts:
    """Check a corpus and find the words of its texts.

    With ``cores``, punctuation that touches a word of a raw text is not part of it: it stays where
    it is when the word moves or goes.

    Raises
    ------
    CorpusError
        If it is empty, a text is empty, or a label or column of words is not valid.
    OptionError
        If ``protect`` is not a regular expression.
    """
    examples = read_examples(corpus, cores=cores)
    side = examples.sides[0]
    mask = protected_words(corpus, side, protect)
    fixed = mask | side.held if side.marks is None else mask | side.held | side.marks.inside
    raw = "tokens" not in corpus.names and side.treebank is None
    words, kinds = read_words(side, fixed, raw=raw)
    return TokenTexts(examples.corpus, side, words, kinds, mask)


def room_for(words: Words, hosts: LongArray, extra: LongArray) -> Slots:
    """Return slots with room for the words of every host and so many more."""
    room = words.offsets[hosts + 1] - words.offsets[hosts] + extra
    at = np.concatenate(([0], np.cumsum(room)))
    total = int(at[-1])
    return Slots(
        at[:-1],
        np.zeros(len(hosts), np.int64),
        np.empty(total, np.int64),
        np.empty(total, np.int64),
        np.empty(total, np.int64),
        np.zeros(len(hosts)),
        np.zeros(0, np.int64),
        np.zeros(0, np.int64),
    )


@kernel(inline="always")
def keep_words(words: Words, host: int, slots: Slots, row: int) -> int:
    """Fill a row with the text as it is; return how many words it has."""
    begin = words.offsets[host]
    count = words.offsets[host + 1] - begin
    at = slots.at[row]
    for j in range(count):
        slots.gap[at + j] = begin + j
        slots.word[at + j] = begin + j
        slots.entry[at + j] = -1
    slots.size[row] = count
    slots.log_probability[row] = 0.0
    return count


def write_slots(
    words: Words, pools: Pools, slots: Slots, hosts: LongArray
) -> tuple[Bytes, LongArray]:
    """Write edited texts: UTF-8 bytes of all rows, and where each begins (one more than rows)."""
    source = np.concatenate((words.text, pools.data, np.array([32], np.uint8)))
    starts, stops, pieces, offsets = _pieces(source, words, pools, slots, hosts)
    return _joined(source, starts, stops, pieces, offsets), offsets


def slot_places(
    words: Words, pools: Pools, slots: Slots, hosts: LongArray
) -> tuple[LongArray, LongArray, LongArray, LongArray]:
    """Return where the words of edited texts stand in their bytes.

    Returns
    -------
    offsets, word, start, end
        As :class:`sampling.examples.entities.NewWords` has them.
    """
    source = np.concatenate((words.text, pools.data, np.array([32], np.uint8)))
    starts, stops, pieces, _ = _pieces(source, words, pools, slots, hosts)
    used, offsets = flat_slots(slots)
    word, entry = slots.word[used], slots.entry[used]
    first, last = words.start[np.maximum(word, 0)], words.end[np.maximum(word, 0)]
    put = entry >= 0
    form = pools.form[entry[put]]
    first[put] = len(words.text) + pools.bounds[form]
    last[put] = len(words.text) + pools.bounds[form + 1]
    return offsets, word, *places_in_pieces((pieces, starts, stops), offsets, first, last)


@kernel()
def _pieces(source: Bytes, words: Words, pools: Pools, slots: Slots, hosts: LongArray) -> Any:
    """Return the pieces that rows are made of: places in the texts, the vocabulary and a space.

    Pieces that follow each other in their source are joined, so unchanged stretches are one. An
    empty gap (tokens may touch) stays only between the two words that it was between, and not if
    letters of both would come to touch that did not (*bird)* with a word for the bracket).
    """
    # names of its own for each array: taking them out of tuples in the loop made it slower
    begin, end, lead, trail = words.start, words.end, words.lead, words.trail
    gaps, word, entry, form, bounds = slots.gap, slots.word, slots.entry, pools.form, pools.bounds
    vocabulary = len(words.text)
    space = vocabulary + len(pools.data)
    room = 4 * slots.size.sum() + 2 * len(hosts)
    starts, stops = np.empty(room, np.int64), np.empty(room, np.int64)
    pieces, offsets = np.zeros(len(hosts) + 1, np.int64), np.zeros(len(hosts) + 1, np.int64)
    made = 0
    for r in range(len(hosts)):
        host, at = hosts[r], slots.at[r]
        between = 0 if words.unspaced[host] else 1
        first, last = words.offsets[host], words.offsets[host + 1] - 1
        made = _add(starts, stops, pieces[r], made, words.text_offsets[host], begin[first])
        for s in range(at, at + slots.size[r]):
            w, e, g = word[s], entry[s], gaps[s]
            if s > at:
                a, b = space, space + between
                if g >= 0 and begin[g] > end[g - 1]:
                    a, b = end[g - 1], begin[g]
                elif g >= 0 and w == g and word[s - 1] == g - 1:
                    left, right = end[g - 1] - 1, begin[g]
                    touched = _letter(source[left]) and _letter(source[right])
                    p = entry[s - 1]
                    if p >= 0 and trail[g - 1] == 0:
                        left = vocabulary + bounds[form[p] + 1] - 1
                    if e >= 0 and lead[g] == 0:
                        right = vocabulary + bounds[form[e]]
                    if touched or not (_letter(source[left]) and _letter(source[right])):
                        a, b = 0, 0
                elif g == -2:
                    a, b = 0, 0
                made = _add(starts, stops, pieces[r], made, a, b)
            if e < 0:
                made = _add(starts, stops, pieces[r], made, begin[w], end[w])
                continue
            a, b = vocabulary + bounds[form[e]], vocabulary + bounds[form[e] + 1]
            if w >= 0:
                made = _add(starts, stops, pieces[r], made, begin[w], begin[w] + lead[w])
            made = _add(starts, stops, pieces[r], made, a, b)
            if w >= 0:
                made = _add(starts, stops, pieces[r], made, end[w] - trail[w], end[w])
        made = _add(starts, stops, pieces[r], made, end[last], words.text_offsets[host + 1])
        size = 0
        for k in range(pieces[r], made):
            size += stops[k] - starts[k]
        pieces[r + 1], offsets[r + 1] = made, offsets[r] + size
    return starts[:made], stops[:made], pieces, offsets


@kernel(inline="always")
def _letter(byte: int) -> bool:
    """Return whether a byte is of an ASCII letter or digit, or of any character beyond ASCII."""
    return byte >= 128 or 48 <= byte <= 57 or 65 <= byte <= 90 or 97 <= byte <= 122


@kernel(inline="always")
def _add(starts: LongArray, stops: LongArray, row: int, made: int, a: int, b: int) -> int:
    """Add a piece to those of a row (the pieces from ``row`` on); return how many there are."""
    if a == b:
        return made
    if made > row and stops[made - 1] == a:
        stops[made - 1] = b
        return made
    starts[made], stops[made] = a, b
    return made + 1


@kernel()
def _joined(
    source: Bytes, starts: LongArray, stops: LongArray, pieces: LongArray, offsets: LongArray
) -> Bytes:
    data = np.empty(offsets[-1], np.uint8)
    for r in range(len(offsets) - 1):
        at = offsets[r]
        for k in range(pieces[r], pieces[r + 1]):
            a, size = starts[k], stops[k] - starts[k]
            for j in range(size):
                data[at + j] = source[a + j]
            at += size
    return data


def flat_slots(slots: Slots) -> tuple[LongArray, LongArray]:
    """Return the numbers of all slots in use, row after row, and where each row begins."""
    offsets = np.concatenate(([0], np.cumsum(slots.size)))
    shift = np.repeat(slots.at - offsets[:-1], slots.size)
    return np.arange(offsets[-1]) + shift, offsets
