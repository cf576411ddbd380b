"""Other rule probabilities, draws that reach every rule, and counts, against enumeration."""

import math
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from grammar import Grammar
from grammar.errors import LengthBandError, NotTightError, OptionError
from grammar.families.distributions import check_tight, reweighted
from grammar.families.tsg import TreeSubstitutionGrammar
from grammar.rules.rules import Nonterminal
from grammar.sampling_kernels.ancestral import derivation_trees
from grammar.sampling_kernels.counts import derivation_count
from grammar.sampling_kernels.coverage import CoverageSampler, expected_uses
from grammar.sampling_kernels.lengths import length_distribution
from grammar.trees.fragment import Fragment
from grammar.trees.tree import Tree
from grammar.trees.treebank import Treebank
from induction.counts.pcfg import induce_pcfg
from induction.lexicalised.lpcfg import induce_lpcfg
from sampling import sample_sentences
from tests.grammar.enumeration import all_derivations
from tests.grammar.strategies import grammars
from treewright.cli import main

FINITE = {"unary_cycles": False, "empty_rules": False}
SMALL = """
    S -> NP VP [0.6] | S 'and' S [0.3] | VP [0.1]
    NP -> 'a' [0.5] | NP PP [0.25] | 'the' 'big' N [0.25]
    N -> 'x' [0.5] | 'y' [0.5]
    PP -> 'of' NP [1]
    VP -> 'go' [0.7] | 'see' NP [0.3]
"""


def rule_counts(grammar: Grammar, tree: Tree) -> Counter[int]:
    """Return how often a derivation, given as its tree, uses each rule, by looking."""
    number = {sides: i for i, sides in enumerate(grammar.rules)}

    def rules(node: Tree) -> Iterator[int]:
        names = tuple(c if isinstance(c, str) else Nonterminal(c.label) for c in node.children)
        yield number[Nonterminal(node.label), names]
        for child in node.children:
            if isinstance(child, Tree):
                yield from rules(child)

    return Counter(rules(tree))


# --- weights ----------------------------------------------------------------------------------


@given(grammars(), st.floats(0.01, 100))
def test_each_distribution_is_what_its_formula_says(grammar: Grammar, temperature: float) -> None:
    for lhs in grammar.left_hand_sides:
        p = {str(x.rhs): x.weight for x in grammar.productions(lhs)}
        for name, mass in (
            ("mle", p),
            ("uniform", dict.fromkeys(p, 1.0)),
            ("tempered", {k: v ** (1 / temperature) for k, v in p.items()}),
            ("inverse-probability", {k: 1 / v for k, v in p.items()}),
        ):
            options = {"temperature": temperature} if name == "tempered" else {}
            made = reweighted(grammar, name, **options)
            got = {str(x.rhs): x.weight for x in made.productions(lhs)}
            total = sum(mass.values())
            if total > 1e-200:  # the formula itself may underflow; ours does not
                assert got == pytest.approx({k: v / total for k, v in mass.items()})
            assert sum(got.values()) == pytest.approx(1)


def test_inverse_frequency_goes_by_counts() -> None:
    treebank = Treebank.parse("(S (A a) (B b)) (S (A a) (B c)) (S (A a) (B b))")
    grammar = reweighted(induce_pcfg(treebank, steps=()), "inverse-frequency")
    weights = {str(p.rhs[0]): p.weight for p in grammar.productions("B")}
    assert weights == pytest.approx({"b": 1 / 3, "c": 2 / 3})
    assert grammar.count.tolist() == induce_pcfg(treebank, steps=()).count.tolist()


def test_extreme_temperatures_stay_proper() -> None:
    grammar = Grammar.parse("S -> 'a' [0.0001] | 'b' [0.0002] | 'c' [0.9997] | 'd' [0]")
    sharp = reweighted(grammar, "tempered", temperature=1e-3)
    assert [p.weight for p in sharp.productions("S")][:2] == pytest.approx([1, 0])
    flat = reweighted(grammar, "tempered", temperature=1e6)
    assert sorted(flat.weight) == pytest.approx([0, 1 / 3, 1 / 3, 1 / 3], abs=1e-4)


def test_rules_without_weight_stay_out() -> None:
    grammar = Grammar.parse("S -> 'a' [1] | 'b' [0] | 'c' [0]")
    for name in ("uniform", "tempered", "inverse-probability"):
        options = {"temperature": 3.0} if name == "tempered" else {}
        assert reweighted(grammar, name, **options).weight.tolist() == [1, 0, 0]


def test_fragments_are_the_rules_of_a_tree_substitution_grammar() -> None:
    pieces = [("(S (NP ) (VP ))", 3), ("(S (NP (N we)) (VP ))", 1), ("(S (NP ) (VP swim))", 2)]
    pieces += [("(NP (N we))", 4), ("(VP swim)", 1), ("(VP run)", 3)]
    grammar = TreeSubstitutionGrammar.from_fragments(
        [(Fragment.parse(text), count, count) for text, count in pieces], start="S", normalise=True
    )
    for name in ("uniform", "inverse-frequency"):
        made = reweighted(grammar, name)
        assert isinstance(made, TreeSubstitutionGrammar)
        flat = reweighted(grammar.pcfg, name)
        assert np.allclose(made.pcfg.weight, flat.weight)
    by_text = {str(item.fragment): item.weight for item in reweighted(grammar, "inverse-frequency")}
    assert by_text["(S (NP (N we)) (VP ))"] == pytest.approx(1 / (1 + 1 / 2 + 1 / 3))


def test_a_lexicalised_grammar_is_seen_through_a_view() -> None:
    trees = "(S (NP (PRP I)) (VP (VBD saw) (NP (PRP it)))) (S (NP (PRP we)) (VP (VBD saw)))"
    grammar = induce_lpcfg(Treebank.parse(trees))
    made = reweighted(reweighted(grammar, "uniform"), "tempered", temperature=2)
    assert made.family == "lpcfg"
    assert made.base is grammar
    sentences = sample_sentences(made, 50, length=(2, 4), trees=True)
    assert {"I saw it", "we saw"} <= set(sentences.column("text"))
    assert "(NP (PRP I))" in "".join(sentences.column("tree"))


@pytest.mark.parametrize(
    ("name", "options", "message"),
    [
        ("flat", {}, "use one of mle, uniform"),
        ("tempered", {"temperature": 0}, "not a number above zero"),
        ("tempered", {"temperature": math.nan}, "not a number above zero"),
        ("uniform", {"temperature": 2}, "does nothing to 'uniform'"),
        ("inverse-frequency", {}, "rules without a count"),
    ],
)
def test_what_cannot_be_done_is_said(name: str, options: dict, message: str) -> None:
    with pytest.raises(OptionError, match=message):
        reweighted(Grammar.parse("S -> 'a' [0.5] | 'b' [0.5]"), name, **options)


def test_a_grammar_that_grows_without_end_is_refused_with_a_band() -> None:
    grammar = Grammar.parse("S -> S S [0.1] | 'a' [0.9]")
    check_tight(grammar, "--length 1:9")
    for wild in (reweighted(grammar, "uniform"), Grammar.parse("S -> S S [0.6] | 'a' [0.4]")):
        with pytest.raises(NotTightError, match="grow without end") as error:
            check_tight(wild, "--length 1:9")
        assert "--length 1:9" in error.value.hint


# --- draws for a rule -------------------------------------------------------------------------


@given(grammars(**FINITE), st.integers(0, 3), st.integers(0, 3))
def test_expected_uses_are_those_of_all_derivations(
    grammar: Grammar, shortest: int, more: int
) -> None:
    longest = shortest + more
    expected = np.zeros(len(grammar))
    for tree, probability in all_derivations(grammar, longest).items():
        if len(tree.leaves()) >= shortest:
            for rule, uses in rule_counts(grammar, tree).items():
                expected[rule] += probability * uses
    assert np.allclose(expected_uses(grammar, shortest, longest), expected, atol=1e-12)


@given(grammars(**FINITE), st.integers(1, 3), st.integers(0, 2), st.integers(0, 99))
def test_every_rule_of_some_derivation_is_drawn_for_and_used(
    grammar: Grammar, shortest: int, more: int, seed: int
) -> None:
    longest = shortest + more
    trees = {
        tree: probability
        for tree, probability in all_derivations(grammar, longest).items()
        if len(tree.leaves()) >= shortest
    }
    assume(trees)
    sampler = CoverageSampler(grammar, shortest, longest)
    assert sampler.rules.tolist() == sorted({r for t in trees for r in rule_counts(grammar, t)})
    targets = np.repeat(sampler.rules, 3)
    draws = sampler.draw(np.uint64(seed), np.arange(len(targets)), targets)
    for i, tree in enumerate(derivation_trees(grammar, draws)):
        assert targets[i] in rule_counts(grammar, tree)
        assert trees[tree] == pytest.approx(math.exp(draws.log_probability[i]))


def test_draws_have_the_probability_that_their_uses_give_them() -> None:
    grammar = Grammar.parse(SMALL)
    trees = {t: p for t, p in all_derivations(grammar, 5).items() if len(t.leaves()) >= 2}
    sampler, n = CoverageSampler(grammar, 2, 5), 4000
    for target in sampler.rules.tolist():
        mass = {t: p * rule_counts(grammar, t)[target] for t, p in trees.items()}
        total = sum(mass.values())
        draws = sampler.draw(np.uint64(5), np.arange(n), np.full(n, target))
        seen = Counter(derivation_trees(grammar, draws))
        likely = {t: n * m / total for t, m in mass.items() if n * m / total > 5}
        squares = sum((seen[t] - e) ** 2 / e for t, e in likely.items())
        # four deviations above the mean of the chi-square distribution
        assert squares < len(likely) + 4 * math.sqrt(2 * len(likely)), grammar.production(target)


def test_draws_are_numbered_and_survive_long_bands_and_empty_rules() -> None:
    grammar = Grammar.parse("S -> A S [0.3] | 'b' [0.3] | A A [0.4]\nA -> 'a' [0.5] | [0.5]")
    sampler = CoverageSampler(grammar, 1, 60)
    targets = np.resize(sampler.rules, 500)
    numbers = np.arange(500)
    whole = sampler.draw(np.uint64(1), numbers, targets)
    part = sampler.draw(np.uint64(1), numbers[123:130], targets[123:130])
    begin, end = whole.rule_offsets[[123, 130]]
    assert np.array_equal(whole.rules[begin:end], part.rules)
    lengths = np.diff(whole.word_offsets)
    assert 1 <= lengths.min() <= lengths.max() <= 60


def test_the_mass_of_the_start_symbol_is_that_of_the_band() -> None:
    grammar = Grammar.parse("S -> 'a' S [0.9] | 'b' [0.1]")
    uses = expected_uses(grammar, 50, 80)
    band = length_distribution(grammar, 80)[50:].sum()
    assert uses[grammar.rules.words.index("b")] == pytest.approx(band)


def test_bands_and_rules_that_cannot_be_are_refused() -> None:
    grammar = Grammar.parse("S -> 'a' 'a' [0.5] | 'b' [0.5]")
    with pytest.raises(LengthBandError):
        CoverageSampler(grammar, 3, 4)
    with pytest.raises(OptionError):
        CoverageSampler(grammar, 4, 3)
    sampler = CoverageSampler(grammar, 2, 4)
    with pytest.raises(OptionError, match="cannot be drawn for"):
        sampler.draw(np.uint64(0), np.arange(2), np.array([0, 1]))


# --- counts -----------------------------------------------------------------------------------


@given(grammars(**FINITE), st.integers(0, 3), st.integers(0, 2))
def test_derivations_are_counted(grammar: Grammar, shortest: int, more: int) -> None:
    band = shortest, shortest + more
    trees = [t for t in all_derivations(grammar, band[1]) if len(t.leaves()) >= band[0]]
    assert derivation_count(grammar, band) == len(trees)


@given(grammars(recursive=False, empty_rules=False))
def test_grammars_without_recursion_are_counted_whole(grammar: Grammar) -> None:
    assume(derivation_count(grammar) < 500)
    longest = max(len(t.leaves()) for t in all_derivations(grammar, 27))
    assert derivation_count(grammar) == derivation_count(grammar, (0, longest))


def test_circles_have_no_end() -> None:
    grammar = Grammar.parse("S -> S [0.5] | 'a' [0.5]")
    assert derivation_count(grammar) == derivation_count(grammar, (1, 2)) == math.inf
    assert derivation_count(Grammar.parse("S -> 'a' [0.5] | E [0.5]\nE -> [1]"), (0, 3)) == 2


# --- the verb ---------------------------------------------------------------------------------


def run(monkeypatch: pytest.MonkeyPatch, *arguments: object) -> int:
    monkeypatch.setattr(sys, "argv", ["treewright", *map(str, arguments)])
    with pytest.raises(SystemExit) as left:
        main()
    return int(left.value.code or 0)


def test_the_verb_sample_takes_a_distribution(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "g.txt"
    path.write_text("S -> 'a' [0.999] | 'b' [0.001]\n", "utf-8")
    assert run(monkeypatch, "sample", path, "-n", 40, "--distribution", "uniform") == 0
    assert 8 <= capsys.readouterr().out.split().count("b") <= 32
    options = ("--distribution", "tempered", "--temperature", 0.1)
    assert run(monkeypatch, "sample", path, "-n", 40, *options) == 0
    assert "b" not in capsys.readouterr().out.split()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--distribution", "uniform"), "--length 1:40"),
        (("--distribution", "flat"), "use one of mle"),
        (("--temperature", "2"), "does nothing to 'mle'"),
    ],
)
def test_faults_of_the_verb_are_one_message(
    options: tuple[str, ...],
    message: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    path = tmp_path / "g.txt"
    path.write_text("S -> S S [0.1] | 'a' [0.9]\n", "utf-8")
    assert run(monkeypatch, "sample", path, *options) == 1
    said = capsys.readouterr().err
    assert said.startswith("treewright: ")
    assert message in said
