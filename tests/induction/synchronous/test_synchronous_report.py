"""What induction says of itself: which pairs it explains, by what, and when it warns."""

import warnings

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grammar.synchronous.forest import Edge, PairForest
from induction.synchronous.induce import induce_synchronous
from induction.synchronous.report import Explained, RoteWarning, explain_pairs

VERBS = ("walk", "run", "look", "jump", "swim")
DOUBLED = [pair for v in VERBS for pair in ((v, v.upper()), (f"{v} twice", f"{v} {v}".upper()))]
ROTE = [(f"a{i} b{i}", f"X{i} Y{i}") for i in range(30)]


def test_pairs_that_share_nothing_are_by_rote() -> None:
    with pytest.warns(RoteWarning, match="30 of 30 pairs are learnt one by one"):
        found = induce_synchronous(ROTE)
    assert found.explained == Explained(pairs=30, general=0, rote=30)
    assert "0.0% by general rules, 100.0% by rote" in str(found)


def test_pairs_that_share_rules_are_not() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = induce_synchronous(DOUBLED)
        mixed = induce_synchronous([*DOUBLED, *ROTE[:2]])
    assert found.explained == Explained(pairs=10, general=10, rote=0)
    assert mixed.explained == Explained(pairs=12, general=10, rote=2)
    assert mixed.to_dict()["by_rote"] == 2


def test_the_held_out_score_is_that_of_the_types_chosen() -> None:
    found = induce_synchronous(DOUBLED)
    assert found.held_out is not None
    assert f"{found.held_out:.1%} of held-out" in str(found)
    assert induce_synchronous(DOUBLED, types=1).held_out is None


@given(
    st.lists(
        st.lists(st.sets(st.integers(0, 5), min_size=1, max_size=3), min_size=1, max_size=3),
        max_size=6,
    )
)
def test_rote_is_what_each_derivation_says(derivations: list[list[set[int]]]) -> None:
    """Each pair is a list of derivations, and each derivation a chain of rules."""
    forests = []
    for each in derivations:
        edges, top = [], 100
        for chain in each:
            below: tuple[int, ...] = ()
            for place, rule in enumerate(sorted(chain)):
                node = top if place == len(chain) - 1 else len(edges)
                edges.append(Edge(node, rule, below))
                below = (node,)
        forests.append(PairForest([], edges, top))
    used = [set().union(*each) for each in derivations]
    shared = {rule for rule in range(6) if sum(rule in rules for rules in used) > 1}
    general = sum(any(chain <= shared for chain in each) for each in derivations)
    found = explain_pairs(len(forests), forests)
    assert (found.general, found.rote) == (general, len(forests) - general)
