"""The picture of mean ranks: which methods are told apart, and which are not."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from classifiers.table.summary import Ranks
from grammar.files import PathLike, atomic_output

__all__ = ["alike", "draw_ranks"]

ROW, GAP, TOP = 0.3, 0.22, -0.95
"""Inches of a name, of a bar, and of what stands above the axis."""
INK, BAR = "#23395d", "#c0504d"


def alike(ranks: Ranks) -> list[tuple[float, float]]:
    """Return the widest stretches of mean ranks within which no two methods are told apart.

    Examples
    --------
    >>> alike(Ranks({"a": 1.0, "b": 1.8, "c": 2.2, "d": 4.0}, distance=1.0, p=0.01, blocks=10))
    [(1.0, 1.8), (1.8, 2.2)]
    """
    places = sorted(ranks.mean.values())
    spans: list[tuple[float, float]] = []
    for low in places:
        high = max(place for place in places if place - low <= ranks.distance)
        if high > low and (not spans or high > spans[-1][1]):
            spans.append((low, high))
    return spans


def draw_ranks(ranks: Ranks, path: PathLike, *, title: str = "") -> None:
    """Draw a critical-difference diagram as a PNG image.

    Methods stand at their mean rank, the best on the left. Those under one bar are not told apart.

    Raises
    ------
    OutputError
        If the file cannot be written.

    References
    ----------
    Demšar 2006, figure 1.
    """
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    names = sorted(ranks.mean, key=lambda name: ranks.mean[name])
    left, right = names[: (len(names) + 1) // 2], names[(len(names) + 1) // 2 :]
    bars = alike(ranks)
    below = 0.2 + GAP * len(bars)
    bottom = below + ROW * len(left) + 0.1
    figure = Figure(figsize=(9, bottom - TOP), facecolor="#ffffff")
    axes = figure.add_axes((0.02, 0.0, 0.96, 1.0))
    first, last = 1.0, float(len(names))
    wide = last - first
    axes.set(xlim=(first - 0.3 * wide, last + 0.3 * wide), ylim=(bottom, TOP))
    axes.set_axis_off()
    _axis(axes, first, last)
    for number, (low, high) in enumerate(bars):
        y = 0.2 + GAP * number
        axes.plot([low - 0.05, high + 0.05], [y, y], color=BAR, linewidth=3.5)
    for side, at, align in (
        (left, first - 0.05 * wide, "right"),
        (right, last + 0.05 * wide, "left"),
    ):
        _names(axes, side if side is left else side[::-1], ranks, (at, below, align))
    shown = f"critical difference {ranks.distance:.2f}, {ranks.blocks} data sets and sizes"
    axes.plot([first, min(first + ranks.distance, last)], [-0.62] * 2, color=INK, linewidth=1.5)
    axes.text(first, -0.68, f"{title}: {shown}" if title else shown, color=INK, fontsize=9)
    with atomic_output(path) as part:
        FigureCanvasAgg(figure).print_png(part, metadata={"Software": None})  # type: ignore[no-untyped-call]


def _axis(axes: Any, first: float, last: float) -> None:
    axes.plot([first, last], [0, 0], color=INK, linewidth=1)
    for place in np.arange(first, last + 0.5):
        axes.plot([place, place], [0, -0.08], color=INK, linewidth=1)
        axes.text(place, -0.12, f"{place:g}", ha="center", fontsize=8, color=INK)


def _names(axes: Any, names: Sequence[str], ranks: Ranks, place: tuple[float, float, str]) -> None:
    at, below, align = place
    for number, name in enumerate(names):
        rank, y = ranks.mean[name], below + ROW * (number + 0.5)
        axes.plot([rank, rank, at], [0, y, y], color=INK, linewidth=0.8)
        axes.text(
            at, y, f" {name} {rank:.1f} ", ha=align, va="center", fontsize=9, color=INK,
            parse_math=False,
        )  # fmt: skip
