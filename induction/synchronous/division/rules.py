"""Rules that stand for several, and classes of words, are divided before layers are made.

A rule may stand for several: of *di chloride* and *di sodium*, one is an anion and the other a
cation, and nothing but the places of ``di NT_1`` says so. So rules are divided (as nonterminals
are split by Petrov et al. 2006, but by a test): where what stands in two places of a rule, or
where the rule stands and what is in it, falls into groups that never meet, and chance does not
explain it. One place may be of all groups: then it is left out of the test.

Words of one class may stand for several, too: what *set* takes first is a variable, and what *add*
takes is any term. So several words that a place lacks, not by chance, do not stand there.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np

from grammar.arrays import BoolArray, FloatArray, LongArray
from grammar.synchronous.forest import PairForest
from grammar.synchronous.grammar import SynchronousGrammar
from grammar.synchronous.neighbours import without_neighbours
from grammar.synchronous.rule import SynchronousRule
from induction.synchronous.closure import divided
from induction.synchronous.division.groups import divide
from induction.synchronous.division.neighbours import Neighbours, read_neighbours
from induction.synchronous.division.uses import (
    ROOT,
    TOP,
    Place,
    Use,
    by_member,
    label_of_word,
    read_uses,
)
from induction.synchronous.division.words import (
    WordsApart,
    classes_of_words,
    lacking_words,
    words_apart,
)
from induction.synchronous.layers import Apart, layer_types, layered_grammar
from induction.synchronous.types import CHANCE, Families, typed_grammar

__all__ = ["Divided", "RuleCounts", "divided_rules"]

_UNSEEN = 1e-3
"""Counted for what was not seen in a slot."""
_MOST_EDGES = 400_000
"""Of forests: of more, no rules are divided."""
_MOST_RULES = 20_000
"""Of the grammar for sampling, where it is divided by neighbours."""


class RuleCounts(NamedTuple):
    """Rules with their families.

    ``seen`` and ``prior`` have the shape (slots, families): how often a family was seen in a slot,
    and how much it counts where it was not.
    """

    rules: Sequence[SynchronousRule]
    families: Families
    seen: FloatArray
    prior: FloatArray


class Divided(NamedTuple):
    """Rules before division, and copies of them after it.

    ``apart`` is what must not be put together of the copies. ``told_apart`` says whether a rule was
    divided: else only words are. ``neighbours`` says which words samples have beside each other.
    """

    before: RuleCounts
    copies: RuleCounts
    apart: Apart
    told_apart: bool = False
    neighbours: Neighbours | None = None

    def core(self, say: Callable[[str], Any]) -> SynchronousGrammar:
        """Return the grammar for sampling, whose types are layers of slots, divided by neighbours.

        If that makes too many rules, samples may have any neighbours, which is said.
        """
        rules, families, seen, _ = self.copies
        core = layered_grammar(rules, families, seen, self.apart)
        if self.neighbours is None:
            return core
        found = without_neighbours(core, *self.neighbours, most=_MOST_RULES)
        if found is None:
            say(f"samples may have any neighbours: to choose takes more than {_MOST_RULES:,} rules")
        return found or core

    def parsing(self) -> tuple[SynchronousGrammar, int]:
        """Return the grammar for parsing, in which all is possible, and its number of types.

        It has the rules themselves, unless they are told apart.
        """
        rules, families, seen, prior = self.copies if self.told_apart else self.before
        model = layer_types(families, seen, prior, self.apart if self.told_apart else None)
        return typed_grammar(rules, families, model), model.types


def divided_rules(
    before: RuleCounts,
    forests: Sequence[PairForest],
    sources: Iterable[Sequence[str]],
    later: BoolArray,
) -> Divided:
    """Divide rules, by the forests of pairs and their sources.

    Counts are those of :func:`induction.synchronous.layers.settled_children`, and ``later`` says
    what no slot gets that has not been seen there: it applies later than the rule of the slot in
    every order that explains the pairs.
    """
    rules, families, seen, prior = before
    if sum(len(forest.edges) for forest in forests) > _MOST_EDGES:
        return Divided(before, before, Apart(later & (seen == 0), frozenset()))
    counts = seen + _UNSEEN
    share = counts / counts.sum(axis=1, keepdims=True) * prior
    trees: dict[tuple[int, ...], int] = {}
    uses = [use for forest in forests for use in read_uses(forest, families, share, trees)]
    told_apart = divide(uses)
    neighbours = read_neighbours(sources, classes_of_words(rules, families, uses))
    labels = _labels_of_members(uses, families)
    copies = [
        (number, label)
        for number, family in enumerate(families.of_rule)
        for label in (labels[number] if families.arity[family] else [label_of_word(number)])
    ]
    made, counted, apart = _copied(rules, families, uses, copies)
    slots, kinds = _origins(families, made, [rule for rule, _ in copies])
    copied = RuleCounts([rules[n] for n, _ in copies], made, counted, prior[np.ix_(slots, kinds)])
    unseen = later[np.ix_(slots, kinds)] & (counted == 0)
    apart = apart._replace(kept_out=apart.kept_out | unseen)
    return Divided(before, copied, apart, told_apart, neighbours)


def _origins(
    families: Families, made: Families, rules: Sequence[int]
) -> tuple[LongArray, LongArray]:
    """Return which slot each slot of copies of rules was, and which family each family."""
    slots, kinds = np.zeros(made.slots, np.int64), np.zeros(len(made.size), np.int64)
    for family, rule in zip(made.of_rule, rules, strict=True):
        kinds[family] = families.of_rule[rule]
        first, count = int(made.first_slot[family]), int(made.arity[family])
        own = int(families.first_slot[kinds[family]])
        slots[first : first + count] = range(own, own + count)
    return slots, kinds


def _labels_of_members(uses: Sequence[Use], families: Families) -> dict[int, list[Hashable]]:
    """Return the labels of each rule: those of its family, but for what it does not take part in.

    Of a label with which a rule was not seen, it takes part if the label does not tell members of
    the family apart, and if chance explains that it was not seen.
    """
    of_label: dict[int, Counter[Hashable]] = defaultdict(Counter)
    of_rule: Counter[int] = Counter(use.rule for use in uses)
    seen_with = {(use.rule, use.label) for use in uses}
    for use in uses:
        of_label[families.of_rule[use.rule]][use.label] += 1
    found: dict[int, list[Hashable]] = {}
    for rule, family in enumerate(families.of_rule):
        every = of_label[family]
        share = of_rule[rule] / max(every.total(), 1)
        found[rule] = (
            [
                label
                for label in sorted(every, key=repr)
                if (rule, label) in seen_with
                or not (by_member(label) or (1.0 - share) ** every[label] <= CHANCE)
            ]
            or sorted(every, key=repr)
            or [family]
        )
    return found


def _copied(
    rules: Sequence[SynchronousRule],
    families: Families,
    uses: Sequence[Use],
    copies: Sequence[tuple[int, Hashable]],
) -> tuple[Families, FloatArray, Apart]:
    """Return the families of copies of rules, each with the label of its uses, and their uses."""
    words, lacking = words_apart(uses), lacking_words(rules, families, uses)
    made = _parted_words(_families_of_copies(families, words, copies), copies, lacking)
    family_of = dict(zip(copies, made.of_rule, strict=True))
    seen = np.zeros((made.slots, len(made.size)))
    slot_of: dict[Place, int] = {}
    for use in uses:
        family = family_of[use.rule, use.label]
        if use.place == TOP:
            seen[ROOT, family] += 1.0
        first = int(made.first_slot[family])
        for slot, child in enumerate(use.children):
            seen[first + slot, family_of[child.rule, child.label]] += 1.0
            slot_of[use.label, slot] = first + slot
    kept_out = np.zeros(seen.shape, dtype=bool)
    for place, slot in slot_of.items():
        strange = [family_of[word, label_of_word(word)] for word in words.strange(place)]
        kept_out[slot, strange] = seen[slot, strange] == 0
        kept_out[
            slot, [family_of[word, label_of_word(word)] for word in lacking.get(place, ())]
        ] = True
    mixed = frozenset(slot_of[place] for place in words.mixed)
    return made, seen, Apart(kept_out, mixed)


def _parted_words(
    made: Families, copies: Sequence[tuple[int, Hashable]], lacking: dict[Place, set[int]]
) -> Families:
    """Divide families of words by the places that lack them."""
    of_word: dict[int, list[str]] = defaultdict(list)
    for place in sorted(lacking, key=repr):
        for word in lacking[place]:
            of_word[word].append(repr(place))
    keys = [
        (family, tuple(of_word[rule]) if label == label_of_word(rule) else ())
        for family, (rule, label) in zip(made.of_rule, copies, strict=True)
    ]
    return Families.of(keys, [int(made.arity[family]) for family in made.of_rule])


def _families_of_copies(
    families: Families, words: WordsApart, copies: Sequence[tuple[int, Hashable]]
) -> Families:
    """Divide families of words by the places of divided rules.

    A word that was seen in no place stands for itself alone in the pairs, so which places it has
    is unknown: it has all those of its family, and keeps the family together. A place that holds
    words of several groups does not say that they are of one class.
    """
    numbers: dict[Hashable, int] = {}
    places: dict[int, set[int]] = defaultdict(set)
    of_family: dict[int, set[int]] = defaultdict(set)
    for word, found in words.places.items():
        for place in sorted(found - words.mixed or found, key=repr):
            number = numbers.setdefault(place, len(numbers))
            places[word].add(number)
            of_family[families.of_rule[word]].add(number)
    keys, slots = [], []
    for rule, label in copies:
        family = families.of_rule[rule]
        word = not families.arity[family]
        keys.append(("word", str(family)) if word else ("rule", repr(label)))
        slots.append(sorted(places[rule] or of_family[family]) if word else [0])
    arities = [int(families.arity[families.of_rule[rule]]) for rule, _ in copies]
    return Families.of(divided(keys, slots), arities)
