"""Exact sampling of synchronous derivations, given their depth or the lengths of both sides.

Let k be the number of copies of slot i in the target, and c the words of a rule. With
``I_A[n, m]`` the mass of derivations of type A with n source and m target words,

    I_A[n, m] = sum_{A -> r} p(r) sum_{n_1 + ... = n - c_src} sum_{k_1 m_1 + ... = m - c_tgt}
                prod_i I_{B_i}[n_i, m_i]

and a derivation is drawn from the top by the shares of these sums. A side that is not asked for is
a table of one column. With p = 1 the sums count derivations, and draws are uniform.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import networkx as nx
import numpy as np

from grammar.arrays import FloatArray, IntArray, LongArray, kernel
from grammar.counter_rng import next_uniform, open_stream
from grammar.derivations import AncestralSampler
from grammar.errors import LengthBandError, NotTightError, OptionError
from grammar.synchronous import SynchronousGrammar

__all__ = ["Band", "DepthSampler", "DerivationSampler", "FreeSampler", "LengthTableSampler"]

Band = tuple[int, int]
"""Shortest and longest, both ends included."""


class _Rules(NamedTuple):
    """Rules as columns: slots of rule r are ``offsets[r]`` to ``offsets[r + 1] - 1``."""

    lhs: LongArray
    starts: LongArray
    members: LongArray
    mass: FloatArray
    source_words: LongArray
    target_words: LongArray
    offsets: LongArray
    child: LongArray
    copies: LongArray


@dataclass(frozen=True, eq=False)
class SynchronousDraws:
    """Derivations as rule numbers in preorder, with their natural log-probabilities."""

    rules: IntArray
    offsets: LongArray
    log_probability: FloatArray

    def __len__(self) -> int:
        return len(self.log_probability)

    def __getitem__(self, i: int) -> tuple[int, ...]:
        return tuple(self.rules[self.offsets[i] : self.offsets[i + 1]].tolist())


class FreeSampler:
    """Draws derivations with exactly their probability.

    Raises
    ------
    NotTightError
        If derivations may never end, or the expected length of one side is infinite.
    """

    def __init__(self, grammar: SynchronousGrammar) -> None:
        report = grammar.check()
        if not (report.source_bounded and report.target_bounded):
            side = "target" if report.source_bounded else "source"
            radius = report.target_radius if report.source_bounded else report.source_radius
            raise NotTightError(
                f"the {side} side does not stay finite: its spectral radius is {radius:.6g}",
                where=f"start symbol {grammar.start}",
                hint="ask for a depth or a length, or lower the weights of rules with slots",
            )
        self._of_rule = grammar.source_side.fragment_of_rule
        self._sampler = AncestralSampler(grammar.source_side.pcfg)

    def draw(self, key: np.uint64, first: int, count: int) -> SynchronousDraws:
        """Draw the derivations numbered ``first`` to ``first + count - 1`` of a stream family."""
        drawn = self._sampler.draw(key, first, count)
        rules = self._of_rule[drawn.rules]
        kept = np.concatenate(([0], np.cumsum(rules >= 0)))
        return SynchronousDraws(
            rules[rules >= 0].astype(np.int32), kept[drawn.rule_offsets], drawn.log_probability
        )


class LengthTableSampler:
    """Draws derivations given bands of source length, target length, or both.

    Parameters
    ----------
    grammar : SynchronousGrammar
        Need not be tight.
    source, target : (int, int), optional
        Bands in words; at least one.
    uniform : bool
        All derivations in the bands alike, instead of by weight.
    flat : bool
        Every pair of lengths in the bands that the grammar has alike, and in it by weight or
        uniform.

    Raises
    ------
    OptionError
        If no band is given, one is not 1 <= shortest <= longest, or uniform draws are asked for
        where derivations are infinitely many or too many to count.
    LengthBandError
        If no derivation has such lengths.
    """

    def __init__(
        self,
        grammar: SynchronousGrammar,
        *,
        source: Band | None = None,
        target: Band | None = None,
        uniform: bool = False,
        flat: bool = False,
    ) -> None:
        if source is None and target is None:
            raise OptionError("no length is given", hint="give a band for source, target or both")
        bands = [_checked(name, band) for name, band in (("source", source), ("target", target))]
        self._grammar = grammar
        self._rules = _columns(grammar, uniform, source is not None, target is not None)
        self._inside, self._rest = self._tables(bands, uniform)
        (low, high), (least, most) = bands
        start = grammar.types.index(grammar.start)
        cells = self._inside[start, low : high + 1, least : most + 1]
        if not np.isfinite(self._inside).all():
            raise OptionError("the derivations are too many to count", hint="ask for shorter ones")
        if not cells.any():
            raise LengthBandError(
                f"no derivation has source length {_said(source)}, target length {_said(target)}",
                where=f"start symbol {grammar.start}",
                hint="try other lengths",
            )
        mass = (cells > 0).astype(np.float64) if flat else cells
        places = np.argwhere(mass > 0) + np.array((low, least))
        self._cells = places.astype(np.int64)
        self._chance = np.cumsum(mass[mass > 0] / mass.sum())
        self._start = start

    @property
    def table(self) -> FloatArray:
        """Masses of the start symbol by source and target length, shape (n + 1, m + 1).

        A side without a band has one row or column.
        """
        return self._inside[self._start]

    def draw(self, key: np.uint64, first: int, count: int) -> SynchronousDraws:
        """Draw the derivations numbered ``first`` to ``first + count - 1`` of a stream family."""
        buffer = np.empty(self._most_rules(), np.int32)
        parts, offsets = [], np.zeros(count + 1, np.int64)
        for i in range(count):
            made = _draw_lengths(
                key, first + i, self._start, self._cells, self._chance, *self._rules,
                self._inside, self._rest, buffer,
            )  # fmt: skip
            parts.append(buffer[:made].copy())
            offsets[i + 1] = offsets[i] + made
        return _collected(self._grammar, parts, offsets)

    def _most_rules(self) -> int:
        """Bound the rules of a derivation: each word is written by one, with chains between."""
        _, n, m = self._inside.shape
        longest = (max(n, 1) if n > 1 else m) * (1 + len(self._grammar.types))
        return 4 * longest + 1024

    def _tables(self, bands: list[Band], uniform: bool) -> tuple[FloatArray, FloatArray]:
        rules = self._rules
        still = _same_length_steps(rules, len(self._grammar.types))
        if uniform and still.any():
            chains = nx.DiGraph(np.argwhere(still > 0).tolist())
            if not nx.is_directed_acyclic_graph(chains):
                raise OptionError(
                    "infinitely many derivations have the same length",
                    hint="give a band for the other side too, or draw by weight",
                )
        used = _fertile(self._grammar)
        still[:, ~used] = 0.0
        solve: FloatArray = np.linalg.inv(np.eye(len(still)) - still).astype(np.float64)
        return _fill(solve, *rules, *(band[1] for band in bands))


class DepthSampler:
    """Draws derivations given how many levels of rules they have.

    Parameters
    ----------
    grammar : SynchronousGrammar
        Need not be tight.
    depth : (int, int)
        Least and most levels, both included; a rule without slots has one.
    uniform : bool
        All such derivations alike, instead of by weight.

    Raises
    ------
    OptionError
        If the band is not 1 <= least <= most, or the derivations are too many to count.
    LengthBandError
        If no derivation has such a depth.
    """

    def __init__(self, grammar: SynchronousGrammar, depth: Band, *, uniform: bool = False) -> None:
        least, most = _checked("depth", depth)
        self._grammar, self._rules = grammar, _columns(grammar, uniform, True, True)
        self._upto, self._exact = _depths(
            most, self._rules.lhs, self._rules.mass, self._rules.offsets, self._rules.child,
            len(grammar.types),
        )  # fmt: skip
        self._start = grammar.types.index(grammar.start)
        if not np.isfinite(self._upto).all():
            raise OptionError("the derivations are too many to count", hint="ask for less depth")
        mass = self._exact[: most + 1, self._start].copy()
        mass[:least] = 0.0
        if not mass.any():
            raise LengthBandError(
                f"no derivation has {_said(depth)} levels",
                where=f"start symbol {grammar.start}",
                hint="try other depths",
            )
        self._levels = np.cumsum(mass / mass.sum())

    @property
    def table(self) -> FloatArray:
        """Mass of the start symbol by exact depth, from 0 on."""
        return self._exact[:, self._start]

    def draw(self, key: np.uint64, first: int, count: int) -> SynchronousDraws:
        """Draw the derivations numbered ``first`` to ``first + count - 1`` of a stream family."""
        rules = self._rules
        parts, offsets = [], np.zeros(count + 1, np.int64)
        room = 256
        for i in range(count):
            while True:
                buffer, stack = np.empty(room, np.int32), np.empty((room, 3), np.int64)
                made = _draw_depth(
                    key, first + i, self._start, self._levels, rules.starts, rules.members,
                    rules.mass, rules.offsets, rules.child, self._upto, self._exact, stack, buffer,
                )  # fmt: skip
                if made >= 0:
                    break
                room *= 4
            parts.append(buffer[:made].copy())
            offsets[i + 1] = offsets[i] + made
        return _collected(self._grammar, parts, offsets)


DerivationSampler = FreeSampler | LengthTableSampler | DepthSampler


def _collected(
    grammar: SynchronousGrammar, parts: list[IntArray], offsets: LongArray
) -> SynchronousDraws:
    rules = np.concatenate([np.empty(0, np.int32), *parts])
    with np.errstate(divide="ignore"):
        sums = np.concatenate(([0.0], np.cumsum(np.log(grammar.weight)[rules])))
    return SynchronousDraws(rules, offsets, sums[offsets[1:]] - sums[offsets[:-1]])


def _columns(grammar: SynchronousGrammar, uniform: bool, source: bool, target: bool) -> _Rules:
    """Return rules as columns; a side that does not count has no words and no copies."""
    types = {name: i for i, name in enumerate(grammar.types)}
    lhs = np.array([types[rule.lhs] for rule in grammar.rules], np.int64)
    members = np.argsort(lhs, kind="stable")
    arity = [rule.arity for rule in grammar.rules]
    slots = [
        (types[s.symbol], k) for r in grammar.rules for s, k in zip(r.slots, r.copies, strict=True)
    ]
    child, copies = np.array(slots, np.int64).reshape(-1, 2).T
    words = [
        [sum(isinstance(s, str) for s in side) * counts for side in sides]
        for counts, sides in (
            (source, [rule.source for rule in grammar.rules]),
            (target, [rule.target for rule in grammar.rules]),
        )
    ]
    return _Rules(
        lhs,
        np.searchsorted(lhs[members], np.arange(len(types) + 1)).astype(np.int64),
        members.astype(np.int64),
        (grammar.weight > 0).astype(np.float64) if uniform else grammar.weight,
        np.array(words[0], np.int64),
        np.array(words[1], np.int64),
        np.concatenate(([0], np.cumsum(arity))).astype(np.int64),
        child.copy(),
        copies.copy() if target else np.zeros(len(copies), np.int64),
    )


def _fertile(grammar: SynchronousGrammar) -> np.ndarray:
    from grammar.analysis import productive

    side = grammar.source_side.pcfg
    found = productive(side)
    return np.array([found[side.rules.nonterminals.index(name)] for name in grammar.types])


def _same_length_steps(rules: _Rules, types: int) -> FloatArray:
    """Return the mass of rules that add nothing to a length that counts, shape (types, types)."""
    still = np.zeros((types, types))
    for r in range(len(rules.lhs)):
        begin, end = rules.offsets[r], rules.offsets[r + 1]
        if end - begin == 1 and _is_still(
            rules.source_words[r], rules.target_words[r], rules.copies[begin]
        ):
            still[rules.lhs[r], rules.child[begin]] += rules.mass[r]
    return still


def _checked(name: str, band: Band | None) -> Band:
    if band is None:
        return (0, 0)
    whole = all(isinstance(end, int | np.integer) for end in band)
    if not (len(band) == 2 and whole and 1 <= band[0] <= band[1]):
        raise OptionError(
            f"the {name} band {band!r} is not a band",
            hint="give whole numbers 1 <= shortest <= longest, for example (5, 20)",
        )
    return int(band[0]), int(band[1])


def _said(band: Band | None) -> str:
    return "any" if band is None else f"{band[0]} to {band[1]}"


@kernel()
def _is_still(source_words: int, target_words: int, copies: int) -> bool:
    return source_words == 0 and target_words == 0 and copies <= 1


@kernel()
def _fill(
    solve: FloatArray,
    lhs: LongArray,
    starts: LongArray,
    members: LongArray,
    mass: FloatArray,
    source_words: LongArray,
    target_words: LongArray,
    offsets: LongArray,
    child: LongArray,
    copies: LongArray,
    longest: int,
    longest_target: int,
) -> tuple[FloatArray, FloatArray]:
    """Return ``inside`` (types, n, m) and ``rest`` (slots, n, m): a slot and those after it."""
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
                elif not _is_still(source_words[r], target_words[r], copies[begin]):
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
def _draw_lengths(
    key: np.uint64,
    index: int,
    start: int,
    cells: LongArray,
    chance: FloatArray,
    lhs: LongArray,
    starts: LongArray,
    members: LongArray,
    mass: FloatArray,
    source_words: LongArray,
    target_words: LongArray,
    offsets: LongArray,
    child: LongArray,
    copies: LongArray,
    inside: FloatArray,
    rest: FloatArray,
    out: IntArray,
) -> int:
    """Write the rules of one derivation in preorder; return how many there are."""
    state = open_stream(key, index)
    state, u = next_uniform(state)
    cell = _place(chance, u)
    stack = [(start, int(cells[cell, 0]), int(cells[cell, 1]))]
    made = 0
    while len(stack):
        symbol, n, m = stack.pop()
        total = 0.0
        for i in range(starts[symbol], starts[symbol + 1]):
            total += _rule_mass(members[i], n, m, mass, source_words, target_words, offsets, rest)
        state, u = next_uniform(state)
        left = u * total
        rule = -1
        for i in range(starts[symbol], starts[symbol + 1]):
            part = _rule_mass(members[i], n, m, mass, source_words, target_words, offsets, rest)
            if part > 0.0:
                rule = members[i]
                left -= part
                if left < 0.0:
                    break
        out[made] = rule
        made += 1
        n -= int(source_words[rule])
        m -= int(target_words[rule])
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
def _rule_mass(
    rule: int,
    n: int,
    m: int,
    mass: FloatArray,
    source_words: LongArray,
    target_words: LongArray,
    offsets: LongArray,
    rest: FloatArray,
) -> float:
    a, b = n - source_words[rule], m - target_words[rule]
    if a < 0 or b < 0:
        return 0.0
    if offsets[rule] == offsets[rule + 1]:
        return mass[rule] * (a == 0 and b == 0)
    return mass[rule] * rest[offsets[rule], a, b]


@kernel()
def _depths(
    most: int, lhs: LongArray, mass: FloatArray, offsets: LongArray, child: LongArray, types: int
) -> tuple[FloatArray, FloatArray]:
    """Return the mass of derivations of up to and of exactly d levels, shapes (d + 1, types).

    A rule has exactly d levels if some child is the first to have d - 1; nothing is subtracted.
    """
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
def _draw_depth(
    key: np.uint64,
    index: int,
    start: int,
    levels: FloatArray,
    starts: LongArray,
    members: LongArray,
    mass: FloatArray,
    offsets: LongArray,
    child: LongArray,
    upto: FloatArray,
    exact: FloatArray,
    stack: LongArray,
    out: IntArray,
) -> int:
    """Write the rules of one derivation in preorder; -1 if there is no room for them."""
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
