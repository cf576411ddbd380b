"""Markup in raw texts: what stands in angle brackets is no word, as white space is none.

Texts that were taken from web pages hold tags of HTML. They part words, some of them sentences, and
no parser nor method should meet them as words; whoever changes a word leaves those around it as
they are.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

__all__ = ["PARTING", "tags_in", "without_markup", "without_markup_bytes"]

_PARTS = (
    "article|blockquote|br|center|dd|div|dl|dt|footer|h[1-6]|header|hr|li|ol|p|pre|section|table"
    "|tbody|td|th|thead|tr|ul"
)
_WITHIN = (
    "a|abbr|b|big|cite|code|del|em|font|i|img|ins|kbd|mark|small|span|strike|strong|sub|sup|tt|u"
)
_ALONE = frozenset([b"br", b"hr", b"img"])
_VALUE = r"""(?:"[^"<>]*"|'[^'<>]*'|[^\s"'<>]+)"""
_REST = rf"(?:\s+[\w:-]+\s*=\s*{_VALUE})*\s*/?>"
_TAG = rf"</?(?:{_PARTS}|{_WITHIN}){_REST}|<!--[^<>]*-->"
_MARKUP = re.compile(_TAG, re.IGNORECASE)
_NAME = re.compile(rb"</?([a-z]\w*)", re.IGNORECASE)
_MARKUP_BYTES = re.compile(_TAG.encode(), re.IGNORECASE)

PARTING = rf"</?(?:{_PARTS}){_REST}"
"""What ends a sentence: a new line, paragraph, cell or heading (a regular expression; small or
capital letters)."""


def without_markup(text: str) -> str:
    """Return a text with spaces in the place of markup; all else stays where it is.

    >>> without_markup("So <b>good</b>!<br />And 1 <2, <url>")
    'So    good    !      And 1 <2, <url>'
    """
    return _MARKUP.sub(lambda match: " " * len(match[0]), text) if "<" in text else text


def without_markup_bytes(text: bytes) -> bytes:
    """Return the same of UTF-8, in which places are bytes.

    >>> without_markup_bytes(b"<i>so</i> good")
    b'   so     good'
    """
    return _MARKUP_BYTES.sub(lambda match: b" " * len(match[0]), text) if b"<" in text else text


def tags_in(text: bytes) -> Iterator[tuple[int, int]]:
    """Yield where the tags that come in pairs begin in UTF-8: with 1 for an opening one, else -1.

    >>> list(tags_in(b"<b>So <i>good</i><br></b>"))
    [(0, 1), (6, 1), (13, -1), (21, -1)]
    """
    for match in _MARKUP_BYTES.finditer(text) if b"<" in text else ():
        name = _NAME.match(match[0])
        if name and name[1].lower() not in _ALONE and not match[0].endswith(b"/>"):
            yield match.start(), -1 if match[0].startswith(b"</") else 1
