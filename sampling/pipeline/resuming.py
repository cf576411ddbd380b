"""Work that was stopped and goes on: finished shards beside the output, and how far they came.

A run writes to ``OUT.partial/``, which it locks: examples in shards, each followed by the state of
the run behind it, and at the end the whole output with its manifest. A run that goes on takes the
last state and the texts of all shards, so it lets the same examples through as one that was never
stopped. The plan of the run, each shard and each finished file are known by their digests.
"""

from __future__ import annotations

import hashlib
import itertools
import json
import os
import shutil
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import pyarrow as pa

from grammar.engines.units import Kept
from grammar.errors import OptionError, SchemaError, TreewrightError, UnreadableInputError
from grammar.files import (
    PathLike,
    atomic_output,
    check_free,
    made_folder,
    moved_output,
    read_bytes,
    write_text,
)
from grammar.saving.checksum import UNSEALED, check_seal, sealed
from grammar.saving.value_checks import ANY, Whole, value_fault
from grammar.storage.location import is_many
from grammar.storage.opening import place_of
from induction.corpus.pieces import Piece, mapped
from sampling.pipeline.locking import LOCK, owned_folder, unfinished_folder
from sampling.pipeline.manifest import file_hash, manifest_path, write_manifest
from sampling.pipeline.pipeline import Pipeline
from sampling.pipeline.sources import skipped_path

__all__ = ["SHARD", "PartialWork"]

SHARD = 65_536
"""A shard is written when so many examples are there, or what a slow method makes at a time."""

_DAMAGED = "use --force to start over"
_PLAN, _FINISHED, _FILES = "plan.json", "finished.json", "finished"
_STATE = "state.json"
_HELD = {
    _PLAN: {"seal": str, "plan": {ANY: object}},
    _FINISHED: {"seal": str, "plan": str, "files": {ANY: (str, None)}, "state": {ANY: object}},
    _STATE: {"seal": str, "plan": str, "files": [list], "state": {ANY: object}},
}
"""What the files hold; a state is looked at where the run goes on from it."""
_FILE = {"name": str, "sha256": str, "rows": Whole(), "left out": [Whole()]}


class PartialWork:
    """The folder of an unfinished output, locked while it is used in a ``with`` statement.

    Parameters
    ----------
    output : path
        The output; the folder is ``OUT.partial`` beside it.
    plan : mapping
        What decides the result (:func:`~sampling.pipeline.manifest.plan_of`).
    shard : int
        How many examples make a shard; changes no byte of the output.

    Raises
    ------
    OutputError
        If another process is writing to the output, or the folder cannot be made.
    """

    def __init__(self, output: PathLike, plan: Mapping[str, Any], *, shard: int = SHARD) -> None:
        # what a link leads to is written, so two links are one output
        self.output = os.path.realpath(output) if os.path.islink(output) else os.fsdecode(output)
        self.folder = unfinished_folder(self.output)
        besides = (manifest_path(output), skipped_path(output))
        self._targets = {Path(output).name: self.output}
        self._targets |= {Path(path).name: path for path in besides}
        self._plan = json.loads(json.dumps(plan))
        self._shard = shard
        self._shards = 0
        self._owned = ExitStack()

    def __enter__(self) -> Self:
        self._owned.enter_context(owned_folder(self.folder, self.output))
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        with self._owned:
            if not self.is_kept:
                self.remove()

    @property
    def is_kept(self) -> bool:
        """Whether there is anything to go on from."""
        return self.is_finished or bool(self._states())

    @property
    def is_finished(self) -> bool:
        """Whether all is made, and files only lack their names."""
        return (self.folder / _FINISHED).exists()

    @property
    def draft(self) -> Path:
        """Where the output is written before it has its name."""
        return made_folder(self.folder / _FILES) / next(iter(self._targets))

    def begin(self, pipeline: Pipeline, *, resume: bool, force: bool) -> int:
        """Make the pipeline go on where finished shards end; return how many examples they hold.

        Raises
        ------
        OptionError
            If there are shards and they are neither to be used nor to be overwritten, or are of
            another plan.
        OutputError
            If the output is there and may not be replaced.
        SchemaError
            If what is there was changed or is damaged.
        """
        if self.is_kept and not resume and not force:
            raise OptionError(
                "there is unfinished work",
                where=str(self.folder),
                hint="use --resume to continue it, or --force to start over",
            )
        if not (self.is_kept and resume):
            self.remove()
        self._shard = min(self._shard, pipeline.keep_in(self.folder))
        with self._faults_told():
            finished = self._finished()
            for name, target in self._targets.items():
                if name not in finished or not self._is_published(name, finished[name]):
                    check_free(target)
            if not self.is_kept:
                self._save(_PLAN, {"plan": self._plan})
                return 0
            if not self.is_finished:  # what a killed run had of it
                shutil.rmtree(self.folder / _FILES, ignore_errors=True)
            self._check_plan()
            return self._go_on(pipeline)

    def tables(
        self, run: Iterator[pa.Table | Piece], state: Callable[[], Any]
    ) -> Iterator[pa.Table | Piece]:
        """Yield all examples: those of finished shards, then of the run, which is kept in shards.

        Parameters
        ----------
        run : iterator of pyarrow.Table or Piece
            Batches of examples; files that workers wrote become part of a shard as they are.
        state : function
            How far the run has come.

        Raises
        ------
        OutputError
            If a shard cannot be written (as on a full disk); those before it stay.
        """
        yield from self._pieces()
        waiting: list[pa.Table | Piece] = []
        for batch in run:
            waiting.append(self._moved(batch, len(waiting)) if isinstance(batch, Piece) else batch)
            batch = waiting[-1]
            if sum(each.num_rows for each in waiting) >= self._shard:
                self._write(waiting, state())
                waiting = []
            yield batch

    def finish(self, manifest: Mapping[str, Any], state: Any) -> None:
        """Write the manifest beside the draft; from then on, the work is done.

        Parameters
        ----------
        manifest : mapping
            What :func:`~sampling.pipeline.manifest.manifest_of` made, with the hash of the draft.
        state : object
            How far the run has come: to its end.

        Raises
        ------
        OutputError
            If a file cannot be written.
        """
        write_manifest(manifest, self.draft)
        hashes = {self.draft.name: manifest["output"]["sha256"]}
        for beside in map(Path, (manifest_path(self.draft), skipped_path(self.draft))):
            if beside.exists():
                hashes[beside.name] = file_hash(beside)
        self._save(_FINISHED, {"plan": self._digest, "files": hashes, "state": state})

    def publish(self) -> None:
        """Give the finished files their names, and remove the folder.

        The output is last, as with it all is there; of many files the manifest is.

        Raises
        ------
        OutputError
            If another file has a name by now.
        """
        finished = self._finished()
        output, manifest, skipped = self._targets
        last = [output, manifest] if is_many(self.output) else [manifest, output]
        for name in [skipped, *last]:
            draft, target = self.folder / _FILES / name, self._targets[name]
            if place_of(draft).exists():
                moved_output(draft, target)
            elif name not in finished:
                place_of(target).remove()  # of an older output, which is replaced
        self.remove()

    def remove(self) -> None:
        """Remove all that is in the folder but its lock."""
        # first what says that there is work, so that nobody goes on from half of it
        told = [self.folder / _FINISHED, *self._states(), self.folder / _PLAN]
        for path in [*told, *self.folder.iterdir()]:
            if path.is_dir():
                shutil.rmtree(path, ignore_errors=True)
            elif path.name != LOCK:
                path.unlink(missing_ok=True)
        self._shards = 0

    def _go_on(self, pipeline: Pipeline) -> int:
        saved: dict[str, Any] = {}
        self._shards = len(self._states())
        for number in range(self._shards):
            saved = self._state(number)
            if saved["plan"] != self._digest:
                raise _changed(self._path(number, "state.json"))
        for piece in self._pieces():
            piece.file.checked()
        if self.is_finished:
            saved = self._read(_FINISHED)
            if saved["plan"] != self._digest:
                raise _changed(self.folder / _FINISHED)
            for name, digest in saved["files"].items():
                draft = self.folder / _FILES / name
                if place_of(draft).exists() and file_hash(draft) != digest:
                    raise _changed(draft)
        # where the output is complete, and was not sent, its examples are in it alone
        pipeline.resume(saved["state"], None if self.is_finished else map(_whole, self._pieces()))
        return sum(piece.num_rows for piece in self._pieces())

    def _check_plan(self) -> None:
        saved = self._read(_PLAN)["plan"]
        for name in (*self._plan, *saved):
            if saved.get(name) != self._plan.get(name):
                raise OptionError(
                    f"the unfinished work was begun with another {name}: "
                    f"{_difference(saved.get(name), self._plan.get(name))}",
                    where=str(self.folder),
                    hint="give the options that it was started with, or use --force to start over",
                )

    def _finished(self) -> dict[str, str]:
        """Return the hashes of finished files by their names; none before all are."""
        return dict(self._read(_FINISHED)["files"]) if self.is_finished else {}

    def _is_published(self, name: str, digest: str) -> bool:
        target, draft = place_of(self._targets[name]), place_of(self.folder / _FILES / name)
        return not draft.exists() and target.exists() and file_hash(target.name) == digest

    def _write(self, batches: list[pa.Table | Piece], state: Any) -> None:
        """Write a shard: its files, of which some are there, and behind them its state."""
        pieces: list[Piece] = []
        for kind, group in itertools.groupby(batches, type):
            like = list(group)
            pieces += like if kind is Piece else [self._written(like, len(pieces))]
        files = [
            (Path(piece.file.path).name, piece.file.sha256, piece.num_rows, piece.left_out)
            for piece in pieces
        ]
        # only with its state does a shard count
        saved = {"plan": self._digest, "files": files, "state": state}
        self._save(self._path(self._shards, "state.json").name, saved)
        self._shards += 1

    def _written(self, tables: list[pa.Table], number: int) -> Piece:
        path = self._file(f"{number:03}")
        with (
            atomic_output(path, renewed=True) as temporary,
            _translated(),
            pa.OSFile(os.fsencode(temporary), "wb") as sink,
            pa.ipc.new_file(sink, tables[0].schema) as writer,
        ):
            for table in tables:
                writer.write_table(table)
        return Piece(Kept.of(path), sum(table.num_rows for table in tables))

    def _moved(self, piece: Piece, number: int) -> Piece:
        """Take the file of a worker for the next shard; it counts when the shard has its state."""
        path = self._file(f"worker-{number:03}")
        os.replace(piece.file.path, path)
        return replace(piece, file=replace(piece.file, path=str(path)))

    def _file(self, name: str) -> Path:
        return self._path(self._shards, f"{name}.arrow")

    @property
    def _digest(self) -> str:
        return hashlib.sha256(json.dumps(self._plan, sort_keys=True).encode()).hexdigest()

    def _states(self) -> list[Path]:
        return sorted(self.folder.glob("*.state.json"))

    def _path(self, number: int, ending: str) -> Path:
        return self.folder / f"{number:06}.{ending}"

    def _save(self, name: str, value: Mapping[str, Any]) -> None:
        text = json.dumps({"seal": UNSEALED, **value})
        write_text(self.folder / name, sealed(text.encode()).decode(), renewed=True)

    def _read(self, name: str) -> dict[str, Any]:
        data = read_bytes(self.folder / name)
        check_seal(data, str(self.folder / name))
        read: dict[str, Any] = json.loads(data)
        if fault := value_fault(read, _HELD[name if name in _HELD else _STATE]):
            raise SchemaError(fault, where=str(self.folder / name))
        if not read["seal"].startswith(UNSEALED.rstrip("0")):
            raise SchemaError("it has no seal", where=str(self.folder / name))
        return read

    def _state(self, number: int) -> dict[str, Any]:
        return self._read(self._path(number, "state.json").name)

    def _pieces(self) -> Iterator[Piece]:
        for number in range(self._shards):
            for file in self._state(number)["files"]:
                if fault := value_fault(dict(zip(_FILE, file, strict=True)), _FILE):
                    raise ValueError(fault)
                name, digest, rows, left_out = file
                kept = Kept(str(self.folder / Path(name).name), digest)
                yield Piece(kept, rows, left_out=tuple(left_out))

    @contextmanager
    def _faults_told(self) -> Iterator[None]:
        """Say of what cannot be read that the work is damaged, and how to go on without it."""
        try:
            yield
        except (SchemaError, UnreadableInputError) as error:
            raise SchemaError(
                f"the unfinished work is damaged: {error.what}",
                where=error.where,
                hint=_DAMAGED,
            ) from None
        except (
            ValueError, LookupError, TypeError, AttributeError, ArithmeticError, RecursionError,
            pa.ArrowException,
        ) as error:  # fmt: skip
            if isinstance(error, TreewrightError):
                raise
            raise SchemaError(
                f"the unfinished work is damaged: {str(error) or type(error).__name__}",
                where=str(self.folder),
                hint=_DAMAGED,
            ) from None


def _whole(piece: Piece) -> pa.Table:
    """Map a piece; raise ValueError if it has other rows than its state says."""
    table = mapped(piece)
    if table.num_rows != piece.num_rows:
        raise ValueError("a shard has another number of rows")
    table.validate(full=True)
    return table


def _changed(path: Path) -> SchemaError:
    return SchemaError("a part of it is not as it was written", where=str(path))


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
