"""The words that a method puts in, as a grammar: one symbol a pool, one rule a word."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import networkx as nx
import numpy as np

from grammar.arrays import FloatArray
from grammar.files import PathLike
from grammar.storage import write_graph
from sampling.token_texts import Pools, vocabulary_of

__all__ = ["WordGrammar"]


@dataclass(frozen=True, eq=False)
class WordGrammar:
    """Which words can be put in, and where.

    Parameters
    ----------
    method : str
        The method that induced the grammar.
    names : sequence of str
        What each pool is for: the word it replaces, its tag, or the place.
    pools : Pools
        Rule e is entry e of the pools; ``rules`` in provenance are such numbers.

    Examples
    --------
    >>> from sampling.token_texts import as_pools
    >>> grammar = WordGrammar("eda", ["film"], as_pools([[0, 1]], ["movie", "picture"]))
    >>> grammar
    WordGrammar(eda: 1 classes of words, 2 rules)
    >>> grammar.choices("film")
    {'movie': 0.5, 'picture': 0.5}
    """

    method: str
    names: Sequence[str]
    pools: Pools

    def __repr__(self) -> str:
        return (
            f"WordGrammar({self.method}: {len(self.names):,} classes of words, "
            f"{len(self.pools.form):,} rules)"
        )

    def choices(self, name: str) -> dict[str, float]:
        """Return the words of a class and their probabilities (KeyError if there is none)."""
        if name not in self._numbers:
            raise KeyError(name)
        number = self._numbers[name]
        row = slice(int(self.pools.offsets[number]), int(self.pools.offsets[number + 1]))
        pairs = zip(self.pools.form[row].tolist(), self._weights[row].tolist(), strict=True)
        return {self._vocabulary[form]: weight for form, weight in pairs}

    @cached_property
    def _numbers(self) -> dict[str, int]:
        return {name: number for number, name in enumerate(self.names)}

    @cached_property
    def _vocabulary(self) -> list[str]:
        return [str(word) for word in vocabulary_of(self.pools).to_pylist()]

    @cached_property
    def _weights(self) -> FloatArray:
        """The probability of every entry in its pool."""
        weights = np.diff(self.pools.ends, prepend=0.0)
        first = self.pools.offsets[:-1][np.diff(self.pools.offsets) > 0]
        weights[first] = self.pools.ends[first]
        return weights

    @cached_property
    def graph(self) -> nx.MultiDiGraph:
        """The grammar as a frozen graph: symbol -> rule (with ``weight``) -> word."""
        graph = nx.MultiDiGraph(family="words", method=self.method)
        words, weights = self._vocabulary, self._weights
        for number, name in enumerate(self.names):
            symbol = f"symbol:{name}"
            graph.add_node(symbol, kind="symbol", name=name)
            first, last = self.pools.offsets[number : number + 2].tolist()
            for entry in range(first, last):
                word = words[int(self.pools.form[entry])]
                graph.add_node(f"rule:{entry}", kind="rule")
                graph.add_node(f"word:{word}", kind="word", name=word)
                graph.add_edge(symbol, f"rule:{entry}", key=0, weight=float(weights[entry]))
                graph.add_edge(f"rule:{entry}", f"word:{word}", key=0, position=0)
        return nx.freeze(graph)

    def save(self, path: PathLike) -> None:
        """Save the graph as node-link JSON (OutputError if the path cannot be written)."""
        write_graph(self.graph, path)
