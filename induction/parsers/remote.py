"""Parsers whose sentences are parsed by the workers of an engine."""

from __future__ import annotations

import functools
import os
import shutil
from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from typing import Any

from grammar.chart.parses import NoParse
from grammar.engines.engine import Engine
from grammar.engines.units import Kept, Unit
from grammar.errors import OptionError
from grammar.files import PathLike, at_hand
from grammar.storage.location import is_url
from grammar.trees.tree import Tree
from induction.parsers.cache import result_from_json, result_to_json
from induction.parsers.opening import open_parser, parser_file
from induction.parsers.protocol import Sentence, Tags, TextParser, paired

__all__ = ["EngineParser"]

_A_UNIT = 8
"""Sentences; so few that a worker that is killed every few seconds is not killed in each."""
_PARSE = "induction.parsers.remote:parsed"


class EngineParser(TextParser):
    """A parser of which each worker of an engine has its own.

    Parameters
    ----------
    path : str
        What :func:`induction.parsers.opening.open_parser` opens; a file.
    engine : Engine
        Who parses.
    **limits
        Further options of ``open_parser``.

    Attributes
    ----------
    name, version : str
        Those of the parser.

    Raises
    ------
    UnreadableInputError, SchemaError, OptionError
        As ``open_parser``, before anything is parsed.
    """

    def __init__(self, path: str, engine: Engine, **limits: Any) -> None:
        opened = open_parser(path, **limits)
        self.name, self.version = opened.name, opened.version
        self._engine, self._limits = engine, limits
        self._file = _kept(parser_file(path), engine)

    def parse_each(
        self, sentences: Iterable[Sentence], *, tags: Tags | None = None
    ) -> Iterator[Tree | NoParse]:
        """Yield a tree, or the reason for having none, for each sentence in order."""
        for answers in self._engine.map(self._units(paired(sentences, tags))):
            yield from map(result_from_json, answers)

    def _units(self, given: Iterator[tuple[Sentence, Any]]) -> Iterator[Unit]:
        first = 0
        while batch := list(islice(given, _A_UNIT)):
            texts, tags = zip(*batch, strict=True)
            part = {"texts": texts, "tags": None if tags[0] is None else tags, **self._limits}
            yield Unit(_PARSE, (self._file,), part, first, len(batch))
            first += len(batch)


def _kept(path: PathLike, engine: Engine) -> Kept:
    """Return a file for workers; an object of a store is fetched once, and not by each of them."""
    if os.path.isdir(path):
        raise OptionError(
            "workers are given a parser in one file, and this is a folder",
            where=str(path),
            hint="use --engine threads",
        )
    if not is_url(path):
        return Kept.of(path)
    with at_hand(path) as file:
        return engine.keep(lambda copy: shutil.copyfile(file, copy), "".join(file.suffixes))


def parsed(unit: Unit) -> list[Any]:
    """Do a unit of :class:`EngineParser`."""
    limits: Mapping[str, Any] = {k: v for k, v in unit.part.items() if k not in ("texts", "tags")}
    parser = _opened(unit.given[0], **limits)
    answers = parser.parse_each(unit.part["texts"], tags=unit.part["tags"])
    return [result_to_json(answer) for answer in answers]


@functools.lru_cache(maxsize=2)
def _opened(kept: Kept, **limits: Any) -> TextParser:
    return open_parser(str(kept.checked()), **limits)
