"""Words replaced by words of the same label: what begins a PER by what begins another one."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from grammar.arrays import IntArray, LongArray, kernel
from grammar.errors import OptionError
from grammar.options import option
from grammar.rng import next_uniform, open_stream
from induction.corpus.corpus import Corpus
from sampling.words.grammar import EDIT, WORD, Operation, WordGrammar
from sampling.words.noise import vocabulary
from sampling.words.pools import Pools, as_pools, pick_other
from sampling.words.sampler import TokenOptions, TokenSampler
from sampling.words.texts import Slots, Words, keep_words, read_texts, room_for

__all__ = ["LabelWise", "LabelWiseOptions"]


@dataclass(frozen=True, kw_only=True)
class LabelWiseOptions(TokenOptions):
    """The options of :meth:`LabelWise.induce`."""

    p: float = option(
        0.3,
        "Probability that a word is replaced; the paper chooses among 0.1, 0.3, 0.5, 0.7.",
        source="section 4.2",
        least=0,
        most=1,
    )


class LabelWise(TokenSampler):
    """Replace each word with one probability by a word that has the same label somewhere.

    Labels are those of BIO: a word that begins a span of some kind, one inside it, one outside. New
    words are drawn as often as they have the label. Spans stay in their places; so do tags, heads,
    relations and trees.

    Examples
    --------
    >>> corpus = Corpus.from_columns(
    ...     text=["Ann left", "see Bo Li"],
    ...     spans=[[{"start": 0, "end": 3, "label": "P"}], [{"start": 4, "end": 9, "label": "P"}]])
    >>> sorted(LabelWise.induce(corpus, p=0.5).sample(4).column("text"))
    ['Bo left', 'Bo see', 'left Ann Li', 'see Ann Li']

    References
    ----------
    Xiang Dai, Heike Adel. 2020. An Analysis of Simple Data Augmentation for Named Entity
    Recognition. COLING (section 3, label-wise token replacement).
    """

    method = "label-wise"
    Options = LabelWiseOptions
    unusable = "no word can be replaced"

    @classmethod
    def read(cls, corpus: Corpus, options: LabelWiseOptions) -> WordGrammar:
        """Return the grammar: the words of every label."""
        if options.p == 0:
            raise OptionError("p=0 replaces no word", hint="use p=0.3")
        corpus.arrow("spans")
        texts = read_texts(corpus, options.protect, cores=True)
        marks = texts.side.marks
        assert marks is not None
        inner = [f"{prefix}-{name}" for name in marks.names for prefix in "BI"]
        groups = marks.mark.astype(np.int64), ["O", *inner]
        rows, counts, names, pool = vocabulary(texts, groups)
        pool = np.where(texts.protected | texts.side.held, -1, pool).astype(np.int32)
        owner = np.repeat(np.arange(len(texts.side)), texts.side.lengths)
        return cls.grammar_of(
            texts,
            options,
            [
                Operation(EDIT, "replace words", children=(WORD,)),
                *(Operation(WORD, f"replace it ({name})", options.p, (name,)) for name in names),
                Operation(WORD, "keep it", 1 - options.p),
            ],
            usable=np.bincount(owner[pool >= 0], minlength=len(texts.side)) > 0,
            names=names,
            pools=as_pools(rows, texts.kinds, counts),
            replaced=pool,
        )

    def edits(self, key: np.uint64, index: LongArray, rounds: LongArray, hosts: LongArray) -> Slots:
        """Replace words of each text."""
        slots = room_for(self.texts.words, hosts, np.zeros(len(hosts), np.int64))
        pool, p = self.grammar.replaced, float(self.options.p)
        _replace_each(key, index, hosts, p, self.texts.words, self.pools, pool, slots)
        return slots

    def bound(self, host: int) -> int:
        """Return an upper bound of the distinct texts that one text can become."""
        row = slice(*self.texts.words.offsets[host : host + 2].tolist())
        pool = self.grammar.replaced[row]
        return math.prod(np.diff(self.pools.offsets)[pool[pool >= 0]].tolist()) - 1


@kernel()
def _replace_each(
    key: np.uint64, index: LongArray, hosts: LongArray, p: float, words: Words, pools: Pools,
    pool: IntArray, slots: Slots,
) -> None:  # fmt: skip
    for r in range(len(hosts)):
        state = open_stream(key, index[r])
        length = keep_words(words, hosts[r], slots, r)
        for s in range(slots.at[r], slots.at[r] + length):
            w = slots.word[s]
            if pool[w] < 0:
                continue
            state, u = next_uniform(state)
            if u >= p:
                slots.log_probability[r] += np.log1p(-p)
                continue
            state, entry, likely = pick_other(state, pools, pool[w], words.kind[w])
            slots.entry[s] = entry
            slots.log_probability[r] += np.log(p) + likely
