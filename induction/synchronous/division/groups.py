"""Rules whose uses fall into groups that never meet are divided, if chance does not explain it."""

from __future__ import annotations

import itertools
from collections import Counter, defaultdict
from collections.abc import Hashable, Iterator, Sequence
from typing import NamedTuple

import numpy as np

from grammar.arrays import LongArray, kernel
from grammar.rng import stream_key
from induction.synchronous.division.uses import MEMBER, Use, relabel

__all__ = ["divide", "groups_apart"]

_SHUFFLED = 1_000
"""Shuffles of what stands in two places, none of which may give as many groups."""
_MOST_ROWS = 2_000
"""That are shuffled: of more, an even choice."""
_MOST_MIXED = 4
"""Places of a rule that may be of several groups, at most."""
_PLACE = -1
"""What is compared beside slots: where a use is."""


class _Column(NamedTuple):
    """What uses of one rule have at one place, none where that does not count."""

    at: int
    values: list[Hashable | None]


def divide(uses: Sequence[Use]) -> bool:
    """Give uses of one rule different labels where they never meet, until none is left."""
    changed = False
    while True:
        of_label: dict[Hashable, list[Use]] = defaultdict(list)
        for use in uses:
            if use.children:
                of_label[use.label].append(use)
        found = [groups for alike in of_label.values() if (groups := _groups(alike))]
        if not found:
            return changed
        relabel(uses, itertools.chain.from_iterable(found))
        changed = True


def groups_apart(pairs: Sequence[tuple[Hashable, Hashable]]) -> list[int]:
    """Return the group of each pair, if there are groups that share no member.

    Returns nothing if all are one group, or chance explains the groups.

    Examples
    --------
    >>> groups_apart([("colour", "red"), ("size", "two"), ("colour", "blue")] * 9)[:3]
    [0, 1, 0]
    >>> groups_apart([("colour", "red"), ("size", "two"), ("colour", "two")] * 9)
    []
    """
    one, other = map(_numbered, zip(*pairs, strict=True))
    group = _components(one, other)
    apart = group.any() and _unlikely(sorted(zip(one.tolist(), other.tolist(), strict=True)))
    return group.tolist() if apart else []


def _groups(uses: Sequence[Use]) -> list[tuple[Use, Hashable]]:
    """Return the groups of uses that two places tell apart; none if there are not two.

    What is said twice is evidence once: a phrase in the same slot of the same phrase, or what is
    within a phrase. First all that stands in two places is compared, then words alone: a phrase
    that may hold the words of either group has their group.
    """
    place, *below = _columns(uses)
    whole = [place, *below]
    if len({use.rule for use in uses}) > 1:
        whole.append(_Column(MEMBER, [use.rule for use in uses]))
    outside = _Column(_PLACE, [None if _own(use) else use.place for use in uses])
    words = list(_columns_of_words(uses))
    pairs = [
        *itertools.combinations(whole, 2),
        *((outside, column) for column in words),
        *itertools.combinations(words[: len(below)], 2),
    ]
    told = (_told_by(uses, one, other) for one, other in pairs)
    mixed = (
        _told_by(uses, one, other, value)
        for one, other in pairs
        if one.at == _PLACE
        for value in _mixed_values(one)
    )
    return next((groups for groups in itertools.chain(told, mixed) if groups), [])


def _mixed_values(column: _Column) -> list[Hashable]:
    """Return the values of a column that may be of several groups, the most frequent first."""
    counts = Counter(value for value in column.values if value is not None)
    return [value for value, _ in counts.most_common(_MOST_MIXED)] if len(counts) > 2 else []


def _told_by(
    uses: Sequence[Use], one: _Column, other: _Column, mixed: Hashable = None
) -> list[tuple[Use, Hashable]]:
    """Return the groups of uses that two columns tell apart, if chance does not explain them.

    A value of the first that is ``mixed`` does not tie any: it is of all groups.
    """
    values = [
        (None if value == mixed else value, at)
        for value, at in zip(one.values, other.values, strict=True)
    ]
    rows = [n for n, v in enumerate(values) if None not in v]
    if not rows:
        return []
    ties = [_numbered(column) for column in zip(*(values[n] for n in rows), strict=True)]
    group = _components(*ties)
    if not group.any():
        return []
    member = MEMBER in (one.at, other.at)
    said = rows if member else [uses[n].within if one.at == _PLACE else uses[n].tree for n in rows]
    once = set(zip(said, *(tie.tolist() for tie in ties), strict=True))
    if not _unlikely(sorted((a, b) for _, a, b in once)):
        return []
    columns = (_Column(one.at, [value for value, _ in values]), other)
    found = _spread(uses, columns, dict(zip(rows, group.tolist(), strict=True)))
    if found is None:
        return []
    return [(u, (g, MEMBER) if member else g) for u, g in zip(uses, found, strict=True)]


def _columns(uses: Sequence[Use]) -> list[_Column]:
    """Return what stands in the places of uses of one rule: where it is, and its slots."""
    rows = [[use.place, *(child.label for child in use.children)] for use in uses]
    return [_Column(at, list(values)) for at, values in enumerate(zip(*rows, strict=True), _PLACE)]


def _columns_of_words(uses: Sequence[Use]) -> Iterator[_Column]:
    """Yield the words in each slot, and then those in each slot of each phrase in a slot."""
    slots = range(len(uses[0].children))
    for slot in slots:
        yield _Column(slot, [_word_label(use.children[slot]) for use in uses])
    for slot in slots:
        phrases = (use.children[slot] for use in uses if use.children[slot].children)
        arity = {phrase.label: len(phrase.children) for phrase in phrases}
        for label, inner in sorted(arity.items(), key=repr):
            if label == uses[0].label:
                continue
            for below in range(inner):
                yield _Column(slot, [
                    _word_label(use.children[slot].children[below])
                    if use.children[slot].label == label else None
                    for use in uses
                ])  # fmt: skip


def _word_label(use: Use) -> Hashable | None:
    return None if use.children else use.label


def _own(use: Use) -> bool:
    """Say whether a use stands in a slot of its own rule."""
    return isinstance(use.place, tuple) and use.place[0] == use.label


def _spread(
    uses: Sequence[Use], columns: tuple[_Column, _Column], known: dict[int, int]
) -> list[int] | None:
    """Give each use the group of its values; None if one has none.

    Uses in the slot of a use of the same rule have its group.
    """
    group_of: list[dict[Hashable, int]] = [
        {column.values[n]: group for n, group in known.items()} for column in columns
    ]
    found: list[int | None] = []
    for values in zip(*(column.values for column in columns), strict=True):
        groups = [of.get(v) for of, v in zip(group_of, values, strict=True) if v is not None]
        found.append(next((group for group in groups if group is not None), None))
    number = {id(use): n for n, use in enumerate(uses)}
    slot = columns[1].at
    inner = [number.get(id(use.children[slot])) if slot < MEMBER else None for use in uses]
    for steps in (range(len(uses) - 1, -1, -1), range(len(uses))):
        for n in steps:
            m = inner[n]
            if m is not None:
                found[n] = found[m] if found[n] is None else found[n]
                found[m] = found[n] if found[m] is None else found[m]
    agree = all(m is None or found[n] == found[m] for n, m in enumerate(inner))
    return [g for g in found if g is not None] if agree and None not in found else None


def _numbered(values: Sequence[Hashable]) -> LongArray:
    return np.unique(list(map(repr, values)), return_inverse=True)[1]


@kernel()
def _top(above: LongArray, node: int) -> int:
    while above[node] != node:
        above[node] = above[above[node]]
        node = above[node]
    return node


@kernel()
def _components(one: LongArray, other: LongArray) -> LongArray:
    """Number the groups of rows that are tied by equal values in either column, by union-find."""
    first = one.max() + 1
    above = np.arange(first + other.max() + 1)  # a group has the number of its least member
    for row in range(len(one)):
        ends = one[row], first + other[row]
        low, high = _top(above, ends[0]), _top(above, ends[1])
        above[max(low, high)] = min(low, high)
    number, groups = np.full(len(above), -1), 0
    for node in range(first):
        if above[node] == node:
            number[node] = groups
            groups += 1
    return np.array([number[_top(above, value)] for value in one])


def _unlikely(rows: Sequence[tuple[int, int]]) -> bool:
    """Say whether no shuffle of what stands in the second place gives as many groups."""
    chosen = np.array(rows[:: 1 + len(rows) // _MOST_ROWS], np.int64)
    one, other = np.ascontiguousarray(chosen.T)
    groups = int(_components(one, other).max())
    draw = np.random.Generator(np.random.Philox(key=int(stream_key(0, "divided-rules"))))
    return groups > 0 and not any(
        _components(one, draw.permutation(other)).max() >= groups for _ in range(_SHUFFLED)
    )
