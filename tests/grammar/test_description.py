"""What a grammar shows: facts as text, tables, and the nearest symbol."""

from __future__ import annotations

import pytest

from grammar import Description, Grammar, OptionError
from grammar.description import describe_graph
from grammar.pictures.base_labels import known_symbol


def shown(**facts: object) -> dict[str, str]:
    return Description("test", lambda path: None, facts=facts).lines()


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (1234567, "1,234,567"),
        (0.123456789, "0.123457"),
        ("as it is", "as it is"),
        ([], "none"),
        ([12345, 2], "12,345, 2"),
        (["one", "two"], "\n  one\n  two"),
        ({"1": 2, "2-4": 0.25}, "1: 2; 2-4: 0.25"),
        (None, "-"),
        (True, "True"),
    ],
)
def test_facts_are_text_for_people(value: object, text: str) -> None:
    assert shown(fact=value)["fact"] == text


def test_records_are_a_table_with_numbers_to_the_right() -> None:
    rows = [
        {"name": "NP", "count": 1200, "share": 0.5, "states": [1, 2]},
        {"name": "PP-LOC", "count": 3, "share": None, "states": [10]},
    ]
    assert shown(rows=rows)["rows"].splitlines()[1:] == [
        "  name    count  share  states",
        "  NP      1,200    0.5  1 2",
        "  PP-LOC      3      -  10",
    ]


def test_long_cells_are_cut_between_their_parts() -> None:
    row = {"words": {f"word{number}": 0.125 for number in range(30)}}
    line = shown(rows=[row])["rows"].splitlines()[-1]
    assert line.endswith(", ...")
    assert len(line) <= 102


def test_details_can_be_left_out() -> None:
    look = Grammar.parse("S -> 'a' [1]").describe()
    assert "rules of S" in look.lines()
    assert "rules of S" not in look.lines(details=False)
    assert repr(look).splitlines()[0].split() == ["family", "pcfg"]


def test_an_unknown_symbol_is_answered_with_the_nearest() -> None:
    names = ["NP", "VP", "SBAR"]
    assert known_symbol("NP", names) == "NP"
    with pytest.raises(OptionError, match="no symbol 'np'") as caught:
        known_symbol("np", names)
    assert caught.value.hint == "try NP"
    with pytest.raises(OptionError) as caught:
        known_symbol("?", names)
    assert caught.value.hint == "try NP, VP, SBAR"


def test_a_graph_alone_shows_the_likeliest_rules() -> None:
    grammar = Grammar.parse("S -> 'a' [0.25] | 'b' [0.75]")
    look = describe_graph(grammar.graph, "S", 1, facts={"rules": 2}, details={"more": ["x"]})
    assert look.to_dict() == {
        "family": "pcfg", "rules": 2, "more": ["x"], "rules of S": ["S -> 'b' [0.75]"]
    }  # fmt: skip
