"""Each file of a corpus by itself, for a corpus that is too large to be held.

A file has a seed of its own, made of the seed that was given and of what its name has in the place
of the star. So what is made of it does not depend on the other files, and ids differ over all.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from fnmatch import fnmatchcase

from grammar.errors import OptionError, UnreadableInputError
from grammar.files import reading
from grammar.rng import stream_key
from grammar.storage.location import STAR, is_many
from grammar.storage.opening import place_of

__all__ = ["EachFile", "each_file"]


@dataclass(frozen=True)
class EachFile:
    """One file of many, what is made of it, and with which seed."""

    source: str
    output: str
    seed: int


def each_file(source: str | None, output: str | None, seed: int) -> list[EachFile]:
    """Return the files of a name with a star, each with its output.

    Parameters
    ----------
    source, output : str
        Names with one star; an output has in its place what the file has.
    seed : int
        The seed of the whole.

    Raises
    ------
    OptionError
        If a name has not one star, or an output would be a file of the source.
    UnreadableInputError
        If no file has such a name.
    """
    before, behind = _around(source, "IN")
    start, end = _around(output, "OUT")
    with reading(str(source)):
        found = [file.name for file in place_of(str(source)).files().values()]
    if not found:
        raise UnreadableInputError("there are no such files", where=source)
    tasks = []
    for name in found:
        last = os.path.basename(name)
        own = last[len(os.path.basename(before)) : len(last) - len(behind)]
        its = f"{start}{own}{end}"
        if fnmatchcase(os.path.basename(its), os.path.basename(str(source))) and (
            os.path.dirname(its) == os.path.dirname(str(source))
        ):
            raise OptionError(
                "IN is a name for the output, too",
                where=its,
                hint="write to another folder, or under names that IN does not fit",
            )
        tasks.append(EachFile(name, its, int(stream_key(seed, f"file {own}")) >> 1))
    return tasks


def _around(path: str | None, what: str) -> tuple[str, str]:
    if path is None or not is_many(path) or path.count(STAR) != 1:
        raise OptionError(
            f"with --each, {what} is a name with one star",
            where=path,
            hint="such as --each 'part-*.parquet' -o 'new-*.parquet'",
        )
    before, _, behind = path.partition(STAR)
    return before, behind
