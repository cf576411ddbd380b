"""The indefinite article before an English word."""

from __future__ import annotations

import re

__all__ = ["article"]

_VOWEL_SOUND = re.compile(
    r"(?!(?:uni|use|usu|eu|one\b|once\b|u\b))[aeiou]|hour|honest|hono|heir", re.I
)


def article(written: str, following: str) -> str:
    """Return a or an, by the sound of the word that follows, with a capital if there was one.

    >>> article("A", "hour"), article("an", " use of it"), article("a", "8 hours")
    ('An', 'a', 'a')
    """
    word = following.lstrip()
    if not word[:1].isalpha():
        return written
    form = "an" if _VOWEL_SOUND.match(word) else "a"
    return form.capitalize() if written[0].isupper() else form
