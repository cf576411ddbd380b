"""Synchronous grammars: rules, notation, graph, files, and what the two sides are like."""

import math
from pathlib import Path

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from grammar.errors import (
    ChartGrammarError,
    NotationError,
    OptionError,
    SchemaError,
    StartSymbolError,
    SynchronousRuleError,
    TreewrightError,
    WeightError,
)
from grammar.synchronous.grammar import SynchronousGrammar
from grammar.synchronous.rule import Slot, SynchronousRule
from tests.grammar.strategies import tokens

VERBS = """
%start S
S -> S_1 and V_2 ### S_1 V_2 [1/4]
S -> V_1 ### V_1 [3/4]
V -> V_1 twice ### V_1 V_1 [0.25]
V -> walk ### WALK [0.5]
V -> run ### RUN [0.25]
"""


def sides() -> st.SearchStrategy[SynchronousRule]:
    """Rules whose words may look like anything."""

    @st.composite
    def draw_rule(draw: st.DrawFn) -> SynchronousRule:
        slots = [
            Slot(i + 1, draw(st.sampled_from(["NT", "V"]))) for i in range(draw(st.integers(0, 3)))
        ]
        copies = [slot for slot in slots for _ in range(draw(st.integers(1, 2)))]
        sides = []
        for chosen in (slots, copies):
            words = draw(
                st.lists(
                    tokens() | st.sampled_from(["NT_1", "###", "->", "[1]"]),
                    min_size=not chosen,
                    max_size=3,
                )
            )
            sides.append(tuple(draw(st.permutations([*chosen, *words]))))
        return SynchronousRule(*sides, draw(st.sampled_from(["NT", "V", "S2"])))

    return draw_rule()


def test_notation_of_a_grammar() -> None:
    grammar = SynchronousGrammar.parse(VERBS)
    assert grammar.start == "S"
    assert grammar.types == ("S", "V")
    assert str(grammar).splitlines() == [
        "%start S",
        "S -> S_1 and V_2 ### S_1 V_2 [0.25]",
        "S -> V_1 ### V_1 [0.75]",
        "V -> V_1 twice ### V_1 V_1 [0.25]",
        "V -> run ### RUN [0.25]",
        "V -> walk ### WALK [0.5]",
    ]
    assert SynchronousGrammar.parse(str(grammar)) == grammar


def test_rules_without_weights_share_equally_and_comments_are_passed_over() -> None:
    grammar = SynchronousGrammar.parse("# verbs\nwalk ### WALK\n\nrun ### RUN\n")
    assert grammar.start == "NT"
    assert grammar.weight.tolist() == [0.5, 0.5]


@given(sides())
def test_a_rule_is_read_back_as_written(rule: SynchronousRule) -> None:
    assert SynchronousRule.parse(str(rule)) == rule


@given(st.lists(sides(), min_size=1, max_size=5))
def test_graph_file_and_text_give_the_grammar_back(rules: list[SynchronousRule]) -> None:
    ground = [SynchronousRule(("w",), ("W",), lhs) for lhs in ("NT", "V", "S2")]
    chains = [r for r in rules if len(r.source) == 1 and r.arity == 1]
    kept = [r for r in rules if r not in chains] + ground
    grammar = SynchronousGrammar.from_rules(
        [(rule, i + 1.0, i) for i, rule in enumerate(kept)], normalise=True
    )
    assert SynchronousGrammar.from_graph(grammar.graph) == grammar
    again = SynchronousGrammar.parse(grammar.to_text())
    assert again.rules == grammar.rules
    assert again.weight.tolist() == grammar.weight.tolist()


def test_saving_and_loading(tmp_path: Path) -> None:
    grammar = SynchronousGrammar.parse(VERBS)
    for name in ("g.json", "g.json.gz", "g.txt"):
        grammar.save(tmp_path / name)
        assert SynchronousGrammar.load(tmp_path / name) == grammar


def test_layout_of_the_graph() -> None:
    graph = SynchronousGrammar.parse("NT_1 twice ### NT_1 so NT_1 [0.5]\nhi ### HI [0.5]").graph
    assert graph.edges["symbol:NT", "rule:0", 0]["weight"] == 0.5
    assert graph.nodes["rule:0"]["text"] == "NT_1 twice ### NT_1 so NT_1"
    children = {child: data for _, child, data in graph.out_edges("rule:0", data=True)}
    assert children == {
        "symbol:NT": {"position": 0, "targets": [0, 2]},
        "word:source:twice": {"position": 1, "targets": []},
        "word:target:so": {"position": -1, "targets": [1]},
    }
    assert nx.is_frozen(graph)


@pytest.mark.parametrize(
    ("text", "error", "message"),
    [
        ("walk WALK", NotationError, "one ### between"),
        ("walk ### WALK ### W", NotationError, "one ### between"),
        ("a b -> walk ### WALK", NotationError, "one type stands before the arrow"),
        ("walk ### 'WALK", NotationError, "this is not a rule"),
        ("walk ### WALK [half]", NotationError, "a weight is"),
        ("walk ### WALK [1/0]", NotationError, "a weight is"),
        ("walk ### WALK [1]\nrun ### RUN", NotationError, "1 of the 2 rules of NT have no weight"),
        ("### WALK", SynchronousRuleError, "the source side is empty"),
        ("walk ###", SynchronousRuleError, "the target side is empty"),
        ("NT_1 and NT_1 ### NT_1", SynchronousRuleError, "more than once in the source"),
        ("NT_1 and NT_2 ### NT_1", SynchronousRuleError, "NT_2 stands only in the source"),
        ("NT_1 so ### NT_1 V_2", SynchronousRuleError, "V_2 stands only in the target"),
        ("NT_1 so ### V_1", SynchronousRuleError, "NT_1 stands only in the source"),
        ("NT_1 so ### NT_1\nV_1 ### V_1", SynchronousRuleError, "'V' has no rules"),
        ("walk ### WALK [0.5]", WeightError, "sum to 0.5, not 1"),
        ("%start S\nwalk ### WALK", StartSymbolError, "'S' has no rules"),
        ("", StartSymbolError, "has no rules"),
        ("NT_1 ### NT_1 NT_1\nwalk ### WALK", ChartGrammarError, "from NT back to it"),
    ],
)
def test_faults_of_the_text(text: str, error: type[TreewrightError], message: str) -> None:
    with pytest.raises(error, match=message):
        SynchronousGrammar.parse(text)


def test_a_fault_is_located() -> None:
    with pytest.raises(NotationError) as caught:
        SynchronousGrammar.parse("walk ### WALK\nrun RUN\n", source="g.txt")
    assert caught.value.where == "g.txt:2:8"


def test_faults_of_values() -> None:
    with pytest.raises(SynchronousRuleError, match="not a plain name"):
        SynchronousRule(("a",), ("b",), "A B")
    rule = SynchronousRule(("a",), ("b",))
    with pytest.raises(WeightError, match="not a probability"):
        SynchronousGrammar.from_rules([(rule, math.nan, 0)])
    with pytest.raises(SchemaError, match="of the family"):
        SynchronousGrammar.from_graph(nx.MultiDiGraph(family="pcfg", start="S"))


@pytest.mark.parametrize("change", ["weight", "position", "place", "side"])
def test_a_graph_that_does_not_follow_the_layout(change: str) -> None:
    graph = nx.MultiDiGraph(SynchronousGrammar.parse(VERBS).graph)
    if change == "weight":
        graph.edges["symbol:S", "rule:0", 0]["weight"] = "much"
    elif change == "position":
        graph.edges["rule:0", "symbol:S", 0]["position"] = 7
    elif change == "place":
        graph.edges["rule:0", "symbol:S", 0]["targets"] = [1]
    else:
        graph.remove_node("word:target:WALK")
    with pytest.raises(SchemaError):
        SynchronousGrammar.from_graph(graph)


def test_yields_of_what_is_not_a_derivation() -> None:
    grammar = SynchronousGrammar.parse(VERBS)
    assert grammar.yields((1, 2, 4)) == (("walk", "twice"), ("WALK", "WALK"))
    for wrong in ((1, 2), (0, 4, 4), (4, 4), ()):
        with pytest.raises(OptionError, match="derivation"):
            grammar.yields(wrong)


def test_both_sides_of_a_copying_grammar() -> None:
    # M = 0.3, M' = 0.6: lengths are (I - M)^-1 t by hand
    report = SynchronousGrammar.parse("NT_1 twice ### NT_1 NT_1 [0.3]\nwalk ### WALK [0.7]").check()
    assert report.source_radius == pytest.approx(0.3)
    assert report.target_radius == pytest.approx(0.6)
    assert report.source_length == pytest.approx((0.3 + 0.7) / (1 - 0.3))
    assert report.target_length == pytest.approx(0.7 / (1 - 0.6))
    assert report.tight
    assert "target radius  0.600000" in str(report)


def test_a_target_may_be_unbounded_where_the_source_is_not() -> None:
    report = SynchronousGrammar.parse("NT_1 twice ### NT_1 NT_1 [0.6]\nwalk ### WALK [0.4]").check()
    assert report.tight
    assert report.source_bounded
    assert not report.target_bounded
    assert report.to_dict()["target_length"] is None


def test_a_grammar_whose_derivations_may_not_end() -> None:
    report = SynchronousGrammar.parse("NT_1 NT_2 ### NT_2 NT_1 [0.75]\na ### b [0.25]").check()
    assert not report.tight
    assert report.termination == pytest.approx(1 / 3)
    assert not report.source_bounded
    barren = SynchronousGrammar.parse("NT_1 so ### NT_1 [1]").check()
    assert barren.termination == 0.0


def test_equal_rules_are_merged() -> None:
    rule = SynchronousRule.parse("NT_2 so NT_1 ### NT_1 NT_2")
    same = SynchronousRule.parse("NT_1 so NT_2 ### NT_2 NT_1")
    word = SynchronousRule.parse("a ### b")
    grammar = SynchronousGrammar.from_rules([(rule, 0.25, 1), (same, 0.25, 2), (word, 0.5, 3)])
    assert len(grammar) == 2
    assert np.array_equal(grammar.count, [3, 3])


@given(sides(), st.data())
def test_a_retyped_rule_is_that_of_its_sides(rule: SynchronousRule, data: st.DataObject) -> None:
    types = [data.draw(st.sampled_from(["S", "V", "X1"])) for _ in rule.slots]
    sides_of = [
        tuple(Slot(s.number, types[s.number - 1]) if isinstance(s, Slot) else s for s in side)
        for side in (rule.source, rule.target)
    ]
    made = rule.retyped("Q", types)
    assert made == SynchronousRule(*sides_of, "Q")
    assert hash(made) == hash(SynchronousRule(*sides_of, "Q"))


@pytest.mark.parametrize(("lhs", "types"), [("a b", ["V"]), ("S", ["1"])])
def test_a_rule_is_not_retyped_with_what_is_no_type(lhs: str, types: list[str]) -> None:
    with pytest.raises(SynchronousRuleError, match="not a plain name"):
        SynchronousRule.parse("NT_1 twice ### NT_1 NT_1").retyped(lhs, types)
