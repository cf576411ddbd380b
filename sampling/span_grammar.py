"""Span grammars: which spans of a corpus may fill which, as columns and as a graph.

A derivation is two rules: the start symbol becomes a *context* (an example with a hole where a
site was), and the pool of the hole becomes a *filler* (the words of a site). As a
tree-substitution grammar: a context is an elementary tree with one frontier node, a filler one
with none. Rules are numbered by sites: the context of site s is rule s, its filler is rule S + s.
"""

from __future__ import annotations

import itertools
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import networkx as nx
import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from grammar.arrays import IntArray, LongArray
from grammar.errors import SchemaError, UnreadableInputError
from grammar.files import PathLike, atomic_output
from induction.corpus import Corpus
from sampling.sides import Side, read_side
from sampling.sites import Sites
from sampling.substitution import FAMILY, START, hole

__all__ = ["Pools", "SpanGrammar", "pools_of_classes"]

_SCHEMA = b"treewright.spans/1"
Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Pools:
    """Which sites may fill which.

    Attributes
    ----------
    of_site : int32[S]
        The pool that fills the hole of every site, or -1 if the site is a filler only.
    host_weight : float64[S]
        Probability of every site to be the hole (0 if it is a filler only).
    offsets, fillers, weight : int64[P + 1], int32[], float64[]
        Pool p holds the sites ``fillers[offsets[p]:offsets[p + 1]]``, with their probabilities.
    names : tuple of str
        What the pools are called.
    """

    of_site: IntArray
    host_weight: Floats
    offsets: LongArray
    fillers: IntArray
    weight: Floats
    names: tuple[str, ...]


def pools_of_classes(
    classes: LongArray,
    names: Sequence[str],
    *,
    host_weight: Floats | None = None,
    filler_weight: Floats | None = None,
) -> Pools:
    """Make a pool of every class: its sites fill each other's holes.

    Weights need not be normalised; without them all sites are alike.
    """
    size = len(classes)
    ones = np.ones(size)
    order = np.argsort(classes, kind="stable").astype(np.int32)
    offsets = np.concatenate(([0], np.cumsum(np.bincount(classes, minlength=len(names)))))
    return normalised(
        Pools(
            classes.astype(np.int32),
            ones if host_weight is None else host_weight,
            offsets.astype(np.int64),
            order,
            (ones if filler_weight is None else filler_weight)[order],
            tuple(names),
        )
    )


def normalised(pools: Pools) -> Pools:
    """Return the pools with probabilities that sum to 1, over hosts and in every pool."""
    host = np.where(pools.of_site >= 0, pools.host_weight, 0.0)
    sizes = np.diff(pools.offsets)
    owner = np.repeat(np.arange(len(sizes)), sizes)
    totals = np.bincount(owner, pools.weight, minlength=len(sizes))
    return Pools(
        pools.of_site,
        host / host.sum(),
        pools.offsets,
        pools.fillers,
        pools.weight / totals[owner],
        pools.names,
    )


@dataclass(frozen=True, eq=False)
class SpanGrammar:
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
        Labels are mixed by the words of host and filler; otherwise the host's label stays.
    options : mapping
        How it was induced.
    """

    method: str
    version: str
    examples: Corpus
    sites: Sites
    pools: Pools
    columns: tuple[str, ...]
    mixes: bool
    options: Mapping[str, Any] = field(default_factory=dict)

    def __repr__(self) -> str:
        hosts = int(np.count_nonzero(self.pools.of_site >= 0))
        return (
            f"SpanGrammar({self.method}: {hosts} contexts, {len(self.pools.names)} classes, "
            f"{len(np.unique(self.pools.fillers))} fillers)"
        )

    @cached_property
    def sides(self) -> tuple[Side, ...]:
        """The texts of the examples as columns."""
        names = ("text", "text_pair")[: self.sites.start.shape[1]]
        return tuple(read_side(self.examples, name) for name in names)

    def rule_text(self, number: int) -> str:
        """Return a rule as text: a context with holes as ⟨0⟩, ⟨1⟩, or the words of a filler."""
        filler, site = divmod(number, len(self.sites))
        if not 0 <= filler <= 1:
            raise IndexError(f"there is no rule {number}")
        return self._filler(site) if filler else self._context(site)

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

    @cached_property
    def graph(self) -> nx.MultiDiGraph:
        """The grammar as a frozen AND/OR graph in the layout of the house.

        As :attr:`sampling.substitution.SubstitutionGrammar.graph`; weights are probabilities and
        every count is 1. Built when first asked for: it holds a node a rule.
        """
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
        return nx.freeze(graph)

    def _add_filler(self, graph: nx.MultiDiGraph, site: int, donor: str) -> None:
        rule = f"rule:{len(self.sites) + site}"
        graph.add_node(rule, kind="rule", pattern=self._filler(site), donor=donor)
        words = (word for _, fill, _ in self._pieces(site) for word in fill.split())
        for position, word in enumerate(words):
            graph.add_node(f"word:{word}", kind="word", name=word)
            graph.add_edge(rule, f"word:{word}", key=position, position=position)

    def save(self, path: PathLike) -> None:
        """Save the grammar as one Arrow file (its graph would repeat every example at each site).

        Raises
        ------
        OutputError
            If the path cannot be written.
        """
        table = self.examples.table.combine_chunks()
        rows = pa.StructArray.from_arrays(
            [pa.concat_arrays(column.chunks) for column in table.columns]
            if len(table)
            else [pa.array([], f.type) for f in table.schema],
            names=table.column_names,
        )
        columns = {"examples": rows, **{n: pa.array(v) for n, v in self._arrays().items()}}
        lists = {
            name: pa.LargeListArray.from_arrays(pa.array([0, len(values)], pa.int64()), values)
            for name, values in columns.items()
        }
        facts = {
            "method": self.method,
            "version": self.version,
            "columns": self.columns,
            "mixes": self.mixes,
            "options": dict(self.options),
            "sides": int(self.sites.start.shape[1]),
            "names": self.pools.names,
        }
        metadata = {b"schema": _SCHEMA, b"facts": json.dumps(facts).encode()}
        saved = pa.table(lists).replace_schema_metadata(metadata)
        options = pa.ipc.IpcWriteOptions(compression="zstd")
        with (
            atomic_output(path) as temporary,
            pa.OSFile(str(temporary), "wb") as sink,
            pa.ipc.new_file(sink, saved.schema, options=options) as writer,
        ):
            writer.write_table(saved)

    def _arrays(self) -> dict[str, Any]:
        return {
            "example": self.sites.example,
            "start": self.sites.start.ravel(),
            "end": self.sites.end.ravel(),
            "node": self.sites.node.ravel(),
            "of_site": self.pools.of_site,
            "host_weight": self.pools.host_weight,
            "offsets": self.pools.offsets,
            "fillers": self.pools.fillers,
            "weight": self.pools.weight,
        }

    @classmethod
    def load(cls, path: PathLike) -> SpanGrammar:
        """Load a saved grammar; it samples the same bytes without the corpus.

        Raises
        ------
        UnreadableInputError
            If the file cannot be read.
        SchemaError
            If it is not a span grammar saved by this version.
        """
        try:
            with pa.OSFile(str(path), "rb") as source:
                table = pa.ipc.open_file(source).read_all()
        except pa.ArrowInvalid:
            raise _not_a_grammar(path) from None
        except OSError as error:
            raise UnreadableInputError(
                f"cannot read the file: {error.strerror or error}", where=str(path)
            ) from None
        metadata = table.schema.metadata or {}
        if metadata.get(b"schema") != _SCHEMA:
            raise _not_a_grammar(path)
        return cls._restored(table, json.loads(metadata[b"facts"]))

    @classmethod
    def _restored(cls, table: pa.Table, facts: dict[str, Any]) -> SpanGrammar:
        rows = {name: table.column(name).chunk(0).values for name in table.column_names}
        a = {
            name: values.to_numpy(zero_copy_only=False)
            for name, values in rows.items()
            if name != "examples"
        }
        sides = facts["sides"]
        start, end, node = (a[name].reshape(-1, sides) for name in ("start", "end", "node"))
        examples = Corpus(
            pa.Table.from_batches([pa.RecordBatch.from_struct_array(rows["examples"])])
        )
        pools = Pools(
            a["of_site"],
            a["host_weight"],
            a["offsets"],
            a["fillers"],
            a["weight"],
            tuple(facts["names"]),
        )
        return cls(
            facts["method"],
            facts["version"],
            examples,
            Sites(a["example"], start, end, node, np.full(start.shape, -1, np.int64)),
            pools,
            tuple(facts["columns"]),
            facts["mixes"],
            facts["options"],
        )


def _not_a_grammar(path: PathLike) -> SchemaError:
    return SchemaError(
        "not a span grammar saved by this version of treewright",
        where=str(path),
        hint="save it again with the sampler's grammar.save",
    )
