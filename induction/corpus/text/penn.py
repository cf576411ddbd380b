"""The tokens of the Penn Treebank: the rules that split a sentence, and those that join its tokens.

The rules are those of the treebank's script and of NLTK's two classes that follow it. Each looks at
a fixed number of characters, or at a run of signs that no other match looks at again, so the work
grows with the text and no faster.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

__all__ = ["join_tokens", "split_tokens"]

Rule = tuple[str, re.Pattern[str], str]
"""A piece without which there is nothing to do, what is looked for, and what comes there."""


def _rules(*rows: tuple[str, str, str]) -> tuple[Rule, ...]:
    return tuple((piece, re.compile(pattern), new) for piece, pattern, new in rows)


def _apart(signs: str) -> tuple[re.Pattern[str], dict[int, str]]:
    return re.compile(f"[{re.escape(signs)}]"), {ord(sign): f" {sign} " for sign in signs}


_SPLIT_WORDS = (
    *(r"\b(can){}(not)\b", r"\b(d){}('ye)\b", r"\b(gim){}(me)\b", r"\b(gon){}(na)\b"),
    *(r"\b(got){}(ta)\b", r"\b(lem){}(me)\b", r"\b(more){}('n)\b", r"\b(wan){}(na)(?=\s)"),
)
_SPLIT_BEHIND_SPACE = (r" ('t){}(is)\b", r" ('t){}(was)\b")
_SOME_SPLIT_WORD = "can{0}not|d{0}'ye|gim{0}me|gon{0}na|got{0}ta|lem{0}me|more{0}'n|wan{0}na"
_SOME_SPLIT_WORD += "|'t{0}(?:is|was)"
_CLITIC = r"'ll|'LL|'re|'RE|'ve|'VE|n't|N'T"
_SHORT_CLITIC = r"'[sS]|'[mM]|'[dD]|'"


def _contractions(patterns: Iterable[str], between: str, new: str) -> tuple[Rule, ...]:
    return _rules(*(("", f"(?i:{pattern.format(between)})", new) for pattern in patterns))


_QUOTES_THAT_OPEN = _rules(
    ('"', r'\A"', "``"), ("``", "``", " `` "), ("", r"([ (\[{<])(?:\"|'')", r"\1 `` ")
)
_COLONS = _rules(
    ("", r"([:,])(\D)", r" \1 \2"), ("", r"([:,])$", r" \1 "), ("...", r"\.\.\.", " ... ")
)
_SIGNS = _apart(";@#$%&")
_LAST_STOP = _rules((".", r"""([^.])(\.)([\])}>"']*+)\s*+$""", r"\1 \2\3 "))
_STOPS = _apart("?!")
_QUOTE_ALONE = _rules(("' ", r"([^'])' ", r"\1 ' "))
_BRACKETS = _apart("][(){}<>")
_QUOTES_THAT_CLOSE = _rules(
    ("''", "''", " '' "),
    ('"', '"', " '' "),
    ("'", rf"([^' ])({_SHORT_CLITIC}) ", r"\1 \2 "),
    ("'", rf"([^' ])({_CLITIC}) ", r"\1 \2 "),
)
_CONTRACTED = re.compile(_SOME_SPLIT_WORD.format(""), re.IGNORECASE)
_CONTRACTIONS = _contractions((*_SPLIT_WORDS, *_SPLIT_BEHIND_SPACE), "", r" \1 \2 ")

_PARTED = re.compile(_SOME_SPLIT_WORD.format(r"\s"), re.IGNORECASE)
_PARTS = _contractions((*_SPLIT_BEHIND_SPACE, *_SPLIT_WORDS), r"\s", r"\1\2")
_CLOSED_QUOTES = _rules(
    ("'", rf"([^' ])\s({_CLITIC}) ", r"\1\2 "),
    ("'", rf"([^' ])\s({_SHORT_CLITIC}) ", r"\1\2 "),
    ("''", r"([^'\s])\s('')", r"\1\2"),
    ("", r"([,.;:!?'])\s++(\"|'')", r"\1\2"),
    ("''", r"('')\s([.,:)\]>};%])", r"\1\2"),
    ("''", "''", '"'),
    ("\"'", r"""([,.;:!?])"'""", "\\1'\""),
)
_JOINED = _rules(
    (" -- ", " -- ", "--"),
    ("", r"([\[({<])\s", r"\1"),
    ("", r"\s([\])}>])", r"\1"),
    ("", r"([\])}>])\s([:;,.])", r"\1\2"),
    ("'", r"([^'])\s'\s", r"\1' "),
    ("", r"\s([?!])", r"\1"),
    (".", r"""([^.])\s(\.)(?!\.)([\])}>"']*+)""", r"\1\2\3"),
    ("", r"([#$])\s", r"\1"),
    ("", r"\s([;%])", r"\1"),
    ("...", r"\s\.\.\.\s", "..."),
    ("", r"\s([:,])", r"\1"),
    ("``", r"([ ([{<])\s``", r"\1``"),
    ("``", r"(``)\s", r"\1"),
    ("``", "``", '"'),
)


def split_tokens(text: str) -> list[str]:
    """Return the tokens of a sentence, with brackets as they are.

    >>> split_tokens('They didn\\'t say "go" (really).')
    ['They', 'did', "n't", 'say', '``', 'go', "''", '(', 'really', ')', '.']

    References
    ----------
    R. MacIntyre (1995), the sed script ``tokenizer.sed`` of the Penn Treebank.
    """
    text = _rewritten(text, _QUOTES_THAT_OPEN)
    text = _spaced(_rewritten(text, _COLONS), _SIGNS)
    text = _spaced(_rewritten(text, _LAST_STOP), _STOPS)
    text = _spaced(_rewritten(text, _QUOTE_ALONE), _BRACKETS)
    text = f" {text.replace('--', ' -- ')} "
    text = _rewritten(text, _QUOTES_THAT_CLOSE)
    if _CONTRACTED.search(text):
        text = _rewritten(text, _CONTRACTIONS)
    return text.split()


def join_tokens(tokens: Sequence[str]) -> str:
    """Return the text of tokens; only brackets and quotes that are written as signs are joined.

    >>> join_tokens(["I", "did", "n't", "(", "really", ")", "say", "``", "go", "''", "."])
    'I didn\\'t (really) say "go".'
    """
    text = f" {' '.join(tokens)} "
    if _PARTED.search(text):
        text = _rewritten(text, _PARTS)
    text = _rewritten(text, _CLOSED_QUOTES).strip()
    return _rewritten(text, _JOINED).strip()


def _rewritten(text: str, rules: Iterable[Rule]) -> str:
    for piece, pattern, new in rules:
        if piece in text:
            text = pattern.sub(new, text)
    return text


def _spaced(text: str, signs: tuple[re.Pattern[str], dict[int, str]]) -> str:
    some, apart = signs
    return text.translate(apart) if some.search(text) else text
