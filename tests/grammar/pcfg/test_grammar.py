"""Grammars as values: graph, files, weights, canonical order, and the way from and to NLTK."""

from __future__ import annotations

import gzip
import io
import json
import math
import os
import re
import sys

import networkx as nx
import nltk
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from grammar.errors import (
    NotationError,
    OptionError,
    OutputError,
    SchemaError,
    StartSymbolError,
    UnreadableInputError,
    WeightError,
)
from grammar.pcfg.grammar import Grammar
from grammar.rules.rules import Nonterminal, Production, RuleTable
from tests.checksums import without_seal
from tests.grammar.strategies import grammars, names

NP = Grammar.parse("NP -> NP 'and' NP [0.25] | 'fish' [0.75]")


@st.composite
def wild_grammars(draw: st.DrawFn) -> Grammar:
    """Grammars over any names at all, with counts; some symbols have no rules."""
    symbols = st.sampled_from(draw(st.lists(names(), min_size=1, max_size=3))).map(Nonterminal)
    child = symbols | names() | names().map(Nonterminal)
    productions = st.builds(
        Production,
        symbols,
        st.lists(child, max_size=3).map(tuple),
        st.integers(1, 9).map(float),
        st.integers(0, 2**40),
    )
    return Grammar.from_productions(
        draw(st.lists(productions, min_size=1, max_size=6)), normalise=True
    )


# --- the graph --------------------------------------------------------------------------------


def test_the_graph_has_symbols_words_and_rules_for_nodes():
    assert dict(NP.graph.nodes(data=True)) == {
        "symbol:NP": {"kind": "symbol", "name": "NP"},
        "word:and": {"kind": "word", "name": "and"},
        "word:fish": {"kind": "word", "name": "fish"},
        "rule:0": {"kind": "rule", "text": "NP -> NP 'and' NP"},
        "rule:1": {"kind": "rule", "text": "NP -> 'fish'"},
    }
    assert NP.graph.graph == {"family": "pcfg", "start": "NP"}


def test_a_child_that_is_used_twice_has_two_edges():
    assert sorted(NP.graph.edges(keys=True, data=True)) == [
        ("rule:0", "symbol:NP", 0, {"position": 0}),
        ("rule:0", "symbol:NP", 2, {"position": 2}),
        ("rule:0", "word:and", 1, {"position": 1}),
        ("rule:1", "word:fish", 0, {"position": 0}),
        ("symbol:NP", "rule:0", 0, {"weight": 0.25, "count": 0}),
        ("symbol:NP", "rule:1", 0, {"weight": 0.75, "count": 0}),
    ]


def test_a_symbol_and_a_word_of_one_name_are_two_nodes():
    assert {"symbol:A", "word:A"} <= set(Grammar.parse("A -> 'A'").graph)


def test_the_graph_cannot_be_changed():
    with pytest.raises(nx.NetworkXError, match="[Ff]rozen"):
        NP.graph.add_node("symbol:X")
    with pytest.raises(nx.NetworkXError, match="[Ff]rozen"):
        NP.graph.remove_edge("rule:1", "word:fish")


def test_a_copy_of_the_graph_can_be_changed_and_read():
    graph = nx.MultiDiGraph(NP.graph)
    graph.add_node("word:chips", kind="word", name="chips")
    graph.add_edge("rule:1", "word:chips", key=1, position=1)
    assert Grammar.from_graph(graph) == Grammar.parse(
        "NP -> NP 'and' NP [0.25] | 'fish' 'chips' [0.75]"
    )


@given(wild_grammars())
def test_the_graph_holds_the_whole_grammar(grammar):
    assert Grammar.from_graph(grammar.graph) == grammar


@given(wild_grammars())
def test_every_rule_has_one_parent_and_its_children_in_order(grammar):
    graph = grammar.graph
    for number, production in enumerate(grammar):
        rule = f"rule:{number}"
        assert list(graph.predecessors(rule)) == [f"symbol:{production.lhs.name}"]
        edges = sorted(graph.out_edges(rule, data="position"), key=lambda edge: edge[2])
        assert [graph.nodes[child]["name"] for _, child, _ in edges] == [
            c if isinstance(c, str) else c.name for c in production.rhs
        ]


# --- JSON and text ----------------------------------------------------------------------------


@given(wild_grammars(), st.sampled_from(["g.json", "g.json.gz"]))
def test_json_is_lossless(tmp_path_factory, grammar, name):
    path = tmp_path_factory.mktemp("json") / name
    grammar.save(path)
    assert Grammar.load(path) == grammar


@given(wild_grammars(), st.sampled_from(["g.pcfg", "g.txt.gz", "grammar"]))
def test_text_keeps_rules_and_weights_but_no_counts(tmp_path_factory, grammar, name):
    path = tmp_path_factory.mktemp("text") / name
    grammar.save(path)
    loaded = Grammar.load(path)
    assert (loaded.rules, loaded.start) == (grammar.rules, grammar.start)
    assert loaded.weight.tolist() == grammar.weight.tolist()
    assert Grammar.parse(grammar.to_text()) == loaded


@pytest.mark.parametrize("name", ["g.json", "g.json.gz", "g.txt", "g.txt.gz"])
def test_equal_grammars_give_equal_bytes(tmp_path, name):
    productions = list(Grammar.parse("S -> 'b' [0.3] | 'a' [0.3] | S S [0.4]"))
    files = []
    for folder, order in ("one", productions), ("two", productions[::-1]):
        (tmp_path / folder).mkdir()
        Grammar.from_productions(order, start="S").save(tmp_path / folder / name)
        files.append((tmp_path / folder / name).read_bytes())
    assert files[0] == files[1]
    assert (files[0][:2] == b"\x1f\x8b") == name.endswith(".gz")


def test_the_name_of_the_file_decides_and_not_that_of_the_folder(tmp_path):
    folder = tmp_path / "old.json.files"
    folder.mkdir()
    NP.save(folder / "np.txt")
    assert (folder / "np.txt").read_text() == NP.to_text()


def test_json_is_told_from_text_by_its_content_as_well(tmp_path, monkeypatch):
    NP.save(tmp_path / "g.json")
    data = (tmp_path / "g.json").read_bytes()
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))
    assert Grammar.load("-") == NP
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(NP.to_text().encode())))
    assert Grammar.load("-") == NP


def test_load_takes_another_start_symbol_and_normalises(tmp_path):
    (tmp_path / "g.txt").write_text("S -> A [2]\nA -> 'a' [1] | 'b' [3]")
    grammar = Grammar.load(tmp_path / "g.txt", start="A", normalise=True)
    assert (grammar.start, [p.weight for p in grammar.productions("A")]) == ("A", [0.75, 0.25])
    grammar.save(tmp_path / "g.json")
    assert Grammar.load(tmp_path / "g.json", start="S").start == "S"


def document(**changes: object) -> dict[str, object]:
    """Return the JSON of a small grammar, changed at the top level."""
    return {
        "schema": "treewright.grammar/1",
        "family": "pcfg",
        "start": "S",
        "nodes": [
            {"id": "symbol:S", "kind": "symbol", "name": "S"},
            {"id": "word:a", "kind": "word", "name": "a"},
            {"id": "rule:0", "kind": "rule", "text": "S -> 'a'"},
        ],
        "edges": [
            {"source": "symbol:S", "target": "rule:0", "key": 0, "weight": 1.0, "count": 2},
            {"source": "rule:0", "target": "word:a", "key": 0, "position": 0},
        ],
        **changes,
    }


def loaded(tmp_path, content: object) -> Grammar:
    path = tmp_path / "g.json"
    path.write_text(content if isinstance(content, str) else json.dumps(content))
    return Grammar.load(path)


def test_the_document_of_these_tests_is_a_grammar(tmp_path):
    grammar = loaded(tmp_path, document())
    assert list(grammar) == [Production(Nonterminal("S"), ("a",), 1.0, 2)]


@pytest.mark.parametrize(
    ("content", "what"),
    [
        ("", "not JSON"),
        ("{", "not JSON"),
        ('{"schema": "treewright.gra', "not JSON"),
        (json.dumps(document())[:-20], "not JSON"),
        ("S -> 'a'", "not JSON"),
        ("[]", "unknown schema None"),
        ("null", "unknown schema None"),
        ("{}", "unknown schema None"),
        ('{"schema": %s}' % ("9" * 5000), "not the JSON of a grammar"),
        ('{"schema": ' + "[" * 100_000, "not the JSON of a grammar"),
        (document(schema="treewright.grammar/2"), "unknown schema 'treewright.grammar/2'"),
        (document(nodes=None), "'nodes' is missing"),
        (document(edges={}), "'edges' is missing"),
        (document(family=1), "'family' is missing"),
        (document(start=["S"]), "'start' is missing"),
        (document(family="substitution"), "family 'substitution', not 'pcfg'"),
        (document(nodes=[1]), "malformed"),
        (document(nodes=[{"kind": "symbol"}]), "malformed"),
        (document(nodes=[{"id": None}]), "malformed"),
        (document(nodes=[{"id": []}]), "malformed"),
        (document(nodes=[]), "names a node that is not there"),
        (document(edges=[{"source": "symbol:S", "target": "rule:0"}]), "malformed"),
        (document(edges=[{"source": [], "target": "rule:0", "key": 0}]), "not there"),
        (document(edges=["symbol:S"]), "malformed"),
    ],
)  # fmt: skip
def test_another_json_file_is_a_schema_error(tmp_path, content, what):
    with pytest.raises(SchemaError, match=what) as caught:
        loaded(tmp_path, content)
    assert caught.value.where.startswith(str(tmp_path / "g.json"))


def test_a_fault_of_the_json_is_located(tmp_path):
    with pytest.raises(SchemaError) as caught:
        loaded(tmp_path, '{"schema": 1,\n  oops}')
    assert caught.value.where == f"{tmp_path / 'g.json'}:2:3"


@pytest.mark.parametrize("part", ["nodes", "edges", "family", "start", "schema"])
def test_every_part_must_be_there(tmp_path, part):
    content = document()
    del content[part]
    with pytest.raises(SchemaError, match=part):
        loaded(tmp_path, content)


def rule_edges(*edges: tuple[str, str, int, dict[str, object]]) -> dict[str, object]:
    nodes = [
        *document()["nodes"],
        {"id": "symbol:T", "kind": "symbol", "name": "T"},
        {"id": "odd", "kind": "sign", "name": "odd"},
        {"id": "nameless", "kind": "word"},
    ]  # fmt: skip
    made = [{"source": s, "target": t, "key": k, **data} for s, t, k, data in edges]
    return document(nodes=nodes, edges=made)


GOOD = ("symbol:S", "rule:0", 0, {"weight": 1.0, "count": 1})


@pytest.mark.parametrize(
    "edges",
    [
        # two parents, be it by two symbols, by one twice, or by a word
        [GOOD, ("symbol:T", "rule:0", 0, {"weight": 1.0})],
        [GOOD, ("symbol:S", "rule:0", 1, {"weight": 1.0})],
        [GOOD, ("word:a", "rule:0", 0, {"weight": 1.0})],
        # weights and counts that are no numbers, or no sensible ones
        [("symbol:S", "rule:0", 0, {})],
        [("symbol:S", "rule:0", 0, {"weight": None})],
        [("symbol:S", "rule:0", 0, {"weight": "1"})],
        [("symbol:S", "rule:0", 0, {"weight": True})],
        [("symbol:S", "rule:0", 0, {"weight": [1.0]})],
        [("symbol:S", "rule:0", 0, {"weight": 10**400})],
        [("symbol:S", "rule:0", 0, {"weight": 1.0, "count": 0.5})],
        [("symbol:S", "rule:0", 0, {"weight": 1.0, "count": "2"})],
        [("symbol:S", "rule:0", 0, {"weight": 1.0, "count": None})],
        [("symbol:S", "rule:0", 0, {"weight": 1.0, "count": 10**30})],
        # positions that are not 0, 1, 2 ...
        [GOOD, ("rule:0", "word:a", 0, {})],
        [GOOD, ("rule:0", "word:a", 0, {"position": 1})],
        [GOOD, ("rule:0", "word:a", 0, {"position": "0"})],
        [GOOD, ("rule:0", "word:a", 0, {"position": 0}), ("rule:0", "word:a", 1, {})],
        [GOOD, ("rule:0", "word:a", 0, {"position": 0}), ("rule:0", "word:a", 1, {"position": 0})],
        [GOOD, *(("rule:0", "word:a", i, {"position": p}) for i, p in enumerate([0, "1", [2]]))],
        # children that are neither symbols nor words
        [GOOD, ("rule:0", "odd", 0, {"position": 0})],
        [GOOD, ("rule:0", "nameless", 0, {"position": 0})],
        [GOOD, ("rule:0", "rule:0", 0, {"position": 0})],
        # a symbol above something that is no rule
        [("symbol:S", "word:a", 0, {"weight": 1.0})],
    ],
)
def test_a_rule_that_does_not_follow_the_layout_is_a_schema_error(tmp_path, edges):
    with pytest.raises(SchemaError, match="does not follow the layout|neither a symbol nor a word"):
        loaded(tmp_path, rule_edges(*edges))


@pytest.mark.parametrize("weight", [-1.0, math.nan, math.inf, 0.5, 1.1])
def test_weights_in_files_are_checked(tmp_path, weight):
    with pytest.raises(WeightError):
        loaded(tmp_path, rule_edges(("symbol:S", "rule:0", 0, {"weight": weight})))


def test_a_file_without_rules_or_start_is_refused(tmp_path):
    with pytest.raises(StartSymbolError, match="at least one rule"):
        loaded(tmp_path, document(edges=[]))
    with pytest.raises(StartSymbolError, match="'T' has no rules"):
        loaded(tmp_path, document(start="T"))


def test_children_may_be_listed_in_any_order(tmp_path):
    edges = [("rule:0", "word:a", 1, {"position": 1}), ("rule:0", "symbol:S", 0, {"position": 0})]
    grammar = loaded(tmp_path, rule_edges(*edges, GOOD))
    assert grammar.production(0).rhs == (Nonterminal("S"), "a")


@pytest.mark.parametrize("name", ["g.json", "g.txt"])
def test_a_file_that_is_not_there_cannot_be_loaded(tmp_path, name):
    with pytest.raises(UnreadableInputError, match="No such file"):
        Grammar.load(tmp_path / name)


def test_a_truncated_gzip_file_cannot_be_loaded(tmp_path):
    path = tmp_path / "g.json.gz"
    NP.save(path)
    path.write_bytes(path.read_bytes()[:-5])
    with pytest.raises(UnreadableInputError, match="not a complete gzip file"):
        Grammar.load(path)


def test_a_fault_in_a_text_file_names_the_file(tmp_path):
    path = tmp_path / "g.txt.gz"
    path.write_bytes(gzip.compress(b"S -> 'a'\nS >"))
    with pytest.raises(NotationError) as caught:
        Grammar.load(path)
    assert caught.value.where == f"{path}:2:3"


@pytest.mark.parametrize("save", [Grammar.save, Grammar.write_graphml])
def test_a_path_that_cannot_be_written_is_an_output_error(tmp_path, save):
    (tmp_path / "file").touch()
    for path in (tmp_path / "absent" / "g.json", tmp_path / "file" / "g.json", tmp_path):
        with pytest.raises(OutputError, match="cannot write the file"):
            save(NP, path)
    assert os.listdir(tmp_path) == ["file"]


def test_half_a_surrogate_pair_cannot_be_saved(tmp_path):
    with pytest.raises(OutputError, match=r"'\\ud800' cannot be written as UTF-8"):
        Grammar.parse(r"S -> '\ud800'").save(tmp_path / "g.json")
    assert os.listdir(tmp_path) == []


# --- GraphML ----------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["g.graphml", "g.graphml.gz"])
def test_networkx_reads_the_exported_graph(tmp_path, name):
    grammar = Grammar.parse("NP -> NP 'a\\tb\\n<&\"\\'>' NP [0.25] | '漢𝒳' [0.75]")
    grammar.write_graphml(tmp_path / name)
    graph = nx.read_graphml(tmp_path / name, force_multigraph=True)
    assert dict(graph.nodes(data=True)) == dict(grammar.graph.nodes(data=True))
    assert sorted(graph.edges(data=True), key=repr) == sorted(
        grammar.graph.edges(data=True), key=repr
    )
    assert graph.graph.items() >= grammar.graph.graph.items()
    assert Grammar.from_graph(graph) == grammar


@pytest.mark.parametrize("character", ["\x00", "\x01", "\x1f", "\x0b", "\r", "\ufffe", "\ud800"])
@pytest.mark.parametrize("place", ["word", "symbol"])
def test_graphml_cannot_hold_a_control_character(tmp_path, character, place):
    name = f"a{character}b"
    lhs, rhs = Nonterminal(name), (name,)
    production = Production(lhs, ("a",)) if place == "symbol" else Production(Nonterminal("S"), rhs)
    grammar = Grammar.from_productions([production])
    with pytest.raises(OutputError, match="cannot be written as XML"):
        grammar.write_graphml(tmp_path / "g.graphml")
    assert os.listdir(tmp_path) == []


# --- weights ----------------------------------------------------------------------------------


@pytest.mark.parametrize("normalise", [False, True])
@pytest.mark.parametrize("weights", [(-0.5, 1.5), (-1, 1), (-1, -3), (math.nan, 1), (math.inf, 1)])
@pytest.mark.parametrize("words", ["ab", "aa"])
def test_bad_weights_are_refused_even_if_merging_or_normalising_hid_them(weights, words, normalise):
    productions = [
        Production(Nonterminal("S"), (w,), p) for w, p in zip(words, weights, strict=True)
    ]
    with pytest.raises(WeightError, match="is not a probability") as caught:
        Grammar.from_productions(productions, normalise=normalise)
    assert caught.value.where == str(productions[0])


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("S -> 'a' [0.5]", "the weights of S sum to 0.5, not 1$"),
        ("S -> 'a' [0.5] | 'b' [0.50001]", "sum to 1.00001, not 1$"),
        ("S -> A\nA -> 'a' [0.5]\nB -> 'b' [2]", "of A sum to 0.5, not 1 .and those of 1 other"),
        ("S -> 'a' [0]", "sum to 0, not 1$"),
    ],
)
def test_weights_must_sum_to_one(text, what):
    with pytest.raises(WeightError) as caught:
        Grammar.parse(text)
    assert caught.match(what.replace("$", r"\n"))
    assert Grammar.parse(text, normalise=True).check().proper


def test_weights_may_be_rounded_to_six_places():
    assert len(Grammar.parse("S -> 'a' [.333333] | 'b' [.333333] | 'c' [.333334]")) == 3
    assert len(Grammar.parse("S -> 'a' [.3333333] | 'b' [.3333333] | 'c' [.3333333]")) == 3


@given(st.lists(st.integers(0, 9), min_size=1, max_size=5))
def test_normalise_divides_by_the_sum_or_shares_equally(weights):
    productions = [Production(Nonterminal("S"), (str(i),), float(w)) for i, w in enumerate(weights)]
    grammar = Grammar.from_productions(productions, normalise=True)
    total = sum(weights)
    expected = [w / total if total else 1 / len(weights) for w in weights]
    assert grammar.weight.tolist() == pytest.approx(expected, rel=1e-15)


@pytest.mark.parametrize("start", ["T", "a", "", "B"])
def test_the_start_symbol_must_have_rules(start):
    with pytest.raises(StartSymbolError, match=f"'{start}' has no rules") as caught:
        Grammar.parse("S -> 'a' B", start=start)
    assert caught.value.hint == "choose one of S"


@pytest.mark.parametrize("text", ["", "# nothing", "%start S"])
def test_a_grammar_needs_a_rule(text):
    with pytest.raises(StartSymbolError, match="at least one rule"):
        Grammar.parse(text)


# --- rules ------------------------------------------------------------------------------------


def test_equal_productions_are_merged():
    s = Nonterminal("S")
    grammar = Grammar.from_productions(
        [
            Production(s, ("a",), 0.25, 3),
            Production(s, (s, s), 0.5, 1),
            Production(s, ("a",), 0.25, 4),
        ]
    )
    assert list(grammar) == [Production(s, (s, s), 0.5, 1), Production(s, ("a",), 0.5, 7)]


def test_what_differs_in_kind_or_length_is_not_merged():
    text = "S -> A [0.2] | 'A' [0.2] | A A [0.2] | A 'A' [0.2] | [0.2]"
    assert len(Grammar.parse(text)) == 5


@given(wild_grammars(), st.randoms(use_true_random=False))
def test_the_order_of_productions_does_not_matter(grammar, random):
    productions = list(grammar)
    random.shuffle(productions)
    again = Grammar.from_productions(productions, start=grammar.start)
    assert again == grammar
    assert list(again) == list(grammar)


@given(wild_grammars())
def test_rules_are_sorted_by_names_with_symbols_before_words(grammar):
    keys = [
        (p.lhs.name, [(isinstance(c, str), c if isinstance(c, str) else c.name) for c in p.rhs])
        for p in grammar
    ]
    assert keys == sorted(keys)
    assert list(grammar.rules.nonterminals) == sorted(grammar.rules.nonterminals)
    assert list(grammar.rules.words) == sorted(grammar.rules.words)


@given(wild_grammars())
def test_rule_columns_are_rows_by_left_hand_side(grammar):
    rules = grammar.rules
    for number, name in enumerate(rules.nonterminals):
        begin, end = rules.starts[number : number + 2]
        assert [p.lhs.name for p in grammar].count(name) == end - begin
        assert all(rules.lhs[begin:end] == number)
    assert [grammar.production(i) for i in range(len(grammar))] == list(grammar)
    table, position = RuleTable.from_productions(iter(rules))
    assert table == rules
    assert position.tolist() == list(range(len(rules)))


def test_names_that_no_rule_uses_are_forgotten():
    rules, _ = RuleTable.canonical(
        ("Z", "unused", "A"),
        ("z", "unused", "a"),
        np.array([0], np.int32),
        np.array([0, 3]),
        np.array([2, -1, -3], np.int32),
    )
    assert (rules.nonterminals, rules.words) == (("A", "Z"), ("a", "z"))
    assert list(rules) == [(Nonterminal("Z"), (Nonterminal("A"), "z", "a"))]


def test_productions_of_a_symbol_come_most_probable_first():
    grammar = Grammar.parse("S -> 'c' [0.2] | 'b' [0.5] | 'a' [0.2] | T [0.1]\nT -> 'a'\nA -> T")
    assert [(p.lhs.name, p.weight) for p in grammar.productions("S")] == [
        ("S", 0.5), ("S", 0.2), ("S", 0.2), ("S", 0.1),
    ]  # fmt: skip
    assert [p.rhs[0] for p in grammar.productions("S")[1:3]] == ["a", "c"]
    assert [p.lhs.name for p in grammar.productions()] == ["S"] * 4 + ["A", "T"]
    assert grammar.left_hand_sides == ("A", "S", "T")


def test_a_symbol_without_rules_has_no_productions():
    grammar = Grammar.parse("S -> A 'x' Z")
    assert grammar.productions("A") == grammar.productions("Z") == []


def test_an_unknown_symbol_is_an_error_that_suggests():
    grammar = Grammar.parse("NP-SBJ -> 'a' NP-OBJ\nNP-OBJ -> 'b'\nX -> 'c'")
    with pytest.raises(OptionError, match="no symbol 'NP-SBI'") as caught:
        grammar.productions("NP-SBI")
    assert caught.value.hint.startswith("try NP-SBJ")
    with pytest.raises(OptionError) as caught:
        grammar.productions("qqq")
    assert caught.value.hint == "try NP-OBJ, NP-SBJ, X"


def test_grammars_differ_in_start_rules_weights_and_counts():
    text = "S -> T [0.5] | 'a' [0.5]\nT -> 'b'"
    grammar = Grammar.parse(text)
    assert grammar == Grammar.parse(text)
    assert grammar != Grammar.parse(text, start="T")
    assert grammar != Grammar.parse(text.replace("'b'", "'c'"))
    assert grammar != Grammar.parse(text.replace("0.5", "1/3", 1).replace("0.5", "2/3"))
    counted = [Production(p.lhs, p.rhs, p.weight, 1) for p in grammar]
    assert grammar != Grammar.from_productions(counted, start="S")
    assert grammar != text


# --- NLTK -------------------------------------------------------------------------------------


@given(grammars())
def test_nltk_gives_back_the_same_grammar(grammar):
    theirs = grammar.to_nltk()
    assert isinstance(theirs, nltk.PCFG)
    assert Grammar.from_nltk(theirs) == grammar


def test_a_grammar_of_nltk_is_read():
    text = "S -> NP 'x' [1.0]\nNP -> 'a' [0.25] | S [0.75]"
    assert Grammar.from_nltk(nltk.PCFG.fromstring(text)) == Grammar.parse(text)


def test_the_start_symbol_of_nltk_is_kept():
    theirs = nltk.PCFG(
        nltk.Nonterminal("T"), nltk.PCFG.fromstring("S -> 'a' [1.0]\nT -> S [1.0]").productions()
    )
    assert Grammar.from_nltk(theirs).start == "T"


@pytest.mark.parametrize("name", ["w.txt", "w.json"])
def test_a_fault_of_weights_names_the_file(tmp_path, name):
    path = tmp_path / name
    NP.save(path)
    text = without_seal(path)
    path.write_text(re.sub(r"0\.\d+", "0.9", text, count=1), "utf-8")
    with pytest.raises(WeightError) as caught:
        Grammar.load(path)
    assert caught.value.where == str(path)
    Grammar.load(path, normalise=True)
