"""What new examples of several methods have in common: their columns, and labels of one kind."""

from __future__ import annotations

from dataclasses import dataclass

import pyarrow as pa

from induction.corpus.corpus import Corpus
from sampling.examples.class_names import named
from sampling.examples.labels import read_labels, soften

__all__ = ["Form"]


@dataclass(frozen=True)
class Form:
    """The form that the examples of all parts of an augmentation get.

    Attributes
    ----------
    schema : pyarrow.Schema
        The columns that all have, and their types.
    class_names : tuple of str
        What classes are called; empty if they have only numbers.
    kind : str
        Of what type classes were (:func:`~sampling.examples.class_names.label_kind`).
    width : int
        How many classes a distribution is over.
    """

    schema: pa.Schema
    class_names: tuple[str, ...] = ()
    kind: str = "string"
    width: int = 0

    def conform(self, table: pa.Table) -> pa.Table:
        """Return a table in this form; what it has not is null.

        >>> form = Form(pa.schema([("text", pa.string()), ("label", pa.string())]), ("no", "yes"))
        >>> form.conform(pa.table({"id": ["7"], "label": [1], "text": ["a"]})).to_pylist()
        [{'text': 'a', 'label': 'yes'}]
        """
        held = dict(zip(table.column_names, table.columns, strict=True))
        columns = [self._column(table, held.get(wanted.name), wanted) for wanted in self.schema]
        return pa.table(columns, schema=self.schema)

    def _column(
        self, table: pa.Table, column: pa.ChunkedArray | None, wanted: pa.Field
    ) -> pa.ChunkedArray:
        if column is None:  # only originals have it
            return pa.nulls(table.num_rows, wanted.type)
        if wanted.name == "label" and pa.types.is_integer(column.type):
            if pa.types.is_list(wanted.type):
                column = soften(read_labels(Corpus(table), classes=self.width))
            elif self.class_names:
                column = named(column, self.class_names, self.kind)
        return column if column.type.equals(wanted.type) else column.cast(wanted.type)
