"""Draws of a span grammar that are tilted by the score of their seams.

Examples take hosts in turn. Of a host, a place and a filler are drawn together from the method's
own distribution times a power of the score: exactly, from running sums over all pairs of the
host, if there are few enough in all; else by sampling-importance-resampling (Rubin 1987): of some
plain draws one is chosen by its weight.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from grammar.arrays import FloatArray, Index, IntArray, LongArray, kernel
from grammar.errors import SchemaError
from grammar.rng import next_uniform, open_stream, stream_key
from sampling.joins.kernels import (
    Automaton,
    Memory,
    Seams,
    cohesions,
    cohesions_of_place,
    memory_of,
    read_sentences,
    seams_of_spans,
)
from sampling.joins.score import SeamScore, Tilt
from sampling.joins.sentences import Sentences
from sampling.spans.borders import Names, border_codes, border_widths
from sampling.spans.draws import DrawTables, drawn_entry
from sampling.spans.grammar import SpanGrammar
from sampling.spans.sites import Sites
from sampling.stream import Attempts, hosts_in_turn

__all__ = [
    "Hosts",
    "PairScore",
    "TiltedPairs",
    "TiltedSpans",
    "hosts_of",
    "pair_score",
    "score_pairs",
    "seams_of",
    "tilted_pairs",
]


class PairScore(NamedTuple):
    """What scores a context and a filler, by the numbers of their sites.

    A table of weights is read at ``context[h, m] + filler[f, m]``.
    """

    word_model: Automaton
    word_seams: Seams
    word_weight: float
    tag_model: Automaton
    tag_seams: Seams
    tag_weight: float
    context: LongArray
    filler: LongArray
    learnt: FloatArray


class Hosts(NamedTuple):
    """The sites of each host: ``sites[offsets[i]:offsets[i + 1]]``, drawn by ``ends``.

    ``pairs[i]`` counts the pairs of the hosts before, and ``before[j]`` those of the sites of its
    host that stand before site j; ``share[i]`` is the log-probability of host i if they are drawn
    at random.
    """

    offsets: LongArray
    sites: IntArray
    ends: FloatArray
    before: LongArray
    pairs: LongArray
    share: FloatArray


def seams_of(model: Automaton, sentences: Sentences, sites: Sites, texts: int) -> Seams:
    """Return the seams of sites; the sentences of side k begin at number ``k * texts``."""
    sides = sites.start.shape[1]
    number = sites.example[:, None].astype(np.int64) + texts * np.arange(sides)
    first = sentences.offsets[number]
    last = sentences.offsets[number + 1] - 1
    read = read_sentences(model, sentences.tokens, sentences.offsets)
    return seams_of_spans(sentences.tokens, last, first + sites.start, first + sites.end, read)


def pair_score(grammar: SpanGrammar, score: SeamScore) -> PairScore:
    """Return what scores the pairs of a grammar, whose own examples the score has read."""
    texts = len(grammar.examples)
    tags = score.words if score.tags is None else score.tags
    context = filler = np.zeros((len(grammar.sites), 0), np.int64)
    if score.borders is not None:
        held = score.borders
        names = Names(held.features, held.labels, held.places)
        # the kernel reads the table at places that these widths give
        if not np.array_equal(border_widths(score, names), held.widths):
            raise SchemaError("the weights of the score are not those of its features")
        context, filler = border_codes(grammar, score, names)
    return PairScore(
        score.words.automaton,
        seams_of(score.words.automaton, score.words, grammar.sites, texts),
        float(score.weights[0]),
        tags.automaton,
        seams_of(tags.automaton, tags, grammar.sites, texts),
        0.0 if score.tags is None else float(score.weights[1]),
        context,
        filler,
        np.zeros(0) if score.borders is None else score.borders.weights,
    )


@kernel()
def score_pairs(pairs: PairScore, host: LongArray, filler: LongArray) -> FloatArray:
    """Return the score of every context with its filler."""
    scores = _learnt_of(pairs.context, pairs.filler, pairs.learnt, host, filler)
    if pairs.word_weight != 0.0:
        scores += pairs.word_weight * cohesions(pairs.word_model, pairs.word_seams, host, filler)
    if pairs.tag_weight != 0.0:
        scores += pairs.tag_weight * cohesions(pairs.tag_model, pairs.tag_seams, host, filler)
    return scores


@kernel()
def _scores_of_place(
    pairs: PairScore, words: Memory, tags: Memory, host: int, filler: LongArray
) -> FloatArray:
    """Return :func:`score_pairs` of one context with many fillers."""
    same = np.full(len(filler), host)
    scores = _learnt_of(pairs.context, pairs.filler, pairs.learnt, same, filler)
    if pairs.word_weight != 0.0:
        scores += pairs.word_weight * cohesions_of_place(
            pairs.word_model, pairs.word_seams, words, host, filler
        )
    if pairs.tag_weight != 0.0:
        scores += pairs.tag_weight * cohesions_of_place(
            pairs.tag_model, pairs.tag_seams, tags, host, filler
        )
    return scores


@kernel()
def _learnt_of(
    context: LongArray, own: LongArray, learnt: FloatArray, host: LongArray, filler: LongArray
) -> FloatArray:
    """Return the sums of the weights of what meets."""
    found = np.zeros(len(host))
    for r in range(len(host)):
        for m in range(context.shape[1]):
            found[r] += learnt[context[host[r], m] + own[filler[r], m]]
    return found


def hosts_of(grammar: SpanGrammar) -> Hosts:
    """Return the examples with a place to fill, and their places."""
    pools = grammar.pools
    sites = np.flatnonzero(pools.of_site >= 0)
    sites = sites[np.argsort(grammar.sites.example[sites], kind="stable")]
    _, first = np.unique(grammar.sites.example[sites], return_index=True)
    offsets = np.append(first, len(sites)).astype(np.int64)
    weight = pools.host_weight[sites]
    total = np.add.reduceat(weight, first)
    owner = np.repeat(np.arange(len(first)), np.diff(offsets))
    running = np.cumsum(weight / total[owner])
    ends = running - np.concatenate(([0.0], running))[offsets[:-1]][owner]
    sizes = np.diff(pools.offsets)[pools.of_site[sites]]
    counts = np.concatenate(([0], np.cumsum(sizes)))
    pairs = counts[offsets]
    return Hosts(
        offsets,
        sites.astype(np.int32),
        ends,
        counts[:-1] - pairs[owner],
        pairs,
        np.log(total),
    )


def _lengths(grammar: SpanGrammar, hosts: Hosts) -> LongArray:
    """Return how many words each host has."""
    words = np.sum([np.diff(side.offsets) for side in grammar.sides], axis=0)
    found: LongArray = words[grammar.sites.example[hosts.sites[hosts.offsets[:-1]]]]
    return found


@kernel()
def _tilted_ends(
    hosts: Hosts,
    pairs: PairScore,
    words: Memory,
    tags: Memory,
    tables: DrawTables,
    weight: FloatArray,
    power: float,
) -> tuple[FloatArray, FloatArray]:
    """Return the running sums over all pairs of each host, and the logarithm of their total.

    The largest of a host is its first guess at a scale, so that nothing overflows.
    """
    ends = np.empty(hosts.pairs[-1])
    totals = np.full(len(hosts.offsets) - 1, -np.inf)
    for i in range(len(totals)):
        highest, at = -np.inf, hosts.pairs[i]
        for j in range(hosts.offsets[i], hosts.offsets[i + 1]):
            site = hosts.sites[j]
            before = hosts.ends[j - 1] if j > hosts.offsets[i] else 0.0
            share = hosts.ends[j] - before
            row = tables.pool[site]
            first = tables.pool_offsets[row]
            fillers = tables.pool_fillers[first : tables.pool_offsets[row + 1]].astype(np.int64)
            scores = _scores_of_place(pairs, words, tags, site, fillers)
            for k in range(len(fillers)):
                ends[at] = -np.inf
                if tables.span[site] != tables.span[fillers[k]] and share > 0.0:
                    ends[at] = np.log(share * weight[first + k]) + power * scores[k]
                    highest = max(highest, ends[at])
                at += 1
        if highest == -np.inf:
            continue
        total = 0.0
        for p in range(hosts.pairs[i], hosts.pairs[i + 1]):
            total += np.exp(ends[p] - highest)
            ends[p] = total
        totals[i] = highest + np.log(total)
    return ends, totals


@kernel(inline="always")
def _first_above(ends: FloatArray, low: Index, high: Index, value: float) -> Index:
    """Return the first place in [low, high) whose sum is above a value; at most the last."""
    high -= 1
    while low < high:
        middle = (low + high) // 2
        if ends[middle] <= value:
            low = middle + 1
        else:
            high = middle
    return low


@kernel()
def draw_exactly(
    key: np.uint64,
    first: int,
    taken: LongArray,
    hosts: Hosts,
    tables: DrawTables,
    ends: FloatArray,
    totals: FloatArray,
    site_out: IntArray,
    entry_out: LongArray,
    log_out: FloatArray,
) -> None:
    """Draw a place and a filler of each host taken, from running sums over all its pairs.

    A site of -1 says that a host has no pair that changes it. ``log_out`` is minus the logarithm
    of the host's total.
    """
    for r in range(len(taken)):
        i = taken[r]
        site_out[r], entry_out[r], log_out[r] = -1, 0, 0.0
        if totals[i] == -np.inf:
            continue
        _, u = next_uniform(open_stream(key, first + r))
        low, high = hosts.pairs[i], hosts.pairs[i + 1]
        pair = _first_above(ends, low, high, u * ends[high - 1]) - low
        begin, end = hosts.offsets[i], hosts.offsets[i + 1]
        j = begin + np.searchsorted(hosts.before[begin:end], pair, side="right") - 1
        site_out[r] = hosts.sites[j]
        entry_out[r] = tables.pool_offsets[tables.pool[site_out[r]]] + pair - hosts.before[j]
        log_out[r] = -totals[i]


@kernel()
def draw_resampled(
    key: np.uint64,
    first: int,
    taken: LongArray,
    hosts: Hosts,
    tables: DrawTables,
    pairs: PairScore,
    power: float,
    draws: int,
    site_out: IntArray,
    entry_out: LongArray,
    log_out: FloatArray,
) -> None:
    """Draw places and fillers of each host taken, and choose one of them by its weight.

    A site of -1 says that no draw changes the host. ``log_out`` is minus the logarithm of the mean
    weight of the draws, which estimates the host's total.
    """
    sites, fillers = np.empty(draws, np.int64), np.empty(draws, np.int64)
    entries, weights = np.empty(draws, np.int64), np.empty(draws)
    for r in range(len(taken)):
        i = taken[r]
        begin, end = hosts.offsets[i], hosts.offsets[i + 1]
        state = open_stream(key, first + r)
        highest = -np.inf
        for k in range(draws):
            state, u = next_uniform(state)
            site = hosts.sites[_first_above(hosts.ends, begin, end, u)]
            state, v = next_uniform(state)
            sites[k], entries[k] = site, drawn_entry(tables, site, v)
            fillers[k] = tables.pool_fillers[entries[k]]
        scores = score_pairs(pairs, sites, fillers)
        for k in range(draws):
            weights[k] = -np.inf
            if tables.span[sites[k]] != tables.span[fillers[k]]:
                weights[k] = power * scores[k]
                highest = max(highest, weights[k])
        site_out[r], entry_out[r], log_out[r] = -1, 0, 0.0
        if highest == -np.inf:
            continue
        total = 0.0
        for k in range(draws):
            total += np.exp(weights[k] - highest)
            weights[k] = total
        state, u = next_uniform(state)
        chosen = _first_above(weights, 0, draws, u * total)
        site_out[r], entry_out[r] = sites[chosen], entries[chosen]
        log_out[r] = -highest - np.log(total / draws)


@dataclass(frozen=True, eq=False)
class TiltedPairs:
    """What the streams of all seeds have in common.

    Attributes
    ----------
    tilt : Tilt
        The score, and how much it weighs.
    hosts : Hosts
        The places of every host.
    lengths : int64[hosts]
        How many words each has.
    pairs : PairScore
        What scores a place and a filler.
    exact : tuple of (float64[pairs], float64[hosts]) or None
        Running sums over the pairs of each host, and the logarithm of their total, if they are few
        enough.
    """

    tilt: Tilt
    hosts: Hosts
    lengths: LongArray
    pairs: PairScore
    exact: tuple[FloatArray, FloatArray] | None


def tilted_pairs(grammar: SpanGrammar, tables: DrawTables, tilt: Tilt) -> TiltedPairs:
    """Weigh the pairs of a grammar, all of them if they are few enough."""
    hosts, pairs, exact = hosts_of(grammar), pair_score(grammar, tilt.score), None
    if hosts.pairs[-1] <= tilt.most_pairs:
        words = memory_of(pairs.word_model, pairs.word_seams)
        tags = memory_of(pairs.tag_model, pairs.tag_seams)
        weight, power = grammar.pools.weight, float(tilt.power)
        exact = _tilted_ends(hosts, pairs, words, tags, tables, weight, power)
    return TiltedPairs(tilt, hosts, _lengths(grammar, hosts), pairs, exact)


class TiltedSpans(Attempts):
    """The new examples of one seed: sites, entries of their pools, and what the tilt adds.

    Attempts take the hosts of a round through all of them, one or, as the tilt says, so many a
    host; what attempt a draws there is a function of the grammar, the score, the seed and a. The
    third column is what is to be added to the log-probability that the grammar gives a draw.
    """

    def __init__(self, sampler: Any, seed: int, tilted: TiltedPairs) -> None:
        super().__init__(sampler, seed)
        self._tilted, self._tables = tilted, sampler.tables
        self._fillers = sampler.grammar.pools.fillers
        self._judge = sampler.speller.judge()
        self._key = stream_key(seed, f"{sampler.method} tilted")
        self._order = stream_key(seed, f"{sampler.method} order")

    def chunk(self, first: int) -> Any:
        """Return the sites, entries and added log-probabilities of the next attempts."""
        numbers = np.arange(first, first + self.sampler.at_once, dtype=np.int64)
        tilt, hosts, pairs = self._tilted.tilt, self._tilted.hosts, self._tilted.pairs
        rivals = self.sampler.rivals
        taken = hosts_in_turn(self._order, numbers, self._tilted.lengths, tilt.of_host, rivals)
        site, entry = np.empty(len(taken), np.int32), np.empty(len(taken), np.int64)
        added = np.empty(len(taken))
        if self._tilted.exact is not None:
            ends, totals = self._tilted.exact
            draw_exactly(
                self._key, first, taken, hosts, self._tables, ends, totals, site, entry, added
            )
        else:
            draw_resampled(
                self._key, first, taken, hosts, self._tables, pairs,
                float(tilt.power), tilt.draws, site, entry, added,
            )  # fmt: skip
        good = np.flatnonzero(site >= 0)
        chosen = site[good].astype(np.int64)
        filler = self._fillers[entry[good]].astype(np.int64)
        added[good] += tilt.power * score_pairs(pairs, chosen, filler)
        # hosts come in turn: each is as probable as any other
        added[good] -= np.log(len(hosts.share)) + hosts.share[taken[good]]
        if self._judge is not None:
            site[good[~self._judge(site[good], entry[good])]] = -1
        return site, entry, added
