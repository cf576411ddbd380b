"""The sentences of a text: what Punkt cuts off, what lines and markup end, and what goes on."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from grammar.trees.surfaces import surface_of
from induction.corpus.text.boundaries import BEGINNERS, sentence_pieces
from induction.corpus.text.markup import PARTING, without_markup

__all__ = ["sentence_spans", "sentences_of_words"]

_GAPS = re.compile(rf"(?:\n[^\S\n]*\n\s*|{PARTING}\s*)+", re.IGNORECASE)
"""Empty lines, and markup that is one."""
_WORDS = re.compile(r"\w")
_SPEECH_ENDS = re.compile(r"[?!][\"'”’)\]]+$")
_NUMBERED = re.compile(r"\b(?:nos?|art)\.$", re.IGNORECASE)
_INITIALS = re.compile(r"\b(?:[A-Z]\.){2}$", re.IGNORECASE)
_ELLIPSIS = re.compile(r"(?:\.\s?){2}$|…$")
_ENDING = 5
"""As many characters as an ending of these kinds has, and one before it."""
_FIRST_WORD = re.compile(r"\w+")
_LOOKED_AT = 200
"""So many characters before a boundary are looked at: what is joined grows."""


def sentence_spans(text: str) -> list[tuple[int, int]]:
    """Return where the sentences of a text start and end.

    An empty line ends a sentence, too, and so does ``<br />``. What holds no letter or digit is
    none of its own.

    Parameters
    ----------
    text : str
        English, as people write it or with spaces between its tokens.

    Examples
    --------
    >>> text = 'Mr. Poe left at 5 p.m. sharp. "Why?" he was asked. Nobody knows :)'
    >>> [text[start:end] for start, end in sentence_spans(text)]
    ['Mr. Poe left at 5 p.m. sharp.', '"Why?" he was asked.', 'Nobody knows :)']
    >>> sentence_spans(" ")
    []

    References
    ----------
    Kiss & Strunk (2006), Unsupervised multilingual sentence boundary detection.
    """
    found: list[tuple[int, int]] = []
    plain = without_markup(text)
    for first, last in _paragraphs(text):
        behind = len(found)
        for start, end in sentence_pieces(plain[first:last]):
            start, end = first + start, first + end
            if len(found) > behind and _goes_on(plain, found[-1], start, end):
                found[-1] = found[-1][0], end
            else:
                found.append((start, end))
    return found


def sentences_of_words(words: Sequence[str]) -> list[list[str]]:
    """Return the sentences of a text whose words are known; each word is in one of them.

    >>> sentences_of_words(["So", "it", "is", ".", "(", "Is", "it", "?", ")"])
    [['So', 'it', 'is', '.'], ['(', 'Is', 'it', '?', ')']]
    """
    text = " ".join(map(surface_of, words))
    ends = (end for _, end in sentence_spans(text))
    found: list[list[str]] = [[]]
    at, end = 0, next(ends, None)
    for word in words:
        if end is not None and at >= end:
            found.append([])
            end = next(ends, None)
        found[-1].append(word)
        at += len(surface_of(word)) + 1
    return [sentence for sentence in found if sentence]


def _paragraphs(text: str) -> Iterator[tuple[int, int]]:
    """Yield where what stands between empty lines begins and ends; it may be nothing."""
    start = len(text) - len(text.lstrip())
    for gap in _GAPS.finditer(text, start):
        yield start, gap.start()
        start = gap.end()
    yield start, len(text)


def _goes_on(text: str, before: tuple[int, int], start: int, end: int) -> bool:
    """Say whether a piece that Punkt cut off belongs to the one before it."""
    last, piece = text[max(before[0], before[1] - _LOOKED_AT) : before[1]], text[start:end]
    if not _WORDS.search(piece) or not _WORDS.search(last):
        return True
    ending = last[-_ENDING:]
    if _SPEECH_ENDS.search(last) or _ELLIPSIS.search(ending):
        return piece[0].islower()
    if _NUMBERED.search(ending):
        return piece[0].isdigit()
    if _INITIALS.search(ending):
        first = _FIRST_WORD.search(piece)
        return first is None or first[0].lower() not in BEGINNERS
    return False
