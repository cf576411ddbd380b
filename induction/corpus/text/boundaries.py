"""Where sentences end at full stops: the decisions of Punkt, with closed lists for what it learns.

Punkt learns from a corpus which words are abbreviations, and which begin sentences with a capital
that they have nowhere else. Both are lists here, so sentences end alike wherever this is installed.
Each word is looked at once, so the work grows with the text and no faster.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

__all__ = ["ABBREVIATIONS", "BEGINNERS", "sentence_pieces"]

ABBREVIATIONS = frozenset(
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
BEGINNERS = frozenset(
    """
    a an the this that these those here there i you he she it we they my your his her its our their
    and but or so yet if when while as in on at for after before although however though with from
    to then also what who whom whose why how where which some many most no not every each both one
    two all
    """.split()  # noqa: SIM905
)
"""Behind an abbreviation that ends a sentence, too, the next begins with one of these."""

_STOPS = frozenset(".?!")
_SIGNS = frozenset(";:,.!?")
_CLOSING = "\"')\\]}‘’“”«»"
_NO_WORD = rf"[{_CLOSING};*:@({{\[?!]"
_BLANK = " \\t\\n\\r\\v\\f"
_OPEN_END = rf"(?=({_NO_WORD}|\s++(\S++)))"
_LAST_STOP = re.compile(rf"(?<![^{_BLANK}])([^{_BLANK}]*[.?!]){_OPEN_END}")
"""A word from its beginning to the last stop in it that may end a sentence, and what is behind."""
_FIRST_STOP = re.compile(rf"([.?!]){_OPEN_END}")
_RUN = r"-{2,}|\.{2,}|(?:\.\s){2,}\."
_BEHIND = rf"\s|$|{_NO_WORD}|{_RUN}"
_TOKEN = re.compile(rf"{_RUN}|[^(\"`{{\[:;&\#*@)}}\]\-,\s]\S*?(?={_BEHIND}|,(?={_BEHIND}))|\S")
_BELONGS = re.compile(rf"[{_CLOSING}]++(?:\s++|(?=--)|$)")
"""What stands behind the stop but is of its sentence."""
_NUMBER = re.compile(r"-?[.,]?\d[\d,.-]*\.?")
_REMEMBERED, _SHORT = 1 << 14, 40


def sentence_pieces(text: str) -> list[tuple[int, int]]:
    """Return the pieces that Punkt cuts a text into.

    >>> text = "Mr. Poe left at 5 p.m. (so they say.) Nobody knows."
    >>> [text[start:end] for start, end in sentence_pieces(text)]
    ['Mr. Poe left at 5 p.m. (so they say.)', 'Nobody knows.']

    References
    ----------
    Kiss & Strunk (2006), Unsupervised multilingual sentence boundary detection.
    """
    pieces: list[tuple[int, int]] = []
    cuts = _cuts(text)
    start, end = next(cuts)
    for following, last in cuts:
        belongs = _BELONGS.match(text, following, last)
        if belongs:
            pieces.append((start, following + len(belongs[0].rstrip())))
            start = belongs.end()
        else:
            if start < end:
                pieces.append((start, end))
            start = following
        end = last
    if start < end:
        pieces.append((start, end))
    return pieces


def _cuts(text: str) -> Iterator[tuple[int, int]]:
    """Yield the pieces before closing signs are given to the sentence that they close."""
    start = 0
    for match in _stops(text) if not _STOPS.isdisjoint(text) else ():
        word, behind = match[1], match[2]
        short = len(word) + len(behind) <= _SHORT
        if _remembered(word + behind) if short else _has_boundary(word + behind):
            yield start, match.end()
            start = match.end() if match[3] is None else match.start(3)
    yield start, len(text.rstrip())


def _stops(text: str) -> Iterator[re.Match[str]]:
    """Yield the stops that may end sentences: the last of each word, and one that begins it."""
    for match in _LAST_STOP.finditer(text):
        if len(match[1]) > 1 and match[1][0] in _STOPS:
            first = _FIRST_STOP.match(text, match.start())
            if first:
                yield first
        yield match


def _has_boundary(context: str) -> bool:
    """Say whether a sentence ends at a token of these, but the last."""
    before = None
    for match in _TOKEN.finditer(context):
        token = match[0]
        if before is not None and _ends(before, token):
            return True
        before = token
    return False


_remembered = lru_cache(_REMEMBERED)(_has_boundary)
# texts repeat few words before most of their full stops


def _ends(token: str, follower: str) -> bool:
    """Say whether a sentence ends at a token, by the one behind it."""
    stop = token in _STOPS
    if stop or token[-1] != ".":
        return stop
    if not token.strip("."):
        return _begins(follower) is True
    if token.endswith(".."):
        return False
    known = _is_abbreviation(token)
    if len(token) == 2 and (token[0].isalpha() or token[0] == "_"):
        return not known and _begins(follower) is not False and not _is_name(follower)
    if known:
        return _begins(follower) is True
    return not _NUMBER.fullmatch(token) or _begins(follower) is not False


def _is_abbreviation(token: str) -> bool:
    """Say whether a token that ends with a full stop does so in the middle of sentences, too."""
    plain = token[:-1].lower()
    return plain in ABBREVIATIONS or plain.rpartition("-")[2] in ABBREVIATIONS


def _begins(token: str) -> bool | None:
    """Say whether a token begins a sentence; None if there is no telling."""
    if token in _SIGNS or token[0].islower():
        return False
    return True if token[0].isupper() and _kind(token) in BEGINNERS else None


def _is_name(token: str) -> bool:
    return token[0].isupper() and _kind(token) not in BEGINNERS


def _kind(token: str) -> str:
    """Return a word in small letters, without the full stop of its sentence."""
    at_end = len(token) > 1 and token[-1] == "." and not token.endswith("..")
    return token[: -1 if at_end and not _is_abbreviation(token) else None].lower()
