"""Lexicalised trees: derivations of lexicalised forests as trees and as dependencies."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from grammar.arrays import LongArray
from grammar.forest.forest import Forest
from grammar.forest.lexicalised_kernels import LexicalForest
from grammar.trees.tree import Tree
from induction.trees.dependencies import ROOT_RELATION

__all__ = ["LexicalisedParse", "lexicalised_parse"]


@dataclass(frozen=True, slots=True)
class LexicalisedParse:
    """A lexicalised tree of a sentence.

    Attributes
    ----------
    tree : Tree
        With labels such as ``VP[saw/VBD]``.
    plain : Tree
        The same tree without heads.
    heads : tuple of int
        The head of each word, counted from 1; 0 for the root.
    deprels : tuple of str
        Relations, as :func:`induction.trees.dependencies.dependencies` writes them.
    log_probability : float
        Natural logarithm of the probability of the lexicalised tree and the sentence.
    rules : tuple of int
        The derivation: rules of the skeleton in preorder.
    """

    tree: Tree
    plain: Tree
    heads: tuple[int, ...]
    deprels: tuple[str, ...]
    log_probability: float
    rules: tuple[int, ...] = field(repr=False)


def lexicalised_parse(
    forest: Forest,
    lexical: LexicalForest,
    edges: LongArray,
    value: float,
    chains: Sequence[tuple[str, ...]],
    words: Sequence[str],
) -> LexicalisedParse:
    """Return the tree of a derivation.

    Parameters
    ----------
    forest, lexical : Forest, LexicalForest
        The plain forest, and the lexicalised one.
    edges : int64 array
        Edges of the lexicalised forest in preorder; the first is above the root.
    value : float
        Their log-probability.
    chains : sequence of tuples of str
        The labels that a tree shows for each label of the forest, the upper first; of each tag,
        there is one at least.
    words : sequence of str
        The sentence.
    """
    edges = edges[1:]
    item = np.searchsorted(lexical.forest.starts, edges, side="right") - 1
    label = lexical.forest.label[item].tolist()
    leaf = lexical.leaf[item]
    place, tag = forest.begin[leaf].tolist(), forest.label[leaf].tolist()
    plain: list[tuple[Tree | str, ...]] = []
    marked: list[tuple[Tree | str, ...]] = []
    children = _arity(lexical.forest, edges)
    for i in range(len(edges) - 1, -1, -1):
        head = f"[{words[place[i]]}/{chains[tag[i]][-1]}]"
        for made, suffix in ((plain, ""), (marked, head)):
            below: tuple[Tree | str, ...] = (words[place[i]],)
            if children[i]:
                below = sum((made.pop() for _ in range(children[i])), ())
            for name in reversed(chains[label[i]]):
                below = (Tree(name + suffix, below),)
            made.append(below)
    [tree], [bare] = marked[0], plain[0]
    if isinstance(tree, str) or isinstance(bare, str):
        raise TypeError("the root of a forest shows no label")  # a start symbol has one
    heads, deprels = _dependencies(children, place, [chains[k] for k in label], len(words))
    rules = tuple((lexical.forest.rule[edges] // 2).tolist())
    return LexicalisedParse(tree, bare, heads, deprels, value, rules)


def _arity(forest: Forest, edges: LongArray) -> list[int]:
    children: LongArray = (forest.left[edges] >= 0).astype(np.int64) + (forest.right[edges] >= 0)
    return children.tolist()


def _dependencies(
    children: list[int], place: list[int], chains: list[tuple[str, ...]], length: int
) -> tuple[tuple[int, ...], tuple[str, ...]]:
    """Return head and relation of each word; nodes come in preorder."""
    heads, deprels = [0] * length, [ROOT_RELATION] * length
    # for nodes to come: the head word above, and the lowest label that a tree shows there
    waiting: list[tuple[int, str]] = [(-1, "")]
    for arity, word, chain in zip(children, place, chains, strict=True):
        above, parent = waiting.pop()
        if above >= 0 and above != word:
            heads[word] = above + 1
            deprels[word] = f"{parent}:{(chain or (parent,))[0]}"
        shown = chain[-1] if chain else parent
        waiting.extend([(word, shown)] * arity)
    return tuple(heads), tuple(deprels)
