"""Derivations of a substitution grammar, spelt out as token sequences by kernels.

Contexts and fillers are the columns of :class:`sampling.substitution.TokenColumns`. Sequences are
compared by a 64-bit hash first and token by token whenever two hashes agree.
"""

from __future__ import annotations

from typing import Any

import numba
import numpy as np
from numpy.typing import NDArray

from grammar.counter_rng import below, next_uniform, open_stream
from sampling.template_kernels import SEPARATOR, mix

__all__ = [
    "NEW",
    "REPEATS_TARGET",
    "REPEATS_TEXT",
    "TOO_LONG",
    "derive",
    "draw_fillers",
    "exponential_keys",
    "judge",
    "same_result",
]

NEW, REPEATS_TEXT, REPEATS_TARGET, TOO_LONG = 0, 1, 2, 3


@numba.njit(cache=True, nogil=True)
def derive(
    context_offsets: Any,
    context_tokens: Any,
    filler_offsets: Any,
    filler_tokens: Any,
    gaps: int,
    c: int,
    f: int,
    out: Any,
) -> int:
    """Write context c filled with filler f to ``out``, as far as it has room; return the length."""
    length = 0
    for i in range(context_offsets[c], context_offsets[c + 1]):
        token = context_tokens[i]
        if token >= 0:
            if length < len(out):
                out[length] = token
            length += 1
            continue
        cell = f * gaps - 1 - token
        for j in range(filler_offsets[cell], filler_offsets[cell + 1]):
            if length < len(out):
                out[length] = filler_tokens[j]
            length += 1
    return length


@numba.njit(cache=True, nogil=True)
def _hash(values: Any, start: int, end: int) -> np.uint64:
    state = np.uint64(end - start)
    for i in range(start, end):
        state = mix(state, values[i])
    return state


@numba.njit(cache=True, nogil=True)
def _hash_sides(tokens: Any, starts: Any, ends: Any) -> NDArray[np.uint64]:
    hashes = np.empty(len(starts), np.uint64)
    for i in range(len(starts)):
        hashes[i] = _hash(tokens, starts[i], ends[i])
    return hashes


@numba.njit(cache=True, nogil=True)
def _is_known(
    values: Any, start: int, end: int, hashes: Any, order: Any, tokens: Any, starts: Any, ends: Any
) -> bool:
    state = _hash(values, start, end)
    at = np.searchsorted(hashes, state)
    while at < len(hashes) and hashes[at] == state:
        i = order[at]
        if np.array_equal(values[start:end], tokens[starts[i] : ends[i]]):
            return True
        at += 1
    return False


@numba.njit(cache=True, nogil=True)
def judge(
    columns: Any,
    gaps: int,
    context_class: Any,
    class_offsets: Any,
    class_fillers: Any,
    tokens: Any,
    offsets: Any,
    source_end: Any,
    max_length: int,
) -> NDArray[np.uint8]:
    """Judge every filler of every context's class; the verdicts stand in that order.

    A verdict is :data:`NEW`, or why the result is barred: its text or (if pairs) its
    target is in the corpus, or it has more than ``max_length`` tokens. ``columns`` are the four
    arrays of contexts and fillers.
    """
    context_offsets, context_tokens, filler_offsets, filler_tokens = columns
    text_start, text_end = offsets[:-1], source_end
    target_start, target_end = np.minimum(source_end + 1, offsets[1:]), offsets[1:]
    text_hash = _hash_sides(tokens, text_start, text_end)
    target_hash = _hash_sides(tokens, target_start, target_end)
    text_order, target_order = np.argsort(text_hash), np.argsort(target_hash)
    text_hash, target_hash = text_hash[text_order], target_hash[target_order]
    total = 0
    for c in range(len(context_class)):
        k = context_class[c]
        total += class_offsets[k + 1] - class_offsets[k]
    verdicts = np.zeros(total, np.uint8)
    out = np.empty(1024, np.int32)
    at = 0
    for c in range(len(context_class)):
        k = context_class[c]
        for j in range(class_offsets[k], class_offsets[k + 1]):
            f = class_fillers[j]
            length = derive(
                context_offsets, context_tokens, filler_offsets, filler_tokens, gaps, c, f, out
            )
            if length > len(out):
                out = np.empty(2 * length, np.int32)
                derive(
                    context_offsets, context_tokens, filler_offsets, filler_tokens, gaps, c, f, out
                )
            middle = 0
            while middle < length and out[middle] != SEPARATOR:
                middle += 1
            if length > max_length:
                verdicts[at] = TOO_LONG
            elif _is_known(out, 0, middle, text_hash, text_order, tokens, text_start, text_end):
                verdicts[at] = REPEATS_TEXT
            elif middle < length and _is_known(
                out, middle + 1, length, target_hash, target_order, tokens, target_start, target_end
            ):
                verdicts[at] = REPEATS_TARGET
            at += 1
    return verdicts


def same_result(columns: Any, gaps: int, context: Any, filler: Any) -> NDArray[np.int64]:
    """Return, for every derivation (a context and a filler), the first with the same tokens."""
    hashes, longest = _hash_derivations(columns, gaps, context, filler)
    order = np.argsort(hashes, kind="stable")
    return np.asarray(_first_same(columns, gaps, context, filler, hashes, order, longest))


@numba.njit(cache=True, nogil=True)
def _hash_derivations(columns: Any, gaps: int, context: Any, filler: Any) -> Any:
    context_offsets, context_tokens, filler_offsets, filler_tokens = columns
    hashes = np.empty(len(context), np.uint64)
    out = np.empty(1024, np.int32)
    longest = 0
    for d in range(len(context)):
        c, f = context[d], filler[d]
        length = derive(
            context_offsets, context_tokens, filler_offsets, filler_tokens, gaps, c, f, out
        )
        if length > len(out):
            out = np.empty(2 * length, np.int32)
            derive(context_offsets, context_tokens, filler_offsets, filler_tokens, gaps, c, f, out)
        longest = max(longest, length)
        hashes[d] = _hash(out, 0, length)
    return hashes, longest


@numba.njit(cache=True, nogil=True)
def _first_same(
    columns: Any, gaps: int, context: Any, filler: Any, hashes: Any, order: Any, longest: int
) -> NDArray[np.int64]:
    context_offsets, context_tokens, filler_offsets, filler_tokens = columns
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
            n = derive(
                context_offsets,
                context_tokens,
                filler_offsets,
                filler_tokens,
                gaps,
                context[x],
                filler[x],
                mine,
            )
            m = derive(
                context_offsets,
                context_tokens,
                filler_offsets,
                filler_tokens,
                gaps,
                context[y],
                filler[y],
                other,
            )
            if n == m and np.array_equal(mine[:n], other[:n]):
                group[x] = y
                break
    return group


@numba.njit(cache=True, nogil=True)
def exponential_keys(key: np.uint64, weights: Any) -> NDArray[np.float64]:
    """Return -ln(u_i) / w_i with u_i drawn from stream i.

    Sorting by these keys draws without replacement with probability in proportion to the weights
    (Efraimidis & Spirakis 2006).
    """
    keys = np.empty(len(weights))
    for i in range(len(weights)):
        _, u = next_uniform(open_stream(key, i))
        keys[i] = -np.log(1.0 - u) / weights[i]
    return keys


@numba.njit(cache=True, nogil=True)
def draw_fillers(
    key: np.uint64, context_class: Any, class_offsets: Any, class_counts: Any, variants: int
) -> Any:
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
