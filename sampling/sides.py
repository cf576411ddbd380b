"""The texts of a corpus as bytes, the places of their words, and their trees.

A *side* is one sentence column of a corpus: ``text``, or ``text_pair``. Its words are the tokens,
or the words of the tree, or what stands between white space; each lies at a place in the text, so
that a span of words can be exchanged and every other character stays as it is.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from grammar.arrays import BoolArray, Bytes, IntArray, LongArray, kernel, pack_strings
from grammar.errors import CorpusError, OptionError
from grammar.treebank import Treebank
from induction.corpus import Corpus

__all__ = ["Side", "WordPlaces", "protected_words", "read_side", "text_bytes"]

_TREES = {"text": "tree", "text_pair": "tree_pair"}
# how treebanks write signs that texts have otherwise
_SURFACES = {
    "-LRB-": ("(",),
    "-RRB-": (")",),
    "-LSB-": ("[",),
    "-RSB-": ("]",),
    "-LCB-": ("{",),
    "-RCB-": ("}",),
    "``": ('"', "“", "''"),
    "''": ('"', "”"),
    "`": ("'", "‘"),
    "'": ("’",),
    "...": ("…",),
    "--": ("–", "—"),
}


@dataclass(frozen=True, eq=False)
class Side:
    """One sentence column of a corpus, as columns.

    Attributes
    ----------
    name : str
        The column, ``text`` or ``text_pair``.
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

    def __len__(self) -> int:
        return len(self.offsets) - 1

    @property
    def lengths(self) -> LongArray:
        """int64[N]: words of every example."""
        return np.diff(self.offsets)


def read_side(corpus: Corpus, name: str = "text", *, tokenised: bool = False) -> Side:
    """Find the words of a text column in its texts.

    Parameters
    ----------
    corpus : Corpus
        A checked corpus (:func:`sampling.labels.check_corpus`).
    name : str
        ``text`` or ``text_pair``.
    tokenised : bool
        Make the texts anew: the words with single spaces between them.

    Raises
    ------
    CorpusError
        If there is not one tree an example, or a word is not found in its text.
    """
    trees = _TREES[name]
    treebank = None
    if trees in corpus.names:
        source = f"column {trees!r}"
        treebank = Treebank.parse("\n".join(corpus.column(trees)), source=source)
        if len(treebank) != len(corpus):
            raise CorpusError(
                f"{source} holds {len(treebank)} trees for {len(corpus)} examples",
                hint="give one bracketing each",
            )
    texts = corpus.arrow(name).combine_chunks()
    words = _words(corpus, name, texts, treebank)
    offsets = words.offsets.to_numpy(zero_copy_only=False).astype(np.int64)
    dictionary = words.values.dictionary_encode()
    codes = dictionary.indices.to_numpy(zero_copy_only=False).astype(np.int32)
    forms = dictionary.dictionary
    if tokenised:
        texts = pc.binary_join(words, " ")
    text, text_offsets = text_bytes(texts)
    start, end = _places(corpus, name, text, text_offsets, offsets, codes, forms)
    return Side(name, text, text_offsets, offsets, start, end, codes, forms, treebank)


def text_bytes(texts: pa.Array) -> tuple[Bytes, LongArray]:
    """Return the UTF-8 bytes of Arrow strings together, and where each begins."""
    texts = texts.cast(pa.large_string())
    texts = pa.concat_arrays([texts])
    _, bounds, data = texts.buffers()
    offsets = np.frombuffer(bounds, np.int64)[texts.offset : texts.offset + len(texts) + 1]
    text = np.frombuffer(data, np.uint8) if data is not None else np.zeros(0, np.uint8)
    return text[offsets[0] : offsets[-1]], offsets - offsets[0]


def _words(corpus: Corpus, name: str, texts: pa.Array, treebank: Treebank | None) -> pa.ListArray:
    if name == "text" and "tokens" in corpus.names:
        tokens = corpus.arrow("tokens").combine_chunks()
        return pa.ListArray.from_arrays(
            pa.array(np.concatenate(([0], np.cumsum(_list_lengths(tokens)))).astype(np.int32)),
            tokens.flatten(),
        )
    if treebank is not None:
        forms = pa.array(list(treebank.symbols), pa.string())
        leaves = forms.take(pa.array(treebank.label[treebank.is_word]))
        offsets = np.concatenate(([0], np.cumsum(treebank.lengths))).astype(np.int32)
        return pa.ListArray.from_arrays(pa.array(offsets), leaves)
    return pc.utf8_split_whitespace(pc.utf8_trim_whitespace(texts))


def _list_lengths(lists: pa.ListArray) -> LongArray:
    return np.asarray(pc.list_value_length(lists).to_numpy(zero_copy_only=False), np.int64)


def _places(
    corpus: Corpus,
    name: str,
    text: Bytes,
    text_offsets: LongArray,
    offsets: LongArray,
    codes: IntArray,
    forms: pa.Array,
) -> tuple[LongArray, LongArray]:
    """Find every word in its text; only white space may lie between words."""
    names, bounds = pack_strings(forms.to_pylist())
    start, end = np.zeros(len(codes), np.int64), np.zeros(len(codes), np.int64)
    found = find_words(text, text_offsets, offsets, codes, names, bounds, start, end)
    for i in np.flatnonzero(~found).tolist():
        sentence = text[text_offsets[i] : text_offsets[i + 1]].tobytes().decode("utf-8")
        first, last = int(offsets[i]), int(offsets[i + 1])
        words = [forms[code].as_py() for code in codes[first:last].tolist()]
        try:
            places = _search(sentence, words)
        except LookupError as error:
            raise CorpusError(
                f"the {name} does not consist of its words: {error.args[0]}",
                where=corpus.where(i),
                hint="the tokens (or the words of the tree) must stand in the text, in order; "
                "tokenised=True makes the text anew from them",
            ) from None
        begins = text_offsets[i] + np.array([_size(sentence[:a]) for a, _ in places], np.int64)
        start[first:last] = begins
        end[first:last] = begins + [_size(sentence[a:b]) for a, b in places]
    return start, end


def _size(text: str) -> int:
    return len(text.encode("utf-8"))


def _search(text: str, words: Sequence[str]) -> list[tuple[int, int]]:
    """Return the places of words written as treebanks write them, in characters."""
    places, at = [], 0
    for word in words:
        forms = (word, *_SURFACES.get(word, ()), word.replace("\\/", "/").replace("\\*", "*"))
        begin, surface = at, None
        while surface is None:
            surface = next((form for form in forms if form and text.startswith(form, at)), None)
            if surface is None and not text[at : at + 1].isspace():
                raise LookupError(f"{word!r} is not what follows at character {begin}")
            at += surface is None
        places.append((at, at + len(surface)))
        at += len(surface)
    if text[at:].strip():
        raise LookupError(f"{text[at:].strip()!r} is left over")
    return places


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


class WordPlaces(Protocol):
    """Where the words of a text column stand: what :class:`Side` says of them."""

    @property
    def name(self) -> str:
        """The column."""
        ...

    @property
    def text_offsets(self) -> LongArray:
        """Where each text begins in the bytes of the column."""
        ...

    @property
    def offsets(self) -> LongArray:
        """Where the words of each example begin."""
        ...

    @property
    def start(self) -> LongArray:
        """Where each word begins in the bytes."""
        ...

    @property
    def end(self) -> LongArray:
        """Where each word ends in the bytes."""
        ...


def protected_words(corpus: Corpus, side: WordPlaces, pattern: str | None) -> BoolArray:
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
        If the pattern is not a regular expression.
    CorpusError
        If the column holds something else, or places that are not there.
    """
    mask = np.zeros(len(side.start), np.bool_)
    if pattern is not None:
        try:
            compiled = re.compile(pattern)
        except re.error as error:
            raise OptionError(
                f"protect={pattern!r} is not a regular expression: {error}",
                hint=r"escape special signs, as in r'\[COL\]'",
            ) from None
        for i, text in enumerate(corpus.column(side.name)):
            for match in compiled.finditer(text):
                _mark(mask, side, i, text, match.start(), match.end())
    if side.name == "text" and "protected" in corpus.names:
        _mark_column(mask, corpus, side)
    return mask


def _mark(mask: BoolArray, side: WordPlaces, i: int, text: str, first: int, last: int) -> None:
    row = slice(int(side.offsets[i]), int(side.offsets[i + 1]))
    begin = int(side.text_offsets[i]) + _size(text[:first])
    stop = begin + _size(text[first:last])
    mask[row] |= (side.start[row] < stop) & (side.end[row] > begin)


def _mark_column(mask: BoolArray, corpus: Corpus, side: WordPlaces) -> None:
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
