"""Rows of data sets, and how they are divided into what is learnt from and what is tested on."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from grammar.arrays import LongArray
from grammar.rng import stream_key

__all__ = ["Parts", "Rows", "divided", "drawn", "order_of"]

Text = str | tuple[str, str]
Rows = list[tuple[Text, str]]
"""Texts, or pairs of texts, each with the name of its class."""
Parts = tuple[Rows, dict[str, Rows]]
"""What samples are drawn from, and what is tested on."""


def divided(pool: Rows, size: int, name: str, tests: Mapping[str, Rows]) -> Parts:
    """Hold a part of the rows back, always the same one; it is another test."""
    order = order_of(len(pool), name)
    held = [pool[row] for row in sorted(order[:size].tolist())]
    return [pool[row] for row in sorted(order[size:].tolist())], {**tests, name: held}


def drawn(rows: Rows, most: int, name: str) -> Rows:
    """Return at most so many rows of each class, always the same ones, in a mixed order.

    >>> [label for _, label in drawn([("1", "b"), ("2", "a"), ("3", "b")], 1, "few")]
    ['a', 'b']
    """
    kept: Rows = []
    left = dict.fromkeys((label for _, label in rows), most)
    for row in order_of(len(rows), name).tolist():
        label = rows[row][1]
        left[label] -= 1
        if left[label] >= 0:
            kept.append(rows[row])
    return kept


def order_of(count: int, name: str) -> LongArray:
    """Return an order of so many things, a function of a name."""
    draw = np.random.Generator(np.random.Philox(key=int(stream_key(0, name))))
    return draw.permutation(count)
