"""Other columns of a corpus: they travel to the examples that are made of it.

A new example has those of its first parent, as they are. Where labels are mixed, an example is as
much of one parent as of another, so it has what all its parents share. One that has no parents,
such as a sentence of a grammar, has none. What is said of the words one by one
(:func:`columns_of_words`) travels only where the words are those of the parent.
"""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from grammar.arrays import LongArray
from grammar.files import PathLike
from grammar.messages import tell
from induction.corpus.corpus import COLUMNS, Corpus
from induction.corpus.validity import is_list
from sampling.examples.labels import is_soft

__all__ = [
    "Travelling",
    "columns_of_words",
    "listed",
    "other_columns",
    "tell_losses",
    "tell_mixing",
]

_SHARED, _WORDS = "shared", "tokens"
"""What a file of travelling columns notes; no other column is called tokens."""
_OF_CONLLU = ("ranges", "conllu")
"""Columns of CoNLL-U that hold values of words: lemmas, features, and others."""

_AS_TAGS = "a column 'tags' moves with them: read_corpus(data, rename={{{!r}: 'tags'}})"
_TAGS = r"^\s*(?:[A-Z]+[-_$]?\S*|[^\w\s]+)(?:\s+(?:[A-Z]+[-_$]?\S*|[^\w\s]+))*\s*$"
"""Words that begin with capitals, and signs, as tags do."""
_LOOKED_AT = 1_000
_OF_METHODS = {*COLUMNS, "label", "protected"}


def other_columns(corpus: Corpus) -> list[str]:
    """Return the columns of a corpus that no method reads or makes.

    >>> other_columns(Corpus.from_columns(text=["a"], label=[0], date=["2024-01-02"]))
    ['date']
    """
    return [name for name in corpus.names if name not in _OF_METHODS]


def columns_of_words(corpus: Corpus) -> list[str]:
    """Return the other columns that hold a value for each word: parts of speech, tags of others.

    Words are the tokens, or what stands between white space. Texts of one word each say nothing
    of a column of texts.

    >>> columns_of_words(Corpus.from_columns(text=["we ran", "so"], pos=[[0, 1], [0]], n=[1, 2]))
    ['pos']
    """
    names = other_columns(corpus)
    lists = {name: rows for name in names if (rows := _as_lists(corpus.arrow(name))) is not None}
    sizes = pc.list_value_length(_word_lists(corpus.table)) if lists else None
    if sizes is not None and (pc.max(sizes).as_py() or 0) < 2:
        lists = {name: rows for name, rows in lists.items() if is_list(corpus.arrow(name).type)}
    listed = [name for name, rows in lists.items() if _has_sizes(rows, sizes)]
    return [name for name in names if name in listed or name in _OF_CONLLU]


def _as_lists(column: pa.ChunkedArray) -> pa.Array | None:
    """Return a column of lists, or of texts that are tags with spaces between them; else None."""
    if is_list(column.type):
        return column.combine_chunks()
    if not pa.types.is_string(column.type):
        return None
    head = pc.match_substring_regex(column.slice(0, _LOOKED_AT), _TAGS)
    if not pc.all(head, min_count=0).as_py():
        return None
    return pc.utf8_split_whitespace(pc.utf8_trim_whitespace(column.combine_chunks()))


def _has_sizes(rows: pa.Array, sizes: pa.Array) -> bool:
    same = pc.equal(pc.list_value_length(rows), sizes)
    return len(same.drop_null()) > 0 and bool(pc.all(same).as_py())


def _word_lists(table: pa.Table) -> pa.Array:
    if "tokens" in table.column_names:
        return table.column("tokens").combine_chunks()
    return pc.utf8_split_whitespace(pc.utf8_trim_whitespace(table.column("text").combine_chunks()))


def tell_losses(method: str, given: Corpus, made: pa.Table) -> None:
    """Say which columns of a corpus new examples do not have."""
    others = other_columns(given)
    there = {*made.column_names, "provenance"}
    known = there.union(others)
    lost = [name for name in given.names if name not in known]
    if lost:
        tell(f"{method} does not keep {listed(lost)}: new examples have none")
    bound = [name for name in columns_of_words(given) if name in made.column_names]
    if bound:
        others_are_kept = "" if {*bound} <= {*_OF_CONLLU} else f"; {_AS_TAGS.format(bound[0])}"
        tell(
            f"{listed(bound)}: new examples have none where their words are others{others_are_kept}"
        )
    if kept_by_augment := [name for name in others if name not in there]:
        tell(f"a sampler leaves out {listed(kept_by_augment)}: augment keeps other columns")


def tell_mixing(method: str, given: Corpus, made: pa.Schema, names: Sequence[str]) -> None:
    """Say that classes become distributions, if they do."""
    if "label" in given.names and "label" in made.names:
        before, after = given.arrow("label").type, made.field("label").type
        if is_soft(after) and not is_soft(before):
            over = ", ".join(names) or "the classes by number"
            tell(f"{method} mixes labels: each new one is a distribution over {over}")


def listed(names: Sequence[str]) -> str:
    """Name columns in a sentence.

    >>> listed(["tree"]), listed(["tree", "tags"])
    ("the column 'tree'", "the columns 'tree', 'tags'")
    """
    return f"the column{'s' * (len(names) > 1)} {', '.join(map(repr, names))}"


@dataclass(frozen=True, eq=False)
class Travelling:
    """The columns that travel, by the ids of their examples.

    Attributes
    ----------
    ids : Arrow strings
        Of the examples of the corpus.
    columns : pyarrow.Table
        What travels from each.
    shared : bool
        Whether new examples have only what all their parents share.
    words : Arrow strings or None
        The words of each example, if there are columns of words.
    of_words : tuple of str
        The columns that hold a value for each word.
    """

    ids: Any
    columns: pa.Table
    shared: bool
    words: Any = None
    of_words: tuple[str, ...] = ()

    @classmethod
    def of(cls, corpus: Corpus, *, shared: bool) -> Travelling | None:
        """Return the other columns of a corpus; None if there are none."""
        names = other_columns(corpus)
        if not names:
            return None
        has_ids = "id" in corpus.names
        ids = corpus.arrow("id") if has_ids else pa.array(map(str, range(len(corpus))), pa.string())
        plain = ids.combine_chunks() if has_ids else ids
        own = tuple(columns_of_words(corpus))
        words = _words(corpus.table) if own else None
        return cls(plain, corpus.table.select(names).combine_chunks(), shared, words, own)

    def save(self, path: PathLike) -> None:
        """Write what travels to an Arrow file."""
        noted = {_SHARED: str(self.shared), _WORDS: json.dumps(self.of_words)}
        schema = self.columns.schema.with_metadata(noted)
        table = self.columns.cast(schema).append_column("id", pa.chunked_array([self.ids]))
        if self.words is not None:
            table = table.append_column(_WORDS, self.words)
        with pa.OSFile(os.fsencode(path), "wb") as sink, pa.ipc.new_file(sink, table.schema) as out:
            out.write_table(table)

    @classmethod
    def load(cls, path: PathLike) -> Travelling:
        """Undo :meth:`save`; the file stays mapped."""
        with pa.memory_map(os.fsencode(path)) as source:
            table = pa.ipc.open_file(source).read_all()
        ids = table.column("id").combine_chunks()
        shared = table.schema.metadata[_SHARED.encode()] == b"True"
        of_words = tuple(json.loads(table.schema.metadata[_WORDS.encode()]))
        there = _WORDS in table.column_names
        words = table.column(_WORDS).combine_chunks() if there else None
        own = table.drop_columns(["id", *[_WORDS] * there])
        return cls(ids, own, shared, words, of_words)

    def joined(self, made: pa.Table) -> pa.Table:
        """Return new examples with the columns before their provenance.

        Examples
        --------
        >>> corpus = Corpus.from_columns(text=["a", "b"], zip=["01", "02"], day=["Mo", "Mo"])
        >>> parents = pa.array([{"parents": ["1", "0"]}, {"parents": []}])
        >>> made = pa.table({"text": ["b a", "c"], "provenance": parents})
        >>> first = Travelling.of(corpus, shared=False).joined(made)
        >>> first.column_names, first.column("zip").to_pylist()
        (['text', 'zip', 'day', 'provenance'], ['02', None])
        >>> shared = Travelling.of(corpus, shared=True).joined(made)
        >>> shared.column("zip").to_pylist(), shared.column("day").to_pylist()
        ([None, None], ['Mo', None])
        """
        parents = pc.struct_field(made.column("provenance").combine_chunks(), "parents")
        sizes = pc.fill_null(pc.list_value_length(parents), 0).to_numpy(zero_copy_only=False)
        rows = pc.index_in(parents.flatten(), value_set=self.ids)
        rows = pc.fill_null(rows, -1).to_numpy(zero_copy_only=False)
        first = np.full(len(sizes), -1, np.int64)
        starts = np.concatenate(([0], np.cumsum(sizes)))[:-1].astype(np.int64)
        first[sizes > 0] = rows[starts[sizes > 0]]
        # a table is made once: one that grows by a column is a copy of all the others
        columns = dict(zip(made.column_names, made.columns, strict=True))
        own = columns.pop("provenance")
        for name, others in zip(self.columns.column_names, self.columns.columns, strict=True):
            if name not in columns:
                column = others.combine_chunks()
                known = self._known(column, first, rows, sizes) if self.shared else first >= 0
                if name in self.of_words:
                    known = known & self._same_words(made, first)
                taken = pa.array(np.maximum(first, 0), mask=~known)
                columns[name] = column.take(taken)
        return pa.table({**columns, "provenance": own})

    def _same_words(self, made: pa.Table, first: LongArray) -> Any:
        """Say which examples have the words of their first parent."""
        mine = _words(made)
        if mine is None or self.words is None:
            return np.zeros(len(first), np.bool_)
        same = pc.equal(mine, self.words.take(pa.array(np.maximum(first, 0))))
        return pc.fill_null(same, False).to_numpy(zero_copy_only=False)

    @staticmethod
    def _known(column: pa.Array, first: LongArray, rows: LongArray, sizes: Any) -> Any:
        """Say which examples have parents that all hold the same value."""
        if pa.types.is_nested(column.type):
            column = pa.array(map(repr, column.to_pylist()), pa.string())
        coded = column if pa.types.is_dictionary(column.type) else column.dictionary_encode()
        codes = pc.fill_null(coded.indices, -1).to_numpy(zero_copy_only=False)
        owner = np.repeat(np.arange(len(sizes)), sizes)
        differs = (rows < 0) | (codes[rows] != codes[first[owner]])
        return (first >= 0) & (np.bincount(owner[differs], minlength=len(sizes)) == 0)


def _words(table: pa.Table) -> Any:
    """Return the words of each example as one string; None if there are none."""
    if not {"tokens", "text"} & {*table.column_names}:
        return None
    return pc.binary_join(_word_lists(table), "\x1f")
