"""Shuffle: words in another order, at random or as a tree or its dependencies allow."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from grammar.arrays import BoolArray, IntArray, LongArray, kernel
from grammar.errors import CorpusError, OptionError
from grammar.options import option, read_options
from grammar.rng import below, next_uniform, open_stream
from grammar.trees.treebank import Treebank
from induction.corpus.corpus import Corpus
from induction.parsers.trees import with_trees
from sampling.examples.entities import refuse_schemes
from sampling.words.grammar import EDIT, Operation, WordGrammar
from sampling.words.sampler import TokenOptions, TokenSampler
from sampling.words.texts import Slots, TokenTexts, Words, keep_words, read_texts, room_for

__all__ = ["Shuffle", "ShuffleOptions"]

_GROUP = "each group"


@dataclass(frozen=True, kw_only=True)
class ShuffleOptions(TokenOptions):
    """The options of :meth:`Shuffle.induce`."""

    structure: str = option(
        "words",
        "What is shuffled: single words (words); the children of tree nodes (tree, needs "
        "'tree'); heads and their subtrees (dependency, needs 'heads'); or words within labelled "
        "spans and between them (segments, needs 'spans').",
        choices=("words", "tree", "dependency", "segments"),
    )
    rate: float = option(
        1.0,
        "Probability that a node's children, or a segment's words, are shuffled (tree, "
        "dependency, segments).",
        least=0,
        most=1,
    )


class Blocks(NamedTuple):
    """What may be put in another order: groups of neighbouring blocks, inner groups first.

    The groups of unit row i (a text or a tree) are ``offsets[i]`` to ``offsets[i + 1] - 1``. The
    blocks of group g begin at ``starts[bounds[g]]``, ...; the last entry of a group is where its
    last block ends. All are places in the row.
    """

    offsets: LongArray
    bounds: LongArray
    starts: LongArray


class Shuffle(TokenSampler):
    """Put words, constituents or dependents in a random order.

    ``words``: any order of the words. Tags, heads and relations move with their words; the
    leaves of a tree become the words in their new order, its form stays. ``tree``: at every
    node any order of its children, which gives the tree of the new text. ``dependency``: at
    every word any order of the word itself and the subtrees that hang on it, where these are
    unbroken spans; crossing ones stay as they are. ``segments``: any order of the words of each
    labelled span, and of the words between two of them; the spans stay in their places. White
    space stays at its place.

    Examples
    --------
    >>> corpus = Corpus.from_columns(
    ...     text=["the dog sees a bird"],
    ...     tree=["(S (NP (DT the) (NN dog)) (VP (VBZ sees) (NP (DT a) (NN bird))))"])
    >>> Shuffle.induce(corpus, structure="tree").sample(1).column("tree")
    ['(S (VP (VBZ sees) (NP (NN bird) (DT a))) (NP (DT the) (NN dog)))']

    References
    ----------
    Shi, Livescu & Gimpel 2021, the baseline Rand of section 4 (words); Şahin & Steedman 2018, Data
    Augmentation via Dependency Tree Morphing for Low-Resource Languages (rotating dependents); Dai
    & Adel 2020, An Analysis of Simple Data Augmentation for Named Entity Recognition (segments).
    """

    method = "shuffle"
    Options = ShuffleOptions
    unusable = "no text has anything to be put in another order"

    @classmethod
    def needs_trees(cls, options: Mapping[str, Any]) -> bool:
        """Say whether the method, with these options, goes by trees."""
        return read_options(ShuffleOptions, options, cls.method).structure == "tree"

    @classmethod
    def read(cls, corpus: Corpus, options: ShuffleOptions) -> WordGrammar:
        """Return the grammar: groups of so many words or blocks, in any order."""
        o = options
        needed = {"dependency": "heads", "segments": "spans"}.get(o.structure)
        if o.structure == "tree":
            corpus = with_trees(corpus)
        elif needed is not None:
            corpus.arrow(needed)
        elif o.rate != 1:
            raise OptionError("rate is for trees, dependencies and segments", hint="leave it out")
        if o.rate == 0:
            raise OptionError("rate=0 moves nothing", hint="use rate=1")
        if o.structure == "dependency" and "tree" in corpus.names:
            raise CorpusError(
                "shuffle cannot keep the column 'tree' where dependents move",
                hint="drop 'tree', or use structure='tree'",
            )
        refuse_schemes(corpus, cls.method)
        texts = read_texts(corpus, o.protect)
        if o.structure == "words":
            sizes = texts.free_words()
            usable, sizes = sizes >= 2, sizes[sizes >= 2]
        else:
            blocks = _blocks(texts, o.structure)
            usable, sizes = np.diff(blocks.offsets) > 0, np.diff(blocks.bounds) - 1
        return cls.grammar_of(texts, o, _permutations(sizes, o), usable=usable)

    @cached_property
    def _blocks(self) -> Blocks:
        return _blocks(self.texts, self.options.structure)

    def edits(self, key: np.uint64, index: LongArray, rounds: LongArray, hosts: LongArray) -> Slots:
        """Put the words of each text in another order."""
        words, o = self.texts.words, self.options
        lengths = self.texts.side.lengths[hosts]
        slots = room_for(words, hosts, np.zeros(len(hosts), np.int64))
        slots.size[:] = lengths
        likely = slots.log_probability
        if o.structure == "tree":
            bank = _bank(self.texts)
            begin, size = bank.offsets[hosts], np.diff(bank.offsets)[hosts]
            nodes = _reorder(key, index, hosts, begin, size, float(o.rate), self._blocks, likely)
            leaves = nodes[bank.is_word[nodes]]
            slots = slots._replace(nodes=nodes)
            slots.word[:] = np.cumsum(bank.is_word)[leaves] - 1
        elif o.structure != "words":
            begin = words.offsets[hosts]
            rate = float(o.rate)
            slots.word[:] = _reorder(key, index, hosts, begin, lengths, rate, self._blocks, likely)
        else:
            _shuffle_words(key, index, hosts, words, slots)
        owner = np.repeat(words.offsets[hosts] - slots.at, lengths)
        slots.gap[:] = np.arange(len(slots.gap)) + owner
        slots.entry[:] = -1
        marks = self.texts.side.marks
        if (
            marks is not None and o.structure != "segments"
        ):  # what stands between the words of a span is the span's own
            slots.gap[:] = np.where(marks.goes_on[slots.word], slots.word, slots.gap)
        joined = self.texts.side.joined
        slots.gap[:] = np.where(joined[slots.word], slots.word, slots.gap)
        return slots

    def labelled(self, slots: Slots, hosts: LongArray) -> LongArray | None:
        """Return the words whose labels the words of the slots have: those of their places."""
        return slots.gap if self.options.structure == "segments" else None

    def bound(self, host: int) -> int:
        """Return the number of orders of one text, itself among them."""
        words, blocks = self.texts.words, self._blocks
        if self.options.structure == "words":
            row = slice(int(words.offsets[host]), int(words.offsets[host + 1]))
            return math.factorial(int(words.free[row].sum()))
        groups = slice(int(blocks.offsets[host]), int(blocks.offsets[host + 1]) + 1)
        sizes = np.diff(blocks.bounds[groups]) - 1
        return math.prod(math.factorial(k) for k in sizes.tolist())


def _permutations(sizes: LongArray, o: ShuffleOptions) -> list[Operation]:
    """Return a rule for each size of a group, by how many groups have it."""
    kinds = {"tree": "children", "dependency": "words and subtrees"}
    what = kinds.get(o.structure, "words")
    used, counts = np.unique(sizes, return_counts=True)
    shares = o.rate * counts / max(len(sizes), 1)
    rules = [
        Operation(_GROUP, f"{size} {what} in any order", share)
        for size, share in zip(used.tolist(), shares.tolist(), strict=True)
    ]
    kept = [Operation(_GROUP, "the order as it is", 1 - o.rate)] if o.rate < 1 else []
    return [Operation(EDIT, f"reorder {what}", children=(_GROUP,)), *rules, *kept]


def _bank(texts: TokenTexts) -> Treebank:
    assert texts.side.treebank is not None
    return texts.side.treebank


def _blocks(texts: TokenTexts, structure: str) -> Blocks:
    """Return the groups of blocks that may be put in another order."""
    words = texts.words
    if structure == "tree":
        bank = _bank(texts)
        rank: LongArray = np.cumsum(bank.is_word) - bank.is_word
        return Blocks(*_tree_groups(bank.size, bank.offsets, rank, words.free))
    if structure == "dependency":
        flat = texts.corpus.arrow("heads").combine_chunks().flatten()
        heads = flat.to_numpy(zero_copy_only=False).astype(np.int32)
        return Blocks(*_dependency_groups(heads, words.offsets, words.free))
    if structure == "segments" and texts.side.marks is not None:
        fixed = texts.protected | texts.side.held
        return Blocks(*_segments(texts.side.marks.mark, words.offsets, fixed))
    none = np.zeros(1, np.int64)
    return Blocks(np.zeros(len(texts.side) + 1, np.int64), none, none)


@kernel()
def _tree_groups(size: IntArray, offsets: LongArray, rank: LongArray, free: BoolArray) -> Any:
    """List the children of all nodes that have two or more, behind those of the nodes below.

    ``rank[v]`` counts the words before node v. Nodes are left out where that would part two
    protected words, inside or at an edge.
    """
    nodes = len(size)
    first = np.zeros(len(offsets), np.int64)
    bounds, starts = np.zeros(nodes + 1, np.int64), np.empty(2 * nodes, np.int64)
    groups = at = 0
    for i in range(len(offsets) - 1):
        begin = offsets[i]
        for v in range(offsets[i + 1] - 1, begin - 1, -1):
            behind = rank[v + size[v]] if v + size[v] < nodes else len(free)
            last = rank[offsets[i + 1]] if offsets[i + 1] < nodes else len(free)
            good = not _holds_on(free, rank[v], behind, (rank[begin], last))
            blocks, child = 0, v + 1
            while child < v + size[v]:
                starts[at + blocks] = child - begin
                if blocks > 0 and not (free[rank[child]] or free[rank[child] - 1]):
                    good = False
                blocks += 1
                child += size[child]
            if blocks >= 2 and good:
                starts[at + blocks] = child - begin
                at += blocks + 1
                groups += 1
                bounds[groups] = at
        first[i + 1] = groups
    return first, bounds[: groups + 1].copy(), starts[:at].copy()


@kernel(inline="always")
def _holds_on(free: BoolArray, first: int, stop: int, text: tuple[int, int]) -> bool:
    """Return whether protected words go on over an edge of a stretch of words of a text."""
    before = first > text[0] and not (free[first] or free[first - 1])
    return before or (stop < text[1] and not (free[stop] or free[stop - 1]))


@kernel()
def _dependency_groups(heads: IntArray, offsets: LongArray, free: BoolArray) -> Any:
    """List each head with the subtrees that hang on it, where all are spans; deep ones first."""
    words = len(heads)
    first = np.zeros(len(offsets), np.int64)
    bounds, starts = np.zeros(words + 1, np.int64), np.empty(3 * words + 1, np.int64)
    left, right = np.empty(words, np.int64), np.empty(words, np.int64)
    size, depth = np.zeros(words, np.int64), np.zeros(words, np.int64)
    groups = at = 0
    for i in range(len(offsets) - 1):
        begin, length = offsets[i], offsets[i + 1] - offsets[i]
        deepest = _extents(heads, begin, length, left, right, size, depth)
        for d in range(deepest, -1, -1):
            for h in range(length):
                if depth[begin + h] != d or size[begin + h] < 2:
                    continue
                edges = begin + left[begin + h], begin + right[begin + h] + 1
                if _holds_on(free, edges[0], edges[1], (begin, begin + length)):
                    continue
                blocks = _blocks_of_head(heads, begin, h, left, right, size, free, starts, at)
                if blocks >= 2:
                    at += blocks + 1
                    groups += 1
                    bounds[groups] = at
        first[i + 1] = groups
    return first, bounds[: groups + 1].copy(), starts[:at].copy()


@kernel()
def _segments(mark: IntArray, offsets: LongArray, protected: BoolArray) -> Any:
    """List the words of each span, and those between spans, if there are two and none is fixed."""
    words = len(mark)
    first = np.zeros(len(offsets), np.int64)
    bounds, starts = np.zeros(words + 1, np.int64), np.empty(2 * words + 1, np.int64)
    groups = at = 0
    for i in range(len(offsets) - 1):
        begin, w = offsets[i], offsets[i]
        while w < offsets[i + 1]:
            stop, good = w, True
            while stop < offsets[i + 1]:
                begins = mark[stop] % 2 == 1 or (mark[stop] == 0 and mark[stop - 1] != 0)
                if stop > w and begins:
                    break
                good &= not protected[stop]
                stop += 1
            if good and stop - w >= 2:
                for t in range(w, stop + 1):
                    starts[at] = t - begin
                    at += 1
                groups += 1
                bounds[groups] = at
            w = stop
        first[i + 1] = groups
    return first, bounds[: groups + 1].copy(), starts[:at].copy()


@kernel()
def _extents(
    heads: IntArray,
    begin: int,
    length: int,
    left: LongArray,
    right: LongArray,
    size: LongArray,
    depth: LongArray,
) -> int:
    """Fill in the leftmost and rightmost word, size and depth of all subtrees of a sentence."""
    for t in range(length):
        left[begin + t] = right[begin + t] = t
    deepest = 0
    for t in range(length):
        word, steps = t, 0
        while word >= 0:
            left[begin + word] = min(left[begin + word], t)
            right[begin + word] = max(right[begin + word], t)
            size[begin + word] += 1
            word = heads[begin + word] - 1
            steps += 1
        depth[begin + t] = steps - 1
        deepest = max(deepest, steps - 1)
    return deepest


@kernel()
def _blocks_of_head(
    heads: IntArray,
    begin: int,
    h: int,
    left: LongArray,
    right: LongArray,
    size: LongArray,
    free: BoolArray,
    starts: LongArray,
    at: int,
) -> int:
    """Write the blocks of a head and where the last ends; return how many, or 0 if not spans."""
    if right[begin + h] - left[begin + h] + 1 != size[begin + h]:
        return 0
    blocks, t = 0, left[begin + h]
    while t <= right[begin + h]:
        top = t
        while top != h and heads[begin + top] - 1 != h:
            top = heads[begin + top] - 1
        stop = t + 1
        if top != h:
            stop = right[begin + top] + 1
            if left[begin + top] != t or stop - t != size[begin + top]:
                return 0
        if blocks > 0 and not (free[begin + t] or free[begin + t - 1]):
            return 0
        starts[at + blocks] = t
        blocks += 1
        t = stop
    starts[at + blocks] = t
    return blocks


@kernel()
def _reorder(
    key: np.uint64,
    index: LongArray,
    hosts: LongArray,
    begin: LongArray,
    size: LongArray,
    rate: float,
    blocks: Blocks,
    likely: Any,
) -> Any:
    """Return the units of all rows in their new order; those of row r are from ``begin[r]`` on."""
    order = np.empty(size.sum(), np.int64)
    longest = 1
    for r in range(len(hosts)):
        longest = max(longest, size[r])
    old, cards = np.empty(longest, np.int64), np.empty(longest + 1, np.int64)
    row = 0
    for r in range(len(hosts)):
        for t in range(size[r]):
            order[row + t] = begin[r] + t
        state = open_stream(key, index[r])
        for g in range(blocks.offsets[hosts[r]], blocks.offsets[hosts[r] + 1]):
            if rate < 1.0:
                state, u = next_uniform(state)
                likely[r] += np.log(rate) if u < rate else np.log1p(-rate)
                if u >= rate:
                    continue
            starts = blocks.starts[blocks.bounds[g] : blocks.bounds[g + 1]]
            many = len(starts) - 1
            for k in range(many):
                cards[k] = k
            for t in range(starts[0], starts[many]):
                old[t] = order[row + t]
            at = row + starts[0]
            for k in range(many):
                state, u = next_uniform(state)
                other = k + below(u, many - k)
                cards[k], cards[other] = cards[other], cards[k]
                likely[r] -= np.log(many - k)
                for t in range(starts[cards[k]], starts[cards[k] + 1]):
                    order[at] = old[t]
                    at += 1
        row += size[r]
    return order


@kernel()
def _shuffle_words(
    key: np.uint64, index: LongArray, hosts: LongArray, words: Words, slots: Slots
) -> None:
    """Put the free words of each text in any order."""
    for r in range(len(hosts)):
        state = open_stream(key, index[r])
        length = keep_words(words, hosts[r], slots, r)
        at, left = slots.at[r], 0
        for s in range(at, at + length):
            left += words.free[slots.word[s]]
        for s in range(at, at + length):
            if not words.free[slots.word[s]]:
                continue
            state, u = next_uniform(state)
            slots.log_probability[r] -= np.log(left)
            steps = below(u, left)
            left -= 1
            other = s
            # the other is so many free words on; swapped ones are free, as those they replace
            while steps > 0:
                other += 1
                steps -= words.free[slots.word[other]]
            slots.word[s], slots.word[other] = slots.word[other], slots.word[s]
