"""Training pairs for the induction of synchronous grammars: checked, distinct and coded."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from grammar.errors import CorpusError
from grammar.synchronous_forest import Coder
from induction.corpus import Corpus

__all__ = ["TrainingPairs", "read_training_pairs", "relaxed_pattern", "target_by_source"]

Pair = tuple[str | Sequence[str], str | Sequence[str]]
Words = tuple[str, ...]


@dataclass(frozen=True, eq=False)
class TrainingPairs:
    """Distinct pairs in the order of source length, then of words; coded by ``coder``.

    Attributes
    ----------
    pairs : tuple of (str, str)
        Coded source and target.
    coder : Coder
        What the characters stand for.
    """

    pairs: tuple[tuple[str, str], ...]
    coder: Coder

    def __len__(self) -> int:
        return len(self.pairs)

    def words(self, text: str) -> str:
        """Return a coded text as words apart by spaces."""
        return " ".join(map(str, self.coder.symbols(text)))


def read_training_pairs(pairs: Corpus | Iterable[Pair]) -> TrainingPairs:
    """Check and code pairs; equal ones count once.

    Parameters
    ----------
    pairs : Corpus or iterable of (source, target)
        A corpus needs the column ``target``; sides are texts with spaces or sequences of words.

    Raises
    ------
    CorpusError
        If there are no pairs, one is not a source and a target or has an empty side, or a source
        has two targets.
    """
    coder = Coder()
    distinct = target_by_source(pairs)
    ordered = sorted((len(" ".join(s)), s, t) for s, t in distinct.items())
    coded = tuple((coder.words(s), coder.words(t)) for _, s, t in ordered)
    return TrainingPairs(coded, coder)


def target_by_source(pairs: Corpus | Iterable[Pair]) -> dict[Words, Words]:
    """Check pairs and return the target of each source, in the order of the first pairs.

    Raises
    ------
    CorpusError
        As :func:`read_training_pairs`.

    Examples
    --------
    >>> target_by_source([("walk", "W"), ("run", "R"), ("walk", "W")])
    {('walk',): ('W',), ('run',): ('R',)}
    >>> target_by_source([("walk", "W"), ("run", "R"), ("walk", "V")])
    Traceback (most recent call last):
    ...
    grammar.errors.CorpusError: pair 1 and pair 3: 'walk' has two targets: 'W' and 'V'
      hint: keep the right one of them
    """
    targets: dict[Words, tuple[int, Words]] = {}
    for row, pair in enumerate(_sides(pairs)):
        both = _both(pair)
        if both is None:
            raise CorpusError(
                f"{pair!r} is not a source and a target",
                where=_where(pairs, row),
                hint="give both, as texts or as sequences of words, for example ('walk', 'I_WALK')",
            )
        source, target = both
        if not source or not target:
            raise CorpusError(
                f"the {'target' if source else 'source'} is empty",
                where=_where(pairs, row),
                hint="drop the pair, or fill it in",
            )
        first, known = targets.setdefault(source, (row, target))
        if known != target:
            raise CorpusError(
                f"{' '.join(source)!r} has two targets: {' '.join(known)!r} and "
                f"{' '.join(target)!r}",
                where=f"{_where(pairs, first)} and {_where(pairs, row)}",
                hint="keep the right one of them",
            )
    if not targets:
        raise CorpusError("there are no training pairs", hint="give at least one")
    return {source: target for source, (_, target) in targets.items()}


def relaxed_pattern(side: str) -> str:
    """Return a regular expression for coded texts that may hold what a side of a rule derives.

    Its runs of words occur in order, with at least one word between two of them and at each end
    where there is a slot. The earliest place of a run is as good as any, so nothing is tried twice.
    """
    first, *rest = re.split("[\x01-\xff]", side)
    return re.escape(first) + "".join(f"(?>[^\n]+?{re.escape(run)})" for run in rest)


def _sides(pairs: Corpus | Iterable[Pair]) -> Iterable[Pair]:
    if isinstance(pairs, Corpus):
        return zip(pairs.column("text"), pairs.column("target"), strict=True)
    return pairs


def _where(pairs: Corpus | Iterable[Pair], row: int) -> str:
    return pairs.where(row) if isinstance(pairs, Corpus) else f"pair {row + 1}"


def _both(pair: Pair) -> tuple[tuple[str, ...], tuple[str, ...]] | None:
    """Return the words of both sides of a pair, or None; a side that is None has none."""
    # a text is a sequence too, and one of two characters would pass for a pair
    if isinstance(pair, Sequence) and not isinstance(pair, str) and len(pair) == 2:
        sides = [side.split() if isinstance(side, str) else side or () for side in pair]
        if all(isinstance(side, Sequence) for side in sides):
            source, target = map(tuple, sides)
            if all(isinstance(word, str) for word in source + target):
                return source, target
    return None
