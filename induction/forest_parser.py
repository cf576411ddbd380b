"""What parsers on forests have in common: reading, the skeleton's forest, decoding, plain trees.

The skeleton leaves a forest of a sentence, a finer model scores its edges, and the tree with the
largest sum of scores is taken. With logarithms of posteriors as scores that is the max-rule
objective (Petrov & Klein 2007): the tree whose rules are most probable where they stand. The tree
with the largest probability, summed over its derivations, is NP-hard to find (Sima'an 1996,
*Computational complexity of probabilistic disambiguation by means of tree-grammars*).

What the skeleton drops is improbable, not impossible, so that trees are not always those of an
exhaustive search. No sentence is lost that way: the skeleton's best tree always stays.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property
from itertools import islice
from typing import NamedTuple, TypeVar

import numpy as np

from grammar.arrays import FloatArray, LongArray
from grammar.errors import OptionError
from grammar.forest import LEAF, Forest, best_edges, tree_of_edges
from grammar.parses import NoParse, Parse, Span, SpanPosteriors
from grammar.skeleton import Skeleton
from grammar.tree import Tree
from grammar.treebank import Treebank
from grammar.weighted_forest import best_derivations, single_trees
from induction.binarise import unbinarise
from induction.lexicon import Lexicon
from induction.normalise import expand_unaries
from induction.plain_trees import DEEPEST, plain_spans, visible_labels
from induction.text_parsers import Given, Sentence, Tags, TextParser, check_k, read_sentences
from induction.tokens import penn_word

__all__ = ["ForestParser", "ParsedForest", "check_forest_options", "log_posterior"]

Found = TypeVar("Found")

_MOST_DERIVATIONS = 16
"""For each tree wanted: derivations that are looked at for trees that differ."""
_LEAST = 1e-30
"""A posterior that stands for none, so that one model alone cannot forbid a tree."""


class ParsedForest(NamedTuple):
    """The words of a sentence, what they are known as, and what the skeleton leaves of it."""

    words: tuple[str, ...]
    known: tuple[str, ...]
    forest: Forest


class ForestParser(TextParser):
    """A parser whose model scores the edges of forests; subclasses are that model.

    Attributes
    ----------
    skeleton : Skeleton
        The coarse grammar.
    lexicon : Lexicon
        Words under tags.
    threshold : float
        Posterior below which the skeleton's nodes are dropped.
    max_words : int
        Longer sentences are refused.
    memory_limit : int
        Bytes that the chart of one sentence may take.
    workers : int
        Threads; each takes the memory of one chart at a time. They change nothing else.
    """

    skeleton: Skeleton
    lexicon: Lexicon
    threshold: float
    max_words: int
    memory_limit: int = 2 << 30
    workers: int = 1

    @abstractmethod
    def edge_posteriors(self, forest: Forest, words: tuple[str, ...]) -> FloatArray:
        """Return how probable every edge of a forest is, given the sentence."""

    def log_probabilities(self, forest: Forest, words: tuple[str, ...]) -> FloatArray:
        """Return the log-probability of what is below each root of a forest."""
        raise NotImplementedError

    def scores(self, forest: Forest, words: tuple[str, ...]) -> FloatArray:
        """Return the score of every edge; those of a tree are added up."""
        return log_posterior(self.edge_posteriors(forest, words))

    def thinned(self, forest: Forest, words: tuple[str, ...]) -> Forest:
        """Return what is left of a skeleton's forest; all of it, unless a subclass says so."""
        return forest

    def known(self, words: tuple[str, ...]) -> tuple[str, ...]:
        """Return the words as the model knows them: in the spelling of the Penn Treebank."""
        return tuple(map(penn_word, words))

    def parse_each(
        self, sentences: Iterable[Sentence], *, tags: Tags | None = None
    ) -> Iterator[Tree | NoParse]:
        """Yield a tree, or the reason for having none, for each sentence in order.

        Raises
        ------
        OptionError
            If there are more or fewer tags than tokens, or a token is not a string.
        """
        return self._each(sentences, tags, self._best_tree)

    def kbest_each(
        self, sentences: Iterable[Sentence], k: int, *, tags: Tags | None = None
    ) -> Iterator[list[Parse] | NoParse]:
        """Yield k trees of each sentence that differ, the best first.

        The best are those with the largest sum of scores, so that the first is the tree of
        :meth:`parse_each`. Log-probabilities are those of the trees, summed over all that the
        model adds to them, and need not fall along the list. Trees without probability are left
        out, unless there is no other. Where a tree has very many derivations in the forest, fewer
        than k may be found.

        Raises
        ------
        OptionError
            If k is not above zero, or tags and tokens do not pair up.
        """
        check_k(k)
        return self._each(sentences, tags, lambda found: self._kbest(found, k))

    def spans_each(
        self, sentences: Iterable[Sentence], *, tags: Tags | None = None
    ) -> Iterator[list[Span] | NoParse]:
        """Yield how probable each labelled span of each sentence is, the most probable first."""
        return self._each(sentences, tags, self._spans)

    def forests_each(
        self, sentences: Iterable[Sentence], *, tags: Tags | None = None
    ) -> Iterator[ParsedForest | NoParse]:
        """Yield the forest, or the reason for having none, of each sentence in order."""
        return self._each(sentences, tags, lambda found: found)

    def _each(
        self,
        sentences: Iterable[Sentence],
        tags: Tags | None,
        search: Callable[[ParsedForest], Found | NoParse],
    ) -> Iterator[Found | NoParse]:
        """Yield what a search finds in the forest of each sentence, in order."""

        def found(given: Given | NoParse) -> Found | NoParse:
            forest = given if isinstance(given, NoParse) else self._forest(given)
            return forest if isinstance(forest, NoParse) else search(forest)

        read = read_sentences(sentences, tags, max_words=self.max_words)
        if self.workers == 1:
            yield from map(found, read)
            return
        for given in read:
            answer = found(given)
            yield answer
            if not isinstance(answer, NoParse):
                break  # what all sentences share is computed now, before there are threads
        with ThreadPoolExecutor(self.workers) as pool:
            yield from pool.map(found, read)

    def _forest(self, given: Given) -> ParsedForest | NoParse:
        """Return the forest; where no derivation has tags that words were seen with, try others."""
        needed = self.skeleton.chart_bytes(len(given.words))
        if needed > self.memory_limit:
            reason = (
                f"its chart needs {needed / 2**20:,.0f} MiB, more than the limit of "
                f"{self.memory_limit / 2**20:,.0f} MiB (split it, or raise memory_limit)"
            )
            return NoParse(given.words, reason, refused=True)
        if given.tags is not None:
            lacking = self._lacking(given.words, given.tags)
            if lacking is not None:
                return NoParse(given.words, lacking)
        words = self.known(given.words)
        allowed = 1.0 if given.tags is None else self._allowed(given.tags)
        emission = self.lexicon.emission(words)
        forest = self.skeleton.forest(emission * allowed, self.threshold)
        if forest is None and (emission > 0.0).any():
            least = emission[emission > 0.0].min()
            forest = self.skeleton.forest((emission + least) * allowed, self.threshold)
        if forest is None:
            tags = "" if given.tags is None else " with these tags"
            return NoParse(given.words, f"no derivation of the skeleton yields it{tags}")
        return ParsedForest(given.words, words, self.thinned(forest, words))

    def _best_tree(self, found: ParsedForest) -> Tree | NoParse:
        edges, _ = best_edges(found.forest, self.scores(found.forest, found.known))
        return self._plain(found, edges) or _too_deep(found)

    def _kbest(self, found: ParsedForest, k: int) -> list[Parse] | NoParse:
        forest = found.forest
        derivations = best_derivations(forest, self.scores(forest, found.known))
        trees: dict[Tree, LongArray] = {}
        for edges, _ in islice(derivations, k * _MOST_DERIVATIONS):
            tree = self._plain(found, edges)
            if tree is None:
                break
            trees.setdefault(tree, edges)
            if len(trees) == k:
                break
        if not trees:
            return _too_deep(found)
        alone = single_trees(forest, trees.values())
        logs = self.log_probabilities(alone, found.known).tolist()
        rules = [
            forest.rule[edges][forest.rule[edges] != LEAF].tolist() for edges in trees.values()
        ]
        parses = [
            Parse(tree, log, tuple(used), exact=False)
            for tree, log, used in zip(trees, logs, rules, strict=True)
        ]
        return parses[:1] + [parse for parse in parses[1:] if parse.log_probability > -np.inf]

    def _spans(self, found: ParsedForest) -> list[Span]:
        forest = found.forest
        before = np.concatenate(([0.0], np.cumsum(self.edge_posteriors(forest, found.known))))
        node = np.clip(before[forest.starts[1:]] - before[forest.starts[:-1]], 0.0, 1.0)
        names = self.skeleton.grammar.rules.nonterminals
        columns = (forest.begin, forest.end, forest.label, node)
        return plain_spans(SpanPosteriors(found.words, names, *columns, False), self.labels)

    def _plain(self, found: ParsedForest, edges: LongArray) -> Tree | None:
        """Return the tree of a derivation as people want it, or None if it is nested too deeply."""
        names = self.skeleton.grammar.rules.nonterminals
        tree = tree_of_edges(found.forest, edges, names, found.words)
        if tree.height() > DEEPEST:
            return None
        return expand_unaries(unbinarise(Treebank.from_trees([tree])))[0]

    @cached_property
    def labels(self) -> dict[str, tuple[str, ...]]:
        """The labels that trees show for each symbol of the skeleton."""
        return visible_labels(self.skeleton.grammar)

    def _lacking(self, words: tuple[str, ...], tags: tuple[str, ...]) -> str | None:
        """Say which given tag, if any, the grammar lacks."""
        known = self.skeleton.grammar.rules.words
        for place, (word, tag) in enumerate(zip(words, tags, strict=True), 1):
            if tag not in known:
                where = f"(word {place} of {len(words)})"
                return f"the grammar lacks the tag {tag!r} of the word {word!r} {where}"
        return None

    def _allowed(self, tags: tuple[str, ...]) -> FloatArray:
        """Return 1 where a tag is given, shape (words, tags)."""
        names = np.array(self.skeleton.grammar.rules.words)
        return (np.array(tags)[:, None] == names).astype(np.float64)


def check_forest_options(threshold: float, workers: int) -> None:
    """Refuse what is no threshold of posteriors, or no number of threads."""
    if not 0.0 < threshold < 1.0:
        raise OptionError(f"the threshold is {threshold}", hint="give a probability such as 1e-3")
    if workers < 1:
        raise OptionError(f"workers is {workers}", hint="give a whole number above zero")


def _too_deep(found: ParsedForest) -> NoParse:
    reason = f"its best tree is nested more than {DEEPEST} deep"
    return NoParse(found.words, reason, refused=True)


def log_posterior(posterior: FloatArray) -> FloatArray:
    """Return natural logarithms, with a floor.

    >>> log_posterior(np.array([1.0, 0.0])).round(2).tolist()
    [0.0, -69.08]
    """
    logs: FloatArray = np.log(np.maximum(posterior, _LEAST))
    return logs
