"""What speaks for a way to make examples: exact tests of its predictions, at a level that is kept.

Two tests, one procedure. New examples that were made *without* the labelled ones leave these as
unseen data, so a model of the made ones alone is tested: how probable it makes the labels, against
the same labels permuted over the texts (a permutation test, exact whatever the model is). Several
such candidates are tested together, against the best of them under each permutation: those that a
person wrote, and the others. New examples that are *recombined* from the labelled ones are tested
on the predictions of models of the other folds, against those without new examples and against
those with copies of the labelled ones; both sign tests have to pass (McNemar's, exact). The level
is for all candidates together, by Holm's procedure, weighted: nine tenths of it go to those made
without labels, which are known to help, the rest to those that recombine. Of the nine tenths, what
a person wrote gets nine tenths again, so that names that nobody wrote do not cost it power.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from grammar.arrays import LongArray
from grammar.rng import stream_key

__all__ = [
    "LEVEL",
    "Controls",
    "Evidence",
    "holm_levels",
    "paired_interval",
    "permutation_test",
    "permutation_tests",
    "sign_test",
]

Floats = NDArray[np.float64]
LEVEL = 0.05
"""How often, at most, anything is taken where labels tell nothing."""
PRIOR = 0.9
"""The share of the level that is for candidates made without the labelled examples, and of that the
share for those that a person wrote."""
PERMUTATIONS = 9999
BLOCK = 2_000_000
"""So many labels are permuted at once."""
_ROUNDING = 1e-9
"""Sums of the same numbers in another order differ by less."""


@dataclass(frozen=True)
class Controls:
    """What every candidate is compared with, each in cross-validation.

    Attributes
    ----------
    majority : float
        The share of the largest class.
    shuffled : float
        Accuracy where the labels are shuffled: what is learnt where nothing can be.
    without : float
        Accuracy on the labelled examples alone.
    copies : float
        Accuracy with each example twice: what it is worth that data weigh more.
    folds, rounds : int
        Of the cross-validation; how often they were dealt anew.
    """

    majority: float
    shuffled: float
    without: float
    copies: float
    folds: int
    rounds: int

    def __str__(self) -> str:
        return (
            f"accuracy in {self.folds}-fold cross-validation, {self.rounds} times: "
            f"{self.without:.3f} without new examples, {self.copies:.3f} with copies, "
            f"{self.shuffled:.3f} with shuffled labels (chance), "
            f"{self.majority:.3f} by the majority class"
        )


@dataclass(frozen=True)
class Evidence:
    """What spoke for or against a candidate.

    Attributes
    ----------
    name : str
        Of the candidate.
    alone : float or None
        The share of the labelled examples that a model of the made ones alone names right; None
        where these were made from them.
    without, copies, with_new : float
        Accuracy in cross-validation without new examples, with copies, and with new examples.
    interval : (float, float)
        Within it the gain in accuracy over none lies with 95 % confidence.
    nats : float
        By how much the log-probability of a label grows there over none, in nats.
    p : float
        How probable such evidence is by chance; of examples made without the labelled ones, how
        probable the best of all these candidates would be so good.
    level : float
        What p has to be at most, so that the level of all candidates together is kept.
    taken : bool
        Whether the evidence suffices.
    why : str
        The reason, in words; empty as long as candidates are still tried.
    seconds : float
        What the trial took.
    made : int
        How many new examples there are for all of the labelled ones, or for all but a fold.
    fits : int
        How many trainings the trial took.

    Examples
    --------
    >>> one = Evidence(
    ...     "aeda", alone=None, without=0.70, copies=0.71, with_new=0.70,
    ...     interval=(-0.02, 0.02), nats=0.0, p=0.4, level=0.05, taken=False,
    ...     why="no more than copies", seconds=3.0,
    ... )
    >>> one.p <= one.level
    False
    """

    name: str
    alone: float | None
    without: float
    copies: float
    with_new: float
    interval: tuple[float, float]
    nats: float
    p: float
    level: float
    taken: bool
    why: str
    seconds: float
    made: int = 0
    fits: int = 0

    @property
    def test(self) -> str:
        """The name of the test, in the field's words."""
        return "sign tests" if self.alone is None else "permutation test"

    def line(self) -> str:
        """Return it as one line."""
        low, high = self.interval
        alone = "" if self.alone is None else f"new examples alone {self.alone:.3f}, "
        why = f": {self.why}" if self.why else ""
        return (
            f"{self.name}: accuracy {self.with_new:.3f}, gain {self.with_new - self.without:+.3f} "
            f"(95 % interval {low:+.3f} to {high:+.3f}), over copies "
            f"{self.with_new - self.copies:+.3f}; {alone}{self.test} p {self.p:.4f}{why}"
        )


def sign_test(better: int, worse: int) -> float:
    """Return how probable so many better ones are, if better and worse are alike probable.

    Examples
    --------
    >>> sign_test(6, 0) == 1 / 64, sign_test(0, 0)
    (True, 1.0)
    """
    from scipy.stats import binomtest

    if better + worse == 0:
        return 1.0
    return float(binomtest(better, better + worse, alternative="greater").pvalue)


def permutation_test(scores: Floats, labels: LongArray, seed: int) -> float:
    """Return how probable such high scores of the labels are, if these are permuted at random.

    Parameters
    ----------
    scores : float64 array, shape (examples, classes)
        Of every class for each text, made without the labels.
    labels : int64 array, shape (examples,)
        The class of each.
    seed : int
        Of the permutations.

    Notes
    -----
    The labels as they are count as one of the permutations, so the level is kept exactly.

    Examples
    --------
    >>> truth = np.array([0, 1] * 10)
    >>> permutation_test(np.eye(2)[truth], truth, seed=0)
    0.0001
    >>> permutation_test(np.ones((20, 2)), truth, seed=0)
    1.0
    """
    return permutation_tests([scores], labels, seed)[0]


def permutation_tests(scores: Sequence[Floats], labels: LongArray, seed: int) -> list[float]:
    """Return, of several scores of the labels, how probable the best of all would be so high.

    Each sum of scores is standardised by its own mean and deviation over the permutations, and is
    compared with the largest of all under each permutation. Candidates that say nearly the same
    thus cost each other nearly no power, as dividing the level would.

    Parameters
    ----------
    scores : sequence of float64 arrays, each of shape (examples, classes)
        Of every class for each text, made without the labels.
    labels, seed
        As :func:`permutation_test` has them.

    References
    ----------
    Westfall and Young 1993, Resampling-based multiple testing (single-step maxT).

    Examples
    --------
    >>> truth = np.array([0, 1] * 4)
    >>> one, other = np.eye(2)[truth], np.eye(2)[[0, 1] * 3 + [1, 0]]
    >>> permutation_test(other, truth, seed=0), permutation_tests([other, one], truth, seed=0)
    (0.2466, [0.2466, 0.027])
    """
    if not scores:
        return []
    each = np.stack([_permuted_sums(one, labels, seed) for one in scores])
    spread = each.std(axis=1, keepdims=True)
    told = np.divide(each - each.mean(axis=1, keepdims=True), spread, out=np.zeros_like(each),
                     where=spread > _ROUNDING)  # fmt: skip
    best = told.max(axis=0)
    return [float((best >= own - _ROUNDING).mean()) for own in told[:, 0]]


def _permuted_sums(scores: Floats, labels: LongArray, seed: int) -> Floats:
    """Return the sum of the scores of the labels as they are, and as they are permuted."""
    rows = np.arange(len(labels))
    draw = np.random.Generator(np.random.Philox(key=int(stream_key(seed, "permutations"))))
    sums, left = [scores[rows, labels].sum(keepdims=True)], PERMUTATIONS
    while left:
        count = min(left, max(1, BLOCK // len(labels)))
        permuted = draw.permuted(np.tile(labels, (count, 1)), axis=1)
        sums.append(scores[rows, permuted].sum(1))
        left -= count
    return np.concatenate(sums)


def holm_levels(p: Sequence[float], weights: Sequence[float], level: float = LEVEL) -> list[float]:
    """Return what each p has to be at most, so that all are kept at a level together.

    Parameters
    ----------
    p : sequence of float
        One a hypothesis.
    weights : sequence of float
        Of the hypotheses: the share of the level that each is given at first.
    level : float
        The probability that any is rejected wrongly.

    References
    ----------
    Holm 1979, A simple sequentially rejective multiple test procedure (weighted).

    Examples
    --------
    >>> holm_levels([0.001, 0.04, 0.3], [1, 1, 1], 0.06)
    [0.02, 0.03, 0.03]
    """
    order = sorted(range(len(p)), key=lambda i: p[i] / weights[i])
    levels, left, passing = [0.0] * len(p), float(sum(weights)), True
    for i in order:
        levels[i] = level * weights[i] / left
        passing = passing and p[i] <= levels[i]
        if passing:  # its share goes to the others
            left -= weights[i]
    return levels


def paired_interval(gains: Floats) -> tuple[float, float]:
    """Return the 95 % interval of the mean of paired differences, each from -1 to 1.

    References
    ----------
    Agresti and Min 2005, Simple improved confidence intervals for comparing matched proportions:
    half an example is added to each of the four outcomes.

    Examples
    --------
    >>> low, high = paired_interval(np.array([1.0] * 6 + [0.0] * 14))
    >>> round(low, 2), round(high, 2)
    (0.07, 0.48)
    """
    count = len(gains) + 2
    mean = float(gains.sum()) / count
    spread = float((gains**2).sum() + 1) / count - mean**2
    half = 1.96 * float(np.sqrt(spread / count))
    return max(-1.0, mean - half), min(1.0, mean + half)
