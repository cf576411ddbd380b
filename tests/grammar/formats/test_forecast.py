"""What is forecast of a consumer is what it does."""

from __future__ import annotations

import itertools
from typing import Any

import pytest

from grammar import Grammar, OptionError, WeightError, forecast_cost, write_notation
from grammar.formats.forecast import _lexemes, _Rows
from grammar.formats.layout import lay_out
from grammar.formats.writing import LLGUIDANCE
from induction import induce_pcfg, read_treebank
from tests.grammar.formats.published import ALL_PUBLISHED
from tests.grammar.formats.test_writing import sentences_of


def least_limit(text: str, sentence: str) -> int:
    """Return the least limit with which llguidance reads a sentence."""
    guidance: Any = pytest.importorskip("llguidance")
    tokens = guidance.LLTokenizer("byte")
    given = tokens.tokenize_str(sentence)
    written = guidance.LLMatcher.grammar_from_lark(text)

    def reads(limit: int) -> bool:
        limits = guidance.LLParserLimits(max_items_in_row=limit, step_max_items=10**8)
        matcher = guidance.LLMatcher(tokens, written, limits=limits, log_level=0)
        return bool(matcher.try_consume_tokens(given) == len(given) and matcher.is_accepting())

    low, high = 0, 4_096
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if reads(middle) else (middle + 1, high)
    return low


@pytest.mark.parametrize("name", ["embedded", *ALL_PUBLISHED])
def test_llguidance_needs_no_higher_limit_than_is_forecast(name: str) -> None:
    spacing = "words" if name == "embedded" else "characters"
    grammar = induce_pcfg(read_treebank()) if name == "embedded" else ALL_PUBLISHED[name]
    text = write_notation(grammar, "llguidance", spacing=spacing)
    between = " " if spacing == "words" else ""
    rows = _Rows(lay_out(grammar, LLGUIDANCE, spacing), 4_096)
    for words in itertools.islice(filter(None, map(list, sentences_of(grammar, 12))), 6):
        forecast = rows.largest(_lexemes(words, spacing))
        needed = least_limit(text, between.join(words))
        # it reads choices of characters as one expression, so it never needs more
        assert needed <= 1.05 * forecast
        assert spacing == "characters" or needed >= 0.9 * forecast


def many_ways(count: int) -> Grammar:
    """Return a grammar in which each word begins ``count`` phrases that differ in their ends."""
    symbols = [f"P{k}" for k in range(count)]
    rules = [f"S -> {name} S [{0.5 / count}] | {name} [{0.5 / count}]" for name in symbols]
    rules += [f"{name} -> 'a' 'x' '{name}' [1]" for name in symbols]
    return Grammar.parse("\n".join(rules))


@pytest.mark.parametrize("count", [20, 900])
def test_a_grammar_fits_if_llguidance_accepts_its_samples(count: int) -> None:
    guidance: Any = pytest.importorskip("llguidance")
    grammar = many_ways(count)
    found = forecast_cost(grammar)
    assert found.fits == (count == 20)
    tokens = guidance.LLTokenizer("byte")
    written = guidance.LLMatcher.grammar_from_lark(write_notation(grammar, "llguidance"))
    matcher = guidance.LLMatcher(tokens, written, log_level=0)
    sentence = tokens.tokenize_str("a x P1 a x P2")
    assert (matcher.try_consume_tokens(sentence) == len(sentence)) == found.fits


def test_rows_have_the_items_of_earley() -> None:
    # both alternatives when nothing is read
    grammar = Grammar.parse("S -> 'a' 'b' [1/2] | 'c' [1/2]")
    rows = _Rows(lay_out(grammar, LLGUIDANCE, "characters"), 100)
    assert rows.largest(_lexemes(["a", "b"], "characters")) == 2
    empty = Grammar.parse("S -> A A 'b' [1] \n A -> [1/2] | 'a' [1/2]")
    rows = _Rows(lay_out(empty, LLGUIDANCE, "characters"), 100)
    # the start, what A predicts, and A A . 'b' by way of two empty ones
    assert rows.largest(_lexemes(["b"], "characters")) == 5


def test_the_count_ends_at_ten_times_the_limit() -> None:
    found = forecast_cost(many_ways(12_000), n=2)
    assert found.items == (20_000, 20_000)
    assert "largest more; llguidance allows 2,000" in repr(found)
    assert found.lines()["fits"].startswith("no: 0 of 2 sampled sentences; raise its limit")


def test_faults_are_said() -> None:
    grammar = Grammar.parse("S -> 'a' [1]")
    with pytest.raises(OptionError, match="no limit of 'yacc' is known"):
        forecast_cost(grammar, "yacc")
    with pytest.raises(OptionError, match="unknown spacing"):
        forecast_cost(grammar, spacing="none")
    with pytest.raises(WeightError, match="no derivation"):
        forecast_cost(Grammar.parse("S -> S [1]"))
