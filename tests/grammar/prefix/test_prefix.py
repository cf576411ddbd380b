"""Prefixes: masses and next words as enumeration and intersection have them; entropies."""

import math
import threading

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from grammar import (
    ChartGrammarError,
    EmptyLanguageError,
    Grammar,
    OptionError,
    Parser,
    automata,
    intersect,
    surprisal_of_words,
)
from tests.grammar.enumeration import sentence_probabilities
from tests.grammar.strategies import grammars

SENTENCES = st.lists(st.sampled_from("abc"), max_size=5)

WILD = "S -> S S [0.75] | 'a' [0.125] | 'b' [0.125]"
CRITICAL = "S -> S S [0.5] | 'a' [0.25] | 'b' [0.25]"
CYCLIC = """
S -> A [0.5] | 'a' S [0.5]
A -> S [0.5] | B [0.25] | 'b' [0.25]
B -> A [0.5] | 'c' [0.5]
"""
EMPTY = """
S -> A B S [0.25] | A B [0.5] | [0.25]
A -> 'a' [0.5] | B B [0.25] | [0.25]
B -> 'b' [0.5] | [0.5]
"""


def mass_by_intersection(grammar: Grammar, words: list[str]) -> float:
    """Return the mass of a prefix, by the grammar of all sentences that begin so."""
    try:
        return intersect(grammar, automata.prefix(words)).mass
    except EmptyLanguageError:
        return 0.0


def compiled(grammar: Grammar) -> Grammar:
    try:
        grammar.prefix()
    except ChartGrammarError:
        assume(False)
    return grammar


@given(grammar=grammars(recursive=False, unary_cycles=False, empty_rules=False), words=SENTENCES)
def test_of_a_finite_language_all_is_as_enumerated(grammar, words):
    found = sentence_probabilities(grammar, 40)
    begun = {s: p for s, p in found.items() if list(s[: len(words)]) == words}
    mass = sum(begun.values())
    prefix = grammar.prefix(words)
    assert prefix.mass == pytest.approx(mass, abs=1e-12)
    after: dict[str, float] = {}
    for sentence, chance in begun.items():
        if len(sentence) > len(words):
            following = sentence[len(words)]
            after[following] = after.get(following, 0.0) + chance / mass
    assert dict(prefix.next_words()) == pytest.approx(after, abs=1e-9)
    assert prefix.allowed() == after.keys()
    if mass:
        assert prefix.end == pytest.approx(found.get(tuple(words), 0.0) / mass, abs=1e-9)


@given(grammar=grammars(), words=SENTENCES)
def test_a_mass_is_that_of_the_sentences_that_begin_so(grammar, words):
    prefix = compiled(grammar).prefix(words)
    assert prefix.mass == pytest.approx(mass_by_intersection(grammar, words), rel=1e-6, abs=1e-9)
    if words and prefix.mass:
        inside = Parser(grammar).inside(words)
        assert prefix.mass * prefix.end == pytest.approx(math.exp(inside), rel=1e-7, abs=1e-12)


@given(grammar=grammars(), words=SENTENCES)
def test_the_next_words_and_the_end_sum_to_one(grammar, words):
    prefix = compiled(grammar).prefix(words)
    after = prefix.next_words()
    if not prefix.mass:
        assert (len(after), after.end, prefix.entropy, prefix.rest_entropy) == (0, 0.0, 0.0, 0.0)
        return
    assert after.probability.sum() + after.end == pytest.approx(1.0, abs=1e-9)
    for word, chance in after.items():
        further = prefix.extend([word])
        assert further.mass == pytest.approx(prefix.mass * chance, rel=1e-9)
        assert further.surprisal == pytest.approx(-math.log2(chance), rel=1e-9, abs=1e-9)
    for word in set("abc") - after.keys():
        assert prefix.extend([word]).mass == 0.0


@given(grammar=grammars(), words=st.lists(st.sampled_from("abc"), max_size=3))
def test_the_entropy_of_the_rest_is_that_of_the_derivations_that_begin_so(grammar, words):
    prefix = compiled(grammar).prefix(words)
    assume(prefix.mass > 1e-9)
    report = intersect(grammar, automata.prefix(words)).grammar.check()
    whole = grammar.renormalise().check()
    assume(whole.spectral_radius < 0.95 and math.isfinite(report.entropy))
    assert prefix.rest_entropy == pytest.approx(report.entropy, rel=1e-5, abs=1e-6)


@pytest.mark.parametrize("text", [WILD, CRITICAL, CYCLIC, EMPTY])
@pytest.mark.parametrize("words", ["", "a", "a b", "a a b", "b a c"])
def test_grammars_that_are_not_plain(text, words):
    grammar, given_words = Grammar.parse(text), words.split()
    prefix = grammar.prefix(given_words)
    assert prefix.mass == pytest.approx(mass_by_intersection(grammar, given_words), rel=1e-7)
    if prefix.mass:
        after = prefix.next_words()
        assert after.probability.sum() + after.end == pytest.approx(1.0, abs=1e-12)


def test_what_may_not_end_is_no_sentence():
    assert Grammar.parse(WILD).prefix().mass == pytest.approx(1 / 3)
    assert Grammar.parse(CRITICAL).prefix().mass == 1.0
    assert Grammar.parse(CRITICAL).prefix("a").rest_entropy == math.inf


def test_an_entropy_is_that_of_the_report_before_the_first_word():
    for text in (CYCLIC, EMPTY):
        grammar = Grammar.parse(text)
        assert grammar.prefix().rest_entropy == pytest.approx(grammar.check().entropy)


def test_a_long_sentence_does_not_underflow():
    grammar = Grammar.parse("S -> 'a' S [0.001] | 'b' S [0.001] | 'c' [0.998]")
    prefix = grammar.prefix(["a", "b"] * 400)
    assert prefix.mass == 0.0
    assert prefix.log_mass == pytest.approx(800 * math.log(0.001))
    assert dict(prefix.next_words()) == pytest.approx({"a": 0.001, "b": 0.001, "c": 0.998})
    assert prefix.rest_entropy == pytest.approx(grammar.prefix().rest_entropy)


def test_a_word_that_the_grammar_lacks_has_no_mass_and_nothing_follows():
    prefix = Grammar.parse("S -> 'so' S [1/2] | 'good' [1/2]").prefix("so bad")
    assert (prefix.mass, prefix.surprisal, prefix.end) == (0.0, math.inf, 0.0)
    assert prefix.extend("good").allowed() == frozenset()
    assert repr(prefix) == "Prefix('so bad', mass=0)"


def test_words_are_a_text_or_a_sequence():
    grammar = Grammar.parse("S -> 'so' S [1/2] | 'good' [1/2]")
    assert grammar.prefix("so good").mass == grammar.prefix(["so", "good"]).mass == 0.25
    with pytest.raises(OptionError, match="the word 3 is not a string"):
        grammar.prefix([3])  # type: ignore[list-item]
    with pytest.raises(OptionError, match="has no words"):
        grammar.prefix().extend("")


def test_a_prefix_stays_what_it_is_however_it_is_extended():
    grammar = Grammar.parse(CYCLIC)
    prefix = grammar.prefix("a a")
    before = dict(prefix.next_words())
    grown = [prefix.extend(word) for word in ("a", "b", "a", "c", "a")]
    for _ in range(40):
        prefix.extend(["a"] * 30)
    assert dict(grammar.prefix("a a").next_words()) == before
    for one in grown:
        fresh = Grammar.parse(CYCLIC).prefix(one.words)
        assert one.mass == fresh.mass
        assert dict(one.extend("a").next_words()) == dict(fresh.extend("a").next_words())


def test_threads_share_a_prefix():
    grammar = Grammar.parse(CYCLIC)
    prefix = grammar.prefix("a a")
    rng = np.random.default_rng(0)
    sentences = ["".join(rng.choice(list("abc"), 12)) for _ in range(40)]
    found: dict[int, float] = {}

    def work(which: int) -> None:
        for i in range(which, len(sentences), 4):
            found[i] = prefix.extend(list(sentences[i])).log_mass

    threads = [threading.Thread(target=work, args=(i,)) for i in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    alone = [Grammar.parse(CYCLIC).prefix(["a", "a", *s]).log_mass for s in sentences]
    assert [found[i] for i in range(len(sentences))] == alone


def test_the_next_words_are_a_mapping_from_the_most_probable_down():
    after = (
        Grammar.parse("S -> 'a' [1/8] | 'b' [1/2] | 'c' [3/8] | S 'd' [0]").prefix().next_words()
    )
    assert list(after) == ["b", "c", "a"]
    assert after.top(1) == [("b", 0.5)]
    assert ("a" in after, "d" in after, "e" in after, len(after)) == (True, False, False, 3)
    assert after.entropy == pytest.approx(1.40563906)
    assert repr(after) == "NextWords({'b': 0.5, 'c': 0.375, 'a': 0.125}, end=0)"


def test_surprisal_of_words_takes_a_grammar_and_fails_at_once(tmp_path):
    text = "S -> 'so' S [1/2] | 'good' [1/4] | 'bad' [1/4]"
    grammar = Grammar.parse(text)
    grammar.save(tmp_path / "g.json")
    rows = list(surprisal_of_words(grammar.prefix(), ["so", "bad"]))
    for one in (text, grammar, tmp_path / "g.json"):
        assert list(surprisal_of_words(one, "so bad")) == rows
    assert list(surprisal_of_words(grammar.prefix("so"), ["bad"])) == rows[1:]
    assert list(surprisal_of_words(grammar, [])) == []
    with pytest.raises(OptionError, match="no prefix, and no grammar"):
        surprisal_of_words(7, "so")
    with pytest.raises(OptionError, match="not a sequence of words"):
        surprisal_of_words(grammar, 7)
