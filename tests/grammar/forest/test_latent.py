"""Latent states on forests, against the same grammar written out as a PCFG over states."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from grammar.chart.parser import Parser
from grammar.errors import ChartGrammarError, WeightError
from grammar.forest.forest import leaves_of
from grammar.forest.latent import LatentGrammar
from grammar.forest.latent_kernels import edge_posteriors, rule_uses
from grammar.forest.skeleton import Skeleton
from grammar.pcfg.grammar import Grammar
from tests.grammar.forest.test_forest import WHOLE
from tests.grammar.strategies import skeletons

WORDS = ("v", "w")


@st.composite
def latent_grammars(draw: st.DrawFn) -> tuple[LatentGrammar, np.ndarray]:
    """A grammar with one to three states a label, and the probabilities of two words.

    Some weights are zero, as they are in files, but not all of a state.
    """
    skeleton = draw(skeletons())
    seed = draw(st.integers(0, 1000))
    random = np.random.default_rng(seed)
    states = random.integers(1, 4, len(skeleton.grammar.rules.nonterminals)).astype(np.int32)
    states[skeleton.grammar.start_id] = 1
    shape = LatentGrammar.of_skeleton(skeleton).shape.__class__(*skeleton.sides(), states)
    weight = random.random(shape.blocks[-1]) + 0.01
    left = weight * (random.random(len(weight)) >= draw(st.sampled_from([0.0, 0.5])))
    some = np.bincount(shape.parent_states, left, minlength=int(states.sum())) > 0.0
    weight = np.where(some[shape.parent_states], left, weight)
    sums = np.bincount(shape.parent_states, weight, minlength=int(states.sum()))
    grammar = LatentGrammar(skeleton, states, weight / sums[shape.parent_states])
    first = random.random(int(states[skeleton.tags].sum()))
    return grammar, np.stack((first, 1.0 - first))


sentences = st.lists(st.sampled_from(WORDS), min_size=1, max_size=4)


def coarse(grammar: LatentGrammar, length: int) -> np.ndarray:
    return np.ones((length, len(grammar.skeleton.tags)))


def rows(sentence: list[str], emission: np.ndarray) -> np.ndarray:
    return emission[[WORDS.index(word) for word in sentence]]


@given(latent_grammars(), sentences)
def test_totals_and_node_posteriors_are_those_of_the_grammar_written_out(made, sentence):
    grammar, emission = made
    forest = grammar.skeleton.forest(coarse(grammar, len(sentence)), WHOLE)
    if forest is None:
        return
    values = grammar.sentence_values(forest, rows(sentence, emission))
    try:
        explicit = Parser(grammar.to_grammar(WORDS, emission))
    except ChartGrammarError:  # no words at all
        assert values.log_totals[0] == -math.inf
        assert not grammar.posteriors(forest, rows(sentence, emission)).any()
        return
    assert math.isclose(values.log_totals[0], explicit.inside(sentence), abs_tol=1e-9)
    nodes = np.add.reduceat(
        grammar.posteriors(forest, rows(sentence, emission)), forest.starts[:-1]
    )
    expected: dict[tuple[str, int, int], float] = {}
    for label, start, end, probability in explicit.posteriors(sentence) or ():
        key = (label.split("#")[0], start, end)
        expected[key] = expected.get(key, 0.0) + probability
    names = grammar.skeleton.grammar.rules.nonterminals
    found = zip(forest.label, forest.begin, forest.end, nodes, strict=True)
    for label, begin, end, posterior in found:
        assert math.isclose(posterior, expected.get((names[label], begin, end), 0.0), abs_tol=1e-9)


@given(latent_grammars(), sentences)
def test_expected_uses_of_rules_are_those_of_the_grammar_written_out(made, sentence):
    grammar, emission = made
    forest = grammar.skeleton.forest(coarse(grammar, len(sentence)), WHOLE)
    if forest is None:
        return
    at, inside, outside, scale, _ = grammar.sentence_values(forest, rows(sentence, emission))
    uses = np.zeros_like(grammar.weight)
    rule_uses(forest, grammar.rules, at, inside, scale, outside, uses)
    explicit = grammar.to_grammar(WORDS, emission)
    try:
        counts = Parser(explicit).expected_counts([sentence]).count
    except ChartGrammarError:  # no words at all
        assert not uses.any()
        return
    written = {
        (production.lhs.name, production.rhs): count
        for production, count in zip(explicit, counts, strict=True)
    }
    total = sum(count for (_, rhs), count in written.items() if not isinstance(rhs[0], str))
    assert math.isclose((uses * grammar.weight).sum(), total, abs_tol=1e-9)
    lhs, first, second = grammar.skeleton.sides()
    for rule in np.flatnonzero(first >= 0).tolist():
        sides = [k for k in (first[rule], second[rule], lhs[rule]) if k >= 0]
        block = slice(grammar.shape.blocks[rule], grammar.shape.blocks[rule + 1])
        table = (uses * grammar.weight)[block].reshape([grammar.states[k] for k in sides])
        for place in itertools.product(*(range(n) for n in table.shape)):
            *below, above = (name_of(grammar, k, s) for k, s in zip(sides, place, strict=True))
            expected = sum(
                count
                for (left, right), count in written.items()
                if left == above and [getattr(c, "name", None) for c in right] == below
            )
            assert math.isclose(table[place], expected, abs_tol=1e-9)


def name_of(grammar: LatentGrammar, label: int, state: int) -> str:
    name = grammar.skeleton.grammar.rules.nonterminals[label]
    return f"{name}#{state}" if grammar.states[label] > 1 else name


@given(latent_grammars(), sentences)
def test_posteriors_of_the_edges_above_a_word_sum_to_one(made, sentence):
    grammar, emission = made
    forest = grammar.skeleton.forest(coarse(grammar, len(sentence)), WHOLE)
    if forest is None:
        return
    posterior = grammar.posteriors(forest, rows(sentence, emission))
    if not (posterior > 0.0).any():
        return
    leaf = leaves_of(forest)
    edge = forest.starts[:-1][leaf]
    above = np.bincount(forest.begin[leaf], posterior[edge], minlength=len(sentence))
    assert np.allclose(above, 1.0)


def test_a_word_that_no_state_has_leaves_nothing():
    skeleton = Skeleton(Grammar.parse("S -> T T [1]\nT -> 'T' [1]"))
    grammar = LatentGrammar.of_skeleton(skeleton)
    forest = skeleton.forest(np.ones((2, 1)), WHOLE)
    assert grammar.posteriors(forest, np.array([[1.0], [0.0]])).tolist() == [0.0] * 3
    assert grammar.sentence_values(forest, np.zeros((2, 1))).log_totals[0] == -math.inf


def test_values_of_long_sentences_do_not_underflow():
    skeleton = Skeleton(Grammar.parse("S -> T S [1/2] | T [1/2]\nT -> 'T' [1]"))
    grammar = LatentGrammar.of_skeleton(skeleton)
    forest = skeleton.forest(np.full((300, 1), 1e-30), WHOLE)
    values = grammar.sentence_values(forest, np.full((300, 1), 1e-30))
    assert math.isclose(values.log_totals[0], 300 * math.log(0.5e-30), rel_tol=1e-12)
    posterior = edge_posteriors(
        forest, grammar.rules, values.at, values.inside, values.scale, values.outside
    )
    assert np.allclose(posterior, 1.0)


@pytest.mark.parametrize(
    ("weight", "message"),
    [([0.5, 0.4], "sum to one"), ([1.5, -0.5], "negative"), ([1.0], "1 weights for blocks of 2")],
)
def test_weights_that_are_none_are_refused(weight, message):
    skeleton = Skeleton(Grammar.parse("S -> T T [1/2] | T [1/2]\nT -> 'T' [1]"))
    with pytest.raises(WeightError, match=message):
        LatentGrammar(skeleton, np.ones(2, np.int32), np.array(weight))
