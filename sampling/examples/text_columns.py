"""The texts of a corpus as bytes, the places of their words, and their trees.

A *side* is one sentence column of a corpus: ``text``, ``text_pair`` or ``target``. Its words are
the tokens, or the words of the tree, or what stands between white space; each lies at a place in
the text, so that a span of words can be exchanged and every other character stays as it is.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from grammar.arrays import BoolArray, Bytes, IntArray, LongArray, kernel, pack_strings, text_bytes
from grammar.errors import CorpusError, OptionError
from grammar.expressions.positions import Automaton, UnreadableError
from grammar.expressions.searching import MOST_STEPS, Search
from grammar.trees.treebank import Treebank
from induction.corpus.corpus import Corpus
from induction.corpus.text.markup import without_markup, without_markup_bytes
from induction.corpus.text.tokens import is_blank
from induction.corpus.text.units import MAY_HOLD_UNITS, units
from induction.corpus.text.unspaced import are_unspaced
from induction.corpus.tree_files import trees_of_corpus
from sampling.examples.entities import (
    Marks,
    Places,
    Stretches,
    places_of_spans,
    read_marks,
    widened,
)
from sampling.examples.splicing import as_lists, as_strings, join_pieces

__all__ = [
    "Side",
    "are_tokenised",
    "cores_of",
    "place_words",
    "protected_words",
    "read_side",
]

_FIRST_LETTER, _LAST_LETTER = re.compile(r"\w"), re.compile(r"\w(?=\W*+\Z)")
_TREES = {"text": "tree", "text_pair": "tree_pair"}
# how treebanks write signs that texts have otherwise
_SURFACES = {
    "-LRB-": ("(",),
    "-RRB-": (")",),
    "-LSB-": ("[",),
    "-RSB-": ("]",),
    "-LCB-": ("{",),
    "-RCB-": ("}",),
    "``": ('"', "“", "''", "„", "«"),
    "''": ('"', "”", "“", "»"),
    "`": ("'", "‘"),
    "'": ("’",),
    "...": ("…",),
    "--": ("–", "—"),
}


# white space as str.isspace knows it: bytes, and longer codes as numbers
_IS_SPACE = np.array([byte < 128 and chr(byte).isspace() for byte in range(256)])
_WIDE_SPACES = np.array(
    [int.from_bytes(chr(c).encode(), "big") for c in range(128, 0x3001) if chr(c).isspace()]
)


@dataclass(frozen=True, eq=False)
class Side:
    """One sentence column of a corpus, as columns.

    Attributes
    ----------
    name : str
        The column.
    text, text_offsets : uint8[], int64[N + 1]
        UTF-8 bytes of all texts, and where each begins.
    offsets : int64[N + 1]
        Where the words of each example begin.
    start, end : int64[words]
        Word w is ``text[start[w]:end[w]]``.
    codes, forms : int32[words], Arrow strings
        Word w is written ``forms[codes[w]]`` in the tokens or the tree.
    treebank : Treebank or None
        The trees of the column, if the corpus has them.
    marks : Marks or None
        The labelled spans of ``text``, if the corpus has them.
    units : (int64[units], int64[units])
        Where the bytes of a unit begin and end: what belongs together
        (:func:`induction.corpus.text.units.units`).
    """

    name: str
    text: Bytes
    text_offsets: LongArray
    offsets: LongArray
    start: LongArray
    end: LongArray
    codes: IntArray
    forms: pa.Array
    treebank: Treebank | None
    marks: Marks | None
    units: Stretches

    def __len__(self) -> int:
        return len(self.offsets) - 1

    @property
    def lengths(self) -> LongArray:
        """int64[N]: words of every example."""
        return np.diff(self.offsets)

    @property
    def places(self) -> tuple[LongArray, LongArray, LongArray]:
        """int64[N + 1], int64[words], int64[words]: where words are."""
        return self.offsets, self.start, self.end

    @cached_property
    def unspaced(self) -> BoolArray:
        """bool[N]: which texts are written without spaces between words."""
        return are_unspaced(as_strings(self.text, self.text_offsets))

    @cached_property
    def joined(self) -> BoolArray:
        """bool[words]: which words are of the unit of the word before them."""
        found = np.zeros(len(self.start), np.bool_)
        first = np.searchsorted(self.end, self.units[0], side="right")
        stop = np.searchsorted(self.start, self.units[1], side="left")
        for a, b in zip(first.tolist(), stop.tolist(), strict=True):
            found[a + 1 : b] = True
        return found

    @cached_property
    def held(self) -> BoolArray:
        """bool[words]: which words are of a unit of several words, which nothing may part."""
        return np.asarray(self.joined | np.append(self.joined[1:], False)[: len(self.joined)])

    @property
    def begun_by_unit(self) -> BoolArray:
        """bool[words]: which words begin with a character of a unit, as #tag, or are inside one."""
        begin, stop = self.units
        if not len(begin):
            return np.zeros(len(self.start), np.bool_)
        last = np.searchsorted(begin, self.start, side="right") - 1
        return np.asarray((last >= 0) & (stop[last] > self.start))

    def uncut(self, first: LongArray, stop: LongArray) -> BoolArray:
        """Return which stretches of words cut no unit and no labelled span.

        Parameters
        ----------
        first, stop : int64[n]
            The first word of each, and the word behind its last, among all words.
        """
        goes_on = np.append(self.joined, False)
        good = np.asarray(~goes_on[first] & ~goes_on[stop])
        return good if self.marks is None else good & self.marks.uncut(first, stop)


def read_side(
    corpus: Corpus,
    name: str = "text",
    *,
    tokenised: bool = False,
    ascii_spaces: bool = False,
    cores: bool = False,
) -> Side:
    """Find the words of a text column in its texts.

    Parameters
    ----------
    corpus : Corpus
        A checked corpus (:func:`sampling.examples.labels.check_corpus`).
    name : str
        ``text``, ``text_pair`` or ``target``.
    tokenised : bool
        Make the texts again: the words with single spaces between them.
    ascii_spaces : bool
        Where neither tokens nor a tree say what the words are: white space beyond ASCII, such as
        the space that does not break, is part of a word.
    cores : bool
        Where neither tokens nor a tree say what the words are, and the texts are not tokenised
        (:func:`are_tokenised`): punctuation that touches a word is not part of it.

    Raises
    ------
    CorpusError
        If there is not one tree an example, a word is not found in its text, or a labelled span is
        not of whole words.
    """
    if name != "text" or "spans" not in corpus.names:
        return _read_words(corpus, name, tokenised, ascii_spaces, cores, None)
    text, text_offsets = text_bytes(corpus.arrow("text").combine_chunks())
    spans = places_of_spans(corpus, text, text_offsets)
    side = _read_words(corpus, name, tokenised, ascii_spaces, cores, spans)
    return replace(side, marks=read_marks(corpus, side.text, side.places, spans))


def _read_words(
    corpus: Corpus, name: str, tokenised: bool, ascii_spaces: bool, cores: bool,
    spans: Places | None,
) -> Side:  # fmt: skip
    trees = _TREES.get(name)
    treebank = trees_of_corpus(corpus, trees) if trees in corpus.names else None
    texts = corpus.arrow(name).combine_chunks()
    if name == "text" and "tokens" in corpus.names:
        words = _plain_lists(corpus.arrow("tokens").combine_chunks())
    elif treebank is not None:
        words = _leaves(treebank)
    else:
        side = _between_spaces(name, texts, wide=not ascii_spaces)
        if tokenised:
            lists = as_lists(side.forms.take(pa.array(side.codes)), side.offsets)
            texts = pc.binary_join(lists, " ")
            side = _between_spaces(name, texts, wide=not ascii_spaces)
        return _without_punctuation(side, spans) if cores and not are_tokenised(texts) else side
    offsets = words.offsets.to_numpy(zero_copy_only=False).astype(np.int64)
    coded = words.values.dictionary_encode()
    codes = coded.indices.to_numpy(zero_copy_only=False).astype(np.int32)
    if tokenised:
        texts = pc.binary_join(words, " ")
    text, text_offsets = text_bytes(texts)
    start, end = np.zeros(len(codes), np.int64), np.zeros(len(codes), np.int64)
    together = _units_of(texts, text_offsets)
    forms = coded.dictionary
    side = Side(
        name, text, text_offsets, offsets, start, end, codes, forms, treebank, None, together
    )
    _find_places(corpus, side)
    return side


def _between_spaces(name: str, texts: pa.Array, *, wide: bool) -> Side:
    """Return texts whose words are what stands between white space."""
    text, text_offsets = text_bytes(texts)
    plain = np.frombuffer(bytearray(without_markup_bytes(text.tobytes())), np.uint8)
    start, end, offsets = words_of(plain, text_offsets, wide)
    data, bounds = join_pieces(text, start[:, None], end[:, None])
    buffers = [None, pa.py_buffer(bounds), pa.py_buffer(data)]
    words = pa.LargeStringArray.from_buffers(len(start), buffers[1], buffers[2])
    coded = words.cast(pa.string()).dictionary_encode()
    codes = coded.indices.to_numpy(zero_copy_only=False).astype(np.int32)
    together = _units_of(texts, text_offsets)
    forms = coded.dictionary
    return Side(name, text, text_offsets, offsets, start, end, codes, forms, None, None, together)


def _units_of(texts: pa.Array, text_offsets: LongArray) -> Stretches:
    """Return where the units of all texts are in their bytes."""
    starts, ends = [], []
    likely = pc.match_substring_regex(texts, MAY_HOLD_UNITS).to_numpy(zero_copy_only=False)
    for i in np.flatnonzero(likely).tolist():
        text = texts[i].as_py()
        at, seen = int(text_offsets[i]), 0
        for start, end in units(text):
            at += _size(text[seen:start])
            starts.append(at)
            at += _size(text[start:end])
            ends.append(at)
            seen = end
    return np.array(starts, np.int64), np.array(ends, np.int64)


def are_tokenised(texts: pa.Array) -> bool:
    """Say whether texts are written as tokens: commas and full stops apart from their words.

    Most of the marks that end a word or stand alone decide. Texts without any count as tokenised.

    >>> are_tokenised(pa.array(["It 's good , really .", "No."]))
    True
    >>> are_tokenised(pa.array(["It's good, really.", "No ..."]))
    False
    """
    apart = pc.sum(pc.count_substring_regex(texts, r"\s[,.;:!?](?:\s|$)")).as_py() or 0
    attached = pc.sum(pc.count_substring_regex(texts, r"\w[,.;:!?](?:\s|$)")).as_py() or 0
    return bool(apart >= attached)


def _core_of(form: str) -> tuple[int, int]:
    """Return how many bytes the punctuation around a word takes on each side.

    A word of nothing but punctuation has none around it.
    """
    first, last = _FIRST_LETTER.search(form), _LAST_LETTER.search(form)
    if first is None or last is None:
        return 0, 0
    return _size(form[: first.start()]), _size(form[last.end() :])


def cores_of(side: Side, spans: Places | None = None) -> tuple[Stretches, IntArray, list[str]]:
    """Return words without the punctuation that touches them, but for what belongs to them.

    Signs belong to a word if a unit says so, as in *#tag* and *50%*, or a labelled span does.

    Parameters
    ----------
    side : Side
        The words of texts.
    spans : Places, optional
        What labelled spans begin or end with stays.

    Returns
    -------
    (start, end), codes, forms
        Where words begin and end, and how they are written: word w as ``forms[codes[w]]``.

    Examples
    --------
    >>> from induction.corpus.corpus import Corpus
    >>> side = read_side(Corpus.from_columns(text=["(good, isn't it?) ... 50%! (#so"]))
    >>> cores_of(side)[2]
    ['good', "isn't", 'it', '...', '50%', '#so']
    """
    forms: list[str] = side.forms.to_pylist()
    around = [_core_of(form) for form in forms]
    lead, trail = (np.array([row[k] for row in around], np.int64)[side.codes] for k in (0, 1))
    start, end = side.start + lead, side.end - trail
    wide = widened(start, end, (side.start, side.end), _reaching(side, start, end))
    if spans is not None:
        wide = widened(*wide, (side.start, side.end), (spans.start, spans.end))
    numbers: dict[str, int] = {}
    core = [
        numbers.setdefault(form.encode()[a : _size(form) - b].decode(), len(numbers))
        for form, (a, b) in zip(forms, around, strict=True)
    ]
    codes = np.array(core, np.int32)[side.codes]
    for w in np.flatnonzero((wide[0] < start) | (wide[1] > end)).tolist():
        form = side.text[wide[0][w] : wide[1][w]].tobytes().decode()
        codes[w] = numbers.setdefault(form, len(numbers))
    used, dense = np.unique(codes, return_inverse=True)
    names = list(numbers)
    return wide, dense.ravel().astype(np.int32), [names[k] for k in used.tolist()]


def _reaching(side: Side, start: LongArray, end: LongArray) -> Stretches:
    """Return the units that reach into words without the punctuation that touches them."""
    begin, stop = side.units
    first = np.searchsorted(side.end, begin, side="right")
    last = np.searchsorted(side.start, stop, side="left") - 1
    good = (stop > start[first]) & (begin < end[last])
    return begin[good], stop[good]


def _without_punctuation(side: Side, spans: Places | None) -> Side:
    """Return a side whose words are without the punctuation that touches them."""
    (start, end), codes, forms = cores_of(side, spans)
    return replace(side, start=start, end=end, codes=codes, forms=pa.array(forms, pa.string()))


def _plain_lists(lists: pa.ListArray) -> pa.ListArray:
    """Return lists that begin at the beginning of their values, which a slice's need not."""
    lengths = pc.list_value_length(lists).to_numpy(zero_copy_only=False)
    return as_lists(lists.flatten(), np.concatenate(([0], np.cumsum(lengths))))


def _leaves(treebank: Treebank) -> pa.ListArray:
    forms = pa.array(list(treebank.symbols), pa.string())
    leaves = forms.take(pa.array(treebank.label[treebank.is_word]))
    return as_lists(leaves, np.concatenate(([0], np.cumsum(treebank.lengths))))


def _find_places(corpus: Corpus, side: Side) -> None:
    """Find every word of a side in its text; only white space may lie between words."""
    names, bounds = pack_strings(side.forms.to_pylist())
    found = find_words(
        side.text, side.text_offsets, side.offsets, side.codes, names, bounds, side.start, side.end
    )
    for i in np.flatnonzero(~found).tolist():
        begin = int(side.text_offsets[i])
        sentence = side.text[begin : side.text_offsets[i + 1]].tobytes().decode("utf-8")
        row = slice(int(side.offsets[i]), int(side.offsets[i + 1]))
        try:
            places = place_words(sentence, side.forms.take(pa.array(side.codes[row])).to_pylist())
        except LookupError as error:
            raise CorpusError(
                f"the {side.name} does not consist of its words: {error.args[0]}",
                where=corpus.where(i),
                hint="the tokens (or the words of the tree) must stand in the text, in order; "
                "tokenised=True builds the text from them",
            ) from None
        side.start[row] = [begin + _size(sentence[:a]) for a, _ in places]
        side.end[row] = [begin + _size(sentence[:b]) for _, b in places]


def _size(text: str) -> int:
    return len(text.encode("utf-8"))


def place_words(text: str, words: Sequence[str]) -> list[tuple[int, int]]:
    """Return the places of words written as treebanks write them, in characters.

    Markup is no part of a word, unless words are given that have it.

    Raises
    ------
    LookupError
        If they are not the words of the text.

    Examples
    --------
    >>> place_words("<b>So</b> (good)", ["So", "-LRB-", "good", "-RRB-"])
    [(3, 5), (10, 11), (11, 15), (15, 16)]
    """
    plain = without_markup(text)
    try:
        return _places(plain, words)
    except LookupError:
        if plain == text:
            raise
        return _places(text, words)


def _places(text: str, words: Sequence[str]) -> list[tuple[int, int]]:
    places, at = [], 0
    for word in words:
        begin = at
        while text.startswith(" ", at) and not word.startswith(" "):
            at += 1
        if word and text.startswith(word, at):  # as most are
            places.append((at, at + len(word)))
            at += len(word)
            continue
        forms = (
            word,
            *_SURFACES.get(word.upper(), ()),
            word.replace("\\/", "/").replace("\\*", "*"),
            *(word.replace("'", mark) for mark in "’‘"),
        )
        surface = None
        while surface is None:
            surface = next((form for form in forms if form and text.startswith(form, at)), None)
            if surface is None and not (text[at : at + 1] and is_blank(text[at])):
                raise LookupError(f"{word!r} is not what follows at character {begin}")
            at += surface is None
        places.append((at, at + len(surface)))
        at += len(surface)
    if not is_blank(text[at:]):
        raise LookupError(f"{text[at:].strip()!r} is left over")
    return places


@kernel()
def words_of(
    text: Bytes, text_offsets: LongArray, wide: bool
) -> tuple[LongArray, LongArray, LongArray]:
    """Return where the words of texts stand, and the offsets of their rows.

    White space is that of Unicode, or (unless ``wide``) of ASCII.
    """
    offsets = np.zeros(len(text_offsets), np.int64)
    for fill in range(2):
        words = 0
        start, end = np.empty(offsets[-1], np.int64), np.empty(offsets[-1], np.int64)
        for i in range(len(text_offsets) - 1):
            inside = False
            space_end = 0
            for at in range(text_offsets[i], text_offsets[i + 1]):
                if wide and 0xC2 <= text[at] <= 0xE3:
                    space_end = at + _wide_space(text, at)
                if _IS_SPACE[text[at]] or at < space_end:
                    inside = False
                    continue
                if not inside:
                    inside = True
                    words += 1
                    if fill == 1:
                        start[words - 1] = at
                if fill == 1:
                    end[words - 1] = at + 1
            offsets[i + 1] = words
    return start, end, offsets


@kernel()
def _wide_space(text: Bytes, at: int) -> int:
    """Return how many bytes the white space beyond ASCII at a place takes; 0 if it is none."""
    size = 2 if text[at] < 0xE0 else 3
    code = 0
    for j in range(size):
        code = code * 256 + text[at + j]
    for space in _WIDE_SPACES:
        if code == space:
            return size
    return 0


@kernel()
def find_words(
    text: Bytes,
    text_offsets: LongArray,
    offsets: LongArray,
    codes: IntArray,
    names: Bytes,
    bounds: LongArray,
    start: LongArray,
    end: LongArray,
) -> BoolArray:
    """Fill in the places of words that stand in the text as written; say of which examples.

    Only ASCII white space is passed over between words.
    """
    found = np.ones(len(offsets) - 1, np.bool_)
    for i in range(len(offsets) - 1):
        at, stop = text_offsets[i], text_offsets[i + 1]
        for w in range(offsets[i], offsets[i + 1]):
            while at < stop and (text[at] == 32 or 9 <= text[at] <= 13):
                at += 1
            first, last = bounds[codes[w]], bounds[codes[w] + 1]
            if at + last - first > stop or first == last:
                found[i] = False
                break
            for j in range(last - first):
                if text[at + j] != names[first + j]:
                    found[i] = False
            if not found[i]:
                break
            start[w] = at
            at += last - first
            end[w] = at
        while at < stop and (text[at] == 32 or 9 <= text[at] <= 13):
            at += 1
        if at < stop:
            found[i] = False
    return found


def protected_words(corpus: Corpus, side: Side, pattern: str | None) -> BoolArray:
    """Return which words of a side no substitution may touch.

    Parameters
    ----------
    corpus : Corpus
        A column ``protected`` (of the words of ``text``) holds token numbers, or entities as
        structs of ``start`` and ``end`` in characters.
    pattern : str, optional
        A regular expression; a word that shares a character with a match is protected.

    Raises
    ------
    OptionError
        If the pattern is not a regular expression, or may take more than
        :data:`~grammar.expressions.searching.MOST_STEPS` steps in a text.
    CorpusError
        If the column holds something else, or places that are not there.
    """
    mask = np.zeros(len(side.start), np.bool_)
    if pattern is not None:
        try:
            compiled = re.compile(pattern)
            search = Search(Automaton(pattern))
        except UnreadableError as error:
            raise OptionError(
                f"protect={pattern!r} holds {error}, and there is no telling how long it takes",
                hint="write it without, as words with | between",
            ) from None
        except re.error as error:
            raise OptionError(
                f"protect={pattern!r} is not a regular expression: {error}",
                hint=r"escape special signs, as in r'\[COL\]'",
            ) from None
        for i, text in enumerate(corpus.column(side.name)):
            if not search.can_take(text):
                raise OptionError(
                    f"protect={pattern!r} may take more than {MOST_STEPS:,} steps in this text",
                    where=corpus.where(i),
                    hint="let repetitions not go back into what they took, as in (?>\\w+) or \\w++",
                )
            for match in compiled.finditer(text):
                _mark(mask, side, i, text, match.start(), match.end())
    if side.name == "text" and "protected" in corpus.names:
        _mark_column(mask, corpus, side)
    return mask


def _mark(mask: BoolArray, side: Side, i: int, text: str, first: int, last: int) -> None:
    row = slice(int(side.offsets[i]), int(side.offsets[i + 1]))
    begin = int(side.text_offsets[i]) + _size(text[:first])
    stop = begin + _size(text[first:last])
    mask[row] |= (side.start[row] < stop) & (side.end[row] > begin)


def _mark_column(mask: BoolArray, corpus: Corpus, side: Side) -> None:
    texts = corpus.column("text")
    for i, places in enumerate(corpus.column("protected")):
        for place in places or ():
            if isinstance(place, dict) and {"start", "end"} <= set(place):
                _mark(mask, side, i, texts[i], place["start"], place["end"])
            elif isinstance(place, int) and 0 <= place < side.offsets[i + 1] - side.offsets[i]:
                mask[side.offsets[i] + place] = True
            else:
                raise CorpusError(
                    f"the column 'protected' holds {place!r}",
                    where=corpus.where(i),
                    hint="give word numbers from 0, or {'start': ..., 'end': ...} in characters",
                )
