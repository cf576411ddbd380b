"""What trees show of a grammar's symbols.

Symbols remember more than trees show: intermediate nodes and ancestors
(:mod:`induction.trees.binarise`), joined chains (:mod:`induction.trees.normalise`). Here trees and
spans are made without all that.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np

from grammar.chart.parses import Parse, Span, SpanPosteriors
from grammar.pcfg.grammar import Grammar
from grammar.rules.rules import Nonterminal
from grammar.trees.tree import NO_WORDS, Tree
from grammar.trees.treebank import Treebank
from induction.trees.binarise import unbinarise
from induction.trees.normalise import expand_unaries

__all__ = ["DEEPEST", "plain_spans", "plain_tree", "visible_labels"]

DEEPEST = 300
"""Trees are walked by functions that call themselves, and Python allows about 1,000 calls."""


def visible_labels(grammar: Grammar) -> dict[str, tuple[str, ...]]:
    """Return the labels that a tree shows for each symbol, the upper first; often one, or none."""
    names = grammar.rules.nonterminals
    trees = expand_unaries(unbinarise(Treebank.from_trees(Tree(n, ("word",)) for n in names)))
    bounds = trees.offsets.tolist()
    chains = {
        name: tuple(trees.symbols[i] for i in trees.label[bounds[t] : bounds[t + 1] - 1].tolist())
        for t, name in enumerate(names)
    }
    chains[grammar.start] = chains[grammar.start] or (grammar.start,)  # a tree has a root
    return chains


def plain_tree(
    grammar: Grammar, parse: Parse, words: Iterable[str], chains: Mapping[str, tuple[str, ...]]
) -> Tree | None:
    """Return the tree of a derivation as people want it, or None if it is nested too deeply.

    The derivation may begin at any symbol that trees show.
    """
    rules, following = iter(parse.rules), iter(words)
    open_nodes: list[list[Tree | str]] = [[]]
    # symbols and words still to come, and between them the labels of nodes that end there
    todo: list[Nonterminal | str | tuple[str, ...]] = [grammar.rules.sides(parse.rules[0])[0]]
    depth = 0
    while todo:
        item = todo.pop()
        if isinstance(item, str):
            open_nodes[-1].append(next(following))
        elif isinstance(item, Nonterminal):
            chain = chains[item.name]
            if chain:
                open_nodes.append([])
                todo.append(chain)
                depth += len(chain)
            if depth > DEEPEST:
                return None
            todo.extend(reversed(grammar.rules.sides(next(rules))[1]))
        else:
            children = tuple(open_nodes.pop()) or (NO_WORDS,)
            for label in reversed(item):
                children = (Tree(label, children),)
            open_nodes[-1].extend(children)
            depth -= len(item)
    root = open_nodes[0][0]
    return root if isinstance(root, Tree) else None


def plain_spans(found: SpanPosteriors, chains: Mapping[str, tuple[str, ...]]) -> list[Span]:
    """Add up the spans of symbols that look alike."""
    labels = sorted({label for name in found.names for label in chains[name]})
    number = {label: i for i, label in enumerate(labels)}
    length = len(found.sentence) + 1
    place = (found.start.astype(np.int64) * length + found.end) * len(labels)
    keys, masses = [], []
    for level in range(max(len(chains[name]) for name in found.names)):
        shown = np.array(
            [number[chains[n][level]] if level < len(chains[n]) else -1 for n in found.names],
            np.int64,
        )[found.label]
        keys.append((place + shown)[shown >= 0])
        masses.append(found.probability[shown >= 0])
    distinct, which = np.unique(np.concatenate(keys), return_inverse=True)
    totals = np.minimum(np.bincount(which, np.concatenate(masses)), 1.0)
    spans = [
        Span(
            labels[key % len(labels)],
            key // len(labels) // length,
            key // len(labels) % length,
            mass,
        )
        for key, mass in zip(distinct.tolist(), totals.tolist(), strict=True)
    ]
    return sorted(spans, key=lambda span: (-span.probability, span.start, span.end, span.label))
