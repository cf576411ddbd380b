"""Automata over words against Python's regular expressions, and against their definitions."""

from __future__ import annotations

import itertools
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from grammar.errors import NotationError, OptionError
from grammar.pcfg.automata import Automaton, avoids, contains, length_band, pattern, prefix

# each word is one character, so that a sentence is a string and a pattern is nearly one for re
WORDS = "abz"
SENTENCES = [
    tuple(words) for length in range(6) for words in itertools.product(WORDS, repeat=length)
]


def patterns() -> st.SearchStrategy[tuple[str, str]]:
    """A pattern over words, and the same for ``re`` over characters."""
    atoms = st.sampled_from([("a", "a"), ("b", "b"), (".", "."), ("'a'", "a"), ('"b"', "b")])

    def larger(inner: st.SearchStrategy[tuple[str, str]]) -> st.SearchStrategy[tuple[str, str]]:
        in_row = st.lists(inner, max_size=3).map(
            lambda parts: (
                "( " + " ".join(p for p, _ in parts) + " )",
                "(?:" + "".join(r for _, r in parts) + ")",
            )
        )
        either = st.lists(inner, min_size=1, max_size=3).map(
            lambda parts: (
                "(" + "|".join(p for p, _ in parts) + ")",
                "(?:" + "|".join(r for _, r in parts) + ")",
            )
        )
        repeated = st.tuples(inner, st.sampled_from("*+?")).map(
            lambda pair: (f"{pair[0][0]} {pair[1]}", f"(?:{pair[0][1]}){pair[1]}")
        )
        return in_row | either | repeated

    return st.recursive(atoms, larger, max_leaves=6)


def language(automaton: Automaton) -> set[tuple[str, ...]]:
    return {sentence for sentence in SENTENCES if automaton.accepts(sentence)}


@settings(max_examples=200, deadline=None)
@given(patterns())
def test_patterns_accept_what_re_matches(pair: tuple[str, str]) -> None:
    text, regexp = pair
    expected = {s for s in SENTENCES if re.fullmatch(regexp, "".join(s))}
    assert language(pattern(text)) == expected


@settings(max_examples=100, deadline=None)
@given(patterns(), patterns())
def test_algebra(one: tuple[str, str], other: tuple[str, str]) -> None:
    a, b = pattern(one[0]), pattern(other[0])
    assert language(a & b) == language(a) & language(b)
    assert language(a | b) == language(a) | language(b)
    assert language(~a) == set(SENTENCES) - language(a)
    assert a | b == ~(~a & ~b)
    assert (a & ~a).is_empty
    assert a & a == a == ~~a
    # few states, so that languages that differ do so within the sentences listed
    if len(a) + len(b) <= 6:
        assert (a == b) == (language(a) == language(b))
        assert a != b or hash(a) == hash(b)


@settings(max_examples=100, deadline=None)
@given(st.lists(st.sampled_from("ab"), min_size=1, max_size=4))
def test_contains_and_prefix(words: list[str]) -> None:
    phrase = "".join(words)
    assert language(contains(*words)) == {s for s in SENTENCES if phrase in "".join(s)}
    assert avoids(*words) == ~contains(*words)
    assert language(prefix(words)) == {s for s in SENTENCES if "".join(s).startswith(phrase)}
    assert contains(*words) == pattern(f".* {' '.join(words)} .*")
    assert len(contains(*words)) == len(words) + 1


@given(st.integers(0, 5), st.integers(0, 5))
def test_length_band(shortest: int, more: int) -> None:
    band = length_band(shortest, shortest + more)
    assert language(band) == {s for s in SENTENCES if shortest <= len(s) <= shortest + more}
    assert language(length_band(shortest)) == {s for s in SENTENCES if len(s) >= shortest}


def test_words_that_make_no_difference_are_forgotten() -> None:
    assert pattern("(a | .)*").words == ()
    assert len(pattern("a | a")) == 3
    assert (contains("a") | ~contains("a")) == pattern(".*")


def test_alive_states_are_those_with_a_way_out() -> None:
    automaton = prefix(["a"])
    assert automaton.alive.sum() == len(automaton) - 1


def test_words_with_signs_are_quoted() -> None:
    automaton = pattern(r"""it's 'Mr.' "?" '\'s' '\\' don't -LRB- $ % '.'?""")
    assert automaton.accepts(["it's", "Mr.", "?", "'s", "\\", "don't", "-LRB-", "$", "%", "."])
    assert automaton.accepts(["it's", "Mr.", "?", "'s", "\\", "don't", "-LRB-", "$", "%"])
    assert not automaton.accepts(["it's"])
    assert pattern("").accepts([])
    assert pattern("a |").accepts([])


@pytest.mark.parametrize(
    ("text", "place"),
    [("a (b", 5), ("a ) b", 3), ("*", 1), ("Mr. Smith", 3), ("a.b", 2), ("a 'b", 3), ("a\nb )", 5)],
)
def test_what_is_no_pattern_is_shown_with_its_place(text: str, place: int) -> None:
    with pytest.raises(NotationError) as caught:
        pattern(text)
    assert caught.value.where == f"pattern, character {place}"
    assert caught.value.what.splitlines()[-1].index("^") == place + 3
    assert caught.value.hint is not None


def test_what_cannot_be_built_is_said() -> None:
    with pytest.raises(OptionError, match="needs a word"):
        contains()
    with pytest.raises(OptionError, match="needs a sequence"):
        prefix("a b")
    for shortest, longest in ((-1, 3), (3, 2)):
        with pytest.raises(OptionError, match="not a band"):
            length_band(shortest, longest)
    with pytest.raises(OptionError, match="more than 2000 states"):
        length_band(0, 5000)
    with pytest.raises(OptionError, match="more than 2000 states"):
        pattern(".* a" + " ." * 20)
    with pytest.raises(NotationError, match="too many brackets"):
        pattern("(" * 5000 + "a" + ")*" * 5000)
