"""Processes of this machine: for what holds the interpreter, such as writing JSON.

Each worker has a pipe of its own, so it is known which of them died, and of which unit. They are
spawned, since a fork of a process with threads may hang, and find their kernels in the cache.
"""

from __future__ import annotations

import multiprocessing
import signal
from collections import deque
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait
from pathlib import Path
from typing import Any

from grammar.engines.engine import AHEAD, ATTEMPTS, STARTS, Engine, in_order
from grammar.engines.units import Answer, Unit, answer_of, result_of
from grammar.errors import EngineError

__all__ = ["Processes"]

_SPAWN = multiprocessing.get_context("spawn")
_AT_ONCE = 2
"""Units that a worker is given, so that it has one while this process is busy."""
_BEGUN = None
"""What a worker says when it begins with a unit."""


@dataclass(eq=False)
class _Job:
    unit: Unit
    answer: Answer | None = None
    deaths: int = 0
    false_starts: int = 0


class Processes(Engine):
    """Units done in processes; several maps may be under way at a time."""

    def __init__(self, workers: int, folder: Path) -> None:
        super().__init__(workers, folder)
        self._queue: deque[_Job] = deque()
        self._workers = [_Worker() for _ in range(workers)]

    def map(self, units: Iterable[Unit]) -> Iterator[Any]:
        """Do units in processes."""
        return in_order(units, self._begun, self._ended, AHEAD * self.workers)

    def close(self) -> None:
        """End all processes."""
        for worker in self._workers:
            worker.stop()

    def _begun(self, unit: Unit) -> _Job:
        self._queue.append(_Job(unit))
        job = self._queue[-1]
        self._give()
        return job

    def _ended(self, job: _Job) -> Any:
        while job.answer is None:
            self._give()
            busy = {worker.pipe: worker for worker in self._workers if worker.jobs}
            for pipe in wait(list(busy)):
                self._heard(busy[pipe])  # type: ignore[index]
        return result_of(job.answer)

    def _give(self) -> None:
        for depth in range(_AT_ONCE):
            for worker in self._workers:
                if self._queue and len(worker.jobs) <= depth:
                    worker.jobs.append(self._queue.popleft())
                    worker.tell(worker.jobs[-1].unit)

    def _heard(self, worker: _Worker) -> None:
        try:
            said = worker.pipe.recv()
        except (EOFError, OSError):
            self._lost(worker)
            return
        worker.has_begun = said is _BEGUN
        if said is not _BEGUN:
            worker.jobs.popleft().answer = said

    def _lost(self, worker: _Worker) -> None:
        """Let whoever is free do again what a worker had that died."""
        first = worker.jobs[0]
        first.deaths += worker.has_begun
        first.false_starts += not worker.has_begun
        if first.deaths == ATTEMPTS or first.false_starts == STARTS:
            times = first.deaths + first.false_starts
            first.answer = False, EngineError.of_deaths(str(first.unit), times)
            worker.jobs.popleft()
        self._queue.extendleft(reversed(worker.jobs))
        worker.jobs.clear()
        worker.stop()


class _Worker:
    """A process that does one unit after the other; it is started when it is first told one."""

    def __init__(self) -> None:
        self.jobs: deque[_Job] = deque()
        self.has_begun = False
        self.pipe: Connection
        self._process: Any = None

    def tell(self, unit: Unit) -> None:
        """Give it a unit; if it is dead, that is heard with the answer."""
        if self._process is None:
            self.pipe, theirs = _SPAWN.Pipe()
            self.has_begun = False
            self._process = _SPAWN.Process(target=_work, args=(theirs,), daemon=True)
            with _held_back(signal.SIGINT):
                self._process.start()
            theirs.close()  # so that its death closes the pipe
        with suppress(OSError):
            self.pipe.send(unit)

    def stop(self) -> None:
        """End it; told another unit, it starts again."""
        if self._process is not None:
            self.pipe.close()
            self._process.kill()
            self._process.join()
            self._process = None


@contextmanager
def _held_back(number: int) -> Iterator[None]:
    """Hold a signal back in this thread, and for good in the processes that it starts meanwhile.

    A terminal interrupts all processes of a job: one that is still starting would print where.
    """
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {number})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _work(pipe: Connection) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # whoever started it ends it
    with suppress(EOFError, OSError):  # or is gone, and then nobody waits for an answer
        while True:
            unit = pipe.recv()
            unit.get_ready()
            pipe.send(_BEGUN)
            pipe.send(answer_of(unit))
