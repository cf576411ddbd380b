"""Corpora as Hugging Face datasets, in memory and in the folders that ``save_to_disk`` makes.

The library ``datasets`` is an extra (``pip install 'treewright[hf]'``) and is imported only here,
for data sets in memory and to write a folder. A folder of others is read without it: each file that
it names is looked for in the folder alone, and of what it says of its columns only the names count.
"""

from __future__ import annotations

import hashlib
import importlib
import json
import os
import re
import secrets
import shutil
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pyarrow as pa

from grammar.errors import (
    CorpusError,
    MissingDataError,
    OutputError,
    TreewrightError,
    UnreadableInputError,
    to_install,
)
from grammar.files import PathLike, at_hand, moved_output, read_text
from grammar.storage.inside import check_links, file_inside
from grammar.storage.location import is_url
from grammar.storage.opening import place_of
from induction.corpus.annotated.tokens import with_named_tags
from induction.corpus.corpus import Corpus
from induction.corpus.rows import Asked, Rows, numbered_rows
from induction.corpus.tables.class_names import class_names_of, with_class_names
from induction.corpus.tables.reading import read_arrow
from induction.corpus.tables.refusals import REFUSED, unwritable

__all__ = [
    "check_folder",
    "check_kinds",
    "is_local_dataset",
    "is_saved_dataset",
    "read_folder",
    "table_of_dataset",
    "to_dataset",
    "write_folder",
]

_STATE, _SPLITS, _INFO = "state.json", "dataset_dict.json", "dataset_info.json"
_SPLIT = re.compile(r"\w+(\.\w+)*")
"""What the library lets the name of a split be."""
_AGAIN = "make it again with dataset.save_to_disk"


def _library() -> Any:
    try:
        return importlib.import_module("datasets")
    except ImportError:
        raise MissingDataError(
            "Hugging Face datasets need the library datasets, which is not installed",
            hint=to_install("hf"),
        ) from None


@contextmanager
def _no_bars() -> Iterator[None]:
    """Keep the library from drawing bars of its own."""
    datasets = _library()
    were_off = datasets.are_progress_bars_disabled()
    datasets.disable_progress_bars()
    try:
        yield
    finally:
        if not were_off:
            datasets.enable_progress_bars()


def table_of_dataset(dataset: Any) -> pa.Table:
    """Return the rows of a ``datasets.Dataset`` (its selection and order kept) as a table.

    Raises
    ------
    CorpusError
        If it is none: a ``DatasetDict``, for example, has several.
    """
    if isinstance(dataset, Mapping) and any(isinstance(one, str) for one in dataset.values()):
        raise CorpusError(
            "this is a row of a data set, and no data set",
            hint="augment the data set; or give rows in batches: dataset.map(function, "
            "batched=True)",
        )
    if isinstance(dataset, Mapping) and all(isinstance(one, list) for one in dataset.values()):
        return pa.table(dict(dataset))  # a batch, as datasets.map gives it
    if isinstance(dataset, Mapping):
        raise CorpusError(
            f"these are {len(dataset)} datasets: {', '.join(map(str, dataset))}",
            hint="give one of them, such as dataset['train']",
        )
    if not isinstance(dataset, _library().Dataset):
        raise CorpusError(
            f"{type(dataset).__name__} is no datasets.Dataset",
            hint="give a datasets.Dataset, or its rows: list(dataset)",
        )
    table: pa.Table = dataset.with_format("arrow")[:]
    inner = {name: getattr(one, "feature", one) for name, one in dataset.features.items()}
    names = {name: one.names for name, one in inner.items() if hasattr(one, "str2int")}
    table = with_named_tags(table.replace_schema_metadata(None), names)
    return with_class_names(table, names)


def to_dataset(corpus: Corpus) -> Any:
    """Return a corpus as a ``datasets.Dataset`` over the same memory.

    The fingerprint is that of the content, so equal corpora hit the same caches. Classes that are
    numbers become a ``ClassLabel`` where they were one.

    Parameters
    ----------
    corpus : Corpus
        Any.

    Raises
    ------
    MissingDataError
        If the library ``datasets`` is not installed.
    CorpusError
        If it has no kind of column for one (:func:`check_kinds`).
    """
    datasets = _library()
    names = class_names_of(corpus.table)
    table = corpus.table.replace_schema_metadata(None)
    check_kinds(table.schema)
    features = datasets.Features.from_arrow_schema(table.schema)
    if names:
        place = table.column_names.index("label")
        table = table.set_column(place, "label", table.column("label").cast(pa.int64()))
        features["label"] = datasets.ClassLabel(names=list(names))
    return datasets.Dataset(
        datasets.table.InMemoryTable(table),
        info=datasets.DatasetInfo(features=features),
        fingerprint=_fingerprint(table, names),
    )


def check_kinds(schema: pa.Schema) -> None:
    """Refuse columns of kinds that the library does not know.

    Raises
    ------
    CorpusError
        If there is such a column; the message names it.
    MissingDataError
        If the library is not installed.
    """
    feature_of = _library().features.features.generate_from_arrow_type
    for field in schema:
        try:
            feature_of(field.type)
        except REFUSED as error:
            raise unwritable(field, "a data set of Hugging Face", error) from None


def _fingerprint(table: pa.Table, names: Sequence[str]) -> str:
    digest = hashlib.sha256(repr(list(names)).encode() if names else b"")

    class Sink:
        """What Arrow writes to; only its digest is kept."""

        closed = False

        def write(self, data: Any) -> int:
            digest.update(data)
            return len(data)

        def flush(self) -> None: ...

        def close(self) -> None: ...

    with pa.ipc.new_stream(pa.PythonFile(Sink(), "w"), table.schema) as writer:
        writer.write_table(table)
    return digest.hexdigest()[:16]


def is_saved_dataset(path: PathLike) -> bool:
    """Say whether a path is a folder that ``save_to_disk`` made."""
    return any(place_of(f"{path}/{name}").exists() for name in (_STATE, _SPLITS))


def is_local_dataset(path: PathLike) -> bool:
    """Say whether a path is such a folder of this machine: no store is asked."""
    return os.path.isdir(path) and is_saved_dataset(path)


def read_folder(asked: Asked) -> Rows:
    """Read a folder that ``Dataset.save_to_disk`` made.

    Raises
    ------
    UnreadableInputError
        If it is no such folder.
    CorpusError
        If it holds several splits (they are named), or its files are damaged.
    SchemaError
        If it names a file that is not in it.
    """
    several = f"{asked.path}/{_SPLITS}"
    if place_of(several).exists():
        splits = _splits(asked.path)
        raise CorpusError(
            f"the folder holds several datasets: {', '.join(splits)}",
            where=asked.path,
            hint=f"name one of them, such as {asked.path}/{(splits or ['train'])[0]}",
        )
    if not is_saved_dataset(asked.path):
        raise UnreadableInputError(
            "there is no folder of a Hugging Face dataset",
            where=asked.path,
            hint="make it with dataset.save_to_disk",
        )
    try:
        tables = [_shard(shard, asked) for shard in _shards(asked.path)]
        table = pa.concat_tables(tables)
        table.validate(full=True)
    except TreewrightError:
        raise
    except (pa.ArrowException, OSError) as error:
        raise CorpusError(
            f"the folder does not hold a whole dataset: {str(error).splitlines()[0]}",
            where=asked.path,
            hint=_AGAIN,
        ) from None
    _check_features(asked.path, table.column_names)
    return Rows(table, numbered_rows(asked.path))


def _shards(folder: str) -> list[str]:
    """Return the Arrow files that a data set consists of, each of which lies in its folder."""
    path = f"{folder}/{_STATE}"
    state = _held(folder, _STATE)
    files = state.get("_data_files")
    if not isinstance(files, list) or not files:
        raise _untold("_data_files is no list of the files that hold the rows", path)
    if state.get("_indices_data_files"):
        raise _untold("it names files of indices, as versions of datasets before 2.0 do", path)
    names = [one.get("filename") if isinstance(one, dict) else one for one in files]
    return [
        file_inside(folder, name, f"{path}, _data_files[{number}]")
        for number, name in enumerate(names)
    ]


def _shard(path: str, asked: Asked) -> pa.Table:
    with at_hand(path) as file:
        # what lies here is mapped, so that it need not fit into memory
        opened = pa.OSFile if is_url(path) else pa.memory_map
        with opened(os.fsencode(file)) as source:
            return read_arrow(source, asked).table


def _check_features(folder: str, columns: Sequence[str]) -> None:
    """Refuse features that are of another table; nothing else of them is used."""
    path = f"{folder}/{_INFO}"
    if not place_of(path).exists():
        return
    features = _held(folder, _INFO).get("features")
    if features is None:
        return
    if not isinstance(features, dict):
        raise _untold(f"features is {type(features).__name__}, not columns by their names", path)
    for name, feature in features.items():
        if not isinstance(feature, dict | list):
            raise _untold(f"features, {name!r}: {type(feature).__name__} is no feature", path)
    if set(features) != set(columns):
        name = min(set(features) ^ set(columns))
        there, absent = ("features", "files") if name in features else ("files", "features")
        raise _untold(f"the column {name!r} is in the {there} and not in the {absent}", path)


def _held(folder: str, name: str) -> dict[str, Any]:
    """Return what a JSON file of a folder holds, which is an object."""
    path = f"{folder}/{name}"
    if not is_url(folder):
        check_links(folder, path, path)
    try:
        held = json.loads(read_text(path))
    except (ValueError, RecursionError) as error:
        if isinstance(error, TreewrightError):
            raise
        held = None
    if not isinstance(held, dict):
        raise _untold("it is no object of JSON", path)
    return held


def _untold(what: str, path: str) -> CorpusError:
    return CorpusError(f"the folder does not hold a whole dataset: {what}", where=path, hint=_AGAIN)


def _splits(folder: str) -> list[str]:
    path = f"{folder}/{_SPLITS}"
    splits = _held(folder, _SPLITS).get("splits")
    if not isinstance(splits, list):
        raise _untold("splits is no list of the datasets that the folder holds", path)
    for number, name in enumerate(splits):
        if not isinstance(name, str) or not _SPLIT.fullmatch(name):
            raise _untold(f"splits[{number}], {name!a:.60}, is no name of a dataset", path)
    return splits


def check_folder(path: PathLike) -> None:
    """Refuse a path where something lies that is no saved dataset.

    Raises
    ------
    OutputError
        If so: it would not come back.
    """
    if (place_of(path).exists() or os.path.lexists(path)) and not is_saved_dataset(path):
        raise OutputError(
            "something else than a Hugging Face dataset lies here",
            where=str(path),
            hint="choose another name, or remove it first",
        )


def write_folder(table: pa.Table, path: PathLike) -> None:
    """Write a folder that ``datasets.load_from_disk`` reads; an older one is replaced at the end.

    Raises
    ------
    OutputError
        If it cannot be written, or something else lies there.
    MissingDataError
        If the library ``datasets`` is not installed.
    """
    check_folder(path)
    dataset = to_dataset(Corpus(table))
    above = Path(tempfile.gettempdir() if is_url(path) else os.path.dirname(os.path.abspath(path)))
    fresh = above / f".part-{secrets.token_hex(8)}.hf"
    try:
        if not above.is_dir():
            raise FileNotFoundError("no such folder")
        with _no_bars():
            dataset.save_to_disk(str(fresh), num_shards=1)
        moved_output(fresh, path)
    except TreewrightError:
        raise
    except REFUSED as error:
        raise CorpusError(
            f"the rows cannot be written as a data set of Hugging Face: {error}",
            where=str(path),
            hint="leave out columns of unusual kinds, or write .arrow",
        ) from None
    except OSError as error:
        raise OutputError(
            f"cannot write the folder: {error.strerror or error}",
            where=str(path),
            hint="choose a path in a writable existing folder, on a disk with free space",
        ) from None
    finally:
        shutil.rmtree(fresh, ignore_errors=True)
