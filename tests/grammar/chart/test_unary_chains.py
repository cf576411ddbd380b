"""Closures of unary rules against dense linear algebra and plain relaxation."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse

import grammar.chart.unary_chains
from grammar.chart.rules import Corner
from grammar.chart.unary_chains import cyclic_units, unary_chains


@pytest.mark.parametrize("block", [3, 256])
def test_unary_chains_are_the_inverse_and_the_shortest_paths(
    block: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(grammar.chart.unary_chains, "_BLOCK", block)
    random = np.random.default_rng(1)
    size = 14
    weights = np.where(random.random((size, size)) < 0.2, random.random((size, size)) / 4, 0.0)
    weights[random.random(size) < 0.3] = 0.0
    best, total = (
        np.exp(dense(chains, size)) for chains in unary_chains(scipy.sparse.csr_array(weights))
    )
    assert total == pytest.approx(np.linalg.inv(np.eye(size) - weights), abs=1e-12)
    longest = np.eye(size)
    for _ in range(size):
        longest = np.maximum(longest, (longest[:, :, None] * weights[None]).max(axis=1))
    assert best == pytest.approx(longest, abs=1e-12)


def dense(chains: Corner, size: int) -> np.ndarray:
    table = np.full((size, size), -np.inf)
    child = np.repeat(np.arange(size), np.diff(chains.starts))
    table[chains.parent, child] = chains.weight
    return table


def test_weights_too_small_for_a_product_keep_their_logarithm() -> None:
    weights = np.zeros((4, 4))
    weights[0, 1] = weights[1, 2] = weights[2, 3] = 1e-200
    for chains in unary_chains(scipy.sparse.csr_array(weights)):
        assert dense(chains, 4)[0, 3] == pytest.approx(3 * np.log(1e-200))


def test_a_long_chain_of_weight_one_keeps_all_digits() -> None:
    size = 60
    weights = scipy.sparse.csr_array(np.eye(size, k=1))
    for chains in unary_chains(weights):
        assert dense(chains, size)[0, size - 1] == 0.0
        assert len(chains.parent) == size * (size + 1) // 2


@pytest.mark.parametrize("loop", [0.5, 0.999, 1 - 1e-7])
def test_a_heavy_loop_has_its_geometric_sum(loop: float) -> None:
    _, total = unary_chains(scipy.sparse.csr_array([[loop]]))
    assert np.exp(total.weight[0]) == pytest.approx(1 / (1 - loop), rel=1e-6)


def test_units_in_circles() -> None:
    weights = np.zeros((5, 5))
    weights[0, 1] = weights[1, 2] = weights[2, 0] = weights[2, 3] = weights[4, 4] = 0.1
    assert cyclic_units(scipy.sparse.csr_array(weights)).tolist() == [True] * 3 + [False, True]
