"""How the grammars of a family are kept in files: what is written, and how its name ends."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from grammar.errors import OptionError
from grammar.files import PathLike, read_text, write_text
from grammar.graph.storage import looks_like_json, table_from_json, without_collection, write_graph
from grammar.graph.table import GraphTable
from grammar.saving.array_checks import typed_columns
from grammar.saving.array_file import load_arrays, save_arrays
from grammar.saving.checksum import check_seal
from grammar.saving.facts import ANY, NOTES, Fields, damage_told

__all__ = ["ArrayCodec", "Codec", "GraphCodec", "read_content"]

_JSON = (".json", ".json.gz")


@dataclass(frozen=True)
class GraphCodec:
    """Node-link JSON of the graph, and the text notation of families that have one.

    A family gives ``build_graph()`` and ``from_table(table, source=...)``; with a notation also
    ``to_text()`` and ``parse(text, source=...)``.

    Attributes
    ----------
    notation : tuple of str
        How files in the text notation end; empty for families without one.
    """

    notation: tuple[str, ...] = ()

    @property
    def suffixes(self) -> tuple[str, ...]:
        """How the names of files end."""
        return (*_JSON, *self.notation)

    def write(self, grammar: Any, path: PathLike) -> None:
        """Write the file (see :meth:`grammar.weighted.Weighted.save`)."""
        check_suffix(path, self.suffixes, grammar.family)
        if self.notation and not str(path).endswith(_JSON):
            write_text(path, grammar.to_text())
        else:
            write_graph(grammar.noted_graph(), path)

    def content(self, grammar: Any) -> Any:
        """Return what equal grammars have equal."""
        return [dict(grammar.notes), *(getattr(grammar, each.name) for each in fields(grammar))]

    def read(self, family: type[Any], path: PathLike, **options: Any) -> Any:
        """Read the file (see :meth:`grammar.weighted.Weighted.load`)."""
        with without_collection():
            content = read_content(path)
            if isinstance(content, str) and self.notation:
                return family.parse(content, source=str(path), **options)
            if isinstance(content, str):
                content = table_from_json(content, source=str(path))  # which says what is wrong
            return family.from_graph(content, source=str(path), **options)


@dataclass(frozen=True)
class ArrayCodec:
    """Named arrays and facts in one Arrow file.

    A family gives ``to_arrays()``, which returns the facts and the columns, and
    ``from_arrays(facts, columns)``.

    Attributes
    ----------
    schema : str
        What is written into the file, with its version.
    what : str
        What the file should be, for errors.
    facts : Fields
        What its facts must be. Notes are beside them in every file.
    columns : mapping of str to str
        The type of every column, as :func:`grammar.saving.array_checks.typed_columns` has them.
    hint : str
        How to get such a file, for errors.
    """

    schema: str
    what: str
    facts: Fields
    columns: Mapping[str, str]
    hint: str = "save it again with the sampler's grammar.save"

    @property
    def suffixes(self) -> tuple[str, ...]:
        """How the names of files end."""
        return (".arrow",)

    def write(self, grammar: Any, path: PathLike) -> None:
        """Write the file (see :meth:`grammar.weighted.Weighted.save`)."""
        check_suffix(path, self.suffixes, grammar.family)
        facts, columns = self.content(grammar)
        save_arrays(path, self.schema, facts, columns)

    def content(self, grammar: Any) -> Any:
        """Return what equal grammars have equal."""
        facts, columns = grammar.to_arrays()
        return {**facts, "notes": dict(grammar.notes)} if grammar.notes else facts, columns

    def read(self, family: type[Any], path: PathLike, **options: Any) -> Any:
        """Read the file (see :meth:`grammar.weighted.Weighted.load`)."""
        facts, columns = load_arrays(path, self.schema, what=self.what, hint=self.hint)
        with damage_told(str(path), self.hint):
            ANY("facts", facts)
            notes = facts.pop("notes", {})
            NOTES("notes", notes)
            self.facts("facts", facts)
            typed = typed_columns(columns, self.columns)
            made = family.from_arrays(facts, typed, **options)
            return made.noted(**notes) if notes else made


Codec = GraphCodec | ArrayCodec


def read_content(path: PathLike, encoding: str = "utf-8") -> GraphTable | str:
    """Return the columns of a file of node-link JSON, or the text of any other.

    Raises
    ------
    UnreadableInputError
        If the file cannot be read.
    SchemaError
        If it is JSON, but no grammar of this schema.
    """
    text = read_text(path, encoding=encoding)
    if not looks_like_json(text, path):
        return text
    check_seal(text.encode(), str(path))
    return table_from_json(text, source=str(path))


def check_suffix(path: PathLike, suffixes: tuple[str, ...], family: str) -> None:
    """Refuse a name that says that a file holds something else; one without a suffix says nothing.

    >>> check_suffix("reviews.json", (".arrow",), "spans")
    Traceback (most recent call last):
    ...
    grammar.errors.OptionError: reviews.json: a grammar of the family 'spans' is not saved under ...
      hint: name it .arrow
    """
    if Path(path).suffix and not str(path).endswith(suffixes):
        raise OptionError(
            f"a grammar of the family {family!r} is not saved under such a name",
            where=str(path),
            hint=f"name it {', '.join(suffixes[:-1])}{' or ' * (len(suffixes) > 1)}{suffixes[-1]}",
        )
