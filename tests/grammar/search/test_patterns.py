"""Patterns: what is read, and what is told of what cannot be."""

from __future__ import annotations

import contextlib

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from grammar.errors import PatternError
from grammar.search.patterns import Label, parse_pattern
from grammar.trees.treebank import Treebank


@pytest.mark.parametrize(
    ("text", "labels"),
    [
        ("NP-SBJ", (Label("NP-SBJ"),)),
        ("NP|VP", (Label("NP"), Label("VP"))),
        ("*", (Label(None),)),
        ("__", (Label(None),)),
        ("__x", (Label("__x"),)),
        ('"PRP$"', (Label("PRP$"),)),
        (r'"a\"b"', (Label('a"b'),)),
        (r"/a\/b/", (Label("a/b", is_regex=True),)),
        ("i@np", (Label("np", fold=True),)),
        ("i@/^np/", (Label("^np", is_regex=True, fold=True),)),
        ("@ N NN|NNS; @N|X", (Label("NN"), Label("NNS"), Label("X"))),
    ],
)
def test_labels(text: str, labels: tuple[Label, ...]) -> None:
    assert parse_pattern(text)[0].head.labels == labels


@pytest.mark.parametrize(
    ("text", "said", "hint"),
    [
        ("S < (NP", "<pattern>:1:8: a closing bracket is missing", "close what is open: 1 bracket"),
        ("S <", "<pattern>:1:4: the pattern ends too early", "for example"),
        ("S <0 NP", "<pattern>:1:3: children are counted from 1", "for example <1"),
        ("S < =n", "<pattern>:1:5: no node is named n", "NP=n"),
        ("S < NP=n < VP=n", "two nodes are named n", "write =n alone"),
        ("S !< NP=n < =n", "given inside a negation", "outside of it"),
        ("S [< NP=n | < (VP < =n)]", "or an alternative", "outside of it"),
        ("S < @N", "<pattern>:1:5: there is no macro N", "@ N /^N/ ;"),
        ("@ N NP", "there are only macros", "add a pattern"),
        ("@ N (NP < X); S < @N|Y", "more than labels", "[< @X | < @Y]"),
        ("/(/", "missing )", "RE2"),
        (r"/(a)\1/", "cannot be searched for", "no (?=...)"),
        ("'S < NP", "no apostrophe", "NP=n"),
        ("S ~ NP", "<pattern>:1:3: this is not a pattern", "quote labels"),
        ("S\n< &", "<pattern>:2:3: this is not a pattern", "quote labels"),
        ("", "the pattern ends too early", "for example"),
        ("(" * 61 + "S" + ")" * 61, "60 brackets", "macros"),
        ("x" * 10_001, "10,001 characters", "at most 10,000"),
    ],
)
def test_faults_are_told_with_their_place(text: str, said: str, hint: str) -> None:
    with pytest.raises(PatternError) as caught:
        parse_pattern(text)
    assert said in str(caught.value)
    assert hint in (caught.value.hint or "")


def test_macros_of_macros_are_bounded() -> None:
    doubling = "; ".join(f"@ M{i + 1} (@M{i} < @M{i} < @M{i})" for i in range(20))
    with pytest.raises(PatternError, match="more than 1,000 parts"):
        parse_pattern(f"@ M0 A; {doubling}; @M20")


def test_an_expression_of_which_others_never_see_the_end() -> None:
    treebank = Treebank.parse("(S (NP " + "a" * 5_000 + "))")
    assert len(treebank.search("/^(a|a)*(a|aa)+$/")) == 1
    assert len(treebank.search("/^(a+)+b$/")) == 0


@settings(max_examples=200, deadline=None)
@given(st.text("S<>.,$%!?&|[]()=@:;*\"/i'-12 \n", max_size=20))
def test_any_text_is_searched_for_or_refused(text: str) -> None:
    treebank = Treebank.parse("(S (NP (D a) (N b)) (VP c))")
    with contextlib.suppress(PatternError):
        treebank.search(text)


def test_too_many_pairs_are_refused() -> None:
    treebank = Treebank.parse("(S " + "(A a) " * 70_000 + ")")
    with pytest.raises(PatternError, match="pairs of nodes"):
        treebank.search("A=a .. A=b")
    fewer = Treebank.parse("(S " + "(A a) " * 12_000 + ")")
    with pytest.raises(PatternError, match="hits are found"):
        fewer.search("A=a .. A=b")


def test_steps_bound_a_search() -> None:
    treebank = Treebank.parse("(S (NP (D a) (N b)) (VP c)) " * 100)
    nodes = len(treebank.label)
    # a mask of each label and one of the relation, each of all nodes
    assert len(treebank.search("S < NP", steps=3 * nodes)) == 100
    for pattern in ("S < NP", "S < NP=n", "S=a .. S=b", "S " + "< NP " * 200):
        with pytest.raises(PatternError, match="steps"):
            treebank.search(pattern, steps=2 * nodes)
    # rows that are kept weigh more than pairs that are looked at
    assert len(treebank.search("__ << __=n", steps=50_000)) == 1400
    with pytest.raises(PatternError, match="steps"):
        treebank.search("__ << __=n", steps=12_000)
    assert len(treebank.search("S < NP")) == 100
