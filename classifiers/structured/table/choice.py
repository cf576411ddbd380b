"""Whether new sentences help, asked of the given ones alone: a method by cross-validation, or none.

Each fold is answered by what learnt the others, without new sentences and with those that a method
made of them. A method is taken if its answers are better than chance allows.

References
----------
Alexander Yeh. 2000. More Accurate Tests for the Statistical Significance of Result Differences.
COLING (approximate randomisation).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from classifiers.choice import FOLDS
from classifiers.evidence import LEVEL
from classifiers.structured.table.data import Annotated
from classifiers.structured.table.learners import Learner
from grammar.arrays import LongArray
from grammar.errors import TreewrightError
from grammar.rng import stream_key, uniforms
from induction.corpus.corpus import Corpus

__all__ = ["RULE", "Chosen", "chance_of_gain", "choose_method"]

TRIALS = 2000
"""How often answers are exchanged by chance."""
RULE = ["best F1 of those that pass approximate randomisation", FOLDS, LEVEL, TRIALS]
"""To be changed when the rule of the choice changes."""


@dataclass(frozen=True)
class Chosen:
    """A method, or none, and why.

    Attributes
    ----------
    method : str or None
        Its name.
    evidence : tuple of str
        A line on each that was tried.
    """

    method: str | None
    evidence: tuple[str, ...]


def choose_method(
    few: Corpus,
    methods: Sequence[str],
    with_new: Callable[[Corpus, str], Corpus],
    learner: Learner,
    seed: int = 0,
) -> Chosen:
    """Choose a method, or none, by cross-validation within the given sentences.

    Parameters
    ----------
    few : Corpus
        The given sentences.
    methods : sequence of str
        What to try.
    with_new : callable
        Returns sentences with the new ones of a method behind them.
    learner : Learner
        What learns.
    seed : int
        Of the folds, of training and of the test.

    Returns
    -------
    Chosen
        Of the methods whose F1 over the parts of answers (which is accuracy where every word has
        one part) is higher than by chance, at 5 % divided by the number of methods, the best.
    """
    if len(few) < 2:
        return Chosen(None, ("one sentence cannot be learnt from and judged by",))
    trial = _Trial(few, with_new, learner, seed)
    without = trial.counts(None)
    evidence, passed = [f"none: F1 {_f1(without):.1f}"], dict[str, float]()
    for name in methods:
        try:
            counts = trial.counts(name)
        except TreewrightError as error:
            evidence.append(f"{name}: it cannot be made ({error.what})")
            continue
        p = chance_of_gain(without, counts, seed)
        evidence.append(f"{name}: F1 {_f1(counts):.1f}, p {p:.3f}")
        if p < LEVEL / len(methods):
            passed[name] = _f1(counts)
    return Chosen(max(passed, key=lambda name: passed[name], default=None), tuple(evidence))


def chance_of_gain(without: LongArray, counts: LongArray, seed: int = 0) -> float:
    """Return how probable a gain in F1 as large is if the answers to each sentence are exchanged.

    Parameters
    ----------
    without, counts : int64[sentences, 2]
        How many parts are right, and how many there are in the answer and in the right one
        together, without a method and with it.
    seed : int
        Of the exchanges.

    Examples
    --------
    >>> bad, good = np.tile([0, 2], (9, 1)), np.tile([1, 2], (9, 1))
    >>> chance_of_gain(bad, good) < 0.01, chance_of_gain(good, bad) > 0.99
    (True, True)
    """
    drawn = uniforms(stream_key(seed, "exchanged answers"), 0, TRIALS * len(counts))
    exchanged = (drawn < 0.5).reshape(TRIALS, len(counts))
    change = counts - without
    moved = exchanged @ change
    gains = _f1s(counts.sum(0) - moved) - _f1s(without.sum(0) + moved)
    gain = _f1(counts) - _f1(without)
    return float((1 + (gains >= gain - 1e-9).sum()) / (1 + TRIALS))


def _f1s(sums: NDArray[Any]) -> NDArray[np.float64]:
    """Return F1 in hundredths for each row of sums."""
    return np.asarray(200 * sums[..., 0] / np.maximum(sums[..., 1], 1), np.float64)


def _f1(counts: LongArray) -> float:
    return float(_f1s(counts.sum(0)))


class _Trial:
    """The folds of some sentences."""

    def __init__(
        self, few: Corpus, with_new: Callable[[Corpus, str], Corpus], learner: Learner, seed: int
    ) -> None:
        self.few, self.with_new, self.learner, self.seed = few, with_new, learner, seed
        order = np.argsort(uniforms(stream_key(seed, "structured folds"), 0, len(few)))
        self.fold = np.empty(len(few), np.int64)
        self.fold[order] = np.arange(len(few)) % FOLDS

    def counts(self, method: str | None) -> LongArray:
        """Return the parts that are right and that there are, by what learnt the other folds."""
        made = np.zeros((len(self.few), 2), np.int64)
        parts = self.learner.task.parts
        for number in range(min(FOLDS, len(self.few))):
            inside = np.flatnonzero(self.fold == number)
            rest, held = self._some(np.flatnonzero(self.fold != number)), self._some(inside)
            both = rest if method is None else self.with_new(rest, method)
            data = Annotated.of("folds", rest, held)
            answered = self.learner.train(self.learner, both, data, self.seed)
            pairs = zip(parts(held), parts(answered), strict=True)
            made[inside] = [(len(right & mine), len(right) + len(mine)) for right, mine in pairs]
        return made

    def _some(self, rows: LongArray) -> Corpus:
        return Corpus(self.few.table.take(pa.array(rows)))
