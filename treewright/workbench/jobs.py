"""Work that may take long: it goes on while pages say how far it is, and it can be stopped.

The address of a page is the name of the work on it. Who asks again, as the page of progress does by
itself, gets that page until the work is done, and then the answer.
"""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor, wait
from typing import Generic, TypeVar

from grammar.progress import Stage, stages_heard_by

__all__ = ["Job", "Jobs", "StoppedError"]

Answer = TypeVar("Answer")

PATIENCE = 0.5
"""Seconds until a page says that work goes on; most answers are there sooner."""
_MOST_KEPT = 16
_WAITING, _BEGUN = Stage("waiting until other work is done"), Stage("working")


class StoppedError(Exception):
    """A person stopped the work. It is no TreewrightError, which pages catch and show."""


class Job(Generic[Answer]):
    """Work on one answer.

    Attributes
    ----------
    stage : Stage
        How far it is.
    of : int
        The state of what is open that the answer is about.
    is_slow : bool
        Whether a person was told that it goes on.
    """

    def __init__(self, make: Callable[[], Answer], of: int, worker: ThreadPoolExecutor) -> None:
        self.stage, self.of, self.is_slow = _WAITING, of, False
        self._began = time.monotonic()
        self._is_stopped = threading.Event()
        self._future = worker.submit(self._work, make)

    @property
    def is_done(self) -> bool:
        """Whether there is an answer, or an error."""
        return self._future.done()

    @property
    def seconds(self) -> float:
        """How long it is since a person asked."""
        return time.monotonic() - self._began

    def is_done_within(self, seconds: float | None) -> bool:
        """Wait for the answer, without end if no time is given; say whether it is there."""
        wait([self._future], seconds)
        return self.is_done

    def answer(self) -> Answer:
        """Return the answer, or raise what went wrong, or StoppedError."""
        if self._is_stopped.is_set():
            raise StoppedError
        return self._future.result()

    def stop(self) -> None:
        """Do not begin, or end at the next stage."""
        self._is_stopped.set()
        self._future.cancel()

    def _work(self, make: Callable[[], Answer]) -> Answer:
        self._hear(_BEGUN)
        with stages_heard_by(self._hear):
            return make()

    def _hear(self, stage: Stage | None) -> None:
        if self._is_stopped.is_set():
            raise StoppedError
        self.stage = stage or self.stage


class Jobs(Generic[Answer]):
    """All work: one piece at a time, as a machine has few processors.

    Answers that took long are kept; they are the same again.

    Parameters
    ----------
    patience : float, optional
        How many seconds to wait for an answer; without end if it is None.

    Examples
    --------
    >>> jobs = Jobs[str](patience=None)
    >>> jobs.answer("/a", lambda: "made")
    'made'
    """

    def __init__(self, patience: float | None = PATIENCE) -> None:
        self._patience = patience
        self._worker = ThreadPoolExecutor(1, "workbench")
        self._jobs: OrderedDict[str, Job[Answer]] = OrderedDict()
        self._lock = threading.Lock()  # requests of a browser are answered by several threads

    def answer(
        self,
        address: str,
        make: Callable[[], Answer],
        *,
        of: int = 0,
        is_awaited: bool = False,
    ) -> Answer | Job[Answer]:
        """Return an answer; or, if it is not there in time, the work on it.

        Parameters
        ----------
        address : str
            Of the page.
        make : callable
            Makes the answer.
        of : int
            The state of what is open; answers about another one are made anew.
        is_awaited : bool
            Whether to wait without end.

        Raises
        ------
        StoppedError
            If a person stopped the work meanwhile.
        Exception
            Whatever went wrong with the answer.
        """
        with self._lock:
            job = self._jobs.get(address)
            if job is None or (job.is_done and job.of != of):
                job = self._jobs[address] = Job(make, of, self._worker)
        return self._taken(address, job, None if is_awaited else self._patience)

    def again(self, address: str) -> Answer | Job[Answer] | None:
        """Return what :meth:`answer` does of work that was begun; None if there is none."""
        with self._lock:
            job = self._jobs.get(address)
        return None if job is None else self._taken(address, job, self._patience)

    def going_on(self) -> Iterator[tuple[str, Job[Answer]]]:
        """Yield the work that a person was told of and that is not done, with the addresses."""
        with self._lock:
            known = list(self._jobs.items())
        return ((address, job) for address, job in known if job.is_slow and not job.is_done)

    def stop(self, address: str) -> None:
        """Stop the work on a page, if there is any; answers that are there stay."""
        with self._lock:
            job = self._jobs.get(address)
            if job is not None and not job.is_done:
                del self._jobs[address]
                job.stop()

    def close(self) -> None:
        """Stop all work."""
        for address in list(self._jobs):
            self.stop(address)
        self._worker.shutdown(wait=False)

    def _taken(self, address: str, job: Job[Answer], seconds: float | None) -> Answer | Job[Answer]:
        if not job.is_done_within(seconds):
            job.is_slow = True
            return job
        with self._lock:
            is_known = self._jobs.get(address) is job
            try:
                answer = job.answer()
            except BaseException:
                if is_known:
                    del self._jobs[address]
                raise
            if is_known:
                self._keep(address, job)
        return answer

    def _keep(self, address: str, job: Job[Answer]) -> None:
        if not job.is_slow:
            del self._jobs[address]
            return
        self._jobs.move_to_end(address)
        done = [each for each, other in self._jobs.items() if other.is_done]
        for each in done[:-_MOST_KEPT]:
            del self._jobs[each]
