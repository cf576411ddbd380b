"""EM for grammars of programs: empty rules, unary cycles, texts without spaces, against twins."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from grammar import Parser, read_notation
from grammar.errors import ChartGrammarError, CorpusError, OptionError
from grammar.pcfg.analysis import productive, reachable
from grammar.pcfg.grammar import Grammar
from grammar.pcfg.rule_pairs import words_of
from grammar.pcfg.spelling import Spelling
from grammar.rules.rules import Nonterminal
from induction.counts.em import inside_outside
from sampling import sample_sentences
from tests.grammar.formats.published import PUBLISHED
from tests.grammar.strategies import grammars

Words = tuple[str, ...]
STEP = 1e-30
PICKY = [HealthCheck.filter_too_much, HealthCheck.too_slow]


def total(grammar: Grammar, sentence: Words, weights: list[complex]) -> complex:
    """Return the sum over all derivations of a sentence: the least fixed point, by iteration.

    A symbol is a matrix of what it derives between two places; a rule is a product of these.
    """
    places = len(sentence) + 1
    of_word = {
        word: np.diag([float(w == word) for w in sentence], k=1) for word in grammar.rules.words
    }
    value = {name: np.zeros((places, places), complex) for name in grammar.rules.nonterminals}
    for _ in range(3000):
        now = {name: np.zeros((places, places), complex) for name in value}
        for rule, weight in enumerate(weights):
            lhs, rhs = grammar.rules.sides(rule)
            made = weight * np.eye(places)
            for child in rhs:
                of_child = value[child.name] if isinstance(child, Nonterminal) else of_word[child]
                made = made @ of_child
            now[lhs.name] += made
        gap = max(float(np.abs(now[name] - value[name]).max()) for name in value)
        slope = max(float(np.abs(now[name] - value[name]).imag.max()) for name in value)
        value = now
        if gap < 1e-14 and slope < 1e-12 * STEP:
            return complex(value[grammar.start][0, -1])
    assume(False)
    raise AssertionError


def expected(grammar: Grammar, sentence: Words) -> tuple[np.ndarray, float]:
    """Return the expected uses of each rule and the probability, by derivatives."""
    weights = [complex(w) for w in grammar.weight]
    probability = total(grammar, sentence, weights).real
    if probability < 1e-9:
        return np.zeros(len(grammar)), probability
    count = [
        total(grammar, sentence, [*weights[:r], w + STEP * 1j, *weights[r + 1 :]]).imag / STEP * w
        for r, w in enumerate(grammar.weight)
    ]
    return np.array(count) / probability, probability


@settings(max_examples=40, deadline=None, suppress_health_check=PICKY)
@given(
    grammars(max_symbols=3), st.lists(st.lists(st.sampled_from("abc"), max_size=3), min_size=2,
    max_size=3),
)  # fmt: skip
def test_a_step_is_that_of_all_derivations_with_empty_rules_and_cycles(
    grammar: Grammar, given_sentences: list[list[str]]
) -> None:
    assume(productive(grammar)[reachable(grammar)].all())
    found = [(words, *expected(grammar, tuple(words))) for words in given_sentences]
    found = [one for one in found if one[2] > 1e-9]
    assume(found)
    try:
        result = inside_outside(grammar, [words for words, *_ in found], iterations=1)
    except ChartGrammarError:
        assume(False)
    log_likelihood = math.fsum(math.log(probability) for *_, probability in found)
    assert result.history[0].log_likelihood == pytest.approx(log_likelihood, rel=1e-7)
    assert result.history[1].log_likelihood >= log_likelihood - 1e-7 * abs(log_likelihood) - 1e-9
    count = np.sum([count for _, count, _ in found], axis=0)
    sums = np.bincount(grammar.rules.lhs, count)[grammar.rules.lhs]
    used = sums > 1e-9
    assert result.grammar.weight[used] == pytest.approx(count[used] / sums[used], abs=1e-6)


@settings(max_examples=40, deadline=None, suppress_health_check=PICKY)
@given(grammars(), st.lists(st.lists(st.sampled_from("abc"), max_size=4), min_size=1, max_size=4))
def test_the_likelihood_never_falls(grammar: Grammar, sentences: list[list[str]]) -> None:
    try:
        result = inside_outside(grammar, sentences, iterations=6, tolerance=0.0)
    except (ChartGrammarError, CorpusError, OptionError):
        assume(False)
    likelihood = [step.log_likelihood for step in result.history]
    for before, after in itertools.pairwise(likelihood):
        assert after >= before - 1e-7 * max(1.0, abs(before))


def test_a_unary_cycle_has_its_closed_form() -> None:
    grammar = Grammar.parse("S -> S [0.75] | 'a' [0.25]")
    counts = Parser(grammar).expected_counts([["a"]])
    # a geometric distribution: on average 3 rounds, and the probability of the sentence is one
    assert counts.count == pytest.approx([3.0, 1.0])
    assert counts.log_likelihood == pytest.approx(0.0)
    two = Grammar.parse("S -> A [0.5] | 'a' [0.5] \n A -> S [0.75] | 'b' [0.25]")
    # S -> A and A -> S in turn, 0.375 each time: 0.6 rounds
    uses = Parser(two).expected_counts([["a"]]).count
    of = {two.rule_text(rule): uses[rule] for rule in range(4)}
    assert of["A -> S"] == pytest.approx(0.6)
    assert of["S -> A"] == pytest.approx(0.6)
    assert of["A -> 'b'"] == 0.0


def test_sentences_without_words_have_their_closed_form() -> None:
    grammar = Grammar.parse("S -> S S [0.25] | '' [0.25] | 'a' [0.5]")
    # e = 1/4 + e^2 / 4; of its derivations, d log e / d log w are the uses
    chance = 2 - math.sqrt(3)
    counts = Parser(grammar).expected_counts([[]])
    assert counts.log_likelihood == pytest.approx(math.log(chance))
    pairs = chance**2 / 4 / chance / (1 - chance / 2)
    of = {grammar.rule_text(r): counts.count[r] for r in range(3)}
    assert of == pytest.approx({"S ->": pairs + 1, "S -> 'a'": 0.0, "S -> S S": pairs})
    result = inside_outside(grammar, [[], ["a"], "a", ""], iterations=30)
    assert result.grammar.weight.sum() == pytest.approx(1)
    with pytest.raises(OptionError, match="no words"):
        inside_outside(Grammar.parse("S -> 'a'"), [[]])
    endless = Grammar.parse("S -> S S [0.5] | '' [0.5]")
    with pytest.raises(ChartGrammarError):
        inside_outside(endless, [[]])


JSON = """
root ::= object | array | text | "true" | "false" | "null"
object ::= "{" (pair ("," pair)*)? "}"
pair ::= text ":" root
array ::= "[" (root ("," root)*)? "]"
text ::= "\\"" [a-c]* "\\""
"""
PROGRAMS = ['{"a":true}', '{"ab":[true,true,null],"c":{}}', "[]", "[true,[false]]", '"abc"']


def test_a_notation_is_read_fitted_to_programs_and_sampled() -> None:
    grammar = read_notation(JSON, "gbnf")
    result = inside_outside(grammar, PROGRAMS, spacing="characters")
    assert not result.failures
    words = {p.rhs[0]: p.weight for p in result.grammar.productions("root") if len(p.rhs) == 1}
    assert words["true"] == pytest.approx(4 / 14)
    assert [words["false"], words["null"]] == pytest.approx([1 / 14, 1 / 14])
    made = sample_sentences(result.grammar, 20, length=(1, 30), spacing="characters")
    spelling = Spelling.of(grammar, "characters")
    parser = Parser(spelling.parsed)
    assert all(parser.viterbi(spelling.words(text)) for text in made.column("text"))
    held = inside_outside(grammar, PROGRAMS, held_out=PROGRAMS[:2], spacing="characters")
    assert held.history[0].held_out is not None


@pytest.mark.parametrize("name", ["json", "sql"])
def test_words_and_characters_teach_the_same_where_texts_divide_in_one_way(name: str) -> None:
    grammar = PUBLISHED[name]
    made = sample_sentences(grammar, 8, length=(1, 12), spacing="characters")
    words = [
        [grammar.rules.words[word] for word in words_of(grammar, one["rules"])]
        for one in made.column("provenance")
    ]
    of_words, of_texts = (
        inside_outside(grammar, words, iterations=2),
        inside_outside(grammar, made.column("text"), iterations=2, spacing="characters"),
    )
    assert of_texts.grammar.weight == pytest.approx(of_words.grammar.weight, abs=1e-9)


def test_rules_that_are_spelled_alike_share_their_uses() -> None:
    grammar = Grammar.parse("S -> 'ab' [0.5] | 'a' 'b' [0.25] | 'c' [0.25]")
    result = inside_outside(grammar, ["ab", "ab", "c"], spacing="characters", iterations=1)
    of = {grammar.rule_text(r): result.grammar.weight[r] for r in range(3)}
    assert of == pytest.approx({"S -> 'ab'": 4 / 9, "S -> 'a' 'b'": 2 / 9, "S -> 'c'": 1 / 3})
    with pytest.raises(OptionError, match="unknown spacing 'tokens'"):
        inside_outside(grammar, ["ab"], spacing="tokens")  # type: ignore[arg-type]


def test_backing_off_goes_by_the_label_and_then_by_equal_shares() -> None:
    grammar = Grammar.parse(
        """
        S -> {A^<x>} 'x' [0.5] | {A^<y>} 'y' [0.5]
        {A^<x>} -> 'a' [0.25] | 'b' [0.25] | 'c' [0.25] | 'd' [0.25]
        {A^<y>} -> 'a' [0.25] | 'b' [0.25] | 'c' [0.5]
        """
    )
    texts = ["a x", "a x", "b x", "a y", "c y"]
    result = inside_outside(grammar, texts, iterations=1, backoff=3.0)
    of = {p.rhs[0]: p.weight for p in result.grammar.productions("A^<x>")}
    label = {"a": 3, "b": 1, "c": 1, "d": 0}
    smoother = {word: (n + 3 / 4) / (5 + 3) for word, n in label.items()}
    own = {"a": 2, "b": 1, "c": 0, "d": 0}
    assert of == pytest.approx({word: (own[word] + 3 * smoother[word]) / 6 for word in own})
    none = inside_outside(grammar, texts, iterations=1)
    assert {p.rhs[0]: p.weight for p in none.grammar.productions("A^<x>")}["d"] == 0.0
    zero = Grammar.parse("S -> 'a' [0.5] | 'b' [0.5] | 'c' [0]")
    assert inside_outside(zero, ["a"], backoff=1.0).grammar.weight[2] == 0.0
    with pytest.raises(OptionError, match="backoff=-1"):
        inside_outside(grammar, texts, backoff=-1.0)
