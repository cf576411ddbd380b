"""Charts against plain enumeration of derivations, on small grammars of every shape."""

from __future__ import annotations

import itertools
import math
import tracemalloc
from collections import Counter

import nltk
import numpy as np
import pytest
import scipy.stats
from hypothesis import assume, given
from hypothesis import strategies as st

from grammar.chart.grammar import ChartGrammar
from grammar.chart.kernels import cell_of
from grammar.chart.parser import NoParse, Parser
from grammar.errors import BracketError, ChartGrammarError, OptionError
from grammar.messages import heard_by
from grammar.pcfg.grammar import Grammar
from grammar.rules.rules import Nonterminal, Production
from grammar.trees.tree import Tree
from grammar.trees.treebank import Treebank
from induction import induce_double_dop
from induction.corpus.readers import read_treebank
from induction.counts.pcfg import induce_pcfg
from induction.trees.preparation import prepare
from tests.grammar.chart.chart_reference import (
    BEST,
    COUNT,
    SUM,
    Enumeration,
    enumerations,
    evaluate,
    inside_by_iteration,
    parsed,
    thorough,
)
from tests.grammar.strategies import grammars

# Against enumeration


@thorough
@given(enumerations(failing=True))
def test_there_is_a_parse_where_there_is_a_derivation(found: Enumeration) -> None:
    parser = Parser(found.grammar)
    assert bool(parser.viterbi(found.sentence)) == bool(found.derivations)
    assert math.exp(parser.inside(found.sentence)) == pytest.approx(found.total, rel=1e-9)
    assert parser.count(found.sentence) == len(found.derivations)


@thorough
@given(enumerations(cycles=True))
def test_viterbi_is_the_best_derivation(found: Enumeration) -> None:
    best = parsed(Parser(found.grammar).viterbi(found.sentence))
    assert best.tree.leaves() == found.sentence
    assert found.probability[best.rules] == pytest.approx(math.exp(best.log_probability), rel=1e-9)
    assert math.exp(best.log_probability) == pytest.approx(max(found.probability.values()))


@thorough
@given(enumerations(cycles=True))
def test_inside_of_cycles_is_the_fixed_point(found: Enumeration) -> None:
    parser = Parser(found.grammar)
    exact = inside_by_iteration(found.grammar, found.sentence)
    assert math.exp(parser.inside(found.sentence)) == pytest.approx(exact, rel=1e-9)
    assert (parser.count(found.sentence) == math.inf) == found.loops()


@thorough
@given(enumerations(cycles=True))
def test_posteriors_and_expected_counts(found: Enumeration) -> None:
    exact = inside_by_iteration(found.grammar, found.sentence)
    missed = abs(1.0 - found.total / exact)  # derivations with long chains are not enumerated
    assume(missed < 1e-3)
    parser = Parser(found.grammar)
    spans = parser.posteriors(found.sentence)
    assert not isinstance(spans, NoParse)
    got = {(s.label, s.start, s.end): s.probability for s in spans}
    expected = found.span_posteriors()
    assert set(expected) <= set(got)
    for key in got:
        assert got[key] == pytest.approx(expected[key], abs=2 * missed + 1e-9)
    counts = parser.expected_counts([found.sentence, ("zebra",), found.sentence])
    assert counts.count / 2 == pytest.approx(found.rule_counts(), abs=60 * missed + 1e-9)
    assert counts.log_likelihood == pytest.approx(2 * math.log(exact), rel=1e-9)
    assert (counts.parsed, [f.sentence for f in counts.failures]) == (2, [("zebra",)])


@thorough
@given(grammars(unary_cycles=False, empty_rules=False), st.integers(1, 7), st.data())
def test_sums_best_values_and_counts_are_one_recursion(
    grammar: Grammar, n: int, data: st.DataObject
) -> None:
    sentence = tuple(data.draw(st.lists(st.sampled_from("abc"), min_size=n, max_size=n)))
    parser = Parser(grammar)
    best = parser.viterbi(sentence)
    value = math.exp(best.log_probability) if best else 0.0
    assert value == pytest.approx(evaluate(grammar, sentence, BEST), rel=1e-9)
    total = evaluate(grammar, sentence, SUM)
    assert math.exp(parser.inside(sentence)) == pytest.approx(total, rel=1e-9)
    assert parser.count(sentence) == evaluate(grammar, sentence, COUNT)


@thorough
@given(enumerations(cycles=True))
def test_expected_counts_are_derivatives_of_the_probability(found: Enumeration) -> None:
    weight = found.grammar.weight
    exact = inside_by_iteration(found.grammar, found.sentence)
    counts = Parser(found.grammar).expected_counts([found.sentence]).count
    for rule in range(len(weight)):
        moved = weight.astype(complex)
        moved[rule] += 1e-30j
        slope = inside_by_iteration(found.grammar, found.sentence, moved).imag / 1e-30
        assert counts[rule] == pytest.approx(weight[rule] * slope / exact, rel=1e-8, abs=1e-12)


@thorough
@given(enumerations(cycles=True))
def test_inside_times_outside_is_the_same_in_every_word(found: Enumeration) -> None:
    parser = Parser(found.grammar)
    tables = parser._inside_outside(found.sentence)
    assert not isinstance(tables, NoParse)
    (chart, _, _), outside = tables
    lexical = parser._compiled.rules.lexical
    for place, word in enumerate(chart.words):
        row = cell_of(place, place + 1)
        edges = slice(lexical.starts[word], lexical.starts[word + 1])
        paths = outside[row, lexical.parent[edges]] + lexical.weight[edges]
        assert np.exp(paths).sum() == pytest.approx(math.exp(parser.inside(found.sentence)))


@pytest.mark.parametrize(
    "text",
    [
        "S -> S S [0.4] | S S S [0.2] | 'a' [0.4]",
        "S -> A [0.5] | 'a' [0.2] | S 'a' S [0.3] \n A -> S [0.3] | 'a' 'a' [0.4] | 'a' [0.3]",
    ],
)
def test_samples_have_their_share(text: str) -> None:
    found = Enumeration(Grammar.parse(text), ("a",) * 4)
    parser = Parser(found.grammar)
    draws = parser.sample(found.sentence, 20_000, seed=5)
    drawn = Counter(draw.rules for draw in draws)
    total = math.exp(parser.inside(found.sentence))
    expected = {rules: p / total * len(draws) for rules, p in found.probability.items()}
    common = [rules for rules, times in expected.items() if times >= 5]
    observed = [drawn[rules] for rules in common]
    rest = len(draws) - sum(expected[rules] for rules in common)
    # all rare derivations are one class, long chains included, which are not enumerated
    shares = [*(expected[rules] for rules in common), max(rest, 1.0)]
    times = [*observed, len(draws) - sum(observed)]
    statistic = sum((o - e) ** 2 / e for o, e in zip(times, shares, strict=True))
    assert scipy.stats.chi2.sf(statistic, len(common)) > 1e-3
    assert len(common) >= 10


# Closed forms


def test_a_unary_cycle_has_geometric_sums() -> None:
    grammar = Grammar.parse("S -> A [0.5] | 'a' [0.5] \n A -> S [1]")
    parser = Parser(grammar)
    assert parser.inside(["a"]) == pytest.approx(0.0, abs=1e-12)
    assert parser.posteriors(["a"]).table("A")[0, 1] == pytest.approx(0.5)
    assert parser.posteriors(["a"]).table("S")[0, 1] == pytest.approx(1.0)
    counts = {
        str(p): c for p, c in zip(grammar, parser.expected_counts([["a"]]).count, strict=True)
    }
    assert counts["S -> A [0.5]"] == pytest.approx(1.0)
    assert counts["S -> 'a' [0.5]"] == pytest.approx(1.0)
    assert parser.count(["a"]) == math.inf
    probabilities = [math.exp(p.log_probability) for p in parser.kbest(["a"], 20)]
    assert probabilities == pytest.approx([0.5**i for i in range(1, 21)])


def test_catalan_numbers_and_long_sentences_without_underflow() -> None:
    parser = Parser(Grammar.parse("S -> S S [1/4096] | 'a' [4095/4096]"))
    for n in (1, 2, 12, 18):
        assert parser.count(["a"] * n) == math.comb(2 * (n - 1), n - 1) // n
    n = 110
    catalan = math.comb(2 * (n - 1), n - 1) // n
    exact = math.log(catalan) + (n - 1) * math.log(1 / 4096) + n * math.log(4095 / 4096)
    assert exact < math.log(np.finfo(float).tiny)
    assert parser.inside(["a"] * n) == pytest.approx(exact, rel=1e-12)


def test_a_deep_tree_needs_no_recursion() -> None:
    n = 250
    parser = Parser(
        Grammar.parse(
            "S -> A S [0.5] | A [0.5] \n A -> B [1] \n B -> C [1] \n"
            "C -> D [1] \n D -> E [1] \n E -> 'a' [1]"
        )
    )
    for found in (parser.viterbi(["a"] * n), *parser.kbest(["a"] * n, 2)):
        assert found.log_probability == pytest.approx(n * math.log(0.5))
        assert len(found.rules) == 6 * n
        assert found.tree.leaves() == ("a",) * n


def test_words_among_symbols_and_long_rules_come_back_as_they_were() -> None:
    grammar = Grammar.parse("S -> 'i' S 't' S 'e' S [0.2] | 'i' S 't' S [0.3] | 'x' [0.5]")
    sentence = list("ixtixtxex")
    best = Parser(grammar).kbest(sentence, 9)
    assert [str(p.tree) for p in best] == [
        "(S i (S x) t (S i (S x) t (S x) e (S x)))",
        "(S i (S x) t (S i (S x) t (S x)) e (S x))",
    ]


# Other views of the same thing


def test_rules_of_weight_zero_and_useless_symbols_do_not_count() -> None:
    grammar = Grammar.parse(
        "S -> 'a' [0.5] | A [0.5] | 'b' [0] \n A -> A [1] \n C -> C [1] | 'a' [0]"
    )
    parser = Parser(grammar)
    assert parser.inside(["a"]) == pytest.approx(math.log(0.5))
    assert parser.count(["a"]) == 1
    assert "lacks the word 'b'" in str(parser.viterbi(["b"]))


def test_nltk_finds_the_same_tree() -> None:
    grammar = Grammar.parse(
        """
        S -> NP VP [1]
        NP -> DT N [0.4] | NP PP [0.2] | 'they' [0.3] | N [0.1]
        VP -> V NP [0.5] | VP PP [0.3] | V [0.2]
        PP -> P NP [1]
        DT -> 'the' [1]
        N -> 'dog' [0.4] | 'telescope' [0.3] | 'saw' [0.3]
        V -> 'saw' [0.7] | 'dog' [0.3]
        P -> 'with' [1]
        """
    )
    peer = nltk.ViterbiParser(grammar.to_nltk(), **_unhurried())
    parser = Parser(grammar)
    for text in (
        "they saw the dog with the telescope",
        "the dog saw the saw with the saw with the dog",
        "they dog",
    ):
        (theirs,) = peer.parse(text.split())
        ours = parsed(parser.viterbi(text.split()))
        assert math.exp(ours.log_probability) == pytest.approx(theirs.prob())
        assert str(ours.tree) == " ".join(str(theirs).rsplit(" (p=", 1)[0].split())


def _unhurried() -> dict[str, None]:
    """NLTK 3.10 stops after five seconds unless told not to."""
    import inspect

    known = inspect.signature(nltk.ViterbiParser).parameters
    return {"max_time": None} if "max_time" in known else {}


def test_a_treebank_grammar() -> None:
    treebank = read_treebank()
    grammar = induce_pcfg(treebank, horizontal_markov=1)
    sentences = [s for s in prepare(treebank, horizontal_markov=1).sentences() if len(s) <= 14][:8]
    parser = Parser(grammar)
    counts = parser.expected_counts(sentences)
    assert counts.parsed == len(sentences)
    lexical = grammar.rules.rhs[grammar.rules.offsets[:-1]] < 0
    assert counts.count[lexical].sum() == pytest.approx(sum(map(len, sentences)))
    for sentence in sentences:
        best = parsed(parser.viterbi(sentence))
        assert best.tree.label == grammar.start
        ranked = parser.kbest(sentence, 50)
        assert ranked[0].log_probability == pytest.approx(best.log_probability, rel=1e-12)
        assert len({p.rules for p in ranked}) == len(ranked)
        assert all(p.log_probability >= q.log_probability for p, q in itertools.pairwise(ranked))
        total = parser.inside(sentence)
        assert math.fsum(math.exp(p.log_probability - total) for p in ranked) <= 1 + 1e-9
        for drawn in parser.sample(sentence, 5):
            assert drawn.tree.leaves() == sentence
            assert drawn.log_probability <= best.log_probability + 1e-9
        spans = parser.posteriors(sentence)
        assert spans.table(grammar.start)[0, len(sentence)] == pytest.approx(1.0)
        assert parsed(parser.max_rule(sentence)).tree.leaves() == sentence


# Batches, samples and streams


AMBIGUOUS = Grammar.parse("S -> S S [0.3] | A [0.2] | 'a' [0.5] \n A -> S 'b' S [0.5] | 'b' [0.5]")


def test_workers_change_nothing() -> None:
    sentences = [
        *(list("ab" * n) for n in range(1, 9)),
        ["a", "zebra"],
        *(list("ba" * n) for n in range(1, 9)),
    ]
    parser = Parser(AMBIGUOUS)
    alone, together = (parser.parse_all(sentences, workers=workers) for workers in (1, 2))
    assert alone == together
    assert [i for i, outcome in enumerate(alone) if not outcome] == [8]
    assert [o.tree.leaves() for o in alone if o] == [
        tuple(s) for s in sentences if "zebra" not in s
    ]


def test_sample_number_i_depends_on_the_seed_and_i_alone() -> None:
    parser = Parser(AMBIGUOUS)
    sentence = list("abaab")
    few, many = parser.sample(sentence, 7, seed=3), parser.sample(sentence, 300, seed=3)
    assert many[:7] == few
    assert parser.sample(sentence, 300, seed=4) != many


def test_posteriors_as_spans_and_tables() -> None:
    spans = Parser(AMBIGUOUS).posteriors(["a", "b"])
    listed = list(spans)
    assert len(listed) == len(spans)
    assert listed[0].probability == pytest.approx(1.0)
    assert [s.probability for s in listed] == sorted((s.probability for s in listed), reverse=True)
    assert spans.table("S").shape == (3, 3)
    assert spans.table("S")[0, 2] == pytest.approx(1.0)
    with pytest.raises(OptionError, match="no symbol 'Z'"):
        spans.table("Z")


# Failure


def test_an_unknown_word_is_named_with_its_place() -> None:
    for outcome in (
        Parser(AMBIGUOUS).viterbi(["a", "cat"]),
        Parser(AMBIGUOUS).kbest(["a", "cat"], 2),
        Parser(AMBIGUOUS).sample(["a", "cat"], 2),
        Parser(AMBIGUOUS).posteriors(["a", "cat"]),
        Parser(AMBIGUOUS).max_rule(["a", "cat"]),
    ):
        assert isinstance(outcome, NoParse)
        assert outcome.reason == "the grammar lacks the word 'cat' (word 2 of 2)"
        assert not outcome.refused
    assert Parser(AMBIGUOUS).inside(["a", "cat"]) == -math.inf
    assert Parser(AMBIGUOUS).count(["cat"]) == 0


def test_a_sentence_without_a_derivation() -> None:
    outcome = Parser(Grammar.parse("S -> 'a' 'b' [1]")).viterbi(["b", "a"])
    assert isinstance(outcome, NoParse)
    assert "no derivation from S" in outcome.reason


def test_a_chart_over_the_limit_is_refused_as_a_value() -> None:
    parser = Parser(AMBIGUOUS, memory_limit=1 << 20)
    long = ["a"] * 2_000
    for outcome in (parser.viterbi(long), parser.inside(long), parser.count(long)):
        assert isinstance(outcome, NoParse)
        assert outcome.refused
        assert "2,000 words needs" in outcome.reason
        assert "memory_limit" in outcome.reason
    assert len(str(parser.viterbi(long))) < 300
    counts = parser.expected_counts([long, ["a"]])
    assert (counts.parsed, len(counts.failures)) == (1, 1)
    assert parser.viterbi(["a"] * 50)


@pytest.mark.parametrize(
    ("sentence", "message"),
    [([], "has no words"), (7, "not a sequence of words"), (["a", 3], "the word 3")],
)
def test_what_is_not_a_sentence(sentence: list[str], message: str) -> None:
    parser = Parser(AMBIGUOUS)
    with pytest.raises(OptionError, match=message):
        parser.viterbi(sentence)
    with pytest.raises(OptionError, match=f"sentence 2: .*{message}"):
        parser.parse_all([["a"], sentence])


def test_the_words_of_one_sentence_are_no_sentences() -> None:
    parser = Parser(Grammar.parse("S -> NP VP \n NP -> 'dogs' | 'cats' \n VP -> 'run'"))
    for words in (["dogs", "run"], ["dogs", "sleep"]):
        for batch in (parser.parse_all, parser.expected_counts):
            with pytest.raises(OptionError, match="none is a sentence by itself") as refused:
                batch(words)
            assert "parser.kbest(words, 10)" in str(refused.value.hint)
    assert [str(one.tree) for one in parser.kbest(["dogs", "run"], 10) if one] == [
        "(S (NP dogs) (VP run))"
    ]
    assert not any(parser.parse_all([["dogs"], ["run"]]))
    assert all(parser.parse_all(["dogs run", "cats run"]))
    said: list[str] = []
    with heard_by(said.append):
        made = Parser(AMBIGUOUS).parse_all(["a", "b", "a"])
    assert all(made)
    assert said[0].startswith("'a', 'b' are parsed as sentences")
    with heard_by(said.append):
        Parser(Grammar.parse("S -> 'a' | 'b'")).parse_all(["a", "b"])
    assert len(said) == 1


def test_what_is_no_pcfg_is_refused_by_what_parses_with_it() -> None:
    trees = ["(S (NP Mary) (VP (V sees) (NP Bob)))", "(S (NP Bob) (VP (V sees) (NP Mary)))"]
    found = induce_double_dop(trees)
    with pytest.raises(OptionError, match="of the family 'tsg'") as refused:
        Parser(found)
    assert "grammar.parse_sentence(sentence)" in str(refused.value.hint)
    for other in (None, 7, Parser(AMBIGUOUS)):
        with pytest.raises(OptionError, match="is no grammar"):
            Parser(other)


def test_numbers_must_be_above_zero() -> None:
    parser = Parser(AMBIGUOUS)
    for wrong in (0, -1, 1.5, True):
        with pytest.raises(OptionError, match=r"k=.* is not a whole number >= 1"):
            parser.kbest(["a"], wrong)
        with pytest.raises(OptionError, match=r"n=.* is not"):
            parser.sample(["a"], wrong)
        with pytest.raises(OptionError, match=r"workers=.* is not"):
            parser.parse_all([["a"]], workers=wrong)
        with pytest.raises(OptionError, match=r"memory_limit=.* is not"):
            Parser(AMBIGUOUS, memory_limit=wrong)


def test_a_unary_cycle_that_keeps_all_its_weight_is_refused() -> None:
    grammar = Grammar.parse("S -> A [1] \n A -> S [1] | 'a' [1e-12]")
    with pytest.raises(ChartGrammarError, match=r"symbols A, S: unary rules lead in a circle"):
        Parser(grammar)


def test_shared_suffixes_are_one_unit() -> None:
    compiled = ChartGrammar.compile(
        Grammar.parse("S -> S 'x' S [0.25] | 'y' 'x' S [0.25] | 'y' [0.5]")
    )
    names = [compiled.name(unit) for unit in range(compiled.units)]
    assert sorted(names) == ["'x'", "'x' S", "'y'", "S"]


def test_a_tree_is_a_tree() -> None:
    tree = parsed(Parser(AMBIGUOUS).viterbi(["a", "a"])).tree
    assert tree == Tree("S", (Tree("S", ("a",)), Tree("S", ("a",))))


def test_any_string_is_a_word_and_only_brackets_refuse_white_space() -> None:
    words = ("(", ")", "-LRB-", "[1]", "\x00", "\x1b[31m", "#", "two words", "\u202e", "\n")
    rules = [Production(Nonterminal("W"), (word,), 0.1) for word in words]
    sides = (Nonterminal("W"), Nonterminal("S"))
    rules += [Production(Nonterminal("S"), rhs, 0.5) for rhs in (sides, sides[:1])]
    parser = Parser(Grammar.from_productions(rules, start="S"))
    tree = parsed(parser.viterbi(words)).tree
    assert tree.leaves() == words
    with pytest.raises(BracketError, match="cannot be written between brackets"):
        str(tree)
    written = Treebank.parse(str(parsed(parser.viterbi(words[:6])).tree))[0]
    assert written.leaves() == ("-LRB-", "-RRB-", *words[2:6])
    for strange in ("(()", "\x07", "a b"):
        outcome = parser.viterbi(["(", strange])
        assert isinstance(outcome, NoParse)
        assert repr(strange) in outcome.reason


def test_a_refused_sentence_allocates_nothing() -> None:
    parser = Parser(AMBIGUOUS, memory_limit=1 << 20)
    tracemalloc.start()
    for ask in (parser.viterbi, parser.posteriors, parser.max_rule, parser.inside, parser.count):
        assert ask(["a"] * 5_000).refused
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 1 << 20


@pytest.mark.parametrize("text", ["S -> S S [1]", "S -> A S [1] \n A -> 'a' [1]"])
def test_a_grammar_without_a_derivation_is_refused(text: str) -> None:
    with pytest.raises(ChartGrammarError, match="no derivation from S ever ends in words"):
        Parser(Grammar.parse(text))
