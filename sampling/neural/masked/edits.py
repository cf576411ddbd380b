"""Words of texts, chosen and replaced: all other characters stay as they are."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from induction.corpus.text.units import WORD_CHARACTER, units

__all__ = [
    "Span",
    "chosen_words",
    "drawn",
    "numbered",
    "replaced",
    "whole_words",
    "words_of",
]

Span = tuple[int, int]
_WORD = re.compile(rf"{WORD_CHARACTER}+(?:['’]{WORD_CHARACTER}+)*")


def words_of(text: str) -> list[Span]:
    """Return where words begin and end, in characters.

    >>> words_of("Isn't it, now?")
    [(0, 5), (6, 8), (10, 13)]
    """
    return [found.span() for found in _WORD.finditer(text)]


def whole_words(text: str) -> list[int]:
    """Return the numbers of the words that are no part of something larger, as 5 kg or #tag is.

    >>> whole_words("so #good: 5 kg")
    [0]
    """
    larger = units(text)
    return [
        number
        for number, (begin, end) in enumerate(words_of(text))
        if not any(a < end and begin < b and (a < begin or end < b) for a, b in larger)
    ]


def numbered(words: Sequence[Span], numbers: Sequence[int]) -> list[Span]:
    """Return the words of these numbers."""
    return [words[number] for number in numbers]


def chosen_words(words: Sequence[Span], share: float, random: np.random.Generator) -> list[int]:
    """Choose a share of the words, at least one; between two numbers, by chance.

    >>> chosen_words([(0, 1)] * 9, 1 / 3, np.random.default_rng(0))
    [2, 3, 8]
    """
    count = max(1, int(share * len(words) + random.random()))
    found = random.choice(len(words), min(count, len(words)), replace=False)
    return sorted(found.tolist())


def replaced(text: str, spans: Sequence[Span], words: Sequence[str]) -> tuple[str, list[int]]:
    """Put words in the place of spans, in their order; return also where each begins.

    >>> replaced("Old dogs, old cats.", [(0, 3), (10, 13)], ["two", "red"])
    ('two dogs, red cats.', [0, 10])
    """
    parts, begins, end, size = [], [], 0, 0
    for (begin, stop), word in zip(spans, words, strict=True):
        parts += [text[end:begin], word]
        begins.append(size + begin - end)
        size += begin - end + len(word)
        end = stop
    return "".join([*parts, text[end:]]), begins


def drawn(
    likely: NDArray[np.float64], allowed: Any, top: int, best: bool, random: np.random.Generator
) -> tuple[int, float]:
    """Draw a piece among those allowed, and return it with its log-probability.

    Parameters
    ----------
    likely : float64[pieces]
        Log-probabilities.
    allowed : bool[pieces]
        At least one.
    top : int
        Only so many of the likeliest are drawn from; 0 for all.
    best : bool
        Take the likeliest.
    """
    given = np.where(allowed, likely, -np.inf)
    if best:
        return int(given.argmax()), 0.0
    if top and top < int(np.count_nonzero(allowed)):
        # ties at the border are cut by number, so that as many are left on every machine
        order = np.argsort(-given, kind="stable")
        given[order[top:]] = -np.inf
    weight = np.exp(given - given.max())
    weight /= weight.sum()
    place = int(np.searchsorted(weight.cumsum(), random.random(), side="right"))
    found = min(place, len(weight) - 1)
    if weight[found] == 0:  # the sum of the weights is a little below 1
        found = int(np.flatnonzero(weight)[-1])
    return found, float(np.log(weight[found]))
