"""Fragments: brackets and back, frontier, substitution."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grammar.errors import BracketError, OptionError
from grammar.rules.rules import Nonterminal
from grammar.trees.fragment import Fragment
from grammar.trees.tree import Tree
from tests.grammar.strategies import tokens, trees

SAW = Fragment.parse("(S (NP ) (VP (VBD saw) (NP )))")


@st.composite
def cut_trees(draw: st.DrawFn) -> tuple[Tree, Fragment, list[Tree]]:
    """A tree, a fragment at its root, and the trees below the sites, left to right."""
    below: list[Tree] = []

    def cut(tree: Tree) -> Fragment:
        children: list[Fragment | Nonterminal | str] = []
        for child in tree.children:
            if isinstance(child, str):
                children.append(child)
            elif draw(st.booleans()):
                below.append(child)
                children.append(Nonterminal(child.label))
            else:
                children.append(cut(child))
        return Fragment(tree.label, tuple(children))

    tree = draw(trees())
    fragment = cut(tree)
    return tree, fragment, below


@given(cut_trees())
def test_brackets_and_back(made: tuple[Tree, Fragment, list[Tree]]) -> None:
    assert Fragment.parse(str(made[1])) == made[1]


@given(cut_trees())
def test_substitution_undoes_the_cut(made: tuple[Tree, Fragment, list[Tree]]) -> None:
    tree, fragment, below = made
    assert fragment.substitute(below) == tree
    assert [site.name for site in fragment.sites] == [t.label for t in below]


@given(cut_trees())
def test_productions_are_those_of_the_tree_above_the_cut(
    made: tuple[Tree, Fragment, list[Tree]],
) -> None:
    tree, fragment, below = made
    of_tree = Fragment.from_tree(tree).productions()
    cut_away = [p for t in below for p in Fragment.from_tree(t).productions()]
    assert sorted(map(repr, [*fragment.productions(), *cut_away])) == sorted(map(repr, of_tree))
    assert fragment.productions()[0].lhs == fragment.root


@given(trees())
def test_a_whole_tree_is_a_fragment_without_sites(tree: Tree) -> None:
    fragment = Fragment.from_tree(tree)
    assert fragment.frontier == tree.leaves()
    assert fragment.nodes == len(list(tree.nodes()))
    assert fragment.depth == tree.height() - 1
    assert fragment.substitute([]) == tree


@given(cut_trees(), st.lists(tokens(), min_size=50, max_size=50))
def test_the_frontier_can_be_exchanged(
    made: tuple[Tree, Fragment, list[Tree]], names: list[str]
) -> None:
    fragment = made[1]
    frontier = tuple(names[: len(fragment.frontier)])
    changed = fragment.with_frontier(frontier)
    assert changed.frontier == frontier[: len(changed.frontier)]
    assert changed.with_frontier(fragment.frontier) == fragment


def test_what_a_fragment_says_of_itself() -> None:
    assert SAW.frontier == (Nonterminal("NP"), "saw", Nonterminal("NP"))
    assert (SAW.depth, SAW.nodes, str(SAW.root)) == (3, 5, "S")
    assert [str(p) for p in SAW.productions()] == [
        "S -> NP VP [1.0]",
        "VP -> VBD NP [1.0]",
        "VBD -> 'saw' [1.0]",
    ]


def test_a_site_may_be_written_without_a_space() -> None:
    assert Fragment.parse("(S (NP) (VP\n(VBD saw) (NP)))") == SAW


def test_a_word_and_a_site_of_one_name_differ() -> None:
    assert Fragment.parse("(S (NP ))") != Fragment.parse("(S NP)")


def test_round_brackets_are_escaped_as_in_trees() -> None:
    assert str(Fragment("X", ("(", Nonterminal("Y")))) == "(X -LRB- (Y ))"


def test_the_picture_shows_sites_with_an_arrow() -> None:
    assert "NP↓" in SAW._repr_svg_()


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("(S (NP )", "1 brackets are not closed"),
        ("(S (NP )))", "stands outside"),
        ("(S a) b", "stands outside"),
        ("(S a) (S a)", "stands outside"),
        ("S", "stands outside"),
        ("", "no fragment"),
        ("( (S a))", "no label"),
        ("(S ())", "no label"),
        ("(NP )", "root has no children"),
    ],
)
def test_malformed_brackets_are_one_clear_error(text: str, what: str) -> None:
    with pytest.raises(BracketError, match=what):
        Fragment.parse(text)


def test_a_fragment_without_children_is_refused() -> None:
    with pytest.raises(BracketError, match="children of 'NP'"):
        Fragment("NP", ())


def test_trees_that_do_not_fit_the_sites_are_refused() -> None:
    tree = Tree("NP", ("we",))
    for children in ([tree], [tree, tree, tree], [tree, Tree("PP", ("here",))]):
        with pytest.raises(OptionError, match="do not fit the sites"):
            SAW.substitute(children)
