"""Words replaced by random words of the corpus: RandWord, and what SwitchOut shares with it."""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass

import numpy as np

from grammar.arrays import BoolArray, IntArray, LongArray, kernel
from grammar.errors import CorpusError
from grammar.options import option
from grammar.rng import below, next_uniform, open_stream
from induction.corpus.corpus import Corpus
from sampling.words.eda_kernels import free_slots
from sampling.words.grammar import EDIT, REPLACED, Operation, WordGrammar
from sampling.words.pools import Pools, as_pools, pick_other
from sampling.words.sampler import TokenOptions, TokenSampler
from sampling.words.texts import Slots, TokenTexts, Words, keep_words, read_texts, room_for

__all__ = [
    "RandomWord",
    "RandomWordOptions",
    "drawn_number",
    "replacements",
    "switch_words",
    "vocabulary",
]


@dataclass(frozen=True, kw_only=True)
class RandomWordOptions(TokenOptions):
    """The options of :meth:`RandomWord.induce`."""

    replaced: int = option(
        1,
        "Words replaced per text.",
        source="Shi et al., section 4.2",
        least=1,
    )
    draw: str = option(
        "uniform",
        "Draw new words from the vocabulary with equal probability (uniform), or by frequency "
        "(unigram).",
        choices=("uniform", "unigram"),
    )
    same_tag: bool = option(False, "Use only words that have the same tag somewhere. Needs 'tags'.")


class RandomWord(TokenSampler):
    """Replace random words by random words of the corpus (the baseline RandWord of Sub2).

    The words of the corpus are taken without punctuation that touches them. Tags, heads, relations
    and trees stay as they are, with the new word in the old one's place.

    Examples
    --------
    >>> corpus = Corpus.from_columns(text=["the dog sleeps", "a bird"])
    >>> RandomWord.induce(corpus).sample(2).column("text")
    ['bird bird', 'the dog the']

    References
    ----------
    Haoyue Shi, Karen Livescu, Kevin Gimpel. 2021. Substructure Substitution: Structured Data
    Augmentation for NLP. Findings of ACL-IJCNLP.
    """

    method = "random-word"
    Options = RandomWordOptions
    unusable = "no word can be replaced"

    @classmethod
    def read(cls, corpus: Corpus, options: RandomWordOptions) -> WordGrammar:
        """Return the grammar: the vocabulary, by tag if asked for."""
        texts = read_texts(corpus, options.protect)
        rows, counts, names, pool = vocabulary(texts, _by_tag(texts) if options.same_tag else None)
        return cls.grammar_of(
            texts,
            options,
            [Operation(EDIT, f"replace {options.replaced} of the words", children=(REPLACED,))],
            usable=texts.free_words(pool >= 0) > 0,
            names=names,
            pools=as_pools(rows, texts.kinds, counts if options.draw == "unigram" else None),
            replaced=pool,
        )

    def edits(self, key: np.uint64, index: LongArray, rounds: LongArray, hosts: LongArray) -> Slots:
        """Replace words of each text."""
        slots = room_for(self.texts.words, hosts, np.zeros(len(hosts), np.int64))
        fixed = np.full(len(hosts), self.options.replaced, np.int64)
        pool = self.grammar.replaced
        switch_words(key, index, hosts, fixed, 0.0, True, self.texts.words, self.pools, pool, slots)
        return slots

    def bound(self, host: int) -> int:
        """Return an upper bound of the distinct texts that one text can become."""
        return replacements(self.grammar, host, self.options.replaced)


def vocabulary(
    texts: TokenTexts, groups: tuple[LongArray, list[str]] | None = None
) -> tuple[list[list[int]], LongArray, list[str], IntArray]:
    """Return the words of the corpus in pools: of all words, or by groups such as their tags.

    Words that a text writes otherwise than its tokens (brackets as -LRB-) are not put in, nor are
    those of units of several words. Without groups, nor are those of labelled spans.

    Parameters
    ----------
    texts : TokenTexts
        The corpus.
    groups : (int64[words], list of str), optional
        The group of every word, and what groups are called.

    Returns
    -------
    rows, counts, names, pool
        The kinds of words in each pool, how often each entry occurs, what the pools are for, and
        the pool of every word, -1 if that holds no other.
    """
    kind, marks = texts.words.kind, texts.side.marks
    group, names = groups or (np.zeros(len(kind), np.int64), ["word"])
    pairs = group * len(texts.kinds) + kind
    kept = ~texts.side.held  # part of a unit would be put in
    if groups is None and marks is not None:  # a name would be put in without its label
        kept = kept & ~marks.inside
    pairs = pairs[kept]
    pairs, counts = np.unique(pairs, return_counts=True)
    owner, form = np.divmod(pairs, len(texts.kinds))
    kept = _as_written(texts)[form]
    owner, form, counts = owner[kept], form[kept], counts[kept]
    bounds = np.searchsorted(owner, np.arange(len(names) + 1))
    rows = [form[a:b].tolist() for a, b in itertools.pairwise(bounds.tolist())]
    sizes = np.diff(bounds)
    if (sizes < 2).all():
        raise CorpusError(
            "the vocabulary has one word" + (" a group" if groups else "") + ", so none can "
            "replace it",
            hint="give texts of other words",
        )
    pool = np.where(sizes >= 2, np.arange(len(sizes)), -1).astype(np.int32)[group]
    return rows, counts, names, pool


def _by_tag(texts: TokenTexts) -> tuple[LongArray, list[str]]:
    coded = texts.corpus.arrow("tags").combine_chunks().flatten().dictionary_encode()
    tag = coded.indices.to_numpy(zero_copy_only=False).astype(np.int64)
    return tag, [str(name) for name in coded.dictionary.to_pylist()]


def _as_written(texts: TokenTexts) -> BoolArray:
    """Return which kinds of words their texts write as they are."""
    words = texts.words
    first = np.unique(words.kind, return_index=True)[1]
    good = np.zeros(len(texts.kinds), np.bool_)
    for number, w in enumerate(first.tolist()):
        start, end = words.start[w] + words.lead[w], words.end[w] - words.trail[w]
        good[number] = words.text[start:end].tobytes() == texts.kinds[number].encode()
    return good


def replacements(grammar: WordGrammar, host: int, n: int | None) -> int:
    """Return an upper bound of the results of n replacements (or any number of them)."""
    words, pool = grammar.texts.words, grammar.replaced
    row = slice(int(words.offsets[host]), int(words.offsets[host + 1]))
    chosen = pool[row][words.free[row] & (pool[row] >= 0)]
    others = (np.diff(grammar.pools.offsets)[chosen] - 1).tolist()
    if n is None:
        return math.prod(1 + k for k in others) - 1
    most = sorted(others, reverse=True)[:n]
    return math.comb(len(others), len(most)) * math.prod(most)


@kernel()
def switch_words(
    key: np.uint64,
    index: LongArray,
    hosts: LongArray,
    fixed: LongArray,
    beta: float,
    exact: bool,
    words: Words,
    pools: Pools,
    pool: IntArray,
    slots: Slots,
) -> None:
    """Replace ``fixed[r]`` words, or a number drawn if it is -1, by others of their pools."""
    longest = 1
    for host in hosts:
        longest = max(longest, words.offsets[host + 1] - words.offsets[host])
    places = np.empty(longest, np.int64)
    for r in range(len(hosts)):
        state = open_stream(key, index[r])
        keep_words(words, hosts[r], slots, r)
        free = free_slots(words, slots, r, places)
        found = 0
        for k in range(free):
            if pool[slots.word[places[k]]] >= 0:
                places[found] = places[k]
                found += 1
        n = min(fixed[r], found)
        if fixed[r] < 0:
            state, u = next_uniform(state)
            n, likely = drawn_number(u, beta, found)
            slots.log_probability[r] += likely
        if not exact:
            state, n = _each_by_itself(state, n, found, places, slots, r)
        for k in range(n):
            if exact:
                state, u = next_uniform(state)
                other = k + below(u, found - k)
                places[k], places[other] = places[other], places[k]
                slots.log_probability[r] += np.log(k + 1) - np.log(found - k)
            w = slots.word[places[k]]
            state, entry, likely = pick_other(state, pools, pool[w], words.kind[w])
            if entry >= 0:
                slots.entry[places[k]] = entry
                slots.log_probability[r] += likely


@kernel()
def drawn_number(uniform: float, beta: float, most: int) -> tuple[int, float]:
    """Return n from 0 to ``most`` with P(n) = exp(-beta n) / Z, and ln P(n)."""
    total = 0.0
    for n in range(most + 1):
        total += np.exp(-beta * n)
    left = uniform * total
    for n in range(most):
        left -= np.exp(-beta * n)
        if left < 0:
            return n, -beta * n - np.log(total)
    return most, -beta * most - np.log(total)


@kernel()
def _each_by_itself(
    state: np.uint64, n: int, found: int, places: LongArray, slots: Slots, row: int
) -> tuple[np.uint64, int]:
    """Choose each place with probability n / found; return how many, moved to the front."""
    chosen = 0
    for k in range(found):
        state, u = next_uniform(state)
        if u * found < n:
            places[chosen], places[k] = places[k], places[chosen]
            chosen += 1
            slots.log_probability[row] += np.log(n / found)
        else:
            slots.log_probability[row] += np.log1p(-n / found)
    return state, chosen
