"""AEDA: punctuation marks inserted between words (Karimi, Rossi & Prati 2021)."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from grammar.arrays import LongArray, kernel
from grammar.errors import OptionError
from grammar.options import option
from grammar.rng import below, next_uniform, open_stream
from induction.corpus.corpus import Corpus
from sampling.examples.entities import refuse_schemes
from sampling.words.grammar import EDIT, Operation, WordGrammar
from sampling.words.pools import Pools, as_pools, pick_entry
from sampling.words.sampler import TokenOptions, TokenSampler, refuse_columns
from sampling.words.texts import Slots, Words, read_texts, room_for

__all__ = ["AEDA", "AEDAOptions"]


@dataclass(frozen=True, kw_only=True)
class AEDAOptions(TokenOptions):
    """The options of :meth:`AEDA.induce`."""

    ratio: float = option(
        1 / 3,
        "Most marks, as a share of the words.",
        source="definition of AEDA",
        code=0.3,
        least=0,
        most=1,
    )
    one_more: bool = option(
        False, "Add one to the words times the ratio before rounding down.", code=True
    )
    at_end: bool = option(True, "A mark may be inserted after the last word.", code=False)
    marks: str = option(".;?:!,", "The marks, one character each.", source="definition of AEDA")


class AEDA(TokenSampler):
    """Insert q punctuation marks at q different places, q uniform from 1 to L / 3 (at least 1).

    Tags, heads and trees are refused, for the marks would have none.

    Examples
    --------
    >>> corpus = Corpus.from_columns(text=["a sad superior human comedy"])
    >>> AEDA.induce(corpus).sample(2).column("text")
    ['a sad superior ; human comedy', 'a sad superior human comedy .']

    References
    ----------
    Akbar Karimi, Leonardo Rossi, Andrea Prati. 2021. AEDA: An Easier Data Augmentation Technique
    for Text Classification. Findings of EMNLP.
    """

    method = "aeda"
    Options = AEDAOptions

    @classmethod
    def read(cls, corpus: Corpus, options: AEDAOptions) -> WordGrammar:
        """Return the grammar: each mark may stand in every gap between words."""
        marks = list(dict.fromkeys(options.marks))
        if not marks or any(mark.isspace() for mark in marks):
            raise OptionError(
                f"marks={options.marks!r} holds no marks, or white space", hint="use '.;?:!,'"
            )
        refuse_schemes(corpus, cls.method)
        texts = read_texts(corpus, options.protect)
        why = "the marks have no values there"
        refuse_columns(texts, ("tags", "heads", "deprels", "tree"), "aeda", why)
        said = f"insert marks at different places, at most {100 * options.ratio:.3g} % of the words"
        return cls.grammar_of(
            texts,
            options,
            [Operation(EDIT, said, children=("gap",))],
            usable=np.ones(len(texts.side), np.bool_),
            names=["gap"],
            pools=as_pools([range(len(marks))], marks),
        )

    def edits(self, key: np.uint64, index: LongArray, rounds: LongArray, hosts: LongArray) -> Slots:
        """Insert marks into each text."""
        lengths = self.texts.side.lengths[hosts]
        most = np.maximum(
            1, (self.options.ratio * lengths + self.options.one_more).astype(np.int64)
        )
        slots = room_for(self.texts.words, hosts, most)
        words, at_end = self.texts.words, self.options.at_end
        _aeda_edits(key, index, hosts, most, words, self.pools, at_end, slots)
        return slots

    def bound(self, host: int) -> int:
        """Return the number of distinct texts that one text can become."""
        length = int(self.texts.side.lengths[host])
        most = max(1, int(self.options.ratio * length + self.options.one_more))
        places = length + (1 if self.options.at_end else 0)
        marks = len(self.pools.form)
        return sum(math.comb(places, q) * marks**q for q in range(1, min(most, places) + 1))


@kernel()
def _aeda_edits(
    key: np.uint64,
    index: LongArray,
    hosts: LongArray,
    most: LongArray,
    words: Words,
    pools: Pools,
    at_end: bool,
    slots: Slots,
) -> None:
    longest = 1
    for host in hosts:
        longest = max(longest, words.offsets[host + 1] - words.offsets[host])
    places, chosen = np.empty(longest + 1, np.int64), np.zeros(longest + 1, np.bool_)
    for r in range(len(hosts)):
        begin, stop = words.offsets[hosts[r]], words.offsets[hosts[r] + 1]
        found = _open_places(words, begin, stop, at_end, places)
        state, u = next_uniform(open_stream(key, index[r]))
        bound = min(most[r], found)
        q = 1 + below(u, bound)
        log_probability = -np.log(bound)
        chosen[: stop - begin + 1] = False
        for k in range(q):
            state, u = next_uniform(state)
            other = k + below(u, found - k)
            places[k], places[other] = places[other], places[k]
            chosen[places[k]] = True
            # the order in which places are drawn makes no other text
            log_probability += np.log(k + 1) - np.log(found - k)
        s = slots.at[r]
        for j in range(stop - begin + 1):
            if chosen[j]:
                state, u = next_uniform(state)
                entry, likely = pick_entry(pools, 0, u)
                log_probability += likely
                inside = 0 < j < stop - begin
                slots.gap[s] = begin + j if inside else -1
                slots.word[s], slots.entry[s] = -1, entry
                s += 1
            if j < stop - begin:
                slots.gap[s] = -1 if chosen[j] else begin + j
                slots.word[s], slots.entry[s] = begin + j, -1
                s += 1
        slots.size[r] = s - slots.at[r]
        slots.log_probability[r] = log_probability


@kernel()
def _open_places(words: Words, begin: int, stop: int, at_end: bool, places: LongArray) -> int:
    """List the words before which a mark may stand (the last stands for the end)."""
    found = 0
    for j in range(stop - begin + (1 if at_end else 0)):
        inside = 0 < j < stop - begin
        if not inside or words.free[begin + j] or words.free[begin + j - 1]:
            places[found] = j
            found += 1
    return found
