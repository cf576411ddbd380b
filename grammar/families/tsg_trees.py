"""The probability of a tree under a tree-substitution grammar: the sum over its derivations."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from grammar.rules.rules import Nonterminal
from grammar.trees.fragment import Fragment
from grammar.trees.tree import Tree

__all__ = ["log_probability_of_tree"]

ByTop = Mapping[tuple[object, ...], Sequence[tuple[Fragment, float]]]


def log_probability_of_tree(tree: Tree, by_top: ByTop) -> float:
    """Sum over derivations, bottom-up: over the fragments that match at each node.

    Parameters
    ----------
    tree : Tree
        Its root is the start symbol.
    by_top : mapping of tuple to sequence of (Fragment, float)
        Fragments with log-weights by their topmost production, as (left, *right) side.

    Notes
    -----
    With p(f) the weight of a fragment, and the product over the nodes that its sites fall on,
    P(node) is the sum of p(f) P(site) ... over all f that match at the node. Time: fragments
    that share a production with the node, times their size, summed over nodes.
    """
    inside: dict[int, float] = {}
    for node in reversed(list(tree.nodes())):
        top = (Nonterminal(node.label), *map(_symbol, node.children))
        terms = []
        for fragment, log_weight in by_top.get(top, ()):
            sites = _nodes_at_sites(fragment, node)
            if sites is not None:
                terms.append(math.fsum((log_weight, *(inside[id(site)] for site in sites))))
        inside[id(node)] = _log_sum(terms)
    return inside[id(tree)]


def _symbol(child: Tree | str) -> Nonterminal | str:
    return child if isinstance(child, str) else Nonterminal(child.label)


def _nodes_at_sites(fragment: Fragment, node: Tree) -> list[Tree] | None:
    """Return the nodes that the sites fall on, or None if the fragment does not match."""
    found: list[Tree] = []
    stack: list[tuple[Fragment, Tree]] = [(fragment, node)]
    while stack:
        above, below = stack.pop()
        if above.label != below.label or len(above.children) != len(below.children):
            return None
        for part, child in zip(above.children, below.children, strict=True):
            if isinstance(child, str) or isinstance(part, str):
                if part != child:
                    return None
            elif isinstance(part, Fragment):
                stack.append((part, child))
            elif part.name != child.label:
                return None
            else:
                found.append(child)
    return found


def _log_sum(terms: Sequence[float]) -> float:
    most = max(terms, default=-math.inf)
    if most == -math.inf:
        return most
    return most + math.log(math.fsum(math.exp(term - most) for term in terms))
