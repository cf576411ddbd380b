"""Test inputs as sentences: covers and mutations are sentences of the grammar; flat lengths."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from grammar import Parser
from grammar.chart.parser import NoParse
from grammar.errors import ChartGrammarError, LengthBandError, OptionError
from grammar.families.tsg import TreeSubstitutionGrammar
from grammar.pcfg.grammar import Grammar
from grammar.pcfg.rule_pairs import Targets, What
from grammar.pcfg.spelling import Spelling
from grammar.trees.fragment import Fragment
from induction.counts.coverage import coverage
from sampling import cover, mutate, sample_sentences
from tests.grammar.formats.published import PUBLISHED
from tests.grammar.strategies import grammars


@settings(max_examples=40, deadline=None)
@given(grammars(max_symbols=3), st.sampled_from(["rules", "pairs"]), st.integers(0, 3))
def test_a_cover_is_accepted_by_the_grammar_and_covers_it(
    grammar: Grammar, what: What, seed: int
) -> None:
    made = cover(grammar, what, seed=seed, max_size=12, trees=True)
    try:
        parser = Parser(grammar)
    except ChartGrammarError:
        parser = None
    targets = Targets.of(grammar, what)
    derivations = [one["rules"] for one in made.column("provenance")]
    assert (targets.covered(derivations) == targets.wanted).all()
    for text, one in zip(made.column("text"), made.column("provenance"), strict=True):
        assert parser is None or not text or parser.viterbi(text)
        weights = grammar.weight[one["rules"]]
        assert np.exp(one["log_probability"]) == pytest.approx(weights.prod(), rel=1e-6)
        leaves = [w for w in grammar.tree_of(one["rules"]).leaves() if w != "*"]
        assert " ".join(leaves) == text
    assert cover(grammar, what, seed=seed, max_size=12, trees=True).table.equals(made.table)


@pytest.mark.parametrize("name", ["json", "urls"])
def test_covers_and_mutations_of_programs_are_programs(name: str) -> None:
    grammar = PUBLISHED[name]
    spelling = Spelling.of(grammar, "characters")
    parser = Parser(spelling.parsed)
    made = cover(grammar, spacing="characters", max_size=40)
    first = made.column("provenance")[0]["rules"]
    changed = mutate(grammar, first, 20, seed=1, max_rules=12, spacing="characters")
    texts = [*made.column("text"), *changed.column("text")]
    assert all(not t or parser.viterbi(spelling.words(t)) for t in texts)
    found = coverage(grammar, made.column("text"), spacing="characters")
    assert found.rules == 1.0, found
    again = mutate(grammar, first, 5, seed=1, start=15, max_rules=12, spacing="characters")
    assert again.column("text") == changed.column("text")[15:]
    assert again.column("id") == ["15", "16", "17", "18", "19"]


def test_fragments_are_covered_as_rules() -> None:
    pieces = ["(S (NP ) (VP ))", "(S (NP we) (VP ))", "(NP they)", "(VP swim)", "(VP run)"]
    grammar = TreeSubstitutionGrammar.from_fragments(
        [(Fragment.parse(text), 1, 1) for text in pieces], start="S", normalise=True
    )
    made = cover(grammar, max_size=1, trees=True)
    assert sorted(made.column("text")) == ["they swim", "we run"] or len(made) <= len(pieces)
    assert "(S (NP we) (VP" in " ".join(made.column("tree"))


def test_flat_lengths_are_equally_probable() -> None:
    grammar = Grammar.parse("S -> 'a' 'a' S [0.1] | 'b' [0.9]")
    made = sample_sentences(grammar, 6000, length=(1, 10), flat=True)
    lengths = Counter(len(text.split()) for text in made.column("text"))
    assert set(lengths) == {1, 3, 5, 7, 9}
    assert all(abs(count - 1200) < 150 for count in lengths.values())
    within = [one["log_probability"] for one in made.column("provenance")]
    assert min(within) == pytest.approx(np.log(0.1**4 * 0.9))
    with pytest.raises(OptionError, match="flat needs a length band"):
        sample_sentences(grammar, 1, flat=True)
    with pytest.raises(OptionError, match="unknown spacing 'none'"):
        sample_sentences(grammar, 1, spacing="none")  # type: ignore[arg-type]


@settings(max_examples=30, deadline=None)
@given(grammars(max_symbols=3), st.integers(1, 4))
def test_coverage_is_that_of_the_derivations(grammar: Grammar, longest: int) -> None:
    try:
        made = sample_sentences(grammar, 6, length=(1, longest))
        found = coverage(grammar, made.column("text"))
    except (ChartGrammarError, LengthBandError):
        return
    parses = Parser(grammar).parse_all(made.column("text"))
    used = [p.rules for p in parses if not isinstance(p, NoParse)]
    assert found.sentences == len(used) == 6
    counts = Counter(rule for rules in used for rule in rules)
    assert found.uses.tolist() == [counts[rule] for rule in range(len(grammar))]
    targets = Targets.of(grammar, "rules")
    assert found.rules == pytest.approx(len(counts) / targets.wanted.sum())
    assert len(found.unused_rules) == targets.wanted.sum() - len(counts)


def test_a_page_of_coverage() -> None:
    grammar = Grammar.parse("S -> 'very' S [0.5] | 'good' [0.5]")
    found = coverage(grammar, ["good", "very very good"])
    assert found.to_dict() == {
        "sentences": 2,
        "without a derivation": [],
        "rules covered": 1.0,
        "pairs covered": 1.0,
        "rules not covered": [],
        "pairs not covered": [],
    }
    assert "rules covered         100.0%" in repr(found)
    assert coverage(grammar, [""]).failures[0].reason == "it has no words"
