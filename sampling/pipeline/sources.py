"""Source corpora: read by the names of their columns, found again by a manifest."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any

from grammar.files import PathLike, check_free, reading, write_text
from grammar.messages import heard_by
from grammar.places.opening import place_of
from grammar.places.place import beside, is_url
from induction.corpus.corpus import Corpus
from induction.corpus.formats import read_corpus
from induction.corpus.inputs.skipping import without_faults
from induction.corpus.rows import Skipped
from sampling.examples.class_names import class_names, number_classes
from sampling.examples.examples import read_examples
from sampling.pipeline.manifest import file_hash

__all__ = ["find_source", "read_source", "skipped_path", "write_skipped"]


def read_source(
    data: Any,
    columns: Mapping[str, str | None] = MappingProxyType({}),
    format: str | None = None,
    on_error: str = "stop",
) -> Corpus:
    """Read a corpus whose columns ``text`` and ``label`` may have other names.

    Parameters
    ----------
    data
        Whatever :func:`~induction.corpus.formats.read_corpus` reads.
    columns : mapping
        Its options ``text`` and ``label``, and other columns of the corpus with their names.
    format, on_error : str
        Likewise. Rows are left out that methods would refuse, too.
    """
    rename = {
        old: new
        for new, old in columns.items()
        if new not in ("text", "label") and old is not None and old != new
    }
    text, label = columns.get("text"), columns.get("label")
    corpus = read_corpus(
        data, text=text, label=label, rename=rename, format=format, on_error=on_error
    )
    if on_error != "skip":
        return corpus
    names = class_names(corpus)
    return without_faults(corpus, lambda part: read_examples(number_classes(part, names)))


def skipped_path(output: PathLike) -> str:
    """Return where the rows that were left out of an output's source are written.

    >>> skipped_path("new.csv")
    'new.csv.skipped.jsonl'
    """
    return beside(output, ".skipped.jsonl")


def write_skipped(skipped: Sequence[Skipped], output: PathLike) -> str | None:
    """Write the rows that were left out beside an output; none leave no file, nor an old one.

    Raises
    ------
    OutputError
        If it cannot be written, or an old one may not be replaced.
    """
    path = skipped_path(output)
    if not skipped:
        if place_of(path).exists():
            check_free(path)
            place_of(path).remove()
        return None
    rows = ({"where": row.where, "why": row.why, "row": row.row} for row in skipped)
    write_text(
        path, "".join(json.dumps(row, ensure_ascii=False, default=str) + "\n" for row in rows)
    )
    return path


def find_source(
    output: PathLike, source: PathLike | None, manifest: Mapping[str, Any] | None
) -> Corpus | None:
    """Return the corpus that an output was made from: the one named, or that of its manifest.

    The file that a manifest names is only taken if it is still the same; None if there is none. A
    file that is the same is read as it was, by the names of its columns.
    """
    entry = (manifest or {}).get("input") or {}
    file = _found(entry, output) if source is None else _if_same(entry, os.fsdecode(source))
    if file is not None:
        columns = (manifest or {}).get("columns") or {}
        how = entry.get("on_error", "stop")
        with heard_by(lambda message: None):  # it was said when the output was made
            return read_source(file, columns, entry.get("format"), how)
    return read_corpus(source) if source is not None else None


def _found(entry: Mapping[str, Any], output: PathLike) -> str | None:
    path = entry.get("path")
    if path is None or path == "-":
        return None
    near = None if is_url(path) else os.path.join(os.path.dirname(os.fsdecode(output)), path)
    return _if_same(entry, path) or (near and _if_same(entry, near))


def _if_same(entry: Mapping[str, Any], file: str) -> str | None:
    with reading(file):
        there = bool(entry) and place_of(file).exists()
    return file if there and entry.get("sha256") in (None, file_hash(file)) else None
