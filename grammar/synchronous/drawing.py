"""Pictures of aligned derivations: the tree of the source above, that of the target below.

The target's tree stands upside down, so that the words of both sides face each other, and a curve
links each node of the source to all its copies in the target.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from grammar.errors import OptionError
from grammar.files import PathLike
from grammar.pictures.svg import (
    ASCENT,
    DESCENT,
    INK,
    MARGIN,
    WORD,
    Label,
    Line,
    Picture,
    Shape,
    checked_suffix,
)
from grammar.synchronous.grammar import SynchronousGrammar
from grammar.synchronous.rule import Slot
from grammar.trees.draw import ACCENT, BRANCH, LEVEL, TreeNode, tree_layout
from grammar.trees.tree import Tree

__all__ = ["derivation_picture", "derivation_svg", "derivation_trees", "draw_pair_derivation"]

_GAP = 2.0 * LEVEL
_LINK = "#e3a17f"


@dataclass
class _Node:
    """A node of one side; ``rule`` is its place in the derivation, None for words."""

    text: str
    rule: int | None
    x: float
    y: float
    size: float
    parent: int


def derivation_trees(grammar: SynchronousGrammar, derivation: Sequence[int]) -> tuple[Tree, Tree]:
    """Return the trees of the source and the target; copies stand in the target as often as there.

    Raises
    ------
    OptionError
        If the rule numbers are not one derivation in preorder.

    Examples
    --------
    >>> grammar = SynchronousGrammar.parse("NT_1 twice ### NT_1 NT_1 [0.5]\\nwalk ### WALK [0.5]")
    >>> for tree in derivation_trees(grammar, (0, 1)):
    ...     print(tree)
    (NT (NT walk) twice)
    (NT (NT WALK) (NT WALK))
    """
    source, target, _, _ = _trees(grammar, derivation)
    return source, target


def derivation_svg(grammar: SynchronousGrammar, derivation: Sequence[int]) -> str:
    """Return an aligned derivation, given as rule numbers in preorder, as an SVG document."""
    return derivation_picture(grammar, derivation).svg()


def draw_pair_derivation(
    grammar: SynchronousGrammar, derivation: Sequence[int], path: PathLike
) -> None:
    r"""Save the picture of an aligned derivation as ``.svg`` or ``.png``.

    Raises
    ------
    OptionError
        If the suffix is another, or the rule numbers are not one derivation.
    OutputError
        If the path cannot be written.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from grammar import SynchronousGrammar, SynchronousParser
    >>> grammar = SynchronousGrammar.parse("NT_1 twice ### NT_1 NT_1 [0.5]\nwalk ### WALK [0.5]")
    >>> best = SynchronousParser(grammar).translations("walk twice".split())[0]
    >>> place = tempfile.TemporaryDirectory()
    >>> picture = pathlib.Path(place.name, "walk.svg")
    >>> draw_pair_derivation(grammar, best.rules, picture)
    >>> picture.exists()
    True
    >>> place.cleanup()
    """
    checked_suffix(path)
    derivation_picture(grammar, derivation).save(path)


def _trees(
    grammar: SynchronousGrammar, derivation: Sequence[int]
) -> tuple[Tree, Tree, list[int | None], list[int | None]]:
    """Return both trees, and for their nodes in preorder the place in the derivation."""
    grammar.yields(derivation)  # refuses what is not a derivation
    made: list[tuple[Tree, Tree, list[int | None], list[int | None]]] = []
    for place in range(len(derivation) - 1, -1, -1):
        rule = grammar.rules[derivation[place]]
        below = made[len(made) - rule.arity :][::-1] if rule.arity else []
        del made[len(made) - len(below) :]
        source, source_places = _grown(rule.lhs, rule.source, place, [(b[0], b[2]) for b in below])
        target, target_places = _grown(rule.lhs, rule.target, place, [(b[1], b[3]) for b in below])
        made.append((source, target, source_places, target_places))
    return made[0]


def _grown(
    label: str,
    symbols: Sequence[Slot | str],
    place: int,
    below: Sequence[tuple[Tree, list[int | None]]],
) -> tuple[Tree, list[int | None]]:
    children: list[Tree | str] = []
    places: list[int | None] = [place]
    for symbol in symbols:
        if isinstance(symbol, Slot):
            tree, order = below[symbol.number - 1]
            children.append(tree)
            places += order
        else:
            children.append(symbol)
            places.append(None)
    return Tree(label, tuple(children)), places


def derivation_picture(grammar: SynchronousGrammar, derivation: Sequence[int]) -> Picture:
    """Return the picture of an aligned derivation, given as rule numbers in preorder.

    Raises
    ------
    OptionError
        If there are none, or they are not one derivation.
    """
    if not derivation:
        raise OptionError("there is no derivation to draw", hint="give its rule numbers")
    source, target, *places = _trees(grammar, derivation)
    upper, lower = (
        _placed(tree_layout(tree), order)
        for tree, order in zip((source, target), places, strict=True)
    )
    deepest = max(node.y for node in upper)
    # words stand on one line, so that the two sentences can be read
    upper = [replace(n, y=deepest) if n.rule is None else n for n in upper]
    bottom = max(node.y for node in lower)
    floor = deepest + _GAP
    lower = [replace(n, y=floor if n.rule is None else floor + bottom - n.y) for n in lower]
    # the narrower side stands over the middle of the other: links are steeper then
    middles = [(min(n.x for n in side) + max(n.x for n in side)) / 2 for side in (upper, lower)]
    upper, lower = (
        [replace(n, x=n.x + max(middles) - middle) for n in side]
        for side, middle in zip((upper, lower), middles, strict=True)
    )
    width = max(n.x for side in (upper, lower) for n in side) + 3 * MARGIN
    height = max(n.y for n in lower) + DESCENT * LEVEL + MARGIN
    shapes = [*_links(upper, lower), *_branches(upper, 1), *_branches(lower, -1)]
    shapes += [_label(node) for node in (*upper, *lower)]
    return Picture(width, height, tuple(shapes), " ".join(source.leaves()))


def _placed(nodes: list[TreeNode], places: list[int | None]) -> list[_Node]:
    parents = {id(child): i for i, node in enumerate(nodes) for child in node.children}
    return [
        _Node(n.text, place, n.x, n.y, n.size, parents.get(id(n), -1))
        for n, place in zip(nodes, places, strict=True)
    ]


def _links(upper: list[_Node], lower: list[_Node]) -> list[Shape]:
    copies: dict[int, list[_Node]] = {}
    for node in lower:
        if node.rule is not None:
            copies.setdefault(node.rule, []).append(node)
    return [
        Line(node.x, node.y + 4, copy.x, copy.y - ASCENT * copy.size, _LINK, 1.0)
        for node in upper
        if node.rule is not None and node.parent >= 0
        for copy in copies.get(node.rule, ())
    ]


def _branches(nodes: list[_Node], down: int) -> list[Shape]:
    shapes: list[Shape] = []
    for node in nodes:
        if node.parent >= 0:
            parent = nodes[node.parent]
            below, above = (parent, node) if down > 0 else (node, parent)
            shapes.append(
                Line(
                    below.x,
                    below.y + DESCENT * below.size + 2,
                    above.x,
                    above.y - ASCENT * above.size - 4,
                    BRANCH,
                    1.2,
                )
            )
    return shapes


def _label(node: _Node) -> Label:
    colour = WORD if node.rule is None else ACCENT if node.parent < 0 else INK
    return Label(node.x, node.y, node.text, node.size, colour, node.rule is not None)
