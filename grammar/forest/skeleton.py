"""Skeletons: the coarse grammar that finer models of a treebank have in common.

A skeleton is a PCFG over tags: chains of single constituents are joined, rules have at most two
children, and its words are the names of the tags, so that unknown words are no concern of it.
Latent states, fragments and lexical heads all refine a skeleton: training uses the forest of the
given trees, parsing the forest that the skeleton leaves of a sentence
(:mod:`grammar.forest.forest`).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from grammar.arrays import BoolArray, FloatArray, IntArray, LongArray
from grammar.chart.derivations import Step, derivation_below, fewest_pieces
from grammar.chart.filling import NO_LIMIT
from grammar.chart.grammar import ChartGrammar
from grammar.chart.kernels import Chart, cell_of, empty_chart, fill_chart, outside_values
from grammar.chart.rules import ChartRules, Corner
from grammar.errors import ChartGrammarError
from grammar.forest.forest import LEAF, Forest, forest_of_chart
from grammar.forest.skeleton_kernels import fill_with_beam, outside_with_beam
from grammar.pcfg.grammar import Grammar
from grammar.trees.treebank import Treebank

__all__ = ["Skeleton", "SkeletonChart"]

_BYTES = 12 + 16 + 8 + 4
"""Of a unit over a span: inside value and place, outside value and total, value scaled, node."""


@dataclass(frozen=True, eq=False)
class Skeleton:
    """A coarse PCFG over tags.

    Parameters
    ----------
    grammar : Grammar
        With rules ``A -> B C``, ``A -> B`` and ``T -> 'T'`` for each tag T.

    Raises
    ------
    ChartGrammarError
        If its unary rules have cycles, or a rule is empty.
    """

    grammar: Grammar

    def __post_init__(self) -> None:
        if self.compiled.variants:
            raise ChartGrammarError(
                "a skeleton has no empty rules", hint="operations.remove_empty removes them"
            )
        if self.compiled.cyclic.any():
            raise ChartGrammarError(
                "unary rules of a skeleton lead in a circle",
                hint="join chains of single constituents first (the step 'unaries')",
            )

    @cached_property
    def tags(self) -> IntArray:
        """Ids of the preterminals among the nonterminals, in the order of their names."""
        rules = self.grammar.rules
        ids = [rules.nonterminals.index(name) for name in rules.words]
        return np.array(ids, np.int32)

    @cached_property
    def compiled(self) -> ChartGrammar:
        """The grammar as charts take it."""
        return ChartGrammar.compile(self.grammar)

    @cached_property
    def level(self) -> IntArray:
        """How far unary rules lead down from each unit at most, shape (units,)."""
        unary = self.compiled.rules.unary
        level = np.zeros(self.compiled.units, np.int32)
        child = self.compiled.rules.first[unary.edge]
        while True:
            raised = level.copy()
            np.maximum.at(raised, unary.parent, level[child] + 1)
            if np.array_equal(raised, level):
                return level
            level = raised

    def sides(self) -> tuple[IntArray, IntArray, IntArray]:
        """Return left-hand side, first and second child of each rule; -1 where there is none.

        The children of ``T -> 'T'`` are both -1.
        """
        rules = self.grammar.rules
        arity = np.diff(rules.offsets)
        first = np.maximum(rules.rhs[rules.offsets[:-1]], -1)
        second = np.where(arity == 2, rules.rhs[rules.offsets[1:] - 1], -1)
        return rules.lhs, first.astype(np.int32), second.astype(np.int32)

    def chart_bytes(self, length: int) -> int:
        """Return how much memory the chart of a sentence of so many words takes, in bytes."""
        return length * (length + 1) // 2 * self.compiled.units * _BYTES

    def chart(
        self, emission: FloatArray, *, beam: float = 0.0, step_limit: int = NO_LIMIT
    ) -> SkeletonChart | None:
        """Return the chart of a sentence, with sums; None if it takes too many steps.

        Parameters
        ----------
        emission : float64 array, shape (words, tags)
            Probability of each word under each tag.
        beam : float
            Drop what is less probable over a span than this share of the most probable, each by
            its value times how frequent it is. That is much quicker.
        step_limit : int
            Binary edges that may be met while it is filled.
        """
        chart = empty_chart(np.arange(len(emission)), self.compiled.units)
        rules = self._with_emission(emission)
        if beam > 0.0:
            linear, scale = np.zeros(chart.value.shape), np.zeros(len(chart.value))
            weights = self.linear
            args = (weights[0]._replace(lexical=rules.lexical), weights[1], self._prior, beam)
            if not fill_with_beam(chart, *args, step_limit, linear, scale):
                return None
            return SkeletonChart(self, chart, rules, (linear, scale))
        if not fill_chart(chart, rules, self.compiled.all_chains, False, step_limit):
            return None
        return SkeletonChart(self, chart, rules)

    def forest(self, emission: FloatArray, threshold: float) -> Forest | None:
        """Return what the skeleton leaves of a sentence; None if it has no derivation.

        See :meth:`chart` and :meth:`SkeletonChart.forest`.
        """
        chart = self.chart(emission)
        return chart.forest(threshold) if chart and chart.has_derivation else None

    @cached_property
    def linear(self) -> tuple[ChartRules, Corner]:
        """Edges and chains with weights that are no logarithms."""
        rules, chains = self.compiled.rules, self.compiled.all_chains
        corners = {name: getattr(rules, name) for name in ("left", "right", "unary")}
        plain = {name: c._replace(weight=np.exp(c.weight)) for name, c in corners.items()}
        return (
            rules._replace(weight=np.exp(rules.weight), **plain),
            chains._replace(weight=np.exp(chains.weight)),
        )

    @cached_property
    def _prior(self) -> FloatArray:
        """How frequent each unit is, shape (units,); all alike if nothing was counted."""
        lhs, count = self.grammar.rules.lhs, self.grammar.count + 1.0 / len(self.grammar)
        prior: FloatArray = np.bincount(lhs, count, minlength=self.compiled.units).astype(float)
        return prior

    def _with_emission(self, emission: FloatArray) -> ChartRules:
        """Return the edges with those of this sentence's words, each word another one."""
        word, tag = np.nonzero(emission)
        counts = np.bincount(word, minlength=len(emission))
        lexical = Corner(
            starts=np.concatenate(([0], np.cumsum(counts))).astype(np.int64),
            far=np.zeros(len(word), np.int32),
            parent=self.tags[tag],
            weight=np.log(emission[word, tag]),
            edge=np.full(len(word), LEAF),
        )
        return self.compiled.rules._replace(lexical=lexical)

    def forest_of_trees(self, treebank: Treebank) -> tuple[Forest, LongArray]:
        """Return the forest of trees of this grammar, and the symbol id of each leaf's word.

        Raises
        ------
        ChartGrammarError
            If a tree has a rule that the skeleton lacks.
        """
        inner = np.flatnonzero(~treebank.is_word)[::-1]
        node = np.full(len(treebank.label) + 1, -1, np.int32)
        node[inner] = np.arange(len(inner))
        first = inner + 1
        leaf = treebank.size[first] == 1
        second = first + treebank.size[first]
        second = np.where(second < inner + treebank.size[inner], second, len(treebank.label))
        ids = {name: i for i, name in enumerate(self.grammar.rules.nonterminals)}
        known = np.array([ids.get(name, -1) for name in treebank.symbols], np.int32)
        label = known[treebank.label[inner]]
        left, right = node[first], node[second]
        rule = self.rule_numbers(label, label[left], np.where(right >= 0, label[right], -1))
        missing = (rule < 0) & ~leaf
        if missing.any():
            strange = treebank.symbols[treebank.label[inner[np.flatnonzero(missing)[0]]]]
            raise ChartGrammarError(
                f"a tree has a rule of {strange} that the skeleton lacks",
                hint="use the trees that the skeleton was made of",
            )
        before = np.concatenate(([0], np.cumsum(treebank.is_word)))
        forest = Forest(
            label=label,
            begin=before[inner].astype(np.int32),
            end=before[inner + treebank.size[inner]].astype(np.int32),
            starts=np.arange(len(inner) + 1),
            rule=np.where(leaf, LEAF, rule).astype(np.int32),
            left=left,
            right=right,
            roots=node[treebank.offsets[:-1]].astype(np.int64),
        )
        return forest, np.where(leaf, treebank.label[first], -1)

    def rule_numbers(self, lhs: IntArray, first: IntArray, second: IntArray) -> LongArray:
        """Return the rules with these sides (see :meth:`sides`); -1 where there is none."""
        width = len(self.grammar.rules.nonterminals) + 1

        def keys(a: IntArray, b: IntArray, c: IntArray) -> LongArray:
            key: LongArray = (a.astype(np.int64) * width + b + 1) * width + c + 1
            return key

        ours = keys(*self.sides())
        order = np.argsort(ours, kind="stable")  # they are nearly in order
        wanted = keys(lhs, first, second)
        place = order[np.minimum(np.searchsorted(ours[order], wanted), len(order) - 1)]
        return np.where(ours[place] == wanted, place, -1)


@dataclass(frozen=True, eq=False)
class SkeletonChart:
    """The filled chart of a sentence.

    Parameters
    ----------
    skeleton : Skeleton
        What it was filled with.
    chart : Chart
        With sums.
    rules : ChartRules
        The edges, those of the sentence's words included.
    scaled : tuple of two float64 arrays, optional
        The values as :mod:`grammar.forest.skeleton_kernels` keeps them, if there was a beam.
    """

    skeleton: Skeleton
    chart: Chart
    rules: ChartRules
    scaled: tuple[FloatArray, FloatArray] | None = None

    @property
    def has_derivation(self) -> bool:
        """Whether the skeleton derives the sentence."""
        top = cell_of(0, len(self.chart.words))
        return bool(self.chart.value[top, self.skeleton.grammar.start_id] > -np.inf)

    def forest(self, threshold: float) -> Forest:
        """Return the nodes whose posterior probability is at least the threshold."""
        outside = np.full_like(self.chart.value, -np.inf)
        start = self.skeleton.grammar.start_id
        if self.scaled is not None:
            weights = self.skeleton.linear
            outside_with_beam(self.chart, *weights, start, threshold, *self.scaled, outside)
        else:
            chains = self.skeleton.compiled.all_chains
            outside_values(self.chart, self.rules, chains, start, outside)
        level = self.skeleton.level
        return forest_of_chart(self.chart, outside, self.rules, level, start, threshold)

    def likely_tags(self) -> LongArray:
        """Return the number of each word's tag in the derivation that is best at each step."""
        steps = derivation_below(
            self.chart, self.rules, 0, len(self.chart.words), self.skeleton.grammar.start_id
        )
        number = {tag: i for i, tag in enumerate(self.skeleton.tags.tolist())}
        return np.array([number[step.unit] for step in steps if step.edge == LEAF], np.int64)

    def pieces(self, may: BoolArray) -> list[tuple[tuple[int, int, int], list[int]]]:
        """Return the fewest nonterminals that cover the sentence.

        Each comes as its begin, end and number, and the rules of the derivation below it. ``may``
        says which of them may be pieces.
        """
        lhs, first, _ = self.skeleton.sides()
        leaves = {int(lhs[rule]): rule for rule in np.flatnonzero(first < 0).tolist()}

        def rule_of(step: Step) -> int:
            return leaves[step.unit] if step.edge == LEAF else int(self.rules.rule[step.edge])

        allowed = np.zeros(self.skeleton.compiled.units, np.bool_)
        allowed[: len(may)] = may
        return [
            (piece, [rule_of(step) for step in derivation_below(self.chart, self.rules, *piece)])
            for piece in fewest_pieces(self.chart, allowed)
        ]
