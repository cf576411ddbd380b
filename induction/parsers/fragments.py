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
from grammar.families.tree_automaton import TreeAutomaton, nearest_pcfg
from grammar.families.tsg import TreeSubstitutionGrammar
from grammar.forest.forest import Forest
from grammar.forest.skeleton import Skeleton
from grammar.pcfg.grammar import Grammar
from grammar.rules.rules import Production
from induction.corpus.text.tokens import penn_word
from induction.counts.known_words import KnownWords
from induction.counts.lexicon import Lexicon
from induction.parsers.coarser import MEMORY_LIMIT, STEP_LIMIT
from induction.parsers.forest import ForestParser, check_forest_options
from induction.parsers.protocol import MAX_WORDS

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
        Longer sentences are parsed in parts.
    workers : int
        Threads; they change nothing but the time.
    memory_limit, step_limit : int
        What the parse of a sentence may take, see :class:`ForestParser`.

    Raises
    ------
    ChartGrammarError
        If unary productions lead in a circle, a node has more than two children, or a word stands
        beside other symbols.
    OptionError
        If the threshold is not between zero and one, or there are no workers.

    Examples
    --------
    >>> from grammar.trees.treebank import Treebank
    >>> from induction.fragments.dop import induce_double_dop
    >>> from induction.trees.normalise import SKELETON_STEPS
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
        memory_limit: int = MEMORY_LIMIT,
        step_limit: int = STEP_LIMIT,
    ) -> None:
        self.grammar = grammar
        self.threshold, self.max_words, self.workers = threshold, max_words, workers
        self.memory_limit, self.step_limit = memory_limit, step_limit
        check_forest_options(self)
        self.skeleton, self.lexicon = _coarse(grammar)
        self._automaton = TreeAutomaton.of(grammar, self.skeleton)
        self._words = KnownWords(self.lexicon.words)

    @cached_property
    def version(self) -> str:  # type: ignore[override]  # it never changes
        """Hash of the fragments and options."""
        digest = hashlib.blake2b(digest_size=8)
        for fragment, weight, _ in self.grammar:
            digest.update(f"{fragment} {weight!r}\n".encode())
        digest.update(f"{self.grammar.start} {self.threshold} {self.limits}".encode())
        return digest.hexdigest()

    def known(self, words: tuple[str, ...]) -> tuple[str, ...]:
        """Return the words, or the classes that stand for those that the grammar lacks."""
        alike = zip(words, self._words.alike(words), strict=True)
        return tuple(known or penn_word(word) for word, known in alike)

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
