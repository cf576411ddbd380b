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
    Parser,
    SchemaError,
    TreewrightError,
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


@pytest.mark.parametrize("bar", "∣│")
def test_bars_that_editors_write_are_bars(bar):
    assert Grammar.parse(f"S → 'a' {bar} '{bar}'") == Grammar.parse(f"S -> 'a' | '{bar}'")


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
    "[X] ||| der [X,1] ||| the [X,1] ||| 0.5\n": "rules of translation",
    "0 1 a x 0.5\n1 2 b y\n2\n": "an automaton in the form of OpenFst",
    "states: q0 q1\nq0 a q1\n": "an automaton",
    "(q0, a, Z) -> (q1, AZ)\n": "an automaton",
    "(a|b)*abb\n": "a regular expression",
    "import nltk\ng = nltk.CFG.fromstring('')\n": "a program in Python",
    "abstract Food = {\n cat Phrase ;\n fun Is : Item -> Phrase ;\n}\n": "Grammatical Framework",
    "LEXICON Root\ncat # ;\n": "lexc",
    '@{% const x = 1 %}\nmain -> "a" {% id %}\n': "Nearley",
    'number = @{ ASCII_DIGIT+ }\nsum = { number ~ "+" }\n': "pest",
    "file[mod_ty]: [statements] ENDMARKER\n": "expression grammar of Python",
    ":- S, NP\nI => NP\n": "categories (CCG)",
    "S --> NP: (^ SUBJ)=!;\n      VP: ^=!.\n": "annotations of LFG",
    "axiom: F\nF -> F+F\n": "an L-system",
    "<?xml version='1.0'?><structure><type>grammar</type></structure>\n": "JFLAP",
    "NP[+pl] -> 'dogs'\n": "feature grammar",
    "NP: {<DT>?<NN>}\n    }<VBD|IN>+{\n": "chunk grammar",
    "S\tNP\tVP\t01\t3/4\nNP\tDT\t0\t1/1\n": "disco-dop",
    "%[find]('training': '10')\n    find ~[it]\n": "Chatito",
}


@pytest.mark.parametrize(("text", "name"), FOREIGN.items(), ids=FOREIGN.values())
def test_other_notations_are_named(text, name):
    with pytest.raises(NotationError) as error:
        Grammar.parse(text, source="g.txt")
    assert name in error.value.what
    assert error.value.hint


READ = {
    "1. S -> A\n2. A -> 'a'\n": (
        "S -> A\nA -> 'a'\n", "the numbers before its rules are left out",
    ),
    "(1) S -> A\n(2) A -> 'a'\n": (
        "S -> A\nA -> 'a'\n", "the numbers before its rules are left out",
    ),
    "S -> 'a' |\n   'b' |\n   'c'\n": (
        "S -> 'a' | 'b' | 'c'\n", "lines that end in | go on in the next",
    ),
    "S -> ‘so’ “good”\n": ("S -> 'so' 'good'\n", "typographic quotes are read as quotes"),
    "NP -> D N'\nN' -> A N' | 'cat'\nD -> 'the'\nA -> 'old'\n": (
        "NP -> D {N'}\n{N'} -> A {N'} | 'cat'\nD -> 'the'\nA -> 'old'\n",
        "N' is read as the name {N'}",
    ),
}  # fmt: skip


@pytest.mark.parametrize(("text", "read"), READ.items(), ids=[told for _, told in READ.values()])
def test_habits_of_hand_outs_are_read_and_told(text, read):
    said: list[str] = []
    with heard_by(said.append):
        grammar = Grammar.parse(text, source="g.cfg")
    assert said == [f"g.cfg: {read[1]}"]
    assert grammar.productions() == Grammar.parse(read[0]).productions()


FAULTS = {
    "S -> 'a' B\nC B -> B C\n": "one symbol before its arrow, and this one has several",
    "NP -> (Det) (Adj)* N\n": "parts in parentheses or braces",
    "S -> 'I' 'don't' 'know'\n": "a word in single quotes holds one",
    "S -> N\ncat\tN\n": "a rule has an arrow, and this line has none",
}


@pytest.mark.parametrize(("text", "what"), FAULTS.items(), ids=FAULTS.values())
def test_faults_of_a_line_are_named(text, what):
    with pytest.raises(NotationError, match=what) as error:
        Grammar.parse(text)
    assert error.value.hint


def test_numbers_that_do_not_count_the_rules_stay_what_they_are():
    with pytest.raises(NotationError, match="weights before its rules"):
        Grammar.parse("3 S -> A\n1 A -> 'a'\n")


def test_a_choice_in_braces_is_told():
    said: list[str] = []
    with heard_by(said.append):
        Grammar.parse("NP -> {Det | Poss} N\nN -> 'cat'", source="g.cfg")
    assert said == [
        "g.cfg:1: Det | Poss has no rules; "
        "braces hold a name, and no choice: write a rule for each case"
    ]


def test_another_notation_is_named_where_one_is_converted():
    with pytest.raises(NotationError, match="not W3C EBNF") as error:
        read_notation("number = digit , { digit } ;\n", "ebnf")
    assert "ISO EBNF" in str(error.value.hint)


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


def test_the_hint_of_a_regular_expression_works(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(NotationError, match="a regular expression") as error:
        Grammar.parse("(a|b)*abb\n", source="re.txt")
    assert "treewright convert expression.lark -o grammar.json" in str(error.value.hint)
    (tmp_path / "expression.lark").write_text("start: /(a|b)*abb/\n")
    done = CliRunner().invoke(app, ["convert", "expression.lark", "-o", "grammar.json"])
    assert done.exit_code == 0, done.output


def test_a_word_with_a_space_is_named_where_no_sentence_has_it():
    found = Parser(Grammar.parse("S -> 'the cat' 'ran'")).viterbi(["the", "cat", "ran"])
    assert "it has 'the cat' as one word: write 'the' 'cat' in its rule" in str(found)


def test_expressions_between_slashes_are_no_features():
    with pytest.raises(NotationError, match="regular expressions between slashes"):
        Grammar.parse("S -> 'the' N\nN -> /[a-z]+/")


def test_a_stop_that_is_a_name_is_no_weight():
    with pytest.raises(NotationError, match="a sign at its end") as error:
        Grammar.parse("S -> NP .\nNP -> 'it'\n. -> '.'")
    assert "a symbol in braces ({.})" in error.value.hint
    assert len(Grammar.parse("S -> NP {.}\nNP -> 'it'\n{.} -> '.'")) == 3


@pytest.mark.parametrize(
    ("rules", "what"),
    [
        ("S -> 'a' [p=1.0]", "a weight is a decimal or a fraction"),
        ("S -> 'a' [50%] | 'b' [50%]", "a weight is a decimal or a fraction"),
        ("S -> 'a' (1.0)", "a weight is a decimal or a fraction"),
        ("S -> NP ;\nNP -> 'a' ;", "a sign at its end"),
        ("S -> NP, NP\nNP -> 'a'", "and here a comma"),
        ("<S> -> <NP>\n<NP> -> a", "names stand in angle brackets"),
        ('"S" -> "NP"\n"NP" -> "a"', "the symbol before the arrow stands in quotes"),
        ("S -> 'a' A*\nA -> 'b'", "signs for what may come again"),
        ("S : NP\nNP : 'a'", "a grammar with a colon for the arrow"),
    ],
)
def test_other_ways_to_write_rules_have_their_cause(rules, what):
    with pytest.raises(NotationError, match=what):
        Grammar.parse(rules)


def test_words_with_white_space_of_their_own_are_told_when_spaces_come_between():
    grammar = read_notation('root ::= "the " noun\nnoun ::= "dog"\n', "gbnf")
    said: list[str] = []
    with heard_by(said.append):
        sample_sentences(grammar, 1)
    assert "such as 'the ', and a space is put between words" in said[0]
    with heard_by(said.append):
        assert sample_sentences(grammar, 1, spacing="characters").column("text") == ["the dog"]
    assert len(said) == 1


G = "grammar G; prog : ID ('+' ID)* EOF ; WS : [ ]+ -> skip ; ID : "
TOKENS = [
    ("antlr", G + "[a-c]+ ;", "ID"),
    ("antlr", G + "[a-c] [0-9] ;", "ID"),
    ("antlr", G + "L L2* ; fragment L : [a-c] ; fragment L2 : [a-c0-9] ;", "ID"),
    ("gbnf", "root ::= [a-c]{1,3}", "root"),
    ("ebnf", "name ::= [a-c] [a-c0-9]*", "name"),
]


@pytest.mark.parametrize(("form", "text", "token"), TOKENS)
def test_tokens_that_are_split_into_characters_are_told(tmp_path, form, text, token):
    said: list[str] = []
    with heard_by(lambda _: None):
        grammar = read_notation(text, form)
    grammar.save(tmp_path / "g.json")
    with heard_by(said.append):
        sample_sentences(open_grammar(tmp_path / "g.json"), 2)
    assert len(said) == 1
    assert said[0].startswith(f"tokens of {token} are several words of the grammar, such as ")
    with heard_by(said.append):
        made = sample_sentences(grammar, 20, spacing="characters").column("text")
    assert len(said) == 1
    assert not any(" " in text for text in made)


def test_words_of_one_character_that_are_tokens_are_not_told():
    said: list[str] = []
    signs = "e : N (OP N)* ; OP : [+-] ; N : 'one' | 'two' ;"
    grammars = [
        Grammar.parse("S -> 'a' S [0.5] | 'b' [0.5]"),
        read_notation(f"grammar G; {signs}", "antlr"),
        read_notation('root ::= "one" ("+" | "-") "two"', "gbnf"),
        Grammar.parse("S -> DT {S|<N-V>}\n{S|<N-V>} -> N V\nN -> '1' | '2'\nV -> 'go'\nDT -> 'a'"),
    ]
    with heard_by(said.append):
        for grammar in grammars:
            sample_sentences(grammar, 2)
    assert said == []


@pytest.mark.parametrize("name", ["ε", "EPSILON", "λ"])
def test_names_of_the_empty_string_are_no_words_in_hints(name):
    with heard_by(lambda _: None):
        grammar = Grammar.parse(f"S -> 'a' S [0.5] | {name} [0.5]")
    for use in (
        lambda: sample_sentences(grammar, 2),
        lambda: sample_sentences(grammar, 2, length=(1, 4)),
        lambda: Parser(grammar),
        grammar.prefix,
    ):
        with pytest.raises(TreewrightError) as refused:
            use()
        assert f"'' instead of {name}" in str(refused.value.hint)
        assert "quote" not in str(refused.value.hint)
    mended = Grammar.parse("S -> 'a' S [0.5] | '' [0.5]")
    assert sorted({*sample_sentences(mended, 50, length=(1, 2)).column("text")}) == ["a", "a a"]
