"""Other probabilities for the rules of a grammar: uniform, tempered, or inverse.

Relative frequencies (the maximum-likelihood estimate) keep a corpus's own proportions. Sampling as
augmentation may want others: rules that were seen once are then no rarer than common ones, which
helps models to generalise to new combinations (Yao & Koller 2024). Each is a pure transform: the
rules, and so the trees, stay as they are; a rule of weight zero keeps it.
"""

from __future__ import annotations

import math
from typing import Any, Literal, TypeVar, get_args

import numpy as np

from grammar.arrays import FloatArray, LongArray
from grammar.errors import NotTightError, OptionError
from grammar.pcfg.analysis import (
    CRITICAL,
    mean_matrix,
    productive,
    reachable,
    refuse_without_rules,
    spectral_radius,
)
from grammar.pcfg.derivable import Derivable
from grammar.pcfg.grammar import Grammar
from grammar.weights import Weigher

__all__ = ["RuleDistribution", "check_tight", "reweighted"]

RuleDistribution = Literal["mle", "uniform", "tempered", "inverse-frequency", "inverse-probability"]

G = TypeVar("G", bound=Derivable)


def reweighted(grammar: G, distribution: RuleDistribution, *, temperature: float = 1.0) -> G:
    """Return a grammar whose rules have other probabilities given their left-hand side.

    Parameters
    ----------
    grammar : Grammar, TreeSubstitutionGrammar, LexicalisedGrammar or ReweightedGrammar
        Fragments of a tree-substitution grammar are its rules.
    distribution : {"mle", "uniform", "tempered", "inverse-frequency", "inverse-probability"}
        With p the weights and c the counts of the rules of one left-hand side: p itself; all
        equal; in proportion to p ** (1 / temperature); to 1 / c; or to 1 / p.
    temperature : float
        Above 1 is flatter, below 1 sharper; for "tempered" only. 1 is the grammar itself, and
        infinite is uniform.

    Returns
    -------
    grammar of the same family
        A lexicalised PCFG becomes a :class:`ReweightedGrammar`, as its weights are those of its
        counts.

    Raises
    ------
    OptionError
        If the distribution is unknown, the temperature is not above zero or given without
        "tempered", or a rule with a weight has no count to invert.

    Examples
    --------
    >>> grammar = Grammar.parse("S -> 'a' S [0.8] | 'b' [0.2]")
    >>> reweighted(grammar, "uniform").weight.tolist()
    [0.5, 0.5]
    >>> reweighted(grammar, "tempered", temperature=2).weight.round(6).tolist()
    [0.666667, 0.333333]

    Notes
    -----
    The result may not be tight even where the grammar was: see :func:`check_tight`.
    """
    weigh = _weigher(distribution, temperature)
    if weigh is None:
        return grammar
    made: G = grammar.reweighted(lambda w, count, row: _shares(weigh(w, count, row), row))
    return made


def check_tight(grammar: Grammar, band: str) -> None:
    """Refuse a grammar whose sentences have no finite expected length.

    Parameters
    ----------
    grammar : Grammar
        For example a reweighted one: uniform weights often are not tight.
    band : str
        The length band to recommend, such as ``"2:40"``.

    Raises
    ------
    NotTightError
        If derivations may never end, or are infinitely long on average.
    """
    reached = reachable(grammar)
    radius = spectral_radius(mean_matrix(grammar)[reached][:, reached])
    if radius < 1.0 - CRITICAL and productive(grammar)[reached].all():
        return
    refuse_without_rules(grammar, grammar.check().termination)
    raise NotTightError(
        "with these rule probabilities derivations grow without end",
        where=f"start symbol {grammar.start}, spectral radius {radius:.6f}",
        hint=f"condition on the length, which is exact: {band}",
    )


def _weigher(distribution: str, temperature: float) -> Weigher | None:
    """Return what turns weights and counts into weights (sums not yet one); None for no change."""
    if distribution not in get_args(RuleDistribution):
        raise OptionError(
            f"unknown rule distribution {distribution!r}",
            hint=f"use one of {', '.join(get_args(RuleDistribution))}",
        )
    given = isinstance(temperature, int | float) and not isinstance(temperature, bool)
    if not given or math.isnan(temperature) or temperature <= 0:
        raise OptionError(
            f"temperature={temperature!r} is not a number above zero", hint="for example 2"
        )
    if distribution != "tempered" and temperature != 1:
        raise OptionError(
            f"temperature={temperature} does nothing to {distribution!r}",
            hint="use the distribution 'tempered', or leave the temperature out",
        )
    if distribution == "mle" or (distribution == "tempered" and temperature == 1):
        return None
    if distribution == "uniform":
        return lambda weight, count, row: (weight > 0).astype(np.float64)
    if distribution == "tempered":
        return lambda weight, count, row: _power(weight, 1.0 / temperature, row)
    if distribution == "inverse-probability":
        return lambda weight, count, row: _inverse_weight(weight, row)
    return _inverse


def _power(weight: FloatArray, exponent: float, row: Any) -> FloatArray:
    with np.errstate(divide="ignore"):
        log_weight = np.log(weight)
    largest = np.full(int(row.max()) + 1, -np.inf)
    np.maximum.at(largest, row, log_weight)
    # the likeliest rule of each row becomes one, so that sharp temperatures leave it above zero
    result: FloatArray = np.exp((log_weight - largest[row]) * exponent)
    return result


def _inverse_weight(weight: FloatArray, row: Any) -> FloatArray:
    used = weight > 0
    smallest = np.full(int(row.max()) + 1, np.inf)
    np.minimum.at(smallest, row[used], weight[used])
    result = np.zeros(len(weight))
    # the rarest rule of each row becomes one, so that no number overflows
    result[used] = smallest[row[used]] / weight[used]
    return result


def _inverse(weight: FloatArray, count: LongArray, row: Any) -> FloatArray:
    used = weight > 0
    if (count[used] < 1).any():
        raise OptionError(
            "the grammar has rules without a count, so there is no inverse frequency",
            hint="use inverse-probability, or induce the grammar from a treebank",
        )
    result: FloatArray = np.where(used, 1.0 / np.maximum(count, 1), 0.0)
    return result


def _shares(mass: FloatArray, row: Any) -> FloatArray:
    """Divide by the sum over each row (each left-hand side)."""
    result: FloatArray = mass / np.bincount(row, mass)[row]
    return result
