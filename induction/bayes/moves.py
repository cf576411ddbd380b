"""Moves of the Bayesian tree-substitution grammar: one bit, or all bits of one type.

Both are Gibbs moves given tau (see :mod:`induction.bayes.pitman_yor`), with all tables summed out.
Cut or not, the place of a bit uses either one *joint* fragment or the two pieces *above* and
*below*. With the place's own fragments taken out of the counts,

    p(cut) / p(joint) = r_above(n_above) r_below(n_below + [above is below])
                        / (r_joint(n_joint) (alpha_b + n_b)),

where r = f(n + 1) / f(n), b is the root of the piece below, and n_b counts the fragments with
root b, the one above included if it has that root too.

A *type* (Liang, Jordan & Klein 2010) is all places with equal joint fragment and equal place in it,
so all of them exchange the same fragments. Turning some of them leaves the others of that type:
it would not only where one place's lower piece is another's upper piece, so the pieces are equal,
and then a type is further split by the parity of depth over the depth of the piece: neighbours in
such a chain differ by one. The places of a type are therefore the same whatever their bits, and a
draw of all from their joint conditional is an exact Gibbs move. By exchangeability it depends on
the number of cuts only: that number is drawn first, and then, uniformly, which.
"""

from __future__ import annotations

import math

import numpy as np

from grammar.arrays import FloatArray, LongArray, kernel
from grammar.rng import below, next_uniform, open_stream
from induction.bayes.columns import Parameters, Segmentation, TreeColumns, extend_by_children
from induction.bayes.pitman_yor import fill_log_ratios, log_ratio

__all__ = ["cache_ratios", "draw_bits", "draw_types", "path_bounds", "shuffled"]

_CACHED_FROM = 8


@kernel()
def shuffled(nodes: LongArray, key: np.uint64) -> LongArray:
    """Return the nodes in an order that is a function of the key."""
    order = nodes.copy()
    state = open_stream(key, 0)
    for i in range(len(order) - 1, 0, -1):
        state, u = next_uniform(state)
        j = below(u, i + 1)
        order[i], order[j] = order[j], order[i]
    return order


@kernel()
def path_bounds(trees: TreeColumns) -> LongArray:
    """Return how many new paths a move at each node can need at most."""
    bound = np.zeros(len(trees.size), np.int64)
    for node in range(len(trees.size)):
        children = 1
        child = node + 1
        while child < node + trees.size[node]:
            children += trees.size[child] > 1
            child += trees.size[child]
        child = node + 1
        while child < node + trees.size[node]:
            bound[child] = bound[node] + children
            child += trees.size[child]
    return bound


@kernel()
def cache_ratios(
    trees: TreeColumns, state: Segmentation, parameters: Parameters, rho: FloatArray
) -> tuple[LongArray, LongArray, FloatArray]:
    """Return log-ratios of all frequent fragments: starts and lengths by path, and values.

    A ratio depends on the fragment and its count alone, not on other fragments, so what is found
    here holds for as long as the parameters do.
    """
    start = np.zeros(state.made[0], np.int64)
    length = np.zeros(state.made[0], np.int64)
    total = 0
    for node in range(len(trees.size)):
        path = state.fragment[node]
        if state.site[node] and length[path] == 0 and state.uses[path] >= _CACHED_FROM:
            start[path] = total
            length[path] = state.uses[path] + state.uses[path] // 2 + 8
            total += length[path]
    values = np.empty(total)
    done = np.zeros(state.made[0], np.bool_)
    for node in range(len(trees.size)):
        path = state.fragment[node]
        if state.site[node] and length[path] > 0 and not done[path]:
            done[path] = True
            label = trees.label[node]
            theta = parameters.log_tau[label] + state.log_base[path]
            ratios = values[start[path] : start[path] + length[path]]
            fill_log_ratios(0, theta, parameters.discount[label], rho, ratios)
    return start, length, values


@kernel()
def _other_numbers(
    trees: TreeColumns,
    state: Segmentation,
    parameters: Parameters,
    node: int,
    numbers: LongArray,
) -> tuple[int, int]:
    """Write the numbers that the ancestors would have were the bit turned, the nearest first.

    Returns the root of the fragment that the node is in or hangs from, and how many it wrote.
    """
    child, levels = node, 0
    code = state.fragment[node] if state.site[node] else 0
    while True:
        parent = trees.parent[child]
        code = extend_by_children(trees, state, parameters, parent, child, code)
        numbers[levels] = code
        levels += 1
        child = parent
        if state.site[parent]:
            return parent, levels


@kernel()
def _log_ratio(
    state: Segmentation,
    parameters: Parameters,
    cache: tuple[LongArray, LongArray, FloatArray],
    path: int,
    label: int,
    customers: int,
    rho: FloatArray,
) -> float:
    start, length, values = cache
    if path < len(length) and customers < length[path]:
        return values[start[path] + customers]
    theta = parameters.log_tau[label] + state.log_base[path]
    return log_ratio(customers, theta, parameters.discount[label], rho)


@kernel()
def _fill(
    state: Segmentation,
    parameters: Parameters,
    cache: tuple[LongArray, LongArray, FloatArray],
    path: int,
    label: int,
    first: int,
    ratios: FloatArray,
    rho: FloatArray,
) -> None:
    """Write the log-ratios of a fragment from ``first`` customers on."""
    start, length, values = cache
    if path < len(length) and first + len(ratios) <= length[path]:
        ratios[:] = values[start[path] + first : start[path] + first + len(ratios)]
    else:
        theta = parameters.log_tau[label] + state.log_base[path]
        fill_log_ratios(first, theta, parameters.discount[label], rho, ratios)


@kernel()
def draw_bits(
    trees: TreeColumns,
    state: Segmentation,
    parameters: Parameters,
    cache: tuple[LongArray, LongArray, FloatArray],
    nodes: LongArray,
    first: int,
    key: np.uint64,
    coldness: float,
    rho: FloatArray,
) -> int:
    """Draw the bit of each node in turn; return how many turned."""
    numbers = np.empty(len(trees.size), np.int64)
    turned = 0
    for i in range(len(nodes)):
        node = nodes[i]
        root, levels = _other_numbers(trees, state, parameters, node, numbers)
        cut = state.site[node]
        above, joint = state.fragment[root], numbers[levels - 1]
        if not cut:
            above, joint = joint, above
        lower, label = state.fragment[node], trees.label[node]
        paths = (above, lower, joint)
        _count(state, paths, label, -int(cut), int(cut) - 1)
        uses, top = state.uses, trees.label[root]
        log_odds = (
            _log_ratio(state, parameters, cache, above, top, uses[above], rho)
            + _log_ratio(
                state, parameters, cache, lower, label, uses[lower] + (above == lower), rho
            )
            - _log_ratio(state, parameters, cache, joint, top, uses[joint], rho)
            - math.log(parameters.concentration[label] + state.rooted[label])
        )
        _, uniform = next_uniform(open_stream(key, first + i))
        cut_now = uniform * (1.0 + math.exp(-coldness * log_odds)) < 1.0
        _count(state, paths, label, int(cut_now), 1 - int(cut_now))
        if cut_now != cut:
            turned += 1
            _renumber(trees, state, node, cut_now, numbers)
    return turned


@kernel()
def _count(
    state: Segmentation, paths: tuple[int, int, int], label: int, cuts: int, joints: int
) -> None:
    """Add uses of both pieces, ``label`` being the root of the lower one, and of the whole."""
    above, lower, joint = paths
    state.uses[above] += cuts
    state.uses[lower] += cuts
    state.rooted[label] += cuts
    state.uses[joint] += joints


@kernel()
def _renumber(
    trees: TreeColumns, state: Segmentation, node: int, cut: bool, numbers: LongArray
) -> None:
    """Turn a bit and write the new numbers of the ancestors."""
    state.site[node] = cut
    level = 0
    while True:
        node = trees.parent[node]
        state.fragment[node] = numbers[level]
        if state.site[node]:
            return
        level += 1


@kernel()
def _same_place(trees: TreeColumns, state: Segmentation, a: int, b: int) -> bool:
    """Say whether two nodes have equal joint fragments and are at the same place in them."""
    if state.fragment[a] != state.fragment[b]:
        return False
    while True:
        p, q = trees.parent[a], trees.parent[b]
        if trees.rule[p] != trees.rule[q] or state.site[p] != state.site[q]:
            return False
        k, m = p + 1, q + 1
        while k < p + trees.size[p]:
            if (k == a) != (m == b):
                return False
            if k != a and trees.size[k] > 1:
                if state.site[k] != state.site[m]:
                    return False
                if not state.site[k] and state.fragment[k] != state.fragment[m]:
                    return False
            k += trees.size[k]
            m += trees.size[m]
        if state.site[p]:
            return True
        a, b = p, q


@kernel()
def _gather(
    trees: TreeColumns,
    state: Segmentation,
    node: int,
    period: int,
    group: LongArray,
    block: LongArray,
) -> tuple[int, int]:
    """Write all nodes of one type; return how many, and how many of them are cut.

    ``period`` is the depth of the upper piece where both pieces are equal, else 0.
    """
    found, cuts = 0, 0
    for other in group:
        if period > 0 and (trees.depth[other] // period - trees.depth[node] // period) % 2 != 0:
            continue
        if _same_place(trees, state, node, other):
            block[found] = other
            found += 1
            cuts += state.site[other]
    return found, cuts


@kernel()
def _draw_cuts(log_odds: FloatArray, places: int, coldness: float, uniform: float) -> int:
    """Draw the number of cuts; ``log_odds[k]`` is of k + 1 against k named places cut."""
    weight = np.empty(places + 1)
    score, highest = 0.0, 0.0
    weight[0] = 0.0
    for k in range(places):
        score += coldness * log_odds[k] + math.log((places - k) / (k + 1.0))
        weight[k + 1] = score
        highest = max(highest, score)
    total = 0.0
    for k in range(places + 1):
        weight[k] = math.exp(weight[k] - highest)
        total += weight[k]
    target = uniform * total
    for k in range(places + 1):
        target -= weight[k]
        if target < 0.0:
            return k
    return int(np.argmax(weight))  # rounding left a crumb


@kernel()
def draw_types(
    trees: TreeColumns,
    state: Segmentation,
    parameters: Parameters,
    cache: tuple[LongArray, LongArray, FloatArray],
    places: LongArray,
    groups: tuple[LongArray, LongArray, LongArray],
    first: int,
    key: np.uint64,
    coldness: float,
    rho: FloatArray,
) -> int:
    """Draw all bits of the type of each pivot in turn; return how many turned.

    ``places`` are positions in the grouped nodes, ``groups`` the columns of
    :class:`~induction.bayes.columns.SharedRules`.
    """
    nodes, starts, group = groups
    block = np.empty(len(nodes), np.int64)
    numbers = np.empty((2, len(trees.size)), np.int64)
    turned = 0
    for i in range(len(places)):
        node, g = nodes[places[i]], group[places[i]]
        root, levels = _other_numbers(trees, state, parameters, node, numbers[0])
        _current_numbers(trees, state, node, numbers[1])
        cut_row = 1 if state.site[node] else 0  # which row has the numbers with the bit set
        above, joint = numbers[cut_row, levels - 1], numbers[1 - cut_row, levels - 1]
        lower, label, top = state.fragment[node], trees.label[node], trees.label[root]
        period = trees.depth[node] - trees.depth[root] if above == lower else 0
        found, cuts = _gather(trees, state, node, period, nodes[starts[g] : starts[g + 1]], block)
        paths = (above, lower, joint)
        _count(state, paths, label, -cuts, cuts - found)
        log_odds = _log_odds(state, parameters, cache, found, paths, (top, label), rho)
        stream, uniform = next_uniform(open_stream(key, first + i))
        cuts = _draw_cuts(log_odds, found, coldness, uniform)
        _count(state, paths, label, cuts, found - cuts)
        for k in range(found):
            # the first cuts of a partial shuffle
            if k < cuts:
                stream, uniform = next_uniform(stream)
                j = k + below(uniform, found - k)
                block[k], block[j] = block[j], block[k]
            if state.site[block[k]] != (k < cuts):
                turned += 1
                row = cut_row if k < cuts else 1 - cut_row
                _renumber(trees, state, block[k], k < cuts, numbers[row])
    return turned


@kernel()
def _current_numbers(
    trees: TreeColumns, state: Segmentation, node: int, numbers: LongArray
) -> None:
    level = 0
    while True:
        node = trees.parent[node]
        numbers[level] = state.fragment[node]
        if state.site[node]:
            return
        level += 1


@kernel()
def _log_odds(
    state: Segmentation,
    parameters: Parameters,
    cache: tuple[LongArray, LongArray, FloatArray],
    places: int,
    paths: tuple[int, int, int],
    labels: tuple[int, int],
    rho: FloatArray,
) -> FloatArray:
    """Return the log-odds of each further cut, all places taken out of the counts."""
    above, lower, joint = paths
    top, label = labels
    twice = 2 if above == lower else 1
    upper = np.empty(twice * places)
    _fill(state, parameters, cache, above, top, state.uses[above], upper, rho)
    whole = np.empty(places)
    _fill(state, parameters, cache, joint, top, state.uses[joint], whole, rho)
    odds = np.empty(places)
    if above != lower:
        _fill(state, parameters, cache, lower, label, state.uses[lower], odds, rho)
    for k in range(places):
        odds[k] = upper[2 * k] + upper[2 * k + 1] if twice == 2 else odds[k] + upper[k]
        odds[k] -= whole[places - 1 - k]
        odds[k] -= math.log(parameters.concentration[label] + state.rooted[label] + k)
    return odds
