"""The best tree over a sentence, if every span has a score: exact, in the third power of words.

A tree is binary here: a node that stands for no constituent has the empty label, of score 0, so
that constituents may have any number of children.

References
----------
Mitchell Stern, Jacob Andreas & Dan Klein. 2017. A Minimal Span-Based Neural Constituency Parser.
ACL (section 4.1).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from grammar.arrays import IntArray, kernel

__all__ = ["best_bracketing"]


def best_bracketing(value: NDArray[np.float32]) -> IntArray:
    """Return the spans of the binary tree whose spans are together worth most.

    Parameters
    ----------
    value : float32[words + 1, words + 1]
        Of the span from i to j > i at ``[i, j]``; the rest is not looked at.

    Returns
    -------
    int32[2 * words - 1, 2]
        Begin and end of each span, in preorder. Of equal trees, that whose spans are split at the
        left.

    Examples
    --------
    >>> value = np.zeros((4, 4), np.float32)
    >>> value[1, 3] = 1
    >>> best_bracketing(value).tolist()
    [[0, 3], [0, 1], [1, 3], [1, 2], [2, 3]]
    """
    words = len(value) - 1
    return _spans(_splits(value.astype(np.float64)), words)


@kernel()
def _splits(value: NDArray[np.float64]) -> IntArray:
    """Return where the best tree of each span is split."""
    size = len(value)
    best, split = np.zeros((size, size)), np.zeros((size, size), np.int32)
    for i in range(size - 1):
        best[i, i + 1] = value[i, i + 1]
    for width in range(2, size):
        for i in range(size - width):
            j = i + width
            most, at = -np.inf, i + 1
            for k in range(i + 1, j):
                both = best[i, k] + best[k, j]
                if both > most:
                    most, at = both, k
            best[i, j], split[i, j] = most + value[i, j], at
    return split


@kernel()
def _spans(split: IntArray, words: int) -> IntArray:
    made = np.zeros((max(0, 2 * words - 1), 2), np.int32)
    waiting = np.zeros((words + 1, 2), np.int32)
    waiting[0, 1] = words
    left, count = min(1, words), 0
    while left > 0:
        left -= 1
        i, j = waiting[left]
        made[count, 0], made[count, 1] = i, j
        count += 1
        if j - i > 1:
            k = split[i, j]
            waiting[left, 0], waiting[left, 1] = k, j
            waiting[left + 1, 0], waiting[left + 1, 1] = i, k
            left += 2
    return made
