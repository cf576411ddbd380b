"""The k best derivations, and max-rule decoding, against plain enumeration."""

from __future__ import annotations

import itertools
import math
from collections import Counter, defaultdict

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from grammar.chart.parser import Parser
from grammar.pcfg.grammar import Grammar
from grammar.rules.rules import Nonterminal
from tests.grammar.chart.chart_reference import (
    Enumeration,
    enumerations,
    evaluate,
    kbest_lists,
    parsed,
    thorough,
)
from tests.grammar.strategies import grammars


@thorough
@given(enumerations())
def test_kbest_lists_all_derivations_in_order(found: Enumeration) -> None:
    parser = Parser(found.grammar)
    for k in (1, 3, len(found.derivations), len(found.derivations) + 1):
        best = parser.kbest(found.sentence, k)
        assert isinstance(best, list)
        expected = list(found.probability.values())[:k]
        assert [math.exp(p.log_probability) for p in best] == pytest.approx(expected, rel=1e-9)
        assert all(p.log_probability >= q.log_probability for p, q in itertools.pairwise(best))
        assert len({p.rules for p in best}) == len({str(p.tree) for p in best}) == len(best)
        assert all(p.rules in found.probability for p in best)


@thorough
@given(enumerations(cycles=True))
def test_kbest_goes_round_unary_cycles(found: Enumeration) -> None:
    best = Parser(found.grammar).kbest(found.sentence, 12)
    assert isinstance(best, list)
    assert len({p.rules for p in best}) == len(best)
    # what is not enumerated has a chain of more than CHAIN rules, with some symbol repeated
    for p, expected in zip(best, found.probability.values(), strict=False):
        if p.rules not in found.probability:
            break
        assert math.exp(p.log_probability) == pytest.approx(expected, rel=1e-9)


@thorough
@given(enumerations(), st.booleans())
def test_max_rule_maximises_the_product_of_anchored_posteriors(
    found: Enumeration, merge: bool
) -> None:
    def look(name: str) -> str:
        return "A" if merge and name == "B" else name

    def seen(anchor: object) -> object:
        if isinstance(anchor, Nonterminal):
            return Nonterminal(look(anchor.name))
        return tuple(map(seen, anchor)) if isinstance(anchor, tuple) else anchor

    mass: dict[object, float] = defaultdict(float)
    for d in found.derivations:
        for anchor in found.anchors(d):
            mass[seen(anchor)] += found.probability[d.rules()] / found.total
    product = {
        d.rules(): math.prod(min(mass[seen(a)], 1.0) for a in found.anchors(d))
        for d in found.derivations
    }
    chosen = parsed(Parser(found.grammar).max_rule(found.sentence, look=look))
    assert product[chosen.rules] == pytest.approx(max(product.values()), rel=1e-9)
    assert found.probability[chosen.rules] == pytest.approx(math.exp(chosen.log_probability))


@thorough
@given(enumerations(cycles=True))
def test_max_rule_never_goes_round_a_cycle(found: Enumeration) -> None:
    chosen = parsed(Parser(found.grammar).max_rule(found.sentence))
    assert chosen.tree.leaves() == found.sentence
    spans = Counter(chosen.tree.spans())
    assert max(spans.values()) == 1


@thorough
@given(grammars(unary_cycles=False, empty_rules=False), st.integers(1, 6), st.data())
def test_kbest_is_the_recursion_over_lists(grammar: Grammar, n: int, data: st.DataObject) -> None:
    sentence = tuple(data.draw(st.lists(st.sampled_from("abc"), min_size=n, max_size=n)))
    k = data.draw(st.integers(1, 40))
    expected = evaluate(grammar, sentence, kbest_lists(k))
    found = Parser(grammar).kbest(sentence, k)
    if not expected:
        assert not found
        return
    assert isinstance(found, list)
    assert [math.exp(p.log_probability) for p in found] == pytest.approx(
        [p for p, _ in expected], rel=1e-9
    )
    # derivations of equal probability may come in any order, and any of them may be the last
    least = expected[-1][0] * (1 + 1e-9)
    assert {p.rules for p in found} >= {rules for p, rules in expected if p > least}
    assert len({p.rules for p in found}) == len(found)


def test_a_long_list_is_ordered_and_distinct() -> None:
    grammar = Grammar.parse("S -> S S [0.31] | 'a' S [0.07] | S 'a' [0.11] | 'a' [0.51]")
    found = Parser(grammar).kbest(["a"] * 9, 3000)
    assert isinstance(found, list)
    assert len(found) == 3000
    values = np.array([p.log_probability for p in found])
    assert (np.diff(values) <= 0).all()
    assert len({p.rules for p in found}) == 3000
