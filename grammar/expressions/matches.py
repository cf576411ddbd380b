"""The shortest matches of a regular expression, found within a number of steps."""

from __future__ import annotations

import heapq
import itertools
import re
from collections.abc import Iterator

from grammar.expressions.positions import Automaton, UnreadableError
from grammar.expressions.searching import Search

__all__ = ["is_match", "list_matches", "shortest_matches"]

_MOST_STEPS = 100_000
_LONGEST = 40
_UNREACHABLE = 1 << 30


def list_matches(expression: str, most: int) -> list[str]:
    """Return all matches of a regular expression, the shortest first.

    The list is empty where there are more than ``most``, or there is no saying what all are:
    repetitions without end, classes such as ``\\w`` or ``[^a]``.

    >>> list_matches("(un)?do(ne|ing)?", 100)
    ['do', 'done', 'undo', 'doing', 'undone', 'undoing']
    >>> list_matches(r"[a-z]\\w*", 100)
    []
    """
    try:
        automaton = Automaton(expression)
        found = _accepted(automaton, expression, broad=False)
        matches = list(itertools.islice(found, most + 1))
    except (UnreadableError, _StepsError, re.error):
        return []
    return matches if len(matches) <= most else []


def shortest_matches(expression: str, most: int) -> list[str]:
    """Return up to ``most`` of the shortest matches, of open classes those of ASCII.

    There are fewer, or none, where others would take too many steps to find.

    Raises
    ------
    UnreadableError
        If the expression holds what cannot be searched: a reference to a group.

    Examples
    --------
    >>> shortest_matches(r"\\d+x", 2), shortest_matches(r"(\\r?\\n)+\\s*", 2)
    (['0x', '1x'], ['\\n', '\\r\\n'])
    >>> shortest_matches(r"a.*?(?<!b)c", 2)
    ['ac', 'aac']
    """
    found: list[str] = []
    try:
        for match in itertools.islice(
            _accepted(Automaton(expression), expression, broad=True), most
        ):
            found.append(match)
    except _StepsError:
        pass
    return found


def is_match(expression: str, text: str) -> bool | None:
    """Say whether the whole of a text is a match; None if that may take too many steps."""
    try:
        search = Search(Automaton(expression))
    except UnreadableError:
        return None
    return re.fullmatch(expression, text) is not None if search.can_take(text) else None


class _StepsError(Exception):
    """The steps that there may be are used up."""


def _accepted(automaton: Automaton, expression: str, *, broad: bool) -> Iterator[str]:
    """Yield what the automaton takes, the shortest first, if it is a match.

    What is looked at next is what may become the shortest; of that what goes on from no other
    match, as a quote behind a quote that closes; and of that the longest, so that of many
    beginnings one is followed to its end.
    """
    search = None if automaton.exact else Search(automaton)
    rest = _distances(automaton)
    signs = [list(automaton.characters(s, broad=broad)) for s in range(len(automaton.nodes))]
    numbers = itertools.count()
    waiting = [(0, False, 0, next(numbers), "", tuple(automaton.start), automaton.empty)]
    while waiting:
        _, longer, _, _, text, states, ends = heapq.heappop(waiting)
        soon = search is None or search.can_take(text, _MOST_STEPS)
        if ends and soon and (search is None or re.fullmatch(expression, text)):
            yield text
        if len(text) >= _LONGEST:
            if not broad and states:
                raise _StepsError
            continue
        taken: dict[str, list[int]] = {}
        for state in states:
            for sign in signs[state]:
                taken.setdefault(sign, []).append(state)
        for sign, by in taken.items():
            number = next(numbers)
            if number > _MOST_STEPS:
                raise _StepsError
            over = any(state in automaton.ends for state in by)
            behind = tuple(dict.fromkeys(q for state in by for q in automaton.follow[state]))
            least = 0 if over else min((rest[q] for q in behind), default=_UNREACHABLE)
            if least < _UNREACHABLE:
                size = len(text) + 1
                entry = (
                    size + least,
                    broad and (longer or ends),
                    -size,
                    number,
                    text + sign,
                    behind,
                    over,
                )
                heapq.heappush(waiting, entry)


def _distances(automaton: Automaton) -> list[int]:
    """Return of each state how many characters a match has at least from it on."""
    before: list[list[int]] = [[] for _ in automaton.nodes]
    for state, following in enumerate(automaton.follow):
        for after in following:
            before[after].append(state)
    found = [_UNREACHABLE] * len(automaton.nodes)
    front = sorted(automaton.ends)
    distance = 1
    while front:
        for state in front:
            found[state] = distance
        distance += 1
        front = list({p for s in front for p in before[s] if found[p] == _UNREACHABLE})
    return found
