"""Pitman-Yor restaurants whose tables are summed out, one kind of customer at a time.

In the Chinese restaurant of a Pitman-Yor process with concentration alpha and discount d (Pitman
& Yor 1997), n customers in K tables have the probability ``alpha (alpha + d) ... (alpha + (K-1) d)
/ (alpha (alpha + 1) ... (alpha + n - 1))`` times a factor for each table. The first product ties
all kinds of customers together, but it is the K-th moment of a Gamma variable::

    alpha (alpha + d) ... (alpha + (K - 1) d) = E[tau**K],   tau ~ Gamma(alpha / d, scale d)

so, given ``tau``, kinds are independent of one another but for their total number. A kind with
base probability P0 and n customers then weighs, over all ways to seat them,

    f(n) = sum over K of S(n, K) theta**K,   theta = tau P0,

where S(n, K) are the generalised Stirling numbers of d (Buntine & Hutter 2010, section 2). For the
Dirichlet process d = 0, tau is alpha, and f(n) is the rising factorial of theta. What samplers
need is ``f(n + 1) / f(n) = theta + n - d E[K | n]``.

The distribution of K is kept as the ratios of neighbours, ``rho[K] = p(K) / p(K - 1)``, which
stay in the range of floats where the probabilities do not. Only its upper end is cut off, where it
is below 1e-25 of the whole: more tables grow more slowly, so what is cut stays negligible.
"""

from __future__ import annotations

import math

import numpy as np

from grammar.arrays import FloatArray, kernel

__all__ = ["draw_tables", "fill_log_ratios", "log_ratio", "log_seatings", "log_stirling"]

_CUT = 1e-25
_TINY = 1e-280


@kernel()
def log_ratio(customers: int, log_theta: float, discount: float, rho: FloatArray) -> float:
    """Return ``log(f(n + 1) / f(n))``, the log-weight of one more customer.

    Parameters
    ----------
    customers : int
        n, how many there are.
    log_theta : float
        Logarithm of tau P0.
    discount : float
        d, in [0, 1).
    rho : float64 array, shape (> n,)
        Work space.
    """
    if customers == 0:
        return log_theta
    theta = math.exp(log_theta)
    if discount == 0.0:
        return math.log(customers + theta)
    if customers == 1:
        return math.log(theta + 1.0 - discount)
    _, tables, _ = _sum(rho, *_seat(customers, theta, discount, rho))
    return math.log(theta + customers - discount * tables)


@kernel()
def fill_log_ratios(
    first: int, log_theta: float, discount: float, rho: FloatArray, ratios: FloatArray
) -> None:
    """Write :func:`log_ratio` of ``first``, ``first + 1`` ... customers into all of ``ratios``."""
    theta = math.exp(log_theta)
    last = first + len(ratios)
    if discount == 0.0:
        for n in range(max(first, 1), last):
            ratios[n - first] = math.log(n + theta)
    else:
        highest, mode = 1, 1
        rho[1] = np.inf
        for n in range(1, last):
            _, tables, highest = _sum(rho, highest, mode)
            if n >= first:
                ratios[n - first] = math.log(theta + n - discount * tables)
            highest = _admit(n, highest, theta, discount, rho)
            mode = _mode(rho, highest, mode)
    if first == 0 and last > 0:
        ratios[0] = log_theta


@kernel()
def log_seatings(customers: int, log_theta: float, discount: float, rho: FloatArray) -> float:
    """Return ``log f(n)``, for n >= 1."""
    if discount == 0.0:
        # not by gamma functions, whose difference would lose digits for a large theta
        theta, score = math.exp(log_theta), log_theta
        for n in range(1, customers):
            score += math.log(n + theta)
        return score
    highest, mode = _seat(customers, math.exp(log_theta), discount, rho)
    total, _, _ = _sum(rho, highest, mode)
    score = math.log(total) + _log_one_table(customers, discount) + log_theta
    for k in range(2, mode + 1):
        score += math.log(rho[k])
    return score


@kernel()
def draw_tables(
    customers: int, log_theta: float, discount: float, uniform: float, rho: FloatArray
) -> int:
    """Draw the number of tables of n >= 1 customers, given tau."""
    highest, mode = _seat(customers, math.exp(log_theta), discount, rho)
    total, _, highest = _sum(rho, highest, mode)
    # from the mode outwards, up and down in turn, so that the largest weights come first
    target = uniform * total - 1.0
    above, below = 1.0, 1.0
    up, down = mode, mode
    while target > 0.0 and (up < highest or down > 1):
        if up < highest:
            up += 1
            above *= rho[up]
            target -= above
            if target <= 0.0:
                return up
        if down > 1:
            below /= rho[down]
            down -= 1
            target -= below
            if target <= 0.0:
                return down
    return mode


@kernel()
def log_stirling(customers: int, tables: int, discount: float, rho: FloatArray) -> float:
    """Return the logarithm of the generalised Stirling number S(n, K): all seatings in K tables.

    ``S(n + 1, K) = (n - d K) S(n, K) + S(n, K - 1)``, with S(1, 1) = 1.
    """
    highest = 1
    rho[1] = np.inf
    for n in range(1, customers):
        # columns beyond the one asked for never flow back into it
        highest = min(_admit(n, highest, 1.0, discount, rho), tables)
    score = _log_one_table(customers, discount)
    for k in range(2, tables + 1):
        score += math.log(rho[k])
    return score


@kernel()
def _log_one_table(customers: int, discount: float) -> float:
    return math.lgamma(customers - discount) - math.lgamma(1.0 - discount)


@kernel()
def _seat(customers: int, theta: float, discount: float, rho: FloatArray) -> tuple[int, int]:
    """Let all customers in; return the highest number of tables kept, and the mode."""
    highest, mode = 1, 1
    rho[1] = np.inf
    for n in range(1, customers):
        highest = _admit(n, highest, theta, discount, rho)
        mode = _mode(rho, highest, mode)
        if n & 7 == 0:
            _, _, highest = _sum(rho, highest, mode)
    return highest, mode


@kernel()
def _admit(n: int, highest: int, theta: float, discount: float, rho: FloatArray) -> int:
    """Let customer n + 1 in; return the new highest number of tables."""
    new = theta / (n - discount * highest + theta / rho[highest])
    for k in range(highest, 1, -1):
        left = n - discount * (k - 1) + theta / rho[k - 1]
        rho[k] = ((n - discount * k) * rho[k] + theta) / left
    if new < _TINY:
        return highest
    rho[highest + 1] = new
    return highest + 1


@kernel()
def _mode(rho: FloatArray, highest: int, mode: int) -> int:
    mode = min(mode, highest)
    while mode < highest and rho[mode + 1] > 1.0:
        mode += 1
    while mode > 1 and rho[mode] < 1.0:
        mode -= 1
    return mode


@kernel()
def _sum(rho: FloatArray, highest: int, mode: int) -> tuple[float, float, int]:
    """Return the sum of all weights in units of the mode's, the mean, and where to cut."""
    total, moment = 1.0, 0.0
    weight, cut = 1.0, highest
    for k in range(mode + 1, highest + 1):
        weight *= rho[k]
        total += weight
        moment += weight * (k - mode)
        if weight < _CUT:
            cut = k
            break
    weight = 1.0
    for k in range(mode, 1, -1):
        weight /= rho[k]
        total += weight
        moment -= weight * (mode - k + 1)
        if weight < _CUT:
            break
    return total, mode + moment / total, cut
