"""Tables of frequencies: how often each combination of values is found."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from grammar.pictures.html import html_table

__all__ = ["Frequencies"]

_SHOWN = 20


@dataclass(frozen=True, eq=False, repr=False)
class Frequencies:
    """How often combinations of values are found, the most frequent first.

    Attributes
    ----------
    table : pyarrow.Table
        A column for each variable; ``hits``; ``trees``, of how many trees they are; and
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


def _cell(value: Any) -> str:
    if value is None:
        return "-"
    if isinstance(value, float):
        return f"{value:.3f}"
    return f"{value:,}" if isinstance(value, int) and not isinstance(value, bool) else str(value)
