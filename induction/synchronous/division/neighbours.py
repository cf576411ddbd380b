"""Rules are divided where words would stand beside each other that never do in pairs.

*call* takes a number and *text* takes one, and both may be read as the first part of a sequence:
``NT_1 NT_2 ### NT_1 NT_2`` begins with *text*, or with a digit. In a sentence it begins with a
word, behind *call* with a digit. Classes of words and not words are compared (as in the models of
Brown et al. 1992): a word that was left out of a place on purpose stands where its class does.
"""

from __future__ import annotations

import itertools
from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import TypeVar

import numpy as np

from grammar.arrays import BoolArray, FloatArray
from grammar.synchronous.rule import SynchronousRule
from induction.synchronous.division.uses import ROOT, TOP, Class, Use, relabel
from induction.synchronous.types import CHANCE, Families

__all__ = ["Neighbours", "divide_by_neighbours", "read_neighbours", "strange_neighbours"]

_MOST = 40
"""Divisions, at most."""
_SIDES = (0, 1)
_Key = TypeVar("_Key", bound=Hashable)
_Set = frozenset[Class]


class Neighbours:
    """Which classes of words stand beside each other in sentences.

    Two classes may stand beside each other if they do, or if chance explains that they do not. So
    rare classes may stand everywhere, and only frequent ones are numbered.

    Examples
    --------
    >>> found = Neighbours([["", "call", "digit", "digit", ""]] * 20)
    >>> found.may(["digit"], ["call"]), found.may(["call", "digit"], ["digit", "text"])
    (False, True)
    """

    def __init__(self, sentences: Iterable[Sequence[Class]]) -> None:
        both: Counter[tuple[Class, Class]] = Counter()
        count: Counter[Class] = Counter()
        for sentence in sentences:
            both.update(itertools.pairwise(sentence))
            count.update(sentence)
        most, total = max(count.values(), default=0), max(count.total(), 1)
        frequent = [
            each
            for each, n in count.items()
            if min((1.0 - n / total) ** most, (1.0 - most / total) ** n) <= CHANCE
        ]
        self._number = {each: number for number, each in enumerate(frequent, start=1)}
        often = np.array([0, *(count[each] for each in frequent)], np.float64)
        self._may = (1.0 - often / total) ** often[:, None] > CHANCE
        for pair in both:
            self._may[tuple(map(self._at, pair))] = True

    def _at(self, each: Class) -> int:
        return self._number.get(each, 0)

    def may(self, before: Iterable[Class], behind: Iterable[Class]) -> bool:
        """Say whether one of some classes may stand before one of others."""
        rows, columns = ([*map(self._at, classes)] for classes in (before, behind))
        return bool(self._may[np.ix_(rows, columns)].any())

    def table(self, before: Sequence[_Set], behind: Sequence[_Set]) -> BoolArray:
        """Return :meth:`may` of each of some sets with each of others, as a matrix."""
        one, other = map(self._members, (before, behind))
        return np.asarray(one @ self._may.astype(np.float64) @ other.T > 0.0)

    def _members(self, sets: Sequence[_Set]) -> FloatArray:
        found = np.zeros((len(sets), len(self._may)))
        for row, classes in enumerate(sets):
            found[row, [*map(self._at, classes)]] = 1.0
        return found


def read_neighbours(
    rules: Sequence[SynchronousRule], uses: Sequence[Use], class_of: Mapping[str, Class]
) -> Neighbours:
    """Read the sentences that uses derive, and note the edges of each use and what is beside it.

    ``class_of`` has the classes of words; other words are their own.
    """
    tops = (use for use in uses if use.place == TOP)
    return Neighbours([_read_sentence(top, rules, class_of) for top in tops])


def _read_sentence(
    top: Use, rules: Sequence[SynchronousRule], class_of: Mapping[str, Class]
) -> list[Class]:
    sentence: list[Class] = [""]
    spans: list[tuple[Use, int, int]] = []
    waiting: list[Use | tuple[Use, int] | str] = [top]
    while waiting:
        item = waiting.pop()
        if isinstance(item, str):
            sentence.append(class_of.get(item, item))
        elif isinstance(item, tuple):
            spans.append((*item, len(sentence)))
        else:
            waiting.append((item, len(sentence)))
            waiting += [
                symbol if isinstance(symbol, str) else item.children[symbol.number - 1]
                for symbol in reversed(rules[item.rule].source)
            ]
    sentence.append("")
    for use, begin, end in spans:
        use.edges = sentence[begin], sentence[end - 1]
        use.beside = sentence[begin - 1], sentence[end]
    return sentence


def divide_by_neighbours(uses: Sequence[Use], found: Neighbours) -> None:
    """Divide labels where some uses begin or end with what never stands at a place of others."""
    known: dict[tuple[int, _Set, Class], bool] = {}

    def strange(side: int, beside: _Set, edge: Class) -> bool:
        key = side, beside, edge
        if key not in known:
            known[key] = not (found.may([edge], beside) if side else found.may(beside, [edge]))
        return known[key]

    for _ in range(_MOST):
        of_place = _classes((use.place, use.beside) for use in uses)
        of_label = _classes((use.label, use.edges) for use in uses if use.children)
        cells = dict.fromkeys((use.label, use.place) for use in uses if use.children)
        cuts = (
            (label, side, frozenset(e for e in of_label[label][side] if strange(side, beside, e)))
            for label, place in cells
            for side, beside in zip(_SIDES, of_place[place], strict=True)
        )
        label, side, apart = next((cut for cut in cuts if cut[2]), (None, 0, frozenset()))
        if not apart:
            return
        members = [use for use in uses if use.children and use.label == label]
        relabel(uses, [(use, f"{side} {use.edges[side] in apart}") for use in members])


def strange_neighbours(
    made: Families,
    uses: Sequence[Use],
    family_of: Mapping[tuple[int, Hashable], int],
    found: Neighbours,
) -> BoolArray:
    """Return which family would always bring words beside a slot that never stand there.

    ``family_of`` has the family of a rule with a label. The array has the shape (slots, families).
    """
    filled: list[tuple[int, Use]] = [(ROOT, use) for use in uses if use.place == TOP]
    for use in uses:
        family = family_of[use.rule, use.label]
        filled += enumerate(use.children, start=int(made.first_slot[family]))
    of_slot = _classes([(slot, use.beside) for slot, use in filled])
    of_family = _classes([(family_of[use.rule, use.label], use.edges) for use in uses])
    before, behind = ([beside[side] for beside in of_slot.values()] for side in _SIDES)
    first, last = ([edges[side] for edges in of_family.values()] for side in _SIDES)
    strange = np.zeros((made.slots, len(made.size)), dtype=bool)
    may = found.table(before, first) & found.table(last, behind).T
    strange[np.ix_([*of_slot], [*of_family])] = ~may
    return strange


def _classes(items: Iterable[tuple[_Key, tuple[Class, Class]]]) -> dict[_Key, tuple[_Set, _Set]]:
    """Return the classes on either side, by what they belong to."""
    sets: dict[_Key, tuple[set[Class], set[Class]]] = defaultdict(lambda: (set(), set()))
    for key, classes in items:
        for side in _SIDES:
            sets[key][side].add(classes[side])
    return {key: (frozenset(one), frozenset(other)) for key, (one, other) in sets.items()}
