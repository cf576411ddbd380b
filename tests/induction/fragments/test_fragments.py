"""Recurring fragments against a slow reference over plain trees, and on real treebanks."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from grammar.engines.threads import Threads
from grammar.engines.units import Kept, Unit
from grammar.errors import OptionError
from grammar.rules.rules import Nonterminal
from grammar.trees.fragment import Fragment
from grammar.trees.tree import Tree
from grammar.trees.treebank import Treebank
from induction import binarise, normalise, read_treebank
from induction.fragments.fragments import (
    FragmentCounts,
    NodeTable,
    recurring_fragments,
    recurring_pieces,
)
from tests.grammar.strategies import trees

STEPS = ("traces", "functions", "root")
# "A" is a label and a word, so that the two must be told apart
ALIKE = trees(labels=st.sampled_from("AB"), words=st.sampled_from("aA"), max_leaves=6)


def production(tree: Tree) -> tuple[object, ...]:
    children = (c if isinstance(c, str) else Nonterminal(c.label) for c in tree.children)
    return (tree.label, *children)


def common_part(a: Tree, b: Tree) -> Fragment:
    """The largest fragment at two nodes of one production."""
    children: list[Fragment | Nonterminal | str] = []
    for x, y in zip(a.children, b.children, strict=True):
        if isinstance(x, str) or isinstance(y, str):
            children.append(str(x))
        elif production(x) == production(y):
            children.append(common_part(x, y))
        else:
            children.append(Nonterminal(x.label))
    return Fragment(a.label, tuple(children))


def maximal_fragments(a: Tree, b: Tree) -> set[Fragment]:
    """All common fragments of two trees that are not part of a larger one at the same nodes."""
    pairs = [(x, y) for x in a.nodes() for y in b.nodes() if production(x) == production(y)]
    below = {
        (id(x), id(y))
        for above in pairs
        for x, y in zip(above[0].children, above[1].children, strict=True)
    }
    return {common_part(x, y) for x, y in pairs if (id(x), id(y)) not in below}


def is_at(fragment: Fragment, tree: Tree) -> bool:
    if len(fragment.children) != len(tree.children) or fragment.label != tree.label:
        return False
    for part, child in zip(fragment.children, tree.children, strict=True):
        if isinstance(part, str) or isinstance(child, str):
            fits = part == child and isinstance(part, str) and isinstance(child, str)
        elif isinstance(part, Nonterminal):
            fits = part.name == child.label
        else:
            fits = is_at(part, child)
        if not fits:
            return False
    return True


def reference(treebank: list[Tree]) -> dict[Fragment, int]:
    # nodes are told apart by identity, so no two trees may share any
    apart = [Tree.parse(str(tree)) for tree in treebank]
    found = set().union(*(maximal_fragments(a, b) for a, b in itertools.combinations(apart, 2)))
    nodes = [node for tree in apart for node in tree.nodes()]
    return {fragment: sum(is_at(fragment, node) for node in nodes) for fragment in found}


@settings(max_examples=150)
@given(st.lists(ALIKE, min_size=2, max_size=6))
def test_fragments_and_counts_are_those_of_the_reference(treebank: list[Tree]) -> None:
    found = recurring_fragments(Treebank.from_trees(treebank))
    assert dict(found.fragments()) == reference(treebank)
    assert len(set(found.fragments())) == len(found)


@settings(max_examples=40)
@given(st.lists(ALIKE, min_size=1, max_size=8), st.integers(2, 5))
def test_workers_change_nothing(treebank: list[Tree], workers: int) -> None:
    columns = Treebank.from_trees(treebank)
    assert recurring_fragments(columns, workers=workers) == recurring_fragments(columns)


@settings(max_examples=40)
@given(st.lists(ALIKE, min_size=1, max_size=6), st.randoms(use_true_random=False))
def test_the_order_of_the_trees_changes_nothing(treebank: list[Tree], random) -> None:
    shuffled = random.sample(treebank, len(treebank))
    assert recurring_fragments(Treebank.from_trees(shuffled)) == recurring_fragments(
        Treebank.from_trees(treebank)
    )


@given(ALIKE)
def test_a_tree_that_stands_twice_recurs_whole(tree: Tree) -> None:
    found = dict(recurring_fragments(Treebank.from_trees([tree, tree])).fragments())
    assert found[Fragment.from_tree(tree)] >= 2


@pytest.mark.parametrize("texts", [[], ["(S (A a) (A a))"]])
def test_one_tree_alone_has_no_recurring_fragments(texts: list[str]) -> None:
    found = recurring_fragments(Treebank.from_trees(map(Tree.parse, texts)))
    assert len(found) == 0
    assert list(found.fragments()) == found.top(3) == []


def test_a_child_at_another_place_is_a_root_of_its_own() -> None:
    # S -> NP NP is common to both, and so is NP -> we, but at different children
    found = recurring_fragments(Treebank.parse("(S (NP we) (NP us)) (S (NP they) (NP we))"))
    assert [(str(f), c) for f, c in found.fragments()] == [
        ("(NP we)", 2),
        ("(S (NP ) (NP ))", 2),
    ]


def test_wide_nodes_are_compared_whole() -> None:
    text = "(S (A a) (B b) (C c) (D d) (E e))"
    found = recurring_fragments(Treebank.parse(f"{text} {text.replace('(C c)', '(C d)')}"))
    assert [(str(f), c) for f, c in found.fragments()] == [("(S (A a) (B b) (C ) (D d) (E e))", 2)]


def test_top_ranks_by_count_and_can_ask_for_larger_ones() -> None:
    found = recurring_fragments(
        Treebank.parse("(S (A a) (B (A a))) (S (A a) (B (A b))) (S (A b) (B (A a))) (C (A a))")
    )
    counts = Counter(dict(found.fragments()))
    assert [c for _, c in found.top(3)] == [c for _, c in counts.most_common(3)]
    assert str(found.top(1)[0][0]) == "(A a)"
    assert all(len(f.productions()) >= 2 for f, _ in found.top(10, productions=2))
    assert found.top(0) == []


def test_many_fragments_of_many_sizes_are_told_apart() -> None:
    # enough distinct fragments that the pool and its hash table have to grow several times
    rng = np.random.default_rng(5)

    def grown(depth: int) -> Tree:
        if depth == 0:
            return Tree("A", (str(rng.choice(list("abc"))),))
        label, width = str(rng.choice(["B", "C"])), int(rng.integers(1, 3))
        return Tree(label, tuple(grown(depth - 1) for _ in range(width)))

    made = [grown(5) for _ in range(40)]
    found = recurring_fragments(Treebank.from_trees(made))
    assert len(found) > 300
    assert dict(found.fragments()) == reference(made)


def test_the_embedded_treebank_against_the_reference() -> None:
    treebank = binarise(normalise(read_treebank("embedded")[:60]), horizontal_markov=2)
    found = recurring_fragments(treebank)
    assert dict(found.fragments()) == reference(list(treebank))


def test_workers_below_one_are_refused() -> None:
    with pytest.raises(OptionError, match="workers=0"):
        recurring_fragments(Treebank.parse("(S a)"), workers=0)


def test_the_penn_sample(nltk_treebank_text: str) -> None:
    treebank = normalise(Treebank.parse(nltk_treebank_text), STEPS)
    binary = binarise(treebank, horizontal_markov=2)
    found = recurring_fragments(binary)
    # disco-dop reports 69,988, but with all productions it has as many as we do: 81,754
    assert len(found) == 69_984
    assert np.count_nonzero(found.sizes > 1) == 63_863
    assert found.count.min() >= 2
    assert isinstance(found, FragmentCounts)
    assert recurring_fragments(binary, workers=2) == found


class Watched(Threads):
    """An engine that keeps the units that it was given."""

    units: Sequence[Unit] = ()

    def map(self, units: Iterable[Unit]) -> Iterator[Any]:
        self.units = list(units)
        return super().map(self.units)


def test_work_for_others_comes_in_units_that_may_be_lost(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bank = read_treebank("embedded")
    bank.save(tmp_path / "trees.arrow")
    nodes, kept = NodeTable.of(bank), Kept.of(tmp_path / "trees.arrow")
    whole = recurring_pieces(nodes)
    given = []
    for pairs in (1 << 40, 20_000):
        monkeypatch.setattr("induction.fragments.fragments._PAIRS_A_UNIT", pairs)
        engine = Watched(1, tmp_path)
        found = recurring_pieces(nodes, elsewhere=(kept, engine))
        for one, other in zip(whole, found, strict=True):
            np.testing.assert_array_equal(one, other)
        stops = [unit.first + unit.count for unit in engine.units]
        assert [unit.first for unit in engine.units] == [0, *stops[:-1]]
        assert stops[-1] == len(nodes.ends)
        given.append(len(engine.units))
    assert given[0] == 8
    assert given[1] > 8
