"""Dependency treebanks: files of CoNLL-U, read into columns block by block.

What a file must be is said in :mod:`induction.corpus.conllu`, which reads everything of it. Here
only what is searched is read, which is faster; of a file that is not as it must be, that module
says where and why.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import PurePath
from typing import Any

import numpy as np

from grammar.arrays import IntArray
from grammar.dependencies.treebank import (
    FIELDS,
    DependencyTreebank,
    absolute_heads,
    encoded,
)
from grammar.errors import CorpusError, EmptyTreebankError
from grammar.files import PathLike, as_utf8, check_encoding, read_bytes
from grammar.trees.symbols import SymbolTable
from induction.corpus.conllu import parse_conllu
from induction.corpus.readers import listed_files
from induction.corpus.rows import Asked
from induction.corpus.validity import first_broken_heads

__all__ = ["holds_dependencies", "is_conllu", "read_dependencies"]

_BLOCK = 50_000
"""So many words are text at once; the rest are numbers already."""
_FIELDS, _HEAD, _DIGITS = 10, 6, 9
_PLACES = dict(zip(FIELDS, (1, 2, 3, 4, 5, 7, 9), strict=True))
_COMMENT = re.compile(r"#\s*([^=]*[^=\s])\s*=\s*(.*?)\s*")
_RANGE = re.compile(r"([0-9]+)-([0-9]+)")
_EMPTY_NODE = re.compile(r"([0-9]+)\.[0-9]+")
_NEW_DOCUMENT = re.compile(r"#\s*newdoc\b")
_OF_DOCUMENTS, _META = ("newdoc id", "newpar id"), "meta::"


def read_dependencies(source: PathLike, *, encoding: str = "utf-8") -> DependencyTreebank:
    r"""Read a dependency treebank, as it is searched.

    Parameters
    ----------
    source : str or path
        A file of CoNLL-U (``.gz`` and ``-`` too), a folder of such files, or a name with a star,
        read in the order of their names. All may be URLs of an object store.
    encoding : str
        Of the files, if they are not UTF-8.

    Returns
    -------
    DependencyTreebank
        Its variables are the comments ``# name = value`` of sentences, and ``file`` if there are
        several. Those of a document (``newdoc id``, and ``meta::genre``,
        which is called ``genre``) hold for all its sentences.

    Raises
    ------
    EmptyTreebankError
        If it holds no sentences.
    CorpusError, UnreadableInputError
        If a file is malformed (as :func:`induction.read_corpus` says) or cannot be read.
    OptionError
        If there is no such encoding.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> place = tempfile.TemporaryDirectory()
    >>> file = pathlib.Path(place.name, "a.conllu")
    >>> lines = "1\tGo\tgo\tVERB\t_\t_\t0\troot\t_\t_\n2\thome\thome\tADV\t_\t_\t1\tadvmod\t_\t_\n"
    >>> _ = file.write_text("# sent_id = a\n" + lines)
    >>> treebank = read_dependencies(file)
    >>> treebank, treebank.variables, treebank.text(0)
    (DependencyTreebank(1 sentences, 2 words), {'sent_id': ['a']}, 'Go home')
    >>> place.cleanup()
    """
    check_encoding(encoding)
    files = listed_files(str(source), is_conllu)
    reading = _Reading(has_files=files is not None)
    for name, path in {str(source): str(source)}.items() if files is None else files.items():
        data = as_utf8(read_bytes(path), path, encoding)
        reading.add(data, path, PurePath(name).name)
    treebank = reading.treebank()
    if not len(treebank):
        raise EmptyTreebankError(
            "there are no sentences here",
            where=str(source),
            hint="give a file of CoNLL-U, or a folder of files that are called *.conllu",
        )
    return treebank


def is_conllu(name: str) -> bool:
    """Say whether a file is called as CoNLL-U is.

    >>> is_conllu("a.conllu.gz"), is_conllu("a.mrg")
    (True, False)
    """
    return name.lower().endswith((".conllu", ".conllu.gz"))


def holds_dependencies(source: PathLike) -> bool:
    """Say whether a file, or one in a folder or of a name with a star, is called as CoNLL-U is.

    >>> holds_dependencies("a.conllu"), holds_dependencies("embedded")
    (True, False)
    """
    name = str(source)
    if is_conllu(name):
        return True
    return any(map(is_conllu, listed_files(name, is_conllu) or ()))


class _Variables:
    """What is known of sentences: a list for each name, as long as there are sentences."""

    def __init__(self) -> None:
        self.columns: dict[str, list[Any]] = {}
        self._count = 0
        self._of_document: dict[str, str] = {}

    def begin_file(self) -> None:
        self._of_document = {}

    def add(self, comments: list[str], more: dict[str, str]) -> None:
        """Add a sentence with its comments."""
        found = dict(more)
        for line in comments:
            if _NEW_DOCUMENT.match(line):
                self._of_document = {}
            match = _COMMENT.fullmatch(line)
            if match is None:
                continue
            if match[1] in _OF_DOCUMENTS or match[1].startswith(_META):
                self._of_document[match[1].removeprefix(_META)] = match[2]
            else:
                found.setdefault(match[1], match[2])
        for name, value in {**self._of_document, **found}.items():
            column = self.columns.setdefault(name, [])
            column += [None] * (self._count - len(column))
            column.append(value)
        self._count += 1

    def filled(self) -> dict[str, list[Any]]:
        """Return the columns, each with a value for all sentences."""
        for column in self.columns.values():
            column += [None] * (self._count - len(column))
        return self.columns


class _Reading:
    """Files that are read one after the other into the same columns."""

    def __init__(self, *, has_files: bool) -> None:
        self._has_files = has_files
        self._symbols = SymbolTable()
        self._parts: dict[str, list[IntArray]] = {name: [] for name in FIELDS}
        self._heads: list[IntArray] = []
        self._lengths: list[int] = []
        self._variables = _Variables()

    def add(self, data: bytes, path: str, name: str) -> None:
        """Add the sentences of a file, in UTF-8 (raises CorpusError)."""
        more = {"file": name} if self._has_files else {}
        lines: list[str] = []
        lengths: list[int] = []
        told: set[bool] = set()
        self._variables.begin_file()
        refuse = _refusing(data, path)
        for comments, words in _sentences(data.decode("utf-8-sig"), refuse):
            lines += words
            lengths.append(len(words))
            self._variables.add(comments, more)
            if len(lines) >= _BLOCK:
                told |= self._add_block(lines, lengths, refuse)
                lines, lengths = [], []
        told |= self._add_block(lines, lengths, refuse)
        if len(told) > 1:
            refuse()

    def treebank(self) -> DependencyTreebank:
        """Return all that was read."""
        offsets = np.concatenate(([0], np.cumsum(self._lengths))).astype(np.int64)
        none = np.zeros(0, np.int32)
        columns = {name: np.concatenate([none, *parts]) for name, parts in self._parts.items()}
        in_sentences = np.concatenate([none, *self._heads]).astype(np.int64)
        heads = absolute_heads(in_sentences, offsets)
        return DependencyTreebank(columns, heads, offsets, self._symbols, self._variables.filled())

    def _add_block(
        self, lines: list[str], lengths: list[int], refuse: Callable[[], None]
    ) -> set[bool]:
        """Add sentences; return whether they have heads, if there are any."""
        if not lines:
            return set()
        cells = "\t".join(lines).split("\t")
        numbers = [str(number) for number in range(1, max(lengths) + 1)]
        expected = [number for length in lengths for number in numbers[:length]]
        if cells[::_FIELDS] != expected or "" in cells[1::_FIELDS]:
            refuse()
        heads = cells[_HEAD::_FIELDS]
        has_heads = set(heads) != {"_"}
        for name, place in _PLACES.items():
            values = cells[place::_FIELDS]
            self._parts[name].append(encoded(values, self._symbols, is_form=name == "form"))
        self._heads.append(_checked_heads(heads if has_heads else [], lengths, refuse))
        self._lengths += lengths
        return {has_heads}


def _refusing(data: bytes, path: str) -> Callable[[], None]:
    """Return what says why a file is refused."""

    def refuse() -> None:
        parse_conllu(data, Asked(path))
        raise CorpusError("this is no CoNLL-U", where=path, hint="see universaldependencies.org")

    return refuse


def _sentences(text: str, refuse: Callable[[], None]) -> Iterator[tuple[list[str], list[str]]]:
    """Yield the comments of each sentence and the lines of its words."""
    comments: list[str] = []
    words: list[str] = []
    covered = 0  # the last word of the last range
    begun = False
    for line in _lines(text):
        line = line.removesuffix("\r")
        begun = begun or bool(line.strip())
        if line.startswith("#"):
            comments.append(line)
        elif line and not line.isspace():
            if line.count("\t") != _FIELDS - 1:
                refuse()
            number, form, _ = line.split("\t", 2)
            if "-" not in number and "." not in number:
                words.append(line)
            elif (end := _end_of_range(number, form, len(words), covered)) is None:
                refuse()
            else:
                covered = end
        elif words:
            if covered > len(words):
                refuse()
            yield comments, words
            comments, words, covered, begun = [], [], 0, False
        elif begun:
            refuse()


def _lines(text: str) -> Iterator[str]:
    """Yield lines, and an empty one behind the last; forms may hold characters such as U+2028."""
    begin = 0
    while (end := text.find("\n", begin)) >= 0:
        yield text[begin:end]
        begin = end + 1
    yield text[begin:]
    yield ""


def _end_of_range(number: str, form: str, known: int, covered: int) -> int | None:
    """Return the last word that ranges reach, behind so many words; None if one is out of place."""
    if match := _RANGE.fullmatch(number):
        first, last = int(match[1]), int(match[2])
        return last if first == known + 1 and last >= first > covered and form else None
    empty = _EMPTY_NODE.fullmatch(number)
    return covered if empty is not None and int(empty[1]) == known else None


def _checked_heads(heads: list[str], lengths: list[int], refuse: Callable[[], None]) -> IntArray:
    """Return heads, which form trees; without any, all words are roots."""
    if not heads:
        return np.zeros(sum(lengths), np.int32)
    if not all(h.isascii() and h.isdecimal() and len(h) <= _DIGITS for h in set(heads)):
        refuse()
    flat = np.array(list(map(int, heads)), np.int32)
    offsets = np.concatenate(([0], np.cumsum(lengths))).astype(np.int64)
    _, fault = first_broken_heads(offsets, flat)
    if fault:
        refuse()
    return flat
