"""Words of treebanks as texts have them: brackets, slashes and quotes."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

__all__ = ["BRACKETS", "surface_of", "surfaces_of"]

BRACKETS: Mapping[str, str] = MappingProxyType(
    {"(": "-LRB-", ")": "-RRB-", "[": "-LSB-", "]": "-RSB-", "{": "-LCB-", "}": "-RCB-"}
)
"""How treebanks write each bracket."""

_UNESCAPED = {form: sign for sign, word in BRACKETS.items() for form in (word, word.lower())}
_QUOTES = ("``", "''")


def surface_of(word: str) -> str:
    r"""Return a bracket, a slash or an asterisk as people write it; other words as they are.

    Quotes stay as they are, as texts that are divided into tokens have them so, too.

    >>> surface_of("-LRB-"), surface_of("-lrb-"), surface_of(r"1\/2"), surface_of("left")
    ('(', '(', '1/2', 'left')
    """
    if "\\" in word:
        return word.replace("\\/", "/").replace("\\*", "*")
    return _UNESCAPED.get(word, word)


def surfaces_of(word: str) -> tuple[str, ...]:
    r"""Return the ways in which texts have a word: that of :func:`surface_of`, and plain quotes.

    >>> surfaces_of("-RRB-"), surfaces_of("``"), surfaces_of("it")
    ((')',), ('``', '"'), ('it',))
    """
    return (word, '"') if word in _QUOTES else (surface_of(word),)
