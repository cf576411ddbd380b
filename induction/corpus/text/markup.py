"""Markup in raw texts: what stands in angle brackets is no word, as white space is none.

Texts that were taken from web pages hold tags of HTML. They part words, some of them sentences, and
no parser nor method should meet them as words; whoever changes a word leaves those around it as
they are.
"""

from __future__ import annotations

import re

__all__ = ["PARTING", "without_markup", "without_markup_bytes"]

_PARTS = (
    "article|blockquote|br|center|dd|div|dl|dt|footer|h[1-6]|header|hr|li|ol|p|pre|section|table"
    "|tbody|td|th|thead|tr|ul"
)
_WITHIN = (
    "a|abbr|b|big|cite|code|del|em|font|i|img|ins|kbd|mark|small|span|strike|strong|sub|sup|tt|u"
)
_REST = r"(?:\s[^<>]*)?/?>"
_TAG = rf"</?(?:{_PARTS}|{_WITHIN}){_REST}|<!--[^<>]*-->"
_MARKUP = re.compile(_TAG, re.IGNORECASE)
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
