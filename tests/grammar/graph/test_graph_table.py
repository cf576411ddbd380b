"""Grammar graphs as columns: reading JSON by its lines or whole, and the way back."""

from __future__ import annotations

import json

import networkx as nx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from grammar.errors import SchemaError
from grammar.graph import storage
from grammar.graph.rules import GraphRules
from grammar.graph.storage import graph_from_json, graph_to_json, table_from_json
from grammar.graph.table import ABSENT, GraphTable
from grammar.pcfg.grammar import Grammar

GRAMMAR = Grammar.parse("S -> NP 'and' NP [1] \n NP -> 'fish' [0.25] | NP NP [0.25] | [0.5]")

NAMES = st.text('ab\n,"]}{é😀', max_size=4)
VALUES = st.none() | st.booleans() | st.integers() | st.floats(-1e9, 1e9) | NAMES
RECORDS = st.dictionaries(st.sampled_from(["kind", "name", "weight", "x"]), VALUES)


@st.composite
def graphs(draw: st.DrawFn) -> nx.MultiDiGraph:
    graph = nx.MultiDiGraph(family=draw(NAMES), start=draw(NAMES), options={"nodes": draw(VALUES)})
    names = draw(st.lists(NAMES, unique=True, max_size=5))
    graph.add_nodes_from((name, draw(RECORDS)) for name in names)
    if names:
        ends = st.tuples(st.sampled_from(names), st.sampled_from(names), st.integers(0, 2))
        for source, target, key in draw(st.lists(ends, max_size=6)):
            graph.add_edge(source, target, key, **draw(RECORDS))
    return graph


def parts(graph: nx.MultiDiGraph) -> tuple[object, ...]:
    return graph.graph, list(graph.nodes(data=True)), list(graph.edges(keys=True, data=True))


@given(graphs())
def test_a_table_is_the_graph(graph):
    again = GraphTable.of(graph).to_graph()
    assert parts(again) == parts(graph)


@pytest.mark.parametrize("chunk", [1, 30, 1 << 22])
@given(graph=graphs())
def test_json_read_by_lines_and_whole_is_the_graph(chunk, graph):
    text = graph_to_json(graph)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(storage, "_CHUNK", chunk)
        by_lines = graph_from_json(text)
    whole = graph_from_json(json.dumps(json.loads(text), indent=1))
    assert parts(by_lines) == parts(whole) == parts(graph)


def test_json_of_lines_is_not_read_whole(monkeypatch):
    text = graph_to_json(GRAMMAR.graph)
    monkeypatch.setattr(storage, "_whole", None)
    assert table_from_json(text).ids[0] == "symbol:NP"


def test_a_grammar_is_written_as_its_graph_is():
    assert graph_to_json(GRAMMAR.build_graph()) == graph_to_json(GRAMMAR.graph)
    # equal children stand together, as in networkx
    assert [edge for edge in GRAMMAR.graph.edges(keys=True) if edge[0] == "rule:3"] == [
        ("rule:3", "symbol:NP", 0),
        ("rule:3", "symbol:NP", 2),
        ("rule:3", "word:and", 1),
    ]


@pytest.mark.parametrize(
    ("old", "new", "what"),
    [
        ('{"id": "rule:1",', '{"id": "rule:0",', "'rule:0' is there twice"),
        ('{"id": "rule:1",', '{"id": "rule:1"', "not JSON"),
        ('{"id": "rule:1",', '{"ID": "rule:1",', "malformed"),
        ('"target": "rule:1"', '"target": "rule:77"', "names a node that is not there"),
        ('"key": 1,', '"key": [],', "malformed"),
        ('"key": 2,', '"KEY": 2,', "malformed"),
        ("treewright.grammar/1", "treewright.grammar/9", "unknown schema"),
        ('"family": "pcfg"', '"family": 3', "'family' is missing"),
        ('\n"nodes": [', '\n"knots": [', "'nodes' is missing"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("chunk", [1, 1 << 22])
def test_a_fault_is_told_alike_by_lines_and_whole(monkeypatch, chunk, old, new, what):
    monkeypatch.setattr(storage, "_CHUNK", chunk)
    text = graph_to_json(GRAMMAR.graph)
    assert text.count(old) >= 1
    broken = text.replace(old, new, 1)
    for layout in (broken, broken.replace("\n", " ")):
        with pytest.raises(SchemaError, match=what):
            table_from_json(layout, source="g.json")


def test_an_attribute_that_is_not_there_is_none_by_default_only():
    table = GraphTable.of(GRAMMAR.graph)
    assert table.node_column("name")[-1] is ABSENT
    assert table.node_column("colour") == [ABSENT] * len(table.ids)
    assert "text" not in dict(table.to_graph().nodes(data=True))["symbol:S"]


def test_rules_are_read_in_the_order_of_their_positions():
    rules = GraphRules(GraphTable.of(GRAMMAR.graph), "g")
    assert [rules.production(r) for r in range(len(rules))] == list(GRAMMAR)
