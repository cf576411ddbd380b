"""Threads of this process: nothing to start, for kernels, which leave the interpreter alone."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

from grammar.engines.engine import Engine, in_order
from grammar.engines.units import Unit

__all__ = ["Threads", "in_threads"]


class Threads(Engine):
    """Units done in threads; one worker is this thread itself."""

    apart = False

    def map(self, units: Iterable[Unit]) -> Iterator[Any]:
        """Do units in threads."""
        return in_threads(units, self.workers)


def in_threads(tasks: Iterable[Callable[[], Any]], workers: int) -> Iterator[Any]:
    """Call functions without arguments in threads and yield their results in order.

    At most two tasks a worker are under way, so a long stream is never held at once.
    """
    if workers == 1:
        yield from (task() for task in tasks)
        return
    with ThreadPoolExecutor(workers) as pool:
        yield from in_order(tasks, pool.submit, Future.result, 2 * workers)
