"""Rule counts: what NLTK's productions give, and the same value however the corpus is parted."""

from __future__ import annotations

import functools
import itertools
import operator
from collections import Counter

import nltk
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from grammar.rules.rules import Nonterminal
from grammar.trees.tree import Tree
from grammar.trees.treebank import Treebank
from induction.counts.counts import RuleCounts, count_rules
from induction.trees.normalise import normalise
from tests.grammar.strategies import trees

labels = st.sampled_from(["S", "NP", "VP", "a", "é", "NP-SBJ"])
words = st.sampled_from(["a", "b", "NP", "é", "S"])
small_trees = trees(labels=labels, words=words)
Rule = tuple[str, tuple[tuple[bool, str], ...]]


def as_counter(counts: RuleCounts) -> Counter[Rule]:
    pairs = zip(counts.rules, counts.count.tolist(), strict=True)
    return Counter({(lhs.name, tuple(map(marked, rhs))): count for (lhs, rhs), count in pairs})


def marked(child: object) -> tuple[bool, str]:
    """Return whether a child of one of our rules is a symbol, and its name."""
    return isinstance(child, Nonterminal), str(child)


def nltk_productions(given_trees: list[Tree]) -> Counter[Rule]:
    return Counter(
        (p.lhs().symbol(), tuple((isinstance(c, nltk.Nonterminal), str(c)) for c in p.rhs()))
        for tree in given_trees
        for p in tree.to_nltk().productions()
    )


@given(given_trees=st.lists(small_trees, max_size=5))
@settings(max_examples=200, deadline=None)
def test_counts_are_those_of_nltk_productions(given_trees):
    counts = count_rules(Treebank.from_trees(given_trees))
    assert as_counter(counts) == nltk_productions(given_trees)
    assert dict(counts.roots) == Counter(tree.label for tree in given_trees)
    assert len(counts) == len(counts.count)


@given(given_trees=st.lists(trees(), max_size=4))
@settings(max_examples=60, deadline=None)
def test_strange_names_are_counted_like_others(given_trees):
    counts = count_rules(Treebank.from_trees(given_trees))
    assert as_counter(counts) == nltk_productions(given_trees)


def test_counts_of_real_trees_are_those_of_nltk_productions(nltk_treebank_text):
    treebank = normalise(Treebank.parse(nltk_treebank_text)[:1000])
    assert as_counter(count_rules(treebank)) == nltk_productions(list(treebank))


@given(data=st.data(), given_trees=st.lists(small_trees, max_size=6))
@settings(max_examples=150, deadline=None)
def test_any_partition_in_any_order_gives_an_equal_value(data, given_trees):
    shuffled = data.draw(st.permutations(given_trees))
    cuts = sorted(data.draw(st.lists(st.integers(0, len(shuffled)), max_size=4)))
    bounds = [0, *cuts, len(shuffled)]
    parts = [count_rules(Treebank.from_trees(shuffled[a:b])) for a, b in itertools.pairwise(bounds)]
    whole = count_rules(Treebank.from_trees(given_trees))
    assert functools.reduce(operator.add, parts) == whole
    assert functools.reduce(operator.add, reversed(parts)) == whole
    # and whichever way the sum is bracketed
    assert functools.reduce(lambda total, part: part + total, parts) == whole


def test_the_parts_of_a_real_treebank_add_up(nltk_treebank_text):
    treebank = normalise(Treebank.parse(nltk_treebank_text)[:900])
    thirds = [count_rules(treebank[i::3]) for i in range(3)]
    assert thirds[2] + thirds[0] + thirds[1] == count_rules(treebank)


def test_adding_leaves_both_summands_as_they_are():
    first = count_rules(Treebank.parse("(S a)"))
    second = count_rules(Treebank.parse("(S b)"))
    before = as_counter(first), as_counter(second), dict(first.roots), dict(second.roots)
    total = first + second
    assert total.roots == {"S": 2}
    assert before == (as_counter(first), as_counter(second), first.roots, second.roots)


def test_words_and_labels_of_equal_names_stay_apart():
    counts = count_rules(Treebank.parse("(NP NP) (NP (NP NP)) (NP NP (NP NP))"))
    word, label = (False, "NP"), (True, "NP")
    assert as_counter(counts) == {
        ("NP", (word,)): 3,
        ("NP", (label,)): 1,
        ("NP", (word, label)): 1,
    }


def test_a_rule_that_begins_another_is_not_the_other():
    counts = count_rules(Treebank.parse("(A a) (A a b) (A a b c) (A b) (A a b)"))
    assert sorted(as_counter(counts).values()) == [1, 1, 1, 2]


@pytest.mark.parametrize("other", ["(S a)", "(S b)", "(T a)", "(S a) (S a)"])
def test_counts_differ_where_rules_roots_or_numbers_differ(other):
    counts = count_rules(Treebank.parse("(S a) (S b)"))
    assert counts != count_rules(Treebank.parse(other))
    assert counts != "counts"


def test_the_root_is_part_of_the_value():
    # the same rules, equally often, under other roots
    first = count_rules(Treebank.parse("(A (B b)) (B (A a))"))
    second = count_rules(Treebank.parse("(A (B b)) (A a) (B (A a))"))
    assert dict(first.roots) == {"A": 1, "B": 1}
    assert dict(second.roots) == {"A": 2, "B": 1}
    assert first != second


def test_the_empty_treebank_has_no_counts_and_adds_nothing():
    nothing = count_rules(Treebank.parse(""))
    something = count_rules(Treebank.parse("(S (A a))"))
    assert len(nothing) == 0
    assert dict(nothing.roots) == {}
    assert nothing + nothing == nothing
    assert something + nothing == nothing + something == something


def test_more_rules_than_the_first_tables_hold_are_all_counted():
    wide = [Tree(f"L{i}", (f"w{i}", f"v{i % 7}")) for i in range(5000)]
    counts = count_rules(Treebank.from_trees([*wide, *wide[:10]]))
    assert len(counts) == 5000
    assert Counter(counts.count.tolist()) == {1: 4990, 2: 10}
