"""Derivations of a substitution grammar, spelt out as token sequences by kernels.

Sequences are compared by a 64-bit hash first and token by token whenever two hashes agree.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from grammar.arrays import FloatArray, IntArray, LongArray, kernel
from grammar.rng import below, next_uniform, open_stream
from sampling.geca.rows import Rows, hash_row, hash_rows
from sampling.geca.sequences import Sequences
from sampling.geca.template_kernels import SEPARATOR

__all__ = [
    "NEW",
    "REPEATS_TARGET",
    "REPEATS_TEXT",
    "TOO_LONG",
    "TokenColumns",
    "draw_fillers",
    "exponential_keys",
    "judge",
    "same_result",
]

NEW, REPEATS_TEXT, REPEATS_TARGET, TOO_LONG = 0, 1, 2, 3


class TokenColumns(NamedTuple):
    """Contexts and fillers as integers.

    Token ``-1 - k`` is hole ``k``. Context ``c`` is row ``c`` of the contexts; what filler ``f``
    puts into hole ``k`` is row ``f * gaps + k`` of the fillers (empty if it has fewer holes).
    """

    gaps: int
    contexts: Rows
    fillers: Rows


class _Known(NamedTuple):
    """Rows of tokens, ``tokens[start[i]:end[i]]``, in the order of their hashes."""

    tokens: IntArray
    start: LongArray
    end: LongArray
    hashes: NDArray[np.uint64]


@kernel()
def _derive(columns: TokenColumns, c: int, f: int, out: IntArray) -> int:
    """Write context c filled with filler f to ``out``, as far as it has room; return the length."""
    gaps, contexts, fillers = columns
    length = 0
    for i in range(contexts.offsets[c], contexts.offsets[c + 1]):
        token = contexts.values[i]
        if token >= 0:
            if length < len(out):
                out[length] = token
            length += 1
            continue
        cell = f * gaps - 1 - token
        for j in range(fillers.offsets[cell], fillers.offsets[cell + 1]):
            if length < len(out):
                out[length] = fillers.values[j]
            length += 1
    return length


def judge(
    columns: TokenColumns,
    context_class: LongArray,
    classes: Rows,
    sequences: Sequences,
    max_length: int,
) -> NDArray[np.uint8]:
    """Judge every filler of every context's class; the verdicts stand in that order.

    A verdict is :data:`NEW`, or why the result is barred: its text or (if pairs) its
    target is among the sequences, or it has more than ``max_length`` tokens.
    """
    texts, targets = (_known(sequences.tokens, *side) for side in sequences.sides())
    return np.asarray(_judge(columns, context_class, classes, texts, targets, max_length))


def _known(tokens: IntArray, start: LongArray, end: LongArray) -> _Known:
    hashes = hash_rows(tokens, start, end)
    order = np.argsort(hashes)
    return _Known(tokens, start[order], end[order], hashes[order])


@kernel()
def _is_known(values: IntArray, start: int, end: int, known: _Known) -> bool:
    state = hash_row(values, start, end)
    at = np.searchsorted(known.hashes, state)
    while at < len(known.hashes) and known.hashes[at] == state:
        if np.array_equal(values[start:end], known.tokens[known.start[at] : known.end[at]]):
            return True
        at += 1
    return False


@kernel()
def _judge(
    columns: TokenColumns,
    context_class: LongArray,
    classes: Rows,
    texts: _Known,
    targets: _Known,
    max_length: int,
) -> NDArray[np.uint8]:
    total = 0
    for c in range(len(context_class)):
        k = context_class[c]
        total += classes.offsets[k + 1] - classes.offsets[k]
    verdicts = np.zeros(total, np.uint8)
    out = np.empty(1024, np.int32)
    at = 0
    for c in range(len(context_class)):
        k = context_class[c]
        for j in range(classes.offsets[k], classes.offsets[k + 1]):
            f = classes.values[j]
            length = _derive(columns, c, f, out)
            if length > len(out):
                out = np.empty(2 * length, np.int32)
                _derive(columns, c, f, out)
            middle = 0
            while middle < length and out[middle] != SEPARATOR:
                middle += 1
            if length > max_length:
                verdicts[at] = TOO_LONG
            elif _is_known(out, 0, middle, texts):
                verdicts[at] = REPEATS_TEXT
            elif middle < length and _is_known(out, middle + 1, length, targets):
                verdicts[at] = REPEATS_TARGET
            at += 1
    return verdicts


def same_result(columns: TokenColumns, context: IntArray, filler: IntArray) -> LongArray:
    """Return, for every derivation (a context and a filler), the first with the same tokens."""
    hashes, longest = _hash_derivations(columns, context, filler)
    order = np.argsort(hashes, kind="stable")
    return np.asarray(_first_same(columns, context, filler, hashes, order, longest))


@kernel()
def _hash_derivations(columns: TokenColumns, context: IntArray, filler: IntArray) -> Any:
    hashes = np.empty(len(context), np.uint64)
    out = np.empty(1024, np.int32)
    longest = 0
    for d in range(len(context)):
        length = _derive(columns, context[d], filler[d], out)
        if length > len(out):
            out = np.empty(2 * length, np.int32)
            _derive(columns, context[d], filler[d], out)
        longest = max(longest, length)
        hashes[d] = hash_row(out, 0, length)
    return hashes, longest


@kernel()
def _first_same(
    columns: TokenColumns,
    context: IntArray,
    filler: IntArray,
    hashes: Any,
    order: LongArray,
    longest: int,
) -> LongArray:
    mine, other = np.empty(longest, np.int32), np.empty(longest, np.int32)
    group = np.arange(len(order))
    begin = 0
    for j in range(len(order)):
        x = order[j]
        if hashes[x] != hashes[order[begin]]:
            begin = j
        for b in range(begin, j):
            y = order[b]
            if group[y] != y:
                continue
            n = _derive(columns, context[x], filler[x], mine)
            m = _derive(columns, context[y], filler[y], other)
            if n == m and np.array_equal(mine[:n], other[:n]):
                group[x] = y
                break
    return group


@kernel()
def exponential_keys(key: np.uint64, weights: FloatArray) -> FloatArray:
    """Return -ln(u_i) / w_i with u_i drawn from stream i.

    Sorting by these keys draws without replacement with probability in proportion to the weights
    (Efraimidis & Spirakis 2006).
    """
    keys = np.empty(len(weights))
    for i in range(len(weights)):
        _, u = next_uniform(open_stream(key, i))
        keys[i] = -np.log(1.0 - u) / weights[i]
    return keys


@kernel()
def draw_fillers(
    key: np.uint64,
    context_class: IntArray,
    class_offsets: LongArray,
    class_counts: LongArray,
    variants: int,
) -> tuple[LongArray, LongArray]:
    """Draw for every context ``variants`` fillers from its class, without putting them back.

    A filler is there as often as its count says, so it may be drawn twice. Returns, for
    every draw, the context and the position in ``class_counts``.
    """
    contexts = np.empty(len(context_class) * variants, np.int64)
    entries = np.empty(len(context_class) * variants, np.int64)
    drawn = np.empty(variants, np.int64)
    at = 0
    for c in range(len(context_class)):
        first, last = class_offsets[context_class[c]], class_offsets[context_class[c] + 1]
        state = open_stream(key, c)
        left = class_counts[first:last].sum()
        for v in range(min(variants, left)):
            state, u = next_uniform(state)
            rest = below(u, left)
            entry = first
            while entry < last:
                count = class_counts[entry]
                for w in range(v):
                    count -= drawn[w] == entry
                if rest < count:
                    break
                rest -= count
                entry += 1
            drawn[v] = entry
            left -= 1
            contexts[at], entries[at] = c, entry
            at += 1
    return contexts[:at], entries[:at]
