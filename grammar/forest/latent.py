"""PCFGs with latent annotations: every label of a skeleton has states that no tree shows.

Matsuzaki, Miyao & Tsujii (2005), *Probabilistic CFG with latent annotations*. A derivation gives
each node of a tree a state, and a tree has the sum of its derivations' probabilities.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from grammar.arrays import FloatArray, IntArray, LongArray, kernel
from grammar.errors import WeightError
from grammar.forest.forest import Forest
from grammar.forest.latent_kernels import (
    LatentRules,
    edge_posteriors,
    inside_states,
    outside_states,
    set_leaves,
    state_starts,
)
from grammar.forest.skeleton import Skeleton
from grammar.pcfg.grammar import Grammar
from grammar.rules.rules import Nonterminal, Production

__all__ = ["LatentGrammar", "LatentShape", "StateValues"]

_TOLERANCE = 1e-6


class StateValues(NamedTuple):
    """Inside and outside values of a forest, see :mod:`grammar.forest.latent_kernels`.

    Attributes
    ----------
    at : int64 array, shape (nodes + 1,)
        Node v has the values ``at[v] : at[v + 1]``, one a state.
    inside, outside : float64 arrays
        The values; their product is the posterior of the state at the node.
    scale : float64 array, shape (nodes,)
        Logarithm of what the inside values of each node are relative to.
    log_totals : float64 array, shape (roots,)
        Logarithm of the probability of each root; -inf if it has no derivation.
    """

    at: LongArray
    inside: FloatArray
    outside: FloatArray
    scale: FloatArray
    log_totals: FloatArray


@dataclass(frozen=True, eq=False)
class LatentShape:
    """Where the weights of rules over states lie.

    Parameters
    ----------
    lhs, first, second : int32 arrays, shape (rules,)
        Sides of the rules (:meth:`grammar.forest.skeleton.Skeleton.sides`).
    states : int32 array, shape (labels,)
        How many states each label has.
    """

    lhs: IntArray
    first: IntArray
    second: IntArray
    states: IntArray

    @cached_property
    def sizes(self) -> tuple[LongArray, LongArray, LongArray]:
        """States of the parent, of the first child and of the second (1 if there is none)."""
        states = self.states.astype(np.int64)
        first = np.where(self.first >= 0, states[self.first], 0)
        second = np.where(self.second >= 0, states[self.second], 1)
        return states[self.lhs], first, second

    @cached_property
    def blocks(self) -> LongArray:
        """int64 array, shape (rules + 1,): where the block of each rule begins."""
        parent, first, second = self.sizes
        return np.concatenate(([0], np.cumsum(parent * first * second)))

    @cached_property
    def state_starts(self) -> LongArray:
        """int64 array: label k has the states ``state_starts[k] : state_starts[k + 1]`` of all."""
        return np.concatenate(([0], np.cumsum(self.states))).astype(np.int64)

    @cached_property
    def parent_states(self) -> LongArray:
        """int64 array, shape (weights,): the state of the parent that each weight belongs to."""
        return _parents(self.blocks, self.lhs, self.states, self.state_starts)


@dataclass(frozen=True, eq=False)
class LatentGrammar:
    """Weights of a skeleton's rules over states.

    Parameters
    ----------
    skeleton : Skeleton
        The coarse grammar.
    states : int32 array, shape (nonterminals,)
        How many states each label has; the start symbol has one.
    weight : float64 array
        A block for each rule but those of words, in the order of the rules. The block of
        ``A -> B C`` has the states of B, C and A as its axes, that of ``A -> B`` those of B and A.
        The weights of each state of A sum to one, if A is not a tag.

    Raises
    ------
    WeightError
        If the weights are not such.

    Examples
    --------
    >>> skeleton = Skeleton(Grammar.parse("S -> T T [1/2] | T [1/2]\\nT -> 'T' [1]"))
    >>> grammar = LatentGrammar.of_skeleton(skeleton)
    >>> grammar.states.tolist(), grammar.weight.tolist()
    ([1, 1], [0.5, 0.5])
    """

    skeleton: Skeleton
    states: IntArray
    weight: FloatArray

    def __post_init__(self) -> None:
        shape = self.shape
        if len(self.weight) != shape.blocks[-1]:
            raise WeightError(
                f"there are {len(self.weight):,} weights for blocks of {shape.blocks[-1]:,}",
                hint="the file or the arrays do not belong together",
            )
        sums = _sums(shape.blocks, shape.lhs, self.states, shape.state_starts, self.weight)
        is_tag = np.zeros(len(self.states), np.bool_)
        is_tag[self.skeleton.tags] = True
        off = ~np.repeat(is_tag, self.states) & ~(np.abs(sums - 1.0) <= _TOLERANCE)
        if off.any() or not (self.weight >= 0.0).all():
            raise WeightError(
                "the weights of some state are negative or do not sum to one",
                where=self._name_of(int(np.argmax(off))),
                hint="divide them by their sum",
            )

    @classmethod
    def of_skeleton(cls, skeleton: Skeleton) -> LatentGrammar:
        """Return the grammar with one state a label, which is the skeleton itself."""
        inner = skeleton.sides()[1] >= 0
        states = np.ones(len(skeleton.grammar.rules.nonterminals), np.int32)
        return cls(skeleton, states, skeleton.grammar.weight[inner])

    @cached_property
    def shape(self) -> LatentShape:
        """Where everything lies in the weights."""
        return LatentShape(*self.skeleton.sides(), self.states)

    @cached_property
    def rules(self) -> LatentRules:
        """The weights as kernels take them."""
        return LatentRules(self.states, self.shape.blocks, self.weight)

    @cached_property
    def tag_starts(self) -> LongArray:
        """int64 array: tag t has the states ``tag_starts[t] : tag_starts[t + 1]`` of all tags."""
        return np.concatenate(([0], np.cumsum(self.states[self.skeleton.tags]))).astype(np.int64)

    def weights_of(self, forest: Forest) -> int:
        """Return how many weights the edges of a forest have together."""
        sizes = np.append(np.diff(self.shape.blocks), 0)  # leaves have rule -1
        return int(sizes[forest.rule].sum())

    def values(self, forest: Forest, leaf: LongArray, emission: FloatArray) -> StateValues:
        """Compute inside and outside values.

        Parameters
        ----------
        forest : Forest
            Of the skeleton.
        leaf : int64 array, shape (nodes,)
            Where in ``emission`` the probabilities of a leaf's word begin, one a state; any number
            for other nodes.
        emission : float64 array
            Probabilities of words given states of tags.
        """
        at = state_starts(forest, self.states)
        inside, outside = np.zeros(at[-1]), np.zeros(at[-1])
        scale = np.zeros(len(forest.label))
        set_leaves(forest, leaf, emission, at, inside, scale)
        inside_states(forest, self.rules, at, inside, scale)
        outside_states(forest, self.rules, at, inside, scale, outside)
        sums = [inside[at[root] : at[root + 1]].sum() for root in forest.roots]
        with np.errstate(divide="ignore"):
            totals = scale[forest.roots] + np.log(sums)
        return StateValues(at, inside, outside, scale, totals)

    def sentence_values(self, forest: Forest, emission: FloatArray) -> StateValues:
        """Compute values of the forest of one sentence; ``emission`` has shape (words, states)."""
        number = np.full(len(self.states), -1)
        number[self.skeleton.tags] = np.arange(len(self.skeleton.tags))
        column = self.tag_starts[np.maximum(number[forest.label], 0)]
        leaf = forest.begin.astype(np.int64) * emission.shape[1] + column
        return self.values(forest, leaf, np.ravel(emission))

    def posteriors(self, forest: Forest, emission: FloatArray) -> FloatArray:
        """Return the posterior of every edge of a sentence's forest, summed over states.

        All are zero if no derivation in the forest has a probability.
        """
        values = self.sentence_values(forest, emission)
        return edge_posteriors(
            forest, self.rules, values.at, values.inside, values.scale, values.outside
        )

    def to_grammar(
        self, words: tuple[str, ...], emission: FloatArray, *, threshold: float = 0.0
    ) -> Grammar:
        """Return the same distribution as a PCFG over symbols such as ``NP#3``.

        Parameters
        ----------
        words : tuple of str
            Words.
        emission : float64 array, shape (words, tag states)
            Their probabilities; normalised here, as other words may have some too.
        threshold : float
            Rules with a lower weight are left out.
        """
        names = [self._name_of(state) for state in range(self.shape.state_starts[-1])]
        lhs, first, second = self.skeleton.sides()
        made = []
        for rule, block in enumerate(self.shape.blocks[:-1].tolist()):
            if first[rule] < 0:
                continue
            starts = [self.shape.state_starts[k] for k in (first[rule], second[rule]) if k >= 0]
            shape = [self.states[k] for k in (first[rule], second[rule], lhs[rule]) if k >= 0]
            weights = self.weight[block : self.shape.blocks[rule + 1]].reshape(shape)
            for place in np.argwhere(weights > threshold):
                right = (names[s + k] for s, k in zip(starts, place[:-1], strict=True))
                parent = names[self.shape.state_starts[lhs[rule]] + place[-1]]
                rhs = tuple(map(Nonterminal, right))
                made.append(Production(Nonterminal(parent), rhs, float(weights[tuple(place)])))
        column = 0
        for tag in self.skeleton.tags.tolist():
            for state in range(self.shape.state_starts[tag], self.shape.state_starts[tag + 1]):
                for word in np.flatnonzero(emission[:, column] > threshold).tolist():
                    weight = float(emission[word, column])
                    made.append(Production(Nonterminal(names[state]), (words[word],), weight))
                column += 1
        start = self.skeleton.grammar.start
        return Grammar.from_productions(made, start=start, normalise=True)

    def _name_of(self, state: int) -> str:
        label = int(np.searchsorted(self.shape.state_starts, state, side="right")) - 1
        name = self.skeleton.grammar.rules.nonterminals[label]
        return (
            f"{name}#{state - self.shape.state_starts[label]}" if self.states[label] > 1 else name
        )


@kernel()
def _sums(
    blocks: LongArray, lhs: IntArray, states: IntArray, starts: LongArray, weight: FloatArray
) -> FloatArray:
    """Return the sum of the weights of each state; nothing of the size of the weights is made."""
    sums = np.zeros(starts[-1])
    for rule in range(len(lhs)):
        count, start = states[lhs[rule]], starts[lhs[rule]]
        for i in range(blocks[rule], blocks[rule + 1]):
            sums[start + (i - blocks[rule]) % count] += weight[i]
    return sums


@kernel()
def _parents(blocks: LongArray, lhs: IntArray, states: IntArray, starts: LongArray) -> LongArray:
    parent = np.empty(blocks[-1], np.int64)
    for rule in range(len(lhs)):
        count = states[lhs[rule]]
        for i in range(blocks[rule], blocks[rule + 1]):
            parent[i] = starts[lhs[rule]] + (i - blocks[rule]) % count
    return parent
