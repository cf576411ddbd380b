"""Posteriors of a chart as a picture: a pyramid of spans over the words.

Each row of the pyramid holds the spans of one length, each span above the middle of its words. Its
colour says how probable a constituent is there, given the sentence.
"""

from __future__ import annotations

import operator
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence

import numpy as np

from grammar.chart.parses import Span, SpanPosteriors
from grammar.errors import OptionError
from grammar.files import PathLike
from grammar.pictures.svg import (
    ASCENT,
    DESCENT,
    MARGIN,
    QUIET,
    WORD,
    Box,
    Label,
    Picture,
    Shape,
    checked_suffix,
    elide,
    moved,
    text_width,
)

__all__ = ["draw_heat_map", "heat_map_svg", "posteriors_of_spans"]

# from improbable to certain; the first is also that of spans where nothing stands
SCALE = ("#f3f5f8", "#d9e5f0", "#a9c8e2", "#6a9ecb", "#2f6ba8", "#143d6b")
EDGE = "#e3e8ee"
LEGEND = (0.0, 0.25, 0.5, 0.75, 1.0)

DARK_TEXT, LIGHT_TEXT = "#000000", "#ffffff"
"""One of them has a contrast of 4.5 on any colour (AA of WCAG); ink has not."""
ROW, GAP = 36.0, 3.0
LEGEND_HEIGHT = 52.0
NARROWEST, WIDEST = 46.0, 104.0
WORD_SIZE, LABEL_SIZE, NUMBER_SIZE = 14.0, 12.0, 9.5
MOST_WORDS = 80
FAINT = 0.05
"""Labels less probable than this are not written."""
RIVAL = 0.4
"""Further labels are written that are at least so probable, relative to the best."""

Labels = list[tuple[str, float]]


def draw_heat_map(posteriors: SpanPosteriors, path: PathLike, label: str | None = None) -> None:
    """Save a picture of how probable constituents are over each span: ``.svg`` or ``.png``.

    Parameters
    ----------
    posteriors : SpanPosteriors
        Of one sentence.
    path : str or Path
        Its suffix says the format.
    label : str, optional
        Show this label alone. Otherwise the colour of a span is that of its most probable label,
        which is the least that the probability of any constituent there can be.

    Raises
    ------
    OptionError
        If the suffix is another, the label is unknown, or the sentence has more than 80 words.
    OutputError
        If the path cannot be written.

    Examples
    --------
    >>> found = posteriors_of_spans(["we", "swim"], [Span("S", 0, 2, 1.0)])
    >>> draw_heat_map(found, "chart.svg", label="NP")
    Traceback (most recent call last):
    ...
    grammar.errors.OptionError: no span can have the label 'NP'
      hint: try S
    """
    checked_suffix(path)
    _heat_map(posteriors, label).save(path)


def heat_map_svg(posteriors: SpanPosteriors, label: str | None = None) -> str:
    """Return the picture of :func:`draw_heat_map` as a standalone SVG document."""
    return _heat_map(posteriors, label).svg()


def posteriors_of_spans(sentence: Sequence[str], spans: Iterable[Span]) -> SpanPosteriors:
    """Return spans as a value of columns.

    >>> posteriors_of_spans(["we", "swim"], [Span("S", 0, 2, 1.0)]).table("S")[0, 2]
    np.float64(1.0)
    """
    found = list(spans)
    names = tuple(sorted({span.label for span in found}))
    number = {name: i for i, name in enumerate(names)}
    return SpanPosteriors(
        tuple(sentence),
        names,
        np.array([span.start for span in found], np.int32),
        np.array([span.end for span in found], np.int32),
        np.array([number[span.label] for span in found], np.int32),
        np.array([span.probability for span in found], np.float64),
    )


def _heat_map(posteriors: SpanPosteriors, label: str | None) -> Picture:
    words = posteriors.sentence
    if len(words) > MOST_WORDS:
        raise OptionError(
            f"a picture of the spans of {len(words)} words would be too large",
            hint=f"draw sentences of up to {MOST_WORDS} words",
        )
    cells = _cells(posteriors, label)
    wanted = max(text_width(word, WORD_SIZE) for word in words) + 10
    width = min(max(wanted, NARROWEST), WIDEST)
    shapes: list[Shape] = []
    for length in range(len(words), 0, -1):
        y = MARGIN + (len(words) - length) * ROW
        for start in range(len(words) - length + 1):
            x = MARGIN + (start + (length - 1) / 2) * width
            shapes += _cell(cells.get((start, start + length), []), x, y, width)
    baseline = MARGIN + len(words) * ROW + ASCENT * WORD_SIZE + 8
    for i, word in enumerate(words):
        text = elide(word, width - 4, WORD_SIZE)
        shapes.append(Label(MARGIN + (i + 0.5) * width, baseline, text, WORD_SIZE, WORD))
    what = "the most probable label" if label is None else label
    legend, legend_width = _legend(f"probability of {what}")
    bottom = baseline + DESCENT * WORD_SIZE + MARGIN
    # in the corner above the words, or below them where the pyramid leaves no room there
    if legend_width > (len(words) - 2) / 2 * width - MARGIN:
        legend = [moved(shape, 0.0, bottom - MARGIN) for shape in legend]
        bottom += LEGEND_HEIGHT
    return Picture(
        max(len(words) * width, legend_width) + 2 * MARGIN,
        bottom,
        (*shapes, *legend),
        f"Probability of {what} over each span of: {' '.join(words)}",
    )


def _cells(posteriors: SpanPosteriors, label: str | None) -> Mapping[tuple[int, int], Labels]:
    """Return the labels of each span, the most probable first."""
    if label is not None and label not in posteriors.names:
        import difflib

        near = difflib.get_close_matches(label, posteriors.names, 3) or posteriors.names[:8]
        raise OptionError(
            f"no span can have the label {label!r}", hint=f"try {', '.join(near) or 'none'}"
        )
    cells: dict[tuple[int, int], Labels] = defaultdict(list)
    for span in posteriors:
        if label in (None, span.label):
            cells[span.start, span.end].append((span.label, span.probability))
    return cells


def _cell(labels: Labels, x: float, y: float, width: float) -> Iterator[Shape]:
    probability = labels[0][1] if labels else 0.0
    fill = colour_of(probability)
    yield Box(x + GAP / 2, y + GAP / 2, width - GAP, ROW - GAP, fill, EDGE)
    if probability < FAINT:
        return
    ink = _ink_on(probability)
    middle = x + width / 2
    names = [name for name, mass in labels if mass >= RIVAL * probability]
    # as many as there is room for, the most probable always
    while len(names) > 1 and text_width(" ".join(names), LABEL_SIZE, bold=True) > width - 8:
        names.pop()
    text = elide(" ".join(names), width - 8, LABEL_SIZE, bold=True)
    yield Label(middle, y + 0.46 * ROW, text, LABEL_SIZE, ink, bold=True)
    yield Label(middle, y + 0.80 * ROW, f"{probability:.2f}", NUMBER_SIZE, ink)


def _legend(text: str) -> tuple[list[Shape], float]:
    """Return the shapes at the upper left corner, and their width."""
    shapes: list[Shape] = [Label(MARGIN, MARGIN + 10, text, LABEL_SIZE, QUIET, anchor="start")]
    width, height = 38.0, 20.0
    for i, mark in enumerate(LEGEND):
        x = MARGIN + i * (width + GAP)
        shapes.append(Box(x, MARGIN + 20, width, height, colour_of(mark), EDGE))
        colour = _ink_on(mark)
        shapes.append(Label(x + width / 2, MARGIN + 34, f"{mark:g}", NUMBER_SIZE, colour))
    return shapes, max(text_width(text, LABEL_SIZE), len(LEGEND) * (width + GAP))


def _ink_on(probability: float) -> str:
    return max(DARK_TEXT, LIGHT_TEXT, key=lambda text: contrast(text, colour_of(probability)))


def contrast(one: str, other: str) -> float:
    """Return the contrast of two colours, from 1 to 21, as WCAG 2 defines it.

    >>> contrast("#000000", "#ffffff"), round(contrast("#ffffff", "#7facd3"), 1)
    (21.0, 2.4)
    """
    darker, lighter = sorted(map(_luminance, (one, other)))
    return (lighter + 0.05) / (darker + 0.05)


def _luminance(colour: str) -> float:
    channels = (int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5))
    linear = (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels)
    return sum(map(operator.mul, linear, (0.2126, 0.7152, 0.0722)))


def colour_of(probability: float) -> str:
    """Return the colour of a probability, between those of the scale.

    >>> colour_of(0), colour_of(1), colour_of(0.1)
    ('#f3f5f8', '#143d6b', '#e6edf4')
    """
    place = min(max(probability, 0.0), 1.0) * (len(SCALE) - 1)
    below = min(int(place), len(SCALE) - 2)
    share = place - below
    channels = (
        (int(SCALE[below][i : i + 2], 16), int(SCALE[below + 1][i : i + 2], 16)) for i in (1, 3, 5)
    )
    return "#" + "".join(f"{round(a + share * (b - a)):02x}" for a, b in channels)
