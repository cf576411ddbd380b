"""Each step of normalisation against a plain twin on trees, and against NLTK on its sample."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from grammar.errors import OptionError
from grammar.trees.tree import Tree
from grammar.trees.treebank import Treebank
from induction.trees.normalise import (
    DEFAULT_STEPS,
    STEPS,
    add_root,
    collapse_unaries,
    drop_function_tags,
    drop_traces,
    expand_unaries,
    lower_initials,
    normalise,
)
from tests.grammar.strategies import trees

LABELS = ("S", "NP", "NP-SBJ-1", "NP=2", "TOP", "NNP", "-LRB-", "-NONE-", "=", "+")
WORDS = ("*T*-1", "The", "the", "I", "McX", "-NONE-", "co-op", "a=b", "NP", "É", "U.S.", "x+y")

treebanks = st.lists(
    trees(labels=st.sampled_from(LABELS), words=st.sampled_from(WORDS), max_leaves=12), max_size=4
)


@pytest.fixture(scope="module")
def penn(nltk_treebank_text: str) -> Treebank:
    return Treebank.parse(nltk_treebank_text)


# --- the steps, written plainly --------------------------------------------------------------


def plain_drop_traces(node: Tree | str) -> Tree | str | None:
    if isinstance(node, str):
        return node
    if node.label == "-NONE-" and len(node.children) == 1 and isinstance(node.children[0], str):
        return None
    kept = tuple(c for c in map(plain_drop_traces, node.children) if c is not None)
    return Tree(node.label, kept) if kept else None


def plain_drop_function_tags(node: Tree | str) -> Tree | str:
    if isinstance(node, str):
        return node
    label = re.split("[-=]", node.label)[0] or node.label
    return Tree(label, tuple(map(plain_drop_function_tags, node.children)))


def plain_collapse_unaries(tree: Tree) -> Tree:
    def visit(node: Tree | str) -> Tree | str:
        if isinstance(node, str):
            return node
        label = node.label
        while len(node.children) == 1 and isinstance(below := node.children[0], Tree):
            if below.children and len(below.children) == 1 and isinstance(below.children[0], str):
                break
            node = below
            label += "+" + node.label
        return Tree(label, tuple(map(visit, node.children)))

    return Tree(tree.label, tuple(map(visit, tree.children)))


def plain_lower_initials(tree: Tree) -> Tree:
    def visit(node: Tree | str, tag: str) -> tuple[Tree | str, bool]:
        if isinstance(node, str):
            plain = node[0].isupper() and node != "I" and node == node.capitalize()
            return (node.lower() if plain and not tag.startswith("NNP") else node), True
        first, _ = visit(node.children[0], node.label)
        return Tree(node.label, (first, *node.children[1:])), True

    lowered, _ = visit(tree, "")
    assert isinstance(lowered, Tree)
    return lowered


def plain_add_root(tree: Tree) -> Tree:
    return tree if tree.label == "TOP" else Tree("TOP", (tree,))


TWINS: list[tuple[Callable[[Treebank], Treebank], Callable[[Tree], Tree | None]]] = [
    (drop_traces, plain_drop_traces),  # type: ignore[list-item]
    (drop_function_tags, plain_drop_function_tags),  # type: ignore[list-item]
    (collapse_unaries, plain_collapse_unaries),
    (lower_initials, plain_lower_initials),
    (add_root, plain_add_root),
]


@pytest.mark.parametrize(("step", "twin"), TWINS, ids=[step.__name__ for step, _ in TWINS])
@given(given_trees=treebanks)
@settings(max_examples=60, deadline=None)
def test_a_step_does_what_its_plain_twin_does(step, twin, given_trees):
    expected = [tree for tree in map(twin, given_trees) if tree is not None]
    assert list(step(Treebank.from_trees(given_trees))) == expected


@given(given_trees=treebanks)
@settings(max_examples=60, deadline=None)
def test_a_step_leaves_the_treebank_that_it_was_given_as_it_is(given_trees):
    treebank = Treebank.from_trees(given_trees)
    for step in (*STEPS.values(), expand_unaries):
        step(treebank)
    assert list(treebank) == given_trees


@given(given_trees=treebanks)
@settings(max_examples=60, deadline=None)
def test_expanding_undoes_collapsing_where_no_label_has_the_joining_sign(given_trees):
    treebank = Treebank.from_trees(tree for tree in given_trees if "(+" not in str(tree))
    assert expand_unaries(collapse_unaries(treebank)) == treebank


@pytest.mark.parametrize(
    ("joined", "expanded"),
    [
        ("(S+VP (VB go))", "(S (VP (VB go)))"),
        ("(A+B+C (X x) (Y y))", "(A (B (C (X x) (Y y))))"),
        ("(T (A+B (C+D x)) (E y))", "(T (A (B (C (D x)))) (E y))"),
        ("(+ +)", "(+ +)"),
        ("(A+ (+B a+b))", "(A+ (+B a+b))"),
    ],
)
def test_expanding_splits_joined_labels_and_nothing_else(joined, expanded):
    assert str(expand_unaries(Treebank.parse(joined))[0]) == expanded


@given(given_trees=treebanks, label=st.sampled_from(["TOP", "S", "NEW"]))
@settings(max_examples=40, deadline=None)
def test_adding_a_root_twice_is_adding_it_once(given_trees, label):
    once = add_root(Treebank.from_trees(given_trees), label)
    assert add_root(once, label) == once
    assert all(tree.label == label for tree in once)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("(S (DT The) (NN Dog))", "(S (DT the) (NN Dog))"),
        ("(S (NNP Rex) (VBD ran))", "(S (NNP Rex) (VBD ran))"),
        ("(S (NNPS Giants) (VBD ran))", "(S (NNPS Giants) (VBD ran))"),
        ("(S (PRP I) (VBP am))", "(S (PRP I) (VBP am))"),
        ("(S (NN TV) (VBZ is))", "(S (NN TV) (VBZ is))"),
        ("(S (NN McJob))", "(S (NN McJob))"),
        ("(S (DT A) (NN dog))", "(S (DT a) (NN dog))"),
        ("(S (CD 3rd) (NN Dog))", "(S (CD 3rd) (NN Dog))"),
        ("(S (NP (NN Été)))", "(S (NP (NN été)))"),
    ],
)
def test_only_a_capital_that_the_place_explains_is_lowered(before, after):
    assert str(lower_initials(Treebank.parse(before))[0]) == after


def test_every_sentence_of_a_treebank_loses_its_own_initial():
    treebank = Treebank.parse("(S (DT The) (NN End)) (S (NNP Rex)) (S (RB Now) (UH Go))")
    assert lower_initials(treebank).sentences() == [("the", "End"), ("Rex",), ("now", "Go")]


def test_a_tree_that_is_all_trace_disappears_and_the_others_stay():
    treebank = Treebank.parse("(S (A a)) (S (NP (-NONE- *)) (VP (-NONE- *))) (S (B b))")
    assert [str(tree) for tree in drop_traces(treebank)] == ["(S (A a))", "(S (B b))"]


@pytest.mark.parametrize("step", [*STEPS.values(), expand_unaries])
def test_a_step_maps_the_empty_treebank_to_itself(step):
    assert len(step(Treebank.parse(""))) == 0


def test_steps_are_applied_in_the_order_given():
    treebank = Treebank.parse("(S-X (VP (VB go) (RB on)))")
    assert str(normalise(treebank, ["root", "unaries"])[0]) == "(TOP (S-X+VP (VB go) (RB on)))"
    assert str(normalise(treebank, ["unaries", "root"])[0]) == "(TOP (S-X (VP (VB go) (RB on))))"
    assert normalise(treebank, []) == treebank


def test_an_unknown_step_is_named_with_those_there_are():
    with pytest.raises(OptionError, match="unknown step 'trace'") as caught:
        normalise(Treebank.parse("(S a)"), ["trace"])
    assert all(step in str(caught.value) for step in STEPS)


# --- NLTK's Penn Treebank sample -------------------------------------------------------------


def test_the_sample_keeps_94084_of_its_100676_words_without_traces(penn):
    assert penn.word_count == 100_676
    assert drop_traces(penn).word_count == 94_084
    assert len(drop_traces(penn)) == 3_914


def test_no_function_tag_is_left_in_the_sample(penn):
    bare = drop_function_tags(penn)
    labels = {bare.symbols[i] for i in bare.label[~bare.is_word].tolist()}
    assert {label for label in labels if re.search("[-=]", label)} == {"-LRB-", "-RRB-", "-NONE-"}
    assert bare.sentences() == penn.sentences()


def test_unaries_of_the_sample_collapse_as_nltk_collapses_them(penn):
    treebank = normalise(penn[:1500], DEFAULT_STEPS)
    expected = []
    for tree in treebank:
        converted = tree.to_nltk()
        converted.collapse_unary(collapsePOS=False, collapseRoot=False, joinChar="+")
        expected.append(Tree.from_nltk(converted))
    collapsed = collapse_unaries(treebank)
    assert collapsed == Treebank.from_trees(expected)
    assert expand_unaries(collapsed) == treebank
