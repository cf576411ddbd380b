"""Corpora of trees on disk: Penn brackets, and the sentiment trees of the SST."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from grammar.errors import BracketError, CorpusError
from grammar.files import PathLike, as_utf8, read_bytes
from grammar.messages import tell
from grammar.trees.given import as_treebank
from grammar.trees.tree import Tree
from grammar.trees.treebank import Treebank
from induction.corpus.corpus import Corpus
from induction.corpus.rows import Asked, Rows, Skipped, Write
from induction.corpus.text.tokens import plain_brackets
from induction.corpus.treebanks.reading import is_foreign, parse_trees
from induction.corpus.validity import faults_of

__all__ = [
    "brackets_writer",
    "corpus_of_trees",
    "parse_brackets",
    "parse_sst",
    "read_sst",
    "read_treebank_file",
    "sound_trees",
    "sst_writer",
    "trees_of_corpus",
    "with_text_of_trees",
]

_TREE_BEGINS = re.compile(r"^(?=\()", re.MULTILINE)


def corpus_of_trees(treebank: Any) -> Corpus:
    """Return a treebank as a corpus: ``tree``, and its words with single spaces as ``text``.

    Trees are given as a :class:`~grammar.Treebank`, or as it can be made of them.

    Brackets and slashes are written as people write them, not as ``-LRB-`` or with a backslash;
    other words are as the treebank has them. Normalise it first to be rid of traces.

    Examples
    --------
    >>> corpus_of_trees(Treebank.parse("(S (NP We) (VP slept))"))[0]
    {'id': '0', 'text': 'We slept', 'tree': '(S (NP We) (VP slept))'}
    """
    treebank = as_treebank(treebank)
    texts = [
        plain_brackets(text) if "B-" in text.upper() or "\\" in text else text
        for text in treebank.texts().to_pylist()
    ]
    return Corpus.from_columns(text=texts, tree=treebank.brackets().cast(pa.string()))


def with_text_of_trees(table: pa.Table) -> pa.Table:
    """Return a table with the words of its trees as texts, if it has trees and no texts.

    It is told. A column of trees that are none stays as it is.

    >>> from grammar.messages import heard_by
    >>> with heard_by(print):
    ...     with_text_of_trees(pa.table({"tree": ["(S (NP We) (VP slept))"]})).to_pylist()
    text is made of the words of the trees in 'tree'
    [{'text': 'We slept', 'tree': '(S (NP We) (VP slept))'}]
    """
    if "tree" not in table.column_names or not pa.types.is_string(table.schema.field("tree").type):
        return table
    try:
        treebank = Treebank.parse("\n".join(tree or "" for tree in table["tree"].to_pylist()))
    except BracketError:
        return table
    if len(treebank) != table.num_rows:
        return table
    tell("text is made of the words of the trees in 'tree'")
    return table.add_column(0, "text", corpus_of_trees(treebank).arrow("text"))


def trees_of_corpus(corpus: Corpus, name: str = "tree") -> Treebank:
    """Return a column of bracketings as a treebank, one tree an example.

    Raises
    ------
    CorpusError
        If a tree is missing, or there is not one an example.
    BracketError
        If one is malformed.

    Examples
    --------
    >>> print(trees_of_corpus(corpus_of_trees(Treebank.parse("(S (NP We) (VP slept))")))[0])
    (S (NP We) (VP slept))
    """
    given = corpus.column(name)
    for row, tree in enumerate(given):
        if not tree or tree.isspace():
            raise CorpusError(
                "the tree is missing",
                where=corpus.where(row),
                hint="fill it in, or drop these examples",
            )
    treebank = Treebank.parse("\n".join(given), source=f"column {name!r}")
    if len(treebank) != len(corpus):
        raise CorpusError(
            f"column {name!r} holds {len(treebank)} trees for {len(corpus)} examples",
            hint="give one bracketing each",
        )
    return treebank


def read_sst(path: PathLike) -> Corpus:
    r"""Read Stanford Sentiment trees: text, tree, and the root's label (0 to 4) as ``label``.

    Raises
    ------
    CorpusError
        If a root label is not a whole number.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> place = tempfile.TemporaryDirectory()
    >>> file = pathlib.Path(place.name, "trees.txt")
    >>> _ = file.write_text("(3 (2 a) (3 (3 fine) (2 film)))\n")
    >>> corpus = read_sst(file)
    >>> corpus.column("text"), corpus.column("label")
    (['a fine film'], [3])
    >>> place.cleanup()
    """
    data = as_utf8(read_bytes(path), str(path))
    return Corpus(parse_sst(data, Asked(str(path))).table)


def parse_brackets(data: bytes, asked: Asked) -> Rows:
    """Read trees, one or more lines each (raises like :func:`parse_trees`)."""
    skipped: tuple[Skipped, ...] = ()
    if asked.skips and not is_foreign(data):
        treebank, skipped = sound_trees(data.decode("utf-8-sig"), asked.path)
    else:
        treebank = parse_trees(data, asked.path)
    return Rows(corpus_of_trees(treebank).table, _numbered_trees(asked.path), skipped=skipped)


def read_treebank_file(source: pa.NativeFile, asked: Asked) -> Rows:
    """Read NEGRA export, TIGER-XML or discbracket (raises like :func:`parse_trees`)."""
    return parse_brackets(source.read(), asked)


_DIGITS = 9
"""A class of sentiment has no more."""


def parse_sst(data: bytes, asked: Asked) -> Rows:
    """Read sentiment trees (raises like :func:`read_sst`)."""
    treebank = Treebank.parse(data.decode("utf-8-sig"), source=asked.path)
    roots = _roots(treebank)
    for number, root in enumerate(roots):
        if not root.isdecimal() or len(root) > _DIGITS:
            raise CorpusError(
                f"the root label {root!r} of tree {number + 1} is not a class",
                where=asked.path,
                hint="sentiment trees look like (3 (2 A) (4 gem))",
            )
    columns = corpus_of_trees(treebank)
    return Rows(
        Corpus.from_columns(
            text=columns.arrow("text"),
            label=pa.array([int(root) for root in roots], pa.int64()),
            tree=columns.arrow("tree"),
        ).table,
        _numbered_trees(asked.path),
    )


def _numbered_trees(path: str) -> Callable[[int], str]:
    return lambda row: f"{path}, tree {row + 1}"


def sound_trees(text: str, source: str) -> tuple[Treebank, tuple[Skipped, ...]]:
    """Read bracketed trees, without those that are malformed.

    A tree begins where a line begins with a bracket.

    >>> trees, skipped = sound_trees("(S (NP We)\\n(S (NP They))\\n", "a.mrg")
    >>> len(trees), [(one.where, one.why) for one in skipped]
    (1, [('a.mrg:1', 'opening bracket that is never closed')])
    """
    pieces = _TREE_BEGINS.split(text)
    lines = np.cumsum([1, *(piece.count("\n") for piece in pieces)])
    numbers = [k for k, piece in enumerate(pieces) if piece.strip()]

    def check(first: int, stop: int) -> None:
        trees = Treebank.parse("".join(pieces[k] for k in numbers[first:stop]))
        if len(trees) != stop - first:
            raise BracketError("this is not one tree")

    found = faults_of(check, 0, len(numbers))
    kept = "".join(pieces[k] for row, k in enumerate(numbers) if row not in found)
    skipped = tuple(
        Skipped(f"{source}:{lines[numbers[row]]}", why, {"tree": pieces[numbers[row]].strip()})
        for row, why in found.items()
    )
    return Treebank.parse(kept, source=source), skipped


@contextmanager
def brackets_writer(path: Path, schema: pa.Schema) -> Iterator[Write]:
    """Write the column ``tree``, one tree a line.

    Raises
    ------
    CorpusError
        If there is no such column, or it holds what is no tree.
    """
    Corpus(schema.empty_table()).arrow("tree")
    with open(path, "w", encoding="utf-8", newline="") as out:
        yield lambda table: out.writelines(_lines(_treebank(table)))


@contextmanager
def sst_writer(path: Path, schema: pa.Schema) -> Iterator[Write]:
    """Write the column ``tree``, one tree a line; root labels are the column ``label``.

    Raises
    ------
    CorpusError
        If a label is not the root of its tree, or soft: these trees hold one class each.
    """
    Corpus(schema.empty_table()).arrow("tree")
    with open(path, "w", encoding="utf-8", newline="") as out:

        def write(table: pa.Table) -> None:
            treebank = _treebank(table)
            _check_roots(table, _roots(treebank))
            out.writelines(_lines(treebank))

        yield write


def _lines(treebank: Treebank) -> Iterator[str]:
    return (f"{tree}\n" for tree in treebank.brackets().to_pylist())


def _roots(treebank: Treebank) -> list[str]:
    return [treebank.symbols[i] for i in treebank.label[treebank.offsets[:-1]].tolist()]


def _treebank(table: pa.Table) -> Treebank:
    trees = [tree or "" for tree in table.column("tree").to_pylist()]
    try:
        treebank = Treebank.parse("\n".join(trees))
    except BracketError:
        treebank = None
    if treebank is None or len(treebank) != len(trees):
        ids = table.column("id").to_pylist()
        number, reason = _first_bad(trees)
        raise CorpusError(
            f"the column 'tree' does not hold one tree: {reason}",
            where=f"example {ids[number]!r}",
            hint="trees look like (S (NP We) (VP slept))",
        )
    return treebank


def _first_bad(trees: list[str]) -> tuple[int, str]:
    for number, tree in enumerate(trees):
        try:
            Tree.parse(tree)
        except BracketError as error:
            return number, error.what
    return 0, "trees run into each other"


def _check_roots(table: pa.Table, roots: list[str]) -> None:
    """Refuse labels that the trees would not give back."""
    has_labels = "label" in table.column_names
    labels = table.column("label").to_pylist() if has_labels else roots
    for id, label, root in zip(table.column("id").to_pylist(), labels, roots, strict=True):
        if str(label) != root or not root.isdecimal():
            raise CorpusError(
                f"the label {label!r} is not the class at the root of the tree, {root!r}",
                where=f"example {id!r}",
                hint="write .mrg (trees without labels), or .jsonl",
            )
