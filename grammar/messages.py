"""What is said to a person beside the result: what was recognised, changed or left out.

Messages go to the logger ``treewright``, which prints them to standard error unless a program has
set up logging of its own; whoever wants them otherwise, such as the command line, listens.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

__all__ = ["heard_by", "said_once", "tell"]

_LOGGER = logging.getLogger("treewright")
_LISTENER: ContextVar[Callable[[str], None] | None] = ContextVar("listener", default=None)


def tell(message: str) -> None:
    """Say something to the person, as one line.

    >>> with heard_by(print):
    ...     tell("the texts are in the column 'review'")
    the texts are in the column 'review'
    """
    listener = _LISTENER.get()
    if listener is None:
        _LOGGER.warning("%s", message)
    else:
        listener(message)


@contextmanager
def heard_by(listener: Callable[[str], None]) -> Iterator[None]:
    """Give what is said in the block to a function instead."""
    mark = _LISTENER.set(listener)
    try:
        yield
    finally:
        _LISTENER.reset(mark)


@contextmanager
def said_once() -> Iterator[None]:
    """Pass on each message of the block a single time.

    >>> with heard_by(print), said_once():
    ...     tell("one")
    ...     tell("one")
    one
    """
    outer, said = _LISTENER.get(), set()

    def pass_on(message: str) -> None:
        if message not in said:
            said.add(message)
            (outer or _LOGGER.warning)(message)

    with heard_by(pass_on):
        yield
