"""Sources of examples: a method, or a chain of methods, as one numbered stream.

``a | b`` works in blocks: b is induced from the first block of what a makes, and makes as many
examples as the block has; then from the next block. When a has no more, b goes on with the last
block. So an example of a chain is a function of the seed and its number alone, as those of a single
method are, and a chain of any length needs the memory of a block.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from grammar.arrays import LongArray
from grammar.engines.engine import Engine
from grammar.engines.units import Kept, Unit, opened
from grammar.errors import CorpusError, TreewrightError, located
from grammar.messages import heard_by, tell
from grammar.rng import stream_key
from induction.corpus.corpus import Corpus
from induction.corpus.pieces import Piece, mapped, write_piece
from induction.parsers.trees import AUTO, TreeMaker, lacks_trees
from sampling.examples.common_columns import Form
from sampling.examples.other_columns import Travelling, listed, tell_losses
from sampling.expression import Expression, Part, Step
from sampling.method import Method, find_method
from sampling.opening import open_sampler
from sampling.pipeline.deduplication import Seen
from sampling.stream import Sampler, ShortfallWarning, method_of, shortfalls_heard
from sampling.words.sampler import RefusedColumnError

__all__ = [
    "BLOCK",
    "Chain",
    "Drawn",
    "Single",
    "Source",
    "drawn_piece",
    "open_source",
    "recombines",
    "seeds_of",
]

BLOCK = 4096
"""Examples of one method that the next one of a chain is induced from at a time."""

_BATCH = 16_384
_DRAWN = "sampling.pipeline.chains:drawn_piece"
_SEEDS = 2**62


Drawn = tuple[pa.Table | Piece, Seen]
"""Examples, in a file if a worker wrote them, with what is looked at of them."""


class Source(Protocol):
    """A stream of new examples, numbered in ``provenance.index``; there may be gaps."""

    name: str
    seed: int
    shortfall: str
    """Why there were no more, once there were none."""

    def work_with(self, engine: Engine) -> None:
        """Let the workers of an engine make examples from now on."""
        ...

    def keep_in(self, folder: Path) -> int:
        """Keep in a folder what takes long; return how many examples are made at a time."""
        ...

    @property
    def schema(self) -> pa.Schema:
        """The columns of its examples."""
        ...

    def examples(self, start: int, count: int) -> Iterator[pa.Table]:
        """Yield the next ``count`` examples from number ``start`` on, or all there are."""
        ...

    def drawn(self, start: int, count: int, form: Form) -> Iterator[Drawn]:
        """Yield these examples in a form, and what decides whether they are let through."""
        ...

    def facts(self, count: int) -> dict[str, Any]:
        """Say what it draws from, and what so many examples cost, if anything."""
        ...

    def versions(self) -> dict[str, str]:
        """Return the versions of its methods, as the provenance of their examples has them."""
        ...


def open_source(
    part: Part, seeds: tuple[int, ...], corpus: Corpus, *, workers: int, trees: TreeMaker
) -> Source:
    """Induce the methods of a part, the first from the corpus, each other from what is made.

    Parameters
    ----------
    part : Part
        Of an expression.
    seeds : tuple of int
        One a step (see :func:`seeds_of`).
    corpus : Corpus
        The originals.
    workers : int
        Threads; they change nothing.
    trees : TreeMaker
        For a first method that needs trees, where there are none.

    Raises
    ------
    CorpusError
        If a method cannot use the corpus.
    OptionError
        If an option has a value that cannot be used.
    """
    first, *rest = zip(part.steps, seeds, strict=True)
    with located(str(first[0])):
        sampler, corpus = _induced(first[0], corpus, trees)
    source: Source = Single(sampler, first[0].method, first[1], workers, corpus)
    for step, seed in rest:
        source = Chain(source, step, seed, workers)
    return source


def _induced(step: Step, corpus: Corpus, trees: TreeMaker | None) -> tuple[Sampler, Corpus]:
    """Induce a method from the columns that it can keep, and from trees if it needs them.

    Returns these columns too.
    """
    method, options = find_method(step.method), dict(step.options)
    if method.sampler.needs_trees(options):
        if trees is None and lacks_trees(corpus):
            # a block is thousands of texts, however few are asked for
            raise CorpusError(
                "the corpus has no column 'tree'",
                hint=f"put {step.method} first; or parse what was made: treewright parse-corpus",
            )
        corpus = corpus if trees is None else trees(corpus)
    elif trees is not None and trees.parser != AUTO and _has_parser(method):
        options = {"parser": trees.parser, **options}
    while True:
        try:
            return method.induce(corpus, **options), corpus
        except RefusedColumnError as error:
            tell(f"{error.what}; it is left out")
            corpus = replace(corpus, table=corpus.table.drop_columns([error.column]))


def recombines(expression: Expression) -> bool:
    """Say whether any part of an expression makes its examples from those of a corpus.

    >>> from sampling.expression import read_expression
    >>> recombines(read_expression("sub2")), recombines(read_expression("names(a=x, b=y) | aeda"))
    (True, False)
    """
    first = [part.steps[0] for part in expression.parts]
    return any(find_method(step.method).sampler.recombines(step.options) for step in first)


def _has_parser(method: Method) -> bool:
    return any(option.name == "parser" for option in method.options)


def seeds_of(parts: tuple[Part, ...], seed: int) -> list[tuple[int, ...]]:
    """Return a seed for every step of every part.

    The first use of a method has the seed itself, so its examples are those that the method makes
    by itself; each further use has one of its own, so that no two draw alike.
    """
    uses: dict[str, int] = {}
    seeds = []
    for part in parts:
        own = []
        for step in part.steps:
            number = uses.get(step.method, 0)
            uses[step.method] = number + 1
            own.append(_derived(seed, f"{step.method}, use {number}") if number else seed)
        seeds.append(tuple(own))
    return seeds


def _derived(seed: int, what: str) -> int:
    return int(stream_key(seed, what)) % _SEEDS


class Single:
    """The examples of one sampler, and of their parents the columns that travel.

    What new examples do not have of the corpus is said once, before any is drawn.
    """

    def __init__(
        self, sampler: Sampler, name: str, seed: int, workers: int, corpus: Corpus
    ) -> None:
        self.sampler = sampler
        sampler.given = None  # it is said here, with the columns that travel
        self._travelling = Travelling.of(corpus, shared=sampler.explained_as.startswith("mixed"))
        self._corpus = corpus
        self._told = False
        self.name = name
        self.seed = seed
        self.shortfall = ""
        self._workers = workers
        self._size = min(_BATCH, sampler.batch)
        self._engine: Engine | None = None
        self._given: tuple[Kept, ...] = ()

    def work_with(self, engine: Engine) -> None:
        """Let the workers of an engine make examples, if they can open the grammar."""
        if not _opens_elsewhere(self.sampler):
            return
        self._engine = engine
        if engine.apart:
            self._given = (self.sampler.kept(engine),)
            if self._travelling is not None:
                self._given += (engine.keep(self._travelling.save),)

    def keep_in(self, folder: Path) -> int:
        """Keep in a folder what takes long; return how many examples are made at a time."""
        self.sampler.keep_in(folder / f"{self.name}-{self.seed}.readings")
        return self.sampler.batch

    @property
    def schema(self) -> pa.Schema:
        """The columns of its examples."""
        table = self._complete(self.sampler.sample(0, seed=self.seed).table)
        tell_losses(self.name, self._corpus, table)
        return table.schema

    def examples(self, start: int, count: int) -> Iterator[pa.Table]:
        """Yield the examples ``start`` to ``start + count - 1``; fewer if there are no more."""
        tables = self.sampler.batches(
            count, seed=self.seed, start=start, workers=self._workers,
            batch_size=self._size, engine=self._engine,
        )  # fmt: skip
        for table in self._heard(tables):
            if table.num_rows:
                table = self._complete(table)
                self._tell_of_orphans(table)
                yield table

    def drawn(self, start: int, count: int, form: Form) -> Iterator[Drawn]:
        """Yield these examples in a form; workers apart write all of it, and tell what is seen."""
        if not self._given or self._engine is None:
            for table in self.examples(start, count):
                yield form.conform(table), Seen.of(table)
            return
        asked = Unit(_DRAWN, self._given, {"seed": self.seed, "form": form})
        units = self.sampler.units(count, self._engine, asked, start=start, size=self._size)
        for piece, seen in self._heard(self._engine.map(units)):
            if piece.num_rows:
                if not self._told:
                    self._tell_of_orphans(mapped(piece))
                yield piece, seen

    def _heard(self, made: Iterator[Any]) -> Iterator[Any]:
        """Pass on what is made, and keep the reason why there is no more."""
        while True:
            with shortfalls_heard(self._hear):
                one = next(made, None)
            if one is None:
                return
            yield one

    def _hear(self, warning: ShortfallWarning) -> None:
        # how many were asked for at a time is nobody's business
        self.shortfall = str(warning.shortfall or warning)

    def _tell_of_orphans(self, table: pa.Table) -> None:
        if self._travelling is not None and not self._told:
            self._told = True
            if not table.column("provenance")[0]["parents"].as_py():
                names = listed(self._travelling.columns.column_names)
                tell(f"examples of {self.name} have no parents, so nothing in {names}")

    def _complete(self, table: pa.Table) -> pa.Table:
        return table if self._travelling is None else self._travelling.joined(table)

    def facts(self, count: int) -> dict[str, Any]:
        """Say what it draws from, and what so many examples cost, if anything."""
        cost = self.sampler.cost(count)
        told = {"sampler": repr(self.sampler), "at most": self.sampler.count()}
        return told | ({"cost": cost} if cost else {})

    def versions(self) -> dict[str, str]:
        """Return the version of its method, which one example tells if the sampler does not."""
        if self.sampler.written_version is not None:
            return {self.name: self.sampler.written_version}
        for table in self.examples(0, 1):
            return {self.name: str(_field(table, "version")[0])}
        return {}


def drawn_piece(unit: Unit) -> tuple[Piece, Seen]:
    """Draw examples, write them in their form, and look at them: a unit of :meth:`Single.drawn`."""
    grammar, *columns = unit.given
    sampler = opened(grammar, open_sampler)
    made = sampler.examples(unit.rows, unit.part["seed"], unit.numbers)
    for kept in columns:
        made = opened(kept, Travelling.load).joined(made)
    made = made.combine_chunks()
    return write_piece(unit.part["form"].conform(made), unit.out), Seen.of(made)


class Chain:
    """The examples of a method applied to what another source makes."""

    def __init__(self, before: Source, step: Step, seed: int, workers: int) -> None:
        self.before = before
        self.step = step
        self.seed = seed
        self.name = f"{before.name}|{step.method}"
        self.shortfall = ""
        self._workers = workers
        self._blocks: dict[int, _Block | None] = {}

    def work_with(self, engine: Engine) -> None:
        """Let workers make what the last method is applied to; that works in blocks, and here."""
        self.before.work_with(engine)

    def keep_in(self, folder: Path) -> int:
        """Keep what the first methods make; return how many of these are made at a time."""
        return self.before.keep_in(folder)

    @property
    def schema(self) -> pa.Schema:
        """The columns of its examples."""
        _ = self.before.schema  # what the method before does not keep is said there
        return self._first().source.schema

    def examples(self, start: int, count: int) -> Iterator[pa.Table]:
        """Yield the next ``count`` examples from number ``start`` on, or all there are."""
        while count:
            number = self._last_filled(start // BLOCK)
            block = self._block(number)
            if block is None:
                return
            first = start - number * BLOCK
            if first >= block.size and self._block(number + 1) is not None:
                start = (number + 1) * BLOCK
                continue
            # beyond its size only the last block goes on
            room = count if first >= block.size else min(count, block.size - first)
            made = 0
            for table in block.source.examples(first, room):
                made += table.num_rows
                yield self._as_own(table, number, block.given)
            start, count = start + made, count - made
            if made < room:
                if self._block(number + 1) is None:
                    self.shortfall = block.source.shortfall or self.before.shortfall
                    return
                start = (number + 1) * BLOCK

    def drawn(self, start: int, count: int, form: Form) -> Iterator[Drawn]:
        """Yield these examples in a form."""
        return ((form.conform(table), Seen.of(table)) for table in self.examples(start, count))

    def facts(self, count: int) -> dict[str, Any]:
        """Say what the first block draws from, and what that costs, if anything."""
        return {**self.before.facts(BLOCK), f"then {self.step}": repr(self._first().source.sampler)}

    def versions(self) -> dict[str, str]:
        """Return the versions of all methods of the chain."""
        return {**self.before.versions(), **self._first().source.versions()}

    def _first(self) -> _Block:
        block = self._block(0)
        if block is None:
            raise CorpusError(
                f"{self.before.name} makes nothing that {self.step.method} could be applied to",
                hint="apply it to the corpus itself, or change the options of the methods before",
            )
        return block

    def _last_filled(self, number: int) -> int:
        while number > 0 and self._block(number) is None:
            number -= 1
        return number

    def _block(self, number: int) -> _Block | None:
        if number not in self._blocks:
            # the one at hand and the one behind it are needed
            kept = sorted(self._blocks, key=lambda k: abs(k - number))[:2]
            self._blocks = {k: self._blocks[k] for k in kept}
            self._blocks[number] = self._opened(number)
        return self._blocks[number]

    def _opened(self, number: int) -> _Block | None:
        first = number * BLOCK
        tables = []
        for table in self.before.examples(first, BLOCK):
            index = _field(table, "index").to_numpy()
            tables.append(table.slice(0, int(np.searchsorted(index, first + BLOCK))))
        given = pa.concat_tables(tables).combine_chunks() if tables else None
        if given is None or not given.num_rows:
            return None
        seed = _derived(self.seed, f"block {number}") if number else self.seed
        corpus = Corpus(given.drop_columns(["provenance"]))
        try:
            where = f"{self.step}, applied to what {self.before.name} made"
            # of blocks behind the first nothing is said again
            with located(where), heard_by(lambda message: None) if number else nullcontext():
                sampler, corpus = _induced(self.step, corpus, None)
        except CorpusError as error:
            if number == 0:
                raise
            self.shortfall = error.what  # a last block may be too small to use
            return None
        return _Block(Single(sampler, self.step.method, seed, self._workers, corpus), given)

    def _as_own(self, table: pa.Table, number: int, given: pa.Table) -> pa.Table:
        """Number examples of a block as those of the chain, and trace their parents back."""
        made: Any = table.column("provenance").combine_chunks()
        index = number * BLOCK + made.field("index").to_numpy()
        parents, log_probability = _traced(made, given)
        fields = {
            "method": pa.repeat(self.name, len(made)),
            "version": pc.binary_join_element_wise(
                pa.repeat(_field(given, "version")[0], len(made)), made.field("version"), "|"
            ),
            "seed": pa.repeat(pa.scalar(self.seed, pa.int64()), len(made)),
            "index": pa.array(index),
            "parents": parents,
            "spans": made.field("spans"),
            "rules": made.field("rules"),
            "log_probability": pa.array(log_probability),
        }
        kept = [made.type.field(k) for k in range(made.type.num_fields)]
        struct = pa.StructArray.from_arrays([fields[f.name] for f in kept], fields=kept)
        ids = pc.binary_join_element_wise(
            f"{self.name}-{self.seed}", pa.array(index).cast(pa.string()), "-"
        )
        names = table.column_names
        table = table.set_column(names.index("provenance"), "provenance", struct)
        return table.set_column(names.index("id"), "id", ids)


class _Block:
    """A block of examples, and what the next method makes of them."""

    def __init__(self, source: Single, given: pa.Table) -> None:
        self.source = source
        self.given = given
        self.size = given.num_rows


def _opens_elsewhere(sampler: Sampler) -> bool:
    """Say whether its grammar alone makes the sampler, so that a worker can."""
    try:
        again = find_method(method_of(sampler.grammar)).sampler.opened(sampler.grammar)
    except TreewrightError:
        return False
    return type(again) is type(sampler)


def _field(table: pa.Table, name: str) -> Any:
    return table.column("provenance").combine_chunks().field(name)


def _traced(made: Any, given: pa.Table) -> tuple[pa.ListArray, Any]:
    """Return the originals behind each example, and the log-probability of the whole derivation.

    Of a chain's example that is the sum over the derivations of all that it was made from.
    """
    own: Any = made.field("parents")
    lengths = _lengths(own)
    row = pc.index_in(own.flatten(), value_set=given.column("id").combine_chunks()).to_numpy()
    owner = np.repeat(np.arange(len(own)), lengths)
    before = _field(given, "log_probability").to_numpy(zero_copy_only=False)
    total = made.field("log_probability").to_numpy(zero_copy_only=False)
    total = total + np.bincount(owner, before[row], minlength=len(own))
    grand: Any = _field(given, "parents").take(pa.array(row))
    ends = np.concatenate(([0], np.cumsum(_lengths(grand))))
    offsets: LongArray = ends[np.concatenate(([0], np.cumsum(lengths)))]
    return pa.ListArray.from_arrays(pa.array(offsets.astype(np.int32)), grand.flatten()), total


def _lengths(lists: Any) -> LongArray:
    lengths = pc.fill_null(pc.list_value_length(lists), 0)
    return np.asarray(lengths.to_numpy(zero_copy_only=False), np.int64)
