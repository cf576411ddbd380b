"""Short texts whose answer would be long: written-out rules, large numbers, names of a megabyte."""

from __future__ import annotations

import time

import pytest

from grammar.errors import NotationError, NotTightError
from grammar.formats.lark_reading import from_lark
from grammar.options import meant
from grammar.pcfg.grammar import Grammar
from grammar.search.relations import read_link
from grammar.search.searching import search
from grammar.trees.treebank import Treebank
from sampling.sentences.sentences import sample_sentences

TERMINALS = '\nx: "a"\ny: "b"\n'
LONG = {
    "ranges in a row": "start: " + "(x | y)~0..12 " * 6,
    "groups in a row": "start: " + "(x | y) " * 30,
    "groups that may be there": "start: " + "(x | y)? " * 11,
    "brackets in a row": "start: " + "[x | y] " * 11,
    "ranges in a range": "start: ((x | y)~5)~5",
    "a second line": "start: x\n  | " + "(x | y) " * 30,
    "another rule": "start: z\nz: " + "(x | y) " * 30,
}
SHORT = {
    "alternatives": "start: " + " | ".join(f'"a{k}"' for k in range(300)),
    "quoted signs": 'start: "(" x "|" y ")" /(a|b)/ "?"',
    "a range of many": "start: x~60..70",
    "groups": "start: (x y | y x | x) (x | y) (x | y)",
    "names": "start: x y -> z\n  | y",
    "a number of ten digits": "start: x~9999999999",
}


@pytest.mark.parametrize("name", LONG)
def test_rules_that_lark_would_write_out_are_refused(name: str) -> None:
    with pytest.raises(NotationError, match="32,768 alternatives") as caught:
        from_lark(LONG[name] + TERMINALS)
    assert "rules of their own" in str(caught.value.hint)


@pytest.mark.parametrize("name", SHORT)
def test_other_rules_are_read(name: str) -> None:
    assert from_lark(SHORT[name] + TERMINALS).start == "start"


def test_what_the_hint_of_long_rules_says_works() -> None:
    text = "start: " + "z " * 30 + "\nz: x | y"
    assert len(from_lark(text + TERMINALS).rules.words) == 2


@pytest.mark.parametrize("digits", ["9" * 5000, "-" + "9" * 5000, "4294967297", "00001"])
def test_numbers_of_children_may_have_any_length(digits: str) -> None:
    treebank = Treebank.parse("(S (NP (DT the) (NN dog)) (VP (VBD ran)))\n")
    assert len(search(treebank, f"NP <{digits} DT")) == (digits == "00001")
    assert read_link(f"<{digits}") is not None


def test_a_grammar_whose_sentences_fill_the_memory_is_refused() -> None:
    """A sentence has two to the power of the depth of words: no number of 64 bits tells 2^2000."""
    for depth in (40, 2000):
        rules = "\n".join(f"S{k} -> S{k + 1} S{k + 1} [1]" for k in range(depth))
        with pytest.raises(NotTightError, match="expected length"):
            sample_sentences(Grammar.parse(f"{rules}\nS{depth} -> 'a' [1]"), 1)


def test_a_name_of_a_megabyte_is_compared_at_its_beginning() -> None:
    began = time.process_time()
    assert meant("x" * 1_000_000, [f"x{k}" for k in range(50)]) is None
    assert meant("alfa" + " " * 500, ["alpha"]) is None
    assert time.process_time() - began < 2
