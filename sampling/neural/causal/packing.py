"""Texts that begin alike, in rows of which each is a trie: a beginning is read once.

A causal model reads a piece by those before it alone, so what it makes of a common beginning is the
same in every text. Proposals are made of few hosts, so a third of their pieces are in such
beginnings, and rows that are filled leave nothing to pad.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from grammar.arrays import BoolArray, LongArray

__all__ = ["Packed", "packed"]


class Packed(NamedTuple):
    """Rows of pieces; the first of each row is the root of its trie.

    Attributes
    ----------
    ids : int64[rows, width]
        Pieces; behind the last of a row, zeros.
    depth : int64[rows, width]
        How many pieces stand before each in its texts.
    sees : bool[rows, width, width]
        Whether a piece (the second axis) sees another: those before it in its texts, and itself.
    places : list of (int, int64[pieces])
        The row of each text, and where in it its pieces stand, without the root.
    """

    ids: LongArray
    depth: LongArray
    sees: BoolArray
    places: list[tuple[int, LongArray]]


class _Trie:
    """The pieces of a row."""

    def __init__(self, root: int) -> None:
        self.ids, self.parent, self.depth = [root], [0], [0]
        self._behind: dict[tuple[int, int], int] = {}

    def takes(self, text: Sequence[int], width: int) -> bool:
        """Return whether a text fits into so many pieces; into an empty row all do."""
        at, known = 0, 0
        while known < len(text) and (at, text[known]) in self._behind:
            at, known = self._behind[at, text[known]], known + 1
        return len(self.ids) == 1 or len(self.ids) + len(text) - known <= width

    def add(self, text: Sequence[int]) -> LongArray:
        """Add a text; return where its pieces stand."""
        at, places = 0, []
        for piece in text:
            behind = self._behind.setdefault((at, piece), len(self.ids))
            if behind == len(self.ids):
                self.ids.append(piece)
                self.parent.append(at)
                self.depth.append(self.depth[at] + 1)
            places.append(at := behind)
        return np.array(places, np.int64)


def packed(texts: Sequence[Sequence[int]], root: int, width: int) -> Packed:
    """Pack texts into rows that hold at most ``width`` pieces, or one longer text.

    Parameters
    ----------
    texts : sequence of sequence of int
        Their pieces.
    root : int
        The piece that all are read behind.
    width : int
        How many pieces a row has.

    Examples
    --------
    >>> rows = packed([[5, 6], [5, 7]], root=1, width=8)
    >>> rows.ids.tolist(), rows.depth.tolist()
    ([[1, 5, 6, 7]], [[0, 1, 2, 2]])
    >>> rows.sees[0, 3].tolist()  # the last sees the root, what it has in common, and itself
    [True, True, False, True]
    >>> [(row, at.tolist()) for row, at in rows.places]
    [(0, [1, 2]), (0, [1, 3])]
    """
    tries: list[_Trie] = []
    places: dict[int, tuple[int, LongArray]] = {}
    for k in sorted(range(len(texts)), key=lambda k: tuple(texts[k])):
        if not tries or not tries[-1].takes(texts[k], width):
            tries.append(_Trie(root))
        places[k] = len(tries) - 1, tries[-1].add(texts[k])
    longest = max((len(trie.ids) for trie in tries), default=1)
    ids, depth = (np.zeros((len(tries), longest), np.int64) for _ in range(2))
    sees = np.zeros((len(tries), longest, longest), np.bool_)
    sees[:, np.arange(longest), np.arange(longest)] = True
    for row, trie in enumerate(tries):
        ids[row, : len(trie.ids)], depth[row, : len(trie.ids)] = trie.ids, trie.depth
        for node in range(1, len(trie.ids)):  # a piece stands behind its parent
            sees[row, node] |= sees[row, trie.parent[node]]
    return Packed(ids, depth, sees, [places[k] for k in range(len(texts))])
