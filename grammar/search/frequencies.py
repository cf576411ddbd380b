"""Tables of frequencies: how often each combination of values is found."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from grammar.arrays import LongArray
from grammar.pictures.html import html_table

__all__ = ["Frequencies", "counted"]

_SHOWN = 20


@dataclass(frozen=True, eq=False, repr=False)
class Frequencies:
    """How often combinations of values are found, the most frequent first.

    Attributes
    ----------
    table : pyarrow.Table
        A column for each variable; ``hits``; ``trees`` or ``sentences``, of how many they are; and
        ``per_1000_words``, the hits in a thousand words of the part of the treebank that the
        row is about, or of all of it where no variable divides the trees.
    variables : tuple of str
        The names of the first columns.

    Examples
    --------
    >>> from grammar import Treebank
    >>> trees = Treebank.parse("(S (NP we) (VP ran)) (S (NP we) (VP sat))")
    >>> found = trees.search("VP").count(by="words")
    >>> found.variables, found.table["hits"].to_pylist()
    (('words',), [1, 1])
    """

    table: pa.Table
    variables: tuple[str, ...]

    def __len__(self) -> int:
        return int(self.table.num_rows)

    def __iter__(self) -> Iterator[dict[str, Any]]:
        return iter(self.table.to_pylist())

    def __getitem__(self, values: object) -> int:
        """Return how many hits have a value, or a tuple of values; 0 if there are none."""
        key = values if isinstance(values, tuple) else (values,)
        rows = zip(*(self.table.column(name).to_pylist() for name in self.variables), strict=True)
        hits: list[int] = self.table.column("hits").to_pylist()
        return next((count for row, count in zip(rows, hits, strict=True) if row == key), 0)

    def to_pandas(self) -> Any:
        """Return the table as a data frame of pandas."""
        return self.table.to_pandas()

    def lines(self, most: int = _SHOWN) -> list[str]:
        """Return the first rows as aligned text, the names of the columns first."""
        cells = [self.table.column_names, *self._cells(most)]
        columns = list(zip(*cells, strict=True))
        widths = [max(map(len, column)) for column in columns]
        left = len(self.variables)
        shown = [
            "  ".join(
                cell.ljust(width) if place < left else cell.rjust(width)
                for place, (cell, width) in enumerate(zip(row, widths, strict=True))
            ).rstrip()
            for row in cells
        ]
        rest = len(self) - most
        return [*shown, f"... and {rest:,} more"] if rest > 0 else shown

    def __repr__(self) -> str:
        return "\n".join(self.lines())

    def _repr_html_(self) -> str:
        return html_table(self._cells(_SHOWN), header=self.table.column_names)

    def _cells(self, most: int) -> list[Sequence[str]]:
        return [[_cell(value) for value in row.values()] for row in self.table[:most].to_pylist()]


def counted(
    values: Mapping[str, Sequence[Any]],
    units: LongArray,
    unit: str,
    dividing: Mapping[str, Sequence[Any]],
    lengths: LongArray,
) -> Frequencies:
    """Count hits by the values of variables.

    Parameters
    ----------
    values : mapping of str to sequence
        The variables, a value for each hit.
    units : int64 array, shape (hits,)
        The tree, or sentence, of each hit.
    unit : str
        What these are called.
    dividing : mapping of str to sequence
        Those of the variables that are known of all units, a value for each unit.
    lengths : int64 array, shape (units,)
        How many words each unit has.
    """
    found: dict[tuple[Any, ...], list[int]] = {}
    for i, row in enumerate(zip(*values.values(), strict=True)):
        found.setdefault(row, []).append(i)
    words = _words_of_parts(list(dividing.values()), lengths)
    places = [place for place, name in enumerate(values) if name in dividing]
    ranked = sorted(found.items(), key=lambda item: (-len(item[1]), str(item[0])))
    columns: dict[str, Any] = {
        name: [row[place] for row, _ in ranked] for place, name in enumerate(values)
    }
    counts = [len(rows) for _, rows in ranked]
    columns["hits"] = pa.array(counts, pa.int64())
    of_hits = units.tolist()
    distinct = (len({of_hits[i] for i in rows}) for _, rows in ranked)
    columns[unit] = pa.array(distinct, pa.int64())
    parts = [words[tuple(row[place] for place in places)] for row, _ in ranked]
    rates = [1000 * count / part for count, part in zip(counts, parts, strict=True)]
    columns["per_1000_words"] = pa.array(rates, pa.float64())
    return Frequencies(pa.table(columns), tuple(values))


def _words_of_parts(
    variables: Sequence[Sequence[Any]], lengths: LongArray
) -> dict[tuple[Any, ...], int]:
    """Return how many words the units with each combination of values have together."""
    if not variables:
        return {(): max(1, int(lengths.sum()))}
    words: dict[tuple[Any, ...], int] = {}
    for values, length in zip(zip(*variables, strict=True), lengths.tolist(), strict=True):
        words[values] = words.get(values, 0) + length
    return words


def _cell(value: Any) -> str:
    if value is None:
        return "-"
    if isinstance(value, float):
        return f"{value:.3f}"
    return f"{value:,}" if isinstance(value, int) and not isinstance(value, bool) else str(value)
