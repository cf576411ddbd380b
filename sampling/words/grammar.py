"""The grammar of a method that edits words: texts, what is done to them, and words to put in.

A derivation takes a text and an edit, and puts words in where the edit says. Rules are numbered:
first the words that can be put in, which are those that provenance names, then what is done, then
the texts.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple, Self

import networkx as nx
import numpy as np
import pyarrow as pa

from grammar.arrays import IntArray, LongArray, pack_strings
from grammar.codecs import ArrayCodec
from grammar.description import Description, describe_graph
from grammar.saving.array_checks import check_length, check_numbers
from grammar.saving.facts import ANY, TEXT, TEXTS, Fields, each, maybe, real, row
from grammar.weighted import Weighted
from induction.corpus.corpus import Corpus
from sampling.examples.examples import saved_examples
from sampling.words.pools import Pools, check_pools, probabilities, vocabulary_of
from sampling.words.texts import TokenTexts, read_texts

__all__ = ["EDIT", "INSERTED", "REPLACED", "WORD", "Operation", "WordGrammar"]

# words hold no white space, so none of them is the name of one of these symbols
START, EDIT, WORD = "a text", "an edit", "each word"
REPLACED, INSERTED = "a replaced word", "a word to insert by"


class Operation(NamedTuple):
    """A rule that says what is done: to a text, a word, a place or a group of words.

    Its children are names of pools, or symbols of other operations.
    """

    symbol: str
    text: str
    weight: float = 1.0
    children: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False, repr=False)
class WordGrammar(Weighted):
    """Which texts are edited, how, and which words can be put in where.

    Parameters
    ----------
    method, version : str
        The method that induced the grammar.
    options : mapping
        The options of the method.
    texts : TokenTexts
        The texts, with all columns that examples keep.
    hosts : int64[H]
        The numbers of the texts that can be edited.
    operations : tuple of Operation
        What is done to them.
    names : tuple of str
        What each pool is for: the word it replaces, its tag, or the place.
    pools : Pools
        The words that can be put in. Entry e of the pools is rule e.
    replaced, inserted : int32[words]
        The pool that each word is replaced from, or for which words are inserted; -1 without one.

    Examples
    --------
    >>> from sampling.words.eda import EDA
    >>> swaps = EDA.induce(Corpus.from_columns(text=["a sad film"]), alpha_sr=0, alpha_ri=0)
    >>> swaps.grammar
    WordGrammar(eda: 1 texts that can be edited, 0 classes of words, 5 rules)
    >>> [swaps.grammar.rule_text(number) for number in range(3)]
    ['an edit -> swap two words, for 10 % of the words', ...]
    """

    method: str
    version: str
    options: Mapping[str, Any]
    texts: TokenTexts
    hosts: LongArray
    operations: tuple[Operation, ...]
    names: tuple[str, ...]
    pools: Pools
    replaced: IntArray
    inserted: IntArray

    family = "words"
    codec = ArrayCodec(
        "treewright.words/1",
        "a grammar of edited words",
        Fields({
            "method": TEXT, "version": TEXT,
            "options": Fields({"protect": maybe(TEXT)}, {"repair": TEXT}, others=ANY),
            "operations": each(row(TEXT, TEXT, real(0), TEXTS)),
        }),
        {
            "examples": "rows", "hosts": "int64", "names": "text", "offsets": "int64",
            "form": "int32", "ends": "float64", "vocabulary": "text", "replaced": "int32",
            "inserted": "int32",
        },
    )  # fmt: skip
    start = START

    def __len__(self) -> int:
        return len(self.pools.form) + len(self._done) + len(self.hosts)

    def __repr__(self) -> str:
        return (
            f"WordGrammar({self.method}: {len(self.hosts):,} texts that can be edited, "
            f"{len(self.names):,} classes of words, {len(self):,} rules)"
        )

    @property
    def examples(self) -> Corpus:
        """The texts with all columns that new examples keep."""
        return self.texts.corpus

    def rule_text(self, number: int) -> str:
        """Return a rule as text: a word in its class, what is done, or a text."""
        entries, done = len(self.pools.form), len(self._done)
        if not 0 <= number < len(self):
            raise IndexError(f"there is no rule {number}")
        if number < entries:
            pool = int(np.searchsorted(self.pools.offsets, number, side="right")) - 1
            return f"{self.names[pool]} -> {self._vocabulary[int(self.pools.form[number])]}"
        if number < entries + done:
            operation = self._done[number - entries]
            return f"{operation.symbol} -> {operation.text}"
        return f"{START} -> {self._text(int(self.hosts[number - entries - done]))}"

    def choices(self, name: str) -> dict[str, float]:
        """Return the words of a class and their probabilities (KeyError if there is none)."""
        if name not in self.names:
            raise KeyError(name)
        number = self.names.index(name)
        row = slice(int(self.pools.offsets[number]), int(self.pools.offsets[number + 1]))
        pairs = zip(
            self.pools.form[row].tolist(), probabilities(self.pools)[row].tolist(), strict=True
        )
        return {self._vocabulary[form]: weight for form, weight in pairs}

    def describe(self, symbol: str | None = None, top: int = 20) -> Description:
        """Look at the grammar, and at one of its symbols (else the start) more closely.

        Raises
        ------
        OptionError
            If the grammar has no such symbol.
        """
        facts = {
            "method": self.method,
            "options": {name: str(value) for name, value in self.options.items()},
            "texts that can be edited": len(self.hosts),
            "classes of words": len(self.names),
            "words": len(self._vocabulary),
            "rules": len(self),
        }
        return describe_graph(self.graph, symbol or START, top, facts=facts)

    def build_graph(self) -> nx.MultiDiGraph:
        """Build the graph: texts lead to an edit, and edits to the words that can be put in."""
        graph = nx.MultiDiGraph(family=self.family, start=START, method=self.method)
        weights = probabilities(self.pools).tolist()
        for pool, name in enumerate(self.names):
            for entry in range(*self.pools.offsets[pool : pool + 2].tolist()):
                word = self._vocabulary[int(self.pools.form[entry])]
                graph.add_node(f"word:{word}", kind="word", name=word)
                _add(graph, name, entry, weights[entry], [f"word:{word}"])
        first = len(self.pools.form)
        for number, done in enumerate(self._done, first):
            children = [f"symbol:{child}" for child in done.children]
            _add(graph, done.symbol, number, done.weight, children, pattern=done.text)
        ids = self.examples.column("id")
        for number, host in enumerate(self.hosts.tolist(), first + len(self._done)):
            said = {"pattern": self._text(host), "host": ids[host]}
            _add(graph, START, number, 1 / len(self.hosts), [f"symbol:{EDIT}"], **said)
        return graph

    def to_arrays(self) -> tuple[dict[str, Any], dict[str, Any]]:
        """Return the facts and the columns of its file."""
        facts = {
            "method": self.method,
            "version": self.version,
            "options": dict(self.options),
            "operations": [[*done[:3], list(done.children)] for done in self.operations],
        }
        columns = {
            "examples": self.examples.table.to_struct_array().combine_chunks(),
            "hosts": self.hosts,
            "names": pa.array(self.names, pa.string()),
            "offsets": self.pools.offsets,
            "form": self.pools.form,
            "ends": self.pools.ends,
            "vocabulary": vocabulary_of(self.pools),
            "replaced": self.replaced,
            "inserted": self.inserted,
        }
        return facts, columns

    @classmethod
    def from_arrays(cls, facts: dict[str, Any], columns: dict[str, Any]) -> Self:
        """Make a grammar of what its file holds.

        Raises
        ------
        ValueError, TreewrightError
            If they do not fit each other.
        """
        words = pack_strings(columns["vocabulary"])
        grammar = cls(
            facts["method"],
            facts["version"],
            facts["options"],
            read_texts(
                saved_examples(columns["examples"]),
                facts["options"]["protect"],
                cores="spacing" in facts["options"].get("repair", ""),
            ),
            columns["hosts"],
            tuple(Operation(a, b, c, tuple(d)) for a, b, c, d in facts["operations"]),
            tuple(columns["names"]),
            Pools(columns["offsets"], columns["form"], columns["ends"], *words),
            columns["replaced"],
            columns["inserted"],
        )
        _check(grammar)
        return grammar

    @cached_property
    def _done(self) -> tuple[Operation, ...]:
        """What is done, and which words it is done to."""
        return (
            *self.operations,
            *self._shares(REPLACED, self.replaced),
            *self._shares(INSERTED, self.inserted),
        )

    def _shares(self, symbol: str, pool: IntArray) -> list[Operation]:
        """Return a rule for each pool: its weight is the share of the words that have it."""
        free = pool[self.texts.words.free & (pool >= 0)]
        used, counts = np.unique(free, return_counts=True)
        names = [self.names[number] for number in used.tolist()]
        shares = (counts / len(free)).tolist() if len(free) else []
        return [Operation(symbol, n, s, (n,)) for n, s in zip(names, shares, strict=True)]

    @cached_property
    def _vocabulary(self) -> list[str]:
        return [str(word) for word in vocabulary_of(self.pools).to_pylist()]

    def _text(self, number: int) -> str:
        return str(self.examples.arrow("text")[number].as_py())


def _add(
    graph: nx.MultiDiGraph,
    symbol: str,
    number: int,
    weight: float,
    children: list[str],
    **said: Any,
) -> None:
    """Add a rule of a symbol."""
    left, rule = f"symbol:{symbol}", f"rule:{number}"
    graph.add_node(left, kind="symbol", name=symbol)
    graph.add_node(rule, kind="rule", **said)
    graph.add_edge(left, rule, key=0, weight=weight)
    for position, child in enumerate(children):
        if child not in graph:
            graph.add_node(child, kind="symbol", name=child.removeprefix("symbol:"))
        graph.add_edge(rule, child, key=position, position=position)


def _check(grammar: WordGrammar) -> None:
    """Refuse what does not fit the texts (ValueError)."""
    check_pools(grammar.pools)
    check_numbers("hosts", grammar.hosts, 0, len(grammar.texts.side))
    offsets = grammar.pools.offsets
    fills = np.append(offsets[1:] > offsets[:-1], np.True_)  # the last is that of no pool: -1
    pools, all_filled = len(fills) - 1, np.count_nonzero(fills) == len(fills)
    if pools != len(grammar.names) or not len(grammar.hosts):
        raise ValueError("there are no texts, or not as many names as pools")
    for name, pool in (("replaced", grammar.replaced), ("inserted", grammar.inserted)):
        check_numbers(name, pool, -1, pools)
        check_length(name, pool, len(grammar.texts.words.kind))
        if not (all_filled or fills.take(pool).all()):
            raise ValueError(f"{name}: a word has an empty pool")
