"""Requests: what is read, and what is refused, and how."""

from __future__ import annotations

import contextlib

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from grammar.dependencies.requests import FeatureTest, LabelTest, Value, is_request, parse_request
from grammar.dependencies.treebank import DependencyTreebank
from grammar.errors import PatternError

BANK = DependencyTreebank.from_columns(
    form=[["we", "saw", "cats"]],
    upos=[["PRON", "VERB", "NOUN"]],
    head=[[2, 0, 2]],
    deprel=[["nsubj", "root", "obj"]],
)


def test_parts() -> None:
    request = parse_request(
        """% comments reach to the end of the line
        without { V -[nsubj]-> S }
        pattern {
          N [upos=NOUN|PROPN, lemma<>"a;b", !Mood, Case, Number=*] | [Number__psor=Plur];
          e : V -[^obj|re"iobj.*"]-> N;   % an edge with a name
          V -[1=obl, 2<>arg]-> * ;
          N > V; V.lemma = N.lemma; e.label <> N.form; V.form = re"a\\".";
        }"""
    )
    (name, alternatives), (_, (form,)) = request.pattern.tests
    assert (name, request.pattern.nodes, request.edge_names) == ("N", ("N", "V"), {"e": "N"})
    assert alternatives[0] == (
        FeatureTest("upos", (Value("NOUN"), Value("PROPN"))),
        FeatureTest("lemma", (Value("a;b"),), negated=True),
        FeatureTest("Mood", negated=True),
        FeatureTest("Case"),
        FeatureTest("Number"),
    )
    assert alternatives[1] == (FeatureTest("Number__psor", (Value("Plur"),)),)
    assert form == (FeatureTest("form", (Value('a".', is_regex=True),)),)
    named, parts = request.pattern.edges
    assert named.tests == (LabelTest((Value("obj"), Value("iobj.*", is_regex=True)), negated=True),)
    assert parts.tests == (LabelTest((Value("obl"),), part=1), LabelTest((Value("arg"),), True, 2))
    relations = [(r.kind.name, r.left, r.right, r.features) for r in request.pattern.relations]
    assert relations == [
        ("JUST_BEFORE", "V", "N", ("", "")),
        ("SAME", "V", "N", ("lemma", "lemma")),
        ("DIFFERENT", "N", "N", ("deprel", "form")),
    ]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "1:1: the request ends too early"),
        ("pattern { X [upos=VERB", "1:23: the request ends too early"),
        ("pattern { X [upos=VERB }", "1:24: this is not a request"),
        ("pattern { X }", "1:13: this is not a request"),
        ("S < NP", "1:1: this is not a request"),
        ("pattern { }", "no node is searched for"),
        ("without { X -> Y }", "no node is searched for"),
        ("pattern { X [] } pattern { Y [] }", "two blocks are patterns"),
        ("pattern { X [] } global { is_projective }", "1:18: there is no block 'global' here"),
        ("pattern { * -> * }", "1:11: an edge has no node with a name"),
        ("pattern { X.form = Y.form }", "no node is named X"),
        ("pattern { X [] } without { Y.form = X.form }", "1:28: no node is named Y"),
        ("pattern { e: X -> Y; e: X -> Z }", "1:22: the edge cannot be named e"),
        ("pattern { e: X -> * }", "1:11: the edge cannot be named e"),
        ("pattern { X [] } without { e: X -> Y }", "1:28: the edge cannot be named e"),
        ('pattern { X [form=re"("] }', "1:19: the regular expression cannot be searched for"),
        ('pattern { X [form=re"(?=a)"] }', "cannot be searched for"),
        ('pattern { X [form=re"((a{500}){500}){500}"] }', "cannot be searched for"),
        ("pattern { X [] }" + " " * 10_000, "the request has 10,016 characters"),
        (
            "pattern { " + "; ".join(f"X{i} []" for i in range(31)) + "}",
            "more than 30 blocks or 30",
        ),
        ("pattern { X [] }" + "with { X -> Y }" * 30, "more than 30 blocks"),
    ],
)
def test_faults_are_told(text: str, said: str) -> None:
    with pytest.raises(PatternError, match="<request>") as told:
        parse_request(text)
    assert said in str(told.value)
    assert told.value.hint


def test_what_begins_a_request() -> None:
    assert is_request(" pattern{X->Y}")
    assert is_request("% of objects\nwithout { X -> Y } pattern { X [] }")
    assert not is_request("pattern")
    assert not is_request("S < (NP $.. VP)")


@settings(max_examples=300, deadline=None)
@given(st.text(alphabet='patern{}[];:=<>|!^-*."\\1XYZré% \n()', max_size=60))
def test_any_text_is_read_or_refused(text: str) -> None:
    for request in (text, f"pattern {{ X -> Y; {text} }}"):
        with contextlib.suppress(PatternError):
            assert len(BANK.search(request)) <= 6


@pytest.mark.parametrize("text", ["(a+)+$", "(a|aa)+b", "a{0,999}", ".*.*.*.*.*x"])
def test_no_expression_takes_long(text: str) -> None:
    bank = DependencyTreebank.from_columns(form=[["a" * 5_000]])
    assert len(bank.search(f'pattern {{ X [form=re"{text}"] }}')) in (0, 1)


def test_work_is_bounded() -> None:
    bank = DependencyTreebank.from_columns(form=[["a"] * 300])
    with pytest.raises(PatternError, match="the search takes more than 100,000 steps"):
        bank.search("pattern { X []; Y []; Z [] }", steps=100_000)
    # nothing is found, and there is no end of what can be tried
    words = "; ".join(f"{name} []" for name in "ABCDEFGH")
    with pytest.raises(PatternError, match="more than 1,000,000 steps"):
        bank.search(f"pattern {{ {words}; H.lemma = H.lemma }}", steps=1_000_000)
    with pytest.raises(PatternError, match="more than 1,000,000 steps"):
        bank.search(f"pattern {{ X [] }} without {{ {words}; H.lemma = H.lemma }}", steps=1_000_000)
    assert len(bank.search("pattern { X [] } without { X << Y }", steps=100_000)) == 1
