"""Draws of tables and hyper-parameters of the Bayesian tree-substitution grammar.

In the order of :func:`redraw`, each from its conditional given all that is not summed out:

* the discount d of each label: slice sampling (Neal 2003) on (0, 1), prior Beta(1, 1), tables
  summed out, given tau;
* the number of tables of each fragment, given tau and d;
* the stop probability s of each label: every table is one draw from the base distribution, so the
  frontier and inner constituents of the fragments, counted once a *table* (not once a use), are
  Bernoulli trials of s. Prior Beta(1, 1), hence a Beta posterior;
* the concentration alpha of each label, tau summed out, prior Gamma(1, rate 0.1), by the auxiliary
  variables of Teh (2006, appendix C; Escobar & West 1995 for d = 0);
* tau, which is Gamma(alpha / d + K) times d.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from grammar.arrays import FloatArray, IntArray, LongArray, kernel
from grammar.rng import next_uniform, open_stream, stream_key
from induction.bayes.columns import Parameters, Segmentation, TreeColumns
from induction.bayes.pitman_yor import draw_tables, log_seatings, log_stirling

__all__ = [
    "UsedFragments",
    "draw_tau",
    "key_of_tables",
    "log_probability",
    "parameters_of",
    "redraw",
    "seat",
]

_ALPHA_SHAPE, _ALPHA_RATE = 1.0, 0.1
_SMALLEST = 1e-300


class UsedFragments(NamedTuple):
    """The distinct fragments of a segmentation, by label of the root and then by first use.

    Attributes
    ----------
    node : int64 array, shape (fragments,)
        The first constituent where each stands.
    uses : int64 array, shape (fragments,)
        How often each is used.
    log_base : float64 array, shape (fragments,)
        log P0 of each.
    starts : int64 array, shape (labels + 1,)
        Those with root ``c`` are ``starts[c] : starts[c + 1]``.
    """

    node: LongArray
    uses: LongArray
    log_base: FloatArray
    starts: LongArray

    @classmethod
    def of(cls, trees: TreeColumns, state: Segmentation) -> UsedFragments:
        """List the fragments in use."""
        sites = np.flatnonzero(state.site)
        _, first = np.unique(state.fragment[sites], return_index=True)
        node = np.sort(sites[first])
        node = node[np.argsort(trees.label[node], kind="stable")]
        path = state.fragment[node]
        starts = np.searchsorted(trees.label[node], np.arange(len(state.rooted) + 1))
        return cls(node, state.uses[path], state.log_base[path], starts.astype(np.int64))

    def tables_by_label(self, tables: IntArray) -> LongArray:
        """Return the number of tables of each restaurant; ``tables`` is by node."""
        before = np.concatenate(([0], np.cumsum(tables[self.node], dtype=np.int64)))
        return np.diff(before[self.starts])


def parameters_of(
    concentration: FloatArray, discount: FloatArray, tau: FloatArray, stop: FloatArray
) -> Parameters:
    """Return the hyper-parameters as kernels want them."""
    return Parameters(np.log(tau), concentration, discount, np.log(stop), np.log1p(-stop))


def redraw(
    trees: TreeColumns,
    state: Segmentation,
    tables: IntArray,
    hyper: tuple[FloatArray, FloatArray, FloatArray, FloatArray],
    seed: int,
    iteration: int,
) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
    """Draw the tables, in place, and new (concentration, discount, tau, stop)."""
    concentration, discount, tau, _ = hyper
    used = UsedFragments.of(trees, state)
    rho = np.empty(int(used.uses.max()) + 8)
    key = stream_key(seed, f"bayes-tsg hyper {iteration}")
    pitman_yor = bool((discount > 0).any())
    if pitman_yor:
        discount = _draw_discounts(*used[1:], tau, concentration, discount, key, rho)
    seat(trees, used, tables, np.log(tau), discount, key_of_tables(seed, iteration))
    random = np.random.Generator(np.random.Philox(key=int(key)))
    stops, goes = _base_draws(trees, state, used.node, tables, len(tau))
    stop = np.clip(random.beta(1.0 + stops, 1.0 + goes), _SMALLEST, 1.0 - 1e-16)
    by_label = used.tables_by_label(tables)
    concentration = _draw_concentrations(random, concentration, discount, state.rooted, by_label)
    return concentration, discount, draw_tau(random, concentration, discount, by_label), stop


def key_of_tables(seed: int, iteration: int) -> np.uint64:
    """Return what the tables of an iteration are drawn with."""
    return stream_key(seed, f"bayes-tsg tables {iteration}")


def seat(
    trees: TreeColumns,
    used: UsedFragments,
    tables: IntArray,
    log_tau: FloatArray,
    discount: FloatArray,
    key: np.uint64,
) -> None:
    """Draw the number of tables of each fragment in use; written at its first node."""
    rho = np.empty(int(used.uses.max()) + 8)
    tables[:] = 0
    _seat(trees.label, used.node, used.uses, used.log_base, tables, log_tau, discount, key, rho)


def draw_tau(
    random: np.random.Generator, concentration: FloatArray, discount: FloatArray, tables: LongArray
) -> FloatArray:
    """Draw tau of each label given its tables; alpha itself where the discount is 0."""
    if not (discount > 0).any():
        return concentration
    drawn: FloatArray = random.gamma(concentration / discount + tables) * discount
    return np.maximum(drawn, _SMALLEST)


def log_probability(
    trees: TreeColumns,
    state: Segmentation,
    tables: IntArray,
    concentration: FloatArray,
    discount: FloatArray,
) -> float:
    """Return the log-probability of the fragments, and of their tables where d > 0."""
    used = UsedFragments.of(trees, state)
    rho = np.empty(int(used.uses.max()) + 8)
    return float(
        _log_probability(
            *used, tables, state.rooted, used.tables_by_label(tables), concentration, discount, rho
        )
    )


def _draw_concentrations(
    random: np.random.Generator,
    alpha: FloatArray,
    discount: FloatArray,
    customers: LongArray,
    tables: LongArray,
) -> FloatArray:
    # alpha (alpha + d) ... / (alpha (alpha + 1) ...), both products begun at their second factor
    several = customers > 1
    log_x = np.zeros(len(alpha))
    log_x[several] = np.log(
        np.maximum(random.beta(alpha[several] + 1.0, customers[several] - 1.0), _SMALLEST)
    )
    later = np.maximum(tables - 1, 0)
    label = np.repeat(np.arange(len(alpha)), later)
    place = np.arange(len(label)) - np.repeat(np.cumsum(later) - later, later) + 1
    chosen = random.random(len(label)) < alpha[label] / (alpha[label] + discount[label] * place)
    shape = _ALPHA_SHAPE + np.bincount(label[chosen], minlength=len(alpha))
    drawn: FloatArray = random.gamma(shape) / (_ALPHA_RATE - log_x)
    return np.maximum(drawn, _SMALLEST)


@kernel()
def _seat(
    label: IntArray,
    node: LongArray,
    count: LongArray,
    log_base: FloatArray,
    tables: IntArray,
    log_tau: FloatArray,
    discount: FloatArray,
    key: np.uint64,
    rho: FloatArray,
) -> None:
    for i in range(len(node)):
        c = label[node[i]]
        _, uniform = next_uniform(open_stream(key, node[i]))
        theta = log_tau[c] + log_base[i]
        tables[node[i]] = draw_tables(count[i], theta, discount[c], uniform, rho)


@kernel()
def _base_draws(
    trees: TreeColumns, state: Segmentation, nodes: LongArray, tables: IntArray, labels: int
) -> tuple[LongArray, LongArray]:
    """Count the frontier and the inner constituents of all fragments, once a table."""
    stops, goes = np.zeros(labels, np.int64), np.zeros(labels, np.int64)
    for node in nodes:
        k = node + 1
        while k < node + trees.size[node]:
            if trees.size[k] == 1:
                k += 1
            elif state.site[k]:
                stops[trees.label[k]] += tables[node]
                k += trees.size[k]
            else:
                goes[trees.label[k]] += tables[node]
                k += 1
    return stops, goes


@kernel()
def _log_density(
    d: float, count: LongArray, log_base: FloatArray, alpha: float, tau: float, rho: FloatArray
) -> float:
    """Return the log-density of one discount: that of tau, and all seatings of all fragments."""
    shape, log_tau = alpha / d, math.log(tau)
    score = (shape - 1.0) * log_tau - tau / d - shape * math.log(d) - math.lgamma(shape)
    for i in range(len(count)):
        if count[i] > 1:  # one customer has one table, whatever the discount
            score += log_seatings(count[i], log_tau + log_base[i], d, rho)
    return score


@kernel()
def _draw_discounts(
    count: LongArray,
    log_base: FloatArray,
    starts: LongArray,
    tau: FloatArray,
    alpha: FloatArray,
    discount: FloatArray,
    key: np.uint64,
    rho: FloatArray,
) -> FloatArray:
    drawn = discount.copy()
    for c in range(len(discount)):
        counts, bases = count[starts[c] : starts[c + 1]], log_base[starts[c] : starts[c + 1]]
        stream, uniform = next_uniform(open_stream(key, c))
        level = _log_density(drawn[c], counts, bases, alpha[c], tau[c], rho)
        level += math.log(1.0 - uniform)
        low, high = 0.0, 1.0
        while True:
            stream, uniform = next_uniform(stream)
            d = low + uniform * (high - low)
            # an interval shrunk to nothing leaves the old value, as does one at the very ends
            if d == drawn[c] or high - low < 1e-12:
                break
            if d > 0.0 and _log_density(d, counts, bases, alpha[c], tau[c], rho) > level:
                drawn[c] = d
                break
            if d < drawn[c]:
                low = d
            else:
                high = d
    return drawn


@kernel()
def _log_probability(
    node: LongArray,
    count: LongArray,
    log_base: FloatArray,
    starts: LongArray,
    tables: IntArray,
    rooted: LongArray,
    tables_by_label: LongArray,
    alpha: FloatArray,
    discount: FloatArray,
    rho: FloatArray,
) -> float:
    score = 0.0
    for c in range(len(alpha)):
        d = discount[c]
        score += math.lgamma(alpha[c]) - math.lgamma(alpha[c] + rooted[c])
        if d > 0.0:
            shape = alpha[c] / d
            score += tables_by_label[c] * math.log(d)
            score += math.lgamma(shape + tables_by_label[c]) - math.lgamma(shape)
        for i in range(starts[c], starts[c + 1]):
            if d == 0.0:
                score += log_seatings(count[i], math.log(alpha[c]) + log_base[i], d, rho)
            else:
                k = tables[node[i]]
                score += log_stirling(count[i], k, d, rho) + k * log_base[i]
    return score
