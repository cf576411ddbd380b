"""The shortest matches of regular expressions: against all short strings, within their steps."""

from __future__ import annotations

import itertools
import re
from pathlib import Path

import lark
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from grammar.errors import OptionError
from grammar.expressions import matches
from grammar.expressions.matches import is_match, list_matches, shortest_matches
from grammar.expressions.positions import UnreadableError
from grammar.formats.lark_reading import from_lark

EXPRESSIONS = st.recursive(
    st.sampled_from(["a", "b", "[ab]", "(?=a)", "(?<!b)", "$", r"\b"]),
    lambda inner: st.one_of(
        st.lists(inner, min_size=1, max_size=3).map("".join),
        st.lists(inner, min_size=2, max_size=3).map(lambda ways: f"(?:{'|'.join(ways)})"),
        st.tuples(inner, st.sampled_from(["?", "*", "+", "*?", "{0,2}", "{2}", "++"])).map(
            lambda pair: f"(?:{pair[0]}){pair[1]}"
        ),
        inner.map(lambda one: f"(?>{one})"),
    ),
    max_leaves=5,
)


@settings(max_examples=200, deadline=None)
@given(EXPRESSIONS)
def test_they_are_those_among_all_short_strings(expression: str) -> None:
    strings = ["".join(signs) for n in range(4) for signs in itertools.product("ab", repeat=n)]
    expected = {text for text in strings if re.fullmatch(expression, text)}
    found = shortest_matches(expression, 50)
    assert all(re.fullmatch(expression, text) for text in found)
    assert [len(text) for text in found] == sorted(map(len, found))
    assert len(set(found)) == len(found)
    shorter = len(found[-1]) if len(found) == 50 else 4
    assert {text for text in found if len(text) < min(shorter, 4)} == {
        text for text in expected if len(text) < shorter
    }
    listed = list_matches(expression, 50)
    assert not listed or set(listed) >= expected


@pytest.mark.parametrize(
    ("expression", "found"),
    [
        (r"(\r?\n)+\s*", ["\n", "\r\n"]),
        (r"a.*?(?<!b)c", ["ac", "aac"]),
        (r"\".*?(?<!\\)(\\\\)*?\"", ['""', '"a"']),
        (r"[a-z]{30}", ["a" * 30, "a" * 29 + "b"]),
        (r"(?:(?:ab)*){5}c", ["c", "abc"]),
        (r"#[^\n]*", ["#", "#a"]),
        ("(?i:if)", ["if"]),
        (r"x(?<=y)", []),
        (r"(a*)*b(?<!b)", []),
        (r"a{30}b*(?<=c)", []),
    ],
)
def test_expressions_that_had_no_end(expression: str, found: list[str]) -> None:
    assert shortest_matches(expression, 2) == found


def test_what_has_no_automaton_is_named() -> None:
    with pytest.raises(UnreadableError, match="a reference to a group"):
        shortest_matches(r"(a|b)\1", 2)
    with pytest.raises(OptionError, match="as it holds a reference to a group"):
        from_lark(r"start: A" "\n" r"A: /(['x]).*\1/", representatives=2)
    with pytest.raises(UnreadableError, match="more than 5,000"):
        shortest_matches("a{9000}", 2)


def test_the_steps_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    pushed = []
    push = matches.heapq.heappush
    monkeypatch.setattr(matches.heapq, "heappush", lambda *a: (pushed.append(1), push(*a)))
    assert shortest_matches(r"[a-z]*(?<!.)x(?<=y)", 1) == []
    assert len(pushed) <= matches._MOST_STEPS + 1


def test_words_are_held_against_expressions_that_end() -> None:
    assert is_match("(a|b)+", "abab") is True
    assert is_match("a+", "b") is False
    assert is_match("(a+)+b", "a" * 60) is None


GRAMMARS = {
    "01-newlines.lark": r"start: NL" "\n" r"NL: /(\r?\n)+\s*/",
    "01-lookbehind.lark": "start: A\nA: /a.*?(?<!b)c/",
    "JSON": """
        start: value
        value: object | array | ESCAPED_STRING | SIGNED_NUMBER | "true" | "false" | "null"
        array: "[" [value ("," value)*] "]"
        object: "{" [pair ("," pair)*] "}"
        pair: ESCAPED_STRING ":" value
        %import common.ESCAPED_STRING
        %import common.SIGNED_NUMBER
        %import common.WS
        %ignore WS
    """,
    "CSV": r"""
        start: header "\n" row+
        header: "#" " "? (WORD _SEPARATOR?)+
        row: (_anything _SEPARATOR?)+ "\n"
        _anything: INT | WORD | NON_SEPARATOR_STRING | FLOAT | SIGNED_FLOAT
        NON_SEPARATOR_STRING: /[a-zA-z.;\\\/]+/
        _SEPARATOR: /[ ]+/ | "\t" | ","
        %import common (INT, FLOAT, SIGNED_FLOAT, WORD)
    """,
}


@pytest.mark.parametrize("name", GRAMMARS)
def test_grammars_of_others_are_read(name: str) -> None:
    grammar = from_lark(GRAMMARS[name], representatives=2)
    assert grammar.productions("start")


@pytest.mark.parametrize(("file", "start"), [("python.lark", "file_input"), ("lark.lark", "start")])
def test_grammars_that_come_with_lark_are_read_or_ask_for_words(file: str, start: str) -> None:
    text = (Path(lark.__file__).parent / "grammars" / file).read_text()
    words = {"_INDENT": [" "], "_DEDENT": ["x"]} if file == "python.lark" else None
    grammar = from_lark(text, start=start, representatives=2, words=words)
    assert grammar.productions(start)
