"""Many threads that begin at one moment."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any

THREADS = 100


@contextmanager
def hasty() -> Iterator[None]:
    """Let threads take turns ten times as often, so that each is met half-way."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(5e-4)
    try:
        yield
    finally:
        sys.setswitchinterval(before)


def together(calls: Sequence[Callable[[], Any]], threads: int = THREADS) -> list[Any]:
    """Make each call in as many threads, all at once; raise what one of them raised."""
    gate = threading.Barrier(threads)

    def make(number: int) -> Any:
        gate.wait()
        return calls[number % len(calls)]()

    with hasty(), ThreadPoolExecutor(threads) as pool:
        return list(pool.map(make, range(threads)))


def check_alike(
    calls: Sequence[Callable[[], Any]], alone: Sequence[Any], threads: int = THREADS
) -> None:
    """Check that threads get what the calls give alone."""
    for number, found in enumerate(together(calls, threads)):
        assert found == alone[number % len(calls)], f"thread {number}"
