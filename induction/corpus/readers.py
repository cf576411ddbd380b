"""Treebanks by name: files, folders, NLTK's parsed corpora, and the embedded reviews."""

from __future__ import annotations

import contextlib
import csv
import io
import os
import re
import warnings
from collections.abc import Callable
from functools import partial
from pathlib import PurePath
from typing import Any

from grammar.errors import BracketError, EmptyTreebankError, MissingDataError
from grammar.files import PathLike, check_encoding, decode, read_bytes, read_text, reading
from grammar.messages import tell
from grammar.options import names_keywords
from grammar.storage.inside import check_links
from grammar.storage.location import is_many, is_url
from grammar.storage.opening import place_of
from grammar.trees.given import as_treebank, given_trees, is_name_of_file
from grammar.trees.tree import Tree
from grammar.trees.treebank import Treebank
from induction.corpus.corpus import Corpus
from induction.corpus.rows import Skipped
from induction.corpus.sources import embedded_file
from induction.corpus.text.tokens import plain_brackets
from induction.corpus.tree_files import sound_trees, trees_of_corpus
from induction.corpus.treebanks.reading import TREEBANK_SUFFIXES, is_foreign, parse_trees

__all__ = ["EMBEDDED", "bracketed_files", "listed_files", "read_reviews", "read_treebank"]

EMBEDDED = "embedded"
_NLTK = "nltk:"
_TABLES = (".jsonl", ".csv", ".tsv", ".parquet")
"""Files with a column of trees."""
_BRACKETED = {".mrg", ".psd", ".prd", ".tree", ".txt", ".ptb", *TREEBANK_SUFFIXES}
_NO_TREES = re.compile(
    r"(?:\d*_*)?(?:readme|licen[cs]e|copying|notice|authors|changes|changelog|citation)\b",
    re.IGNORECASE,
)
_TREE = re.compile(rb"^\s*(?:\d+\s*)?\(|^#BOS", re.MULTILINE)


@names_keywords(
    fileids="give the files: read_treebank(['a.mrg', 'b.mrg']), or a name with a star",
    fileid="give the file first: read_treebank('a.mrg')",
    root="give the folder first: read_treebank('folder')",
)
def read_treebank(
    source: PathLike = EMBEDDED,
    *,
    encoding: str = "utf-8",
    skip: Callable[[Skipped], object] | None = None,
    discontinuous: str = "refuse",
) -> Treebank:
    """Read a treebank as it is, without normalisation.

    What the file holds says in what form it is: Penn brackets, NEGRA export, TIGER-XML, brackets
    whose words carry their places (discbracket), or brackets with numbers before them.

    Parameters
    ----------
    source : str or path
        ``"embedded"`` (the reviews that ship with the package), ``"nltk:NAME"`` (a parsed corpus
        on NLTK's search path), a saved ``.arrow`` treebank, a file of trees (``.gz`` and ``-``
        too), a folder of such files, whose README and LICENSE are passed over, or a name with a
        star, read in the order of their names. All may be URLs of an object store. A list of
        files, brackets, and whatever else holds trees, are read, too.
    encoding : str
        Of text files.
    skip : callable, optional
        Is given each malformed tree of brackets, which is then left out.
    discontinuous : {"refuse", "raise", "split"}
        What becomes of constituents whose words do not stand side by side: they are refused; what
        is apart goes to the node above; or each stretch gets a node, whose label ends in ``*``.

    Raises
    ------
    EmptyTreebankError
        If it holds no trees.
    MissingDataError
        If NLTK does not have the corpus, or it has no trees.
    BracketError, UnreadableInputError
        If a file is malformed or cannot be read.
    OptionError
        If there is no such encoding.

    Warns
    -----
    UserWarning
        If some trees of an NLTK corpus are malformed, so that NLTK reads them as flat ones.

    Examples
    --------
    >>> len(read_treebank()) >= 300
    True
    """
    if isinstance(source, list | tuple) and source and all(map(is_name_of_file, source)):
        how = partial(read_treebank, encoding=encoding, skip=skip, discontinuous=discontinuous)
        return Treebank.concatenate([how(one) for one in source])
    if not isinstance(source, str | os.PathLike):
        return as_treebank(source)
    if (given := given_trees(source)) is not None:
        return given
    name = str(source)
    check_encoding(encoding)
    if name == EMBEDDED:
        treebank = Treebank.parse("\n".join(read_reviews().column("tree")), source=name)
    elif name.startswith(_NLTK):
        treebank = _read_nltk(name.removeprefix(_NLTK))
    elif name.endswith(".arrow"):
        treebank = Treebank.load(source)
    elif not is_many(source) and PurePath(name.removesuffix(".gz")).suffix in _TABLES:
        treebank = _of_table(source, skip)
    elif (files := bracketed_files(name)) is not None:
        read = [_read_file(path, encoding, skip, discontinuous) for path in files]
        treebank = Treebank.concatenate(read)
    else:
        treebank = _read_file(source, encoding, skip, discontinuous)
    if not len(treebank):
        raise EmptyTreebankError(
            "there are no trees here",
            where=name,
            hint="a treebank is text such as (S (NP (PRP We)) (VP (VBD slept)))",
        )
    return treebank


def _of_table(source: PathLike, skip: Callable[[Skipped], object] | None) -> Treebank:
    """Return the trees of the column ``tree`` of a table."""
    from induction.corpus.formats import read_corpus

    corpus = read_corpus(source, on_error="stop" if skip is None else "skip")
    for one in corpus.skipped:
        if skip is not None:
            skip(one)
    return trees_of_corpus(corpus)


def _read_file(
    path: PathLike,
    encoding: str,
    skip: Callable[[Skipped], object] | None,
    discontinuous: str,
) -> Treebank:
    data = read_bytes(path)
    if skip is None or is_foreign(data):
        return parse_trees(data, str(path), encoding=encoding, discontinuous=discontinuous)
    treebank, skipped = sound_trees(decode(data, str(path), encoding), str(path))
    for one in skipped:
        skip(one)
    return treebank


def read_reviews() -> Corpus:
    """Return the embedded treebank as a corpus: text, label (0 or 1), tree, and domain.

    >>> sorted(set(read_reviews().column("label")))
    [0, 1]
    """
    text = read_text(embedded_file("reviews.tsv"))
    rows = list(csv.DictReader(io.StringIO(text), delimiter="\t", quoting=csv.QUOTE_NONE))
    treebank = Treebank.parse("\n".join(row["tree"] for row in rows), source="reviews.tsv")
    return Corpus.from_columns(
        id=[row["id"] for row in rows],
        text=[plain_brackets(" ".join(words)) for words in treebank.sentences()],
        label=[int(row["label"]) for row in rows],
        tree=[row["tree"] for row in rows],
        domain=[row["domain"] for row in rows],
    )


def bracketed_files(source: str) -> list[str] | None:
    """Return the files of brackets in a folder, or of a name with a star; None of a single file."""
    files = listed_files(source, _is_bracketed)
    if files is None or is_many(source):
        return None if files is None else list(files.values())
    return [path for name, path in files.items() if _holds_trees(name, path)]


def listed_files(source: str, is_wanted: Callable[[str], bool]) -> dict[str, str] | None:
    """Return the files of a folder that are wanted, or all of a name with a star.

    Of a single file it is None. With each name is the path.

    Raises
    ------
    SchemaError
        If a symbolic link leads out of the folder.
    """
    if source == "-":
        return None
    with reading(source):
        place = place_of(source)
        if not (is_many(source) or place.is_folder()):
            return None
        files = place.files()
    found = {name: file.name for name, file in files.items() if is_many(source) or is_wanted(name)}
    if not (is_many(source) or is_url(source)):
        for path in found.values():
            check_links(source, path, path)
    return found


def _holds_trees(name: str, path: str) -> bool:
    """Say whether a file of a folder holds trees; of a text that does not, such as a README, tell.

    Only ``.txt`` may be a text: a file that is named as a treebank and is none is a fault.
    """
    plain = PurePath(name.removesuffix(".gz"))
    if plain.name.startswith("._"):  # macOS puts such files beside others, and no data in them
        return False
    if plain.suffix != ".txt":
        return True
    if not _NO_TREES.match(plain.name) and _TREE.search(read_bytes(path)):
        return True
    tell(f"{name} holds no trees, and is passed over")
    return False


def _is_bracketed(name: str) -> bool:
    return PurePath(name.removesuffix(".gz")).suffix in _BRACKETED


def nltk_files(source: str) -> dict[str, Treebank] | None:
    """Return the treebank of each file of ``nltk:NAME``; None if they are no sound brackets.

    Raises
    ------
    MissingDataError
        If NLTK does not have the corpus, or it has no trees.
    """
    from nltk.corpus.reader import BracketParseCorpusReader

    reader, files = _nltk_reader(source.removeprefix(_NLTK))
    if not isinstance(reader, BracketParseCorpusReader):
        return None
    try:
        return {file: Treebank.parse(reader.raw(file), source=source) for file in files}
    except BracketError:
        return None


def _nltk_reader(name: str) -> tuple[Any, list[str]]:
    """Return what NLTK reads a corpus of trees with, and the names of its files."""
    import nltk.corpus

    reader: Any = getattr(nltk.corpus, name, None)
    try:
        files = reader.fileids()
    except (AttributeError, LookupError):
        raise MissingDataError(
            f"NLTK has no corpus {name!r} on its search path",
            hint=f"fetch it with 'treewright data get {name}', or point NLTK_DATA at it",
        ) from None
    if not hasattr(reader, "parsed_sents"):
        raise _no_trees(name)
    return reader, files


def _read_nltk(name: str) -> Treebank:
    read = nltk_files(f"{_NLTK}{name}")
    if read is not None:
        return Treebank.concatenate(list(read.values()))
    # NLTK reads trees that are not well-formed as flat ones; so we leave them to it
    reader, _ = _nltk_reader(name)
    try:
        with contextlib.redirect_stderr(io.StringIO()) as said:
            treebank = Treebank.from_trees(_trees(reader))
    except ValueError:  # a CoNLL corpus without a column of trees
        raise _no_trees(name) from None
    if flat := said.getvalue().count("flat parse"):
        warnings.warn(f"NLTK reads {flat:,} trees of {name} as flat ones", stacklevel=3)
    return treebank


def _no_trees(name: str) -> MissingDataError:
    return MissingDataError(
        f"the NLTK corpus {name!r} has no parsed sentences",
        hint="nltk:treebank is a parsed corpus",
    )


def _trees(reader: Any) -> list[Tree]:
    trees = []
    for sentence in reader.parsed_sents():
        if hasattr(sentence, "to_conll"):
            raise MissingDataError(
                "this corpus holds dependency trees, not constituents", hint="use nltk:treebank"
            )
        pruned = _without_empty_nodes(sentence)
        if isinstance(pruned, Tree):
            trees.append(pruned)
    return trees


def _without_empty_nodes(node: Any) -> Tree | str | None:
    if isinstance(node, str):
        return node or None
    if isinstance(node, tuple):  # a tagged word, in the flat trees that NLTK falls back to
        word, tag = node
        return Tree(str(tag), (word,)) if word and tag else word or None
    kept = tuple(c for c in map(_without_empty_nodes, node) if c is not None)
    return Tree(str(node.label()), kept) if kept else None
