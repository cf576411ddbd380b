"""Which fillers may fill which context: the join of Andreas (2020, section 3) on integer rows.

A row table is a pair of arrays ``(offsets, values)``; row i of it is
``values[offsets[i]:offsets[i + 1]]``.
"""

from __future__ import annotations

from typing import Any

import numba
import numpy as np
from numpy.typing import NDArray

from sampling.template_kernels import mix

__all__ = [
    "Rows",
    "equal_rows",
    "interchangeable",
    "offers",
    "overlapping",
    "rows_of",
    "take_rows",
    "unions",
]

Longs = NDArray[np.int64]
Rows = tuple[Longs, NDArray[Any]]


def rows_of(row: Any, value: Any, size: int) -> Rows:
    """Collect the values of every row, sorted, each once.

    >>> [array.tolist() for array in rows_of([1, 0, 1, 1], [5, 7, 5, 3], 2)]
    [[0, 1, 3], [7, 3, 5]]
    """
    rows, values = np.asarray(row, np.int64), np.asarray(value, np.int64)
    order = np.lexsort((values, rows))
    rows, values = rows[order], values[order]
    again = np.zeros(len(rows), np.bool_)
    again[1:] = (rows[1:] == rows[:-1]) & (values[1:] == values[:-1])
    offsets = np.zeros(size + 1, np.int64)
    np.cumsum(np.bincount(rows[~again], minlength=size), out=offsets[1:])
    return offsets, values[~again]


def take_rows(rows: Rows, chosen: Longs) -> Rows:
    """Return a table of the chosen rows.

    >>> [array.tolist() for array in take_rows((np.array([0, 1, 3]), np.array([7, 3, 5])), [1])]
    [[0, 2], [3, 5]]
    """
    offsets, values = rows
    lengths = np.diff(offsets)[chosen]
    ends = np.zeros(len(lengths) + 1, np.int64)
    np.cumsum(lengths, out=ends[1:])
    within = np.arange(ends[-1]) - np.repeat(ends[:-1], lengths)
    return ends, values[np.repeat(offsets[:-1][chosen], lengths) + within]


def equal_rows(rows: Rows) -> tuple[Longs, Longs]:
    """Return the first of each set of equal rows, and for every row the number of its set.

    >>> first, number = equal_rows((np.array([0, 1, 2, 3]), np.array([4, 9, 4])))
    >>> first.tolist(), number.tolist()
    ([0, 1], [0, 1, 0])
    """
    hashes = _hash_rows(*rows)
    group = _first_equal(*rows, hashes, np.argsort(hashes, kind="stable"))
    first = np.unique(group)
    return first, np.searchsorted(first, group)


@numba.njit(cache=True, nogil=True)
def _hash_rows(offsets: Any, values: Any) -> NDArray[np.uint64]:
    hashes = np.empty(len(offsets) - 1, np.uint64)
    for i in range(len(hashes)):
        state = np.uint64(offsets[i + 1] - offsets[i])
        for j in range(offsets[i], offsets[i + 1]):
            state = mix(state, values[j])
        hashes[i] = state
    return hashes


@numba.njit(cache=True, nogil=True)
def _first_equal(offsets: Any, values: Any, hashes: Any, order: Any) -> Longs:
    group = np.arange(len(order))
    begin = 0
    for j in range(len(order)):
        x = order[j]
        if hashes[x] != hashes[order[begin]]:
            begin = j
        mine = values[offsets[x] : offsets[x + 1]]
        for b in range(begin, j):
            y = order[b]
            # equal hashes only propose; the values decide
            if group[y] == y and np.array_equal(mine, values[offsets[y] : offsets[y + 1]]):
                group[x] = y
                break
    return group


@numba.njit(cache=True, nogil=True)
def _union(
    offsets: Any, values: Any, more_offsets: Any, more_values: Any, i: int, stamp: Any, out: Any
) -> int:
    """Write the union of the rows ``more[v]`` for v in row i; return its size."""
    size = 0
    for j in range(offsets[i], offsets[i + 1]):
        v = values[j]
        for k in range(more_offsets[v], more_offsets[v + 1]):
            w = more_values[k]
            if stamp[w] != i:
                stamp[w] = i
                out[size] = w
                size += 1
    return size


@numba.njit(cache=True, nogil=True)
def unions(offsets: Any, values: Any, more_offsets: Any, more_values: Any, width: int) -> Rows:
    """Return, for every row, the sorted union of the rows of ``more`` that it names.

    ``width`` is one more than the largest value of ``more``.
    """
    out = np.empty(width, np.int64)
    ends = np.zeros(len(offsets), np.int64)
    stamp = np.full(width, -1, np.int64)
    for i in range(len(offsets) - 1):
        ends[i + 1] = ends[i] + _union(offsets, values, more_offsets, more_values, i, stamp, out)
    result = np.empty(ends[-1], np.int64)
    stamp[:] = -1
    for i in range(len(offsets) - 1):
        size = _union(offsets, values, more_offsets, more_values, i, stamp, out)
        result[ends[i] : ends[i + 1]] = np.sort(out[:size])
    return ends, result


def interchangeable(environment: Any, fragment: Any, environments: int, fragments: int) -> Rows:
    """Return, for every fragment, the fragments that occur in at least one same environment."""
    holders = rows_of(fragment, environment, fragments)
    held = rows_of(environment, fragment, environments)
    result: Rows = unions(*holders, *held, fragments)
    return result


def offers(
    hosts: Longs,
    template: Any,
    fragment: Any,
    environment: Longs,
    fragments: int,
    max_adjacencies: int | None,
) -> tuple[Rows, Longs]:
    """Count how many neighbouring templates offer each filler to each host, as the code does.

    Template n is a neighbour of host h if it shares a filler with h, or with a template of the
    same environment. A neighbour offers what it holds, if that is two fillers or more.

    Parameters
    ----------
    hosts : int64[]
        Templates to offer to.
    template, fragment : int[]
        The incidence of templates and fragments.
    environment : int64[templates]
        Environment of every template.
    max_adjacencies : int or None
        A template is made the neighbour of only so many of those that share a filler with it: the
        first in a fixed pseudo-random order of templates, which is the same for every filler.

    Returns
    -------
    (offsets, fillers), counts
        One row a host.
    """
    size = len(environment)
    held = rows_of(template, fragment, size)
    order = np.empty(size, np.int64)
    order[np.argsort(_hash_rows(np.arange(size + 1), np.arange(size)), kind="stable")] = np.arange(
        size
    )
    holders_offsets, ranked = rows_of(fragment, order[template], fragments)
    by_rank = np.argsort(order)
    similar = rows_of(environment, np.arange(size), int(environment.max(initial=-1)) + 1)
    limit = size if max_adjacencies is None else max_adjacencies
    offsets, fillers, counts = _offers(
        hosts,
        *held,
        holders_offsets,
        by_rank[ranked],
        ranked,
        order,
        *similar,
        environment,
        fragments,
        limit,
    )
    return (offsets, fillers), counts


@numba.njit(cache=True, nogil=True)
def _offers(
    hosts: Any,
    held_offsets: Any,
    held: Any,
    holder_offsets: Any,
    holders: Any,
    ranked: Any,
    order: Any,
    similar_offsets: Any,
    similar: Any,
    environment: Any,
    fragments: int,
    limit: int,
) -> tuple[Longs, Longs, Longs]:
    seen = np.full(len(order), -1, np.int64)
    count = np.zeros(fragments, np.int64)
    pool = np.empty(fragments, np.int64)
    offsets = np.zeros(len(hosts) + 1, np.int64)
    fillers, counts = np.empty(1024, np.int64), np.empty(1024, np.int64)
    for i in range(len(hosts)):
        host = hosts[i]
        size = 0
        e = environment[host]
        for s in range(similar_offsets[e], similar_offsets[e + 1]):
            bridge = similar[s]
            for j in range(held_offsets[bridge], held_offsets[bridge + 1]):
                f = held[j]
                first, last = holder_offsets[f], holder_offsets[f + 1]
                rank = np.searchsorted(ranked[first:last], order[bridge])
                if rank > limit:
                    continue
                # a template does not count itself, so at the limit the ones before it fit in
                if rank == limit:
                    last = first + limit
                for k in range(first, last):
                    donor = holders[k]
                    if donor == host or seen[donor] == i:
                        continue
                    seen[donor] = i
                    begin, end = held_offsets[donor], held_offsets[donor + 1]
                    if end - begin < 2:
                        continue
                    for m in range(begin, end):
                        if count[held[m]] == 0:
                            pool[size] = held[m]
                            size += 1
                        count[held[m]] += 1
        start = offsets[i]
        offsets[i + 1] = start + size
        while start + size > len(fillers):
            fillers = np.concatenate((fillers, np.empty_like(fillers)))
            counts = np.concatenate((counts, np.empty_like(counts)))
        fillers[start : start + size] = np.sort(pool[:size])
        for m in range(start, start + size):
            counts[m] = count[fillers[m]]
            count[fillers[m]] = 0
    return offsets, fillers[: offsets[-1]].copy(), counts[: offsets[-1]].copy()


@numba.njit(cache=True, nogil=True)
def overlapping(
    offsets: Any, fillers: Any, held_offsets: Any, held: Any, keys: Any, base: int
) -> NDArray[np.bool_]:
    """Return which fillers share an n-gram with every filler that their context holds.

    Fragments are mixed-radix numbers of n-grams to the base.
    """
    result = np.zeros(len(fillers), np.bool_)
    for i in range(len(offsets) - 1):
        for j in range(offsets[i], offsets[i + 1]):
            shared = True
            for k in range(held_offsets[i], held_offsets[i + 1]):
                shared = shared and _share_gram(keys[fillers[j]], keys[held[k]], base)
            result[j] = shared
    return result


@numba.njit(cache=True, nogil=True)
def _share_gram(key: int, other: int, base: int) -> bool:
    while key > 0:
        rest = other
        while rest > 0:
            if rest % base == key % base:
                return True
            rest //= base
        key //= base
    return False
