"""Grammars conditioned on what their trees hold, against enumeration and search."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from grammar import Grammar, TreeSubstitutionGrammar
from grammar.errors import EmptyLanguageError, OptionError, PatternError
from grammar.pcfg import constructions
from grammar.pcfg.constructions import holding
from grammar.rules.rules import Nonterminal
from grammar.trees.fragment import Fragment
from grammar.trees.tree import Tree
from grammar.trees.treebank import Treebank
from induction import induce_lpcfg
from induction.trees.binarise import unbinarise
from induction.trees.normalise import expand_unaries
from sampling.sentences.sentences import labels_of
from tests.grammar.enumeration import all_derivations

FINITE = Grammar.parse("""
A -> B x [0.2] | 'x' B 'y' x [0.3] | 'x' [0.1] | B 'x' B [0.4]
B -> x y [0.3] | 'y' 'x' [0.2] | x [0.3] | 'y' [0.2]
x -> 'x' [0.6] | 'B' 'x' [0.4]
y -> 'y' [0.5] | x 'y' [0.5]
""")
SIGNS = (
    "<", "<1", "<2", "<-1", "<-2", "<,", "<'", "<-", "<:", "<<", "<<,", "<<'", "<<:",
)  # fmt: skip
BESIDE = ("$", "$.", "$,", "$..", "$,,", ">", ">1", ">2", ">-1", ">:")
LABELS = ("A", "B", "x", "y", "A|B", "*", "/^[Ax]/", "i@b")


@st.composite
def patterns(draw: st.DrawFn) -> str:
    """Patterns with relations to lower nodes, and to sisters and parents by their labels."""

    def node(depth: int) -> str:
        label = draw(st.sampled_from(LABELS))
        return f"({label} {conditions(depth - 1)})" if depth and draw(st.booleans()) else label

    def condition(depth: int) -> str:
        kind = draw(st.integers(0, 6))
        before = {0: "! ", 1: "?"}.get(kind, "")
        if kind == 2 and depth:
            return f"{draw(st.sampled_from(['', '!', '?']))}[{conditions(depth - 1)}]"
        if kind == 3:
            return f"{draw(st.sampled_from(BESIDE))} {draw(st.sampled_from(LABELS))}"
        return f"{before}{draw(st.sampled_from(SIGNS))} {node(depth)}"

    def conditions(depth: int) -> str:
        every = [condition(depth) for _ in range(draw(st.integers(1, 2)))]
        return draw(st.sampled_from([" ", " | "])).join(every)

    return f"{draw(st.sampled_from(LABELS))} {conditions(2)}"


def probabilities(grammar: Grammar, longest: int, wanted: list[str]) -> dict[Tree, float]:
    """Return the derivations in which each pattern has a hit, found by searching for it."""
    everything = all_derivations(grammar, longest)
    trees = list(everything)
    bank = Treebank.from_trees(trees)
    found = [set(bank.search(pattern).tree.tolist()) for pattern in wanted]
    kept = set.intersection(*found)
    return {tree: everything[tree] for n, tree in enumerate(trees) if n in kept}


def restored(tree: Tree, given: Grammar) -> Tree:
    """Return a tree of the product as one of the grammar: without states and links."""

    def parts(node: Tree | str) -> list[Tree | str]:
        if isinstance(node, str):
            return [node]
        below = [part for child in node.children for part in parts(child)]
        name = node.label.rpartition("^<")[0]
        return [Tree(name, tuple(below))] if name in given.rules.nonterminals else below

    made = parts(tree)
    # above several tops stands a start symbol with a name of the grammar, too
    while len(made) == 1 and isinstance(made[0], Tree) and tree.label.endswith("^<>"):
        made = list(made[0].children)
        tree = tree.children[0]  # type: ignore[assignment]
    [only] = made
    assert isinstance(only, Tree)
    return only


def assert_conditioned(grammar: Grammar, wanted: list[str], longest: int) -> None:
    expected = probabilities(grammar, longest, wanted)
    if not expected:
        with pytest.raises(EmptyLanguageError):
            holding(grammar, wanted)
        return
    made, mass, rules = holding(grammar, wanted)
    assert mass == pytest.approx(sum(expected.values()))
    found: dict[Tree, float] = defaultdict(float)
    for tree, probability in all_derivations(made, longest).items():
        found[restored(tree, grammar)] += probability * mass
    assert found == pytest.approx(expected)
    assert len(rules) == len(made)


@settings(max_examples=60, deadline=None)
@given(st.lists(patterns(), min_size=1, max_size=2))
def test_the_product_has_the_trees_that_hold_it(wanted: list[str]) -> None:
    assert_conditioned(FINITE, wanted, 11)


@pytest.mark.parametrize(
    "pattern", ["S < (NP $.. VP)", "NP < (NP < fish) < near", "fish", "NP << (NP << NP)", "NP ; VP"]
)
def test_the_mass_of_a_recursive_grammar(pattern: str) -> None:
    grammar = Grammar.parse(
        "S -> NP VP [1] \n NP -> 'fish' [0.9] | NP 'near' NP [0.1] \n VP -> 'swim' [1]"
    )
    mass = holding(grammar, [pattern]).mass
    assert mass == pytest.approx(sum(probabilities(grammar, 14, [pattern]).values()), abs=2e-4)


def test_rules_stand_for_rules_of_the_grammar() -> None:
    made, _, rules = holding(FINITE, ["B < (x < B)"])
    for number, (lhs, rhs) in enumerate(made.rules):
        if rules[number] >= 0:
            symbol, children = FINITE.rules.sides(int(rules[number]))
            assert lhs.name.startswith(f"{symbol}^")
            assert str(rhs[0]).partition("^")[0] == str(children[0])
    assert set(rules[rules >= 0].tolist()) <= set(range(len(FINITE)))
    assert np.isin(-1, rules)


def test_a_symbol_without_words_has_a_trace() -> None:
    grammar = Grammar.parse("S -> NP V [1] \n NP -> 'we' [0.25] | [0.75] \n V -> 'swim' [1]")
    assert holding(grammar, ["NP < -NONE-"]).mass == pytest.approx(0.75)


@pytest.mark.parametrize(
    ("pattern", "said"),
    [
        ("NP .. VP", "a relation of words"),
        ("NP >> S", "a relation of words"),
        ("NP $.. (VP < V)", "more than the label of a sister"),
        ("S < NP=n < (VP $, =n)", "cannot be asked for"),
        ("S < NP=n : =n < DT", "segments"),
    ],
)
def test_what_a_grammar_cannot_be_asked_for(pattern: str, said: str) -> None:
    with pytest.raises(PatternError, match=said):
        holding(FINITE, [pattern])


def test_too_many_steps_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(constructions, "_MOST_STEPS", 5)
    with pytest.raises(OptionError, match="more than 5 steps"):
        holding(FINITE, ["B < x"])


def test_what_is_nowhere_is_told() -> None:
    with pytest.raises(EmptyLanguageError, match="holds A < zebra"):
        holding(FINITE, ["A < zebra"])


BINARISED = Grammar.parse("""
A -> 'x' {A|<>} [0.3] | {B^<A>} {A|<>} [0.4] | {B^<A>} x [0.3]
{A|<>} -> x {A|<>} [0.3] | x {B^<A>} [0.4] | {B^<A>} 'B' [0.3]
{B^<A>} -> 'y' [0.5] | {B^<A>+x} 'y' [0.2] | x 'B' [0.3]
{B^<A>+x} -> 'x' [1]
x -> 'x' [0.7] | 'y' [0.3]
""")
FRAGMENTS = TreeSubstitutionGrammar.from_fragments(
    [
        (Fragment.parse(text), weight, 1)
        for text, weight in (
            ("(A (B ) (x ))", 0.2), ("(A (B (B ) (x )))", 0.1), ("(A (x (B )) (x ))", 0.1),
            ("(A (B ) (A|<x> (x (y x)) (A|<x> )))", 0.3), ("(A x (A|<x> ))", 0.3),
            ("(A|<x> (x ) (A|<x> (y y) (B )))", 0.5), ("(A|<x> (y y) (x ))", 0.5),
            ("(B y)", 0.5), ("(B (x y))", 0.2), ("(B (x ) (y B))", 0.3), ("(x x)", 0.6),
            ("(x (B+y^<x> x))", 0.4),
        )
    ],
    start="A",
)  # fmt: skip
LEXICALISED = induce_lpcfg(
    Treebank.parse(
        "(A (B (x x) (y y)) (x x) (y B)) (A (x y) (B (y y))) (A (B (x x)) (x x)) (B (x x) (y y))"
    )
)


def rule_sequences(grammar: Grammar, longest: int) -> dict[tuple[int, ...], float]:
    """Return every derivation of a PCFG, as rules in preorder, with its probability."""
    number = {sides: rule for rule, sides in enumerate(grammar.rules)}

    def rules(tree: Tree) -> list[int]:
        below = [child for child in tree.children if isinstance(child, Tree)]
        rhs = (Nonterminal(c.label) if isinstance(c, Tree) else c for c in tree.children)
        here = number[Nonterminal(tree.label), tuple(rhs)]
        return [here, *(rule for child in below for rule in rules(child))]

    return {tuple(rules(t)): p for t, p in all_derivations(grammar, longest).items()}


@pytest.mark.parametrize(
    ("grammar", "longest"), [(BINARISED, 5), (FRAGMENTS, 6), (LEXICALISED, 8), (FINITE, 11)]
)
@settings(max_examples=25, deadline=None)
@given(wanted=st.lists(patterns(), min_size=1, max_size=2))
def test_the_product_has_the_derivations_of_trees_as_they_are_written(
    grammar: Any, longest: int, wanted: list[str]
) -> None:
    every = rule_sequences(grammar.pcfg, longest)
    trees = Treebank.from_trees(map(grammar.tree_of, every))
    written = expand_unaries(unbinarise(trees))
    kept = set.intersection(*(set(written.search(text).tree.tolist()) for text in wanted))
    expected = {rules: p for n, (rules, p) in enumerate(every.items()) if n in kept}
    try:
        made, mass, stands_for = holding(grammar, wanted, labels_of)
    except EmptyLanguageError:
        assert not expected
        return
    found: dict[tuple[int, ...], float] = defaultdict(float)
    for rules, probability in rule_sequences(made, longest).items():
        numbers = (int(stands_for[rule]) for rule in rules)
        found[tuple(number for number in numbers if number >= 0)] += probability * mass
    assert found == pytest.approx(expected)
