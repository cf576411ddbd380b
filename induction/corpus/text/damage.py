"""Texts that were taken down wrongly: escapes of HTML, and UTF-8 that was read as Windows' text.

Both are read as they are: whoever made the file may want them so. Neither goes without a word.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from grammar.messages import tell

__all__ = ["tell_of_damage"]

_ESCAPE = re.compile(r"&(?:amp|lt|gt|quot|apos|nbsp|#\d{2,5}|#x[0-9a-fA-F]{2,5});")
_RUN = re.compile(r"[^\x00-\x7f]{2,}")


def tell_of_damage(texts: Iterable[str | None], path: str) -> None:
    """Tell of escapes of HTML in texts, and of characters that were decoded twice.

    >>> from grammar.messages import heard_by
    >>> with heard_by(print):
    ...     tell_of_damage(["good &amp; fine", "a cafÃ©"], "a.csv")
    a.csv: texts hold escapes of HTML, such as '&amp;', which stay; html.unescape undoes them
    a.csv: texts such as 'cafÃ©' are UTF-8 that was read as cp1252; 'café' is meant, most likely: \
text.encode("cp1252").decode("utf-8") undoes it
    """
    escape = twice = None
    for text in texts:
        if text is None or text.isascii():
            escape = escape or (text and "&" in text and _ESCAPE.search(text))
            continue
        escape = escape or _ESCAPE.search(text)
        twice = twice or _decoded_twice(text)
        if escape and twice:
            break
    if escape:
        tell(
            f"{path}: texts hold escapes of HTML, such as {escape[0]!r}, which stay; "
            "html.unescape undoes them"
        )
    if twice:
        tell(
            f"{path}: texts such as {twice[0]!r} are UTF-8 that was read as cp1252; {twice[1]!r} "
            'is meant, most likely: text.encode("cp1252").decode("utf-8") undoes it'
        )


def _decoded_twice(text: str) -> tuple[str, str] | None:
    """Return the first word of a text that is UTF-8 read as cp1252, and what it was; else None.

    >>> _decoded_twice("itâ€™s so"), _decoded_twice("déjà vu, naïve")
    (('itâ€™s', 'it’s'), None)
    """
    for word in text.split():
        for run in _RUN.findall(word):
            try:
                meant = run.encode("cp1252").decode("utf-8")
            except UnicodeError:
                continue
            return word, word.replace(run, meant)
    return None
