"""Skeletons and forests, against enumeration of all derivations."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from grammar.chart.parser import Parser
from grammar.chart.parses import NoParse
from grammar.errors import ChartGrammarError, WeightError
from grammar.forest.forest import (
    LEAF,
    Forest,
    best_edges,
    has_tree,
    leaves_of,
    prune,
    tree_of_edges,
)
from grammar.forest.skeleton import Skeleton
from grammar.pcfg.grammar import Grammar
from grammar.rules.rules import Nonterminal, Production
from grammar.trees.treebank import Treebank
from tests.grammar.strategies import skeletons

WHOLE = 1e-300
"""A threshold that keeps all that has a derivation."""


def trees_of(forest: Forest) -> list[tuple[int, ...]]:
    """Return every derivation as its edges in preorder."""

    def below(node: int) -> list[tuple[int, ...]]:
        found = []
        for edge in range(forest.starts[node], forest.starts[node + 1]):
            children = [c for c in (forest.left[edge], forest.right[edge]) if c >= 0]
            for parts in itertools.product(*map(below, children)):
                found.append((edge, *itertools.chain(*parts)))
        return found

    return below(int(forest.roots[0]))


def uniform(skeleton: Skeleton, length: int) -> np.ndarray:
    return np.ones((length, len(skeleton.tags)))


def log_weights(skeleton: Skeleton, forest: Forest) -> np.ndarray:
    weight = np.append(skeleton.grammar.weight, 1.0)
    return np.log(weight[forest.rule])  # the rule of a leaf is -1


@given(skeletons(), st.integers(1, 5))
def test_a_forest_without_threshold_has_all_derivations(skeleton, length):
    # over every word any tag is possible, so words of a grammar with all tags are like it
    grammar = open_words(skeleton)
    forest = skeleton.forest(uniform(skeleton, length), WHOLE)
    count = Parser(grammar).count(["w"] * length)
    assert (forest is None) == (count == 0)
    if forest is not None:
        derivations = trees_of(forest)
        assert len(derivations) == count == len(set(derivations))


@given(skeletons(), st.integers(1, 5))
def test_the_best_edges_are_the_viterbi_tree(skeleton, length):
    forest = skeleton.forest(uniform(skeleton, length), WHOLE)
    if forest is None:
        return
    edges, score = best_edges(forest, log_weights(skeleton, forest))
    scores = [log_weights(skeleton, forest)[list(d)].sum() for d in trees_of(forest)]
    assert math.isclose(score, max(scores), abs_tol=1e-9)
    tree = tree_of_edges(forest, edges, skeleton.grammar.rules.nonterminals, ["w"] * length)
    assert tree.leaves() == ("w",) * length
    assert tree.label == skeleton.grammar.start


@given(skeletons(), st.integers(1, 5), st.data())
def test_pruning_keeps_what_is_probable_and_always_a_tree(skeleton, length, data):
    forest = skeleton.forest(uniform(skeleton, length), WHOLE)
    if forest is None:
        return
    shares = st.lists(st.sampled_from([0.0, 0.1, 0.5, 1.0]), min_size=len(forest.rule))
    posterior = np.array(data.draw(shares))[: len(forest.rule)]
    left = prune(forest, posterior, 0.3)
    assert trees_of(left)
    if (posterior >= 0.3).all():
        assert len(trees_of(left)) == len(trees_of(forest))
    # bottom-up: children stand before their parents
    owner = np.repeat(np.arange(len(left.label)), np.diff(left.starts))
    assert (left.left < owner).all()
    assert (left.right < owner).all()


def test_a_threshold_drops_improbable_nodes():
    grammar = Grammar.parse("S -> A A [0.999999] | B B [0.000001]\nA -> 'A' [1]\nB -> 'B' [1]")
    skeleton = Skeleton(grammar)
    assert len(trees_of(skeleton.forest(np.ones((2, 2)), WHOLE))) == 2
    assert len(trees_of(skeleton.forest(np.ones((2, 2)), 1e-3))) == 1


def test_words_forbid_tags():
    skeleton = Skeleton(Grammar.parse("S -> A A [1/2] | B B [1/2]\nA -> 'A' [1]\nB -> 'B' [1]"))
    assert skeleton.forest(np.array([[1.0, 0.0], [0.0, 1.0]]), WHOLE) is None
    forest = skeleton.forest(np.array([[1.0, 0.5], [0.0, 1.0]]), WHOLE)
    assert [skeleton.grammar.rules.nonterminals[i] for i in forest.label] == ["B", "B", "S"]


def test_unary_rules_in_a_circle_make_no_skeleton():
    with pytest.raises(ChartGrammarError, match="circle") as caught:
        Skeleton(Grammar.parse("S -> A [1/2] | 'S' [1/2]\nA -> S [1/2] | 'A' [1/2]"))
    assert "unaries" in str(caught.value)


def test_trees_are_a_forest_with_one_edge_a_node():
    skeleton = Skeleton(Grammar.parse("S -> N V [1/2] | N [1/2]\nN -> 'N' [1]\nV -> 'V' [1]"))
    treebank = Treebank.parse("(S (N we) (V swim)) (S (N they))")
    forest, word = skeleton.forest_of_trees(treebank)
    assert np.diff(forest.starts).tolist() == [1] * 5
    assert leaves_of(forest).tolist() == [True, False, True, True, False]
    assert [treebank.symbols[i] for i in word[word >= 0]] == ["they", "swim", "we"]
    assert forest.rule[leaves_of(forest)].tolist() == [LEAF] * 3
    assert len(forest.roots) == 2


def test_trees_with_other_rules_are_refused():
    skeleton = Skeleton(Grammar.parse("S -> N V [1]\nN -> 'N' [1]\nV -> 'V' [1]"))
    with pytest.raises(ChartGrammarError, match="a rule of S"):
        skeleton.forest_of_trees(Treebank.parse("(S (V swim) (N we))"))


def open_words(skeleton: Skeleton) -> Grammar:
    """Return the skeleton with the word w under every tag; the weights are not proper any more."""
    productions = []
    for lhs, rhs in skeleton.grammar.rules:
        words = any(isinstance(child, str) for child in rhs)
        productions.append(Production(lhs, ("w",) if words else rhs, 1.0))
    made = Grammar.from_productions(productions, start=skeleton.grammar.start, normalise=True)
    assert Nonterminal(made.start)
    return made


EXPLODING = "\n".join(
    [f"S -> X{i} [1/40]" for i in range(40)]
    + [f"X{i} -> X{j} X{(i + j) % 40} [1/80]" for i in range(40) for j in range(40)]
    + [f"X{i} -> T [1/2]" for i in range(40)]
    + ["T -> 'T' [1]"]
)
"""So many derivations share a sentence that none of their nodes is probable."""


def test_a_forest_of_many_derivations_keeps_one():
    skeleton = Skeleton(Grammar.parse(EXPLODING))
    forest = skeleton.forest(np.ones((8, 1)), 0.5)
    assert has_tree(forest)
    edges, _ = best_edges(forest, np.zeros(len(forest.rule)))
    assert np.count_nonzero(forest.rule[edges] == LEAF) == 8


def test_a_grammar_built_to_explode_stops_at_its_limit():
    skeleton = Skeleton(Grammar.parse(EXPLODING))
    assert skeleton.chart(np.ones((12, 1)), step_limit=1000) is None
    assert skeleton.chart(np.ones((12, 1)), step_limit=10**9).has_derivation
    parser = Parser(Grammar.parse(EXPLODING), step_limit=1000)
    found = parser.viterbi(["T"] * 12)
    assert isinstance(found, NoParse)
    assert "more than 1,000 steps" in found.reason


def test_thinning_by_nothing_leaves_all_and_no_tree_is_an_error():
    skeleton = Skeleton(Grammar.parse(EXPLODING))
    forest = skeleton.forest(np.ones((3, 1)), 1e-9)
    assert prune(forest, np.zeros(len(forest.rule)), 1e-3) is forest
    with pytest.raises(WeightError, match="no tree of the forest has a score"):
        best_edges(forest, np.full(len(forest.rule), -np.inf))


@given(skeletons(), st.integers(1, 5), st.sampled_from([1e-4, 0.05, 0.3]))
def test_with_a_beam_that_drops_nothing_the_forest_is_the_same(skeleton, length, threshold):
    emission = np.random.default_rng(length).uniform(0.1, 1, (length, len(skeleton.tags)))
    exact, quick = skeleton.chart(emission), skeleton.chart(emission, beam=1e-300)
    assert exact.has_derivation == quick.has_derivation
    there = np.isfinite(exact.chart.value)
    assert np.array_equal(there, np.isfinite(quick.chart.value))
    assert quick.chart.value[there] == pytest.approx(exact.chart.value[there])
    if exact.has_derivation:
        for column, same in zip(exact.forest(threshold), quick.forest(threshold), strict=True):
            assert np.array_equal(column, same)


def test_a_beam_drops_what_is_improbable():
    rules = "S -> A [0.5] | B [0.5]\nA -> T T [1]\nB -> T T [0.0001] | B T [0.9999]\nT -> 'T' [1]"
    skeleton = Skeleton(Grammar.parse(rules))
    whole, narrow = skeleton.chart(np.ones((2, 1))), skeleton.chart(np.ones((2, 1)), beam=1e-2)
    assert len(whole.forest(1e-9).label) == 5
    assert len(narrow.forest(1e-9).label) == 4
    assert skeleton.chart(np.ones((30, 1)), beam=1e-3, step_limit=5) is None


@given(skeletons(), st.integers(1, 5), st.floats(0.01, 0.99))
def test_a_forest_has_a_tree_whatever_the_threshold(skeleton, length, threshold):
    forest = skeleton.forest(uniform(skeleton, length), threshold)
    assert forest is None or has_tree(forest)
