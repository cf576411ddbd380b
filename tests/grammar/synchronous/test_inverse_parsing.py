"""The best sources of a target, against all derivations of small grammars."""

from __future__ import annotations

import math
from collections import defaultdict

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from grammar.chart.parses import NoParse
from grammar.errors import OptionError
from grammar.synchronous.grammar import SynchronousGrammar
from grammar.synchronous.inverse import InverseParser
from grammar.synchronous.parsing import Translation
from tests.grammar.synchronous.synchronous_reference import derivations, synchronous_grammars

LONGEST = 4
TWICE = """
    NT_1 twice ### NT_1 NT_1 [0.2]
    NT_1 after NT_2 ### NT_2 NT_1 [0.2]
    walk ### WALK [0.3]
    run ### RUN [0.3]
"""


def sources(found: list[Translation] | NoParse) -> list[str]:
    return [] if isinstance(found, NoParse) else [" ".join(one.target) for one in found]


@given(synchronous_grammars(), st.integers(1, 6))
@settings(max_examples=40, deadline=None)
def test_the_best_sources_are_those_of_all_derivations(grammar: SynchronousGrammar, k: int) -> None:
    best: dict[tuple, dict[tuple, float]] = defaultdict(lambda: defaultdict(float))
    for one in derivations(grammar, grammar.start, words=LONGEST):
        known = best[one.target]
        known[one.source] = max(known[one.source], one.probability)
    parser = InverseParser(grammar)
    for target, known in sorted(best.items(), key=lambda item: (len(item[0]), item[0]))[:25]:
        found = parser.translations(target, k)
        assert isinstance(found, list)
        values = [math.exp(one.log_probability) for one in found]
        assert values == sorted(values, reverse=True)
        assert len({one.target for one in found}) == len(found) <= k
        for one, value in zip(found, values, strict=True):
            assert grammar.yields(one.rules) == (one.target, target)
            # longer sources are not among the derivations
            if len(one.target) <= LONGEST:
                assert value == pytest.approx(known[one.target])
        better = {s for s, p in known.items() if p > values[-1] * (1 + 1e-9)}
        assert better <= {one.target for one in found}


def test_copies_are_the_same_text() -> None:
    parser = InverseParser(SynchronousGrammar.parse(TWICE))
    assert sources(parser.translations(["WALK", "RUN", "WALK", "RUN"])) == ["run after walk twice"]
    assert sources(parser.translations(["WALK", "RUN"], 9)) == ["run after walk"]
    assert parser.is_derivable(["WALK", "RUN"], ["run", "after", "walk"])
    assert not parser.is_derivable(["WALK", "RUN"], ["walk", "after", "run"])


def test_rules_that_write_one_slot_are_taken_again_only_while_they_help() -> None:
    please = SynchronousGrammar.parse("NT_1 please ### NT_1 [0.5]\nwalk ### WALK [0.5]")
    found = InverseParser(please).translations(["WALK"], 3)
    assert sources(found) == ["walk", "walk please", "walk please please"]


def test_what_has_no_source_says_why() -> None:
    parser = InverseParser(SynchronousGrammar.parse(TWICE), step_limit=20)
    assert "does not write" in str(parser.translations(["JUMP"]))
    much = parser.translations(["WALK"] * 12)
    assert isinstance(much, NoParse)
    assert (much.refused, "20 steps" in much.reason) == (True, True)
    with pytest.raises(OptionError, match="no sequence of words"):
        parser.translations([])
