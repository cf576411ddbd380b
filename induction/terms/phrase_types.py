"""Types of phrases: slots of templates that may hold the same.

Slots that share two fillers or more have one type. Within a type, slots may differ in the *forms*
of the words that they want: below *did* stands *like*, below *that* stands *liked*, and the rest of
the clause is the same. Such slots hold the same templates, with other forms of the words.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence

import networkx as nx

from grammar.synchronous.rule import Slot, SynchronousRule
from induction.terms.rules import TOP, WORD, Entry, RuleTree

__all__ = ["PhraseTypes", "Place", "head_slot", "seen_templates"]

Place = tuple[SynchronousRule, int]
"""A slot of a template."""
_SAME_FORM = 0.5
"""Share of the words of two slots that must have the same form for the slots to be alike."""


def head_slot(template: SynchronousRule) -> int:
    """Return the number of the word that is the head of a template's target; 0 if none is.

    >>> head_slot(SynchronousRule.parse("X -> W_1 W_2 ### W_1 W_2 ( a = W_2 )"))
    1
    """
    return next((s.number for s in template.target if isinstance(s, Slot) and s.symbol == WORD), 0)


class PhraseTypes:
    """Types of slots, and what fills each.

    Attributes
    ----------
    whole : Counter of SynchronousRule
        Templates of whole pairs.
    fillers : dict of Place to Counter of SynchronousRule
        Templates in each slot.
    type_of : dict of Place to str
        ``P1``, ``P2``, ...
    form_of : dict of Place to str
        The same, but for slots that want other forms, which have ``P3a``, ``P3b``, ...
    other_forms : set of str
        Those.
    """

    def __init__(self, trees: Sequence[RuleTree], evidence: int) -> None:
        self.fillers: defaultdict[Place, Counter[SynchronousRule]] = defaultdict(Counter)
        self.whole: Counter[SynchronousRule] = Counter()
        heads: defaultdict[Place, defaultdict[SynchronousRule, set[Entry]]] = defaultdict(
            lambda: defaultdict(set)
        )
        for tree in trees:
            self.whole[tree.template] += 1
            for use in tree.walk():
                for slot, child in use.children.items():
                    place = use.template, slot
                    self.fillers[place][child.template] += 1
                    if head := child.entries.get(head_slot(child.template)):
                        heads[place][child.template].add(head)
        self.type_of = self._types(evidence)
        self.form_of = self._forms(heads, evidence)
        self.other_forms = set(self.form_of.values()) - set(self.type_of.values())

    def templates(self, name: str) -> Counter[SynchronousRule]:
        """Return what fills the slots of a type."""
        found: Counter[SynchronousRule] = Counter()
        for place, kind in self.type_of.items():
            if kind == name:
                found.update(self.fillers[place])
        return found

    def forms(self, name: str) -> list[str]:
        """Return the types into which a type is split by forms, the plain one first."""
        return sorted({self.form_of[p] for p, kind in self.type_of.items() if kind == name})

    def seen(self, form: str) -> Counter[SynchronousRule]:
        """Return what fills the slots of a form."""
        found: Counter[SynchronousRule] = Counter()
        for place, kind in self.form_of.items():
            if kind == form:
                found.update(self.fillers[place])
        return found

    def unseen(self, name: str, form: str) -> list[SynchronousRule]:
        """Return the templates of a type that one of its forms was not seen with."""
        seen = self.seen(form)
        return [template for template in self.templates(name) if template not in seen]

    def _types(self, evidence: int) -> dict[Place, str]:
        places = sorted(self.fillers, key=lambda p: (-self.fillers[p].total(), str(p)))
        alike = nx.Graph()
        alike.add_nodes_from(places)
        for i, a in enumerate(places):
            for b in places[:i]:
                shared = len(self.fillers[a].keys() & self.fillers[b].keys())
                # a slot that has only ever been filled in few ways cannot share more
                few = min(evidence, len(self.fillers[a]), len(self.fillers[b]))
                if shared >= few:
                    alike.add_edge(a, b)
        groups = sorted(nx.connected_components(alike), key=lambda g: min(map(places.index, g)))
        return {place: f"P{n}" for n, group in enumerate(groups, start=1) for place in group}

    def _forms(
        self,
        heads: dict[Place, defaultdict[SynchronousRule, set[Entry]]],
        evidence: int,
    ) -> dict[Place, str]:
        made = dict(self.type_of)
        for name in dict.fromkeys(self.type_of.values()):
            members = [place for place, kind in self.type_of.items() if kind == name]
            members.sort(key=lambda p: (-self.fillers[p].total(), str(p)))
            differ = nx.Graph()
            alike = nx.Graph()
            alike.add_nodes_from(members)
            for i, a in enumerate(members):
                for b in members[:i]:
                    verdict = _same_form(heads[a], heads[b], evidence)
                    if verdict is not None:
                        (alike if verdict else differ).add_edge(a, b)
            first, *others = (
                [p for p in members if p in group]
                for group in sorted(
                    nx.connected_components(alike), key=lambda g: min(map(members.index, g))
                )
            )
            letters = iter("abcdefgh")
            for group in others:
                if any(differ.has_edge(p, q) for p in group for q in first):
                    made.update(dict.fromkeys(group, f"{name}{next(letters)}"))
        return made


def _same_form(
    a: dict[SynchronousRule, set[Entry]], b: dict[SynchronousRule, set[Entry]], evidence: int
) -> bool | None:
    """Say whether words in templates that two slots share have the same forms; None if unknown."""
    same = other = 0
    for template in a.keys() & b.keys():
        lemmas = {v for _, v in a[template]} & {v for _, v in b[template]}
        agreeing = {v for _, v in a[template] & b[template]}
        same += len(lemmas & agreeing)
        other += len(lemmas - agreeing)
    return None if same + other < evidence else same >= _SAME_FORM * (same + other)


def seen_templates(types: PhraseTypes) -> Iterator[tuple[str, SynchronousRule, int]]:
    """Yield (type, template, count) of all that was seen."""
    yield from ((TOP, template, n) for template, n in types.whole.items())
    for place, counts in types.fillers.items():
        yield from ((types.form_of[place], template, n) for template, n in counts.items())
