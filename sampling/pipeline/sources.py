"""Source corpora: read by the names of their columns, found again by a manifest."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any

from grammar.errors import CorpusError, OptionError
from grammar.files import PathLike, check_free, reading, write_text
from grammar.messages import heard_by
from grammar.storage.location import beside, is_url
from grammar.storage.opening import place_of
from grammar.storage.permissions import check_network, files_say
from induction.corpus.corpus import Corpus
from induction.corpus.formats import read_corpus
from induction.corpus.inputs.skipping import without_faults
from induction.corpus.rows import Skipped
from sampling.examples.class_names import class_names, number_classes
from sampling.examples.examples import read_examples
from sampling.pipeline.manifest import file_hash

__all__ = [
    "check_same",
    "find_source",
    "named_file",
    "read_source",
    "skipped_path",
    "write_skipped",
]


def read_source(
    data: Any,
    columns: Mapping[str, str | None] = MappingProxyType({}),
    format: str | None = None,
    on_error: str = "stop",
    encoding: str | None = None,
) -> Corpus:
    """Read a corpus whose columns ``text`` and ``label`` may have other names.

    Parameters
    ----------
    data
        Whatever :func:`~induction.corpus.formats.read_corpus` reads.
    columns : mapping
        Its options ``text`` and ``label``, and other columns of the corpus with their names.
    format, on_error, encoding : str
        Likewise. Rows are left out that methods would refuse, too.
    """
    rename = {
        old: new
        for new, old in columns.items()
        if new not in ("text", "label") and old is not None and old != new
    }
    text, label = columns.get("text"), columns.get("label")
    corpus = read_corpus(
        data,
        text=text,
        label=label,
        rename=rename,
        format=format,
        encoding=encoding,
        on_error=on_error,
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

    Raises
    ------
    NotAllowedError
        If the manifest names a URL, and this run does not.
    """
    entry = (manifest or {}).get("input") or {}
    file = _found(entry, output) if source is None else _if_same(entry, os.fsdecode(source))
    if file is not None:
        columns = (manifest or {}).get("columns") or {}
        how = entry.get("on_error", "stop")
        with heard_by(lambda message: None):  # it was said when the output was made
            return read_source(file, columns, entry.get("format"), how, entry.get("encoding"))
    return read_corpus(source) if source is not None else None


def named_file(name: str, entry: Mapping[str, Any]) -> str:
    """Return the file that a manifest names, if it is there and the one that was read.

    So a manifest has nothing read but what whoever wrote it knew, byte for byte: no device, no pipe
    and no file of this machine's own.

    Parameters
    ----------
    name : str
        The entry: ``input`` or ``test``.
    entry : mapping
        Its path and its digest.

    Raises
    ------
    NotAllowedError
        If it is a URL, and this run does not name it.
    OptionError, CorpusError
        If it cannot be read again, or is another file now.
    """
    path, digest = str(entry["path"]), entry["sha256"]
    if path == "-":
        raise OptionError(
            f"the {name} was standard input", hint=f"name a file that holds it with --{name}"
        )
    with files_say():
        if is_url(path):
            check_network(path, named_by=f"--{name}")
        with reading(path):
            kept = place_of(path).can_be_kept
        if digest is None or not kept:
            raise CorpusError(
                f"the manifest does not know what was in the {name}",
                where=path,
                hint=f"name a file that holds it with --{name}",
            )
        check_same(name, path, digest)
    return path


def check_same(name: str, path: str, digest: str | None) -> None:
    """Refuse a file that is not the one that an output was made from (CorpusError)."""
    if digest not in (None, file_hash(path)):
        raise CorpusError(
            f"the {name} is not the file that the output was made from",
            where=path,
            hint=f"name that file with --{name}; its SHA-256 begins {str(digest)[:12]}",
        )


def _found(entry: Mapping[str, Any], output: PathLike) -> str | None:
    """Return the file that a manifest names, or one of that name beside the output."""
    path, digest = entry.get("path"), entry.get("sha256")
    if path is None or path == "-" or digest is None:
        return None
    near = [] if is_url(path) else [os.path.join(os.path.dirname(os.fsdecode(output)), path)]
    with files_say():
        if is_url(path):
            check_network(path, named_by="--source")
        return next((file for file in [path, *near] if _is_there(file, digest)), None)


def _is_there(file: str, digest: str) -> bool:
    with reading(file):
        place = place_of(file)
        kept = place.exists() and place.can_be_kept
    return kept and digest == file_hash(file)


def _if_same(entry: Mapping[str, Any], file: str) -> str | None:
    """Return a file that the person names, if it is the one of a manifest."""
    with reading(file):
        there = bool(entry) and place_of(file).exists()
    return file if there and entry.get("sha256") in (None, file_hash(file)) else None
