"""What the kernels of ALP read and write: texts, what may be put in, settings, and derivations."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from grammar.arrays import BoolArray, FloatArray, IntArray, LongArray, kernel

__all__ = [
    "NOTHING",
    "SPACE",
    "Choices",
    "Settings",
    "Slots",
    "Texts",
    "pick",
    "room",
    "share",
    "widest",
]

SPACE, NOTHING = 0, 1
"""The numbers of these two gaps."""


class Texts(NamedTuple):
    """The original texts, for kernels.

    Text i has the sentences ``sentences[i]`` to ``sentences[i + 1] - 1``, and class
    ``classes[i]``; sentence s has the trees ``trees[s]`` to ``trees[s + 1] - 1`` with running sums
    of probabilities ``tree_ends``; tree t is the node ``root[t]``. Word w has ``form[w]``, and the
    gap ``gap[w]`` before it; the form in which sentence s begins has a capital if ``capital[s]``.
    """

    sentences: LongArray
    classes: LongArray
    words: LongArray
    trees: LongArray
    tree_ends: FloatArray
    root: LongArray
    form: IntArray
    gap: IntArray
    capital: BoolArray


class Choices(NamedTuple):
    """What may be put in: constituents by pool, synonyms by row, and facts of forms and words.

    Of forms, ``capitals`` is the number of the form with a capital, and ``article`` of those that
    are one 1 for *a*, 2 for *an*; ``an`` says which forms want *an* before them, ``other`` which
    form the other article has. ``left`` and ``right`` say which words touch the one before and
    behind them for what they are (:func:`sampling.joins.spacing.touching_words`).
    """

    pool_offsets: LongArray
    pool_node: IntArray
    pool_ends: FloatArray
    synonym_offsets: LongArray
    synonym: IntArray
    capitals: IntArray
    article: IntArray
    an: BoolArray
    other: IntArray
    left: BoolArray
    right: BoolArray


class Settings(NamedTuple):
    """Options as numbers; ``back_off`` in thousandths of a count, as those of the model are."""

    exchange: float
    depth: int
    pool: float
    synonym: float
    back_off: float
    base: float
    min_length: float
    max_length: float
    article: bool


class Slots(NamedTuple):
    """Derivations: row r is slots ``at[r]`` to ``at[r] + size[r] - 1``; size -1 if it failed.

    A slot has the leaf and word that stand there, the part (0 for a host's sentence; each exchange
    begins a new one) and sentence it belongs to, the slot of its governor, its form, the gap before
    it, and the rule that changed the word (an entry of the model, or behind these a synonym; -1 if
    none). Exchange k of row r, of ``exchanges[r]``, is at ``at[r] + k`` of ``entry``, of ``begin``
    and ``end`` (slots of the row), and of ``hole`` and ``above``, the node whose place is taken
    and its part. ``tree`` is the tree of the last sentence.
    """

    at: LongArray
    size: LongArray
    leaf: LongArray
    word: LongArray
    part: LongArray
    sentence: LongArray
    governor: LongArray
    label: LongArray
    form: LongArray
    gap: LongArray
    rule: LongArray
    exchanges: LongArray
    entry: LongArray
    begin: LongArray
    end: LongArray
    hole: LongArray
    above: LongArray
    tree: LongArray
    log_probability: FloatArray
    score: FloatArray


_BY_ROW = ("size", "exchanges", "tree")


def room(texts: Texts, hosts: LongArray, longest: float) -> Slots:
    """Return empty slots for derivations of hosts, with room for the longest that is allowed."""
    sizes = _room_of(texts.words[hosts], longest)
    at = np.concatenate(([0], np.cumsum(sizes)))
    real: dict[str, Any] = {"log_probability": np.zeros(len(hosts)), "score": np.zeros(len(hosts))}
    columns: dict[str, Any] = {
        name: np.zeros(len(hosts) if name in _BY_ROW else int(at[-1]), np.int64)
        for name in Slots._fields
        if name != "at" and name not in real
    }
    return Slots(at=at, **columns, **real)


def widest(texts: Texts, longest: float) -> int:
    """Return how much room there is for a derivation of the longest text."""
    return int(_room_of(texts.words, longest).max())


def _room_of(words: LongArray, longest: float) -> LongArray:
    return np.asarray(np.floor(longest * words), np.int64) + 1


@kernel(inline="always")
def pick(ends: FloatArray, first: int, last: int, u: float) -> int:
    """Return a place in [first, last) by running sums."""
    return int(first + np.searchsorted(ends[first : last - 1], u, side="right"))


@kernel(inline="always")
def share(ends: FloatArray, first: int, at: int) -> float:
    """Return the probability of a place by running sums that begin at ``first``."""
    return ends[at] - ends[at - 1] if at > first else ends[at]
