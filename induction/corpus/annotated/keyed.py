"""Objects whose names are no columns: texts under their classes, or classes under their texts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from grammar.messages import tell
from induction.corpus.column_names import LONG, TEXT_NAMES

__all__ = ["classes_of_texts", "texts_of_classes"]

_TEXTS = {name for group in TEXT_NAMES for name in group}
_FEWEST = 2


def texts_of_classes(value: Mapping[str, Any]) -> list[dict[str, Any]] | None:
    """Return rows of an object that has lists of texts under the names of classes; else None.

    Lists of one length may be columns. It is told.

    >>> from grammar.messages import heard_by
    >>> with heard_by(print):
    ...     rows = texts_of_classes({"good": ["so good", "fine"], "bad": ["so bad"]})
    texts are read from lists under the names of their classes: good, bad
    >>> rows[0]
    {'text': 'so good', 'label': 'good'}
    """
    lists = [*value.values()]
    if len(lists) < _FEWEST or not all(isinstance(one, list | tuple) and one for one in lists):
        return None
    texts = [text for one in lists for text in one]
    if not all(isinstance(text, str) for text in texts) or len({*map(len, lists)}) == 1:
        return None
    if _has_usual_name(value) or not any(" " in text for text in texts):
        return None
    tell(f"texts are read from lists under the names of their classes: {', '.join(value)}")
    return [{"text": text, "label": name} for name, own in value.items() for text in own]


def classes_of_texts(value: Mapping[str, Any]) -> Sequence[str | int] | None:
    """Return the classes of an object whose names are texts, in their order; else None.

    There are fewer classes than texts. It is told.

    >>> from grammar.messages import heard_by
    >>> with heard_by(print):
    ...     classes_of_texts({"a good film": "yes", "so bad a film": "no", "a fine film": "yes"})
    texts are read from the names of an object, and their classes from its values
    ['yes', 'no', 'yes']
    """
    classes = [*value.values()]
    if len(classes) < _FEWEST or not all(isinstance(name, str) for name in value):
        return None
    are_numbers = all(isinstance(one, int) for one in classes)
    if not (are_numbers or all(isinstance(one, str) for one in classes)):
        return None
    if sum(len(name.split()) for name in value) < LONG * len(value) or _has_usual_name(value):
        return None
    if not 1 < len({*classes}) < len(classes):
        return None
    tell("texts are read from the names of an object, and their classes from its values")
    return classes


def _has_usual_name(value: Mapping[str, Any]) -> bool:
    return not _TEXTS.isdisjoint(map(str.casefold, value))
