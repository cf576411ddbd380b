"""Kernels of lexicalised PCFGs: from a forest of labels to a forest of labels with heads.

The *items* of a node are the words that may be its head. A lexicalised forest has a node for each
item and an edge for each choice of the heads of an edge's children. It is a forest like any other,
with weights on its edges, so what is computed on it (:mod:`grammar.forest.weighted`) needs to know
nothing of words.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from grammar.arrays import FloatArray, Index, IntArray, LongArray, kernel
from grammar.forest.forest import LEAF, Forest
from grammar.rules.backoff import BackOff, smoothed

__all__ = [
    "HeadItems",
    "LexicalForest",
    "LexicalRules",
    "WordColumns",
    "choice_log_probability",
    "dependent_log_probability",
    "expand_forest",
    "head_items",
]

ROOT_CHOICE = -2
"""The rule of the edges above the items of the root."""


class LexicalRules(NamedTuple):
    """What the probabilities of lexicalised productions are computed from.

    Productions are numbered as in the skeleton. Production r with its first child as the head is
    the *choice* 2 r, with its second 2 r + 1. Tags are numbered as in the skeleton, too.

    Attributes
    ----------
    choice, tag, word : BackOff
        Counts of choices, of the head tags of dependents, and of their head words.
    weights : float64 array, shape (3,)
        How much those back off: the weight of :func:`grammar.rules.backoff.smoothed`.
    choice_base : float64 array, shape (2 * productions,)
        Probability of each choice given its label; 0 if it was not seen.
    possible : float64 array, shape (labels, tags)
        Probability that a choice of the label is one that can have this tag as its head's.
    tag_base : float64 array, shape (labels, tags)
        Probability of the head's tag given the label in the empty context.
    leaf_rule : int32 array, shape (labels,)
        The production of a tag that makes its word; -1 for other labels.
    tag_of : int32 array, shape (labels,)
        Which of the tags a label is; -1 if it is none.
    category : int32 array, shape (labels,)
        What words depend on of labels.
    attachment : int32 array, shape (2 * productions,)
        What dependents depend on of choices; 0 is kept for roots of trees.
    """

    choice: BackOff
    tag: BackOff
    word: BackOff
    weights: FloatArray
    choice_base: FloatArray
    possible: FloatArray
    tag_base: FloatArray
    leaf_rule: IntArray
    tag_of: IntArray
    category: IntArray
    attachment: IntArray


class WordColumns(NamedTuple):
    """A sentence: each word as a context, as an event, and its probability given each tag.

    Attributes
    ----------
    context, event : int32 arrays, shape (words,)
    emission : float64 array, shape (words, tags)
    """

    context: IntArray
    event: IntArray
    emission: FloatArray


class HeadItems(NamedTuple):
    """The items of a forest.

    Attributes
    ----------
    starts : int64 array, shape (nodes + 1,)
        Node v has the items ``starts[v] : starts[v + 1]``.
    leaf : int32 array, shape (items,)
        The leaf (a node of the forest) that is the head; rising within a node.
    node : int32 array, shape (items,)
        The node.
    """

    starts: LongArray
    leaf: IntArray
    node: IntArray


class LexicalForest(NamedTuple):
    """A forest of items.

    Attributes
    ----------
    forest : Forest
        Its nodes are the items, and one more node above those of the root. Its rules are choices.
    weight : float64 array, shape (edges,)
        Log-probabilities.
    edge : int32 array, shape (edges,)
        The edge of the plain forest that each refines; -1 for those of the last node.
    leaf : int32 array, shape (items,)
        The leaf (a node of the plain forest) that is the head of each item.
    """

    forest: Forest
    weight: FloatArray
    edge: IntArray
    leaf: IntArray


@kernel()
def choice_log_probability(
    rules: LexicalRules, choice: Index, label: Index, tag: Index, word: Index
) -> float:
    """Return log P(choice | label, head tag, head word)."""
    base = rules.choice_base[choice] / rules.possible[label, tag]
    tags = rules.possible.shape[1]
    context = (np.int64(label) * tags + tag, np.int64(word))
    return np.log(smoothed(rules.choice, context, choice, rules.weights[0], base))


@kernel()
def dependent_log_probability(
    rules: LexicalRules,
    label: Index,
    tag: Index,
    event: Index,
    emission: float,
    attachment: Index,
    head_tag: Index,
    head_word: Index,
) -> float:
    """Return log P(tag | label, attachment, head) + log P(word | tag, label, attachment, head).

    ``event`` is the word, and ``emission`` its probability given the tag alone.
    """
    near, far, last = np.int64(attachment), np.int64(head_tag), np.int64(head_word)
    p = rules.tag_base[label, tag]
    if p < 1.0:
        p = smoothed(rules.tag, (np.int64(label), near, far, last), tag, rules.weights[1], p)
    tags = rules.possible.shape[1]
    of_tag = np.int64(rules.category[label]) * tags + tag
    q = smoothed(rules.word, (of_tag, near, far, last), event, rules.weights[2], emission)
    return np.log(p) + np.log(q)


@kernel()
def head_items(forest: Forest, rules: LexicalRules) -> HeadItems:
    """Return the items of a forest."""
    nodes = len(forest.label)
    starts = np.zeros(nodes + 1, np.int64)
    leaf = np.empty(4 * nodes + 16, np.int32)
    marked = np.full(nodes, -1, np.int32)
    for node in range(nodes):
        count = starts[node]
        if len(leaf) < count + nodes:
            longer = np.empty(2 * (count + nodes), np.int32)
            longer[:count] = leaf[:count]
            leaf = longer
        for edge in range(forest.starts[node], forest.starts[node + 1]):
            if forest.rule[edge] == LEAF:
                # a tag that no tree has is no head
                if rules.choice_base[2 * rules.leaf_rule[forest.label[node]]] > 0.0:
                    count = _mark(leaf, marked, np.int32(node), node, count)
                continue
            for side in range(2):
                child = _head_child(forest, rules, edge, side)
                if child >= 0:
                    for item in range(starts[child], starts[child + 1]):
                        count = _mark(leaf, marked, leaf[item], node, count)
        leaf[starts[node] : count] = np.sort(leaf[starts[node] : count])
        starts[node + 1] = count
    node_of = np.empty(starts[nodes], np.int32)
    for node in range(nodes):
        node_of[starts[node] : starts[node + 1]] = node
    return HeadItems(starts, leaf[: starts[nodes]].copy(), node_of)


@kernel(inline="always")
def _mark(leaf: IntArray, marked: IntArray, head: Index, node: Index, count: Index) -> Index:
    """Add a head to the items of a node if it is a new one there; return their number."""
    if marked[head] != node:
        marked[head] = node
        leaf[count] = head
        count += 1
    return count


@kernel(inline="always")
def _head_child(forest: Forest, rules: LexicalRules, edge: Index, side: int) -> Index:
    """Return the child on one side if it can be the head of the edge, else -1."""
    child = forest.right[edge] if side else forest.left[edge]
    seen = child >= 0 and rules.choice_base[2 * forest.rule[edge] + side] > 0.0
    return child if seen else np.int32(-1)


@kernel()
def _item(items: HeadItems, node: Index, leaf: Index) -> Index:
    """Return the item of a node with this head, -1 if there is none."""
    low, high = items.starts[node], items.starts[node + 1]
    place = low + np.searchsorted(items.leaf[low:high], leaf)
    return place if place < high and items.leaf[place] == leaf else np.int64(-1)


@kernel()
def expand_forest(
    forest: Forest, items: HeadItems, rules: LexicalRules, words: WordColumns
) -> LexicalForest:
    """Return the forest of the items of a sentence.

    Parameters
    ----------
    forest : Forest
        What the skeleton leaves of the sentence, with one root.
    items : HeadItems
        Its items.
    rules : LexicalRules
        Where the probabilities come from.
    words : WordColumns
        The sentence.
    """
    total, root = len(items.leaf), forest.roots[0]
    room = most_edges(forest, items, rules) + total
    # rows: choice, left and right child, edge of the plain forest
    edges, weight = np.empty((4, room), np.int32), np.empty(room)
    starts = np.zeros(total + 2, np.int64)
    count: Index = np.int64(0)
    none = np.int32(0)
    for item in range(total):
        count = _edges_of_item(forest, items, rules, words, item, edges, weight, count)
        starts[item + 1] = count
    for item in range(items.starts[root], items.starts[root + 1]):
        edges[:, count] = np.array([ROOT_CHOICE, item, -1, -1], np.int32)
        leaf = items.leaf[item]
        weight[count] = _dependent(forest, rules, words, np.int32(root), leaf, none, none, none)
        count += 1
    starts[total + 1] = count
    node = np.append(items.node, np.int32(root))
    made = Forest(
        forest.label[node],
        forest.begin[node],
        forest.end[node],
        starts,
        edges[0, :count].copy(),
        edges[1, :count].copy(),
        edges[2, :count].copy(),
        np.array([total]),
    )
    return LexicalForest(made, weight[:count].copy(), edges[3, :count].copy(), items.leaf)


@kernel()
def most_edges(forest: Forest, items: HeadItems, rules: LexicalRules) -> int:
    """Return how many edges items have at most."""
    count = 0
    for edge in range(len(forest.rule)):
        if forest.rule[edge] == LEAF:
            count += 1
            continue
        left, right = forest.left[edge], forest.right[edge]
        pairs = items.starts[left + 1] - items.starts[left]
        if right >= 0:
            pairs *= items.starts[right + 1] - items.starts[right]
        for side in range(2):
            if _head_child(forest, rules, edge, side) >= 0:
                count += pairs
    return count


@kernel()
def _edges_of_item(
    forest: Forest, items: HeadItems, rules: LexicalRules, words: WordColumns, item: int,
    edges: IntArray, weight: FloatArray, count: Index,
) -> Index:  # fmt: skip
    """Write the edges of an item; return how many edges there are then."""
    node, head = items.node[item], items.leaf[item]
    label, tag = forest.label[node], rules.tag_of[forest.label[head]]
    word = words.context[forest.begin[head]]
    for edge in range(forest.starts[node], forest.starts[node + 1]):
        if forest.rule[edge] == LEAF:
            if head == node:
                choice = 2 * rules.leaf_rule[label]
                edges[0, count], edges[1, count], edges[2, count] = choice, -1, -1
                edges[3, count] = edge
                weight[count] = choice_log_probability(rules, choice, label, tag, word)
                count += 1
            continue
        for side in range(2):
            child = _head_child(forest, rules, edge, side)
            near = _item(items, child, head) if child >= 0 else np.int64(-1)
            if near < 0:
                continue
            choice = 2 * forest.rule[edge] + side
            p = choice_log_probability(rules, choice, label, tag, word)
            far = forest.left[edge] if side else forest.right[edge]
            if far < 0:
                edges[0, count], edges[1, count], edges[2, count] = choice, near, -1
                edges[3, count], weight[count] = edge, p
                count += 1
                continue
            attachment = rules.attachment[choice]
            for other in range(items.starts[far], items.starts[far + 1]):
                leaf = items.leaf[other]
                q = _dependent(forest, rules, words, far, leaf, attachment, tag, word)
                edges[0, count], edges[3, count], weight[count] = choice, edge, p + q
                edges[1, count], edges[2, count] = (other, near) if side else (near, other)
                count += 1
    return count


@kernel()
def _dependent(
    forest: Forest,
    rules: LexicalRules,
    words: WordColumns,
    node: Index,
    leaf: Index,
    attachment: Index,
    head_tag: Index,
    head_word: Index,
) -> float:
    """Return the log-probability of the head of a dependent node."""
    place, tag = forest.begin[leaf], rules.tag_of[forest.label[leaf]]
    return dependent_log_probability(
        rules,
        forest.label[node],
        tag,
        words.event[place],
        words.emission[place, tag],
        attachment,
        head_tag,
        head_word,
    )
