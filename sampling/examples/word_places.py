"""Where words stand in texts: those between white space, and those that a treebank gives."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from grammar.arrays import BoolArray, Bytes, IntArray, LongArray, kernel
from induction.corpus.text.markup import without_markup
from induction.corpus.text.tokens import is_blank

__all__ = ["byte_places", "find_words", "place_words", "size_of", "words_of"]

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


def size_of(text: str) -> int:
    """Return how many bytes a text takes."""
    return len(text.encode("utf-8"))


def byte_places(text: str, places: LongArray) -> LongArray:
    """Return places between the characters of a text as places in its bytes.

    >>> byte_places("né à", np.array([0, 2, 4])).tolist()
    [0, 3, 6]
    """
    if text.isascii():
        return places
    coded = np.frombuffer(text.encode(), np.uint8)
    begins = np.flatnonzero((coded & 0xC0) != 0x80)
    moved: LongArray = np.append(begins, len(coded))[places]
    return moved


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
