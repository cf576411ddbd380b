"""The parse cache: nothing is parsed twice, whoever parsed it and however that ended."""

from __future__ import annotations

import multiprocessing
import sqlite3
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from grammar import Grammar, Tree
from grammar.chart.parses import CoarseTree, NoParse
from grammar.errors import OptionError, OutputError, SchemaError
from grammar.messages import heard_by
from induction.parsers.cache import CachedParser, CachedScoringParser
from induction.parsers.chart import ChartTextParser
from induction.parsers.protocol import TextParser, is_scoring, paired, read_sentences
from tests.grammar.strategies import names, trees


class Flat(TextParser):
    """One node over the words; remembers what it was asked for."""

    name = "flat"

    def __init__(self, version: str = "1") -> None:
        self.version = version
        self.asked: list[object] = []

    def parse_each(self, sentences, *, tags=None) -> Iterator[Tree | NoParse]:
        for sentence, own in paired(sentences, tags):
            self.asked.append((sentence, own) if own else sentence)
            found = next(read_sentences([sentence]))
            if not isinstance(found, NoParse) and "fail" in found.words:
                found = NoParse(found.words, "it says so")
            yield found if isinstance(found, NoParse) else Tree(self.version, found.words)


class Answering(TextParser):
    """Gives the results that it was made with."""

    name = version = "answers"

    def __init__(self, results) -> None:
        self.results = results

    def parse_each(self, sentences, *, tags=None):
        yield from (self.results[sentence] for sentence in sentences)


@pytest.fixture
def path(tmp_path) -> Path:
    return tmp_path / "parses.db"


def test_nothing_is_parsed_twice_and_order_is_kept(path):
    given = ["a b", ["a", "b"], "c", "a b", ("a", "b"), "fail", "fail"]
    inner = Flat()
    first = CachedParser(inner, path)
    expected = list(Flat().parse_each(given))
    assert list(first.parse_each(given)) == expected
    assert inner.asked == ["a b", ["a", "b"], "c", "fail"]
    assert (first.hits, first.misses) == (3, 4)
    again = CachedParser(Answering({}), path)
    again.name, again.version = first.name, first.version
    assert list(again.parse_each(given)) == expected
    assert (again.hits, again.misses) == (7, 0)
    assert again.parse(given) == first.parse(given)


def test_more_sentences_than_a_batch_come_in_order_and_lazily(path):
    inner = Flat()
    results = CachedParser(inner, path).parse_each(str(i % 100) for i in range(250))
    assert next(results).leaves() == ("0",)
    assert len(inner.asked) == 1
    assert [tree.leaves()[0] for tree in results] == [str(i % 100) for i in range(1, 250)]
    assert len(inner.asked) == 100


def test_parsers_versions_tags_and_kinds_of_sentence_are_kept_apart(path):
    for version in ("1", "2"):
        tree = next(CachedParser(Flat(version), path).parse_each(["a"]))
        assert tree == Tree(version, ("a",))
    inner = Flat()
    cached = CachedParser(inner, path)
    list(cached.parse_each([["a"], ["a"], ["a"]], tags=[["X"], ["Y"], ["X"]]))
    list(cached.parse_each([["a"], '["a"]', "a"]))
    assert inner.asked == [(["a"], ["X"]), (["a"], ["Y"]), ["a"], '["a"]']
    with pytest.raises(OptionError, match="not as many sequences of tags"):
        list(cached.parse_each(["a"], tags=[["X"], ["Y"]]))


def test_refusals_are_not_kept(path):
    cached = CachedParser(Flat(), path)
    for _ in range(2):
        refused, failed = cached.parse_each(["", "fail"])
        assert refused.refused
        assert failed == NoParse(("fail",), "it says so")
    assert (cached.hits, cached.misses) == (1, 3)


@settings(max_examples=20)
@given(st.dictionaries(names(), trees(labels=names(), words=names())))
def test_any_tree_comes_back_as_it_was(tmp_path_factory, results):
    path = tmp_path_factory.mktemp("cache") / "parses.db"
    for _ in range(2):
        found = CachedParser(Answering(results), path).parse_each(results)
        assert list(found) == list(results.values())


def test_coarse_trees_come_back_with_their_reasons(path):
    tree = CoarseTree("TOP", (Tree("UH", ("yes",)),), "in pieces")
    cached = CachedParser(Answering({"yes": tree}), path)
    for _ in range(2):
        [found] = cached.parse_each(["yes"])
        assert isinstance(found, CoarseTree)
        assert (found, found.reason) == (tree, "in pieces")
    assert cached.misses == 1


def test_a_parser_that_breaks_off_loses_nothing_that_was_made(path):
    class Breaking(Flat):
        def parse_each(self, sentences, *, tags=None):
            for i, tree in enumerate(super().parse_each(sentences, tags=tags)):
                if i == 2:
                    raise RuntimeError("out of order")
                yield tree

    with pytest.raises(RuntimeError, match="out of order"):
        CachedParser(Breaking(), path).parse(["a", "b", "c", "d"])
    cached = CachedParser(Flat(), path)
    cached.parse(["a", "b", "c", "d"])
    assert (cached.hits, cached.misses) == (2, 2)


# --- processes ---------------------------------------------------------------------------------


def fill(path: str, start: int, stop: int) -> None:
    cached = CachedParser(Flat(), path)
    for i in range(start, stop):
        tree = next(cached.parse_each([f"sentence {i}"]))
        assert tree.leaves() == ("sentence", str(i))


def fill_for_ever(path: str, counter) -> None:
    cached = CachedParser(Flat(), path)
    for i in range(10**9):
        next(cached.parse_each([f"sentence {i}"]))
        counter.value = i + 1


def test_processes_write_at_once_and_all_is_kept(path):
    # a new file, so that they also make the table at once
    context = multiprocessing.get_context("spawn")
    spans = [(0, 300), (150, 450)]
    processes = [context.Process(target=fill, args=(str(path), *span)) for span in spans]
    for process in processes:
        process.start()
    for process in processes:
        process.join(120)
    assert [process.exitcode for process in processes] == [0, 0]
    cached = CachedParser(Flat(), path)
    cached.parse(f"sentence {i}" for i in range(450))
    assert (cached.hits, cached.misses) == (450, 0)


def test_what_was_stored_before_a_crash_is_there_after_it(path):
    context = multiprocessing.get_context("spawn")
    counter = context.Value("l", 0)
    process = context.Process(target=fill_for_ever, args=(str(path), counter))
    process.start()
    deadline = time.monotonic() + 60
    while counter.value < 20 and process.is_alive() and time.monotonic() < deadline:
        time.sleep(0.01)
    process.kill()
    process.join(60)
    stored = counter.value
    assert stored >= 20
    cached = CachedParser(Flat(), path)
    cached.parse(f"sentence {i}" for i in range(stored))
    assert (cached.hits, cached.misses) == (stored, 0)


# --- the k best ---------------------------------------------------------------------------------

AMBIGUOUS = "S -> S S [0.4] | 'a' [0.5] | 'b' [0.1]"


class Counting(ChartTextParser):
    """Counts how many sentences its k best trees were asked for."""

    asked = 0

    def kbest_each(self, sentences, k, *, tags=None):
        for sentence in sentences:
            self.asked += 1
            yield from super().kbest_each([sentence], k, tags=tags)


def test_the_k_best_are_kept_by_k_beside_the_best(path):
    inner = Counting(Grammar.parse(AMBIGUOUS))
    cached = CachedScoringParser(inner, path)
    assert is_scoring(cached)
    given = ["a b a", "c", ["a", "a", "a"], "a b a"]
    expected = {k: list(inner.kbest_each(given, k)) for k in (1, 2)}
    assert list(cached.parse_each(given)) == list(inner.parse_each(given))
    inner.asked = 0
    for _ in range(2):
        for k in (1, 2):
            assert list(cached.kbest_each(given, k)) == expected[k]
    assert [len(found) for found in expected[2] if found] == [2, 2, 2]
    assert inner.asked == 2 * 3
    spans = list(cached.spans_each(["a b a"]))
    assert spans == list(inner.spans_each(["a b a"]))


CHANGED = [
    '{"tree": ["S"], "reason": ""}', "[[1]]", '[["S", 1, 2]]', "7", "", "x" * 64 + " [[1]]",
    "x", b"\xff", 7, '["S", {"sentence": [], "reason": ""}]', "[" * 5000,
]  # fmt: skip


@pytest.mark.parametrize("stored", CHANGED)
def test_parses_that_were_changed_are_made_anew_and_it_is_told_once(path, stored):
    given = ["a", "a b a", "c"]
    inner = Counting(Grammar.parse(AMBIGUOUS))
    expected = list(inner.kbest_each(given, 2))
    cached = CachedScoringParser(inner, path)
    list(cached.kbest_each(given, 2))
    with sqlite3.connect(path) as database:
        database.execute("UPDATE parses SET result = ?", (stored,))
    database.close()
    told: list[str] = []
    inner.asked = 0
    with heard_by(told.append):
        again = CachedScoringParser(inner, path)
        assert list(again.kbest_each(given, 2)) == expected
        assert inner.asked == len(given)
        assert list(again.kbest_each(given, 2)) == expected
        assert inner.asked == len(given)
    assert len(told) == 1
    assert "are made again" in told[0]


def test_a_parse_of_another_sentence_is_not_believed(path):
    cached = CachedParser(Flat(), path)
    wanted = list(cached.parse(["a", "b c"]))
    with sqlite3.connect(path) as database:
        [one] = database.execute("SELECT result FROM parses WHERE sentence = '\"a\"'").fetchone()
        database.execute("UPDATE parses SET result = ?", (one,))
    database.close()
    inner = Flat()
    found = CachedParser(inner, path).parse(["a", "b c"])
    assert [tree.leaves() for tree in found] == [tree.leaves() for tree in wanted]


# --- files that are no caches ------------------------------------------------------------------


def foreign(path: Path) -> None:
    with sqlite3.connect(path) as database:
        database.execute("CREATE TABLE parses (name TEXT)")
    database.close()


def text(path: Path) -> None:
    path.write_text("(S (NP we) (VP slept))\n" * 100)


def newer(path: Path) -> None:
    CachedParser(Flat(), path)
    with sqlite3.connect(path) as database:
        database.execute("PRAGMA user_version = 2")
    database.close()


def torn(path: Path) -> None:
    CachedParser(Flat(), path).parse(["a"] + [f"sentence {i}" for i in range(400)])
    data = path.read_bytes()
    path.write_bytes(data[:4096] + b"\xff" * (len(data) - 4096))


@pytest.mark.parametrize("spoil", [foreign, text, newer, torn])
def test_a_file_that_is_no_cache_is_one_clear_error_and_stays_as_it_is(path, spoil):
    spoil(path)
    before = path.read_bytes()
    with pytest.raises(SchemaError, match="not a parse cache of this version, or damaged") as told:
        CachedParser(Flat(), path).parse(["a", "b"])
    assert str(path) in str(told.value)
    assert path.read_bytes() == before


def test_a_path_that_cannot_be_written_is_one_clear_error(tmp_path):
    for path in (tmp_path, tmp_path / "absent" / "parses.db"):
        with pytest.raises(OutputError, match="cannot use the parse cache"):
            CachedParser(Flat(), path)


def test_an_empty_file_becomes_a_cache(path):
    path.touch()
    assert CachedParser(Flat(), path).parse(["a"])[0] == Tree("1", ("a",))
