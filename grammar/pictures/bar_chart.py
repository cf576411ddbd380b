"""Bars: one number for each of many names, as a picture."""

from __future__ import annotations

from collections.abc import Mapping

from grammar.errors import OptionError
from grammar.files import PathLike
from grammar.pictures.svg import (
    INK,
    MARGIN,
    QUIET,
    Box,
    Label,
    Picture,
    Shape,
    checked_suffix,
    elide,
    text_width,
)

__all__ = ["draw_bars"]

FILL = "#6a9ecb"
ROW, BAR, LENGTH = 20.0, 13.0, 420.0
SIZE, TITLE_SIZE = 12.0, 14.0
NAME_WIDTH = 160.0
MOST = 60


def draw_bars(values: Mapping[str, float], path: PathLike, title: str) -> None:
    """Save a picture with one bar for each name, the largest first, as ``.svg`` or ``.png``.

    Parameters
    ----------
    values : mapping of str to float
        Not negative; at least one. The 60 largest are shown.
    path : str or Path
        Its suffix says the format.
    title : str
        Stands above the bars.

    Raises
    ------
    OptionError
        If there are no values, or the suffix is another.
    OutputError
        If the path cannot be written.

    Examples
    --------
    >>> draw_bars({}, "states.svg", "states")
    Traceback (most recent call last):
    ...
    grammar.errors.OptionError: there are no bars to draw
      hint: give at least one value
    """
    checked_suffix(path)
    if not values:
        raise OptionError("there are no bars to draw", hint="give at least one value")
    _bars(values, title).save(path)


def _bars(values: Mapping[str, float], title: str) -> Picture:
    ranked = sorted(values.items(), key=lambda item: -item[1])
    shown, hidden = ranked[:MOST], ranked[MOST:]
    names = [elide(name, NAME_WIDTH, SIZE, bold=True) for name, _ in shown]
    left = MARGIN + max(text_width(name, SIZE, bold=True) for name in names) + 10
    longest = max(shown[0][1], 1e-9)
    top = MARGIN + 30
    shapes: list[Shape] = [Label(MARGIN, MARGIN + 12, title, TITLE_SIZE, INK, True, "start")]
    for i, (name, (_, value)) in enumerate(zip(names, shown, strict=True)):
        y = top + i * ROW
        baseline = y + BAR / 2 + 0.36 * SIZE
        end = left + max(LENGTH * value / longest, 2.0)
        shapes += [
            Label(left - 8, baseline, name, SIZE, INK, bold=True, anchor="end"),
            Box(left, y, end - left, BAR, FILL, FILL),
            Label(end + 6, baseline, f"{value:g}", SIZE, QUIET, anchor="start"),
        ]
    bottom = top + len(shown) * ROW
    if hidden:
        text = f"{len(hidden)} more, with {hidden[0][1]:g} or fewer"
        shapes.append(Label(left, bottom + 10, text, SIZE, QUIET, anchor="start"))
        bottom += ROW
    width = max(left + LENGTH + 60, MARGIN + text_width(title, TITLE_SIZE, bold=True))
    return Picture(width + MARGIN, bottom + MARGIN, tuple(shapes), title)
