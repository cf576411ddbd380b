"""Raw text to the tokens of the Penn Treebank, each with its place in the text.

The rules are those of NLTK's ``TreebankWordTokenizer``, which needs no data. Words are written as
treebanks write them: ``-LRB-`` for an opening bracket, two backquotes for an opening quote. The
places say which characters of the text a word stands for, so that whoever changes one word can
leave every other character as it is.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from grammar.errors import MissingDataError

__all__ = ["Tokens", "penn_word", "sentence_spans", "tokenise"]

_BRACKETS = {
    "(": "-LRB-",
    ")": "-RRB-",
    "[": "-LSB-",
    "]": "-RSB-",
    "{": "-LCB-",
    "}": "-RCB-",
}
_OPENING, _CLOSING = "``", "''"
_QUOTES = (_OPENING, _CLOSING, '"')
_CURLY = {"“": _OPENING, "„": _OPENING, "”": _CLOSING}
# one character for one, so that places stay
_PLAIN = str.maketrans({**dict.fromkeys(_CURLY, '"'), "’": "'", "‘": "'"})


@dataclass(frozen=True, slots=True)
class Tokens:
    """The words of a text and the characters that they stand for.

    Attributes
    ----------
    words : tuple of str
        In the spelling of the Penn Treebank.
    starts, ends : tuple of int
        Word i stands for ``text[starts[i] : ends[i]]``; only white space lies between words.
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

    Parameters
    ----------
    text : str
        One sentence: only the last full stop becomes a token of its own.

    Examples
    --------
    >>> tokens = tokenise("They didn't (really) say “go”.")
    >>> tokens.words
    ('They', 'did', "n't", '-LRB-', 'really', '-RRB-', 'say', '``', 'go', "''", '.')
    >>> tokens.starts[:4], tokens.ends[:4]
    ((0, 5, 8, 12), (4, 8, 11, 13))

    Notes
    -----
    Typographic quotes and apostrophes are read as plain ones. The slash is not escaped, as
    newer treebanks do not escape it. White space is whatever ``str.split`` takes for it.

    References
    ----------
    R. MacIntyre (1995), the sed script ``tokenizer.sed`` of the Penn Treebank.
    """
    from nltk.tokenize import TreebankWordTokenizer

    plain = text.translate(_PLAIN)
    words, starts, ends, end = [], [], [], 0
    for token in TreebankWordTokenizer().tokenize(plain):
        start, end = _place(plain, token, end)
        surface = text[start:end]
        words.append(_CURLY.get(surface, _BRACKETS.get(token, token)))
        starts.append(start)
        ends.append(end)
    return Tokens(tuple(words), tuple(starts), tuple(ends))


def penn_word(word: str) -> str:
    """Return a single bracket in the spelling of the Penn Treebank; other words as they are.

    >>> penn_word("("), penn_word("f(x)")
    ('-LRB-', 'f(x)')
    """
    return _BRACKETS.get(word, word)


def sentence_spans(text: str) -> list[tuple[int, int]]:
    """Return where the sentences of a text start and end, by NLTK's model Punkt for English.

    Raises
    ------
    MissingDataError
        If NLTK does not find the model's data.

    References
    ----------
    Kiss & Strunk (2006), Unsupervised multilingual sentence boundary detection.
    """
    spans: Sequence[tuple[int, int]] = list(_punkt().span_tokenize(text))
    return [(int(start), int(end)) for start, end in spans]


def _place(text: str, token: str, at: int) -> tuple[int, int]:
    """Return where the next token lies, behind ``at``; only quotes are spelt otherwise there."""
    while text[at].isspace():
        at += 1
    forms: Iterator[str] = (q for q in _QUOTES if text.startswith(q, at))
    surface = next(forms) if token in (_OPENING, _CLOSING) else token
    return at, at + len(surface)


@cache
def _punkt() -> Any:
    from nltk.tokenize import PunktTokenizer

    try:
        return PunktTokenizer("english")
    except LookupError:
        raise MissingDataError(
            "the data of NLTK's sentence splitter is not installed",
            where="punkt_tab",
            hint="python -m nltk.downloader punkt_tab; or give one sentence a line",
        ) from None
