"""Files that say what classes are called: a class and its names a line, and templates for them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from grammar.errors import NotationError
from grammar.files import PathLike, read_text

__all__ = ["HOLE", "ClassNames", "parse_names", "read_names", "split_names"]

HOLE = "NAME"
"""The word of a template that stands for a name."""


@dataclass(frozen=True)
class ClassNames:
    """What each class is called, and how the names are said; no templates: those of the method."""

    names: Mapping[str, tuple[str, ...]]
    templates: tuple[str, ...] = ()


def read_names(path: PathLike) -> ClassNames:
    """Read a file of names (raises like :func:`parse_names`, or UnreadableInputError)."""
    return parse_names(read_text(path), source=str(path))


def parse_names(text: str, *, source: str = "<string>") -> ClassNames:
    """Read names from a text.

    A line with the word ``NAME`` is a template; any other is a class, a colon, and its names with
    commas between them. A class may have several lines. What follows ``#`` is a remark.

    Raises
    ------
    NotationError
        If a line is neither, or there are less than two classes; with the line.

    Examples
    --------
    >>> parse_names('''
    ...     good: fine, well made   # a remark
    ...     bad: poor
    ...     it is NAME .
    ... ''')
    ClassNames(names={'good': ('fine', 'well made'), 'bad': ('poor',)}, templates=('it is NAME .',))
    """
    names: dict[str, tuple[str, ...]] = {}
    templates: list[str] = []
    for number, line in enumerate(text.splitlines(), 1):
        line = line.partition("#")[0].strip()
        if not line:
            continue
        if HOLE in line.split():
            templates.append(" ".join(line.split()))
            continue
        label, colon, given = line.partition(":")
        found = split_names(given)
        if not colon or not label.strip() or not found:
            raise NotationError(
                f"this is neither names nor a template\n    {line}",
                where=f"{source}:{number}",
                hint=f"write  class: name, name  or a text with the word {HOLE}",
            )
        names[label.strip()] = names.get(label.strip(), ()) + found
    if len(names) < 2:
        raise NotationError(
            "there are less than two classes",
            where=source,
            hint="write a line for each:  class: name, name",
        )
    return ClassNames(names, tuple(templates))


def split_names(given: str | Iterable[str]) -> tuple[str, ...]:
    """Return names, each once, with single spaces.

    >>> split_names("good,  very good, good"), split_names(["good", "a, b"])
    (('good', 'very good'), ('good', 'a, b'))
    """
    parts = given.split(",") if isinstance(given, str) else given
    return tuple(dict.fromkeys(" ".join(str(part).split()) for part in parts if str(part).strip()))
