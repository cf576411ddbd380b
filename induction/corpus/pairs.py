"""Pairs of a source and a target, as texts or as words: checked, each source with one target."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from grammar.errors import CorpusError
from induction.corpus.corpus import Corpus

__all__ = ["Pair", "Words", "distinct_pairs", "place_of", "target_by_source"]

Pair = tuple[str | Sequence[str], str | Sequence[str]]
Words = tuple[str, ...]


def target_by_source(pairs: Corpus | Iterable[Pair]) -> dict[Words, Words]:
    """Check pairs and return the target of each source, in the order of the first pairs.

    Raises
    ------
    CorpusError
        If there are no pairs, one is not a source and a target or has an empty side, or a source
        has two targets.

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
    return {source: target for source, (_, target) in distinct_pairs(pairs).items()}


def distinct_pairs(pairs: Corpus | Iterable[Pair]) -> dict[Words, tuple[int, Words]]:
    """Check pairs and return, for each source, the row of its first pair and its target.

    Raises
    ------
    CorpusError
        As :func:`target_by_source`.
    """
    targets: dict[Words, tuple[int, Words]] = {}
    for row, pair in enumerate(_sides(pairs)):
        both = _both(pair)
        if both is None:
            raise CorpusError(
                f"{pair!r} is not a source and a target",
                where=place_of(pairs, row),
                hint="give both, as texts or as sequences of words, for example ('walk', 'I_WALK')",
            )
        source, target = both
        if not source or not target:
            raise CorpusError(
                f"the {'target' if source else 'source'} is empty",
                where=place_of(pairs, row),
                hint="drop the pair, or fill it in",
            )
        first, known = targets.setdefault(source, (row, target))
        if known != target:
            raise CorpusError(
                f"{' '.join(source)!r} has two targets: {' '.join(known)!r} and "
                f"{' '.join(target)!r}",
                where=f"{place_of(pairs, first)} and {place_of(pairs, row)}",
                hint="keep the right one of them",
            )
    if not targets:
        raise CorpusError("there are no training pairs", hint="give at least one")
    return targets


def place_of(pairs: Corpus | Iterable[Pair], row: int) -> str:
    """Say where a pair is, for messages."""
    return pairs.where(row) if isinstance(pairs, Corpus) else f"pair {row + 1}"


def _sides(pairs: Corpus | Iterable[Pair]) -> Iterable[Pair]:
    if isinstance(pairs, Corpus):
        return zip(pairs.column("text"), pairs.column("target"), strict=True)
    return pairs


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
