"""A grammar as prefixes need it: edges of a chart that are proper, and what left corners lead to.

Every weight is divided by the probability that its left-hand side ends in words, and multiplied by
that of its children (Chi 1999). So a unit that is yet to come has the mass one, and a prefix weighs
what is known of it.

A value is a pair ``(v, r)``: the sum of the probabilities p of derivations, and that of p log p.
Pairs multiply as ``(v s, v t + r s)`` (the expectation semiring of Eisner 2002).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
import scipy.sparse as sp

from grammar.arrays import FloatArray, IntArray, LongArray
from grammar.chart.grammar import ChartGrammar
from grammar.chart.rules import row_starts
from grammar.pcfg.analysis import (
    CRITICAL,
    mean_matrix,
    productive,
    reachable,
    spectral_radius,
    termination,
)
from grammar.pcfg.empty_rules import EmptyDerivations
from grammar.pcfg.grammar import Grammar
from grammar.sparse import factorise, solve_sparse

__all__ = ["Closure", "Entries", "PrefixGrammar", "PrefixRules", "compile_prefixes"]


class Entries(NamedTuple):
    """Edges in compressed rows, by what is looked up.

    Row x has the entries ``starts[x] : starts[x + 1]``, each with two units (the second is 0 where
    there is one only) and its pair of values.
    """

    starts: LongArray
    one: IntArray
    other: IntArray
    v: FloatArray
    r: FloatArray


class Closure(NamedTuple):
    """The factors of ``I - L``, with L the weights of left corners, shape (units, units).

    A row vector times the inverse is found by two triangular systems. ``rows`` and ``columns`` say
    where a unit stands in the factors; ``lower`` and ``upper`` are columns without the diagonal.
    """

    rows: LongArray
    columns: LongArray
    lower: Entries
    upper: Entries
    diagonal: FloatArray


class PrefixRules(NamedTuple):
    """The arrays of a grammar.

    Attributes
    ----------
    pairs : Entries
        By first child: a parent, and the row of ``seconds``.
    seconds : Entries
        By pair of first child and parent: second children.
    by_second : Entries
        By second child: the first child, and the parent.
    chains : Entries
        By last unit: what chains of unary edges begin with.
    by_word : Entries
        By word: its parents.
    words_of : Entries
        By place in ``preterminals``: words.
    preterminals : int32 array
        The units that have words.
    corners : Entries
        By parent: first children, with the r of all edges together; their seconds are to come.
    closure : Closure
        What left corners lead to.
    rest : float64 array, shape (units,)
        The r of a unit that is yet to come: minus the entropy of its derivations.
    """

    pairs: Entries
    seconds: Entries
    by_second: Entries
    chains: Entries
    by_word: Entries
    words_of: Entries
    preterminals: IntArray
    corners: Entries
    closure: Closure
    rest: FloatArray


class PrefixGrammar(NamedTuple):
    """A compiled grammar.

    Attributes
    ----------
    grammar : Grammar
        What was compiled.
    numbers : mapping of str to int
        The number of each word.
    rules : PrefixRules
        Its arrays.
    units : int
        How many units there are.
    total : float
        The probability that a derivation ends.
    begin : (float, float)
        The v of a sentence with words, given that it ends, and its r but for that of its rules.
    empty : (float, float)
        The v and r of the sentence without words.
    endless : bool
        Whether the entropy of derivations is infinite.
    """

    grammar: Grammar
    numbers: Mapping[str, int]
    rules: PrefixRules
    units: int
    total: float
    begin: tuple[float, float]
    empty: tuple[float, float]
    endless: bool


class _Edges(NamedTuple):
    """Proper edges as columns; -1 where there is no second child."""

    parent: IntArray
    first: IntArray
    second: IntArray
    v: FloatArray
    r: FloatArray

    def chosen(self, which: LongArray) -> _Edges:
        return _Edges(
            self.parent[which], self.first[which], self.second[which], self.v[which], self.r[which]
        )


def compile_prefixes(grammar: Grammar) -> PrefixGrammar:
    """Compile a grammar.

    Raises
    ------
    ChartGrammarError
        As :class:`grammar.Parser` does.
    """
    chart = ChartGrammar.compile(grammar)
    units, words = chart.units, len(grammar.rules.words)
    mass = _masses(chart)
    surprise = _empty_entropies(chart.empty)
    edges, kind = _proper_edges(chart, mass, surprise)
    binary, unary, lexical = (edges.chosen(np.flatnonzero(kind == k)) for k in range(3))
    rest, endless = _rests(edges.chosen(np.flatnonzero(kind < 2)), lexical, units)
    pairs, seconds = _pairs(binary, units)
    preterminals = np.unique(lexical.parent).astype(np.int32)
    place = np.searchsorted(preterminals, lexical.parent)
    corners, closure = _corners(binary, unary, rest, units)
    rules = PrefixRules(
        pairs=pairs,
        seconds=seconds,
        by_second=_entries(binary.second, binary.first, binary.parent, binary, units),
        chains=_chains(chart, unary, mass),
        by_word=_entries(lexical.first, lexical.parent, lexical.parent, lexical, words),
        words_of=_entries(place, lexical.first, lexical.first, lexical, len(preterminals)),
        preterminals=preterminals,
        corners=corners,
        closure=closure,
        rest=rest,
    )
    start = grammar.start_id
    total = float(mass[start] + chart.empty.chance[start])
    return PrefixGrammar(
        grammar,
        chart.word_ids,
        rules,
        units,
        total,
        _share(float(mass[start]), 0.0, total),
        _share(float(chart.empty.chance[start]), float(surprise[start]), total),
        endless,
    )


def _share(mass: float, entropy: float, total: float) -> tuple[float, float]:
    """Return the v and r of derivations of some mass, given that one of a total is there."""
    return mass / total, mass * (np.log(mass) - entropy) / total if mass else 0.0


def _masses(chart: ChartGrammar) -> FloatArray:
    """Return the probability that each unit ends in words."""
    grammar = chart.grammar
    ends = termination(grammar)
    used = np.flatnonzero(reachable(grammar))
    radius = spectral_radius(mean_matrix(grammar)[used][:, used])
    if abs(radius - 1.0) <= CRITICAL:
        # a critical fixed point is reached only nearly, and is one
        ends = productive(grammar).astype(np.float64)
    found = np.ones(chart.units)
    found[: chart.symbols] = np.maximum(ends - chart.empty.chance, 0.0)
    for unit, (first, rest) in enumerate(chart.parts, chart.symbols):
        if rest >= 0:
            found[unit] = found[first] * found[rest]
    return found


def _empty_entropies(empty: EmptyDerivations) -> FloatArray:
    """Return the entropy, in nats, of the derivations without words of each symbol."""
    grammar, found = empty.grammar, np.zeros(len(empty.chance))
    if not empty.rules_of or empty.unique:
        return found
    log_share = np.zeros(len(grammar.weight))
    for symbol, rules in empty.rules_of.items():
        for rule, right in rules:
            chance = np.log(empty.chance[right]).sum() - np.log(empty.chance[symbol])
            log_share[rule] = np.log(grammar.weight[rule]) + chance
    for symbol, uses in empty.uses.items():
        found[symbol] = -uses @ log_share
    return found


def _proper_edges(
    chart: ChartGrammar, mass: FloatArray, surprise: FloatArray
) -> tuple[_Edges, IntArray]:
    """Return the edges with a weight, and which are binary (0), unary (1) and lexical (2)."""
    rules = chart.rules
    kind = np.repeat(
        np.arange(3), [len(c.edge) for c in (rules.left, rules.unary, rules.lexical)]
    ).astype(np.int32)
    parent = np.zeros(len(rules.rule), np.int32)
    for corner in (rules.left, rules.unary, rules.lexical):
        parent[corner.edge] = corner.parent
    below = np.where(kind == 2, 1.0, mass[np.where(kind == 2, 0, rules.first)])
    below = below * np.where(rules.second >= 0, mass[np.maximum(rules.second, 0)], 1.0)
    kept = np.flatnonzero((below > 0) & (mass[parent] > 0))
    parent, kind = parent[kept], kind[kept]
    v = np.exp(rules.weight[kept]) * below[kept] / mass[parent]
    hidden = np.zeros(len(kept))
    for place in np.flatnonzero(rules.rule[kept] >= chart.first_variant).tolist():
        variant = chart.variants[rules.rule[kept[place]] - chart.first_variant]
        hidden[place] = sum(surprise[one[0]] for one in variant.left_out if one is not None)
    r = v * (np.log(v) - hidden)
    return _Edges(parent, rules.first[kept], rules.second[kept], v, r), kind


def _rests(inner: _Edges, lexical: _Edges, units: int) -> tuple[FloatArray, bool]:
    """Return minus the entropy of each unit's derivations, and whether any is infinite."""
    slots = [(inner.parent, inner.first, inner.v)]
    two = inner.second >= 0
    slots.append((inner.parent[two], inner.second[two], inner.v[two]))
    rows, columns, values = (np.concatenate(part) for part in zip(*slots, strict=True))
    means = sp.csr_array(sp.coo_array((values, (rows, columns)), shape=(units, units)))
    own = np.zeros(units)
    for edges in (inner, lexical):
        own += np.bincount(edges.parent, edges.r, units)
    if spectral_radius(means) >= 1.0 - CRITICAL:
        return np.zeros(units), True
    return solve_sparse(sp.csc_array(sp.eye_array(units) - means), own), False


def _pairs(binary: _Edges, units: int) -> tuple[Entries, Entries]:
    order = np.lexsort((binary.second, binary.parent, binary.first))
    first, parent = binary.first[order], binary.parent[order]
    new = np.ones(len(order), np.bool_)
    new[1:] = (np.diff(first) != 0) | (np.diff(parent) != 0)
    begins = np.flatnonzero(new)
    nothing = np.zeros(len(begins))
    pairs = Entries(
        row_starts(first[begins].astype(np.int64), units),
        parent[begins],
        np.arange(len(begins), dtype=np.int32),
        nothing,
        nothing,
    )
    second = binary.second[order]
    starts = np.append(begins, len(order)).astype(np.int64)
    return pairs, Entries(starts, second, second, binary.v[order], binary.r[order])


def _chains(chart: ChartGrammar, unary: _Edges, mass: FloatArray) -> Entries:
    given, units = chart.all_chains, chart.units
    last = np.repeat(np.arange(units), np.diff(given.starts))
    kept = np.flatnonzero((mass[last] > 0) & (mass[given.parent] > 0))
    last, parent = last[kept], given.parent[kept]
    v = np.exp(given.weight[kept]) * mass[last] / mass[parent]
    every = sp.csr_array(sp.coo_array((v, (parent, last)), shape=(units, units)))
    steps = sp.coo_array((unary.r, (unary.parent, unary.first)), shape=(units, units))
    # each of the steps of a chain in turn, with all chains above and below it
    sums = sp.csr_array(every @ sp.csr_array(steps) @ every)
    r = np.asarray(sums[parent, last]).ravel() if sums.nnz else np.zeros(len(v))
    return Entries(row_starts(last, units), parent, parent, v, r)


def _corners(
    binary: _Edges, unary: _Edges, rest: FloatArray, units: int
) -> tuple[Entries, Closure]:
    parent = np.concatenate((binary.parent, unary.parent))
    first = np.concatenate((binary.first, unary.first))
    v = np.concatenate((binary.v, unary.v))
    r = np.concatenate((binary.r + binary.v * rest[binary.second], unary.r))
    steps = sp.csr_array(sp.coo_array((v, (parent, first)), shape=(units, units)))
    known = sp.csr_array(sp.coo_array((r, (parent, first)), shape=(units, units)))
    known.sort_indices()
    columns = known.indices.astype(np.int32)
    nothing = np.zeros(len(columns))
    corners = Entries(known.indptr.astype(np.int64), columns, columns, nothing, known.data)
    order, factors = factorise(sp.csc_array(sp.eye_array(units) - steps.T))
    place = np.empty(units, np.int64)
    place[order] = np.arange(units)
    upper = factors.U.tocsc()
    closure = Closure(
        factors.perm_r.astype(np.int64)[place],
        factors.perm_c.astype(np.int64)[place],
        _without_diagonal(factors.L.tocsc()),
        _without_diagonal(upper),
        np.asarray(upper.diagonal()),
    )
    return corners, closure


def _without_diagonal(matrix: sp.csc_array) -> Entries:
    coordinates = matrix.tocoo()
    apart = (coordinates.row != coordinates.col) & (coordinates.data != 0)
    row, column = coordinates.row[apart].astype(np.int32), coordinates.col[apart]
    order = np.argsort(column, kind="stable")
    values = coordinates.data[apart][order]
    starts = row_starts(column[order].astype(np.int64), matrix.shape[1])
    return Entries(starts, row[order], row[order], values, values)


def _entries(
    row: LongArray | IntArray, one: IntArray, other: IntArray, edges: _Edges, rows: int
) -> Entries:
    order = np.argsort(row, kind="stable")
    return Entries(
        row_starts(row[order].astype(np.int64), rows),
        one[order],
        other[order],
        edges.v[order],
        edges.r[order],
    )
