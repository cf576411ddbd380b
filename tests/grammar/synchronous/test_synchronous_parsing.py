"""Parsing with synchronous grammars equals looking through all derivations."""

import itertools
import math
from collections import defaultdict

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from grammar.chart.parses import NoParse
from grammar.errors import OptionError
from grammar.synchronous.grammar import SynchronousGrammar
from grammar.synchronous.parsing import SynchronousParser
from tests.grammar.synchronous.synchronous_reference import derivations, synchronous_grammars

LONGEST = 4


@given(synchronous_grammars(), st.integers(1, 6))
@settings(max_examples=40)
def test_the_best_targets_are_those_of_all_derivations(grammar: SynchronousGrammar, k: int) -> None:
    best: dict[tuple, dict[tuple, float]] = defaultdict(lambda: defaultdict(float))
    for found in derivations(grammar, grammar.start, words=LONGEST):
        targets = best[found.source]
        targets[found.target] = max(targets[found.target], found.probability)
    parser = SynchronousParser(grammar)
    for length in range(1, LONGEST + 1):
        for source in itertools.product("ab", repeat=length):
            result = parser.translations(source, k)
            if source not in best:
                assert isinstance(result, NoParse)
                continue
            expected = sorted(best[source].values(), reverse=True)[:k]
            assert [math.exp(t.log_probability) for t in result] == pytest.approx(expected)
            assert len({t.target for t in result}) == len(result)
            for t in result:
                assert math.exp(t.log_probability) == pytest.approx(best[source][t.target])
                assert grammar.yields(t.rules) == (source, t.target)


@given(synchronous_grammars())
@settings(max_examples=40)
def test_a_pair_has_the_sum_and_the_best_of_its_derivations(grammar: SynchronousGrammar) -> None:
    pairs = defaultdict(list)
    for found in derivations(grammar, grammar.start, words=LONGEST):
        pairs[found.source, found.target].append(found)
    parser = SynchronousParser(grammar)
    for (source, target), found in sorted(pairs.items())[:60]:
        total = sum(d.probability for d in found)
        assert math.exp(parser.pair_log_probability(source, target)) == pytest.approx(total)
        best = parser.pair_derivations(source, target, 3)
        expected = sorted((d.probability for d in found), reverse=True)[:3]
        assert [math.exp(d.log_probability) for d in best] == pytest.approx(expected)
        assert {d.rules for d in best} <= {d.rules for d in found}
        assert parser.is_derivable(source, target)
        assert parser.is_derivable(source, (*target, "x")) == ((source, (*target, "x")) in pairs)


@pytest.fixture
def parser() -> SynchronousParser:
    return SynchronousParser(
        SynchronousGrammar.parse("NT_1 twice ### NT_1 NT_1 [0.25]\nwalk ### WALK [0.75]")
    )


def test_unknown_words_and_sources_without_derivation_are_values(parser: SynchronousParser) -> None:
    unknown = parser.translations(["jump", "twice"])
    assert isinstance(unknown, NoParse)
    assert "'jump'" in str(unknown)
    assert not parser.translations(["twice", "walk"], k=2)
    assert not parser.is_derivable(["jump"], ["JUMP"])
    assert parser.pair_log_probability(["walk"], ["RUN"]) == -math.inf
    assert parser.pair_derivations(["walk"], ["RUN"], 2) == []


def test_a_source_that_takes_too_much_is_parsed_with_a_beam() -> None:
    lines = [f"{NT} ### {NT} [{w}]" for NT, w in (("x", 0.25), ("y", 0.25))]
    grammar = SynchronousGrammar.parse("\n".join(["NT_1 NT_2 ### NT_2 NT_1 [0.5]", *lines]))
    source = ["x", "y"] * 4
    [exact] = SynchronousParser(grammar).translations(source)
    assert exact.exact
    refused = SynchronousParser(grammar, step_limit=3).translations(source)
    assert isinstance(refused, NoParse)
    assert "more than 3 steps" in refused.reason
    many = SynchronousParser(grammar).translations(source, 500)
    assert 0 < len(many) <= 500  # derivations of the same target end at some time


@pytest.mark.parametrize("k", [0, -1, 1.5, True])
def test_k_must_be_positive(parser: SynchronousParser, k: int) -> None:
    with pytest.raises(OptionError, match="k="):
        parser.translations(["walk"], k)
    with pytest.raises(OptionError, match="k="):
        parser.pair_derivations(["walk"], ["WALK"], k)


def test_empty_sides(parser: SynchronousParser) -> None:
    with pytest.raises(OptionError):
        parser.translations([])
    with pytest.raises(OptionError, match="empty"):
        parser.is_derivable(["walk"], [])


def test_a_target_that_doubles_without_end_is_refused() -> None:
    grammar = SynchronousGrammar.parse("NT_1 twice ### NT_1 NT_1 [0.5]\nwalk ### WALK [0.5]")
    with pytest.raises(OptionError, match="more than 1,000,000 words"):
        SynchronousParser(grammar).translations(["walk", *["twice"] * 40])
