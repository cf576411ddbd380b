"""How probable each length is below every symbol and every suffix of a right-hand side.

``inside[x, n]`` is the probability that x yields exactly n words, for every symbol and for every
*suffix*: the part of a right-hand side from some child on. A suffix is its first child and the
next suffix, so all recursions have two parts, whatever the length of the rules. As far as lengths
go all words are alike, which makes the tables small.

Unary chains, and rules with children that may yield nothing, make the values of one length depend
on each other. They do so linearly, in the same way for every length, so one sparse factorisation
solves them all (the empty yields themselves are a least fixed point).

A long sentence has a tiny probability. Multiplying the weight of each word by a factor changes no
conditional probability given the length, so the tables are rescaled by such factors on the way
(Boltzmann tilting), and long sentences do not underflow. (A length that is 1e200 times less likely
than others near it may count as impossible.)
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import scipy.sparse as sp
import scipy.sparse.linalg

from grammar.arrays import FloatArray, LongArray, kernel
from grammar.pcfg.analysis import productive, reachable, termination
from grammar.pcfg.grammar import Grammar
from grammar.rules.compiled import alias_tables

__all__ = [
    "Groups",
    "Suffixes",
    "choose",
    "convolve",
    "ending_weights",
    "inside_lengths",
    "rule_groups",
    "same_length_steps",
    "split",
    "suffixes_of",
]

_SMALL, _LARGE = 1e-100, 1e100


@dataclass(frozen=True, eq=False)
class Suffixes:
    """Right-hand sides as units: nonterminals first, then the word unit, then longer suffixes.

    ``unit[i]`` is the unit of the suffix that begins at entry i of ``rules.rhs``; a suffix of one
    child is that child. ``first`` and ``rest`` take longer suffixes apart. Unit ``empty`` stands
    for a right-hand side without children.
    """

    symbols: int
    unit: LongArray
    rule_unit: LongArray
    first: LongArray
    rest: LongArray

    @property
    def word(self) -> int:
        """The unit of all words."""
        return self.symbols

    @property
    def empty(self) -> int:
        """The unit of nothing."""
        return self.symbols + 1

    @property
    def count(self) -> int:
        """How many units there are."""
        return self.symbols + 2 + len(self.first)


def inside_lengths(grammar: Grammar, longest: int) -> tuple[FloatArray, Suffixes, float]:
    """Return the table (units, longest + 1), the suffixes, and the log of the tilt of a word."""
    suffixes = suffixes_of(grammar)
    weight = ending_weights(grammar)
    inside = np.zeros((suffixes.count, longest + 1))
    inside[suffixes.empty, 0] = 1.0
    inside[: suffixes.symbols, 0] = _empty_yields(grammar, weight)
    _empty_suffixes(inside, suffixes.first, suffixes.rest, suffixes.symbols + 2)
    if longest > 0:
        inside[suffixes.word, 1] = 1.0
    step = same_length_steps(grammar, weight, suffixes, inside[:, 0])
    identity = sp.eye_array(suffixes.count, format="csc")
    # with pivots on the diagonal nothing is ever subtracted, so what is impossible stays zero
    system = sp.csc_array(identity - step)
    solve = scipy.sparse.linalg.splu(system, diag_pivot_thresh=0.0).solve
    log_tilt = 0.0
    units, symbols = np.zeros(longest + 1), np.zeros(longest + 1)
    for n in range(1, longest + 1):
        known = np.zeros(suffixes.count)
        known[suffixes.word] = inside[suffixes.word, n]
        convolve(inside, suffixes.first, suffixes.rest, n, known[suffixes.symbols + 2 :])
        inside[:, n] = np.maximum(solve(known), 0.0)
        units[n] = inside[:, n].max()
        symbols[n] = inside[: suffixes.symbols, n].max()
        scale = _tilt(symbols[: n + 1], units[: n + 1])
        if scale != 0.0:
            factor = np.exp(scale * np.arange(n + 1))
            for table in (inside, symbols, units):
                table[..., : n + 1] *= factor
            log_tilt += scale
    return inside, suffixes, log_tilt


def _tilt(symbols: FloatArray, units: FloatArray) -> float:
    """Return the logarithm of a factor for each word that keeps the tables in range; 0 if none.

    Given are the largest values of any symbol, and of any unit, for each length so far. The later
    half of the lengths counts, because lengths that are all but impossible may lie between.
    """
    n = len(units) - 1
    if units[n] > _LARGE:
        return float(-np.log(units[n]) / n)
    recent = n // 2 + 1 + int(np.argmax(symbols[n // 2 + 1 :]))
    if not 0.0 < symbols[recent] < _SMALL:
        return 0.0
    with np.errstate(divide="ignore"):
        room = (np.log(_LARGE) - np.log(units[1:])) / np.arange(1, n + 1)
    return max(0.0, min(float(-np.log(symbols[recent]) / recent), float(room.min())))


def suffixes_of(grammar: Grammar) -> Suffixes:
    """Take the right-hand sides of a grammar apart."""
    rules = grammar.rules
    symbols = len(rules.nonterminals)
    children = np.where(rules.rhs >= 0, rules.rhs, symbols).tolist()
    bounds = rules.offsets.tolist()
    unit = np.zeros(len(children), np.int64)
    rule_unit = np.full(len(rules), symbols + 1, np.int64)
    known: dict[tuple[int, int], int] = {}
    for rule in range(len(rules)):
        rest = -1
        for i in range(bounds[rule + 1] - 1, bounds[rule] - 1, -1):
            pair = (children[i], rest)
            rest = children[i] if rest < 0 else known.setdefault(pair, symbols + 2 + len(known))
            unit[i] = rest
        if rest >= 0:
            rule_unit[rule] = rest
    pairs = np.array(list(known), np.int64).reshape(-1, 2)
    return Suffixes(symbols, unit, rule_unit, pairs[:, 0].copy(), pairs[:, 1].copy())


def ending_weights(grammar: Grammar) -> FloatArray:
    """Return the rule weights, zero for rules that can never end or never be used."""
    rules = grammar.rules
    fertile = productive(grammar)
    rule = np.repeat(np.arange(len(rules)), np.diff(rules.offsets))
    inner = np.flatnonzero(rules.rhs >= 0)
    weight = grammar.weight.copy()
    weight[rule[inner[~fertile[rules.rhs[inner]]]]] = 0.0
    # symbols out of reach could decay so much more slowly with the length that all else underflows
    weight[~reachable(grammar, weight)[rules.lhs]] = 0.0
    return weight


def _empty_yields(grammar: Grammar, weight: FloatArray) -> FloatArray:
    """Return the probability that each symbol yields no words: it ends without using any."""
    rules = grammar.rules
    rule = np.repeat(np.arange(len(rules)), np.diff(rules.offsets))
    wordless = weight.copy()
    wordless[rule[rules.rhs < 0]] = 0.0
    return termination(grammar, wordless)


def same_length_steps(
    grammar: Grammar, weight: FloatArray, suffixes: Suffixes, empty: FloatArray
) -> sp.csc_array:
    """Return how the values of one length depend on each other, shape (units, units)."""
    longer = np.arange(len(suffixes.first)) + suffixes.symbols + 2
    rows = np.concatenate((grammar.rules.lhs, longer, longer))
    columns = np.concatenate((suffixes.rule_unit, suffixes.first, suffixes.rest))
    values = np.concatenate((weight, empty[suffixes.rest], empty[suffixes.first]))
    used = values > 0
    entries = (values[used], (rows[used], columns[used]))
    return sp.csc_array(sp.coo_array(entries, shape=(suffixes.count, suffixes.count)))


class Groups(NamedTuple):
    """The rules of each symbol by unit: given a length, those of a group differ by weight only.

    Attributes
    ----------
    starts : int64 array, shape (nonterminals + 1,)
        Symbol k has the groups ``starts[k] : starts[k + 1]``.
    members : int64 array, shape (groups + 1,); order : int64 array, shape (rules,)
        Group g has the rules ``order[members[g] : members[g + 1]]``.
    chance : float64 array, shape (longest + 1, groups)
        Probability of the groups of a symbol up to g, given the length; not normalised.
    cut, alias : float64 and int64 arrays, shape (rules,)
        Alias tables for the rules of a group.
    """

    starts: LongArray
    members: LongArray
    order: LongArray
    chance: FloatArray
    cut: FloatArray
    alias: LongArray


def rule_groups(grammar: Grammar, suffixes: Suffixes, inside: FloatArray) -> Groups:
    """Group the rules of each symbol by unit."""
    rules = grammar.rules
    weight = ending_weights(grammar)
    order = np.lexsort((suffixes.rule_unit, rules.lhs))
    lhs, unit = rules.lhs[order].astype(np.int64), suffixes.rule_unit[order]
    heads = np.flatnonzero(np.concatenate(([True], (np.diff(lhs) != 0) | (np.diff(unit) != 0))))
    starts = np.searchsorted(lhs[heads], np.arange(suffixes.symbols + 1)).astype(np.int64)
    total = np.add.reduceat(weight[order], heads)
    chance = np.ascontiguousarray(inside[unit[heads]].T) * total
    _accumulate(chance, starts)
    members = np.append(heads, len(order))
    # a group without weight needs a table like any other, though it is never drawn
    drawn = np.where(np.repeat(total > 0, np.diff(members)), weight[order], 1.0)
    cut, alias = alias_tables(drawn, members)
    return Groups(starts, members, order, chance, cut, alias)


@kernel()
def _empty_suffixes(inside: FloatArray, first: LongArray, rest: LongArray, begin: int) -> None:
    for i in range(len(first)):
        inside[begin + i, 0] = inside[first[i], 0] * inside[rest[i], 0]


@kernel()
def convolve(
    inside: FloatArray, first: LongArray, rest: LongArray, n: int, out: FloatArray
) -> None:
    """Sum over the splits of n words in which both parts are shorter than n."""
    for i in range(len(first)):
        a, b = first[i], rest[i]
        total = 0.0
        for k in range(1, n):
            total += inside[a, k] * inside[b, n - k]
        out[i] = total


@kernel()
def _accumulate(chance: FloatArray, starts: LongArray) -> None:
    """Sum each row of groups cumulatively, beginning again at every symbol."""
    for n in range(len(chance)):
        for symbol in range(len(starts) - 1):
            for group in range(starts[symbol] + 1, starts[symbol + 1]):
                chance[n, group] += chance[n, group - 1]


@kernel()
def choose(sums: FloatArray, begin: int, end: int, u: float) -> int:
    """Return the entry of cumulative sums[begin:end] that the uniform number u falls into."""
    target = u * sums[end - 1]
    end -= 1
    while begin < end:
        middle = (begin + end) // 2
        if sums[middle] > target:
            end = middle
        else:
            begin = middle + 1
    return begin


@kernel()
def split(inside: FloatArray, child: int, rest: int, n: int, u: float) -> int:
    """Return how many of n words the child takes, the rest of its siblings taking the others."""
    total = 0.0
    for k in range(n + 1):
        total += inside[child, k] * inside[rest, n - k]
    target = u * total
    total = 0.0
    last = 0
    for k in range(n + 1):
        part = inside[child, k] * inside[rest, n - k]
        if part > 0.0:
            total += part
            last = k
            if total > target:
                break
    return last
