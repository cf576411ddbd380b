"""Tree-substitution grammars as bottom-up tree automata that run on forests.

Every piece of a fragment, an inner node with all that is below it, is a state; equal pieces are
one state, whatever fragments they are part of. Going up a forest, a rule joins the states of its
children to that of the piece they make together, and a piece that is a whole fragment may be
completed with the fragment's weight. So all derivations of all trees in a forest are summed in one
pass, however large and many the fragments are (a weighted tree automaton; Comon et al. 2007).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from grammar.arrays import FloatArray, IntArray, LongArray
from grammar.errors import ChartGrammarError
from grammar.families.tree_automaton_kernels import (
    COMPLETE,
    NOBODY,
    Transitions,
    inside_sparse,
    posteriors_sparse,
)
from grammar.families.tsg import TreeSubstitutionGrammar
from grammar.forest.forest import Forest, leaves_of
from grammar.forest.skeleton import Skeleton
from grammar.pcfg.analysis import expected_counts
from grammar.pcfg.grammar import Grammar
from grammar.rules.rules import Nonterminal, Production
from grammar.trees.fragment import Fragment

__all__ = ["TreeAutomaton", "nearest_pcfg"]


def nearest_pcfg(grammar: TreeSubstitutionGrammar) -> Grammar:
    """Return the PCFG that uses each production as often, on average, as the derivations do.

    Of all PCFGs it is the one that the trees of the grammar are most probable under (the least
    Kullback-Leibler divergence). Where derivations may never end, those that do are meant.

    Examples
    --------
    >>> parts = [("(S (A a) (B ))", 0.5), ("(S (A ) (B ))", 0.5), ("(A a)", 0.5), ("(A b)", 0.5)]
    >>> parts += [("(B c)", 1.0)]
    >>> tsg = TreeSubstitutionGrammar.from_fragments(
    ...     [(Fragment.parse(text), weight, 0) for text, weight in parts], start="S"
    ... )
    >>> [str(p) for p in nearest_pcfg(tsg).productions("A")]
    ["A -> 'a' [0.75]", "A -> 'b' [0.25]"]
    """
    uses: dict[tuple[Nonterminal, tuple[Nonterminal | str, ...]], float] = defaultdict(float)
    for fragment, often in zip(grammar.fragments, _fragment_uses(grammar).tolist(), strict=True):
        for production in fragment.productions():
            uses[production.lhs, production.rhs] += often
    return Grammar.from_productions(
        (Production(lhs, rhs, weight) for (lhs, rhs), weight in uses.items() if weight > 0.0),
        start=grammar.start,
        normalise=True,
    )


@dataclass(frozen=True, eq=False)
class TreeAutomaton:
    """The pieces of a grammar's fragments as states.

    Attributes
    ----------
    skeleton : Skeleton
        The coarse grammar whose forests it runs on.
    transitions : Transitions
        The pieces that rules join to larger pieces.
    leaves : mapping of (str, str) to int
        The state of each tag over each word that some fragment has.
    """

    skeleton: Skeleton
    transitions: Transitions
    leaves: Mapping[tuple[str, str], int]

    @classmethod
    def of(cls, grammar: TreeSubstitutionGrammar, skeleton: Skeleton) -> TreeAutomaton:
        """Build the automaton of a grammar.

        Parameters
        ----------
        grammar : TreeSubstitutionGrammar
            With at most two children a node, and words alone under their tags.
        skeleton : Skeleton
            With all productions of the fragments.

        Raises
        ------
        ChartGrammarError
            If a production of a fragment is not in the skeleton, or has a word beside symbols.
        """
        rules = {sides: number for number, sides in enumerate(skeleton.grammar.rules)}
        pieces: dict[tuple[int, int, int], int] = {}
        leaves: dict[tuple[str, str], int] = {}
        finish: dict[int, float] = defaultdict(float)

        def state(piece: Fragment | Nonterminal) -> int:
            if isinstance(piece, Nonterminal):
                return COMPLETE
            [first, *rest] = piece.children
            if isinstance(first, str) and not rest:
                key = (piece.label, first)
                return leaves.setdefault(key, 2 + len(pieces) + len(leaves))
            if any(isinstance(child, str) for child in piece.children):
                raise ChartGrammarError(
                    "a fragment has a word next to other symbols",
                    where=str(piece.top()),
                    hint="put every word of the treebank under its own tag",
                )
            rule = rules.get((piece.root, piece.top().rhs))
            if rule is None or len(rest) > 1:
                raise ChartGrammarError(
                    "a fragment has a production that the skeleton lacks",
                    where=str(piece.top()),
                    hint="binarise the trees",
                )
            second = state(rest[0]) if rest else NOBODY  # type: ignore[arg-type]  # words are alone
            joined = (rule, state(first), second)  # type: ignore[arg-type]
            return pieces.setdefault(joined, 2 + len(pieces) + len(leaves))

        for fragment, weight, _ in grammar:
            finish[state(fragment)] += weight
        return cls(skeleton, _transitions(pieces, finish, 2 + len(pieces) + len(leaves)), leaves)

    def posteriors(self, forest: Forest, words: Sequence[str], emission: FloatArray) -> FloatArray:
        """Return the posterior of every edge of a sentence's forest, over all derivations.

        Parameters
        ----------
        forest : Forest
            Of the skeleton.
        words : sequence of str
            The sentence.
        emission : float64 array, shape (words, tags)
            Weight with which a tag over a word is a whole derivation.
        """
        starts, state, value = self._leaf_values(forest, words, emission)
        inside = inside_sparse(forest, self.transitions, starts, state, value)
        return posteriors_sparse(forest, self.transitions, *inside)

    def log_totals(self, forest: Forest, words: Sequence[str], emission: FloatArray) -> FloatArray:
        """Return the logarithm of the sum over all derivations below each root of a forest.

        Parameters are those of :meth:`posteriors`; -inf where there is no derivation.
        """
        leaves = self._leaf_values(forest, words, emission)
        at, state, value, scale = inside_sparse(forest, self.transitions, *leaves)
        complete = np.where(state == COMPLETE, value, 0.0)
        sums = [complete[at[root] : at[root + 1]].sum() for root in forest.roots.tolist()]
        with np.errstate(divide="ignore"):
            totals: FloatArray = scale[forest.roots] + np.log(sums)
        return totals

    def _leaf_values(
        self, forest: Forest, words: Sequence[str], emission: FloatArray
    ) -> tuple[LongArray, IntArray, FloatArray]:
        names = self.skeleton.grammar.rules.nonterminals
        column = {int(tag): i for i, tag in enumerate(self.skeleton.tags)}
        starts = np.zeros(len(forest.label) + 1, np.int64)
        state, value = [], []
        for node, leaf in enumerate(leaves_of(forest).tolist()):
            if leaf:
                label, place = int(forest.label[node]), int(forest.begin[node])
                weight = float(emission[place, column[label]])
                piece = self.leaves.get((names[label], words[place]))
                state += [COMPLETE] if piece is None else [COMPLETE, piece]
                value += [weight] if piece is None else [weight, 1.0]
            starts[node + 1] = len(state)
        return starts, np.array(state, np.int32), np.array(value, np.float64)


def _fragment_uses(grammar: TreeSubstitutionGrammar) -> FloatArray:
    """Return how often each fragment is used in a derivation, on average."""
    report = grammar.pcfg.check()
    finite = report.tight and np.isfinite(report.expected_length)
    pcfg = grammar.pcfg if finite else grammar.pcfg.renormalise()
    of_rule = expected_counts(pcfg)[pcfg.rules.lhs] * pcfg.weight
    owned = grammar.fragment_of_rule >= 0
    uses: FloatArray = np.zeros(len(grammar))
    uses[grammar.fragment_of_rule[owned]] = of_rule[owned]
    return uses


def _transitions(
    pieces: Mapping[tuple[int, int, int], int], finish: Mapping[int, float], states: int
) -> Transitions:
    joined = np.array(list(pieces), np.int64).reshape(-1, 3)
    result = np.array(list(pieces.values()), np.int32)
    key = joined[:, 0] * states + joined[:, 1]
    order = np.argsort(key, kind="stable")
    keys, starts = np.unique(key[order], return_index=True)
    weights = np.zeros(states)
    weights[list(finish)] = list(finish.values())
    return Transitions(
        key=keys,
        starts=np.append(starts, len(key)).astype(np.int64),
        second=joined[order, 2].astype(np.int32),
        result=result[order],
        finish=weights,
    )
