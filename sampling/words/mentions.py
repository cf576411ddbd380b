"""Mentions replaced: the words of a labelled span by those of another span of the same label."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from grammar.arrays import IntArray, LongArray, kernel
from grammar.errors import OptionError, SchemaError
from grammar.options import option
from grammar.rng import next_uniform, open_stream
from induction.corpus.corpus import Corpus
from sampling.words.grammar import EDIT, Operation, WordGrammar
from sampling.words.pools import Pools, as_pools, pick_other, vocabulary_of
from sampling.words.sampler import TokenOptions, TokenSampler, refuse_columns
from sampling.words.texts import Slots, TokenTexts, Words, read_texts, room_for

__all__ = ["MentionReplacement", "MentionReplacementOptions"]


@dataclass(frozen=True, kw_only=True)
class MentionReplacementOptions(TokenOptions):
    """The options of :meth:`MentionReplacement.induce`."""

    p: float = option(
        0.5,
        "Probability that a mention is replaced; the paper chooses among 0.1, 0.3, 0.5, 0.7.",
        source="section 4.2",
        least=0,
        most=1,
    )


class Mentions(NamedTuple):
    """The spans of texts for kernels.

    Span m has ``size[m]`` words from ``first[m]`` on, and is written as form ``form[m]``;
    ``at[w]`` is the span that begins with word w if it may be exchanged, else -1. ``pool`` is that
    of its label.
    """

    first: LongArray
    size: LongArray
    form: IntArray
    pool: IntArray
    at: IntArray


class MentionReplacement(TokenSampler):
    """Replace each labelled span with one probability by another of its label.

    New ones are drawn as often as they occur. They bring their words, with their tokens and tags;
    heads, relations and trees are refused. Spans that are part of a word stay.

    Examples
    --------
    >>> corpus = Corpus.from_columns(
    ...     text=["Ann left", "see Bo Li"],
    ...     spans=[[{"start": 0, "end": 3, "label": "P"}], [{"start": 4, "end": 9, "label": "P"}]])
    >>> for new in MentionReplacement.induce(corpus).sample(2):
    ...     print(new["text"], new["spans"])
    see Ann [{'start': 4, 'end': 7, 'label': 'P'}]
    Bo Li left [{'start': 0, 'end': 5, 'label': 'P'}]

    References
    ----------
    Xiang Dai, Heike Adel. 2020. An Analysis of Simple Data Augmentation for Named Entity
    Recognition. COLING (section 3, mention replacement).
    """

    method = "mention-replacement"
    Options = MentionReplacementOptions
    unusable = "no span can be replaced: none is of a label with another text"

    @classmethod
    def read(cls, corpus: Corpus, options: MentionReplacementOptions) -> WordGrammar:
        """Return the grammar: the texts of the spans of every label."""
        if options.p == 0:
            raise OptionError("p=0 replaces no mention", hint="use p=0.5")
        corpus.arrow("spans")
        texts = read_texts(corpus, options.protect, cores=True)
        why = "what hangs on the words of a mention would be lost"
        refuse_columns(texts, ("heads", "deprels", "tree"), cls.method, why)
        mentions, forms = _mentions(texts)
        names = _labels(texts)
        rows, counts = [], []
        for number in range(len(names)):
            used = mentions.form[(mentions.pool == number) & _exchangeable(mentions)]
            row, times = np.unique(used, return_counts=True)
            rows.append(row.tolist())
            counts += times.tolist()
        usable = np.zeros(len(texts.side), np.bool_)
        several = np.array([len(row) > 1 for row in rows], np.bool_)
        if len(mentions.first):
            ready = mentions.first[_exchangeable(mentions) & several[mentions.pool]]
            usable[np.searchsorted(texts.words.offsets, ready, side="right") - 1] = True
        said = f"replace each mention with probability {options.p:g}"
        return cls.grammar_of(
            texts,
            options,
            [Operation(EDIT, said, children=names)],
            usable=usable,
            names=names,
            pools=as_pools(rows, forms, counts),
        )

    @cached_property
    def _mentions(self) -> Mentions:
        """The spans; those of a label with one text are not exchanged."""
        if self.texts.side.marks is None:
            raise SchemaError("the grammar has no column of spans", hint="save it again")
        mentions, forms = _mentions(self.texts)
        if mentions.pool.max(initial=-1) >= len(self.pools.offsets) - 1:
            raise SchemaError(
                "the grammar has spans of more labels than pools of mentions",
                hint="save it again",
            )
        known = {form: number for number, form in enumerate(vocabulary_of(self.pools).to_pylist())}
        form = np.array([known.get(name, -1) for name in forms], np.int32)[mentions.form]
        lone = (np.diff(self.pools.offsets) < 2)[mentions.pool] | (form < 0)
        at = mentions.at.copy()
        at[mentions.first[lone]] = -1
        return mentions._replace(form=form, at=at)

    @cached_property
    def _donors(self) -> LongArray:
        """int64[entries]: the first span of the pool's label that is written as the entry says."""
        mentions, pools = self._mentions, self.pools
        found: dict[tuple[int, int], int] = {}
        for m in np.flatnonzero(_exchangeable(mentions)).tolist():
            found.setdefault((int(mentions.pool[m]), int(mentions.form[m])), m)
        owner = np.repeat(np.arange(len(pools.offsets) - 1), np.diff(pools.offsets))
        pairs = zip(owner.tolist(), pools.form.tolist(), strict=True)
        return np.array([found.get(pair, 0) for pair in pairs], np.int64)

    def edits(self, key: np.uint64, index: LongArray, rounds: LongArray, hosts: LongArray) -> Slots:
        """Replace mentions of each text."""
        slots = room_for(self.texts.words, hosts, self._growth[hosts])
        slots = slots._replace(rule=np.full(len(slots.word), -1, np.int64))
        p, words = float(self.options.p), self.texts.words
        _replace(key, index, hosts, p, words, self._mentions, self.pools, self._donors, slots)
        return slots

    def bound(self, host: int) -> int:
        """Return an upper bound of the distinct texts that one text can become."""
        row = slice(*self.texts.words.offsets[host : host + 2].tolist())
        there = self._mentions.at[row]
        sizes = np.diff(self.pools.offsets)[self._mentions.pool[there[there >= 0]]]
        return math.prod(sizes.tolist()) - 1

    @cached_property
    def _growth(self) -> LongArray:
        """int64[N]: how many words more than it has a text can come to have."""
        mentions, offsets = self._mentions, self.texts.words.offsets
        there = mentions.at[mentions.at >= 0]
        longest = int(mentions.size.max(initial=0))
        row = np.searchsorted(offsets, mentions.first[there], side="right") - 1
        more = (longest - mentions.size[there]).astype(np.float64)
        return np.bincount(row, more, minlength=len(offsets) - 1).astype(np.int64)


def _labels(texts: TokenTexts) -> tuple[str, ...]:
    assert texts.side.marks is not None
    return texts.side.marks.names


def _exchangeable(mentions: Mentions) -> LongArray:
    """Return which spans are neither protected nor part of a word or unit."""
    return np.asarray(mentions.at[mentions.first] >= 0)


def _mentions(texts: TokenTexts) -> tuple[Mentions, list[str]]:
    """Return the spans of texts, and the texts that their forms are."""
    words, marks = texts.words, texts.side.marks
    assert marks is not None
    first = np.flatnonzero(marks.mark % 2 == 1)
    ends = np.append(np.flatnonzero(~marks.goes_on), len(marks.mark))
    last = ends[np.searchsorted(ends, first, side="right")] - 1
    fixed = texts.protected | (marks.lead > 0) | (marks.trail > 0)
    held = np.concatenate(([0], np.cumsum(fixed)))
    forms: dict[str, int] = {}
    form = [
        forms.setdefault(words.text[a:b].tobytes().decode(), len(forms))
        for a, b in zip(words.start[first].tolist(), words.end[last].tolist(), strict=True)
    ]
    at = np.full(len(marks.mark), -1, np.int32)
    free = (held[last + 1] == held[first]) & texts.side.uncut(first, last + 1)
    at[first[free]] = np.flatnonzero(free)
    pool = ((marks.mark[first] - 1) // 2).astype(np.int32)
    return Mentions(first, last + 1 - first, np.array(form, np.int32), pool, at), list(forms)


@kernel()
def _replace(
    key: np.uint64, index: LongArray, hosts: LongArray, p: float, words: Words,
    mentions: Mentions, pools: Pools, donors: LongArray, slots: Slots,
) -> None:  # fmt: skip
    for r in range(len(hosts)):
        state = open_stream(key, index[r])
        begin, stop = words.offsets[hosts[r]], words.offsets[hosts[r] + 1]
        s, w, after = slots.at[r], begin, False
        slots.log_probability[r] = 0.0
        while w < stop:
            m, entry = mentions.at[w], -1
            if m >= 0:
                state, u = next_uniform(state)
                slots.log_probability[r] += np.log(p) if u < p else np.log1p(-p)
                if u < p:
                    state, entry, likely = pick_other(
                        state, pools, mentions.pool[m], mentions.form[m]
                    )
                    slots.log_probability[r] += likely
            # words that touch still do, whatever stands there now
            touches = w > begin and words.start[w] == words.end[w - 1]
            gap = -2 if touches and (after or entry >= 0) else w
            after = entry >= 0
            if entry < 0:
                slots.gap[s], slots.word[s], slots.entry[s] = gap, w, -1
                s, w = s + 1, w + 1
                continue
            donor = donors[entry]
            for j in range(mentions.size[donor]):
                other = mentions.first[donor] + j
                slots.gap[s], slots.word[s] = (gap if j == 0 else other), other
                slots.entry[s], slots.rule[s] = -1, (entry if j == 0 else -2)
                s += 1
            w += mentions.size[m]
        slots.size[r] = s - slots.at[r]
