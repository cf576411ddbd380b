"""Files of text with parts that cannot be read: these are left out, and said, and the rest is read.

In the place of bytes that are not UTF-8 comes a sign that the file does not have; rows with it are
left out when they are made. A line, or a sentence of several lines, that its format refuses gives
way to empty lines, so that the lines behind it keep their numbers.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from typing import Any, Literal

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from grammar.files import decode, refuse_unmarked
from induction.corpus.rows import Asked, Rows, Skipped
from induction.corpus.tables.json_texts import json_texts
from induction.corpus.validity import faults_of

__all__ = ["Unit", "sound_rows"]

Unit = Literal["line", "sentence"]
"""What of a file can be read alone; a sentence is the lines up to an empty one."""

_NO_TEXT = "it holds bytes that are not UTF-8 text"
_ESCAPED = re.compile("[\udc80-\udcff]")
_FREE = range(0xFDD0, 0xFDF0)
"""Characters that no text has: they are for the use within programs."""


def sound_rows(
    data: bytes, asked: Asked, read: Callable[[bytes, Asked], Rows], unit: Unit | None
) -> Rows:
    """Read a file without what cannot be read.

    Parameters
    ----------
    data : bytes
        Of the file.
    asked : Asked
        How to read it.
    read : callable
        Reads its format.
    unit : {"line", "sentence"}, optional
        What can be read alone; None if ``read`` leaves out by itself what it cannot read.

    Raises
    ------
    UnreadableInputError
        If the file is not UTF-8 at all.
    CorpusError
        If it cannot be read without its faults either.
    """
    data, sign = _as_text(data, asked.path)
    skipped: tuple[Skipped, ...] = ()
    if unit is not None:
        data, skipped = _sound_units(data, asked, read, unit)
    rows = read(data, asked)
    rows = replace(rows, skipped=(*skipped, *rows.skipped))
    return rows if sign is None else _without(rows, sign, data, asked.path)


def _as_text(data: bytes, path: str) -> tuple[bytes, str | None]:
    """Return data that are UTF-8, and the sign that stands for bytes that were not."""
    refuse_unmarked(data, path)
    with suppress(UnicodeDecodeError):
        data.decode()
        return data, None
    text = data.decode(errors="surrogateescape")
    sign = next((chr(code) for code in _FREE if chr(code) not in text), None)
    if sign is None:
        decode(data, path)
    return _ESCAPED.sub(sign or "", text).encode(), sign


def _without(rows: Rows, sign: str, data: bytes, path: str) -> Rows:
    if any(sign in name for name in rows.table.column_names):
        decode(data.replace(sign.encode(), b"\xff"), path)
    batches = rows.table.combine_chunks().to_batches()
    has = [pc.match_substring(json_texts(batch.to_struct_array()), sign) for batch in batches]
    bad = np.concatenate(
        [each.to_numpy(zero_copy_only=False) for each in has] or [np.zeros(0, bool)]
    )
    kept = np.flatnonzero(~bad)
    held = rows.table.filter(pa.array(bad)).to_pylist()
    where = rows.where
    skipped = [
        Skipped(where(row), _NO_TEXT, _shown(one, sign))
        for row, one in zip(np.flatnonzero(bad).tolist(), held, strict=True)
    ]
    before = tuple(replace(one, row=_shown(one.row, sign)) for one in rows.skipped)
    return replace(
        rows,
        table=rows.table.take(pa.array(kept)),
        where=lambda row: where(int(kept[row])),
        skipped=(*before, *skipped),
    )


def _shown(value: Any, sign: str) -> Any:
    if isinstance(value, dict):
        return {name: _shown(one, sign) for name, one in value.items()}
    if isinstance(value, list):
        return [_shown(one, sign) for one in value]
    return value.replace(sign, "\ufffd") if isinstance(value, str) else value


def _sound_units(
    data: bytes, asked: Asked, read: Callable[[bytes, Asked], Rows], unit: Unit
) -> tuple[bytes, tuple[Skipped, ...]]:
    """Return data whose units are all read, and those that are not."""
    lines = data.split(b"\n")
    units = _units(lines, unit)
    strict = replace(asked, skips=False)
    end = b"\n\n" if unit == "sentence" else b"\n"

    def check(first: int, stop: int) -> None:
        read(end.join(b"\n".join(lines[a:b]) for a, b in units[first:stop]) + end, strict)

    found = faults_of(check, 0, len(units))
    skipped = []
    for number, why in found.items():
        first, stop = units[number]
        held = b"\n".join(lines[first:stop]).decode(errors="replace")
        skipped.append(Skipped(f"{asked.path}:{first + 1}", why, held))
        lines[first:stop] = [b""] * (stop - first)
    return b"\n".join(lines), tuple(skipped)


def _units(lines: list[bytes], unit: Unit) -> list[tuple[int, int]]:
    """Return where units begin and end.

    >>> _units([b"a", b"b", b"", b"c"], "sentence"), _units([b"a", b"b", b"", b"c"], "line")
    ([(0, 2), (3, 4)], [(0, 1), (1, 2), (3, 4)])
    """
    filled = [number for number, line in enumerate(lines) if line.strip()]
    if unit == "line":
        return [(number, number + 1) for number in filled]
    begins = [k for k in range(len(filled)) if not k or filled[k] != filled[k - 1] + 1]
    return [
        (filled[begin], filled[stop - 1] + 1)
        for begin, stop in itertools.pairwise([*begins, len(filled)])
    ]
