"""Parses kept on disk, so that no sentence is parsed twice by the same parser.

A cache is one SQLite database. Its keys are the parser's name and version, the sentence exactly as
it was given, and its tags. Several processes may read and write it at once, and what was stored
before a crash is still there after it: every parse is a transaction of its own in SQLite's
write-ahead log.
"""

from __future__ import annotations

import hashlib
import json
import os
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from itertools import islice
from typing import Any, Generic, NamedTuple, TypeVar

from grammar.chart.parses import CoarseTree, NoParse, Parse, Span
from grammar.errors import OutputError, SchemaError
from grammar.files import PathLike
from grammar.messages import tell
from grammar.storage.location import check_name
from grammar.trees.tree import Tree
from induction.parsers.protocol import ScoringParser, Sentence, Tags, TextParser, paired

__all__ = ["CachedParser", "CachedScoringParser", "result_from_json", "result_to_json"]

_APPLICATION = 0x54524545
"""Marks a database as a parse cache: ``TREE`` in ASCII."""
_SCHEMA_VERSION = 1
_BATCH = 64
"""Sentences that are looked up before those that are missing are parsed."""
_PATIENCE = 60.0
"""Seconds to wait for another process that writes."""

_TABLE = """
CREATE TABLE parses (
    name TEXT NOT NULL, version TEXT NOT NULL, sentence TEXT NOT NULL, tags TEXT NOT NULL,
    result TEXT NOT NULL,
    PRIMARY KEY (name, version, sentence, tags)
) WITHOUT ROWID
"""
_FIND = "SELECT result FROM parses WHERE name = ? AND version = ? AND sentence = ? AND tags = ?"
_STORE = "INSERT OR REPLACE INTO parses VALUES (?, ?, ?, ?, ?)"

_Key = tuple[str, str, str, str]
_Pair = tuple[Sentence, Sequence[str] | None]
_Result = Tree | NoParse
_Answer = TypeVar("_Answer")


class _Kind(NamedTuple, Generic[_Answer]):
    """One kind of answers: what parses, what the version has behind it, and their JSON."""

    parse: Callable[..., Iterator[_Answer]]
    behind: str
    write: Callable[[_Answer], Any]
    read: Callable[[Any], _Answer]


def _digest(key: _Key, text: str) -> str:
    """Return the digest of a parse and what it is of: it stands before the parse."""
    return hashlib.sha256(json.dumps([*key, text]).encode()).hexdigest()


class CachedParser(TextParser):
    """A parser that looks sentences up before it parses them.

    A parse that is not as it was stored is made again, which is told once.

    Failures are kept as trees are, but not refusals (:attr:`grammar.chart.parses.NoParse.refused`):
    another limit, or another moment, may give another answer.

    Parameters
    ----------
    parser : TextParser
        What parses the sentences that are not in the cache.
    path : str or Path
        The database; it is made if it is not there.

    Attributes
    ----------
    name, version : str
        Those of the parser.
    hits, misses : int
        Sentences that did not, and that did need to be parsed.

    Raises
    ------
    SchemaError
        If the file is not a parse cache of this version, or is damaged.
    OutputError
        If it cannot be written.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> from grammar import Grammar
    >>> from induction.parsers.chart import ChartTextParser
    >>> with TemporaryDirectory() as folder:
    ...     parser = ChartTextParser(Grammar.parse("S -> 'yes' [1/2] | 'no' [1/2]"))
    ...     cached = CachedParser(parser, f"{folder}/parses.db")
    ...     for tree in cached.parse(["yes", "no", "yes"]):
    ...         print(tree)
    ...     cached.hits, cached.misses
    (S yes)
    (S no)
    (S yes)
    (1, 2)
    """

    def __init__(self, parser: TextParser, path: PathLike) -> None:
        self.name, self.version = parser.name, parser.version
        self.parser = parser
        self.path = os.fspath(path)
        self.hits = 0
        self.misses = 0
        self._told = False
        check_name(self.path)
        with closing(self._connect()):
            pass  # a fault of the file is told before anything is parsed

    def parse_each(
        self, sentences: Iterable[Sentence], *, tags: Tags | None = None
    ) -> Iterator[Tree | NoParse]:
        """Yield a tree, or the reason for having none, for each sentence in order."""
        kind = _Kind(self.parser.parse_each, "", result_to_json, result_from_json)
        return self._each(kind, sentences, tags)

    def _each(
        self, kind: _Kind[_Answer], sentences: Iterable[Sentence], tags: Tags | None
    ) -> Iterator[_Answer]:
        given = paired(sentences, tags)
        with closing(self._connect()) as database:
            while batch := list(islice(given, _BATCH)):
                yield from self._batch(kind, database, batch)

    def _batch(
        self, kind: _Kind[_Answer], database: sqlite3.Connection, batch: list[_Pair]
    ) -> Iterator[_Answer]:
        keys = [self._key(kind, *pair) for pair in batch]
        known: dict[_Key, _Answer] = {}
        missing: dict[_Key, _Pair] = {}
        for key, pair in zip(keys, batch, strict=True):
            if key in known or key in missing:
                continue
            stored = self._find(kind, database, key)
            if stored is None:
                missing[key] = pair
            else:
                known[key] = stored
        self.misses += len(missing)
        self.hits += len(keys) - len(missing)
        coming = zip(missing, _parsed(kind, list(missing.values())), strict=True)
        for key in keys:
            while key not in known:
                made, result = next(coming)
                self._store(kind, database, made, result)
                known[made] = result
            yield known[key]

    def _key(self, kind: _Kind[_Answer], sentence: Sentence, tags: Sequence[str] | None) -> _Key:
        # as JSON, text differs from tokens, and no two lists of tokens are alike
        text = json.dumps(sentence if isinstance(sentence, str) else list(sentence))
        given = "" if tags is None else json.dumps(list(tags))
        return self.name, self.version + kind.behind, text, given

    def _find(
        self, kind: _Kind[_Answer], database: sqlite3.Connection, key: _Key
    ) -> _Answer | None:
        with _faults_told(self.path):
            row = database.execute(_FIND, key).fetchone()
        if row is None:
            return None
        try:
            digest, text = row[0].split(" ", 1)
            if digest == _digest(key, text):
                return kind.read(json.loads(text))
        except (ValueError, TypeError, LookupError, AttributeError, RecursionError):
            pass  # as what was changed, or is of an older version
        if not self._told:
            tell(f"{self.path} holds parses that are not as they were stored: they are made again")
            self._told = True
        return None

    def _store(
        self, kind: _Kind[_Answer], database: sqlite3.Connection, key: _Key, result: _Answer
    ) -> None:
        if isinstance(result, NoParse) and result.refused:
            return
        with _faults_told(self.path):
            text = json.dumps(kind.write(result))
            database.execute(_STORE, (*key, f"{_digest(key, text)} {text}"))

    def _connect(self) -> sqlite3.Connection:
        # a connection for each use: they must not be shared by processes and threads
        with _faults_told(self.path):
            database = sqlite3.connect(self.path, timeout=_PATIENCE, isolation_level=None)
            try:
                _prepare(database, self.path)
            except BaseException:
                database.close()
                raise
        return database


class CachedScoringParser(CachedParser):
    """A parser with probabilities that looks sentences up before it parses them.

    Its k best trees are kept, too. Parameters and errors are those of :class:`CachedParser`.
    """

    parser: ScoringParser

    def kbest_each(
        self, sentences: Iterable[Sentence], k: int, *, tags: Tags | None = None
    ) -> Iterator[list[Parse] | NoParse]:
        """Yield the k most probable trees of each sentence that differ, the best first."""
        kind = _Kind(
            lambda given, tags: self.parser.kbest_each(given, k, tags=tags),
            f", best {k}", _parses_to_json, _parses_from_json,
        )  # fmt: skip
        return self._each(kind, sentences, tags)

    def spans_each(
        self, sentences: Iterable[Sentence], *, tags: Tags | None = None
    ) -> Iterator[list[Span] | NoParse]:
        """Yield how probable each labelled span of each sentence is; these are not kept."""
        return self.parser.spans_each(sentences, tags=tags)


def _parsed(kind: _Kind[_Answer], pairs: list[_Pair]) -> Iterator[_Answer]:
    if not pairs:
        return iter(())
    tags = [given for _, given in pairs if given is not None]
    return kind.parse([sentence for sentence, _ in pairs], tags=tags or None)


def _prepare(database: sqlite3.Connection, path: str) -> None:
    """Make the table of a new database; refuse one that is something else."""
    if _pragma(database, "application_id") != _APPLICATION:
        with _transaction(database):
            # another process may have made it meanwhile
            tables = database.execute("SELECT count(*) FROM sqlite_schema").fetchone()[0]
            if _pragma(database, "application_id") != _APPLICATION:
                if tables:
                    raise _not_a_cache(path, "it is a database of something else")
                database.execute(_TABLE)
                database.execute(f"PRAGMA user_version = {_SCHEMA_VERSION}")
                database.execute(f"PRAGMA application_id = {_APPLICATION}")
    version = _pragma(database, "user_version")
    if version != _SCHEMA_VERSION:
        raise _not_a_cache(path, f"it has version {version}, and this is {_SCHEMA_VERSION}")
    if _pragma(database, "journal_mode") != "wal":
        with suppress(sqlite3.OperationalError):  # another process is at work: one is enough
            database.execute("PRAGMA journal_mode = WAL")
    # in this mode a crash of a process loses nothing, and one of the machine at most the last
    database.execute("PRAGMA synchronous = NORMAL")


def _pragma(database: sqlite3.Connection, name: str) -> Any:
    return database.execute(f"PRAGMA {name}").fetchone()[0]


@contextmanager
def _transaction(database: sqlite3.Connection) -> Iterator[None]:
    database.execute("BEGIN IMMEDIATE")
    try:
        yield
    except BaseException:
        database.execute("ROLLBACK")
        raise
    database.execute("COMMIT")


@contextmanager
def _faults_told(path: str) -> Iterator[None]:
    try:
        yield
    except sqlite3.OperationalError as error:
        raise OutputError(
            f"cannot use the parse cache: {error}",
            where=path,
            hint="choose a path in an existing folder that you may write to, on a local disk",
        ) from None
    except sqlite3.DatabaseError as error:
        raise _not_a_cache(path, str(error)) from None
    except UnicodeDecodeError:  # SQLite names what it found, which may be no text
        raise _not_a_cache(path, "it is not UTF-8") from None


def _not_a_cache(path: str, reason: str) -> SchemaError:
    return SchemaError(
        f"not a parse cache of this version, or damaged: {reason}",
        where=path,
        hint="name another file, or delete this one if it is a cache: its parses are made again",
    )


def result_to_json(result: _Result | str) -> Any:
    """Return a tree as nested lists: brackets would not tell ``(`` from ``-LRB-``."""
    if isinstance(result, str):
        return result
    if isinstance(result, NoParse):
        refused = {"refused": True} if result.refused else {}
        return {"sentence": result.sentence, "reason": result.reason, **refused}
    if isinstance(result, CoarseTree):
        return {
            "tree": [result.label, *map(result_to_json, result.children)],
            "reason": result.reason,
        }
    return [result.label, *map(result_to_json, result.children)]


def result_from_json(value: Any) -> _Result:
    """Undo :func:`result_to_json`."""
    if isinstance(value, dict) and "tree" in value:
        tree = _subtree(value["tree"])
        return CoarseTree(tree.label, tree.children, str(value["reason"]))
    if isinstance(value, dict):
        return NoParse(tuple(value["sentence"]), value["reason"], bool(value.get("refused")))
    label, *children = value
    if not isinstance(label, str):
        raise TypeError("a label is a string")
    return Tree(label, tuple(c if isinstance(c, str) else _subtree(c) for c in children))


def _parses_to_json(found: list[Parse] | NoParse) -> Any:
    if isinstance(found, NoParse):
        return result_to_json(found)
    return [
        [result_to_json(each.tree), each.log_probability, list(each.rules), each.exact]
        for each in found
    ]


def _parses_from_json(value: Any) -> list[Parse] | NoParse:
    if isinstance(value, dict):
        missing = result_from_json(value)
        if not isinstance(missing, NoParse):
            raise TypeError("a tree has no rank here")
        return missing
    return [
        Parse(_subtree(tree), float(number), tuple(map(int, rules)), bool(exact))
        for tree, number, rules, exact in value
    ]


def _subtree(value: Any) -> Tree:
    tree = result_from_json(value)
    if not isinstance(tree, Tree):
        raise TypeError("a child is a tree or a word")
    return tree
