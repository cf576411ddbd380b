"""The texts of a corpus as bytes, the places of their words, and their trees.

A *side* is one sentence column of a corpus: ``text``, ``text_pair`` or ``target``. Its words are
the tokens, or the words of the tree, or what stands between white space; each lies at a place in
the text, so that a span of words can be exchanged and every other character stays as it is.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from grammar.arrays import BoolArray, Bytes, IntArray, LongArray, pack_strings, text_bytes
from grammar.errors import CorpusError
from grammar.trees.treebank import Treebank
from induction.corpus.corpus import Corpus
from induction.corpus.text.markup import without_markup_bytes
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
from sampling.examples.word_places import (
    byte_places,
    find_words,
    place_words,
    size_of,
    words_of,
)

__all__ = [
    "Side",
    "are_tokenised",
    "cores_of",
    "read_side",
]

_FIRST_LETTER, _LAST_LETTER = re.compile(r"\w"), re.compile(r"\w(?=\W*+\Z)")
_TREES = {"text": "tree", "text_pair": "tree_pair"}


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
    found = [np.empty((0, 2), np.int64)]
    likely = pc.match_substring_regex(texts, MAY_HOLD_UNITS).to_numpy(zero_copy_only=False)
    for i in np.flatnonzero(likely).tolist():
        text = texts[i].as_py()
        if bounds := units(text):
            found.append(byte_places(text, np.array(bounds, np.int64)) + text_offsets[i])
    start, end = np.concatenate(found).T
    return start, end


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
    return size_of(form[: first.start()]), size_of(form[last.end() :])


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
        numbers.setdefault(form.encode()[a : size_of(form) - b].decode(), len(numbers))
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
                hint="the tokens (or the words of the tree) must stand in the text, in order: "
                "correct the row, or leave the column of tokens or trees out of the file; in "
                "Python read_examples(corpus, tokenised=True) builds the texts from them",
            ) from None
        side.start[row] = [begin + size_of(sentence[:a]) for a, _ in places]
        side.end[row] = [begin + size_of(sentence[:b]) for _, b in places]
