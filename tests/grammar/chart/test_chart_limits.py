"""Given brackets and tags against filtered enumeration, pruning against exact charts."""

from __future__ import annotations

import itertools
import math
from collections import defaultdict

import numpy as np
import pytest
from hypothesis import assume, given, reject
from hypothesis import strategies as st

from grammar.chart.parser import CoarseToFine, Constraints, NoParse, Parser
from grammar.errors import ChartGrammarError, OptionError
from grammar.pcfg.grammar import Grammar
from grammar.rules.rules import Nonterminal
from tests.grammar.chart.chart_reference import Enumeration, enumerations, parsed, thorough
from tests.grammar.strategies import grammars

GRAMMAR = Grammar.parse("S -> S S [0.3] | A [0.2] | 'a' [0.5] \n A -> S 'b' S [0.5] | 'b' [0.5]")
# two states a category
FINE = Grammar.parse(
    """
    S -> S0 [0.6] | S1 [0.4]
    S0 -> S0 S1 [0.3] | S1 'b' S1 [0.2] | S1 [0.1] | 'a' [0.4]
    S1 -> S1 S1 [0.2] | S0 S0 [0.1] | S0 [0.2] | 'a' [0.2] | 'b' [0.3]
    """
)
COARSE = Grammar.parse("S -> X [1] \n X -> X X [0.3] | X 'b' X [0.1] | 'a' [0.35] | 'b' [0.25]")


def look(name: str) -> str:
    return "S" if name == "S" else "X"


def agreeing(found: Enumeration, constraints: Constraints) -> dict[tuple[int, ...], float]:
    """The derivations that agree with the brackets, by looking at each."""
    spans = defaultdict(set)
    for i, j, *label in constraints.brackets:
        spans[i, j].update(label)

    def agrees(label: str, start: int, end: int) -> bool:
        for (i, j), labels in spans.items():
            if start < i < end < j or i < start < j < end:
                return False
            if (start, end) == (i, j) and labels and label not in labels:
                return False
        return True

    return {
        d.rules(): found.probability[d.rules()]
        for d in found.derivations
        if all(agrees(found.label(n), n.bounds[0], n.bounds[-1]) for n in d.nodes())
    }


@st.composite
def brackets(draw: st.DrawFn, found: Enumeration) -> Constraints:
    n = len(found.sentence)
    spans = st.sampled_from([(i, j) for i in range(n) for j in range(i + 1, n + 1)])
    label = st.sampled_from(found.grammar.rules.nonterminals)
    labelled = st.tuples(spans, label).map(lambda pair: (*pair[0], pair[1]))
    return Constraints(draw(st.lists(st.one_of(spans, spans, labelled), max_size=3)))


@thorough
@given(enumerations(), st.data())
def test_given_brackets_leave_the_derivations_that_agree(
    found: Enumeration, data: st.DataObject
) -> None:
    constraints = data.draw(brackets(found))
    expected = agreeing(found, constraints)
    parser = Parser(found.grammar)
    ask = {"constraints": constraints}
    assert parser.count(found.sentence, **ask) == len(expected)
    total = math.fsum(expected.values())
    assert math.exp(parser.inside(found.sentence, **ask)) == pytest.approx(total, rel=1e-9)
    best = parser.viterbi(found.sentence, **ask)
    assert bool(best) == bool(expected)
    if not expected:
        return
    assert expected[best.rules] == pytest.approx(max(expected.values()), rel=1e-9)
    assert best.exact
    listed = parser.kbest(found.sentence, len(expected) + 1, **ask)
    assert {p.rules for p in listed} == set(expected)
    assert {p.rules for p in parser.sample(found.sentence, 9, **ask)} <= set(expected)
    assert parsed(parser.max_rule(found.sentence, **ask)).rules in expected


@thorough
@given(enumerations(cycles=True), st.data())
def test_posteriors_and_counts_within_brackets(found: Enumeration, data: st.DataObject) -> None:
    constraints = data.draw(brackets(found))
    expected = agreeing(found, constraints)
    parser = Parser(found.grammar)
    assume(expected)
    total = math.fsum(expected.values())
    inside = math.exp(parser.inside(found.sentence, constraints=constraints))
    missed = abs(1 - total / inside)  # long chains are not enumerated
    assume(missed < 1e-3)
    mass: dict[tuple[str, int, int], float] = defaultdict(float)
    counts = np.zeros(len(found.grammar))
    for d in found.derivations:
        share = expected.get(d.rules(), 0.0) / total
        np.add.at(counts, list(d.rules()), share)
        for key in {(found.label(n), n.bounds[0], n.bounds[-1]) for n in d.nodes()}:
            mass[key] += share
    for span in parser.posteriors(found.sentence, constraints=constraints):
        assert span.probability == pytest.approx(mass[span[:3]], abs=2 * missed + 1e-9)
    got = parser.expected_counts([found.sentence], constraints=[constraints])
    assert got.count == pytest.approx(counts, abs=60 * missed + 1e-9)
    assert got.log_likelihood == pytest.approx(math.log(inside))


@thorough
@given(enumerations(cycles=True), st.data())
def test_given_tags_leave_the_derivations_with_these_tags(
    found: Enumeration, data: st.DataObject
) -> None:
    names = found.grammar.rules.nonterminals
    lexical = {
        (rule.lhs.name, rule.rhs[0])
        for rule in found.grammar
        if len(rule.rhs) == 1 and not isinstance(rule.rhs[0], Nonterminal)
    }
    tags = []
    for word in found.sentence:
        known = sorted(tag for tag, other in lexical if other == word)
        assume(known)
        tags.append(data.draw(st.none() | st.sets(st.sampled_from(known), min_size=1)))
    expected = {}
    for d in found.derivations:
        preterminals = {n.bounds[0]: found.label(n) for n in d.nodes() if not n.children}
        single = {
            n.bounds[0]: found.label(n)
            for n in d.nodes()
            if (found.label(n), *found.sentence[n.bounds[0] : n.bounds[-1]]) in lexical
            and len(found.grammar.rules.sides(n.rule)[1]) == 1
            and not n.children
        }
        assert set(single) <= set(preterminals)
        if all(tags[i] is None or label in tags[i] for i, label in single.items()):
            expected[d.rules()] = found.probability[d.rules()]
    best = Parser(found.grammar).viterbi(found.sentence, constraints=Constraints(tags=tags))
    assert bool(best) == bool(expected)
    if best:
        assert expected[best.rules] == pytest.approx(max(expected.values()), rel=1e-9)
    assert set(names) >= {tag for allowed in tags for tag in allowed or ()}


def test_tags_let_unknown_words_through() -> None:
    parser = Parser(GRAMMAR)
    tags = Constraints(tags=[None, {"A", "Q"}, "S"])
    sentence = ("a", "zebra", "yak")
    best = parsed(parser.viterbi(sentence, constraints=tags))
    assert best.tree.leaves() == sentence
    assert ("A", 1, 2) in best.tree.spans()
    for tree in parser.kbest(sentence, 9, constraints=tags):
        weights = [GRAMMAR.weight[r] for r in tree.rules if r < len(GRAMMAR)]
        assert math.exp(tree.log_probability) == pytest.approx(math.prod(weights))
        assert tree.tree.leaves() == sentence
    assert parser.count(sentence, constraints=tags) == 2
    assert parsed(parser.max_rule(sentence, constraints=tags)).tree.leaves() == sentence
    counts = parser.expected_counts([sentence], constraints=[tags])
    assert counts.parsed == 1
    lexical = [i for i, rule in enumerate(GRAMMAR) if rule.rhs == ("a",)]
    assert counts.count[lexical].sum() == pytest.approx(1.0)
    outcome = parser.viterbi(sentence, constraints=Constraints(tags=[None, "Q", "S"]))
    assert isinstance(outcome, NoParse)
    assert "none of the tags of the word 'zebra' (word 2 of 3): Q" in outcome.reason


def test_words_among_symbols_keep_their_place_beside_unknown_words() -> None:
    parser = Parser(Grammar.parse("S -> 'if' S 'then' S [0.4] | 'x' [0.6]"))
    sentence = ["if", "yes", "then", "no"]
    best = parsed(parser.viterbi(sentence, constraints=Constraints(tags=[None, "S", None, "S"])))
    assert str(best.tree) == "(S if (S yes) then (S no))"


def test_parts_of_constituents_may_cross_brackets() -> None:
    flat = Parser(Grammar.parse("S -> 'a' 'b' 'c' [1]"))
    assert flat.viterbi(["a", "b", "c"], constraints=Constraints([(0, 2)]))
    binary = Grammar.parse(
        """
        S -> A {S|<B-C>} [1]
        {S|<B-C>} -> B C [1]
        A -> 'a' [1]
        B -> 'b' [1]
        C -> 'c' [1]
        """
    )
    assert Parser(binary).viterbi(["a", "b", "c"], constraints=Constraints([(0, 2)]))


def test_without_effect_pruning_changes_nothing_but_the_word_exact() -> None:
    exact = Parser(FINE)
    loose = Parser(FINE, coarse=CoarseToFine(Parser(COARSE), look, 1e-12), beam=1e-30)
    for n in range(1, 6):
        for sentence in itertools.product("ab", repeat=n):
            best, other = exact.viterbi(sentence), loose.viterbi(sentence)
            assert bool(best) == bool(other)
            if best:
                assert (best.exact, other.exact) == (True, False)
                assert other.rules == best.rules
                assert loose.inside(sentence) == pytest.approx(exact.inside(sentence), rel=1e-12)
                spans = {s[:3]: s.probability for s in loose.posteriors(sentence)}
                for span in exact.posteriors(sentence):
                    assert spans[span[:3]] == pytest.approx(span.probability, abs=1e-9)


@pytest.mark.parametrize(("threshold", "beam"), [(0.3, 0.0), (1e-9, 0.1), (0.2, 0.1)])
def test_what_is_pruned_is_a_sub_forest(threshold: float, beam: float) -> None:
    exact = Parser(FINE)
    pruned = Parser(FINE, coarse=CoarseToFine(Parser(COARSE), look, threshold), beam=beam)
    lost = 0
    for sentence in itertools.product("ab", repeat=5):
        best = exact.viterbi(sentence)
        other = pruned.viterbi(sentence)
        assert bool(best) == bool(other)
        assert other.log_probability <= best.log_probability + 1e-12
        inside = pruned.inside(sentence)
        assert inside <= exact.inside(sentence) + 1e-12
        lost += inside < exact.inside(sentence) - 1e-9
        (_, _, kept), _ = pruned._inside_outside(sentence)
        for drawn in pruned.sample(sentence, 5):
            assert drawn.tree.leaves() == sentence
        counts = pruned.expected_counts([sentence])
        assert counts.exact == kept
        assert counts.log_likelihood == pytest.approx(inside)
        words = [sum(not isinstance(child, Nonterminal) for child in rule.rhs) for rule in FINE]
        assert counts.count @ words == pytest.approx(5)
        assert pruned.count(sentence) == exact.count(sentence)
    assert lost > 0


def test_a_sentence_lost_by_pruning_is_parsed_exactly() -> None:
    wrong = Grammar.parse("S -> X [1] \n X -> 'a' X [0.5] | 'a' [0.5]")
    fine = Grammar.parse("S -> S0 [1] \n S0 -> S0 'a' [0.5] | 'a' [0.5]")
    best = Parser(fine, coarse=CoarseToFine(Parser(wrong), look)).viterbi(["a"] * 4)
    assert parsed(best).exact
    assert best.tree.leaves() == ("a",) * 4


def test_a_coarse_parser_sees_the_same_constraints() -> None:
    parser = Parser(FINE, coarse=CoarseToFine(Parser(COARSE), look))
    constraints = Constraints([(1, 3), (0, 4, "S"), (0, 4, "S0")], tags=["S0", None, None, "S1"])
    best = parsed(parser.viterbi(list("aabz"), constraints=constraints))
    assert not best.exact
    exact = parsed(Parser(FINE).viterbi(list("aabz"), constraints=constraints))
    assert exact.log_probability == pytest.approx(best.log_probability)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Constraints([(1, 1)]), r"\(1, 1\) is not a bracket"),
        (lambda: Constraints([(0, 1, 2)]), "not a bracket"),
        (lambda: Constraints([(-1, 1)]), "not a bracket"),
        (lambda: Parser(GRAMMAR, beam=1.0), "beam 1.0 is not between"),
        (lambda: Parser(GRAMMAR, beam=math.nan), "beam nan is not between"),
        (lambda: CoarseToFine(Parser(GRAMMAR), look, 0.0), "threshold 0.0"),
        (lambda: Parser(FINE, coarse=CoarseToFine(Parser(GRAMMAR), look)), "no symbol 'X'"),
        (
            lambda: Parser(GRAMMAR).viterbi(["a"], constraints=Constraints([(0, 2)])),
            "ends after the last of 1 words",
        ),
        (
            lambda: Parser(GRAMMAR).viterbi(["a"], constraints=Constraints([(0, 1, "Z")])),
            "no symbol 'Z'",
        ),
        (
            lambda: Parser(GRAMMAR).viterbi(["a"], constraints=Constraints(tags=[])),
            "0 tags are given for 1 words",
        ),
        (
            lambda: Parser(GRAMMAR).parse_all([["a"]], constraints=[None, None]),
            "given for 2 of 1 sentences",
        ),
    ],
)
def test_what_cannot_be_a_constraint(make: object, message: str) -> None:
    with pytest.raises(OptionError, match=message):
        make()  # type: ignore[operator]


def test_workers_and_constraints_together() -> None:
    parser = Parser(GRAMMAR)
    sentences = [list("ab" * n) for n in range(1, 7)] * 7
    within = [None if i % 2 else Constraints([(0, 2)]) for i in range(len(sentences))]
    one, two = (
        parser.expected_counts(sentences, constraints=within, workers=workers) for workers in (1, 3)
    )
    assert np.array_equal(one.count, two.count)
    assert one.log_likelihood == two.log_likelihood
    assert parser.parse_all(sentences, constraints=within) == parser.parse_all(
        sentences, constraints=within, workers=3
    )


@thorough
@given(grammars(empty_rules=False), st.sampled_from([0.5, 0.2, 0.05, 1e-3]), st.data())
def test_a_beam_and_brackets_leave_whole_derivations(
    grammar: Grammar, beam: float, data: st.DataObject
) -> None:
    try:
        exact, pruned = Parser(grammar), Parser(grammar, beam=beam)
    except ChartGrammarError:
        reject()
    sentence = data.draw(st.lists(st.sampled_from("abc"), min_size=1, max_size=6))
    ask = {"constraints": data.draw(brackets(Enumeration(grammar, tuple(sentence))))}
    best, other = exact.viterbi(sentence, **ask), pruned.viterbi(sentence, **ask)
    assert bool(best) == bool(other)
    assume(best)
    assert other.log_probability <= best.log_probability + 1e-9
    assert pruned.inside(sentence, **ask) <= exact.inside(sentence, **ask) + 1e-9
    listed = pruned.kbest(sentence, 7, **ask)
    assert listed[0].log_probability == pytest.approx(other.log_probability, abs=1e-9)
    counts = pruned.expected_counts([sentence], constraints=[ask["constraints"]]).count
    words = [sum(isinstance(child, str) for child in rule.rhs) for rule in grammar]
    assert counts @ words == pytest.approx(len(sentence))
    spans = pruned.posteriors(sentence, **ask)
    assert spans.table(grammar.start)[0, len(sentence)] == pytest.approx(1.0)
    assert {tree.tree.leaves() for tree in pruned.sample(sentence, 3, **ask)} == {tuple(sentence)}
    assert parsed(pruned.max_rule(sentence, **ask)).tree.leaves() == tuple(sentence)


@pytest.mark.parametrize(
    ("sentence", "constraints", "message"),
    [
        (None, None, "not a sequence of words"),
        (["a"], [(0, 1)], "are not constraints"),
        (["a"], Constraints([(0, 1, "T")]), "no symbol 'T'"),
    ],
)
def test_what_is_no_sentence_or_no_constraint_is_refused(sentence, constraints, message):
    parser = Parser(Grammar.parse("S -> 'a' [1]"))
    with pytest.raises(OptionError, match=message):
        parser.viterbi(sentence, constraints=constraints)
