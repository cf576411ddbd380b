"""The grammar of GECA as a walk: the places of a corpus, exchangeable fragments as columns.

Its file holds the texts, so that it is sampled without the corpus.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import Any, ClassVar, NamedTuple

import networkx as nx
import numpy as np
import pyarrow as pa

from grammar.arrays import FloatArray, IntArray, LongArray, pack_strings
from grammar.codecs import ArrayCodec
from grammar.errors import NothingNewError
from grammar.options import read_options
from grammar.saving.facts import OPTIONS, Fields, one_of
from grammar.weighted import Weighted
from induction.corpus.corpus import Corpus
from sampling.examples.labels import read_labels
from sampling.examples.patterns import START, add_filler
from sampling.geca.options import GECAStreamOptions
from sampling.geca.sequences import Sequences, SideWords, read_tokens
from sampling.geca.spelling import (
    Spelling,
    context_patterns,
    cut_pieces,
    filler_patterns,
    gram_cells,
)
from sampling.geca.templates import find_fragments
from sampling.geca.walk_arrays import walks_of_arrays, walks_to_arrays
from sampling.geca.walks import Places, Walks, known_sides, walk_probabilities, walks_of

__all__ = ["WalkGrammar", "induce_walks"]


class _Links(NamedTuple):
    """What leads from symbols to symbols: their numbers, how often, and with what probability."""

    above: LongArray
    below: LongArray
    counts: LongArray
    share: FloatArray

    def rows(self) -> Iterator[tuple[int, int, int, float]]:
        """Yield them one by one."""
        return zip(*(column.tolist() for column in self), strict=True)


@dataclass(frozen=True, eq=False, repr=False)
class WalkGrammar(Weighted):
    """What is drawn from, as a grammar: example, context, fragment, environment, filler.

    ``EXAMPLE`` becomes a place of an example, and that a context; a context, ``like-F`` for one of
    the fragments F that it holds; ``like-F`` one of the environments of F; and an environment one
    of its fragments, which is the filler. Rules are numbered in this order: places, fragments,
    and what leads from contexts and fragments on.

    Attributes
    ----------
    walks : Walks
        Places by context, fragment and environment.
    sides : tuple of SideWords
        Text and, for pairs, target, as bytes.
    names : list of str
        The word of each token; that of the separator is empty.
    examples : arrow struct array
        The ids of the examples and, if they have any, their labels.
    options : mapping
        What sampling must know.
    """

    walks: Walks
    sides: tuple[SideWords, ...]
    names: list[str]
    examples: pa.StructArray
    options: Mapping[str, Any]

    family: ClassVar[str] = "walks"
    codec: ClassVar[ArrayCodec] = ArrayCodec(
        "treewright.walks/1",
        "a grammar of walks",
        Fields({"method": one_of("geca-stream"), "options": OPTIONS}),
        {
            "sequence": "int32", "template": "int32", "fragment": "int32", "environment": "int32",
            "keys": "int64", "tokens": "int32", "starts": "int64", "sizes": "int32",
            "table": "int32", "names": "text", "examples": "rows",
            **{
                f"{name}_{side}": kind
                for side in (0, 1)
                for name, kind in (
                    ("text", "uint8"), ("text_offsets", "int64"), ("offsets", "int64"),
                    ("start", "int64"), ("end", "int64"),
                )
            },
        },
    )  # fmt: skip
    method: ClassVar[str] = "geca-stream"
    start: ClassVar[str] = START  # type: ignore[misc]

    def __repr__(self) -> str:
        return f"WalkGrammar({len(self.walks.hosts):,} places, {len(self.walks.keys):,} fragments)"

    def __len__(self) -> int:
        return self.shift + len(self.walks.keys) + sum(len(links.above) for links in self._links)

    @property
    def shift(self) -> int:
        """The number of the first filler among the rules."""
        return len(self.walks.places.sequence)

    @property
    def gaps(self) -> int:
        """Most n-grams in a fragment."""
        return int(self.options["gaps"])

    def rule_text(self, number: int) -> str:
        """Return a rule as text: a context or a filler as patterns, a link as what it rewrites."""
        number = self.numbered(number)
        if number < self.shift:
            return "\t".join(self._contexts(np.array([number]))[0])
        number -= self.shift
        if number < len(self.walks.keys):
            return self._fillers(self.walks.keys[number : number + 1])[0]
        number -= len(self.walks.keys)
        contexts, fragments = self._links
        if number < len(contexts.above):
            return f"context-{contexts.above[number]} -> like-{contexts.below[number]}"
        number -= len(contexts.above)
        return f"like-{fragments.above[number]} -> environment-{fragments.below[number]}"

    def log_probability(self, context: LongArray, filler: IntArray) -> FloatArray:
        """Return ln P(place) + ln P(filler | context of the place) for pairs of numbers."""
        share = walk_probabilities(self.walks, context, filler) / len(self.walks.hosts)
        return np.asarray(np.log(share))

    @cached_property
    def known(self) -> tuple[Any, Any]:
        """Hashes of the texts and of the targets of the corpus, as sets."""
        g = self.walks.grams
        text_end = self.sides[0].token + np.diff(self.sides[0].offsets)
        return known_sides(Sequences(g.tokens, g.offsets, text_end))

    def write(self, context: LongArray, filler: IntArray) -> tuple[dict[str, pa.Array], pa.Array]:
        """Return the columns of derivations, and the spans of what was put into their texts."""
        t = self.walks
        sequence, key = t.places.sequence[context], t.keys[t.places.fragment[context]]
        sides = [cut_pieces(t.grams, side, sequence, key) for side in self.sides]
        cells = gram_cells(t.grams, t.keys[filler], self.gaps, *self._names)
        rows = np.arange(len(context))
        columns, spans = Spelling(sides, cells).write(rows, rows)
        if self.examples.type.get_field_index("label") >= 0:
            columns["label"] = self.examples.field("label").take(pa.array(sequence))
        return columns, spans

    def parents(self, rules: LongArray) -> pa.Array:
        """Return the hosts of places and donors of fragments, given as rules."""
        t = self.walks
        fillers = np.maximum(rules - self.shift, 0)
        donors = t.of_fragment.values[t.of_fragment.offsets[fillers]]
        places = np.where(rules < self.shift, rules, donors)
        return self.examples.field("id").take(pa.array(t.places.sequence[places]))

    @cached_property
    def _names(self) -> tuple[Any, LongArray]:
        return pack_strings(self.names)

    def _contexts(self, places: LongArray) -> list[tuple[str, ...]]:
        t = self.walks
        keys = t.keys[t.places.fragment[places]]
        return context_patterns(t.grams, self.sides, t.places.sequence[places], keys)

    def _fillers(self, keys: LongArray) -> list[str]:
        return filler_patterns(self.walks.grams, self.names, keys, self.gaps)

    @cached_property
    def _links(self) -> tuple[_Links, _Links]:
        t = self.walks
        return _shared(t.places.template, t.places.fragment), _shared(
            t.places.fragment, t.places.environment
        )

    def build_graph(self) -> nx.MultiDiGraph:
        """Build the AND/OR graph again. It has nodes for every place of every fragment."""
        t = self.walks
        graph = nx.MultiDiGraph(
            family=self.family, start=START, method=self.method, options=dict(self.options)
        )
        graph.add_node(f"symbol:{START}", kind="symbol", name=START)
        for k, pattern in enumerate(self._fillers(t.keys)):
            graph.add_node(f"symbol:like-{k}", kind="symbol", name=f"like-{k}")
            add_filler(graph, f"rule:{self.shift + k}", pattern)
        hosts = self.examples.field("id").take(pa.array(t.places.sequence[t.hosts])).to_pylist()
        contexts = self._contexts(t.hosts)
        for place, host, sides in zip(t.hosts.tolist(), hosts, contexts, strict=True):
            rule = f"rule:{place}"
            graph.add_node(rule, kind="rule", pattern="\t".join(sides), host=host)
            graph.add_edge(f"symbol:{START}", rule, 0, weight=1 / len(t.hosts), count=1)
            graph.add_edge(rule, f"symbol:context-{t.places.template[place]}", 0, position=0)
        link = self.shift + len(t.keys)
        names = (("context", "like"), ("like", "environment"))
        for (upper, lower), links in zip(names, self._links, strict=True):
            for a, b, count, share in links.rows():
                above, below, rule = f"{upper}-{a}", f"{lower}-{b}", f"rule:{link}"
                graph.add_node(f"symbol:{above}", kind="symbol", name=above)
                graph.add_node(rule, kind="rule", text=f"{above} -> {below}")
                graph.add_edge(f"symbol:{above}", rule, 0, weight=share, count=count)
                graph.add_edge(rule, f"symbol:{below}", 0, position=0)
                link += 1
        for e, f, count, share in _shared(t.places.environment, t.places.fragment).rows():
            name = f"environment-{e}"
            graph.add_node(f"symbol:{name}", kind="symbol", name=name)
            filler = f"rule:{self.shift + f}"
            graph.add_edge(f"symbol:{name}", filler, 0, weight=share, count=count)
        return graph

    def to_arrays(self) -> tuple[dict[str, Any], dict[str, Any]]:
        """Return the facts and the columns of the file."""
        columns = walks_to_arrays(self.walks, self.sides)
        columns |= {"names": self.names, "examples": self.examples}
        return {"method": self.method, "options": dict(self.options)}, columns

    @classmethod
    def from_arrays(cls, facts: Mapping[str, Any], columns: Mapping[str, Any]) -> WalkGrammar:
        """Read the columns of a file (ValueError if they do not belong together)."""
        options = asdict(read_options(GECAStreamOptions, facts["options"], cls.method))
        names, examples = columns["names"], columns["examples"]
        walks, sides = walks_of_arrays(columns, len(names), options["gaps"])
        if len(examples) != len(walks.grams.offsets) - 1 or not len(walks.hosts):
            raise ValueError("the examples are not those of the walks")
        if examples.type.get_field_index("label") >= 0:
            read_labels(Corpus(pa.Table.from_struct_array(examples)))
        ids = examples.field("id")
        if not pa.types.is_string(ids.type) or ids.null_count:
            raise ValueError("the ids of the examples are no texts")
        return cls(walks, sides, names, examples, options)


def induce_walks(corpus: Corpus, options: GECAStreamOptions) -> WalkGrammar:
    """Induce the grammar (raises like :meth:`sampling.geca.stream.GECAStream.induce`)."""
    examples = read_tokens(corpus, options)
    grams, found = find_fragments(examples, options)
    places = Places(found.sequence, found.template, found.fragment, found.environment)
    walks = walks_of(places, found.keys, grams, pairs=examples.pairs)
    if not len(walks.hosts):
        raise NothingNewError.because(
            "no fragment that can be exchanged touches both text and target",
            "allow more gaps, so that a fragment can have a part on either side",
        )
    table = examples.corpus.table
    kept = [name for name in ("id", "label") if name in table.column_names]
    rows = [table.column(name).combine_chunks() for name in kept]
    known = pa.StructArray.from_arrays(rows, names=kept)
    return WalkGrammar(walks, examples.sides, examples.names, known, asdict(options))


def _shared(above: IntArray, below: IntArray) -> _Links:
    """Return the pairs of two columns, how often each occurs, and its share among the first."""
    width = int(below.max(initial=0)) + 1
    pairs, counts = np.unique(above.astype(np.int64) * width + below, return_counts=True)
    first = pairs // width
    return _Links(first, pairs % width, counts, counts / np.bincount(above)[first])
