"""Rules that are put together and taken apart, against what is said of them."""

from __future__ import annotations

import itertools

from hypothesis import given
from hypothesis import strategies as st

from grammar.synchronous.forest import derives
from grammar.synchronous.occurrence import FIRST_WORD
from induction.synchronous.search import (
    coded_rules,
    joined_rules,
    parted_rules,
)
from induction.synchronous.unification import Coded, canonical, has_slot, has_word, unifiers

A, B, C, D = map(chr, range(FIRST_WORD, FIRST_WORD + 4))
LEAVES = [(A, A), (B, B)]
JOINING = [("\x01\x02", "\x01\x02"), ("\x01\x02", "\x02\x01")]
FUNCTIONS = [("\x01" + C, "\x01"), (D + "\x01", "\x01"), (D + "\x01", "\x01" + D),
             ("\x01" + C + "\x02", "\x02\x01")]  # fmt: skip
PAIRS = st.lists(
    st.tuples(st.text([A, B, C, D], min_size=1, max_size=4), st.text([A, B, D], min_size=1)),
    max_size=4,
)


def obviously_joined(rules: list[Coded], pairs: list[Coded]) -> list[Coded]:
    """Try every way on all pairs."""
    joining = [rule for rule in rules if not any(map(has_word, rule))]
    for rule in rules:
        if not (has_slot(rule[0]) and has_word(rule[0])) or has_word(rule[1]):
            continue
        for outer, slot in itertools.product(joining, "\x01\x02"):
            shifted = {k: chr(ord(k) + 0x40) for k in set(rule[0]) if ord(k) < FIRST_WORD}
            inner = ["".join(shifted.get(c, c) for c in side) for side in rule]
            new = canonical(outer[0].replace(slot, inner[0]), outer[1].replace(slot, inner[1]))
            assert new is not None
            made = [*(other for other in rules if other != rule), new]
            if all(derives(coded_rules(made), pair) for pair in pairs):
                return obviously_joined(made, pairs)
    return rules


RULES = st.lists(st.sampled_from(JOINING + FUNCTIONS), unique=True).map(lambda some: LEAVES + some)


@given(RULES, PAIRS)
def test_rules_are_joined_as_by_trial_on_all_pairs(rules: list[Coded], pairs: list[Coded]) -> None:
    known = coded_rules(rules)
    derived = [pair for pair in pairs if derives(known, pair)]
    assert joined_rules(rules, derived) == obviously_joined(rules, derived)
    if len(derived) < len(pairs):
        assert joined_rules(rules, pairs) == obviously_joined(rules, pairs)


@given(RULES, st.sets(st.sampled_from([(A, A), (B, B), (A, B), (D, D)])))
def test_words_take_the_place_of_what_rules_make_with_them(
    rules: list[Coded], words: set[Coded]
) -> None:
    found = set(rules) | {("\x01" + A, "\x01" + A), (D + A, D + A)}
    expected = set(found)
    for rule in sorted(found - words, key=lambda one: (len(one[0]), len(one[1]), one)):
        view = sorted(other for other in expected if has_slot(other[0]) and other != rule)
        made = (c for other in view for c in unifiers(rule, other, max_slots=4))
        if (word := next((c for c in made if c in words), None)) is not None:
            expected = expected - {rule} | {word}
    assert parted_rules(found, words, 4) == expected
