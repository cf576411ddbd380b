"""Words of one family that are of several classes, by the places that have them.

What *set* takes first is a variable, and what *add* takes is any term. So several words that a
place lacks, not by chance, do not stand there, and one does not that several places lack.
"""

from __future__ import annotations

import itertools
import math
from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass

import networkx as nx

from grammar.synchronous.rule import SynchronousRule
from induction.synchronous.division.uses import Place, Use, levels
from induction.synchronous.types import CHANCE, Families

__all__ = ["WordsApart", "classes_of_words", "lacking_words", "words_apart"]

_SEVERAL = 2
"""Words that are missing together, or places that one is missing in, at least, to be of another
class: one may be left out of one place on purpose, so that others tell of it."""
_LIKELY = 0.05
"""What chance explains at most so well is of another class, if there is one."""


def classes_of_words(
    rules: Sequence[SynchronousRule], families: Families, uses: Sequence[Use]
) -> dict[str, Hashable]:
    """Return the class of each word that a rule stands for: its family, and what places lack it.

    Words by which rules of a family differ, such as ``NT_1 around left`` and ``NT_1 around right``,
    are of one class, too.
    """
    lacked: dict[int, list[str]] = defaultdict(list)
    for place, words in lacking_words(rules, families, uses).items():
        for word in words:
            lacked[word].append(repr(place))
    found: dict[str, list[Hashable]] = defaultdict(list)
    for number, rule in enumerate(rules):
        if len(rule.source) == 1 and isinstance(rule.source[0], str):
            found[rule.source[0]].append((families.of_rule[number], *sorted(lacked[number])))
    classes: dict[str, Hashable] = {word: tuple(each) for word, each in found.items()}
    for alike in nx.connected_components(_exchanged(rules, families)):
        known = [classes[word] for word in sorted(alike) if word in classes]
        own = known[0] if known else min(alike)
        classes = dict.fromkeys(alike, own) | classes
    return classes


def _exchanged(rules: Sequence[SynchronousRule], families: Families) -> nx.Graph:
    """Return a graph of the words of rules, in which those of one place in a family are tied."""
    ties = nx.Graph()
    first: dict[tuple[int, int, int], str] = {}
    for rule, family in zip(rules, families.of_rule, strict=True):
        for place, word in enumerate(rule.source if len(rule.source) > 1 else ()):
            if isinstance(word, str):
                key = family, len(rule.source), place
                ties.add_edge(first.setdefault(key, word), word)
    return ties


def lacking_words(
    rules: Sequence[SynchronousRule], families: Families, uses: Sequence[Use]
) -> dict[Place, set[int]]:
    """Return the words of its families that each place lacks, though others have them.

    Several that chance does not explain together are of another class than those that the place
    has. Where classes are known, the whole of one counts. A word that was seen in no place, or is a
    phrase, keeps its family together.
    """
    held: dict[int, dict[Place, Counter[int]]] = defaultdict(lambda: defaultdict(Counter))
    for use in uses:
        for slot, child in enumerate(use.children):
            if not child.children and len(rules[child.rule].source) == 1:
                held[families.of_rule[child.rule]][use.label, slot][child.rule] += 1
    members = Counter(families.of_rule)
    found: dict[Place, set[int]] = defaultdict(set)
    for family, places in held.items():
        whole = sum(places.values(), Counter[int]())
        if len(whole) == members[family]:
            for place, words in places.items():
                found[place] |= _missing(words, whole)
            for word, lacking in _missing_alone(places, whole).items():
                for place in lacking if len(lacking) >= _SEVERAL else ():
                    found[place].add(word)
            for alike in _classes(whole, found):
                for place in _without(alike, places, found) if len(alike) >= _SEVERAL else ():
                    found[place] |= set(alike)
    return found


def _missing_alone(
    places: Mapping[Place, Counter[int]], whole: Counter[int]
) -> dict[int, list[Place]]:
    """Return the places that lack a word, if not by chance."""
    found: dict[int, list[Place]] = defaultdict(list)
    for place, words in places.items():
        for word, count in whole.items():
            if word not in words and (1.0 - count / whole.total()) ** words.total() <= CHANCE:
                found[word].append(place)
    return found


def _without(
    alike: Sequence[int], places: Mapping[Place, Counter[int]], lacking: Mapping[Place, set[int]]
) -> list[Place]:
    """Return the places without a class of words, if not by chance.

    A place alone, or all of its rule together, is compared with those that are not known to lack
    the class.
    """
    together: dict[Hashable, Counter[int]] = defaultdict(Counter)
    usual: Counter[int] = Counter()
    for place, held in places.items():
        together[place[0]] += held
        if lacking.get(place, set()).isdisjoint(alike):
            usual += held
    share = sum(usual[word] for word in alike) / max(usual.total(), 1)
    return [
        place
        for place, held in places.items()
        for words in (held, together[place[0]])
        if words.keys().isdisjoint(alike) and (1.0 - share) ** words.total() <= CHANCE
    ]


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


def _classes(words: Iterable[int], lacking: dict[Place, set[int]]) -> list[list[int]]:
    """Group words by the places that lack them."""
    groups: dict[tuple[Place, ...], list[int]] = defaultdict(list)
    for word in words:
        groups[tuple(place for place, missing in lacking.items() if word in missing)].append(word)
    return list(groups.values())


@dataclass(frozen=True)
class WordsApart:
    """The places of words, and the words that divided rules tell apart.

    ``groups`` has for a slot of a rule that is divided the group of each word, and ``mixed`` are
    places that hold words of several groups.
    """

    places: dict[int, set[Place]]
    groups: dict[Place, dict[int, Hashable]]
    mixed: frozenset[Place]

    def strange(self, place: Place) -> set[int]:
        """Return the words of other groups than those of a place."""
        label, slot = place
        return {
            word
            for within, group in levels(label)
            for word, other in self.groups.get((within, slot), {}).items()
            if other != group
        }


def words_apart(uses: Sequence[Use]) -> WordsApart:
    """Read off the places of words, and the words that divided rules tell apart."""
    places: dict[int, set[Place]] = defaultdict(set)
    held: dict[Place, set[int]] = defaultdict(set)
    words: dict[Place, dict[Hashable, set[int]]] = defaultdict(lambda: defaultdict(set))
    for use in uses:
        for slot, child in enumerate(use.children):
            if not child.children:
                places[child.rule].add((use.label, slot))
                held[use.label, slot].add(child.rule)
                for within, group in levels(use.label):
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
    return WordsApart(places, groups, mixed)
