"""The picture of a table of runs: test exact match of every run, by split and method."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from grammar.files import PathLike
from grammar.svg import (
    INK,
    MARGIN,
    QUIET,
    Box,
    Label,
    Line,
    Picture,
    Shape,
    checked_suffix,
    text_width,
)
from scan.table import Row

__all__ = ["draw_table"]

COLOURS = (
    "#8a94a0", "#d08c3c", "#2f7fbf", "#0b6b50", "#a4508b", "#c0504d", "#6b8e23", "#5b5ea6",
    "#b5651d", "#3a9a9a",
)  # fmt: skip
SIZE, ROW, DOT, LENGTH, GRID = 12.0, 24.0, 7.0, 480.0, "#d9dee3"
TICKS = (0, 20, 40, 60, 80, 100)


def draw_table(rows: Sequence[Row], path: PathLike) -> None:
    """Save a picture with a line for each split and a dot for each run, as ``.svg`` or ``.png``.

    Parameters
    ----------
    rows : sequence of Row
        At least one.
    path : path
        Its suffix says the format.

    Raises
    ------
    OptionError
        If the suffix is another.
    OutputError
        If the path cannot be written.
    """
    checked_suffix(path)
    picture(rows).save(path)


def picture(rows: Sequence[Row]) -> Picture:
    """Lay out the picture: dots of one split that share a place lie above each other."""
    splits = list(dict.fromkeys(row.split for row in rows))
    colour = dict(zip(dict.fromkeys(row.method for row in rows), _colours(), strict=False))
    left = MARGIN + max(text_width(split, SIZE) for split in splits) + 14
    top = MARGIN + 2 * ROW
    bottom = top + ROW * len(splits)
    shapes: list[Shape] = []
    x = left
    for method, fill in colour.items():
        shapes += [
            Box(x, MARGIN + 2, DOT, DOT, fill, fill),
            Label(x + DOT + 5, MARGIN + 9, method, SIZE, INK, anchor="start"),
        ]
        x += DOT + 22 + text_width(method, SIZE)
    for tick in TICKS:
        at = left + LENGTH * tick / 100
        shapes += [
            Line(at, top - 4, at, bottom, GRID, 1.0),
            Label(at, top - 9, f"{tick} %", SIZE - 1, QUIET),
        ]
    for number, split in enumerate(splits):
        middle = top + ROW * (number + 0.5)
        shapes.append(Label(left - 12, middle + 4, split, SIZE, INK, anchor="end"))
        shapes += _dots([row for row in rows if row.split == split], colour, left, middle)
    width = max(left + LENGTH + 2 * MARGIN, x + MARGIN)
    title = "test exact match of each run, by split and method"
    return Picture(width, bottom + MARGIN, tuple(shapes), title)


def _dots(
    rows: Sequence[Row], colour: dict[str, str], left: float, middle: float
) -> Iterator[Shape]:
    """Yield the dots of one split, the methods slightly apart so that none hides another."""
    for place, row in enumerate(rows):
        shift = (place - (len(rows) - 1) / 2) * min(4.0, (ROW - DOT) / max(1, len(rows) - 1))
        for outcome in row.outcomes:
            x = left + LENGTH * outcome.test_exact - DOT / 2
            fill = colour[row.method]
            yield Box(x, middle + shift - DOT / 2, DOT, DOT, fill, "#ffffff")


def _colours() -> Iterator[str]:
    while True:
        yield from COLOURS
