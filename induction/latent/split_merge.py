"""Automatic state splitting: latent annotations learnt by splitting, EM and merging.

Petrov, Barrett, Thibaux & Klein (2006), *Learning accurate, compact, and interpretable tree
annotation*. Every label begins with one state. In each round every state is split in two, EM fits
the new states to the trees, half of the splits, those whose loss lowers the likelihood least, are
undone, and EM runs again, with the states of a label smoothed towards their mean.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from grammar.arrays import FloatArray, IntArray, LongArray, kernel
from grammar.forest.forest import Forest
from grammar.forest.latent import LatentShape, StateValues
from grammar.options import Checked, option
from grammar.rng import next_uniform, open_stream, stream_key
from induction.counts.skeletons import SkeletonTrees
from induction.latent.em import Annotator, LatentCounts, LatentModel

__all__ = ["Iteration", "Round", "SplitMerge", "split_merge"]

_NOISE = 0.01
"""How much two new states differ at first, at most."""


@dataclass(frozen=True, eq=False)
class Round:
    """A round of splitting and merging.

    Attributes
    ----------
    number : int
        0 is the skeleton itself, with one state a label.
    model : LatentModel
        The model after it.
    log_likelihood : float
        Of the trees, in natural logarithms, before the last M-step if there is one.
    states : int
        How many states the labels have together.
    """

    number: int
    model: LatentModel
    log_likelihood: float
    states: int


@dataclass(frozen=True, kw_only=True)
class SplitMerge(Checked):
    """How states are split.

    >>> SplitMerge(rounds=2).merge_share
    0.5
    """

    rounds: int = option(
        4,
        "Number of rounds of splitting and merging; 0 leaves one state a label.",
        source="Petrov et al. 2006, section 2",
        least=0,
    )
    split_iterations: int = option(20, "Iterations of EM after splitting.", least=1)
    merge_iterations: int = option(10, "Iterations of EM after merging.", least=1)
    merge_share: float = option(
        0.5,
        "Share of the splits that is undone.",
        source="Petrov et al. 2006, section 2.3",
        least=0.0,
        most=1.0,
    )
    rule_smoothing: float = option(
        0.01,
        "How far the rules of a label's states move towards their mean: 0 is not at "
        "all, 1 is all the way.",
        source="Petrov et al. 2006, section 2.4",
        least=0.0,
        most=1.0,
    )
    word_smoothing: float = option(
        0.1,
        "How far the words of a tag's states move towards their mean: 0 is not at all, "
        "1 is all the way.",
        source="Petrov et al. 2006, section 2.4",
        least=0.0,
        most=1.0,
    )
    seed: int = option(0, "Seed of the noise that separates new states.", least=0)

    @property
    def iterations(self) -> int:
        """Iterations of a round: one more value is computed to choose what is merged."""
        return self.split_iterations + self.merge_iterations + 1


@dataclass(frozen=True)
class Iteration:
    """An iteration of EM.

    Attributes
    ----------
    round, number : int
        Which round it belongs to, and which iteration of the round it is, both from 1.
    log_likelihood : float
        Of the trees, in natural logarithms, before it.
    options : SplitMerge
        How states are split.
    grammar : int
        Which of several grammars this is, from 0.
    """

    round: int
    number: int
    log_likelihood: float
    options: SplitMerge
    grammar: int = 0

    @property
    def task(self) -> str:
        """What is being trained."""
        return f"grammar {self.grammar + 1}"

    @property
    def done(self) -> int:
        """Iterations so far, of all rounds."""
        return (self.round - 1) * self.options.iterations + self.number

    @property
    def total(self) -> int:
        """Iterations of all rounds."""
        return self.options.rounds * self.options.iterations

    @property
    def note(self) -> str:
        """Where training is, in words."""
        return f"round {self.round}, log-likelihood {self.log_likelihood:,.0f}"


def split_merge(
    trees: SkeletonTrees,
    options: SplitMerge | None = None,
    *,
    on_progress: Callable[[Iteration], Any] | None = None,
) -> Iterator[Round]:
    """Learn latent states, yielding the model before the first round and after each.

    Parameters
    ----------
    trees : SkeletonTrees
        The treebank.
    options : SplitMerge, optional
        How; by default as :class:`SplitMerge` says.
    on_progress : callable, optional
        Told each :class:`Iteration`.

    Examples
    --------
    >>> from grammar.trees.treebank import Treebank
    >>> treebank = Treebank.parse("(S (N we) (V swim)) (S (N they) (V run))" * 3)
    >>> trees = SkeletonTrees.of(treebank)
    >>> options = SplitMerge(rounds=1, split_iterations=3, merge_iterations=2)
    >>> [(step.number, step.states) for step in split_merge(trees, options)]
    [(0, 4), (1, 6)]

    Notes
    -----
    An iteration takes time in proportion to the nodes of the trees times the third power of the
    number of states of a label.
    """
    options = options or SplitMerge()
    learner = _Learner(Annotator(trees), options, on_progress)
    model = learner.annotator.unsplit()
    yield Round(0, model, learner.likelihood(model), int(model.grammar.states.sum()))
    for number in range(1, options.rounds + 1):
        model = learner.split(model, number)
        for _ in range(options.split_iterations):
            model = learner.improve(model, smooth=False)
        model = learner.merge(model)
        for _ in range(options.merge_iterations):
            model = learner.improve(model, smooth=True)
        yield Round(number, model, learner.log_likelihood, int(model.grammar.states.sum()))


class _Learner:
    def __init__(
        self,
        annotator: Annotator,
        options: SplitMerge,
        on_progress: Callable[[Iteration], Any] | None,
    ) -> None:
        self.annotator, self.options, self._tell = annotator, options, on_progress
        self.log_likelihood = -np.inf
        self._round = self._iteration = 0
        skeleton = annotator.trees.skeleton
        self._sides = skeleton.sides()
        self._start = skeleton.grammar.start_id
        self._tags = skeleton.tags[annotator.pair_tag]

    def likelihood(self, model: LatentModel) -> float:
        """Return the log-likelihood of the trees."""
        return float(self.annotator.values(model).log_totals.sum())

    def improve(self, model: LatentModel, *, smooth: bool) -> LatentModel:
        """Run one iteration of EM."""
        values = self._values(model)
        counts = self.annotator.counts(model, values)
        states = model.grammar.states
        better = self.annotator.maximise(states, counts)
        return self._smoothed(better, counts) if smooth else better

    def split(self, model: LatentModel, number: int) -> LatentModel:
        """Split every state but that of the start symbol in two that differ by a little noise."""
        self._round, self._iteration = number, 0
        old = model.grammar.shape
        states = model.grammar.states * np.int32(2)
        states[self._start] = model.grammar.states[self._start]
        new = LatentShape(*self._sides, states)
        rules = np.empty(new.blocks[-1])
        key = stream_key(self.options.seed, f"split {number}")
        _split(model.grammar.weight, old.blocks, old.sizes, new.blocks, new.sizes, key, rules)
        words = np.repeat(model.lexicon.counts.data, 2)
        return self.annotator.maximise(states, LatentCounts(rules, words / 2.0))

    def merge(self, model: LatentModel) -> LatentModel:
        """Undo the splits that the likelihood would miss least."""
        values, shape = self._values(model), model.grammar.shape
        counts = self.annotator.counts(model, values)
        target, states = self._merged_states(model, values)
        new = LatentShape(*self._sides, states)
        rules = np.zeros(new.blocks[-1])
        lhs, first, second = (np.where(s >= 0, shape.state_starts[s], -1) for s in self._sides)
        starts = (lhs, first, second)
        _merge(
            counts.rules, shape.blocks, shape.sizes, starts, target, new.blocks, new.sizes, rules
        )
        old_starts = self.annotator.pair_starts(model.grammar.states)
        sizes = np.diff(old_starts)
        within = np.arange(old_starts[-1]) - np.repeat(old_starts[:-1], sizes)
        state = target[np.repeat(shape.state_starts[self._tags], sizes) + within]
        new_starts = self.annotator.pair_starts(states)
        place = np.repeat(new_starts[:-1], sizes) + state
        words: FloatArray = np.bincount(place, counts.words, int(new_starts[-1])).astype(float)
        return self.annotator.maximise(states, LatentCounts(rules, words))

    def _merged_states(self, model: LatentModel, values: StateValues) -> tuple[LongArray, IntArray]:
        """Return which state of its label each state becomes, and how many are left."""
        forest, starts = self.annotator.trees.forest, model.grammar.shape.state_starts
        frequency, change = np.zeros(starts[-1]), np.zeros(starts[-1])
        _frequencies(forest, values.at, values.inside * values.outside, starts, frequency)
        _merge_changes(forest, values.at, values.inside, values.outside, starts, frequency, change)
        label = np.repeat(np.arange(len(starts) - 1), model.grammar.states)
        second = ((np.arange(starts[-1]) - starts[label]) % 2 == 1) & (label != self._start)
        pairs = np.flatnonzero(second)
        # the pairs whose union changes the likelihood least come first; ties in order of state
        order = np.argsort(-change[pairs - 1], kind="stable")
        merged = np.zeros(starts[-1], np.bool_)
        merged[pairs[order[: int(len(pairs) * self.options.merge_share)]]] = True
        place = np.cumsum(~merged)
        before = np.concatenate(([0], place))[starts[:-1]]
        left = np.bincount(label[~merged], minlength=len(starts) - 1).astype(np.int32)
        return place - 1 - before[label], left

    def _smoothed(self, model: LatentModel, counts: LatentCounts) -> LatentModel:
        """Move the weights of each label's states towards their mean (their section 2.4)."""
        grammar, options = model.grammar, self.options
        weight, words = grammar.weight.copy(), counts.words.copy()
        _move_to_mean(weight, grammar.shape.blocks, grammar.shape.sizes[0], options.rule_smoothing)
        starts = self.annotator.pair_starts(grammar.states)
        _move_to_mean(words, starts, np.diff(starts), options.word_smoothing)
        return self.annotator.maximise(grammar.states, LatentCounts(weight, words))

    def _values(self, model: LatentModel) -> StateValues:
        values = self.annotator.values(model)
        self.log_likelihood = float(values.log_totals.sum())
        self._iteration += 1
        if self._tell is not None:
            at = self._round, self._iteration, self.log_likelihood
            self._tell(Iteration(*at, self.options))
        return values


Sizes = tuple[LongArray, LongArray, LongArray]


@kernel()
def _split(
    old_weight: FloatArray,
    old_blocks: LongArray,
    old: Sizes,
    blocks: LongArray,
    new: Sizes,
    key: np.uint64,
    weight: FloatArray,
) -> None:
    """Copy each weight to the states that come from its states, with noise."""
    for rule in range(len(blocks) - 1):
        random = open_stream(key, rule)
        i = blocks[rule]
        for b in range(new[1][rule]):
            old_b = b * old[1][rule] // new[1][rule]
            for c in range(new[2][rule]):
                row = old_b * old[2][rule] + c * old[2][rule] // new[2][rule]
                for a in range(new[0][rule]):
                    random, u = next_uniform(random)
                    from_a = a * old[0][rule] // new[0][rule]
                    at = old_blocks[rule] + row * old[0][rule] + from_a
                    weight[i] = old_weight[at] * (1.0 + _NOISE * (2.0 * u - 1.0))
                    i += 1


@kernel()
def _merge(
    uses: FloatArray,
    blocks: LongArray,
    sizes: Sizes,
    starts: Sizes,
    target: LongArray,
    new_blocks: LongArray,
    new_sizes: Sizes,
    merged: FloatArray,
) -> None:
    """Add the uses over old states to those over the states that they become."""
    for rule in range(len(blocks) - 1):
        i = blocks[rule]
        for b in range(sizes[1][rule]):
            new_b = target[starts[1][rule] + b]
            for c in range(sizes[2][rule]):
                new_c = target[starts[2][rule] + c] if starts[2][rule] >= 0 else 0
                row = new_b * new_sizes[2][rule] + new_c
                for a in range(sizes[0][rule]):
                    at = row * new_sizes[0][rule] + target[starts[0][rule] + a]
                    merged[new_blocks[rule] + at] += uses[i]
                    i += 1


@kernel()
def _frequencies(
    forest: Forest,
    at: LongArray,
    posterior: FloatArray,
    starts: LongArray,
    frequency: FloatArray,
) -> None:
    """Add up how often each state occurs."""
    for node in range(len(forest.label)):
        first = starts[forest.label[node]]
        for state in range(at[node + 1] - at[node]):
            frequency[first + state] += posterior[at[node] + state]


@kernel()
def _merge_changes(
    forest: Forest,
    at: LongArray,
    inside: FloatArray,
    outside: FloatArray,
    starts: LongArray,
    frequency: FloatArray,
    change: FloatArray,
) -> None:
    """Add up how the log-likelihood would change if states 2s and 2s + 1 of a label were one.

    At each node alone, as if the others were left as they are (their section 2.3).
    """
    for node in range(len(forest.label)):
        first, i = starts[forest.label[node]], at[node]
        for s in range(0, at[node + 1] - i - 1, 2):
            both = frequency[first + s] + frequency[first + s + 1]
            if both <= 0.0:
                continue
            share = frequency[first + s] / both
            x, y = i + s, i + s + 1
            apart = inside[x] * outside[x] + inside[y] * outside[y]
            together = (share * inside[x] + (1.0 - share) * inside[y]) * (outside[x] + outside[y])
            change[first + s] += np.log(max(1.0 - apart + together, 1e-300))


@kernel()
def _move_to_mean(values: FloatArray, blocks: LongArray, sizes: LongArray, share: float) -> None:
    """Move each run of ``sizes[r]`` values of row r towards the mean of the run."""
    for row in range(len(sizes)):
        for i in range(blocks[row], blocks[row + 1], max(sizes[row], 1)):
            run = values[i : i + sizes[row]]
            run[:] = (1.0 - share) * run + share * run.mean()
