"""Double-DOP and Goodman's reduction against explicit fragments of tiny treebanks."""

from __future__ import annotations

import itertools
import math
from collections import Counter, defaultdict
from collections.abc import Iterator

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from grammar import Grammar
from grammar.chart.parser import Parser
from grammar.errors import EmptyTreebankError, OptionError
from grammar.families.tsg import TreeSubstitutionGrammar
from grammar.rules.rules import Nonterminal
from grammar.trees.fragment import Fragment
from grammar.trees.tree import Tree
from grammar.trees.treebank import Treebank
from induction import read_treebank
from induction.fragments.dop import dop_reduction, induce_double_dop, without_addresses
from induction.fragments.fragments import recurring_fragments
from tests.grammar.strategies import trees
from tests.induction.fragments.test_fragments import is_at

SMALL = trees(labels=st.sampled_from("AB"), words=st.sampled_from("aA"), max_leaves=4)


@st.composite
def treebanks(draw: st.DrawFn, most: int = 3) -> list[Tree]:
    """Up to a few small trees, all with the root S."""
    below = draw(st.lists(SMALL, min_size=1, max_size=most))
    return [Tree("S", (tree, *draw(st.lists(SMALL, max_size=1)))) for tree in below]


def fragments_at(tree: Tree) -> Iterator[Fragment]:
    """Every fragment rooted at a node: each constituent below is a site, or goes on."""
    choices: list[list[Fragment | Nonterminal | str]] = [
        [child] if isinstance(child, str) else [Nonterminal(child.label), *fragments_at(child)]
        for child in tree.children
    ]
    for children in itertools.product(*choices):
        yield Fragment(tree.label, children)


def all_fragments(treebank: list[Tree], weights: str) -> TreeSubstitutionGrammar:
    """The grammar of all fragments, weighted as the definitions say."""
    nodes = [node for tree in treebank for node in tree.nodes()]
    labels = Counter(node.label for node in nodes)
    mass: dict[Fragment, float] = defaultdict(float)
    for node in nodes:
        here = list(fragments_at(node))
        for fragment in here:
            mass[fragment] += {
                "dop1": 1.0,
                "ewe": 1.0 / (labels[node.label] * len(here)),
                "bonnema": 2.0 ** (1 - fragment.nodes) / labels[node.label],
            }[weights]
    return TreeSubstitutionGrammar.from_fragments(
        [(f, w, 0) for f, w in mass.items()], start="S", normalise=weights == "dop1"
    )


def recombined(treebank: list[Tree]) -> set[Tree]:
    """The trees, and those with one constituent replaced by another of its label."""
    nodes = [node for tree in treebank for node in tree.nodes()]

    def with_replaced(tree: Tree, old: Tree, new: Tree) -> Tree:
        if tree is old:
            return new
        return Tree(
            tree.label,
            tuple(c if isinstance(c, str) else with_replaced(c, old, new) for c in tree.children),
        )

    pairs = [(a, b) for tree in treebank for a in tree.nodes() for b in nodes if a.label == b.label]
    return {with_replaced(tree, a, b) for tree in treebank for a, b in pairs[:60]}


def reduced_probability(grammar: Grammar, tree: Tree) -> float:
    """The sum over all derivations whose labels, without addresses, are those of the tree."""
    by_shape = defaultdict(list)
    for production in grammar:
        shape = [without(str(c)) if isinstance(c, Nonterminal) else (c,) for c in production.rhs]
        by_shape[without(production.lhs.name), *shape].append(production)

    def inside(node: Tree) -> dict[str, float]:
        below = [{c: 1.0} if isinstance(c, str) else inside(c) for c in node.children]
        shape = [(c,) if isinstance(c, str) else c.label for c in node.children]
        sums: dict[str, float] = defaultdict(float)
        for production in by_shape[node.label, *shape]:
            parts = [b.get(str(c), 0.0) for b, c in zip(below, production.rhs, strict=True)]
            sums[production.lhs.name] += math.prod((production.weight, *parts))
        return sums

    return inside(tree).get(grammar.start, 0.0)


def without(label: str) -> str:
    return label.partition("^<@")[0]


# --- the reduction -------------------------------------------------------------------------------


@settings(max_examples=60)
@given(treebanks(), st.sampled_from(["dop1", "ewe", "bonnema"]))
def test_the_reduction_gives_every_tree_the_probability_of_all_its_fragments(
    treebank: list[Tree], weights: str
) -> None:
    explicit = all_fragments(treebank, weights)
    reduced = dop_reduction(Treebank.from_trees(treebank), steps=(), weights=weights)
    for tree in recombined(treebank):
        expected = math.exp(explicit.tree_log_probability(tree))
        assert expected > 0
        assert reduced_probability(reduced, tree) == pytest.approx(expected, rel=1e-9)


@given(treebanks(), st.sampled_from(["dop1", "ewe", "bonnema"]))
def test_the_weights_of_the_reduction_sum_to_one_exactly(
    treebank: list[Tree], weights: str
) -> None:
    grammar = dop_reduction(Treebank.from_trees(treebank), steps=(), weights=weights)
    sums = np.bincount(grammar.rules.lhs, grammar.weight)
    assert sums == pytest.approx(np.ones(len(sums)), abs=1e-12)


def test_dop1_of_one_tree() -> None:
    # two fragments at the upper node and one at the lower: 1/3, and 1/3 times 1/3
    grammar = dop_reduction(Treebank.parse("(S (S a) b)"), steps=())
    assert reduced_probability(grammar, Tree.parse("(S (S a) b)")) == pytest.approx(4 / 9)
    assert reduced_probability(grammar, Tree.parse("(S a)")) == pytest.approx(1 / 3)


def test_parses_with_the_reduction_lose_their_addresses() -> None:
    grammar = dop_reduction(read_treebank("embedded")[:40], direction="right")
    parser = Parser(grammar)
    sentence = read_treebank("embedded").sentences()[0]
    parse = parser.viterbi(sentence)
    assert any("@" in node.label for node in parse.tree.nodes())
    tree = without_addresses(parse.tree)
    assert tree.leaves() == sentence
    assert not any("@" in node.label for node in tree.nodes())


def test_only_addresses_are_removed() -> None:
    tree = Tree.parse("(NP^<@12> (X@y^<S>^<@3> a^<@4>) (@ @7) (Y@2 b))")
    assert str(without_addresses(tree)) == "(NP (X@y^<S> a^<@4>) (@ @7) (Y@2 b))"


@pytest.mark.parametrize("weights", ["dop1", "ewe", "bonnema"])
def test_many_nodes_make_proper_weights(weights: str) -> None:
    text = "(A a)"
    for _ in range(400):  # 4^400 fragments, more than a float can hold if it is squared
        text = f"(A (B b) (C c) {text})"
    grammar = dop_reduction(Treebank.parse(f"(S {text})"), steps=(), weights=weights)
    sums = np.bincount(grammar.rules.lhs, grammar.weight)
    assert sums == pytest.approx(np.ones(len(sums)))
    assert np.isfinite(grammar.weight).all()


def test_wide_nodes_are_refused() -> None:
    wide = Treebank.parse(f"(S {' '.join(f'(A {i})' for i in range(11))})")
    with pytest.raises(OptionError, match="11 constituents below it.*4,096 rules"):
        dop_reduction(wide)
    assert len(dop_reduction(wide, horizontal_markov=2)) > 0


def test_labels_like_addresses_are_refused() -> None:
    with pytest.raises(OptionError, match=r"the label NP\^<@3> holds \^<"):
        dop_reduction(Treebank.parse("(S (NP^<@3> a))"))
    beneath = Treebank.parse("(@3 (NP (N a) (N b)) (V c))")
    with pytest.raises(OptionError, match=r"'NP\^<@3>' looks like an address"):
        dop_reduction(beneath, steps=(), vertical_markov=2)


# --- Double-DOP ----------------------------------------------------------------------------------


def double_dop_weights(treebank: list[Tree], weights: str) -> dict[Fragment, float]:
    """The definitions, over plain trees."""
    columns = Treebank.from_trees(treebank)
    nodes = [node for tree in treebank for node in tree.nodes()]
    fragments = {f for f, _ in recurring_fragments(columns).fragments()}
    for top in (Fragment.from_tree(node).top() for node in nodes):
        fragments.add(Fragment(top.lhs.name, top.rhs))
    mass: dict[Fragment, float] = defaultdict(float)
    for node in nodes:
        here = [fragment for fragment in fragments if is_at(fragment, node)]
        for fragment in here:
            mass[fragment] += {
                "relative-frequency": 1.0,
                "ewe": 1.0 / len(here),
                "bonnema": 2.0 ** (1 - fragment.nodes),
            }[weights]
    sums: dict[str, float] = defaultdict(float)
    for fragment, amount in mass.items():
        sums[fragment.label] += amount
    return {fragment: amount / sums[fragment.label] for fragment, amount in mass.items()}


@settings(max_examples=60)
@given(treebanks(most=5), st.sampled_from(["relative-frequency", "ewe", "bonnema"]))
def test_double_dop_has_the_weights_of_its_definition(treebank: list[Tree], weights: str) -> None:
    grammar = induce_double_dop(Treebank.from_trees(treebank), steps=(), weights=weights)
    found = {fragment: weight for fragment, weight, _ in grammar}
    assert found == pytest.approx(double_dop_weights(treebank, weights))


@given(treebanks(most=4))
def test_double_dop_derives_every_tree_that_it_has_seen(treebank: list[Tree]) -> None:
    grammar = induce_double_dop(Treebank.from_trees(treebank), steps=())
    for tree in recombined(treebank):
        assert grammar.tree_log_probability(tree) > -math.inf


def test_one_tree_makes_a_grammar_of_its_productions() -> None:
    grammar = induce_double_dop(Treebank.parse("(S (NP we) (VP (V saw) (NP stars)))"))
    assert {fragment.depth for fragment in grammar.fragments} == {1}
    assert [(w, c) for _, w, c in grammar.fragments_of("NP")] == [(0.5, 1), (0.5, 1)]
    parse = Parser(grammar.pcfg).viterbi(["stars", "saw", "we"])
    assert str(grammar.tree_of(parse.rules)) == "(TOP (S (NP stars) (VP (V saw) (NP we))))"


@pytest.mark.parametrize("induce", [induce_double_dop, dop_reduction])
def test_different_roots_get_one_above(induce) -> None:
    grammar = induce(Treebank.parse("(S (NP we) (VP swim)) (NP stars)"), steps=())
    assert grammar.start == "TOP"


@pytest.mark.parametrize("induce", [induce_double_dop, dop_reduction])
def test_bad_input_is_one_clear_error(induce) -> None:
    with pytest.raises(EmptyTreebankError, match="no trees"):
        induce(Treebank.from_trees([]))
    with pytest.raises(OptionError, match="weights='dop2'"):
        induce(Treebank.parse("(S a)"), weights="dop2")


def test_workers_give_the_same_grammar() -> None:
    treebank = read_treebank("embedded")[:50]
    assert induce_double_dop(treebank, workers=2) == induce_double_dop(treebank)


def test_a_grammar_of_the_embedded_treebank_survives_a_file(tmp_path) -> None:
    grammar = induce_double_dop(read_treebank("embedded"), horizontal_markov=2, weights="ewe")
    grammar.save(tmp_path / "dop.json.gz")
    assert TreeSubstitutionGrammar.load(tmp_path / "dop.json.gz") == grammar


def test_the_penn_sample_has_as_many_fragments_as_elsewhere(nltk_treebank_text: str) -> None:
    grammar = induce_double_dop(Treebank.parse(nltk_treebank_text), horizontal_markov=2)
    assert len(grammar) == 81_754  # disco-dop's number
    assert len(grammar.pcfg.productions("NP")) >= len(grammar.fragments_of("NP"))
