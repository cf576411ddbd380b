"""Self-BLEU: how much texts resemble each other, or the texts that they were made from.

The literature has two measures of this name, and here they have names of their own:

- :func:`self_bleu` is that of Zhu et al. (2018): each text of a set against all others of the set.
- :func:`bleu_to_originals` is that of ALP (Kim et al. 2022, table 6), which "assess how an
  augmented sentence resembles the original one": each augmented text against the originals.
  :func:`bleu_to_parents` takes only those that it was made from.

All use sentence BLEU (Papineni et al. 2002) of words as they stand, with equal weights, the closest
reference length, and a precision of 0.1 matches where there is none (``floor`` of sacrebleu,
``method1`` of NLTK, as Texygen has it). Orders longer than the text are left out of the mean
(sacrebleu's ``effective_order``). The values are exact over all texts, and cost time linear in
their words, because a clipped count needs no pairs: only the largest count of an n-gram in the
other texts.
"""

from __future__ import annotations

import numpy as np

from grammar.arrays import FloatArray, LongArray, kernel
from grammar.errors import CorpusError
from grammar.options import whole_number
from induction.corpus.corpus import Corpus
from sampling.quality.measures.parents import Parents, find_parents
from sampling.quality.measures.words import Bags, Text, bags, ngram_ids, shared_words

__all__ = ["bleu_to_originals", "bleu_to_parents", "self_bleu"]

FLOOR = 0.1


def self_bleu(corpus: Text, *, order: int = 5) -> FloatArray:
    """Return the BLEU of each text against all the others; Self-BLEU is the mean.

    Parameters
    ----------
    corpus : Corpus
        At least two examples.
    order : int
        The longest n-grams.

    Returns
    -------
    float64[examples]
        From 0 to 1; 1 where another text is equal.

    Raises
    ------
    CorpusError
        If there are fewer than two examples.
    OptionError
        If the order is not positive.

    References
    ----------
    Zhu et al. 2018, Texygen: a benchmarking platform for text generation models.

    Examples
    --------
    >>> texts = ["a b c", "a b d", "e f g"]
    >>> self_bleu(Corpus.from_columns(text=texts), order=2).round(3).tolist()
    [0.577, 0.577, 0.0]
    """
    whole_number("order", order, 1)
    (words,) = shared_words(corpus)
    if len(words) < 2:
        raise CorpusError("Self-BLEU needs two examples", hint="give more of them")
    matches = []
    for (ids,) in ngram_ids((words,), order):
        bag = bags(words, ids)
        first, holder, second = _largest(bag, int(ids.max(initial=0)) + 1)
        others = np.where(holder[bag.gram] == bag.owner, second[bag.gram], first[bag.gram])
        matches.append(_summed(bag, np.minimum(bag.count, others)))
    lengths, times = np.unique(words.lengths, return_counts=True)
    nearest = _nearest_length(words.lengths, lengths, alone=times == 1)
    return _bleu(np.array(matches), words.lengths, nearest)


def bleu_to_originals(augmented: Text, originals: Text, *, order: int = 5) -> FloatArray:
    """Return the BLEU of each augmented text with all originals as references.

    Parameters and errors are those of :func:`self_bleu`; one example is enough.

    References
    ----------
    Kim et al. 2022 (ALP), section "Semantic fidelity and text diversity" and table 6.

    Examples
    --------
    >>> made = Corpus.from_columns(text=["a b c", "x y"])
    >>> bleu_to_originals(made, Corpus.from_columns(text=["a b c d"]), order=2).round(3).tolist()
    [0.717, 0.0]
    """
    whole_number("order", order, 1)
    words, references = shared_words(augmented, originals)
    matches = []
    for ids, reference_ids in ngram_ids((words, references), order):
        bag, reference = bags(words, ids), bags(references, reference_ids)
        width = 1 + max(int(ids.max(initial=0)), int(reference_ids.max(initial=0)))
        first, _, _ = _largest(reference, width)
        matches.append(_summed(bag, np.minimum(bag.count, first[bag.gram])))
    lengths = np.unique(references.lengths)
    nearest = _nearest_length(words.lengths, lengths, alone=np.zeros(len(lengths), np.bool_))
    return _bleu(np.array(matches), words.lengths, nearest)


def bleu_to_parents(
    augmented: Text, originals: Text, parents: Parents | None = None, *, order: int = 5
) -> FloatArray:
    """Return the BLEU of each augmented text with the originals that it was made from.

    Parameters
    ----------
    augmented, originals : Corpus
        The augmented examples name their parents in ``provenance``.
    parents : Parents, optional
        Those parents, if they are known already.
    order : int
        The longest n-grams.

    Returns
    -------
    float64[examples]
        NaN where no parent is known.

    Raises
    ------
    CorpusError
        If no parents are known.
    """
    whole_number("order", order, 1)
    if parents is None:
        if not isinstance(augmented, Corpus) or not isinstance(originals, Corpus):
            raise CorpusError("the words do not identify parents", hint="give parents=, or corpora")
        parents = find_parents(augmented, originals)
    words, references = shared_words(augmented, originals)
    matches = []
    for ids, reference_ids in ngram_ids((words, references), order):
        a, b = bags(words, ids), bags(references, reference_ids)
        clipped = _clipped_to_parents(
            a.offsets, a.gram, a.count, b.offsets, b.gram, b.count, parents.offsets, parents.row
        )
        matches.append(_summed(a, clipped))
    nearest = _nearest_parent(words.lengths, references.lengths, parents.offsets, parents.row)
    values = _bleu(np.array(matches), words.lengths, nearest)
    return np.where(np.diff(parents.offsets) > 0, values, np.nan)


def _largest(bag: Bags, width: int) -> tuple[LongArray, LongArray, LongArray]:
    """Return of each n-gram its largest count, the example with it, and the next largest count."""
    first, second = np.zeros(width, np.int64), np.zeros(width, np.int64)
    holder = np.full(width, -1, np.int64)
    by_count = np.lexsort((-bag.count, bag.gram))
    gram = bag.gram[by_count]
    leads = np.concatenate(([True], gram[1:] != gram[:-1])) if len(gram) else gram.astype(bool)
    follows = np.concatenate(([False], leads[:-1])) & ~leads if len(gram) else leads
    first[gram[leads]] = bag.count[by_count][leads]
    holder[gram[leads]] = bag.owner[by_count][leads]
    second[gram[follows]] = bag.count[by_count][follows]
    return first, holder, second


def _summed(bag: Bags, values: LongArray) -> LongArray:
    before = np.concatenate(([0], np.cumsum(values)))
    return np.diff(before[bag.offsets])


def _nearest_length(lengths: LongArray, there: LongArray, alone: LongArray) -> LongArray:
    """Return the nearest of the lengths ``there`` to each length; the shorter of two as near.

    A length that is ``alone`` is the text's own, which is no reference of it.
    """
    place = np.searchsorted(there, lengths)
    here = (place < len(there)) & (there[np.minimum(place, len(there) - 1)] == lengths)
    own = here & alone[np.minimum(place, len(there) - 1)]
    far = np.int64(2**40)
    padded = np.concatenate(([-far], there, [far]))
    shorter, longer = padded[place], padded[place + 1 + own]
    nearest = np.where(lengths - shorter <= longer - lengths, shorter, longer)
    return np.where(here & ~own, lengths, nearest)


def _bleu(matches: LongArray, lengths: LongArray, references: LongArray) -> FloatArray:
    """Return sentence BLEU of matches[orders, texts]."""
    order = np.arange(1, len(matches) + 1)[:, None]
    totals = np.maximum(lengths - order + 1, 0)
    there = totals > 0
    precision = np.where(matches > 0, matches, FLOOR) / np.maximum(totals, 1)
    logs = np.where(there, np.log(precision), 0.0).sum(axis=0) / np.maximum(there.sum(axis=0), 1)
    short = np.minimum(1 - references / np.maximum(lengths, 1), 0)
    return np.where(matches[0] > 0, np.exp(logs + short), 0.0)


@kernel()
def _clipped_to_parents(
    offsets: LongArray,
    gram: LongArray,
    count: LongArray,
    parent_offsets: LongArray,
    parent_gram: LongArray,
    parent_count: LongArray,
    parents: LongArray,
    row: LongArray,
) -> LongArray:
    most = np.zeros(len(gram), np.int64)
    for example in range(len(offsets) - 1):
        for p in range(parents[example], parents[example + 1]):
            other, end = parent_offsets[row[p]], parent_offsets[row[p] + 1]
            for entry in range(offsets[example], offsets[example + 1]):
                while other < end and parent_gram[other] < gram[entry]:
                    other += 1
                if other < end and parent_gram[other] == gram[entry]:
                    most[entry] = max(most[entry], parent_count[other])
    return np.minimum(most, count)


@kernel()
def _nearest_parent(
    lengths: LongArray, originals: LongArray, parents: LongArray, row: LongArray
) -> LongArray:
    nearest = np.zeros(len(lengths), np.int64)
    for i in range(len(lengths)):
        best = np.int64(2**40)
        for p in range(parents[i], parents[i + 1]):
            length = originals[row[p]]
            gap = abs(length - lengths[i])
            if gap < best or (gap == best and length < nearest[i]):
                best, nearest[i] = gap, length
    return nearest
