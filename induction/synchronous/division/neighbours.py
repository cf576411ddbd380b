"""Words that never stand beside each other in sentences, though chance does not explain it.

*call* takes a number and *text* takes one, and both may be read as the first part of a sequence:
``NT_1 NT_2 ### NT_1 NT_2`` begins with *text*, or with a digit. In a sentence it begins with a
word, behind *call* with a digit. Classes of words and not words are compared (as in the models of
Brown et al. 1992): a word that was left out of a place on purpose stands where its class does.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from grammar.arrays import BoolArray
from induction.synchronous.types import CHANCE

__all__ = ["Neighbours", "read_neighbours"]


class Neighbours(NamedTuple):
    """Which words may stand beside each other.

    ``class_of`` has the number of the class of each frequent word, and of the empty text, which is
    before and behind a sentence; others have class 0, which may stand everywhere. ``may`` has the
    shape (classes, classes): whether a word of one may stand before a word of the other.
    """

    class_of: Mapping[str, int]
    may: BoolArray


def read_neighbours(
    sentences: Iterable[Sequence[str]], kind_of: Mapping[str, Hashable]
) -> Neighbours:
    """Read which words may stand beside each other.

    Those of two classes may if some do, or if chance explains that none do. So rare ones may.

    Parameters
    ----------
    sentences : iterable of sequence of str
        Their words.
    kind_of : mapping of str to hashable
        Classes of words; another word is its own class.

    Examples
    --------
    >>> found = read_neighbours([["call", "one", "two"], ["call", "two", "one"]] * 20, {})
    >>> call, one = found.class_of["call"], found.class_of["one"]
    >>> bool(found.may[call, one]), bool(found.may[one, call])
    (True, False)
    """
    both: Counter[tuple[Hashable, Hashable]] = Counter()
    count: Counter[Hashable] = Counter()
    words: set[str] = set()
    for sentence in sentences:
        bounded = ["", *(kind_of.get(word, word) for word in sentence), ""]
        words.update(sentence)
        both.update(itertools.pairwise(bounded))
        count.update(bounded)
    most, total = max(count.values(), default=0), max(count.total(), 1)
    frequent = [
        kind
        for kind, n in count.items()
        if min((1.0 - n / total) ** most, (1.0 - most / total) ** n) <= CHANCE
    ]
    number = {kind: i for i, kind in enumerate(frequent, start=1)}
    often = np.array([0, *(count[kind] for kind in frequent)], np.float64)
    may = (1.0 - often / total) ** often[:, None] > CHANCE
    for before, behind in both:
        may[number.get(before, 0), number.get(behind, 0)] = True
    class_of = {word: number.get(kind_of.get(word, word), 0) for word in sorted(words | {""})}
    return Neighbours(class_of, may)
