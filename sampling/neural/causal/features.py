"""What a language model tells of a new text beside the text that it was made from.

Texts are compared by words: what stands before and behind what was changed is the same in both.
The features are

- the mean log-probability of a piece of the new text, and what it gained over the text before;
- what the text behind the change gained, given what stands before it (a sum, brought to one scale
  by ``sign(x) log(1 + |x| / 2)``): whether the filler leads on to what follows;
- how evenly old and new share the text (``share * (1 - share)`` of the share that is new: two
  halves are hardest to join), and the logarithm of its length.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from grammar.arrays import FloatArray, LongArray

__all__ = [
    "FEATURES",
    "OF_SHAPE",
    "Change",
    "Hidden",
    "Reading",
    "changed",
    "features_of",
    "shape_of",
]

OF_SHAPE = ("evenness", "length")
"""Features that need no model."""
FEATURES = ("mean", "mean gain", "gain behind", *OF_SHAPE)
_SCALE = 2.0


class Reading(NamedTuple):
    """A text as a model reads it.

    Attributes
    ----------
    log_probability : float64[pieces]
        Of each piece behind those before it; natural logarithms.
    begin, end : int64[pieces]
        The characters of each piece.
    """

    log_probability: FloatArray
    begin: LongArray
    end: LongArray


class Hidden(NamedTuple):
    """What a layer of a model makes of a text.

    Attributes
    ----------
    states : float32[pieces, width]
        Of each piece behind those before it.
    begin, end : int64[pieces]
        The characters of each piece.
    """

    states: FloatArray
    begin: LongArray
    end: LongArray


class Change(NamedTuple):
    """A new text, and what of it differs from the text that it was made from.

    Attributes
    ----------
    text, before : str
        The new text, and the one before, with single spaces between words.
    begin, end : int
        The characters of the new text at which what is new begins and ends.
    rest : int
        The character of the text before at which what follows the change begins.
    words, changed : int
        How many words the new text has, and how many of them are new.
    """

    text: str
    before: str
    begin: int
    end: int
    rest: int
    words: int
    changed: int


def changed(text: str, before: str) -> Change:
    """Compare two texts word by word, from both ends.

    Words are what stands between spaces.

    >>> changed("the old dog ran home.", "the cat ran home.")[2:]
    (4, 11, 7, 5, 2)
    >>> changed("it is so", "it is")[2:]
    (6, 8, 5, 3, 1)
    """
    new, old = text.split(), before.split()
    text, before = " ".join(new), " ".join(old)
    most = min(len(new), len(old))
    left = next((k for k in range(most) if new[k] != old[k]), most)
    right = next((k for k in range(most - left) if new[-1 - k] != old[-1 - k]), most - left)
    begin = min(len(" ".join([*new[:left], ""])), len(text))
    behind = len(" ".join(["", *new[len(new) - right :]])) if right else 0
    # nothing may stand before what stayed, and so no space either
    end, rest = max(len(text) - behind, 0), max(len(before) - behind, 0)
    return Change(text, before, begin, end, rest, len(new), len(new) - left - right)


def shape_of(size: int, changed: int) -> FloatArray:
    """Return the features :data:`OF_SHAPE` of a text of so many words or pieces.

    >>> shape_of(4, 1).round(3).tolist()
    [0.188, 1.386]
    """
    share = changed / max(size, 1)
    return np.array([share * (1 - share), np.log(max(size, 1))])


def features_of(change: Change, text: Reading, before: Reading) -> FloatArray:
    """Return the features of a change.

    Parameters
    ----------
    change : Change
        What was changed.
    text, before : Reading
        Of the new text, and of the text before.

    Returns
    -------
    float64[features]
        In the order of :data:`FEATURES`.
    """
    new, old = text.log_probability, before.log_probability
    first = int(np.searchsorted(text.end, change.begin, side="right"))
    last = max(first, int(np.searchsorted(text.begin, change.end)))
    behind = new[last:].sum() - old[int(np.searchsorted(before.begin, change.rest)) :].sum()
    gain = np.sign(behind) * np.log1p(abs(behind) / _SCALE)
    return np.array([_mean(new), _mean(new) - _mean(old), gain, *shape_of(len(new), last - first)])


def _mean(values: FloatArray) -> float:
    return float(values.mean()) if len(values) else 0.0
