"""Grammars with empty rules: parsed exactly, by any method, against plain enumeration."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterator

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from grammar.chart.constraints import Constraints
from grammar.chart.parser import NoParse, Parser
from grammar.errors import ChartGrammarError
from grammar.pcfg.analysis import productive, reachable
from grammar.pcfg.grammar import Grammar
from grammar.pcfg.operations import remove_empty
from grammar.rules.rules import Nonterminal
from tests.grammar.chart.chart_reference import parsed, thorough
from tests.grammar.strategies import grammars

NULLABLE = """
S -> A B C [0.5] | S 'x' S [0.2] | B [0.2] | 'x' [0.1]
A -> 'a' [0.3] | [0.7]
B -> 'b' [0.5] | A C [0.25] | [0.25]
C -> C 'c' [0.125] | '' [0.875]
"""
SENTENCES = ["a", "b", "x", "a b", "a x b", "c c", "a b c", "x x"]


def derivations(
    grammar: Grammar, sentence: tuple[str, ...], most: int
) -> dict[tuple[int, ...], float]:
    """Return the derivations of a sentence with at most so many rules, and their probabilities."""
    by_symbol = defaultdict(list)
    for number in range(len(grammar)):
        by_symbol[grammar.production(number).lhs].append(number)

    def expand(
        waiting: tuple[Nonterminal | str, ...], place: int, rules: tuple[int, ...]
    ) -> Iterator[tuple[int, ...]]:
        while waiting and isinstance(waiting[0], str):
            if sentence[place : place + 1] != waiting[:1]:
                return
            waiting, place = waiting[1:], place + 1
        if not waiting:
            if place == len(sentence):
                yield rules
            return
        if len(rules) < most and sum(isinstance(one, str) for one in waiting) <= len(sentence):
            for number in by_symbol[waiting[0]]:
                rhs = grammar.production(number).rhs
                yield from expand((*rhs, *waiting[1:]), place, (*rules, number))

    found = expand((Nonterminal(grammar.start),), 0, ())
    return {rules: math.prod(grammar.weight[list(rules)].tolist()) for rules in found}


@pytest.mark.parametrize("sentence", SENTENCES)
def test_the_best_derivations_are_those_of_plain_enumeration(sentence: str) -> None:
    grammar, words = Grammar.parse(NULLABLE), tuple(sentence.split())
    every = derivations(grammar, words, 10)
    found = Parser(grammar).kbest(words, 12)
    assert not isinstance(found, NoParse)
    least = math.exp(found[-1].log_probability)
    rules_found = {one.rules for one in found}
    assert all(rules in rules_found for rules, p in every.items() if p > least * (1 + 1e-9))
    scores = [one.log_probability for one in found]
    assert scores == sorted(scores, reverse=True)
    for one in found:
        weights = grammar.weight[list(one.rules)]
        assert math.prod(weights.tolist()) == pytest.approx(math.exp(one.log_probability), rel=1e-9)
        assert grammar.tree_of(one.rules) == one.tree
        assert "".join(one.tree.leaves()).replace("*", "") == "".join(words)
    assert len(rules_found) == len(found)
    viterbi = parsed(Parser(grammar).viterbi(words))
    assert math.exp(viterbi.log_probability) == pytest.approx(max(every.values()), rel=1e-9)


@pytest.mark.parametrize("sentence", SENTENCES[:6])
def test_sums_are_those_of_plain_enumeration(sentence: str) -> None:
    grammar, words = Grammar.parse(NULLABLE), tuple(sentence.split())
    every = derivations(grammar, words, 13)
    parser = Parser(grammar)
    total = math.exp(parser.inside(words))  # type: ignore[arg-type]
    missed = 1.0 - sum(every.values()) / total
    assert -1e-9 < missed < 1e-3
    counts = parser.expected_counts([words]).count
    expected = np.zeros(len(grammar))
    for rules, probability in every.items():
        np.add.at(expected, list(rules), probability / total)
    assert counts == pytest.approx(expected, abs=30 * missed + 1e-9)


@thorough
@given(grammars(), st.lists(st.sampled_from("abc"), min_size=1, max_size=4))
def test_sums_are_those_of_the_grammar_without_empty_rules(
    grammar: Grammar, sentence: list[str]
) -> None:
    fertile = productive(grammar)
    assume(fertile[reachable(grammar)].all())
    try:
        parser, full = Parser(grammar), Parser(remove_empty(grammar))
    except ChartGrammarError:
        assume(False)
    total = math.exp(parser.inside(sentence))  # type: ignore[arg-type]
    assert total == pytest.approx(math.exp(full.inside(sentence)), rel=1e-6, abs=1e-12)  # type: ignore[arg-type]
    best = parser.viterbi(sentence)
    assert bool(best) == (total > 0)
    if best:
        assert math.exp(parsed(best).log_probability) <= total * (1 + 1e-9)
        assert grammar.tree_of(parsed(best).rules) == parsed(best).tree


def test_samples_have_the_probabilities_of_derivations() -> None:
    grammar, words = Grammar.parse(NULLABLE), ("a", "b")
    every = derivations(grammar, words, 12)
    total = sum(every.values())
    drawn = Parser(grammar).sample(words, 4000, seed=3)
    assert not isinstance(drawn, NoParse)
    seen = Counter(one.rules for one in drawn)
    for rules, probability in every.items():
        share = probability / total
        assert abs(seen[rules] / 4000 - share) < 5 * math.sqrt(share / 4000) + 1e-3
    assert (
        [one.rules for one in Parser(grammar).sample(words, 40, seed=3)]
        == [  # type: ignore[union-attr]
            one.rules for one in drawn[:40]
        ]
    )


def test_derivations_are_counted_with_those_of_what_is_left_out() -> None:
    grammar = Grammar.parse("S -> 'a' A | A 'a'\nA -> B | C | ''\nB -> ''\nC -> ''")
    assert Parser(grammar).count(["a"]) == 6.0
    endless = Grammar.parse("S -> 'a' A\nA -> A A [0.25] | '' [0.75]")
    assert Parser(endless).count(["a"]) == math.inf


def test_a_long_rule_of_optional_children_says_what_to_do() -> None:
    grammar = Grammar.parse(f"S -> 'x' {'A ' * 11}\nA -> 'a' | ''")
    with pytest.raises(ChartGrammarError, match="11 children of one rule may be empty") as caught:
        Parser(grammar)
    assert "operations.binarise" in str(caught.value)
    from grammar import operations

    assert Parser(operations.binarise(grammar)).viterbi(["x", "a"])


@pytest.mark.parametrize("quoted", ["''", '""', ""])
def test_quotes_around_nothing_are_the_empty_string(quoted: str) -> None:
    grammar = Grammar.parse(f"S -> 'x' B\nB -> 'y' | {quoted}")
    assert grammar.rules.words == ("x", "y")
    assert str(parsed(Parser(grammar).viterbi(["x"])).tree) == "(S x (B (-NONE- *)))"


def test_nltk_grammars_with_empty_words_are_read_alike() -> None:
    import nltk

    theirs = nltk.PCFG.fromstring("S -> 'x' B [1.0]\nB -> 'y' [0.5] | '' [0.5]")
    assert Grammar.from_nltk(theirs).rules.words == ("x", "y")


@thorough
@given(st.sampled_from(["NP", "NP^<S>"]))
def test_constraints_and_posteriors_take_base_labels(label: str) -> None:
    grammar = Grammar.parse("S -> {NP^<S>} VP [1]\n{NP^<S>} -> 'we' [1]\nVP -> 'ran' [1]")
    parser = Parser(grammar)
    spans = parser.posteriors(["we", "ran"])
    assert not isinstance(spans, NoParse)
    assert spans.table(label)[0, 1] == 1.0
    given = Constraints([(0, 1, label)])
    assert parser.viterbi(["we", "ran"], constraints=given)
