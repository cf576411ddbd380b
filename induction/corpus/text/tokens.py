"""Raw text to the tokens of the Penn Treebank, each with its place in the text, and back.

The rules are those of NLTK's ``TreebankWordTokenizer`` (:mod:`induction.corpus.text.penn`). Words
are written as treebanks write them: ``-LRB-`` for an opening bracket, two backquotes for an opening
quote. The places say which characters of the text a word stands for, so that whoever changes one
word can leave every other character as it is.

Addresses of pages and of people, ``@names``, ``#tags``, ``<url>``, ``{name}`` and emoji are one
token each, which the treebank of 1995 did not have to know (:mod:`induction.corpus.text.units`).
Tags of HTML are none (:mod:`induction.corpus.text.markup`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from grammar.errors import OptionError
from grammar.trees.surfaces import BRACKETS, surface_of
from induction.corpus.text.markup import without_markup
from induction.corpus.text.penn import join_tokens, split_tokens
from induction.corpus.text.units import whole_tokens

__all__ = [
    "Tokens",
    "detokenise",
    "is_blank",
    "penn_word",
    "plain_brackets",
    "tokenise",
]

_OPENING, _CLOSING = "``", "''"
_QUOTES = frozenset([_OPENING, _CLOSING])
_CURLY = {"“": _OPENING, "„": _OPENING, "”": _CLOSING}
_CONTROLS = {code: " " for code in (*range(0x20), *range(0x7F, 0xA0)) if not chr(code).isspace()}
"""No word holds one: a text has them by a wrong encoding, most often."""
# one character for one, so that places stay
_PLAIN = str.maketrans({**dict.fromkeys(_CURLY, '"'), "’": "'", "‘": "'"}) | _CONTROLS

_BEHIND_THE_STOP = re.compile(r"\w\.(?=\s++[^\w\s]\W*+$)")
"""The full stop of a sentence behind which there are signs alone, as a smile."""
_STANDS_IN = "\ue000"
"""For every character of such a token: a letter to the tokeniser, and in no text (private use)."""


@dataclass(frozen=True, slots=True)
class Tokens:
    """The words of a text and the characters that they stand for.

    Attributes
    ----------
    words : tuple of str
        In the spelling of the Penn Treebank.
    starts, ends : tuple of int
        Word i stands for ``text[starts[i] : ends[i]]``; only white space, control characters and
        markup lie between words.
    """

    words: tuple[str, ...]
    starts: tuple[int, ...]
    ends: tuple[int, ...]

    def __len__(self) -> int:
        return len(self.words)

    def surfaces(self, text: str) -> tuple[str, ...]:
        """Return what stands in the text for each word.

        >>> text = 'She said "yes (no)".'
        >>> tokenise(text).surfaces(text)
        ('She', 'said', '"', 'yes', '(', 'no', ')', '"', '.')
        """
        return tuple(text[a:b] for a, b in zip(self.starts, self.ends, strict=True))


def tokenise(text: str) -> Tokens:
    """Split a sentence into Penn Treebank tokens.

    Addresses, ``@names``, ``#tags``, placeholders as ``<url>``, and emoji are one token each.

    Parameters
    ----------
    text : str
        One sentence (:func:`induction.corpus.text.sentences.sentence_spans`): only the last full
        stop becomes a token of its own.

    Raises
    ------
    OptionError
        If it is no string.

    Examples
    --------
    >>> tokens = tokenise("They didn't (really) say “go”.")
    >>> tokens.words
    ('They', 'did', "n't", '-LRB-', 'really', '-RRB-', 'say', '``', 'go', "''", '.')
    >>> tokens.starts[:4], tokens.ends[:4]
    ((0, 5, 8, 12), (4, 8, 11, 13))
    >>> tokenise("Mail a.b@example.org, see https://example.org/?q=1 #new👍🏽").words
    ('Mail', 'a.b@example.org', ',', 'see', 'https://example.org/?q=1', '#new', '👍🏽')

    Notes
    -----
    Typographic quotes and apostrophes are read as plain ones. The slash is not escaped, as
    newer treebanks do not escape it. White space is whatever ``str.split`` takes for it, control
    characters, of which no word has any, and tags of HTML.

    References
    ----------
    R. MacIntyre (1995), the sed script ``tokenizer.sed`` of the Penn Treebank.
    """
    if not isinstance(text, str):
        raise OptionError(
            f"tokenise takes a sentence, not {type(text).__name__}",
            hint="give one at a time: [tokenise(text) for text in texts]",
        )
    text = without_markup(text)
    whole = [*whole_tokens(text), (len(text), len(text))]
    plain = _with_stand_ins(text.translate(_PLAIN), whole)
    words, starts, ends, end = [], [], [], 0
    following = 0  # the next whole token that ends behind
    for token in _split(plain):
        first, end = _place(plain, token, end)
        at = first
        while at < end:  # once, but that a whole token may touch its neighbours
            start, stop = whole[following]
            if stop <= at:
                following += 1
                continue
            cut = start if start > at else stop
            cut = cut if cut < end else end
            words.append(
                _spelt(text[at:cut], token if at == first and cut == end else plain[at:cut])
            )
            starts.append(at)
            ends.append(cut)
            at = cut
    return Tokens(tuple(words), tuple(starts), tuple(ends))


def _with_stand_ins(plain: str, whole: Sequence[tuple[int, int]]) -> str:
    """Return a text with a letter in the place of each character of the whole tokens."""
    pieces, at = [], 0
    for start, end in whole:
        pieces += [plain[at:start], _STANDS_IN * (end - start)]
        at = end
    return "".join(pieces)


def _split(plain: str) -> Iterator[str]:
    """Yield the tokens of a text; one full stop before signs alone ends the sentence, too."""
    behind = _BEHIND_THE_STOP.search(plain)
    stop = behind.end() if behind else len(plain)
    yield from split_tokens(plain[:stop])
    yield from split_tokens(plain[stop:])


def detokenise(words: Sequence[str]) -> str:
    """Return the text of Penn Treebank tokens: brackets and quotes as people write them.

    The rules are those of NLTK's ``TreebankWordDetokenizer``.

    >>> print(detokenise(["I", "did", "n't", "-LRB-", "really", "-RRB-", "say", "``", "go", "''"]))
    I didn't (really) say "go"
    """
    return join_tokens([surface_of(word) for word in words])


def plain_brackets(text: str) -> str:
    """Return tokens with single spaces between, their brackets and slashes as people write them.

    >>> plain_brackets("Go -LRB- now -RRB- .")
    'Go ( now ) .'
    """
    return " ".join(surface_of(word) for word in text.split(" "))


def _spelt(surface: str, token: str) -> str:
    """Return a token in the spelling of the Penn Treebank."""
    if token[0] == _STANDS_IN:
        return surface
    return _CURLY.get(surface, BRACKETS.get(token, token))


def is_blank(text: str) -> bool:
    """Say whether there is nothing but white space, control characters and markup in a text.

    >>> is_blank(" \x96<br />"), is_blank("–")
    (True, False)
    """
    return not without_markup(text).translate(_CONTROLS).strip()


def penn_word(word: str) -> str:
    """Return a single bracket in the spelling of the Penn Treebank; other words as they are.

    >>> penn_word("("), penn_word("f(x)")
    ('-LRB-', 'f(x)')
    """
    return BRACKETS.get(word, word)


def _place(text: str, token: str, at: int) -> tuple[int, int]:
    """Return where the next token lies, behind ``at``; only quotes are spelt otherwise there."""
    if token not in _QUOTES:
        at = text.index(token, at)  # white space alone is before it
        return at, at + len(token)
    while text[at].isspace():
        at += 1
    return at, at + (1 if text[at] == '"' else 2)
