"""SwitchOut: a random number of words replaced by random words (Wang et al. 2018)."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pyarrow as pa

from grammar.arrays import IntArray, LongArray
from grammar.options import option
from grammar.rng import stream_key
from induction.corpus.corpus import Corpus
from sampling.examples.splicing import as_strings
from sampling.words.grammar import EDIT, REPLACED, Operation, WordGrammar
from sampling.words.noise import replacements, switch_words, vocabulary
from sampling.words.pools import as_pools
from sampling.words.sampler import TokenOptions, TokenSampler
from sampling.words.texts import Slots, TokenTexts, Words, read_texts, room_for, write_slots

__all__ = ["SwitchOut", "SwitchOutOptions"]


@dataclass(frozen=True, kw_only=True)
class SwitchOutOptions(TokenOptions):
    """The options of :meth:`SwitchOut.induce`."""

    inverse_temperature: float = option(
        0.95,
        "1/tau: n words are replaced with a probability proportional to exp(-n / tau). The "
        "default is that of public reimplementations for source sentences.",
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
        "Also replace words of the column 'target' by words of the targets, with a number drawn "
        "separately. The paper does this for translation. Targets that are executed or parsed "
        "would be wrong.",
        source="the sampling algorithm, for both sentences",
    )


class SwitchOut(TokenSampler):
    """Replace a random number of words by words drawn uniformly from the vocabulary.

    The number n of replaced words of a text of L words has P(n) = exp(-n / tau) / Z for n = 0
    to L, Z the sum of the numerators; places are drawn uniformly without replacement, and new
    words uniformly from the vocabulary without the old word (the paper's sampling algorithm).
    With ``distinct``, draws with n = 0 are passed over, so examples follow P(n | new). Tags, heads
    and trees stay.

    Not taken over from the appendix: its word numbers may become those of the marks for padding and
    sentence ends.

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
    unusable = "no word can be replaced"

    @classmethod
    def read(cls, corpus: Corpus, options: SwitchOutOptions) -> WordGrammar:
        """Return the grammar: the vocabulary, all words alike, and that of the targets."""
        texts = read_texts(corpus, options.protect)
        rows, _, names, pool = vocabulary(texts)
        kinds = texts.kinds
        if options.target:
            targets = _targets(texts)
            more, *_ = vocabulary(targets)
            rows += [[len(kinds) + kind for kind in row] for row in more]
            names, kinds = [*names, "word of a target"], kinds + targets.kinds
        said = f"replace n words, n as probable as exp(-{options.inverse_temperature:g} n)"
        return cls.grammar_of(
            texts,
            options,
            [Operation(EDIT, said, children=(REPLACED, *names[1:]))],
            usable=texts.free_words(pool >= 0) > 0,
            names=names,
            pools=as_pools(rows, kinds),
            replaced=pool,
        )

    def edits(self, key: np.uint64, index: LongArray, rounds: LongArray, hosts: LongArray) -> Slots:
        """Replace words of each text."""
        return self._switched(key, index, hosts, self.texts.words, self.grammar.replaced)

    def bound(self, host: int) -> int:
        """Return an upper bound of the distinct texts that one text can become."""
        return replacements(self.grammar, host, None)

    def write(self, drawn: tuple[Slots, LongArray], seed: int, index: LongArray) -> pa.Table:
        """Write edited texts and, if asked for, edited targets."""
        made = super().write(drawn, seed, index)
        if not self.options.target:
            return made
        words, hosts = self._target_words, drawn[1]
        second = np.ones(len(words.kind), np.int32)
        key = stream_key(seed, f"{self.method} target")
        slots = self._switched(key, index, hosts, words, second)
        targets = as_strings(*write_slots(words, self.pools, slots, hosts))
        return made.set_column(made.column_names.index("target"), "target", targets)

    @cached_property
    def _target_words(self) -> Words:
        """The words of the targets, whose kinds are numbered behind those of the texts."""
        words = _targets(self.texts).words
        return words._replace(kind=words.kind + np.int32(len(self.texts.kinds)))

    def _switched(
        self, key: np.uint64, index: LongArray, hosts: LongArray, words: Words, pool: IntArray
    ) -> Slots:
        slots = room_for(words, hosts, np.zeros(len(hosts), np.int64))
        drawn, o = np.full(len(hosts), -1, np.int64), self.options
        beta = float(o.inverse_temperature)
        switch_words(key, index, hosts, drawn, beta, o.exact, words, self.pools, pool, slots)
        return slots


def _targets(texts: TokenTexts) -> TokenTexts:
    corpus = texts.corpus
    columns = {"id": corpus.arrow("id"), "text": corpus.arrow("target")}
    return read_texts(Corpus.from_columns(**columns), None)
