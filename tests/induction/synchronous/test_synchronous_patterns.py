"""Patterns of word classes: found with their classes, right on training pairs, no longer."""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from grammar.chart.parses import NoParse
from grammar.synchronous.parsing import SynchronousParser
from induction.synchronous.induce import induce_synchronous
from induction.synchronous.pairs import read_training_pairs
from induction.synchronous.patterns import _wider, find_patterns
from scan.languages.measure import measure_language
from scan.languages.tasks import named_task

NOUNS, VERBS = ("dog", "cat", "fox", "hen", "owl"), ("see", "find", "lose", "call")


def test_forms_of_words_decide_where_slots_touch() -> None:
    language, parts = named_task("case-order")
    found = measure_language(language, parts)
    assert (found.exact, found.samples, found.reached) == (1.0, 1.0, 1.0)
    assert found.rules == found.true_rules == 32


@pytest.mark.parametrize(
    ("name", "seed"),
    [("gender", 0), ("homonyms", 0), ("inserted-words", 0), ("inserted-words", 1),
     ("agreement-across", 1)],
)  # fmt: skip
def test_words_with_several_targets_and_slots_without_words_are_patterns(
    name: str, seed: int
) -> None:
    found = measure_language(*named_task(name, seed=seed))
    assert (found.exact, found.samples, found.reached) == (1.0, 1.0, 1.0)
    assert found.rules == found.true_rules


def test_a_word_of_two_classes_does_not_make_them_one() -> None:
    hours = {w: f"{n:02}" for n, w in enumerate(("one", "two", "three", "four", "five"), 1)}
    minutes = {"five": "05", "ten": "10", "quarter": "15", "twenty": "20", "half": "30"}
    pairs = [
        (f"at {m} past {h} am", f"{x} : {y}") for h, x in hours.items() for m, y in minutes.items()
    ]
    pairs += [(f"at {h} am sharp", f"{x} : 00") for h, x in hours.items()]
    (found, *_) = find_patterns(read_training_pairs(pairs * 2), max_slots=3)
    assert sorted(map(len, found.words.values())) == [5, 5]


@pytest.mark.parametrize("name", ["modifiers", "precedence", "order"])
def test_rules_that_recur_or_are_as_short_are_kept(name: str) -> None:
    found = induce_synchronous(named_task(name)[1].train)
    assert not any(rule.lhs == "ROOT" for rule in found.rules.rules)


@settings(max_examples=25)
@given(st.lists(st.tuples(st.text("abc", min_size=1, max_size=3), st.text("ABC", min_size=1,
                max_size=3)), min_size=2, max_size=8, unique_by=lambda pair: pair[0]))  # fmt: skip
def test_patterns_give_training_pairs_their_targets(pairs: list[tuple[str, str]]) -> None:
    training = read_training_pairs((" ".join(s), " ".join(t)) for s, t in pairs)
    for found in find_patterns(training, max_slots=3):
        every, core = found.parsing_grammar(), found.grammar()
        assert all(rule.arity <= 3 for rule in core.rules)
        for source, target in pairs:
            assert SynchronousParser(core).is_derivable(tuple(source), tuple(target))
            best = SynchronousParser(every).translations(tuple(source))
            assert not isinstance(best, NoParse)
            assert best[0].target == tuple(target)


def test_pairs_that_contradict_rules_are_not_faulty_if_they_have_a_pattern() -> None:
    _, parts = named_task("inserted-words", seed=1)
    assert not induce_synchronous(parts.train).faults


def test_too_many_words_to_link_are_told() -> None:
    words = " ".join(f"w{k}" for k in range(450))
    said: list[str] = []
    induce_synchronous([(words, words.upper())], compare=True, on_progress=said.append)
    assert "202,500 pairs of words might be linked, and 200,000 is the limit" in said[-1]
    said.clear()
    induce_synchronous([("a b", "A B")], on_progress=said.append)
    assert not any("might be linked" in line for line in said)


def test_words_without_others_in_their_place_stay_in_patterns() -> None:
    training = read_training_pairs([(f"so {n} {v}", f"SO {v} {n}".upper()) for n in NOUNS
                                    for v in VERBS])  # fmt: skip
    (found, *_) = find_patterns(training, max_slots=4)
    assert len(found.words) == 2
    assert "ROOT -> so C1_1 C2_2 ### SO C2_2 C1_1" in map(str, found.grammar().rules)


@given(st.text("\x01\x02āē", min_size=1, max_size=7), st.text("\x01āēī", max_size=10))
def test_what_a_side_makes_is_what_the_plain_expression_says(side: str, text: str) -> None:
    plain = re.sub("[\x01-\xff]", ".+", side)
    assert bool(re.fullmatch(_wider(side), text)) == bool(re.fullmatch(plain, text))


def test_a_side_of_many_slots_is_compared_in_one_pass() -> None:
    side = "\x01\x02ā" * 20
    assert re.fullmatch(_wider(side), "ēēā" * 20)
    assert not re.fullmatch(_wider(side), "ēā" * 400 + "ē")
