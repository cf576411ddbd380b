"""What a synchronous grammar is like: does it end, and how long are its two sides?

Both sides come from one derivation, so they end together, but a slot that the target copies k
times counts k times there. The mean matrix of the source is ``M[A, B]``, the expected number of B
children of one A; that of the target, ``M'``, counts copies. Sources have finite expected length
if the spectral radius of M is below one, targets if that of M' is: with ``S -> S_1 a ### S_1 S_1``
often enough, sources stay short while targets explode.

References
----------
Booth & Thompson (1973), *Applying probability measures to abstract languages*: the criterion for
one side. The target side follows by linearity of expectation.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Any, Protocol

import numpy as np

from grammar.arrays import FloatArray, LongArray
from grammar.families.flattening import Flattened
from grammar.pcfg.ambiguity import SymbolAmbiguity
from grammar.pcfg.analysis import (
    CRITICAL,
    expected_counts,
    mean_matrix,
    productive,
    reachable,
    spectral_radius,
    termination,
)
from grammar.pcfg.grammar import Grammar
from grammar.pictures.html import html_table

__all__ = ["SynchronousReport", "TwoSided", "ambiguous_types", "analyse_synchronous"]


class TwoSided(Protocol):
    """What is examined: the weighted rules of a synchronous grammar, and its two sides."""

    def __len__(self) -> int:
        """Return how many rules there are."""

    @property
    def weight(self) -> FloatArray:
        """float64 array, shape (rules,): the probability of each."""

    @property
    def lhs(self) -> LongArray:
        """int64 array, shape (rules,): the type that each rewrites."""

    @property
    def types(self) -> tuple[str, ...]:
        """The types."""

    @property
    def source_side(self) -> Flattened:
        """The PCFG of sources."""

    @property
    def target_side(self) -> Flattened:
        """The PCFG of targets."""


@dataclass(frozen=True)
class SynchronousReport:
    """The findings of :meth:`grammar.synchronous.grammar.SynchronousGrammar.check`.

    Attributes
    ----------
    rules, types : int
        Sizes.
    source_radius, target_radius : float
        Spectral radius of the mean matrix of each side, over reachable types.
    termination : float
        The probability that a derivation ends.
    source_length, target_length : float
        Expected number of words of each side; infinite where the radius is one or more.

    Examples
    --------
    >>> from grammar.synchronous.grammar import SynchronousGrammar
    >>> report = SynchronousGrammar.parse('''
    ...     NT_1 twice ### NT_1 NT_1 [0.6]
    ...     walk ### WALK [0.4]
    ... ''').check()
    >>> report.source_bounded, report.target_bounded, round(report.source_length, 6)
    (True, False, 2.5)
    """

    rules: int
    types: int
    source_radius: float
    target_radius: float
    termination: float
    source_length: float
    target_length: float

    @property
    def tight(self) -> bool:
        """Whether derivations end with probability one."""
        return self.termination >= 1.0 - CRITICAL

    @property
    def source_bounded(self) -> bool:
        """Whether the expected length of a source is finite."""
        return bool(np.isfinite(self.source_length))

    @property
    def target_bounded(self) -> bool:
        """Whether the expected length of a target is finite."""
        return bool(np.isfinite(self.target_length))

    def to_dict(self) -> dict[str, Any]:
        """Return all findings as values that JSON can hold (infinite becomes None)."""
        facts = {"tight": self.tight, **asdict(self)}
        return {key: None if value == float("inf") else value for key, value in facts.items()}

    def lines(self) -> Iterator[tuple[str, str]]:
        """Yield (name, finding) pairs for people."""
        yield "rules", f"{self.rules:,} of {self.types:,} types"
        ends = "yes" if self.tight else f"no: derivations end with p = {self.termination:.6f}"
        yield "tight", ends
        yield "source radius", f"{self.source_radius:.6f}"
        yield "target radius", f"{self.target_radius:.6f}"
        yield "source length", f"{self.source_length:.3f} words expected"
        yield "target length", f"{self.target_length:.3f} words expected"

    def __str__(self) -> str:
        return "\n".join(f"{name:<14} {value}" for name, value in self.lines())

    def _repr_html_(self) -> str:
        return html_table(self.lines())


def analyse_synchronous(grammar: TwoSided) -> SynchronousReport:
    """Examine both sides of a grammar; see :class:`SynchronousReport`."""
    source, target = grammar.source_side.pcfg, grammar.target_side.pcfg
    source_radius, target_radius = _radius(source), _radius(target)
    sound = bool(productive(source)[reachable(source)].all())
    tight = sound and source_radius <= 1.0 + CRITICAL
    return SynchronousReport(
        rules=len(grammar),
        types=len(grammar.types),
        source_radius=source_radius,
        target_radius=target_radius,
        termination=1.0 if tight else float(termination(source)[source.start_id]),
        source_length=_expected_length(source) if sound else float("inf"),
        target_length=_expected_length(target) if sound else float("inf"),
    )


def ambiguous_types(grammar: TwoSided, *, bounded: bool) -> list[SymbolAmbiguity]:
    """Return all types of a synchronous grammar, those where most is open first.

    Parameters
    ----------
    grammar : SynchronousGrammar
        Any. A slot that the target copies is one use: there is one choice for all its copies.
    bounded : bool
        Whether sources have a finite expected length (``grammar.check()`` says it). Types are then
        ranked by their share of the entropy of derivations, and by their own otherwise.

    Examples
    --------
    >>> from grammar.synchronous.grammar import SynchronousGrammar
    >>> grammar = SynchronousGrammar.parse('''
    ...     S -> V_1 twice ### V_1 V_1
    ...     V -> walk ### WALK
    ...     V -> run ### RUN
    ... ''')
    >>> ambiguous_types(grammar, bounded=True)[0]
    SymbolAmbiguity(symbol='V', rules=2, entropy=1.0, uses=1.0, share=1.0)
    """
    types = grammar.types
    weight = grammar.weight
    bits = -weight * np.log2(np.where(weight > 0, weight, 1.0))
    entropy = np.abs(np.bincount(grammar.lhs, bits, minlength=len(types)))
    sizes = np.bincount(grammar.lhs, minlength=len(types))
    side = grammar.source_side.pcfg
    # among the symbols of that side are all types, each as often as in the grammar's derivations
    places = [side.rules.nonterminals.index(name) for name in types]
    uses = expected_counts(side)[places] if bounded else None
    value = entropy if uses is None else entropy * uses
    return [
        SymbolAmbiguity(
            types[i],
            int(sizes[i]),
            float(entropy[i]),
            None if uses is None else float(uses[i]),
            None if uses is None else float(value[i]),
        )
        for i in np.argsort(-value, kind="stable").tolist()
    ]


def _radius(side: Grammar) -> float:
    reached = reachable(side)
    return spectral_radius(mean_matrix(side)[reached][:, reached])


def _expected_length(side: Grammar) -> float:
    if _radius(side) >= 1.0 - CRITICAL:
        return float("inf")
    rules = side.rules
    rule = np.repeat(np.arange(len(rules)), np.diff(rules.offsets))
    words = np.bincount(rule[rules.rhs < 0], minlength=len(rules))
    own = np.bincount(rules.lhs, side.weight * words, minlength=len(rules.nonterminals))
    return float(expected_counts(side) @ own)
