"""Sampling that reaches every rule: derivations drawn for a rule that they must use.

A derivation d is drawn for a rule r with a probability in proportion to p(d) times the number of
uses of r in d. So a use of r is drawn first, with all that stands around it by *outside* values,
and then all that hangs below by *inside* values. Both are exact, and given that the yield has a
length in a band.

``outside[u, e]`` is the weight of all that can stand around unit u (a symbol, a word, or the rest
of a right-hand side, see :mod:`grammar.lengths`) and has e words. The two tables are scaled alike.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
import scipy.sparse.linalg

from grammar.arrays import FloatArray, Index, IntArray, LongArray, kernel
from grammar.compiled import draw_alias
from grammar.counter_rng import next_uniform, open_stream
from grammar.derivations import Derivations, collect
from grammar.errors import LengthBandError, OptionError
from grammar.grammar import Grammar
from grammar.lengths import (
    LengthSampler,
    _choose,
    _ending_weights,
    _inside_lengths,
    _rule_groups,
    _same_length_steps,
    _split,
    _Suffixes,
)

__all__ = ["CoverageSampler", "expected_uses"]

_ROOT, _RULES, _FIRST, _REST = 0, 1, 2, 3
"""How a unit comes to stand where it does: as the start, as the whole right-hand side of some
rules, as the first part of a longer unit, or as the rest of one."""
_ONE, _WAY = -1, -2


class _Tables(NamedTuple):
    """What draws are made of.

    Way w of unit u (``up_starts[u] <= w < up_starts[u + 1]``) is one in which the unit stands
    somewhere: its kind, the unit above (for rules, their left-hand side), the sibling unit or the
    group of rules, and the weight. Groups are those of :func:`grammar.lengths._rule_groups`.
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


class CoverageSampler:
    """Draws derivations that use given rules, with a yield in a band of lengths.

    Parameters
    ----------
    grammar : Grammar
        Need not be tight.
    shortest, longest : int
        The band, both ends included, in words.

    Attributes
    ----------
    rules : int64 array
        The rules that some derivation with such a length uses.

    Raises
    ------
    OptionError
        If the band is not 0 <= shortest <= longest.
    LengthBandError
        If the grammar has no sentence with such a length.

    Examples
    --------
    >>> grammar = Grammar.parse("S -> 'a' S [0.5] | 'b' [0.25] | 'c' [0.25]")
    >>> sampler = CoverageSampler(grammar, 2, 3)
    >>> draws = sampler.draw(np.uint64(7), np.arange(3), np.array([2, 2, 2]))
    >>> [grammar.rules.words[w] for w in draws.words[draws.word_offsets[1:] - 1]]
    ['c', 'c', 'c']
    """

    def __init__(self, grammar: Grammar, shortest: int, longest: int) -> None:
        LengthSampler(grammar, shortest, longest)  # which says what is wrong with a band
        self._tables = _tables(grammar, shortest, longest)
        self.rules = np.flatnonzero(_uses(self._tables, grammar) > 0)

    def draw(self, key: np.uint64, numbers: LongArray, targets: LongArray) -> Derivations:
        """Draw the derivations with these numbers of a stream family, one for each target.

        ``log_probability`` is that of the derivation under the grammar.

        Raises
        ------
        OptionError
            If a target is not among :attr:`rules`.
        """
        targets = np.asarray(targets, np.int64)
        if not np.isin(targets, self.rules).all():
            raise OptionError(
                "a rule that no derivation with such a length uses cannot be drawn for",
                hint="choose among the attribute 'rules'",
            )
        return collect(
            lambda at, buffers: _draw(key, numbers[at:], targets[at:], self._tables, *buffers),
            0,
            len(targets),
            len(targets) * 4 * (self._tables.longest + 1) + 1024,
        )


def expected_uses(grammar: Grammar, shortest: int, longest: int) -> FloatArray:
    """Return how often each rule is used in a derivation whose yield is in the band, on average.

    The average is over all derivations, those out of the band counting as none.

    >>> grammar = Grammar.parse("S -> 'a' S [0.5] | 'b' [0.5]")
    >>> expected_uses(grammar, 2, 3).tolist()
    [0.5, 0.375]
    """
    return _uses(_tables(grammar, shortest, longest), grammar)


def _uses(tables: _Tables, grammar: Grammar) -> FloatArray:
    length = tables.longest
    sizes = np.arange(length + 1)
    total = sizes[:, None] + sizes
    scale = np.where(
        (total >= tables.shortest) & (total <= length), tables.untilt[np.minimum(total, length)], 0
    )
    # one product a unit and symbol, not a rule: rules with equal children differ by weight only
    pairs, which = np.unique(np.stack((tables.lhs, tables.rule_unit)), axis=1, return_inverse=True)
    below = tables.inside[pairs[1]] @ scale
    mass = np.einsum("ij,ij->i", below, tables.outside[pairs[0]])
    return np.asarray(_ending_weights(grammar) * mass[which.ravel()], np.float64)


def _tables(grammar: Grammar, shortest: int, longest: int) -> _Tables:
    inside, suffixes, log_tilt = _inside_lengths(grammar, longest)
    weight = _ending_weights(grammar)
    outside = _outside(grammar, weight, suffixes, inside)
    if not outside.any():
        raise LengthBandError(
            f"the grammar has no sentence of {shortest} to {longest} words",
            where=f"start symbol {grammar.start}",
        )
    rules = grammar.rules
    groups = _rule_groups(grammar, suffixes, inside)
    heads, order = groups[1][:-1], groups[2]
    total = np.add.reduceat(weight[order], heads)
    one = order[heads]
    up = _ways_up(grammar.start_id, suffixes, rules.lhs[one], suffixes.rule_unit[one], total)
    columns: Any = (
        grammar.start_id, shortest, longest, *up, *groups,
        rules.lhs, rules.offsets, rules.rhs, suffixes.unit, suffixes.rule_unit, suffixes.word,
        inside, outside, np.exp(-log_tilt * np.arange(longest + 1)), grammar.compiled.log_weight,
    )  # fmt: skip
    return _Tables(*columns)


def _ways_up(
    start: int, suffixes: _Suffixes, lhs: IntArray, unit: LongArray, total: FloatArray
) -> tuple[LongArray, IntArray, LongArray, LongArray, FloatArray]:
    """List how every unit may stand somewhere, by unit; the groups of rules are given."""
    longer = np.arange(len(suffixes.first)) + suffixes.symbols + 2
    groups, pairs = len(lhs), len(longer)
    of = np.concatenate(([start], unit, suffixes.first, suffixes.rest))
    kind = np.repeat([_ROOT, _RULES, _FIRST, _REST], [1, groups, pairs, pairs]).astype(np.int32)
    above = np.concatenate(([start], lhs.astype(np.int64), longer, longer))
    other = np.concatenate(([-1], np.arange(groups), suffixes.rest, suffixes.first))
    weight = np.concatenate(([1.0], total, np.ones(2 * pairs)))
    by_unit = np.argsort(of, kind="stable")
    starts = np.searchsorted(of[by_unit], np.arange(suffixes.count + 1)).astype(np.int64)
    return starts, kind[by_unit], above[by_unit], other[by_unit], weight[by_unit]


def _outside(
    grammar: Grammar, weight: FloatArray, suffixes: _Suffixes, inside: FloatArray
) -> FloatArray:
    """Return the table (units, longest + 1) of outside weights."""
    step = _same_length_steps(grammar, weight, suffixes, inside[:, 0])
    system = sp.csc_array((sp.eye_array(suffixes.count, format="csc") - step).T)
    solve = scipy.sparse.linalg.splu(system, diag_pivot_thresh=0.0).solve
    outside = np.zeros_like(inside)
    for e in range(inside.shape[1]):
        known = np.zeros(suffixes.count)
        known[grammar.start_id] = float(e == 0)
        _around(inside, outside, suffixes.first, suffixes.rest, suffixes.symbols + 2, e, known)
        outside[:, e] = np.maximum(solve(known), 0.0)
    return outside


@kernel()
def _around(
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
def _place(t: _Tables, rule: int, u: float) -> tuple[int, int]:
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
def _above(t: _Tables, way: int, e: int, s: int) -> float:
    """Return the weight of a way up, the sibling having s words."""
    if t.up_kind[way] == _ROOT:
        return 1.0 if e == 0 else 0.0
    if t.up_kind[way] == _RULES:
        return t.up_weight[way] * t.outside[t.up_unit[way], e]
    return t.inside[t.up_other[way], s] * t.outside[t.up_unit[way], e - s]


@kernel()
def _way_up(t: _Tables, unit: int, e: int, u: float) -> tuple[int, int]:
    """Draw the way in which a unit stands somewhere with e words around it."""
    target = u * t.outside[unit, e]
    total = 0.0
    last, last_size = -1, 0
    for way in range(t.up_starts[unit], t.up_starts[unit + 1]):
        most = e if t.up_kind[way] >= _FIRST else 0
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
    t: _Tables, symbol: int, e: int, state: np.uint64, ways: LongArray, sizes: LongArray
) -> tuple[np.uint64, int]:
    """Draw what stands around a symbol, upwards; return how many steps, or -1 without room."""
    unit, steps = symbol, 0
    while True:
        state, u = next_uniform(state)
        way, s = _way_up(t, unit, e, u)
        if t.up_kind[way] == _ROOT:
            return state, steps
        if steps == len(ways):
            return state, -1
        ways[steps], sizes[steps] = way, s
        steps += 1
        unit = t.up_unit[way]
        e -= s


@kernel(inline="always")
def _group(t: _Tables, symbol: int, n: int, u: float) -> Index:
    """Draw the group of the rule by which a symbol yields n words."""
    return _choose(t.chance[n], t.starts[symbol], t.starts[symbol + 1], u)


@kernel(inline="always")
def _push(stack: LongArray, depth: int, child: int, what: int, n: int) -> int:
    stack[depth], stack[depth + 1], stack[depth + 2] = child, what, n
    return depth + 3


@kernel(inline="always")
def _turn(t: _Tables, ways: LongArray, step: int) -> tuple[int, bool]:
    """Return how many children stand before the way down in a rule, and if some stand behind.

    Steps below ``step`` are still to be gone, the last one first.
    """
    before = 0
    while step - before > 0 and t.up_kind[ways[step - before - 1]] == _REST:
        before += 1
    at = step - before - 1
    return before, at >= 0 and t.up_kind[ways[at]] == _FIRST


@kernel(inline="always")
def _push_way(
    t: _Tables,
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


@kernel()
def _draw(
    key: np.uint64,
    numbers: LongArray,
    targets: LongArray,
    t: _Tables,
    stack: LongArray,
    words: IntArray,
    word_offsets: LongArray,
    rules: IntArray,
    rule_offsets: LongArray,
    log_probability: FloatArray,
) -> int:
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
                if child + 1 < what:
                    unit = t.rhs[child] if t.rhs[child] >= 0 else t.word_unit
                    state, u = next_uniform(state)
                    k = _split(t.inside, unit, t.unit[child + 1], n, u)
                    depth = _push(stack, depth, child + 1, what, n - k)
                    n = k
                depth = _push(stack, depth, t.rhs[child], _ONE, n)
                continue
            if what == _ONE and child < 0:
                if w == len(words):
                    return done
                words[w] = -1 - child
                w += 1
                continue
            rule, on_way = targets[done], what == _WAY and step > 0
            if what == _ONE or on_way:
                state, u = next_uniform(state)
                group = t.up_other[ways[step - 1]] if on_way else _group(t, child, n, u)
                state, u = next_uniform(state)
                rule = t.order[
                    draw_alias(t.cut, t.alias, t.members[group], t.members[group + 1], u)
                ]
            else:
                n = below
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
