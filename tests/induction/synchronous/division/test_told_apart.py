"""Classes of words that places lack, groups that a place of several hides, and what parsing has."""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterable, Sequence

from grammar.synchronous.parsing import SynchronousParser
from induction.synchronous.induce import SynchronousInduction, induce_synchronous
from induction.synchronous.lexicon import induce_lexicon
from induction.synchronous.pairs import read_training_pairs
from sampling.sentences.pairs import sample_pairs

Pairs = list[tuple[str, str]]

MEN, WOMEN = ("bob", "dan", "gus"), ("ada", "eve", "ivy")
THINGS = ("cup", "lamp", "drum", "coat")


def drawn(pairs: Iterable[tuple[str, str]], number: int) -> Pairs:
    return random.Random(0).sample(list(pairs), number)


def sampled(found: SynchronousInduction, longest: int) -> set[tuple[str, str]]:
    made = sample_pairs(found.core, 1_000, seed=0, source_length=(1, longest), flat=True)
    return set(zip(made.column("text"), made.column("target"), strict=True))


def right(found: SynchronousInduction, pairs: Sequence[tuple[str, str]]) -> int:
    parser = SynchronousParser(found.grammar)
    best = ((parser.translations(source.split()), target) for source, target in pairs)
    return sum(" ".join(made[0].target) == target for made, target in best if made)


def test_a_word_that_stands_for_others_is_one_that_a_target_word_needs() -> None:
    terms = [(f"the {f} of {a}", f"{f} ( {a} )") for f in ("sine", "root") for a in "abcdefghijk"]
    pairs = read_training_pairs(
        [*terms, ("a", "a"), ("minus a", "- ( a )"), ("minus b", "- ( b )")]
    )
    found = induce_lexicon(pairs)
    needed = {pairs.words(v): set(map(pairs.words, words)) for v, words in found.items()}
    assert needed["("] == needed[")"] == {"the", "of", "minus"}


def test_one_pair_adds_nothing_to_the_lexicon() -> None:
    terms = [(f"the {f} of {a}", f"{f} ( {a} )") for f in ("sine", "root") for a in "abcdefghijk"]
    pairs = read_training_pairs([*terms, ("a", "a"), ("wrong", "- ( a )")])
    found = induce_lexicon(pairs)
    assert {pairs.words(w) for v in found if pairs.words(v) == "(" for w in found[v]} == {
        "the",
        "of",
    }


def test_several_words_that_a_place_lacks_are_of_another_class() -> None:
    names, digits = "xyzuvw", {"one": "1", "two": "2", "three": "3", "four": "4"}
    values = {**dict(zip(names, names, strict=True)), **digits}
    every = [
        *((f"set {a} to {b}", f"{a} = {values[b]}") for a in names for b in values),
        *((f"add {a} and {b}", f"{values[a]} + {values[b]}") for a in values for b in values),
    ]
    found = induce_synchronous(drawn(every, 120))
    made = sampled(found, 4)
    assert made <= set(every)
    assert len(made) > 150


def test_one_word_that_a_place_lacks_may_stand_there() -> None:
    verbs = ("walk", "run", "look", "hop", "jump")
    done = [*((v, v.upper()) for v in verbs), *((f"{v} twice", f"{v} {v}".upper()) for v in verbs)]
    every = [
        *done,
        *((f"{a} and {b}", f"{x} {y}") for (a, x), (b, y) in itertools.product(done, done)),
    ]
    shown = [pair for pair in every if "jump twice" not in pair[0]]
    assert ("jump twice", "JUMP JUMP") in sampled(induce_synchronous(shown), 5)


def tags() -> Pairs:
    """A tag agrees with the subject; sentences without a tag have subjects of both kinds."""
    made = []
    for tag, people in (("he", MEN), ("she", WOMEN)):
        for who, verb, what in itertools.product(people, ("sell", "hide", "mend"), THINGS):
            said = f"{who} will {verb} the {what}", f"{verb} ( {who} , {what} )".upper()
            made += [said, (f"{said[0]} , wont {tag}", f"YES ? {said[1]}")]
    return made


def test_a_place_of_all_groups_does_not_hide_them() -> None:
    found = induce_synchronous(drawn(tags(), 100))
    made = sampled(found, 8)
    assert made <= set(tags())
    assert len(made) > 110


def roles() -> Pairs:
    """What follows ``with`` says who helps, or how, or which thing it is."""
    made = []
    for who, verb, what in itertools.product(MEN + WOMEN, ("broke", "fixed", "moved"), THINGS):
        begin, who_, verb_, what_ = f"{who} {verb} the {what}", *map(str.upper, (who, verb, what))
        made.append((begin, f"{verb_} ( {who_} , {what_} )"))
        made += [
            (f"{begin} with a {part}", f"{verb_} ( {who_} , {what_} HAS {part.upper()} )")
            for part in ("lid", "label", "handle")
        ]
        made += [
            (f"{begin} with {how}", f"{verb_} ( {who_} , {what_} ) HOW {how.upper()}")
            for how in ("care", "joy", "ease")
        ]
    return made


def test_rules_that_are_told_apart_parse_what_is_ambiguous_else() -> None:
    every = drawn(roles(), 500)
    found = induce_synchronous(every[:250])
    assert right(found, every[250:]) == 250
