"""A grammar as arrays: what sampling and counting kernels run on."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from grammar.arrays import FloatArray, Index, IntArray, LongArray, kernel
from grammar.rng import below

__all__ = ["CompiledGrammar", "alias_tables", "draw_alias"]


class CompiledGrammar(NamedTuple):
    """Rules by left-hand side in compressed rows, with alias tables for drawing.

    Attributes
    ----------
    start : int
        Id of the start symbol.
    starts : int64 array, shape (nonterminals + 1,)
        Symbol ``k`` has rules ``starts[k] : starts[k + 1]``.
    offsets : int64 array, shape (rules + 1,); rhs : int32 array
        Right-hand sides; nonterminal ``k`` is ``k``, word ``w`` is ``-1 - w``.
    weight, log_weight : float64 arrays, shape (rules,)
        Probabilities given the left-hand side, and their natural logarithms.
    alias_cut : float64 array, alias_rule : int64 array, shape (rules,)
        Walker's alias tables, one a symbol (see :func:`alias_tables`).
    """

    start: int
    starts: LongArray
    offsets: LongArray
    rhs: IntArray
    weight: FloatArray
    log_weight: FloatArray
    alias_cut: FloatArray
    alias_rule: LongArray


@kernel()
def alias_tables(weight: FloatArray, starts: LongArray) -> tuple[FloatArray, LongArray]:
    """Build Walker's alias tables (Vose 1991) for the rows ``starts[k] : starts[k + 1]``.

    :func:`draw_alias` draws from them. Rows are normalised by their own sums.
    """
    cut = np.ones(len(weight))
    alias = np.arange(len(weight))
    small = np.empty(len(weight), np.int64)
    large = np.empty(len(weight), np.int64)
    for row in range(len(starts) - 1):
        begin, end = starts[row], starts[row + 1]
        total = weight[begin:end].sum()
        smalls = larges = 0
        for i in range(begin, end):
            cut[i] = weight[i] * (end - begin) / total
            if cut[i] < 1.0:
                small[smalls] = i
                smalls += 1
            else:
                large[larges] = i
                larges += 1
        while smalls > 0 and larges > 0:
            smalls -= 1
            less, more = small[smalls], large[larges - 1]
            alias[less] = more
            cut[more] -= 1.0 - cut[less]
            if cut[more] < 1.0:
                larges -= 1
                small[smalls] = more
                smalls += 1
        # what is left over differs from one only by rounding, unless it has no weight at all
        for i in range(smalls):
            cut[small[i]] = 1.0
        for i in range(larges):
            cut[large[i]] = 1.0
    return cut, alias


@kernel(inline="always")
def draw_alias(
    cut: FloatArray, alias: LongArray, begin: Index, end: Index, uniform: float
) -> Index:
    """Return an entry of the row ``begin : end`` of alias tables, by one uniform number in [0, 1).

    Its whole part (times the width of the row) chooses an entry, its fraction between that entry
    and its alias.
    """
    width = end - begin
    entry = below(uniform, width)
    place: Index = begin + entry
    if uniform * width - entry >= cut[place]:
        place = alias[place]
    return place
