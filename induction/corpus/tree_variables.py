"""Treebanks with what is known of each tree: its file, or the other columns of its table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import PurePath
from typing import Any

from grammar.files import PathLike
from grammar.trees.treebank import Treebank
from induction.corpus.corpus import Corpus
from induction.corpus.formats import read_corpus
from induction.corpus.readers import EMBEDDED, bracketed_files, read_reviews, read_treebank
from induction.corpus.tree_files import trees_of_corpus
from induction.trees.normalise import normalise, overt_nodes

__all__ = ["plain_trees", "read_tree_variables"]

_TABLES = {".jsonl", ".json", ".csv", ".tsv", ".parquet"}
_NO_VARIABLES = {"text", "tree", "tree_pair", "tokens", "tags", "heads", "deprels", "spans"}


def read_tree_variables(
    source: PathLike = EMBEDDED, *, encoding: str = "utf-8"
) -> tuple[Treebank, dict[str, list[Any]]]:
    """Read a treebank, and variables of its trees.

    Parameters
    ----------
    source : str or path
        Whatever :func:`read_treebank` reads; a folder, or a name with a star, has the variable
        ``file``. Or a table with a column ``tree``, whose other columns are variables.
    encoding : str
        Of text files.

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
    if PurePath(name.removesuffix(".gz")).suffix in _TABLES:
        return _of_corpus(read_corpus(source))
    if name.startswith("nltk:") or name.endswith(".arrow"):
        return read_treebank(source, encoding=encoding), {}
    files = bracketed_files(name)
    if not files:
        return read_treebank(source, encoding=encoding), {}
    read = [read_treebank(file, encoding=encoding) for file in files]
    names = [PurePath(file).name for file in files]
    of_trees = [name for name, trees in zip(names, read, strict=True) for _ in range(len(trees))]
    return Treebank.concatenate(read), {"file": of_trees}


def plain_trees(
    treebank: Treebank, variables: Mapping[str, Sequence[Any]]
) -> tuple[Treebank, dict[str, list[Any]]]:
    """Return trees without traces and functions below a root, as grammars are induced from them.

    Parameters
    ----------
    treebank : Treebank
        The trees as they were read.
    variables : mapping of str to sequence
        A value for each tree. Those of trees that have only traces are left out with these.

    Examples
    --------
    >>> treebank = Treebank.parse("(S (NP-SBJ (-NONE- *)) (VP go)) (S (-NONE- *))")
    >>> plain, variables = plain_trees(treebank, {"file": ["a", "b"]})
    >>> print(plain[0], variables)
    (TOP (S (VP go))) {'file': ['a']}
    """
    kept = overt_nodes(treebank)[treebank.offsets[:-1]]  # of no trees nothing is opened
    return normalise(treebank), {
        name: [value for value, there in zip(values, kept, strict=True) if there]
        for name, values in variables.items()
    }


def _of_corpus(corpus: Corpus) -> tuple[Treebank, dict[str, list[Any]]]:
    names = [name for name in corpus.names if name not in _NO_VARIABLES]
    return trees_of_corpus(corpus), {name: corpus.column(name) for name in names}
