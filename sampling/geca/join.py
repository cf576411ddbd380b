"""Which fillers may fill which context: the join of Andreas (2020, section 3) on integer rows."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from grammar.arrays import BoolArray, LongArray, kernel
from sampling.geca.rows import Rows, mix, rows_of

__all__ = ["interchangeable", "offers", "overlapping", "unions"]


class _Neighbours(NamedTuple):
    """Templates by what they hold, and by their environments.

    ``held`` has the fragments of every template, ``holders`` the templates of every fragment, in
    the order of their ``rank``, and ``ranks`` those ranks; ``similar`` the templates of every
    environment.
    """

    held: Rows
    holders: Rows
    ranks: LongArray
    rank: LongArray
    similar: Rows
    environment: LongArray


@kernel()
def _union(named: Rows, more: Rows, i: int, stamp: LongArray, out: LongArray) -> int:
    """Write the union of the rows ``more[v]`` for v in row i; return its size."""
    size = 0
    for j in range(named.offsets[i], named.offsets[i + 1]):
        v = named.values[j]
        for k in range(more.offsets[v], more.offsets[v + 1]):
            w = more.values[k]
            if stamp[w] != i:
                stamp[w] = i
                out[size] = w
                size += 1
    return size


@kernel()
def unions(named: Rows, more: Rows, width: int) -> Rows:
    """Return, for every row, the sorted union of the rows of ``more`` that it names.

    ``width`` is one more than the largest value of ``more``.
    """
    out = np.empty(width, np.int64)
    ends = np.zeros(len(named.offsets), np.int64)
    stamp = np.full(width, -1, np.int64)
    for i in range(len(ends) - 1):
        ends[i + 1] = ends[i] + _union(named, more, i, stamp, out)
    result = np.empty(ends[-1], np.int64)
    stamp[:] = -1
    for i in range(len(ends) - 1):
        size = _union(named, more, i, stamp, out)
        result[ends[i] : ends[i + 1]] = np.sort(out[:size])
    return Rows(ends, result)


def interchangeable(environment: Any, fragment: Any, environments: int, fragments: int) -> Rows:
    """Return, for every fragment, the fragments that occur in at least one same environment."""
    holders = rows_of(fragment, environment, fragments)
    held = rows_of(environment, fragment, environments)
    return unions(holders, held, fragments)


def offers(
    hosts: LongArray,
    template: Any,
    fragment: Any,
    environment: LongArray,
    fragments: int,
    max_adjacencies: int | None,
) -> tuple[Rows, LongArray]:
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
    fillers, counts
        One row a host.
    """
    size = len(environment)
    by_rank = np.argsort(_scattered(size), kind="stable")
    rank = np.empty(size, np.int64)
    rank[by_rank] = np.arange(size)
    ranked = rows_of(fragment, rank[template], fragments)
    neighbours = _Neighbours(
        rows_of(template, fragment, size),
        Rows(ranked.offsets, by_rank[ranked.values]),
        ranked.values,
        rank,
        rows_of(environment, np.arange(size), int(environment.max(initial=-1)) + 1),
        environment,
    )
    limit = size if max_adjacencies is None else max_adjacencies
    return _offers(hosts, neighbours, fragments, limit)


@kernel()
def _scattered(size: int) -> Any:
    """Return numbers that put 0, 1, ... into a fixed pseudo-random order."""
    numbers = np.empty(size, np.uint64)
    for i in range(size):
        numbers[i] = mix(np.uint64(1), i)
    return numbers


@kernel()
def _offers(hosts: LongArray, t: _Neighbours, fragments: int, limit: int) -> tuple[Rows, LongArray]:
    seen = np.full(len(t.rank), -1, np.int64)
    count = np.zeros(fragments, np.int64)
    pool = np.empty(fragments, np.int64)
    offsets = np.zeros(len(hosts) + 1, np.int64)
    fillers, counts = np.empty(1024, np.int64), np.empty(1024, np.int64)
    for i in range(len(hosts)):
        host = hosts[i]
        size = 0
        e = t.environment[host]
        for s in range(t.similar.offsets[e], t.similar.offsets[e + 1]):
            bridge = t.similar.values[s]
            for j in range(t.held.offsets[bridge], t.held.offsets[bridge + 1]):
                f = t.held.values[j]
                first, last = t.holders.offsets[f], t.holders.offsets[f + 1]
                rank = np.searchsorted(t.ranks[first:last], t.rank[bridge])
                if rank > limit:
                    continue
                # a template does not count itself, so at the limit the ones before it fit in
                if rank == limit:
                    last = first + limit
                for k in range(first, last):
                    donor = t.holders.values[k]
                    if donor == host or seen[donor] == i:
                        continue
                    seen[donor] = i
                    begin, end = t.held.offsets[donor], t.held.offsets[donor + 1]
                    if end - begin < 2:
                        continue
                    for m in range(begin, end):
                        filler = t.held.values[m]
                        if count[filler] == 0:
                            pool[size] = filler
                            size += 1
                        count[filler] += 1
        start = offsets[i]
        offsets[i + 1] = start + size
        while start + size > len(fillers):
            fillers = np.concatenate((fillers, np.empty_like(fillers)))
            counts = np.concatenate((counts, np.empty_like(counts)))
        fillers[start : start + size] = np.sort(pool[:size])
        for m in range(start, start + size):
            counts[m] = count[fillers[m]]
            count[fillers[m]] = 0
    return Rows(offsets, fillers[: offsets[-1]].copy()), counts[: offsets[-1]].copy()


@kernel()
def overlapping(fillers: Rows, held: Rows, keys: LongArray, base: int) -> BoolArray:
    """Return which fillers share an n-gram with every filler that their context holds.

    Fragments are mixed-radix numbers of n-grams to the base.
    """
    result = np.zeros(len(fillers.values), np.bool_)
    for i in range(len(fillers.offsets) - 1):
        for j in range(fillers.offsets[i], fillers.offsets[i + 1]):
            shared = True
            for k in range(held.offsets[i], held.offsets[i + 1]):
                shared = shared and _share_gram(keys[fillers.values[j]], keys[held.values[k]], base)
            result[j] = shared
    return result


@kernel()
def _share_gram(key: int, other: int, base: int) -> bool:
    while key > 0:
        rest = other
        while rest > 0:
            if rest % base == key % base:
                return True
            rest //= base
        key //= base
    return False
