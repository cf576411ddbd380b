"""Pictures made of a few shapes, written as SVG text or painted as PNG.

A layout makes one :class:`Picture`; both back-ends read the same shapes, so what is checked in
one format holds in the other. Lengths are CSS pixels, x to the right and y downwards. Writing SVG
imports no plotting library: text widths are estimated from the metrics of DejaVu Sans, the font
asked for first in both formats.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Literal
from xml.sax.saxutils import escape, quoteattr

from grammar.errors import OptionError
from grammar.files import PathLike, atomic_output, write_text

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = [
    "SUFFIXES",
    "Box",
    "Label",
    "Line",
    "Picture",
    "Shape",
    "checked_suffix",
    "elide",
    "moved",
    "text_width",
]

# what all pictures share: the colours of ink, the margin, and in em where ink lies about a baseline
INK, QUIET, WORD = "#1f2d3d", "#5b6875", "#0b6b50"
MARGIN = 16.0
ASCENT, DESCENT = 0.80, 0.24

SUFFIXES = (".svg", ".png")

_FONT = "DejaVu Sans"
# Asked for in this order, and only where installed, for what DejaVu Sans cannot write in a PNG;
# a browser that shows an SVG finds such fonts by itself.
_FALLBACK_FONTS = (
    "Noto Sans CJK SC",
    "Noto Sans CJK JP",
    "Source Han Sans SC",
    "WenQuanYi Zen Hei",
    "WenQuanYi Micro Hei",
    "PingFang SC",
    "Hiragino Sans GB",
    "Microsoft YaHei",
    "Arial Unicode MS",
    "Noto Sans Devanagari",
    "Noto Sans Thai",
)
_PIXELS_PER_INCH = 96
_POINTS_PER_PIXEL = 72 / _PIXELS_PER_INCH
_EAST_ASIAN = 0x2E80
_PNG_SCALE = 2.0
_PNG_SIDE = 16_000  # well within what the painter and common viewers accept

# What XML 1.0 forbids, and line breaks and tabs, which have no place in a one-line label.
_UNWRITABLE = re.compile("[\x00-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]")

# Advance widths in em, grouped and rounded up.
_WIDTHS = {
    character: width
    for width, characters in (
        (0.30, "ijlI'"),
        (0.40, "J !(),-./:;[\\]`ft|"),
        (0.46, 'r"'),
        (0.53, "szc_*?"),
        (0.60, "kvxyLF"),
        (0.62, "aePTY"),
        (0.64, "{}"),
        (0.70, "ABCEKRSVXZ"),
        (0.84, "w+<=>~^#"),
        (1.00, "mMW@%"),
    )
    for character in characters
}
_BOLD = 1.12


@dataclass(frozen=True, slots=True)
class Label:
    """One line of text; ``y`` is its baseline, ``anchor`` the part of it that lies at ``x``.

    ``link`` is an address that an SVG in a page leads to; a PNG has none.
    """

    x: float
    y: float
    text: str
    size: float
    colour: str
    bold: bool = False
    anchor: Literal["start", "middle", "end"] = "middle"
    link: str = ""


@dataclass(frozen=True, slots=True)
class Line:
    """A straight line, or a curve that leaves and arrives horizontally."""

    x: float
    y: float
    to_x: float
    to_y: float
    colour: str
    width: float
    curved: bool = False


@dataclass(frozen=True, slots=True)
class Box:
    """A rectangle with rounded corners."""

    x: float
    y: float
    width: float
    height: float
    fill: str
    edge: str


Shape = Label | Line | Box


@dataclass(frozen=True, slots=True)
class Picture:
    """Shapes on a white page, in painting order; ``title`` is for those who cannot see it.

    Examples
    --------
    >>> page = Picture(40, 20, (Label(20, 15, "R&D", 14, "#000000"),), "a word")
    >>> print(page.svg())
    <svg xmlns="http://www.w3.org/2000/svg" width="40" height="20" viewBox="0 0 40 20" ...>
    <title>a word</title>
    <rect width="40" height="20" fill="#ffffff"/>
    <text x="20" y="15" font-size="14" fill="#000000" text-anchor="middle">R&amp;D</text>
    </svg>
    """

    width: float
    height: float
    shapes: tuple[Shape, ...]
    title: str

    def svg(self) -> str:
        """Return a standalone SVG document; equal pictures give equal text."""
        width, height = _number(self.width), _number(self.height)
        lines = [
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
            f'viewBox="0 0 {width} {height}" font-family="{_FONT}, Verdana, sans-serif" '
            f'role="{self._role}">',
            f"<title>{escape(_printable(self.title))}</title>",
            f'<rect width="{width}" height="{height}" fill="#ffffff"/>',
            *map(_element, self.shapes),
            "</svg>",
        ]
        return "\n".join(lines) + "\n"

    @property
    def _role(self) -> str:
        # nothing in an image can be reached with the keyboard
        has_links = any(isinstance(shape, Label) and shape.link for shape in self.shapes)
        return "group" if has_links else "img"

    def _repr_svg_(self) -> str:
        return self.svg()

    def save(self, path: PathLike) -> None:
        """Write the picture atomically as SVG or PNG, as the suffix of ``path`` says.

        Raises
        ------
        OptionError
            If the suffix is another.
        OutputError
            If the path cannot be written.
        """
        suffix = checked_suffix(path)
        if suffix == ".svg":
            write_text(path, self.svg())
        else:
            with atomic_output(path) as temporary:
                _paint(self, temporary)


def moved(shape: Shape, right: float, down: float) -> Shape:
    """Return the same shape elsewhere."""
    if isinstance(shape, Line):
        return replace(
            shape,
            x=shape.x + right,
            y=shape.y + down,
            to_x=shape.to_x + right,
            to_y=shape.to_y + down,
        )
    return replace(shape, x=shape.x + right, y=shape.y + down)


def checked_suffix(path: PathLike) -> str:
    """Return the suffix of a picture's path, in lower case.

    >>> checked_suffix("tree.gif")
    Traceback (most recent call last):
    ...
    grammar.errors.OptionError: tree.gif: cannot draw to the suffix '.gif'
      hint: name the file *.svg or *.png
    """
    suffix = Path(path).suffix.lower()
    if suffix not in SUFFIXES:
        raise OptionError(
            f"cannot draw to the suffix {suffix!r}",
            where=str(path),
            hint=f"name the file {' or '.join('*' + known for known in SUFFIXES)}",
        )
    return suffix


def text_width(text: str, size: float, *, bold: bool = False) -> float:
    """Estimate the width of a line of text, rather too wide than too narrow.

    Examples
    --------
    >>> text_width("ill", 10) < text_width("www", 10) < text_width("猫猫猫", 10) == 30.0
    True
    """
    return size * (_BOLD if bold else 1.0) * sum(map(_character_width, text))


def elide(text: str, width: float, size: float, *, bold: bool = False) -> str:
    """Shorten text with an ellipsis to about ``width``, between words where there are several.

    Examples
    --------
    >>> elide("DT JJ NN", 100, 12), elide("DT JJ NN IN DT NN", 100, 12), elide("a" * 99, 30, 12)
    ('DT JJ NN', 'DT JJ NN IN …', 'aa…')
    """
    if text_width(text, size, bold=bold) <= width:
        return text
    while text and text_width(text + "…", size, bold=bold) > width:
        text = text[:-1]
    words, space, _ = text.rpartition(" ")
    return f"{words} …" if words.strip() and space else f"{text}…"


def _character_width(character: str) -> float:
    if unicodedata.category(character) in ("Mn", "Me", "Cf"):
        return 0.0
    if unicodedata.east_asian_width(character) in "WF":
        return 1.0
    letter = unicodedata.normalize("NFD", character)[0]
    return _WIDTHS.get(letter, 0.65 if letter.isascii() and not letter.isupper() else 0.8)


def _printable(text: str) -> str:
    return _UNWRITABLE.sub("\ufffd", text)


def _number(value: float) -> str:
    return f"{value:.1f}".removesuffix(".0")


def _element(shape: Shape) -> str:
    x, y = _number(shape.x), _number(shape.y)
    if isinstance(shape, Label):
        weight = ' font-weight="bold"' if shape.bold else ""
        text = (
            f'<text x="{x}" y="{y}" font-size="{_number(shape.size)}" fill="{shape.colour}"'
            f'{weight} text-anchor="{shape.anchor}">{escape(_printable(shape.text))}</text>'
        )
        return f"<a href={quoteattr(_printable(shape.link))}>{text}</a>" if shape.link else text
    if isinstance(shape, Box):
        return (
            f'<rect x="{x}" y="{y}" width="{_number(shape.width)}" '
            f'height="{_number(shape.height)}" rx="{_number(_radius(shape))}" '
            f'fill="{shape.fill}" stroke="{shape.edge}"/>'
        )
    to_x, to_y, middle = _number(shape.to_x), _number(shape.to_y), _number(_bend(shape))
    bend = f"C{middle} {y} {middle} {to_y} {to_x} {to_y}" if shape.curved else f"L{to_x} {to_y}"
    return (
        f'<path d="M{x} {y} {bend}" fill="none" stroke="{shape.colour}" '
        f'stroke-width="{_number(shape.width)}"/>'
    )


def _radius(box: Box) -> float:
    return min(5.0, box.width / 2, box.height / 2)


def _bend(line: Line) -> float:
    return (line.x + line.to_x) / 2


def _paint(picture: Picture, path: Path) -> None:
    # the object-oriented interface leaves the global state of pyplot alone
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure
    from matplotlib.font_manager import fontManager

    scale = min(_PNG_SCALE, _PNG_SIDE / max(picture.width, picture.height))
    figure = Figure(
        figsize=(picture.width / _PIXELS_PER_INCH, picture.height / _PIXELS_PER_INCH),
        dpi=_PIXELS_PER_INCH * scale,
        facecolor="#ffffff",
    )
    axes = figure.add_axes((0, 0, 1, 1), xlim=(0, picture.width), ylim=(picture.height, 0))
    axes.set_axis_off()
    installed = {font.name for font in fontManager.ttflist}
    fonts = [_FONT, *(name for name in _FALLBACK_FONTS if name in installed)]
    for order, shape in enumerate(picture.shapes):
        _paint_shape(axes, shape, order, fonts)
    # not savefig: it obeys personal settings, such as cutting the margins away
    FigureCanvasAgg(figure).print_png(path, metadata={"Software": None})  # type: ignore[no-untyped-call]


def _paint_shape(axes: Axes, shape: Shape, order: int, fonts: list[str]) -> None:
    if isinstance(shape, Label):
        _paint_label(axes, shape, order, fonts)
    elif isinstance(shape, Box):
        _paint_box(axes, shape, order)
    else:
        _paint_line(axes, shape, order)


def _paint_label(axes: Axes, label: Label, order: int, fonts: list[str]) -> None:
    axes.text(
        label.x,
        label.y,
        _printable(label.text),
        fontsize=label.size * _POINTS_PER_PIXEL,
        color=label.colour,
        family=fonts if any(ord(c) >= _EAST_ASIAN for c in label.text) else fonts[:1],
        weight="bold" if label.bold else "normal",
        ha={"start": "left", "middle": "center", "end": "right"}[label.anchor],
        va="baseline",
        # dollar signs are words here, never mathematics
        parse_math=False,
        usetex=False,
        zorder=order,
    )


def _paint_box(axes: Axes, box: Box, order: int) -> None:
    from matplotlib.patches import FancyBboxPatch

    axes.add_patch(
        FancyBboxPatch(
            (box.x, box.y),
            box.width,
            box.height,
            boxstyle=f"round,pad=0,rounding_size={_radius(box)}",
            facecolor=box.fill,
            edgecolor=box.edge,
            linewidth=_POINTS_PER_PIXEL,
            zorder=order,
        )
    )


def _paint_line(axes: Axes, line: Line, order: int) -> None:
    from matplotlib.patches import PathPatch
    from matplotlib.path import Path as Outline

    start, end, middle = (line.x, line.y), (line.to_x, line.to_y), _bend(line)
    outline = (
        Outline(
            [start, (middle, line.y), (middle, line.to_y), end],
            [Outline.MOVETO, Outline.CURVE4, Outline.CURVE4, Outline.CURVE4],
        )
        if line.curved
        else Outline([start, end])
    )
    axes.add_patch(
        PathPatch(
            outline,
            facecolor="none",
            edgecolor=line.colour,
            linewidth=line.width * _POINTS_PER_PIXEL,
            capstyle="butt",
            zorder=order,
        )
    )
