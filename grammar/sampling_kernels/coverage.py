"""Sampling that reaches every rule: derivations drawn for a rule that they must use.

A derivation d is drawn for a rule r with a probability in proportion to p(d) times the number of
uses of r in d. So a use of r is drawn first, with all that stands around it by *outside* values,
and then all that hangs below by *inside* values. Both are exact, and given that the yield has a
length in a band.

``outside[u, e]`` is the weight of all that can stand around unit u (a symbol, a word, or the rest
of a right-hand side, see :mod:`grammar.sampling_kernels.lengths`) and has e words. The two tables
are scaled
alike.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
import scipy.sparse.linalg

from grammar.arrays import FloatArray, IntArray, LongArray
from grammar.errors import LengthBandError, OptionError
from grammar.pcfg.grammar import Grammar
from grammar.sampling_kernels.ancestral import Derivations, collect
from grammar.sampling_kernels.coverage_kernels import FIRST, REST, ROOT, RULES, Tables, around, draw
from grammar.sampling_kernels.inside_lengths import (
    Suffixes,
    ending_weights,
    inside_lengths,
    rule_groups,
    same_length_steps,
)
from grammar.sampling_kernels.lengths import LengthSampler

__all__ = ["CoverageSampler", "expected_uses"]


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
            lambda at, buffers: draw(key, numbers[at:], targets[at:], self._tables, buffers),
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


def _uses(tables: Tables, grammar: Grammar) -> FloatArray:
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
    return np.asarray(ending_weights(grammar) * mass[which.ravel()], np.float64)


def _tables(grammar: Grammar, shortest: int, longest: int) -> Tables:
    inside, suffixes, log_tilt = inside_lengths(grammar, longest)
    weight = ending_weights(grammar)
    outside = _outside(grammar, weight, suffixes, inside)
    if not outside.any():
        raise LengthBandError(
            f"the grammar has no sentence of {shortest} to {longest} words",
            where=f"start symbol {grammar.start}",
        )
    rules = grammar.rules
    groups = rule_groups(grammar, suffixes, inside)
    heads, order = groups.members[:-1], groups.order
    total = np.add.reduceat(weight[order], heads)
    one = order[heads]
    up = _ways_up(grammar.start_id, suffixes, rules.lhs[one], suffixes.rule_unit[one], total)
    columns: Any = (
        grammar.start_id, shortest, longest, *up, *groups,
        rules.lhs, rules.offsets, rules.rhs, suffixes.unit, suffixes.rule_unit, suffixes.word,
        inside, outside, np.exp(-log_tilt * np.arange(longest + 1)), grammar.compiled.log_weight,
    )  # fmt: skip
    return Tables(*columns)


def _ways_up(
    start: int, suffixes: Suffixes, lhs: IntArray, unit: LongArray, total: FloatArray
) -> tuple[LongArray, IntArray, LongArray, LongArray, FloatArray]:
    """List how every unit may stand somewhere, by unit; the groups of rules are given."""
    longer = np.arange(len(suffixes.first)) + suffixes.symbols + 2
    groups, pairs = len(lhs), len(longer)
    of = np.concatenate(([start], unit, suffixes.first, suffixes.rest))
    kind = np.repeat([ROOT, RULES, FIRST, REST], [1, groups, pairs, pairs]).astype(np.int32)
    above = np.concatenate(([start], lhs.astype(np.int64), longer, longer))
    other = np.concatenate(([-1], np.arange(groups), suffixes.rest, suffixes.first))
    weight = np.concatenate(([1.0], total, np.ones(2 * pairs)))
    by_unit = np.argsort(of, kind="stable")
    starts = np.searchsorted(of[by_unit], np.arange(suffixes.count + 1)).astype(np.int64)
    return starts, kind[by_unit], above[by_unit], other[by_unit], weight[by_unit]


def _outside(
    grammar: Grammar, weight: FloatArray, suffixes: Suffixes, inside: FloatArray
) -> FloatArray:
    """Return the table (units, longest + 1) of outside weights."""
    step = same_length_steps(grammar, weight, suffixes, inside[:, 0])
    system = sp.csc_array((sp.eye_array(suffixes.count, format="csc") - step).T)
    solve = scipy.sparse.linalg.splu(system, diag_pivot_thresh=0.0).solve
    outside = np.zeros_like(inside)
    for e in range(inside.shape[1]):
        known = np.zeros(suffixes.count)
        known[grammar.start_id] = float(e == 0)
        around(inside, outside, suffixes.first, suffixes.rest, suffixes.symbols + 2, e, known)
        outside[:, e] = np.maximum(solve(known), 0.0)
    return outside
