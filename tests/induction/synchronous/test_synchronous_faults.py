"""Faulty training pairs: found, told, and left out; exceptions are kept."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from grammar.synchronous.parsing import SynchronousParser
from induction.synchronous import induce
from induction.synchronous.faults import find_faults
from induction.synchronous.induce import SynchronousInduction, induce_synchronous
from induction.synchronous.pairs import read_training_pairs
from sampling.sentences.pairs import sample_pairs
from scan.generator import verify
from tests.induction.synchronous.test_synchronous_induction import (
    CANONICAL,
    answers,
    rules_of,
    short_pairs,
)

Pairs = list[tuple[str, str]]


def with_faults(pairs: Pairs, share: float, seed: int = 0) -> Pairs:
    """Give some pairs the target of another."""
    drawn = np.random.default_rng(seed)
    made = list(pairs)
    for row in drawn.choice(len(pairs), round(share * len(pairs)), replace=False).tolist():
        made[row] = (pairs[row][0], pairs[drawn.integers(len(pairs))][1])
    return made


def left_out(found: SynchronousInduction) -> set[tuple[str, str]]:
    return {(fault.source, fault.target) for fault in found.faults}


@pytest.mark.parametrize("share", [0.001, 0.01, 0.05])
@pytest.mark.parametrize("seed", [0, 1])
def test_faults_of_a_part_of_scan_are_found(share: float, seed: int) -> None:
    clean = short_pairs(5, without="around right")
    pairs = with_faults(clean, share, seed)
    found = induce_synchronous(pairs, types=2)
    assert rules_of(found.rules) == CANONICAL
    assert left_out(found) == set(pairs) - set(clean)
    expected = dict(clean)
    assert all(fault.expected == expected[fault.source] for fault in found.faults)
    assert found.explained.faulty == len(found.faults)
    assert found.explained.underivable == 0
    assert verify(sample_pairs(found.core, 500, uniform=True, depth=(1, 9))).rate == 1.0
    right = [best == target for best, target in answers(found.grammar, "around-right")]
    assert np.mean(right) == 1.0


def test_they_are_told() -> None:
    said: list[str] = []
    pairs = with_faults(short_pairs(4), 0.01)
    found = induce_synchronous(pairs, types=1, on_progress=said.append)
    assert any("are taken for faulty: again without them" in line for line in said)
    first = found.faults[0]
    assert f"{first.source} ### {first.target} (expected: {first.expected})" in str(found)
    assert found.to_dict()["faults"][0]["expected"] == first.expected


def test_many_rules_are_not_searched_for_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """Rules that only faulty pairs need are left out without another search."""
    clean = short_pairs(4)
    pairs = with_faults(clean, 0.01)
    monkeypatch.setattr(induce, "_MANY", 5)
    said: list[str] = []
    found = induce_synchronous(pairs, types=1, on_progress=said.append)
    assert any(line.endswith("are taken for faulty") for line in said)
    assert left_out(found) == set(pairs) - set(clean)
    assert rules_of(found.rules) == rules_of(induce_synchronous(clean, types=1).rules)


def test_pairs_that_change_no_rule_are_searched_once() -> None:
    """Faulty pairs are never derived, so the search would come back to them each round."""
    said: list[str] = []
    induce_synchronous(with_faults(short_pairs(5), 0.01), types=1, on_progress=said.append)
    assert said.count("search: 11 pairs that are not derived") == 1


def test_of_two_targets_the_more_frequent_one_is_taken() -> None:
    pairs = short_pairs(3)
    found = induce_synchronous([*pairs, ("jump", "I_LOOK"), ("jump", "I_JUMP")], types=1)
    assert rules_of(found.rules) == rules_of(induce_synchronous(pairs, types=1).rules)
    assert [tuple(fault) for fault in found.faults] == [("jump", "I_LOOK", "I_JUMP")]
    assert (found.explained.pairs, found.explained.faulty) == (len(pairs) + 1, 1)


def test_clean_pairs_have_none() -> None:
    assert not induce_synchronous(short_pairs(4), types=1).faults


def test_an_exception_to_a_rule_that_few_support_is_kept() -> None:
    pairs = [(word, word.upper()) for word in ("hot", "dry", "wet", "old")]
    pairs += [(f"so {word}", f"S {word.upper()}") for word, _ in pairs]
    pairs += [("very hot", "V HOT"), ("very wet", "V WET"), ("very old", "V OLD")]
    exception = ("very dry", "DRY DRY X")
    found = induce_synchronous([*pairs, exception], types=1)
    assert not found.faults
    assert SynchronousParser(found.rules).is_derivable(*(side.split() for side in exception))


def test_one_is_left_out_only_if_every_rule_is_trusted() -> None:
    words = [f"w{i}" for i in range(30)]
    pairs = [(word, word.upper()) for word in words]
    pairs += [(f"so {word}", f"S {word.upper()}") for word in words[:20]]
    # one in 21 of "so" is otherwise, and one in two of "w25"
    pairs += [("so w25", "ODD"), ("w29 w29", "ODD ODD")]
    training = read_training_pairs(pairs)
    code = training.coder
    rules = [(code.words([w]), code.words([w.upper()])) for w in words]
    rules += [(code.words(["so"]) + "\x01", code.words("S") + "\x01")]
    rules += [(code.words(["so", "w25"]), code.words(["ODD"]))]
    named = {tuple(map(training.words, pair)) for pair in find_faults(rules, training, 0.5)}
    assert named == {("so w25", "ODD")}
    assert find_faults(rules, training, 0.04) == frozenset()
    assert find_faults(rules[:-1], training, 0.04)  # the search had left it out


@settings(max_examples=40)
@given(st.lists(st.integers(0, 2), min_size=1, max_size=12), st.sampled_from([0.0, 0.2, 0.5]))
def test_faults_are_those_of_a_plain_count(targets: list[int], tolerance: float) -> None:
    """Words are said twice: ``w so ### W S``, ``w so ### X``, or not at all, under a rule."""
    pairs = [(f"{w}{i}", f"{w}{i}".upper()) for i in range(len(targets)) for w in ("w", "v")]
    pairs += [(f"w{i} so", ("", f"W{i} S", "X")[t]) for i, t in enumerate(targets) if t]
    training = read_training_pairs(pairs)
    code = training.coder
    own = [pair for pair in training.pairs if training.words(pair[1]) == "X"]
    rules = [pair for pair in training.pairs if len(pair[0]) == 1]
    rules += [("\x01" + code.words(["so"]), "\x01" + code.words("S"))]
    seen = Counter(targets)
    of_so = seen[2] <= tolerance * (seen[1] + seen[2])
    of_words = tolerance >= 0.5  # each is said alone, and once with "so"
    faulty = find_faults([*rules, *own], training, tolerance)
    assert faulty == (set(own) if of_so and of_words else set())
    # what is no rule of its own was left out by the search
    assert find_faults(rules, training, tolerance) == set(own)
