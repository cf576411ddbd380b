"""SwitchOut: a random number of words replaced by random words (Wang et al. 2018)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import pyarrow as pa

from grammar.arrays import IntArray, LongArray
from grammar.counter_rng import stream_key
from induction.corpus import Corpus
from sampling.protocol import option, read_options
from sampling.splicing import as_strings
from sampling.token_grammar import WordGrammar
from sampling.token_noise import (
    refuse_no_hosts,
    replacements,
    switch_words,
    vocabulary,
    with_words,
)
from sampling.token_sampler import TokenOptions, TokenSampler, TokenTexts, read_texts
from sampling.token_texts import Pools, Slots, room_for, write_slots

__all__ = ["SwitchOut", "SwitchOutOptions"]


@dataclass(frozen=True, kw_only=True)
class SwitchOutOptions(TokenOptions):
    """The options of :meth:`SwitchOut.induce`."""

    inverse_temperature: float = option(
        0.95,
        "1/tau: n of the words are replaced with a probability proportional to exp(-n / tau). The "
        "value is that of public reimplementations for source sentences.",
        source="the sampling algorithm",
        least=0,
    )
    exact: bool = option(
        True,
        "Replace exactly n words. The program replaces each word with probability n / L instead.",
        source="appendix",
        code=False,
    )
    target: bool = option(
        False,
        "Replace words of the column 'target' too, by words of the targets, with a number drawn "
        "for itself. The paper does so for translation; where targets are run or parsed, they "
        "would be wrong.",
        source="the sampling algorithm, for both sentences",
    )


class SwitchOut(TokenSampler):
    """Replace a random number of words by words drawn uniformly from the vocabulary.

    Examples
    --------
    >>> corpus = Corpus.from_columns(text=["jump twice", "walk left"])
    >>> SwitchOut.induce(corpus).sample(2).column("text")
    ['twice twice', 'left left']

    References
    ----------
    Xinyi Wang, Hieu Pham, Zihang Dai, Graham Neubig. 2018. SwitchOut: an Efficient Data
    Augmentation Algorithm for Neural Machine Translation. EMNLP.
    """

    method = "switchout"
    Options = SwitchOutOptions

    def __init__(
        self,
        texts: TokenTexts,
        pools: Pools,
        pool: IntArray,
        options: SwitchOutOptions,
        target: SwitchOut | None = None,
    ) -> None:
        self._pool = pool
        self._target = target
        super().__init__(texts, pools, options, with_words(texts, pool >= 0))
        refuse_no_hosts(self._hosts, "no word can be replaced")

    @classmethod
    def induce(cls, corpus: Corpus, **options: Any) -> SwitchOut:
        """Collect the vocabulary of the texts.

        The number n of replaced words of a text of L words has P(n) = exp(-n / tau) / Z for n = 0
        to L, Z the sum of the numerators; places are drawn uniformly without replacement, and new
        words uniformly from the vocabulary without the old word (the paper's sampling algorithm).
        With ``distinct``, draws with n = 0 are passed over, so examples follow P(n | new).

        Parameters
        ----------
        corpus : Corpus
            With ``text``, and ``target`` if it is switched too. Tags, heads and trees stay.
        **options
            Fields of :class:`SwitchOutOptions`; none of them is needed.

        Raises
        ------
        CorpusError
            If a column is missing or not valid, or the vocabulary has one word only.
        OptionError
            If an option is unknown or has a value that cannot be used.

        Notes
        -----
        Not taken over from the appendix: its word numbers may become those of the marks for
        padding and sentence ends.
        """
        chosen = read_options(SwitchOutOptions, options, cls.method)
        target = None
        if chosen.target:
            targets = Corpus.from_columns(id=corpus.arrow("id"), text=corpus.arrow("target"))
            target = cls._of(targets, replace(chosen, target=False, protect=None), None)
        return cls._of(corpus, chosen, target)

    @classmethod
    def _of(cls, corpus: Corpus, o: SwitchOutOptions, target: SwitchOut | None) -> SwitchOut:
        texts = read_texts(corpus, o.protect)
        pools, _, pool = vocabulary(texts, False, False)
        return cls(texts, pools, pool, o, target)

    @cached_property
    def grammar(self) -> WordGrammar | None:
        """The vocabulary, all words alike."""
        return WordGrammar(self.method, ["word"], self.pools)

    def edits(self, key: np.uint64, index: LongArray, rounds: LongArray, hosts: LongArray) -> Slots:
        """Replace words of each text."""
        slots = room_for(self.texts.words, hosts, np.zeros(len(hosts), np.int64))
        drawn = np.full(len(hosts), -1, np.int64)
        o, words = self.options, self.texts.words
        beta = float(o.inverse_temperature)
        switch_words(key, index, hosts, drawn, beta, o.exact, words, self.pools, self._pool, slots)
        return slots

    def bound(self, host: int) -> int:
        """Return an upper bound of the distinct texts that one text can become."""
        return replacements(self, host, self._pool, None)

    def _spelt(self, slots: Slots, hosts: LongArray, seed: int, index: LongArray) -> pa.Table:
        made = super()._spelt(slots, hosts, seed, index)
        if self._target is None:
            return made
        key = stream_key(seed, f"{self.method} target")
        switched = self._target.edits(key, index, np.zeros_like(index), hosts)
        words, pools = self._target.texts.words, self._target.pools
        data, offsets, _ = write_slots(words, pools, switched, hosts)
        place = made.column_names.index("target")
        return made.set_column(place, "target", as_strings(data, offsets))
