"""Forests of coded pairs, against all divisions of every span."""

from __future__ import annotations

import itertools

from hypothesis import given
from hypothesis import strategies as st

from grammar.synchronous.forest import CodedRule, CodedRules, pair_forest
from grammar.synchronous.rule import NT

A, B, X, Y = map(chr, (0x100, 0x101, 0x200, 0x201))
Node = tuple[int, int, str]


@st.composite
def coded(draw: st.DrawFn) -> tuple[str, str]:
    """A rule of up to four slots, which its target has once or twice, in any order."""
    slots = [chr(k + 1) for k in range(draw(st.integers(0, 4)))]
    source = [text for slot in slots for text in (draw(st.sampled_from(["", A, B])), slot)]
    source.append(draw(st.sampled_from([A, B] if len(slots) < 2 else ["", A, B])))
    copies = [draw(st.sampled_from(slots))] if slots and draw(st.booleans()) else []
    words = draw(st.lists(st.sampled_from([X, Y]), min_size=not slots, max_size=2))
    return "".join(source), "".join(draw(st.permutations([*slots, *copies, *words])))


def every_edge(rules: list[tuple[str, str]], source: str, goal: str) -> set[tuple]:
    """Return (node, rule, children) by trying all divisions of every span, narrow spans first."""
    nodes: dict[tuple[int, int], set[str]] = {}
    edges = set()
    for width in range(1, len(source) + 1):
        for begin in range(len(source) - width + 1):
            span = begin, begin + width
            for number, (text, target) in enumerate(rules):
                for places in divisions(text, source, span):
                    for below in itertools.product(*(nodes.get(p, ()) for p in places)):
                        made = target
                        for k, part in enumerate(below, start=1):
                            made = made.replace(chr(k), part)
                        if made in goal:
                            nodes.setdefault(span, set()).add(made)
                            children = tuple(
                                (*place, part) for place, part in zip(places, below, strict=True)
                            )
                            edges.add(((*span, made), number, children))
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


@given(
    st.lists(coded(), min_size=1, max_size=5, unique=True),
    st.text(A + B, min_size=1, max_size=5),
    st.text(X + Y, min_size=1, max_size=5),
)
def test_a_forest_has_every_edge_whose_target_occurs_in_that_of_the_pair(
    rules: list[tuple[str, str]], source: str, goal: str
) -> None:
    found = pair_forest(CodedRules(CodedRule.of(i, *r) for i, r in enumerate(rules)), source, goal)

    def node(number: int) -> Node:
        begin, end, symbol, text = found.nodes[number]
        assert symbol == NT
        return begin, end, text

    edges = [(node(e.node), e.rule, tuple(map(node, e.children))) for e in found.edges]
    assert len(set(edges)) == len(edges)
    assert set(edges) == every_edge(rules, source, goal)
    assert (found.root >= 0) == any(made == (0, len(source), goal) for made, _, _ in edges)
