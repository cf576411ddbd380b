"""Attributes that other libraries have, and what gives the same here."""

from __future__ import annotations

from abc import ABCMeta
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

__all__ = ["Hints", "NamesOfOthers", "attribute_hint", "no_attribute"]

Hints = Mapping[str, Sequence[str]]
"""Hints, and the names that they are given for.

``{name}`` stands for the name, and ``{of}`` for what it is asked of.
"""


def attribute_hint(name: str, hints: Hints, of: str = "") -> str | None:
    """Return what is to be said of a name; None if it is of no other library.

    >>> attribute_hint("iloc", {"{of}.to_pandas().{name} has it": ["loc", "iloc"]}, "corpus")
    'corpus.to_pandas().iloc has it'
    """
    found = next((hint for hint, theirs in hints.items() if name in theirs), None)
    return None if found is None else found.replace("{name}", name).replace("{of}", of)


def no_attribute(value: object, name: str, hint: str | None, why: str = "") -> AttributeError:
    """Return the error of an attribute that a value does not have.

    Without a hint, Python names the nearest attribute where it prints the error.
    """
    what = f"{type(value).__name__!r} object has no attribute {name!r}{why}"
    if hint is None:
        return AttributeError(what, name=name, obj=value)
    return AttributeError(f"{what}\n  hint: {hint}")


class NamesOfOthers(ABCMeta):
    """The class of classes whose makers have other names in other libraries: it says ours.

    Such a class has :data:`Hints` as ``_made_elsewhere``.

    Examples
    --------
    >>> class Corpus(metaclass=NamesOfOthers):
    ...     _made_elsewhere = {"read_corpus(data)": ("from_pandas",)}
    >>> Corpus.from_pandas
    Traceback (most recent call last):
        ...
    AttributeError: type object 'Corpus' has no attribute 'from_pandas'
      hint: read_corpus(data)
    """

    _made_elsewhere: Hints

    if not TYPE_CHECKING:  # of a type checker, what is not there is an error

        def __getattr__(cls, name: str) -> Any:
            hint = None if name.startswith("_") else attribute_hint(name, cls._made_elsewhere)
            told = f"\n  hint: {hint}" if hint else ""
            raise AttributeError(f"type object {cls.__name__!r} has no attribute {name!r}{told}")
