"""Rules by comparison: what is left where pairs differ in one place, on both sides.

Where *walk the dog* and *run the dog* have the targets ``DOG WALK`` and ``DOG RUN``, neither part
need have been seen alone: anti-unification (Plotkin 1970; for pairs of texts, Lake et al. 2019 and
Andreas 2020 use the same evidence) gives the context ``NT_1 the dog ### DOG NT_1`` with the fillers
``walk ### WALK`` and ``run ### RUN``.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from induction.synchronous.unification import Coded, canonical, has_slot

__all__ = ["Proposal", "propose"]

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
