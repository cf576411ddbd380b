"""Work that was stopped and goes on: finished shards beside the output, and how far they came.

A run of many examples writes them to ``OUT.partial/`` in shards; each shard is followed by the
state of the run behind it. A run that goes on takes the last state and the texts of all shards, so
it lets the same examples through as one that was never stopped. The folder is removed when the
output is complete.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pyarrow as pa

from grammar.errors import OptionError, OutputError, SchemaError
from grammar.files import PathLike, atomic_output, read_text, write_text
from sampling.pipeline.pipeline import Pipeline

__all__ = ["SHARD", "PartialWork"]

SHARD = 65_536
"""A shard is written when so many examples are there."""

_DAMAGED = "use --force to begin anew"


class PartialWork:
    """The folder of an unfinished output.

    Parameters
    ----------
    output : path
        The output; the folder is ``OUT.partial`` beside it.
    plan : mapping
        What decides the result (:func:`~sampling.pipeline.manifest.plan_of`).
    shard : int
        How many examples make a shard; changes no byte of the output.
    """

    def __init__(self, output: PathLike, plan: Mapping[str, Any], *, shard: int = SHARD) -> None:
        self.folder = Path(f"{output}.partial")
        self._plan = json.loads(json.dumps(plan))
        self._shard = shard
        self._shards = 0

    def begin(self, pipeline: Pipeline, *, resume: bool, force: bool) -> int:
        """Make the pipeline go on where finished shards end; return how many examples they hold.

        Raises
        ------
        OptionError
            If there are shards and they are neither to be used nor to be overwritten, or are of
            another plan.
        SchemaError
            If they are damaged.
        """
        if not self.folder.exists():
            return 0
        if not resume:
            if not force:
                raise OptionError(
                    "there is unfinished work",
                    where=str(self.folder),
                    hint="use --resume to go on with it, or --force to begin anew",
                )
            self.remove()
            return 0
        self._check_plan()
        states = sorted(self.folder.glob("*.state.json"))
        if not states:
            return 0
        self._shards = len(states)
        try:
            state = json.loads(read_text(states[-1]))
            pipeline.resume(state, self._tables())
            return sum(table.num_rows for table in self._tables())
        except (ValueError, KeyError, TypeError, pa.ArrowException):
            raise SchemaError(
                "the unfinished work is damaged", where=str(self.folder), hint=_DAMAGED
            ) from None

    def tables(self, run: Iterator[pa.Table], state: Callable[[], Any]) -> Iterator[pa.Table]:
        """Yield all examples: those of finished shards, then of the run, which is kept in shards.

        Parameters
        ----------
        run : iterator
            Batches of examples.
        state : function
            How far the run has come.

        Raises
        ------
        OutputError
            If a shard cannot be written (as on a full disk); those before it stay.
        """
        yield from self._tables()
        waiting: list[pa.Table] = []
        rows = 0
        for table in run:
            waiting.append(table)
            rows += table.num_rows
            if rows >= self._shard:
                self._write(waiting, state())
                waiting, rows = [], 0
            yield table

    def remove(self) -> None:
        """Remove the folder."""
        shutil.rmtree(self.folder, ignore_errors=True)

    def _check_plan(self) -> None:
        try:
            saved = json.loads(read_text(self.folder / "plan.json"))
        except (ValueError, OSError):
            raise SchemaError(
                "the unfinished work has no plan", where=str(self.folder), hint=_DAMAGED
            ) from None
        for name in (*self._plan, *saved):
            if saved.get(name) != self._plan.get(name):
                raise OptionError(
                    f"the unfinished work was begun with another {name}: "
                    f"{_difference(saved.get(name), self._plan.get(name))}",
                    where=str(self.folder),
                    hint="give what it was begun with, or use --force to begin anew",
                )

    def _write(self, tables: list[pa.Table], state: Any) -> None:
        if not self.folder.exists():
            try:
                self.folder.mkdir()
            except OSError as error:
                raise OutputError(
                    f"cannot make the folder: {error.strerror}", where=str(self.folder)
                ) from None
            write_text(self.folder / "plan.json", json.dumps(self._plan))
        with (
            atomic_output(self._path(self._shards, "arrow")) as temporary,
            _translated(),
            pa.OSFile(str(temporary), "wb") as sink,
            pa.ipc.new_file(sink, tables[0].schema) as writer,
        ):
            for table in tables:
                writer.write_table(table)
        # only with its state does a shard count
        write_text(self._path(self._shards, "state.json"), json.dumps(state))
        self._shards += 1

    def _path(self, number: int, ending: str) -> Path:
        return self.folder / f"{number:06}.{ending}"

    def _tables(self) -> Iterator[pa.Table]:
        for number in range(self._shards):
            with pa.memory_map(str(self._path(number, "arrow"))) as source:
                reader = pa.ipc.open_file(source)
                for k in range(reader.num_record_batches):
                    yield pa.Table.from_batches([reader.get_batch(k)])


@contextmanager
def _translated() -> Iterator[None]:
    """Let what Arrow raises on a full disk be what Python raises."""
    try:
        yield
    except pa.ArrowException as error:
        raise OSError(str(error)) from None


def _difference(old: Any, new: Any) -> str:
    """Say where two values of a plan differ.

    >>> _difference({"seed": 1, "n": 2}, {"seed": 3, "n": 2})
    'seed was 1, not 3'
    """
    if isinstance(old, dict) and isinstance(new, dict):
        for name in (*old, *new):
            if old.get(name) != new.get(name):
                return f"{name} was {json.dumps(old.get(name))}, not {json.dumps(new.get(name))}"
    return f"{json.dumps(old)}, not {json.dumps(new)}"
