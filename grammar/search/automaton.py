"""Patterns as a tree automaton: which trees hold a construction, decided from the words upwards.

The automaton is deterministic and goes bottom-up. The state of a node says which relations to
lower nodes hold of it. What lies beside a node and above it is known where a rule puts it, so
sisters and parents may be asked for, by their labels alone.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from grammar.errors import PatternError
from grammar.search.patterns import (
    AnyOf,
    Label,
    Node,
    NotOf,
    OptionalOf,
    Part,
    Pattern,
    Relation,
    parse_pattern,
)
from grammar.search.relations import Kind, Link
from grammar.search.tree_index import accepted_names
from grammar.trees.symbols import SymbolTable

__all__ = ["NOTHING", "Around", "PatternAutomaton", "Place", "Row"]

_CHAINS = (Kind.ANCESTOR, Kind.ANCESTOR_LEFT, Kind.ANCESTOR_RIGHT, Kind.ANCESTOR_SINGLE)
_DOWNWARD = (Kind.PARENT, Kind.PARENT_OF_NTH, Kind.PARENT_OF_ONLY, *_CHAINS)
_RANKED = (Kind.PARENT_OF_ONLY, Kind.ANCESTOR_SINGLE, Kind.ANCESTOR_LEFT, Kind.ANCESTOR_RIGHT)
_UPWARD = (Kind.PARENT, Kind.PARENT_OF_NTH, Kind.PARENT_OF_ONLY)
_SISTERS = (Kind.SISTER, Kind.SISTER_JUST_BEFORE, Kind.SISTER_BEFORE)
_HINT = "ask from above: S < (NP $.. VP); of a sister or a parent ask for the label alone"
_WHERE = "<pattern>"


class Row(NamedTuple):
    """What counts of nodes that stand side by side.

    Attributes
    ----------
    nodes : int
        How many they are, up to where more make no difference.
    some, first, last : int
        Bits: which relations to sisters hold of a node that has any of them, the first, or the
        last of them beside it.
    """

    nodes: int
    some: int
    first: int
    last: int


NOTHING = Row(0, 0, 0, 0)
"""The row without nodes."""


class Around(NamedTuple):
    """What is around a node, or around nodes that stand side by side.

    Attributes
    ----------
    above : int
        Bits: which relations to the parent hold, as far as its label decides.
    before, behind : Row
        The sisters on both sides.
    """

    above: int
    before: Row
    behind: Row


class Place(NamedTuple):
    """Where a node is.

    Attributes
    ----------
    label : int
        The label, or word, of the node.
    beside : int
        Bits: which relations to sisters and to the parent hold there.
    looked_at : int
        Bits: which relations of the parent may be to this child.
    """

    label: int
    beside: int
    looked_at: int


@dataclass(frozen=True)
class _Below:
    """A relation to a lower node: of any that passes a test, or of an ancestor of it."""

    link: Link
    target: Node


@dataclass(frozen=True)
class _Beside:
    """A relation to a sister or to the parent, of which the label is tested."""

    link: Link
    labels: tuple[Label, ...]


class PatternAutomaton:
    """The automaton of trees in which each of some patterns has a hit.

    Parameters
    ----------
    patterns : sequence of str
        Patterns of TGrep2. Their relations lead down (``<``, ``<<`` and the like), or to sisters
        and the parent, of which only the label is asked for. Names may be given, but nothing may
        refer to them.
    names : sequence of str
        The labels and words that trees can have; nodes are given as places in it.

    Raises
    ------
    PatternError
        If a text is no pattern, or has another relation.

    Examples
    --------
    >>> names = ["S", "NP", "VP", "we"]
    >>> automaton = PatternAutomaton(["S < (NP $.. VP)"], names)
    >>> above, np, vp = automaton.above(0), automaton.row(1), automaton.row(2)
    >>> first = automaton.place(1, Around(above, NOTHING, vp))
    >>> last = automaton.place(2, Around(above, np, NOTHING))
    >>> state = automaton.state(0, automaton.seen(first, 0) | automaton.seen(last, 0))
    >>> automaton.holds(automaton.seen(automaton.place(0, None), state))
    True
    """

    def __init__(self, patterns: Sequence[str], names: Sequence[str]) -> None:
        self._symbols = SymbolTable(names)
        self._accepted: dict[tuple[Label, ...], Sequence[bool]] = {}
        self._below: dict[_Below, int] = {}
        self._beside: dict[_Beside, int] = {}
        read = [parse_pattern(text) for text in patterns]
        self._wanted = [[self._hit_below(each) for each in choices] for choices in read]
        self._all = sum({1 << bit for bits in self._wanted for bit in bits})
        self._most = max((_most_that_counts(each.link) for each in self._links), default=0)
        self._relevant: dict[int, int] = {}
        self._rows: dict[int, Row] = {}
        self._places: dict[tuple[int, Around | None], Place] = {}
        self._seen: dict[tuple[Place, int], int] = {}

    def row(self, label: int) -> Row:
        """Return the row of one node."""
        if label not in self._rows:
            some, nearest = (
                sum(
                    1 << bit
                    for relation, bit in self._beside.items()
                    if relation.link.kind in kinds and self._accepts_label(relation.labels, label)
                )
                for kinds in ((Kind.SISTER, Kind.SISTER_BEFORE), (Kind.SISTER_JUST_BEFORE,))
            )
            self._rows[label] = Row(min(1, self._most), some, nearest, nearest)
        return self._rows[label]

    def joined(self, left: Row, right: Row) -> Row:
        """Return the row of nodes and those behind them."""
        if left == NOTHING or right == NOTHING:
            return left if right == NOTHING else right
        return Row(
            min(left.nodes + right.nodes, self._most),
            left.some | right.some,
            left.first,
            right.last,
        )

    def above(self, label: int) -> int:
        """Return, as bits, which relations to a parent its label allows."""
        return sum(
            1 << bit
            for relation, bit in self._beside.items()
            if relation.link.kind in _UPWARD and self._accepts_label(relation.labels, label)
        )

    def place(self, label: int, around: Around | None) -> Place:
        """Return where a node is, for :meth:`seen`; with nothing around it is a root."""
        if (label, around) not in self._places:
            made = Place(label, 0, self._all)
            if around is not None:
                made = Place(label, self._beside_in(around), self._looked_at_in(around))
            self._places[label, around] = made
        return self._places[label, around]

    def seen(self, place: Place, state: int) -> int:
        """Return the relations, as bits, that the parent of a node in this state has to it."""
        known = self._seen.get((place, state))
        if known is None:
            known = self._seen[place, state] = sum(
                1 << bit
                for below, bit in self._below.items()
                if place.looked_at >> bit & 1 and self._reaches(below, bit, place, state)
            )
        return known

    def state(self, label: int, seen: int) -> int:
        """Return the state of a node that has some relations to nodes below it."""
        if label not in self._relevant:
            self._relevant[label] = self._relevant_to(label)
        return self.reduced(seen & self._relevant[label])

    def reduced(self, seen: int) -> int:
        """Return what counts of the relations that are seen: of a tree that holds all, no more."""
        return self._all if self._is_satisfied(seen) else seen

    def holds(self, seen: int) -> bool:
        """Say whether a tree holds what is wanted, by what is seen of its root from above."""
        return self._is_satisfied(seen)

    def _is_satisfied(self, state: int) -> bool:
        return all(any(state >> bit & 1 for bit in bits) for bits in self._wanted)

    def _hit_below(self, pattern: Pattern) -> int:
        if pattern.segments:
            raise PatternError(
                "what a grammar draws cannot be asked for with segments",
                where=_WHERE,
                hint="say all of it in one: S < (NP < DT) < VP",
            )
        return self._number_below(Link(Kind.ANCESTOR), pattern.head)

    def _number_below(self, link: Link, target: Node) -> int:
        self._number_parts(target)
        return self._below.setdefault(_Below(link, target), len(self._below))

    def _number_parts(self, part: Part) -> None:
        """Number the relations that a part speaks of."""
        if isinstance(part, Node) and part.reference is not None:
            raise _refused(f"a reference, ={part.reference}")
        for each in part.parts:
            if not isinstance(each, Relation):
                self._number_parts(each)
                continue
            (target,) = each.parts
            assert isinstance(target, Node)
            if _leads_down(each.link):
                self._number_below(each.link, target)
            else:
                beside = _beside(each.link, target)
                self._beside.setdefault(beside, len(self._beside))

    def _accepts_label(self, labels: tuple[Label, ...], label: int) -> bool:
        if labels not in self._accepted:
            self._accepted[labels] = accepted_names(labels, self._symbols).tolist()
        return self._accepted[labels][label]

    @property
    def _links(self) -> list[_Below | _Beside]:
        return [*self._below, *self._beside]

    def _beside_in(self, around: Around) -> int:
        before, behind = around.before, around.behind
        found = 0
        for relation, bit in self._beside.items():
            link = relation.link
            if link.kind in _UPWARD:
                there = around.above if _may_be_child(link, before.nodes, behind.nodes) else 0
            elif link.kind is Kind.SISTER:
                there = before.some | behind.some
            elif link.kind is Kind.SISTER_BEFORE:
                there = before.some if link.is_inverse else behind.some
            else:
                there = before.last if link.is_inverse else behind.first
            found |= there & 1 << bit
        return found

    def _looked_at_in(self, around: Around) -> int:
        return sum(
            1 << bit
            for below, bit in self._below.items()
            if _may_be_child(below.link, around.before.nodes, around.behind.nodes)
        )

    def _reaches(self, below: _Below, bit: int, place: Place, state: int) -> bool:
        if below.link.kind in _CHAINS and state >> bit & 1:
            return True
        return self._is(below.target, place, state)

    def _is(self, node: Node, place: Place, state: int) -> bool:
        """Say whether a node passes the test of a part of a pattern."""
        if not self._accepts_label(node.labels, place.label):
            return False
        return all(self._holds(part, place, state) for part in node.parts)

    def _holds(self, part: Part, place: Place, state: int) -> bool:
        if isinstance(part, Relation):
            (target,) = part.parts
            assert isinstance(target, Node)
            if _leads_down(part.link):
                return bool(state >> self._below[_Below(part.link, target)] & 1)
            return bool(place.beside >> self._beside[_beside(part.link, target)] & 1)
        if isinstance(part, OptionalOf):
            return True
        if isinstance(part, NotOf):
            return not self._holds(part.parts[0], place, state)
        combine: Callable[..., bool] = any if isinstance(part, AnyOf) else all
        return combine(self._holds(each, place, state) for each in part.parts)

    def _relevant_to(self, label: int) -> int:
        """Return the relations that count for nodes of a label: others are left out of states."""
        kept = sum(1 << bit for below, bit in self._below.items() if below.link.kind in _CHAINS)
        for below in self._below:
            if self._accepts_label(below.target.labels, label):
                kept |= self._spoken_of(below.target)
        return kept

    def _spoken_of(self, part: Part) -> int:
        """Return the relations to lower nodes that the conditions of a node speak of."""
        found = 0
        for each in part.parts:
            if not isinstance(each, Relation):
                found |= self._spoken_of(each)
            elif _leads_down(each.link):
                (target,) = each.parts
                assert isinstance(target, Node)
                found |= 1 << self._below[_Below(each.link, target)]
        return found


def _leads_down(link: Link) -> bool:
    return link.kind in _DOWNWARD and not link.is_inverse


def _beside(link: Link, target: Node) -> _Beside:
    """Return a relation to a sister or parent (raises PatternError if it is none of a label)."""
    if link.kind not in _SISTERS and not (link.is_inverse and link.kind in _UPWARD):
        raise _refused("a relation of words, or to an ancestor,")
    if target.reference is not None or not all(isinstance(p, OptionalOf) for p in target.parts):
        raise _refused("more than the label of a sister or a parent")
    return _Beside(link, target.labels)


def _refused(what: str) -> PatternError:
    return PatternError(
        f"{what} cannot be asked for in what a grammar draws", where=_WHERE, hint=_HINT
    )


def _may_be_child(link: Link, before: int, behind: int) -> bool:
    """Say whether a relation of a node may be to a child with so many sisters, or lead through."""
    if link.kind is Kind.PARENT_OF_NTH:
        return link.nth in (before + 1, -(behind + 1))
    if link.kind in (Kind.PARENT_OF_ONLY, Kind.ANCESTOR_SINGLE):
        return before == behind == 0
    if link.kind is Kind.ANCESTOR_LEFT:
        return before == 0
    if link.kind is Kind.ANCESTOR_RIGHT:
        return behind == 0
    return True


def _most_that_counts(link: Link) -> int:
    """Return the number of sisters on a side above which a relation does not tell numbers apart."""
    if link.kind is Kind.PARENT_OF_NTH:
        return abs(link.nth)
    # whether there is any sister counts for these, and for what is just beside a node
    return int(link.kind in (*_RANKED, Kind.SISTER_JUST_BEFORE))
