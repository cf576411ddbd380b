"""Span grammars: which spans of a corpus may fill which, as columns and as a graph.

A derivation is two rules: the start symbol becomes a *context* (an example with a slot where a
site was), and the pool of the slot becomes a *substitute* (the words of a site). As a
tree-substitution grammar: a context is an elementary tree with one frontier node, a substitute is
one with none. Rules are numbered by sites: the context of site s is rule s, its substitute is rule
S + s.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import networkx as nx
import numpy as np
import pyarrow as pa

from grammar.arrays import LongArray
from grammar.codecs import ArrayCodec
from grammar.description import Description
from grammar.saving.array_checks import check_length, check_numbers, check_offsets, check_shares
from grammar.saving.facts import ANY, FLAG, TEXT, TEXTS, Fields, maybe, whole
from grammar.trees.treebank import Treebank
from grammar.weighted import Weighted
from induction.corpus.corpus import Corpus
from sampling.examples.examples import read_examples, saved_examples
from sampling.examples.patterns import FAMILY, START, hole
from sampling.examples.text_columns import Side, read_side
from sampling.joins.constituents import Places, places_of
from sampling.spans.description import describe_spans
from sampling.spans.pools import Pools
from sampling.spans.sites import Sites

__all__ = ["SpanGrammar"]

_WRITTEN = frozenset(
    {
        "text",
        "text_pair",
        "tree",
        "tree_pair",
        "tokens",
        "tags",
        "deprels",
        "heads",
        "label",
        "spans",
    }
)
"""The columns that new examples can have."""


@dataclass(frozen=True, eq=False, repr=False)
class SpanGrammar(Weighted):
    """A substitution grammar over spans of examples; it samples without the corpus.

    Parameters
    ----------
    method, version : str
        The method that induced it.
    examples : Corpus
        The examples, with the columns that sampling needs.
    sites : Sites
        The spans that are exchanged.
    pools : Pools
        Which sites may fill which, and how probable they are.
    columns : tuple of str
        The columns of new examples, besides id and provenance.
    mixes : bool
        Labels are mixed by the words of source and insert; otherwise the source's label stays.
    options : mapping
        How it was induced.

    Examples
    --------
    >>> from induction import Corpus
    >>> from sampling import RandMix
    >>> texts = ["we ran home in the rain", "they slept here in the sun"]
    >>> grammar = RandMix.induce(Corpus.from_columns(text=texts, label=[0, 1])).grammar
    >>> grammar.family, isinstance(grammar, SpanGrammar)
    ('substitution', True)
    """

    method: str
    version: str
    examples: Corpus
    sites: Sites
    pools: Pools
    columns: tuple[str, ...]
    mixes: bool
    options: Mapping[str, Any] = field(default_factory=dict)

    family = FAMILY
    codec = ArrayCodec(
        "treewright.spans/1",
        "a span grammar",
        Fields({
            "method": TEXT, "version": TEXT, "columns": TEXTS, "mixes": FLAG,
            "options": Fields({}, {"repair": maybe(TEXT)}, others=ANY),
            "sides": whole(1, 2), "names": TEXTS,
        }),
        {
            "examples": "rows", "example": "int32", "start": "int32", "end": "int32",
            "node": "int64", "of_site": "int32", "host_weight": "float64", "offsets": "int64",
            "fillers": "int32", "weight": "float64",
        },
    )  # fmt: skip
    start = START

    def __repr__(self) -> str:
        hosts = int(np.count_nonzero(self.pools.of_site >= 0))
        return (
            f"SpanGrammar({self.method}: {hosts} contexts, {len(self.pools.names)} classes, "
            f"{len(np.unique(self.pools.fillers))} substitutes)"
        )

    @cached_property
    def sides(self) -> tuple[Side, ...]:
        """The texts of the examples as columns."""
        names = ("text", "text_pair")[: self.sites.start.shape[1]]
        cores = "spacing" in (self.options.get("repair") or "")
        return tuple(read_side(self.examples, name, cores=cores) for name in names)

    @cached_property
    def places(self) -> Places | None:
        """The categories and places of the nodes of all trees; None if a site is not a node."""
        bank, node = self.sides[0].treebank, self.sites.node[:, 0]
        return None if bank is None or (node < 0).any() else places_of(bank)

    def __len__(self) -> int:
        return 2 * len(self.sites)

    def rule_text(self, number: int) -> str:
        """Return a rule as text: a context with slots as ⟨0⟩, ⟨1⟩, or the words of a substitute."""
        filler, site = divmod(self.numbered(number), len(self.sites))
        return self._filler(site) if filler else self._context(site)

    def describe(self, symbol: str | None = None, top: int = 20) -> Description:
        """Look at the grammar, and at one of its classes (else the start) more closely.

        Raises
        ------
        OptionError
            If the grammar has no such class.
        """
        return describe_spans(self, symbol, top)

    def _context(self, site: int) -> str:
        texts = []
        for k, (before, _, behind) in enumerate(self._pieces(site)):
            texts.append(before + hole(k) + behind)
        return "\t".join(texts)

    def _filler(self, site: int) -> str:
        return " ".join(f"{hole(k)} {words}" for k, (_, words, _) in enumerate(self._pieces(site)))

    def _pieces(self, site: int) -> list[tuple[str, str, str]]:
        pieces = []
        i = int(self.sites.example[site])
        for k, side in enumerate(self.sides):
            first = side.offsets[i] + self.sites.start[site, k]
            last = side.offsets[i] + self.sites.end[site, k] - 1
            bounds = (
                side.text_offsets[i],
                side.start[first],
                side.end[last],
                side.text_offsets[i + 1],
            )
            texts = (
                side.text[a:b].tobytes().decode("utf-8") for a, b in itertools.pairwise(bounds)
            )
            pieces.append(tuple(texts))
        return pieces  # type: ignore[return-value]

    def build_graph(self) -> nx.MultiDiGraph:
        """Build the graph again: as that of GECA, but every count is 1; it has a node a rule."""
        graph = nx.MultiDiGraph(
            family=FAMILY, start=START, method=self.method, options=dict(self.options)
        )
        graph.add_node(f"symbol:{START}", kind="symbol", name=START)
        for p, name in enumerate(self.pools.names):
            graph.add_node(f"symbol:class-{p}", kind="symbol", name=name)
        ids = self.examples.column("id")
        pools = self.pools
        for s in np.flatnonzero(pools.of_site >= 0).tolist():
            host = ids[int(self.sites.example[s])]
            weight = float(pools.host_weight[s])
            graph.add_node(f"rule:{s}", kind="rule", pattern=self._context(s), host=host)
            graph.add_edge(f"symbol:{START}", f"rule:{s}", key=0, weight=weight, count=1)
            graph.add_edge(f"rule:{s}", f"symbol:class-{pools.of_site[s]}", key=0, position=0)
        for s in np.unique(pools.fillers).tolist():
            self._add_filler(graph, s, ids[int(self.sites.example[s])])
        owner = np.repeat(np.arange(len(pools.names)), np.diff(pools.offsets))
        columns = owner.tolist(), pools.fillers.tolist(), pools.weight.tolist()
        for p, s, weight in zip(*columns, strict=True):
            rule = f"rule:{len(self.sites) + s}"
            graph.add_edge(f"symbol:class-{p}", rule, key=0, weight=weight, count=1)
        return graph

    def _add_filler(self, graph: nx.MultiDiGraph, site: int, donor: str) -> None:
        rule = f"rule:{len(self.sites) + site}"
        graph.add_node(rule, kind="rule", pattern=self._filler(site), donor=donor)
        words = (word for _, fill, _ in self._pieces(site) for word in fill.split())
        for position, word in enumerate(words):
            graph.add_node(f"word:{word}", kind="word", name=word)
            graph.add_edge(rule, f"word:{word}", key=position, position=position)

    def to_arrays(self) -> tuple[dict[str, Any], dict[str, Any]]:
        """Return the facts and columns of the saved file: the examples, sites and pools.

        The graph is not saved, as it repeats every example at each of its sites.
        """
        table = self.examples.table.combine_chunks()
        arrays = [
            pa.concat_arrays(c.chunks) if len(c) else pa.array([], c.type) for c in table.columns
        ]
        sites, pools = self.sites, self.pools
        facts = {
            "method": self.method,
            "version": self.version,
            "columns": self.columns,
            "mixes": self.mixes,
            "options": dict(self.options),
            "sides": int(sites.start.shape[1]),
            "names": pools.names,
        }
        return facts, {
            "examples": pa.StructArray.from_arrays(arrays, names=table.column_names),
            "example": sites.example,
            "start": sites.start.ravel(),
            "end": sites.end.ravel(),
            "node": sites.node.ravel(),
            "of_site": pools.of_site,
            "host_weight": pools.host_weight,
            "offsets": pools.offsets,
            "fillers": pools.fillers,
            "weight": pools.weight,
        }

    @classmethod
    def from_arrays(cls, facts: dict[str, Any], columns: dict[str, Any]) -> SpanGrammar:
        """Read a grammar off what :meth:`to_arrays` returned."""
        start, end, node = (
            columns[name].reshape(-1, facts["sides"]) for name in ("start", "end", "node")
        )
        texts = ("text", "text_pair")[: facts["sides"]]
        cores = "spacing" in (facts["options"].get("repair") or "")
        examples = read_examples(saved_examples(columns["examples"]), texts, cores=cores)
        names = ("of_site", "host_weight", "offsets", "fillers", "weight")
        grammar = cls(
            facts["method"],
            facts["version"],
            examples.corpus,
            Sites(columns["example"], start, end, node, np.full(start.shape, -1, np.int64)),
            Pools(**{name: columns[name] for name in names}, names=tuple(facts["names"])),
            tuple(facts["columns"]),
            facts["mixes"],
            facts["options"],
        )
        grammar.__dict__["sides"] = examples.sides  # what the property would read again
        _check_columns(grammar)
        _check_sites(grammar)
        _check_pools(grammar.pools, len(grammar.sites))
        return grammar


def _check_columns(grammar: SpanGrammar) -> None:
    """Refuse columns of new examples that these examples and spans cannot give (ValueError)."""
    held = {"text", *grammar.examples.names}
    lacking = sorted({"text", *grammar.columns} - (held & _WRITTEN))
    if len(grammar.sides) < grammar.sites.start.shape[1]:
        lacking.append("text_pair")
    if "text" not in grammar.columns or len({*grammar.columns}) < len(grammar.columns):
        raise ValueError("columns: no text, or a column twice")
    if lacking or (grammar.mixes and "label" not in held):
        raise ValueError(f"columns: there is no {(*lacking, 'label')[0]!r} among the examples")
    for k, name in enumerate(("tree", "tree_pair")):
        if name in grammar.columns and (grammar.sites.node[:, k] < 0).any():
            raise ValueError(f"columns: a span is no constituent of its {name!r}")


def _check_sites(grammar: SpanGrammar) -> None:
    """Refuse spans that are not in their texts (ValueError)."""
    sites = grammar.sites
    check_numbers("example", sites.example, 0, len(grammar.examples))
    if np.count_nonzero(sites.example[1:] < sites.example[:-1]):
        raise ValueError("example: spans of an example do not follow each other")
    for k, side in enumerate(grammar.sides):
        start, end, node = map(
            np.ascontiguousarray, (sites.start[:, k], sites.end[:, k], sites.node[:, k])
        )
        for name, column in (("start", start), ("end", end)):
            check_length(name, column, len(sites.example))
            check_numbers(name, column, 0, len(side.start) + 1)
        text = side.offsets[sites.example]
        first, behind = text + start, text + end
        beyond = (first >= behind) | (behind > side.offsets[1:][sites.example])
        if np.count_nonzero(beyond):
            raise ValueError("start, end: a span is not in its text")
        check_length("node", node, len(sites.example))
        _check_nodes(side.treebank, node, first, behind)


def _check_nodes(
    treebank: Treebank | None, node: LongArray, first: LongArray, last: LongArray
) -> None:
    """Refuse nodes that do not stand above the words of their spans (ValueError)."""
    check_numbers("node", node, -1, len(treebank.label) if treebank is not None else 0)
    if treebank is None:
        return
    named = node >= 0
    if np.count_nonzero(named) < len(named):
        node, first, last = node[named], first[named], last[named]
    words = treebank.words_before
    behind = node + treebank.size[node]
    if np.count_nonzero(words[node] != first) or np.count_nonzero(words[behind] != last):
        raise ValueError("node: a node is not above the words of its span")


def _check_pools(pools: Pools, sites: int) -> None:
    """Refuse pools that do not give sources their substitutes (ValueError)."""
    check_length("of_site", pools.of_site, sites)
    check_numbers("of_site", pools.of_site, -1, len(pools.names))
    check_length("host_weight", pools.host_weight, sites)
    check_shares("host_weight", pools.host_weight, (0, sites))
    check_numbers("fillers", pools.fillers, 0, sites)
    check_offsets("offsets", pools.offsets, len(pools.names), len(pools.fillers))
    check_length("weight", pools.weight, len(pools.fillers))
    check_shares("weight", pools.weight, pools.offsets)
    hosts, filled = pools.of_site >= 0, np.diff(pools.offsets) > 0
    if not (filled.all() or filled[pools.of_site[hosts]].all()):
        raise ValueError("of_site: a source has no substitutes")
    if not hosts.all() and pools.host_weight[~hosts].any():
        raise ValueError("host_weight: what has no substitutes is a source")
