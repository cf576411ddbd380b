"""What the nodes of a file must be, against a plain reading of what its words say."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from sampling.alp.checks import _fault_of_nodes, check_alp
from sampling.alp.grammar import ALPGrammar
from sampling.alp.method import ALP
from tests.sampling.alp.test_framing import few

COLUMNS = ("size", "word", "head", "governor", "tag")


@functools.cache
def grammar() -> ALPGrammar:
    return ALP.induce(few(), synonym=0).grammar


@st.composite
def changes(draw: Any) -> list[tuple[str, int, int]]:
    last = len(grammar().frames.size) - 1
    change = st.tuples(st.sampled_from(COLUMNS), st.integers(0, last), st.integers(-1, last))
    return draw(st.lists(change, max_size=3))


def plain_fault(columns: dict[str, list[int]]) -> int:
    """The slow way: node by node, and for each all nodes above it."""
    size, word, head, governor, tag = (columns[name] for name in COLUMNS)
    nodes = len(size)
    for node in range(nodes):
        leaf, below = word[node] >= 0, range(node, node + size[node])
        if leaf != (size[node] == 1):
            return 1
        if head[node] not in below or word[head[node]] < 0:
            return 2
        if governor[node] >= 0 and word[governor[node]] < 0:
            return 3
        if leaf and tag[node] < 0:
            return 3
        above = [n for n in range(node) if node < n + size[n]]
        if any(below.stop > n + size[n] for n in above) or below.stop > nodes:
            return 4
    return 0


@settings(max_examples=300)
@given(changes())
def test_a_fault_of_nodes_is_found(changed: list[tuple[str, int, int]]) -> None:
    columns = {name: getattr(grammar().frames, name).tolist() for name in COLUMNS}
    for name, node, number in changed:
        columns[name][node] = max(number, {"size": 1, "head": 0}.get(name, -1))
    given_arrays: Any = [np.array(columns[name], np.int32) for name in COLUMNS]
    assert _fault_of_nodes(*given_arrays) == plain_fault(columns)


def test_what_is_induced_has_none() -> None:
    check_alp(grammar())
