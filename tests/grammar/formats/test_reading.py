"""What other tools write is read: rules, classes, repetitions; and each fault has its place."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, example, given, settings

from grammar import NotationError, OptionError, Parser, StartSymbolError
from grammar.formats.reading import read_notation
from grammar.formats.writing import write_notation
from grammar.messages import heard_by
from grammar.pcfg.grammar import Grammar
from grammar.sampling_kernels.lengths import LengthSampler
from tests.grammar.formats.published import PUBLISHED
from tests.grammar.pcfg.test_operations import small_grammars, string_probabilities

JSON = r"""
root ::= object
value ::= object | array | string | number | ("true" | "false" | "null") ws
object ::= "{" ws ( string ":" ws value ("," ws string ":" ws value)* )? "}" ws
array ::= "[" ws ( value ("," ws value)* )? "]" ws
string ::= "\"" ( [^"\\\x7F\x00-\x1F] | "\\" (["\\bfnrt] | "u" [0-9a-fA-F]{4}) )* "\"" ws
number ::= ("-"? ([0-9] | [1-9] [0-9]{0,15})) ("." [0-9]+)? ([eE] [-+]? [0-9] [1-9]{0,15})? ws
# optional space
ws ::= | " " | "\n" [ \t]{0,20}
"""
CALCULATOR = r"""
grammar Calculator;
options { language = Python3; }
@header { import os; }
lines : line+ EOF ;
line : value=expr NEWLINE # print
  | ID '=' expr NEWLINE { self.known += 1 } # assign
  | {self.may()}? NEWLINE # blank ;
expr : expr op=('*'|'/') expr | <assoc=right> expr '^' expr | INT | ID | '(' expr ')' ;
ID : LETTER+ ; /* letters */
fragment LETTER : [a-c\u0064] ; // d
INT : '0'..'9'+ ; NEWLINE : '\r'? '\n' ; OTHER : ~[a-z\]] ~'b' ~('c' | 'd') . ;
WS : [ \t]+ -> skip ;
"""
XML = """document ::= element? (#x20 | [#x41-#x43])* /* a
comment */ [ wfc: nothing ]
element ::= '<' name ">" [^<&]* "</" name '>'
name ::= [a-z]+"""
VISITOR = r"""
parser grammar Sums;
sum[int depth] returns [int total] locals [int i = 0] throws Odd, Even
@init { $total = 0; /* } */ }
    : first=term[1] { if (depth > 0) { log("}"); } } ( {2 >= $depth}? '+' term[2] )* // }
    ;
catch [Odd e] { throw e; }
finally { done(); }
term[int place] : DIGIT ;
DIGIT : [0-3] ;
"""
STANDARD = """
[1]   list   ::=   item
                   | list [,;] item
[23a] item   ::=   ([a-z] - [#x61-#x63q]) digit?
[4]   digit  ::=   [12]
"""
PASCAL = """
<program> ::= begin <steps> end .
<steps> ::= <step> | <step> ; <steps> ; the last has no sign behind it
<step> ::= x := <digit> | ;
<digit> ::= 0 | 1
"""
SCRIPT = "root ::= [一-鿿]+ [a-z]"
POSTAL = """<postal address> ::= <name> <digit> | "" ; a comment
<name> ::= "a" | b <name>
<digit> ::= 0 | 1 | '2'
"""


def by_character(grammar: Grammar) -> Grammar:
    """Return a grammar whose words are single characters."""
    return Grammar.from_productions(
        [
            p.__class__(p.lhs, tuple(s for c in p.rhs for s in (c if isinstance(c, str) else [c])))
            for p in grammar
        ],
        start=grammar.start,
        normalise=True,
    )


def accepted(grammar: Grammar, text: str) -> bool:
    parsed = Parser(grammar).inside(list(text))
    return isinstance(parsed, float) and parsed > float("-inf")


@pytest.mark.parametrize(
    ("text", "form", "good", "bad"),
    [
        (JSON, "gbnf", ['{"a":[1,-2.5e3,null]}', '{"\\\\u00e":{}}'], ["[]", '{"a":01}', "{"]),
        (CALCULATOR, "antlr", ["ab=1*(d^20)\n", "\r\n"], ["ab=1*\n", "1", "e\n"]),
        (XML, "ebnf", ["", "<ab>c d</x>", " AC", "<a></b> A"], ["<a>", "<A></A>", "D"]),
        (POSTAL, "bnf", ["", "a0", "bba2"], ["a", "b0", "a3"]),
        (VISITOR, "antlr", ["1", "1+2+3"], ["1+", "4", "[1]"]),
        (STANDARD, "ebnf", ["d", "d1,e;f2"], ["a", "q", "d4", "1", "d;"]),
        (PASCAL, "bnf", ["beginx:=0end.", "begin;;x:=1;;end."], ["begin end.", "beginx:=0;end."]),
        (SCRIPT, "gbnf", ["一丁a"], ["a", "一"]),
    ],
    ids=["gbnf", "antlr", "ebnf", "bnf", "visitor", "standard", "pascal", "script"],
)
def test_texts_of_a_grammar_are_its_sentences(text, form, good, bad):
    with heard_by(lambda _: None):
        grammar = read_notation(text, form)
    characters = by_character(grammar)
    empty = grammar.prefix().end > 0
    if text is JSON:
        good, bad = good[:1], bad
    assert [t for t in good if not (accepted(characters, t) if t else empty)] == []
    assert [t for t in bad if accepted(characters, t)] == []


def test_what_cannot_be_kept_is_told():
    said: list[str] = []
    with heard_by(said.append):
        read_notation(CALCULATOR, "antlr", source="c.g4")
    beyond = "characters beyond ASCII, of classes that leave some out or have more than 256"
    assert said == [
        "c.g4: left out: actions and predicates",
        f"c.g4: left out: {beyond}",
        "c.g4: left out: options",
        "c.g4: left out: what may stand between tokens (WS)",
    ]


def test_comments_and_arguments_that_are_left_out_are_told():
    said: list[str] = []
    with heard_by(said.append):
        read_notation(PASCAL, "bnf", source="p")
        read_notation(VISITOR, "antlr", source="v")
    assert said == [
        "p: left out: comments behind ;",
        "v: left out: actions and predicates",
        "v: left out: arguments of rules",
    ]


def test_alternatives_and_repetitions_have_their_weights():
    grammar = read_notation('root ::= "a"{2,3} | "b"* | "c"{2,} | "d"{2}', "gbnf")
    lengths = {w: grammar.prefix(w.split()) for w in ("a a", "a a a", "b b", "c c", "c c c", "d d")}
    found = {words: prefix.mass * prefix.end for words, prefix in lengths.items()}
    assert found == pytest.approx(
        {"a a": 1 / 8, "a a a": 1 / 8, "b b": 1 / 32, "c c": 1 / 8, "c c c": 1 / 16, "d d": 1 / 4}
    )


@pytest.mark.parametrize("form", ["gbnf", "ebnf", "antlr"])
@settings(max_examples=30, deadline=None)
@given(grammar=small_grammars())
@example(grammar=Grammar.parse("S -> [0.5] | 'a' S 'b' [0.5]"))
def test_reading_what_was_written_gives_the_same_texts(form, grammar):
    probabilities = string_probabilities(grammar, 3)
    assume(probabilities)
    read = read_notation(write_notation(grammar, form, spacing="characters"), form)
    again = string_probabilities(read, 3)
    assume(again is not None)  # equal weights may make a grammar critical
    assert set(again) == set(probabilities)


@pytest.mark.parametrize("form", ["gbnf", "ebnf", "antlr"])
@pytest.mark.parametrize("name", PUBLISHED)
def test_what_was_read_is_written_as_it_was(form, name):
    text = write_notation(PUBLISHED[name], form, spacing="characters")
    first = read_notation(text, form)
    again = write_notation(first, form, spacing="characters")
    assert len(read_notation(again, form)) == len(first) + 1  # one more rule above the first
    assert first.rules.words == read_notation(again, form).rules.words


@pytest.mark.parametrize("form", ["gbnf", "ebnf", "antlr"])
@pytest.mark.parametrize("read_as", ["gbnf", "antlr", "ebnf", "bnf"])
def test_names_with_signs_are_written_so_that_they_are_read(form, read_as):
    text = {"gbnf": JSON, "antlr": VISITOR, "ebnf": STANDARD, "bnf": POSTAL}[read_as]
    with heard_by(lambda _: None):
        first = read_notation(text, read_as)
    again = read_notation(write_notation(first, form, spacing="characters"), form)
    for number in range(6):
        for one, other in ((first, again), (again, first)):
            drawn = LengthSampler(one, 1, 12, flat=True).draw(np.uint64(number), 0, 1)
            sample = "".join(one.rules.words[word] for word in drawn.words)
            assert not sample or accepted(by_character(other), sample)


FAULTS = {
    ("gbnf", 'root ::= "a" (b | "c"\n'): ("<string>:1:14: the bracket does not close", "close it"),
    ("gbnf", 'root ::= "a" b\n'): ("<string>:1:14: the rule b is used, and there is none", "b"),
    ("gbnf", 'start ::= "a"\n'): ("there is no rule root", "name the first root"),
    ("gbnf", 'root ::= "a"\nroot ::= "b"'): ("<string>:2:1: the rule root is there twice", "join"),
    ("gbnf", 'root ::= "a"{3,2}'): ("3,2 is no number of repetitions", "the smaller first"),
    ("gbnf", 'root ::= "a"{1000}'): ("1000 is no number of repetitions", "up to 100"),
    ("gbnf", "root ::= <think>"): ("a token of a model is in no context-free grammar", "without"),
    ("gbnf", 'root ::= "a'): ("<string>:1:10: this is not GBNF", ""),
    ("gbnf", "root ::= " + "(" * 60): ("more than 50 brackets are open", "give some a rule"),
    ("gbnf", ""): ("there is no rule", ""),
    ("antlr", "grammar X; a : 'b' \n c : 'd' ;"): ("<string>:2:2: a rule ends with ;", ""),
    ("antlr", "grammar X; import Y; a : 'b' ;"): ("an import is in no context-free grammar", ""),
    ("antlr", "a : 'b' ; B : 'c' -> pushMode(X) ;"): ("the command pushMode(X)", "leave it out"),
    ("antlr", "a : ~'bc' ;"): ("only characters and classes have others", "~'a'"),
    ("antlr", "a : 'bc'..'d' ;"): ("a range has a character at each end", "'a'..'z'"),
    ("ebnf", "a ::= b - c"): ("<string>:1:9: an exception, A - B, is in no", "without it"),
    ("ebnf", "a ::= [ab]* - 'b'"): ("<string>:1:13: an exception", "only classes of characters"),
    ("ebnf", "a ::= 'b' - 'b'"): ("<string>:1:11: the class has no characters", "name some"),
    ("antlr", r"a : B ; B : [x\p{Lu}] ;"): (
        r"the property of Unicode in [x\p{Lu} is not",
        "[a-zA-Z]",
    ),
    ("antlr", "a : 'b' { { { { { { } } } } } } ;"): ("<string>:1:9: this is not ANTLR", ""),
    ("bnf", "<a> ::= <b>"): ("<string>:1:9: the rule b is used, and there is none", "b"),
    ("bnf", "<a> <b>"): ("an arrow follows the name of a rule", ""),
}


@pytest.mark.parametrize(("given_text", "told"), FAULTS.items(), ids=[text for _, text in FAULTS])
def test_faults_have_places_and_hints(given_text, told):
    form, text = given_text
    with pytest.raises(NotationError) as error:
        read_notation(text, form)
    assert told[0] in str(error.value)
    assert told[1] in (error.value.hint or "")


def test_other_faults():
    with pytest.raises(OptionError, match="no notation 'yacc' is read"):
        read_notation("a", "yacc")
    with pytest.raises(StartSymbolError, match="there is no rule 'b'"):
        read_notation('root ::= "a"', "gbnf", start="b")
    assert read_notation('root ::= b\nb ::= "a"', "gbnf", start="b").start == "b"


def test_the_work_is_bounded():
    text = "root ::= " + " ".join(f'"{i}"? ("a" | "b")*' for i in range(3000)) + "\n"
    assert len(read_notation(text, "gbnf")) > 6000
    for broken in ('root ::= "' + "\\" * 100_001, "root ::= [" + "a-" * 50_000, "(" * 100_000):
        with pytest.raises(NotationError):
            read_notation(broken, "gbnf")
    for code in ("{" * 20_000, "{'" * 20_000, "{/*" * 20_000, r"{\p{" * 20_000):
        with pytest.raises(NotationError):
            read_notation(f"a : B {code}", "antlr")
    with pytest.raises(NotationError):
        read_notation("[1] a" * 20_000, "ebnf")
