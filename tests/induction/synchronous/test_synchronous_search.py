"""What the search leaves out because it can change nothing, against doing it."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from induction.synchronous import search
from induction.synchronous.induce import induce_synchronous
from induction.synchronous.pairs import may_hold, side_runs
from scan.languages.tasks import named_task

WORDS = "\u0100\u0101\u0102"


@given(st.text("\x01\x02" + WORDS, min_size=1, max_size=5), st.text(WORDS, max_size=7))
def test_what_a_side_may_be_part_of_is_what_a_pattern_finds(side: str, text: str) -> None:
    """Where slots stand beside each other, each holds a word."""
    pattern = re.sub("[\x01-\xff]", ".+", side)
    assert may_hold(text, side_runs(side)) == bool(re.search(pattern, text))


@pytest.mark.parametrize("name", ["swap", "invented-103"])
def test_rules_that_no_new_rule_can_derive_are_not_derived(name, monkeypatch) -> None:
    pairs = named_task(name)[1].train
    tests = 0

    def counted(*args, **options) -> bool:
        nonlocal tests
        tests += 1
        return derives(*args, **options)

    derives = search.derives
    monkeypatch.setattr(search, "derives", counted)
    found = induce_synchronous(pairs, types=1)
    few, tests = tests, 0
    monkeypatch.setattr(search._Parts, "any_of", lambda self, rule: True)
    slow = induce_synchronous(pairs, types=1)
    assert [str(step) for step in slow.trace] == [str(step) for step in found.trace]
    assert slow.rules == found.rules
    assert few < tests
