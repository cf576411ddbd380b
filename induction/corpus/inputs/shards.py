"""Many files that are one corpus: a folder of them, or a name with a star."""

from __future__ import annotations

import bisect
import itertools
import re
from collections.abc import Callable, Sequence
from pathlib import PurePath

import pyarrow as pa

from grammar.errors import CorpusError, OptionError
from grammar.files import PathLike
from grammar.storage.inside import check_links
from grammar.storage.location import Place, is_many, is_url
from grammar.storage.opening import place_of
from induction.corpus.rows import Rows

__all__ = ["shards_of", "together"]

_PART = re.compile(r"(train|test|dev|val|valid|validation|eval)(?![^\W_])", re.IGNORECASE)
"""How the names of files begin that are parts of a data set."""


def shards_of(path: PathLike, suffixes: Sequence[str]) -> list[str]:
    """Return the files of a folder, or of a name with a star, in the order of their names.

    Of a folder these are the files that end as those of corpora do, which must be one way; others,
    such as a card, are passed over. None are found where there is a single file.

    Raises
    ------
    OptionError
        If files of a folder end in several ways, or are named as parts of a data set: a corpus of
        training and test data is no corpus.
    SchemaError
        If one of a folder is a symbolic link out of it.
    OSError
        If a store cannot be reached.
    """
    place = place_of(path)
    if is_many(path):
        return [file.name for file in place.files().values()]
    if not place.is_folder():
        return []
    found: dict[str, list[Place]] = {}
    for name, file in place.files().items():
        ending = _ending(name)
        if ending in suffixes:
            if not is_url(path):
                check_links(path, file.name, file.name)
            found.setdefault(ending, []).append(file)
    parts = {match[1] for name in place.files() if (match := _PART.match(PurePath(name).name))}
    if found and len(parts) > 1:
        raise OptionError(
            f"the folder holds parts of a data set: {', '.join(sorted(parts))}",
            where=str(path),
            hint=f"name the files of one, such as '{path}/{max(parts)}*'",
        )
    if len(found) > 1:
        raise OptionError(
            f"the folder holds files of several formats: {', '.join(sorted(found))}",
            where=str(path),
            hint=f"name those of one, such as {path}/*{min(found)}",
        )
    return [file.name for files in found.values() for file in files]


def together(parts: Sequence[Rows], path: PathLike) -> Rows:
    """Return the rows of many files as those of one.

    Raises
    ------
    CorpusError
        If a column has values of different kinds in two files.
    """
    try:
        table = pa.concat_tables([part.table for part in parts], promote_options="permissive")
    except pa.ArrowException as error:
        raise CorpusError(
            f"the files do not have the same columns: {str(error).splitlines()[0]}",
            where=str(path),
            hint="give one type to each column in all of them",
        ) from None
    ends = list(itertools.accumulate(part.table.num_rows for part in parts))
    skipped = tuple(row for part in parts for row in part.skipped)
    return Rows(table, _where(parts, ends), any(part.untyped for part in parts), skipped)


def _where(parts: Sequence[Rows], ends: Sequence[int]) -> Callable[[int], str]:
    def where(row: int) -> str:
        number = min(bisect.bisect_right(ends, row), len(parts) - 1)
        return parts[number].where(row - (ends[number - 1] if number else 0))

    return where


def _ending(name: str) -> str:
    return PurePath(name.removesuffix(".gz")).suffix
