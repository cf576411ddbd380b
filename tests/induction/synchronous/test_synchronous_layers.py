"""Layers of slots: what a child in a slot tells of other children in other slots."""

import itertools
import random
from collections import Counter

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from grammar.synchronous.forest import Coder, Edge, PairForest, pair_forest
from grammar.synchronous.rule import SynchronousRule
from induction.synchronous.induce import induce_synchronous
from induction.synchronous.layers import layer_types, seen_children, settled_children, slot_layers
from induction.synchronous.search import coded_rules
from induction.synchronous.types import Families, TypeModel, _expected, pack_forests
from sampling.sentences.pairs import sample_pairs
from scan.generator import generate, verify
from scan.splits import split

ARITY = (0, 0, 1, 1, 2)


@st.composite
def seen_tables(draw: st.DrawFn) -> tuple[Families, np.ndarray]:
    arity = draw(st.lists(st.integers(0, 2), min_size=1, max_size=6))
    families = Families.of(list(range(len(arity))), arity)
    cells = st.lists(st.booleans(), min_size=len(arity), max_size=len(arity))
    rows = [draw(cells) for _ in range(families.slots)]
    return families, np.array(rows, float)


def below(families: Families, layer: np.ndarray, holds: np.ndarray) -> nx.DiGraph:
    graph = nx.DiGraph()
    for family in range(len(families.size)):
        for slot in range(families.first_slot[family], families.first_slot[family + 1]):
            graph.add_edges_from((family, int(f)) for f in np.flatnonzero(holds[layer[slot]]))
    return graph


@given(seen_tables())
def test_what_was_seen_is_held_and_layers_are_closed(made: tuple[Families, np.ndarray]) -> None:
    families, seen = made
    layer, holds = slot_layers(seen, families)
    assert layer[0] == 0
    assert sorted(set(layer)) == list(range(len(holds)))
    words = families.arity == 0
    for slot, row in enumerate(seen):
        assert holds[layer[slot]][row > 0].all()
    for held in holds:
        for family in np.flatnonzero(held):
            for slot in range(families.first_slot[family], families.first_slot[family + 1]):
                # a layer of phrases takes no words
                other = holds[layer[slot]] & (held[words].any() | ~words)
                assert not (held & other).any() or held[other].all()


@pytest.mark.parametrize(("seen_often", "of_words"), [(40, False), (2, True)])
def test_a_slot_that_never_holds_a_word_is_one_of_phrases(seen_often: int, of_words: bool) -> None:
    families = Families.of(["dog", "that", "the"], [0, 1, 2])
    seen = np.zeros((4, 3))
    seen[0, 2] = seen_often
    seen[1, 0] = 2 * seen_often  # that dog
    seen[2, 1] = seen_often  # that dog the ...
    seen[3, :2] = seen_often  # ... the dog, ... the that dog
    layer, holds = slot_layers(seen, families)
    assert holds[layer[2]].tolist() == [of_words, True, False]
    assert holds[layer[3]].tolist() == [True, True, False]


@pytest.mark.parametrize(("seen_often", "of_phrases"), [(40, False), (2, True)])
def test_a_slot_that_never_holds_a_phrase_is_one_of_words(
    seen_often: int, of_phrases: bool
) -> None:
    families = Families.of(["cup", "red", "but not"], [0, 1, 2])
    seen = np.zeros((4, 3))
    seen[0, 2] = seen_often
    seen[1, 0] = 2 * seen_often  # red cup
    seen[2, :2] = seen_often  # cup but not, red cup but not
    seen[3, 0] = seen_often  # but not cup
    layer, holds = slot_layers(seen, families)
    assert holds[layer[2]].tolist() == [True, True, False]
    assert holds[layer[3]].tolist() == [True, of_phrases, False]


@given(seen_tables())
def test_a_rule_comes_to_stand_below_itself_only_if_it_was_seen_there(
    made: tuple[Families, np.ndarray],
) -> None:
    families, seen = made
    before = below(families, np.arange(len(seen)), seen > 0)
    if nx.is_directed_acyclic_graph(before):
        assert nx.is_directed_acyclic_graph(below(families, *slot_layers(seen, families)))


def forests_of(seed: int, families: Families) -> list[PairForest]:
    """Return small random forests over families of ``ARITY``, whose nodes have several edges."""
    draw = random.Random(seed)
    made = []
    for _ in range(draw.randint(1, 4)):
        edges = [Edge(0, draw.choice((0, 1)), ())]
        for node in range(1, draw.randint(1, 4)):
            for _ in range(draw.randint(1, 2)):
                rule = draw.randrange(len(ARITY))
                edges.append(Edge(node, rule, tuple(draw.choices(range(node), k=ARITY[rule]))))
        nodes = [(0, 1, "NT", "x")] * (edges[-1].node + 1)
        made.append(PairForest(nodes, edges, edges[-1].node))
    return made


def derivations(forest: PairForest, node: int, slot: int, families: Families):
    """Yield the cells of every derivation of a node in a slot."""
    for edge in forest.edges:
        if edge.node == node:
            first = int(families.first_slot[edge.rule])
            parts = [
                list(derivations(forest, child, first + i, families))
                for i, child in enumerate(edge.children)
            ]
            for chosen in itertools.product(*parts):
                yield [(slot, edge.rule), *itertools.chain.from_iterable(chosen)]


@given(st.integers(0, 10_000))
def test_best_derivations_are_those_of_brute_force(seed: int) -> None:
    families = Families.of(list(range(len(ARITY))), list(ARITY))
    forests = forests_of(seed, families)
    draw = np.random.default_rng(seed)
    model = TypeModel(draw.random((families.slots, 2)), draw.random((2, len(ARITY))), 0.0)
    share = model.theta @ model.phi
    expected: Counter[tuple[int, int]] = Counter()
    for forest in forests:
        found = derivations(forest, forest.root, 0, families)
        expected.update(max(found, key=lambda cells: np.prod([share[cell] for cell in cells])))
    seen = seen_children(pack_forests(forests, families), model)
    assert {cell: seen[cell] for cell in zip(*np.nonzero(seen), strict=True)} == expected


def test_weights_are_pooled_counts_plus_one_shared_by_the_family() -> None:
    pairs = [("a", "A"), ("b", "B"), ("a c", "A A"), ("b c", "B B"), ("a d", "D A"), ("b d", "D B")]
    core = induce_synchronous(pairs, types=1).core
    weight = {str(rule): value for rule, value in zip(core.rules, core.weight, strict=True)}
    # at the root: 2 pairs are one word, 2 each one of the rules; the words are one family
    assert weight["ROOT -> L1_1 c ### L1_1 L1_1"] == pytest.approx(3 / 9)
    assert weight["ROOT -> a ### A"] == pytest.approx(1.5 / 9)
    assert weight["L1 -> a ### A"] == pytest.approx(1 / 2)


def test_combinations_that_training_leaves_out_are_derived_and_nothing_wrong() -> None:
    # as in MCD: "opposite" never stands directly under "and" or "after", "around" never under
    # "twice", no direction directly under "thrice"; tests have nothing but these
    def left_out(text: str) -> bool:
        return any(
            ("opposite" in half and not half.endswith(("twice", "thrice")))
            or ("around" in half and half.endswith("twice"))
            for half in text.replace(" after ", " and ").split(" and ")
        ) and (" and " in text or " after " in text)

    scan = generate()
    pairs = list(zip(scan.column("text"), scan.column("target"), strict=True))
    train = [pair for pair in pairs if not left_out(pair[0]) and len(pair[0].split()) <= 8]
    core = induce_synchronous(train[::9], types=4).core
    made = sample_pairs(core, 30_000, uniform=True, depth=(1, 9))
    assert verify(made).rate == 1.0
    texts = set(made.column("text"))
    assert sum(map(left_out, texts)) > 4_000
    assert len(texts) > 14_000


@pytest.mark.usefixtures("data_folder")
def test_every_command_of_scan_is_derived_from_the_third_mcd_split() -> None:
    core = induce_synchronous(split("mcd3").train, types=4).core
    made = sample_pairs(core, 40_000, uniform=True, depth=(1, 9))
    distinct = dict(zip(made.column("text"), made.column("target"), strict=True))
    language = generate()
    known = dict(zip(language.column("text"), language.column("target"), strict=True))
    assert distinct.items() <= known.items()
    assert len(distinct) > 0.8 * len(known)


def test_a_slot_in_which_rules_recur_is_not_tied_to_one_in_which_they_do_not() -> None:
    # families: 0 a word, 1 "or", whose second slot holds "or"; slots 1 and 2 are those of "or"
    families = Families.of(["word", "or"], [0, 2])
    seen = np.zeros((3, 2))
    seen[0, [0, 1]] = seen[1, 0] = seen[2, 0] = seen[2, 1] = 1.0
    layer, holds = slot_layers(seen, families)
    assert layer[1] != layer[2]
    assert holds[layer[1]].tolist() == [True, False]
    seen[1, 1] = 1.0
    layer, holds = slot_layers(seen, families)
    assert layer[1] == layer[2]


def test_types_that_are_layers_keep_slots_apart() -> None:
    families = Families.of(["verb", "noun", "rule"], [0, 0, 2])
    seen = np.zeros((3, 3))
    seen[0, 2] = seen[1, 0] = seen[2, 1] = 4.0
    model = layer_types(families, seen, np.ones_like(seen))
    share = model.theta @ model.phi
    assert share.sum(axis=1) == pytest.approx(1.0)
    assert share[1, 0] > 0.9 < share[2, 1]
    assert 0 < share[1, 1] < 0.01


def test_slots_of_a_layer_differ_where_the_prior_does() -> None:
    families = Families.of(["word", "or", "and"], [0, 1, 1])
    seen = np.array([[0.0, 1.0, 1.0], [2.0, 0.0, 0.0], [2.0, 0.0, 0.0]])
    prior = np.ones_like(seen)
    prior[1, 2] = 1e-4
    share = (lambda model: model.theta @ model.phi)(layer_types(families, seen, prior))
    assert slot_layers(seen, families)[0].tolist() == [0, 1, 1]
    assert share[1, 2] < 0.01 * share[2, 2]
    assert share[1, 0] == pytest.approx(share[2, 0], rel=0.01)


def test_derivations_come_to_agree() -> None:
    """Left and right bracketing are alike for a long pair; the short pairs have only one."""
    pairs = [("a of b", "B A"), ("b of a", "A B"), ("a of b go", "G B A"), ("b go", "G B")]
    pairs += [("a of a of b go", "G B A A"), ("a go", "G A"), ("b of b go", "G B B")]
    code = Coder()
    rules = [
        (code.side(SynchronousRule.parse(r).source), code.side(SynchronousRule.parse(r).target))
        for r in ("NT_1 of NT_2 ### NT_2 NT_1", "NT_1 go ### G NT_1", "a ### A", "b ### B")
    ]
    families = Families.of(range(4), [2, 1, 0, 0])
    forests = [
        pair_forest(coded_rules(rules), code.words(s.split()), code.words(t.split()))
        for s, t in pairs
    ]
    packed = pack_forests(forests, families)
    even = TypeModel(np.ones((4, 1)), np.full((1, 4), 0.25), 0.0)
    seen = settled_children(packed, even)
    again = settled_children(packed, even)
    assert (seen == again).all()
    of_first, of_second = seen[1], seen[2]
    assert of_first[1] == of_second[1] == 0  # "go" stands above "of" wherever it can


def test_a_pair_too_improbable_for_plain_numbers_counts_for_nothing():
    one, none = np.zeros(1, np.int64), np.zeros(0, np.int64)
    edges = np.array([0, 1])
    for weight in (0.0, 1e-310):
        theta, phi, value = _expected(
            np.ones((1, 1)), np.ones((1, 1)), one, one, np.array([weight]), np.zeros(2, np.int64),
            none, none, edges, one, np.ones(1),
        )  # fmt: skip
        assert (theta.sum(), phi.sum(), value) == (0.0, 0.0, -700.0)
