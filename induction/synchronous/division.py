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

import itertools
import math
from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from grammar.arrays import BoolArray, FloatArray, LongArray
from grammar.rng import stream_key
from grammar.synchronous.forest import PairForest
from grammar.synchronous.grammar import SynchronousGrammar
from grammar.synchronous.rule import SynchronousRule
from induction.synchronous.closure import divided
from induction.synchronous.layers import Apart, layer_types, layered_grammar
from induction.synchronous.types import CHANCE, Families, typed_grammar

__all__ = ["Divided", "divided_rules"]

_UNSEEN = 1e-3
"""Counted for what was not seen in a slot."""
_SHUFFLED = 1_000
"""Shuffles of what stands in two places, none of which may give as many groups."""
_MOST_ROWS = 2_000
"""That are shuffled: of more, an even choice."""
_MOST_EDGES = 400_000
"""Of forests: of more, no rules are divided."""
_MOST_MIXED = 4
"""Places of a rule that may be of several groups, at most."""
_SEVERAL = 2
"""Words that are missing together, at least, to be of another class: one may be left out on
purpose, so that others tell of it."""
_LIKELY = 0.05
"""What chance explains at most so well is of another class, if there is one."""
_ROOT = 0
_TOP = "top"
_PLACE, _MEMBER = -1, 1_000
"""What is compared beside slots: where a use is, and which rule of its family it is of."""


@dataclass(slots=True)
class _Use:
    """One use of a rule in the best derivation of a pair; a word is its own label.

    Uses with the same derivation below them have the same ``tree``, those in the same slot of the
    same derivation the same ``within``.
    """

    label: Hashable
    place: Hashable
    rule: int
    tree: int
    within: tuple[int, int]
    children: list[_Use]


_Place = tuple[Hashable, int]
"""A label of a rule, and a slot."""


class _Column(NamedTuple):
    """What uses of one rule have at one place, none where that does not count."""

    at: int
    values: list[Hashable | None]


class _Rules(NamedTuple):
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
    divided: else only words are.
    """

    before: _Rules
    copies: _Rules
    apart: Apart
    told_apart: bool = False

    def core(self) -> SynchronousGrammar:
        """Return the grammar for sampling, whose types are the layers of slots."""
        rules, families, seen, _ = self.copies
        return layered_grammar(rules, families, seen, self.apart)

    def parsing(self) -> tuple[SynchronousGrammar, int]:
        """Return the grammar for parsing, in which all is possible, and its number of types.

        It has the rules themselves, unless they are told apart.
        """
        rules, families, seen, prior = self.copies if self.told_apart else self.before
        model = layer_types(families, seen, prior, self.apart if self.told_apart else None)
        return typed_grammar(rules, families, model), model.types


def divided_rules(
    rules: Sequence[SynchronousRule],
    families: Families,
    forests: Sequence[PairForest],
    seen: FloatArray,
    prior: FloatArray,
    later: BoolArray,
) -> Divided:
    """Divide rules.

    ``seen`` and ``prior`` are those of :func:`induction.synchronous.layers.settled_children`, and
    ``later`` says what no slot gets that has not been seen there: it applies later than the rule of
    the slot in every order that explains the pairs.
    """
    before = _Rules(rules, families, seen, prior)
    if sum(len(forest.edges) for forest in forests) > _MOST_EDGES:
        return Divided(before, before, Apart(later & (seen == 0), frozenset()))
    counts = seen + _UNSEEN
    share = counts / counts.sum(axis=1, keepdims=True) * prior
    trees: dict[tuple[int, ...], int] = {}
    uses = [use for forest in forests for use in _read_uses(forest, families, share, trees)]
    told_apart = _divide(uses)
    labels = _labels_of_members(uses, families)
    copies = [
        (number, label)
        for number, family in enumerate(families.of_rule)
        for label in ((labels[number] or [family]) if families.arity[family] else [_word(number)])
    ]
    made, counted, apart = _copied(rules, families, uses, copies)
    slots, kinds = _origins(families, made, [rule for rule, _ in copies])
    copied = _Rules([rules[n] for n, _ in copies], made, counted, prior[np.ix_(slots, kinds)])
    unseen = later[np.ix_(slots, kinds)] & (counted == 0)
    apart = apart._replace(kept_out=apart.kept_out | unseen)
    return Divided(before, copied, apart, told_apart)


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


def _labels_of_members(uses: Sequence[_Use], families: Families) -> dict[int, list[Hashable]]:
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
        found[rule] = [
            label
            for label in sorted(every, key=repr)
            if (rule, label) in seen_with
            or not (_by_member(label) or (1.0 - share) ** every[label] <= CHANCE)
        ] or sorted(every, key=repr)
    return found


def _copied(
    rules: Sequence[SynchronousRule],
    families: Families,
    uses: Sequence[_Use],
    copies: Sequence[tuple[int, Hashable]],
) -> tuple[Families, FloatArray, Apart]:
    """Return the families of copies of rules, each with the label of its uses, and their uses."""
    words, lacking = _words_apart(uses), _lacking_words(rules, families, uses)
    made = _parted_words(_families_of_copies(families, words, copies), copies, lacking)
    family_of = dict(zip(copies, made.of_rule, strict=True))
    seen = np.zeros((made.slots, len(made.size)))
    slot_of: dict[_Place, int] = {}
    for use in uses:
        family = family_of[use.rule, use.label]
        if use.place == _TOP:
            seen[_ROOT, family] += 1.0
        first = int(made.first_slot[family])
        for slot, child in enumerate(use.children):
            seen[first + slot, family_of[child.rule, child.label]] += 1.0
            slot_of[use.label, slot] = first + slot
    kept_out = np.zeros(seen.shape, dtype=bool)
    for place, slot in slot_of.items():
        strange = [family_of[word, _word(word)] for word in words.strange(place)]
        kept_out[slot, strange] = seen[slot, strange] == 0
        kept_out[slot, [family_of[word, _word(word)] for word in lacking.get(place, ())]] = True
    mixed = frozenset(slot_of[place] for place in words.mixed)
    return made, seen, Apart(kept_out, mixed)


def _lacking_words(
    rules: Sequence[SynchronousRule], families: Families, uses: Sequence[_Use]
) -> dict[_Place, set[int]]:
    """Return the words of its families that each place lacks, though others have them.

    Several that chance does not explain together are of another class than those that the place
    has. Where classes are known, the whole of one counts. A word that was seen in no place, or is a
    phrase, keeps its family together.
    """
    held: dict[tuple[_Place, int], Counter[int]] = defaultdict(Counter)
    whole: dict[int, Counter[int]] = defaultdict(Counter)
    for use in uses:
        for slot, child in enumerate(use.children):
            if not child.children and len(rules[child.rule].source) == 1:
                family = families.of_rule[child.rule]
                held[(use.label, slot), family][child.rule] += 1
                whole[family][child.rule] += 1
    members = Counter(families.of_rule)
    counted = {key: words for key, words in held.items() if len(whole[key[1]]) == members[key[1]]}
    found: dict[_Place, set[int]] = defaultdict(set)
    for (place, family), words in counted.items():
        found[place] |= _missing(words, whole[family])
    classes = {family: _classes(words, found) for family, words in whole.items()}
    for (place, family), words in counted.items():
        for alike in classes[family]:
            share = sum(whole[family][word] for word in alike) / whole[family].total()
            missing = len(alike) >= _SEVERAL and words.keys().isdisjoint(alike)
            if missing and (1.0 - share) ** words.total() <= CHANCE:
                found[place] |= set(alike)
    return found


def _missing(words: Counter[int], whole: Counter[int]) -> set[int]:
    """Return the words of a family that a place lacks, given what it has, if not by chance.

    The commonest are compared with all choices of as many words, one of which may be missing.
    """
    share = {word: n / whole.total() for word, n in whole.most_common() if word not in words}
    together = itertools.accumulate(share.values())
    for count, each in enumerate(together, start=1):
        chance = math.comb(len(whole), count) * (1.0 - each) ** words.total()
        if count >= _SEVERAL and chance <= CHANCE:
            likely = {w for w, of in share.items() if (1.0 - of) ** words.total() <= _LIKELY}
            return {*itertools.islice(share, count)} | likely
    return set()


def _classes(words: Iterable[int], lacking: dict[_Place, set[int]]) -> list[list[int]]:
    """Group words by the places that lack them."""
    groups: dict[tuple[_Place, ...], list[int]] = defaultdict(list)
    for word in words:
        groups[tuple(place for place, missing in lacking.items() if word in missing)].append(word)
    return list(groups.values())


def _parted_words(
    made: Families, copies: Sequence[tuple[int, Hashable]], lacking: dict[_Place, set[int]]
) -> Families:
    """Divide families of words by the places that lack them."""
    of_word: dict[int, list[str]] = defaultdict(list)
    for place in sorted(lacking, key=repr):
        for word in lacking[place]:
            of_word[word].append(repr(place))
    keys = [
        (family, tuple(of_word[rule]) if label == _word(rule) else ())
        for family, (rule, label) in zip(made.of_rule, copies, strict=True)
    ]
    return Families.of(keys, [int(made.arity[family]) for family in made.of_rule])


def _families_of_copies(
    families: Families, words: _WordsApart, copies: Sequence[tuple[int, Hashable]]
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


@dataclass(frozen=True)
class _WordsApart:
    """The places of words, and the words that divided rules tell apart.

    ``groups`` has for a slot of a rule that is divided the group of each word, and ``mixed`` are
    places that hold words of several groups.
    """

    places: dict[int, set[_Place]]
    groups: dict[_Place, dict[int, Hashable]]
    mixed: frozenset[_Place]

    def strange(self, place: _Place) -> set[int]:
        """Return the words of other groups than those of a place."""
        label, slot = place
        return {
            word
            for within, group in _levels(label)
            for word, other in self.groups.get((within, slot), {}).items()
            if other != group
        }


def _words_apart(uses: Sequence[_Use]) -> _WordsApart:
    places: dict[int, set[_Place]] = defaultdict(set)
    held: dict[_Place, set[int]] = defaultdict(set)
    words: dict[_Place, dict[Hashable, set[int]]] = defaultdict(lambda: defaultdict(set))
    for use in uses:
        for slot, child in enumerate(use.children):
            if not child.children:
                places[child.rule].add((use.label, slot))
                held[use.label, slot].add(child.rule)
                for within, group in _levels(use.label):
                    words[within, slot][group].add(child.rule)
    groups = {
        each: {word: group for group, members in found.items() for word in members}
        for each, found in words.items()
        if len(found) > 1 and sum(map(len, found.values())) == len(set().union(*found.values()))
    }
    mixed = frozenset(
        place
        for place, members in held.items()
        if any(len({of[word] for word in members if word in of}) > 1 for of in groups.values())
    )
    return _WordsApart(places, groups, mixed)


def _levels(label: Hashable) -> Iterator[tuple[Hashable, Hashable]]:
    """Yield what a label divides, and its group, from the last division to the first."""
    while isinstance(label, tuple) and label[0] != "word":
        yield label
        label = label[0]


def _by_member(label: Hashable) -> bool:
    """Say whether a group of a label is one of rules of a family."""
    return any(isinstance(group, tuple) for _, group in _levels(label))


def _word(rule: int) -> Hashable:
    return "word", rule


def _read_uses(
    forest: PairForest,
    families: Families,
    share: FloatArray,
    trees: dict[tuple[int, ...], int],
) -> list[_Use]:
    """Return the uses of rules in the best derivation of a pair, the last one that applies first.

    ``trees`` numbers derivations and is added to.
    """
    kind = [families.of_rule[edge.rule] for edge in forest.edges]
    of_node: dict[int, list[int]] = defaultdict(list)
    score: list[float] = []
    fillers: list[list[int]] = []
    tree: list[int] = []

    def best(slot: int, node: int) -> int:
        return max(of_node[node], key=lambda e: float(share[slot, kind[e]]) * score[e])

    for number, edge in enumerate(forest.edges):
        first = int(families.first_slot[kind[number]])
        filling = [best(first + slot, child) for slot, child in enumerate(edge.children)]
        value = 1.0 / float(families.size[kind[number]])
        for slot, filler in enumerate(filling):
            value *= float(share[first + slot, kind[filler]]) * score[filler]
        score.append(value)
        fillers.append(filling)
        tree.append(trees.setdefault((edge.rule, *(tree[f] for f in filling)), len(trees)))
        of_node[edge.node].append(number)

    def use(edge: int, place: Hashable, within: tuple[int, int]) -> _Use:
        rule = forest.edges[edge].rule
        label = kind[edge] if fillers[edge] else _word(rule)
        return _Use(label, place, rule, tree[edge], within, [])

    top = best(_ROOT, forest.root)
    if score[top] == 0.0:  # too improbable to be told from others
        return []
    uses, edges = [use(top, _TOP, (tree[top], -1))], [top]
    for made, at in zip(uses, edges, strict=False):  # both grow
        for slot, filler in enumerate(fillers[at]):
            made.children.append(use(filler, (kind[at], slot), (tree[at], slot)))
        uses += made.children
        edges += fillers[at]
    return uses


def _divide(uses: Sequence[_Use]) -> bool:
    """Give uses of one rule different labels where they never meet, until none is left."""
    changed = False
    while True:
        of_label: dict[Hashable, list[_Use]] = defaultdict(list)
        for use in uses:
            if use.children:
                of_label[use.label].append(use)
        found = [groups for alike in of_label.values() if (groups := _groups(alike))]
        if not found:
            return changed
        for use, group in itertools.chain.from_iterable(found):
            use.label = (use.label, group)
        for use in uses:
            for slot, child in enumerate(use.children):
                child.place = (use.label, slot)
        changed = True


def _groups(uses: Sequence[_Use]) -> list[tuple[_Use, Hashable]]:
    """Return the groups of uses that two places tell apart; none if there are not two.

    What is said twice is evidence once: a phrase in the same slot of the same phrase, or what is
    within a phrase. First all that stands in two places is compared, then words alone: a phrase
    that may hold the words of either group has their group.
    """
    place, *below = _columns(uses)
    whole = [place, *below]
    if len({use.rule for use in uses}) > 1:
        whole.append(_Column(_MEMBER, [use.rule for use in uses]))
    outside = _Column(_PLACE, [None if _own(use) else use.place for use in uses])
    words = list(_columns_of_words(uses))
    pairs = [
        *itertools.combinations(whole, 2),
        *((outside, column) for column in words),
        *itertools.combinations(words[: len(below)], 2),
    ]
    told = (_told_by(uses, one, other) for one, other in pairs)
    mixed = (
        _told_by(uses, one, other, value)
        for one, other in pairs
        if one.at == _PLACE
        for value in _mixed_values(one)
    )
    return next((groups for groups in itertools.chain(told, mixed) if groups), [])


def _mixed_values(column: _Column) -> list[Hashable]:
    """Return the values of a column that may be of several groups, the most frequent first."""
    counts = Counter(value for value in column.values if value is not None)
    return [value for value, _ in counts.most_common(_MOST_MIXED)] if len(counts) > 2 else []


def _told_by(
    uses: Sequence[_Use], one: _Column, other: _Column, mixed: Hashable = None
) -> list[tuple[_Use, Hashable]]:
    """Return the groups of uses that two columns tell apart, if chance does not explain them.

    A value of the first that is ``mixed`` does not tie any: it is of all groups.
    """
    values = [
        (None if value == mixed else value, at)
        for value, at in zip(one.values, other.values, strict=True)
    ]
    rows = [n for n, v in enumerate(values) if None not in v]
    if not rows:
        return []
    ties = [_numbered(column) for column in zip(*(values[n] for n in rows), strict=True)]
    group = _components(*ties)
    if not group.any():
        return []
    member = _MEMBER in (one.at, other.at)
    said = rows if member else [uses[n].within if one.at == _PLACE else uses[n].tree for n in rows]
    once = set(zip(said, *(tie.tolist() for tie in ties), strict=True))
    if not _unlikely(sorted((a, b) for _, a, b in once)):
        return []
    columns = (_Column(one.at, [value for value, _ in values]), other)
    found = _spread(uses, columns, dict(zip(rows, group.tolist(), strict=True)))
    if found is None:
        return []
    return [(u, (g, _MEMBER) if member else g) for u, g in zip(uses, found, strict=True)]


def _columns(uses: Sequence[_Use]) -> list[_Column]:
    """Return what stands in the places of uses of one rule: where it is, and its slots."""
    rows = [[use.place, *(child.label for child in use.children)] for use in uses]
    return [_Column(at, list(values)) for at, values in enumerate(zip(*rows, strict=True), _PLACE)]


def _columns_of_words(uses: Sequence[_Use]) -> Iterator[_Column]:
    """Yield the words in each slot, and then those in each slot of each phrase in a slot."""
    slots = range(len(uses[0].children))
    for slot in slots:
        yield _Column(slot, [_word_label(use.children[slot]) for use in uses])
    for slot in slots:
        phrases = (use.children[slot] for use in uses if use.children[slot].children)
        arity = {phrase.label: len(phrase.children) for phrase in phrases}
        for label, inner in sorted(arity.items(), key=repr):
            if label == uses[0].label:
                continue
            for below in range(inner):
                yield _Column(slot, [
                    _word_label(use.children[slot].children[below])
                    if use.children[slot].label == label else None
                    for use in uses
                ])  # fmt: skip


def _word_label(use: _Use) -> Hashable | None:
    return None if use.children else use.label


def _own(use: _Use) -> bool:
    """Say whether a use stands in a slot of its own rule."""
    return isinstance(use.place, tuple) and use.place[0] == use.label


def _spread(
    uses: Sequence[_Use], columns: tuple[_Column, _Column], known: dict[int, int]
) -> list[int] | None:
    """Give each use the group of its values; None if one has none.

    Uses in the slot of a use of the same rule have its group.
    """
    group_of: list[dict[Hashable, int]] = [
        {column.values[n]: group for n, group in known.items()} for column in columns
    ]
    found: list[int | None] = []
    for values in zip(*(column.values for column in columns), strict=True):
        groups = [of.get(v) for of, v in zip(group_of, values, strict=True) if v is not None]
        found.append(next((group for group in groups if group is not None), None))
    number = {id(use): n for n, use in enumerate(uses)}
    slot = columns[1].at
    inner = [number.get(id(use.children[slot])) if slot < _MEMBER else None for use in uses]
    for steps in (range(len(uses) - 1, -1, -1), range(len(uses))):
        for n in steps:
            m = inner[n]
            if m is not None:
                found[n] = found[m] if found[n] is None else found[n]
                found[m] = found[n] if found[m] is None else found[m]
    agree = all(m is None or found[n] == found[m] for n, m in enumerate(inner))
    return [g for g in found if g is not None] if agree and None not in found else None


def _numbered(values: Sequence[Hashable]) -> LongArray:
    return np.unique(list(map(repr, values)), return_inverse=True)[1]


def _components(one: LongArray, other: LongArray) -> LongArray:
    """Number the groups of rows that are tied by equal values in either column."""
    first = int(one.max()) + 1
    size = first + int(other.max()) + 1
    ties = coo_array((np.ones(len(one)), (one, first + other)), shape=(size, size))
    _, group = connected_components(ties, directed=False)
    return np.unique(group[one], return_inverse=True)[1]


def _unlikely(rows: Sequence[tuple[int, int]]) -> bool:
    """Say whether no shuffle of what stands in the second place gives as many groups."""
    one, other = np.array(rows[:: 1 + len(rows) // _MOST_ROWS]).T
    groups = int(_components(one, other).max())
    draw = np.random.Generator(np.random.Philox(key=int(stream_key(0, "divided-rules"))))
    return groups > 0 and not any(
        _components(one, draw.permutation(other)).max() >= groups for _ in range(_SHUFFLED)
    )
