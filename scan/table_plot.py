"""The picture of a table of runs: test exact match of every run, by split and method."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from grammar.files import PathLike
from grammar.pictures.svg import (
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
    "#b5651d", "#3a9a9a", "#23395d",
)  # fmt: skip
SIZE, ROW, KEY, DOT, APART, LENGTH = 12.0, 24.0, 18.0, 7.0, 7.5, 480.0
GRID, PAPER = "#d9dee3", "#ffffff"
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
    """Lay out the picture: a band for each split, and in it a line of dots for each method.

    A dot has the colour of its method; those of models after the first are hollow.
    """
    by_split: dict[str, list[Row]] = {}
    for row in rows:
        by_split.setdefault(row.split, []).append(row)
    colour = dict(zip(dict.fromkeys(row.method for row in rows), _colours(), strict=False))
    filled, *hollow = dict.fromkeys(row.model for row in rows)
    left = MARGIN + max(text_width(split, SIZE) for split in by_split) + 14
    top = y = MARGIN + ROW
    grid: list[Shape] = []
    shapes: list[Shape] = []
    for split, here in by_split.items():
        height = max(ROW, APART * (len(here) + 1))
        shapes.append(Label(left - 12, y + height / 2 + 4, split, SIZE, INK, anchor="end"))
        shapes += _dots(here, colour, filled, left, y + height / 2)
        y += height
        grid.append(Line(left, y, left + LENGTH, y, GRID, 0.5))
    for tick in TICKS:
        at = left + LENGTH * tick / 100
        grid.append(Line(at, top - 4, at, y, GRID, 1.0))
        grid.append(Label(at, top - 9, f"{tick} %", SIZE - 1, QUIET))
    keys = [(method, fill, fill) for method, fill in colour.items()]
    keys += [(f"hollow: {model}", PAPER, INK) for model in hollow]
    at = left + LENGTH + 3 * MARGIN
    for place, (key, fill, edge) in enumerate(keys):
        line = top + KEY * (place + 0.5)
        shapes.append(Box(at, line - DOT / 2, DOT, DOT, fill, edge))
        shapes.append(Label(at + DOT + 5, line + 4, key, SIZE, INK, anchor="start"))
    width = at + DOT + 5 + max(text_width(key, SIZE) for key, _, _ in keys) + MARGIN
    height = max(y, top + KEY * len(keys)) + MARGIN
    title = "test exact match of each run, by split and method"
    return Picture(width, height, (*grid, *shapes), title)


def _dots(
    rows: Sequence[Row], colour: dict[str, str], filled: str, left: float, middle: float
) -> Iterator[Shape]:
    """Yield the dots of one split, the methods in lines apart so that none hides another."""
    for place, row in enumerate(rows):
        line = middle + APART * (place - (len(rows) - 1) / 2)
        for outcome in row.outcomes:
            x = left + LENGTH * outcome.test_exact - DOT / 2
            of_method = colour[row.method]
            fill, edge = (of_method, PAPER) if row.model == filled else (PAPER, of_method)
            yield Box(x, line - DOT / 2, DOT, DOT, fill, edge)


def _colours() -> Iterator[str]:
    while True:
        yield from COLOURS
