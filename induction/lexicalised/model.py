"""The smoothed model of a lexicalised PCFG, computed from its counts.

Every distribution is interpolated along a chain of contexts (:mod:`grammar.rules.backoff`). With
labels A (the parent), H (the child with the head) and C (the other child, the dependent), head word
and tag w and t, and those of the dependent v and s, the contexts are, the most special first,

    production and head side    A t w    A t    A
    s                           C a t w    C a t    C a    C    any
    v                           s c a t w    s c a t    s c a    s c    the lexicon

where c is the category of C, and the attachment a holds the categories of A and H, the side of the
dependent, and whether it is the innermost one on H. (After Charniak 1997 and Collins 1999, model 1,
whose rules are not binarised.) Rare words have the class of their shape in the place of w.

In the last context of the first line, productions that cannot have the tag t below their head are
left out and the others scaled; in that of the second, tags that C cannot have. So each distribution
sums to one, and nothing is lost on trees that contradict themselves.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from grammar.arrays import BoolArray, FloatArray, IntArray, LongArray
from grammar.errors import SchemaError
from grammar.families.lexicalised import LexicalisedGrammar
from grammar.forest.forest import Forest
from grammar.forest.lexicalised_kernels import (
    LexicalForest,
    LexicalRules,
    WordColumns,
    expand_forest,
    head_items,
    most_edges,
)
from grammar.forest.skeleton import Skeleton
from grammar.forest.weighted import forest_posteriors, inside_values
from grammar.options import TINY, Checked, option
from grammar.pcfg.grammar import Grammar
from grammar.rules.backoff import BackOff, count_events
from grammar.rules.rules import Nonterminal, Production
from induction.counts.lexicon import Lexicon
from induction.counts.tagged_words import TaggedWords
from induction.trees.unknown import class_of, signature

__all__ = ["LexicalisedModel", "Smoothing", "skeleton_of"]

_UNSEEN = 1 << 29
"""The event of a word that was never seen."""
_MOST = 10**9
"""Weights and counts to smooth by are not larger."""


@dataclass(frozen=True, kw_only=True)
class Smoothing(Checked):
    """How counts are smoothed: how much the next more general context weighs.

    The weights are the constant of :func:`grammar.rules.backoff.smoothed`, 5 in Collins 1999.
    """

    choice_weight: float = option(
        5.0,
        "Weight of the next more general context, for rules.",
        source="Collins 1999",
        least=TINY,
        most=_MOST,
    )
    tag_weight: float = option(
        5.0,
        "Weight of the next more general context, for tags of dependents.",
        least=TINY,
        most=_MOST,
    )
    word_weight: float = option(
        10.0,
        "Weight of the next more general context, for words of dependents.",
        least=TINY,
        most=_MOST,
    )
    rare_words: int = option(
        4,
        "As heads of dependents, words seen at most this many times are replaced by their class.",
        least=0,
        most=_MOST,
    )

    @classmethod
    def of(cls, grammar: LexicalisedGrammar) -> Smoothing:
        """Return the smoothing that a grammar has among its options; others are as by default.

        Raises
        ------
        SchemaError
            If an option is not a number.
        """
        found: dict[str, Any] = {}
        for name, default in asdict(cls()).items():
            value = grammar.options.get(name, default)
            if isinstance(value, bool) or not isinstance(value, int | float):
                raise SchemaError(f"the option {name} is {value!r}", hint="it must be a number")
            whole = isinstance(default, int) and isinstance(value, float) and value.is_integer()
            found[name] = int(value) if whole else value
        return cls(**found)


class _Columns(NamedTuple):
    """Lexicalised productions with their labels spelt out, one row each but for start rules.

    ``tag`` and ``word`` are those of the head; ``dependent`` is the symbol of the child that is
    not the head, or -1.
    """

    lhs: IntArray
    first: IntArray
    second: IntArray
    side: IntArray
    tag: IntArray
    word: IntArray
    dependent: IntArray
    uses: LongArray


@dataclass(frozen=True, eq=False)
class LexicalisedModel:
    """The model of a grammar.

    Parameters
    ----------
    grammar : LexicalisedGrammar
        Its counts.
    skeleton : Skeleton
        The same labels and rules without heads, as :func:`skeleton_of` makes it.
    smoothing : Smoothing
        How they are smoothed.
    tagged : TaggedWords, optional
        Words with their tags, from a larger corpus.
    """

    grammar: LexicalisedGrammar
    skeleton: Skeleton
    smoothing: Smoothing
    tagged: TaggedWords | None = None

    @cached_property
    def lexicon(self) -> Lexicon:
        """How probable words are under tags."""
        columns, shape = self._columns, (len(self.grammar.words), len(self.skeleton.tags))
        leaf = columns.first < 0
        place = (columns.word[leaf], self._tag_of[columns.lhs[leaf]])
        counts = sp.coo_array((columns.uses[leaf].astype(float), place), shape=shape)
        lexicon = Lexicon(self.grammar.words, sp.csr_array(counts))
        return lexicon.with_tagged_words(self.tagged, np.arange(shape[1] + 1))

    @cached_property
    def rules(self) -> LexicalRules:
        """What kernels compute probabilities from."""
        columns, choice = self._columns, self._choice
        labels, tags = len(self.grammar.categories), len(self.skeleton.tags)
        seen = np.bincount(choice, columns.uses, minlength=2 * len(self.skeleton.grammar))
        total = np.bincount(columns.lhs, columns.uses, minlength=labels)
        # a skeleton may have labels that no tree has
        base: FloatArray = seen / np.maximum(total, 1.0)[np.repeat(self._sides[0], 2)]
        possible, tag_base = self._head_tags(base)
        leaf_rule = np.full(labels, -1, np.int32)
        made_by = np.flatnonzero(self._sides[1] < 0)
        leaf_rule[self._sides[0][made_by]] = made_by
        tag = self._tag_of[columns.tag]
        word = self._context_of[columns.word]
        context = np.stack((columns.lhs * tags + tag, word), axis=1)
        smoothing = self.smoothing
        return LexicalRules(
            count_events(context, choice, columns.uses),
            *self._dependents(),
            np.array([smoothing.choice_weight, smoothing.tag_weight, smoothing.word_weight]),
            base,
            possible,
            tag_base,
            leaf_rule,
            self._tag_of.astype(np.int32),
            self._category,
            self._attachment,
        )

    def steps(self, forest: Forest) -> int:
        """Return how many edges a forest has at most when its nodes have heads."""
        return most_edges(forest, head_items(forest, self.rules), self.rules)

    def posteriors(self, forest: Forest, sentence: tuple[str, ...]) -> FloatArray:
        """Return the posterior of every edge of the forest of a sentence, summed over heads."""
        lexical = self.expanded(forest, sentence)
        inside = inside_values(lexical.forest, lexical.weight)
        posterior = forest_posteriors(lexical.forest, lexical.weight, inside)
        plain = lexical.edge >= 0
        summed = np.bincount(lexical.edge[plain], posterior[plain], minlength=len(forest.rule))
        return summed.astype(np.float64)

    def expanded(self, forest: Forest, sentence: tuple[str, ...]) -> LexicalForest:
        """Return the forest of a sentence with the heads of its nodes, and log-probabilities."""
        emission = self.lexicon.emission(sentence)
        # words under tags that they were not seen with, where no others have a derivation
        emission = np.maximum(emission, emission[emission > 0.0].min(initial=1.0))
        items = head_items(forest, self.rules)
        return expand_forest(forest, items, self.rules, self.words(sentence, emission))

    def words(self, sentence: tuple[str, ...], emission: FloatArray) -> WordColumns:
        """Return the columns of a sentence; ``emission`` is that of the lexicon."""
        known, context, event = self.lexicon.word_ids, [], []
        for place, word in enumerate(sentence):
            number = known.get(word, -1)
            if number < 0 and place == 0:
                number = known.get(word[:1].lower() + word[1:], -1)
            event.append(number if number >= 0 else _UNSEEN)
            context.append(
                self._context_of[number] if number >= 0 else self._class_number(class_of(word))
            )
        return WordColumns(np.array(context, np.int32), np.array(event, np.int32), emission)

    @cached_property
    def _columns(self) -> _Columns:
        return _columns_of(self.grammar)

    @cached_property
    def _sides(self) -> tuple[IntArray, IntArray, IntArray]:
        return self.skeleton.sides()

    @cached_property
    def _choice(self) -> LongArray:
        columns = self._columns
        rule = self.skeleton.rule_numbers(columns.lhs, columns.first, columns.second)
        return 2 * rule + columns.side

    @cached_property
    def _tag_of(self) -> LongArray:
        number = np.full(len(self.grammar.categories), -1)
        number[self.skeleton.tags] = np.arange(len(self.skeleton.tags))
        return number

    @cached_property
    def _classes(self) -> dict[str, int]:
        names = sorted({signature(word) for word in self.grammar.words})
        return {name: i for i, name in enumerate(names)}

    def _class_number(self, name: str) -> int:
        return len(self.grammar.words) + self._classes.get(name, len(self._classes))

    @cached_property
    def _context_of(self) -> LongArray:
        """What each word is as a context: itself or its class."""
        words, leaf = self.grammar.words, self._columns.first < 0
        seen = np.bincount(self._columns.word[leaf], self._columns.uses[leaf], len(words))
        of = np.array([self._class_number(signature(word)) for word in words], np.int64)
        return np.where(seen > self.smoothing.rare_words, np.arange(len(words)), of)

    @cached_property
    def _bare(self) -> list[str]:
        """Labels without what binarisation added."""
        names = self.grammar.categories
        return [name.split("|<")[0].split("^<")[0] or name for name in names]

    @cached_property
    def _category(self) -> IntArray:
        return np.unique(np.array(self._bare, str), return_inverse=True)[1].astype(np.int32)

    @cached_property
    def _attachment(self) -> IntArray:
        """The attachment of each choice with a dependent; 0 for others, and for roots of trees."""
        intermediate = np.array(["|<" in name for name in self.grammar.categories], np.bool_)
        lhs, first, second = self._sides
        pair = second >= 0
        rows = np.zeros((2 * len(lhs), 5), np.int64)
        for side, head in enumerate((first, second)):
            described = (pair, self._category[lhs], pair & (side == 1))
            of_head = (self._category[head], intermediate[head])
            rows[side::2] = np.stack((*described, *of_head), axis=1) * pair[:, None]
        # the row of zeros comes first
        with_none = np.concatenate((np.zeros((1, 5), np.int64), rows))
        return np.unique(with_none, axis=0, return_inverse=True)[1][1:].astype(np.int32)

    def _dependents(self) -> tuple[BackOff, BackOff]:
        """Count tags and words of dependents, of the roots of trees too."""
        category, word, tag = self.grammar.symbols.T
        columns, rules = self._columns, self.grammar.rules
        row = np.flatnonzero(columns.dependent >= 0)
        start = np.flatnonzero(word[rules.lhs] < 0)
        symbol = np.concatenate((columns.dependent[row], rules.first[start]))
        none = np.zeros(len(start), np.int64)
        contexts = [
            np.concatenate((self._attachment[self._choice[row]], none)),
            np.concatenate((self._tag_of[columns.tag[row]], none)),
            np.concatenate((self._context_of[columns.word[row]], none)),
        ]
        count = np.concatenate((columns.uses[row], self.grammar.count[start]))
        label, own_tag = category[symbol].astype(np.int64), self._tag_of[tag[symbol]]
        of_tag = self._category[label] * len(self.skeleton.tags) + own_tag
        return (
            count_events(np.stack((label, *contexts), axis=1), own_tag, count),
            count_events(
                np.stack((of_tag, *contexts), axis=1), word[symbol].astype(np.int64), count
            ),
        )

    def _head_tags(self, base: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return the share of choices that can have each tag, and the tags by frequency."""
        lhs, first, second = self._sides
        parent, head = np.repeat(lhs, 2), np.stack((first, second), axis=1).ravel()
        made_by = np.flatnonzero(first < 0)
        own = (lhs[made_by], self._tag_of[lhs[made_by]])
        used = np.flatnonzero((base > 0.0) & (head >= 0))
        reach = _reachable(parent[used], head[used], own, len(self.grammar.categories))
        possible = np.zeros(reach.shape)
        np.add.at(possible, parent[used], base[used, None] * reach[head[used]])
        np.add.at(possible, own, base[2 * made_by])
        share = reach * np.asarray(self.lexicon.counts.sum(axis=0)).ravel()
        return possible, share / np.maximum(share.sum(axis=1, keepdims=True), 1.0)


def skeleton_of(grammar: LexicalisedGrammar) -> Skeleton:
    """Return the PCFG of the labels of a grammar without their heads, by relative frequency."""
    names = grammar.categories
    symbols = [Nonterminal(name) for name in names]
    columns = _columns_of(grammar)
    rows = np.stack((columns.lhs, columns.first, columns.second), axis=1)
    rules, place = np.unique(rows, axis=0, return_inverse=True)
    counts = np.bincount(place, columns.uses).tolist()
    productions = []
    for (lhs, first, second), count in zip(rules.tolist(), counts, strict=True):
        if first < 0:
            rhs: tuple[Nonterminal | str, ...] = (names[lhs],)
        else:
            rhs = tuple(symbols[child] for child in (first, second) if child >= 0)
        productions.append(Production(symbols[lhs], rhs, count, int(count)))
    return Skeleton(Grammar.from_productions(productions, start=grammar.start, normalise=True))


def _columns_of(grammar: LexicalisedGrammar) -> _Columns:
    category, word, tag = grammar.symbols.T
    row = np.flatnonzero(word[grammar.rules.lhs] >= 0)
    lhs, first, second, side = (column[row] for column in grammar.rules)
    return _Columns(
        category[lhs],
        np.where(first >= 0, category[first], -1),
        np.where(second >= 0, category[second], -1),
        side,
        tag[lhs],
        word[lhs],
        np.where(second >= 0, np.where(side == 0, second, first), -1),
        grammar.count[row],
    )


def _reachable(
    parent: IntArray, head: IntArray, own: tuple[IntArray, LongArray], labels: int
) -> BoolArray:
    """Return which tags the head of each label can have, shape (labels, tags)."""
    reach = np.zeros((labels, len(own[0])), np.bool_)
    reach[own] = True
    while True:
        more = reach.copy()
        np.logical_or.at(more, parent, reach[head])
        if np.array_equal(more, reach):
            return reach
        reach = more
