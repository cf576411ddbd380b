"""Training pairs for the induction of synchronous grammars: checked, distinct and coded."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from dataclasses import dataclass, replace

from grammar.synchronous.forest import Coder
from induction.corpus.corpus import Corpus
from induction.corpus.pairs import Pair, frequent_targets
from induction.synchronous.unification import Coded

__all__ = ["TrainingPairs", "read_training_pairs", "relaxed_pattern"]


@dataclass(frozen=True, eq=False)
class TrainingPairs:
    """Distinct pairs in the order of source length, then of words; coded by ``coder``.

    Attributes
    ----------
    pairs : tuple of (str, str)
        Coded source and target.
    coder : Coder
        What the characters stand for.
    outvoted : tuple of (str, str)
        Pairs that were given, too, but the source has another target more often.
    """

    pairs: tuple[Coded, ...]
    coder: Coder
    outvoted: tuple[Coded, ...] = ()

    def __len__(self) -> int:
        return len(self.pairs)

    def without(self, faulty: Collection[Coded]) -> TrainingPairs:
        """Leave some pairs out."""
        return replace(self, pairs=tuple(pair for pair in self.pairs if pair not in faulty))

    def words(self, text: str) -> str:
        """Return a coded text as words apart by spaces."""
        return " ".join(map(str, self.coder.symbols(text)))


def read_training_pairs(pairs: Corpus | Iterable[Pair]) -> TrainingPairs:
    """Check and code pairs; equal ones count once, and of several targets the most frequent one.

    Parameters
    ----------
    pairs : Corpus or iterable of (source, target)
        A corpus needs the column ``target``; sides are texts with spaces or sequences of words.

    Raises
    ------
    CorpusError
        If there are no pairs, one is not a source and a target or has an empty side, or a source
        has two targets that are given equally often.
    """
    coder = Coder()
    distinct, others = frequent_targets(pairs)
    ordered = sorted((len(" ".join(s)), s, t) for s, t in distinct.items())
    coded = tuple((coder.words(s), coder.words(t)) for _, s, t in ordered)
    outvoted = tuple((coder.words(s), coder.words(t)) for s, t in sorted(others))
    return TrainingPairs(coded, coder, outvoted)


def relaxed_pattern(side: str) -> str:
    """Return a regular expression for coded texts that may hold what a side of a rule derives.

    Its runs of words occur in order, with at least one word between two of them and at each end
    where there is a slot. The earliest place of a run is as good as any, so nothing is tried twice.
    """
    first, *rest = re.split("[\x01-\xff]", side)
    return re.escape(first) + "".join(f"(?>[^\n]+?{re.escape(run)})" for run in rest)
