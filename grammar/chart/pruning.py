"""Pruning: parsing with a large grammar within what a smaller one finds probable, and a beam.

Coarse-to-fine (Charniak et al. 2006, *Multilevel coarse-to-fine PCFG parsing*; Petrov & Klein
2007): a coarse grammar, whose symbols each stand for several of the fine one, is parsed with
first, and the fine grammar may build a symbol over a span only if the posterior of its coarse
symbol there is above a threshold. A coarse parser may have a coarser one before it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from grammar.arrays import BoolArray, FloatArray, IntArray, LongArray
from grammar.chart.constraints import Constraints, row_spans
from grammar.chart.grammar import ChartGrammar
from grammar.chart.kernels import cell_of
from grammar.chart.limits import EVERYTHING, NOTHING, SOMETHING, Limits
from grammar.chart.parses import NoParse, SpanPosteriors
from grammar.errors import OptionError
from grammar.pcfg.analysis import CRITICAL, expected_counts, mean_matrix, reachable, spectral_radius
from grammar.pcfg.grammar import Grammar

__all__ = ["CoarseParser", "CoarseToFine", "limits_of", "prior_values"]

SymbolMask = tuple[IntArray, BoolArray]
"""The group of each symbol, and which groups may stand over the span of each row."""


class CoarseParser(Protocol):
    """What is asked of a coarse parser: its grammar, and the posteriors of its symbols."""

    @property
    def grammar(self) -> Grammar:
        """The coarse grammar."""

    def posteriors(
        self, sentence: Sequence[str], *, constraints: Constraints | None = None
    ) -> SpanPosteriors | NoParse:
        """Return how probable each symbol is over each span, or why there is no parse."""


@dataclass(frozen=True)
class CoarseToFine:
    r"""A coarse parser, and how it sees the symbols of a fine grammar.

    Parameters
    ----------
    parser : Parser
        With the coarse grammar.
    look : callable
        From the name of a fine symbol to the name of its coarse symbol.
    threshold : float
        The least posterior of a coarse symbol over a span.

    Raises
    ------
    OptionError
        If the threshold is not between 0 and 1.

    Examples
    --------
    >>> from grammar import Grammar, Parser
    >>> coarse = Parser(Grammar.parse("S -> X [1]\nX -> X X [0.4] | 'a' [0.6]"))
    >>> fine = Grammar.parse("S -> X0 [1]\nX0 -> X0 X0 [0.3] | 'a' [0.7]")
    >>> parser = Parser(fine, coarse=CoarseToFine(coarse, lambda name: name[0]))
    >>> print(parser.viterbi("a a").tree)
    (S (X0 (X0 a) (X0 a)))
    """

    parser: CoarseParser
    look: Callable[[str], str]
    threshold: float = 1e-5

    def __post_init__(self) -> None:
        if not 0.0 < self.threshold < 1.0:
            raise OptionError(
                f"the threshold {self.threshold} is not between 0 and 1", hint="for example 1e-5"
            )

    def groups(self, names: tuple[str, ...]) -> IntArray:
        """Return the number of the coarse symbol of each fine one.

        Raises
        ------
        OptionError
            If the coarse grammar lacks one.
        """
        number = {name: i for i, name in enumerate(self.parser.grammar.rules.nonterminals)}
        lacking = next((name for name in names if self.look(name) not in number), None)
        if lacking is not None:
            raise OptionError(
                f"the coarse grammar has no symbol {self.look(lacking)!r}",
                where=f"fine symbol {lacking}",
                hint="look must give names of the coarse grammar",
            )
        return np.array([number[self.look(name)] for name in names], np.int32)

    def allowed(self, sentence: tuple[str, ...], given: Constraints | None) -> BoolArray | None:
        """Return which coarse symbols may stand over which spans; None if there is no parse."""
        coarse = given.seen_through(self.look) if given else None
        found = self.parser.posteriors(sentence, constraints=coarse)
        if isinstance(found, NoParse):
            return None
        rows = len(sentence) * (len(sentence) + 1) // 2
        may = np.zeros((rows, len(found.names)), np.bool_)
        row = found.end * (found.end - 1) // 2 + found.end - 1 - found.start
        likely = found.probability >= self.threshold
        may[row[likely], found.label[likely]] = True
        return may


def limits_of(
    grammar: ChartGrammar, length: int, masks: list[SymbolMask], beam: float, prior: FloatArray
) -> Limits | None:
    """Return what may stand in a chart by all masks together; None if everything may."""
    if not masks and beam == -np.inf:
        return None
    rows = length * (length + 1) // 2
    group, may = np.zeros(grammar.units, np.int32), np.ones((rows, 0), np.bool_)
    level = np.zeros(0, np.int8)
    if masks:
        symbols, allowed = masks[0] if len(masks) == 1 else _all_of(masks, grammar.symbols)
        parts = _parts_allowed(length, allowed[:, np.unique(symbols)])
        may = np.column_stack((parts, allowed))
        group[: grammar.symbols] = symbols + 1
        used = may[:, np.unique(group)]
        level = np.where(
            used.all(axis=1), EVERYTHING, np.where(used.any(axis=1), SOMETHING, NOTHING)
        )
    return Limits(group, may, level.astype(np.int8), beam, prior)


def _all_of(masks: list[SymbolMask], symbols: int) -> SymbolMask:
    """Return the mask of what all masks allow; each symbol is a group of its own."""
    tables = [allowed[:, group] for group, allowed in masks]
    return np.arange(symbols, dtype=np.int32), np.stack(tables).min(axis=0)


def _parts_allowed(length: int, allowed: BoolArray) -> BoolArray:
    """Return where words beside symbols and rests of rules may stand.

    A rest of a rule ends where a symbol ends that begins before it.
    """
    start, end = row_spans(length)
    symbols = allowed.max(axis=1)
    may = np.zeros(len(start), np.bool_)
    for j in range(1, length + 1):
        # rows of one end lie from the narrowest span to the widest
        column: LongArray = np.arange(cell_of(j - 1, j), cell_of(0, j) + 1)
        wider = np.logical_or.accumulate(symbols[column][::-1])[::-1]
        may[column[:-1]] = wider[1:]
    may[end - start == 1] = True
    return may


def prior_values(grammar: ChartGrammar) -> FloatArray:
    """Return the logarithm of how often each unit is expected in a derivation, shape (units,).

    The beam compares units by inside value times this, so that a frequent symbol is not dropped
    for a rare one. All are zero if derivations have no finite expected size.
    """
    reached = np.flatnonzero(reachable(grammar.grammar))
    means = mean_matrix(grammar.grammar)[reached][:, reached]
    if spectral_radius(means) >= 1.0 - CRITICAL:
        return np.zeros(grammar.units)
    expected = np.zeros(grammar.units)
    expected[: grammar.symbols] = expected_counts(grammar.grammar)
    parent, weight = grammar.rules.left.parent, np.exp(grammar.rules.left.weight)
    child = (
        grammar.rules.first[grammar.rules.left.edge],
        grammar.rules.second[grammar.rules.left.edge],
    )
    # a rest of a rule has a larger number than the rests within it
    nested = np.where(parent < grammar.symbols, grammar.units, parent)
    for edge in np.argsort(-nested, kind="stable").tolist():
        for column in child:
            if column[edge] >= grammar.symbols:
                expected[column[edge]] += expected[parent[edge]] * weight[edge]
    with np.errstate(divide="ignore"):
        return np.log(expected)
