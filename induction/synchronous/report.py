"""How training pairs are explained by a grammar: by what they share, or one by one.

Every pair can be a rule of its own, so that a grammar derives all of them says little. A pair is
explained *by rote* if it has no derivation without a rule that no other pair uses.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from grammar.synchronous.forest import PairForest
from induction.synchronous.search import derived_without

__all__ = ["Explained", "RoteWarning", "explain_pairs"]

_MOSTLY = 0.5


class RoteWarning(UserWarning):
    """Most training pairs are learnt by rote: what the grammar says of others is a guess."""


@dataclass(frozen=True, slots=True)
class Explained:
    """How many pairs there are, and by what they are derived.

    Attributes
    ----------
    pairs : int
        Distinct ones.
    general, rote : int
        Those derived by rules that other pairs use, too, and those that need a rule that no other
        pair uses.
    faulty : int
        Those that were left out, because they contradict rules that many others support.

    Examples
    --------
    >>> Explained(pairs=20, general=15, rote=3, faulty=1).underivable
    1
    """

    pairs: int
    general: int
    rote: int
    faulty: int = 0

    @property
    def underivable(self) -> int:
        """The others: those that are not derived."""
        return self.pairs - self.general - self.rote - self.faulty

    @property
    def warning(self) -> str | None:
        """A word of warning where most pairs are not explained by what they share."""
        alone = self.pairs - self.general
        if alone <= _MOSTLY * self.pairs:
            return None
        return (
            f"{alone:,} of {self.pairs:,} pairs are learnt one by one: the rules hardly "
            "generalise, and samples repeat what was there; more pairs, or pairs that differ "
            "from each other in one place only, would help"
        )

    def __str__(self) -> str:
        """Return the shares as a text.

        >>> print(Explained(pairs=20, general=15, rote=3, faulty=1))
        20 distinct: 75.0% by general rules, 15.0% by rote, 1 faulty, 1 underivable
        """
        general, rote = (n / self.pairs for n in (self.general, self.rote))
        return (
            f"{self.pairs:,} distinct: {general:.1%} by general rules, {rote:.1%} by rote, "
            f"{self.faulty:,} faulty, {self.underivable:,} underivable"
        )


def explain_pairs(pairs: int, forests: Sequence[PairForest], faulty: int = 0) -> Explained:
    """Sort pairs by how they are explained.

    Parameters
    ----------
    pairs : int
        How many there are.
    forests : sequence of PairForest
        Of those that are derived.
    faulty : int
        How many were left out.
    """
    used = Counter(rule for forest in forests for rule in {edge.rule for edge in forest.edges})
    alone = frozenset(rule for rule, pairs_of_it in used.items() if pairs_of_it == 1)
    general = sum(derived_without(forest, alone) for forest in forests)
    return Explained(pairs, general, len(forests) - general, faulty)
