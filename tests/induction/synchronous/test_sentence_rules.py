"""Rules for whole sources: a short sentence that is the beginning of longer ones with words."""

import itertools

import pytest

from grammar.synchronous.parsing import SynchronousParser
from induction.synchronous.induce import SynchronousInduction, induce_synchronous

PEOPLE = ["ada", "bob", "cleo", "dan", "eve", "finn"]
VERBS = ["sees", "finds", "likes", "takes"]
THINGS = ["cup", "key", "lamp", "coat", "drum", "ring"]
CLAUSES = list(itertools.product(PEOPLE, VERBS, THINGS))


def clause(person: str, verb: str, thing: str) -> tuple[str, str]:
    return f"{person} {verb} {thing}", f"{verb} ( {person} , {thing} )".upper()


def gapped(number: int) -> tuple[str, str]:
    person, verb, thing = CLAUSES[number % len(CLAUSES)]
    other, more = PEOPLE[number % 5], THINGS[number % 4]
    source, target = clause(person, verb, thing)
    return f"{source} and {other} {more}", f"{target} {clause(other, verb, more)[1]}"


@pytest.fixture(scope="module")
def found() -> SynchronousInduction:
    long = [gapped(7 * number) for number in range(140)]
    return induce_synchronous([*long, *(clause(*CLAUSES[n]) for n in (3, 40, 77, 102, 139))])


def test_a_few_short_sentences_give_a_rule(found: SynchronousInduction) -> None:
    assert "NT_1 NT_2 NT_3 ### NT_2 ( NT_1 , NT_3 )" in map(str, found.rules.rules)
    assert found.explained.rote == 0


def test_other_short_and_long_sentences_are_parsed_right(found: SynchronousInduction) -> None:
    parser = SynchronousParser(found.grammar)
    asked = [*(clause(*each) for each in CLAUSES[::11]), *(gapped(5 + 7 * n) for n in range(20))]
    for source, target in asked:
        assert " ".join(parser.translations(source.split())[0].target) == target
