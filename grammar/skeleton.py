"""Skeletons: the coarse grammar that finer models of a treebank have in common.

A skeleton is a PCFG over tags: chains of single constituents are joined, rules have at most two
children, and its words are the names of the tags, so that unknown words are no concern of it.
Latent states, fragments and lexical heads all refine a skeleton: training uses the forest of the
given trees, parsing the forest that the skeleton leaves of a sentence (:mod:`grammar.forest`).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from grammar.arrays import FloatArray, IntArray, LongArray
from grammar.chart_grammar import ChartGrammar
from grammar.chart_kernels import cell_of, empty_chart, fill_chart, outside_values
from grammar.chart_rules import ChartRules, Corner
from grammar.errors import ChartGrammarError
from grammar.forest import LEAF, Forest, forest_of_chart
from grammar.grammar import Grammar
from grammar.treebank import Treebank

__all__ = ["Skeleton"]

_BYTES = 12 + 16 + 4
"""Of a unit over a span: inside value and place, outside value and total, number of the node."""


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
        If its unary rules have cycles.
    """

    grammar: Grammar

    def __post_init__(self) -> None:
        if self._compiled.cyclic.any():
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
    def _compiled(self) -> ChartGrammar:
        return ChartGrammar.compile(self.grammar)

    @cached_property
    def _level(self) -> IntArray:
        """How far unary rules lead down from each unit at most, shape (units,)."""
        unary = self._compiled.rules.unary
        level = np.zeros(self._compiled.units, np.int32)
        child = self._compiled.rules.first[unary.edge]
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
        return length * (length + 1) // 2 * self._compiled.units * _BYTES

    def forest(self, emission: FloatArray, threshold: float) -> Forest | None:
        """Return what the skeleton leaves of a sentence; None if it has no derivation.

        Parameters
        ----------
        emission : float64 array, shape (words, tags)
            Probability of each word under each tag.
        threshold : float
            Least posterior probability of a node.
        """
        words = np.arange(len(emission))
        chart = empty_chart(words, self._compiled.units)
        rules = self._with_emission(emission)
        chains = self._compiled.all_chains
        fill_chart(chart, rules, chains, False)
        start = self.grammar.start_id
        if chart.value[cell_of(0, len(words)), start] == -np.inf:
            return None
        outside = np.full_like(chart.value, -np.inf)
        outside_values(chart, rules, chains, start, outside)
        return forest_of_chart(chart, outside, rules, self._level, start, threshold)

    def _with_emission(self, emission: FloatArray) -> ChartRules:
        """Return the edges with those of this sentence's words, each word another one."""
        word, tag = np.nonzero(emission)
        counts = np.bincount(word, minlength=len(emission))
        lexical = Corner(
            starts=np.concatenate(([0], np.cumsum(counts))).astype(np.int64),
            far=np.zeros(len(word), np.int32),
            parent=self.tags[tag],
            weight=np.log(emission[word, tag]),
            edge=np.zeros(len(word), np.int64),
        )
        return self._compiled.rules._replace(lexical=lexical)

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
        order = np.argsort(ours)
        wanted = keys(lhs, first, second)
        place = order[np.minimum(np.searchsorted(ours[order], wanted), len(order) - 1)]
        return np.where(ours[place] == wanted, place, -1)
