"""Minimal linked rules of a sentence and its term, after Galley et al. (2004).

Word links say which words a subterm stands for. A subterm is a *frontier* if no word between its
first and its last belongs to something outside it; each frontier gives one rule, in which the
frontiers right below it are slots. A subterm that is written twice for one phrase is one slot,
copied. Linked words are blanked, so that what is left of a rule is a *template*:
``X1 W2 X3 ### W2 ( agent = X1 , theme = X3 )``.

Words without a link (*a*, *was*, *by*, the full stop) may belong to what follows them, to what
precedes them, or to the phrase around both; which it is, is said by word (see
:func:`choose_attachment`).

References
----------
Galley, Hopkins, Knight & Marcu (2004), *What's in a translation rule?*, HLT-NAACL.
"""

from __future__ import annotations

import itertools
import math
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from grammar.synchronous.rule import Slot, SynchronousRule
from induction.terms.alignment import TermPair, WordLexicon
from induction.terms.references import GAP
from induction.terms.terms import Term

__all__ = [
    "GAPPED",
    "PHRASE",
    "TOP",
    "WORD",
    "Attachment",
    "Entry",
    "RuleTree",
    "choose_attachment",
    "linked_rules",
]

TOP = "TOP"
"""The type of a whole pair."""
_ROLE = -1
PHRASE, GAPPED, WORD = "X", "Y", "W"
"""Types of slots in templates: a phrase below, one with a reference to what is outside, a word."""

Attachment = Literal["around", "after", "before"]
"""A word without a link belongs to the phrase around it, to that after it, or to that before it."""
_ATTACHMENTS: tuple[Attachment, ...] = ("around", "after", "before")
Entry = tuple[str, str]
"""A source word and the target word that it stands for."""


@dataclass(frozen=True, slots=True)
class RuleTree:
    """A template as it is used: its blanked words and what is below its phrase slots.

    ``entries`` and ``children`` are by slot number of the template: each slot is in one of them.
    """

    template: SynchronousRule
    entries: Mapping[int, Entry]
    children: Mapping[int, RuleTree]

    def walk(self) -> Iterator[RuleTree]:
        """Yield this use and all below it."""
        yield self
        for child in self.children.values():
            yield from child.walk()


def choose_attachment(pairs: Sequence[TermPair], lexicon: WordLexicon) -> dict[str, Attachment]:
    """Say of every word without a link what it belongs to, for the fewest and shortest templates.

    Words are taken in turn, the most frequent first, each gets what makes the templates of the
    pairs the shortest in all, until nothing changes.

    Notes
    -----
    Two parts, in bits: every symbol of a template costs as much as one of all the symbols that
    there are; and every use of a template costs -log2 of its share among the uses of templates
    with the same source, because the target has to be told from the source. Without the second
    part *was* would go to the phrase before it, and passives would look like actives.
    """
    counts = Counter(w for pair in pairs for w in pair.source if w not in lexicon.target)
    chosen: dict[str, Attachment] = dict.fromkeys(
        sorted(counts, key=lambda w: (-counts[w], w)), "around"
    )
    linked = [linking for pair in pairs if (linking := _Linking(pair, lexicon)).is_certain]
    best = _description_length(linked, chosen)
    changed = True
    while changed:
        changed = False
        for word, option in itertools.product(chosen, _ATTACHMENTS):
            if option == chosen[word]:
                continue
            tried: dict[str, Attachment] = {**chosen, word: option}
            length = _description_length(linked, tried)
            if length < best:
                best, chosen, changed = length, tried, True
    return chosen


def _description_length(linked: Sequence[_Linking], attachment: Mapping[str, Attachment]) -> float:
    uses = Counter(
        use.template for linking in linked for use in _Extraction(linking, attachment).tree().walk()
    )
    symbols = Counter(symbol for rule in uses for symbol in (*rule.source, *rule.target))
    by_source: Counter[tuple[object, ...]] = Counter()
    for rule, n in uses.items():
        by_source[rule.lhs, *rule.source] += n
    choices = sum(n * math.log2(by_source[r.lhs, *r.source] / n) for r, n in uses.items())
    return symbols.total() * math.log2(max(2, len(symbols))) + choices


def linked_rules(
    pair: TermPair, lexicon: WordLexicon, attachment: Mapping[str, Attachment]
) -> RuleTree | None:
    """Take a pair apart into minimal rules.

    Returns
    -------
    RuleTree or None
        None where the links are not certain: a word that names a thing occurs more than once, or
        a target word has not as many source words as it should.
    """
    linking = _Linking(pair, lexicon)
    if not linking.is_certain:
        return None
    return _Extraction(linking, attachment).tree()


class _Linking:
    """The subterms of a pair, numbered in preorder, and the source places linked to them.

    Attributes
    ----------
    same : list of int
        By subterm, the first one that it is a copy of, or itself.
    scope : list of int
        By subterm, the one right below the role that binds references in it; 0 if none does.
    references : list of int
        Subterms that are references.
    below : list of list of (str, int or None)
        Roles and subterm numbers of the arguments.
    label_place : dict of (int, int) to int
        By subterm and place in its label, the source place linked to that word.
    role_place : dict of int to int
        By subterm, the source place linked to its role.
    """

    def __init__(self, pair: TermPair, lexicon: WordLexicon) -> None:
        self.words, self.lexicon = pair.source, lexicon
        self.places: defaultdict[str, list[int]] = defaultdict(list)
        for i, word in enumerate(pair.source):
            if word in lexicon.target:
                self.places[lexicon.target[word]].append(i)
        self.terms: list[Term] = []
        self.same: list[int] = []
        self.below: list[list[tuple[str, int | None]]] = []
        self.scope: list[int] = []
        self.label_place: dict[tuple[int, int], int] = {}
        self.role_place: dict[int, int] = {}
        self._number(pair.term, 0)
        self.references = [i for i, term in enumerate(self.terms) if term.head == GAP]
        self._find_copies()
        self.is_certain = self._link_heads() and self._link_others()

    def _number(self, term: Term, scope: int) -> int:
        number = len(self.terms)
        self.terms.append(term)
        self.scope.append(number if scope < 0 else scope)
        self.same.append(number)
        self.below.append([])
        for argument in term.arguments:
            # what stands below a role that binds has references of its own
            inner = -1 if argument.role.endswith(GAP) else self.scope[number]
            child = None if argument.value is None else self._number(argument.value, inner)
            self.below[number].append((argument.role, child))
        return number

    def _find_copies(self) -> None:
        by_head: defaultdict[str, list[int]] = defaultdict(list)
        for number, term in enumerate(self.terms):
            by_head[term.head].append(number)
        for head, numbers in by_head.items():
            if len(self.places[head]) == 1:
                for number in numbers[1:]:
                    if self.terms[number] == self.terms[numbers[0]]:
                        self._merge(number, numbers[0])

    def _merge(self, copy: int, first: int) -> None:
        self.same[copy] = first
        for (_, a), (_, b) in zip(self.below[copy], self.below[first], strict=True):
            if a is not None and b is not None:
                self._merge(a, b)

    def _link_heads(self) -> bool:
        for number, term in enumerate(self.terms):
            if self.same[number] == number and term.head in self.lexicon.sources:
                if len(self.places[term.head]) != 1:
                    return False
                self.label_place[number, len(term.label) - 1] = self.places[term.head][0]
        # only a leaf may have no word: it is written in the rule of what it is an argument of
        return all(
            len(self.places[term.head]) == 1 or self._is_wordless(term) for term in self.terms
        )

    def _is_wordless(self, term: Term) -> bool:
        return not term.arguments and len(term.label) == 1 and term.head not in self.lexicon.sources

    def _link_others(self) -> bool:
        """Link the words of labels before heads, and roles, in the order of the heads' places."""
        for word, asked in self._others().items():
            if word not in self.lexicon.sources:
                continue
            if len(asked) != len(self.places[word]):
                return False
            for (_, number, k), place in zip(sorted(asked), self.places[word], strict=True):
                if k == _ROLE:
                    self.role_place[number] = place
                else:
                    self.label_place[number, k] = place
        linked = [*self.label_place.values(), *self.role_place.values()]
        return len(set(linked)) == len(linked) == sum(map(len, self.places.values()))

    def _others(self) -> dict[str, list[tuple[int, int, int]]]:
        """Return, by word, the place of the head, the subterm and the place in its label."""
        asked: defaultdict[str, list[tuple[int, int, int]]] = defaultdict(list)
        for number, term in enumerate(self.terms):
            if self.same[number] != number:
                continue
            for k, word in enumerate(term.label[:-1]):
                asked[word].append((self.places[term.head][0], number, k))
            for role, child in self.below[number]:
                if child is not None:
                    places = self.places[self.terms[child].head]
                    asked[role].append((places[0] if places else -1, child, _ROLE))
        return asked


class _Extraction:
    """Frontiers of a linked pair, and their rules."""

    def __init__(self, linking: _Linking, attachment: Mapping[str, Attachment]) -> None:
        self.linking, self.attachment = linking, attachment
        count = len(linking.terms)
        self.own: list[set[int]] = [set() for _ in range(count)]
        for (number, _), place in linking.label_place.items():
            self.own[number].add(place)
        self.all: list[set[int]] = [set() for _ in range(count)]
        for number in reversed(range(count)):
            self._collect(number)
        linked = set().union(*self.own, linking.role_place.values())
        self.frontier = [self._is_frontier(number, linked) for number in range(count)]
        self.owner: dict[int, int] = {}
        self._own_words(0, 0)
        self._attach(sorted(linked))

    def _collect(self, number: int) -> None:
        linking = self.linking
        first = linking.same[number]
        # roles stand in the rule of what they are roles of; those below copies are not linked again
        roles = {linking.role_place.get(c, -1) for _, c in linking.below[first] if c is not None}
        self.own[first] |= roles - {-1}
        below = (self.all[c] for _, c in linking.below[number] if c is not None)
        self.all[number] = self.own[first].union(*below)

    def _is_frontier(self, number: int, linked: set[int]) -> bool:
        own = self.all[number]
        if not own or not self._holds_its_references(number):
            return False
        between = {place for place in linked if min(own) <= place <= max(own)}
        return between == own

    def _holds_its_references(self, number: int) -> bool:
        """Say whether all references to what one of them refers to are in a subterm, or none."""
        linking = self.linking
        scope = linking.scope[number]
        last = number + sum(1 for _ in linking.terms[number].subterms())
        inside = [number <= at < last for at in linking.references if linking.scope[at] == scope]
        return all(inside) or not any(inside)

    def _own_words(self, number: int, frontier: int) -> None:
        """Note for each linked word the frontier in whose rule it stands."""
        linking = self.linking
        if self.frontier[number]:
            frontier = number
        if linking.same[number] != number:
            return
        for place in self.own[number]:
            self.owner[place] = frontier
        for _, child in linking.below[number]:
            if child is not None:
                self._own_words(child, frontier)

    def _attach(self, linked: list[int]) -> None:
        """Give each word without a link to a frontier, or to the whole (-1)."""
        words = self.linking.words
        for left, right in zip([-1, *linked], [*linked, len(words)], strict=True):
            gap = range(left + 1, right)
            kinds = [self.attachment.get(words[i], "around") for i in gap]
            for i, kind in zip(gap, _in_order(kinds), strict=True):
                self.owner[i] = self._owner(left, right, kind)

    def _owner(self, left: int, right: int, kind: Attachment) -> int:
        inside_left, inside_right = left >= 0, right < len(self.linking.words)
        if kind == "after" and inside_right and min(self.all[self.owner[right]]) == right:
            return self.owner[right]
        if kind == "before" and inside_left and max(self.all[self.owner[left]]) == left:
            return self.owner[left]
        if not (inside_left and inside_right):
            return -1
        around = [
            number
            for number, places in enumerate(self.all)
            if self.frontier[number] and min(places) <= left and right <= max(places)
        ]
        return min(around, key=lambda number: (len(self.all[number]), number))

    def tree(self) -> RuleTree:
        mine = [i for i, owner in self.owner.items() if owner == -1]
        if mine and self._is_lifted:  # what is written above a term is the sentence, no phrase
            self.owner.update(dict.fromkeys(mine, 0))
            mine = []
        if not mine:
            return self._rule(0)
        first = min(self.all[0])
        symbols = sorted([*mine, first])
        source = [Slot(1, PHRASE) if i == first else self.linking.words[i] for i in symbols]
        rule = SynchronousRule(tuple(source), (Slot(1, PHRASE),), TOP)
        return RuleTree(rule, {}, {1: self._rule(0)})

    def _rule(self, number: int) -> RuleTree:
        lhs = TOP if number == 0 and -1 not in self.owner.values() else self._kind(number)
        mine = [i for i, owner in self.owner.items() if owner == number]
        below: dict[int, int] = {}
        target = list(self._target(number, number, below))
        slots = sorted([*(i for i in mine if i in self._linked), *below])
        number_of = {place: k for k, place in enumerate(slots, start=1)}
        kinds = {
            p: Slot(k, self._kind(below[p]) if p in below else WORD) for p, k in number_of.items()
        }
        source = [kinds.get(i, self.linking.words[i]) for i in sorted({*mine, *below})]
        made = [kinds[symbol] if isinstance(symbol, int) else symbol for symbol in target]
        words, lexicon = self.linking.words, self.linking.lexicon
        return RuleTree(
            SynchronousRule(tuple(source), tuple(made), lhs),
            {k: (words[p], lexicon.target[words[p]]) for p, k in number_of.items()
             if p not in below},
            {number_of[p]: self._rule(child) for p, child in sorted(below.items())},
        )  # fmt: skip

    def _kind(self, number: int) -> str:
        """Return the type of a phrase: whether what it refers to stands outside of it."""
        linking = self.linking
        last = number + sum(1 for _ in linking.terms[number].subterms())
        outer = any(
            number <= at < last and linking.scope[at] <= number for at in linking.references
        )
        return GAPPED if outer else PHRASE

    @property
    def _is_lifted(self) -> bool:
        return any(role == GAP for role, _ in self.linking.below[0])

    @property
    def _linked(self) -> set[int]:
        return self.all[0]

    def _target(self, number: int, top: int, below: dict[int, int]) -> Iterator[int | str]:
        """Yield the target of a rule, a source place for each slot; note the slots below."""
        linking = self.linking
        first = linking.same[number]
        if first != top and self.frontier[first]:
            place = min(self.all[first])
            below[place] = first
            yield place
            return
        for k, word in enumerate(linking.terms[first].label):
            yield linking.label_place.get((first, k), word)
        for k, (role, child) in enumerate(linking.below[number]):
            yield "," if k else "("
            yield role if child is None else linking.role_place.get(linking.same[child], role)
            if child is not None:
                yield "="
                yield from self._target(child, top, below)
        if linking.below[number]:
            yield ")"


def _in_order(kinds: list[Attachment]) -> list[Attachment]:
    """What belongs to what precedes must come first, and what belongs to what follows last."""
    made = list(kinds)
    for i, kind in enumerate(kinds):
        if kind == "before" and any(k != "before" for k in made[:i]):
            made[i] = "around"
    for i in reversed(range(len(made))):
        if made[i] == "after" and any(k != "after" for k in made[i + 1 :]):
            made[i] = "around"
    return made
