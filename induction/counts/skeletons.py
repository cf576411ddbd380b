"""A treebank prepared for models that refine a skeleton."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from grammar.arrays import IntArray, LongArray
from grammar.errors import ChartGrammarError
from grammar.forest.forest import Forest, leaves_of
from grammar.forest.skeleton import Skeleton
from grammar.options import again, read_options, takes
from grammar.pcfg.grammar import Grammar
from grammar.rules.rules import Production
from grammar.trees.treebank import Treebank
from induction.counts.counts import count_rules
from induction.counts.lexicon import Lexicon
from induction.trees.binarise import Direction
from induction.trees.normalise import ROOT, SKELETON_STEPS
from induction.trees.preparation import Binarisation

__all__ = ["SkeletonOptions", "SkeletonTrees"]


@dataclass(frozen=True, kw_only=True)
class SkeletonOptions(Binarisation):
    """How trees are prepared whose labels find for themselves what Markov memory would tell."""

    steps: tuple[str, ...] = again(Binarisation, "steps", SKELETON_STEPS)
    horizontal_markov: int | None = again(Binarisation, "horizontal_markov", 0)
    direction: Direction | None = again(Binarisation, "direction", "right")


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

    Examples
    --------
    >>> from grammar import Treebank
    >>> SkeletonTrees.of(Treebank.parse("(S (NP (PRP We)) (VP (VBD slept)))")).words
    ('We', 'slept')
    """

    skeleton: Skeleton
    forest: Forest
    words: tuple[str, ...]
    leaf_node: LongArray
    leaf_word: LongArray
    leaf_tag: LongArray

    @classmethod
    @takes(SkeletonOptions)
    def of(cls, treebank: Treebank, **options: Any) -> SkeletonTrees:
        """Prepare a treebank (see :class:`SkeletonOptions` for the options).

        Raises
        ------
        EmptyTreebankError
            If there are no trees.
        ChartGrammarError
            If a word stands next to other symbols rather than alone under its tag.

        Examples
        --------
        >>> trees = SkeletonTrees.of(Treebank.parse("(S (NP (PRP we)) (VP (VBD slept)))"))
        >>> print(trees.skeleton.grammar.to_text().split("NP ->")[1].splitlines()[0])
         PRP [1.0]
        >>> trees.words, trees.leaf_tag.tolist()
        (('slept', 'we'), [1, 0])
        """
        how = read_options(SkeletonOptions, options, "SkeletonTrees.of")
        return cls.of_prepared(how.apply(treebank))

    @classmethod
    def of_prepared(cls, prepared: Treebank) -> SkeletonTrees:
        """Read the skeleton off trees that are prepared (raises ChartGrammarError as above)."""
        skeleton = Skeleton(_over_tags(prepared))
        forest, word = skeleton.forest_of_trees(prepared)
        leaf = np.flatnonzero(leaves_of(forest))
        # as objects, since arrays of strings lose a zero at the end of a word
        names = np.array(list(prepared.symbols), object)[word[leaf]]
        words, leaf_word = np.unique(names, return_inverse=True)
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
                f"the word {words[0]!r} stands next to other symbols",
                where=str(Production(lhs, rhs)),
                hint="put every word under its own tag",
            )
        right = (lhs.name,) if words else rhs
        productions.append(Production(lhs, right, float(count), count))
    roots = list(counts.roots)
    if roots != [ROOT]:
        raise ChartGrammarError(
            f"trees have the roots {', '.join(roots[:8])}", hint="add the step 'root'"
        )
    return Grammar.from_productions(productions, start=ROOT, normalise=True)
