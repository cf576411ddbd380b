"""The augmentation pipeline: an expression of methods becomes exactly so many new examples.

A source gives examples in a fixed order; a screen lets each of them through or not, by its class,
its length and the texts let through before. Both are functions of the seed alone, so the result
does not depend on workers, on batch sizes, or on where a run was stopped and went on.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from grammar.engines.engine import Engine
from grammar.errors import CorpusError, OptionError, located
from grammar.messages import said_once, tell
from grammar.options import whole_number
from grammar.saving.value_checks import value_fault
from induction.corpus.column_names import MIXED
from induction.corpus.corpus import PROVENANCE, Corpus
from induction.corpus.pieces import Piece, chosen, read_piece
from induction.corpus.tables.class_names import class_names_of, field_with_names
from induction.corpus.validity import is_list
from induction.parsers.trees import TreeMaker
from sampling.examples.class_names import class_names, label_kind, number_classes, type_of
from sampling.examples.common_columns import Form
from sampling.examples.labels import check_corpus, is_soft, read_labels
from sampling.examples.other_columns import listed, other_columns, tell_mixing
from sampling.expression import Part, read_expression, with_options
from sampling.method import find_method
from sampling.pipeline.chains import Source, open_source, recombines, seeds_of
from sampling.pipeline.deduplication import FATES, Progress, Screen
from sampling.pipeline.quotas import plan_cells
from sampling.pipeline.report import Report, report_of
from sampling.pipeline.settings import Settings

__all__ = ["Pipeline"]

ROUNDS = 32
"""A part is given up when so many times the size of the corpus were drawn and none let through."""

_FEWEST_DRAWS = 16_384
_MOST_ASKED = 2**20
_FEWEST_ASKED = 64
_SOFT = pa.list_(pa.float32())


class Pipeline:
    """An augmentation that is ready to run, in batches.

    Parameters
    ----------
    corpus : Corpus
        The originals.
    settings : Settings
        What is asked for.
    test : Corpus, optional
        Texts to look for.
    workers : int
        Threads.
    trees : TreeMaker, optional
        Makes the trees that methods need and the corpus lacks; by default with the parser of the
        settings.

    Raises
    ------
    OptionError, CorpusError
        As :func:`sampling.pipeline.augment.augment`.
    """

    def __init__(
        self,
        corpus: Corpus,
        settings: Settings,
        *,
        test: Corpus | None = None,
        workers: int = 1,
        trees: TreeMaker | None = None,
    ) -> None:
        whole_number("workers", workers, 1)
        self.expression = with_options(read_expression(settings.method), settings.options or {})
        if not len(corpus) and recombines(self.expression):
            raise CorpusError("the corpus is empty", hint="give at least one example")
        for step in (step for part in self.parts for step in part.steps):
            find_method(step.method).sampler.check_requirements(step.options)
        self.class_names = class_names(corpus, classes=self._classes_asked)
        self._kind = label_kind(corpus) or "string"
        corpus = number_classes(corpus, self.class_names)
        check_corpus(corpus)
        if test is not None:
            _check_test(test, corpus)
        self.corpus = corpus
        self.settings = settings
        self.test = test
        self.cells = plan_cells(
            corpus,
            n=settings.n,
            times=settings.times,
            per_class=settings.per_class,
            balance=settings.balance,
            length=settings.length,
            class_names=self.class_names,
        )
        self.wanted = self.cells.split([part.share for part in self.parts])
        self._screen = Screen(
            corpus,
            room=self.cells.total,
            test=test,
            deduplicate=settings.dedup,
            threshold=settings.threshold,
            drop_leaked=settings.drop_leaked,
        )
        seeds = seeds_of(self.parts, settings.seed)
        source_corpus = _with_columns(corpus, settings.columns)
        self.trees = trees = TreeMaker(settings.parser) if trees is None else trees
        self.sources: list[Source] = [
            open_source(part, own, source_corpus, workers=workers, trees=trees)
            for part, own in zip(self.parts, seeds, strict=True)
        ]
        self.schema = self._opened_schema()
        if self.cells.classes != (None,) and "label" not in self.schema.names:
            raise CorpusError(
                "not all methods give labels, so there are no classes to count",
                where=str(self.expression),
                hint="give a count in all, or use methods that keep labels",
            )
        self.patience = max(ROUNDS * len(corpus), _FEWEST_DRAWS)
        self._progress = [Progress(wanted.copy()) for wanted in self.wanted]
        self._originals_given = not settings.keep_originals

    @property
    def parts(self) -> tuple[Part, ...]:
        """The parts of the expression."""
        return self.expression.parts

    @property
    def total(self) -> int:
        """How many examples there will be, the originals that are kept included."""
        return self.cells.total + len(self.corpus) * self.settings.keep_originals

    @property
    def mixes(self) -> bool:
        """Whether classes become distributions."""
        made = self.schema.field("label").type if "label" in self.schema.names else None
        return bool(made == _SOFT and not is_list(self.corpus.arrow("label").type))

    def work_with(self, engine: Engine) -> None:
        """Let the workers of an engine make examples; which are let through is decided here."""
        for source in self.sources:
            source.work_with(engine)

    def keep_in(self, folder: Path) -> int:
        """Keep in a folder what takes long, so that a run that goes on need not do it again.

        Returns
        -------
        int
            How many examples are made at a time; of several methods, the fewest.
        """
        return min(source.keep_in(folder) for source in self.sources)

    @property
    def written_names(self) -> list[str]:
        """The columns of a file; the name of the one of labels says that they are mixed."""
        mixed = {"label": MIXED} if self.mixes else {}
        return [mixed.get(name, name) for name in self.schema.names]

    @property
    def written_classes(self) -> tuple[str, ...]:
        """The names of classes that mixed labels are over, if they are known."""
        return tuple(self.class_names or self.corpus.classes)

    def run(self) -> Iterator[pa.Table]:
        """Yield the examples in batches, part after part; the first batch may be empty.

        Between two batches, :meth:`state` says how far it has come.
        """
        return map(read_piece, self.pieces())

    def pieces(self) -> Iterator[pa.Table | Piece]:
        """Yield the batches of :meth:`run` as they are: in files where workers wrote them."""
        yield self.schema.empty_table()
        if not self._originals_given:
            self._originals_given = True
            yield self._form.conform(_without_derivation(self.corpus.table))
        for source, progress in zip(self.sources, self._progress, strict=True):
            while not progress.finished:
                yield from self._draw(source, progress)

    def state(self) -> dict[str, Any]:
        """Return how far the run has come, as JSON can hold it."""
        return {
            "originals": self._originals_given,
            "parts": [progress.to_dict() for progress in self._progress],
        }

    def resume(self, state: dict[str, Any], made: Iterable[pa.Table] | None) -> None:
        """Go on from a state of an equal pipeline, with the examples made up to there.

        Without examples the state is the last one, and all of them are written already.

        Raises
        ------
        ValueError, pyarrow.ArrowException
            If no equal pipeline comes to such a state with these examples.
        """
        if fault := value_fault(state, {"originals": bool, "parts": [object]}):
            raise ValueError(fault)
        if not (state["originals"] or self.settings.keep_originals):
            raise ValueError("the originals are to come, and were not asked for")
        self._originals_given = state["originals"]
        self._progress = [
            Progress.from_dict(saved, wanted)
            for saved, wanted in zip(state["parts"], self.wanted, strict=True)
        ]
        if made is None:
            return
        skip = len(self.corpus) if self.settings.keep_originals and self._originals_given else 0
        left = [int(progress.tally[0]) for progress in self._progress]
        last = [-1] * len(left)
        for table in made:
            if not table.schema.equals(self.schema):
                raise ValueError("its examples have other columns")
            if table.num_rows and not state["originals"]:
                raise ValueError("there are examples, though those that come first are to come")
            new = table.slice(min(skip, table.num_rows))
            skip -= table.num_rows - new.num_rows
            for number, own in _by_part(new, left):
                last[number] = _last_of(own, self.sources[number], last[number])
            if new.num_rows:
                self._screen.remember(new)
        if skip or any(left):
            raise ValueError("examples are missing")
        if any(end >= p.position for end, p in zip(last, self._progress, strict=True) if end >= 0):
            raise ValueError("an example lies after the point to continue from")

    def report(self) -> Report:
        """Sum up what was made so far."""
        return report_of(
            self.parts,
            self.wanted,
            self._progress,
            self.cells,
            tested=self.test is not None,
            originals=len(self.corpus) if self.settings.keep_originals else 0,
            classes=self.class_names if _SOFT in self.schema.types else (),
            mixed=self.mixes,
            skipped=len(self.corpus.skipped),
        )

    def facts(self) -> dict[str, Any]:
        """Say what would be done, and what there is to draw from, without drawing."""
        asked = dict(zip(self.cells.names, self.cells.wanted.tolist(), strict=True))
        parts = [
            {
                "method": str(part),
                "requested": int(wanted.sum()),
                **source.facts(int(wanted.sum())),
            }
            for part, wanted, source in zip(self.parts, self.wanted, self.sources, strict=True)
        ]
        return {
            "originals": len(self.corpus),
            "requested": self.cells.total,
            "by class and length": asked,
            "parts": parts,
            "columns": self.schema.names,
            "given up after": f"{self.patience:,} draws in a row that bring nothing",
        }

    def example(self, name: str, seed: int, index: int) -> pa.Table:
        """Make one example again, by what its provenance says; an empty table if there is none."""
        for source in self.sources:
            if (source.name, source.seed) == (name, seed):
                for table in source.examples(index, 1):
                    return self._form.conform(table)
        return self.schema.empty_table()

    def _opened_schema(self) -> pa.Schema:
        """Return the columns that there will be; say which are lost, and whether labels mix."""
        with said_once():
            schemas = [source.schema for source in self.sources]
            for source, schema in zip(self.sources, schemas, strict=True):
                tell_mixing(source.name, self.corpus, schema, self.class_names)
            schema = _common_schema(
                schemas,
                self.corpus.table.schema if self.settings.keep_originals else None,
                named=type_of(self._kind) if self.class_names else None,
            )
        names = class_names_of(self.corpus.table)
        own = {"label": names}
        return pa.schema([field_with_names(field, own.get(field.name, ())) for field in schema])

    def _draw(self, source: Source, progress: Progress) -> Iterator[pa.Table | Piece]:
        left = int(progress.wanted.sum())
        if not left:
            progress.finished = True
            return
        drawn, made = int(progress.tally.sum()), int(progress.tally[0])
        asked = -(-left * (drawn + 1) // (made + 1))
        asked = min(max(asked, min(left, _FEWEST_ASKED)), _MOST_ASKED)
        for batch, seen in source.drawn(progress.position, asked, self._form):
            cells = self.cells.of(seen.words, seen.classes)
            through, looked = self._screen.admit(batch, seen.keys, cells, progress, self.patience)
            progress.position = int(seen.index[looked - 1]) + 1 if looked else progress.position
            asked -= len(seen.index)
            if kept := chosen(batch, through):
                yield kept
            if looked < len(seen.index):
                asked = 0
                break
        if not progress.wanted.any():
            progress.finished = True
        elif asked > 0:
            _give_up(progress, source.shortfall)
        elif progress.barren > self.patience:
            _give_up(progress, f"of the last {progress.barren:,} drawn, none was let through")

    @cached_property
    def _form(self) -> Form:
        soft = _SOFT in self.schema.types
        width = max(read_labels(self.corpus).classes, self._classes_asked) if soft else 0
        return Form(self.schema, self.class_names, self._kind, width)

    @property
    def _classes_asked(self) -> int:
        asked = [step.options.get("classes") for part in self.parts for step in part.steps]
        return max(a for a in [0, *asked] if a is not None)


def _by_part(table: pa.Table, left: list[int]) -> Iterator[tuple[int, pa.Table]]:
    """Yield the rows of each part, by how many each has ``left``, which are then fewer."""
    for number in range(len(left)):
        own = table.slice(0, left[number])
        left[number] -= own.num_rows
        table = table.slice(own.num_rows)
        if own.num_rows:
            yield number, own
    if table.num_rows:
        raise ValueError("there are more examples than were made")


def _last_of(table: pa.Table, source: Source, last: int) -> int:
    """Return the number of the last example; raise ValueError if they are of another source."""
    made = table.column("provenance").combine_chunks()
    index = made.field("index").to_numpy(zero_copy_only=False)
    same = pc.and_(
        pc.equal(made.field("method"), source.name), pc.equal(made.field("seed"), source.seed)
    )
    if same.null_count or not pc.all(same).as_py() or made.field("index").null_count:
        raise ValueError("an example is of another method or seed")
    if (np.diff(index, prepend=last) <= 0).any():
        raise ValueError("the examples are not in order")
    return int(index[-1])


def _check_test(test: Corpus, corpus: Corpus) -> None:
    """Refuse a test corpus without the texts to compare; its labels do not matter."""
    names = ["id", *(name for name in ("text", "text_pair") if name in corpus.names)]
    with located("the test corpus"):
        for name in names:
            test.arrow(name)
        check_corpus(Corpus(test.table.select(names)), empty_texts=True)


def _give_up(progress: Progress, why: str) -> None:
    progress.finished = True
    drawn = [(int(count), FATES[k]) for k, count in enumerate(progress.tally) if k and count]
    others = ", ".join(f"{count:,} {fate}" for count, fate in drawn)
    progress.shortfall = why + (f"; not let through: {others}" if others else "")


def _without_derivation(table: pa.Table) -> pa.Table:
    table = table.select([name for name in table.column_names if name != "provenance"])
    return table.append_column("provenance", pa.nulls(table.num_rows, PROVENANCE))


def _with_columns(corpus: Corpus, asked: str) -> Corpus:
    """Return a corpus with those of its other columns that are to travel."""
    others = other_columns(corpus)
    names = [name.strip() for name in asked.split(",")]
    if asked == "all":
        return corpus
    if asked == "none":
        names = []
    for name in names:
        if name not in others:
            raise OptionError(
                f"there is no column {name!r} to carry over",
                where=f"columns={asked!r}",
                hint=f"there are {', '.join(others) or 'none'}; or say all, or none",
            )
    left = [name for name in others if name not in names]
    return replace(corpus, table=corpus.table.drop_columns(left))


def _common_schema(
    schemas: list[pa.Schema], originals: pa.Schema | None, *, named: pa.DataType | None
) -> pa.Schema:
    """Return the columns that all parts have, and those of originals that are kept.

    Labels are soft if any are, else of the type that they had.
    """
    lost = {name for schema in schemas for name in schema.names}
    every = list(schemas)
    if originals is not None:
        kept = _without_derivation(originals.empty_table()).schema
        every.append(kept)
    by_name = [dict(zip(schema.names, schema.types, strict=True)) for schema in every]
    fields = []
    for f in schemas[0]:
        types = [kinds[f.name] for kinds in by_name if f.name in kinds]
        if len(types) < len(every):
            continue
        if f.name == "label" and any(map(is_soft, types)):
            fields.append(pa.field("label", _SOFT))
        elif f.name == "label" and named is not None:
            fields.append(pa.field("label", named))
        elif all(kind.equals(f.type) for kind in types):
            fields.append(pa.field(f.name, f.type))
    if originals is not None:
        there = {field.name for field in fields}
        own = [field for field in kept if field.name not in there]
        at = len(fields) - 1 if fields and fields[-1].name == "provenance" else len(fields)
        fields[at:at] = [
            pa.field(f.name, named if f.name == "label" and named else f.type) for f in own
        ]
    left = sorted(lost - {field.name for field in fields})
    if left:
        tell(f"not all methods give {listed(left)}: it is left out")
    return pa.schema(fields)
