"""A synchronous grammar without the derivations in which some words would be neighbours.

The sources without forbidden neighbours are a local language, so the grammar is intersected with
it (Bar-Hillel et al. 1961): a type is divided by the words with which its sources begin and end.
Words are told apart as far as they differ in what they may not stand beside, and only if rules
bring such words together.
"""

from __future__ import annotations

import itertools
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import NamedTuple

import numpy as np

from grammar.arrays import BoolArray
from grammar.synchronous.grammar import SynchronousGrammar
from grammar.synchronous.rule import Slot, SynchronousRule

__all__ = ["without_neighbours"]

_ROUNDS = 500
_CLOSE = 1e-12
_LETTERS = "abcdefghijklmnopqrstuvwxyz"

Edges = tuple[int, int]
"""The groups of the first and the last word of a source."""
State = tuple[str, Edges]
"""A type, and the edges of its sources."""


class _Use(NamedTuple):
    """A rule, and the states of its slots."""

    rule: int
    slots: tuple[State, ...]


def without_neighbours(
    grammar: SynchronousGrammar, class_of: Mapping[str, int], may: BoolArray, *, most: int
) -> SynchronousGrammar | None:
    """Return the grammar of the derivations whose sources have permitted neighbours only.

    Its distribution is that of the grammar, given that. If all derivations are permitted, it is the
    grammar itself; else its rules have no counts.

    Parameters
    ----------
    grammar : SynchronousGrammar
        The grammar.
    class_of : mapping of str to int
        Classes of words; other words have class 0. The empty text is before and behind a sentence.
    may : bool array, shape (classes, classes)
        Whether a word of a class may stand before one of another.
    most : int
        The largest number of rules.

    Returns
    -------
    SynchronousGrammar or None
        None if it has too many rules, or no derivation is left.

    Examples
    --------
    >>> import numpy as np
    >>> grammar = SynchronousGrammar.parse('''
    ...     NT -> D_1 D_2 ### D_1 D_2
    ...     D -> one ### 1 [0.5]
    ...     D -> oh ### 0 [0.5]
    ... ''')
    >>> may = np.array([[True, True], [True, False]])  # no "oh oh"
    >>> found = without_neighbours(grammar, {"oh": 1}, may, most=10)
    >>> for rule, weight in zip(found.rules, found.weight):
    ...     print(rule, round(float(weight), 2))
    Da_1 Db_2 ### Da_1 Db_2 0.33
    Db_1 Da_2 ### Db_1 Da_2 0.33
    Db_1 Db_2 ### Db_1 Db_2 0.33
    Da -> oh ### 0 1.0
    Db -> one ### 1 1.0
    """
    forbidden = _meetings(grammar, class_of, len(may)) & ~may
    if not forbidden.any():
        return grammar
    groups = _Groups(class_of, forbidden)
    uses = _uses(grammar, groups, most)
    tops = {s: None for s in uses if s[0] == grammar.start and groups.is_sentence(s[1])}
    return _divided(grammar, uses, tops.keys()) if tops else None


def _meetings(grammar: SynchronousGrammar, class_of: Mapping[str, int], classes: int) -> BoolArray:
    """Return which classes rules bring together, the ends of a sentence among them."""
    every = np.eye(classes, dtype=bool)
    edges = [_edges(grammar, class_of, every, at) for at in (0, -1)]

    def at_edge(symbol: Slot | str, at: int) -> BoolArray:
        return (
            edges[at][symbol.symbol] if isinstance(symbol, Slot) else every[class_of.get(symbol, 0)]
        )

    start = Slot(0, grammar.start)
    sides: dict[tuple[Slot | str, Slot | str], None] = {("", start): None, (start, ""): None}
    for rule in grammar.rules:
        source = [Slot(0, s.symbol) if isinstance(s, Slot) else s for s in rule.source]
        sides.update(dict.fromkeys(itertools.pairwise(source)))
    met = np.zeros((classes, classes), dtype=bool)
    for before, behind in sides:
        met |= at_edge(before, -1)[:, None] & at_edge(behind, 0)
    return met


def _edges(
    grammar: SynchronousGrammar, class_of: Mapping[str, int], every: BoolArray, at: int
) -> dict[str, BoolArray]:
    """Return with which classes the sources of each type begin, or end."""
    found = {each: np.zeros(len(every), dtype=bool) for each in grammar.types}
    before = -1
    while before != (before := sum(int(each.sum()) for each in found.values())):
        for rule in grammar.rules:
            edge = rule.source[at]
            found[rule.lhs] |= (
                found[edge.symbol] if isinstance(edge, Slot) else every[class_of.get(edge, 0)]
            )
    return found


class _Groups:
    """Words as far as they differ in what they may not stand beside.

    A word has a group for what is behind it, which counts where it is the last one of a source, and
    one for what is before it.
    """

    def __init__(self, class_of: Mapping[str, int], forbidden: BoolArray) -> None:
        self._class_of = class_of
        self._last, self._first = (
            np.unique(each, axis=0, return_inverse=True)[1].ravel().tolist()
            for each in (forbidden, forbidden.T)
        )
        pairs = np.argwhere(forbidden).tolist()
        self._forbidden = {(self._last[before], self._first[behind]) for before, behind in pairs}

    def edges(self, word: str) -> Edges:
        """Return the edges of a source that is a word."""
        number = self._class_of.get(word, 0)
        return self._first[number], self._last[number]

    def may_meet(self, before: Edges, behind: Edges) -> bool:
        """Say whether a source may stand before another one."""
        return (before[1], behind[0]) not in self._forbidden

    def is_sentence(self, edges: Edges) -> bool:
        """Say whether a source may stand alone."""
        ends = self.edges("")
        return self.may_meet(ends, edges) and self.may_meet(edges, ends)


def _uses(grammar: SynchronousGrammar, groups: _Groups, most: int) -> dict[State, dict[_Use, None]]:
    """Return how each state is made, bottom up; nothing if there are more than so many ways."""
    found: dict[State, dict[_Use, None]] = defaultdict(dict)
    of_type: dict[str, dict[State, None]] = defaultdict(dict)
    before = -1
    while before != (before := sum(map(len, found.values()))):
        for number, rule in enumerate(grammar.rules):
            ways = list(itertools.islice(_ways(rule, of_type, groups), most + 1))
            for edges, slots in ways:
                state = rule.lhs, edges
                found[state][_Use(number, slots)] = None
                of_type[rule.lhs][state] = None
            if len(ways) > most or sum(map(len, found.values())) > most:
                return {}
    return found


def _ways(
    rule: SynchronousRule, of_type: Mapping[str, Iterable[State]], groups: _Groups
) -> Iterator[tuple[Edges, tuple[State, ...]]]:
    """Yield the states that slots may have, with the edges of the source that they make."""
    # sources may be longer than recursion is deep
    waiting: list[tuple[int, Edges, tuple[State, ...]]] = [(0, (0, 0), ())]
    while waiting:
        at, edges, slots = waiting.pop()
        if at == len(rule.source):
            yield edges, slots
            continue
        symbol = rule.source[at]
        if isinstance(symbol, str):
            choices = [(groups.edges(symbol), slots)]
        else:
            choices = [(state[1], (*slots, state)) for state in of_type[symbol.symbol]]
        for found, filled in choices:
            if at == 0 or groups.may_meet(edges, found):
                first = found[0] if at == 0 else edges[0]
                waiting.append((at + 1, (first, found[1]), filled))


def _divided(
    grammar: SynchronousGrammar, uses: Mapping[State, Iterable[_Use]], tops: AbstractSet[State]
) -> SynchronousGrammar:
    """Return the grammar whose types are the states that sentences need, as few as do."""
    mass = _masses(grammar, uses)
    needed = dict.fromkeys(tops)
    waiting = [*needed]
    while waiting:
        slots = (slot for use in uses[waiting.pop()] for slot in use.slots if mass[slot] > 0.0)
        new = dict.fromkeys(slot for slot in slots if slot not in needed)
        waiting += new
        needed |= new
    name = _names(grammar, _blocks({state: uses[state] for state in needed}), tops)
    made: list[tuple[SynchronousRule, float, int]] = []
    for state in needed:
        written = {grammar.start} if state in tops else set()
        written |= {name[state]} if state in name else set()
        for use in uses[state]:
            weight = _weight(grammar, use, mass)
            for lhs in written if weight > 0.0 else ():
                rule = grammar.rules[use.rule].retyped(lhs, [name[slot] for slot in use.slots])
                made.append((rule, weight, 0))
    return SynchronousGrammar.from_rules(made, start=grammar.start, normalise=True)


def _blocks(uses: Mapping[State, Iterable[_Use]]) -> list[list[State]]:
    """Group the states of slots: those of one type that stand in the same contexts are one.

    This minimises a deterministic tree automaton (Brainerd 1968).
    """
    contexts: dict[State, list[tuple[tuple[object, ...], State]]] = defaultdict(list)
    for lhs, made in uses.items():
        for rule, slots in made:
            for at, slot in enumerate(slots):
                if slot in uses:
                    contexts[slot].append(((rule, at, slots[:at], slots[at + 1 :]), lhs))
    block: dict[State, object] = {state: state[0] for state in uses}
    count = -1
    while count != (count := len({*block.values()})):
        found = {s: frozenset((context, block[lhs]) for context, lhs in contexts[s]) for s in uses}
        number: dict[object, int] = {}
        block = {s: number.setdefault((block[s], found[s]), len(number)) for s in uses}
    members: dict[object, list[State]] = defaultdict(list)
    for state in uses:
        if contexts[state]:
            members[block[state]].append(state)
    return list(members.values())


def _masses(
    grammar: SynchronousGrammar, uses: Mapping[State, Iterable[_Use]]
) -> dict[State, float]:
    """Return the probability of all derivations of each state."""
    mass = dict.fromkeys(uses, 0.0)
    for _ in range(_ROUNDS):
        now = {state: sum(_weight(grammar, u, mass) for u in uses[state]) for state in uses}
        moved = max(abs(now[state] - mass[state]) for state in uses)
        mass = now
        if moved < _CLOSE:
            break
    return mass


def _weight(grammar: SynchronousGrammar, use: _Use, mass: Mapping[State, float]) -> float:
    weight = float(grammar.weight[use.rule])
    for slot in use.slots:
        weight *= mass[slot]
    return weight


def _names(
    grammar: SynchronousGrammar, blocks: Iterable[Sequence[State]], tops: AbstractSet[State]
) -> dict[State, str]:
    """Name groups of states: by their type, with letters if it has several groups."""
    of_type: dict[str, list[Sequence[State]]] = defaultdict(list)
    for block in blocks:
        of_type[block[0][0]].append(block)
    letters = ["".join(each) for n in (1, 2, 3) for each in itertools.product(_LETTERS, repeat=n)]
    taken = {*grammar.types}
    name: dict[State, str] = {}
    for symbol, found in of_type.items():
        if len(found) == 1 and (symbol != grammar.start or {*found[0]} == tops):
            names = [symbol]
        else:
            names = [symbol + end for end in letters if symbol + end not in taken][: len(found)]
        taken.update(names)
        for block, each in zip(found, names, strict=True):
            name.update(dict.fromkeys(block, each))
    return name
