"""Training pairs for the induction of synchronous grammars: checked, distinct and coded."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace

from grammar.synchronous.forest import Coder
from induction.corpus.corpus import Corpus
from induction.corpus.pairs import Pair, frequent_targets
from induction.synchronous.unification import Coded

__all__ = ["TrainingPairs", "may_hold", "read_training_pairs", "side_runs"]


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


def side_runs(side: str) -> list[str]:
    """Return the words before, between and behind the slots of one side of a coded rule."""
    return re.split("[\x01-\xff]", side)


def may_hold(text: str, runs: Sequence[str]) -> bool:
    """Say whether a coded text may hold what one side of a rule with such runs derives.

    The runs occur in order, with at least one word between two of them and at each end where there
    is a slot. The earliest place of a run is as good as any.

    Examples
    --------
    >>> code = Coder().words
    >>> runs = side_runs(chr(1) + code(["and", "walk"]))
    >>> [may_hold(code(text.split()), runs) for text in ("run and walk", "and walk")]
    [True, False]
    """
    first, *rest = runs
    at = text.find(first)
    for run in rest:
        if at < 0:
            return False
        at, first = text.find(run, at + len(first) + 1), run
    return at >= 0
