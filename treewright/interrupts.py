"""Signals that end a run: each asks once, wherever it comes, and how often it comes again."""

from __future__ import annotations

import _thread
import gc
import os
import signal
import sys
import threading
import time
import traceback
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from types import FrameType, MappingProxyType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sys import UnraisableHookArgs

__all__ = ["Interrupts", "close_frames", "is_interrupt", "lasting_interrupts"]

_WHAT: Mapping[int, str] = MappingProxyType(
    {signal.SIGINT: "interrupted", signal.SIGTERM: "terminated"}
)
"""The signals that end a run, and what is said then."""
_AGAIN = 0.05
"""Seconds: the callback that lost an interrupt has returned by then."""
_ONE_WISH = 1.0
"""Seconds in which signals are one wish: a terminal and a wrapper both send the same."""


class Interrupts:
    """The handler of the signals that end a run: the first raises ``KeyboardInterrupt``.

    Those that come while the run cleans up behind that do nothing: files would be left over.

    Attributes
    ----------
    signal : int, optional
        The first that came.
    """

    def __init__(self) -> None:
        self.signal: int | None = None
        self._before: dict[int, Any] = {}
        self._hook = sys.unraisablehook
        self._timers: list[threading.Timer] = []
        self._raised = -_ONE_WISH
        self._over = False

    def __call__(self, number: int, frame: FrameType | None) -> None:
        """Handle a signal."""
        now = time.monotonic()
        if now - self._raised < _ONE_WISH or is_interrupt(sys.exception()):
            return
        self.signal, self._raised = self.signal or number, now
        raise KeyboardInterrupt

    @property
    def code(self) -> int:
        """The exit code, as shells have it: 130 or 143."""
        return 128 + (self.signal or signal.SIGINT)

    @property
    def message(self) -> str:
        """What is said in the end, as one line."""
        what = _WHAT[self.signal or signal.SIGINT]
        return f"{what}; files appear only when they are complete"

    def begin(self) -> None:
        """Handle signals; one that is ignored, as in a background job of a script, stays so."""
        for number in _WHAT:
            before = signal.getsignal(number)
            if before in (signal.SIG_DFL, signal.default_int_handler):
                self._before[number] = before
                signal.signal(number, self)
        sys.unraisablehook = self._lost

    def end(self) -> None:
        """Handle signals as before; after :meth:`no_more`, go on to ignore them."""
        for timer in self._timers:
            timer.cancel()
        if self._over:
            return
        sys.unraisablehook = self._hook
        for number, before in self._before.items():
            signal.signal(number, before)

    def no_more(self) -> None:
        """Let no signal change how this process ends."""
        self._over = True
        for number in self._before:
            signal.signal(number, signal.SIG_IGN)

    def _lost(self, lost: UnraisableHookArgs) -> None:
        """Let an interrupt that was lost come again, until something can raise it.

        Where C calls Python (as the compiler of the kernels does while it compiles, and whatever
        deletes an object), an exception has nobody to go to: Python prints it and goes on. The
        person has asked for an end, though, and asks once.
        """
        if not issubclass(lost.exc_type, KeyboardInterrupt):
            # such as of an object that an interrupt left half made: nothing the user can correct
            if os.environ.get("TREEWRIGHT_TRACEBACK"):
                self._hook(lost)
            return
        self._raised = -_ONE_WISH
        later = threading.Timer(_AGAIN, _send, [self.signal or signal.SIGINT])
        later.daemon = True
        later.start()
        self._timers.append(later)


@contextmanager
def lasting_interrupts() -> Iterator[Interrupts]:
    """Let signals that ask for an end raise ``KeyboardInterrupt``, once; a block in it is the same.

    Signals are of the main thread: in another this does nothing.
    """
    for outer in map(signal.getsignal, _WHAT):
        if isinstance(outer, Interrupts):
            yield outer
            return
    asked = Interrupts()
    if threading.current_thread() is not threading.main_thread():
        yield asked
        return
    asked.begin()
    try:
        yield asked
    finally:
        asked.end()


def _send(number: int) -> None:
    """Send a signal to the main thread; where threads have signals, also if it sleeps or waits."""
    main = threading.main_thread().ident
    if main is None or not hasattr(signal, "pthread_kill"):
        _thread.interrupt_main(signal.Signals(number))
    else:
        signal.pthread_kill(main, number)


def is_interrupt(error: BaseException | None) -> bool:
    """Say whether an error is what others made of an interrupt, as kernels and imports do."""
    while error is not None and not isinstance(error, KeyboardInterrupt):
        error = error.__cause__ or error.__context__
    return error is not None


def close_frames(error: BaseException | None) -> None:
    """Close what an error has left open: generators that wait in the frames it came through.

    They have workers and temporary files, and would wait until the process ends, which in turn
    waits for all that their workers were given.
    """
    while error is not None:
        traceback.clear_frames(error.__traceback__)
        error = error.__cause__ or error.__context__
    gc.collect()
