"""Tables as HTML, as notebooks show values."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from typing import Any

__all__ = ["html_table"]


def html_table(rows: Iterable[Sequence[Any]], header: Sequence[str] = ()) -> str:
    """Return a table; without a header, the first cell of each row heads it.

    >>> html_table([("tight", "yes & no")])
    '<table><tr><th>tight</th><td>yes &amp; no</td></tr></table>'
    >>> html_table([(1, "walk")], header=("id", "text"))
    '<table><tr><th>id</th><th>text</th></tr><tr><td>1</td><td>walk</td></tr></table>'
    """
    lines = [_row(header, heads=len(header))] if header else []
    lines += [_row(row, heads=0 if header else 1) for row in rows]
    return f"<table>{''.join(lines)}</table>"


def _row(cells: Sequence[Any], *, heads: int) -> str:
    kinds = ["th"] * heads + ["td"] * (len(cells) - heads)
    written = (f"<{k}>{escape(str(c))}</{k}>" for k, c in zip(kinds, cells, strict=True))
    return f"<tr>{''.join(written)}</tr>"
