"""Binarisation against NLTK's, against a plain twin, and against its own inverse."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from grammar.errors import OptionError
from grammar.trees.tree import Tree
from grammar.trees.treebank import Treebank
from induction.trees.binarise import binarise, unbinarise
from induction.trees.heads import head_children
from induction.trees.normalise import normalise
from tests.grammar.strategies import trees

MEMORIES = (None, 0, 1, 2, 3)
labels = st.sampled_from(["S", "NP", "VP", "PP", "CC", "NN", "X-Y", "a"])
words = st.sampled_from(["a", "b", "NP", "x|<y", "x^<y"])
options = st.fixed_dictionaries(
    {
        "direction": st.sampled_from(["left", "right", "head"]),
        "horizontal_markov": st.sampled_from(MEMORIES),
        "vertical_markov": st.integers(1, 4),
    }
)


def with_preterminals(tree: Tree) -> Tree:
    """Put every word under a label of its own, as NLTK's transforms take for granted."""
    if len(tree.children) == 1 and isinstance(tree.children[0], str):
        return tree
    children = (
        Tree("T", (c,)) if isinstance(c, str) else with_preterminals(c) for c in tree.children
    )
    return Tree(tree.label, tuple(children))


def by_nltk(tree: Tree, direction: str, horizontal: int | None, vertical: int) -> Tree:
    converted = tree.to_nltk()
    converted.chomsky_normal_form(direction, horzMarkov=horizontal, vertMarkov=vertical - 1)
    return Tree.from_nltk(converted)


def plainly(
    tree: Tree, *, direction: str, horizontal_markov: int | None, vertical_markov: int
) -> Tree:
    """Binarise by the definition: a slow twin of the kernel."""
    heads = iter(head_children(Treebank.from_trees([tree])).tolist())

    def visit(node: Tree | str, above: tuple[str, ...]) -> Tree | str:
        head = next(heads)
        if isinstance(node, str):
            return node
        names = [c if isinstance(c, str) else c.label for c in node.children]
        seen = above[: vertical_markov - 1]
        is_preterminal = len(names) == 1 and isinstance(node.children[0], str)
        parents = f"^<{'-'.join(seen)}>" if seen else ""
        children = [visit(child, (node.label, *above)) for child in node.children]
        if direction != "head":
            head = len(names) if direction == "right" else 0

        def rest(first: int, end: int, label: str) -> Tree:
            if end - first <= 2:
                return Tree(label, tuple(children[first:end]))
            split_left = first < head
            below = (first + 1, end) if split_left else (first, end - 1)
            known = names[slice(*below)]
            memory = len(known) if horizontal_markov is None else horizontal_markov
            shown = known[:memory] if below[0] < head else known[max(len(known) - memory, 0) :]
            marked = [names[head], *shown] if direction == "head" else shown
            lower = rest(*below, f"{node.label}|<{'-'.join(marked)}>{parents}")
            pair = (children[first], lower) if split_left else (lower, children[end - 1])
            return Tree(label, pair)

        return rest(0, len(names), node.label if is_preterminal else node.label + parents)

    result = visit(tree, ())
    assert isinstance(result, Tree)
    return result


@pytest.fixture(scope="module")
def real(nltk_treebank_text: str) -> Treebank:
    return normalise(Treebank.parse(nltk_treebank_text)[:300])


@pytest.mark.parametrize("direction", ["left", "right"])
@pytest.mark.parametrize(
    ("horizontal", "vertical"), [(None, 1), (0, 1), (1, 2), (2, 1), (2, 3), (None, 2), (3, 4)]
)
def test_real_trees_are_binarised_as_nltk_does_it(real, direction, horizontal, vertical):
    ours = binarise(
        real, direction=direction, horizontal_markov=horizontal, vertical_markov=vertical
    )
    expected = [by_nltk(tree, direction, horizontal, vertical) for tree in real]
    assert list(ours) == expected


@given(
    tree=trees(labels=labels, words=words).map(with_preterminals),
    direction=st.sampled_from(["left", "right"]),
    horizontal=st.sampled_from(MEMORIES),
    vertical=st.integers(1, 4),
)
@settings(max_examples=150, deadline=None)
def test_any_tree_is_binarised_as_nltk_does_it(tree, direction, horizontal, vertical):
    ours = binarise(
        Treebank.from_trees([tree]),
        direction=direction,
        horizontal_markov=horizontal,
        vertical_markov=vertical,
    )
    assert ours[0] == by_nltk(tree, direction, horizontal, vertical)


@given(given_trees=st.lists(trees(labels=labels, words=words), max_size=3), how=options)
@settings(max_examples=200, deadline=None)
def test_binarising_follows_the_definition_in_every_direction(given_trees, how):
    binarised = binarise(Treebank.from_trees(given_trees), **how)
    assert list(binarised) == [plainly(tree, **how) for tree in given_trees]


@given(given_trees=st.lists(trees(labels=labels, words=words), max_size=3), how=options)
@settings(max_examples=200, deadline=None)
def test_unbinarise_is_the_inverse(given_trees, how):
    treebank = Treebank.from_trees(given_trees)
    assert unbinarise(binarise(treebank, **how)) == treebank
    assert list(treebank) == given_trees


@pytest.mark.parametrize("direction", ["left", "right", "head"])
@pytest.mark.parametrize("horizontal", [None, 0, 2])
def test_real_trees_come_back_and_have_two_children_at_most(real, direction, horizontal):
    binarised = binarise(real, direction=direction, horizontal_markov=horizontal, vertical_markov=2)
    children = [len(node.children) for tree in binarised for node in tree.nodes()]
    assert max(children) == 2
    assert binarised.sentences() == real.sentences()
    assert unbinarise(binarised) == real


def opened(node: Tree, at: int = 0) -> tuple[list[Tree | str], list[tuple[int, int]]]:
    """Return the children below intermediate nodes, and which of them each such node covers."""
    children: list[Tree | str] = []
    covered: list[tuple[int, int]] = []
    for child in node.children:
        if isinstance(child, Tree) and "|<" in child.label:
            below, inner = opened(child, at + len(children))
            covered += [(at + len(children), at + len(children) + len(below)), *inner]
            children += below
        else:
            children.append(child)
    return children, covered


def test_every_intermediate_node_of_the_head_direction_covers_the_head(real):
    covered_by_intermediates = 0
    heads = iter(head_children(real).tolist())

    def check(node: Tree | str) -> None:
        nonlocal covered_by_intermediates
        head = next(heads)
        if isinstance(node, Tree):
            children, covered = opened(node)
            assert all(first <= head < end for first, end in covered)
            covered_by_intermediates += len(covered)
            for child in children:
                check(child)

    for tree in binarise(real, direction="head", horizontal_markov=0):
        check(tree)
    assert next(heads, None) is None
    assert covered_by_intermediates > 1000


def test_the_head_direction_splits_off_what_is_before_the_head_first():
    treebank = Treebank.parse("(VP (ADVP (RB now)) (VB give) (NP (PRP us)) (NP (NN tea)))")
    assert str(binarise(treebank, direction="head", horizontal_markov=1)[0]) == (
        "(VP (ADVP (RB now)) (VP|<VB-NP> (VP|<VB-NP> (VB give) (NP (PRP us))) (NP (NN tea))))"
    )


def test_words_beside_constituents_are_children_like_others():
    treebank = Treebank.parse("(X a (Y b) c d)")
    assert str(binarise(treebank)[0]) == "(X a (X|<Y-c-d> (Y b) (X|<c-d> c d)))"


def test_a_long_rule_is_split_to_the_end():
    wide = Tree("W", tuple(Tree(f"T{i}", (f"w{i}",)) for i in range(500)))
    for direction in ("left", "right", "head"):
        binarised = binarise(Treebank.from_trees([wide]), direction=direction, horizontal_markov=2)
        assert binarised.sentences() == [wide.leaves()]
        assert len(binarised.label) == 2 * 500 + 499
        assert list(unbinarise(binarised)) == [wide]


@pytest.mark.parametrize("direction", ["left", "right", "head"])
def test_the_empty_treebank_stays_empty(direction):
    assert len(unbinarise(binarise(Treebank.parse(""), direction=direction))) == 0


@pytest.mark.parametrize(
    ("bad", "message"),
    [
        ({"direction": "up"}, "unknown direction 'up'"),
        ({"direction": None}, "unknown direction None"),
        ({"horizontal_markov": -1}, "horizontal_markov=-1"),
        ({"vertical_markov": 0}, "vertical_markov=0"),
    ],
)
def test_a_bad_option_is_refused_with_a_hint(bad, message):
    with pytest.raises(OptionError, match=message) as caught:
        binarise(Treebank.parse("(S a)"), **bad)
    assert caught.value.hint
