"""Damaged files tried in a process of its own, so that a crash or a hang is seen and counted."""

from __future__ import annotations

import multiprocessing
import os
import resource
import tempfile
import traceback
import warnings
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from pathlib import Path

from grammar.errors import TreewrightError
from grammar.messages import heard_by

__all__ = ["FINE", "LIMIT_BYTES", "LIMIT_SECONDS", "Tally", "Worker", "outcome_of"]

LIMIT_SECONDS = 10.0
LIMIT_BYTES = 1 << 30
BUSY = 6
"""A file hangs a process that has had its seconds of a processor, or so many times as many."""
PATIENCE = 300.0
"""For a file to be made and kernels to be compiled, in seconds."""
FINE = ("accepted", "refused")


@dataclass
class Tally:
    """What became of the damaged files of one format.

    Attributes
    ----------
    outcomes : Counter
        How many were ``accepted`` and ``refused``; anything else is a fault.
    faults : dict of int to str
        By the number of the damage, what went wrong.
    """

    outcomes: Counter[str] = field(default_factory=Counter)
    faults: dict[int, str] = field(default_factory=dict)

    def tell(self, number: int, outcome: str, what: str = "") -> None:
        """Count an outcome."""
        self.outcomes[outcome] += 1
        if outcome not in FINE:
            self.faults[number] = f"{outcome}: {what}".rstrip(": ")


class Worker:
    """A process that tries damaged files; another takes its place when it dies."""

    def __init__(self) -> None:
        self.process: BaseProcess | None = None
        self._pipe: Connection
        self._spawn = multiprocessing.get_context("spawn")
        self._folder = tempfile.TemporaryDirectory()

    def tried(self, name: str, numbers: range) -> Tally:
        """Try the damages of these numbers to a format's file."""
        tally = Tally()
        for number in numbers:
            if self.process is None:
                self._start(name)
            elif number == numbers[0]:
                self.answer(name, None, PATIENCE)
            tally.tell(number, *self.answer(name, number, LIMIT_SECONDS))
        return tally

    def close(self) -> None:
        """End the process and delete the files."""
        if self.process is not None:
            self.process.kill()
            self.process.join()
            self.process = None
        self._folder.cleanup()

    def _start(self, name: str) -> None:
        self._pipe, there = self._spawn.Pipe()
        self.process = self._spawn.Process(
            target=_work, args=(there, self._folder.name), daemon=True
        )
        self.process.start()
        there.close()
        outcome, what = self.answer(name, None, PATIENCE)
        if outcome != "ready":
            raise RuntimeError(f"the worker does not begin: {outcome} {what}")

    def answer(self, name: str, number: int | None, seconds: float) -> tuple[str, str]:
        """Ask for one damage, or for none to make all ready; return the outcome, and what it is."""
        assert self.process is not None
        try:
            self._pipe.send((name, number))
            if self._answers(seconds):
                outcome, what = self._pipe.recv()
                return outcome, what
            outcome = "hang", f"over {seconds:g} s"
        except (EOFError, OSError):
            outcome = "crash", ""
        self.process.kill()
        self.process.join()
        self.process = None
        return outcome

    def _answers(self, seconds: float) -> bool:
        """Wait so many seconds of a processor, on a busy machine up to :data:`BUSY` as long."""
        assert self.process is not None
        began = _processor_seconds(self.process.pid)
        for _ in range(BUSY):
            if self._pipe.poll(seconds):
                return True
            if _processor_seconds(self.process.pid) - began >= seconds:
                break
        return False


def _processor_seconds(pid: int | None) -> float:
    """Return how long a process has had a processor; where that is not told, for ever."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return float("inf")
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def _work(there: Connection, folder: str) -> None:
    warnings.simplefilter("ignore")
    with heard_by(lambda message: None):
        _try_all(there, Path(folder))


def _try_all(there: Connection, folder: Path) -> None:
    from tests.fuzz.formats import FORMATS

    while True:
        name, number = there.recv()
        form = FORMATS[name]
        whole = folder / f"whole-{form.file}"
        if not whole.exists():
            form.make(whole)
        if number is None:
            outcome_of(form.use, whole)  # compiles what it needs
            there.send(("ready", ""))
            continue
        path = Path(folder) / f"{number}-{form.file}"
        path.write_bytes(form.damage(whole.read_bytes(), form.file, number))
        there.send(outcome_of(form.use, path))
        path.unlink()


def outcome_of(use: Callable[[Path], object], path: Path) -> tuple[str, str]:
    """Use a file, and return what comes of it."""
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    try:
        use(path)
        outcome = "accepted", ""
    except TreewrightError:
        outcome = "refused", ""
    except BaseException as error:
        last = traceback.extract_tb(error.__traceback__)[-1]
        outcome = "untyped", f"{type(error).__name__}: {error} ({last.filename}:{last.lineno})"
    if (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) * 1024 > LIMIT_BYTES:
        return "memory", f"over {LIMIT_BYTES >> 20} MB"
    return outcome
