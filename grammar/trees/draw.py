"""Pictures of trees, for notebooks, reports and the command line.

Every subtree owns a strip of the page as wide as its words and labels need, strips of
sisters lie side by side, and a parent stands in the middle between its first and last child.
"""

from __future__ import annotations

import importlib
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import accumulate
from operator import index
from typing import Any, Protocol

from grammar.errors import OptionError
from grammar.files import PathLike
from grammar.pictures.svg import (
    ASCENT,
    DESCENT,
    INK,
    MARGIN,
    QUIET,
    WORD,
    Box,
    Label,
    Line,
    Picture,
    Shape,
    checked_suffix,
    elide,
    moved,
    text_width,
)

__all__ = [
    "draw_tree",
    "draw_trees",
    "gallery_picture",
    "pill",
    "tree_layout",
    "tree_picture",
    "tree_svg",
]


class Drawable(Protocol):
    """What can be drawn: a tree, of which draw knows no more than this."""

    @property
    def label(self) -> str:
        """What stands at its root."""

    @property
    def children(self) -> tuple[Drawable | str, ...]:
        """Its subtrees and words."""

    def leaves(self) -> tuple[str, ...]:
        """Return its words."""


Span = tuple[int, int]
Highlight = Mapping[Any, str] | Collection[Span | str]

ACCENT, BRANCH, HAIRLINE = "#c2410c", "#a3afbb", "#d5dbe1"

LEVEL = 46.0
SISTER_GAP = 14.0
SLIMMEST = 16.0
HEAD = 30.0
LABEL_SIZE, WORD_SIZE = 13.0, 15.0


def tree_svg(tree: Drawable | str, *, highlight: Highlight = ()) -> str:
    """Return a tree drawn as a standalone SVG document.

    Parameters
    ----------
    tree : Tree
        Any size; or a tree of NLTK, or text in brackets.
    highlight : collection of (start, end) or str, or a mapping of them to ``#rrggbb`` colours
        What to colour: every node within the span, words ``start`` to ``end - 1``, or every word
        that equals the string. Where several apply, the narrowest wins.

    Raises
    ------
    BracketError
        If it is no tree.
    OptionError
        If there are several trees, a span lies outside the sentence, or a colour is not written
        ``#rrggbb``.

    Examples
    --------
    >>> from grammar import Tree
    >>> tree = Tree("S", (Tree("PRP", ("We",)), Tree("VBD", ("slept",))))
    >>> tree_svg(tree, highlight=[(1, 2)]).count("#c2410c")
    3
    """
    return tree_picture(tree, highlight).svg()


def draw_tree(
    tree: Drawable | str, path: PathLike | None = None, *, highlight: Highlight = ()
) -> str | None:
    """Save the picture of a tree as ``.svg`` or ``.png``, whole or not at all.

    Parameters
    ----------
    tree : Tree
        Any size; or a tree of NLTK, or text in brackets.
    path : str or Path, optional
        Its suffix says the format. Without it the SVG is returned, as by :func:`tree_svg`.
    highlight : collection or mapping
        As :func:`tree_svg` takes it.

    Raises
    ------
    BracketError
        If it is no tree.
    OptionError
        If the suffix is another, the highlight is at fault, or there are several trees.
    OutputError
        If the path cannot be written.

    Examples
    --------
    >>> from grammar import Tree
    >>> draw_tree(Tree("NN", ("fish",)), "fish.pdf")
    Traceback (most recent call last):
    ...
    grammar.errors.OptionError: fish.pdf: cannot draw to the suffix '.pdf'
      hint: name the file *.svg or *.png
    """
    if path is None:
        return tree_svg(tree, highlight=highlight)
    checked_suffix(path)
    tree_picture(tree, highlight).save(path)
    return None


def draw_trees(
    trees: Iterable[Drawable | str] | str, path: PathLike, titles: Sequence[str] | None = None
) -> None:
    """Save a gallery of trees, in order, row by row.

    Parameters
    ----------
    trees : iterable of Tree
        At least one; or trees of NLTK, or text in brackets.
    path : str or Path
        ``.svg`` or ``.png``.
    titles : sequence of str, optional
        One above each tree; long ones are cut at the width of the picture.

    Raises
    ------
    BracketError
        If they are no trees.
    OptionError
        If there is no tree, the titles are more or fewer than the trees, or the suffix is
        another.
    OutputError
        If the path cannot be written.

    Examples
    --------
    >>> from grammar import Tree
    >>> draw_trees([Tree("NN", ("fish",))], "fish.svg", titles=["a", "b"])
    Traceback (most recent call last):
    ...
    grammar.errors.OptionError: 2 titles for 1 trees
      hint: give one title for each tree
    """
    checked_suffix(path)
    are_one = isinstance(trees, str) or hasattr(trees, "label")
    pictures = [tree_picture(tree) for tree in (_given(trees) if are_one else trees)]
    if not pictures:
        raise OptionError("there is no tree to draw", hint="give at least one")
    if titles is not None and len(titles) != len(pictures):
        raise OptionError(
            f"{len(titles)} titles for {len(pictures)} trees", hint="give one title for each tree"
        )
    gallery_picture(pictures, titles).save(path)


# --- trees ---------------------------------------------------------------------------------------


@dataclass(slots=True, eq=False)
class TreeNode:
    """A label or word in its place: ``x`` is the centre and ``y`` the baseline of its text.

    Its subtree reaches ``left`` and ``right`` of ``x``, and holds the words from ``start`` to
    ``end - 1``.
    """

    text: str
    is_word: bool
    y: float
    start: int
    end: int = 0
    x: float = 0.0
    left: float = 0.0
    right: float = 0.0
    children: list[TreeNode] = field(default_factory=list)

    @property
    def is_tag(self) -> bool:
        """Whether all its children are words."""
        return not self.is_word and all(child.is_word for child in self.children)

    @property
    def is_bold(self) -> bool:
        """Whether it is a category above tags."""
        return not self.is_word and not self.is_tag

    @property
    def size(self) -> float:
        """Font size."""
        return WORD_SIZE if self.is_word else LABEL_SIZE

    @property
    def width(self) -> float:
        """Estimated width of its text; never so narrow that a full stop looks cut off."""
        return max(SLIMMEST, text_width(self.text, self.size, bold=self.is_bold))


def tree_layout(tree: Drawable) -> list[TreeNode]:
    """Place every node and word of a tree; returns them in preorder.

    Examples
    --------
    >>> from grammar import Tree
    >>> s, a, _, b, _ = tree_layout(Tree("S", (Tree("X", ("a",)), Tree("X", ("a",)))))
    >>> s.x == (a.x + b.x) / 2, s.y < a.y == b.y
    (True, True)
    """
    nodes = list(_preorder(tree))
    for node in reversed(nodes):
        node.end = node.children[-1].end if node.children else node.start + 1
        node.left = node.right = node.width / 2
        if node.children:
            _place_children(node)
    nodes[0].x = MARGIN + nodes[0].left
    for node in nodes:
        for child in node.children:
            child.x += node.x
    return nodes


def _preorder(tree: Drawable) -> Iterator[TreeNode]:
    # a stack and not recursion: unary chains may be deeper than Python allows
    top = MARGIN + ASCENT * LABEL_SIZE
    stack: list[tuple[Drawable | str, TreeNode | None]] = [(tree, None)]
    words = 0
    while stack:
        item, parent = stack.pop()
        is_word = isinstance(item, str)
        text = item if isinstance(item, str) else item.label
        node = TreeNode(text, is_word, parent.y + LEVEL if parent else top, words)
        words += is_word
        if parent:
            parent.children.append(node)
        if not isinstance(item, str):
            stack.extend((child, node) for child in reversed(item.children))
        yield node


def _place_children(parent: TreeNode) -> None:
    # until its own parent is placed, x of a child counts from its parent
    edge = 0.0
    for child in parent.children:
        child.x = edge + child.left
        edge = child.x + child.right + SISTER_GAP
    first, last = parent.children[0], parent.children[-1]
    centre = (first.x + last.x) / 2
    for child in parent.children:
        child.x -= centre
    parent.left = max(parent.left, first.left - first.x)
    parent.right = max(parent.right, last.right + last.x)


def _given(data: Any) -> list[Any]:
    """Return trees of NLTK, and text in brackets, as trees; trees of this toolkit as they are."""
    if isinstance(getattr(data, "children", None), tuple):
        return [data]
    # named and not imported: it makes trees, which draw themselves
    return list(importlib.import_module("grammar.trees.given").as_treebank(data))


def tree_picture(tree: Drawable | str, highlight: Highlight = ()) -> Picture:
    """Return the picture of a tree (takes and raises what :func:`tree_svg` does)."""
    given = _given(tree)
    if len(given) != 1:
        raise OptionError(
            f"there are {len(given)} trees", hint="draw_trees(trees, 'trees.svg') draws several"
        )
    nodes = tree_layout(given[0])
    words = given[0].leaves()
    spans = _highlighted(highlight, words)
    colours = {id(node): colour for node in nodes if (colour := _colour(node, spans))}
    shapes: list[Shape] = [
        _branch(node, child, colours) for node in nodes for child in node.children
    ]
    shapes += [pill(n, colours[id(n)]) for n in nodes if n.is_word and id(n) in colours]
    shapes += [_node_label(node, colours.get(id(node))) for node in nodes]
    return Picture(
        width=2 * MARGIN + nodes[0].left + nodes[0].right,
        height=max(node.y for node in nodes) + DESCENT * WORD_SIZE + MARGIN,
        shapes=tuple(shapes),
        title=" ".join(words),
    )


def _colour(node: TreeNode, spans: Mapping[Span, str]) -> str | None:
    around = [span for span in spans if span[0] <= node.start and node.end <= span[1]]
    narrowest = min(around, key=lambda span: span[1] - span[0], default=None)
    return spans[narrowest] if narrowest else None


def _node_label(node: TreeNode, highlighted: str | None) -> Label:
    colour = highlighted or (WORD if node.is_word else QUIET if node.is_tag else INK)
    return Label(node.x, node.y, node.text, node.size, colour, node.is_bold)


def _branch(parent: TreeNode, child: TreeNode, colours: Mapping[int, str]) -> Line:
    colour = colours.get(id(child))
    # the branch that leads to what is highlighted belongs to the rest of the tree
    inside = colour is not None and colours.get(id(parent)) == colour
    return Line(
        parent.x,
        parent.y + DESCENT * parent.size + 2,
        child.x,
        child.y - ASCENT * child.size - 4,
        colour if colour and inside else BRANCH,
        1.2,
    )


def pill(word: TreeNode, colour: str) -> Box:
    """Return the box behind a word that stands out in a colour."""
    red, green, blue = (int(colour[i : i + 2], 16) for i in (1, 3, 5))
    tint = "#" + "".join(f"{round(255 - 0.14 * (255 - part)):02x}" for part in (red, green, blue))
    height = (ASCENT + DESCENT) * word.size + 4
    top = word.y - ASCENT * word.size - 2
    return Box(word.x - word.width / 2 - 4, top, word.width + 8, height, tint, tint)


def _highlighted(highlight: Highlight, words: Sequence[str]) -> dict[Span, str]:
    if isinstance(highlight, str):
        highlight = [highlight]
    pairs: Iterable[tuple[Any, str]] = (
        highlight.items()
        if isinstance(highlight, Mapping)
        else ((part, ACCENT) for part in highlight)
    )
    spans: dict[Span, str] = {}
    for part, colour in pairs:
        if not re.fullmatch("#[0-9a-fA-F]{6}", colour):
            raise OptionError(f"the colour {colour!r} is unknown", hint="write it as #rrggbb")
        if isinstance(part, str):
            spans |= {(i, i + 1): colour for i, word in enumerate(words) if word == part}
        else:
            spans[_checked_span(part, len(words))] = colour
    return spans


def _checked_span(span: Any, words: int) -> Span:
    try:
        start, end = map(index, span)  # also the integers of numpy
    except (TypeError, ValueError):
        start = end = 0
    if 0 <= start < end <= words:
        return start, end
    raise OptionError(
        f"{span!r} is neither a word nor a span of this tree",
        hint=f"give words, or pairs (start, end) with 0 <= start < end <= {words}",
    )


# --- galleries -----------------------------------------------------------------------------------


def gallery_picture(pictures: Sequence[Picture], titles: Sequence[str] | None) -> Picture:
    """Return pictures side by side, in order, row by row."""
    head = HEAD if titles else 0.0
    full = [_title_width(title) for title in titles or [""] * len(pictures)]
    # never narrower than a tree
    least = max(max(p.width for p in pictures), min(max(full), 480.0))
    widths = [max(p.width, min(title, least)) for p, title in zip(pictures, full, strict=True)]
    limit = _best_limit(widths, [head + p.height for p in pictures], least)
    shapes: list[Shape] = []
    y = MARGIN
    stretch = limit
    for row in _rows(widths, limit):
        x = MARGIN
        height = head + max(pictures[i].height for i in row)
        room = (limit - sum(widths[i] for i in row) - MARGIN * (len(row) - 1)) / len(row)
        # the last row may be short: its cards stay as wide as those above
        stretch = min(room, stretch) if row[-1] == len(pictures) - 1 else room
        for i in row:
            frame = Box(x, y, widths[i] + stretch, height, "#ffffff", HAIRLINE)
            shapes += _card(pictures[i], frame, titles[i] if titles else None)
            x += frame.width + MARGIN
        y += height + MARGIN
    return Picture(limit + 2 * MARGIN, y, tuple(shapes), f"{len(pictures)} trees")


def _best_limit(widths: Sequence[float], heights: Sequence[float], least: float) -> float:
    """Return the width of rows with which the page fits into the smallest screen, 16 to 10."""

    def needed(limit: float) -> float:
        rows = _rows(widths, limit)
        return max(limit / 1.6, sum(max(heights[i] for i in row) + MARGIN for row in rows))

    runs = accumulate(widths, lambda run, width: run + MARGIN + width)
    return min((max(least, run) for run in runs), key=needed)


def _title_width(title: str) -> float:
    return text_width(title, LABEL_SIZE, bold=True) + 2 * MARGIN


def _rows(widths: Sequence[float], limit: float) -> Iterator[list[int]]:
    row: list[int] = []
    used = 0.0
    for i, width in enumerate(widths):
        if row and used + MARGIN + width > limit:
            yield row
            row, used = [], 0.0
        used += width + (MARGIN if row else 0.0)
        row.append(i)
    yield row


def _card(picture: Picture, frame: Box, title: str | None) -> Iterator[Shape]:
    yield frame
    if title is not None:
        text = elide(title, frame.width - 2 * MARGIN, LABEL_SIZE, bold=True)
        x, y = frame.x + MARGIN, frame.y + 0.7 * HEAD
        yield Label(x, y, text, LABEL_SIZE, QUIET, bold=True, anchor="start")
    right = frame.x + (frame.width - picture.width) / 2
    down = frame.y + (HEAD if title is not None else 0.0)
    yield from (moved(shape, right, down) for shape in picture.shapes)
