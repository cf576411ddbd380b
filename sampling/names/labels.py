"""What the labels of a corpus say: labels that are words are names of their classes.

Labels are written for programs: ``Sci/Tech``, ``science_fiction``, ``NUM:date``, ``compGraphics``.
A stroke, a comma or an ampersand parts names; what stands before a colon or a dot is a heading of
several classes, so the last part counts; other signs part the words of one name. Numbers and codes
(``ABBR``, ``c1``, ``LOC``) say nothing to a person or a model, and are refused.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from types import MappingProxyType

from grammar.errors import OptionError
from sampling.english.parts_of_speech import parts_of_speech

__all__ = ["label_names", "names_of_labels"]

LEAST_LETTERS = 3
"""Of a word of a dictionary."""
UNLISTED_LETTERS = 5
"""Of a word that is in no dictionary: shorter ones are codes."""
ABBREVIATIONS = MappingProxyType(
    {
        "biz": "business", "intl": "international", "neg": "negative", "neu": "neutral",
        "obj": "objective", "pos": "positive", "sci": "science", "subj": "subjective",
        "tech": "technology",
    }
)  # fmt: skip
"""Abbreviations of labels that many corpora have."""
SAY_NOTHING = frozenset(["category", "class", "false", "label", "none", "other", "true", "yes"])
"""Words of labels that name no class."""


def label_names(label: str) -> tuple[str, ...]:
    """Return the names that a label says; none if it is a number or a code.

    Examples
    --------
    >>> label_names("Sci/Tech"), label_names("NUM:date"), label_names("scienceFiction")
    (('science', 'technology'), ('date',), ('science fiction',))
    >>> label_names("ABBR"), label_names("c1"), label_names("True")
    ((), (), ())
    """
    last = re.split(r"[:.>]+", label.strip(" :.>"))[-1]
    names = [_words(part) for part in re.split(r"[/,&|;]", last)]
    return tuple(dict.fromkeys(" ".join(words) for words in names if words))


def names_of_labels(classes: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """Return the names that the labels of all classes say.

    Parameters
    ----------
    classes : sequence of str
        The labels.

    Raises
    ------
    OptionError
        If a label is a number or a code, or two labels say the same; the hint says how to name the
        classes.

    Examples
    --------
    >>> names_of_labels(["World", "sports_news"])
    {'World': ('world',), 'sports_news': ('sports news',)}
    """
    found = {label: label_names(label) for label in classes}
    silent = next((label for label, names in found.items() if not names), None)
    if silent is None and len(set(found.values())) < len(found):
        silent = next(a for a in found if list(found.values()).count(found[a]) > 1)
    if silent is not None:
        line = "; ".join(f"{label}: ..., ..." for label in classes[:2])
        raise OptionError(
            f"the label {silent!r} does not say in words what its class is",
            hint="say what each class is called: names(LABEL='name, name', ...), or classify "
            f'auto --classes "{line}"',
        )
    return found


def _words(part: str) -> list[str]:
    """Return the words of a name in lower case; none if no word of it is known."""
    words = re.findall(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|[^\W\d_]+", part)
    lowered = [ABBREVIATIONS.get(word.lower(), word.lower()) for word in words]
    told = [word for word in lowered if word not in SAY_NOTHING]
    return told if any(map(_is_word, told)) else []


def _is_word(word: str) -> bool:
    if len(word) < LEAST_LETTERS:
        return False
    return bool(parts_of_speech(word)) or len(word) >= UNLISTED_LETTERS
