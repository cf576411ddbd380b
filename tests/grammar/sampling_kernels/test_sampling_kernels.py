"""Samplers draw what enumeration says, by chi-square; tables are checked exactly."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy.stats import chisquare

from grammar.chart.parser import Parser
from grammar.errors import (
    ChartGrammarError,
    LengthBandError,
    NotTightError,
    OptionError,
)
from grammar.pcfg.grammar import Grammar
from grammar.rng import stream_key
from grammar.rules.compiled import alias_tables
from grammar.sampling_kernels import ancestral as derivations
from grammar.sampling_kernels import lengths
from grammar.sampling_kernels.ancestral import AncestralSampler, Derivations, derivation_trees
from grammar.sampling_kernels.inside_lengths import inside_lengths
from grammar.sampling_kernels.lengths import LengthSampler, length_distribution
from tests.grammar.enumeration import (
    NotConvergedError,
    all_derivations,
    lengths_by_iteration,
    sentence_probabilities,
)
from tests.grammar.strategies import grammars

KEY = stream_key(20, "tests")
DRAWS = 20_000

PLAIN = {
    "geometric": "S -> 'a' S [0.3] | 'b' [0.7]",
    "ambiguous": "S -> S S [0.3] | 'a' [0.5] | 'b' [0.2]",
    "unary": "S -> A [0.5] | 'a' [0.5]\nA -> B [0.4] | 'a' 'b' [0.6]\nB -> 'a' [0.1] | S S [0.9]",
    "wide": "S -> A 'x' B A 'y' [0.5] | A [0.5]\nA -> 'a' [0.9] | 'a' A [0.1]\nB -> 'b' | A",
    "never used": "S -> 'a' [0.5] | S S [0] | 'b' [0.25] | T [0] | 'c' [0.25]\nT -> T 'x'",
    "one rule": "S -> A\nA -> 'a'",
    "many words": "S -> " + " | ".join(f"'w{i}' [{i}/1225]" for i in range(50)),
}


def fits(seen: Counter, expected: Mapping, draws: int = DRAWS) -> bool:
    """Say whether counts fit probabilities; what is not listed, or is rare, is one outcome."""
    likely = {key: p * draws for key, p in expected.items() if p * draws >= 5}
    counts = [seen[key] for key in likely]
    rest = draws - sum(likely.values())
    if rest < 5:
        # too little for a test of its own; what can never happen must not have happened
        assert draws - sum(counts) <= rest + 10 * math.sqrt(max(rest, 0.0)) + 1e-6 * draws
        scale = sum(counts) / sum(likely.values())
        return len(likely) == 1 or chisquare(counts, [e * scale for e in likely.values()])[1] > 1e-4
    return chisquare([*counts, draws - sum(counts)], [*likely.values(), rest])[1] > 1e-4


def trees_of(grammar: Grammar, draws: Derivations) -> Counter:
    return Counter(derivation_trees(grammar, draws).brackets().to_pylist())


def rules_of(draws: Derivations) -> list[tuple[int, ...]]:
    bounds, rules = draws.rule_offsets.tolist(), draws.rules.tolist()
    return [tuple(rules[a:b]) for a, b in pairwise(bounds)]


def words_of(grammar: Grammar, draws: Derivations) -> list[tuple[str, ...]]:
    bounds, words = draws.word_offsets.tolist(), [grammar.rules.words[i] for i in draws.words]
    return [tuple(words[a:b]) for a, b in pairwise(bounds)]


def assert_equal(one: Derivations, other: Derivations) -> None:
    for name in Derivations.__dataclass_fields__:
        a, b = getattr(one, name), getattr(other, name)
        assert a.dtype == b.dtype
        assert a.tolist() == b.tolist()


def samplers(grammar: Grammar) -> list[AncestralSampler | LengthSampler]:
    """Return a length sampler, and an ancestral one where the grammar allows it."""
    made: list[AncestralSampler | LengthSampler] = []
    try:
        made.append(AncestralSampler(grammar))
    except NotTightError:
        assert grammar.check().expected_length == math.inf
    try:
        made.append(LengthSampler(grammar, 1, 5))
    except LengthBandError:
        assert length_distribution(grammar, 5)[1:].tolist() == [0.0] * 5
    return made


# --- ancestral sampling -----------------------------------------------------------------------


@pytest.mark.parametrize("name", PLAIN)
def test_derivations_are_drawn_with_their_probabilities(name):
    grammar = Grammar.parse(PLAIN[name])
    exact = {str(tree): p for tree, p in all_derivations(grammar, 5).items()}
    assert fits(trees_of(grammar, AncestralSampler(grammar).draw(KEY, 0, DRAWS)), exact)


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_other_seeds_fit_as_well(seed):
    grammar = Grammar.parse(PLAIN["ambiguous"])
    exact = {str(tree): p for tree, p in all_derivations(grammar, 5).items()}
    draws = AncestralSampler(grammar).draw(stream_key(seed, "tests"), 10**12, DRAWS)
    assert fits(trees_of(grammar, draws), exact)


def test_the_test_of_fit_can_fail():
    grammar = Grammar.parse("S -> 'a' [0.52] | 'b' [0.48]")
    seen = trees_of(grammar, AncestralSampler(grammar).draw(KEY, 0, DRAWS))
    assert fits(seen, {"(S a)": 0.52, "(S b)": 0.48})
    assert not fits(seen, {"(S a)": 0.5, "(S b)": 0.5})


def test_empty_rules_and_unary_cycles_are_drawn_with_their_probabilities():
    grammar = Grammar.parse("S -> S [0.25] | E S [0.25] | 'a' [0.25] | [0.25]\nE -> ")
    numbers = {str(p).rpartition(" [")[0]: i for i, p in enumerate(grammar)}
    loop, again, end = (numbers[f"S -> {r}"] for r in ("S", "E S", "'a'"))
    empty, none = numbers["S ->"], numbers["E ->"]
    exact: dict[tuple[int, ...], float] = {}
    level = {(): 1.0}
    for _ in range(7):
        for done, p in level.items():
            exact[(*done, end)] = exact[(*done, empty)] = p / 4
        level = {
            (*done, *step): p / 4 for done, p in level.items() for step in ((loop,), (again, none))
        }
    assert fits(Counter(rules_of(AncestralSampler(grammar).draw(KEY, 0, DRAWS))), exact)


@given(grammars(empty_rules=False), st.integers(0, 2**63 - 1))
@settings(max_examples=40)
def test_a_draw_is_consistent_in_itself(grammar, seed):
    for sampler in samplers(grammar):
        draws = sampler.draw(stream_key(seed, "x"), 3, 8)
        assert len(draws) == 8
        trees = derivation_trees(grammar, draws)
        assert trees.sentences() == words_of(grammar, draws)
        for tree, rules, score in zip(trees, rules_of(draws), draws.log_probability, strict=True):
            uses = [grammar.production(rule) for rule in rules]
            assert [node.label for node in tree.nodes()] == [p.lhs.name for p in uses]
            assert [tuple(c if isinstance(c, str) else c.label for c in node.children)
                    for node in tree.nodes()] == [
                tuple(c if isinstance(c, str) else c.name for c in p.rhs) for p in uses
            ]  # fmt: skip
            assert score == pytest.approx(sum(math.log(p.weight) for p in uses))


@given(grammars())
@settings(max_examples=40)
def test_example_i_depends_on_the_seed_and_i_alone(grammar):
    for sampler in samplers(grammar):
        whole = sampler.draw(KEY, 0, 15)
        parts = [sampler.draw(KEY, first, count) for first, count in ((0, 5), (5, 9), (14, 1))]
        assert_equal(Derivations.joined(parts), whole)


def test_other_seeds_and_methods_give_other_draws():
    sampler = AncestralSampler(Grammar.parse(PLAIN["many words"]))
    keys = [stream_key(0, "x"), stream_key(1, "x"), stream_key(0, "y")]
    assert len({tuple(sampler.draw(key, 0, 20).words.tolist()) for key in keys}) == 3


@pytest.mark.parametrize("room", [1, 2, 7, 100])
@pytest.mark.parametrize("band", [None, (2, 9)])
def test_buffers_that_are_too_small_change_nothing(monkeypatch, room, band):
    grammar = Grammar.parse(PLAIN["ambiguous"])
    sampler = AncestralSampler(grammar) if band is None else LengthSampler(grammar, *band)
    expected = sampler.draw(KEY, 40, 60)
    assert np.diff(expected.rule_offsets).max() > 7
    collect = derivations.collect
    for module in (derivations, lengths):
        monkeypatch.setattr(
            module, "collect", lambda draw, first, count, _: collect(draw, first, count, room)
        )
    assert_equal(sampler.draw(KEY, 40, 60), expected)


@pytest.mark.parametrize("wide", [4095, 4096, 4097, 9000])
def test_rules_wider_than_the_stack_are_drawn(wide):
    grammar = Grammar.parse("S -> T T\nT -> " + "'a' " * wide)
    assert AncestralSampler(grammar).draw(KEY, 0, 2).word_offsets.tolist() == [
        0, 2 * wide, 4 * wide,
    ]  # fmt: skip


def test_deep_derivations_are_drawn():
    grammar = Grammar.parse("S -> 'a' S 'b' [0.9999] | 'c' [0.0001]")
    draws = AncestralSampler(grammar).draw(KEY, 0, 20)
    assert np.diff(draws.rule_offsets).max() > 10_000
    assert (np.diff(draws.word_offsets) == 2 * np.diff(draws.rule_offsets) - 1).all()
    assert len(derivation_trees(grammar, draws).brackets()) == 20


def test_a_vast_expected_length_does_not_ask_for_vast_memory():
    grammar = Grammar.parse(PLAIN["ambiguous"])
    expected = AncestralSampler(grammar).draw(KEY, 0, 10)
    vast = AncestralSampler(grammar)
    vast._expected = 1e15
    assert_equal(vast.draw(KEY, 0, 10), expected)


def test_no_draws_are_an_empty_value():
    for sampler in samplers(Grammar.parse(PLAIN["ambiguous"])):
        draws = sampler.draw(KEY, 5, 0)
        assert (len(draws), draws.word_offsets.tolist(), draws.rule_offsets.tolist()) == (
            0, [0], [0],
        )  # fmt: skip
        assert len(derivation_trees(Grammar.parse(PLAIN["ambiguous"]), draws)) == 0


def test_derivations_that_may_never_end_are_refused():
    with pytest.raises(NotTightError) as caught:
        AncestralSampler(Grammar.parse("S -> S S [0.75] | 'a' [0.25]"))
    assert "end only with probability 0.333333" in caught.value.what
    assert caught.value.where == "start symbol S, spectral radius 1.500000"
    assert "renormalise" in caught.value.hint


@pytest.mark.parametrize(
    ("text", "ends"),
    [
        ("S -> 'a' [0.5] | T [0.5]\nT -> T", "0.5"),
        ("S -> 'a' [0.5] | T [0.5]", "0.5"),
        ("S -> 'a' [0.25] | T 'b' [0.75]\nT -> 'c' U", "0.25"),
        ("S -> S", "0"),
    ],
)
def test_symbols_that_never_end_are_refused(text, ends):
    with pytest.raises(NotTightError, match=f"end only with probability {ends}"):
        AncestralSampler(Grammar.parse(text))


def test_an_infinite_expected_length_is_refused():
    with pytest.raises(NotTightError, match="expected length .* is infinite") as caught:
        AncestralSampler(Grammar.parse("S -> S S [0.5] | 'a' [0.5]"))
    assert "length band" in caught.value.hint


@pytest.mark.parametrize(
    "text",
    [
        "S -> 'a' [1] | T [0]\nT -> T T",
        "S -> 'a'\nT -> T T",
    ],
)
def test_what_is_never_used_does_not_hinder(text):
    grammar = Grammar.parse(text)
    assert words_of(grammar, AncestralSampler(grammar).draw(KEY, 0, 3)) == [("a",)] * 3


def test_a_renormalised_grammar_is_drawn_from():
    wild = Grammar.parse("S -> S S [0.6] | 'a' [0.2] | 'b' [0.1] | T [0.1]\nT -> T 'x'")
    tight = wild.renormalise()
    ends = wild.check().termination
    exact = {words: p / ends for words, p in sentence_probabilities(wild, 4).items()}
    draws = AncestralSampler(tight).draw(KEY, 0, DRAWS)
    assert fits(Counter(words_of(tight, draws)), exact)


@pytest.mark.parametrize("name", ["A", "-NONE-", "*"])
def test_a_node_without_words_has_a_trace(name):
    grammar = Grammar.parse(f"S -> {{{name}}} 'b' B\n{{{name}}} -> \nB -> 'c'")
    draws = AncestralSampler(grammar).draw(KEY, 0, 2)
    trees = derivation_trees(grammar, draws)
    assert trees.brackets().to_pylist() == [f"(S ({name} (-NONE- *)) b (B c))"] * 2
    rules = np.split(draws.rules, draws.rule_offsets[1:-1])
    assert [grammar.tree_of(one.tolist()) for one in rules] == list(trees)


def test_trees_tell_a_word_from_a_symbol_of_the_same_name():
    grammar = Grammar.parse("A -> 'A' B\nB -> 'B'")
    draws = AncestralSampler(grammar).draw(KEY, 0, 2)
    assert derivation_trees(grammar, draws).brackets().to_pylist() == ["(A A (B B))"] * 2
    assert derivation_trees(grammar, draws).sentences() == [("A", "B")] * 2


# --- lengths ----------------------------------------------------------------------------------


@given(grammars())
@settings(max_examples=60)
def test_length_distributions_agree_with_naive_iteration(grammar):
    try:
        expected = lengths_by_iteration(grammar, 6)
    except NotConvergedError:
        assume(False)
    ours = length_distribution(grammar, 6)
    assert ours == pytest.approx(expected, rel=1e-7, abs=1e-9)
    # what is impossible is exactly zero, or bands that are impossible would be drawn from
    assert [p == 0 for p in ours] == [p == 0 for p in expected]


@given(st.lists(st.integers(1, 9), min_size=8, max_size=8), st.booleans())
@settings(max_examples=50)
def test_lengths_that_parity_forbids_have_no_probability_at_all(weights, loop):
    a, b, c, d, e, f, g, h = weights
    grammar = Grammar.parse(
        f"""
        S -> E [{a}] | 'w' O [{b}]
        E -> 'w' 'w' [{c}] | E [{d}] | E E [1] | O O [{e}]
        O -> 'w' [{f}] | E O [{g}] | O [{h if loop else 0}]
        """,
        normalise=True,
    )
    distribution = length_distribution(grammar, 9)
    assert distribution[0] == distribution[1] == 0
    assert (distribution[1::2] == 0).all()
    assert (distribution[2::2] > 0).all()


def test_lengths_impossible_for_a_symbol_are_zero_where_others_have_them():
    grammar = Grammar.parse(
        "S -> A [1/2] | B [1/2]\nA -> 'w' 'w' [1/6] | A [5/6]\nB -> 'w' [1/9] | [8/9]"
    )
    # no public answer shows a probability of 1e-17, which rounding once put there
    inside, _, _ = inside_lengths(grammar, 4)
    row = inside[grammar.rules.nonterminals.index("A")]
    assert (np.flatnonzero(row).tolist(), row[2]) == ([2], pytest.approx(1.0))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("S -> S S [0.5] | 'a' [0.5]", [0, 1 / 2, 1 / 8, 1 / 16, 5 / 128]),
        ("S -> S S [0.75] | 'a' [0.25]", [0, 1 / 4, 3 / 64, 9 / 512, 135 / 16384]),
        ("S -> A A A\nA -> 'a' [0.5] | [0.5]", [1 / 8, 3 / 8, 3 / 8, 1 / 8, 0]),
        ("S -> S [0.9] | 'a' [0.1]", [0, 1, 0, 0, 0]),
        ("S -> E S [0.5] | 'a' [0.5]\nE -> ", [0, 1, 0, 0, 0]),
        ("S -> A A A A [0.5] | 'w' [0.5]\nA -> [1e-5] | 'a' 'a' [0.99999]", [5e-21, 0.5, 2e-15]),
        ("S -> 'a' T [0.5] | 'b' [0.5]\nT -> T", [0, 0.5, 0, 0, 0]),
        ("S -> S", [0, 0, 0, 0, 0]),
        ("S -> ", [1, 0, 0, 0, 0]),
        ("S -> 'a'", [0, 1, 0]),
        ("S -> 'a'", [0]),
    ],
)
def test_known_length_distributions(text, expected):
    ours = length_distribution(Grammar.parse(text), len(expected) - 1)
    assert ours.tolist() == pytest.approx(expected, rel=1e-4, abs=0)


@pytest.mark.parametrize(
    "text", ["S -> S S [0.5] | [0.5]", "S -> A A [0.5] | [0.5]\nA -> S", "S -> S S [0.7] | [0.3]"]
)
def test_derivations_that_write_nothing_are_solved_even_where_they_are_critical(text):
    grammar = Grammar.parse(text)
    ends = grammar.check().termination
    assert length_distribution(grammar, 3) == pytest.approx([ends, 0, 0, 0], abs=1e-6)
    draws = LengthSampler(grammar, 0, 3).draw(KEY, 0, 20)
    assert draws.word_offsets.tolist() == [0] * 21


BANDS = [
    ("geometric", 1, 1), ("geometric", 3, 6), ("ambiguous", 1, 5), ("ambiguous", 4, 4),
    ("unary", 2, 5), ("unary", 1, 1), ("wide", 1, 7), ("wide", 5, 6), ("never used", 1, 4),
    ("many words", 0, 9),
]  # fmt: skip


@pytest.mark.parametrize(("name", "shortest", "longest"), BANDS)
def test_a_band_is_drawn_from_as_if_other_lengths_did_not_exist(name, shortest, longest):
    grammar = Grammar.parse(PLAIN[name])
    inside = {
        str(tree): p
        for tree, p in all_derivations(grammar, longest).items()
        if shortest <= len(tree.leaves()) <= longest
    }
    exact = {tree: p / sum(inside.values()) for tree, p in inside.items()}
    draws = LengthSampler(grammar, shortest, longest).draw(KEY, 0, DRAWS)
    seen = trees_of(grammar, draws)
    assert seen.keys() <= {tree for tree, p in exact.items() if p > 0}
    assert fits(seen, exact)
    chances = draws.log_probability[:50]
    trees = derivation_trees(grammar, draws)[:50]
    assert chances == pytest.approx([math.log(inside[str(tree)]) for tree in trees])


def test_a_band_of_a_grammar_that_may_never_end():
    grammar = Grammar.parse("S -> S S [0.75] | 'a' [0.15] | 'b' [0.1]")
    inside = sentence_probabilities(grammar, 3)
    exact = {words: p / sum(inside.values()) for words, p in inside.items()}
    assert fits(Counter(words_of(grammar, LengthSampler(grammar, 0, 3).draw(KEY, 0, DRAWS))), exact)


def test_a_band_with_empty_rules():
    grammar = Grammar.parse("S -> A A B [1]\nA -> 'a' [0.5] | [0.5]\nB -> A [0.4] | 'b' [0.6]")
    # of the sentences of one word: a in three places, or b
    exact = {("a",): 3 / 8 * 0.4, ("b",): 0.6 / 4}
    exact = {words: p / sum(exact.values()) for words, p in exact.items()}
    assert fits(Counter(words_of(grammar, LengthSampler(grammar, 1, 1).draw(KEY, 0, DRAWS))), exact)
    nothing = LengthSampler(grammar, 0, 0).draw(KEY, 0, 5)
    assert nothing.word_offsets.tolist() == [0] * 6
    assert nothing.log_probability.tolist() == pytest.approx([math.log(0.4 / 8)] * 5)


def test_a_band_with_unary_cycles():
    grammar = Grammar.parse("S -> S [0.5] | T [0.25] | 'a' [0.25]\nT -> S [0.5] | 'b' 'b' [0.5]")
    draws = LengthSampler(grammar, 1, 1).draw(KEY, 0, DRAWS)
    # S returns to itself with 1/2 in one step and with 1/8 by way of T
    steps = Counter(len(rules) for rules in rules_of(draws))
    exact = {}
    paths = {("S", 1): 1.0}
    for n in range(1, 40):
        exact[n] = paths.get(("S", n), 0.0) * 0.375
        paths[("S", n + 1)] = paths.get(("S", n), 0.0) * 0.5 + paths.get(("T", n), 0.0) * 0.5
        paths[("T", n + 1)] = paths.get(("S", n), 0.0) * 0.25
    assert sum(exact.values()) == pytest.approx(1.0, abs=1e-4)
    assert fits(steps, exact)


@given(grammars(), st.integers(0, 4), st.integers(0, 3))
@settings(max_examples=40)
def test_lengths_stay_in_the_band(grammar, shortest, more):
    try:
        sampler = LengthSampler(grammar, shortest, shortest + more)
    except LengthBandError:
        assert not length_distribution(grammar, shortest + more)[shortest:].any()
        return
    draws = sampler.draw(KEY, 0, 30)
    drawn = np.diff(draws.word_offsets)
    assert drawn.min() >= shortest
    assert drawn.max() <= shortest + more
    assert np.isfinite(draws.log_probability).all()


LONG = "S -> 'a' S [0.01] | 'b' [0.99]"


@pytest.mark.parametrize(
    "text",
    [
        LONG,
        # symbols that decay more slowly, but are out of reach
        LONG + "\nT -> 'a' T [0.999] | 'b' [0.001]",
        "S -> 'a' S [0.01] | 'b' [0.98] | T U [0.01]\nT -> 'a' T [0.999] | 'b' [0.001]\nU -> U",
    ],
)
def test_long_sentences_do_not_underflow(text):
    grammar = Grammar.parse(text)
    draws = LengthSampler(grammar, 300, 310).draw(KEY, 0, 2000)
    drawn = np.diff(draws.word_offsets)
    rate = {n: 0.01 ** (n - 300) * 0.99 for n in range(300, 311)}
    assert fits(Counter(drawn.tolist()), rate, 2000)
    expected = (drawn - 1) * math.log(0.01) + math.log(grammar.productions("S")[0].weight)
    assert draws.log_probability == pytest.approx(expected)


def test_lengths_all_but_impossible_between_likely_ones_do_no_harm():
    grammar = Grammar.parse(
        """
        S -> T [0.5] | X [0.5]
        T -> 'a' 'a' T [.99] | 'a' 'a' [.01]
        X -> 'a' 'a' X [0.01] | 'b' [0.99]
        """
    )
    distribution = length_distribution(grammar, 1000)
    assert np.isfinite(distribution).all()
    assert distribution[2::2] == pytest.approx(0.005 * 0.99 ** np.arange(500))
    assert distribution[1:100:2] == pytest.approx(0.495 * 0.01 ** np.arange(50), rel=1e-9, abs=0)
    draws = LengthSampler(grammar, 900, 1000).draw(KEY, 0, 100)
    assert set(np.diff(draws.word_offsets).tolist()) <= set(range(900, 1001, 2))


def test_steep_and_flat_stretches_of_lengths_stay_in_range():
    grammar = Grammar.parse(
        "S -> 'a' S [1e-9] | 'b' [0.9] | T [0.099999999]\n"
        "T -> " + "'c' " * 60 + "T [0.5] | " + "'c' " * 60 + "[0.5]"
    )
    distribution = length_distribution(grammar, 400)
    assert np.isfinite(distribution).all()
    assert distribution[60::60] == pytest.approx(0.099999999 * 0.5 ** np.arange(1, 7), rel=1e-6)
    assert distribution[1:20] == pytest.approx(0.9 * 1e-9 ** np.arange(19), rel=1e-9, abs=0)


@pytest.mark.parametrize(
    ("text", "band", "hint"),
    [
        ("S -> 'a' 'a' S [0.5] | 'a' 'a' [0.5]", (3, 3), "produce: 2, 4, 6, 8, 10"),
        ("S -> 'a' [0.5] | 'a' 'a' 'a' [0.5]", (10, 20), "produce: 1, 3"),
        ("S -> 'a'", (0, 0), "produce: 1"),
        ("S -> 'a' 'a' S [0.5] | 'a' 'a' [0.5]", (0, 1), "produce: 2, 4, 6, 8, 10"),
        ("S -> S 'a'", (1, 5), "has no sentence of up to 30 words"),
        (LONG, (0, 0), "produce: 1, 2, 3, 4, 5"),
    ],
)
def test_an_impossible_band_names_the_nearest_lengths(text, band, hint):
    with pytest.raises(LengthBandError, match=f"no sentence of {band[0]} to {band[1]}") as caught:
        LengthSampler(Grammar.parse(text), *band)
    assert caught.value.hint.endswith(hint)
    assert caught.value.where == "start symbol S"


@pytest.mark.parametrize("band", [(-1, 3), (3, 2), (-2, -1), (1.5, 2), (1, 2.0), ("1", "2")])
def test_what_is_no_band_is_an_option_error(band):
    with pytest.raises(OptionError, match=f"the length band {band[0]}:{band[1]} is not a band"):
        LengthSampler(Grammar.parse("S -> 'a'"), *band)


# --- alias tables -----------------------------------------------------------------------------

weights = st.sampled_from([0.0, 1e-300, 1e-17, 1 / 3, 1.0, 7.0]) | st.floats(0, 1)


@given(st.lists(st.lists(weights, max_size=9), max_size=5))
def test_alias_tables_hold_exactly_the_given_probabilities(rows):
    rows = [row for row in rows if not row or sum(row) > 1e-290]
    weight = np.array([w for row in rows for w in row], np.float64)
    starts = np.cumsum([0, *map(len, rows)]).astype(np.int64)
    cut, alias = alias_tables(weight, starts)
    assert ((cut >= 0) & (cut <= 1)).all()
    for row, begin, end in zip(rows, starts[:-1], starts[1:], strict=True):
        total = np.zeros(len(row))
        for i in range(begin, end):
            assert begin <= alias[i] < end
            total[i - begin] += cut[i]
            total[alias[i] - begin] += 1 - cut[i]
        expected = [w / sum(row) for w in row]
        assert total / max(len(row), 1) == pytest.approx(expected, rel=1e-12, abs=1e-15)
        assert all(t == 0 for t, w in zip(total, row, strict=True) if w == 0)


def test_an_alias_table_of_many_entries_is_exact():
    weight = np.random.default_rng(0).random(10_000) ** 20
    cut, alias = alias_tables(weight, np.array([0, len(weight)]))
    total = cut.copy()
    np.add.at(total, alias, 1 - cut)
    assert total / len(weight) == pytest.approx(weight / weight.sum(), rel=1e-9, abs=1e-15)


@pytest.mark.parametrize("how", [{}, {"length": (1, 9)}])
def test_symbols_without_rules_are_named_first(how) -> None:
    from grammar.errors import TreewrightError
    from grammar.messages import heard_by
    from sampling import sample_sentences

    said: list[str] = []
    with heard_by(said.append):
        grammar = Grammar.parse("S -> NP VP\nNP -> the dog\nVP -> runs", source="dogs.cfg")
    assert said == [
        "dogs.cfg:2: the, dog, runs have no rules; quote words, as in 'the', and give symbols rules"
    ]
    with pytest.raises(TreewrightError) as caught:
        sample_sentences(grammar, 2, **how)
    assert "dog, runs, the have no rules" in str(caught.value)
    assert "radius" not in str(caught.value)
    with pytest.raises(ChartGrammarError, match="dog, runs, the have no rules"):
        Parser(grammar)
