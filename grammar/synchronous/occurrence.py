"""Which coded texts may occur in a text, and in which it may occur itself, by their words."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence

__all__ = ["FIRST_WORD", "WordIndex"]

FIRST_WORD = 0x100
"""Characters below stand for slots: slot k is ``chr(k)``."""


class WordIndex:
    """Coded texts by their words, of which the rarest is looked up.

    Examples
    --------
    >>> a, b, c, d = map(chr, range(FIRST_WORD, FIRST_WORD + 4))
    >>> index = WordIndex([a + b, a, b + c, a + c])
    >>> index.within(b + a + d), index.holding(c + a)
    ([0, 1], [3])
    """

    def __init__(self, texts: Sequence[str]) -> None:
        self._words = [_words(text) for text in texts]
        self._holding: defaultdict[str, list[int]] = defaultdict(list)
        for number, words in enumerate(self._words):
            for word in words:
                self._holding[word].append(number)
        often = Counter({word: len(numbers) for word, numbers in self._holding.items()})
        self._rarest: defaultdict[str, list[int]] = defaultdict(list)
        for number, words in enumerate(self._words):
            rarest = min(words, key=lambda word: (often[word], word), default="")
            self._rarest[rarest].append(number)

    def within(self, text: str) -> list[int]:
        """Return in order the numbers of the texts all of whose words are in this text."""
        words = _words(text)
        near = [n for word in words for n in self._rarest.get(word, ())]
        found = [n for n in near if self._words[n] <= words]
        return sorted(found + self._rarest.get("", []))

    def holding(self, text: str) -> list[int]:
        """Return in order the numbers of the texts that have all words of this text."""
        words = _words(text)
        if not words:
            return list(range(len(self._words)))
        near = min((self._holding.get(word, []) for word in words), key=len)
        return [n for n in near if self._words[n] >= words]


def _words(text: str) -> frozenset[str]:
    return frozenset(c for c in text if ord(c) >= FIRST_WORD)
