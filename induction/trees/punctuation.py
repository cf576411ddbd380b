"""Punctuation and other tokens that say by their spelling what they are.

Treebanks spell one sign in several ways, and a small one lacks some signs altogether. So a sign
that a lexicon lacks is looked up as one of its kind, and may have only the tags of its kind, in
the tagset of the Penn Treebank and of those after it; where a treebank has none of these tags,
nothing is said.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

__all__ = ["closed_tags", "equivalents"]

_DASHES = ("--", "—", "–", "―", "-", "‐", "−")
_ELLIPSES = ("...", "…", ". . .")
_OPENING = ("``", "“", '"', "„", "«", "‘", "`", "''")
_CLOSING = ("''", "”", '"', "»", "’", "'", "``")
_ROUND = (("-LRB-", "(", "[", "{", "-LSB-", "-LCB-"), ("-RRB-", ")", "]", "}", "-RSB-", "-RCB-"))
_MONEY = ("$", "£", "€", "US$", "C$", "A$", "¥")
_KINDS: tuple[tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]], ...] = (
    # signs of the kind; other signs that stand in for them; tags
    ((",", "،", "、"), (";",), (",",)),
    (("!", "?"), (".",), (".",)),
    ((".", "。"), ("!", "?"), (".",)),
    ((":", ";"), ("--",), (":",)),
    (_DASHES, (":", ";", ","), (":", "HYPH", "SYM", ",")),
    (_ELLIPSES, ("--", ":", ";"), (":", ".")),
    (("``", "“", "„", "«"), _OPENING, ("``",)),
    (("‘", "`"), _OPENING, ("``", "''", "POS")),
    (("''", "”", "»"), _CLOSING, ("''",)),
    (("'", "’"), ("'", "’", *_CLOSING), ("''", "``", "POS")),
    (('"',), ('"', "''", "``", "”", "“"), ("``", "''")),
    (_ROUND[0], (), ("-LRB-",)),
    (_ROUND[1], (), ("-RRB-",)),
    (_MONEY, (), ("$",)),
    (("%",), ("percent",), ("NN", "SYM")),
    (("&",), ("and",), ("CC", "SYM")),
    (("/", "|", "\\"), ("--",), ("SYM", ":", "HYPH", ",", "CC")),
    (("*", "•", "·", "=", "+", "<", ">", "~", "^", "±", "×", "→"), (), ("SYM", ":", "LS", "CC")),
)
_TAGS = {sign: frozenset(tags) for signs, _, tags in _KINDS for sign in signs}
_LIKE: Mapping[str, tuple[str, ...]] = {
    sign: tuple(dict.fromkeys((*signs, *others))) for signs, others, _ in _KINDS for sign in signs
}

_REPEATED = ((re.compile(r"\.*+[!?][.!?]*+"), "!"), (re.compile(r"[.…]{2,}"), "..."),
             (re.compile("[-–—―]{2,}"), "--"))  # fmt: skip
"""Signs that are written several times, and the sign that they stand for."""

_NAMES = (
    (re.compile(r"(?:https?://|www\.)\S+"), frozenset({"NNP", "NN", "ADD"})),
    (re.compile(r"\S[^\s@]*+@\S[^\s.]*+\.\S++"), frozenset({"NNP", "NN", "ADD"})),
    (re.compile(r"@\w+"), frozenset({"NNP", "NN", "ADD"})),
    (re.compile(r"#\w+"), frozenset({"NNP", "NN", "JJ"})),
)


def equivalents(sign: str) -> tuple[str, ...]:
    """Return the signs of one kind, those that are nearest first; none if it is no sign.

    >>> equivalents("—")[:3], equivalents("!!!"), equivalents("word")
    (('--', '—', '–'), ('!', '?', '.'), ())
    """
    return _LIKE.get(_single(sign), ())


def closed_tags(token: str) -> frozenset[str] | None:
    """Return the tags that a token of closed kind may have; None if it is of none.

    >>> sorted(closed_tags("…")), sorted(closed_tags("http://example.com")), closed_tags("word")
    (['.', ':'], ['ADD', 'NN', 'NNP'], None)
    """
    tags = _TAGS.get(_single(token))
    if tags is not None:
        return tags
    return next((tags for pattern, tags in _NAMES if pattern.fullmatch(token)), None)


def _single(sign: str) -> str:
    if sign in _TAGS or sign[:1].isalnum():
        return sign
    return next((one for pattern, one in _REPEATED if pattern.fullmatch(sign)), sign)
