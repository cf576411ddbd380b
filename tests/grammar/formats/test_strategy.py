"""The strategy of Hypothesis: sentences of the grammar, weights kept, shrinking to short ones."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import HealthCheck, Phase, assume, find, given, settings
from hypothesis import strategies as st

from grammar import ChartGrammarError, NotTightError, OptionError
from grammar.pcfg.grammar import Grammar
from tests.grammar.formats.published import PUBLISHED
from tests.grammar.strategies import grammars

ALL = settings(
    max_examples=2000, phases=[Phase.generate], database=None, derandomize=True,
    suppress_health_check=list(HealthCheck), deadline=None,
)  # fmt: skip


@given(data=st.data(), grammar=grammars())
def test_what_is_drawn_is_a_sentence(data, grammar):
    words = data.draw(grammar.strategy(max_rules=30)).split()
    try:
        prefix = grammar.prefix(words)
    except ChartGrammarError:  # where empty derivations have no mean length
        assume(False)
    assert prefix.end > 0


def test_weights_are_kept():
    seen = Counter[str]()

    @ALL
    @given(Grammar.parse("S -> 'a' [0.1] | 'b' [0.3] | 'c' [0.6]").strategy())
    def draws(text):
        seen[text] += 1

    draws()
    total = sum(seen.values())
    assert seen["a"] / total == pytest.approx(0.1, abs=0.05)
    assert seen["c"] / total == pytest.approx(0.6, abs=0.08)


@pytest.mark.parametrize("name", PUBLISHED)
def test_it_shrinks_to_the_shortest_derivation(name):
    grammar = PUBLISHED[name]
    shortest = find(grammar.strategy(spacing="characters"), lambda _: True)
    assert len(shortest) <= 15


def test_derivations_that_would_not_end_are_ended():
    wild = Grammar.parse("S -> S S [0.9] | 'a' [0.1]")
    assert len(find(wild.strategy(max_rules=50), lambda text: len(text.split()) > 5).split()) <= 51
    with pytest.raises(NotTightError, match="no derivation from S ends"):
        Grammar.parse("S -> S [1]").strategy()
    with pytest.raises(OptionError, match="unknown spacing"):
        wild.strategy(spacing="none")
