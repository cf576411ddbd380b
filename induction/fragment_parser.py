"""Parsing text with tree-substitution grammars, by all derivations at once.

The PCFG nearest to the grammar leaves a forest of a sentence; on it, the grammar as a tree
automaton says how probable each edge is, summed over the derivations of all trees, and the tree
with the largest product of these posteriors is taken (the max-rule objective of Petrov & Klein
2007; Sangati & Zuidema 2011 and Bansal & Klein 2010 decode fragment grammars likewise).
"""

from __future__ import annotations

import hashlib
from functools import cached_property

import numpy as np
import scipy.sparse as sp

from grammar.arrays import FloatArray
from grammar.forest import Forest
from grammar.grammar import Grammar
from grammar.rules import Production
from grammar.skeleton import Skeleton
from grammar.tree_automaton import TreeAutomaton, nearest_pcfg
from grammar.tsg import TreeSubstitutionGrammar
from induction.forest_parser import ForestParser, check_forest_options
from induction.known_words import KnownWords
from induction.lexicon import Lexicon
from induction.text_parsers import MAX_WORDS
from induction.tokens import penn_word

__all__ = ["FragmentParser"]


class FragmentParser(ForestParser):
    """A tree-substitution grammar as a parser of text.

    Parameters
    ----------
    grammar : TreeSubstitutionGrammar
        Of binarised trees with joined chains (the step ``unaries``), words alone under their tags.
    threshold : float
        Posterior below which nodes of the nearest PCFG are dropped.
    max_words : int
        Longer sentences are refused.
    workers : int
        Threads; they change nothing but the time.

    Raises
    ------
    ChartGrammarError
        If unary productions lead in a circle, a node has more than two children, or a word stands
        beside other symbols.
    OptionError
        If the threshold is not between zero and one, or there are no workers.

    Examples
    --------
    >>> from grammar.treebank import Treebank
    >>> from induction.dop import induce_double_dop
    >>> from induction.skeleton_trees import SKELETON_STEPS
    >>> treebank = Treebank.parse('''
    ...     (S (NP (PRP we)) (VP (VBD saw) (NP (NNS stars))))
    ...     (S (NP (PRP they)) (VP (VBD saw) (NP (NNS stars))))
    ... ''')
    >>> parser = FragmentParser(induce_double_dop(treebank, steps=SKELETON_STEPS))
    >>> print(parser.parse(["stars saw comets"])[0])
    (TOP (S (NP (NNS stars)) (VP (VBD saw) (NP (NNS comets)))))
    """

    name = "fragments"

    def __init__(
        self,
        grammar: TreeSubstitutionGrammar,
        *,
        threshold: float = 1e-4,
        max_words: int = MAX_WORDS,
        workers: int = 1,
    ) -> None:
        check_forest_options(threshold, workers)
        self.grammar = grammar
        self.threshold, self.max_words, self.workers = threshold, max_words, workers
        self.skeleton, self.lexicon = _coarse(grammar)
        self._automaton = TreeAutomaton.of(grammar, self.skeleton)
        self._words = KnownWords(self.lexicon.words)

    @cached_property
    def version(self) -> str:  # type: ignore[override]  # it never changes
        """Hash of the fragments and options."""
        digest = hashlib.blake2b(digest_size=8)
        for fragment, weight, _ in self.grammar:
            digest.update(f"{fragment} {weight!r}\n".encode())
        digest.update(f"{self.grammar.start} {self.threshold} {self.max_words}".encode())
        return digest.hexdigest()

    def known(self, words: tuple[str, ...]) -> tuple[str, ...]:
        """Return the words, or the classes that stand for those that the grammar lacks."""
        return tuple(
            self._words.like(word, first=not i) or penn_word(word) for i, word in enumerate(words)
        )

    def edge_posteriors(self, forest: Forest, words: tuple[str, ...]) -> FloatArray:
        """Return the posterior of every edge, over all derivations."""
        return self._automaton.posteriors(forest, words, self.lexicon.emission(words))

    def log_probabilities(self, forest: Forest, words: tuple[str, ...]) -> FloatArray:
        """Return the logarithm of the sum over all derivations below each root."""
        return self._automaton.log_totals(forest, words, self.lexicon.emission(words))


def _coarse(grammar: TreeSubstitutionGrammar) -> tuple[Skeleton, Lexicon]:
    """Return the nearest PCFG over tags, and how often each tag over a word is a whole fragment.

    It is so once at least: otherwise a larger fragment would be all that is known of a word.
    """
    productions = []
    counts: dict[tuple[str, str], int] = {}
    for production in nearest_pcfg(grammar):
        lhs, rhs = production.lhs, production.rhs
        if len(rhs) == 1 and isinstance(rhs[0], str):
            counts[rhs[0], lhs.name] = 1
            rhs = (lhs.name,)
        productions.append(Production(lhs, rhs, production.weight))
    for fragment, _, count in grammar:
        [first, *rest] = fragment.children
        if isinstance(first, str) and not rest:
            counts[first, fragment.label] = max(count, 1)
    skeleton = Skeleton(Grammar.from_productions(productions, start=grammar.start, normalise=True))
    words = tuple(sorted({word for word, _ in counts}))
    row = {word: i for i, word in enumerate(words)}
    column = {name: i for i, name in enumerate(skeleton.grammar.rules.words)}
    entries = (
        np.array(list(counts.values()), np.float64),
        ([row[word] for word, _ in counts], [column[tag] for _, tag in counts]),
    )
    matrix = sp.coo_array(entries, shape=(len(words), len(column)))
    return skeleton, Lexicon(words, sp.csr_array(matrix))
