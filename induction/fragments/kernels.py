"""Kernels for recurring fragments: productions of nodes, maximal common fragments, matches.

Nodes here are those that are not words, in preorder; the subtree of node ``i`` is the stretch
``i : i + size[i]``. A fragment is written as the numbers of its productions in preorder, with
``SITE`` for a child that is not expanded, so two fragments are equal if their pieces are. When
two nodes have the same production their children stand in line, so walking two trees in step
means: next node where the productions are equal, past the whole subtree where they are not.
"""

from __future__ import annotations

import numpy as np

from grammar.arrays import (
    BoolArray,
    FloatArray,
    Index,
    IntArray,
    LongArray,
    empty_paths,
    extend_path,
    kernel,
    reserve_paths,
)

__all__ = [
    "SITE",
    "FragmentPool",
    "common_fragments",
    "empty_pool",
    "matches",
    "pool_pieces",
    "production_paths",
    "ranks_and_parents",
]

SITE = -1

# Distinct fragments: pieces of all of them together, where each begins (and the last ends), hash
# slots (fragment number, -1 if free), the hash of each fragment, and how many there are.
FragmentPool = tuple[IntArray, LongArray, IntArray, LongArray, LongArray]

_MIX = np.int64(0x2545F4914F6CDD1D)


@kernel()
def production_paths(
    label: IntArray, size: IntArray, offsets: LongArray
) -> tuple[IntArray, LongArray]:
    """Return the path of each node's production (see arrays.py), 0 for words, and the table."""
    path = np.zeros(len(label), np.int32)
    table = empty_paths()
    for tree in range(len(offsets) - 1):
        start, end = offsets[tree], offsets[tree + 1]
        table = reserve_paths(table, 2 * (end - start))
        _production_paths(label, size, start, end, table[0], table[1], table[2], path)
    return path, table[2]


@kernel()
def _production_paths(
    label: IntArray,
    size: IntArray,
    start: int,
    end: int,
    keys: LongArray,
    values: IntArray,
    made: LongArray,
    path: IntArray,
) -> None:
    for node in range(start, end):
        if size[node] == 1:
            continue
        rule = extend_path(keys, values, made, 0, label[node])
        child = node + 1
        while child < node + size[node]:
            # a word and a constituent of the same name are different children
            rule = extend_path(keys, values, made, rule, 2 * label[child] + (size[child] == 1))
            child += size[child]
        path[node] = rule


@kernel()
def ranks_and_parents(size: IntArray) -> tuple[IntArray, IntArray]:
    """Return each node's place among its sisters, and its parent (-1 for roots)."""
    rank = np.zeros(len(size), np.int32)
    parent = np.full(len(size), -1, np.int32)
    for node in range(len(size)):
        child, place = node + 1, 0
        while child < node + size[node]:
            rank[child] = place
            parent[child] = node
            child += size[child]
            place += 1
    return rank, parent


@kernel()
def empty_pool() -> FragmentPool:
    """Return a pool without fragments."""
    return (
        np.empty(256, np.int32),
        np.zeros(64, np.int64),
        np.full(128, -1, np.int32),
        np.empty(64, np.int64),
        np.zeros(1, np.int64),
    )


@kernel()
def _reserve_pool(pool: FragmentPool, pieces: int) -> FragmentPool:
    """Return the pool with room for one more fragment of so many pieces, and then as much again."""
    text, starts, slots, hashes, made = pool
    fragments = made[0]
    if starts[fragments] + pieces > len(text):
        longer = np.empty(2 * (len(text) + pieces), np.int32)
        longer[: len(text)] = text
        text = longer
    if fragments + 2 > len(starts):
        room = 2 * len(starts)
        more_starts, more_hashes = np.zeros(room, np.int64), np.empty(room, np.int64)
        more_starts[: fragments + 1] = starts[: fragments + 1]
        more_hashes[:fragments] = hashes[:fragments]
        starts, hashes = more_starts, more_hashes
        slots = np.full(2 * room, -1, np.int32)
        for fragment in range(fragments):
            slot = _first_slot(hashes[fragment], len(slots))
            while slots[slot] >= 0:
                slot = (slot + 1) & (len(slots) - 1)
            slots[slot] = fragment
    return text, starts, slots, hashes, made


@kernel(inline="always")
def _first_slot(code: Index, slots: int) -> Index:
    return (code ^ (code >> 29)) & (slots - 1)


@kernel()
def _intern(
    text: IntArray,
    starts: LongArray,
    slots: IntArray,
    hashes: LongArray,
    made: LongArray,
    end: int,
    code: Index,
) -> None:
    """Keep the fragment written behind the last one, up to ``end``, unless it is there already."""
    start = starts[made[0]]
    slot = _first_slot(code, len(slots))
    while slots[slot] >= 0:
        known = slots[slot]
        if hashes[known] == code and starts[known + 1] - starts[known] == end - start:
            same = True
            for i in range(end - start):
                if text[starts[known] + i] != text[start + i]:
                    same = False
                    break
            if same:
                return
        slot = (slot + 1) & (len(slots) - 1)
    slots[slot] = made[0]
    hashes[made[0]] = code
    made[0] += 1
    starts[made[0]] = end


@kernel()
def common_fragments(
    production: IntArray,
    size: IntArray,
    rank: IntArray,
    parent: IntArray,
    tree: IntArray,
    occurrences: LongArray,
    ends: LongArray,
    first: int,
    last: int,
    seen: BoolArray,
) -> FragmentPool:
    """Find the maximal common fragments of pairs of nodes in different trees.

    ``occurrences`` lists the nodes by production, in order; those with the production of its entry
    ``i`` reach up to ``ends[i]``. Pairs whose first node is an entry from ``first`` to
    ``last - 1`` are compared. Fragments of one production are marked in ``seen``, the others are
    returned.
    """
    pool = empty_pool()
    for at in range(first, last):
        node = occurrences[at]
        if size[node] == 1 and seen[production[node]]:
            continue
        other = at + 1
        while other < ends[at]:
            pool = _reserve_pool(pool, size[node])
            other = _common_with(
                production, size, rank, parent, tree, occurrences, ends[at], node, other, seen,
                pool[0], pool[1], pool[2], pool[3], pool[4],
            )  # fmt: skip
    return pool


@kernel()
def _common_with(
    production: IntArray,
    size: IntArray,
    rank: IntArray,
    parent: IntArray,
    tree: IntArray,
    occurrences: LongArray,
    end: int,
    node: int,
    other: int,
    seen: BoolArray,
    text: IntArray,
    starts: LongArray,
    slots: IntArray,
    hashes: LongArray,
    made: LongArray,
) -> int:
    """Compare one node with the entries from ``other``; return the entry that has no room."""
    above = parent[node]
    above_production = production[above] if above >= 0 else SITE
    stop = node + size[node]
    while other < end:
        mate = occurrences[other]
        over = parent[mate]
        part_of_larger = (
            above >= 0
            and over >= 0
            and production[over] == above_production
            and rank[mate] == rank[node]
        )
        if part_of_larger or tree[mate] == tree[node]:
            other += 1
            continue
        start = starts[made[0]]
        if start + size[node] > len(text) or made[0] + 2 > len(starts):
            return other
        a, b, at, expanded = node, mate, start, 0
        code = np.int64(0)
        while a < stop:
            piece = production[a]
            if piece == production[b]:
                expanded += 1
                a += 1
                b += 1
            else:
                piece = SITE
                a += size[a]
                b += size[b]
            text[at] = piece
            at += 1
            code = (code ^ (piece + 2)) * _MIX
            code ^= (code >> 32) & np.int64(0xFFFFFFFF)
        if expanded == 1:
            seen[production[node]] = True
            if size[node] == 1:
                return end
        else:
            _intern(text, starts, slots, hashes, made, at, code)
        other += 1
    return other


@kernel()
def pool_pieces(pool: FragmentPool) -> tuple[IntArray, LongArray]:
    """Return the pieces of all fragments of a pool, and offsets."""
    text, starts, _, _, made = pool
    return text[: starts[made[0]]].copy(), starts[: made[0] + 1].copy()


@kernel()
def matches(
    pieces: IntArray,
    offsets: LongArray,
    production: IntArray,
    size: IntArray,
    occurrences: LongArray,
    starts: LongArray,
    node_weight: FloatArray,
) -> tuple[FloatArray, LongArray]:
    """Sum the weights of the nodes at which each fragment matches, and count matches by node.

    ``occurrences[starts[p] : starts[p + 1]]`` are the nodes with production ``p``.
    """
    mass = np.zeros(len(offsets) - 1)
    at_node = np.zeros(len(production), np.int64)
    for fragment in range(len(mass)):
        first, last = offsets[fragment], offsets[fragment + 1]
        for i in range(starts[pieces[first]], starts[pieces[first] + 1]):
            node = np.int64(occurrences[i])
            at = node + 1
            piece = first + 1
            while piece < last:
                if pieces[piece] == SITE:
                    at += size[at]
                elif pieces[piece] == production[at]:
                    at += 1
                else:
                    break
                piece += 1
            if piece == last:
                mass[fragment] += node_weight[node]
                at_node[node] += 1
    return mass, at_node
