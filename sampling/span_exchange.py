"""The one core of all methods that exchange spans: draw a host and a filler, splice, label.

A method is fixed by four choices: the sites, their classes, the weights of admissible pairs, and
the rule for the label (see ``sampling.sub2``, ``sampling.treemix``, ``sampling.randmix``). All the
rest is here, and knows no method.
"""

from __future__ import annotations

import functools
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import pyarrow as pa

from grammar.arrays import BoolArray, IntArray, LongArray
from grammar.counter_rng import stream_key
from grammar.errors import CorpusError, SchemaError
from grammar.files import PathLike
from induction.corpus import Corpus
from sampling.protocol import BATCH, in_threads, option, whole_number
from sampling.span_draws import (
    WEIGHTED_ROUNDS,
    DrawTables,
    Hashes,
    draw_examples,
    example_hashes,
    guides,
    hash_sides,
    members,
    new_set,
    site_pieces,
    site_words,
    span_hashes,
)
from sampling.span_grammar import SpanGrammar
from sampling.span_induction import other_fillers, read_examples
from sampling.spelling import Speller
from sampling.substitution import ShortfallWarning

__all__ = ["Executor", "SpanOptions", "SpanSampler", "read_examples"]

Executor = Callable[[str], str | None]
PATIENCE = 100_000
"""So many new texts refused in a row end a stream: a search that goes on finds next to nothing."""
_FOR_EVER = 2**62


@dataclass(frozen=True, kw_only=True)
class SpanOptions:
    """The options that all methods of this core have."""

    faithful: str = option(
        "paper",
        "The defaults of the paper, or of the released program.",
        choices=("paper", "code"),
    )
    distinct: bool = option(
        True,
        "Give no text twice, and none of the corpus; without it draws are given as they come.",
        code=False,
    )
    tokenised: bool = option(
        False, "Make texts of tokens with single spaces, instead of keeping their spacing."
    )
    protect: str | None = option(
        None,
        "A regular expression; words that share a character with a match are never exchanged. "
        "A column 'protected' does the same by word numbers or entities.",
    )
    repair: str = option(
        "", "Repairs of the seams, with commas between them: article, capital, final."
    )


class SpanSampler:
    """Draws new examples from a span grammar.

    Parameters
    ----------
    grammar : SpanGrammar
        Induced by the method of the class, or loaded.
    executor : callable, optional
        Gives the target of a text, or None if the text is none of the language; such draws are
        passed over, and 100,000 of them in a row end the stream. Needed if the corpus has targets.

    Raises
    ------
    SchemaError
        If the grammar is of another method.
    CorpusError
        If the corpus has targets and there is no executor.
    """

    method: ClassVar[str]

    def __init__(self, grammar: SpanGrammar, *, executor: Executor | None = None) -> None:
        if grammar.method != self.method:
            raise SchemaError(
                f"a grammar of the method {grammar.method!r}, not {self.method!r}",
                hint="give it to the sampler of its own method",
            )
        if "target" in grammar.examples.names and executor is None:
            raise CorpusError(
                f"{self.method} does not tell the target of a new text",
                hint="give an executor (as scan.interpret), use 'geca', or drop the column",
            )
        self.grammar = grammar
        self._executor = executor
        self._last: tuple[int, _Draws] | None = None

    @classmethod
    def load(cls, path: PathLike, *, executor: Executor | None = None) -> Any:
        """Load a saved grammar as a sampler (raises like :meth:`SpanGrammar.load`)."""
        return cls(SpanGrammar.load(path), executor=executor)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.grammar!r})"

    def count(self) -> int:
        """Return how many substitutions change their host; distinct new examples are at most that.

        It is counted without enumeration: contexts times fillers, minus identities.
        """
        pools, span = self.grammar.pools, self._tables.span
        return int(other_fillers(pools, span).sum())

    def sample(
        self, n: int, *, seed: int = 0, start: int = 0, workers: int = 1, batch_size: int = BATCH
    ) -> Corpus:
        """Draw distinct new examples.

        The i-th example is a function of the grammar, the seed and i alone: ``sample(10)``
        followed by ``sample(10, start=10)`` is ``sample(20)``.

        Parameters
        ----------
        n : int
            How many.
        seed, start : int
            Which stream of draws, and how many of its examples to skip.
        workers, batch_size : int
            Threads, and examples a task; neither changes the result.

        Returns
        -------
        Corpus
            The columns of the corpus that the method can splice, and ``provenance``: parents are
            the host and the donor; spans the words of ``text`` (then ``text_pair``) that were put
            in; rules the context and the filler; log_probability that of the two draws.

        Warns
        -----
        ShortfallWarning
            If fewer distinct new examples exist; all of them are returned. Or if 100,000 new
            texts in a row were refused by the executor or as equal after repairs; those found
            until then are returned.
        """
        tables = list(
            self.batches(n, seed=seed, start=start, workers=workers, batch_size=batch_size)
        )
        return Corpus(pa.concat_tables(tables).combine_chunks())

    def batches(
        self, n: int, *, seed: int = 0, start: int = 0, workers: int = 1, batch_size: int = BATCH
    ) -> Iterator[pa.Table]:
        """Yield the table of :meth:`sample` in batches, in order, in constant memory but for
        16 to 32 bytes an example that tell which examples were there before."""
        for name, value, least in (
            ("n", n, 0), ("start", start, 0), ("workers", workers, 1), ("batch_size", batch_size, 1)
        ):  # fmt: skip
            whole_number(name, value, least)
        return in_threads(self._tasks(n, seed, start, batch_size), workers)

    def _tasks(self, n: int, seed: int, start: int, size: int) -> Iterator[Callable[[], pa.Table]]:
        draws = self._draws(seed, start)
        first = start
        spell = functools.partial(self._speller.table, seed=int(seed))
        while True:
            wanted = min(size, start + n - first)
            host, entry = draws.take(wanted)
            if len(host) or first == start:
                yield functools.partial(spell, host, entry, first=first)
            first += len(host)
            if len(host) < wanted:
                asked = f"{n} examples" + (f" from number {start}" if start else "")
                warnings.warn(
                    f"{asked} were asked for, but {draws.report()}", ShortfallWarning, stacklevel=2
                )
                return
            if first == start + n:
                self._last = seed, draws  # only now: two streams must not share their draws
                return

    def _draws(self, seed: int, start: int) -> _Draws:
        """Return the draws of a seed after its first ``start`` examples."""
        last, self._last = self._last, None
        if last is not None and last[0] == seed and last[1].made == start:
            return last[1]
        draws = _Draws(self, seed)
        while draws.made < start and len(draws.take(min(BATCH, start - draws.made))[0]):
            pass
        return draws

    @functools.cached_property
    def _hashes(self) -> Hashes:
        return hash_sides(self.grammar.sides)

    @functools.cached_property
    def _speller(self) -> Speller:
        return Speller(self.grammar, self._executor)

    @functools.cached_property
    def _tables(self) -> DrawTables:
        grammar, pools = self.grammar, self.grammar.pools
        words = site_words(grammar.sites, grammar.sides)
        pieces = site_pieces(self._hashes, grammar.sites.example, *words)
        hosts = np.flatnonzero(pools.of_site >= 0).astype(np.int32)
        sizes = np.diff(pools.offsets)
        running = np.cumsum(pools.weight)
        before = np.concatenate(([0.0], running))[pools.offsets[:-1]]
        host_ends = np.cumsum(pools.host_weight[hosts])
        pool_ends = running - np.repeat(before, sizes)
        return DrawTables(
            pieces,
            span_hashes(pieces),
            hosts,
            host_ends,
            guides(host_ends, np.array([0, len(hosts)])),
            pools.of_site,
            pools.offsets,
            pools.fillers,
            pool_ends,
            guides(pool_ends, pools.offsets),
            np.cumsum(sizes[pools.of_site[hosts]]),
        )


class _Draws:
    """The new examples of one seed, in their order."""

    def __init__(self, sampler: SpanSampler, seed: int) -> None:
        self._sampler = sampler
        self._key = stream_key(seed, sampler.grammar.method)
        self._size = len(sampler.grammar.examples)
        self._known = new_set(example_hashes(sampler._hashes), self._size)
        self._tally = np.zeros(2, np.int64)
        pairs = int(sampler._tables.pair_ends[-1])
        self._distinct = bool(sampler.grammar.options.get("distinct", True))
        self._rounds = WEIGHTED_ROUNDS * pairs if self._distinct else _FOR_EVER
        self._stop = self._rounds + pairs if self._distinct else _FOR_EVER
        self._attempt = 0
        self._judge = sampler._speller.judge()
        self.made = 0
        self.refused = 0
        self._refused_in_a_row = 0

    def take(self, count: int) -> tuple[IntArray, LongArray]:
        """Return the next examples as hosts and entries of pools; fewer only if there are none
        or too many were refused."""
        parts, wanted = [], count
        while wanted and self._refused_in_a_row < PATIENCE:
            host, entry = self._next(wanted)
            if not len(host):
                break
            if self._judge is not None:
                good = self._accepted(self._judge(host, entry))
                host, entry = host[good], entry[good]
            parts.append((host, entry))
            wanted -= len(host)
        empty = np.zeros(0, np.int32), np.zeros(0, np.int64)
        host, entry = (np.concatenate(c) for c in zip(*(parts or [empty]), strict=True))
        self.made += len(host)
        return host, entry

    def _accepted(self, good: BoolArray) -> LongArray:
        """Return the places of what is accepted, up to where the patience ends, and count the rest.

        It ends at a candidate, wherever batches end, so that examples do not depend on these.
        """
        places = np.flatnonzero(good)
        before = np.concatenate(([-1 - self._refused_in_a_row], places))
        gaps = np.diff(np.append(before, len(good))) - 1
        ends = np.flatnonzero(gaps >= PATIENCE)
        accepted = int(ends[0]) if len(ends) else len(places)
        gaps = np.minimum(gaps[: accepted + 1], PATIENCE)
        self.refused += int(gaps.sum()) - self._refused_in_a_row
        self._refused_in_a_row = int(gaps[-1])
        return places[:accepted]

    def _next(self, count: int) -> tuple[IntArray, LongArray]:
        if len(self._known) < 2 * (self._size + count):
            self._known = new_set(members(self._known), 2 * (self._size + count))
        host, entry = np.empty(count, np.int32), np.empty(count, np.int64)
        made, self._attempt = draw_examples(
            self._key,
            self._attempt,
            self._stop,
            self._rounds,
            self._distinct,
            self._sampler._hashes.power,
            self._sampler._tables,
            self._known,
            self._tally,
            host,
            entry,
        )
        self._size += made
        return host[:made], entry[:made]

    def report(self) -> str:
        """Say how many there are, and why not more."""
        if self._refused_in_a_row >= PATIENCE:
            return (
                f"the search ended at {self.made:,}: the last {PATIENCE:,} new texts in a row were "
                f"refused, {self.refused:,} in all"
            )
        licensed = self._sampler.count()
        why = f", and {self.refused:,} were refused" if self.refused else ""
        return (
            f"the grammar derives {self.made:,} distinct new ones, not more: it licenses "
            f"{licensed:,} substitutions that change a text; the others repeat a text of the "
            f"corpus or each other{why}"
        )
