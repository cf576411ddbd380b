"""Rules that stand for several are divided before layers for sampling are made."""

import itertools
import random
from collections.abc import Callable

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from grammar.synchronous.parsing import SynchronousParser
from induction.synchronous.division import groups, rules
from induction.synchronous.division.uses import Use
from induction.synchronous.induce import induce_synchronous
from induction.synchronous.types import Families
from sampling.sentences.pairs import sample_pairs

Pairs = list[tuple[str, str]]

CATIONS = {"sodium": "NA", "calcium": "CA", "iron": "FE", "copper": "CU", "zinc": "ZN"}
ANIONS = {"chloride": "CL", "oxide": "O", "sulfide": "S", "nitride": "N", "bromide": "BR"}
NUMBERS = {"di": "2", "tri": "3"}


def parts(words: dict[str, str]) -> Pairs:
    numbered = itertools.product(NUMBERS.items(), words.items())
    return [*words.items(), *((f"{n} {w}", f"{v} {k}") for (n, k), (w, v) in numbered)]


def compounds() -> Pairs:
    """``di`` stands before a word of either class, and then stands where such a word does."""
    both = itertools.product(parts(CATIONS), parts(ANIONS))
    return [(f"{a} {b}", f"{c} {d}") for (a, c), (b, d) in both]


def samples(pairs: Pairs, longest: int = 4) -> set[tuple[str, str]]:
    core = induce_synchronous(pairs).core
    made = sample_pairs(core, 2_000, seed=0, source_length=(1, longest), flat=True)
    return set(zip(made.column("text"), made.column("target"), strict=True))


def test_a_rule_that_stands_for_two_is_divided(monkeypatch: pytest.MonkeyPatch) -> None:
    studied = random.Random(0).sample(compounds(), 80)
    made = samples(studied)
    assert made <= set(compounds())
    assert len(made) > 200
    monkeypatch.setattr(rules, "_MOST_EDGES", 0)  # none is divided
    assert not samples(studied) <= set(compounds())


def test_order_and_copies_of_pairs_divide_alike() -> None:
    studied = random.Random(0).sample(compounds(), 80)
    again = [*reversed(studied), *studied[:20]]
    assert induce_synchronous(again).core == induce_synchronous(studied).core


@pytest.mark.parametrize(("uses", "divided"), [(2, False), (4, False), (10, True), (20, True)])
def test_chance_must_not_explain_what_never_meets(uses: int, divided: bool) -> None:
    rows = [(0, 0)] * uses + [(1, 1)] * uses
    assert groups._unlikely(rows) == divided


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), min_size=1, max_size=30))
def test_groups_are_the_components_of_a_graph(rows: list[tuple[int, int]]) -> None:
    one, other = (np.unique(side, return_inverse=True)[1] for side in zip(*rows, strict=True))
    graph = nx.Graph((("one", a), ("other", b)) for a, b in zip(one, other, strict=True))
    components = sorted(
        sorted(value for side, value in component if side == "one")
        for component in nx.connected_components(graph)
    )
    expected = {value: group for group, each in enumerate(components) for value in each}
    assert groups._components(one, other).tolist() == [expected[value] for value in one]


def test_words_each_seen_once_say_nothing() -> None:
    assert not groups._unlikely([(i % 2, i) for i in range(40)])


def test_combinations_left_out_are_sampled_still() -> None:
    # each verb with half of the nouns, none with those of another group alone
    verbs = [f"v{i}" for i in range(6)]
    nouns = [f"n{i}" for i in range(6)]
    everything = {
        (f"{v} the {n}", f"{n.upper()} {v.upper()}") for v, n in itertools.product(verbs, nouns)
    }
    studied = sorted(
        (f"{v} the {n}", f"{n.upper()} {v.upper()}")
        for i, v in enumerate(verbs) for j, n in enumerate(nouns) if (i + j) % 6 < 3
    )  # fmt: skip
    assert samples(studied) == everything


def test_a_word_seen_alone_keeps_its_class_together() -> None:
    alone = ("silver", "AG")
    studied = [*random.Random(0).sample(compounds(), 80), alone]
    assert any("silver" in source.split()[1:] for source, _ in samples(studied))


def test_agreement_reaches_through_a_phrase() -> None:
    # the noun before "near" and the verb behind the phrase agree; the noun behind "near" is free
    nouns = ["cup", "ring", "lamp", "key", "book", "vase"]
    one = [(n, n.upper()) for n in nouns]
    many = [(f"{n}s", f"{n.upper()} PL") for n in nouns]
    everything = {
        (f"the {s} near the {o} {verb}{ending}", f"{verb.upper()} ( {t} / {p} )")
        for agreeing, ending in ((one, "s"), (many, ""))
        for (s, t), (o, p) in itertools.product(agreeing, one + many)
        for verb in ("blink", "glow")
    }
    studied = random.Random(0).sample(sorted(everything), 150)
    assert samples(studied, longest=6) <= everything


def suffixes(rounds: int) -> Pairs:
    """``ler`` stands before ``im``, and neither stands twice."""
    nouns = {"ev": "EV", "kus": "KUS", "goz": "GOZ", "kedi": "KEDI"}
    verbs = {"gelir": "GEL", "durur": "DUR", "uyur": "UYU"}
    ends = {"": "", " ler": "PL ", " im": "MY ", " ler im": "MY PL "}
    every = itertools.product(list(nouns.items())[:rounds], ends.items(), verbs.items())
    return [(f"{n}{e} {v}", f"{y} {s}{x}") for (n, x), (e, s), (v, y) in every]


def test_members_of_a_family_that_apply_in_steps_keep_their_order() -> None:
    made = samples(suffixes(4), longest=6)
    assert made == set(suffixes(4))


def expressions(seed: int, count: int) -> Pairs:
    """Sums, differences and products with their usual precedence, as postfix."""
    draw = random.Random(seed)

    def factor(deep: int) -> tuple[str, str]:
        if deep and draw.random() < 0.3:
            source, target = total(deep - 1)
            return f"open {source} close", target
        return draw.choice([("x", "X"), ("y", "Y"), ("z", "Z")])

    def chain(part: Callable[[int], tuple[str, str]], deep: int, signs: str) -> tuple[str, str]:
        source, target = part(deep)
        while draw.random() < 0.5:
            sign, (s, t) = draw.choice(signs), part(deep)
            source, target = f"{source} {sign} {s}", f"{target} {t} {sign.upper()}"
        return source, target

    def term(deep: int) -> tuple[str, str]:
        return chain(factor, deep, "t")

    def total(deep: int) -> tuple[str, str]:
        return chain(term, deep, "pm")

    found = dict(total(2) for _ in range(20 * count))
    return [(s, t) for s, t in found.items() if len(s.split()) < 10][:count]


def test_precedence_and_association_are_those_of_the_pairs() -> None:
    # "x p y t z" is a sum, and "x m y p z" has the difference first
    core = induce_synchronous(expressions(0, 400)).core
    parser = SynchronousParser(core)
    for source, target in expressions(1, 100):
        (best,) = parser.translations(source.split(), k=1)
        assert " ".join(best.target) == target
        assert len(parser.translations(source.split(), k=2)) == 1


def test_members_that_hold_other_words_are_not_exchanged() -> None:
    people, folders = ("ada", "bob", "cleo", "dan"), ("home", "work", "trash", "later")
    orders = {"send": ("FWD", people), "move": ("MV", folders)}
    studied = [
        (f"if {a} is late {verb} it to {b}", f"WHEN {a.upper()} DO {target} {b.upper()}")
        for verb, (target, words) in orders.items()
        for a in people
        for b in words
    ]
    assert samples(studied, longest=8) <= set(studied)


@pytest.mark.parametrize(("uses", "apart"), [(3, False), (20, True)])
def test_a_member_that_is_in_no_group_is_left_out_of_it(uses: int, apart: bool) -> None:
    families = Families.of(["order", "order"], [1, 1])
    first, second = (0, 0), (0, 1)  # groups of family 0
    seen = [Use(first, "top", 0, 0, (0, 0), [])] * uses
    seen += [Use(second, "top", 1, 1, (1, 0), [])] * uses
    labels = rules._labels_of_members(seen, families)
    both = [first, second]
    assert labels == ({0: [first], 1: [second]} if apart else {0: both, 1: both})
