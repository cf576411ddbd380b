"""How worn phrases are, beside a twin that looks through all texts."""

from __future__ import annotations

import itertools
import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sampling.joins.phrases import END, Phrases, phrases_of

WORDS = (END, "a", "b", "c")
texts = st.lists(st.lists(st.sampled_from(WORDS[1:]), max_size=5), max_size=8)
sides = st.lists(st.sampled_from(WORDS), max_size=3)


def times(phrase: list[Any], rows: list[list[Any]]) -> int:
    whole = [[END, *row, END] for row in rows]
    return sum(row[k : k + 3] == phrase for row in whole for k in range(len(row)))


@given(texts, texts)
def test_worn_is_how_many_times_as_often_as_usual(source: list[Any], gave: list[Any]) -> None:
    phrases = Phrases(map(phrases_of, source))
    for row in gave:
        phrases.give(phrases_of(row))
    for phrase in map(list, itertools.product(WORDS, repeat=3)):
        usual = len(gave) * times(phrase, source) / max(1, len(source))
        expected = max(0.0, math.log((1 + times(phrase, gave)) / (1 + usual)))
        assert phrases.worn(tuple(phrase)) == pytest.approx(expected)


@given(texts, texts, sides, sides)
def test_between_others_all_phrases_of_a_word_count(
    source: list[Any], gave: list[Any], before: list[Any], behind: list[Any]
) -> None:
    phrases = Phrases(map(phrases_of, source))
    for row in gave:
        phrases.give(phrases_of(row))
    found = phrases.worn_between(before, behind)
    for word in WORDS[1:]:
        whole, at = (*before, word, *behind), len(before)
        begins = range(max(0, at - 2), min(at, len(whole) - 3) + 1)
        expected = sum(phrases.worn(whole[begin : begin + 3]) for begin in begins)
        assert found.get(word, 0.0) == pytest.approx(expected)
    assert END not in found


def test_to_ask_keeps_nothing() -> None:
    phrases = Phrases([])
    assert phrases.worn(("a", "b", "c")) == 0.0
    assert phrases.worn_between(["a", "b"], ["c"]) == {}
    assert not phrases._beside
    assert not phrases._times
