"""Words that have no synonyms worth putting in: clitics, ordinals, numbers, units, vulgar words.

They are a list in the package (``never.txt`` beside this module); a person may name another.
"""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

from grammar.errors import OptionError, TreewrightError
from grammar.files import read_text

__all__ = ["ENGLISH", "NONE", "can_be_replaced", "unfit_words"]

ENGLISH, NONE = "english", "none"
_WORD = re.compile(r"[^\W\d_]{2,}(?:-[^\W\d_]+)*")


def unfit_words(never: str = ENGLISH) -> frozenset[str]:
    """Return the words that are neither replaced nor put in, in lower case.

    Parameters
    ----------
    never : str
        ``"english"`` for the list that ships, ``"none"``, or a file with one word a line; lines
        that begin with ``#`` are remarks.

    Raises
    ------
    OptionError
        If the file cannot be read.

    Examples
    --------
    >>> "third" in unfit_words(), "third" in unfit_words("none")
    (True, False)
    """
    if never == NONE:
        return frozenset()
    return _read(str(Path(__file__).parent / "never.txt") if never == ENGLISH else never)


@cache
def _read(path: str) -> frozenset[str]:
    try:
        lines = read_text(path).splitlines()
    except TreewrightError as error:
        raise OptionError(
            f"never={path!r} is no file of words: {error.what}",
            hint="give 'english', 'none', or a file with one word a line",
        ) from None
    words = (line.strip().lower() for line in lines)
    return frozenset(word for word in words if word and not word.startswith("#"))


def can_be_replaced(word: str, unfit: frozenset[str]) -> bool:
    """Say whether a word may have synonyms: two letters or more, and none of a list.

    Clitics (``'m``, ``n't``) and whatever has digits are none.

    >>> [can_be_replaced(w, frozenset({"shit"})) for w in ("film", "'m", "n't", "3rd", "Shit")]
    [True, False, False, False, False]
    """
    return _WORD.fullmatch(word) is not None and word.lower() not in unfit
