"""Stage 4 of ALP: which words may stand for an open word, and how probable each is.

The words of a class of texts are counted by their tag, by the label of their projection, and by
the head word of the phrase above. They are drawn from the distribution that interpolates these
contexts, ::

    P(w | c t l g) = share(c t l g) f(w | c t l g) + (1 - share) P(w | c t l)
    P(w | c t l)   = share(c t l)   f(w | c t l)   + (1 - share) f(w | c t)

for class c, tag t, label l and governor g, with relative frequencies f and
share = n / (n + back_off * u) in a context seen n times with u words
(:mod:`grammar.rules.backoff`).
"""

from __future__ import annotations

import warnings
from typing import Any, NamedTuple

import numpy as np

from grammar.arrays import BoolArray, FloatArray, Index, IntArray, LongArray, kernel
from grammar.errors import MissingDataError
from grammar.rules.backoff import BackOff, count_events, path_below, smoothed
from sampling.english.inflection import BASE_TAGS, INFLECTED_TAGS, base_forms, inflect
from sampling.english.unfit_words import ENGLISH, can_be_replaced, unfit_words
from sampling.english.wordnet import (
    MissingWordNetWarning,
    match_case,
    part_of_speech,
    synonyms,
    wordnet,
)

__all__ = [
    "LEVELS",
    "UNIT",
    "WordModel",
    "event_scores",
    "held_out_scores",
    "synonym_rows",
    "tagged_synonyms",
    "word_model",
]

LEVELS = 3
"""Contexts of a word: its class and tag; its label too; its governor too."""
UNIT = 1000
"""Counts are whole numbers of thousandths of a tree."""
FOLDS = 5
_PENN = {"NOUN": "NN", "VERB": "VB", "ADJ": "JJ", "ADV": "RB"}


class WordModel(NamedTuple):
    """Words in contexts, for kernels.

    ``trie`` counts them; the words seen at path p of it are entries ``first[p]`` to
    ``first[p] + trie.distinct[p] - 1`` of ``form``, with running sums of relative frequencies.
    """

    trie: BackOff
    first: LongArray
    form: IntArray
    ends: FloatArray


def word_model(context: LongArray, form: LongArray, count: LongArray) -> WordModel:
    """Count words in contexts.

    Parameters
    ----------
    context : int64[events, 4]
        Class, tag, label, and governor (its form + 1, or 0 at the root).
    form, count : int64[events]
        The word, and how often in thousandths.
    """
    trie = count_events(_paths(context), form, count)
    path = _event_paths(trie, _paths(context))
    level = np.broadcast_to(np.arange(LEVELS), path.shape).ravel()
    rows = np.stack((path.ravel(), np.repeat(form, LEVELS), level), axis=1)
    kinds, inverse = np.unique(rows[:, :2], axis=0, return_inverse=True)
    weight = np.bincount(inverse.ravel(), np.repeat(count, LEVELS), minlength=len(kinds)).astype(
        np.float64
    )
    first = np.zeros(len(trie.total) + 1, np.int64)
    np.cumsum(np.bincount(kinds[:, 0], minlength=len(trie.total)), out=first[1:])
    ends = _running(first, weight)
    return WordModel(trie, first[:-1].copy(), kinds[:, 1].astype(np.int32), ends)


def _paths(context: LongArray) -> LongArray:
    """Return contexts as the trie has them: class and tag as one symbol, then label, governor."""
    tag = context[:, 0] * 4096 + context[:, 1]
    return np.ascontiguousarray(np.stack((tag, context[:, 2], context[:, 3]), axis=1), np.int64)


@kernel()
def _event_paths(trie: BackOff, contexts: LongArray) -> LongArray:
    path = np.zeros(contexts.shape, np.int64)
    for row in range(len(contexts)):
        at: Index = np.int32(0)
        for place in range(contexts.shape[1]):
            at = path_below(trie, at, contexts[row, place])
            path[row, place] = at
    return path


@kernel()
def _running(first: LongArray, weight: FloatArray) -> FloatArray:
    ends = np.empty(len(weight))
    for p in range(len(first) - 1):
        total = 0.0
        for e in range(first[p], first[p + 1]):
            total += weight[e]
            ends[e] = total
        for e in range(first[p], first[p + 1]):
            ends[e] /= total
    return ends


@kernel()
def event_scores(
    trie: BackOff, context: LongArray, form: LongArray, weight: float, base: float
) -> FloatArray:
    """Return ln P of every event, smoothed down to ``base`` for a word never seen."""
    scores = np.empty(len(form))
    for row in range(len(form)):
        path = (context[row, 0], context[row, 1], context[row, 2])
        scores[row] = np.log(smoothed(trie, path, form[row], weight, base))
    return scores


def held_out_scores(
    context: LongArray, form: LongArray, count: LongArray, text: LongArray, best: BoolArray, o: Any
) -> FloatArray:
    """Return the plausibility of every original text: mean ln P of its open words.

    Each is judged by the counts of the others, in five folds; events with ``best`` are those of
    the best trees, by which texts are judged. NaN for a text without open words.
    """
    texts = int(text.max(initial=-1)) + 1
    base = 1.0 / (int(form.max(initial=0)) + 2)
    paths = _paths(context)
    total, words = np.zeros(texts), np.zeros(texts)
    for fold in range(min(FOLDS, texts)):
        mine = text % FOLDS == fold
        trie = count_events(paths[~mine], form[~mine], count[~mine])
        judged = mine & best
        scores = event_scores(trie, paths[judged], form[judged], o.back_off * UNIT, base)
        total += np.bincount(text[judged], scores, minlength=texts)
        words += np.bincount(text[judged], minlength=texts)
    return np.where(words > 0, total / np.maximum(words, 1), np.nan)


def tagged_synonyms(word: str, tag: str, most: int, never: str = ENGLISH) -> list[str]:
    """Return synonyms of a word in the inflection of its tag, those of the commonest sense first.

    Only frequent senses count, and words of a list have none and are none
    (:func:`sampling.english.wordnet.synonyms`).

    Raises
    ------
    MissingDataError
        If WordNet is not installed.
    """
    tag = _PENN.get(tag, tag)
    pos = part_of_speech(tag)
    if pos is None or tag not in INFLECTED_TAGS + BASE_TAGS:
        return []
    found: dict[str, None] = {}
    if not can_be_replaced(word, unfit_words(never)):
        return []
    for base in base_forms(word, tag)[:1]:
        for other in synonyms(base, pos=pos, never=never):
            form = None if " " in other else inflect(other, tag)
            if form is not None and form != word.lower():
                found[match_case(form, word)] = None
    return list(found)[:most]


def synonym_rows(
    keys: list[tuple[str, str]], numbers: dict[str, int], o: Any
) -> tuple[IntArray, LongArray, IntArray]:
    """Return the row of synonyms of every (word, tag), where rows begin, and the forms in them.

    New words are added to ``numbers``. Without WordNet, or where none are asked for, there are no
    rows.

    Warns
    -----
    MissingWordNetWarning
        If WordNet is not installed.
    """
    row = np.full(len(keys), -1, np.int32)
    ends, forms = [0], list[int]()
    if o.synonym > 0 and _has_wordnet():
        for k, (word, tag) in enumerate(keys):
            found = tagged_synonyms(word, tag, o.most_synonyms, o.never)
            if found:
                row[k] = len(ends) - 1
                forms += [numbers.setdefault(form, len(numbers)) for form in found]
                ends.append(len(forms))
    return row, np.array(ends, np.int64), np.array(forms, np.int32)


def _has_wordnet() -> bool:
    try:
        wordnet()
    except MissingDataError as error:
        warnings.warn(
            f"{error.what}, so words are not replaced by synonyms ({error.hint})",
            MissingWordNetWarning,
            stacklevel=6,
        )
        return False
    return True
