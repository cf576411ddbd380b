"""What the facts of a saved file must be: a kind for each field, checked where it is opened.

A file may hold any value anywhere, and its seal can be made again. So what is read off a file is
declared as :class:`Fields`, beside what reads it, and checked before anything uses it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import pyarrow as pa

from grammar.errors import SchemaError, TreewrightError

__all__ = [
    "ANY",
    "CLASSES",
    "FLAG",
    "FOREIGN",
    "NOTES",
    "OPTIONS",
    "SCALAR",
    "TEXT",
    "TEXTS",
    "Fields",
    "Kind",
    "any_of",
    "damage_told",
    "each",
    "maybe",
    "one_of",
    "real",
    "row",
    "whole",
]  # fmt: skip

Kind: TypeAlias = Callable[[str, Any], None]
"""Takes the name of a field and its value, and refuses the value by a SchemaError."""

_DEEPEST = 32
FOREIGN = (
    ArithmeticError, AttributeError, LookupError, MemoryError, RecursionError, SystemError,
    TypeError, ValueError, pa.ArrowException,
)  # fmt: skip
"""What libraries raise on values that none of the checks knows; see :func:`damage_told`."""


@dataclass(frozen=True)
class Fields:
    """The fields of a mapping, each with its kind.

    Attributes
    ----------
    needed : mapping of str to Kind
        Those that are always there.
    possible : mapping of str to Kind
        Those that may be missing.
    others : Kind, optional
        What all others must be; without it there may be none.

    Examples
    --------
    >>> facts = Fields({"method": TEXT, "sides": whole(1, 2)})
    >>> facts("facts", {"method": "sub2", "sides": True})
    Traceback (most recent call last):
    ...
    grammar.errors.SchemaError: facts.sides: True is not a whole number from 1 to 2
    """

    needed: Mapping[str, Kind]
    possible: Mapping[str, Kind] = field(default_factory=dict)
    others: Kind | None = None

    def __call__(self, field: str, value: Any) -> None:
        """Refuse a mapping that lacks a field, or has one of another kind or name."""
        if not isinstance(value, dict):
            raise _refused(field, value, "a mapping")
        known = {**self.possible, **self.needed}
        for name in self.needed:
            if name not in value:
                raise SchemaError(f"there is no field {name!r}", where=field)
        for name, held in value.items():
            kind = known.get(name, self.others)
            if kind is None:
                raise SchemaError(f"the field {name[:80]!r} is not known", where=field)
            kind(f"{field}.{name[:80]}", held)


def whole(least: int = 0, most: int = 2**62) -> Kind:
    """Return the kind of whole numbers between two, both included."""

    def check(field: str, value: Any) -> None:
        if type(value) is not int or not least <= value <= most:
            raise _refused(field, value, f"a whole number from {least} to {most}")

    return check


def real(least: float = -math.inf, most: float = math.inf) -> Kind:
    """Return the kind of finite numbers between two, both included."""

    def check(field: str, value: Any) -> None:
        good = type(value) in (int, float) and least <= value <= most
        if not good or not math.isfinite(value if abs(value) < 2**1000 else math.inf):
            raise _refused(field, value, f"a number from {least} to {most}")

    return check


def one_of(*values: Any) -> Kind:
    """Return the kind of those values."""

    def check(field: str, value: Any) -> None:
        if not any(type(value) is type(known) and value == known for known in values):
            raise _refused(field, value, f"one of {', '.join(map(repr, values))}")

    return check


def maybe(kind: Kind) -> Kind:
    """Return the kind of what is null, or of another kind."""

    def check(field: str, value: Any) -> None:
        if value is not None:
            kind(field, value)

    return check


def any_of(first: Kind, *others: Kind) -> Kind:
    """Return the kind of what is of one of several kinds."""

    def check(field: str, value: Any) -> None:
        for kind in others:
            try:
                return kind(field, value)
            except SchemaError:
                continue
        return first(field, value)

    return check


def each(kind: Kind, *, least: int = 0, most: int = 2**31) -> Kind:
    """Return the kind of lists of so many values of a kind."""

    def check(field: str, value: Any) -> None:
        if not isinstance(value, list | tuple):
            raise _refused(field, value, "a list")
        if not least <= len(value) <= most:
            raise SchemaError(f"a list of {len(value)} values, not {least} to {most}", where=field)
        for place, held in enumerate(value):
            kind(f"{field}[{place}]", held)

    return check


def row(*kinds: Kind) -> Kind:
    """Return the kind of lists that have a value of each of these kinds, in this order."""
    length = each(_any_value, least=len(kinds), most=len(kinds))

    def check(field: str, value: Any) -> None:
        length(field, value)
        for place, (kind, held) in enumerate(zip(kinds, value, strict=True)):
            kind(f"{field}[{place}]", held)

    return check


def _any_value(field: str, value: Any) -> None:
    """Refuse nothing."""


def _text(field: str, value: Any) -> None:
    if not isinstance(value, str):
        raise _refused(field, value, "a text")
    try:
        value.encode()
    except UnicodeEncodeError:
        raise SchemaError("a text with half a character", where=field) from None


def _flag(field: str, value: Any) -> None:
    if not isinstance(value, bool):
        raise _refused(field, value, "true or false")


def _scalar(field: str, value: Any) -> None:
    if isinstance(value, list | tuple | dict):
        raise _refused(field, value, "a single value")
    if type(value) in (int, float) and value is not True:
        real()(field, value)
    if isinstance(value, str):
        _text(field, value)


def _any(field: str, value: Any) -> None:
    """Refuse values that are nested deep, or hold texts with half a character."""
    level: list[Any] = [value]
    for _ in range(_DEEPEST):
        if not level:
            return
        texts = [held for held in level if isinstance(held, str)]
        for mapping in (held for held in level if isinstance(held, dict)):
            texts += mapping
        for text in texts:
            _text(field, text)
        level = [inner for held in level for inner in _inside(held)]
    if level:
        raise SchemaError(f"nested more than {_DEEPEST} deep", where=field)


def _inside(value: Any) -> Collection[Any]:
    if isinstance(value, dict):
        return value.values()
    return value if isinstance(value, list | tuple) else ()


def _is_set(label: Any) -> bool:
    return isinstance(label, list | tuple) and (not label or isinstance(label[0], str))


def _classes(field: str, value: Any) -> None:
    """Refuse labels of classes that are not all whole numbers, distributions equally long, or sets.

    A set is a list of names.
    """
    if isinstance(value, list | tuple) and any(map(_is_set, value)):
        each(each(_text), least=1)(field, value)
        return
    each(any_of(whole(), each(real(0), least=1)), least=1)(field, value)
    shapes = {len(label) if isinstance(label, list | tuple) else -1 for label in value}
    if len(shapes) > 1:
        raise SchemaError("labels of several kinds or lengths", where=field)


ANY: Kind = _any
"""Whatever JSON can hold, nested not too deep."""
SCALAR: Kind = _scalar
"""What is neither a list nor a mapping."""
TEXT: Kind = _text
FLAG: Kind = _flag
CLASSES: Kind = _classes
TEXTS: Kind = each(TEXT)
OPTIONS: Kind = Fields({}, others=ANY)
"""What a method was told; :func:`grammar.opening.open_grammar` checks it by its declaration."""
NOTES: Kind = Fields({}, others=ANY)


def _refused(field: str, value: Any, wanted: str) -> SchemaError:
    told = _short(value)
    return SchemaError(f"{told} is not {wanted}", where=field)


def _short(value: Any) -> str:
    """Return what a value looks like; long and deep ones by their kind alone.

    >>> _short("a"), _short({"a": 1}), _short(10**400)
    ("'a'", 'a dict', 'a long int')
    """
    if isinstance(value, Collection) and not isinstance(value, str):
        return f"a {type(value).__name__}"
    if isinstance(value, int) and abs(value) >= 2**64:
        return "a long int"
    told = ascii(value)
    return told if len(told) < 80 else f"a long {type(value).__name__}"


@contextmanager
def damage_told(source: str, hint: str) -> Iterator[None]:
    """Let whatever is raised while a file is opened be one error that names the file.

    Declared checks come first; what they do not know of, such as columns that do not fit each
    other, ends here.

    Raises
    ------
    SchemaError
        If a part of the file is missing, or is not what it must be.
    """
    try:
        yield
    except (TreewrightError, *FOREIGN) as error:
        told = error.what if isinstance(error, TreewrightError) else str(error)
        place = getattr(error, "where", None)
        what = f"{place}: {told}" if place else told
        raise SchemaError(
            f"the file is damaged: {what or type(error).__name__}".splitlines()[0],
            where=source,
            hint=hint,
        ) from None
