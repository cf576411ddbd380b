"""The order of arguments in forms that take over templates: that of a frame that agrees."""

from __future__ import annotations

from collections import Counter

import pytest

from grammar import SynchronousParser
from grammar.synchronous.rule import SynchronousRule
from induction.terms.argument_order import gap_places, orders, with_gap_in_place
from induction.terms.induce import induce_from_terms
from tests.induction.terms.test_gaps import GAVE, NAMES, meaning, relative_pairs

RULE = SynchronousRule.parse


def with_double_objects() -> list[tuple[str, str]]:
    """Clauses with two objects, and relative clauses with the second of them left out."""
    pairs = relative_pairs()
    for s, x in NAMES.items():
        for o, y in NAMES.items():
            for (past, verb), noun in zip(GAVE.items(), ("cat", "dog", "box"), strict=True):
                if s == o:
                    continue
                made = f"{verb} ( agent = {x} , recipient = {y} , theme = * {noun} )"
                pairs.append((f"{s} {past} {o} the {noun} .", made))
                pairs.append((f"zoe found the {noun} that {s} {past} {o} .",
                    f"find ( agent = Zoe , theme = * {noun} ( nmod = {made} ) )"))  # fmt: skip
    return pairs


@pytest.fixture(scope="module")
def parser() -> SynchronousParser:
    return SynchronousParser(induce_from_terms(with_double_objects()).grammar)


def test_a_question_has_the_order_that_agrees_with_its_gap(parser: SynchronousParser) -> None:
    asked = "give ( agent = Ann , theme = ? , recipient = Bob )"
    assert meaning(parser, "what did ann give bob ?") == asked
    assert meaning(parser, "what did ann give to bob ?") is None or (
        meaning(parser, "what did ann give to bob ?") == asked
    )


def test_an_order_that_was_seen_stays(parser: SynchronousParser) -> None:
    pairs = with_double_objects()
    for source, target in pairs[::17] + pairs[-8:]:
        assert meaning(parser, source) == target


def test_a_place_is_known_only_if_it_is_always_the_same() -> None:
    second = RULE("Y -> X_1 W_2 ### W_2 ( agent = X_1 , theme = ^ )")
    first = RULE("Y -> was W_1 ### W_1 ( theme = ^ )")
    assert gap_places({second: 5}) == {"theme": 1}
    assert gap_places({second: 1}) == {}
    assert gap_places({second: 5, first: 5}) == {}


def test_only_the_gap_moves() -> None:
    known = orders([(RULE("S -> X_1 W_2 X_3 ### W_2 ( t = X_1 , a = X_3 , r = b )"), 1)])
    assert known == Counter({("t", "a", "r"): 1})
    other = RULE("Y -> W_1 X_2 X_3 ### W_1 ( r = X_2 , a = X_3 , t = ^ )")
    assert with_gap_in_place(other, {"t": 0}, known) == other
    fits = RULE("Y -> W_1 X_2 X_3 ### W_1 ( a = X_2 , r = X_3 , t = ^ )")
    assert str(with_gap_in_place(fits, {"t": 0}, known)).endswith("( t = ^ , a = X_2 , r = X_3 )")


def test_what_is_no_term_stays() -> None:
    plain = RULE("S -> jump X_1 ### I_JUMP X_1")
    assert with_gap_in_place(plain, {"t": 0}, Counter()) == plain
    assert gap_places({plain: 9}) == {}
