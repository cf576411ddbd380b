"""How many steps a search may take: against searches whose ways are counted one by one."""

from __future__ import annotations

import pytest

from grammar.errors import OptionError
from grammar.expressions.positions import Automaton
from grammar.expressions.searching import MOST_STEPS, Search
from induction.corpus.corpus import Corpus
from sampling.words.drop import WordDrop


@pytest.mark.parametrize(
    "expression",
    ["(a+)+b", "(a|a)*b|c", "(a*)*", "(a*b*)*c", "(aa|a)*!", "(?:a|aa)+$", r"(\w+\s?)*!",
     "(?=(a+)+b)", "(?>(a+)+b)", "(.*)*x"],
)  # fmt: skip
def test_ways_that_double(expression: str) -> None:
    search = Search(Automaton(expression))
    assert search.doubles
    assert not search.can_take("a" * 40)


@pytest.mark.parametrize(
    "expression",
    [r"\w+(?:-\w+)*", r"[A-Z]\w+(?:\s[A-Z]\w+)*", "(?:good|bad)+", "a*a*b", r"\[\w+\]",
     "(?>a+)+b", "(a+)++b", r"https?://\S+", r"\S+@\S+\.\S+", "x{2,5}y{3}", r"(\r?\n)+\s*",
     ".*film", "", "(?i)a|B"],
)  # fmt: skip
def test_ways_that_do_not(expression: str) -> None:
    search = Search(Automaton(expression))
    assert not search.doubles
    assert search.can_take("A good Film of 1999 - not bad: see https://a.org or a@b.org " * 10)


def test_steps_are_those_of_the_runs_in_the_text() -> None:
    search = Search(Automaton("a*a*b"))
    assert search.steps("ab" * 100) == 201
    assert search.steps("a" * 100) == 101 * 100**2
    assert not search.can_take("a" * 10_000)
    assert Search(Automaton("a++b")).steps("a" * 100) == 101 * 100


def test_a_pattern_of_words_to_protect_ends() -> None:
    corpus = Corpus.from_columns(text=["a film", "a" * 40 + " c"])
    with pytest.raises(OptionError, match=f"more than {MOST_STEPS:,} steps") as caught:
        WordDrop.induce(corpus, protect="(a+)+b")
    assert caught.value.where == "example '1'"
    assert "++" in str(caught.value.hint)
    for mended in ("(?>a+)+b", "(a++)++b"):
        assert len(WordDrop.induce(corpus, protect=mended).sample(2))
    with pytest.raises(OptionError, match="a reference to a group"):
        WordDrop.induce(corpus, protect=r"(a|b)\1")
