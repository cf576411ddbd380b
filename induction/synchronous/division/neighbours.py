"""Words that never stand beside each other in sentences, though chance does not explain it.

*extension* stands before a digit and *double* does, but ``extension double`` is in no sentence.
Kinds of words and not words are compared (as in the models of Brown et al. 1992): a word that was
left out of a place on purpose stands where its kind does. Where words of two kinds are beside each
other in groups that never meet, such as *colour* before *red* and *blue*, and *size* before *two*,
those of different groups do not stand beside each other, either.
"""

from __future__ import annotations

import itertools
from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from grammar.arrays import BoolArray
from induction.synchronous.division.groups import groups_apart
from induction.synchronous.types import CHANCE

__all__ = ["Neighbours", "read_neighbours"]

Pair = tuple[str, str]
Kinds = tuple[Hashable, Hashable]
Groups = dict[Kinds, tuple[dict[str, int], dict[str, int]]]
"""Of two kinds, the groups of words of the first one and of the second one."""


class Neighbours(NamedTuple):
    """Which words may stand beside each other.

    ``class_of`` has the number of the class of each word, and of the empty text, which is before
    and behind a sentence. Rare words have class 0. ``may`` has the shape (classes, classes):
    whether a word of one may stand before a word of the other.
    """

    class_of: Mapping[str, int]
    may: BoolArray


def read_neighbours(
    sentences: Iterable[Sequence[str]], kind_of: Mapping[str, Hashable]
) -> Neighbours:
    """Read which words may stand beside each other.

    Those of two kinds may if some do, or if chance explains that none do; but not those of groups
    that never meet.

    Parameters
    ----------
    sentences : iterable of sequence of str
        Their words.
    kind_of : mapping of str to hashable
        Kinds of words; another word is its own kind.

    Examples
    --------
    >>> found = read_neighbours([["call", "one", "two"], ["call", "two", "one"]] * 20, {})
    >>> call, one = found.class_of["call"], found.class_of["one"]
    >>> bool(found.may[call, one]), bool(found.may[one, call])
    (True, False)
    """
    bounded = [["", *sentence, ""] for sentence in sentences]
    kind = {word: kind_of.get(word, word) for word in sorted({"", *itertools.chain(*bounded)})}
    count = Counter(kind[word] for sentence in bounded for word in sentence)
    beside: dict[Kinds, list[Pair]] = defaultdict(list)
    for before, behind in itertools.chain.from_iterable(map(itertools.pairwise, bounded)):
        beside[kind[before], kind[behind]].append((before, behind))
    groups = _groups(beside)
    most = max(count.values(), default=0)

    def by_chance(often: int, other: int) -> bool:
        return (1.0 - other / count.total()) ** often > CHANCE

    def may(before: str, behind: str) -> bool:
        kinds = kind[before], kind[behind]
        if _are_apart(groups, kinds, before, behind):
            return False
        return kinds in beside or by_chance(*(count[each] for each in kinds))

    number: dict[Hashable, int] = {}
    class_of: dict[str, int] = {}
    one_of: dict[int, str] = {}
    for word, own in kind.items():
        told = [side.get(word) for sides in groups.values() for side in sides]
        rare = by_chance(count[own], most) and by_chance(most, count[own])
        if not rare or any(each is not None for each in told):
            class_of[word] = number.setdefault((own, *told), 1 + len(number))
            one_of[class_of[word]] = word
    found = np.ones((1 + len(number),) * 2, dtype=bool)
    for (i, before), (j, behind) in itertools.product(one_of.items(), repeat=2):
        found[i, j] = may(before, behind)
    return Neighbours(class_of, found)


def _groups(beside: Mapping[Kinds, Sequence[Pair]]) -> Groups:
    """Return the groups of words of two kinds that never meet."""
    found: Groups = {}
    for kinds, pairs in beside.items():
        if group := groups_apart(pairs) if len({*pairs}) > 1 else []:
            one, other = zip(*pairs, strict=True)
            found[kinds] = dict(zip(one, group, strict=True)), dict(zip(other, group, strict=True))
    return found


def _are_apart(groups: Groups, kinds: Kinds, before: str, behind: str) -> bool:
    """Say whether words are known to be of different groups."""
    one, other = groups.get(kinds, ({}, {}))
    return before in one and behind in other and one[before] != other[behind]
