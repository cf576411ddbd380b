"""What stands around all texts of a corpus, and is no part of them, most likely: it is told.

A text may be what Python printed of a list or of bytes, stand in quotes, behind a dash or a number,
or before or behind its class.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from grammar.messages import tell

__all__ = ["tell_of_surroundings"]

_FEWEST, _FEWEST_PARTED = 4, 2
_FEW = 60
_LONG = 2
_REACH = 200
_KINDS = (
    (re.compile(r"\[(['\"]).*\1\]", re.DOTALL), "are lists as Python prints them"),
    (re.compile(r"b(['\"]).*\1", re.DOTALL), "are bytes as Python prints them"),
    (re.compile(r"(['\"“«„]).*['\"”»“]", re.DOTALL), "stand in quotes"),
    (re.compile(r"[-*•–]\s.*", re.DOTALL), "begin with a sign, as items of a list"),
    (re.compile(r"\d+[.)]\s.*", re.DOTALL), "begin with a number, as items of a list"),
)
_GLUED = (re.compile(r".*[^\s;|@][;|@]([^\W_][\w-]*)", re.DOTALL), "end with")
"""A class behind a sign without a space: few texts are enough to say so."""
_CLASSES = (
    _GLUED,
    (re.compile(r"[\[(<]([^\W_][\w -]*)[\])>]\s*\S.*", re.DOTALL), "begin with"),
    (re.compile(r".*[\s.!?][#@]([^\W_][\w-]*)", re.DOTALL), "end with"),
    (re.compile(r".*\S\s*[\[(<]([^\W_][\w -]*)[\])>]", re.DOTALL), "end with"),
    (re.compile(r".*\S\s*[;|]\s*([^\W_][\w-]*)", re.DOTALL), "end with"),
    (re.compile(r".*[^\s,],\s*([^\W_][\w-]*)", re.DOTALL), "end with"),
)
"""A class before or behind a text, with a sign; the first that all texts have counts."""
_SIGNS = ("####", "|||", "$$$", "@@@", "~~~", "<sep>", "[SEP]", "</s>")
"""What parts two columns, if all texts hold it once."""
_ABSENT = {"nan", "NaN", "NA", "N/A", "#N/A", "null", "NULL", "None", "<NA>"}


def tell_of_surroundings(texts: Sequence[str | None], path: str) -> None:
    """Tell of what stands around all of the texts, and of texts that say that there is none.

    >>> from grammar.messages import heard_by
    >>> with heard_by(print):
    ...     tell_of_surroundings(["- so", "- it", "- is", "- here"], "a.txt")
    ...     tell_of_surroundings(["a film;joy", "a book;anger", "so;joy", "is;anger"], "a.txt")
    a.txt: all texts begin with a sign, as items of a list, such as '- so', which stays
    a.txt: all texts end with one of few words and a sign, such as 'anger'; if these are classes, \
write a text and its class a row as .tsv or .csv
    """
    there = [_ends(text.strip()) for text in texts if text and not text.isspace()]
    absent = next((text for text in there if text in _ABSENT), None)
    if absent is not None:
        tell(f"{path}: {absent!r} is a text here; leave the cell empty where there is none")
    _tell_of_parts(there, path)
    for pattern, what in _KINDS if len(there) >= _FEWEST else ():
        if all(map(pattern.fullmatch, there)):
            tell(f"{path}: all texts {what}, such as {there[0]!r:.40}, which stays")
            return
    for pattern, where in _CLASSES if len(there) >= _FEWEST else (_GLUED,):
        found = [pattern.fullmatch(text) for text in there]
        classes = {match[1] for match in found if match}
        most = len(there) - 1 if pattern is _GLUED[0] else len(there) // _LONG
        if all(found) and 1 < len(classes) <= min(_FEW, most):
            tell(
                f"{path}: all texts {where} one of few words and a sign, such as {min(classes)!r}; "
                "if these are classes, write a text and its class a row as .tsv or .csv"
            )
            return
    if len(there) >= _FEWEST:
        _tell_of_turns(there, path)


def _tell_of_parts(texts: Sequence[str], path: str) -> None:
    """Tell of texts all of which hold one sign once that parts columns elsewhere."""
    found = (
        sign
        for sign in _SIGNS
        if len(texts) >= _FEWEST_PARTED
        and all(text.count(sign) == 1 and all(map(str.strip, text.split(sign))) for text in texts)
    )
    if (sign := next(found, None)) is not None:
        tell(
            f"{path}: all texts hold {sign!r} once, which stays; if it parts columns, write them "
            "as .tsv, with their names above"
        )


def _ends(text: str) -> str:
    """Return the beginning and the end of a long text: no pattern looks at more."""
    return text if len(text) <= 2 * _REACH else text[:_REACH] + text[-_REACH:]


def _tell_of_turns(texts: Sequence[str], path: str) -> None:
    """Tell of texts of which every second is one of few words: it is the class of that before."""
    ours, theirs = texts[::2], texts[1::2]
    kinds = {*theirs}
    short = all(len(text.split()) <= _LONG for text in kinds)
    long = sum(len(text.split()) for text in ours) > 2 * _LONG * len(ours)
    if short and long and 1 < len(kinds) <= min(_FEW, len(theirs) // _LONG):
        tell(
            f"{path}: every second text is one of few words, such as {theirs[0]!r:.40}; if these "
            "are classes, write a text and its class a row as .tsv or .csv"
        )
