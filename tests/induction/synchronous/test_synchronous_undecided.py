"""What is said where no training pair tells which of two functions applies last."""

from __future__ import annotations

import pytest

from grammar.synchronous.parsing import SynchronousParser
from induction.synchronous.induce import SynchronousInduction, induce_synchronous
from induction.synchronous.report import target_votes, undecided_rules

WORDS = [("a", "A"), ("b", "B"), ("c", "C")]
PAIRS = [
    *WORDS,
    *((f"{s} twice", f"{t} {t}") for s, t in WORDS),
    *((f"{s} then {o}", f"{t} {p}") for s, t in WORDS for o, p in WORDS if s != o),
]
MEETING = ("a then b twice", "A B B", "A B A B")


@pytest.fixture(scope="module")
def open_question() -> SynchronousInduction:
    return induce_synchronous(PAIRS)


def test_rules_that_never_meet_are_undecided(open_question: SynchronousInduction) -> None:
    source, *targets = MEETING
    assert {" ".join(target) for target in open_question.votes(source.split())} == set(targets)
    assert len(open_question.votes(["a", "twice"])) == 1
    (found,) = open_question.undecided
    assert {found.target, found.other} == set(targets)
    assert found.source == source
    assert set(found.rules) == {"NT_1 then NT_2 ### NT_1 NT_2", "NT_1 twice ### NT_1 NT_1"}
    assert f"undecided       no pair says which applies last in {found}" in str(open_question)
    assert open_question.to_dict()["undecided"] == [found._asdict()]


@pytest.mark.parametrize("target", MEETING[1:])
def test_a_pair_that_says_it_decides(target: str) -> None:
    other = {"A B B": "B C C", "A B A B": "B C B C"}[target]
    found = induce_synchronous([*PAIRS, (MEETING[0], target), ("b then c twice", other)])
    assert [" ".join(t) for t in found.votes(["c", "then", "a", "twice"])] == [
        {"A B B": "C A A", "A B A B": "C A C A"}[target]
    ]
    assert not found.undecided
    assert "undecided" not in str(found)


def test_fitted_types_have_no_alternatives() -> None:
    found = induce_synchronous(PAIRS, types=1)
    assert (found.alternatives, found.undecided) == ((), [])
    assert undecided_rules(found.grammar, [found.grammar], found.rules.rules) == []
    assert not target_votes([SynchronousParser(found.grammar)], ["d"])
