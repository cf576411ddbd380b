"""Raw text to the tokens of the Penn Treebank, each with its place in the text, and back.

The rules are those of NLTK's ``TreebankWordTokenizer``, which needs no data. Words are written as
treebanks write them: ``-LRB-`` for an opening bracket, two backquotes for an opening quote. The
places say which characters of the text a word stands for, so that whoever changes one word can
leave every other character as it is.

Addresses of pages and of people, ``@names``, ``#tags``, ``<url>`` and emoji are one token each,
which the treebank of 1995 did not have to know. Tags of HTML are none
(:mod:`induction.corpus.text.markup`).
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from induction.corpus.text.markup import without_markup

__all__ = [
    "Tokens",
    "detokenise",
    "is_blank",
    "penn_word",
    "plain_brackets",
    "surface_of",
    "tokenise",
]

_BRACKETS = {
    "(": "-LRB-",
    ")": "-RRB-",
    "[": "-LSB-",
    "]": "-RSB-",
    "{": "-LCB-",
    "}": "-RCB-",
}
_UNESCAPED = {form: sign for sign, word in _BRACKETS.items() for form in (word, word.lower())}
_OPENING, _CLOSING = "``", "''"
_QUOTES = (_OPENING, _CLOSING, '"')
_CURLY = {"“": _OPENING, "„": _OPENING, "”": _CLOSING}
_CONTROLS = {code: " " for code in (*range(0x20), *range(0x7F, 0xA0)) if not chr(code).isspace()}
"""No word holds one: a text has them by a wrong encoding, most often."""
# one character for one, so that places stay
_PLAIN = str.maketrans({**dict.fromkeys(_CURLY, '"'), "’": "'", "‘": "'"}) | _CONTROLS

_EMOJI = (
    "[\U0001f1e6-\U0001f1ff]{2}"  # flags
    "|[#*0-9]\ufe0f?\u20e3"  # keys
    "|(?:[\U0001f000-\U0001f1e5\U0001f200-\U0001faff\u2600-\u27bf\u2b50\u2b55\u231a\u231b]"
    "[\ufe0f\U0001f3fb-\U0001f3ff]*\u200d?)+?(?<!\u200d)(?![\ufe0f\u200d\U0001f3fb-\U0001f3ff])"
)
_WHOLE = re.compile(
    r"(?:https?://|www\.)[^\s<>\"“”]*[\w/=&#%-]"
    r"|(?<![\w.+-])[\w.+-]+@[\w-]+(?:\.[\w-]+)+"
    r"|(?<![\w@#])@\w+"
    r"|(?<![\w@#&])#\w*[^\W\d]\w*"
    r"|</?[^\W\d_][\w-]*>"
    rf"|{_EMOJI}"
)
"""What is one token whatever signs are in it: addresses, names, tags, what stands in for others
(as ``<url>``), emoji."""
_BEHIND_THE_STOP = re.compile(r"\w\.(?=\s+[^\w\s]\W*$)")
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

    Addresses, ``@names``, ``#tags``, ``<url>`` and the like, and emoji are one token each.

    Parameters
    ----------
    text : str
        One sentence (:func:`induction.corpus.text.sentences.sentence_spans`): only the last full
        stop becomes a token of its own.

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
    from nltk.tokenize import TreebankWordTokenizer

    text = without_markup(text)
    whole = [match.span() for match in _WHOLE.finditer(text)]
    plain = text.translate(_PLAIN)
    for start, end in whole:
        plain = plain[:start] + _STANDS_IN * (end - start) + plain[end:]
    bounds = {place for span in whole for place in span}
    words, starts, ends, end = [], [], [], 0
    behind = _BEHIND_THE_STOP.search(plain)
    stop = behind.end() if behind else len(plain)
    cut = TreebankWordTokenizer().tokenize
    for token in (*cut(plain[:stop]), *cut(plain[stop:])):
        first, end = _place(plain, token, end)
        # a whole token may touch its neighbours
        cuts = [first, *sorted(place for place in bounds if first < place < end), end]
        for a, b in itertools.pairwise(cuts):
            piece = token if (a, b) == (first, end) else plain[a:b]
            words.append(_spelt(text[a:b], piece))
            starts.append(a)
            ends.append(b)
    return Tokens(tuple(words), tuple(starts), tuple(ends))


def detokenise(words: Sequence[str]) -> str:
    """Return the text of Penn Treebank tokens: brackets and quotes as people write them.

    The rules are those of NLTK's ``TreebankWordDetokenizer``.

    >>> print(detokenise(["I", "did", "n't", "-LRB-", "really", "-RRB-", "say", "``", "go", "''"]))
    I didn't (really) say "go"
    """
    from nltk.tokenize.treebank import TreebankWordDetokenizer

    return str(TreebankWordDetokenizer().detokenize([surface_of(word) for word in words]))


def surface_of(word: str) -> str:
    """Return a bracket as people write it; other words as they are.

    >>> surface_of("-LRB-"), surface_of("-lrb-"), surface_of("left")
    ('(', '(', 'left')
    """
    return _UNESCAPED.get(word, word)


def plain_brackets(text: str) -> str:
    """Return tokens with single spaces between, their brackets as people write them.

    >>> plain_brackets("Go -LRB- now -RRB- .")
    'Go ( now ) .'
    """
    return " ".join(surface_of(word) for word in text.split(" "))


def _spelt(surface: str, token: str) -> str:
    """Return a token in the spelling of the Penn Treebank."""
    if token[0] == _STANDS_IN:
        return surface
    return _CURLY.get(surface, _BRACKETS.get(token, token))


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
    return _BRACKETS.get(word, word)


def _place(text: str, token: str, at: int) -> tuple[int, int]:
    """Return where the next token lies, behind ``at``; only quotes are spelt otherwise there."""
    while text[at].isspace():
        at += 1
    forms: Iterator[str] = (q for q in _QUOTES if text.startswith(q, at))
    surface = next(forms) if token in (_OPENING, _CLOSING) else token
    return at, at + len(surface)
