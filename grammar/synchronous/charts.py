"""Kernels that fill the chart of a coded source with nodes, each of one target.

A node is a type over a span of the source with a target. The targets lie in a pool: with a goal,
that is the goal, since only what occurs in it is kept; else the pool grows. The nodes of a span are
numbered one after another.

At each call of a kernel numba counts the references of the arrays that it gets, which takes most
of the time of a chart. So there are few arrays, what is small shares one of them, and kernels that
make no array do not count (``_nrt=False``): their caller holds the arrays. A chart without room
says so, and is filled again with more.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from grammar.arrays import BoolArray, IntArray, LongArray, kernel
from grammar.synchronous.occurrence import FIRST_WORD

__all__ = ["Asked", "Chart", "CodedTable", "fill_chart", "new_chart", "prune"]

LHS, SOURCE, SOURCE_END, TARGET, TARGET_END, SLOTS, SLOTS_END = range(7)
"""Columns of :attr:`CodedTable.row`: the type, and places in ``text`` and of slots."""
BEGIN, END, TYPE, PLACE, LENGTH, FOLLOWING, ORDERED = range(7)
"""Columns of :attr:`Chart.node`."""
NODES, EDGES, POOL, FULL = range(4)
"""Places of :attr:`Chart.work`: how many there are so far, and whether one of them had no room."""
_BUCKETS = 256
_BUCKET = 4
_WORK = _BUCKET + _BUCKETS
_FROM, _TO, _LOW, _HIGH, _TAKEN, _BELOW = range(6)
"""Of a slot of the rule that is matched: its span, from and to which ordered node it may be, which
one is taken, and the child."""


class CodedTable(NamedTuple):
    """Coded rules: a row for each, the symbols of all sides, and of slots the place and type.

    Children and slots of a rule are numbered in the order of its source.
    """

    row: IntArray
    text: IntArray
    slot: IntArray


class Asked(NamedTuple):
    """A source, and what its chart holds.

    ``near`` and ``chains`` are rows of rules: chains are those whose source is one slot. ``leaf``
    is the type of slots that stand in the source themselves, or -1. ``goal`` is 1 if targets must
    occur in the pool. The chart ends after ``most`` nodes.
    """

    source: IntArray
    near: LongArray
    chains: LongArray
    leaf: int
    goal: int
    most: int


class Chart(NamedTuple):
    """Nodes and edges, and what finds them.

    Attributes
    ----------
    node : array (room, 7)
        The span, the type, where the target is in the pool, and its length; the node made before
        with the same key; and the nodes again, those of a span by their type.
    edge : array (room, 2 + slots)
        The node that an edge makes, the row of its rule, and its children.
    cell : array (places, places, 2)
        The first node of a span, and the one after the last.
    work : array
        Counts, the last node by key of its target, the slots of the rule that is matched, the
        target of the edge that is made, and at ``pool`` the pool.
    slots, made, pool : int
        Where these begin.
    """

    node: IntArray
    edge: IntArray
    cell: IntArray
    work: IntArray
    slots: int
    made: int
    pool: int


def new_chart(length: int, goal: IntArray | None, room: int, slots: int) -> Chart:
    """Return an empty chart.

    Parameters
    ----------
    length : int
        Of the source.
    goal : array of int, optional
        What targets must occur in.
    room : int
        For nodes; there is more for edges.
    slots : int
        The largest number of slots of a rule.
    """
    symbols = 8 * room if goal is None else len(goal) or 1
    made = _WORK + 6 * (slots + 1)
    work = np.zeros(made + 2 * symbols, np.int32)
    work[_BUCKET:_WORK] = -1
    if goal is not None:
        work[POOL] = len(goal)
        work[made + symbols : made + symbols + len(goal)] = goal
    return Chart(
        node=np.empty((room, 7), np.int32),
        edge=np.empty((4 * room, 2 + slots), np.int32),
        cell=np.zeros((length + 1, length + 1, 2), np.int32),
        work=work,
        slots=_WORK,
        made=made,
        pool=made + symbols,
    )


@kernel()
def fill_chart(rules: CodedTable, asked: Asked, chart: Chart) -> None:
    """Make all nodes and edges, narrow spans first, unless there is no room or nodes are too many.

    The edges of a span are in the order of ``near``, and those of chains come last.
    """
    near, fits = _usable(rules, asked, chart)
    source, work = asked.source, chart.work
    length = len(source)
    for width in range(1, length + 1):
        for begin in range(length - width + 1):
            span = (begin, begin + width)
            first = work[NODES]
            if width == 1 and asked.leaf >= 0 and source[begin] < FIRST_WORD:
                work[chart.made] = source[begin]
                _node(chart, asked.goal, span, asked.leaf, 1)
            for k in range(len(near)):
                if fits[k, 0, begin] and fits[k, 1, span[1]] and fits[k, 2, width]:
                    _match(rules, asked, chart, near[k], span)
            for rule in asked.chains:
                for node in range(first, work[NODES]):
                    if chart.node[node, TYPE] == rules.slot[rules.row[rule, SLOTS], 1]:
                        work[chart.slots + _BELOW] = node
                        _edge(rules, asked.goal, chart, rule, span)
            if work[FULL]:
                return
            _close(chart, span, first)
            if work[NODES] > asked.most:
                return


@kernel()
def _usable(rules: CodedTable, asked: Asked, chart: Chart) -> tuple[LongArray, BoolArray]:
    """Return the rules whose words, those between slots together, are in the source and the goal.

    ``fits`` says by rule where its first words begin, where its last words end, and which widths it
    may have.
    """
    source, work, text = asked.source, chart.work, rules.text
    length = len(source)
    pool = work[chart.pool : chart.pool + work[POOL]]
    kept = np.empty(len(asked.near), np.int64)
    fits = np.zeros((len(asked.near), 3, length + 1), np.bool_)
    count = 0
    for rule in asked.near:
        row = rules.row[rule]
        low, high = row[SOURCE], row[SOURCE_END]
        size = high - low
        if size > length or not _has_runs(text, low, high, source):
            continue
        if asked.goal and not _has_runs(text, row[TARGET], row[TARGET_END], pool):
            continue
        slots = row[SLOTS_END] - row[SLOTS]
        before = after = size
        if slots:
            before = rules.slot[row[SLOTS], 0] - low
            after = high - rules.slot[row[SLOTS_END] - 1, 0] - 1
        for at in range(length + 1):
            fits[count, 0, at] = _stands(text, low, source, at, before)
            fits[count, 1, at] = _stands(text, high - after, source, at - after, after)
            fits[count, 2, at] = at >= size if slots else at == size
        kept[count] = rule
        count += 1
    return kept[:count], fits


@kernel(_nrt=False)
def _has_runs(pattern: IntArray, low: int, high: int, text: IntArray) -> bool:
    """Say whether all words between two slots of a part of a pattern occur together in a text."""
    begin = low
    for at in range(low, high + 1):
        if at == high or pattern[at] < FIRST_WORD:
            if at > begin and _find(text, pattern, begin, at - begin) < 0:
                return False
            begin = at + 1
    return True


@kernel(_nrt=False)
def _find(text: IntArray, part: IntArray, begin: int, length: int) -> int:
    """Return where so many symbols of a part, from a place on, first occur; -1 if nowhere."""
    for at in range(len(text) - length + 1):
        if _stands(part, begin, text, at, length):
            return at
    return -1


@kernel(inline="always")
def _stands(part: IntArray, begin: int, text: IntArray, at: int, length: int) -> bool:
    """Say whether so many symbols of a part are those of a text at a place."""
    same = 0 <= at <= len(text) - length
    k = 0
    while same and k < length:
        same = part[begin + k] == text[at + k]
        k += 1
    return same


@kernel(_nrt=False)
def _match(rules: CodedTable, asked: Asked, chart: Chart, rule: int, span: tuple[int, int]) -> None:
    """Make the edges of all divisions of a span among slots, those of short first slots first.

    The words before the first and after the last slot are there.
    """
    row = rules.row
    first, top = row[rule, SLOTS], row[rule, SLOTS_END] - 1
    if first > top:
        _edge(rules, asked.goal, chart, rule, span)
        return
    work, at = chart.work, chart.slots
    last = span[1] - (row[rule, SOURCE_END] - rules.slot[top, 0] - 1)
    work[at + _FROM] = work[at + _TO] = span[0] + rules.slot[first, 0] - row[rule, SOURCE]
    k = first
    while k >= first:
        place, symbol = rules.slot[k, 0], rules.slot[k, 1]
        if k == top:
            work[at + _TO] = last
            if _typed(chart, at, symbol):
                _combine(rules, asked.goal, chart, rule, span)
            k, at = k - 1, at - 6
            continue
        gap = rules.slot[k + 1, 0] - place - 1
        end = work[at + _TO] + 1
        while end + gap < last:
            if _stands(rules.text, place + 1, asked.source, end, gap):
                work[at + _TO] = end
                if _typed(chart, at, symbol):
                    break
            end += 1
        if end + gap < last:
            k, at = k + 1, at + 6
            work[at + _FROM] = work[at + _TO] = end + gap
        else:
            k, at = k - 1, at - 6


@kernel(_nrt=False)
def _typed(chart: Chart, slot: int, symbol: int) -> bool:
    """Find the nodes of a type over the span of a slot, and say whether there are any."""
    node, work, cell = chart.node, chart.work, chart.cell
    begin, end = work[slot + _FROM], work[slot + _TO]
    low, high = cell[begin, end, 0], cell[begin, end, 1]
    while low < high and node[node[low, ORDERED], TYPE] != symbol:
        low += 1
    while low < high and node[node[high - 1, ORDERED], TYPE] != symbol:
        high -= 1
    work[slot + _LOW], work[slot + _HIGH] = low, high
    return low < high


@kernel(_nrt=False)
def _combine(rules: CodedTable, goal: int, chart: Chart, rule: int, span: tuple[int, int]) -> None:
    """Make the edges of all combinations of nodes of the slots, the last slot's changing first."""
    node, work, first = chart.node, chart.work, chart.slots
    after = first + 6 * (rules.row[rule, SLOTS_END] - rules.row[rule, SLOTS])
    for at in range(first, after, 6):
        work[at + _TAKEN] = work[at + _LOW]
        work[at + _BELOW] = node[work[at + _TAKEN], ORDERED]
    at = after
    while at >= first:
        _edge(rules, goal, chart, rule, span)
        at = after - 6
        while at >= first:
            taken = work[at + _TAKEN] + 1
            is_next = taken < work[at + _HIGH]
            work[at + _TAKEN] = taken if is_next else work[at + _LOW]
            work[at + _BELOW] = node[work[at + _TAKEN], ORDERED]
            if is_next:
                break
            at -= 6


@kernel(_nrt=False)
def _edge(rules: CodedTable, goal: int, chart: Chart, rule: int, span: tuple[int, int]) -> None:
    """Make the edge of a rule over the children of its slots, if its target is wanted."""
    row, work, edges = rules.row, chart.work, chart.edge
    length = _join(rules.text, row[rule, TARGET], row[rule, TARGET_END], chart)
    if length < 0:
        if not goal:
            work[FULL] = 1
        return
    node = _node(chart, goal, span, row[rule, LHS], length)
    if node < 0:
        return
    number = work[EDGES]
    if number == len(edges):
        work[FULL] = 1
        return
    edges[number, 0], edges[number, 1] = node, rule
    for k in range(row[rule, SLOTS_END] - row[rule, SLOTS]):
        edges[number, 2 + k] = work[chart.slots + 6 * k + _BELOW]
    work[EDGES] += 1


@kernel(_nrt=False)
def _join(text: IntArray, low: int, high: int, chart: Chart) -> int:
    """Write a target over the children of its slots; return its length, -1 if it is too long."""
    node, work, slots = chart.node, chart.work, chart.slots
    length = 0
    for place in range(low, high):
        symbol = text[place]
        if symbol >= FIRST_WORD:
            length += 1
        else:
            length += node[work[slots + 6 * (symbol - 1) + _BELOW], LENGTH]
    if length > chart.pool - chart.made:
        return -1
    at = chart.made
    for place in range(low, high):
        symbol = text[place]
        if symbol >= FIRST_WORD:
            work[at] = symbol
            at += 1
        else:
            child = work[slots + 6 * (symbol - 1) + _BELOW]
            for k in range(node[child, PLACE], node[child, PLACE] + node[child, LENGTH]):
                work[at] = work[k]
                at += 1
    return length


@kernel(_nrt=False)
def _node(chart: Chart, goal: int, span: tuple[int, int], lhs: int, length: int) -> int:
    """Return the node of the target that is made; -1 if it is not wanted, or there is no room."""
    nodes, work, made = chart.node, chart.work, chart.made
    key = length
    for k in range(made, made + length):
        key = (key * 31 + work[k]) & 0xFFFFFF
    bucket = _BUCKET + key % _BUCKETS
    node = int(work[bucket])
    while node >= 0:
        same = nodes[node, TYPE] == lhs and nodes[node, LENGTH] == length
        if same and _stands(work, made, work, nodes[node, PLACE], length):
            return node
        node = int(nodes[node, FOLLOWING])
    place = _placed(chart, goal, length)
    if place < 0:
        return -1
    node = int(work[NODES])
    if node == len(nodes):
        work[FULL] = 1
        return -1
    nodes[node, BEGIN], nodes[node, END], nodes[node, TYPE] = span[0], span[1], lhs
    nodes[node, PLACE], nodes[node, LENGTH] = place, length
    nodes[node, FOLLOWING] = work[bucket]
    work[bucket] = node
    work[NODES] += 1
    return node


@kernel(_nrt=False)
def _placed(chart: Chart, goal: int, length: int) -> int:
    """Return where the target that is made is in the pool, where it is put without a goal."""
    work, made = chart.work, chart.made
    if goal:
        for at in range(chart.pool, chart.pool + work[POOL] - length + 1):
            if _stands(work, made, work, at, length):
                return at
        return -1
    place = chart.pool + int(work[POOL])
    if place + length > len(work):
        work[FULL] = 1
        return -1
    for k in range(length):
        work[place + k] = work[made + k]
    work[POOL] += length
    return place


@kernel(_nrt=False)
def _close(chart: Chart, span: tuple[int, int], first: int) -> None:
    """Put the nodes of a span in the order of their types."""
    node, work = chart.node, chart.work
    after = work[NODES]
    if first == after:
        return
    for bucket in range(_BUCKET, _WORK):
        work[bucket] = -1
    chart.cell[span[0], span[1], 0] = first
    chart.cell[span[0], span[1], 1] = after
    for number in range(first, after):
        at = number
        while at > first and node[node[at - 1, ORDERED], TYPE] > node[number, TYPE]:
            node[at, ORDERED] = node[at - 1, ORDERED]
            at -= 1
        node[at, ORDERED] = number


@kernel()
def prune(rules: CodedTable, chart: Chart, root: int) -> tuple[LongArray, LongArray]:
    """Return in order the nodes below a root, itself included, and the edges that make them."""
    used = np.zeros(chart.work[NODES], np.bool_)
    used[root] = True
    kept = np.zeros(chart.work[EDGES], np.bool_)
    for number in range(len(kept) - 1, -1, -1):
        edge = chart.edge[number]
        # a node is complete before any edge uses it, so its users were met already
        if used[edge[0]]:
            kept[number] = True
            for k in range(rules.row[edge[1], SLOTS_END] - rules.row[edge[1], SLOTS]):
                used[edge[2 + k]] = True
    return np.flatnonzero(used), np.flatnonzero(kept)
