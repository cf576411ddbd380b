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

__all__ = ["PatternAutomaton", "Place"]

_CHAINS = (Kind.ANCESTOR, Kind.ANCESTOR_LEFT, Kind.ANCESTOR_RIGHT, Kind.ANCESTOR_SINGLE)
_DOWNWARD = (Kind.PARENT, Kind.PARENT_OF_NTH, Kind.PARENT_OF_ONLY, *_CHAINS)
_UPWARD = (Kind.PARENT, Kind.PARENT_OF_NTH, Kind.PARENT_OF_ONLY)
_SISTERS = (Kind.SISTER, Kind.SISTER_JUST_BEFORE, Kind.SISTER_BEFORE)
_HINT = "ask from above: S < (NP $.. VP); of a sister or a parent ask for the label alone"
_WHERE = "<pattern>"


class Place(NamedTuple):
    """Where a rule puts a child.

    Attributes
    ----------
    label : int
        The label, or word, of the child.
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
    >>> places = automaton.places(0, [1, 2])
    >>> seen = [automaton.seen(place, 0) for place in places]
    >>> state = automaton.state(0, seen[0] | seen[1])
    >>> automaton.accepts(0, state), automaton.accepts(1, 0)
    (True, False)
    """

    def __init__(self, patterns: Sequence[str], names: Sequence[str]) -> None:
        self._symbols = SymbolTable(names)
        self._accepted: dict[tuple[Label, ...], Sequence[bool]] = {}
        self._below: dict[_Below, int] = {}
        self._beside: dict[_Beside, int] = {}
        read = [parse_pattern(text) for text in patterns]
        self._wanted = [[self._hit_below(each) for each in choices] for choices in read]
        self._all = sum({1 << bit for bits in self._wanted for bit in bits})
        self._relevant: dict[int, int] = {}
        self._seen: dict[tuple[Place, int], int] = {}

    def places(self, parent: int, children: Sequence[int]) -> list[Place]:
        """Return where the children of a node are, for :meth:`seen`."""
        return [self._place(parent, children, i) for i in range(len(children))]

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
        state = seen & self._relevant[label]
        # of a tree that holds all that is wanted nothing else counts
        return self._all if self._is_satisfied(state) else state

    def accepts(self, label: int, state: int) -> bool:
        """Say whether a tree with this root, in this state, holds what is wanted."""
        root = Place(label, 0, self._all)
        return self._is_satisfied(state | self.seen(root, state))

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

    def _place(self, parent: int, children: Sequence[int], i: int) -> Place:
        beside = sum(
            1 << bit
            for relation, bit in self._beside.items()
            if any(
                self._accepts_label(relation.labels, label)
                for label in _related(relation.link, parent, children, i)
            )
        )
        looked_at = sum(
            1 << bit
            for below, bit in self._below.items()
            if _may_be_child(below.link, i, len(children))
        )
        return Place(children[i], beside, looked_at)

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


def _related(link: Link, parent: int, children: Sequence[int], i: int) -> Sequence[int]:
    """Return the labels of the nodes to which a child has a relation."""
    if link.kind in _UPWARD:
        return [parent] if _may_be_child(link, i, len(children)) else []
    before, after = children[:i], children[i + 1 :]
    if link.kind is Kind.SISTER:
        return [*before, *after]
    if link.kind is Kind.SISTER_BEFORE:
        return before if link.is_inverse else after
    return before[-1:] if link.is_inverse else after[:1]


def _may_be_child(link: Link, i: int, count: int) -> bool:
    """Say whether a relation of a node may be to its i-th child, or lead through it."""
    if link.kind is Kind.PARENT_OF_NTH:
        return link.nth in (i + 1, i - count)
    if link.kind in (Kind.PARENT_OF_ONLY, Kind.ANCESTOR_SINGLE):
        return count == 1
    if link.kind is Kind.ANCESTOR_LEFT:
        return i == 0
    if link.kind is Kind.ANCESTOR_RIGHT:
        return i == count - 1
    return True
