"""WordDrop: words dropped at random, deleted or blanked out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from grammar.arrays import LongArray, kernel
from grammar.counter_rng import next_uniform, open_stream
from grammar.errors import OptionError
from induction.corpus import Corpus
from sampling.eda_kernels import delete_words
from sampling.protocol import option, read_options
from sampling.token_noise import refuse_no_hosts, with_words
from sampling.token_sampler import (
    TokenOptions,
    TokenSampler,
    TokenTexts,
    read_texts,
    refuse_columns,
)
from sampling.token_texts import Pools, Slots, Words, as_pools, keep_words, room_for

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
        "A word to put in the place of dropped ones, such as <unk>; by default they are deleted.",
    )


class WordDrop(TokenSampler):
    """Drop each word with one probability; at least one stays.

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

    def __init__(self, texts: TokenTexts, pools: Pools, options: WordDropOptions) -> None:
        long = texts.side.lengths >= (2 if options.blank is None else 1)
        super().__init__(texts, pools, options, with_words(texts, texts.words.free) & long)
        refuse_no_hosts(self._hosts, "no text has two words, one of which can be dropped")

    @classmethod
    def induce(cls, corpus: Corpus, **options: Any) -> WordDrop:
        """Make a sampler.

        Parameters
        ----------
        corpus : Corpus
            With ``text``. Without ``blank``, heads and trees are refused.
        **options
            Fields of :class:`WordDropOptions`; none of them is needed.

        Raises
        ------
        CorpusError
            If a column is missing, not valid or refused, or no word can be dropped.
        OptionError
            If an option is unknown or has a value that cannot be used.
        """
        chosen = read_options(WordDropOptions, options, cls.method)
        if chosen.blank is not None and chosen.blank.split() != [chosen.blank]:
            raise OptionError(f"blank={chosen.blank!r} is not one word", hint="use '<unk>'")
        if chosen.p == 0:
            raise OptionError("p=0 drops no word", hint="use p=0.1")
        texts = read_texts(corpus, chosen.protect)
        if chosen.blank is None:
            why = "what hangs on a dropped word would be lost"
            refuse_columns(texts, ("heads", "deprels", "tree"), "worddrop", why)
        blanks = [chosen.blank] if chosen.blank is not None else []
        return cls(texts, as_pools([range(len(blanks))] if blanks else [], blanks), chosen)

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
