"""Damage: a file is changed as discs, transfers and people change them, as a function of a number.

Bytes are flipped, cut, doubled and put in; numbers in text become others; values of JSON lose their
kind; and arrays of Arrow files are changed *inside*, with a digest that fits, so that what guards
kernels is not the digest alone.
"""

from __future__ import annotations

import gzip
import json
import random
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from grammar.saving.array_file import load_arrays, save_arrays

__all__ = ["damaged"]

_NUMBER = re.compile(rb"-?\d+(?:\.\d+)?")
_ODD = (0, -1, 1, 2, 7, 255, 2**31 - 1, -(2**31), 2**62, 10**9)
_TEXTS = (b"9" * 12, b"-1", b"0", b"1e400", b"nan", b"(", b")", b"\xff", b"\x00", b'"', b"[", b"{")


def damaged(data: bytes, name: str, number: int) -> bytes:
    """Return the damaged bytes of a file of this name; the number says how."""
    draw = random.Random(f"{name} {number}")
    if number % 8:  # behind its seal nothing would be tried
        data = data.replace(b"treewright sha256", b"treewright ------")
    if name.endswith(".arrow") and number % 2 and b"treewright" in data[:4096]:
        changed = _inside_arrays(data, draw)
        if changed is not None:
            return changed
    if name.endswith(".json") and number % 2:
        return _inside_json(data, draw)
    if name.endswith(".gz"):
        return gzip.compress(_bytes_changed(gzip.decompress(data), draw))
    return _bytes_changed(data, draw)


def _bytes_changed(data: bytes, draw: random.Random) -> bytes:
    changes: tuple[Callable[[bytearray, random.Random], None], ...] = (
        _flip, _flip, _cut, _double, _put, _number, _number,
    )  # fmt: skip
    changed = bytearray(data)
    for _ in range(draw.choice((1, 1, 1, 3))):
        if changed:
            draw.choice(changes)(changed, draw)
    return bytes(changed)


def _flip(data: bytearray, draw: random.Random) -> None:
    data[draw.randrange(len(data))] ^= 1 << draw.randrange(8)


def _cut(data: bytearray, draw: random.Random) -> None:
    first = draw.randrange(len(data))
    del data[first : draw.choice((first + 1, first + 16, len(data)))]


def _double(data: bytearray, draw: random.Random) -> None:
    first = draw.randrange(len(data))
    data[first:first] = data[first : first + draw.choice((1, 8, 64))] * draw.choice((1, 1, 50))


def _put(data: bytearray, draw: random.Random) -> None:
    first = draw.randrange(len(data))
    data[first:first] = draw.choice(_TEXTS) * draw.choice((1, 1, 20_000))


def _number(data: bytearray, draw: random.Random) -> None:
    found = list(_NUMBER.finditer(data))
    if found:
        place = draw.choice(found)
        data[place.start() : place.end()] = draw.choice((str(draw.choice(_ODD)).encode(), *_TEXTS))


def _inside_json(data: bytes, draw: random.Random) -> bytes:
    """Change a value somewhere in JSON, or its kind."""
    try:
        value = json.loads(data)
    except ValueError:
        return data
    holder: Any = {"": value}
    key: Any = ""
    while draw.random() < 0.85 and isinstance(holder[key], dict | list) and holder[key]:
        holder = holder[key]
        key = draw.choice(list(holder) if isinstance(holder, dict) else range(len(holder)))
    kind = draw.randrange(4)
    if kind == 0 and holder is not value and isinstance(holder, dict | list):
        del holder[key]
    else:
        others = (draw.choice(_ODD), None, "", "symbol", [], {}, [[1]], -0.5, 1e308, True)
        holder[key] = draw.choice(others)
    return json.dumps(value).encode()


def _inside_arrays(data: bytes, draw: random.Random) -> bytes | None:
    """Change a value of an array of an Arrow file, and write it as if it were right."""
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "file.arrow"
        path.write_bytes(data)
        with pa.OSFile(str(path)) as source:
            metadata = pa.ipc.open_file(source).schema.metadata or {}
        schema = metadata.get(b"schema", b"").decode()
        if b"facts" not in metadata:
            return None
        facts, columns = load_arrays(path, schema, what="", hint="")
        arrays = [n for n, c in columns.items() if isinstance(c, np.ndarray) and len(c)]
        if not arrays:  # it holds texts only
            return None
        name = draw.choice(arrays)
        column = columns[name].copy()
        place = draw.randrange(len(column))
        if draw.random() < 0.2:
            column = column[:place] if draw.random() < 0.5 else np.repeat(column, 2)
        elif column.dtype.kind == "f":
            column[place] = draw.choice((np.nan, np.inf, -1.0, 0.0, 2.0))
        elif column.dtype.kind == "b":
            column[place] = ~column[place]
        else:
            limits = np.iinfo(column.dtype)
            value = draw.choice((*_ODD, int(column[place]) + 1, len(column)))
            column[place] = min(max(value, limits.min), limits.max)
        save_arrays(path, schema, facts, {**columns, name: column})
        return path.read_bytes()
