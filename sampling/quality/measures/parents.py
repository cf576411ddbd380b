"""Which originals each augmented example was made from, as its provenance says."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from grammar.arrays import LongArray
from grammar.errors import CorpusError
from induction.corpus.corpus import Corpus

__all__ = ["Parents", "find_parents"]


@dataclass(frozen=True, eq=False)
class Parents:
    """The parents of augmented examples as rows of the originals.

    Attributes
    ----------
    offsets : int64[examples + 1]
        Example i has the parents ``row[offsets[i] : offsets[i + 1]]``, the host first.
    row : int64[parents]
        Rows of the corpus of originals.
    """

    offsets: LongArray
    row: LongArray

    @property
    def host(self) -> LongArray:
        """The first parent of each example, or -1."""
        there = np.diff(self.offsets) > 0
        first = np.minimum(self.offsets[:-1], max(len(self.row) - 1, 0))
        return np.where(there, self.row[first], -1) if len(self.row) else np.full(len(there), -1)


def find_parents(augmented: Corpus, originals: Corpus) -> Parents:
    """Look the parents that ``provenance`` names up among the originals; unknown ids are left out.

    Raises
    ------
    CorpusError
        If there is no provenance, it names none of the originals, or their ids repeat.

    Examples
    --------
    >>> made = Corpus.from_columns(text=["a c"], provenance=[{"parents": ["s2", "s1"]}])
    >>> find_parents(made, Corpus.from_columns(id=["s1", "s2"], text=["b c", "a b"])).row.tolist()
    [1, 0]
    """
    names = augmented.arrow("provenance").combine_chunks().field("parents")
    ids = originals.arrow("id").combine_chunks()
    if len(pc.unique(ids)) < len(ids):
        raise CorpusError("ids of the originals repeat", hint="give every example a unique id")
    lengths = pc.fill_null(pc.list_value_length(names), 0).to_numpy(zero_copy_only=False)
    row = pc.index_in(pc.list_flatten(names), value_set=ids)
    known = row.is_valid().to_numpy(zero_copy_only=False)
    ends = np.cumsum(np.concatenate(([0], lengths))).astype(np.int64)
    offsets = np.concatenate(([0], np.cumsum(known))).astype(np.int64)[ends]
    if not known.any():
        raise CorpusError(
            "the provenance names no parents among the originals",
            hint="give the corpus that was augmented, with its column id",
        )
    return Parents(offsets, np.asarray(pc.drop_null(row).cast(pa.int64()).to_numpy(), np.int64))
