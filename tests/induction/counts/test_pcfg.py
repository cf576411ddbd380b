"""PCFGs from treebanks: relative frequencies as NLTK has them, smoothing, rare-word classes."""

from __future__ import annotations

from collections import Counter

import nltk
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from grammar.errors import EmptyTreebankError, OptionError
from grammar.pcfg.grammar import Grammar
from grammar.trees.treebank import Treebank
from induction.corpus.readers import read_treebank
from induction.counts.counts import count_rules
from induction.counts.pcfg import induce_pcfg, pcfg_from_counts
from induction.counts.skeletons import SkeletonTrees
from induction.fragments.dop import induce_double_dop
from induction.trees.binarise import binarise, unbinarise
from induction.trees.normalise import expand_unaries, normalise
from induction.trees.preparation import prepare
from induction.trees.unknown import signature, with_rare_classes
from tests.grammar.strategies import trees

labels = st.sampled_from(["S", "NP", "VP", "TOP", "a"])
words = st.sampled_from(["a", "b", "c", "NP"])
treebanks = st.lists(trees(labels=labels, words=words), min_size=1, max_size=5).map(
    Treebank.from_trees
)


def probabilities(grammar: Grammar | nltk.PCFG) -> dict[tuple[str, tuple[str, ...]], float]:
    """Return the probability of every rule; words are in quotes."""
    if isinstance(grammar, Grammar):
        grammar = grammar.to_nltk()
    return {
        (str(p.lhs()), tuple(f"'{c}'" if isinstance(c, str) else str(c) for c in p.rhs())): p.prob()
        for p in grammar.productions()
    }


def by_nltk(treebank: Treebank, start: str) -> nltk.PCFG:
    productions = [p for tree in treebank for p in tree.to_nltk().productions()]
    return nltk.induce_pcfg(nltk.Nonterminal(start), productions)


# --- relative frequencies ----------------------------------------------------------------------


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"direction": "right", "horizontal_markov": 2},
        {"direction": "left", "horizontal_markov": 1, "vertical_markov": 2},
    ],
    ids=str,
)
def test_a_grammar_of_real_trees_is_the_one_that_nltk_induces(nltk_treebank_text, options):
    treebank = Treebank.parse(nltk_treebank_text)[:800]
    grammar = induce_pcfg(treebank, **options)
    expected = probabilities(by_nltk(prepare(treebank, **options), "TOP"))
    found = probabilities(grammar)
    assert grammar.start == "TOP"
    assert found.keys() == expected.keys()
    assert found == pytest.approx(expected, rel=0, abs=1e-12)


@given(treebank=treebanks)
@settings(max_examples=80, deadline=None)
def test_weights_are_relative_frequencies(treebank):
    grammar = induce_pcfg(treebank, steps=("root",))
    rooted = normalise(treebank, ("root",))
    assert probabilities(grammar) == pytest.approx(probabilities(by_nltk(rooted, "TOP")))
    assert grammar.count.tolist() == count_rules(rooted).count.tolist()


@given(treebank=treebanks)
@settings(max_examples=100, deadline=None)
def test_a_grammar_of_a_treebank_is_proper_and_tight_and_as_long_as_the_treebank(treebank):
    report = induce_pcfg(treebank, steps=("root",)).check()
    assert report.proper
    assert report.tight
    assert not report.unreachable
    assert not report.unproductive
    # relative frequencies make the expected use of each rule that of the treebank (Chi 1999)
    assert report.expected_length == pytest.approx(treebank.word_count / len(treebank))


def test_the_expected_length_of_the_embedded_grammar_is_the_mean_length_of_its_treebank():
    treebank = read_treebank()
    for options in ({}, {"horizontal_markov": 1, "vertical_markov": 2}):
        report = induce_pcfg(treebank, **options).check()
        assert report.expected_length == pytest.approx(treebank.word_count / len(treebank))


def test_the_order_of_the_trees_does_not_matter():
    treebank = read_treebank()
    assert induce_pcfg(treebank[::-1]) == induce_pcfg(treebank)


# --- roots -------------------------------------------------------------------------------------


def test_one_root_label_is_the_start_symbol():
    grammar = induce_pcfg(Treebank.parse("(X (A a)) (X (A b))"), steps=())
    assert grammar.start == "X"
    assert "TOP" not in grammar.left_hand_sides


def test_different_roots_get_a_start_symbol_above_them():
    grammar = induce_pcfg(Treebank.parse("(A a) (B b) (B b) (B c)"), steps=())
    assert grammar.start == "TOP"
    assert [str(p) for p in grammar.productions("TOP")] == ["TOP -> B [0.75]", "TOP -> A [0.25]"]


def test_trees_that_have_the_start_symbol_for_root_get_no_second_one():
    treebank = Treebank.parse("(TOP (S a)) (S a) (S b) (NP c)")
    grammar = induce_pcfg(treebank, steps=())
    assert grammar == induce_pcfg(treebank, steps=("root",))
    assert probabilities(grammar) == {
        ("TOP", ("S",)): 0.75,
        ("TOP", ("NP",)): 0.25,
        ("S", ("'a'",)): pytest.approx(2 / 3),
        ("S", ("'b'",)): pytest.approx(1 / 3),
        ("NP", ("'c'",)): 1.0,
    }


@given(treebank=treebanks)
@settings(max_examples=60, deadline=None)
def test_roots_above_counts_are_the_roots_above_trees(treebank):
    roots = {tree.label for tree in treebank}
    grammar = pcfg_from_counts(count_rules(treebank))
    if len(roots) == 1:
        assert {grammar.start} == roots
    else:
        assert grammar == induce_pcfg(treebank, steps=("root",))


# --- options -----------------------------------------------------------------------------------


@pytest.mark.parametrize("smoothing", [0.0, 0.5, 1.0, 10.0])
def test_smoothing_adds_to_the_count_of_every_seen_rule(smoothing):
    treebank = Treebank.parse("(S a) (S a) (S a) (S b) (S (S c))")
    grammar = induce_pcfg(treebank, steps=(), smoothing=smoothing)
    counts = {("S", ("'a'",)): 3, ("S", ("'b'",)): 1, ("S", ("'c'",)): 1, ("S", ("S",)): 1}
    assert probabilities(grammar) == pytest.approx(
        {rule: (n + smoothing) / (6 + 4 * smoothing) for rule, n in counts.items()}
    )
    assert sorted(grammar.count.tolist()) == [1, 1, 1, 3]  # counts stay what was counted


@pytest.mark.parametrize("smoothing", [-0.1, float("nan"), float("inf")])
def test_smoothing_must_be_a_number_that_is_not_negative(smoothing):
    with pytest.raises(OptionError, match="smoothing"):
        induce_pcfg(Treebank.parse("(S a)"), smoothing=smoothing)


@pytest.mark.parametrize(
    ("options", "meaning"),
    [
        ({"horizontal_markov": 1}, {"direction": "right", "horizontal_markov": 1}),
        ({"horizontal_markov": 0}, {"direction": "right", "horizontal_markov": 0}),
        ({"vertical_markov": 2}, {"direction": "right", "vertical_markov": 2}),
        ({"direction": "head"}, {"direction": "head"}),
        ({"direction": "left", "vertical_markov": 3}, {"direction": "left", "vertical_markov": 3}),
    ],
    ids=str,
)
def test_any_option_of_binarisation_binarises(options, meaning):
    treebank = read_treebank()[:50]
    assert prepare(treebank, **options) == binarise(normalise(treebank), **meaning)


def test_without_such_options_rules_stay_whole():
    treebank = read_treebank()[:50]
    assert prepare(treebank) == normalise(treebank)


@pytest.mark.parametrize(
    "bad",
    [
        {"direction": "up"},
        {"horizontal_markov": -1},
        {"vertical_markov": 0},
        {"rare_words": -1},
        {"steps": ("trace",)},
    ],
    ids=str,
)
def test_a_bad_option_is_refused(bad):
    with pytest.raises(OptionError):
        induce_pcfg(Treebank.parse("(S a)"), **bad)


@pytest.mark.parametrize(
    ("label", "mark"),
    [("A|<B>", "|<"), ("A^<S>", "^<"), ("|<", "|<"), ("NP+VP", "+"), ("A+B+C", "+")],
)
@pytest.mark.parametrize("tree", ["(S ({} (A a) (B b)) (C c))", "(S ({} a) (C c))", "({} (A a))"])
@pytest.mark.parametrize("prepared", [prepare, induce_pcfg, induce_double_dop, SkeletonTrees.of])
def test_a_label_with_a_mark_of_binarisation_or_joining_is_refused(prepared, tree, label, mark):
    treebank = Treebank.parse(f"(S a) {tree.format(label)}")
    with pytest.raises(OptionError) as error:
        prepared(treebank)
    assert error.value.what.startswith(f"the label {label} holds {mark}, ")
    assert error.value.where == "tree 2"
    assert "write another sign" in str(error.value)


@pytest.mark.parametrize(
    "text",
    [
        "(S (N a+b) (N x|<y>) (N x^<y>) (N +))",  # words may be anything
        "(S (+ +) (A+ a) (+A b))",  # no chain: nothing stands on one side
        "(S (N-A+B a) (NP-X|<Y> (N a)))",  # function tags go first
        "(S (A| a) (A^ b) (< c))",
    ],
)
def test_other_labels_and_all_words_come_through(text):
    treebank = Treebank.parse(text)
    options = {"direction": "right", "horizontal_markov": 2, "vertical_markov": 2}
    steps = ("functions", "unaries")
    trees = prepare(treebank, steps=steps, **options)
    assert expand_unaries(unbinarise(trees)) == normalise(treebank, ("functions",))


@pytest.mark.parametrize("label", ["+", "A+", "+A"])
def test_a_constituent_with_plus_is_refused_where_chains_are_joined(label):
    treebank = Treebank.parse(f"(S ({label} (B (A a) (C c))))")
    assert prepare(treebank, steps=()) == treebank
    with pytest.raises(OptionError, match="chain of single constituents"):
        prepare(treebank, steps=("unaries",))


@given(
    treebank=st.lists(
        trees(labels=st.text("AB+|<^>-", min_size=1, max_size=4), words=words),
        min_size=1,
        max_size=3,
    ).map(Treebank.from_trees),
    steps=st.sampled_from([(), ("unaries",), ("root", "unaries"), ("unaries", "root")]),
    horizontal=st.sampled_from([None, 0, 1]),
    vertical=st.integers(1, 3),
)
@settings(max_examples=200, deadline=None)
def test_what_is_not_refused_comes_back_as_it_was(treebank, steps, horizontal, vertical):
    options = {"direction": "right", "horizontal_markov": horizontal, "vertical_markov": vertical}
    plain = normalise(treebank, [step for step in steps if step != "unaries"])
    try:
        made = prepare(treebank, steps=steps, **options)
    except OptionError:
        return
    assert expand_unaries(unbinarise(made)) == plain


@pytest.mark.parametrize("text", ["", "(S (-NONE- *))", "# a comment\n"])
def test_a_treebank_without_trees_or_with_nothing_but_traces_teaches_nothing(text):
    with pytest.raises(EmptyTreebankError):
        induce_pcfg(Treebank.parse(text))


# --- rare words --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        ("zzz", "<rare>"),
        ("running", "<rare:ing>"),
        ("Running", "<rare:capital-ing>"),
        ("NASA", "<rare:capitals>"),
        ("I", "<rare:capital>"),
        ("12", "<rare:number>"),
        ("1,250.50", "<rare:number>"),
        ("10/9", "<rare:number>"),
        ("3rd", "<rare:digit>"),
        ("mid-1980s", "<rare:digit-hyphen-s>"),
        ("well-known", "<rare:hyphen>"),
        ("ing", "<rare>"),  # a suffix needs a stem
        ("Élan", "<rare:capital>"),
        ("", "<rare>"),
    ],
)
def test_a_signature_tells_the_shape_of_a_word(word, expected):
    assert signature(word) == expected


@given(treebank=treebanks, threshold=st.integers(0, 3))
@settings(max_examples=80, deadline=None)
def test_exactly_the_rare_words_become_their_classes(treebank, threshold):
    frequency = Counter(word for words in treebank.sentences() for word in words)
    expected = [
        tuple(word if frequency[word] > threshold else signature(word) for word in words)
        for words in treebank.sentences()
    ]
    classed = with_rare_classes(treebank, threshold)
    assert classed.sentences() == expected
    inner = ~treebank.is_word
    assert [classed.symbols[i] for i in classed.label[inner].tolist()] == [
        treebank.symbols[i] for i in treebank.label[inner].tolist()
    ]


def test_a_grammar_with_rare_classes_has_a_rule_for_each_class():
    treebank = Treebank.parse("(S (V running)) (S (V walking)) (S (V go)) (S (V go))")
    grammar = induce_pcfg(treebank, rare_words=1)
    assert [str(p) for p in grammar.productions("V")] == [
        "V -> '<rare:ing>' [0.5]",
        "V -> 'go' [0.5]",
    ]
    assert np.isclose(sum(p.weight for p in grammar.productions("V")), 1)


def test_a_class_counts_before_binarisation_so_all_options_go_together():
    grammar = induce_pcfg(read_treebank(), rare_words=2, horizontal_markov=1, smoothing=0.1)
    report = grammar.check()
    assert report.proper
    assert any(word.startswith("<rare") for word in grammar.rules.words)
    assert max(len(p.rhs) for p in grammar) == 2
