"""Whether new examples help, and which: a choice by evidence from the labelled examples alone.

Examples that were made without the labelled ones (from class names, a written grammar, a prompt)
leave these as clean held-out data. So a model of the made examples alone is asked two questions:
does it name the labelled ones better than chance, and does it know what the labelled ones do not
tell? It does if its opinion, averaged with that of a model of the other folds, makes the labels of
a fold more probable than the latter alone. Examples that are recombined from the labelled ones must
gain in cross-validation, each fold judged by models that were given, and whose examples were made
from, the other folds only. Nothing is chosen unless the evidence speaks for it.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from classifiers.examples import Examples, read_examples
from classifiers.training.folds import deal_folds
from classifiers.training.train import Classifier
from grammar.arrays import LongArray
from grammar.errors import CorpusError, TreewrightError
from grammar.options import whole_number
from induction.corpus.corpus import Corpus
from induction.corpus.formats import read_corpus
from sampling.examples.class_names import class_names

__all__ = ["Candidate", "Choice", "Evidence", "choose"]

Probabilities = NDArray[np.float64]
"""Of classes, along the last axis."""

FOLDS = 5
ROUNDS = 3
"""So often are folds dealt again for examples that are made once: few labels say little."""
LEVEL = 0.05
"""How improbable a gain must be by chance, where examples are recombined."""
LEAST = 1e-9
"""A label is never held less probable than this, so that one text cannot decide all."""


@dataclass(frozen=True)
class Candidate:
    """A way to make new examples.

    Attributes
    ----------
    name : str
        What it is called.
    make : callable
        Returns new examples for a corpus and a seed.
    weight : float
        What all new examples weigh together, relative to the given ones.
    recombines : bool
        Whether they are made from the labelled examples. Where they are not, each class weighs as
        much among them as among the labelled ones.
    """

    name: str
    make: Callable[[Corpus, int], Corpus]
    weight: float = 1.0
    recombines: bool = True

    def added(self, given: Examples, part: Corpus, seed: int) -> Examples:
        """Return labelled examples with the new ones behind them.

        Parameters
        ----------
        given : Examples
            The labelled examples.
        part : Corpus
            The same as a corpus.
        seed : int
            Of the new ones.

        Raises
        ------
        CorpusError, OptionError
            If no new ones can be made.
        """
        made = read_examples(self.make(part, seed), classes=given.classes)
        return given.with_new(made if self.recombines else _with_shares(made, given), self.weight)


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
    told : float or None
        By how much the mean of that model and of those of the other folds makes labels more
        probable than the latter do, in nats a label; None likewise.
    chance : float
        The share of the largest class.
    without, with_new : float
        Accuracy in cross-validation without and with new examples.
    nats : float
        By how much the log-probability of a label grows there, in nats.
    p : float
        How probable so large a gain is by chance (one-sided sign test over the examples on which
        the two differ, in all rounds of folds together).
    taken : bool
        Whether the evidence suffices.
    why : str
        The reason, in words.
    seconds : float
        What the trial took.
    made : int
        How many new examples there are for all of the labelled ones, or for all but a fold.
    cost : float
        What making and learning them once took, in seconds: the mean of the trial.
    """

    name: str
    alone: float | None
    told: float | None
    chance: float
    without: float
    with_new: float
    nats: float
    p: float
    taken: bool
    why: str
    seconds: float
    made: int = 0
    cost: float = 0.0

    def line(self) -> str:
        """Return it as one line."""
        alone = ""
        if self.alone is not None:
            alone = f"alone {self.alone:.3f} (chance {self.chance:.3f}), tells {self.told:+.3f}, "
        return (
            f"{self.name}: {alone}{self.without:.3f} without, {self.with_new:.3f} with, "
            f"p {self.p:.3f}: {self.why} [{self.seconds:.1f} s]"
        )


@dataclass(frozen=True)
class Choice:
    """Which candidate was chosen, or none, and the evidence on all of them.

    Attributes
    ----------
    chosen : str or None
        The name of the candidate.
    evidence : tuple of Evidence
        On all that were tried, in their order.
    skipped : tuple of str
        The names of those that were not tried, or given up, since the time was over.
    candidate : Candidate or None
        The one that was chosen.
    """

    chosen: str | None
    evidence: tuple[Evidence, ...]
    skipped: tuple[str, ...] = field(default=())
    candidate: Candidate | None = field(default=None, repr=False)

    def examples(self, corpus: Any, *, seed: int = 0) -> Examples:
        """Return what to train on: the labelled examples, and the new ones that were chosen."""
        corpus = read_corpus(corpus)
        given = read_examples(corpus)
        return given if self.candidate is None else self.candidate.added(given, corpus, seed)

    def __str__(self) -> str:
        first, *rest = self.summary().splitlines()
        return "\n".join([first, *(f"  {one.line()}" for one in self.evidence), *rest])

    def summary(self) -> str:
        """Return the choice in words: what it costs, and what was not tried."""
        lines = [f"chosen: {self.chosen or 'none'}"]
        for one in self.evidence:
            if one.name == self.chosen:
                lines.append(
                    f"  it costs {one.made:,} new examples; making and learning them took "
                    f"{one.cost:.1f} s in the mean of its trial"
                )
        return "\n".join(
            lines + [f"  {name}: not tried to the end, the time was over" for name in self.skipped]
        )


def choose(
    corpus: Any,
    candidates: Sequence[Candidate],
    train: Callable[[Examples], Classifier],
    *,
    folds: int = FOLDS,
    rounds: int = ROUNDS,
    seed: int = 0,
    seconds: float | None = None,
    on_trial: Callable[[Evidence], None] | None = None,
) -> Choice:
    """Choose among ways to make new examples, or none of them.

    Parameters
    ----------
    corpus : Corpus, or data of any kind
        Labelled examples (:func:`~induction.corpus.formats.read_corpus`).
    candidates : sequence of Candidate
        What to try, in this order.
    train : callable
        Trains a classifier (:func:`~classifiers.training.train.trainer`).
    folds : int
        Of the cross-validation; fewer if a class has fewer examples.
    rounds : int
        So often are folds dealt again, for candidates that do not recombine: these need no new
        examples for it, but trainings.
    seed : int
        Of the folds and of all draws.
    seconds : float, optional
        A candidate is not tried if it would end after so many seconds, were it as slow as the
        slowest before it; one that is slower yet is given up then.
    on_trial : callable, optional
        Told the evidence on each candidate.

    Returns
    -------
    Choice
        Of those whose evidence suffices, the candidate with which labels are most probable in
        cross-validation. The more ways to recombine are tried, the less probable by chance the gain
        of one has to be (Bonferroni).

    Raises
    ------
    CorpusError
        If a class has one example only.
    TreewrightError
        If a candidate that does not recombine cannot make examples.
    """
    corpus = read_corpus(corpus)
    whole_number("folds", folds, 2)
    whole_number("rounds", rounds, 1)
    whole_number("seed", seed, 0)
    begin, max_length, found, skipped = time.monotonic(), 0.0, [], []
    trial = _Trial(corpus, train, (folds, rounds), seed)
    trial.until = math.inf if seconds is None else begin + seconds
    trial.level = LEVEL / max(1, sum(candidate.recombines for candidate in candidates))
    for candidate in candidates:
        if seconds is not None and time.monotonic() - begin + max_length > seconds:
            skipped.append(candidate.name)
            continue
        try:
            found.append(trial.evidence(candidate))
        except _TimeIsOver:
            skipped.append(candidate.name)
            continue
        max_length = max(max_length, found[-1].seconds)
        if on_trial is not None:
            on_trial(found[-1])
    taken = [one for one in found if one.taken]
    best = max(taken, key=lambda one: one.nats, default=None)
    if best is None:
        return Choice(None, tuple(found), tuple(skipped))
    chosen = next(candidate for candidate in candidates if candidate.name == best.name)
    return Choice(best.name, tuple(found), tuple(skipped), chosen)


class _TimeIsOver(Exception):  # noqa: N818 (no error: it ends a trial)
    pass


class _Trial:
    """The folds of one corpus, and how its labels are told without new examples."""

    level = LEVEL
    """How improbable a gain must be: of so many trials none should be taken by chance."""
    until = math.inf
    """When a trial is given up."""

    def __init__(
        self,
        corpus: Corpus,
        train: Callable[[Examples], Classifier],
        folds_and_rounds: tuple[int, int],
        seed: int,
    ) -> None:
        self.corpus = corpus
        self.train = train
        self.seed = seed
        self.names = class_names(corpus)
        self.given = read_examples(corpus)
        sizes = np.bincount(self.given.hard, minlength=len(self.given.classes))
        fewest = int(sizes[sizes > 0].min())
        if fewest < 2:
            rare = self.given.classes[int(np.flatnonzero(sizes == fewest)[0])]
            raise CorpusError(
                f"the class {rare!r} has one example, which cannot be learnt from and judged by",
                hint="label one more",
            )
        self.chance = float(sizes.max() / sizes.sum())
        folds, rounds = folds_and_rounds
        count = min(folds, fewest)
        self.folds = [deal_folds(self.given.hard, count, seed, number) for number in range(rounds)]
        self.without = self._told(lambda rows: self.given.take(rows), rounds)  # whatever it takes

    def evidence(self, candidate: Candidate) -> Evidence:
        """Try a candidate."""
        begin = time.monotonic()
        try:
            tried = self._tried(candidate)
        except TreewrightError as error:
            if not candidate.recombines:  # what a person wrote is at fault
                raise
            return self._unmade(candidate, error, time.monotonic() - begin)
        return self._weighed(candidate, tried, time.monotonic() - begin)

    def _unmade(self, candidate: Candidate, error: TreewrightError, seconds: float) -> Evidence:
        without = float(self._right(self.without).mean())
        why = f"not taken: it cannot be made ({error.what})"
        return Evidence(
            candidate.name, None, None, self.chance, without, 0.0, 0.0, 1.0, False, why, seconds
        )

    def _weighed(self, candidate: Candidate, tried: _Tried, seconds: float) -> Evidence:
        before, after = self.without[: len(tried.folds)], tried.folds
        without, right = self._right(before), self._right(after)
        better = right.sum(0) - without.sum(0)
        p = _sign_test(int((better > 0).sum()), int((better < 0).sum()))
        alone, told = self._known(tried.alone)
        taken, why = self._verdict(alone, told, p)
        nats = float((self._nats(after) - self._nats(before)).mean())
        return Evidence(
            candidate.name, alone, told, self.chance, float(without.mean()), float(right.mean()),
            nats, p, taken, why, seconds, tried.made, seconds / tried.trainings,
        )  # fmt: skip

    def _tried(self, candidate: Candidate) -> _Tried:
        folds = int(self.folds[0].max()) + 1
        if candidate.recombines:
            sizes = []

            def of_fold(rows: LongArray) -> Examples:
                both = candidate.added(self.given.take(rows), self._some(rows), self.seed)
                sizes.append(len(both) - len(rows))
                return both

            return _Tried(None, self._told(of_fold, 1), max(sizes), folds)
        # made once, for all folds: these examples know nothing of the labelled ones; what they know
        # does not turn on how much they will weigh
        both = replace(candidate, weight=1.0).added(self.given, self.corpus, self.seed)
        made = both.take(np.arange(len(self.given), len(both)))
        alone = self.train(made).probabilities(list(self.given.texts))
        rounds = len(self.folds)
        told = self._told(
            lambda rows: self.given.take(rows).with_new(made, candidate.weight), rounds
        )
        return _Tried(alone, told, len(made), rounds * folds + 1)

    def _known(self, alone: Probabilities | None) -> tuple[float | None, float | None]:
        """Return how much a model of made examples knows, and how much of it is new."""
        if alone is None:
            return None, None
        both = self._nats((self.without + alone) / 2)
        right = float(self._right(alone).mean())
        return right, float((both - self._nats(self.without)).mean())

    def _verdict(self, alone: float | None, told: float | None, p: float) -> tuple[bool, str]:
        if alone is not None and told is not None:
            if alone <= self.chance:
                return False, "not taken: alone it does not beat chance"
            if told <= 0:
                return False, "not taken: it tells nothing that the labelled ones do not"
            return True, "evidence suffices"
        if p < self.level:
            return True, "evidence suffices"
        return False, "not taken: the gain, if any, can be chance"

    def _right(self, told: Probabilities) -> NDArray[np.bool_]:
        """Return which labels are the most probable."""
        return np.asarray(told.argmax(-1) == self.given.hard)

    def _nats(self, told: Probabilities) -> Probabilities:
        """Return the log-probability of every label."""
        rows = np.arange(len(self.given))
        return np.log(np.maximum(told[..., rows, self.given.hard], LEAST))

    def _some(self, rows: LongArray) -> Corpus:
        return Corpus(self.corpus.table.take(rows))

    def _told(self, examples: Callable[[LongArray], Examples], rounds: int) -> Probabilities:
        """Return the probabilities of classes by models of the other folds, for each round."""
        told = np.zeros((rounds, len(self.given), len(self.given.classes)))
        for fold, found in zip(self.folds, told, strict=False):
            for number in range(int(fold.max()) + 1):
                if time.monotonic() > self.until:
                    raise _TimeIsOver
                inside = np.flatnonzero(fold == number)
                model = self.train(examples(np.flatnonzero(fold != number)))
                found[inside] = model.probabilities(list(self.given.take(inside).texts))
        return told


@dataclass(frozen=True)
class _Tried:
    """What a trial found, and how many trainings it took.

    Attributes
    ----------
    alone : array, shape (examples, classes), or None
        Probabilities by a model of made examples.
    folds : array, shape (rounds, examples, classes)
        By models of the other folds with new examples.
    """

    alone: Probabilities | None
    folds: Probabilities
    made: int
    trainings: int


def _with_shares(made: Examples, given: Examples) -> Examples:
    """Return new examples whose classes weigh as those of the labelled ones do."""
    shares, weights = given.labels.sum(0), made.labels.sum(0)
    factor = np.divide(shares, weights, out=np.zeros_like(shares), where=weights > 0)
    return replace(made, weights=(made.labels * factor).sum(1).astype(np.float32))


def _sign_test(better: int, worse: int) -> float:
    """Return how probable so many better ones are if better and worse are alike probable."""
    from scipy.stats import binomtest

    if better + worse == 0:
        return 1.0
    return float(binomtest(better, better + worse, alternative="greater").pvalue)
