"""The parser that a lexicalised PCFG makes (:mod:`induction.lexicalised.model`)."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from functools import cached_property
from itertools import chain, islice, takewhile

import numpy as np

from grammar.arrays import FloatArray
from grammar.chart.parses import NoParse, Parse
from grammar.errors import ChartGrammarError
from grammar.families.lexicalised import LexicalisedGrammar
from grammar.forest.forest import Forest
from grammar.forest.lexicalised_kernels import LexicalForest
from grammar.forest.skeleton import Skeleton
from grammar.forest.weighted import best_derivations
from grammar.options import whole_number
from grammar.trees.tree import Tree
from induction.counts.lexicon import Lexicon
from induction.lexicalised.model import LexicalisedModel, Smoothing, skeleton_of
from induction.lexicalised.trees import LexicalisedParse, lexicalised_parse
from induction.parsers.coarser import MEMORY_LIMIT, STEP_LIMIT, only_parse
from induction.parsers.forest import (
    ForestParser,
    ParsedForest,
    check_forest_options,
    without_forest,
)
from induction.parsers.protocol import MAX_WORDS, Sentence, Tags
from induction.trees.plain_trees import DEEPEST

__all__ = ["LexicalisedParser"]

_BEHAVIOUR = 1
"""Part of the version: raised whenever the same grammar may give other trees than before."""
_MOST_DERIVATIONS = 16
"""For each tree wanted: derivations that are looked at for trees that differ."""


@dataclass(frozen=True, eq=False)
class LexicalisedParser(ForestParser):
    """A lexicalised PCFG as a parser of text.

    Trees are those with the largest product of posteriors of their rules, summed over heads;
    :meth:`kbest_each` and :meth:`lexicalised_each` go by probability instead. All is exact on the
    forest that the skeleton leaves.

    Parameters
    ----------
    grammar : LexicalisedGrammar
        As :func:`induction.induce_lpcfg` makes it, with its smoothing among the options.
    threshold : float
        Posterior below which the skeleton's nodes are dropped.
    max_words : int
        Longer sentences are parsed in parts.
    workers : int
        Threads; they change nothing but the time.
    memory_limit, step_limit : int
        What the parse of a sentence may take, see :class:`ForestParser`.

    Raises
    ------
    OptionError
        If an option is out of range.
    SchemaError
        If an option of the grammar is not a number.
    ChartGrammarError
        If unary rules of the grammar lead in a circle, or a tag is one that no tree shows.

    Examples
    --------
    >>> from grammar import Treebank
    >>> from induction import induce_lpcfg
    >>> trees = Treebank.parse("(S (NP (PRP We)) (VP (VBD slept)))")
    >>> print(LexicalisedParser(induce_lpcfg(trees)).parse(["We slept"])[0])
    (TOP (S (NP (PRP We)) (VP (VBD slept))))
    """

    grammar: LexicalisedGrammar
    threshold: float = 3e-3
    max_words: int = MAX_WORDS
    workers: int = 1
    memory_limit: int = MEMORY_LIMIT
    step_limit: int = STEP_LIMIT

    name = "lpcfg"

    def __post_init__(self) -> None:
        check_forest_options(self)
        tags = self.skeleton.grammar.rules.words  # faults of the grammar come now
        hidden = next((tag for tag in tags if not self.labels[tag]), None)
        if hidden is not None:
            raise ChartGrammarError(
                f"the tag {hidden} is named as a node that only binarised trees have",
                hint="give the tag another name, without |<...>",
            )

    @cached_property
    def model(self) -> LexicalisedModel:
        """The smoothed model."""
        smoothing = Smoothing.of(self.grammar)
        return LexicalisedModel(self.grammar, skeleton_of(self.grammar), smoothing)

    @cached_property
    def skeleton(self) -> Skeleton:  # type: ignore[override]  # it never changes
        """The coarse grammar."""
        return self.model.skeleton

    @cached_property
    def lexicon(self) -> Lexicon:  # type: ignore[override]
        """Words under tags."""
        return self.model.lexicon

    @cached_property
    def version(self) -> str:  # type: ignore[override]
        """Hash of the counts and options."""
        grammar, digest = self.grammar, hashlib.blake2b(digest_size=8)
        facts = [_BEHAVIOUR, grammar.categories, grammar.words, grammar.start]
        facts += [asdict(self.model.smoothing), self.threshold, self.limits]
        digest.update(repr(facts).encode("utf-8", "surrogatepass"))
        for column in (grammar.symbols, *grammar.rules, grammar.count):
            digest.update(np.ascontiguousarray(column).tobytes())
        return digest.hexdigest()

    def steps(self, forest: Forest) -> int:
        """Return how many edges the forest has at most when its nodes have heads."""
        return self.model.steps(forest)

    def edge_posteriors(self, forest: Forest, words: tuple[str, ...]) -> FloatArray:
        """Return the posterior of every edge, summed over heads."""
        return self.model.posteriors(forest, words)

    def lexical_forest(self, forest: Forest, words: tuple[str, ...]) -> LexicalForest:
        """Return the forest of a sentence with the heads of its nodes and log-probabilities.

        Both come as :meth:`forest` and :meth:`known` give them.
        """
        return self.model.expanded(forest, words)

    def lexicalised_each(
        self, sentences: Iterable[Sentence], k: int = 1, *, tags: Tags | None = None
    ) -> Iterator[list[LexicalisedParse] | NoParse]:
        """Yield the k most probable lexicalised trees of each sentence, the best first.

        There are fewer if the forest has fewer: a lower ``threshold`` leaves more.

        Raises
        ------
        OptionError
            If k is not above zero, or tags and tokens do not pair up.
        """
        whole_number("k", k, 1)

        def best(found: ParsedForest) -> list[LexicalisedParse] | NoParse:
            derivations = self._derivations(found)
            return derivations if isinstance(derivations, NoParse) else [*islice(derivations, k)]

        return self._each(sentences, tags, best, without_forest)

    def kbest_each(
        self, sentences: Iterable[Sentence], k: int, *, tags: Tags | None = None
    ) -> Iterator[list[Parse] | NoParse]:
        """Yield the k most probable trees of each sentence that differ, the best first.

        Trees that differ only in heads, or in what they do not show, count once, with the
        probability of the best. Where a tree has very many derivations, fewer may be found.

        Raises
        ------
        OptionError
            If k is not above zero, or tags and tokens do not pair up.
        """
        whole_number("k", k, 1)

        def best(found: ParsedForest) -> list[Parse] | NoParse:
            derivations = self._derivations(found)
            if isinstance(derivations, NoParse):
                return derivations
            trees: dict[Tree, Parse] = {}
            for one in islice(derivations, k * _MOST_DERIVATIONS):
                parse = Parse(one.plain, one.log_probability, one.rules, exact=False)
                trees.setdefault(one.plain, parse)
                if len(trees) == k:
                    break
            return list(trees.values())

        return self._each(sentences, tags, best, only_parse)

    def _derivations(self, found: ParsedForest) -> Iterator[LexicalisedParse] | NoParse:
        """Return the derivations of a sentence, the best first, up to one nested too deeply."""
        parses = takewhile(lambda one: one.plain.height() <= DEEPEST + 1, self._best(found))
        first = next(parses, None)
        if first is None:
            reason = f"its best tree is nested more than {DEEPEST} deep"
            return NoParse(found.words, reason, refused=True)
        return chain((first,), parses)

    def _best(self, found: ParsedForest) -> Iterator[LexicalisedParse]:
        lexical = self.lexical_forest(found.forest, found.known)
        chains = [self.labels[name] for name in self.skeleton.grammar.rules.nonterminals]
        for edges, value in best_derivations(lexical.forest, lexical.weight):
            yield lexicalised_parse(found.forest, lexical, edges, value, chains, found.words)
