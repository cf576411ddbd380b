"""Rules that a search may add: by comparison, and as arrangements of phrases.

**Comparison.** Where *walk the dog* and *run the dog* have the targets ``DOG WALK`` and
``DOG RUN``, neither part need have been seen alone: anti-unification (Plotkin 1970; for pairs of
texts, Lake et al. 2019 and Andreas 2020 use the same evidence) gives the context
``NT_1 the dog ### DOG NT_1`` with the fillers ``walk ### WALK`` and ``run ### RUN``.

**Arrangements.** Where ``kiki dax fep`` has the target ``RED BLUE RED``, and *kiki* and *fep* are
known, *dax* is a function word, and the target is an arrangement of what its arguments stand for,
with copies: ``NT_1 dax NT_2 ### NT_1 NT_2 NT_1``. Arguments may be phrases that rules derive, a
function may have no word (``NT_1 NT_2 ### NT_1 NT_2``), and what is read may be a part of a pair.
"""

from __future__ import annotations

import itertools
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from grammar.synchronous.forest import CodedRules, pair_nodes
from induction.synchronous.unification import Coded, canonical, has_slot, has_word

__all__ = ["Argument", "Proposal", "arrangements", "covers", "orders", "propose", "shared_contexts"]

_HOLE = "\xff"
_COMPARED = 12
"""Neighbours in a group that are compared, to find how their targets differ."""
_MOST_COPIES = 6
_TEMPLATES = 3

Template = tuple[str, ...]
"""What stands before, between and behind the copies of what differs."""


class Proposal(NamedTuple):
    """A context, and the filler with which it makes each of some rules."""

    context: Coded
    fillers: dict[Coded, Coded]


def propose(rules: Iterable[Coded]) -> Iterator[Proposal]:
    """Yield every context that several rules share, with at least two different fillers.

    Fillers have no slots, and contexts keep a part of the source and a part of the target. What
    targets have in common beside the place where they differ belongs to the context.

    Examples
    --------
    >>> from grammar.synchronous.forest import Coder
    >>> code = Coder()
    >>> walk, run = (code.words([verb, "the", "dog"]) for verb in ("walk", "run"))
    >>> pairs = [(walk, code.words(["DOG", "WALK"])), (run, code.words(["DOG", "RUN"]))]
    >>> for found in propose(pairs):
    ...     print(code.rule(*found.context), "|", *(code.rule(*f) for f in found.fillers.values()))
    NT_1 the dog ### DOG NT_1 | walk ### WALK run ### RUN
    NT_1 dog ### DOG NT_1 | walk the ### WALK run the ### RUN
    """
    groups: dict[Coded, list[tuple[str, Coded]]] = defaultdict(list)
    for rule in sorted(rules):
        source = rule[0]
        for begin in range(len(source)):
            for end in range(begin + 1, len(source) + 1):
                if has_slot(source[end - 1]):
                    break
                if end - begin != len(source):
                    groups[source[:begin], source[end:]].append((source[begin:end], rule))
    for (before, behind), members in groups.items():
        if len(members) > 1:
            for template in _templates([rule[1] for _, rule in members]):
                made = _proposal(before + _HOLE + behind, template, members)
                if made is not None:
                    yield made


def shared_contexts(rules: Iterable[Coded]) -> Iterator[Proposal]:
    r"""Yield every context that several rules with slots share, with fillers that have slots, too.

    Examples
    --------
    >>> from grammar.synchronous.forest import Coder
    >>> code = Coder()
    >>> show, first, of, last, head, tail = code.words("show first of last head tail".split())
    >>> rules = [(show + first + "\x01" + of + "\x02", "\x02" + head + "\x01"),
    ...     (show + last + "\x01" + of + "\x02", "\x02" + tail + "\x01")]
    >>> found = {str(code.rule(*each.context)): each.fillers for each in shared_contexts(rules)}
    >>> for filler in found["show NT_1 ### NT_1"].values():
    ...     print(code.rule(*filler))
    first NT_1 of NT_2 ### NT_2 head NT_1
    last NT_1 of NT_2 ### NT_2 tail NT_1
    """
    groups: dict[Coded, dict[Coded, Coded]] = defaultdict(dict)
    for rule in sorted(rule for rule in rules if has_slot(rule[0])):
        for context, filler in _divisions(rule):
            groups[context].setdefault(rule, filler)
    for context, fillers in groups.items():
        if len(set(fillers.values())) > 1:
            yield Proposal(context, fillers)


def _divisions(rule: Coded) -> Iterator[tuple[Coded, Coded]]:
    """Yield contexts and fillers, both with words on both sides, that make a rule."""
    source, target = rule
    spans = list(itertools.combinations(range(len(target) + 1), 2))
    for begin, end in itertools.combinations(range(len(source) + 1), 2):
        part, rest = source[begin:end], source[:begin] + _HOLE + source[end:]
        inner = set(filter(has_slot, part))
        if not has_word(part) or not has_word(rest):
            continue
        for first, last in spans:
            text = target[first:last]
            around = target.replace(text, _HOLE)
            if has_word(text) and inner.isdisjoint(around) and set(filter(has_slot, text)) == inner:
                context, filler = canonical(rest, around), canonical(part, text)
                if context is not None and filler is not None:
                    yield context, filler


def _proposal(
    source: str, template: Template, members: Sequence[tuple[str, Coded]]
) -> Proposal | None:
    """Fit a template to all members of a group; None if it fits fewer than two, or is empty."""
    context = canonical(source, _HOLE.join(template))
    if context is None or not any(template):
        return None
    fitted = ((rule, part, _filling(rule[1], template)) for part, rule in members)
    fillers = {rule: (part, found) for rule, part, found in fitted if found}
    return Proposal(context, fillers) if len(set(fillers.values())) > 1 else None


def _templates(targets: Sequence[str]) -> list[Template]:
    """Return the ways in which most neighbours differ."""
    votes: Counter[Template] = Counter()
    step = max(1, len(targets) // _COMPARED)
    for one, other in list(pairwise(targets))[::step]:
        votes.update(set(_differences(one, other)))
    return [template for template, _ in sorted(votes.items(), key=lambda v: (-v[1], v[0]))][
        :_TEMPLATES
    ]


def _differences(one: str, other: str) -> Iterator[Template]:
    """Yield templates of which both texts are made, by different fillings."""
    if one == other:
        return
    begin, end = _common(one, other), _common(one[::-1], other[::-1])
    end = min(end, min(len(one), len(other)) - begin)
    if begin + end < min(len(one), len(other)):
        yield one[:begin], one[len(one) - end :]
    for copies in range(2, _MOST_COPIES + 1):
        longer, rest = divmod(len(one) - len(other), copies)
        for width in range(max(1, 1 + longer), (len(one) - begin) // copies + 1):
            if not rest:
                found = _repeated(one, other, begin, (width, width - longer))
                if found is not None and len(found) == copies + 1:
                    yield found


def _repeated(one: str, other: str, begin: int, widths: tuple[int, int]) -> Template | None:
    """Read both texts together, with the fillings that stand at a place; None if they differ."""
    i = j = begin
    first, second = one[i : i + widths[0]], other[j : j + widths[1]]
    runs = [one[:begin]]
    while i < len(one) and j < len(other):
        if one.startswith(first, i) and other.startswith(second, j):
            i, j = i + len(first), j + len(second)
            runs.append("")
        elif one[i] == other[j]:
            runs[-1] += one[i]
            i, j = i + 1, j + 1
        else:
            return None
    return tuple(runs) if (i, j) == (len(one), len(other)) else None


def _filling(target: str, template: Template) -> str | None:
    """Return what stands in all places of a template: the same, not empty, and without slots."""
    width, rest = divmod(len(target) - sum(map(len, template)), len(template) - 1)
    found = target[len(template[0]) : len(template[0]) + width]
    if rest or width < 1 or has_slot(found) or found.join(template) != target:
        return None
    return found


def _common(one: str, other: str) -> int:
    """Return the length of the common beginning."""
    for place, (a, b) in enumerate(zip(one, other, strict=False)):
        if a != b:
            return place
    return min(len(one), len(other))


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
    nodes = pair_nodes(rules, source, target)
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
