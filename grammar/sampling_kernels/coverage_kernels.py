"""Kernels that draw derivations around and below a use of a rule (see ``coverage``)."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from grammar.arrays import FloatArray, Index, IntArray, LongArray, kernel
from grammar.rng import next_uniform, open_stream
from grammar.rules.compiled import draw_alias
from grammar.sampling_kernels.ancestral import Buffers
from grammar.sampling_kernels.inside_lengths import choose, split

__all__ = ["FIRST", "REST", "ROOT", "RULES", "Tables", "around", "draw"]

ROOT, RULES, FIRST, REST = 0, 1, 2, 3
"""How a unit comes to stand where it does: as the start, as the whole right-hand side of some
rules, as the first part of a longer unit, or as the rest of one."""
_ONE, _WAY = -1, -2


class Tables(NamedTuple):
    """What draws are made of.

    Way w of unit u (``up_starts[u] <= w < up_starts[u + 1]``) is one in which the unit stands
    somewhere: its kind, the unit above (for rules, their left-hand side), the sibling unit or the
    group of rules, and the weight. Groups are those of
    :func:`grammar.sampling_kernels.inside_lengths.rule_groups`.
    """

    start: int
    shortest: int
    longest: int
    up_starts: LongArray
    up_kind: IntArray
    up_unit: LongArray
    up_other: LongArray
    up_weight: FloatArray
    starts: LongArray
    members: LongArray
    order: LongArray
    chance: FloatArray
    cut: FloatArray
    alias: LongArray
    lhs: IntArray
    offsets: LongArray
    rhs: IntArray
    unit: LongArray
    rule_unit: LongArray
    word_unit: int
    inside: FloatArray
    outside: FloatArray
    untilt: FloatArray
    log_weight: FloatArray


@kernel()
def around(
    inside: FloatArray,
    outside: FloatArray,
    first: LongArray,
    rest: LongArray,
    begin: int,
    e: int,
    out: FloatArray,
) -> None:
    """Add what stands around the two parts of each longer unit, the other part not being empty."""
    for i in range(len(first)):
        a, b = first[i], rest[i]
        for s in range(1, e + 1):
            above = outside[begin + i, e - s]
            if above > 0.0:
                out[a] += inside[b, s] * above
                out[b] += inside[a, s] * above


@kernel()
def _place(t: Tables, rule: int, u: float) -> tuple[int, int]:
    """Return how many words a use of the rule has below it, and how many around it."""
    symbol, unit = t.lhs[rule], t.rule_unit[rule]
    total = 0.0
    for again in range(2):
        target = u * total
        total = 0.0
        below, around = 0, 0
        for m in range(t.longest + 1):
            if t.inside[unit, m] == 0.0:
                continue
            for e in range(max(0, t.shortest - m), t.longest + 1 - m):
                part = t.inside[unit, m] * t.outside[symbol, e] * t.untilt[m + e]
                if part > 0.0:
                    total += part
                    below, around = m, e
                    if again == 1 and total > target:
                        return below, around
    return below, around


@kernel(inline="always")
def _above(t: Tables, way: int, e: int, s: int) -> float:
    """Return the weight of a way up, the sibling having s words."""
    if t.up_kind[way] == ROOT:
        return 1.0 if e == 0 else 0.0
    if t.up_kind[way] == RULES:
        return t.up_weight[way] * t.outside[t.up_unit[way], e]
    return t.inside[t.up_other[way], s] * t.outside[t.up_unit[way], e - s]


@kernel()
def _way_up(t: Tables, unit: int, e: int, u: float) -> tuple[int, int]:
    """Draw the way in which a unit stands somewhere with e words around it."""
    target = u * t.outside[unit, e]
    total = 0.0
    last, last_size = -1, 0
    for way in range(t.up_starts[unit], t.up_starts[unit + 1]):
        most = e if t.up_kind[way] >= FIRST else 0
        for s in range(most + 1):
            part = _above(t, way, e, s)
            if part > 0.0:
                total += part
                last, last_size = way, s
                if total > target:
                    return last, last_size
    return last, last_size


@kernel()
def _climb(
    t: Tables, symbol: int, e: int, state: np.uint64, ways: LongArray, sizes: LongArray
) -> tuple[np.uint64, int]:
    """Draw what stands around a symbol, upwards; return how many steps, or -1 without room."""
    unit, steps = symbol, 0
    while True:
        state, u = next_uniform(state)
        way, s = _way_up(t, unit, e, u)
        if t.up_kind[way] == ROOT:
            return state, steps
        if steps == len(ways):
            return state, -1
        ways[steps], sizes[steps] = way, s
        steps += 1
        unit = t.up_unit[way]
        e -= s


@kernel()
def _rule(
    t: Tables, group: Index, symbol: int, n: int, state: np.uint64
) -> tuple[np.uint64, Index]:
    """Draw a rule of a group or, without one, a rule by which a symbol yields n words."""
    if group < 0:
        state, u = next_uniform(state)
        group = choose(t.chance[n], t.starts[symbol], t.starts[symbol + 1], u)
    state, u = next_uniform(state)
    begin: Any = t.members[group]
    end: Any = t.members[group + 1]
    return state, t.order[draw_alias(t.cut, t.alias, begin, end, u)]


@kernel(inline="always")
def _push(stack: LongArray, depth: int, child: int, what: int, n: int) -> int:
    stack[depth], stack[depth + 1], stack[depth + 2] = child, what, n
    return depth + 3


@kernel(inline="always")
def _turn(t: Tables, ways: LongArray, step: int) -> tuple[int, bool]:
    """Return how many children stand before the way down in a rule, and if some stand behind.

    Steps below ``step`` are still to be gone, the last one first.
    """
    before = 0
    while step - before > 0 and t.up_kind[ways[step - before - 1]] == REST:
        before += 1
    at = step - before - 1
    return before, at >= 0 and t.up_kind[ways[at]] == FIRST


@kernel(inline="always")
def _push_way(
    t: Tables,
    stack: LongArray,
    depth: int,
    rule: int,
    step: int,
    ways: LongArray,
    sizes: LongArray,
) -> tuple[int, int]:
    """Put the children of a rule on the stack, one of which the way leads through."""
    before, behind = _turn(t, ways, step)
    begin, end = t.offsets[rule], t.offsets[rule + 1]
    if behind:
        depth = _push(stack, depth, begin + before + 1, end, sizes[step - before - 1])
    depth = _push(stack, depth, 0, _WAY, 0)
    for j in range(before - 1, -1, -1):
        depth = _push(stack, depth, t.rhs[begin + j], _ONE, sizes[step - 1 - j])
    return depth, step - before - behind


@kernel(inline="always")
def _push_first(
    t: Tables, stack: LongArray, depth: int, child: int, end: int, n: int, state: np.uint64
) -> tuple[np.uint64, int]:
    """Share n words out between a child and those behind it, and put both on the stack."""
    if child + 1 < end:
        unit = t.rhs[child] if t.rhs[child] >= 0 else t.word_unit
        state, u = next_uniform(state)
        k = split(t.inside, unit, t.unit[child + 1], n, u)
        depth = _push(stack, depth, child + 1, end, n - k)
        n = k
    return state, _push(stack, depth, t.rhs[child], _ONE, n)


@kernel()
def draw(
    key: np.uint64,
    numbers: LongArray,
    targets: LongArray,
    t: Tables,
    out: Buffers,
) -> int:
    """Draw a derivation for each target; return how many fit into the buffers."""
    stack, words, word_offsets, rules, rule_offsets, log_probability = out
    w = r = 0
    ways, sizes = np.empty(len(stack), np.int64), np.empty(len(stack), np.int64)
    for done in range(len(log_probability)):
        state, u = next_uniform(open_stream(key, numbers[done]))
        below, around = _place(t, targets[done], u)
        state, step = _climb(t, t.lhs[targets[done]], around, state, ways, sizes)
        if step < 0:
            return done
        score = 0.0
        # three numbers each: a child, _ONE and its words; the first of some children, where they
        # end, and their words; or 0, _WAY, 0: go on down the way that was climbed
        depth = _push(stack, 0, 0, _WAY, 0)
        while depth > 0:
            depth -= 3
            child, what, n = stack[depth], stack[depth + 1], stack[depth + 2]
            if what >= 0:
                state, depth = _push_first(t, stack, depth, child, what, n, state)
                continue
            if what == _ONE and child < 0:
                if w == len(words):
                    return done
                words[w] = -1 - child
                w += 1
                continue
            on_way = what == _WAY and step > 0
            at_target = what == _WAY and step == 0
            rule = targets[done]
            if at_target:
                n = below
            else:
                group = t.up_other[ways[step - 1]] if on_way else -1
                state, rule = _rule(t, group, child, n, state)
            children = t.offsets[rule + 1] - t.offsets[rule]
            if r == len(rules) or depth + 3 * (children + 2) > len(stack):
                return done
            rules[r] = rule
            r += 1
            score += t.log_weight[rule]
            if on_way:
                depth, step = _push_way(t, stack, depth, rule, step - 1, ways, sizes)
            elif children > 0:
                depth = _push(stack, depth, t.offsets[rule], t.offsets[rule + 1], n)
        word_offsets[done + 1] = w
        rule_offsets[done + 1] = r
        log_probability[done] = score
    return len(log_probability)
