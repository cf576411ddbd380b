"""Signs of currencies stand beside their numbers: no rule then has one of them without the other.

Treebanks put both into one constituent. Parsers, and trees that a person gives, may part them,
as in ``(NP (NP ($ $)) (NP (CD 5)))``: a grammar of such trees has a rule ``NP -> $``, and draws
the sign where any other phrase stands.
"""

from __future__ import annotations

import itertools
import re

import numpy as np

from grammar.arrays import IntArray
from grammar.trees.treebank import Treebank

__all__ = ["with_signs_beside_numbers"]

_SIGN = re.compile(r"[A-Z]{0,3}[$€£¥₹₽₩₺₴₫₪₿฿¢]")
_NUMBER = re.compile(r"\d[\d.,:/-]*")


def with_signs_beside_numbers(trees: Treebank) -> Treebank:
    """Return trees in which a currency sign is a sister of the number that it stands beside.

    The sign, with its tag, goes into the constituent of the number; a constituent that holds
    nothing then disappears. Words and their order stay, and so do all other trees.

    Examples
    --------
    >>> given = Treebank.parse("(S (NP (NP ($ $)) (NP (CD 5))) (VP (VBD fell)))")
    >>> print(with_signs_beside_numbers(given)[0])
    (S (NP (NP ($ $) (CD 5))) (VP (VBD fell)))
    >>> given = Treebank.parse("(S (X (CD 5)) (Y (NN €) (RB so)))")
    >>> print(with_signs_beside_numbers(given)[0])
    (S (X (CD 5) (NN €)) (Y (RB so)))
    """
    pairs = _parted(trees)
    if not len(pairs):
        return trees
    tree_of = np.searchsorted(trees.offsets, pairs[:, 0], side="right") - 1
    parts, done = [], 0
    for number in np.unique(tree_of).tolist():
        begin = int(trees.offsets[number])
        parts += [trees[done:number], _joined(trees, number, pairs[tree_of == number] - begin)]
        done = number + 1
    return Treebank.concatenate([*parts, trees[done:]])


def _parted(trees: Treebank) -> IntArray:
    """Return the tags of signs and of their numbers, where these are no sisters."""
    names = list(trees.symbols)
    are_signs = np.array([_SIGN.fullmatch(name) is not None for name in names], np.bool_)
    if not are_signs.any():
        return np.zeros((0, 2), np.int64)
    are_numbers = np.array([_NUMBER.fullmatch(name) is not None for name in names], np.bool_)
    words = np.flatnonzero(trees.is_word)
    sign, number = are_signs[trees.label[words]], are_numbers[trees.label[words]]
    tree = np.searchsorted(trees.offsets, words, side="right")
    alike = tree[1:] == tree[:-1]
    ahead = np.flatnonzero(sign[:-1] & number[1:] & alike)
    behind = np.flatnonzero(number[:-1] & sign[1:] & alike)
    behind = np.setdiff1d(behind, ahead - 1)  # a sign between numbers is of the second
    at = np.concatenate([np.stack([ahead, ahead + 1], 1), np.stack([behind + 1, behind], 1)])
    tags = trees.parent[words[at]]
    tagged = (trees.size[tags] == 2).all(axis=1)
    above = trees.parent[tags]
    return np.asarray(tags[tagged & (above[:, 0] != above[:, 1]) & (above >= 0).all(axis=1)])


def _joined(trees: Treebank, number: int, pairs: IntArray) -> Treebank:
    """Return a tree with the tags of some signs beside those of their numbers."""
    begin, end = (int(at) for at in trees.offsets[number : number + 2])
    parent = (trees.parent[begin:end] - begin).tolist()
    order = list(range(end - begin))
    for sign, of in pairs.tolist():
        old, parent[sign] = parent[sign], parent[of]
        for node in (sign, sign + 1):
            order.remove(node)
        at = order.index(of) + (2 if of < sign else 0)
        order[at:at] = [sign, sign + 1]
        while old not in (parent[node] for node in order):  # it holds nothing
            order.remove(old)
            old = parent[old]
    size = dict.fromkeys(order, 1)
    for node in itertools.islice(reversed(order), len(order) - 1):
        size[parent[node]] += size[node]
    return Treebank(
        trees.label[begin:end][order],
        np.array([size[node] for node in order], np.int32),
        np.array([0, len(order)], np.int64),
        trees.symbols,
    )
