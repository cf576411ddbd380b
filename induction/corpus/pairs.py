"""Pairs of a source and a target, as texts or as words: checked, each source with one target."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence

from grammar.errors import CorpusError
from induction.corpus.corpus import Corpus

__all__ = [
    "Pair",
    "Words",
    "check_pairs",
    "distinct_pairs",
    "exchanged_sides",
    "frequent_targets",
    "place_of",
    "target_by_source",
]

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


def check_pairs(pairs: Corpus | Iterable[Pair]) -> None:
    """Check pairs each by itself, so not that a source has one target.

    Raises
    ------
    CorpusError
        If there are no pairs, or one is not a source and a target or has an empty side.

    Examples
    --------
    >>> check_pairs([("walk", "W"), ("walk", "V")])
    """
    for _ in _checked(pairs):
        pass


def distinct_pairs(pairs: Corpus | Iterable[Pair]) -> dict[Words, tuple[int, Words]]:
    """Check pairs and return, for each source, the row of its first pair and its target.

    Raises
    ------
    CorpusError
        As :func:`target_by_source`.
    """
    targets: dict[Words, tuple[int, Words]] = {}
    for row, source, target in _checked(pairs):
        first, known = targets.setdefault(source, (row, target))
        if known != target:
            raise _two_targets(pairs, source, (first, known), (row, target))
    return targets


def frequent_targets(
    pairs: Corpus | Iterable[Pair],
) -> tuple[dict[Words, Words], list[tuple[Words, Words]]]:
    """Return the most frequent target of each source, and the pairs that are outvoted.

    Raises
    ------
    CorpusError
        As :func:`target_by_source`, but of several targets only if two are the most frequent.

    Examples
    --------
    >>> pairs = [("walk", "W"), ("run", "R"), ("walk", "V"), ("walk", "W")]
    >>> targets, outvoted = frequent_targets(pairs)
    >>> targets[("walk",)], outvoted
    (('W',), [(('walk',), ('V',))])
    """
    pairs = pairs if isinstance(pairs, Corpus) else list(pairs)
    votes: dict[Words, Counter[Words]] = {}
    rows: dict[tuple[Words, Words], int] = {}
    for row, source, target in _checked(pairs):
        votes.setdefault(source, Counter())[target] += 1
        rows.setdefault((source, target), row)
    targets: dict[Words, Words] = {}
    outvoted: list[tuple[Words, Words]] = []
    for source, counted in votes.items():
        (best, most), *others = counted.most_common()
        if others and others[0][1] == most:
            one, other = ((rows[source, target], target) for target in (best, others[0][0]))
            raise _two_targets(pairs, source, one, other, hint=_mending(rows))
        targets[source] = best
        outvoted += [(source, target) for target, _ in others]
    return targets, outvoted


def exchanged_sides(pairs: Corpus | Iterable[Pair]) -> Corpus | list[Pair]:
    """Return pairs whose sources are the targets of those given, and the other way round.

    Examples
    --------
    >>> exchanged_sides([("walk", "W")])
    [('W', 'walk')]
    """
    if isinstance(pairs, Corpus):
        text, target = pairs.column("text"), pairs.column("target")
        return pairs.with_column("text", target).with_column("target", text)
    # what is no pair stays, and is refused where pairs are checked
    return [(pair[1], pair[0]) if _both(pair) else pair for pair in pairs]


def _two_targets(
    pairs: Corpus | Iterable[Pair],
    source: Words,
    one: tuple[int, Words],
    other: tuple[int, Words],
    hint: str = "keep the right one of them",
) -> CorpusError:
    return CorpusError(
        f"{' '.join(source)!r} has two targets: {' '.join(one[1])!r} and {' '.join(other[1])!r}",
        where=f"{place_of(pairs, one[0])} and {place_of(pairs, other[0])}",
        hint=hint,
    )


def _mending(pairs: Collection[tuple[Words, Words]]) -> str:
    """Say what to do where a source has two targets."""
    if len({target for _, target in pairs}) < len(pairs):
        return "keep the right one of them"
    return (
        "keep the right one of them, or all: every target has one source, so induce with the "
        "option inverse, and translate with --inverse"
    )


def _checked(pairs: Corpus | Iterable[Pair]) -> Iterator[tuple[int, Words, Words]]:
    """Yield the row and the words of both sides of each pair."""
    row = -1
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
        yield row, source, target
    if row < 0:
        raise CorpusError("there are no training pairs", hint="give at least one")


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
