"""Hits equal those that enumeration finds."""

from __future__ import annotations

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from grammar.errors import PatternError
from grammar.search import searching
from grammar.search.patterns import parse_pattern
from grammar.trees.tree import Tree
from grammar.trees.treebank import Treebank
from tests.grammar.search.strategies import patterns, twin_hits
from tests.grammar.strategies import trees

SMALL = trees(labels=st.sampled_from("ABC"), words=st.sampled_from("xyA"), max_leaves=5)
FEW = trees(labels=st.sampled_from("AB"), words=st.sampled_from("xA"), max_leaves=3)


def found(treebank: Treebank, text: str) -> set[tuple[int, int, tuple[int | None, ...]]]:
    hits = treebank.search(text)
    starts = treebank.offsets[hits.tree]
    named = [
        [None if node < 0 else int(node - start) for node, start in zip(nodes, starts, strict=True)]
        for nodes in hits.named.values()
    ]
    rows = zip(hits.tree.tolist(), hits.node.tolist(), *named, strict=True)
    listed = [(tree, node, tuple(rest)) for tree, node, *rest in rows]
    assert len(set(listed)) == len(listed)
    return set(listed)


@settings(max_examples=100, deadline=None)
@given(st.lists(SMALL, min_size=1, max_size=3), patterns(names=False))
def test_patterns_without_names(bank: list[Tree], text: str) -> None:
    assert found(Treebank.from_trees(bank), text) == twin_hits(text, bank)


@settings(max_examples=100, deadline=None)
@given(st.lists(FEW, min_size=1, max_size=2), patterns(names=True))
def test_patterns_with_names(bank: list[Tree], text: str) -> None:
    try:
        parse_pattern(text)
    except PatternError:  # a name that another place does not see
        assume(False)
    assert found(Treebank.from_trees(bank), text) == twin_hits(text, bank)


@pytest.mark.parametrize(
    "text",
    [
        "A [< B=n | < C] !< (D < =n)",
        "A < =n [< B=n | < C]",
        "A [< (B !< =n) | < C] ?< B=n",
        "A !< (B=n !< (x !$ =n))",
        "A=m << B=n : =n !< =m : =m ?< (C=k .. =n)",
    ],
)
@settings(max_examples=50, deadline=None)
@given(FEW)
def test_names_in_negations_and_alternatives(text: str, tree: Tree) -> None:
    assert found(Treebank.from_trees([tree]), text) == twin_hits(text, [tree])


@given(st.lists(SMALL, min_size=2, max_size=6), patterns(names=False))
def test_blocks_of_trees_give_the_same_hits(bank: list[Tree], text: str) -> None:
    treebank = Treebank.from_trees(bank)
    whole = found(treebank, text)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(searching, "MOST_NODES", 7)
        assert found(treebank, text) == whole
