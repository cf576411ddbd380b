"""Words that never stand beside each other in pairs do not in samples; places lack words."""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grammar.synchronous.grammar import SynchronousGrammar
from induction.synchronous import induce
from induction.synchronous.division import rules
from induction.synchronous.division.neighbours import read_neighbours
from induction.synchronous.induce import SynchronousInduction, induce_synchronous
from induction.synchronous.types import CHANCE
from sampling.sentences.pairs import sample_pairs
from scan.splits import split

Pairs = list[tuple[str, str]]

DIGITS = dict(zip(("one", "two", "three", "four", "five", "six"), "123456", strict=True))


def drawn(pairs: Iterable[tuple[str, str]], number: int) -> Pairs:
    return random.Random(0).sample(list(pairs), number)


def sampled(found: SynchronousInduction, longest: int) -> set[tuple[str, str]]:
    made = sample_pairs(found.core, 1_000, seed=0, source_length=(1, longest), flat=True)
    return set(zip(made.column("text"), made.column("target"), strict=True))


def numbers(longest: int) -> Pairs:
    parts = [*DIGITS.items(), *((f"double {d}", f"{n} {n}") for d, n in DIGITS.items())]
    return [
        (" ".join(source), " ".join(target))
        for count in range(1, longest + 1)
        for source, target in (zip(*chosen, strict=True) for chosen in
                               itertools.product(parts, repeat=count))
    ]  # fmt: skip


def calls(longest: int) -> Pairs:
    """*call* has no target, so what it says of a number is where the number stands."""
    said = numbers(longest)
    return [*((f"call {s}", t) for s, t in said), *((f"text {s}", f"SMS {t}") for s, t in said)]


def test_what_begins_sentences_begins_no_part_of_them() -> None:
    found = induce_synchronous(drawn(calls(3), 300))
    made = sampled(found, 5)
    assert made <= set(calls(4))
    assert len(made) > 300


def test_too_many_rules_are_not_divided_by_neighbours(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rules, "_MOST_RULES", 10)
    said: list[str] = []
    made = sampled(induce_synchronous(drawn(calls(3), 300), on_progress=said.append), 5)
    assert "samples may have any neighbours: to choose takes more than 10 rules" in said
    assert not made <= set(calls(4))


def test_a_word_that_several_places_lack_is_of_another_class() -> None:
    said = [(f"call {s}", t) for s, t in numbers(2)]
    extended = [
        (f"{s} extension {d}", f"{t} x {n}") for s, t in said for d, n in drawn(DIGITS.items(), 4)
    ]
    made = sampled(induce_synchronous([*drawn(said, 120), *drawn(extended, 250)]), 7)
    assert len({source for source, _ in made if "extension" in source}) > 100
    assert not any(
        f"{word} extension" in source for source, _ in made for word in ("double", "call")
    )
    assert not any(source.endswith("extension") for source, _ in made)


def test_slots_of_a_rule_lack_a_class_together() -> None:
    names, values = "xyzuv", ("one", "two", "three", "four", "five", "six")
    known = {**dict(zip(names, names, strict=True)), **DIGITS}
    sets = [(f"set {a} to {b}", f"{a} = {known[b]}") for a in names for b in known]
    sums = [(f"add {a} and {b}", f"{known[a]} + {known[b]}") for a in known for b in known]
    swaps = [(f"swap {a} and {b}", f"{a} , {b} = {b} , {a}") for a in names for b in names]
    found = induce_synchronous([*sets, *drawn(sums, 100), *drawn(swaps, 6)])
    made = sampled(found, 4)
    assert made <= {*sets, *sums, *swaps}
    assert not any(value in s for s, _ in made if s.startswith("swap") for value in values)
    assert len({s for s, _ in made if s.startswith("swap")}) > 20


kinds = st.dictionaries(st.sampled_from("abcd"), st.sampled_from("xy"))


@given(st.lists(st.lists(st.sampled_from("abcd"), max_size=6), min_size=1, max_size=40), kinds)
def test_words_may_stand_beside_each_other_if_their_classes_do_or_are_rare(
    sentences: list[list[str]], kind_of: dict[str, str]
) -> None:
    found = read_neighbours(sentences, kind_of)
    bounded = [["", *(kind_of.get(w, w) for w in each), ""] for each in sentences]
    every = [kind for each in bounded for kind in each]
    both = {pair for each in bounded for pair in itertools.pairwise(each)}
    words = ["", *{word for each in sentences for word in each}]
    for one, other in itertools.product(words, repeat=2):
        pair = kind_of.get(one, one), kind_of.get(other, other)
        chance = (1 - every.count(pair[1]) / len(every)) ** every.count(pair[0])
        may = found.may[found.class_of.get(one, 0), found.class_of.get(other, 0)]
        if may != (pair in both or chance > CHANCE):
            # both are of groups that never meet
            beside = {p for each in sentences for p in itertools.pairwise(["", *each, ""])}
            assert pair in both
            assert (one, other) not in beside


KIND_OF = {
    **dict.fromkeys(("walk", "run", "look", "jump"), "verb"),
    **dict.fromkeys(("left", "right"), "side"),
}


@pytest.mark.parametrize("name", ["length", "jump", "around-right", "mcd1", "mcd2", "mcd3"])
@pytest.mark.usefixtures("data_folder")
def test_no_split_of_scan_needs_other_neighbours(name: str) -> None:
    parts = split(name)
    found = read_neighbours((text.split() for text in parts.train.column("text")), KIND_OF)
    for text in parts.test.column("text"):
        classes = [found.class_of.get(word, 0) for word in ("", *text.split(), "")]
        assert all(found.may[pair] for pair in itertools.pairwise(classes))


@pytest.mark.usefixtures("data_folder")
def test_mcd_needs_three_words_beside_each_other_that_it_never_shows() -> None:
    def threes(text: str) -> set[tuple[str, ...]]:
        kinds = ["", *(KIND_OF.get(word, word) for word in text.split()), ""]
        return set(zip(kinds, kinds[1:], kinds[2:], strict=False))

    parts = split("mcd1")
    shown = set().union(*map(threes, parts.train.column("text")))
    assert not any(threes(text) <= shown for text in parts.test.column("text"))


def test_words_of_groups_that_never_meet_stand_apart() -> None:
    values = {"colour": ("red", "blue", "green"), "size": ("one", "two", "three")}
    kind_of = {**dict.fromkeys(values, "name"), "blank": "name"}
    kind_of |= {word: "value" for words in values.values() for word in words}
    pairs = [(name, word) for name, words in values.items() for word in words]

    def may(count: int, extra: Iterable[tuple[str, str]] = ()) -> set[tuple[str, str]]:
        found = read_neighbours([*pairs * count, *extra, ("blank",)], kind_of)
        every = itertools.product(["colour", "size", "blank"], ["red", "two"])
        return {
            pair for pair in every
            if found.may[tuple(found.class_of.get(word, 0) for word in pair)]
        }  # fmt: skip

    # what was seen beside no value may stand before any
    apart = {("colour", "red"), ("size", "two"), ("blank", "red"), ("blank", "two")}
    assert may(5) == apart
    assert may(1) == apart | {("colour", "two"), ("size", "red")}  # chance explains it
    assert may(5, [("size", "blue")]) == apart | {("colour", "two"), ("size", "red")}


def test_no_slots_are_filled_with_words_that_never_stand_beside_each_other() -> None:
    """*double* stands behind a digit, but not behind *extension*, which slots may end with."""
    said = drawn(numbers(4), 300)
    extended = [
        (f"{s} extension {d}", f"{t} x {n}") for s, t in said for d, n in drawn(DIGITS.items(), 2)
    ]
    made = sampled(induce_synchronous([*drawn(said, 150), *drawn(extended, 200)]), 7)
    assert len({source for source, _ in made if "extension" in source}) > 100
    assert not any("extension double" in source for source, _ in made)


def pipes() -> Pairs:
    base = [(f"the lines of {name}", f"cat {name}") for name in ("notes", "log", "data")]
    base += [(f"the files in {name}", f"ls {name}") for name in ("home", "docs", "temp")]
    parts = [
        (f"the {word} {n} of {s}", f"{t} | {name} - {d}")
        for s, t in base
        for word, name in (("first", "head"), ("last", "tail"))
        for n, d in DIGITS.items()
    ]
    parts += [(f"those with {w} among {s}", f"{t} | grep {w}") for s, t in base for w in "xy"]
    return [
        *((f"show {s}", t) for s, t in base + parts),
        *((f"save {s} to {f}", f"{t} > {f}") for s, t in base + parts for f in ("out", "old")),
    ]


def test_rules_with_slots_share_contexts() -> None:
    """No filler of ``show NT_1`` is a word, and none was seen alone."""
    found = induce_synchronous(drawn(pipes(), 200))
    assert "show NT_1 ### NT_1" in set(map(str, found.rules.rules))


GAPPING = """
S -> H_1 V_2 O_3 ### V_2 H_1 O_3
S -> H_1 V_2 O_3 and O_4 ### V_2 H_1 O_3 & V_2 H_1 O_4
S -> H_1 V_2 and V_3 O_4 ### V_2 H_1 O_4 & V_3 H_1 O_4
S -> H_1 V_2 and H_3 V_4 O_5 ### V_2 H_1 O_5 & V_4 H_3 O_5
S -> H_1 V_2 O_3 and H_4 O_5 ### V_2 H_1 O_3 & V_2 H_4 O_5
S -> H_1 V_2 O_3 , H_4 O_5 and H_6 O_7 ### V_2 H_1 O_3 & V_2 H_4 O_5 & V_2 H_6 O_7
O -> the N_1 ### N_1
O -> the A_1 N_2 ### A_1 N_2
"""
WORDS = {
    "V": "makes sells wants paints",
    "N": "cup lamp coat drum",
    "A": "red big old",
    "H": "ada bob cleo dan eve finn",
}


def test_a_search_that_shortens_rules_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    words = (f"{c} -> {w} ### {w.upper()}" for c, each in WORDS.items() for w in each.split())
    grammar = SynchronousGrammar.parse(GAPPING + "\n".join(words))
    made = sample_pairs(grammar, 6_000, seed=1, source_length=(1, 12), flat=True)
    every = list(dict(zip(made.column("text"), made.column("target"), strict=True)).items())
    random.Random(0).shuffle(every)
    assert len(induce_synchronous(every[:150], types=1).rules) == 25
    monkeypatch.setattr(induce, "_to_end", lambda found, *_: found)
    assert len(induce_synchronous(every[:150], types=1).rules) > 40
