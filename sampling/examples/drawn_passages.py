"""Passages as a picture: texts one below the other, with coloured boxes behind marked words."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from grammar.files import PathLike
from grammar.pictures.svg import INK, MARGIN, QUIET, Box, Label, Picture, Shape, text_width
from sampling.examples.passages import IN, MOVED, OUT, Passage

__all__ = ["draw_passages", "passages_svg"]

# light enough for dark ink, and told apart without colour by what the legend says of their place
_FILLS = {OUT: ("#f9d9d2", "#c8553d"), IN: ("#d3ead9", "#3c8d5a"), MOVED: ("#d6e4f5", "#3a6ea5")}
_NAMES = {OUT: "taken out", IN: "put in", MOVED: "moved"}
_SIZE, _TITLE, _LINE, _WIDTH = 15.0, 12.0, 26.0, 760.0
_GAP = 18.0
_SPACES = re.compile(r"\s+")


@dataclass
class _Cursor:
    """Where the next word goes."""

    x: float
    y: float
    shapes: list[Shape] = field(default_factory=list)
    widest: float = 0.0


def draw_passages(passages: Sequence[Passage], path: PathLike, title: str) -> None:
    """Save texts with their marks as ``.svg`` or ``.png``.

    Raises
    ------
    OptionError
        If the suffix is another.
    OutputError
        If the path cannot be written.
    """
    _picture(passages, title).save(path)


def passages_svg(passages: Sequence[Passage], title: str) -> str:
    """Return texts with their marks as an SVG document."""
    return _picture(passages, title).svg()


def _picture(passages: Sequence[Passage], title: str) -> Picture:
    cursor = _Cursor(MARGIN, MARGIN + 14)
    cursor.widest = MARGIN + text_width(title, _TITLE + 2, bold=True)
    cursor.shapes.append(Label(MARGIN, cursor.y, title, _TITLE + 2, INK, True, "start"))
    for passage in passages:
        cursor.x, cursor.y = MARGIN, cursor.y + _LINE + 6
        cursor.shapes.append(Label(MARGIN, cursor.y, passage.title, _TITLE, QUIET, True, "start"))
        cursor.widest = max(cursor.widest, MARGIN + text_width(passage.title, _TITLE, bold=True))
        cursor.y += _LINE - 4
        for text, kind in passage.pieces():
            _write(cursor, text, kind)
    used = {mark.kind for passage in passages for mark in passage.marks}
    cursor.x, cursor.y = MARGIN, cursor.y + _LINE + _GAP
    for kind, name in _NAMES.items():
        if kind in used:
            _write(cursor, name, kind)
            cursor.x += _GAP
    return Picture(cursor.widest + MARGIN, cursor.y + MARGIN, tuple(cursor.shapes), title)


def _write(cursor: _Cursor, text: str, kind: str | None) -> None:
    """Write a piece of text, on as many lines as it needs, with a box behind it if it is marked."""
    space = text_width(" ", _SIZE)
    run = ""
    for part in re.split(r"(\s+)", text):
        if not part:
            continue
        word = " " if _SPACES.fullmatch(part) else part
        end = cursor.x + text_width(run + word, _SIZE)
        if end > MARGIN + _WIDTH and (run or cursor.x > MARGIN) and word != " ":
            _put(cursor, run, kind)
            cursor.x, cursor.y, run = MARGIN, cursor.y + _LINE, ""
        if word == " " and not run:
            # a space that begins a line or a run is room, not text
            cursor.x += space if cursor.x > MARGIN else 0.0
            continue
        run += word
    _put(cursor, run, kind)


def _put(cursor: _Cursor, run: str, kind: str | None) -> None:
    if not run:
        return
    width = text_width(run, _SIZE)
    if kind is not None:
        fill, edge = _FILLS[kind]
        seen = text_width(run.rstrip(), _SIZE)
        cursor.shapes.append(Box(cursor.x - 3, cursor.y - 15, seen + 6, 21, fill, edge))
        middle = cursor.x + seen / 2
        cursor.shapes.append(Label(middle, cursor.y, run.strip(), _SIZE, INK))
    else:
        cursor.shapes.append(Label(cursor.x, cursor.y, run.rstrip(), _SIZE, INK, anchor="start"))
    cursor.x += width if kind is None else width + 3
    cursor.widest = max(cursor.widest, cursor.x)
