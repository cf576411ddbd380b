"""The parser of English that ships, opened when a sentence is parsed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cached_property
from typing import cast

from grammar.chart.parses import NoParse, Parse, Span
from grammar.engines.threads import computed_once
from grammar.files import read_text
from grammar.trees.tree import Tree
from induction.corpus.sources import embedded_file
from induction.parsers.opening import ENGLISH, open_parser, parser_file
from induction.parsers.protocol import ScoringParser, Sentence, Tags

__all__ = ["ShippedParser"]


class ShippedParser(ScoringParser):
    """The parser of English that ships, by its name and version until it has to parse.

    Where all trees come from a cache, it is never opened, which takes a second.

    Attributes
    ----------
    name, version : str
        Those of ``open_parser("english")``; they stand beside its file.

    Raises
    ------
    MissingDataError
        If the parser that ships is not there.

    Examples
    --------
    >>> parser = ShippedParser()
    >>> parser.name
    'latent'
    >>> print(parser.parse(["So good"])[0])
    (TOP (ADJP (RB So) (JJ good)))
    """

    name = "latent"

    def __init__(self) -> None:
        parser_file(ENGLISH)
        self.version = _version()

    @cached_property
    def _opened(self) -> ScoringParser:
        return cast("ScoringParser", open_parser(ENGLISH))

    def parse_each(
        self, sentences: Iterable[Sentence], *, tags: Tags | None = None
    ) -> Iterator[Tree | NoParse]:
        """Yield a tree, or the reason for having none, for each sentence in order."""
        return self._opened.parse_each(sentences, tags=tags)

    def kbest_each(
        self, sentences: Iterable[Sentence], k: int, *, tags: Tags | None = None
    ) -> Iterator[list[Parse] | NoParse]:
        """Yield the k most probable trees of each sentence that differ, the best first."""
        return self._opened.kbest_each(sentences, k, tags=tags)

    def spans_each(
        self, sentences: Iterable[Sentence], *, tags: Tags | None = None
    ) -> Iterator[list[Span] | NoParse]:
        """Yield how probable each labelled span of each sentence is, the most probable first."""
        return self._opened.spans_each(sentences, tags=tags)


@computed_once
def _version() -> str:
    return read_text(embedded_file("english.version")).strip()
