"""The automaton of a regular expression: a state for each place where it takes a character.

The states and what may follow each are those of Glushkov's construction, over what the standard
library's parser makes of the expression. That several ways lead from one state to another is kept,
as a search that goes back and forth takes them all.
"""

from __future__ import annotations

import importlib
import re
import string
from collections.abc import Iterable, Iterator
from functools import cached_property
from typing import Any

__all__ = ["ALPHABET", "Automaton", "UnreadableError"]

# the parser of the standard library's regular expressions has no public name; Lark uses it too
_PARSER: Any = importlib.import_module("re._parser")
_COMPILER: Any = importlib.import_module("re._compiler")
ALPHABET = string.ascii_letters + string.digits + string.punctuation + " "
"""What a class that leaves characters out stands for."""
_SAMPLES = ALPHABET + "\t\n\r\x0b\x0c\x1c\x85\xa0éÉßªº²½中\u0301\u200d\u2003\U0001f600"
_MOST_STATES, _MOST_EDGES = 5_000, 200_000
_UNREADABLE = {"GROUPREF": "a reference to a group", "GROUPREF_EXISTS": "a condition on a group"}
_OF_ONE = ("LITERAL", "NOT_LITERAL", "IN", "ANY")

Part = tuple[bool, list[int], list[int]]
"""Whether it may be empty, the states that it begins with, and those that it ends with."""


class UnreadableError(Exception):
    """An expression has no such automaton; the text says what in it has none."""


class Automaton:
    """The states of a regular expression.

    Attributes
    ----------
    start : list of int
        The states that take the first character.
    follow : list of dict of int to int
        Of each state, those that may come behind it, and how many ways lead there that a search
        may come back to.
    ends : set of int
        The states that may take the last character.
    empty : bool
        Whether nothing at all is a match.
    exact : bool
        Whether all that the automaton takes is a match: not where the expression looks around,
        or does not go back.
    has_equal_ways : bool
        Whether two alternatives may both be empty, so that nothing tells them apart.
    settled : list of int
        The states in repetitions that are not gone back into.
    inner : list
        The parts (parsed) that a search tries by themselves: what it looks ahead or behind for, and
        what it does not go back into.

    Raises
    ------
    re.error
        If it is no regular expression.
    UnreadableError
        If it refers to its groups, or is too large.
    """

    def __init__(self, expression: str | Any) -> None:
        parsed = _PARSER.parse(expression) if isinstance(expression, str) else expression
        self.flags = parsed.state.flags
        self.nodes: list[Any] = []
        self.follow: list[dict[int, int]] = []
        self.inner: list[Any] = []
        self.exact = True
        self.settled: list[int] = []
        self.has_equal_ways = False
        self._edges, self._is_settled = 0, False
        self.empty, self.start, ends = self._row(parsed)
        self.ends = set(ends)

    @cached_property
    def samples(self) -> list[str]:
        """Of each state, the characters among some of every kind that it takes."""
        signs = dict.fromkeys((*_SAMPLES, *(c for node in self.nodes for c in _named(node))))
        text, known = "".join(signs), dict[str, str]()
        for node in self.nodes:
            if repr(node) not in known:
                takes = self._compiled([node]).match
                known[repr(node)] = "".join(sign for sign in text if takes(sign))
        return [known[repr(node)] for node in self.nodes]

    def characters(self, state: int, *, broad: bool) -> Iterable[str]:
        """Return the characters that a state takes; of an open class those of :data:`ALPHABET`.

        Raises
        ------
        UnreadableError
            If it is open, but not ``broad``.
        """
        kind, value = str(self.nodes[state][0]), self.nodes[state][1]
        if kind == "LITERAL" or (kind == "IN" and _is_closed(value)):
            return _named(self.nodes[state])
        if not broad:
            raise UnreadableError("a class of characters that leaves some out")
        return filter(self._compiled([self.nodes[state]]).match, ALPHABET)

    def runs(self, states: Iterable[int]) -> re.Pattern[str]:
        """Return what finds the longest runs of characters that some of the states take."""
        choice = [(_PARSER.BRANCH, (None, [self._part([self.nodes[s]]) for s in states]))]
        whole = (_PARSER.POSSESSIVE_REPEAT, (1, _PARSER.MAXREPEAT, self._part(choice)))
        return self._compiled([whole])

    def _part(self, nodes: list[Any]) -> Any:
        state = _PARSER.State()
        state.flags = self.flags
        return _PARSER.SubPattern(state, nodes)

    def _compiled(self, nodes: list[Any]) -> re.Pattern[str]:
        found: re.Pattern[str] = _COMPILER.compile(self._part(nodes), self.flags)
        return found

    def _row(self, parts: Iterable[Any]) -> Part:
        empty, first, last = True, list[int](), list[int]()
        for part in parts:
            may_be, begins, ends = self._of(part)
            self._join(last, begins)
            first = [*first, *begins] if empty else first
            last = [*last, *ends] if may_be else ends
            empty = empty and may_be
        return empty, first, last

    def _of(self, part: Any) -> Part:
        kind, value = str(part[0]), part[1]
        if kind in _OF_ONE:
            return self._state(part)
        if kind == "BRANCH":
            ways = [self._row(way) for way in value[1]]
            self.has_equal_ways |= sum(empty for empty, _, _ in ways) > 1
            return (
                any(empty for empty, _, _ in ways),
                [state for _, first, _ in ways for state in first],
                [state for _, _, last in ways for state in last],
            )
        if kind == "SUBPATTERN":
            self.flags |= value[1]
            return self._row(value[3])
        if kind in ("MAX_REPEAT", "MIN_REPEAT"):
            return self._repeated(int(value[0]), value[1], value[2])
        return self._of_kinds_that_are_not_exact(kind, value)

    def _of_kinds_that_are_not_exact(self, kind: str, value: Any) -> Part:
        self.exact = False
        if kind in ("ASSERT", "ASSERT_NOT"):
            self.inner.append(value[1])
            return True, [], []
        if kind in ("ATOMIC_GROUP", "POSSESSIVE_REPEAT"):
            before, self._is_settled = self._is_settled, True
            first = len(self.nodes)
            if kind == "ATOMIC_GROUP":
                self.inner.append(value)
                part = self._row(value)
            else:
                self.inner.append(value[2])
                part = self._repeated(int(value[0]), value[1], value[2])
                self.settled += range(first, len(self.nodes))
            self._is_settled = before
            return part
        if kind in ("AT", "FAILURE"):
            return True, [], []
        raise UnreadableError(_UNREADABLE.get(kind, kind.lower().replace("_", " ")))

    def _repeated(self, least: int, most: Any, repeated: Any) -> Part:
        endless = most is _PARSER.MAXREPEAT
        copies: list[Part] = []
        for number in range(max(least, 1) if endless else int(most)):
            empty, first, last = self._row(repeated)
            copies.append((empty or number >= least, first, last))
        if endless:
            self._join(copies[-1][2], copies[-1][1])
        whole: Part = (True, [], [])
        for empty, first, last in copies:
            self._join(whole[2], first)
            whole = (
                whole[0] and empty,
                [*whole[1], *first] if whole[0] else whole[1],
                [*whole[2], *last] if empty else last,
            )
        return whole

    def _state(self, node: Any) -> Part:
        if len(self.nodes) >= _MOST_STATES:
            raise UnreadableError(f"more than {_MOST_STATES:,} characters in a row")
        self.nodes.append(node)
        self.follow.append({})
        return False, [len(self.nodes) - 1], [len(self.nodes) - 1]

    def _join(self, ends: list[int], begins: list[int]) -> None:
        self._edges += len(ends) * len(begins)
        if self._edges > _MOST_EDGES:
            raise UnreadableError(f"more than {_MOST_EDGES:,} ways from one character to the next")
        for end in ends:
            for begin in begins:
                ways = self.follow[end].get(begin, 0)
                self.follow[end][begin] = ways + (not self._is_settled)


def _is_closed(items: Any) -> bool:
    return all(str(item[0]) in ("LITERAL", "RANGE") for item in items)


def _named(node: Any) -> Iterator[str]:
    """Yield the characters that a literal or a class names; of long ranges the first ones."""
    kind, value = str(node[0]), node[1]
    for item in value if kind == "IN" else (node,):
        name = str(item[0])
        if name in ("LITERAL", "NOT_LITERAL"):
            yield chr(item[1])
        elif name == "RANGE":
            yield from map(chr, range(item[1][0], min(item[1][1], item[1][0] + 500) + 1))
