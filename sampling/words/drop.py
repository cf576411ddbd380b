"""WordDrop: words dropped at random, deleted or blanked out."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from grammar.arrays import LongArray, kernel
from grammar.errors import OptionError
from grammar.options import option
from grammar.rng import next_uniform, open_stream
from induction.corpus.corpus import Corpus
from sampling.examples.entities import refuse_schemes
from sampling.words.eda_kernels import delete_words
from sampling.words.grammar import EDIT, WORD, Operation, WordGrammar
from sampling.words.pools import as_pools
from sampling.words.sampler import TokenOptions, TokenSampler, refuse_columns
from sampling.words.texts import Slots, Words, keep_words, read_texts, room_for

__all__ = ["WordDrop", "WordDropOptions"]


@dataclass(frozen=True, kw_only=True)
class WordDropOptions(TokenOptions):
    """The options of :meth:`WordDrop.induce`."""

    p: float = option(
        0.1,
        "Probability that a word is dropped.",
        source="Sennrich et al. 2016",
        least=0,
        most=1,
    )
    blank: str | None = option(
        None,
        "A word that replaces dropped words, such as <unk>. By default they are deleted.",
    )


class WordDrop(TokenSampler):
    """Drop each word with one probability; at least one stays.

    Without ``blank``, heads and trees are refused.

    Examples
    --------
    >>> corpus = Corpus.from_columns(text=["jump twice and walk left"])
    >>> WordDrop.induce(corpus, p=0.3, blank="<unk>").sample(1).column("text")
    ['<unk> <unk> and walk left']

    References
    ----------
    Rico Sennrich, Barry Haddow, Alexandra Birch. 2016. Edinburgh Neural Machine Translation
    Systems for WMT 16. (Gal & Ghahramani 2016 for the idea.)
    """

    method = "worddrop"
    Options = WordDropOptions
    unusable = "no text has two words, one of which can be dropped"

    @classmethod
    def read(cls, corpus: Corpus, options: WordDropOptions) -> WordGrammar:
        """Return the grammar: each word is dropped or kept."""
        p, blank = options.p, options.blank
        if blank is not None and blank.split() != [blank]:
            raise OptionError(f"blank={blank!r} is not one word", hint="use '<unk>'")
        if p == 0:
            raise OptionError("p=0 drops no word", hint="use p=0.1")
        texts = read_texts(corpus, options.protect)
        if blank is None:
            refuse_schemes(corpus, cls.method)
            why = "what hangs on a dropped word would be lost"
            refuse_columns(texts, ("heads", "deprels", "tree"), "worddrop", why)
        names = [] if blank is None else ["blank"]
        return cls.grammar_of(
            texts,
            options,
            [
                Operation(EDIT, "drop words", children=(WORD,)),
                Operation(WORD, "drop it", p, tuple(names)),
                Operation(WORD, "keep it", 1 - p),
            ],
            usable=(texts.free_words() > 0) & (texts.side.lengths >= 2 - len(names)),
            names=names,
            pools=as_pools([[0]] if names else [], [blank] if blank else []),
        )

    def edits(self, key: np.uint64, index: LongArray, rounds: LongArray, hosts: LongArray) -> Slots:
        """Drop words of each text."""
        slots = room_for(self.texts.words, hosts, np.zeros(len(hosts), np.int64))
        blank = self.options.blank is not None
        _drop(key, index, hosts, float(self.options.p), blank, self.texts.words, slots)
        return slots

    def bound(self, host: int) -> int:
        """Return the number of distinct texts that one text can become, if no words are equal."""
        words = self.texts.words
        return 2 ** int(words.free[words.offsets[host] : words.offsets[host + 1]].sum()) - 1


@kernel()
def _drop(
    key: np.uint64, index: LongArray, hosts: LongArray, p: float, blank: bool, words: Words,
    slots: Slots,
) -> None:  # fmt: skip
    for r in range(len(hosts)):
        state = open_stream(key, index[r])
        length = keep_words(words, hosts[r], slots, r)
        if not blank:
            delete_words(state, p, words, slots, r)
            continue
        for s in range(slots.at[r], slots.at[r] + length):
            if words.free[slots.word[s]]:
                state, u = next_uniform(state)
                if u < p:
                    slots.entry[s] = 0
                slots.log_probability[r] += np.log(p) if u < p else np.log1p(-p)
