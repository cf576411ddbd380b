"""Grammars as others write them: read where that is certain, else named with what reads them."""

from __future__ import annotations

import re

import nltk
import pytest
from typer.testing import CliRunner

from grammar import (
    Grammar,
    NotationError,
    NotTightError,
    SchemaError,
    from_lark,
    open_grammar,
    read_notation,
)
from grammar.messages import heard_by
from sampling import sample_sentences
from treewright.cli import app

FEATURES = """% start S
# a comment with [brackets
S[-INV] -> NP[NUM=?n, SEM=<\\P.P(x) -> Q>] VP/NP[NUM=?n, AGR=[GND=fem]]
NP[NUM=sg] -> 'this' | 'that[s]'
VP[NUM=sg]/?x-> "runs/jumps" | VP/NP[]
"""


@pytest.mark.parametrize("line", ["% start B", "%start B", "%  start\tB"])
def test_start_is_read_as_nltk_reads_it(line):
    text = f"{line}\nA -> 'a'\nB -> A 'b'\n"
    assert Grammar.parse(text).start == str(nltk.CFG.fromstring(text).start()) == "B"


def test_symbols_without_rules_are_named_when_read_and_when_drawn():
    said: list[str] = []
    with heard_by(said.append):
        grammar = Grammar.parse("S -> NP V\nNP -> the dog\nV -> 'ran'", source="g.cfg")
    assert said == [
        "g.cfg:2: the, dog have no rules; quote words, as in 'the', and give symbols rules"
    ]
    with pytest.raises(NotTightError, match="dog, the have no rules: derivations end") as error:
        sample_sentences(grammar, n=2)
    assert error.value.where == "start symbol S"
    assert "spectral" not in str(error.value)


def test_bars_may_begin_lines():
    grammar = Grammar.parse("S -> A [0.25]  # so\n   | 'b' [0.5]\n\n  | A A [0.25]\nA -> 'a'")
    assert sorted(rule.weight for rule in grammar.productions("S")) == [0.25, 0.25, 0.5]


@pytest.mark.parametrize("name", ["ε", "epsilon", "λ"])
def test_signs_of_the_empty_string_are_told(name):
    said: list[str] = []
    with heard_by(said.append):
        Grammar.parse(f"S -> 'a' S | {name}", source="g.cfg")
    assert said == [f"g.cfg:1: {name} has no rules; if {name} is the empty string, write ''"]


FOREIGN = {
    'start: "a" start | "b"\n': "Lark",
    '?expr: term\n    | expr "+" term\n%ignore " "\n': "Lark",
    'root ::= greet " " name\nname ::= [a-c]+\n': "GBNF",
    "<s> ::= <np> <vp>\n<np> ::= dog\n": "BNF",
    'expr ::= term ("+" term)*\n': "EBNF",
    "grammar Hello;\nr : 'hello' ID ;\nID : [a-z]+ ;\n": "ANTLR",
    'rule = "a", { "b" } ;\n': "ISO EBNF",
    'greeting = "hi" / "hello"\n': "ABNF",
    "A <- 'a' B / 'c'\n": "PEG",
    "%token NUM\n%%\nexpr: NUM\n": "yacc",
    "s --> np, vp.\nnp --> [dog].\n": "Prolog",
    "#JSGF V1.0;\ngrammar g;\npublic <a> = b;\n": "JSGF",
    "(S (NP we) (VP slept))\n": "treebank",
    "'hit' -> 'John' | 'ball'\n": "dependency grammar",
    "S => NP VP\n": "another arrow",
    FEATURES: "feature grammar",
    "NP[+pl] -> 'dogs'\n": "feature grammar",
}


@pytest.mark.parametrize(("text", "name"), FOREIGN.items(), ids=FOREIGN.values())
def test_other_notations_are_named(text, name):
    with pytest.raises(NotationError) as error:
        Grammar.parse(text, source="g.txt")
    assert name in error.value.what
    assert error.value.hint


def test_what_is_only_wrong_is_not_called_another_notation():
    with pytest.raises(NotationError, match="this is not a rule"):
        Grammar.parse("S -> NP !\n")


CONVERTED = {
    "lark": 'start: "a" start | "b"\n',
    "gbnf": 'root ::= greet " " name\ngreet ::= "hi" | "ho"\nname ::= [a-c]\n',
    "bnf": '<s> ::= <np> "runs"\n<np> ::= "dog" | "cat"\n',
    "ebnf": 'expr ::= term ("+" term)?\nterm ::= "a" | "b"\n',
    "jsonschema": '{"type": "object", "properties": {"a": {"type": "integer"}}}',
    "antlr": "grammar Hello;\nr : 'hello' ID ;\nID : [a-c] ;\n",
}


@pytest.mark.parametrize(("form", "text"), CONVERTED.items(), ids=CONVERTED)
def test_the_hint_that_names_convert_works(form, text, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "g.cfg").write_text(text)
    with pytest.raises((NotationError, SchemaError)) as error:
        open_grammar("g.cfg")
    found = re.fullmatch(
        r"read it with  treewright (.*)  \(in Python (read_notation)\(open\('g.cfg'\).read\(\), "
        r"'(\w+)'\) of grammar\)",
        error.value.hint,
    )
    assert found is not None
    assert found[3] == form
    read = read_notation((tmp_path / "g.cfg").read_text(), found[3])
    done = CliRunner().invoke(app, found[1].split())
    assert done.exit_code == 0, done.output
    assert open_grammar("grammar.json").productions() == read.productions()


def test_the_backbone_of_a_feature_grammar_is_read_on_request(tmp_path):
    path = tmp_path / "g.fcfg"
    path.write_text(FEATURES)
    said: list[str] = []
    with heard_by(said.append):
        grammar = open_grammar(path, backbone=True)
    assert {production.text for production in grammar.productions()} == {
        "S -> NP VP", "NP -> 'this'", "NP -> 'that[s]'", "VP -> 'runs/jumps'", "VP -> VP",
    }  # fmt: skip
    assert said == [f"the features of {path} are left out: this is its context-free backbone"]


@pytest.mark.parametrize("text", ["S[NUM=sg -> 'a'\n", "S -> ?x[NUM=pl]\nNP -> 'a'\n"])
def test_what_has_no_backbone_is_said_with_its_line(tmp_path, text):
    (tmp_path / "g.fcfg").write_text(text)
    with pytest.raises(NotationError) as error:
        open_grammar(tmp_path / "g.fcfg", backbone=True)
    assert error.value.where.endswith("g.fcfg:1")


def test_a_grammar_may_have_another_encoding(tmp_path):
    (tmp_path / "g.cfg").write_bytes("# Jörg\nS -> 'Käse'\n".encode("latin-1"))
    assert open_grammar(tmp_path / "g.cfg", encoding="latin-1").rules.words == ("Käse",)


@pytest.mark.parametrize(
    ("expression", "matches"), [(r"(\r?\n)+\s*", 2), (r"a.*?(?<!b)c", 2), (r"[ \t]*\n+", 2)]
)
def test_expressions_without_end_have_representatives(expression, matches):
    text = f"start: A\nA: /{expression}/\n"
    assert len(from_lark(text, representatives=2).productions("A")) == matches
