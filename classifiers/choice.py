"""Whether new examples help, and which: a choice by evidence from the labelled examples alone.

All candidates are judged in cross-validation, beside controls: no new examples, copies of the
labelled ones, shuffled labels, the majority class. A candidate is taken if its test passes
(:mod:`classifiers.evidence`: one level for all of them), it makes labels more probable than the
labelled examples alone do, and copies gain no more. Nothing is chosen unless the evidence speaks
for it.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from classifiers.evidence import (
    PRIOR,
    Controls,
    Evidence,
    holm_levels,
    paired_interval,
    permutation_test,
    permutation_tests,
    sign_test,
)
from classifiers.examples import LEAST, Examples, read_examples
from classifiers.scores import NEAR
from classifiers.training.folds import folds_of
from classifiers.training.learning_curve import SHARES, Worth, labels_worth, share_of
from classifiers.training.train import Classifier, Training
from grammar.arrays import LongArray
from grammar.errors import CorpusError, TreewrightError
from grammar.options import whole_number
from grammar.rng import stream_key
from induction.corpus.corpus import Corpus
from induction.corpus.formats import read_corpus

__all__ = ["Candidate", "Choice", "choose"]

Probabilities = NDArray[np.float64]
"""Of classes, along the last axis."""
Train = Callable[[Examples], Classifier]

FOLDS = 5
ROUNDS = 3
"""So often are folds dealt again for examples that are made once: few labels say little."""


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
    written : bool
        Whether a person wrote what they are made from: most of the level is for these.

    Examples
    --------
    >>> from sampling import augment
    >>> def punctuated(part, seed):
    ...     return augment(part, "aeda", n=len(part), seed=seed).corpus
    >>> Candidate("aeda", punctuated).weight
    1.0
    """

    name: str
    make: Callable[[Corpus, int], Corpus]
    weight: float = 1.0
    recombines: bool = True
    written: bool = False

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
class Choice:
    """Which candidate was chosen, or none, and the evidence on all of them.

    Attributes
    ----------
    chosen : str or None
        The name of the candidate.
    evidence : tuple of Evidence
        On all that were tried, in their order.
    controls : Controls
        What they were compared with.
    fits : int
        How many trainings all of it took.
    skipped : tuple of str
        The names of those that were not tried, since the budget was spent.
    ended : tuple of str
        The names of those that were not tried to the end, since the time was over: a slower machine
        may choose otherwise.
    candidate : Candidate or None
        The one that was chosen.
    worth : Worth or None
        With how many labels the baseline would be as good
        (:mod:`classifiers.training.learning_curve`); None where nothing was chosen, the learning
        curve does not tell, or the budget was spent.

    Examples
    --------
    >>> from classifiers.evidence import Controls
    >>> controls = Controls(
    ...     majority=0.5, shuffled=0.48, without=0.7, copies=0.71, folds=5, rounds=2
    ... )
    >>> Choice(None, (), controls, fits=30).chosen is None  # nothing was better than copies
    True
    """

    chosen: str | None
    evidence: tuple[Evidence, ...]
    controls: Controls
    fits: int
    skipped: tuple[str, ...] = field(default=())
    ended: tuple[str, ...] = field(default=())
    candidate: Candidate | None = field(default=None, repr=False)
    worth: Worth | None = field(default=None)

    def examples(self, corpus: Any, *, seed: int = 0) -> Examples:
        """Return what to train on: the labelled examples, and the new ones that were chosen."""
        corpus = read_corpus(corpus)
        given = read_examples(corpus)
        return given if self.candidate is None else self.candidate.added(given, corpus, seed)

    def __str__(self) -> str:
        first, *rest = self.summary().splitlines()
        return "\n".join([first, *(f"  {one.line()}" for one in self.evidence), *rest])

    def summary(self) -> str:
        """Return the choice in words: what was compared, what it adds, what was not tried."""
        lines = [f"chosen: {self.chosen or 'none'}", f"  {self.controls}"]
        reached = self.controls.without
        for one in self.evidence:
            if one.name == self.chosen:
                lines.append(f"  it adds {one.made:,} new examples")
                reached = one.with_new
        if reached < self.controls.majority + NEAR:
            lines.append(
                f"  {reached:.3f} is no better than always naming the largest class: label more "
                "examples before you rely on it"
            )
        lines += [f"  it is {self.worth}"] if self.worth is not None else []
        lines += [f"  {name}: not tried, the budget was spent" for name in self.skipped]
        lines += [
            f"  {name}: not tried to the end, the time was over; a slower machine may choose "
            "otherwise"
            for name in self.ended
        ]
        return "\n".join(lines)


def choose(
    corpus: Any,
    candidates: Sequence[Candidate],
    train: Train,
    *,
    folds: int = FOLDS,
    rounds: int = ROUNDS,
    seed: int = 0,
    budget: int | None = None,
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
        Trains a classifier (:func:`~classifiers.training.train.trainer`). What its config leaves to
        be fitted is fitted once, to the labelled examples, and kept for all candidates. (Made
        examples alone are learnt without that: their test permutes the labels.)
    folds : int
        Of the cross-validation; fewer if a class has fewer examples.
    rounds : int
        So often are folds dealt again, for candidates that do not recombine: these need no new
        examples for it, but trainings.
    seed : int
        Of the folds and of all draws.
    budget : int, optional
        A candidate is not tried if with it there would be more trainings than this; those of the
        controls count. The choice then is a function of what goes in, on any machine.
    seconds : float, optional
        A clock that ends trials early, in place of or beside the budget; what it ended is named.
    on_trial : callable, optional
        Told the evidence on each candidate as it is tried, before any verdict.

    Returns
    -------
    Choice
        Of those whose evidence suffices, the candidate with which labels are most probable in
        cross-validation. However many are tried, anything is taken at most once in twenty times
        where labels tell nothing (:mod:`classifiers.evidence`).

    Raises
    ------
    CorpusError
        If a class has one example only.
    TreewrightError
        If a candidate that does not recombine cannot make examples.

    Examples
    --------
    >>> from classifiers import read_config, trainer
    >>> from induction import read_reviews
    >>> from sampling import augment
    >>> def punctuated(part, seed):
    ...     return augment(part, "aeda", n=len(part), seed=seed).corpus
    >>> few = read_reviews()[::20]
    >>> train = trainer(read_config(encoder="tfidf"))
    >>> found = choose(few, [Candidate("aeda", punctuated)], train, folds=2, rounds=1)
    >>> found.chosen is None  # no evidence of a gain
    True
    """
    corpus = read_corpus(corpus)
    whole_number("folds", folds, 2)
    whole_number("rounds", rounds, 1)
    whole_number("seed", seed, 0)
    until = math.inf if seconds is None else time.monotonic() + seconds
    trial = _Trial(corpus, train, (folds, rounds), seed)
    controls = trial.controls()
    trial.until = until  # the controls are there whatever they take
    found, skipped, ended = [], [], []
    for candidate in candidates:
        if budget is not None and trial.fits + trial.price(candidate) > budget:
            skipped.append(candidate.name)
            continue
        try:
            found.append(trial.evidence(candidate))
        except _TimeIsOver:
            ended.append(candidate.name)
            continue
        if on_trial is not None:
            on_trial(found[-1])
    tried = {candidate.name: candidate for candidate in candidates}
    judged = _judged(trial.together(found, tried), tried)
    best = max((one for one in judged if one.taken), key=lambda one: one.nats, default=None)
    named = (None, None) if best is None else (best.name, tried[best.name])
    worth = None if best is None else trial.worth(best, budget)
    return Choice(
        named[0], tuple(judged), controls, trial.fits, tuple(skipped), tuple(ended), named[1],
        worth,
    )  # fmt: skip


def _judged(found: list[Evidence], candidates: dict[str, Candidate]) -> list[Evidence]:
    """Return the evidence with its verdicts: the level is one for all that were to be tried."""
    weights = _weights(candidates.values())
    p = dict.fromkeys(weights, 1.0)  # of what was not tried, too: no clock moves the level
    for key in p:
        # those that are tested together pass their share on if all of them are taken
        p[key] = max(
            (one.p for one in found if _hypothesis(candidates[one.name]) is key), default=1.0
        )
    levels = dict(zip(p, holm_levels(list(p.values()), list(weights.values())), strict=True))
    return [
        _verdict(replace(one, level=levels[_hypothesis(candidates[one.name])])) for one in found
    ]


WRITTEN, UNWRITTEN = "written", "unwritten"
"""Examples made without the labels, from what a person wrote, and from what nobody did."""


def _hypothesis(candidate: Candidate) -> Any:
    """Return what a candidate tests; those of a kind made without the labels test it together."""
    if candidate.recombines:
        return candidate
    return WRITTEN if candidate.written else UNWRITTEN


def _weights(candidates: Iterable[Candidate]) -> dict[Any, float]:
    """Return the share of the level of each hypothesis, in the order of the candidates."""
    each = list(dict.fromkeys(map(_hypothesis, candidates)))
    mixing = sum(isinstance(one, Candidate) for one in each)
    both = {WRITTEN, UNWRITTEN} <= set(each)
    shares = {WRITTEN: PRIOR if both else 1.0, UNWRITTEN: 1 - PRIOR if both else 1.0}
    return {
        one: (1 - PRIOR) / mixing if isinstance(one, Candidate) else PRIOR * shares[one]
        for one in each
    }


def _verdict(one: Evidence) -> Evidence:
    if one.why:  # it could not be made
        return one
    if one.p > one.level:
        return replace(one, why=f"not taken, chance is not excluded (p above {one.level:.4f})")
    if one.nats <= 0:
        return replace(one, why="not taken, labels are no more probable than without it")
    if one.with_new < one.copies:
        return replace(one, why="not taken, copies gain more")
    return replace(one, taken=True, why=f"evidence suffices (p at most {one.level:.4f})")


class _TimeIsOver(Exception):  # noqa: N818 (no error: it ends a trial)
    pass


class _Trial:
    """The folds of one corpus, and how its labels are told without new examples."""

    until = math.inf
    """When a trial is given up."""

    def __init__(
        self,
        corpus: Corpus,
        train: Train,
        folds_and_rounds: tuple[int, int],
        seed: int,
    ) -> None:
        self.corpus = corpus
        self.train_alone = train
        self.seed = seed
        self.fits = 0
        self.given = read_examples(corpus)
        sizes = self.given.sizes
        fewest = int(sizes[sizes > 0].min())
        if fewest < 2:
            rare = self.given.classes[int(np.flatnonzero(sizes == fewest)[0])]
            raise CorpusError(
                f"the class {rare!r} has one example, which cannot be learnt from and judged by",
                hint="label one more",
            )
        self.train = train.fitted(self.given) if isinstance(train, Training) else train
        self.majority = float(np.bincount(self.given.strata).max() / len(self.given))
        folds, self.rounds = folds_and_rounds
        self.count = min(folds, fewest)
        self.folds = [folds_of(self.given, self.count, seed, n) for n in range(self.rounds)]
        self.alone: dict[Any, tuple[Examples, Probabilities]] = {}
        self.gains: dict[str, Probabilities] = {}

    def controls(self) -> Controls:
        """Return what every candidate is compared with."""
        given = self.given
        self.without = self._told(given.take, self.rounds)
        self.copies = self._told(
            lambda rows: given.take(rows).with_new(given.take(rows), 1.0), self.rounds
        )
        key = int(stream_key(self.seed, "shuffled labels"))
        order = np.random.Generator(np.random.Philox(key=key)).permutation(len(given))
        mixed = replace(given, labels=given.labels[order])
        # the folds spread the true classes; a class may be missing in some of a few shuffled ones
        shuffled = self._told(mixed.take, 1, folds_of(mixed, self.count, self.seed))
        return Controls(
            self.majority,
            float(mixed.right(shuffled).mean()),
            float(self._right(self.without).mean()),
            float(self._right(self.copies).mean()),
            self.count,
            self.rounds,
        )

    def price(self, candidate: Candidate) -> int:
        """Return how many trainings a candidate takes."""
        if candidate.recombines:
            return self.count
        return self.rounds * self.count + (candidate.make not in self.alone)

    def evidence(self, candidate: Candidate) -> Evidence:
        """Try a candidate."""
        begin, before = time.monotonic(), self.fits
        try:
            tried = self._recombined(candidate) if candidate.recombines else self._made(candidate)
        except TreewrightError as error:
            if not candidate.recombines:  # what a person wrote is at fault
                raise
            controls = (self.without, self.copies)
            without, copies = (float(self._right(told).mean()) for told in controls)
            return Evidence(
                candidate.name, None, without, copies, 0.0, (-1.0, 1.0), 0.0, 1.0, 0.0, False,
                f"not taken, it cannot be made ({error.what})", time.monotonic() - begin,
            )  # fmt: skip
        found = self._weighed(candidate, tried)
        return replace(found, seconds=time.monotonic() - begin, fits=self.fits - before)

    def together(self, found: list[Evidence], candidates: dict[str, Candidate]) -> list[Evidence]:
        """Return the evidence, of what was made without the labels by one test of each kind."""
        kinds: dict[Any, dict[Any, Probabilities]] = {}
        for one in candidates.values():
            if one.make in self.alone:
                _, alone = self.alone[one.make]
                kinds.setdefault(_hypothesis(one), {})[one.make] = np.log(alone.clip(min=LEAST))
        p: dict[Any, float] = {}
        for scores in kinds.values():
            tests = permutation_tests(list(scores.values()), self.given.hard, self.seed)
            p |= zip(scores, tests, strict=True)
        return [replace(one, p=p.get(candidates[one.name].make, one.p)) for one in found]

    def worth(self, chosen: Evidence, budget: int | None) -> Worth | None:
        """Return with how many labels the baseline would be as good as what was chosen."""
        price = len(SHARES) * self.rounds * self.count
        if budget is not None and self.fits + price > budget:
            return None
        right, sizes = [], []
        try:
            for share in SHARES:
                learnt: list[int] = []
                right.append(
                    self._right(self._told(self._share(share, learnt), self.rounds)).mean(0)
                )
                sizes.append(float(np.mean(learnt)))
        except _TimeIsOver:
            return None
        whole = len(self.given) * (1 - 1 / self.count)
        curve = np.stack([*right, self._right(self.without).mean(0)])
        return labels_worth([*sizes, whole], curve, self.gains[chosen.name], self.seed)

    def _share(self, share: float, learnt: list[int]) -> Callable[[LongArray], Examples]:
        """Return what takes a share of the labelled examples of a fold, and notes how many."""

        def taken(rows: LongArray) -> Examples:
            part = share_of(self.given, rows, share, self.seed + len(learnt))
            learnt.append(len(part))
            return self.given.take(part)

        return taken

    def _weighed(self, candidate: Candidate, tried: _Tried) -> Evidence:
        rounds = len(tried.folds)
        against = [self.without[:rounds], self.copies[:rounds]]
        right, (without, copies) = self._right(tried.folds), map(self._right, against)
        alone = None
        if tried.alone is None:
            p = max(_p_of(right, other) for other in (without, copies))
        else:
            p = permutation_test(np.log(tried.alone.clip(min=LEAST)), self.given.hard, self.seed)
            alone = float(self._right(tried.alone).mean())
        nats = float((self._nats(tried.folds) - self._nats(against[0])).mean())
        self.gains[candidate.name] = right.mean(0) - without.mean(0)
        interval = paired_interval(self.gains[candidate.name])
        return Evidence(
            candidate.name, alone, float(without.mean()), float(copies.mean()),
            float(right.mean()), interval, nats, p, 0.0, False, "", 0.0, tried.made,
        )  # fmt: skip

    def _recombined(self, candidate: Candidate) -> _Tried:
        sizes = []

        def of_fold(rows: LongArray) -> Examples:
            part = Corpus(self.corpus.table.take(rows))
            both = candidate.added(self.given.take(rows), part, self.seed)
            sizes.append(len(both) - len(rows))
            return both

        return _Tried(None, self._told(of_fold, 1), max(sizes))

    def _made(self, candidate: Candidate) -> _Tried:
        # made once, for all folds: these examples know nothing of the labelled ones; what they know
        # does not turn on how much they will weigh
        if candidate.make not in self.alone:
            both = replace(candidate, weight=1.0).added(self.given, self.corpus, self.seed)
            made = both.take(np.arange(len(self.given), len(both)))
            self.fits += 1
            model = self.train_alone(made)
            self.alone[candidate.make] = made, model.probabilities(list(self.given.texts))
        made, alone = self.alone[candidate.make]
        told = self._told(
            lambda rows: self.given.take(rows).with_new(made, candidate.weight), self.rounds
        )
        return _Tried(alone, told, len(made))

    def _right(self, told: Probabilities) -> NDArray[np.bool_]:
        """Return which labels are the most probable, or whole sets of classes are."""
        return self.given.right(told)

    def _nats(self, told: Probabilities) -> Probabilities:
        """Return the log-probability of every label."""
        return self.given.nats(told)

    def _told(
        self, examples: Callable[[LongArray], Examples], rounds: int, dealt: LongArray | None = None
    ) -> Probabilities:
        """Return the probabilities of classes by models of the other folds, for each round."""
        told = np.zeros((rounds, len(self.given), len(self.given.classes)))
        for fold, found in zip(self.folds if dealt is None else [dealt], told, strict=False):
            for number in range(int(fold.max()) + 1):
                if time.monotonic() > self.until:
                    raise _TimeIsOver
                inside = np.flatnonzero(fold == number)
                self.fits += 1
                model = self.train(examples(np.flatnonzero(fold != number)))
                found[inside] = model.probabilities(list(self.given.take(inside).texts))
        return told


@dataclass(frozen=True)
class _Tried:
    """What a trial found.

    Attributes
    ----------
    alone : array, shape (examples, classes), or None
        Probabilities by a model of made examples.
    folds : array, shape (rounds, examples, classes)
        By models of the other folds with new examples.
    made : int
        How many there were.
    """

    alone: Probabilities | None
    folds: Probabilities
    made: int


def _p_of(right: NDArray[np.bool_], other: NDArray[np.bool_]) -> float:
    better = right.sum(0) - other.sum(0)
    return sign_test(int((better > 0).sum()), int((better < 0).sum()))


def _with_shares(made: Examples, given: Examples) -> Examples:
    """Return new examples whose classes weigh as those of the labelled ones do."""
    shares, weights = given.labels.sum(0), made.labels.sum(0)
    factor = np.divide(shares, weights, out=np.zeros_like(shares), where=weights > 0)
    return replace(made, weights=(made.labels * factor).sum(1).astype(np.float32))
