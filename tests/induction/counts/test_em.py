"""Inside-outside EM: it climbs, it stops, it agrees with enumeration, it says what failed."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from grammar.chart.parser import Parser
from grammar.errors import ChartGrammarError, CorpusError, OptionError
from grammar.pcfg.grammar import Grammar
from induction.counts.em import Iteration, inside_outside, random_grammar
from tests.grammar.chart.chart_reference import SUM, Enumeration, evaluate
from tests.grammar.strategies import grammars

AMBIGUOUS = Grammar.parse("S -> S S [0.3] | A [0.2] | 'a' [0.5] \n A -> S 'b' S [0.5] | 'b' [0.5]")
PICKY = [HealthCheck.filter_too_much]
"""Most grammars yield none of a few random sentences."""
CORPUS = [tuple(text) for text in ("aab", "ba", "abab", "a", "bb", "aaaa")]


def corpora() -> st.SearchStrategy[list[tuple[str, ...]]]:
    sentence = st.lists(st.sampled_from("abc"), min_size=1, max_size=5).map(tuple)
    return st.lists(sentence, min_size=1, max_size=5)


def learnable(grammar: Grammar, sentences: list[tuple[str, ...]]) -> None:
    try:
        parser = Parser(grammar)
    except ChartGrammarError:
        assume(False)
    assume(any(parser.viterbi(s) for s in sentences))


@settings(max_examples=60, suppress_health_check=PICKY)
@given(grammars(empty_rules=False), corpora())
def test_the_likelihood_never_falls_and_the_grammar_is_tight(
    grammar: Grammar, sentences: list[tuple[str, ...]]
) -> None:
    learnable(grammar, sentences)
    result = inside_outside(grammar, sentences, iterations=8, tolerance=0.0)
    likelihood = [step.log_likelihood for step in result.history]
    for before, after in itertools.pairwise(likelihood):
        assert after >= before - 1e-9 * max(1.0, abs(before))
    assert result.grammar.check().tight
    assert ((result.grammar.weight == 0) >= (grammar.weight == 0)).all()
    lost = [s for s in sentences if not Parser(grammar).viterbi(s)]
    assert [failure.sentence for failure in result.failures] == lost


@settings(max_examples=30, suppress_health_check=PICKY)
@given(grammars(unary_cycles=False, empty_rules=False), corpora())
def test_one_step_is_relative_frequency_of_expected_rules(
    grammar: Grammar, sentences: list[tuple[str, ...]]
) -> None:
    learnable(grammar, sentences)
    count = np.zeros(len(grammar))
    log_likelihood = 0.0
    for sentence in sentences:
        if evaluate(grammar, sentence, SUM):
            found = Enumeration(grammar, sentence)
            count += found.rule_counts()
            log_likelihood += math.log(found.total)
    result = inside_outside(grammar, sentences, iterations=1)
    assert result.history[0].log_likelihood == pytest.approx(log_likelihood)
    sums = np.bincount(grammar.rules.lhs, count)[grammar.rules.lhs]
    used = sums > 0
    assert result.grammar.weight[used] == pytest.approx(count[used] / sums[used], abs=1e-9)
    assert result.grammar.weight[~used] == pytest.approx(grammar.weight[~used])


def test_smoothing_is_added_to_rules_that_have_weight() -> None:
    grammar = Grammar.parse("S -> 'a' [0.5] | 'b' [0.5] | 'c' [0]")
    result = inside_outside(grammar, [["a"], ["a"]], iterations=1, smoothing=0.5)
    assert dict(zip((p.rhs[0] for p in grammar), result.grammar.weight, strict=True)) == (
        pytest.approx({"a": 2.5 / 3, "b": 0.5 / 3, "c": 0.0})
    )


def test_workers_change_nothing() -> None:
    sentences = [s for s in CORPUS for _ in range(13)]
    one, three = (
        inside_outside(AMBIGUOUS, sentences, iterations=4, held_out=CORPUS[:2], workers=workers)
        for workers in (1, 3)
    )
    assert np.array_equal(one.grammar.weight, three.grammar.weight)
    assert one.history == three.history


def test_brackets_restrict_what_is_learnt() -> None:
    grammar = Grammar.parse(
        """
        S -> L [0.5] | R [0.5]
        L -> L A [0.5] | A A [0.5]
        R -> A R [0.5] | A A [0.5]
        A -> 'a' [1]
        """
    )
    sentence = ["a"] * 4
    left = inside_outside(grammar, [sentence] * 2, brackets=[[(0, 2), (0, 3)], None])
    start = {str(p.rhs[0]): p.weight for p in left.grammar.productions("S")}
    assert start["L"] == pytest.approx(1.0, abs=1e-3)
    free = inside_outside(grammar, [sentence] * 2)
    assert {p.weight for p in free.grammar.productions("S")} == {0.5}


def test_it_learns_the_words_of_two_categories() -> None:
    true = Grammar.parse(
        "S -> A B [0.8] | A S [0.2] \n A -> 'x' [0.6] | 'y' [0.4] \n B -> 'p' [0.3] | 'q' [0.7]"
    )
    parser = Parser(true)
    sentences = [
        words
        for n in (2, 3, 4)
        for words in itertools.product("xypq", repeat=n)
        if math.exp(parser.inside(words)) > 0
    ]
    corpus = [s for s in sentences for _ in range(max(1, round(200 * math.exp(parser.inside(s)))))]
    start = random_grammar(["S", "A", "B"], "pqxy", seed=2)
    result = inside_outside(start, corpus, iterations=150, tolerance=1e-9)
    entropy = sum(parser.inside(s) for s in corpus)
    assert result.history[-1].log_likelihood > entropy - 0.02 * abs(entropy)
    assert result.history[0].log_likelihood < 1.5 * entropy


def test_held_out_likelihood_stops_it_and_chooses_the_weights() -> None:
    training, held_out = [tuple("aab")] * 3, [tuple("ba"), tuple("abab")]
    start = random_grammar(3, "ab", seed=1)
    result = inside_outside(
        start, training, held_out=held_out, iterations=200, tolerance=0.0, patience=2
    )
    judged = [step.held_out for step in result.history]
    assert result.stopped == "held-out likelihood fell"
    assert len(judged) < 201
    assert judged[-1] is not None
    best = max(range(len(judged)), key=lambda i: judged[i])
    assert len(judged) - 1 - best == 2
    log_likelihood = sum(Parser(result.grammar).inside(s) for s in held_out)
    assert log_likelihood == pytest.approx(judged[best])


def test_held_out_sentences_that_become_impossible_are_worth_nothing() -> None:
    result = inside_outside(AMBIGUOUS, [["a"]], held_out=[["a", "b"]], patience=1)
    assert result.history[1].held_out == -math.inf
    assert result.stopped == "held-out likelihood fell"
    assert np.array_equal(result.grammar.weight, AMBIGUOUS.weight)


def test_progress_and_reasons_to_stop() -> None:
    seen: list[tuple[int, Iteration]] = []
    result = inside_outside(
        AMBIGUOUS,
        [*CORPUS, ("zebra",)],
        iterations=3,
        tolerance=0.0,
        on_progress=lambda number, step: seen.append((number, step)),
    )
    assert seen == list(enumerate(result.history))
    assert len(seen) == 4
    assert result.stopped == "iterations"
    assert "zebra" in str(result.failures[0])
    assert inside_outside(AMBIGUOUS, CORPUS, tolerance=0.01).stopped == "converged"
    none = inside_outside(AMBIGUOUS, CORPUS, iterations=0)
    assert none.grammar is AMBIGUOUS


def test_weights_far_below_the_smallest_product_of_numbers() -> None:
    grammar = Grammar.parse(
        "S -> A [1e-300] | 'b' [1] \n A -> B [1e-300] | 'b' [1] \n B -> 'a' [1]"
    )
    result = inside_outside(grammar, [["a"]], iterations=2)
    assert result.history[0].log_likelihood == pytest.approx(-600 * math.log(10))
    assert result.history[1].log_likelihood == pytest.approx(0.0)


def test_random_grammars_are_proper_tight_and_reproducible() -> None:
    grammar = random_grammar(4, ["b", "a", "a"], seed=7)
    assert grammar == random_grammar(4, ["a", "b"], seed=7)
    assert grammar != random_grammar(4, ["a", "b"], seed=8)
    assert len(grammar) == 4 * (16 + 2)
    report = grammar.check()
    assert report.proper
    assert report.tight
    assert len(set(grammar.weight.tolist())) == len(grammar)
    assert random_grammar(["TOP", "X"], ["a"]).start == "TOP"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"iterations": -1}, "iterations=-1"),
        ({"iterations": True}, "iterations=True"),
        ({"patience": 0}, "patience=0"),
        ({"tolerance": -0.1}, "tolerance=-0.1"),
        ({"smoothing": math.nan}, "smoothing=nan"),
        ({"workers": 0}, "workers=0"),
        ({"brackets": [None]}, "constraints are given for 1 of 6 sentences"),
        ({"brackets": [[(0, 9)], *[None] * 5]}, "sentence 1: .*ends after the last of 3 words"),
    ],
)
def test_options_that_cannot_be_used(options: dict[str, object], message: str) -> None:
    with pytest.raises(OptionError, match=message):
        inside_outside(AMBIGUOUS, CORPUS, **options)  # type: ignore[arg-type]


def test_nothing_to_learn_from() -> None:
    with pytest.raises(CorpusError, match="no sentences"):
        inside_outside(AMBIGUOUS, [])
    with pytest.raises(CorpusError, match=r"no sentence has a derivation(.|\n)*zebra"):
        inside_outside(AMBIGUOUS, [["zebra"]])
    for wrong in ([3], []):
        with pytest.raises(OptionError, match="sentence 1"):
            inside_outside(AMBIGUOUS, [wrong])  # type: ignore[list-item]
    for names in (0, -1, [], "SA", ["S", "S"]):
        with pytest.raises(OptionError):
            random_grammar(names, ["a"])
    with pytest.raises(OptionError):
        random_grammar(2, [])
