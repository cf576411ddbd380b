"""Charts against plain enumeration of derivations, on small grammars of every shape."""

from __future__ import annotations

import itertools
import math
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, cached_property

import nltk
import numpy as np
import pytest
import scipy.sparse
import scipy.stats
from hypothesis import HealthCheck, assume, given, reject, settings
from hypothesis import strategies as st

import grammar.unary_chains
from grammar.chart import NoParse, Parse, Parser
from grammar.chart_grammar import ChartGrammar
from grammar.chart_rules import Corner
from grammar.errors import ChartGrammarError, OptionError
from grammar.grammar import Grammar
from grammar.rules import Nonterminal, Production
from grammar.tree import Tree
from grammar.unary_chains import unary_chains
from induction.pcfg import induce_pcfg, prepare
from induction.readers import read_treebank

SYMBOLS = tuple(Nonterminal(name) for name in "SAB")
WORDS = ("a", "b")
CHAIN = 6
MOST = 3_000


class TooManyError(Exception):
    """There are more derivations than a test should enumerate."""


@dataclass(frozen=True)
class Node:
    """A node of an enumerated derivation: a rule, where its children begin and end, and they."""

    rule: int
    bounds: tuple[int, ...]
    children: tuple[Node, ...]

    def nodes(self) -> Iterator[Node]:
        yield self
        for child in self.children:
            yield from child.nodes()

    def rules(self) -> tuple[int, ...]:
        return tuple(node.rule for node in self.nodes())


@dataclass(frozen=True)
class Enumeration:
    """Every derivation of a sentence whose chains of unary rules have at most CHAIN of them."""

    grammar: Grammar
    sentence: tuple[str, ...]

    @cached_property
    def derivations(self) -> list[Node]:
        rules = list(self.grammar)

        @cache
        def derive(symbol: str, begin: int, end: int, chain: int) -> list[Node]:
            found = []
            for number, rule in enumerate(rules):
                if rule.lhs.name != symbol or rule.weight == 0:
                    continue
                unary = len(rule.rhs) == 1 and isinstance(rule.rhs[0], Nonterminal)
                if unary and chain == 0:
                    continue
                for inner in itertools.combinations(range(begin + 1, end), len(rule.rhs) - 1):
                    bounds = (begin, *inner, end)
                    choices = []
                    for child, i, j in zip(rule.rhs, bounds, bounds[1:], strict=False):
                        if isinstance(child, Nonterminal):
                            left = chain - 1 if unary else CHAIN
                            choices.append(derive(child.name, i, j, left))
                        elif self.sentence[i:j] != (child,):
                            choices.append([])
                    for children in itertools.product(*choices):
                        found.append(Node(number, bounds, children))
                if len(found) > MOST:
                    raise TooManyError
            return found

        return derive(self.grammar.start, 0, len(self.sentence), CHAIN)

    @cached_property
    def probability(self) -> dict[tuple[int, ...], float]:
        """By the rules in preorder, the most probable first."""
        weight = self.grammar.weight
        of = {d.rules(): math.prod(weight[r] for r in d.rules()) for d in self.derivations}
        assert len(of) == len(self.derivations)
        return dict(sorted(of.items(), key=lambda item: -item[1]))

    @property
    def total(self) -> float:
        return math.fsum(self.probability.values())

    def label(self, node: Node) -> str:
        return self.grammar.rules.sides(node.rule)[0].name

    def span_posteriors(self) -> dict[tuple[str, int, int], float]:
        mass: dict[tuple[str, int, int], float] = defaultdict(float)
        for d in self.derivations:
            for key in {(self.label(n), n.bounds[0], n.bounds[-1]) for n in d.nodes()}:
                mass[key] += self.probability[d.rules()] / self.total
        return mass

    def rule_counts(self) -> np.ndarray:
        count = np.zeros(len(self.grammar))
        for rules, p in self.probability.items():
            np.add.at(count, list(rules), p / self.total)
        return count

    def anchors(self, derivation: Node) -> list[tuple[object, ...]]:
        """The binary edges of a derivation, with their spans and split points."""
        found: list[tuple[object, ...]] = []
        for node in derivation.nodes():
            lhs, rhs = self.grammar.rules.sides(node.rule)
            bounds = node.bounds
            found.append((lhs, rhs, bounds[:2], bounds[-1]))
            for i in range(1, len(rhs) - 1):
                found.append((rhs[i:], bounds[i : i + 2], bounds[-1]))
        return found

    def loops(self) -> bool:
        """Whether some derivation has the same label twice over a span."""
        return any(
            max(Counter((self.label(n), n.bounds[0], n.bounds[-1]) for n in d.nodes()).values()) > 1
            for d in self.derivations
        )


@st.composite
def grammars(draw: st.DrawFn, cycles: bool) -> Grammar:
    symbol, word = st.sampled_from(SYMBOLS), st.sampled_from(WORDS)
    unaries = [(i, j) for i in range(3) for j in range(3) if cycles or i < j]
    chosen = draw(st.lists(st.sampled_from(unaries), max_size=4, unique=True))
    # light unary rules: long chains hardly matter
    rules = [Production(SYMBOLS[i], (SYMBOLS[j],), draw(st.integers(1, 2))) for i, j in chosen]
    longer = st.lists(st.one_of(symbol, symbol, word), min_size=2, max_size=4).map(tuple)
    for lhs, rhs in draw(st.lists(st.tuples(symbol, longer), min_size=1, max_size=5)):
        rules.append(Production(lhs, rhs, draw(st.integers(4, 9))))
    for lhs, terminal in draw(st.lists(st.tuples(symbol, word), min_size=2, max_size=5)):
        rules.append(Production(lhs, (terminal,), draw(st.integers(4, 9))))
    assume(any(rule.lhs == SYMBOLS[0] for rule in rules))
    return Grammar.from_productions(rules, start="S", normalise=True)


@st.composite
def enumerations(draw: st.DrawFn, cycles: bool = False, failing: bool = False) -> Enumeration:
    """Short sentences; with at least one derivation unless some may fail."""
    grammar = draw(grammars(cycles))
    length = draw(st.integers(1, 4))
    words = draw(st.permutations(list(itertools.product(WORDS, repeat=length))))
    try:
        tried = (Enumeration(grammar, sentence) for sentence in words[:5])
        found = next((e for e in tried if failing or e.derivations), None)
        assume(found is not None and len(found.derivations) <= MOST)
    except TooManyError:
        reject()
    assert found is not None
    return found


def inside_by_iteration(grammar: Grammar, sentence: tuple[str, ...]) -> float:
    """The probability of a sentence as the least fixed point of its defining equations."""
    n, rules = len(sentence), list(grammar)
    value: dict[tuple[str, int, int], float] = defaultdict(float)

    def worth(child: Nonterminal | str, i: int, j: int) -> float:
        if isinstance(child, Nonterminal):
            return value[child.name, i, j]
        return float(sentence[i:j] == (child,))

    for width in range(1, n + 1):
        for begin in range(n - width + 1):
            end = begin + width
            for _ in range(400):
                fresh: dict[str, float] = defaultdict(float)
                for rule in rules:
                    for inner in itertools.combinations(range(begin + 1, end), len(rule.rhs) - 1):
                        bounds = (begin, *inner, end)
                        parts = zip(rule.rhs, bounds, bounds[1:], strict=False)
                        fresh[rule.lhs.name] += rule.weight * math.prod(worth(*p) for p in parts)
                if all(value[name, begin, end] == mass for name, mass in fresh.items()):
                    break
                for name, mass in fresh.items():
                    value[name, begin, end] = mass
    return value[grammar.start, 0, n]


def parse(outcome: object) -> Parse:
    assert isinstance(outcome, Parse), outcome
    return outcome


thorough = settings(
    max_examples=80,
    deadline=None,
    suppress_health_check=[HealthCheck.filter_too_much, HealthCheck.too_slow],
)


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
    best = parse(Parser(found.grammar).viterbi(found.sentence))
    assert best.tree.leaves() == found.sentence
    assert found.probability[best.rules] == pytest.approx(math.exp(best.log_probability), rel=1e-9)
    assert math.exp(best.log_probability) == pytest.approx(max(found.probability.values()))


@thorough
@given(enumerations())
def test_kbest_lists_all_derivations_in_order(found: Enumeration) -> None:
    parser = Parser(found.grammar)
    for k in (1, 3, len(found.derivations), len(found.derivations) + 1):
        best = parser.kbest(found.sentence, k)
        assert isinstance(best, list)
        expected = list(found.probability.values())[:k]
        assert [math.exp(p.log_probability) for p in best] == pytest.approx(expected, rel=1e-9)
        assert all(p.log_probability >= q.log_probability for p, q in itertools.pairwise(best))
        assert len({p.rules for p in best}) == len({str(p.tree) for p in best}) == len(best)
        assert all(p.rules in found.probability for p in best)


@thorough
@given(enumerations(cycles=True))
def test_kbest_goes_round_unary_cycles(found: Enumeration) -> None:
    best = Parser(found.grammar).kbest(found.sentence, 12)
    assert isinstance(best, list)
    assert len({p.rules for p in best}) == len(best)
    # what is not enumerated has a chain of more than CHAIN rules, with some symbol repeated
    for p, expected in zip(best, found.probability.values(), strict=False):
        if p.rules not in found.probability:
            break
        assert math.exp(p.log_probability) == pytest.approx(expected, rel=1e-9)


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
@given(enumerations(), st.booleans())
def test_max_rule_maximises_the_product_of_anchored_posteriors(
    found: Enumeration, merge: bool
) -> None:
    def look(name: str) -> str:
        return "A" if merge and name == "B" else name

    def seen(anchor: object) -> object:
        if isinstance(anchor, Nonterminal):
            return Nonterminal(look(anchor.name))
        return tuple(map(seen, anchor)) if isinstance(anchor, tuple) else anchor

    mass: dict[object, float] = defaultdict(float)
    for d in found.derivations:
        for anchor in found.anchors(d):
            mass[seen(anchor)] += found.probability[d.rules()] / found.total
    product = {
        d.rules(): math.prod(min(mass[seen(a)], 1.0) for a in found.anchors(d))
        for d in found.derivations
    }
    chosen = parse(Parser(found.grammar).max_rule(found.sentence, look=look))
    assert product[chosen.rules] == pytest.approx(max(product.values()), rel=1e-9)
    assert found.probability[chosen.rules] == pytest.approx(math.exp(chosen.log_probability))


@thorough
@given(enumerations(cycles=True))
def test_max_rule_never_goes_round_a_cycle(found: Enumeration) -> None:
    chosen = parse(Parser(found.grammar).max_rule(found.sentence))
    assert chosen.tree.leaves() == found.sentence
    spans = Counter(chosen.tree.spans())
    assert max(spans.values()) == 1


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
        ours = parse(parser.viterbi(text.split()))
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
        best = parse(parser.viterbi(sentence))
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
        assert parse(parser.max_rule(sentence)).tree.leaves() == sentence


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
    [([], "has no words"), ("a b", "not a string"), (["a", 3], "the word 3")],
)
def test_what_is_not_a_sentence(sentence: list[str], message: str) -> None:
    parser = Parser(AMBIGUOUS)
    with pytest.raises(OptionError, match=message):
        parser.viterbi(sentence)
    with pytest.raises(OptionError, match=f"sentence 2: .*{message}"):
        parser.parse_all([["a"], sentence])


def test_numbers_must_be_above_zero() -> None:
    parser = Parser(AMBIGUOUS)
    for wrong in (0, -1, 1.5, True):
        with pytest.raises(OptionError, match=r"k .* is not a whole number above zero"):
            parser.kbest(["a"], wrong)
        with pytest.raises(OptionError, match=r"n .* is not"):
            parser.sample(["a"], wrong)
        with pytest.raises(OptionError, match=r"workers .* is not"):
            parser.parse_all([["a"]], workers=wrong)
        with pytest.raises(OptionError, match=r"memory_limit .* is not"):
            Parser(AMBIGUOUS, memory_limit=wrong)


def test_an_empty_rule_is_refused_by_name() -> None:
    grammar = Grammar.from_productions(
        [
            Production(Nonterminal("S"), (Nonterminal("A"), "a")),
            Production(Nonterminal("A"), (), 0.5),
            Production(Nonterminal("A"), ("b",), 0.5),
        ]
    )
    with pytest.raises(ChartGrammarError, match=r"A ->.*empty right-hand side") as caught:
        Parser(grammar)
    assert "remove empty rules" in str(caught.value)


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
    tree = parse(Parser(AMBIGUOUS).viterbi(["a", "a"])).tree
    assert tree == Tree("S", (Tree("S", ("a",)), Tree("S", ("a",))))


@pytest.mark.parametrize("block", [3, 256])
def test_unary_chains_are_the_inverse_and_the_shortest_paths(
    block: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(grammar.unary_chains, "_BLOCK", block)
    random = np.random.default_rng(1)
    size = 14
    weights = np.where(random.random((size, size)) < 0.2, random.random((size, size)) / 4, 0.0)
    weights[random.random(size) < 0.3] = 0.0
    best, total = (
        np.exp(dense(chains, size)) for chains in unary_chains(scipy.sparse.csr_array(weights))
    )
    assert total == pytest.approx(np.linalg.inv(np.eye(size) - weights), abs=1e-12)
    longest = np.eye(size)
    for _ in range(size):
        longest = np.maximum(longest, (longest[:, :, None] * weights[None]).max(axis=1))
    assert best == pytest.approx(longest, abs=1e-12)


def dense(chains: Corner, size: int) -> np.ndarray:
    table = np.full((size, size), -np.inf)
    child = np.repeat(np.arange(size), np.diff(chains.starts))
    table[chains.parent, child] = chains.weight
    return table
