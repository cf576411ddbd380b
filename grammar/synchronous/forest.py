"""All derivations of one pair of source and target, packed into a forest.

Sides are coded as texts with one character a word. A node stands for a type over a span of the
source with a certain target; only targets that occur within the goal are kept, since every child's
target is a part of it. :mod:`grammar.synchronous.charts` fills the chart.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import networkx as nx
import numpy as np

from grammar.arrays import IntArray, LongArray
from grammar.synchronous.charts import (
    EDGES,
    FULL,
    NODES,
    POOL,
    SLOTS,
    SLOTS_END,
    Asked,
    Chart,
    CodedTable,
    fill_chart,
    new_chart,
    prune,
)
from grammar.synchronous.occurrence import FIRST_WORD, WordIndex
from grammar.synchronous.rule import NT, Slot, SynchronousRule

__all__ = [
    "CodedRule",
    "CodedRules",
    "Coder",
    "Edge",
    "PairForest",
    "derives",
    "pair_forest",
    "pair_nodes",
    "source_forest",
]

_SLOT = re.compile("[\x01-\xff]")
_ROOM = 1 << 11
"""Nodes that a chart has room for at first."""
_MOST_ROOM = 1 << 22
"""Nodes that the chart of a source alone may need room for: its targets may be very long."""
_MANY = 1 << 62

Node = tuple[int, int, str, str]
"""Where a span begins and ends, the type, and the coded target."""


class Coder:
    """Words as characters, slots as control characters; the same word has the same character."""

    def __init__(self) -> None:
        self._code: dict[str, str] = {}
        self._word: list[str] = []

    def words(self, words: Iterable[str]) -> str:
        """Code a sequence of words, giving new ones new characters."""
        return "".join(map(self._character, words))

    def side(self, symbols: Iterable[Slot | str]) -> str:
        """Code one side of a rule."""
        return "".join(
            chr(s.number) if isinstance(s, Slot) else self._character(s) for s in symbols
        )

    def rule(self, source: str, target: str) -> SynchronousRule:
        """Return the rule that two coded sides stand for; all slots get the type NT."""
        return SynchronousRule(self.symbols(source), self.symbols(target))

    def symbols(self, text: str) -> tuple[Slot | str, ...]:
        """Return what a coded side stands for."""
        return tuple(
            Slot(ord(c), NT) if ord(c) < FIRST_WORD else self._word[ord(c) - FIRST_WORD]
            for c in text
        )

    def _character(self, word: str) -> str:
        code = self._code.get(word)
        if code is None:
            code = self._code[word] = chr(FIRST_WORD + len(self._word))
            self._word.append(word)
        return code


@dataclass(frozen=True, slots=True)
class CodedRule:
    """A rule as two coded sides; the slots of the source are 1, 2, ... in order.

    ``number`` is the rule's own.
    """

    number: int
    lhs: str
    source: str
    target: str
    types: tuple[str, ...]

    @classmethod
    def of(
        cls, number: int, source: str, target: str, lhs: str = NT, types: Sequence[str] = ()
    ) -> CodedRule:
        """Number the slots of two coded sides in order; they have the type NT unless given."""
        slots = _SLOT.findall(source)
        if slots != sorted(slots):
            order = {ord(slot): k for k, slot in enumerate(slots, start=1)}
            source, target = source.translate(order), target.translate(order)
        return cls(number, lhs, source, target, tuple(types) or (NT,) * len(slots))

    @property
    def is_chain(self) -> bool:
        """Whether the source is one slot and nothing else."""
        return len(self.source) == len(self.types) == 1


class CodedRules:
    """Rules as a table, those without slots first, and by their words.

    Attributes
    ----------
    table : CodedTable
        For :func:`grammar.synchronous.charts.fill_chart`.
    numbers : array
        The rules' own numbers.
    names : list of str
        The types by number.
    chains : array
        The rules whose source is one slot, in an order in which each applies to what others make.
    slots : int
        The largest number of slots.
    """

    def __init__(self, rules: Iterable[CodedRule]) -> None:
        given = list(rules)
        chains = [rule for rule in given if rule.is_chain]
        below = nx.DiGraph((rule.types[0], rule.lhs) for rule in chains)
        order = {name: i for i, name in enumerate(nx.topological_sort(below))}
        chains.sort(key=lambda rule: order[rule.types[0]])
        others = [rule for rule in given if not rule.is_chain]
        others.sort(key=lambda rule: bool(rule.types))
        number: dict[str, int] = {}
        self.table = _table([*others, *chains], number)
        self.numbers = np.array([rule.number for rule in (*others, *chains)], np.int64)
        self.names = list(number)
        self.chains = np.arange(len(others), len(given), dtype=np.int64)
        self.slots = max((len(rule.types) for rule in given), default=0)
        self._by_word = WordIndex([rule.source for rule in others])

    def near(self, source: str, without: int = -1) -> LongArray:
        """Return the rules, chains left out, whose words all occur in a source; one left out."""
        found = np.array(self._by_word.within(source), np.int64)
        return found if without < 0 else found[self.numbers[found] != without]


def _table(rules: Sequence[CodedRule], number: dict[str, int]) -> CodedTable:
    """Return rules as a table; ``number`` gets the types."""
    lengths = [(len(rule.source), len(rule.target)) for rule in rules]
    bounds = np.cumsum([0, *itertools.chain.from_iterable(lengths)])
    slots = np.cumsum([0, *(len(rule.types) for rule in rules)])
    lhs = [number.setdefault(rule.lhs, len(number)) for rule in rules]
    types = [number.setdefault(name, len(number)) for rule in rules for name in rule.types]
    text = _symbols("".join(rule.source + rule.target for rule in rules))
    rows = (lhs, bounds[:-1:2], bounds[1::2], bounds[1::2], bounds[2::2], slots[:-1], slots[1:])
    in_source = np.repeat(np.arange(2 * len(rules)) % 2 == 0, np.diff(bounds))
    at = np.flatnonzero(in_source & (text < FIRST_WORD))
    return CodedTable(
        np.column_stack(rows).astype(np.int32), text, np.column_stack([at, types]).astype(np.int32)
    )


def _symbols(text: str) -> IntArray:
    # the codes of words may be halves of surrogate pairs
    return np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.int32).copy()


class Edge(NamedTuple):
    """One way to make a node: a rule over child nodes, which have smaller numbers."""

    node: int
    rule: int
    children: tuple[int, ...]


@dataclass
class PairForest:
    """Nodes numbered bottom-up, the edges that make them, and the node of the whole pair.

    Attributes
    ----------
    nodes : list of (start, end, type, target)
        Source span, type and coded target.
    edges : list of Edge
        In an order in which children come first.
    root : int
        The node of the pair, or -1 if the pair has no derivation.
    """

    nodes: list[Node] = field(default_factory=list)
    edges: list[Edge] = field(default_factory=list)
    root: int = -1


def pair_forest(rules: CodedRules, source: str, target: str, *, start: str = NT) -> PairForest:
    r"""Build the forest of all derivations of a coded pair; it is empty if there is none.

    Parameters
    ----------
    rules : CodedRules
        Acyclic in their chains.
    source, target : str
        Coded with the same :class:`Coder`.
    start : str
        The type of the whole.

    Examples
    --------
    >>> a, b, A, B = map(chr, (0x100, 0x101, 0x200, 0x201))
    >>> rules = CodedRules([CodedRule.of(0, a, A), CodedRule.of(1, "\x01" + b, B + "\x01")])
    >>> forest = pair_forest(rules, a + b + b, B + B + A)
    >>> [(edge.rule, edge.children) for edge in forest.edges]
    [(0, ()), (1, (0,)), (1, (1,))]
    """
    chart = _filled(rules, source, target)
    root = _root(chart, rules, source, target, start)
    if root < 0:
        return PairForest()
    return _forest(chart, rules, prune(rules.table, chart, root), root)


def derives(rules: CodedRules, pair: tuple[str, str], *, without: int = -1) -> bool:
    r"""Say whether rules, one left out, derive a coded pair, whose slots stand for themselves.

    Examples
    --------
    >>> a, A = map(chr, (0x100, 0x200))
    >>> rules = CodedRules([CodedRule.of(0, "\x01" + a, "\x01" + A)])
    >>> twice = "\x01" + a + a, "\x01" + A + A
    >>> derives(rules, twice), derives(rules, twice, without=0)
    (True, False)
    """
    chart = _filled(rules, *pair, leaves=True, without=without)
    return _root(chart, rules, *pair, NT) >= 0


def pair_nodes(rules: CodedRules, source: str, target: str) -> list[Node]:
    """Return all spans of a coded source that rules derive with a part of the target."""
    chart = _filled(rules, source, target)
    used, none = np.arange(chart.work[NODES]), np.zeros(0, np.int64)
    return _forest(chart, rules, (used, none)).nodes


def source_forest(
    rules: CodedRules, source: str, *, most_nodes: int, start: str = NT
) -> tuple[PairForest, list[int]] | None:
    """Build the forest of a coded source with all its targets, and tell the nodes of the whole.

    None if it takes more nodes than given.

    Examples
    --------
    >>> code = Coder()
    >>> rules = CodedRules(
    ...     CodedRule.of(i, code.words(s), code.words(t)) for i, (s, t) in enumerate(["aA", "bB"])
    ... )
    >>> forest, roots = source_forest(rules, code.words("a"), most_nodes=10)
    >>> [code.symbols(forest.nodes[root][3]) for root in roots]
    [('A',)]
    """
    chart = _filled(rules, source, None, most=most_nodes)
    if chart.work[FULL] or chart.work[NODES] > most_nodes:
        return None
    every = np.arange(chart.work[NODES]), np.arange(chart.work[EDGES])
    forest = _forest(chart, rules, every)
    first, after = chart.cell[0, len(source)].tolist()
    return forest, [node for node in range(first, after) if forest.nodes[node][2] == start]


def _filled(
    rules: CodedRules,
    source: str,
    target: str | None,
    *,
    leaves: bool = False,
    without: int = -1,
    most: int = _MANY,
) -> Chart:
    """Fill a chart, with more room until there is enough; without a target, unless that is much."""
    leaf = rules.names.index(NT) if leaves and NT in rules.names else -1
    near = rules.near(source, without)
    asked = Asked(_symbols(source), near, rules.chains, leaf, int(target is not None), most)
    goal = None if target is None else _symbols(target)
    room = _ROOM
    while True:
        chart = new_chart(len(source), goal, room, rules.slots)
        fill_chart(rules.table, asked, chart)
        if not chart.work[FULL] or (goal is None and room >= _MOST_ROOM):
            return chart
        room *= 4


def _root(chart: Chart, rules: CodedRules, source: str, target: str, start: str) -> int:
    """Return the node of the whole pair; -1 if there is none."""
    first, after = chart.cell[0, len(source)].tolist()
    for node in range(first, after):
        _, _, symbol, _, length, *_ = chart.node[node].tolist()
        if length == len(target) and rules.names[symbol] == start:
            return node
    return -1


def _forest(
    chart: Chart, rules: CodedRules, kept: tuple[LongArray, LongArray], root: int = -1
) -> PairForest:
    """Return nodes and edges of a chart, numbered anew."""
    used, edges = kept
    pool = "".join(map(chr, chart.work[chart.pool : chart.pool + chart.work[POOL]].tolist()))
    nodes = [
        (begin, end, rules.names[symbol], pool[place - chart.pool : place - chart.pool + length])
        for begin, end, symbol, place, length in chart.node[used, :5].tolist()
    ]
    number = np.full(chart.work[NODES] + 1, -1)
    number[used] = np.arange(len(used))
    rule = chart.edge[edges, 1]
    count = rules.table.row[rule, SLOTS_END] - rules.table.row[rule, SLOTS]
    children = chart.edge[edges, 2:]
    children[np.arange(children.shape[1]) >= count[:, None]] = -1  # there was nothing
    columns = number[chart.edge[edges, 0]], rules.numbers[rule], count, number[children]
    found = [
        Edge(made, own, tuple(below[:slots]))
        for made, own, slots, below in zip(*(c.tolist() for c in columns), strict=True)
    ]
    return PairForest(nodes, found, int(number[root]))
