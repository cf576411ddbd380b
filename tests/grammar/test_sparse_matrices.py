"""Components and linear systems of sparse matrices, against networkx and dense algebra."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from grammar import sparse as sparse_matrices
from grammar.sparse import levels, recursive_components, solve_sparse

matrices = st.integers(0, 8).flatmap(
    lambda n: arrays(float, (n, n), elements=st.sampled_from([0.0, 0.0, 0.0, 0.5, 1.0]))
)


def graph_of(matrix: np.ndarray) -> nx.DiGraph:
    return nx.from_numpy_array(matrix > 0, create_using=nx.DiGraph)


@given(matrices)
def test_recursive_components_are_those_of_networkx(matrix):
    graph = graph_of(matrix)
    expected = [
        sorted(c)
        for c in nx.strongly_connected_components(graph)
        if len(c) > 1 or graph.has_edge(*[*c] * 2)
    ]
    found = recursive_components(sp.csr_array(matrix))
    assert sorted(c.tolist() for c in found) == sorted(expected)


def test_an_entry_of_zero_that_is_stored_is_an_edge():
    matrix = sp.csr_array(sp.coo_array(([0.0], ([0], [0])), shape=(1, 1)))
    assert [c.tolist() for c in recursive_components(matrix)] == [[0]]


@given(matrices)
def test_levels_hold_every_position_once_after_those_below_it(matrix):
    graph, done = graph_of(matrix), set()
    for level in levels(sp.csr_array(matrix)):
        alone, *cyclic = [set(c.tolist()) for c in level]
        together = alone.union(*cyclic)
        assert not together & done
        for node in together:
            mine = next((c for c in cyclic if node in c), set())
            assert set(graph.successors(node)) <= done | mine
        done |= together
    assert done == set(graph)


@pytest.mark.parametrize("many", [0, 2, 10])
@given(matrix=matrices)
def test_systems_are_solved_as_dense_ones_are(many, matrix):
    # rows that sum to less than one make an M-matrix
    size = len(matrix)
    system = np.eye(size) - 0.9 * matrix / np.maximum(matrix.sum(1, keepdims=True), 1.0)
    right = np.arange(1.0, size + 1)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sparse_matrices, "_MANY", many)
        found = solve_sparse(sp.csc_array(system), right)
    np.testing.assert_allclose(found, np.linalg.solve(system, right), rtol=1e-9)


def test_a_singular_system_has_no_finite_solution():
    matrix = sp.csc_array(np.array([[1.0, -1.0], [-1.0, 1.0]]))
    assert not np.isfinite(solve_sparse(matrix, np.ones(2))).all()
