"""The pattern that also asks for a node."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from grammar.search.patterns import parse_pattern
from grammar.trees.treebank import Treebank

pytestmark = pytest.mark.usefixtures("web")

BANK = Treebank.parse(
    "(S (NP (D the) (N cat)) (VP (V saw) (NP (D a) (N dog))"
    " (PP (P in) (NP (PRP$ my) (N car)))) (. .))"
)
PATTERNS = [
    "NP", "VP < NP", "NP < D | < PRP$", "S < (NP=n .. VP) : =n < N", "@ N /^N/ ; @N > VP",
    "NP ; VP", '"PRP$" | D', "VP < NP=a < PP=b", "NP !< D", "/^[NV]/ > S", "VP [< NP | < D]",
]  # fmt: skip


@pytest.mark.parametrize("pattern", PATTERNS)
def test_what_is_clicked_is_in_what_is_found(pattern: str) -> None:
    from treewright.workbench.refining import refinements

    pattern = pattern.replace("PRP$", '"PRP$"') if '"' not in pattern else pattern
    heads = sorted(set(BANK.search(pattern).head.tolist()))
    for node, refined in enumerate(refinements(BANK, 0, heads, pattern)):
        if not refined:
            assert node in heads
            continue
        found = set(BANK.search(refined).head.tolist())
        assert found
        assert found <= set(heads)


def test_a_tree_without_hits_is_not_refined() -> None:
    from treewright.workbench.refining import refinements

    assert not any(refinements(BANK, 0, [], "QP"))


@settings(max_examples=200, deadline=None)
@given(st.text(min_size=1, max_size=12))
def test_any_label_can_be_quoted(label: str) -> None:
    from treewright.workbench.refining import quoted

    (pattern,) = parse_pattern(quoted(label))
    assert pattern.head.labels[0].text == label
    assert not pattern.head.labels[0].is_regex


@settings(max_examples=300, deadline=None)
@given(st.text('SN<>.,$|&!()[]=:;@"/ a', max_size=16))
def test_any_text_is_refined_to_a_pattern_or_not(text: str) -> None:
    from treewright.workbench.refining import Refinement

    refined = Refinement(text).with_condition("< A")
    if refined:
        parse_pattern(refined)
