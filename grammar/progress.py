"""How far long work is: told to whoever listens, who may also end it.

Work is cut into parts where it is done. Nothing is told where nobody listens, which costs nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import NamedTuple, TypeVar

__all__ = ["Stage", "checkpoint", "stages", "stages_heard_by"]

_Part = TypeVar("_Part")


class Stage(NamedTuple):
    """What is done now, and how many of its parts are done."""

    what: str
    done: int = 0
    total: int = 0
    """0 if it is not known."""


_Listener = Callable[[Stage | None], None]
_LISTENER: ContextVar[_Listener | None] = ContextVar("progress", default=None)


def stages(parts: Collection[_Part], what: str) -> Iterator[_Part]:
    """Yield parts of work, and tell before each how many are done.

    >>> with stages_heard_by(print):
    ...     print([part * 2 for part in stages([3, 4], "doubling")])
    Stage(what='doubling', done=0, total=2)
    Stage(what='doubling', done=1, total=2)
    [6, 8]
    """
    for done, part in enumerate(parts):
        listener = _LISTENER.get()
        if listener is not None:
            listener(Stage(what, done, len(parts)))
        yield part


def checkpoint() -> None:
    """Let the listener end the work here, between two parts of a stage."""
    listener = _LISTENER.get()
    if listener is not None:
        listener(None)


@contextmanager
def stages_heard_by(listener: _Listener) -> Iterator[None]:
    """Tell a function of the stages in the block, and of checkpoints, which are None.

    An exception that it raises ends the work.
    """
    mark = _LISTENER.set(listener)
    try:
        yield
    finally:
        _LISTENER.reset(mark)
