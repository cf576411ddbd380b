"""Tree automata of fragments, against all trees of a forest and all derivations of each."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from grammar.errors import ChartGrammarError
from grammar.families.tree_automaton import TreeAutomaton, nearest_pcfg
from grammar.families.tsg import TreeSubstitutionGrammar
from grammar.forest.forest import LEAF, tree_of_edges
from grammar.forest.skeleton import Skeleton
from grammar.pcfg.grammar import Grammar
from grammar.trees.fragment import Fragment
from grammar.trees.tree import Tree
from tests.grammar.forest.test_forest import WHOLE, trees_of

SKELETON = Skeleton(
    Grammar.parse("""
        S -> A B [1/4] | B A [1/4] | A [1/4] | S S [1/4]
        A -> X Y [1/2] | X [1/2]
        B -> X X [1/2] | Y [1/2]
        X -> 'X' [1]
        Y -> 'Y' [1]
    """)
)
WORDS = ("v", "w")


@st.composite
def trees(draw: st.DrawFn, label: str = "S", depth: int = 0) -> Tree:
    """A tree of the skeleton."""
    if label in "XY":
        return Tree(label, (draw(st.sampled_from(WORDS)),))
    sides = [rhs for lhs, rhs in SKELETON.grammar.rules if lhs.name == label]
    chosen = draw(st.sampled_from([r for r in sides if depth < 2 or label not in str(r)]))
    return Tree(label, tuple(draw(trees(child.name, depth + 1)) for child in chosen))


@st.composite
def fragment_grammars(draw: st.DrawFn) -> TreeSubstitutionGrammar:
    """All productions of the skeleton, all tags over all words, and some larger fragments."""
    texts = [f"({lhs} {' '.join(f'({c} )' for c in rhs)})" for lhs, rhs in SKELETON.grammar.rules]
    texts = [text for text in texts if "(X (X ))" not in text and "(Y (Y ))" not in text]
    texts += [f"({tag} {word})" for tag in "XY" for word in WORDS]
    made = [Fragment.parse(text) for text in texts]
    for tree in draw(st.lists(trees(), max_size=4)):
        made.append(Fragment.from_tree(tree))
        made += [Fragment.from_tree(child) for child in tree.children if isinstance(child, Tree)]
    weights = draw(st.lists(st.integers(1, 5), min_size=len(made), max_size=len(made)))
    rows = [(f, float(w), 0) for f, w in zip(made, weights, strict=True)]
    # whole sentences are kept short, so that derivations end
    rows[0] = (rows[0][0], 50.0, 0)
    return TreeSubstitutionGrammar.from_fragments(rows, start="S", normalise=True)


def emissions(grammar: TreeSubstitutionGrammar, words: list[str]) -> np.ndarray:
    weight = {str(f): w for f, w, _ in grammar}
    tags = SKELETON.grammar.rules.words
    return np.array([[weight[f"({tag} {word})"] for tag in tags] for word in words])


@settings(max_examples=60)
@given(fragment_grammars(), st.lists(st.sampled_from(WORDS), min_size=1, max_size=4))
def test_edge_posteriors_are_those_of_all_trees_summed_over_derivations(grammar, words):
    forest = SKELETON.forest(np.ones((len(words), 2)), WHOLE)
    if forest is None:
        return
    names = SKELETON.grammar.rules.nonterminals
    expected, total = np.zeros(len(forest.rule)), 0.0
    for edges in trees_of(forest):
        tree = tree_of_edges(forest, np.array(edges), names, words)
        probability = math.exp(grammar.tree_log_probability(tree))
        total += probability
        expected[list(edges)] += probability
    automaton = TreeAutomaton.of(grammar, SKELETON)
    found = automaton.posteriors(forest, words, emissions(grammar, words))
    assert np.allclose(found, expected / total)
    assert np.isclose(found[forest.rule == LEAF].sum(), len(words))


def test_equal_pieces_are_one_state():
    fragments = ["(S (A (X v)) (B ))", "(S (A (X v)) (B (Y w)))", "(A (X v))", "(B (Y ))", "(Y w)"]
    grammar = TreeSubstitutionGrammar.from_fragments(
        [(Fragment.parse(text), 1.0, 0) for text in fragments], start="S", normalise=True
    )
    automaton = TreeAutomaton.of(grammar, SKELETON)
    # X v, Y w; A over X v, B over Y w, B over any Y; two sentences: and the two that are none
    assert len(automaton.leaves) == 2
    assert len(automaton.transitions.finish) == 2 + 2 + 3 + 2
    assert np.isclose(automaton.transitions.finish.sum(), 4.0)


def test_a_production_that_the_skeleton_lacks_is_refused():
    grammar = TreeSubstitutionGrammar.from_fragments(
        [(Fragment.parse("(S (B v))"), 1.0, 0), (Fragment.parse("(B v)"), 1.0, 0)], start="S"
    )
    with pytest.raises(ChartGrammarError, match="S -> B"):
        TreeAutomaton.of(grammar, SKELETON)


@pytest.mark.parametrize("text", ["(S w (B ))", "(S (A ) w)", "(S v w)"])
def test_a_word_beside_other_symbols_is_refused(text):
    grammar = TreeSubstitutionGrammar.from_fragments([(Fragment.parse(text), 1.0, 0)], start="S")
    with pytest.raises(ChartGrammarError, match="next to other symbols") as caught:
        TreeAutomaton.of(grammar, SKELETON)
    assert "S -> " in str(caught.value)
    assert "under its own tag" in str(caught.value)


def finite(texts: dict[str, float]) -> TreeSubstitutionGrammar:
    return TreeSubstitutionGrammar.from_fragments(
        [(Fragment.parse(text), weight, 0) for text, weight in texts.items()], start="S"
    )


def test_the_nearest_pcfg_uses_productions_as_often_as_the_derivations():
    grammar = finite(
        {
            "(S (A ) (B ))": 0.3, "(S (A (X v)) (B (Y )))": 0.5, "(S (A (X )))": 0.2,
            "(A (X ))": 0.4, "(A (X v) (Y w))": 0.6, "(B (Y w))": 1.0,
            "(X v)": 0.7, "(X w)": 0.3, "(Y w)": 0.5, "(Y v)": 0.5,
        }
    )  # fmt: skip
    # by hand: 0.5 + 0.2 + 0.3 * 0.4 of the A are over X alone, 0.3 * 0.6 over X and Y
    weights = {str(p).rpartition(" [")[0]: p.weight for p in nearest_pcfg(grammar)}
    assert math.isclose(weights["A -> X"], 0.82)
    assert math.isclose(weights["A -> X Y"], 0.18)
    assert math.isclose(weights["S -> A B"], 0.8)
    # X: v in 0.5 and 0.18 for certain, else 0.32 with 0.7
    assert math.isclose(weights["X -> 'v'"], 0.68 + 0.32 * 0.7)


def test_of_a_grammar_that_may_never_end_the_derivations_that_do_are_meant():
    wild = finite({"(S (S ) (S ))": 0.75, "(S a)": 0.25})
    weights = [p.weight for p in nearest_pcfg(wild).productions("S")]
    assert np.allclose(weights, [0.75, 0.25])
    assert nearest_pcfg(wild).productions("S")[0].rhs == ("a",)
