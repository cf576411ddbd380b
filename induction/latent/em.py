"""Expectation-maximisation for latent annotations, given trees.

The E-step is exact and one pass over all trees: their forest has one edge a node, and the kernels
that sum over its states are those that parse (:mod:`grammar.forest.latent_kernels`).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
import scipy.sparse as sp

from grammar.arrays import FloatArray, IntArray, LongArray, kernel
from grammar.forest.forest import Forest
from grammar.forest.latent import LatentGrammar, LatentShape, StateValues
from grammar.forest.latent_kernels import rule_uses
from induction.counts.lexicon import Lexicon
from induction.counts.skeletons import SkeletonTrees

__all__ = ["Annotator", "LatentCounts", "LatentModel"]

_NEGLIGIBLE = 1e-10
"""Weights below this are set to zero."""


@dataclass(frozen=True, eq=False)
class LatentModel:
    """A grammar with latent states, and a lexicon over the states of tags."""

    grammar: LatentGrammar
    lexicon: Lexicon

    def posteriors(self, forest: Forest, sentence: tuple[str, ...]) -> FloatArray:
        """Return the posterior of every edge of the forest of a sentence."""
        return self.grammar.posteriors(forest, self.lexicon.emission(sentence))

    def log_totals(self, forest: Forest, sentence: tuple[str, ...]) -> FloatArray:
        """Return the log-probability of what is below each root of a forest; -inf if nothing is."""
        return self.grammar.sentence_values(forest, self.lexicon.emission(sentence)).log_totals


class LatentCounts(NamedTuple):
    """Expected uses: of rules over states (as weights are), of words under states (by pairs)."""

    rules: FloatArray
    words: FloatArray


class Annotator:
    """Trees to annotate with states.

    Parameters
    ----------
    trees : SkeletonTrees
        The treebank.
    """

    def __init__(self, trees: SkeletonTrees) -> None:
        self.trees = trees
        self.pair_word, self.pair_tag, self.pair_of_leaf = trees.pairs()

    @cached_property
    def _base(self) -> Lexicon:
        return self.trees.lexicon()

    def unsplit(self) -> LatentModel:
        """Return the model with one state a label."""
        return LatentModel(LatentGrammar.of_skeleton(self.trees.skeleton), self._base)

    def pair_starts(self, states: IntArray) -> LongArray:
        """Return where the states of each (word, tag) pair begin, shape (pairs + 1,)."""
        sizes = states[self.trees.skeleton.tags][self.pair_tag]
        return np.concatenate(([0], np.cumsum(sizes))).astype(np.int64)

    def values(self, model: LatentModel) -> StateValues:
        """Return inside and outside values of all trees (the E-step)."""
        leaf = np.zeros(len(self.trees.forest.label), np.int64)
        leaf[self.trees.leaf_node] = self.pair_starts(model.grammar.states)[self.pair_of_leaf]
        return model.grammar.values(self.trees.forest, leaf, model.lexicon.seen())

    def counts(self, model: LatentModel, values: StateValues) -> LatentCounts:
        """Return the expected uses of rules and words."""
        rules = np.zeros_like(model.grammar.weight)
        at, inside, outside, scale, _ = values
        rule_uses(self.trees.forest, model.grammar.rules, at, inside, scale, outside, rules)
        starts = self.pair_starts(model.grammar.states)
        words = np.zeros(starts[-1])
        posterior = inside * outside
        _word_uses(self.trees.leaf_node, starts[self.pair_of_leaf], at, posterior, words)
        return LatentCounts(rules * model.grammar.weight, words)

    def maximise(self, states: IntArray, counts: LatentCounts) -> LatentModel:
        """Return the model whose weights are relative frequencies (the M-step).

        A state that is never used gets equal weights.
        """
        skeleton = self.trees.skeleton
        parent = LatentShape(*skeleton.sides(), states).parent_states
        total = np.bincount(parent, counts.rules, minlength=int(states.sum()))
        uses = np.where(total[parent] > 0.0, counts.rules, 1.0)
        total = np.bincount(parent, uses, minlength=len(total))
        weight = uses / total[parent]
        weight[weight < _NEGLIGIBLE] = 0.0
        weight /= np.bincount(parent, weight, minlength=len(total))[parent]
        return LatentModel(LatentGrammar(skeleton, states, weight), self._lexicon(states, counts))

    def _lexicon(self, states: IntArray, counts: LatentCounts) -> Lexicon:
        tag_states = states[self.trees.skeleton.tags]
        tag_starts = np.concatenate(([0], np.cumsum(tag_states)))
        starts = self.pair_starts(states)
        sizes = np.diff(starts)
        within = np.arange(starts[-1]) - np.repeat(starts[:-1], sizes)
        column = np.repeat(tag_starts[self.pair_tag], sizes) + within
        row_ends = np.searchsorted(self.pair_word, np.arange(len(self.trees.words)), side="right")
        indptr = np.concatenate(([0], starts[row_ends]))
        matrix = sp.csr_array(
            (counts.words, column, indptr), shape=(len(self.trees.words), int(tag_starts[-1]))
        )
        return self._base.with_counts(matrix)


@kernel()
def _word_uses(
    node: LongArray, start: LongArray, at: LongArray, posterior: FloatArray, words: FloatArray
) -> None:
    for i in range(len(node)):
        for state in range(at[node[i] + 1] - at[node[i]]):
            words[start[i] + state] += posterior[at[node[i]] + state]
