"""Structure-aware damage: any field of a file gets a value of each kind, and the seal fits.

A file is taken apart into lists, mappings and columns (:data:`_PARTS`, by the end of its name), one
place of them is changed (:mod:`tests.fuzz.values`), and they are put together again as if they had
been saved so. What is JSON within JSON, and a file within a file, is taken apart as well.
"""

from __future__ import annotations

import csv
import gzip
import io
import json
import random
import re
import sqlite3
import tempfile
import tomllib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from grammar.saving.checksum import UNSEALED, sealed
from tests.fuzz.damage import damaged
from tests.fuzz.values import DEEP, changed_value

__all__ = ["restructured"]

Together = Callable[[Any], bytes]
_SEAL = re.compile(r"treewright sha256 [0-9a-f]{64}")
_TOKENS = re.compile(r"(\s+|[()\[\]{}<>:;=|,*+\"'])")
_NESTED = 5000


def restructured(data: bytes, name: str, number: int) -> bytes:
    """Return a file of this name with one of its fields changed; the number says how."""
    draw = random.Random(f"{name} fields {number}")
    for _ in range(8):
        try:
            held, together = _apart(data, name, draw)
            return together(changed_value(held, draw))
        except (ValueError, TypeError, AttributeError, OverflowError, LookupError,
                NotImplementedError, RecursionError, pa.ArrowException,
                sqlite3.Error):  # fmt: skip
            continue  # no file can hold that
    return damaged(data, name, number)


def _apart(data: bytes, name: str, draw: random.Random) -> tuple[Any, Together]:
    """Return what a file holds, and what makes a file of that."""
    parts = next((part for end, part in _PARTS.items() if name.endswith(end)), _text)
    return parts(data, draw)


# --- JSON ------------------------------------------------------------------------------------


def _json(data: bytes, draw: random.Random) -> tuple[Any, Together]:
    return _unfolded(json.loads(data)), lambda held: _resealed(_written(held))


def _json_lines(data: bytes, draw: random.Random) -> tuple[Any, Together]:
    rows = [json.loads(line) for line in data.splitlines()]

    def together(held: Any) -> bytes:
        lines = held if isinstance(held, list) else [held]
        return "".join(f"{_written(line)}\n" for line in lines).encode()

    return rows, together


class _Folded(dict[str, Any]):
    """JSON that stands as a text in JSON."""


def _unfolded(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _unfolded(held) for name, held in value.items()}
    if isinstance(value, list):
        return [_unfolded(held) for held in value]
    if isinstance(value, str) and value.startswith("{"):
        try:
            return _Folded(_unfolded(json.loads(value)))
        except (ValueError, TypeError):
            return value
    return value


def _folded(value: Any) -> Any:
    if isinstance(value, _Folded):
        return _written(dict(value))
    if isinstance(value, dict):
        return {name: _folded(held) for name, held in value.items()}
    return [_folded(held) for held in value] if isinstance(value, list) else value


def _written(value: Any) -> str:
    text = json.dumps(_folded(value))
    return text.replace(json.dumps(DEEP), "[" * _NESTED + "]" * _NESTED)


def _resealed(text: str) -> bytes:
    """Seal again what has a seal."""
    return sealed(_SEAL.sub(UNSEALED, text).encode())


# --- Arrow -----------------------------------------------------------------------------------


def _arrow(data: bytes, draw: random.Random) -> tuple[Any, Together]:
    reader = pa.ipc.open_file(pa.py_buffer(data))
    table, metadata = reader.read_all(), dict(reader.schema.metadata or {})
    if b"facts" not in metadata:
        return _columns(table), lambda held: _arrow_bytes(_table(held), metadata)
    facts = _unfolded(json.loads(metadata[b"facts"]))
    columns: dict[str, Any] = {n: table.column(n)[0].values for n in table.column_names}
    if "base" in columns and draw.random() < 0.5:
        return _of_base(columns, metadata, facts, draw)

    def together(held: Any) -> bytes:
        rows = {n: _as_row(column) for n, column in held["columns"].items()}
        return _arrow_bytes(pa.table(rows), {**metadata, b"facts": _written(held["facts"])})

    return {"facts": facts, "columns": columns}, together


def _of_base(
    columns: dict[str, Any], metadata: Mapping[bytes, Any], facts: Any, draw: random.Random
) -> tuple[Any, Together]:
    """Take the file apart that stands in a column of this one."""
    inner, made = _apart(bytes(columns["base"].to_pylist()), f"x{facts['suffix']}", draw)

    def together(held: Any) -> bytes:
        rows = {**columns, "base": pa.array(list(made(held)), pa.uint8())}
        whole = pa.table({name: _as_row(column) for name, column in rows.items()})
        return _arrow_bytes(whole, metadata)

    return inner, together


def _as_row(column: Any) -> pa.Array:
    array = column if isinstance(column, pa.Array) else _array(column)
    return pa.LargeListArray.from_arrays(pa.array([0, len(array)], pa.int64()), array)


def _array(value: Any) -> pa.Array:
    json.dumps(value, default=str)  # what holds itself is refused here; pyarrow dies of it
    return pa.array([value])


def _columns(table: pa.Table) -> list[Any]:
    combined = table.combine_chunks()
    return [
        {"name": name, "values": pa.concat_arrays(column.chunks)}
        for name, column in zip(combined.column_names, combined.columns, strict=True)
    ]


def _table(held: Any) -> pa.Table:
    names, arrays = [row["name"] for row in held], [row["values"] for row in held]
    columns = [each if isinstance(each, pa.Array) else _array(each) for each in arrays]
    length = max(map(len, columns), default=0)
    columns = [
        pa.concat_arrays([each, pa.nulls(length - len(each), each.type)]) for each in columns
    ]
    return pa.Table.from_arrays(columns, names=names)


def _arrow_bytes(table: pa.Table, metadata: Mapping[bytes, Any]) -> bytes:
    held = {**metadata, b"seal": UNSEALED} if b"seal" in metadata else metadata
    table, sink = table.replace_schema_metadata(held), pa.BufferOutputStream()
    with pa.ipc.new_file(sink, table.schema) as writer:
        writer.write_table(table)
    return sealed(sink.getvalue().to_pybytes())


def _parquet(data: bytes, draw: random.Random) -> tuple[Any, Together]:
    def together(held: Any) -> bytes:
        sink = pa.BufferOutputStream()
        pq.write_table(_table(held), sink)
        return sink.getvalue().to_pybytes()

    return _columns(pq.read_table(pa.py_buffer(data))), together


def _safetensors(data: bytes, draw: random.Random) -> tuple[Any, Together]:
    behind = 8 + int.from_bytes(data[:8], "little")
    header = _unfolded(json.loads(data[8:behind]))

    def together(held: Any) -> bytes:
        text = _SEAL.sub(UNSEALED, _written(held)).encode()
        return sealed(len(text).to_bytes(8, "little") + text + data[behind:])

    return header, together


# --- others ----------------------------------------------------------------------------------


def _gzip(data: bytes, draw: random.Random) -> tuple[Any, Together]:
    held, together = _json_lines(gzip.decompress(data), draw)
    return held, lambda changed: gzip.compress(together(changed))


def _separated(mark: str) -> Callable[[bytes, random.Random], tuple[Any, Together]]:
    def apart(data: bytes, draw: random.Random) -> tuple[Any, Together]:
        rows = list(csv.reader(io.StringIO(data.decode()), delimiter=mark))

        def together(held: Any) -> bytes:
            sink = io.StringIO()
            csv.writer(sink, delimiter=mark).writerows(
                [_cell(value) for value in row] if isinstance(row, list) else [_cell(row)]
                for row in held
            )
            return _utf8(sink.getvalue())

        return rows, together

    return apart


def _tabbed(data: bytes, draw: random.Random) -> tuple[Any, Together]:
    rows: list[Any] = [line.split("\t") for line in data.decode().split("\n")]

    def together(held: Any) -> bytes:
        lines = [row if isinstance(row, list) else [row] for row in held]
        return _utf8("\n".join("\t".join(map(_cell, line)) for line in lines))

    return rows, together


def _cell(value: Any) -> str:
    if isinstance(value, str) and value != DEEP:
        return value
    return "" if value is None else _written(value)


def _utf8(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


def _text(data: bytes, draw: random.Random) -> tuple[Any, Together]:
    """Take a text apart into words and marks."""

    def together(held: Any) -> bytes:
        return _utf8("".join(map(_cell, held if isinstance(held, list) else [held])))

    return _TOKENS.split(data.decode()), together


def _toml(data: bytes, draw: random.Random) -> tuple[Any, Together]:
    def together(held: Any) -> bytes:
        tables = {name: row for name, row in held.items() if isinstance(row, dict)}
        lines = [f"{_key(name)} = {_toml_value(held[name])}" for name in held if name not in tables]
        for table, row in tables.items():
            lines.append(f"[{_key(table)}]")
            lines += [f"{_key(name)} = {_toml_value(value)}" for name, value in row.items()]
        return _utf8("\n".join(lines) + "\n")

    return tomllib.loads(data.decode()), together


def _key(name: str) -> str:
    return name if re.fullmatch(r"\w+", name, re.ASCII) else json.dumps(name)


def _toml_value(value: Any) -> str:
    if isinstance(value, dict):
        return "{" + ", ".join(f"{_key(k)} = {_toml_value(v)}" for k, v in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(_toml_value, value)) + "]"
    if isinstance(value, float):
        return repr(value)  # as TOML writes nan and inf
    return _written(value)


def _sqlite(data: bytes, draw: random.Random) -> tuple[Any, Together]:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "file.db"
        path.write_bytes(data)
        held: dict[str, Any] = {}
        connection = sqlite3.connect(path)
        for (table,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'"):
            held[table] = [list(row) for row in connection.execute(f"SELECT * FROM {table}")]
        connection.close()

    def together(changed: Any) -> bytes:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "file.db"
            path.write_bytes(data)
            connection = sqlite3.connect(path)
            for table in held:
                connection.execute(f"DELETE FROM {table}")
                for row in changed.get(table, ()):
                    cells = [_as_cell(value) for value in row]
                    marks = ", ".join("?" * len(cells))
                    connection.execute(f"INSERT OR REPLACE INTO {table} VALUES ({marks})", cells)
            connection.commit()
            connection.close()
            return path.read_bytes()

    return held, together


def _as_cell(value: Any) -> Any:
    plain = value is None or isinstance(value, int | float | str | bytes)
    return value if plain else _written(value)


_PARTS: Mapping[str, Callable[[bytes, random.Random], tuple[Any, Together]]] = {
    ".json": _json, ".jsonl": _json_lines, ".jsonl.gz": _gzip, ".arrow": _arrow,
    ".parquet": _parquet, ".safetensors": _safetensors, ".csv": _separated(","),
    ".tsv": _separated("\t"), ".conllu": _tabbed, ".conll": _tabbed, ".toml": _toml,
    ".db": _sqlite,
}  # fmt: skip
"""What takes files apart, by the end of their names; others are texts."""
