"""Rows written to files of each form, with no reader or writer of this project between."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet

__all__ = ["write_array", "write_arrow", "write_lines", "write_parquet"]

Rows = list[Any]


def write_array(rows: Rows, path: Path) -> Path:
    """Write a JSON array."""
    path.with_suffix(".json").write_text(json.dumps(rows))
    return path.with_suffix(".json")


def write_lines(rows: Rows, path: Path) -> Path:
    """Write JSON lines."""
    path.with_suffix(".jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path.with_suffix(".jsonl")


def write_parquet(rows: Rows, path: Path) -> Path:
    """Write Parquet."""
    pa.parquet.write_table(pa.Table.from_pylist(rows), path.with_suffix(".parquet"))
    return path.with_suffix(".parquet")


def write_arrow(rows: Rows, path: Path) -> Path:
    """Write Arrow, a batch a row."""
    table = pa.Table.from_pylist(rows)
    with pa.ipc.new_file(path.with_suffix(".arrow"), table.schema) as writer:
        writer.write_table(table, max_chunksize=1)
    return path.with_suffix(".arrow")
