"""The sentences of a text: NLTK's Punkt with what it needs to know of English, and no data.

Punkt learns from a corpus which words are abbreviations, and which begin sentences with a capital
that they have nowhere else. Both are closed lists here, so sentences end alike wherever this is
installed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache
from typing import Any

from induction.corpus.text.markup import PARTING, without_markup
from induction.corpus.text.tokens import surface_of

__all__ = ["sentence_spans", "sentences_of_words"]

_ABBREVIATIONS = frozenset(
    """
    mr mrs ms messrs mmes dr prof rev fr sr jr st ste hon gov sen rep gen col maj capt cmdr lt sgt
    cpl pvt adm pres supt jan feb apr jun jul aug sep sept oct nov dec mon tue tues wed thu thur
    thurs fri inc corp co ltd llc bros plc assn dept univ inst est mfg intl natl vs v etc et al cf
    e.g i.e eg ie viz approx ca c vol vols fig figs eq ref refs p pp ed eds trans chap sec op cit
    ibid ave blvd rd hwy pkwy mt apt bldg u.s u.k u.n u.s.a e.u d.c l.a n.y a.m p.m a.d b.c b.a m.a
    m.d ph.d b.s m.s j.d ala ariz ark calif colo conn fla ind kan ky md mich minn mo mont neb nev
    okla pa penn tenn tex va vt wis wyo oz lb lbs ft yd km kg cm mm hr hrs mins secs yr yrs tsp tbsp
    qt temp avg orig incl excl tel
    """.split()  # noqa: SIM905
)
_BEGINNERS = frozenset(
    """
    a an the this that these those here there i you he she it we they my your his her its our their
    and but or so yet if when while as in on at for after before although however though with from
    to then also what who whom whose why how where which some many most no not every each both one
    two all
    """.split()  # noqa: SIM905
)
"""Behind an abbreviation that ends a sentence, too, the next begins with one of these."""

_GAPS = re.compile(rf"(?:\n[^\S\n]*\n\s*|{PARTING}\s*)+", re.IGNORECASE)
"""Empty lines, and markup that is one."""
_WORDS = re.compile(r"\w")
_SPEECH_ENDS = re.compile(r"[?!][\"'”’)\]]+$")
_NUMBERED = re.compile(r"\b(?:nos?|art)\.$", re.IGNORECASE)
_INITIALS = re.compile(r"\b(?:[A-Z]\.){2,}$", re.IGNORECASE)
_ELLIPSIS = re.compile(r"(?:\.\s?){2,}$|…$")
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
        for start, end in _punkt().span_tokenize(plain[first:last]):
            start, end = first + int(start), first + int(end)
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
    ends = [end for _, end in sentence_spans(text)]
    found: list[list[str]] = [[]]
    at = 0
    for word in words:
        if ends and at >= ends[0]:
            found.append([])
            del ends[0]
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
    if _SPEECH_ENDS.search(last) or _ELLIPSIS.search(last):
        return piece[0].islower()
    if _NUMBERED.search(last):
        return piece[0].isdigit()
    if _INITIALS.search(last):
        first = _FIRST_WORD.search(piece)
        return first is None or first[0].lower() not in _BEGINNERS
    return False


@cache
def _punkt() -> Any:
    from nltk.tokenize import punkt

    known = punkt.PunktParameters()
    known.abbrev_types = set(_ABBREVIATIONS)
    for word in _BEGINNERS:
        known.add_ortho_context(word, punkt._ORTHO_BEG_UC | punkt._ORTHO_MID_LC)
    return punkt.PunktSentenceTokenizer(known)
