"""How large a group of rows of a Parquet file is when it is expanded, before it is.

Values that repeat are written once, in a dictionary, so a few bytes may stand for many long texts.
Dictionaries are read by themselves, and the rows only as far as they are numbers of its entries.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet

from grammar.storage.expanded_size import most_expanded, refuse_expanded
from induction.corpus.tables.parquet_footer import Chunk

__all__ = ["expanded_rows"]

_WIDTH = 8


def expanded_rows(
    file: pa.parquet.ParquetFile,
    source: pa.NativeFile,
    chunks: Sequence[Chunk],
    number: int,
    path: str,
    before: int,
) -> int:
    """Return how many bytes a group of rows takes at most, as far as it need be known.

    Parameters
    ----------
    file, source : pyarrow.parquet.ParquetFile, open file
        The file.
    chunks : sequence of Chunk
        Those of the group, in the order of the columns.
    number : int
        Of the group.
    path : str
        For errors.
    before : int
        What the groups before it take.

    Raises
    ------
    UnreadableInputError
        If all that takes more than the file may expand to.
    pyarrow.ArrowInvalid
        If the group has other columns than the file.
    """
    least = sum(max(one.expanded, 0 if one.is_text else one.values) for one in chunks)
    size = source.size()
    refuse_expanded(before + least, size, path)
    most = before + least + sum(_WIDTH * one.values for one in chunks)
    if len(chunks) != len(file.schema):
        raise pa.ArrowInvalid("the footer is damaged: a group of rows has other columns")
    names = [file.schema.column(k).path for k in range(len(chunks))]
    counts = {
        name: one.values
        for name, one in zip(names, chunks, strict=True)
        if one.is_text and one.has_dictionary
    }
    if counts:
        repeating = list(counts)
        coded = pa.parquet.ParquetFile(source, metadata=file.metadata, read_dictionary=repeating)
        longest = _longest(coded, number, repeating)
        bound = sum(longest.get(name, 0) * count for name, count in counts.items())
        if most + bound > most_expanded(size):
            bound = _exact(coded, number, repeating)
        most += bound
    refuse_expanded(most, size, path)
    return most - before


def _longest(file: Any, number: int, names: list[str]) -> dict[str, int]:
    """Return the size of the longest text in the dictionary of each column."""
    batches = file.iter_batches(batch_size=1, row_groups=[number], columns=names)
    first = next(batches, None)
    if first is None:
        return {}
    # columns below others have a name behind a dot, and a name may hold dots itself
    return {
        name: max(
            (
                _longest_text(first.column(k))
                for k, top in enumerate(first.schema.names)
                if name == top or name.startswith(f"{top}.")
            ),
            default=0,
        )
        for name in names
    }


def _longest_text(column: Any) -> int:
    sizes = (
        pc.max(pc.binary_length(leaf.dictionary)).as_py() or 0
        for leaf in _leaves(column)
        if len(leaf.dictionary)
    )
    return max(sizes, default=0)


def _exact(file: Any, number: int, names: list[str]) -> int:
    """Return the size of all texts of some columns, which are not made for it."""
    table = file.read_row_group(number, columns=names)
    total = 0
    for column in table.columns:
        for chunk in column.chunks:
            for leaf in _leaves(chunk):
                lengths = pc.fill_null(pc.binary_length(leaf.dictionary), 0).to_numpy()
                codes = leaf.indices.drop_null().to_numpy()
                counts = np.bincount(codes, minlength=len(lengths))
                total += int(counts.astype(object) @ lengths.astype(object)) if len(lengths) else 0
    return total


def _leaves(array: Any) -> Iterator[pa.DictionaryArray]:
    """Yield the arrays of dictionaries in an array of lists, structs or texts."""
    if isinstance(array, pa.DictionaryArray):
        yield array
    elif pa.types.is_list(array.type) or pa.types.is_large_list(array.type):
        yield from _leaves(array.values)
    elif pa.types.is_map(array.type):
        yield from _leaves(array.keys)
        yield from _leaves(array.items)
    elif pa.types.is_struct(array.type):
        for k in range(array.type.num_fields):
            yield from _leaves(array.field(k))
