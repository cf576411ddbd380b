"""Without forbidden neighbours: the derivations that are permitted, each as probable as before."""

from __future__ import annotations

import itertools
from collections import Counter

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from grammar.arrays import BoolArray
from grammar.synchronous.grammar import SynchronousGrammar
from grammar.synchronous.neighbours import without_neighbours
from tests.grammar.synchronous.synchronous_reference import derivations, synchronous_grammars

CLASS = {"": 2, "b": 1}
"""``a`` has class 0."""
Language = Counter[tuple[tuple[str, ...], tuple[str, ...]]]


def language(grammar: SynchronousGrammar, words: int = 4) -> Language:
    """Return the probabilities of all pairs with at most so many words, by plain recursion."""
    found: Language = Counter()
    for derived in derivations(grammar, grammar.start, words=words, depth=9):
        found[derived.source, derived.target] += derived.probability
    return found


def permitted(source: tuple[str, ...], may: BoolArray) -> bool:
    classes = [CLASS.get(word, 0) for word in ("", *source, "")]
    return all(may[pair] for pair in itertools.pairwise(classes))


def ends(grammar: SynchronousGrammar) -> bool:
    """Say whether derivations end soon, so that masses are found in few rounds."""
    expected = np.zeros((len(grammar.types),) * 2)
    number = {symbol: n for n, symbol in enumerate(grammar.types)}
    for rule, weight, _ in grammar:
        for slot in rule.slots:
            expected[number[rule.lhs], number[slot.symbol]] += weight
    return bool(np.abs(np.linalg.eigvals(expected)).max() < 0.9)


@given(synchronous_grammars(), st.lists(st.booleans(), min_size=9, max_size=9))
def test_the_distribution_is_that_of_the_grammar_given_permitted_neighbours(
    grammar: SynchronousGrammar, values: list[bool]
) -> None:
    assume(ends(grammar))
    may = np.array(values).reshape(3, 3)
    every = language(grammar)
    expected = {pair: value for pair, value in every.items() if permitted(pair[0], may)}
    found = without_neighbours(grammar, CLASS, may, most=2_000)
    if found is None:
        assert not expected
        return
    made = language(found)
    assert made.keys() == expected.keys()
    ratios = [made[pair] / expected[pair] for pair in expected]
    assert ratios == pytest.approx([max(ratios, default=1.0)] * len(ratios), rel=1e-6)
    if sum(every.values()) == pytest.approx(1.0):  # none is longer
        assert sum(made.values()) == pytest.approx(1.0)


def test_what_is_permitted_stays_as_it_is() -> None:
    grammar = SynchronousGrammar.parse("NT_1 twice ### NT_1 NT_1 [0.5]\nwalk ### WALK [0.5]")
    may = np.array([[True, True], [True, False]])
    assert without_neighbours(grammar, {"walk": 1}, may, most=10) is grammar


def test_types_are_divided_only_where_it_matters() -> None:
    grammar = SynchronousGrammar.parse(
        "\n".join([
            "NT -> V_1 and V_2 ### V_1 V_2",
            "V -> D_1 ### D_1 [0.5]",
            "V -> go D_1 ### D_1 G [0.5]",
            *(f"D -> {word} ### {word.upper()} [0.25]" for word in ("up", "on", "in", "by")),
        ])
    )  # fmt: skip
    may = np.ones((3, 3), dtype=bool)
    may[1, 2] = False  # "and go"
    found = without_neighbours(grammar, {"and": 1, "go": 2}, may, most=20)
    assert found is not None
    assert found.types == ("NT", "D", "Va", "Vb")
    assert len(found.rules) == 2 + 1 + 1 + 4
    assert without_neighbours(grammar, {"and": 1, "go": 2}, may, most=7) is None


def test_a_long_source_is_no_deep_recursion() -> None:
    words = " ".join(["a"] * 3_000)
    grammar = SynchronousGrammar.parse(f"{words} ### A [0.5]\nb b ### B [0.5]")
    may = np.array([[True, True, True], [True, False, True], [True, True, True]])
    found = without_neighbours(grammar, {"b": 1}, may, most=10)
    assert found is not None
    assert [(len(rule.source), weight) for rule, weight, _ in found] == [(3_000, 1.0)]


def test_types_with_the_same_contexts_are_one() -> None:
    rules = "NT -> call W_1 ### W_1", "W -> D_1 D_2 ### D_1 D_2", "D -> oh ### 0", "D -> one ### 1"
    grammar = SynchronousGrammar.parse("\n".join(rules), normalise=True)
    may = np.array([[True, True], [True, False]])  # no "oh oh"
    found = without_neighbours(grammar, {"oh": 1}, may, most=20)
    assert found is not None
    assert found.types == ("NT", "Da", "Db", "W")
    assert len(found.rules) == 1 + 3 + 2
