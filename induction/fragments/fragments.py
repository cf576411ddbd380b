"""Recurring fragments of a treebank: what any two trees have in common, with exact counts.

Two nodes with the same production share a fragment: that production, and below each child where
the productions are equal again, the fragment that the children share. It is maximal if the nodes
are not children, at the same place, of two nodes that share a production too. Recurring fragments
are the maximal common fragments of all pairs of nodes in different trees (Sangati, Zuidema & Bod
2010).
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np

from grammar.arrays import BoolArray, FloatArray, IntArray, LongArray
from grammar.engines.engine import Engine
from grammar.engines.threads import in_threads
from grammar.engines.units import Kept, Unit, opened
from grammar.options import whole_number
from grammar.rules.rules import Nonterminal, RuleTable
from grammar.trees.fragment import Fragment
from grammar.trees.given import as_treebank
from grammar.trees.treebank import Treebank
from induction.counts.counts import right_hand_sides
from induction.fragments.kernels import (
    SITE,
    common_fragments,
    matches,
    pool_pieces,
    production_paths,
    ranks_and_parents,
)

__all__ = ["FragmentCounts", "NodeTable", "recurring_fragments"]

_COMPARE = "induction.fragments.fragments:compared"
_TASKS_A_WORKER = 8
"""Some stretches of nodes take longer than others, so each worker gets several."""
_PAIRS_A_UNIT = 200_000_000
"""About two seconds of comparing: what is lost with a worker that dies."""
_BIG_ENDIAN = np.dtype(">i4")
"""Written so, whole numbers from zero sort as bytes."""

Pieces = tuple[IntArray, LongArray]


@dataclass(frozen=True, eq=False)
class NodeTable:
    """The nodes of a treebank that are not words, in preorder, with their productions.

    Attributes
    ----------
    rules : RuleTable
        The distinct productions.
    production : int32 array, shape (nodes,)
        Number of each node's production.
    size : int32 array, shape (nodes,)
        Number of nodes in the subtree, without words, the node included.
    tree : int32 array, shape (nodes,)
        Number of the tree.
    """

    rules: RuleTable
    production: IntArray
    size: IntArray
    tree: IntArray

    @classmethod
    def of(cls, treebank: Treebank) -> NodeTable:
        """Number the productions of a treebank, in canonical order."""
        path, _ = production_paths(treebank.label, treebank.size, treebank.offsets)
        inner = np.flatnonzero(path)
        _, shown, which = np.unique(path[inner], return_index=True, return_inverse=True)
        offsets, rhs = right_hand_sides(treebank.label, treebank.size, inner[shown])
        names = tuple(treebank.symbols)
        lhs = treebank.label[inner[shown]].astype(np.int32)
        rules, position = RuleTable.canonical(names, names, lhs, offsets, rhs)
        before = np.concatenate(([0], np.cumsum(path > 0)))
        size = before[inner + treebank.size[inner]] - before[inner]
        tree = np.searchsorted(treebank.offsets, inner, side="right") - 1
        return cls(
            rules,
            position[which].astype(np.int32),
            size.astype(np.int32),
            tree.astype(np.int32),
        )

    def __len__(self) -> int:
        return len(self.production)

    @cached_property
    def count(self) -> LongArray:
        """int64 array, shape (rules,): how many nodes have each production."""
        return np.bincount(self.production, minlength=len(self.rules)).astype(np.int64)

    @cached_property
    def ranks_and_parents(self) -> tuple[IntArray, IntArray]:
        """The place of each node among its siblings, and its parent."""
        return ranks_and_parents(self.size)

    @cached_property
    def ends(self) -> LongArray:
        """By the order of productions: where the nodes of the same one end."""
        order, starts = self.by_production
        ends: LongArray = starts[self.production[order] + 1]
        return ends

    @cached_property
    def by_production(self) -> tuple[LongArray, LongArray]:
        """Nodes sorted by production, and where the nodes of each production begin."""
        order = np.argsort(self.production, kind="stable").astype(np.int64)
        return order, np.concatenate(([0], np.cumsum(self.count)))

    def matches(self, pieces: Pieces, node_weight: FloatArray) -> tuple[FloatArray, LongArray]:
        """Sum the weights of the nodes at which each fragment matches, and count them by node."""
        return matches(*pieces, self.production, self.size, *self.by_production, node_weight)


@dataclass(frozen=True, eq=False)
class FragmentCounts:
    """Distinct fragments and how often each occurs, as columns in canonical order.

    Attributes
    ----------
    rules : RuleTable
        The productions.
    pieces : int32 array
        Of each fragment in turn, its productions in preorder; -1 for a child that is a site.
    offsets : int64 array, shape (fragments + 1,)
        Fragment ``f`` has the pieces ``pieces[offsets[f] : offsets[f + 1]]``.
    count : int64 array, shape (fragments,)
        At how many nodes each matches.

    Examples
    --------
    >>> treebank = Treebank.parse('''
    ...     (S (NP we) (VP (V saw) (NP stars)))
    ...     (S (NP they) (VP (V saw) (NP stars)))
    ...     (S (NP we) (VP (V slept)))
    ... ''')
    >>> for fragment, count in recurring_fragments(treebank).fragments():
    ...     print(count, fragment)
    3 (S (NP ) (VP ))
    2 (S (NP ) (VP (V saw) (NP stars)))
    2 (S (NP we) (VP ))
    """

    rules: RuleTable
    pieces: IntArray
    offsets: LongArray
    count: LongArray

    def __len__(self) -> int:
        return len(self.count)

    def __iter__(self) -> Iterator[tuple[Fragment, int]]:
        return self.fragments()

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, FragmentCounts):
            return NotImplemented
        return (
            self.rules == other.rules
            and np.array_equal(self.pieces, other.pieces)
            and np.array_equal(self.offsets, other.offsets)
            and np.array_equal(self.count, other.count)
        )

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"FragmentCounts({len(self)} fragments of {len(self.rules)} productions)"

    @cached_property
    def sizes(self) -> LongArray:
        """int64 array, shape (fragments,): number of productions of each."""
        before = np.concatenate(([0], np.cumsum(self.pieces != SITE)))
        return np.diff(before[self.offsets])

    def fragment(self, number: int) -> Fragment:
        """Return one fragment by its number."""
        pieces = iter(self.pieces[self.offsets[number] : self.offsets[number + 1]].tolist())

        def below(piece: int) -> Fragment:
            lhs, rhs = self._sides[piece]
            return Fragment(lhs.name, tuple(c if isinstance(c, str) else child(c) for c in rhs))

        def child(symbol: Nonterminal) -> Fragment | Nonterminal:
            piece = next(pieces)
            return symbol if piece == SITE else below(piece)

        return below(next(pieces))

    def fragments(self) -> Iterator[tuple[Fragment, int]]:
        """Yield every fragment with its count, in canonical order."""
        return ((self.fragment(f), count) for f, count in enumerate(self.count.tolist()))

    def top(self, n: int, *, productions: int = 1) -> list[tuple[Fragment, int]]:
        """Return the n most frequent fragments of at least so many productions."""
        order = np.lexsort((np.arange(len(self)), -self.count))
        chosen = order[self.sizes[order] >= productions][:n]
        return [(self.fragment(f), int(self.count[f])) for f in chosen.tolist()]

    @cached_property
    def _sides(self) -> list[tuple[Nonterminal, tuple[Nonterminal | str, ...]]]:
        return list(self.rules)


def recurring_fragments(treebank: Treebank, *, workers: int = 1) -> FragmentCounts:
    r"""Find all recurring fragments and count the nodes at which each matches.

    Parameters
    ----------
    treebank : Treebank
        Trees as they are to be compared: normalise and binarise them first.
    workers : int
        Threads; the result is the same.

    Raises
    ------
    OptionError
        If the number of workers is below one.

    Notes
    -----
    Only nodes of one production are compared (van Cranenburgh 2014), so the time grows with the
    number of pairs of such nodes. A maximal fragment is found from its root alone: a pair of nodes
    whose parents do not share the production, or not at the same place. A count is over all nodes
    of the treebank, whether the fragment is maximal there or not.

    Examples
    --------
    >>> from grammar import Treebank
    >>> trees = Treebank.parse("(S (NP we) (VP ran)) (S (NP we) (VP sat))")
    >>> [(str(one), count) for one, count in recurring_fragments(trees).fragments()]
    [('(S (NP we) (VP ))', 2)]
    """
    treebank = as_treebank(treebank)
    whole_number("workers", workers, 1)
    nodes = NodeTable.of(treebank)
    return counted(nodes, recurring_pieces(nodes, workers=workers))


def counted(nodes: NodeTable, pieces: Pieces) -> FragmentCounts:
    """Count the nodes at which fragments match."""
    mass, _ = nodes.matches(pieces, np.ones(len(nodes)))
    return FragmentCounts(nodes.rules, *pieces, mass.astype(np.int64))


def recurring_pieces(
    nodes: NodeTable, *, workers: int = 1, elsewhere: tuple[Kept, Engine] | None = None
) -> Pieces:
    """Return the recurring fragments in canonical order.

    Parameters
    ----------
    nodes : NodeTable
        Of the trees.
    workers : int
        Threads; the result is the same.
    elsewhere : (Kept, Engine), optional
        The same trees, saved, and an engine whose workers compare them.
    """
    engine = None if elsewhere is None else elsewhere[1]
    if engine is None or elsewhere is None:
        bounds = _even_stretches(nodes.ends, 1 if workers == 1 else workers * _TASKS_A_WORKER)
        tasks = (functools.partial(_compared, nodes, *bound) for bound in bounds)
        found = list(in_threads(tasks, workers))
    else:
        pairs = int((nodes.ends - np.arange(len(nodes.ends))).sum())
        parts = max(engine.workers * _TASKS_A_WORKER, pairs // _PAIRS_A_UNIT)
        bounds = _even_stretches(nodes.ends, parts)
        units = (
            Unit(_COMPARE, (elsewhere[0],), first=first, count=last - first)
            for first, last in bounds
        )
        found = list(engine.map(units))
    single = np.flatnonzero(np.logical_or.reduce([seen for seen, _ in found]))
    return united([single_productions(nodes.rules, single), *(pieces for _, pieces in found)])


def compared(unit: Unit) -> tuple[BoolArray, Pieces]:
    """Do a unit of :func:`recurring_pieces`."""
    return _compared(opened(unit.given[0], _loaded), unit.first, unit.first + unit.count)


def _loaded(path: Path) -> NodeTable:
    return NodeTable.of(Treebank.load(path))


def _compared(nodes: NodeTable, first: int, last: int) -> tuple[BoolArray, Pieces]:
    """Compare a stretch of nodes with all behind them; tell which productions were seen, too."""
    order, _ = nodes.by_production
    rank, parent = nodes.ranks_and_parents
    columns = (nodes.production, nodes.size, rank, parent, nodes.tree, order, nodes.ends)
    seen = np.zeros(len(nodes.rules), np.bool_)
    return seen, pool_pieces(common_fragments(*columns, first, last, seen))


def single_productions(rules: RuleTable, chosen: LongArray) -> Pieces:
    """Return fragments of one production each: its number, and a site for each symbol below."""
    before = np.concatenate(([0], np.cumsum(rules.rhs >= 0)))
    sites = before[rules.offsets[chosen + 1]] - before[rules.offsets[chosen]]
    offsets = np.concatenate(([0], np.cumsum(sites + 1))).astype(np.int64)
    pieces = np.full(offsets[-1], SITE, np.int32)
    pieces[offsets[:-1]] = chosen
    return pieces, offsets


def united(parts: list[Pieces]) -> Pieces:
    """Return the distinct fragments of all parts, ordered by their pieces."""
    texts: set[bytes] = set()
    for pieces, offsets in parts:
        text = (pieces + 1).astype(_BIG_ENDIAN).tobytes()
        bounds = (offsets * _BIG_ENDIAN.itemsize).tolist()
        texts.update(text[a:b] for a, b in itertools.pairwise(bounds))
    ordered = sorted(texts)
    lengths = np.array([len(text) for text in ordered], np.int64) // _BIG_ENDIAN.itemsize
    joined = np.frombuffer(b"".join(ordered), _BIG_ENDIAN).astype(np.int32) - 1
    return joined, np.concatenate(([0], np.cumsum(lengths))).astype(np.int64)


def _even_stretches(ends: LongArray, parts: int) -> list[tuple[int, int]]:
    """Split the entries into stretches with about equal numbers of pairs."""
    pairs = np.concatenate(([0], np.cumsum(ends - np.arange(len(ends)))))
    cuts = np.searchsorted(pairs, np.linspace(0, pairs[-1], parts + 1)[1:-1]).tolist()
    return list(itertools.pairwise([0, *cuts, len(ends)]))
