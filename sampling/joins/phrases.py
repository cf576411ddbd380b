"""Phrases that were given, beside how often the source has them.

A phrase is three words running; ends of texts count as words. It is worn by how many times as
often it was given as is usual, where that is more than once: so no turn of phrase becomes much more
frequent than people make it.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable, Sequence
from typing import Any

import numpy as np

__all__ = ["END", "Phrase", "Phrases", "phrases_of"]

END = None
"""Stands before the first word of a text, and behind the last."""
_WIDTH = 3
Phrase = tuple[Any, ...]


class Phrases:
    """How worn phrases are.

    Parameters
    ----------
    source : iterable of iterable of tuple
        The phrases of each example of the source.

    Examples
    --------
    >>> source = ["it is", "it was", "so"]
    >>> phrases = Phrases(phrases_of(text.split()) for text in source)
    >>> for _ in range(2):
    ...     phrases.give(phrases_of(["it", "is"]))
    >>> round(phrases.worn((END, "it", "is")), 3)  # the logarithm of (1 + 2) / (1 + 2 / 3)
    0.588
    >>> phrases.worn((END, "it", "was"))
    0.0
    >>> words = phrases.worn_between([END], ["is"])
    >>> {word: round(by, 3) for word, by in words.items()}
    {'it': 0.588}
    """

    def __init__(self, source: Iterable[Iterable[Phrase]]) -> None:
        self._usual: Counter[Phrase] = Counter()
        self._examples = 0
        for phrases in source:
            self._usual.update(phrases)
            self._examples += 1
        self._given = 0
        self._times: Counter[Phrase] = Counter()
        # by the place of a word and the others of a phrase, what stood there
        self._beside: defaultdict[tuple[int, Phrase], set[Any]] = defaultdict(set)

    def give(self, phrases: Iterable[Phrase]) -> None:
        """Hear that an example was given."""
        self._given += 1
        for phrase in phrases:
            self._times[phrase] += 1
            for place in range(_WIDTH):
                others = phrase[:place] + phrase[place + 1 :]
                self._beside[place, others].add(phrase[place])

    def worn(self, phrase: Phrase) -> float:
        """Return the logarithm of how many times as often a phrase was given as is usual.

        One is added to either number of times; 0 at least.
        """
        times = self._times[phrase]
        if not times:
            return 0.0
        usual = self._given * self._usual[phrase] / max(1, self._examples)
        return max(0.0, float(np.log((1 + times) / (1 + usual))))

    def worn_between(self, before: Sequence[Any], behind: Sequence[Any]) -> dict[Any, float]:
        """Return, by the words that may stand between others, how worn their phrases are together.

        Parameters
        ----------
        before, behind : sequence
            What stands on either side, as far as it is known.

        Returns
        -------
        dict of word to float
            Words that are not there are not worn.
        """
        left = before[-_WIDTH + 1 :]
        known = (*left, *behind[: _WIDTH - 1])
        found: defaultdict[Any, float] = defaultdict(float)
        for begin in range(len(known) - _WIDTH + 2):
            place, others = len(left) - begin, known[begin : begin + _WIDTH - 1]
            for word in self._beside.get((place, others), ()):
                if word is not END:
                    found[word] += self.worn((*others[:place], word, *others[place:]))
        return dict(found)


def phrases_of(words: Sequence[Hashable]) -> list[Phrase]:
    """Return the phrases of a text.

    >>> phrases_of(["it", "is"])
    [(None, 'it', 'is'), ('it', 'is', None)]
    """
    whole = [END, *words, END]
    return list(zip(*(whole[k:] for k in range(_WIDTH)), strict=False))
