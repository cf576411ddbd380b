"""Treebank words in other tools are those of sampled texts."""

from __future__ import annotations

import pytest
from hypothesis import find

from grammar import Grammar, write_notation
from grammar.formats.surfaces import grammar_of_texts
from sampling import sample_sentences
from tests.grammar.formats.test_writing import CONSUMERS

QUOTED = Grammar.parse(
    r"""
S -> '``' NP "''" [1/2] | NP [1/2]
NP -> '-LRB-' NP '-RRB-' [1/4] | '1\\/2' [1/2] | 'M\\*A\\*S\\*H' [1/8] | LS [1/8]
LS -> "''" [1/2] | '-lrb-' [1/2]
"""
)
TEXTS = {"``", "''", '"', "(", ")", "1/2", "M*A*S*H"}


@pytest.mark.parametrize("spacing", ["words", "tokens"])
@pytest.mark.parametrize("consumer", CONSUMERS)
def test_samples_of_a_treebank_grammar_are_accepted(consumer: str, spacing: str) -> None:
    accepts = CONSUMERS[consumer](write_notation(QUOTED, consumer, spacing=spacing))
    texts = sample_sentences(QUOTED, 100, seed=0).column("text")
    assert {word for text in texts for word in text.split(" ")} == TEXTS - {'"'}
    assert [text for text in texts if not accepts(text)] == []
    assert accepts('" ( 1/2 ) "')
    assert accepts('`` 1/2 "')
    for text in ("-LRB- 1/2 -RRB-", r"1\/2", "( 1/2", "` 1/2"):
        assert not accepts(text)


@pytest.mark.parametrize("form", ["gbnf", "ebnf", "antlr", "grammarinator"])
def test_every_notation_has_the_words_of_texts(form: str) -> None:
    written = write_notation(QUOTED, form)
    assert "RB-" not in written.upper()
    assert "1/2" in written
    assert r"\/" not in written


def test_the_strategy_writes_as_samples_do() -> None:
    strategy = QUOTED.strategy()
    assert find(strategy, lambda text: "1/2" in text) == "1/2"
    for word in TEXTS:
        assert word in find(strategy, lambda text, word=word: word in text.split(" "))
    programs = Grammar.parse(r"S -> '-LRB-' [1/2] | '\\/' [1/2]").strategy(spacing="characters")
    assert find(programs, lambda text: "LRB" in text) == "-LRB-"


def test_words_of_programs_stay() -> None:
    programs = Grammar.parse(r"S -> '``' S [1/2] | '-LRB-' [1/4] | '\\/' [1/4]")
    written = write_notation(programs, "xgrammar", spacing="characters")
    assert all(word in written for word in ('"``"', '"-LRB-"', r'"\\/"'))


def test_weights_are_kept() -> None:
    texts = grammar_of_texts(QUOTED)
    assert texts.prefix(['"', "1/2", '"']).mass == pytest.approx(1 / 2 / 4 / 2)
    assert texts.prefix(["("]).mass == pytest.approx(1 / 2 * (1 / 4 + 1 / 16))
    plain = Grammar.parse("S -> 'a' [1]")
    assert grammar_of_texts(plain) is plain
