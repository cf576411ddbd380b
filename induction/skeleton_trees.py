"""A treebank prepared for models that refine a skeleton."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp

from grammar.arrays import IntArray, LongArray
from grammar.errors import ChartGrammarError
from grammar.forest import Forest, leaves_of
from grammar.grammar import Grammar
from grammar.rules import Production
from grammar.skeleton import Skeleton
from grammar.treebank import Treebank
from induction.binarise import Direction
from induction.counts import count_rules
from induction.lexicon import Lexicon
from induction.normalise import ROOT
from induction.pcfg import prepare

__all__ = ["SKELETON_STEPS", "SkeletonTrees"]

SKELETON_STEPS = ("traces", "functions", "root", "unaries")
"""The root comes before chains are joined: a tree's own root is then part of its chain."""


@dataclass(frozen=True, eq=False)
class SkeletonTrees:
    """The skeleton of a treebank, and its trees as one forest with one edge a node.

    Attributes
    ----------
    skeleton : Skeleton
        By relative frequency.
    forest : Forest
        All trees.
    words : tuple of str
        The distinct words, sorted.
    leaf_node, leaf_word, leaf_tag : int64 arrays, shape (tokens,)
        Each token's node in the forest, its place in ``words``, and its tag's among the tags of
        the skeleton.
    """

    skeleton: Skeleton
    forest: Forest
    words: tuple[str, ...]
    leaf_node: LongArray
    leaf_word: LongArray
    leaf_tag: LongArray

    @classmethod
    def of(
        cls,
        treebank: Treebank,
        *,
        steps: Iterable[str] = SKELETON_STEPS,
        direction: Direction = "right",
        horizontal_markov: int | None = 0,
        vertical_markov: int = 1,
    ) -> SkeletonTrees:
        """Prepare a treebank (see :func:`induction.pcfg.prepare` for the options).

        Raises
        ------
        EmptyTreebankError
            If there are no trees.
        ChartGrammarError
            If a word stands beside other symbols rather than alone under its tag.

        Examples
        --------
        >>> trees = SkeletonTrees.of(Treebank.parse("(S (NP (PRP we)) (VP (VBD slept)))"))
        >>> print(trees.skeleton.grammar.to_text().split("NP ->")[1].splitlines()[0])
         PRP [1.0]
        >>> trees.words, trees.leaf_tag.tolist()
        (('slept', 'we'), [1, 0])
        """
        prepared = prepare(
            treebank,
            steps=steps,
            direction=direction,
            horizontal_markov=horizontal_markov,
            vertical_markov=vertical_markov,
        )
        skeleton = Skeleton(_over_tags(prepared))
        forest, word = skeleton.forest_of_trees(prepared)
        leaf = np.flatnonzero(leaves_of(forest))
        names = np.array(list(prepared.symbols), object)[word[leaf]]
        words, leaf_word = np.unique(names.astype(str), return_inverse=True)
        number = np.full(len(skeleton.grammar.rules.nonterminals), -1)
        number[skeleton.tags] = np.arange(len(skeleton.tags))
        leaf_tag = number[forest.label[leaf]]
        return cls(skeleton, forest, tuple(words.tolist()), leaf, leaf_word, leaf_tag)

    def lexicon(self) -> Lexicon:
        """Return the counts of words under tags."""
        shape = (len(self.words), len(self.skeleton.tags))
        ones = np.ones(len(self.leaf_word))
        counts = sp.csr_array(sp.coo_array((ones, (self.leaf_word, self.leaf_tag)), shape=shape))
        return Lexicon(self.words, counts)

    def pairs(self) -> tuple[IntArray, IntArray, LongArray]:
        """Return the word and the tag of each pair that occurs, by word, and each token's pair."""
        tags = len(self.skeleton.tags)
        pairs, of_token = np.unique(self.leaf_word * tags + self.leaf_tag, return_inverse=True)
        word, tag = np.divmod(pairs, tags)
        return word.astype(np.int32), tag.astype(np.int32), of_token


def _over_tags(prepared: Treebank) -> Grammar:
    """Return the PCFG of trees with every word replaced by its tag."""
    counts = count_rules(prepared)
    productions = []
    for (lhs, rhs), count in zip(counts.rules, counts.count.tolist(), strict=True):
        words = [child for child in rhs if isinstance(child, str)]
        if words and len(rhs) > 1:
            raise ChartGrammarError(
                f"the word {words[0]!r} stands beside other symbols",
                where=str(Production(lhs, rhs)),
                hint="put every word under a tag of its own",
            )
        right = (lhs.name,) if words else rhs
        productions.append(Production(lhs, right, float(count), count))
    roots = list(counts.roots)
    if roots != [ROOT]:
        raise ChartGrammarError(
            f"trees have the roots {', '.join(roots[:8])}", hint="add the step 'root'"
        )
    return Grammar.from_productions(productions, start=ROOT, normalise=True)
