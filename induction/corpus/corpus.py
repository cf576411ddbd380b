"""A corpus: a thin value around a ``pyarrow.Table`` with agreed columns.

Because the table is plain Arrow, Hugging Face ``datasets``, pandas, polars and DuckDB read it
without conversion. The columns of :data:`COLUMNS` have fixed types; any other column is carried
along untouched.
"""

from __future__ import annotations

import importlib
import importlib.util
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from numbers import Integral
from shlex import quote
from typing import TYPE_CHECKING, Any, ClassVar, overload

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from grammar.errors import CorpusError, MissingDataError
from grammar.foreign_names.attributes import Hints, NamesOfOthers, attribute_hint, no_attribute
from grammar.indexing import places_chosen
from grammar.messages import tell
from grammar.pictures.html import html_table
from induction.corpus.rows import Skipped

__all__ = [
    "COLUMNS",
    "OF_WORDS",
    "PARSE_FIRST",
    "PROVENANCE",
    "SPANS",
    "Corpus",
    "corpus_hint",
    "first_with_null",
    "null_in_list",
    "without_text",
]

PROVENANCE = pa.struct(
    [
        ("method", pa.string()),
        ("version", pa.string()),
        ("seed", pa.int64()),
        ("index", pa.int64()),
        ("parents", pa.list_(pa.string())),
        ("spans", pa.list_(pa.struct([("start", pa.int32()), ("end", pa.int32())]))),
        ("rules", pa.list_(pa.int32())),
        ("log_probability", pa.float64()),
    ]
)
"""What made an example: the method, its version, the (seed, index) of the draw, the ids of the
parent examples, the token spans of ``text`` that were put in (and, behind them, those of
``text_pair``), the grammar rules used, and the natural logarithm of the probability of the
derivation."""

SPANS = pa.list_(pa.struct([("start", pa.int32()), ("end", pa.int32()), ("label", pa.string())]))
"""Labelled spans of ``text``, such as entities: the first character, the one behind the last, and
what the span is. They do not overlap."""

COLUMNS: Mapping[str, pa.DataType] = {
    "id": pa.string(),
    "text": pa.string(),
    "text_pair": pa.string(),
    "target": pa.string(),
    "tree": pa.string(),
    "tree_pair": pa.string(),
    "tokens": pa.list_(pa.string()),
    "tags": pa.list_(pa.string()),
    "heads": pa.list_(pa.int32()),
    "deprels": pa.list_(pa.string()),
    "spans": SPANS,
    "provenance": PROVENANCE,
}
"""Types of the agreed columns. ``label`` (absent here) is an int64 class or a list<float32>
distribution over classes. ``heads`` are as in CoNLL-U: words are numbered from 1, and the root has
the head 0."""

OF_WORDS = ("tokens", "tags", "heads", "deprels")
"""Columns with a value for each word."""

PARSE_FIRST = "parse its texts first: treewright parse-corpus, or induction.parse_corpus"
"""The hint of a corpus without trees."""

_MENDED_BY = {
    "tree": PARSE_FIRST,
    "tree_pair": PARSE_FIRST,
    "label": "name the column of the classes: --label NAME, or label='NAME' in Python",
    "target": "call the column of the targets 'target' (rename={'NAME': 'target'} in Python)",
}
_SHOWN, _WIDEST = 8, 120
_CHOICE = "corpus[[row['label'] == 'pos' for row in corpus]]"

_OF_OTHERS: Hints = {
    "{of}.names has them": ("columns", "column_names", "keys", "field_names", "fields"),
    "len({of}) is it": ("num_rows", "count", "height"),
    "{of}['text'] has them": ("texts", "sentences", "data", "documents", "docs", "X"),
    "{of}['label'] has them": ("labels", "y", "target", "targets"),
    "list({of}) has them": ("rows", "examples", "iterrows", "itertuples", "records", "items"),
    "{of}.to_pandas() makes a frame": (
        *("to_df", "to_frame", "to_dataframe", "to_pd", "as_pandas", "df", "dataframe", "frame"),
    ),
    "{of}.to_polars() makes a frame": ("to_pl", "as_polars", "lazy"),
    "{of}.to_dataset() makes a data set": ("to_hf", "to_huggingface", "dataset", "as_dataset"),
    "{of}.table is the table of Arrow": ("to_arrow", "to_table", "to_pyarrow", "arrow_table"),
    "split({of}, test_size=0.25) of treewright makes two parts": ("train_test_split", "split"),
    "{of}.to_dataset().{name} has it": (
        *("map", "filter", "select", "shuffle", "to_list", "to_dict", "features"),
        *("remove_columns", "push_to_hub", "to_json", "to_csv", "to_parquet", "unique"),
        *("rename_column", "rename_columns", "select_columns", "sort", "with_format"),
        *("set_format", "cast_column", "class_encode_column", "take", "skip"),
    ),
    "{of}.to_pandas().{name} has it": (
        *("iloc", "loc", "apply", "groupby", "value_counts", "sample", "describe", "merge"),
        *("info", "shape", "drop", "drop_duplicates", "dropna", "tail", "isna", "to_numpy"),
        *("values", "dtypes", "query", "sort_values", "rename", "index", "to_excel", "assign"),
        *("reset_index", "fillna", "nunique", "hist", "plot", "astype", "melt", "pivot"),
    ),
    "write_corpus({of}, 'corpus.jsonl') writes it": (
        *("save", "to_file", "write", "to_jsonl", "dump", "save_to_disk", "write_csv", "to_disk"),
    ),
}
"""What data sets and frames have, and what gives it of a corpus."""


def corpus_hint(name: str, of: str = "corpus") -> str | None:
    """Return what gives of a corpus what other libraries have under a name; None if nothing is.

    >>> corpus_hint("labels")
    "corpus['label'] has them"
    """
    return attribute_hint(name, _OF_OTHERS, of)


_MADE_ELSEWHERE = {
    "read_corpus(data) reads frames, data sets, lists of texts or dictionaries, and files": (
        *("from_pandas", "from_polars", "from_arrow", "from_dataset", "from_list", "from_dict"),
        *("from_dicts", "from_records", "from_generator", "from_csv", "from_json", "from_jsonl"),
        *("from_parquet", "from_file", "from_files", "from_text", "from_texts", "load", "read"),
    ),
}
"""What makes a corpus of data, and what makes data sets and frames in other libraries."""


@dataclass(frozen=True, eq=False)
class Corpus(metaclass=NamesOfOthers):
    """Examples as an Arrow table; ``text`` and ``id`` are always there.

    Parameters
    ----------
    table : pyarrow.Table
        With columns of the agreed types (see :meth:`from_columns`).
    places : callable, optional
        Where in a file each row begins, for messages; reading a file sets it.
    skipped : tuple of Skipped
        Rows that were left out when it was read, if that was asked for.
    classes : tuple of str
        The names of classes that have been numbered (:func:`sampling.number_classes`).

    Examples
    --------
    >>> corpus = Corpus.from_columns(
    ...     text=["walk", "jump twice"], target=["I_WALK", "I_JUMP I_JUMP"]
    ... )
    >>> len(corpus), corpus.names
    (2, ('id', 'text', 'target'))
    >>> corpus[1]
    {'id': '1', 'text': 'jump twice', 'target': 'I_JUMP I_JUMP'}
    """

    _made_elsewhere: ClassVar[Hints] = _MADE_ELSEWHERE

    table: pa.Table
    places: Callable[[int], str] | None = None
    skipped: tuple[Skipped, ...] = ()
    classes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if not isinstance(self.table, pa.Table):
            raise CorpusError(
                f"a corpus is made of a table of Arrow, and this is {type(self.table).__name__}",
                hint="read_corpus(data) reads frames, data sets, lists of texts or dictionaries, "
                "columns, and files",
            )

    @classmethod
    def from_columns(cls, **columns: Any) -> Corpus:
        """Build a corpus from columns given by name; ``id`` defaults to the position.

        Raises
        ------
        CorpusError
            If ``text`` is absent, the columns differ in length, or a value has the wrong type.
        """
        if "text" not in columns:
            raise without_text(list(columns))
        for name, values in columns.items():
            _refuse_string(name, values)
        lengths = {name: len(values) for name, values in columns.items()}
        if len(set(lengths.values())) > 1:
            raise CorpusError(f"columns differ in length: {lengths}", hint="pass equal columns")
        if "id" not in columns:
            columns = {"id": pa.array(np.arange(lengths["text"])).cast(pa.string()), **columns}
        arrays = {name: _column(name, values) for name, values in columns.items()}
        return cls(pa.table(arrays))

    def __len__(self) -> int:
        return int(self.table.num_rows)

    @overload
    def __getitem__(self, index: int) -> dict[str, Any]: ...

    @overload
    def __getitem__(self, index: slice | NDArray[Any] | list[int] | list[bool]) -> Corpus: ...

    @overload
    def __getitem__(self, index: str) -> list[Any]: ...

    def __getitem__(self, index: Any) -> dict[str, Any] | Corpus | list[Any]:
        """Return one example as a mapping, some of them as a corpus, or a column by its name.

        Some are a slice, a list or an array of places, or truth values, one an example.

        Raises
        ------
        CorpusError
            If there is no such column.
        OptionError
            If it chooses no rows.

        Examples
        --------
        >>> corpus = Corpus.from_columns(text=["walk", "jump", "run"])
        >>> corpus[1], corpus[::2].column("text")
        ({'id': '1', 'text': 'jump'}, ['walk', 'run'])
        >>> corpus[[2, 0]]["text"], corpus[[text != "run" for text in corpus["text"]]]["text"]
        (['run', 'walk'], ['walk', 'jump'])
        """
        if isinstance(index, str):
            return self.column(index)
        if isinstance(index, Integral) and not isinstance(index, bool):
            at = range(len(self))[int(index)]
            row: dict[str, Any] = self.table.slice(at, 1).to_pylist()[0]
            return row
        if isinstance(index, list) and index and all(isinstance(name, str) for name in index):
            raise CorpusError(
                "several columns are no corpus, which has texts",
                hint=f"corpus.to_pandas()[{index!r}] has them",
            )
        rows = places_chosen(index, len(self), _CHOICE)
        places = self.places
        table = self.table.take(pa.array(rows, pa.int64()))
        kept = None if places is None else lambda row: places(int(rows[row]))
        return Corpus(table, kept, classes=self.classes)

    def __contains__(self, one: object) -> bool:
        """Say whether it has a column of a name, or an example.

        >>> "text" in Corpus.from_columns(text=["walk"])
        True
        """
        return one in self.names if isinstance(one, str) else any(row == one for row in self)

    def __add__(self, other: object) -> Corpus:
        """Return the examples of both; where one lacks a column, its values are missing.

        Examples are numbered anew, which is told, where an id stands in both.

        Raises
        ------
        CorpusError
            If a column has values of different kinds in the two, or the numbers of classes have
            other names.

        Examples
        --------
        >>> first, second = Corpus.from_columns(text=["walk"]), Corpus.from_columns(text=["run"])
        >>> (first + second)["id"]
        ['0', '1']
        """
        if not isinstance(other, Corpus):
            return NotImplemented
        self._check_classes_alike(other)
        if alone := {*self.names} ^ {*other.names}:
            tell(f"{', '.join(sorted(alone))}: missing for the examples of one of the two corpora")
        try:
            table = pa.concat_tables([self.table, other.table], promote_options="default")
        except pa.ArrowException as error:
            raise CorpusError(
                f"the two corpora do not have the same columns: {str(error).splitlines()[0]}",
                hint="give a column one kind of values in both",
            ) from None
        if len(pc.unique(table.column("id"))) < table.num_rows:
            tell("an id stands in both corpora: their examples are numbered anew")
            ids = pa.array(np.arange(table.num_rows)).cast(pa.string())
            table = table.set_column(table.column_names.index("id"), "id", ids)
        return Corpus(table, classes=self.classes if self.classes == other.classes else ())

    def _check_classes_alike(self, other: Corpus) -> None:
        """Refuse numbers of classes that stand for other names (raises CorpusError)."""
        if not {"label"} <= {*self.names} & {*other.names}:
            return
        named = [one.table.schema.field("label").metadata for one in (self, other)]
        if None not in named and named[0] != named[1]:
            raise CorpusError(
                "the numbers of classes have other names in the two corpora",
                hint="give names in the place of numbers in both: names = "
                "corpus.to_dataset().features['label'].names; corpus = corpus.with_column('label', "
                "[names[one] for one in corpus['label']])",
            )

    def __iter__(self) -> Iterator[dict[str, Any]]:
        for batch in self.table.to_batches(max_chunksize=4096):
            yield from batch.to_pylist()

    def __repr__(self) -> str:
        return f"Corpus({len(self):,} examples: {', '.join(self.names)})"

    def _repr_html_(self) -> str:
        rows = [[_shown(row[name]) for name in self.names] for row in self[:_SHOWN]]
        more = f" The first {_SHOWN}:" if len(self) > _SHOWN else ""
        return f"<p>{len(self):,} examples.{more}</p>{html_table(rows, header=self.names)}"

    def where(self, row: int) -> str:
        """Say which example a row is, and where it was read, for messages.

        >>> Corpus.from_columns(text=["walk"]).where(0)
        "example '0'"
        """
        example = f"example {self.arrow('id')[row].as_py()!r}"
        return f"{self.places(row)}, {example}" if self.places is not None else example

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Names of the columns, in order."""
        return tuple(self.table.column_names)

    def column(self, name: str) -> list[Any]:
        """Return one column as a list.

        Raises
        ------
        CorpusError
            If there is no such column.
        """
        return self.arrow(name).to_pylist()

    def arrow(self, name: str) -> pa.ChunkedArray:
        """Return one column as Arrow data (raises like :meth:`column`)."""
        if name not in self.names:
            raise CorpusError(
                f"the corpus has no column {name!r}",
                where=f"columns {', '.join(self.names)}",
                hint=_MENDED_BY.get(name, f"add a column {name!r}, or name the one to use instead"),
            )
        return self.table.column(name)

    def complete(self, name: str) -> list[Any]:
        """Return one column as a list, in which no value is missing.

        Raises
        ------
        CorpusError
            If there is no such column, or an example has no value there.

        Examples
        --------
        >>> Corpus.from_columns(text=["we ran"]).complete("text")
        ['we ran']
        """
        column = self.arrow(name)
        if column.null_count:
            row = column.is_null().index(True).as_py()
            raise CorpusError(
                f"the value of {name!r} is missing",
                where=self.where(row),
                hint="fill it in, or leave the example out",
            )
        return column.to_pylist()

    def head(self, n: int = 5) -> Corpus:
        """Return the first ``n`` examples.

        >>> Corpus.from_columns(text=["walk", "jump"]).head(1).column("text")
        ['walk']
        """
        return self[:n]

    if not TYPE_CHECKING:  # of a type checker, what is not there is an error

        def __setitem__(self, name: Any, values: Any) -> None:
            """Refuse a change (raises TypeError)."""
            raise TypeError(
                "a corpus does not change\n  hint: corpus = corpus.with_column('name', values) has "
                "one column more"
            )

        def __getattr__(self, name: str) -> Any:
            hint = corpus_hint(name)
            if not name.startswith("_") and name in self.names:
                hint = f"corpus.column({name!r}) has it"
            raise no_attribute(self, name, hint)

    def to_pandas(self) -> Any:
        """Return a pandas frame of all columns.

        Raises
        ------
        MissingDataError
            If pandas is not installed.
        """
        if importlib.util.find_spec("pandas") is None:
            raise MissingDataError("pandas is not installed", hint="pip install pandas")
        return self.table.to_pandas()

    def to_polars(self) -> Any:
        """Return a polars frame of all columns, over the same memory.

        Raises
        ------
        MissingDataError
            If polars is not installed.
        """
        if importlib.util.find_spec("polars") is None:
            raise MissingDataError("polars is not installed", hint="pip install polars")
        return importlib.import_module("polars").from_arrow(self.table)

    def to_dataset(self) -> Any:
        """Return a ``datasets.Dataset`` of Hugging Face, over the same memory.

        Raises
        ------
        MissingDataError
            If the library ``datasets`` is not installed.
        CorpusError
            If it has no kind of column for one.
        """
        # named and not imported, as it stands above
        return importlib.import_module("induction.corpus.huggingface").to_dataset(self)

    def with_column(self, name: str, values: Sequence[Any]) -> Corpus:
        """Return a corpus with the column added, or replaced if it was there.

        Raises
        ------
        CorpusError
            If there are not as many values as examples, or one has the wrong type.
        """
        array = _column(name, values)
        if len(array) != len(self):
            raise CorpusError(
                f"{len(array)} values of {name!r} for {len(self)} examples", hint="pass one each"
            )
        if name in self.names:
            table = self.table.set_column(self.names.index(name), name, array)
        else:
            table = self.table.append_column(name, array)
        return replace(self, table=table)


def without_text(
    names: Sequence[str],
    path: str | None = None,
    long: Sequence[str] = (),
    *,
    alone: bool = False,
) -> CorpusError:
    """Return the error of columns, by their names, of which none holds texts; long ones may.

    Where long ones stand ``alone``, their names may be those of classes.
    """
    name = long[0] if long else "NAME"
    listed = ", ".join(map(repr, names[:_SHOWN])) + (", ..." if len(names) > _SHOWN else "")
    there = f"columns {listed}" if names else "no columns"
    return CorpusError(
        "the corpus has no column 'text'",
        where=there if path is None else f"{path}, {there}",
        hint=f"say which column holds the texts: --text {quote(name)}, or text={name!r} in Python"
        + ("; if the names are those of classes, give a row for each text and its class" * alone),
    )


def first_with_null(column: pa.Array | pa.ChunkedArray) -> int | None:
    """Return the first row whose list holds a null; None if there is none.

    >>> first_with_null(pa.array([["a"], None, ["b", None]]))
    2
    """
    before = 0
    for chunk in column.chunks if isinstance(column, pa.ChunkedArray) else [column]:
        # values of a slice are those of all rows, without a copy
        if chunk.values.null_count and chunk.flatten().null_count:
            rows = pc.list_parent_indices(chunk).filter(chunk.flatten().is_null())
            return before + int(rows[0].as_py())
        before += len(chunk)
    return None


def null_in_list(name: str, values: Any) -> CorpusError:
    """Return the error of a list of values a word, one of which is null."""
    return CorpusError(
        f"value {values.index(None) + 1} of {name!r} is missing (null)",
        hint="give each word its value, or leave the row out (--on-error skip)",
    )


def _shown(value: Any) -> str:
    """Return a value as a cell of a table: of provenance its beginning."""
    if isinstance(value, dict):
        value = ", ".join(str(value[name]) for name in ("method", "seed", "index", "parents"))
    text = "" if value is None else str(value)
    return text if len(text) <= _WIDEST else f"{text[: _WIDEST - 1]}…"


def _refuse_string(name: str, values: Any) -> None:
    if isinstance(values, str | bytes):
        raise CorpusError(
            f"the column {name!r} is a single string, not a list of them",
            hint=f"give a list: {name}=[{_shown(values)!r}]",
        )


def _column(name: str, values: Any) -> pa.Array | pa.ChunkedArray:
    kind = COLUMNS.get(name)
    _refuse_string(name, values)
    try:
        if isinstance(values, pa.Array | pa.ChunkedArray):
            column = values if kind is None else values.cast(kind)
        elif kind is not None and pa.types.is_list(kind) and str in map(type, values):
            raise TypeError("a string is not a list")  # Arrow would take it apart
        else:
            column = pa.array(values, type=kind)
    except (pa.ArrowException, TypeError, OverflowError) as error:
        raise CorpusError(
            f"column {name!r} does not hold {kind or 'values of one type'}: {error}",
            hint="convert its values first",
        ) from None
    if name in OF_WORDS and (row := first_with_null(column)) is not None:
        raise null_in_list(name, column[row].as_py())
    return column
