"""Trees deeper than Python lets a function call itself: all that is done with trees works."""

from __future__ import annotations

import copy
import pickle
import sys
import xml.etree.ElementTree as ET

import pytest
from hypothesis import given

from grammar.chart.parses import CoarseTree
from grammar.opening import open_grammar
from grammar.trees.draw import draw_trees
from grammar.trees.folding import fold
from grammar.trees.fragment import Fragment, shown_tree
from grammar.trees.tree import Tree
from grammar.trees.treebank import Treebank
from induction.counts.pcfg import induce_pcfg
from induction.fragments.dop import induce_double_dop, without_addresses
from tests.grammar.strategies import trees

DEPTH = 3 * sys.getrecursionlimit()
SHAPES = {
    "a chain": "(A " * DEPTH + "w" + ")" * DEPTH,
    "to the right": "(S (D the) " * DEPTH + "(N end)" + ")" * DEPTH,
    "to the left": "(S " * DEPTH + "(N end)" + " (D the))" * DEPTH,
}


@pytest.fixture(params=SHAPES)
def text(request) -> str:
    return SHAPES[request.param]


def test_a_tree_is_read_written_and_compared(text):
    tree = Tree.parse(text)
    assert str(tree) == text
    assert (tree, hash(tree)) == (Tree.parse(text), hash(Tree.parse(text)))
    assert tree != Tree.parse(text.replace("end", "other").replace("w", "v"))
    assert tree.height() == DEPTH + ("(N" in text) + 1
    words = len(tree.leaves())
    assert tree.spans()[0] == (tree.label, 0, words)
    assert tree.spans() == tuple(reference_spans(tree))
    assert repr(tree).count("Tree(") == sum(1 for _ in tree.nodes())
    assert tree.pretty() == text


def reference_spans(tree: Tree) -> list[tuple[str, int, int]]:
    """Find spans by counting the words of each node."""
    spans, starts = [], {}
    word = 0
    stack = [tree]
    order = []
    while stack:
        node = stack.pop()
        if isinstance(node, str):
            word += 1
            continue
        starts[id(node)] = word
        order.append(node)
        stack.extend(reversed(node.children))
    sizes = {}
    for node in reversed(order):
        sizes[id(node)] = sum(1 if isinstance(c, str) else sizes[id(c)] for c in node.children)
    for node in order:
        spans.append((node.label, starts[id(node)], starts[id(node)] + sizes[id(node)]))
    return spans


def test_a_tree_goes_through_nltk(text):
    tree = Tree.parse(text)
    assert Tree.from_nltk(tree.to_nltk()) == tree
    assert pickle.loads(pickle.dumps(tree)) == tree


def test_trees_are_columns_and_come_back(text):
    tree = Tree.parse(text)
    treebank = Treebank.from_trees([tree, Tree.parse("(A b)")])
    assert treebank[0] == tree
    assert treebank.brackets()[0].as_py() == text


def test_a_tree_is_pickled_and_copied(text):
    tree = Tree.parse(text)
    again = pickle.loads(pickle.dumps(tree))
    assert again == tree
    assert str(again) == text
    assert copy.deepcopy([tree])[0] == tree
    assert copy.copy(tree) == tree


def test_what_else_a_tree_has_is_pickled():
    tree = CoarseTree("S", (Tree("A", ("a", "b")), "c"), reason="too long")
    again = pickle.loads(pickle.dumps(tree))
    assert (type(again), again, again.reason) == (CoarseTree, tree, "too long")


def test_a_tree_is_drawn(text, tmp_path):
    draw_trees([Tree.parse(text)], tmp_path / "a.svg")
    parser = ET.XMLPullParser(["start"])
    parser.feed((tmp_path / "a.svg").read_text("utf-8"))
    assert sum(1 for _ in parser.read_events()) > DEPTH


def test_fragments_of_any_depth(text):
    whole = Fragment.from_tree(Tree.parse(text))
    assert (str(whole), whole, hash(whole)) == (text, Fragment.parse(text), hash(whole))
    assert whole.depth == Tree.parse(text).height() - 1
    assert whole.nodes == sum(1 for _ in Tree.parse(text).nodes())
    assert repr(whole).count("Fragment(") == whole.nodes
    open_text = text.replace("(N end)", "(N )").replace("w", "(B )")
    fragment = Fragment.parse(open_text)
    [site] = fragment.sites
    assert (str(fragment), site.name in ("N", "B")) == (open_text, True)
    filled = fragment.substitute([Tree(site.name, ("end",))])
    assert str(filled) == open_text.replace(f"({site.name} )", f"({site.name} end)")
    assert str(shown_tree(fragment)).count("↓") == 1
    assert str(without_addresses(filled)) == str(filled)
    renewed = fragment.with_frontier(["x" for _ in fragment.frontier])
    assert set(renewed.frontier) == {"x"}


@pytest.mark.parametrize("induce", [induce_pcfg, induce_double_dop])
def test_grammars_of_deep_trees(text, induce, tmp_path):
    grammar = induce(Treebank.parse(f"{text}\n(A (A b))"))
    grammar.save(tmp_path / "g.json")
    opened = open_grammar(tmp_path / "g.json")
    assert [opened.rule_text(k) for k in range(len(opened))] == [
        grammar.rule_text(k) for k in range(len(grammar))
    ]
    assert "\n".join(f"{k} {v}" for k, v in opened.describe().lines().items())


@given(trees())
def test_small_trees_are_what_they_were(tree):
    """As functions that call themselves have them."""

    def written(node) -> str:
        inner = " ".join(c if isinstance(c, str) else written(c) for c in node.children)
        return f"({node.label} {inner})"

    def height(node) -> int:
        return 1 + max(height(c) if isinstance(c, Tree) else 1 for c in node.children)

    if not any("(" in word or ")" in word for word in (*tree.leaves(), *labels(tree))):
        assert str(tree) == written(tree)
    assert height(tree) == tree.height()
    assert eval(repr(tree), {"Tree": Tree}) == tree
    assert tree.spans() == tuple(reference_spans(tree))
    assert Treebank.from_trees([tree])[0] == tree
    assert Tree.from_nltk(tree.to_nltk()) == tree
    assert pickle.loads(pickle.dumps(tree)) == tree


def labels(tree: Tree) -> list[str]:
    return [node.label for node in tree.nodes()]


def test_fold_meets_children_first_and_from_left_to_right():
    met = []

    def value(node, values):
        met.append(node)
        return [node, *values]

    children = {"s": "ab", "b": "cd"}
    assert fold("s", lambda node: children.get(node, ""), value) == [
        "s", ["a"], ["b", ["c"], ["d"]]
    ]  # fmt: skip
    assert met == list("acdbs")
