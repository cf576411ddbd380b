"""Threads of this process: nothing to start, for kernels, which leave the interpreter alone."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextvars import copy_context
from typing import Any

from grammar.engines.engine import Engine, in_order
from grammar.engines.units import Unit

__all__ = ["Threads", "ahead", "behind", "in_threads"]

_END = object()


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
        yield from in_order(
            tasks,
            # what holds here (who listens, what is allowed) holds in threads
            lambda task: pool.submit(copy_context().run, task),
            Future.result,
            2 * workers,
        )


def ahead(items: Iterable[Any], count: int) -> Iterator[Any]:
    """Take items in a thread of its own, so many of them before they are asked for.

    >>> list(ahead(range(5), 2))
    [0, 1, 2, 3, 4]
    """
    rest, context = iter(items), copy_context()

    def take() -> Any:
        return next(rest, _END)

    taker = ThreadPoolExecutor(1)
    try:
        waiting = deque(taker.submit(context.run, take) for _ in range(count))
        while (item := waiting.popleft().result()) is not _END:
            waiting.append(taker.submit(context.run, take))
            yield item
    finally:  # whoever stops here does not wait for what nobody will ask for
        taker.shutdown(cancel_futures=True)


def behind(items: Iterable[Any], work: Callable[[Any], Any], count: int) -> Iterator[Any]:
    """Do work on items in a thread of its own, in order, while up to so many more are taken.

    >>> list(behind("abc", str.upper, 2))
    ['A', 'B', 'C']
    """
    with ThreadPoolExecutor(1) as worker:
        yield from in_order(
            items,
            lambda item: worker.submit(copy_context().run, work, item),
            Future.result,
            count,
        )
