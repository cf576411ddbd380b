"""Characters in notations: escapes, and classes in brackets as what they stand for."""

from __future__ import annotations

import itertools
import re

import numpy as np

from grammar.expressions.positions import ALPHABET
from grammar.rules.rules import RuleTable

__all__ = [
    "MOST_CHARACTERS",
    "characters_of_class",
    "characters_of_codes",
    "token_of_characters",
    "unescaped",
]

MOST_CHARACTERS = 256
"""A class of more characters stands for those of ASCII."""

_ESCAPE = re.compile(
    r"\\(?:x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|u\{([0-9a-fA-F]{1,6})\}|(.))",
    re.DOTALL,
)
_SIGNS = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f"}
_PARTS = re.compile(rf"({_ESCAPE.pattern}|[^\\])(?:-({_ESCAPE.pattern}|[^\\]))?", re.DOTALL)
_CODES = re.compile(r"(#x[0-9A-Fa-f]{1,6}|.)(?:-(#x[0-9A-Fa-f]{1,6}|.))?", re.DOTALL)
_CLASS = re.compile(r"(.*)\|<(.+)>'*", re.DOTALL)
_REPEATED = re.compile(r"(.*)\|<.*>(?:[*+]|\{\d+,?\d*\})'*", re.DOTALL)
"""Symbols that a reader of notations makes for classes, and for what is repeated."""


def unescaped(text: str) -> str:
    r"""Return a text whose escapes are replaced.

    >>> unescaped(r"a\n\"\u00e9\u{1F600}")
    'a\n"é😀'
    """
    return _ESCAPE.sub(_character, text)


def characters_of_class(inner: str) -> tuple[list[str], bool]:
    r"""Return what is between the brackets of a class as characters, and whether others are meant.

    A class of what is not named, or of more than 256 characters, stands for its characters of
    ASCII, or, if it has none, for the first 256; the second value tells so.

    >>> characters_of_class(r"a-c\]-")
    (['a', 'b', 'c', ']', '-'], False)
    >>> chars, is_open = characters_of_class(r"^a-z")
    >>> "a" in chars, "A" in chars, is_open
    (False, True, True)
    """
    return _expanded(
        [
            (unescaped(m[1]), unescaped(m[7] or ""))
            for m in _PARTS.finditer(inner.removeprefix("^"))
        ],
        others=inner.startswith("^"),
    )


def characters_of_codes(inner: str) -> tuple[list[str], bool]:
    """Return the same of a class of W3C EBNF, whose characters may be codes.

    >>> characters_of_codes("#x41-#x43z")
    (['A', 'B', 'C', 'z'], False)
    """
    return _expanded(
        [(_coded(m[1]), _coded(m[2] or "")) for m in _CODES.finditer(inner.removeprefix("^"))],
        others=inner.startswith("^"),
    )


def _expanded(ranges: list[tuple[str, str]], *, others: bool) -> tuple[list[str], bool]:
    spans = [(ord(first), ord(last or first)) for first, last in ranges]
    many = sum(max(0, last - first + 1) for first, last in spans) > MOST_CHARACTERS
    if others or many:
        named = {sign for sign in ALPHABET if any(a <= ord(sign) <= b for a, b in spans)}
        if not named and not others:  # a script: its first characters stand for it
            codes = (code for a, b in spans for code in range(a, b + 1))
            return [chr(code) for code in itertools.islice(codes, MOST_CHARACTERS)], True
        return [sign for sign in ALPHABET if (sign in named) is not others], True
    return list(dict.fromkeys(chr(c) for a, b in spans for c in range(a, b + 1))), False


def _coded(text: str) -> str:
    return chr(min(int(text[2:], 16), 0x10FFFF)) if text.startswith("#x") else text


def _character(found: re.Match[str]) -> str:
    code = found[1] or found[2] or found[3] or found[4]
    if code:
        return chr(int(code, 16)) if int(code, 16) <= 0x10FFFF else found[0]
    return _SIGNS.get(found[5], found[5])


def token_of_characters(rules: RuleTable) -> tuple[str, str] | None:
    """Return a rule of a notation whose tokens are several words here, and one of these.

    They are letters or digits of a class that is repeated, or stands in a row.

    >>> from grammar.formats.reading import read_notation
    >>> token_of_characters(read_notation('root ::= "+" [a-c]{1,3}', "gbnf").rules)
    ('root', 'a')
    >>> token_of_characters(read_notation('root ::= "x" ("+" | "-") "y"', "gbnf").rules)
    """
    names = rules.nonterminals
    if not any("|<" in name for name in names):
        return None
    lengths = np.diff(rules.offsets)
    are_words = (lengths == 1) & (np.append(rules.rhs, 0)[rules.offsets[:-1]] < 0)
    all_words = np.diff(rules.starts) > 1
    all_words[rules.lhs[~are_words]] = False
    signs: dict[int, str] = {}
    for symbol in np.flatnonzero(all_words).tolist():
        own = range(rules.starts[symbol], rules.starts[symbol + 1])
        words = [rules.words[-1 - rules.rhs[rules.offsets[rule]]] for rule in own]
        if all(len(word) == 1 for word in words) and any(map(str.isalnum, words)):
            signs[symbol] = "".join(words)
    for symbol, characters in signs.items():
        found = _CLASS.fullmatch(names[symbol])
        if found and set(found[2]) <= set(characters):
            return found[1], characters[0]
    owner = np.repeat(rules.lhs, lengths)
    for symbol, child in zip(owner.tolist(), rules.rhs.tolist(), strict=True):
        if child in signs and (found := _REPEATED.fullmatch(names[symbol])):
            return found[1], signs[child][0]
    return None
