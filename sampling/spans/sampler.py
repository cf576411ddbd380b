"""The one core of all methods that exchange spans: draw a host and a filler, splice, label.

A method is fixed by four choices: the sites, their classes, the weights of admissible pairs, and
the rule for the label (see ``sampling.spans.sub2``, ``sampling.spans.treemix``,
``sampling.spans.randmix``). All the rest is here, and knows no method.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from grammar.arrays import BoolArray, LongArray
from grammar.errors import CorpusError
from grammar.files import PathLike
from grammar.hashing import Keys, members, new_set
from grammar.options import option
from grammar.rng import stream_key
from sampling.joins.score import SeamScore
from sampling.spans.draws import (
    WEIGHTED_ROUNDS,
    DrawTables,
    Hashes,
    draw_examples,
    draw_tables,
    example_hashes,
    hash_sides,
    spliced_hashes,
)
from sampling.spans.grammar import SpanGrammar
from sampling.spans.induction import other_fillers
from sampling.spans.learnt import learn_seams
from sampling.spans.repairs import mended_names
from sampling.spans.spelling import Executor, Speller
from sampling.spans.tilted import TiltedPairs, TiltedSpans, tilted_pairs
from sampling.stream import Columns, Sampler, Search, Shortfall, Stream

__all__ = ["SpanOptions", "SpanSampler"]

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
        "Give only new texts: no repeated text and none of the corpus. Without it, every draw is "
        "given.",
        code=False,
    )
    tokenised: bool = option(
        False, "Make texts of tokens with single spaces instead of keeping their spacing."
    )
    protect: str | None = option(
        None,
        "A regular expression. Words that overlap a match are never exchanged. A column "
        "'protected' does the same by word numbers or entities.",
    )
    repair: str = option(
        "article,capital,spacing,whole",
        "Repairs at joins, with commas between: a or an by the sound of the next word (article), "
        "capitals where a sentence begins and only there (capital), spaces as the words at the "
        "join have them (spacing), no span that splits a contraction or a pair of brackets, "
        "quotes or tags, and constituents with a final mark only for each other (whole), one "
        "final mark (final); or none.",
        code="none",
    )


class SpanSampler(Sampler):
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

    grammar: SpanGrammar
    explained_as = "spans"
    carries_spans = by_host = True
    rivals = 64
    patience = 100_000

    def __init__(self, grammar: SpanGrammar, *, executor: Executor | None = None) -> None:
        super().__init__(grammar)
        if "target" in grammar.examples.names and executor is None:
            raise CorpusError(
                f"{self.method} cannot give the target of a new text",
                hint="give an executor (as scan.interpret), use 'geca', or drop the column",
            )
        self.distinct = self.options.distinct
        self._executor = executor
        self._tilted: TiltedPairs | None = None  # of the last tilt, whose pairs are weighed once

    @classmethod
    def load(cls, path: PathLike, *, executor: Executor | None = None) -> Any:
        """Load a saved grammar as a sampler (raises like :meth:`SpanGrammar.load`)."""
        return cls(SpanGrammar.load(path), executor=executor)

    def count(self) -> int:
        """Return how many substitutions change their host; distinct new examples are at most that.

        It is counted without enumeration: contexts times fillers, minus identities.
        """
        return int(other_fillers(self.grammar.pools, self.tables.span).sum())

    def stream(self, seed: int) -> SpanStream:
        """Return the examples of a seed from the first on."""
        return SpanStream(self, seed)

    def table(self, columns: Columns, seed: int, index: LongArray) -> pa.Table:
        """Spell out host sites and entries of their pools as examples with these numbers."""
        host, entry = columns
        return self.speller.table(host, entry, seed, index)

    def attempt(self, seed: int, numbers: LongArray, *beside: Any) -> Columns:
        """Return what a tilted stream drew: host sites and entries of their pools."""
        return (numbers, beside[0])

    def refused(self, drawn: Columns) -> dict[str, BoolArray]:
        """Return which rows have no host site, as nothing drawn there was usable."""
        return {"refused": drawn[0] < 0}

    def hash(self, drawn: Columns, rows: LongArray) -> Keys:
        """Return a number for the texts of each row."""
        filler = self.grammar.pools.fillers[drawn[1][rows]]
        return spliced_hashes(self.hashes.power, self.tables, drawn[0][rows], filler)

    def known(self) -> list[int]:
        """Return the hashes of the texts of the corpus."""
        known: list[int] = example_hashes(self.hashes).tolist()
        return known

    @property
    def written_version(self) -> str:
        """The version that examples have: that of the grammar."""
        return str(self.grammar.version)

    def tilted(self, seed: int, tilt: Any) -> Stream:
        """Return a stream whose places and fillers are drawn by the score of their seams too."""
        last = self._tilted  # another thread may have another
        if last is None or last.tilt != tilt:
            last = self._tilted = tilted_pairs(self.grammar, self.tables, tilt)
        return TiltedSpans(self, seed, last)

    def check_score(self, score: SeamScore) -> None:
        """Refuse a score whose sentences are not the examples, where places are one by one."""
        score.check_beside(self.grammar.sides)

    def own_score(self, kind: str) -> SeamScore:
        """Learn the score of seams from the examples of the grammar."""
        return learn_seams(self.grammar, self.tables, kind)

    @functools.cached_property
    def hashes(self) -> Hashes:
        """Hashes of the texts, of which those of new texts are made."""
        return hash_sides(self.grammar.sides)

    @functools.cached_property
    def tables(self) -> DrawTables:
        """What draws are made of."""
        grammar = self.grammar
        names = mended_names(grammar.options)
        return draw_tables(grammar.sites, grammar.pools, grammar.sides, self.hashes, names)

    @functools.cached_property
    def speller(self) -> Speller:
        """What makes columns of draws."""
        return Speller(self.grammar, self.tables.mending, self._executor)


class SpanStream:
    """The new examples of one seed, in their order: host sites and entries of their pools.

    The kernel passes over what is not new; so the stream ends with the last pair that there is. It
    ends before if so many new texts in a row as the sampler's ``patience`` are refused once they
    are spelt out, by the executor or as equal after repairs.
    """

    def __init__(self, sampler: SpanSampler, seed: int) -> None:
        self.made = 0
        self._sampler = sampler
        self._key = stream_key(seed, sampler.method)
        self._size = len(sampler.grammar.examples)
        self._known = new_set(example_hashes(sampler.hashes), self._size)
        pairs = int(sampler.tables.pair_ends[-1])
        self._rounds = WEIGHTED_ROUNDS * pairs if sampler.distinct else _FOR_EVER
        self._stop = self._rounds + pairs if sampler.distinct else _FOR_EVER
        self._attempt = 0
        self._judge = sampler.speller.judge()
        self._search = Search(sampler.patience)
        self._refused = 0

    def take(self, count: int) -> Columns:
        """Return the next examples; fewer only if there are none or too many were refused."""
        parts: list[Columns] = [(np.zeros(0, np.int32), np.zeros(0, np.int64))]
        wanted = count
        while wanted and not self._search.vain:
            host, entry = self._next(wanted)
            if not len(host):
                break
            if self._judge is not None:
                good = np.flatnonzero(self._judge(host, entry))
                good, judged = self._search.goes_on(good, len(host))
                self._refused += judged - len(good)
                host, entry = host[good], entry[good]
            parts.append((host, entry))
            wanted -= len(host)
        self.made += count - wanted
        return tuple(np.concatenate(column) for column in zip(*parts, strict=True))

    def shortfall(self) -> Shortfall:
        """Say how many there are, and why not more."""
        refused = {"refused": self._refused} if self._refused else {}
        if self._search.vain:
            why = (
                f"the search ended at {self.made:,}: the last {self._search.patience:,} new texts "
                "in a row were refused"
            )
        else:
            why = (
                f"the grammar derives {self.made:,} distinct new ones, not more: it licenses "
                f"{self._sampler.count():,} substitutions that change a text; the others repeat a "
                "text of the corpus or each other"
            )
        return Shortfall(self.made, why, self._attempt, refused)

    def _next(self, count: int) -> tuple[NDArray[np.int32], LongArray]:
        """Return the next draws that no draw before has made, nor the corpus."""
        if len(self._known) < 2 * (self._size + count):
            self._known = new_set(members(self._known), 2 * (self._size + count))
        host, entry = np.empty(count, np.int32), np.empty(count, np.int64)
        made, self._attempt = draw_examples(
            self._key,
            self._attempt,
            self._stop,
            self._rounds,
            self._sampler.distinct,
            self._sampler.hashes.power,
            self._sampler.tables,
            self._known,
            host,
            entry,
        )
        self._size += made
        return host[:made], entry[:made]
