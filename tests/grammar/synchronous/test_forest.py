"""Forests of coded pairs, against all divisions of every span."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grammar.synchronous import forest
from grammar.synchronous.forest import (
    CodedRule,
    CodedRules,
    PairForest,
    derives,
    pair_forest,
    pair_nodes,
    source_forest,
)

A, B, X, Y = map(chr, (0x100, 0x101, 0x200, 0x201))
TYPES = ("NT", "P", "Q")
Rule = tuple[str, str, str, tuple[str, ...]]
Node = tuple[int, int, str, str]
TwinEdge = tuple[Node, int, tuple[Node, ...]]


@st.composite
def coded(draw: st.DrawFn, types: tuple[str, ...] = TYPES) -> Rule:
    """A rule of up to four slots in any order, which its target has once or twice; no chain."""
    slots = [chr(k + 1) for k in range(draw(st.integers(0, 4)))]
    shuffled = draw(st.permutations(slots))
    source = [text for slot in shuffled for text in (draw(st.sampled_from(["", A, B])), slot)]
    source.append(draw(st.sampled_from([A, B] if len(slots) < 2 else ["", A, B])))
    copies = [draw(st.sampled_from(slots))] if slots and draw(st.booleans()) else []
    words = draw(st.lists(st.sampled_from([X, Y]), min_size=not slots, max_size=2))
    target = "".join(draw(st.permutations([*slots, *copies, *words])))
    below = tuple(draw(st.sampled_from(types)) for _ in slots)
    return "".join(source), target, draw(st.sampled_from(types)), below


RULES = st.lists(coded(), min_size=1, max_size=5, unique_by=lambda rule: rule[:3])
PLAIN = st.lists(coded(types=("NT",)), min_size=1, max_size=5, unique_by=lambda rule: rule[:3])
SOURCE = st.text(A + B, min_size=1, max_size=5)
TARGET = st.text(X + Y, min_size=1, max_size=5)


def numbered(rules: list[Rule]) -> CodedRules:
    return CodedRules(CodedRule.of(i, *rule) for i, rule in enumerate(rules))


def every_edge(rules: list[Rule], source: str, goal: str | None) -> set[TwinEdge]:
    """Return the edges that trying all divisions of every span makes, narrow spans first."""
    nodes: dict[tuple[int, int, str], set[str]] = {}
    edges = set()
    for width in range(1, len(source) + 1):
        for begin in range(len(source) - width + 1):
            span = begin, begin + width
            for number, (text, target, lhs, types) in enumerate(rules):
                slots = [c for c in text if ord(c) < 0x100]
                for places in divisions(text, source, span):
                    spans = [(*p, kind) for p, kind in zip(places, types, strict=True)]
                    for below in itertools.product(*(nodes.get(p, ()) for p in spans)):
                        made = target
                        for slot, part in zip(slots, below, strict=True):
                            made = made.replace(slot, part)
                        if goal is None or made in goal:
                            nodes.setdefault((*span, lhs), set()).add(made)
                            children = tuple((*p, t) for p, t in zip(spans, below, strict=True))
                            edges.add(((*span, lhs, made), number, children))
    return edges


def divisions(text: str, source: str, span: tuple[int, int]) -> list[list[tuple[int, int]]]:
    """Return the spans of the slots for every way in which one side matches a span."""
    if not text:
        return [[]] if span[0] == span[1] else []
    begin, end = span
    if ord(text[0]) >= 0x100:
        fits = begin < end and source[begin] == text[0]
        return divisions(text[1:], source, (begin + 1, end)) if fits else []
    return [
        [(begin, at), *rest]
        for at in range(begin + 1, end + 1)
        for rest in divisions(text[1:], source, (at, end))
    ]


def below_root(edges: set[TwinEdge], root: Node) -> set[TwinEdge]:
    """Return the edges that make a node, and those that make its children, and so on."""
    found: set[TwinEdge] = set()
    waiting = {root}
    while waiting:
        making = {edge for edge in edges if edge[0] in waiting} - found
        found |= making
        waiting = {child for _, _, children in making for child in children}
    return found


def edges_of(found: PairForest) -> set[TwinEdge]:
    edges = [
        (found.nodes[e.node], e.rule, tuple(found.nodes[c] for c in e.children))
        for e in found.edges
    ]
    assert len(set(edges)) == len(edges)
    return set(edges)


def targets_of(edges: set[TwinEdge], source: str) -> list[str]:
    whole = {node for node, _, _ in edges if node[:3] == (0, len(source), "NT")}
    return sorted(text for *_, text in whole)


@given(RULES, SOURCE, TARGET, st.data())
def test_a_forest_has_the_edges_of_all_derivations(
    rules: list[Rule], source: str, goal: str, data: st.DataObject
) -> None:
    goal = data.draw(st.sampled_from([goal, *targets_of(every_edge(rules, source, None), source)]))
    found = pair_forest(numbered(rules), source, goal)
    edges = every_edge(rules, source, goal)
    assert edges_of(found) == below_root(edges, (0, len(source), "NT", goal))
    assert (found.root >= 0) == bool(found.edges) == (goal in targets_of(edges, source))
    assert found.root < 0 or found.nodes[found.root] == (0, len(source), "NT", goal)
    assert set(pair_nodes(numbered(rules), source, goal)) == {node for node, _, _ in edges}
    last: dict[int, int] = {edge.node: i for i, edge in enumerate(found.edges)}
    assert all(last[c] < i for i, edge in enumerate(found.edges) for c in edge.children)


@given(RULES, SOURCE)
def test_the_forest_of_a_source_has_all_its_targets(rules: list[Rule], source: str) -> None:
    edges = every_edge(rules, source, None)
    nodes = len({node for node, _, _ in edges})
    made = source_forest(numbered(rules), source, most_nodes=nodes)
    assert made is not None
    found, roots = made
    assert edges_of(found) == edges
    assert sorted(found.nodes[root][3] for root in roots) == targets_of(edges, source)
    assert nodes == 0 or source_forest(numbered(rules), source, most_nodes=nodes - 1) is None


@given(PLAIN, st.data())
def test_rules_derive_rules_whose_slots_stand_for_themselves(
    rules: list[Rule], data: st.DataObject
) -> None:
    """A slot is a word with a rule that writes it; any rule may be left out."""
    slots = [("\x01", "\x01"), ("\x02", "\x02")]
    source = data.draw(st.text(A + B + "\x01\x02", min_size=2, max_size=5))
    words = dict(zip("\x01\x02", "\u0300\u0301", strict=True))
    spoken = source.translate(str.maketrans(words))
    read = [*rules, *((words[s], words[t], "NT", ()) for s, t in slots)]
    made = targets_of(every_edge(read, spoken, None), spoken)
    target = data.draw(st.sampled_from([X, *made]))
    gone = data.draw(st.integers(-1, len(rules) - 1))
    kept = [rule for number, rule in enumerate(read) if number != gone]
    shown = target.translate(str.maketrans({word: slot for slot, word in words.items()}))
    wanted = target in targets_of(every_edge(kept, spoken, target), spoken)
    assert derives(numbered(rules), (source, shown), without=gone) == wanted


def test_chains_apply_to_what_chains_make() -> None:
    rules = [(A, X, "Q", ()), ("\x01", "\x01", "NT", ("P",)), ("\x01", "\x01", "P", ("Q",))]
    found = pair_forest(numbered(rules), A, X)
    assert [(edge.rule, edge.children) for edge in found.edges] == [(0, ()), (2, (0,)), (1, (1,))]


def test_a_chart_that_is_full_is_filled_again(monkeypatch: pytest.MonkeyPatch) -> None:
    rules = numbered([(A, X, "NT", ()), ("\x01\x02", "\x01\x02", "NT", ("NT", "NT"))])
    found = pair_forest(rules, A * 12, X * 12)
    every = source_forest(rules, A * 12, most_nodes=1000)
    monkeypatch.setattr(forest, "_ROOM", 2)
    assert pair_forest(rules, A * 12, X * 12) == found
    assert source_forest(rules, A * 12, most_nodes=1000) == every
    assert len(found.edges) == 12 + sum((13 - width) * (width - 1) for width in range(2, 13))


def test_targets_that_grow_beyond_all_room_are_too_many(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(forest, "_MOST_ROOM", 1 << 11)
    rules = numbered([(A, X, "NT", ()), (A + "\x01", "\x01\x01", "NT", ("NT",))])
    assert source_forest(rules, A * 40, most_nodes=1000) is None
    assert source_forest(rules, A * 10, most_nodes=1000) is not None
