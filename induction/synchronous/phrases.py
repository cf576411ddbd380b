"""Rules over phrases: pairs read as arrangements of what the rules so far derive of them.

Where ``kiki dax fep`` has the target ``RED BLUE RED``, and *kiki* and *fep* are known, *dax* is a
function word, and the target is an arrangement of what its arguments stand for, with copies:
``NT_1 dax NT_2 ### NT_1 NT_2 NT_1``. Arguments may be phrases that rules derive, a function may
have no word (``NT_1 NT_2 ### NT_1 NT_2``), and what is read may be a part of a pair.
"""

from __future__ import annotations

import itertools
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from grammar.synchronous.forest import CodedRules, pair_forest
from induction.synchronous.unification import Coded, canonical

__all__ = ["Argument", "arrangements", "covers", "orders"]

_COVERS = 200
"""Ways to divide what begins at one place into arguments and function words, at most."""
_ORDERS = 50
"""Ways to read a target at one place, at most."""
_MOST_COPIES = 8
"""Arguments in a target, at most, each copy counted."""


class Argument(NamedTuple):
    """A span of a source, and what rules say that it stands for."""

    begin: int
    end: int
    target: str


Cover = tuple[Argument, ...]


def arrangements(rules: CodedRules, pair: Coded, *, max_slots: int) -> set[Coded]:
    """Return the rules without words of the target that may make a pair, or a part of it.

    Examples
    --------
    >>> from grammar.synchronous.forest import Coder
    >>> from induction.synchronous.search import coded_rules
    >>> code = Coder()
    >>> words = [(code.words([word]), code.words([word.upper()])) for word in ("walk", "run")]
    >>> pair = code.words("walk after run".split()), code.words(["RUN", "WALK"])
    >>> for rule in sorted(arrangements(coded_rules(words), pair, max_slots=4)):
    ...     print(code.rule(*rule))
    NT_1 after ### NT_1
    NT_1 after NT_2 ### NT_2 NT_1
    after NT_1 ### NT_1
    """
    source, target = pair
    nodes = pair_forest(rules, source, target).nodes
    known = [Argument(begin, end, text) for begin, end, _, text in nodes]
    made: set[Coded] = set()
    for begin in range(len(source)):
        for end, cover in itertools.islice(covers(source, known, begin, max_slots), _COVERS):
            found = orders(cover, target, whole=end - begin == len(source))
            pattern = _pattern(source, begin, end, cover)
            rules_of_cover = (canonical(pattern, order) for order in found)
            made.update(rule for rule in rules_of_cover if rule is not None)
    return made


def covers(
    source: str, known: Iterable[Argument], begin: int, most: int
) -> Iterator[tuple[int, Cover]]:
    """Yield the ends of parts of a source that begin at a place, each with arguments it holds.

    A word that is known by itself is part of an argument, the others may be function words; one
    argument and nothing else is no part.
    """
    starting: dict[int, list[Argument]] = defaultdict(list)
    for argument in known:
        starting[argument.begin].append(argument)

    waiting: list[tuple[int, Cover]] = [(begin, ())]  # sources may be longer than recursion is deep
    while waiting:
        at, cover = waiting.pop()
        if cover and at - begin > cover[0].end - cover[0].begin:
            yield at, cover
        if at < len(source) and all(argument.end > at + 1 for argument in starting[at]):
            waiting.append((at + 1, cover))
        if len(cover) < most:
            waiting += [(one.end, (*cover, one)) for one in reversed(starting[at])]


def orders(cover: Sequence[Argument], target: str, *, whole: bool) -> Iterator[str]:
    """Yield the sequences of arguments, as slots, that make a target, or, if not whole, a part.

    Each argument is used.
    """

    def extended(at: int, order: str) -> Iterator[str]:
        if len(set(order)) == len(cover) and not (whole and at < len(target)):
            yield order
        if len(order) < _MOST_COPIES:
            for slot, argument in enumerate(cover, start=1):
                if target.startswith(argument.target, at):
                    yield from extended(at + len(argument.target), order + chr(slot))

    for at in [0] if whole else range(len(target)):
        yield from itertools.islice(extended(at, ""), _ORDERS)


def _pattern(source: str, begin: int, end: int, cover: Sequence[Argument]) -> str:
    """Return a part of a source with a slot for each argument."""
    pieces, at = [], begin
    for slot, argument in enumerate(cover, start=1):
        pieces += [source[at : argument.begin], chr(slot)]
        at = argument.end
    return "".join([*pieces, source[at:end]])
