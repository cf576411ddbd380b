"""Rows of nodes that belong together, and joins of them: what patterns with names need."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from grammar.arrays import Index, IntArray, LongArray, kernel
from grammar.errors import PatternError
from grammar.search.relations import Kind, Link
from grammar.search.steps import Steps
from grammar.search.tree_index import TreeIndex

__all__ = ["ABSENT", "Rows", "join", "stacked"]

IntRows = npt.NDArray[np.int32]

ABSENT = -1
"""Stands for the node of a name that no node has, as of ``?< NP=n`` where there is none."""
_MOST_PAIRS, _MOST_ROWS = 4_000_000_000, 50_000_000

# kernels take numbers, and not members of an enumeration
_SAME_TREE, _PARENT, _NTH = int(Kind.SAME_TREE), int(Kind.PARENT), int(Kind.PARENT_OF_NTH)
_ONLY, _ANCESTOR, _LEFT = int(Kind.PARENT_OF_ONLY), int(Kind.ANCESTOR), int(Kind.ANCESTOR_LEFT)
_RIGHT, _SINGLE = int(Kind.ANCESTOR_RIGHT), int(Kind.ANCESTOR_SINGLE)
_JUST_BEFORE, _BEFORE, _SISTER = int(Kind.JUST_BEFORE), int(Kind.BEFORE), int(Kind.SISTER)
_SISTER_JUST_BEFORE = int(Kind.SISTER_JUST_BEFORE)


@dataclass(frozen=True)
class Rows:
    """Nodes, and with each the nodes that have names.

    Attributes
    ----------
    head : int32 array, shape (rows,)
        In ascending order.
    named : mapping of str to int32 array, shape (rows,)
        ``ABSENT`` where no node has the name.
    """

    head: IntArray
    named: Mapping[str, IntArray]

    def __len__(self) -> int:
        return len(self.head)

    def take(self, chosen: LongArray) -> Rows:
        """Return the chosen rows."""
        return Rows(self.head[chosen], {n: column[chosen] for n, column in self.named.items()})

    def with_column(self, name: str, column: IntArray) -> Rows:
        """Return the rows with one more column."""
        return replace(self, named={**self.named, name: column})

    def without(self, names: Iterable[str]) -> Rows:
        """Return the rows, each once, without some columns."""
        left = {name: c for name, c in self.named.items() if name not in set(names)}
        return self if len(left) == len(self.named) else Rows(self.head, left).distinct()

    def distinct(self) -> Rows:
        """Return each row once, in ascending order."""
        if not len(self):
            return self
        columns = [self.head, *self.named.values()]
        order = np.lexsort(columns[::-1])
        changes = np.zeros(len(self), np.bool_)
        changes[0] = True
        for column in columns:
            ordered = column[order]
            changes[1:] |= ordered[1:] != ordered[:-1]
        return self.take(order[changes])


def stacked(several: Iterable[Rows]) -> Rows:
    """Return the rows of several tables, each once; names that one lacks are absent in it."""
    tables = list(several)
    names = dict.fromkeys(name for rows in tables for name in rows.named)
    columns = {
        name: np.concatenate(
            [rows.named.get(name, np.full(len(rows), ABSENT, np.int32)) for rows in tables]
        )
        for name in names
    }
    return Rows(np.concatenate([rows.head for rows in tables]), columns).distinct()


def join(index: TreeIndex, left: Rows, right: Rows, link: Link, steps: Steps) -> Rows:
    """Return the pairs of rows whose heads have a relation and whose common names agree.

    The head of the right row is not kept; who needs it has a name for it.

    Raises
    ------
    PatternError
        If the pairs to look at, or those that are found, are too many, or more than the steps
        that are left.
    """
    common = [name for name in left.named if name in right.named]
    shape = (len(common),)
    agree_left = np.array([left.named[n] for n in common], np.int32).reshape(*shape, len(left))
    agree_right = np.array([right.named[n] for n in common], np.int32).reshape(*shape, len(right))
    bounds_left = np.searchsorted(left.head, index.offsets)
    bounds_right = np.searchsorted(right.head, index.offsets)
    pairs = int(np.diff(bounds_left) @ np.diff(bounds_right))
    _refuse_above(pairs, _MOST_PAIRS, "pairs of nodes would be compared")
    steps.take(pairs)
    about = (np.int64(link.kind), bool(link.is_inverse), np.int64(link.nth))
    tables = (left.head, right.head, agree_left, agree_right, bounds_left, bounds_right)
    room = len(left) + len(right)  # mostly enough
    of_left, of_right = np.empty(room, np.int64), np.empty(room, np.int64)
    count = _pairs(index.columns, about, tables, of_left, of_right)
    steps.take_rows(count, 1 + len(left.named) + len(right.named))
    if count > room:
        _refuse_above(count, _MOST_ROWS, "hits are found")
        of_left, of_right = np.empty(count, np.int64), np.empty(count, np.int64)
        _pairs(index.columns, about, tables, of_left, of_right)
    found = left.take(of_left[:count])
    new = {n: c[of_right[:count]] for n, c in right.named.items() if n not in left.named}
    made = Rows(found.head, {**found.named, **new})
    if any(np.array_equal(right.head, column) for column in right.named.values()):
        return made
    # the node on the right has no name, so several of them may give the same row
    return made.distinct()


def _refuse_above(count: int, most: int, what: str) -> None:
    if count > most:
        raise PatternError(
            f"{count:,} {what}, more than {most:,}",
            where="<pattern>",
            hint="name fewer nodes, or say more of those that have names",
        )


@kernel()
def _pairs(  # type: ignore[no-untyped-def]
    columns, about, rows, of_left: LongArray, of_right: LongArray
) -> int:
    """Write the pairs that hold, as far as there is room, and return how many there are."""
    parent, stop, first_word, last_word, rank, rank_from_right = columns
    left, right, agree_left, agree_right, bounds_left, bounds_right = rows
    kind, inverse, nth = about
    count = 0
    for t in range(len(bounds_left) - 1):
        for i in range(bounds_left[t], bounds_left[t + 1]):
            for j in range(bounds_right[t], bounds_right[t + 1]):
                holds = True
                for k in range(len(agree_left)):
                    holds = holds and agree_left[k, i] == agree_right[k, j]
                if not holds:
                    continue
                a, b = (right[j], left[i]) if inverse else (left[i], right[j])
                if kind <= _ONLY:
                    holds = kind == _SAME_TREE or _is_child(
                        kind, nth, a, b, parent, rank, rank_from_right
                    )
                elif kind <= _SINGLE:
                    holds = _is_below(kind, a, b, stop, first_word, last_word)
                elif kind <= _BEFORE:
                    holds = _is_behind(kind, a, b, first_word, last_word)
                else:
                    holds = _is_sister(kind, a, b, parent, stop)
                if holds:
                    if count < len(of_left):
                        of_left[count] = i
                        of_right[count] = j
                    count += 1
    return count


@kernel()
def _is_child(
    kind: int, nth: int, a: Index, b: Index, parent: IntArray, rank: IntArray, from_right: IntArray
) -> bool:
    """Say whether b is such a child of a."""
    if parent[b] != a:
        return False
    if kind == _PARENT:
        return True
    if kind == _NTH:
        return bool(rank[b] == nth if nth > 0 else from_right[b] == -nth)
    return bool(rank[b] == 1 and from_right[b] == 1)


@kernel()
def _is_below(
    kind: int, a: Index, b: Index, stop: IntArray, first_word: IntArray, last_word: IntArray
) -> bool:
    """Say whether b is below a, on such a branch."""
    if not a < b < stop[a]:
        return False
    # no node is without words, so those that share the first word are on one left branch
    starts, ends = first_word[a] == first_word[b], last_word[a] == last_word[b]
    if kind == _ANCESTOR:
        return True
    if kind == _LEFT:
        return bool(starts)
    return bool(ends if kind == _RIGHT else starts and ends)


@kernel()
def _is_behind(kind: int, a: Index, b: Index, first_word: IntArray, last_word: IntArray) -> bool:
    """Say whether b comes behind a, at once or later."""
    if kind == _JUST_BEFORE:
        return bool(last_word[a] == first_word[b])
    return bool(last_word[a] <= first_word[b])


@kernel()
def _is_sister(kind: int, a: Index, b: Index, parent: IntArray, stop: IntArray) -> bool:
    """Say whether b is a sister of a, anywhere, just behind it, or behind it."""
    if a == b or parent[a] < 0 or parent[a] != parent[b]:
        return False
    if kind == _SISTER:
        return True
    return bool(b == stop[a] if kind == _SISTER_JUST_BEFORE else a < b)
