"""Treebanks with what is known of each tree: its file, or the other columns of its table."""

from __future__ import annotations

from pathlib import PurePath
from typing import Any

from grammar.files import PathLike
from grammar.trees.treebank import Treebank
from induction.corpus.corpus import Corpus
from induction.corpus.formats import read_corpus
from induction.corpus.huggingface import is_local_dataset
from induction.corpus.readers import (
    EMBEDDED,
    bracketed_files,
    nltk_files,
    read_reviews,
    read_treebank,
)
from induction.corpus.tree_files import trees_of_corpus

__all__ = ["read_tree_variables"]

_TABLES = {".jsonl", ".json", ".csv", ".tsv", ".parquet"}
_NO_VARIABLES = {"text", "tree", "tree_pair", "tokens", "tags", "heads", "deprels", "spans"}


def read_tree_variables(
    source: PathLike = EMBEDDED, *, encoding: str = "utf-8", discontinuous: str = "refuse"
) -> tuple[Treebank, dict[str, list[Any]]]:
    """Read a treebank, and variables of its trees.

    Parameters
    ----------
    source : str or path
        Whatever :func:`read_treebank` reads; a folder, a name with a star, or brackets of NLTK
        have the variable ``file``. Or a table with a column ``tree``, whose other columns are
        variables.
    encoding : str
        Of text files.
    discontinuous : {"refuse", "raise", "split"}
        What becomes of discontinuous constituents, as for :func:`read_treebank`.

    Raises
    ------
    TreewrightError
        As :func:`read_treebank` and :func:`induction.read_corpus` do; if a tree of a table is
        missing.

    Examples
    --------
    >>> treebank, variables = read_tree_variables()
    >>> len(treebank) == len(variables["domain"])
    True
    """
    name = str(source)
    if name == EMBEDDED:
        return _of_corpus(read_reviews())
    if PurePath(name.removesuffix(".gz")).suffix in _TABLES or is_local_dataset(source):
        return _of_corpus(read_corpus(source))
    read = _read_files(name, encoding, discontinuous)
    if not read:
        return read_treebank(source, encoding=encoding, discontinuous=discontinuous), {}
    of_trees = [file for file, trees in read for _ in range(len(trees))]
    return Treebank.concatenate([trees for _, trees in read]), {"file": of_trees}


def _read_files(name: str, encoding: str, discontinuous: str) -> list[tuple[str, Treebank]]:
    """Return the treebank of each file, with its name; none if the source is no set of files."""
    if name.endswith(".arrow"):
        return []
    if name.startswith("nltk:"):
        return list((nltk_files(name) or {}).items())
    files = bracketed_files(name) or []
    return [
        (
            PurePath(file).name,
            read_treebank(file, encoding=encoding, discontinuous=discontinuous),
        )
        for file in files
    ]


def _of_corpus(corpus: Corpus) -> tuple[Treebank, dict[str, list[Any]]]:
    names = [name for name in corpus.names if name not in _NO_VARIABLES]
    return trees_of_corpus(corpus), {name: corpus.column(name) for name in names}
