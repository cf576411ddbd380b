"""Kernels that fill the sampling tables of synchronous grammars, and draw from them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from grammar.arrays import FloatArray, IntArray, LongArray, kernel
from grammar.rng import next_uniform, open_stream

__all__ = ["Rules", "depths", "draw_depth", "draw_lengths", "fill", "is_still"]


class Rules(NamedTuple):
    """Rules as columns.

    Rule r rewrites type ``lhs[r]``, its slots are ``offsets[r]`` to ``offsets[r + 1] - 1``, and the
    rules of a type are ``members[starts[type] : starts[type + 1]]``.
    """

    lhs: LongArray
    starts: LongArray
    members: LongArray
    mass: FloatArray
    source_words: LongArray
    target_words: LongArray
    offsets: LongArray
    child: LongArray
    copies: LongArray


@kernel()
def is_still(source_words: int, target_words: int, copies: int) -> bool:
    """Say whether a rule with one slot adds nothing to the lengths that count."""
    return source_words == 0 and target_words == 0 and copies <= 1


@kernel()
def fill(
    solve: FloatArray, rules: Rules, longest: int, longest_target: int
) -> tuple[FloatArray, FloatArray]:
    """Return ``inside`` (types, n, m) and ``rest`` (slots, n, m): a slot and those after it."""
    lhs, starts, _, mass, source_words, target_words, offsets, child, copies = rules
    types = len(starts) - 1
    inside = np.zeros((types, longest + 1, longest_target + 1))
    rest = np.zeros((len(child), longest + 1, longest_target + 1))
    for n in range(longest + 1):
        for m in range(longest_target + 1):
            known = np.zeros(types)
            for r in range(len(lhs)):
                begin, end = offsets[r], offsets[r + 1]
                for s in range(end - 2, begin - 1, -1):
                    rest[s, n, m] = _split_sum(inside, rest, child[s], copies[s], s, n, m)
                a, b = n - source_words[r], m - target_words[r]
                if a < 0 or b < 0:
                    continue
                if begin == end:
                    known[lhs[r]] += mass[r] * (a == 0 and b == 0)
                elif end - begin > 1:
                    known[lhs[r]] += mass[r] * rest[begin, a, b]
                elif not is_still(source_words[r], target_words[r], copies[begin]):
                    k = max(copies[begin], 1)
                    if b % k == 0:
                        known[lhs[r]] += mass[r] * inside[child[begin], a, b // k]
            inside[:, n, m] = np.maximum(solve @ known, 0.0)
            for r in range(len(lhs)):
                if offsets[r + 1] > offsets[r]:
                    s = offsets[r + 1] - 1
                    k = max(copies[s], 1)
                    if m % k == 0:
                        rest[s, n, m] = inside[child[s], n, m // k]
    return inside, rest


@kernel()
def _split_sum(
    inside: FloatArray, rest: FloatArray, child: int, copies: int, s: int, n: int, m: int
) -> float:
    total = 0.0
    for a in range(n + 1):
        for b in range(m // max(copies, 1) + 1):
            total += inside[child, a, b] * rest[s + 1, n - a, m - copies * b]
    return total


@kernel()
def _place(sums: FloatArray, u: float) -> int:
    """Return the entry of cumulative shares that a uniform number falls into."""
    return min(int(np.searchsorted(sums, u, side="right")), len(sums) - 1)


@kernel()
def draw_lengths(
    key: np.uint64,
    index: int,
    start: int,
    cells: LongArray,
    chance: FloatArray,
    rules: Rules,
    inside: FloatArray,
    rest: FloatArray,
    out: IntArray,
) -> int:
    """Write the rules of one derivation in preorder; return how many, or -1 if room is short."""
    starts, members, offsets = rules.starts, rules.members, rules.offsets
    child, copies = rules.child, rules.copies
    state = open_stream(key, index)
    state, u = next_uniform(state)
    cell = _place(chance, u)
    stack = [(start, int(cells[cell, 0]), int(cells[cell, 1]))]
    made = 0
    while len(stack):
        symbol, n, m = stack.pop()
        total = 0.0
        for i in range(starts[symbol], starts[symbol + 1]):
            total += _rule_mass(rules, members[i], n, m, rest)
        state, u = next_uniform(state)
        left = u * total
        rule = -1
        for i in range(starts[symbol], starts[symbol + 1]):
            part = _rule_mass(rules, members[i], n, m, rest)
            if part > 0.0:
                rule = members[i]
                left -= part
                if left < 0.0:
                    break
        if made == len(out):
            return -1
        out[made] = rule
        made += 1
        n -= int(rules.source_words[rule])
        m -= int(rules.target_words[rule])
        begin, end = offsets[rule], offsets[rule + 1]
        first = len(stack)
        for s in range(begin, end):
            if s == end - 1:
                stack.append((int(child[s]), n, m // max(int(copies[s]), 1)))
                break
            state, u = next_uniform(state)
            left = u * rest[s, n, m]
            a_found, b_found = 0, 0
            for a in range(n + 1):
                for b in range(m // max(copies[s], 1) + 1):
                    part = inside[child[s], a, b] * rest[s + 1, n - a, m - copies[s] * b]
                    if part > 0.0 and left >= 0.0:
                        a_found, b_found = a, b
                        left -= part
            stack.append((int(child[s]), a_found, b_found))
            n -= a_found
            m -= int(copies[s]) * b_found
        # the first slot comes first in preorder
        last = len(stack) - 1
        while first < last:
            stack[first], stack[last] = stack[last], stack[first]
            first += 1
            last -= 1
    return made


@kernel()
def _rule_mass(rules: Rules, rule: int, n: int, m: int, rest: FloatArray) -> float:
    a, b = n - rules.source_words[rule], m - rules.target_words[rule]
    if a < 0 or b < 0:
        return 0.0
    if rules.offsets[rule] == rules.offsets[rule + 1]:
        return rules.mass[rule] * (a == 0 and b == 0)
    return rules.mass[rule] * rest[rules.offsets[rule], a, b]


@kernel()
def depths(rules: Rules, most: int) -> tuple[FloatArray, FloatArray]:
    """Return the mass of derivations of up to and of exactly d levels, shapes (d + 1, types).

    A rule has exactly d levels if some child is the first to have d - 1; nothing is subtracted.
    """
    lhs, mass, offsets, child = rules.lhs, rules.mass, rules.offsets, rules.child
    types = len(rules.starts) - 1
    upto, exact = np.zeros((most + 1, types)), np.zeros((most + 1, types))
    for d in range(1, most + 1):
        for r in range(len(lhs)):
            exact[d, lhs[r]] += mass[r] * _reaching(
                upto, exact, child, offsets[r], offsets[r + 1], d - 1
            )
        upto[d] = upto[d - 1] + exact[d]
    return upto, exact


@kernel()
def _reaching(
    upto: FloatArray, exact: FloatArray, child: LongArray, begin: int, end: int, d: int
) -> float:
    """Return the mass of slots from ``begin`` on of which one has exactly d levels, none more."""
    if begin == end:
        return 1.0 if d == 0 else 0.0
    if d == 0:
        return 0.0
    total, before = 0.0, 1.0
    for s in range(begin, end):
        after = 1.0
        for other in range(s + 1, end):
            after *= upto[d, child[other]]
        total += before * exact[d, child[s]] * after
        before *= upto[d - 1, child[s]]
    return total


@kernel()
def draw_depth(
    key: np.uint64,
    index: int,
    start: int,
    levels: FloatArray,
    rules: Rules,
    upto: FloatArray,
    exact: FloatArray,
    stack: LongArray,
    out: IntArray,
) -> int:
    """Write the rules of one derivation in preorder; -1 if there is no room for them."""
    starts, members, mass = rules.starts, rules.members, rules.mass
    offsets, child = rules.offsets, rules.child
    state = open_stream(key, index)
    state, u = next_uniform(state)
    stack[0, 0] = start
    stack[0, 1] = _place(levels, u)
    stack[0, 2] = 1
    height, made = 1, 0
    while height:
        height -= 1
        symbol, d, reach = stack[height, 0], stack[height, 1], stack[height, 2]
        state, u = next_uniform(state)
        left = u * (exact[d, symbol] if reach else upto[d, symbol])
        rule = -1
        for i in range(starts[symbol], starts[symbol + 1]):
            r = members[i]
            if reach:
                part = mass[r] * _reaching(upto, exact, child, offsets[r], offsets[r + 1], d - 1)
            else:
                part = mass[r]
                for s in range(offsets[r], offsets[r + 1]):
                    part *= upto[d - 1, child[s]]
            if part > 0.0:
                rule = r
                left -= part
                if left < 0.0:
                    break
        begin, end = offsets[rule], offsets[rule + 1]
        if made + 1 > len(out) or height + end - begin > len(stack):
            return -1
        out[made] = rule
        made += 1
        first = _reaching(upto, exact, child, begin, end, d - 1) if reach else 0.0
        state, u = next_uniform(state)
        left = u * first
        chosen = -1
        for s in range(begin, end if reach else begin):
            part = exact[d - 1, child[s]]
            for other in range(begin, end):
                if other != s:
                    part *= upto[d - 2 if other < s else d - 1, child[other]]
            if part > 0.0 and left >= 0.0:
                chosen = s
                left -= part
        for s in range(end - 1, begin - 1, -1):
            limit = d - 2 if 0 <= s < chosen else d - 1
            stack[height, 0] = child[s]
            stack[height, 1] = limit
            stack[height, 2] = 1 if s == chosen else 0
            height += 1
    return made
