"""Corpora on disk: the format of a file is told by its name, or by ``format=``.

The formats themselves are in ``induction.corpus.tables`` (JSON lines, CSV, TSV, Parquet, Arrow,
plain text), ``induction.corpus.conllu``, ``induction.corpus.entities.conll`` (tags of spans),
``induction.corpus.tree_files`` (Penn brackets, SST),
``induction.corpus.scan_lines`` and ``induction.corpus.huggingface``. Writing is streamed and
atomic: batches go to a temporary file that takes its name only when the last one is there, and the
bytes do not depend on how the rows were cut into batches.
"""

from __future__ import annotations

import codecs
import errno
import itertools
import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import pyarrow as pa

from grammar.engines.threads import behind, in_threads
from grammar.errors import CorpusError, OptionError, TreewrightError, UnreadableInputError
from grammar.files import (
    PathLike,
    as_utf8,
    at_hand,
    atomic_output,
    is_utf8,
    near_names,
    other_encoding,
    outputs_together,
    read_bytes,
    reading,
    refuse_other_content,
)
from grammar.messages import heard_by, tell
from grammar.options import meant, named, names_keywords
from grammar.storage.location import is_many, is_url, numbered
from grammar.storage.opening import place_of
from grammar.storage.signatures import LOOKED_AT, OF_XML, signature_of_suffix
from induction.corpus import conllu, huggingface, scan_lines, tree_files
from induction.corpus.annotated.rasa import is_rasa_markdown, read_rasa
from induction.corpus.conllu import read_conllu
from induction.corpus.conllu_writing import conllu_writer
from induction.corpus.corpus import Corpus
from induction.corpus.entities.conll import conll_writer, is_conll, read_conll
from induction.corpus.entities.spacy_docs import read_docbin, spacy_writer
from induction.corpus.huggingface import to_dataset
from induction.corpus.inputs.brat import ANNOTATIONS, rows_of_brat
from induction.corpus.inputs.class_folders import rows_of_class_folders
from induction.corpus.inputs.columns import corpus_of_rows
from induction.corpus.inputs.in_memory import is_path, is_text, rows_in_memory
from induction.corpus.inputs.parallel_files import (
    rows_of_file_beside,
    rows_of_parallel_files,
    rows_of_translations,
)
from induction.corpus.inputs.shards import shards_of, together
from induction.corpus.inputs.skipping import sound_corpus
from induction.corpus.inputs.undecodable_lines import Unit, sound_rows
from induction.corpus.rows import Asked, Rows, Writer, numbered_rows
from induction.corpus.tables.class_names import class_names_of
from induction.corpus.tables.kinds import plain_table
from induction.corpus.tables.layout import rows_of_markdown
from induction.corpus.tables.lines import format_of_lines, has_classes, is_table
from induction.corpus.tables.reading import (
    read_arrow,
    read_csv,
    read_jsonl,
    read_parquet,
    read_text,
    read_tsv,
)
from induction.corpus.tables.refusals import check_schema, refusals_told
from induction.corpus.tables.writing import (
    ROWS_A_GROUP,
    arrow_writer,
    copied,
    csv_header,
    csv_lines,
    json_lines,
    lines_writer,
    parquet_writer,
    text_lines,
    tsv_header,
    tsv_lines,
    with_named_shares,
)
from induction.corpus.tree_files import corpus_of_trees, read_sst
from induction.corpus.treebanks.reading import TREEBANK_SUFFIXES

__all__ = [
    "FORMATS",
    "check_output",
    "corpus_of_trees",
    "format_of_content",
    "from_dataset",
    "named_format",
    "output_format",
    "read_conllu",
    "read_corpus",
    "read_sst",
    "to_dataset",
    "write_batches",
    "write_corpus",
]

_ROWS_A_GROUP = ROWS_A_GROUP
_BEGINNING = 1 << 20
"""So much of a file says what it is whose name does not."""
_WAITING = 2
"""So many groups wait for the thread that writes, that one included which it writes."""


def not_written(path: Path, schema: pa.Schema) -> Any:
    """Stand for the writer of a format that is only read."""
    raise NotImplementedError


def _as_it_is(table: pa.Table) -> Any:
    return table


def _read_lines(data: bytes, asked: Asked) -> Rows:
    """Read lines of text; lines that are all of another format as that, which is told."""
    found = None if asked.named else format_of_lines(data)
    if found is None:
        return read_text(data, asked)
    tell(f"{asked.path} is read as lines of the format {found}")
    return FORMATS[found].read(data, asked)


_LINE: Unit = "line"
_SENTENCE: Unit = "sentence"


@dataclass(frozen=True)
class Format:
    """A file format: the endings that tell it, and how it is read and written."""

    suffixes: tuple[str, ...]
    read: Callable[[Any, Asked], Rows]
    """Reads bytes of text, or, of a binary format, an open file."""
    writer: Writer
    """Opens a file, and writes what ``encode`` makes of tables, one after the other."""
    encode: Callable[[pa.Table], Any] = _as_it_is
    """What can be done to a table beside others, before it is its turn."""
    binary: bool = False
    needs: str | None = None
    """The column that it cannot do without, beside ``text``."""
    unit: Unit | None = None
    """What can be read alone, so that one at fault is left out; None: the reader does it."""

    @property
    def is_written(self) -> bool:
        """Whether files of it are written, and not read only."""
        return self.writer is not not_written


FORMATS: Mapping[str, Format] = {
    "jsonl": Format((".jsonl", ".json", ".ndjson"), read_jsonl, lines_writer(), json_lines),
    "csv": Format((".csv",), read_csv, lines_writer(csv_header), csv_lines),
    "tsv": Format((".tsv",), read_tsv, lines_writer(tsv_header), tsv_lines),
    "parquet": Format((".parquet",), read_parquet, parquet_writer, copied, binary=True),
    "arrow": Format((".arrow",), read_arrow, arrow_writer, copied, binary=True),
    "text": Format((".txt",), _read_lines, lines_writer(), text_lines),
    "conllu": Format(
        (".conllu",), conllu.parse_conllu, conllu_writer, needs="tokens", unit=_SENTENCE
    ),
    "conll": Format(
        (".conll", ".bio", ".iob"), read_conll, conll_writer("bio"), needs="spans", unit=_SENTENCE
    ),
    "bilou": Format(
        (".bilou", ".bioes"), read_conll, conll_writer("bilou"), needs="spans", unit=_SENTENCE
    ),
    "conllx": Format((".conllx", ".conll06", ".conll09"), read_conll, not_written, unit=_SENTENCE),
    "spacy": Format((".spacy",), read_docbin, spacy_writer, binary=True, needs="spans"),
    "brackets": Format(
        (".mrg", ".ptb"), tree_files.parse_brackets, tree_files.brackets_writer, needs="tree"
    ),
    "treebank": Format(TREEBANK_SUFFIXES, tree_files.read_treebank_file, not_written, binary=True),
    "sst": Format((".sst",), tree_files.parse_sst, tree_files.sst_writer, needs="tree", unit=_LINE),
    "rasa": Format((".yml", ".yaml"), read_rasa, not_written),
    "scan": Format((), scan_lines.read_scan, scan_lines.scan_writer, needs="target", unit=_LINE),
}
"""Formats of single files by name; ``hf`` is a folder, see :mod:`induction.corpus.huggingface`."""

SHARD = 100_000
"""Of many files that are one corpus, each has so many rows, but for the last."""

_OF_HUB = re.compile(r"[\w-]+/[\w.-]*[\w-]+")
"""A name of a data set: that of its owner, and its own."""

_LINES = "write JSON lines, an object a line, and name them .jsonl"
"""What to do where an array of JSON would be written."""

_FOLDER, _FOLDER_SUFFIX = "hf", ".hf"
_GIVEN = ("label", "labels", "text_pair", "target", "spans")
"""What people give beside texts."""
_NAMED = ("parquet", "arrow", "text")
"""Formats that keep names of classes that are numbers, or have no classes."""
NAMING = ("csv", "tsv")
"""Formats whose labels that are distributions have the names of their classes."""
_WITHOUT_TEXTS = (*NAMING, "jsonl", "parquet", "arrow", "brackets", "sst")
"""Formats of rows that need not have a text."""
_TABLES = (".parquet", ".arrow", ".jsonl", ".csv", ".tsv")
"""How the files of a folder end that are a corpus together: a text may be about anything."""


@names_keywords(
    sep="leave it out: the delimiter is recognised; or name the format, as format='tsv'",
    delimiter="leave it out: the delimiter is recognised; or name the format, as format='tsv'",
    header="leave it out: a line of names is recognised; or give them, as names=['text', 'label']",
    split="give the part: the file of it, or dataset['train']",
    nrows="read_corpus(data)[:100] has the first",
    index_col="leave it out: columns that only count are recognised",
)
def read_corpus(
    data: Any,
    *,
    text: str | None = None,
    label: str | None = None,
    rename: Mapping[str, str] | None = None,
    names: Sequence[str] | None = None,
    format: str | None = None,
    tags: str = "upos",
    encoding: str | None = None,
    on_error: str = "stop",
) -> Corpus:
    """Read a corpus: a file, a frame, a data set, a list of texts or of dictionaries.

    The format of a file is told by its name (``.gz`` may follow it): ``.jsonl``, ``.csv``
    (quoted), ``.tsv`` (never quoted), ``.parquet``, ``.arrow``, ``.txt`` (one sentence a line),
    ``.conllu``, ``.conll`` and ``.bilou`` (a token and its tag a line), ``.spacy`` (documents of
    spaCy), ``.mrg`` and ``.ptb`` (Penn brackets), ``.sst`` (sentiment trees), or a folder that
    Hugging Face's ``save_to_disk`` made; ``-`` is JSON lines from standard input. Many files are
    one corpus: a folder of tables, or a name with a star, as ``new-*.parquet``. All names may be
    URLs of an object store, as ``s3://bucket/train.parquet``.

    Usual names of the columns of texts and classes (``sentence``, ``review``, ``sentiment``, ...)
    are recognised, and it is told which were. Other columns are kept as they are.

    Parameters
    ----------
    data : path, or data in memory
        A file, a corpus, or what :func:`~induction.corpus.inputs.in_memory.rows_in_memory` knows:
        ``datasets.Dataset``, pandas, polars, texts, dictionaries, a mapping of columns. A text
        with spaces, of which no file has the name, is one text.
    text, label : str, optional
        The columns that hold texts and classes, where names do not tell; ``label=""``: none does.
    rename : mapping, optional
        Column names of the file to names of the corpus, as in ``{"sentence": "text"}``.
    names : sequence of str, optional
        Column names of a CSV or TSV file that has no header line.
    format : str, optional
        The format, where the name does not tell it: ``jsonl``, ``csv``, ``tsv``, ``parquet``,
        ``arrow``, ``text``, ``conllu``, ``conll``, ``bilou``, ``spacy``, ``brackets``, ``sst``,
        ``rasa`` (training data of Rasa NLU), ``scan`` (lines ``IN: ... OUT: ...``) or ``hf``.
    tags : {"upos", "xpos"}
        Which tags of CoNLL-U to read.
    encoding : str, optional
        Of a file of text that is not UTF-8. A mark at its front says UTF-16 and UTF-32.
    on_error : {"stop", "skip"}
        Whether rows that cannot be used raise an error, or are left out; ``skipped`` of the
        corpus then says which they are and why.

    Raises
    ------
    UnreadableInputError
        If it cannot be read or is not UTF-8.
    CorpusError
        If it does not follow its format, has no column ``text`` after renaming, a column holds
        values of the wrong type, an id is missing or there twice, or a label is NaN or neither a
        class nor a distribution. File and line are given, where the format has lines.
    OptionError
        If the file name tells no format, there is no such format, a column is named that is not
        there, or several columns have usual names.

    Examples
    --------
    >>> corpus = read_corpus([{"text": "good", "label": "yes", "date": "2024-01-02"}])
    >>> corpus.names
    ('id', 'text', 'label', 'date')
    """
    if isinstance(getattr(data, "corpus", None), Corpus):
        data = data.corpus  # of an augmentation
    if isinstance(data, Corpus) and not (text or label or rename):
        table = plain_table(data.table, "the corpus")
        return data if table is data.table else replace(data, table=table)
    if is_text(data):
        data = [data]
    source = str(data) if is_path(data) else "the data"
    skips = named(on_error, {"stop": False, "skip": True}, "way with errors")
    asked = Asked(source, rename or {}, names, tags, text, label, skips, encoding=encoding)
    if isinstance(data, Corpus):
        data = data.table
    with _faults_told(source):
        rows = _read(data, asked, format) if is_path(data) else rows_in_memory(data)
        corpus = sound_corpus(rows, asked) if skips else corpus_of_rows(rows, asked)
    if source == "-" or not is_path(data) or skips:  # what is read of it is gone
        return corpus
    # read again when it is asked for, so that the content of the file is not kept
    return replace(corpus, places=partial(_place, data, asked, format))


@contextmanager
def _faults_told(source: str) -> Iterator[None]:
    """Say of values that Python or Arrow cannot hold what is wrong with them, and where."""
    try:
        yield
    except TreewrightError:
        raise
    except (OverflowError, RecursionError, UnicodeEncodeError, pa.ArrowException) as error:
        if isinstance(error, pa.ArrowException):
            what = f"a column cannot be read: {str(error).splitlines()[0]}"
        elif isinstance(error, RecursionError):
            what = "a value is nested too deeply"
        elif isinstance(error, OverflowError):
            what = "a number is larger than 64 bits hold"
        else:
            what = f"a text is no text: {error.reason}"
        raise CorpusError(what, where=source, hint="correct the row, or leave it out") from None


def _place(path: PathLike, asked: Asked, format: str | None, row: int) -> str:
    with heard_by(lambda message: None):  # it was told when the rows were read
        return _read(path, asked, format).where(row)


def from_dataset(dataset: Any, *, rename: Mapping[str, str] | None = None) -> Corpus:
    """Return a Hugging Face ``datasets.Dataset`` as a corpus.

    Class labels stay numbers, and columns keep their names (``ClassLabel``) for
    :meth:`~induction.Corpus.to_dataset` and files of Parquet and Arrow.

    Parameters
    ----------
    dataset : datasets.Dataset
        One split.
    rename : mapping, optional
        As for :func:`read_corpus`.

    Raises
    ------
    CorpusError
        If it is no such dataset, or its columns are not those of a corpus (as :func:`read_corpus`).
    MissingDataError
        If the library ``datasets`` is not installed.
    """
    table = huggingface.table_of_dataset(dataset)
    return corpus_of_rows(Rows(table, numbered_rows("dataset")), Asked("dataset", rename or {}))


@names_keywords(index="leave it out: there is no column of row numbers but the ids")
def write_corpus(corpus: Any, path: PathLike, *, format: str | None = None) -> None:
    """Write a corpus in the format that the file name tells (see :func:`write_batches`).

    Parameters
    ----------
    corpus : Corpus, or data in memory
        Whatever :func:`read_corpus` reads, such as new examples, a frame or trees.
    path : path
        The file.
    format : str, optional
        Its format, where the name does not tell it.

    Raises
    ------
    OptionError, CorpusError, OutputError
        As :func:`write_batches` and :func:`read_corpus`.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from induction import Corpus
    >>> place = tempfile.TemporaryDirectory()
    >>> file = pathlib.Path(place.name, "few.csv")
    >>> write_corpus(Corpus.from_columns(text=["we ran"], label=[1]), file)
    >>> file.read_text().splitlines()
    ['id,text,label', '0,we ran,1']
    >>> place.cleanup()
    """
    if not is_path(path):
        raise OptionError(
            f"a {type(path).__name__} is no path",
            hint="write_corpus(corpus, path) has the path last",
        )
    if not isinstance(corpus, Corpus):
        corpus = read_corpus(corpus)
    write_batches([corpus.table], path, format=format, classes=corpus.classes)


def write_batches(
    tables: Iterable[pa.Table],
    path: PathLike,
    *,
    format: str | None = None,
    workers: int = 1,
    classes: Sequence[str] = (),
) -> int:
    """Write tables of one schema one after the other; return the number of rows.

    Formats are those of :func:`read_corpus`; a folder for Hugging Face has the ending ``.hf`` (and
    is written at the end, from memory). Nested columns become JSON in CSV and TSV, where
    distributions have the names of their classes, if ``classes`` are given; what each format
    cannot express is in ``docs/reference/formats.md``. Under a name with a star, as
    ``new-*.parquet``, come
    files of :data:`SHARD` rows, each when it is complete; an error takes them away again. With two
    workers or more a thread of its own writes while the next tables are made.

    Raises
    ------
    OptionError
        If the file name tells no format, or there is no such format.
    CorpusError
        If a value cannot be expressed in the format.
    OutputError
        If the path cannot be written.
    """
    chosen = output_format(path, format)
    if chosen is not None and classes and _name_of(chosen) in NAMING:
        tables = (with_named_shares(table, classes) for table in tables)
    if is_many(path):
        return _write_shards(tables, path, format, workers)
    plain = (plain_table(table, os.fsdecode(path)) for table in tables)
    groups = iter(_regrouped(plain, _ROWS_A_GROUP))
    first = next(groups)
    if chosen is None:
        together = pa.concat_tables([first, *groups])
        huggingface.write_folder(copied(together), path)
        return int(together.num_rows)
    if "text" not in first.column_names and _name_of(chosen) not in _WITHOUT_TEXTS:
        raise OptionError(
            f"the rows have no texts, and a file of the format {_name_of(chosen)} holds texts",
            where=os.fsdecode(path),
            hint="end its name in .tsv, .csv, .jsonl or .parquet, which keep all columns",
        )
    if _name_of(chosen) not in _NAMED and (names := class_names_of(first)):
        tell(
            f"{os.fsdecode(path)} has numbers of classes, without their names "
            f"({', '.join(names[:4])}{', ...' * (len(names) > 4)}); .parquet, .arrow and .hf keep "
            "them"
        )
    if chosen is FORMATS["text"]:
        _tell_of_texts_alone(first.column_names, path)
    told = partial(
        refusals_told, writer=chosen.writer, encode=chosen.encode, format=_name_of(chosen)
    )
    with (
        atomic_output(path) as temporary,
        told(first),
        chosen.writer(temporary, first.schema) as write,
    ):

        def encoded(group: pa.Table) -> tuple[Any, pa.Table]:
            with told(group):
                return chosen.encode(group), group

        def written(made: tuple[Any, pa.Table]) -> int:
            with told(made[1]):
                write(made[0])
            return int(made[1].num_rows)

        every = (partial(encoded, group) for group in itertools.chain([first], groups))
        # a copy takes less time than to hand it to another thread
        made = in_threads(every, 1 if chosen.binary else workers)
        return sum(_in_turn(made, written, workers))


def _in_turn(items: Iterable[Any], written: Callable[[Any], int], workers: int) -> Iterator[int]:
    return map(written, items) if workers == 1 else behind(items, written, _WAITING)


def _write_shards(
    tables: Iterable[pa.Table], path: PathLike, format: str | None, workers: int
) -> int:
    with outputs_together(path) as names:

        def written(shard: pa.Table) -> int:
            name = numbered(path, len(names))
            rows = write_batches([shard], name, format=format)
            names.append(name)
            return rows

        return sum(_in_turn(_regrouped(tables, SHARD), written, workers))


def check_output(
    path: PathLike,
    *,
    format: str | None = None,
    columns: Sequence[str] | None = None,
    schema: pa.Schema | None = None,
) -> None:
    """Check that rows can be written to a path, before there are any.

    Parameters
    ----------
    path : path
        The output.
    format : str, optional
        If the name does not tell it.
    columns : sequence of str, optional
        Which columns there will be.
    schema : pyarrow.Schema, optional
        The same, with their types.

    Raises
    ------
    OptionError
        If the file name tells no format.
    OutputError
        If a folder is to be made where something else lies.
    CorpusError
        If the format needs a column that will not be there, or cannot hold one that will be.
    """
    chosen = output_format(path, format)
    if chosen is None:
        huggingface.check_folder(path)
    if schema is not None:
        columns = schema.names
        if chosen is None:
            huggingface.check_kinds(schema)
        elif set(chosen.suffixes) & set(_TABLES):
            check_schema(schema, chosen.writer, chosen.encode, _name_of(chosen))
    needed = chosen.needs if chosen else None
    if needed and columns is not None and needed not in columns:
        raise CorpusError(
            f"the format needs the column {needed!r}, and there will be {', '.join(columns)}",
            where=str(path),
            hint="write .jsonl, .csv or .parquet, or use a method that keeps that column",
        )


def _regrouped(tables: Iterable[pa.Table], size: int) -> Iterator[pa.Table]:
    """Cut the rows again into groups of one size, so that files do not show the batches."""
    waiting: list[pa.Table] = []
    rows = made = 0
    for table in tables:
        waiting.append(table)
        rows += table.num_rows
        while rows > size:
            joined = pa.concat_tables(waiting)
            yield joined.slice(0, size)
            waiting = [joined.slice(size)]
            rows -= size
            made += 1
    if rows or not made:
        if not waiting:
            raise CorpusError("there are no batches to write", hint="write at least an empty one")
        yield pa.concat_tables(waiting)


def _read(path: PathLike, asked: Asked, format: str | None) -> Rows:
    if format == _FOLDER or (format is None and Path(path).suffix == _FOLDER_SUFFIX):
        return huggingface.read_folder(asked)
    if str(path) == "-":
        return _read_file(path, asked, format or "jsonl")
    with reading(path):
        if format is None and huggingface.is_saved_dataset(path):
            return huggingface.read_folder(asked)
        names = shards_of(path, _TABLES)
        if not names and is_many(path):
            raise FileNotFoundError(errno.ENOENT, "there are no such files")
        if not names and format is None and place_of(path).is_folder():
            return (
                rows_of_parallel_files(asked)
                or rows_of_class_folders(asked)
                or huggingface.read_folder(asked)
            )
    if not names and format is None and _suffix(path) == ANNOTATIONS:
        with reading(path):
            return rows_of_brat([Path(path)], asked)
    if not names and format is None:
        with reading(path):
            beside = rows_of_file_beside(asked)
            if beside is None and named_format(path) is None:
                beside = rows_of_translations(asked)
        if beside is not None:
            return beside
    if not names:
        _tell_of_annotations(path)
        return _read_file(path, asked, format)
    parts = [_read_file(name, replace(asked, path=name), format) for name in names]
    return together(parts, path)


def _tell_of_annotations(path: PathLike) -> None:
    """Tell that annotations of a text stand in a file beside it."""
    beside = Path(path).with_suffix(ANNOTATIONS) if _suffix(path) == ".txt" else None
    if beside is not None and not is_url(path) and beside.exists():
        tell(f"{beside} has annotations of {os.fsdecode(path)}; name it to read them as spans")


def _read_file(path: PathLike, asked: Asked, format: str | None) -> Rows:
    chosen = _chosen(path, format) or _by_content(path)
    try:
        if chosen.binary:
            with _opened(path) as source:
                beginning = bytes(source.read(LOOKED_AT))
                refuse_other_content(beginning, asked.path, text=False, pages=format is None)
                source.seek(0)
                rows = chosen.read(source, asked)
                rows.table.validate(full=True)  # its bytes are taken as they are
                return rows
        data = read_bytes(path)
        asked = replace(asked, named=format is not None)
        if not asked.named:
            refuse_other_content(data, asked.path, pages=True)
            data = _with_line_ends(data)
        with other_encoding(asked.encoding):
            if asked.skips and is_utf8(data):
                return sound_rows(data, asked, chosen.read, chosen.unit)
            data = as_utf8(data, asked.path)
        if asked.skips:
            return sound_rows(data, asked, chosen.read, chosen.unit)
        return chosen.read(data, asked)
    except TreewrightError:
        raise
    except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
        reason = str(error).splitlines()[0]
        raise CorpusError(
            f"the file does not follow the format of {format or _suffix(path)}: {reason}",
            where=asked.path,
            hint="correct the file, or name it after the format it has",
        ) from None


def _with_line_ends(data: bytes) -> bytes:
    """Return data with line feeds, where lines end in carriage returns alone, as once on Macs."""
    is_old = b"\n" not in data and b"\r" in data and b"\0" not in data
    return data.replace(b"\r", b"\n") if is_old else data


def _by_content(path: PathLike) -> Format:
    """Return the format that a file has for sure whose name tells none; it is told.

    Raises
    ------
    OptionError
        If its content tells none either.
    UnreadableInputError
        If there is no such file.
    """
    with reading(path):
        if not place_of(path).exists():
            name = os.fsdecode(path)
            hub = "; a data set of Hugging Face is read by its library: read_corpus(" + (
                f"datasets.load_dataset({name!r}, split='train'))"
            )
            raise UnreadableInputError(
                "there is no such file",
                where=name,
                hint=near_names(path) + (hub if _OF_HUB.fullmatch(name) else ""),
            )
    of_others = signature_of_suffix(Path(path).suffix)
    if of_others is None or of_others.is_text:
        with at_hand(path) as file, reading(path), open(file, "rb") as opened:
            refuse_other_content(opened.read(LOOKED_AT), os.fsdecode(path), pages=True)
    found = None if of_others and not of_others.is_text else format_of_content(path)
    if found is None:
        raise _unknown_format(path)
    tell(f"{os.fsdecode(path)} is read as the format {found}, as its lines say")
    return FORMATS[found]


def format_of_content(path: PathLike) -> str | None:
    """Return the format that the first lines of a file are of for sure, whatever its name.

    It is ``text`` only of lines that begin with their classes.

    Raises
    ------
    CorpusError
        If its lines are features, or words with tags behind them.
    """
    with at_hand(path) as file, reading(path), open(file, "rb") as opened:
        data = opened.read(_BEGINNING)
    if b"\0" in data:
        return None
    if data.removeprefix(codecs.BOM_UTF8).lstrip().startswith(b"<?xml"):
        raise CorpusError("this is XML", where=os.fsdecode(path), hint=OF_XML)
    if is_conll(data):
        return "conll"
    if is_rasa_markdown(data):
        return "rasa"
    with heard_by(lambda message: None):
        if rows_of_markdown(data, os.fsdecode(path)) is not None:
            return "csv"
    name = os.fsdecode(path)
    return format_of_lines(data) or (
        "text" if has_classes(data, name) or is_table(data, name) else None
    )


@contextmanager
def _opened(path: PathLike) -> Iterator[pa.NativeFile]:
    """Give a file that is open for Arrow, which reads it part by part."""
    if str(path) == "-" or str(path).endswith(".gz"):
        yield pa.BufferReader(read_bytes(path))
        return
    with ExitStack() as held:
        file = held.enter_context(at_hand(path))
        with reading(path):
            source = held.enter_context(pa.OSFile(os.fsencode(file)))
        yield source


def output_format(path: PathLike, format: str | None = None) -> Format | None:
    """Return the format to write; None is a folder for Hugging Face."""
    suffix = Path(path).suffix
    if format == _FOLDER or (format is None and suffix == _FOLDER_SUFFIX):
        return None
    if suffix == ".gz" and _suffix(path):
        raise OptionError(
            "no output is compressed",
            where=str(path),
            hint=f"end its name before .gz, as {Path(path).stem}, and call gzip on it",
        )
    chosen = _chosen(path, format)
    # .json would be no array
    if chosen is None or (format is None and suffix == ".json"):
        raise _unknown_format(path)
    if not chosen.is_written:
        raise OptionError(
            f"files of the format {_name_of(chosen)} are read, and not written",
            where=str(path),
            hint="write .mrg for trees, or .jsonl",
        )
    return chosen


def named_format(path: PathLike) -> str | None:
    """Return the format that the name of a file tells; None if it tells none.

    >>> named_format("reviews.csv.gz"), named_format("reviews.md")
    ('csv', None)
    """
    suffix = _suffix(path).lower()
    return next((name for name, one in FORMATS.items() if suffix in one.suffixes), None)


def _name_of(chosen: Format) -> str:
    return next(name for name, one in FORMATS.items() if one is chosen)


def _chosen(path: PathLike, format: str | None) -> Format | None:
    name = named_format(path) if format is None else format
    return None if name is None else _named(name)


def _named(format: str) -> Format:
    if format not in FORMATS:
        known = [*FORMATS, _FOLDER]
        raise OptionError(
            f"there is no format {format!r}",
            hint=meant(str(format).lstrip("."), known) or f"there are {', '.join(known)}",
        )
    return FORMATS[format]


def _tell_of_texts_alone(names: Sequence[str], path: PathLike) -> None:
    """Tell what people gave and a file of texts alone lacks."""
    if left := [name for name in names if name in _GIVEN]:
        name, lacks = Path(os.fsdecode(path)).name, ", ".join(map(repr, left))
        tell(
            f"{name} holds texts alone, without {lacks}; a name that ends in .tsv or .jsonl keeps "
            "them"
        )


def _suffix(path: PathLike) -> str:
    suffixes = Path(path).suffixes
    if suffixes and suffixes[-1] == ".gz":
        suffixes = suffixes[:-1]
    return suffixes[-1] if suffixes else ""


def _unknown_format(path: PathLike) -> OptionError:
    known = ", ".join(
        [*(suffix for one in FORMATS.values() for suffix in one.suffixes), _FOLDER_SUFFIX]
    )
    suffix = _suffix(path).lower()
    found = signature_of_suffix(suffix)
    if found is not None and not found.is_text:
        return OptionError(
            f"files {suffix} are neither read nor written: {found.what}",
            where=str(path),
            hint=f"{found.hint}; what is read and written ends in {known}",
        )
    first = found.hint if found else _LINES if suffix == ".json" else None
    told = f": {suffix} is {found.what}" if found else ""
    return OptionError(
        f"the format cannot be inferred from the file name{told}",
        where=str(path),
        hint=f"{first + '; or ' if first else ''}name the format, as --format text "
        f"({', '.join([*FORMATS, _FOLDER])}), or end its name in {known}",
    )
