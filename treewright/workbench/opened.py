"""What is open in a workbench: treebanks, texts and grammars, each with a name for addresses."""

from __future__ import annotations

import re
import threading
from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import PurePath
from typing import Any, cast

from grammar.dependencies.hits import DependencyHits
from grammar.dependencies.treebank import DependencyTreebank
from grammar.errors import CorpusError, MissingDataError, OptionError
from grammar.search.hits import Hits
from grammar.synchronous.grammar import SynchronousGrammar
from grammar.synchronous.parsing import SynchronousParser
from grammar.trees.treebank import Treebank
from grammar.weighted import Weighted
from induction.corpus.corpus import Corpus
from induction.corpus.formats import named_format, read_corpus
from induction.corpus.tree_variables import read_tree_variables
from induction.counts.pcfg import induce_pcfg
from induction.parsers.opening import ENGLISH, open_parser
from induction.trees.dependency_files import is_conllu, read_dependencies
from induction.trees.normalise import plain_trees
from sampling.comparison.sources import open_source

__all__ = [
    "ENGLISH",
    "OpenCorpus",
    "OpenDependencies",
    "OpenGrammar",
    "OpenSynchronous",
    "OpenTreebank",
    "Opened",
    "Trees",
]

STEPS = 200_000_000
"""What a search may take: less than a second, and less than a gigabyte."""
_CHART_STEPS = 20_000_000
_MOST_OPEN, _MOST_HITS = 64, 16
_RULES_OF = "rules-of-"
_ROWS_OF = "rows-of-"
_TABLES = ("csv", "tsv", "jsonl", "parquet", "conllu")


class _Searches:
    """Searches in a treebank; the hits of the last ones are kept."""

    def __init__(self) -> None:
        self._hits: OrderedDict[str, Any] = OrderedDict()
        self._lock = threading.Lock()  # requests of a browser are answered by several threads

    def hits(self, treebank: Treebank | DependencyTreebank, pattern: str) -> Any:
        with self._lock:
            found = self._hits.get(pattern)
        if found is None:
            found = treebank.search(pattern, steps=STEPS)
        with self._lock:
            self._hits[pattern] = found
            self._hits.move_to_end(pattern)
            if len(self._hits) > _MOST_HITS:
                self._hits.popitem(last=False)
        return found


@dataclass(frozen=True, eq=False)
class Trees:
    """Trees as they are searched, with variables of each."""

    treebank: Treebank
    variables: Mapping[str, Sequence[Any]]
    _searches: _Searches = field(default_factory=_Searches)

    def hits(self, pattern: str) -> Hits:
        """Search for a pattern.

        Raises
        ------
        PatternError
            If it is no pattern, or takes too many steps.
        """
        found: Hits = self._searches.hits(self.treebank, pattern)
        return found


@dataclass(frozen=True, eq=False)
class OpenTreebank:
    """A treebank: as it was read, and plain, which is what grammars are induced from.

    One of a table has the whole table, too.
    """

    name: str
    written: Trees
    corpus: Corpus | None = None
    kind = "treebank"

    @cached_property
    def plain(self) -> Trees:
        """The trees without traces and functions, below a root."""
        return Trees(*plain_trees(self.written.treebank, self.written.variables))

    def trees(self, *, plain: bool) -> Trees:
        """Return the trees in one form or the other."""
        return self.plain if plain else self.written


@dataclass(frozen=True, eq=False)
class OpenGrammar:
    """A grammar, made when it is first looked at."""

    name: str
    make: Callable[[], Weighted]
    treebank: str | None = None
    kind = "grammar"

    @cached_property
    def grammar(self) -> Weighted:
        """The grammar (raises what its maker raises)."""
        return self.make()

    @cached_property
    def parser(self) -> Any:
        """The grammar as a parser (raises as :func:`induction.open_parser`)."""
        return open_parser(self.grammar)


@dataclass(frozen=True, eq=False)
class OpenSynchronous(OpenGrammar):
    """A grammar of pairs, which parses sources and gives targets."""

    kind = "synchronous"

    @cached_property
    def parser(self) -> SynchronousParser:
        """What translates."""
        return SynchronousParser(cast(SynchronousGrammar, self.grammar), step_limit=_CHART_STEPS)


@dataclass(frozen=True, eq=False)
class OpenCorpus:
    """A corpus: the rows of a table."""

    name: str
    corpus: Corpus
    treebank: str | None = None
    kind = "corpus"


@dataclass(frozen=True, eq=False)
class OpenDependencies:
    """A file of CoNLL-U: a dependency treebank, and the rows of its corpus."""

    name: str
    treebank: DependencyTreebank
    corpus: Corpus
    kind = "dependencies"
    _searches: _Searches = field(default_factory=_Searches)

    @cached_property
    def variables(self) -> list[str]:
        """Comments of sentences that can be counted by."""
        return [n for n, values in self.treebank.variables.items() if _can_be_counted(values)]

    def hits(self, request: str) -> DependencyHits:
        """Search for a request.

        Raises
        ------
        PatternError
            If it is no request, or takes too many steps.
        """
        found: DependencyHits = self._searches.hits(self.treebank, request)
        return found


Item = OpenTreebank | OpenGrammar | OpenCorpus | OpenDependencies


class Opened:
    """What is open, in the order in which it was opened.

    Examples
    --------
    >>> opened = Opened()
    >>> opened.add("embedded")
    'embedded'
    >>> [name for name, _ in opened.of_kind("grammar")]
    ['rules-of-embedded']
    """

    def __init__(self) -> None:
        self._items: dict[str, Item] = {}

    def __len__(self) -> int:
        return len(self._items)

    def add(self, source: str, name: str | None = None, *, encoding: str = "utf-8") -> str:
        """Open a file, or what else readers know by a name; return its name in addresses.

        A treebank comes with the grammar of its rules, and that of a table with its rows, as does
        a dependency treebank.

        Parameters
        ----------
        source : str
            As for ``treewright compare``, or a corpus of texts.
        name : str, optional
            What it is called; by default the last part of the source.
        encoding : str
            Of files of text.

        Raises
        ------
        OptionError
            If too many are open.
        TreewrightError
            As the readers do.
        """
        if len(self._items) >= _MOST_OPEN:
            raise OptionError(
                f"{_MOST_OPEN} files and grammars are open",
                where=name,
                hint="start the workbench again with the files that you need",
            )
        shown = name or PurePath(source).name or source
        item = _read(source, shown, encoding)
        identifier = self._free(shown)
        self._items[identifier] = item
        if isinstance(item, OpenTreebank):
            self._items[_RULES_OF + identifier] = OpenGrammar(
                f"rules of {shown}", lambda: induce_pcfg(item.written.treebank), identifier
            )
        if isinstance(item, OpenTreebank | OpenDependencies) and item.corpus is not None:
            trees = identifier if isinstance(item, OpenTreebank) else None
            self._items[_ROWS_OF + identifier] = OpenCorpus(f"rows of {shown}", item.corpus, trees)
        return identifier

    def of_kind(self, *kinds: str) -> Iterator[tuple[str, Any]]:
        """Yield what is open of some kinds: its name in addresses, and the thing."""
        known = list(self._items.items())  # a file may be opened by another thread meanwhile
        return ((name, item) for name, item in known if item.kind in kinds)

    def get(self, identifier: str, *kinds: str) -> Any:
        """Return what has a name in addresses (raises MissingDataError if nothing has)."""
        item = self._items.get(identifier)
        if item is None or item.kind not in kinds:
            known = ", ".join(name for name, _ in self.of_kind(*kinds)) or "none"
            raise MissingDataError(
                f"no {' or '.join(kinds)} {identifier!r} is open", hint=f"there are: {known}"
            )
        return item

    def kind(self, identifier: str) -> str:
        """Return the kind of what is open by a name."""
        return self._items[identifier].kind

    @cached_property
    def english(self) -> Any:
        """The parser of English that ships."""
        return open_parser(ENGLISH)

    def parser(self, identifier: str) -> Any:
        """Return the parser that ships, or that of a grammar (raises as :meth:`get`)."""
        return self.english if identifier == ENGLISH else self.get(identifier, "grammar").parser

    def _free(self, name: str) -> str:
        plain = re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")[:40] or "file"
        # names of the workbench's own
        if plain == ENGLISH or plain.startswith((_RULES_OF, _ROWS_OF)):
            plain = f"file-{plain}"
        number, free = 1, plain
        while free in self._items:
            number += 1
            free = f"{plain}-{number}"
        return free


def _read(source: str, name: str, encoding: str) -> Item:
    is_json = source.endswith((".json", ".json.gz"))  # a grammar, as for treewright compare
    corpus = None
    if not is_json and named_format(source) in _TABLES:
        corpus = read_corpus(source)
        if is_conllu(source):
            return OpenDependencies(name, read_dependencies(source, encoding=encoding), corpus)
        if "tree" not in corpus.names:
            return OpenCorpus(name, corpus)
        found, variables = read_tree_variables(source, encoding=encoding)
    else:
        found, variables = open_source(source, encoding=encoding)
    if not isinstance(found, Treebank):
        made = OpenSynchronous if found.family == SynchronousGrammar.family else OpenGrammar
        return made(name, lambda: found)
    if not len(found):
        raise CorpusError("there are no trees in it", where=name, hint="give one tree or more")
    plain = {key: values for key, values in variables.items() if _can_be_counted(values)}
    return OpenTreebank(name, Trees(found, plain), corpus)


def _can_be_counted(values: Sequence[Any]) -> bool:
    """Say whether values are texts or numbers, and some of them are the same."""
    kinds = (str, int, float, bool, type(None))
    return all(isinstance(value, kinds) for value in values) and len(set(values)) < len(values)
