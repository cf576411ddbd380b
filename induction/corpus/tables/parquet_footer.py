"""What the footer of a Parquet file says of its column chunks.

The footer is a structure of Thrift's compact protocol. It is read here because pyarrow ends the
process when it looks at the metadata of a damaged chunk.

References
----------
https://parquet.apache.org/docs/file-format/metadata/
https://github.com/apache/thrift/blob/master/doc/specs/thrift-compact-protocol.md
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

__all__ = ["Chunk", "chunks_of"]

_TEXT = 6
_DICTIONARIES = {2, 8}
_ROW_GROUPS, _COLUMNS, _METADATA = 4, 1, 3
_TYPE, _ENCODINGS, _VALUES, _EXPANDED = 1, 2, 5, 6
_STOP, _TRUE, _FALSE, _BYTE, _I16, _I32, _I64, _DOUBLE, _BINARY, _LIST, _SET, _MAP, _STRUCT = range(
    13
)
_DEEPEST = 16


@dataclass(frozen=True)
class Chunk:
    """The values of a column in a group of rows.

    Attributes
    ----------
    is_text : bool
        Whether values are texts or other bytes of any length.
    has_dictionary : bool
        Whether values may be numbers of the entries of a dictionary.
    values : int
        How many there are.
    expanded : int
        How many bytes its pages take when they are expanded.
    """

    is_text: bool
    has_dictionary: bool
    values: int
    expanded: int


def chunks_of(source: pa.NativeFile) -> list[list[Chunk]]:
    """Return the column chunks of each group of rows.

    Parameters
    ----------
    source : open file
        That pyarrow takes for a Parquet file.

    Raises
    ------
    pyarrow.ArrowInvalid
        If the footer is damaged.
    """
    size = source.size()
    source.seek(size - 8)
    length = int.from_bytes(source.read(8)[:4], "little")
    if length > size - 8:
        raise pa.ArrowInvalid("the footer is damaged: it is longer than the file")
    source.seek(size - 8 - length)
    footer = _Reader(source.read(length)).struct()
    groups = _items(footer.get(_ROW_GROUPS, []))
    return [[_chunk(one) for one in _items(group.get(_COLUMNS, []))] for group in groups]


def _chunk(column: Mapping[int, Any]) -> Chunk:
    metadata = column.get(_METADATA)
    if not isinstance(metadata, dict):
        raise pa.ArrowInvalid("the footer is damaged: a column chunk says nothing of itself")
    values, expanded = metadata.get(_VALUES), metadata.get(_EXPANDED)
    if type(values) is not int or type(expanded) is not int or min(values, expanded) < 0:
        raise pa.ArrowInvalid("the footer is damaged: a column chunk has no size")
    encodings = metadata.get(_ENCODINGS)
    known = encodings if isinstance(encodings, list) else []
    return Chunk(
        is_text=metadata.get(_TYPE) == _TEXT,
        has_dictionary=any(one in _DICTIONARIES for one in known if isinstance(one, int)),
        values=values,
        expanded=expanded,
    )


def _items(value: Any) -> list[dict[int, Any]]:
    if not isinstance(value, list) or not all(isinstance(one, dict) for one in value):
        raise pa.ArrowInvalid("the footer is damaged: a list of structures is something else")
    return value


class _Reader:
    """Thrift's compact protocol, as far as a footer has it."""

    def __init__(self, data: bytes) -> None:
        self.data, self.at, self.depth = data, 0, 0

    def struct(self) -> dict[int, Any]:
        """Read a structure: its values by the numbers of their fields."""
        self.depth += 1
        if self.depth > _DEEPEST:
            raise pa.ArrowInvalid("the footer is damaged: it is nested too deep")
        fields: dict[int, Any] = {}
        number = 0
        while (head := self._byte()) != _STOP:
            kind, step = head & 15, head >> 4
            number = number + step if step else self._signed()
            fields[number] = kind == _TRUE if kind in (_TRUE, _FALSE) else self._value(kind)
        self.depth -= 1
        return fields

    def _value(self, kind: int) -> Any:
        if kind in (_I16, _I32, _I64):
            return self._signed()
        if kind == _BINARY:
            return self._bytes(self._unsigned())
        if kind in (_LIST, _SET):
            return self._list()
        if kind == _STRUCT:
            return self.struct()
        if kind in (_TRUE, _FALSE, _BYTE):  # in a list a truth value is a byte
            return self._byte()
        if kind == _DOUBLE:
            return self._bytes(8)
        raise pa.ArrowInvalid("the footer is damaged: a field is of no kind that footers have")

    def _list(self) -> list[Any]:
        head = self._byte()
        count = head >> 4 if head >> 4 < 15 else self._unsigned()
        if count > len(self.data) - self.at:  # each takes a byte at least
            raise pa.ArrowInvalid("the footer is damaged: a list is longer than it")
        self.depth += 1
        if self.depth > _DEEPEST:
            raise pa.ArrowInvalid("the footer is damaged: it is nested too deep")
        values = [self._value(head & 15) for _ in range(count)]
        self.depth -= 1
        return values

    def _signed(self) -> int:
        number = self._unsigned()
        return (number >> 1) ^ -(number & 1)

    def _unsigned(self) -> int:
        number = shift = 0
        while True:
            byte = self._byte()
            number |= (byte & 127) << shift
            if byte < 128:
                return number
            shift += 7
            if shift > 63:
                raise pa.ArrowInvalid("the footer is damaged: a number is too long")

    def _byte(self) -> int:
        return self._bytes(1)[0]

    def _bytes(self, count: int) -> bytes:
        if count > len(self.data) - self.at:
            raise pa.ArrowInvalid("the footer is damaged: it is truncated")
        found = self.data[self.at : self.at + count]
        self.at += count
        return found
