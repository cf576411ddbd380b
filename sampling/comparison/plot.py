"""Differences as a picture: log-odds with their intervals."""

from __future__ import annotations

from collections.abc import Iterator

import pyarrow as pa

from grammar.errors import OptionError
from grammar.pictures.svg import (
    INK,
    MARGIN,
    QUIET,
    Box,
    Label,
    Line,
    Picture,
    Shape,
    elide,
    text_width,
)

__all__ = ["differences_picture"]

OF_A, OF_B, AXIS = "#2f6ba8", "#c2410c", "#d5dbe1"
ROW, LENGTH, NAME_WIDTH, SIZE, DOT = 22.0, 420.0, 240.0, 12.0, 8.0
LEVEL = 0.05


def differences_picture(table: pa.Table, names: tuple[str, str], kind: str, top: int) -> Picture:
    """Draw the first differences, a row for each, with what B has more of to the left.

    What passes the corrected level is in colour.

    Raises
    ------
    OptionError
        If there is nothing to draw.
    """
    rows = table[:top].to_pylist()
    if not rows or top < 1:
        raise OptionError(
            f"there are no {kind} to draw", hint="what is compared is there 5 times or more"
        )
    shown = [elide(row["name"], NAME_WIDTH, SIZE) for row in rows]
    left = 2 * MARGIN + max(text_width(name, SIZE) for name in shown)
    reach = max(max(abs(row["low"]), abs(row["high"])) for row in rows)
    middle, scale = left + LENGTH / 2, LENGTH / 2 / reach
    top_edge = MARGIN + 44
    bottom = top_edge + ROW * len(rows)
    sides = [elide(name, LENGTH / 2 - 40, SIZE, bold=True) for name in names]
    shapes: list[Shape] = [
        Label(MARGIN, MARGIN + 12, f"{kind}: log-odds, 95 %", SIZE, QUIET, anchor="start"),
        Label(middle - 10, top_edge - 12, f"← more in {sides[1]}", SIZE, OF_B, True, "end"),
        Label(middle + 10, top_edge - 12, f"more in {sides[0]} →", SIZE, OF_A, True, "start"),
        Line(middle, top_edge - 4, middle, bottom, AXIS, 1.5),
    ]
    for place, (row, name) in enumerate(zip(rows, shown, strict=True)):
        y = top_edge + ROW * (place + 0.5)
        shapes.append(Label(left - MARGIN, y + 0.36 * SIZE, name, SIZE, INK, anchor="end"))
        shapes += _interval(row, y, middle, scale)
    for share in (-1.0, -0.5, 0.5, 1.0):
        x = middle + share * LENGTH / 2
        shapes.append(Label(x, bottom + 16, f"{share * reach:+.1f}", SIZE, QUIET))
    shapes.append(Label(middle, bottom + 16, "0", SIZE, QUIET))
    title = f"{kind} that differ most between {names[0]} and {names[1]}"
    return Picture(left + LENGTH + 2 * MARGIN, bottom + 24 + MARGIN, tuple(shapes), title)


def _interval(row: dict[str, float], y: float, middle: float, scale: float) -> Iterator[Shape]:
    colour = QUIET
    if row["p_holm"] < LEVEL:
        colour = OF_A if row["log_odds"] > 0 else OF_B
    low, at, high = (middle + scale * row[name] for name in ("low", "log_odds", "high"))
    yield Line(low, y, high, y, colour, 2)
    yield Box(at - DOT / 2, y - DOT / 2, DOT, DOT, colour, colour)
