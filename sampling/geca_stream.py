"""GECA for corpora whose substitutions are too many to be listed: examples drawn by walks.

What :class:`sampling.geca.GECA` judges once and for all is drawn here one by one, so memory grows
with the corpus and not with the number of substitutions, and a million sentences can be read.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import networkx as nx
import numpy as np
import pyarrow as pa

from grammar.arrays import Bytes, LongArray, pack_strings
from grammar.counter_rng import stream_key
from grammar.files import PathLike
from grammar.storage import write_graph
from induction.corpus import Corpus
from sampling.geca_places import Places, read_places
from sampling.geca_walks import draw_walks, row_hashes, walk_probabilities, write_walks
from sampling.protocol import BATCH, batch_bounds, in_threads, option, read_options
from sampling.provenance import example_ids, provenance, rows_as_lists
from sampling.span_draws import members, new_set
from sampling.splicing import as_lists, as_strings
from sampling.substitution import ShortfallWarning

__all__ = ["GECAStream", "GECAStreamOptions", "WalkGrammar"]

_CHUNK = 16_384
_PATIENCE = 1 << 20


@dataclass(frozen=True, kw_only=True)
class GECAStreamOptions:
    """The options of :meth:`GECAStream.induce`; defaults are those of the language models."""

    gaps: int = option(
        1, "Most n-grams in a fragment.", source="section 3; language models", least=1
    )
    size: int = option(2, "Most words in an n-gram.", source="section 3; language models", least=1)
    window: int | None = option(
        2,
        "Words on either side of every hole that make its environment; none: the whole context.",
        source="section 3; the program, language models",
        least=1,
    )
    max_count: int | None = option(
        20, "Leave out n-grams that occur more often.", source="the program, language models",
        least=1,
    )  # fmt: skip
    max_length: int | None = option(
        99,
        "Most words of a new example, both sides and the separator together.",
        source="the program, language models",
        least=1,
    )
    labels: str = option(
        "host",
        "Examples of classes: a new one has the label of its host; with same, fragments are "
        "exchangeable, and exchanged, only among examples of one label.",
        choices=("host", "same"),
    )
    protect: str | None = option(
        None,
        "A regular expression; words of text or target that share a character with a match are "
        "neither cut out nor put in. A column 'protected' does the same by numbers of words of "
        "the text, or entities.",
    )


@dataclass(frozen=True, eq=False)
class WalkGrammar:
    """What is drawn from, as a grammar: example, context, fragment, environment, filler.

    ``EXAMPLE`` becomes a place of an example, and that a context; a context, ``like-F`` for one of
    the fragments F that it holds; ``like-F`` one of the environments of F; and an environment one
    of its fragments, which is the filler.
    """

    places: Places

    @cached_property
    def graph(self) -> nx.MultiDiGraph:
        """The grammar as a frozen AND/OR graph. It has nodes for every place of every fragment."""
        return nx.freeze(_graph(self.places))

    def save(self, path: PathLike) -> None:
        """Save the graph as node-link JSON (raises OutputError)."""
        write_graph(self.graph, path)


class _Stream:
    """The examples of one seed, as far as they were drawn."""

    def __init__(self) -> None:
        self.hosts: list[LongArray] = []
        self.fillers: list[Any] = []
        self.made = 0
        self.next = 0
        self.idle = 0
        self.given = new_set(np.zeros(0, np.uint64), 4 * _CHUNK)


class GECAStream:
    """Fill contexts with fragments reached by a walk; build one with :meth:`induce`.

    Examples
    --------
    >>> corpus = Corpus.from_columns(text=["the wug sang", "the cat sang", "the wug slept"])
    >>> GECAStream.induce(corpus, window=1, size=1).sample(1).column("text")
    ['the cat slept']

    References
    ----------
    Jacob Andreas. 2020. Good-Enough Compositional Data Augmentation. ACL.
    """

    method = "geca-stream"
    version = "1"
    Options = GECAStreamOptions

    def __init__(self, places: Places) -> None:
        self._places = places
        self._streams: dict[int, _Stream] = {}

    def __repr__(self) -> str:
        walks = self._places.walks
        return f"GECAStream({len(walks.hosts):,} places, {len(walks.keys):,} fragments)"

    @classmethod
    def induce(cls, corpus: Corpus, **options: Any) -> GECAStream:
        """Find the fragments of a corpus that can be exchanged, and their environments.

        Fragments, environments and what is licensed are those of
        :meth:`sampling.geca.GECA.induce`. What differs is the draw: a place (a fragment of an
        example) alike among all, then a place of the same context, then one of the same fragment,
        then one of the same environment. So hosts and fillers come by their frequencies in the
        corpus.

        Parameters
        ----------
        corpus : Corpus
            With ``text``, ``target`` if the examples are pairs, and ``label`` if they have any.
            Words are what stands between ASCII white space. Examples that are equal word by word
            count once.
        **options
            Fields of :class:`GECAStreamOptions`.

        Raises
        ------
        CorpusError
            If the corpus is empty or lacks a text or target, a label is not valid, or no two
            fragments can be exchanged.
        OptionError
            If an option is unknown or has a value that cannot be used.

        Notes
        -----
        Sequences are compared by 61-bit hashes, so that one new example in 10 ** 12 may be taken
        for a known one where there are a million.
        """
        chosen = read_options(GECAStreamOptions, options, cls.method)
        return cls(read_places(corpus, **vars(chosen)))

    @cached_property
    def grammar(self) -> WalkGrammar:
        """The places as a grammar."""
        return WalkGrammar(self._places)

    def count(self) -> int:
        """Return an upper bound of the number of new examples: that of walks."""
        t = self._places.walks
        sizes = np.diff(t.environment_offsets)[t.environment[t.of_fragment]]
        ends = np.concatenate(([0], np.cumsum(sizes)))[t.fragment_offsets]
        return int(np.diff(ends)[t.fragment[t.hosts]].sum())

    def sample(self, n: int, *, seed: int = 0, start: int = 0) -> Corpus:
        """Draw new examples, each different from all others of the seed.

        Attempt a is a function of the seed and a; what is not new is passed over. So example i is
        a function of the seed and i.

        Parameters
        ----------
        n : int
            How many.
        seed : int
            Which stream of examples.
        start : int
            How many to skip.

        Returns
        -------
        Corpus
            As :meth:`sampling.geca.GECA.sample` gives it; the rules are the numbers of the place
            that was the host and (behind all places) of the fragment that fills it.

        Warns
        -----
        ShortfallWarning
            If fewer are found; those are returned.

        Raises
        ------
        OptionError
            If ``n``, ``seed`` or ``start`` is not a whole number of zero or more.
        """
        return Corpus(pa.concat_tables(self.batches(n, seed=seed, start=start)))

    def batches(
        self,
        n: int,
        *,
        seed: int = 0,
        start: int = 0,
        workers: int = 1,
        batch_size: int = BATCH,
    ) -> Iterator[pa.Table]:
        """Yield the table of :meth:`sample` in batches; neither they nor threads change a row."""
        bounds = batch_bounds(n, seed=seed, start=start, workers=workers, batch_size=batch_size)

        def tasks() -> Iterator[Any]:
            for first, stop in bounds:
                hosts, fillers = self._drawn(seed, first, stop)
                yield lambda f=first, h=hosts, g=fillers: self._table(seed, f, h, g)
                if first + len(hosts) < stop:
                    found = self._streams[seed].made
                    warnings.warn(
                        f"{n} examples were asked for, but only {found} distinct new ones were "
                        f"found: {_PATIENCE} attempts in a row made none",
                        ShortfallWarning,
                        stacklevel=3,
                    )
                    return

        return in_threads(tasks(), workers)

    def _drawn(self, seed: int, first: int, stop: int) -> tuple[LongArray, Any]:
        stream = self._streams.get(seed)
        if stream is None:
            # batches are mostly of one seed, so only the last one is kept
            stream = _Stream()
            self._streams = {seed: stream}
        while stream.made < stop and stream.idle < _PATIENCE:
            self._extend(stream, seed, min(_CHUNK, stop - stream.made))
        if len(stream.hosts) != 1:
            stream.hosts = [np.concatenate([np.empty(0, np.int64), *stream.hosts])]
            stream.fillers = [np.concatenate([np.empty(0, np.int32), *stream.fillers])]
        return stream.hosts[0][first:stop], stream.fillers[0][first:stop]

    def _extend(self, stream: _Stream, seed: int, rows: int) -> None:
        if 2 * (stream.made + _CHUNK) > len(stream.given):
            stream.given = new_set(members(stream.given), 2 * (stream.made + _CHUNK))
        places = self._places
        hosts, fillers = np.empty(rows, np.int64), np.empty(rows, np.int32)
        made, attempt = draw_walks(
            stream_key(seed, self.method),
            stream.next,
            stream.next + _PATIENCE,
            places.walks,
            *self._known,
            stream.given,
            hosts,
            fillers,
        )
        stream.hosts.append(hosts[:made])
        stream.fillers.append(fillers[:made])
        stream.made += made
        # a chunk that was not filled went through all the attempts it had
        stream.idle = 0 if made else stream.idle + attempt - stream.next
        stream.next = attempt

    @cached_property
    def _known(self) -> tuple[Any, Any]:
        t, end = self._places.walks, self._places.text_end
        texts = row_hashes(t.tokens, t.offsets[:-1], end)
        targets = row_hashes(t.tokens, np.minimum(end + 1, t.offsets[1:]), t.offsets[1:])
        return new_set(texts, len(texts)), new_set(targets, len(targets))

    @cached_property
    def _names(self) -> tuple[Bytes, LongArray]:
        return pack_strings(self._places.names)

    def _table(self, seed: int, first: int, hosts: LongArray, fillers: Any) -> pa.Table:
        places, walks = self._places, self._places.walks
        columns: dict[str, Any] = {"id": example_ids(self.method, seed, first, len(hosts))}
        spans: Any = None
        for name, side in zip(("text", "target"), places.sides, strict=False):
            data, ends, *rows = write_walks(walks, side, hosts, fillers, *self._names)
            columns[name] = as_strings(data, ends)
            spans = rows if spans is None else spans
        owners = walks.sequence[hosts]
        if places.labels is not None:
            columns["label"] = places.labels.take(pa.array(owners))
        log_probability = np.log(walk_probabilities(walks, hosts, fillers) / len(walks.hosts))
        begin, end, span_ends = spans
        pairs = [pa.array(begin.astype(np.int32)), pa.array(end.astype(np.int32))]
        parents = np.stack([owners, walks.sequence[places.donors[fillers]]], axis=1).ravel()
        rules = np.stack([hosts, fillers + len(walks.sequence)], axis=1).ravel()
        columns["provenance"] = provenance(
            self.method,
            self.version,
            seed,
            first,
            parents=rows_as_lists(places.ids.take(pa.array(parents)), 2),
            spans=as_lists(pa.StructArray.from_arrays(pairs, names=["start", "end"]), span_ends),
            rules=rows_as_lists(pa.array(rules.astype(np.int32)), 2),
            log_probability=log_probability,
        )
        return pa.table(columns)


def _graph(places: Places) -> nx.MultiDiGraph:
    t = places.walks
    fillers = len(t.sequence)
    graph = nx.MultiDiGraph(family="walks", start="EXAMPLE", method=GECAStream.method)
    graph.add_node("symbol:EXAMPLE", kind="symbol", name="EXAMPLE")
    for k in range(len(t.keys)):
        words = places.fragment_words(k)
        graph.add_node(f"symbol:like-{k}", kind="symbol", name=f"like-{k}")
        graph.add_node(f"rule:{fillers + k}", kind="rule", pattern=" ... ".join(words))
        for position, word in enumerate(" ".join(words).split()):
            graph.add_node(f"word:{word}", kind="word", name=word)
            graph.add_edge(f"rule:{fillers + k}", f"word:{word}", position, position=position)
    for place in t.hosts.tolist():
        rule, host = f"rule:{place}", places.ids[int(t.sequence[place])].as_py()
        graph.add_node(rule, kind="rule", host=host)
        graph.add_edge("symbol:EXAMPLE", rule, 0, weight=1 / len(t.hosts), count=1)
        graph.add_edge(rule, f"symbol:context-{t.template[place]}", 0, position=0)
    links = fillers + len(t.keys)
    for upper, lower, above, below in (
        ("context", "like", t.template, t.fragment),
        ("like", "environment", t.fragment, t.environment),
    ):
        for a, b, count, share in _shared(above, below):
            rule, symbol = f"rule:{links}", f"symbol:{upper}-{a}"
            graph.add_node(symbol, kind="symbol", name=f"{upper}-{a}")
            graph.add_node(rule, kind="rule", text=f"{upper}-{a} -> {lower}-{b}")
            graph.add_edge(symbol, rule, 0, weight=share, count=count)
            graph.add_edge(rule, f"symbol:{lower}-{b}", 0, position=0)
            links += 1
    for e, f, count, share in _shared(t.environment, t.fragment):
        graph.add_node(f"symbol:environment-{e}", kind="symbol", name=f"environment-{e}")
        rule = f"rule:{fillers + f}"
        graph.add_edge(f"symbol:environment-{e}", rule, 0, weight=share, count=count)
    return graph


def _shared(above: Any, below: Any) -> Iterator[tuple[int, int, int, float]]:
    """Yield the pairs of two columns, how often each occurs, and its share among the first."""
    pairs, counts = np.unique(np.stack((above, below)), axis=1, return_counts=True)
    shares = counts / np.bincount(above)[pairs[0]]
    yield from zip(*pairs.tolist(), counts.tolist(), shares.tolist(), strict=True)
