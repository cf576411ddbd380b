"""Phrases with a gap, from phrases without (Gazdar et al. 1985).

*That a girl saw*, *that was seen by a girl*: what can stand below a role that binds is what can
stand as a clause, with one thing left out. Where most of the templates with a reference
are explained so, by one type of phrase and the types of what it holds, all templates of that type
may leave out any such thing; and where one holds another phrase of the type, the gap may
be in that. So a clause is learnt once, and its gaps are not learnt one by one.

References
----------
Gazdar, Klein, Pullum & Sag (1985), *Generalized Phrase Structure Grammar*, chapter 7.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field

from grammar.synchronous.rule import Slot, SynchronousRule
from induction.terms.phrase_types import PhraseTypes, Place
from induction.terms.references import GAP
from induction.terms.rules import GAPPED, PHRASE, WORD

__all__ = ["Gaps", "find_gaps"]

Sides = tuple[Slot | str, ...]
Reading = tuple[Sides, Slot]
_LEAST = 0.95
"""Share of the uses of phrases with a gap that have to be explained."""


@dataclass(frozen=True)
class Gaps:
    """What phrases with a gap are made of.

    Attributes
    ----------
    full : dict of Place to Place
        By a slot of a template with a gap, the slot of the one without.
    added : dict of str to Counter of SynchronousRule
        By type, templates that were not seen; each counts once.
    below : dict of Place to str
        Types of the slots of those.
    """

    full: dict[Place, Place] = field(default_factory=dict)
    added: dict[str, Counter[SynchronousRule]] = field(default_factory=dict)
    below: dict[Place, str] = field(default_factory=dict)


def find_gaps(types: PhraseTypes, evidence: int) -> Gaps:
    """Say how phrases with a gap follow from those without, if they do."""
    found = Gaps()
    names = dict.fromkeys(
        types.type_of[t, s.number] for t, s in _phrase_slots(types) if s.symbol == GAPPED
    )
    for name in names:
        seen = Counter({t: n for t, n in types.templates(name).items() if t.lhs == GAPPED})
        whole = _explaining(types, seen, evidence)
        if whole is not None:
            _complete(types, name, seen, whole, found)
    return found


def _phrase_slots(types: PhraseTypes) -> Iterator[tuple[SynchronousRule, Slot]]:
    for template, number in types.fillers:
        yield template, template.slots[number - 1]


def _explaining(
    types: PhraseTypes, seen: Counter[SynchronousRule], evidence: int
) -> tuple[str, set[str]] | None:
    """Return the type of phrase and the types left out that explain most templates, if any do."""
    for name in dict.fromkeys(types.type_of.values()):
        left_out: Counter[str] = Counter()
        explained: Counter[SynchronousRule] = Counter()
        for template in types.templates(name):
            for slot in template.slots:
                made = _without(template, slot)
                if made is not None and made in seen:
                    explained[made] = seen[made]
                    left_out[types.type_of[template, slot.number]] += seen[made]
        if len(explained) >= evidence and explained.total() >= _LEAST * seen.total():
            return name, set(left_out)
    return None


def _without(template: SynchronousRule, slot: Slot) -> SynchronousRule | None:
    """Return the template with a reference for a phrase; None if nothing would be left."""
    if slot.symbol != PHRASE or len(template.source) < 2 or template.lhs != PHRASE:
        return None
    source = tuple(s for s in template.source if s != slot)
    target = tuple(GAP if s == slot else s for s in template.target)
    return SynchronousRule(source, target, GAPPED)


def _inside(template: SynchronousRule, slot: Slot) -> SynchronousRule:
    """Return the template with the gap in the phrase that fills a slot."""
    gapped = Slot(slot.number, GAPPED)
    sides = (
        tuple(gapped if s == slot else s for s in side)
        for side in (template.source, template.target)
    )
    source, target = sides
    return SynchronousRule(source, target, GAPPED)


def _complete(
    types: PhraseTypes,
    name: str,
    seen: Counter[SynchronousRule],
    whole: tuple[str, set[str]],
    found: Gaps,
) -> None:
    clause, left_out = whole
    templates = types.templates(clause)
    made: defaultdict[SynchronousRule, list[tuple[SynchronousRule, Slot]]] = defaultdict(list)
    for template in templates:
        for slot in template.slots:
            kind = types.type_of.get((template, slot.number))
            if kind in left_out and (gapped := _without(template, slot)) is not None:
                made[gapped].append((template, slot))
            if kind == clause:
                made[_inside(template, slot)].append((template, slot))
    # by source, which clause without which thing it is; verbs may give a clause two targets
    readings: defaultdict[Sides, set[Reading]] = defaultdict(set)
    known: defaultdict[Sides, set[Reading]] = defaultdict(set)
    for gapped, origins in made.items():
        found_here = {(template.source, slot) for template, slot in origins}
        readings[gapped.source] |= found_here
        if gapped in seen:
            known[gapped.source] |= found_here
    added: Counter[SynchronousRule] = Counter()
    for gapped, origins in made.items():
        template, slot = origins[0]
        others = (known.get(gapped.source) or readings[gapped.source]) - {(template.source, slot)}
        if gapped not in seen and others:
            continue
        _note(types, gapped, template, slot, name, found)
        if gapped not in seen:
            added[gapped] = 1  # what was seen is preferred
    found.added[name] = added


def _note(
    types: PhraseTypes,
    gapped: SynchronousRule,
    template: SynchronousRule,
    slot: Slot,
    name: str,
    found: Gaps,
) -> None:
    inside = any(s.symbol == GAPPED for s in gapped.slots)
    before = [s for s in template.slots if inside or s != slot]
    for new, old in zip(gapped.slots, before, strict=True):
        found.full[gapped, new.number] = template, old.number
        if new.symbol == GAPPED:
            found.below[gapped, new.number] = name
        elif new.symbol != WORD:
            found.below[gapped, new.number] = types.form_of[template, old.number]
