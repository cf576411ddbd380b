"""Length shift: how far the lengths of new texts are from those of the originals."""

from __future__ import annotations

import numpy as np

from grammar.arrays import FloatArray, LongArray
from sampling.quality.measures.confidence import interval, resampled_lengths
from sampling.quality.measures.words import Text, shared_words

__all__ = ["length_shift", "length_shift_interval"]


def length_shift(augmented: Text, originals: Text) -> float:
    """Return the Wasserstein-1 distance of the distributions of lengths, in words.

    It is the area between the two cumulative distributions: how many words the texts of one must
    grow or shrink by, on average, to have the lengths of the other::

        sum over lengths l of |F(l) - G(l)|

    References
    ----------
    Vallender 1974, Calculation of the Wasserstein distance between probability distributions on
    the line.

    Examples
    --------
    >>> from induction.corpus.corpus import Corpus
    >>> made, given = Corpus.from_columns(text=["a b c"]), Corpus.from_columns(text=["a", "b c"])
    >>> length_shift(made, given)  # one grows by 2 words, one by 1
    1.5
    """
    words, given = shared_words(augmented, originals)
    return float(_distance(*_shares(words.lengths, given.lengths))[0])


def length_shift_interval(
    augmented: Text, originals: Text, *, groups: LongArray | None, seed: int
) -> tuple[float, float]:
    """Return the 95 % bootstrap interval of the shift; the originals stay as they are."""
    words, given = shared_words(augmented, originals)
    drawn = resampled_lengths(words.lengths, groups, seed=seed, name="augmented")
    bins = max(drawn.shape[1], int(given.lengths.max()) + 1)
    padded = np.zeros((len(drawn), bins))
    padded[:, : drawn.shape[1]] = drawn
    _, shares = _shares(words.lengths, given.lengths)
    return interval(_distance(padded, shares))


def _shares(lengths: LongArray, given: LongArray) -> tuple[FloatArray, FloatArray]:
    bins = 1 + max(int(lengths.max()), int(given.max()))
    one, two = (np.bincount(n, minlength=bins)[None, :] / len(n) for n in (lengths, given))
    return one, two


def _distance(one: FloatArray, two: FloatArray) -> FloatArray:
    return np.asarray(np.abs(np.cumsum(one - two, axis=1)).sum(axis=1))
