"""Labelled bracketing scores, as evalb gives them; by default with the parameters COLLINS.prm.

What is compared, and what is not (Sekine & Collins 1997; Collins 1997; other parameters change
it, see :mod:`grammar.trees.evalb_parameters`):

- Words tagged ``, : `` '' .`` or ``-NONE-`` are deleted first, in either tree by its own tags.
- Brackets are constituents over the words that are left: not preterminals, not ``TOP``, not those
  that cover nothing any more. Labels are cut at the first ``-`` or ``=``; ``PRT`` is ``ADVP``.
- A root called ``ROOT`` or ``S1``, or without a name, counts as ``TOP``.
- A bracket is right if the other tree has one with that label over the same words; a label that
  stands n times over the same words can be right n times.
- Recall and precision are summed over all sentences, not averaged.
- A predicted bracket crosses if some bracket of the gold tree overlaps it, neither in the other.
- Tags are compared as they are, of the words that are left.
- A sentence without a parse is *skipped*: it is in no average. One whose words do not pair up
  after deletion (a comma tagged as a noun, or another tokenisation) is an *error*, and is in no
  average either.
- The length of a sentence counts all words of the gold tree but traces.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from grammar.arrays import BoolArray, IntArray, LongArray, kernel
from grammar.errors import MismatchError, OptionError
from grammar.trees.evalb_parameters import COLLINS, ROOT_LABELS, EvalbParameters
from grammar.trees.given import as_treebank, given_trees, is_name_of_file
from grammar.trees.scores import ERROR, SKIPPED, VALID, Evaluation, LabelScore, Score, SentenceScore
from grammar.trees.symbols import SymbolTable
from grammar.trees.tree import Tree
from grammar.trees.treebank import Treebank

__all__ = ["NO_PARSE", "evalb"]

_TRACE, _ROOT = "-NONE-", "TOP"
_ANY = "X"
"""The label of all brackets that are compared without labels."""
_FIRST_PART = re.compile("[^-=]*")

NO_PARSE = Tree("TOP", (Tree(_TRACE, ("*",)),))
"""Stands for no parse: all its words are deleted, so that its sentence is skipped."""


def evalb(
    gold: Treebank | Sequence[Tree],
    predicted: Treebank | Sequence[Tree | None],
    *,
    max_length: int | None = None,
    parameters: EvalbParameters = COLLINS,
) -> Evaluation:
    """Score predicted trees against gold ones; the conventions are those of this module.

    Parameters
    ----------
    gold : Treebank or sequence of Tree
        The right trees.
    predicted : Treebank or sequence of Tree or None
        Trees of the same sentences in the same order; None where there is no parse.
    max_length : int, optional
        Sentences of at most so many words are scored apart, too; by default, as the parameters
        say: 40.
    parameters : EvalbParameters
        What counts, and what is alike.

    Raises
    ------
    MismatchError
        If there are not as many trees.
    OptionError
        If ``max_length`` is negative.

    Examples
    --------
    >>> gold = Treebank.parse("(TOP (S (NP (PRP We)) (VP (VBD saw) (NP (NNP Rex))) (. .)))")
    >>> guess = Treebank.parse("(TOP (S (NP (PRP We)) (VP (VBD saw)) (NP (NNP Rex)) (. .)))")
    >>> result = evalb(gold, guess)
    >>> result.all.recall, result.all.precision, result.all.tagging
    (75.0, 75.0, 100.0)

    Notes
    -----
    Newer releases of evalb pair quotes that were tagged as something else (``QUOTE_LABEL``), which
    COLLINS.prm does not ask for: an apostrophe that one tree has as ``''``, which is deleted, and
    the other as ``POS``, which is not, would make an error of its sentence.

    References
    ----------
    Black et al. (1991), A procedure for quantitatively comparing the syntactic coverage of
    English grammars. Sekine & Collins (1997), evalb.
    """
    max_length = parameters.cutoff if max_length is None else max_length
    if max_length < 0:
        raise OptionError(f"max_length is {max_length}", hint="give a number of words, such as 40")
    gold, predicted = _columns(gold), _columns(predicted)
    if len(gold) != len(predicted):
        raise MismatchError(
            f"there are {len(gold):,} gold trees, but {len(predicted):,} predicted ones",
            hint="give one predicted tree for every gold one; None, or a line (), for no parse",
        )
    symbols = SymbolTable()
    right = _Side.of(gold, symbols, parameters)
    guess = _Side.of(predicted, symbols, parameters, right)
    status = [_status(right, guess, tree) for tree in range(len(gold))]
    valid = np.array([s == VALID for s in status], np.bool_)
    matched, crossing = _compare(valid, right.brackets, right.bounds, guess.brackets, guess.bounds)
    tags = _equal_tags(right, guess, valid)
    counted = np.concatenate(([0], np.cumsum(matched)))[right.bounds]
    columns = (
        np.diff(right.bounds), np.diff(guess.bounds), np.diff(counted), crossing,
        np.diff(right.word_bounds), tags,
    )  # fmt: skip
    sentences = tuple(
        SentenceScore(s, n, *counts) if s == VALID else SentenceScore(s, n)
        for s, n, *counts in zip(
            status, right.lengths.tolist(), *(c.tolist() for c in columns), strict=True
        )
    )
    return Evaluation(
        all=Score.of(sentences),
        short=Score.of(s for s in sentences if s.length <= max_length),
        max_length=max_length,
        labels=_label_scores(right, guess, matched, valid, symbols),
        sentences=sentences,
    )


@dataclass(frozen=True, eq=False)
class _Side:
    """What counts of one treebank, in a symbol table that both share.

    ``words`` and ``tags`` are those that are compared, ``all_words`` and ``all_tags`` have the
    others, too, and ``spoken`` says which of all are not traces; ``brackets`` has the columns
    label, start, end. Tree t has the stretches between bounds t and t + 1.
    """

    words: IntArray
    tags: IntArray
    word_bounds: LongArray
    all_words: IntArray
    all_tags: IntArray
    spoken: BoolArray
    all_bounds: LongArray
    brackets: LongArray
    bounds: LongArray

    @property
    def lengths(self) -> LongArray:
        return np.diff(np.concatenate(([0], np.cumsum(self.spoken)))[self.all_bounds])

    @classmethod
    def of(
        cls,
        treebank: Treebank,
        symbols: SymbolTable,
        parameters: EvalbParameters,
        right: _Side | None = None,
    ) -> _Side:
        def numbered(name_of: Callable[[str], str]) -> IntArray:
            return np.array([symbols.add(name_of(name)) for name in treebank.symbols] or [0], "i4")

        alike = parameters.alike_words
        written = numbered(lambda name: alike.get(name, name))
        bare = numbered(lambda name: _bare(name, parameters))
        deleted = [symbols.add(label) for label in sorted(parameters.deleted)]
        silent = [symbols.add(label) for label in sorted(parameters.not_in_length)]
        word = treebank.is_word
        label = np.where(word, written[treebank.label], numbered(str)[treebank.label])
        # a word with siblings has no tag of its own
        tag = np.where(treebank.size[treebank.parent] == 2, label[treebank.parent], -1)
        all_words, all_bounds = label[word], _bounds(word, treebank.offsets)
        if right is not None and parameters.quotes:
            quotes = [symbols.add(name) for name in sorted(parameters.quotes)]
            tag[word] = _with_quotes(right, all_words, tag[word], all_bounds, quotes)
        silenced = [symbols.add(name) for name in sorted(parameters.deleted_words)]
        kept = word & ~np.isin(tag, deleted) & ~np.isin(label, silenced)
        before = np.concatenate(([0], np.cumsum(kept)))
        first = np.repeat(before[treebank.offsets[:-1]], np.diff(treebank.offsets))
        start, end = before[:-1] - first, before[np.arange(len(word)) + treebank.size] - first
        bracket_label = bare[treebank.label]
        roots = treebank.offsets[:-1]
        named = [symbols.add(name) for name in sorted(ROOT_LABELS)]
        is_root = np.isin(bracket_label[roots], named)
        bracket_label[roots[is_root]] = symbols.add(_ROOT)
        counts = (treebank.size > 2) & (end > start) & ~np.isin(bracket_label, deleted)
        return cls(
            words=label[kept],
            tags=tag[kept],
            word_bounds=_bounds(kept, treebank.offsets),
            all_words=all_words,
            all_tags=tag[word],
            spoken=~np.isin(tag[word], silent),
            all_bounds=all_bounds,
            brackets=np.column_stack((bracket_label, start, end))[counts].astype(np.int64),
            bounds=_bounds(counts, treebank.offsets),
        )

    def sentence(self, tree: int) -> IntArray:
        """Return the words of a tree that are compared."""
        return self.words[self.word_bounds[tree] : self.word_bounds[tree + 1]]


def _with_quotes(
    right: _Side, words: IntArray, tags: IntArray, bounds: LongArray, quotes: Sequence[int]
) -> IntArray:
    """Return tags of words; of a quote in both trees of a sentence, that of the right one."""
    tags = tags.copy()
    for mine, here in zip(
        itertools.pairwise(right.all_bounds.tolist()),
        itertools.pairwise(bounds.tolist()),
        strict=True,
    ):
        right_words, right_tags = (each[slice(*mine)] for each in (right.all_words, right.all_tags))
        if np.array_equal(right_words, words[slice(*here)]):
            own = tags[slice(*here)]
            both = np.isin(own, quotes) & np.isin(right_tags, quotes)
            own[both] = right_tags[both]
    return tags


def _columns(trees: Treebank | Sequence[Tree | None]) -> Treebank:
    found = given_trees(trees)
    if found is None and is_name_of_file(trees):
        found = as_treebank(trees)
    if found is None:
        found = as_treebank([NO_PARSE if tree is None else tree for tree in trees])
    return found


def _bare(label: str, parameters: EvalbParameters) -> str:
    """Return the label that counts.

    >>> _bare("NP-SBJ=2", COLLINS), _bare("PRT", COLLINS)
    ('NP', 'ADVP')
    """
    label = _FIRST_PART.match(label).group()  # type: ignore[union-attr]  # matches anything
    if not parameters.labelled and label not in parameters.deleted | ROOT_LABELS:
        return _ANY
    return parameters.alike_labels.get(label, label)


def _bounds(chosen: BoolArray, offsets: LongArray) -> LongArray:
    """Return where the chosen nodes of each tree begin among all chosen ones."""
    bounds: LongArray = np.concatenate(([0], np.cumsum(chosen)))[offsets]
    return bounds


def _status(right: _Side, guess: _Side, tree: int) -> str:
    if not len(guess.sentence(tree)):
        return SKIPPED
    return VALID if np.array_equal(right.sentence(tree), guess.sentence(tree)) else ERROR


def _equal_tags(right: _Side, guess: _Side, valid: BoolArray) -> LongArray:
    """Return how many tags of each valid sentence are equal, shape (trees,)."""
    equal = np.zeros(len(valid), np.int64)
    for tree in np.flatnonzero(valid).tolist():
        mine = right.tags[right.word_bounds[tree] : right.word_bounds[tree + 1]]
        theirs = guess.tags[guess.word_bounds[tree] : guess.word_bounds[tree + 1]]
        equal[tree] = np.count_nonzero(mine == theirs)
    return equal


def _label_scores(
    right: _Side, guess: _Side, matched: BoolArray, valid: BoolArray, symbols: SymbolTable
) -> tuple[LabelScore, ...]:
    size = len(symbols)
    mine = np.repeat(valid, np.diff(right.bounds))
    theirs = np.repeat(valid, np.diff(guess.bounds))
    gold = np.bincount(right.brackets[mine, 0], minlength=size).tolist()
    predicted = np.bincount(guess.brackets[theirs, 0], minlength=size).tolist()
    correct = np.bincount(right.brackets[matched, 0], minlength=size).tolist()
    scores = [
        LabelScore(symbols[i], gold[i], predicted[i], correct[i])
        for i in range(size)
        if gold[i] or predicted[i]
    ]
    return tuple(sorted(scores, key=lambda s: (-s.gold, -s.predicted, s.label)))


@kernel()
def _compare(
    valid: BoolArray, gold: LongArray, gold_bounds: LongArray, guess: LongArray, bounds: LongArray
) -> tuple[BoolArray, LongArray]:
    """Return which gold brackets are matched, and the crossing predicted ones of each sentence.

    Brackets are rows of label, start, end.
    """
    matched = np.zeros(len(gold), np.bool_)
    crossing = np.zeros(len(valid), np.int64)
    for tree in range(len(valid)):
        if not valid[tree]:
            continue
        for j in range(bounds[tree], bounds[tree + 1]):
            label, start, end = guess[j]
            crosses = found = False
            for i in range(gold_bounds[tree], gold_bounds[tree + 1]):
                a, b = gold[i, 1], gold[i, 2]
                crosses |= (a < start and start < b and b < end) or (
                    start < a and a < end and end < b
                )
                if not (found or matched[i]) and a == start and b == end and gold[i, 0] == label:
                    matched[i] = found = True
            crossing[tree] += crosses
    return matched, crossing
