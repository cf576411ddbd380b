"""Lexicalised grammars as values: graphs, files, PCFGs, statistics of heads, and bad input."""

from __future__ import annotations

import math

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from grammar.chart.parser import Parser
from grammar.errors import OptionError, SchemaError, StartSymbolError, WeightError
from grammar.families.lexicalised import LexicalisedGrammar, LexicalisedRules
from grammar.graph.storage import graph_from_json, graph_to_json
from grammar.pcfg.grammar import Grammar
from grammar.trees.tree import Tree
from grammar.trees.treebank import Treebank
from induction import read_treebank
from induction.lexicalised.lpcfg import induce_lpcfg
from sampling import sample_sentences
from tests.checksums import without_seal
from tests.grammar.strategies import tokens

TREES = """
(S (NP (PRP I)) (VP (VBD saw) (NP (DT a) (NN film))))
(S (NP (DT a) (NN film)) (VP (VBD ended)))
"""


@pytest.fixture(scope="module")
def grammar():
    return induce_lpcfg(Treebank.parse(TREES))


def labelled_trees():
    """Trees with odd names, each word under its own tag; labels without our own marks."""
    labels = tokens().filter(lambda name: not any(mark in name for mark in ("+", "|<", "^<")))
    tag = st.builds(lambda t, w: Tree(t, (w,)), labels, tokens())

    def phrase(below):
        return st.builds(Tree, labels, st.lists(below, min_size=1, max_size=3).map(tuple))

    return phrase(st.recursive(tag, phrase, max_leaves=5))


@given(st.lists(labelled_trees(), min_size=1, max_size=3))
@settings(max_examples=60)
def test_graphs_and_files_hold_the_whole_grammar(trees):
    grammar = induce_lpcfg(Treebank.from_trees(trees), steps=("root", "unaries"))
    assert LexicalisedGrammar.from_graph(grammar.graph) == grammar
    text = graph_to_json(grammar.graph)
    again = LexicalisedGrammar.from_graph(graph_from_json(text))
    assert again == grammar
    assert graph_to_json(again.graph) == text
    assert len(set(grammar.symbol_names)) == len(grammar.symbols)


@given(st.lists(labelled_trees(), min_size=1, max_size=3))
@settings(max_examples=30)
def test_weights_are_relative_frequencies_and_make_a_proper_pcfg(trees):
    grammar = induce_lpcfg(Treebank.from_trees(trees), steps=("root", "unaries"))
    for lhs in np.unique(grammar.rules.lhs):
        mine = grammar.rules.lhs == lhs
        expected = grammar.count[mine] / grammar.count[mine].sum()
        assert grammar.weight[mine] == pytest.approx(expected)
    assert grammar.pcfg.check().proper
    assert len(grammar.pcfg) == len(grammar)


def test_the_order_of_trees_changes_nothing():
    treebank = Treebank.parse(TREES)
    assert induce_lpcfg(treebank.take([1, 0])) == induce_lpcfg(treebank)
    assert induce_lpcfg(treebank.take([1])) != induce_lpcfg(treebank)


def test_the_graph_shows_heads(grammar):
    graph = grammar.graph
    assert graph.graph["family"] == "lpcfg"
    node = graph.nodes["symbol:VP[saw/VBD]"]
    assert (node["category"], node["word"], node["tag"]) == ("VP", "saw", "VBD")
    [rule] = graph.successors("symbol:S[saw/VBD]")
    assert graph.nodes[rule]["head"] == 1
    assert graph.nodes[rule]["text"] == "{S[saw/VBD]} -> {NP[I/PRP]} {VP[saw/VBD]}"
    children = sorted((d["position"], child) for _, child, d in graph.out_edges(rule, data=True))
    assert children == [(0, "symbol:NP[I/PRP]"), (1, "symbol:VP[saw/VBD]")]
    assert nx.descendants(graph, "symbol:TOP") >= {"word:saw", "word:I"}
    weights = [data["weight"] for _, _, data in graph.out_edges("symbol:TOP", data=True)]
    assert weights == [0.5, 0.5]
    assert nx.is_frozen(graph)
    assert repr(grammar).startswith("LexicalisedGrammar(start TOP: 15 rules over 14 symbols")
    assert "<svg" in grammar._repr_svg_()


def test_the_pcfg_is_sampled_and_parsed(grammar):
    found = set(sample_sentences(grammar.pcfg, 40, seed=0).column("text"))
    assert found == {"I saw a film", "a film ended"}
    parse = Parser(grammar.pcfg).viterbi(["a", "film", "ended"])
    assert parse.log_probability == pytest.approx(math.log(0.5))
    assert "NP[film/NN]" in str(parse.tree)


def test_head_statistics(grammar):
    found = grammar.head_statistics("NP")
    assert found.heads == (("film", "NN", 2), ("I", "PRP", 1))
    assert found.total == 3
    assert found.entropy == pytest.approx(-(2 / 3 * math.log2(2 / 3) + 1 / 3 * math.log2(1 / 3)))
    assert grammar.head_statistics("DT").entropy == 0.0
    with pytest.raises(OptionError, match="no category 'NPX'.*\n.*NP"):
        grammar.head_statistics("NPX")


def test_head_statistics_of_a_category_sum_over_its_ancestors():
    grammar = induce_lpcfg(Treebank.parse(TREES), vertical_markov=2)
    assert grammar.head_statistics("NP").total == 3
    assert grammar.head_statistics("NP^<VP>").heads == (("film", "NN", 1),)


# --- bad input ------------------------------------------------------------------------------------


def test_a_grammar_without_start_rules_or_with_a_count_of_zero_is_refused(grammar):
    columns = (grammar.categories, grammar.words, grammar.symbols)
    word_rules = grammar.rules.first < 0
    rules = LexicalisedRules(*(column[word_rules] for column in grammar.rules))
    with pytest.raises(StartSymbolError, match="TOP"):
        LexicalisedGrammar(*columns, rules, grammar.count[word_rules], "TOP")
    with pytest.raises(WeightError, match="not above zero"):
        LexicalisedGrammar(*columns, grammar.rules, grammar.count * 0, "TOP")


def test_files_of_another_family_or_schema_are_refused(grammar, tmp_path):
    path = tmp_path / "g.json"
    Grammar.parse("S -> 'a' [1]").save(path)
    with pytest.raises(SchemaError, match=r"g\.json: .*family 'pcfg', not 'lpcfg'"):
        LexicalisedGrammar.load(path)
    grammar.save(path)
    with pytest.raises(SchemaError, match="family 'lpcfg', not 'pcfg'"):
        Grammar.load(path)
    path.write_text(without_seal(path).replace("grammar/1", "grammar/99"))
    with pytest.raises(SchemaError, match=r"grammar/99"):
        LexicalisedGrammar.load(path)
    path.write_text(path.read_text()[:200])
    with pytest.raises(SchemaError, match="not JSON"):
        LexicalisedGrammar.load(path)


def broken(grammar, change):
    graph = nx.MultiDiGraph(grammar.graph)
    change(graph)
    return graph


def rule_of(graph, symbol):
    return next(iter(graph.successors(f"symbol:{symbol}")))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda g: g["symbol:TOP"][rule_of(g, "TOP")][0].update(weight=0.25), "relative frequency"),
        (lambda g: g["symbol:TOP"][rule_of(g, "TOP")][0].update(count=0), "layout"),
        (lambda g: g.nodes[rule_of(g, "S[saw/VBD]")].update(head=0), "layout"),
        (lambda g: g.nodes[rule_of(g, "S[saw/VBD]")].update(head=2), "layout"),
        (lambda g: g.nodes[rule_of(g, "S[saw/VBD]")].update(head="1"), "layout"),
        (lambda g: g.remove_edge(rule_of(g, "PRP[I/PRP]"), "word:I"), "layout"),
        (lambda g: g.nodes["symbol:S[saw/VBD]"].pop("word"), "lacks its category"),
        (lambda g: g.nodes["symbol:PRP[I/PRP]"].update(category="NP"), "layout"),
        (lambda g: g.nodes["symbol:PRP[I/PRP]"].update(word="you"), "layout"),
        (lambda g: g.graph.pop("options"), "options"),
        (lambda g: g.graph.update(family="tsg"), "family"),
    ],
)
def test_a_graph_that_does_not_follow_the_layout_is_refused(grammar, change, message):
    with pytest.raises(SchemaError, match=message):
        LexicalisedGrammar.from_graph(broken(grammar, change))


def test_the_embedded_treebank_goes_through_a_file(tmp_path):
    grammar = induce_lpcfg(read_treebank("embedded")[:50])
    grammar.save(tmp_path / "g.json.gz")
    assert LexicalisedGrammar.load(tmp_path / "g.json.gz") == grammar
