"""Threads of this process: nothing to start, for kernels, which leave the interpreter alone."""

from __future__ import annotations

import os
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from contextvars import copy_context
from functools import cache, partial, wraps
from typing import Any, ParamSpec, TypeVar

from grammar.engines.engine import Engine, in_order
from grammar.engines.units import Unit

__all__ = [
    "OF_SENTENCES",
    "SharedLock",
    "Threads",
    "ahead",
    "behind",
    "computed_once",
    "in_threads",
    "thread_pool",
]

OF_SENTENCES = 32
"""So many sentences a worker are under way, as one may take as long as many others."""
_END = object()
Given = ParamSpec("Given")
Found = TypeVar("Found")


class SharedLock:
    """A lock of what all threads share; the thread that has it may take it again.

    It is free in a process that is forked, where the thread that had it does not live.

    >>> lock = SharedLock()
    >>> with lock, lock:
    ...     pass
    """

    def __init__(self) -> None:
        self._renew()
        if hasattr(os, "register_at_fork"):
            os.register_at_fork(after_in_child=self._renew)

    def _renew(self) -> None:
        self._held = threading.RLock()

    def __enter__(self) -> None:
        self._held.acquire()

    def __exit__(self, *_: object) -> None:
        self._held.release()


def computed_once(function: Callable[Given, Found]) -> Callable[Given, Found]:
    """Keep what a function returns, as ``functools.cache`` does, and let one thread compute it.

    Others wait meanwhile: what takes long and much memory is not made a hundred times over.

    >>> computed_once(abs)(-3)
    3
    """
    lock, kept = SharedLock(), cache(function)

    @wraps(function)
    def once(*given: Given.args, **named: Given.kwargs) -> Found:
        with lock:
            return kept(*given, **named)  # type: ignore[arg-type]

    once.cache_clear = kept.cache_clear  # type: ignore[attr-defined]
    once.cache_info = kept.cache_info  # type: ignore[attr-defined]
    return once


class Threads(Engine):
    """Units done in threads; one worker is this thread itself."""

    apart = False

    def map(self, units: Iterable[Unit]) -> Iterator[Any]:
        """Do units in threads."""
        return in_threads(units, self.workers)


def in_threads(
    tasks: Iterable[Callable[[], Any]], workers: int, *, waiting: int = 2
) -> Iterator[Any]:
    """Call functions without arguments in threads and yield their results in order.

    At most ``waiting`` tasks a worker are under way, so a long stream is never held at once. A
    task is done in the context of whoever asked: what it has to say is said there.

    >>> list(in_threads((partial(pow, 2, k) for k in range(5)), 2))
    [1, 2, 4, 8, 16]
    """
    if workers == 1:
        yield from (task() for task in tasks)
        return
    with thread_pool(workers) as begin:
        yield from in_order(tasks, begin, Future.result, waiting * workers)


@contextmanager
def thread_pool(workers: int) -> Iterator[Callable[..., Future[Any]]]:
    """Give what begins a call in one of so many threads.

    At the end of the block, an exception or an interrupt as well, those that are under way are
    waited for, and those that have not begun are not made.
    """
    pool = ThreadPoolExecutor(workers)

    # what holds here (who listens, what is allowed) holds in threads
    def begin(task: Callable[..., Any], *given: Any) -> Future[Any]:
        return pool.submit(copy_context().run, task, *given)

    try:
        yield begin
    finally:
        pool.shutdown(cancel_futures=True)


def ahead(items: Iterable[Any], count: int) -> Iterator[Any]:
    """Take items in a thread of its own, so many of them before they are asked for.

    >>> list(ahead(range(5), 2))
    [0, 1, 2, 3, 4]
    """
    # one context for all: what is set in a generator is reset there
    rest, context = iter(items), copy_context()

    def take() -> Any:
        return next(rest, _END)

    with thread_pool(1) as begin:  # whoever stops does not wait for what nobody will ask for
        waiting = deque(begin(context.run, take) for _ in range(count))
        while (item := waiting.popleft().result()) is not _END:
            waiting.append(begin(context.run, take))
            yield item


def behind(items: Iterable[Any], work: Callable[[Any], Any], count: int) -> Iterator[Any]:
    """Do work on items in a thread of its own, in order, while up to so many more are taken.

    >>> list(behind("abc", str.upper, 2))
    ['A', 'B', 'C']
    """
    with thread_pool(1) as begin:
        yield from in_order(items, partial(begin, work), Future.result, count)
