"""Source corpora: read by the names of their columns, found again by a manifest."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from grammar.files import PathLike
from induction.corpus.corpus import Corpus
from induction.corpus.formats import read_corpus
from sampling.pipeline.manifest import file_hash

__all__ = ["find_source", "read_source"]


def read_source(path: str, columns: Mapping[str, str | None], format: str | None = None) -> Corpus:
    """Read a corpus whose columns ``text`` and ``label`` may have other names."""
    rename = {old: new for new, old in columns.items() if old is not None and old != new}
    return read_corpus(path, rename=rename, format=format)


def find_source(
    output: PathLike, source: PathLike | None, manifest: Mapping[str, Any] | None
) -> Corpus | None:
    """Return the corpus that an output was made from: the one named, or that of its manifest.

    The file that a manifest names is only taken if it is still the same; None if there is none. A
    file that is the same is read as it was, by the names of its columns.
    """
    entry = (manifest or {}).get("input") or {}
    file = _found(entry, output) if source is None else _if_same(entry, Path(source))
    if file is not None:
        return read_source(str(file), (manifest or {}).get("columns") or {}, entry.get("format"))
    return read_corpus(source) if source is not None else None


def _found(entry: Mapping[str, Any], output: PathLike) -> Path | None:
    path = entry.get("path")
    if path is None or path == "-":
        return None
    return _if_same(entry, Path(path)) or _if_same(entry, Path(output).parent / path)


def _if_same(entry: Mapping[str, Any], file: Path) -> Path | None:
    same = entry and file.exists() and entry.get("sha256") in (None, file_hash(file))
    return file if same else None
