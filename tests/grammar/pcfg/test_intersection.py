"""Grammars intersected with automata, against filtering all their short strings."""

from __future__ import annotations

import math
from collections import Counter

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy.stats import chisquare

from grammar.errors import EmptyLanguageError
from grammar.pcfg.automata import Automaton, avoids, contains, length_band, pattern, prefix
from grammar.pcfg.grammar import Grammar
from grammar.pcfg.intersection import intersect
from sampling.sentences.sentences import sample_sentences
from tests.grammar.pcfg.test_operations import small_grammars, string_probabilities

LONGEST = 4

automata = st.sampled_from(
    [
        contains("a"),
        contains("a", "b"),
        avoids("b"),
        prefix(["b"]),
        length_band(1, 2),
        length_band(2),
        pattern("(a b)*"),
        pattern(". (a | b a)+"),
        pattern(".* a .* b .*"),
        pattern(".*"),
        contains("a") & ~contains("b", "b") & length_band(2, 4),
    ]
)
TOY = Grammar.parse("""
    S -> NP VP [0.75] | 'yes' [0.25]
    NP -> 'the' N [0.5] | 'the' A N [0.25] | NP PP [0.25]
    A -> 'big' [0.5] | 'old' [0.25] | A A [0.25]
    N -> 'dog' [0.5] | 'cat' [0.25] | 'park' [0.25]
    PP -> 'near' NP [1]
    VP -> 'slept' [0.5] | 'saw' NP [0.25] | VP PP [0.25]
""")


def close(one: dict[tuple[str, ...], float], other: dict[tuple[str, ...], float]) -> bool:
    return all(abs(one.get(s, 0.0) - other.get(s, 0.0)) < 1e-9 for s in one.keys() | other.keys())


@settings(max_examples=300, deadline=None)
@given(small_grammars(), automata)
def test_conditional_probabilities_are_those_of_the_filtered_strings(
    grammar: Grammar, automaton: Automaton
) -> None:
    every = string_probabilities(grammar, LONGEST)
    assume(every is not None)
    assert every is not None
    # a grammar that ends with probability one only just has sums of half the digits
    assume(abs(grammar.check().spectral_radius - 1.0) > 1e-3)
    kept = {s: p for s, p in every.items() if automaton.accepts(s)}
    try:
        conditioned, mass = intersect(grammar, automaton)
    except EmptyLanguageError:
        assert not kept
        return
    found = string_probabilities(conditioned, LONGEST)
    assert found is not None
    assert close({s: p * mass for s, p in found.items()}, kept)
    assert mass > sum(kept.values()) - 1e-9
    report = conditioned.check()
    assert report.proper
    assert report.tight
    assert not report.unreachable
    assert not report.unproductive


@settings(max_examples=100, deadline=None)
@given(small_grammars(), automata)
def test_masses_of_a_language_and_its_complement_add_up(
    grammar: Grammar, automaton: Automaton
) -> None:
    report = grammar.check()
    assume(abs(report.spectral_radius - 1.0) > 1e-3)

    def mass(language: Automaton) -> float:
        try:
            return intersect(grammar, language).mass
        except EmptyLanguageError:
            return 0.0

    assert mass(automaton) + mass(~automaton) == pytest.approx(report.termination, abs=1e-9)


@settings(max_examples=60, deadline=None)
@given(small_grammars(), st.integers(0, 3), st.integers(0, 1))
def test_the_mass_of_a_finite_language_is_the_sum_of_its_strings(
    grammar: Grammar, shortest: int, more: int
) -> None:
    every = string_probabilities(grammar, shortest + more)
    assume(every is not None and len(every) > 0)
    assert every is not None
    band = length_band(shortest, shortest + more)
    expected = sum(p for s, p in every.items() if len(s) >= shortest)
    if expected == 0:
        with pytest.raises(EmptyLanguageError):
            intersect(grammar, band)
    else:
        assert intersect(grammar, band).mass == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize(
    "automaton",
    [contains("dog") & length_band(0, 7), prefix(["the", "old"]), pattern("the . saw the .")],
)
def test_sampling_from_the_intersection_is_conditional_sampling(automaton: Automaton) -> None:
    conditioned, mass = intersect(TOY, automaton)
    n = 40_000
    corpus = sample_sentences(conditioned, n, seed=3)
    seen = Counter(tuple(text.split()) for text in corpus.column("text"))
    assert all(automaton.accepts(sentence) for sentence in seen)
    exact = string_probabilities(TOY, 7)
    assert exact is not None
    often = {s: p / mass * n for s, p in exact.items() if automaton.accepts(s) and p / mass > 1e-3}
    rest = n - sum(often.values())
    observed = [seen[s] for s in often] + [n - sum(seen[s] for s in often)]
    if rest < 5:
        observed, rest = observed[:-1], 0.0
    expected = [*often.values()] + [rest] * (rest > 0)
    scale = sum(observed) / sum(expected)
    assert chisquare(observed, [e * scale for e in expected]).pvalue > 1e-3


def test_log_probabilities_are_those_of_the_grammar_given_the_language() -> None:
    grammar = Grammar.parse("S -> 'a' S [0.5] | 'b' [0.5]")
    conditioned, mass = intersect(grammar, contains("a"))
    for row in sample_sentences(conditioned, 20, seed=1).table.to_pylist():
        words = row["text"].split()
        expected = len(words) * math.log(0.5) - math.log(mass)
        assert row["provenance"]["log_probability"] == pytest.approx(expected)


def test_trees_come_without_states_and_binarisation() -> None:
    grammar = Grammar.parse("S -> A 'b' 'c' A [1] \n A -> 'a' [0.5] | 'b' [0.5]")
    conditioned, mass = intersect(grammar, contains("b", "b") | prefix(["a"]))
    assert mass == pytest.approx(1.0)
    trees = sample_sentences(conditioned, 30, seed=0, trees=True).column("tree")
    assert set(trees) == {
        f"(S (A {x}) b c (A {y}))" for x in "ab" for y in "ab"
    }  # fmt: skip


def test_intersections_can_be_intersected_again() -> None:
    once = intersect(TOY, contains("dog") & avoids("cat"))
    first = intersect(TOY, contains("dog"))
    twice = intersect(first.grammar, avoids("cat"))
    assert first.mass * twice.mass == pytest.approx(once.mass)
    one, other = (string_probabilities(r.grammar, 6) for r in (once, twice))
    assert one is not None
    assert other is not None
    assert close(one, other)


def test_grammars_that_are_not_tight() -> None:
    wild = Grammar.parse("S -> S S [0.75] | 'a' [0.125] | 'b' [0.125]")
    everything = intersect(wild, pattern(".*"))
    assert everything.mass == pytest.approx(1 / 3)
    assert everything.grammar.check().tight
    # the least solution of x = 0.75 x^2 + 0.125
    assert intersect(wild, avoids("b")).mass == pytest.approx((1 - math.sqrt(1 - 0.375)) / 1.5)


def test_prefix_probabilities() -> None:
    grammar = Grammar.parse("S -> 'a' S [0.25] | 'b' S [0.25] | [0.5]")
    for words in ("a", "a b", "b b a"):
        mass = intersect(grammar, prefix(words.split())).mass
        assert mass == pytest.approx(0.25 ** len(words.split()))


def test_many_states() -> None:
    grammar = Grammar.parse("S -> S S [0.4] | 'a' [0.3] | 'b' [0.3]")
    conditioned, mass = intersect(grammar, length_band(10, 20) & contains("a", "a", "b"))
    texts = sample_sentences(conditioned, 100, seed=0).column("text")
    assert all("a a b" in text and 10 <= len(text.split()) <= 20 for text in texts)
    assert 0 < mass < 1


def test_nothing_left_is_said() -> None:
    with pytest.raises(EmptyLanguageError, match="accepts no sentence at all"):
        intersect(TOY, contains("dog") & avoids("dog"))
    with pytest.raises(EmptyLanguageError, match="no sentence of the grammar") as caught:
        intersect(TOY, contains("dogs"))
    assert "no word 'dogs'; near it are 'dog'" in str(caught.value)
    with pytest.raises(EmptyLanguageError, match="no sentence of the grammar"):
        intersect(TOY, length_band(2, 2) & contains("dog"))
    with pytest.raises(EmptyLanguageError, match="so improbable"):
        intersect(Grammar.parse("S -> 'a' S [1e-9] | 'b' [0.999999999]"), length_band(50))
