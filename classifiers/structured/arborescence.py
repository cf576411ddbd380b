"""The best dependency tree, if every arc has a score: exact, with one root, projective or not.

Every word takes its best head; a circle is contracted into one word, whose arcs from outside are
worth what they gain over the arc of the circle that they replace, and so on until there is none.
That only one word hangs on the root is seen to by taking the same large number from the score of
every arc from the root, so that a tree with fewer of these is always better.

References
----------
Chu & Liu 1965; Edmonds 1967. McDonald et al. 2005, Non-projective Dependency Parsing using Spanning
Tree Algorithms. Gabow & Tarjan 1984, and Stanojević & Cohen 2021 (EMNLP), for the single root.
"""

from __future__ import annotations

import numpy as np

from grammar.arrays import BoolArray, FloatArray, IntArray, kernel

__all__ = ["best_heads"]


def best_heads(score: FloatArray) -> IntArray:
    """Return the heads of the tree whose arcs are together worth most.

    Parameters
    ----------
    score : float64[words + 1, words + 1]
        Of the arc from head h to word d at ``[h, d]``, all finite; 0 is the root, and words are
        numbered from 1.

    Returns
    -------
    int32[words]
        As in CoNLL-U: exactly one is 0.

    Examples
    --------
    >>> score = np.zeros((3, 3))
    >>> score[0, 1], score[1, 2], score[2, 1], score[0, 2] = 5, 4, 9, 1
    >>> best_heads(score).tolist()  # 10 in all, beside 9 for the other way round
    [2, 0]
    """
    size = len(score)
    if size == 1:
        return np.zeros(0, np.int32)
    values = np.array(score, np.float64)
    values[0] -= 1 + size * (values.max() - values.min())
    return _arborescence(values)[1:]


@kernel()
def _arborescence(score: FloatArray) -> IntArray:
    """Return the head of every node but 0; the scores are changed."""
    size = len(score)
    # the arc that stands behind each arc between contracted nodes
    head_of, word_of = np.empty((size, size), np.int32), np.empty((size, size), np.int32)
    for h in range(size):
        for d in range(size):
            head_of[h, d], word_of[h, d] = h, d
    active, inside = np.ones(size, np.bool_), np.arange(size).astype(np.int32)
    circles = np.zeros((size, size), np.bool_)
    owners, arcs = np.zeros((size, size), np.int32), np.zeros((size, size, 2), np.int32)
    levels = 0
    best = _best_arcs(score, active)
    while True:
        circle = _circle(best, active)
        if not circle.any():
            break
        circles[levels], owners[levels] = circle, inside
        for d in range(size):
            if circle[d]:
                arcs[levels, d, 0] = head_of[best[d], d]
                arcs[levels, d, 1] = word_of[best[d], d]
        _contract(score, best, circle, active, head_of, word_of)
        whole = np.argmax(circle)
        for node in range(size):
            if circle[inside[node]]:
                inside[node] = whole
        levels += 1
        best = _best_arcs(score, active)
    heads = np.full(size, -1, np.int32)
    for d in range(1, size):
        if active[d]:
            heads[word_of[best[d], d]] = head_of[best[d], d]
    for level in range(levels - 1, -1, -1):
        _open(heads, circles[level], owners[level], arcs[level])
    return heads


@kernel()
def _best_arcs(score: FloatArray, active: BoolArray) -> IntArray:
    """Return the best head of each node."""
    size = len(score)
    best = np.zeros(size, np.int32)
    for d in range(1, size):
        most = -np.inf
        for h in range(size):
            if active[d] and active[h] and h != d and score[h, d] > most:
                most, best[d] = score[h, d], h
    return best


@kernel()
def _circle(best: IntArray, active: BoolArray) -> BoolArray:
    """Return the nodes of one circle; none, if all lead to the root."""
    size = len(best)
    found, seen = np.zeros(size, np.bool_), np.zeros(size, np.int32)
    for first in range(1, size):
        node = first
        while active[first] and node != 0 and seen[node] == 0:
            seen[node] = first
            node = best[node]
        if active[first] and node != 0 and seen[node] == first:
            while not found[node]:
                found[node] = True
                node = best[node]
            return found
    return found


@kernel()
def _contract(
    score: FloatArray, best: IntArray, circle: BoolArray, active: BoolArray, head_of: IntArray,
    word_of: IntArray,
) -> None:  # fmt: skip
    """Let the first node of a circle stand for all of it."""
    whole = np.argmax(circle)
    own = np.zeros(len(score))
    for d in range(len(score)):
        if circle[d]:
            own[d] = score[best[d], d]
    for other in range(len(score)):
        if not active[other] or circle[other]:
            continue
        into, into_at, out, out_at = -np.inf, 0, -np.inf, 0
        for node in range(len(score)):
            if not circle[node]:
                continue
            if score[other, node] - own[node] > into:
                into, into_at = score[other, node] - own[node], node
            if score[node, other] > out:
                out, out_at = score[node, other], node
        score[other, whole], score[whole, other] = into, out
        head_of[other, whole] = head_of[other, into_at]
        word_of[other, whole] = word_of[other, into_at]
        head_of[whole, other] = head_of[out_at, other]
        word_of[whole, other] = word_of[out_at, other]
    for node in range(len(score)):
        if circle[node] and node != whole:
            active[node] = False


@kernel()
def _open(heads: IntArray, circle: BoolArray, owner: IntArray, arcs: IntArray) -> None:
    """Give the nodes of a circle their arcs, but for that which has one from outside."""
    entered = -1
    for node in range(len(heads)):
        if circle[owner[node]] and heads[node] >= 0:
            entered = owner[node]
    for node in range(len(heads)):
        if circle[node] and node != entered:
            heads[arcs[node, 1]] = arcs[node, 0]
