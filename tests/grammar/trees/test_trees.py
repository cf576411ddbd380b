"""Trees as values: shape, spans, text, and the way from and to NLTK."""

from __future__ import annotations

import dataclasses

import nltk
import pytest
from hypothesis import given
from hypothesis import strategies as st

from grammar.errors import BracketError
from grammar.trees.tree import Tree, escape
from tests.grammar.strategies import tokens, trees

TREE = Tree("S", (Tree("NP", ("the", Tree("NN", ("cat",)))), "sat"))


def test_leaves_are_the_words_from_left_to_right():
    assert TREE.leaves() == ("the", "cat", "sat")


def test_nodes_come_in_preorder():
    assert [node.label for node in TREE.nodes()] == ["S", "NP", "NN"]


def test_spans_count_words_from_zero_and_exclude_their_end():
    assert TREE.spans() == (("S", 0, 3), ("NP", 0, 2), ("NN", 1, 2))


def test_height_counts_nodes_and_the_word():
    assert (Tree("NN", ("cat",)).height(), TREE.height()) == (2, 4)


@given(trees())
def test_every_span_holds_the_words_of_its_node(tree):
    words = tree.leaves()
    nodes, spans = list(tree.nodes()), tree.spans()
    assert [label for label, _, _ in spans] == [node.label for node in nodes]
    assert [words[start:end] for _, start, end in spans] == [node.leaves() for node in nodes]


@given(trees())
def test_height_is_that_of_nltk(tree):
    assert tree.height() == tree.to_nltk().height()


@given(trees())
def test_text_reads_back_as_the_same_tree(tree):
    assert Tree.parse(str(tree)) == tree


@given(trees())
def test_text_may_be_wrapped_in_a_bracket_without_a_label(tree):
    assert Tree.parse(f"( {tree} )") == tree


@given(trees())
def test_nltk_gives_back_the_same_tree(tree):
    there = tree.to_nltk()
    assert there.leaves() == list(tree.leaves())
    assert Tree.from_nltk(there) == tree


@given(trees(labels=st.text("ABC$-", min_size=1), words=st.text("abc.,'", min_size=1)))
def test_text_is_what_nltk_reads(tree):
    assert nltk.Tree.fromstring(str(tree)) == tree.to_nltk()


@given(trees())
def test_equal_trees_have_equal_hashes(tree):
    twin = Tree.parse(str(tree))
    assert twin is not tree
    assert len({tree, twin}) == 1


@pytest.mark.parametrize("field", ["label", "children", "colour"])
def test_a_tree_cannot_be_changed(field):
    with pytest.raises((dataclasses.FrozenInstanceError, TypeError)):
        setattr(TREE, field, "x")


@pytest.mark.parametrize("children", [(), "dog", [], None])
def test_a_node_needs_a_tuple_of_children(children):
    with pytest.raises(BracketError, match="the children of 'NP' are"):
        Tree("NP", children)


def test_an_nltk_node_needs_children_too():
    with pytest.raises(BracketError, match="the children of 'NP' are"):
        Tree.from_nltk(nltk.Tree("S", [nltk.Tree("NP", [])]))


@pytest.mark.parametrize(
    ("text", "found"), [("", 0), (" \n", 0), ("# (S a)", 0), ("(S a) (S b)", 2)]
)
def test_parse_wants_exactly_one_tree(text, found):
    with pytest.raises(BracketError, match=f"expected one tree, found {found}"):
        Tree.parse(text)


@pytest.mark.parametrize(
    ("token", "written"),
    [("(", "-LRB-"), (")", "-RRB-"), ("f(x)", "f-LRB-x-RRB-"), ("a\u00a0b", "a\u00a0b")],
)
def test_round_brackets_are_written_the_penn_way(token, written):
    assert escape(token) == written
    assert Tree.parse(str(Tree("X", (token,)))).leaves() == (written,)


@pytest.mark.parametrize("token", ["", " ", "a b", "a\tb", "a\nb", "a\vb", "a\fb", "a\rb"])
@pytest.mark.parametrize("place", ["word", "label"])
def test_what_brackets_cannot_express_is_refused(token, place):
    tree = Tree("X", (token,)) if place == "word" else Tree(token, ("x",))
    with pytest.raises(BracketError, match="cannot be written between brackets"):
        str(tree)


@given(tokens())
def test_any_other_token_is_written_as_it_is(token):
    assert escape(token) == token


def test_a_tree_draws_itself_for_a_terminal_and_a_notebook():
    assert all(word in TREE.pretty() for word in ("S", "NP", "NN", "the", "cat", "sat"))
    assert TREE._repr_html_().startswith("<svg")
