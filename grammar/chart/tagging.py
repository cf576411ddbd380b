"""Given tags: the lexical edges of one sentence instead of those of the grammar.

Words are numbered by their places, and over each place stand only the symbols that its tags
allow. Over a word that the grammar has with none of its tags, each of them stands at no cost, by
an edge whose "rule" is numbered after the rules of the grammar: ``len(grammar) + symbol``.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from grammar.arrays import LongArray
from grammar.chart.grammar import ChartGrammar
from grammar.chart.rules import ChartRules, Corner

__all__ = ["tagged_rules"]

Tags = Sequence[frozenset[str] | None]


def tagged_rules(
    grammar: ChartGrammar, rules: ChartRules, numbers: LongArray, tags: Tags
) -> ChartRules | int:
    """Return the edges for one sentence, or the place of a word none of whose tags is known.

    ``numbers`` are those of the words in the grammar, -1 for a word that it lacks.
    """
    symbol_of = {name: i for i, name in enumerate(grammar.grammar.rules.nonterminals)}
    lexical = rules.lexical
    kept: list[LongArray] = []
    free: list[int] = []
    sizes = []
    for place, (number, allowed) in enumerate(zip(numbers.tolist(), tags, strict=True)):
        edges = np.zeros(0, np.int64)
        if number >= 0:
            edges = np.arange(lexical.starts[number], lexical.starts[number + 1])
        if allowed is not None:
            symbols = sorted(symbol_of[tag] for tag in allowed if tag in symbol_of)
            # a word beside other symbols is part of their rule, whatever its tag
            parent = lexical.parent[edges]
            edges = edges[np.isin(parent, symbols) | (parent >= grammar.symbols)]
            if not (lexical.parent[edges] < grammar.symbols).any():
                if not symbols and not len(edges):
                    return place
                edges = np.concatenate((edges, -1 - len(free) - np.arange(len(symbols))))
                free += symbols
        kept.append(edges)
        sizes.append(len(edges))
    return _with_lexical(grammar, rules, np.concatenate(kept), sizes, free)


def _with_lexical(
    grammar: ChartGrammar, rules: ChartRules, chosen: LongArray, sizes: list[int], free: list[int]
) -> ChartRules:
    """Return the edges with the chosen lexical ones; -1 - i is number i of the free symbols."""
    symbols, old = np.array(free, np.int32), rules.lexical
    nothing = np.full(len(free), -1, np.int32)
    is_free = chosen < 0
    place = np.where(is_free, -1 - chosen, chosen)
    parent, weight = np.zeros(len(chosen), np.int32), np.zeros(len(chosen))
    edge = place + len(rules.rule)
    parent[is_free] = symbols[place[is_free]]
    parent[~is_free] = old.parent[place[~is_free]]
    weight[~is_free] = old.weight[place[~is_free]]
    edge[~is_free] = old.edge[place[~is_free]]
    starts = np.concatenate(([0], np.cumsum(sizes))).astype(np.int64)
    lexical = Corner(starts, np.zeros(len(chosen), np.int32), parent, weight, edge)
    return rules._replace(
        lexical=lexical,
        first=np.concatenate((rules.first, nothing)),
        second=np.concatenate((rules.second, nothing)),
        rule=np.concatenate((rules.rule, (symbols + len(grammar.grammar)).astype(np.int32))),
        weight=np.concatenate((rules.weight, np.zeros(len(free)))),
    )
