"""What a grammar is like, against dense linear algebra, enumeration and naive iteration."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from grammar.errors import WeightError
from grammar.pcfg.analysis import (
    expected_counts,
    mean_matrix,
    productive,
    reachable,
    spectral_radius,
    termination,
)
from grammar.pcfg.grammar import Grammar
from grammar.trees.treebank import Treebank
from induction.counts.counts import count_rules
from induction.counts.pcfg import pcfg_from_counts
from tests.grammar.enumeration import (
    NotConvergedError,
    all_derivations,
    empirical_mean_length,
    termination_by_iteration,
)
from tests.grammar.strategies import grammars, trees

probabilities = st.floats(0.01, 0.99)
NEVER_ENDS = "S -> A [0.4] | 'a' [0.6]\nA -> A"


def branching(p: float) -> Grammar:
    return Grammar.parse(f"S -> S S [{p!r}] | 'a' [{1 - p!r}]")


# --- spectral radius --------------------------------------------------------------------------


@given(st.integers(1, 7).flatmap(lambda n: arrays(float, (n, n), elements=st.integers(0, 4))))
def test_the_spectral_radius_is_the_largest_eigenvalue(matrix):
    dense = np.abs(np.linalg.eigvals(matrix / 4)).max()
    # an eigenvalue that is repeated is known to numpy only to a root of the precision
    assert spectral_radius(sp.csr_array(matrix / 4)) == pytest.approx(dense, rel=1e-9, abs=2e-3)


@given(st.lists(st.floats(1e-3, 1e3), min_size=1, max_size=6))
def test_the_spectral_radius_of_a_cycle_is_the_geometric_mean(weights):
    matrix = np.roll(np.diag(weights), 1, axis=1)
    mean = math.exp(sum(map(math.log, weights)) / len(weights))
    assert spectral_radius(sp.csr_array(matrix)) == pytest.approx(mean, rel=1e-9)


@pytest.mark.parametrize("size", [1, 2, 5])
def test_a_matrix_without_cycles_has_the_radius_zero(size):
    assert spectral_radius(sp.csr_array(np.triu(np.ones((size, size)), 1))) == 0.0


def test_the_empty_matrix_has_the_radius_zero():
    assert spectral_radius(sp.csr_array((0, 0))) == 0.0


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_large_matrices_agree_with_dense_algebra(seed):
    rng = np.random.default_rng(seed)
    matrix = rng.random((260, 260)) * (rng.random((260, 260)) < 0.02) + np.roll(np.eye(260), 1, 0)
    dense = np.abs(np.linalg.eigvals(matrix)).max()
    assert spectral_radius(sp.csr_array(matrix)) == pytest.approx(dense, rel=1e-10)


@pytest.mark.parametrize("size", [199, 201, 700])
def test_a_long_cycle_whose_eigenvalues_crowd_is_solved(size):
    rules = [f"A{i} -> A{(i + 1) % size}" for i in range(1, size)]
    grammar = Grammar.parse("\n".join(["A0 -> A1 [0.5] | 'a' [0.5]", *rules]))
    report = grammar.check()
    assert report.spectral_radius == pytest.approx(0.5 ** (1 / size), rel=1e-9)
    assert report.expected_length == pytest.approx(1.0)
    assert len(report.recursive[0]) == size


# --- known grammars ---------------------------------------------------------------------------


@given(probabilities)
def test_branching_grammars_are_tight_up_to_one_half(p):
    report = branching(p).check()
    assert report.spectral_radius == pytest.approx(2 * p)
    assert report.tight == (p <= 0.5)
    if abs(p - 0.5) > 1e-6:
        assert report.termination == pytest.approx(min(1.0, (1 - p) / p), rel=1e-9)
    if p < 0.499:
        assert report.expected_length == pytest.approx((1 - p) / (1 - 2 * p))
    if p > 0.501:
        assert report.expected_length == report.entropy == math.inf


def test_the_critical_grammar_is_tight_with_infinite_length():
    report = branching(0.5).check()
    assert (report.tight, report.termination) == (True, 1.0)
    assert (report.expected_length, report.entropy) == (math.inf, math.inf)


@given(probabilities)
def test_regular_grammars_have_geometric_lengths(p):
    report = Grammar.parse(f"S -> 'a' S [{p!r}] | 'b' [{1 - p!r}]").check()
    bits = -(p * math.log2(p) + (1 - p) * math.log2(1 - p)) / (1 - p)
    assert report.spectral_radius == pytest.approx(p)
    assert report.expected_length == pytest.approx(1 / (1 - p))
    assert report.entropy == pytest.approx(bits)


@given(grammars(recursive=False, empty_rules=False, max_symbols=3, max_children=2))
@settings(max_examples=50)
def test_length_and_entropy_are_those_of_all_derivations(grammar):
    derivations = all_derivations(grammar, 8)
    report = grammar.check()
    assert sum(derivations.values()) == pytest.approx(1.0)
    # a pair of equal trees is a pair of equal derivations
    length = sum(p * len(tree.leaves()) for tree, p in derivations.items())
    bits = -sum(p * math.log2(p) for p in derivations.values())
    assert report.expected_length == pytest.approx(length)
    assert report.entropy == pytest.approx(bits, abs=1e-12)
    assert (report.tight, report.spectral_radius, report.recursive) == (True, 0.0, ())
    uses = expected_counts(grammar)
    for number, name in enumerate(grammar.rules.nonterminals):
        seen = sum(p * [n.label for n in t.nodes()].count(name) for t, p in derivations.items())
        assert uses[number] == pytest.approx(seen, abs=1e-12)


def test_zero_weights_lead_nowhere():
    report = Grammar.parse("S -> 'a' [1] | S T [0]\nT -> T").check()
    assert (report.unreachable, report.unproductive) == (("T",), ("T",))
    assert (report.tight, report.spectral_radius, report.expected_length) == (True, 0.0, 1.0)


@pytest.mark.parametrize(
    ("text", "unreachable", "unproductive", "improper", "ends"),
    [
        ("S -> 'a'", (), (), {}, 1.0),
        ("S -> 'a'\nT -> 'b'", ("T",), (), {}, 1.0),
        ("S -> 'a' [0.5] | T [0.5]", (), ("T",), {"T": 0.0}, 0.5),
        (NEVER_ENDS, (), ("A",), {}, 0.6),
        ("S -> S", (), ("S",), {}, 0.0),
        ("S -> 'a'\nT -> U\nU -> T 'b'", ("T", "U"), ("T", "U"), {}, 1.0),
        ("S -> A B\nA -> [1]\nB -> 'b' [0.5] | B A [0.5]", (), (), {}, 1.0),
    ],
)
def test_useless_symbols_are_named(text, unreachable, unproductive, improper, ends):
    grammar = Grammar.parse(text)
    report = grammar.check()
    assert (report.unreachable, report.unproductive) == (unreachable, unproductive)
    assert report.improper == improper
    assert report.proper == (not improper)
    assert report.termination == pytest.approx(ends)
    assert report.tight == (ends == 1.0)
    names = np.array(grammar.rules.nonterminals)
    assert tuple(names[~reachable(grammar)]) == unreachable
    assert tuple(names[~productive(grammar)]) == unproductive


def test_recursive_components_come_largest_first():
    text = "S -> S A [0.5] | 'a' [0.5]\nA -> B [0.5] | 'a' [0.5]\nB -> A 'b' C\nC -> 'c'"
    assert Grammar.parse(text).check().recursive == (("A", "B"), ("S",))


def test_the_mean_matrix_counts_children():
    grammar = Grammar.parse("S -> A A [0.5] | A 'a' S [0.25] | 'A' [0.25]\nA -> 'a'")
    assert mean_matrix(grammar).toarray().tolist() == [[0.0, 0.0], [1.25, 0.25]]


# --- grammars counted from trees --------------------------------------------------------------

few = {"labels": st.sampled_from("SAB"), "words": st.sampled_from("ab")}


@given(st.lists(trees(**few), min_size=1, max_size=5))
def test_relative_frequencies_are_tight_and_keep_the_mean_length(forest):
    # Chi & Geman (1998); the expected length of the grammar is the mean length of its treebank,
    # and its entropy the mean surprisal of the trees
    counts = count_rules(Treebank.from_trees(forest))
    grammar = pcfg_from_counts(counts)
    report = grammar.check()
    assert (report.tight, report.proper, report.unreachable) == (True, True, ())
    assert report.spectral_radius < 1.0
    assert report.expected_length == pytest.approx(empirical_mean_length(forest))
    surprisal = -(grammar.count * np.log2(grammar.weight)).sum() / len(forest)
    assert report.entropy == pytest.approx(surprisal, abs=1e-9)
    uses = np.bincount(grammar.rules.lhs, grammar.count) / len(forest)
    assert expected_counts(grammar) == pytest.approx(uses)


# --- termination and renormalisation ----------------------------------------------------------


@given(grammars())
@settings(max_examples=60)
def test_termination_is_the_limit_of_naive_iteration(grammar):
    try:
        expected = termination_by_iteration(grammar)
    except NotConvergedError:
        assume(False)
    ours = dict(zip(grammar.rules.nonterminals, termination(grammar), strict=True))
    assert ours == pytest.approx(expected, abs=1e-8)
    report = grammar.check()
    assert report.termination == pytest.approx(expected[grammar.start], abs=1e-8)
    if report.tight:
        assert report.spectral_radius <= 1.0 + 1e-8
    else:
        assert report.termination < 1.0
        assert report.expected_length == math.inf


def test_tiny_probabilities_of_ending_are_not_lost():
    grammar = Grammar.parse("S -> A A A A [1]\nA -> A A [0.99999] | 'a' [0.00001]")
    q = 0.00001 / 0.99999
    assert termination(grammar).tolist() == pytest.approx([q, q**4], rel=1e-9)
    assert grammar.check().termination == pytest.approx(q**4, rel=1e-9, abs=0)


@given(grammars())
@settings(max_examples=60)
def test_renormalised_weights_follow_the_formula(grammar):
    try:
        ends = termination_by_iteration(grammar)
    except NotConvergedError:
        assume(False)
    tight = grammar.renormalise()
    assert tight.rules == grammar.rules
    for before, after in zip(grammar, tight, strict=True):
        factor = math.prod(ends[c.name] for c in before.rhs if not isinstance(c, str))
        expected = before.weight * factor / ends[before.lhs.name]
        assert after.weight == pytest.approx(expected, abs=1e-7)
    assert tight.check().tight


@pytest.mark.parametrize(
    "text",
    [
        "S -> S S [0.6] | 'a' [0.3] | T [0.1]\nT -> T",
        "S -> S S [0.6] | 'a' [0.3] | T T [0.1]\nT -> T 'b' [0.5] | U [0.5]",
        NEVER_ENDS,
    ],
)
def test_a_renormalised_grammar_is_usable_even_with_symbols_that_never_end(text):
    report = Grammar.parse(text).renormalise().check()
    assert (report.tight, report.termination) == (True, 1.0)
    assert report.spectral_radius < 1.0
    assert math.isfinite(report.expected_length)


def test_renormalising_leaves_a_tight_grammar_alone():
    grammar = Grammar.parse("S -> S S [0.25] | 'a' [0.5] | 'b' [0.25]")
    assert grammar.renormalise().weight.tolist() == pytest.approx(grammar.weight.tolist())


def test_nothing_is_left_of_a_grammar_that_never_ends():
    with pytest.raises(WeightError, match="no derivation from S ends"):
        Grammar.parse("S -> S 'a'").renormalise()


def test_renormalising_keeps_relative_probabilities_of_sentences():
    wild = Grammar.parse("S -> A S [0.7] | A [0.3]\nA -> A A [0.7] | 'a' [0.2] | 'b' [0.1]")
    before, after = all_derivations(wild, 4), all_derivations(wild.renormalise(), 4)
    ends = wild.check().termination
    assert 0 < ends < 1
    assert after == pytest.approx({tree: p / ends for tree, p in before.items()}, rel=1e-9)


# --- reports ----------------------------------------------------------------------------------


@pytest.mark.parametrize("text", ["S -> 'a'", "S -> S S [0.7] | 'a' [0.3]", "S -> '<b>' {<i>} S"])
def test_a_report_is_json_text_and_html(text):
    report = Grammar.parse(text).check()
    facts = json.loads(json.dumps(report.to_dict(), allow_nan=False))
    assert facts["proper"] == report.proper
    assert facts["tight"] == report.tight
    assert [line.split()[0] for line in str(report).splitlines()] == [
        "rules", "proper", "unreachable", "unproductive", "recursive",
        "spectral", "tight", "expected", "entropy",
    ]  # fmt: skip
    assert "<i>" not in report._repr_html_()
    assert report._repr_html_().count("<tr>") == 9
