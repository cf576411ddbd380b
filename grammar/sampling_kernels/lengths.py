"""Exact sampling of derivations whose yields have a length in a band.

The tables are those of :mod:`grammar.sampling_kernels.inside_lengths`.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from grammar.arrays import FloatArray, IntArray, LongArray, kernel
from grammar.errors import LengthBandError, OptionError
from grammar.pcfg.analysis import have_no_rules, mend_without_rules, without_rules
from grammar.pcfg.grammar import Grammar
from grammar.rng import next_uniform, open_stream
from grammar.rules.compiled import draw_alias
from grammar.sampling_kernels.ancestral import Buffers, Derivations, collect
from grammar.sampling_kernels.inside_lengths import (
    Groups,
    choose,
    inside_lengths,
    rule_groups,
    split,
)

__all__ = ["LengthSampler", "length_distribution"]


class Tables(NamedTuple):
    """What draws are made of: the chance of each length of the band, groups of rules, and rules."""

    start: int
    shortest: int
    band: FloatArray
    groups: Groups
    offsets: LongArray
    rhs: IntArray
    unit: LongArray
    word_unit: int
    inside: FloatArray
    log_weight: FloatArray


class LengthSampler:
    """Draws derivations with their probability given that the yield has a length in a band.

    Parameters
    ----------
    grammar : Grammar
        Need not be tight: a band of lengths is always finite.
    shortest, longest : int
        The band, both ends included, in words.
    flat : bool
        Give all lengths of the band that the grammar has equal probability.

    Raises
    ------
    OptionError
        If the band is not 0 <= shortest <= longest.
    LengthBandError
        If the grammar has no sentence with such a length.

    Examples
    --------
    >>> sampler = LengthSampler(Grammar.parse("S -> 'a' S [0.5] | 'b' [0.5]"), 2, 3)
    >>> sorted({int(n) for n in np.diff(sampler.draw(np.uint64(7), 0, 50).word_offsets)})
    [2, 3]
    """

    def __init__(
        self, grammar: Grammar, shortest: int, longest: int, *, flat: bool = False
    ) -> None:
        whole = all(isinstance(end, int | np.integer) for end in (shortest, longest))
        if not (whole and 0 <= shortest <= longest):
            raise OptionError(
                f"the length band {shortest}:{longest} is not a band",
                hint="give whole numbers 0 <= shortest <= longest, for example 5:20",
            )
        inside, suffixes, log_tilt = inside_lengths(grammar, longest)
        mass = _log_masses(inside, grammar.start_id, log_tilt)
        if not np.isfinite(mass[shortest:]).any():
            raise _no_length(grammar, shortest, longest)
        band = np.exp(mass[shortest:] - mass[shortest:].max())
        if flat:
            band = np.isfinite(mass[shortest:]).astype(np.float64)
        self._longest = longest
        self._tables = Tables(
            start=grammar.start_id,
            shortest=shortest,
            band=np.cumsum(band / band.sum()),
            groups=rule_groups(grammar, suffixes, inside),
            offsets=grammar.rules.offsets,
            rhs=grammar.rules.rhs,
            unit=suffixes.unit,
            word_unit=suffixes.word,
            inside=inside,
            log_weight=grammar.compiled.log_weight,
        )

    def draw(self, key: np.uint64, first: int, count: int) -> Derivations:
        """Draw the derivations numbered ``first`` to ``first + count - 1`` of a stream family.

        ``log_probability`` is that of the derivation under the grammar, not given the band.
        """
        return collect(
            lambda at, buffers: _draw_band(key, at, self._tables, buffers),
            first,
            count,
            count * 4 * (self._longest + 1) + 1024,
        )


def length_distribution(grammar: Grammar, longest: int) -> FloatArray:
    """Return the probability of each yield length from 0 to ``longest``.

    >>> length_distribution(Grammar.parse("S -> 'a' S [0.5] | 'b' [0.5]"), 3).round(9).tolist()
    [0.0, 0.5, 0.25, 0.125]
    """
    inside, _, log_tilt = inside_lengths(grammar, longest)
    return np.exp(_log_masses(inside, grammar.start_id, log_tilt))


def _log_masses(inside: FloatArray, symbol: int, log_tilt: float) -> FloatArray:
    with np.errstate(divide="ignore"):
        return np.log(inside[symbol]) - log_tilt * np.arange(inside.shape[1])


def _no_length(grammar: Grammar, shortest: int, longest: int) -> LengthBandError:
    inside, _, _ = inside_lengths(grammar, 2 * longest + 20)
    possible = np.flatnonzero(inside[grammar.start_id] > 0)
    near = sorted(possible, key=lambda n: max(shortest - n, n - longest))[:5]
    listed = ", ".join(str(n) for n in sorted(near))
    return LengthBandError(
        f"the grammar has no sentence of {shortest} to {longest} words",
        where=f"start symbol {grammar.start}",
        hint=f"the nearest lengths it can produce: {listed}"
        if listed
        else f"{have_no_rules(lacking)}: {mend_without_rules(lacking)}"
        if (lacking := without_rules(grammar))
        else f"it has no sentence of up to {2 * longest + 20} words",
    )


@kernel()
def _draw_band(key: np.uint64, first: int, t: Tables, out: Buffers) -> int:
    stack, words, word_offsets, rules, rule_offsets, log_probability = out
    starts, members, order, chance, cut, alias = t.groups
    band, inside, log_weight = t.band, t.inside, t.log_weight
    offsets, rhs, unit = t.offsets, t.rhs, t.unit
    w = r = 0
    for done in range(len(log_probability)):
        state = open_stream(key, first + done)
        state, u = next_uniform(state)
        score = 0.0
        # the stack holds pairs: a child and the number of words that it must yield
        stack[0] = t.start
        stack[1] = t.shortest + choose(band, 0, len(band), u)
        depth = 2
        while depth > 0:
            depth -= 2
            symbol, n = stack[depth], stack[depth + 1]
            if symbol < 0:
                if w == len(words):
                    return done
                words[w] = -1 - symbol
                w += 1
                continue
            state, u = next_uniform(state)
            group = choose(chance[n], starts[symbol], starts[symbol + 1], u)
            state, u = next_uniform(state)
            rule = order[draw_alias(cut, alias, members[group], members[group + 1], u)]
            score += log_weight[rule]
            begin, end = offsets[rule], offsets[rule + 1]
            if r == len(rules) or depth + 2 * (end - begin) > len(stack):
                return done
            rules[r] = rule
            r += 1
            for i in range(begin, end):
                k = n
                if i + 1 < end:
                    child = rhs[i] if rhs[i] >= 0 else t.word_unit
                    state, u = next_uniform(state)
                    k = split(inside, child, unit[i + 1], n, u)
                slot = depth + 2 * (end - 1 - i)
                stack[slot] = rhs[i]
                stack[slot + 1] = k
                n -= k
            depth += 2 * (end - begin)
        word_offsets[done + 1] = w
        rule_offsets[done + 1] = r
        log_probability[done] = score
    return len(log_probability)
