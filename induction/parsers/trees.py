"""Trees for examples that have none: parsed by the parser that ships, or by the one that is named.

This is the one place where a corpus without trees gets them unasked. It says so in one line, and
keeps the trees in a cache, so that the same texts are parsed once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from os import PathLike
from pathlib import Path
from typing import Any

from grammar.errors import CorpusError, OptionError, OutputError
from grammar.messages import tell
from grammar.storage.local import cache_folder
from grammar.trees.given import given_trees
from grammar.trees.treebank import Treebank
from induction.corpus.corpus import Corpus
from induction.corpus.formats import read_corpus
from induction.corpus.inputs.in_memory import is_text
from induction.corpus.readers import EMBEDDED, read_treebank
from induction.corpus.text.english_words import check_english
from induction.corpus.tree_files import trees_of_corpus
from induction.lexicalised.lpcfg import induce_lpcfg
from induction.parsers.cache import CachedParser, CachedScoringParser
from induction.parsers.corpora import parse_corpus
from induction.parsers.lexicalised import LexicalisedParser
from induction.parsers.opening import ENGLISH, open_parser
from induction.parsers.protocol import TextParser, is_scoring
from induction.parsers.shipped import ShippedParser

__all__ = [
    "AUTO",
    "TreeMaker",
    "cache_file",
    "choose_parser",
    "kept_parser",
    "lacks_trees",
    "treebank_of",
    "with_trees",
]

AUTO = "auto"
"""The parser that ships, for texts without trees."""

_TREEBANKS = ("nltk:treebank", EMBEDDED)


def cache_file() -> Path:
    """Return where trees of parsed texts are kept, in the folder for caches of the person.

    ``TREEWRIGHT_CACHE`` names another folder.
    """
    return cache_folder() / "parses.db"


def choose_parser(given: Any = AUTO) -> tuple[TextParser, str]:
    """Return the parser that is asked for, and how to call it.

    Parameters
    ----------
    given : TextParser, path or str
        A parser, a file with one, ``"english"`` or ``"auto"`` for the one that ships, or the name
        of a treebank whose lexicalised PCFG is taken: ``"nltk:treebank"`` or ``"embedded"``.

    Raises
    ------
    OptionError
        If it is none of these.
    MissingDataError
        If the treebank, or the parser that ships, is not there.
    """
    if not isinstance(given, str | PathLike):
        if not hasattr(given, "parse_each"):
            raise OptionError(
                f"parser={given!r} is not a parser",
                hint="give a TextParser, a file with one, 'english', 'nltk:treebank' or 'embedded'",
            )
        return given, f"{given.name} {given.version}"
    name = str(given)
    if name in (AUTO, ENGLISH):
        shipped = ShippedParser()
        return shipped, f"the parser of English that ships (version {shipped.version})"
    if name in _TREEBANKS:
        grammar = induce_lpcfg(read_treebank(name))
        return LexicalisedParser(grammar), f"lexicalised PCFG of {name}"
    return open_parser(given), f"the file {name}"


def lacks_trees(corpus: Corpus) -> bool:
    """Say whether the texts of a corpus have no trees at all.

    >>> lacks_trees(Corpus.from_columns(text=["so"])), lacks_trees(
    ...     Corpus.from_columns(text=["so"], tree=["(X so)"]))
    (True, False)
    """
    return "text" in corpus.names and not {"tree", "tree_pair"} & set(corpus.names)


@dataclass(frozen=True)
class TreeMaker:
    """Gives trees to corpora that have none.

    Attributes
    ----------
    parser : TextParser, path or str
        As :func:`choose_parser` takes it.
    tell : callable
        Told in one line what is done; by default the person (:mod:`grammar.messages`).
    on_progress : callable, optional
        Called after each example with how many are done, and of how many.
    another : str
        How another parser is named, for what is told.
    """

    parser: Any = AUTO
    tell: Callable[[str], None] = tell
    on_progress: Callable[[int, int], None] | None = None
    another: str = "the option parser names another"
    used: list[str] = field(default_factory=list, init=False)
    """Name and version of the parser, once it was needed."""

    def __call__(self, corpus: Corpus) -> Corpus:
        """Return the corpus with trees; examples without a parse are left out.

        Raises
        ------
        CorpusError
            If no text has a parse, or a text is missing.
        OptionError, MissingDataError
            As :func:`choose_parser` says.
        """
        if not lacks_trees(corpus) or not len(corpus):
            return corpus
        if self.parser in (AUTO, ENGLISH):
            check_english(corpus)
        parser, name = kept_parser(self.parser)
        self.used[:] = [f"{parser.name} {parser.version}"]
        how = f"parsed by {name} ({self.another})"
        self.tell(f"{len(corpus):,} texts have no trees: {how}")
        found = parse_corpus(corpus, parser, on_progress=self.on_progress)
        if found.unparsed:
            row, why = next(iter(found.unparsed.items()))
            lost = f"{len(found.unparsed):,} of {len(corpus):,} texts have no parse"
            self.tell(f"{lost} and are left out, the first {corpus.where(row)} ({why.reason})")
        return found.corpus


def with_trees(corpus: Any, parser: Any = AUTO) -> Corpus:
    """Return a corpus, or data of any kind, with trees: its own, or those of a parser.

    See :class:`TreeMaker`.

    >>> corpus = Corpus.from_columns(text=["so good"], tree=["(S so good)"])
    >>> with_trees(corpus) is corpus
    True
    """
    return TreeMaker(parser)(read_corpus(corpus))


def treebank_of(data: Any, parser: Any = AUTO) -> Treebank:
    """Return the trees of texts, for the functions that induce grammars.

    Parameters
    ----------
    data
        A treebank, which stays as it is; trees of this toolkit or of NLTK, and text in brackets,
        one or many; or whatever :func:`induction.read_corpus` reads: a file, a table, a frame,
        texts, a corpus. Texts that have no trees are parsed, which is said.
    parser : TextParser, path or str
        As :func:`choose_parser` takes it.

    Raises
    ------
    CorpusError
        If there are no texts, none has a parse, or a tree is missing.
    OptionError, MissingDataError
        As :func:`choose_parser` says, and :func:`induction.read_corpus`.

    Examples
    --------
    >>> treebank_of([{"text": "so good", "tree": "(S so good)"}])
    Treebank(1 trees, 2 words, 3 symbols)
    >>> treebank_of("(S so good)").sentences()
    [('so', 'good')]
    """
    if isinstance(data, Iterator) or hasattr(data, "iterate_from"):
        data = list(data)
    found = given_trees(data)
    if found is not None:
        return found
    if isinstance(data, str) and data in _TREEBANKS:
        return read_treebank(data)
    if is_text(data):
        data = [data]
    corpus = read_corpus(data)
    if not len(corpus):
        raise CorpusError("the corpus is empty", hint="give at least one text")
    return trees_of_corpus(with_trees(corpus, parser))


def kept_parser(given: Any = AUTO) -> tuple[TextParser, str]:
    """Return the parser that is asked for with the person's cache, and how to call it.

    It comes without where that cannot be written, and as it is where it came as a value: somebody
    may be at work on it, and leave the version. Raises as :func:`choose_parser`.
    """
    parser, name = choose_parser(given)
    if not isinstance(given, str | PathLike):
        return parser, name
    file = cache_file()
    kind = CachedScoringParser if is_scoring(parser) else CachedParser
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        return kind(parser, file), name
    except (OSError, OutputError):
        return parser, name
