"""Parsers and charts that a hundred threads use at once, none of which was used before."""

from __future__ import annotations

import functools
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from grammar import Grammar, Treebank
from grammar.chart.parser import Parser
from induction import induce_pcfg, read_treebank
from induction.parsers import opening
from induction.parsers.cache import CachedParser
from induction.parsers.chart import ChartTextParser
from induction.parsers.opening import open_parser
from tests.threads.together import check_alike

UNKNOWN = "The zorgly soup was unblimped."


@functools.cache
def treebank() -> Treebank:
    return Treebank.from_trees(list(read_treebank())[:150])


@functools.cache
def sentences() -> list[tuple[str, ...]]:
    short = [tree.leaves() for tree in treebank() if 3 < len(tree.leaves()) < 12]
    return short[:4]


def grammar() -> Grammar:
    return induce_pcfg(treebank())


CHARTS: dict[str, Callable[[Parser, tuple[str, ...]], Any]] = {
    "viterbi": lambda parser, words: parser.viterbi(words),
    "inside": lambda parser, words: parser.inside(words),
    "kbest": lambda parser, words: parser.kbest(words, 4),
    "posteriors": lambda parser, words: list(parser.posteriors(words)),
    "max rule": lambda parser, words: parser.max_rule(words),
    "sample": lambda parser, words: parser.sample(words, 5, seed=3),
}


@pytest.mark.parametrize("ask", CHARTS)
def test_charts(ask: str) -> None:
    alone = [str(CHARTS[ask](Parser(grammar()), words)) for words in sentences()]
    shared = Parser(grammar())
    check_alike([lambda w=w: str(CHARTS[ask](shared, w)) for w in sentences()], alone)


TEXTS: dict[str, Callable[[ChartTextParser], Any]] = {
    "parse": lambda parser: parser.parse([*sentences(), UNKNOWN]),
    "k best": lambda parser: list(parser.kbest_each([*sentences()[:2], UNKNOWN], 3)),
    "spans": lambda parser: list(parser.spans_each(sentences()[:2])),
    "tags": lambda parser: parser.parse([["We", "swim"]], tags=[["PRP", "VBP"]]),
}


def test_texts() -> None:
    """All at once: what one of them finds out first, such as of unknown words, others take."""
    alone = [repr(ask(ChartTextParser(grammar()))) for ask in TEXTS.values()]
    shared = ChartTextParser(grammar())
    check_alike([lambda ask=ask: repr(ask(shared)) for ask in TEXTS.values()], alone)


def test_the_parser_that_ships_opened_by_each() -> None:
    """Its file is read once, and not a hundred times beside one another."""
    said = ["The soup was cold.", UNKNOWN, "We came back, and stayed."]

    def parsed(text: str) -> list[str]:
        return [str(tree) for tree in open_parser().parse([text])]

    shipped = vars(opening)["_shipped"]
    shipped.cache_clear()
    alone = [parsed(text) for text in said]
    shipped.cache_clear()
    check_alike([partial(parsed, text) for text in said], alone)
    assert shipped.cache_info().misses == 1


def test_a_cache_of_parses(tmp_path: Path) -> None:
    parser = ChartTextParser(grammar())
    parts = [sentences()[:2], sentences()[1:], sentences()]
    alone = [list(map(str, parser.parse(part))) for part in parts]
    cached = CachedParser(parser, tmp_path / "parses.db")
    check_alike([lambda part=part: list(map(str, cached.parse(part))) for part in parts], alone)


@pytest.mark.parametrize("workers", [2, 5])
def test_workers_in_threads(workers: int) -> None:
    alone = [str(tree) for tree in ChartTextParser(grammar()).parse(sentences())]
    shared = ChartTextParser(grammar(), workers=workers)
    check_alike([lambda: [str(tree) for tree in shared.parse(sentences())]], [alone])


def test_expected_counts() -> None:
    def counted(parser: Parser, workers: int) -> list[float]:
        found: list[float] = parser.expected_counts(sentences(), workers=workers).count.tolist()
        return found

    alone = counted(Parser(grammar()), 1)
    check_alike([partial(counted, Parser(grammar()), 2)], [alone])
