"""Rules by comparison: sound, complete against exhaustive search, enough for small languages."""

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from induction.synchronous.induce import induce_synchronous
from induction.synchronous.proposals import propose, shared_contexts
from induction.synchronous.report import RoteWarning
from induction.synchronous.unification import Coded, canonical, has_slot
from scan.languages.measure import measure_language
from scan.languages.tasks import named_task

SOURCE, TARGET = "\u0101\u0102\u0103", "\u0201\u0202\u0203"
sides = st.tuples(
    st.text(SOURCE, min_size=1, max_size=4), st.text(TARGET, min_size=1, max_size=5)
)  # fmt: skip


def filled(context: Coded, filler: Coded) -> Coded:
    return context[0].replace("\x01", filler[0]), context[1].replace("\x01", filler[1])


def maximal(one: Coded, other: Coded) -> set[Coded]:
    """Search all ways to take two pairs apart with one place on both sides, by brute force.

    Of the ways with the same source context, the one with the longest common beginning and then
    the longest common end of the targets counts.
    """
    found: dict[str, tuple[tuple[int, int], Coded]] = {}
    for a, b, c, d in itertools.product(range(6), repeat=4):
        before, behind = one[0][:a], one[0][len(one[0]) - b :]
        begin, end = one[1][:c], one[1][len(one[1]) - d :]
        if (a, b, c, d) != tuple(map(len, (before, behind, begin, end))) or not begin + end:
            continue
        if all(
            s.startswith(before) and s.endswith(behind) and a + b < len(s)
            and t.startswith(begin) and t.endswith(end) and c + d < len(t)
            for s, t in (one, other)
        ) and before + behind:  # fmt: skip
            key = before + "\x01" + behind
            if key not in found or found[key][0] < (c, d):
                found[key] = (c, d), (key, begin + "\x01" + end)
    differ = {key for key in found if one[1] != other[1]}
    # a longer common beginning takes part of the end: then no filler is left in between
    limit = _overlap(one[1], other[1])
    return {
        context for key, ((c, d), context) in found.items() if key in differ and (c, d) == limit
    }


def _overlap(one: str, other: str) -> tuple[int, int]:
    begin = next((i for i, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), -1)
    begin = min(len(one), len(other)) if begin < 0 else begin
    end = 0
    while end < min(len(one), len(other)) - begin and one[-1 - end] == other[-1 - end]:
        end += 1
    return begin, end


@given(st.lists(sides, min_size=2, max_size=6, unique=True))
def test_a_context_with_its_fillers_makes_the_rules(pairs: list[Coded]) -> None:
    for found in propose(pairs):
        assert canonical(*found.context) == found.context
        assert len(set(found.fillers.values())) > 1
        for rule, filler in found.fillers.items():
            assert not has_slot(filler[0] + filler[1])
            assert filled(found.context, filler) == rule
            assert rule in pairs


slotted = sides.flatmap(
    lambda pair: st.permutations(range(3)).map(
        lambda order: (
            "".join(f"{a}{chr(n)}" for n, a in enumerate(pair[0][:3], start=1)),
            "".join(f"{chr(1 + n)}{pair[1][n:n + 1]}" for n in order if n < len(pair[0][:3])),
        )
    )
)  # fmt: skip


@given(st.lists(slotted, min_size=2, max_size=6, unique=True))
def test_a_shared_context_with_its_fillers_makes_the_rules(rules: list[Coded]) -> None:
    for found in shared_contexts(rules):
        assert canonical(*found.context) == found.context
        assert len(set(found.fillers.values())) > 1
        for rule, filler in found.fillers.items():
            assert rule in rules
            assert canonical(*rule) in put_into(found.context, filler)


def put_into(context: Coded, filler: Coded) -> set[Coded | None]:
    """Return the rules that a filler makes in a place of a context; it keeps its slots' order."""
    made = set()
    for place in set(filter(has_slot, context[0])):
        shifted = {slot: chr(10 + ord(slot)) for slot in set(filter(has_slot, filler[0]))}
        parts = (side.translate(str.maketrans(shifted)) for side in filler)
        made.add(canonical(*(s.replace(place, p) for s, p in zip(context, parts, strict=True))))
    return made


@given(sides, sides)
def test_two_pairs_are_taken_apart_as_by_exhaustive_search(one: Coded, other: Coded) -> None:
    found = {each.context for each in propose({one, other}) if each.context[1].count("\x01") == 1}
    # where parts of sources are the same but those of targets are not, fillers differ in targets
    assert found == (maximal(one, other) if one != other else set())


def test_copies_are_found() -> None:
    pairs = [("\u0101\u0103", "\u0201\u0203\u0201"), ("\u0102\u0103", "\u0202\u0203\u0202")]
    assert ("\x01\u0103", "\x01\u0203\x01") in {found.context for found in propose(pairs)}


@pytest.mark.parametrize("name", [
    "order", "order-alone", "three-places", "four-places", "brackets", "nested-brackets",
    "agreement", "null-words", "modifiers", "right-recursion", "left-recursion",
    "centred-recursion", "precedence", "shared-subjects", "relatives-1",
])  # fmt: skip
def test_small_languages_are_found(name: str) -> None:
    name, _, seed = name.partition("-1")
    found = measure_language(*named_task(name, seed=int(bool(seed))))
    assert found.exact >= 0.98
    assert found.samples >= 0.99


def test_constituents_need_not_be_seen_alone() -> None:
    verbs, nouns = ("walk", "see", "find", "lose"), ("dog", "cat", "fox", "hen")
    pairs = [(f"{v} the {n}", f"{n.upper()} {v.upper()}") for v in verbs for n in nouns]
    found = induce_synchronous(pairs[:-1])
    assert "NT_1 the NT_2 ### NT_2 NT_1" in map(str, found.rules.rules)
    assert len(found.rules) == 9
    with pytest.warns(RoteWarning):
        stuck = induce_synchronous(pairs[:-1], compare=False)
    assert stuck.explained.rote == 15
