"""Interrupts that are not lost, wherever they come."""

from __future__ import annotations

import _thread
import os
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sys import UnraisableHookArgs

__all__ = ["is_interrupt", "lasting_interrupts"]

_AGAIN = 0.05  # seconds: the callback that lost an interrupt has returned by then


@contextmanager
def lasting_interrupts() -> Iterator[None]:
    """Let an interrupt that was lost come again, until something can raise it.

    Where C calls Python (as the compiler of the kernels does while it compiles, and whatever
    deletes an object), an exception has nobody to go to: Python prints it and goes on. The person
    has asked for an end, though, and asks once.
    """
    before = sys.unraisablehook
    timers: list[threading.Timer] = []

    def again(lost: UnraisableHookArgs) -> None:
        if not issubclass(lost.exc_type, KeyboardInterrupt):
            # such as of an object that an interrupt left half made: nothing the person can mend
            if os.environ.get("TREEWRIGHT_TRACEBACK"):
                before(lost)
            return
        later = threading.Timer(_AGAIN, _interrupt)
        later.daemon = True
        later.start()
        timers.append(later)

    sys.unraisablehook = again
    try:
        yield
    finally:
        sys.unraisablehook = before
        for timer in timers:
            timer.cancel()


def _interrupt() -> None:
    """Interrupt the main thread; where there are signals of threads, also if it sleeps or waits."""
    main = threading.main_thread().ident
    if main is None or not hasattr(signal, "pthread_kill"):
        _thread.interrupt_main()
    else:
        signal.pthread_kill(main, signal.SIGINT)


def is_interrupt(error: BaseException | None) -> bool:
    """Say whether an error is what others made of an interrupt, as kernels and imports do."""
    while error is not None and not isinstance(error, KeyboardInterrupt):
        error = error.__cause__ or error.__context__
    return error is not None
