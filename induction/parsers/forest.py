"""What parsers on forests have in common: reading, the skeleton's forest, decoding, plain trees.

The skeleton leaves a forest of a sentence, a finer model scores its edges, and the tree with the
largest sum of scores is taken. With logarithms of posteriors as scores that is the max-rule
objective (Petrov & Klein 2007): the tree whose rules are most probable where they stand. The tree
with the largest probability, summed over its derivations, is NP-hard to find (Sima'an 1996,
*Computational complexity of probabilistic disambiguation by means of tree-grammars*).

What the skeleton drops is improbable, not impossible, so that trees are not always those of an
exhaustive search. No sentence is lost that way: a tree of the skeleton always stays.

Where no derivation has tags that the words were seen with, as few words as possible are taken for
unknown ones of their shape, and if that is not enough, get any tag. A sentence whose chart or
forest is above the limits, or that has no derivation even so, gets a coarser parse
(:mod:`induction.parsers.coarser`), and its tree says so.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import cached_property, partial
from itertools import islice, repeat
from typing import Any, NamedTuple, TypeVar

import numpy as np

from grammar.arrays import FloatArray, LongArray
from grammar.chart.filling import too_many_steps
from grammar.chart.parses import CoarseTree, NoParse, Parse, Span, SpanPosteriors
from grammar.engines.threads import OF_SENTENCES, in_threads
from grammar.errors import OptionError
from grammar.forest.forest import LEAF, Forest, best_edges, prune, tree_of_edges
from grammar.forest.skeleton import Skeleton, SkeletonChart
from grammar.forest.weighted import (
    best_derivations,
    forest_posteriors,
    inside_values,
    single_trees,
)
from grammar.options import whole_number
from grammar.trees.evaluation import NO_PARSE
from grammar.trees.tree import Tree
from grammar.trees.treebank import Treebank
from induction.counts.known_words import KnownWords
from induction.counts.lexicon import Lexicon
from induction.parsers.coarser import (
    MEMORY_LIMIT,
    STEP_LIMIT,
    check_numbers,
    joined,
    only_parse,
    place_to_cut,
    spans_of,
    too_much_memory,
)
from induction.parsers.protocol import Given, Sentence, Tags, TextParser, read_sentences
from induction.trees.binarise import unbinarise
from induction.trees.normalise import expand_unaries
from induction.trees.plain_trees import DEEPEST, plain_spans, plain_tree, visible_labels
from induction.trees.punctuation import closed_tags
from induction.trees.unknown import signature

__all__ = [
    "ForestParser",
    "ParsedForest",
    "check_forest_options",
    "log_posterior",
    "without_forest",
]

Found = TypeVar("Found")

_MOST_DERIVATIONS = 16
"""For each tree wanted: derivations that are looked at for trees that differ."""
_COMPARED = 4
"""For each tree wanted: trees of the largest scores that are compared by probability."""
_LEAST = 1e-30
"""A posterior that stands for none, so that one model alone cannot forbid a tree."""


_BEAM = 1e-6
"""Share of the best over a span, by value and frequency, below which a symbol is dropped."""
_CHANGED, _FREE = 1e-9, 1e-18
"""How much less a tag is worth that a word was not seen with: one of its class, or any."""


class ParsedForest(NamedTuple):
    """The words of a sentence, what they are known as, and what the skeleton leaves of it.

    ``reason`` says why that is less than the skeleton's threshold would leave, if it is.
    """

    words: tuple[str, ...]
    known: tuple[str, ...]
    forest: Forest
    reason: str = ""


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
        Longer sentences are parsed in parts.
    memory_limit, step_limit : int
        Bytes that the chart of one sentence may take, and steps of filling it and of scoring its
        forest; what takes more gets a coarser parse.
    workers : int
        Threads; each takes the memory of one chart at a time. They change nothing else.
    """

    skeleton: Skeleton
    lexicon: Lexicon
    threshold: float
    max_words: int
    memory_limit: int = MEMORY_LIMIT
    step_limit: int = STEP_LIMIT
    workers: int = 1

    @property
    def limits(self) -> tuple[int, int, int]:
        """What a sentence may have and take before its parse is a coarser one."""
        return self.max_words, self.memory_limit, self.step_limit

    @abstractmethod
    def edge_posteriors(self, forest: Forest, words: tuple[str, ...]) -> FloatArray:
        """Return how probable every edge of a forest is, given the sentence."""

    def log_probabilities(self, forest: Forest, words: tuple[str, ...]) -> FloatArray:
        """Return the log-probability of what is below each root of a forest."""
        raise NotImplementedError

    def scores(self, forest: Forest, words: tuple[str, ...]) -> FloatArray:
        """Return the score of every edge; those of a tree are added up.

        Where the model gives no tree of the forest a probability, the skeleton decides.
        """
        posterior = self.edge_posteriors(forest, words)
        if not (posterior > 0.0).any():
            posterior = self.skeleton_posteriors(forest, words)
        return log_posterior(posterior)

    def skeleton_posteriors(self, forest: Forest, words: tuple[str, ...]) -> FloatArray:
        """Return how probable the skeleton finds every edge of a forest of its own."""
        emission = self.lexicon.emission(words)
        column = np.zeros(len(self.skeleton.grammar.rules.nonterminals), np.int64)
        column[self.skeleton.tags] = np.arange(len(self.skeleton.tags))
        at = np.repeat(np.arange(len(forest.label)), np.diff(forest.starts))
        leaf = np.maximum(emission, _FREE)[forest.begin[at], column[forest.label[at]]]
        rule = np.maximum(self.skeleton.grammar.weight, _FREE)[forest.rule]
        weight = np.log(np.where(forest.rule == LEAF, leaf, rule))
        return forest_posteriors(forest, weight, inside_values(forest, weight))

    def thinned(self, forest: Forest, words: tuple[str, ...]) -> Forest:
        """Return what is left of a skeleton's forest; all of it, unless a subclass says so."""
        return forest

    def thinning_steps(self, forest: Forest) -> int:
        """Return how many steps it takes to thin out a forest."""
        return 0

    def steps(self, forest: Forest) -> int:
        """Return how many steps it takes to score a forest."""
        return len(forest.rule)

    def known(self, words: tuple[str, ...]) -> tuple[str, ...]:
        """Return the words as the model knows them: in the spelling of its lexicon."""
        return self._spelling.spelt(words)

    @cached_property
    def _spelling(self) -> KnownWords:
        return KnownWords(self.lexicon.words)

    def __call__(self, text: str) -> Any:
        """Refuse a call, as spaCy's models are called (raises OptionError)."""
        raise OptionError(
            "a parser is no function",
            hint="treewright.parse('We slept.', parser) gives the tree of a text, and "
            "parser.parse(sentences) those of sentences",
        )

    def parse_each(
        self, sentences: Iterable[Sentence], *, tags: Tags | None = None
    ) -> Iterator[Tree | NoParse]:
        """Yield a tree, or the reason for having none, for each sentence in order.

        Raises
        ------
        OptionError
            If there are more or fewer tags than tokens, or a token is not a string.
        """
        return self._each(sentences, tags, self._best_tree, lambda tree: tree)

    def kbest_each(
        self, sentences: Iterable[Sentence], k: int, *, tags: Tags | None = None
    ) -> Iterator[list[Parse] | NoParse]:
        """Yield k trees of each sentence that differ, the most probable first.

        One alone is the tree of :meth:`parse_each`, which has the largest sum of scores. Of more,
        the trees with the largest sums, four for each that is wanted, are compared by their
        log-probabilities, summed over all that the model adds to them: the score has no order that
        probabilities must follow, so that the tree of :meth:`parse_each` need not come first.
        Trees without probability are left out, unless there is no other. Where a tree has very
        many derivations in the forest, fewer than k may be found.

        Raises
        ------
        OptionError
            If k is not above zero, or tags and tokens do not pair up.
        """
        whole_number("k", k, 1)
        return self._each(sentences, tags, lambda found: self._kbest(found, k), only_parse)

    def spans_each(
        self, sentences: Iterable[Sentence], *, tags: Tags | None = None
    ) -> Iterator[list[Span] | NoParse]:
        """Yield how probable each labelled span of each sentence is, the most probable first."""
        return self._each(sentences, tags, self._spans, spans_of)

    def forests_each(
        self, sentences: Iterable[Sentence], *, tags: Tags | None = None
    ) -> Iterator[ParsedForest | NoParse]:
        """Yield the forest, or the reason for having none, of each sentence in order."""
        return self._each(sentences, tags, lambda found: found, without_forest)

    def parse_guided(
        self,
        sentences: Iterable[Sentence],
        brackets: Iterable[Sequence[tuple[int, int]]],
        *,
        tags: Tags | None = None,
        cost: float = 4.0,
    ) -> Iterator[Tree | NoParse]:
        """Yield the best trees where it costs something to cross what is known of constituents.

        So a treebank of dependencies helps to parse its sentences
        (:func:`induction.trees.dependency_brackets.dependency_brackets`).

        Parameters
        ----------
        sentences, tags
            As in :meth:`parse_each`.
        brackets : iterable of sequence of (int, int)
            For each sentence the words, from and to, of some constituents. Not all have to be so.
        cost : float
            What each constituent loses for each bracket that it crosses, of the logarithm by which
            trees are compared.

        Raises
        ------
        OptionError
            If the cost is negative, or a bracket ends before it begins.
        ValueError
            If there are more or fewer brackets, or tags, than sentences.
        """
        if not cost >= 0.0:
            raise OptionError(f"cost={cost!r} is negative", hint="use 0 to guide nothing")
        given: Iterable[Any] = repeat(None) if tags is None else ([own] for own in tags)
        rows = zip(sentences, brackets, strict=True)
        for (sentence, known), own in zip(rows, given, strict=tags is not None):
            if wrong := [each for each in known if not 0 <= each[0] < each[1]]:
                raise OptionError(
                    f"the bracket {wrong[0]} has no words", hint="give (from, to), from 0"
                )
            search = partial(self._best_tree, brackets=known, cost=cost)
            yield from self._each([sentence], own, search, lambda tree: tree)

    def _each(
        self,
        sentences: Iterable[Sentence],
        tags: Tags | None,
        search: Callable[[ParsedForest], Found | NoParse],
        coarse: Callable[[CoarseTree], Found | NoParse],
    ) -> Iterator[Found | NoParse]:
        """Yield what a search finds in the forest of each sentence, in order.

        ``coarse`` makes the same of the tree of a sentence that has no forest.
        """

        def found(given: Given | NoParse) -> Found | NoParse:
            forest = given if isinstance(given, NoParse) else self._forest(given, self.step_limit)
            if isinstance(forest, ParsedForest):
                return search(forest)
            return coarse(forest) if isinstance(forest, CoarseTree) else forest

        read = read_sentences(sentences, tags, max_words=None)
        tasks = (partial(found, given) for given in read)
        if self.workers > 1:
            for task in tasks:
                answer = task()
                yield answer
                if not isinstance(answer, NoParse):
                    break  # what all sentences share is computed now, before there are threads
        yield from in_threads(tasks, self.workers, waiting=OF_SENTENCES)

    def _forest(self, given: Given, limit: int) -> ParsedForest | CoarseTree | NoParse:
        """Return the forest of a sentence, or a coarser parse within so many steps."""
        if given.tags is not None:
            lacking = self._lacking(given.words, given.tags)
            if lacking is not None:
                return NoParse(given.words, lacking)
        needed = self.skeleton.chart_bytes(len(given.words))
        if len(given.words) > self.max_words:
            reason = f"it has {len(given.words):,} words, more than {self.max_words:,}"
            return self._in_parts(given, limit, reason)
        if needed > self.memory_limit:
            return self._in_parts(given, limit, too_much_memory(needed, self.memory_limit))
        words = self.known(given.words)
        allowed = self._closed(words) if given.tags is None else self._allowed(given.tags)
        emission = self.lexicon.emission(words) * allowed
        chart = self._chart(emission, limit)
        if chart is None:
            return self._in_parts(given, limit, too_many_steps(limit))
        if not chart.has_derivation:
            narrow = chart
            words, wider = self._widened(words, emission, allowed, limit)
            chart = self._chart(wider, limit)
            if chart is None or not chart.has_derivation:
                return self._in_pieces(given, narrow)
        forest = chart.forest(self.threshold)
        del chart  # as large as all the rest
        forest, reason = self._affordable(forest, words, limit, self.thinning_steps)
        forest = self.thinned(forest, words)
        forest, later = self._affordable(forest, words, limit, self.steps)
        return ParsedForest(given.words, words, forest, reason or later)

    def _chart(self, emission: FloatArray, limit: int) -> SkeletonChart | None:
        """Return a chart with a beam, or where that leaves no derivation, one without."""
        chart = self.skeleton.chart(emission, beam=_BEAM, step_limit=limit)
        if chart is None or chart.has_derivation:
            return chart
        return self.skeleton.chart(emission, step_limit=limit)

    def _widened(
        self, words: tuple[str, ...], emission: FloatArray, allowed: FloatArray, limit: int
    ) -> tuple[tuple[str, ...], FloatArray]:
        """Take as few words as possible for others of their shape, or for any.

        Returns what the words are known as, and how probable they are under the tags.
        """
        classes = tuple(map(signature, words))
        of_class = self.lexicon.emission(classes) * allowed
        of_any = np.full_like(emission, max(float(of_class.max()), _LEAST)) * allowed
        wide = self._chart(emission + _CHANGED * of_class + _FREE * of_any, limit)
        if wide is None or not wide.has_derivation:
            return words, emission
        tag = wide.likely_tags()
        place = np.arange(len(words))
        seen, alike = emission[place, tag] > 0.0, of_class[place, tag] > 0.0
        wider = np.where(seen[:, None], emission, of_class)
        wider = np.where((seen | alike)[:, None], wider, of_class + _CHANGED * of_any)
        known = zip(words, classes, seen.tolist(), strict=True)
        return tuple(word if as_seen else shape for word, shape, as_seen in known), wider

    def _affordable(
        self,
        forest: Forest,
        words: tuple[str, ...],
        limit: int,
        steps: Callable[[Forest], int],
    ) -> tuple[Forest, str]:
        """Return what of a forest can be scored in so many steps, and why that is not all."""
        if steps(forest) <= limit:
            return forest, ""
        posterior, least = self.skeleton_posteriors(forest, words), self.threshold
        thin = forest
        while steps(thin) > limit and least < 1.0:
            least *= 4.0
            thin = prune(forest, posterior, least)
        return thin, f"on a thinner forest: to score all of it takes more than {limit:,} steps"

    def _in_parts(self, given: Given, limit: int, reason: str) -> CoarseTree | NoParse:
        """Parse a sentence cut in two; both parts together may take as much as the whole."""
        if len(given.words) == 1:
            return NoParse(given.words, reason, refused=True)
        place = place_to_cut(given.words)
        trees: list[Tree] = []
        for part in (given.part(0, place), given.part(place, len(given.words))):
            found = self._forest(part, max(limit // 2, 1))
            tree = self._best_tree(found) if isinstance(found, ParsedForest) else found
            if isinstance(tree, NoParse):
                return replace(tree, sentence=given.words)
            trees.append(tree)
        return joined(trees, f"in parts: {reason}")

    def _in_pieces(self, given: Given, chart: SkeletonChart) -> CoarseTree | NoParse:
        """Cover a sentence by constituents of the skeleton's chart."""
        grammar = self.skeleton.grammar
        may = np.array([bool(self.labels[name]) for name in grammar.rules.nonterminals])
        may[grammar.start_id] = False
        trees = []
        for (begin, end, _), rules in chart.pieces(may):
            parse = Parse(NO_PARSE, 0.0, tuple(rules))
            tree = plain_tree(grammar, parse, given.words[begin:end], self.labels)
            if tree is None:
                return _too_deep(given.words)
            trees.append(tree)
        if not trees:
            return NoParse(given.words, "no derivation of the skeleton yields it")
        return joined(trees, "in pieces: no derivation of the grammar yields it")

    def _best_tree(
        self, found: ParsedForest, brackets: Sequence[tuple[int, int]] = (), cost: float = 0.0
    ) -> Tree | NoParse:
        score = self.scores(found.forest, found.known)
        if brackets:
            score = score - cost * self._crossed(found.forest, brackets)
        edges, _ = best_edges(found.forest, score)
        return self._plain(found, edges) or _too_deep(found.words)

    def _crossed(self, forest: Forest, brackets: Sequence[tuple[int, int]]) -> LongArray:
        """Return how many brackets each edge crosses; what trees do not show crosses none."""
        names = self.skeleton.grammar.rules.nonterminals
        shown = np.array([bool(self.labels[name]) for name in names])[forest.label]
        begin, end = np.array(brackets).T
        first, last = forest.begin[:, None], forest.end[:, None]
        into = (first < begin) & (begin < last) & (last < end)
        out = (begin < first) & (first < end) & (end < last)
        crossed = np.where(shown, (into | out).sum(axis=1), 0)
        return np.repeat(crossed, np.diff(forest.starts))

    def _kbest(self, found: ParsedForest, k: int) -> list[Parse] | NoParse:
        forest = found.forest
        derivations = best_derivations(forest, self.scores(forest, found.known))
        trees: dict[Tree, LongArray] = {}
        compared = k if k == 1 else k * _COMPARED
        for edges, _ in islice(derivations, compared * _MOST_DERIVATIONS):
            tree = self._plain(found, edges)
            if tree is None:
                break
            trees.setdefault(tree, edges)
            if len(trees) == compared:
                break
        if not trees:
            return _too_deep(found.words)
        alone = single_trees(forest, trees.values())
        logs = self.log_probabilities(alone, found.known).tolist()
        rules = [
            forest.rule[edges][forest.rule[edges] != LEAF].tolist() for edges in trees.values()
        ]
        parses = [
            Parse(tree, log, tuple(used), exact=False)
            for tree, log, used in zip(trees, logs, rules, strict=True)
        ]
        probable = [parse for parse in parses if parse.log_probability > -np.inf] or parses[:1]
        return sorted(probable, key=lambda parse: -parse.log_probability)[:k]

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
        if tree.height() > DEEPEST + 1:
            return None
        plain = expand_unaries(unbinarise(Treebank.from_trees([tree])))[0]
        return CoarseTree(plain.label, plain.children, found.reason) if found.reason else plain

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

    def _closed(self, words: tuple[str, ...]) -> FloatArray:
        """Return 1 where a word may have a tag, shape (words, tags): signs have those of signs."""
        names = {name: i for i, name in enumerate(self.skeleton.grammar.rules.words)}
        allowed = np.ones((len(words), len(names)))
        for place, word in enumerate(words):
            columns = [names[tag] for tag in closed_tags(word) or () if tag in names]
            if columns:
                seen = allowed[place] * (self.lexicon.counts_of(word) > 0.0)
                allowed[place] = seen
                allowed[place, columns] = 1.0
        return allowed

    def _allowed(self, tags: tuple[str, ...]) -> FloatArray:
        """Return 1 where a tag is given, shape (words, tags)."""
        names = np.array(self.skeleton.grammar.rules.words)
        return (np.array(tags)[:, None] == names).astype(np.float64)


def check_forest_options(parser: ForestParser) -> None:
    """Refuse what is no threshold of posteriors, or no number of threads, words, bytes or steps."""
    if not 0.0 < parser.threshold < 1.0:
        raise OptionError(
            f"the threshold is {parser.threshold}", hint="give a probability such as 1e-3"
        )
    check_numbers(parser, "max_words", "workers", "memory_limit", "step_limit")


def without_forest(tree: CoarseTree) -> NoParse:
    """Return why there is no forest of a sentence that has a coarse tree."""
    return NoParse(tree.leaves(), tree.reason, refused=True)


def _too_deep(words: tuple[str, ...]) -> NoParse:
    reason = f"its best tree is nested more than {DEEPEST} deep"
    return NoParse(words, reason, refused=True)


def log_posterior(posterior: FloatArray) -> FloatArray:
    """Return natural logarithms, with a floor.

    >>> log_posterior(np.array([1.0, 0.0])).round(2).tolist()
    [0.0, -69.08]
    """
    logs: FloatArray = np.log(np.maximum(posterior, _LEAST))
    return logs
