"""The indefinite article before an English word."""

from __future__ import annotations

import re

__all__ = ["article", "wants_an"]

_VOWEL_SOUND = re.compile(
    r"(?!(?:uni(?!n|m)|use|usu|usa|uti|eu|ewe|one\b|once\b|ouija|u\b))[aeiou]|hour|honest|hono|heir"
    r"|8|1[18](?!\d|,\d\d\d)",
    re.I,
)
_INITIALS = re.compile(r"(?:[A-Z]{2,}s?|[A-Z])\b(?!')")
"""Letters that are spelt out: *an FBI agent*, *an X-ray*."""


def article(written: str, following: str) -> str:
    """Return a or an, by the sound of the word that follows, with a capital if there was one.

    >>> article("A", "hour"), article("an", " use of it"), article("a", "8 hours")
    ('An', 'a', 'an')
    """
    wanted = wants_an(following.lstrip())
    if wanted is None:
        return written
    form = "an" if wanted else "a"
    return form.capitalize() if written[0].isupper() else form


def wants_an(word: str) -> bool | None:
    """Say whether a word begins with the sound of a vowel; None if it is no word or number.

    >>> wants_an("FBI agent"), wants_an("NATO"), wants_an("X-ray"), wants_an("union"), wants_an(",")
    (True, False, True, False, None)
    """
    if not word[:1].isalnum():
        return None
    initials = _INITIALS.match(word)
    if initials and (len(initials[0]) < 4 or not re.search("[AEIOUY]", initials[0])):
        return word[0] in "AEFHILMNORSX"
    return _VOWEL_SOUND.match(word) is not None
