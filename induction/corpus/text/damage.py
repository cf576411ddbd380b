"""Texts that were taken down wrongly: escapes, marks of XML, UTF-8 read as Windows' text.

They are read as they are: whoever made the file may want them so. None goes without a word.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from grammar.messages import tell
from induction.corpus.text.markup import without_markup

__all__ = ["tell_of_damage"]

_ESCAPE = re.compile(r"&(?:amp|lt|gt|quot|apos|nbsp|#\d{2,5}|#x[0-9a-fA-F]{2,5});")
_WRITTEN = re.compile(r"\\n(?:\\n|\s|$)|\s\\n")
_MARKED = re.compile(r"<([A-Za-z][\w:.-]*)(?: [^<>]*)?>[^<>]*</\1>")
_MARKED_OTHERWISE = re.compile(
    r"<START(?::[\w-]+)?>[^<>]*<END>"  # OpenNLP
    r"|\[[A-Z][A-Z_-]+ [^\[\]]* \]"  # [PER Ann Lee ]
    r"|\[[^\[\]\n]+\](?:\([A-Za-z_][\w:-]*\)|\{\"entity\")"  # [Rome](city)
)
_RUN = re.compile(r"[^\x00-\x7f]{2,}")


def tell_of_damage(texts: Iterable[str | None], path: str) -> None:
    """Tell of escapes and marks in texts, and of characters that were decoded twice.

    >>> from grammar.messages import heard_by
    >>> with heard_by(print):
    ...     tell_of_damage(["good &amp; fine", "a cafÃ©"], "a.csv")
    a.csv: texts hold escapes of HTML, such as '&amp;', which stay; html.unescape undoes them
    a.csv: texts such as 'cafÃ©' are UTF-8 that was read as cp1252; 'café' is meant, most likely: \
text.encode("cp1252").decode("utf-8") undoes it
    """
    escape = twice = marked = written = None
    for text in texts:
        if not text:
            continue
        escape = escape or ("&" in text and _ESCAPE.search(text))
        written = written or ("\\n" in text and _WRITTEN.search(text))
        marked = marked or ("</" in text and _MARKED.search(without_markup(text)))
        marked = marked or (("[" in text or "<S" in text) and _MARKED_OTHERWISE.search(text))
        twice = twice or (not text.isascii() and _decoded_twice(text))
    if escape:
        tell(
            f"{path}: texts hold escapes of HTML, such as {escape[0]!r}, which stay; "
            "html.unescape undoes them"
        )
    if written:
        tell(
            f"{path}: texts hold line ends that are written as \\n, which stay; "
            r"text.replace('\\n', '\n') undoes it"
        )
    if marked:
        tell(
            f"{path}: texts hold marks, such as {marked[0]!r:.60}, which methods take for words; "
            "write the words alone, and what is marked in a column 'spans'"
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
