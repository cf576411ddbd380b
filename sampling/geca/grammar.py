"""Substitution grammars: contexts with holes, the fillers that fit them, and the classes between.

A derivation is two rules: the start symbol becomes a *context* (a training example with a
fragment cut out), and the class of its hole becomes a *filler* (a fragment of another example).
Contexts that admit the same fillers share a class, so the grammar says in a few symbols which
substitutions a corpus licenses. Methods differ only in how they induce one
(``sampling.geca.method`` is the first).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, ClassVar

import networkx as nx
import numpy as np
import pyarrow as pa

from grammar.arrays import FloatArray, IntArray, LongArray
from grammar.description import Description, describe_graph
from grammar.graph.table import GraphTable
from grammar.saving.array_checks import check_numbers
from grammar.saving.facts import (
    ANY,
    CLASSES,
    NOTES,
    OPTIONS,
    TEXT,
    Fields,
    damage_told,
    each,
    maybe,
    whole,
)  # fmt: skip
from grammar.weighted import Weighted
from sampling.examples.patterns import FAMILY, HOLE, START, add_filler, filler_words
from sampling.geca.novelty import TokenColumns
from sampling.geca.rows import Rows, sized
from sampling.geca.spelling import Spelling, read_spelling

__all__ = ["SubstitutionGrammar"]


@dataclass(frozen=True, eq=False, repr=False)
class SubstitutionGrammar(Weighted):
    """A substitution grammar as columns.

    Rules are numbered: contexts first (0 to C - 1), then fillers (C to C + F - 1).

    Parameters
    ----------
    contexts : tuple of str
        Pattern of every context: a training example, its spacing kept, with holes as ⟨0⟩, ⟨1⟩; if
        the examples are pairs, text and target stand on either side of the separator.
    hosts : tuple of str
        Id of the example each context was cut from (the first that yields it).
    context_count, context_class : int64[C], int32[C]
        How often the corpus yields the context, and the class of its hole.
    fillers : tuple of str
        Pattern of every filler: each hole followed by the words that go into it.
    donors : tuple of str
        Id of an example that holds the filler.
    class_offsets, class_fillers, class_counts : int64[K + 1], int32[], int64[]
        Class k admits ``class_fillers[class_offsets[k]:class_offsets[k + 1]]``, with counts.
    barred_offsets, barred_fillers : int64[C + 1], int32[]
        Fillers of its class that a context must not take, because the result would repeat the
        corpus or be too long. With these, sampling needs no corpus.
    method : str
        The method that induced the grammar.
    separator : str or None
        The token between text and target; None if examples are single texts.
    options : mapping
        What the sampler of the method must know (numbers, strings or None).
    labels : tuple, optional
        The label of the host of every context: a whole number, or a list of floats.

    Examples
    --------
    >>> grammar = SubstitutionGrammar(
    ...     contexts=("the ⟨0⟩ sang",), hosts=("1",), context_count=np.array([2]),
    ...     context_class=np.array([0], np.int32), fillers=("⟨0⟩ cat", "⟨0⟩ wug"),
    ...     donors=("1", "3"), class_offsets=np.array([0, 2]),
    ...     class_fillers=np.array([0, 1], np.int32), class_counts=np.array([3, 1]),
    ...     barred_offsets=np.array([0, 1]), barred_fillers=np.array([0], np.int32), method="geca")
    >>> grammar
    SubstitutionGrammar(geca: 1 contexts, 1 classes, 2 fillers)
    >>> sorted(grammar.graph["symbol:class-0"])
    ['rule:1', 'rule:2']
    """

    contexts: tuple[str, ...]
    hosts: tuple[str, ...]
    context_count: LongArray
    context_class: IntArray
    fillers: tuple[str, ...]
    donors: tuple[str, ...]
    class_offsets: LongArray
    class_fillers: IntArray
    class_counts: LongArray
    barred_offsets: LongArray
    barred_fillers: IntArray
    method: str
    separator: str | None = None
    options: Mapping[str, Any] = field(default_factory=dict)
    labels: tuple[Any, ...] | None = None

    family: ClassVar[str] = FAMILY
    start: ClassVar[str] = START  # type: ignore[misc]

    def __repr__(self) -> str:
        return (
            f"SubstitutionGrammar({self.method}: {len(self.contexts)} contexts, "
            f"{len(self.class_offsets) - 1} classes, {len(self.fillers)} fillers)"
        )

    def __len__(self) -> int:
        return len(self.contexts) + len(self.fillers)

    def rule_text(self, number: int) -> str:
        """Return the pattern of a context or a filler, and which of them it is."""
        number = self.numbered(number)
        if number < self.shift:
            return f"context  {self.contexts[number]}"
        return f"filler  {self.fillers[number - self.shift]}"

    def log_probability(self, context: IntArray, filler: IntArray) -> FloatArray:
        """Return ln P(context) + ln P(filler | class of the context) for pairs of numbers.

        Both are relative frequencies; each filler must be in the class of its context.
        """
        classes = self.context_class[context]
        owners = np.repeat(np.arange(len(self.class_offsets) - 1), np.diff(self.class_offsets))
        # (class, filler) as one ascending number, so that a pair is found by bisection
        width = len(self.fillers)
        entries = owners * width + self.class_fillers
        entry = np.searchsorted(entries, classes.astype(np.int64) * width + filler)
        totals = np.add.reduceat(self.class_counts, self.class_offsets[:-1])
        contexts = self.context_count[context] / self.context_count.sum()
        fillers = self.class_counts[entry] / totals[classes]
        return np.asarray(np.log(contexts) + np.log(fillers))

    @property
    def shift(self) -> int:
        """The number of the first filler among the rules."""
        return len(self.contexts)

    @cached_property
    def tokens(self) -> TokenColumns:
        """The patterns as integer columns."""
        numbers: dict[str, int] = {}

        def encode(token: str) -> int:
            mark = HOLE.fullmatch(token)
            return -1 - int(mark[1]) if mark else numbers.setdefault(token, len(numbers) + 1)

        contexts = [[encode(token) for token in pattern.split()] for pattern in self.contexts]
        grams = [filler_words(pattern) for pattern in self.fillers]
        gaps = max(map(len, grams), default=0)
        cells = [
            [encode(token) for token in row[k]] if k < len(row) else []
            for row in grams
            for k in range(gaps)
        ]
        return TokenColumns(gaps, _rows(contexts), _rows(cells))

    @cached_property
    def _spelling(self) -> Spelling:
        return read_spelling(self.contexts, self.fillers, self.separator)

    def write(self, context: IntArray, filler: IntArray) -> tuple[dict[str, pa.Array], pa.Array]:
        """Return the columns of derivations, and the spans of what was put into their texts."""
        columns, spans = self._spelling.write(context, filler)
        if self.labels is not None:
            columns["label"] = pa.array(self.labels).take(pa.array(context))
        return columns, spans

    def parents(self, rules: LongArray) -> pa.Array:
        """Return the hosts of contexts and the donors of fillers, given as rules."""
        return self._parents.take(pa.array(rules))

    @cached_property
    def _parents(self) -> pa.Array:
        return pa.array([*self.hosts, *self.donors], pa.string())

    def build_graph(self) -> nx.MultiDiGraph:
        """Build the AND/OR graph again.

        A context rule has ``pattern``, ``host``, ``barred`` (rule numbers) and perhaps ``label``;
        a filler rule has ``pattern`` and ``donor``.
        """
        graph = nx.MultiDiGraph(
            family=FAMILY,
            start=START,
            method=self.method,
            separator=self.separator,
            options=dict(self.options),
        )
        graph.add_node(f"symbol:{START}", kind="symbol", name=START)
        for k in range(len(self.class_offsets) - 1):
            graph.add_node(f"symbol:class-{k}", kind="symbol", name=f"class-{k}")
        self._add_contexts(graph)
        self._add_fillers(graph)
        return graph

    def _add_contexts(self, graph: nx.MultiDiGraph) -> None:
        shift = len(self.contexts)
        total = int(self.context_count.sum())
        for c, pattern in enumerate(self.contexts):
            first, last = self.barred_offsets[c], self.barred_offsets[c + 1]
            barred = (self.barred_fillers[first:last] + shift).tolist()
            rule, count = f"rule:{c}", int(self.context_count[c])
            label = {} if self.labels is None else {"label": self.labels[c]}
            graph.add_node(
                rule, kind="rule", pattern=pattern, host=self.hosts[c], barred=barred, **label
            )
            graph.add_edge(f"symbol:{START}", rule, key=0, weight=count / total, count=count)
            graph.add_edge(rule, f"symbol:class-{self.context_class[c]}", key=0, position=0)

    def _add_fillers(self, graph: nx.MultiDiGraph) -> None:
        shift = len(self.contexts)
        for f, pattern in enumerate(self.fillers):
            add_filler(graph, f"rule:{shift + f}", pattern, donor=self.donors[f])
        for k in range(len(self.class_offsets) - 1):
            row = slice(self.class_offsets[k], self.class_offsets[k + 1])
            counts = self.class_counts[row].tolist()
            total = sum(counts)
            for f, count in zip(self.class_fillers[row].tolist(), counts, strict=True):
                graph.add_edge(
                    f"symbol:class-{k}",
                    f"rule:{shift + f}",
                    key=0,
                    weight=count / total,
                    count=count,
                )

    @classmethod
    def from_table(cls, table: GraphTable, *, source: str) -> SubstitutionGrammar:
        """Read the columns back from those of a graph (SchemaError if a part is missing)."""
        with damage_told(source, "save it again with SubstitutionGrammar.save"):
            graph = table.to_graph()
            _HEAD("the graph", dict(graph.graph))
            return cls(**_columns_of_graph(graph))

    def describe(self, symbol: str | None = None, top: int = 20) -> Description:
        """Look at the numbers of contexts, fillers and classes, and at the rules of a symbol."""
        facts = {
            "method": self.method,
            "contexts": len(self.contexts),
            "fillers": len(self.fillers),
            "classes": len(self.class_offsets) - 1,
        }
        return describe_graph(self.graph, symbol or self.start, top, facts=facts)


def _rows(rows: Iterable[list[int]]) -> Rows:
    rows = list(rows)
    values = np.array([value for row in rows for value in row], np.int32)
    return Rows(sized([len(row) for row in rows]), values)


_HEAD = Fields(
    {"method": TEXT, "separator": maybe(TEXT), "options": OPTIONS, "start": TEXT, "family": TEXT},
    {"notes": NOTES},
)
_CONTEXT = Fields(
    {"pattern": TEXT, "host": TEXT, "barred": each(whole())}, {"label": ANY}, others=ANY
)
_FILLER = Fields({"pattern": TEXT, "donor": TEXT}, others=ANY)
_COUNTED = Fields({"count": whole(1, 2**53)}, others=ANY)


def _columns_of_graph(graph: nx.MultiDiGraph) -> dict[str, Any]:
    starts = graph[f"symbol:{graph.graph['start']}"]
    shift = len(starts)
    contexts = [graph.nodes[f"rule:{c}"] for c in range(shift)]
    rules = sum(data["kind"] == "rule" for _, data in graph.nodes(data=True))
    fillers = [graph.nodes[f"rule:{r}"] for r in range(shift, rules)]
    for kind, nodes in ((_CONTEXT, contexts), (_FILLER, fillers)):
        for at, data in enumerate(nodes):
            kind(f"rule:{at + shift * (kind is _FILLER)}", data)
    for rule, edge in starts.items():
        _COUNTED(rule, edge[0])
    members: list[list[tuple[int, int]]] = []
    while f"symbol:class-{len(members)}" in graph:
        row = graph[f"symbol:class-{len(members)}"]
        for rule, edge in row.items():
            _COUNTED(rule, edge[0])
        members.append(
            sorted((int(rule[5:]) - shift, edge[0]["count"]) for rule, edge in row.items())
        )
    number = {f"symbol:class-{k}": k for k in range(len(members))}
    class_offsets, class_fillers = _rows([[f for f, _ in row] for row in members])
    barred_offsets, barred_fillers = _rows([[r - shift for r in c["barred"]] for c in contexts])
    if not contexts or not fillers or not all(members):
        raise ValueError("no contexts, no fillers, or a class without fillers")
    check_numbers("class fillers", class_fillers, 0, len(fillers))
    check_numbers("barred", barred_fillers, 0, len(fillers))
    gaps = max(len(filler_words(data["pattern"])) for data in fillers)
    if any(int(k) >= gaps for c in contexts for k in HOLE.findall(c["pattern"])):
        raise ValueError("a context has a hole that no filler fills")
    for f, data in enumerate(fillers):
        words = [word for row in filler_words(data["pattern"]) for word in row]
        if [f"word:{word}" for word in words] != _children(graph, f"rule:{shift + f}"):
            raise ValueError(f"the children of rule:{shift + f} are not the words of its pattern")
    labels = tuple(c["label"] for c in contexts) if "label" in contexts[0] else None
    if labels is not None:
        CLASSES("labels", labels)
    return {
        "contexts": tuple(c["pattern"] for c in contexts),
        "hosts": tuple(c["host"] for c in contexts),
        "context_count": np.array(
            [starts[f"rule:{c}"][0]["count"] for c in range(shift)], np.int64
        ),
        "context_class": np.array(
            [number[_children(graph, f"rule:{c}")[0]] for c in range(shift)], np.int32
        ),
        "fillers": tuple(f["pattern"] for f in fillers),
        "donors": tuple(f["donor"] for f in fillers),
        "class_offsets": class_offsets,
        "class_fillers": class_fillers,
        "class_counts": np.array([n for row in members for _, n in row], np.int64),
        "barred_offsets": barred_offsets,
        "barred_fillers": barred_fillers,
        "method": graph.graph["method"],
        "separator": graph.graph["separator"],
        "options": graph.graph["options"],
        "labels": labels,
    }


def _children(graph: nx.MultiDiGraph, rule: str) -> list[str]:
    edges = graph.out_edges(rule, data="position")
    return [child for _, child, _ in sorted(edges, key=lambda edge: edge[2])]
