"""Splicing on columns: a piece of one example in the place of a piece of another.

Everything a sentence carries is spliced by the same three pieces: what the host has before the
hole, what fills it, what the host has behind it. Texts are joined by bytes, so no character
outside the hole can change; so are bracketings; words, tags and relations by words.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa

from grammar.arrays import Bytes, IntArray, LongArray, kernel

__all__ = ["as_lists", "as_strings", "bracket_places", "join_heads", "join_pieces"]

_OPEN, _CLOSE, _SPACE = ord("("), ord(")"), ord(" ")


@kernel()
def join_pieces(values: Any, starts: LongArray, stops: LongArray) -> Any:
    """Join pieces of an array: row i is ``values[starts[i, k]:stops[i, k]]`` for k = 0, 1, ...

    Returns
    -------
    joined, offsets
        The rows one after the other, and where each begins (one more than rows).
    """
    offsets = np.zeros(len(starts) + 1, np.int64)
    for i in range(len(starts)):
        total = 0
        for k in range(starts.shape[1]):
            total += stops[i, k] - starts[i, k]
        offsets[i + 1] = offsets[i] + total
    joined = np.empty(offsets[-1], values.dtype)
    # unsigned places cannot count from the end, so the copy is one of whole blocks
    at = np.uint64(0)
    for i in range(len(starts)):
        for k in range(starts.shape[1]):
            first = np.uint64(starts[i, k])
            size = np.uint64(stops[i, k]) - first
            for j in range(size):
                joined[at + j] = values[first + j]
            at += size
    return joined, offsets


@kernel()
def join_heads(
    heads: IntArray, host: LongArray, length: LongArray, hole: LongArray, fill: LongArray
) -> Any:
    """Join the heads of sentences (from 1, 0 for the root) whose subtrees are exchanged.

    Parameters
    ----------
    heads : int32[]
        The heads of all sentences.
    host, length : int64[n]
        Where the host's words begin, and how many there are.
    hole, fill : int64[n, 3]
        The subtree cut out and the one put in: where its sentence begins, its first word and the
        word behind its last, counted in the sentence.

    Returns
    -------
    joined, offsets
        Heads of the results: those of the host, moved; those of the filler, moved; and its top
        word hangs where the top word of the hole hung.
    """
    size = hole[:, 2] - hole[:, 1]
    new = fill[:, 2] - fill[:, 1]
    offsets = np.zeros(len(host) + 1, np.int64)
    offsets[1:] = np.cumsum(length - size + new)
    joined = np.empty(offsets[-1], np.int32)
    for i in range(len(host)):
        first, last, shift = hole[i, 1], hole[i, 2], new[i] - size[i]
        above = np.int64(0)
        for t in range(first, last):
            head = heads[host[i] + t]
            if head <= first or head > last:
                above = head + (shift if head > last else 0)
        at = offsets[i]
        for t in range(length[i]):
            if t == first:
                for d in range(fill[i, 1], fill[i, 2]):
                    head = heads[fill[i, 0] + d]
                    inside = fill[i, 1] < head <= fill[i, 2]
                    joined[at] = head - fill[i, 1] + first if inside else above
                    at += 1
            if t < first or t >= last:
                head = heads[host[i] + t]
                joined[at] = head + (shift if head > last else 0)
                at += 1
    return joined, offsets


@kernel()
def bracket_places(text: Bytes, offsets: LongArray, nodes: int) -> tuple[LongArray, LongArray]:
    """Return where each node of a treebank stands in its bracketings.

    Parameters
    ----------
    text, offsets : uint8[], int64[trees + 1]
        Bracketings as :meth:`grammar.trees.treebank.Treebank.brackets` writes them: no bracket
        inside a name, one space between parts.
    nodes : int
        Nodes of all trees, words included.

    Returns
    -------
    start, end : int64[nodes]
        Node i, in preorder, is ``text[start[i]:end[i]]``; so a subtree is exchanged by bytes.
    """
    start, end = np.zeros(nodes, np.int64), np.zeros(nodes, np.int64)
    stack = np.zeros(nodes, np.int64)
    node = 0
    for i in range(len(offsets) - 1):
        at, depth = offsets[i], 0
        while at < offsets[i + 1]:
            if text[at] == _SPACE:
                at += 1
                continue
            if text[at] == _CLOSE:
                at += 1
                depth -= 1
                end[stack[depth]] = at
                continue
            opens = text[at] == _OPEN
            start[node] = at
            at += opens
            while at < offsets[i + 1] and text[at] != _SPACE and text[at] != _CLOSE:
                at += 1
            if opens:
                stack[depth] = node
                depth += 1
            else:
                end[node] = at
            node += 1
    return start, end


def as_strings(data: Any, offsets: LongArray) -> pa.StringArray:
    """Return UTF-8 bytes cut at the offsets as Arrow strings."""
    narrow = pa.py_buffer(offsets.astype(np.int32))
    return pa.StringArray.from_buffers(len(offsets) - 1, narrow, pa.py_buffer(data))


def as_lists(values: Any, offsets: LongArray | int) -> pa.ListArray:
    """Return values (an Arrow array, or numbers) cut at the offsets, or into lists of one width.

    >>> as_lists([1, 2, 3, 4], 2).to_pylist()
    [[1, 2], [3, 4]]
    """
    if not isinstance(values, pa.Array):
        values = pa.array(np.ravel(values))
    if isinstance(offsets, int):
        offsets = np.arange(0, len(values) + 1, offsets)
    return pa.ListArray.from_arrays(pa.array(offsets.astype(np.int32)), values)
