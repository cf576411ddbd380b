"""What is said of any grammar's graph, and the graph as GraphML."""

from __future__ import annotations

from pathlib import Path

import networkx as nx
import pytest
from hypothesis import given

from grammar import Grammar, OutputError
from grammar.graph.graphml import write_graphml
from grammar.graph.report import analyse_graph
from tests.grammar.strategies import grammars


def graph(*edges: tuple[str, str, float]) -> nx.MultiDiGraph:
    """Return a graph of rules, each given as symbol, child symbol and weight."""
    made = nx.MultiDiGraph(family="test", start="S")
    for number, (symbol, child, weight) in enumerate(edges):
        for name in (symbol, child):
            made.add_node(f"symbol:{name}", kind="symbol", name=name)
        made.add_node(f"rule:{number}", kind="rule")
        made.add_edge(f"symbol:{symbol}", f"rule:{number}", weight=weight)
        made.add_edge(f"rule:{number}", f"symbol:{child}", position=0)
    return made


@given(grammars())
def test_it_agrees_with_the_analysis_of_a_pcfg(grammar: Grammar) -> None:
    report, expected = analyse_graph(grammar.graph), grammar.check()
    assert report.rules == expected.rules
    assert (report.symbols, report.words) == (expected.nonterminals, expected.words)
    assert report.proper
    assert set(report.unreachable) == set(expected.unreachable)


def test_what_is_wrong_is_named() -> None:
    report = analyse_graph(graph(("S", "A", 0.5), ("S", "B", 0.2), ("C", "A", 1.0)))
    assert report.improper == {"S": pytest.approx(0.7)}
    assert report.unreachable == ("C",)
    assert report.ruleless == ("A", "B")
    lines = dict(report.lines())
    assert lines["proper"] == "no: S sums to 0.7"
    assert lines["without rules"] == "A, B"
    assert str(report).splitlines()[0].split(maxsplit=1)[1] == "3 over 4 symbols, 0 words"
    assert not report.to_dict()["proper"]


def test_long_lists_are_cut() -> None:
    many = graph(*((f"X{number}", "A", 1.0) for number in range(20)))
    assert dict(analyse_graph(many).lines())["unreachable"].endswith(", ... (21 in all)")


def test_graphml_gets_text_where_it_has_no_type(tmp_path: Path) -> None:
    made = graph(("S", "A", 1.0))
    made.graph |= {"options": {"length": True}, "separator": None}
    made.nodes["rule:0"]["barred"] = [1, 2]
    write_graphml(made, tmp_path / "g.graphml")
    read = nx.read_graphml(tmp_path / "g.graphml")
    assert read.graph["options"] == '{"length": true}'
    assert "separator" not in read.graph
    assert read.nodes["rule:0"]["barred"] == "1 2"


def test_graphml_cannot_hold_what_xml_cannot(tmp_path: Path) -> None:
    with pytest.raises(OutputError, match="cannot be written as XML"):
        write_graphml(graph(("S", "\x00", 1.0)), tmp_path / "g.graphml")
    assert list(tmp_path.iterdir()) == []
