"""Dependency treebanks: files of CoNLL-U, read into columns block by block.

What a file must be is said in :mod:`induction.corpus.conllu`, which reads everything of it. Here
only what is searched is read, which is faster; of a file that is not as it must be, that module
says where and why.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import PurePath
from typing import Any, NamedTuple, NoReturn

import numpy as np

from grammar.arrays import IntArray
from grammar.dependencies.treebank import (
    FIELDS,
    DependencyTreebank,
    absolute_heads,
    encoded,
)
from grammar.errors import CorpusError, EmptyTreebankError
from grammar.files import PathLike, as_utf8, check_encoding, read_bytes, text_pieces
from grammar.progress import checkpoint
from grammar.trees.symbols import SymbolTable
from induction.corpus.conllu import parse_conllu
from induction.corpus.corpus import Corpus
from induction.corpus.readers import listed_files
from induction.corpus.rows import Asked
from induction.corpus.validity import first_broken_heads

__all__ = [
    "NEW_DOCUMENT",
    "Documents",
    "File",
    "Reading",
    "Sentence",
    "SentenceBlock",
    "dependencies_of_corpus",
    "holds_dependencies",
    "is_conllu",
    "no_sentences",
    "read_dependencies",
    "sentence_blocks",
]

_BLOCK = 50_000
"""So many words are text at once; the rest are numbers already."""
_FIELDS, _HEAD, _DIGITS = 10, 6, 9
_PLACES = dict(zip(FIELDS, (1, 2, 3, 4, 5, 7, 9), strict=True))
_HELD = {"lemma": "lemmas", "upos": "upos", "xpos": "xpos", "features": "features", "misc": "misc"}
"""Fields of words, and what corpora call them."""
_COMMENT = re.compile(r"#\s*([^=]*[^=\s])\s*=\s*(.*?)\s*")
_RANGE = re.compile(r"([0-9]+)-([0-9]+)")
_EMPTY_NODE = re.compile(r"([0-9]+)\.[0-9]+")
_NEW_DOCUMENT = re.compile(r"#\s*newdoc\b")
NEW_DOCUMENT = "newdoc"
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
    reading = Reading(Documents())
    for block in sentence_blocks(source, encoding):
        reading.add(block)
    treebank = reading.treebank()
    if not len(treebank):
        raise no_sentences(source)
    return treebank


def dependencies_of_corpus(corpus: Corpus) -> DependencyTreebank:
    """Return the dependencies of a corpus: its columns ``tokens``, ``heads`` and ``deprels``.

    Raises
    ------
    SchemaError
        If it lacks one of them.

    Examples
    --------
    >>> columns = {"tokens": [["we", "ran"]], "heads": [[2, 0]], "deprels": [["nsubj", "root"]]}
    >>> treebank = dependencies_of_corpus(Corpus.from_columns(text=["we ran"], **columns))
    >>> treebank.search("pattern { V -[nsubj]-> N }").values("N")
    ['we']
    """
    more = corpus.column("conllu") if "conllu" in corpus.names else []
    tags = corpus.column("tags") if "tags" in corpus.names else []
    fields: dict[str, Any] = {}
    for name, held in _HELD.items():
        rows = [(row or {}).get(held) for row in more]
        if rows and all(rows):
            fields[name] = rows
    if "upos" not in fields and "xpos" not in fields and tags and all(tags):
        fields["upos"] = tags
    return DependencyTreebank.from_columns(
        form=corpus.column("tokens"),
        head=corpus.column("heads"),
        deprel=corpus.column("deprels"),
        variables={"sent_id": corpus.column("id")},
        **fields,
    )


def no_sentences(source: PathLike) -> EmptyTreebankError:
    """Return what says that there are no sentences."""
    return EmptyTreebankError(
        "there are no sentences here",
        where=str(source),
        hint="give a file of CoNLL-U, or a folder of files that are called *.conllu",
    )


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


class Sentence(NamedTuple):
    """The lines of a sentence: those of its comments, of its words, and all of them."""

    comments: list[str]
    words: list[str]
    lines: list[str]


class SentenceBlock(NamedTuple):
    """Sentences that follow each other in a file."""

    file: File
    sentences: list[Sentence]


class File:
    """A file that is read.

    Parameters
    ----------
    path : str
        Where it is.
    variables : mapping of str to str
        What holds of all its sentences.
    encoding : str
        Of its text.
    """

    def __init__(self, path: str, variables: Mapping[str, str], encoding: str) -> None:
        self.variables = variables
        self._path, self._encoding = path, encoding
        self._has_heads: bool | None = None

    def blocks(self) -> Iterator[SentenceBlock]:
        """Yield its sentences (raises CorpusError)."""
        sentences: list[Sentence] = []
        words = 0
        for sentence in _sentences(text_pieces(self._path, encoding=self._encoding), self.refuse):
            sentences.append(sentence)
            words += len(sentence.words)
            if words >= _BLOCK:
                checkpoint()
                yield SentenceBlock(self, sentences)
                sentences, words = [], 0
        if sentences:
            yield SentenceBlock(self, sentences)

    def check_heads(self, *, has_heads: bool) -> None:
        """Refuse a file of which some sentences have heads and others have none."""
        if self._has_heads not in (None, has_heads):
            self.refuse()
        self._has_heads = has_heads

    def refuse(self) -> NoReturn:
        """Say why the file is refused."""
        parse_conllu(as_utf8(read_bytes(self._path), self._path, self._encoding), Asked(self._path))
        hint = "see universaldependencies.org"
        raise CorpusError("this is no CoNLL-U", where=self._path, hint=hint)


def sentence_blocks(source: PathLike, encoding: str = "utf-8") -> Iterator[SentenceBlock]:
    """Yield the sentences of files, as :func:`read_dependencies` reads them, block by block.

    Raises
    ------
    TreewrightError
        As :func:`read_dependencies`, but for a source without sentences.
    """
    check_encoding(encoding)
    files = listed_files(str(source), is_conllu)
    if files is None:
        yield from File(str(source), {}, encoding).blocks()
        return
    for name, path in files.items():
        yield from File(path, {"file": PurePath(name).name}, encoding).blocks()


class Documents:
    """What comments say of sentences; those of a document hold until the next one begins.

    Attributes
    ----------
    number : int
        How many documents and files have begun.
    lines : dict of str to str
        The comments of the document that sentences are in.
    """

    def __init__(self) -> None:
        self.number = 0
        self.lines: dict[str, str] = {}
        self._values: dict[str, str] = {}
        self._file: File | None = None

    def variables(self, file: File, comments: list[str]) -> dict[str, str]:
        """Return what is known of the next sentence."""
        if file is not self._file:
            self._begin()
            self._file = file
        own = dict(file.variables)
        for line in comments:
            if _NEW_DOCUMENT.match(line):
                self._begin()
                self.lines[NEW_DOCUMENT] = line
            match = _COMMENT.fullmatch(line)
            if match is None:
                continue
            if match[1] in _OF_DOCUMENTS or match[1].startswith(_META):
                self._values[match[1].removeprefix(_META)] = match[2]
                if line != self.lines.get(NEW_DOCUMENT):
                    self.lines[match[1]] = line
            else:
                own.setdefault(match[1], match[2])
        return {**self._values, **own}

    def _begin(self) -> None:
        self.number += 1
        self.lines, self._values = {}, {}


class _Variables:
    """What is known of sentences: a list for each name, as long as there are sentences."""

    def __init__(self) -> None:
        self.columns: dict[str, list[Any]] = {}
        self._count = 0

    def add(self, known: Mapping[str, str]) -> None:
        """Add a sentence."""
        for name, value in known.items():
            column = self.columns.setdefault(name, [])
            column += [None] * (self._count - len(column))
            column.append(value)
        self._count += 1

    def filled(self) -> dict[str, list[Any]]:
        """Return the columns, each with a value for all sentences."""
        for column in self.columns.values():
            column += [None] * (self._count - len(column))
        return self.columns


class Reading:
    """Blocks of sentences that become the columns of one treebank.

    Parameters
    ----------
    documents : Documents
        What holds of the sentences that follow.
    """

    def __init__(self, documents: Documents) -> None:
        self._documents = documents
        self._symbols = SymbolTable()
        self._parts: dict[str, list[IntArray]] = {name: [] for name in FIELDS}
        self._heads: list[IntArray] = []
        self._lengths: list[int] = []
        self._variables = _Variables()

    def add(self, block: SentenceBlock) -> None:
        """Add sentences (raises CorpusError)."""
        file, sentences = block
        for sentence in sentences:
            self._variables.add(self._documents.variables(file, sentence.comments))
        lengths = [len(sentence.words) for sentence in sentences]
        lines = [line for sentence in sentences for line in sentence.words]
        cells = "\t".join(lines).split("\t")
        numbers = [str(number) for number in range(1, max(lengths) + 1)]
        expected = [number for length in lengths for number in numbers[:length]]
        if cells[::_FIELDS] != expected or "" in cells[1::_FIELDS]:
            file.refuse()
        heads = cells[_HEAD::_FIELDS]
        has_heads = set(heads) != {"_"}
        for name, place in _PLACES.items():
            values = cells[place::_FIELDS]
            self._parts[name].append(encoded(values, self._symbols, is_form=name == "form"))
        self._heads.append(_checked_heads(heads if has_heads else [], lengths, file.refuse))
        self._lengths += lengths
        file.check_heads(has_heads=has_heads)

    def treebank(self) -> DependencyTreebank:
        """Return all that was read."""
        offsets = np.concatenate(([0], np.cumsum(self._lengths))).astype(np.int64)
        none = np.zeros(0, np.int32)
        columns = {name: np.concatenate([none, *parts]) for name, parts in self._parts.items()}
        in_sentences = np.concatenate([none, *self._heads]).astype(np.int64)
        heads = absolute_heads(in_sentences, offsets)
        return DependencyTreebank(columns, heads, offsets, self._symbols, self._variables.filled())


def _sentences(pieces: Iterable[str], refuse: Callable[[], None]) -> Iterator[Sentence]:
    """Yield the sentences of a text."""
    found = Sentence([], [], [])
    covered = 0  # the last word of the last range
    begun = False
    for line in _lines(pieces):
        line = line.removesuffix("\r")
        begun = begun or bool(line.strip())
        if line.startswith("#"):
            found.comments.append(line)
            found.lines.append(line)
        elif line and not line.isspace():
            found.lines.append(line)
            if line.count("\t") != _FIELDS - 1:
                refuse()
            number, form, _ = line.split("\t", 2)
            if "-" not in number and "." not in number:
                found.words.append(line)
            elif (end := _end_of_range(number, form, len(found.words), covered)) is None:
                refuse()
            else:
                covered = end
        elif found.words:
            if covered > len(found.words):
                refuse()
            yield found
            found, covered, begun = Sentence([], [], []), 0, False
        elif begun:
            refuse()


def _lines(pieces: Iterable[str]) -> Iterator[str]:
    """Yield lines, and an empty one behind the last; forms may hold characters such as U+2028."""
    for piece in pieces:
        lines = piece.split("\n")
        yield from lines if lines[-1] else lines[:-1]
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
