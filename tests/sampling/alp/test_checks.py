"""What the nodes of a file must be, against a plain reading of what its words say."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from sampling.alp.checks import _fault_of_nodes, check_alp
from sampling.alp.method import ALP
from tests.sampling.alp.test_framing import few

GRAMMAR = ALP.induce(few()).grammar
NODES = len(GRAMMAR.frames.size)
COLUMNS = ("size", "word", "head", "governor", "tag")


def plain_fault(columns: dict[str, list[int]]) -> int:
    """The slow way: node by node, and for each all nodes above it."""
    size, word, head, governor, tag = (columns[name] for name in COLUMNS)
    for node in range(NODES):
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
        if any(below.stop > n + size[n] for n in above) or below.stop > NODES:
            return 4
    return 0


@settings(max_examples=300)
@given(
    st.lists(
        st.tuples(st.sampled_from(COLUMNS), st.integers(0, NODES - 1), st.integers(-1, NODES - 1)),
        max_size=3,
    )
)
def test_a_fault_of_nodes_is_found(changes: list[tuple[str, int, int]]) -> None:
    columns = {name: getattr(GRAMMAR.frames, name).tolist() for name in COLUMNS}
    for name, node, number in changes:
        columns[name][node] = max(number, {"size": 1, "head": 0}.get(name, -1))
    given_arrays: Any = [np.array(columns[name], np.int32) for name in COLUMNS]
    assert _fault_of_nodes(*given_arrays) == plain_fault(columns)


def test_what_is_induced_has_none() -> None:
    check_alp(GRAMMAR)
