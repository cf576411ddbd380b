"""Stages 2 and 3 of ALP: trees as frames of lexicalised constituents, and who may fill whose place.

A constituent has a label, a head word and a head's tag (by Collins' table). Word w hangs on the
head of the phrase above its *projection*, the topmost constituent that w heads; the label of the
projection and that governor are what the words of stage 4 depend on.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from grammar.arrays import BoolArray, FloatArray, IntArray, LongArray, kernel
from grammar.trees.treebank import Treebank
from induction.trees.heads import head_words
from sampling.alp.trees import ParsedTexts
from sampling.english.stop_words import STOP_WORDS
from sampling.examples.labels import class_numbers
from sampling.joins.spacing import WHOLE, initial_words, torn, without_capital

__all__ = [
    "OPEN_TAGS",
    "Constituents",
    "Forms",
    "Frames",
    "frames_of",
    "open_words",
    "pools_of",
    "word_forms",
]

OPEN_TAGS = frozenset(
    """
    NN NNS NNP NNPS VB VBD VBG VBN VBP VBZ JJ JJR JJS RB RBR RBS NOUN PROPN VERB ADJ ADV
    """.split()  # noqa: SIM905
)
"""Tags of content words, Penn's and the universal ones; all others are closed."""
_NAMES = frozenset({"NNP", "NNPS", "PROPN"})
_CLOSED = frozenset(
    """
    n't 's 're 've 'll 'd 'm never would could may might must shall ought need cannot
    does doing done did having get gets got i
    """.split()  # noqa: SIM905
)
"""Beside EDA's stop words: contracted negations and auxiliaries."""
_BARE = re.compile(r"[^-=|^]+")


class Frames(NamedTuple):
    """The nodes of all trees in preorder, for kernels; leaves are nodes of size 1.

    ``word`` is the number of a leaf's word (-1 for others), ``head`` the leaf that heads a node.
    Of leaves: ``governor`` is the leaf they hang on (-1 at the root), ``label`` and ``tag`` those
    of their projection and of themselves, ``open`` whether they may be redrawn, ``synonyms`` their
    row of synonyms (-1 for none). Of others, ``label`` is their own. ``pool`` is the pool that may
    fill a node's place, or -1.
    """

    size: IntArray
    word: IntArray
    head: IntArray
    governor: IntArray
    label: IntArray
    tag: IntArray
    open: BoolArray
    synonyms: IntArray
    pool: IntArray


@dataclass(frozen=True)
class Forms:
    """How words are written.

    Attributes
    ----------
    form : int32[words]
        The number of each word's form: as it stands in its text, but without the capital of the
        beginning of a sentence.
    capital : bool[sentences]
        Whether each sentence begins with such a capital.
    numbers : dict of str to int
        The vocabulary.
    """

    form: IntArray
    capital: BoolArray
    numbers: dict[str, int]

    @cached_property
    def names(self) -> list[str]:
        """The forms that stand in texts, by number."""
        return list(self.numbers)


@dataclass(frozen=True)
class Constituents:
    """Which constituents may fill which places.

    Attributes
    ----------
    pool : int32[nodes]
        The pool of every node, -1 where nothing else fits.
    offsets, node, weight : int64[pools + 1], int32[entries], float64[entries]
        Pool p holds the nodes ``node[offsets[p]:offsets[p + 1]]``, with probabilities.
    names : list of str
        What the pools are called.
    story : list of (str, int)
        How many constituents each requirement left.
    """

    pool: IntArray
    offsets: LongArray
    node: IntArray
    weight: FloatArray
    names: list[str]
    story: list[tuple[str, int]]


def word_forms(parsed: ParsedTexts, tags: IntArray, names: list[str]) -> Forms:
    """Return how the words of all texts are written.

    Parameters
    ----------
    parsed : ParsedTexts
        Texts and trees.
    tags : int32[words]
        The tag of every word in the best tree of its sentence.
    names : list of str
        What tags are called.
    """
    side = parsed.side
    text = side.text.tobytes()
    bounds = zip(side.start.tolist(), side.end.tolist(), strict=True)
    forms = [text[a:b].decode() for a, b in bounds]
    first = first_words(parsed)
    capital = np.zeros(len(first), np.bool_)
    for s, w in enumerate(first.tolist()):
        capital[s] = forms[w][:1].isupper()
        # names and the pronoun I keep their capitals anywhere, and so do words all in capitals
        plain = without_capital(forms[w])
        if plain is not None and names[tags[w]] not in _NAMES:
            forms[w] = plain
    numbers: dict[str, int] = {}
    codes = np.array([numbers.setdefault(form, len(numbers)) for form in forms], np.int32)
    return Forms(codes, capital, numbers)


def first_words(parsed: ParsedTexts) -> LongArray:
    """Return the number of the first word of every sentence."""
    words = parsed.treebank.lengths[parsed.trees[:-1]]
    return np.asarray(np.cumsum(words) - words, np.int64)


def frames_of(parsed: ParsedTexts) -> tuple[Frames, list[str], IntArray]:
    """Return the nodes of all trees, what labels and tags are called, and the tree of every node.

    Words, pools and synonyms are not yet told open; that needs their forms.
    """
    bank = parsed.treebank
    tree = np.repeat(np.arange(len(bank)), np.diff(bank.offsets)).astype(np.int32)
    leaf = bank.is_word
    sentence = np.repeat(np.arange(len(parsed.trees) - 1), np.diff(parsed.trees))
    before: LongArray = np.cumsum(leaf) - leaf
    # a leaf's place in its tree, behind the words of earlier sentences
    place = before - before[bank.offsets[:-1]][tree] + first_words(parsed)[sentence][tree]
    head = head_words(bank).astype(np.int32)
    names, label = _labels(bank)
    projection, governor = _projections(bank.parent, head)
    known = np.where(leaf, label[projection], label)
    tag = np.where(leaf, label[np.maximum(bank.parent, 0)], -1)
    columns = (
        bank.size,
        np.where(leaf, place, -1),
        head,
        np.where(leaf, governor, -1),
        known,
        tag,
        np.zeros(len(leaf)),
        np.full(len(leaf), -1),
        np.full(len(leaf), -1),
    )
    kinds = (*[np.int32] * 6, np.bool_, np.int32, np.int32)
    arrays: list[Any] = [np.ascontiguousarray(c, k) for c, k in zip(columns, kinds, strict=True)]
    return Frames(*arrays), names, tree


def _labels(bank: Treebank) -> tuple[list[str], IntArray]:
    """Return labels without function tags and annotations, and their numbers by node."""
    names: dict[str, int] = {}
    of_symbol = np.empty(len(bank.symbols), np.int32)
    for i, name in enumerate(bank.symbols):
        match = _BARE.match(name)
        bare = name if name.startswith("-") or match is None else match.group()
        of_symbol[i] = names.setdefault(bare, len(names))
    return list(names), of_symbol[bank.label]


def _projections(parent: IntArray, head: IntArray) -> tuple[IntArray, IntArray]:
    """Return of every leaf the topmost node that it heads, and the leaf that heads the one above.

    Both have one entry a node, of which only those of leaves mean anything.
    """
    top = (parent < 0) | (head != head[np.maximum(parent, 0)])
    nodes = np.flatnonzero(top)
    projection = np.zeros(len(parent), np.int32)
    governor = np.full(len(parent), -1, np.int32)
    projection[head[nodes]] = nodes
    governor[head[nodes]] = np.where(parent[nodes] < 0, -1, head[np.maximum(parent[nodes], 0)])
    return projection, governor


def open_words(
    parsed: ParsedTexts, frames: Frames, tags: list[str], forms: Forms, o: Any, protected: BoolArray
) -> BoolArray:
    """Return which leaves may be redrawn: content words, free, that touch no letters."""
    stops = STOP_WORDS | _CLOSED if o.stop_words == "english" else frozenset()
    free_form = np.array([form.lower() not in stops for form in forms.numbers], np.bool_)
    free_form &= np.array([any(c.isalpha() for c in form) for form in forms.numbers], np.bool_)
    side = parsed.side
    touching = np.zeros(len(side.start) + 1, np.bool_)
    joined = np.flatnonzero(side.start[1:] == side.end[:-1]) + 1
    text = side.text
    for w in joined.tolist():
        touching[w] = _letter(text[side.end[w - 1] - 1]) and _letter(text[side.start[w]])
    free = free_form[forms.form] & ~protected & ~touching[:-1] & ~touching[1:]
    open_tag = np.array([tag in OPEN_TAGS for tag in tags], np.bool_)
    leaf = frames.word >= 0
    return leaf & free[np.maximum(frames.word, 0)] & open_tag[np.maximum(frames.tag, 0)]


def _letter(byte: int) -> bool:
    # contractions are cut before the apostrophe, too
    return byte >= 128 or chr(byte).isalnum() or byte == 39


def pools_of(
    parsed: ParsedTexts,
    frames: Frames,
    tree: IntArray,
    forms: Forms,
    classes: LongArray,
    labels: list[str],
    *,
    match: str,
    protected: BoolArray,
) -> Constituents:
    """Sort the constituents of all trees into pools that fill each other's places.

    Parameters
    ----------
    parsed : ParsedTexts
        Texts and trees.
    frames, tree : Frames, int32[nodes]
        Nodes, and the tree of each.
    forms : Forms
        How words are written.
    classes : int64[texts]
        The class of every text.
    labels : list of str
        What labels and tags are called.
    match : {"tag", "word", "label"}
        What constituents of a pool have in common beside class and label.
    protected : bool[words]
        Words that may not be moved.
    """
    nodes, story = _movable(parsed, frames, tree, _begun_inside(parsed, forms), protected)
    sentence = np.repeat(np.arange(len(parsed.trees) - 1), np.diff(parsed.trees))
    text = np.repeat(np.arange(len(parsed.sentences) - 1), np.diff(parsed.sentences))
    of_tree = classes[text[sentence]]
    keys = [of_tree[tree[nodes]], frames.label[nodes]]
    head = frames.head[nodes]
    if match == "tag":
        keys.append(frames.tag[head])
    elif match == "word":
        keys.append(forms.form[frames.word[head]])
    number = class_numbers([np.asarray(k, np.int64) for k in keys], len(nodes))
    digest = _word_hashes(frames.size, frames.word, forms.form, nodes)
    pairs = np.unique(np.stack((number, digest), axis=1), axis=0)[:, 0]
    fits = np.bincount(pairs, minlength=int(number.max(initial=-1)) + 1)[number] > 1
    what = {"tag": "label and head tag", "word": "label and head word", "label": "label"}[match]
    story.append((f"with another of the same class, {what}", int(fits.sum())))
    nodes = nodes[fits]
    used, number = np.unique(number[fits], return_inverse=True)
    pool = np.full(len(frames.size), -1, np.int32)
    pool[nodes] = number
    order = np.argsort(number, kind="stable")
    offsets = np.concatenate(([0], np.cumsum(np.bincount(number, minlength=len(used)))))
    weight = parsed.weight[tree[nodes]]
    weight = (weight / np.bincount(number, weight, minlength=len(used))[number])[order]
    first = nodes[np.unique(number, return_index=True)[1]]
    names = [
        f"class {of_tree[tree[n]]}: {_lexicalised(n, frames, forms, labels, match)}"
        for n in first.tolist()
    ]
    return Constituents(
        pool, offsets.astype(np.int64), nodes[order].astype(np.int32), weight, names, story
    )


def _begun_inside(parsed: ParsedTexts, forms: Forms) -> BoolArray:
    """Return which words begin a sentence inside one, and have a capital for it."""
    begun = initial_words(parsed.side)
    begun[first_words(parsed)] = False  # their forms are without it
    loses = [without_capital(name) is not None for name in forms.names]
    return begun & np.array(loses, np.bool_)[forms.form]


def _movable(
    parsed: ParsedTexts, frames: Frames, tree: IntArray, begun: BoolArray, protected: BoolArray
) -> tuple[LongArray, list[tuple[str, int]]]:
    """Return the constituents that may be exchanged, and how many each requirement left."""
    bank = parsed.treebank
    end = np.arange(len(bank.label)) + bank.size
    before = np.concatenate(([0], np.cumsum(bank.is_word)))
    words = before[end] - before[:-1]
    site = bank.size > 2
    story = [("constituents (not tags)", int(site.sum()))]
    site &= words < bank.lengths[tree]
    story.append(("shorter than their sentence", int(site.sum())))
    first = frames.word[np.flatnonzero(bank.is_word)[before[:-1][site]]]
    site[site] = ~begun[first]
    first = first[~begun[first]]
    story.append(("that begin no sentence inside one", int(site.sum())))
    text = np.searchsorted(parsed.side.offsets, first, side="right") - 1
    begin = first - parsed.side.offsets[text]
    behind = first + words[site]
    site[site] = ~torn(parsed.side, text, begin, begin + words[site]) & parsed.side.uncut(
        first.astype(np.int64), behind.astype(np.int64)
    )
    story.append((WHOLE, int(site.sum())))
    if protected.any():
        fixed = bank.is_word & protected[np.maximum(frames.word, 0)]
        held = np.concatenate(([0], np.cumsum(fixed)))
        site &= held[end] == held[:-1]
        story.append(("without a protected word", int(site.sum())))
    return np.flatnonzero(site), story


def _lexicalised(node: int, frames: Frames, forms: Forms, labels: list[str], match: str) -> str:
    """Return how a constituent is called by what it is exchanged for: NP[NN], NP[film], or NP."""
    head = int(frames.head[node])
    label, tag = labels[frames.label[node]], labels[frames.tag[head]]
    if match == "label":
        return label
    return f"{label}[{tag if match == 'tag' else forms.names[forms.form[frames.word[head]]]}]"


@kernel()
def _word_hashes(size: IntArray, word: IntArray, form: IntArray, nodes: LongArray) -> LongArray:
    """Return one number for the words below each node: equal for equal words."""
    hashes = np.empty(len(nodes), np.int64)
    for k in range(len(nodes)):
        value = np.uint64(0xCBF29CE484222325)
        for i in range(nodes[k], nodes[k] + size[nodes[k]]):
            if word[i] >= 0:
                value = (value ^ np.uint64(form[word[i]])) * np.uint64(0x100000001B3)
        hashes[k] = np.int64(value >> np.uint64(2))
    return hashes
