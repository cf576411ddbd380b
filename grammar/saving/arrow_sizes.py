"""How large the compressed buffers of an Arrow file are when they are expanded, by what it says.

Each of them begins with its size. Where they lie is said in messages that are FlatBuffers; a file
has a list of its messages at its end, a stream has one behind the other. Nothing is expanded here.

References
----------
https://arrow.apache.org/docs/format/Columnar.html#serialization-and-interprocess-communication-ipc
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from typing import Any

from grammar.storage.expanded_size import refuse_expanded
from grammar.storage.location import PathLike

__all__ = ["refuse_expanding_arrow"]

_MAGIC = b"ARROW1"
_CONTINUED = 0xFFFFFFFF
_DICTIONARY_BATCH, _RECORD_BATCH = 2, 3


def refuse_expanding_arrow(data: Any, path: PathLike) -> None:
    """Refuse an Arrow file or stream whose buffers expand to more than they may.

    What is damaged is left to whoever reads it.

    Parameters
    ----------
    data : bytes or buffer
        The whole of it; of a file that is mapped only the messages are read.

    Raises
    ------
    UnreadableInputError
        If they do.
    """
    view = memoryview(data)
    size = 0
    try:
        for message, body in _messages(view):
            size += _expanded(message, view, body)
            refuse_expanded(size, len(view), path)
    except (struct.error, IndexError, ValueError):
        return


class _Table:
    """A table of a FlatBuffer."""

    def __init__(self, data: memoryview, at: int) -> None:
        self.data, self.at = data, at
        self.fields = at - _number(data, at, "<i")

    @classmethod
    def root(cls, data: memoryview) -> _Table:
        return cls(data, _number(data, 0, "<I"))

    def place(self, field: int) -> int:
        """Return where a field lies; 0 if it is not there."""
        slot = 4 + 2 * field
        if slot >= _number(self.data, self.fields, "<H"):
            return 0
        offset = _number(self.data, self.fields + slot, "<H")
        return self.at + offset if offset else 0

    def behind(self, field: int) -> int:
        """Return where lies what a field points to; 0 if it is not there."""
        place = self.place(field)
        return place + _number(self.data, place, "<I") if place else 0

    def items(self, field: int, form: str) -> Iterator[tuple[int, ...]]:
        """Yield the structs of a vector."""
        start = self.behind(field)
        if start:
            count, size = _number(self.data, start, "<I"), struct.calcsize(form)
            yield from struct.iter_unpack(form, self.data[start + 4 : start + 4 + count * size])


def _messages(view: memoryview) -> Iterator[tuple[_Table, int]]:
    """Yield the messages, and where their bodies begin."""
    if view[: len(_MAGIC)] == _MAGIC:
        end = len(view) - len(_MAGIC) - 4
        footer = _Table.root(view[end - _number(view, end, "<i") : end])
        for field in (2, 3):  # of dictionaries, and of rows
            for at, metadata, _ in footer.items(field, "<qi4xq"):
                yield _message(view, at), at + metadata
        return
    at = 0
    while at + 8 <= len(view):
        start = at + (8 if _number(view, at, "<I") == _CONTINUED else 4)
        metadata = _number(view, start - 4, "<i")
        if metadata <= 0:
            return
        message = _message(view, at)
        yield message, start + metadata
        place = message.place(3)
        at = start + metadata + (_number(message.data, place, "<q") if place else 0)


def _message(view: memoryview, at: int) -> _Table:
    start = at + (8 if _number(view, at, "<I") == _CONTINUED else 4)
    return _Table.root(view[start : start + _number(view, start - 4, "<i")])


def _expanded(message: _Table, view: memoryview, body: int) -> int:
    kind = message.place(1)
    header = message.behind(2)
    if not kind or not header or message.data[kind] not in (_DICTIONARY_BATCH, _RECORD_BATCH):
        return 0
    batch = _Table(message.data, header)
    if message.data[kind] == _DICTIONARY_BATCH:
        batch = _Table(message.data, batch.behind(1))
    if not batch.place(3):  # of compression
        return 0
    sizes = (_number(view, body + at, "<q") for at, size in batch.items(2, "<qq") if size >= 8)
    return sum(size for size in sizes if size > 0)


def _number(data: memoryview, at: int, form: str) -> int:
    if at < 0:
        raise ValueError("before the beginning")
    found: int = struct.unpack_from(form, data, at)[0]
    return found
