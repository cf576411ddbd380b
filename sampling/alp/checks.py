"""What the columns of a file must be to be a grammar of ALP: each number leads to what there is.

Grammars call this when they are opened, so it does not import them.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from grammar.arrays import IntArray, kernel
from grammar.saving.array_checks import (
    check_length,
    check_numbers,
    check_offsets,
    check_running_sums,
)

__all__ = ["check_alp", "check_phrases"]

_TAGS = 4096
"""Tags and labels are below this, for kernels pack them with classes."""


def check_alp(grammar: Any) -> None:
    """Refuse columns that do not belong together (ValueError)."""
    _check_texts(grammar)
    _check_frames(grammar)
    _check_choices(grammar)


def _check_texts(grammar: Any) -> None:
    texts, forms, gaps = grammar.texts, len(grammar.forms), len(grammar.gaps)
    count, words = len(grammar.ids), len(texts.form)
    check_offsets("texts.sentences", texts.sentences, count, len(texts.capital), least=1)
    check_offsets("texts.trees", texts.trees, len(texts.capital), len(texts.root), least=1)
    check_length("texts.tree_ends", texts.tree_ends, len(texts.root))
    check_running_sums("texts.tree_ends", texts.tree_ends, texts.trees)
    check_numbers("texts.root", texts.root, 0, len(grammar.frames.size))
    check_length("texts.gap", texts.gap, words)
    for name, column, rows, below in (
        ("texts.classes", texts.classes, count, len(grammar.classes)),
        ("texts.words", texts.words, count, words + 1),
        ("tails", grammar.tails, count, gaps),
        ("texts.form", texts.form, words, forms),
        ("texts.gap", texts.gap, words, gaps),
    ):
        check_length(name, column, rows)
        check_numbers(name, column, 0, below)
    if int(texts.words.sum()) != words:
        raise ValueError("texts.words: they are not as many as there are words")


def _check_frames(grammar: Any) -> None:
    frames = grammar.frames
    count, labels = len(frames.size), len(grammar.labels)
    if labels > _TAGS:
        raise ValueError(f"labels: {labels} of them, more than {_TAGS}")
    for name, least, below in (
        ("size", 1, count + 1),
        ("word", -1, len(grammar.texts.form)),
        ("head", 0, count),
        ("governor", -1, count),
        ("label", 0, labels),
        ("tag", -1, labels),
        ("synonyms", -1, len(grammar.synonym_offsets) - 1),
        ("pool", -1, len(grammar.pool_names)),
    ):
        column = getattr(frames, name)
        check_length(f"frames.{name}", column, count)
        check_numbers(f"frames.{name}", column, least, below)
    check_length("frames.open", frames.open, count)
    of_nodes = (frames.size, frames.word, frames.head, frames.governor, frames.tag)
    if fault := _fault_of_nodes(*(np.asarray(column, np.int32) for column in of_nodes)):
        raise ValueError(f"frames: {_FAULTS[fault]}")
    roots = np.sort(grammar.texts.root).astype(np.int64)  # what a file holds may be narrow
    behind = roots + frames.size[roots]
    if not len(roots) or roots[0] or behind[-1] != count or (behind[:-1] != roots[1:]).any():
        raise ValueError("frames.size: trees do not follow each other")


_FAULTS = (
    "",
    "leaves and words are not the same nodes",
    "the head of a node is no leaf below it",
    "a leaf has no tag, or hangs on what is none",
    "a node goes on behind its parent",
)
"""What :func:`_fault_of_nodes` finds, by its number."""


@kernel()
def _fault_of_nodes(
    size: IntArray, word: IntArray, head: IntArray, governor: IntArray, tag: IntArray
) -> int:
    """Return the number of the first fault of nodes whose numbers are in their ranges, or 0."""
    above = np.empty(len(size) + 1, np.int64)  # the ends of the nodes that are open
    above[0], depth = len(size), 0
    for node in range(len(size)):
        end, leaf, top = node + size[node], word[node] >= 0, head[node]
        if leaf != (size[node] == 1):
            return 1
        if not node <= top < end or word[top] < 0:
            return 2
        if (governor[node] >= 0 and word[governor[node]] < 0) or (leaf and tag[node] < 0):
            return 3
        while above[depth] <= node:
            depth -= 1
        if end > above[depth]:
            return 4
        depth += 1
        above[depth] = end
    return 0


def _check_choices(grammar: Any) -> None:
    forms, pools = len(grammar.forms), len(grammar.pool_names)
    check_offsets("pool_offsets", grammar.pool_offsets, pools, len(grammar.pool_node), least=1)
    check_numbers("pool_node", grammar.pool_node, 0, len(grammar.frames.size))
    check_length("pool_ends", grammar.pool_ends, len(grammar.pool_node))
    check_running_sums("pool_ends", grammar.pool_ends, grammar.pool_offsets)
    rows = len(grammar.synonym_offsets) - 1
    check_offsets("synonym_offsets", grammar.synonym_offsets, rows, len(grammar.synonym))
    check_numbers("synonym", grammar.synonym, 0, forms)
    events = grammar.events
    check_length("counts", grammar.counts, len(events))
    check_numbers("counts", grammar.counts, 1, 2**53)
    limits = (len(grammar.classes), len(grammar.labels), len(grammar.labels), forms + 1, forms)
    for column, below in zip(events.T, limits, strict=True):
        check_numbers("events", column, 0, below)


def check_phrases(grammar: Any) -> None:
    """Refuse columns that do not belong together (ValueError)."""
    check_offsets("offsets", grammar.offsets, len(grammar.classes), len(grammar), least=1)
    check_length("donor", grammar.donor, len(grammar))
    check_numbers("donor", grammar.donor, 0, len(grammar.ids))
    if len(grammar.ids) != len(grammar.texts):
        raise ValueError("texts: not one for each id")
