"""Lark's EBNF: Lark parses what we write, and the sentences of what we read."""

from __future__ import annotations

import itertools

import lark
import pytest
from hypothesis import assume, example, given, settings

from grammar.errors import NotationError, OptionError, StartSymbolError, WeightError
from grammar.formats.lark_reading import from_lark
from grammar.formats.writing import to_lark
from grammar.messages import heard_by
from grammar.pcfg.grammar import Grammar
from grammar.pcfg.operations import binarise
from grammar.rules.rules import Nonterminal, Production
from grammar.trees.surfaces import surface_of
from induction.corpus.readers import read_treebank
from induction.counts.pcfg import induce_pcfg
from sampling.sentences.sentences import sample_sentences
from tests.grammar.pcfg.test_operations import small_grammars, string_probabilities

ARITHMETIC = """
    start: sum
    sum: [sum ("+" | "-")] product
    product: (product "*")? atom
    atom: NUMBER | "(" sum ")" | "-" atom
    NUMBER: /[0-3]/
    %ignore " "
"""


def accepts(parser: lark.Lark, text: str) -> bool:
    try:
        parser.parse(text)
    except lark.exceptions.UnexpectedInput:
        return False
    return True


# --- writing ---------------------------------------------------------------------------------


@settings(max_examples=60, deadline=None)
@given(small_grammars())
@example(Grammar.parse("S -> [0.5] | 'a' S 'b' [0.5]"))
@example(Grammar.parse("S -> S [0.5] | 'a' [0.5]"))
def test_lark_parses_exactly_the_strings_of_the_grammar(grammar: Grammar) -> None:
    probabilities = string_probabilities(grammar, 3)
    assume(probabilities)
    assert probabilities is not None
    parser = lark.Lark(to_lark(grammar))
    for length in range(4):
        for sentence in itertools.product("ab", repeat=length):
            assert accepts(parser, " ".join(sentence)) == (sentence in probabilities)


def test_lark_parses_samples_of_a_treebank_grammar() -> None:
    grammar = induce_pcfg(read_treebank()[:40], horizontal_markov=1)
    parser = lark.Lark(to_lark(grammar))
    for text in sample_sentences(grammar, 8, seed=0, length=(1, 10)).column("text"):
        assert accepts(parser, text)


@pytest.mark.parametrize(
    ("spacing", "accepted"),
    [
        ("words", {"a b", "abc"}),
        ("tokens", {"a b", "a  b", "ab", "abc"}),
        ("characters", {"ab", "abc"}),
    ],
)
def test_what_stands_between_words_is_one_option(spacing: str, accepted: set[str]) -> None:
    parser = lark.Lark(to_lark(Grammar.parse("S -> 'a' 'b' [0.5] | 'abc' [0.5]"), spacing=spacing))
    assert {
        text for text in ("a b", "a  b", "ab", "abc", "a bc") if accepts(parser, text)
    } == accepted


ODD_WORDS = [
    *"'\"\\/|.*+?()[]{}^$%&#@!~-,;:<>=_`", "//", "#x", "\\n", "\\d", "/*", "a/b", "\\/", "n't", "7",
    "Ünïcödé", "日本", "🙂", "-LRB-", "A", "a", "x_2", "...", "{0}", "re", "%ignore", "//i", "i",
]  # fmt: skip


@pytest.mark.parametrize("spacing", ["words", "tokens"])
def test_any_word_can_be_written(spacing: str) -> None:
    s, t = Nonterminal("S"), Nonterminal("T")
    rules = [Production(s, (t, "-end-")), *(Production(t, (word,)) for word in ODD_WORDS)]
    parser = lark.Lark(to_lark(Grammar.from_productions(rules, normalise=True), spacing=spacing))
    for word in ODD_WORDS:
        text = surface_of(word)
        tree = parser.parse(f"{text} -end-")
        assert [str(token) for token in tree.scan_values(lambda _: True)] == [text, "-end-"]


def test_odd_symbols_become_names_that_differ() -> None:
    names = ["S", "PRP$", "PRP", "prp", "NP-SBJ", "NP SBJ", "日", "7", "_", "start", "S|<7-prp>"]
    rules = [Production(Nonterminal("S"), tuple(map(Nonterminal, names[1:])))]
    rules += [Production(Nonterminal(name), (f"w{i}",)) for i, name in enumerate(names[1:])]
    text = to_lark(Grammar.from_productions(rules))
    assert accepts(lark.Lark(text), " ".join(f"w{i}" for i in range(len(names) - 1)))
    heads = [line.split(":")[0] for line in text.splitlines() if ":" in line]
    assert len(set(heads)) == len(heads)


def test_intermediate_symbols_are_not_in_larks_trees() -> None:
    grammar = binarise(Grammar.parse("S -> A B A [1] \n A -> 'a' [1] \n B -> 'b' [1]"))
    tree = lark.Lark(to_lark(grammar)).parse("a b a")
    assert [child.data for child in tree.children] == ["a", "b", "a"]


def test_weights_stand_in_comments() -> None:
    lines = to_lark(Grammar.parse("S -> 'we' [0.75] | 'us' [0.25]")).splitlines()
    assert lines[1:3] == ["s: WE  // 0.75", " | US  // 0.25"]


def test_what_cannot_be_written_is_said() -> None:
    with pytest.raises(OptionError, match="unknown spacing 'letters'"):
        to_lark(Grammar.parse("S -> 'a' [1]"), spacing="letters")
    with pytest.raises(WeightError, match="no derivation"):
        to_lark(Grammar.parse("S -> S [1]"))


# --- reading ---------------------------------------------------------------------------------


def test_lark_parses_samples_of_what_was_read() -> None:
    grammar = from_lark(ARITHMETIC)
    parser = lark.Lark(ARITHMETIC)
    texts = sample_sentences(grammar, 200, seed=0, length=(1, 15)).column("text")
    assert len(set(texts)) > 50
    assert all(accepts(parser, text) for text in texts)
    assert from_lark(parser) == grammar


@settings(max_examples=40, deadline=None)
@given(small_grammars())
def test_reading_what_was_written_gives_the_same_strings(grammar: Grammar) -> None:
    probabilities = string_probabilities(grammar, 3)
    assume(probabilities)
    assert probabilities is not None
    again = string_probabilities(from_lark(to_lark(grammar, spacing="tokens")), 3)
    assume(again is not None)  # equal weights may make a grammar critical
    assert again is not None
    assert set(again) == set(probabilities)


def test_alternatives_get_equal_weights() -> None:
    grammar = from_lark('start: "a" | "b" | rest?\nrest: "c"+')
    assert {str(p.rhs): p.weight for p in grammar.productions("start")} == {
        "('a',)": 0.25,
        "('b',)": 0.25,
        "(Nonterminal('rest'),)": 0.25,
        "()": 0.25,
    }


def test_regular_expressions_are_listed_or_words_are_given() -> None:
    text = 'start: A B\nA: /x[0-9]|y?/\nB: /[a-z]+/\n%ignore " "'
    with pytest.raises(OptionError, match="terminal B has no short list") as caught:
        from_lark(text.replace("y?", "y"))
    assert 'words={"B": ["..."]}' in str(caught.value)
    grammar = from_lark(text.replace("y?", "y"), words={"B": ["dog", "cat"]})
    assert len(grammar.productions("A")) == 11
    assert [p.weight for p in grammar.productions("B")] == [0.5, 0.5]
    few = from_lark(text.replace("y?", "y"), representatives=3)
    assert [p.rhs for p in few.productions("B")] == [("a",), ("b",), ("c",)]
    with pytest.raises(OptionError, match="'42' is no match"):
        from_lark(text.replace("y?", "y"), words={"B": ["dog", "42"]})
    with pytest.raises(OptionError, match="no sequence of words"):
        from_lark(text.replace("y?", "y"), words={"B": []})
    with pytest.raises(OptionError, match="no terminal 'C'"):
        from_lark(text.replace("y?", "y"), words={"C": ["dog"]})


def test_imported_and_declared_terminals() -> None:
    text = '%import common.INT\n%declare NAME\nstart: NAME "=" INT\n%ignore " "'
    grammar = from_lark(text, words={"NAME": ["x"]}, representatives=2)
    assert {p.rhs for p in grammar.productions("start")} == {
        (Nonterminal("NAME"), "=", Nonterminal("INT"))
    }
    with pytest.raises(OptionError, match="declared, without a pattern"):
        from_lark(text, representatives=2)


def test_templates_and_other_start_rules() -> None:
    text = 'list: _sep{item, ","}\nitem: "x" | "y"\n_sep{i, s}: i (s i)*'
    grammar = from_lark(text, start="list")
    found = string_probabilities(grammar, 3)
    assert found is not None
    assert set(found) == {(a,) for a in "xy"} | {(a, ",", b) for a in "xy" for b in "xy"}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("start: (", "Unclosed parenthesis"),
        ("start: x", "'x' used but not defined"),
        ("other: \"x\"", "undefined rule"),
        ("start: A\nA: /(/", "missing"),
        ("%import nowhere.A\nstart: A", "No such file"),
        ("", "undefined rule"),
    ],
)  # fmt: skip
def test_what_lark_cannot_read_is_said(text: str, message: str) -> None:
    with pytest.raises(NotationError, match=message) as caught:
        from_lark(text, name="toy.lark")
    assert str(caught.value).startswith("toy.lark")
    assert caught.value.hint is not None


def test_a_parser_without_the_start_rule() -> None:
    with pytest.raises(StartSymbolError, match="no rule 'sum'"):
        from_lark(lark.Lark('start: "x"'), start="sum")


def test_alternatives_of_many_optional_parts_are_refused() -> None:
    alternatives = " | ".join(f'"{n}?[" b? ' for n in range(40))
    assert len(from_lark(f'start: {alternatives}\nb: "x"\n')) == 81
    with pytest.raises(NotationError, match="optional") as caught:
        from_lark('start: "a"\n  | ' + "b? " * 17 + '\nb: "x"\n', name="g.lark")
    assert caught.value.where == "g.lark:2"


def test_terminals_of_which_only_examples_are_kept_are_told() -> None:
    said: list[str] = []
    with heard_by(said.append):
        from_lark('start: "a" N | W\nN: /[0-9]+/\nW: /b|c/', representatives=2, name="calc.lark")
        from_lark("start: N\nN: /[0-9]+/", words={"N": ["1"]})
    assert said == ["calc.lark: left out: all but 2 matches of N"]


def test_the_hint_names_a_rule_that_is_there():
    rules = '%ignore " "\n?expr: term ("+" term)*\nterm: "1" | "2"\n'
    with pytest.raises(NotationError) as refused:
        from_lark(rules)
    assert str(refused.value.hint) == (
        "name the rule to begin with: start='expr', as start='start' is not there"
    )
    assert from_lark(rules, start="expr").start == "expr"
