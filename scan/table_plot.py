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
    "#b5651d", "#3a9a9a", "#23395d",
)  # fmt: skip
SIZE, ROW, DOT, LENGTH = 12.0, 24.0, 7.0, 480.0
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
    """Lay out the picture: dots of one split that share a place lie above each other.

    A dot has the colour of its method; those of models after the first are hollow.
    """
    splits = list(dict.fromkeys(row.split for row in rows))
    colour = dict(zip(dict.fromkeys(row.method for row in rows), _colours(), strict=False))
    filled, *hollow = dict.fromkeys(row.model for row in rows)
    left = MARGIN + max(text_width(split, SIZE) for split in splits) + 14
    top = MARGIN + 2 * ROW
    bottom = top + ROW * len(splits)
    shapes: list[Shape] = []
    x = left
    keys = [(method, fill, fill) for method, fill in colour.items()]
    keys += [(f"hollow: {model}", PAPER, INK) for model in hollow]
    for key, fill, edge in keys:
        shapes += [
            Box(x, MARGIN + 2, DOT, DOT, fill, edge),
            Label(x + DOT + 5, MARGIN + 9, key, SIZE, INK, anchor="start"),
        ]
        x += DOT + 22 + text_width(key, SIZE)
    for tick in TICKS:
        at = left + LENGTH * tick / 100
        shapes += [
            Line(at, top - 4, at, bottom, GRID, 1.0),
            Label(at, top - 9, f"{tick} %", SIZE - 1, QUIET),
        ]
    for number, split in enumerate(splits):
        middle = top + ROW * (number + 0.5)
        shapes.append(Label(left - 12, middle + 4, split, SIZE, INK, anchor="end"))
        here = [row for row in rows if row.split == split]
        shapes += _dots(here, colour, filled, left, middle)
    width = max(left + LENGTH + 2 * MARGIN, x + MARGIN)
    title = "test exact match of each run, by split and method"
    return Picture(width, bottom + MARGIN, tuple(shapes), title)


def _dots(
    rows: Sequence[Row], colour: dict[str, str], filled: str, left: float, middle: float
) -> Iterator[Shape]:
    """Yield the dots of one split, the methods slightly apart so that none hides another."""
    for place, row in enumerate(rows):
        shift = (place - (len(rows) - 1) / 2) * min(4.0, (ROW - DOT) / max(1, len(rows) - 1))
        for outcome in row.outcomes:
            x = left + LENGTH * outcome.test_exact - DOT / 2
            of_method = colour[row.method]
            fill, edge = (of_method, PAPER) if row.model == filled else (PAPER, of_method)
            yield Box(x, middle + shift - DOT / 2, DOT, DOT, fill, edge)


def _colours() -> Iterator[str]:
    while True:
        yield from COLOURS
