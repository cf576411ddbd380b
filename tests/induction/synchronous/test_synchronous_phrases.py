"""Rules over phrases: against exhaustive search, and on languages of few pairs."""

import itertools
import random
import warnings

from hypothesis import given
from hypothesis import strategies as st

from grammar.synchronous.forest import Coder, derives, pair_forest
from induction.synchronous.induce import induce_synchronous
from induction.synchronous.proposals import Argument, arrangements, covers, orders
from induction.synchronous.report import RoteWarning
from induction.synchronous.search import coded_rules, joined_rules
from scan.languages.tasks import named_task

SOURCE, TARGET = "\u0101\u0102\u0103\u0104", "\u0201\u0202"
spans = st.tuples(st.integers(0, 4), st.integers(1, 5)).filter(lambda span: span[0] < span[1])
known_parts = st.lists(
    st.builds(
        lambda span, target: Argument(*span, target), spans, st.text(TARGET, min_size=1, max_size=2)
    ),
    max_size=5, unique=True,
)  # fmt: skip


def every_cover(length: int, known: list[Argument], most: int) -> set[tuple[int, int, tuple]]:
    """Choose arguments and a part of the source in all ways, and keep the sound ones."""
    alone = {argument.begin for argument in known if argument.end == argument.begin + 1}
    found = set()
    for size in range(1, most + 1):
        for chosen in itertools.combinations(sorted(known), size):
            places = [place for a in chosen for place in range(a.begin, a.end)]
            for begin, end in itertools.combinations(range(length + 1), 2):
                part = set(range(begin, end))
                inside = len(set(places)) == len(places) and set(places) <= part
                more = size > 1 or end - begin > len(places)
                if inside and more and alone & part <= set(places):
                    found.add((begin, end, chosen))
    return found


@given(st.text(SOURCE, min_size=5, max_size=5), known_parts)
def test_covers_are_those_of_exhaustive_search(source: str, known: list[Argument]) -> None:
    found = [
        (begin, end, cover)
        for begin in range(len(source))
        for end, cover in covers(source, known, begin, 3)
    ]
    assert len(set(found)) == len(found)
    assert set(found) == every_cover(len(source), known, 3)


@given(
    st.text(TARGET, min_size=1, max_size=6),
    st.lists(st.text(TARGET, min_size=1, max_size=2), min_size=1, max_size=3),
)
def test_orders_are_those_of_exhaustive_search(target: str, texts: list[str]) -> None:
    cover = [Argument(place, place + 1, text) for place, text in enumerate(texts)]
    sequences = {
        sequence: "".join(texts[number] for number in sequence)
        for size in range(len(texts), 7)
        for sequence in itertools.product(range(len(texts)), repeat=size)
        if len(set(sequence)) == len(texts)
    }
    for whole in (True, False):
        fits = target.__eq__ if whole else target.__contains__
        wanted = {"".join(chr(1 + n) for n in s) for s, text in sequences.items() if fits(text)}
        found = list(orders(cover, target, whole=whole))
        assert set(found) <= wanted
        assert set(found) == wanted or len(found) >= 50  # the bound


def test_what_one_rule_adds_is_among_the_rules_that_are_proposed() -> None:
    """Whatever arrangement is left out of a grammar, pairs that need it once propose it."""
    draw = random.Random(0)
    words = [(s, t) for s, t in zip(SOURCE[:2], TARGET, strict=True)]
    for _ in range(30):
        target = "".join(draw.choice("\x01\x02") for _ in range(draw.randint(2, 4)))
        if set(target) == {"\x01", "\x02"}:
            missing = ("\x01" + SOURCE[2] + "\x02", target)
            other = ("\x01\x02", "\x01\x02")
            inner = target.replace("\x01", TARGET[0]).replace("\x02", TARGET[1])
            pair = (SOURCE[0] + SOURCE[2] + SOURCE[1] + SOURCE[0], inner + TARGET[0])
            rules = coded_rules([*words, other])
            assert pair_forest(rules, *pair).root < 0
            proposed = arrangements(rules, pair, max_slots=4)
            assert missing in proposed
            makes = {r for r in proposed if derives(coded_rules([*words, other, r]), pair)}
            assert missing in makes


def test_functions_and_concatenation_are_found_from_fourteen_pairs() -> None:
    """With a word order or a copy too many, some pair would not be derived."""
    for seed in (100, 101, 102, 103):
        language, parts = named_task(f"invented-{seed}")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", RoteWarning)
            found = induce_synchronous(parts.train, types=1)
        code = Coder()
        true = {(code.side(r.source), code.side(r.target)) for r in language.grammar.rules}
        true = {(s, t) for s, t in true if s != "\x01"}
        assert {(code.side(r.source), code.side(r.target)) for r in found.rules.rules} == true


def test_what_never_stands_alone_is_written_together() -> None:
    words = [(SOURCE[0], TARGET[0]), (SOURCE[1], TARGET[1])]
    concatenation, suffix = ("\x01\x02", "\x01\x02"), ("\x01" + SOURCE[2], "\x01\x01")
    together = ("\x01" + SOURCE[2] + "\x02", "\x01\x01\x02")
    rules = [*words, concatenation, suffix]
    before = (SOURCE[0] + SOURCE[2] + SOURCE[1], TARGET[0] + TARGET[0] + TARGET[1])
    alone = (SOURCE[1] + SOURCE[2], TARGET[1] + TARGET[1])
    assert joined_rules(rules, [*words, before]) == [*words, concatenation, together]
    assert joined_rules(rules, [*words, before, alone]) == rules


def test_a_source_may_be_longer_than_recursion_is_deep():
    source = chr(1000) + chr(1001) * 3_000
    assert [end for end, _ in covers(source, [Argument(0, 1, "A")], 0, 2)] == list(range(2, 3_002))
