"""Sampled sentences: a function of seed and position alone, exact, and with their derivations."""

from __future__ import annotations

import math
import os
import subprocess
import sys
from collections import Counter
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy.stats import chi2

from grammar.errors import BracketError, LengthBandError, NotTightError, OptionError
from grammar.pcfg.grammar import Grammar
from grammar.rules.rules import Nonterminal
from grammar.trees.tree import Tree
from grammar.trees.treebank import Treebank
from induction import induce_double_dop, induce_lpcfg
from induction.corpus.corpus import COLUMNS, Corpus
from induction.corpus.formats import read_corpus
from induction.corpus.readers import read_treebank
from induction.counts.pcfg import induce_pcfg
from induction.trees.normalise import DEFAULT_STEPS
from sampling.sentences.sentences import VERSION, sample_sentences, sentence_batches
from tests.grammar.enumeration import all_derivations
from tests.grammar.strategies import grammars

COIN = Grammar.parse("S -> 'very' S [0.5] | 'good' [0.5]")
WILD = Grammar.parse("S -> S S [3/4] | 'a' [1/4]")


@pytest.fixture(scope="module")
def embedded() -> Grammar:
    return induce_pcfg(read_treebank())


@pytest.fixture(scope="module")
def marked() -> Grammar:
    """A grammar whose labels carry all that binarisation and joining unaries put there."""
    return induce_pcfg(
        read_treebank(),
        steps=(*DEFAULT_STEPS, "unaries"),
        direction="head",
        horizontal_markov=1,
        vertical_markov=2,
    )


# --- the same whoever draws --------------------------------------------------------------------


@pytest.mark.parametrize("length", [None, (3, 9)])
@pytest.mark.parametrize(
    ("workers", "batch_size"), [(1, 1), (1, 7), (2, 7), (3, 50), (5, 16), (2, 1000)]
)
def test_threads_and_batches_change_nothing(embedded, length, workers, batch_size):
    once = sample_sentences(embedded, 100, seed=5, trees=True, length=length)
    again = sentence_batches(
        embedded,
        100,
        seed=5,
        trees=True,
        length=length,
        workers=workers,
        batch_size=batch_size,
    )
    assert pa.concat_tables(again).equals(once.table)


@pytest.mark.parametrize("length", [None, (2, 6)])
def test_a_later_start_gives_the_later_rows(embedded, length):
    first = sample_sentences(embedded, 15, seed=1, trees=True, length=length)
    later = sample_sentences(embedded, 10, seed=1, trees=True, length=length, start=5)
    assert later.table.equals(first.table.slice(5, 10))


@given(
    n=st.integers(0, 30),
    start=st.integers(0, 2**40),
    seed=st.integers(0, 2**63 - 1),
    batch_size=st.integers(1, 12),
    workers=st.integers(1, 3),
)
@settings(max_examples=60, deadline=None)
def test_any_stretch_of_a_stream_is_its_own(n, start, seed, batch_size, workers):
    stretch = sentence_batches(
        COIN, n, start=start, seed=seed, batch_size=batch_size, workers=workers
    )
    singles = [sample_sentences(COIN, 1, start=start + i, seed=seed)[0] for i in range(n)]
    assert list(Corpus(pa.concat_tables(stretch))) == singles


def test_another_seed_gives_other_sentences(embedded):
    texts = [tuple(sample_sentences(embedded, 50, seed=s).column("text")) for s in range(5)]
    assert len(set(texts)) == 5


def test_the_examples_of_a_stream_differ(embedded):
    assert len(set(sample_sentences(embedded, 500, length=(8, 8)).column("text"))) == 500


SCRIPT = """
import sys
from induction import induce_pcfg, read_treebank, write_corpus
from sampling import sample_sentences
grammar = induce_pcfg(read_treebank(), vertical_markov=2)
for name in ("a.parquet", "a.jsonl", "a.arrow"):
    corpus = sample_sentences(grammar, 300, seed=9, trees=True, workers=2)
    write_corpus(corpus, f"{sys.argv[1]}/{name}")
grammar.save(f"{sys.argv[1]}/grammar.json")
"""


def test_the_hash_seed_of_python_changes_no_byte(tmp_path):
    contents = []
    for seed in ("1", "4242"):
        folder = tmp_path / seed
        folder.mkdir()
        subprocess.run(
            [sys.executable, "-c", SCRIPT, str(folder)],
            check=True,
            env={**os.environ, "PYTHONHASHSEED": seed},
            cwd=Path(__file__).parents[3],
        )
        contents.append({path.name: path.read_bytes() for path in sorted(folder.iterdir())})
    assert len(contents[0]) == 4
    assert contents[0] == contents[1]


# --- what an example carries -------------------------------------------------------------------


def derive(grammar: Grammar, rules: list[int]) -> Tree:
    """Rebuild the tree that rules in preorder derive."""
    waiting = iter(rules)

    def expand(symbol: Nonterminal | str) -> Tree | str:
        if isinstance(symbol, str):
            return symbol
        production = grammar.production(next(waiting))
        assert production.lhs == symbol
        return Tree(symbol.name, tuple(expand(child) for child in production.rhs))

    tree = expand(Nonterminal(grammar.start))
    assert next(waiting, None) is None
    assert isinstance(tree, Tree)
    return tree


def test_columns_have_the_agreed_types_and_ids_are_positions(embedded):
    corpus = sample_sentences(embedded, 7, start=3, trees=True)
    assert corpus.names == ("id", "text", "tree", "provenance")
    assert all(corpus.table.schema.field(name).type == COLUMNS[name] for name in corpus.names)
    assert corpus.column("id") == ["3", "4", "5", "6", "7", "8", "9"]
    assert sample_sentences(embedded, 1).names == ("id", "text", "provenance")


def test_provenance_says_what_made_each_example(embedded):
    for place, row in enumerate(sample_sentences(embedded, 20, seed=11, start=40)):
        made_by = row["provenance"]
        assert made_by["method"] == "pcfg"
        assert made_by["version"] == VERSION
        assert (made_by["seed"], made_by["index"]) == (11, 40 + place)
        assert made_by["parents"] == []
        assert made_by["spans"] == []
        assert made_by["rules"]


@pytest.mark.parametrize("length", [None, (4, 12)])
def test_the_rules_derive_the_text_and_their_weights_its_probability(embedded, length):
    for row in sample_sentences(embedded, 50, seed=2, length=length, trees=True):
        rules = row["provenance"]["rules"]
        tree = derive(embedded, rules)
        assert " ".join(tree.leaves()) == row["text"]
        assert str(tree) == row["tree"]
        score = math.fsum(math.log(embedded.production(rule).weight) for rule in rules)
        assert row["provenance"]["log_probability"] == pytest.approx(score, rel=1e-12)


@given(grammar=grammars(empty_rules=False), seed=st.integers(0, 100))
@settings(max_examples=60, deadline=None)
def test_samples_of_any_grammar_are_derivations_of_it(grammar, seed):
    try:
        corpus = sample_sentences(grammar, 5, seed=seed, length=(1, 6), trees=True)
    except LengthBandError:
        assume(False)
    for row in corpus:
        tree = derive(grammar, row["provenance"]["rules"])
        assert str(tree) == row["tree"]
        assert " ".join(tree.leaves()) == row["text"]
        assert 1 <= len(tree.leaves()) <= 6


@given(grammar=grammars(), seed=st.integers(0, 100))
@settings(max_examples=60, deadline=None)
def test_empty_rules_leave_no_trace_in_the_text(grammar, seed):
    try:
        corpus = sample_sentences(grammar, 5, seed=seed, length=(0, 5))
    except LengthBandError:
        assume(False)
    for row in corpus:
        words: list[str] = []
        waiting = [Nonterminal(grammar.start)]
        for rule in row["provenance"]["rules"]:
            while isinstance(waiting[-1], str):
                words.append(waiting.pop())
            production = grammar.production(rule)
            assert waiting.pop() == production.lhs
            waiting += reversed(production.rhs)
        assert all(isinstance(symbol, str) for symbol in waiting)
        assert " ".join([*words, *reversed(waiting)]) == row["text"]


# --- trees -------------------------------------------------------------------------------------


def test_trees_show_no_marks_of_binarisation_or_joining(marked):
    assert any("|<" in name for name in marked.rules.nonterminals)
    assert any("^<" in name for name in marked.rules.nonterminals)
    assert any("+" in name for name in marked.rules.nonterminals)
    known = {node.label for tree in read_treebank() for node in tree.nodes()} | {"TOP"}
    for row in sample_sentences(marked, 200, trees=True):
        tree = Tree.parse(row["tree"])
        assert " ".join(tree.leaves()) == row["text"]
        assert {node.label for node in tree.nodes()} <= known


def test_a_word_in_brackets_is_plain_in_the_text_and_escaped_in_the_tree():
    grammar = Grammar.parse("S -> {(} '(' [1]\n{(} -> 'a' [1]")
    (row,) = sample_sentences(grammar, 1, trees=True)
    assert row["text"] == "a ("
    assert row["tree"] == "(S (-LRB- a) -LRB-)"


def test_a_word_with_a_space_can_be_sampled_but_not_drawn_in_brackets():
    grammar = Grammar.parse("S -> 'New York' [1]")
    assert sample_sentences(grammar, 1).column("text") == ["New York"]
    with pytest.raises(BracketError, match="New York"):
        sample_sentences(grammar, 1, trees=True)


def test_a_node_without_words_is_drawn_as_in_the_penn_treebank():
    grammar = Grammar.parse("S -> 'a' B [1]\nB -> 'b' [0.5] | '' [0.5]")
    corpus = sample_sentences(grammar, 20, trees=True)
    trees = dict(zip(corpus.column("text"), corpus.column("tree"), strict=True))
    assert trees == {"a": "(S a (B (-NONE- *)))", "a b": "(S a (B b))"}
    for row in corpus.table.to_pylist():
        assert str(grammar.tree_of(row["provenance"]["rules"])) == row["tree"]


def test_words_of_any_script_are_written_as_they_are():
    words = ["漢字", "naïve", "\U0001f469\u200d\U0001f680", "a\u00a0b", "'"]
    rules = [(f"T{i}", word) for i, word in enumerate(words)]
    text = f"S -> {' '.join(name for name, _ in rules)} [1]\n"
    text += "".join(f'{name} -> "{word}" [1]\n' for name, word in rules)
    assert sample_sentences(Grammar.parse(text), 2).column("text") == [" ".join(words)] * 2


# --- lengths and frequencies -------------------------------------------------------------------


@pytest.mark.parametrize("band", [(1, 1), (5, 5), (3, 20), (40, 41)])
def test_every_sentence_is_in_the_band(embedded, band):
    lengths = [len(row["text"].split()) for row in sample_sentences(embedded, 200, length=band)]
    assert min(lengths) >= band[0]
    assert max(lengths) <= band[1]


def test_the_mean_length_is_the_expected_one(embedded):
    lengths = [len(t.split()) for t in sample_sentences(embedded, 40_000, seed=3).column("text")]
    error = np.std(lengths, ddof=1) / math.sqrt(len(lengths))
    assert abs(np.mean(lengths) - embedded.check().expected_length) / error < 4


def test_sentences_come_as_often_as_the_grammar_says():
    texts = sample_sentences(COIN, 20_000, seed=4).column("text")
    for words in range(1, 6):
        probability = 0.5**words
        expected, seen = 20_000 * probability, sum(len(t.split()) == words for t in texts)
        assert abs(seen - expected) / math.sqrt(expected * (1 - probability)) < 4


def test_within_a_band_sentences_come_as_often_as_the_grammar_says():
    texts = sample_sentences(WILD, 20_000, seed=4, length=(1, 2)).column("text")
    # P(a) = 1/4, P(a a) = 3/4 (1/4)^2
    probability = (1 / 4) / (1 / 4 + 3 / 64)
    expected = 20_000 * probability
    deviation = math.sqrt(expected * (1 - probability))
    assert abs(texts.count("a") - expected) / deviation < 4


# --- edges -------------------------------------------------------------------------------------


@pytest.mark.parametrize("workers", [1, 3])
@pytest.mark.parametrize("trees", [False, True])
def test_no_examples_are_a_corpus_with_all_columns(embedded, workers, trees):
    none = sample_sentences(embedded, 0, workers=workers, trees=trees)
    some = sample_sentences(embedded, 3, trees=trees)
    assert len(none) == 0
    assert none.table.schema == some.table.schema


def test_batches_come_in_order_and_one_at_a_time(embedded):
    batches = sentence_batches(embedded, 10, batch_size=4, start=2)
    assert next(batches).column("id").to_pylist() == ["2", "3", "4", "5"]
    assert [batch.num_rows for batch in batches] == [4, 2]


@pytest.mark.parametrize("workers", [1, 2])
def test_batches_that_nobody_wants_are_not_drawn(embedded, workers):
    # a stream that no machine could draw to the end
    batches = sentence_batches(embedded, 10**15, batch_size=10, workers=workers)
    assert next(batches).num_rows == 10
    if workers > 1:
        batches.close()


@pytest.mark.parametrize(
    "bad",
    [
        {"n": -1},
        {"start": -1},
        {"workers": 0},
        {"batch_size": 0},
        {"seed": -1},
        {"seed": 2**63},
        {"seed": 1.5},
        {"seed": "one"},
        {"start": 2**63 - 2},
        {"length": (5, 4)},
        {"length": (-1, 4)},
    ],
    ids=str,
)
def test_a_bad_option_is_refused_before_anything_is_drawn(bad):
    options = {"n": 3, **bad}
    with pytest.raises(OptionError) as caught:
        sentence_batches(COIN, **options)
    assert caught.value.hint


def test_the_largest_seed_and_position_are_still_good():
    (row,) = sample_sentences(COIN, 1, seed=2**63 - 1, start=2**63 - 2)
    assert row["provenance"]["seed"] == 2**63 - 1
    assert row["id"] == str(2**63 - 2)


def test_a_grammar_that_may_never_end_is_refused_unless_lengths_are_bounded():
    with pytest.raises(NotTightError):
        sentence_batches(WILD, 1)
    assert sample_sentences(WILD, 3, length=(2, 2)).column("text") == ["a a"] * 3


def test_a_band_without_sentences_is_refused_before_anything_is_drawn():
    pairs = Grammar.parse("S -> 'a' 'b' S [0.5] | 'a' 'b' [0.5]")
    with pytest.raises(LengthBandError, match="no sentence of 3 to 3 words"):
        sentence_batches(pairs, 1, length=(3, 3))


def test_a_written_sample_is_read_back(tmp_path, embedded):
    from induction.corpus.formats import write_batches

    whole = sample_sentences(embedded, 50, trees=True)
    for suffix in ("jsonl", "csv", "tsv", "parquet", "arrow"):
        path = tmp_path / f"a.{suffix}"
        assert write_batches(sentence_batches(embedded, 50, trees=True, batch_size=9), path) == 50
        assert read_corpus(path).table.equals(whole.table)


def test_brackets_are_written_as_people_write_them() -> None:
    grammar = Grammar.parse("S -> '-LRB-' 'so' '-RRB-' [1/2] | 'so' [1/2]")
    for length in (None, (3, 3)):
        made = sample_sentences(grammar, 20, seed=0, length=length, trees=True)
        assert "( so )" in made.column("text")
        assert not any("LRB" in text for text in made.column("text"))
        assert "(S -LRB- so -RRB-)" in made.column("tree")


# --- with a construction -----------------------------------------------------------------------


@pytest.mark.parametrize("length", [None, (3, 9)])
def test_constructions_are_in_every_tree(embedded, length):
    pattern = "PP < (IN < of) < NP=object"
    drawn = sample_sentences(
        embedded, 60, seed=2, length=length, containing=[pattern, "VP"], trees=True
    )
    trees = Treebank.parse("\n".join(drawn.column("tree")))
    for wanted in (pattern, "VP"):
        assert len(trees.search(wanted).found_in) == 60
    weight = np.log(embedded.weight)
    for text, provenance in zip(drawn.column("text"), drawn.column("provenance"), strict=True):
        assert length is None or length[0] <= len(text.split()) <= length[1]
        found = weight[provenance["rules"]].sum()
        assert provenance["log_probability"] == pytest.approx(found)


def test_draws_with_a_construction_have_their_probability_given_it():
    grammar = Grammar.parse("S -> A S [0.4] | A [0.6] \n A -> 'a' [0.5] | 'b' [0.3] | A 'c' [0.2]")
    n, band, pattern = 4000, (2, 5), "S < (A < b) ; A <1 (A < a)"
    every = [(tree, p) for tree, p in all_derivations(grammar, band[1]).items()]
    bank = Treebank.from_trees([tree for tree, _ in every])
    held = set(bank.search(pattern).tree.tolist())
    kept = {
        str(tree): p for i, (tree, p) in enumerate(every) if i in held and len(tree.leaves()) > 1
    }
    mass = sum(kept.values())
    drawn = Counter(
        sample_sentences(grammar, n, length=band, containing=pattern, trees=True).column("tree")
    )
    assert set(drawn) <= set(kept)
    expected = {tree: n * p / mass for tree, p in kept.items()}
    statistic = sum((drawn[tree] - mean) ** 2 / mean for tree, mean in expected.items())
    assert chi2.sf(statistic, len(expected) - 1) > 1e-4


def test_threads_and_starts_change_nothing_where_a_construction_is_asked_for(embedded):
    once = sample_sentences(embedded, 30, containing="SBAR", trees=True)
    parts = sentence_batches(
        embedded, 20, containing="SBAR", trees=True, start=10, workers=2, batch_size=3
    )
    assert pa.concat_tables(parts).equals(once.table.slice(10))


def test_constructions_are_asked_for_in_trees_as_they_are_written(marked):
    trees = read_treebank()[:80]
    for grammar in (marked, induce_double_dop(trees), induce_lpcfg(trees)):
        for pattern in ("NP $.. VP", "NP <2 NN"):
            drawn = sample_sentences(
                grammar, 8, length=(5, 12), containing=pattern, trees=True
            ).table.to_pylist()
            written = Treebank.parse("\n".join(row["tree"] for row in drawn))
            assert len(written.search(pattern).found_in) == 8
            for row in drawn:
                provenance = row["provenance"]
                made = grammar.pcfg.weight[provenance["rules"]]
                assert provenance["log_probability"] == pytest.approx(np.log(made).sum())
                assert " ".join(grammar.tree_of(provenance["rules"]).leaves()) == row["text"]


@pytest.mark.parametrize("length", ["1:40", 5, (1, 2, 3)])
def test_a_length_that_is_no_band_is_refused(length):
    with pytest.raises(OptionError, match="no band"):
        sample_sentences(Grammar.parse("S -> 'so'"), 1, length=length)
