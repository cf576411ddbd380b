"""How many derivations a grammar has, in all or with a length in a band."""

from __future__ import annotations

import math

import networkx as nx
import numpy as np

from grammar.arrays import FloatArray
from grammar.pcfg.grammar import Grammar
from grammar.pcfg.operations import trim
from grammar.sampling_kernels.inside_lengths import convolve, same_length_steps, suffixes_of

__all__ = ["derivation_count"]


def derivation_count(grammar: Grammar, length: tuple[int, int] | None = None) -> float:
    """Return the number of derivations, infinite if there is no end of them.

    Parameters
    ----------
    grammar : Grammar
        Rules of weight zero do not count.
    length : (int, int), optional
        Count derivations of so many words only.

    Examples
    --------
    >>> grammar = Grammar.parse("S -> 'a' S [0.5] | 'b' [0.5] | 'c' [0]")
    >>> derivation_count(grammar), derivation_count(grammar, (2, 4))
    (inf, 3.0)

    Notes
    -----
    Floats: exact up to 2 ** 53, rounded beyond.
    """
    try:
        grammar = trim(grammar)
    except ValueError:  # nothing is left
        return 0.0
    if length is None:
        return _all(grammar)
    counts = _by_length(grammar, length[1])
    return float(counts[grammar.start_id, length[0] :].sum())


def _all(grammar: Grammar) -> float:
    rules = grammar.rules
    rule = np.repeat(np.arange(len(rules)), np.diff(rules.offsets))
    inner = rules.rhs >= 0
    graph = nx.DiGraph()
    graph.add_nodes_from(range(len(rules.nonterminals)))
    graph.add_edges_from(
        zip(rules.lhs[rule[inner]].tolist(), rules.rhs[inner].tolist(), strict=True)
    )
    if not nx.is_directed_acyclic_graph(graph):
        return math.inf
    ways = [1.0] * len(graph)
    bounds, rhs = rules.offsets.tolist(), rules.rhs.tolist()
    for symbol in reversed(list(nx.topological_sort(graph))):
        own = range(*rules.starts[symbol : symbol + 2].tolist())
        ways[symbol] = sum(
            math.prod(ways[c] for c in rhs[bounds[r] : bounds[r + 1]] if c >= 0) for r in own
        )
    return ways[grammar.start_id]


def _by_length(grammar: Grammar, longest: int) -> FloatArray:
    """Return the number of derivations of every unit (see ``lengths``) and length."""
    suffixes = suffixes_of(grammar)
    counts = np.zeros((suffixes.count, longest + 1))
    counts[suffixes.empty, 0] = 1.0
    ones = np.ones(len(grammar.rules))
    begin = suffixes.symbols + 2
    for n in range(longest + 1):
        known = np.zeros(suffixes.count)
        known[suffixes.empty] = n == 0
        known[suffixes.word] = n == 1
        if n > 0:
            convolve(counts, suffixes.first, suffixes.rest, n, known[begin:])
            step = same_length_steps(grammar, ones, suffixes, counts[:, 0])
        for _ in range(suffixes.count + 1):
            if n == 0:
                value = known.copy()
                np.add.at(value, grammar.rules.lhs, counts[suffixes.rule_unit, 0])
                value[begin:] = counts[suffixes.first, 0] * counts[suffixes.rest, 0]
            else:
                value = known + step @ counts[:, n]
            if (value == counts[:, n]).all():
                break
            counts[:, n] = value
        else:
            # one rule leads in a circle without writing a word
            counts[counts[:, n] > 0, n] = math.inf
    return counts
